"""Temporary memory of kernels, such as padded images, that is much larger than the results."""

from __future__ import annotations

from typing import Any

import pytest

import tfmodel
from tests.hostile.graphs import FLOAT, constant, graph, node, placeholder
from tests.hostile.measure import peak
from tfmodel.messages import AttrValue, DataType, NodeDef
from tfmodel.transforms.constant_folding import evaluation

INT32, INT64, STRING = DataType.DT_INT32, DataType.DT_INT64, DataType.DT_STRING
ROOM = 1 << 20
FAR = 9_000
LINE = 100_000


def layer(op: str, *inputs: str, **attributes: Any) -> NodeDef:
    lists = {
        name: AttrValue(list=AttrValue.ListValue(i=list(value))) if isinstance(value, tuple) else value
        for name, value in attributes.items()
    }
    return node("y", op, *inputs, **lists)


def shape(name: str, *sizes: int) -> NodeDef:
    return constant(name, sizes, len(sizes), dtype=INT32)


PADS = {"padding": b"EXPLICIT", "explicit_paddings": (0, 0, FAR, FAR, FAR, FAR, 0, 0), "strides": (1, FAR, FAR, 1)}
ONE = constant("f", [1.0], 1, 1, 2, 1)
IMAGE = constant("x", [1.0], 1, 4, 4, 2)
GIVEN = constant("g", [1.0], 1, 3, 3, 2)
SUM = constant("g", [1.0], 1, 3, 3, 1)
LARGE = {"strides": (1, 1, 1, 1), "padding": b"VALID"}

ATTACKS: dict[str, list[NodeDef]] = {
    "Conv2D": [IMAGE, ONE, layer("Conv2D", "x", "f", **PADS)],
    "DepthwiseConv2dNative": [IMAGE, ONE, layer("DepthwiseConv2dNative", "x", "f", **PADS)],
    "Conv2DBackpropInput": [shape("s", 1, 4, 4, 2), ONE, SUM, layer("Conv2DBackpropInput", "s", "f", "g", **PADS)],
    "Conv2DBackpropFilter": [IMAGE, shape("s", 1, 1, 2, 1), SUM, layer("Conv2DBackpropFilter", "x", "s", "g", **PADS)],
    "DepthwiseConv2dNativeBackpropInput": [
        shape("s", 1, 4, 4, 2),
        ONE,
        GIVEN,
        layer("DepthwiseConv2dNativeBackpropInput", "s", "f", "g", **PADS),
    ],
    "DepthwiseConv2dNativeBackpropFilter": [
        IMAGE,
        shape("s", 1, 1, 2, 1),
        GIVEN,
        layer("DepthwiseConv2dNativeBackpropFilter", "x", "s", "g", **PADS),
    ],
    "Conv2D, large filter": [
        constant("x", [1.0], 1, 300, 300, 1),
        constant("f", [1.0], 200, 200, 1, 1),
        layer("Conv2D", "x", "f", **LARGE),
    ],
    "Conv2DBackpropInput, large filter": [
        shape("s", 1, 400, 400, 1),
        constant("f", [1.0], 200, 200, 1, 1),
        constant("g", [1.0], 1, 201, 201, 1),
        layer("Conv2DBackpropInput", "s", "f", "g", **LARGE),
    ],
    "Conv2DBackpropFilter, large filter": [
        constant("x", [1.0], 1, 400, 400, 1),
        shape("s", 200, 200, 1, 1),
        constant("g", [1.0], 1, 201, 201, 1),
        layer("Conv2DBackpropFilter", "x", "s", "g", **LARGE),
    ],
    "MaxPool": [
        IMAGE,
        layer("MaxPool", "x", ksize=(1, FAR + 1, FAR + 1, 1), **PADS),
    ],
    "FusedResizeAndPadConv2D": [
        IMAGE,
        shape("s", 15_000, 15_000),
        constant("p", [0], 4, 2, dtype=INT32),
        ONE,
        layer(
            "FusedResizeAndPadConv2D", "x", "s", "p", "f", mode=b"REFLECT", strides=(1, FAR, FAR, 1), padding=b"VALID"
        ),
    ],
    "ExtractImagePatches": [
        IMAGE,
        layer(
            "ExtractImagePatches",
            "x",
            ksizes=(1, 2, 2, 1),
            strides=(1, 1, 1, 1),
            rates=(1, 15_000, 15_000, 1),
            padding=b"SAME",
        ),
    ],
    "ResizeBilinear": [
        constant("x", [1.0], 1, LINE, 1, 1),
        shape("s", 1, LINE),
        layer("ResizeBilinear", "x", "s"),
    ],
    "ResizeBicubic": [constant("x", [1.0], 1, 1, LINE, 1), shape("s", LINE, 1), layer("ResizeBicubic", "x", "s")],
    "ScaleAndTranslate": [
        constant("x", [1.0], 1, 1, LINE, 1),
        shape("s", 1, LINE),
        constant("c", [1e-6], 2),
        constant("t", [0.0], 2),
        layer("ScaleAndTranslate", "x", "s", "c", "t", kernel_type=b"lanczos3", antialias=True),
    ],
    "SetSize": [
        constant("i", [0], 1, 2, dtype=INT64),
        shape("v", 1),
        constant("s", [2**31, 2], 2, dtype=INT64),
        layer("SetSize", "i", "v", "s", T=INT32),
    ],
    "SparseSoftmax": [
        constant("i", [0], 1, 2, dtype=INT64),
        constant("x", [1.0], 1),
        constant("s", [2**31, 2], 2, dtype=INT64),
        layer("SparseSoftmax", "i", "x", "s"),
    ],
    "TensorListConcatLists": [
        constant("e", [-1], dtype=INT32),
        constant("n", [1_000], dtype=INT32),
        node("l0", "TensorListReserve", "e", "n", element_dtype=FLOAT, shape_type=INT32),
        *(node(f"l{at + 1}", "TensorListConcatLists", f"l{at}", f"l{at}", element_dtype=FLOAT) for at in range(30)),
        layer("TensorListLength", "l30"),
    ],
    "TensorListStack": [
        shape("e", 1_000, 1_000),
        constant("n", [1_000], dtype=INT32),
        node("l", "TensorListReserve", "e", "n", element_dtype=FLOAT, shape_type=INT32),
        layer("TensorListStack", "l", "e", element_dtype=FLOAT),
    ],
}

STEPS: dict[str, list[NodeDef]] = {
    "RaggedTensorToSparse": [
        *(constant(f"s{at}", [0, 1], 2, dtype=INT64) for at in range(60)),
        constant("d", [0, 30_000], 2, dtype=INT64),
        constant("x", [1.0], 30_000),
        layer("RaggedTensorToSparse", *(f"s{at}" for at in range(60)), "d", "x", RAGGED_RANK=61, Tsplits=INT64),
    ],
    "RaggedGather": [
        constant("d", [0, 30_000], 2, dtype=INT64),
        constant("x", [1.0], 30_000),
        shape("i", *[0] * 1_000),
        layer(
            "RaggedGather",
            "d",
            "x",
            "i",
            Tvalues=FLOAT,
            Tindices=INT32,
            Tsplits=INT64,
            PARAMS_RAGGED_RANK=1,
            OUTPUT_RAGGED_RANK=1,
        ),
    ],
    "RaggedTensorToTensor": [
        shape("s", -1, -1),
        constant("x", [1.0], 1),
        constant("e", [0.0]),
        constant("n", [1 << 30], dtype=INT32),
        constant("r", [0], 1, dtype=INT32),
        layer(
            "RaggedTensorToTensor",
            "s",
            "x",
            "e",
            "n",
            "r",
            Tindex=INT32,
            Tshape=INT32,
            row_partition_types=AttrValue(list=AttrValue.ListValue(s=[b"FIRST_DIM_SIZE", b"VALUE_ROWIDS"])),
            num_row_partition_tensors=2,
        ),
    ],
    "Where": [constant("x", [1.0], *[1] * 20, 40_000), layer("Where", "x")],
    "SparseSegmentSum": [
        constant("x", [1.0], 1, 10_000),
        shape("i", *[0] * 2_000),
        shape("s", *[0] * 2_000),
        layer("SparseSegmentSum", "x", "i", "s", Tidx=INT32, Tsegmentids=INT32),
    ],
    "StringSplit": [
        constant("x", [b"a," * 20_000], 1, dtype=STRING),
        constant("d", [b","], dtype=STRING),
        layer("StringSplit", "x", "d"),
    ],
    "StringSplitV2": [
        constant("x", [b"ab " * 20_000], 1, dtype=STRING),
        constant("d", [b""], dtype=STRING),
        layer("StringSplitV2", "x", "d"),
    ],
    "Substr": [
        constant("x", [b"a" * 100_000], dtype=STRING),
        constant("p", [1], dtype=INT32),
        layer("Substr", "x", "p", "p", T=INT32, unit=b"UTF8_CHAR"),
    ],
    "UnicodeDecodeWithOffsets": [
        constant("x", [b"a" * 100_000], 1, dtype=STRING),
        layer(
            "UnicodeDecodeWithOffsets",
            "x",
            input_encoding=b"UTF-8",
            errors=b"replace",
            replacement_char=65533,
            replace_control_characters=False,
            Tsplits=INT64,
        ),
    ],
    "TopKV2": [
        constant("x", [1], 100_000, dtype=DataType.DT_INT8),
        constant("k", [1], dtype=INT32),
        layer("TopKV2", "x", "k", T=DataType.DT_INT8, sorted=True),
    ],
    "UniqueV2": [
        constant("x", [1], 100_000, dtype=DataType.DT_INT8),
        shape("a", 0),
        layer("UniqueV2", "x", "a", T=DataType.DT_INT8, Taxis=INT32, out_idx=INT32),
    ],
    "DynamicPartition": [
        constant("x", [1.0], 1),
        shape("p", 0),
        layer("DynamicPartition", "x", "p", num_partitions=60_000),
    ],
    "Zeta": [constant("x", [2.0], 20_000), constant("q", [2.0]), layer("Zeta", "x", "q")],
    "QuantizedResizeBilinear": [
        constant("x", [1], 1, 1, 1, 1, dtype=DataType.DT_QUINT8),
        shape("s", 300, 300),
        constant("l", [0.0]),
        layer("QuantizedResizeBilinear", "x", "s", "l", "l", T=DataType.DT_QUINT8),
    ],
    "DenseToDenseSetOperation": [
        constant("x", [1], 1, 20_000, dtype=INT32),
        layer("DenseToDenseSetOperation", "x", "x", set_operation=b"union", T=INT32),
    ],
}


@pytest.mark.parametrize("kind", [*ATTACKS, *STEPS])
def test_temporary_memory_of_a_run(kind):
    """Attack: a convolution with 9,000 rows of padding and strides of 9,000, whose result has nine numbers; similar
    windows, scales, lists and dimensions.

    Naive: limits the result only, and pads the image: 1.3 GB for 241 bytes.
    Stopped by: tfmodel.kernels.runtime.memory_limit.claim, tfmodel.kernels.nn.windows.pad_image
    """
    nodes = graph(*(ATTACKS | STEPS)[kind])

    def run() -> None:
        with pytest.raises(tfmodel.RunError, match=r"need.* bytes.* allowed .* left"):
            tfmodel.run(nodes, {}, "y", max_bytes=ROOM)

    tfmodel.run(graph(constant("y", [1.0])), {}, "y")  # all imports happen now
    assert peak(run) < 16 * ROOM


@pytest.mark.parametrize("kind", ATTACKS)
def test_temporary_memory_of_folding(kind, monkeypatch):
    """Attack: the same, as constants of a graph.

    Naive: limits the size of the folded constant only.
    Stopped by: tfmodel.transforms.constant_folding.evaluation.Constants, tfmodel.kernels.runtime.memory_limit.claim
    """
    monkeypatch.setattr(evaluation, "_SCRATCH", 2 * ROOM)  # a lower limit makes the test faster
    nodes = [*ATTACKS[kind], placeholder("in"), node("out", "AddV2", "y", "in")]
    results = []
    model = graph(*nodes)
    assert peak(lambda: results.append(tfmodel.transform(model, "in", "out", "fold_constants"))) < 24 * ROOM
    assert ATTACKS[kind][-1].op in {node_def.op for node_def in results[0].node}


def test_one_value_for_many_elements():
    """Attack: the sum or the maximum of a constant of 2**40 equal elements.

    Naive: computes it, which takes an hour.
    Stopped by: tfmodel.transforms.constant_folding.cost_model.Effort
    """
    for op in ("Sum", "Max"):
        nodes = [
            constant("v", [1.0], 2**40),
            constant("i", [0], dtype=INT32),
            placeholder(),
            node("s", op, "v", "i", Tidx=INT32),
            node("y", "AddV2", "s", "x"),
        ]
        assert op in {node_def.op for node_def in tfmodel.transform(graph(*nodes), "x", "y", "fold_constants").node}


HOURS = {
    "MatMul": [constant("x", [1.0], 1_600, 40_000), constant("z", [1.0], 40_000, 1_600), layer("MatMul", "x", "z")],
    "DepthwiseConv2dNative": [
        constant("x", [1.0], 1, 3_000, 3_000, 2),
        constant("f", [1.0], 1_500, 1_500, 2, 1),
        layer("DepthwiseConv2dNative", "x", "f", **LARGE),
    ],
    "Dilation2D": [
        constant("x", [1.0], 1, 2_000, 2_000, 1),
        constant("f", [1.0], 1_000, 1_000, 1),
        layer("Dilation2D", "x", "f", strides=(1, 1, 1, 1), rates=(1, 1, 1, 1), padding=b"VALID"),
    ],
    "LRN": [constant("x", [1.0], 1, 1, 1, 2_000_000), layer("LRN", "x", depth_radius=1_000_000)],
}


@pytest.mark.parametrize("kind", HOURS)
def test_expressions_that_take_hours(kind):
    """Attack: a product of matrices, or a filter of a million numbers on an image of some millions, in 200 bytes.

    Naive: limits the size of constants, not the number of operations.
    Stopped by: tfmodel.transforms.constant_folding.cost_model.Effort
    """
    nodes = [*HOURS[kind], placeholder("in"), node("out", "AddV2", "y", "in")]
    assert kind in {node_def.op for node_def in tfmodel.transform(graph(*nodes), "in", "out", "fold_constants").node}
