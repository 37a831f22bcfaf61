"""Find messages whose hints are lost: f-strings make plain strings of errors and notes with hints.

Such a message has its Python words everywhere, so commands cannot word it with their options. Messages with hints are
put together by `compose` and `join` of `pbwire.errors`.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from pbwire import errors
from pbwire.errors import Text

ROOT = Path(__file__).parents[2]
PRODUCT = (str(ROOT / "pbwire"), str(ROOT / "tfmodel"))


@contextmanager
def refuse_lost_hints() -> Iterator[None]:
    """Raise AssertionError in f-strings of pbwire and tfmodel that format a message with a hint."""

    def format_text(message: Text, form: str) -> str:
        _refuse(message)
        return str.__format__(message, form)

    def format_error(error: errors.Error, form: str) -> str:
        message = str(error)
        if isinstance(message, Text):
            _refuse(message)
        return str.__format__(message, form)

    with (
        patch.object(Text, "__format__", format_text),
        patch.object(errors.Error, "__format__", format_error),
    ):
        yield


def _refuse(message: Text) -> None:
    frame = sys._getframe(2)
    if message.hints and frame.f_code.co_filename.startswith(PRODUCT):
        place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        raise AssertionError(f"{place}: this f-string loses the hints of {str.__repr__(message)}: use compose")
