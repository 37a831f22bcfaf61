"""Docstrings, comments, READMEs and names of tests are in the plain English of the field.

PHRASES lists words and turns that make a reader stop, with what to write instead. `texts` are all docstrings, comments,
names of tests, lines of READMEs and of scripts, and strings, such as error messages. Strings of tests are not checked:
many of them are input.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

FOLDERS = ("pbwire", "tfmodel", "schema", "fuzz", "tests")
PHRASES = {
    r"\b(nobody|somebody|whoever)\b": "say which caller, user or node is meant, or use the passive",
    r"^(test )?what (?!.*\?)": "begin with the subject",
    r"^What (?!.*\?)": "begin with a noun or a verb",
    r"\b(is|are|was) told\b(?! apart)": "is reported, printed or named",
    r"\bgoes without saying\b": "default: ...",
    r"\b(fault|mistake|bug|error)s? of ours\b": "a bug in tfmodel",
    r"\ball else\b": "everything else",
    r"\bhands? on (what|the|its|their)\b": "passes on",
    r"\b(that there (is|are) not|(is|are) not there)\b": "missing, or: does not exist",
    r"\b[Mm]ind that\b": "Note: ...",
    r"(?<!here )(?<!here still )\b(is|are) no (?!longer|more\b|less\b|larger|smaller|matter|point)": "is not a ...",
    r"(?<!here )(?<!here can be )\b(is|are) none\b(?! of)(?! nearby)": "does not exist, or: does not count",
}
"""Patterns, with what to write instead."""

COMMENT = re.compile(r"(?:^|\s)# .*")  # finds some text in strings too; tokenizing takes twice as long


@cache
def texts() -> list[tuple[str, str]]:
    """Return all prose with its place, such as "tfmodel/values/names.py:3"."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    lines = [path for folder in FOLDERS for kind in ("md", "js") for path in sorted((ROOT / folder).rglob(f"*.{kind}"))]
    return [
        (f"{path.relative_to(ROOT).as_posix()}:{line}", text)
        for path in (*paths, ROOT / "README.md", *lines)
        if path != Path(__file__)
        for line, text in (_prose(path) if path.suffix == ".py" else _lines(path))
    ]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    yield from enumerate(path.read_text(encoding="utf-8").splitlines(), 1)


def _prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments, strings and names of tests of a module, by line. A phrase may go over two lines."""
    source = path.read_text(encoding="utf-8")
    for line, text in enumerate(source.splitlines(), 1):
        if "#" in text and (comment := COMMENT.search(text)):
            yield line, comment[0]
    tree = ast.parse(source)
    is_test = "tests" in path.relative_to(ROOT).parts
    for node in _definitions(tree) if is_test else ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.lineno, node.name.replace("_", " ")
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            yield node.lineno, " ".join(_text(node).split())


def _definitions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the functions and classes of a module and their docstrings, without other code: the tests have much."""
    yield node
    for statement in getattr(node, "body", ()):
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield from _definitions(statement)
        elif isinstance(statement, ast.Expr):
            yield statement.value


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the text of a string; {} stands for the values in it."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


def matches(phrase: str) -> dict[str, str]:
    """Return the matches of a phrase by their places."""
    return {place: match[0] for place, text in texts() if (match := re.search(phrase, text))}


@pytest.mark.parametrize("phrase", PHRASES)
def test_prose_is_plain(phrase: str) -> None:
    found = [f"{place}: {text!r}" for place, text in matches(phrase).items()]
    assert not found, f"write instead: {PHRASES[phrase]}\n" + "\n".join(found)
