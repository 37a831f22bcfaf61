"""Measured ranges in place of those that are computed for every batch.

    r = RequantizationRange(x, lo, hi)   ->   r/frozen_min = Const, r/frozen_max = Const
    q = Requantize(x, lo, hi, r, r:1)    ->   q = Requantize(x, lo, hi, r/frozen_min:0, r/frozen_max:0)

The ranges come from a log: `insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:")` makes
a graph that writes, for each batch and each of these nodes, a line such as

    ;r__print__;__requant_min_max:[-0.5][1.25]

to the standard error output. Lines that have no such record, or a damaged one, are passed over. Of the minimums of a
node, `min_percentile` percent are taken to be outliers, and lie below the one that is frozen; of the maximums,
`max_percentile` percent lie above. Nodes that the log does not have stay as they are.

Unlike the original: percentages that lead before the first or behind the last value mean that value (there, memory
behind the list is read). Records with infinite values and NaN are passed over too. Control inputs of the node go over
to the constants, and who waited for the node waits for the minimum; there the graph breaks. A node stays, and is
counted, if it is in a loop or conditional, which a constant would not be in, if it is a declared input or output, or if
the names of the constants are taken.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Iterable

from pbwire.suggestions import suggestion

from ..errors import FileFormatError, TransformError
from ..graph import GraphIndex, with_nodes
from ..graph.error_text import listed, quoted
from ..messages import DataType, GraphDef, NodeDef
from ..names import TensorName, control_input, control_inputs
from ..paths import check_end
from ..printable import printable
from .framework.new_constants import const_node
from .framework.node_edits import rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["freeze_requantization_ranges"]

_OP = "RequantizationRange"
_NAME_END = b"__print__"
_RECORD = b";__requant_min_max:"
_range = re.compile(rb"\[([^\[\]]*)\]([^\[\]]*)\[([^\[\]]*)\][^\[\]]*").fullmatch
_number = re.compile(rb"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?\s*", re.IGNORECASE).fullmatch

Ranges = dict[str, tuple["array[float]", "array[float]"]]
"""The minimums and the maximums of each node, in the order of the log."""


@graph_transform
def freeze_requantization_ranges(
    graph: GraphDef,
    *,
    min_max_log_file: str,
    min_percentile: float = 5.0,
    max_percentile: float = 5.0,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    report: StepReport,
) -> GraphDef:
    """Replace nodes that compute the range of quantized values by ranges that were measured before.

    The log is what a graph writes that insert_logging(op=RequantizationRange, show_name=true,
    message="__requant_min_max:") has made. Of its values, `min_percentile` percent may lie below the minimum and
    `max_percentile` percent above the maximum. Fails if the log cannot be read, has no ranges, or has those of a node
    that the graph does not have or that has another op.

    Example: freeze_requantization_ranges(min_max_log_file="ranges.log") with outputs q

        x = Placeholder[dtype=qint32]
        lo = Placeholder[dtype=float]
        hi = Placeholder[dtype=float]
        r = RequantizationRange(x, lo, hi)[Tinput=qint32]
        q = Requantize(x, lo, hi, r, r:1)[Tinput=qint32, out_type=quint8]

    becomes

        x = Placeholder[dtype=qint32]
        lo = Placeholder[dtype=float]
        hi = Placeholder[dtype=float]
        r/frozen_min = Const[dtype=float, value=float{-0.5}()]
        r/frozen_max = Const[dtype=float, value=float{1.25}()]
        q = Requantize(x, lo, hi, r/frozen_min:0, r/frozen_max:0)[Tinput=qint32, out_type=quint8]
    """
    for end, percentile in (("min", min_percentile), ("max", max_percentile)):
        if not 0 <= percentile <= 100:
            raise TransformError(f"{end}_percentile must be from 0 to 100, not {percentile:g}")
    ranges = _logged(min_max_log_file)
    index = GraphIndex(graph)
    _check(ranges, index)
    declared = {tensor.node for tensor in (*inputs, *outputs)}
    nodes: list[NodeDef] = []
    renames: dict[str, str] = {}
    for position, node in enumerate(graph.node):
        if node.name not in ranges:
            nodes.append(node)
            continue
        smallest, largest = f"{node.name}/frozen_min", f"{node.name}/frozen_max"
        if reason := _obstacle(index, position, declared, (smallest, largest)):
            report.refuse(node.name, reason)
            nodes.append(node)
            continue
        minimums, maximums = map(sorted, ranges[node.name])
        controls = control_inputs(node)
        low = minimums[_place(len(minimums), _part(min_percentile))]
        high = maximums[_place(len(maximums), _f32(1 - _part(max_percentile)))]
        nodes.append(const_node(smallest, low, DataType.DT_FLOAT, control_inputs=controls))
        nodes.append(const_node(largest, high, DataType.DT_FLOAT, control_inputs=controls))
        renames |= {
            node.name: f"{smallest}:0",
            f"{node.name}:1": f"{largest}:0",
            control_input(node.name): control_input(smallest),
        }
        report.fire()
    return with_nodes(graph, rename_inputs(nodes, renames)) if renames else graph


def _obstacle(index: GraphIndex, position: int, declared: set[str], names: Iterable[str]) -> str:
    """Why a node has to stay; empty if nothing keeps it."""
    if index.nodes[position].name in declared:
        return "it is a declared input or output"
    if index.control_flow and (index.node_frames[position] or index.node_branches[position]):
        return "it is in a loop or conditional, which constants would not be in"
    taken = next((name for name in names if name in index), None)
    return f"there is a node {quoted(taken)} already" if taken is not None else ""


def _check(ranges: Ranges, index: GraphIndex) -> None:
    missing = [name for name in ranges if name not in index]
    if missing:
        hint = printable(suggestion(missing[0], [node.name for node in index if node.op == _OP]))
        raise TransformError(
            f"Nodes were found in the log file that aren't present in the graph: {listed(missing)}{hint}"
        )
    for name in ranges:
        if index[name].op != _OP:
            raise TransformError(
                f"Node is expected to be a {_OP} op: {printable(name)}, but is: {printable(index[name].op)}"
            )


# --- the log ---------------------------------------------------------------------------------------------------------


def _logged(path: str) -> Ranges:
    """What the log says; it is read line by line. Raises TransformError if it cannot be read, or if it has nothing."""
    if not path:
        raise TransformError("You must pass a file name to min_max_log_file")
    ranges: Ranges = {}
    try:
        check_end(path)
        with open(path, "rb") as lines:
            for line in lines:
                found = _recorded(line) if _RECORD in line else None
                if found is not None:
                    name, smallest, largest = found
                    minimums, maximums = ranges.setdefault(name, (array("f"), array("f")))
                    minimums.append(smallest)
                    maximums.append(largest)
    except (OSError, ValueError, FileFormatError) as error:  # a ValueError for a path that is none
        problem = getattr(error, "strerror", None) or error
        raise TransformError(f"min_max_log_file: cannot read {quoted(path)}: {problem}") from error
    if not ranges:
        raise TransformError(f"No min/max range logs were found in the log file {quoted(path)}")
    return ranges


def _recorded(line: bytes) -> tuple[str, float, float] | None:
    """The node, the minimum and the maximum of the last record in a line; None if that is none.

    Pieces of the line are divided by semicolons: what is before the record is the name of the node that printed it.
    """
    start = line.rindex(_RECORD)
    name = line[line.rfind(b";", 0, start) + 1 : start]
    values = _range(line[start + len(_RECORD) :].partition(b";")[0])
    if values is None or not name.endswith(_NAME_END):
        return None
    smallest, largest = _parsed(values[1]), _parsed(values[3])
    if smallest is None or largest is None:
        return None
    return name.removesuffix(_NAME_END).decode(errors="replace"), smallest, largest


def _parsed(text: bytes) -> float | None:
    """A number that a float of four bytes can hold."""
    if not _number(text):
        return None
    try:
        return _f32(float(text))
    except OverflowError:
        return None


# --- percentiles -----------------------------------------------------------------------------------------------------


# In floats of four bytes, as in the original; a half is rounded away from zero.


def _part(percentile: float) -> float:
    return _f32(_f32(percentile) / 100)


def _place(count: int, part: float) -> int:
    """Which of `count` sorted values stands where that part of them ends."""
    return min(int(_f32(count * part) + 0.5), count - 1)


def _f32(number: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", number))[0])
