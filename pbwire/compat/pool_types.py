"""The messages of a pool as the `types` of text format and JSON, for the content of Any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .values import above


class PoolTypes(Mapping[str, Any]):
    """The dataclasses of the messages of a pool, by full name. The default pool is not made before it is needed."""

    def __init__(self, pool: Any = None) -> None:
        self._pool = pool

    @property
    def pool(self) -> Any:
        """The pool."""
        if self._pool is None:
            self._pool = above.pools().default_pool()
        return self._pool

    def __getitem__(self, full_name: str) -> Any:
        return self.pool.dataclass(full_name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.pool.loaded_messages)

    def __len__(self) -> int:
        return len(self.pool.loaded_messages)


def types_of(descriptor_pool: Any) -> Any:
    """Return the `types` for the argument `descriptor_pool`: a pool, None for the default pool, or a mapping."""
    if descriptor_pool is None or hasattr(descriptor_pool, "FindMessageTypeByName"):
        return PoolTypes(descriptor_pool)
    return descriptor_pool


def named_options(function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by name, with the `types` for `descriptor_pool`.

    `arguments` are those after the first ones, which are messages or input. Raises TypeError as the call would.
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    names = names[names.index("message") + 1 :]
    if len(arguments) > len(names):
        count = code.co_argcount
        raise TypeError(
            f"{code.co_name}() takes {count} arguments but {count - len(names) + len(arguments)} were given"
        )
    given = dict(zip(names, arguments, strict=False))
    twice = next((name for name in given if name in options), None)
    if twice is not None:
        raise TypeError(f"{code.co_name}() got multiple values for argument {twice!r}")
    given |= options
    given["descriptor_pool"] = types_of(given.get("descriptor_pool"))
    return given
