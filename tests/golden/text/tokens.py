"""Tricky texts, by family: white space, separators, names, brackets, and the syntax of single values."""

from __future__ import annotations

from tests.golden.text import reasons as why
from tests.golden.text.rows import Row, each, on, otherwise, refused, words

__all__ = ["FAMILIES"]

LEAF, SCALARS, REPEATED, MAPS = "sample.Leaf", "sample.Scalars", "sample.Repeated", "sample.Maps"
CLOSED, RECURSIVE = "sample.ClosedEnums", "sample.Recursive"
NODE, ATTR = "tensorflow.NodeDef", "tensorflow.AttrValue"
SHAPE, TENSOR = "tensorflow.TensorShapeProto", "tensorflow.TensorProto"

WHITESPACE = [
    on(LEAF, "", " ", "\n", "\r\n", "\t\v\f\r\n ", "#", "# only a comment", "# one\n# two\n", "#\n", " # x"),
    on(LEAF, *each("number:", "\t1", "\v1", "\f1", "\r\n1", "\r1", "\n\n\n1\n\n", "1\r", "1\x00", "\x001", "\ufeff1")),
    on(LEAF, "\ufeffnumber:1", b"\xef\xbb\xbfnumber:1", "\x00", "number\x00:1", "\u200bnumber:1", "number:1\u200b"),
    refused(
        LEAF, why.WHITESPACE, *each("number:", "\xa01", "\u20031", "\u20281", "\x1c1", "\x1f1", "\x851", "1\u3000")
    ),
    on(
        LEAF,
        "number#c\n:#d\n1#e",
        "number: # {\n1",
        "#{\nnumber:1",
        "number:1#",
        "number:1 ## #\ntext:'a'",
        "leaf{#}\n}",
    ),
    on(LEAF, 'number: 1 # c\r text:"x"', 'number:1 #c\x0b text:"b"', 'number:1 #c\u2028text:"b"', "number:1 # \x00"),
    refused(LEAF, why.NO_TEXT, "# \ud800", "number:1 #\udfff\n"),
    on(LEAF, "number:1 // x", "number:1 /* x */", "; number:1", "-- x\nnumber:1", "'''\nnumber:1", "<!-- -->"),
    on(LEAF, "numbers:[#c\n1#c\n,#c\n2#c\n]#c", "leaf#c\n<#c\n>#c\n,", "leaf#c\n:#c\n{}", 'text:#c\n"a"#c\n"b"#c'),
    on(
        LEAF,
        b"",
        b"number: 1\r\n",
        b'text:"\xc3\xa9"',
        b'text:"\xff"',
        b"\xff",
        b"number:1 # \xff",
        b'text:"\xed\xa0\x80"',
    ),
    on(LEAF, b'text:"\xf4\x90\x80\x80"', b'text:"\xc0\x80"', b"\x80", b'text:"\xf0\x9f\x98\x80"', b'text:"\xe2\x82"'),
]

SEPARATORS = [
    on(
        LEAF,
        *each(
            "number:1",
            ',text:"a"',
            ';text:"a";',
            ' , text:"a"',
            ',;text:"a"',
            ",,",
            ";;",
            ",",
            ";",
            "\n,\n",
            ", ,",
            ":",
        ),
    ),
    on(
        LEAF,
        ",number:1",
        ";",
        ",",
        "leaf{},",
        "leaf{};number:1",
        "leaf{number:1,}",
        "leaf{number:1;}",
        "leaf{,}",
        "leaf{;}",
    ),
    on(
        LEAF,
        "number:1, # c\n, text:'a'",
        "number:1 # c,\n, text:'a'",
        "number:1 # c;\ntext:'a'",
        "number:1;#,\n;",
        "number:1,#,\n",
    ),
    on(
        LEAF,
        "leaf{ ,}",
        "leaf{#c\n,}",
        " ,number:1",
        "\n;",
        "#c,\n,number:1",
        "leaf{number:1 , }",
        "leaf{number:1}\n, ;",
        "\n\n,",
    ),
    on(
        LEAF,
        "leaf{number:1\n,\n}",
        "leaf{\n;\n}",
        "leaf{},\n,",
        "leaf<> ;\n",
        "text:'a',\n'b'",
        "text:'a'\n'b',\nnumber:1",
        "text:,",
    ),
    on(LEAF, "leaf{},,", "leaf,{}", "leaf:,{}", "number,:1", "number:,1", "leaf<number:1,>", "leaf{}#c\n,#c\nnumber:1"),
    on(LEAF, "numbers:[1,2],", "numbers:[1,2];numbers:3", "numbers:[1,2],,", "numbers:1,numbers:2;numbers:3"),
    on(
        LEAF,
        'text:"a"number:1',
        "leaf{}number:1",
        "leaf{}leaf{}",
        "number:1text:'a'",
        "numbers:1numbers:2",
        "numbers:[1]number:2",
    ),
    on(
        LEAF, "text:'a'#c\nnumber:1", "number:1#c\ntext:'a'", 'text:"a" "b"number:3', "leaf<>number:1", "number:1leaf{}"
    ),
]

LISTS = [
    on(
        LEAF,
        *each(
            "numbers:", "[]", "[ ]", "[1]", "[1,2]", "[ 1 , 2 ]", "[1,2,]", "[,]", "[,1]", "[1,,2]", "[1;2]", "[1 2]"
        ),
    ),
    on(
        LEAF,
        *each("numbers:", "[", "[1", "[1,", "[1}", "(1)", "[[1]]", "[1,[2]]", "[]1", "[]]", "1,2", "[-1,0x10,017]"),
    ),
    on(
        LEAF,
        "numbers[1]",
        "numbers []",
        "numbers:[] numbers:1 numbers:[2,3]",
        "number:[1]",
        "number:[]",
        "leaf:[{}]",
        "leaf[]",
    ),
    on(
        LEAF,
        'text:["a"]',
        "numbers : [ 1 ] ;",
        "numbers:[1]numbers:[2]",
        "numbers:['1']",
        "numbers:[1.0]",
        "numbers:[{}]",
    ),
    on(
        REPEATED,
        *each("a_leaf", ":[{},{number:1}]", "[{},<number:1>]", "[<>,{},<>]", "[{};{}]", ":[]", "[]", ":[{}] a_leaf{}"),
    ),
    on(
        REPEATED,
        *each(
            "a_leaf", "[[]]", ":[{number:1;},]", "[ { } ] , a_leaf : < >;", "[1]", ":[{} {}]", "[{]}", "[{}", ":[,{}]"
        ),
    ),
    on(
        REPEATED,
        *each("a_leaf", ": { } a_leaf : [ ] a_leaf < > ", "[{numbers:[1,2],leaf<>},{}]", "::[{}]", "[:{}]", "[{},]"),
    ),
    on(
        REPEATED,
        'a_string:["a" "b","c"]',
        "a_string:['a','b' # c\n'c']",
        "a_string:[a]",
        'a_string:["a""b"]',
        'a_string:["a";"b"]',
    ),
    on(
        REPEATED,
        "a_mood:[HAPPY,1,-1]",
        "a_mood:[HAPPY HAPPY]",
        "a_bool:[t,f,1,0,true,False]",
        "a_float:[1,2.5,-inf,1f]",
    ),
    on(
        REPEATED,
        "a_mood:HAPPY a_mood:[GRIM,2147483647]",
        "a_bytes:['\\377',\"\"]",
        "a_double:[]",
        "a_uint64:[18446744073709551615]",
    ),
    on(
        REPEATED,
        "a_uint32:[1,-1]",
        "a_bool:[true,2]",
        "a_sint32:[-5,5]",
        "a_fixed64:[0xff]",
        "a_sfixed32:[-1]",
        "a_double:[1,nope]",
    ),
    otherwise(
        REPEATED, why.APART, {"a_int32:[- 1,-\n2]": "a_int32:[-1,-2]", "a_double:[- inf,1]": "a_double:[-inf,1]"}
    ),
    on("sample.Unpacked", "a_int32:[1,2] a_int32:3", "a_mood:[GRIM]", "a_bool:[t,f]"),
    on(
        SHAPE,
        "dim{size:1 name:'a'} dim:[{size:-1},<>] unknown_rank:true",
        "dim[{size:2},{}]",
        "dim:{size:3},dim<size:4>;",
    ),
]

NAMES = [
    on(
        LEAF,
        *each(
            "",
            "Number:1",
            "NUMBER:1",
            "nümber:1",
            "number-x:1",
            "number+:1",
            "number_:1",
            "_number:1",
            "numbe:1",
            "x:1",
        ),
    ),
    on(
        LEAF,
        "number :1",
        "number\n:\n1",
        "number=1",
        "number 1",
        "number",
        "number:",
        "number::1",
        "number : : 1",
        ":1",
        "1:1",
        ":",
    ),
    on(
        LEAF,
        '"number":1',
        "'number':1",
        "{number:1}",
        '{"number":1}',
        "[number]:1",
        "<number:1>",
        "@number:1",
        "$:1",
        "-number:1",
    ),
    on(
        LEAF,
        "number.x:1",
        "leaf.number:1",
        "sample.Leaf.number:1",
        "number: text:'a'",
        "number:1 1",
        "number:1 number",
        "null",
    ),
    on(LEAF, "é:1", "текст:'a'", "number\u0301:1", "number:1;é", "nu mber:1", "num#\nber:1", "number\\:1"),
    on(LEAF, *each("", "1:5", "2:'a'", "3:[1,2]", "4{1:7}", "1 : 5", "4:<>", "3:1 numbers:2"), allow_field_number=True),
    on(
        LEAF,
        *each("", "99:1", "0:1", "0x1:5", "+1:5", "-1:5", "1.0:5", "1f:5", "1_:5", "0", "1"),
        allow_field_number=True,
    ),
    on(
        LEAF,
        "01:5",
        "002:'a'",
        "1:5 number:5",
        "536870912:1",
        "1:5,2:'a';",
        "text:'a'2:'b'",
        "number:5",
        allow_field_number=True,
    ),
    refused(LEAF, why.TOO_LARGE, "4294967297:5", allow_field_number=True),
    otherwise(SCALARS, why.FIELD_NUMBERS, {"010:5": "10:5", "08:5": "8:5", "0017{}": "17{}"}, allow_field_number=True),
    on(LEAF, "18446744073709551617:5", "99999999999999999999:5", "9" * 5000 + ":5", allow_field_number=True),
    on(
        LEAF,
        "99:1",
        "99{}",
        "0:1",
        "99:{a:1}",
        "1:5 99:1",
        "-1:5",
        "4{99:1}",
        allow_field_number=True,
        allow_unknown_field=True,
    ),
    on(LEAF, "1:5", "99:1", "99{3:3}", "4{1:1} number:2", allow_unknown_field=True),
    on(
        MAPS, "15{1:'a' 2:1}", "15{1:'a' 1:'b'}", "15{3:1}", "15:[{1:'a'}]", "29{1:'a' 2{1:5}}", allow_field_number=True
    ),
    on("sample.Wide", "536870911:1 2047:[1,2]", "18999{key:'a'}", "at_last:1", "536870912:1", allow_field_number=True),
    on("sample.Empty", "", "x:1", "{}", "1:1"),
]

BRACES = [
    on(
        LEAF,
        *each(
            "leaf",
            "{}",
            " { } ",
            ":{}",
            " : { }",
            "<>",
            ":<>",
            "{>",
            "<}",
            "{",
            "<",
            ":",
            "",
            "::{}",
            "()",
            "[]",
            "{{}}",
            "{}}",
        ),
    ),
    on(
        LEAF,
        *each(
            "leaf",
            "<number:1}",
            "{number:1>",
            "{number:1",
            "{number:",
            "{leaf{}",
            "{leaf<}>",
            "<leaf{}>",
            "<leaf:<>>",
            "{<>}",
        ),
    ),
    on(LEAF, "}", ">", "]", "{", "<", "[", "{}", "<>", "number:1}", "number:1>", "number:1]", "leaf{leaf{leaf{}}}"),
    on(
        LEAF,
        "leaf:1",
        "leaf:'a'",
        "leaf:x",
        "leaf x",
        "leaf:number:1",
        "leaf{1}",
        "number:{}",
        "number{}",
        "text{}",
        "numbers{}",
    ),
    on(
        LEAF,
        "leaf{number:1 leaf<text:'a' leaf:{numbers:[1,2]}>}",
        "leaf\n{\nnumber\n:\n1\n}\n",
        "leaf{number:1;leaf{},},",
    ),
    on(
        RECURSIVE,
        "child{" * 40 + "}" * 40,
        "child{" * 40 + "}" * 39,
        "child<" * 40 + ">" * 40,
        "children[" + "{}," * 40 + "{}]",
    ),
    on(
        RECURSIVE,
        "left{left{right{}}}",
        "left{} right{}",
        "child{left{} right{}}",
        "child{child{}",
        "named{key:'a' value<>}",
    ),
    on(
        "sample.Nesting",
        "inner{innermost{name:'a' inner{mood:GRIM}}} level:HIGH",
        "levels{key:'a' value:HIGH}",
        "inners[{},{}]",
    ),
]

_PLAIN = words(r"""\a \b \f \n \r \t \v \\ \' \" \0 \00 \000 \0000 \7 \77 \177 \1234 \18 \08 \x4 \x41 \x414 \x4g \x0
\x7F \xc3\xa9 \303\251 \xe1\x88\xb4 \341\210\264 \\x4 \\\x4 \\u20ac \1é \x1é \xF. \u0041 \u00410 \u007f \U0000007F
\101\x42C""")
_BROKEN = words(r"""\x \xg \u \u12 \u12G4 \u{41} \U \U1F600 \U0001F60 \U00110000 \UFFFFFFFF \N \N{ \x\x \\\ \8\
\uD83D\UDE000000 \ud83d\ude0 \ud83d\u""")
_NOT_UTF8 = words(r"\377 \303 \303x \xff \300\200 \xed\xa0\x80 \xf4\x90\x80\x80 \x80 \xc3\x2 \u0041\xff")
_POINTS = {
    r"\u00e9": "é",
    r"\u20ac": "€",
    r"\u1234": "\u1234",
    r"\uABCD\uabcd": "\uabcd\uabcd",
    r"\uffff": "\uffff",
    r"\ue000": "\ue000",
    r"\U0001F600": "\U0001f600",
    r"\U0010FFFF": "\U0010ffff",
    r"\U00001234\U00010437": "\u1234\U00010437",
    r"\u00ff": "ÿ",
    r"\ud7ff": "\ud7ff",
    r"\u0080": "\x80",
    r"\u20acuro": "€uro",
    r"€\u20ac": "€€",
    r"\\\u20ac": "\\\\€",
    r"\u01000": "\u01000",
}
_SURROGATES = words(r"""\ud800 \udc00 \udfff \U0000d800 \U0000dc00 \U0000d801\U0000dc37 \ud801\U0000dc37 \ud83dx
\ud83d\x64 \ude00\ud83d \ud83d\ud83d\ude00 \ud83d\ude00\ude00 \ud83d\\ude00 \ud83d\u0041 \udbff\ue000 \ud7ff\udc00""")
_PAIRS = words(r"""\ud801\udc37 \U0000d801\udc37 \ud83d\ude00 \uD83D\uDE00x \ud800\udc00 \udbff\udfff \uDbFf\uDfFf
\ud83d\ude00\ud83d\ude00 \\\ud83d\ude00 \ud83d\ude000""")
_STRANGE = [
    *words(r"\8 \9 \e \c \s \/ \- \z \A \% \X41 \é \€ \N{BULLET} \_ \( \q \i \{"),
    "\\ ",
    "\\\t",
    "\\\r",
    "\\\0",
]
_TOO_LARGE = words(r"\400 \777 \4001 \666")


def _strings(name: str) -> list[Row]:
    """Escapes in a field that is a string, or bytes."""
    head = f'{name}:"'
    return [
        on(SCALARS, *each(head, *_PLAIN, *_BROKEN, end='"')),
        on(SCALARS, *each(head, *_NOT_UTF8, end='"')),
        otherwise(SCALARS, why.CODE_POINTS, {f'{head}{text}"': f'{head}{char}"' for text, char in _POINTS.items()}),
        refused(SCALARS, why.SURROGATES, *each(head, *_SURROGATES, end='"')),
        refused(SCALARS, why.PAIRS, *each(head, *_PAIRS, end='"')),
        otherwise(SCALARS, why.QUESTION_MARK, {f'{head}\\?"': f'{head}?"', f'{head}a\\?b\\\\?"': f'{head}a?b\\\\?"'}),
        refused(SCALARS, why.NO_SUCH_ESCAPE, *each(head, *_STRANGE, end='"')),
        refused(SCALARS, why.OCTAL_ESCAPE, *each(head, *_TOO_LARGE, end='"')),
    ]


STRINGS = [
    on(
        LEAF,
        *each(
            "text:",
            '""',
            "''",
            '"a"',
            "'a'",
            '"a"  "b"',
            "\"a\"\n#c\n'b'",
            '"a""b"\'c\'',
            '"a" # c\n"b"',
            '"""a"""',
            "''''",
        ),
    ),
    on(
        LEAF,
        *each(
            "text:",
            '"it\'s"',
            "'it\"s'",
            '"it\\\'s"',
            "'it\\\"s'",
            '"a"b"c"',
            '"a","b"',
            '"a";"b"',
            '"a"+"b"',
            "'a\"",
            "\"a'",
        ),
    ),
    on(
        LEAF,
        *each(
            "text:",
            '"a\nb"',
            '"a\\\nb"',
            '"a\r\nb"',
            '"a',
            "'",
            '"',
            '"a\\"',
            '"a\\',
            '"a\\\\"',
            '"a\\\\\\"',
            '"\n"',
            "'a\n'",
        ),
    ),
    on(
        LEAF,
        *each(
            "text:",
            '"a\tb"',
            '"a\rb"',
            '"a\x0bb\x0c"',
            '"a\x00b"',
            '"\x01\x1f\x7f"',
            '"\x85"',
            '"\u2028"',
            '"\ufeff"',
            '"\xa0"',
        ),
    ),
    on(LEAF, *each("text:", '"é\U0001f600"', '"\uffff\ufdd0"', '"e\u0301"', '"\u202e"', '"\ud800"', '"\udfffx"')),
    on(
        LEAF,
        *each(
            "text:",
            "abc",
            "1",
            "true",
            "a'b'",
            'b"a"',
            'u"a"',
            'r"a"',
            '-"a"',
            "`a`",
            "“a”",
            '("a")',
            "{}",
            "null",
            "-",
            "'a'-",
        ),
    ),
    on(
        LEAF,
        *each("text:", '"#"', "'#' #'\n'x'", "'{' '}'", "'[,];:'", "'a''b'\"c\"#d\n", "'number:1'", "\"a\"'b'number:1"),
    ),
    on(
        LEAF,
        'text:"\\303" "\\251"',
        'text:"\\303" \'\\251\' "x"',
        'text:"\\303" "x"',
        'text:"\\" "a"',
        'text:"\\x" "41"',
        'text:"\\x4" "1"',
    ),
    on(
        LEAF,
        "text: 'a'\n'b'\n",
        "text: 'a'\n'b'\n'c' # d\n  'e'\nnumber: 1",
        "text: 'a'\n\n\n'b'\n",
        "text: 'a'\nnumber: 1\n'b'\n",
        "text: 'a';\n'b'",
    ),
    on(
        LEAF,
        "numbers: 1\n'b'\n",
        "leaf {\n  text: 'a'\n}\n'b'\n",
        "leaf {\n  text: 'a'\n  'b'\n}\n",
        "text: ''\n''\n'x'\n",
        "'a'\ntext: 'b'",
    ),
    on(
        REPEATED,
        "a_string: 'a'\na_string: 'a'\n'b'\na_string: 'a'\n",
        "a_string: ['a']\n'b'",
        "a_string: ['a',\n'b'\n'c']\n",
        "a_bytes: 'a'\n'b'",
    ),
    on("sample.Choice", "s: 'a'\n'b'\n", "b: ''\n''\n", "s: 'a'\n'b'\ni: 1", "between: 'a'\n'b'\nbetween: 'c'"),
    on("sample.Optionals", "a_string: ''\n''\n", "a_bytes: 'a'\n\"b\"\n#c\n'd'", "a_string: 'a'\n'b'\na_string: 'c'"),
    on(LEAF, "text:" + "'a' " * 300, "text:'" + "é\\n" * 300 + "'", "text:'" + "x" * 5000 + "'"),
    on(
        SCALARS,
        *each(
            "a_bytes:",
            '"é"',
            '"\u20ac"',
            '"\U0001f600"',
            '"é\\303"',
            '"\x80"',
            '"\x00"',
            '"€" "\\xff"',
            '"\\377\\xfe"',
            "''",
            "1",
        ),
    ),
    on(
        SCALARS,
        *each("a_bytes:", '"a\nb"', '"\ud800"', "abc", "'\\'\\\"'", '"a"\'b\'\n"c"', "0x00", '"\\000\\000"', '["a"]'),
    ),
    *_strings("a_string"),
    *_strings("a_bytes"),
    on(MAPS, *each("by_string{key:", '"\\377"}', '"\\303\\251"}', '"a" "b" value:"c"}', "abc}", '""}')),
    on(
        MAPS,
        'of_bytes{key:"a" value:"\\377"}',
        'of_string{key:"a" value:"\\377"}',
        "of_string{key:'a'\n'b' value:'c' # d\n'e'}",
    ),
    otherwise(MAPS, why.CODE_POINTS, {'by_string{key:"\\u20ac"}': 'by_string{key:"€"}'}),
    on(NODE, "input:'^a' input:\"b:1\" input:['c','d' 'e']", "name:'x' op:\"Const\" device:'/cpu:0'"),
    on(TENSOR, "dtype:DT_STRING string_val:'\\377\\000' string_val:[\"\",'é']", "tensor_content:'\\000\\001\\x02'"),
]

_INTEGERS = words("""1 -1 0 -0 00 -00 01 017 -017 08 09 018 -08 0x1F 0X1f -0x1F 0x00 0x 0xg 0x1G 0x1.0 --1 -+1 +-1 1-
1+ 1+2 1-1 - + -- 1e3 1E3 1e+3 1.0 1. .5 0.0 0. 1f 1F 1L 1u 1i 1a a1 1x inf nan true HAPPY "1" '1' _1 1_ 1__0 {} [1] 1é
é 2147483647 2147483648 -2147483648 -2147483649 0x7fffffff 0x80000000 -0x80000000 -0x80000001 017777777777 020000000000
-020000000000 -020000000001 037777777777 99999999999999999999 000000000000000000001 0x000000000000000000001 1.0.0 1..2
.. $1 #1 1#""")
_UNSIGNED = words("""0 1 4294967295 4294967296 -1 0xffffffff 0x100000000 037777777777 040000000000 1.0 -4294967295 00
0x0 1f""")
_WIDE = words("""9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 0x7fffffffffffffff
0x8000000000000000 -0x8000000000000000 -0x8000000000000001 0777777777777777777777 01000000000000000000000
-01000000000000000000000 1e18""")
_WIDE_UNSIGNED = words("""18446744073709551615 18446744073709551616 -1 0xffffffffffffffff 0x10000000000000000
01777777777777777777777 02000000000000000000000 9223372036854775808""")

INTEGERS = [
    on(SCALARS, *each("a_int32:", *_INTEGERS, "", "1,", "1;", "#c\n1", "\n\n1", "1 2", "9" * 4000, "9" * 6000)),
    on(SCALARS, *each("a_uint32:", *_UNSIGNED), *each("a_fixed32:", *_UNSIGNED)),
    on(SCALARS, *each("a_int64:", *_WIDE), *each("a_sint64:", *_WIDE[:5]), *each("a_sfixed64:", *_WIDE[:5])),
    on(SCALARS, *each("a_uint64:", *_WIDE_UNSIGNED), *each("a_fixed64:", *_WIDE_UNSIGNED[:4])),
    on(
        SCALARS,
        *each("a_sint32:", "-5", "2147483648", "-2147483648"),
        *each("a_sfixed32:", "-1", "2147483647", "-2147483649"),
    ),
    otherwise(
        SCALARS, why.APART, {f"a_int32:{sign}": "a_int32:-1" for sign in ("- 1", "-\n1", "-#c\n1", "-\t0x1", "-\r\n01")}
    ),
    otherwise(
        SCALARS,
        why.APART,
        {"a_sint64:- 9223372036854775808": "a_sint64:-9223372036854775808", "a_mood:- 1": "a_mood:-1"},
    ),
    on(
        SCALARS,
        *each("a_int32:", "- -1", "- x", "- ", "-\n", "- {}", "- '1'", "-,1", "- 2147483649", "- 1.5"),
        "a_uint32:- 1",
    ),
    refused(SCALARS, why.PLUS, "a_int32:+1", "a_int32:+0x1", "a_uint64:+1", "a_mood:+1"),
    refused(
        SCALARS, why.PYTHONS_NUMBERS, *each("a_int32:", "1_000", "0x_1", "0o17", "0O17", "-0o17", "0b11", "0B1", "1_0")
    ),
    refused(SCALARS, why.DIGITS, *each("a_int32:", "\u0663", "\uff11", "\u0967")),
    refused(SCALARS, why.UNSIGNED_ZERO, "a_uint32:-0", "a_uint64:-0", "a_fixed32:-0", "a_fixed64:-00", "a_uint32:-0x0"),
    on(SCALARS, "a_int32:1\u0663", "a_int32:\u00b2", "a_uint32:- 0"),
    on(
        SHAPE,
        "dim{size:-1}",
        "dim{size:9223372036854775807}",
        "dim{size:9223372036854775808}",
        "dim{size:twelve}",
        "dim{size:'1'}",
    ),
]

_FLOATS = words("""1 -1 0 -0 -0.0 0.0 1. 0. -1. .5 -.5 1.e5 .5e1 1e5 1E5 1e+5 1e-5 1e05 1.5e5 -1.5E-5 1f 1.0f .5f 1.f
0f -0f 1e5f 1.5e5f -1.f . -. .e5 e5 1e 1e+ 1e- 1.e 1.2.3 5.. .5. 1e5. 1e5.5 1e0x5 --1 1- 1-1 - + 0x10 -0x1 0x1p3 0x 1d
1l f F -f infinite infin nan(1) inf1 -in na inf -inf Inf INF iNf infinity -infinity INFINITY inFINITY -Infinity nan NaN
NAN nAn true "1" '1.0' {} [1] 1e999 -1e999 1e400 1e-999 -1e-999 1e1000000000000 1e-1000000000000 4.94e-324 2e-324
1.7976931348623157e308 1.7976931348623159e308 18446744073709551616 -9223372036854775809 99999999999999999999999999
16777217 0.1 0.30000000000000004 3.141592653589793238462643383279 0e0 0e5 0.e0 9007199254740993 1.5é é""")
_SINGLES = words("""1e39 -1e39 1e50 3.4028235e38 3.4028236e38 3.40282357e38 3.4028235677973366e+38
3.4028235677973362e+38 1e-45 1e-46 7e-46 7.1e-46 -1e-50 1.17549e-39 0.1 16777217 16777219 1e308 1e309 -0 -0.0 nan inf
-inf 3.4028235e+39f 4294967296 9223372036854775808 1.00000017881393432617187499 1.00000017881393432617187500
1.00000017881393432617187501 3.192837 .123e2 1.5f 0x1 -0x1""")
_SHOUTED = words("1F -1F 1.5F .5F 1.F 1e5F 0F -0F 1.5E5F -.5e-3F 3.4028235e+38F 18446744073709551616F")

FLOATS = [
    on(
        SCALARS,
        *each("a_double:", *_FLOATS, "", "9" * 400, "." + "3" * 5000, "1,", "1 5", "1 e5", "1 f", "#c\n1.5", "-#c\n"),
    ),
    on(SCALARS, *each("a_float:", *_SINGLES)),
    otherwise(
        SCALARS,
        why.CAPITAL_F,
        {f"a_{kind}:{text}": f"a_{kind}:{text[:-1]}" for text in _SHOUTED for kind in ("double", "float")},
    ),
    refused(
        SCALARS, why.OCTAL_FLOAT, *each("a_float:", "012", "-012", "010", "00"), *each("a_double:", "012", "-07", "000")
    ),
    refused(SCALARS, why.LEADING_ZERO, *each("a_double:", "09", "08", "-09", "019")),
    refused(SCALARS, why.LEADING_ZERO, *each("a_double:", "00.5", "01.5", "-01.", "01e5", "010f", "00f")),
    otherwise(
        SCALARS,
        why.APART,
        {f"a_double:{text}": f"a_double:-{text[1:].strip()}" for text in ("- 1.5", "-\n.5", "- inf", "-\tinfinity")},
    ),
    otherwise(SCALARS, why.APART, {"a_float:- 1e39": "a_float:-inf", "a_float:-#c\n0": "a_float:-0"}),
    on(SCALARS, "a_double:-nan", "a_float:-nan", "a_double:-NaN", "a_float:-NAN"),
    refused(SCALARS, why.PLUS, *each("a_double:", "+1", "+1.5", "+.5", "+inf", "+nan", "+1e5f")),
    refused(
        SCALARS,
        why.PYTHONS_NUMBERS,
        *each("a_double:", "1_0", "1_000.5", "1e1_0", "1ff", "1.5ff", "inff", "infF", "infinityf", "nanf"),
    ),
    refused(SCALARS, why.DIGITS, "a_double:\u0663", "a_float:\uff11"),
    on(SCALARS, "a_double:- -1", "a_double:- x", "a_double:1._0", "a_double:_1", "a_double:in f", "a_double:- 'a'"),
    on(
        TENSOR,
        "float_val:[1,-.5,1e-3,inf,nan,-inf]",
        "float_val:1 float_val:[2f,3.]",
        "double_val:-0 int_val:-0",
        "float_val:0x1",
    ),
]

BOOLS = [
    on(
        SCALARS,
        *each(
            "a_bool:",
            *words("""true false True False t f 1 0 TRUE FALSE tRUE T F 2 -1 -0 +1 -true 10 11 0b1 1.0 0.0 1f
            1. tru truee
        yes on null None "true" 't' {} [true] nan 1_ 0x2 0x 08 02 HAPPY 99999999999999999999"""),
            "",
            "true,",
            "- 1",
            "true false",
        ),
    ),
    otherwise(
        SCALARS,
        why.BOOLEAN_NUMBERS,
        {f"a_bool:{text}": "a_bool:1" for text in ("01", "001", "0x1", "0X1", "0x01", "0001")},
    ),
    otherwise(SCALARS, why.BOOLEAN_NUMBERS, {f"a_bool:{text}": "a_bool:0" for text in ("00", "000", "0x0", "0X00")}),
    on("sample.Optionals", "a_bool:false", "a_bool:0", "a_bool:f", "a_bool:true"),
    on(
        MAPS,
        "by_bool{key:t value:'a'}",
        "by_bool{key:1} by_bool{key:False}",
        "by_bool{key:'true'}",
        "of_bool{key:'a' value:t}",
    ),
    on(ATTR, "b:true", "b:t", "b:TRUE", "list{b:[true,false,1,0]}"),
]

ENUMS = [
    on(
        SCALARS,
        *each(
            "a_mood:",
            *words("""HAPPY GRIM CALM LIVID happy Happy 1 -1 0 -0 150 7 -7 00 0x1 0x96 -0x1 2147483647 -2147483648
        2147483648 -2147483649 4294967295 0x80000000 99999999999999999999 1.0 1f 1e2 "HAPPY" 'HAPPY' Mood.HAPPY
        sample.Mood.HAPPY true inf nan null -HAPPY HAPPY- HAPPY+ HAPPYY _HAPPY {} [HAPPY] 0x 1a a 08 é"""),
            "",
            "HAPPY,",
            "HAPPY GRIM",
            "- HAPPY",
            "#c\nHAPPY",
        ),
    ),
    otherwise(
        SCALARS,
        why.OCTAL_ENUM,
        {"a_mood:01": "a_mood:1", "a_mood:017": "a_mood:15", "a_mood:0226": "a_mood:150", "a_mood:-01": "a_mood:-1"},
    ),
    refused(
        SCALARS,
        why.PYTHONS_NUMBERS,
        *each("a_mood:", "0o1", "0b1", "1_5"),
    ),
    on(
        CLOSED,
        *each(
            "single:",
            "LIGHT",
            "1",
            "-1",
            "DIM",
            "NONE",
            "0",
            "-0",
            "150",
            "0x96",
            "7",
            "-7",
            "UNKNOWN",
            "2147483648",
            "light",
        ),
    ),
    refused(CLOSED, why.TOO_LARGE, "order:2147483648", "single:4294967297"),
    otherwise(CLOSED, why.OCTAL_ENUM, {"single:0226": "single:DARK"}),
    otherwise(CLOSED, why.APART, {"single:- 1": "single:DIM"}),
    on(
        CLOSED,
        "many:[LIGHT,7]",
        "many:[LIGHT,DIM]",
        "packed:[DARK,1]",
        "packed:7",
        "by_number{key:1 value:7}",
        "by_number{key:1 value:DIM}",
    ),
    on(
        CLOSED,
        "order:FIRST",
        "order:0",
        "order:-2147483648",
        "chosen:7",
        "chosen:LIGHT",
        "by_name{key:'a' value:LIGHT}",
        "preset:1",
    ),
    on(REPEATED, "a_mood:[HAPPY,7,-7,0x2]", "a_mood:[HAPPY,nope]"),
    on("tensorflow.TensorProto", "dtype:DT_FLOAT", "dtype:1", "dtype:12345", "dtype:dt_float", "dtype:-1"),
    on(ATTR, "type:DT_FLOAT_REF", "list{type:[DT_INT32,3,999]}", "type:'DT_FLOAT'"),
    on("google.protobuf.Value", "null_value:NULL_VALUE", "null_value:0", "null_value:5", "null_value:null"),
]

FAMILIES = {
    "white space and comments": WHITESPACE,
    "separators": SEPARATORS,
    "lists": LISTS,
    "names": NAMES,
    "brackets": BRACES,
    "strings": STRINGS,
    "integers": INTEGERS,
    "floats": FLOATS,
    "bools": BOOLS,
    "enums": ENUMS,
}
