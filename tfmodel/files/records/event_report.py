"""`summarize_events`: the runs, graphs and series of event files, as a report with text and JSON."""

from __future__ import annotations

import builtins
import math
import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pbwire.errors import DecodeError

from ...messages import Event, GraphDef, RunMetadata
from ...values.report import Report
from ...values.steps import in_steps
from ...values.terminal import align_columns, escape
from ..tfrecords.event_graphs import PREFERENCE, StoredGraph, graphs_of_event
from ..tfrecords.records import Damage
from .events import EventReader, SummaryValue, TagPlugins, ValueKind, event_files, read_scalar


@dataclass
class Series:
    """The values of one tag in a run.

    tag          the name of the series
    kind         "scalar", "histogram", "image", "audio", "text", "tensor", "keras model", "run metadata", "hparams",
                 or "other"
    plugin       the plugin of TensorBoard that shows it; "" if it is unknown
    steps        the step of each value, in the order of the files
    wall_times   the time of each value, in seconds since 1970
    values       of scalars, the numbers; NaN for a value that is not a number. Empty for other kinds
    """

    tag: str
    kind: ValueKind
    plugin: str
    steps: Sequence[int] = field(default_factory=lambda: array("q"))
    wall_times: Sequence[float] = field(default_factory=lambda: array("d"))
    values: Sequence[float] = field(default_factory=lambda: array("d"))

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def finite_values(self) -> list[float]:
        return [value for value in self.values if math.isfinite(value)]

    @property
    def count(self) -> int:
        return len(self.steps)

    @property
    def first_step(self) -> int:
        return self.steps[0]

    @property
    def last_step(self) -> int:
        return self.steps[-1]

    @property
    def min(self) -> float | None:
        """The smallest finite value."""
        return builtins.min(self.finite_values, default=None)

    @property
    def max(self) -> float | None:
        """The largest finite value."""
        return builtins.max(self.finite_values, default=None)

    @property
    def last(self) -> float:
        """The last value."""
        return self.values[-1]

    @property
    def not_finite(self) -> int:
        """The number of values that are not finite."""
        return len(self.values) - len(self.finite_values)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        facts: dict[str, Any] = {name: getattr(self, name) for name in ("tag", "kind", "plugin", "count")}
        facts |= {"first_step": self.first_step, "last_step": self.last_step}
        if self.values:
            facts |= {"min": self.min, "max": self.max, "last": json_number(self.last), "not_finite": self.not_finite}
        return facts


@dataclass(frozen=True)
class GraphFacts:
    """A graph, or the traces of a run, in an event file.

    kind      "graph", "meta_graph", "run_metadata" or "keras_model"
    tag       the name of a RunMetadata or a Keras model; else empty
    file      the name of the file
    record    the number of its record
    nodes     the number of nodes; None for a RunMetadata without a graph, and for damaged data
    timed     the number of nodes with times in a RunMetadata
    seconds   the time of all nodes in a RunMetadata
    problem   what is wrong with it; else empty
    """

    kind: str
    tag: str
    step: int
    file: str
    record: int
    size: int
    nodes: int | None = None
    timed: int = 0
    seconds: float = 0.0
    problem: str = ""


@dataclass
class Run:
    """A folder with event files, or one file.

    name             the folder, relative to the one that was read
    files            the paths of the files, in the order in which they were begun
    events           the number of events
    versions         the versions of the format: "brain.Event:2"
    writers          the programs that wrote the files, if they say so
    graphs           the graphs and traces
    series           the series by tag, in the order of their first values
    damage           the damaged places that were skipped, with the name of the file
    sessions         the number of starts of a session that the program reported
    checkpoints      the prefixes of the checkpoints that were saved
    steps_back       how often the step became smaller in a series, as it does when training is continued
    """

    name: str
    files: list[str]
    events: int = 0
    versions: list[str] = field(default_factory=list)
    writers: list[str] = field(default_factory=list)
    first_time: float = math.inf
    last_time: float = -math.inf
    graphs: list[GraphFacts] = field(default_factory=list)
    series: dict[str, Series] = field(default_factory=dict)
    damage: list[tuple[str, Damage]] = field(default_factory=list)
    sessions: int = 0
    checkpoints: list[str] = field(default_factory=list)
    steps_back: int = 0

    @property
    def is_damaged(self) -> bool:
        """True if records are damaged; a last record that is cut off may be one that is being written."""
        return any(damage.kind != "end" for _, damage in self.damage)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {
            "name": self.name,
            "files": self.files,
            "events": self.events,
            "versions": self.versions,
            "writers": self.writers,
            "first_time": json_number(self.first_time) if self.events else None,
            "last_time": json_number(self.last_time) if self.events else None,
            "sessions": self.sessions,
            "checkpoints": self.checkpoints,
            "steps_back": self.steps_back,
            "graphs": [vars(graph) for graph in self.graphs],
            "series": [series.as_dict() for series in self.series.values()],
            "damage": [{"file": name, **damage._asdict()} for name, damage in self.damage],
        }


@dataclass(frozen=True, repr=False)
class EventsReport(Report):
    """The content of the event files in a folder, or of one event file. `runs` are the folders with event files."""

    name: str
    runs: list[Run]

    @property
    def is_damaged(self) -> bool:
        return any(run.is_damaged for run in self.runs)

    def series(self, tag: str, run: str | None = None) -> Series:
        """Return the series of a tag. Raises KeyError without any, and if several runs have it and `run` is None."""
        having = [each for each in self.runs if tag in each.series and run in (None, each.name)]
        if len(having) != 1:
            raise KeyError(f"{tag!r} is a tag of {[each.name for each in having] or 'no run'}")
        return having[0].series[tag]

    def to_text(self) -> str:
        """Return the runs with their graphs and a table of their series."""
        return "".join(f"{line}\n" for line in self.lines())

    def lines(self) -> Iterator[str]:
        for number, run in enumerate(self.runs):
            if number:
                yield ""
            yield from _lines_of_run(run, self.name)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {"name": self.name, "runs": [run.as_dict() for run in self.runs]}


def summarize_events(
    path: str | os.PathLike[str],
    *,
    max_unpacked: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> EventsReport:
    """Describe the event files of TensorBoard in a folder and the folders inside, or one file.

    path            a file, a folder, or "-" for standard input
    max_unpacked    as for `read_records`
    progress        a function that is called with the name of each file that is read

    Damaged records are skipped and listed in `Run.damage`. If it is unknown where the next record begins, the rest of
    that file is left out, which is listed too. Raises FileFormatError for a file without events, and OSError.
    """
    name = os.fspath(path)
    runs = []
    files_of = {".": [name]} if name == "-" else event_files(name)
    sizes = {file: os.path.getsize(file) for files in files_of.values() for file in files if os.path.isfile(file)}
    begin = in_steps(progress or _ignore, sum(sizes.values()))
    for run, files in files_of.items():
        collector = _Collector(Run(run, files))
        for file in files:
            begin(file, sizes.get(file, 0))
            collector.read(file, max_unpacked)
        runs.append(collector.run)
    return EventsReport("<stdin>" if name == "-" else name, runs)


def _ignore(name: str) -> None:
    pass


class _Collector:
    """Adds the events of files to a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._plugins = TagPlugins()

    def read(self, file: str, max_unpacked: int | None) -> None:
        with EventReader(file, damaged="skip", goes_on=True, max_unpacked=max_unpacked) as reader:
            for event in reader:
                if isinstance(event, Damage):
                    self.run.damage.append((reader.name, event))
                else:
                    self._add(event, reader)

    def _add(self, event: Event, reader: EventReader) -> None:
        run = self.run
        run.events += 1
        run.first_time, run.last_time = min(run.first_time, event.wall_time), max(run.last_time, event.wall_time)
        if event.file_version is not None and event.file_version not in run.versions[:_MAX_LISTED]:
            run.versions.append(event.file_version)
        if event.source_metadata is not None and event.source_metadata.writer not in run.writers[:_MAX_LISTED]:
            run.writers.append(event.source_metadata.writer)
        if event.session_log is not None:
            run.sessions += event.session_log.status == event.session_log.SessionStatus.START
            if event.session_log.checkpoint_path:
                run.checkpoints.append(event.session_log.checkpoint_path)
        for graph in graphs_of_event(event):
            run.graphs.append(_graph_facts(graph, event.step, reader))
        for value in self._plugins.values_of(run.name, event):
            self._add_value(value)

    def _add_value(self, value: SummaryValue) -> None:
        series = self.run.series.get(value.tag)
        if series is None:
            series = self.run.series[value.tag] = Series(value.tag, value.kind, value.plugin)
        elif series.steps[-1] > value.step:
            self.run.steps_back += 1
        series.steps.append(value.step)  # type: ignore[attr-defined]  # a Sequence for readers
        series.wall_times.append(value.wall_time)  # type: ignore[attr-defined]  # as above
        if series.kind == "scalar":
            number = read_scalar(value.value)
            series.values.append(math.nan if number is None else number)  # type: ignore[attr-defined]  # as above


def _graph_facts(graph: StoredGraph, step: int, reader: EventReader) -> GraphFacts:
    facts = GraphFacts(graph.kind, graph.tag, step, reader.name, reader.record.number, len(graph.data))
    changes: dict[str, Any] = {}
    try:
        message = graph.message()
        inner = message if isinstance(message, GraphDef) or message is None else message.graph_def
        changes["nodes"] = len(inner.node) if inner is not None else None
        if graph.kind == "run_metadata" and (stats := RunMetadata.from_bytes(graph.data, lazy=True).step_stats):
            nodes = [node for device in stats.dev_stats for node in device.node_stats]
            changes["timed"], changes["seconds"] = len(nodes), sum(node.all_end_rel_micros for node in nodes) / 1e6
    except DecodeError as error:
        changes["problem"] = str(error)
    return GraphFacts(**{**vars(facts), **changes})


def json_number(value: float) -> float | str:
    """Return a number for JSON, which has no infinities and no NaN: these become their names."""
    return value if math.isfinite(value) else str(value)


# --- text ------------------------------------------------------------------------------------------------------------

_MAX_LISTED = 20  # graphs, damaged places, versions
_TITLES = ("tag", "kind", "plugin", "count", "first step", "last step", "min", "max", "last")
_WORDS = {
    "graph": "GraphDef",
    "meta_graph": "MetaGraphDef",
    "run_metadata": "RunMetadata",
    "keras_model": "Keras model",
}


def _lines_of_run(run: Run, name: str) -> Iterator[str]:
    files = f"{len(run.files):,} file{'s' * (len(run.files) != 1)}"
    times = f", {time_text(run.first_time)} to {time_text(run.last_time)}" if run.events else ""
    title = escape(name if run.name == "." else run.name)
    yield f"{title}: {files}, {run.events:,} event{'s' * (run.events != 1)}{times}"
    facts = [*run.versions[:_MAX_LISTED]]
    facts += [f"written by {writer}" for writer in run.writers[:_MAX_LISTED] if writer]
    if run.sessions:
        facts.append(f"{run.sessions:,} session start{'s' * (run.sessions != 1)}")
    if run.checkpoints:
        facts.append(f"{len(run.checkpoints):,} checkpoint{'s' * (len(run.checkpoints) != 1)}")
    if run.steps_back:
        facts.append(f"steps go back {run.steps_back:,} time{'s' * (run.steps_back != 1)}: training was continued")
    if facts:
        yield f"  {escape(', '.join(facts))}"
    used = _used_graph(run)
    for graph in run.graphs[:_MAX_LISTED]:
        yield f"  {_graph_line(graph)}{' (the graph that other commands read)' * (graph is used)}"
    if len(run.graphs) > _MAX_LISTED:
        yield f"  ... {len(run.graphs):,} graphs in all"
    for file, damage in run.damage[:_MAX_LISTED]:
        yield f"  {'unfinished' if damage.kind == 'end' else 'damaged'}: {file}: {escape(str(damage))}"
    if len(run.damage) > _MAX_LISTED:
        yield f"  ... {len(run.damage):,} damaged places in all"
    if run.series:
        rows = [_TITLES, *(_cells(series) for series in run.series.values())]
        yield ""
        yield from align_columns(rows, right=(3, 4, 5, 6, 7, 8), names=(0,))


def _used_graph(run: Run) -> GraphFacts | None:
    """Return the graph that `tfmodel.load` takes out of the last file of the run."""
    for kind in PREFERENCE:
        for graph in reversed(run.graphs):
            if graph.kind == kind and graph.nodes is not None:
                return graph
    return None


def _graph_line(graph: GraphFacts) -> str:
    parts = [f"{_WORDS[graph.kind]}{f' {escape(graph.tag)}' * bool(graph.tag)}:"]
    if graph.problem:
        return f"{parts[0]} damaged: {escape(graph.problem)}"
    facts = [] if graph.nodes is None else [f"{graph.nodes:,} {'layers' if graph.kind == 'keras_model' else 'nodes'}"]
    if graph.timed:
        facts.append(f"{graph.timed:,} timings, {graph.seconds * 1e3:,.1f} ms")
    facts += [f"{graph.size:,} bytes", f"record {graph.record:,}"]
    return f"{parts[0]} {', '.join(facts)}"


def _cells(series: Series) -> tuple[str, ...]:
    cells = [series.tag, series.kind, series.plugin, f"{len(series):,}", str(series.steps[0]), str(series.steps[-1])]
    if series.values:
        finite = series.finite_values
        cells += [f"{min(finite):.6g}", f"{max(finite):.6g}"] if finite else ["", ""]
        cells.append(f"{series.values[-1]:.6g}")
    return tuple(map(escape, cells + [""] * (len(_TITLES) - len(cells))))


def time_text(seconds: float) -> str:
    """Return a time, given in seconds since 1970, as "2024-05-31 12:00:01" in UTC; the number if it is not a time."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:.6g}"
