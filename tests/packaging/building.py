"""Builds distributions of a copy of these sources, and makes environments to install them in.

    sources = copy_sources(tmp_path / "sources")
    wheel = build("wheel", sources, tmp_path, setuptools)
    place = Environment.make(tmp_path / "venv")
    place.install(wheel)
    place.python("import tfmodel")

`pip` and the build backend run in separate processes, with the interpreter that runs the tests. The environments have
no pip of their own, since installing it would take longer than everything else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

__all__ = ["CACHES", "ROOT", "Environment", "build", "copy_sources", "find_setuptools", "pip", "write_stub"]

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    ".ci",
    ".gitattributes",
    ".github",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "DESIGN.md",
    "LICENSE",
    "MANIFEST.in",
    "README.md",
    "SECURITY.md",
    "docs",
    "examples",
    "fuzz",
    "pbwire",
    "pyproject.toml",
    "schema",
    "setup.py",
    "tests",
    "tfmodel",
]
CACHES = shutil.ignore_patterns("__pycache__", "tfmodel.egg-info")

OLDEST_SETUPTOOLS = 77  # the first with license expressions; pyproject.toml requires it too

CALL_BACKEND = """
import sys
from setuptools import build_meta
print(getattr(build_meta, "build_" + sys.argv[1])(sys.argv[2]))
"""

STUB_PROJECT = """
[project]
name = "schema"
version = "0"

[tool.setuptools]
py-modules = ["schema"]
"""

STUB = """\
class Schema:
    def __init__(self, kind):
        self.kind = kind

    def validate(self, value):
        if not isinstance(value, self.kind):
            raise TypeError(value)
        return value
"""


def copy_sources(target: Path, *, tests: bool = True) -> Path:
    """Copy the repository like a checkout, with links; with tests only if `tests` is true."""
    target.mkdir(parents=True)
    for name in SOURCES:
        if name == "tests" and not tests:
            continue
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, symlinks=True, ignore=CACHES)
        else:
            shutil.copy2(ROOT / name, target / name)
    link = target / "tfmodel" / "_schema"
    if not link.is_dir():  # the sources are an unpacked sdist
        link.unlink(missing_ok=True)
        link.symlink_to("../schema", target_is_directory=True)
    return target


def pip(*arguments: str, path: Path | None = None) -> None:
    """Run pip, with the folder `path` on the import path of builds. Raises CalledProcessError."""
    run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments], path)


def run(command: list[str], path: Path | None = None, cwd: Path | None = None, *, keep_bytecode: bool = False) -> str:
    """Return the output of a command. SOURCE_DATE_EPOCH is set, so that builds do not depend on the time.

    `keep_bytecode` keeps the bytecode of modules that many tests import.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {"SOURCE_DATE_EPOCH": "1700000000", "PYTHONDONTWRITEBYTECODE": "" if keep_bytecode else "1"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd, timeout=300, check=False)
    if done.returncode:
        error = subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
        error.add_note(done.stderr)
        raise error
    return done.stdout


def find_setuptools(scratch: Path) -> Path:
    """Return a folder with a setuptools that supports pyproject.toml, for PYTHONPATH during builds.

    Download it if necessary; skip the test if that fails.
    """
    try:
        installed = distribution("setuptools")
        if int(installed.version.partition(".")[0]) >= OLDEST_SETUPTOOLS:
            return _setuptools_alone(Path(str(installed.locate_file(""))), scratch)
    except PackageNotFoundError:
        pass
    try:
        pip("install", "--target", str(scratch), "--retries=0", f"setuptools>={OLDEST_SETUPTOOLS}")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"setuptools {OLDEST_SETUPTOOLS} or newer is not installed and has no download: {error.stderr}")
    return scratch


def _setuptools_alone(folder: Path, scratch: Path) -> Path:
    """Copy setuptools alone, because builds must not see the other installed packages."""
    for source in (folder / "setuptools", folder / "_distutils_hack", *folder.glob("setuptools-*-info")):
        shutil.copytree(source, scratch / source.name, ignore=CACHES)
    return scratch


def build(what: str, sources: Path, target: Path, setuptools: Path) -> Path:
    """Build a "wheel" or an "sdist" into the folder `target`."""
    target.mkdir(exist_ok=True)
    printed = run([sys.executable, "-c", CALL_BACKEND, what, str(target)], setuptools, sources)
    return target / printed.splitlines()[-1]


def write_stub(folder: Path, setuptools: Path) -> Path:
    """Build a wheel of a distribution called `schema`, whose top-level module has the name of the folder of tables."""
    folder.mkdir()
    (folder / "schema.py").write_text(STUB)
    (folder / "pyproject.toml").write_text(STUB_PROJECT)
    return build("wheel", folder, folder, setuptools)


@dataclass(frozen=True)
class Environment:
    """A virtual environment without numpy, so that its use is noticed; `numpy=True` adds that of the tests."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> Environment:
        """Create an empty environment."""
        try:
            run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no virtual environment can be made here: {error.stderr}")
        return cls(folder)

    @property
    def interpreter(self) -> Path:
        return self.script("python")

    def script(self, name: str) -> Path:
        """Return the path of an installed command."""
        windows = sys.platform == "win32"
        return self.folder / ("Scripts" if windows else "bin") / (f"{name}.exe" if windows else name)

    def install(self, *what: Path | str, setuptools: Path | None = None) -> None:
        """Install distributions without their dependencies; source folders need `setuptools`."""
        isolation = ["--no-build-isolation"] if setuptools else []
        options = ["--no-deps", "--no-compile", *isolation]
        pip("--python", str(self.interpreter), "install", *options, *map(str, what), path=setuptools)

    def python(self, *arguments: str, numpy: bool = False) -> str:
        """Return the output of the interpreter with these arguments, run in an empty folder."""
        return self.run(str(self.interpreter), *arguments, numpy=numpy)

    def run(self, *command: str, numpy: bool = False) -> str:
        """Return the output of a command, run in an empty folder."""
        empty = self.folder / "empty"
        empty.mkdir(exist_ok=True)
        return run(list(command), _numpy() if numpy else None, empty, keep_bytecode=True)


def _numpy() -> Path:
    import numpy

    return Path(numpy.__file__).parents[1]
