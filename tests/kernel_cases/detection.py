"""Non-maximum suppression."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernel_cases import Case, f32, i32, numbers

__all__ = ["CASES"]


def _boxes(count: int, *more: int, dtype: type = np.float32, spread: float = 3) -> np.ndarray:
    """Boxes of about the same size, here and there; a few of them turned over."""
    corners = numbers((count, *more, 2), np.float32, 0, spread)
    return np.concatenate([corners, corners + numbers((count, *more, 2), np.float32, -0.2, 1.5)], -1).astype(dtype)


def _scores(count: int, dtype: type = np.float32) -> np.ndarray:
    """Some of them equal."""
    return (np.floor(numbers((count,), np.float32, 0, 12)) / 12).astype(dtype)


def _value(number: float, dtype: type = np.float32) -> np.ndarray:
    return np.array(number, dtype)


_FEW = [_boxes(12), _scores(12)]
_BAD = [  # what is wrong, and the boxes, scores and size
    ("boxes of 3", _boxes(12)[:, :3], _scores(12), i32(3)),
    ("too many scores", _boxes(12), _scores(13), i32(3)),
    ("two sizes", _boxes(12), _scores(12), i32([3, 4])),
    ("a negative size", _boxes(12), _scores(12), i32(-1)),
]
_GOOD = [
    ("all", _boxes(30), _scores(30), i32(30)),
    ("few", _boxes(30), _scores(30), i32(4)),
    ("none", _boxes(30), _scores(30), i32(0)),
    ("no boxes", _boxes(0), _scores(0), i32(4)),
    ("more than there are", _boxes(5), _scores(5), i32(9)),
    ("the same box", _boxes(1).repeat(6, 0), _scores(6), i32(4)),
    ("negative scores", _boxes(20), f32(20), i32(20)),
    ("not a number", _boxes(4), np.array([1, np.nan, np.inf, -np.inf], np.float32), i32(4)),
    ("without area", np.zeros((3, 4), np.float32), _scores(3), i32(3)),
    ("apart", _boxes(30, spread=100), _scores(30), i32(30)),
]
_SOFT = 1e-6  # scores are multiplied by many factors, in another order
_THRESHOLDS = [0.0, 0.3, 0.5, 1.0]


def _versions(op: str, *others: np.ndarray, **attributes: Any) -> list[Case]:
    """`others` stand behind the threshold."""
    rows = [*_GOOD, *_BAD]
    return [
        *(
            Case(op, [boxes, scores, size, _value(0.4), *others], note=note, **attributes)
            for note, boxes, scores, size in rows
        ),
        *(
            Case(op, [_boxes(40), _scores(40), i32(40), _value(threshold), *others], note=str(threshold), **attributes)
            for threshold in (*_THRESHOLDS, -0.1, 1.1)
        ),
    ]


def _half(op: str, *others: float) -> Case:
    inputs = [_boxes(20, dtype=np.float16), _scores(20, np.float16), i32(10), _value(0.4, np.float16)]
    return Case(op, [*inputs, *(_value(other, np.float16) for other in others)])


_COMBINED = [
    (1, {}),
    (3, {}),
    (1, {"pad_per_class": True}),
    (3, {"clip_boxes": False}),
    (3, {"pad_per_class": True}),
    (2, {}),
]

CASES = [
    *(Case("NonMaxSuppression", list(inputs), note=note) for note, *inputs in (*_GOOD, *_BAD)),
    *(
        Case("NonMaxSuppression", [_boxes(40), _scores(40), i32(40)], iou_threshold=threshold)
        for threshold in (*_THRESHOLDS, -0.1, 1.1)
    ),
    *_versions("NonMaxSuppressionV2"),
    *_versions("NonMaxSuppressionV3", _value(0.25)),
    *_versions("NonMaxSuppressionV3", _value(-np.inf)),
    *_versions("NonMaxSuppressionV4", _value(0.25), pad_to_max_output_size=True),
    *_versions("NonMaxSuppressionV4", _value(0.25)),
    *_versions("NonMaxSuppressionV5", _value(0.25), _value(0), pad_to_max_output_size=True),
    *_versions("NonMaxSuppressionV5", _value(0.25), _value(0.5), rtol=_SOFT),
    *_versions("NonMaxSuppressionV5", _value(0), _value(0.1), pad_to_max_output_size=True, rtol=_SOFT),
    Case("NonMaxSuppressionV5", [*_FEW, i32(9), _value(0.5), _value(0), _value(-1)], note="negative sigma"),
    _half("NonMaxSuppressionV2"),
    _half("NonMaxSuppressionV3", 0.2),
    _half("NonMaxSuppressionV4", 0.2),
    _half("NonMaxSuppressionV5", 0.2, 0),
    *(
        Case(
            "NonMaxSuppressionWithOverlaps",
            [numbers((len(scores), len(scores)), np.float32, 0, 1), scores, size, _value(0.6), _value(0.1)],
            note=note,
        )
        for note, _, scores, size in _GOOD
    ),
    Case("NonMaxSuppressionWithOverlaps", [f32(3, 4), f32(3), i32(3), _value(0.6), _value(0.1)]),
    Case("NonMaxSuppressionWithOverlaps", [f32(3, 3), f32(4), i32(3), _value(0.6), _value(0.1)]),
    *(
        Case(
            "CombinedNonMaxSuppression",
            [
                _boxes(2 * 15, boxes, spread=1.2).reshape(2, 15, boxes, 4),
                _scores(2 * 15 * 3).reshape(2, 15, 3),
                i32(per_class),
                i32(total),
                _value(0.3),
                _value(least),
            ],
            note=f"{boxes} {per_class} {total} {least}",
            **kinds,
        )
        for boxes, kinds in _COMBINED
        for per_class, total in ((2, 5), (4, 30))
        for least in (0.2, 0.9)
    ),
    *(
        Case(
            "CombinedNonMaxSuppression",
            [_boxes(6)[None, :, None], _scores(6)[None, :, None], i32(3), i32(total), _value(0.3), _value(least)],
            note=f"one class {total} {least}",
        )
        for total, least in ((4, 0.0), (4, -1.0), (0, 0.0), (-1, 0.0))
    ),
    Case(
        "CombinedNonMaxSuppression",
        [_boxes(6)[None, :, None], f32(1, 6, 2), i32(3), i32(4), _value(0.3), _value(-2)],
        note="negative scores",
    ),
]
