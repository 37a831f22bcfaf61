"""The grammar of references: how nodes name their inputs.

    n          output 0 of node n
    n:2        output 2 of node n
    ^n         a control input: not a tensor; n must run first
    n:out:0    in a function body: the first tensor of the output that the op of n calls "out"
    n:out      in a function body: all tensors of that output

In a function body, a bare name may also be that of an argument.

`TensorName.parse` reads one reference and checks it. The functions on strings (`is_control_input`, `node_name`,
`data_inputs` ...) do not check anything: they are for loops over all inputs of a large graph. No other module looks
for "^" or ":" in a reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..errors import GraphError
from ..messages import NodeDef
from .terminal import escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..messages import NodeDef

CONTROL = -1
"""The port of a control input."""

MAX_PORT_DIGITS = 9
"""The maximum number of digits of a port. Converting thousands of digits would take quadratic time."""


class TensorName(NamedTuple):
    """A parsed reference. `port` is CONTROL for a control input.

    `output` is empty in a graph. In a function body it is the name of an output of the op, and `port` counts from the
    first tensor of that output.
    """

    node: str
    port: int = 0
    output: str = ""

    @classmethod
    def parse(cls, text: str) -> TensorName:
        """Parse a reference. Raises GraphError if the string is not one."""
        if not isinstance(text, str):
            check_name(text)
        node, colon, port_text = text.partition(":")
        if not colon:
            if node[:1] != "^":
                if node:
                    return cls(node)
            elif len(node) > 1:
                return cls(node[1:], CONTROL)
        elif node and node[0] != "^":
            output, colon, port = port_text.rpartition(":")
            if not colon and _is_identifier(port):
                output, port = port, "0"
            if _is_port(port) and (not output or _is_identifier(output)) and (output or not colon):
                return cls(node, int(port), output)
        raise GraphError(f'"{escape(text)}" is not a reference to a node or a tensor')

    @classmethod
    def control(cls, node: str) -> TensorName:
        """Return the control input that waits for a node."""
        return cls(node, CONTROL)

    @property
    def is_control(self) -> bool:
        return self.port == CONTROL

    @property
    def numbered(self) -> str:
        """The reference with its port spelled out: "n:0" for output 0. Not for references in function bodies."""
        return f"{self.node}:{self.port}" if self.port != CONTROL else f"^{self.node}"

    def __str__(self) -> str:
        """The shortest spelling: output 0 is the bare name of the node."""
        if self.port == CONTROL:
            return f"^{self.node}"
        if self.output:
            return f"{self.node}:{self.output}:{self.port}"
        return f"{self.node}:{self.port}" if self.port else self.node


def shortest(text: str) -> str:
    """Return a reference as users write it and reports have it: "x" for "x:0".

    A damaged graph may have nodes with names that no reference can have, such as "a:b".
    """
    try:
        return str(TensorName.parse(text))
    except GraphError:
        return text.removesuffix(":0")


def check_name(name: object) -> str:
    """Return a name that a caller gave. Raises GraphError if it is not a string."""
    if not isinstance(name, str):
        raise GraphError(f"a name is a string, not {_type_in_words(name)}")
    return name


def check_names(names: object) -> list[str]:
    """Return the names in an iterable that a caller gave. Raises GraphError for another value, and for one string."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise GraphError(f"names are a list of strings, not {_type_in_words(names)}")
    return [check_name(name) for name in names]


def _type_in_words(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _is_identifier(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MAX_PORT_DIGITS


# --- renamed tensors -------------------------------------------------------------------------------------------------


def rename_tensor(text: str, renames: Mapping[TensorName, TensorName]) -> str:
    """Return the new name of the tensor `text`, with its port; `text` itself if the tensor is not renamed."""
    renamed = renames.get(TensorName.parse(text)) if renames else None
    return text if renamed is None else renamed.numbered


def combine_renames(
    first: Mapping[TensorName, TensorName], then: Mapping[TensorName, TensorName]
) -> dict[TensorName, TensorName]:
    """Return one mapping that has the effect of the renames `first`, followed by the renames `then`.

    A name in `then` that `first` has replaced is that of something new, which has no old name.
    """
    original = {new: old for old, new in first.items()}
    renamed = {original.get(old, old): new for old, new in then.items() if old in original or old not in first}
    return {**first, **renamed}


class Renames:
    """The new names of a graph's nodes and tensors after some steps, each of which may rename them.

    A step has the new names of nodes by the old ones, and tensors that others replaced, which may be the same tensors
    under the new names of their nodes. A step may give a name that a node had before an earlier step.
    """

    def __init__(self, steps: Iterable[tuple[Mapping[str, str], Mapping[TensorName, TensorName]]] = ()) -> None:
        self._steps = [step for step in steps if any(step)]

    def node(self, name: str) -> str:
        """Return the present name of a node."""
        for nodes, _ in self._steps:
            name = nodes.get(name, name)
        return name

    def tensor(self, tensor: TensorName) -> TensorName:
        """Return the present name of a tensor."""
        for nodes, tensors in self._steps:
            replaced = tensors.get(tensor)
            tensor = replaced if replaced is not None else tensor._replace(node=nodes.get(tensor.node, tensor.node))
        return tensor


# --- references as strings -------------------------------------------------------------------------------------------


def is_control_input(text: str) -> bool:
    """Return whether a reference is a control input, "^n"."""
    return text[:1] == "^"


def has_port(text: str) -> bool:
    """Return whether a reference spells a port or an output, as "n:1" and "n:out:0" do."""
    return ":" in text


def is_plain_name(text: str) -> bool:
    """Return whether a string can be the bare name of a node: not empty, no control input, no port."""
    return bool(text) and text[0] != "^" and ":" not in text


_NO_PORT = re.compile(r":(?![0-9]+(?:[:,]|$))")


def split_at_colon(text: str) -> tuple[str, str] | None:
    """Split "x,y:1:scores:0" into "x,y:1" and "scores:0", at the one colon that is not before a port.

    Return None if there is no such colon, or if there are several.
    """
    pieces = _NO_PORT.split(text, maxsplit=2)
    return (pieces[0], pieces[1]) if len(pieces) == 2 else None


def control_input(node: str) -> str:
    """Return the reference that waits for a node, "^n"."""
    return f"^{node}"


def node_name(text: str) -> str:
    """Return the name of the node in a reference: "n" of "n", "n:2", "n:out:0" and "^n"."""
    return text.removeprefix("^").partition(":")[0]


def strip_control_mark(text: str) -> str:
    """Return the reference without the "^" of a control input."""
    return text.removeprefix("^")


def with_node_name(text: str, name: str) -> str:
    """Return the reference `text` with `name` as its node. The "^" of a control input and the port stay."""
    mark = "^" if text[:1] == "^" else ""
    _, colon, port = text.partition(":")
    return f"{mark}{name}{colon}{port}"


def data_inputs(node: NodeDef) -> list[str]:
    """Return the inputs of a node that are tensors, in order."""
    return [text for text in node.input if text[:1] != "^"]


def control_inputs(node: NodeDef) -> list[str]:
    """Return the control inputs of a node, in order, each with its "^"."""
    return [text for text in node.input if text[:1] == "^"]


class TakenNames(set[str]):
    """The set of names in use, which makes new ones.

    All new names together take time that is linear in the number of names. The search for a name continues where the
    last search with the same base ended, and a taken name can be hit only by one base, the part before its last
    underscore.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__(names)
        self._numbers: dict[str, int] = {}

    def free(self, base: str) -> str:
        """Return a name that is not taken: `base`, or the first of base_1, base_2, ..."""
        if base not in self:
            return base
        number = self._numbers.get(base, 1)
        while (name := f"{base}_{number}") in self:
            number += 1
        self._numbers[base] = number
        return name

    def fresh(self, base: str) -> str:
        """Add a new name and return it: see `free`."""
        name = self.free(base)
        self.add(name)
        return name

    def discard(self, name: object) -> None:
        """Free a name."""
        super().discard(name)
        self._numbers.pop(str(name).rpartition("_")[0], None)
