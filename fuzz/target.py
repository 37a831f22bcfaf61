"""Targets of fuzzing: a reader, the source of its inputs, and its budgets.

    def check(files: Files, case: Case) -> object:
        graph = GraphDef.from_bytes(files["graph.pb"])               # may raise pbwire.Error: refused
        assert GraphDef.from_bytes(graph.to_bytes()) == graph        # else accepted, and it must round-trip
        return graph

    TARGETS = (Target("graph", "GraphDefs in wire format", seeds, strategy, check),)

Every module of `fuzz.targets` with TARGETS is discovered. The contract of `check` is that of every reader: it returns,
or raises `pbwire.Error` (the base of all errors of the project) or one of the target's own `refusals`. Any other
exception, usually an AssertionError, is a finding, and so is an input that exceeds the target's budgets.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

    from hypothesis.strategies import SearchStrategy

    Source = SearchStrategy["Files"] | Callable[[random.Random], "Files"]

__all__ = ["KINDS", "Case", "Files", "Target", "find_target", "find_targets", "is_inside"]

MEGABYTE = 1 << 20

Files = dict[str, bytes]
"""An input: the content of files by their relative paths, with slashes. A reader of one file has one entry.

The path of a special file ends with one of `KINDS`: `model.index@link` is a link called `model.index`, and its content
is the target of the link."""

KINDS = ("@folder", "@link", "@pipe")
"""Suffixes of special files."""


class Case:
    """One run of an input: its folder, and the additional memory that the caller requested."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.allowed = 0

    def write(self, files: Files) -> Path:
        """Write the files into the folder and return it. Names that lead out of it are skipped."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            if is_inside(name):
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                _put(path, content)
        return self.folder

    def allow(self, size: int) -> None:
        """Allow `size` more bytes of memory, and the time to fill them, because the caller requested them.

        For example, the array of a tensor with a declared shape is larger than its file.
        """
        self.allowed += max(0, size)


@dataclass(frozen=True)
class Target:
    """A reader, its inputs and its budgets.

    An input of `n` bytes, for which `a` more bytes were allowed, may take `seconds + seconds_per_byte * (n + a)` of
    processor time and `memory_base + memory * n + a` bytes of memory at its peak.
    """

    name: str
    line: str
    """The description of the input, for --list."""
    seeds: Callable[[], Iterator[Files]]
    """Real inputs, the start of mutations, in a fixed order. Small ones are best: 100 kB at most."""
    strategy: Callable[[], Source]
    """A source of valid inputs, made from tables: a hypothesis strategy, whose examples depend on the version of
    hypothesis, or a function of a `random.Random`, whose inputs are the same everywhere."""
    check: Callable[[Files, Case], object]
    """Reads the input, and asserts its round trips if it is accepted."""
    seconds: float = 0.5
    seconds_per_byte: float = 20e-6
    memory: float = 200
    memory_base: int = 16 * MEGABYTE
    refusals: tuple[type[Exception], ...] = ()
    """Documented errors of the reader in addition to pbwire.Error, such as OSError for missing files."""
    compare: Callable[[Files], str | None] | None = None
    """For the differential mode: asserts that protobuf agrees. Returns "" if it does, else the documented reason;
    None if a comparison is not possible."""

    def time_for(self, size: int, allowed: int = 0) -> float:
        """Return the seconds of processor time allowed for an input of that size."""
        return self.seconds + self.seconds_per_byte * (size + allowed)

    def memory_for(self, size: int, allowed: int = 0) -> int:
        """Return the peak bytes of memory allowed for an input of that size."""
        return int(self.memory_base + self.memory * size + allowed)


@cache
def find_targets() -> dict[str, Target]:
    """Return all targets by name, in the order of the modules' names."""
    from fuzz import targets

    targets_by_name: dict[str, Target] = {}
    for module in sorted(module.name for module in pkgutil.iter_modules(targets.__path__)):
        for target in getattr(importlib.import_module(f"fuzz.targets.{module}"), "TARGETS", ()):
            if target.name in targets_by_name:
                raise ValueError(f"two targets are called {target.name!r}")
            targets_by_name[target.name] = target
    return targets_by_name


def find_target(name: str) -> Target:
    """Return a target by its name, or, outside of `fuzz.targets`, by module and name: `tests.fuzz.planted:hang`."""
    module, colon, own = name.rpartition(":")
    if not colon:
        return find_targets()[name]
    targets: tuple[Target, ...] = importlib.import_module(module).TARGETS
    return next(target for target in targets if target.name == own)


def _put(path: Path, content: bytes) -> None:
    """Create a file, or the special file in its place, unless the path exists or the system lacks such files."""
    plain, _, kind = path.name.rpartition("@")
    if f"@{kind}" not in KINDS or not plain:
        path.write_bytes(content)
        return
    path = path.with_name(plain)
    with contextlib.suppress(OSError, ValueError, AttributeError):
        match kind:
            case "folder":
                path.mkdir()
            case "link":
                path.symlink_to(os.path.basename(os.fsdecode(content)) or ".")  # links must not lead out of the folder
            case "pipe":
                os.mkfifo(path)


def is_inside(name: str) -> bool:
    """Return whether a name is a file name that stays inside its folder."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not name.startswith("/") and ".." not in parts and "\0" not in name
