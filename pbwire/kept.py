"""Results that are kept with the object that they were made for, so that they are freed with it.

A class that was made at run time, such as one of `pbwire.proto.load`, would never be freed if a cache of the process
had something that was made for it. So tables, enums and extensions have a dict `__kept__` for the results of functions.
"""

from __future__ import annotations

from functools import wraps

from .descriptor import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")


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
            return {}

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
