"""Colours, contrast, projections and boxes drawn on images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i32, numbers

__all__ = ["CASES"]


def _value(number: float) -> np.ndarray:
    return np.array(number, np.float32)


_COLOURS = numbers((2, 4, 5, 3), np.float32, 0, 1)
_PLAIN = np.array(
    [
        [0, 0, 0],
        [1, 1, 1],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 1, 0],
        [0, 1, 1],
        [1, 0, 1],
        [0.5, 0.5, 0.2],
        [0.2, 0.5, 0.5],
        [0.5, 0.2, 0.5],
        [0.3, 0.3, 0.3],
    ],
    np.float32,
).reshape(1, 3, 4, 3)
_IMAGES = [_COLOURS, _PLAIN, _COLOURS * 255, _COLOURS[0], np.zeros((0, 2, 2, 3), np.float32)]
_HSV = numbers((2, 4, 5, 3), np.float32, -0.5, 1.5)

_CHANGED = [  # hues are differences of colours, and these are taken apart and put together in another order
    *(Case("RGBToHSV", [image], rtol=1e-6) for image in (*_IMAGES, _COLOURS[0, 0, 0], f32(3, 3))),
    *(Case("HSVToRGB", [image], rtol=1e-6) for image in (*_IMAGES, _HSV, _COLOURS[0, 0, 0], f32(3, 3))),
    *(Case(op, [_COLOURS.astype(np.float64)], ulps=1000) for op in ("RGBToHSV", "HSVToRGB")),
    *(Case(op, [f32(2, 4)]) for op in ("RGBToHSV", "HSVToRGB")),
    *(Case(op, [_value(1)]) for op in ("RGBToHSV", "HSVToRGB")),
    *(
        Case("AdjustHue", [image, _value(delta)], rtol=2e-6, note=str(delta))
        for image in (*_IMAGES, _HSV)
        for delta in (0, 0.1, -0.4, 0.5, 2.3)
    ),
    *(
        Case("AdjustSaturation", [image, _value(scale)], rtol=2e-6, note=str(scale))
        for image in _IMAGES
        for scale in (0, 0.5, 1, 3, -1)
    ),
    *(Case(op, [f32(2, 2, 4), _value(1)]) for op in ("AdjustHue", "AdjustSaturation")),
    *(Case(op, [_COLOURS, f32(1)]) for op in ("AdjustHue", "AdjustSaturation")),
    *(
        Case("AdjustContrastv2", [image, _value(factor)], rtol=1e-6, note=str(factor))
        for image in (*_IMAGES, f32(3, 2, 4, 5, 1))
        for factor in (0, 0.5, 2, -1)
    ),
    Case("AdjustContrastv2", [f32(2, 3), _value(2)]),
    Case("AdjustContrastv2", [_COLOURS, f32(2)]),
]

_TRANSFORMS = [
    ("as it is", [1, 0, 0, 0, 1, 0, 0, 0]),
    ("moved", [1, 0, -1.5, 0, 1, 2.25, 0, 0]),
    ("turned", [0.8, -0.6, 2, 0.6, 0.8, -1, 0, 0]),
    ("far", [9, 1, -40, -7, 6, 33, 0, 0]),
    ("projected", [1, 0.1, 0, 0.2, 1, 0, 0.05, -0.03]),
    ("to infinity", [1, 0, 0, 0, 1, 0, -0.5, 0]),
]
_KINDS = [(how, mode) for how in (b"NEAREST", b"BILINEAR") for mode in (b"CONSTANT", b"REFLECT", b"WRAP", b"NEAREST")]
_PICTURE = numbers((2, 5, 6, 2), np.float32, -10, 10)


def _projected(
    image: np.ndarray, transforms: list[list[float]], shape: list[int], version: int = 3, **kinds: Any
) -> Case:
    fill = [_value(0.5)] if version == 3 else []
    return Case(
        f"ImageProjectiveTransformV{version}",
        [image, np.array(transforms, np.float32), i32(shape), *fill],
        rtol=1e-6,
        note=str(transforms),
        **kinds,
    )


_PROJECTED = [
    *(
        _projected(_PICTURE, [matrix], [4, 7], interpolation=how, fill_mode=mode)
        for _, matrix in _TRANSFORMS
        for how, mode in _KINDS
    ),
    *(
        _projected(_PICTURE, [matrix], [4, 7], 2, interpolation=how)
        for _, matrix in _TRANSFORMS
        for how in (b"NEAREST", b"BILINEAR")
    ),
    _projected(_PICTURE, [_TRANSFORMS[1][1], _TRANSFORMS[2][1]], [5, 6], interpolation=b"BILINEAR"),
    *(
        _projected(_PICTURE.astype(dtype), [_TRANSFORMS[2][1]], [5, 6], interpolation=b"BILINEAR")
        for dtype in (np.int32, np.int64, np.float64)
    ),
    _projected(_PICTURE.clip(0, 9).astype(np.uint8), [_TRANSFORMS[2][1]], [5, 6], interpolation=b"BILINEAR"),
    _projected(_PICTURE[:, :1, :1], [_TRANSFORMS[2][1]], [3, 3], interpolation=b"NEAREST", fill_mode=b"REFLECT"),
    _projected(_PICTURE[:, :1, :1], [_TRANSFORMS[2][1]], [3, 3], interpolation=b"NEAREST", fill_mode=b"WRAP"),
    _projected(_PICTURE, [[1.0] * 7], [3, 3], interpolation=b"NEAREST"),
    _projected(_PICTURE, [[1.0] * 8] * 3, [3, 3], interpolation=b"NEAREST"),
    _projected(_PICTURE, [[1.0] * 8], [0, 3], interpolation=b"NEAREST"),
    _projected(_PICTURE[0], [[1.0] * 8], [3, 3], interpolation=b"NEAREST"),
]

_BOXES = np.array(
    [
        [0.1, 0.1, 0.8, 0.7],
        [0, 0, 1, 1],
        [-0.5, 0.3, 0.5, 1.5],
        [0.5, 0.5, 0.5, 0.5],
        [0.9, 0.1, 0.2, 0.7],
        [1.2, 0, 1.5, 1],
        [0.2, -0.3, 0.4, -0.1],
        [0.25, 0.25, 0.75, 2],
    ],
    np.float32,
)
_DRAWN = [
    *(
        Case(
            "DrawBoundingBoxes",
            [f32(2, 9, 11, channels), np.stack([_BOXES[at : at + 1], _BOXES[-at - 1 :][:1]])],
            note=str(at),
        )
        for channels in (1, 3, 4)
        for at in range(8)
    ),
    Case("DrawBoundingBoxes", [f32(1, 20, 30, 3), numbers((1, 12, 4), np.float32, -0.2, 1.2)]),
    Case("DrawBoundingBoxes", [f32(1, 20, 30, 3).astype(np.float16), numbers((1, 12, 4), np.float32, -0.2, 1.2)]),
    Case("DrawBoundingBoxes", [f32(1, 5, 5, 2), _BOXES[None]]),
    Case("DrawBoundingBoxes", [f32(2, 5, 5, 3), _BOXES[None]]),
    Case("DrawBoundingBoxes", [f32(1, 5, 5, 3), _BOXES[None, :, :3]]),
    *(
        Case("DrawBoundingBoxesV2", [f32(1, 20, 30, channels), _BOXES[None], colours])
        for channels in (1, 3, 4)
        for colours in (f32(3, 4), f32(1, 4), np.zeros((0, 0), np.float32))
    ),
    Case("DrawBoundingBoxesV2", [f32(1, 20, 30, 3), _BOXES[None], f32(2, 3)]),
    Case("DrawBoundingBoxesV2", [f32(1, 20, 30, 4), _BOXES[None], f32(2, 3)]),
]

CASES = [*_CHANGED, *_PROJECTED, *_DRAWN, Case("RGBToHSV", [bf16(_COLOURS)], rtol=0.02)]
