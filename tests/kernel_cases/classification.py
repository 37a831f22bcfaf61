"""Softmax, cross entropies, the best k, CTC decoding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i32, i64, numbers

CLOSE = {"rtol": 2e-6}  # exponentials, and sums of them in another order


def softmaxes() -> Iterator[Case]:
    special = [[1e4, 0, -1e4], [-np.inf, 0, 1], [-np.inf] * 3, [88, 89, 90]]
    for op in ("Softmax", "LogSoftmax"):
        for shape in ((3,), (2, 5), (2, 3, 4), (1, 2, 3, 4), (0, 3), (3, 1)):
            yield Case(op, [f32(*shape)], **CLOSE)
        yield Case(op, [numbers((2, 5), np.float64)], rtol=1e-14)
        yield Case(op, [numbers((2, 5), np.float16)], rtol=2e-3)
        yield Case(op, [bf16(f32(2, 5))], rtol=2e-2)  # TensorFlow rounds to bfloat16 on the way
        yield Case(op, [f32(2, 5) * 50], note="large", **CLOSE)
        yield Case(op, [f32()])
        for row in special:
            yield Case(op, [np.array([row], np.float32)], note="special", **CLOSE)


def cross_entropies() -> Iterator[Case]:
    op = "SoftmaxCrossEntropyWithLogits"
    for logits, labels in (
        ((2, 3), (2, 3)),
        ((2, 3), (1, 3)),
        ((2, 3), (2, 1)),
        ((2, 3), (3,)),
        ((1, 3), (4, 3)),
        ((0, 3), (0, 3)),
        ((2, 3), (2, 4)),
        ((3,), (3,)),
        ((2, 2, 3), (2, 2, 3)),
    ):
        yield Case(op, [f32(*logits), np.abs(f32(*labels)) / 3], **CLOSE)
    one_hot = np.eye(3, dtype=np.float32)
    yield Case(op, [f32(3, 3) * 50, one_hot], note="large", **CLOSE)
    yield Case(op, [np.array([[-np.inf, 0, 1]], np.float32), one_hot[1:2]], note="special", **CLOSE)
    yield Case(op, [numbers((2, 3), np.float64), one_hot[:2].astype(np.float64)], rtol=1e-14)
    op = "SparseSoftmaxCrossEntropyWithLogits"
    for make in (i32, i64):
        for classes in ([0, 1], [2, 2], [0, 3], [-1, 0], [0], [0, 1, 2]):
            yield Case(op, [f32(2, 3), make(classes)], **CLOSE)
    yield Case(op, [f32(0, 3), i32([])], **CLOSE)
    yield Case(op, [f32(2, 3) * 50, i32([1, 2])], note="large", **CLOSE)
    yield Case(op, [f32(3), i32([1])])


def best() -> Iterator[Case]:
    scores = np.round(f32(4, 5))
    for k in (-1, 0, 1, 2, 3, 9):
        for targets in ([0, 1, 2, 3], [4, 4, 4, 4], [0, 5, -1, 2]):
            yield Case("InTopK", [scores, i32(targets)], k=k)
            yield Case("InTopKV2", [scores, i64(targets), np.int64(k)])
    for special in (np.nan, np.inf, -np.inf):
        rows = np.tile(np.array([0, special, 2, 1], np.float32), (4, 1))
        yield Case("InTopK", [rows, i32([0, 1, 2, 3])], k=2)
        yield Case("InTopKV2", [rows, i32([0, 1, 2, 3]), np.int32(2)])
    yield Case("InTopK", [scores, i32([0])], k=1)
    yield Case("InTopKV2", [f32(4), i32([0]), np.int32(1)])
    yield Case("InTopKV2", [scores, i32([0] * 4), i32([1, 2])])


def decoding() -> Iterator[Case]:
    inputs: Any = np.round(f32(7, 3, 3))
    for merged in (False, True):
        for lengths in ([7, 7, 7], [0, 3, 7], [0, 0, 0], [8, 1, 1], [-1, 1, 1], [7, 7]):
            yield Case("CTCGreedyDecoder", [inputs, i32(lengths)], merge_repeated=merged)
        for blank in (0, 1, -2, 5):
            yield Case("CTCGreedyDecoder", [inputs, i32([7, 5, 1])], merge_repeated=merged, blank_index=blank)
    yield Case("CTCGreedyDecoder", [numbers((4, 2, 3), np.float64), i32([4, 2])])


def beams() -> Iterator[Case]:
    """Logits of text without ties, whose order would be a matter of rounding."""
    for dtype in (np.float32, np.float64):
        for shape, lengths in (((9, 3, 5), [9, 4, 0]), ((20, 2, 11), [20, 13]), ((1, 1, 2), [1]), ((6, 1, 3), [6])):
            inputs = 3 * numbers(shape, dtype)
            for width, top in ((1, 1), (3, 2), (10, 1), (100, 4)):
                for merged in (False, True):
                    options = {"beam_width": width, "top_paths": top, "merge_repeated": merged}
                    yield Case("CTCBeamSearchDecoder", [inputs, i32(lengths)], **options, rtol=1e-4)
    inputs = numbers((4, 2, 3))
    for lengths in ([5, 1], [-1, 1], [4], [4, 4]):
        for width, top in ((2, 3), (2, 1)):
            yield Case("CTCBeamSearchDecoder", [inputs, i32(lengths)], beam_width=width, top_paths=top, rtol=1e-4)


CASES = [*softmaxes(), *cross_entropies(), *best(), *decoding(), *beams()]
