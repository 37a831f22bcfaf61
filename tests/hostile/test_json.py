"""JSON documents that are slow to parse, or contradictory."""

from __future__ import annotations

import pytest

from pbwire import JsonError, json
from tests.hostile.measure import assert_linear
from tfmodel.messages import AttrValue, GraphDef, NodeDef, TensorProto

LONG = 200_000


def refused(document: str | bytes, cls: type = GraphDef, **options: bool) -> str:
    with pytest.raises(JsonError) as raised:
        json.loads(document, cls, **options)
    assert len(str(raised.value)) < 2_000
    return str(raised.value)


FLOODS = {
    "blanks": (NodeDef, lambda size: "{" + " " * size + "}"),
    "a string": (NodeDef, lambda size: '{"name":"' + "x" * size + '"}'),
    "escapes": (NodeDef, lambda size: '{"name":"' + "\\u0061" * (size // 6) + '"}'),
    "inputs": (NodeDef, lambda size: '{"input":[' + '"x",' * (size // 4) + '"x"]}'),
    "unknown members": (NodeDef, lambda size: "{" + ",".join(f'"x{n}":0' for n in range(size // 10)) + "}"),
    "attributes": (
        NodeDef,
        lambda size: '{"attr":{' + ",".join(f'"{n}":{{"i":"1"}}' for n in range(size // 16)) + "}}",
    ),
    "numbers": (TensorProto, lambda size: '{"floatVal":[' + "1," * (size // 2) + "1]}"),
    "numbers in quotes": (TensorProto, lambda size: '{"int64Val":[' + '"1",' * (size // 4) + "1]}"),
    "base64": (TensorProto, lambda size: '{"tensorContent":"' + "AAAA" * (size // 4) + '"}'),
    "base64 in lines": (TensorProto, lambda size: '{"tensorContent":"' + "AA==" * (size // 4) + '"}'),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood(flood):
    """Attack: a document that is long in one way.

    Naive: copies the remaining document for each token.
    Stopped by: pbwire.json.entry_points.Document
    """
    cls, make = FLOODS[flood]

    def read(document: str) -> None:
        try:
            json.loads(document, cls, ignore_unknown_fields=True)
        except JsonError:
            assert flood == "base64 in lines"

    assert_linear(read, make, 30_000)


def test_integers_of_many_digits():
    """Attack: numbers of a hundred thousand digits, bare, in quotes, as a key, and in ignored fields.

    Naive: calls int(), which takes quadratic time, or raises ValueError above 4,300 digits.
    Stopped by: pbwire.json.entry_points.Document, pbwire.json.scalars
    """
    digits = "7" * LONG
    assert "200,000 digits" in refused(f'{{"i":{digits}}}', AttrValue)
    refused(f'{{"i":"{digits}"}}', AttrValue)
    refused(f'{{"x":{digits}}}', AttrValue, ignore_unknown_fields=True)
    refused(f'{{"argAttr":{{"{digits}":{{}}}}}}', GraphDef)
    assert_linear(lambda document: refused(document, AttrValue), lambda size: '{"i":"%s"}' % ("7" * size), 30_000)


@pytest.mark.parametrize(
    "value", ["1e400", "-1e400", "1e99999999999", '"1e400"', "1e309", "NaN", "Infinity", "-Infinity"]
)
def test_numbers_outside_the_range_of_floats(value):
    """Attack: exponents that are too large, and NaN and Infinity, which Python's parser accepts.

    Naive: returns infinity for a finite number, or NaN from invalid JSON.
    Stopped by: pbwire.json.scalars, pbwire.json.entry_points.Document
    """
    refused(f'{{"f":{value}}}', AttrValue)


@pytest.mark.parametrize(
    "value", ["1e400", "1.5", "1e-1", "9223372036854775808", '"1e30"', '" 1"', '"1_0"', '"٣"', "true"]
)
def test_numbers_that_are_not_integers(value):
    """Attack: numbers for an integer field that Python's int() would accept or round.

    Naive: int(float(...)): OverflowError for infinity, another number for a large one.
    Stopped by: pbwire.json.scalars
    """
    refused(f'{{"i":{value}}}', AttrValue)


@pytest.mark.parametrize("name", [r'"\ud800"', r'"\udc00\ud800"', r'"a\udfff"'])
def test_half_of_a_surrogate_pair(name):
    """Attack: a string that UTF-8 cannot encode.

    Naive: keeps it, and fails with UnicodeEncodeError when the message is written or printed.
    Stopped by: pbwire.json.scalars
    """
    refused(f'{{"name":{name}}}', NodeDef)
    refused(f'{{"attr":{{{name}:{{}}}}}}', NodeDef)


def test_duplicate_members():
    """Attack: one name twice in an object, or under both of its spellings.

    Naive: takes the last one where another reader takes the first, so that the checked model is not the executed one.
    Stopped by: pbwire.json.field_lookup.ObjectWithRepeatedKey, pbwire.json.field_lookup.FieldNames
    """
    assert 'duplicate key "name"' in refused('{"name":"a","name":"b"}', NodeDef)
    refused('{"x":{"a":1,"a":2}}', NodeDef, ignore_unknown_fields=True)
    refused('{"tensorContent":"","tensor_content":""}', TensorProto)
    refused('{"attr":{"a":{},"a":{}}}', NodeDef)
    refused('{"i":"1","f":1}', AttrValue)  # two of a oneof


@pytest.mark.parametrize(
    "data", [b'{"name":"\xff"}', b"\xff\xfe{\0}\0", b"\xef\xbb\xbf\xef\xbb\xbf{}", b"", b"{} {}", b"{}\0"]
)
def test_invalid_json(data):
    """Attack: invalid UTF-8, two documents, a zero byte behind the first.

    Naive: raises UnicodeDecodeError, or ignores half of the file.
    Stopped by: pbwire.json.entry_points.Document
    """
    refused(data, NodeDef)
