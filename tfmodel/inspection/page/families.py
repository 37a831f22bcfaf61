"""Families of ops and colours of the page, read from its own script and style, so that images have the same."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

__all__ = ["CONVOLUTIONS", "INPUTS", "families", "family_of", "light_colours"]

CONVOLUTIONS, INPUTS = 0, 6
"""The ranks of two families."""


@cache
def light_colours() -> dict[str, str]:
    """Return the light colours of the page by name."""
    style = files(__package__).joinpath("page.css").read_text("utf-8")
    return dict(re.findall(r"--(\w+): (#\w+);", style.partition("dark")[0]))


@cache
def families() -> list[tuple[str, re.Pattern[str]]]:
    """Return colour and ops of each family, in the order of what says most about a part of a model."""
    script = files(__package__).joinpath("js", "theme.js").read_text("utf-8")
    return [(colour, re.compile(ops)) for colour, ops in re.findall(r'\["[\w ]+", "(#\w+)", /(.+)/\],', script)]


@lru_cache(10_000)
def family_of(op: str) -> int:
    """Return the rank of the family of an op."""
    return next((rank for rank, (_, ops) in enumerate(families()) if ops.search(op)), len(families()) - 1)
