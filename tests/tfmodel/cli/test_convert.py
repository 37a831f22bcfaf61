"""`tfmodel convert`."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tfmodel
from pbwire import json as pb_json
from pbwire import text
from pbwire.wellknown import Any
from tests.support.corpus import model_files
from tests.tfmodel import models
from tfmodel import Checkpoint, load, save
from tfmodel.cli import main
from tfmodel.files.access.forms import FORMS
from tfmodel.messages import TYPES, AttrValue, GraphDef, MetaGraphDef, NodeDef, SavedModel, VersionDef

ROOT = Path(__file__).resolve().parents[3]
SUFFIXES = {"binary": ".pb", "text": ".pbtxt", "json": ".json"}


def with_collections(message):
    for meta in message.meta_graphs if isinstance(message, SavedModel) else [message]:
        meta.collection_def = models.collections()
    return message


MESSAGES = {
    "GraphDef": models.graph(),
    "MetaGraphDef": with_collections(models.meta_graph("serve")),
    "SavedModel": with_collections(models.saved_model(("serve",), ("train",))),
}


def written(message, form):
    """The bytes that we expect of a message in that form."""
    if form == "binary":
        return message.to_bytes(deterministic=True)
    return (text.dumps(message, types=TYPES) if form == "text" else pb_json.dumps(message, types=TYPES) + "\n").encode()


@pytest.fixture
def convert(capsys):
    """Runs the command, which must succeed and say only what it wrote."""

    def convert(*arguments):
        status = main(["convert", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert (status, out) == (0, "")
        said = re.fullmatch(r"(.*): (binary|text|json), ([\d,]+) bytes\n", err)
        assert said and os.path.getsize(said[1]) == int(said[3].replace(",", "")), err

    return convert


@pytest.fixture
def convert_to_folder(capsys):
    """Runs the command, which must succeed, and gives what it says on stderr."""

    def convert(*arguments):
        assert main(["convert", *map(str, arguments)]) == 0
        return capsys.readouterr().err

    return convert


@pytest.fixture
def fails(capsys):
    """Runs the command, which must fail, and gives what it says on stderr."""

    def fails(*arguments):
        status = main(["convert", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert (status, out) == (2, "")
        return err.rstrip("\n")

    return fails


class TestDirections:
    @pytest.mark.parametrize("to", FORMS)
    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("name", MESSAGES)
    def test_from_each_form_to_each(self, convert, tmp_path, name, form, to):
        source, target = tmp_path / f"in{SUFFIXES[form]}", tmp_path / f"out{SUFFIXES[to]}"
        source.write_bytes(written(MESSAGES[name], form))
        convert(source, target, "--deterministic")
        assert target.read_bytes() == written(MESSAGES[name], to)

    @pytest.mark.parametrize("to", FORMS)
    def test_names_do_not_matter_where_the_form_is_given(self, convert, tmp_path, graph_file, to):
        convert(graph_file, tmp_path / "out", "--to", to, "--deterministic")
        assert (tmp_path / "out").read_bytes() == written(models.graph(), to)
        convert(graph_file, tmp_path / "out.meta", "--to", to, "--deterministic")
        assert (tmp_path / "out.meta").read_bytes() == written(models.graph(), to)

    @pytest.mark.parametrize(
        ("suffix", "form"),
        [
            (".pb", "binary"),
            (".meta", "binary"),
            (".pbtxt", "text"),
            (".textproto", "text"),
            (".txtpb", "text"),
            (".json", "json"),
            (".JSON", "json"),
        ],
    )
    def test_the_output_name_determines_its_format(self, convert, tmp_path, graph_file, suffix, form):
        convert(graph_file, tmp_path / f"out{suffix}", "--deterministic")
        assert (tmp_path / f"out{suffix}").read_bytes() == written(models.graph(), form)

    def test_the_input_name_does_not_determine_its_format(self, convert, tmp_path):
        """export_meta_graph(as_text=True) writes text format, and people call it model.ckpt.json."""
        (tmp_path / "model.ckpt.json").write_bytes(written(MESSAGES["MetaGraphDef"], "text"))
        convert(tmp_path / "model.ckpt.json", tmp_path / "model.meta", "--deterministic")
        assert (tmp_path / "model.meta").read_bytes() == written(MESSAGES["MetaGraphDef"], "binary")

    def test_a_file_over_itself(self, convert, tmp_path):
        path = tmp_path / "graph.pbtxt"
        path.write_text("versions{producer:7}#seven\nnode:[{op:\"NoOp\",name:'x'}]")
        convert(path, path)
        assert path.read_text() == 'node {\n  name: "x"\n  op: "NoOp"\n}\nversions {\n  producer: 7\n}\n'
        assert os.listdir(tmp_path) == [path.name]

    def test_binary_to_binary_is_normalised(self, convert, tmp_path):
        data = GraphDef(versions=VersionDef(min_consumer=1)).to_bytes() + models.graph().to_bytes()
        (tmp_path / "in.pb").write_bytes(data)
        convert(tmp_path / "in.pb", tmp_path / "out.pb")
        assert (tmp_path / "out.pb").read_bytes() == GraphDef.from_bytes(data).to_bytes() != data

    def test_maps_are_sorted_if_that_is_asked_for(self, convert, tmp_path):
        attr = {key: models.AttrValue(i=3) for key in ("b", "a")}
        (tmp_path / "in.pb").write_bytes(GraphDef(node=[NodeDef(name="n", op="NoOp", attr=attr)]).to_bytes())
        convert(tmp_path / "in.pb", tmp_path / "as_it_was.pb")
        convert(tmp_path / "in.pb", tmp_path / "sorted.pb", "--deterministic")
        assert list(tfmodel.load(tmp_path / "as_it_was.pb").node[0].attr) == ["b", "a"]
        assert list(tfmodel.load(tmp_path / "sorted.pb").node[0].attr) == ["a", "b"]

    def test_names_of_json(self, convert, tmp_path, graph_file):
        convert(graph_file, tmp_path / "a.json")
        convert(graph_file, tmp_path / "b.json", "--preserving_proto_field_name")
        a, b = (json.loads((tmp_path / f"{name}.json").read_text()) for name in "ab")
        assert "tensorShape" in a["node"][1]["attr"]["value"]["tensor"]
        assert "tensor_shape" in b["node"][1]["attr"]["value"]["tensor"]
        convert(tmp_path / "b.json", tmp_path / "b.pb")
        assert tfmodel.load(tmp_path / "b.pb") == models.graph()

    @pytest.mark.parametrize("path", model_files(".pb", ".pbtxt", "model.meta"))
    def test_every_model_file_there_and_back(self, tmp_path, path):
        for suffix in SUFFIXES.values():
            main(["convert", str(path), str(tmp_path / f"there{suffix}")])
            main(["convert", str(tmp_path / f"there{suffix}"), str(tmp_path / "back.pb")])
            assert tfmodel.load(tmp_path / "back.pb").to_bytes(True) == tfmodel.load(path).to_bytes(True)


class TestInput:
    def test_folders_and_prefixes(self, convert, tmp_path):
        models.write_saved_model(tmp_path / "saved")
        convert(tmp_path / "saved", tmp_path / "a.pbtxt")
        assert tfmodel.load(tmp_path / "a.pbtxt") == models.saved_model()
        (tmp_path / "model.meta").write_bytes(models.meta_graph().to_bytes())
        convert(tmp_path / "model", tmp_path / "b.json")
        assert tfmodel.load(tmp_path / "b.json") == models.meta_graph()

    def test_the_folder_of_a_saved_model_in_text(self, convert, tmp_path):
        convert(models.write_saved_model(tmp_path / "binary"), tmp_path / "saved_model.pbtxt")
        convert(tmp_path, tmp_path / "out.pb")
        assert tfmodel.load(tmp_path / "out.pb") == models.saved_model()

    @pytest.mark.parametrize("form", FORMS)
    def test_the_graph_inside(self, convert, fails, tmp_path, form):
        source = tmp_path / "in"
        source.write_bytes(written(models.saved_model(("serve",), ("train",)), form))
        assert "choose one by its tags: serve; train" in fails(source, tmp_path / "a.pb", "--type=GraphDef")
        convert(source, tmp_path / "a.pb", "--type=GraphDef", "--tags=train")
        assert tfmodel.load(tmp_path / "a.pb") == models.graph()

    @pytest.mark.parametrize("form", FORMS)
    def test_compressed(self, convert, tmp_path, form):
        (tmp_path / "in.gz").write_bytes(gzip.compress(written(models.graph(), form)))
        convert(tmp_path / "in.gz", tmp_path / "out.pb")
        assert tfmodel.load(tmp_path / "out.pb") == models.graph()

    def test_any_message_by_its_type(self, convert, tmp_path):
        (tmp_path / "in.pbtxt").write_text("i: 3 # lonely")
        convert(tmp_path / "in.pbtxt", tmp_path / "out.json", "--type", "AttrValue")
        assert json.loads((tmp_path / "out.json").read_text()) == {"i": "3"}

    def test_a_format_that_content_does_not_show(self, convert, fails, tmp_path):
        """A text format parser would find nothing here that could not be meant, and a binary one a NodeDef."""
        (tmp_path / "in").write_bytes(NodeDef(name="# comment").to_bytes())
        convert(tmp_path / "in", tmp_path / "out.json", "--type=NodeDef", "--from=text")
        assert (tmp_path / "out.json").read_text() == "{}\n"
        convert(tmp_path / "in", tmp_path / "out.json", "--type=NodeDef", "--from=binary")
        assert json.loads((tmp_path / "out.json").read_text()) == {"name": "# comment"}
        error = fails(tmp_path / "in", tmp_path / "out.json", "--from=json")
        assert error.startswith(f"{tmp_path}/in: this is taken for JSON, but no message is recognised in it: name the")

    def test_a_type_that_is_given_is_believed(self, fails, tmp_path):
        (tmp_path / "in.pbtxt").write_text("Dear diary,")
        error = fails(tmp_path / "in.pbtxt", tmp_path / "out.pb", "--type=GraphDef")
        assert error.startswith(f"{tmp_path}/in.pbtxt:1:1: ")

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("in.pbtxt", 'node { name: "x" op: "NoOp" quantum { spin: -1 } }'),
            ("in.json", '{"node": [{"name": "x", "op": "NoOp", "quantum": {"spin": -1}}]}'),
        ],
    )
    def test_unknown_fields(self, convert, fails, tmp_path, name, content):
        (tmp_path / name).write_text(content)
        error = fails(tmp_path / name, tmp_path / "out.pb")
        assert 'has no field "quantum"' in error
        assert "(--allow-unknown-field leaves out what is not known)" in error
        for spelling in ("--allow_unknown_field", "--allow-unknown-field", "--allow_unknown_field=true"):
            convert(tmp_path / name, tmp_path / "out.pb", spelling)
            assert tfmodel.load(tmp_path / "out.pb") == GraphDef(node=[NodeDef(name="x", op="NoOp")])

    def test_the_flag_is_not_offered_where_it_is_of_no_use(self, fails, tmp_path):
        (tmp_path / "in.pbtxt").write_text('node { name: "x" op: "NoOp" quantum { spin: -1 } ]')
        assert "--allow" not in fails(tmp_path / "in.pbtxt", tmp_path / "out.pb")

    def test_an_index_of_a_checkpoint_says_where_its_graph_is(self, fails, tmp_path):
        (tmp_path / "m.index").write_bytes(bytes(40) + bytes.fromhex("57fb808b247547db"))
        (tmp_path / "m.meta").write_bytes(models.meta_graph().to_bytes())
        error = fails(tmp_path / "m.index", tmp_path / "out.pb")
        assert error.startswith(f"{tmp_path}/m.index: this is a checkpoint index, which holds no graph: ")
        assert f"its graph is in {tmp_path}/m.meta" in error


class TestOutput:
    @pytest.mark.parametrize("content", ["node { name: 3 }", '{"node": 3}'])
    def test_an_existing_file_stays_if_the_input_is_bad(self, fails, tmp_path, content):
        (tmp_path / "in").write_text(content)
        (tmp_path / "out.pb").write_bytes(b"old")
        fails(tmp_path / "in", tmp_path / "out.pb", "--type=GraphDef")
        assert (tmp_path / "out.pb").read_bytes() == b"old"
        assert sorted(os.listdir(tmp_path)) == ["in", "out.pb"]

    def test_an_existing_file_stays_if_the_message_cannot_be_encoded(self, fails, tmp_path):
        meta = with_collections(models.meta_graph())
        meta.collection_def["secrets"] = models.CollectionDef(
            any_list=models.CollectionDef.AnyList(value=[Any(type_url="type.googleapis.com/secret.Type", value=b"?")])
        )
        (tmp_path / "in.pb").write_bytes(meta.to_bytes())
        (tmp_path / "out.json").write_bytes(b"old")
        error = fails(tmp_path / "in.pb", tmp_path / "out.json")
        assert error.startswith(f"{tmp_path}/in.pb: cannot be written as JSON, only as text or binary: collection_def")
        assert "secret.Type" in error
        assert (tmp_path / "out.json").read_bytes() == b"old"
        assert sorted(os.listdir(tmp_path)) == ["in.pb", "out.json"]

    def test_a_folder(self, fails, tmp_path, graph_file):
        assert fails(graph_file, tmp_path) == f"{tmp_path}: this is a folder; name a file in it to write to"
        assert fails(graph_file, tmp_path, "--to=json") == fails(graph_file, tmp_path)

    def test_a_missing_folder(self, fails, tmp_path):
        """It is missed before anything is read."""
        assert fails(tmp_path / "missing.pb", tmp_path / "no" / "out.pb") == (
            f"{tmp_path}/no/out.pb: there is no folder {tmp_path}/no to write it to"
        )

    def test_binary_data_do_not_reach_a_terminal(self, monkeypatch, capsys, graph_file):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        assert main(["convert", str(graph_file), "-", "--to=binary"]) == 2
        assert "is a terminal" in capsys.readouterr().err

    def test_unknown_fields_that_only_binary_keeps_are_counted(self, capsys, convert, tmp_path):
        graph = models.graph()
        graph.node[0].unknown_fields = graph.node[1].unknown_fields = b"\xf8\x07\x01\xf8\x07\x02"
        graph.versions.unknown_fields = b"\xfa\x07\x01x"
        (tmp_path / "in.pb").write_bytes(graph.to_bytes())
        convert(tmp_path / "in.pb", tmp_path / "same.pb")
        assert tfmodel.load(tmp_path / "same.pb") == graph
        for name in ("out.pbtxt", "out.json"):
            assert main(["convert", str(tmp_path / "in.pb"), str(tmp_path / name)]) == 0
            assert capsys.readouterr().err.splitlines()[0] == (
                f"{tmp_path}/in.pb: left out 5 unknown fields: field 127 of VersionDef, field 127 of NodeDef"
            )
            assert tfmodel.load(tmp_path / name) == models.graph()


class TestSavedModels:
    def test_a_graph_with_a_signature(self, convert_to_folder, tmp_path, graph_file):
        said = convert_to_folder(
            graph_file, f"{tmp_path}/out/", "--signature=serving_default=image=x:scores=y:0,weights"
        )
        assert said == f'{tmp_path}/out/: tags serve, signature "serving_default"; no variables, 0 assets\n'
        signature = load(tmp_path / "out", MetaGraphDef).signature_def["serving_default"]
        assert {key: info.name for key, info in signature.inputs.items()} == {"image": "x:0"}
        assert {key: info.name for key, info in signature.outputs.items()} == {"scores": "y:0", "weights": "weights:0"}

    def test_inputs_and_outputs_that_are_guessed_are_printed(self, convert_to_folder, tmp_path, graph_file):
        guessed = "guessed: --signature NAME=INPUTS:OUTPUTS names others"
        first, second, _ = convert_to_folder(graph_file, tmp_path / "out", "--to=saved_model").splitlines()
        assert [first, second] == [f"inputs: x:0, {guessed}", f"outputs: y:0, {guessed}"]

    def test_a_saved_model(self, convert_to_folder, tmp_path):
        folder = models.write_saved_model(tmp_path / "model", ("serve",), ("train",))
        convert_to_folder(folder, f"{tmp_path}/out/")
        assert (tmp_path / "out" / "saved_model.pb").read_bytes() == (folder / "saved_model.pb").read_bytes()
        convert_to_folder(folder, f"{tmp_path}/train/", "--tags=train")
        assert len(load(tmp_path / "train", SavedModel).meta_graphs) == 1

    def test_tags_of_a_new_one(self, convert_to_folder, tmp_path, graph_file):
        convert_to_folder(graph_file, f"{tmp_path}/out/", "--tags=serve,gpu")
        assert load(tmp_path / "out", MetaGraphDef).meta_info_def.tags == ["serve", "gpu"]

    def test_a_checkpoint(self, convert_to_folder, tmp_path):
        folder = ROOT / "tests/data/trained"
        save(load(folder / "model.meta", GraphDef), tmp_path / "graph.pb")
        convert_to_folder(tmp_path / "graph.pb", f"{tmp_path}/out/", f"--checkpoint={folder}/model")
        assert sorted(Checkpoint(tmp_path / "out")) == ["layer/bias", "layer/weights"]

    def test_a_folder_that_is_not_empty(self, fails, tmp_path, graph_file):
        """It is refused before anything is read."""
        said = fails(tmp_path / "missing.pb", f"{tmp_path}/")
        assert said == f"{tmp_path}/: this folder is there already, and not empty"

    def test_compressed_input_has_a_limit(self, fails, convert_to_folder, tmp_path, graph_file):
        (tmp_path / "graph.pb.gz").write_bytes(gzip.compress(graph_file.read_bytes()))
        assert "hold more than 100" in fails(tmp_path / "graph.pb.gz", f"{tmp_path}/out/", "--max-unpacked=100")
        convert_to_folder(tmp_path / "graph.pb.gz", f"{tmp_path}/out/", "--max-unpacked=10k")


class TestPipes:
    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.parametrize("to", FORMS)
    @pytest.mark.parametrize("form", FORMS)
    def test_from_standard_input_to_standard_output(self, form, to):
        command = [sys.executable, "-m", "tfmodel", "convert", "-", "-", "--to", to, "--deterministic"]
        source = written(MESSAGES["MetaGraphDef"], form)
        done = subprocess.run(command, cwd=ROOT, input=source, capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout == written(MESSAGES["MetaGraphDef"], to)

    def test_errors_call_it_stdin(self, fails, monkeypatch):
        class Input:
            buffer = io.BytesIO(b"node {\n  name: 3\n}\n")
            isatty = staticmethod(lambda: False)

        monkeypatch.setattr(sys, "stdin", Input)
        assert fails("-", "-", "--to=json").startswith("<stdin>:2:9: ")

    def test_standard_input_that_is_closed(self, fails, monkeypatch):
        monkeypatch.setattr(sys, "stdin", None)
        assert fails("-", "-", "--to=json") == "<stdin>: standard input is closed"

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    def test_a_full_disk(self, graph_file):
        with open("/dev/full", "w") as full:
            command = [sys.executable, "-m", "tfmodel", "convert", graph_file, "-", "--to=json"]
            done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (2, b"tfmodel convert: no space left on device\n")


def test_an_error_far_down_in_a_file(fails, tmp_path):
    graph = GraphDef(node=[NodeDef(name="x", op="Relu", attr={"T": AttrValue(type=1)})] * 1000)
    lines = text.dumps(graph).split("\n")
    number = next(number for number in range(3000, len(lines)) if "type: DT_FLOAT" in lines[number])
    lines[number] = lines[number].replace("DT_FLOAT", "DT_FLOTE")
    (tmp_path / "graph.pbtxt").write_text("\n".join(lines))
    first, source, carets = fails(tmp_path / "graph.pbtxt", tmp_path / "out.pb").split("\n")
    column = lines[number].index("DT_FLOTE")
    assert first.startswith(f"{tmp_path}/graph.pbtxt:{number + 1}:{column + 1}: expected ")
    assert source == "    " + lines[number]
    assert carets == "    " + " " * column + "^" * 8


def test_help_explains_format_detection_and_all_options(capsys):
    assert main(["convert", "--help"]) == 0
    out = capsys.readouterr().out
    assert 'a "model.ckpt.json" that export_meta_graph(as_text=True) has written is text format' in " ".join(
        out.split()
    )
    for option in ("--from", "--to", "--type", "--tags", "--deterministic", "--allow-unknown-field"):
        assert f"  {option}" in out
