"""Files that protoc refuses, with the position and the beginning of our error. Each was given to protoc 31.1,
those of edition 2024 to protoc 35.1.
"""

from __future__ import annotations

P2 = 'syntax = "proto2";\n'
P3 = 'syntax = "proto3";\n'
OPTION = (  # of the type O, in five lines
    P2
    + 'import "google/protobuf/descriptor.proto";\n'
    + "message O { optional int32 a = 1; optional int32 b = 2; optional O o = 3; }\n"
    + "extend google.protobuf.FieldOptions { optional O f = 50000; }\n"
)
E23 = 'edition = "2023";\n'
E24 = 'edition = "2024";\npackage a;\n'
STRICT = E24 + "option features.default_symbol_visibility = STRICT;\n"

BAD_FILES: dict[str, tuple[str, str]] = {
    "no semicolon": (P3 + "message M { int32 x = 1 }", '2:25: expected ";"'),
    "no brace": (P3 + "message M { int32 x = 1;", '2:25: expected "}"'),
    "unknown syntax": ('syntax = "proto4";', '1:10: syntax "proto4" is unknown'),
    "unknown edition": ('edition = "1999";', '1:11: edition "1999" is unknown'),
    "string over a line end": ('syntax = "proto3\n";', "1:10: the string is not closed"),
    "comment without end": (P3 + "/* a", "2:1: the comment is not closed"),
    "wrong escape": (P3 + r'option java_package = "\q";', '2:23: "\\q" is not an escape'),
    "octal with 9": (P3 + "message M { int32 x = 09; }", "2:23: a number that begins with 0"),
    "number before letter": (P3 + "message M { int32 x = 1a; }", "2:24: there is no space"),
    "unknown type": (P3 + "message M { Foo x = 1; }", '2:13: "Foo" is not defined'),
    "type is a field": (P3 + "message M { int32 a = 1; a b = 2; }", '2:26: "a" is not defined'),
    "name twice": (P3 + "message M {}\nmessage M {}", '3:9: "M" is already defined'),
    "field name twice": (P3 + "message M { int32 x = 1; int32 x = 2; }", '2:32: "M.x" is already defined'),
    "values are siblings": (P3 + "enum A { X = 0; }\nenum B { X = 0; }", '3:10: "X" is already defined'),
    "number twice": (P3 + "message M { int32 x = 1; int32 y = 1; }", '2:36: 1 is already the number of "x"'),
    "number zero": (P3 + "message M { int32 x = 0; }", "2:23: 0 is not a field number"),
    "number too large": (P3 + "message M { int32 x = 536870912; }", "2:23: 536870912 is not a field number"),
    "huge number": (P3 + f"message M {{ int32 x = 1{'0' * 5000}; }}", "2:23: 1000"),
    "number of implementations": (P3 + "message M { int32 x = 19000; }", "2:23: 19,000 to 19,999"),
    "reserved number": (P3 + "message M { reserved 2 to 4; int32 x = 3; }", "2:40: 3 is reserved"),
    "reserved name": (P3 + 'message M { reserved "x"; int32 x = 3; }', '2:33: "x" is a reserved name'),
    "ranges overlap": (P3 + "message M { reserved 2 to 4, 3; }", "2:9: ranges overlap"),
    "range ends early": (P3 + "message M { reserved 4 to 2; }", "2:22: the range ends before it starts"),
    "enum without values": (P3 + "enum E { }", '2:6: the enum "E" has no values'),
    "enum begins at one": (P3 + "enum E { A = 1; }", '2:14: the first value of "E" must be 0'),
    "alias": (P3 + "enum E { A = 0; B = 0; }", '2:21: 0 is already the number of "A"'),
    "reserved value": (P3 + "enum E { reserved -2 to 5; A = 0; }", "2:32: 0 is reserved"),
    "label in a oneof": (P3 + "message M { oneof o { optional int32 x = 1; } }", "2:23: members of a oneof"),
    "oneof without members": (P3 + "message M { oneof o { } }", "2:19: the oneof o has no members"),
    "map in a oneof": (P3 + "message M { oneof o { map<int32, int32> m = 1; } }", "2:23: a map"),
    "repeated map": (P3 + "message M { repeated map<int32, int32> m = 1; }", "2:22: a map"),
    "float key": (P3 + "message M { map<float, int32> m = 1; }", "2:17: keys of maps"),
    "message key": (P3 + "message M { map<M, int32> m = 1; }", "2:17: keys of maps"),
    "entry clash": (P3 + "message M { message AEntry {} map<int32, int32> a = 1; }", '2:49: "M.AEntry" is already'),
    "required in proto3": (P3 + "message M { required int32 x = 1; }", "2:13: proto3 has no required fields"),
    "default in proto3": (P3 + "message M { int32 x = 1 [default = 2]; }", "2:26: proto3 has no defaults"),
    "group in proto3": (P3 + "message M { repeated group G = 1 {} }", '2:34: expected ";"'),
    "extensions in proto3": (P3 + "message M { extensions 100 to 200; }", "2:24: proto3 has no ranges"),
    "closed enum in proto3": (
        P3 + "message M { E e = 1; }\nenum E { A = 0; }\nmessage N { N n = 1; N n2 = 1; }",
        "4:29: 1 is",
    ),
    "JSON names": (P3 + "message M { int32 a_b = 1; int32 aB = 2; }", '2:34: "aB" and "a_b" have the same name'),
    "no label in proto2": (P2 + "message M { int32 x = 1; }", '2:13: expected "required"'),
    "wrong default": (P2 + "message M { optional int32 x = 1 [default = true]; }", "2:45: expected a number"),
    "default too large": (
        P2 + "message M { optional int32 x = 1 [default = 2147483648]; }",
        "2:45: 2147483648 is larger",
    ),
    "negative default": (P2 + "message M { optional uint32 x = 1 [default = -1]; }", "2:46: expected a number"),
    "default of a list": (P2 + "message M { repeated int32 x = 1 [default = 1]; }", "2:45: a repeated field"),
    "default of an enum": (
        P2 + "enum E { A = 1; }\nmessage M { optional E x = 1 [default = B]; }",
        '3:41: the enum "E"',
    ),
    "default of a message": (P2 + "message M { optional M x = 1 [default = B]; }", "2:41: a message has no default"),
    "small group": (P2 + "message M { optional group g = 1 {} }", "2:28: the name of a group"),
    "packed string": (P2 + "message M { repeated string x = 1 [packed = true]; }", "2:29: only lists of numbers"),
    "extension out of range": (
        P2 + "message M { extensions 4 to 9; }\nextend M { optional int32 x = 10; }",
        '3:31: "M" does',
    ),
    "extension twice": (
        P2 + "message M { extensions 4; }\nextend M { optional int32 x = 4; optional int32 y = 4; }",
        "3:53: 4 is already",
    ),
    "required extension": (
        P2 + "message M { extensions 4; }\nextend M { required int32 x = 4; }",
        "3:27: an extension",
    ),
    "field in extensions": (P2 + "message M { extensions 4; optional int32 x = 4; }", "2:46: 4 is in a range"),
    "optional in editions": (E23 + "message M { optional int32 x = 1; }", '2:13: editions have no label "optional"'),
    "required in editions": (E23 + "message M { required int32 x = 1; }", '2:13: editions have no label "required"'),
    "group in editions": (E23 + "message M { group G = 1 {} }", "2:13: editions have no groups"),
    "quoted reserved name": (E23 + 'message M { reserved "a"; }', "2:22: editions write reserved names"),
    "unknown option": (P3 + "option no_such_option = 1;", '2:8: the option "no_such_option" is unknown'),
    "unknown extension": (P3 + "option (a.b) = 1;", '2:8: the option "(a.b)" is unknown'),
    "option twice": (P3 + 'option java_package = "a";\noption java_package = "b";', "3:8: the option"),
    "option of another type": (P3 + "option java_package = 1;", '2:23: "java_package" is a string'),
    "unknown value of an option": (P3 + "option optimize_for = FAST;", '2:23: the enum "google.protobuf'),
    "part of an option twice": (
        OPTION + "message M { optional int32 x = 1 [(f) = { a: 1 }, (f).a = 2]; }",
        '5:51: the option "(f).a" is set twice',
    ),
    "option after its part": (
        OPTION + "message M { optional int32 x = 1 [(f).a = 1, (f) = { b: 2 }]; }",
        '5:46: the option "(f)" is set twice',
    ),
    "part inside of an option twice": (
        OPTION + "message M { optional int32 x = 1 [(f) = { o { a: 1 } }, (f).o.a = 2]; }",
        '5:57: the option "(f).o.a" is set twice',
    ),
    "field of an option twice": (
        OPTION + "message M { optional int32 x = 1 [(f) = { a: 1 a: 2 }]; }",
        '5:41: "a" is set twice',
    ),
    "two packages": (P3 + "package a;\npackage b;", "3:1: a file has one package"),
    "no import": (P3 + 'import "none.proto";', '2:8: "none.proto" is in none'),
    "import twice": (
        P3 + 'import "google/protobuf/any.proto";\nimport "google/protobuf/any.proto";',
        "3:8: ",
    ),
    "not imported": (P3 + "message M { google.protobuf.Any a = 1; }", '2:13: "google.protobuf.Any" is not defined'),
    "partly resolved": (
        P3 + "package a.b;\nmessage a { }\nmessage M { a.b.M x = 1; }",
        '4:13: "a.b.M" is looked up as "a.b.a.b.M"',
    ),
    "method of an enum": (P3 + "enum E { A = 0; }\nservice S { rpc M(E) returns (E); }", '3:19: "E" is an enum'),
    "method without returns": (P3 + "message A {}\nservice S { rpc M(A); }", '3:21: expected "returns"'),
    "nested too deeply": (P3 + "message M { " * 40 + "}" * 40, "2:"),
    "strange character": (P3 + "message \u00c4 {}", "2:9: "),
    "message in lower case": (E24 + "message foo {}", '3:9: the message "foo" is not in TitleCase'),
    "message with underscore": (E24 + "message Foo_Bar {}", '3:9: the message "Foo_Bar" is not in TitleCase'),
    "field in camel case": (E24 + "message M { int32 fooBar = 1; }", '3:19: the field "fooBar" is not in lower_snake'),
    "digit after underscore": (E24 + "message M { int32 foo_1 = 1; }", '3:19: the field "foo_1" is not in lower_snake'),
    "oneof in camel case": (
        E24 + "message M { oneof aB { int32 a = 1; } }",
        '3:19: the oneof "aB" is not in lower_snake',
    ),
    "enum in lower case": (E24 + "enum foo { FOO_A = 0; }", '3:6: the enum "foo" is not in TitleCase'),
    "value in lower case": (E24 + "enum Foo { foo_a = 0; }", '3:12: the value "foo_a" is not in UPPER_SNAKE_CASE'),
    "service in lower case": (E24 + "service foo {}", '3:9: the service "foo" is not in TitleCase'),
    "method in lower case": (
        E24 + "message M {} service S { rpc r(M) returns (M); }",
        '3:30: the method "r" is not in TitleCase',
    ),
    "extension in camel case": (
        E24 + "message M { extensions 1; } extend M { int32 aB = 1; }",
        '3:46: the extension "aB" is not in lower_snake_case',
    ),
    "package in upper case": ('edition = "2024";\npackage A;', '2:9: the package "A" is not in lower_snake_case'),
    "exported service": (E24 + "export service S {}", '3:8: expected "message" or "enum" after'),
    "local extension": (E24 + "message M { extensions 1; local extend M {} }", '3:33: expected "message" or "enum"'),
    "type called local": (E24 + "message M { local.X x = 1; }", '3:18: expected "message" or "enum"'),
    "exported twice": (E24 + "export export message M {}", '3:8: expected "message" or "enum"'),
    "export in 2023": (E23 + "export message M {}", "2:1: expected a declaration"),
    "nested message of a strict file": (
        STRICT + "message M { export message N {} }",
        '4:28: the nested message "a.M.N"',
    ),
    "nested enum of a strict file": (
        STRICT + "message M { export enum E { A = 0; } }",
        '4:25: the nested enum "a.M.E"',
    ),
    "nested enum of an exported namespace": (
        STRICT + "export message M { reserved 1 to max; export enum E { A = 0; } }",
        '4:51: the nested enum "a.M.E" cannot be exported',
    ),
    "visibility of a message": (
        E24 + "message M { option features.default_symbol_visibility = EXPORT_ALL; }",
        "3:20: features.default_symbol_visibility is an option of files",
    ),
    "style in 2023": (
        E23 + "option features.enforce_naming_style = STYLE_LEGACY;",
        "2:8: features.enforce_naming_style needs",
    ),
    "ctype in 2024": (
        E24 + "message M { string s = 1 [ctype = CORD]; }",
        "3:27: editions since 2024 have no option ctype",
    ),
    "java_multiple_files in 2024": (
        E24 + "option java_multiple_files = true;",
        "3:8: editions since 2024 have no option",
    ),
    "unknown value of a feature": (
        E23 + "message M { int32 x = 1 [features = { field_presence: FIELD_PRESENCE_UNKNOWN }]; }",
        "2:26: features.field_presence has a value that means unknown",
    ),
    "packed in editions": (
        E24 + "message M { repeated int32 x = 1 [packed = true]; }",
        "3:28: editions have no option packed",
    ),
    "weak import in 2024": (
        E24 + 'import weak "google/protobuf/any.proto";',
        "3:8: editions since 2024 have no weak imports",
    ),
    "import for options in 2023": (E23 + 'import option "google/protobuf/any.proto";', "2:8: imports for options need"),
    "import after one for options": (
        E24 + 'import option "google/protobuf/any.proto";\nimport "google/protobuf/api.proto";',
        "4:8: imports for options follow",
    ),
    "imported for options too": (
        E24 + 'import "google/protobuf/any.proto";\nimport option "google/protobuf/any.proto";',
        '4:15: "google/protobuf/any.proto" is imported twice',
    ),
    "type of a file imported for options": (
        E24 + 'import option "google/protobuf/any.proto";\nmessage M { google.protobuf.Any x = 1; }',
        '4:13: "google.protobuf.Any" is not defined',
    ),
}
