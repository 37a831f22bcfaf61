"""Recurrent cells by what one step computes.

    LSTM    c' = f * c + i * g, h' = o * tanh(c'), with gates of sums of x and h; peepholes add products with c or c'
    GRU     h' = z * h + (1 - z) * n, where n is tanh of x @ W + (r * h) @ R, or of x @ W + r * (h @ R + b)
    RNN     h' = tanh or relu of a sum of x and h

Source of the operators: https://github.com/onnx/onnx/blob/main/docs/Operators.md#LSTM
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..conversion.model import Array, Attributes, Value
from .affine import Affine, Step, operand, source


@dataclass(frozen=True)
class Cell:
    """A cell as an operator of ONNX.

    x          what a step takes from the sequence
    states     the values of h, and c, before a step
    new        the same after it
    arrays     the inputs W, R and B, without the first axis, and P for peepholes
    """

    op: str
    x: Value
    states: tuple[Value, ...]
    new: tuple[Value, ...]
    arrays: tuple[Array, ...]
    attributes: Attributes = field(default_factory=dict)

    @property
    def hidden(self) -> int:
        return int(self.arrays[1].shape[1])


def find_cell(step: Step, states: Sequence[Value], new: Sequence[Value]) -> Cell | None:
    """Return the cell that computes the new values of one state, h, or of two, h and c."""
    if len(states) == 2:
        return _lstm(step, *states, *new)
    return _gru(step, states[0], new[0]) or _rnn(step, states[0], new[0])


def _operands(step: Step, value: Value, op: str) -> Iterator[tuple[Value, Value]]:
    """Yield the operands of a sum or product, in both orders."""
    node = step.node(value, op)
    if node is not None:
        pair = source(operand(node, 0)), source(operand(node, 1))
        yield pair
        yield pair[::-1]


def _gate(step: Step, value: Value, activation: str) -> Affine | None:
    found = step.gate(value)
    return found[1] if found is not None and found[0] == activation else None


def _factor(step: Step, value: Value, other: Value) -> Value | None:
    """Return what a product multiplies a value with."""
    return next((one for one, two in _operands(step, value, "Mul") if two is other), None)


# --- LSTM ------------------------------------------------------------------------------------------------------------


def _lstm(step: Step, h: Value, c: Value, new_h: Value, new_c: Value) -> Cell | None:
    gates = [*_cell_gates(step, c, new_c)]
    output = _output_gate(step, new_h, new_c)
    if not gates or output is None:
        return None
    forget, write, content = gates[0]
    peepholes = [_peephole(step, gate, value) for gate, value in ((write, c), (output, new_c), (forget, c))]
    if content.rest or any(each is None for each in peepholes):
        return None
    weights = _weights([Affine(gate.terms, gate.bias) for gate in (write, output, forget, content)], h)
    if weights is None:
        return None
    x, inputs, recurrent, biases = weights
    hidden = recurrent[0].shape[0]
    arrays = [np.concatenate(inputs), np.concatenate(recurrent), np.concatenate([*biases, np.zeros(4 * hidden)])]
    found = [each for each in peepholes if each is not None]
    if any(each.any() for each in found):
        arrays.append(np.concatenate([np.broadcast_to(each, hidden) for each in found]))
    return Cell("LSTM", x, (h, c), (new_h, new_c), tuple(arrays))


def _cell_gates(step: Step, c: Value, new_c: Value) -> Iterator[tuple[Affine, Affine, Affine]]:
    """Yield the gates f and i and the content g of c' = f * c + i * g."""
    for kept, written in _operands(step, new_c, "Add"):
        factor = _factor(step, kept, c)
        forget = None if factor is None else _gate(step, factor, "Sigmoid")
        for one, two in _operands(step, written, "Mul"):
            write, content = _gate(step, one, "Sigmoid"), _gate(step, two, "Tanh")
            if forget is not None and write is not None and content is not None:
                yield forget, write, content


def _output_gate(step: Step, new_h: Value, new_c: Value) -> Affine | None:
    """Return the gate o of h' = o * tanh(c')."""
    for one, two in _operands(step, new_h, "Mul"):
        shown = step.node(two, "Tanh")
        if shown is not None and source(operand(shown, 0)) is new_c:
            return _gate(step, one, "Sigmoid")
    return None


def _peephole(step: Step, gate: Affine, state: Value) -> Array | None:
    """Return the weights with which a gate sees the cell: zeros if it does not, None if it sees something else."""
    if not gate.rest:
        return np.zeros(1, np.float32)
    factor = _factor(step, gate.rest[0], state) if len(gate.rest) == 1 else None
    data = None if factor is None else factor.data
    return data.reshape(-1) if data is not None and data.size == max(data.shape, default=1) else None


# --- GRU and simple cells --------------------------------------------------------------------------------------------


def _gru(step: Step, h: Value, new_h: Value) -> Cell | None:
    for kept, written in _operands(step, new_h, "Add"):
        update = _factor(step, kept, h)
        update_gate = None if update is None else _gate(step, update, "Sigmoid")
        for rest, value in _operands(step, written, "Mul"):
            content = _gate(step, value, "Tanh")
            if update_gate is None or content is None or not _is_complement(step, rest, update):
                continue
            for reset, reset_content, bias in _resets(step, h, content):
                weights = _weights([update_gate, reset, reset_content], h)
                if weights is not None:
                    return _gru_cell(h, new_h, weights, bias)
    return None


def _is_complement(step: Step, value: Value, update: Value | None) -> bool:
    """Return whether a value is 1 - update."""
    node = step.node(value, "Sub")
    if node is None or source(operand(node, 1)) is not update:
        return False
    one = operand(node, 0).data
    return one is not None and one.size == 1 and float(one.ravel()[0]) == 1


def _resets(step: Step, h: Value, content: Affine) -> Iterator[tuple[Affine, Affine, Array | None]]:
    """Yield the gate r of a content, and the content as if it were reset, with the bias of h if that is reset too."""
    for value, matrix in content.terms.items():
        factor = _factor(step, value, h)
        reset = None if factor is None or h in content.terms else _gate(step, factor, "Sigmoid")
        if reset is not None:
            others = {each: other for each, other in content.terms.items() if each is not value}
            yield reset, Affine({**others, h: matrix}, content.bias, content.rest), None
    for factor, value in _operands(step, content.rest[0], "Mul") if len(content.rest) == 1 else ():
        reset, product = _gate(step, factor, "Sigmoid"), step.affine(value)
        if reset is not None and not product.rest and set(product.terms) == {h} and h not in content.terms:
            yield reset, Affine({**content.terms, **product.terms}, content.bias), product.bias


_Weights = tuple[Value, list[Array], list[Array], list[Array]]


def _gru_cell(h: Value, new_h: Value, weights: _Weights, bias: Array | None) -> Cell:
    x, inputs, recurrent, biases = weights
    added = np.broadcast_to(0 if bias is None else bias, len(biases[0]))
    arrays = np.concatenate(inputs), np.concatenate(recurrent), np.concatenate([*biases, *[0 * added] * 2, added])
    return Cell("GRU", x, (h,), (new_h,), arrays, {} if bias is None else {"linear_before_reset": 1})


def _rnn(step: Step, h: Value, new_h: Value) -> Cell | None:
    found = step.gate(new_h)
    weights = None if found is None or found[0] == "Sigmoid" else _weights([found[1]], h)
    if found is None or weights is None:
        return None
    x, inputs, recurrent, biases = weights
    activation = {} if found[0] == "Tanh" else {"activations": [found[0]]}
    bias = np.concatenate([biases[0], np.zeros_like(biases[0])])
    return Cell("RNN", x, (h,), (new_h,), (inputs[0], recurrent[0], bias), activation)


def _weights(gates: Sequence[Affine], h: Value) -> _Weights | None:
    """Return the input of the gates, and for each gate the matrices of the input and of h, turned, and the bias."""
    values = {value for gate in gates for value in gate.terms}
    others = values - {h}
    if h not in values or len(others) != 1 or any(gate.rest for gate in gates):
        return None
    (x,) = others
    hidden = next(gate.terms[h].shape[0] for gate in gates if h in gate.terms)
    width = next(gate.terms[x].shape[0] for gate in gates if x in gate.terms)
    inputs = [gate.terms.get(x, np.zeros((width, hidden))).T for gate in gates]
    recurrent = [gate.terms.get(h, np.zeros((hidden, hidden))).T for gate in gates]
    if any(matrix.shape != (hidden, width) for matrix in inputs):
        return None
    if any(matrix.shape != (hidden, hidden) for matrix in recurrent):
        return None
    if any(gate.bias.size not in (1, hidden) for gate in gates):
        return None
    return x, inputs, recurrent, [np.broadcast_to(gate.bias.reshape(-1), hidden) for gate in gates]
