"""The strategies keep their guarantees and reach every kind of value.

The examples of hypothesis differ from version to version, so a test must not depend on them: tests that need certain
examples draw with `tests.support.random_strategies`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings

from pbwire.table import Message, table_of
from tests.support import samples
from tests.support.effort import scaled
from tests.support.protobuf_twin import twin
from tests.support.random_strategies import load_with_random_draws
from tests.support.samples import Choice, ClosedEnums, Empty, Leaf, Maps, Recursive, Required, Scalars
from tests.support.strategies import messages, records, wire_bytes
from tfmodel.messages import ConfigProto, GraphDef

CLASSES = [
    cls for cls in vars(samples).values() if isinstance(cls, type) and issubclass(cls, Message) and cls is not Message
]
SOME = settings(max_examples=scaled(30), derandomize=True, suppress_health_check=list(HealthCheck))
ROOT = Path(__file__).parents[2]
PLAIN = load_with_random_draws(ROOT / "tests" / "support" / "strategies.py")


def thrown_away(source: str) -> list[int]:
    """Return the lines of a source that filter the examples of hypothesis."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name("assume" | "reject") | ast.Attribute(_, "assume" | "filter" | "reject"):
                    lines.append(node.lineno)
    return lines


@pytest.mark.slow(reason="generates many examples")
@pytest.mark.parametrize("folder", ["tests", "fuzz"])
def test_examples_are_constructed_and_not_filtered(folder):
    """The health check on filtered examples would depend on random choices."""
    filtered = {
        str(path.relative_to(ROOT)): lines
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "hypothesis" in (source := path.read_text(encoding="utf-8")) and (lines := thrown_away(source))
    }
    assert filtered == {}


def test_a_filter_is_detected():
    assert thrown_away("assume(x)\nst.integers().filter(bool)\nfilter(bool, x)\nhypothesis.assume(x)") == [1, 2, 4]


def draws(strategy: Any, count: int = 2_000) -> Iterator[Any]:
    """Draw from a strategy of PLAIN, with a fixed seed."""
    random = Random(1)
    return (strategy.draw(random) for _ in range(count))


def parses(cls: type[Message], data: bytes) -> bool:
    try:
        twin(cls).FromString(data)
    except DecodeError:
        return False
    return True


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@pytest.mark.parametrize("cls", [*CLASSES, GraphDef, ConfigProto], ids=lambda cls: cls.__name__)
def test_messages_can_be_written_and_the_twin_reads_them(cls):
    @SOME
    @given(messages(cls, unknown=True, nan=True))
    def test(message):
        assert type(message) is cls
        assert twin(cls).FromString(message.to_bytes()).IsInitialized()

    test()


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@pytest.mark.parametrize("cls", [*CLASSES, GraphDef, ConfigProto], ids=lambda cls: cls.__name__)
def test_wire_bytes_are_legal(cls):
    @SOME
    @given(wire_bytes(cls, nan=True))
    def test(data):
        assert parses(cls, data)

    test()


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_field_is_sometimes_present_and_sometimes_not(cls):
    names = set(table_of(cls).by_name)
    optional = {field.name for field in table_of(cls).fields if not field.required}
    present: set[str] = set()
    absent: set[str] = set()
    on_the_wire: set[str] = set()

    def all_was_seen(message: Message) -> bool:
        present_names = {field.name for field, _ in message.ListFields()}
        present.update(present_names)
        absent.update(names - present_names)
        return present == names and absent == optional

    def all_was_read(data: bytes) -> bool:
        on_the_wire.update(field.name for field, _ in twin(cls).FromString(data).ListFields())
        return on_the_wire == names

    assert any(map(all_was_seen, draws(PLAIN.messages(cls, max_depth=1))))
    assert any(map(all_was_read, draws(PLAIN.wire_bytes(cls, max_depth=1))))


@pytest.mark.parametrize(
    ("cls", "is_so"),
    [
        (Scalars, lambda m: str(m.a_double) == "-0.0"),
        (Scalars, lambda m: m.a_float == float("-inf")),
        (Scalars, lambda m: m.a_int64 == -(2**63)),
        (Scalars, lambda m: m.a_uint32 == 2**32 - 1),
        (Scalars, lambda m: len(m.a_string) > 100),
        (Scalars, lambda m: not m.a_string.isascii()),
        (Scalars, lambda m: type(m.a_mood) is int),
        (Scalars, lambda m: m.a_mood == samples.Mood.LIVID),
        (Scalars, lambda m: m.a_leaf is not None and m.a_leaf.leaf is not None),
        (Choice, lambda m: m.which_oneof("first") and m.which_oneof("second")),
        (Choice, lambda m: m.i == 0 and m.i is not None),
        (Maps, lambda m: len(m.of_leaf) > 1),
        (Maps, lambda m: "" in m.of_int32),
        (Recursive, lambda m: m.named and any(value.named for value in m.named.values())),
        (samples.Repeated, lambda m: len(m.a_double) > 16),
        (samples.Groups, lambda m: m.single is not None and m.single.deep is not None),
    ],
)
def test_messages_sometimes_hold_each_kind_of_value(cls, is_so):
    assert any(map(is_so, draws(PLAIN.messages(cls))))


def test_floats_are_numbers_unless_nan_is_asked_for():
    def has_nan(message: Any) -> bool:
        return message.a_float != message.a_float

    @SOME
    @given(messages(Scalars))
    def test(message):
        assert message == message
        assert not has_nan(message)

    test()


def test_floats_are_not_always_numbers_if_nan_is_asked_for():
    assert any(message.a_float != message.a_float for message in draws(PLAIN.messages(Scalars, nan=True)))


def depth(message: Recursive) -> int:
    below = [message.child, message.left, message.right, *message.children, *message.named.values()]
    return 1 + max((depth(part) for part in below if part is not None), default=0)


def test_nesting_stops_where_it_should():
    @SOME
    @given(messages(Recursive, max_depth=2))
    def test(message):
        assert depth(message) <= 3

    test()


def test_nesting_goes_as_deep_as_it_may():
    assert any(depth(message) == 3 for message in draws(PLAIN.messages(Recursive, max_depth=2)))


def test_required_fields_are_present_at_any_depth():
    @SOME
    @given(messages(Required, max_depth=0))
    def test(message):
        assert message.id is not None and message.part is not None and message.part.shade is not None

    test()


def test_closed_enums_get_no_unknown_values():
    @SOME
    @given(messages(ClosedEnums))
    def test(message):
        assert all(isinstance(shade, samples.Shade) for shade in [*message.many, *message.by_name.values()])

    test()


def test_unknown_fields_are_legal_and_unknown():
    @SOME
    @given(records(Leaf), messages(Empty, unknown=True))
    def test(data, empty):
        leaf = twin(Leaf).FromString(data)
        assert not leaf.ListFields()
        assert leaf.SerializeToString() == data
        assert twin(Empty).FromString(empty.unknown_fields).SerializeToString() == empty.unknown_fields

    test()


def test_there_are_unknown_fields_now_and_then():
    assert any(leaf.unknown_fields and leaf.leaf for leaf in draws(PLAIN.messages(Leaf, unknown=True)))
    assert any(not empty.unknown_fields for empty in draws(PLAIN.messages(Empty, unknown=True)))


@pytest.mark.parametrize(
    "is_so",
    [
        lambda data: len(data) > 12,
        lambda data: len(data) < 4,
        lambda data: data == b"abcdefgh"[:5],
        lambda data: len(data) == 8 and sum(a != b for a, b in zip(data, b"abcdefgh", strict=True)) == 1,
        lambda data: b"\xff" in data,
        lambda data: data.count(b"c") > 1,
    ],
)
def test_mutations_are_of_every_sort(is_so):
    assert any(map(is_so, draws(PLAIN.mutations(b"abcdefgh"))))


def test_mutations_of_nothing_are_something():
    assert any(draws(PLAIN.mutations(b"")))


def test_most_mutations_are_refused_and_some_are_not():
    strategy = PLAIN.wire_bytes(Leaf).flatmap(PLAIN.mutations)
    verdicts = [parses(Leaf, data) for data in draws(strategy, 300)]
    assert 0.1 < sum(verdicts) / len(verdicts) < 0.9
