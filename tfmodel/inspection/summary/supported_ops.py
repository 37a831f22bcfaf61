"""Lists of the ops that a runtime supports, to find the ops that a model needs beyond them.

A list is a text file with names of ops, separated by line ends, blanks or commas, and comments after `#`:

    # kernels of our phone build
    Const, Placeholder, Identity
    Conv2D

or an OpList in any format, as TensorFlow writes them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from ...errors import FileFormatError
from ...io.terminal import printable
from ...ops import OPS

__all__ = ["load_supported_ops"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_>./-]*")
_MAX_SIZE = 16 << 20  # bytes of a text; the ops of TensorFlow take 40,000


def load_supported_ops(source: str | os.PathLike[str] | Iterable[str]) -> frozenset[str]:
    """Return the names of ops in a file, or the given names. Raises FileFormatError for an invalid file, OSError."""
    if not isinstance(source, (str, os.PathLike)):
        return frozenset(source)
    path = os.fspath(source)
    with open(path, "rb") as file:
        data = file.read(_MAX_SIZE)
    names = _parse_names(data)
    if names is None:
        from ...io.files import load
        from ...messages import OpList

        names = [op.name for op in load(path, OpList).op]
    elif names and not any(name in OPS for name in names):
        problem = f"none of its {len(names):,} words is an op of TensorFlow; list the names of ops, such as Const"
        raise FileFormatError(f"{printable(path)}: {problem}")
    if not names:
        raise FileFormatError(f"{printable(path)}: it contains no names of ops")
    return frozenset(names)


def _parse_names(data: bytes) -> list[str] | None:
    """Return the names in a text; None if it contains anything else."""
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return None
    words = [word for line in lines for word in re.split(r"[\s,;]+", line.partition("#")[0]) if word]
    return words if all(map(_NAME.fullmatch, words)) else None
