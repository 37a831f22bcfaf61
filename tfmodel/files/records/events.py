"""Read event files of TensorBoard: their events, and the values of summaries with their kinds.

    for event in read_events("logs/train"):          # a file, or a folder of event files
        print(event.step, event.which_oneof("what"))

    for value in read_values("logs"):                # the folders inside are runs
        print(value.run, value.tag, value.step, value.kind)

TensorFlow 1 stores a value in the field of its kind (`simple_value`, `histo`, `image`, `audio`). TensorFlow 2 and other
programs store a tensor, and name the plugin of TensorBoard that shows it. The name of the plugin is only in the first
value of a tag.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from pbwire.errors import DecodeError

from ...errors import FileFormatError, RecordError, TensorError, with_name
from ...messages import DataType, Event, Summary, TensorProto
from ...values.terminal import escape
from ..access.open_files import OpenFile
from ..access.special_files import check_end
from ..detection import HEAD, TAIL, Detection, detect
from ..locate import EVENTS
from ..tfrecords.records import Damage, Damaged, Record, RecordReader, naming_record
from ..tfrecords.sources import RecordSource

OnDamage: TypeAlias = "Callable[[str, Damage], None]"
"""A function that is called with the path of a file, and a damaged place that is skipped."""

ValueKind: TypeAlias = Literal[
    "scalar", "histogram", "image", "audio", "text", "tensor", "keras model", "run metadata", "hparams", "other"
]

# The kind of a tensor whose plugin is known, and of a value in a field of its own.
PLUGINS: dict[str, ValueKind] = {
    "scalars": "scalar",
    "histograms": "histogram",
    "images": "image",
    "audio": "audio",
    "text": "text",
    "hparams": "hparams",
    "graph_keras_model": "keras model",
    "graph_run_metadata": "run metadata",
    "graph_run_metadata_graph": "run metadata",
}
_FIELDS: dict[str, tuple[ValueKind, str]] = {
    "simple_value": ("scalar", "scalars"),
    "histo": ("histogram", "histograms"),
    "image": ("image", "images"),
    "audio": ("audio", "audio"),
}
_FORMATS = {DataType.DT_FLOAT: "<f", DataType.DT_DOUBLE: "<d", DataType.DT_INT64: "<q", DataType.DT_INT32: "<i"}


class SummaryValue(NamedTuple):
    """A value of a series.

    run      the folder of the file, relative to the folder that is read; "." for the folder itself and for a file
    tag      the name of the series
    kind     what the value is
    plugin   the plugin of TensorBoard that shows the series; "" if it is unknown
    """

    run: str
    tag: str
    kind: ValueKind
    plugin: str
    step: int
    wall_time: float
    value: Summary.Value


def event_files(path: str) -> dict[str, list[str]]:
    """Return the event files of each run in a folder, or the file itself as the only run, ".".

    A run is a folder with event files, inside of the folder or below. Event files have "tfevents" in their names; they
    are sorted, which is the order in which they were begun. Raises FileFormatError for a folder without any, and
    OSError.
    """
    check_end(path)
    if not os.path.isdir(path):
        return {".": [path]}
    runs = {}
    for folder, folders, names in os.walk(path):
        folders.sort()
        files = [os.path.join(folder, name) for name in sorted(names) if EVENTS in name]
        if files := [file for file in files if os.path.isfile(file)]:
            runs[os.path.relpath(folder, path)] = files
    if not runs:
        raise FileFormatError(f'{escape(path)}: no folder in it has event files ("{EVENTS}" is in their names)')
    return runs


def read_events(
    source: RecordSource,
    *,
    damaged: Damaged = "raise",
    on_damage: OnDamage | None = None,
    max_unpacked: int | None = None,
) -> Iterator[Event]:
    """Return an iterator over the events of an event file, or of the event files of a folder, one after another.

    source          a path, bytes, or "-" for standard input. Of a folder, only its own files are read: the folders
                    inside are other runs
    damaged         as for `read_records`: "raise", "skip" or "search". A file that is being written may end in the
                    middle of a record, which is damage too: "skip" ignores it
    on_damage       a function that is called with the name of the file and each damaged place that is skipped
    max_unpacked    as for `read_records`

    Raises RecordError for a damaged record, FileFormatError for a file without events, and OSError.
    """
    files: list[RecordSource] = [source]
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-":
        runs = event_files(os.fspath(source))
        if "." not in runs:
            listed = ", ".join(map(escape, list(runs)[:4]))
            raise FileFormatError(f"{escape(os.fspath(source))}: its event files are in folders; give one: {listed}")
        files = [*runs["."]]
    return _events_of(files, damaged, on_damage, max_unpacked)


def _events_of(
    files: list[RecordSource], damaged: Damaged, on_damage: OnDamage | None, max_unpacked: int | None
) -> Iterator[Event]:
    for file in files:
        with EventReader(file, damaged=damaged, max_unpacked=max_unpacked) as reader:
            for event in reader:
                if isinstance(event, Event):
                    yield event
                elif on_damage is not None:
                    on_damage(reader.name, event)


class EventReader:
    """An iterator over the events of a file, and over the damaged places that it skips, in the order of the file.

    The arguments are those of `read_events`. With `goes_on`, the rest of a file in which it is unknown where the next
    record begins is a damaged place too, not an error. `record` is the record of the last event.
    """

    def __init__(
        self,
        source: RecordSource,
        *,
        damaged: Damaged = "raise",
        goes_on: bool = False,
        max_unpacked: int | None = None,
    ) -> None:
        source = open_once(source)
        _refuse_other_files(source)
        self._records = RecordReader(source, damaged=damaged, max_unpacked=max_unpacked)
        self._raises, self._goes_on = damaged == "raise", goes_on
        self.record = Record(0, 0, b"")

    @property
    def name(self) -> str:
        return self._records.name

    def __enter__(self) -> EventReader:
        return self

    def __exit__(self, *error: object) -> None:
        self._records.close()

    def __iter__(self) -> Iterator[Event | Damage]:
        try:
            for record in self._records:
                if isinstance(record, Damage):
                    yield record
                else:
                    self.record = record
                    yield self._event_of(record)
        except RecordError as error:
            if self._raises or not self._goes_on:
                raise
            yield Damage(error.number, error.offset, error.problem, "length")

    def _event_of(self, record: Record) -> Event | Damage:
        try:
            return Event.from_bytes(record.data)
        except DecodeError as error:
            if self._raises:
                with naming_record(self.name, record):
                    raise
            return Damage(record.number, record.offset, f"not an event: {error}", "data")


def _refuse_other_files(source: RecordSource) -> None:
    """Raise FileFormatError for a file that has no events; damaged event files are accepted by their names."""
    name, detection = detect_file(source)
    if detection is None or (detection.kind == "records" and detection.cls in (Event, None)):
        return
    is_known = detection.kind in ("records", "other", "table", "keras")
    if detection.kind not in ("empty", "gzip") and (is_known or EVENTS not in os.path.basename(name)):
        raise FileFormatError(with_name(name, f"this is {detection.what}, not an event file of TensorBoard"))


def open_once(source: RecordSource) -> RecordSource:
    """Return a path of a regular file as an open file, to detect its format and to read it; other sources as they are.

    Raises OSError.
    """
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-" and os.path.isfile(source):
        return OpenFile(os.fspath(source))
    return source


def detect_file(source: RecordSource) -> tuple[str, Detection | None]:
    """Return the name of a source for errors, and what it is by its beginning; None for a pipe and standard input."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return "<bytes>", detect(bytes(source[:HEAD]), size=len(source))
    if not isinstance(source, OpenFile):
        return escape(os.fspath(source)), None
    head, tail, size = source.ends(HEAD, TAIL)
    return source.name, detect(head, tail=tail, size=size, name=os.path.basename(source.path))


# --- values ----------------------------------------------------------------------------------------------------------


class TagPlugins:
    """The plugins of the tags of a run, which are stored with the first value of each tag."""

    def __init__(self) -> None:
        self._plugins: dict[str, str] = {}

    def values_of(self, run: str, event: Event) -> Iterator[SummaryValue]:
        """Yield the values in an event of the run. Raises DecodeError if the event is lazy and damaged."""
        if event.summary is None:
            return
        for value in event.summary.value:
            metadata = value.metadata.plugin_data if value.metadata is not None else None
            field = value.which_oneof("value") or ""
            kind, usual = _FIELDS.get(field, ("other", ""))
            stored = metadata.plugin_name if metadata is not None else ""
            plugin = self._plugins.setdefault(value.tag, stored) if stored else self._plugins.get(value.tag, usual)
            if field == "tensor":
                kind = PLUGINS.get(plugin, "tensor")
            elif not field and plugin == "hparams":
                kind = "hparams"
            yield SummaryValue(run, value.tag, kind, plugin, event.step, event.wall_time, value)


def read_scalar(value: Summary.Value) -> float | None:
    """Return the number of a scalar; None for a value that is not one number."""
    if value.simple_value is not None:
        return value.simple_value
    tensor = value.tensor
    if tensor is None:
        return None
    if (format := _FORMATS.get(tensor.dtype)) and len(tensor.tensor_content) == struct.calcsize(format):
        return float(struct.unpack(format, tensor.tensor_content)[0])
    if tensor.dtype == DataType.DT_FLOAT and len(tensor.float_val) == 1 and not _dimensions(tensor):
        return tensor.float_val[0]
    from ...values.tensors import to_ndarray  # imports numpy

    try:
        array = to_ndarray(tensor, max_fill=1 << 10)
        return float(array.item()) if array.size == 1 and array.dtype.kind in "biuf" else None
    except TensorError:
        return None


def _dimensions(tensor: TensorProto) -> int:
    return len(tensor.tensor_shape.dim) if tensor.tensor_shape is not None else 0
