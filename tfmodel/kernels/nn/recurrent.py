"""Kernels of recurrent layers: LSTM and GRU cells, with one op for a step or for all steps.

    gates    [x, h] @ w + b, split into four: the input gate i, the candidate c, the forget gate f, the output o
    cs       cs * sigmoid(f) + sigmoid(i) * tanh(c)
    h        sigmoid(o) * tanh(cs)

The weights are in the order i, c, f, o; in BlockLSTMV2, in the order i, f, c, o.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..math.elementwise import sigmoid
from ..runtime.argument_checks import check, read_scalar, show, widen_halves
from ..runtime.registry import Tensor, kernel

_ICFO, _IFCO = (0, 1, 2, 3), (0, 2, 1, 3)
"""The positions of the weights of i, c, f and o."""


class _Cell(NamedTuple):
    """The weights and the options of an LSTM."""

    w: Tensor
    peepholes: tuple[Tensor, Tensor, Tensor] | None
    b: Tensor
    order: tuple[int, int, int, int]
    forget_bias: float
    clip: float

    def step(self, x: Tensor, cs: Tensor, h: Tensor) -> tuple[Tensor, ...]:
        """Return i, cs, f, o, ci, co, h after one more input (batch, inputs)."""
        gates = np.matmul(widen_halves(np.concatenate((x, h), 1)), widen_halves(self.w)) + self.b
        cells = cs.shape[1]
        i, c, f, o = (gates[:, position * cells : (position + 1) * cells] for position in self.order)
        if self.peepholes is not None:
            i = i + self.peepholes[0] * cs
            f = f + self.peepholes[1] * cs
        i, f, ci = sigmoid(i), sigmoid(f + gates.dtype.type(self.forget_bias)), np.tanh(c)
        new_cs = ci * i + widen_halves(cs) * f
        if self.clip > 0:
            new_cs = np.clip(new_cs, -self.clip, self.clip)
        if self.peepholes is not None:
            o = o + self.peepholes[2] * new_cs
        o, co = sigmoid(o), np.tanh(new_cs)
        return tuple(tensor.astype(x.dtype) for tensor in (i, new_cs, f, o, ci, co, o * co))


@kernel("LSTMBlockCell")
def lstm_block_cell(
    x: Tensor,
    cs_prev: Tensor,
    h_prev: Tensor,
    w: Tensor,
    wci: Tensor,
    wcf: Tensor,
    wco: Tensor,
    b: Tensor,
    *,
    forget_bias: float,
    cell_clip: float,
    use_peephole: bool,
) -> tuple[Tensor, ...]:
    check(x.ndim == 2, f"x must be a matrix, not of shape {show(x.shape)}")
    peepholes = (wci, wcf, wco) if use_peephole else None
    _check_weights(x, cs_prev, h_prev, w, b, peepholes)
    return _Cell(w, peepholes, b, _ICFO, forget_bias, cell_clip).step(x, cs_prev, h_prev)


@kernel("BlockLSTM", "BlockLSTMV2")
def block_lstm(
    seq_len_max: Tensor,
    x: Tensor,
    cs_prev: Tensor,
    h_prev: Tensor,
    w: Tensor,
    wci: Tensor,
    wcf: Tensor,
    wco: Tensor,
    b: Tensor,
    *,
    forget_bias: float | None = None,
    cell_clip: float,
    use_peephole: bool,
) -> tuple[Tensor, ...]:
    """Process x, (time, batch, inputs). Outputs after `seq_len_max` steps are 0. Only BlockLSTM has a forget bias."""
    check(x.ndim == 3, f"x must be of rank 3, not of shape {show(x.shape)}")
    steps = read_scalar(seq_len_max, "seq_len_max")
    check(0 <= steps <= len(x), f"seq_len_max is {steps}, and x has {len(x)} steps")
    peepholes = (wci, wcf, wco) if use_peephole else None
    _check_weights(x[0] if len(x) else x.reshape(-1, x.shape[2]), cs_prev, h_prev, w, b, peepholes)
    order = _ICFO if forget_bias is not None else _IFCO
    cell = _Cell(w, peepholes, b, order, forget_bias or 0.0, cell_clip)
    results = [np.zeros((len(x), *cs_prev.shape), x.dtype) for _ in range(7)]
    cs, h = cs_prev, h_prev
    for time in range(steps):
        outputs = cell.step(x[time], cs, h)
        cs, h = outputs[1], outputs[6]
        for result, output in zip(results, outputs, strict=True):
            result[time] = output
    return tuple(results)


@kernel("GRUBlockCell")
def gru_block_cell(
    x: Tensor, h_prev: Tensor, w_ru: Tensor, w_c: Tensor, b_ru: Tensor, b_c: Tensor
) -> tuple[Tensor, ...]:
    """Return r, u, c and h: the reset gate, the update gate, the candidate and the state."""
    check(x.ndim == 2, f"x must be a matrix, not of shape {show(x.shape)}")
    check(h_prev.ndim == 2, f"h_prev must be a matrix, not of shape {show(h_prev.shape)}")
    batch, inputs = x.shape
    cells = h_prev.shape[1]
    _check_shapes(
        {
            "h_prev": (h_prev, (batch, cells)),
            "w_ru": (w_ru, (inputs + cells, 2 * cells)),
            "w_c": (w_c, (inputs + cells, cells)),
            "b_ru": (b_ru, (2 * cells,)),
            "b_c": (b_c, (cells,)),
        }
    )
    gates = sigmoid(np.matmul(np.concatenate((x, h_prev), 1), w_ru) + b_ru)
    r, u = gates[:, :cells], gates[:, cells:]
    c = np.tanh(np.matmul(np.concatenate((x, h_prev * r), 1), w_c) + b_c)
    return r, u, c, u * h_prev + (1 - u) * c


def _check_weights(x: Tensor, cs: Tensor, h: Tensor, w: Tensor, b: Tensor, peepholes: Sequence[Tensor] | None) -> None:
    check(cs.ndim == 2, f"cs_prev must be a matrix, not of shape {show(cs.shape)}")
    batch, cells = x.shape[0], cs.shape[1]
    shapes = {
        "cs_prev": (cs, (batch, cells)),
        "h_prev": (h, (batch, cells)),
        "w": (w, (x.shape[1] + cells, 4 * cells)),
        "b": (b, (4 * cells,)),
    }
    for name, weights in zip(("wci", "wcf", "wco"), peepholes or (), strict=False):
        shapes[name] = (weights, (cells,))
    _check_shapes(shapes)


def _check_shapes(shapes: dict[str, tuple[Tensor, tuple[int, ...]]]) -> None:
    for name, (tensor, expected) in shapes.items():
        check(tensor.shape == expected, f"{name} must be of shape {show(expected)}, not {show(tensor.shape)}")
