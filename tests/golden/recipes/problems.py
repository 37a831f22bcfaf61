"""Small classification problems to train nets on: inputs and their classes. They need no TensorFlow.

    inputs, classes = PROBLEMS["images"](1000, seed=1)

The same seed gives the same examples on one machine; another NumPy may draw others. The images that tests feed are
recorded in images.npz.xz, written by `python -m tests.golden.recipes.answers`: see `write_images`, `recorded_images`.
"""

from __future__ import annotations

import io
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CLASSES", "IMAGES", "PROBLEMS", "Array", "recorded_images", "write_images"]

Array = np.ndarray[Any, Any]

CLASSES = 10
SIZE = 16
IMAGES = Path(__file__).with_name("images.npz.xz")
RECORDED, STEPS = 100, 16  # images, and in how many steps a unit of brightness is recorded


def images(count: int, seed: int) -> tuple[Array, Array]:
    """Patterns of colours, moved about, darker or lighter, with one of another class over them, and noise over all."""
    patterns = _smooth(np.random.default_rng(0).standard_normal((CLASSES, SIZE, SIZE, 3)))
    patterns /= patterns.std((1, 2, 3), keepdims=True)
    random = np.random.default_rng([1, seed])
    classes, others = random.integers(0, CLASSES, (2, count))
    pictures = np.empty((count, SIZE, SIZE, 3))
    for number, moves in enumerate(random.integers(0, SIZE, (count, 2, 2))):
        own, other = (
            np.roll(patterns[kind], move, (0, 1))
            for kind, move in zip((classes[number], others[number]), moves, strict=True)
        )
        pictures[number] = own + 0.7 * other
    pictures *= random.uniform(0.5, 1.5, (count, 1, 1, 1))
    return (pictures + 0.9 * random.standard_normal(pictures.shape)).astype(np.float32), classes


def _smooth(noise: Array) -> Array:
    """Without what changes from one pixel to the next."""
    for axis in (1, 2):
        noise = sum(np.roll(noise, by, axis) for by in range(-2, 3)) / 5
    return noise


def vectors(count: int, seed: int) -> tuple[Array, Array]:
    """Points of 24 dimensions around four centers for each class."""
    centers = np.random.default_rng(2).standard_normal((CLASSES, 4, 24))
    random = np.random.default_rng([3, seed])
    classes, which = random.integers(0, CLASSES, count), random.integers(0, 4, count)
    return (centers[classes, which] + 0.9 * random.standard_normal((count, 24))).astype(np.float32), classes


def words(count: int, seed: int) -> tuple[Array, Array]:
    """Sentences of 14 words of 20, where the class is the word behind word 19; one time in twenty it is any."""
    random = np.random.default_rng([4, seed])
    sentences = random.integers(0, 19, (count, 14))
    places = random.integers(0, 13, count)
    classes = random.integers(0, CLASSES, count)
    rows = np.arange(count)
    sentences[rows, places], sentences[rows, places + 1] = 19, classes
    misled = random.random(count) < 0.05
    sentences[rows[misled], places[misled] + 1] = random.integers(0, CLASSES, misled.sum())
    return sentences.astype(np.int32), classes


PROBLEMS: dict[str, Callable[[int, int], tuple[Array, Array]]] = {"images": images, "vectors": vectors, "words": words}


def write_images() -> None:
    """Record some images, each number rounded to a byte."""
    pictures, classes = images(RECORDED, 1)
    out = io.BytesIO()
    np.savez(
        out, images=np.clip(np.round(pictures * STEPS), -127, 127).astype(np.int8), classes=classes.astype(np.int8)
    )
    IMAGES.write_bytes(lzma.compress(out.getvalue(), preset=9))


def recorded_images() -> tuple[Array, Array]:
    """Return the images that `write_images` recorded, and their classes."""
    with np.load(io.BytesIO(lzma.decompress(IMAGES.read_bytes()))) as file:
        return file["images"].astype(np.float32) / np.float32(STEPS), file["classes"]
