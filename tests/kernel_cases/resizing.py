"""Resizing of images."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i32, numbers

__all__ = ["CASES"]

_SIZES = [(3, 4, 6, 8), (5, 7, 2, 3), (4, 4, 4, 4), (3, 5, 1, 1), (1, 1, 3, 2), (2, 3, 7, 3), (6, 5, 3, 10)]
"""Height and width, of the input and of the output."""

_CORNERS = [{}, {"align_corners": True}, {"half_pixel_centers": True}]
_TYPES = [np.uint8, np.int8, np.int16, np.uint16, np.int32, np.int64, np.float16, np.float64]


def _image(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return numbers(shape, dtype, 0 if np.dtype(dtype).kind == "u" else -100, 100)


def _resized(op: str) -> list[Case]:
    rtol = 1e-6 if op == "ResizeBicubic" else 0.0  # its weights are of both signs, and nearly cancel here and there
    corners = [corner for corner in _CORNERS if op != "ResizeArea" or "half_pixel_centers" not in corner]
    image = _image(1, 2, 3, 2)
    return [
        *(Case(op, [_image(2, h, w, 3), i32(to)], rtol=rtol, **corner) for h, w, *to in _SIZES for corner in corners),
        *(Case(op, [_image(1, 3, 4, 2, dtype=dtype), i32([5, 3])], rtol=rtol) for dtype in _TYPES),
        Case(op, [bf16(_image(1, 3, 4, 2)), i32([5, 3])], rtol=rtol),
        *(Case(op, [image, i32(size)], note=str(size)) for size in ([0, 3], [-1, 3], [3], [3, 3, 3], 4)),
        *(Case(op, [_image(*shape), i32([2, 2])]) for shape in ((2, 3, 1), (0, 3, 3, 2), (1, 0, 3, 2), (1, 3, 3, 0))),
        *(
            Case(op, [image, i32([4, 4])], **both)
            for both in [{"align_corners": True, "half_pixel_centers": True}]
            if op != "ResizeArea"
        ),
    ]


_BOXES = f32(4, 4) * np.float32(0.3) + np.float32(0.5)
_WHOLE = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [-0.5, 0.1, 1.5, 0.9], [0.5, 0.5, 0.5, 0.5]], np.float32)
_OF = i32([0, 1, 1, 0])

_CROPS = [
    *(
        Case(
            "CropAndResize",
            [_image(2, 5, 6, 2), boxes, _OF, i32(size)],
            method=method,
            extrapolation_value=value,
            ulps=16,
            note=note,
        )
        for note, boxes in (("parts", _BOXES), ("edges", _WHOLE))
        for size in ([3, 4], [1, 1], [7, 2])
        for method, value in ((b"bilinear", 0.0), (b"nearest", -1.5))
    ),
    *(Case("CropAndResize", [_image(2, 4, 4, 1, dtype=dtype), _BOXES, _OF, i32([3, 3])], ulps=16) for dtype in _TYPES),
    Case("CropAndResize", [_image(2, 4, 4, 1), np.zeros((0, 4), np.float32), i32([]), i32([3, 3])]),
    Case("CropAndResize", [_image(2, 4, 4, 1), _BOXES, i32([0, 1, 2, 0]), i32([3, 3])]),
    Case("CropAndResize", [_image(2, 4, 4, 1), _BOXES, i32([0, -1, 1, 0]), i32([3, 3])]),
    Case("CropAndResize", [_image(2, 4, 4, 1), _BOXES, i32([0, 1]), i32([3, 3])]),
    Case("CropAndResize", [_image(2, 4, 4, 1), _BOXES, _OF, i32([0, 3])]),
    Case("CropAndResize", [_image(2, 4, 4, 1), _BOXES[:, :3], _OF, i32([3, 3])]),
    Case("CropAndResize", [_image(2, 4, 4), _BOXES, _OF, i32([3, 3])]),
]

_KERNELS = [b"lanczos1", b"lanczos3", b"lanczos5", b"gaussian", b"box", b"triangle", b"keyscubic", b"mitchellcubic"]


def _pair(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


_MOVED = [  # the weights are of both signs
    *(
        Case(
            "ScaleAndTranslate",
            [_image(1, 6, 5, 2), i32([4, 8]), _pair(*scale), _pair(0.3, -1)],
            kernel_type=kernel,
            antialias=antialias,
            rtol=2e-6,
            note=str(scale),
        )
        for kernel in _KERNELS
        for antialias in (True, False)
        for scale in ((0.6, 1.7), (1.2, 0.4))
    ),
    Case("ScaleAndTranslate", [_image(1, 6, 5, 2), i32([4, 8]), _pair(0, 1), _pair(0, 0)]),
    Case("ScaleAndTranslate", [_image(1, 6, 5, 2), i32([4, 8]), _pair(1, 1), _pair(0, 0)], kernel_type=b"lanczos2"),
    Case("ScaleAndTranslate", [_image(1, 6, 5, 2), i32([4, 8]), _pair(1), _pair(0, 0)]),
    Case(
        "ScaleAndTranslate", [_image(1, 6, 5, 2, dtype=np.uint8), i32([3, 3]), _pair(0.5, 0.5), _pair(0, 0)], rtol=2e-6
    ),
    Case("ScaleAndTranslate", [_image(1, 6, 5, 2), i32([9, 9]), _pair(1, 1), _pair(20, -30)], rtol=2e-6),
]

_RESIZES = ["ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"]

CASES = [*(case for op in _RESIZES for case in _resized(op)), *_CROPS, *_MOVED]
