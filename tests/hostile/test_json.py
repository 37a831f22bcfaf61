"""Attacks with JSON: slow to read, or contradictory."""

from __future__ import annotations

import pytest

from pbwire import JsonError, json
from tests.hostile.measure import assert_linear
from tfmodel.messages import AttrValue, GraphDef, NodeDef, TensorProto

LONG = 200_000


def refused(given: str | bytes, cls: type = GraphDef, **options: bool) -> str:
    with pytest.raises(JsonError) as raised:
        json.loads(given, cls, **options)
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

    Naive: a parser that copies what is left for each token.
    Stopped by: pbwire.json.entry_points.Document
    """
    cls, make = FLOODS[flood]

    def read(given: str) -> None:
        try:
            json.loads(given, cls, ignore_unknown_fields=True)
        except JsonError:
            assert flood == "base64 in lines"

    assert_linear(read, make, 30_000)


def test_integers_of_many_digits():
    """Attack: numbers of a hundred thousand digits, bare, in quotes, as a key, and in ignored fields.

    Naive: int() takes time of the square of them, or raises ValueError above 4,300.
    Stopped by: pbwire.json.entry_points.Document, pbwire.json.scalars
    """
    digits = "7" * LONG
    assert "200,000 digits" in refused(f'{{"i":{digits}}}', AttrValue)
    refused(f'{{"i":"{digits}"}}', AttrValue)
    refused(f'{{"x":{digits}}}', AttrValue, ignore_unknown_fields=True)
    refused(f'{{"argAttr":{{"{digits}":{{}}}}}}', GraphDef)
    assert_linear(lambda given: refused(given, AttrValue), lambda size: '{"i":"%s"}' % ("7" * size), 30_000)


@pytest.mark.parametrize(
    "value", ["1e400", "-1e400", "1e99999999999", '"1e400"', "1e309", "NaN", "Infinity", "-Infinity"]
)
def test_numbers_that_no_float_has(value):
    """Attack: exponents that are too large, and the constants that Python takes for JSON.

    Naive: an infinity where a number was meant, or NaN from a file that is no JSON.
    Stopped by: pbwire.json.scalars, pbwire.json.entry_points.Document
    """
    refused(f'{{"f":{value}}}', AttrValue)


@pytest.mark.parametrize(
    "value", ["1e400", "1.5", "1e-1", "9223372036854775808", '"1e30"', '" 1"', '"1_0"', '"٣"', "true"]
)
def test_numbers_that_no_integer_has(value):
    """Attack: numbers for an integer field that Python's int() would take, or round.

    Naive: int(float(...)): OverflowError for infinity, another number for a large one.
    Stopped by: pbwire.json.scalars
    """
    refused(f'{{"i":{value}}}', AttrValue)


@pytest.mark.parametrize("name", [r'"\ud800"', r'"\udc00\ud800"', r'"a\udfff"'])
def test_half_of_a_surrogate_pair(name):
    """Attack: a string that cannot be encoded.

    Naive: keeps it, and fails with UnicodeEncodeError when the message is written or printed.
    Stopped by: pbwire.json.scalars
    """
    refused(f'{{"name":{name}}}', NodeDef)
    refused(f'{{"attr":{{{name}:{{}}}}}}', NodeDef)


def test_duplicate_members():
    """Attack: one name twice in an object, or under both of its spellings.

    Naive: the last one counts for one reader and the first for another, so that what was checked is not what is run.
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
    """Attack: bytes that are no UTF-8, two documents, a zero behind the first.

    Naive: UnicodeDecodeError, or half of the file is ignored.
    Stopped by: pbwire.json.entry_points.Document
    """
    refused(data, NodeDef)
