"""`tfmodel events` and `tfmodel records`: their exit status, and what they print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbwire.arguments import FAILED, NO
from tests.tfmodel.files.bad_files import BAD_FILES, write_bad_file
from tests.tfmodel.files.records.files import event_file, examples, record_file, scalar, training_log
from tfmodel.cli import main

NAME = "events.out.tfevents.1700000000.host"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Writes a file, runs a command on it, and gives its status, what it prints, and what it says."""

    def run(command: str, data: bytes, *arguments: str) -> tuple[int, str, str]:
        file = tmp_path / NAME
        file.write_bytes(data)
        status = main([command, str(file), *arguments])
        out, err = capsys.readouterr()
        return status, out.replace(str(file), "FILE"), err.replace(str(file), "FILE")

    return run


def test_a_list_of_series(run: Any) -> None:
    status, out, err = run("events", training_log())
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[5:]] == [
        "loss",
        "accuracy",
        "weights",
        "weights/2",
        "image",
        "notes",
        "raw",
    ]


def test_the_values_of_a_tag(run: Any) -> None:
    assert run("events", training_log(), "--tag", "los?") == (
        0,
        "loss\n"
        "  step  time                 value\n"
        "     0  2023-11-14 22:13:20  1\n"
        "     1  2023-11-14 22:13:21  0.5\n"
        "     2  2023-11-14 22:13:22  0.333333343\n"
        "     3  2023-11-14 22:13:23  0.25\n",
        "",
    )


def test_the_values_of_several_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in (("train", 1.0), ("eval", 2.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / NAME).write_bytes(event_file(scalar(5, "loss", value)))
    assert main(["events", str(tmp_path), "--tag", "loss", "--json"]) == 0
    series = json.loads(capsys.readouterr().out)["series"]
    assert [(each["run"], each["tag"], each["values"][0]["value"]) for each in series] == [
        ("eval", "loss", 2.0),
        ("train", "loss", 1.0),
    ]


def test_json(run: Any) -> None:
    status, out, _ = run("events", training_log(), "--json")
    (facts,) = json.loads(out)["runs"]
    assert (status, facts["events"], facts["graphs"][0]["nodes"]) == (0, 14, 4)
    assert [series["kind"] for series in facts["series"]][:3] == ["scalar", "scalar", "histogram"]


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--tag", "loss"]])
def test_an_unfinished_record_is_accepted_and_a_damaged_one_fails(run: Any, arguments: list[str]) -> None:
    data = training_log()
    assert run("events", data + b"\x05\0\0", *arguments)[0] == 0
    assert run("events", data + record_file([b"\xff"]), *arguments)[0] == 1
    status, out, _ = run("events", data + bytes(100), *arguments)
    assert (status, "loss" in out) == (1, True)


def test_damage_is_reported_with_the_values_of_a_tag(run: Any) -> None:
    _, _, err = run("events", training_log() + record_file([b"\xff"]), "--tag", "loss")
    assert err.startswith("FILE: record[14] at byte 1,210: not an event: ")


@pytest.mark.parametrize(
    ("arguments", "words"), [([], "sound"), (["--json"], '"damage": []'), (["--verify"], "sound: 3")]
)
def test_records(run: Any, arguments: list[str], words: str) -> None:
    status, out, err = run("records", examples(3), *arguments)
    assert (status, err) == (0, "")
    assert words in out or not arguments


def test_damaged_records(run: Any) -> None:
    status, out, _ = run("records", examples(3)[:-1], "--verify")
    lines = out.splitlines()
    assert (status, lines[-1]) == (1, "damaged: 1 place, 2 records are sound")
    assert lines[0] == "record[2] at byte 158: truncated: it needs 67 bytes, and 66 are left"


def test_search_is_offered_where_it_helps(run: Any) -> None:
    data = bytearray(examples(3))
    data[2] ^= 1
    status, _, err = run("records", bytes(data))
    assert (status, err.endswith("it is unknown where the next record begins; --search looks for it\n")) == (2, True)
    assert run("records", bytes(data), "--search")[1].splitlines()[0].startswith("FILE: 2 tf.Example records, ")


@pytest.mark.parametrize("command", ["events", "records"])
@pytest.mark.parametrize("bad", sorted(BAD_FILES.keys() - {"empty.pb"}))
def test_other_files(command: str, bad: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_bad_file(bad, tmp_path)
    status = main([command, str(path)])
    out, err = capsys.readouterr()
    assert (status, err.count("\n") <= 1, "Traceback" in err) == (NO if "damaged" in out else FAILED, True, False)
    assert err.startswith(f"{path}: ") or "damaged" in out
