"""`tfmodel.files.files`: load and save."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pbwire
import tfmodel
from pbwire import json as pb_json
from pbwire import text
from tests.support.corpus import corpus, model_files, needs_corpus
from tests.tfmodel import models
from tests.tfmodel.files.bad_files import BAD_FILES, WITH_SOURCE, write_bad_file
from tfmodel import FileFormatError, load, save
from tfmodel.files import files, model_file
from tfmodel.files.detection import HEAD, detect
from tfmodel.messages import (
    TYPES,
    AttrValue,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpList,
    SavedModel,
    SignatureDef,
    TensorProto,
    VersionDef,
)

ROOT = Path(__file__).resolve().parents[3]


def written(path: Path, message: pbwire.Message) -> Path:
    path.write_bytes(message.to_bytes())
    return path


class TestLoad:
    def test_from_a_path_or_bytes(self, tmp_path):
        graph = models.graph()
        path = written(tmp_path / "graph.pb", graph)
        data = path.read_bytes()
        for source in (path, str(path), data, bytearray(data), memoryview(data)):
            assert load(source) == graph
            assert load(source, GraphDef) == graph

    def test_from_standard_input(self, monkeypatch):
        class Input:
            buffer = io.BytesIO(models.op_list().to_bytes())

        monkeypatch.setattr(sys, "stdin", Input)
        assert load("-") == models.op_list()

    def test_lazily(self, tmp_path):
        path = written(tmp_path / "graph.pb", models.graph())
        graph = load(path, lazy=True)
        assert type(graph.node[0]) is not NodeDef
        assert graph == load(path)

    @pytest.mark.parametrize("name", [None, "model.pb", "model.pb.gz", "model"])
    def test_gzip_is_unpacked(self, tmp_path, name):
        data = gzip.compress(models.graph().to_bytes())
        if name is not None:
            (tmp_path / name).write_bytes(data)
        assert load(tmp_path / name if name else data) == models.graph()

    def test_gzip_in_several_parts(self):
        data = models.graph().to_bytes()
        packed = gzip.compress(data[:50]) + gzip.compress(data[50:]) + bytes(100)
        assert load(packed) == models.graph()

    def test_the_graph_inside(self, tmp_path):
        path = written(tmp_path / "model.meta", models.meta_graph())
        assert load(path, GraphDef) == models.graph()
        folder = models.write_saved_model(tmp_path / "saved")
        assert load(folder, GraphDef) == models.graph()
        assert load(folder, MetaGraphDef) == models.meta_graph("serve")
        assert load(folder, MetaGraphDef, lazy=True) == models.meta_graph("serve")

    def test_tags_choose(self, tmp_path):
        folder = models.write_saved_model(tmp_path, ("serve",), ("gpu", "serve"), ())
        for tags in ("gpu,serve", "serve,gpu", ["serve", "gpu"], {"gpu", "serve"}):
            assert load(folder, MetaGraphDef, tags=tags) == models.meta_graph("gpu", "serve")
        assert load(folder, MetaGraphDef, tags="serve") == models.meta_graph("serve")
        assert load(folder, MetaGraphDef, tags=()) == models.meta_graph()

    def test_without_tags_several_metagraphs_are_an_error_that_lists_them(self, tmp_path):
        folder = models.write_saved_model(tmp_path, ("serve",), ("train", "gpu"), ())
        with pytest.raises(FileFormatError, match=r"has 3 MetaGraphs; .* tags: serve; gpu,train; \(none\)"):
            load(folder, GraphDef)
        with pytest.raises(FileFormatError, match=r'no MetaGraph has the tags "tpu"; there are: serve; gpu,train'):
            load(folder, GraphDef, tags="tpu")
        assert len(load(folder).meta_graphs) == 3

    def test_tags_alone_are_a_mistake_of_the_caller(self, tmp_path):
        with pytest.raises(ValueError, match="tags choose"):
            load(models.write_saved_model(tmp_path), tags="serve")

    @pytest.mark.parametrize("cls", ["GraphDef", int, GraphDef()])
    def test_cls_is_a_message_class(self, cls):
        with pytest.raises(TypeError, match="cls is a message class"):
            load(b"", cls)

    def test_a_metagraph_without_a_graph(self):
        meta = models.meta_graph("serve")
        meta.graph_def = None
        with pytest.raises(FileFormatError, match="has no graph"):
            load(meta.to_bytes(), GraphDef)

    def test_the_wrong_message_is_refused(self, tmp_path):
        path = written(tmp_path / "ops.pb", models.op_list())
        with pytest.raises(FileFormatError, match=r"ops\.pb: this is an OpList, not a SavedModel"):
            load(path, SavedModel)
        with pytest.raises(FileFormatError, match="this is a SavedModel, not an OpList"):
            load(models.saved_model().to_bytes(), OpList)

    @pytest.mark.parametrize(
        "message",
        [
            models.graph().node[1],
            models.meta_graph().signature_def["serving_default"],
            models.tensor([1.0], 1),
            GraphDef(),
            GraphDef(node=[NodeDef()]),
            OpList(op=[models.op_list().op[1]]),
        ],
    )
    def test_any_message_class_can_be_requested(self, message):
        assert load(message.to_bytes(), type(message)) == message

    def test_no_bytes_are_an_empty_message_only_if_one_is_asked_for(self, tmp_path):
        (tmp_path / "empty.pb").write_bytes(b"")
        for source in (b"", tmp_path / "empty.pb"):
            assert load(source, SignatureDef) == SignatureDef()
            with pytest.raises(FileFormatError, match="empty file"):
                load(source)

    def test_errors_name_the_file_the_byte_and_the_field(self, tmp_path):
        data = models.graph().to_bytes()
        (tmp_path / "cut.pb").write_bytes(data[:200])
        with pytest.raises(FileFormatError) as caught:
            load(tmp_path / "cut.pb")
        assert str(caught.value).startswith(f"{tmp_path}/cut.pb: truncated")
        assert "node[2]" in str(caught.value)
        assert isinstance(caught.value, tfmodel.Error)
        assert isinstance(caught.value.__cause__, pbwire.DecodeError)
        with pytest.raises(FileFormatError, match=r"^<bytes>: truncated"):
            load(data[:200])

    @pytest.mark.parametrize("name", BAD_FILES)
    def test_bad_files_are_named_for_what_they_are(self, name, tmp_path):
        path = write_bad_file(name, tmp_path)
        with pytest.raises((FileFormatError, OSError)) as caught:
            load(path)
        message = str(caught.value)
        assert str(path) in message
        assert BAD_FILES[name].lower() in message.lower()
        assert message.count("\n") == (2 if name in WITH_SOURCE else 0)

    def test_a_name_with_control_characters_is_shown_escaped(self, tmp_path):
        path = tmp_path / "a\x1b[31m\nb.pb"
        path.write_bytes(b"")
        with pytest.raises(FileFormatError, match=r"a\\x1b\[31m\\nb\.pb: "):
            load(path)

    def test_files_that_are_not_models_are_not_read_to_their_end(self, tmp_path):
        path = tmp_path / "huge.pb"
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            file.truncate(1 << 40)  # of zeros that take no space
        with pytest.raises(FileFormatError, match="PNG"):
            load(path)

    @pytest.mark.parametrize("path", model_files(".pb", ".meta"))
    def test_every_model_file_is_read_lazily_and_eagerly(self, path):
        assert load(path).to_bytes(True) == load(path, lazy=True).to_bytes(True)
        if path.name != "fingerprint.pb":
            assert load(path, GraphDef).node

    @needs_corpus
    def test_checkpoints_and_folders_of_the_corpus(self):
        assert isinstance(load(corpus / "tf2onnx/regression/checkpoint"), MetaGraphDef)
        assert isinstance(load(corpus / "tf2onnx/regression/checkpoint/model"), MetaGraphDef)
        assert isinstance(load(corpus / "serving/session_bundle/half_plus_two/00000123/export"), MetaGraphDef)
        with pytest.raises(FileFormatError, match=r"checkpoint index, which holds no graph: .*tfmodel\.Checkpoint"):
            load(corpus / "serving/saved_model_counter/00000123/variables/variables")


class TestTextAndJson:
    @pytest.fixture(params=["text", "json"])
    def dumps(self, request):
        """Spells a message in one of the two forms."""
        module = text if request.param == "text" else pb_json
        return lambda message: module.dumps(message, types=TYPES).encode()

    @pytest.mark.parametrize("name", ["graph.pbtxt", "graph.json", "model.ckpt.json", "graph.pb", "graph"])
    def test_it_is_detected_by_content_and_not_by_name(self, tmp_path, dumps, name):
        (tmp_path / name).write_bytes(dumps(models.graph()))
        for source in (tmp_path / name, dumps(models.graph()), gzip.compress(dumps(models.graph()))):
            for cls in (None, GraphDef):
                for lazy in (False, True):
                    assert load(source, cls, lazy=lazy) == models.graph()

    @pytest.mark.parametrize(
        "change",
        [
            lambda data: b"\xef\xbb\xbf" + data,
            lambda data: data.replace(b"\n", b"\r\n"),
            lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
            lambda data: b"\n\t  " + data + b"  \n",
        ],
        ids=["byte order mark", "CRLF", "both", "white space"],
    )
    def test_as_editors_write_it(self, dumps, change):
        assert load(change(dumps(models.graph()))) == models.graph()

    def test_in_utf_16_it_says_so(self, dumps):
        for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
            for cls in (None, GraphDef):
                with pytest.raises(FileFormatError, match=r"^<bytes>: this is text in UTF-16, .* save it as UTF-8"):
                    load(dumps(models.graph()).decode().encode(encoding), cls)

    def test_the_graph_inside(self, tmp_path, dumps):
        (tmp_path / "saved_model.pbtxt").write_bytes(dumps(models.saved_model(("serve",), ("train",))))
        assert load(tmp_path) == models.saved_model(("serve",), ("train",))
        assert load(tmp_path, MetaGraphDef, tags="train") == models.meta_graph("train")
        assert load(tmp_path, GraphDef, tags="train") == models.graph()
        with pytest.raises(FileFormatError, match="choose one by its tags: serve; train"):
            load(tmp_path, GraphDef)
        assert load(dumps(models.meta_graph()), GraphDef) == models.graph()

    def test_collections_that_hold_messages(self, dumps):
        meta = models.meta_graph("serve")
        meta.collection_def = models.collections()
        assert "[type.googleapis.com/tensorflow.QueueRunnerDef] {" in text.dumps(meta, types=TYPES)
        assert load(dumps(meta)).to_bytes(True) == meta.to_bytes(True)

    def test_the_wrong_message_is_refused(self, dumps):
        with pytest.raises(FileFormatError, match=r"this is an OpList in (text|JSON) form, not a SavedModel"):
            load(dumps(models.op_list()), SavedModel)

    @pytest.mark.parametrize(
        "message",
        [
            models.meta_graph().signature_def["serving_default"],
            models.shape(1, 2),
            models.graph().node[1].attr["value"],
            GraphDef(),
            GraphDef(versions=VersionDef(producer=3)),
        ],
    )
    def test_any_message_class_can_be_requested(self, dumps, message):
        assert load(dumps(message), type(message)) == message

    @pytest.mark.parametrize("content", [b"", b" \n", b"# nothing", b"{}", b"#" * (HEAD + 7)])
    def test_an_empty_file_is_an_empty_message_only_if_a_class_is_requested(self, tmp_path, content):
        (tmp_path / "graph.pbtxt").write_bytes(content)
        assert load(tmp_path / "graph.pbtxt", GraphDef) == GraphDef()
        with pytest.raises(FileFormatError, match=r"nothing else|empty"):
            load(tmp_path / "graph.pbtxt")

    @pytest.mark.parametrize("wrap", [bytes, gzip.compress])
    def test_behind_a_long_comment(self, tmp_path, wrap):
        comment = b"# the licence, at length\n" * 20_000
        assert len(comment) > HEAD
        for message in (models.graph(), models.meta_graph("serve")):
            (tmp_path / "model").write_bytes(wrap(comment + text.dumps(message).encode()))
            assert load(tmp_path / "model") == message
            assert load(tmp_path / "model", GraphDef) == models.graph()
        (tmp_path / "model").write_bytes(wrap(comment + b"def main(): pass\n"))
        with pytest.raises(FileFormatError, match="this is a text file"):
            load(tmp_path / "model")

    def test_an_error_shows_the_line(self, tmp_path):
        lines = text.dumps(models.graph()).split("\n")
        lines[lines.index("          size: 4")] = "          size: twelve"
        (tmp_path / "graph.pbtxt").write_text("\n".join(lines))
        with pytest.raises(FileFormatError) as caught:
            load(tmp_path / "graph.pbtxt")
        first, source, carets = str(caught.value).split("\n")
        number = lines.index("          size: twelve") + 1
        assert first.startswith(f"{tmp_path}/graph.pbtxt:{number}:17: expected ")
        assert (source, carets) == ("              size: twelve", " " * 20 + "^" * 6)
        assert isinstance(caught.value.__cause__, pbwire.TextFormatError)

    def test_an_error_in_the_grammar_of_json_shows_the_line(self):
        with pytest.raises(FileFormatError) as caught:
            load('{"node": [\r\n  {"name": "größe", "op": NoOp}\r\n]}\r\n'.encode())
        first, source, caret = str(caught.value).split("\n")
        assert first.startswith("<bytes>:2:27: ")
        assert (source, caret) == ('      {"name": "größe", "op": NoOp}', " " * 30 + "^")
        assert isinstance(caught.value.__cause__, pbwire.JsonError)

    def test_a_byte_order_mark_is_not_counted_as_a_column(self):
        for mark in (b"", b"\xef\xbb\xbf"):
            with pytest.raises(FileFormatError) as caught:
                load(mark + b'{"node": [{x}]}')
            first, source, caret = str(caught.value).split("\n")
            assert first.startswith("<bytes>:1:12: ")
            assert (source, caret) == ('    {"node": [{x}]}', " " * 15 + "^")

    def test_an_error_in_a_value_of_json_names_the_field(self):
        with pytest.raises(FileFormatError, match=r'^<bytes>: node\[1\]\.attr\["T"\]\.type: .*"DT_FLOTE"') as caught:
            load(b'{"node": [{"op": "x"}, {"op": "y", "attr": {"T": {"type": "DT_FLOTE"}}}]}')
        assert isinstance(caught.value.__cause__, pbwire.JsonError)

    @pytest.mark.parametrize(
        "content",
        [
            b'node { name: "x" op: "NoOp" quantum { spin: -1 } }',
            b'{"node": [{"name": "x", "op": "NoOp", "quantum": {"spin": -1}}]}',
        ],
    )
    def test_unknown_fields(self, content):
        with pytest.raises(FileFormatError, match=r'has no field "quantum".*allow_unknown_field=True'):
            load(content)
        expected = GraphDef(node=[NodeDef(name="x", op="NoOp")])
        assert load(content, allow_unknown_field=True) == load(content, GraphDef, allow_unknown_field=True) == expected

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"Dear diary,\ntoday I trained a model.\n", 'this is a text file ("Dear diary,"), not a TensorFlow model'),
            (b"import numpy", 'this is a text file ("import numpy"), not a TensorFlow model'),
            (b"<!DOCTYPE html><html>", "this is an HTML page"),
            (b"nod { name: 'x' }", "this is a text file (\"nod { name: 'x' }\")"),
        ],
    )
    def test_a_requested_class_does_not_make_other_content_a_message(self, content, words):
        with pytest.raises(FileFormatError) as caught:
            load(content, GraphDef)
        assert words in str(caught.value)

    def test_a_class_is_a_reason_to_say_where_a_message_goes_wrong(self):
        """Too few fields are valid to recognize a GraphDef unless the caller names the class."""
        data = b"node { a: 1 b: 2 c: 3 }"
        with pytest.raises(FileFormatError, match="this is a text file"):
            load(data)
        with pytest.raises(FileFormatError, match=r'^<bytes>:1:8: .* has no field "a"'):
            load(data, GraphDef)

    @pytest.mark.parametrize("path", model_files(".pb", "model.meta", ".pbtxt"))
    def test_every_model_file_is_read_back(self, dumps, path):
        message = load(path)
        assert load(dumps(message)).to_bytes(True) == message.to_bytes(True)


class TestGzip:
    def test_a_bomb_is_refused_before_it_fills_the_memory(self, tmp_path, monkeypatch):
        monkeypatch.setattr(model_file, "UNPACKED", 1 << 20)
        graph = GraphDef(node=[models.const("w", [0.0] * 500_000, 500_000)])
        packed = gzip.compress(graph.to_bytes())
        assert len(packed) < 10_000
        with pytest.raises(FileFormatError, match=r"hold more than 1,048,576"):
            load(packed)

    def test_a_small_file_that_compresses_well_is_accepted(self):
        graph = GraphDef(node=[models.const("w", [0.0] * 500_000, 500_000)])
        assert load(gzip.compress(graph.to_bytes())) == graph

    def test_a_bomb_of_nothing_is_refused_by_its_beginning(self, monkeypatch):
        from tfmodel.files.access import gzip as unpacking

        monkeypatch.setattr(unpacking, "unpack", None)
        with pytest.raises(FileFormatError, match=r"<bytes> \(unpacked\): this is a PNG image"):
            load(gzip.compress(b"\x89PNG\r\n\x1a\n" + bytes(10_000_000)))

    def test_damage(self):
        packed = bytearray(gzip.compress(models.graph().to_bytes()))
        packed[-6] ^= 1
        with pytest.raises(FileFormatError, match="damaged gzip data"):
            load(bytes(packed))
        for size in (11, 60, len(packed) - 1):
            with pytest.raises(FileFormatError, match="gzip"):
                load(bytes(packed[:size]))

    def test_twice(self):
        with pytest.raises(FileFormatError, match="twice"):
            load(gzip.compress(gzip.compress(models.graph().to_bytes())))


class TestSave:
    @pytest.mark.parametrize("name", ["graph.pb", "graph.meta", "graph", "graph.PB", "graph.bin"])
    def test_binary(self, tmp_path, name):
        save(models.graph(), tmp_path / name)
        assert (tmp_path / name).read_bytes() == models.graph().to_bytes()

    @pytest.mark.parametrize("name", ["graph.pbtxt", "graph.textproto", "graph.PbTxt"])
    def test_text(self, tmp_path, name):
        save(models.graph(), tmp_path / name)
        assert (tmp_path / name).read_bytes() == text.dumps(models.graph(), types=TYPES).encode()

    @pytest.mark.parametrize(
        ("options", "content"),
        [
            ({}, models.graph().to_bytes()),
            ({"format": "text"}, text.dumps(models.graph()).encode()),
            ({"format": "json"}, pb_json.dumps(models.graph()).encode() + b"\n"),
        ],
    )
    def test_to_standard_output(self, monkeypatch, options, content):
        class Output:
            buffer = io.BytesIO()

        monkeypatch.setattr(sys, "stdout", Output)
        save(models.graph(), "-", **options)
        assert Output.buffer.getvalue() == content

    @pytest.mark.parametrize("name", ["graph.json", "graph.JSON"])
    def test_json(self, tmp_path, name):
        save(models.graph(), tmp_path / name)
        assert (tmp_path / name).read_text() == pb_json.dumps(models.graph(), types=TYPES) + "\n"

    @pytest.mark.parametrize("form", ["binary", "text", "json"])
    @pytest.mark.parametrize("name", ["graph", "graph.pb", "graph.pbtxt", "graph.json"])
    def test_a_requested_format(self, tmp_path, form, name):
        save(models.graph(), tmp_path / name, format=form)
        assert detect((tmp_path / name).read_bytes()).kind == form
        assert load(tmp_path / name) == models.graph()

    def test_another_form_is_a_mistake_of_the_caller(self, tmp_path):
        with pytest.raises(ValueError, match="format is 'binary', 'text', 'json' or None, not 'yaml'"):
            save(models.graph(), tmp_path / "graph.yaml", format="yaml")
        assert not os.listdir(tmp_path)

    @pytest.mark.parametrize("suffix", [".pb", ".pbtxt", ".json"])
    def test_equal_messages_give_equal_bytes_if_that_is_asked_for(self, tmp_path, suffix):
        for name, keys in (("a", "xyz"), ("b", "zyx")):
            attr = {key: AttrValue(i=1) for key in keys}
            save(NodeDef(name="n", op="x", attr=attr), tmp_path / f"{name}{suffix}", deterministic=True)
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()

    def test_something_else_is_a_type_error(self, tmp_path):
        with pytest.raises(TypeError, match="not bytes"):
            save(b"graph", tmp_path / "graph.pb")

    @pytest.mark.parametrize("suffix", [".pb", ".pbtxt", ".json"])
    def test_a_message_that_cannot_be_encoded_leaves_the_file_as_it_was(self, tmp_path, suffix):
        path = tmp_path / f"graph{suffix}"
        path.write_bytes(b"old")
        with pytest.raises(pbwire.EncodeError, match=r"node\[1\]\.name"):
            save(GraphDef(node=[NodeDef(name="good"), NodeDef(name="\ud800")]), path)
        assert path.read_bytes() == b"old"
        assert os.listdir(tmp_path) == [path.name]

    def test_the_file_that_is_being_read_lazily_can_be_written(self, tmp_path):
        path = written(tmp_path / "graph.pb", models.graph())
        graph = load(path, GraphDef, lazy=True)
        graph.node[0].name = "renamed"
        save(graph, path)
        again = load(path, GraphDef)
        assert [node.name for node in again.node] == ["renamed", "weights", "layer/MatMul", "y"]

    @pytest.mark.parametrize("path", model_files("saved_model.pb", "frozen.pb", "net.pb", ".meta"))
    def test_saving_a_loaded_file_gives_the_same_bytes(self, tmp_path, path):
        save(load(path, lazy=True), tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == path.read_bytes()


class TestPackage:
    def test_public_names(self):
        assert set(tfmodel.__all__) <= set(dir(tfmodel))
        assert all(getattr(tfmodel, name) is not None for name in tfmodel.__all__)
        assert tfmodel.load is files.load
        with pytest.raises(AttributeError, match="lode"):
            tfmodel.lode  # noqa: B018  looking it up is what is tested

    def test_importing_it_imports_nothing_else(self):
        code = "import sys, tfmodel; print(*(m for m in sys.modules if m.startswith(('tfmodel', 'pbwire'))))"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["tfmodel"]

    def test_loading_a_graph_needs_no_numpy_and_no_other_table(self, tmp_path):
        path = written(tmp_path / "graph.pb", models.graph())
        code = "import sys, tfmodel; tfmodel.load(sys.argv[1]); print(*sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
        )
        modules = set(done.stdout.split())
        assert "tfmodel._schema.graph" in modules
        assert not {"numpy", "tfmodel._schema.meta_graph", "tfmodel._schema.config", "argparse"} & modules


def test_a_tensor_that_is_saved_alone(tmp_path):
    save(models.tensor([1.0, 2.0], 2), tmp_path / "tensor.pb")
    assert isinstance(load(tmp_path / "tensor.pb"), TensorProto)
