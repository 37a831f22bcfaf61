"""TFRecord files: reading, writing, compression, and damage."""

from __future__ import annotations

import gzip
import io
import random
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfmodel
from tests.tfmodel.files.records.files import record_file
from tfmodel.errors import FileFormatError, RecordError
from tfmodel.files.tfrecords.records import Damage, RecordReader, read_records, write_records

RECORDS = [b"first", b"", b"the third record", b"x" * 40]
DATA = record_file(RECORDS)
STARTS = [0, 21, 37, 69, 125]  # of the records, and the end


def damaged(position: int, bits: int = 1) -> bytes:
    data = bytearray(DATA)
    data[position] ^= bits
    return bytes(data)


def record_at(position: int) -> int:
    return max(number for number, start in enumerate(STARTS) if start <= position)


def is_length(position: int) -> bool:
    return position - STARTS[record_at(position)] < 12


# --- round trips -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", ["", "gzip", "zlib", "GZIP", "ZLIB", "NONE", None])
def test_written_records_are_read(compression: str | None, tmp_path: Path) -> None:
    path = tmp_path / "file.tfrecord"
    assert write_records(path, RECORDS, compression=compression) == 4
    assert list(read_records(path)) == RECORDS
    assert list(read_records(str(path), compression=compression)) == RECORDS


@given(st.lists(st.binary(max_size=300), max_size=60))
def test_any_records(records: list[bytes]) -> None:
    data = record_file(records)
    for packed in [data, gzip.compress(data), zlib.compress(data)] if records else [data]:
        assert list(read_records(packed)) == records


@pytest.mark.parametrize("sizes", [[5_000_000], [0, 9_000_000, 1], [100] * 60_000, [3, 4, 5, 4_100] * 4_000])
def test_records_of_many_blocks(sizes: list[int]) -> None:
    generator = random.Random(1)
    records = [generator.randbytes(size) for size in sizes]
    assert list(read_records(record_file(records))) == records


def test_a_name_with_gz_is_compressed(tmp_path: Path) -> None:
    write_records(tmp_path / "a.tfrecord.gz", RECORDS)
    assert gzip.decompress((tmp_path / "a.tfrecord.gz").read_bytes()) == DATA


def test_several_compressed_files_one_after_another() -> None:
    assert list(read_records(gzip.compress(DATA) + gzip.compress(DATA) + bytes(10))) == 2 * RECORDS


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(DATA)

    monkeypatch.setattr(sys, "stdin", Input)
    assert list(read_records("-")) == RECORDS
    assert not Input.buffer.closed


def test_numbers_and_offsets() -> None:
    with RecordReader(DATA) as reader:
        assert [(record.number, record.offset) for record in reader] == list(enumerate(STARTS[:4]))


def test_an_empty_file_has_no_records() -> None:
    assert list(read_records(b"")) == []


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda path: write_records(path, ["text"]), "a record is bytes, not str"),
        (lambda path: write_records(path, RECORDS, compression="lz4"), 'compression is "", "gzip" or "zlib", not'),
        (lambda path: read_records(DATA, compression="lz4"), 'compression is "", "gzip" or "zlib", not'),
        (lambda path: read_records(DATA, damaged="no"), 'damaged is "raise", "skip" or "search", not'),
    ],
)
def test_wrong_arguments(call: Any, problem: str, tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError), match=problem):
        call(tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_a_folder_has_no_records(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="this is a folder, and records are in files"):
        read_records(tmp_path)


# --- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 0x80, 0xFF])
def test_every_damaged_byte_is_found_and_its_record_named(bits: int) -> None:
    for position in range(len(DATA)):
        number = record_at(position)
        records = read_records(damaged(position, bits))
        with pytest.raises(RecordError) as caught:
            for expected in RECORDS:
                assert next(records) == expected
        error = caught.value
        assert (error.number, error.offset) == (number, STARTS[number])
        words = (
            "the checksum of its length is wrong" if is_length(position) else f"of its {len(RECORDS[number]):,} bytes"
        )
        assert f"<bytes>: record[{number}] at byte {STARTS[number]}: " in str(error)
        assert words in str(error)


def test_damaged_data_are_skipped() -> None:
    for position in filter(lambda position: not is_length(position), range(len(DATA))):
        places: list[Damage] = []
        number = record_at(position)
        found = list(read_records(damaged(position), damaged="skip", on_damage=places.append))
        assert found == RECORDS[:number] + RECORDS[number + 1 :]
        assert [(place.number, place.offset, place.kind) for place in places] == [(number, STARTS[number], "data")]


def test_behind_a_damaged_length_nothing_is_read_without_search() -> None:
    records = read_records(damaged(STARTS[2] + 3), damaged="skip")
    assert [next(records), next(records)] == RECORDS[:2]
    with pytest.raises(
        RecordError, match=r'record\[2\] at byte 37: .*, so it is unknown .* damaged="search" looks for'
    ):
        next(records)


def test_search_finds_the_next_record_behind_any_damage() -> None:
    for position in range(len(DATA)):
        number = record_at(position)
        found = list(read_records(damaged(position, 0x55), damaged="search"))
        assert found == RECORDS[:number] + RECORDS[number + 1 :]


def test_search_skips_data_between_records() -> None:
    noise = random.Random(2).randbytes(3_000_000)
    data = DATA + noise + DATA + noise[:100]
    assert list(read_records(data, damaged="search")) == 2 * RECORDS


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zlib.compress])
def test_a_file_that_is_cut_off(pack: Any) -> None:
    data = pack(DATA)
    for size in range(12, len(data)):
        places: list[Damage] = []
        found = list(read_records(data[:size], damaged="skip", on_damage=places.append))
        assert found == RECORDS[: len(found)]
        is_whole = pack is bytes and size in STARTS
        assert [place.kind for place in places] == ([] if is_whole else ["end"])
        if not is_whole:
            with pytest.raises(RecordError, match=r"truncated|cut off"):
                list(read_records(data[:size]))


def test_damaged_compressed_data_are_an_error() -> None:
    data = zlib.compress(DATA, 0)  # stored: the damage is in the checksum at the end
    with pytest.raises(RecordError, match="the zlib data are damaged"):
        list(read_records(data[:-1] + b"\0", damaged="skip"))


def test_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    data = record_file([b"x" * size for size in range(100)])
    assert list(map(len, read_records(data))) == list(range(100))
    assert len(list(read_records(data[:50] + b"?" + data[51:], damaged="search"))) == 99


def test_the_names_of_the_public_api() -> None:
    assert tfmodel.read_records is read_records
    assert tfmodel.write_records is write_records
