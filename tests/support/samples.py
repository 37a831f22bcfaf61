"""The hand-made messages of data/sample_facts.tsv as tables: every kind of field in every possible position."""

from __future__ import annotations

from pbwire import table as pb

__all__ = [
    "Choice",
    "ClosedEnums",
    "Empty",
    "Groups",
    "Leaf",
    "Leaf2",
    "Maps",
    "Mood",
    "Nesting",
    "Optionals",
    "Order",
    "Proto2",
    "Recursive",
    "Repeated",
    "Required",
    "Scalars",
    "Shade",
    "Unpacked",
    "Wide",
]


@pb.enum("sample.Mood")
class Mood(pb.Enum):
    """An open enum with negative and distant numbers, and 0 first, as proto3 requires."""

    CALM = 0
    HAPPY = 1
    GRIM = -1
    TENSE = 150
    LIVID = -2147483648
    ELATED = 2147483647


@pb.enum("sample.Shade", closed=True)
class Shade(pb.Enum):
    """A closed enum that a map may hold, since 0 is its first."""

    NONE = 0
    LIGHT = 1
    DARK = 150
    DIM = -1


@pb.enum("sample.Order", closed=True)
class Order(pb.Enum):
    """A closed enum whose first value, the default, is not 0."""

    THIRD = 3
    FIRST = 1
    LAST = -2147483648


@pb.message("sample.Empty")
class Empty(pb.Message):
    """A message without fields: all its content is unknown fields."""


@pb.message("sample.Leaf")
class Leaf(pb.Message):
    """The type of message fields in other messages."""

    number: int = pb.int32(1)
    text: str = pb.string(2)
    numbers: list[int] = pb.repeated(pb.int32, 3)
    leaf: Leaf | None = pb.field("Leaf", 4)


@pb.message("sample.Scalars")
class Scalars(pb.Message):
    """Every kind once, without presence if proto3 has none for it."""

    a_double: float = pb.double(1)
    a_float: float = pb.float(2)
    a_int32: int = pb.int32(3)
    a_int64: int = pb.int64(4)
    a_uint32: int = pb.uint32(5)
    a_uint64: int = pb.uint64(6)
    a_sint32: int = pb.sint32(7)
    a_sint64: int = pb.sint64(8)
    a_fixed32: int = pb.fixed32(9)
    a_fixed64: int = pb.fixed64(10)
    a_sfixed32: int = pb.sfixed32(11)
    a_sfixed64: int = pb.sfixed64(12)
    a_bool: bool = pb.bool(13)
    a_string: str = pb.string(14)
    a_bytes: bytes = pb.bytes(15)
    a_mood: Mood = pb.field(Mood, 16)
    a_leaf: Leaf | None = pb.field(Leaf, 17)


@pb.message("sample.Optionals")
class Optionals(pb.Message):
    """Every kind once, `optional`: zero is not the same as absent."""

    a_double: float | None = pb.double(1, optional=True)
    a_float: float | None = pb.float(2, optional=True)
    a_int32: int | None = pb.int32(3, optional=True)
    a_int64: int | None = pb.int64(4, optional=True)
    a_uint32: int | None = pb.uint32(5, optional=True)
    a_uint64: int | None = pb.uint64(6, optional=True)
    a_sint32: int | None = pb.sint32(7, optional=True)
    a_sint64: int | None = pb.sint64(8, optional=True)
    a_fixed32: int | None = pb.fixed32(9, optional=True)
    a_fixed64: int | None = pb.fixed64(10, optional=True)
    a_sfixed32: int | None = pb.sfixed32(11, optional=True)
    a_sfixed64: int | None = pb.sfixed64(12, optional=True)
    a_bool: bool | None = pb.bool(13, optional=True)
    a_string: str | None = pb.string(14, optional=True)
    a_bytes: bytes | None = pb.bytes(15, optional=True)
    a_mood: Mood | None = pb.field(Mood, 16, optional=True)
    a_leaf: Leaf | None = pb.field(Leaf, 17, optional=True)


@pb.message("sample.Repeated")
class Repeated(pb.Message):
    """Every kind as a list, packed if possible."""

    a_double: list[float] = pb.repeated(pb.double, 1)
    a_float: list[float] = pb.repeated(pb.float, 2)
    a_int32: list[int] = pb.repeated(pb.int32, 3)
    a_int64: list[int] = pb.repeated(pb.int64, 4)
    a_uint32: list[int] = pb.repeated(pb.uint32, 5)
    a_uint64: list[int] = pb.repeated(pb.uint64, 6)
    a_sint32: list[int] = pb.repeated(pb.sint32, 7)
    a_sint64: list[int] = pb.repeated(pb.sint64, 8)
    a_fixed32: list[int] = pb.repeated(pb.fixed32, 9)
    a_fixed64: list[int] = pb.repeated(pb.fixed64, 10)
    a_sfixed32: list[int] = pb.repeated(pb.sfixed32, 11)
    a_sfixed64: list[int] = pb.repeated(pb.sfixed64, 12)
    a_bool: list[bool] = pb.repeated(pb.bool, 13)
    a_string: list[str] = pb.repeated(pb.string, 14)
    a_bytes: list[bytes] = pb.repeated(pb.bytes, 15)
    a_mood: list[Mood] = pb.repeated(Mood, 16)
    a_leaf: list[Leaf] = pb.repeated(Leaf, 17)


@pb.message("sample.Unpacked")
class Unpacked(pb.Message):
    """Every kind that could be packed and is not."""

    a_double: list[float] = pb.repeated(pb.double, 1, packed=False)
    a_float: list[float] = pb.repeated(pb.float, 2, packed=False)
    a_int32: list[int] = pb.repeated(pb.int32, 3, packed=False)
    a_int64: list[int] = pb.repeated(pb.int64, 4, packed=False)
    a_uint32: list[int] = pb.repeated(pb.uint32, 5, packed=False)
    a_uint64: list[int] = pb.repeated(pb.uint64, 6, packed=False)
    a_sint32: list[int] = pb.repeated(pb.sint32, 7, packed=False)
    a_sint64: list[int] = pb.repeated(pb.sint64, 8, packed=False)
    a_fixed32: list[int] = pb.repeated(pb.fixed32, 9, packed=False)
    a_fixed64: list[int] = pb.repeated(pb.fixed64, 10, packed=False)
    a_sfixed32: list[int] = pb.repeated(pb.sfixed32, 11, packed=False)
    a_sfixed64: list[int] = pb.repeated(pb.sfixed64, 12, packed=False)
    a_bool: list[bool] = pb.repeated(pb.bool, 13, packed=False)
    a_mood: list[Mood] = pb.repeated(Mood, 16, packed=False)


@pb.message("sample.Maps")
class Maps(pb.Message):
    """Every possible kind of key, and every kind of value."""

    by_int32: dict[int, str] = pb.map(pb.int32, pb.string, 1)
    by_int64: dict[int, str] = pb.map(pb.int64, pb.string, 2)
    by_uint32: dict[int, str] = pb.map(pb.uint32, pb.string, 3)
    by_uint64: dict[int, str] = pb.map(pb.uint64, pb.string, 4)
    by_sint32: dict[int, str] = pb.map(pb.sint32, pb.string, 5)
    by_sint64: dict[int, str] = pb.map(pb.sint64, pb.string, 6)
    by_fixed32: dict[int, str] = pb.map(pb.fixed32, pb.string, 7)
    by_fixed64: dict[int, str] = pb.map(pb.fixed64, pb.string, 8)
    by_sfixed32: dict[int, str] = pb.map(pb.sfixed32, pb.string, 9)
    by_sfixed64: dict[int, str] = pb.map(pb.sfixed64, pb.string, 10)
    by_bool: dict[bool, str] = pb.map(pb.bool, pb.string, 11)
    by_string: dict[str, str] = pb.map(pb.string, pb.string, 12)
    of_double: dict[str, float] = pb.map(pb.string, pb.double, 13)
    of_float: dict[str, float] = pb.map(pb.string, pb.float, 14)
    of_int32: dict[str, int] = pb.map(pb.string, pb.int32, 15)
    of_int64: dict[str, int] = pb.map(pb.string, pb.int64, 16)
    of_uint32: dict[str, int] = pb.map(pb.string, pb.uint32, 17)
    of_uint64: dict[str, int] = pb.map(pb.string, pb.uint64, 18)
    of_sint32: dict[str, int] = pb.map(pb.string, pb.sint32, 19)
    of_sint64: dict[str, int] = pb.map(pb.string, pb.sint64, 20)
    of_fixed32: dict[str, int] = pb.map(pb.string, pb.fixed32, 21)
    of_fixed64: dict[str, int] = pb.map(pb.string, pb.fixed64, 22)
    of_sfixed32: dict[str, int] = pb.map(pb.string, pb.sfixed32, 23)
    of_sfixed64: dict[str, int] = pb.map(pb.string, pb.sfixed64, 24)
    of_bool: dict[str, bool] = pb.map(pb.string, pb.bool, 25)
    of_string: dict[str, str] = pb.map(pb.string, pb.string, 26)
    of_bytes: dict[str, bytes] = pb.map(pb.string, pb.bytes, 27)
    of_mood: dict[str, Mood] = pb.map(pb.string, Mood, 28)
    of_leaf: dict[str, Leaf] = pb.map(pb.string, Leaf, 29)
    leaf_by_number: dict[int, Leaf] = pb.map(pb.int32, Leaf, 30)
    mood_by_flag: dict[bool, Mood] = pb.map(pb.bool, Mood, 31)


@pb.message("sample.Choice")
class Choice(pb.Message):
    """Two oneofs whose numbers are interleaved with each other and with plain fields."""

    before: int = pb.int32(3)
    i: int | None = pb.int32(2, oneof="first")
    f: float | None = pb.float(5, oneof="first")
    s: str | None = pb.string(7, oneof="first")
    b: bytes | None = pb.bytes(9, oneof="first")
    mood: Mood | None = pb.field(Mood, 16, oneof="first")
    leaf: Leaf | None = pb.field(Leaf, 12, oneof="first")
    flag: bool | None = pb.bool(2048, oneof="first")
    u: int | None = pb.uint64(14, oneof="first")
    choice: Choice | None = pb.field("Choice", 17, oneof="first")
    empty: Empty | None = pb.field(Empty, 18, oneof="first")
    between: str = pb.string(6)
    other_z: int | None = pb.sint64(1, oneof="second")
    other_s: str | None = pb.string(8, oneof="second")
    other_leaf: Leaf | None = pb.field(Leaf, 10, oneof="second")
    other_x: int | None = pb.fixed64(2047, oneof="second")
    other_b: bytes | None = pb.bytes(100000, oneof="second")
    after: list[int] = pb.repeated(pb.int32, 15)
    last: bool = pb.bool(536870911)


@pb.message("sample.Recursive")
class Recursive(pb.Message):
    """The message itself in every position of a message."""

    depth: int = pb.int32(1)
    child: Recursive | None = pb.field("Recursive", 2)
    children: list[Recursive] = pb.repeated("Recursive", 3)
    named: dict[str, Recursive] = pb.map(pb.string, "Recursive", 4)
    left: Recursive | None = pb.field("Recursive", 5, oneof="side")
    right: Recursive | None = pb.field("Recursive", 6, oneof="side")
    neither: bool | None = pb.bool(7, oneof="side")


@pb.message("sample.Wide")
class Wide(pb.Message):
    """Field numbers at which a tag grows by a byte, and the largest one."""

    at_1: int = pb.int32(1)
    at_15: str = pb.string(15)
    at_16: int = pb.sint64(16)
    at_2047: list[int] = pb.repeated(pb.int32, 2047)
    at_2048: Leaf | None = pb.field(Leaf, 2048)
    at_18999: dict[str, int] = pb.map(pb.string, pb.int32, 18999)
    at_262144: list[float] = pb.repeated(pb.double, 262144)
    at_last: int = pb.uint32(536870911)


@pb.message("sample.Nesting")
class Nesting(pb.Message):
    """Nested types that refer to each other."""

    @pb.enum("sample.Nesting.Level")
    class Level(pb.Enum):
        """An enum inside a message."""

        LOW = 0
        HIGH = 1

    @pb.message("sample.Nesting.Inner")
    class Inner(pb.Message):
        """A message nested one level deep."""

        @pb.message("sample.Nesting.Inner.Innermost")
        class Innermost(pb.Message):
            """A message nested two levels deep, which refers to outer types."""

            name: str = pb.string(1)
            inner: Nesting.Inner | None = pb.field("Nesting.Inner", 2)

        mood: Mood = pb.field(Mood, 1)
        innermost: Innermost | None = pb.field(Innermost, 2)
        parent: Nesting | None = pb.field("Nesting", 3)

    inner: Inner | None = pb.field(Inner, 1)
    inners: list[Inner] = pb.repeated(Inner, 2)
    level: Level = pb.field(Level, 3)
    levels: dict[str, Level] = pb.map(pb.string, Level, 4)


@pb.message("sample.Leaf2", syntax="proto2")
class Leaf2(pb.Message):
    """A leaf of proto2, whose scalars have presence and whose numbers are not packed."""

    number: int | None = pb.int32(1)
    text: str | None = pb.string(2)
    numbers: list[int] = pb.repeated(pb.int32, 3)
    leaf: Leaf2 | None = pb.field("Leaf2", 4)


@pb.message("sample.Proto2", syntax="proto2")
class Proto2(pb.Message):
    """Every kind in proto2: optional (a_), with a default (d_), repeated unpacked (r_) and packed (p_)."""

    a_double: float | None = pb.double(1)
    a_float: float | None = pb.float(2)
    a_int32: int | None = pb.int32(3)
    a_int64: int | None = pb.int64(4)
    a_uint32: int | None = pb.uint32(5)
    a_uint64: int | None = pb.uint64(6)
    a_sint32: int | None = pb.sint32(7)
    a_sint64: int | None = pb.sint64(8)
    a_fixed32: int | None = pb.fixed32(9)
    a_fixed64: int | None = pb.fixed64(10)
    a_sfixed32: int | None = pb.sfixed32(11)
    a_sfixed64: int | None = pb.sfixed64(12)
    a_bool: bool | None = pb.bool(13)
    a_string: str | None = pb.string(14)
    a_bytes: bytes | None = pb.bytes(15)
    a_shade: Shade | None = pb.field(Shade, 16)
    a_order: Order | None = pb.field(Order, 17)
    a_leaf: Leaf2 | None = pb.field(Leaf2, 18)
    d_double: float | None = pb.double(21, default=float("inf"))
    d_float: float | None = pb.float(22, default=float("-inf"))
    d_int32: int | None = pb.int32(23, default=-2147483648)
    d_int64: int | None = pb.int64(24, default=-9223372036854775808)
    d_uint32: int | None = pb.uint32(25, default=4294967295)
    d_uint64: int | None = pb.uint64(26, default=18446744073709551615)
    d_sint32: int | None = pb.sint32(27, default=-1)
    d_sint64: int | None = pb.sint64(28, default=-2)
    d_fixed32: int | None = pb.fixed32(29, default=7)
    d_fixed64: int | None = pb.fixed64(30, default=8)
    d_sfixed32: int | None = pb.sfixed32(31, default=-9)
    d_sfixed64: int | None = pb.sfixed64(32, default=-10)
    d_bool: bool | None = pb.bool(33, default=True)
    d_string: str | None = pb.string(34, default='say "hé"\n\tback\\slash')
    d_bytes: bytes | None = pb.bytes(35, default=b'\x00\x01\xff "q"')
    d_shade: Shade | None = pb.field(Shade, 36, default=Shade.DIM)
    d_order: Order | None = pb.field(Order, 37, default=Order.FIRST)
    nan_double: float | None = pb.double(38, default=float("nan"))
    nan_float: float | None = pb.float(39, default=float("nan"))
    small_double: float | None = pb.double(40, default=-1.5e-300)
    small_float: float | None = pb.float(41, default=0.1)
    d_false: bool | None = pb.bool(42, default=False)
    d_empty: str | None = pb.string(43, default="")
    d_unicode: str | None = pb.string(44, default="naïve☃")
    d_zero: float | None = pb.double(45, default=-0.0)
    r_double: list[float] = pb.repeated(pb.double, 51)
    r_float: list[float] = pb.repeated(pb.float, 52)
    r_int32: list[int] = pb.repeated(pb.int32, 53)
    r_int64: list[int] = pb.repeated(pb.int64, 54)
    r_uint32: list[int] = pb.repeated(pb.uint32, 55)
    r_uint64: list[int] = pb.repeated(pb.uint64, 56)
    r_sint32: list[int] = pb.repeated(pb.sint32, 57)
    r_sint64: list[int] = pb.repeated(pb.sint64, 58)
    r_fixed32: list[int] = pb.repeated(pb.fixed32, 59)
    r_fixed64: list[int] = pb.repeated(pb.fixed64, 60)
    r_sfixed32: list[int] = pb.repeated(pb.sfixed32, 61)
    r_sfixed64: list[int] = pb.repeated(pb.sfixed64, 62)
    r_bool: list[bool] = pb.repeated(pb.bool, 63)
    r_string: list[str] = pb.repeated(pb.string, 64)
    r_bytes: list[bytes] = pb.repeated(pb.bytes, 65)
    r_shade: list[Shade] = pb.repeated(Shade, 66)
    r_leaf: list[Leaf2] = pb.repeated(Leaf2, 67)
    p_double: list[float] = pb.repeated(pb.double, 71, packed=True)
    p_float: list[float] = pb.repeated(pb.float, 72, packed=True)
    p_int32: list[int] = pb.repeated(pb.int32, 73, packed=True)
    p_int64: list[int] = pb.repeated(pb.int64, 74, packed=True)
    p_uint32: list[int] = pb.repeated(pb.uint32, 75, packed=True)
    p_uint64: list[int] = pb.repeated(pb.uint64, 76, packed=True)
    p_sint32: list[int] = pb.repeated(pb.sint32, 77, packed=True)
    p_sint64: list[int] = pb.repeated(pb.sint64, 78, packed=True)
    p_fixed32: list[int] = pb.repeated(pb.fixed32, 79, packed=True)
    p_fixed64: list[int] = pb.repeated(pb.fixed64, 80, packed=True)
    p_sfixed32: list[int] = pb.repeated(pb.sfixed32, 81, packed=True)
    p_sfixed64: list[int] = pb.repeated(pb.sfixed64, 82, packed=True)
    p_bool: list[bool] = pb.repeated(pb.bool, 83, packed=True)
    p_shade: list[Shade] = pb.repeated(Shade, 86, packed=True)
    names: dict[int, str] = pb.map(pb.int32, pb.string, 91)
    leaves: dict[str, Leaf2] = pb.map(pb.string, Leaf2, 92)
    one_i: int | None = pb.int32(93, oneof="one")
    one_s: str | None = pb.string(94, oneof="one")
    one_leaf: Leaf2 | None = pb.field(Leaf2, 95, oneof="one")


@pb.message("sample.Required", syntax="proto2")
class Required(pb.Message):
    """Required fields."""

    @pb.message("sample.Required.Part", syntax="proto2")
    class Part(pb.Message):
        """Required fields below required, repeated and optional fields."""

        weight: float | None = pb.double(1, required=True)
        shade: Shade | None = pb.field(Shade, 2, required=True)
        note: bytes | None = pb.bytes(3)

    id: int | None = pb.int32(1, required=True)
    name: str | None = pb.string(2, required=True)
    part: Part | None = pb.field(Part, 3, required=True)
    parts: list[Part] = pb.repeated(Part, 4)
    named: dict[str, Part] = pb.map(pb.string, Part, 5)
    spare: Part | None = pb.field(Part, 6)
    either: Part | None = pb.field(Part, 7, oneof="choice")
    other: int | None = pb.int32(8, oneof="choice")


@pb.message("sample.Groups", syntax="proto2")
class Groups(pb.Message):
    """Groups: one, several, inside one another, around messages and in a oneof."""

    @pb.message("sample.Groups.Single", syntax="proto2")
    class Single(pb.Message):
        """A group that holds a group, and the outer message again."""

        @pb.message("sample.Groups.Single.Deep", syntax="proto2")
        class Deep(pb.Message):
            """A group inside a group."""

            @pb.message("sample.Groups.Single.Deep.Far", syntax="proto2")
            class Far(pb.Message):
                """A group whose tags take two bytes."""

                numbers: list[int] = pb.repeated(pb.sint32, 1, packed=True)

            text: str | None = pb.string(1)
            far: Far | None = pb.field(Far, 16, group=True)

        number: int | None = pb.int32(1)
        deep: Deep | None = pb.field(Deep, 2, group=True)
        again: Groups | None = pb.field("Groups", 3)

    @pb.message("sample.Groups.Many", syntax="proto2")
    class Many(pb.Message):
        """A repeated group."""

        @pb.message("sample.Groups.Many.Inner", syntax="proto2")
        class Inner(pb.Message):
            """A repeated group inside a repeated group."""

            flag: bool | None = pb.bool(1)

        numbers: list[int] = pb.repeated(pb.int32, 1)
        leaf: Leaf2 | None = pb.field(Leaf2, 2)
        inner: list[Inner] = pb.repeated(Inner, 3, group=True)

    @pb.message("sample.Groups.Alone", syntax="proto2")
    class Alone(pb.Message):
        """A group that is a member of a oneof."""

        text: str | None = pb.string(1)

    single: Single | None = pb.field(Single, 1, group=True)
    many: list[Many] = pb.repeated(Many, 2, group=True)
    after: int | None = pb.int32(3)
    sub: Groups | None = pb.field("Groups", 4)
    named: dict[int, Groups] = pb.map(pb.int32, "Groups", 5)
    alone: Alone | None = pb.field(Alone, 6, oneof="pick", group=True)
    number: int | None = pb.int32(7, oneof="pick")


@pb.message("sample.ClosedEnums", syntax="proto2")
class ClosedEnums(pb.Message):
    """A closed enum in every position of an enum."""

    single: Shade | None = pb.field(Shade, 1)
    many: list[Shade] = pb.repeated(Shade, 2)
    packed: list[Shade] = pb.repeated(Shade, 3, packed=True)
    by_number: dict[int, Shade] = pb.map(pb.int32, Shade, 4)
    chosen: Shade | None = pb.field(Shade, 5, oneof="choice")
    number: int | None = pb.int32(6, oneof="choice")
    leaf: Leaf2 | None = pb.field(Leaf2, 7, oneof="choice")
    order: Order | None = pb.field(Order, 8)
    by_name: dict[str, Shade] = pb.map(pb.string, Shade, 9)
    preset: Shade | None = pb.field(Shade, 10, default=Shade.LIGHT)
