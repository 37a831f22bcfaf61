"""Generate the encoder of a message class, for the wire format: https://protobuf.dev/programming-guides/encoding.

    encode(message, chunks, deterministic, attempts) -> size

appends the encoding of `message` to `chunks` (see `buffers`) and returns its size in bytes: its fields by number, then
the unknown fields. The length of a sub-message stands before its content but is known after it, so its chunk is filled
in later. The encoding of undecoded sub-messages and maps is copied unchanged, unless `deterministic` is set.

Most messages are small. For them, `bytes_encoder` generates a function that is faster; `buffers.put_message` calls one
or the other. `Writer` has what both have in common: it writes code that puts the encoding of a field into the variable
`chunk`, followed by the code `out`, which takes the chunk.

For a value that its field cannot hold, the generated code raises some exception, and `validation` then finds the value.
The code has explicit checks only for wrong values for which Python's own operations would not raise an exception.
"""

from __future__ import annotations

from itertools import groupby
from struct import Struct

from .. import varints
from ..descriptor import KINDS, ZIGZAG, Field, Table
from ..lazy.messages import decode_with_maps, map_lock
from ..packed import pack_fixed, pack_float, pack_varints
from ..varints import write_varint
from .buffers import TooLarge, put_bytes, put_message, put_pending
from .codegen import Source, branches, code, local_name

ENCODER = """
def encode(message, chunks, deterministic, attempts):
    append = chunks.append
    size = 0
    $maps
    unknown = message._unknown
    $again
    $fields
    $extensions
    if unknown:
        append(unknown)
        size += len(unknown)
    return size
"""
EXTENSIONS = """
extensions = message._extensions
if extensions is not None:
    size += put_extensions(extensions, chunks, deterministic, attempts)
"""
# Another thread may decode a pending map meanwhile, which can add to the unknown fields. So the unknown fields are read
# after the maps. If a map is pending, maps and unknown fields are read again under the lock.
AGAIN = """
if $pending:
    if deterministic:
        decode_with_maps(message)
    with map_lock:
        $maps
        unknown = message._unknown
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
REPEATED = """
values = message.$slot
if values:
    for value in values:
        $put
"""
PACKED = """
values = message.$slot
if values:
    value = $pack
    $put
"""
PUT_SCALAR = """
$chunk
$out
"""
SIZED = """
chunk = $value
n = len(chunk)
chunk = ($heads[n] if n < 128 else $long_head($tag, n)) + chunk
"""
MAP = """
entries = $entries
if entries:
    if entries.__class__ is PENDING:
        $put_pending
        entries = {}
    for key, value in sorted(entries.items()) if deterministic else entries.items():
        $put
"""
PUT_ENTRY = """
$key
$chunk
chunk = key_chunk + chunk
n = len(chunk)
chunk = ($heads[n] if n < 128 else $long_head($tag, n)) + chunk
$out
"""

OUT = """
append(chunk)
size += len(chunk)
"""
PUT_BYTES = """
size += put_bytes(chunks, $heads, $tag, value)
"""
PUT_MESSAGE = """
position = len(chunks)
append(b"")
n = $put
chunks[position] = chunk = $heads[n] if n < 128 else $tag + write_varint(n)
size += len(chunk) + n
"""
# What `put_message` does, without a call for each of many small messages.
PUT_MESSAGES = """
values = message.$slot
if values:
    for value in values:
        if attempts and value.__class__ is $cls:
            try:
                chunk = $encode(value, deterministic)
            except TooLarge:
                pass
            else:
                n = len(chunk)
                chunk = ($heads[n] if n < 128 else $tag + write_varint(n)) + chunk
                append(chunk)
                size += len(chunk)
                continue
        $put
"""
PUT_GROUP = """
append($tag)
size += put_message(value, $table, chunks, deterministic, attempts) + $both_tags
append($end_tag)
"""
PUT_MESSAGE_ENTRY = """
$key
position = len(chunks)
append(b"")
n = put_message(value, $table, chunks, deterministic, attempts)
entry = key_chunk + ($value_heads[n] if n < 128 else $value_tag + write_varint(n))
size += n
n += len(entry)
chunks[position] = chunk = ($heads[n] if n < 128 else $tag + write_varint(n)) + entry
size += len(chunk)
"""
PUT_PENDING = """
size += put_pending(entries, chunks)
"""


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "encode" of a class."""
    source.names.update(TooLarge=TooLarge, put_bytes=put_bytes, put_message=put_message, put_pending=put_pending)
    source.text = _ChunksWriter(source, table).text()


class Writer:
    """Writes the source of encoders. Subclasses say what is done with the bytes of each field.

    out         code that takes the bytes in the variable `chunk`
    long_head   the name of the function for a tag and a length of more than one byte
    """

    out = ""
    long_head = ""

    def __init__(self, source: Source, table: Table) -> None:
        self.source = source
        self.bind = source.bind
        self.table = table
        source.names.update(
            as_bool=varints.as_bool, decode_with_maps=decode_with_maps, map_lock=map_lock, write_varint=write_varint
        )

    # --- whole messages --------------------------------------------------------------------------------------------

    def maps(self) -> dict[str, str]:
        """Return the parameters `$maps` and `$again`: code that reads the maps of the message."""
        slots = [field.slot for field in self.table.maps]
        maps = "".join(f"{local_name(slot)} = message.{slot}\n" for slot in slots)
        pending = " or ".join(f"{local_name(slot)}.__class__ is PENDING" for slot in slots)
        return {"maps": maps, "again": code(AGAIN, pending=pending, maps=maps) if maps else ""}

    def fields(self) -> str:
        """Return the code for all fields."""
        text = ""
        for oneof, group in groupby(self.table.by_number.values(), key=lambda field: field.oneof):
            members = list(group)
            if oneof:
                slots = {"slot": members[0].slot, "case_slot": members[0].case_slot}
                text += code(ONEOF, members=self.members(members), **slots)
            else:
                text += "".join(map(self._field, members))
        return text

    def members(self, members: list[Field]) -> str:
        """Return code that writes the member of a oneof whose number is in `case`."""
        return branches("case", [(field.number, self.put(field)) for field in members])

    def _field(self, field: Field) -> str:
        if field.label == "map":
            return self._map(field)
        if field.label == "singular":
            return code(SINGULAR, slot=field.slot, is_set=is_set(field), put=self.put(field))
        if field.packed:
            return code(PACKED, slot=field.slot, pack=self._pack(field), put=self.put_bytes(field))
        return self.repeated(field)

    def repeated(self, field: Field) -> str:
        return code(REPEATED, slot=field.slot, put=self.put(field))

    def _map(self, field: Field) -> str:
        key, value = field.key, field.value
        assert key is not None and value is not None
        key_chunk = self._chunk(key, "key") + "key_chunk = chunk\n"
        if value.is_message:
            put = self.put_message_entry(field, value, key_chunk)
        else:
            put = code(PUT_ENTRY, key=key_chunk, chunk=self._chunk(value), **self.tags(field), **self.parts)
        return self.map(field, put)

    def map(self, field: Field, put: str) -> str:
        raise NotImplementedError

    # --- single values ---------------------------------------------------------------------------------------------

    @property
    def parts(self) -> dict[str, str]:
        return {"out": self.out, "long_head": self.long_head}

    def put(self, field: Field) -> str:
        """Return code that writes the field with its tag and the value in the variable `value`."""
        if field.kind == "bytes":
            return self.put_bytes(field)
        if field.kind == "message":
            return self.put_message(field)
        if field.kind == "group":
            return self.put_group(field, repr(write_varint(field.tag)), repr(write_varint(field.tag + 1)))
        return code(PUT_SCALAR, chunk=self._chunk(field), out=self.out)

    def put_bytes(self, field: Field) -> str:
        raise NotImplementedError

    def put_message(self, field: Field) -> str:
        raise NotImplementedError

    def put_group(self, field: Field, tag: str, end_tag: str) -> str:
        raise NotImplementedError

    def put_message_entry(self, field: Field, value: Field, key: str) -> str:
        raise NotImplementedError

    def tags(self, field: Field, prefix: str = "") -> dict[str, str]:
        """Return the parameters `$tag` and `$heads` of a template, with a prefix: see `pbwire.codec.codegen`."""
        heads = self.bind(f"heads_{field.tag}", varints.heads(field.tag))
        return {f"{prefix}tag": repr(write_varint(field.tag)), f"{prefix}heads": heads}

    def table_name(self, field: Field, hint: str) -> str:
        """Return the name of the table of a message field in the code."""
        return self.bind(f"table_{hint}", field.type.__table__)

    def _pack(self, field: Field) -> str:
        """Return code for the payload of a packed field with the values in `values`."""
        kind = KINDS[field.kind]
        if kind.format:
            return f"{self.bind('pack_fixed', pack_fixed)}({kind.format!r}, values)"
        pack = f"{self.bind('pack_varints', pack_varints)}({field.kind!r}, values)"
        if field.is_closed_enum:
            return f"{pack} if all(value in {self._names(field)} for value in values) else None"
        return pack

    def _chunk(self, field: Field, value: str = "value") -> str:
        """Return code that sets `chunk` to the encoding of the tag and of the scalar in the variable `value`."""
        tag, kind = write_varint(field.tag), KINDS[field.kind]
        if field.kind == "string":
            return code(SIZED, value=f"{value}.encode()", long_head=self.long_head, **self.tags(field))
        if field.kind == "bytes":
            as_bytes = f"{self.bind('as_bytes', varints.as_bytes)}({value})"
            return code(SIZED, value=as_bytes, long_head=self.long_head, **self.tags(field))
        if field.kind == "bool":
            return f"chunk = {tag + bytes([1])!r} if {value} is True or as_bool({value}) else {tag + bytes([0])!r}\n"
        if kind.format:
            pack = pack_float if field.kind == "float" else Struct("<" + kind.format).pack
            return f"chunk = {tag!r} + {self.bind(f'pack_{field.kind}', pack)}({value})\n"
        general = f"{tag!r} + {self.bind(field.kind, varints.CHECKED[field.kind])}({value})"
        if field.kind in ZIGZAG:
            return f"chunk = {general}\n"
        quick = f"{self.tags(field)['heads']}[{value}] if 0 <= {value} < 128 else {general}"
        if field.is_closed_enum:
            quick = f"({quick}) if {value} in {self._names(field)} else None"
        return f"chunk = {quick}\n"

    def _names(self, field: Field) -> str:
        return self.bind(f"names_{field.name}", field.type.__numbers__)


class _ChunksWriter(Writer):
    """Writes encoders that append to a list of chunks."""

    out = OUT
    long_head = "long_head"

    def text(self) -> str:
        self.bind("long_head", _long_head)
        extensions = ""
        if self.table.is_extendable:
            self.bind("put_extensions", self.table.put_extensions)  # type: ignore[attr-defined]  # a table with extensions
            extensions = EXTENSIONS
        return code(ENCODER, fields=self.fields(), extensions=extensions, **self.maps())

    def map(self, field: Field, put: str) -> str:
        return code(MAP, entries=local_name(field.slot), put_pending=PUT_PENDING, put=put)

    def put_bytes(self, field: Field) -> str:
        return code(PUT_BYTES, **self.tags(field))

    def put_message(self, field: Field, put: str = "") -> str:
        table = self.table_name(field, field.name)
        put = put or f"put_message(value, {table}, chunks, deterministic, attempts)"
        return code(PUT_MESSAGE, put=put, **self.tags(field))

    def repeated(self, field: Field) -> str:
        if field.kind != "message":
            return super().repeated(field)
        table = field.type.__table__
        cls = self.bind(f"cls_{field.name}", table.cls)
        chunks = f"{self.source.call('encode', table, field.name)}(value, chunks, deterministic, attempts - 1)"
        other = f"put_message(value, {self.table_name(field, field.name)}, chunks, deterministic, attempts)"
        return code(
            PUT_MESSAGES,
            slot=field.slot,
            cls=cls,
            encode=self.source.call("encode_bytes", table, field.name),
            put=self.put_message(field, f"{chunks} if attempts and value.__class__ is {cls} else {other}"),
            **self.tags(field),
        )

    def put_group(self, field: Field, tag: str, end_tag: str) -> str:
        both = str(2 * len(write_varint(field.tag)))
        return code(PUT_GROUP, table=self.table_name(field, field.name), tag=tag, end_tag=end_tag, both_tags=both)

    def put_message_entry(self, field: Field, value: Field, key: str) -> str:
        tags = self.tags(field) | self.tags(value, "value_")
        return code(PUT_MESSAGE_ENTRY, key=key, table=self.table_name(value, field.name), **tags)


def _long_head(tag: bytes, size: int) -> bytes:
    """Return a tag and a length of more than one byte."""
    return tag + write_varint(size)


def is_set(field: Field) -> str:
    """Return code for the condition under which a singular field with the value `value` is written."""
    if field.presence:
        return "value is not None"
    if field.is_float:
        return "value or value is not ZERO and str(value) == '-0.0'"
    return "value"
