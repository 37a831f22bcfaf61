"""Generate the decoder of a message class, for the wire format: https://protobuf.dev/programming-guides/encoding.

    decode(data, pos, end, depth, message=None) -> message

decodes data[pos:end] into `message`, or into a new message, and returns it. `data` is bytes. `depth` is the number of
further levels of nesting that are allowed.

    merge(data, pos, end, depth, message, merge_state) -> message

merges the data into the content of the message. Unknown fields are collected in `merge_state`, a `MergeState`, and the
outermost caller joins them at the end. It is a function of its own because it is rarely needed and takes time to
compile.

`decode_lazily` leaves sub-messages and maps undecoded, and does not merge; its argument `message` is an undecoded
message: see `pbwire.lazy.messages`. `decode_maps` does the same but decodes the maps.

Values are collected in local variables, which makes decoding fast, and stored at the end. So if a decoder fails, the
message does not change, except for lists and sub-messages into which the data were being merged.

Generated code detects an error but does not identify it. It may read past `end`, where the input continues, or past the
end of the input, which raises IndexError or gives a short slice. After the loop, it detects a position that differs
from `end`. Every frame passes the exception to `validation.locate_error`, which finds the error in this message; if the
error was found in a sub-message, it adds a segment to the path. So callers see only DecodeError.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from .. import varints
from ..descriptor import FIXED32, KINDS, LENGTH_DELIMITED, ZIGZAG, Field, Table
from ..lazy.messages import decode_with_maps, filling_class, merge_undecoded, undecoded_class
from ..packed import unpack_varints
from ..wire import read_tag
from . import map_decoder
from .codegen import Source, branches, code, default_assignments, function, local_name
from .map_decoder import SIZE
from .number_lists import list_reader, number_reader
from .unknown_fields import MergeState, add_span, join_spans, skip_group, skip_unknown_field, split_closed_enum
from .validation import FAULTS, locate_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DECODER = """
def $name(data, pos, end, depth, $arguments):
    start = tag_pos = pos
    $begin
    $nothing = None
    try:
        if depth < 0:
            raise Malformed
        while pos < end:
            tag_pos = pos
            tag = data[pos]
            pos += 1
            if tag > 127:
                $long_tag
            $fields
            pos = skip_unknown_field(data, pos, end, tag, depth)
            unknown = add_span(unknown, tag_pos, pos)
        if pos != end:
            raise Malformed
    except FAULTS as error:
        raise locate_error(error, table, data, start, end, depth, tag_pos) from None
    $extensions
    $pending
    $end
"""
LONG_TAG = "tag, pos = read_tag(data, tag_pos, end)"
TAG_OF_TWO_BYTES = f"""
tag += (data[pos] << 7) - 128
pos += 1
if tag > 16383:
    {LONG_TAG}
"""
BEGIN_OF_MERGE = """
decode_with_maps(message)
$present
"""
END = """
if message is None:
    message = new(cls)
$stores
message._unknown = join_spans(data, unknown) if unknown else b''
$joined
return message
"""
END_OF_MERGE = """
$stores
if unknown:
    merge_state.keep_unknown(message, data, unknown)
return message
"""
JOINED = """
if merge_state is not None:
    merge_state.join_unknown()
"""
NUMBER = """
n = data[pos]
pos += 1
if n > 127:
    n, pos = $read_rest(data, pos, n)
$convert
"""
# Of a message with extensions.
EXTENSIONS = """
if unknown:
    $extensions, unknown = split(data, unknown, depth, $extensions, $state)
"""
LENGTH = """
$size
stop = pos + n
if stop > end:
    raise Malformed
"""
GROUP = "stop, after_group = skip_group(data, pos, end, $number, depth)"
MESSAGE = """
$extent
$read
pos = $after
"""
# Other threads may decode the same message. So no function is called between the check that the message is undecoded
# and the assignment of its class: see `pbwire.lazy.messages`.
END_OF_LAZY_DECODER = """
unknown = join_spans(data, unknown) if unknown else b''
if message is None:
    message = new(cls)
    $stores
    message._unknown = unknown
    return message
set_class(message, filling)
if message._unknown.__class__ is UNDECODED:
    $stores
    message._unknown = unknown
message.__class__ = cls
return message
"""
MERGED = """
if $is_set:
    $merge
else:
    $read
"""
NEXT_ELEMENT = """
if pos >= end or data[pos] != $tag:
    break
tag_pos = pos
pos += 1
"""
# Values of a repeated field are mostly adjacent. So the loop compares the next tag only with the tag of this field.
ELEMENTS = """
if $target is None:
    $target = []
append = $target.append
while True:
    $value
    append($element)
    $next
continue
"""
ELEMENT = """
$value
if $target is None:
    $target = [$element]
else:
    $target.append($element)
continue
"""
BYTES = "data[pos : (pos := pos + n)]"
TEXT = "data[pos : (pos := pos + n)].decode()"
NUMBERS = """
$target, pos = $read(data, pos, $target)
continue
"""
PACKED_MEMBERS = """
$size
payload = data[pos : (pos := pos + n)]
values, unknown_values = split_closed_enum($names, unpack_varints('enum', payload), $number, payload)
if unknown_values:
    unknown = unknown or []
    unknown += (unknown_values, None)
if $target is None:
    $target = values
else:
    $target += values
continue
"""
CLOSED = """
if n not in $names:
    unknown = add_span(unknown, tag_pos, pos)
    continue
$target = $names[n]
"""


def write(source: Source, table: Table, what: str) -> None:
    """Write a function of a class: "decode", "merge", "decode_lazily", "decode_maps" or "read_entries:FIELD"."""
    what, _, name = what.partition(":")
    is_lazy = what not in ("decode", "merge")
    writer = Writer(source, table, lazy=is_lazy, reads_maps=what != "decode_lazily", merges=what == "merge")
    source.text = map_decoder.entries_reader(writer, table.by_name[name]) if name else writer.decoder(what)


class Writer:
    """Writes the source of decoders. With `lazy`, they leave sub-messages undecoded; without `reads_maps`, maps too.

    With `merges`, they merge into a message.
    """

    def __init__(self, source: Source, table: Table, lazy: bool, reads_maps: bool, merges: bool) -> None:
        self.source = source
        self.bind = source.bind
        self.table = table
        self.lazy = lazy
        self.reads_maps = reads_maps
        self.merges = merges
        source.names.update(
            FAULTS=FAULTS,
            Malformed=varints.Malformed,
            add_span=add_span,
            cls=table.cls,
            join_spans=join_spans,
            locate_error=locate_error,
            merge_into=_merge_into,
            merge_undecoded=merge_undecoded,
            new=object.__new__,
            read_tag=_read_tag,
            decode_with_maps=decode_with_maps,
            set_class=vars(object)["__class__"].__set__,
            set_span=table.cls._unknown.__set__,
            skip_unknown_field=skip_unknown_field,
            skip_group=skip_group,
            table=table,
            varint=varints.varint,
        )

    # --- whole functions -----------------------------------------------------------------------------------------

    def decoder(self, name: str) -> str:
        fields, slots = self.table.fields, self.table.slots
        maps = self.table.maps
        begin = default_assignments(self.source, slots)
        watches = "watch" if self.reads_maps else "spans"
        nothing = ["unknown", *(f"{watches}_{field.name}" for field in maps)]
        stores = "".join(f"message.{slot} = {local_name(slot)}\n" for slot in slots)
        if self.lazy:
            self.bind("filling", filling_class(self.table))
            last = code(END_OF_LAZY_DECODER, stores=stores)
        elif self.merges:
            present = "".join(f"{local_name(slot)} = message.{slot}\n" for slot in slots)
            begin = code(BEGIN_OF_MERGE, present=present)
            last = code(END_OF_MERGE, stores=stores)
        else:
            has_messages = any(field.label == "singular" and field.is_message for field in fields)
            nothing += ["merge_state"] * has_messages
            last = code(END, stores=stores, joined=JOINED if has_messages else "")
        cases = sorted(case for field in fields for case in self._cases(field))
        return code(
            DECODER,
            name=name,
            long_tag=LONG_TAG if not cases or cases[-1][0] < 128 else TAG_OF_TWO_BYTES,
            arguments="message, merge_state" if self.merges else "message=None",
            begin=begin,
            nothing=" = ".join(nothing),
            fields=branches("tag", cases),
            extensions=self._extensions(),
            pending="".join(map_decoder.pending(self, field) for field in maps) if not self.reads_maps else "",
            end=last,
        )

    def _extensions(self) -> str:
        if not self.table.is_extendable:
            return ""
        self.bind("split", self.table.split)  # type: ignore[attr-defined]  # a table with extensions
        state = "merge_state" if self.merges else f"None, {self.lazy}"
        return code(EXTENSIONS, extensions=local_name("_extensions"), state=state)

    # --- tags ----------------------------------------------------------------------------------------------------

    def _cases(self, field: Field) -> Iterator[tuple[int, str]]:
        """Yield each tag that the field may have, with the code that reads the value after this tag."""
        kind = KINDS[field.kind]
        tag = field.number << 3 | kind.wire_type
        if field.label == "map":
            yield tag, (map_decoder.entries if self.reads_maps else map_decoder.undecoded_entries)(self, field)
        elif field.label == "repeated":
            yield from self._repeated(field, tag)
        else:
            yield tag, self._singular(field) + "continue\n"

    def _repeated(self, field: Field, tag: int) -> Iterator[tuple[int, str]]:
        """Yield the tags of a repeated field: of numbers, those of one value and of a packed payload."""
        kind, target = KINDS[field.kind], local_name(field.slot)
        if not kind.packable or field.is_closed_enum or not field.packed:
            template = ELEMENTS if tag < 128 and not field.is_closed_enum else ELEMENT
            value, element = self.value(field, "value"), "value"
            if field.kind == "string":
                value, element = code(SIZE), TEXT
            next_element = code(NEXT_ELEMENT, tag=str(tag))
            yield tag, code(template, value=value, element=element, target=target, next=next_element)
        else:
            read = self.bind(f"read_{field.name}", number_reader(field))
            yield tag, code(NUMBERS, target=target, read=read)
        if kind.packable:
            yield field.number << 3 | LENGTH_DELIMITED, self._packed(field, target)

    # --- values --------------------------------------------------------------------------------------------------

    def _singular(self, field: Field) -> str:
        target = local_name(field.slot)
        if not field.oneof:
            return self.value(field, target, is_set=f"{target} is not None")
        case = local_name(field.case_slot)
        return self.value(field, target, is_set=f"{case} == {field.number}") + f"{case} = {field.number}\n"

    def value(self, field: Field, target: str, is_set: str = "") -> str:
        """Return code that reads one value into the variable `target`.

        `is_set` is a condition in the generated code; if it holds, a message is merged into the value of `target`.
        """
        kind = KINDS[field.kind]
        if field.is_message:
            return self._message(field, target, is_set)
        if field.kind in ("string", "bytes"):
            return code(SIZE) + f"{target} = {TEXT if field.kind == 'string' else BYTES}\n"
        if kind.format:
            unpack = self.bind(f"unpack_{field.kind}", Struct("<" + kind.format).unpack_from)
            return f"({target},) = {unpack}(data, pos)\npos += {4 if kind.wire_type == FIXED32 else 8}\n"
        read_rest = self.bind(field.kind, varints.MULTIBYTE[field.kind])
        return code(NUMBER, read_rest=read_rest, convert=self._convert(field, target))

    def _convert(self, field: Field, target: str) -> str:
        """Return code that converts the varint `n` to a value of the field, and stores it in `target`."""
        if field.kind == "enum":
            names = self.bind(f"names_{field.name}", field.type.__numbers__)
            if field.type.__closed__:
                return code(CLOSED, names=names, target=target)
            return f"{target} = {names}.get(n, n)\n"
        if field.kind == "bool":
            return f"{target} = n != 0\n"
        return f"{target} = n >> 1 ^ -(n & 1)\n" if field.kind in ZIGZAG else f"{target} = n\n"

    def _packed(self, field: Field, target: str) -> str:
        """Return code that reads all values of a packed payload in one step."""
        if not field.is_closed_enum:
            return code(NUMBERS, target=target, read=self.bind(f"unpack_{field.name}", list_reader(field)))
        self.source.names.update(split_closed_enum=split_closed_enum, unpack_varints=unpack_varints)
        names = self.bind(f"names_{field.name}", field.type.__numbers__)
        return code(PACKED_MEMBERS, size=SIZE, names=names, number=str(field.number), target=target)

    def _message(self, field: Field, target: str, is_set: str) -> str:
        read, merge = self.read_message(field, target, levels=1)
        if is_set:
            read = code(MERGED, is_set=is_set, merge=merge, read=read)
        if field.kind == "group":
            return code(MESSAGE, extent=code(GROUP, number=str(field.number)), read=read, after="after_group")
        return code(MESSAGE, extent=code(LENGTH, size=SIZE), read=read, after="stop")

    def read_message(self, field: Field, target: str, levels: int) -> tuple[str, str]:
        """Return code that decodes data[pos:stop] to `target`, and code that merges data[pos:stop] into `target`.

        `levels` is the number of levels of nesting that the message adds: 1, or 2 for the value of a map.
        """
        table = field.type.__table__
        if self.lazy:
            undecoded = self.bind(f"Undecoded_{field.name}", undecoded_class(table))
            read = f"{target} = new({undecoded})\nset_span({target}, (data, depth - {levels}, pos, stop))\n"
            return read, f"merge_undecoded({target}, pos, stop)\n"
        decode = self.source.call("decode", table, field.name)
        read = f"{target} = {decode}(data, pos, stop, depth - {levels})\n"
        name = self.bind(f"table_{field.name}", table)
        return read, f"merge_state = merge_into({target}, {name}, data, pos, stop, depth - {levels}, merge_state)\n"


def _merge_into(
    message: Any, table: Table, data: bytes, pos: int, end: int, depth: int, merge_state: MergeState | None
) -> MergeState:
    """Merge data[pos:end] into a sub-message, and return the state, which is created if it is None."""
    merge_state = merge_state or MergeState()
    function(table, "merge")(data, pos, end, depth, message, merge_state)
    return merge_state


def _read_tag(data: bytes, pos: int, end: int) -> tuple[int, int]:
    """Return the tag at `pos` as one number, and the position after it. For tags of more than one byte."""
    number, wire_type, pos = read_tag(data, pos, end)
    return number << 3 | wire_type, pos
