"""Small inputs from the field, if available: the folder `../shared/cases` relative to the repository root.

`TFMODEL_CASES` names another folder. Its README says for each case which command is run and what is right.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

__all__ = ["cases", "needs_cases", "run_module"]

ROOT = Path(__file__).resolve().parents[2]


def _find() -> Path | None:
    named = os.environ.get("TFMODEL_CASES")
    folder = Path(named) if named else ROOT.parent / "shared" / "cases"
    if named and not folder.is_dir():
        raise NotADirectoryError(f"TFMODEL_CASES is {named!r}, which is not a folder")
    return folder if folder.is_dir() else None


_found = _find()

cases = _found or Path("no-cases")
"""The folder of the cases. Tests that read it have the mark `needs_cases`."""

needs_cases = pytest.mark.skipif(_found is None, reason="no cases: set TFMODEL_CASES to the folder of cases")


def run_module(
    *words: object, cwd: Path | None = None, timeout: float = 120, memory: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `python -m WORDS` of this checkout in a child process; `memory` limits its address space in bytes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", *map(str, words)]
    if memory is not None:  # not a preexec_fn, since Python 3.12 warns of forks in a process with threads
        command = ["sh", "-c", f'ulimit -v {memory // 1024}; exec "$@"', "sh", *command]
    return subprocess.run(command, cwd=cwd, env=environment, timeout=timeout, capture_output=True, text=True)
