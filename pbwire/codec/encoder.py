"""Generate the encoder of a message class, for the wire format: https://protobuf.dev/programming-guides/encoding.

    encode(message, chunks, deterministic) -> size

appends the encoding of `message` to `chunks` (see `buffers`) and returns its size in bytes. It writes from the end to
the start: first unknown fields, then the others by descending number. The reason is that the length in front of a
sub-message is known only after the sub-message is encoded. The caller reverses the list. The encoding of undecoded
sub-messages and maps is copied unchanged, unless `deterministic` is set.

For a value that its field cannot hold, the generated code raises some exception, and `validation` then finds the value.
The code has explicit checks only for wrong values for which Python's own operations would not raise an exception.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from struct import Struct

from .. import varints
from ..descriptor import KINDS, ZIGZAG, Field, Table
from ..lazy.messages import decode_with_maps, map_lock
from ..varints import write_varint
from .buffers import put_bytes, put_other, put_pending
from .codegen import Source, code, local_name

__all__ = ["is_set", "write"]

MAX_REMEMBERED_KEYS = 4096  # encoded keys per map field: keys such as attribute names are few and repeat
MAX_REMEMBERED_KEY_LENGTH = 64

ENCODER = """
def encode(message, chunks, deterministic):
    append = chunks.append
    size = 0
    $maps
    value = message._unknown
    $again
    if value:
        append(value)
        size += len(value)
    $fields
    return size
"""
# Another thread may decode a pending map meanwhile, which can add to the unknown fields. So the unknown fields are read
# after the maps. If a map is pending, maps and unknown fields are read again under the lock.
AGAIN = """
if $pending:
    if deterministic:
        decode_with_maps(message)
    with map_lock:
        $maps
        value = message._unknown
"""
SINGULAR = """
value = message.$slot
if $is_set:
    $put
"""
ONEOF = """
case = message.$case_slot
if case:
    value = message.$slot
    $members
"""
MEMBER = """
if case == $number:
    $put
"""
REPEATED = """
values = message.$slot
if values:
    for value in reversed(values):
        $put
"""
PACKED = """
values = message.$slot
if values:
    size += put_bytes(chunks, $heads, $tag, $pack)
"""
PUT_CHUNK = """
$chunk
append(chunk)
size += len(chunk)
"""
SIZED = """
chunk = $value
n = len(chunk)
chunk = ($heads[n] if n < 128 else $tag + write_varint(n)) + chunk
"""
PUT_MESSAGE = """
n = $encode
chunk = $heads[n] if n < 128 else $tag + write_varint(n)
append(chunk)
size += len(chunk) + n
"""
PUT_GROUP = """
append($end_tag)
size += ($encode) + $both_tags
append($tag)
"""
ENCODE = """
$encode(value, chunks, deterministic) if value.__class__ is $cls else put_other(value, $table, chunks, deterministic)
"""
MAP = """
entries = $entries
if entries:
    if entries.__class__ is tuple:  # not decoded yet
        size += put_pending(entries, chunks)
        entries = {}
    for key, value in reversed(sorted(entries.items()) if deterministic else entries.items()):
        $key
        $put
"""
STRING_KEY = """
key_chunk = keys_$name.get(key)
if key_chunk is None:
    $chunk
    key_chunk = chunk
    if n < $max_length and len(keys_$name) < $max_keys:
        keys_$name[key] = chunk
"""
PUT_ENTRY = """
$chunk
chunk = key_chunk + chunk
n = len(chunk)
chunk = ($heads[n] if n < 128 else $tag + write_varint(n)) + chunk
append(chunk)
size += len(chunk)
"""
PUT_MESSAGE_ENTRY = """
n = $encode
entry = key_chunk + ($value_heads[n] if n < 128 else $value_tag + write_varint(n))
size += n
n += len(entry)
chunk = ($heads[n] if n < 128 else $tag + write_varint(n)) + entry
append(chunk)
size += len(chunk)
"""


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "encode" of a class."""
    source.names.update(
        as_bool=varints.as_bool,
        map_lock=map_lock,
        put_bytes=put_bytes,
        put_other=put_other,
        put_pending=put_pending,
        decode_with_maps=decode_with_maps,
        write_varint=write_varint,
    )
    maps = "".join(f"{local_name(field.slot)} = message.{field.slot}\n" for field in table.maps)
    pending = " or ".join(f"{local_name(field.slot)}.__class__ is tuple" for field in table.maps)
    again = code(AGAIN, pending=pending, maps=maps) if maps else ""
    source.text = code(ENCODER, maps=maps, again=again, fields=_Writer(source).fields(table))


class _Writer:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.bind = source.bind

    def fields(self, table: Table) -> str:
        text = ""
        for oneof, group in groupby(reversed(table.by_number.values()), key=lambda field: field.oneof):
            members = list(group)
            text += self._oneof(members) if oneof else "".join(map(self._field, members))
        return text

    def _field(self, field: Field) -> str:
        if field.label == "map":
            return self._map(field)
        names = {"slot": field.slot, "put": self._put(field), **self._tags(field)}
        if field.label == "singular":
            return code(SINGULAR, is_set=is_set(field), **names)
        if not field.packed:
            return code(REPEATED, **names)
        kind = KINDS[field.kind]
        if kind.format:
            return code(PACKED, pack=f"{self.bind('pack_fixed', varints.pack_fixed)}({kind.format!r}, values)", **names)
        pack = f"{self.bind('pack_varints', varints.pack_varints)}({field.kind!r}, values)"
        if field.is_closed_enum:
            pack = f"{pack} if all(value in {self._names(field)} for value in values) else None"
        return code(PACKED, pack=pack, **names)

    def _oneof(self, members: list[Field]) -> str:
        """Return code that writes consecutive members of one oneof."""
        return code(
            ONEOF,
            case_slot=members[0].case_slot,
            slot=members[0].slot,
            members="el".join(code(MEMBER, number=str(field.number), put=self._put(field)) for field in members),
        )

    def _tags(self, field: Field, prefix: str = "") -> dict[str, str]:
        """Return the parameters `$tag` and `$heads` of a template, with a prefix: see `pbwire.codec.codegen`."""
        heads = self.bind(f"heads_{field.tag}", varints.heads(field.tag))
        return {f"{prefix}tag": repr(write_varint(field.tag)), f"{prefix}heads": heads}

    def _put(self, field: Field) -> str:
        """Return code that appends the field with its tag and the value in the variable `value`."""
        if field.kind == "bytes":
            return code("size += put_bytes(chunks, $heads, $tag, value)", **self._tags(field))
        if field.kind == "message":
            return code(PUT_MESSAGE, encode=self._encode(field), **self._tags(field))
        if field.kind == "group":
            tag, end_tag = write_varint(field.tag), write_varint(field.tag + 1)
            both = str(len(tag + end_tag))
            return code(PUT_GROUP, encode=self._encode(field), tag=repr(tag), end_tag=repr(end_tag), both_tags=both)
        return code(PUT_CHUNK, chunk=self._chunk(field))

    def _encode(self, field: Field) -> str:
        table = field.type.__table__
        return code(
            ENCODE,
            encode=self.source.call("encode", table, field.name),
            cls=self.bind(f"cls_{field.name}", table.cls),
            table=self.bind(f"table_{field.name}", table),
        ).strip()

    def _chunk(self, field: Field, value: str = "value") -> str:
        """Return code that sets `chunk` to the encoding of the tag and of the scalar in the variable `value`."""
        tag, kind = write_varint(field.tag), KINDS[field.kind]
        if field.kind == "string":
            return code(SIZED, value=f"{value}.encode()", **self._tags(field))
        if field.kind == "bytes":
            return code(SIZED, value=f"{self.bind('as_bytes', varints.as_bytes)}({value})", **self._tags(field))
        if field.kind == "bool":
            return f"chunk = {tag + bytes([1])!r} if {value} is True or as_bool({value}) else {tag + bytes([0])!r}\n"
        if kind.format:
            pack = varints.pack_float if field.kind == "float" else Struct("<" + kind.format).pack
            return f"chunk = {tag!r} + {self.bind(f'pack_{field.kind}', pack)}({value})\n"
        general = f"{tag!r} + {self.bind(field.kind, varints.CHECKED[field.kind])}({value})"
        if field.kind in ZIGZAG:
            return f"chunk = {general}\n"
        quick = f"{self._tags(field)['heads']}[{value}] if 0 <= {value} < 128 else {general}"
        if field.is_closed_enum:
            quick = f"({quick}) if {value} in {self._names(field)} else None"
        return f"chunk = {quick}\n"

    def _names(self, field: Field) -> str:
        return self.bind(f"names_{field.name}", field.type.__numbers__)

    def _map(self, field: Field) -> str:
        key, value = field.key, field.value
        assert key is not None and value is not None
        key_chunk = self._chunk(key, "key")
        if key.kind == "string":
            limits = {"max_keys": str(MAX_REMEMBERED_KEYS), "max_length": str(MAX_REMEMBERED_KEY_LENGTH)}
            key_chunk = code(STRING_KEY, name=field.name, chunk=key_chunk, **limits)
            self.bind(f"keys_{field.name}", {})
        else:
            key_chunk += "key_chunk = chunk\n"
        if value.is_message:
            encode = self._encode(replace(value, name=field.name))
            put = code(PUT_MESSAGE_ENTRY, encode=encode, **self._tags(field), **self._tags(value, "value_"))
        else:
            put = code(PUT_ENTRY, chunk=self._chunk(value), **self._tags(field))
        return code(MAP, entries=local_name(field.slot), key=key_chunk, put=put)


def is_set(field: Field) -> str:
    """Return code for the condition under which a singular field with the value `value` is written."""
    if field.presence:
        return "value is not None"
    if field.is_float:
        return "value or str(value) == '-0.0'"
    return "value"
