"""Commands open their input once: what it is and what it contains come from one look at the file."""

from __future__ import annotations

import builtins
import os
from collections import Counter

import pytest

from tfmodel.cli import main
from tfmodel.errors import FileFormatError
from tfmodel.files.model_file import open_file

MODEL = "tests/data/linear.pb"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each path was opened."""
    counts: Counter[str] = Counter()
    really = builtins.open

    def counting(file, *args, **options):  # type: ignore[no-untyped-def]
        if isinstance(file, (str, os.PathLike)):
            counts[os.path.abspath(file)] += 1
        return really(file, *args, **options)

    monkeypatch.setattr(builtins, "open", counting)
    return counts


@pytest.mark.parametrize(
    "command",
    [
        "dump MODEL",
        "dump MODEL --op MatMul",
        "summarize MODEL",
        "summarize MODEL --compat",
        "find MODEL op=MatMul",
        "check MODEL",
        "weights MODEL",
        "draw MODEL -o OUT.html",
        "draw MODEL -o OUT.dot",
        "transform MODEL -o OUT.pb --transforms strip_unused_nodes --outputs out",
        "freeze MODEL -o OUT.pb",
        "freeze MODEL -o OUT.pb --input_binary true",
        "optimize MODEL -o OUT.pb",
        "convert MODEL OUT.pbtxt",
        "convert MODEL OUT/",
        "run MODEL --random",
        "ops MODEL",
    ],
)
def test_a_command_opens_a_model_once(command, opened, tmp_path, capsys):
    words = [word.replace("MODEL", MODEL).replace("OUT", f"{tmp_path}/out") for word in command.split()]
    main(words)
    assert opened[os.path.abspath(MODEL)] == 1, capsys.readouterr().err


def test_a_file_that_its_reader_opens_again_is_not_read_to_detect_it(tmp_path):
    path = tmp_path / "table"
    path.write_bytes(b"\0" * (1 << 20) + bytes.fromhex("57fb808b247547db").rjust(48, b"\0"))
    file = open_file(path, accept=("table",))
    assert (file.detection.kind, file.data) == ("table", b"")
    assert len(open_file(path).data) == path.stat().st_size


def test_a_file_that_another_reader_takes_is_refused_without_it(tmp_path):
    path = tmp_path / "net.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + b"\0" * 100)
    assert open_file(path, accept=("keras",)).detection.kind == "keras"
    with pytest.raises(FileFormatError, match="this is an HDF5 file, as Keras writes them"):
        open_file(path)
