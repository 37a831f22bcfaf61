"""The docstring of every package lists the modules that exist, and says what it may import and who calls it."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.source import modules
from tfmodel.kernels import GROUPS_WITHOUT_OPS

PACKAGES = {name: path for name, path in modules("pbwire", "tfmodel").items() if path.name == "__init__.py"}
LISTING = {
    name for name, path in PACKAGES.items() if len([other for other in path.parent.glob("*.py") if other != path]) > 3
} - {
    "pbwire",  # README.md lists its modules
    "tfmodel",  # so does the top README
    "tfmodel.cli",  # a module for each command, and its README
    "tfmodel.transforms",  # a module for each transform, and its README
}
"""Packages of more than three modules, whose docstrings list them."""

WHOLE_GROUPS = {
    name
    for name in PACKAGES
    if name.startswith("tfmodel.kernels.") and name.partition("kernels.")[2] not in GROUPS_WITHOUT_OPS
}
"""Groups of ops, whose import rules are those of `tfmodel.kernels`. All list their modules."""


def docstring(package: str) -> str:
    return ast.get_docstring(ast.parse(PACKAGES[package].read_text(encoding="utf-8"))) or ""


def listed(package: str) -> set[str]:
    """Return the modules in the lines of a docstring that begin with file names, each once."""
    lines = re.findall(r"^ {4}((?:[a-z_0-9]+\.py,? *)+) ", docstring(package), re.MULTILINE)
    names = [name for line in lines for name in re.findall(r"[a-z_0-9]+\.py", line)]
    assert len(names) == len(set(names)), "a module is listed twice"
    return set(names)


@pytest.mark.parametrize("package", sorted(LISTING | WHOLE_GROUPS))
def test_a_package_lists_its_modules(package: str) -> None:
    modules = {path.name for path in PACKAGES[package].parent.glob("*.py")} - {"__init__.py"}
    assert listed(package) == modules


@pytest.mark.parametrize("package", sorted(PACKAGES.keys() - LISTING - WHOLE_GROUPS))
def test_a_package_lists_no_module_that_is_gone(package: str) -> None:
    if package == "tfmodel.ops":  # shows the names of modules in a group
        return
    assert listed(package) <= {path.name for path in PACKAGES[package].parent.glob("*.py")}


@pytest.mark.parametrize("package", sorted(PACKAGES.keys() - WHOLE_GROUPS - {"pbwire", "tfmodel"}))
def test_a_package_says_what_it_imports_and_who_calls_it(package: str) -> None:
    text = docstring(package)
    assert re.search(r"\bimports?\b", text, re.IGNORECASE), "say what the package may import"
    assert re.search(r"\b(calls?|called|uses?|used|imports? it)\b", text), "say who calls it"
