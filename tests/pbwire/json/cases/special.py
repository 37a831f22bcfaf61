"""Google's own messages, which have special JSON forms, and TensorFlow's messages."""

from __future__ import annotations

from pbwire import wellknown as wk
from tests.pbwire.json.kinds import Special
from tfmodel.messages import AttrValue, CollectionDef, GraphDef, NodeDef, TensorProto, TensorShapeProto

from .table import cases, differ, differing, refused, values

# --- Timestamp, Duration, FieldMask ------------------------------------------------------------------------------

values(
    Special,
    "timestamp",
    '"1970-01-01T00:00:00Z"',
    '"2024-02-29T12:30:45.5Z"',
    '"2023-02-29T00:00:00Z"',
    '"0001-01-01T00:00:00Z"',
    '"9999-12-31T23:59:59.999999999Z"',
    '"0000-01-01T00:00:00Z"',
    '"10000-01-01T00:00:00Z"',
    '"1970-01-01T00:00:00.123456789Z"',
    '"1970-01-01T00:00:00.1234567891Z"',
    '"1970-01-01T00:00:00+01:00"',
    '"1970-01-01T00:00:00-01:30"',
    '"0001-01-01T00:00:00+01:00"',
    '"9999-12-31T23:59:59-00:01"',
    '"1970-01-01T00:00:00"',
    '"1970-01-01t00:00:00Z"',
    '"1970-01-01T00:00:00z"',
    '"1970-01-01 00:00:00Z"',
    '"1970-01-01T24:00:00Z"',
    '""',
    "0",
    '"1970-01-01T23:59:60Z"',
    '"1970-01-01T00:60:00Z"',
    '"1970-13-01T00:00:00Z"',
    '"1970-01-01Z"',
    '"1970-01-01"',
    "{}",
    '"1970-01-01T00:00:00ZZ"',
    '"1970-01-01T00:00:00+0100"',
    '"1970-01-01T00:00:00+01"',
    '"1970-01-01T00:00:00Z "',
    '"1969-12-31T23:59:59.999Z"',
    '"1970-01-01T00:00:00.000000001Z"',
    '"x"',
    '"1970-01-01T00:00:00.Z.5"',
    "null",
    "true",
    '"1970-01-01T00:00:00.1e3Z"',
    '{"seconds": 1}',
    '"1970-01-01T00:00:00-00:00"',
    '"1970-01-01T00:00:00,5Z"',
    '"1970-01-01T00:00:00+01:00:00"',
)
differing(
    "RFC 3339 fixes the width of each number, and the range of hours and minutes",
    Special,
    "timestamp",
    refused(
        '"1970-1-1T0:0:0Z"',
        '"1970-01-01T00:00:00+1:00"',
        '"1970-01-01T00:00:00+01:0"',
        '"1970-01-01T00:00:00+24:00"',
        '"1970-01-01T00:00:00+00:60"',
        '"1970-01-01T00:00:00+99:99"',
        '"1970-01-01T00:00:00.Z"',
        '"1970-01-01T00:00:00+-1:00"',
        '"1970-01-01T00:00:00.1_1Z"',
    ),
)
values(
    Special,
    "duration",
    '"0s"',
    '"1s"',
    '"-1s"',
    '"1.5s"',
    '"-1.5s"',
    '"0.5s"',
    '"-0.5s"',
    '"1.000000001s"',
    '"s"',
    '""',
    '"1"',
    '"1S"',
    '"1.5"',
    '"315576000000s"',
    '"-315576000000s"',
    '"315576000001s"',
    '"-315576000001s"',
    '"1m"',
    "1",
    '"1.123456789s"',
    '"-0s"',
    '"-0.0s"',
    '"x s"',
    '"1.5.5s"',
    '"1e3s"',
    '"--1s"',
    "null",
    '"0.000000001s"',
    "{}",
    '"-s"',
    '".5s"',
    '"1ss"',
    '"315576000000.999999999s"',
    '"00001s"',
    '"000000000000s"',
    '"1.1e1s"',
    '"-.5s"',
)
differing(
    "a duration has digits, up to nine decimals, and ends with s",
    Special,
    "duration",
    refused(
        '"+1s"',
        '" 1s"',
        '"1 s"',
        '"1_0s"',
        '"1.s"',
        '"1.1234567891s"',
        '"1.0000000000s"',
        '"1.1_1s"',
        '"\u0661s"',
        '"1.e1s"',
    ),
)
values(
    Special,
    "mask",
    '""',
    '"a"',
    '"a,b"',
    '"fooBar"',
    '"fooBar.bazQux,x"',
    '"foo_bar"',
    '"FooBar"',
    '"a1B"',
    "1",
    "[]",
    '["a"]',
    "{}",
    '","',
    '"a,,b"',
    '"a b"',
    '"a_"',
    "null",
    '"aBC"',
    '"a.b.c"',
)

# --- Struct, Value, ListValue ------------------------------------------------------------------------------------

values(
    Special,
    "struct",
    "{}",
    '{"a": 1}',
    '{"a": null, "b": [1, "x", {}], "c": {"d": true}}',
    "[]",
    "null",
    '"x"',
    "1",
    '{"a": 1, "a": 2}',
    '{"": ""}',
    '{"fields": {"a": {"numberValue": 1}}}',
    '{"a": {"b": 1, "b": 2}}',
)
values(
    Special,
    "value",
    "null",
    "1",
    "-0.0",
    "1.5",
    '"x"',
    '""',
    "true",
    "false",
    "[]",
    "{}",
    '"NaN"',
    "1e308",
    '[1, [2, [3]], {"a": null}]',
    '{"a": 1}',
    '"\u00e9"',
    "123456789012345678901",
    '{"numberValue": 1}',
    "9" * 400,
)
values(Special, "list", "[]", "[null]", "[1, true, null, [], {}]", "{}", "null", '"x"', "1", "[[[]]]", '["\\ud800"]')
differing("bare NaN and Infinity are not JSON", Special, "struct", refused('{"a": NaN}', '{"a": [-Infinity]}'))
differing("bare NaN and Infinity are not JSON", Special, "value", refused("NaN", "Infinity"))
differing(
    "range checks apply everywhere",
    Special,
    "value",
    refused(
        "1e400",
        "-1e400",
    ),
)
cases(
    Special,
    '{"values": [null, 1, "x"]}',
    '{"structs": [null]}',
    '{"lists": [null]}',
    '{"lists": [[]]}',
    '{"valueByNumber": {"1": null, "2": 3}}',
    '{"timeByName": {"a": null}}',
    '{"stringByName": {"a": null}}',
    '{"stringByName": {"a": "x"}}',
    '{"timestamps": [null]}',
    '{"durations": ["1s", "-2s"]}',
    '{"oneValue": null}',
    '{"oneNull": null}',
    '{"oneValue": 1}',
    '{"oneTime": "1970-01-01T00:00:00Z", "oneNumber": 3}',
    '{"oneNumber": 0}',
    '{"oneTime": null, "oneText": "x"}',
    '{"null": null}',
    '{"null": "NULL_VALUE"}',
    '{"null": 0}',
    '{"null": "x"}',
    '{"null": 1}',
    '{"maybeNull": null}',
    '{"maybeNull": "NULL_VALUE"}',
    '{"nulls": ["NULL_VALUE", 0]}',
    '{"null": true}'.replace("true", '"0"'),
)
differ("null makes any repeated field absent", Special, {'{"values": null}': Special()})
NULL = wk.NullValue.NULL_VALUE
differ(
    "null is the value of a NullValue, in lists and maps too",
    Special,
    {
        '{"nulls": [null, null]}': Special(nulls=[NULL, NULL]),
        '{"nullByFlag": {"true": null}}': Special(null_by_flag={True: NULL}),
    },
)
differ(
    "null sets a NullValue or a Value, which is then a second member of its oneof",
    Special,
    refused(
        '{"oneNull": null, "oneText": "x"}',
        '{"oneText": "x", "oneValue": null}',
        '{"oneValue": null, "oneNull": null}',
    ),
)

# --- wrappers, Empty ---------------------------------------------------------------------------------------------

cases(
    Special,
    '{"aInt32": 1}',
    '{"aInt32": "1"}',
    '{"aInt32": {"value": 1}}',
    '{"aInt32": null}',
    '{"aInt32": 0}',
    '{"aInt64": "9223372036854775807"}',
    '{"aBool": true}',
    '{"aBool": "true"}',
    '{"aBytes": "-_"}',
    '{"aString": ""}',
    '{"aDouble": "NaN"}',
    '{"aFloat": 3.5e38}',
    '{"aUint32": -1}',
    '{"aUint64": 18446744073709551615}',
    '{"int64s": ["1", 2]}',
    '{"int64s": [null]}',
    '{"aString": 1}',
    '{"aInt32": []}',
    '{"empty": {}}',
    '{"empty": null}',
    '{"empty": {"a": 1}}',
    '{"empty": [1]}',
    '{"aInt32": 1.5}',
    '{"a_int32": 7}',
)
differ("a message must be an object", Special, refused('{"empty": []}', '{"empty": ""}'))
cases(wk.Int32Value, "1", '"1"', "null", "{}", '{"value": 1}', "1.5")
cases(wk.StringValue, '"x"', "null", "1")
cases(wk.BoolValue, "true", "1")
cases(wk.Value, "null", "1", "[]", "{}", '"x"', "", "nul")
cases(wk.ListValue, "[1]", "null", "{}")
cases(wk.Struct, '{"a": [null]}', "null", "[]")
cases(wk.Timestamp, '"1970-01-01T00:00:01Z"', "null", "{}")
cases(wk.Duration, '"1.5s"', "1.5")
cases(wk.FieldMask, '"a,bC"', "null")
cases(wk.Empty, "{}", "null", "1")

# --- Any ---------------------------------------------------------------------------------------------------------

LEAF = '"@type": "type.googleapis.com/sample.Leaf"'
values(
    Special,
    "any",
    "{}",
    "null",
    "[]",
    '"x"',
    "1",
    f"{{{LEAF}}}",
    f'{{{LEAF}, "number": 1}}',
    f'{{"number": 1, {LEAF}}}',
    f'{{"text": "x", {LEAF}, "number": 1}}',
    f'{{{LEAF}, "unknown": 1}}',
    f"{{{LEAF}, {LEAF}}}",
    '{"number": 1}',
    '{"@type": "x/sample.Leaf"}',
    '{"@type": "/sample.Leaf"}',
    '{"@type": "a/b/sample.Leaf", "number": 1}',
    '{"@type": "type.googleapis.com/"}',
    '{"@type": ""}',
    '{"@type": null}',
    '{"@type": 1}',
    '{"@type": "x/no.Such"}',
    '{"@type": "x/sample.Leaf", "value": {"number": 1}}',
    f'{{{LEAF}, "number": "x"}}',
    f'{{{LEAF}, "number": null}}',
    '{"typeUrl": "x/sample.Leaf", "value": ""}',
    '{"@type": "x/google.protobuf.Duration", "value": "1.5s"}',
    '{"@type": "x/google.protobuf.Duration"}',
    '{"@type": "x/google.protobuf.Duration", "seconds": 1}',
    '{"value": "1s", "@type": "x/google.protobuf.Duration"}',
    '{"@type": "x/google.protobuf.Duration", "value": null}',
    '{"@type": "x/google.protobuf.Timestamp", "value": "1970-01-01T00:00:01Z"}',
    '{"@type": "x/google.protobuf.Empty"}',
    '{"@type": "x/google.protobuf.Int64Value", "value": "5"}',
    '{"@type": "x/google.protobuf.Int64Value", "value": {}}',
    '{"@type": "x/google.protobuf.Value", "value": null}',
    '{"@type": "x/google.protobuf.Value", "value": [1, "x"]}',
    '{"@type": "x/google.protobuf.Struct", "value": {"a": 1}}',
    '{"@type": "x/google.protobuf.ListValue", "value": []}',
    '{"@type": "x/google.protobuf.FieldMask", "value": "a,bC"}',
    '{"@type": "x/google.protobuf.Struct", "a": 1}',
    f'{{"@type": "x/google.protobuf.Any", "value": {{{LEAF}, "number": 1}}}}',
    '{"@type": "x/google.protobuf.Any", "value": {}}',
    f'{{"@type": "x/google.protobuf.Any", {LEAF.replace("@type", "type")}}}',
    '{"@type": "x/sample.Required", "id": 1}',
    '{"@type": "x/google.protobuf.Empty", "value": {}}',
    '{"@type": "x/sample.Mood"}',
    '{"@type": "x/sample.Leaf/"}',
)
cases(
    Special,
    f'{{"anys": [{{{LEAF}}}, {{{LEAF}, "number": 1}}]}}',
    f'{{"anyByName": {{"a": {{{LEAF}}}}}}}',
    '{"anys": [null]}',
)
cases(
    Special,
    f'{{"any": {{{LEAF}, "unknown": 1, "number": 2}}}}',
    '{"any": {"@type": "x/no.Such"}}',
    '{"any": {"a": 1}}',
    '{"any": {"@type": "x/google.protobuf.Duration", "value": "1s", "other": 1}}',
    ignore=True,
)
differing(
    "type URLs must contain a slash",
    Special,
    "any",
    refused('{"@type": "sample.Leaf"}', '{"@type": "sample.Leaf", "number": 1}'),
)
differing(
    "an Any of a message with special JSON has exactly two members",
    Special,
    "any",
    refused(
        '{"@type": "x/google.protobuf.Duration", "value": "1s", "other": 1}',
        '{"@type": "x/google.protobuf.Int64Value", "value": "1", "seconds": 1}',
    ),
)

# --- TensorFlow's ------------------------------------------------------------------------------------------------

cases(
    NodeDef,
    '{"name": "a", "op": "Const", "attr": {"dtype": {"type": "DT_FLOAT"}, "n": {"i": "3"}, "t": {"b": false}}}',
    '{"attr": {"x": {"s": "YWJj", "i": "1"}}}',
    '{"attr": {"x": {"list": {"i": ["1", 2], "type": [1, "DT_INT32"]}}}}',
    '{"attr": {"x": {"func": {"name": "f", "attr": {"T": {"type": "DT_HALF"}}}}}}',
    '{"attr": {"x": {"type": "float"}}}',
    '{"attr": {"x": {"shape": {"dim": [{"size": "-1"}, {"size": 64}], "unknownRank": false}}}}',
    '{"input": "a"}',
    '{"input": ["a", "^b"], "device": "/cpu:0"}',
    '{"nmae": "a"}',
    '{"attr": []}',
    '{"attr": {"x": {}}}',
    '{"attr": {"x": {"placeholder": ""}}}',
    '{"attr": {"x": {"f": 0.1}}}',
    '{"attr": {"x": {"f": 1e39}}}',
    '{"experimentalType": {"typeId": "TFT_TENSOR", "args": [{"typeId": 1}]}}',
)
cases(
    TensorProto,
    '{"dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": "2"}]}, "floatVal": [1.5, "Infinity"]}',
    '{"tensorContent": "AACAPw=="}',
    '{"dtype": 1, "intVal": [1, 2, 3]}',
    '{"dtype": 7777}',
    '{"halfVal": ["1e2", 3.0]}',
    '{"stringVal": ["YQ==", "YQ"]}',
    '{"int64Val": ["9223372036854775807", 1]}',
    '{"boolVal": [true, false]}',
    '{"dcomplexVal": [1, 2.5]}',
    '{"uint64Val": ["18446744073709551615"]}',
    '{"tensor_shape": {"unknown_rank": true}}',
    '{"tensor_shape": {"unknown_rank": true, "unknownRank": true}}'.replace(', "unknownRank": true', ""),
    '{"floatVal": [1, NaN]}',
    '{"int64Val": "1"}',
)
cases(
    GraphDef,
    '{"node": [{"name": "a"}, {"name": "b", "input": ["a"]}], "versions": {"producer": 27}, "library": {}}',
    '{"node": {"name": "a"}}',
    '{"node": [{"name": 1}]}',
    '{"node": [{"attr": {"T": {"type": "DT_NOPE"}}}]}',
    '{"versions": {"badConsumers": [1, "2"]}}',
    '{"library": {"function": [{"signature": {"name": "f"}, "ret": {"a": "b"}}]}}',
)
cases(GraphDef, '{"node": [{"attr": {"T": {"type": "DT_NOPE"}}}], "new": 1}', '{"versions": {"new": 1}}', ignore=True)
cases(
    AttrValue,
    '{"list": {"b": [true, "x"]}}',
    '{"list": {}}',
    '{"tensor": {"dtype": "DT_STRING"}}',
    '{"s": null, "i": 1}',
)
cases(
    CollectionDef,
    '{"bytesList": {"value": ["CgV4"]}}',
    '{"nodeList": {"value": ["a"]}, "floatList": {"value": [1]}}',
    '{"anyList": {"value": [{"@type": "type.googleapis.com/tensorflow.VersionDef", "producer": 1}]}}',
)
cases(TensorShapeProto, '{"dim": [{"size": "5", "name": "x"}, {"size": null}]}', '{"dim": [null]}', '{"dim": {}}')
