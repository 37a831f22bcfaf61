"""Printing and parsing as a whole: the common code behind `dumps`, `loads` and their aliases."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from typing import Any

from ..codec.codegen import function
from ..descriptor import table_of
from ..errors import DecodeError, EncodeError, JsonError
from . import scalars
from .output import Output, TooDeep
from .scalars import ParseOptions
from .strict import Document
from .wellknown import put_message

__all__ = ["print_to", "read", "read_text"]


def print_to(message: Any, write: Callable[[str], object], **options: Any) -> None:
    """Print a message piece by piece; `options` are those of `Output`."""
    table_of(type(message))  # raises TypeError for other objects
    out = Output(write, **options)
    try:
        put_message(out, "", out.line, message, out.max_depth)
        out.flush()
    except DecodeError:
        raise
    except Exception as error:  # any exception that an invalid value causes
        if error is out.failure:
            raise
        from ..codec.validation import check  # needed after errors only
        from .diagnostics import raise_unprintable

        check(message)
        if isinstance(error, TooDeep):
            raise
        out.write = lambda text: None
        raise_unprintable(out, message)
        raise EncodeError(f"cannot be printed ({type(error).__name__}: {error})") from error


def read(
    document: Any,
    cls: type,
    message: Any = None,
    *,
    ignore_unknown: bool,
    types: Mapping[str, type] | None,
    max_depth: int,
) -> Any:
    """Return the message of a document, or `message` with the document read into it."""
    read_json = function(table_of(cls), "read_json")
    options = ParseOptions(ignore_unknown=ignore_unknown, max_depth=max_depth, types=types)
    return read_json(options, document, max_depth, message)


def read_text(text: Any, cls: type, message: Any = None, **options: Any) -> Any:
    """Return the message of a text, or `message` with the text parsed into it.

    Numbers with a fraction or an exponent are parsed as floats first, which is fast. If one of them stands for an
    integer, the text is parsed again with exact numbers. Text is not parsed twice into a message that is not empty:
    that uses exact numbers at once.
    """
    table_of(cls)  # raises TypeError for other classes, before the text is parsed
    collecting = gc.isenabled()
    gc.disable()  # all objects made here stay, and examining them repeatedly takes long
    try:
        if message is None or message == cls():
            scalars.rounding.happened = False
            try:
                result = _read_document(Document(text), cls, message, options)
            except JsonError:
                if not scalars.rounding.happened:
                    raise
            if not scalars.rounding.happened:
                return result
            if message is not None:
                message.clear()
        result = _read_document(Document(text, exact=True), cls, message, options)
    finally:
        if collecting:
            gc.enable()
    return result


def _read_document(document: Document, cls: type, message: Any, options: dict[str, Any]) -> Any:
    result = read(document.value, cls, message, **options)
    document.finish()
    return result
