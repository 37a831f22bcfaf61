"""The list of ops that a runtime has, to tell what a model needs beyond that.

A list is a text file with names of ops, one in a line or several with blanks or commas, and comments behind `#`:

    # kernels of our phone build
    Const, Placeholder, Identity
    Conv2D

or an OpList in any form, as TensorFlow writes them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from ...errors import FileFormatError
from ...io.terminal import printable

__all__ = ["supported_ops"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_>./-]*")
_LARGEST = 16 << 20  # bytes of a text; the ops of TensorFlow take 40,000


def supported_ops(source: str | os.PathLike[str] | Iterable[str]) -> frozenset[str]:
    """The names in a list: the path of a file, or names. Raises FileFormatError for a file that is none, OSError."""
    if not isinstance(source, (str, os.PathLike)):
        return frozenset(source)
    path = os.fspath(source)
    with open(path, "rb") as file:
        data = file.read(_LARGEST)
    names = _listed(data)
    if names is None:
        from ...io.files import load
        from ...messages import OpList

        names = [op.name for op in load(path, OpList).op]
    if not names:
        raise FileFormatError(f"{printable(path)}: there are no names of ops in it")
    return frozenset(names)


def _listed(data: bytes) -> list[str] | None:
    """The names in a text; None if there is anything else."""
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return None
    words = [word for line in lines for word in re.split(r"[\s,;]+", line.partition("#")[0]) if word]
    return words if all(map(_NAME.fullmatch, words)) else None
