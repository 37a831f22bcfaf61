"""The fast parser gives what documents give, or leaves the text to them; it parses all usual text itself."""

from __future__ import annotations

import json as plain_json
from functools import cache
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbwire import EncodeError, JsonError, json
from pbwire.codec.codegen import function
from pbwire.descriptor import table_of
from pbwire.json import elements, entry_points, fast_parser
from pbwire.json.field_lookup import SPECIAL
from pbwire.json.scalars import ParseOptions
from pbwire.table import Message
from tests.golden.json import answers
from tests.pbwire.json.generated import SAMPLES, TYPES, generated
from tests.pbwire.json.kinds import Named, Special
from tests.support.effort import scaled
from tests.support.samples import Leaf, Maps, Recursive, Repeated
from tfmodel.messages import AttrValue, BundleEntryProto, FunctionDef, GraphDef, NodeDef, OpDef, VersionDef

STYLES: list[dict[str, Any]] = [
    {"indent": 2},
    {"indent": None},
    {"separators": (",", ":")},
    {"indent": "\t", "separators": (" ,", " : ")},
    {"indent": 0},
]


def by_document(text: str, cls: type[Any], **options: Any) -> Any:
    """Return the message that the text has without the fast parser, or the error."""
    try:
        document = entry_points.Document(text)
        message = entry_points.read(document.value, cls, **options)
        document.finish()
    except JsonError as error:
        return str(error)
    return message


def options(**changes: Any) -> dict[str, Any]:
    return {"ignore_unknown": False, "types": TYPES, "max_depth": 101} | changes


def assert_the_same(text: str, cls: type[Any], **changes: Any) -> bool:
    """Compare both parsers, and return whether the fast parser has parsed the text."""
    fast = fast_parser.parse(text, cls, ParseOptions(**options(**changes)), min_length=0)
    if fast is not None:
        expected = by_document(text, cls, **options(**changes))
        assert repr(fast) == repr(expected)  # NaN differs from itself
        assert encoded(fast) == encoded(expected)
    return fast is not None


def encoded(message: Any) -> bytes | str:
    try:
        return message.to_bytes(deterministic=True)  # type: ignore[no-any-return]  # `message` has no type
    except EncodeError as error:  # a required field is missing
        return str(error)


def parsed(text: str, cls: type[Any]) -> Any:
    """Return the message that the fast parser makes."""
    assert assert_the_same(text, cls)
    return fast_parser.parse(text, cls, ParseOptions(**options()), min_length=0)


def parts(message: Any) -> list[Any]:
    """Return all messages, lists and maps in a message."""
    found = [message]
    for field, value in message.ListFields():
        if field.label != "singular":
            found.append(value)
        if (field.value or field).is_message:
            for part in value.values() if field.label == "map" else value if field.label == "repeated" else [value]:
                found += parts(part)
    return found


# --- what is parsed --------------------------------------------------------------------------------------------------


def test_goldens() -> None:
    rows = [plain_json.loads(line) for line in answers.FILE.read_text().splitlines()]
    count = sum(
        assert_the_same(row["document"], TYPES[row["type"]], ignore_unknown=row.get("ignore", False)) for row in rows
    )
    assert count > 250


@pytest.mark.parametrize("cls", [*SAMPLES, Special, Named], ids=lambda cls: cls.__name__)
def test_everything_that_is_printed_is_parsed(cls: type[Message]) -> None:
    if table_of(cls).is_extendable or table_of(cls).full_name in SPECIAL:
        pytest.skip("is parsed as a document")
    for message in generated(cls, scaled(10)):
        document = json.to_dict(message, types=TYPES)
        for style in STYLES:
            assert assert_the_same(plain_json.dumps(document, **style), cls)
        assert assert_the_same(json.dumps(message, types=TYPES, preserving_proto_field_name=True), cls)
        assert assert_the_same(json.dumps(message, types=TYPES, sort_keys=True, ensure_ascii=False), cls)


ATTRIBUTES: list[Any] = [{"type": "DT_FLOAT"}, {"b": True}, {"list": {"shape": [{"dim": [{"size": "1"}]}, {}]}}]
ATTRIBUTES += [{"list": {"shape": [{"dim": [{"size": "1"}, {"size": "1"}]}]}}, {"s": "fX19"}, {"func": {"name": "}}"}}]
ATTRIBUTES += [{"func": {"name": "f", "attr": {"T": {"type": "DT_FLOAT"}, "é\n}": {"i": "1"}}}}, {}, {"list": {}}]
attributes = st.dictionaries(st.sampled_from(["T", "N", "é", '"', "}", "a\n}"]), st.sampled_from(ATTRIBUTES))
graphs = st.lists(st.fixed_dictionaries({"name": st.sampled_from("ab"), "attr": attributes}), max_size=8)


@pytest.mark.parametrize("style", STYLES, ids=str)
@given(nodes=graphs)
@settings(max_examples=scaled(60), deadline=None)
def test_repeated_elements_are_copies(style: dict[str, Any], nodes: list[Any]) -> None:
    text = plain_json.dumps({"node": nodes * 5}, **style)
    message = parsed(text, GraphDef)
    identities = [id(part) for part in parts(message)]
    assert len(identities) == len({*identities})


def test_parsers_leave_nothing_behind() -> None:
    parsed(plain_json.dumps({"node": [{"attr": {"T": {"type": "DT_FLOAT"}}}] * 5}), GraphDef)
    assert elements.NO_ENTRY[-1] == []


def test_elements_that_begin_like_others_are_told_apart() -> None:
    shapes = [[1], [1, 2], [1, 2, 3], [2], [1, 2], [1, 2, 3, 4], [1]]
    for style in STYLES:
        document = {
            "attr": {f"a{i}": {"shape": {"dim": [{"size": n} for n in sizes]}} for i, sizes in enumerate(shapes)}
        }
        message = parsed(plain_json.dumps({"node": [document, document]}, **style), GraphDef)
        for node in message.node:
            assert [[dim.size for dim in value.shape.dim] for value in node.attr.values()] == shapes  # type: ignore[union-attr]  # all have shapes


def test_an_entry_with_the_indentation_of_its_map() -> None:
    text = '{"attr": {\n"a": {}\n}, "name": "x"}'
    doubled = f'{{"node": [{text}, {text}, {{"attr": {{\n"a": {{}}\n,"b": {{}}\n}}}}]}}'
    assert [[*node.attr] for node in parsed(doubled, GraphDef).node] == [["a"], ["a"], ["a", "b"]]


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_elements_that_do_not_repeat_themselves_are_read_as_documents(
    style: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elements, "SAMPLE", 16)
    monkeypatch.setattr(elements, "MIN_PAUSE", 64)
    unique = [{"name": f"n{i}", "attr": {"i": {"i": str(i)}, "s": {"s": f"AA{i:02}"}}} for i in range(100)]
    same = [{"name": f"n{i}", "attr": {"T": {"type": "DT_FLOAT"}, "N": {"i": "7"}}} for i in range(100)]
    text = plain_json.dumps({"node": [*unique, *same, *unique[:50], *same]}, **style)
    parser = elements.Parser(text, ParseOptions(**options()))
    message, end = function(table_of(GraphDef), "parse_json")(parser, 1, 101)
    parser.share_members()
    assert end == len(text)
    assert message == by_document(text, GraphDef, **options())
    (memory,) = parser.memories.values()
    assert 16 <= len(memory.entries()) < 150  # of 300 unique ones, and two
    assert sum(sum(uses) for *_, uses in memory.entries()) >= 300
    assert not elements.NO_ENTRY[-1]  # it belongs to all parsers


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_the_memory_is_limited(style: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "SAMPLE", 1 << 20)  # nothing is read as a document
    monkeypatch.setattr(elements, "MAX_REMEMBERED", 16)
    monkeypatch.setattr(elements, "MAX_LENGTH", 100)
    values: list[Any] = [{"s": "AAAA" * 50}, *({"i": str(i)} for i in range(40))]
    nodes = [{"op": f"o{i % 30}", "attr": {"a": value, "b": {"b": True}}} for i, value in enumerate(values * 3)]
    text = plain_json.dumps({"node": nodes}, **style)
    parser = elements.Parser(text, ParseOptions(**options()))
    message, _ = function(table_of(GraphDef), "parse_json")(parser, 1, 101)
    parser.share_members()
    assert message == by_document(text, GraphDef, **options())
    (memory,) = parser.memories.values()
    assert len(memory.entries()) <= len(memory.by_text) <= 18
    assert len(memory.similar) <= 16
    assert all(len(known[0]) <= 100 for known in [*memory.entries(), *chain(*memory.similar.values())])


def test_keys_that_are_out_of_order_or_missing() -> None:
    maps = ["abc", "acb", "ab", "bc", "cab", "abcd", "abc", "dabc", "b", "abc"]
    for style in STYLES:
        nodes = [{"op": "x", "attr": {key: {"s": key * 4} for key in keys}} for keys in maps * 2]
        message = parsed(plain_json.dumps({"node": nodes}, **style), GraphDef)
        assert [[*node.attr] for node in message.node] == [[*keys] for keys in maps * 2]


def test_long_texts_are_parsed_by_the_fast_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [{"name": f"n{i}", "attr": {"T": {"type": "DT_FLOAT"}}} for i in range(20)]
    text = plain_json.dumps({"node": nodes}, indent=2)
    long = text + " " * fast_parser.MIN_TEXT_LENGTH
    expected = json.loads(text, GraphDef)
    monkeypatch.delattr(entry_points, "Document")  # the other parser
    assert json.loads(long, GraphDef) == expected
    assert json.Parse(long, GraphDef()) == expected


def test_a_long_text_is_parsed_into_an_existing_message() -> None:
    text = '{"name": "x", "attr": {"T": {"i": "1"}}}' + " " * fast_parser.MIN_TEXT_LENGTH
    message = NodeDef(op="y")
    assert json.Parse(text, message) is message
    assert (message.name, message.op, message.attr["T"].i) == ("x", "y", 1)


def test_integers_of_a_long_text_are_exact() -> None:
    text = '{"i": 9007199254740993.0}' + " " * fast_parser.MIN_TEXT_LENGTH
    assert json.loads(text, AttrValue).i == 2**53 + 1
    message = AttrValue()
    assert json.Parse(text, message).i == 2**53 + 1


def test_unknown_fields_are_skipped() -> None:
    text = '{"name": "x", "a": {"b": [1, {"c": null}]}, "op": "y", "d": 1e400}'
    assert assert_the_same(text, NodeDef, ignore_unknown=True)
    assert not assert_the_same(text, NodeDef)


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        (NodeDef, '{"name": "x", "op": "y", "input": ["z"], "device": "d"}'),
        (NodeDef, '{"name": "x"}'),
        (NodeDef, '{"name": "", "op": "", "input": []}'),
        (NodeDef, '{"name": "é", "op": "\\u00e9"}'),
        (NodeDef, '{"name": "a]\\"}", "op": "}"}'),
        (NodeDef, '{"name": "x", "device": "d", "op": "y", "input": ["z"]}'),
        (NodeDef, '{"op": "y", "name": "x"}'),
        (NodeDef, '{"name": null, "op": null, "input": null, "attr": null}'),
        (NodeDef, '{"name" : "x" , "op" : "y" }'),
        (NodeDef, '{"name":"x",\r\n\t"op":"y"\n\n}'),
        (VersionDef, '{"producer": -2147483648, "minConsumer": 0, "badConsumers": [1]}'),
        (VersionDef, '{"producer": "1", "minConsumer": 1.0}'),
        (VersionDef, '{"producer": -0}'),
        (BundleEntryProto, '{"dtype": "DT_FLOAT"}'),
        (BundleEntryProto, '{"dtype": 1, "shape": {}, "shard_id": 1, "offset": "-9223372036854775808"}'),
        (OpDef.ArgDef, '{"name": "x", "type_attr": "T", "isRef": true}'),
        (OpDef.ArgDef, '{"name": "x", "type": "DT_INT8", "typeAttr": "T", "handleData": [{}], "isRef": false}'),
        (OpDef.AttrDef, '{"name": "x", "type": "y", "defaultValue": {"i": "1"}, "hasMinimum": true, "minimum": "1"}'),
    ],
)
def test_first_fields(cls: type[Any], text: str) -> None:
    assert assert_the_same(text, cls)


def test_names_and_layouts_may_change() -> None:
    """Names and layouts are expected to be those of the last message of the class."""
    nodes = [
        '{"name":"a","op":"b","attr":{"T":{"b":true}}}',
        '{ "attr" : {\n"T" : {"b": true} } , "name" : "a", "op" : "b" }',
        '{\n  "name": "a",\n  "op": "b",\n  "attr": {\n    "T": {\n      "b": true\n    }\n  }\n}',
        '{"experimental_type": {}, "attr": {}, "op": "b", "name": "a"}',
        '{"experimentalType": {}, "op": "b", "name": "a"}',
        "{}",
    ]
    for repeated in (nodes, nodes[::-1], [*nodes[:3]] * 2 + nodes[3:] * 2):
        assert assert_the_same(f'{{"node": [{", ".join(repeated * 3)}]}}', GraphDef)


# --- what is left to documents ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        (NodeDef, '{"name": "x", "name": "x"}'),
        (NodeDef, '{"attr": {"T": {}, "T": {}}}'),
        (NodeDef, '{"attr": {"T": {}, "\\u0054": {}}}'),
        (NodeDef, '{"experimentalType": {}, "experimental_type": {}}'),
        (NodeDef, '{"name": null, "name": "x"}'),
        (NodeDef, '{"attr": {"T": null}}'),
        (NodeDef, '{"input": ["x", null]}'),
        (NodeDef, '{"input": "abc"}'),
        (NodeDef, '{"attr": []}'),
        (NodeDef, '{"name": "x",}'),
        (NodeDef, '{"name": "x", "input":}'),
        (NodeDef, '{"name": "x", "op": "y" "input": []}'),
        (NodeDef, '{"name": "x", "op": "y"'),
        (NodeDef, '{"name": "x", "op": "y", "op": "y"}'),
        (NodeDef, '{"name": "x", "input": [], "op": "y", "name": "x"}'),
        (NodeDef, '{"name": "x\ny"}'),
        (VersionDef, '{"producer": 01}'),
        (VersionDef, '{"producer": 2147483648}'),
        (VersionDef, '{"producer": 1, "minConsumer": "x"}'),
        (BundleEntryProto, '{"dtype": "DT_FLOAT", "shape":}'),
        (BundleEntryProto, '{"dtype": "DT_NONE"}'),
        (NodeDef, '{"name": "x"} {}'),
        (NodeDef, '{"name": "x"'),
        (NodeDef, '{"name": "\\ud800"}'),
        (NodeDef, '{"attr": {"\\ud800": {}}}'),
        (NodeDef, '{"attr": {"T": {}'),
        (NodeDef, '{"attr": {"T" {}}}'),
        (GraphDef, '{"node": [{}, ]}'),
        (GraphDef, '{"node": [{} {}]}'),
        (GraphDef, '{"node": {}}'),
        (GraphDef, '{"node": [null]}'),
        (AttrValue, '{"i": 1, "b": true}'),
        (AttrValue, '{"i": NaN}'),
        (AttrValue, '{"i": ' + "9" * 5000 + "}"),
        (AttrValue, '{"shape": {}, "list": {}}'),
        (FunctionDef, '{"argAttr": {"1": {}, "1.0": {}}}'),
        (FunctionDef, '{"argAttr": {"x": {}}}'),
        (Leaf, '{"number": 1, "x": {"a": 1, "a": 2}}'),
    ],
)
def test_invalid_text_is_left_to_documents(cls: type[Any], text: str) -> None:
    assert not assert_the_same(text, cls)
    with pytest.raises(JsonError) as error:
        json.loads(text, cls)
    assert by_document(text, cls, **options()) in (str(error.value), error.value.message)


def test_a_repeated_name_among_unknown_fields_is_refused() -> None:
    with pytest.raises(JsonError, match='duplicate key "x" in an object'):
        json.loads('{"x": 1, "name": "a", "x": 2}', NodeDef, ignore_unknown_fields=True)


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_remembered_elements_are_not_nested_too_deeply(style: dict[str, Any]) -> None:
    """The same text is accepted at one level and refused at another."""
    inner: Any = {"func": {"name": "f", "attr": {"x": {"func": {"name": "g", "attr": {"y": {"i": "1"}}}}}}}
    document = {"attr": {"deep": inner, "deeper": {"func": {"attr": {"deep": inner}}}}}
    text = plain_json.dumps(document, **style)
    depths = [depth for depth in range(1, 12) if by_document(text, NodeDef, **options(max_depth=depth)) != 0]
    parsed = [depth for depth in depths if assert_the_same(text, NodeDef, max_depth=depth)]
    accepted = [d for d in depths if not isinstance(by_document(text, NodeDef, **options(max_depth=d)), str)]
    assert parsed == accepted
    assert min(accepted) == 8


PIECES = ["", "{", "}", "[", "]", ",", ":", '"', "null", " ", "\n", "1", "\\"]


@cache
def damageable() -> list[Any]:
    classes = [GraphDef, FunctionDef, Maps, Repeated, Recursive, Special]
    return [message for cls in classes for message in generated(cls, 20)]


@given(data=st.data())
@settings(max_examples=scaled(300), deadline=None, suppress_health_check=[HealthCheck.nested_given])
def test_damaged_text(data: st.DataObject) -> None:
    message = data.draw(st.sampled_from(damageable()))
    text = plain_json.dumps(json.to_dict(message, types=TYPES), **data.draw(st.sampled_from(STYLES)))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(len(text), start + 12)))
        other = data.draw(st.integers(0, len(text)))
        piece = data.draw(st.sampled_from(PIECES) | st.just(text[other : other + 9]))
        text = text[:start] + piece + text[stop:]
    assert_the_same(text, type(message), ignore_unknown=data.draw(st.booleans()))
