"""A substitute for hypothesis.strategies that draws with Python's random module, for tests/support/strategies.py.

    strategies = load_with_random_draws("tests/support/strategies.py")
    strategies.messages(Leaf).draw(Random(1))          # the same Leaf with every version of hypothesis

Every version of hypothesis draws differently; testing the range of the strategies needs reproducible draws.
`load_with_random_draws` runs a module of strategies with this module in place of `hypothesis.strategies`: each function
takes the arguments of the original of the same name, and draws uniformly.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Generic, TypeVar
from unittest.mock import patch

import hypothesis

__all__ = ["load_with_random_draws"]

T = TypeVar("T")


class SearchStrategy(Generic[T]):
    """A function that makes a value with the choices of a Random."""

    def __init__(self, draw: Callable[[Random], Any]) -> None:
        self.draw = draw

    def __or__(self, other: SearchStrategy[Any]) -> SearchStrategy[Any]:
        return SearchStrategy(lambda random: random.choice([self, other]).draw(random))

    def map(self, change: Callable[[Any], Any]) -> SearchStrategy[Any]:
        return SearchStrategy(lambda random: change(self.draw(random)))

    def flatmap(self, further: Callable[[Any], SearchStrategy[Any]]) -> SearchStrategy[Any]:
        return SearchStrategy(lambda random: further(self.draw(random)).draw(random))


def composite(function: Callable[..., Any]) -> Callable[..., SearchStrategy[Any]]:
    def strategy(*args: Any, **options: Any) -> SearchStrategy[Any]:
        return SearchStrategy(lambda random: function(lambda part: part.draw(random), *args, **options))

    return strategy


def just(value: Any) -> SearchStrategy[Any]:
    return SearchStrategy(lambda random: value)


def booleans() -> SearchStrategy[bool]:
    return sampled_from([False, True])


def integers(low: int, high: int) -> SearchStrategy[int]:
    return SearchStrategy(lambda random: random.randint(low, high))


def floats(*, width: int, allow_nan: bool) -> SearchStrategy[float]:
    """Return floats of arbitrary bits."""

    def draw(random: Random) -> float:
        (number,) = struct.unpack("<f" if width == 32 else "<d", random.randbytes(width // 8))
        return 0.0 if math.isnan(number) and not allow_nan else number

    return SearchStrategy(draw)


def text(*, max_size: int) -> SearchStrategy[str]:
    characters = integers(0, 127) | integers(0, 0xD7FF) | integers(0xE000, 0x10FFFF)
    return lists(characters.map(chr), max_size=max_size).map("".join)


def binary(*, min_size: int = 0, max_size: int) -> SearchStrategy[bytes]:
    return integers(min_size, max_size).flatmap(lambda size: SearchStrategy(lambda random: random.randbytes(size)))


def sampled_from(values: Iterable[Any]) -> SearchStrategy[Any]:
    values = list(values)
    return SearchStrategy(lambda random: random.choice(values))


def permutations(values: Iterable[Any]) -> SearchStrategy[list[Any]]:
    values = list(values)
    return SearchStrategy(lambda random: random.sample(values, len(values)))


def lists(
    part: SearchStrategy[Any], *, min_size: int = 0, max_size: int, unique: bool = False
) -> SearchStrategy[list[Any]]:
    """Lists; with `unique` they are shorter if equal elements were drawn."""

    def draw(random: Random) -> list[Any]:
        drawn = [part.draw(random) for _ in range(random.randint(min_size, max_size))]
        return [value for place, value in enumerate(drawn) if value not in drawn[:place]] if unique else drawn

    return SearchStrategy(draw)


def dictionaries(
    key: SearchStrategy[Any], value: SearchStrategy[Any], *, max_size: int
) -> SearchStrategy[dict[Any, Any]]:
    def draw(random: Random) -> dict[Any, Any]:
        return {key.draw(random): value.draw(random) for _ in range(random.randint(0, max_size))}

    return SearchStrategy(draw)


def builds(make: Callable[..., Any], *parts: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return SearchStrategy(lambda random: make(*(part.draw(random) for part in parts)))


def load_with_random_draws(path: str | Path) -> ModuleType:
    """Import the module at `path` with the strategies of this module."""
    module = ModuleType(Path(path).stem)
    module.__dict__["__file__"] = str(path)
    here = ModuleType("strategies")
    here.__dict__.update(globals())
    with patch.object(hypothesis, "strategies", here):
        exec(compile(Path(path).read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
    return module
