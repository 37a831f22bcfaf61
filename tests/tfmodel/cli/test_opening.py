"""Commands open their input once: what it is and what it contains come from one look at the file."""

from __future__ import annotations

import builtins
import gc
import gzip
import os
import weakref
from collections import Counter
from pathlib import Path

import pytest

from tests.tfmodel.files.checkpoints.golden import golden
from tests.tfmodel.files.keras.files import FILES, keras_file, needs_h5py
from tests.tfmodel.files.records.files import event_file, examples
from tfmodel.cli import main
from tfmodel.errors import FileFormatError
from tfmodel.files.access.open_files import OpenFile
from tfmodel.files.model_file import open_file
from tfmodel.messages import Event

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


def v1(folder: Path) -> Path:
    return golden("large_v1").path


def v2_index(folder: Path) -> Path:
    return Path("tests/data/trained/model.index")


def archive(folder: Path) -> Path:
    return keras_file(next(name for name in FILES if name.endswith(".keras")), folder)


def hdf5(folder: Path) -> Path:
    """A file that h5py opens once more, by its path."""
    return keras_file(next(name for name in FILES if name.endswith(".h5")), folder)


def records(folder: Path) -> Path:
    return Path("tests/data/examples.tfrecord")


def packed_records(folder: Path) -> Path:
    path = folder / "examples.tfrecord.gz"
    path.write_bytes(gzip.compress(examples(3)))
    return path


def events(folder: Path) -> Path:
    return next(Path("tests/data/logs/train").iterdir())


def event_graph(folder: Path) -> Path:
    path = folder / "events.out.tfevents.1"
    path.write_bytes(event_file(Event(graph_def=Path(MODEL).read_bytes())))
    return path


@pytest.mark.parametrize(
    ("make", "command"),
    [
        (v1, "weights FILE"),
        (v1, "checkpoint FILE"),
        (v2_index, "weights FILE"),
        (archive, "summarize FILE"),
        pytest.param(archive, "weights FILE", marks=needs_h5py),
        pytest.param(hdf5, "summarize FILE", marks=needs_h5py),
        pytest.param(hdf5, "weights FILE", marks=needs_h5py),
        (records, "dump FILE"),
        (records, "records FILE"),
        (packed_records, "dump FILE"),
        (packed_records, "records FILE"),
        (events, "events FILE"),
        (events, "dump FILE"),
        (event_graph, "summarize FILE"),
        (event_graph, "find FILE op=MatMul"),
    ],
)
def test_a_file_with_a_reader_of_its_own_is_opened_once(make, command, opened, tmp_path, capsys):
    path = make(tmp_path)
    opened.clear()
    assert main([word.replace("FILE", str(path)) for word in command.split()]) == 0, capsys.readouterr().err
    assert opened[os.path.abspath(path)] == 1


def test_a_file_that_is_handed_on_is_opened_again_only_if_it_was_taken(tmp_path, opened):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    file = OpenFile(str(path))
    assert file.ends(4, 2) == (b"0123", b"89", 10)
    counts = []
    for _ in range(2):
        with file.take() as taken:
            assert taken.read() == b"0123456789"
        counts.append(opened[str(path)])
    assert counts == [1, 2]


@pytest.mark.filterwarnings("error")
def test_a_file_that_no_reader_takes_is_closed(tmp_path):
    file = open_file(v2_index(tmp_path), accept=("table",))
    assert file.opened is not None
    taken = weakref.ref(file.opened)
    del file
    gc.collect()
    assert taken() is None


def test_a_file_that_its_reader_takes_is_not_read_to_detect_it(tmp_path):
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
