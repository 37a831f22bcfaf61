"""Random feeds that a graph can take: shapes that fit it, and indices within range."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.analysis.shapes import infer_shapes
from tfmodel.compare.verify.likely_feeds import likely_feeds
from tfmodel.graph import GraphIndex
from tfmodel.messages import VersionDef
from tfmodel.optimizer import optimize
from tfmodel.values.names import TensorName

GRAPHS = {
    "indices": """
        i = Placeholder[dtype=int32, shape=(-1, 4)]
        w = Const[dtype=float, value=float{1}(5, 3)]
        a = Const[dtype=int32, value=int32{0}()]
        y = GatherV2(w, i, a)[Tparams=float, Tindices=int32, Taxis=int32]
    """,
    "indices as floats": """
        i = Placeholder[dtype=float, shape=(-1, 4)]
        c = Cast(i)[SrcT=float, DstT=int32]
        w = Const[dtype=float, value=float{1}(5, 3)]
        a = Const[dtype=int32, value=int32{0}()]
        y = GatherV2(w, c, a)[Tparams=float, Tindices=int32, Taxis=int32]
    """,
    "numbers of unknown shape": """
        x = Placeholder[dtype=float, shape=(-1, 4)]
        s = Placeholder[dtype=int32]
        sh = Pack(s, s)[N=2, T=int32]
        y = Tile(x, sh)[T=float, Tmultiples=int32]
    """,
    "a size that a reshape divides": """
        x = Placeholder[dtype=float, shape=(-1, -1, 4)]
        w = Const[dtype=float, value=float{1}(8, 3)]
        sh = Const[dtype=int32, value=int32{-1, 8}]
        r = Reshape(x, sh)[T=float]
        y = MatMul(r, w)[T=float]
    """,
    "a picture for a dense layer": """
        x = Placeholder[dtype=float, shape=(-1, -1, -1, 3)]
        w = Const[dtype=float, value=float{1}(3, 3, 3, 4)]
        c = Conv2D(x, w)[T=float, strides=[1, 2, 2, 1], padding="VALID"]
        ww = Const[dtype=float, value=float{1}(3, 3, 4, 4)]
        c2 = Conv2D(c, ww)[T=float, strides=[1, 2, 2, 1], padding="VALID"]
        sh = Const[dtype=int32, value=int32{-1, 256}]
        r = Reshape(c2, sh)[T=float]
        wf = Const[dtype=float, value=float{1}(256, 3)]
        y = MatMul(r, wf)[T=float]
    """,
    "a picture of unknown shape": """
        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{1}(3, 3, 3, 4)]
        y = Conv2D(x, w)[T=float, strides=[1, 2, 2, 1], padding="VALID"]
    """,
    "a matrix of unknown shape": """
        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{1}(6, 4)]
        y = MatMul(x, w)[T=float]
    """,
    "lengths of sequences": """
        x = Placeholder[dtype=float, shape=(-1, -1, 4)]
        l = Placeholder[dtype=int32, shape=(-1)]
        y = ReverseSequence(x, l)[T=float, Tlen=int32, seq_dim=1, batch_dim=0]
    """,
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_verified_on_feeds_that_it_can_take(name: str) -> None:
    optimized = optimize(graph_of(GRAPHS[name]), outputs="y")
    assert optimized.unverified == ""
    assert optimized.verification is not None
    assert optimized.verification.same


@pytest.mark.parametrize(
    ("name", "inputs", "shapes", "limits"),
    [
        ("indices", {"i": (None, 4)}, {"i": (1, 4)}, {"i": 5}),
        ("numbers of unknown shape", {"x": (None, 4), "s": None}, {"x": (1, 4), "s": ()}, {}),
        ("a size that a reshape divides", {"x": (None, None, 4)}, {"x": (1, 8, 4)}, {}),
        ("a picture for a dense layer", {"x": (None, None, None, 3)}, {"x": (1, 35, 35, 3)}, {}),
        ("a matrix of unknown shape", {"x": None}, {"x": (1, 6)}, {}),
        ("lengths of sequences", {"x": (None, None, 4), "l": (None,)}, {"x": (1, 8, 4), "l": (1,)}, {"l": 9}),
    ],
)
def test_shapes_and_limits_follow_from_the_graph(
    name: str, inputs: dict[str, tuple[int | None, ...] | None], shapes: dict[str, object], limits: dict[str, int]
) -> None:
    index = GraphIndex(graph_of(GRAPHS[name]))
    named = {TensorName(name): shape for name, shape in inputs.items()}
    likely = likely_feeds(index, infer_shapes(index), named, batch_size=1)
    assert {tensor.node: shape for tensor, shape in likely.shapes.items()} == shapes
    assert {tensor.node: limit for tensor, limit in likely.limits.items()} == limits


def test_an_empty_shape_of_an_old_graph_is_an_unknown_one() -> None:
    graph = graph_of("""
        x = Placeholder[dtype=float, shape=()]
        w = Const[dtype=float, value=float{1}(6, 4)]
        y = MatMul(x, w)[T=float]
    """)
    graph.versions = VersionDef(producer=21)
    assert optimize(graph, outputs="y").unverified == ""


def test_there_are_no_shapes_if_none_fits() -> None:
    graph = graph_of("""
        x = Placeholder[dtype=float, shape=(-1, -1)]
        w = Const[dtype=float, value=float{1}(1000, 3)]
        y = MatMul(x, w)[T=float]
    """)
    index = GraphIndex(graph)
    assert likely_feeds(index, infer_shapes(index), {TensorName("x"): (None, None)}, batch_size=1).shapes == {}
