"""The methods of google.protobuf.Struct and google.protobuf.ListValue, which hold any JSON value.

Every change by a Python value converts the whole value into new messages first: a value that cannot be converted
changes nothing, and a message may be assigned to a part of itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, MutableSequence
from typing import Any


def _set_value(target: Any, value: Any) -> None:
    """Set a new google.protobuf.Value. Raises ValueError for a Python value that JSON does not have."""
    if value is None:
        target.null_value = 0
    elif isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, str):
        target.string_value = value
    elif isinstance(value, (int, float)):
        target.number_value = value
    elif isinstance(value, (dict, Struct)):
        target.struct_value._assign(value)
    elif isinstance(value, (list, tuple, ListValue)):
        target.list_value._assign(value)
    else:
        raise ValueError(f"JSON has no value like {value!r}")


def _move_value(target: Any, made: Any) -> None:
    """Move the content of a new Value. A Struct or list in the target that a program holds gets the new content."""
    kind = made.WhichOneof("kind")
    content = getattr(made, kind)
    if kind in ("struct_value", "list_value"):
        getattr(target, kind)._take(content)
    else:
        setattr(target, kind, content)


def _get_value(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind is None:
        raise ValueError("the Value is not set")
    return None if kind == "null_value" else getattr(value, kind)


class Struct:
    """Methods of google.protobuf.Struct: a mapping from str to JSON values."""

    fields: Any
    Clear: Any

    def __getitem__(self, key: str) -> Any:
        return _get_value(self.fields[key])

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def __delitem__(self, key: str) -> None:
        del self.fields[key]

    def __contains__(self, key: object) -> bool:
        return key in self.fields

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def keys(self) -> Any:
        return self.fields.keys()

    def values(self) -> list[Any]:
        return [self[key] for key in self]

    def items(self) -> list[tuple[str, Any]]:
        return [(key, self[key]) for key in self]

    def get_or_create_list(self, key: str) -> Any:
        """Return the list under a key; set an empty one if there is none."""
        value = self.fields[key]
        if not value.HasField("list_value"):
            value.list_value.Clear()
            value.list_value.SetInParent()
        return value.list_value

    def get_or_create_struct(self, key: str) -> Any:
        """Return the Struct under a key; set an empty one if there is none."""
        value = self.fields[key]
        if not value.HasField("struct_value"):
            value.struct_value.Clear()
            value.struct_value.SetInParent()
        return value.struct_value

    def update(self, dictionary: Mapping[str, Any]) -> None:
        """Set items from a mapping, all or none.

        Raises AttributeError for a value that has no items, TypeError for keys other than strings, and ValueError for
        a value that JSON does not have.
        """
        made = self._converted(dictionary)
        for key in made.keys() & self.fields.keys():
            _move_value(self.fields[key], made.pop(key))
        if made:
            self.fields._adopt(made)

    def _assign(self, value: Any) -> bool:
        made = self._converted(value)
        self.Clear()
        self.fields._adopt(made)
        return True

    def _converted(self, values: Any) -> dict[str, Any]:
        if not hasattr(values, "items"):
            raise AttributeError(f"a google.protobuf.Struct takes a mapping, not {type(values).__name__}")
        fields, made = self.fields, {}
        check_key, create = fields._check_key, fields._field.value.create
        for key, value in values.items():
            made[check_key(key)] = target = create()
            _set_value(target, value)
        return made

    def __eq__(self, other: object) -> bool:
        if isinstance(other, dict):
            return bool(_plain(self) == other)
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]  # mutable


class ListValue:
    """Methods of google.protobuf.ListValue: a list of JSON values."""

    values: Any
    Clear: Any

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, item: object) -> bool:
        return any(value == item for value in self)

    def append(self, value: Any) -> None:
        """Add an item. Raises ValueError for a value that JSON does not have."""
        self.extend([value])

    def extend(self, elem_seq: Iterable[Any]) -> None:
        """Add items, all or none. Raises ValueError for a value that JSON does not have."""
        if made := self._converted(elem_seq):
            self.values._adopt(made)

    def _assign(self, value: Any) -> bool:
        """Take the items of any iterable: the keys of a dict, the characters of a str.

        A tuple counts as a list. Protobuf refuses it, or takes the only element of a tuple as the list.
        """
        made = self._converted(value)
        self.Clear()
        self.values._adopt(made)
        return True

    def _converted(self, values: Iterable[Any]) -> list[Any]:
        made, create = [], self.values._field.create
        for value in values:
            made.append(target := create())
            _set_value(target, value)
        return made

    def __getitem__(self, index: int) -> Any:
        return _get_value(self.values[index])

    def __setitem__(self, index: int, value: Any) -> None:
        target = self.values[index]
        _move_value(target, *self._converted([value]))

    def __delitem__(self, key: Any) -> None:
        del self.values[key]

    def items(self) -> Iterator[Any]:
        yield from self

    def __iter__(self) -> Iterator[Any]:
        return (_get_value(value) for value in self.values)

    def add_struct(self) -> Any:
        """Add an empty Struct, and return it."""
        struct = self.values.add().struct_value
        struct.Clear()
        struct.SetInParent()
        return struct

    def add_list(self) -> Any:
        """Add an empty list, and return it."""
        values = self.values.add().list_value
        values.Clear()
        values.SetInParent()
        return values

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list):
            return bool(_plain(self) == other)
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]  # mutable


def _plain(value: Any) -> Any:
    """Return dicts and lists for Structs and ListValues."""
    if isinstance(value, Struct):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, ListValue) else value


MutableMapping.register(Struct)
MutableSequence.register(ListValue)
