"""The option --recipe, which may be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import TransformError
from .messages import RequestError, warn

if TYPE_CHECKING:
    from ..transforms.framework.recipes import Recipe
    from ..transforms.framework.report import TransformReport

__all__ = ["join_recipes", "print_recipes", "tell_of_growth"]

_NOTABLE = 500  # bytes: smaller growth is not reported
_GROWN = 1.1  # less is spelling: fold_constants writes "x:0" for "x"


def join_recipes(names: Sequence[str]) -> Recipe:
    """Return the recipes of these names as one. Raises RequestError for an unknown name."""
    from ..transforms.framework.recipes import find_recipe, join_recipes

    try:
        return join_recipes([find_recipe(name) for name in names])
    except TransformError as error:
        raise RequestError(str(error)) from error


def print_recipes(names: Sequence[str]) -> None:
    """Print the transforms of each recipe on stderr, once the model could be read."""
    from ..transforms.framework.recipes import find_recipe

    for name in names:
        warn(f"recipe {name}: {find_recipe(name)}")


def tell_of_growth(names: Sequence[str], report: TransformReport) -> None:
    """Warn if recipes, all of which are to make a graph smaller or leave it as large as it was, made it larger."""
    total = report.total
    threshold = max(_GROWN * total.bytes_before, total.bytes_before + _NOTABLE)
    if not names or total.bytes_after <= threshold:
        return
    largest = max(report.steps, key=lambda step: step.bytes_after - step.bytes_before)
    hint = f"; most of it in {largest.name}, {largest.bytes_before:,} -> {largest.bytes_after:,}"
    if "eight-bit" in names:
        hint = ": layers on codes take more nodes than they save here; --recipe mobile only stores weights as codes"
    warn(f"the graph became larger, {total.bytes_before:,} -> {total.bytes_after:,} bytes{hint}")
