"""The option --recipe, which may be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import TransformError
from .common import RequestError, warn

if TYPE_CHECKING:
    from ..transforms.framework.recipes import Recipe

__all__ = ["recipe_asked"]


def recipe_asked(names: Sequence[str]) -> Recipe:
    """The recipes of these names as one; each is told."""
    from ..transforms.framework.recipes import joined, recipe_of

    try:
        recipes = [recipe_of(name) for name in names]
    except TransformError as error:
        raise RequestError(str(error)) from error
    for name, recipe in zip(names, recipes, strict=True):
        warn(f"recipe {name}: {recipe}")
    return joined(recipes)
