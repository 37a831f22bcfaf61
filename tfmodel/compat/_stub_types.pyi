"""Written by `python -m tests.stubs`. The types of fields, for the other .pyi files; there is no such module."""

from builtins import bool as _bool, bytes as _bytes, float as _float, int as _int, str as _str
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from pbwire.compat import Message as _Message
from pbwire.compat.enums import EnumWrapper as _EnumWrapper

__all__ = [
    "_EnumWrapper",
    "_Message",
    "_MessageMap",
    "_RepeatedMessage",
    "_RepeatedScalar",
    "_ScalarMap",
    "_bool",
    "_bytes",
    "_float",
    "_int",
    "_str",
]

_T = TypeVar("_T")
_K = TypeVar("_K")

class _RepeatedScalar(list[_T]):
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

class _RepeatedMessage(list[_T]):
    def add(self, **values: Any) -> _T: ...
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

class _ScalarMap(dict[_K, _T]):
    def MergeFrom(self, other: Mapping[_K, _T]) -> None: ...

class _MessageMap(dict[_K, _T]):
    def get_or_create(self, key: _K) -> _T: ...
    def GetEntryClass(self) -> Any: ...
    def MergeFrom(self, other: Mapping[_K, _T]) -> None: ...
