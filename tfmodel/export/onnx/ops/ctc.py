"""The decoder of CTC, which is for sequences of sounds or letters."""

from __future__ import annotations

from ..conversion import operators
from ..conversion.call import BOOL, Call
from ..conversion.model import Value
from ..conversion.registry import converter
from ..conversion.scope import INT64


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
