"""Repeated fields and maps with the methods and the checks of protobuf's containers.

They are lists and dicts, so that reading is as fast as in Python, and encoders take them as they are. Values that are
added are checked; messages that are added are copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any, SupportsIndex

from ...collection import PausedCollection
from ...descriptor import Field
from .links import attach


class _Unchecked:
    """The field of a list or map that is made of values alone, as `dataclasses.asdict` does. It takes every value."""

    has_string_keys = False

    @property
    def key(self) -> _Unchecked:
        return self

    value = key

    def check(self, value: Any) -> Any:
        return value

    def __getattr__(self, name: str) -> Any:
        raise TypeError("a list or map that belongs to no field cannot make messages or defaults")


UNCHECKED: Any = _Unchecked()


class _Container:
    """Base class of lists and maps.

    _field   the descriptor of the field
    _owner   the message that becomes present with the next write; None if it is present, or has no parent
    """

    __slots__ = ()
    _field: Any
    _owner: Any

    def _attach_owner(self) -> None:
        """Make the owner present. Every method that adds values calls this first."""
        owner = self._owner
        if owner is not None:
            self._owner = None
            attach(owner)

    def __deepcopy__(self, memo: Any) -> Any:
        return type(self)(map(deepcopy, self), self._field, None)  # type: ignore[call-arg, call-overload]  # a list

    def __reduce__(self) -> Any:
        from pickle import PicklingError  # slow to import

        raise PicklingError(f"a {type(self).__name__} cannot be pickled; pickle its message, or a list or dict of it")

    __hash__ = None  # type: ignore[assignment]  # mutable


class _Repeated(_Container, list[Any]):
    __slots__ = ("_field", "_owner")

    def __init__(self, values: Iterable[Any] = (), field: Field = UNCHECKED, owner: Any = None) -> None:
        list.__init__(self, values)
        self._field = field
        self._owner = owner

    def __copy__(self) -> Any:
        return type(self)(self, self._field, None)

    def __delitem__(self, position: Any) -> None:
        self._attach_owner()
        list.__delitem__(self, position)

    def MergeFrom(self, other: Iterable[Any]) -> None:
        """Add the elements of another repeated field of this type."""
        self.extend(other)

    def extend(self, values: Iterable[Any]) -> None:
        raise NotImplementedError

    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]  # any iterable, as in protobuf
        self.extend(values)
        return self

    def __mul__(self, count: SupportsIndex) -> Any:
        raise TypeError("a repeated field cannot be multiplied")

    __rmul__ = __imul__ = __mul__


class RepeatedScalarContainer(_Repeated):
    """A repeated field of numbers, strings, bytes or enums."""

    __slots__ = ()

    def append(self, value: Any) -> None:
        if self._owner is not None:
            self._attach_owner()
        list.append(self, self._field.check(value))

    def extend(self, values: Iterable[Any]) -> None:
        self._attach_owner()
        list.extend(self, [*map(self._field.check, values)])

    def insert(self, position: SupportsIndex, value: Any) -> None:
        self._attach_owner()
        list.insert(self, position, self._field.check(value))

    def __setitem__(self, position: Any, value: Any) -> None:
        self._attach_owner()
        if isinstance(position, slice):
            value = [*map(self._field.check, value)]
        else:
            list.__getitem__(self, position)  # raises IndexError
            value = self._field.check(value)
        list.__setitem__(self, position, value)


class RepeatedCompositeContainer(_Repeated):
    """A repeated field of messages."""

    __slots__ = ()

    def add(self, **values: Any) -> Any:
        """Add a new message at the end, with the given fields, and return it."""
        field = self._field
        message = field.type(**values) if values else field.create()
        if self._owner is not None:
            self._attach_owner()
        list.append(self, message)
        return message

    def append(self, message: Any) -> None:
        """Add a copy of a message."""
        self._attach_owner()
        list.append(self, self._copy(message))

    def extend(self, messages: Iterable[Any]) -> None:
        """Add copies of messages."""
        self._attach_owner()
        with PausedCollection():
            copies = [*map(self._copy, messages)]
        list.extend(self, copies)

    def _adopt(self, messages: Iterable[Any]) -> None:
        """Add new messages that nothing else uses, without copies."""
        self._attach_owner()
        list.extend(self, messages)

    def insert(self, position: SupportsIndex, message: Any) -> None:
        """Insert a copy of a message."""
        self._attach_owner()
        list.insert(self, position, self._copy(message))

    def __setitem__(self, position: Any, value: Any) -> None:
        self._attach_owner()
        list.__getitem__(self, position)  # raises IndexError
        raise TypeError("messages in a repeated field cannot be replaced: use CopyFrom, or delete and insert")

    def _copy(self, message: Any) -> Any:
        cls = self._field.type
        if message.__class__ is not cls:
            raise TypeError(f"expected a {cls.__table__.full_name}, got {type(message).__name__}")
        return self._field.copy(message)


class _Map(_Container, dict[Any, Any]):
    __slots__ = ("_field", "_owner")

    def __init__(self, values: Any = (), field: Field = UNCHECKED, owner: Any = None) -> None:
        dict.__init__(self, values)
        self._field = field
        self._owner = owner

    def __copy__(self) -> Any:
        return type(self)(self, self._field, None)

    def __deepcopy__(self, memo: Any) -> Any:
        return type(self)({key: deepcopy(value) for key, value in self.items()}, self._field, None)

    def _check_key(self, key: Any) -> Any:
        return self._field.key.check(key)

    def __delitem__(self, key: Any) -> None:
        self._attach_owner()
        dict.__delitem__(self, self._check_key(key))

    def __contains__(self, key: Any) -> bool:
        if key.__class__ is str:
            if dict.__contains__(self, key):  # keys that it has need no check
                return True
            if self._field.has_string_keys and key.isascii():
                return False
        return dict.__contains__(self, self._check_key(key))

    def get(self, key: Any, default: Any = None) -> Any:
        if key.__class__ is not str or not key.isascii() or not self._field.has_string_keys:
            key = self._check_key(key)
        return dict.get(self, key, default)

    def pop(self, key: Any, default: Any = None) -> Any:
        """Remove a key and return its value. As in protobuf, a missing key has the value that reading it adds."""
        value = self[key]
        del self[key]
        return value

    def GetEntryClass(self) -> Any:
        """Return the class of the messages that encode the entries."""
        return self._field.entry_class()

    def __or__(self, other: Any) -> Any:
        return NotImplemented

    __ror__ = __ior__ = __or__


class ScalarMap(_Map):
    """A map to numbers, strings, bytes or enums. Reading a missing key adds it with the value zero."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        try:
            return dict.__getitem__(self, key)
        except (KeyError, TypeError):
            key = self._check_key(key)
            if not dict.__contains__(self, key):
                self._attach_owner()
                dict.__setitem__(self, key, self._field.value.zero)
            return dict.__getitem__(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._owner is not None:
            self._attach_owner()
        field = self._field
        key, value = field.key.check(key), field.value.check(value)
        dict.__setitem__(self, key, value)

    def setdefault(self, key: Any, value: Any = None) -> Any:
        if value is None:
            raise ValueError("the value of a map cannot be None")
        if key not in self:
            self[key] = value
        return self[key]

    def update(self, other: Any = (), /, **values: Any) -> None:
        for key, value in dict(other, **values).items():
            self[key] = value

    def MergeFrom(self, other: Mapping[Any, Any]) -> None:
        """Add the entries of another map; they replace those of the same keys. Raises AttributeError for a dict."""
        _refuse_dict(other)
        self.update(other)


class MessageMap(_Map):
    """A map to messages. Reading a missing key adds it with an empty message."""

    __slots__ = ()

    def __missing__(self, key: Any) -> Any:
        if key.__class__ is not str or not key.isascii() or not self._field.has_string_keys:
            key = self._check_key(key)
            if dict.__contains__(self, key):
                return dict.__getitem__(self, key)
        if self._owner is not None:
            self._attach_owner()
        message = self._field.value.create()
        dict.__setitem__(self, key, message)
        return message

    def _adopt(self, messages: Mapping[Any, Any]) -> None:
        """Add new messages that nothing else uses, with keys that are checked and missing."""
        self._attach_owner()
        dict.update(self, messages)

    def get_or_create(self, key: Any) -> Any:
        """Return the message of a key; add an empty one if it is missing."""
        return self[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._attach_owner()
        self._check_key(key)
        raise ValueError("messages in a map cannot be assigned: use map[key].CopyFrom(value)")

    def setdefault(self, key: Any, value: Any = None) -> Any:
        raise NotImplementedError("messages in a map cannot be assigned: use map[key].CopyFrom(value)")

    def update(self, other: Any = (), /, **values: Any) -> None:
        """Assign each entry, which raises ValueError: without entries, do nothing."""
        for key, value in dict(other, **values).items():
            self[key] = value

    def MergeFrom(self, other: Mapping[Any, Any]) -> None:
        """Copy the messages of another map; they replace those of the same keys. Raises AttributeError for a dict."""
        _refuse_dict(other)
        for key, message in other.items():
            self[key].CopyFrom(message)


def _refuse_dict(other: object) -> None:
    if type(other) is dict:
        raise AttributeError("a dict cannot be merged into a map: assign its entries, or use update")


def container_class(field: Field) -> Callable[[Any, Field, Any], Any]:
    """Return the class of the values of a repeated field or map."""
    if field.label == "repeated":
        return RepeatedCompositeContainer if field.is_message else RepeatedScalarContainer
    assert field.value is not None
    return MessageMap if field.value.is_message else ScalarMap
