"""Detection of ONNX models: in every form, damaged too, and never in place of a message of TensorFlow."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import json as pb_json
from pbwire import text
from tests.support.corpus import corpus_files, needs_corpus
from tests.support.strategies import messages
from tests.tfmodel import models
from tfmodel import load
from tfmodel.errors import FileFormatError
from tfmodel.files.detection import HEAD, TAIL, Detection, detect, is_onnx, suffix_problem
from tfmodel.files.detection.onnx import guess_from_fields, guess_from_names
from tfmodel.messages import (
    DataType,
    GraphDef,
    MetaGraphDef,
    SavedModel,
    SavedObject,
    SavedObjectGraph,
    TensorProto,
    TensorShapeProto,
)
from tfmodel.onnx_messages import FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto

FOLDER = Path("tests/data/onnx")
FILES = sorted(FOLDER.glob("*.onnx"))
LINEAR = (FOLDER / "linear.onnx").read_bytes()


def is_detected(detection: Detection) -> bool:
    return is_onnx(detection.cls)


class TestForms:
    def test_there_are_files(self):
        assert [path.name for path in FILES] == ["branches.onnx", "external.onnx", "linear.onnx"]

    @pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
    def test_binary(self, path):
        detected = detect(path.read_bytes())
        assert (detected.kind, detected.what, detected.cls) == ("binary", "an ONNX model", ModelProto)

    @pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
    def test_text(self, path):
        detected = detect(text.dumps(ModelProto.from_bytes(path.read_bytes())).encode())
        assert (detected.kind, detected.what, detected.cls) == ("text", "an ONNX model in text form", ModelProto)

    @pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
    @pytest.mark.parametrize("original", [False, True])
    def test_json(self, path, original):
        model = ModelProto.from_bytes(path.read_bytes())
        detected = detect(pb_json.dumps(model, preserving_proto_field_name=original).encode())
        assert (detected.kind, detected.what, detected.cls) == ("json", "an ONNX model in JSON form", ModelProto)

    @pytest.mark.parametrize(
        "model",
        [
            ModelProto(ir_version=8, graph=GraphProto(name="g")),
            ModelProto(ir_version=8, graph=GraphProto(name="g"), opset_import=[OperatorSetIdProto(version=17)]),
            ModelProto(graph=GraphProto(node=[NodeProto(op_type="Relu", input=["x"], output=["y"])])),
            ModelProto(ir_version=3, producer_name="caffe2", domain="", graph=GraphProto(name="empty")),
            ModelProto(ir_version=8, producer_name="", graph=GraphProto(name="g")),
            ModelProto(ir_version=8, graph=GraphProto(name="\x00odd", node=[NodeProto(op_type="Relu")])),
            ModelProto(ir_version=8, functions=[FunctionProto(name="f", node=[NodeProto(op_type="Relu")])]),
        ],
    )
    def test_models_that_have_little(self, model):
        assert is_detected(detect(model.to_bytes()))

    def test_only_the_beginning_of_a_large_file_is_needed(self):
        model = ModelProto.from_bytes(LINEAR)
        model.graph.initializer[0].raw_data = bytes(2 * HEAD)
        data = model.to_bytes()
        assert is_detected(detect(data[:HEAD], tail=data[-TAIL:], size=len(data)))

    def test_a_truncated_file_is_still_detected(self):
        start = LINEAR.index(b"weights")
        assert all(is_detected(detect(LINEAR[:size])) for size in range(start, len(LINEAR)))

    def test_damage_does_not_hide_what_it_is(self):
        for offset in range(30, len(LINEAR)):
            damaged = LINEAR[:offset] + bytes([LINEAR[offset] ^ 0x55]) + LINEAR[offset + 1 :]
            assert is_detected(detect(damaged)), offset


class TestOthers:
    @pytest.mark.parametrize("message", [models.graph(), models.meta_graph("serve"), models.saved_model(("serve",))])
    def test_models_of_tensorflow_are_their_own(self, message):
        data = message.to_bytes()
        assert guess_from_fields(data) == "no"
        for form in (data, text.dumps(message).encode(), pb_json.dumps(message).encode()):
            assert detect(form).cls is type(message)

    @pytest.mark.parametrize(
        "tensor",
        [
            TensorProto(dtype=DataType.DT_INT32, tensor_shape=models.shape(2), int_val=[10, 1]),
            TensorProto(dtype=DataType.DT_INT32, tensor_shape=models.shape(4), int_val=[18, 2, 65, 66]),
            TensorProto(dtype=DataType.DT_INT32, tensor_shape=models.shape(), int_val=[7]),
            TensorProto(dtype=DataType.DT_INT32, tensor_shape=models.shape(), int_val=[10]),
            TensorProto(dtype=DataType.DT_INT32, tensor_shape=models.shape(200), int_val=[10] * 200),
            TensorProto(dtype=DataType.DT_INT32, tensor_shape=TensorShapeProto(unknown_rank=True), int_val=[18]),
        ],
    )
    def test_a_tensor_has_the_field_numbers_of_a_model(self, tensor):
        """TensorProto and ModelProto both have a number as field 1, and bytes as fields 2 and 7."""
        assert detect(tensor.to_bytes()).cls is TensorProto

    @pytest.mark.parametrize("objects", [SavedObjectGraph(), SavedObjectGraph(nodes=[SavedObject(), SavedObject()])])
    def test_a_meta_graph_without_nodes_has_the_field_numbers_of_a_model(self, objects):
        """Its graph has the number of the producer of a model, and its objects that of the graph."""
        message = MetaGraphDef(graph_def=GraphDef(), object_graph_def=objects)
        assert detect(message.to_bytes()).cls is not ModelProto

    @needs_corpus
    def test_no_file_of_the_corpus_may_be_a_model(self):
        for path in corpus_files(".pb", ".meta", ".index"):
            assert guess_from_fields(path.read_bytes()[:HEAD]) == "no", path

    @given(st.sampled_from([GraphDef, MetaGraphDef, SavedModel]).flatmap(messages))
    def test_messages_of_tensorflow_are_never_models_of_onnx(self, message):
        assert not is_detected(detect(message.to_bytes()))

    @given(st.binary(max_size=300))
    def test_no_bytes_make_it_fail(self, data):
        assert guess_from_fields(data) in ("no", "maybe", "yes")

    def test_noise_is_not_a_model(self):
        noise = random.Random(5)
        assert not any(is_detected(detect(b"\x08\x08" + noise.randbytes(500))) for _ in range(500))

    def test_deep_nesting_costs_nothing(self):
        data = b""
        for _ in range(20_000):
            data = b"\x3a" + bytes([len(data) & 127 | 128, len(data) >> 7 & 127 | 128, len(data) >> 14]) + data
        assert detect(data).kind

    @pytest.mark.parametrize("names", [[], ["graph"], ["node", "versions"], ["graph", "node"]])
    def test_one_name_is_not_enough(self, names):
        assert guess_from_names(names) == "no"


class TestErrors:
    def test_a_model_of_onnx_is_not_a_graph(self):
        with pytest.raises(FileFormatError) as error:
            load(FOLDER / "linear.onnx", GraphDef)
        assert str(error.value) == (
            "tests/data/onnx/linear.onnx: this is an ONNX model, not a TensorFlow model: "
            "tfmodel.summarize_onnx describes it, and tfmodel.load reads its message"
        )

    def test_a_graph_is_not_a_model_of_onnx(self):
        with pytest.raises(FileFormatError, match=r"linear\.pb: this is a GraphDef, not an ONNX model"):
            load("tests/data/linear.pb", ModelProto)

    @pytest.mark.parametrize("size", [40, 100, 200, len(LINEAR) - 1])
    def test_a_truncated_file_is_an_error_with_a_place(self, size, tmp_path):
        (tmp_path / "cut.onnx").write_bytes(LINEAR[:size])
        with pytest.raises(FileFormatError, match=r"cut\.onnx: truncated"):
            load(tmp_path / "cut.onnx")

    def test_nesting_has_a_limit(self, tmp_path):
        graph = b""
        for _ in range(200):  # graph -> node -> attribute -> graph
            graph = _field(1, _field(5, _field(6, graph)))
        (tmp_path / "deep.onnx").write_bytes(b"\x08\x08" + _field(7, _field(2, b"g") + graph))
        with pytest.raises(FileFormatError, match=r"deep\.onnx: .*nested"):
            load(tmp_path / "deep.onnx")

    @pytest.mark.parametrize(
        ("path", "cls", "problem"),
        [
            ("a.onnx", GraphDef, "an .onnx is a model of ONNX, and this would be a GraphDef: call it .pb"),
            ("A.ONNX", TensorProto, "an .onnx is a model of ONNX, and this would be a TensorProto: call it .pb"),
            ("a.meta", ModelProto, "a .meta is a MetaGraph, and this would be an ONNX model: call it .onnx"),
            ("a.onnx", ModelProto, ""),
            ("a.pb", ModelProto, ""),
            ("a.meta", MetaGraphDef, ""),
        ],
    )
    def test_suffixes(self, path, cls, problem):
        assert suffix_problem(path, cls) == problem


def _field(number: int, data: bytes) -> bytes:
    length = len(data)
    size = bytearray()
    while length > 127:
        size.append(length & 127 | 128)
        length >>= 7
    return bytes([number << 3 | 2, *size, length]) + data


@pytest.mark.parametrize("file", ["tests/data/linear.pb", "tests/data/trained/model.meta", "tests/data/linear"])
def test_other_files_import_nothing_of_onnx(file):
    code = (
        f"import sys, tfmodel\ntfmodel.load({file!r})\n"
        "print(*(name for name in sys.modules if '_schema.onnx' in name or 'reports.onnx' in name))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"\n"
