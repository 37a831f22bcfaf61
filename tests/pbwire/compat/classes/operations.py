"""Random sequences of operations on the same message in protobuf and here.

    difference(full_name, cls, seed, data)      # "" if values, errors and bytes are the same after every operation

An operation reads or changes a field of a message that was reached before: assignments right and wrong, lists, maps,
oneofs, absent sub-messages, merging, clearing, copies. Errors are the same if ours is of the class of protobuf's.

pbwire.compat behaves as protobuf 6.31. Where the version at hand differs, `bools_are_integers` and
`refusals_make_present` say how, and the operation is adapted to it.
"""

from __future__ import annotations

import copy
import math
import random
from contextlib import suppress
from functools import cache
from typing import Any

from pbwire.compat import compat_class
from tests.support.protobuf_twin import is_repeated, twin

__all__ = ["bools_are_integers", "difference", "refusals_make_present"]

STEPS = 30
NUMBERS = [0, 1, -1, 127, 128, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63 - 1, 2**63, 2**64, -(2**63), True, 1.5, -0.0]
VALUES = [*NUMBERS, 3.4e38, 1e300, math.inf, "", "a", "é", "\ud800", b"", b"a", b"\xff", None, [], [1], {}, "ZERO"]
KEYS = [0, 1, -1, True, False, "", "a", "b", 2**40, 1.5, None, b"a"]


@cache
def bools_are_integers() -> bool:
    """Return whether protobuf accepts a bool for an integer or an enum: 4.25 to 6 do, 7 raises a TypeError."""
    try:
        twin("sample.Scalars")(a_int32=True)
    except TypeError:
        return False
    return True


@cache
def refusals_make_present() -> bool:
    """Return whether refusing to assign a sub-message makes the message around it present: not so in 4.25."""
    message = twin("sample.Recursive")()
    with suppress(AttributeError):
        message.child.child = 1
    return bool(message.HasField("child"))


class Sequence:
    """One sequence: pairs of messages, ours and Google's."""

    def __init__(self, full_name: str, cls: Any, seed: int, data: bytes = b"") -> None:
        self.random = random.Random(f"{full_name} {seed}")
        classes = compat_class(cls), twin(full_name)
        self.roots = [(classes[0].FromString(data), classes[1].FromString(data)) for _ in range(2)]
        self.pairs = [(*pair, root) for root, pair in enumerate(self.roots)]
        self.log: list[str] = []

    def run(self) -> str:
        """Apply operations until the two differ; return the operations and the difference, or ""."""
        for _ in range(STEPS):
            problem = self.step()
            if problem:
                return "\n".join([*self.log, problem])
        return ""

    def step(self) -> str:
        ours, theirs, root = self.random.choice(self.pairs)
        fields = theirs.DESCRIPTOR.fields
        if not fields:
            return ""
        field = self.random.choice(fields)
        method = self.random.choice(self._methods(field))
        arguments = self._arguments(method, field, self.roots[1 - root])
        self.log.append(f"{theirs.DESCRIPTOR.name}.{field.name}: {method} {arguments}")
        if method == "clear" and field.containing_oneof is not None and not theirs.HasField(field.name):
            return ""  # protobuf 4.25 clears the member that is set if this one was read before
        if method == "assign" and theirs.DESCRIPTOR.full_name == "google.protobuf.Value":
            return ""  # protobuf before 5.28 refuses lists and dicts
        results = [
            _outcome(method, message, field.name, arguments, side) for side, message in enumerate((ours, theirs))
        ]
        if method == "assign" and _is_single_message(field) and not refusals_make_present():
            theirs.SetInParent()
        if method == "equal" and results == [False, True] and _differ_by_unknown_fields(ours, arguments[0][0]):
            return ""  # protobuf 4.25 ignores how often an unknown field occurs
        if method in ("map_in", "map_find") and isinstance(results[0], (TypeError, ValueError)) and not results[1]:
            return ""  # protobuf checks the key only if the map was written before
        if problem := _compare(*results):
            return f"{problem}: ours {results[0]!r}, protobuf's {results[1]!r}"
        if all(hasattr(value, "ListFields") for value in results):
            self.pairs.append((results[0], results[1], root))
        for one, other in self.roots:
            data, expected = (side.SerializePartialToString(deterministic=True) for side in (one, other))
            if data != expected and type(other).FromString(data) != other:
                return f"bytes differ: ours\n{data!r}\nprotobuf's\n{expected!r}"
        return ""

    def _methods(self, field: Any) -> list[str]:
        general = ["clear", "which", "list_fields", "copy", "merge", "parse", "equal", "unknown_name"]
        if is_repeated(field):
            if field.message_type is not None and field.message_type.GetOptions().map_entry:
                return ["map_get", "map_get", "map_set", "map_in", "map_delete", "map_length", "map_find", *general]
            if field.message_type is not None:
                return ["add", "add", "append_message", "item", "delete", "length", "set_item", "assign", *general]
            return ["append", "append", "extend", "item", "delete", "length", "set_item", "insert", "assign", *general]
        if field.message_type is not None:
            return ["get", "get", "get", "has", "assign", "set_in_parent", *general]
        return ["get", "has", "assign", "assign", "assign", *general]

    def _arguments(self, method: str, field: Any, other: tuple[Any, Any]) -> tuple[Any, ...]:
        """Return arguments. Messages are copied from the other root: from their own, protobuf's upb may crash."""
        choose = self.random.choice
        if method in ("assign", "append", "extend"):
            return (self._value(field),)
        if method in ("item", "delete"):
            return (choose([0, 1, -1, 5]),)
        if method in ("set_item", "insert"):
            return choose([0, -1, 3]), self._value(field)
        if method in ("map_get", "map_in", "map_delete", "map_find"):
            return (self._key(field),)
        if method == "map_set":
            return self._key(field), self._value(field.message_type.fields_by_name["value"])
        if method in ("copy", "merge", "equal"):
            return (other,)
        if method == "parse":
            return (other[1].SerializePartialToString(), choose([b"", b"\xf8\x7f\x01"]))
        return ()

    def _key(self, field: Any) -> Any:
        return _acceptable(self.random.choice(KEYS), field.message_type.fields_by_name["key"])

    def _value(self, field: Any) -> Any:
        choose = self.random.choice
        if self.random.random() < 0.3:
            values = [value for value in VALUES if value != "\ud800" or field.enum_type is None]  # upb would crash
            return _acceptable(choose(values), field)
        if field.enum_type is not None:
            return choose([0, 1, 2, 7, field.enum_type.values[0].name])
        by_type = {
            field.CPPTYPE_STRING: ["", "a", "é"] if field.type == field.TYPE_STRING else [b"", b"a", b"\xff"],
            field.CPPTYPE_BOOL: [True, False],
            field.CPPTYPE_FLOAT: [0.0, 0.1, -2.5],
            field.CPPTYPE_DOUBLE: [0.0, 0.1, -2.5],
        }
        return choose(by_type.get(field.cpp_type, [0, 1, 5, 100]))


def _acceptable(value: Any, field: Any) -> Any:
    """Return a value, with the integer in place of a bool for a protobuf that would refuse it."""
    integers = field.CPPTYPE_INT32, field.CPPTYPE_INT64, field.CPPTYPE_UINT32, field.CPPTYPE_UINT64, field.CPPTYPE_ENUM
    if isinstance(value, bool) and field.cpp_type in integers and not bools_are_integers():
        return int(value)
    return value


def _is_single_message(field: Any) -> bool:
    return field.message_type is not None and not is_repeated(field)


def _outcome(method: str, message: Any, name: str, arguments: tuple[Any, ...], side: int) -> Any:
    """Return the result of an operation, or the error. `side` is 0 for our message, 1 for Google's."""
    try:
        return _apply(method, message, name, arguments, side)
    except Exception as error:  # any error is an outcome
        return error


def _apply(method: str, message: Any, name: str, arguments: tuple[Any, ...], side: int) -> Any:
    match method:
        case "get" | "length" | "map_length":
            value = getattr(message, name)
            return value if method == "get" else len(value)
        case "has":
            return message.HasField(name)
        case "assign":
            return setattr(message, name, arguments[0])
        case "set_in_parent":
            return getattr(message, name).SetInParent()
        case "clear":
            return message.ClearField(name)
        case "which":
            return [message.WhichOneof(oneof.name) for oneof in message.DESCRIPTOR.oneofs]
        case "list_fields":
            return [field.name for field, _ in message.ListFields()]
        case "copy" | "merge":
            other = arguments[0][side]
            if type(other) is not type(message):
                return None
            return message.CopyFrom(other) if method == "copy" else message.MergeFrom(copy.deepcopy(other))
        case "equal":
            return message == arguments[0][side]
        case "parse":
            return message.MergeFromString(arguments[1]) if side in (0, 1) and arguments[1] else None
        case "unknown_name":
            return message.nothing_of_this_name
        case "add":
            return getattr(message, name).add()
        case "append_message":
            values = getattr(message, name)
            if len(values):
                values.append(copy.deepcopy(values[0]))
            return None
        case "append" | "extend":
            return getattr(getattr(message, name), method)(arguments[0])
        case "insert":
            return getattr(message, name).insert(*arguments)
        case "item":
            return getattr(message, name)[arguments[0]]
        case "delete" | "map_delete":
            del getattr(message, name)[arguments[0]]
            return None
        case "set_item" | "map_set":
            getattr(message, name)[arguments[0]] = arguments[1]
            return None
        case "map_get":
            return getattr(message, name)[arguments[0]]
        case "map_find":
            return getattr(message, name).get(arguments[0])
        case "map_in":
            return arguments[0] in getattr(message, name)
    raise AssertionError(method)


def _differ_by_unknown_fields(message: Any, other: Any) -> bool:
    """Return whether two different messages are the same without their unknown fields."""
    message, other = copy.deepcopy(message), copy.deepcopy(other)
    message.DiscardUnknownFields()
    other.DiscardUnknownFields()
    return message == other


def _compare(ours: Any, theirs: Any) -> str:
    """Return in which way two outcomes differ; "" if they are the same."""
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        if not (isinstance(theirs, Exception) and isinstance(ours, Exception)):
            return "one fails"
        base = next(
            (
                kind
                for kind in (TypeError, ValueError, AttributeError, KeyError, IndexError)
                if isinstance(theirs, kind)
            ),
            Exception,
        )
        return "" if isinstance(ours, base) else "other error"
    if hasattr(theirs, "ListFields") or hasattr(ours, "ListFields"):
        if not (hasattr(theirs, "ListFields") and hasattr(ours, "ListFields")):
            return "other messages"
        data, expected = (side.SerializePartialToString(deterministic=True) for side in (ours, theirs))
        same = data == expected or type(theirs).FromString(data) == theirs  # maps may be in another order
        return "" if same else "other messages"
    if isinstance(theirs, float) and isinstance(ours, float) and math.isnan(theirs) and math.isnan(ours):
        return ""
    if type(theirs) in (int, float, bool, str, bytes, type(None)) and type(ours) is not type(theirs):
        return "other types"
    if isinstance(theirs, (int, float, str, bytes, type(None))):
        return "" if ours == theirs else "other values"
    return "" if list(ours) == list(theirs) else "other values"


def difference(full_name: str, cls: Any, seed: int, data: bytes = b"") -> str:
    """Return where a sequence differs, with the operations that led there; "" if it does not.

    It begins with messages that were decoded from `data`, again and again.
    """
    return Sequence(full_name, cls, seed, data).run()
