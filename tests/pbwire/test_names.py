"""Every field name that protobuf allows works everywhere, or is refused with a hint."""

from __future__ import annotations

import builtins
import copy
import dataclasses
import keyword
import pickle
import re
from functools import cache
from typing import Any

import pytest

from pbwire import json, text
from pbwire import table as pb
from pbwire.codec.codegen import generate_source
from pbwire.table import Message, table_of
from tests.support.samples import Choice, Leaf, Maps, Proto2, Repeated, Scalars

AWKWARD = [
    *("_", "__", "___"),
    *("_x", "__x", "___x", "x_", "x__", "_x_", "__x_", "__x__", "_1", "__1", "x_y", "xY", "X", "x__y"),
    *("self", "cls", "data", "pos", "end", "depth", "message", "merged", "out", "line", "head", "value", "values"),
    *("key", "name", "type", "slot", "owner", "number", "label", "mro", "register", "unknown", "_unknown"),
    "unknown_fields",
    *("fields", "which_oneof", "args", "kwargs", "changes", "obj", "memo", "KW_ONLY", "field", "dataclass", "pb"),
    *("x_case", "kind", "_kind", "_kind_case", "kind_case", "_slot", "_case", "f_x", "attr", "_attr", "__attr"),
    *("__class__", "__slots__", "__dict__", "__init__", "__len__", "__bool__", "__table__", "__doc__", "__getattr__"),
]
WORDS = re.compile(r"[A-Za-z_]\w*").findall
WRITTEN = ["decode", "decode_lazily", "decode_maps", "encode", "copy", "share", "lacks_required", "print", "print_json"]
WRITTEN += ["read_json"]


def words_of_generated_code() -> set[str]:
    """Every variable, parameter and bound name in the functions that are generated for a class."""
    names: set[str] = set()
    for cls in (Scalars, Repeated, Maps, Choice, Proto2):
        for what in WRITTEN:
            source = generate_source(table_of(cls), what)
            names |= {*WORDS(source.text), *source.names}
    return names


READ_BY_PYTHON = {"__annotations__", "__module__", "__qualname__", "__slots__"}
"""Names that Python itself reads in the body of a class."""


def candidate_names() -> set[str]:
    """Return the names that may collide with something."""
    python = {*keyword.kwlist, *keyword.softkwlist, *dir(Message), *dir(builtins)}
    return {*AWKWARD, *python, *words_of_generated_code()} - READ_BY_PYTHON


WORST = {*AWKWARD, *keyword.kwlist}

ROWS: dict[str, Any] = {
    "singular": (lambda n, **o: pb.int32(n, **o), 7),
    "optional": (lambda n, **o: pb.string(n, optional=True, **o), ""),
    "message": (lambda n, **o: pb.field(Leaf, n, **o), Leaf(number=3)),
    "repeated": (lambda n, **o: pb.repeated(pb.int64, n, **o), [1, 2]),
    "messages": (lambda n, **o: pb.repeated(Leaf, n, **o), [Leaf(text="x")]),
    "map": (lambda n, **o: pb.map(pb.string, Leaf, n, **o), {"k": Leaf(number=1)}),
    "numbers": (lambda n, **o: pb.map(pb.int32, pb.bytes, n, **o), {1: b"x"}),
    "oneof": (lambda n, **o: pb.string(n, oneof="kind", **o), "chosen"),
}


def declared(class_name: str, rows: dict[str, Any]) -> Any:
    around = {"__annotations__": dict.fromkeys(rows, "object"), "__module__": __name__}
    body = type(class_name, (pb.Message,), rows | around)
    cls = pb.message(f"test.{class_name}")(body)
    globals()[class_name] = cls  # where pickle looks for it
    return cls


def is_allowed(name: str) -> bool:
    try:
        declared("Attempt", {name: pb.int32(1)})
    except TypeError as error:
        spelled = re.search(r'call the attribute (\w+) and give its field name="(\w+)"', str(error))
        assert spelled and spelled[2] == name, str(error)
        attempt = declared("Attempt", {spelled[1]: pb.int32(1, name=spelled[2])})
        message = attempt(**{spelled[1]: 5})
        assert text.dumps(message) == f"{name}: 5\n"
        assert text.loads(f"{name}: 5", attempt) == message
        assert json.loads(json.dumps(message), attempt) == message
        assert json.to_dict(message, preserving_proto_field_name=True) == {name: 5}
        assert attempt.from_bytes(message.to_bytes()) == message
        return False
    return True


@cache
def allowed() -> list[str]:
    """Return the names that a field may have as they are. The others are refused with a hint, or this fails."""
    return [name for name in sorted(candidate_names()) if is_allowed(name)]


def test_an_awkward_name_is_allowed_or_refused_with_a_hint() -> None:
    assert {is_allowed(name) for name in {*AWKWARD} - READ_BY_PYTHON} == {True, False}


def assert_works(cls: Any, values: dict[str, Any]) -> None:
    """Assert that a class works in binary, lazily, in text and JSON, as a dataclass, copied and pickled."""
    message = cls(**values)
    assert all(getattr(message, name) == value for name, value in values.items())
    fresh = cls()
    for name, value in values.items():
        setattr(fresh, name, value)
    assert fresh == message
    wire = message.to_bytes()
    others = [cls.from_bytes(wire), cls.from_bytes(wire, lazy=True)]
    outer = declared("Around", {"inner": pb.repeated(cls, 1)})
    for name in [*values][::12]:  # each is the first one to be looked at
        [inner] = outer.from_bytes(outer(inner=[message]).to_bytes(), lazy=True).inner
        assert getattr(inner, name) == values[name]
        others.append(inner)
    others += [copy.copy(message), copy.deepcopy(message), pickle.loads(pickle.dumps(message))]
    others += [dataclasses.replace(message), text.loads(text.dumps(message), cls), json.loads(json.dumps(message), cls)]
    others += [text.loads(text.dumps(message, as_one_line=True), cls), json.from_dict(json.to_dict(message), cls)]
    merged = cls()
    merged.merge_from(message)
    for other in (*others, merged):
        assert other == message
        assert repr(other) == repr(message)
        assert other.to_bytes() == wire
    names = [field.name for field in dataclasses.fields(message)]
    assert names == [*table_of(cls).by_name, "unknown_fields"]
    for name in values:
        message.ClearField(name)
    assert message == cls()


@pytest.mark.slow(reason="compiles a class for every name")
@pytest.mark.parametrize("shape", ROWS)
def test_every_name_works(shape: str) -> None:
    """The most problematic names in every shape, every other name in one of them."""
    row, value = ROWS[shape]
    place = list(ROWS).index(shape)
    usual = [name for name in allowed() if name not in WORST]
    names = [name for name in allowed() if name in WORST] + usual[place :: len(ROWS)]
    for start in range(0, len(names), 50):
        some = names[start : start + 50]
        cls = declared("Many", {name: row(n) for n, name in enumerate(some, 1)})
        if shape == "oneof":
            for name in some[::10]:
                assert cls(**{name: value}).which_oneof("kind") == name
                assert_works(cls, {name: value})
        else:
            assert_works(cls, dict.fromkeys(some, value))


@pytest.mark.slow(reason="compiles a class for every name")
@pytest.mark.parametrize("class_name", ["_Under", "__Two", "_", "__", "Trailing__", "_x", "class_"])
def test_every_class_name_works(class_name: str) -> None:
    names = [name for name in AWKWARD if name in allowed()]
    shapes = [ROWS[shape] for shape in ROWS if shape != "oneof"]
    rows = {name: shapes[n % len(shapes)][0](n) for n, name in enumerate(names, 1)}
    values = {name: shapes[n % len(shapes)][1] for n, name in enumerate(names, 1)}
    assert_works(declared(class_name, rows), values)


@pytest.mark.slow(reason="compiles a class for every name")
@pytest.mark.parametrize("oneof", [name for name in AWKWARD if not name.endswith("__")] + ["class", "None", "__x__"])
def test_every_name_of_a_oneof_works(oneof: str) -> None:
    rows = {"a": pb.int32(1, oneof=oneof), "x": pb.repeated(pb.int32, 2), "b": pb.field(Leaf, 3, oneof=oneof)}
    cls = declared("Chosen", rows)
    assert_works(cls, {"a": 5, "x": [1]})
    assert_works(cls, {"b": Leaf(number=1), "x": [1]})
    assert cls(b=Leaf()).which_oneof(oneof) == "b"
    assert cls(b=Leaf(), x=[1]).x == [1]


@pb.message("test._Mangled")
class _Mangled(pb.Message):
    """Python puts the name of the class before these."""

    __x: int = pb.int32(1)
    __xs: list[int] = pb.repeated(pb.int32, 2)
    __m: dict[str, Leaf] = pb.map(pb.string, Leaf, 3)
    __a: int | None = pb.int32(4, oneof="__o")
    __b: Leaf | None = pb.field(Leaf, 5, oneof="__o")
    _Other__y: int = pb.int32(6)


def test_names_that_python_mangles_in_class_bodies() -> None:
    assert [field.name for field in table_of(_Mangled).fields] == ["__x", "__xs", "__m", "__a", "__b", "_Other__y"]
    values: dict[str, Any] = {"__x": 1, "__xs": [2], "__m": {"k": Leaf(number=3)}, "__b": Leaf(), "_Other__y": 5}
    assert_works(_Mangled, values)
    message = _Mangled(**values)
    printed = '__x: 1 __xs: 2 __m { key: "k" value { number: 3 } } __b { } _Other__y: 5'
    assert text.dumps(message, as_one_line=True) == printed
    assert json.to_dict(message) == {"X": 1, "Xs": [2], "M": {"k": {"number": 3}}, "B": {}, "OtherY": 5}


COLLIDING = [["a_b", "aB"], ["a_b", "a__b"], ["x_y", "xY", "x__y", "X_y"], ["_x", "X"], ["__x", "_x", "X", "x"]]
COLLIDING += [["a_", "a"], ["a_b", "aB", "a__b", "ab"]]


@pytest.mark.parametrize("names", COLLIDING)
def test_names_that_are_the_same_in_json(names: list[str]) -> None:
    cls = declared("Same", {name: pb.int32(n) for n, name in enumerate(names, 1)})
    message = cls(**{name: n for n, name in enumerate(names, 1)})
    assert len(json.to_dict(message)) == len(names)
    assert_works(cls, {name: n for n, name in enumerate(names, 1)})
    assert json.loads(json.dumps(message, preserving_proto_field_name=True), cls) == message
