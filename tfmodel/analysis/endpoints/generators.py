"""Find the outputs of generators: a discriminator applies the same weights to them and to data.

noise -> generator -> picture -> reshape -> discriminator -> losses
data -------------------------> reshape_1 -> discriminator -> losses

A critic of actions is such a discriminator, and the actor a generator. The action may enter after the first layer:

state -> actor -> action ---------> concat_1 -> critic layer 2 -> losses
state -> critic layer 1 ---------->
state -> critic layer 1 ----------> concat -> critic layer 2 -> losses
replayed action ------------------>

A recurrent discriminator takes one time step after the other, joined with its state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...ops.traits import PASS_THROUGH, RANDOM, UNCHANGED
from .actors import joined_parts
from .dependencies import Dependencies, Tensor
from .layer_stacks import stem
from .loops import fetchable

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


def generated_from_noise(flow: Dependencies, region: bytearray, weight_ops: Iterable[int]) -> list[Tensor]:
    """Return the outputs of generators that draw their noise in the graph and take no input.

    `region` are the nodes that losses need.
    """
    noisy = _noisy(flow, region)
    if noisy is None:
        return []
    takers: dict[int, list[Tensor]] = {}
    for variable, tensors in _takers(flow, weight_ops).items():
        parts = [part for tensor in tensors[:MAX_COMPARED] for part in joined_parts(flow, tensor)]
        if data := _data(flow, [*tensors, *parts]):
            takers[variable] = data[:1]
    for position, tensors in enumerate(flow.producers):
        if noisy[position] and region[position] and flow.is_forward(position) and not flow.inputs_of((position, 0)):
            taken = [part for tensor in tensors for part in (joined_parts(flow, tensor) or [tensor])]
            made = [tensor for tensor in taken if noisy[tensor[0]] and flow.is_learned(tensor[0])]
            for tensor in tensors if made else ():
                variable = flow.variable(tensor[0])
                if not noisy[tensor[0]] and flow.is_weight(tensor) and variable in takers:
                    takers[variable].append(made[0])
    return _generated(flow, takers)


def takes_generated(flow: Dependencies, region: bytearray) -> bool:
    """Return whether losses, which need the nodes of a region, need values that are computed from noise alone."""
    noisy = _noisy(flow, region)
    return noisy is not None and any(
        noisy[position] and region[position] and flow.is_learned(position) and not flow.inputs_of((position, 0))
        for position in range(len(flow.ops))
    )


def _noisy(flow: Dependencies, region: bytearray) -> bytearray | None:
    """Return, by position, which nodes are computed from noise of a constant shape; None if there is no noise."""
    draws = [position for position, op in enumerate(flow.ops) if op in RANDOM and region[position]]
    noise = [position for position in draws if not flow.depends_on_input(position)]
    return flow.strict_descendants(noise) if noise else None


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
                    made, real = (fetchable(flow, each) or each for each in (tensor, data[0]))
                    found[generator_output(flow, _before_entrance(flow, made, real))] = None
    return list(found)


def before_discriminator(flow: Dependencies, tensor: Tensor) -> Tensor:
    """Return the output of a generator, given one that a discriminator may have given another form, as it does to data.

    The data have a node of the same op and name, but for numbers.
    """
    op, name = flow.ops[tensor[0]], stem(flow, tensor[0])
    alike = (position for position, other in enumerate(flow.ops) if other == op and stem(flow, position) == name)
    data = next(((each, 0) for each in alike if flow.inputs_of((each, 0)) and not flow.is_learned(each)), None)
    return generator_output(flow, tensor if data is None else _before_entrance(flow, tensor, data))


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
