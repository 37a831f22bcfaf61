"""The first release of TensorFlow that imports a graph."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.analysis.needed_release import needed_release
from tfmodel.messages import FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef, VersionDef


@pytest.mark.parametrize(
    ("nodes", "release", "because"),
    [
        ("x = Placeholder[dtype=float]", "1.0", []),
        ("x = MyOwnOp[T=float]", "1.0", []),
        ("y = Cast[SrcT=float, DstT=int32, Truncate=false]", "1.11", ["Cast.Truncate"]),
        (
            "y = AddV2[T=float]\n z = SelectV2[T=float]\n c = BatchMatMulV2[T=float]",
            "1.14",
            ["SelectV2", "BatchMatMulV2"],
        ),
        (
            "y = Fill[T=float, index_type=int32]\n z = UniqueV2[T=float, Taxis=int32]",
            "1.6",
            ["Fill.index_type", "UniqueV2.Taxis"],
        ),
        ("y = Relu[T=float, _mine=int32]", "1.0", []),
    ],
)
def test_ops_and_attributes_need_a_release(nodes: str, release: str, because: list[str]) -> None:
    needed = needed_release(graph_of(nodes))
    assert (needed.release, needed.because) == (release, because)


def test_tensorflow_removes_default_attributes_that_it_does_not_know_from_metagraphs() -> None:
    graph = graph_of("y = Cast[SrcT=float, DstT=int32, Truncate=false]\n z = Cast[SrcT=float, DstT=int32]")
    assert needed_release(graph, strips_defaults=True).release == "1.0"
    graph = graph_of("y = Cast[SrcT=float, DstT=int32, Truncate=true]")
    assert needed_release(graph, strips_defaults=True).release == "1.11"


def test_functions_and_versions_count() -> None:
    function = FunctionDef(signature=OpDef(name="f"), node_def=[NodeDef(name="a", op="LeakyRelu")])
    graph = GraphDef(library=FunctionDefLibrary(function=[function]))
    assert needed_release(graph).because == ["LeakyRelu"]
    graph = GraphDef(versions=VersionDef(producer=1395, min_consumer=24))
    assert needed_release(graph).release == "1.3"
