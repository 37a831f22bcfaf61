"""Named lists of transforms that work well together, as the Graph Transform Tool's documentation recommended them.

    transform(graph, "x", "y", RECIPES["deploy"])
    transform(graph, "x", "y", [*RECIPES["deploy"], "round_weights(num_steps=16)"])

A recipe needs declared inputs and outputs. Each declared input becomes a Placeholder of its type and shape. A recipe
does not freeze: variables must be constants before it begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pbwire.errors import suggestion

from ...errors import TransformError
from ...values.terminal import escape


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named list of transforms.

    line       its purpose in one line
    steps      the transforms with their arguments, as `transform` takes them
    is_exact   whether the outputs stay the same up to rounding
    """

    line: str
    steps: tuple[str, ...]
    is_exact: bool = True

    def __iter__(self) -> Iterator[str]:
        return iter(self.steps)

    def __str__(self) -> str:
        return " ".join(self.steps)


# The order matters. A batch norm is folded only if it directly follows the convolution, so nodes between them are
# removed first; and only if its factors are constants, so `fold_constants` computes them first.
_FOLD = (
    "strip_unused_nodes",
    "resolve_conditionals",
    "remove_nodes(op=Identity, op=CheckNumerics)",
    "fold_constants(ignore_errors=true)",
    "simplify",
    "remove_dropout",
    "fold_batch_norms",
    "fold_old_batch_norms",
)
_TIDY = ("merge_duplicate_nodes", "strip_unused_nodes", "sort_by_execution_order")

RECIPES = {
    "deploy": Recipe(
        "for inference: only the nodes that the outputs need, with constant parts computed", (*_FOLD, *_TIDY)
    ),
    "shrink": Recipe(
        "for download: weights rounded to 256 values each, which compress well",
        (*_FOLD, *_TIDY, "round_weights(num_steps=256)"),
        is_exact=False,
    ),
    "mobile": Recipe(
        "for storage: weights of one byte per element",
        (*_FOLD, *_TIDY[:-1], "quantize_weights", "sort_by_execution_order"),
        is_exact=False,
    ),
    "eight-bit": Recipe(
        "for 8-bit arithmetic: quantized weights, and layers where TensorFlow has them",
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
        "for publication: meaningless names for all nodes but inputs and outputs",
        (*_FOLD, *_TIDY, "obfuscate_names"),
    ),
}


def find_recipe(name: str) -> Recipe:
    """Return the recipe of that name. Raises TransformError if the name is unknown."""
    if name not in RECIPES:
        hint = suggestion(name, RECIPES) or f"; the recipes are {', '.join(RECIPES)}"
        raise TransformError(f'unknown recipe "{escape(name)}"{escape(hint)}')
    return RECIPES[name]


def join_recipes(recipes: Iterable[Recipe]) -> Recipe:
    """Return the steps of several recipes as one recipe, which is exact if all of them are."""
    parts = tuple(recipes)
    steps = tuple(step for recipe in parts for step in recipe)
    return Recipe("; ".join(part.line for part in parts), steps, all(part.is_exact for part in parts))
