"""Activations and their gradients, for all types and for special numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, bf16, f32, numbers

SPECIAL = [np.nan, np.inf, -np.inf, 0, -0.0, 1e-30, 6, 7, -1, 88, -88, 100, -100, 1e-4, -1e-4]

# Exponentials differ in the last bits; near zero, where TensorFlow takes one from them, it loses more than we do.
EXPONENTIAL = {"rtol": 1e-6}
ACTIVATIONS: dict[str, dict[str, Any]] = {
    "Relu": {},
    "Relu6": {},
    "LeakyRelu": {},
    "Softsign": {},
    "Elu": EXPONENTIAL,
    "Selu": EXPONENTIAL,
    "Softplus": EXPONENTIAL,
}
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64)


def activations() -> Iterator[Case]:
    for op, room in ACTIVATIONS.items():
        for shape in ((), (7,), (2, 3), (0, 3), (2, 1, 3)):
            yield Case(op, [f32(*shape)], **room)
        for dtype in (np.float32, np.float64):
            yield Case(op, [np.array(SPECIAL, dtype)], note="special", **room)
        yield Case(op, [numbers((9,), np.float64)], rtol=1e-14)
        yield Case(op, [numbers((9,), np.float16)], rtol=2e-3)
        yield Case(op, [bf16(f32(9))], rtol=2e-2)  # TensorFlow rounds to bfloat16 on the way
        yield Case(f"{op}Grad", [f32(4, 3), np.full((4, 3), 7, np.float32)], **EXPONENTIAL)
        for shape in ((), (7,), (2, 3), (0, 3), (2, 1, 3)):
            yield Case(f"{op}Grad", [f32(*shape), f32(*shape)[..., ::-1].copy() if shape else f32()], **EXPONENTIAL)
        for dtype in (np.float32, np.float64):
            gradient = np.full(len(SPECIAL), 2, dtype)
            yield Case(f"{op}Grad", [gradient, np.array(SPECIAL, dtype)], note="special", **EXPONENTIAL)
        yield Case(f"{op}Grad", [numbers((9,), np.float16), numbers((9,), np.float16)[::-1].copy()], rtol=2e-3)
        yield Case(f"{op}Grad", [f32(3), f32(4)])
        yield Case(f"{op}Grad", [f32(2, 3), f32(3)])
    for alpha in (0.0, 0.01, 1.0, 1.5):
        yield Case("LeakyRelu", [f32(9)], alpha=alpha)
        yield Case("LeakyReluGrad", [f32(9), f32(9)[::-1].copy()], alpha=alpha)
        yield Case("LeakyRelu", [numbers((9,), np.float64)], alpha=alpha)
    for dtype in INTEGERS:
        ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 5, 6, 7], dtype)
        yield Case("Relu", [ends])
        yield Case("Relu6", [ends])


CASES = list(activations())
