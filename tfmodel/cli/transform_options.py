"""The options and messages that `transform` and `optimize` share: --recipe, progress, and warnings of growth."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import TransformError
from ..transforms.framework import registry
from ..transforms.framework.recipes import RECIPES, Recipe, find_recipe
from ..transforms.framework.recipes import join_recipes as join
from ..transforms.framework.report import StepReport, TransformReport
from .messages import RequestError, warn
from .parser import Parser
from .progress import Progress

_MIN_GROWTH = 500  # bytes: smaller growth is not reported
_MIN_GROWTH_FACTOR = 1.1  # smaller growth comes from names: fold_constants writes "x:0" for "x"


def add_recipe(parser: Parser, *, help: str) -> None:
    parser.add_offered("--recipe", lambda: RECIPES, metavar="NAME", action="append", default=[], help=help)


def add_transforms(parser: Parser, *, help: str) -> None:
    parser.add_offered("--transforms", registry.names, metavar="TRANSFORMS", action="append", default=[], help=help)


def add_plugin(parser: Parser) -> None:
    plugin_help = "a module, or a .py file, with transforms; may be repeated"
    parser.add_argument("--plugin", metavar="MODULE", action="append", default=[], help=plugin_help)


def load_plugins(paths: Sequence[str]) -> None:
    """Import the modules of --plugin, which register transforms. Raises RequestError."""
    try:
        for path in paths:
            registry.load_plugin(path)
    except TransformError as error:
        raise RequestError(str(error)) from error


def join_recipes(names: Sequence[str]) -> Recipe:
    """Return the recipes of these names as one. Raises RequestError for an unknown name."""
    try:
        return join([find_recipe(name) for name in names])
    except TransformError as error:
        raise RequestError(str(error)) from error


def print_recipes(names: Sequence[str]) -> None:
    """Print the transforms of each recipe on stderr. Call it after the model was read."""
    for name in names:
        warn(f"recipe {name}: {find_recipe(name)}")


def warn_of_growth(names: Sequence[str], report: TransformReport) -> None:
    """Warn if the recipes made the graph larger, because recipes are meant to make it smaller."""
    total = report.total
    threshold = max(_MIN_GROWTH_FACTOR * total.bytes_before, total.bytes_before + _MIN_GROWTH)
    if not names or total.bytes_after <= threshold:
        return
    largest = max(report.steps, key=lambda step: step.bytes_after - step.bytes_before)
    hint = f"; most of it in {largest.name}, {largest.bytes_before:,} -> {largest.bytes_after:,}"
    if "eight-bit" in names:
        hint = ": quantized layers need more bytes than they save here; --recipe mobile only quantizes the weights"
    warn(f"the graph became larger, {total.bytes_before:,} -> {total.bytes_after:,} bytes{hint}", "warning")


def report_of(progress: Progress) -> TransformReport:
    """Return a report that shows the running transform in `progress`."""

    class Shown(TransformReport):
        def begin(self, name: str) -> StepReport:
            done = len(self.steps)
            progress.doing(f"transforming: {done + 1}/{self.planned} {name}", share=done / self.planned)
            return super().begin(name)

    return Shown()
