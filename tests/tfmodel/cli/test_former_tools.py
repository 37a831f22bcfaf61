"""The flags of TensorFlow's tools are accepted by the commands that replace the tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tfmodel.cli.former_flags import TOOLS
from tfmodel.cli import main
from tfmodel.cli.former_tools import FLAGS

TRAINED = "tests/data/trained/model.meta"

# What each flag is given, where another value would be about another model; {out} is a file to write.
VALUES = {
    "input_graph": TRAINED,
    "input_meta_graph": TRAINED,
    "input_saved_model_dir": "tests/data/linear",
    "input_checkpoint": "tests/data/trained/model",
    "in_graph": TRAINED,
    "dir": TRAINED,
    "input": TRAINED,
    "file_name": "tests/data/trained/model",
    "output_graph": "{out}",
    "out_graph": "{out}",
    "output": "{out}",
    "output_node_names": "y",
    "output_names": "y",
    "outputs": "y",
    "input_node_names": "x",
    "input_names": "x",
    "inputs": "x",
    "transforms": "strip_unused_nodes",
    "tensor_name": "layer/bias",
    "tag_set": "serve",
    "saved_model_tags": "serve",
    "variable_names_whitelist": "layer/bias,layer/weights",
    "variable_names_denylist": "layer/bias",
    "checkpoint_version": "2",
    "placeholder_type_enum": "1",
}

# The flags that the tool needs, and with them the command runs.
NEEDED = {
    "freeze": ["input_graph", "output_graph", "output_node_names"],
    "extract": ["input_graph", "output_graph", "input_node_names", "output_node_names"],
    "optimize": ["input", "output", "input_names", "output_names"],
    "checkpoint": ["file_name"],
    "transform": ["in_graph", "out_graph", "inputs", "outputs", "transforms"],
    "summarize": ["in_graph"],
}
ROWS = [(tool, command, flag) for tool, (command, flags) in TOOLS.items() for flag in flags]


def arguments(command: str, names: list[str], out: Path) -> list[str]:
    return [command, *(f"--{name}={VALUES[name].format(out=out)}" for name in names)]


@pytest.mark.parametrize(("tool", "command", "flag"), ROWS)
def test_every_flag_of_the_tool_is_accepted(tool: str, command: str, flag: str, tmp_path: Path) -> None:
    needed = list(NEEDED[command])
    if flag in ("input_meta_graph", "input_saved_model_dir", "dir"):  # in place of another
        needed = [name for name in needed if name not in ("input_graph", "in_graph", "output_node_names")]
    words = arguments(command, [name for name in needed if name != flag], tmp_path / "out.pb")
    value = VALUES.get(flag, "true").format(out=tmp_path / "out.pb")
    if flag == "tag_set":  # is about SavedModels
        words = [command, "--dir=tests/data/linear"]
    assert main([*words, f"--{flag}={value}"]) in ((0, 1) if flag == "input_saved_model_dir" else (0,))


@pytest.mark.parametrize(("tool", "command", "flag"), ROWS)
def test_an_empty_value_is_as_if_the_flag_were_left_out(
    tool: str, command: str, flag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if TOOLS[tool][1][flag] == "bool" or flag in NEEDED[command] or flag == "tag_set":
        pytest.skip("the tool takes no empty value there; an empty set of tags is one")
    words = arguments(command, NEEDED[command], tmp_path / "out.pb")
    assert main([*words, f"--{flag}="]) == 0
    assert "no effect" not in capsys.readouterr().err


# The flags that may have no effect, with what is said then. --saved_model_tags has one for SavedModels.
NOTES = [
    *((command, flag.name, flag.note) for command, flags in FLAGS.items() for flag in flags if not flag.becomes),
    ("freeze", "saved_model_tags", "the model is not a SavedModel"),
]


@pytest.mark.parametrize(("command", "flag", "note"), NOTES)
def test_a_flag_without_effect_is_named(
    command: str, flag: str, note: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = VALUES.get(flag, "true")
    assert main([*arguments(command, NEEDED[command], tmp_path / "out.pb"), f"--{flag}={value}"]) == 0
    assert note
    assert f"--{flag} has no effect: {note}\n" in capsys.readouterr().err


def test_only_flags_of_tools_may_be_without_effect() -> None:
    """An option of a command that does nothing is an error: see `test_options.py`."""
    accepted = {(command, flag.name) for command, flags in FLAGS.items() for flag in flags}
    accepted |= {(command, flag) for command, flag, _ in NOTES}
    assert accepted <= {(command, flag) for _, command, flag in ROWS}


@pytest.mark.parametrize(("command", "flag"), [("freeze", "--input_savr="), ("optimize", "--toco_compatibel")])
def test_a_misspelled_flag_is_an_error(
    command: str, flag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments(command, NEEDED[command], tmp_path / "out.pb"), flag]) == 2
    assert "unrecognized arguments" in capsys.readouterr().err


def test_a_missing_argument_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["optimize", "-o", str(tmp_path / "out.pb")]) == 2
    assert "the following arguments are required: MODEL" in capsys.readouterr().err
    assert main(["optimize", TRAINED, f"--input={TRAINED}", "-o", str(tmp_path / "out.pb")]) == 2
    assert "contradicts" in capsys.readouterr().err
