"""Pictures that Pillow decodes and encodes, where it is installed: JPEG and GIF.

The size of a picture is known, and its memory claimed, before Pillow reads the pixels.
"""

from __future__ import annotations

import importlib
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...errors import RunError
from ...values.terminal import shorten
from ..runtime.argument_checks import check
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor

MAX_PIXELS = 1 << 29
"""The maximum number of pixels, as in TensorFlow."""

MODES = {1: "L", 3: "RGB", 4: "RGBA"}
"""Pillow's names of pixels by the number of channels."""


def pillow() -> Any:
    """Return the module PIL.Image. Raises RunError without Pillow."""
    try:
        return importlib.import_module("PIL.Image")
    except ImportError:
        raise RunError("this format is decoded by Pillow, which is not installed: pip install pillow") from None


def is_installed() -> bool:
    """Return whether Pillow is there."""
    try:
        pillow()
    except RunError:
        return False
    return True


@contextmanager
def opened(data: bytes, max_pixels: int = MAX_PIXELS) -> Iterator[Any]:
    """Open a picture. Raises RunError without Pillow, for other data, and for errors of Pillow inside."""
    module = pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about large pictures: their size is checked
            with module.open(io.BytesIO(data)) as image:
                width, height = image.size
                check_size(width, height, max_pixels)
                claim(4 * width * height)
                yield image
    except RunError:
        raise
    except Exception as error:  # Pillow raises many types
        is_unknown = isinstance(error, module.UnidentifiedImageError)
        problem = "its format is unknown" if is_unknown else shorten(str(error), 200)
        raise RunError(f"this is not a picture that Pillow can read: {problem}") from error


def check_size(width: int, height: int, max_pixels: int) -> None:
    """Raise RunError for a picture that has too many pixels."""
    check(
        width * height <= max_pixels,
        f"the picture has {width:,} x {height:,} pixels, and the limit is {max_pixels:,}",
    )


def pixels(image: Any, channels: int) -> Tensor:
    """Return the pixels of an open picture, uint8 [height, width, channels]."""
    array = np.asarray(image.convert(MODES[channels]), np.uint8)
    return array.reshape(*array.shape[:2], channels)


def frames(data: bytes) -> Tensor:
    """Return the frames of an animation as they are shown, uint8 [frames, height, width, 3]."""
    shown: list[Tensor] = []
    with opened(data) as image:
        while True:
            claim(3 * image.size[0] * image.size[1] * (len(shown) + 1))
            shown.append(pixels(image, 3))
            try:
                image.seek(len(shown))
            except EOFError:
                return np.stack(shown)
