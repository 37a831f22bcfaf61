"""Find the outputs of generators: a discriminator applies the same weights to them and to data.

noise -> generator -> picture -> reshape -> discriminator -> losses
data -------------------------> reshape_1 -> discriminator -> losses

A critic of actions is such a discriminator, and the actor a generator. The action may enter after the first layer:

state -> actor -> action ---------> concat_1 -> critic layer 2 -> losses
state -> critic layer 1 ---------->
state -> critic layer 1 ----------> concat -> critic layer 2 -> losses
replayed action ------------------>
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...ops.traits import PASS_THROUGH, UNCHANGED
from .actors import joined_parts
from .dependencies import Dependencies, Tensor
from .layer_stacks import stem

MAX_COMPARED = 32
"""The most tensors that are looked at as results of generators."""

MAX_STEPS = 20
"""The most nodes between a generator and a discriminator."""

_BEFORE_DISCRIMINATOR = ("Concat", "MirrorPad", "Pad")  # beginnings of ops


def generated(flow: Dependencies, weight_ops: Iterable[int]) -> list[Tensor]:
    """Return the outputs of generators: a weight op takes them where another op with the same weights takes an input.

    `weight_ops` are the positions of the nodes that apply weights for the losses.
    """
    return _generated(flow, _takers(flow, weight_ops))


def _data(flow: Dependencies, tensors: Iterable[Tensor]) -> list[Tensor]:
    return [tensor for tensor in tensors if not flow.is_learned(tensor[0])]


def _takers(flow: Dependencies, weight_ops: Iterable[int]) -> dict[int, list[Tensor]]:
    """Return for each variable the tensors that weight ops combine with it."""
    takers: dict[int, list[Tensor]] = {}
    for position in weight_ops:
        data = [tensor for tensor in flow.producers[position] if flow.inputs_of(tensor)]
        for tensor in flow.producers[position]:
            if flow.is_weight(tensor) and data:
                takers.setdefault(flow.variable(tensor[0]), []).append(data[0])
    return takers


def _parts(flow: Dependencies, tensors: Sequence[Tensor]) -> list[list[Tensor]]:
    """Return for each place of a Concat the values that are joined there to give `tensors`; [] for other tensors."""
    joined = [joined_parts(flow, tensor) for tensor in tensors[:MAX_COMPARED]]
    return [list(values) for values in zip(*joined, strict=False)] if len({*map(len, joined)}) == 1 else []


def _generated(flow: Dependencies, takers: Mapping[int, Sequence[Tensor]]) -> list[Tensor]:
    """Return the generated ones of tensors with which variables are combined, beside data."""
    found: dict[Tensor, None] = {}
    compared = 0
    apart = [(variable, part) for variable, tensors in takers.items() for part in _parts(flow, tensors)]
    for variable, tensors in [*takers.items(), *apart]:
        data = _data(flow, tensors)
        for tensor in tensors if data else ():
            if flow.is_learned(tensor[0]) and compared < MAX_COMPARED:
                compared += 1
                if not flow.ancestors([tensor[0]])[variable]:
                    found[generator_output(flow, _before_entrance(flow, tensor, data[0]))] = None
    return list(found)


def _before_entrance(flow: Dependencies, tensor: Tensor, real: Tensor) -> Tensor:
    """Return a generated tensor before the ops that the discriminator applies to it, and likewise to real data."""
    for _ in range(MAX_STEPS):
        before, real_before = flow.varying_inputs(tensor[0]), flow.varying_inputs(real[0])
        if (
            len(before) != 1
            or len(real_before) != 1
            or flow.is_source(real[0])
            or flow.ops[tensor[0]] != flow.ops[real[0]]
            or stem(flow, tensor[0]) != stem(flow, real[0])
            or not flow.is_learned(before[0][0])
        ):
            break
        [tensor], [real] = before, real_before
    return tensor


def generator_output(flow: Dependencies, tensor: Tensor) -> Tensor:
    """Return the output of a generator, given a tensor that may have it padded, or joined with a condition."""
    for _ in range(MAX_STEPS):
        op = flow.ops[tensor[0]]
        learned = [value for value in flow.producers[tensor[0]] if flow.is_learned(value[0])]
        computed = [value for value in learned if flow.inputs_of(value)] or [
            value for value in learned if flow.ops[value[0]] not in PASS_THROUGH
        ]
        if not computed or not (op in UNCHANGED or op.startswith(_BEFORE_DISCRIMINATOR)):
            break
        tensor = computed[0]
    return tensor
