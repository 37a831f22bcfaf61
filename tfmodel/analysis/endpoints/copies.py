"""Find networks that a graph has several times.

    worker 1 -> loss 1          the variables of both workers are copies of those of one network, as in A3C
    worker 2 -> loss 2

    x   -> network -> loss 1    each has an input and a loss of its own; the variables are the same, or are as many of
    x_1 -> network -> loss 2    the same shapes, as of a target network that is copied by a program outside of the graph

Users want one of them. A siamese network is another thing: both halves go into one loss, and both are wanted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from ...errors import GraphError
from ...graph import attr
from ...messages import DataType
from ...ops.traits import CONSTS, PASS_THROUGH
from ..shapes import Shapes
from .dependencies import Dependencies, Tensor
from .loss_roots import Loss

MAX_COMPARED = 256
"""The most networks that are compared with each other."""


def originals(flow: Dependencies, shapes: Shapes, losses: Sequence[Loss], tensors: Sequence[Tensor]) -> list[bool]:
    """Return for each prediction of `losses` whether its network is the one that users want of all copies of it."""
    if not 1 < len(tensors) <= MAX_COMPARED:
        return [True] * len(tensors)
    variables = [flow.variables(flow.ancestors([tensor[0]])) for tensor in tensors]
    trained = frozenset().union(*(loss.trained for loss in losses))
    kept = _without_copied_variables(flow, variables, trained)
    groups: dict[frozenset[int], list[int]] = {}
    for number, network in enumerate(variables):
        if kept[number] and network:
            groups.setdefault(network, []).append(number)
    roots = [root for loss in losses for root in loss.roots]
    for numbers in groups.values():
        _drop_repeated(flow, shapes, roots, tensors, numbers, kept)
    _drop_repeated(flow, shapes, roots, tensors, _of_own_variables(variables, kept), kept, is_apart=True)
    return kept


def _drop_repeated(
    flow: Dependencies,
    shapes: Shapes,
    roots: Sequence[int],
    tensors: Sequence[Tensor],
    numbers: Sequence[int],
    kept: list[bool],
    *,
    is_apart: bool = False,
) -> None:
    """Set in `kept` that networks which repeat earlier ones are not originals. `numbers` say which are compared.

    With `is_apart`, a network repeats another one only if their losses share no input, such as a label.
    """
    different: list[_Network] = []
    for number in numbers if len(numbers) > 1 else ():
        network = _Network.of(flow, shapes, roots, tensors[number])
        alike = [other for other in different if network.repeats(other)]
        if any(not (is_apart and network.of_losses & other.of_losses) for other in alike):
            kept[number] = False
        else:
            different.append(network)


def _of_own_variables(variables: Sequence[frozenset[int]], kept: Sequence[bool]) -> list[int]:
    """Return the networks that share no variable with any other one; [] if there is only one."""
    found = [
        number
        for number, network in enumerate(variables)
        if kept[number]
        and network
        and all(network.isdisjoint(other) for place, other in enumerate(variables) if place != number)
    ]
    return found if len(found) > 1 else []


def _without_copied_variables(
    flow: Dependencies, variables: Sequence[frozenset[int]], trained: Collection[int]
) -> list[bool]:
    """Return for each network whether its variables are not copies of another network's.

    Of several copies of a network that has no prediction itself, such as the workers of A3C, the first one stays.
    Variables of copies that nothing trains, such as the statistics of a batch norm, do not count.
    """
    original = _first_of_chains(flow.copied_variables)
    origins: list[frozenset[int]] = []
    chosen: dict[frozenset[int], frozenset[int]] = {}
    for network in variables:
        counted = [variable for variable in network if variable in original or variable in trained]
        is_copy = bool(counted) and all(variable in original for variable in counted)
        origins.append(frozenset(original.get(variable, variable) for variable in (counted if is_copy else network)))
        if not is_copy:
            chosen.setdefault(frozenset(counted), network)
    chosen |= {network: network for network, origin in zip(variables, origins, strict=True) if network == origin}
    for network, origin in zip(variables, origins, strict=True):
        chosen.setdefault(origin, network)
    return [chosen[origin] == network for network, origin in zip(variables, origins, strict=True)]


def _first_of_chains(copied: Mapping[int, int]) -> dict[int, int]:
    """Return for each copied variable the first one in its chain of copies.

    `copied` maps each copied variable to the one that it is copied from.
    """
    originals: dict[int, int] = {}
    for variable in copied:
        path: dict[int, None] = {}
        while variable in copied and variable not in originals and variable not in path:
            path[variable] = None
            variable = copied[variable]
        originals |= dict.fromkeys(path, originals.get(variable, variable))
    return originals


class _Network(NamedTuple):
    """The facts by which copies of a network with the same variables are known.

    inputs      the inputs as bits, and how often each form of an input is among them
    roots       the losses that need the prediction
    of_losses   the inputs of these losses as bits
    ops         how often the network has each op
    shapes      how often each shape is among the variables
    """

    inputs: int
    forms: Counter[object]
    roots: frozenset[int]
    of_losses: int
    ops: Counter[str]
    shapes: Counter[object]

    @classmethod
    def of(cls, flow: Dependencies, shapes: Shapes, roots: Sequence[int], tensor: Tensor) -> _Network:
        needed, after = flow.value_ancestors([tensor[0]]), flow.strict_descendants([tensor[0]])
        ops = (op for position, op in enumerate(flow.ops) if needed[position] and op not in PASS_THROUGH | CONSTS)
        inputs = flow.inputs_of(tensor)
        forms = forms_of_inputs(flow, shapes, inputs)
        variables = flow.variables(needed)
        of_variables: Counter[object] = Counter(shapes.get(flow.name((variable, 0))) for variable in variables)
        needing = frozenset(root for root in roots if after[root])
        of_losses = reduce(or_, (flow.inputs_of((root, 0)) for root in needing), 0)
        return cls(inputs, forms, needing, of_losses, Counter(ops), of_variables)

    def repeats(self, other: _Network) -> bool:
        return (
            not self.inputs & other.inputs
            and not self.roots & other.roots
            and self.forms == other.forms
            and self.ops == other.ops
            and self.shapes == other.shapes
        )


def forms_of_inputs(flow: Dependencies, shapes: Shapes, inputs: int) -> Counter[object]:
    """Return how often each dtype and shape, without the size of the batch, is among some inputs, given as bits."""
    return Counter(_form(flow, shapes, tensor) for tensor in [*flow.sources] if flow.inputs_of(tensor) & inputs)


def _form(flow: Dependencies, shapes: Shapes, tensor: Tensor) -> object:
    try:
        dtype = attr(flow.index.nodes[tensor[0]], "dtype", DataType, None)
    except GraphError:  # which `check_graph` reports
        dtype = None
    shape = shapes.get(flow.name(tensor))
    return dtype, None if shape is None else (len(shape), *shape[1:])
