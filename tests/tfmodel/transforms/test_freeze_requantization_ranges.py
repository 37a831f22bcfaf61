"""Measured ranges replace computed ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tfmodel.transforms.graph_notation import graph, spelled
from tfmodel import to_ndarray, transform
from tfmodel.errors import TransformError
from tfmodel.graph import attr, check_graph
from tfmodel.messages import GraphDef, TensorProto
from tfmodel.ops import OPS
from tfmodel.transforms.framework.report import StepReport, TransformReport

GRAPH = """
    x = Placeholder[dtype=qint32]
    lo = Placeholder[dtype=float]
    r = RequantizationRange(x, lo, lo, ^lo)[Tinput=qint32]
    a/r = RequantizationRange(x, lo, lo)[Tinput=qint32]
    y = Requantize(x, lo, lo, r:0, r:1)[Tinput=qint32, out_type=quint8]
    z = Requantize(x, lo, lo, a/r, a/r:1, ^r)[Tinput=qint32, out_type=quint8]
"""


def frozen(
    log: str, folder: Path, arguments: str = "", before: str = GRAPH, outputs: str = ""
) -> tuple[GraphDef, StepReport]:
    """Return the graph after freezing with the ranges of a log."""
    path = folder / "log"
    path.write_text(log)
    report = TransformReport()
    steps = f'freeze_requantization_ranges(min_max_log_file="{path}"{arguments})'
    after = transform(graph(before), "", outputs, steps, report=report)
    assert not check_graph(after, registry=OPS)
    return after, report.steps[0]


def ranges(after: GraphDef) -> dict[str, float]:
    constants = [node for node in after.node if node.op == "Const"]
    return {node.name: float(to_ndarray(attr(node, "value", TensorProto))) for node in constants}


def line(name: str, smallest: object, largest: object) -> str:
    return f";{name}__print__;__requant_min_max:[{smallest}][{largest}]\n"


def test_both_outputs_become_constants_where_the_node_stood(tmp_path: Path) -> None:
    after, report = frozen(line("r", -1.5, 2), tmp_path)
    assert [spelled(node) for node in after.node[2:]] == [
        "r/frozen_min = Const(^lo)[dtype=float, value=float{-1.5}()]",
        "r/frozen_max = Const(^lo)[dtype=float, value=float{2.0}()]",
        "a/r = RequantizationRange(x, lo, lo)[Tinput=qint32]",
        "y = Requantize(x, lo, lo, r/frozen_min:0, r/frozen_max:0)[Tinput=qint32, out_type=quint8]",
        "z = Requantize(x, lo, lo, a/r, a/r:1, ^r/frozen_min)[Tinput=qint32, out_type=quint8]",
    ]
    assert report.fired == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (";r__print__;__requant_min_max:[-1][2]", (-1, 2)),
        ("r__print__;__requant_min_max:[-1][2]", (-1, 2)),
        ("before;r__print__;__requant_min_max:[-1][2]after\r", (-1, 2)),
        ("before;r__print__;__requant_min_max:[-1][2];after", (-1, 2)),
        ("r__print__;__requant_min_max:[9][9];r__print__;__requant_min_max:[-1][2]", (-1, 2)),
        (";r__print__;__requant_min_max:[ -1e0 ]x[+2.]", (-1, 2)),
        (";r__print__;__requant_min_max:[-1][2][3]", None),
        (";r__print__;__requant_min_max: [-1][2]", None),
        (";r__print__;__requant_min_max:[-1]", None),
        (";r__print__;__requant_min_max:[-1][two]", None),
        (";r__print__;__requant_min_max:[nan][inf]", None),
        (";r__print__;__requant_min_max:[-1e99][1e99]", None),
        (";r__print__;x;__requant_min_max:[-1][2]", None),
        ("__requant_min_max:[-1][2]", None),
        ("", None),
    ],
)
def test_lines_that_are_records_are_recognized(text: str, expected: tuple[float, float] | None, tmp_path: Path) -> None:
    if expected is None:
        with pytest.raises(TransformError, match="No min/max range logs were found in the log file"):
            frozen(text + "\n", tmp_path)
    else:
        assert tuple(ranges(frozen(text + "\n", tmp_path)[0]).values()) == expected


@pytest.mark.parametrize(
    ("arguments", "low", "high"),
    [
        ("", 1, 19),
        (", min_percentile=50, max_percentile=50", 10, 10),
        (", min_percentile=0, max_percentile=0", 0, 19),
        (", min_percentile=10, max_percentile=20", 2, 16),
        (", min_percentile=100, max_percentile=100", 19, 0),  # where the original reads what is behind the list
    ],
)
def test_percentiles(arguments: str, low: int, high: int, tmp_path: Path) -> None:
    """Of twenty values, 0 to 19."""
    log = "".join(line("r", (7 * number) % 20, (3 * number) % 20) for number in range(20))
    assert ranges(frozen(log, tmp_path, arguments)[0]) == {"r/frozen_min": low, "r/frozen_max": high}


@pytest.mark.parametrize(
    ("log", "problem"),
    [
        (line("a/rr", 1, 2), """that aren't present in the graph: "a/rr"; did you mean "a/r"?"""),
        (line("x", 1, 2), "Node is expected to be a RequantizationRange op: x, but is: Placeholder"),
    ],
)
def test_a_log_of_another_graph_is_refused(log: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(TransformError) as caught:
        frozen(log, tmp_path)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("", 'the argument "min_max_log_file" is missing'),
        ('(min_max_log_file="")', "You must pass a file name to min_max_log_file"),
        ('(min_max_log_file="/nowhere/log")', 'cannot read "/nowhere/log": No such file or directory'),
        ('(min_max_log_file="/")', "min_max_log_file: /: this is not a file but a folder"),
        ('(min_max_log_file="/dev/zero")', "/dev/zero"),  # which has no end
    ],
)
def test_a_log_that_cannot_be_read(arguments: str, problem: str) -> None:
    with pytest.raises(TransformError) as caught:
        transform(graph(GRAPH), "", "", f"freeze_requantization_ranges{arguments}")
    assert problem in str(caught.value)


LOOP = """
    x = Placeholder[dtype=qint32]
    lo = Placeholder[dtype=float]
    enter = Enter(lo)[T=float, frame_name="loop"]
    in = Enter(x)[T=qint32, frame_name="loop"]
    r = RequantizationRange(in, enter, enter)[Tinput=qint32]
    y = Exit(r)[T=float]
"""


@pytest.mark.parametrize(
    ("before", "outputs", "reason"),
    [
        (GRAPH, "r:1", "it is a declared input or output"),
        (GRAPH + "    r/frozen_max = NoOp", "", 'there is a node "r/frozen_max" already'),
        (LOOP, "", "it is in a loop or conditional, where constants would not be"),
    ],
)
def test_nodes_that_are_left_alone(before: str, outputs: str, reason: str, tmp_path: Path) -> None:
    after, report = frozen(line("r", 1, 2), tmp_path, before=before, outputs=outputs)
    assert [spelled(node) for node in after.node] == [spelled(node) for node in graph(before).node]
    assert report.refusals == {reason: ["r"]}


def test_a_long_log_is_not_kept_in_memory(tmp_path: Path) -> None:
    log = "a line of something else\n" * 20_000 + line("r", -1, 1) * 20_000
    assert ranges(frozen(log, tmp_path)[0]) == {"r/frozen_min": -1, "r/frozen_max": 1}
