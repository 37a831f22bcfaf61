"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class VerifierConfig(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    Toggle: _ClassVar[_EnumWrapper]
    DEFAULT: _ClassVar[_int]
    ON: _ClassVar[_int]
    OFF: _ClassVar[_int]
    VERIFICATION_TIMEOUT_IN_MS_FIELD_NUMBER: _ClassVar[_int]
    STRUCTURE_VERIFIER_FIELD_NUMBER: _ClassVar[_int]
    verification_timeout_in_ms: _int
    structure_verifier: _int
    def __init__(self, *, verification_timeout_in_ms: _int | None = ..., structure_verifier: _int | _str | None = ...) -> None: ...
