"""Keys of the attributes of nodes: two nodes have equal keys if their attributes are equal.

    attributes_key(node) == attributes_key(other)

Undecoded attributes stay undecoded, and large ones are not copied. How the input encodes them makes no difference. As
in the original, a tensor as bytes and the same tensor as numbers are not equal.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from hashlib import blake2b

from pbwire.buffers import Buffer
from pbwire.peeking import wire_entries

from ...messages import NodeDef

__all__ = ["attributes_key"]

_SMALL = 1024  # bytes
_ENDS = 64  # bytes


def attributes_key(node: NodeDef) -> Hashable:
    """What the attributes of a node are, names and values, as a key of a dict."""
    key: list[tuple[bytes, bytes | _Large]] = []
    for name, value in wire_entries(node, "attr").items():
        size = sum(map(len, value))
        key.append((name, b"".join(value) if size < _SMALL else _Large(value, size)))
    key.sort(key=lambda entry: entry[0])
    return tuple(key)


class _Large:
    """A large value: its size and its ends are its hash. Only those that have these in common are read."""

    def __init__(self, value: list[Buffer], size: int) -> None:
        self._value = value
        first = b"".join(bytes(part[:_ENDS]) for part in value)[:_ENDS]
        last = b"".join(bytes(part[-_ENDS:]) for part in value)[-_ENDS:]
        self._outline = size, first, last

    def __hash__(self) -> int:
        return hash(self._outline)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Large) and self._outline == other._outline and self._digest == other._digest

    @cached_property
    def _digest(self) -> bytes:
        digest = blake2b()
        for part in self._value:
            digest.update(part)
        return digest.digest()
