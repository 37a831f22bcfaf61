"""Slices, splitting, joining, padding, reversal."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....messages import DataType
from ..conversion import operators
from ..conversion.call import Call
from ..conversion.model import Array, Value
from ..conversion.operators import MAX
from ..conversion.registry import converter
from ..conversion.scope import INT32, INT64, without

# --- slices ----------------------------------------------------------------------------------------------------------


@dataclass
class _Cuts:
    """The axes that a StridedSlice cuts, with begin, end and step, and those that it removes and adds.

    A begin of None is an element of the computed vector of begins.
    """

    axes: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    begins: list[int | None] = field(default_factory=list)
    ends: list[int | None] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)

    def take_indexed(self) -> list[tuple[int, int]]:
        """Remove the axes of which one element is taken at a computed place; return them with their begins' places."""
        found = [
            (axis, place)
            for axis, place, begin in zip(self.axes, self.places, self.begins, strict=True)
            if axis in self.removed and begin is None
        ]
        taken = {axis for axis, _ in found}
        kept = [number for number, axis in enumerate(self.axes) if axis not in taken]
        for name in ("places", "begins", "ends", "steps", "axes"):
            setattr(self, name, [getattr(self, name)[number] for number in kept])
        self.removed = [axis for axis in self.removed if axis not in taken]
        return found


@converter("StridedSlice")
def _strided_slice(call: Call) -> Value:
    """A slice in Python's notation: x[1:, ::-1, None, ..., 0]."""
    cuts = _cuts(call)
    value, order = (call.sized(0), None) if cuts.added else call.moved(0)
    removed = cuts.removed
    cuts.axes, cuts.removed = call.places(cuts.axes, order), sorted(call.places(removed, order))
    order = without(order, removed)
    if cuts.axes and _is_single_element(cuts):
        return call.laid_out(_element(call, value, cuts.begins[0], cuts.places[0], cuts.axes[0]), order)
    indexed = cuts.take_indexed()
    if cuts.axes:
        begins, ends = _bounds(call, cuts, 1, cuts.begins), _bounds(call, cuts, 2, cuts.ends)
        value = operators.slice_axes(call, value, begins, ends, cuts.axes, cuts.steps)
    if cuts.removed:
        value = operators.squeeze(call, value, cuts.removed)
    for axis, place in sorted(indexed, reverse=True):
        value = _element(call, value, None, place, axis - sum(each < axis for each in cuts.removed))
    if cuts.added:
        value = operators.unsqueeze(call, value, cuts.added)
    return value if value is call.home(0) else call.laid_out(value, order)


def _is_single_element(cuts: _Cuts) -> bool:
    return len(cuts.axes) == 1 and cuts.removed == cuts.axes and not cuts.added


def _element(call: Call, value: Value, begin: int | None, place: int, axis: int) -> Value:
    """Take one element of an axis, which removes the axis: Gather with a scalar, perhaps a computed one."""
    if begin is not None:
        return call.add("Gather", value, call.const(begin), axis=axis)
    index = call.int64(1)
    if index.shape == (1,):
        index = operators.squeeze(call, index, [0])
    else:
        index = call.add("Gather", index, call.const(place), axis=0)
    return call.add("Gather", value, index, axis=axis)


def _bounds(call: Call, cuts: _Cuts, index: int, known: list[int | None]) -> list[int] | Value:
    """Return constant begins or ends, or the vector that holds the computed ones."""
    if None not in known:
        return [bound for bound in known if bound is not None]
    vector = call.int64(index)
    if all(bound is None for bound in known) and cuts.places == list(range(call.known_shape(index)[0])):
        return vector
    parts: list[Value] = []
    for place, bound in zip(cuts.places, known, strict=True):
        is_known = bound is not None
        parts.append(call.const([bound]) if is_known else operators.slice_axes(call, vector, [place], [place + 1], [0]))
    return parts[0] if len(parts) == 1 else call.add("Concat", *parts, axis=0)


def _cuts(call: Call) -> _Cuts:
    """Return what the masks and the constant parts of begin and end say about each axis."""
    masks = {
        name: call.attr(f"{name}_mask", int, 0) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
    }
    count = call.known_shape(1)[0]
    begins, ends = call.known(1) or (None,) * count, call.known(2) or (None,) * count
    steps = call.required(3, "the step").ravel().tolist()
    given = sum(1 for place in range(count) if not (masks["new_axis"] | masks["ellipsis"]) >> place & 1)
    shape = call.shape(0)
    cuts, axis, target, is_behind = _Cuts(), 0, 0, False
    for place in range(count):
        if masks["ellipsis"] >> place & 1:
            if shape is None:
                call.refuse("the rank of its input is not known", "--shape")
            axis, target = len(shape) - _behind(masks, place, count), target + len(shape) - given
            is_behind = True
        elif masks["new_axis"] >> place & 1:
            cuts.added.append(target)
            target += 1
        else:
            _cut(cuts, masks, place, axis, begins[place], ends[place], int(steps[place]))
            target += not masks["shrink_axis"] >> place & 1
            axis += 1
    assert is_behind or axis == given
    return cuts


def _behind(masks: dict[str, int], ellipsis: int, count: int) -> int:
    """Return how many axes stand behind an ellipsis."""
    return sum(1 for place in range(ellipsis + 1, count) if not masks["new_axis"] >> place & 1)


def _cut(
    cuts: _Cuts, masks: dict[str, int], place: int, axis: int, begin: int | None, end: int | None, step: int
) -> None:
    if masks["shrink_axis"] >> place & 1:
        cuts.removed.append(axis)
        step = 1
        end = None if begin is None else (MAX if begin == -1 else begin + 1)
    else:
        if masks["begin"] >> place & 1:
            begin = 0 if step > 0 else MAX
        if masks["end"] >> place & 1:
            end = MAX if step > 0 else -MAX - 1
        if begin == 0 and end == MAX and step == 1:
            return
    cuts.axes.append(axis)
    cuts.places.append(place)
    cuts.begins.append(None if begin is None else int(begin))
    cuts.ends.append(None if end is None else int(end))
    cuts.steps.append(step)


@converter("Slice")
def _slice(call: Call) -> Value:
    """A slice of begin and size; a size of -1 goes to the end."""
    if call.shape(0) == ():
        return call.home(0)
    begins, sizes = call.known(1), call.known(2)
    rank = len(begins or sizes or ()) or call.known_shape(1)[0]
    if begins is not None and sizes is not None and None not in begins and None not in sizes:
        value, order = call.moved(0)
        ends = [MAX if size == -1 else begin + size for begin, size in zip(begins, sizes, strict=True)]
        shape = call.shape(0) or (None,) * rank
        cut = [a for a in range(rank) if begins[a] or not (ends[a] == MAX or ends[a] == shape[a])]
        if not cut:
            return call.home(0)
        starts, stops = ([int(vector[axis]) for axis in cut] for vector in (begins, ends))
        return call.laid_out(operators.slice_axes(call, value, starts, stops, call.places(cut, order)), order)
    value = call.sized(0)
    begin, size = call.int64(1), call.int64(2)
    end = call.add("Add", begin, size)
    if sizes is None or None in sizes or -1 in sizes:
        is_rest = call.add("Equal", size, call.const(-1), dtype=DataType.DT_BOOL)
        end = call.add("Where", is_rest, call.const(MAX), end, dtype=INT64)
    return call.laid_out(operators.slice_axes(call, value, begin, end, list(range(rank))))


@converter("ReverseV2", "Reverse")
def _reverse(call: Call) -> Value:
    rank = call.rank(0)
    if call.node.op == "Reverse":
        axes = [axis for axis, flag in enumerate(call.required(1, "the axes").ravel().tolist()) if flag]
    else:
        axes = call.axes(1, rank)
    if not axes or not rank:
        return call.home(0)
    count = len(axes)
    value, order = call.moved(0)
    places = call.places(axes, order)
    value = operators.slice_axes(call, value, [-1] * count, [-MAX - 1] * count, places, [-1] * count)
    return call.laid_out(value, order)


@converter("ReverseSequence")
def _reverse_sequence(call: Call) -> Value:
    """onnxruntime reverses along axes 0 and 1 alone."""
    time, batch = call.attr("seq_dim", int), call.attr("batch_dim", int, 0)
    lengths, value = call.int64(1), call.input(0)
    if {time, batch} == {0, 1}:
        return call.laid_out(call.add("ReverseSequence", value, lengths, time_axis=time, batch_axis=batch))
    order = [time, batch, *(axis for axis in range(call.rank(0)) if axis not in (time, batch))]
    turned = call.add("ReverseSequence", call.transposed(value, order), lengths, time_axis=0, batch_axis=1)
    return call.laid_out(call.transposed(turned, [order.index(axis) for axis in range(len(order))]))


# --- splitting and joining -------------------------------------------------------------------------------------------


@converter("Split", "SplitV")
def _split(call: Call) -> list[Value]:
    """Parts along an axis, of equal sizes or of given ones, of which one may be -1."""
    is_equal = call.node.op == "Split"
    index = 1 if is_equal else 0
    axis = int(call.required(0 if is_equal else 2, "the axis").ravel()[0])
    count = call.attr("num_split", int)
    value, order = call.moved(index)
    if order is not None:
        (axis,) = call.places([axis % len(order)], order)
    whole = value.shape[axis] if value.shape is not None else None
    if is_equal:
        sizes = None if whole is None else call.const([whole // count] * count)
        extra = {"num_outputs": count} if sizes is None and call.opset >= 18 else {}
    else:
        sizes, extra = _split_sizes(call, whole), {}
    if count == 1:
        return [call.home(index)]
    parts = call.several("Split", value, sizes, types=[value.dtype] * count, axis=axis, more=extra)
    return [call.laid_out(part, order, port) for port, part in enumerate(parts)]


def _split_sizes(call: Call, whole: int | None) -> Value:
    sizes = call.constant(1)
    if sizes is None or -1 not in sizes:
        return call.int64(1)
    if whole is None:
        call.refuse("the rest of a split has an unknown size", "--shape")
    rest = whole - int(sizes[sizes != -1].sum())
    return call.const([rest if size == -1 else int(size) for size in sizes.ravel()])


@converter("Unpack")
def _unpack(call: Call) -> list[Value]:
    """One place of an axis for each output that is used."""
    axis, count = call.attr("axis", int, 0), call.attr("num", int)
    value = call.sized(0)
    return [call.laid_out(call.add("Gather", value, call.const(port), axis=axis), port=port) for port in range(count)]


@converter("Pack", "Stack")
def _pack(call: Call) -> Value:
    axis = call.attr("axis", int, 0)
    wide = call.stays_int64()
    values = [call.input(index, dtype=INT64 if wide else None) for index in range(call.count)]
    values = [operators.unsqueeze(call, value, [axis]) for value in values]
    return call.laid_out(call.add("Concat", *values, axis=axis)) if len(values) > 1 else values[0]


@converter("Concat", "ConcatV2")
def _concat(call: Call) -> Value:
    """Join along an axis, in the layout of the operands."""
    axis_index = 0 if call.node.op == "Concat" else call.count - 1
    indices = [index for index in range(call.count) if index != axis_index]
    axis = int(call.required(axis_index, "the axis").ravel()[0])
    indices = [index for index in indices if call.shape(index) != (0,)] or indices[:1]
    if len(indices) == 1:
        return call.home(indices[0])
    wide = call.stays_int64(indices)
    shape = call.output_shape()
    order = None if shape is None else call.common_order(indices)
    if order is not None:
        (axis,) = call.places([axis % len(order)], order)
    values = [call.input(index, order=order, dtype=INT64 if wide else None) for index in indices]
    return call.laid_out(call.add("Concat", *values, axis=axis), order)


# --- padding ---------------------------------------------------------------------------------------------------------


@converter("Pad", "PadV2", "MirrorPad")
def _pad(call: Call) -> Value:
    """Pad; ONNX lists all sizes before the axes, and then all sizes behind them."""
    if call.shape(0) == ():
        return call.home(0)
    mode = call.attr("mode", str, "") if call.node.op == "MirrorPad" else ""
    filler = call.input(2) if call.node.op == "PadV2" else None
    pairs = call.constant(1)
    order = call.order(0) if pairs is not None else None
    value = call.input(0, order=order)
    if pairs is not None and order is not None:
        pairs = pairs[list(order)]
    if mode == "SYMMETRIC":
        return call.laid_out(_symmetric(call, value, pairs), order)
    if pairs is None:
        turned = call.add("Transpose", call.int64(1), perm=[1, 0])
        return call.laid_out(_padded(call, value, operators.reshape(call, turned, [-1]), filler, mode))
    return call.laid_out(_padded(call, value, call.const(pairs.T.ravel()), filler, mode), order)


def _padded(call: Call, value: Value, sizes: Value, filler: Value | None, mode: str) -> Value:
    if value.dtype == INT32 and call.home(0).dtype == INT64:
        value = call.int64(0)
        filler = None if filler is None else call.cast(filler, INT64)
    return call.add("Pad", value, sizes, filler, mode="reflect" if mode == "REFLECT" else "constant")


def _symmetric(call: Call, value: Value, pairs: Array | None) -> Value:
    """Mirror with the edge itself, for which ONNX has no mode: gather the places."""
    if pairs is None:
        call.refuse("how much it pads is computed")
    for axis, pair in enumerate(pairs.tolist()):
        if any(pair):
            size = None if value.shape is None else value.shape[axis]
            if size is None:
                call.refuse("the sizes of what it mirrors are not known", "--shape")
            value = call.add("Gather", value, call.const(np.pad(np.arange(size), pair, "symmetric")), axis=axis)
    return value
