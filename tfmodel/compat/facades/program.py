"""Helpers of scripts: logging, flags, `tf.app.run`, decorators of the public API."""

from __future__ import annotations

import contextlib as _contextlib
import logging as _logging
import sys
from collections.abc import Callable
from collections.abc import Iterator as _Iterator
from typing import Any

__all__ = ["DEBUG", "ERROR", "FATAL", "INFO", "WARN", "get_logger", "run", "set_verbosity", "tf_export"]

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
_logger = _logging.getLogger("tensorflow")


def get_logger() -> _logging.Logger:
    """Return the logger named "tensorflow"."""
    return _logger


debug, info, error, fatal = _logger.debug, _logger.info, _logger.error, _logger.critical
warn = warning = _logger.warning
log = _logger.log


_counts: dict[tuple[str, int], int] = {}


def _count_of_caller() -> int:
    """Return how often the line that called a function of this module has called it before."""
    frame = sys._getframe(2)
    place = (frame.f_code.co_filename, frame.f_lineno)
    count = _counts.get(place, 0)
    _counts[place] = count + 1
    return count


def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Log a message if a condition is true."""
    if condition:
        _logger.log(level, msg, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log a message for the first `n` calls of a line."""
    log_if(level, msg, _count_of_caller() < n, *args)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log a message for the first call of a line, and for every `n`th after it."""
    log_if(level, msg, _count_of_caller() % n == 0, *args)


def flush() -> None:
    """Write what handlers of the logger have buffered."""
    for handler in _logger.handlers:
        handler.flush()


def vlog(level: int, message: str, *arguments: Any) -> None:
    """Log a message for debugging."""
    _logger.debug(message, *arguments)


def set_verbosity(level: int) -> None:
    """Log only messages of this level and above."""
    _logger.setLevel(level)


def get_verbosity() -> int:
    """Return the level below which messages are not logged."""
    return _logger.getEffectiveLevel()


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> None:
    """Parse the flags, call `main` with the other arguments, and exit with its result; with 1 for a wrong flag."""
    flags: Any = sys.modules.get("absl.flags")
    if flags is None:
        from . import flags  # scripts with absl do not need it
    try:
        arguments = flags.FLAGS(list(sys.argv if argv is None else argv))
    except flags.Error as error:
        sys.exit(f"FATAL Flags parsing error: {error}")
    sys.exit((main or sys.modules["__main__"].main)(arguments))


class tf_export:
    """A decorator that does nothing: `@tf_export("name")`."""

    def __init__(self, *names: str, **options: Any) -> None:
        self.names = names

    def __call__(self, function: Any) -> Any:
        return function

    def export_constant(self, module_name: str, name: str) -> None:
        """Do nothing."""


def keras_export(*names: str, **options: Any) -> Any:
    """Return a decorator that does nothing."""
    return tf_export(*names, **options)


def identity_decorator(*arguments: Any, **options: Any) -> Any:
    """Return a decorator that does nothing, for `@deprecation.deprecated(date, instructions)`."""
    return lambda function: function


deprecated = deprecated_args = deprecated_arg_values = deprecated_endpoints = identity_decorator


@_contextlib.contextmanager
def silence() -> _Iterator[None]:
    """Do nothing: there are no warnings of deprecation."""
    yield


def deprecated_alias(deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True) -> Any:
    """Return the function or class itself."""
    return func_or_class


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """Return the value that is not None of an argument with two names. Raises ValueError if both are given."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value
