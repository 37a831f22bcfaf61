"""Non-maximum suppression: select the best of overlapping boxes.

    NonMaxSuppressionV3(boxes[n, 4], scores[n], most, 0.5, 0.1)     the indices of boxes, best first

The best box is taken, those that overlap it too much (intersection over union above a threshold) go, and so on. The
soft kind lowers their scores instead. Of boxes with equal scores the first comes first (of equal boxes of different
classes, CombinedNonMaxSuppression gives those of the first class first, and TensorFlow any if there are more than 16).
There is a loop over the boxes that are taken; what one of them does to all others is one calculation.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from ..runtime.argument_checks import check, read_scalar, show, zeros
from ..runtime.memory_limit import LIST_ITEM_BYTES, claim
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []

Overlap = Callable[[int, Tensor], Tensor]
"""How much a box overlaps some others."""


@kernel("NonMaxSuppression")
def non_max_suppression(boxes: Tensor, scores: Tensor, max_output_size: Tensor, *, iou_threshold: float) -> Tensor:
    _check_threshold(iou_threshold)
    return _of_boxes(boxes, scores, max_output_size, np.float32(iou_threshold))


@kernel("NonMaxSuppressionV2", "NonMaxSuppressionV3")
def non_max_suppression_v3(
    boxes: Tensor, scores: Tensor, max_output_size: Tensor, iou_threshold: Tensor, score_threshold: Tensor | None = None
) -> Tensor:
    return _of_boxes(boxes, scores, max_output_size, _threshold(iou_threshold), _least(score_threshold))


@kernel("NonMaxSuppressionV4")
def non_max_suppression_v4(
    boxes: Tensor,
    scores: Tensor,
    max_output_size: Tensor,
    iou_threshold: Tensor,
    score_threshold: Tensor,
    *,
    pad_to_max_output_size: bool,
) -> tuple[Tensor, Tensor]:
    found = _of_boxes(boxes, scores, max_output_size, _threshold(iou_threshold), _least(score_threshold))
    size = read_scalar(max_output_size, "max_output_size") if pad_to_max_output_size else len(found)
    return _padded(found, size), np.asarray(np.int32(len(found)))


@kernel("NonMaxSuppressionV5")
def non_max_suppression_v5(
    boxes: Tensor,
    scores: Tensor,
    max_output_size: Tensor,
    iou_threshold: Tensor,
    score_threshold: Tensor,
    soft_nms_sigma: Tensor,
    *,
    pad_to_max_output_size: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    most, threshold, least = _most(max_output_size), _threshold(iou_threshold), _least(score_threshold)
    sigma = read_scalar(soft_nms_sigma, "soft_nms_sigma")
    check(sigma >= 0, f"soft_nms_sigma must not be negative, and is {sigma}")
    overlap = _overlap_of_boxes(boxes, scores)
    if sigma > 0:
        found, kept = _soft(scores, overlap, most, least, scores.dtype.type(sigma))
    else:
        found = _hard(scores, overlap, most, threshold, least)
        kept = scores[found]
    size = most if pad_to_max_output_size else len(found)
    return _padded(found, size), _padded(kept, size), np.asarray(np.int32(len(found)))


@kernel("NonMaxSuppressionWithOverlaps")
def non_max_suppression_with_overlaps(
    overlaps: Tensor, scores: Tensor, max_output_size: Tensor, overlap_threshold: Tensor, score_threshold: Tensor
) -> Tensor:
    check(
        overlaps.ndim == 2 and overlaps.shape[0] == overlaps.shape[1],
        f"overlaps must be square, not of shape {show(overlaps.shape)}",
    )
    check(scores.shape == overlaps.shape[:1], f"there are {len(overlaps)} boxes and scores {show(scores.shape)}")

    def overlap(best: int, others: Tensor) -> Tensor:
        return np.asarray(overlaps[others, best])

    threshold = read_scalar(overlap_threshold, "overlap_threshold")
    return _hard(scores, overlap, _most(max_output_size), threshold, _least(score_threshold)).astype(np.int32)


@kernel("CombinedNonMaxSuppression")
def combined_non_max_suppression(
    boxes: Tensor,
    scores: Tensor,
    max_output_size_per_class: Tensor,
    max_total_size: Tensor,
    iou_threshold: Tensor,
    score_threshold: Tensor,
    *,
    pad_per_class: bool,
    clip_boxes: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the best boxes of all classes. Boxes are [batch, n, 1 or classes, 4], scores [batch, n, classes]."""
    check(
        boxes.ndim == 4 and scores.ndim == 3 and boxes.shape[:2] == scores.shape[:2] and boxes.shape[3] == 4,
        f"boxes must be [batch,n,q,4], scores [batch,n,classes], not {show(boxes.shape)} and {show(scores.shape)}",
    )
    batch, _, classes = scores.shape
    check(boxes.shape[2] in (1, classes), f"third dimension of boxes must be 1 or {classes}, not {boxes.shape[2]}")
    most, total = (read_scalar(each, "sizes") for each in (max_output_size_per_class, max_total_size))
    check(most > 0 and total > 0, "max_output_size_per_class and max_total_size must be greater than zero")
    threshold, least = _threshold(iou_threshold), _least(score_threshold)
    size = min(total, most * classes) if pad_per_class else total
    count = boxes.shape[1]
    claim(batch * size * _FOUND + classes * (_CLASS + 2 * LIST_ITEM_BYTES * min(count, most)) + count * _BOX)
    found = [_of_all_classes(boxes[at], scores[at], most, size, threshold, least) for at in range(batch)]
    places = np.array([row[0] for row in found], np.float32).reshape(batch, size, 4)
    best = np.array([row[1] for row in found], np.float32).reshape(batch, size)
    of = np.array([row[2] for row in found], np.float32).reshape(batch, size)
    return np.clip(places, 0, 1) if clip_boxes else places, best, of, np.array([row[3] for row in found], np.int32)


_FOUND = 64
"""Bytes of a box that is given, with its score and class, in the row of its image and among all."""
_CLASS = 400
"""Bytes of the lists and arrays of a class."""
_BOX = 200
"""Bytes of a box while it is compared with others, whatever their type."""


def _of_all_classes(
    boxes: Tensor, scores: Tensor, most: int, size: int, threshold: Any, least: Any
) -> tuple[Tensor, Tensor, Tensor, int]:
    """Return the boxes, scores and classes of the best boxes of one image, and their number."""
    indices, classes = [], []
    for each in range(scores.shape[1]):
        of_class = boxes[:, each if boxes.shape[1] > 1 else 0]
        overlap = _overlap_of_boxes(of_class, scores[:, each])
        kept = _hard(scores[:, each], overlap, most, threshold, least, order=_heap_order)
        indices.append(kept)
        classes.append(np.full(len(kept), each))
    index, of = (np.concatenate(each) if each else np.zeros(0, np.int64) for each in (indices, classes))
    best = np.argsort(-scores[index, of], kind="stable")[:size]
    index, of = index[best], of[best]
    places = boxes[index, of if boxes.shape[1] > 1 else 0]
    return _padded(places, size), _padded(scores[index, of], size), _padded(of, size), len(best)


# --- inputs ----------------------------------------------------------------------------------------------------------


def _most(max_output_size: Tensor) -> int:
    size: int = read_scalar(max_output_size, "max_output_size")
    check(size >= 0, f"max_output_size must not be negative, and is {size}")
    return size


def _threshold(iou_threshold: Tensor) -> Any:
    _check_threshold(read_scalar(iou_threshold, "iou_threshold"))
    return iou_threshold[()]


def _check_threshold(threshold: float) -> None:
    check(0 <= threshold <= 1, f"iou_threshold must be in [0, 1], and is {threshold}")


def _least(score_threshold: Tensor | None) -> Any:
    if score_threshold is None:
        return None
    read_scalar(score_threshold, "score_threshold")
    return score_threshold[()]


def _padded(values: Tensor, size: int) -> Tensor:
    filled = zeros((size, *values.shape[1:]), values.dtype)
    filled[: len(values)] = values
    return filled


# --- overlaps --------------------------------------------------------------------------------------------------------


def _overlap_of_boxes(boxes: Tensor, scores: Tensor) -> Overlap:
    """Return intersection over union of boxes [n, 4], two opposite corners; 0 for boxes without an area."""
    check(boxes.ndim == 2 and boxes.shape[1] == 4, f"boxes must be [n,4], not {show(boxes.shape)}")
    check(scores.shape == boxes.shape[:1], f"there are {len(boxes)} boxes and scores of shape {show(scores.shape)}")
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    area = (high - low)[:, 0] * (high - low)[:, 1]
    zero = boxes.dtype.type(0)

    def overlap(best: int, others: Tensor) -> Tensor:
        sides = np.minimum(high[others], high[best]) - np.maximum(low[others], low[best])
        common = np.maximum(sides[:, 0], zero) * np.maximum(sides[:, 1], zero)
        shared = common / (area[others] + area[best] - common)
        return np.asarray(np.where((area[others] <= 0) | (area[best] <= 0), zero, shared))

    return overlap


# --- suppression -----------------------------------------------------------------------------------------------------


def _of_boxes(boxes: Tensor, scores: Tensor, max_output_size: Tensor, threshold: Any, least: Any = None) -> Tensor:
    found = _hard(scores, _overlap_of_boxes(boxes, scores), _most(max_output_size), threshold, least)
    return found.astype(np.int32)


def _best_first(scores: Tensor) -> Tensor:
    return np.asarray(np.argsort(-scores, kind="stable"))


def _hard(
    scores: Tensor,
    overlap: Overlap,
    most: int,
    threshold: Any,
    least: Any = None,
    *,
    order: Callable[[Tensor], Tensor] = _best_first,
) -> Tensor:
    """Return the indices of a limited number of boxes with a score above `least`, best first."""
    lowest = np.finfo(scores.dtype).min if least is None else least
    left = np.nonzero(scores > lowest)[0]
    left = left[order(scores[left])]
    found: list[int] = []
    block = _FIRST
    while left.size and len(found) < most:
        near, left = left[:block], left[block:]
        block *= 2
        for best in found:
            near = near[~(overlap(best, near) > threshold)]
        while near.size and len(found) < most:
            best, near = int(near[0]), near[1:]
            found.append(best)
            near = near[~(overlap(best, near) > threshold)]
    return np.array(found, np.int64)


_FIRST = 256
"""Of the best boxes, so many are looked at first, then twice as many, ...: most of the others will not be needed."""


def _soft(scores: Tensor, overlap: Overlap, most: int, least: Any, sigma: Any) -> tuple[Tensor, Tensor]:
    """The same, with scores that are lowered by exp(-overlap**2 / 2 sigma) for every box that is taken before.

    A score is brought up to date when it comes to be the largest. For negative scores, which become larger, that is
    something else than doing it at once, and it is what the C++ kernel does.
    """
    scale = scores.dtype.type(-0.5) / sigma
    queue = [(-scores[index], index, 0) for index in np.nonzero(scores > least)[0].tolist()]
    heapq.heapify(queue)
    found: list[int] = []
    kept: list[Any] = []
    while queue and len(found) < most:
        negative, index, seen = heapq.heappop(queue)
        shared = overlap(index, np.array(found[seen:][::-1], np.int64))
        lowered = np.multiply.accumulate([-negative, *np.exp(scale * shared * shared)], dtype=scores.dtype)
        if lowered[-1] == lowered[0]:
            found.append(index)
            kept.append(lowered[0])
        elif (lowered[1:] > least).all():
            heapq.heappush(queue, (-lowered[-1], index, len(found)))
    return np.array(found, np.int64), np.array(kept, scores.dtype)


# --- ties ------------------------------------------------------------------------------------------------------------


def _heap_order(scores: Tensor) -> Tensor:
    """Return indices, best first; equal scores in the order of a C++ priority queue that is filled from the front.

    CombinedNonMaxSuppression takes its boxes from one that looks at nothing but scores.
    """
    if len(np.unique(scores)) == len(scores):
        return _best_first(scores)
    values, heap = scores.tolist(), []
    for index in range(len(values)):
        heap.append(index)
        _sift_up(heap, values, index, index)
    order = []
    while heap:
        order.append(heap[0])
        last = heap.pop()
        if heap:
            _sift_up(heap, values, _hole_sunk(heap, values), last)
    return np.array(order, np.int64)


def _sift_up(heap: list[int], values: list[float], hole: int, index: int) -> None:
    while hole and values[heap[(hole - 1) // 2]] < values[index]:
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = index


def _hole_sunk(heap: list[int], values: list[float]) -> int:
    """Return the final position of a hole at the top: the larger child moves up, the second of equal ones."""
    hole, size = 0, len(heap)
    while (child := 2 * hole + 2) < size:
        if values[heap[child]] < values[heap[child - 1]]:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if child == size:
        heap[hole] = heap[child - 1]
        hole = child - 1
    return hole
