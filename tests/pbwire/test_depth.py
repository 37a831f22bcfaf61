"""Every printed text can be parsed, however deeply nested; otherwise printing is refused, or an Any stays packed."""

from __future__ import annotations

from functools import partial, reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire import DecodeError, EncodeError, JsonError, TextFormatError, json, text
from pbwire import table as pb
from pbwire.wellknown import Any, BoolValue, ListValue, Struct, Timestamp, Value


@pb.message("sample.Tree")
class Tree(pb.Message):
    """A message that nests in all possible ways."""

    child: Tree | None = pb.field("Tree", 1)
    children: list[Tree] = pb.repeated("Tree", 2)
    by_name: dict[str, Tree] = pb.map(pb.string, "Tree", 3)
    any: Any | None = pb.field(Any, 4)
    value: Value | None = pb.field(Value, 5)
    numbers: dict[int, int] = pb.map(pb.int32, pb.int32, 6)
    flag: BoolValue | None = pb.field(BoolValue, 7)


TYPES = {cls.__table__.full_name: cls for cls in (Tree, Any, BoolValue, ListValue, Struct, Timestamp, Value)}


def packed(message):
    return Any(type_url=f"x/{message.__table__.full_name}", value=message.to_bytes(deterministic=True))


STEPS = {  # what may stand around a Tree
    "child": lambda tree: Tree(child=tree),
    "list": lambda tree: Tree(children=[tree]),
    "map": lambda tree: Tree(by_name={"a": tree}),
    "any": lambda tree: Tree(any=packed(tree)),
    "any in any": lambda tree: Tree(any=packed(packed(tree))),
}
AROUND = {  # and around a Value
    "list": lambda value: Value(list_value=ListValue(values=[value])),
    "struct": lambda value: Value(struct_value=Struct(fields={"a": value})),
}
ENDS = {
    "empty": Tree(),
    "map": Tree(numbers={1: 2}),
    "wrapper": Tree(flag=BoolValue(value=True)),
    "null": Tree(value=Value(null_value=0)),
    "empty any": Tree(any=Any()),
    "any of time": Tree(any=packed(Timestamp(seconds=1))),
    "any of value": Tree(any=packed(AROUND["list"](Value(bool_value=True)))),
}


def nested(end, *steps):
    """The message `end` inside of the last of `steps`, which is inside of the last but one."""
    return reduce(lambda message, step: step(message), reversed(steps), end)


def tree(end, *steps):
    return nested(ENDS[end], *map(STEPS.get, steps))


PRINTERS = {
    "text": (text.dumps, text.loads),
    "text in one line": (partial(text.dumps, as_one_line=True), text.loads),
    "json": (json.dumps, json.loads),
    "json in one line": (partial(json.dumps, indent=None), json.loads),
    "dict": (json.to_dict, json.from_dict),
}


def read_back(form, message):
    """Return whether the message is printed, and parsed again unchanged."""
    dump, load = PRINTERS[form]
    try:
        printed = dump(message, types=TYPES)
    except EncodeError as error:
        assert "nested" in str(error)
        return False
    assert load(printed, type(message), types=TYPES) == message
    return True


@pytest.mark.parametrize(
    ("message", "as_text", "as_json"),
    [
        (tree("empty", *["child"] * 100), True, True),
        (tree("empty", *["child"] * 101), False, False),
        (tree("empty", *["list"] * 100), True, True),
        (tree("empty", *["list"] * 101), False, False),
        (tree("empty", *["map"] * 50), True, True),
        (tree("empty", *["map"] * 51), False, True),  # an entry of a map is a level in text
        (tree("empty", *["map"] * 100), False, True),
        (tree("empty", *["map"] * 101), False, False),
        (tree("map", *["child"] * 99), True, True),
        (tree("map", *["child"] * 100), False, True),
        (tree("wrapper", *["child"] * 99), True, True),
        (tree("wrapper", *["child"] * 100), False, False),
        (tree("null", *["child"] * 99), True, True),
        (tree("null", *["child"] * 100), False, False),
        (tree("empty any", *["child"] * 99), True, True),
        (tree("empty any", *["child"] * 100), False, False),
        (tree("any of time", *["child"] * 98), True, True),
        (tree("any of time", *["child"] * 99), True, False),  # the Any stays packed in text, and cannot in JSON
        (tree("any of time", *["child"] * 100), False, False),
        (tree("empty", *["any"] * 100), True, True),
        (tree("empty", *["any"] * 101), True, False),
        (tree("empty", *["child"] * 50, "any", *["child"] * 49), True, True),
        (tree("empty", *["child"] * 50, "any", *["child"] * 50), True, False),
        (tree("empty", *["child"] * 10, "any", *["map"] * 50), True, True),
        (tree("empty", "any", *["child"] * 100), True, False),
        (tree("empty", *["any in any"] * 50), True, True),
        (tree("empty", *["any in any"] * 51), True, False),
        (nested(Value(bool_value=True), *[AROUND["list"]] * 50), True, True),
        (nested(Value(bool_value=True), *[AROUND["list"]] * 51), False, False),
        (nested(Value(bool_value=True), *[AROUND["struct"]] * 33), True, True),
        (nested(Value(bool_value=True), *[AROUND["struct"]] * 50), False, True),
        (nested(Value(bool_value=True), *[AROUND["struct"]] * 51), False, False),
        (packed(nested(Value(bool_value=True), *[AROUND["list"]] * 49)), True, True),
        (packed(nested(Value(bool_value=True), *[AROUND["list"]] * 50)), True, False),
    ],
    ids=lambda value: "" if isinstance(value, pb.Message) else None,
)
def test_the_nesting_limit_is_exact(message, as_text, as_json):
    assert [read_back(form, message) for form in PRINTERS] == [as_text] * 2 + [as_json] * 3


PATHS = st.tuples(st.lists(st.sampled_from([*STEPS]), min_size=1, max_size=4), st.integers(30, 110)).map(
    lambda drawn: (drawn[0] * drawn[1])[: drawn[1]]
)


@given(PATHS, st.sampled_from([*ENDS]), st.booleans())
@settings(max_examples=12, deadline=None)
def test_printed_messages_are_parsed(steps, end, lazy):
    message = tree(end, *steps)
    if lazy:
        try:
            Tree.from_bytes(message.to_bytes())
        except DecodeError:
            return
        message = Tree.from_bytes(message.to_bytes(), lazy=True)
    for form in PRINTERS:
        read_back(form, message)


@pytest.mark.parametrize("fewer", [0, 1])
def test_an_any_stays_packed_only_where_it_has_to(fewer):
    printed = text.dumps(tree("any of time", *["child"] * (98 - fewer), "any"), types=TYPES)
    assert printed.count("[x/sample.Tree] {") == fewer
    assert ("[x/google.protobuf.Timestamp] {" in printed) is False


def test_a_larger_limit_can_be_set():
    message = tree("any of time", *["child"] * 149)
    shown = text.dumps(message, types=TYPES, max_depth=151)
    assert "[x/google.protobuf.Timestamp]" in shown
    assert text.loads(shown, Tree, types=TYPES, max_depth=151) == message
    with pytest.raises(TextFormatError, match="nested more than 150 levels"):
        text.loads(shown, Tree, types=TYPES, max_depth=150)
    shown = json.dumps(message, types=TYPES, max_depth=152)
    assert json.loads(shown, Tree, types=TYPES, max_depth=152) == message
    with pytest.raises(JsonError, match="more than 151 levels"):
        json.loads(shown, Tree, types=TYPES, max_depth=151)
    for printed, limit in ((text.dumps, 149), (json.dumps, 151), (json.to_dict, 151)):
        with pytest.raises(EncodeError, match=f"nested.* more than {limit} .*a larger max_depth"):
            printed(message, types=TYPES, max_depth=limit)


def test_protobufs_functions_print_messages_of_any_depth():
    message = tree("map", *["child"] * 150)
    assert text.MessageToString(message).count("child {") == 150
    assert json.MessageToJson(message).count('"child": {') == 150


def test_fields_without_names_are_not_guessed_to_be_nested_more_deeply():
    unknown = reduce(lambda data, _: b"\x7a" + bytes([len(data)]) + data, range(40), b"")
    message = nested(Tree(unknown_fields=unknown), *[STEPS["child"]] * 80)
    printed = text.dumps(message, print_unknown_fields=True)
    assert printed.count("15 {") == 20
    text.loads(printed, Tree, allow_unknown_field=True)
