"""Regexes mean the same in every Python from 3.11.2 on.

Before Python 3.11.5, a possessive loop over a group, such as `(?:a|b\\d+)*+`, also consumes what its last, failed turn
had matched: "aab" entirely. An alternative that fails at once, `|(?!)` at the end of the group, restores the position.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.source import ROOT

PLACEHOLDER = "\0"
_OUTSIDE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)  # escaped characters, and sets
_LOOP = re.compile(rf"(.{{0,5}})([){PLACEHOLDER}])(?:[*+?]|\{{[\d,{PLACEHOLDER}]+\}})\+", re.DOTALL)
RESTORED = "|(?!)"


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string; values inside f-strings are placeholders."""
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else PLACEHOLDER for part in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in inside and isinstance(node.value, str | bytes):
            yield node.lineno, node.value if isinstance(node.value, str) else node.value.decode("latin-1")


def _wrong_loops(text: str) -> list[str]:
    bare = _OUTSIDE.sub("x", text)
    return [match[0] for match in _LOOP.finditer(bare) if match[2] == PLACEHOLDER or match[1] != RESTORED]


@pytest.mark.parametrize("package", ["pbwire", "tfmodel", "schema", "fuzz"])
def test_a_possessive_loop_restores_the_position(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {loop!r}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, text in _strings(ast.parse(path.read_text()))
        for loop in _wrong_loops(text)
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("regex", "count"),
    [
        (r"(?:a|b\d+)*+", 1),
        (r"(?:a|b\d+|(?!))*+", 0),
        (r"((?:a|b)++)(?:c)?+", 2),
        (rf"(?:a){{1,{PLACEHOLDER}}}+", 1),
        (f"{PLACEHOLDER}*+", 1),
        (r"[a-z]*+\)*+[()*+]++(?:ab)+", 0),
    ],
)
def test_the_loops_of_a_regex_are_found(regex: str, count: int) -> None:
    assert len(_wrong_loops(regex)) == count


@pytest.mark.parametrize(
    ("regex", "text", "end"),
    [(r"(?:a|b\d+|(?!))*+", "aab", 2), (r"(?:ab?c|(?!))?+", "ab", 0), (r"(?:a(?=b)|c(?=d)|(?!))++", "abc", 1)],
)
def test_a_failed_turn_consumes_nothing(regex: str, text: str, end: int) -> None:
    match = re.match(regex, text)
    assert (match.end() if match else 0) == end
