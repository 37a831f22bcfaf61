"""Messages that are decoded when they are first touched.

An untouched message is an instance of a hidden subclass whose slots are all empty but one: `_unknown` holds the span
of bytes that it stands for. Reading an attribute finds an empty slot, which makes Python ask `__getattr__`; writing
one asks `__setattr__`. Either decodes that one level, fills the slots and gives the instance its real class, so that
from there on it is like any other message and pays nothing for having been lazy. Look-ups of special names
(`__deepcopy__`, `__array__` and whatever else a library asks about) never decode.

Of a touched message, sub-messages are untouched ones, and maps are pending: the slot holds a tuple (field, data, depth,
message start, message end, start, end, ...), which the property of the field replaces by a dict when it is read. The
first two positions are those of the message, the others those of entries.

What `_unknown` of an untouched message holds is a tuple (data, depth, start, end): the whole input, how many more
levels of nesting are allowed, and where the message is. If its field came more than once, a list of the other starts
and ends follows; on touch all are read as one, which is what merging them means. Of a message that is computed when it
is needed, data is no memory, but gives bytes when it is sliced: see `deferral`.

What differs from eager decoding, beside timing: in a field that came more than once, the offset of an error counts
from the start of what was put together; and a member of a oneof or a value of a map that another one replaces is never
looked at, so that damage in it goes unnoticed. Map entries that go to the unknown fields (see `unknown`) are found
when their map is read; the unknown fields are then gathered anew, so that all stand in the order of the input.

Threads may read the same messages at the same time; one that writes needs a lock, as with any object. Several may
decode what none has touched, and the first to end fills it. Meanwhile it has a class in between, of which slots can be
stored as fast as of any; who finds one empty decodes too. Between asking whether it is still untouched and giving it
its class no function is called, and Python changes threads at calls and in loops only, so that no other gets between.
(One that could would store equal values again.) A map takes the place of a pending one under `map_lock`, since entries
may go to the unknown fields then. Whoever looks at both does so under that lock, and whoever asks whether a message is
untouched asks once, for its span: see `span_of`.
"""

from __future__ import annotations

from _thread import RLock  # the module threading takes a while to import
from functools import cache
from typing import Any, TypeVar

from ..codec.codegen import function
from ..codec.unknown_fields import gather
from ..descriptor import Table
from ..errors import DecodeError
from ..wire import MAX_DEPTH, read_tag, skip_field
from .deferred_bytes import Deferred

__all__ = [
    "deferred",
    "detached",
    "filling_class",
    "map_lock",
    "merge_untouched",
    "positions",
    "reveal",
    "settle",
    "settled",
    "span_of",
    "touch",
    "untouched",
    "untouched_class",
    "with_maps_read",
]

M = TypeVar("M")

map_lock = RLock()
"""Held while a map that was decoded takes the place of a pending one."""

_set_class = object.__setattr__


def settled(message: Any, value: tuple[Any, ...]) -> Any:
    """Put a dict where `message` has the pending map `value`, and give what is there then.

    Raises DecodeError if its entries turn out to be none.
    """
    field, data, depth, message_start, message_end, *spans = value
    table = message.__table__
    try:
        entries, unknown = function(table, f"read_entries:{field.name}")(data, depth, *spans)
        if unknown:  # their places are among all other unknown fields of the message
            unknown = function(table, "decode_maps")(data, message_start, message_end, depth)._unknown
    except DecodeError as error:
        raise error.within(table.cls.__name__) from None
    if entries is None:
        entries = {}  # all of them went to the unknown fields
    with map_lock:
        if getattr(message, field.slot) is not value:
            return getattr(message, field.slot)  # another thread was first
        if unknown:
            message._unknown = unknown
        setattr(message, field.slot, entries)
    return entries


def settle(message: Any) -> None:
    """Touch `message` and read its maps, so that every slot holds what it stands for."""
    touch(message)
    for field in message.__table__.maps:
        if getattr(message, field.slot).__class__ is tuple:
            getattr(message, field.name)


def touch(message: Any) -> None:
    """Decode one level of an untouched message. Raises DecodeError, which leaves it untouched."""
    span = message._unknown
    if span.__class__ is not tuple:
        return
    if len(span) > 4:
        span = _as_one(span)
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


def span_of(message: Any) -> tuple[Any, ...] | None:
    """What an untouched message stands for, computed if need be; None if it is touched.

    It may be, as soon as that is told.
    """
    span = message._unknown
    if span.__class__ is not tuple:
        return None
    if span[0].__class__ is Deferred:
        data, depth, start, end = span
        return data[start:end], depth, 0, end - start
    return span


def deferred(message: Any) -> Deferred | None:
    """What an untouched message stands for if its content is still to be computed."""
    span = message._unknown
    # What starts further behind is a sub-message of one that was touched.
    return span[0] if span.__class__ is tuple and span[0].__class__ is Deferred and not span[2] else None


def reveal(message: Any) -> None:
    """Give an untouched message its class without reading it: whoever calls this fills every slot."""
    if message._unknown.__class__ is tuple:
        _set_class(message, "__class__", message.__table__.cls)


def positions(span: tuple[Any, ...]) -> tuple[int, ...]:
    """Where the parts of an untouched message start and end."""
    return span[2:] if len(span) == 4 else (*span[2:4], *span[4])


def _as_one(span: tuple[Any, ...]) -> tuple[Any, ...]:
    """The span of an untouched message of several parts, put together."""
    data, depth, *_ = span
    joined = gather(data, list(positions(span)))
    return joined, depth, 0, len(joined)


def detached(table: Table, span: tuple[Any, ...], what: str = "decode") -> Any:
    """What an untouched message stands for decoded, completely or lazily, into a message of its own."""
    data, depth, start, end = span if len(span) == 4 else _as_one(span)
    return function(table, what)(data, start, end, depth)


def with_maps_read(message: Any) -> Any:
    """A copy of a touched message whose maps are read, the rest being shared: this one stays as it is."""
    copy = object.__new__(message.__table__.cls)
    with map_lock:
        for slot in (*message.__table__.slots, "_unknown"):
            setattr(copy, slot, getattr(message, slot))
    settle(copy)
    return copy


def merge_untouched(message: Any, start: int, end: int) -> None:
    """Add another occurrence of a singular field, in the same data, to an untouched message.

    Put together, two damaged parts might make a sound whole. So each must end where one of its fields does, else this
    raises DecodeError.
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


def untouched(cls: type[M], data: Deferred) -> M:
    """A message that stands for `data`."""
    message: Any = object.__new__(untouched_class(cls.__table__))  # type: ignore[attr-defined]  # of a message
    message.__class__._unknown.__set__(message, (data, MAX_DEPTH, 0, len(data)))
    return message  # type: ignore[no-any-return]  # it is of a subclass


@cache
def untouched_class(table: Table) -> Any:
    """The hidden subclass of a message class. Make instances with `object.__new__` and set their `_unknown`."""

    def __setattr__(self: Any, name: str, value: Any) -> None:
        touch(self)
        setattr(self, name, value)

    def __delattr__(self: Any, name: str) -> None:
        touch(self)
        delattr(self, name)

    return _hidden(table.cls, __setattr__, __delattr__)


@cache
def filling_class(table: Table) -> Any:
    """The class of an untouched message while its slots are filled."""
    return _hidden(table.cls)


def _hidden(cls: Any, *methods: Any) -> Any:
    """A subclass that looks like the class itself, whose instances are touched when an empty slot is read."""

    def __new__(hidden: type, *args: Any, **kwargs: Any) -> Any:
        return cls(*args, **kwargs)  # `type(message)(...)` and dataclasses.replace mean the real class

    def __getattr__(self: Any, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        touch(self)
        return getattr(self, name)

    names: dict[str, Any] = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    names["__slots__"] = ()
    names |= {method.__name__: method for method in (__new__, __getattr__, *methods)}
    return type(cls.__name__, (cls,), names)
