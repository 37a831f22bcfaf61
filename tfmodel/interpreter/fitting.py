"""What is fed, as an array of the type and the shape that its tensor has.

fitted([[1, 2, 3]], "x", node, DataType.DT_FLOAT)    # float32[1,3], if that is what the Placeholder takes
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..casting import array_of
from ..dtypes import DTYPES
from ..errors import FeedError, TensorError
from ..graph import attr
from ..graph.wording import quoted
from ..messages import DataType, NodeDef, TensorShapeProto
from ..ops.kernels.binding import shape_of
from ..tensors import from_ndarray, to_ndarray

__all__ = ["fitted", "wanted_instead"]

_DEEPEST, _MOST_COMPARED = 64, 1_000_000


def fitted(value: Any, name: str, node: NodeDef, dtype: DataType | None) -> Any:
    """The array for a tensor of `node`, whose type may be unknown. Raises FeedError, which calls the feed `name`."""
    row = DTYPES.get(dtype) if dtype is not None else None
    what = f"the feed {quoted(name)}"
    try:
        if row is None:
            return array_of(value)
        array = _strings(value) if row.is_object else row.decode(row.encode(value))
    except (TypeError, ValueError) as error:
        if uneven := _uneven(value):
            raise FeedError(f"{what} is not an array: {uneven}; give all lists of one level the same length") from error
        raise FeedError(f"{what} is not {row.name if row is not None else 'an array'}: {error}") from error
    if wanted := wanted_instead(array.shape, node):
        raise FeedError(f"{what} has shape {list(array.shape)}, and {wanted} is wanted")
    return array


def wanted_instead(shape: Sequence[int], node: NodeDef, known: Sequence[int | None] | None = None) -> str:
    """The shape that a Placeholder takes, or that is `known` of another node, if this one does not fit; else ""."""
    if node.op.startswith("Placeholder"):
        declared = attr(node, "shape", TensorShapeProto, None)
        known = shape_of(declared) if declared is not None else None
    if known is None or _fits(shape, known) or (not known and node.op == "Placeholder"):  # [] was any shape once
        return ""
    return f"[{', '.join('?' if size is None else str(size) for size in known)}]"


def _fits(shape: Sequence[int], known: Sequence[int | None]) -> bool:
    return len(shape) == len(known) and all(wanted in (None, size) for size, wanted in zip(shape, known, strict=True))


def _strings(value: Any) -> Any:
    """An array of bytes, from bytes or str."""
    try:
        return to_ndarray(from_ndarray(np.asarray(value, object), DataType.DT_STRING))
    except TensorError as error:
        raise ValueError(str(error)) from error


def _uneven(value: Any) -> str:
    """Where lists in lists, of which no array can be made, are not alike; empty if nowhere."""
    level: list[tuple[str, Any]] = [("it", value)]
    for _ in range(_DEEPEST):
        (first, like), length = level[0], _length(level[0][1])
        for where, each in level:
            if _length(each) != length:
                return f"{first} {_length_text(like)}, and {where} {_length_text(each)}"
        if not length or length * len(level) > _MOST_COMPARED:
            break
        level = [
            (f"[{place}]" if where == "it" else f"{where}[{place}]", inner)
            for where, each in level
            for place, inner in enumerate(each)
        ]
    return ""


def _length(value: Any) -> int | None:
    """How long a list is; None for what is none."""
    return len(value) if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim) else None


def _length_text(value: Any) -> str:
    length = _length(value)
    return "is no list" if length is None else f"has {length:,} element{'s' * (length != 1)}"
