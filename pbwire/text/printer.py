"""Generate the text printer of a message class.

    print(out, line, message, depth)

appends the lines of `message` to `out`. Fields are in the order of their numbers, unless the style has `declared`; maps
are sorted by key. `line` is the text in front of each line: see `output`. `depth` is the number of further levels that
may be nested; as in parsers, an entry of a map is a level. `message` does not change: undecoded sub-messages and maps
are decoded for printing only.

As in encoders, the generated code raises some exception for a value that its field cannot hold, and `validation` then
finds the value. The generated code itself prints values of the type that decoders make. It calls functions of `scalars`
and `output` for other values that a field accepts: an int for a float, a number for a name, an instance of a subclass.
"""

from __future__ import annotations

from itertools import groupby

from ..codec.codegen import Source, code
from ..codec.encoder import is_set
from ..descriptor import Field, Table
from ..lazy.messages import copy_with_maps
from . import scalars
from .any import put_any, put_entry, put_formatted, put_other, put_unknown
from .output import (
    MAX_CHUNKS,
    Style,
    put_bytes,
    put_bytes_list,
    put_key,
    put_list,
    put_long_strings,
    put_string,
    put_strings,
    refuse_depth,
)

PRINTER = """
def print(out, line, message, depth):
    $extended
    if depth < 0:
        refuse_depth(out)
    append = out.append
    $first
    $fields
    if message._unknown and out.unknown:
        put_unknown(out, line, message._unknown, depth)
"""
# Fields and extensions are printed in the order of their numbers, so another function prints a message with extensions.
EXTENDED = """
if (message._extensions is not None or message._unknown) and current_set(message) is not None:
    print_extended(out, line, message, depth)
    return
"""
FIRST = """
if $put_whole(out, line, message, depth):
    return
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
STRING = """
if value.__class__ is str and out.plain(value):
    append(f'$head"{value}"')
else:
    put_string(out, f"$head", value)
"""
KEY = """
text = out.keys.get(key)
if text is None:
    put_key(out, key_head, key)
    $after
else:
    append(f"{key_head}{text}$tail")
"""
BYTES = """
if value.__class__ is bytes and out.plain_bytes(value):
    append(f'$head"{value.decode()}"')
else:
    put_bytes(out, f"$head", value)
"""
LITERALS = {"string": (STRING, "put_strings"), "bytes": (BYTES, "put_bytes_list")}
MESSAGE = """
append(f"{line}$opening")
$print
append(f"{line}$closing")
"""
PRINT = """
if value.__class__ is $cls:
    $print(out, $line, value, depth - $levels)
else:
    put_other(out, $line, value, depth - $levels, $table)
"""
MESSAGES = """
values = message.$slot
if values:
    inner = line + out.step
    head = f"{line}$opening"
    end = f"{line}$closing"
    for value in values:
        append(head)
        $print
        append(end)
        if len(out.chunks) > $full:
            out.flush()
"""
STRINGS = """
values = message.$slot
if values:
    if len(values) <= out.batch_size:
        $put(out, f"{line}$name: ", values)
    else:
        put_long_strings(out, line, "$name", values, $put)
"""
LIST = """
values = message.$slot
if values:
    put_list(out, line, "$name", values, $texts)
"""
MAP = """
entries = message.$slot
if entries:
    if entries.__class__ is PENDING:
        message = copy_with_maps(message)
        entries = message.$slot
    if depth < 1:
        refuse_depth(out)
    inner = line + out.step
    head = f"{line}$opening"
    key_head = f"{head}{inner}$key_name: "
    $tails
    for key in sorted(entries):
        value = entries[key]
        $first
        $key
        $value
        append(end)
        if len(out.chunks) > $full:
            out.flush()
"""
SCALAR_TAILS = """
end = f"{line}$closing"
"""
MESSAGE_TAILS = """
value_head = f"{inner}$opening"
innermost = inner + out.step
end = f"{inner}$closing{line}$closing"
"""
ENTRY_FIRST = """
if put_entry(out, head, inner, f"{line}$closing", $field, key, value):
    continue
"""


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "print" of a class, in the default style or, for "print:STYLE", in another one."""
    source.names.update(
        bool_text=scalars.bool_text,
        double_text=scalars.double_text,
        enum_text=scalars.enum_text,
        float_text=scalars.float_text,
        integer_text=scalars.integer_text,
        put_any=put_any,
        put_bytes=put_bytes,
        put_bytes_list=put_bytes_list,
        put_entry=put_entry,
        put_formatted=put_formatted,
        put_key=put_key,
        put_list=put_list,
        put_long_strings=put_long_strings,
        put_other=put_other,
        put_string=put_string,
        put_strings=put_strings,
        put_unknown=put_unknown,
        refuse_depth=refuse_depth,
        copy_with_maps=copy_with_maps,
    )
    source.text = _Writer(source, Style.of_printer(what)).printer(table)


class _Writer:
    def __init__(self, source: Source, style: Style) -> None:
        self.source = source
        self.bind = source.bind
        self.style = style
        self.closing = style.closing.replace("}", "}}")

    def printer(self, table: Table) -> str:
        first = code(FIRST, put_whole="put_formatted") if self.style.formatted else ""
        if table.full_name == "google.protobuf.Any":
            first += code(FIRST, put_whole="put_any")
        extended = ""
        if table.is_extendable:
            self.bind("current_set", table.current_set)  # type: ignore[attr-defined]  # a table with extensions
            self.bind("print_extended", table.printer(self.style.printer_name))  # type: ignore[attr-defined]  # as above
            extended = EXTENDED
        return code(PRINTER, extended=extended, first=first, fields=self.fields(table))

    def fields(self, table: Table) -> str:
        fields = table.fields if self.style.declared else table.by_number.values()
        text = ""
        for oneof, group in groupby(fields, key=lambda field: field.oneof):
            members = list(group)
            text += self._oneof(members) if oneof else "".join(self._field(field, table) for field in members)
        return text

    def _field(self, field: Field, table: Table) -> str:
        name = self._name(field)
        if field.label == "map":
            return self._map(field, zeros=table.syntax != "proto3" or self.style.debug)
        if field.label == "singular":
            return code(SINGULAR, slot=field.slot, is_set=is_set(field), put=self._put(field))
        if field.is_message:
            return code(MESSAGES, slot=field.slot, full=str(MAX_CHUNKS), **self._message(field, "inner"))
        if field.kind in LITERALS:
            return code(STRINGS, slot=field.slot, name=name, put=LITERALS[field.kind][1])
        return code(LIST, slot=field.slot, name=name, texts=self._texts(field))

    def _oneof(self, members: list[Field]) -> str:
        """Return code that prints consecutive members of one oneof."""
        return code(
            ONEOF,
            case_slot=members[0].case_slot,
            slot=members[0].slot,
            members="el".join(code(MEMBER, number=str(field.number), put=self._put(field)) for field in members),
        )

    def _map(self, field: Field, zeros: bool) -> str:
        """Return code that prints the entries of a map as messages.

        With `zeros`, also keys and values that are zero are printed: in proto2 they differ from absent ones.
        """
        key, value = field.key, field.value
        assert key is not None and value is not None
        key_name, value_name = self._name(key), self._name(value)
        value = value.replace(name=field.name)  # names in the text are derived from it
        if value.is_message:
            put_key = self._scalar(key, "key", "{key_head}", "{value_head}")
            put_value = self._message(value, "innermost", levels=2)["print"]
            no_key, tails = "append(head + value_head)", MESSAGE_TAILS
        else:
            put_key = self._scalar(key, "key", "{key_head}")
            put_value = self._scalar(value, "value", f"{{inner}}{value_name}: ")
            no_key, tails = "append(head)", SCALAR_TAILS
            if not zeros:
                put_value = code("if $shown:\n    $put", shown=_is_not_zero("value", value), put=put_value)
        if not zeros:
            shown = _is_not_zero("key", key)
            put_key = code("if $shown:\n    $put\nelse:\n    $no", shown=shown, put=put_key, no=no_key)
        first = ""
        if self.style.formatted:
            first = code(ENTRY_FIRST, closing=self.closing, field=self.bind(f"field_{field.name}", field))
        return code(
            MAP,
            slot=field.slot,
            full=str(MAX_CHUNKS),
            opening=self._opening(self._name(field)),
            key_name=key_name,
            tails=code(tails, opening=self._opening(value_name), closing=self.closing),
            first=first,
            key=put_key,
            value=put_value,
        )

    def _put(self, field: Field) -> str:
        """Return code that appends the field with the value in the variable `value`."""
        if field.is_message:
            return code(MESSAGE, **self._message(field, "line + out.step"))
        return self._scalar(field, "value", f"{{line}}{self._name(field)}: ")

    def _name(self, field: Field) -> str:
        if self.style.numbers:
            return str(field.shown_number)
        if self.style.debug:
            is_extension = (field.json_name or "").startswith("[")  # text_name may be that of its type, in a MessageSet
            return str(field.json_name) if is_extension else field.text_name
        return field.group_name or field.text_name

    def _opening(self, name: str) -> str:
        """Return a message's name and the text in front of its fields, for an f-string."""
        return name + self.style.opening.replace("{", "{{")

    def _message(self, field: Field, line: str, levels: int = 1) -> dict[str, str]:
        """Return code that prints the message `value`, and the text around it."""
        table = field.type.__table__
        return {
            "opening": self._opening(self._name(field)),
            "print": code(
                PRINT,
                print=self.source.call(self.style.printer_name, table, field.name),
                line=line,
                levels=str(levels),
                cls=self.bind(f"cls_{field.name}", table.cls),
                table=self.bind(f"table_{field.name}", table),
            ),
            "closing": self.closing,
        }

    def _texts(self, field: Field) -> str:
        """Return the name of the function that prints a list of values."""
        if self.style.floats and field.is_float:
            return f"out.{field.kind}s"
        return self.bind(f"texts_{field.name}", scalars.list_speller(field))

    def _scalar(self, field: Field, value: str, head: str, tail: str = "") -> str:
        """Return code that appends `head`, the scalar in `value` or `key`, and `tail`."""
        if field.kind == "string" and value == "key":
            return code(KEY, tail=tail, after="append(value_head)" if tail else "")
        if field.kind in LITERALS:
            return code(LITERALS[field.kind][0], head=head)
        text = scalars.TEXT_KINDS[field.kind].text
        if self.style.floats and field.is_float:
            text = f"out.{field.kind}s([$value], str())"
        enum = self.bind(f"enum_{field.name}", field.type) if field.kind == "enum" else ""
        return code(f'append(f"$head{{{text}}}$tail")', head=head, value=value, enum=enum, tail=tail)


def _is_not_zero(name: str, part: Field) -> str:
    """Return the condition under which the key or value of an entry is printed. It also holds for invalid values."""
    zero = {"string": "''", "bytes": "b''"}.get(part.kind, "0")
    negative_zero = f" or str({name}) == '-0.0'" if part.is_float else ""
    return f"{name} or {name} != {zero}{negative_zero}"
