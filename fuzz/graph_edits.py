"""Edits that break graphs, a result that mutated bytes rarely have: most of them do not decode to a graph.

    apply_edits(graph, [7, 1234])          # two edits, chosen by numbers: equal numbers make equal graphs

An edit connects a node to another one, to itself or to a missing one, repeats or removes a node, changes its op or an
attribute, makes a number extreme, changes the content of a constant, or makes functions call each other in cycles.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.support.strategies_graphs import graphs
from tfmodel.kernels.runtime import KERNELS
from tfmodel.messages import AttrValue, DataType, FunctionDef, GraphDef, NameAttrList, NodeDef, TensorProto
from tfmodel.ops import OPS

from .golden_models import graph_files

__all__ = ["apply_edits", "damaged_graphs", "sound_graphs"]

MAX_EDITS = 5
EXTREMES = (
    -(2**63),
    -(2**31),
    -2,
    -1,
    0,
    1,
    2,
    3,
    7,
    16,
    63,
    64,
    255,
    256,
    65536,
    2**20,
    2**24,
    2**31 - 1,
    2**31,
    2**40,
    2**60,
    2**63 - 1,
)
FLOATS = (0.0, -0.0, 1.0, -1.5, 1e-45, 3e38, float("inf"), float("-inf"), float("nan"))
STRINGS = (b"", b"\0", b"SAME", b"VALID", b"NHWC", b"NCHW", b"loc:@x", b"\xff\xfe", b"a" * 300, b"->,->", b"...", b"%s")
NAMES = ("", "^", ":", "a:b:c", "x:-1", "x:99999999999", "^^x", "\0", "\x1b[31m", "x:0:0", "é", "x" * 300, "missing")

Edit = Callable[[random.Random, GraphDef], None]


def apply_edits(graph: GraphDef, edits: Iterable[int]) -> GraphDef:
    """Return a copy of a graph with these edits."""
    graph = GraphDef.from_bytes(graph.to_bytes())
    for seed in edits:
        chance = random.Random(seed)
        if _bodies(graph):
            chance.choice(EDITS)(chance, graph)
    return graph


@cache
def _golden() -> tuple[GraphDef, ...]:
    return tuple(map(GraphDef.from_bytes, graph_files()))


def sound_graphs() -> st.SearchStrategy[GraphDef]:
    """Return a strategy for valid graphs, generated and real ones."""
    return st.one_of(graphs(), st.sampled_from(_golden()))


def damaged_graphs(base: st.SearchStrategy[GraphDef] | None = None) -> st.SearchStrategy[GraphDef]:
    """Return a strategy for graphs with up to five edits."""
    numbers = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=MAX_EDITS)
    return st.builds(apply_edits, base if base is not None else sound_graphs(), numbers)


# --- parts of graphs -------------------------------------------------------------------------------------------------


def _bodies(graph: GraphDef) -> list[list[NodeDef]]:
    """Return the nodes of the graph and of each function, without empty lists."""
    functions = graph.library.function if graph.library is not None else []
    return [nodes for nodes in (graph.node, *(function.node_def for function in functions)) if nodes]


def _body(chance: random.Random, graph: GraphDef) -> list[NodeDef]:
    return chance.choice(_bodies(graph))


def _attribute(chance: random.Random, node: NodeDef) -> AttrValue | None:
    return node.attr[chance.choice(sorted(node.attr))] if node.attr else None


def _reference(chance: random.Random, nodes: Sequence[NodeDef]) -> str:
    """Return a string for an input: valid, unusual or invalid."""
    name = chance.choice(nodes).name
    kind = chance.randrange(8)
    if kind == 0:
        return f"^{name}"
    if kind == 1:
        return f"{name}:{chance.choice((0, 1, 2, 7, 2**31))}"
    if kind == 2:
        return f"{name}:output:0"
    return chance.choice(NAMES) if kind == 3 else name


def _functions(graph: GraphDef) -> list[FunctionDef]:
    return list(graph.library.function) if graph.library is not None else []


# --- wiring ----------------------------------------------------------------------------------------------------------


def _rewire(chance: random.Random, graph: GraphDef) -> None:
    nodes = _body(chance, graph)
    node = chance.choice([candidate for candidate in nodes if candidate.input] or nodes)
    if node.input:
        node.input[chance.randrange(len(node.input))] = _reference(chance, nodes)
    else:
        node.input.append(_reference(chance, nodes))


def _more_inputs(chance: random.Random, graph: GraphDef) -> None:
    nodes = _body(chance, graph)
    node = chance.choice(nodes)
    node.input.insert(chance.randint(0, len(node.input)), _reference(chance, nodes))


def _fewer_inputs(chance: random.Random, graph: GraphDef) -> None:
    nodes = [node for node in _body(chance, graph) if node.input]
    if nodes:
        inputs = chance.choice(nodes).input
        inputs.pop(chance.randrange(len(inputs)))


def _to_itself(chance: random.Random, graph: GraphDef) -> None:
    node = chance.choice(_body(chance, graph))
    node.input = [chance.choice((node.name, f"^{node.name}", f"{node.name}:1")), *node.input[1:]]


def _removed(chance: random.Random, graph: GraphDef) -> None:
    nodes = _body(chance, graph)
    del nodes[chance.randrange(len(nodes))]


def _repeated(chance: random.Random, graph: GraphDef) -> None:
    nodes = _body(chance, graph)
    node = NodeDef.from_bytes(chance.choice(nodes).to_bytes())
    if chance.randrange(2):
        node.name += "_2"
    nodes.insert(chance.randint(0, len(nodes)), node)


def _renamed(chance: random.Random, graph: GraphDef) -> None:
    nodes = _body(chance, graph)
    chance.choice(nodes).name = chance.choice((*NAMES, chance.choice(nodes).name))


# --- ops and attributes ----------------------------------------------------------------------------------------------


@cache
def _ops() -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(KERNELS), tuple(OPS)


def _other_op(chance: random.Random, graph: GraphDef) -> None:
    nodes = _body(chance, graph)
    kind = chance.randrange(4)
    op = chance.choice(nodes).op if kind == 0 else chance.choice(_ops()[kind == 1])
    chance.choice(nodes).op = "NoSuchOp" if not chance.randrange(12) else op


def _attribute_of_another(chance: random.Random, graph: GraphDef) -> None:
    nodes = _body(chance, graph)
    value = _attribute(chance, chance.choice(nodes))
    node = chance.choice(nodes)
    if value is not None and node.attr:
        node.attr[chance.choice(sorted(node.attr))] = value


def _attribute_missing(chance: random.Random, graph: GraphDef) -> None:
    node = chance.choice(_body(chance, graph))
    if node.attr:
        del node.attr[chance.choice(sorted(node.attr))]


def _attribute_extreme(chance: random.Random, graph: GraphDef) -> None:
    value: Any = _attribute(chance, chance.choice(_body(chance, graph)))
    match value and value.which_oneof("value"):
        case "i":
            value.i = chance.choice(EXTREMES)
        case "f":
            value.f = chance.choice(FLOATS)
        case "s":
            value.s = chance.choice(STRINGS)
        case "b":
            value.b = not value.b
        case "type":
            value.type = DataType(chance.randrange(1, 24))
        case "shape":
            _shape(chance, value.shape)
        case "tensor":
            _tensor(chance, value.tensor)
        case "func":
            _function(chance, graph, value.func)
        case "list":
            _list(chance, value.list)


def _list(chance: random.Random, values: Any) -> None:
    for field, items in values.ListFields():
        at = chance.randrange(len(items))
        match chance.randrange(3):
            case 0:
                del items[at]
            case 1:
                items.append(items[at])
            case _ if field.name == "i":
                items[at] = chance.choice(EXTREMES)
            case _ if field.name == "type":
                items[at] = DataType(chance.randrange(1, 24))
            case _ if field.name == "s":
                items[at] = chance.choice(STRINGS)
            case _ if field.name == "shape":
                _shape(chance, items[at])


def _shape(chance: random.Random, shape: Any) -> None:
    if shape.dim and chance.randrange(3):
        shape.dim[chance.randrange(len(shape.dim))].size = chance.choice(EXTREMES)
    elif shape.dim and chance.randrange(2):
        shape.dim.pop()
    elif chance.randrange(6):
        shape.dim = [*shape.dim, type(shape).Dim(size=chance.choice(EXTREMES))]
    else:
        shape.unknown_rank = not shape.unknown_rank


def _tensor(chance: random.Random, tensor: TensorProto) -> None:
    match chance.randrange(4):
        case 0:
            if tensor.tensor_shape is not None:
                _shape(chance, tensor.tensor_shape)
        case 1:
            tensor.dtype = DataType(chance.randrange(1, 24))
        case _ if tensor.tensor_content:
            tensor.tensor_content = _content(chance, tensor.tensor_content, tensor.dtype)
        case _:
            for values in (tensor.int_val, tensor.int64_val):
                if values:
                    values[chance.randrange(len(values))] = chance.choice(EXTREMES) % 2**31


def _content(chance: random.Random, content: bytes, dtype: int) -> bytes:
    """Return tensor content with one changed element, or truncated."""
    form = {DataType.DT_INT32: "i", DataType.DT_INT64: "q", DataType.DT_FLOAT: "f"}.get(DataType(dtype), "")
    if not form or not chance.randrange(6):
        return content[: chance.randrange(len(content))]
    size = struct.calcsize(form)
    at = chance.randrange(max(1, len(content) // size)) * size
    number = chance.choice(FLOATS if form == "f" else EXTREMES)
    if form == "i":
        number = max(-(2**31), min(int(number), 2**31 - 1))
    return content[:at] + struct.pack(f"<{form}", number) + content[at + size :]


def _constant(chance: random.Random, graph: GraphDef) -> None:
    """Change a constant, which may be a shape, an axis, a size or a loop limit of other nodes."""
    values = [node.attr.get("value") for nodes in _bodies(graph) for node in nodes if node.op == "Const"]
    tensors = [value.tensor for value in values if value is not None and value.tensor is not None]
    steering = [tensor for tensor in tensors if tensor.dtype in (DataType.DT_INT32, DataType.DT_INT64)]
    if tensors:
        _tensor(chance, chance.choice(steering if steering and chance.randrange(4) else tensors))


# --- functions -------------------------------------------------------------------------------------------------------


def _function(chance: random.Random, graph: GraphDef, called: NameAttrList) -> None:
    functions = _functions(graph)
    names = [function.signature.name for function in functions if function.signature is not None]
    called.name = chance.choice([*names, "missing", ""])


def _circle(chance: random.Random, graph: GraphDef) -> None:
    """Make a function call itself or another one: with its name as an op, or through an attribute."""
    functions = [function for function in _functions(graph) if function.node_def and function.signature is not None]
    if functions:
        function = chance.choice(functions)
        node = chance.choice(function.node_def)
        signature = chance.choice(functions).signature
        assert signature is not None
        for value in node.attr.values():
            if value.func is not None:
                value.func.name = signature.name
        if chance.randrange(2):
            node.op = signature.name


def _signature(chance: random.Random, graph: GraphDef) -> None:
    functions = _functions(graph)
    if functions:
        function = chance.choice(functions)
        arguments = function.signature.input_arg if function.signature is not None else []
        match chance.randrange(4):
            case 0 if arguments:
                arguments.pop()
            case 1 if function.ret:
                function.ret[chance.choice(sorted(function.ret))] = chance.choice(NAMES)
            case 2 if function.ret:
                del function.ret[chance.choice(sorted(function.ret))]
            case _:
                function.signature = None


def _versions(chance: random.Random, graph: GraphDef) -> None:
    if graph.versions is not None:
        graph.versions.producer = chance.choice((0, 1, 20, 21, 26, 500, 2**31 - 1, -1))


EDITS: tuple[Edit, ...] = (
    _rewire,
    _rewire,
    _more_inputs,
    _fewer_inputs,
    _to_itself,
    _removed,
    _repeated,
    _renamed,
    _other_op,
    _other_op,
    _attribute_of_another,
    _attribute_missing,
    _attribute_extreme,
    _attribute_extreme,
    _attribute_extreme,
    _constant,
    _constant,
    _constant,
    _circle,
    _signature,
    _versions,
)
