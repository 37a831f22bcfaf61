"""Hypothesis strategies for graphs that TensorFlow accepts and runs: for the index, for checks, for every transform.

    @given(models())
    def test_the_remaining_graph_is_valid(model):
        graph = strip_unused_nodes(model.graph, inputs=model.inputs, outputs=model.outputs)
        assert not check_graph(graph)

Tensors are floats of shape [2], so that each can be an input of every op; loops and conditionals get their own
predicates. Graphs have chains and joins, ops with two outputs, references with and without ports, control inputs,
nested loops and conditionals of TensorFlow 1, calls of functions, devices, and colocation. Nodes are in any order.
Every op is one of TensorFlow's, with its required attributes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    TensorProto,
    TensorShapeProto,
    VersionDef,
)

__all__ = ["Model", "graphs", "models"]

Draw = Callable[[st.SearchStrategy[Any]], Any]

FLOAT, INT, BOOL = DataType.DT_FLOAT, DataType.DT_INT32, DataType.DT_BOOL
MAX_STEPS = 6
UNARY = ["Identity", "Neg", "Relu", "Square", "Tanh"]
BINARY = ["Add", "AddV2", "Mul", "Maximum", "Sub"]


@dataclass(frozen=True)
class Model:
    """A graph, its Placeholders, and some of its tensors. `feeds` has values for a run."""

    graph: GraphDef
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    feeds: dict[str, Any]


def graphs(*, control_flow: bool = True, functions: bool = True) -> st.SearchStrategy[GraphDef]:
    return models(control_flow=control_flow, functions=functions).map(lambda model: model.graph)


@st.composite
def models(draw: Draw, *, control_flow: bool = True, functions: bool = True) -> Model:
    """Draw a valid graph with its inputs, outputs and feeds."""
    builder = _Made(draw, control_flow, functions)
    builder.node("x", "Placeholder", dtype=FLOAT, shape=[2])
    builder.node("p", "Placeholder", dtype=BOOL, shape=[])
    builder.constant("c", [1.5, -2.0], FLOAT)
    tensors = builder.steps(["x", "c"], "", draw(st.integers(1, MAX_STEPS)), depth=2)
    outputs = draw(st.lists(st.sampled_from(tensors[2:] or tensors), min_size=1, max_size=3, unique=True))
    library = FunctionDefLibrary(function=list(builder.library.values())) if builder.library else None
    nodes = draw(st.permutations(builder.nodes))
    graph = GraphDef(node=nodes, versions=VersionDef(producer=1482), library=library)
    return Model(graph, ("x", "p"), tuple(outputs), {"x": [0.5, -1.0], "p": draw(st.booleans())})


def value_of(value: Any) -> AttrValue:
    """Return the attribute for a Python value: a list of numbers is a shape."""
    match value:
        case AttrValue():
            return value
        case DataType():
            return AttrValue(type=value)
        case bool():
            return AttrValue(b=value)
        case int():
            return AttrValue(i=value)
        case str():
            return AttrValue(s=value.encode())
        case bytes():
            return AttrValue(s=value)
        case TensorProto():
            return AttrValue(tensor=value)
        case NameAttrList():
            return AttrValue(func=value)
        case [DataType(), *_]:
            return AttrValue(list=AttrValue.ListValue(type=value))
        case [str(), *_]:
            return AttrValue(list=AttrValue.ListValue(s=[text.encode() for text in value]))
        case list():
            return AttrValue(shape=_shape(value))
    raise TypeError(f"{value!r} is not the value of an attribute")


def _shape(sizes: list[int]) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


@dataclass
class _Made:
    """The nodes so far. `guard` has the control inputs that nodes without inputs need in the current scope."""

    draw: Draw
    control_flow: bool
    functions: bool
    nodes: list[NodeDef] = field(default_factory=list)
    library: dict[str, FunctionDef] = field(default_factory=dict)
    guard: list[str] = field(default_factory=list)

    def node(self, name: str, op: str, *inputs: str, **attrs: Any) -> str:
        attr = {key: value_of(value) for key, value in attrs.items()}
        self.nodes.append(NodeDef(name=name, op=op, input=[*inputs], attr=attr))
        return name

    def constant(self, name: str, values: list[Any], dtype: DataType, sizes: list[int] | None = None) -> str:
        content = struct.pack(f"<{len(values)}{'f' if dtype is FLOAT else 'i'}", *values)
        sizes = [len(values)] if sizes is None else sizes
        value = TensorProto(dtype=dtype, tensor_shape=_shape(sizes), tensor_content=content)
        return self.node(name, "Const", *self.guard, dtype=dtype, value=value)

    def spelled(self, tensor: str) -> str:
        """Draw a tensor as an input string: output 0 has two spellings."""
        return f"{tensor}:0" if ":" not in tensor and self.draw(st.booleans()) else tensor

    def steps(self, tensors: list[str], scope: str, count: int, *, depth: int) -> list[str]:
        """Return the tensors, and those that `count` further steps compute from them."""
        tensors = list(tensors)
        first = len(self.nodes)
        kinds = [self._one, self._one, self._two, self._many, self._pair, self._constant]
        if self.functions:
            kinds.append(self._call)
        if self.control_flow and depth:
            kinds += [self._loop, self._conditional]
        for number in range(count):
            step = self.draw(st.sampled_from(kinds))
            own = range(first, len(self.nodes))
            tensors += step(tensors, f"{scope}{step.__name__[1:]}{number}", depth)
            if self.draw(st.integers(0, 3)) == 0:
                self._decorate(self.nodes[-1], [self.nodes[place] for place in own if place < len(self.nodes) - 1])
        return tensors

    def _decorate(self, node: NodeDef, before: list[NodeDef]) -> None:
        """Add a device or a colocation to some nodes."""
        node.device = self.draw(st.sampled_from(["", "/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0"]))
        if before and self.draw(st.booleans()):
            node.attr["_class"] = value_of([f"loc:@{self.draw(st.sampled_from(before)).name}"])

    def _pick(self, tensors: list[str]) -> str:
        return self.spelled(self.draw(st.sampled_from(tensors)))

    def _controls(self, tensors: list[str]) -> list[str]:
        """Draw control inputs, usually none."""
        if self.draw(st.integers(0, 2)):
            return []
        return [f"^{self.draw(st.sampled_from(tensors)).partition(':')[0]}"]

    # --- steps ---------------------------------------------------------------------------------------------------

    def _one(self, tensors: list[str], name: str, depth: int) -> list[str]:
        op = self.draw(st.sampled_from(UNARY))
        return [self.node(name, op, self._pick(tensors), *self._controls(tensors), T=FLOAT)]

    def _two(self, tensors: list[str], name: str, depth: int) -> list[str]:
        inputs = self._pick(tensors), self._pick(tensors), *self._controls(tensors)
        return [self.node(name, self.draw(st.sampled_from(BINARY)), *inputs, T=FLOAT)]

    def _many(self, tensors: list[str], name: str, depth: int) -> list[str]:
        inputs = [self._pick(tensors) for _ in range(self.draw(st.integers(1, 4)))]
        return [self.node(name, "AddN", *inputs, *self._controls(tensors), T=FLOAT, N=len(inputs))]

    def _pair(self, tensors: list[str], name: str, depth: int) -> list[str]:
        self.node(name, "IdentityN", self._pick(tensors), self._pick(tensors), T=[FLOAT, FLOAT])
        return [name, f"{name}:1"]

    def _constant(self, tensors: list[str], name: str, depth: int) -> list[str]:
        return [self.constant(name, [self.draw(st.sampled_from([0.0, 1.0, -3.5])), 2.0], FLOAT)]

    def _call(self, tensors: list[str], name: str, depth: int) -> list[str]:
        """Add a call of a function that returns the sum of its arguments, and one of them."""
        function = self.draw(st.sampled_from(["sum", "nested"]))
        self._define(function)
        stateful = self.draw(st.sampled_from(["", "Stateful"]))
        inputs = self._pick(tensors), self._pick(tensors)
        pair = [FLOAT, FLOAT]
        self.node(name, f"{stateful}PartitionedCall", *inputs, Tin=pair, Tout=pair, f=NameAttrList(name=function))
        return [name, f"{name}:1"]

    def _define(self, name: str) -> None:
        """Add a function and its callee to the library."""
        if name in self.library:
            return
        arguments = [OpDef.ArgDef(name=argument, type=FLOAT) for argument in ("a", "b")]
        results = [OpDef.ArgDef(name=result, type=FLOAT) for result in ("r", "s")]
        body = _Made(self.draw, False, False)
        if name == "nested":
            self._define("sum")
            pair = [FLOAT, FLOAT]
            body.node("call", "PartitionedCall", "a", "b", Tin=pair, Tout=pair, f=NameAttrList(name="sum"))
            ret = {"r": "call:output:0", "s": "call:output:1"}
        else:
            body.node("wait", "NoOp", "^a")
            body.node("both", "IdentityN", "a", "b", "^wait", T=[FLOAT, FLOAT])
            body.node("add", "AddV2", "both:output:0", "both:output:1", T=FLOAT)
            ret = {"r": "add:z:0", "s": "a"}
        signature = OpDef(name=name, input_arg=arguments, output_arg=results)
        self.library[name] = FunctionDef(signature=signature, node_def=body.nodes, ret=ret)

    def _loop(self, tensors: list[str], name: str, depth: int) -> list[str]:
        """Add a loop of two iterations, with a counter, a variable tensor and an invariant one."""
        enter = {"frame_name": f"{name}/frame", "is_constant": False, "parallel_iterations": 10}
        zero = self.constant(f"{name}/zero", [0], INT, [])
        changing, staying = self._pick(tensors), self._pick(tensors)
        self.node(f"{name}/Enter", "Enter", zero, T=INT, **enter)
        self.node(f"{name}/Enter_1", "Enter", changing, T=FLOAT, **enter)
        self.node(f"{name}/Enter_2", "Enter", staying, T=FLOAT, **enter | {"is_constant": True})
        for number, dtype in (("", INT), ("_1", FLOAT)):
            self.node(
                f"{name}/Merge{number}", "Merge", f"{name}/Enter{number}", f"{name}/NextIteration{number}", T=dtype, N=2
            )
        outer, self.guard = self.guard, [f"^{name}/Merge"]
        limit = self.constant(f"{name}/limit", [2], INT, [])
        self.node(f"{name}/Less", "Less", f"{name}/Merge", limit, T=INT)
        self.node(f"{name}/LoopCond", "LoopCond", f"{name}/Less")
        for number, dtype in (("", INT), ("_1", FLOAT)):
            self.node(f"{name}/Switch{number}", "Switch", f"{name}/Merge{number}", f"{name}/LoopCond", T=dtype)
            self.node(f"{name}/Identity{number}", "Identity", f"{name}/Switch{number}:1", T=dtype)
        self.guard = [f"^{name}/Identity"]
        # Loop invariants are available in one more iteration: the body has a control input on its own.
        constant = self.node(f"{name}/same", "Identity", f"{name}/Enter_2", *self.guard, T=FLOAT)
        one = self.constant(f"{name}/one", [1], INT, [])
        self.node(f"{name}/count", "Add", f"{name}/Identity", one, T=INT)
        count = self.draw(st.integers(0, 3))
        inside = self.steps([f"{name}/Identity_1", constant], f"{name}/", count, depth=depth - 1)
        self.node(f"{name}/NextIteration", "NextIteration", f"{name}/count", T=INT)
        self.node(f"{name}/NextIteration_1", "NextIteration", self._pick(inside), T=FLOAT)
        self.guard = outer
        return [self.node(f"{name}/Exit", "Exit", f"{name}/Switch_1", T=FLOAT)]

    def _conditional(self, tensors: list[str], name: str, depth: int) -> list[str]:
        """Add a conditional on `p`, or in a loop, on a comparison."""
        outer = self.guard
        first = self._pick(tensors)
        pred = "p"
        if outer:
            zero = self.constant(f"{name}/zero", [0], INT, [])
            total = self.node(f"{name}/sum", "Sum", first, zero, T=FLOAT, Tidx=INT, keep_dims=False)
            half = self.constant(f"{name}/half", [0.5], FLOAT, [])
            pred = self.node(f"{name}/Less", "Less", total, half, T=FLOAT)
        self.node(f"{name}/pred_id", "Identity", pred, T=BOOL)
        self.node(f"{name}/Switch", "Switch", pred, pred, T=BOOL)
        data = self.node(f"{name}/data", "Switch", first, f"{name}/pred_id", T=FLOAT)
        sides = []
        for port, side in ((0, "f"), (1, "t")):
            pivot = self.node(f"{name}/switch_{side}", "Identity", f"{name}/Switch:{port}", T=BOOL)
            self.guard = [f"^{pivot}"]
            start = [f"{data}:1"] if port else [data]
            inside = self.steps(start, f"{name}/{side}/", self.draw(st.integers(0, 2)), depth=depth - 1)
            sides.append(self._pick(inside))
        self.guard = outer
        return [self.node(f"{name}/Merge", "Merge", *sides, T=FLOAT, N=2)]
