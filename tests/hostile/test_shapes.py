"""Shapes that exceed memory: of tensors that take a few bytes of a file, and of the outputs of ops."""

from __future__ import annotations

import pytest

import tfmodel
from tests.hostile.graphs import FLOAT, constant, graph, node, placeholder
from tests.hostile.measure import confined, peak
from tests.tfmodel.models import shape
from tfmodel.messages import DataType, GraphDef, TensorProto, TensorShapeProto

SHAPES = {
    "product above 64 bits": ([2**33, 2**33], "larger than an array can be"),
    "product of 0 above 64 bits": ([2**32, 2**32], "larger than an array can be"),
    "overflow beside a zero": ([0, 2**62, 2**62], "larger than an array can be"),
    "bytes above 64 bits": ([2**62], "larger than an array can be"),
    "a negative size": ([-5], "negative"),
    "an unknown size": ([-1], "not known"),
    "two negative sizes": ([-2, -2], "negative"),
    "a thousand dimensions": ([1] * 1_000, "1,000 dimensions"),
    "the largest number": ([2**63 - 1], "larger than an array can be"),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_an_impossible_shape(kind):
    """Attack: sizes whose product wraps around to something small, or to zero; negative sizes; a thousand of them.

    Naive: computes the product in 64 bits, and passes it to NumPy or C as the number of elements.
    Stopped by: tfmodel.values.tensors.to_ndarray
    """
    sizes, problem = SHAPES[kind]
    for values in ([1.0], []):
        tensor = TensorProto(dtype=FLOAT, tensor_shape=shape(*sizes), float_val=values)
        with pytest.raises(tfmodel.TensorError, match=problem):
            tfmodel.to_ndarray(tensor)


def test_a_shape_of_unknown_rank():
    """Attack: a constant of unknown rank.

    Naive: treats it as a scalar.
    Stopped by: tfmodel.values.tensors.to_ndarray
    """
    with pytest.raises(tfmodel.TensorError, match="not even its rank"):
        tfmodel.to_ndarray(TensorProto(dtype=FLOAT, tensor_shape=TensorShapeProto(unknown_rank=True), float_val=[1.0]))


def test_one_element_for_all():
    """Attack: a tensor of 2**60 equal elements, in twenty bytes of a file.

    Naive: allocates four exabytes.
    Stopped by: tfmodel.values.tensors.to_ndarray
    """
    for dtype, field in ((FLOAT, "float_val"), (DataType.DT_STRING, "string_val"), (DataType.DT_BOOL, "bool_val")):
        tensor = TensorProto(dtype=dtype, tensor_shape=shape(2**30, 2**29))
        assert tfmodel.to_ndarray(tensor).shape == (2**30, 2**29), field
        assert peak(lambda tensor=tensor: tfmodel.to_ndarray(tensor)) < 1 << 16


def test_two_elements_for_all():
    """Attack: the same with two different elements, the last of which is repeated.

    Naive: allocates the memory, since a view of one element is not sufficient here.
    Stopped by: tfmodel.values.tensors.to_ndarray
    """
    tensor = TensorProto(dtype=FLOAT, tensor_shape=shape(2**40), float_val=[1.0, 2.0])

    def read() -> None:
        with pytest.raises(tfmodel.TensorError, match="max_fill"):
            tfmodel.to_ndarray(tensor)

    read()
    assert peak(read) < 1 << 16


# Operations on a graph with such a constant run in a process of their own: NumPy cannot be interrupted.
_SPLAT = """
import contextlib, io, sys
import tfmodel
from tests.hostile.test_shapes import splat, TRANSFORMS
from tfmodel.cli import main

graph = splat()
def of(name, action):
    try:
        action()
    except tfmodel.Error as error:
        print(name, "refused", str(error)[:200].replace(chr(10), " "))
    else:
        print(name, "done")

for name in TRANSFORMS:
    of(name, lambda: tfmodel.transform(graph, "x", "y", name))
of("summarize", lambda: tfmodel.summarize(graph).to_text())
of("weights", lambda: tfmodel.weights(graph))
of("diff", lambda: tfmodel.diff(graph, splat(2.0)).to_text())
of("compare_values", lambda: tfmodel.compare_values(graph, splat(2.0)).to_text())
of("freeze", lambda: tfmodel.freeze(graph, outputs="y"))
of("run", lambda: tfmodel.run(graph, {"x": 1.0}, "y"))
of("optimize", lambda: tfmodel.optimize(graph, inputs="x", outputs="y"))
tfmodel.save(graph, sys.argv[1])
for command in (["dump"], ["dump", "--full"], ["dump", "--format", "tree"], ["weights"], ["weights", "--statistics"]):
    with contextlib.redirect_stdout(io.StringIO()):
        main([*command, sys.argv[1]])
print("end")
"""
TRANSFORMS = [
    "fold_constants",
    "fold_batch_norms",
    "fold_old_batch_norms",
    "quantize_weights(minimum_size=1)",
    "convert_float16(minimum_size=1)",
    "convert_bfloat16(minimum_size=1)",
    "round_weights(num_steps=4)",
    "quantize_nodes",
    "merge_duplicate_nodes",
    "sparsify_gather",
    "strip_unused_nodes",
    "obfuscate_names",
    "sort_by_execution_order",
]


def splat(value: float = 1.0) -> GraphDef:
    """y = -(w + w) * x, where w has 2**60 elements."""
    return graph(
        placeholder(),
        constant("w", [value], 2**30, 2**30),
        node("a", "AddV2", "w", "w"),
        node("n", "Neg", "a"),
        node("y", "Mul", "n", "x"),
    )


def test_one_element_for_all_in_every_operation_on_a_graph(tmp_path):
    """Attack: a constant of 2**60 equal elements, given to every command that looks at constants.

    Naive: visits all elements: for the minimum, the number of distinct values, rounding or quantization.
    Stopped by: tfmodel.transforms.quantization.weights.is_splat,
        tfmodel.transforms.constant_folding.evaluation.Constants, tfmodel.parameters,
        tfmodel.kernels.runtime.binding.Bound
    """
    lines = confined(_SPLAT, tmp_path / "splat.pb", memory=3 << 30).splitlines()
    assert lines[-1] == "end"
    lines_by_action = {line.split(" ")[0]: line for line in lines}
    assert "there is not enough memory" in lines_by_action["run"]
    assert [name for name in TRANSFORMS if "done" not in lines_by_action[name]] == []


# --- ops whose inputs determine the size of their outputs ------------------------------------------------------------

MUCH = 2**50
INT32, INT64 = DataType.DT_INT32, DataType.DT_INT64
MAKERS = {
    "Fill": [
        constant("n", [MUCH], 1, dtype=INT64),
        constant("v", [1.0]),
        node("y", "Fill", "n", "v", index_type=INT64),
    ],
    "Range": [
        constant("a", [0], dtype=INT64),
        constant("n", [MUCH], dtype=INT64),
        constant("d", [1], dtype=INT64),
        node("y", "Range", "a", "n", "d", Tidx=INT64),
    ],
    "LinSpace": [
        constant("a", [0.0]),
        constant("b", [1.0]),
        constant("n", [2**31 - 1], dtype=INT32),
        node("y", "LinSpace", "a", "b", "n", Tidx=INT32),
        node("z", "Exp", "y"),
    ],
    "Tile": [
        constant("v", [1.0, 2.0], 2),
        constant("n", [MUCH], 1, dtype=INT64),
        node("y", "Tile", "v", "n", Tmultiples=INT64),
    ],
    "BroadcastTo": [
        constant("v", [1.0]),
        constant("n", [MUCH], 1, dtype=INT64),
        node("b", "BroadcastTo", "v", "n", Tidx=INT64),
        node("y", "Neg", "b"),
    ],
    "Pad": [
        constant("v", [1.0], 1),
        constant("n", [MUCH, 0], 1, 2, dtype=INT64),
        node("y", "Pad", "v", "n", Tpaddings=INT64),
    ],
    "MirrorPad": [
        constant("v", [1.0], 1),
        constant("n", [MUCH, 0], 1, 2, dtype=INT64),
        node("y", "MirrorPad", "v", "n", Tpaddings=INT64, mode=b"SYMMETRIC"),
    ],
    "OneHot": [
        constant("v", [1], 2**20, dtype=INT32),
        constant("n", [2**31 - 1], dtype=INT32),
        constant("on", [1.0]),
        constant("off", [0.0]),
        node("y", "OneHot", "v", "n", "on", "off", TI=INT32),
    ],
    "RandomUniform": [constant("n", [MUCH], 1, dtype=INT64), node("y", "RandomUniform", "n", T=INT64, dtype=FLOAT)],
    "ScatterNd": [
        constant("i", [0], 1, 1, dtype=INT64),
        constant("v", [1.0], 1),
        constant("n", [MUCH], 1, dtype=INT64),
        node("y", "ScatterNd", "i", "v", "n", Tindices=INT64),
    ],
    "SparseToDense": [
        constant("i", [0], 1, dtype=INT64),
        constant("n", [MUCH], 1, dtype=INT64),
        constant("v", [1.0], 1),
        constant("d", [0.0]),
        node("y", "SparseToDense", "i", "n", "v", "d", Tindices=INT64),
    ],
    "UnsortedSegmentSum": [
        constant("v", [1.0], 1),
        constant("i", [0], 1, dtype=INT64),
        constant("n", [MUCH], dtype=INT64),
        node("y", "UnsortedSegmentSum", "v", "i", "n", Tindices=INT64, Tnumsegments=INT64),
    ],
    "Bincount": [
        constant("v", [1], 1, dtype=INT32),
        constant("n", [2**31 - 1], dtype=INT32),
        constant("w", [1.0], 1),
        node("b", "Bincount", "v", "n", "w"),
        node("y", "Exp", "b"),
    ],
    "ResizeBilinear": [
        constant("v", [1.0], 1, 1, 1, 1),
        constant("n", [2**31 - 1, 2**31 - 1], 2, dtype=INT32),
        node("y", "ResizeBilinear", "v", "n"),
    ],
    "MatMul": [constant("v", [1.0], 2**25, 1), constant("w", [1.0], 1, 2**25), node("y", "MatMul", "v", "w")],
    "Add": [constant("v", [1.0], 2**25, 1), constant("w", [1.0], 1, 2**25), node("y", "AddV2", "v", "w")],
    "ConcatV2": [
        constant("v", [1.0], 2**49),
        constant("i", [0], dtype=INT32),
        node("y", "ConcatV2", "v", "v", "i", N=2, Tidx=INT32),
    ],
    "BatchToSpaceND": [
        constant("v", [1.0], 1, 1, 1),
        constant("b", [1], 1, dtype=INT64),
        constant("n", [MUCH, MUCH], 1, 2, dtype=INT64),
        node("y", "SpaceToBatchND", "v", "b", "n", Tblock_shape=INT64, Tpaddings=INT64),
    ],
    "MatrixDiagV3": [
        constant("v", [1.0], 1),
        constant("k", [0], dtype=INT32),
        constant("n", [2**30], dtype=INT32),
        constant("p", [0.0]),
        node("y", "MatrixDiagV3", "v", "k", "n", "n", "p"),
    ],
}
_MAKE = """
import tfmodel
from tests.hostile.graphs import graph
from tests.hostile.test_shapes import MAKERS

for name, nodes in MAKERS.items():
    for options in ({}, {"max_bytes": 1 << 26}):
        try:
            tfmodel.run(graph(*nodes), {}, nodes[-1].name, **options)
        except tfmodel.RunError as error:
            print(name, "refused", str(error).replace(chr(10), " ")[:200])
        else:
            print(name, "done")
    tfmodel.summarize(graph(*nodes)).to_text()
    try:
        tfmodel.transform(graph(*nodes), "", nodes[-1].name, "fold_constants")
    except tfmodel.Error as error:
        print(name, "refused", error)
"""


def test_ops_whose_inputs_determine_the_size_of_their_outputs():
    """Attack: Fill, Range, Tile, Pad, OneHot and others with an output of 2**50 bytes, or of a few gigabytes.

    Naive: allocates it. (Outputs that fit into memory are computed, unless `max_bytes` is lower.)
    Stopped by: tfmodel.kernels.runtime.memory_limit.bytes_needed, tfmodel.kernels.runtime.binding.Bound
    """
    lines = confined(_MAKE, memory=2 << 30).splitlines()
    assert [line for line in lines if "refused" not in line] == []
    assert len(lines) >= 2 * len(MAKERS)


def test_fold_constants_with_a_shape_on_a_detour():
    """Attack: a shape that is computed through Exp and Cast, which shape inference does not evaluate.

    Naive: treats the unknown shape as small, so Fill allocates it.
    Stopped by: tfmodel.transforms.constant_folding.evaluation.Constants,
    tfmodel.kernels.runtime.memory_limit.bytes_needed
    """
    nodes = [
        placeholder(),
        constant("e", [24.3], 1),
        node("p", "Exp", "e"),
        node("n", "Cast", "p", SrcT=FLOAT, DstT=INT64),
        constant("v", [1.0]),
        node("f", "Fill", "n", "v", index_type=INT64),
        node("y", "Mul", "f", "x"),
    ]
    results = []
    assert peak(lambda: results.append(tfmodel.transform(graph(*nodes), "x", "y", "fold_constants"))) < 16 << 20
    assert "Fill" in [node_def.op for node_def in results[0].node]
