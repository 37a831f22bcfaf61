"""Counting, sets and products of numbers, and the decoder of CTC."""

from __future__ import annotations

from ..conversion import operators
from ..conversion.call import BOOL, Call
from ..conversion.kernels import held
from ..conversion.model import Attribute, OnnxGraph, Value
from ..conversion.registry import converter
from ..conversion.scope import INT32, INT64


@converter("Bincount", "DenseBincount")
def _bincount(call: Call) -> Value:
    """How often each number occurs, or the sum of its weights. Numbers beyond the last one are left out."""
    weights = call.input(2)
    dtype = call.output_dtype()
    numbers, size = call.int64(0), operators.vector(call, 1)
    by_row = call.node.op == "DenseBincount" and call.rank(0) == 2
    if not by_row:
        numbers = operators.flat(call, numbers)
    places = operators.unsqueeze(call, numbers, [-1])
    bins = call.add("Range", call.const(0), operators.squeeze(call, size, [0]), call.const(1))
    is_there = call.add("Equal", places, bins, dtype=BOOL)  # [(rows,) numbers, bins]
    axis = 1 if by_row else 0
    if call.attr("binary_output", bool, False):
        total = operators.reduce(call, "ReduceSum", call.cast(is_there, INT32), [axis], keepdims=False)
        return call.cast(call.cast(total, BOOL), dtype)
    counted = call.cast(is_there, dtype)
    if call.shape(2) is None or 0 not in (call.shape(2) or ()):
        if call.shape(2) is None or None in (call.shape(2) or ()):
            call.refuse("it may have weights or none", "--shape")
        row = weights if by_row else operators.flat(call, weights)
        counted = operators.where(call, is_there, operators.unsqueeze(call, row, [-1]), call.like(0, weights))
    return call.cast(operators.reduce(call, "ReduceSum", counted, [axis], keepdims=False), dtype)


@converter("ListDiff")
def _difference(call: Call) -> list[Value]:
    """The elements of x that are not in y, and their places."""
    x, y = call.input(0), call.input(1)
    if x.dtype == operators.STRING:
        call.need_opset(19, "comparing strings")
    is_equal = call.add("Equal", operators.unsqueeze(call, x, [1]), operators.unsqueeze(call, y, [0]), dtype=BOOL)
    is_there = operators.reduce(call, "ReduceSum", call.cast(is_equal, INT32), [1], keepdims=False)
    is_new = call.add("Not", call.cast(is_there, BOOL))
    count = operators.squeeze(call, operators.shape_of(call, x, 0, 1), [0])
    places = call.add("Range", call.const(0), count, call.const(1))
    return [call.add("Compress", value, is_new, axis=0) for value in (x, places)]


@converter("Cumprod")
def _cumulative_product(call: Call) -> Value:
    """Products of all elements up to each one: a Scan along the axis, whose state is the product."""
    rank = call.rank(0)
    axis = int(call.required(1, "the axis").ravel()[0]) % rank
    exclusive, reverse = (call.attr(name, bool, False) for name in ("exclusive", "reverse"))
    dtype = call.dtype(0)
    if 0 in (call.shape(0) or ()):
        return call.home(0)
    x = held(call, "Mul", call.input(0))
    sizes = operators.shape_of(call, x)
    others = [place for place in range(rank) if place != axis]
    inner = call.add("Gather", sizes, call.const(others), axis=0)
    start = call.add("Expand", call.like(1, x), inner)
    body = OnnxGraph()
    shape = tuple(call.shape(0) or ())[:axis] + tuple(call.shape(0) or ())[axis + 1 :]
    state, element = (Value(x.dtype, shape, f"{call.node.name}/{name}") for name in ("product", "element"))
    body.inputs = [state, element]
    (product,) = body.add("Mul", [state, element], types=[x.dtype], scope=call.node.name)
    (given,) = body.add("Identity", [state if exclusive else product], types=[x.dtype], scope=call.node.name)
    for value in (product, given):
        value.shape = shape
    body.outputs = [product, given]
    directions = {"scan_input_directions": [1], "scan_output_directions": [1]} if reverse else {}
    more: dict[str, Attribute] = {
        "body": body,
        "num_scan_inputs": 1,
        "scan_input_axes": [axis],
        "scan_output_axes": [axis],
        **directions,
    }
    _, result = call.several("Scan", start, x, types=[x.dtype, x.dtype], more=more)
    return call.laid_out(call.cast(result, dtype))


@converter("CTCGreedyDecoder")
def _greedy_decoder(call: Call) -> list[Value]:
    """The best class of each step, without repeated and blank ones: a sparse matrix [batch, decoded], and scores.

    A step counts if it is before the end of its sequence, its class is not the blank, and, with merge_repeated, the
    class is not that of the step before.
    """
    inputs, lengths = call.input(0), call.int64(1)  # [time, batch, classes]
    blank = call.const(call.attr("blank_index", int, -1))
    if call.attr("blank_index", int, -1) < 0:  # counted from the end
        blank = call.add("Add", blank, operators.shape_of(call, inputs, 2))
    best = call.add("ArgMax", inputs, dtype=INT64, axis=2, keepdims=0)  # [time, batch]
    best = call.transposed(best, [1, 0])  # [batch, time]
    steps = operators.squeeze(call, operators.shape_of(call, inputs, 0, 1), [0])
    times = call.add("Range", call.const(0), steps, call.const(1))
    is_before_end = call.add("Less", times, operators.unsqueeze(call, lengths, [1]), dtype=BOOL)
    counts = call.add("Not", call.add("Equal", best, blank, dtype=BOOL))
    if call.attr("merge_repeated", bool, False):
        before = call.add(
            "Pad", operators.slice_axes(call, best, [0], [-1], [1]), call.const([0, 1, 0, 0]), call.const(-1)
        )
        counts = call.add("And", counts, call.add("Not", call.add("Equal", best, before, dtype=BOOL)))
    counts = call.add("And", counts, is_before_end)
    places = call.transposed(call.add("NonZero", counts, dtype=INT64), [1, 0])  # [decoded, 2]: batch and time
    values = call.add("GatherND", best, places)
    position = call.add("CumSum", call.cast(counts, INT64), call.const(1), exclusive=1)
    row, column = operators.slice_axes(call, places, [0], [1], [1]), call.add("GatherND", position, places)
    indices = call.add("Concat", row, operators.unsqueeze(call, column, [1]), axis=1)
    longest = operators.reduce(call, "ReduceSum", call.cast(counts, INT64), [1], keepdims=False)
    width = call.add("Max", operators.reduce(call, "ReduceMax", longest, [0], keepdims=True), call.const([0]))
    shape = operators.join(call, operators.shape_of(call, inputs, 1, 2), width)
    top = operators.reduce(call, "ReduceMax", inputs, [2], keepdims=False)  # [time, batch]
    top = call.transposed(top, [1, 0])
    zero = call.like(0, inputs)
    total = operators.reduce(call, "ReduceSum", operators.where(call, is_before_end, top, zero), [1], keepdims=True)
    return [indices, values, shape, call.add("Neg", total)]
