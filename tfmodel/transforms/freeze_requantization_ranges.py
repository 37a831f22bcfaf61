"""Replace ranges that are computed for every batch by constants from a log.

    r = RequantizationRange(x, lo, hi)   ->   r/frozen_min = Const, r/frozen_max = Const
    q = Requantize(x, lo, hi, r, r:1)    ->   q = Requantize(x, lo, hi, r/frozen_min:0, r/frozen_max:0)

The ranges come from a log: `insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:")` makes
a graph that writes, for each batch and each of these nodes, a line such as

    ;r__print__;__requant_min_max:[-0.5][1.25]

to the standard error output. Lines without such a record, or with a damaged one, are skipped. Outliers are ignored:
`min_percentile` percent of the minimums of a node are below the frozen minimum, and `max_percentile` percent of the
maximums are above the frozen maximum. Nodes that are not in the log stay as they are.

A node is left alone, and listed in the report, if

    it is in a loop or conditional, since a constant would be outside of it
    it is a declared input or output
    the names of the constants are taken

Unlike in the original, a percentile that points before the first value or after the last one selects that value; the
original reads memory outside of the list. Records with infinite values and NaN are skipped too. Control inputs of the
node move to the constants. Control inputs from the node are replaced by control inputs from the constant of the
minimum; in the original the graph breaks.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Iterable

from pbwire.errors import suggestion

from ..errors import FileFormatError, TransformError
from ..files.access.special_files import open_user_file
from ..files.access.stand_ins import STAND_IN_HEAD, refuse_stand_in
from ..graph import GraphIndex, with_nodes
from ..graph.error_text import list_names, quote
from ..messages import DataType, GraphDef, NodeDef
from ..values.names import TensorName, control_input, control_inputs
from ..values.terminal import escape
from .framework.node_edits import const_node, rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport

_OP = "RequantizationRange"
_NAME_END = b"__print__"
_RECORD = b";__requant_min_max:"
_range = re.compile(rb"\[([^\[\]]*)\]([^\[\]]*)\[([^\[\]]*)\][^\[\]]*").fullmatch
_number = re.compile(rb"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?\s*", re.IGNORECASE).fullmatch

Ranges = dict[str, tuple["array[float]", "array[float]"]]
"""The minimums and maximums of each node, in the order of the log."""


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
    """Replace nodes that compute the range of quantized values by measured ranges from a log.

    The log is the standard error output of a graph after insert_logging(op=RequantizationRange, show_name=true,
    message="__requant_min_max:"). `min_percentile` percent of a node's minimums may be below the frozen minimum, and
    `max_percentile` percent of its maximums above the frozen maximum. Fails if the log cannot be read, has no ranges,
    or has ranges of a node that is not in the graph or has another op.

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
    ranges = _read_log(min_max_log_file)
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
        low = minimums[_index_of(len(minimums), _fraction(min_percentile))]
        high = maximums[_index_of(len(maximums), _f32(1 - _fraction(max_percentile)))]
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
    """Return why a node must stay; "" if it can be replaced."""
    if index.nodes[position].name in declared:
        return "it is a declared input or output"
    if index.control_flow and (index.node_frames[position] or index.node_branches[position]):
        return "it is in a loop or conditional, where constants would not be"
    existing = next((name for name in names if name in index), None)
    return f"there is a node {quote(existing)} already" if existing is not None else ""


def _check(ranges: Ranges, index: GraphIndex) -> None:
    missing = [name for name in ranges if name not in index]
    if missing:
        hint = escape(suggestion(missing[0], [node.name for node in index if node.op == _OP]))
        raise TransformError(
            f"Nodes were found in the log file that aren't present in the graph: {list_names(missing)}{hint}"
        )
    for name in ranges:
        if index[name].op != _OP:
            raise TransformError(f"Node is expected to be a {_OP} op: {escape(name)}, but is: {escape(index[name].op)}")


# --- the log ---------------------------------------------------------------------------------------------------------


def _read_log(path: str) -> Ranges:
    """Read the log line by line. Raises TransformError if it cannot be read, or has no records."""
    if not path:
        raise TransformError("You must pass a file name to min_max_log_file")
    ranges: Ranges = {}
    try:
        with open_user_file(path) as lines:
            refuse_stand_in(path, lines.peek(STAND_IN_HEAD))
            for line in lines:
                record = _parse_record(line) if _RECORD in line else None
                if record is not None:
                    name, smallest, largest = record
                    minimums, maximums = ranges.setdefault(name, (array("f"), array("f")))
                    minimums.append(smallest)
                    maximums.append(largest)
    except FileFormatError as error:
        raise TransformError(f"min_max_log_file: {error}") from error
    except (OSError, ValueError) as error:  # a ValueError for an invalid path
        problem = getattr(error, "strerror", None) or error
        raise TransformError(f"min_max_log_file: cannot read {quote(path)}: {problem}") from error
    if not ranges:
        raise TransformError(f"No min/max range logs were found in the log file {quote(path)}")
    return ranges


def _parse_record(line: bytes) -> tuple[str, float, float] | None:
    """Return the node, the minimum and the maximum of the last record in a line; None if the record is damaged.

    Parts of a line are separated by semicolons: the part before the record is the name of the node that printed it.
    """
    start = line.rindex(_RECORD)
    name = line[line.rfind(b";", 0, start) + 1 : start]
    values = _range(line[start + len(_RECORD) :].partition(b";")[0])
    if values is None or not name.endswith(_NAME_END):
        return None
    smallest, largest = _parse_number(values[1]), _parse_number(values[3])
    if smallest is None or largest is None:
        return None
    return name.removesuffix(_NAME_END).decode(errors="replace"), smallest, largest


def _parse_number(text: bytes) -> float | None:
    """Return a number that fits a float32; None for other text."""
    if not _number(text):
        return None
    try:
        return _f32(float(text))
    except OverflowError:
        return None


# --- percentiles -----------------------------------------------------------------------------------------------------


# Computed in float32, as in the original; halves are rounded away from zero.


def _fraction(percentile: float) -> float:
    return _f32(_f32(percentile) / 100)


def _index_of(count: int, fraction: float) -> int:
    """Return the index of the value, among `count` sorted values, below which the part `fraction` of them lies."""
    return min(int(_f32(count * fraction) + 0.5), count - 1)


def _f32(number: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", number))[0])
