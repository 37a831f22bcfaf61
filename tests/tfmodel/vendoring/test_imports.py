"""Imports become relative, and absolute again; nothing else in a source changes."""

from __future__ import annotations

import ast

import pytest

from tfmodel.vendoring.own_files import NAMES, absolute, own_files, relative

OURS = {*NAMES, "schema"}
SOURCES = {path: data for path, data in own_files().items() if path.endswith(".py")}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("tfmodel/files/files.py", "from pbwire import json", "from ...pbwire import json"),
        ("tfmodel/cli/dump.py", "from pbwire.errors import Error, x", "from ...pbwire.errors import Error, x"),
        ("tfmodel/cli/dump.py", "from  pbwire.wire import (\n  read,\n)", "from  ...pbwire.wire import (\n  read,\n)"),
        ("tfmodel/_schema/graph.py", "from pbwire import table as pb", "from ...pbwire import table as pb"),
        ("__init__.py", "from pbwire import raw", "from .pbwire import raw"),
        ("tfmodel/x.py", "import pbwire", "from .. import pbwire"),
        ("tfmodel/x.py", "import pbwire as p", "from .. import pbwire as p"),
        ("tfmodel/x.py", "if a: import pbwire; import tfmodel", "if a: from .. import pbwire; from .. import tfmodel"),
        ("tfmodel/x.py", "def f():\n    from tfmodel import load\n", "def f():\n    from ..tfmodel import load\n"),
        ("tfmodel/x.py", "if TYPE_CHECKING:\n\tfrom pbwire import x", "if TYPE_CHECKING:\n\tfrom ..pbwire import x"),
        ("tfmodel/x.py", "é = 'ü'; from pbwire import x", "é = 'ü'; from ..pbwire import x"),
        (
            "tfmodel/x.py",
            "try:\r\n  from pbwire import x\r\nexcept OSError:\r\n  pass\r\n",
            "try:\r\n  from ..pbwire import x\r\nexcept OSError:\r\n  pass\r\n",
        ),
    ],
)
def test_an_import_of_ours_becomes_relative_and_absolute_again(path, before, after):
    assert relative(path, before.encode()).decode() == after
    assert absolute(path, after.encode()).decode() == before
    assert relative(path, after.encode()).decode() == after


@pytest.mark.parametrize(
    "source",
    [
        '"""\nfrom pbwire import raw\n"""\n',
        "x = 'import pbwire'  # import pbwire\n",
        "from .pbwire import x\nfrom . import pbwire\n",
        "from pbwirex import x\nimport pbwire_x, os\n",
        "import os.path, numpy as pbwire\n",
        "from schema import And  # of PyPI, not our package\n",
    ],
)
def test_other_source_is_unchanged(source):
    assert relative("tfmodel/x.py", source.encode()).decode() == source
    assert absolute("tfmodel/x.py", source.encode()).decode() == source


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import pbwire.text", "tfmodel/x.py:1: write this as `from package import module`"),
        ("\nimport os, pbwire", "tfmodel/x.py:2: write this as"),
        ("from \\\n  pbwire import x", "tfmodel/x.py:1: write this import on one line"),
    ],
)
def test_imports_without_a_relative_form_are_refused(source, words):
    with pytest.raises(ValueError, match=words):
        relative("tfmodel/x.py", source.encode())


@pytest.mark.slow(reason="rewrites every module of the packages")
def test_all_our_sources_can_be_rewritten_and_back():
    rewritten = 0
    for path, source in SOURCES.items():
        copied = relative(path, source)
        rewritten += copied != source
        for node in ast.walk(ast.parse(copied)):
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            level = node.level if isinstance(node, ast.ImportFrom) else 0
            assert level or not {name.partition(".")[0] for name in names} & OURS, path
            assert level <= path.count("/") + 1, f"{path}:{node.lineno} climbs out of the copy"
        assert absolute(path, copied) == source, path
    assert rewritten > 100


@pytest.mark.slow(reason="rewrites every module of the packages")
def test_our_sources_import_by_relative_strings_only():
    """Absolute strings would have to be rewritten too, unlike `import_module(".name", __package__)`."""
    for path, source in SOURCES.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
                name = node.args[0]
                assert not (isinstance(name, ast.Constant) and str(name.value).partition(".")[0] in OURS), path
