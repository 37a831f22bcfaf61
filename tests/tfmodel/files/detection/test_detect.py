"""`tfmodel.files.detection`: what is this file?"""

from __future__ import annotations

import gzip
import io
import json
import pickle
import random
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import json as pb_json
from pbwire import text
from tests.support.corpus import corpus_files, needs_corpus
from tests.tfmodel import models
from tfmodel.errors import Hint
from tfmodel.files.access.crc32c import crc32c, mask
from tfmodel.files.detection import HEAD, TAIL, detect, explain_share
from tfmodel.files.detection.formats import FIRST, OTHERS
from tfmodel.messages import (
    DataType,
    FingerprintDef,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpList,
    SavedModel,
    TensorProto,
    VersionDef,
)

MESSAGES = {
    "GraphDef": models.graph(),
    "MetaGraphDef": models.meta_graph("serve"),
    "SavedModel": models.saved_model(("serve",), ("train",)),
    "OpList": models.op_list(),
    "TensorProto": models.tensor([1.0, 2.0, 3.0], 3),
    "NodeDef": models.graph().node[2],
    "FunctionDef": models.graph().library.function[0],
    "FingerprintDef": FingerprintDef(saved_model_checksum=2**60, signature_def_hash=7, version=VersionDef(producer=1)),
}


class TestBinary:
    @pytest.mark.parametrize("name", MESSAGES)
    def test_a_message_is_detected_by_its_bytes(self, name):
        detected = detect(MESSAGES[name].to_bytes())
        assert (detected.kind, detected.cls) == ("binary", type(MESSAGES[name]))
        assert detected.what == f"{'an' if name == 'OpList' else 'a'} {name}"

    @pytest.mark.slow(reason="damages inputs in thousands of ways")
    @pytest.mark.parametrize("name", ["GraphDef", "MetaGraphDef", "SavedModel", "OpList"])
    def test_a_truncated_message_is_still_detected(self, name):
        data = MESSAGES[name].to_bytes()
        assert all(detect(data[:size]).cls is type(MESSAGES[name]) for size in range(30, len(data)))

    @pytest.mark.slow(reason="damages inputs in thousands of ways")
    @pytest.mark.parametrize("name", ["GraphDef", "MetaGraphDef", "SavedModel"])
    def test_damage_does_not_hide_what_it_is(self, name):
        data = MESSAGES[name].to_bytes()
        for offset in range(20, len(data)):
            damaged = data[:offset] + bytes([data[offset] ^ 0x55]) + data[offset + 1 :]
            assert detect(damaged).cls is type(MESSAGES[name]), offset

    def test_one_large_tensor_does_not_decide(self):
        large = GraphDef(node=[models.const("w", [0.25] * 100_000, 100_000)])
        data = large.to_bytes()
        assert detect(data).cls is GraphDef
        assert detect(data[:HEAD], tail=data[-TAIL:], size=len(data)).cls is GraphDef

    def test_unknown_fields_do_no_harm(self):
        graph = models.graph()
        graph.node[0].unknown_fields = b"\xfa\x7f\x05later"
        assert detect(graph.to_bytes()).cls is GraphDef

    def test_a_tensor_that_is_all_zero(self):
        zeros = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape())
        assert detect(zeros.to_bytes()).cls is TensorProto

    def test_every_candidate_has_a_table(self):
        from tfmodel import messages

        assert all(hasattr(messages, name) for name in FIRST + OTHERS)

    def test_the_right_table_explains_everything_and_others_little(self):
        data = models.meta_graph("serve").to_bytes()
        assert explain_share(data, MetaGraphDef, "binary") == 1
        assert (
            max(explain_share(data, cls, "binary") for cls in (GraphDef, SavedModel, OpList, TensorProto, NodeDef))
            < 0.6
        )

    def test_other_protobuf_data_is_called_that(self):
        detected = detect(b"\x78\x05\x82\x01\x02hi\xf8\x01\x01")
        assert detected.kind == "wire"
        assert "fields 15: number, 16: 2 bytes, 31: number" in detected.what
        assert detected.advice == Hint.NAME_TYPE

    def test_noise_is_mostly_nothing(self):
        noise = random.Random(7)
        forms = [detect(noise.randbytes(1000)).kind for _ in range(300)]
        assert forms.count("unknown") > 285

    @given(st.binary(max_size=200))
    def test_no_bytes_at_all_make_it_fail(self, data):
        assert detect(data).what

    def test_deep_nesting_costs_nothing(self):
        data = b""
        for _ in range(20_000):
            data = b"\x0a" + bytes([len(data) & 127 | 128, len(data) >> 7 & 127 | 128, len(data) >> 14]) + data
        assert detect(data).kind


@needs_corpus
def test_every_file_of_the_corpus_is_detected():
    expected = {
        "saved_model.pb": SavedModel,
        "frozen.pb": GraphDef,
        "fingerprint.pb": FingerprintDef,
        "conv_train.meta": MetaGraphDef,
        "model.meta": MetaGraphDef,
        "export.meta": MetaGraphDef,
    }
    for path in corpus_files(".pb", ".meta"):
        assert detect(path.read_bytes()).cls is expected[path.name], path
    for path in corpus_files(".index"):
        assert detect(path.read_bytes()).kind == "table", path
    for path in corpus_files(".pbtxt", "/checkpoint"):
        assert detect(path.read_bytes()).kind == "text", path


class TestText:
    @pytest.mark.parametrize("name", MESSAGES)
    def test_a_message_in_text_format(self, name):
        detected = detect(text.dumps(MESSAGES[name]).encode())
        assert (detected.kind, detected.cls) == ("text", type(MESSAGES[name]))
        assert detected.what.endswith(f"{name} in text form")

    @pytest.mark.parametrize(
        "start",
        [
            "# a comment { with brackets\n",
            "\ufeff",
            "\n\n  \t",
            'library { function { signature { name: "}{" } } } ',
            "versions: { producer: 12 }; ",
            "versions < producer: 12 >, ",
            "version: -3\n",
            "node: [ { name: 'a' }, { name: 'b' } ]\n",
        ],
    )
    def test_all_ways_of_writing_it(self, start):
        detected = detect((start + 'node { name: "x" op: "NoOp" }').encode())
        assert (detected.kind, detected.cls) == ("text", GraphDef)

    @pytest.mark.parametrize(
        "content",
        [
            "version: 3\nlibrary { }\n",
            "versions { producer: 12 }",
            'node { name: "x" op "NoOp" }',  # a colon is missing
            'node { name: "x" op: "NoOp" } }',
            'node { name: "x" op: "NoOp" input: "a" quantum { spin: 1 } }\nquanta: 3\n',
            'node { name: "x" op: "NoOp" attr { key: "T" value: { type: DT_FLOAT } } }\nnod {\n}',
            'node { name: "x" attr < key: "a" value { list { i: [1, 2, 3] s: ["{", \'}\'] } } > }',
            'node { name: "x" # {\n  op # {\n : # {\n "No" # }\n "Op" input: "a" }',
            "node [{}, < >, {name: 'a' op: 'b'}]",
            "node\t{\r\n  name\t:\t'x'\r\n}\r\n",
        ],
    )
    def test_unusual_or_malformed_text_is_still_detected(self, content):
        assert (detect(content.encode()).kind, detect(content.encode()).cls) == ("text", GraphDef)

    def test_messages_that_differ_inside_only(self):
        tracked = 'nodes { children { node_id: 1 local_name: "a" } %s }'
        saved = detect((tracked % "user_object { identifier: 'x' }").encode())
        plain = detect((tracked % "attributes { checkpoint_key: 'm' }").encode())
        assert (saved.what, plain.what) == ("a SavedObjectGraph in text form", "a TrackableObjectGraph in text form")

    @pytest.mark.parametrize("start", [b"# gr\xf6\xdfe\n", b"", "\ufeff".encode()])
    @pytest.mark.parametrize("name", [b"\xff", b"\x01", b"\0"])
    def test_a_byte_that_is_wrong_is_the_business_of_the_parser(self, start, name):
        detected = detect(start + b'node { op: "NoOp" input: "a" name: "' + name + b'" }')
        assert (detected.kind, detected.cls) == ("text", GraphDef)

    def test_a_long_comment_is_looked_behind_once_all_of_it_is_there(self):
        comment = b"#" + b"x" * HEAD + b"\n"
        for content, kind in ((b'node { name: "x" }', "text"), (b'\n {"node": [{"op": ""}]}', "json"), (b"", "other")):
            data = comment + content
            begun = detect(data[:HEAD], tail=data[-TAIL:], size=len(data))
            assert (begun.kind, begun.cls) == ("text", None)
            detected = detect(data)
            assert (detected.kind, detected.cls) == (kind, GraphDef if content else None)
        assert detected.what == "comments and nothing else"

    def test_the_end_may_be_cut_off(self):
        data = text.dumps(models.graph()).encode()
        assert all(detect(data[:size]).cls is GraphDef for size in range(10, len(data), 7))

    def test_json(self):
        as_json = {"node": [{"name": "x", "op": "NoOp"}], "versions": {"producer": 1}}
        detected = detect(json.dumps(as_json).encode())
        assert (detected.kind, detected.cls) == ("json", GraphDef)
        as_json = {"metaInfoDef": {"tags": ["serve"]}, "graphDef": as_json, "collectionDef": {}}
        assert detect(json.dumps(as_json, indent=1).encode()).cls is MetaGraphDef
        assert detect(json.dumps({"savedModelSchemaVersion": "1", "metaGraphs": []}).encode()).cls is SavedModel

    @pytest.mark.parametrize("name", MESSAGES)
    @pytest.mark.parametrize("options", [{}, {"preserving_proto_field_name": True, "indent": None}])
    def test_a_message_in_json(self, name, options):
        document = pb_json.dumps(MESSAGES[name], **options)
        detected = detect(document.encode())
        assert (detected.kind, detected.cls) == ("json", type(MESSAGES[name]))
        assert detected.what.endswith(f"{name} in JSON form")
        assert detect(b"\xef\xbb\xbf\r\n" + document.encode()).cls is type(MESSAGES[name])

    def test_json_that_is_cut_off_or_broken(self):
        data = pb_json.dumps(models.graph()).encode()
        assert all(detect(data[:size]).cls is GraphDef for size in range(60, len(data), 7))
        assert detect(data.replace(b",", b"", 1)).cls is GraphDef
        assert detect(data.replace(b'"op"', b'"oops"', 1)).cls is GraphDef

    @pytest.mark.parametrize(
        ("content", "what"),
        [
            ("Dear diary,\ntoday", 'a text file ("Dear diary,")'),
            ("import numpy as np\n", 'a text file ("import numpy as np")'),
            ("model {\n  ssd { num_classes: 3 }\n}\n", 'a text file ("model {")'),
            ("   \n", "white space and nothing else"),
            ("# nothing\n\n# to see", "comments and nothing else"),
            ("{}", "an empty JSON object"),
            ("{'node': []}", "JSON of no message that is recognised"),
            ("[1, 2]", 'a text file ("[1, 2]")'),
            ("body { color: red; }", 'a text file ("body { color: red; }")'),
            ("name: test\non: push\n", 'a text file ("name: test")'),
            ("version: 3\nservices:\n  web:\n    image: x\n", 'a text file ("version: 3")'),
            ('{"name": "keras", "layers": []}', "JSON of no message that is recognised (its keys are name, layers)"),
            ('{"class_name": "Functional", "config": {"layers": []}}', "the architecture of a Keras model"),
            ("item {\n  id: 1\n  name: 'cat'\n}\n", "a label map of the Object Detection API"),
            ("model { ssd { } }\ntrain_config { }\n", "a configuration of the Object Detection API"),
            ('name: "m"\nplatform: "x"\nmax_batch_size: 8\n', "a configuration of the Triton Inference Server"),
            ("x" * 1000, f'a text file ("{"x" * 40}...")'),
        ],
    )
    def test_other_text(self, content, what):
        detected = detect(content.encode())
        assert (detected.kind, detected.what, detected.cls) == ("other", what, None)


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize(
    "data",
    [
        b'{"' + b'\\"' * 100_000,
        b'{"a":' * 50_000,
        b'{"a":[' * 50_000,
        b'{"' + b'"' * 200_000,
        b"node [" * 40_000,
        b"node: [" + b"{}" * 100_000,
        b"node: [" + b'"' * 200_000,
        b"node" + b"#\n" * 100_000,
        b"node: - " + b" " * 200_000,
        b"[" * 200_000,
        b'node {"' + b'\\"' * 100_000,
        b"node {'" + b"\\'" * 100_000,
        b"{" * 200_000,
        b"node {" * 40_000,
        b"#" * 200_000,
        b" " * 200_000 + b"x",
        b"<!---->" * 30_000 + b"x",
        b"<!--" * 50_000,
        b"<html><title>" + b" " * 200_000,
        b"<html>" + b"<title " * 30_000,
        b'a: "" ' * 30_000,
        b"a: " + b'"" ' * 60_000,
        b"\n" * 200_000,
    ],
    ids=lambda data: repr(data[:12]),
)
def test_no_text_takes_long(data):
    """Or rather: it would take hours if any pattern went back and forth."""
    assert detect(data).what


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, b"content")
    return out.getvalue()


def tf_record(payload: bytes) -> bytes:
    length = len(payload).to_bytes(8, "little")
    return b"".join(part + mask(crc32c(part)).to_bytes(4, "little") for part in (length, payload))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "an empty file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\x89HDF\r\n\x1a\n\0\0", "an HDF5 file, as Keras writes them (.h5)"),
        (zipped("metadata.json", "config.json", "model.weights.h5"), "a Keras model (.keras)"),
        (zipped("archive/data.pkl", "archive/version"), "a PyTorch model (.pt)"),
        (zipped("w.npy"), "NumPy arrays (.npz)"),
        (zipped("saved_model/saved_model.pb"), "a zip archive"),
        (pickle.dumps({"a": 1}, protocol=2), "a Python pickle"),
        (pickle.dumps({"a": 1}, protocol=5), "a Python pickle"),
        (b"\x93NUMPY\x01\0v\0{'descr'", "a NumPy array (.npy)"),
        (b"\x1c\0\0\0TFL3\0\0\0\0", "a TensorFlow Lite model (.tflite)"),
        (b"\x40\0\0\0\0\0\0\0" + b'{"w":{"dtype":"F32"}}'.ljust(0x48), "a safetensors file"),
        (b"GGUF\x03\0\0\0", "a GGUF model"),
        (b"model.pb".ljust(257, b"\0") + b"ustar\x0000", "a tar archive"),
        (b"BZh91AY&SY", "bzip2-compressed data"),
        ("node {".encode("utf-16"), "text in UTF-16"),
        ("node { name: 'x' }".encode("utf-16-le"), "text in UTF-16"),
        ("node { name: 'x' }".encode("utf-16-be"), "text in UTF-16"),
        ("node {".encode("utf-32"), "text in UTF-32"),
        (b"<!DOCTYPE html><html><title>GitHub</title>", 'an HTML page "GitHub"'),
        (b"\xef\xbb\xbf\n<!-- hi --> <HTML lang=en>", "an HTML page"),
        (b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>', "an XML document"),
        (bytes.fromhex("83af70d10d884a3f00000000000000004000000000000000"), "a chunked model (.cpb)"),
        (tf_record(b"\x09\0\0\0\0\0\0\0\0\x1a\x0dbrain.Event:2"), "an event file of TensorBoard"),
        (tf_record(b"anything"), "a TFRecord file"),
    ],
)
def test_files_of_other_kinds(data, what):
    detected = detect(data)
    assert detected.what.startswith(what)
    assert detected.kind in ("other", "keras", "empty", "records")


def test_a_git_lfs_pointer_says_what_it_stands_for():
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00ff\nsize 104857600\n"
    detected = detect(pointer)
    assert detected.what == "a Git LFS pointer, which stands for the file (sha256:00ff, 104,857,600 bytes)"
    assert "git lfs pull" in detected.advice
    assert detect(pointer.replace(b"\n", b"\r\n")).what == detected.what
    assert detect(pointer[:45]).what == "a Git LFS pointer, which stands for the file"


def test_gzip_is_to_be_unpacked():
    assert detect(gzip.compress(b"whatever")).kind == "gzip"


def test_a_data_file_of_a_checkpoint_is_known_by_its_name_alone():
    data = bytes(range(200))
    detected = detect(data, name="model.ckpt-7.data-00000-of-00002")
    assert detected.what == "a data file of a checkpoint"
    assert "model.ckpt-7.index" in detected.advice
    assert detect(data).kind == "unknown"
    assert detect(models.graph().to_bytes(), name="model.data-00000-of-00001").cls is GraphDef


def test_a_name_that_promises_text_is_a_reason_to_ask_for_the_type():
    assert detect(b"node\n", name="graph.pbtxt").advice == Hint.NAME_TYPE
    assert detect(b"node\n", name="graph.md").advice == ""


def test_empty_messages_are_not_taken_for_text_in_utf_16():
    assert detect(GraphDef(node=[NodeDef()] * 20).to_bytes()).cls is GraphDef


def test_a_name_that_looks_like_a_signature_is_not_taken_for_one():
    graph = GraphDef(node=[NodeDef(name="TFL3", op="NoOp"), NodeDef(name="x", op="NoOp")])
    assert detect(graph.to_bytes()).cls is GraphDef


def test_a_text_whose_first_string_has_lost_its_opening_quote_is_a_graph():
    """The parser then says at which line and column."""
    detected = detect(b'node {\n  name: x"\n  op: "Placeholder"\n}\nnode {\n  name: "y"\n  op: "Relu"\n}\n')
    assert (detected.kind, detected.cls) == ("text", GraphDef)
