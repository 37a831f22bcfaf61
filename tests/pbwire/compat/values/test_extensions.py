"""Extensions of protobuf-style messages: what programs do with `Extensions`, beside Google's own messages."""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest
from google.protobuf import message_factory
from google.protobuf import text_format as google_text

from pbwire import proto
from pbwire.compat import compat_class, json_format, text_format, unwrap, wrap
from pbwire.compat.pools import DescriptorPool, pool_of
from pbwire.compat.unknown_fields import UnknownFieldSet
from pbwire.proto.loader import load_files
from pbwire.proto.module_writer import modules
from tests.pbwire.extensions.garage import FILES, FOLDER, google_pool
from tests.pbwire.proto.files import shop
from tests.support.protobuf_twin import IS_4_25
from tests.support.samples import Leaf


def our_pool() -> Any:
    """Return a pool with the file of the garage, added as code that protoc generated does."""
    pool = DescriptorPool()
    for file in proto.descriptors(FOLDER / FILES[0], include=[FOLDER]).file:
        pool.AddSerializedFile(file.to_bytes())
    return pool


OURS = our_pool()

STATEMENTS = [
    'result = m.Extensions[x("an_int32")]',
    'result = m.Extensions[x("a_string")]',
    'result = m.Extensions[x("material")]',
    'result = m.Extensions[x("a_float")]',
    'result = list(m.Extensions[x("numbers")])',
    'm.Extensions[x("an_int32")] = 0',
    'm.Extensions[x("an_int32")] = 1 << 40',
    'm.Extensions[x("a_float")] = 0.1; result = m.Extensions[x("a_float")]',
    'm.Extensions[x("a_string")] = "é"',
    'm.Extensions[x("material")] = 2',
    'm.Extensions[x("material")] = "STEEL"',
    'm.Extensions[x("numbers")] = [1]',
    'm.Extensions[x("part")] = Part()',
    'm.Extensions[x("part")].number = 4',
    'result = m.Extensions[x("part")].number',
    'm.Extensions[x("part")].SetInParent()',
    'p = m.Extensions[x("part")]; p.label = "a"; result = m.Extensions[x("part")] is p',
    'result = m.Extensions[x("part")] is m.Extensions[x("part")]',
    'm.Extensions[x("part")].Extensions[x("inner")].Extensions[x("inner")].number = 5',
    'm.Extensions[x("parts")].add(number=3)',
    'm.Extensions[x("numbers")].append(3)',
    'n = m.Extensions[x("numbers")]; n.append(1); n.extend([2, 3]); del n[0]',
    'm.Extensions[x("doubles")][:] = [1, 2]',
    'm.Extensions[x("lights")].watts = 3; result = str(m)',
    'm.towed.add().Extensions[x("trailer")].Extensions[x("packed")].append(7)',
    'm.by_owner["a"].Extensions[x("an_int32")] = 7',
    'result = m.HasExtension(x("numbers"))',
    'result = m.HasExtension(x("part"))',
    'm.Extensions[x("part")].number; result = m.HasExtension(x("part"))',
    'm.Extensions[x("an_int32")] = 0; result = m.HasExtension(x("an_int32"))',
    'm.Extensions[x("an_int32")] = 3; m.ClearExtension(x("an_int32")); result = m.HasExtension(x("an_int32"))',
    'm.Extensions[x("numbers")].append(3); m.ClearExtension(x("numbers")); result = list(m.Extensions[x("numbers")])',
    'p = m.Extensions[x("part")]; p.number = 3; m.ClearExtension(x("part")); p.number = 9; result = p.number',
    'm.Extensions[x("an_int32")] = 3; del m.Extensions[x("an_int32")]',
    'm.Extensions["x"]',
    'm.Extensions[x("inner")]',
    'm.Extensions[Part.DESCRIPTOR.fields_by_name["number"]]',
    'm.HasExtension("x")',
    'm.HasExtension(x("inner"))',
    'm.ClearExtension(x("inner"))',
    "Scope().Extensions",
    'Scope().HasExtension(x("part"))',
    "result = len(m.Extensions)",
    'm.Extensions[x("numbers")].append(1); m.Extensions[x("an_int32")] = 0; result = len(m.Extensions)',
    'm.Extensions[x("an_int32")] = 0; result = [one.full_name for one in m.Extensions]',
    'm.mileage = 2; m.Extensions[x("part")].number = 1; result = [one.name for one, _ in m.ListFields()]',
    "result = m.Extensions == m.Extensions, m.Extensions == Car().Extensions",
    'result = m.Extensions._FindExtensionByName("garage.part").number, m.Extensions._FindExtensionByName("no")',
    "result = m.Extensions._FindExtensionByNumber(116).name, m.Extensions._FindExtensionByNumber(1)",
    'm.Extensions._FindExtensionByNumber("116")',
    "m.Extensions._FindExtensionByName(116)",
    'm.Extensions[x("part")].Extensions[x("permit")].SetInParent(); result = m.FindInitializationErrors()',
    'm.Extensions[x("parts")].add().Extensions[x("permit")].SetInParent(); result = m.FindInitializationErrors()',
    'm.Extensions[x("part")].Extensions[x("permit")].id = 3; result = m.IsInitialized()',
    'm.towed.add().Extensions[x("part")].Extensions[x("permit")].SetInParent(); m.SerializeToString()',
    r'm.MergeFromString(b"\xb0\x06\x05\xb0\x0b\x05"); m.DiscardUnknownFields(); result = m.Extensions[x("an_int32")]',
    r'm.MergeFromString(b"\xb0\x06\x05"); m.MergeFromString(b"\xb0\x06\x06\xc0\x07\x01\xc0\x07\x02")',
    'm.Extensions[x("numbers")].append(1); o = Car(); o.MergeFrom(m); o.MergeFrom(m); m.CopyFrom(o); result = o == m',
    'm.Extensions[x("part")].number = 1; o = Car(); o.Extensions[x("part")].label = "a"; m.MergeFrom(o)',
    'p = m.Extensions[x("part")]; o = Car(); o.Extensions[x("part")].label = "a"; m.MergeFrom(o); result = p.label',
    'm.Extensions[x("an_int32")] = 1; m.Clear(); result = m == Car()',
    'm.Extensions[x("part")]; result = m == Car() and Car() == m',
    'm.Extensions[x("an_int32")] = 1; result = m == Car(), Car() == m, m != Car()',
    'm.Extensions[x("part")].number = 1; result = Car.FromString(m.SerializeToString()) == m',
    'm.Extensions[x("part")].number = 1; o = copy.deepcopy(m); o.Extensions[x("part")].number = 2; result = str(o)',
    'p = Part(); e = x("inner"); p.Extensions[e].number = 3; m.Extensions[x("parts")].append(p); p.Clear()',
    "m = Later(); m.Extensions[Scope.scoped] = 3; m.Extensions[Scope.scopes].add(x=1)",
    'result = Scope.scoped is Scope.DESCRIPTOR.extensions_by_name["scoped"], Scope.SCOPED_FIELD_NUMBER',
    "result = [one.name for one in Scope.DESCRIPTOR.extensions], len(Car.DESCRIPTOR.extensions)",
    "e = Scope.scoped; result = e.extension_scope.full_name, e.containing_type.full_name, e.index, e.full_name",
    'e = x("part"); result = e.extension_scope, e.is_extension, e.name, e.has_presence, e.file.name, e.type',
    'e = x("part"); result = e.message_type.full_name, e.enum_type, e.containing_oneof, e.camelcase_name, e.index',
    'e = x("a_string"); result = e.has_default_value, e.default_value, x("materials").enum_type.full_name',
    'e = x("packed"); result = e.GetOptions().packed, x("numbers").GetOptions().packed',
    'result = list(pool.FindFileByName("garage/car.proto").extensions_by_name)',
    "result = sorted(one.name for one in pool.FindAllExtensions(Part.DESCRIPTOR))",
    "result = pool.FindExtensionByNumber(Part.DESCRIPTOR, 10).full_name",
    "pool.FindExtensionByNumber(Part.DESCRIPTOR, 15)",
    "pool.FindExtensionByNumber(Scope.DESCRIPTOR, 1)",
    'pool.FindExtensionByName("garage.nope")',
    'pool.FindFieldByName("garage.part")',
    'pool.FindExtensionByName("garage.Part.number")',
    "result = Car.DESCRIPTOR.is_extendable, Car.DESCRIPTOR.extension_ranges, Scope.DESCRIPTOR.is_extendable",
    'e = Box.message_set_extension; m = Store(); m.Extensions[e].size = 5; m.Extensions[x("bag")].color = "red"',
    r'm = Store.FromString(b"\x0b\x10\xb0\xa6^\x1a\x00\x0c"); result = [one.full_name for one in m.Extensions]',
    "e = Box.message_set_extension; m = Store(); m.Extensions[e].store.SetInParent(); o = Store(); o.MergeFrom(m)",
]
IN_4_25 = [  # newer ones leave the list in the message
    'n = m.Extensions[x("numbers")]; o = Car(); o.Extensions[x("numbers")].append(2); m.CopyFrom(o); n.append(1)',
]
NOT_IN_4_25 = [  # which crashes
    'result = x("numbers") in m.Extensions',
    'm.Extensions[x("numbers")].append(1); result = x("numbers") in m.Extensions',
    'result = x("an_int32") in m.Extensions, x("part") in m.Extensions',
    '"x" in m.Extensions',
]


def outcome(statement: str, pool: Any) -> tuple[Any, ...]:
    """Run a statement with the classes of a pool: return its result or its error, and the bytes of `m`."""
    names = ("Car", "Part", "Scope", "Later", "Store", "Box")
    scope: dict[str, Any] = {"copy": copy, "pool": pool, "x": lambda name: pool.FindExtensionByName(f"garage.{name}")}
    for name in names:
        descriptor = pool.FindMessageTypeByName(f"garage.{name}")
        scope[name] = descriptor._concrete_class if pool is OURS else message_factory.GetMessageClass(descriptor)
    scope["m"] = scope["Car"]()
    result: Any = None
    try:
        exec(statement, scope)
        result = scope.get("result")
    except Exception as error:  # every error is an outcome
        result = type(error).__name__
    return result, scope["m"].SerializePartialToString(deterministic=True)


def normal(data: bytes, name: str) -> bytes:
    """Return the encoding of Google's, whose extensions are in another order."""
    cls = message_factory.GetMessageClass(google_pool().FindMessageTypeByName(name))
    return cls.FromString(data).SerializePartialToString(deterministic=True)  # type: ignore[no-any-return]  # of any class


@pytest.mark.parametrize("statement", [*STATEMENTS, *(IN_4_25 if IS_4_25 else NOT_IN_4_25)])
def test_a_statement_does_what_it_does_with_protobuf(statement: str) -> None:
    ours, our_bytes = outcome(statement, OURS)
    theirs, their_bytes = outcome(statement, google_pool())
    assert ours == theirs
    name = "garage.Store" if "Store()" in statement or "Store.From" in statement else "garage.Car"
    name = "garage.Later" if "Later()" in statement else name
    assert normal(our_bytes, name) == their_bytes


def numbered(pool: Any, functions: Any) -> list[Any]:
    """Return texts in which fields have numbers, of messages with extensions and of a MessageSet; and their bytes."""
    find = pool.FindMessageTypeByName
    car, store = (
        find(f"garage.{name}")._concrete_class()
        if pool is OURS
        else message_factory.GetMessageClass(find(f"garage.{name}"))()
        for name in ("Car", "Store")
    )
    car.name = "a"
    for name, value in {"an_int32": 1, "numbers": [1, 2], "a_string": "é"}.items():
        extension = pool.FindExtensionByName(f"garage.{name}")
        if isinstance(value, list):
            car.Extensions[extension].extend(value)
        else:
            car.Extensions[extension] = value
    car.Extensions[pool.FindExtensionByName("garage.lights")].watts = 4
    box = pool.FindExtensionByName("garage.Box.message_set_extension")
    store.Extensions[pool.FindExtensionByName("garage.bag")].color = "red"
    store.Extensions[pool.FindExtensionByName("garage.car")].CopyFrom(car)
    store.Extensions[box].store.Extensions[box].size = 5
    found: list[Any] = []
    for message in (car, store, store.Extensions[box]):
        for options in ({}, {"as_one_line": True}, {"pointy_brackets": True, "force_colon": True}):
            text = functions.MessageToString(message, use_field_number=True, as_utf8=True, **options)
            again = functions.Parse(text, type(message)(), allow_field_number=True)
            found += [text, again == message]
            with pytest.raises(functions.ParseError):
                functions.Parse(text, type(message)())
    out = io.StringIO()
    printer = functions._Printer(out, use_field_number=True, indent=2)
    printer.PrintField(box, store.Extensions[box])
    out.write(functions._Printer.__name__)
    functions._Printer(out).PrintField(box, store.Extensions[box])
    for text in ("6 { 1: 3 }", "1545008 { 15: 1 99: 2 }", "4 {}", "1545008 { 16 { 4 { 102: 3 } } }"):
        try:
            parsed = functions.Parse(text, type(store)(), allow_field_number=True)
            found.append(parsed.SerializeToString(deterministic=True))
        except functions.ParseError:
            found.append("an error")
    return [*found, out.getvalue().replace("_Printer", "Printer")]


def test_extensions_have_numbers_in_text_as_with_protobuf() -> None:
    theirs = numbered(google_pool(), google_text)
    assert numbered(OURS, text_format) == theirs
    assert True in theirs and False not in theirs and "an error" in theirs


def test_str_has_the_names_of_extensions_in_a_message_set() -> None:
    """As protobuf's C implementation. `MessageToString` has the name of the type, as the one in Python."""
    texts = []
    for pool in (OURS, google_pool()):
        descriptor = pool.FindMessageTypeByName("garage.Store")
        store = descriptor._concrete_class() if pool is OURS else message_factory.GetMessageClass(descriptor)()
        box = pool.FindExtensionByName("garage.Box.message_set_extension")
        store.Extensions[box].store.Extensions[pool.FindExtensionByName("garage.bag")].color = "red"
        texts.append((str(store), (text_format if pool is OURS else google_text).MessageToString(store)))
    assert texts[0][0] == texts[1][0] and "[garage.Box.message_set_extension]" in texts[0][0]
    assert "[garage.Box]" in texts[0][1] and "[garage.Box]" in texts[1][1]


def test_in_says_whether_an_extension_is_present() -> None:
    car = OURS.FindMessageTypeByName("garage.Car")._concrete_class()
    numbers = OURS.FindExtensionByName("garage.numbers")
    assert numbers not in car.Extensions
    car.Extensions[numbers].append(1)
    assert numbers in car.Extensions and "garage.numbers" in repr(car.Extensions)


def test_reading_a_list_changes_nothing() -> None:
    cls = OURS.FindMessageTypeByName("garage.Car")._concrete_class
    car = cls()
    car.Extensions[OURS.FindExtensionByName("garage.numbers")]
    assert car == cls() == car  # protobuf's C implementation then finds a difference


def test_a_cleared_message_is_another_object() -> None:
    cls, part = OURS.FindMessageTypeByName("garage.Car")._concrete_class, OURS.FindExtensionByName("garage.part")
    for fill in (False, True):
        car = cls()
        old = car.Extensions[part]
        old.number = 1 * fill
        car.ClearExtension(part)
        old.number = 5
        assert car.Extensions[part] is not old and not car.HasExtension(part)
    car = cls()
    old = car.Extensions[part]
    car.ClearExtension(part)
    assert car.Extensions[part] is not old


def test_only_messages_with_extensions_list_the_attribute() -> None:
    car, scope = (OURS.FindMessageTypeByName(f"garage.{name}")._concrete_class() for name in ("Car", "Scope"))
    assert "Extensions" in dir(car) and "Extensions" not in dir(scope)
    assert all(hasattr(scope, name) for name in dir(scope))


def test_unknown_items_of_a_message_set_are_fields() -> None:
    cls = OURS.FindMessageTypeByName("garage.Store")._concrete_class
    store = cls.FromString(b"\x0b\x10\xb1\xa6^\x1a\x02x\x05\x0c\x0b\x10\xb0\xa6^\x1a\x00\x0c\x08\x05")
    assert list(UnknownFieldSet(store)) == [(1545009, 2, b"x\x05"), (1, 0, 5)]


def test_text_json_and_dataclasses_have_extensions() -> None:
    cls = compat_class(proto.load(FOLDER / FILES[0], include=[FOLDER])["garage.Car"])
    pool = pool_of(cls.__table__.dataclass.__declaration__.types)
    car = cls(name="a")
    car.Extensions[pool.FindExtensionByName("garage.part")].number = 3
    car.Extensions[pool.FindExtensionByName("garage.tags")].append("x")
    assert text_format.Parse(text_format.MessageToString(car), cls()) == car
    assert json_format.Parse(json_format.MessageToJson(car), cls()) == car
    plain = unwrap(car)
    assert [one.name for one in plain.extensions] == ["part", "tags"]
    assert wrap(plain) == car
    assert cls.FromString(plain.to_bytes()) == car


def test_custom_options_are_extensions_of_options() -> None:
    pool = DescriptorPool()
    for file in proto.descriptors(FOLDER / "shop/money.proto", include=[FOLDER]).file:
        pool.AddSerializedFile(file.to_bytes())
    loaded = pool_of(shop())
    for one in (pool, loaded):
        units = one.FindMessageTypeByName("shop.Money").fields_by_name["units"]
        unit = one.FindExtensionByName("shop.unit")
        assert list(units.GetOptions().Extensions[unit].factors) == [1, 2]
        assert not one.FindFieldByName("shop.Money.rate").GetOptions().HasExtension(unit)


def test_table_modules_have_descriptors_of_their_extensions(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, source in modules(*load_files([FOLDER / FILES[0]], [FOLDER])).items():
        file = tmp_path / "garage_tables" / path.replace("/", "_")
        file.parent.mkdir(exist_ok=True)
        file.write_text(source, encoding="utf-8")
    (tmp_path / "garage_tables" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    import garage_tables.garage_car as tables  # type: ignore[import-not-found]  # written above

    car = compat_class(tables.Car)
    file = car.DESCRIPTOR.file
    assert "an_int32" in file.extensions_by_name
    descriptor = file.extensions_by_name["trailer"]
    assert (descriptor.full_name, descriptor.number, descriptor.file) == ("garage.trailer", 536870911, file)
    message = car()
    message.Extensions[descriptor].Extensions[file.extensions_by_name["an_int32"]] = 3
    assert unwrap(message).extensions[tables.trailer].extensions[tables.an_int32] == 3
    assert compat_class(tables.Scope).scoped.extension_scope.full_name == "garage.Scope"
    expected = google_pool().FindFileByName("garage/car.proto")
    assert [one.name for one in file.proto.extension] == list(expected.extensions_by_name)


def test_all_attributes_that_dir_lists_can_be_read() -> None:
    car = OURS.FindMessageTypeByName("garage.Car")._concrete_class
    for message in (wrap(Leaf()), car()):
        for name in dir(message):
            getattr(message, name)
