"""The fuzzer finds planted bugs (tests/fuzz/planted.py), minimizes and saves them, and has no false findings."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys

import pytest

from fuzz import __main__ as command
from fuzz import failures, record
from fuzz.execute import ROOT, Outcome, run_input, size_of
from fuzz.failures import read_input, replay, save
from fuzz.field_mutation import places, replaced, without
from fuzz.inputs import Inputs
from fuzz.mutation import mutate
from fuzz.runner import Finding, Result, fuzz
from fuzz.shrinking import shrink
from fuzz.slot import HEAD, Slot, Tried
from fuzz.target import Case, Target, find_target, find_targets
from pbwire.raw import looks_like_message, walk
from pbwire.varints import write_varint
from tests.data.make import files as data_files
from tfmodel.messages import GraphDef


def planted(name):
    return f"tests.fuzz.planted:{name}"


BUGS = [
    # target, begin of its finding, maximum size of the minimized input
    ("index_error", "error: IndexError: tests/fuzz/planted.py:index_error", 11),
    ("bomb", "memory: accepted", 8),
    ("greedy", "memory: MemoryError: tests/fuzz/planted.py:greedy", 5),
    ("broken_round_trip", "error: AssertionError: tests/fuzz/planted.py:broken_round_trip: assert data.decode", 1),
    ("crash", "crash: -6", 2),
    ("hang", "hang: it does not end", 2),
    ("quadratic", "slow: tests/fuzz/planted.py:quadratic", 40),
    ("strange_refusal", "error: PermissionError: tests/fuzz/planted.py:strange_refusal", 1),
]


@pytest.mark.skipif(sys.platform != "linux", reason="the limits of memory are specific to Linux")
@pytest.mark.parametrize(("name", "shape", "size"), BUGS, ids=[bug[0] for bug in BUGS])
def test_a_planted_bug_is_found_and_minimized(name, shape, size, tmp_path):
    patience, shrinking = (1.0, 20.0) if name == "hang" else (30.0, 2.0 if name == "quadratic" else 60.0)
    result = fuzz(planted(name), seed=1, count=80, patience=patience, shrinking=shrinking, deaths=1)
    findings = [finding for finding in result.findings if finding.outcome.shape.startswith(shape)]
    assert findings, [finding.outcome.shape for finding in result.findings]
    assert size_of(findings[0].files) <= size
    folder = save(findings[0], tmp_path)
    assert read_input(folder) == findings[0].files
    with pytest.raises(AssertionError, match=shape.partition(":")[0]):
        replay(folder, patience=patience)
    assert (
        next(folder.glob("test_*.py"))
        .read_text()
        .startswith('"""A finding of `python -m fuzz --target tests.fuzz.planted')
    )


@pytest.mark.parametrize("name", ["sound", "asked"])
def test_a_correct_target_has_no_findings(name):
    result = fuzz(planted(name), seed=1, count=300)
    assert result.findings == []
    assert result.tried == result.accepted + result.refused == 300
    if name == "sound":
        assert result.shapes == {"accepted", "Error: byte N at N of N"}


LARGE_PARENT = """
import subprocess, sys
held = bytearray(256 << 20)
subprocess.run([sys.executable, "-c", "from fuzz import execute; print(execute._peak())"], check=True)
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="only on Linux the peak of a process begins with that of its parent"
)
def test_a_worker_of_a_large_process_notices_growth():
    command = [sys.executable, "-c", LARGE_PARENT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert 1 << 20 < int(done.stdout) < 200 << 20


def test_the_differential_mode_counts_reasons_and_reports_differences_without():
    result = fuzz(planted("differs"), seed=1, count=100, compare=True, shrinking=2.0)
    (finding,) = result.findings
    assert finding.files == {"file": b"\xff"}
    assert "protobuf says something else" in finding.outcome.what
    assert result.compared[""] > 5 and result.compared["it is known"] > 5
    assert result.numbers["explained"] == result.compared["it is known"]
    assert fuzz(planted("differs"), seed=1, count=100).findings == []


def test_a_saved_test_fails_until_it_is_fixed(tmp_path):
    finding = Finding(planted("index_error"), {"file": b"0123456789a"}, Outcome("finding", "error: IndexError"))
    folder = save(finding, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed" in done.stdout and "IndexError" in done.stdout
    (folder / "input" / "file").write_bytes(b"0123456")
    assert replay(folder).verdict == "accepted"


def test_equal_seeds_make_equal_inputs_and_other_seeds_other_inputs():
    target = find_target(planted("sound"))
    first, again, other = (Inputs(target, seed) for seed in (1, 1, 2))
    inputs = [[source.next() for _ in range(60)] for source in (first, again, other)]
    assert inputs[0] == inputs[1] != inputs[2]
    assert len({files["file"] for files in inputs[0]}) > 30


def test_a_run_of_a_fixed_number_of_inputs_is_reproducible():
    one, two = (fuzz(planted("sound"), seed=7, count=60).numbers for _ in range(2))
    assert {**one, "minutes": 0} == {**two, "minutes": 0}


def test_an_input_with_a_new_outcome_is_kept_for_mutation():
    source = Inputs(find_target(planted("sound")), 1)
    assert source.learn({"file": b"1"}, "Error: N")
    assert not source.learn({"file": b"2"}, "Error: N")
    assert source.kept == [{"file": b"1"}]


@pytest.mark.parametrize("content", [b"", b"xyz", bytes(100_000)])
def test_a_slot_holds_the_running_input(tmp_path, content):
    slot = Slot(tmp_path / "slot")
    assert slot.read() == Tried(0, False, {})
    slot.put(7, {"a": b"more than comes later" * 10})
    slot.put(8, {"": content})  # one of these is as long as the head of the slot
    assert slot.read() == Tried(8, True, {"": content})
    slot.clear()
    assert slot.state() == (8, False)
    slot.close()
    assert len(pickle.dumps({"": b"xyz"})) == HEAD.size


# --- mutations ---------------------------------------------------------------------------------------------------

GRAPH = data_files()["linear.pb"]


def test_every_kind_of_damage_does_something():
    chance = random.Random(3)
    text = b'{"node": [{"name": "a", "attr": {"T": {"i": "-12"}}}], "x": 1.5}\n' * 3
    for data in (GRAPH, text, b""):
        mutations = {mutate({"a": data}, [{"a": data}], chance)["a"] for _ in range(300)}
        assert len(mutations) > (200 if data else 50)


def test_files_are_exchanged_emptied_and_lost():
    chance = random.Random(3)
    files = {"a": b"12345", "b": b"67890"}
    mutations = [mutate(files, [files], chance) for _ in range(400)]
    assert {"b": b"67890"} in mutations and {"a": b"67890", "b": b"12345"} in mutations
    assert any(m.get("a") == b"" for m in mutations)
    assert files == {"a": b"12345", "b": b"67890"}


def test_lengths_stay_right_around_a_field_that_is_replaced():
    graph = GraphDef.from_bytes(GRAPH)
    names = [place for place in places(GRAPH) if GRAPH[place.start : place.end] == graph.node[0].name.encode()]
    changed = GraphDef.from_bytes(replaced(GRAPH, names[0], b"\x0a\xac\x02" + b"x" * 300))
    assert changed.node[0].name == "x" * 300
    assert changed.node[1:] == graph.node[1:]


def test_any_field_can_be_left_out():
    for place in places(GRAPH):
        smaller = without(GRAPH, place)
        assert len(smaller) < len(GRAPH)
        assert looks_like_message(smaller)


# --- shrinking ---------------------------------------------------------------------------------------------------


def test_files_and_bytes_that_do_not_matter_are_left_out(tmp_path):
    target = find_target(planted("strange_refusal"))
    files = {"other": b"1" * 50, "file": b"\x00" + b"2" * 1000}
    outcome = run_input(target, files, tmp_path / "case")
    assert list(shrink(target, files, outcome, tmp_path / "case", seconds=600))[-1][0] == {"file": b"\x00"}


def test_findings_that_cannot_be_reproduced_are_not_minimized(tmp_path):
    target = find_target(planted("sound"))
    outcome = Outcome("finding", "error: ValueError: somewhere")
    assert list(shrink(target, {"file": b"123"}, outcome, tmp_path / "case", seconds=1)) == []


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_one_relevant_field_of_many_is_found_in_few_tries(depth, tmp_path):
    data = b"\x08\x01" * 1_000 + b"\x10\xff\x01" + b"\x08\x01" * 1_000
    for _ in range(depth):
        data = b"\x08\x01\x1a" + write_varint(len(data)) + data
    tries = 0

    def check(files, case):
        nonlocal tries
        tries += 1
        records = list(walk(files["file"], guess=True))  # an error is not a finding: lengths must stay correct
        assert not any(record.number == 2 and record.value == 255 and record.depth == depth for record in records)

    target = Target("one of many", "", lambda: iter(()), dict, check)
    outcome = run_input(target, {"file": data}, tmp_path / "case")
    smallest = list(shrink(target, {"file": data}, outcome, tmp_path / "case", seconds=600))[-1][0]["file"]
    assert smallest == b"\x1a\x05\x1a\x03\x10\xff\x01"[4 - 2 * depth :]
    assert tries < 400


def test_fields_are_left_out_together():
    fields = places(GRAPH)
    inner = [place for place in fields if place.depth == 1]
    first, last = inner[0], inner[-1]
    expected = without(without(GRAPH, last), places(without(GRAPH, last))[fields.index(first)])
    assert without(GRAPH, first, last) == expected != GRAPH
    assert without(GRAPH, *(place for place in fields if place.depth == 0)) == b""


# --- folders, names, figures -------------------------------------------------------------------------------------


def test_names_that_climb_out_are_not_written(tmp_path):
    case = Case(tmp_path / "in" / "case")
    case.write({"a/b": b"1", "../c": b"2", "/tmp/d": b"3", "e\0f": b"4", "": b"5"})
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["b"]


def test_special_files_replace_files(tmp_path):
    folder = Case(tmp_path / "case").write({"a@folder": b"", "b@link": b"c", "d@link": b"/etc/passwd", "e@f": b"5"})
    assert (folder / "a").is_dir()
    assert (folder / "b").is_symlink() and not (folder / "b").exists()
    assert (folder / "d").readlink().name == "passwd" and not (folder / "d").exists()
    assert (folder / "e@f").read_bytes() == b"5"
    if hasattr(os, "mkfifo"):
        assert Case(tmp_path / "case").write({"p@pipe": b""}).joinpath("p").is_fifo()


def test_special_files_are_saved_and_read_back(tmp_path):
    files = {"a@folder": b"", "b/c@link": b"c", "p@pipe": b"", "f": b"1"}
    assert read_input(save(Finding("checkpoint", files, Outcome("finding", "error: OSError")), tmp_path)) == files


def test_every_target_has_a_description(capsys):
    assert command.main(["--list"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown] == list(find_targets())
    assert {"wire", "text", "json", "raw"} <= set(find_targets())


def test_the_targets_as_json(capsys):
    assert command.main(["--list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    targets = find_targets()
    assert [row["target"] for row in rows] == list(targets)
    assert rows[0]["line"] == targets[rows[0]["target"]].line
    assert {row["target"] for row in rows if row["compared"]} == {name for name in targets if targets[name].compare}


def test_an_unknown_target_is_named(capsys):
    assert command.main(["--target", "wier"]) == 2
    assert "there is no target 'wier'; did you mean \"wire\"?" in capsys.readouterr().err


@pytest.mark.parametrize("minutes", ["0", "-1", "nan", "inf", "1e400"])
def test_runs_of_zero_or_infinite_length_are_refused(minutes, capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(["--target", "wire", "--minutes", minutes])
    assert f"--minutes: give some time, not {minutes}" in capsys.readouterr().err


def test_the_command_saves_what_it_finds_and_fails(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "fuzz", lambda name, seed, seconds, compare: fuzz(name, seed=seed, count=50))
    monkeypatch.setattr(command, "save", lambda finding: failures.save(finding, tmp_path))
    assert command.main(["--target", planted("broken_round_trip"), "--minutes", "0.02", "--seed", "1", "--json"]) == 1
    (figures,) = json.loads(capsys.readouterr().out)
    assert figures["findings"] == 1 and figures["tried"] > 10
    assert len(list(tmp_path.glob("broken_round_trip-*/input/file"))) == 1


def test_figures_are_summed(tmp_path):
    path = tmp_path / "record.jsonl"
    one = Result("wire", 1, seconds=60, tried=10, accepted=6, refused=4, shapes={"a", "b"})
    two = Result("wire", 2, seconds=120, tried=5_000, accepted=5_000, shapes={"a"})
    record.append([one, two, Result("raw", 1, seconds=6, tried=1)], path)
    rows = {row["target"]: row for row in record.rows(path)}
    assert (rows["wire"]["minutes"], rows["wire"]["tried"], rows["wire"]["shapes"]) == (3, 5_010, 2)
    assert "| wire | 3 | 5,010 | 5,006 | 4 | 2 |" in record.report(path)
    assert "| **all** | 3 | 5,011 |" in record.report(path)
