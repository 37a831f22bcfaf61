"""TFRecord files of tf.Example and tf.SequenceExample messages: how many there are, and their features.

report = summarize_records("train.tfrecord")
report.count, report.features["label"].kind        # 50_000, {"int64"}
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbwire.errors import DecodeError, compose

from ...errors import FileFormatError, Hint, RecordError, with_name
from ...messages import Example, Feature, SequenceExample
from ...values.report import Report
from ...values.steps import Step
from ...values.terminal import align_columns, escape
from ..detection.binary import FIRST_RECORDS, record_class
from ..tfrecords.records import Damage, Damaged, Record, RecordReader
from ..tfrecords.sources import RecordSource
from .event_report import json_number
from .events import detect_file, open_once
from .values import suffix_of

_MAX_LISTED = 20  # damaged places
_TITLES = ("feature", "kind", "records", "steps", "values", "content")


@dataclass
class Span:
    """The smallest and the largest of some numbers; NaN counts for neither."""

    smallest: float = math.inf
    largest: float = -math.inf

    def add(self, smallest: float, largest: float) -> None:
        if smallest < self.smallest:
            self.smallest = smallest
        if largest > self.largest:
            self.largest = largest

    @property
    def is_empty(self) -> bool:
        return self.smallest > self.largest

    def as_list(self) -> list[float | str] | None:
        return None if self.is_empty else [json_number(self.smallest), json_number(self.largest)]

    def text(self, format: str = ",") -> str:
        """Return "3", or "0 to 3"; "" without numbers."""
        if self.is_empty:
            return ""
        first, last = f"{self.smallest:{format}}", f"{self.largest:{format}}"
        return first if first == last else f"{first} to {last}"


@dataclass
class FeatureFacts:
    """A feature of the examples in a file.

    name       the name of the feature
    in_list    whether it is a list of a SequenceExample, with values at each step
    kinds      the kinds of its values: "bytes", "float", "int64", and "missing" for a feature without a kind
    records    the number of records that have it
    steps      of a list, the smallest and largest number of steps
    counts     the smallest and largest number of values, in a record or in a step
    sizes      of bytes, the smallest and largest size
    range      of numbers, the smallest and the largest
    formats    the formats of pictures and sounds among bytes: "png", "jpg", "wav", ...
    """

    name: str
    in_list: bool = False
    kinds: set[str] = field(default_factory=set)
    records: int = 0
    steps: Span = field(default_factory=Span)
    counts: Span = field(default_factory=Span)
    sizes: Span = field(default_factory=Span)
    range: Span = field(default_factory=Span)
    formats: set[str] = field(default_factory=set)

    def add(self, feature: Feature) -> None:
        """Add the values of a record, or of a step of a list."""
        kind, values = feature_list(feature)
        self.kinds.add(kind)
        self.counts.add(len(values), len(values))
        if not values:
            return
        if kind == "bytes":
            sizes = [len(value) for value in values]
            self.sizes.add(min(sizes), max(sizes))
            self.formats.add(suffix_of(values[0], "")[1:])
        elif numbers := [value for value in values if value == value]:  # not NaN
            self.range.add(min(numbers), max(numbers))

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {
            "name": self.name,
            "in_list": self.in_list,
            "kinds": sorted(self.kinds),
            "records": self.records,
            "steps": self.steps.as_list(),
            "counts": self.counts.as_list(),
            "sizes": self.sizes.as_list(),
            "range": self.range.as_list(),
            "formats": sorted(self.formats - {""}),
        }

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        content = self.range.text(".6g")
        if not self.sizes.is_empty:
            formats = "/".join(sorted(self.formats - {""})).upper()
            content = f"{content}{' or ' * bool(content)}{self.sizes.text()} bytes{f', {formats}' * bool(formats)}"
        kinds = "/".join(sorted(self.kinds))
        name = f"{self.name}{'[]' * self.in_list}"
        return tuple(map(escape, (name, kinds, f"{self.records:,}", self.steps.text(), self.counts.text(), content)))


@dataclass(repr=False)
class RecordsReport(Report):
    """The records of a TFRecord file.

    name           the name of the file
    message        the messages in the records: "Example", "SequenceExample" or "Event"; "" for other data
    compression    "", "gzip" or "zlib"
    count          the number of sound records
    bytes          those of their data
    sizes          the smallest and the largest record
    features       the features of Examples and SequenceExamples by name, those of lists as "name[]"
    damage         the damaged records and places
    """

    name: str
    message: str = ""
    compression: str = ""
    count: int = 0
    bytes: int = 0
    sizes: Span = field(default_factory=Span)
    features: dict[str, FeatureFacts] = field(default_factory=dict)
    damage: list[Damage] = field(default_factory=list)

    @property
    def is_damaged(self) -> bool:
        return bool(self.damage)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {
            "name": self.name,
            "message": self.message,
            "compression": self.compression,
            "count": self.count,
            "bytes": self.bytes,
            "sizes": self.sizes.as_list(),
            "features": [self.features[key].as_dict() for key in sorted(self.features)],
            "damage": [damage._asdict() for damage in self.damage],
        }

    def to_text(self) -> str:
        """Return the number and the sizes of the records, the damage, and a table of the features."""
        return "".join(f"{line}\n" for line in self.lines())

    def verdict(self) -> Iterator[str]:
        """Yield all damaged places, and whether the records are sound."""
        for damage in self.damage:
            yield escape(str(damage))
        count = f"{self.count:,} record{'s' * (self.count != 1)}"
        places = f"{len(self.damage):,} place{'s' * (len(self.damage) != 1)}"
        yield f"damaged: {places}, {count} are sound" if self.damage else f"sound: {count}"

    def lines(self) -> Iterator[str]:
        what = f"{f'tf.{self.message} ' * bool(self.message)}record{'s' * (self.count != 1)}"
        size = f"{self.bytes:,} bytes" + (f" ({self.sizes.text()} each)" if self.count > 1 else "")
        packed = f", {self.compression}" * bool(self.compression)
        yield f"{escape(self.name)}: {self.count:,} {what}{packed}, {size}"
        for damage in self.damage[:_MAX_LISTED]:
            yield f"  damaged: {escape(str(damage))}"
        if len(self.damage) > _MAX_LISTED:
            yield f"  ... {len(self.damage):,} damaged places in all"
        if self.features:
            yield ""
            yield from align_columns(
                [_TITLES, *(self.features[key].cells() for key in sorted(self.features))], names=(0,)
            )


def summarize_records(
    source: RecordSource,
    *,
    features: bool = True,
    search: bool = False,
    compression: str | None = None,
    max_unpacked: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> RecordsReport:
    """Describe a TFRecord file: the number and sizes of its records, its damage, and the features of its examples.

    source          a path, bytes, or "-" for standard input
    features        read the features of examples; without this, only checksums are compared
    search          where it is unknown how the file goes on, continue with the next bytes that look like a record
    compression, max_unpacked    as for `read_records`
    progress        a function that is called with the number of the record from time to time, such as "record 1,000"

    Raises FileFormatError for a file that has no records, and OSError. Damaged records are skipped and listed in
    `RecordsReport.damage`. If it is unknown where the next record begins, the rest of the file is left out without
    `search`, which is listed too.
    """
    source = open_once(source)
    _refuse_other_files(source)
    damaged: Damaged = "search" if search else "skip"
    with RecordReader(source, compression=compression, damaged=damaged, max_unpacked=max_unpacked) as reader:
        report = RecordsReport(reader.name, compression=reader.compression)
        first: list[Record] = []  # they determine the class of all
        cls: Any = None
        try:
            for record in reader:
                if isinstance(record, Damage):
                    report.damage.append(record)
                    continue
                if progress is not None and report.count % 1000 == 0:
                    name, share = f"record {report.count:,}", reader.share()
                    progress(name if share is None else Step(name, share))
                report.count += 1
                report.bytes += len(record.data)
                report.sizes.add(len(record.data), len(record.data))
                if report.count <= FIRST_RECORDS:
                    first.append(record)
                if report.count == FIRST_RECORDS:
                    cls = _add_first(report, first, features)
                elif report.count > FIRST_RECORDS and features and cls in _EXAMPLES:
                    _add_example(report, record)
        except RecordError as error:
            if error.number == 0 and not search:
                what = "this is not a TFRecord file, or its first record is damaged"
                raise FileFormatError(
                    with_name(report.name, compose(what, ": ", error.problem, "; ", Hint.SEARCH))
                ) from error
            report.damage.append(Damage(error.number, error.offset, error.problem, "length"))
        if report.count < FIRST_RECORDS:
            _add_first(report, first, features)
    return report


_EXAMPLES = (Example, SequenceExample)


def _add_first(report: RecordsReport, records: list[Record], features: bool) -> Any:
    """Add the first records of a file, and return the class of all; None if they are not messages of a known class."""
    cls = record_class([record.data for record in records])
    report.message = cls.__name__ if cls is not None else ""
    if features and cls in _EXAMPLES:
        for record in records:
            _add_example(report, record)
    return cls


def _add_example(report: RecordsReport, record: Record) -> None:
    """Add the features of a record. An Example is read as a SequenceExample without lists, which has the same bytes."""
    try:
        example = SequenceExample.from_bytes(record.data)
    except DecodeError as error:
        report.damage.append(Damage(record.number, record.offset, f"not an example: {error}", "data"))
        return
    for name, feature in (example.context.feature if example.context is not None else {}).items():
        facts = report.features.get(name)
        if facts is None:
            facts = report.features[name] = FeatureFacts(name)
        facts.records += 1
        facts.add(feature)
    for name, steps in (example.feature_lists.feature_list if example.feature_lists is not None else {}).items():
        report.message = "SequenceExample"
        facts = report.features.setdefault(f"{name}[]", FeatureFacts(name, in_list=True))
        facts.records += 1
        facts.steps.add(len(steps.feature), len(steps.feature))
        for feature in steps.feature:
            facts.add(feature)


def feature_list(feature: Feature) -> tuple[str, Sequence[Any]]:
    """Return the kind of a feature ("bytes", "float", "int64", "missing") and its values."""
    if feature.bytes_list is not None:
        return "bytes", feature.bytes_list.value
    if feature.float_list is not None:
        return "float", feature.float_list.value
    if feature.int64_list is not None:
        return "int64", feature.int64_list.value
    return "missing", ()


def _refuse_other_files(source: RecordSource) -> None:
    """Raise FileFormatError for a file that is known to be something else."""
    name, detection = detect_file(source)
    if detection is not None and detection.kind not in ("records", "empty", "gzip", "unknown", "wire"):
        raise FileFormatError(with_name(name, f"this is {detection.what}, not a TFRecord file"))
