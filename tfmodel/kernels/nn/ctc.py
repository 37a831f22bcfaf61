"""Kernels that decode the results of connectionist temporal classification: CTCGreedyDecoder, CTCBeamSearchDecoder.

A network gives the probabilities of classes for each step, one of which is "blank". A text is the classes of a path
without blanks, and with one for each run of the same class (Graves et al., "Connectionist Temporal Classification",
2006). The beam search keeps the texts that are most probable so far, each with the probability of all paths to it that
end with a blank, and of those that do not.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count
from math import exp, inf, log1p

import numpy as np

from ...errors import RunError
from ..runtime.argument_checks import check
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel


@kernel("CTCGreedyDecoder")
def ctc_greedy_decoder(
    inputs: Tensor, sequence_length: Tensor, *, merge_repeated: bool, blank_index: int
) -> tuple[Tensor, ...]:
    """Return the best class of each step of (time, batch, class) as a sparse matrix, without blanks.

    The last output is minus the sum of the logits of these classes.
    """
    if inputs.ndim != 3 or sequence_length.shape != inputs.shape[1:2]:
        raise RunError(f"inputs {list(inputs.shape)}, lengths {list(sequence_length.shape)} do not fit")
    steps, batch, classes = inputs.shape
    blank = blank_index + classes if blank_index < 0 else blank_index
    if not 0 <= blank < classes:
        raise RunError(f"blank_index is {blank_index}, but there are {classes} classes")
    if (sequence_length > steps).any():
        raise RunError(f"sequence_length must be at most {steps}")
    is_step = np.arange(steps)[:, None] < sequence_length
    best_classes = inputs.argmax(-1) if steps else np.zeros((0, batch), np.int64)
    logits = np.where(is_step, np.take_along_axis(inputs, best_classes[..., None], -1)[..., 0], 0)
    is_output = is_step & (best_classes != blank)
    if merge_repeated:
        is_output[1:] &= best_classes[1:] != best_classes[:-1]
    rows, times = np.nonzero(is_output.T)
    counts = is_output.sum(0)
    positions = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    indices = np.stack([rows, positions], -1)
    shape = np.array([batch, counts.max(initial=0)])
    return indices, best_classes[times, rows], shape, -logits.sum(0, dtype=inputs.dtype)[:, None]


# --- beam search -----------------------------------------------------------------------------------------------------


@kernel("CTCBeamSearchDecoder")
def ctc_beam_search_decoder(
    inputs: Tensor, sequence_length: Tensor, *, beam_width: int, top_paths: int, merge_repeated: bool
) -> tuple[Tensor, ...]:
    """Return the best texts of (time, batch, class) as sparse matrices, and their log probabilities.

    The last class is the blank. With `merge_repeated`, runs of a class are one class in the text too, as in TensorFlow.
    """
    if inputs.ndim != 3 or sequence_length.shape != inputs.shape[1:2]:
        raise RunError(f"inputs {list(inputs.shape)}, lengths {list(sequence_length.shape)} do not fit")
    steps, batch, classes = inputs.shape
    check(classes > 0, "there are no classes")
    check(0 < top_paths <= beam_width, f"top_paths is {top_paths}, and must be from 1 to beam_width, {beam_width}")
    check(not (sequence_length > steps).any(), f"sequence_length must be at most {steps}")
    claim(_TEXT_BYTES * beam_width * steps + _VALUE_BYTES * top_paths * steps * batch + _STEP_BYTES * inputs.size)
    offsets = inputs.astype(np.float64)
    offsets = offsets - offsets.max(-1, keepdims=True)
    logs = offsets - np.log(np.exp(offsets).sum(-1, keepdims=True))
    lengths = sequence_length.tolist()
    rows: list[list[list[int]]] = []
    probabilities: list[list[float]] = []
    for row, length in enumerate(lengths):
        texts = _search(logs[: max(length, 0), row], beam_width, top_paths)
        rows.append([text.classes(merge_repeated) for text in texts])
        probabilities.append([text.total for text in texts])
    outputs = [_sparse([texts[path] for texts in rows], batch) for path in range(top_paths)]
    log_probability = np.array(probabilities, inputs.dtype).reshape(batch, top_paths)
    return *(part for number in range(3) for part in [output[number] for output in outputs]), log_probability


_TEXT_BYTES, _VALUE_BYTES, _STEP_BYTES = 400, 150, 24
"""The memory of a text of a search, with its place in the tree; of a value of the outputs; of a logit."""


class _Text:
    """A text: its last class and the text before that, and the log probabilities of paths to it.

    `blank` is of paths that end with a blank, `label` of those that do not, `total` of both; `old_blank` and
    `old_total` are those of the step before.
    """

    __slots__ = ("blank", "label", "last", "old_blank", "old_total", "parent", "total")

    def __init__(self, parent: _Text | None, last: int) -> None:
        self.parent, self.last = parent, last
        self.blank = self.label = self.total = self.old_blank = self.old_total = -inf

    def classes(self, merge_repeated: bool) -> list[int]:
        """Return the classes from the first to the last."""
        reversed_classes: list[int] = []
        text, after = self, -1
        while text.parent is not None:
            if not merge_repeated or text.last != after:
                reversed_classes.append(text.last)
            text, after = text.parent, text.last
        return reversed_classes[::-1]


_Known = dict[tuple[_Text, int], _Text]
"""The texts that have been in a beam, by the text that they continue and their last class. They may come back."""


def _add(a: float, b: float) -> float:
    """Return the logarithm of a sum from the logarithms of its terms."""
    low, high = sorted((a, b))
    return high if low == -inf else high + log1p(exp(low - high))


def _search(logs: Tensor, width: int, top: int) -> list[_Text]:
    """Return the `top` most probable texts, given the log probabilities of classes for each step."""
    root = _Text(None, -1)
    root.total = root.blank = 0.0
    texts, known = [root], _Known()
    for step in logs:
        texts = _grown(_continued(texts, step.tolist()), step[:-1], width, known)
    check(len(texts) >= top, f"there are {len(texts)} texts, which is less than top_paths, {top}")
    return texts[:top]


def _continued(texts: list[_Text], logs: list[float]) -> list[_Text]:
    """Give texts the probabilities with which they stay as they are for one more step."""
    for text in texts:
        text.old_blank, text.old_total = text.blank, text.total
    for text in texts:
        if text.parent is not None:
            if text.parent.total != -inf:
                parent = text.parent
                before = parent.old_blank if text.last == parent.last else parent.old_total
                text.label = _add(text.label, before)
            text.label += logs[text.last]
        text.blank = text.old_total + logs[-1]
        text.total = _add(text.blank, text.label)
    return texts


def _grown(texts: list[_Text], logs: Tensor, width: int, known: _Known) -> list[_Text]:
    """Return the best of texts and of those with one more class, the most probable first, and add them to `known`."""
    order = count()
    beam = [(text.total, -next(order), text) for text in texts]
    heapq.heapify(beam)
    for text in texts:
        for last, total in _candidates(text, logs, beam[0][0] if len(beam) >= width else -inf):
            child = known.get((text, last)) or _Text(text, last)
            if child.total != -inf or (len(beam) >= width and total <= beam[0][0]):
                continue
            child.blank, child.label, child.total = -inf, total, total
            entry = total, -next(order), child
            if len(beam) < width:
                heapq.heappush(beam, entry)
            else:
                _forget(heapq.heapreplace(beam, entry)[2])
    best = [text for *_, text in sorted(beam, reverse=True)]
    known.update({(text.parent, text.last): text for text in best if text.parent is not None})
    return best


def _candidates(text: _Text, logs: Tensor, least: float) -> Iterator[tuple[int, float]]:
    """Yield the classes that may follow, each with the probability of the longer text, if that is more than `least`."""
    if text.old_total <= least:
        return
    totals = logs + text.old_total
    if text.last >= 0:
        totals[text.last] = logs[text.last] + text.old_blank
    for last in np.nonzero(totals > least)[0].tolist():
        yield last, float(totals[last])


def _forget(text: _Text) -> None:
    """Take a text out of the beam."""
    text.blank = text.label = text.total = -inf


def _sparse(rows: list[list[int]], batch: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return indices, values and shape of a sparse matrix of rows of different lengths."""
    indices = np.array([(row, place) for row, values in enumerate(rows) for place in range(len(values))], np.int64)
    values = np.array([value for values in rows for value in values], np.int64)
    shape = np.array([batch, max(map(len, rows), default=0)], np.int64)
    return indices.reshape(-1, 2), values, shape
