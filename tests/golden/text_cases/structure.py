"""Tricky texts, by family: fields that come twice, oneofs, maps, groups, Any, unknown fields, whole models."""

from __future__ import annotations

from tests.golden.text_cases import reasons as why
from tests.golden.text_cases.rows import each, on, otherwise, refused, words

__all__ = ["FAMILIES"]

LEAF, LEAF2, SCALARS, OPTIONALS = "sample.Leaf", "sample.Leaf2", "sample.Scalars", "sample.Optionals"
MAPS, GROUPS, CHOICE, REQUIRED = "sample.Maps", "sample.Groups", "sample.Choice", "sample.Required"
CLOSED, RECURSIVE, PROTO2 = "sample.ClosedEnums", "sample.Recursive", "sample.Proto2"
ANY, NODE, ATTR, GRAPH = "google.protobuf.Any", "tensorflow.NodeDef", "tensorflow.AttrValue", "tensorflow.GraphDef"

_TWICE = (
    *each("number:", "1 number:2", "0 number:1", "1 number:0", "0 number:0", "1 number:1",
        "0 number:0 number:5 number:6"),
    *each("text:", '"" text:"a"', '"a" text:""', '"" text:""', '"a" text:"a"', "'a' number:1 text:'b'"),
    *each("leaf", "{} leaf{}", '{number:1} leaf{text:"a"}', "{number:1} leaf{number:2}", "{numbers:1} leaf{numbers:2}",
        "{} leaf:1"),
    *each("leaf{number:", "1 number:2}", "0 number:1}", "0} leaf{}", "0} number:0 number:1"),
    *each("numbers:", "1 numbers:1", "[1] numbers:[1]"),
)  # fmt: skip
_MEMBERS = (
    *each("i:", "1 i:2", "0 i:0", "1 f:2", "0 f:0", "1 leaf{}", "1 other_z:1", "1 before:1 i:1", "0 other_z:0 f:0",
        "1 u:2 i:3", "x f:1"),
    *each("leaf{", "} leaf{}", '} leaf{text:"a"}', "number:1} leaf{number:2}", "} i:1", "} empty{}", "} leaf{",
        "number:1} leaf{text:'a'}"),
    *each("empty{", "} empty{}", "} leaf{}", "} empty<> i:0"),
    *each("choice{", "i:1 f:2}", "i:1} choice{f:2}", "choice{i:1}} choice{choice{f:2}}", "i:1} i:1",
        "leaf{number:1}} choice{leaf{text:'a'}}"),
    *each("s:'", "' b:''", "a' s:'b'", "' mood:CALM", "' flag:false u:0"),
    *each("other_leaf{", "} leaf{}", "} other_s:''", "number:1} leaf{number:2} other_leaf{text:'a'}",
        "} other_x:1 other_b:''"),
)  # fmt: skip

TWICE = [
    on(LEAF, *_TWICE),
    on(LEAF, *_TWICE, merge=True),
    on(LEAF2, *_TWICE),
    on(LEAF2, *_TWICE, merge=True),
    on(OPTIONALS, "a_int32:0 a_int32:0", "a_bool:false a_bool:true", "a_string:'' a_string:''",
        "a_double:0 a_double:-0.0", "a_mood:CALM a_mood:CALM"),
    on(OPTIONALS, "a_leaf{} a_leaf{}", "a_int32:0 a_string:'' a_bool:f", "a_float:0 a_double:0",
        "a_bytes:'' a_mood:0 a_uint64:0"),
    on(OPTIONALS, "a_int32:0 a_int32:0", "a_bool:true a_bool:false", "a_leaf{number:1} a_leaf{text:'a'}",
        "a_double:0 a_double:-0.0", merge=True),
    on(SCALARS, *each("a_double:", "0 a_double:1", "-0.0 a_double:1", "nan a_double:1", "1e-400 a_double:1",
        "1 a_double:1", "0 a_double:-0.0")),
    on(SCALARS, *each("a_bool:", "false a_bool:true", "true a_bool:true", "0 a_bool:0"), *each("a_float:",
        "1e-50 a_float:2", "1 a_float:nan")),
    on(SCALARS, *each("a_bytes:", '"" a_bytes:"a"', '"\\000" a_bytes:"a"'), *each("a_mood:", "CALM a_mood:HAPPY",
        "0 a_mood:0", "7 a_mood:0")),
    on(SCALARS, "a_double:-0.0 a_double:0", "a_bool:true a_bool:false", "a_mood:7 a_mood:CALM",
        "a_string:'a' a_string:''", merge=True),
    on(PROTO2, "d_int32:-2147483648 d_int32:-2147483648", "d_bool:true d_bool:true", "d_int32:0", "d_bool:false",
        "d_double:inf"),
    on(PROTO2, "a_shade:NONE a_shade:NONE", "a_order:FIRST a_order:FIRST", "a_int32:0 a_int32:0",
        "r_int32:1 r_int32:[2] p_int32:3 p_int32:[4]"),
    on(LEAF, "number:1 number:x", "number:1 number:", "number:1 number", "number:1 number:1.5", "leaf{} leaf{nope:1}",
        "number:1 number:2 }"),
    on(LEAF, "1:0 number:0 1:7", "number:7 1:8", "4{} leaf{}", allow_field_number=True),
    on(LEAF, "x:1 x:2 number:1", "x{number:1} x{number:1 number:2}", "number:1 x:1 number:2", allow_unknown_field=True),
]

ONEOFS = [
    on(CHOICE, *_MEMBERS),
    on(CHOICE, *_MEMBERS, merge=True),
    on(RECURSIVE, "left{} neither:true", "left{left{}} left{right{}}", "neither:false right{}",
        "left{depth:1} left{depth:2}"),
    on(RECURSIVE, "left{} neither:true", "left{left{}} left{right{}}", "left{depth:1} left{depth:2}",
        "left{depth:1} right{} left{}", merge=True),
    on(ATTR, "i:1 i:2", "i:1 f:2", "s:'' s:''", "list{} list{}", "list{i:1} list{i:2}", "tensor{} shape{}",
        "func{name:'a'} placeholder:'b'"),
    on(ATTR, "i:1 f:2", "list{i:1} list{i:2}", "list{i:1} s:'' list{i:2}", "func{attr{key:'a'}} func{attr{key:'b'}}",
        merge=True),
    on("google.protobuf.Value", "number_value:0 number_value:0", "null_value:0 bool_value:false",
        "struct_value{} list_value{}", "string_value:''"),
    on(GROUPS, "Alone{} number:1", "number:1 Alone{}", "Alone{} Alone{}", "Alone{text:'a'}"),
    on(GROUPS, "Alone{} number:1", "number:1 Alone{}", "Alone{text:'a'} Alone{}", merge=True),
]  # fmt: skip

_ENTRIES = (
    *each("of_int32", '{key:"a" value:1}', '{value:1 key:"a"}', '{key:"a"}', "{value:1}", "{}", "<>", ':<key:"a">',
        ": { }", "", ":", ":[]", "[]"),
    *each("of_int32", ':[{key:"a" value:1},{key:"b" value:2}]', '[{key:"a"},<key:"b">]', "[{},{}]",
        ":[{key:'a'}{key:'b'}]", "[{key:'a'},]", ":1"),
    *each("of_int32{", 'key:"a",value:1;},', 'key:"a"', 'key:"a" value:1 ; } ; ', 'key : "a" ; value : 0x10 , ',
        'key:"a" foo:1}', "foo:1}", "key}"),
    *each("of_int32{", "key:1}", "key:a}", '1:"a"}', '"a":1}', 'key:["a"]}', 'key:"a" value:[1]}', "key:{}}",
        "value:'1'}", "value{}}", ">", "Key:'a'}"),
    *each("of_int32{", 'key:"a"} of_int32{key:"a" value:2}', 'key:"a" value:1} of_int32{key:"a"}',
        "value:1} of_int32{}", "key:'\\000'}"),
    *each("of_int32{", 'key:"a" key:"b"}', 'key:"" key:"b"}', "key:'a' key:'a'}", "value:1 value:2}",
        "value:0 value:2}", "value:2 value:0}"),
    *each("of_leaf{", 'key:"a" value{number:1}}', 'key:"a" value:{number:1}}', 'key:"a" value<>}', 'key:"a"}',
        "value{number:1}}", "}", "value:1}"),
    *each("of_leaf{", 'key:"a" value{} value{}}', "value{number:1} value{text:'b'}}", "value{leaf{number:1}} key:'a'}",
        "value[{}]}", "value:[]}"),
    *each("of_leaf{", 'key:"a" value{number:1}} of_leaf{key:"a" value{text:"x"}}',
        "key:'a' value{number:1}} of_leaf{key:'a'}"),
)  # fmt: skip

MAP_ENTRIES = [
    on(MAPS, *_ENTRIES),
    on(MAPS, *_ENTRIES, merge=True),
    on(MAPS, "of_int32:{'a':1}", "of_int32{'a':1}", "of_int32['a']:1", "of_int32:{a:1}", "of_int32:[{'a':1}]",
        "of_int32 of_int64"),
    on(MAPS, *each("by_int32{key:", "-1 value:'x'}", "2147483648}", "'1'}", "0x10}", "-017}", "1.0}", "1 value:x}")),
    on(MAPS, *each("by_uint32{key:", "4294967295}", "-1}"), *each("by_int64{key:", "-9223372036854775808}",
        "9223372036854775808}")),
    on(MAPS, *each("by_uint64{key:", "18446744073709551615}", "18446744073709551616}"), "by_sint32{key:-5}",
        "by_sint64{key:-5}", "by_bool{}"),
    on(MAPS, "by_fixed32{key:7}", "by_fixed64{key:8 value:'a'}", "by_sfixed32{key:-7}", "by_sfixed64{key:-8}",
        "by_string{}", "by_int32{}"),
    on(MAPS, "by_int32{key:1 value:'a'} by_int32{key:0x1 value:'b'} by_int32{key:01}",
        "by_bool{key:t} by_bool{key:1} by_bool{key:True}"),
    on(MAPS, "of_mood{key:'a' value:7}", "of_mood{key:'a' value:HAPPY}", "of_mood{key:'a' value:nope}",
        "of_mood{key:'a'}", "mood_by_flag{key:t}"),
    on(MAPS, "of_float{key:'a' value:1e39}", "of_double{key:'a' value:-0}", "of_bytes{key:'a' value:'\\377'}",
        "of_uint32{key:'a' value:-1}"),
    on(MAPS, "leaf_by_number{key:1 value{leaf{number:2}}}", "leaf_by_number:[{key:1},{key:2 value<>}] leaf_by_number{}",
        "of_bool{value:f}"),
    on(MAPS, *each("of_int32{", "key:'a' foo:1 value:2}", "foo{key:'b'} key:'a'}", "3:1}", "foo:[1,2];}",
        "key:'a' Key:'b'}"), allow_unknown_field=True),
    on(CLOSED, "by_number{}", "by_number{key:1}", "by_number{value:LIGHT}", "by_number{key:0 key:1}",
        "by_number{value:NONE value:NONE}", "by_name{}"),
    on(CLOSED, "by_number{key:0 key:1}", "by_number{value:NONE value:LIGHT}", merge=True),
    on(NODE, "attr{key:'T' value{type:DT_FLOAT}} attr{key:'N' value{i:2}}", "attr{key:'T' value{type:1 i:2}}",
        "attr{key:'x' value:{list{i:[1,2]}}}"),
    on(NODE, "attr{key:'T' value{i:1}} attr{key:'T' value{f:1}}", "attr:[{key:'a'},{key:'b',value{}}]",
        "attr{value{s:'\\303'}}", "attr{key:'a' value{"),
    on("google.protobuf.Struct", "fields{key:'a' value{number_value:1}}",
        "fields{key:'a' value{list_value{values{bool_value:true}}}}", "a:1"),
    on("sample.Nesting", "levels{key:'a' value:HIGH} levels{key:'b' value:1}", "levels{key:'a' value:7}"),
]  # fmt: skip

GROUP_FIELDS = [
    on(GROUPS, "Single{}", "SINGLE{}", "sINGLE{}", "Single{number:1}", 'Single{Deep{text:"a"}}', "Many{numbers:[1,2]}",
        "Many:[{},{}]", "Many[<>]"),
    on(GROUPS, "Many{Inner{}}", "Single:<>", "1{}", "Single{}Single{}", "Single<Deep<Far:{numbers:1}>>", "Alone{}",
        "Single:1", "Many{} Many{Inner[{},{}]}"),
    on(GROUPS, "Single", "Single{", "Single:[{}]", "Groups{}", "Deep{}", "Single{Single{}}",
        "Single{again{Single{number:1}}}", "sub{Many{}} after:1"),
    on(GROUPS, "named{key:1 value{Single{}}}", "Single{number:1} Single{number:2}", "Many{leaf{number:1}},Many<>;",
        "Single.Deep{}", "Single_{}"),
    on(GROUPS, "Single{number:1} Single{Deep{}}", "Many{} Many{}", "Single{Deep{text:'a'}} Single{Deep{Far{}}}",
        merge=True),
    otherwise(GROUPS, why.GROUP_NAMES, {"single{}": "Single{}", "single{deep{}}": "Single{Deep{}}",
        "many:[{},{inner{}}]": "Many:[{},{Inner{}}]"}),
    otherwise(GROUPS, why.GROUP_NAMES, {"Single{deep{text:'a'}}": "Single{Deep{text:'a'}}", "alone<>": "Alone<>",
        "many{numbers:1}": "Many{numbers:1}"}),
    otherwise(GROUPS, why.GROUP_NAMES, {"Single{} single{}": None, "single{number:1}": "Single{number:1}"},
        allow_unknown_field=True),
    on(GROUPS, "SINGLE{}", "SINGLE{number:'x'}", "sub{mANY{}}", "Nope{} Single{}", allow_unknown_field=True),
    on(GROUPS, "1{}", "2{} 2:[{}]", "1{2{}}", "Single{2{16{1:[1,2]}}}", "6{1:'a'}", "01{}", allow_field_number=True),
]  # fmt: skip

_LEAF = "[type.googleapis.com/sample.Leaf]"
_EXPANDED = (
    *each(_LEAF, "{number:1}", ":{number:1}", "<number:1>", ":<number:1>", " : {}", "{}", "<>", "", ":", ": 1", ":[{}]",
        "[{}]", "{", "{>", "{}}", "::{}"),
    *each(_LEAF, "{nope:1}", "{number:1 number:2}", "{number:x}", "{leaf{leaf{}}}", "{numbers:[1,2],text:'a'}",
        "\n{\n#c\n}\n", "{} x:1", "{}>", "#c\n{}"),
    *each("[type.googleapis.com/", "sample.Empty]{}", "sample.Nesting.Inner]{mood:GRIM}", "sample.Groups]{Single{}}",
        "sample.Groups.Single]{number:1}"),
    *each("[type.googleapis.com/", "no.Such]{}", "sample.leaf]{}", "sample.Mood]{}", "]{}", ".sample.Leaf]{}",
        "sample.Leaf.]{}", "a/sample.Leaf]{}"),
    *each("[type.googleapis.com/", "sample.Leaf{}", "sample.Leaf}{}", "sample..Leaf]{}", "sample.Leaf number]{}",
        "sample.Le af]{}", "sample.Le#\naf]{}",
        "'sample.Leaf']{}", "1.Leaf]{}"),
    *each("[type.googleapis.com/", "sample.Maps]{of_int32{key:'a' value:1}}",
        "sample.Required]{id:1 name:'' part{weight:1 shade:1}}", "sample.Required]{}"),
    *each("[type.googleapis.com/google.protobuf.", f"Any]{{{_LEAF}{{number:1}}}}", "Any]{type_url:'x' value:'y'}",
        "Duration]{seconds:5}", "Nope]{}"),
    *each("[", "]{}", "sample.Leaf]{}", "/sample.Leaf]{}", "'a.b.c/sample.Leaf']{}",
        "a.b.c/sample.Leaf]{}", "a.b.c/]{}", "1]{}"),
    *each("[", " type.googleapis.com / sample.Leaf ] { }", "type . googleapis . com/sample . Leaf]{}",
        "type.googleapis.com/#c\nsample.Leaf]{}"),
    *each("[", "type.googleprod.com/sample.Leaf]{number:1}", "TYPE.googleapis.com/sample.Leaf]{}",
        "type\n.googleapis.com/sample.Leaf\n]\n{}", "_._._/sample.Leaf]{}"),
    *each("type_url:", '"type.googleapis.com/sample.Leaf" value:"\\010\\001"', "'nonsense' value:'zzz'", "'' value:''",
        "'a' type_url:'b'", "x", "'x'"),
    f"{_LEAF}{{}} type_url:'x'",
    f"{_LEAF}{{number:1}} value:'x'",
)  # fmt: skip
_DOMAINS = ("a", "a.b", "a.b.c.d", "localhost", "type.2.com")
_ANY_TWICE = {
    f"type_url:'x' {_LEAF}{{number:2}}": f"{_LEAF}{{number:2}}",
    f"value:'x' {_LEAF}{{}}": f"{_LEAF}{{}}",
    f"{_LEAF}{{number:1}} {_LEAF}{{number:2}}": f"{_LEAF}{{number:2}}",
    f"{_LEAF}{{number:1}} [type.googleapis.com/sample.Leaf2]{{}}": "[type.googleapis.com/sample.Leaf2]{}",
}

ANIES = [
    on(ANY, *_EXPANDED, types=True),
    refused(ANY, why.ANY_TWICE, *_ANY_TWICE, types=True),
    on(ANY, *_ANY_TWICE, f"{_LEAF}{{}} type_url:'x'", f"{_LEAF}{{number:1}} value:'x'", merge=True, types=True),
    otherwise(ANY, why.ANY_SEPARATOR, {f"{_LEAF}{{number:1}},": f"{_LEAF}{{number:1}}",
        f"{_LEAF}{{}};": f"{_LEAF}{{}}"}, types=True),
    otherwise(ANY, why.ANY_DOMAIN, {f"[{name}/sample.Leaf]{{}}": f"type_url:'{name}/sample.Leaf'" for name in _DOMAINS},
        types=True),
    on(ANY, f"{_LEAF}{{}}", f"{_LEAF}", "[no.Such]{}", "type_url:'x' value:'y'", f"{_LEAF}{{", "[", "[x"),
    on(ANY, "[type.googleapis.com/no.Such]{a:1}", f"{_LEAF}{{nope:1 number:2}}", f"{_LEAF}{{x{{}}}} y:1", types=True,
        allow_unknown_field=True),
    on(ANY, f"{_LEAF}{{1:5}}", "1:'x' 2:'y'", f"{_LEAF}{{9:5}}", types=True, allow_field_number=True),
    on(ANY, f"{_LEAF}{{1:5}}", f"{_LEAF}{{9:5 1:7}}", types=True, allow_field_number=True, allow_unknown_field=True),
    on(LEAF2, "[foo.bar]:1", "[foo]:1", "[foo.bar]{a:1}", f"{_LEAF}{{}}", "[foo.bar", "[foo.bar]", "[1]:1", "[]:1",
        "number:1 [foo]:1", types=True),
    on(LEAF2, "[foo.bar]:1", "[foo]:1", "[foo.bar]{a:1}", f"leaf{{{_LEAF}{{}}}}", allow_unknown_field=True),
    on("tensorflow.CollectionDef", f"any_list{{value{{{_LEAF}{{number:1}}}}}}",
        f"any_list{{value[{{{_LEAF}{{}}}},<{_LEAF}<>>]}}", types=True),
    on("tensorflow.CollectionDef", "any_list{value{[type.googleapis.com/tensorflow.VariableDef]{variable_name:'a'}}}",
        types=True),
    on("tensorflow.CollectionDef",
        "any_list{value{[type.googleapis.com/tensorflow.QueueRunnerDef]{queue_name:'q' enqueue_op_name:['a','b']}}}",
        types=True),
]  # fmt: skip

_UNKNOWN = (
    *each("x:",
        *words(r"""1 -1 1.5 1.5f .5 5. 0x1F 017 99999999999999999999999 -99999999999999999999 "a" 'a' "\xff" "\303"
        abc -inf -nan inf nanoo true "é" "\xg" "\u12" "\" "a 'a" 1x 1..2 1.2.3 .. @ $1 1e 0x 0xg 1L --1 - -"a" -{} ::1
        {} <> [] [1,2] [1,] [,] [1;2] [a,1.5] [[1]] [1 ]""")),
    *each("x:", "", "\"a\" 'b'\n\"c\"", '["a" "b",\'c\']', "[1 2]", "#c\n1", "1 y:2", "1,y:2;", "1,,", "1;;",
        "1 number:5", "'a\" b'", " [ 1 , 2 ] ;"),
    *each("x:", "{a:1}{}", "{a:1}", "<a:1>", "{[foo.bar]:1}", "{[a.b.c/d.e]{}}", "[1,{}]", "[{},1]", "[[{}]]", '"a\nb"',
        "1 1", "- -1", "- x y"),
    *each("x", "", " 1", ' "a"', "{}", "<>", "{>", "<}", "{a:1 b{c:2}}", "{a:1,b:2;}", "{a:1,,}", "{a}", "{a:}",
        "{1:2}", "{-1:2}", '{"a":1}', "{,}"),
    *each("x", "{", "{a:1", "{a:1>", "<a:1}", "{y<a:1>}", "{y<a:1}}", "{[foo]:1}", "#c\n{}", "{number:1 number:2}",
        "{i:1 f:2}", "{}}", ":{},", "[1,2]"),
    *each("", "_:1", "number2:1", "leaf{x:1}", "leaf{x{number:1} number:2}", "leaf:1", "number:x", "number:1 x",
        "X{number:1} number:2", "[foo]:1", "x{[a b]:1}",
        "x{[a.b c]{}}", "x{[a#\nb]:1}"),
    *each("x:1 ", "x:2", "x{}", "number:1 number:2", "leaf{y:[1,2]} leaf{}", "}", "number", "y"),
)  # fmt: skip
_LISTED = ("x:[{}]", "x:[{},<a:1>]", "x[{}]", "x[]", "x:[<>] number:1", "x{y:[{a:1},{}]}", "x:[{a:[1,2]}];")

UNKNOWN = [
    on(LEAF, *_UNKNOWN, allow_unknown_field=True),
    otherwise(LEAF, why.MESSAGE_LISTS, {text: "number:1" * ("number" in text) for text in _LISTED},
        allow_unknown_field=True),
    otherwise(LEAF, why.APART, {"x:- 1": "", "x:-\n1.5": "", "x:-#c\ninf": "", "x:[- 1,2]": ""},
        allow_unknown_field=True),
    otherwise(LEAF, why.SIGNED_NAMES, {"x:-abc": "", "x:[a,-b]": "", "x:- abc": ""}, allow_unknown_field=True),
    otherwise(LEAF, why.CAPITAL_F, {"x:1e5F": "", "x:1F": ""}, allow_unknown_field=True),
    otherwise(LEAF, why.ANY_DOMAIN, {"x{[a.b/d.e]{}}": "", "x{[a/d]{}}": "", "x{[a.b.c.d/d.e]{}}": ""},
        allow_unknown_field=True),
    refused(LEAF, why.IDENTIFIERS, "x:abc-d", "x-y:1", "x+:1", "é:1", "x:é", "1x:1", "9e9{}", "0x1:1", "1.5x:1",
        "x-{}", allow_unknown_field=True),
    refused(LEAF, why.PLUS, "x:+1", "x:+1.5", allow_unknown_field=True),
    refused(LEAF, why.PYTHONS_NUMBERS, "x:1_0", "x:0b1", "x:1ff", allow_unknown_field=True),
    refused(LEAF, why.NO_SUCH_ESCAPE, 'x:"\\q"', 'x:"\\8"', allow_unknown_field=True),
    refused(LEAF, why.SURROGATES, 'x:"\\ud800"', allow_unknown_field=True),
    refused(LEAF, why.OCTAL_ESCAPE, 'x:"\\400"', allow_unknown_field=True),
    on(CHOICE, "x:1 i:1 y:2", "i:1 f:2 x:1", "x{i:1 f:2}", allow_unknown_field=True),
    on(GRAPH, "node{name:'a' color:RED} versions{producer:1 x:2}", "node{attr{key:'a' value{nope{}}}}",
        "nodes{name:'a'}", allow_unknown_field=True),
    on(GRAPH, "node{name:'a' color:RED}", "nodes{name:'a'}", "node{attr{key:'a' value{nope{}}}}", "node{name:a}",
        "node{inputs:'a'}"),
]  # fmt: skip

REQUIRED_FIELDS = [
    on(REQUIRED, "", "id:1", "part{}", "id:1 name:'a'", "parts{} parts{weight:1}", "named{}",
        "named{key:'a' value{weight:1}}", "either{note:'a'}"),
    on(REQUIRED, "id:1 name:'' part{weight:0 shade:NONE}", "id:0 id:0", "part{weight:1} part{shade:DIM}", "id:",
        "part{shade:7}"),
    on(REQUIRED, "part{weight:1} part{shade:DIM}", "id:0 id:1", merge=True),
]

MODELS = [
    on(GRAPH,
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } } versions { producer: 9 }'),
    on(GRAPH,
        "node[{name:'a' op:'Const'},<name:'b',op:'Add',input:['a','^a:0']>]; library<function{signature{name:'f'}}>"),
    on(GRAPH,
        'node {\n  name: "a"\n  op: "B"\n}\nnode {\n  name: "a"\n  op: "B"\n}\nnode {\n  name: "a"\n  name: "B"\n}\n'),
    on(GRAPH, 'node {\n  name: "a"\n  op: "B"\n}\nnode {\n  name: "a"\n  op: "B"\n}\nnode {\n  name: "a"\n  op: "B"\n',
        "node {\n}\nnode {\n}\n}"),
    on(GRAPH, "node {\n  name: 'a'\n}\nnode <\n  name: 'a'\n>\nnode {\n  name: 'a'\n>\n",
        "node {\n  name: 'a' }\nnode {\n  name: 'a' }\n"),
    on(ATTR, "tensor{dtype:DT_FLOAT tensor_shape{dim{size:2}} float_val:[1,2]}", "shape{unknown_rank:true}",
        "list{s:['a',\"b\"] f:[1,-inf]}"),
    on(NODE, "device:'' device:''", "device:'/cpu:0' # 'x'\ninput:'a'", "name:\"conv/weights\"op:'Conv2D'",
        "experimental_type{type_id:TFT_TENSOR}"),
    on("tensorflow.MetaGraphDef",
        "meta_info_def{tags:['serve'] meta_graph_version:'1'} collection_def{key:'x' value{node_list{value:'a'}}}"),
    on("tensorflow.MetaGraphDef",
        "signature_def{key:'s' value{inputs{key:'x' value{name:'a:0' dtype:DT_FLOAT}} method_name:'m'}}"),
    on("google.protobuf.Int32Value", "value:5", "5", "{value:5}", "value:0"),
    on("google.protobuf.Timestamp", "seconds:5 nanos:-1", '"2020-01-01T00:00:00Z"'),
]

FAMILIES = {
    "fields that come twice": TWICE,
    "oneofs": ONEOFS,
    "maps": MAP_ENTRIES,
    "groups": GROUP_FIELDS,
    "Any and extensions": ANIES,
    "unknown fields": UNKNOWN,
    "required fields": REQUIRED_FIELDS,
    "models": MODELS,
}
