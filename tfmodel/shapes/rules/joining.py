"""Ops that make one tensor of several, or several of one: pack, concat, split, dynamic partitions."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import GraphError
from ...ops.partial_tensors import Repeated, Tensor
from ...ops.shape_rules import MOST_ELEMENTS, Call, Result, Rule
from ...shape import Dim, Shape, added, axis_of, merged, ranked, rows, text
from .spaces import divided

__all__ = ["RULES", "concatenation"]


# --- pack ------------------------------------------------------------------------------------------------------------


def _pack(call: Call) -> Result:
    shape, count = None, len(call.inputs)
    for each in call.shapes:
        shape = merged(shape, each)
    if shape is None:
        return None
    axis = axis_of(call.attr("axis", int, 0), len(shape) + 1)
    made = (*shape[:axis], count, *shape[axis:])
    if shape == () and count <= MOST_ELEMENTS and any(tensor.value for tensor in call.inputs):
        return Tensor(made, tuple(tensor.value[0] if tensor.value else None for tensor in call.inputs))
    return made


def _unpack(call: Call) -> Result:
    shape, count = call.shape(0), call.count("num")
    if shape is None:
        return Repeated(Tensor(), count)
    axis = axis_of(call.attr("axis", int, 0), len(shape))
    if shape[axis] not in (None, count):
        raise GraphError(f"dimension {axis} of {text(shape)} is not {count}")
    value = call.value(0)
    if value is not None and len(shape) == 1:
        return [Tensor((), (each,)) for each in value]
    return Repeated(Tensor(shape[:axis] + shape[axis + 1 :]), count)


def _parallel_concat(call: Call) -> Result:
    """Rows of one are put together; the attribute says of which shape."""
    return call.shape_attr("shape")


# --- concat ----------------------------------------------------------------------------------------------------------


def concatenation(shapes: Sequence[Shape | None], axis: int | None) -> Shape | None:
    """What shapes become when they are put behind each other in one dimension, which may not be known."""
    rank = next((len(shape) for shape in shapes if shape is not None), None)
    if rank is None:
        return None
    all_ranked = [ranked(shape, rank) for shape in shapes]
    if axis is None and rank == 1:
        axis = 0
    if axis is None:
        rows(all_ranked[0], 1)
        return (None,) * rank
    at = axis_of(axis, rank)
    before: Shape | None = None
    behind: Shape | None = None
    for shape in all_ranked:
        before, behind = merged(before, shape[:at]), merged(behind, shape[at + 1 :])
    return (*(before or ()), added(shape[at] for shape in all_ranked), *(behind or ()))


def _concat(call: Call) -> Result:
    return concatenation(call.shapes[1:], call.number(0))


def _concat_v2(call: Call) -> Result:
    call.tensor(0)
    shape = concatenation(call.shapes[:-1], call.number(len(call.inputs) - 1))
    if shape is None or len(shape) != 1 or shape[0] is None or shape[0] > MOST_ELEMENTS:
        return shape
    if not any(tensor.value for tensor in call.inputs[:-1]):
        return shape
    value: list[int | float | None] = []
    for tensor in call.inputs[:-1]:
        unknown = (None,) * ((tensor.shape or (0,))[0] or 0)
        value += unknown if tensor.value is None else tensor.value
    return Tensor(shape, tuple(value)) if len(value) == shape[0] else shape


def _concat_offset(call: Call) -> Result:
    return list(call.shapes[1:])


def _dynamic_stitch(call: Call) -> Result:
    """Rows go where indices say: as many as the largest of these, and one."""
    half = len(call.inputs) // 2
    count: Dim = 0
    rest: Shape | None = None
    for place in range(half):
        indices, data = call.shape(place), call.shape(half + place)
        value = call.numbers(place)
        count = None if value is None or count is None else max([count, *(index + 1 for index in value)])
        if indices is None or data is None:
            continue
        if len(indices) > len(data):
            raise GraphError(f"the indices {text(indices)} and {text(data)} do not fit")
        merged(indices, data[: len(indices)])
        rest = merged(rest, data[len(indices) :])
    return None if rest is None else (count, *rest)


# --- split -----------------------------------------------------------------------------------------------------------


def _split(call: Call) -> Result:
    count, axis, shape = call.count("num_split"), call.number(0), call.shape(1)
    if shape is None:
        return Repeated(Tensor(), count)
    if axis is None:
        return Repeated(Tensor((None,) * len(shape)), count)
    at = axis_of(axis, len(shape))
    size = divided(shape[at], count)
    value = call.value(1)
    if value is not None and len(shape) == 1 and size is not None:
        return [Tensor((size,), value[start : start + size]) for start in range(0, len(value), size or 1)]
    return Repeated(Tensor((*shape[:at], size, *shape[at + 1 :])), count)


def _split_v(call: Call) -> Result:
    count, shape, sizes, axis = call.count("num_split"), call.shape(0), call.value(1), call.number(2)
    if shape is None:
        return Repeated(Tensor(), count)
    if count == 1 and (axis is None or sizes is None):
        return [shape]
    if axis is None:
        return Repeated(Tensor((None,) * len(shape)), count)
    at = axis_of(axis, len(shape))
    if sizes is None:
        return Repeated(Tensor((*shape[:at], None, *shape[at + 1 :])), count)
    if len(sizes) != count:
        raise GraphError(f"it has {count} outputs, of {len(sizes)} sizes")
    return [(*shape[:at], size, *shape[at + 1 :]) for size in _parts(shape[at], call.sizes(1) or (), sizes.count(-1))]


def _parts(whole: Dim, sizes: Shape, left_open: int) -> list[Dim]:
    """The sizes of parts, one of which may be what the others leave."""
    found = list(sizes)
    if left_open > 1:
        raise GraphError("more than one size is left to be found")
    others = added(size for size in sizes if size is not None)
    if left_open == 1 and sizes.count(None) == 1 and whole is not None and others is not None:
        found[sizes.index(None)] = whole - others
    elif None not in sizes and whole is not None and others != whole:
        raise GraphError(f"parts of {others} do not make {whole}")
    return found


def _dynamic_partition(call: Call) -> Result:
    count, data, partitions = call.count("num_partitions"), call.shape(0), call.shape(1)
    if data is None or partitions is None:
        return Repeated(Tensor(), count)
    rows(data, len(partitions))
    merged(data[: len(partitions)], partitions)
    return Repeated(Tensor((None, *data[len(partitions) :])), count)


RULES: dict[str, Rule] = {
    "Concat": _concat,
    "ConcatOffset": _concat_offset,
    "ConcatV2": _concat_v2,
    "DynamicPartition": _dynamic_partition,
    "DynamicStitch": _dynamic_stitch,
    "Pack": _pack,
    "ParallelConcat": _parallel_concat,
    "ParallelDynamicStitch": _dynamic_stitch,
    "Split": _split,
    "SplitV": _split_v,
    "Unpack": _unpack,
}
