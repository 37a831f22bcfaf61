"""Two tensors: how many of their elements differ, and by how much.

Tensors are compared by the elements that they hold, however these are stored. Where type or shape differ there is
nothing to count.

Two values of an attribute: whether they mean the same, and if not, how to say that.

Tensors are the same by what they hold, functions by their names and attributes, all else by what it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...errors import TensorError
from ..formatting import attr_text, tensor_text, values_text
from .changes import Change, Rules, same_bytes

if TYPE_CHECKING:
    from ...messages import AttrValue, NameAttrList

__all__ = ["TensorDifference", "compare_tensors", "compare_values", "same_attributes", "tensor_words"]


if TYPE_CHECKING:
    import numpy.typing as npt

    from ...messages import TensorProto

    Array = npt.NDArray[Any]


_PIECE = 1 << 20  # elements that are compared at a time, so that no large temporary arrays are needed
_ENOUGH = 5  # digits of a difference that are shown


@dataclass(frozen=True, slots=True)
class TensorDifference:
    """How two tensors differ. Without `elements` they are not comparable, and `problem` says why.

    elements        how many each has
    different       how many of them are not the same
    max_absolute    the largest |a - b|; infinite if only one of the two is finite; None of strings and other objects
    max_relative    the largest |a - b| / max(|a|, |b|), which is at most 2
    first           the index of the first that differs
    """

    elements: int | None = None
    different: int | None = None
    max_absolute: float | None = None
    max_relative: float | None = None
    first: tuple[int, ...] = ()
    problem: str = ""

    def __str__(self) -> str:
        if self.elements is None:
            return self.problem
        if self.different == self.elements:
            words = f"all {self.elements:,} elements differ," if self.elements > 1 else "differs"
        else:
            words = f"{self.different:,} of {self.elements:,} elements differ, first {list(self.first)},"
        if self.max_absolute is None or self.max_relative is None:
            return words.rstrip(",")
        most = "at most " if self.elements > 1 else ""
        return f"{words} by {most}{_number(self.max_absolute)} (relative {_number(self.max_relative)})"

    def facts(self) -> dict[str, Any]:
        """What JSON says of it, which has no infinity."""
        return {
            "elements": self.elements,
            "different": self.different,
            "max_absolute": _finite(self.max_absolute),
            "max_relative": _finite(self.max_relative),
            "first": list(self.first) if self.elements else None,
        } | ({"problem": self.problem} if self.problem else {})


def compare_tensors(before: TensorProto, after: TensorProto, rules: Rules) -> TensorDifference | None:
    """How two tensors differ; None if they are the same."""
    if before.dtype != after.dtype:
        return TensorDifference(problem="the type differs")
    from ...tensors import to_ndarray  # which needs NumPy: graphs that do not differ in tensors are compared without

    try:
        one, other = to_ndarray(before), to_ndarray(after)
    except TensorError as error:
        # What is no array can still be the same, as a message.
        return None if before == after else TensorDifference(problem=f"it cannot be compared: {error}")
    if one.shape != other.shape:
        return TensorDifference(problem="the shape differs")
    return _count(one, other, rules)


def tensor_words(before: TensorProto, after: TensorProto) -> tuple[str, str]:
    """Both in a few characters; of few elements, the elements."""
    words = [f"{tensor_text(tensor)} {values_text(tensor)}".rstrip() for tensor in (before, after)]
    return words[0], words[1]


def _count(one: Array, other: Array, rules: Rules) -> TensorDifference | None:
    import numpy as np

    count, first, absolute, relative = 0, -1, 0.0, 0.0
    is_numeric = one.dtype != object
    with np.errstate(all="ignore"):
        for start, a, b in _pieces(_flat(one), _flat(other)):
            differs = _bits_differ(a, b)
            if is_numeric and differs.any():
                a, b = (side[differs] for side in np.broadcast_arrays(a, b))
                gaps = _gaps(a, b)
                beyond = _is_beyond(gaps, b, rules)
                differs[differs] = beyond
                if beyond.any():
                    absolute = max(absolute, float(gaps[beyond].max()))
                    relative = max(relative, float(_shares(gaps, a, b)[beyond].max()))
            if differs.any():
                count += int(differs.sum())
                first = start + int(differs.argmax()) if first < 0 else first
    if not count:
        return None
    if _is_single(one) and _is_single(other):
        count = one.size
    found = TensorDifference(one.size, count, first=_index(first, one.shape))
    return replace(found, max_absolute=absolute, max_relative=relative) if is_numeric else found


def _pieces(one: Array, other: Array) -> Iterator[tuple[int, Array, Array]]:
    """Both in pieces: one of them may be a single element, which stands for all."""
    for start in range(0, max(len(one), len(other)), _PIECE):
        span = slice(start, start + _PIECE)
        yield start, one if len(one) == 1 else one[span], other if len(other) == 1 else other[span]


def _bits_differ(a: Array, b: Array) -> Array:
    """Where two arrays of one type hold other bits: 0.0 and -0.0 differ, and NaN is the same as itself."""
    import numpy as np

    if a.dtype.kind == "c":
        part = a.dtype.char.lower()
        return np.asarray(_bits_differ(a.view(part).reshape(-1, 2), b.view(part).reshape(-1, 2)).any(axis=1))
    differs = np.asarray(a != b)
    if a.dtype.kind == "f":
        bits = f"i{a.itemsize}"
        return np.asarray((differs | (a == 0)) & (a.view(bits) != b.view(bits)))
    return differs


def _gaps(a: Array, b: Array) -> Array:
    """|a - b| in double precision; infinite where only one is finite or only one is NaN."""
    import numpy as np

    if a.dtype.kind == "b":
        return np.asarray(a != b, float)
    if a.dtype.kind in "iu":
        high, low = np.maximum(a, b).astype(np.uint64), np.minimum(a, b).astype(np.uint64)
        return np.asarray((high - low).astype(float))  # it wraps around, and so comes out right
    gaps = np.abs(_wide(a) - _wide(b))
    same = (np.isnan(a) & np.isnan(b)) | (a == b)
    return np.asarray(np.where(same, 0.0, np.where(np.isnan(gaps), np.inf, gaps)))


def _is_beyond(gaps: Array, b: Array, rules: Rules) -> Array:
    """Which gaps are larger than is tolerated. An infinite one always is."""
    import numpy as np

    if not rules.atol and not rules.rtol:
        return np.full(gaps.shape, True)
    return np.asarray((gaps > rules.atol + rules.rtol * np.abs(_wide(b))) | np.isinf(gaps))


def _shares(gaps: Array, a: Array, b: Array) -> Array:
    """Gaps in relation to the larger of the two; infinite where a gap is."""
    import numpy as np

    shares: Array = gaps / np.maximum(np.abs(_wide(a)), np.abs(_wide(b)))
    return np.asarray(np.where(gaps == 0, 0.0, np.where(np.isinf(gaps), np.inf, shares)))


def _wide(array: Array) -> Array:
    return array.astype("complex128" if array.dtype.kind == "c" else "float64")


def _is_single(array: Array) -> bool:
    """Whether one element stands for all, and takes the memory of one."""
    axes = zip(array.strides, array.shape, strict=True)
    return array.size > 0 and not any(stride for stride, size in axes if size > 1)


def _flat(array: Array) -> Array:
    """All elements in a row; of those that are all one, the one."""
    if array.ndim and _is_single(array):  # without dimensions, indexing an array of objects gives the object
        array = array[(slice(1),) * array.ndim]
    return array.reshape(-1)


def _index(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        place, at = divmod(place, size)
        index.append(at)
    return tuple(reversed(index))


def _number(value: float) -> str:
    return f"{value:.{_ENOUGH}g}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def compare_values(what: str, before: AttrValue, after: AttrValue, rules: Rules) -> Change | None:
    """How an attribute changed; None if it did not. Bytes are compared first, so that equal weights stay undecoded."""
    if same_bytes(before, after):
        return None
    kind = before.which_oneof("value")
    if kind != after.which_oneof("value"):
        return Change(what, attr_text(before), attr_text(after))
    if kind == "tensor":
        assert before.tensor is not None and after.tensor is not None
        found = compare_tensors(before.tensor, after.tensor, rules)
        if found is None:
            return None
        return Change(what, *tensor_words(before.tensor, after.tensor), str(found), found)
    if kind is None:
        return None if before == after else Change(what, "nothing", "nothing", "a kind of value that is not known")
    one, other = getattr(before, kind), getattr(after, kind)
    difference = _LISTS_AND_FUNCTIONS.get(kind, _difference)(one, other, rules)
    if difference is None:
        return None
    words = attr_text(before), attr_text(after)
    return Change(what, *words, difference if words[0] == words[1] else "")


def same_attributes(before: Any, after: Any, rules: Rules) -> str | None:
    """The first attribute, by name, that differs between two maps; None if none does."""
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after or compare_values(name, before[name], after[name], rules):
            return str(name)
    return None


def _difference(one: Any, other: Any, rules: Rules) -> str | None:
    """How two values differ, for when they look the same in short; None if they do not."""
    if one == other or (one != one and other != other):
        return None
    if isinstance(one, bytes) and isinstance(other, bytes):
        pairs = enumerate(zip(one, other, strict=False))
        place = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
        return f"they differ from byte {place:,} on, of {len(one):,} and {len(other):,} bytes"
    return "they differ"


def _functions(one: NameAttrList, other: NameAttrList, rules: Rules) -> str | None:
    if one.name != other.name:
        return "they differ"
    name = same_attributes(one.attr, other.attr, rules)
    return None if name is None else f'its attribute "{name}" differs'


def _lists(one: Any, other: Any, rules: Rules) -> str | None:
    """Lists are the same if their elements are, one by one; an empty one has no kind."""
    from ...messages import AttrValue

    fields, others = one.ListFields(), other.ListFields()
    if [field.name for field, _ in fields] != [field.name for field, _ in others]:
        return "they differ"
    for (field, elements), (_, other_elements) in zip(fields, others, strict=True):
        if len(elements) != len(other_elements):
            return f"they have {len(elements):,} and {len(other_elements):,} elements"
        for place, (a, b) in enumerate(zip(elements, other_elements, strict=True)):
            if a == b:
                continue
            change = compare_values("", AttrValue(**{field.name: a}), AttrValue(**{field.name: b}), rules)
            if change is not None:
                return f"element {place:,}{change}"
    return None


_LISTS_AND_FUNCTIONS = {"func": _functions, "list": _lists}
