"""A notation for graphs, and the examples in the docstrings of transforms: a graph, a step, and the resulting nodes.

    Example: remove_nodes(op=Identity) with inputs x and outputs y

        x = Placeholder[dtype=float]
        i = Identity(x)[T=float]
        y = Relu(i)[T=float] @ /cpu:0

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float] @ /cpu:0

A node is `name = Op(inputs)[attributes] @ device`, with inputs spelled as in a NodeDef; empty parts are left out. It
may continue in lines with more indentation. Lines that begin with `f: ` belong to a function f: the first is its
signature, `f: (a: float, b: int32) -> (r: float = mul:z:0)`, the others are its nodes. Values:

    float, int32, string       types                     [2, 3] [float, int32] ["a"] []   lists
    2, -1                      integers                  (1, -1) () ?                     shapes; ? is of unknown rank
    1.5, 1e-3                  floats                    float{1, 2}                      tensors: a vector,
    true, false                bools                     float{3}()                       a scalar,
    "text"                     strings                   int32{1, 2, 3, 4}(2, 2)          and any other shape
    @f                         functions

A tensor with one value and a larger shape repeats that value. Results of transforms are compared in this notation too
(see `spelled`): tensors by their values, however these are stored, and attributes in any order.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from tfmodel import from_ndarray, to_ndarray
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    TensorShapeProto,
)
from tfmodel.values.shape import shape_to_proto

__all__ = ["Example", "examples_in", "graph", "node", "nodes", "spelled"]


@dataclass(frozen=True)
class Example:
    """A step as `transform` takes it ("remove_nodes(op=Identity)", "x", "y"), and the nodes before and after."""

    transforms: str
    inputs: str
    outputs: str
    before: GraphDef
    after: list[NodeDef]


_header = re.compile(r"Example: (.+?)(?: with inputs (.+?))?(?: (?:and|with) outputs (.+?))?", re.DOTALL).fullmatch


def examples_in(docstring: str) -> list[Example]:
    """Return all examples of a docstring. Raises ValueError, with the line, for one that cannot be parsed."""
    paragraphs = _paragraphs(docstring)
    examples = []
    for position, paragraph in enumerate(paragraphs):
        if not paragraph.startswith("Example:"):
            continue
        header = _header(re.sub(r"\s+", " ", paragraph))
        if header is None:
            raise ValueError(f'expected "Example: STEPS with inputs NAMES and outputs NAMES", found {paragraph!r}')
        before, becomes, after = [*paragraphs[position + 1 : position + 4], "", "", ""][:3]
        if becomes != "becomes" or not before[:1].isspace() or not after[:1].isspace():
            raise ValueError(f'expected indented nodes, "becomes", and indented nodes behind {paragraph!r}')
        steps, inputs, outputs = (part or "" for part in header.groups())
        examples.append(Example(steps, inputs, outputs, graph(before), nodes(after)))
    return examples


def _paragraphs(docstring: str) -> list[str]:
    """Return the paragraphs of a text; consecutive indented ones are joined."""
    paragraphs: list[str] = []
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", docstring.strip("\n")):
        if paragraphs and paragraph[:1].isspace() and paragraphs[-1][:1].isspace():
            paragraphs[-1] += "\n" + paragraph
        else:
            paragraphs.append(paragraph.rstrip())
    return paragraphs


_of_function = re.compile(r"(\w+): (.+)").fullmatch
_signature = re.compile(r"\((.*)\) -> \((.*)\)").fullmatch
_result = re.compile(r"(\w+): (\w+)(?: = ([\w:/]+))?").fullmatch


def graph(text: str) -> GraphDef:
    """Return the graph with these nodes and functions."""
    own: list[str] = []
    functions: dict[str, list[str]] = {}
    for line in _lines(text):
        parts = _of_function(line)
        if parts is None:
            own.append(line)
        else:
            functions.setdefault(parts[1], []).append(parts[2])
    library = FunctionDefLibrary(function=[_function(name, lines) for name, lines in functions.items()])
    return GraphDef(node=list(map(node, own)), library=library if functions else None)


def _function(name: str, lines: list[str]) -> FunctionDef:
    signature = _signature(lines[0])
    if signature is None:
        raise ValueError(f"expected (arguments) -> (results) for the function {name}, found {lines[0]!r}")
    arguments, results = (
        [_result(argument.strip()) for argument in part.split(",") if part] for part in signature.groups()
    )
    declared = OpDef(
        name=name,
        input_arg=[
            OpDef.ArgDef(name=argument[1], type=DataType[f"DT_{argument[2].upper()}"])
            for argument in arguments
            if argument
        ],
        output_arg=[
            OpDef.ArgDef(name=result[1], type=DataType[f"DT_{result[2].upper()}"]) for result in results if result
        ],
    )
    returned = {result[1]: result[3] for result in results if result}
    return FunctionDef(signature=declared, node_def=list(map(node, lines[1:])), ret=returned)


def nodes(text: str) -> list[NodeDef]:
    """Return the nodes in a text, one per line; lines with more indentation than the first continue the line before."""
    return [node(line) for line in _lines(text)]


def _lines(text: str) -> list[str]:
    lines: list[str] = []
    indent = None
    for line in filter(str.strip, text.split("\n")):
        depth = len(line) - len(line.lstrip())
        indent = depth if indent is None else indent
        if depth > indent:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    return lines


def node(line: str) -> NodeDef:
    """Parse the line of a node."""
    return _Reader(line).node()


# --- reading ---------------------------------------------------------------------------------------------------------

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf|nan"
_number = re.compile(rf"(?:{_NUMBER})(?![\w.])").match
_word = re.compile(r"\w+").match
_name = re.compile(r"\^?[A-Za-z0-9._][\w./>-]*(?::[\w:]+)?", re.ASCII).match
_string = re.compile(r'"(?:[^"\\]|\\.)*"').match


class _Reader:
    """A line and the position of the parser in it."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.pos = 0

    def node(self) -> NodeDef:
        name = self.take(_name, "the name of a node")
        self.expect("=")
        result = NodeDef(name=name, op=self.take(_name, "an op"))
        if self.skip("("):
            result.input = self.until(")", lambda: self.take(_name, "an input"))
        if self.skip("["):
            result.attr = dict(self.until("]", self.attribute))
        if self.skip("@"):
            result.device = self.rest()
        elif self.rest():
            self.fail("the end of the line")
        return result

    def attribute(self) -> tuple[str, AttrValue]:
        name = self.take(_word, "the name of an attribute")
        self.expect("=")
        return name, self.value()

    def value(self) -> AttrValue:
        if self.skip("["):
            return _list_of(self.until("]", self.value))
        if self.skip("("):
            return AttrValue(shape=shape_to_proto(self.until(")", self.number)))
        if self.skip("?"):
            return AttrValue(shape=TensorShapeProto(unknown_rank=True))
        if self.skip("@"):
            return AttrValue(func=NameAttrList(name=self.take(_word, "a function")))
        if self.rest().startswith('"'):
            return AttrValue(s=self.string())
        if _number(self.line, self.pos):
            number = self.number()
            return AttrValue(i=number) if isinstance(number, int) else AttrValue(f=number)
        word = self.take(_word, "a value")
        if word in ("true", "false"):
            return AttrValue(b=word == "true")
        dtype = DataType.__members__.get(f"DT_{word.upper()}")
        if dtype is None:
            self.fail(f"a type and not {word}")
        return self.tensor(dtype) if self.skip("{") else AttrValue(type=dtype)

    def tensor(self, dtype: DataType) -> AttrValue:
        values = self.until("}", self.element)
        shape = self.until(")", self.number) if self.skip("(") else [len(values)]
        array = np.array(values, object if dtype == DataType.DT_STRING else None)
        array = np.broadcast_to(array.reshape(()), shape) if len(values) == 1 else array.reshape(shape)
        return AttrValue(tensor=from_ndarray(array, dtype))

    def element(self) -> Any:
        if self.rest().startswith('"'):
            return self.string()
        for word in ("true", "false"):
            if self.skip(word):
                return word == "true"
        return self.number()

    def number(self) -> Any:
        text = self.take(_number, "a number")
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)

    def string(self) -> bytes:
        return str(json.loads(self.take(_string, "a string"))).encode()

    def until(self, end: str, read: Any) -> list[Any]:
        """Return the items between commas up to `end`."""
        items: list[Any] = []
        while not self.skip(end):
            if items:
                self.expect(",")
            items.append(read())
        return items

    def rest(self) -> str:
        text = self.line[self.pos :].lstrip()
        self.pos = len(self.line) - len(text)
        return text

    def skip(self, text: str) -> bool:
        if not self.rest().startswith(text):
            return False
        self.pos += len(text)
        return True

    def expect(self, text: str) -> None:
        if not self.skip(text):
            self.fail(f'"{text}"')

    def take(self, match: Any, what: str) -> str:
        self.rest()
        token = match(self.line, self.pos)
        if token is None:
            self.fail(what)
        self.pos = token.end()
        return str(token[0])

    def fail(self, expected: str) -> NoReturn:
        raise ValueError(f"expected {expected} at character {self.pos + 1} of: {self.line}")


def _list_of(values: list[AttrValue]) -> AttrValue:
    kinds = {value.which_oneof("value") or "" for value in values}
    if len(kinds) > 1:
        raise ValueError(f"a list of {' and '.join(sorted(kinds))}")
    items = AttrValue.ListValue()
    for kind in kinds:
        setattr(items, kind, [getattr(value, kind) for value in values])
    return AttrValue(list=items)


# --- writing ---------------------------------------------------------------------------------------------------------


def spelled(node: NodeDef) -> str:
    """Return the line of a node, with sorted attributes: equal nodes have equal lines."""
    inputs = f"({', '.join(node.input)})" if node.input else ""
    attributes = ", ".join(f"{name}={_spelled(value)}" for name, value in sorted(node.attr.items()))
    attributes = f"[{attributes}]" if attributes else ""
    return f"{node.name} = {node.op}{inputs}{attributes}" + (f" @ {node.device}" if node.device else "")


def _spelled(value: AttrValue) -> str:
    kind = value.which_oneof("value")
    if kind == "list":
        listed = value.list.ListFields() if value.list is not None else []
        return f"[{', '.join(_one(field.name, element) for field, elements in listed for element in elements)}]"
    return _one(kind, getattr(value, kind)) if kind else "nothing"


def _one(kind: str, value: Any) -> str:
    match kind:
        case "s":
            return _quoted(value)
        case "b":
            return str(value).lower()
        case "f":
            return str(np.float32(value))
        case "type":
            return DataType(value).name[3:].lower()
        case "func":
            return f"@{value.name}"
        case "shape":
            return "?" if value.unknown_rank else f"({', '.join(str(dim.size) for dim in value.dim)})"
        case "tensor":
            array = to_ndarray(value)
            elements = ", ".join(map(_element, array.ravel()))
            shape = "" if array.ndim == 1 else f"({', '.join(map(str, array.shape))})"
            return f"{DataType(value.dtype).name[3:].lower()}{{{elements}}}{shape}"
        case _:
            return str(value)


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return _quoted(value)
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    return str(value)


def _quoted(value: bytes) -> str:
    return json.dumps(value.decode(errors="backslashreplace"), ensure_ascii=False)
