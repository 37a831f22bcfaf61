"""Null, lists, maps, oneofs, proto2 and nesting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbwire.wellknown import Struct, Value
from tests.pbwire.json.kinds import Special
from tests.support.samples import (
    Choice,
    Groups,
    Leaf,
    Maps,
    Nesting,
    Optionals,
    Proto2,
    Recursive,
    Repeated,
    Required,
    Scalars,
)

from .table import cases, differ, differing, refused, values

# --- null --------------------------------------------------------------------------------------------------------

values(Scalars, "aInt32", "null")
values(Scalars, "aLeaf", "null", "{}", "[1]", '"x"', "0", "false")
differing("a message must be an object", Scalars, "aLeaf", refused("[]", '""'))
differ("a message must be an object", Leaf, refused("[]", '""'))
cases(
    Optionals,
    '{"aInt32": null}',
    '{"aInt32": 0}',
    '{"aString": ""}',
    '{"aBytes": ""}',
    '{"aBool": false}',
    '{"aMood": "CALM"}',
    '{"aDouble": -0.0}',
    '{"aLeaf": {}}',
    '{"aMood": null}',
)
cases(
    Repeated,
    '{"aInt32": null}',
    '{"aInt32": []}',
    '{"aInt32": [null]}',
    '{"aInt32": [1, null]}',
    '{"aString": [null]}',
    '{"aLeaf": [null]}',
    '{"aLeaf": [{}, {"number": 1}]}',
    '{"aMood": [null]}',
    '{"aInt32": 1}',
    '{"aInt32": {}}',
    '{"aInt32": "1"}',
    '{"aInt32": [[1]]}',
    '{"aLeaf": {"number": 1}}',
    '{"aString": "abc"}',
    '{"aInt64": ["1", 2, 3.0, "4e0"]}',
    '{"aInt64": ["1,2"]}',
    '{"aUint64": ["18446744073709551615", "0"]}',
    '{"aUint64": ["18446744073709551616"]}',
    '{"aInt32": [2147483648]}',
    '{"aInt32": [1, 2, "3"]}',
    '{"aBool": [true, 1]}',
    '{"aBool": [true, false]}',
    '{"aFloat": [1, 1.5, "NaN"]}',
    '{"aFloat": [0.1, 3.5e38]}',
    '{"aDouble": [1, "x"]}',
    '{"aDouble": [1.5, 1e400]}',
    '{"aBytes": ["QQ==", "-_"]}',
    '{"aString": ["a", "\u00e9", "\\ud800"]}',
    '{"aInt32": false}',
    '{"aMood": ["HAPPY", 77, -1, "NOBODY"]}',
    '{"aString": ["a", 1]}',
    '{"aInt32": [true]}',
    '{"aDouble": [1.5, 2]}',
)
differ("a message must be an object", Repeated, refused('{"aLeaf": [[]]}', '{"aLeaf": [""]}'))
differ("a boolean is not a number", Repeated, refused('{"aDouble": [1.5, true]}', '{"aFloat": [true]}'))
cases(
    Maps,
    '{"byInt32": null}',
    '{"byInt32": {}}',
    '{"byInt32": {"1": null}}',
    '{"ofLeaf": {"a": null}}',
    '{"ofMood": {"a": null}}',
    '{"ofInt32": {"a": null}}',
)
cases(Leaf, '{"leaf": {"leaf": {"leaf": null}}}', '{"numbers": null, "leaf": null, "text": null, "number": null}')

# --- maps --------------------------------------------------------------------------------------------------------

cases(
    Maps,
    '{"byInt32": {"1": "a", "2": "b"}}',
    '{"byInt32": {"1": "a", "1": "b"}}',
    '{"byInt32": {"x": "a"}}',
    '{"byInt32": {"": "a"}}',
    '{"byInt32": {"2147483648": "a"}}',
    '{"byInt32": {"-2147483648": "a"}}',
    '{"byInt32": []}',
    '{"byInt32": {"1.0": "a"}}',
    '{"byInt32": {"1.5": "a"}}',
    '{"byInt32": [{"key": 1, "value": "a"}]}',
    '{"byInt32": 1}',
    '{"byUint64": {"18446744073709551615": "a"}}',
    '{"byUint64": {"-1": "a"}}',
    '{"byBool": {"true": "a", "false": "b"}}',
    '{"byBool": {"1": "a"}}',
    '{"byBool": {"True": "a"}}',
    '{"byBool": {"": "a"}}',
    '{"byString": {"": ""}}',
    '{"byString": {"a": 1}}',
    '{"byString": {"\\ud800": "a"}}',
    '{"byString": {"a": "\\ud800"}}',
    '{"byInt32": {1: "a"}}',
    '{"ofInt64": {"a": "1", "b": 2}}',
    '{"ofMood": {"a": "HAPPY", "b": 77}}',
    '{"ofMood": {"a": "NOBODY"}}',
    '{"ofLeaf": {"a": {"number": 1}, "b": {}}}',
    '{"ofLeaf": {"a": 1}}',
    '{"ofFloat": {"a": "NaN", "b": 3.5e38}}',
    '{"ofBytes": {"a": "-_8"}}',
    '{"ofBool": {"a": true}}',
    '{"ofBool": {"a": "true"}}',
    '{"leafByNumber": {"1": {}}}',
    '{"by_int32": {"1": "a"}}',
    '{"ofDouble": {"a": "1.5"}}',
    '{"byString": {"\u00e9": "\u00e9"}}',
    '{"byInt32": {" 1": "a"}}',
    '{"byString": {"a": []}}',
    '{"ofUint32": {"a": -1}}',
    '{"byInt32": {"0": "a", "-0": "b"}}'.replace(', "-0": "b"', ""),
)
differ(
    "a key must not occur twice, not even in another spelling",
    Maps,
    refused(
        '{"byInt32": {"1": "a", "1.0": "b"}}',
        '{"byInt32": {"0": "a", "-0": "b"}}',
        '{"byInt64": {"100": "a", "1e2": "b"}}',
    ),
)
differ(
    "numbers in quotes must have the syntax of JSON numbers",
    Maps,
    refused(
        '{"byInt32": {"01": "a"}}',
        '{"byInt32": {"+1": "a"}}',
        '{"byInt64": {"1_0": "a"}}',
    ),
)
differ("a boolean is not a number", Maps, refused('{"ofDouble": {"a": true}}', '{"ofMood": {"a": false}}'))
cases(Maps, '{"ofMood": {"a": "NOBODY", "b": 1}}', '{"ofLeaf": {"a": {"unknown": 1}}}', ignore=True)

# --- oneofs ------------------------------------------------------------------------------------------------------

cases(
    Choice,
    '{"i": 1}',
    '{"i": 0}',
    '{"i": 1, "f": 1.5}',
    '{"i": null, "f": 1.5}',
    '{"i": 1, "f": null}',
    '{"s": ""}',
    '{"i": 1, "otherS": "x"}',
    '{"leaf": {}, "empty": {}}',
    '{"empty": {}}',
    '{"choice": {"choice": {"i": 1}}}',
    '{"mood": "HAPPY", "flag": true}',
    '{"i": 1, "i": 2}',
    '{"i": null, "f": null}',
    '{"before": 1, "i": 2, "after": [3]}',
    '{"otherZ": "5", "otherB": "QQ=="}',
    '{"b": ""}',
    '{"flag": false}',
    '{"u": "0"}',
    '{"empty": {"x": 1}}',
    '{"i": "x"}',
)
cases(Choice, '{"mood": "NOBODY"}', '{"mood": "NOBODY", "i": 1}', '{"i": 1, "mood": "NOBODY"}', ignore=True)

# --- proto2, groups, required ------------------------------------------------------------------------------------

cases(
    Proto2,
    '{"aInt32": 0}',
    '{"dInt32": 5}',
    '{"dString": ""}',
    '{"dShade": "DIM"}',
    '{"dShade": 77}',
    '{"rInt32": [1]}',
    '{"pSint64": ["-1", -2]}',
    '{"names": {"0": ""}}',
    '{"leaves": {"a": {"number": 0}}}',
    '{"oneI": 0}',
    '{"dBool": null}',
    '{"oneI": 1, "oneS": "x"}',
    '{"aOrder": "FIRST"}',
    '{"nanDouble": "NaN"}',
)
cases(
    Groups,
    '{"single": {"number": 1}}',
    '{"Single": {"number": 1}}',
    '{"many": [{"numbers": [1]}, {}]}',
    '{"many": {}}',
    '{"single": {"deep": {"far": {"numbers": [-1, 1]}}}}',
    '{"alone": {"text": ""}, "number": 1}',
    '{"alone": {}}',
    '{"named": {"1": {"after": 2}}}',
)
cases(
    Required,
    "{}",
    '{"id": 1}',
    '{"id": 1, "name": "x", "part": {"weight": 1, "shade": "DARK"}}',
    '{"id": null}',
    '{"parts": [{}]}',
)

# --- nesting -----------------------------------------------------------------------------------------------------


def nested(before: str, inside: str, after: str, times: int) -> str:
    return before * times + inside + after * times


for times in (98, 99, 100, 101, 150):
    cases(
        Recursive,
        nested('{"child": ', "{}", "}", times),
        nested('{"children": [', "{}", "]}", times),
        nested('{"named": {"": ', "{}", "}}", times),
    )
cases(Special, *(f'{{"list": {nested("[", "", "]", times)}}}' for times in (10, 48, 49, 50, 51, 60)))
cases(
    Special,
    *(
        f'{{"struct": {nested(chr(123) + chr(34) + "a" + chr(34) + ": ", "1", "}", times)}}}'
        for times in (10, 48, 49, 50, 51)
    ),
)


def deep(wrap: Callable[[Any], Any], inside: Any, times: int) -> Any:
    for _ in range(times):
        inside = wrap(inside)
    return inside


AS_DEEP = "the limit of nesting is that of the wire format, which is one level more"
differ(
    AS_DEEP,
    Recursive,
    {
        nested('{"child": ', "{}", "}", 100): deep(lambda inner: Recursive(child=inner), Recursive(), 100),
        nested('{"children": [', "{}", "]}", 100): deep(lambda inner: Recursive(children=[inner]), Recursive(), 100),
        nested('{"named": {"": ', "{}", "}}", 100): deep(lambda inner: Recursive(named={"": inner}), Recursive(), 100),
    },
)
differ(
    AS_DEEP,
    Special,
    {
        f'{{"struct": {nested(chr(123) + chr(34) + "a" + chr(34) + ": ", "1", "}", 50)}}}': Special(
            struct=deep(
                lambda inner: Value(struct_value=Struct(fields={"a": inner})), Value(number_value=1), 50
            ).struct_value
        )
    },
)
cases(Recursive, nested('{"unknown": [', "", "]}", 150), '{"unknown": ' + nested("[", "", "]", 300) + "}", ignore=True)
differ(
    "a name does not end at a null character",
    Leaf,
    refused('{"text\\u0000": "a"}', '{"text\\u0000x": "a"}'),
)
differ("a name does not end at a null character", Choice, refused('{"mood": "HAPPY\\u0000"}'))
cases(Recursive, '{"child": ' * 2000, "[" * 2000, nested("[", "", "]", 2000), '{"depth": 1' + "}" * 3)
cases(Nesting, '{"inner": {"innermost": {"inner": {"parent": {"level": "HIGH"}}}}}', '{"levels": {"a": "LOW"}}')
