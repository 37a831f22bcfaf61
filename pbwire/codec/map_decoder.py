"""Generate the parts of decoders that read maps; see `pbwire.codec.decoder` for the code around them.

A lazy decoder only stores the byte ranges of the entries; the map is then pending. `entries_reader` generates the
function that decodes a pending map: see `pbwire.lazy.messages`.
"""

from __future__ import annotations

from ..descriptor import Field
from ..table import complete_entry, entry_class
from .codegen import code, function, local_name
from .hash_flooding import MIN_WATCHED_ENTRIES, watch_key
from .unknown_fields import add_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .decoder import Writer

SIZE = """
n = data[pos]
pos += 1
if n > 127:
    n, pos = varint(data, pos, n)
"""
# Entries are mostly adjacent, and each is a key and then a value. `read_entry` reads all other forms of entries.
MAP_ENTRIES = """
if $target is None:
    $target = {}
while True:
    $size
    stop = pos + n
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
    if pos >= end or data[pos] != $tag:
        break
    tag_pos = pos
    pos += 1
continue
"""
KEY = """
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
        read_entry=read_entry,
        watch_key=watch_key,
    )
    read_key = code(KEY, read=writer.value(key, "key"), **tags)
    watch = ""
    if key.kind != "string":  # hashes of strings are salted
        merge_state = "merge_state" if writer.merges else "None"
        watch = code(WATCH, watch=f"watch_{field.name}", target=target, merge_state=merge_state)
    if value.is_message:
        read_value, _ = writer.read_message(value, "value", levels=2)
        read_value = code(MESSAGE_VALUE, size=SIZE, read=read_value, target=target)
    elif value.is_closed_enum:
        read_key = read_value = "pass\n"  # the whole entry may belong to the unknown fields
    else:
        read_value = code(SCALAR_VALUE, read=writer.value(value, "value"), target=target)
    return code(
        MAP_ENTRIES,
        size=SIZE,
        key=read_key,
        value=read_value,
        watch=watch,
        target=target,
        tag=str(field.tag) if field.tag < 128 else "-1",
        field=writer.bind(f"field_{field.name}", field),
    )


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
