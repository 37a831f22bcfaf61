"""The functions of upper layers that lower ones call.

A message has a descriptor, a descriptor has a file, and `str()` of a message is a text. The modules that make these
import the modules of messages, which therefore cannot import them. `pbwire.compat` sets the three functions below, and
all layers ask here: `above.descriptors().message_descriptor(cls)`. Each function returns a layer, which is imported at
the first call: most programs need no descriptors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Descriptors(Protocol):
    """The functions of `pbwire.compat.descriptors` that are called below it."""

    def message_descriptor(self, cls: Any) -> Any: ...

    def field_descriptor(self, field: Any) -> Any: ...

    def enum_descriptor(self, cls: Any) -> Any: ...

    def extension_descriptor(self, extension: Any, package: str = "") -> Any: ...

    def extension_of(self, descriptor: Any) -> Any: ...


class Pools(Protocol):
    """The functions of `pbwire.compat.pools` that are called below it, or before a pool is needed."""

    def default_pool(self) -> Any: ...

    def file_of(self, cls: Any, full_name: str, package: str, syntax: str) -> Any: ...

    def file_of_extension(self, extension: Any, package: str) -> Any: ...

    def find_declared(self, kind: str, parts: dict[str, Any]) -> Any: ...

    def make_descriptor(self, desc_proto: Any, package: str = "") -> Any: ...


class TextFormat(Protocol):
    """The function of `pbwire.compat.text_format` that is called below it."""

    def debug_string(self, message: Any) -> str: ...


descriptors: Callable[[], Descriptors]
"""Returns `pbwire.compat.descriptors`."""
pools: Callable[[], Pools]
"""Returns `pbwire.compat.pools`."""
text_format: Callable[[], TextFormat]
"""Returns `pbwire.compat.text_format`."""
