"""Files that do not exist, and files of other formats: commands name the file, not a command of its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmodel.cli import main


@pytest.mark.parametrize("word", ["nosuch.pb", "folder/model", "model.ckpt-1000", "./model", "../model/", "a.b"])
def test_a_word_with_a_dot_or_a_slash_is_a_file(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([word]) == 2
    assert capsys.readouterr().err == f"{word}: no such file or directory\n"


@pytest.mark.parametrize("word", ["sumarize", "--weights=a.npz", "model"])
def test_other_words_are_commands(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word]) == 2
    assert f'there is no command "{word}"' in capsys.readouterr().err


TFLITE = b"\x1c\0\0\0TFL3" + bytes(40)
ONNX = b"\x08\x07\x12\x07pytorch\x1a\x032.0" + b"\x3a\x0a\x0a\x00\x12\x06main_g" + b"\x42\x02\x10\x0d"


EVERYWHERE = ["", "dump", "summarize", "weights", "check", "optimize -o out.pb", "convert"]


@pytest.mark.parametrize(
    ("name", "data", "words", "command"),
    [
        *[("model.tflite", TFLITE, "a TensorFlow Lite model", command) for command in EVERYWHERE],
        *[("model.onnx", ONNX, "an ONNX model", command) for command in ("weights", "check", "optimize -o out.pb")],
    ],
)
def test_models_of_other_programs_are_named(
    command: str, name: str, data: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    arguments = [*command.split()[:1], str(path), *command.split()[1:]]
    if command == "convert":
        arguments.append(str(tmp_path / "out.json"))
    assert main(arguments) in (1, 2)
    assert f"{path}: this is {words}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("out.tflite", "a .tflite is a model of TensorFlow Lite"),
        ("out.keras", "a .keras is a model of Keras"),
    ],
)
def test_formats_that_are_not_written_are_named(
    target: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", "tests/data/linear.pb", str(tmp_path / target)]) == 2
    assert capsys.readouterr().err == f"{tmp_path / target}: {what}, and this format is not supported\n"
    assert main(["convert", "tests/data/linear.pb", str(tmp_path / target), "--to", "binary"]) == 0
