"""Nodes and edits as text, as the command `edit` takes them.

y=Relu(x)                          a node y
half=Const[value=0.5]              a constant; its attributes are in square brackets
Mul(_, half)[T=float]              a node without a name; _ stands for the tensor that it is inserted after
c=Conv2D(x, w, ^init)[strides=[1,2,2,1], padding=SAME]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import GraphError
from ..graph.error_text import quote
from ..values.names import TensorName

if TYPE_CHECKING:
    from .editor import Editor

PLACE = "_"
"""Stands for the tensor after which a node is inserted."""

_parts = re.compile(
    r"(?:(?P<name>[^=(\[]*)=)?(?P<op>[A-Za-z0-9_.>]+)(?:\((?P<inputs>[^()]*)\))?(?:\[(?P<attributes>.*)\])?"
)


class NodeText(NamedTuple):
    """A node as text; `inputs` is None if it has no parentheses."""

    name: str
    op: str
    inputs: list[str] | None
    controls: list[str]
    attributes: dict[str, str]


def parse_node(text: str) -> NodeText:
    """Parse a node. Raises GraphError for text of another form."""
    match = _parts.fullmatch(text.strip())
    if match is None:
        raise GraphError(f"{quote(text)} is not a node: write name=Op(input, ...)[attribute=value, ...]")
    attributes: dict[str, str] = {}
    for part in _split(match["attributes"] or ""):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise GraphError(f"{quote(part)} in {quote(text)} is not an attribute: write name=value")
        attributes[name.strip()] = value.strip()
    names = None if match["inputs"] is None else [name for part in match["inputs"].split(",") if (name := part.strip())]
    references = [] if names is None else names
    controls = [name[1:] for name in references if name != PLACE and TensorName.parse(name).is_control]
    tensors = [name for name in references if name == PLACE or not TensorName.parse(name).is_control]
    return NodeText(
        (match["name"] or "").strip(), match["op"], None if names is None else tensors, controls, attributes
    )


def _split(text: str) -> Iterator[str]:
    """Yield the parts between commas that are not in brackets or quotes."""
    depth, start, quoted = 0, 0, False
    for place, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif character == "," and not depth:
            yield text[start:place]
            start = place + 1
    if text[start:].strip():
        yield text[start:]


def split_attribute(text: str) -> tuple[str, str]:
    """Return the node and the attribute of "node.attribute". Raises GraphError without a dot."""
    node, dot, attribute = text.rpartition(".")
    if not dot or not node or not attribute:
        raise GraphError(f"{quote(text)} is not an attribute of a node: write node.attribute")
    return node, attribute


def add_node(editor: Editor, text: str) -> str:
    """Add the node that a text describes, and return its name."""
    node = parse_node(text)
    if not node.name:
        raise GraphError(f"{quote(text)} has no name: write name={text}")
    return _make(editor, node, node.name, node.inputs or [])


def insert_node(editor: Editor, tensor: str, text: str) -> str:
    """Insert the node that a text describes after a tensor, and return its name."""
    node = parse_node(text)
    inputs = [PLACE] if node.inputs is None else node.inputs
    if inputs.count(PLACE) != 1:
        raise GraphError(f"{quote(text)} must have one input {PLACE}, the place of the tensor")
    if node.controls:
        raise GraphError(f"{quote(text)}: an inserted node has no control inputs")
    position = inputs.index(PLACE)
    others = [*inputs[:position], *inputs[position + 1 :]]
    attributes = editor.parse_attributes(node.op, node.attributes)
    return editor.insert_after(tensor, node.op, others, name=node.name, position=position, **attributes)


def replace_by_node(editor: Editor, name: str, text: str) -> None:
    """Replace the op of a node by that of a text, and its inputs and attributes where the text has some."""
    node = parse_node(text)
    if node.name and node.name != name:
        raise GraphError(f"{quote(text)} has another name than {quote(name)}: rename the node")
    controls = node.controls if node.inputs is not None else None
    attributes = editor.parse_attributes(node.op, node.attributes)
    editor.replace_node(name, node.op, node.inputs, controls=controls, **attributes)


def _make(editor: Editor, node: NodeText, name: str, inputs: list[str]) -> str:
    attributes: dict[str, Any] = editor.parse_attributes(node.op, node.attributes)
    if node.op == "Const" and "value" in attributes:
        if set(attributes) - {"dtype", "value"} or inputs:
            raise GraphError(f"the constant {quote(name)} has a value and a dtype, and nothing else")
        return editor.const(name, attributes["value"], dtype=attributes.get("dtype"))
    return editor.node(name, node.op, inputs, controls=node.controls, **attributes)
