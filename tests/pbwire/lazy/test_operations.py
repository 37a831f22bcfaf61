"""Random operations have the same results on eagerly and on lazily decoded messages.

The same operations are applied to eagerly and to lazily decoded copies of the same messages, and all copies must have
the same encoding after each operation. In the end, the eagerly decoded copies must consist of ordinary messages, lists
and maps, none of which is in two places.
"""

from __future__ import annotations

import copy
import dataclasses
import io
import pickle
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

import pbwire.json
import pbwire.text
from pbwire.codec.buffers import encode_message
from pbwire.compat import Message as CompatMessage
from pbwire.compat import compat_class, text_format, unwrap, wrap
from pbwire.errors import Error
from pbwire.proto import load_text
from pbwire.text import aliases
from tests.support.effort import scaled
from tests.support.strategies import messages

TYPES = load_text(
    """
    edition = "2023";
    package operations;
    import "google/protobuf/struct.proto";
    message Holder {
      map<string, Value> values = 1;
      Holder inner = 2;
      google.protobuf.Struct struct = 3;
      map<int32, Item> class = 4;
    }
    message Value {
      oneof kind {
        Item item = 1;
        List list = 2;
        Value value = 3;
        Item group = 4 [features.message_encoding = DELIMITED];
        Empty empty = 5;
        int32 number = 6;
        float real = 7;
        string text = 8;
        bytes data = 9;
        Closed closed = 10;
        google.protobuf.Struct struct = 11;
        Strict strict = 12;
        Holder holder = 13;
      }
    }
    message Item {
      float real = 1 [features.field_presence = IMPLICIT];
      double double = 2;
      repeated Item items = 3;
      map<string, Value> values = 4;
      oneof kind { Item item = 5; Value value = 6; Closed closed = 7; }
      oneof other { string text = 8; List list = 9; }
      bytes data = 10 [features.field_presence = IMPLICIT];
      repeated float reals = 11;
      repeated Item groups = 12 [features.message_encoding = DELIMITED];
      Item single = 13;
      repeated Closed enums = 14;
    }
    message List {
      repeated string s = 1;
      repeated Item items = 2;
      repeated Value values = 3;
      repeated List lists = 4;
      repeated Item groups = 5 [features.message_encoding = DELIMITED];
      repeated Closed enums = 6;
      map<string, Empty> empties = 7;
    }
    message Strict { int32 required = 1 [features.field_presence = LEGACY_REQUIRED]; repeated Strict items = 2; }
    message Empty {}
    enum Closed { option features.enum_type = CLOSED; ONE = 1; TWO = 2; }
    """
)
for full_name, made in TYPES.items():
    if full_name.startswith("operations."):  # the others are the classes of pbwire.wellknown
        made.__module__, made.__qualname__ = __name__, full_name.replace(".", "_")  # so that messages can be pickled
        globals()[made.__qualname__] = made
Holder, Item, Value = (TYPES[f"operations.{name}"] for name in ("Holder", "Item", "Value"))

COPIES = 4


# --- messages --------------------------------------------------------------------------------------------------------

values = messages(Value, max_depth=2) | messages(Value, unknown=True, nan=True)
holders = st.builds(
    lambda values, items: Holder(values=values, **{Holder.__table__.by_number[4].name: items}),
    st.dictionaries(st.sampled_from("ab"), values, min_size=1, max_size=2),
    st.dictionaries(st.integers(0, 1), messages(Item, max_depth=1), max_size=2),
)


def encoding(message: Any) -> bytes:
    return encode_message(message, False, partial=True).to_bytes()


# --- parts of messages -----------------------------------------------------------------------------------------------


def name_of(message: Any, field: Any) -> str:
    return str(field.text_name if isinstance(message, CompatMessage) else field.name)


def parts(message: Any) -> list[tuple[str, Any, Any]]:
    """Return the sub-messages of a message as programs read them: name of the field, key or index, message."""
    found: list[tuple[str, Any, Any]] = []
    for field in message.__table__.fields:
        name = name_of(message, field)
        if not (field.value or field).is_message:
            continue
        if field.label == "map":
            found += ((name, key, value) for key, value in getattr(message, name).items())
        elif field.label == "repeated":
            found += ((name, index, value) for index, value in enumerate(getattr(message, name)))
        elif message.HasField(name):
            found.append((name, None, getattr(message, name)))
    return found


def lists_and_maps(message: Any) -> list[Any]:
    return [getattr(message, name_of(message, f)) for f in message.__table__.fields if f.label != "singular"]


def walk(message: Any) -> Iterator[Any]:
    """Yield all messages, lists and maps in a message."""
    waiting = [message]
    while waiting:
        message = waiting.pop()
        assert type(message) is message.__table__.cls
        yield message
        for values in lists_and_maps(message):
            assert isinstance(values, (list, dict))
            yield values
        waiting += (value for _, _, value in parts(message))


def along(message: Any, path: list[int]) -> Iterator[Any]:
    """Yield a message and the parts on a path. Each number chooses among the parts of one message."""
    yield message
    for number in path:
        inner = parts(message)
        if not inner:
            return
        message = inner[number % len(inner)][2]
        yield message


# --- operations ------------------------------------------------------------------------------------------------------


def pickled(message: Any) -> bytes | None:
    if isinstance(message, CompatMessage):  # those of classes without a module cannot be pickled
        return None
    protocol = len(encoding(message)) % (pickle.HIGHEST_PROTOCOL + 1)
    first, second = pickle.loads(pickle.dumps([message, copy.deepcopy(message)], protocol))
    assert not {*map(id, walk(first))} & {*map(id, walk(second))}
    return encoding(second)


def formatted(message: Any) -> str:
    """Print a message with a function that sees all messages in it."""

    def look(seen: Any, indent: int, as_one_line: bool) -> None:
        assert type(seen) is seen.__table__.cls

    if isinstance(message, CompatMessage):
        return text_format.MessageToString(message, message_formatter=look)
    return aliases.MessageToString(message, message_formatter=look)


READS: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda message: None,
    "repr": repr,
    "fields": lambda message: [str(value) for _, value in message.ListFields()],
    "text": lambda message: pbwire.text.dumps(unwrap(message)),
    "one line": lambda message: pbwire.text.dumps(unwrap(message), as_one_line=True, print_unknown_fields=True),
    "formatted": formatted,
    "json": lambda message: pbwire.json.dumps(unwrap(message)),
    "deterministic": lambda message: message.SerializeToString(deterministic=True),
    "size": lambda message: message.ByteSize(),
    "copy": lambda message: encoding(copy.copy(message)),
    "deepcopy": lambda message: encoding(copy.deepcopy(message)),
    "replace": lambda message: isinstance(message, CompatMessage) or encoding(dataclasses.replace(message)),
    "pickle": pickled,
    "wrap": lambda message: encoding(wrap(message)),
    "unwrap": lambda message: encoding(unwrap(message)),
    "initialized": lambda message: isinstance(message, CompatMessage) and message.IsInitialized(),
}


def set_numbers(message: Any, other: Any, number: int) -> None:
    for field in message.__table__.fields:
        if field.is_float and field.label == "singular":
            setattr(message, name_of(message, field), float(number))


def cut_lists(message: Any, other: Any, number: int) -> None:
    for values in lists_and_maps(message):
        if isinstance(values, list):
            del values[number:]
        else:
            values.clear()


def reverse_lists(message: Any, other: Any, number: int) -> None:
    for values in lists_and_maps(message):
        if isinstance(values, list):
            values.reverse()


def clear_field(message: Any, other: Any, number: int) -> None:
    fields = message.__table__.fields
    if fields:
        message.ClearField(name_of(message, fields[number % len(fields)]))


def clear_oneofs(message: Any, other: Any, number: int) -> None:
    for name in message.__table__.oneofs:
        message.ClearField(name)


def merge(message: Any, other: Any, number: int) -> None:
    if message is not other:
        message.MergeFrom(copy.deepcopy(other) if number % 2 else other)


def copy_from(message: Any, other: Any, number: int) -> None:
    message.CopyFrom(copy.deepcopy(other) if number % 2 else other)


def merge_text(message: Any, other: Any, number: int) -> None:
    text = pbwire.text.dumps(unwrap(other), as_one_line=number % 2 == 0)
    (text_format if isinstance(message, CompatMessage) else aliases).Merge(text, message)


Change = Callable[[Any, Any, int], Any]
CHANGES: dict[str, Change] = {
    "set numbers": set_numbers,
    "cut lists": cut_lists,
    "reverse lists": reverse_lists,
    "clear field": clear_field,
    "clear oneofs": clear_oneofs,
    "clear": lambda message, other, number: message.Clear(),
    "merge": merge,
    "merge bytes": lambda message, other, number: message.MergeFromString(encoding(other)),
    "merge text": merge_text,
    "copy from": copy_from,
    "parse": lambda message, other, number: message.ParseFromString(encoding(other)),
}


def replace_parts(function: Callable[[Any], Any]) -> Change:
    """Return the operation that replaces each part of a dataclass by what `function` makes of it."""

    def operation(message: Any, other: Any, number: int) -> None:
        for name, key, value in parts(message):
            if key is None:
                setattr(message, name, function(value))
            else:
                getattr(message, name)[key] = function(value)

    return operation


DATACLASS_CHANGES = CHANGES | {
    "copy parts": replace_parts(copy.copy),
    "deepcopy parts": replace_parts(copy.deepcopy),
    "replace parts": replace_parts(dataclasses.replace),
    "wrap parts": replace_parts(lambda value: unwrap(wrap(value))),
}


def copy_into_read_members(message: Any, other: Any, number: int) -> None:
    """Give a message content after its members were read, which may have been absent."""
    fields = [field for field in message.__table__.fields if field.label == "singular" and field.is_message]
    members = [getattr(message, field.text_name) for field in fields]
    for member in members:
        lists_and_maps(member)
    message.CopyFrom(other)
    if number and members:
        members[number % len(members)].SetInParent()


COMPAT_CHANGES = CHANGES | {
    "discard unknown fields": lambda message, other, number: message.DiscardUnknownFields(),
    "copy into read members": copy_into_read_members,
}


# --- tests -----------------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """An operation on a part of a copy, with a part of the same class of another copy if it needs one."""

    operation: str
    copy: int
    path: list[int]
    other: int
    other_path: list[int]
    number: int

    def apply(self, copies: list[Any], changes: dict[str, Change]) -> Any:
        """Return the result, or the type of an expected error."""
        *_, message = along(copies[self.copy], self.path)
        try:
            if self.operation in READS:
                return READS[self.operation](message)
            others = [p for p in along(copies[self.other], self.other_path) if p.__table__ is message.__table__]
            other = others[-1] if others else copy.deepcopy(message)
            if len(encoding(message)) + len(encoding(other)) < MAX_SIZE:
                changes[self.operation](message, other, self.number)
        except (Error, ValueError) as error:
            return type(error)
        return None


MAX_SIZE = 4000  # bytes; merging could double the size again and again

paths = st.lists(st.integers(0, 5), max_size=6)
copy_numbers = st.integers(0, COPIES - 1)


def steps(changes: dict[str, Change]) -> st.SearchStrategy[list[Step]]:
    operations = st.sampled_from([*changes, *READS])
    return st.lists(
        st.builds(Step, operations, copy_numbers, paths, copy_numbers, paths, st.integers(0, 9)), max_size=9
    )


def check(copies: list[Any], expected: list[Any], plan: list[Step], changes: dict[str, Change]) -> None:
    for step in plan:
        assert step.apply(copies, changes) == step.apply(expected, changes)
        assert [*map(encoding, copies)] == [*map(encoding, expected)], step
    with suppress(Error):
        assert [*map(pbwire.text.dumps, map(unwrap, copies))] == [*map(pbwire.text.dumps, map(unwrap, expected))]
    objects = [item for message in copies for item in walk(message)]
    assert len({*map(id, objects)}) == len(objects)
    assert [*map(encoding, copies)] == [*map(encoding, expected)]


def check_decoded(cls: Any, encodings: list[bytes], plan: list[Step], changes: dict[str, Change]) -> None:
    chosen = [encodings[index % len(encodings)] for index in range(COPIES)]
    copies = [cls.FromString(data) for data in chosen]
    lazy = [Holder.from_bytes(data, lazy=True) for data in chosen]
    check(copies, lazy if cls is Holder else [*map(wrap, lazy)], plan, changes)


@settings(max_examples=scaled(500))
@given(st.lists(holders.map(encoding), min_size=1, max_size=2), steps(DATACLASS_CHANGES))
def test_dataclasses(encodings, plan):
    check_decoded(Holder, encodings, plan, DATACLASS_CHANGES)


@settings(max_examples=scaled(500))
@given(st.lists(holders.map(encoding), min_size=1, max_size=2), steps(COMPAT_CHANGES))
def test_protobuf_style_messages(encodings, plan):
    check_decoded(compat_class(Holder), encodings, plan, COMPAT_CHANGES)


FLAGS = """
    as_utf8 as_one_line use_short_repeated_primitives pointy_brackets use_index_order use_field_number
    print_unknown_fields force_colon
"""
styles = st.fixed_dictionaries(
    {flag: st.booleans() for flag in FLAGS.split()}
    | {"indent": st.sampled_from([0, 3]), "float_format": st.sampled_from([None, ".3g"])}
)
limits = st.fixed_dictionaries(
    {
        "max_depth": st.integers(0, 12),
        "longest": st.none() | st.integers(1, 80),
        "most": st.none() | st.integers(1, 3),
    }
)


def shortened(message: Any, options: dict[str, int | None]) -> str:
    """Return the text of a message that is cut by some limits, or the error."""
    out = io.StringIO()
    try:
        pbwire.text.dump(message, out, **options)
    except Error as error:
        return repr(error)
    return out.getvalue()


@settings(max_examples=scaled(500))
@given(holders.map(encoding), styles, limits)
def test_texts(data, style, limit):
    holders = [Holder.from_bytes(data, lazy=is_lazy) for is_lazy in (False, True)]
    eager, lazy = (Holder(values={"key": Value(holder=holder)}) for holder in holders)
    assert aliases.MessageToString(eager, **style) == aliases.MessageToString(lazy, **style)
    assert shortened(eager, limit) == shortened(lazy, limit)
