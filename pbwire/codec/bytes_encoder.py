"""Generate the encoder of small messages of a class. It returns bytes, without a list of chunks:

    encode_bytes(message, deterministic) -> bytes

It takes less time than `encode`, since it needs no sizes. But each level of nesting copies the content once more. So it
raises TooLarge for a payload of `MIN_BUFFER_BYTES`, and for a field with many messages, which is probably that long;
the caller then uses `encode` for this one message.
"""

from __future__ import annotations

from ..descriptor import Field, Table
from ..varints import as_bytes
from .buffers import TooLarge, long_head, other_bytes, pending_bytes
from .codegen import Source, code, local_name
from .encoder import MAP, Writer

MAX_MESSAGES = 256  # in a repeated field or a map
MAX_CONCATENATED = 16  # values of a repeated field; concatenating many would take quadratic time
FEW_FIELDS = 10  # whose encodings are concatenated; more are joined

ENCODER = """
def encode_bytes(message, deterministic):
    if message.__class__ is not cls:
        return other_bytes(message, table, deterministic)
    $maps
    unknown = message._unknown
    $again
    $start
    $fields
    $extensions
    if unknown:
        chunk = unknown
        $out
    return $result
"""
EXTENSIONS = """
extensions = message._extensions
if extensions is not None:
    chunk = extension_bytes(extensions, deterministic)
    $out
"""
# All fields are members of one oneof: the encoding is that of one member.
ONE_MEMBER = """
def encode_bytes(message, deterministic):
    if message.__class__ is not cls:
        return other_bytes(message, table, deterministic)
    case = message.$case_slot
    value = message.$slot
    $members
    return message._unknown
"""
LIMITED = """
values = message.$slot
if values:
    if len(values) > $most:
        raise TooLarge
    for value in values:
        $put
"""
MESSAGE_MAP = """
if $entries is not None and $entries.__class__ is not PENDING and len($entries) > $most:
    raise TooLarge
$map
"""
PUT_BYTES = """
if value.__class__ is not bytes:
    value = bytes(as_bytes(value))
n = len(value)
chunk = ($heads[n] if n < 128 else long_head($tag, n)) + value
$out
"""
PUT_MESSAGE = """
chunk = $encode(value, deterministic)
n = len(chunk)
chunk = ($heads[n] if n < 128 else long_head($tag, n)) + chunk
$out
"""
PUT_GROUP = """
chunk = $tag + $encode(value, deterministic) + $end_tag
$out
"""
PUT_PENDING = """
chunk = pending_bytes(entries)
$out
"""
PUT_MESSAGE_ENTRY = """
$key
chunk = $encode(value, deterministic)
n = len(chunk)
chunk = key_chunk + ($value_heads[n] if n < 128 else long_head($value_tag, n)) + chunk
n = len(chunk)
chunk = ($heads[n] if n < 128 else long_head($tag, n)) + chunk
$out
"""
RETURN = "return chunk + message._unknown"
CONCATENATE = "out += chunk"
APPEND = "append(chunk)"


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "encode_bytes" of a class."""
    source.names.update(
        TooLarge=TooLarge,
        as_bytes=as_bytes,
        bytes=bytes,
        cls=table.cls,
        long_head=long_head,
        other_bytes=other_bytes,
        pending_bytes=pending_bytes,
        table=table,
    )
    source.text = _BytesWriter(source, table).text()


class _BytesWriter(Writer):
    """Writes encoders that return bytes."""

    long_head = "long_head"

    def text(self) -> str:
        table = self.table
        if table.is_one_oneof:
            self.out = RETURN
            slots = {"slot": table.fields[0].slot, "case_slot": table.fields[0].case_slot}
            return code(ONE_MEMBER, members=self.members(list(table.by_number.values())), **slots)
        if len(table.fields) <= FEW_FIELDS and not table.maps:
            self.out = CONCATENATE
            start, result = 'out = b""', "out"
        else:
            self.out = APPEND
            start, result = "parts = []\nappend = parts.append", 'b"".join(parts)'
        extensions = ""
        if table.is_extendable:
            self.bind("extension_bytes", table.extension_bytes)  # type: ignore[attr-defined]  # a table with extensions
            extensions = code(EXTENSIONS, out=self.out)
        parts = {"start": start, "fields": self.fields(), "extensions": extensions, "result": result}
        return code(ENCODER, out=self.out, **parts, **self.maps())

    def repeated(self, field: Field) -> str:
        if self.out == CONCATENATE:
            return code(LIMITED, slot=field.slot, most=str(MAX_CONCATENATED), put=self.put(field))
        if field.is_message:
            return code(LIMITED, slot=field.slot, most=str(MAX_MESSAGES), put=self.put(field))
        return super().repeated(field)

    def map(self, field: Field, put: str) -> str:
        entries = local_name(field.slot)
        text = code(MAP, entries=entries, put_pending=code(PUT_PENDING, out=self.out), put=put)
        assert field.value is not None
        if not field.value.is_message:
            return text
        return code(MESSAGE_MAP, entries=entries, most=str(MAX_MESSAGES), map=text)

    def put_bytes(self, field: Field) -> str:
        return code(PUT_BYTES, out=self.out, **self.tags(field))

    def put_message(self, field: Field) -> str:
        return code(PUT_MESSAGE, encode=self._encode(field, field.name), out=self.out, **self.tags(field))

    def put_group(self, field: Field, tag: str, end_tag: str) -> str:
        return code(PUT_GROUP, encode=self._encode(field, field.name), out=self.out, tag=tag, end_tag=end_tag)

    def put_message_entry(self, field: Field, value: Field, key: str) -> str:
        tags = self.tags(field) | self.tags(value, "value_")
        return code(PUT_MESSAGE_ENTRY, key=key, encode=self._encode(value, field.name), out=self.out, **tags)

    def _encode(self, field: Field, hint: str) -> str:
        return self.source.call("encode_bytes", field.type.__table__, hint)
