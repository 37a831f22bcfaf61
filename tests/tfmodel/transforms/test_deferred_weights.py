"""New weights of a lazily read graph are computed when they are written, without a visible difference but memory."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pbwire.lazy.messages import PIECE_BYTES, Deferred
from tests.hostile.measure import peak
from tfmodel import diff, from_ndarray, load, optimize, run, save, summarize, to_ndarray
from tfmodel import weights as list_weights
from tfmodel.analysis.shapes.inference import infer_shapes
from tfmodel.graph import attr
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpDef,
    SavedModel,
    TensorProto,
)
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.quantization.weights import BLOCK_SIZE

ROOT = Path(__file__).parents[3]
STEPS = ["round_weights", "quantize_weights", "round_weights quantize_weights", "round_weights round_weights"]

# Elements: about as many as are computed, or written, at once.
SIZES = [
    *(BLOCK_SIZE // 2, BLOCK_SIZE - 1, BLOCK_SIZE, BLOCK_SIZE + 1),
    *(PIECE_BYTES // 4 - 1, PIECE_BYTES // 4 + 3, PIECE_BYTES + 5),
]


def weights(size: int) -> np.ndarray:
    return np.random.default_rng(size).standard_normal(size, np.float32)


def const(name: str, values: np.ndarray) -> NodeDef:
    value = AttrValue(tensor=from_ndarray(values))
    return NodeDef(name=name, op="Const", attr={"dtype": AttrValue(type=DataType.DT_FLOAT), "value": value})


def graph_of(*sizes: int) -> GraphDef:
    return GraphDef(node=[const(f"w{number}", weights(size)) for number, size in enumerate(sizes)])


GRAPH = graph_of(*SIZES)
WIRE = GRAPH.to_bytes()


def after(graph: GraphDef, steps: str) -> GraphDef:
    return transform(graph, "", "", steps)


def lazy() -> GraphDef:
    return GraphDef.from_bytes(WIRE, lazy=True)


def value(graph: GraphDef, number: int) -> TensorProto:
    return attr(graph.node[number], "value", TensorProto)


def is_deferred(tensor: TensorProto) -> bool:
    span: Any = tensor._unknown
    return isinstance(span, tuple) and isinstance(span[0], Deferred)


def deferred(graph: GraphDef) -> int:
    """Return the number of constants that are not computed yet."""
    return sum(is_deferred(attr(node, "value", TensorProto)) for node in graph.node if node.op == "Const")


# --- what is written is what is written at once ----------------------------------------------------------------------


@pytest.mark.parametrize("steps", STEPS)
def test_lazy_and_eager_graphs_give_the_same_file(steps: str, tmp_path: Path) -> None:
    expected = after(GRAPH, steps)
    assert deferred(expected) == 0
    result = after(lazy(), steps)
    save(result, tmp_path / "saved.pb")
    assert (tmp_path / "saved.pb").read_bytes() == expected.to_bytes()
    assert b"".join(result.to_buffers()) == expected.to_bytes()
    assert result.ByteSize() == expected.ByteSize()
    assert result == expected


@pytest.mark.parametrize("suffix", [".pb", ".pbtxt", ".json"])
def test_lazy_and_eager_graphs_are_equal_in_every_format(suffix: str, tmp_path: Path) -> None:
    small = GraphDef.from_bytes(graph_of(BLOCK_SIZE).to_bytes(), lazy=True)
    save(after(small, "round_weights"), tmp_path / f"graph{suffix}")
    assert load(tmp_path / f"graph{suffix}", GraphDef) == after(graph_of(BLOCK_SIZE), "round_weights")


@pytest.mark.parametrize(
    "steps", ["merge_duplicate_nodes", "strip_unused_nodes", "sort_by_execution_order", "fold_constants"]
)
def test_later_steps_read_deferred_weights(steps: str) -> None:
    graph = GraphDef(node=[const(name, weights(BLOCK_SIZE)) for name in "ab"])
    graph.node.append(NodeDef(name="y", op="Add", input=["a", "b"], attr={"T": AttrValue(type=DataType.DT_FLOAT)}))
    lists = f"round_weights {steps}"
    result = transform(GraphDef.from_bytes(graph.to_bytes(), lazy=True), "", "y", lists)
    assert result.to_bytes() == transform(graph, "", "y", lists).to_bytes()


READERS: dict[str, Callable[[GraphDef], object]] = {
    "summarize": summarize,
    "weights": list_weights,
    "shapes": lambda graph: infer_shapes(graph)["w0"],
    "diff": lambda graph: diff(graph, after(GRAPH, "round_weights")).to_text(),
    "diff the other way round": lambda graph: diff(after(GRAPH, "round_weights"), graph).to_text(),
    "run": lambda graph: {name: array.tobytes() for name, array in run(graph, {}, ["w0"]).items()},
    "optimize": lambda graph: optimize(graph, outputs="w0").graph,
}


@pytest.mark.parametrize("name", READERS)
def test_all_readers_of_a_graph_see_deferred_weights(name: str) -> None:
    assert READERS[name](after(lazy(), "round_weights")) == READERS[name](after(GRAPH, "round_weights"))


@pytest.mark.parametrize("name", ["summarize", "weights", "shapes", "diff", "run"])
def test_computed_weights_are_not_kept_in_the_message(name: str) -> None:
    result = after(lazy(), "round_weights")
    READERS[name](result)
    assert deferred(result) == len(SIZES)


def test_a_graph_with_deferred_weights_is_verified() -> None:
    graph = GraphDef(node=[const("w", np.repeat(np.arange(16, dtype=np.float32), BLOCK_SIZE // 8))])
    graph.node.append(NodeDef(name="y", op="Neg", input=["w"], attr={"T": AttrValue(type=DataType.DT_FLOAT)}))
    result = transform(
        GraphDef.from_bytes(graph.to_bytes(), lazy=True), "", "y", "quantize_weights round_weights", verify=True
    )
    assert result.to_bytes() == transform(graph, "", "y", "quantize_weights round_weights").to_bytes()


def test_constants_in_functions_and_models() -> None:
    body = FunctionDef(signature=OpDef(name="f"), node_def=GRAPH.node[:4])
    graph = GraphDef(node=GRAPH.node[:3], library=FunctionDefLibrary(function=[body]))
    wire = SavedModel(meta_graphs=[MetaGraphDef(graph_def=graph)]).to_bytes()
    for steps in STEPS:
        result = SavedModel.from_bytes(wire, lazy=True)
        result.meta_graphs[0].graph_def = after(load(wire, GraphDef, lazy=True), steps)
        assert load(result.to_bytes(), GraphDef) == after(graph, steps)


def test_threads_that_write_the_same_graph_write_the_same() -> None:
    for steps in STEPS[:2]:
        result, expected, results = after(lazy(), steps), after(GRAPH, steps).to_bytes(), list[bytes]()
        threads = [threading.Thread(target=lambda: results.append(result.to_bytes())) for _ in range(4)]  # noqa: B023  joined below
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [expected] * 4


# --- which are deferred ----------------------------------------------------------------------------------------------


def test_large_weights_of_a_lazy_graph_are_deferred() -> None:
    assert deferred(after(lazy(), "round_weights")) == len(SIZES)
    assert deferred(after(lazy(), "quantize_weights")) == sum(size >= 1 << 16 for size in SIZES)


def test_a_second_transform_computes_deferred_weights_at_once() -> None:
    """Otherwise a long list of steps would compute the first of them again and again."""
    assert deferred(after(lazy(), "round_weights round_weights")) == 0


def test_small_weights_are_not_deferred() -> None:
    graph = GraphDef.from_bytes(graph_of(5000).to_bytes(), lazy=True)
    assert deferred(after(graph, "round_weights")) == 0


def owned(graph: GraphDef) -> np.ndarray:
    array = weights(PIECE_BYTES)
    value(graph, 0).tensor_content = memoryview(array).cast("B")
    return array


def in_bytearray(graph: GraphDef) -> np.ndarray:
    memory = bytearray(weights(PIECE_BYTES).tobytes())
    value(graph, 0).tensor_content = memory
    return np.frombuffer(memory, np.float32)


@pytest.mark.slow(reason="measures the memory that large inputs take")
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("memory", [owned, in_bytearray])
@pytest.mark.parametrize("is_lazy", [True, False])
def test_memory_that_a_user_may_change_is_read_at_once(
    is_lazy: bool, memory: Callable[[GraphDef], np.ndarray], steps: str
) -> None:
    graph = GraphDef.from_bytes(graph_of(PIECE_BYTES).to_bytes(), lazy=is_lazy)
    array = memory(graph)
    result = after(graph, steps)
    array[:] = 7
    assert result == after(graph_of(PIECE_BYTES), steps)


CHANGES: dict[str, Callable[[GraphDef], object]] = {
    "other weights": lambda graph: [setattr(value(graph, index), "tensor_content", b"") for index in range(len(SIZES))],
    "cleared": lambda graph: graph.Clear(),
    "read": lambda graph: graph == GRAPH,
    "other shapes": lambda graph: [value(graph, at).ClearField("tensor_shape") for at in range(len(SIZES))],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("steps", STEPS)
def test_later_changes_of_the_graph_do_not_change_deferred_weights(change: str, steps: str) -> None:
    graph = lazy()
    result = after(graph, steps)
    CHANGES[change](graph)
    del graph
    assert result == after(GRAPH, steps)


def test_arrays_are_computed_and_the_message_stays_as_it_is() -> None:
    result = after(lazy(), "round_weights")
    expected = after(GRAPH, "round_weights")
    for number in range(len(SIZES)):
        array = to_ndarray(value(result, number))
        assert (array == to_ndarray(value(expected, number))).all()
        assert not array.flags.writeable
    assert deferred(result) == len(SIZES)


# --- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow(reason="measures the memory that large inputs take")
@pytest.mark.parametrize("steps", STEPS[:2])
@pytest.mark.parametrize("sizes", [[1 << 20] * 6, [6 << 20]], ids=["many", "one"])
def test_writing_takes_little_memory(steps: str, sizes: list[int], tmp_path: Path) -> None:
    save(graph_of(*sizes), tmp_path / "graph.pb")
    result = after(load(tmp_path / "graph.pb", GraphDef, lazy=True), steps)
    assert peak(lambda: save(result, tmp_path / "changed.pb")) < 4 * PIECE_BYTES


PROGRAM = """
import sys
from tests.benchmarks.transforms import most_memory
from tfmodel import load, save
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.pipeline import transform

def change(name):
    save(transform(load(name, GraphDef, lazy=True), "", "", sys.argv[3]), name + ".changed")

change(sys.argv[1])
before = most_memory()
change(sys.argv[2])
print(most_memory() - before)
"""


@pytest.mark.slow(reason="measures the memory that large inputs take")
@pytest.mark.parametrize("steps", STEPS[:2])
def test_from_file_to_file_the_weights_are_in_memory_once(steps: str, tmp_path: Path) -> None:
    save(graph_of(20_000), tmp_path / "small.pb")
    save(graph_of(*[1 << 20] * 3, 5 << 20), tmp_path / "large.pb")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path / "small.pb", tmp_path / "large.pb", steps],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert int(done.stdout) < 1.2 * (tmp_path / "large.pb").stat().st_size
