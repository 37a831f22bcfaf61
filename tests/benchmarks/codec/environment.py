"""Install the libraries: a virtual environment with protoc and plugins, and for each library a folder of packages.

A library's process sees only its own folder, so that versions of shared dependencies, and extensions that a library
uses when it finds them, are its own.
"""

from __future__ import annotations

import os
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LIBRARIES", "ROOT", "Environment", "Failure", "Library", "run"]

ROOT = Path(__file__).resolve().parents[3]
TOOLS = ("grpcio-tools==1.85.1",)


class Failure(Exception):
    """A command failed: its last words in one line."""


@dataclass(frozen=True)
class Library:
    """One row of the tables.

    `kind` selects its functions in libraries.py. `requirements` are what pip installs, dependencies included;
    `compiler` is what generates its code.
    """

    name: str
    kind: str
    requirements: tuple[str, ...] = ()
    compiler: str = ""
    variables: tuple[tuple[str, str], ...] = ()


_BACKEND = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"
_PROTOBUF = ("protobuf==7.36.2",)

LIBRARIES = (
    Library("pbwire", "pbwire"),
    Library("pbwire, lazy", "lazy"),
    Library("protobuf, upb", "protobuf", _PROTOBUF, variables=((_BACKEND, "upb"),)),
    Library("protobuf, Python", "protobuf", _PROTOBUF, variables=((_BACKEND, "python"),)),
    Library("protobuf-py, Rust", "protobuf_py", ("protobuf-py==0.7.0",), "protoc-gen-py==0.7.0"),
    Library("betterproto2", "betterproto2", ("betterproto2==0.10.0",), "betterproto2_compiler==0.10.1"),
)


def run(command: list[str], **variables: str) -> str:
    """Run a command in the root of the repository and return its output. Raises Failure."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ | variables)
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:] or ["no output"]
        raise Failure(f"{errors[-1].strip()[:200]}")
    return done.stdout


class Environment:
    """The folder in which everything is installed and generated. Existing installations are used again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.tools = self.folder / "tools" / "bin"
        self.python = self.folder / "runtime" / "bin" / "python"
        if not self.python.exists():
            venv.create(self.folder / "runtime", with_pip=False, symlinks=True)

    def add_tool(self, requirement: str) -> None:
        """Install protoc or a plugin of it. Raises Failure."""
        mark = self.folder / "tools" / f"{requirement}.installed"
        if requirement and not mark.exists():
            self._pip(requirement)
            mark.touch()

    def packages(self, library: Library) -> Path:
        """Install a library with its dependencies and return the folder. Raises Failure."""
        if not library.requirements:
            return ROOT
        folder = self.folder / "packages" / "+".join(library.requirements)
        if not folder.exists():
            self._pip("--no-compile", "--target", str(folder), *library.requirements)
        return folder

    def _pip(self, *arguments: str) -> None:
        if not (self.tools / "pip").exists():
            venv.create(self.folder / "tools", with_pip=True, symlinks=True)
        pip = [str(self.tools / "pip"), "--disable-pip-version-check", "install", "--quiet"]
        run([*pip, "--only-binary", ":all:", *arguments])
