"""The benchmark "peers", without other libraries: its descriptors, its generator for protobug, its tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pbwire import proto
from tests.benchmarks.peers import measuring
from tests.benchmarks.peers.descriptors import PROBES, message_files, probe_files
from tests.benchmarks.peers.environment import LIBRARIES, ROOT, Failure, Library, run
from tests.benchmarks.peers.generated_code import protobug_module
from tests.benchmarks.peers.report import Row, columns, spread
from tfmodel.messages import TYPES


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_pbwire_writes_a_probe_as_it_was(probe):
    message = proto.load_set(probe_files(probe))["probe.M"].from_bytes(probe.data)
    assert message.to_bytes() == probe.data


@pytest.mark.parametrize("name", ["tensorflow.GraphDef", "tensorflow.MetaGraphDef", "tensorflow.SavedModel"])
def test_the_descriptors_of_tensorflows_messages_load(name):
    data = TYPES[name].__call__().to_bytes()
    assert proto.load_set(message_files(name))[name].from_bytes(data).to_bytes() == data


STAND_IN = """
import dataclasses, enum, typing
class Enum(enum.IntEnum):
    def __init_subclass__(cls, **options): pass
Int32 = Bool = int
String = str
field = lambda number, **default: dataclasses.field(metadata={"number": number}, **default)
def message(cls):
    dataclasses.dataclass(cls)
    cls.hints = typing.get_type_hints(cls, vars(__import__("messages")))
"""
"""Declarations with the names of protobug's that the generated module uses."""

SOURCE = """
syntax = "proto3"; package p;
enum Color { RED = 0; None = 1; }
message Tree {
  message Leaf { Color color = 1; }
  string name = 1; repeated Tree list = 2; map<string, Leaf> leaves = 3;
  oneof kind { int32 number = 4; Leaf leaf = 5; }
  optional bool flag = 6;
}
"""


def test_the_module_for_protobug_declares_messages_that_refer_to_each_other(tmp_path):
    (tmp_path / "p.proto").write_text(SOURCE)
    (tmp_path / "messages.py").write_text(protobug_module(proto.descriptors("p.proto", include=[tmp_path])))
    (tmp_path / "protobug.py").write_text(STAND_IN)
    script = "from messages import _p_Tree as T, _p_Tree_Leaf as L; print(T(), L()); print(T.hints['list'])"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "_p_Tree(name='', list=[], leaves={}, number=None, leaf=None, flag=None) _p_Tree_Leaf(color=<_p_Color.RED: 0>)",
        "typing.List[messages._p_Tree]",
    ]


def test_the_module_for_protobug_has_no_groups():
    groups = next(probe for probe in PROBES if probe.name == "groups")
    with pytest.raises(Failure, match="no groups"):
        protobug_module(probe_files(groups))


@pytest.mark.slow(reason="starts a process for each measurement")
def test_the_benchmark_measures_pbwire_and_reports_what_cannot_be_installed(tmp_path, monkeypatch, capsys):
    ours = [library for library in LIBRARIES if library.kind in ("pbwire", "lazy")]
    missing = Library("missing", "protobuf", (str(tmp_path / "missing.whl"),))
    monkeypatch.setattr(measuring, "LIBRARIES", [*ours, missing])
    monkeypatch.setattr(measuring, "ROUNDS", 1)
    monkeypatch.setattr(measuring, "IMPORTS", 1)
    measuring.peers(ROOT / "tests/data/linear.pb", "tensorflow.GraphDef", tmp_path / "environment")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("linear.pb, 585 bytes")
    eager = next(line.removeprefix("pbwire ").split() for line in lines if line.startswith("pbwire "))
    assert len(eager) == 11
    assert all(float(cell.replace(",", "")) > 0 for cell in eager)
    assert [line for line in lines if line.startswith("missing: ERROR")]
    assert ["pbwire", "yes", "yes", "yes", "yes", "this", "repository"] in [line.split() for line in lines]
    assert lines[-2:] == [
        "results are not compared: protobuf is not installed",
        "one round: how much times vary is not known",
    ]


def test_a_cell_has_the_best_time_or_the_reason_why_it_is_missing():
    row = Row(LIBRARIES[0], times={"decode": [2.0, 0.5], "encode": [1.5], "edit": [0.0001], "print text": [0.1]})
    row.add({"parse JSON": ["TypeError"]})
    row.wrong = ["print text"]
    cells = [row.cell(task) for task in ("decode", "encode", "edit", "print text", "parse JSON", "print JSON")]
    assert cells == ["500.0", "1,500", "0.10", "wrong", "fails", "-"]


def test_heads_of_columns_have_two_lines():
    rows = [["", "first\ndecode", "edit"], ["a", "1.0", "22.0"], ["long", "10.0", "3.0"]]
    assert columns(rows).splitlines() == [
        "       first",
        "      decode  edit",
        "a        1.0  22.0",
        "long    10.0   3.0",
    ]


def test_the_spread_of_times_is_that_of_the_rounds():
    row = Row(LIBRARIES[0], times={"decode": [1.0, 1.1], "encode": [2.0, 2.4], "memory": [1.0, 9.0]})
    assert spread([row]) == "times of one task differ between rounds by 15% (median), 20% (nine in ten)"


def test_a_command_that_fails_is_reported_in_one_line(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text("import sys; sys.exit('first\\nERROR: the reason\\nhint')")
    with pytest.raises(Failure, match=r"^ERROR: the reason$"):
        run([sys.executable, str(script)])
