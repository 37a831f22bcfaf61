"""Generate the parts of decoders that read maps; see `pbwire.codec.decoder` for the code around them.

Nodes of graphs have attributes such as T = DT_FLOAT by the thousand. So the generated code remembers short entries that
occurred twice, each as bytes with the key and the decoded message, and copies the message when the entry occurs again.
If the message has nothing but one oneof, it is made without a copy: the member is immutable, or it is a message that
all copies share until it is read, see `pbwire.lazy.shared`. Then it must be encoded exactly as it would be written.

A lazy decoder only stores the byte ranges of the entries; the map is then pending. `entries_reader` generates the
function that decodes a pending map: see `pbwire.lazy.messages`.
"""

from __future__ import annotations

import re

from ..descriptor import Field, Table
from ..kept import Memory, kept_up_to
from ..lazy.shared import can_be_shared, copier, shared_class
from ..table import complete_entry, entry_class
from ..wire import MAX_DEPTH, WireType
from .buffers import encode_message
from .codegen import code, default_assignments, function, local_name
from .hash_flooding import MIN_WATCHED_ENTRIES, watch_key
from .unknown_fields import add_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .decoder import Writer

KEY_TAG = 1 << 3 | WireType.LENGTH
MAX_REMEMBERED_KEYS = 4096
MAX_REMEMBERED_KEY_BYTES = 64
MAX_REMEMBERED_ENTRIES = 4096
MAX_SHARED = 4096  # messages of a class that are remembered to be shared again
MAX_REMEMBERED_ENTRY_BYTES = 64

may_have_nan = re.compile(rb"[\x80-\xff][\x7f\xff]").search  # the last bytes of the number

SIZE = """
n = data[pos]
pos += 1
if n > 127:
    n, pos = varint(data, pos, n)
"""
# Entries are mostly adjacent, and each is a key and then a value. For a string key that occurred before, one look-up
# compares its tag, its length, its bytes and the tag of the value. `read_entry` reads all other forms of entries.
MAP_ENTRIES = """
if $target is None:
    $target = {}
while True:
    $size
    stop = pos + n
    $recall
    if stop > end or depth < 1:
        raise Malformed
    entry = pos
    key = None
    $key
    if key is not None:
        $value
    if key is None:
        key, $target, unknown = read_entry($field, data, entry, stop, depth, $target, unknown, tag_pos)
        pos = stop
    $watch
    $remember
    if pos >= end or data[pos] != $tag:
        break
    tag_pos = pos
    pos += 1
continue
"""
# A short entry cannot nest messages more deeply than it has bytes. If it ends behind the message, so does the decoder,
# which is noticed then.
RECALL = """
raw = None
if n < $max_length < depth:
    raw = data[pos:stop]
    remembered = entries_$name.get(raw)
    if remembered:
        $make
        $target[key] = value
        pos = stop
        if pos >= end or data[pos] != $tag:
            break
        tag_pos = pos
        pos += 1
        continue
"""
COPY = """
key, value = remembered
value = $copy(value)
"""
MAKE_FROM_MEMBER = """
key, case, member = remembered
value = new($cls)
value.$case_slot = case
value.$slot = member
value._unknown = b""
$extra
"""
REMEMBER = """
if raw is not None and key is not None:
    if remembered is not None:
        if remembered is not False:
            entries_$name[raw] = $remembered
    else:
        if len(entries_$name) >= $max_entries:
            make_room(entries_$name)
        entries_$name[raw] = ()  # occurred once
"""
STRING_KEY = """
if n > 3:
    pos += data[pos + 1] + 3
    if pos < stop:
        key = $keys.get(data[entry:pos])
        if key is None:
            key = learn_key($keys, data[entry:pos], $value_tag)
"""
NUMBER_KEY = """
if n > 3 and data[pos] == $key_tag:
    pos += 1
    $read
    if pos < stop and data[pos] == $value_tag:
        pos += 1
    else:
        key = None
"""
WATCH = """
if key is not None and len($target) > MIN_WATCHED_ENTRIES:
    $watch = watch_key($watch, $target, $merge_state, key, tag_pos)
"""
SCALAR_VALUE = """
$read
if pos == stop:
    $target[key] = value
else:
    key = None
"""
MESSAGE_VALUE = """
$size
if pos + n == stop:
    $read
    $target[key] = value
    pos = stop
else:
    key = None
"""
ENTRIES_READER = """
def read_entries(data, depth, *spans):
    start = tag_pos = pos = end = 0
    $nothing = None
    try:
        for start, end in zip(spans[::2], spans[1::2]):
            pos = start
            while pos < end:
                tag_pos = pos
                tag, pos = read_tag(data, tag_pos, end)
                $entries
    except FAULTS as error:
        raise locate_error(error, table, data, start, end, depth, tag_pos) from None
    return $target, unknown
"""
PENDING_ENTRIES = """
while True:
    $size
    pos += n
    if pos >= end or data[pos] != $tag:
        break
    pos += 1
$spans = add_span($spans, tag_pos, pos)
continue
"""
PENDING = """
if $spans is not None:
    $target = ($field, data, depth, start, end, *$spans)
"""


def entries(writer: Writer, field: Field) -> str:
    """Return code that reads adjacent entries."""
    key, value, target = field.key, field.value, local_name(field.slot)
    assert key is not None and value is not None
    value = value.replace(name=field.name)  # names in the text are derived from it
    tags = {"key_tag": str(key.tag), "value_tag": str(value.tag)}
    writer.source.names.update(
        MIN_WATCHED_ENTRIES=MIN_WATCHED_ENTRIES,
        add_span=add_span,
        learn_key=learn_key,
        make_room=make_room,
        read_entry=read_entry,
        watch_key=watch_key,
    )
    recall = remember = ""
    watch = "pass"  # hashes of strings are salted
    if key.kind == "string":
        read_key = code(STRING_KEY, keys=writer.bind(f"keys_{field.name}", Memory()), **tags)
    else:
        read_key = code(NUMBER_KEY, read=writer.value(key, "key"), **tags)
        merge_state = "None" if writer.lazy else "merge_state"
        watch = code(WATCH, watch=f"watch_{field.name}", target=target, merge_state=merge_state)
    if value.is_message:
        read_value, _ = writer.read_message(value, "value", levels=2)
        read_value = code(MESSAGE_VALUE, size=SIZE, read=read_value, target=target)
        if key.kind == "string" and not writer.lazy:
            recall, remember = _memory(writer, field, value)
    elif value.is_closed_enum:
        read_key = read_value = "pass\n"  # the whole entry may belong to the unknown fields
    else:
        read_value = code(SCALAR_VALUE, read=writer.value(value, "value"), target=target)
    return code(
        MAP_ENTRIES,
        size=SIZE,
        recall=recall,
        remember=remember,
        key=read_key,
        value=read_value,
        watch=watch,
        target=target,
        tag=str(field.tag) if field.tag < 128 else "-1",
        field=writer.bind(f"field_{field.name}", field),
    )


def _memory(writer: Writer, field: Field, value: Field) -> tuple[str, str]:
    """Return code that looks an entry up among those that are remembered, and code that remembers it."""
    writer.bind(f"entries_{field.name}", Memory())
    table, target = value.type.__table__, local_name(field.slot)
    if table.is_one_oneof:
        slots = {"slot": table.fields[0].slot, "case_slot": table.fields[0].case_slot}
        extra = default_assignments(writer.source, table.extra_slots, "value.{}".format)
        make = code(MAKE_FROM_MEMBER, extra=extra, cls=writer.bind(f"cls_{field.name}", table.cls), **slots)
        writer.bind("remembered_member", remembered_member)
        remembered = f"remembered_member({writer.bind(f'field_{field.name}', field)}, raw, key, {target}[key])"
    else:
        copy = writer.source.call("copy", table, field.name)
        make = code(COPY, copy=copy)
        remembered = f"key, {copy}({target}[key])"
    parts = {"name": field.name, "target": target, "tag": str(field.tag) if field.tag < 128 else "-1"}
    limits = {"max_length": str(MAX_REMEMBERED_ENTRY_BYTES), "max_entries": str(MAX_REMEMBERED_ENTRIES)}
    return code(RECALL, make=make, **parts, **limits), code(REMEMBER, remembered=remembered, **parts, **limits)


def entries_reader(writer: Writer, field: Field) -> str:
    """Return the function read_entries(data, depth, *spans).

    It returns the dict of a pending map, and the byte ranges of the entries that belong to the unknown fields.
    """
    target = local_name(field.slot)
    nothing = f"{target} = unknown = watch_{field.name}"
    return code(ENTRIES_READER, nothing=nothing, target=target, entries=entries(writer, field))


def undecoded_entries(writer: Writer, field: Field) -> str:
    """Return code that stores the byte ranges of adjacent entries."""
    return _pending(PENDING_ENTRIES, writer, field)


def pending(writer: Writer, field: Field) -> str:
    """Return code that stores a pending map if the message has entries of the map."""
    return _pending(PENDING, writer, field)


def _pending(template: str, writer: Writer, field: Field) -> str:
    return code(
        template,
        size=SIZE,
        tag=str(field.tag) if field.tag < 128 else "-1",
        spans=f"spans_{field.name}",
        target=local_name(field.slot),
        field=writer.bind(f"field_{field.name}", field),
    )


# --- called by the generated code ------------------------------------------------------------------------------------


def learn_key(keys: dict[bytes, str], raw: bytes, value_tag: int) -> str | None:
    """Return the string key at the beginning of an entry, and remember it in `keys`, since keys repeat.

    `raw` must be the tag of the key, its length in one byte, the key, and `value_tag`. Otherwise return None.
    """
    if raw[0] != KEY_TAG or raw[-1] != value_tag or raw[1] > 127:
        return None
    key = raw[2:-1].decode()
    if len(raw) < MAX_REMEMBERED_KEY_BYTES:
        if len(keys) >= MAX_REMEMBERED_KEYS:
            keys.clear()
        keys[raw] = key
    return key


def make_room(entries: dict[bytes, Any]) -> None:
    """Forget entries that occurred once, and the older ones of the others if they are too many."""
    repeated = [item for item in entries.copy().items() if item[1]]
    entries.clear()
    entries.update(repeated[-MAX_REMEMBERED_ENTRIES // 2 :])


def remembered_member(field: Field, raw: bytes, key: str, value: Any) -> tuple[str, int, Any] | bool:
    """Return what the generated code makes copies of `value` from: the key, the number of the member that is set, and
    the member, which all copies share: see `pbwire.lazy.shared`.

    Return False if `raw`, the encoding of the entry, is not the one that would be written.
    """
    assert field.value is not None
    table = field.value.type.__table__
    encoded = _encoded(value)
    if value._unknown or len(encoded) > MAX_REMEMBERED_ENTRY_BYTES:
        return False
    encoded_key = key.encode()
    if raw != bytes([KEY_TAG, len(encoded_key)]) + encoded_key + bytes([field.value.tag, len(encoded)]) + encoded:
        return False
    case = getattr(value, table.fields[0].case_slot)
    member = getattr(value, table.fields[0].slot)
    if not case or not table.by_number[case].is_message:
        return (key, case, member) if member == member else False  # a NaN differs from itself
    shared = shared_member(member)
    return shared is not None and (key, case, shared)


def shared_member(message: Any) -> Any:
    """Return a shared copy of a decoded message.

    Return None if its class cannot be shared, its encoding is long, or it has a NaN in it.
    """
    if not can_be_shared(message.__table__):
        return None
    encoded = _encoded(message)
    if len(encoded) > MAX_REMEMBERED_ENTRY_BYTES:
        return None
    if may_have_nan(encoded):
        decoded = function(message.__table__, "decode")(encoded, 0, len(encoded), MAX_REMEMBERED_ENTRY_BYTES)
        if message != decoded:  # a NaN differs from itself
            return None
    return _shared_message(message.__table__, encoded)


@kept_up_to(MAX_SHARED)
def _shared_message(table: Table, data: bytes) -> Any:
    """Return the shared message of a class whose encoding is `data`."""
    shared = function(table, "decode")(data, 0, len(data), MAX_DEPTH, object.__new__(shared_class(table)))
    field = _only_field(shared)
    shared._encoding = data
    shared._copier = copier(table, f"copy_field:{field.name}" if field else "copy")
    if field is not None and field.is_message and field.label == "repeated" and can_be_shared(field.type.__table__):
        items = getattr(shared, field.slot)
        setattr(shared, field.slot, tuple(_shared_message(field.type.__table__, _encoded(item)) for item in items))
    return shared


def _only_field(message: Any) -> Field | None:
    """Return the field of a message that has nothing else, as most lists of values.

    Maps and members of oneofs are left out.
    """
    table = message.__table__
    values = [(slot, getattr(message, slot), empty) for slot, empty in table.slots.items()]
    slots = [slot for slot, value, empty in values if value != empty or str(value) == "-0.0"]
    fields = [field for field in table.fields if field.slot in slots and not field.oneof and field.label != "map"]
    return fields[0] if len(slots) == len(fields) == 1 and not message._unknown and not table.is_extendable else None


def _encoded(message: Any) -> bytes:
    return encode_message(message, False, partial=True).to_bytes()


def read_entry(
    field: Field, data: bytes, pos: int, end: int, depth: int, entries: Any, unknown: Any, tag_pos: int
) -> tuple[Any, dict[Any, Any] | None, list[Any] | None]:
    """Add the entry at data[pos:end] to the dict `entries`, and return its key, `entries` and `unknown`.

    `entries` and `unknown`, the byte ranges of unknown fields, may be None; they are created when needed. If an entry
    has unknown fields, or a number that its closed enum lacks, the whole entry is added to the unknown fields, as in
    protobuf's C implementation. So it is not lost, and a reader with a newer message class will find it. The returned
    key is then None.
    """
    entry = function(entry_class(field).__table__, "decode")(data, pos, end, depth - 1)
    if entry._unknown:
        return None, entries, add_span(unknown, tag_pos, end)
    if entries is None:
        entries = {}
    complete_entry(entry, field)
    entries[entry.key] = entry.value
    return entry.key, entries, unknown
