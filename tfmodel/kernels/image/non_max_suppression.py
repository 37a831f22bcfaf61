"""Kernels of non-maximum suppression: select the best of overlapping boxes.

    NonMaxSuppressionV3(boxes[n, 4], scores[n], max_output_size, 0.5, 0.1)     the indices of boxes, best first

The best box is selected, boxes that overlap it too much (intersection over union above a threshold) are dropped, and
this is repeated. Soft suppression lowers their scores instead.

Boxes with equal scores are selected in the order of the input. In CombinedNonMaxSuppression, boxes of one class with
equal scores are selected in the order of `_heap_order`, and boxes of different classes in the order of the classes;
TensorFlow's order of different classes is undefined for more than 16 boxes.

The loop is over the selected boxes; the overlaps of a box with all others are computed at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from ..runtime.argument_checks import check, read_scalar, show, zeros
from ..runtime.memory_limit import LIST_ITEM_BYTES, claim
from ..runtime.registry import Tensor, kernel

Overlap = Callable[[int, Tensor], Tensor]
"""Returns the overlap of a box with some others."""


@kernel("NonMaxSuppression")
def non_max_suppression(boxes: Tensor, scores: Tensor, max_output_size: Tensor, *, iou_threshold: float) -> Tensor:
    _check_threshold(iou_threshold)
    return _suppress(boxes, scores, max_output_size, np.float32(iou_threshold))


@kernel("NonMaxSuppressionV2", "NonMaxSuppressionV3")
def non_max_suppression_v3(
    boxes: Tensor, scores: Tensor, max_output_size: Tensor, iou_threshold: Tensor, score_threshold: Tensor | None = None
) -> Tensor:
    return _suppress(boxes, scores, max_output_size, _read_threshold(iou_threshold), _read_min_score(score_threshold))


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
    selected = _suppress(
        boxes, scores, max_output_size, _read_threshold(iou_threshold), _read_min_score(score_threshold)
    )
    size = read_scalar(max_output_size, "max_output_size") if pad_to_max_output_size else len(selected)
    return _pad(selected, size), np.asarray(np.int32(len(selected)))


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
    max_count, threshold, min_score = (
        _read_max_count(max_output_size),
        _read_threshold(iou_threshold),
        _read_min_score(score_threshold),
    )
    sigma = read_scalar(soft_nms_sigma, "soft_nms_sigma")
    check(sigma >= 0, f"soft_nms_sigma must not be negative, and is {sigma}")
    overlap = _make_overlap(boxes, scores)
    if sigma > 0:
        selected, selected_scores = _select_soft(scores, overlap, max_count, min_score, scores.dtype.type(sigma))
    else:
        selected = _select_hard(scores, overlap, max_count, threshold, min_score)
        selected_scores = scores[selected]
    size = max_count if pad_to_max_output_size else len(selected)
    return _pad(selected, size), _pad(selected_scores, size), np.asarray(np.int32(len(selected)))


@kernel("NonMaxSuppressionWithOverlaps")
def non_max_suppression_with_overlaps(
    overlaps: Tensor, scores: Tensor, max_output_size: Tensor, overlap_threshold: Tensor, score_threshold: Tensor
) -> Tensor:
    check(
        overlaps.ndim == 2 and overlaps.shape[0] == overlaps.shape[1],
        f"overlaps must be square, not of shape {show(overlaps.shape)}",
    )
    check(scores.shape == overlaps.shape[:1], f"scores must be of shape [{len(overlaps)}], not {show(scores.shape)}")

    def overlap(best: int, indices: Tensor) -> Tensor:
        return np.asarray(overlaps[indices, best])

    threshold = read_scalar(overlap_threshold, "overlap_threshold")
    return _select_hard(
        scores, overlap, _read_max_count(max_output_size), threshold, _read_min_score(score_threshold)
    ).astype(np.int32)


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
    max_per_class = read_scalar(max_output_size_per_class, "max_output_size_per_class")
    total = read_scalar(max_total_size, "max_total_size")
    check(max_per_class > 0 and total > 0, "max_output_size_per_class and max_total_size must be greater than zero")
    threshold, min_score = _read_threshold(iou_threshold), _read_min_score(score_threshold)
    size = min(total, max_per_class * classes) if pad_per_class else total
    count = boxes.shape[1]
    claim(
        batch * size * _RESULT_BYTES
        + classes * (_CLASS_BYTES + 2 * LIST_ITEM_BYTES * min(count, max_per_class))
        + count * _BOX_BYTES
    )
    rows = [
        _select_of_all_classes(boxes[image], scores[image], max_per_class, size, threshold, min_score)
        for image in range(batch)
    ]
    selected_boxes = np.array([row[0] for row in rows], np.float32).reshape(batch, size, 4)
    selected_scores = np.array([row[1] for row in rows], np.float32).reshape(batch, size)
    selected_classes = np.array([row[2] for row in rows], np.float32).reshape(batch, size)
    return (
        np.clip(selected_boxes, 0, 1) if clip_boxes else selected_boxes,
        selected_scores,
        selected_classes,
        np.array([row[3] for row in rows], np.int32),
    )


_RESULT_BYTES = 64
"""Bytes of a selected box, its score and its class. They exist twice: in the results of an image and in the outputs."""
_CLASS_BYTES = 400
"""Bytes of the lists and arrays of a class."""
_BOX_BYTES = 200
"""Bytes of a box of any type while it is compared with others."""


def _select_of_all_classes(
    boxes: Tensor, scores: Tensor, max_count: int, size: int, threshold: Any, min_score: Any
) -> tuple[Tensor, Tensor, Tensor, int]:
    """Return the boxes, scores and classes of the best boxes of one image, and their number."""
    indices, classes = [], []
    for number in range(scores.shape[1]):
        class_boxes = boxes[:, number if boxes.shape[1] > 1 else 0]
        overlap = _make_overlap(class_boxes, scores[:, number])
        selected = _select_hard(scores[:, number], overlap, max_count, threshold, min_score, order=_heap_order)
        indices.append(selected)
        classes.append(np.full(len(selected), number))
    index, class_index = (np.concatenate(parts) if parts else np.zeros(0, np.int64) for parts in (indices, classes))
    best = np.argsort(-scores[index, class_index], kind="stable")[:size]
    index, class_index = index[best], class_index[best]
    selected_boxes = boxes[index, class_index if boxes.shape[1] > 1 else 0]
    return _pad(selected_boxes, size), _pad(scores[index, class_index], size), _pad(class_index, size), len(best)


# --- inputs ----------------------------------------------------------------------------------------------------------


def _read_max_count(max_output_size: Tensor) -> int:
    size: int = read_scalar(max_output_size, "max_output_size")
    check(size >= 0, f"max_output_size must not be negative, and is {size}")
    return size


def _read_threshold(iou_threshold: Tensor) -> Any:
    _check_threshold(read_scalar(iou_threshold, "iou_threshold"))
    return iou_threshold[()]


def _check_threshold(threshold: float) -> None:
    check(0 <= threshold <= 1, f"iou_threshold must be in [0, 1], and is {threshold}")


def _read_min_score(score_threshold: Tensor | None) -> Any:
    if score_threshold is None:
        return None
    read_scalar(score_threshold, "score_threshold")
    return score_threshold[()]


def _pad(values: Tensor, size: int) -> Tensor:
    filled = zeros((size, *values.shape[1:]), values.dtype)
    filled[: len(values)] = values
    return filled


# --- overlaps --------------------------------------------------------------------------------------------------------


def _make_overlap(boxes: Tensor, scores: Tensor) -> Overlap:
    """Return a function that computes intersection over union of boxes [n, 4]; each box is given by two
    opposite corners.

    The overlap of a box without an area is 0.
    """
    check(boxes.ndim == 2 and boxes.shape[1] == 4, f"boxes must be [n,4], not {show(boxes.shape)}")
    check(scores.shape == boxes.shape[:1], f"scores must be of shape [{len(boxes)}], not {show(scores.shape)}")
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    area = (high - low)[:, 0] * (high - low)[:, 1]
    zero = boxes.dtype.type(0)

    def overlap(best: int, indices: Tensor) -> Tensor:
        sides = np.minimum(high[indices], high[best]) - np.maximum(low[indices], low[best])
        common = np.maximum(sides[:, 0], zero) * np.maximum(sides[:, 1], zero)
        ratio = common / (area[indices] + area[best] - common)
        return np.asarray(np.where((area[indices] <= 0) | (area[best] <= 0), zero, ratio))

    return overlap


# --- suppression -----------------------------------------------------------------------------------------------------


def _suppress(boxes: Tensor, scores: Tensor, max_output_size: Tensor, threshold: Any, min_score: Any = None) -> Tensor:
    selected = _select_hard(
        scores, _make_overlap(boxes, scores), _read_max_count(max_output_size), threshold, min_score
    )
    return selected.astype(np.int32)


def _order_best_first(scores: Tensor) -> Tensor:
    return np.asarray(np.argsort(-scores, kind="stable"))


def _select_hard(
    scores: Tensor,
    overlap: Overlap,
    max_count: int,
    threshold: Any,
    min_score: Any = None,
    *,
    order: Callable[[Tensor], Tensor] = _order_best_first,
) -> Tensor:
    """Return the indices of at most `max_count` boxes with a score above `min_score`, best first."""
    bound = np.finfo(scores.dtype).min if min_score is None else min_score
    candidates = np.nonzero(scores > bound)[0]
    candidates = candidates[order(scores[candidates])]
    selected: list[int] = []
    block = _FIRST_BLOCK
    while candidates.size and len(selected) < max_count:
        block_candidates, candidates = candidates[:block], candidates[block:]
        block *= 2
        for best in selected:
            block_candidates = block_candidates[~(overlap(best, block_candidates) > threshold)]
        while block_candidates.size and len(selected) < max_count:
            best, block_candidates = int(block_candidates[0]), block_candidates[1:]
            selected.append(best)
            block_candidates = block_candidates[~(overlap(best, block_candidates) > threshold)]
    return np.array(selected, np.int64)


_FIRST_BLOCK = 256
"""The number of candidates in the first block; each block is twice as large, since most candidates are not needed."""


def _select_soft(scores: Tensor, overlap: Overlap, max_count: int, min_score: Any, sigma: Any) -> tuple[Tensor, Tensor]:
    """Return the indices and scores of the selected boxes.

    Each selected box multiplies the scores of the others by exp(-overlap**2 / (2 * sigma)). As in the C++ kernel, a
    score is updated only when it reaches the front of the queue. This changes results for negative scores, since a
    factor below 1 increases them.
    """
    scale = scores.dtype.type(-0.5) / sigma
    queue = [(-scores[index], index, 0) for index in np.nonzero(scores > min_score)[0].tolist()]
    heapq.heapify(queue)
    selected: list[int] = []
    selected_scores: list[Any] = []
    while queue and len(selected) < max_count:
        negative_score, index, applied_count = heapq.heappop(queue)
        overlaps = overlap(index, np.array(selected[applied_count:][::-1], np.int64))
        lowered = np.multiply.accumulate([-negative_score, *np.exp(scale * overlaps * overlaps)], dtype=scores.dtype)
        if lowered[-1] == lowered[0]:
            selected.append(index)
            selected_scores.append(lowered[0])
        elif (lowered[1:] > min_score).all():
            heapq.heappush(queue, (-lowered[-1], index, len(selected)))
    return np.array(selected, np.int64), np.array(selected_scores, scores.dtype)


# --- ties ------------------------------------------------------------------------------------------------------------


def _heap_order(scores: Tensor) -> Tensor:
    """Return indices, best first.

    Equal scores have the order in which a std::priority_queue returns them after all indices were pushed in order.
    CombinedNonMaxSuppression uses such a queue, which compares only scores.
    """
    if len(np.unique(scores)) == len(scores):
        return _order_best_first(scores)
    values, heap = scores.tolist(), []
    for index in range(len(values)):
        heap.append(index)
        _sift_up(heap, values, index, index)
    order = []
    while heap:
        order.append(heap[0])
        last = heap.pop()
        if heap:
            _sift_up(heap, values, _sink_hole(heap, values), last)
    return np.array(order, np.int64)


def _sift_up(heap: list[int], values: list[float], hole: int, index: int) -> None:
    """Move the hole up until its parent is not smaller than the value of `index`, and put `index` there."""
    while hole and values[heap[(hole - 1) // 2]] < values[index]:
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = index


def _sink_hole(heap: list[int], values: list[float]) -> int:
    """Move the hole at the top of the heap down to a leaf, and return its position.

    At each level the larger child moves up, or the second if they are equal.
    """
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
