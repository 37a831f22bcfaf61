"""Results of models are compared by `tfmodel.compare` alone: see `tfmodel.compare.verify.Comparison`."""

from __future__ import annotations

import ast

from tests.architecture.source import imports, trees

HOME = "tfmodel.compare."
INNER = ("default_rtol", "check_tolerances", "compare", "built_in_batch", "split_feeds", "join_outputs")
"""Functions of `tfmodel.compare.verify` that only `Comparison` and what stands beside it call."""

FEEDING = {
    "default_feeds": {"tfmodel.interpreter.feeds"},
    "inputs_needed": {"tfmodel.interpreter.feeds"},
    "random_feeds": {"tfmodel.interpreter.feeds", "tfmodel.cli.run_outputs", "tfmodel.editing.reduction.reducing"},
}
"""The functions that make feeds, with the modules besides `tfmodel.compare` that name them.

`run --random` makes feeds of one model, and `reduce` a sample that it then cuts; neither compares.
"""

EQUALITY = ("allclose", "array_equal", "array_equiv", "isclose")


def imported_names(tree: ast.Module, module: str) -> set[str]:
    """Return the names that a module takes from modules whose dotted name contains `module`."""
    froms = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and module in (node.module or ""))
    return {alias.name for node in froms for alias in node.names}


def test_the_steps_of_a_comparison_are_called_by_comparisons_alone() -> None:
    found = {name: imported_names(tree, "compare.verify") & {*INNER} for name, tree in trees(*INNER)}
    assert any(name.startswith(HOME) for name in found)
    assert {name: names for name, names in found.items() if names and not name.startswith(HOME)} == {}


def test_feeds_for_a_comparison_are_made_by_comparisons_alone() -> None:
    for function, allowed in FEEDING.items():
        users = {name for name, tree in trees(function) if function in imported_names(tree, "feeds")}
        assert any(name.startswith(HOME) for name in users)
        assert {name for name in users if not name.startswith(HOME)} <= allowed, function


def test_modules_that_run_models_compare_no_arrays_of_their_own() -> None:
    """Two runs and NumPy's `allclose` are a comparison without tolerances, renames and limits."""
    found = {}
    for name, tree in trees(*EQUALITY):
        runs = any(arrow.imported == "tfmodel.interpreter.session" for arrow in imports(name))
        if runs and not name.startswith(HOME):
            attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
            if used := [node.attr for node in attributes if node.attr in EQUALITY]:
                found[name] = used
    assert found == {}
