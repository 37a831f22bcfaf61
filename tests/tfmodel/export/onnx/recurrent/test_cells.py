"""Loops of recurrent cells, in the ways in which frameworks write them, become operators that give the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.tfmodel.export.onnx.sweep import session
from tfmodel.export.onnx.conversion.model import Initializers, OnnxGraph, Value
from tfmodel.export.onnx.passes.common import merge_common
from tfmodel.export.onnx.passes.fuse import fuse
from tfmodel.export.onnx.passes.uses import remove_unused
from tfmodel.export.onnx.recurrent import take_cells
from tfmodel.export.onnx.writer import model_proto
from tfmodel.messages import DataType

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

FLOAT, INT32, INT64, BOOL = DataType.DT_FLOAT, DataType.DT_INT32, DataType.DT_INT64, DataType.DT_BOOL
WIDTH, HIDDEN = 3, 4


class Round:
    """The body of a loop while it is written."""

    def __init__(self) -> None:
        self.graph = OnnxGraph()
        self.initializers = Initializers()
        self.random = np.random.default_rng(0)

    def __call__(self, op: str, *inputs: Value, dtype: DataType = FLOAT, **attributes: Any) -> Value:
        (value,) = self.graph.add(op, inputs, types=[dtype], attributes=attributes, scope="cell")
        return value

    def const(self, array: Any, dtype: DataType = FLOAT) -> Value:
        kind = {FLOAT: np.float32, INT64: np.int64}[dtype]
        return self.initializers.value(np.asarray(array, kind), dtype)

    def weights(self, *shape: int) -> Value:
        return self.const(self.random.normal(size=shape))

    def linear(self, x: Value, rows: int, columns: int, *, bias: bool = True) -> Value:
        product = self("MatMul", x, self.weights(rows, columns))
        return self("Add", product, self.weights(columns)) if bias else product

    def split(self, x: Value, count: int) -> list[Value]:
        sizes = self.const([HIDDEN] * count, INT64)
        return self.graph.add("Split", [x, sizes], types=[FLOAT] * count, attributes={"axis": 1}, scope="cell")

    def joined(self, x: Value, h: Value, gates: int) -> list[Value]:
        return self.split(self.linear(self("Concat", x, h, axis=1), WIDTH + HIDDEN, gates * HIDDEN), gates)


Cell = Callable[..., "list[Value]"]


def _lstm(r: Round, c: Value, i: Value, f: Value, g: Value, o: Value) -> list[Value]:
    kept, written = r("Mul", c, r("Sigmoid", f)), r("Mul", r("Sigmoid", i), r("Tanh", g))
    new = r("Add", kept, written)
    return [r("Mul", r("Tanh", new), r("Sigmoid", o)), new]


def basic_lstm(r: Round, x: Value, h: Value, c: Value) -> list[Value]:
    i, g, f, o = r.joined(x, h, 4)
    return _lstm(r, c, i, r("Add", f, r.const(1)), g, o)


def keras_lstm(r: Round, x: Value, h: Value, c: Value) -> list[Value]:
    recurrent = r.linear(h, HIDDEN, 4 * HIDDEN, bias=False)
    i, f, g, o = r.split(r("Add", r.linear(x, WIDTH, 4 * HIDDEN), recurrent), 4)
    return _lstm(r, c, i, f, g, o)


def peephole_lstm(r: Round, x: Value, h: Value, c: Value) -> list[Value]:
    i, g, f, o = r.joined(x, h, 4)
    i, f = (r("Add", gate, r("Mul", r.weights(HIDDEN), c)) for gate in (i, f))
    new = r("Add", r("Mul", r("Sigmoid", f), c), r("Mul", r("Sigmoid", i), r("Tanh", g)))
    o = r("Add", o, r("Mul", r.weights(HIDDEN), new))
    return [r("Mul", r("Sigmoid", o), r("Tanh", new)), new]


def gru(r: Round, x: Value, h: Value) -> list[Value]:
    joined = r.linear(r("Concat", x, h, axis=1), WIDTH + HIDDEN, 2 * HIDDEN)
    reset, update = r.split(r("Sigmoid", joined), 2)
    content = r.linear(r("Concat", x, r("Mul", reset, h), axis=1), WIDTH + HIDDEN, HIDDEN)
    rest = r("Mul", r("Sub", r.const(1), update), r("Tanh", content))
    return [r("Add", r("Mul", update, h), rest)]


def gru_reset_after(r: Round, x: Value, h: Value) -> list[Value]:
    inputs, recurrent = (r.split(r.linear(v, n, 3 * HIDDEN), 3) for v, n in ((x, WIDTH), (h, HIDDEN)))
    update, reset = (r("Sigmoid", r("Add", inputs[k], recurrent[k])) for k in (0, 1))
    content = r("Tanh", r("Add", inputs[2], r("Mul", reset, recurrent[2])))
    return [r("Add", r("Mul", update, h), r("Mul", r("Sub", r.const(1), update), content))]


def simple(r: Round, x: Value, h: Value) -> list[Value]:
    return [r("Tanh", r("Add", r.linear(x, WIDTH, HIDDEN), r.linear(h, HIDDEN, HIDDEN)))]


def simple_relu(r: Round, x: Value, h: Value) -> list[Value]:
    return [r("Relu", *r.joined(x, h, 1))]


CELLS: dict[str, tuple[Cell, int]] = {
    "LSTM basic": (basic_lstm, 2), "LSTM keras": (keras_lstm, 2), "LSTM peephole": (peephole_lstm, 2),
    "GRU before": (gru, 1), "GRU after": (gru_reset_after, 1), "RNN tanh": (simple, 1), "RNN relu": (simple_relu, 1),
}  # fmt: skip


def clipped(r: Round, x: Value, h: Value, c: Value) -> list[Value]:
    h, c = basic_lstm(r, x, h, c)
    return [h, r("Clip", c, r.const(-1), r.const(1))]


def projected(r: Round, x: Value, h: Value, c: Value) -> list[Value]:
    h, c = basic_lstm(r, x, h, c)
    return [r.linear(h, HIDDEN, HIDDEN), c]


def updated_otherwise(r: Round, x: Value, h: Value) -> list[Value]:
    update, content = r.joined(x, h, 2)
    update = r("Sigmoid", update)
    return [r("Add", r("Mul", update, r("Tanh", content)), r("Mul", r("Sub", r.const(1), update), h))]


def of_other_activation(r: Round, x: Value, h: Value, c: Value) -> list[Value]:
    i, g, f, o = r.joined(x, h, 4)
    new = r("Add", r("Mul", c, r("Sigmoid", f)), r("Mul", r("Sigmoid", i), r("Relu", g)))
    return [r("Mul", r("Tanh", new), r("Sigmoid", o)), new]


def of_two_inputs(r: Round, x: Value, h: Value) -> list[Value]:
    return [r("Tanh", r("Add", r.linear(r("Abs", x), WIDTH, HIDDEN), *r.joined(x, h, 1)))]


OTHERS: dict[str, tuple[Cell, int]] = {
    "a clipped state": (clipped, 2), "a projection": (projected, 2), "another sum": (updated_otherwise, 1),
    "another activation": (of_other_activation, 2), "two inputs": (of_two_inputs, 1),
}  # fmt: skip


def graph_of(cell: Cell, count: int, *, lengths: bool = False, zeros: bool = False, shows: int = 0) -> Round:
    """Return a Loop over the rows of x: all values of the state `shows`, and the last values of all states."""
    r = Round()
    outer, body = OnnxGraph(), r.graph
    x = Value(FLOAT, (None, None, WIDTH), "x")
    ends = Value(INT32, (None,), "n")
    outer.inputs = [x, *([ends] if lengths else [])]
    (sizes,) = outer.add("Shape", [x], types=[INT64])
    (rounds,) = outer.add("Gather", [sizes, r.const(0, INT64)], types=[INT64], attributes={"axis": 0})
    if zeros:
        (batch,) = outer.add("Gather", [sizes, r.const([1], INT64)], types=[INT64], attributes={"axis": 0})
        (shape,) = outer.add("Concat", [batch, r.const([HIDDEN], INT64)], types=[INT64], attributes={"axis": 0})
        (zero,) = outer.add("ConstantOfShape", [shape], types=[FLOAT], attributes={"value": np.zeros(1, np.float32)})
        initial = [zero] * count
    else:
        initial = [Value(FLOAT, (None, HIDDEN), f"state{number}") for number in range(count)]
        outer.inputs += initial
    number, going = Value(INT64, (), "number"), Value(BOOL, (), "going")
    states = [Value(FLOAT, (None, HIDDEN), f"inside{number}") for number in range(count)]
    body.inputs = [number, going, *states]
    row = r("Gather", x, number, axis=0)
    row.shape = (None, WIDTH)
    new = cell(r, row, *states)
    shown = new[shows]
    if lengths:
        test = r("GreaterOrEqual", r("Cast", number, dtype=INT32, to=6), ends, dtype=BOOL)
        ended = r("Unsqueeze", test, r.const([1], INT64), dtype=BOOL)
        shown = r("Where", ended, r.const(np.zeros(HIDDEN)), shown)
        new = [r("Where", ended, old, each) for old, each in zip(states, new, strict=True)]
    body.outputs = [going, *new, r("Identity", shown)]
    attributes = {"body": body}
    outer.outputs = outer.add(
        "Loop", [rounds, None, *initial], types=[FLOAT] * (count + 1), attributes=attributes, scope="loop"
    )
    for place, value in enumerate(outer.outputs):
        value.name, value.shape = f"y{place}", (None, HIDDEN) if place < count else (None, None, HIDDEN)
    r.graph = outer
    return r


def run(graph: OnnxGraph, feeds: dict[str, Any]) -> list[Any]:
    results: list[Any] = session(model_proto(graph, 17, {}).to_bytes()).run([y.name for y in graph.outputs], feeds)
    return results


def taken(r: Round) -> list[str]:
    """Take the cells out of a graph, and return its operators."""
    merge_common(r.graph)
    take_cells(r.graph, r.initializers)
    remove_unused(r.graph)
    fuse(r.graph, r.initializers)
    remove_unused(r.graph)
    return [node.op for node in r.graph.nodes]


def feeds_of(r: Round, rows: int) -> dict[str, Any]:
    sizes = {"x": (rows, 3, WIDTH), "n": (3,)}
    random = np.random.default_rng(1)
    return {
        value.name: np.int32([rows + 2, 0, rows - 1])
        if value.name == "n"
        else random.normal(size=sizes.get(value.name, (3, HIDDEN))).astype(np.float32)
        for value in r.graph.inputs
    }


@pytest.mark.parametrize("rows", [0, 1, 5])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("name", CELLS)
def test_cells_become_operators(name: str, lengths: bool, zeros: bool, rows: int) -> None:
    if name.startswith("GRU") and not rows and not lengths:
        pytest.skip("a GRU of no steps ends the process of onnxruntime")
    r = graph_of(*CELLS[name], lengths=lengths, zeros=zeros)
    feeds = feeds_of(r, rows)
    expected = run(r.graph, feeds)
    ops = taken(r)
    assert "Loop" not in ops and name.split()[0] in ops
    for actual, value in zip(run(r.graph, feeds), expected, strict=True):
        if not value.size:  # a Loop without rounds does not know the batch
            assert not actual.size
            continue
        np.testing.assert_allclose(actual, value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", OTHERS)
def test_other_computations_stay_in_their_loop(name: str) -> None:
    assert "Loop" in taken(graph_of(*OTHERS[name]))


def test_a_cell_whose_inner_state_is_needed_stays_in_its_loop() -> None:
    assert "Loop" in taken(graph_of(basic_lstm, 2, shows=1))
    assert "Loop" in taken(graph_of(basic_lstm, 2, shows=1, lengths=True))


def test_a_loop_of_two_cells_becomes_two_operators() -> None:
    def both(r: Round, x: Value, h: Value, c: Value, other: Value) -> list[Value]:
        h, c = keras_lstm(r, x, h, c)
        h.shape = (None, HIDDEN)
        joined = r.linear(r("Concat", h, other, axis=1), 2 * HIDDEN, HIDDEN)
        return [h, c, r("Tanh", joined)]

    r = graph_of(both, 3, shows=2)
    feeds = feeds_of(r, 4)
    expected = run(r.graph, feeds)
    ops = taken(r)
    assert ("LSTM" in ops, "RNN" in ops, "Loop" in ops) == (True, True, False)
    for actual, value in zip(run(r.graph, feeds), expected, strict=True):
        np.testing.assert_allclose(actual, value, rtol=1e-5, atol=1e-6)
