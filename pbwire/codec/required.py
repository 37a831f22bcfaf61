"""Generate the function that finds out whether required fields are missing, and name those that are.

    lacks_required(message) -> bool

visits only the sub-messages that may have required fields, at any depth. `check_required` and `missing_fields` then
visit all sub-messages, which takes longer, to name the fields.

Extensions may have required fields, and may be registered at any time. So all messages with extensions are visited, and
the function for their extensions is looked up on each call.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..descriptor import Field, Table
from ..errors import EncodeError
from ..lazy.messages import decode_with_maps
from .codegen import Source, code, function
from .validation import elements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LACKS_REQUIRED = """
def lacks_required(message):
    $fields
    $extensions
    return False
"""
REQUIRED = """
if message.$slot is None:
    return True
"""
MESSAGE = """
value = message.$slot
if $is_set and $lacks(value):
    return True
"""
MESSAGES = """
values = message.$slot
if values:
    for value in values:
        if $lacks(value):
            return True
"""
MAP = """
if message.$slot.__class__ is PENDING:
    decode_with_maps(message)
values = message.$slot
if values:
    for value in values.values():
        if $lacks(value):
            return True
"""
EXTENSIONS = """
if message._extensions is not None or message._unknown:
    extensions = current_set(message)
    if extensions is not None and function(extensions.__table__, "lacks_required")(extensions):
        return True
"""


def check_required(message: Any) -> None:
    """Raise an EncodeError that names all missing required fields, if there are any."""
    if function(message.__table__, "lacks_required")(message):
        missing = ", ".join(_missing_fields(message, ""))
        raise EncodeError(f"required and missing: {missing}", path=message.__table__.cls.__name__)


def _missing_fields(message: Any, path: str) -> Iterator[str]:
    for field in message.__table__.by_number.values():
        value = getattr(message, field.name)
        if field.required and value is None:
            yield path + field.shown_name
        if value and (field.value or field).is_message:
            for segment, item in elements(field, value):
                yield from _missing_fields(item, f"{path}{segment}.")
    table = message.__table__
    if table.is_extendable and (extensions := table.current_set(message)) is not None:
        yield from _missing_fields(extensions, path.removesuffix("."))


def write(source: Source, table: Table, what: str) -> None:
    """Write the function "lacks_required" of a class."""
    source.names.update(decode_with_maps=decode_with_maps, function=function)
    extensions = ""
    if table.is_extendable:
        source.bind("current_set", table.current_set)  # type: ignore[attr-defined]  # a table with extensions
        extensions = EXTENSIONS
    fields = "".join(_field(source, field) for field in table.by_number.values())
    source.text = code(LACKS_REQUIRED, fields=fields, extensions=extensions)


def _field(source: Source, field: Field) -> str:
    text = code(REQUIRED, slot=field.slot) if field.required else ""
    part = field.value or field
    if not part.is_message or not part.type.__table__.may_lack_fields:
        return text
    lacks = source.call("lacks_required", part.type.__table__, field.name)
    is_set = f"message.{field.case_slot} == {field.number}" if field.oneof else "value is not None"
    template = {"map": MAP, "repeated": MESSAGES, "singular": MESSAGE}[field.label]
    return text + code(template, slot=field.slot, lacks=lacks, is_set=is_set)
