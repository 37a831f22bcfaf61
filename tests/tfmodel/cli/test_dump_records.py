"""`tfmodel dump` of TFRecord files and event files."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from pbwire import text
from tests.tfmodel.files.records.files import example, examples, record_file, training_log
from tfmodel.cli import main
from tfmodel.messages import Example


@pytest.fixture
def dump(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Writes a file, prints it, and gives the status, what is printed, and what is said."""

    def dump(data: bytes, *arguments: str) -> tuple[int, str, str]:
        file = tmp_path / "file"
        file.write_bytes(data)
        status = main(["dump", str(file), *arguments])
        out, err = capsys.readouterr()
        return status, out.replace(str(file), "FILE"), err.replace(str(file), "FILE")

    return dump


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zlib.compress])
def test_examples_as_text(dump: Any, pack: Any) -> None:
    status, out, err = dump(pack(examples(3)), "--records", "1:3")
    first, second = out.split("\n\n")
    assert (status, err) == (0, "")
    assert first.startswith("# record 1 at byte 79: an Example, 63 bytes\nfeatures {\n")
    assert [text.loads(part, Example) for part in (first, second)] == [example(1), example(2)]


def test_records_as_json(dump: Any) -> None:
    records = json.loads(dump(examples(3), "--format", "json")[1])
    assert [(record["record"], record["offset"]) for record in records] == [(0, 0), (1, 79), (2, 158)]
    assert records[2]["message"]["features"]["feature"]["label"] == {"int64List": {"value": ["2"]}}
    assert json.loads(dump(record_file([b"abc"]), "--format", "json")[1]) == [
        {"record": 0, "offset": 0, "data": "YWJj"}
    ]


def test_other_data(dump: Any) -> None:
    out = dump(record_file([b"ab\xff", b"x" * 300]))[1].splitlines()
    assert out[:2] == ["# record 0 at byte 0, 3 bytes", '"ab\\377"']
    assert out[4] == f'"{"x" * 200}" # 300 bytes in all'


def test_raw_records(dump: Any) -> None:
    out = dump(examples(2), "--format", "raw", "--records", "1")[1].splitlines()
    assert out[0] == "# record 1 at byte 79, 63 bytes"
    assert out[2].split() == ["0", "1", "features", "LENGTH", "61", "Features"]


def test_events_and_their_fields(dump: Any) -> None:
    status, out, _ = dump(training_log(), "--field", "summary.value[*].tag", "--records", "0:5")
    assert (status, out) == (0, 'record[3].summary.value[0].tag: "loss"\nrecord[4].summary.value[0].tag: "loss"\n')
    fields = json.loads(dump(training_log(), "--field", "summary.value[*].tag", "--format", "json")[1])
    assert fields["record[13].summary.value[0].tag"] == "raw"


def test_a_field_that_no_record_has(dump: Any) -> None:
    status, out, err = dump(examples(2), "--field", "feature")
    assert (status, out) == (2, "")
    assert err == 'FILE: --field: Example has no field feature; did you mean "features"?\n'


def test_the_type_of_the_records(dump: Any) -> None:
    assert dump(examples(1), "--type", "SequenceExample")[1].startswith("# record 0 at byte 0: a SequenceExample, 63")
    status, _, err = dump(examples(1), "--type", "NodeDef")
    assert (status, err.startswith("FILE: record[0] at byte 0: ")) == (2, True)


def test_the_graph_of_an_event_file(dump: Any) -> None:
    assert dump(training_log(), "--type", "GraphDef")[1].startswith('node {\n  name: "x"\n')
    assert dump(training_log(), "--format", "tree")[1].startswith("GraphDef: 4 nodes")
    assert dump(training_log(), "--op", "MatMul")[1].startswith('node {\n  name: "layer/MatMul"')


def test_the_first_twenty_records(dump: Any) -> None:
    status, out, err = dump(examples(30))
    assert (status, out.count("# record")) == (0, 20)
    assert err == "FILE: only the first 20 records; --records : chooses all\n"
    assert dump(examples(30), "--records", ":")[1].count("# record") == 30
    assert dump(examples(30), "--full")[1].count("# record") == 30
    assert dump(examples(20))[2] == ""


def test_damaged_records(dump: Any) -> None:
    data = bytearray(examples(3))
    data[79 + 20] ^= 1
    status, out, err = dump(bytes(data))
    assert (status, out.count("# record")) == (1, 2)
    assert err == "FILE: record[1] at byte 79: the checksum of its 63 bytes is wrong\n"
    data[79] ^= 1
    assert "it is unknown where the next record begins; tfmodel records --search looks for it" in dump(bytes(data))[2]
    assert dump(examples(3)[:-1])[0] == 0  # it may be being written


@pytest.mark.parametrize("range", ["x", "", "1:2:3", "-1", "1e3"])
def test_invalid_ranges(dump: Any, range: str) -> None:
    status, out, err = dump(examples(1), f"--records={range}")
    assert (status, out) == (2, "")
    assert f'--records takes 5, 0:3, :3, 3: or :, not "{range}"\n' in err
