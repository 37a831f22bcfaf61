"""Overlays of the page: a number for each node, from a file that tfmodel, TensorFlow or another program wrote.

{"conv1": 3.5}                          any numbers
tfmodel run --profile --json            milliseconds of each node
RunMetadata of TensorFlow               milliseconds of each node; with "memory", the bytes that it allocated
tfmodel verify --json                   relative difference of each output
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pbwire.errors import class_name

from ..errors import FileFormatError, with_name
from ..files.access.special_files import open_regular
from ..files.files import load
from ..messages import NodeExecStats, RunMetadata
from ..values.names import node_name
from ..values.report import NOT_FINITE
from ..values.terminal import escape

OVERLAYS = ("time", "memory", "error")
"""The quantities that an overlay can show, by the kind of its file."""

_MAX_SIZE = 256 << 20


class Overlay(NamedTuple):
    """The numbers of nodes, by name, and their unit."""

    values: dict[str, float]
    unit: str = ""


def read_overlay(path: str | os.PathLike[str], what: str | None = None) -> Overlay:
    """Read an overlay from a file. `what` is one of OVERLAYS; default: the one that the file is about.

    Raises FileFormatError for another file, and for a file that does not have `what`; OSError.
    """
    name = escape(os.fspath(path))
    with open_regular(os.fspath(path)) as file:
        start = file.read(4096)
        is_json = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[") and b'"stepStats"' not in start
        content = start + file.read(_MAX_SIZE) if is_json else b""
    if is_json:
        overlay, kind = _from_json(content, name)
    else:
        message = load(path)
        if not isinstance(message, RunMetadata):
            problem = f"it has a {class_name(message)}, and an overlay is a RunMetadata, or JSON"
            raise FileFormatError(with_name(name, problem))
        kind = what or "time"
        overlay = _from_run(message, kind)
        if not overlay.values:
            raise FileFormatError(
                with_name(name, f"the RunMetadata has no {escape(kind)} of nodes: was the run traced?")
            )
        return overlay
    if what is not None and what != kind:
        raise FileFormatError(with_name(name, f"it has {kind or 'numbers of an unknown kind'}, not {escape(what)}"))
    return overlay


# --- JSON ------------------------------------------------------------------------------------------------------------


def _from_json(content: bytes, name: str) -> tuple[Overlay, str]:
    """Return the overlay in a JSON file, and what it shows, "" for any numbers."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(with_name(name, f"not a JSON file: {escape(str(error)[:200])}")) from None
    if not isinstance(document, dict):
        raise FileFormatError(f'{name}: an overlay is an object, {{"NODE": NUMBER}}')
    profile = document.get("profile", document)
    if isinstance(profile, dict) and isinstance(profile.get("nodes"), list):
        return Overlay(_sums(_rows(profile["nodes"], "node", "seconds", 1e3, name)), "ms"), "time"
    if isinstance(document.get("outputs"), list):
        return Overlay(_sums(_rows(document["outputs"], "name", "relative", 1, name)), "relative error"), "error"
    return Overlay({node: _number(value, node, name) for node, value in document.items()}), ""


def _rows(rows: list[Any], key: str, field: str, scale: float, name: str) -> Iterator[tuple[str, float]]:
    """Yield the nodes and numbers of the rows of a report. An infinite difference is left out."""
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get(key), str):
            raise FileFormatError(f'{name}: each of its rows needs "{key}" and "{field}"')
        value = row.get(field)
        if value in NOT_FINITE or (isinstance(value, float) and not math.isfinite(value)):
            continue
        yield node_name(row[key]), scale * _number(value, row[key], name)


def _number(value: Any, node: str, name: str) -> float:
    try:
        number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise FileFormatError(with_name(name, f"the value of {json.dumps(node[:200])} is not a finite number"))
    return number


def _sums(pairs: Iterator[tuple[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for node, number in pairs:
        sums[node] = sums.get(node, 0.0) + number
    return sums


# --- RunMetadata -----------------------------------------------------------------------------------------------------


def _from_run(run: RunMetadata, what: str) -> Overlay:
    """Return the time or memory of the nodes of a traced run.

    On a GPU, the device has the time in which a kernel was started, and its streams the time in which it ran. The time
    of the streams counts for nodes that have both. "stream:all" repeats the other streams.
    """
    devices = run.step_stats.dev_stats if run.step_stats is not None else []
    streams = [device for device in devices if "/stream:" in device.device]
    everything = [device for device in streams if device.device.endswith("/stream:all")]
    hosts = [device for device in devices if "/stream:" not in device.device and "/memcpy" not in device.device]
    if what == "memory":
        return Overlay(_of_stats([stats for device in hosts for stats in device.node_stats], _bytes), "bytes")
    if what != "time":
        return Overlay({})
    times = _of_stats([stats for device in hosts for stats in device.node_stats], _milliseconds)
    on_streams = _of_stats([stats for device in everything or streams for stats in device.node_stats], _milliseconds)
    return Overlay(times | on_streams, "ms")


def _of_stats(rows: list[NodeExecStats], measure: Callable[[NodeExecStats], float]) -> dict[str, float]:
    return _sums((stats.node_name.partition(":")[0], measure(stats)) for stats in rows if stats.node_name)


def _milliseconds(stats: NodeExecStats) -> float:
    nanos = stats.op_end_rel_nanos - stats.op_start_rel_nanos
    return nanos / 1e6 if nanos > 0 else max(0, stats.op_end_rel_micros - stats.op_start_rel_micros) / 1e3


def _bytes(stats: NodeExecStats) -> float:
    """Return the bytes that a node allocated; if that was not recorded, those of its outputs."""
    allocated = sum(memory.total_bytes for memory in stats.memory)
    descriptions = (output.tensor_description for output in stats.output)
    allocations = (item.allocation_description for item in descriptions if item is not None)
    return float(allocated or sum(item.allocated_bytes for item in allocations if item is not None))
