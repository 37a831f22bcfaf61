"""The benchmark "codec", without other libraries: its data, its readers, its tables."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from pbwire import Message, proto
from tests.benchmarks.codec import kinds, measuring
from tests.benchmarks.codec.environment import LIBRARIES, Environment, Failure, Library, run
from tests.benchmarks.codec.kinds import EDITED, KINDS, Sample, covering, samples
from tests.benchmarks.codec.reading import reader_source
from tests.benchmarks.codec.report import GOALS, Goal, Row, columns, mean, report, spread
from tests.benchmarks.codec.schemas import message_files

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
SIZE = 4


def classes_and_fields(message):
    """Count the messages by class, and the fields that they set."""
    counts = Counter([type(message)])
    for field, value in message.ListFields():
        counts[type(message), field.name] += 1
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]:
            if isinstance(item, Message):
                counts += classes_and_fields(item)
    return counts


@every_kind
def test_the_same_seed_makes_the_same_message(kind):
    assert kind.make(1, SIZE).to_bytes() == kind.make(1, SIZE).to_bytes()
    assert kind.make(1, SIZE).to_bytes() != kind.make(2, SIZE).to_bytes()


@every_kind
def test_a_made_message_is_decoded_as_it_was_made(kind):
    message = kind.make(1, SIZE)
    assert type(message).from_bytes(message.to_bytes()) == message


@every_kind
def test_a_larger_size_makes_a_larger_message(kind):
    assert len(kind.make(1, 4 * SIZE).to_bytes()) > 2 * len(kind.make(1, SIZE).to_bytes())


@every_kind
def test_the_classes_of_all_libraries_can_hold_a_made_message(kind):
    message = kind.make(1, SIZE)
    name = message.__table__.full_name
    generated = proto.load_set(message_files(name))[name]
    assert generated.from_bytes(message.to_bytes()).to_bytes() == message.to_bytes()


@every_kind
def test_a_covering_message_sets_each_field_of_each_class_but_is_small(kind):
    message = kind.make(1, 4 * SIZE)
    small = covering(message)
    assert classes_and_fields(small).keys() == classes_and_fields(message).keys()
    assert len(small.to_bytes()) < len(message.to_bytes())


@every_kind
def test_the_edited_field_of_a_message_is_a_string(kind):
    value = kind.make(1, SIZE)
    for name in EDITED[value.__table__.full_name].split("."):
        value = getattr(value, name)
        value = value[0] if isinstance(value, list) else value
    assert isinstance(value, str)


@every_kind
def test_the_reader_of_pbwire_visits_all_messages(kind):
    message = kind.make(1, SIZE)
    name = message.__table__.full_name
    module = {}
    exec(reader_source(message_files(name), name, "pbwire"), module)
    expected = sum(count for key, count in classes_and_fields(message).items() if isinstance(key, type))
    assert module["read"](message) == expected


def test_a_reader_asks_protobuf_for_the_member_of_a_oneof_and_for_presence():
    name = "benchmark.traces.Trace"
    source = reader_source(message_files(name), name, "protobuf")
    assert "which = m.WhichOneof('kind')" in source
    assert "if m.HasField('status'): n += read_benchmark_traces_Status(m.status)" in source


def test_a_reader_reads_a_oneof_of_protobuf_py_as_one_attribute():
    name = "benchmark.traces.Value"
    module = {}
    exec(reader_source(message_files(name), name, "protobuf_py"), module)
    text = SimpleNamespace(kind=SimpleNamespace(field="text", value="a"))
    values = SimpleNamespace(kind=SimpleNamespace(field="list", value=SimpleNamespace(values=[text, text])))
    assert module["read"](values) == 4


def test_files_of_the_corpus_are_sorted_into_kinds_by_name_and_content(tmp_path, monkeypatch):
    makes = {"a.meta": "TF1 graphs", "a/saved_model.pb": "SavedModels", "a/frozen.pb": "frozen graphs"}
    makes |= {"b.meta": "TF1 graphs"}  # the same content again
    (tmp_path / "a").mkdir()
    for path, name in makes.items():
        (tmp_path / path).write_bytes(KINDS[name].make(1, 200).to_bytes())
    (tmp_path / "old_saved_model.pb").write_bytes(b"\x08\x01")
    monkeypatch.setattr(kinds.corpus, "corpus_files", lambda: sorted(p for p in tmp_path.rglob("*") if p.is_file()))
    found = [sample.source for name in KINDS for sample in samples(KINDS[name]) if sample.source != "made"]
    assert found == ["a.meta", "saved_model.pb", "frozen.pb"]


def test_without_a_corpus_all_messages_are_made(monkeypatch):
    monkeypatch.setattr(kinds.corpus, "corpus_files", list)
    assert [sample.source for name in KINDS for sample in samples(KINDS[name], scale=0.1)] == ["made"] * len(KINDS)
    assert [sample.source for sample in samples(KINDS["frozen graphs"])] == ["made"]


def test_the_benchmark_measures_pbwire_and_names_what_cannot_be_installed(tmp_path, monkeypatch, capsys):
    ours = LIBRARIES[0]
    missing = Library("missing", "protobuf", (str(tmp_path / "missing.whl"),))
    monkeypatch.setattr(measuring, "LIBRARIES", [ours, missing])
    monkeypatch.setattr(Environment, "_pip", lambda self, *arguments: run([sys.executable, "-c", "exit('ERROR: no')"]))
    measuring.codec(["traces"], rounds=1, scale=0.02)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("1 messages, ")
    measured = [line.removeprefix("pbwire ").split() for line in lines if line.startswith("pbwire ")]
    assert [len(cells) for cells in measured] == [12, 9]
    assert all(float(cell.replace(",", "")) > 0 for cells in measured for cell in cells)
    assert lines[-2:] == ["skipped: missing: ERROR: no", "one round: how much times vary is not known"]


SAMPLES = [Sample(KINDS[name], "made", KINDS[name].make(1, 1)) for name in ("TF1 graphs", "numbers")]
OURS, UPB = (next(library for library in LIBRARIES if library.name == name) for name in ("pbwire", "protobuf, upb"))


def rows(ours, theirs, task="decode"):
    """Return a row of ours and one of upb for each sample, with times of one task."""
    pairs = [(sample, library) for sample in SAMPLES for library in (OURS, UPB)]
    return [Row(*pair, cold={task: [time, 2 * time]}) for pair, time in zip(pairs, [*ours, *theirs], strict=True)]


def test_a_mean_is_geometric_and_of_the_best_rounds():
    assert mean(rows([2.0, 2.0], [4.0, 8.0]), "decode") == pytest.approx(128**0.25)


@pytest.mark.parametrize(
    ("change", "cell"), [({"failures": {"decode": "ValueError"}}, "fails"), ({"wrong": ["decode"]}, "wrong"), ({}, "-")]
)
def test_a_mean_without_a_time_says_why(change, cell):
    row = Row(SAMPLES[0], OURS, **change)
    assert mean([*rows([1.0, 1.0], [1.0, 1.0]), row], "decode") == cell


@pytest.mark.parametrize(
    ("at_least", "limits", "cells"),
    [
        (False, (0.5, 1.9), ["0.50 ", "2.00*"]),
        (True, (2, 1), ["2.00 ", "0.50*"]),
    ],
)
def test_a_goal_compares_the_ratio_with_the_limit_of_the_kind(at_least, limits, cells):
    goal = Goal("", ("decode",), UPB.name, limits, at_least=at_least)
    measured = rows([1.0, 2.0], [4.0, 2.0])
    by_kind = [
        (row.sample.kind, {OURS.name: [row], UPB.name: [other]})
        for row, other in zip(measured[::2], measured[1::2], strict=True)
    ]
    assert [goal.cell(kind, of_kind) for kind, of_kind in by_kind] == cells


def test_a_goal_without_measurements_is_neither_met_nor_missed():
    assert GOALS[0].cell(KINDS["numbers"], {}) == "-"


def test_the_goal_of_a_kind_may_be_an_exception():
    assert [GOALS[1].limit(KINDS[name]) for name in ("frozen graphs", "traces", "numbers")] == [1.5, 2.5, 6]


def test_the_report_has_a_table_for_each_kind_and_names_what_is_wrong():
    measured = rows([1.0, 2.0], [4.0, 2.0])
    measured[0].wrong = ["decode"]
    lines = report(measured, ["skipped: x: no"], 2, goals=True).splitlines()
    assert [line for line in lines if "made from a seed" in line] == [
        "TF1 graphs: made from a seed, 0 kB",
        "numbers: made from a seed, 21 kB",
    ]
    assert "pbwire, TF1 graphs: decode: another result than protobuf's" in lines
    goal = next(line for line in lines if line.startswith(GOALS[3].words))
    assert goal.split()[-2:] == ["-", "-"]


def test_heads_of_columns_have_two_lines():
    table = [["", "first\ndecode", "edit"], ["a", "1.0", "22.0"], ["long", "10.0", "3.0"]]
    assert columns(table).splitlines() == [
        "       first",
        "      decode  edit",
        "a        1.0  22.0",
        "long    10.0   3.0",
    ]


def test_the_spread_of_times_is_that_of_the_rounds():
    row = Row(SAMPLES[0], OURS, cold={"decode": [1.0, 1.1, 9.0], "encode": [2.0, 2.4, 2.5], "import": [1.0, 9.0]})
    assert spread([row]) == "a median of rounds is above the best one by 15% (median), 20% (nine in ten)"


def test_a_command_that_fails_is_reported_in_one_line(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text("import sys; sys.exit('first\\nERROR: the reason\\nhint')")
    with pytest.raises(Failure, match=r"^ERROR: the reason$"):
        run([sys.executable, str(script)])
