"""The code behind a message class, to be read."""

from __future__ import annotations

from .compiling import written
from .fields import table_of

__all__ = ["explain"]


def explain(cls: type) -> str:
    """The source of the functions that are compiled for a message class: decoders, encoder and printer."""
    table = table_of(cls)
    return "\n\n".join(written(table, what).text for what in ("decode", "decode_lazily", "encode", "print"))
