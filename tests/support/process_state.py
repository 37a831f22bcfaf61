"""Normalize the inherited state of a test process, for itself and for the processes that it starts.

A test run may have been started in the background, by a git hook, from an editor, with another locale or with closed
input. `normalize_process` removes these effects, so that tests need not handle them:

    signals      those that are ignored or blocked get Python's own handlers: `command &` in a shell starts processes
                 that ignore SIGINT, and so would their children
    environment  variables that change what Python, a terminal program or pytest prints, reads or refuses are removed
    locale       UTF-8, as the default encoding of files and pipes too
    umask        022
    input        /dev/null where standard input is closed, else the next file that is opened would be standard input
    folder       the root of the repository, since tests name files of tests/data relative to it

Tests run in any order, so none may leave the process changed: `state` returns what tests might change, for comparison.
"""

from __future__ import annotations

import contextlib
import gc
import locale
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

__all__ = ["CHANGED", "REMOVED", "differences", "normalize_process", "plugins_forgotten", "state"]

ROOT = Path(__file__).parents[2]

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
    """Set signals, environment, locale, umask, input and folder of this process to the state that tests expect."""
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
    os.chdir(ROOT)


def _plugins() -> list[str]:
    """Return the names of the registered transforms that are not tfmodel's."""
    registry = sys.modules.get("tfmodel.transforms.framework.registry")
    return [name for name, transform in registry._REGISTERED.items() if not transform.is_builtin] if registry else []


@contextlib.contextmanager
def plugins_forgotten() -> Iterator[None]:
    """Forget the transforms that are registered inside: `transform --list` shows all that there are."""
    before = _plugins()
    yield
    registry = sys.modules.get("tfmodel.transforms.framework.registry")
    for name in set(_plugins()) - set(before):
        del registry._REGISTERED[name]


_LOGGERS = [logging.getLogger(name) for name in (None, "tensorflow", "absl")]
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE") if hasattr(signal, name)]


def state() -> dict[str, Any]:
    """Return what a test could change in this process for those after it."""
    numpy = sys.modules.get("numpy")
    environment = dict(os.environ)
    environment.pop("PYTEST_CURRENT_TEST", None)
    return {
        "environment": environment,
        "modules": dict(sys.modules),
        "current folder": os.getcwd(),
        "sys.path": [*sys.path],
        # importing a package may add a finder for the names below it
        "sys.meta_path": [finder for finder in sys.meta_path if not getattr(finder, "prefix", "")],
        "streams": [sys.stdin, sys.stdout, sys.stderr],
        "garbage collector": gc.isenabled(),
        "loggers": [(logger.name, logger.level, logger.disabled) for logger in _LOGGERS],
        "signal handlers": [signal.getsignal(number) for number in _SIGNALS],
        "locale": locale.setlocale(locale.LC_ALL),
        "plugins": _plugins(),
        "numpy.geterr()": numpy and numpy.geterr(),  # None before it is imported
    }


_TESTS = f"{ROOT / 'tests'}{os.sep}"


def _stand_ins(name: str, module: Any) -> list[str]:
    """Return the functions of tests that a module of tfmodel or pbwire got when it was imported, and still has."""
    if name.partition(".")[0] not in ("pbwire", "tfmodel"):
        return []
    functions = {key: value for key, value in vars(module).items() if isinstance(value, FunctionType)}
    return [f"{name}.{key}" for key, value in functions.items() if value.__code__.co_filename.startswith(_TESTS)]


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return how two states differ. Modules imported in between are allowed, if they took no function of a test."""
    imported = after["modules"].keys() - before["modules"].keys()
    kept = [stand_in for name in imported for stand_in in _stand_ins(name, after["modules"][name])]
    lost = [name for name, module in before["modules"].items() if after["modules"].get(name) is not module]
    changed = [name for name in before if name != "modules" and before[name] not in (None, after[name])]
    return [
        *(f"module {name} was removed or replaced" for name in lost),
        *(f"{name} is a function of a test" for name in kept),
        *(f"{name}: {before[name]!r} became {after[name]!r}" for name in changed),
    ]
