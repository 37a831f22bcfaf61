"""Feeds from TFRecord files: serialized examples for a tensor of strings, or the values of one of their features.

    RecordFeed.parse("train.tfrecord[0:32]")           # records 0 to 31 as strings
    RecordFeed.parse("train.tfrecord[0:32]:image")     # the feature "image" of these records
    RecordFeed.parse("train.tfrecord[5]:x")            # the feature of one record, without a dimension for the batch

A tf.Example does not have shapes, so those of the fed tensor are used: the values of a record fill all of its
dimensions but the first. In a tensor of unknown shape they make one dimension, or none if each record has one value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from pbwire.errors import suggestion

from ..errors import FeedError, RecordError, RunError, with_name
from ..files.records.examples import feature_list
from ..files.tfrecords.records import Record, RecordReader, naming_record
from ..files.tfrecords.sources import is_record_file
from ..graph.error_text import list_names, quote
from ..messages import SequenceExample
from ..values.terminal import escape
from .feed_sources import FeedSource, Target

_RANGE = re.compile(r"\[(\d{0,18})(:?)(\d{0,18})\]$")
_MAX_BYTES = 1 << 31
"""The maximum size of the records that are read, if the run has no memory limit."""
_DTYPES = {"bytes": object, "float": np.float32, "int64": np.int64}


@dataclass
class RecordFeed(FeedSource):
    """Records of a TFRecord file.

    file        the path of the file
    start       the number of the first record
    stop        the number behind the last record; None for all that the tensor takes
    is_single   whether it is one record, without a dimension for the batch
    feature     the name of a feature; empty for the records themselves
    report      a function that is called with a description of the feed; default: the log of the session
    """

    file: str
    start: int = 0
    stop: int | None = None
    is_single: bool = False
    feature: str = ""
    report: Callable[[str], None] | None = None

    @classmethod
    def parse(cls, text: str, report: Callable[[str], None] | None = None) -> RecordFeed | None:
        """Return the feed that a text names; None if it does not begin with the path of a TFRecord file.

        The text is FILE, FILE[N] or FILE[START:STOP], which may be followed by :FEATURE. Raises ValueError for a
        range without records.
        """
        ends = [match.start() for match in re.finditer(":", text)]
        for end in (len(text), *ends):
            place, feature = text[:end], text[end + 1 :]
            brackets = _RANGE.search(place)
            for file in (place, place[: brackets.start()] if brackets else ""):
                if is_record_file(file):
                    feed = cls(file, feature=feature, report=report)
                    return feed if file == place or brackets is None else feed._with_range(brackets)
        return None

    def _with_range(self, brackets: re.Match[str]) -> RecordFeed:
        start, colon, stop = brackets.groups()
        if not colon:
            if not start or stop:
                raise ValueError("[] has no number: [5] is one record, [0:32] are several")
            self.start, self.stop, self.is_single = int(start), int(start) + 1, True
            return self
        self.start, self.stop = int(start or 0), int(stop) if stop else None
        if self.stop is not None and self.stop <= self.start:
            raise ValueError(f"{brackets[0]} has no records")
        return self

    def resolve(self, target: Target, log: Callable[[str], None]) -> Any:
        if target.dtype is not None and target.dtype.is_object is False and not self.feature:
            names = list_names(sorted(self._first_features()))
            hint = f"; name a feature, as in {escape(self.file)}:NAME; there are {names}" if names else ""
            raise FeedError(f"{quote(target.name)} takes {target.dtype.name}, and records are strings{hint}")
        shape = target.shape
        stop = self.stop
        if stop is None and shape is not None:
            batch = shape[0] if shape else None if self.feature else 1
            stop = None if batch is None else self.start + batch
        is_scalar = self.is_single or (self.stop is None and shape is not None and not shape and not self.feature)
        records = self._records(stop, target.max_bytes)
        if not self.feature:
            array = np.empty(len(records), object)
            array[:] = [record.data for record in records]
            value = array.reshape((1,) * len(shape or ())) if is_scalar else array
        else:
            value = self._feature_array(records, target, is_scalar)
        last = f" to {records[-1].number:,}" if len(records) > 1 else ""
        feature = f', feature "{escape(self.feature)}"' if self.feature else ""
        kind = "string" if value.dtype == object else value.dtype.name
        where = f"record{'s' * (len(records) > 1)} {records[0].number:,}{last} of {escape(self.file)}{feature}"
        (self.report or log)(f"{quote(target.name)}: fed {where}, as {kind}[{','.join(map(str, value.shape))}]")
        return value

    def _records(self, stop: int | None, max_bytes: int | None) -> list[Record]:
        """Return the records from `start` to `stop`. Raises FeedError without any, RecordError for damage."""
        records: list[Record] = []
        size, limit = 0, _MAX_BYTES if max_bytes is None else max_bytes
        with RecordReader(self.file) as reader:
            for record in islice(reader, self.start, stop):
                assert isinstance(record, Record)  # damage is raised
                records.append(record)
                size += len(record.data)
                if size > limit:
                    raise RunError(with_name(escape(self.file), f"the records have more than {limit:,} bytes"))
        if not records:
            raise FeedError(with_name(escape(self.file), f"there is no record {self.start:,}"))
        return records

    def _first_features(self) -> dict[str, Any]:
        """Return the features of the first record; empty if it is not an example."""
        try:
            return _features(self._records(self.start + 1, None)[0], escape(self.file))
        except (RecordError, FeedError):
            return {}

    def _feature_array(self, records: list[Record], target: Target, is_scalar: bool) -> Any:
        """Return the values of the feature, in the shape of the target."""
        kinds, rows, steps = set(), [], set()
        for record in records:
            kind, values, count = self._values(record)
            kinds.add(kind)
            rows.append(values)
            steps.add(count)
        if len(kinds) > 1:
            raise self._misfit(f"has values of several kinds: {', '.join(sorted(kinds))}")
        lengths = {len(row): record.number for row, record in zip(rows, records, strict=True)}
        if len(lengths) > 1:
            (few, one), (many, other), *_ = sorted(lengths.items())
            raise self._misfit(f"has {few:,} values in record {one:,} and {many:,} in record {other:,}")
        (kind,), (length,) = kinds, lengths
        if target.dtype is not None and target.dtype.is_object != (kind == "bytes"):
            raise self._misfit(f"has {kind} values, and {quote(target.name)} takes {target.dtype.name}")
        array = np.empty((len(rows), length), _DTYPES[kind])
        array[:] = rows
        if target.dtype is not None and (target.dtype.numpy.kind == "f" or _is_bool(array, target)):
            array = array.astype(target.dtype.numpy)
        (count,) = steps if len(steps) == 1 else (None,)
        return self._shaped(array, target, is_scalar, count)

    def _shaped(self, array: Any, target: Target, is_scalar: bool, steps: int | None) -> Any:
        """Return an array [records, values] in the shape of the target, as far as that is known.

        `steps` is the number of steps of a list of a SequenceExample; else None.
        """
        batch, length = array.shape
        shape = target.shape
        if not shape:  # in TensorFlow 1, a Placeholder of unknown shape has the shape []
            inner: tuple[int, ...] = (length,) if length != 1 else ()
            if steps:
                inner = (steps, length // steps) if length != steps else (steps,)
            return array.reshape(inner if is_scalar else (batch, *inner))
        sizes = list(shape) if is_scalar else list(shape[1:])
        known = prod(size for size in sizes if size is not None)
        unknown = sizes.count(None)
        if unknown == 2 and steps and sizes[0] is None:
            sizes[0], unknown, known = steps, 1, known * steps
        if unknown > 1 or (unknown and (not known or length % known)) or (not unknown and length != known):
            text = ",".join("?" if size is None else str(size) for size in shape)
            raise self._misfit(f"has {length:,} values in each record, which do not fit the shape [{text}]")
        inner = tuple(length // known if size is None else size for size in sizes)
        return array.reshape(inner if is_scalar else (batch, *inner))

    def _values(self, record: Record) -> tuple[str, Sequence[Any], int | None]:
        """Return the kind of the feature in a record, its values, and the number of steps of a list; else None."""
        features = _features(record, escape(self.file))
        if self.feature not in features:
            near = suggestion(self.feature, list(features)) or f"; there are {list_names(sorted(features))}"
            raise FeedError(
                with_name(escape(self.file), f"record {record.number:,} has no feature {quote(self.feature)}{near}")
            )
        steps = features[self.feature]
        if not isinstance(steps, list):
            kind, values = feature_list(steps)
            if kind == "missing":
                raise self._misfit(f"has no values in record {record.number:,}")
            return kind, values, None
        lists = [feature_list(step) for step in steps]
        if len({(kind, len(values)) for kind, values in lists}) != 1:
            raise self._misfit(f"has no steps, or different ones, in record {record.number:,}")
        return lists[0][0], [value for _, values in lists for value in values], len(lists)

    def _misfit(self, problem: str) -> FeedError:
        return FeedError(with_name(escape(self.file), f"the feature {quote(self.feature)} {problem}"))


def _is_bool(array: Any, target: Target) -> bool:
    """Return whether a tensor of booleans is fed with the integers 0 and 1."""
    return target.dtype is not None and target.dtype.numpy.kind == "b" and bool(((array == 0) | (array == 1)).all())


def _features(record: Record, name: str) -> dict[str, Any]:
    """Return the features of an Example or SequenceExample by name: a Feature, or a list of one for each step."""
    with naming_record(name, record):
        example = SequenceExample.from_bytes(record.data)
    features: dict[str, Any] = {}
    if example.feature_lists is not None:
        features |= {key: value.feature for key, value in example.feature_lists.feature_list.items()}
    if example.context is not None:
        features |= example.context.feature
    return features
