"""No code searches the messages of errors, notes and faults for text: what it needs to know of them is data."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source import modules

SEARCHES = {
    "count",
    "endswith",
    "find",
    "index",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rpartition",
    "startswith",
}
"""Methods of strings."""
PATTERNS = {"findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"}
"""Methods of regular expressions."""
MESSAGES = {"error", "fault", "finding", "note", "problem", "warning"}
"""Names of values that are, or have, messages; so have the exceptions that a handler names."""
TEXTS = {"message", "problem", "reason"}
"""Their attributes with text."""

ALLOWED = {
    ("tfmodel.editing.reduction.checks", "_QUOTED.sub('_', str(error))"): (
        "two errors of any kind are the same if only names and numbers differ, which change when a model is reduced"
    ),
    ("tfmodel.graph.error_text", "describe(node) in problem"): (
        "whether an error names its node shows nowhere else: functions that are given a node name it in a sentence"
    ),
}
"""Searches of messages by module and source, with the reason."""


def test_no_code_searches_messages() -> None:
    found = {
        (name, ast.unparse(node))
        for name, path in modules("pbwire", "tfmodel").items()
        for node in searches(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(ALLOWED)


@pytest.mark.parametrize("source", [
    "try: f()\nexcept E as error: g(str(error).replace('a', 'b'))",
    "try: f()\nexcept E as error: g('a' in str(error))",
    "try: f()\nexcept E as error: g(str(error).startswith(f'{name}: '))",
    "try: f()\nexcept E as error: g(error.message.removeprefix('a'))",
    "try: f()\nexcept E as error: g(f'{a}: {error}'.replace(name, ''))",
    "try: f()\nexcept E as error: g(re.sub('a', 'b', str(error)))",
    "try: f()\nexcept E as error: g(PATTERN.fullmatch(str(error)))",
    "[fault for fault in faults if TEXT in fault.message]",
    "g(note.replace(a, b) for note in notes)",
    "problem if problem.startswith(node) else node + problem",
])  # fmt: skip
def test_a_search_is_found(source: str) -> None:
    assert len(list(searches(ast.parse(source)))) == 1


@pytest.mark.parametrize("source", [
    "try: f()\nexcept E as error: g(str(error), error.subject == name)",
    "try: f()\nexcept E as error: g(name in error.names)",
    "text.replace('a', 'b')",
    "[fault for fault in faults if fault.kind in KINDS]",
])  # fmt: skip
def test_other_code_is_not(source: str) -> None:
    assert list(searches(ast.parse(source))) == []


def searches(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the calls and comparisons that search a message for text."""
    yield from _searches(tree, frozenset())


def _searches(node: ast.AST, errors: frozenset[str]) -> Iterator[ast.AST]:
    if isinstance(node, ast.ExceptHandler) and node.name:
        errors |= {node.name}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        searched = [node.func.value] if node.func.attr in SEARCHES else []
        searched += node.args if node.func.attr in PATTERNS else []
        if any(_is_message(part, errors) for part in searched):
            yield node
    is_search = isinstance(node, ast.Compare) and any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops)
    if is_search and any(_is_message(part, errors) for part in node.comparators):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _searches(child, errors)


def _is_message(node: ast.expr, errors: frozenset[str]) -> bool:
    """Return whether an expression is the text of an error, or of a value that is named like one with a message."""
    match node:
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]):
            return name in errors
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return (name in errors or name in MESSAGES) and attribute in TEXTS
        case ast.JoinedStr(values=values):
            return any(
                isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) and part.value.id in errors
                for part in values
            )
        case ast.Name(id=name):
            return name in MESSAGES
    return False
