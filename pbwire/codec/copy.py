"""Generate the functions that copy messages of a class.

    copy(message) -> message

copies a completely decoded message with its lists, maps and sub-messages. This takes about half the time of decoding
the message again.

    share(message) -> message

copies only the message itself: the copy shares its lists, maps and sub-messages. The message may be undecoded.
"""

from __future__ import annotations

import gc
from itertools import groupby
from typing import Any, TypeVar

from ..descriptor import Field, Table
from ..lazy.messages import decode_fields, map_lock
from .codegen import Source, code, function

__all__ = ["PausedCollection", "deep_copy", "share", "write"]

M = TypeVar("M")

SHARE = """
def share(message):
    if message.__class__ is not cls:
        decode_fields(message)
    shared = new(cls)
    $copies
    return shared
"""

# Without the lock, another thread could decode a pending map meanwhile, and so move entries to the unknown fields.
TOGETHER = """
with map_lock:
    $copies
"""
COPY = """
def copy(message):
    copied = new(cls)
    $fields
    copied._unknown = message._unknown
    return copied
"""
SCALAR = """
copied.$slot = message.$slot
"""
MESSAGE = """
value = message.$slot
copied.$slot = value if value is None else $copy(value)
"""
LIST = """
value = message.$slot
copied.$slot = value if value is None else $copied
"""
ONEOF = """
copied.$case_slot = case = message.$case_slot
value = message.$slot
$members
copied.$slot = value
"""
MEMBER = """
if case == $number:
    value = $copy(value)
"""


EXTENSIONS = """
extensions = message._extensions
$copied._extensions = extensions if extensions is None else $copy(extensions)
"""


class PausedCollection:
    """A context without garbage collection, for code whose new objects all survive, as those of decoders and copies."""

    __slots__ = ("_was_enabled",)

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        if self._was_enabled:
            gc.enable()


def deep_copy(message: M) -> M:
    """Return a copy of a completely decoded message that shares no list, map or message with it."""
    table: Table = message.__table__  # type: ignore[attr-defined]  # `message` is a Message
    copy: Any = table.functions.get("copy") or function(table, "copy")
    with PausedCollection():
        return copy(message)  # type: ignore[no-any-return]  # generated code has no types


def share(message: M) -> M:
    """Return a shallow copy: its fields can be set independently, but its lists, maps and sub-messages are shared.

    Unlike in `copy.copy`, undecoded parts stay undecoded. An undecoded map is not shared: each of the two messages
    decodes it to its own dict when the map is read.
    """
    table: Table = message.__table__  # type: ignore[attr-defined]  # `message` is a Message
    share: Any = table.functions.get("share") or function(table, "share")
    return share(message)  # type: ignore[no-any-return]  # generated code has no types


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "copy" or "share" of a class."""
    source.names.update(new=object.__new__, cls=table.cls)
    if what == "share":
        source.names.update(map_lock=map_lock, decode_fields=decode_fields)
        slots = [slot for slot in (*table.slots, "_unknown") if slot != "_extensions"]
        copies = "".join(f"shared.{slot} = message.{slot}\n" for slot in slots)
        if table.is_extendable:
            copies += code(EXTENSIONS, copied="shared", copy=source.bind("share_extensions", share))
        source.text = code(SHARE, copies=code(TOGETHER, copies=copies) if table.maps else copies)
        return
    text = "".join(f"copied.{slot} = {value!r}\n" for slot, value in table.extra_slots.items())
    if table.is_extendable:
        text += code(EXTENSIONS, copied="copied", copy=source.bind("copy_extensions", deep_copy))
    for oneof, group in groupby(sorted(table.fields, key=lambda field: field.oneof or ""), lambda field: field.oneof):
        members = list(group)
        text += _oneof(source, members) if oneof else "".join(_field(source, field) for field in members)
    source.text = code(COPY, fields=text)


def _oneof(source: Source, members: list[Field]) -> str:
    messages = [field for field in members if field.is_message]
    copies = [
        code(MEMBER, number=str(field.number), copy=_copy_function(source, field, field.name)) for field in messages
    ]
    return code(ONEOF, slot=members[0].slot, case_slot=members[0].case_slot, members="el".join(copies))


def _field(source: Source, field: Field) -> str:
    part = field.value or field
    if not part.is_message:
        return code(SCALAR if field.label == "singular" else LIST, slot=field.slot, copied="value.copy()")
    copy = _copy_function(source, part, field.name)
    if field.label == "singular":
        return code(MESSAGE, slot=field.slot, copy=copy)
    if field.label == "repeated":
        return code(LIST, slot=field.slot, copied=f"[{copy}(item) for item in value]")
    return code(LIST, slot=field.slot, copied=f"{{key: {copy}(item) for key, item in value.items()}}")


def _copy_function(source: Source, field: Field, hint: str) -> str:
    return source.call("copy", field.type.__table__, hint)
