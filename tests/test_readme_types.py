"""The Python of all READMEs and examples is correct for strict type checkers."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from tests.readme import BLOCK, ROOT, pages
from tfmodel import messages

pytestmark = [
    pytest.mark.slow(reason="runs type checkers"),
    pytest.mark.skipif(
        not Path(messages.__file__).with_name("_schema").is_dir(),
        reason="without the link to schema/ type checkers see no tables",
    ),
]


def snippets(page: str) -> str:
    """Return the Python of a page: the examples of its pycon blocks, which share their names."""
    bodies = [block["body"] for block in BLOCK.finditer(page) if block["kind"] == "pycon"]
    parser = doctest.DocTestParser()
    return "".join(example.source for body in bodies for example in parser.get_examples(body))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a module for each page that has Python, and the examples."""
    target = tmp_path_factory.mktemp("snippets")
    for page in pages():
        if source := snippets(page.read_text()):
            name = str(page.relative_to(ROOT).with_suffix("")).replace("/", "_").replace("-", "_").lower()
            (target / f"{name}.py").write_text(source)
    for example in (ROOT / "examples").glob("*.py"):
        (target / f"examples_{example.name}").write_text(example.read_text())
    return target


def test_there_are_snippets(folder):
    assert {"tfmodel_readme.py", "pbwire_readme.py", "examples_list_weights.py"} <= {
        path.name for path in folder.iterdir()
    }


def test_mypy_accepts_all_snippets(folder):
    pytest.importorskip("mypy.api", reason="mypy is not installed")
    options = ["--strict", "--config-file=", "--no-pretty", "--follow-imports=silent", "--ignore-missing-imports"]
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "tests")]
    done = checked([sys.executable, "-m", "mypy", *options, *cache, *modules(folder)], folder)
    assert done.stdout.startswith("Success"), done.stdout


def test_pyright_accepts_all_snippets(folder):
    pyright = which("basedpyright") or which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT)], "reportMissingImports": False}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = checked([pyright, "--level", "error", "--pythonpath", sys.executable], folder)
    assert done.stdout.rstrip().splitlines()[-1].startswith("0 errors"), done.stdout


def modules(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.py"))


def checked(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"MYPYPATH": str(ROOT), "PATH": str(Path(sys.executable).parent), "HOME": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
