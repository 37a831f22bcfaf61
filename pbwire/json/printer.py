"""Generate the JSON printer of a message class.

    print_json(out, head, line, message, depth, opened=False)

appends `message` to `out`: see `output` for `head` and `line`. `depth` is the number of messages that may still be
nested, this one included, as in readers. With `opened`, the caller has already printed the opening brace and a member.
`message` does not change: undecoded sub-messages and maps are decoded for printing only.

Options that change the content, not only the layout, are letters after "print_json:". So each combination of options
that is used has its own function:

    a   fields without presence are printed even if they are zero or empty
    i   enums are numbers
    n   fields have the names of the .proto file
    s   members are sorted by name
    u   64-bit integers are numbers if a double can represent them exactly

As in encoders, the generated code raises some exception for a value that its field cannot hold, and `codec.validation`
then finds the value. If all values are valid, `raise_unprintable` finds the message that JSON cannot express.
"""

from __future__ import annotations

from binascii import b2a_base64
from itertools import groupby
from typing import Any

from ..codec.codegen import Source, code, function
from ..codec.encoder import is_set
from ..descriptor import KINDS, Field, Table, table_of
from ..errors import EncodeError, quoted_key
from ..lazy.messages import copy_with_maps
from ..text.scalars import bool_text, integer_text
from . import scalars
from .field_lookup import SPECIAL, WRAPPERS, json_names
from .output import (
    MAX_CHUNK_LENGTH,
    MAX_CHUNKS,
    Output,
    decoded_message,
    put_bytes,
    put_bytes_list,
    put_key,
    put_list,
    put_string,
    put_strings,
    refuse_depth,
)
from .wellknown import PRINTERS, unpack_any

PRINTER = """
def print_json(out, head, line, message, depth, opened=False):
    $extended
    if depth < 1:
        refuse_depth(out)
    append = out.append
    inner = line + out.step
    separator = out.comma + inner
    start = head
    head = separator if opened else f"{head}{{{inner}"
    $fields
    append(line + "}" if head is separator else start + "{}")
"""
# Fields and extensions are printed in the order of their numbers, so another function prints a message with extensions.
EXTENDED = """
if (message._extensions is not None or message._unknown) and current_set(message) is not None:
    print_extended(out, head, line, message, depth, opened)
    return
"""
SPECIAL_PRINTER = """
def print_json(out, head, line, message, depth, opened=False):
    if depth < 1:
        refuse_depth(out)
    $put(out, head, line, message, depth)
"""
WRAPPER_PRINTER = """
def print_json(out, head, line, message, depth, opened=False):
    if depth < 1:
        refuse_depth(out)
    append = out.append
    value = message.value
    $put
"""
SINGULAR = """
value = message.$slot
if $is_set:
    $put
    head = separator
"""
ALWAYS = """
value = message.$slot
$put
head = separator
"""
ABSENT = """
value = message.$slot
if not ($is_set):
    $put
    head = separator
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
    head = separator
"""
STRING = """
if value.__class__ is str and value.isascii() and len(value) <= $long:
    append(f'$head{out.escape(value)}')
else:
    put_string(out, f'$head', value)
"""
BYTES = """
if value.__class__ is bytes and len(value) <= $long:
    append(f'$head"{base64(value, newline=False).decode()}"')
else:
    put_bytes(out, f'$head', value)
"""
MESSAGES = """
values = message.$slot
if values:
    element = inner + out.step
    head = f'{head}"$name": [{element}'
    between = out.comma + element
    for value in values:
        $print(out, head, element, $message, depth - 1)
        head = between
        if len(out.chunks) > $full:
            out.flush()
    append(inner + "]")
    head = separator
"""
LIST = """
values = message.$slot
if values:
    $put(out, f'{head}"$name": ', inner, values$texts)
    head = separator
"""
MAP = """
entries = message.$slot
if entries:
    if entries.__class__ is PENDING:
        message = copy_with_maps(message)
        entries = message.$slot
if entries:
    element = inner + out.step
    head = f'{head}"$name": {{{element}'
    between = out.comma + element
    for key in sorted(entries$sort_key):
        value = entries[key]
        $entry
        head = between
        if len(out.chunks) > $full:
            out.flush()
    append(inner + "}")
    head = separator
"""
EMPTY = """
else:
    append(f'{head}"$name": $empty')
    head = separator
"""
STRING_KEY = """
text = out.keys.get(key)
if text is None:
    put_key(out, head, key)
    head = ""
else:
    head += text
$value
"""


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "print_json:FLAGS" of a class."""
    source.names.update(
        base64=b2a_base64,
        bool_text=bool_text,
        double_text=scalars.double_text,
        integer_text=integer_text,
        put_bytes=put_bytes,
        put_bytes_list=put_bytes_list,
        put_key=put_key,
        put_list=put_list,
        put_string=put_string,
        put_strings=put_strings,
        quoted_integer=scalars.quoted_integer,
        decoded_message=decoded_message,
        refuse_depth=refuse_depth,
        unquoted_integer=scalars.unquoted_integer,
        copy_with_maps=copy_with_maps,
    )
    writer = _Writer(source, what)
    if table.full_name in WRAPPERS:
        source.text = code(WRAPPER_PRINTER, put=writer.scalar(table.by_name["value"], "{head}"))
    elif table.full_name in SPECIAL:
        source.text = code(SPECIAL_PRINTER, put=source.bind("put", PRINTERS[table.full_name]))
    else:
        extended = ""
        if table.is_extendable:
            source.bind("current_set", table.current_set)  # type: ignore[attr-defined]  # a table with extensions
            source.bind("print_extended", table.printer(what))  # type: ignore[attr-defined]  # a table with extensions
            extended = EXTENDED
        source.text = code(PRINTER, extended=extended, fields=writer.fields(table))


class _Writer:
    def __init__(self, source: Source, what: str) -> None:
        self.source = source
        self.bind = source.bind
        self.what = what
        self.flags = what.partition(":")[2]

    def name(self, field: Field) -> str:
        if "n" in self.flags and not field.is_extension:
            return field.text_name
        assert field.owner is not None
        return json_names(table_of(field.owner))[field.number]

    def fields(self, table: Table) -> str:
        fields = list(table.by_number.values())
        if "s" in self.flags:
            fields.sort(key=self.name)
        elif "a" in self.flags:  # as in protobuf: fields that are set in the order of numbers, then the others
            return self._groups(fields) + "".join(map(self._absent, table.fields))
        return self._groups(fields)

    def _groups(self, fields: list[Field]) -> str:
        text = ""
        for oneof, group in groupby(fields, key=lambda field: field.oneof):
            members = list(group)
            text += self._oneof(members) if oneof else "".join(map(self._field, members))
        return text

    def _field(self, field: Field) -> str:
        if field.label == "map":
            return self._map(field) + self._empty(field, "{{}}")
        if field.label == "singular":
            if self._is_always_here(field):
                return code(ALWAYS, slot=field.slot, put=self._put(field))
            return code(SINGULAR, slot=field.slot, is_set=is_set(field), put=self._put(field))
        return self._list(field) + self._empty(field, "[]")

    def _list(self, field: Field) -> str:
        names = {"slot": field.slot, "name": self.name(field)}
        if field.is_message:
            return code(MESSAGES, full=str(MAX_CHUNKS), **names, **self._message(field))
        if field.kind in ("string", "bytes"):
            return code(LIST, put="put_strings" if field.kind == "string" else "put_bytes_list", texts="", **names)
        if field.kind == "float":
            return code(LIST, put="put_list", texts=", out.floats", **names)
        texts = self.bind(f"texts_{field.name}", scalars.list_printer(field, self.flags))
        return code(LIST, put="put_list", texts=f", {texts}", **names)

    def _empty(self, field: Field, empty: str) -> str:
        return code(EMPTY, name=self.name(field), empty=empty) if self._is_always_here(field) else ""

    def _is_always_here(self, field: Field) -> bool:
        """Return whether a field is printed in its place even if it is not set."""
        return "a" in self.flags and "s" in self.flags and not field.presence and not field.is_extension

    def _absent(self, field: Field) -> str:
        """Return code that prints a field if it is not set."""
        if field.presence or field.is_extension:
            return ""
        if field.label == "singular":
            return code(ABSENT, slot=field.slot, is_set=is_set(field), put=self._put(field))
        empty = "{{}}" if field.label == "map" else "[]"
        put = f"append(f'{{head}}\"{self.name(field)}\": {empty}')"
        return code(ABSENT, slot=field.slot, is_set="value", put=put)

    def _oneof(self, members: list[Field]) -> str:
        """Return code that prints consecutive members of one oneof."""
        return code(
            ONEOF,
            case_slot=members[0].case_slot,
            slot=members[0].slot,
            members="el".join(code(MEMBER, number=str(field.number), put=self._put(field)) for field in members),
        )

    def _map(self, field: Field) -> str:
        key, value = field.key, field.value
        assert key is not None and value is not None
        value = value.replace(name=field.name)  # names in the text are derived from it
        if key.kind == "string":
            entry = code(STRING_KEY, value=self._value(value, "{head}"))
        elif key.kind == "bool":
            entry = self._value(value, '{head}"{bool_text(key)}": ')
        else:
            entry = self._value(value, f'{{head}}"{{integer_text(key, "{key.kind}")}}": ')
        sort_key = ", key=str" if "s" in self.flags and key.kind not in ("string", "bool") else ""
        return code(MAP, slot=field.slot, full=str(MAX_CHUNKS), name=self.name(field), sort_key=sort_key, entry=entry)

    def _put(self, field: Field) -> str:
        """Return code that appends the name of a field and the value in the variable `value`."""
        head = f'{{head}}"{self.name(field)}": '
        if field.is_message:
            return code(f"$print(out, f'{head}', inner, $message, depth - 1)", **self._message(field))
        return self.scalar(field, head)

    def _value(self, field: Field, head: str) -> str:
        """Return code that appends `head` and the value of a map entry, which is in the variable `value`."""
        if field.kind == "message":
            return code(f"$print(out, f'{head}', element, $message, depth - 1)", **self._message(field))
        return self.scalar(field, head)

    def _message(self, field: Field) -> dict[str, str]:
        """Return code that prints a message, and code for its argument."""
        table = field.type.__table__
        cls, its_table = self.bind(f"cls_{field.name}", table.cls), self.bind(f"table_{field.name}", table)
        return {
            "print": self.source.call(self.what, table, field.name),
            "message": f"value if value.__class__ is {cls} else decoded_message(value, {its_table})",
        }

    def scalar(self, field: Field, head: str) -> str:
        """Return code that appends `head` and the scalar in the variable `value`."""
        if field.kind in ("string", "bytes"):
            return code(STRING if field.kind == "string" else BYTES, head=head, long=str(MAX_CHUNK_LENGTH))
        kind = KINDS[field.kind]
        if field.kind == "enum":
            cls = self.bind(f"enum_{field.name}", field.type)
            speller = scalars.enum_speller(field.type, self.flags)
            text = f"{self.bind(f'spell_{field.name}', speller)}(value, {cls})"
            if speller is scalars.enum_text:
                return f"append(f'{head}\"{{value._name_}}\"' if value.__class__ is {cls} else f'{head}{{{text}}}')\n"
        elif field.kind == "bool":
            text = '"true" if value is True else bool_text(value)'
        elif field.kind == "float":
            text = "out.floats([value], str())"
        elif field.kind == "double":
            text = "double_text(value)"
        else:
            low, high = kind.bounds or (0, 0)
            usual = f"value.__class__ is int and {low} <= value <= {high}"
            if field.kind not in scalars.QUOTED:
                text = f'value if {usual} else integer_text(value, "{field.kind}")'
            elif "u" in self.flags:
                text = f'unquoted_integer(value, "{field.kind}")'
            else:
                other = f'quoted_integer(value, "{field.kind}")'
                return f"""append(f'{head}"{{value}}"' if {usual} else f'{head}{{{other}}}')\n"""
        return f"append(f'{head}{{{text}}}')\n"


# --- after an error --------------------------------------------------------------------------------------------------


def raise_unprintable(out: Output, message: Any) -> None:
    """Raise the EncodeError for the first message, in the order of printing, that JSON cannot express.

    All values must be valid for their fields. Text that the search prints is discarded.
    """
    table = message.__table__
    message = decoded_message(message, table)
    if table.full_name == "google.protobuf.Any":
        if message.type_url or message.value:
            raise_unprintable(out, unpack_any(message, out))
    elif table.full_name in SPECIAL - WRAPPERS:
        out.chunks.clear()
        function(table, out.printer_name)(out, "", "", message, out.max_depth)
    else:
        extensions = table.current_set(message) if table.is_extendable else None
        for owner in (message, extensions) if extensions is not None else (message,):
            for field in owner.__table__.by_number.values():
                if (field.value or field).is_message:
                    _raise_unprintable_in(out, field, getattr(owner, field.name))


def _raise_unprintable_in(out: Output, field: Field, value: Any) -> None:
    """Raise the EncodeError for the first message in a field that JSON cannot express."""
    if field.label == "map":
        items = [(f"{field.name}[{quoted_key(key)}]", value[key]) for key in sorted(value)]
    elif field.label == "repeated":
        items = [(f"{field.shown_name}[{index}]", item) for index, item in enumerate(value)]
    else:
        items = [(field.shown_name, value)] if value is not None else []
    for segment, item in items:
        try:
            raise_unprintable(out, item)
        except EncodeError as error:
            raise error.within(segment) from None
