"""Generate the functions of protobuf-style messages: `create`, `wrap` and `unwrap`.

    create() -> message              a new message without fields
    wrap(message) -> message         a protobuf-style copy of a dataclass
    unwrap(message) -> message       a dataclass copy of a protobuf-style message

Copies share no lists, maps and messages with the original. `wrap` and `create` belong to the protobuf-style class,
`unwrap` too. All take about as long as the generated `copy` of `pbwire.codec.copy`.
"""

from __future__ import annotations

from typing import Any

from ...codec.codegen import Source, code, default_assignments
from ...descriptor import Field, Table
from ...lazy.messages import decode_with_maps

CREATE = """
def create():
    message = new(cls)
    $fields
    message._unknown = b""
    return message
"""
CONVERT = """
def $name(message):
    if message.__class__ is not cls:
        message = decoded(message, cls)
    $maps
    copied = new(other)
    $fields
    $extensions
    copied._unknown = message._unknown
    return copied
"""
EXTENSIONS = """
copied._extensions = convert_extensions(message)
"""
MAP = """
if message.$slot.__class__ is PENDING:
    decode_with_maps(message)
"""
SCALAR = """
copied.$slot = $value
"""
OPTIONAL = """
value = message.$source
copied.$slot = value if value is None else $value
"""
ONEOF = """
copied.$case_slot = case = message.$case_source
value = message.$source
$members
copied.$slot = value
"""
MEMBER = """
if case == $number:
    value = $value
"""


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "create", "wrap" or "unwrap" of a protobuf-style class."""
    source.names.update(new=object.__new__)
    if what == "create":
        source.bind("cls", table.cls)
        source.text = code(CREATE, fields=default_assignments(source, table.slots, "message.{}".format))
        return
    dataclass_table: Table = table.dataclass.__table__  # type: ignore[attr-defined]  # a CompatTable
    tables = (dataclass_table, table) if what == "wrap" else (table, dataclass_table)
    source.names.update(cls=tables[0].cls, other=tables[1].cls, decoded=_decoded, decode_with_maps=decode_with_maps)
    pairs = [(tables[0].by_number[number], tables[1].by_number[number]) for number in table.by_number]
    maps = "".join(code(MAP, slot=old.slot) for old, _ in pairs if old.label == "map") if what == "wrap" else ""
    text = "".join(_field(source, what, old, new) for old, new in pairs if not old.oneof)
    for members in table.oneofs.values():
        text += _oneof(source, what, [(tables[0].by_number[m.number], tables[1].by_number[m.number]) for m in members])
    text += default_assignments(source, tables[1].extra_slots, "copied.{}".format)
    extensions = ""
    if table.is_extendable:
        source.bind("convert_extensions", getattr(table, f"{what}_extensions"))
        extensions = EXTENSIONS
    source.text = code(CONVERT, name=what, maps=maps, fields=text, extensions=extensions)


def _field(source: Source, what: str, old: Field, new: Field) -> str:
    names = {"source": old.slot, "slot": new.slot}
    element = _value(source, what, new.value or new, old.value or old, new.name, "item")
    if new.label == "singular":
        value = _value(source, what, new, old, new.name, "value")
        if value == "value":
            return code(SCALAR, slot=new.slot, value=f"message.{old.slot}")
        return code(OPTIONAL, value=value, **names)
    if new.label == "repeated":
        return code(OPTIONAL, value="list(value)" if element == "item" else f"[{element} for item in value]", **names)
    copy = "dict(value)" if element == "item" else f"{{key: {element} for key, item in value.items()}}"
    return code(OPTIONAL, value=copy, **names)


def _oneof(source: Source, what: str, pairs: list[tuple[Field, Field]]) -> str:
    members = []
    for old, new in pairs:
        value = _value(source, what, new, old, new.name, "value")
        if value != "value":
            members.append(code(MEMBER, number=str(new.number), value=value))
    old, new = pairs[0]
    return code(
        ONEOF,
        slot=new.slot,
        case_slot=new.case_slot,
        source=old.slot,
        case_source=old.case_slot,
        members="el".join(members),
    )


def _value(source: Source, what: str, new: Field, old: Field, hint: str, variable: str) -> str:
    """Return the expression that converts the value of one element; the variable itself if nothing is to be done."""
    if new.is_message:
        table = new.type.__table__ if what == "wrap" else old.type.__table__
        return f"{source.call(what, table, hint)}({variable})"
    if new.kind == "enum":
        numbers = source.bind(f"numbers_{hint}", new.type.__numbers__)
        return f"{numbers}.get({variable}, {variable})"
    if new.kind == "bytes" and what == "wrap":
        source.bind("bytes", bytes)
        return f"bytes({variable})"
    return variable


def _decoded(message: Any, cls: Any) -> Any:
    """Return the dataclass message that `message`, an undecoded one or an instance of a subclass, stands for."""
    if not isinstance(message, cls):
        raise TypeError(f"expected a {cls.__name__}, got {type(message).__name__}")
    decode_with_maps(message)
    return message
