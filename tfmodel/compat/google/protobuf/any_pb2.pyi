"""Written by `python -m tests.stubs`."""

from ..._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class Any(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TYPE_URL_FIELD_NUMBER: _ClassVar[_int]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    type_url: _str
    value: _bytes
    def __init__(self, *, type_url: _str | _bytes | None = ..., value: _bytes | None = ...) -> None: ...
