"""An older Python reports in one line that it is too old, however tfmodel or pbwire is started."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tfmodel.vendoring import zipapp

ROOT = Path(__file__).parents[2]
ENTRIES = ["tfmodel/__init__.py", "tfmodel/__main__.py", "pbwire/__init__.py"]
"""The files of the project that Python compiles first. A .pyz begins with a copy of __main__.py."""

VERSIONS = ["2.7", *(f"3.{minor}" for minor in range(6, 11))]

IN_PYTHON_2 = {
    "Add",
    "And",
    "Assign",
    "Attribute",
    "BinOp",
    "BitOr",
    "BoolOp",
    "Call",
    "Compare",
    "Constant",
    "Dict",
    "DictComp",
    "Eq",
    "Expr",
    "FunctionDef",
    "If",
    "IfExp",
    "Import",
    "ImportFrom",
    "In",
    "List",
    "Load",
    "Lt",
    "Mod",
    "Module",
    "Name",
    "Not",
    "NotIn",
    "Raise",
    "Return",
    "SetComp",
    "Slice",
    "Store",
    "Subscript",
    "Tuple",
    "UnaryOp",
    "alias",
    "arg",
    "arguments",
    "comprehension",
}
"""The kinds of syntax nodes that these files may have: Python 2.7 has each of them."""


def newer_syntax(source: str) -> list[str]:
    """Return the syntax of a source that Python 2.7 cannot compile, as "line: syntax". May miss some."""
    problems = [] if source.isascii() else ["1: not ASCII, and no encoding is declared"]
    for node in ast.walk(ast.parse(source)):
        line, kind = getattr(node, "lineno", 0), type(node).__name__
        if kind not in IN_PYTHON_2:
            problems.append(f"{line}: {kind}")
        if isinstance(node, ast.FunctionDef):
            of = node.args
            if node.returns or of.kwonlyargs or of.posonlyargs or any(arg.annotation for arg in of.args):
                problems.append(f"{line}: annotations, or parameters by keyword or position only")
        if isinstance(node, ast.Dict) and None in node.keys:
            problems.append(f"{line}: a dict in a dict display")
        if isinstance(node, ast.Raise) and node.cause:
            problems.append(f"{line}: raise from")
        if isinstance(node, ast.Call) and any(isinstance(a, ast.Starred) for a in node.args[:-1]):
            problems.append(f"{line}: *arguments before others")
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            problems.append(f"{line}: from __future__, which no older Python knows all of")
    return problems


@pytest.mark.parametrize("path", ENTRIES)
def test_the_first_files_have_the_syntax_of_any_python(path):
    source = (ROOT / path).read_text(encoding="utf-8")
    assert newer_syntax(source.replace(".format(*sys.version_info)", ".format(sys.version_info)")) == []


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations",
        "def f() -> int: pass",
        "def f(x: int): pass",
        "def f(*, x): pass",
        "x: int",
        'f"{x}"',
        "'é'",
        "[*x, 1]",
        "{**x}",
        "(x := 1)",
        "async def f(): pass",
        "nonlocal x",
        "raise X from Y",
        "f(*a, b)",
        "match x:\n    case 1: pass",
    ],
)
def test_newer_syntax_is_recognised(source):
    assert newer_syntax(source)


@pytest.mark.parametrize("path", ENTRIES)
def test_the_check_comes_before_anything_else_is_imported(path):
    """A module imported before the check could be missing in an older Python, or fail to compile."""
    for statement in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.If):
            assert ast.unparse(statement.test) == "sys.version_info < (3, 11)"
            break
        assert isinstance(statement, ast.Expr) or ast.unparse(statement) == "import sys"
    else:
        raise AssertionError("the check is missing")


@cache
def older_python(version: str) -> str | None:
    """Return the path of a working Python of that version, from PATH or pyenv, or None."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    found = pyenv.glob(f"{version}.*/bin/python") if os.access(pyenv, os.R_OK) else ()  # it may be another user's
    places = [shutil.which(f"python{version}"), *sorted(map(str, found))]
    for place in filter(None, places):
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        try:
            done = subprocess.run([place, "-c", code], capture_output=True, text=True, timeout=60, check=False)
        except OSError:
            continue
        if done.stdout.strip() == version:
            return place
    return None


def run(python: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([python, "-B", *words], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_older_python_reports_the_version_that_is_needed(tmp_path, version):
    python = older_python(version)
    if python is None:
        pytest.skip(f"Python {version} is not installed")
    zipapp(str(tmp_path / "tfmodel.pyz"))
    tells = f"needs Python 3.11 or newer, and this is {version}"
    commands = {
        "-m tfmodel --version": "tfmodel",
        "-m tfmodel.cli": "tfmodel",
        "-m pbwire": "pbwire",
        "-m pbwire.raw": "pbwire",
        "PYZ --version": "tfmodel",
    }
    for command, package in commands.items():
        words = [str(tmp_path / "tfmodel.pyz") if word == "PYZ" else word for word in command.split()]
        done = run(python, *words)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{package} {tells}\n"), command
    for module in ["tfmodel", "tfmodel.messages", "pbwire", "pbwire.table"]:
        code = f"try:\n    import {module}\nexcept ImportError as error:\n    print(error)"
        done = run(python, "-c", code)
        assert (done.returncode, done.stderr) == (0, ""), module
        assert done.stdout == f"{module.partition('.')[0]} {tells}\n"
