"""The table of types that onnxruntime has kernels for, and what is computed in place of others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tfmodel.export.onnx.sweep import session
from tfmodel.export.onnx.conversion.kernels import KERNELS, TYPE_NAMES
from tfmodel.export.onnx.conversion.report import OnnxExportError
from tfmodel.export.onnx.export import convert
from tfmodel.export.onnx.writer import model_proto
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorShapeProto, VersionDef

state = pytest.importorskip("onnxruntime.capi.onnxruntime_pybind11_state", reason="onnxruntime is not installed")

OPSET = 17
_SPELLED = {
    "f32": "float", "f64": "double", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool", "str": "string", "bf16": "bfloat16",
}  # fmt: skip
_CAST_BY_ITSELF = "f16"


def _kernels() -> dict[str, set[str]]:
    """Return the types of the kernels of each operator of this onnxruntime."""
    found: dict[str, set[str]] = {}
    for kernel in state.get_all_opkernel_def():
        first, last = kernel.version_range
        if kernel.provider == "CPUExecutionProvider" and not kernel.domain and first <= OPSET <= last:
            for types in kernel.type_constraints.values():
                found.setdefault(kernel.op_name, set()).update(types)
    return found


@pytest.mark.skipif(not hasattr(state, "get_all_opkernel_def"), reason="this onnxruntime does not list its kernels")
def test_onnxruntime_has_the_kernels_of_the_table() -> None:
    installed = _kernels()
    names = {dtype: name for name, dtype in TYPE_NAMES.items()}
    missing = [
        (op, names[dtype])
        for op, row in KERNELS.items()
        for dtype in row.types
        if names[dtype] != _CAST_BY_ITSELF and f"tensor({_SPELLED[names[dtype]]})" not in installed[op]
    ]
    assert missing == []


def _graph(op: str, dtype: DataType, inputs: int) -> GraphDef:
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=3)])
    attributes = {"dtype": AttrValue(type=dtype), "shape": AttrValue(shape=shape)}
    fed = [NodeDef(name=f"x{number}", op="Placeholder", attr=attributes) for number in range(inputs)]
    node = NodeDef(name="y", op=op, input=[each.name for each in fed], attr={"T": AttrValue(type=dtype)})
    return GraphDef(node=[*fed, node], versions=VersionDef(producer=1286))


def _converted(op: str, dtype: DataType, *feeds: Any) -> tuple[Any, list[str], list[str]]:
    """Return the result of an element-wise op, the operators that it became, and the notes."""
    names = [f"x{number}" for number in range(len(feeds))]
    exported = convert(_graph(op, dtype, len(feeds)), names, ["y"])
    content = model_proto(exported.graph, OPSET, {}).to_bytes()
    (result,) = session(content).run(None, dict(zip(names, feeds, strict=True)))
    return result, [node.op for node in exported.graph.nodes], exported.notes.lines()


def test_float64_is_computed_in_float32_with_a_note() -> None:
    result, ops, notes = _converted("Tan", DataType.DT_DOUBLE, np.array([0.0, 1.0, -2.0]))
    assert ops == ["Cast", "Tan", "Cast"]
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, np.tan([0.0, 1.0, -2.0]), rtol=1e-5)
    assert notes == ["computed in float32, as onnxruntime has no Tan of float64: y"]


def test_small_integers_wrap_around() -> None:
    x = np.array([100, -100, 7], np.int8)
    result, ops, notes = _converted("AddV2", DataType.DT_INT8, x, x)
    assert ops == ["Cast", "Cast", "Add", "Cast"]
    assert result.dtype == np.int8
    assert result.tolist() == [-56, 56, 14]
    assert notes == []


def test_a_type_that_nothing_holds_is_refused() -> None:
    with pytest.raises(OnnxExportError) as caught:
        convert(_graph("Less", DataType.DT_UINT64, 2), ["x0", "x1"], ["y"])
    assert [(each.node, each.reason) for each in caught.value.refused] == [("y", "onnxruntime has no Less of uint64")]
