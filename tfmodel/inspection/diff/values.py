"""Compare two values of an attribute, and two tensors: how many elements differ, and by how much.

Tensors are compared by their elements, however these are stored; functions by name and attributes; other values
directly. If the dtypes or shapes of tensors differ, elements are not compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...errors import TensorError
from ..formatting import attr_text, tensor_text, values_text
from .report import Change, Rules, same_bytes

if TYPE_CHECKING:
    import numpy.typing as npt

    from ...messages import AttrValue, NameAttrList, TensorProto

    Array = npt.NDArray[Any]

__all__ = ["TensorDifference", "compare_tensors", "compare_values", "first_different_attribute", "tensor_texts"]


_CHUNK = 1 << 20  # elements that are compared at a time, to keep temporary arrays small
_DIGITS = 5  # of a difference in texts


@dataclass(frozen=True, slots=True)
class TensorDifference:
    """The difference of two tensors. If `elements` is None, the tensors cannot be compared, and `problem` says why.

    elements        the number of elements of each of the tensors
    different       the number of elements that differ
    max_absolute    the largest |a - b|; infinite if only one of the two is finite; None for strings and other objects
    max_relative    the largest |a - b| / max(|a|, |b|), at most 2; infinite if `max_absolute` is
    first           the index of the first element that differs
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
        qualifier = "at most " if self.elements > 1 else ""
        return f"{words} by {qualifier}{_number(self.max_absolute)} (relative {_number(self.max_relative)})"

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON, with None for infinity."""
        return {
            "elements": self.elements,
            "different": self.different,
            "max_absolute": _finite(self.max_absolute),
            "max_relative": _finite(self.max_relative),
            "first": list(self.first) if self.elements else None,
        } | ({"problem": self.problem} if self.problem else {})


def compare_tensors(before: TensorProto, after: TensorProto, rules: Rules) -> TensorDifference | None:
    """Return the difference of two tensors; None if they are the same."""
    if before.dtype != after.dtype:
        return TensorDifference(problem="the type differs")
    from ...tensors import to_ndarray  # imports NumPy, which graphs with equal tensors do not need

    try:
        one, other = to_ndarray(before), to_ndarray(after)
    except TensorError as error:
        # Tensors that have no array can still be equal as messages.
        return None if before == after else TensorDifference(problem=f"it cannot be compared: {error}")
    if one.shape != other.shape:
        return TensorDifference(problem="the shape differs")
    return _count_differences(one, other, rules)


def tensor_texts(before: TensorProto, after: TensorProto) -> tuple[str, str]:
    """Return both tensors as short texts, with the elements if they are few."""
    words = [f"{tensor_text(tensor)} {values_text(tensor)}".rstrip() for tensor in (before, after)]
    return words[0], words[1]


def _count_differences(one: Array, other: Array, rules: Rules) -> TensorDifference | None:
    import numpy as np

    count, first, absolute, relative = 0, -1, 0.0, 0.0
    is_numeric = one.dtype != object
    with np.errstate(all="ignore"):
        for start, a, b in _chunks(_flat(one), _flat(other)):
            differs = _bits_differ(a, b)
            if is_numeric and differs.any():
                a, b = (side[differs] for side in np.broadcast_arrays(a, b))
                gaps = _gaps(a, b)
                beyond = _is_beyond(gaps, b, rules)
                differs[differs] = beyond
                if beyond.any():
                    absolute = max(absolute, float(gaps[beyond].max()))
                    relative = max(relative, float(_relative_gaps(gaps, a, b)[beyond].max()))
            if differs.any():
                count += int(differs.sum())
                first = start + int(differs.argmax()) if first < 0 else first
    if not count:
        return None
    if _is_single(one) and _is_single(other):
        count = one.size
    difference = TensorDifference(one.size, count, first=_index(first, one.shape))
    return replace(difference, max_absolute=absolute, max_relative=relative) if is_numeric else difference


def _chunks(one: Array, other: Array) -> Iterator[tuple[int, Array, Array]]:
    """Yield chunks of both tensors with their start. A tensor may be a single element that stands for all."""
    for start in range(0, max(len(one), len(other)), _CHUNK):
        span = slice(start, start + _CHUNK)
        yield start, one if len(one) == 1 else one[span], other if len(other) == 1 else other[span]


def _bits_differ(a: Array, b: Array) -> Array:
    """Return where the bits of two arrays of one dtype differ. 0.0 and -0.0 differ; NaNs with equal bits do not."""
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
    """Return |a - b| in double precision; infinite where only one of the two is finite, or only one is NaN."""
    import numpy as np

    if a.dtype.kind == "b":
        return np.asarray(a != b, float)
    if a.dtype.kind in "iu":
        high, low = np.maximum(a, b).astype(np.uint64), np.minimum(a, b).astype(np.uint64)
        return np.asarray((high - low).astype(float))  # unsigned subtraction wraps around to the right value
    gaps = np.abs(_as_double(a) - _as_double(b))
    same = (np.isnan(a) & np.isnan(b)) | (a == b)
    return np.asarray(np.where(same, 0.0, np.where(np.isnan(gaps), np.inf, gaps)))


def _is_beyond(gaps: Array, b: Array, rules: Rules) -> Array:
    """Return which gaps exceed the tolerances; infinite ones always do. Without tolerances, all elements count."""
    import numpy as np

    if not rules.atol and not rules.rtol:
        return np.full(gaps.shape, True)
    return np.asarray((gaps > rules.atol + rules.rtol * np.abs(_as_double(b))) | np.isinf(gaps))


def _relative_gaps(gaps: Array, a: Array, b: Array) -> Array:
    """Return the gaps relative to the larger of the two elements; infinite where the gap is infinite."""
    import numpy as np

    shares: Array = gaps / np.maximum(np.abs(_as_double(a)), np.abs(_as_double(b)))
    return np.asarray(np.where(gaps == 0, 0.0, np.where(np.isinf(gaps), np.inf, shares)))


def _as_double(array: Array) -> Array:
    return array.astype("complex128" if array.dtype.kind == "c" else "float64")


def _is_single(array: Array) -> bool:
    """Return whether the array stores only one element, which stands for all."""
    axes = zip(array.strides, array.shape, strict=True)
    return array.size > 0 and not any(stride for stride, size in axes if size > 1)


def _flat(array: Array) -> Array:
    """Return the elements in one dimension; a single element if it stands for all."""
    if array.ndim and _is_single(array):  # without dimensions, indexing an array of objects gives the object
        array = array[(slice(1),) * array.ndim]
    return array.reshape(-1)


def _index(position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        position, offset = divmod(position, size)
        index.append(offset)
    return tuple(reversed(index))


def _number(value: float) -> str:
    return f"{value:.{_DIGITS}g}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def compare_values(what: str, before: AttrValue, after: AttrValue, rules: Rules) -> Change | None:
    """Return the change of an attribute; None if it is the same. Equal encodings are not decoded."""
    if same_bytes(before, after):
        return None
    kind = before.which_oneof("value")
    if kind != after.which_oneof("value"):
        return Change(what, attr_text(before), attr_text(after))
    if kind == "tensor":
        assert before.tensor is not None and after.tensor is not None
        difference = compare_tensors(before.tensor, after.tensor, rules)
        if difference is None:
            return None
        return Change(what, *tensor_texts(before.tensor, after.tensor), str(difference), difference)
    if kind is None:
        return None if before == after else Change(what, "nothing", "nothing", "an unknown kind of value")
    one, other = getattr(before, kind), getattr(after, kind)
    note = _LISTS_AND_FUNCTIONS.get(kind, _difference)(one, other, rules)
    if note is None:
        return None
    texts = attr_text(before), attr_text(after)
    return Change(what, *texts, note if texts[0] == texts[1] else "")


def first_different_attribute(before: Any, after: Any, rules: Rules) -> str | None:
    """Return the name of the first attribute, in the order of names, that differs in two maps.

    None if they are the same.
    """
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after or compare_values(name, before[name], after[name], rules):
            return str(name)
    return None


def _difference(one: Any, other: Any, rules: Rules) -> str | None:
    """Describe the difference of two values, whose short texts may be equal; None if the values are the same."""
    if one == other or (one != one and other != other):
        return None
    if isinstance(one, bytes) and isinstance(other, bytes):
        pairs = enumerate(zip(one, other, strict=False))
        first = next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))
        return f"they have {len(one):,} and {len(other):,} bytes, and differ from byte {first:,} on"
    return "they differ"


def _functions(one: NameAttrList, other: NameAttrList, rules: Rules) -> str | None:
    if one.name != other.name:
        return "they differ"
    name = first_different_attribute(one.attr, other.attr, rules)
    return None if name is None else f'its attribute "{name}" differs'


def _lists(one: Any, other: Any, rules: Rules) -> str | None:
    """Describe the first difference of two lists; None if they are the same. All empty lists are the same."""
    from ...messages import AttrValue

    fields, others = one.ListFields(), other.ListFields()
    if [field.name for field, _ in fields] != [field.name for field, _ in others]:
        return "they differ"
    for (field, elements), (_, other_elements) in zip(fields, others, strict=True):
        if len(elements) != len(other_elements):
            return f"they have {len(elements):,} and {len(other_elements):,} elements"
        for position, (a, b) in enumerate(zip(elements, other_elements, strict=True)):
            if a == b:
                continue
            change = compare_values("", AttrValue(**{field.name: a}), AttrValue(**{field.name: b}), rules)
            if change is not None:
                return f"element {position:,}{change}"
    return None


_LISTS_AND_FUNCTIONS = {"func": _functions, "list": _lists}
