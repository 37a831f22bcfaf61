"""Record what the newest protobuf does with Python values for Struct and ListValue: struct_values.jsonl.

    python -m tests.golden.compat.struct_values

A case is a statement that makes or changes a message `m`. It runs with protobuf's modules here, and with those of
tfmodel.compat in the test. Each line has a case and its result: the deterministic bytes of `m` in hexadecimal, or the
class of an error.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.support import newest_protobuf

FILE = Path(__file__).with_suffix(".jsonl")

TUPLES = {"()": "[]", "(1, 2)": "[1, 2]", "([1, 'x'],)": "[[1, 'x']]", "({'a': 1},)": "[{'a': 1}]"}
"""Values that protobuf refuses or unpacks, with those that they count as here."""
VALUES = [
    "{}",
    "{'a': 1, 'b': 'x', 'c': None, 'd': True, 'e': 2.5}",
    "{'a': [1, {'b': None}], 'c': {'d': []}, 'e': {}, 'f': (1, 'x')}",
    "{'a': Struct(fields={'b': Value(bool_value=True)}), 'c': ListValue(values=[Value(null_value=0)])}",
    "{'a': b'x'}",
    "{'a': object()}",
    "{'a': 1, 'b': [{'c': {1}}]}",
    "{'a': Value(number_value=1)}",
    "{'a': Mapping({'b': 1})}",
    "{'a': 10**400}",
    "{1: 2}",
    "{'a': {1: 2}}",
    "{None: 1}",
    "{b'a': 1}",
    "{'a': '\\ud800'}",
    "{'\\ud800': 1}",
    "{'fields': {}}",
    "{'fields': {'a': 1}}",
    "{'fields': {'a': {'number_value': 1}}}",
    "{'fields': {'a': Value(number_value=1)}}",
    "{'fields': {'a': Struct()}}",
    "{'fields': {'a': Value(number_value=1)}, 'b': 1}",
    "{'fields': 1}",
    "{'fields': None}",
    "{'values': []}",
    "{'values': [1]}",
    "{'values': [Value(number_value=1)]}",
    "{'values': None}",
    "{'number_value': 1}",
    "Mapping({'a': 1})",
    "Mapping({'a': object()})",
    "[1, 'x', None, True, 2.5, [3], {'a': 4}, (5,)]",
    "[Struct(fields={'b': Value(bool_value=True)}), ListValue(values=[Value(null_value=0)])]",
    "[1, object()]",
    "[1, Value(number_value=1)]",
    "[('a', 1)]",
    "range(3)",
    "(value for value in [1, 'x'])",
    "(1 // value for value in [1, 0])",
    "{1}",
    "'xy'",
    "''",
    "b'xy'",
    "None",
    "0",
    "5",
    "True",
    "1.5",
    "object()",
    "Struct()",
    "Struct(fields={'a': Value(number_value=1)})",
    "Struct(fields={'a': Value()})",
    "Struct(fields={'a': Value(struct_value=Struct(fields={'b': Value()}))})",
    "ListValue()",
    "ListValue(values=[Value(number_value=1)])",
    "ListValue(values=[Value()])",
    "Value()",
    "Value(number_value=1)",
    "Value(struct_value=Struct())",
    "Holder()",
    *TUPLES,
    *TUPLES.values(),
]
STATEMENTS = [
    "m = Value(string_value='s'); m.struct_value = X",
    "m = Value(string_value='s'); m.list_value = X",
    "m = Struct(fields={'z': Value(bool_value=True)}); m.update(X)",
    "m = Struct(fields={'z': Value(bool_value=True)}); m['a'] = X",
    "m = ListValue(values=[Value(bool_value=True)]); m.append(X)",
    "m = ListValue(values=[Value(bool_value=True)]); m.extend(X)",
    "m = ListValue(values=[Value(bool_value=True)]); m[0] = X",
    "m = ListValue(); m.values.append(X)",
    "m = Struct(); m.fields['a'] = X",
    "m = Value(struct_value=X)",
    "m = Value(list_value=X)",
    "m = ListValue(values=[X])",
    "m = ListValue(values=X)",
    "m = Struct(fields={'a': X})",
    "m = Holder(); m.struct = X",
    "m = Holder(); m.list = X",
    "m = Holder(); m.child.struct = X",
    "m = Holder(); m.child.member_list = X",
    "m = Holder(struct=X)",
    "m = Holder(list=X)",
    "m = Holder(child={'struct': X})",
    "m = Holder(member_list=X)",
    "m = Holder(structs=[X])",
    "m = Holder(lists=[X])",
    "m = Holder(struct_by_name={'a': X})",
    "m = Holder(list_by_name={'a': X})",
    "m = Holder(value=X)",
    "m = Holder(); m.value = X",
]
FURTHER = [
    "m = Value(); m.struct_value = {'a': 1}; m.struct_value = {'b': 2}",
    "m = Value(); m.list_value = [1]; m.list_value = [2]",
    "m = Value(); m.struct_value = {'a': 1}; m.list_value = []",
    "m = Value(); s = m.struct_value; m.struct_value = {'a': 1}; s['b'] = 2",
    "m = Value(); l = m.list_value; m.list_value = [1]; l.append(2)",
    "m = Value(); m.struct_value = {'a': 1}; s = m.struct_value; m.struct_value = {'b': 2}; s['c'] = 3",
    "m = Value(); s = {'a': []}; m.struct_value = s; s['a'].append(1)",
    "m = Value(); s = Struct(); m.struct_value = s; s['a'] = 1",
    "m = Holder(); v = m.child.value; v.struct_value = {'a': 1}",
    "m = Holder(); m.struct['a'] = {'b': 1}; m.struct['a']['b'] = [1]",
    "m = Struct(); m['a'] = {'b': 1}; s = m['a']; m['a'] = {'c': 2}; s['d'] = 3",
    "m = ListValue(); m.append([1]); l = m[0]; m[0] = [2]; l.append(3)",
    "m = Struct(); m['a'] = {'b': 1}; m['a'] = [1]; m['a'] = None",
    "m = Struct(); m.update({'a': {'b': 1}, b'a': {'c': 2}})",
    "m = Holder(); m.child.struct.update({}); m.child.list.extend([])",
    "m = Holder(); m.member_struct = {'a': 1}; m.member_list = 'x'",
    "m = Holder(); m.child.list = []",
    "m = Holder(structs=[Struct(), {'a': 1}], lists=[[], [1]])",
]


def cases() -> Iterator[str]:
    yield from (with_value(statement, value) for statement in STATEMENTS for value in VALUES)
    yield from FURTHER


def with_value(statement: str, value: str) -> str:
    """Return a statement with a value in the place of X."""
    return value.join(statement.rsplit("X", 1))


def names(prefix: str = "") -> dict[str, Any]:
    """Return what the cases use: messages of `google.protobuf`, or of this module below a package."""
    modules = ("descriptor_pb2", "descriptor_pool", "message_factory", "struct_pb2")
    descriptors, pools, factory, structs = (
        importlib.import_module(f"{prefix}google.protobuf.{module}") for module in modules
    )
    pool = pools.DescriptorPool()
    for file in (structs.DESCRIPTOR.serialized_pb, _holder(descriptors).SerializeToString()):
        pool.AddSerializedFile(file)
    full_names = [*(f"google.protobuf.{name}" for name in ("ListValue", "Struct", "Value")), "sample.Holder"]
    classes = [factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in full_names]
    return {cls.DESCRIPTOR.name: cls for cls in classes} | {"Mapping": MappingProxyType}


def _holder(descriptors: Any) -> Any:
    """Return the file of a message with fields of Google's types."""
    file = descriptors.FileDescriptorProto(name="holder.proto", package="sample", syntax="proto3")
    file.dependency.append("google/protobuf/struct.proto")
    holder = file.message_type.add(name="Holder")
    holder.oneof_decl.add(name="member")
    rows = [
        ("struct", "google.protobuf.Struct", {}),
        ("list", "google.protobuf.ListValue", {}),
        ("value", "google.protobuf.Value", {}),
        ("child", "sample.Holder", {}),
        ("member_struct", "google.protobuf.Struct", {"oneof_index": 0}),
        ("member_list", "google.protobuf.ListValue", {"oneof_index": 0}),
        ("structs", "google.protobuf.Struct", {"label": 3}),
        ("lists", "google.protobuf.ListValue", {"label": 3}),
        ("struct_by_name", "sample.Holder.StructByNameEntry", {"label": 3}),
        ("list_by_name", "sample.Holder.ListByNameEntry", {"label": 3}),
    ]
    for number, (name, kind, options) in enumerate(rows, 1):
        holder.field.add(name=name, number=number, type=11, type_name=f".{kind}", **{"label": 1} | options)
    for name, kind in (("StructByNameEntry", "Struct"), ("ListByNameEntry", "ListValue")):
        entry = holder.nested_type.add(name=name)
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, type=9, label=1)
        entry.field.add(name="value", number=2, type=11, type_name=f".google.protobuf.{kind}", label=1)
    return file


def outcome(case: str, namespace: dict[str, Any]) -> str:
    """Run a case; return the bytes of `m` in hexadecimal, or the class of the error."""
    local = dict(namespace)
    try:
        exec(case, local)
    except Exception as error:  # any error is an outcome
        return type(error).__name__
    return local["m"].SerializeToString(deterministic=True).hex()


def rows() -> list[dict[str, str]]:
    """Ask the newest protobuf. Raises newest_protobuf.Unavailable."""
    return [json.loads(line) for line in newest_protobuf.printed("tests.golden.compat.struct_values", "answer")]


if __name__ == "__main__":
    if sys.argv[1:] == ["answer"]:
        of_protobuf = names()
        for case in cases():
            print(json.dumps({"case": case, "result": outcome(case, of_protobuf)}))
    else:
        FILE.write_text("".join(json.dumps(row) + "\n" for row in rows()))
