"""Grammar, names, and values that are not messages."""

from __future__ import annotations

from tests.pbwire.json.kinds import Named
from tests.samples import ClosedEnums, Leaf, Mood, Repeated, Scalars

from .table import cases, differ, differing, refused, values

# --- grammar -----------------------------------------------------------------------------------------------------

cases(
    Leaf, "", " ", "{", "}", "{}", " {} ", "\t\r\n{}\n", "{},", "{} {}", "null", "1", '"x"', "true", "{,}",
    '{"number" 1}', '{"number": 1,}', '{number: 1}', "{'number': 1}", '{"number": 1 "text": ""}', '{"number"= 1}',
    '{"number": 1} // comment', '/* comment */ {"number": 1}', '{"number": 0x10}', '{"number": 01}',
    '{"number": -01}',
    '{"number": +1}', '{"number": .5}', '{"number": 1.}', '{"number": -}', '{"number": 1e}', '{"number": 1e+}',
    '{"number": - 1}', '{"number": 1_0}', '{"text": "a\nb"}', '{"text": "a\tb"}', '{"text": "a\x00b"}',
    '{"text": "a\x7fb"}', '{"text": "\\u00e9"}', '{"text": "\\u00E9"}', '{"text": "\\xe9"}', '{"text": "\\u00g9"}',
    '{"text": "\\ud83d\\ude00"}', '{"text": "\\ud83d"}', '{"text": "\\ude00"}', '{"text": "\\ude00\\ud83d"}',
    '{"text": "a\\ud83d\\u0041"}', '{"text": "\\/\\b\\f\\n\\r\\t\\"\\\\"}', '{"text": "\\a"}', '{"text": "\\\'"}',
    '{"text": "\\u0000"}', '{"text": "é\U0001f600\u2028"}', '{"text": "open}', '{"text": "x"', "\ufeff{}",
    '{"number": True}', '{"number": None}', '{"text": "x",\u00a0"number": 1}', "{\f}", '{"n\\u0075mber": 5}',
    '{"\\ud83d": 5}', '[{"number": 1}]', '{"text": "\ud83d"}', '{"numbers": [1,]}', '{"numbers": [,1]}',
    '{"numbers": [1 2]}', '{"numbers": [1}', '{"numbers": [}',
)  # fmt: skip
cases(Leaf, '{"unknown": "\\ud83d"}', '{"unknown": [1, {"a": null}]}', '{"unknown": [1,]}', ignore=True)
differ("bare NaN and Infinity are not JSON", Leaf, refused(
    '{"unknown": NaN}', '{"unknown": [-Infinity]}',
), ignore=True)  # fmt: skip

# --- names -------------------------------------------------------------------------------------------------------

cases(
    Scalars, '{"aInt32": 1}', '{"a_int32": 1}', '{"aint32": 1}', '{"AInt32": 1}', '{"a_Int32": 1}', '{"a-int32": 1}',
    '{"": 1}', '{"3": 1}', '{"aInt32": 1, "aInt32": 1}', '{"aInt32": 1, "aInt32": 2}', '{"aInt32": 1, "aInt64": "1"}',
    '{"a_int32": 1, "a_int32": 1}', '{"aInt32": 1, "a\\u0049nt32": 1}', '{"[sample.extension]": 1}', '{"@type": "x"}',
    '{"unknown": null}', '{"aInt32 ": 1}', '{"__class__": 1}',
)  # fmt: skip
cases(
    Scalars, '{"unknown": 1}', '{"unknown": {"a": [1, 2]}, "aInt32": 1}', '{"unknown": {"a": 1, "a": 2}}',
    '{"aInt32": "x", "unknown": 1}', '{"unknown": 1, "unknown": 1}', '{"unknown": null}',
    '{"aMood": "NOBODY"}', '{"aMood": "NOBODY", "aInt32": 1}', '{"aMood": 77}', '{"aMood": "77"}', '{"aMood": {}}',
    '{"aLeaf": {"unknown": 1, "number": 2}}',
    ignore=True,
)  # fmt: skip
differ("no message of ours has extensions, so their names are unknown like any others", Scalars, {
    '{"[sample.extension]": 1}': Scalars(),
}, ignore=True)  # fmt: skip
differ("one field in two spellings is still twice", Scalars, refused(
    '{"aInt32": 1, "a_int32": 2}', '{"a_int32": 1, "aInt32": 1}', '{"aLeaf": {}, "a_leaf": {"number": 1}}',
    '{"aInt32": null, "a_int32": 2}',
))  # fmt: skip
cases(
    Named, '{"Leading": 1}', '{"leading": 1}', '{"_leading": 1}', '{"trailing": 1}', '{"trailing_": 1}',
    '{"twoInARow": 1}', '{"two__in_a_row": 1}', '{"two_InARow": 1}', '{"with1Digit": 1}', '{"with_1_digit": 1}',
    '{"camelCase": 1}', '{"camel_case": 1}', '{"Capital": 1}', '{"capital": 1}', '{"UPPERCASE": 1}',
    '{"UPPER_CASE": 1}', '{"upperCase": 1}', '{"x1y2z": ["1"]}', '{"x1y_2z": [2]}', '{"oneA": 1}', '{"one_b": "x"}',
    '{"oneA": 1, "oneB": "x"}', '{"oneA": 1, "one_b": "x"}', '{"oneA": null, "oneB": "x"}',
)  # fmt: skip

# --- integers ----------------------------------------------------------------------------------------------------

for name, low, high in (
    ("aInt32", -(1 << 31), (1 << 31) - 1), ("aUint32", 0, (1 << 32) - 1), ("aSint32", -(1 << 31), (1 << 31) - 1),
    ("aInt64", -(1 << 63), (1 << 63) - 1), ("aUint64", 0, (1 << 64) - 1), ("aSfixed64", -(1 << 63), (1 << 63) - 1),
):  # fmt: skip
    values(Scalars, name, f"{low}", f'"{low}"', f"{low - 1}", f'"{low - 1}"', f"{high}", f'"{high}"', f"{high + 1}",
           f'"{high + 1}"')  # fmt: skip
values(
    Scalars, "aInt32", "1.0", "1e3", "1E+3", "100e-2", "-0", "-0.0", "1.5", "1e-1", "0.1", "1e10", "1e400", '"1.0"',
    '"1e3"', '"1.5"', '""', '" "', '" 1"', '"1 "', '"1 0"', '"0x10"', '"one"', '"1a"', '"--1"', "[1]", "{}", '"null"',
    "2147483647.0", "2147483648.0", "2147483647.5", '"NaN"', '"1e400"', '"-0"', '"-"', '"1e"', '"true"',
    "1e0", '"100e-2"', '"0.0"', "true", "false",
)  # fmt: skip
values(
    Scalars, "aInt64", "9007199254740993", "9007199254740993.0", '"9007199254740993"', "1e18", "1e19", '"1e18"',
    "9223372036854775807.0", "1e400", '"1e400"', "true", '"12345678901234567890123"',
)  # fmt: skip
differing("integers are exact, also with a fraction or an exponent", Scalars, "aInt64", {
    "9007199254740993.0": Scalars(a_int64=9007199254740993), "9223372036854775807.0": Scalars(a_int64=2**63 - 1),
})  # fmt: skip
values(Scalars, "aUint64", "18446744073709551616.0", "-1", "-0", "-0.5", '"-1"', "1.8446744073709552e19")
values(Scalars, "aFixed64", "1e19", "-1", '"18446744073709551615"')
differing("numbers in quotes are spelled as JSON spells them, too", Scalars, "aInt32", refused(
    '"01"', '"+1"', '"1."', '"1_000"', '"\\t1"', '"1\\n"', '"\u0665"', '"-01"', '"\u00a05"',
))  # fmt: skip
values(Scalars, "aInt32", "9" * 5000)

# --- floats ------------------------------------------------------------------------------------------------------

values(
    Scalars, "aDouble", "0", "-0", "-0.0", "1", "1.5", "1e3", "1E-3", "1e400", "-1e400", "1.7976931348623157e308",
    "1.7976931348623159e308", "4.9e-324", "1e-400", '"1.5"', '"-1e3"', '"NaN"', '"Infinity"', '"-Infinity"', '"nan"',
    '""', '"x"', "[1]", "{}", "NaN", "Infinity", "-Infinity", "9" * 309, "123456789012345678901234567890",
    '"1.5x"', '"1 5"', '"0x10"', '"-"', '"1,5"', "1" + "0" * 308,
)  # fmt: skip
values(
    Scalars, "aFloat", "0.1", "16777217", "3.4028234663852886e38", "-3.4028234663852886e38", "3.5e38", "-3.5e38",
    "1e39",
    "1e-46", "1.401298464324817e-45", '"NaN"', '"Infinity"', '"-Infinity"', '"0.1"', "1e400", "NaN", "-0.0",
)  # fmt: skip
differing("a boolean is no number", Scalars, "aDouble", refused("true", "false"))
differing("a boolean is no number", Scalars, "aFloat", refused("true"))
differing("numbers in quotes are spelled as JSON spells them, too", Scalars, "aDouble", refused(
    '"inf"', '"-inf"', '"+Infinity"', '"infinity"', '"INFINITY"', '"NAN"', '"-nan"', '"1_0.5"', '" 1.5"', '"1.5 "',
    '"+1.5"', '".5"',
    '"1."', '"01.5"', '"\u0661.5"', '"1.5\\n"',
))  # fmt: skip
differing("a number that is out of range is so in quotes, too", Scalars, "aDouble", refused('"1e400"', '"-1e400"'))
differing("a number that is out of range is so in quotes or without a fraction, too", Scalars, "aFloat", refused(
    '"3.5e38"', '"-1e39"', "1" + "0" * 39, '"1e400"',
))  # fmt: skip
differing("the largest float, as it is printed, rounds to what a float can hold", Scalars, "aFloat", {
    "3.4028235e+38": Scalars(a_float=3.4028234663852886e38),
    "-3.4028235e+38": Scalars(a_float=-3.4028234663852886e38),
})  # fmt: skip

# --- bools, strings, bytes ---------------------------------------------------------------------------------------

values(Scalars, "aBool", "true", "false", '"true"', '"false"', "1", "0", "1.0", '""', "[]", "{}", "True", "TRUE")
values(Scalars, "aString", '""', '"x"', "1", "1.5", "true", "[]", "{}", '["x"]', '"\\ud800x"', '"\\udbff\\udfff"')
values(
    Scalars, "aBytes", '""', '"QQ=="', '"QQ"', '"QUI="', '"QUI"', '"QUJD"', '"-_"', '"+/"', '"-_8="', '"+/8="',
    '"-/8"',
    '"QR=="', '"Q"', '"QUJDQ"', "1", "true", "[]", "[65]", "{}", '"AAECAwQFBgcICQ=="', '"Q Q"', '"QQ\\n"', '"Q!Q"',
)  # fmt: skip
differing("what is not base64 is refused", Scalars, "aBytes", refused(
    '"QQ="', '"QQ==="', '"QQ==QQ=="', '"=QQ="', '"\u00e9"', '"QQ=\\n="', '"QUJ!D"', '"===="', '"="', '" "',
    '"QUJD===="', '"QUJD="', '"Q=Q="',
))  # fmt: skip

# --- enums -------------------------------------------------------------------------------------------------------

values(
    Scalars, "aMood", '"HAPPY"', '"CALM"', '"happy"', '"Happy"', '" HAPPY"', '"NOBODY"', '""', "1", "-1", "0", "150",
    "77", "2147483647", "-2147483648", "1.0", '"1"', '"-1"', '"77"', '"1.5"', "[]", "{}", "NaN",
    '"Mood.HAPPY"', '"sample.HAPPY"', '"HAPPY "', '"NaN"',
)  # fmt: skip
differing("a boolean is no number", Scalars, "aMood", refused("true", "false"))
differing("a number of an enum is whole", Scalars, "aMood", refused("1.5", "-0.5"))
differing("a number of an enum has 32 bits", Scalars, "aMood", refused("2147483648", "-2147483649", '"4294967296"'))
differing("numbers in quotes are spelled as JSON spells them, too", Scalars, "aMood", refused('"01"', '" 1"',
    '"1_5"'))
differing("a number is the same in quotes, with a fraction or an exponent", Scalars, "aMood", {
    '"1.0"': Scalars(a_mood=Mood.HAPPY),
    '"15e1"': Scalars(a_mood=Mood.TENSE),
})  # fmt: skip
values(ClosedEnums, "single", '"LIGHT"', "150", "77", '"77"', '"NOBODY"', "-1", '"DIM"')
cases(
    ClosedEnums, '{"many": ["LIGHT", 150, "DARK"]}', '{"many": ["LIGHT", 77]}', '{"byNumber": {"1": "DARK"}}',
    '{"byNumber": {"1": 77}}', '{"byName": {"a": "NOBODY"}}', '{"chosen": "LIGHT", "number": 1}', '{"order": 3}',
)  # fmt: skip
cases(
    ClosedEnums, '{"single": "NOBODY"}', '{"single": 77}', '{"many": ["LIGHT", "NOBODY", "DARK"]}', '{"many": [77]}',
    '{"byName": {"a": "NOBODY", "b": "DARK"}}', '{"chosen": "NOBODY"}', '{"byName": {"a": 77}}',
    '{"chosen": "NOBODY", "number": 3}',
    ignore=True,
)  # fmt: skip
cases(Repeated, '{"aMood": ["HAPPY", "NOBODY", 1, "GRIM"]}', '{"aMood": ["NOBODY"]}', ignore=True)
differ("a number of an enum is whole", Repeated, refused('{"aMood": [1.5]}'), ignore=True)
