"""Event files: events, values and reports."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import tfmodel
from tests.tfmodel import models
from tests.tfmodel.files.records.files import (
    START,
    event_file,
    examples,
    png,
    record_file,
    scalar,
    tensor_value,
    training_log,
)
from tfmodel.errors import FileFormatError, RecordError
from tfmodel.files.records.event_report import EventsReport, summarize_events
from tfmodel.files.records.events import SummaryValue, event_files, read_events
from tfmodel.files.records.values import contents, describe, histogram, read_values, value_json
from tfmodel.files.tfrecords.records import Damage
from tfmodel.messages import DataType, Event, RunMetadata, StepStats, TaggedRunMetadata, TensorProto

NAME = "events.out.tfevents.1700000000.host"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / NAME
    path.write_bytes(training_log())
    return path


def report_of(data: bytes, folder: Path) -> EventsReport:
    path = folder / NAME
    path.write_bytes(data)
    return summarize_events(path)


# --- events ----------------------------------------------------------------------------------------------------------


def test_the_events_of_a_file(log: Path) -> None:
    events = list(read_events(log))
    assert events[0].file_version == "brain.Event:2"
    assert [event.step for event in events if event.summary][:4] == [0, 1, 2, 3]
    assert list(read_events(log.read_bytes())) == events


def test_a_folder_is_one_run_and_the_folders_inside_are_others(tmp_path: Path) -> None:
    for name, step in (("events.out.tfevents.2", 2), ("events.out.tfevents.1", 1), ("eval/events.out.tfevents.3", 3)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(event_file(scalar(step, "loss", 0.5)))
    (tmp_path / "notes.txt").write_text("no events")
    assert [event.step for event in read_events(tmp_path)] == [0, 1, 0, 2]
    runs = event_files(str(tmp_path))
    assert {run: [Path(file).name for file in files] for run, files in runs.items()} == {
        ".": ["events.out.tfevents.1", "events.out.tfevents.2"],
        "eval": ["events.out.tfevents.3"],
    }
    assert [(value.run, value.step) for value in read_values(tmp_path)] == [(".", 1), (".", 2), ("eval", 3)]


def test_a_folder_with_runs_alone_has_no_events_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "eval").mkdir()
    (tmp_path / "eval" / NAME).write_bytes(training_log())
    with pytest.raises(FileFormatError, match="its event files are in folders; give one: eval"):
        read_events(tmp_path)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (models.graph().to_bytes(), "this is a GraphDef, not an event file of TensorBoard"),
        (examples(2), "this is a TFRecord file of tf.Example messages, not an event file of TensorBoard"),
        (png(), "this is a PNG image, not an event file of TensorBoard"),
    ],
)
def test_other_files_are_refused(data: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)
    for read in (summarize_events, read_events, lambda path: list(read_values(path))):
        with pytest.raises(FileFormatError, match=problem):
            list(read(str(tmp_path / "file")))  # type: ignore[arg-type]  # any reader


def test_a_folder_without_event_files(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no folder in it has event files"):
        summarize_events(tmp_path)


def test_a_record_that_is_not_an_event_is_named() -> None:
    data = event_file(scalar(0, "loss", 1.0)) + record_file([b"\xff\xff"]) + event_file(scalar(1, "loss", 1.0))
    with pytest.raises(RecordError, match=r"^<bytes>: record\[2\] at byte \d+: truncated"):
        list(read_events(data))
    places: list[Damage] = []
    steps = [
        event.step for event in read_events(data, damaged="skip", on_damage=lambda name, place: places.append(place))
    ]
    assert steps == [0, 0, 0, 1]
    assert [(place.number, place.kind) for place in places] == [(2, "data")]


# --- values ----------------------------------------------------------------------------------------------------------

KINDS = {
    "loss": ("scalar", "scalars", "1"),
    "accuracy": ("scalar", "scalars", "0.25"),
    "weights": ("histogram", "histograms", "3 values in 2 buckets from -1 to 1"),
    "weights/2": ("histogram", "histograms", "3 values in 2 buckets from -1 to 1"),
    "image": ("image", "images", f"PNG, 1 x 1 pixels, {len(png())} bytes"),
    "notes": ("text", "text", "first | second"),
    "raw": ("tensor", "", "int32[2] = [5, 6]"),
}


@pytest.mark.parametrize("tag", KINDS)
def test_the_kinds_of_values(tag: str, log: Path) -> None:
    value = next(read_values(log, tags=[tag]))
    assert (value.kind, value.plugin, describe(value)) == KINDS[tag]


def test_a_plugin_is_named_with_the_first_value_of_a_tag(log: Path) -> None:
    assert [describe(value) for value in read_values(log, tags="accuracy")] == ["0.25", "0.5"]


def test_both_forms_of_a_histogram_are_the_same(log: Path) -> None:
    old, new = (histogram(next(read_values(log, tags=[tag]))) for tag in ("weights", "weights/2"))
    assert old == new == ([-1, 0], [0, 1], [1, 2])


def test_the_content_of_pictures_and_texts(log: Path) -> None:
    assert contents(next(read_values(log, tags=["image"]))) == [png()]
    assert contents(next(read_values(log, tags=["notes"]))) == [b"first", b"second"]
    assert contents(next(read_values(log, tags=["loss"]))) == []


JSON = {
    "loss": {"value": 1.0},
    "weights": {"buckets": [[-1.0, 0.0, 1.0], [0.0, 1.0, 2.0]]},
    "image": {"files": [{"format": "png", "bytes": len(png())}]},
    "notes": {"texts": ["first", "second"]},
    "raw": {"dtype": "int32", "shape": (2,), "elements": [5, 6]},
}


@pytest.mark.parametrize("tag", JSON)
def test_values_as_json(tag: str, log: Path) -> None:
    value = next(read_values(log, tags=[tag]))
    assert value_json(value) == {"step": value.step, "wall_time": START + value.step, **JSON[tag]}
    json.dumps(value_json(value), allow_nan=False)


@pytest.mark.parametrize(
    ("tensor", "number"),
    [
        (TensorProto(dtype=DataType.DT_FLOAT, float_val=[0.5]), 0.5),
        (TensorProto(dtype=DataType.DT_DOUBLE, double_val=[0.1]), 0.1),
        (TensorProto(dtype=DataType.DT_INT64, int64_val=[1 << 40]), float(1 << 40)),
        (TensorProto(dtype=DataType.DT_HALF, half_val=[0x3800]), 0.5),
        (TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(1), float_val=[0.5]), 0.5),
        (TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(2), float_val=[0.5]), math.nan),
        (TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(1 << 40), float_val=[0.5]), math.nan),
        (TensorProto(dtype=DataType.DT_STRING, string_val=[b"0.5"]), math.nan),
        (TensorProto(dtype=99), math.nan),
    ],
)
def test_scalars_in_tensors(tensor: TensorProto, number: float, tmp_path: Path) -> None:
    values = report_of(event_file(tensor_value(0, "x", "scalars", tensor)), tmp_path).series("x").values
    assert repr(list(values)) == repr([number])


# --- reports ---------------------------------------------------------------------------------------------------------


def test_a_report(log: Path) -> None:
    report = summarize_events(log)
    lines = report.to_text().replace(str(log), "LOG").splitlines()
    assert lines[:4] == [
        "LOG: 1 file, 14 events, 2023-11-14 22:13:20 to 2023-11-14 22:13:23",
        "  brain.Event:2, written by tests, 1 session start",
        "  GraphDef: 4 nodes, 340 bytes, record 1 (the graph that other commands read)",
        "",
    ]
    assert lines[4].split() == ["tag", "kind", "plugin", "count", "first", "step", "last", "step", "min", "max", "last"]
    assert lines[5].split() == ["loss", "scalar", "scalars", "4", "0", "3", "0.25", "1", "0.25"]
    assert not report.is_damaged


def test_the_values_of_a_series(log: Path) -> None:
    loss = summarize_events(log).series("loss")
    assert list(loss.steps) == [0, 1, 2, 3]
    assert loss.values == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert list(loss.wall_times) == [START, START + 1, START + 2, START + 3]
    with pytest.raises(KeyError, match="'lost' is a tag of no run"):
        summarize_events(log).series("lost")


def test_json_has_no_nan(tmp_path: Path) -> None:
    values = [math.nan, -math.inf, 2.0, math.nan]
    report = report_of(event_file(*(scalar(step, "x", value) for step, value in enumerate(values))), tmp_path)
    (series,) = json.loads(report.to_json(), parse_constant=pytest.fail)["runs"][0]["series"]
    assert {name: series[name] for name in ("min", "max", "last", "not_finite")} == {
        "min": 2.0,
        "max": 2.0,
        "last": "nan",
        "not_finite": 3,
    }


def test_training_that_was_continued(tmp_path: Path) -> None:
    steps = [0, 1, 2, 1, 2, 3]
    report = report_of(event_file(*(scalar(step, "loss", 1.0) for step in steps)), tmp_path)
    assert list(report.series("loss").steps) == steps
    assert "steps go back 1 time: training was continued" in report.to_text()


def test_an_unfinished_record_is_reported_and_no_damage(log: Path) -> None:
    log.write_bytes(log.read_bytes() + record_file([b"x" * 100])[:50])
    report = summarize_events(log)
    assert not report.is_damaged
    assert f"  unfinished: {log}: record[14] at byte " in report.to_text()
    assert len(report.runs[0].series) == 7


@pytest.mark.parametrize(("position", "left"), [(20, 13), (2, 0)])  # in the data of the first record, in its length
def test_damage_is_reported(log: Path, position: int, left: int) -> None:
    data = bytearray(log.read_bytes())
    data[position] ^= 1
    log.write_bytes(bytes(data))
    report = summarize_events(log)
    assert (report.is_damaged, report.runs[0].events) == (True, left)
    assert f"  damaged: {log}: record[0] at byte 0: the checksum of its " in report.to_text()
    assert "damaged=" not in report.to_text()


def test_a_trace(tmp_path: Path) -> None:
    stats = StepStats.from_bytes(b"")
    metadata = RunMetadata(step_stats=stats)
    event = Event(tagged_run_metadata=TaggedRunMetadata(tag="step 7", run_metadata=metadata.to_bytes()))
    assert "  RunMetadata step 7: " in report_of(event_file(event), tmp_path).to_text()


def test_a_damaged_graph_is_reported(tmp_path: Path) -> None:
    report = report_of(event_file(Event(graph_def=b"\xff")), tmp_path)
    assert "  GraphDef: damaged: truncated" in report.to_text()


def test_the_names_of_the_public_api() -> None:
    assert tfmodel.read_events is read_events
    assert tfmodel.read_values is read_values
    assert tfmodel.summarize_events is summarize_events
    assert tfmodel.EventsReport is EventsReport
    assert tfmodel.files.records.SummaryValue is SummaryValue
