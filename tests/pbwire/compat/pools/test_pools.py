"""Pools: files from a database, files that are refused, and what a pool says of them."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

import pytest

from pbwire.compat import compat_class
from pbwire.compat.databases import DescriptorDatabase
from pbwire.compat.generated import SymbolDatabase, make_simple_class, messages_of
from pbwire.compat.pools import DescriptorPool, default_pool
from pbwire.proto import descriptor_messages as d

File = compat_class(d.FileDescriptorProto)
MESSAGE, INT32 = 11, 5


def house(**keywords: Any) -> Any:
    """Return the file of a message that uses one of another file and has extensions there."""
    rooms = {"name": "rooms", "number": 1, "type": MESSAGE, "label": 3, "type_name": ".a.Room"}
    house = {"name": "House", "field": [rooms], "extension_range": [{"start": 100, "end": 200}]}
    return File(name="house.proto", package="a", dependency=["room.proto"], message_type=[house], **keywords)


def room() -> Any:
    enum = {"name": "Kind", "value": [{"name": "HALL", "number": 0}]}
    method = {"name": "Open", "input_type": ".a.Room", "output_type": ".a.Room"}
    service = {"name": "Doors", "method": [method]}
    return File(name="room.proto", package="a", message_type=[{"name": "Room"}], enum_type=[enum], service=[service])


def garden() -> Any:
    pond = {"name": "pond", "number": 101, "type": INT32, "label": 1, "extendee": ".a.House"}
    return File(name="garden.proto", package="a", dependency=["house.proto"], extension=[pond])


class Database(DescriptorDatabase):
    """A database that also finds extensions."""

    def FindFileContainingExtension(self, extendee_name: str, extension_number: int) -> Any:  # noqa: N802  protobuf's
        return garden() if (extendee_name, extension_number) == ("a.House", 101) else None

    def FindAllExtensionNumbers(self, extendee_name: str) -> list[int]:  # noqa: N802  protobuf's
        return [101, 102]


def filled(database: DescriptorDatabase) -> DescriptorPool:
    for file in (house(), room(), garden()):
        database.Add(file)
    return DescriptorPool(database)


def test_a_pool_takes_what_it_lacks_from_its_database() -> None:
    pool = filled(DescriptorDatabase())
    message = pool.FindMessageTypeByName("a.House")
    assert message.fields_by_name["rooms"].message_type is pool.FindMessageTypeByName("a.Room")
    assert pool.FindFileContainingSymbol("a.House.rooms") is pool.FindFileByName("house.proto") is message.file
    assert pool.FindEnumTypeByName("a.Kind").file.name == "room.proto"
    assert pool.FindExtensionByName("a.pond").number == 101
    made = message._concrete_class(rooms=[{}])
    assert type(made).FromString(made.SerializeToString()) == made
    for find in (pool.FindFileByName, pool.FindMessageTypeByName, pool.FindFileContainingSymbol):
        with pytest.raises(KeyError):
            find("a.Cellar")


def test_a_database_finds_extensions_by_number() -> None:
    pool = filled(Database())
    message = pool.FindMessageTypeByName("a.House")
    assert pool.FindExtensionByNumber(message, 101).name == "pond"
    with pytest.raises(KeyError):
        pool.FindExtensionByNumber(message, 102)
    pool = filled(Database())
    assert [one.name for one in pool.FindAllExtensions(pool.FindMessageTypeByName("a.House"))] == ["pond"]


def test_errors_of_a_database_about_extensions_are_ignored() -> None:
    class Broken(DescriptorDatabase):
        def FindFileContainingExtension(self, *arguments: Any) -> Any:  # noqa: N802  protobuf's
            raise RuntimeError

        def FindAllExtensionNumbers(self, extendee_name: str) -> Any:  # noqa: N802  protobuf's
            return 1.5

    pool = filled(Broken())
    message = pool.FindMessageTypeByName("a.House")
    assert pool.FindAllExtensions(message) == []
    with pytest.raises(KeyError):
        pool.FindExtensionByNumber(message, 101)


@pytest.mark.parametrize("add", [lambda pool: pool.Add(room()), lambda pool: pool.AddSerializedFile(b"")])
def test_files_are_added_to_the_database_and_not_to_its_pool(add: Any) -> None:
    with pytest.raises(ValueError, match="Add your file to the underlying database"):
        add(DescriptorPool(DescriptorDatabase()))


def test_a_database_gives_messages_and_may_lack_imports() -> None:
    database = DescriptorDatabase()
    database.Add(house())
    pool = DescriptorPool(database)
    with pytest.raises(TypeError, match=r"Depends on file 'room\.proto', but it has not been loaded"):
        pool.FindMessageTypeByName("a.House")
    database.Add(room())
    assert pool.FindMessageTypeByName("a.House").full_name == "a.House"
    database.FindFileByName = lambda name: 3  # type: ignore[method-assign]  # a damaged one
    with pytest.raises(TypeError, match="Expected a message object, but got 3"):
        pool.FindFileByName("cellar.proto")


def test_a_name_that_two_files_of_a_database_declare_is_warned_of() -> None:
    database = DescriptorDatabase()
    database.Add(room())
    other = File(name="other.proto", package="a", message_type=[{"name": "Room"}])
    with pytest.warns(RuntimeWarning, match=r'Conflict register for file "other\.proto": a\.Room is already defined'):
        database.Add(other)
    assert database.FindFileContainingSymbol("a.Room").name == "room.proto"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        database.Add(room())
    assert database.FindFileContainingSymbol(".a.Room.x").name == "room.proto"


@pytest.mark.parametrize("kind", ["MessageType", "Field", "Extension", "EnumType", "Oneof", "Service", "Method"])
def test_names_are_strings(kind: str) -> None:
    with pytest.raises(TypeError):
        getattr(default_pool(), f"Find{kind}ByName")(0)
    with pytest.raises(KeyError):
        getattr(default_pool(), f"Find{kind}ByName")("")


def test_options_and_services_are_always_the_same_objects() -> None:
    pool = DescriptorPool()
    file = pool.Add(room())
    assert file.GetOptions() is file.GetOptions()
    service = pool.FindServiceByName("a.Doors")
    assert service is file.services_by_name["Doors"]
    assert pool.FindMethodByName("a.Doors.Open").containing_service is service


def test_options_of_an_enum_are_read_while_extensions_of_options_are_made() -> None:
    """Extensions are declared after the messages that they hold, which an enum with options encodes."""
    options = {"deprecated": True}
    value = {"name": "HALL", "number": 0, "options": options}
    mark = {"name": "Mark", "field": [{"name": "kind", "number": 1, "type": 14, "label": 1, "type_name": ".b.Kind"}]}
    extension = {"name": "mark", "number": 70_123, "type": MESSAGE, "label": 1, "type_name": ".b.Mark"}
    file = default_pool().Add(
        File(
            name="marks.proto",
            package="b",
            dependency=["google/protobuf/descriptor.proto"],
            enum_type=[{"name": "Kind", "value": [value]}],
            message_type=[mark],
            extension=[extension | {"extendee": ".google.protobuf.EnumValueOptions"}],
        )
    )
    assert file.enum_types_by_name["Kind"].values_by_name["HALL"].GetOptions().deprecated
    assert file.extensions_by_name["mark"].message_type is file.message_types_by_name["Mark"]


def test_simple_classes_are_made_of_names_and_types() -> None:
    fields = {"b": 3, "a": 9}
    made = make_simple_class(fields, "simple.Test")
    assert str(made(a="x", b=1)) == 'a: "x"\nb: 1\n'
    assert str(make_simple_class(OrderedDict(fields), "simple.Test")(a="x", b=1)) == 'b: 1\na: "x"\n'
    pool = DescriptorPool()
    again = [make_simple_class(fields, pool=pool) for _ in range(2)]
    assert again[0] is again[1]
    many = make_simple_class({f"f{number}": 5 for number in range(19_010)}, "simple.Many")
    numbers = many.DESCRIPTOR.fields_by_number
    assert not {*range(19_000, 20_000)} & {*numbers} and len(numbers) == 19_010


def test_messages_of_files_are_those_at_the_top() -> None:
    file = File(name="m.proto", package="m", message_type=[{"name": "A", "nested_type": [{"name": "B"}]}])
    assert list(messages_of([file])) == ["m.A"]
    pool = DescriptorPool()
    pool.Add(file)
    assert list(SymbolDatabase(pool).GetMessages(["m.proto"])) == ["m.A", "m.A.B"]
    with pytest.raises(TypeError):
        compat_class(d.FileOptions)().Extensions._FindExtensionByName(0)


@pytest.mark.parametrize(
    "bad",
    [
        {"message_type": [{"name": "M", "field": [{"name": "x", "number": 1, "label": 1, "type_name": "Missing"}]}]},
        {"message_type": [{"name": "M", "extension_range": [{"start": 5, "end": 9}]}, {"name": "M"}]},
        {
            "message_type": [{"name": "M", "extension_range": [{"start": 5, "end": 9}]}],
            "extension": [
                {"name": "e", "number": 5, "type": INT32, "label": 1, "extendee": ".p.q.M"},
                {"name": "f", "number": 5, "type": INT32, "label": 1, "extendee": ".p.q.M"},
            ],
        },
    ],
)
def test_a_file_that_is_refused_leaves_nothing_in_the_pool(bad: dict[str, Any]) -> None:
    pool = DescriptorPool()
    for _ in range(2):
        with pytest.raises(TypeError) as caught:
            pool.Add(File(name="a.proto", package="p.q", **bad))
        assert "already defined in" not in str(caught.value)
    for find in (pool.FindMessageTypeByName, pool.FindFileContainingSymbol):
        for name in ("p.q.M", "p.q", "p"):
            with pytest.raises(KeyError):
                find(name)
    extension = {"name": "e", "number": 5, "type": INT32, "label": 1, "extendee": ".p.q.M"}
    good = {"name": "M", "extension_range": [{"start": 5, "end": 6}], "extension": [extension]}
    pool.Add(File(name="p.proto", package="", message_type=[{"name": "p"}]))
    assert pool.FindMessageTypeByName("p").full_name == "p"
    made = DescriptorPool()
    with pytest.raises(TypeError):
        made.Add(File(name="a.proto", package="p.q", **bad))
    assert made.Add(File(name="a.proto", package="p.q", message_type=[good])).message_types_by_name["M"].extensions


class Five:
    """An object that stands for an integer."""

    def __index__(self) -> int:
        return 101


@pytest.mark.parametrize(
    ("number", "error", "words"),
    [
        ("101", TypeError, "'str' object cannot be interpreted as an integer"),
        (None, TypeError, "'NoneType' object cannot be interpreted as an integer"),
        (101.0, TypeError, "'float' object cannot be interpreted as an integer"),
        ([], TypeError, "'list' object cannot be interpreted as an integer"),
        (1 << 31, OverflowError, "signed integer is greater than maximum"),
        (-(1 << 31) - 1, OverflowError, "signed integer is less than minimum"),
        (1 << 63, OverflowError, "Python int too large to convert to C long"),
        (True, KeyError, "Couldn't find Extension 1"),
    ],
)
def test_the_number_of_an_extension_is_an_integer_of_32_bits(number: Any, error: Any, words: str) -> None:
    message = filled(Database()).FindMessageTypeByName("a.House")
    with pytest.raises(error) as caught:
        message.file.pool.FindExtensionByNumber(message, number)
    assert caught.value.args == (words,)
    assert message.file.pool.FindExtensionByNumber(message, Five()).name == "pond"


def test_a_message_finds_extensions_by_name_and_number_as_protobuf() -> None:
    pool = filled(Database())
    pond = pool.FindExtensionByName("a.pond")
    extensions = pool.FindMessageTypeByName("a.House")._concrete_class().Extensions
    assert extensions._FindExtensionByNumber(101) is extensions._FindExtensionByNumber(Five()) is pond
    assert extensions._FindExtensionByNumber(102) is extensions._FindExtensionByNumber(1 << 40) is None
    assert extensions._FindExtensionByName("a.pond") is extensions._FindExtensionByName(b"a.pond") is pond
    assert extensions._FindExtensionByName("a.Pond") is extensions._FindExtensionByName(b"\xff") is None
    with pytest.raises(TypeError, match="'str' object cannot be interpreted as an integer"):
        extensions._FindExtensionByNumber("101")
    with pytest.raises(OverflowError, match="Python int too large to convert to C long"):
        extensions._FindExtensionByNumber(1 << 63)
    with pytest.raises(TypeError, match="_FindExtensionByName expect a str"):
        extensions._FindExtensionByName(bytearray(b"a.pond"))


def test_a_message_finds_extensions_of_other_messages_by_name() -> None:
    shed = {"name": "Shed", "extension_range": [{"start": 1, "end": 9}]}
    pool = filled(DescriptorDatabase())
    pool._database.Add(File(name="shed.proto", package="a", message_type=[shed]))
    extensions = pool.FindMessageTypeByName("a.Shed")._concrete_class().Extensions
    assert extensions._FindExtensionByName("a.pond") is pool.FindExtensionByName("a.pond")


@pytest.mark.parametrize("syntax", ["proto2", "proto3"])
def test_a_field_without_type_and_label_is_an_optional_double(syntax: str) -> None:
    nested = {"name": "N", "field": [{"name": "y", "number": 2, "label": 3}]}
    message = {"name": "M", "field": [{"name": "x", "number": 1}], "nested_type": [nested]}
    given = File(name="m.proto", syntax=syntax, message_type=[message])
    pool = DescriptorPool()
    made = pool.Add(given).message_types_by_name["M"]
    x, y = made.fields_by_name["x"], made.nested_types_by_name["N"].fields_by_name["y"]
    assert (x.type, x.label, x.default_value, x.has_presence) == (
        x.TYPE_DOUBLE,
        x.LABEL_OPTIONAL,
        0,
        syntax == "proto2",
    )
    assert (y.type, y.label, y.is_packed) == (y.TYPE_DOUBLE, y.LABEL_REPEATED, syntax == "proto3")
    assert made._concrete_class(x=1).SerializeToString() == b"\t\0\0\0\0\0\0\xf0?"
    assert pool.Add(given) is made.file


def test_a_default_that_is_not_of_its_type_is_refused_when_its_file_is_added() -> None:
    field = {"name": "x", "number": 1, "type": INT32, "label": 1, "default_value": "q"}
    for message in ({"field": [field]}, {"extension_range": [{"start": 1, "end": 9}], "extension": [field]}):
        for extension in message.get("extension", ()):
            extension["extendee"] = "M"  # type: ignore[index]  # a field
        with pytest.raises(TypeError, match=r"Couldn't build proto file .*\"q\" is not a default for the field \"x\""):
            DescriptorPool().Add(File(name="m.proto", message_type=[{"name": "M", **message}]))
