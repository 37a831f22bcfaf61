"""Lookup tables become nodes that hold their keys and values, from constants and from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tfmodel.export.onnx.sweep import session
from tfmodel.export.onnx import OnnxExportError, save_onnx
from tfmodel.export.onnx.export import convert
from tfmodel.export.onnx.writer import model_proto
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorShapeProto, VersionDef
from tfmodel.values.tensors import from_ndarray

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

_TABLE = {"key_dtype": AttrValue(type=DataType.DT_STRING), "value_dtype": AttrValue(type=DataType.DT_INT64)}
_FIND = {"Tin": AttrValue(type=DataType.DT_STRING), "Tout": AttrValue(type=DataType.DT_INT64)}
_FILL = {"Tkey": AttrValue(type=DataType.DT_STRING), "Tval": AttrValue(type=DataType.DT_INT64)}


def _const(name: str, array: Any, dtype: DataType) -> NodeDef:
    value = AttrValue(tensor=from_ndarray(np.asarray(array), dtype))
    return NodeDef(name=name, op="Const", attr={"dtype": AttrValue(type=dtype), "value": value})


def _strings(*texts: bytes) -> Any:
    array = np.empty(len(texts), object)
    array[:] = texts
    return array


def _graph(*fillers: NodeDef) -> GraphDef:
    shape = AttrValue(shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1)]))
    x = {"dtype": AttrValue(type=DataType.DT_STRING), "shape": shape}
    nodes = [
        NodeDef(name="x", op="Placeholder", attr=x),
        NodeDef(name="table", op="HashTableV2", attr=_TABLE),
        *fillers,
        _const("default", np.int64(-1), DataType.DT_INT64),
        NodeDef(name="y", op="LookupTableFindV2", input=["table", "x", "default"], attr=_FIND),
    ]
    return GraphDef(node=nodes, versions=VersionDef(producer=1286))


def test_a_table_of_constants_is_verified_with_feeds(tmp_path: Path) -> None:
    graph = _graph(
        _const("keys", _strings(b"cat", b"dog", b"\xc3\xa4"), DataType.DT_STRING),
        _const("values", np.array([7, 5, 3]), DataType.DT_INT64),
        NodeDef(name="fill", op="LookupTableImportV2", input=["table", "keys", "values"], attr={
            "Tin": AttrValue(type=DataType.DT_STRING), "Tout": AttrValue(type=DataType.DT_INT64)}),
    )  # fmt: skip
    feeds = {"x": _strings(b"dog", b"bird", b"\xc3\xa4", b"cat")}
    report = save_onnx(graph, tmp_path / "model.onnx", ["x"], ["y"], feeds=feeds)
    assert report.unverified == ""
    (found,) = session((tmp_path / "model.onnx").read_bytes()).run(None, {"x": np.array(["dog", "?", "cat"], object)})
    assert found.tolist() == [5, -1, 7]
    assert report.ops == {"LabelEncoder": 1}


def test_a_table_of_the_lines_of_a_file_has_their_numbers(tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_bytes(b"zero\none\ntwo\n")
    attributes = {"key_index": AttrValue(i=-2), "value_index": AttrValue(i=-1), "vocab_size": AttrValue(i=-1),
                  "delimiter": AttrValue(s=b"\t")}  # fmt: skip
    graph = _graph(
        _const("file", np.array(b"labels.txt", object), DataType.DT_STRING),
        NodeDef(name="fill", op="InitializeTableFromTextFileV2", input=["table", "file"], attr=attributes),
    )
    exported = convert(graph, ["x"], ["y"], assets={"file": str(labels)})
    content = model_proto(exported.graph, 17, {}).to_bytes()
    (found,) = session(content).run(None, {"x": np.array(["two", "three", "zero"], object)})
    assert found.tolist() == [2, -1, 0]


def test_a_table_that_nothing_fills_is_refused() -> None:
    with pytest.raises(OnnxExportError) as caught:
        convert(_graph(), ["x"], ["y"])
    (refused,) = caught.value.refused
    assert refused.node == "y"
    assert "the contents of its table are not known" in refused.reason


def test_bytes_that_are_not_text_are_refused() -> None:
    graph = _graph(
        _const("keys", _strings(b"\xff"), DataType.DT_STRING),
        _const("values", np.array([7]), DataType.DT_INT64),
        NodeDef(name="fill", op="InitializeTableV2", input=["table", "keys", "values"], attr=_FILL),
    )
    with pytest.raises(OnnxExportError, match="its table has bytes that are not UTF-8"):
        convert(graph, ["x"], ["y"])
