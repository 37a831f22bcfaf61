"""Run a command line in this process, and check the guarantees of every command."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from tfmodel.cli import main

__all__ = ["Printed", "run_command"]


class Printed(NamedTuple):
    """The exit status of a command, and its standard output and standard error."""

    status: int
    out: str
    err: str


def run_command(words: list[str], *, controls: bool = False) -> Printed:
    """Run `tfmodel WORDS`; assert that the status is 0, 1 or 2, and that a failure is explained without a traceback.

    Without `controls`, the output must have no control characters but tabs and line ends.
    """
    streams = io.BytesIO(), io.BytesIO()
    out, err = map(io.TextIOWrapper, streams)
    with redirect_stdout(out), redirect_stderr(err):
        status = main(words)
        out.flush()
        err.flush()
    printed = Printed(status, *(stream.getvalue().decode() for stream in streams))
    assert status in (0, 1, 2), status
    assert "Traceback" not in printed.err
    assert status == 0 or printed.out or printed.err
    raw = {c for c in printed.out + printed.err if (ord(c) < 32 and c not in "\n\t") or ord(c) == 127}
    assert controls or not raw, f"control characters reach the terminal: {raw}"
    return printed
