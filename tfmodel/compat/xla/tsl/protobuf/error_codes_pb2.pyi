"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

Code: _EnumWrapper
OK: _int
CANCELLED: _int
UNKNOWN: _int
INVALID_ARGUMENT: _int
DEADLINE_EXCEEDED: _int
NOT_FOUND: _int
ALREADY_EXISTS: _int
PERMISSION_DENIED: _int
UNAUTHENTICATED: _int
RESOURCE_EXHAUSTED: _int
FAILED_PRECONDITION: _int
ABORTED: _int
OUT_OF_RANGE: _int
UNIMPLEMENTED: _int
INTERNAL: _int
UNAVAILABLE: _int
DATA_LOSS: _int
DO_NOT_USE_RESERVED_FOR_FUTURE_EXPANSION_USE_DEFAULT_IN_SWITCH_INSTEAD_: _int
