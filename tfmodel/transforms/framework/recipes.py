"""Lists of transforms that have proved good together: what the Graph Transform Tool recommended, by name.

    transform(graph, "x", "y", RECIPES["deploy"])
    transform(graph, "x", "y", [*RECIPES["deploy"], "round_weights(num_steps=16)"])

A recipe needs to know inputs and outputs. What is declared as an input becomes a Placeholder of the type and shape that
it had. A recipe does not freeze: variables are constants before it begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pbwire.suggestions import suggestion

from ...errors import TransformError
from ...printable import printable

__all__ = ["RECIPES", "Recipe", "joined", "recipe_of"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The steps of a recipe, as `transform` takes them, and in a line what they are good for.

    is_exact   whether the outputs stay what they were, but for rounding
    """

    line: str
    steps: tuple[str, ...]
    is_exact: bool = True

    def __iter__(self) -> Iterator[str]:
        return iter(self.steps)

    def __str__(self) -> str:
        return " ".join(self.steps)


# The order matters: a batch norm is only found behind a convolution when nothing stands between them, and its factors
# are constants only when they are folded.
_FOLD = (
    "strip_unused_nodes",
    "remove_nodes(op=Identity, op=CheckNumerics)",
    "fold_constants(ignore_errors=true)",
    "fold_batch_norms",
    "fold_old_batch_norms",
)
_TIDY = ("merge_duplicate_nodes", "strip_unused_nodes", "sort_by_execution_order")

RECIPES = {
    "deploy": Recipe("to run it: only what the outputs need, with all that is constant computed", (*_FOLD, *_TIDY)),
    "shrink": Recipe(
        "to send it: weights of 256 values each, which a packer makes small",
        (*_FOLD, *_TIDY, "round_weights(num_steps=256)"),
        is_exact=False,
    ),
    "mobile": Recipe(
        "to store it: weights of a byte for each element",
        (*_FOLD, *_TIDY[:-1], "quantize_weights", "sort_by_execution_order"),
        is_exact=False,
    ),
    "eight-bit": Recipe(
        "to compute with bytes: weights, and layers where there are such",
        (
            "add_default_attributes",
            *_FOLD,
            "merge_duplicate_nodes",
            "quantize_weights",
            "quantize_nodes",
            "strip_unused_nodes",
            "sort_by_execution_order",
        ),
        is_exact=False,
    ),
    "obfuscate": Recipe(
        "to run it where nobody shall read it: names that say nothing but those of inputs and outputs",
        (*_FOLD, *_TIDY, "obfuscate_names"),
    ),
}


def recipe_of(name: str) -> Recipe:
    """The recipe of a name. Raises TransformError if there is none."""
    if name not in RECIPES:
        hint = suggestion(name, RECIPES) or f"; there are {', '.join(RECIPES)}"
        raise TransformError(f'there is no recipe "{printable(name)}"{printable(hint)}')
    return RECIPES[name]


def joined(recipes: Iterable[Recipe]) -> Recipe:
    """The steps of several recipes, one after the other: exact if all of them are."""
    all_of_them = tuple(recipes)
    steps = tuple(step for recipe in all_of_them for step in recipe)
    return Recipe("; ".join(each.line for each in all_of_them), steps, all(each.is_exact for each in all_of_them))
