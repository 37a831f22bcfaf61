"""Run commands in child processes that end as Python does, and print the exit status of each: a program.

    python -m tests.tfmodel.cli.exits [--without-h5py] < COMMANDS

COMMANDS is a JSON list of lists of arguments. This process imports what commands use, and each command runs in a fork
of it, which takes 50 ms in place of 300. The output is a JSON list with a status and the standard error of each; the
status of a process that a signal ended is negative.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
import tempfile
import time
from typing import BinaryIO

from tfmodel.cli import COMMANDS
from tfmodel.cli import main as main_of_commands

SECONDS = 60.0

_MODULES = [f"tfmodel.cli{module}" for module, _ in COMMANDS.values()]


def main() -> int:
    if "--without-h5py" in sys.argv:
        sys.modules["h5py"] = None  # type: ignore[assignment]  # importing it fails
    with contextlib.suppress(ImportError):
        importlib.import_module("h5py")
    for module in ("tfmodel.model", "tfmodel.transforms.framework.pipeline", *_MODULES):
        importlib.import_module(module)
    gc.freeze()  # at its end, a child need not visit what all have in common: 40 ms in place of 160
    commands = json.load(sys.stdin)
    answers = []
    for arguments in commands:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if not child:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                sys.argv[1:] = arguments
                return main_of_commands()
            answers.append((_wait(child), _content(err)))  # type: ignore[arg-type]  # TemporaryFile is opened as binary
    print(json.dumps(answers))
    return 0


def _wait(child: int) -> int:
    """Return the exit status of a process, as `subprocess` counts; a process that runs too long is killed."""
    end = time.monotonic() + SECONDS
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, 9)
        time.sleep(0.002)


def _content(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
