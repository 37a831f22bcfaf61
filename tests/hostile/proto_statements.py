"""Texts of .proto files with very many statements of one kind, and what is done with such a file.

`python -m tests.support.growth proto` measures how the time of each action grows with the number of each statement.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from pbwire import proto
from pbwire.proto.loader import Loader
from pbwire.proto.module_writer import modules
from pbwire.proto.parser import parse
from pbwire.proto.retention import descriptor_set

__all__ = ["ACTIONS", "STATEMENTS", "growth", "seconds"]

NAME = "a.proto"


def _repeat(statement: str, count: int) -> str:
    """Return a statement `count` times: "$i" is the index, "$n" a number for a field, "$j" the index after it."""
    numbers = (index + 1 if index < 18_000 else index + 3_000 for index in range(count))
    return "".join(
        statement.replace("$i", str(index)).replace("$n", str(number)).replace("$j", str(min(index + 1, count - 1)))
        for index, number in enumerate(numbers)
    )


def _file(head: str, statement: str, tail: str = "") -> Callable[[int], str]:
    return lambda count: head + _repeat(statement, count) + tail


def _message(statement: str, syntax: str = 'syntax = "proto3";') -> Callable[[int], str]:
    return _file(f"{syntax} message A {{ ", statement, "}")


_PROTO2, _PROTO3, _EDITION = 'syntax = "proto2";', 'syntax = "proto3";', 'edition = "2023";'
_OPTIONS = f'{_PROTO2} import "google/protobuf/descriptor.proto"; '
_VALUE = "message V { repeated int32 a = 1; repeated V v = 2; repeated string s = 3; extensions 10 to max; } "
_CUSTOM = "extend google.protobuf.FileOptions { optional V o = 50000; repeated V r = 50001; } "


def _in_value(statement: str) -> Callable[[int], str]:
    return _file(f"{_OPTIONS}{_VALUE}{_CUSTOM} extend V {{ repeated int32 x = 10; }} option (o) = {{ ", statement, "};")


STATEMENTS: dict[str, Callable[[int], str]] = {
    "fields": _message("int32 f$i = $n;"),
    "optional fields": _message("optional int32 f$i = $n;"),
    "required fields": _message("required int32 f$i = $n;", _PROTO2),
    "repeated fields": _message("repeated int32 f$i = $n;"),
    "fields of messages": _message("A f$i = $n;"),
    "fields with options": _message("repeated int32 f$i = $n [packed = true, deprecated = true];", _PROTO2),
    "fields with defaults": _message('optional string f$i = $n [default = "x"];', _PROTO2),
    "fields with names in JSON": _message('int32 f$i = $n [json_name = "j$i"];'),
    "fields with names of Python": _message("int32 __f$i__ = $n;"),
    "fields with features": _message("int32 f$i = $n [features.field_presence = IMPLICIT];", _EDITION),
    "fields with comments": _message("// before\nint32 f$i = $n; // behind\n"),
    "maps": _message("map<int32, int32> f$i = $n;"),
    "groups": _message("optional group G$i = $n { }", _PROTO2),
    "oneofs": _message("oneof o$i { int32 f$i = $n; }"),
    "members of a oneof": _file(f"{_PROTO3} message A {{ oneof o {{ ", "int32 f$i = $n;", "} }"),
    "reserved names": _message('reserved "r$i";'),
    "reserved names in one statement": _file(f"{_PROTO3} message A {{ reserved ", '"r$i",', '"r"; }'),
    "reserved names of an edition": _message("reserved r$i;", _EDITION),
    "reserved numbers": lambda count: _message("".join(f"reserved {2 * n + 1};" for n in range(count)))(1),
    "values": _file(f"{_PROTO3} enum E {{ ", "V$i = $i;", "}"),
    "values of one number": _file(f"{_PROTO3} enum E {{ option allow_alias = true;", "V$i = 0;", "}"),
    "values with names of Python": _file(f"{_PROTO3} enum E {{ ", "__v$i__ = $i;", "}"),
    "values with options": _file(f"{_PROTO3} enum E {{ ", "V$i = $i [deprecated = true];", "}"),
    "values as defaults": lambda count: (
        f"{_PROTO2} enum E {{ {_repeat('V$i = $i;', count)} }}"
        + f"message A {{ {_repeat('optional E f$i = $n [default = V$i];', count)} }}"
    ),
    "values of a later enum as defaults": lambda count: (
        f"{_PROTO2} message A {{ {_repeat('optional B.E f$i = $n [default = V$i];', count)} }}"
        + f"message B {{ enum E {{ {_repeat('V$i = $i;', count)} }} }}"
    ),
    "reserved names of an enum": _file(f"{_PROTO3} enum E {{ V = 0; ", 'reserved "r$i";', "}"),
    "reserved numbers of an enum": lambda count: (
        f"{_PROTO3} enum E {{ V = 0; {''.join(f'reserved {2 * n + 1};' for n in range(count))} }}"
    ),
    "enums": _file(_PROTO3, "enum E$i { V$i = 0; }"),
    "enums in a message": _message("enum E$i { V$i = 0; }"),
    "messages": _file(_PROTO3, "message M$i { }"),
    "messages with names of Python": _file(_PROTO3, "message __m$i__ { }"),
    "messages with features": _file(_EDITION, "message M$i { option features.json_format = LEGACY_BEST_EFFORT; }"),
    "a chain of messages": _file(_PROTO3, "message M$i { M$j next = 1; }"),
    "messages in a message": _message("message M$i { }"),
    "messages in a message, with a field each": _message("message M$i { int32 x = 1; } M$i f$i = $n;"),
    "messages in messages": _file(_PROTO3, "message M$i { message A { message B { } } }"),
    "ranges of extensions": lambda count: _message("".join(f"extensions {2 * n + 1};" for n in range(count)), _PROTO2)(
        1
    ),
    "ranges of extensions after options": lambda count: (
        f"{_OPTIONS} extend google.protobuf.MessageOptions {{ repeated int32 o = 50000; }} message A {{ "
        + f"{'option (o) = 1;' * count}{''.join(f'extensions {2 * n + 1};' for n in range(count))} }}"
    ),
    "declarations of extensions": _file(
        f"{_PROTO2} message A {{ extensions 1 to 1000000 [",
        "declaration = { number: $n full_name: '.a.b$i' type: 'int32' },",
        "verification = DECLARATION]; }",
    ),
    "blocks of extensions": _file(
        f"{_PROTO2} message A {{ extensions 1 to max; }}", "extend A { optional int32 x$i = $n; }"
    ),
    "extensions in a message": _file(
        f"{_PROTO2} message A {{ extensions 1 to max; extend A {{ ", "optional int32 x$i = $n;", "} }"
    ),
    "extended messages": _file(_PROTO2, "message M$i { extensions 1; } extend M$i { optional int32 x$i = 1; }"),
    "services": _file(f"{_PROTO3} message M {{ }}", "service S$i { rpc R (M) returns (M); }"),
    "methods": _file(f"{_PROTO3} message M {{ }} service S {{ ", "rpc R$i (M) returns (stream M);", "}"),
    "methods with options": _file(
        f"{_PROTO3} message M {{ }} service S {{ ", "rpc R$i (M) returns (M) { option deprecated = true; }", "}"
    ),
    "custom options": lambda count: (
        f"{_OPTIONS} extend google.protobuf.FileOptions {{ {_repeat('optional int32 o$i = 6$n;', count)} }}"
        + _repeat("option (o$i) = 1;", count)
    ),
    "one repeated option": _file(f"{_OPTIONS}{_VALUE}{_CUSTOM}", "option (r) = { a: 1 };"),
    "fields of an option": lambda count: (
        f"{_OPTIONS} message V {{ {_repeat('optional int32 a$i = $n;', count)} }} {_CUSTOM}"
        + _repeat("option (o).a$i = 1;", count)
    ),
    "all fields in a value": lambda count: (
        f"{_OPTIONS} message V {{ {_repeat('optional int32 a$i = $n;', count)} }} {_CUSTOM}"
        + f"option (o) = {{ {_repeat('a$i: 1 ', count)} }};"
    ),
    "the last field in many values": lambda count: (
        f"{_OPTIONS} message V {{ {_repeat('optional int32 a$i = $n;', count)} }} {_CUSTOM}"
        + f"option (r) = {{ a{count - 1}: 1 }};" * count
    ),
    "numbers of an enum in a value": lambda count: (
        f"{_OPTIONS} enum E {{ {_repeat('N$i = $i;', count)} }} message V {{ repeated E e = 1; }} {_CUSTOM}"
        + f"option (o) = {{ {_repeat('e: $i ', count)} }};"
    ),
    "numbers in a value": _in_value("a: $i "),
    "messages in a value": _in_value("v { a: 1 } "),
    "parts of a string in a value": lambda count: _in_value("s: " + "'x' " * count)(1),
    "extensions in a value": _in_value("[x]: 1 "),
    "semicolons": _file(_PROTO3, ";"),
    "line comments": _file(_PROTO3, "// a\n" * 10),
    "line comments with empty lines": _file(_PROTO3, "// a\n\n" * 10),
    "block comments": _file(_PROTO3, "/* a */" * 10),
    "block comments in lines": _file(_PROTO3, "/* a */\n" * 10, "message M { }"),
    "comments of a field": _file(f"{_PROTO3} message A {{ int32 a = 1; ", "// a\n" * 10, "}"),
    "comments between tokens": _message("int32 f$i // x\n /* y */ = /* z */ $n;"),
    "lines of a comment": _file(f"{_PROTO3} /*", " * a\n" * 10, "*/\nmessage M { }"),
    "words of a comment": _file(f"{_PROTO3} // ", " word" * 10, "\nmessage M { }"),
    "spaces of a comment": _file(f"{_PROTO3} // ", " " * 50, "x\nmessage M { }"),
    "parts of a string": _file(f"{_PROTO3} option java_package = ", '"a" ', ";"),
    "escapes of a string": _file(f'{_PROTO2} message A {{ optional bytes a = 1 [default = "', "\\001" * 10, '"]; }'),
    "parts of a name": _file(f"{_PROTO3} message A {{ ", "a.", "M m = 1; }"),
    "letters of a name": _file(f"{_PROTO3} message A", "a" * 5, " { }"),
    "errors": _message("X$i x$i = $n;"),
}
"""Texts by what they have very many of: functions of the number."""


def _load(text: str) -> None:
    types = proto.load_text(text, NAME)
    for full_name in types:
        table = getattr(types[full_name], "__table__", None)
        if table is not None and not full_name.startswith("google."):
            assert table.has_required_fields in (False, True)
    assert len([*types.extensions.values()]) == len(types.extensions)


def _linked(text: str) -> Loader:
    loader = Loader([])
    loader.load_text(text, NAME)
    return loader


ACTIONS: dict[str, Callable[[str], object]] = {
    "parse": lambda text: parse(text, NAME),
    "descriptor-set": lambda text: descriptor_set(_linked(text).pool, [NAME]).to_bytes(),
    "load": _load,
    "compile": lambda text: modules(_linked(text).pool, [NAME]),
}


def seconds(action: Callable[[str], object], text: str) -> float:
    """Return the CPU time of an action. A ProtoError ends it."""
    start = time.process_time()
    with suppress(proto.ProtoError):
        action(text)
    return time.process_time() - start


def growth(counts: Iterable[int] = (2_000, 8_000)) -> str:
    """Return how often the time of each action doubles when the number of a statement does."""
    small, large = counts
    lines = ["exponent (1 is linear) of the time for a .proto file"]
    for name, make in STATEMENTS.items():
        for action_name, action in ACTIONS.items():
            seconds(action, make(2))
            times = [seconds(action, make(count)) for count in (small, large)]
            exponent = math.log(times[1] / times[0]) / math.log(large / small)
            lines.append(f"{exponent:6.2f} {times[1]:7.2f} s  {action_name}: {name}")
    return "\n".join(lines)
