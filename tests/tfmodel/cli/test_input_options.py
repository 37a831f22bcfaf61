"""The graph that --tags chooses, and the options that errors in files mention."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmodel.cli import main

DATA = Path(__file__).resolve().parents[2] / "data"
GRAPH, SAVED_MODEL = str(DATA / "linear.pb"), str(DATA / "linear")

# A command line of every command that has --tags, without its models.
TAGGED = [
    ["convert", "FILE", "out.pbtxt", "--type=GraphDef"],
    ["diff", "FILE", "FILE"],
    ["draw", "FILE"],
    ["check", "FILE"],
    ["find", "FILE", "op=*"],
    ["dump", "FILE", "--type=GraphDef"],
    ["freeze", "FILE", "-o", "out.pb", "--outputs=y"],
    ["ops", "FILE"],
    ["optimize", "FILE", "-o", "out.pb", "--outputs=y"],
    ["run", "FILE", "--random", "--fetch=y"],
    ["summarize", "FILE"],
    ["transform", "FILE", "-o", "out.pb", "--outputs=y", "--transforms=remove_device"],
    ["verify", "FILE", "FILE", "--outputs=y"],
    ["weights", "FILE"],
]


@pytest.fixture
def errors(capsys, monkeypatch, tmp_path):
    """Return the stderr of a command that runs in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def errors(call, file, *options):
        main([str(file) if word == "FILE" else word for word in call] + list(options))
        return capsys.readouterr().err

    return errors


def ids(call):
    return call[0]


class TestTags:
    """--tags of a SavedModel; for other files see test_options.py."""

    @pytest.mark.parametrize("call", TAGGED, ids=ids)
    def test_of_a_saved_model_they_choose_a_graph(self, errors, call):
        assert "--tags" not in errors(call, SAVED_MODEL, "--tags", "serve")

    @pytest.mark.parametrize("call", TAGGED, ids=ids)
    def test_tags_that_no_graph_has_are_an_error(self, errors, call):
        assert 'no MetaGraph has the tags "gpu"; there are: serve\n' in errors(call, SAVED_MODEL, "--tags", "gpu")

    @pytest.mark.parametrize("call", TAGGED, ids=ids)
    def test_of_a_graph_they_are_an_error(self, errors, call):
        error = errors(call, GRAPH, "--tags", "serve")
        assert f"{GRAPH}: --tags chooses a MetaGraph of a SavedModel, and " in error
        assert error.endswith(": leave the tags out\n")
        assert "--tags" not in errors(call, GRAPH)

    def test_a_missing_file_is_reported_once(self, errors):
        assert errors(["summarize", "FILE"], "gone.pb", "--tags", "serve") == "gone.pb: no such file or directory\n"


class TestHints:
    """An error in a text names options that the command has, or another command that has some."""

    @pytest.fixture
    def unknown_field(self, tmp_path):
        path = tmp_path / "in.pbtxt"
        path.write_text('node { name: "y" op: "NoOp" quantum: 1 }')
        return path

    @pytest.mark.parametrize("call", TAGGED, ids=ids)
    def test_of_unknown_fields(self, errors, unknown_field, call):
        has_it = call[0] in ("convert", "dump")
        own = "(--allow-unknown-field leaves out what is not known)"
        other = "(tfmodel convert --allow-unknown-field leaves out what is not known)"
        error = errors(call, unknown_field)
        assert 'has no field "quantum"' in error
        assert (own if has_it else other) in error
        assert "allow_unknown_field=True" not in error

    def test_of_declarations_of_ops(self, errors, tmp_path):
        path = tmp_path / "ops.pbtxt"
        path.write_text('op { name: "Mine" quantum: 1 }')
        call = ["dump", "FILE", "--format=tree", "--op-defs", str(path)]
        assert "(--allow-unknown-field leaves out what is not known)" in errors(call, GRAPH)
        assert errors([*call, "--allow-unknown-field"], GRAPH) == ""
        call = ["transform", "FILE", "--dry-run", "--transforms=remove_device", "--op-defs", str(path)]
        assert "(tfmodel convert --allow-unknown-field leaves out what is not known)" in errors(call, GRAPH)

    @pytest.mark.parametrize("call", TAGGED, ids=ids)
    def test_of_an_unknown_message(self, errors, tmp_path, call):
        path = tmp_path / "in.json"
        path.write_text('{"quantum": 1}')
        error = errors([word for word in call if not word.startswith("--type")], path)
        assert "JSON of no message that is recognised" in error
        if call[0] in ("convert", "dump"):
            assert "name the message type with --type, if you know it" in error
        else:
            assert "tfmodel dump --type shows it, if you know the message type" in error
        assert "cls=" not in error


@pytest.mark.parametrize("option", ["--shape", "--input-shape", "--input_shape"])
@pytest.mark.parametrize(
    "call",
    [
        ["run", GRAPH, "--random", "--fetch=y"],
        ["summarize", GRAPH],
        ["verify", GRAPH, GRAPH, "--outputs=y"],
        ["transform", GRAPH, "--dry-run", "--outputs=y", "--verify", "--transforms=remove_device"],
        ["optimize", GRAPH, "--outputs=y", "-o", "-"],
    ],
    ids=ids,
)
def test_shapes_have_two_spellings(capsysbinary, call, option):
    assert main([*call, option, "x=2,64"]) == 0
