"""The values of summaries one after another: numbers, histograms, pictures, sounds, texts and tensors.

    for value in read_values("logs", tags=["loss", "eval/*"]):
        print(value.run, value.tag, value.step, describe(value))

Values of TensorFlow 1 (a field for each kind) and of TensorFlow 2 (tensors) give the same.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from ...errors import TensorError
from ...messages import TensorProto
from ...values.dtypes import dtype_name
from ...values.tensor_header import read_header
from ...values.terminal import escape, shorten
from ..tfrecords.records import Damage, Damaged
from .event_report import json_number
from .events import EventReader, OnDamage, SummaryValue, TagPlugins, event_files, read_scalar

_MAX_TEXT = 200  # characters of a text, or of the elements of a tensor, in one line
_MAX_ELEMENTS = 1_000  # elements of a tensor that JSON has
_SUFFIXES = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg", b"GIF8": ".gif", b"RIFF": ".wav", b"BM": ".bmp"}


def read_values(
    path: str | os.PathLike[str],
    *,
    tags: Iterable[str] = (),
    on_damage: OnDamage | None = None,
    max_unpacked: int | None = None,
) -> Iterator[SummaryValue]:
    """Yield the values of summaries in an event file, or in the event files of a folder and the folders inside.

    path            a file, a folder, or "-" for standard input
    tags            glob patterns, of which a tag must match one: "loss", "eval/*"; default: all tags
    on_damage       a function that is called with the name of a file and each damaged place, which is then skipped: a
                    record, or the rest of a file if it is unknown where the next record begins
    max_unpacked    as for `read_records`

    Raises RecordError for a damaged record unless `on_damage` is given, FileFormatError for files without events, and
    OSError.
    """
    globs = [tags] if isinstance(tags, str) else list(tags)
    name = os.fspath(path)
    for run, files in ({".": [name]} if name == "-" else event_files(name)).items():
        plugins = TagPlugins()
        for file in files:
            damaged: Damaged = "raise" if on_damage is None else "skip"
            with EventReader(file, damaged=damaged, goes_on=on_damage is not None, max_unpacked=max_unpacked) as reader:
                for event in reader:
                    if isinstance(event, Damage):
                        if on_damage is not None:
                            on_damage(reader.name, event)
                        continue
                    for value in plugins.values_of(run, event):
                        if not globs or any(fnmatchcase(value.tag, glob) for glob in globs):
                            yield value


class Histogram(NamedTuple):
    """A histogram: the left end, the right end and the number of values of each bucket."""

    left: Iterable[float]
    right: Iterable[float]
    counts: Iterable[float]


def histogram(value: SummaryValue) -> Histogram | None:
    """Return a histogram; None for another value."""
    if (old := value.value.histo) is not None:
        rights = old.bucket_limit[: len(old.bucket)]
        return Histogram([old.min, *rights][: len(rights)], rights, old.bucket[: len(rights)])
    if value.kind != "histogram" or value.value.tensor is None:
        return None
    array = _array(value.value.tensor)
    if array is None or array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "fiu":
        return None
    return Histogram(*(column.tolist() for column in array.T))


def contents(value: SummaryValue) -> list[bytes]:
    """Return the pictures and sounds of a value as files, the strings of a text, or the JSON of a Keras model.

    The list is empty for other values.
    """
    message = value.value
    if message.image is not None:
        return [message.image.encoded_image_string]
    if message.audio is not None:
        return [message.audio.encoded_audio_string]
    if message.tensor is None or value.kind not in ("image", "audio", "text", "keras model"):
        return []
    strings = message.tensor.string_val
    if value.kind == "image":
        return strings[2:]  # behind width and height
    dimensions = message.tensor.tensor_shape.dim if message.tensor.tensor_shape is not None else []
    has_labels = value.kind == "audio" and len(dimensions) == 2 and dimensions[1].size == 2
    return strings[::2] if has_labels else strings


def suffix_of(data: bytes, default: str = ".bin") -> str:
    """Return the usual end of the name of a picture or a sound, by its first bytes."""
    return next((suffix for start, suffix in _SUFFIXES.items() if data.startswith(start)), default)


def describe(value: SummaryValue) -> str:
    """Return a value as one line of printable text."""
    if value.kind == "scalar":
        number = read_scalar(value.value)
        return "not a number" if number is None else f"{number:.9g}"
    if (bins := histogram(value)) is not None:
        return _describe_histogram(bins)
    if value.kind in ("image", "audio"):
        return "; ".join(_describe_file(data) for data in contents(value)[:4]) or "empty"
    if value.kind in ("text", "keras model"):
        texts = [text.decode("utf-8", "replace") for text in contents(value)[:_MAX_TEXT]]
        return escape(shorten(" | ".join(texts), _MAX_TEXT))
    if (tensor := value.value.tensor) is not None:
        return _describe_tensor(tensor)
    return value.value.which_oneof("value") or "no value"


def value_json(value: SummaryValue) -> dict[str, Any]:
    """Return the step, the time and the content of a value for JSON; large contents as their sizes."""
    facts: dict[str, Any] = {"step": value.step, "wall_time": json_number(value.wall_time)}
    if value.kind == "scalar":
        number = read_scalar(value.value)
        return facts | {"value": None if number is None else json_number(number)}
    if (bins := histogram(value)) is not None:
        return facts | {"buckets": [[*map(json_number, row)] for row in zip(*bins, strict=True)]}
    if value.kind in ("text", "keras model"):
        return facts | {"texts": [text.decode("utf-8", "replace") for text in contents(value)]}
    if value.kind in ("image", "audio"):
        return facts | {"files": [{"format": suffix_of(data)[1:], "bytes": len(data)} for data in contents(value)]}
    if (tensor := value.value.tensor) is not None:
        facts |= {"dtype": dtype_name(tensor.dtype), "shape": _shape(tensor)}
        array = _array(tensor)
        if array is not None and array.size <= _MAX_ELEMENTS and array.dtype.kind in "biuf":
            facts["elements"] = [json_number(element) for element in array.ravel().tolist()]
    return facts


def _describe_histogram(bins: Histogram) -> str:
    rows = [row for row in zip(*bins, strict=True) if row[2]]
    if not rows:
        return "no values"
    return (
        f"{sum(row[2] for row in rows):,.6g} values in {len(rows):,} buckets from {rows[0][0]:.6g} to {rows[-1][1]:.6g}"
    )


def _describe_file(data: bytes) -> str:
    suffix = suffix_of(data)
    if suffix == ".png" and len(data) >= 24:
        width, height = struct.unpack_from(">II", data, 16)
        return f"PNG, {width:,} x {height:,} pixels, {len(data):,} bytes"
    if suffix == ".wav" and data[12:16] == b"fmt " and len(data) >= 28:
        channels, rate = struct.unpack_from("<HI", data, 22)
        return f"WAV, {rate:,} Hz, {channels:,} channel{'s' * (channels != 1)}, {len(data):,} bytes"
    return f"{suffix[1:].upper()}, {len(data):,} bytes"


def _describe_tensor(tensor: TensorProto) -> str:
    shape = _shape(tensor)
    text = f"{dtype_name(tensor.dtype)}{'' if shape is None else list(shape)}".replace(" ", "")
    array = _array(tensor)
    if array is None or array.size > _MAX_ELEMENTS:
        return text
    return escape(shorten(f"{text} = {array.tolist()}", _MAX_TEXT))


def _shape(tensor: TensorProto) -> tuple[int, ...] | None:
    try:
        return read_header(tensor).shape
    except TensorError:
        return None


def _array(tensor: TensorProto) -> Any:
    """Return the array of a tensor; None if it is damaged, or a few numbers would stand for a large array."""
    from ...values.tensors import to_ndarray  # imports numpy

    try:
        return to_ndarray(tensor, max_fill=1 << 20)
    except TensorError:
        return None
