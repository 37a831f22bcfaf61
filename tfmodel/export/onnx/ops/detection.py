"""Boxes that do not overlap: non-maximum suppression.

ONNX takes boxes [batch, boxes, 4] and scores [batch, classes, boxes], and gives rows of batch, class and box.
"""

from __future__ import annotations

from ..conversion import operators
from ..conversion.call import BOOL, FLOAT, Call
from ..conversion.model import Value
from ..conversion.registry import converter
from ..conversion.scope import INT32, INT64


@converter("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3")
def _suppression(call: Call) -> Value:
    return _chosen(call)


@converter("NonMaxSuppressionV4")
def _padded_suppression(call: Call) -> list[Value]:
    """Boxes, and their number. With pad_to_max_output_size there are zeros behind them."""
    chosen = _chosen(call)
    count = operators.squeeze(call, operators.shape_of(call, chosen, 0, 1), [0])
    return [_padded(call, chosen), count]


@converter("NonMaxSuppressionV5")
def _soft_suppression(call: Call) -> list[Value]:
    """Boxes, their scores and their number. Scores that fade with the overlap have no counterpart."""
    sigma = call.required(5, "the sigma of its scores")
    if sigma.ravel()[0] != 0:
        call.refuse("its scores fade with the overlap (sigma)")
    chosen = _chosen(call)
    scores = call.add("Gather", call.input(1), chosen, axis=0)
    count = operators.squeeze(call, operators.shape_of(call, chosen, 0, 1), [0])
    return [_padded(call, chosen), _padded(call, scores), count]


def _chosen(call: Call) -> Value:
    """Return the numbers of the chosen boxes as a vector of int64."""
    boxes, scores = (call.cast(call.input(index), FLOAT) for index in range(2))
    boxes, scores = operators.unsqueeze(call, boxes, [0]), operators.unsqueeze(call, scores, [0, 1])
    if call.node.op == "NonMaxSuppression":
        overlap = call.const([call.attr("iou_threshold", float, 0.5)], FLOAT)
    else:
        overlap = _limit(call, 3)
    limit = _limit(call, 4) if call.count > 4 else None
    rows = call.add("NonMaxSuppression", boxes, scores, _most(call, 2), overlap, limit, dtype=INT64)
    return call.add("Gather", rows, call.const(2), axis=1)


def _most(call: Call, index: int) -> Value:
    return operators.flat(call, call.int64(index))


def _limit(call: Call, index: int) -> Value:
    """Return a threshold as a vector of one float32."""
    return operators.flat(call, call.input(index, dtype=FLOAT))


def _padded(call: Call, value: Value) -> Value:
    """Return a vector with zeros up to the number of boxes that was asked for, if the node pads."""
    if not call.attr("pad_to_max_output_size", bool, False):
        return value
    missing = call.add("Sub", _most(call, 2), operators.shape_of(call, value, 0, 1))
    pads = operators.join(call, call.const([0]), call.add("Max", missing, call.const([0])))
    return call.add("Pad", value, pads)


@converter("CombinedNonMaxSuppression")
def _combined(call: Call) -> list[Value]:
    """The best boxes of all classes of each image, with zeros behind them: boxes, scores, classes, and their number.

    Scores of boxes that are suppressed become lower than all others; the best are then found over all classes.
    """
    if call.known_shape(0)[2] != 1:
        call.refuse("each class has boxes of its own")
    boxes = operators.squeeze(call, call.input(0), [2])  # [batch, boxes, 4]
    scores = call.transposed(call.input(1), [0, 2, 1])  # [batch, classes, boxes]
    each, total = (int(call.required(index, "the number of its boxes").ravel()[0]) for index in (2, 3))
    count, classes = call.known_shape(1)[1:]
    if call.attr("pad_per_class", bool, False):
        total = min(total, each * classes)
    rows = call.add("NonMaxSuppression", boxes, scores, _most(call, 2), _limit(call, 4), _limit(call, 5), dtype=INT64)
    lowest = call.const(operators.limits(FLOAT)[0], FLOAT)
    nothing = call.add("Expand", lowest, operators.shape_of(call, scores))
    kept = operators.scatter(call, nothing, rows, call.add("GatherND", scores, rows))
    flat = operators.reshape(call, kept, [-1, classes * count])
    found = min(total, classes * count)
    best, places = call.several("TopK", flat, call.const([found]), types=[FLOAT, INT64], axis=-1)
    is_real = call.add("Greater", best, lowest, dtype=BOOL)
    number = call.add("Div", places, call.const(count))
    place = call.add("Mod", places, call.const(count))
    chosen = call.add("GatherND", boxes, operators.unsqueeze(call, place, [-1]), batch_dims=1)
    if call.attr("clip_boxes", bool, True):
        chosen = operators.clip(call, chosen, 0, 1)
    zero = call.const(0, FLOAT)
    chosen = operators.where(call, operators.unsqueeze(call, is_real, [-1]), chosen, zero)
    numbers = operators.where(call, is_real, call.cast(number, FLOAT), zero)
    best = operators.where(call, is_real, best, zero)
    if found < total:
        behind = total - found
        chosen = call.add("Pad", chosen, call.const([0, 0, 0, 0, behind, 0]))
        numbers, best = (call.add("Pad", value, call.const([0, 0, 0, behind])) for value in (numbers, best))
    valid = operators.reduce(call, "ReduceSum", call.cast(is_real, INT32), [1], keepdims=False)
    return [chosen, best, numbers, valid]
