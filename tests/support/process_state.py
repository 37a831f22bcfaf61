"""Normalize the inherited state of a test process, for itself and for the processes that it starts.

A test run may have been started in the background, by a git hook, from an editor, with another locale or with closed
input. `normalize_process` removes these effects, so that tests need not handle them:

    signals      those that are ignored or blocked get Python's own handlers: `command &` in a shell starts processes
                 that ignore SIGINT, and so would their children
    environment  variables that change what Python, a terminal program or pytest prints, reads or refuses are removed
    locale       UTF-8, as the default encoding of files and pipes too
    umask        022
    input        /dev/null where standard input is closed, else the next file that is opened would be standard input
"""

from __future__ import annotations

import contextlib
import locale
import os
import signal

__all__ = ["CHANGED", "REMOVED", "normalize_process"]

REMOVED = (
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "FORCE_COLOR",
    "LANGUAGE",
    "LINES",
    "NO_COLOR",  # terminals
    "PYTHON_COLORS",
    "PYTHONCOERCECLOCALE",
    "PYTHONDEVMODE",
    "PYTHONINSPECT",
    "PYTHONIOENCODING",
    "PYTHONOPTIMIZE",
    "PYTHONSAFEPATH",
    "PYTHONSTARTUP",
    "PYTHONUNBUFFERED",
    "PYTHONVERBOSE",
    "PYTHONWARNDEFAULTENCODING",
    "PYTHONWARNINGS",
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",  # some tests start a pytest of their own
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_WORK_TREE",  # a git hook sets them
)
CHANGED = {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "TERM": "dumb"}

_IGNORED_BY_PYTHON = {getattr(signal, name, None) for name in ("SIGPIPE", "SIGXFZ", "SIGXFSZ")}
"""Python ignores these itself, and subprocess gives children the system's handlers for them."""


def normalize_process() -> None:
    """Set signals, environment, locale, umask and standard input of this process to the state that tests expect."""
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.SIG_IGN and number not in _IGNORED_BY_PYTHON:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for name in REMOVED:
        os.environ.pop(name, None)
    os.environ.update(CHANGED)
    with contextlib.suppress(locale.Error):  # Windows has other names for locales, and UTF-8 by default
        locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    os.umask(0o022)
    try:
        os.fstat(0)
    except OSError:
        os.open(os.devnull, os.O_RDONLY)  # gets the lowest number that is free
