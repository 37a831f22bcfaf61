"""Handmade wire bytes, valid and invalid: one table for every test that needs unusual input.

    CASES      name -> Case(class, bytes); pbwire's verdict must be that of upb, Google's C implementation
    WHERE_WE_DIFFER   the same, each with the reason for a different verdict or result
    PREFIXES   every strict prefix of small messages

upb's verdicts are not recorded here: the tests run it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pbwire.table import Message, table_of
from tests.support import samples
from tests.support.samples import (
    Choice,
    ClosedEnums,
    Empty,
    Groups,
    Leaf,
    Leaf2,
    Maps,
    Nesting,
    Optionals,
    Proto2,
    Recursive,
    Repeated,
    Required,
    Scalars,
    Unpacked,
    Wide,
)
from tests.support.wire_bytes import (
    END,
    FIXED32,
    FIXED64,
    LENGTH,
    START,
    VARINT,
    fixed32,
    fixed64,
    group,
    ld,
    nested,
    number,
    tag,
    varint,
)
from tfmodel.messages import AttrValue, GraphDef, NodeDef, TensorProto, TensorShapeProto

__all__ = ["CASES", "PREFIXES", "WHERE_WE_DIFFER", "Case"]


class Case(NamedTuple):
    """Bytes, and the class of their message. `why` is the reason for a difference from upb, if any."""

    cls: type[Message]
    data: bytes
    why: str = ""


CASES: dict[str, Case] = {}
WHERE_WE_DIFFER: dict[str, Case] = {}
PREFIXES: dict[str, Case] = {}


def case(name: str, cls: type[Message], *parts: bytes) -> None:
    assert name not in CASES, name
    CASES[name] = Case(cls, b"".join(parts))


def differs(name: str, why: str, cls: type[Message], *parts: bytes) -> None:
    assert name not in WHERE_WE_DIFFER, name
    WHERE_WE_DIFFER[name] = Case(cls, b"".join(parts), why)


def numbers_of(cls: type[Message], prefix: str = "a_") -> dict[str, int]:
    """Return field numbers by the rest of the name behind a prefix: a kind, "mood", "leaf"."""
    return {f.name.removeprefix(prefix): f.number for f in table_of(cls).fields if f.name.startswith(prefix)}


SCALARS, REPEATED, UNPACKED = numbers_of(Scalars), numbers_of(Repeated), numbers_of(Unpacked)
KEYS, VALUES = numbers_of(Maps, "by_"), numbers_of(Maps, "of_")
VARINT_KINDS = ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "mood")
FIXED32_KINDS = ("float", "fixed32", "sfixed32")
FIXED64_KINDS = ("double", "fixed64", "sfixed64")
WIRE_TYPES = {
    **dict.fromkeys(VARINT_KINDS, VARINT),
    **dict.fromkeys(FIXED32_KINDS, FIXED32),
    **dict.fromkeys(FIXED64_KINDS, FIXED64),
    **dict.fromkeys(("string", "bytes", "leaf"), LENGTH),
}
ONE = {VARINT: b"\x01", FIXED64: b"\x01" + bytes(7), LENGTH: b"\x00", FIXED32: b"\x01" + bytes(3)}

STRANGER = 7_777  # a field number that the samples do not use
UNKNOWN = number(STRANGER, 5)


def payload(field: int, wire_type: int) -> bytes:
    """Return bytes that may follow the tag of a field with that wire type."""
    return tag(field, END) if wire_type == START else ONE[wire_type]


def any_field(field: int, wire_type: int) -> bytes:
    return tag(field, wire_type) + payload(field, wire_type)


# --- nothing, and nothing but unknown fields ---------------------------------------------------------------------

for name in samples.__all__:
    if isinstance(cls := getattr(samples, name), type) and issubclass(cls, Message):
        case(f"empty {name}", cls)
        case(
            f"{name} of unknown fields",
            cls,
            *(any_field(STRANGER, w) for w in (VARINT, LENGTH, START, FIXED32, FIXED64)),
        )
case("empty GraphDef", GraphDef)
case("empty AttrValue", AttrValue)

# --- varints -----------------------------------------------------------------------------------------------------

VARINTS = {
    "zero": b"\x00",
    "zero in two bytes": b"\x80\x00",
    "zero in ten bytes": varint(0, size=10),
    "one in five bytes": varint(1, size=5),
    "one in six bytes": varint(1, size=6),
    "one in ten bytes": varint(1, size=10),
    "one in eleven bytes": varint(1, size=11),
    "one in twelve bytes": varint(1, size=12),
    "150": varint(150),
    "150 in three bytes": varint(150, size=3),
    "2**31 - 1": varint(2**31 - 1),
    "2**31": varint(2**31),
    "-1 in five bytes": varint(2**32 - 1),
    "-1 in ten bytes": varint(-1),
    "-1 in eleven bytes": b"\xff" * 10 + b"\x01",
    "-2**31 in ten bytes": varint(-(2**31)),
    "bit 32": varint(2**32),
    "bit 32 and one": varint(2**32 + 1),
    "33 bits": varint(2**33 - 1),
    "2**63": varint(2**63),
    "-2**63 + 1": varint(2**63 + 1),
    "bit 64": b"\x80" * 9 + b"\x02",
    "bit 64 and one": b"\x81" + b"\x80" * 8 + b"\x02",
    "65 bits": b"\xff" * 9 + b"\x03",
    "70 bits": b"\xff" * 9 + b"\x7f",
    "ten bytes and no end": b"\xff" * 10,
    "one byte and no end": b"\x80",
    "nine bytes and no end": b"\x80" * 9,
}
for name, data in VARINTS.items():
    case(f"unknown field: {name}", Empty, tag(1, VARINT), data)
    for kind in VARINT_KINDS:
        case(f"{kind}: {name}", Scalars, tag(SCALARS[kind], VARINT), data)
        case(f"packed {kind}: 1 and {name}", Repeated, ld(REPEATED[kind], b"\x01", data))
        case(f"unpacked {kind}: {name}", Repeated, tag(REPEATED[kind], VARINT), data)
for name in (
    "150 in three bytes",
    "-1 in five bytes",
    "-1 in ten bytes",
    "bit 32 and one",
    "70 bits",
    "one in eleven bytes",
):
    for kind in ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool"):
        entry = tag(1, VARINT) + VARINTS[name] + ld(2, b"v")
        case(f"map key {kind}: {name}", Maps, ld(KEYS[kind], entry))
        case(f"map value {kind}: {name}", Maps, ld(VALUES[kind], ld(1, b"k"), tag(2, VARINT), VARINTS[name]))
for name in ("zero", "-1 in five bytes", "70 bits", "bit 64"):
    for kind in ("int32", "uint64", "bool", "mood"):
        case(f"optional {kind}: {name}", Optionals, tag(SCALARS[kind], VARINT), VARINTS[name])

case("a number and then nothing", Scalars, number(3, 1), tag(4, VARINT))
case("int32 overwritten by explicit zero", Scalars, number(3, 7), number(3, 0))
case("optional int32 overwritten by explicit zero", Optionals, number(3, 7), number(3, 0))
case("bool overwritten by explicit false", Scalars, number(13, 1), number(13, 0))
case("string overwritten by the empty one", Scalars, ld(14, b"a"), ld(14))
case("the last of three values wins", Scalars, number(3, 1), number(3, 2), number(4, 9), number(3, 3))

# --- tags --------------------------------------------------------------------------------------------------------

for size in range(1, 12):
    case(f"tag of {size} bytes, known", Scalars, tag(4, VARINT, size=size), b"\x05")
    case(f"tag of {size} bytes, unknown", Empty, tag(4, VARINT, size=size), b"\x05")
for size in (2, 5, 6):
    case(f"tag of {size} bytes in a sub-message", Scalars, ld(17, tag(1, VARINT, size=size), b"\x05"))
    case(f"tag of {size} bytes of a sub-message", Scalars, tag(17, LENGTH, size=size), b"\x02", number(1, 5))
    case(f"tag of {size} bytes in a map entry", Maps, ld(1, tag(1, VARINT, size=size), b"\x05", ld(2, b"v")))
    case(f"tag of {size} bytes of a map entry", Maps, tag(1, LENGTH, size=size), b"\x00")
    case(f"tag of {size} bytes of a packed field", Repeated, tag(3, LENGTH, size=size), b"\x01\x07")
    case(f"tag of {size} bytes in an unknown group", Empty, group(1, tag(2, VARINT, size=size), b"\x05"))
    case(f"start tag of {size} bytes", Groups, tag(1, START, size=size), tag(1, END))
    case(f"end tag of {size} bytes", Groups, tag(1, START), tag(1, END, size=size))
    case(f"end tag of {size} bytes, unknown group", Empty, tag(1, START), tag(1, END, size=size))
for bits in (31, 32, 33, 34, 40, 63):
    case(f"tag with bit {bits}, known", Scalars, varint(4 << 3 | 1 << bits), b"\x05")
    case(f"tag with bit {bits}, unknown", Empty, varint(4 << 3 | 1 << bits), b"\x05")
case("tag of ten bytes with bit 64", Scalars, b"\xa0" + b"\x80" * 8 + b"\x02", b"\x05")
case("tag of five bytes with all bits", Scalars, b"\xa0\x80\x80\x80\x7f", b"\x05")
case("tag cut after one byte", Wide, b"\x82")
case("tag cut after four bytes", Wide, b"\xf8\xff\xff\xff")
case("last field number, known", Wide, number(2**29 - 1, 5))
case("last field number, unknown", Empty, number(2**29 - 1, 5))
case("field number 2**29", Empty, number(2**29, 5))
case("field number 2**29 + 1", Scalars, number(2**29 + 1, 5))
case("field number 2**32", Empty, number(2**32, 5))
case("field numbers where tags grow", Wide, number(1, 1), ld(15, b"a"), number(16, 1), ld(2047, b"\x01"), ld(2048))
case("reserved field number 19000", Empty, number(19000, 5))
for wire_type in range(8):
    case(f"field number 0 of wire type {wire_type}", Scalars, bytes([wire_type]), bytes(12))
    case(f"field number 0 in two bytes of wire type {wire_type}", Empty, bytes([wire_type | 128, 0]), bytes(12))
case("field number 0 at the end", Scalars, number(3, 1), b"\x00")
case("field number 0 in a sub-message", Scalars, ld(17, b"\x00\x00"))
case("field number 0 in a map entry", Maps, ld(1, number(1, 1), b"\x00\x00"))
case("field number 0 in a group", Groups, group(1, b"\x00\x00"))
case("field number 0 in an unknown group", Empty, group(1, b"\x00\x00"))
case("group of field number 0", Empty, b"\x03\x04")

# --- lengths -----------------------------------------------------------------------------------------------------

LENGTHS = {
    "in two bytes": varint(2, size=2),
    "in five bytes": varint(2, size=5),
    "in six bytes": varint(2, size=6),
    "in ten bytes": varint(2, size=10),
    "in eleven bytes": varint(2, size=11),
    "with bit 64": b"\x82" + b"\x80" * 8 + b"\x02",
    "one too long": varint(3),
    "one too short": varint(1),
    "2**31 - 1": varint(2**31 - 1),
    "2**31": varint(2**31),
    "2**31 + 2": varint(2**31 + 2),
    "2**32 - 1": varint(2**32 - 1),
    "2**32": varint(2**32),
    "2**32 + 2": varint(2**32 + 2),
    "2**63 - 1": varint(2**63 - 1),
    "2**63": varint(2**63),
    "2**63 + 2": varint(2**63 + 2),
    "2**64 - 1": varint(2**64 - 1),
    "2**64 - 2": varint(2**64 - 2),
    "cut": b"\x82",
}
LENGTH_PLACES = {
    "string": (Scalars, 14),
    "bytes": (Scalars, 15),
    "message": (Scalars, 17),
    "repeated string": (Repeated, 14),
    "repeated message": (Repeated, 17),
    "packed int32": (Repeated, 3),
    "packed bool": (Repeated, 13),
    "map": (Maps, 1),
    "unknown": (Empty, 1),
}
for name, data in LENGTHS.items():
    for place, (cls, field) in LENGTH_PLACES.items():
        case(f"length {name}: {place}", cls, tag(field, LENGTH), data, number(1, 1))
case(
    "string past the end of its message, inside the input",
    Scalars,
    ld(17, tag(2, LENGTH), b"\x03", b"ab"),
    ld(14, b"cdef"),
)
case("message past the end of its message", Scalars, ld(17, tag(4, LENGTH), b"\x02", b"\x08"), number(3, 1))
case("packed past the end of its message", Scalars, ld(17, tag(3, LENGTH), b"\x02\x01"), number(3, 1))
case("fixed32 past the end of its message", Recursive, ld(2, tag(9, FIXED32), b"\x00\x00"), UNKNOWN)
case("varint past the end of its message", Scalars, ld(17, tag(1, VARINT), b"\x80"), number(3, 1))
case("tag past the end of its message", Scalars, ld(17, b"\x88"), number(3, 1))
case("length past the end of its message", Scalars, ld(17, tag(2, LENGTH), b"\x80"), number(3, 1))
case("unknown bytes past the end of their message", Scalars, ld(17, tag(9, LENGTH), b"\x03ab"), ld(14, b"cdef"))
case("map value past the end of its entry", Maps, ld(12, ld(1, b"k"), tag(2, LENGTH), b"\x03ab"), ld(12, b""))
case("varint past the end of its packed run", Repeated, ld(3, b"\x01\x80"), number(4, 1))
case("fixed64 past the end of the input", Scalars, tag(1, FIXED64), bytes(7))
case("fixed32 past the end of the input", Scalars, tag(2, FIXED32), bytes(3))
for kind in FIXED64_KINDS + FIXED32_KINDS:
    width = 8 if kind in FIXED64_KINDS else 4
    case(f"{kind} cut by one byte", Scalars, tag(SCALARS[kind], WIRE_TYPES[kind]), bytes(width - 1))
    case(f"{kind} without a byte", Scalars, tag(SCALARS[kind], WIRE_TYPES[kind]))

# --- wire types --------------------------------------------------------------------------------------------------

for kind, own in WIRE_TYPES.items():
    for wire_type in (VARINT, FIXED64, LENGTH, START, FIXED32):
        if wire_type != own:
            case(f"{kind} as wire type {wire_type}", Scalars, any_field(SCALARS[kind], wire_type), number(30, 1))
            if kind in UNPACKED and wire_type != LENGTH:
                case(f"unpacked {kind} as wire type {wire_type}", Unpacked, any_field(UNPACKED[kind], wire_type))
            if wire_type != LENGTH:
                case(f"repeated {kind} as wire type {wire_type}", Repeated, any_field(REPEATED[kind], wire_type))
    for wire_type in (END, 6, 7):
        case(f"{kind} as wire type {wire_type}", Scalars, tag(SCALARS[kind], wire_type), bytes(8))
for wire_type in (VARINT, FIXED64, START, FIXED32, END, 6, 7):
    value = b"" if wire_type in (END, 6, 7) else payload(5, wire_type)
    case(f"message as wire type {wire_type}", Recursive, ld(2, number(1, 1)), tag(5, wire_type), value)
    case(f"unknown of wire type {wire_type}, cut", Empty, tag(5, wire_type), value[:-1])
    if wire_type != END:
        case(f"map as wire type {wire_type}", Maps, ld(5, number(1, 1)), tag(5, wire_type), value)
for wire_type in (VARINT, FIXED64, LENGTH, FIXED32):
    case(f"group as wire type {wire_type}", Groups, group(1, number(1, 1)), tag(1, wire_type), ONE[wire_type])
case("known, then as another wire type, then known again", Scalars, number(3, 1), ld(3, b"\x02"), number(4, 5))
case("oneof member as another wire type leaves the other set", Choice, number(2, 1), number(7, 2))
case("oneof message as a group leaves the other set", Choice, number(2, 1), group(12, number(1, 1)))
case("wire type 6 in an unknown group", Empty, group(1, tag(2, 6)))
case("wire type 7 in a sub-message", Scalars, ld(17, tag(1, 7)))

# --- packed and unpacked -----------------------------------------------------------------------------------------

for kind in UNPACKED:
    one = ONE[WIRE_TYPES[kind]]
    plain = tag(REPEATED[kind], WIRE_TYPES[kind]) + one
    for cls in (Repeated, Unpacked):
        case(f"{cls.__name__} {kind}: not packed", cls, plain, plain)
        case(f"{cls.__name__} {kind}: packed", cls, ld(REPEATED[kind], one, one))
        case(
            f"{cls.__name__} {kind}: both",
            cls,
            plain,
            ld(REPEATED[kind], one, one),
            UNKNOWN,
            plain,
            ld(REPEATED[kind], one),
        )
    case(f"packed {kind}: empty", Repeated, ld(REPEATED[kind]))
    case(
        f"packed {kind}: empty and then not", Repeated, ld(REPEATED[kind]), ld(REPEATED[kind], one), ld(REPEATED[kind])
    )
    case(f"packed {kind}: partial", Repeated, ld(REPEATED[kind], one, one[:-1] or b"\x80"))
    case(f"packed {kind}: nothing but partial", Repeated, ld(REPEATED[kind], one[:-1] or b"\x80"))
case("packed floats, one byte too many", Repeated, ld(2, bytes(9)))
case("packed doubles, four bytes too many", Repeated, ld(1, bytes(12)))
case("a thousand packed bytes", Repeated, ld(6, bytes(range(128)) * 8))
case("packed bools of many bytes", Repeated, ld(13, b"\x02\x80\x00\x80\x01", varint(-1), varint(2**32), varint(2**63)))
case("packed strings do not exist", Repeated, ld(14, b"\x01a\x01b"))
case("packed where one value stands", Scalars, ld(3, b"\x01\x02"))
case("packed in proto2, not declared so", Proto2, ld(53, b"\x01\x02"), number(53, 3))
case("unpacked in proto2, declared packed", Proto2, number(73, 1), ld(73, b"\x02\x03"))
case("packed in a oneof is unknown", Choice, ld(2, b"\x01"))

# --- groups ------------------------------------------------------------------------------------------------------

INNER = number(1, 7)
case("group", Groups, group(1, INNER))
case("group, empty", Groups, group(1))
case("group twice merges", Groups, group(1, INNER, group(2, ld(1, b"a"))), group(1, group(2, group(16))))
case("group twice, the second resets", Groups, group(1, INNER), group(1, number(1, 0)))
case("group with unknown fields", Groups, group(1, UNKNOWN, INNER, group(STRANGER, INNER)))
case("groups, repeated", Groups, group(2, INNER), group(2), group(2, ld(1, b"\x01\x02")))
case("group in a group in a group", Groups, group(1, group(2, group(16, ld(1, b"\x01\x03")))))
case("group around a message around a group", Groups, group(1, ld(3, group(1, INNER))))
case("group in a message", Groups, ld(4, group(1, INNER)))
case("group in a map value", Groups, ld(5, number(1, 1), ld(2, group(1, INNER))))
case("group in a oneof", Groups, group(6, ld(1, b"a")))
case("group in a oneof twice merges", Groups, group(6, ld(1, b"a")), group(6))
case("group in a oneof, replaced", Groups, group(6, ld(1, b"a")), number(7, 0))
case("group in a oneof, replaced and back", Groups, group(6, ld(1, b"a")), number(7, 0), group(6))
case("group, not closed", Groups, tag(1, START), INNER)
case("group, not closed in its message", Groups, ld(4, tag(1, START)), tag(1, END))
case("group closed by another's end", Groups, tag(1, START), INNER, tag(2, END))
case("group closed by its member's end", Groups, tag(1, START), tag(2, START), tag(1, END))
case("group closed in the wrong order", Groups, tag(1, START), tag(2, START), tag(1, END), tag(2, END))
case("group closed twice", Groups, group(1), tag(1, END))
case("group closed inside its sub-message", Groups, tag(1, START), ld(3, tag(1, END)), tag(1, END))
case("group cut inside its end tag", Groups, tag(1, START), group(2, tag(16, START), b"\x84"))
case("group cut inside a value", Groups, tag(1, START), tag(1, VARINT), b"\x80")
case("group whose value takes the end tag", Groups, tag(1, START), tag(1, VARINT), tag(1, END))
case("group, repeated, not closed", Groups, group(2), tag(2, START))
case("unknown group", Empty, group(1, INNER))
case("unknown group, empty", Empty, group(1))
case("unknown group around every wire type", Empty, group(1, *(any_field(9, w) for w in (0, 1, 2, 3, 5))))
case("unknown groups in one another", Empty, group(1, group(1, group(2)), group(3)))
case("unknown group, not closed", Empty, tag(1, START))
case("unknown group, not closed behind a field", Empty, tag(1, START), INNER)
case("unknown group closed by another's end", Empty, tag(1, START), tag(2, END))
case("unknown group whose member is closed by another's end", Empty, group(1, tag(2, START), tag(3, END)))
case("unknown groups closed in the wrong order", Empty, tag(1, START), tag(2, START), tag(1, END), tag(2, END))
case("unknown group closed twice", Empty, group(1), tag(1, END))
case("unknown group cut inside a field", Empty, tag(1, START), tag(2, LENGTH), b"\x05a", tag(1, END))
case("unknown group cut inside its end tag", Empty, tag(16, START), b"\x84")
case("unknown group closed in another message", Scalars, ld(17, tag(9, START)), tag(9, END))
case("unknown group around what would be a known field", Scalars, group(30, number(3, 1)))
case("unknown group around a varint of eleven bytes", Empty, group(1, tag(2, VARINT), varint(1, size=11)))
case("unknown group around bad UTF-8", Scalars, group(30, ld(14, b"\xff")))
case("end tag alone", Empty, tag(1, END))
case("end tag alone of a known field", Groups, tag(1, END))
case("end tag at the end", Scalars, number(3, 1), tag(1, END))
case("end tag at the beginning", Scalars, tag(1, END), number(3, 1))
case("end tag in a message", Scalars, ld(17, tag(1, END)))
case("end tag of its own number in a message", Scalars, ld(17, tag(17, END)))
case("end tag in a message in a group", Groups, group(1, ld(3, tag(3, END))))
case("end tag in a map entry", Maps, ld(1, number(1, 1), tag(1, END)))
case("end tag in a packed run is a number", Repeated, ld(3, tag(3, END)))
case("message as a group", Scalars, group(17, number(1, 1)))
case("message as a group, not closed", Scalars, tag(17, START), number(1, 1))
case("map as a group", Maps, group(1, number(1, 1)))
case("group as a message", Groups, ld(1, INNER))
case("oneof group as a message", Groups, number(7, 1), ld(6, ld(1, b"a")))

# --- UTF-8 -------------------------------------------------------------------------------------------------------

TEXTS = {
    "NUL": b"\x00",
    "two bytes": b"\xc3\xa9",
    "U+FFFF": b"\xef\xbf\xbf",
    "four bytes": b"\xf0\x9f\x98\x80",
    "the last character": b"\xf4\x8f\xbf\xbf",
    "a byte order mark": b"\xef\xbb\xbf",
    "FF": b"a\xff",
    "a lone continuation": b"\x80",
    "NUL in two bytes": b"\xc0\x80",
    "a slash in three bytes": b"\xe0\x80\xaf",
    "a surrogate": b"\xed\xa0\x80",
    "a pair of surrogates": b"\xed\xa0\xbd\xed\xb8\x80",
    "beyond the last character": b"\xf4\x90\x80\x80",
    "five bytes": b"\xf8\x88\x80\x80\x80",
    "cut": b"\xe2\x98",
    "cut before ASCII": b"\xe2\x98a",
}
for name, text in TEXTS.items():
    case(f"string: {name}", Scalars, ld(14, text))
    case(f"optional string: {name}", Optionals, ld(14, text))
    case(f"repeated string: {name}", Repeated, ld(14, b"a"), ld(14, text))
    case(f"oneof string: {name}", Choice, ld(7, text))
    case(f"map key: {name}", Maps, ld(12, ld(1, text), ld(2, b"v")))
    case(f"map value: {name}", Maps, ld(12, ld(1, b"k"), ld(2, text)))
    case(f"bytes: {name}", Scalars, ld(15, text))
    case(f"unknown: {name}", Empty, ld(1, text))
case("string cut by the end inside a character", Scalars, tag(14, LENGTH), b"\x02\xc3")
case("bad string overwritten by a good one", Scalars, ld(14, b"\xff"), ld(14, b"a"))
case("bad map key overwritten by a good one", Maps, ld(12, ld(1, b"\xff"), ld(1, b"k"), ld(2, b"v")))
case("bad oneof string overwritten by another member", Choice, ld(7, b"\xff"), number(2, 1))
case("bad string in a sub-message", Scalars, ld(17, ld(2, b"\xff")))
case("bad map key of a message", Maps, ld(29, ld(1, b"\xff"), ld(2)))
case("a character split over two strings", Repeated, ld(14, b"\xc3"), ld(14, b"\xa9"))
case("bytes in a map may be anything", Maps, ld(27, ld(1, b"k"), ld(2, b"\xff\xfe")))
WHY_UTF8 = (
    "proto2 strings are str here too, and str cannot hold it; upb gives bytes, Google's pure Python refuses as we do"
)
for name in ("FF", "a surrogate", "cut"):
    text = TEXTS[name]
    differs(f"proto2 string: {name}", WHY_UTF8, Proto2, ld(14, text))
    differs(f"proto2 repeated string: {name}", WHY_UTF8, Proto2, ld(64, text))
    differs(f"proto2 map value: {name}", WHY_UTF8, Proto2, ld(91, number(1, 1), ld(2, text)))
    differs(f"proto2 map key: {name}", WHY_UTF8, Proto2, ld(92, ld(1, text), ld(2)))
    differs(f"proto2 oneof string: {name}", WHY_UTF8, Proto2, ld(94, text))
case("proto2 string: four bytes", Proto2, ld(14, TEXTS["four bytes"]))

# --- maps --------------------------------------------------------------------------------------------------------

K, V = ld(1, b"k"), ld(2, b"v")
ENTRIES = {
    "plain": K + V,
    "empty": b"",
    "without value": K,
    "without key": V,
    "reversed": V + K,
    "with two keys": K + ld(1, b"j") + V,
    "with two values": K + V + ld(2, b"w"),
    "all twice, mixed": V + K + ld(2, b"w") + ld(1, b"j"),
    "with a key of zero length": ld(1) + V,
    "with an unknown field": K + V + UNKNOWN,
    "with an unknown field first": UNKNOWN + K + V,
    "with an unknown field between": K + UNKNOWN + V,
    "of an unknown field alone": UNKNOWN,
    "with field 3": K + V + number(3, 1),
    "with an unknown group": K + group(3, number(1, 1)) + V,
    "with a key of another wire type": number(1, 1) + V,
    "with a value of another wire type": K + number(2, 1),
    "with a key of two wire types": number(1, 1) + K + V,
    "with a value of two wire types": K + V + number(2, 1),
    "with a key as group": group(1) + V,
    "with a fixed32 value": K + fixed32(2, b"abcd"),
    "with a fixed64 value": K + fixed64(2, b"abcdefgh"),
    "with an end tag": K + V + tag(2, END),
    "with wire type 6": K + tag(2, 6),
    "cut in its key": K[:-1],
    "cut in its value": K + V[:-1],
    "cut behind a tag": K + V[:1],
    "with overlong tags": tag(1, LENGTH, size=3) + b"\x01k" + tag(2, LENGTH, size=5) + b"\x01v",
    "with overlong lengths": tag(1, LENGTH) + varint(1, size=10) + b"k" + tag(2, LENGTH) + varint(1, size=3) + b"v",
}
for name, data in ENTRIES.items():
    case(f"map entry {name}", Maps, ld(12, data))
    case(f"map entry {name}, and one more", Maps, ld(12, data), ld(12, ld(1, b"z"), V), UNKNOWN)
ONE_LEAF, MORE_LEAF = number(1, 5) + ld(3, b"\x01"), ld(2, b"t") + ld(3, b"\x02")
LEAF_ENTRIES = {
    "plain": K + ld(2, ONE_LEAF),
    "empty": b"",
    "without value": K,
    "without key": ld(2, ONE_LEAF),
    "reversed": ld(2, ONE_LEAF) + K,
    "with two values, which merge": K + ld(2, ONE_LEAF) + ld(2, MORE_LEAF),
    "with two values, the second resetting": K + ld(2, ONE_LEAF) + ld(2, number(1, 0)),
    "with a value of an unknown field": K + ld(2, UNKNOWN),
    "with an unknown field": K + ld(2, ONE_LEAF) + UNKNOWN,
    "with two values and an unknown field": K + ld(2, ONE_LEAF) + UNKNOWN + ld(2, MORE_LEAF),
    "with a value as group": K + group(2, ONE_LEAF),
    "with a damaged value": K + ld(2, b"\x08"),
    "with a damaged value that is overwritten": K + ld(2, b"\x08") + ld(2, ONE_LEAF),
}
for name, data in LEAF_ENTRIES.items():
    case(f"map of messages: entry {name}", Maps, ld(29, data))
case("map key twice", Maps, ld(12, K, V), ld(12, K, ld(2, b"w")))
case("map key twice, the second without value", Maps, ld(12, K, V), ld(12, K))
case("map key twice: messages do not merge", Maps, ld(29, K, ld(2, ONE_LEAF)), ld(29, K, ld(2, MORE_LEAF)))
case("map key twice, once explicit zero and once missing", Maps, ld(1, number(1, 0), V), ld(1, ld(2, b"w")))
case("map key twice in different bytes", Maps, ld(1, number(1, 1), V), ld(1, number(1, 1, size=5), ld(2, b"w")))
case("map key twice by truncation", Maps, ld(1, number(1, 1), V), ld(1, number(1, 2**32 + 1), ld(2, b"w")))
case("map key -1 in five and in ten bytes", Maps, ld(1, number(1, 2**32 - 1), V), ld(1, number(1, -1), ld(2, b"w")))
case("map keys true, 1 and 2", Maps, ld(11, number(1, 1), V), ld(11, number(1, 2), ld(2, b"w")))
case("map keys false and missing", Maps, ld(11, number(1, 0), V), ld(11, ld(2, b"w")))
case(
    "map entries apart from one another", Maps, ld(12, K, V), number(30, 1), ld(1, number(1, 1), V), ld(12, ld(1, b"j"))
)
case("map number as wire type of its value", Maps, tag(15, VARINT), b"\x01")
for kind, field in KEYS.items():
    wire_type = WIRE_TYPES[kind]
    case(f"map key {kind}", Maps, ld(field, tag(1, wire_type), payload(1, wire_type), V))
    case(f"map key {kind}: missing", Maps, ld(field, V))
    other = FIXED32 if wire_type != FIXED32 else VARINT
    case(f"map key {kind} of another wire type", Maps, ld(field, any_field(1, other), V))
for kind, field in VALUES.items():
    wire_type = WIRE_TYPES[kind]
    case(f"map value {kind}", Maps, ld(field, K, tag(2, wire_type), payload(2, wire_type)))
    case(f"map value {kind}: missing", Maps, ld(field, K))
    other = FIXED32 if wire_type != FIXED32 else VARINT
    case(f"map value {kind} of another wire type", Maps, ld(field, K, any_field(2, other)))
case("map value packed is not allowed", Maps, ld(15, K, ld(2, b"\x01")))
case("map of recursive messages, key twice", Recursive, ld(4, K, ld(2, number(1, 1))), ld(4, K, ld(2, ld(4, K))))

# --- oneofs ------------------------------------------------------------------------------------------------------

case("oneof overwritten", Choice, number(2, 1), ld(7, b"a"))
case("oneof overwritten by zero", Choice, ld(7, b"a"), number(2, 0))
case("oneof zero is present", Choice, number(2, 0))
case("oneof empty string is present", Choice, ld(7))
case("oneof empty message is present", Choice, ld(18))
case("oneof -0.0", Choice, fixed32(5, b"\x00\x00\x00\x80"))
case("oneof message twice merges", Choice, ld(12, ONE_LEAF), ld(12, MORE_LEAF))
case("oneof message twice, the second resetting", Choice, ld(12, ONE_LEAF), ld(12, number(1, 0)))
case("oneof message, another, the message again", Choice, ld(12, ONE_LEAF), number(2, 1), ld(12, MORE_LEAF))
case(
    "oneof message, another of the other oneof, the message again",
    Choice,
    ld(12, ONE_LEAF),
    ld(8, b"a"),
    ld(12, MORE_LEAF),
)
case("oneof message, another message, the first again", Choice, ld(12, ONE_LEAF), ld(17), ld(12, MORE_LEAF))
case("oneof message, an unknown field, the message again", Choice, ld(12, ONE_LEAF), UNKNOWN, ld(12, MORE_LEAF))
case(
    "oneof message, its number as varint, the message again", Choice, ld(12, ONE_LEAF), number(12, 1), ld(12, MORE_LEAF)
)
case(
    "oneof message, another as wrong type, the message again", Choice, ld(12, ONE_LEAF), ld(2, b"a"), ld(12, MORE_LEAF)
)
case("both oneofs, in turns", Choice, number(2, 1), number(1, 1), ld(7, b"a"), ld(8, b"b"), number(3, 1), number(2, 2))
case("oneof inside itself", Choice, ld(17, ld(17, number(2, 0)), ld(17, number(3, 1))))
case("oneof inside itself, merged and replaced", Choice, ld(17, number(2, 5)), ld(17, ld(7, b"a")))
case("oneof inside itself, merged and its message merged", Choice, ld(17, ld(12, ONE_LEAF)), ld(17, ld(12, MORE_LEAF)))
case("oneof of wide numbers", Choice, number(2048, 1), ld(100000, b"x"), fixed64(2047, bytes(8)))
case("oneof open enum, unknown", Choice, number(16, 99))
case("oneof of proto2", Proto2, number(93, 0), ld(94, b"a"), ld(95, ONE_LEAF), ld(95, MORE_LEAF))

# --- merging -----------------------------------------------------------------------------------------------------

case("sub-message twice merges", Scalars, ld(17, ONE_LEAF), ld(17, MORE_LEAF))
case("sub-message twice, the second resets a scalar", Scalars, ld(17, number(1, 5)), ld(17, number(1, 0)))
case("sub-message twice, the second resets a string", Scalars, ld(17, ld(2, b"a")), ld(17, ld(2)))
case("sub-message twice, the second empty", Scalars, ld(17, ONE_LEAF), ld(17))
case("sub-message twice, the first empty", Scalars, ld(17), ld(17, ONE_LEAF))
case(
    "sub-message three times with others between",
    Scalars,
    ld(17, number(1, 5)),
    number(3, 1),
    ld(17, ld(4)),
    UNKNOWN,
    ld(17, UNKNOWN),
)
case("sub-sub-messages merge", Scalars, ld(17, ld(4, number(1, 5), ld(4))), ld(17, ld(4, ld(2, b"a"), ld(4, ONE_LEAF))))
case(
    "sub-messages with unknown fields merge",
    Scalars,
    ld(17, number(30, 1), number(1, 1)),
    ld(17, number(31, 2)),
    ld(17, number(30, 3)),
)
case("sub-message damaged the second time", Scalars, ld(17, ONE_LEAF), ld(17, b"\x08"))
case("optional sub-message twice", Optionals, ld(17, ONE_LEAF), ld(17, MORE_LEAF))
case("repeated messages do not merge", Repeated, ld(17, ONE_LEAF), ld(17, MORE_LEAF), ld(17))
case("proto2 sub-message: explicit zero resets and is present", Proto2, ld(18, number(1, 5)), ld(18, number(1, 0)))
case("proto2 sub-messages merge", Proto2, ld(18, ONE_LEAF), ld(18, MORE_LEAF))
case(
    "recursive sub-messages merge their maps",
    Recursive,
    ld(2, ld(4, K, ld(2, number(1, 1)))),
    ld(2, ld(4, ld(1, b"j")), ld(4, K)),
)
case(
    "nested types",
    Nesting,
    ld(1, number(1, -1), ld(2, ld(1, b"a"), ld(2)), ld(3)),
    ld(2),
    number(3, 1),
    ld(4, K, number(2, 7)),
)

# --- nesting -----------------------------------------------------------------------------------------------------

LD1 = tag(1, LENGTH)


def maps(times: int) -> bytes:
    """Maps of messages, one inside another: two levels each."""
    data = b""
    for _ in range(times):
        data = ld(4, K, ld(2, data))
    return data


for depth in (50, 98, 99, 100, 101, 102, 150):
    case(f"{depth} messages", Recursive, nested(depth, tag(2, LENGTH)))
    case(f"{depth} messages and a number", Recursive, nested(depth, tag(2, LENGTH), number(1, 1)))
    case(f"{depth} repeated messages", Recursive, nested(depth, tag(3, LENGTH)))
    case(f"{depth} oneof messages", Recursive, nested(depth, tag(5, LENGTH)))
    case(f"{depth} unknown groups", Empty, tag(1, START) * depth, tag(1, END) * depth)
    case(f"{depth} unknown bytes are not looked into", Empty, nested(depth, LD1))
    pairs, odd = divmod(depth, 2)
    data = ld(4) if odd else b""
    for _ in range(pairs):
        data = group(1, ld(3, data))
    case(f"{depth} groups and messages in turns", Groups, data)
case("100 levels damaged at the bottom", Recursive, nested(99, tag(2, LENGTH), b"\x08"))
case("500 messages, not closed", Recursive, tag(2, LENGTH) * 500)
case("2,000 unknown groups, not closed", Empty, tag(1, START) * 2_000)
case("100,000 unknown groups, not closed", Empty, tag(1, START) * 100_000)
case("10,000 messages", Recursive, nested(10_000, tag(2, LENGTH)))
for times in (49, 50, 51):
    case(f"{times} maps of messages", Recursive, maps(times))
    case(f"{times} maps of messages in a message", Recursive, ld(2, maps(times)))
for outer, inner in ((50, 50), (50, 51), (99, 1), (99, 2), (100, 0), (100, 1)):
    unknown = tag(9, START) * inner + tag(9, END) * inner
    case(f"{inner} unknown groups in {outer} messages", Recursive, nested(outer, tag(2, LENGTH), unknown))
for outer in (97, 98, 99, 100):
    case(f"a map entry in {outer} messages", Recursive, nested(outer, tag(2, LENGTH), ld(4, K)))
    case(f"a map entry and its value in {outer} messages", Recursive, nested(outer, tag(2, LENGTH), ld(4, K, ld(2))))
    case(f"a value, then a key, in {outer} messages", Recursive, nested(outer, tag(2, LENGTH), ld(4, ld(2), K)))
    in_entry = ld(4, K, group(9))
    case(f"an unknown group in a map entry in {outer} messages", Recursive, nested(outer, tag(2, LENGTH), in_entry))
    leaf = nested(outer, tag(4, LENGTH), number(1, 1))
    case(f"{outer} leaves in a message", Scalars, ld(17, leaf))
for depth in (24, 25, 26, 99, 100):
    lists = b""
    for _ in range(depth):
        lists = ld(10, ld(2, ld(1, b"k"), ld(2, lists)))  # func { attr { value } }: four levels with its AttrValue
    case(f"AttrValue: {depth} functions", AttrValue, lists)

# --- enums -------------------------------------------------------------------------------------------------------

ENUM_VALUES = {
    "known": b"\x01",
    "known in five bytes": varint(1, size=5),
    "known with bit 32": varint(2**32 + 1),
    "known of two bytes": varint(150),
    "known negative": varint(-1),
    "known negative in five bytes": varint(2**32 - 1),
    "unknown": b"\x63",
    "unknown in three bytes": varint(99, size=3),
    "unknown with bit 32": varint(2**32 + 99),
    "unknown negative": varint(-2),
    "unknown negative in five bytes": varint(2**32 - 2),
    "the largest": varint(2**31 - 1),
    "the smallest": varint(-(2**31)),
    "of eleven bytes": varint(1, size=11),
}
for name, data in ENUM_VALUES.items():
    case(f"open enum, optional, {name}", Optionals, tag(16, VARINT), data)
    case(f"open enum, in a oneof, {name}", Choice, number(2, 1), tag(16, VARINT), data)
    case(f"open enum, in a map, {name}", Maps, ld(28, K, tag(2, VARINT), data))
    case(f"closed enum, {name}", ClosedEnums, tag(1, VARINT), data)
    case(f"closed enum behind a known one, {name}", ClosedEnums, number(1, 1), tag(1, VARINT), data)
    case(f"closed enum, repeated, {name}", ClosedEnums, number(2, 1), tag(2, VARINT), data, number(2, 0))
    case(f"closed enum, repeated and packed, {name}", ClosedEnums, ld(2, b"\x01", data, b"\x00"))
    case(f"closed enum, packed, {name}", ClosedEnums, ld(3, b"\x01", data, b"\x00"))
    case(f"closed enum, packed and not, {name}", ClosedEnums, tag(3, VARINT), data)
    case(f"closed enum, in a map, {name}", ClosedEnums, ld(4, number(1, 7), tag(2, VARINT), data))
    case(f"closed enum, in a map by name, {name}", ClosedEnums, ld(9, K, tag(2, VARINT), data), ld(9, K, number(2, 1)))
    case(f"closed enum, in a oneof, {name}", ClosedEnums, tag(5, VARINT), data)
    case(f"closed enum, in a oneof behind another, {name}", ClosedEnums, number(6, 5), tag(5, VARINT), data)
    case(f"closed enum with a default, {name}", ClosedEnums, tag(10, VARINT), data)
case("closed enum, unknown and then known", ClosedEnums, number(1, 99), number(1, 1))
case("closed enum, unknown, overlong tag", ClosedEnums, tag(1, VARINT, size=3), b"\x63")
case("closed enum, packed unknown, overlong tag", ClosedEnums, tag(3, LENGTH, size=3), b"\x02\x63\x01")
case("closed enum, packed, all unknown", ClosedEnums, ld(3, b"\x63\x64", varint(-2)))
case("closed enum, packed, empty", ClosedEnums, ld(3))
case("closed enum, packed, cut behind an unknown one", ClosedEnums, ld(3, b"\x63\x80"))
case("closed enum, map entry without value", ClosedEnums, ld(4, number(1, 7)))
case("closed enum, map entry without key", ClosedEnums, ld(4, number(2, 99)))
case("closed enum, map entry reversed", ClosedEnums, ld(4, number(2, 99), number(1, 7)))
case("closed enum, map entry known and unknown", ClosedEnums, ld(4, number(1, 7), number(2, 1), number(2, 99)))
case("closed enum, map entry unknown and known", ClosedEnums, ld(4, number(1, 7), number(2, 99), number(2, 1)))
case("closed enum, map entry unknown and more", ClosedEnums, ld(4, number(1, 7), number(2, 99), UNKNOWN))
case(
    "closed enum, map entry unknown, overlong",
    ClosedEnums,
    tag(4, LENGTH, size=3),
    varint(4, size=5),
    number(1, 7),
    number(2, 99),
)
case(
    "closed enum, map entry unknown beside a known one",
    ClosedEnums,
    ld(4, number(1, 7), number(2, 1)),
    ld(4, number(1, 7), number(2, 99)),
)
case("closed enum, message in the oneof, then unknown", ClosedEnums, ld(7, ONE_LEAF), number(5, 99), ld(7, MORE_LEAF))
case("closed enum whose first value is not 0", ClosedEnums, number(8, 0), number(8, 1))
case("closed enum in a required message", Required, ld(4, fixed64(1, bytes(8)), number(2, 99)))
case(
    "unknown enum numbers between unknown fields",
    ClosedEnums,
    number(20, 1),
    number(1, 99),
    number(21, 2),
    number(2, 98),
    number(22, 3),
)
case(
    "packed unknown enum numbers between unknown fields",
    ClosedEnums,
    number(20, 1),
    ld(3, b"\x63\x01\x64"),
    number(21, 2),
    ld(2, b"\x63"),
    number(22, 1),
)
case(
    "unknown map entries between unknown fields",
    ClosedEnums,
    number(20, 1),
    ld(4, number(1, 7), number(2, 99)),
    number(21, 2),
)

# --- floats ------------------------------------------------------------------------------------------------------

DOUBLES = {
    "zero": bytes(8),
    "-0.0": bytes(7) + b"\x80",
    "the smallest": b"\x01" + bytes(7),
    "infinity": bytes(6) + b"\xf0\x7f",
    "-infinity": bytes(6) + b"\xf0\xff",
    "nan": bytes(6) + b"\xf8\x7f",
    "-nan": bytes(6) + b"\xf8\xff",
    "nan with a payload": b"\x01\x02\x03\x04\x05\x06\xf8\x7f",
    "a signalling nan": b"\x01" + bytes(5) + b"\xf0\x7f",
}
FLOATS = {
    "zero": bytes(4),
    "-0.0": b"\x00\x00\x00\x80",
    "the smallest": b"\x01\x00\x00\x00",
    "infinity": b"\x00\x00\x80\x7f",
    "-infinity": b"\x00\x00\x80\xff",
    "nan": b"\x00\x00\xc0\x7f",
    "-nan": b"\x00\x00\xc0\xff",
    "nan with a payload": b"\x01\x02\xc3\x7f",
}
SIGNALLING = b"\x01\x00\x80\x7f"
for name, data in DOUBLES.items():
    case(f"double {name}", Scalars, fixed64(1, data))
    case(f"double {name}, optional", Optionals, fixed64(1, data))
    case(f"double {name}, packed", Repeated, ld(1, data, data))
    case(f"double {name}, not packed", Unpacked, fixed64(1, data))
    case(f"double {name}, in a map", Maps, ld(13, K, fixed64(2, data)))
    case(f"double {name}, in proto2", Proto2, fixed64(1, data), fixed64(21, data))
for name, data in FLOATS.items():
    case(f"float {name}", Scalars, fixed32(2, data))
    case(f"float {name}, optional", Optionals, fixed32(2, data))
    case(f"float {name}, packed", Repeated, ld(2, data, data))
    case(f"float {name}, not packed", Unpacked, fixed32(2, data))
    case(f"float {name}, in a map", Maps, ld(14, K, fixed32(2, data)))
    case(f"float {name}, in a oneof", Choice, fixed32(5, data))
WHY_QUIET = "our floats are Python's, which are doubles: to widen a signalling NaN makes it quiet, in C as well"
differs("float a signalling nan", WHY_QUIET, Scalars, fixed32(2, SIGNALLING))
differs("float a signalling nan, packed", WHY_QUIET, Repeated, ld(2, SIGNALLING))
case("float 1.5 overwritten by -0.0", Scalars, fixed32(2, b"\x00\x00\xc0\x3f"), fixed32(2, FLOATS["-0.0"]))
case("float 1.5 overwritten by zero", Scalars, fixed32(2, b"\x00\x00\xc0\x3f"), fixed32(2, FLOATS["zero"]))

# --- required, unknown, and proto2's presence --------------------------------------------------------------------

PART = fixed64(1, bytes(8)) + number(2, 0)
WHOLE = number(1, 0) + ld(2) + ld(3, PART)
case("required, all there", Required, WHOLE)
case("required, one missing", Required, ld(2), ld(3, PART))
case("required, one missing below", Required, number(1, 0), ld(2), ld(3, number(2, 1)))
case("required, missing in a list", Required, WHOLE, ld(4, PART), ld(4))
case("required, missing in a map", Required, WHOLE, ld(5, K, ld(2)))
case("required, missing in a map without value", Required, WHOLE, ld(5, K))
case("required, missing in a oneof", Required, WHOLE, ld(7))
case("required, missing in a oneof that is replaced", Required, WHOLE, ld(7), number(8, 0))
case("required, completed by merging", Required, number(1, 0), ld(2), ld(3, number(2, 1)), ld(3, fixed64(1, bytes(8))))
case("required, of another wire type", Required, ld(1, b"a"), ld(2), ld(3, PART))
case("required enum, unknown", Required, number(1, 0), ld(2), ld(3, fixed64(1, bytes(8)), number(2, 99)))
case("proto2: zeros are present", Proto2, number(3, 0), ld(14), number(13, 0), fixed64(1, bytes(8)), number(16, 0))
case(
    "proto2: values that are the default are present",
    Proto2,
    number(23, -(2**31)),
    number(33, 1),
    ld(43),
    number(36, -1),
)
case(
    "unknown fields keep their order",
    Scalars,
    number(40, 1),
    number(4, 7),
    number(30, 2),
    ld(40, b"a"),
    number(3, 1),
    number(30, 3),
)
case(
    "unknown fields keep their bytes",
    Empty,
    tag(30, VARINT, size=5),
    varint(1, size=4),
    tag(1, LENGTH, size=2),
    varint(1, size=3),
    b"a",
)
case("unknown fields before the last known number", Wide, number(30, 1), number(2**29 - 1, 7))
case("unknown fields in a leaf of proto2", Leaf2, number(1, 0), UNKNOWN, ld(4, UNKNOWN))

# --- TensorFlow's messages ---------------------------------------------------------------------------------------

case("NodeDef", NodeDef, ld(1, b"a"), ld(2, b"Const"), ld(3, b"^b"), ld(5, ld(1, b"T"), ld(2, number(6, 1))))
case("NodeDef with an attr twice", NodeDef, ld(5, K, ld(2, number(3, 1))), ld(5, K, ld(2, number(4, 1))))
case("NodeDef with an attr without value", NodeDef, ld(5, K))
case("NodeDef with an attr of an unknown kind", NodeDef, ld(5, K, ld(2, number(99, 1))))
case("NodeDef with bad UTF-8 in its name", NodeDef, ld(1, b"caf\xe9"))
case("NodeDef with bad UTF-8 in its inputs", NodeDef, ld(3, b"ok"), ld(3, b"\xff"))
case("AttrValue of list, twice", AttrValue, ld(1, ld(3, b"\x01\x02")), ld(1, number(3, 3)))
case("AttrValue of int, then list", AttrValue, number(3, 1), ld(1, ld(2, b"\xff")))
case("AttrValue of an unknown type", AttrValue, number(6, 12345))
case("AttrValue of list of types, unknown among them", AttrValue, ld(1, ld(6, b"\x01", varint(12345), b"\x03")))
case("TensorProto of floats in two pieces", TensorProto, number(1, 1), ld(5, bytes(8)), fixed32(5, b"\x00\x00\x80\x3f"))
case("TensorProto of half floats, overlong", TensorProto, number(1, 19), ld(13, varint(15360, size=5), b"\x00"))
case("TensorProto with content cut", TensorProto, tag(4, LENGTH), varint(2_097_152), bytes(12))
case("TensorShapeProto of unknown size", TensorShapeProto, ld(2, number(1, -1)), ld(2, number(1, 2**32 - 1)))
case(
    "GraphDef of two nodes with versions twice",
    GraphDef,
    ld(1, ld(1, b"a")),
    ld(1),
    ld(4, number(1, 22)),
    ld(4, number(2, 12)),
)
case("GraphDef with a library with itself unknown", GraphDef, ld(2, ld(1, ld(1, ld(1, b"f"))), UNKNOWN))
case("GraphDef of a text file", GraphDef, b'node {\n  name: "a"\n}\n')
case("GraphDef of zeros", GraphDef, bytes(64))
case("GraphDef of a PNG", GraphDef, b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
case("GraphDef of a gzip", GraphDef, b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")

# --- where we know better, or cannot do the same -----------------------------------------------------------------

WHY_GROUP = "upb forgets the length and reads on to an end tag; any other decoder has here what it is: an unknown field"
differs("repeated group as a message", WHY_GROUP, Groups, ld(2, INNER))
differs("repeated group as an empty message", WHY_GROUP, Groups, ld(2))

# --- every strict prefix of small messages -----------------------------------------------------------------------

WHOLE_MESSAGES = {
    "leaf": (Leaf, number(1, 300) + ld(2, "é".encode()) + ld(3, b"\x01\x96\x01") + ld(4, number(1, -1))),
    "scalars": (Scalars, b"".join(any_field(SCALARS[kind], wire_type) for kind, wire_type in WIRE_TYPES.items())),
    "optionals": (Optionals, number(3, 0) + fixed32(2, bytes(4)) + ld(15) + ld(17, number(1, 0))),
    "doubles": (Repeated, ld(1, bytes(16)) + fixed64(1, bytes(8))),
    "numbers": (
        Repeated,
        ld(4, varint(-1), varint(1, size=10)) + number(5, 2**32 - 1) + ld(14, b"ab") + ld(17, ld(2, b"t")),
    ),
    "unpacked": (Unpacked, fixed64(12, bytes(8)) + fixed32(2, bytes(4)) + number(16, -1)),
    "map": (Maps, ld(12, K, V) + ld(1, number(1, -1), V) + ld(29, K, ld(2, number(1, 1)))),
    "map, unusual": (Maps, ld(12, V, K) + ld(1) + ld(15, K, K, number(2, 7), number(2, 8)) + ld(12, K, UNKNOWN)),
    "choice": (
        Choice,
        number(2, 1) + ld(12, number(1, 1)) + ld(12, ld(2, b"t")) + ld(100000, b"xy") + number(2**29 - 1, 1),
    ),
    "recursive": (Recursive, ld(2, ld(3, ld(4, K, ld(2, ld(5, number(1, 1))))))),
    "wide": (Wide, number(16, -1) + ld(2047, b"\x01") + ld(2048, number(1, 1)) + ld(18999, K) + number(2**29 - 1, 7)),
    "nesting": (Nesting, ld(1, ld(2, ld(1, b"abc"), ld(2, number(1, -1)))) + ld(4, K, number(2, 1))),
    "proto2": (
        Proto2,
        ld(18, number(1, 5)) + ld(53, b"\x01\x02") + number(66, 99) + ld(91, number(1, 1), V) + ld(94, b"a"),
    ),
    "required": (Required, WHOLE + ld(5, K, ld(2, PART))),
    "groups": (
        Groups,
        group(1, INNER, group(2, ld(1, b"a"), group(16, ld(1, b"\x01")))) + group(2, group(3, number(1, 1))),
    ),
    "groups, unknown": (Empty, group(1, INNER, group(2, ld(1, b"ab"), fixed32(3, bytes(4))), number(3, 300))),
    "closed enums": (ClosedEnums, number(1, 99) + ld(3, b"\x01\x63", varint(-2)) + ld(4, number(1, 7), number(2, 99))),
    "unknown": (Empty, number(1, 300, size=5) + ld(2, b"abc") + fixed32(3, bytes(4)) + fixed64(4, bytes(8)) + group(5)),
    "node": (
        NodeDef,
        ld(1, b"a") + ld(2, b"Op") + ld(3, b"b:1") + ld(5, ld(1, b"T"), ld(2, ld(1, ld(6, b"\x01\x03")))),
    ),
    "tensor": (
        TensorProto,
        number(1, 1) + ld(2, ld(2, number(1, -1)), ld(2, number(1, 3))) + ld(5, bytes(8)) + ld(4, b"ab"),
    ),
    "graph": (GraphDef, ld(1, ld(1, b"a"), ld(5, K, ld(2, number(3, 1)))) + ld(4, number(1, 1087))),
}


def _prefixes() -> Iterator[tuple[str, Case]]:
    for name, (cls, data) in WHOLE_MESSAGES.items():
        case(f"the whole {name}", cls, data)
        for size in range(len(data)):
            yield f"{name}, {size} of {len(data)} bytes", Case(cls, data[:size])


PREFIXES.update(_prefixes())
