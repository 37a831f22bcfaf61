"""Results that are kept with the object that they were made for, so that they are freed with it.

A class that was made at run time, such as one of `pbwire.proto.load`, would never be freed if a cache of the process
had something that was made for it. So tables, enums and extensions have a dict `__kept__` for the results of functions.
"""

from __future__ import annotations

import sys
from functools import wraps

from .descriptor import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")


class UnlockedMemory(dict):  # type: ignore[type-arg]  # parameters would be evaluated at import
    """A dict whose `get` takes one argument and does not lock the dict.

    In Python 3.13 without the GIL, `dict.get` locks the dict. If another thread created the key or the value, the
    look-up inside it mostly locks the dict again: the thread yields the processor 40 times before it notices that it
    waits for itself. This takes 20 us on an idle machine and seconds for some thousand keys on a busy one.
    `dict.__getitem__` locks once at most. Python 3.14 permits the second lock (python/cpython#114203).
    """

    __slots__ = ()
    get = dict.__getitem__  # type: ignore[assignment]

    def __missing__(self, key: Any) -> None:
        return None


Memory: type[dict[Any, Any]] = (
    UnlockedMemory if sys.version_info < (3, 14) and "free-threading" in sys.version else dict
)
"""The class of dicts that generated code fills and all threads share. `get` takes one argument; no value is None."""


def kept(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that is called once for the same arguments, and keeps the result with the first one.

    This is a table, a class, an enum, an extension, or a field, whose results are kept with its message class.
    """

    make: Any = function

    @wraps(make)
    def get(*arguments: Any) -> Any:
        results = _results(arguments[0])
        key = make, *arguments
        if key not in results:
            results.setdefault(key, make(*arguments))  # of several threads, the first one is right
        return results[key]

    return get  # type: ignore[return-value]  # it has the type of `function`


def kept_up_to(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator like `kept` for results that are never None. It forgets all of them if they become too many.

    `most` is the number of results for each first argument.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        make: Any = function

        @kept
        def results_of(owner: Any) -> dict[Any, Any]:
            return Memory()

        @wraps(make)
        def get(owner: Any, *arguments: Any) -> Any:
            results = results_of(owner)
            result = results.get(arguments)
            if result is None:
                if len(results) >= most:
                    results.clear()
                result = results[arguments] = make(owner, *arguments)
            return result

        return get  # type: ignore[return-value]  # it has the type of `function`

    return decorate


def _results(owner: Any) -> dict[Any, Any]:
    if isinstance(owner, Field):
        owner = owner.owner
    results: dict[Any, Any] = getattr(owner, "__table__", owner).__kept__
    return results
