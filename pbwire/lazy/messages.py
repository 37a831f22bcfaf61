"""Lazily decoded messages: each is decoded when one of its attributes is first used.

An undecoded message is an instance of a hidden subclass. All its slots are empty except `_unknown`, which holds its
span: the place of its encoding. Reading an attribute finds an empty slot, so Python calls `__getattr__`; writing an
attribute calls `__setattr__`. Both decode this message (but not its sub-messages), fill its slots and give the instance
its real class. It is then an ordinary message without any overhead. Look-ups of special names (`__deepcopy__`,
`__array__` and others that libraries look for) never decode.

The sub-messages of a message that was decoded in this way are undecoded, and its maps are pending. When the field of a
map is read, its property replaces the pending entries by a dict. `pbwire.states` says what slots hold in each state.

The field of a message may occur more than once. Decoding then joins all parts of its span, which is how protobuf
defines merging. For a message that is computed on demand, the data of its span is a `Deferred`, which computes bytes
when it is sliced.

Besides the timing, lazy decoding differs from eager decoding in two ways:

- In a field that occurred more than once, the offset of an error counts from the start of the joined parts.
- If a member of a oneof or a value of a map is replaced by a later one, it is never decoded, so damage in it is not
  detected.

Map entries that belong to the unknown fields are found when their map is decoded. Then the unknown fields of the
message are collected again, so that all of them are in the order of the input.

Threads may read the same messages at the same time; a thread that writes needs a lock, as with any object. Several
threads may decode the same message, and the first thread to finish fills the slots. While it fills them, the message
has an intermediate class without `__setattr__`, because storing is then faster. If another thread reads a slot that is
still empty, it also decodes the message. No function is called between the check that a message is still undecoded and
the assignment of its class: Python switches threads only at calls and in loops, so no other thread can run there. (If
one did, it would store equal values again.) A pending map is replaced under `map_lock`, since this may move entries to
the unknown fields. Code that reads maps and unknown fields together holds this lock. Code that tests whether a message
is undecoded must read its span only once: see `encoded_span`.

Deferred bytes: the encoding of a message may be computed on demand. Otherwise, a program that changes all weights of a
model would hold both the old and the new weights in memory. Such a message consists of some encoded fields and one
bytes field whose content is computed later:

    content = Content(size, compute)                      # compute(start, stop) returns a part of it, as a buffer
    tensor = undecoded_message(TensorProto, Deferred(TensorProto(dtype=...).to_bytes(), 4, content))

Such a message can be read, copied, compared and printed like any other. Decoding it computes the content, which becomes
an ordinary value. Writing it to a file computes one piece after another, without keeping them: see `Chunks.pieces`.

A part may be computed more than once, and by several threads at the same time. So `compute` must not depend on anything
that changes, and must hold references to its inputs.
"""

from __future__ import annotations

import os
from _thread import RLock  # importing threading takes longer
from collections.abc import Callable, Iterable, Iterator

from ..codec.codegen import function
from ..codec.unknown_fields import join_spans
from ..descriptor import LENGTH_DELIMITED, Table
from ..errors import DecodeError, class_name
from ..kept import kept
from ..states import PENDING, UNDECODED
from ..varints import write_varint
from ..wire import MAX_DEPTH, read_tag, skip_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeVar

    M = TypeVar("M")

map_lock = RLock()
"""Held while a decoded map replaces a pending one. A process that is forked meanwhile waits until it is free."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=map_lock.acquire, after_in_parent=map_lock.release, after_in_child=map_lock.release
    )  # or else the lock of a thread that does not exist in the child would be held there forever

_set_class = object.__setattr__


def decode_map(message: Any, value: tuple[Any, ...]) -> Any:
    """Replace the pending map `value` of a message by a dict, and return the dict.

    If another thread has replaced it meanwhile, return the dict of that thread. Raises DecodeError if an entry is
    damaged.
    """
    field, data, depth, message_start, message_end, *spans = value
    table = message.__table__
    try:
        entries, unknown = function(table, f"read_entries:{field.name}")(data, depth, *spans)
        if unknown:  # they belong among the other unknown fields of the message
            unknown = function(table, "decode_maps")(data, message_start, message_end, depth)._unknown
    except DecodeError as error:
        raise error.within(table.cls.__name__) from None
    if entries is None:
        entries = {}  # all entries belong to the unknown fields
    with map_lock:
        if getattr(message, field.slot) is not value:
            return getattr(message, field.slot)  # another thread was first
        if unknown:
            message._unknown = unknown
        setattr(message, field.slot, entries)
    return entries


def decode_with_maps(message: Any) -> None:
    """Decode a message and its maps, but not its sub-messages, so that every slot holds its value."""
    decode_fields(message)
    for field in message.__table__.maps:
        if getattr(message, field.slot).__class__ is PENDING:
            getattr(message, field.name)


def decode_fields(message: Any) -> None:
    """Decode a message if it is undecoded, but not its sub-messages and maps.

    Raises DecodeError; the message then stays undecoded.
    """
    span = message._unknown
    if span.__class__ is not UNDECODED:
        return
    if len(span) > 4:
        span = _join_parts(span)
    data, depth, start, end = span
    table = message.__table__
    try:
        decode = table.functions["decode_lazily"]
    except KeyError:
        decode = function(table, "decode_lazily")
    try:
        decode(data, start, end, depth, message)
    except DecodeError as error:
        raise error.within(table.cls.__name__) from None


def decode_small(messages: Iterable[Any], max_size: int = 1 << 12) -> None:
    """Decode messages with everything in them, if their encodings are small: a program is about to read all of them.

    This takes a third of the time of decoding them on demand. Messages with a larger encoding stay undecoded, and so do
    damaged ones, whose errors appear when they are read.
    """
    for message in messages:
        span = message._unknown
        if span.__class__ is not UNDECODED or len(span) > 4 or span[0].__class__ is Deferred:
            continue
        if span[3] - span[2] > max_size:
            continue
        undecoded = message.__class__
        try:
            _decode_completely(message, span)
        except DecodeError:
            if message._unknown is span:  # no other thread has decoded it meanwhile
                _set_class(message, "__class__", undecoded)


def _decode_completely(message: Any, span: tuple[Any, ...]) -> None:
    """Decode a message with everything in it. If this raises DecodeError, it has the class of `filling_class`."""
    data, depth, start, end = span
    table = message.__table__
    _set_class(message, "__class__", filling_class(table))
    function(table, "decode")(data, start, end, depth, message)
    _set_class(message, "__class__", table.cls)


def encoded_span(message: Any) -> tuple[Any, ...] | None:
    """Return the span of an undecoded message; None for a decoded message.

    Deferred bytes are computed. Another thread may decode the message at any time, so callers must not read `_unknown`
    again.
    """
    span = message._unknown
    if span.__class__ is not UNDECODED:
        return None
    if span[0].__class__ is Deferred:
        data, depth, start, end = span
        return data[start:end], depth, 0, end - start
    return span


def get_deferred_bytes(message: Any) -> Deferred | None:
    """Return the deferred bytes of an undecoded message that is computed on demand; None for other messages."""
    span = message._unknown
    # A span that does not start at 0 belongs to a sub-message of such a message.
    return span[0] if span.__class__ is UNDECODED and span[0].__class__ is Deferred and not span[2] else None


def discard_encoding(message: Any) -> None:
    """Give an undecoded message its real class without decoding it. The caller must then fill all slots."""
    if message._unknown.__class__ is UNDECODED:
        _set_class(message, "__class__", message.__table__.cls)


def span_positions(span: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the starts and ends of the parts of an undecoded message."""
    return span[2:] if len(span) == 4 else (*span[2:4], *span[4])


def _join_parts(span: tuple[Any, ...]) -> tuple[Any, ...]:
    """Join the parts of an undecoded message, and return the span of the joined bytes."""
    data, depth, *_ = span
    joined = join_spans(data, list(span_positions(span)))
    return joined, depth, 0, len(joined)


def decode_copy(table: Table, span: tuple[Any, ...], what: str = "decode") -> Any:
    """Return a new message that is decoded from the span of an undecoded one.

    `what` is the name of the decoder: "decode" (completely) or "decode_lazily".
    """
    data, depth, start, end = span if len(span) == 4 else _join_parts(span)
    return function(table, what)(data, start, end, depth)


def copy_with_maps(message: Any) -> Any:
    """Return a shallow copy of a decoded message. The maps of the copy are decoded; the message does not change."""
    copy = object.__new__(message.__table__.cls)
    with map_lock:
        for slot in (*message.__table__.slots, "_unknown"):
            setattr(copy, slot, getattr(message, slot))
    decode_with_maps(copy)
    return copy


def copy_undecoded(cls: type[Any], message: Any) -> Any:
    """Return an undecoded copy of a message of class `cls`, or None if the message is decoded.

    Raises TypeError if it is of another class.
    """
    if not isinstance(message, cls):
        raise TypeError(f"expected a {cls.__name__}, got {class_name(message, cls)}")
    span = message._unknown
    if span.__class__ is not UNDECODED:
        return None
    copy: Any = object.__new__(undecoded_class(cls.__table__))
    copy.__class__._unknown.__set__(copy, span if len(span) == 4 else (*span[:4], list(span[4])))
    return copy


def merge_undecoded(message: Any, start: int, end: int) -> None:
    """Add a further part at data[start:end] to an undecoded message, whose field occurred again in the same data.

    Two damaged parts could form a valid message when they are joined. So each part must end where one of its fields
    ends; otherwise raise DecodeError.
    """
    span = message._unknown
    data = span[0]
    for part_start, part_end in ((start, end), *([span[2:]] if len(span) == 4 else [])):
        pos = part_start
        while pos < part_end:
            number, wire_type, pos = read_tag(data, pos, part_end)
            pos = skip_field(data, pos, part_end, number, wire_type, max_depth=span[1])
    if len(span) == 4:
        message.__class__._unknown.__set__(message, (*span, [start, end]))
    else:
        span[4].extend((start, end))


def undecoded_message(cls: type[M], data: Deferred) -> M:
    """Return an undecoded message of class `cls` with the encoding `data`."""
    message: Any = object.__new__(undecoded_class(cls.__table__))  # type: ignore[attr-defined]  # M is a message class
    message.__class__._unknown.__set__(message, (data, MAX_DEPTH, 0, len(data)))
    return message  # type: ignore[no-any-return]  # an instance of a subclass of M


@kept
def undecoded_class(table: Table) -> Any:
    """Return the hidden subclass of a message class for undecoded messages.

    Callers create an instance with `object.__new__` and set `_unknown` to its span.
    """

    def __setattr__(self: Any, name: str, value: Any) -> None:
        decode_fields(self)
        setattr(self, name, value)

    def __delattr__(self: Any, name: str) -> None:
        decode_fields(self)
        delattr(self, name)

    return _hidden_subclass(table.cls, __setattr__, __delattr__)


@kept
def filling_class(table: Table) -> Any:
    """Return the class of an undecoded message while its slots are filled."""
    return _hidden_subclass(table.cls)


def _hidden_subclass(cls: Any, *methods: Any) -> Any:
    """Return a subclass with the same name as `cls`, which decodes an instance when an empty slot is read."""

    def __new__(hidden: type, *args: Any, **kwargs: Any) -> Any:
        return cls(*args, **kwargs)  # `type(message)(...)` and dataclasses.replace create ordinary messages

    def __getattr__(self: Any, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        decode_fields(self)
        return getattr(self, name)

    names: dict[str, Any] = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    names["__slots__"] = ()
    names |= {method.__name__: method for method in (__new__, __getattr__, *methods)}
    return type(cls.__name__, (cls,), names)


# --- deferred bytes --------------------------------------------------------------------------------------------------

Compute: TypeAlias = Callable[[int, int], memoryview]

PIECE_BYTES = 1 << 20  # bytes that are computed in one call while a message is written


class Content:
    """Bytes that are computed on demand. `size` is their number; `compute(start, stop)` returns a part of them."""

    __slots__ = ("compute", "size")

    def __init__(self, size: int, compute: Compute) -> None:
        self.size = size
        self.compute = compute

    def __len__(self) -> int:
        return self.size

    def compute_all(self) -> memoryview:
        return self.compute(0, self.size)

    def pieces(self) -> Iterator[memoryview]:
        for start in range(0, self.size, PIECE_BYTES):
            yield self.compute(start, min(start + PIECE_BYTES, self.size))


class Deferred:
    """The encoding of a message whose last field is computed on demand. It can be indexed and sliced like bytes.

    fields     the encoding of all other fields. It must not include maps, since other code searches encoded maps
    number     the number of the computed bytes field, which must be the largest in the message
    content    the content of this field
    """

    __slots__ = ("content", "fields", "head")

    def __init__(self, fields: bytes, number: int, content: Content) -> None:
        self.fields = fields
        self.head = fields + write_varint(number << 3 | LENGTH_DELIMITED) + write_varint(len(content))
        self.content = content

    def __len__(self) -> int:
        return len(self.head) + len(self.content)

    def __getitem__(self, key: Any) -> Any:
        if key.__class__ is not slice:
            return self[key : key + 1][0]
        start, stop, _ = key.indices(len(self))
        part, head_size = self.head[start:stop], len(self.head)
        if stop > max(start, head_size):
            part += self.content.compute(max(start - head_size, 0), stop - head_size)
        return part
