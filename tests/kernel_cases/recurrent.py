"""Recurrent layers whose steps are one op."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, i64, numbers

CLOSE = {"rtol": 2e-6}  # sums of products in another order, and exponentials
HALF = {"rtol": 4e-3}  # TensorFlow computes halves as halves, step by step


def weights(batch: int, inputs: int, cells: int, dtype: Any = np.float32) -> list[Any]:
    """cs, h, w, wci, wcf, wco and b."""
    shapes = [(batch, cells)] * 2 + [(inputs + cells, 4 * cells)] + [(cells,)] * 3 + [(4 * cells,)]
    return [numbers(shape, dtype, -1 - at / 4, 1) for at, shape in enumerate(shapes)]


def cells() -> Iterator[Case]:
    for dtype, close in ((np.float32, CLOSE), (np.float16, HALF)):
        for batch, inputs, count in ((2, 3, 4), (1, 1, 1), (3, 5, 2)):
            for peephole in (False, True):
                for clip, bias in ((3.0, 1.0), (0.0, 0.0), (-1.0, 0.3), (0.5, -2.0)):
                    arrays = [numbers((batch, inputs), dtype), *weights(batch, inputs, count, dtype)]
                    attributes = {"use_peephole": peephole, "cell_clip": clip, "forget_bias": bias}
                    yield Case("LSTMBlockCell", arrays, **attributes, **close)
    for wrong in (1, 2, 3, 7):  # others are not checked by TensorFlow, which reads whatever is behind them
        arrays = [numbers((2, 3)), *weights(2, 3, 4)]
        arrays[wrong] = arrays[wrong][:-1]
        yield Case("LSTMBlockCell", arrays, use_peephole=True, note=f"input {wrong} too short")


def blocks() -> Iterator[Case]:
    for op in ("BlockLSTM", "BlockLSTMV2"):
        for time, batch, inputs, count in ((3, 2, 3, 4), (1, 1, 1, 1), (5, 1, 2, 3)):
            for peephole in (False, True):
                for clip, bias in ((3.0, 1.0), (0.0, 0.0), (0.5, -2.0)):
                    # For what comes after the last step, TensorFlow gives whatever was in memory, but for cs and h.
                    for steps, only in ((time, ()), (1, (1, 6))):
                        arrays = [i64(steps), numbers((time, batch, inputs)), *weights(batch, inputs, count)]
                        own = {"forget_bias": bias} if op == "BlockLSTM" else {}
                        yield Case(op, arrays, use_peephole=peephole, cell_clip=clip, **own, only=only, **CLOSE)
        yield Case(op, [i64(2), numbers((2, 2, 3), np.float16), *weights(2, 3, 4, np.float16)], **HALF)
        for wrong in (2, 3, 4, 8):
            arrays = [i64(2), numbers((2, 2, 3)), *weights(2, 3, 4)]
            arrays[wrong] = arrays[wrong][:-1]
            yield Case(op, arrays, note=f"input {wrong} too short")


def gated() -> Iterator[Case]:
    for batch, inputs, count in ((2, 3, 4), (1, 1, 1), (3, 5, 2), (4, 1, 3), (1, 6, 6)):
        for scale in (0.1, 1, 5):
            shapes = [(batch, inputs), (batch, count), (inputs + count, 2 * count), (inputs + count, count)]
            shapes += [(2 * count,), (count,)]
            arrays = [numbers(shape, np.float32, -scale - at / 4, scale) for at, shape in enumerate(shapes)]
            yield Case("GRUBlockCell", arrays, rtol=2e-6 * max(1, scale))  # sums grow with the scale, gates do not
            for wrong in range(1, 6) if batch == 2 and scale == 1 else ():
                yield Case("GRUBlockCell", [array[:-1] if at == wrong else array for at, array in enumerate(arrays)])


CASES = [*cells(), *blocks(), *gated()]
