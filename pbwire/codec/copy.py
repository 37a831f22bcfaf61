"""Generate the functions that copy messages of a class.

    copy(message) -> message

copies a message with its lists, maps and sub-messages. This takes about half the time of decoding the message again.
Undecoded parts stay undecoded in the copy. Values are copied as they are, without the checks of an encoder; only the
classes of messages are checked, and the types of bytes, since a copy must not share a bytearray.

    share(message) -> message

copies only the message itself: the copy shares its lists, maps and sub-messages. The message may be undecoded.
"""

from __future__ import annotations

from itertools import groupby

from ..collection import PausedCollection
from ..descriptor import Field, Table
from ..errors import DecodeError, EncodeError
from ..lazy.messages import copy_undecoded, decode_fields, map_lock
from .codegen import Source, code, default_assignments, function, local_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

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
    if message.__class__ is not cls:
        copied = copy_undecoded(cls, message)
        if copied is not None:
            return copied
    copied = new(cls)
    $unknown
    $fields
    return copied
"""
UNKNOWN = """
copied._unknown = message._unknown
"""
# See TOGETHER: pending maps belong to these unknown fields.
UNKNOWN_WITH_MAPS = """
with map_lock:
    $maps
    copied._unknown = message._unknown
"""
SCALAR = """
copied.$slot = message.$slot
"""
MESSAGE = """
value = message.$slot
copied.$slot = value if value is None else $copy(value)
"""
BYTES = """
value = message.$slot
copied.$slot = value if value is None or value.__class__ is bytes else bytes(memoryview(value))
"""
LIST = """
value = message.$slot
copied.$slot = value if value is None else $copied
"""
MAP = """
value = $local
copied.$slot = value if value is None or value.__class__ is PENDING else $copied
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
BYTES_MEMBER = """
if case == $number and value.__class__ is not bytes:
    value = bytes(memoryview(value))
"""


EXTENSIONS = """
extensions = message._extensions
$copied._extensions = extensions if extensions is None else $copy(extensions)
"""


def deep_copy(message: M) -> M:
    """Return a copy of a message, with its own lists, maps and messages.

    A message that occurs in two places is copied twice. Raises EncodeError for another value where a message is
    expected, and for nesting beyond Python's recursion limit.
    """
    table: Table = message.__table__  # type: ignore[attr-defined]  # `message` is a Message
    copy: Any = table.functions.get("copy") or function(table, "copy")
    try:
        with PausedCollection():
            return copy(message)  # type: ignore[no-any-return]  # generated code has no types
    except DecodeError:
        raise
    except Exception as error:  # any exception that an invalid value causes
        from .validation import check  # needed after errors only

        check(message)
        raise EncodeError(f"cannot be copied ({type(error).__name__}: {error})") from error


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
    source.names.update(copy_undecoded=copy_undecoded)
    text = default_assignments(source, table.extra_slots, "copied.{}".format)
    if table.is_extendable:
        text += code(EXTENSIONS, copied="copied", copy=source.bind("copy_extensions", deep_copy))
    for oneof, group in groupby(sorted(table.fields, key=lambda field: field.oneof or ""), lambda field: field.oneof):
        members = list(group)
        if oneof:
            text += _oneof(source, members)
        else:
            text += "".join(_field(source, field) for field in members)
    unknown = UNKNOWN
    if table.maps:
        source.names.update(map_lock=map_lock)
        maps = "".join(f"{local_name(field.slot)} = message.{field.slot}\n" for field in table.maps)
        unknown = code(UNKNOWN_WITH_MAPS, maps=maps)
    source.text = code(COPY, fields=text, unknown=unknown)


def _oneof(source: Source, members: list[Field]) -> str:
    copies = []
    for field in members:
        number = str(field.number)
        if field.is_message:
            copies.append(code(MEMBER, number=number, copy=_copy_function(source, field, field.name)))
        elif field.kind == "bytes":
            copies.append(code(BYTES_MEMBER, number=number))
    return code(ONEOF, slot=members[0].slot, case_slot=members[0].case_slot, members="el".join(copies))


def _field(source: Source, field: Field) -> str:
    part = field.value or field
    if field.label == "singular":
        if part.is_message:
            return code(MESSAGE, slot=field.slot, copy=_copy_function(source, part, field.name))
        return code(BYTES if part.kind == "bytes" else SCALAR, slot=field.slot)
    item = "item"
    if part.is_message:
        item = f"{_copy_function(source, part, field.name)}(item)"
    elif part.kind == "bytes":
        item = "item if item.__class__ is bytes else bytes(memoryview(item))"
    if field.label == "repeated":
        return code(LIST, slot=field.slot, copied="[*value]" if item == "item" else f"[{item} for item in value]")
    copied = "dict(value)" if item == "item" else f"{{key: {item} for key, item in value.items()}}"
    return code(MAP, slot=field.slot, local=local_name(field.slot), copied=copied)


def _copy_function(source: Source, field: Field, hint: str) -> str:
    return source.call("copy", field.type.__table__, hint)
