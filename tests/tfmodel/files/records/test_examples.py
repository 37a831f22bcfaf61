"""TFRecord files of examples: what `summarize_records` says about them."""

from __future__ import annotations

import gzip
import json
import math

import pytest

import tfmodel
from tests.tfmodel import models
from tests.tfmodel.files.records.files import examples, png, record_file, sequence_example, training_log
from tfmodel.errors import FileFormatError
from tfmodel.files.records.examples import RecordsReport, summarize_records
from tfmodel.messages import BytesList, Example, Feature, Features, FloatList, Int64List


def table(report: RecordsReport) -> list[list[str]]:
    return [line.split(maxsplit=4) for line in report.to_text().splitlines()[3:]]


def of(**features: Feature) -> bytes:
    return Example(features=Features(feature=features)).to_bytes()


def test_the_features_of_examples() -> None:
    report = summarize_records(examples(6))
    assert report.to_text().splitlines() == [
        "<bytes>: 6 tf.Example records, 378 bytes (63 each)",
        "",
        "feature  kind   records  steps  values  content",
        "image    bytes  6               1       3 bytes",
        "label    int64  6               1       0 to 5",
        "x        float  6               4       0 to 5.75",
    ]


def test_features_of_several_kinds_and_counts() -> None:
    records = [
        of(a=Feature(int64_list=Int64List(value=[5])), b=Feature(bytes_list=BytesList(value=[png()]))),
        of(a=Feature(bytes_list=BytesList(value=[b"x", b"yy"])), c=Feature()),
        of(a=Feature(float_list=FloatList(value=[math.nan, -1, math.inf]))),
    ]
    report = summarize_records(record_file(records))
    facts = report.features["a"]
    assert (facts.kinds, facts.records, facts.counts.as_list()) == ({"bytes", "float", "int64"}, 3, [1, 3])
    assert facts.cells()[-1] == "-1 to inf or 1 to 2 bytes"
    assert report.features["b"].cells()[-1] == f"{len(png())} bytes, PNG"
    assert report.features["c"].kinds == {"missing"}
    json.dumps(report.as_dict(), allow_nan=False)


def test_the_lists_of_sequences() -> None:
    """The first sequences have no steps, so their bytes are those of Examples."""
    counts = [0] * 10 + [1, 5]
    report = summarize_records(record_file([sequence_example(count).to_bytes() for count in counts]))
    assert report.message == "SequenceExample"
    assert report.features["token[]"].steps.as_list() == [1, 5]
    assert report.features["token[]"].cells() == ("token[]", "int64", "2", "1 to 5", "1", "0 to 4")
    assert report.features["id"].records == 12


@pytest.mark.parametrize(
    ("data", "first"),
    [
        (b"", "0 records, 0 bytes"),
        (record_file([b"anything", b"else"]), "2 records, 12 bytes (4 to 8 each)"),
        (gzip.compress(examples(1), mtime=0), "1 tf.Example record, gzip, 63 bytes"),
        (training_log(), "14 tf.Event records"),
        (record_file([b""] * 3), "3 records, 0 bytes (0 each)"),
    ],
)
def test_other_records(data: bytes, first: str) -> None:
    assert summarize_records(data).to_text().startswith(f"<bytes>: {first}")


def test_without_features_only_checksums_are_compared() -> None:
    report = summarize_records(examples(6), features=False)
    assert (report.count, report.features, list(report.verdict())) == (6, {}, ["sound: 6 records"])


def test_damage_is_listed() -> None:
    data = bytearray(examples(20))
    data[79 * 2 + 20] ^= 1
    report = summarize_records(bytes(data[:-3]))
    assert (report.count, [damage.kind for damage in report.damage]) == (18, ["data", "end"])
    assert report.features["label"].range.as_list() == [0, 18]
    assert list(report.verdict()) == [
        "record[2] at byte 158: the checksum of its 63 bytes is wrong",
        "record[19] at byte 1,501: truncated: it needs 67 bytes, and 64 are left",
        "damaged: 2 places, 18 records are sound",
    ]


def test_an_example_that_cannot_be_decoded_is_damage() -> None:
    report = summarize_records(record_file([examples(1)[12:-4]] * 8 + [b"\xff"]))
    (damage,) = report.damage
    assert (damage.number, damage.offset, damage.kind) == (8, 8 * 79, "data")
    assert damage.problem.startswith("not an example: truncated inside a tag")


def test_search_reads_on_behind_a_damaged_length() -> None:
    data = bytearray(examples(5))
    data[79] ^= 1
    assert (summarize_records(bytes(data)).count, summarize_records(bytes(data), search=True).count) == (1, 4)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (models.graph().to_bytes(), "this is a GraphDef, not a TFRecord file"),
        (png(), "this is a PNG image, not a TFRecord file"),
        (bytes(range(100)), "this is not a TFRecord file, or its first record is damaged: "),
    ],
)
def test_other_files_are_refused(data: bytes, problem: str) -> None:
    with pytest.raises(FileFormatError, match=f"<bytes>: {problem}"):
        summarize_records(data)


def test_the_names_of_the_public_api() -> None:
    assert tfmodel.summarize_records is summarize_records
    assert tfmodel.RecordsReport is RecordsReport
