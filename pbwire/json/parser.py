"""Generate the JSON reader of a message class.

    read_json(options, document, depth, message=None) -> message

reads a document that `json.loads` returned into `message`, or into a new message, and returns the message. Scalars,
lists and maps are replaced, sub-messages are read into existing ones, and null makes a field absent. `depth` is the
number of messages that may still be nested, this one included.

As in decoders, values are collected in local variables and stored at the end. The code itself converts the simplest
form of a value. For all other forms it calls a function of `scalars`, which raises JsonError without a path.
`locate_error` adds a segment to the path on every level.
"""

from __future__ import annotations

from ..codec.codegen import Source, branches, code, default_assignments, local_name
from ..codec.hash_flooding import MIN_WATCHED_ENTRIES
from ..descriptor import KINDS, Field, Table
from ..lazy.messages import decode_with_maps
from . import scalars
from .field_lookup import (
    FAULTS,
    SPECIAL,
    WRAPPERS,
    FieldNames,
    clear_nulls,
    expect_list,
    expect_object,
    locate_error,
    names_extension,
    read_extended,
    refuse_depth,
    refuse_repeated_key,
    watch_key,
)
from .wellknown import READERS

READER = """
def read_json(options, document, depth, message=None):
    name = subscript = None
    try:
        if depth < 1:
            refuse_depth(options)
        if document.__class__ is not dict:
            expect_object(document, table)
        $extended
        $oneofs
        if message is None:
            $defaults
        else:
            clear_nulls(message, document, names)
            decode_with_maps(message)
            $present
        for name, value in document.items():
            number = find_number(name)
            if number is None:
                number = names.find_original(options, name, document)
            if value is None$unless_takes_null:
                continue
            $fields
    except FAULTS as error:
        raise locate_error(error, names, name, subscript) from None
    if message is None:
        message = new(cls)
        message._unknown = b''
    $stores
    return message
"""
EXTENDED = """
if names_extension(document):
    return read_extended(read_json, options, document, depth, message, table)
"""
SPECIAL_READER = """
def read_json(options, document, depth, message=None):
    if depth < 1:
        refuse_depth(options)
    return read(options, document, depth, table, message)
"""
WRAPPER_READER = """
def read_json(options, document, depth, message=None):
    if depth < 1:
        refuse_depth(options)
    message = message or cls()
    message.value = read(document)
    return message
"""
STRING = """
if value.__class__ is not str or not value.isascii():
    value = read_string(value)
"""
INTEGER = """
if value.__class__ is not int or not $low <= value <= $high:
    value = $read(value)
"""
ENUM = """
member = $members(value) if value.__class__ is str else None
value = read_enum(value, $cls, options.ignore_unknown) if member is None else member
if value is not None:
    $keep
"""
MEMBER = """
if $set:
    names.refuse_second_member($set)
$set = number
$read
"""
LIST = "$target = $read(value if value.__class__ is list else expect_list(value))\n"
ELEMENTS = """
elements = value if value.__class__ is list else expect_list(value)
$target = []
for subscript, value in enumerate(elements):
    $read
subscript = None
"""
MAP = """
if value.__class__ is not dict:
    expect_object(value, None)
$target = {}
watch = None
for subscript, value in value.items():
    $key
    $read
subscript = None
"""
STRING_KEY = "key = subscript if subscript.__class__ is str and subscript.isascii() else $read(subscript)"
OTHER_KEY = """
key = $read(subscript)
if key in $target:
    refuse_repeated_key(key)
if len($target) > MIN_WATCHED_ENTRIES:
    watch = watch_key(watch, $target, key)
"""


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "read_json" of a class."""
    source.names.update(cls=table.cls, refuse_depth=refuse_depth, table=table)
    if table.full_name in WRAPPERS:
        source.bind("read", scalars.SCALARS[table.by_name["value"].kind])
        source.text = code(WRAPPER_READER)
    elif table.full_name in SPECIAL:
        source.bind("read", READERS[table.full_name])
        source.text = code(SPECIAL_READER)
    else:
        source.text = _Writer(source, table).reader()


def takes_null(field: Field) -> bool:
    """Return whether null is a value of the field. For other fields, null means that the field is absent."""
    if field.label != "singular":
        return False
    if field.kind == "enum":
        return bool(field.type.__full_name__ == "google.protobuf.NullValue")
    return field.kind == "message" and field.type.__table__.full_name == "google.protobuf.Value"


class _Writer:
    def __init__(self, source: Source, table: Table) -> None:
        self.source = source
        self.bind = source.bind
        self.table = table
        names = FieldNames(table)
        source.names.update(
            FAULTS=FAULTS,
            MIN_WATCHED_ENTRIES=MIN_WATCHED_ENTRIES,
            clear_nulls=clear_nulls,
            cls=table.cls,
            decode_with_maps=decode_with_maps,
            expect_list=expect_list,
            expect_object=expect_object,
            find_number=names.numbers.get,
            locate_error=locate_error,
            names=names,
            new=object.__new__,
            read_enum=scalars.read_enum,
            read_string=scalars.SCALARS["string"],
            refuse_repeated_key=refuse_repeated_key,
            watch_key=watch_key,
        )

    def reader(self) -> str:
        if self.table.is_extendable:
            self.bind("names_extension", names_extension)
            self.bind("read_extended", read_extended)
        slots = self.table.slots
        present = "".join(f"{local_name(slot)} = message.{slot}\n" for slot in slots)
        nullable = [field.number for field in self.table.fields if takes_null(field)]
        fields = sorted(self.table.by_number.items())
        return code(
            READER,
            extended=EXTENDED if self.table.is_extendable else "",
            oneofs="".join(f"set_{oneof} = 0\n" for oneof in self.table.oneofs),
            defaults=default_assignments(self.source, slots) or "pass",
            present=present or "pass",
            unless_takes_null=f" and number not in {tuple(nullable)}" if nullable else "",
            fields=branches("number", [(number, self._field(field)) for number, field in fields]) if fields else "",
            stores="".join(f"message.{slot} = {local_name(slot)}\n" for slot in slots),
        )

    def _field(self, field: Field) -> str:
        """Return code that converts `value`, which is not null, and stores it."""
        target = local_name(field.slot)
        if field.label == "map":
            return self._map(field, target)
        if field.label == "repeated":
            return self._list(field, target)
        if not field.oneof:
            return self._read(field, self._store(field), into=target)
        case = local_name(field.case_slot)
        into = f"{target} if {case} == {field.number} else None"
        return code(MEMBER, set=f"set_{field.oneof}", read=self._read(field, self._store(field), into))

    def _store(self, field: Field) -> str:
        """Return code that stores the converted `value` of a singular field."""
        case = f"{local_name(field.case_slot)} = {field.number}\n" if field.oneof else ""
        return f"{case}{local_name(field.slot)} = value"

    def _list(self, field: Field, target: str) -> str:
        if field.kind not in ("message", "group", "enum"):
            return code(LIST, target=target, read=self.bind(f"read_list_{field.name}", scalars.list_reader(field)))
        return code(ELEMENTS, target=target, read=self._read(field, f"{target}.append(value)"))

    def _map(self, field: Field, target: str) -> str:
        assert field.key is not None and field.value is not None
        read_key = self.bind(f"read_key_{field.key.kind}", scalars.KEYS[field.key.kind])
        key = code(STRING_KEY if field.key.kind == "string" else OTHER_KEY, read=read_key, target=target)
        value = field.value.replace(name=field.name)  # names in the text are derived from it
        return code(MAP, target=target, key=key, read=self._read(value, f"{target}[key] = value"))

    def _read(self, field: Field, keep: str, into: str = "") -> str:
        """Return code that converts `value` and stores it with the code `keep`.

        `into` is code for the existing message into which a message is read; "" for a new one.
        """
        kind = KINDS[field.kind]
        if field.kind == "enum":
            cls = self.bind(f"enum_{field.name}", field.type)
            members = self.bind(f"members_{field.name}", dict(field.type.__json_members__).get)
            return code(ENUM, members=members, cls=cls, keep=keep)
        if field.is_message:
            read = self.source.call("read_json", field.type.__table__, field.name)
            return f"value = {read}(options, value, depth - 1{into and ', ' + into})\n{keep}\n"
        read = self.bind(f"read_{field.kind}", scalars.SCALARS[field.kind])
        if field.kind == "string":
            return code(STRING) + f"{keep}\n"
        if kind.bounds:
            low, high = kind.bounds
            return code(INTEGER, low=str(low), high=str(high), read=read) + f"{keep}\n"
        return f"value = {read}(value)\n{keep}\n"
