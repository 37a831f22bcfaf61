"""Programs of several runs, with tables and prints, give what TensorFlow gives (tests/golden/kernels)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pbwire import text
from tests.golden.kernels.stateful import Recorded, fed, recorded, stated
from tests.golden.kernels.stateful_programs import PROGRAMS
from tfmodel.errors import Error
from tfmodel.interpreter import Session
from tfmodel.messages import GraphDef

RECORDED = recorded()


@pytest.mark.parametrize("golden", RECORDED, ids=lambda golden: golden.program.name)
def test_runs_give_and_print_what_tensorflow_gives_and_prints(golden: Recorded, tmp_path: Path) -> None:
    program = golden.program
    for name, data in program.files.items():
        (tmp_path / name).write_bytes(data)
    printed: list[str] = []
    session = Session(program.graph, files=[tmp_path], log=lambda text: printed.append(f"{text}\n"))
    for (feeds, fetches), (expected, log) in zip(program.runs, golden.answers, strict=True):
        printed.clear()
        try:
            results = session.run(fed(feeds, str(tmp_path)), fetches)
        except Error:
            assert expected is None
            continue
        assert expected is not None, "TensorFlow refuses this"
        actual = [stated(results[name]) for name in fetches]
        if program.unordered and None not in expected:
            actual, expected = [sorted_columns(columns) for columns in (actual, expected)]
        assert same(actual, expected), f"{actual}, not {expected}"
        assert "".join(printed) == log


def test_the_recorded_programs_are_current() -> None:
    graphs = {golden.program.name: golden.program.graph.to_bytes(deterministic=True) for golden in RECORDED}
    expected = {program.name: program.graph.to_bytes(deterministic=True) for program in PROGRAMS}
    assert graphs == expected, "made anew by `python -m tests.golden.kernels.stateful`"


def sorted_columns(columns: Any) -> Any:
    """Several columns of one length, with their types, as sorted rows."""
    return [column[0] for column in columns], sorted(zip(*(column[1] for column in columns), strict=True))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    both_nan = isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other)
    return both_nan or bool(one == other)


def test_a_file_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"a\n")
    program = next(candidate for candidate in PROGRAMS if candidate.name.startswith("plain"))
    with pytest.raises(Error, match="not in the folder of the model"):
        Session(program.graph).run({"file": str(tmp_path / "secret").encode()}, ["init"])


def test_a_dense_table_is_restored_from_its_buckets() -> None:
    program = next(candidate for candidate in PROGRAMS if candidate.name == "dense")
    session = Session(program.graph)
    buckets = {"k": np.array([[-1], [5], [-2], [6]], np.int64), "v": np.array([[0], [50], [0], [60]], np.int64)}
    session.run(buckets, ["import"])
    results = session.run({"q": np.array([5, 6, 7], np.int64), "d": np.int64(0)}, ["find", "size"])
    assert results["find"].tolist() == [50, 60, 0]
    assert results["size"] == 2


GATHER = """
    node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "i" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
    node { name: "gather" op: "ResourceGather" input: ["v", "i"] attr { key: "batch_dims" value { i: 2 } } }
    node { name: "gather_nd" op: "ResourceGatherNd" input: ["v", "i"] }
"""


@pytest.mark.parametrize(
    ("fetch", "indices", "problem"),
    [
        ("gather", [[[0]]], "the variable has the shape [2,3], and axis 2 is indexed"),
        ("gather_nd", [[0, 1, 0]], "the variable has the shape [2,3], and axis 2 is indexed"),
        ("gather_nd", [[0, 3]], "the index 3 is not in [0, 3)"),
        ("gather_nd", [[-1, 0]], "the index -1 is not in [0, 2)"),
    ],
)
def test_a_wrong_index_into_a_variable_is_named(fetch: str, indices: Any, problem: str) -> None:
    session = Session(text.loads(GATHER, GraphDef), checkpoint={"v": np.zeros((2, 3), np.float32)})
    with pytest.raises(Error) as caught:
        session.run({"i": np.array(indices, np.int32)}, [fetch])
    assert problem in str(caught.value)
