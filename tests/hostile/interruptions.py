"""Stop writers at each step that touches the disk, one run for each step, and report the state of the files.

    with Moments(folder) as moments:
        for outcome in moments("freeze", "kill"):
            outcome.step          # "half of write 3"
            outcome.state         # the files of the folder afterwards: hashes by path
            outcome.left          # names of temporaries

A server process imports everything once, forks a child for each step, and stops it there: kills it, interrupts it, or
lets the step fail as on a full disk. So every distinct state of the files is tested.
"""

from __future__ import annotations

import builtins
import errno
import gc
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.hostile.writers import WRITERS, content, leftovers, make_models

__all__ = ["HOW", "Moments", "Outcome"]

ROOT = Path(__file__).resolve().parents[2]

HOW: dict[str, int] = {
    "kill": signal.SIGKILL,
    "terminate": signal.SIGTERM,
    "hang up": signal.SIGHUP,
    "interrupt": signal.SIGINT,
    "full": -errno.ENOSPC,
    "quota": -errno.EDQUOT,
    "broken": -errno.EIO,
}
"""Ways of stopping a writer: signal numbers, and negative errno values."""

_FAILING = ("open", "write", "fsync", "close", "replace", "mkdir", "chmod")


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run.

    step     the step at which the writer was stopped; "" if it was not
    status   the exit status, negative if a signal ended it
    said     its standard error
    state    the files of the folder, except temporaries
    left     temporaries
    next     if temporaries are left, for every third step: the files after another, undisturbed run,
    next_left    and the temporaries that this run left
    """

    step: str
    status: int
    said: str
    state: dict[str, str]
    left: list[str]
    next: dict[str, str] | None = None
    next_left: list[str] | None = None


class Moments:
    """A server process that runs and stops writers. Its files are in `folder`."""

    def __init__(self, folder: Path) -> None:
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # threads do not outlive a fork
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.interruptions", str(folder)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def __call__(self, writer: str, how: str, *, most: int = 1000) -> list[Outcome]:
        """Yield the outcomes of all steps of a writer, or of `most` of them.

        The first outcome is that of a run without interruption. Every run starts from the old content."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps([writer, how, most])}\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return [Outcome(**record) for record in answer]

    def __enter__(self) -> Moments:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=60)


# --- in the process --------------------------------------------------------------------------------------------------


class _Steps:
    """Count the steps that access the disk, and interrupt one of them."""

    def __init__(self, at: int | None, how: int) -> None:
        self.names: list[str] = []
        self._at = at
        self._how = how
        self._counts: dict[str, int] = {}

    def step(self, when: str, what: str) -> None:
        if when == "before":
            self._counts[what] = self._counts.get(what, 0) + 1
        if self._how < 0 and (when != "before" or what not in _FAILING):
            return  # a finished step can no longer fail
        if self._how == signal.SIGKILL and when == "after":
            return  # the disk is as it is before the next step
        self.names.append(f"{when} {what} {self._counts[what]}")
        if len(self.names) - 1 == self._at:
            if self._how < 0:
                raise OSError(-self._how, os.strerror(-self._how))
            os.kill(os.getpid(), self._how)

    def around(self, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            self.step("before", what)
            result = function(*arguments, **options)
            self.step("after", what)
            return result

        return wrapped

    def install(self) -> None:
        for name in ("replace", "unlink", "mkdir", "rmdir", "chmod"):
            setattr(os, name, self.around(name, getattr(os, name)))
        os.fsync = self.around("fsync", lambda file: None)  # slow, and not needed when only the process dies
        opened, steps = builtins.open, self

        class File(io.FileIO):
            """Files opened for writing."""

            def write(self, data: Any, /) -> int:
                steps.step("before", "write")
                if len(data) > 100 and not getattr(self, "halved", False):
                    self.halved = True
                    written = super().write(data[: len(data) // 2])
                    steps.step("half of", "write")
                    return written or 0
                written = super().write(data)
                steps.step("after", "write")
                return written or 0

            def close(self) -> None:
                was_open = not self.closed
                super().close()
                if was_open:
                    steps.step("before", "close")

        def open_(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
            if mode not in ("wb", "xb"):
                return opened(file, mode, *arguments, **options)
            steps.step("before", "open")
            raw = File(file, mode.removesuffix("b"), opener=options.get("opener"))
            steps.step("after", "open")
            return io.BufferedWriter(raw)

        builtins.open = open_


def _run(folder: Path, writer: str, at: int | None, how: int) -> tuple[int, str, list[str]]:
    """Run a writer in a child process; return its exit status, standard error, and steps."""
    said = folder / "said"
    names, names_of_child = os.pipe()
    gc.freeze()  # a child need not visit what all have in common
    child = os.fork()
    if child == 0:
        status = 99
        try:
            os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.stderr = opened = open(2, "w", closefd=False, errors="backslashreplace")  # noqa: SIM115  open until the process ends
            steps = _Steps(at, how)
            steps.install()
            try:
                status = WRITERS[writer].run(folder / "models", folder / "out")
            except KeyboardInterrupt:  # raised by a writer that is not a command
                status = 130
            except OSError as error:
                status = 1
                print(error, file=opened)
            opened.flush()
            os.write(names_of_child, json.dumps(steps.names).encode())
        finally:
            os._exit(status)
    os.close(names_of_child)
    with open(names, "rb") as pipe:
        answer = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, said.read_text(), json.loads(answer or "[]")


def _outcomes(folder: Path, writer: str, how: int, most: int) -> Iterator[dict[str, Any]]:
    first, steps = _outcome(folder, writer, None, how)
    yield first
    for at in range(0, len(steps), max(1, len(steps) // most)):
        outcome, _ = _outcome(folder, writer, at, how)
        yield outcome | {"step": steps[at]}


def _outcome(folder: Path, writer: str, at: int | None, how: int) -> tuple[dict[str, Any], list[str]]:
    """Return the outcome of a run that is stopped at a step, and the steps before it; all steps if `at` is None."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    WRITERS[writer].prepare(out)
    status, said, steps = _run(folder, writer, at, how)
    outcome = {"step": "", "status": status, "said": said, "state": content(out), "left": leftovers(out)}
    if outcome["left"] and (at or 0) % 3 == 0:
        _run(folder, writer, None, how)
        outcome |= {"next": content(out), "next_left": leftovers(out)}
    return outcome, steps


def _serve(folder: Path) -> None:
    (folder / "models").mkdir(parents=True)
    make_models(folder / "models")
    for line in sys.stdin:
        writer, how, most = json.loads(line)
        with TemporaryDirectory() as out, open(os.devnull, "w") as null, redirect_stdout(null), redirect_stderr(null):
            WRITERS[writer].run(folder / "models", Path(out))  # which imports all modules that it needs
        print(json.dumps(list(_outcomes(folder, writer, HOW[how], most))), flush=True)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
