"""The exit statuses of tfmodel/cli/README.md, which are the same for all commands.

LINES has the calls of each command. FILE stands for a model, OTHER for a second one, OUT for what is written. A new
command fails `test_every_command_is_here`.
"""

from __future__ import annotations

import errno
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbwire.arguments import CLOSED_PIPE, DONE, FAILED, INTERRUPTED, NO
from tfmodel.cli import COMMANDS, main, runner

DATA = Path(__file__).resolve().parents[2] / "data"

LINES = {
    "check": "check FILE",
    "checkpoint": "checkpoint FILE",
    "convert": "convert FILE OUT.pbtxt",
    "diff": "diff FILE OTHER",
    "draw": "draw FILE -o OUT.html",
    "dump": "dump FILE",
    "edit": "edit FILE -o OUT.pb --rename y=z",
    "events": "events FILE",
    "extract": "extract FILE -o OUT.pb --outputs y",
    "find": "find FILE op=MatMul",
    "freeze": "freeze FILE -o OUT.pb --outputs y",
    "ops": "ops FILE",
    "optimize": "optimize FILE -o OUT.pb --outputs y",
    "records": "records FILE",
    "reduce": "reduce FILE -o OUT.pb --differs-from OTHER",
    "run": "run FILE --random",
    "splice": "splice FILE OTHER -o OUT.pb --connect y=x",
    "summarize": "summarize FILE",
    "transform": "transform FILE -o OUT.pb --outputs y --transforms remove_device",
    "vendor": "vendor FILE --check",
    "verify": "verify FILE OTHER",
    "view": "view FILE -o OUT.html",
    "weights": "weights FILE",
}
SOUND = {"checkpoint": "trained/model", "events": "logs", "records": "examples.tfrecord", "vendor": ""}
"""The files of commands that read no graphs."""
BROKEN = {"checkpoint": "broken.index"}
TWO_FILES = [command for command, line in LINES.items() if "OTHER" in line]

NO_LINES = {
    "check": "check unsafe.pbtxt",
    "checkpoint": "checkpoint OUT --verify",
    "diff": "diff linear.pb convnet.pb",
    "dump": "dump OUT.tfrecord",
    "find": "find linear.pb op=Softmax",
    "ops": "ops unsafe.pbtxt",
    "records": "records OUT.tfrecord",
    "vendor": "vendor OUT.copy --check",
    "verify": "verify linear.pb OUT.pb",
}
"""The calls whose answer is no: findings, damage, a difference, no match, an edited copy."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with links to the test data."""
    for path in DATA.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "broken.index").write_bytes((DATA / "trained" / "model.index").read_bytes()[:-5])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(line: str, file: str, other: str = "linear.pb", out: str = "out") -> int:
    words = {"FILE": file, "OTHER": other}
    return main([words.get(word, word.replace("OUT", out)) for word in line.split()])


def test_every_command_is_here() -> None:
    assert LINES.keys() == COMMANDS.keys() - {"completion"}  # which reads and writes no file


@pytest.mark.parametrize("command", sorted(LINES.keys() - {"reduce", "splice", "vendor", "view"}))
def test_done(command: str, folder: Path) -> None:
    assert call(LINES[command], SOUND.get(command, "linear.pb")) == DONE


@pytest.mark.parametrize("command", LINES)
def test_a_missing_file(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(LINES[command], "gone/model.pb") == FAILED
    out, err = capsys.readouterr()
    assert (out, "gone/model.pb" in err or "gone" in err, err.count("\n")) == ("", True, 1)


@pytest.mark.parametrize("command", TWO_FILES)
def test_one_of_two_files_is_missing(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(LINES[command], "linear.pb", "gone.pb") == FAILED
    assert capsys.readouterr().err.splitlines()[-1].startswith("gone.pb: ")


@pytest.mark.parametrize("command", sorted(LINES.keys() - {"vendor"}))
def test_a_broken_file(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = BROKEN.get(command, "truncated.pb")
    assert call(LINES[command], file) == FAILED
    assert file.removesuffix(".index") in capsys.readouterr().err


@pytest.mark.parametrize("command", LINES)
def test_a_usage_error(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{LINES[command]} --no-such-option", "linear.pb") == FAILED
    problem, help_line = capsys.readouterr().err.splitlines()
    assert problem.startswith(f"tfmodel {command}: ")
    assert help_line == f'try "tfmodel {command} --help"'


@pytest.mark.parametrize("command", [command for command, line in LINES.items() if "OUT" in line])
def test_an_output_that_cannot_be_written(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(LINES[command], "linear.pb", "convnet.pb", out="gone/out") == FAILED
    assert "gone" in capsys.readouterr().err


class Unwritable:
    """A standard output that fails."""

    encoding = "utf-8"

    def __init__(self, error: OSError) -> None:
        self._error = error

    def write(self, text: str) -> int:
        raise self._error

    writelines = write

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        raise OSError(errno.EBADF, "no file")


PRINTING = sorted(command for command in LINES if "OUT" not in LINES[command] and command != "vendor")


@pytest.mark.parametrize(
    ("error", "status"),
    [(BrokenPipeError(errno.EPIPE, "Broken pipe"), CLOSED_PIPE), (OSError(errno.ENOSPC, "No space left"), FAILED)],
    ids=["closed pipe", "full disk"],
)
@pytest.mark.parametrize("command", PRINTING)
def test_standard_output_fails(
    command: str, error: OSError, status: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Unwritable(error))
        assert call(LINES[command], SOUND.get(command, "linear.pb")) == status


@pytest.mark.parametrize("command", LINES)
@pytest.mark.parametrize(
    ("error", "status"),
    [(KeyboardInterrupt(), INTERRUPTED), (runner.Terminated(signal.SIGTERM), 128 + signal.SIGTERM)],
    ids=["control-C", "SIGTERM"],
)
def test_a_signal(
    command: str,
    error: KeyboardInterrupt,
    status: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def end(args: object) -> int:
        raise error

    __import__(f"tfmodel.cli.{command}")
    monkeypatch.setattr(sys.modules[f"tfmodel.cli.{command}"], "run", end)
    assert call(LINES[command], "linear.pb") == status
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("command", NO_LINES)
def test_the_answer_is_no(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = bytearray((DATA / "examples.tfrecord").read_bytes())
    damaged[20] ^= 1
    (folder / "out.tfrecord").write_bytes(damaged)
    (folder / "out.index").write_bytes((DATA / "trained" / "model.index").read_bytes())
    (folder / "out.data-00000-of-00001").write_bytes(bytes(60))
    assert main(["edit", "linear.pb", "-o", "out.pb", "--replace-node", "y=Neg"]) == DONE
    if command == "vendor":
        assert main(["vendor", "out.copy", "--parts", "pbwire", "--package", "a"]) == DONE
        (folder / "out.copy" / "pbwire" / "wire.py").write_text("")
    capsys.readouterr()
    assert call(NO_LINES[command], "") == NO
    assert not re.search("(?m)^try ", capsys.readouterr().err)


def test_a_refusal(folder: Path) -> None:
    """Nothing is written that TensorFlow refuses, or that computes something else."""
    assert main(["optimize", "linear.pb", "-o", "out.pb", "--outputs", "nothing"]) == FAILED
    assert main(["edit", "linear.pb", "-o", "out.pb", "--remove", "x"]) == FAILED
    assert not (folder / "out.pb").exists()
