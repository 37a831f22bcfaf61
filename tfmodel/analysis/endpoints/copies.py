"""Find networks that a graph has several times.

    worker 1 -> loss 1          the variables of both workers are copies of those of one network, as in A3C
    worker 2 -> loss 2

    x   -> network -> loss 1    both have the same variables, and each has an input and a loss of its own
    x_1 -> network -> loss 2

Users want one of them. A siamese network is another thing: both halves go into one loss, and both are wanted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
        several = [_Network.of(flow, shapes, roots, tensors[number]) for number in numbers if len(numbers) > 1]
        different: list[_Network] = []
        for number, repeated in zip(numbers, several, strict=False):
            if any(map(repeated.repeats, different)):
                kept[number] = False
            else:
                different.append(repeated)
    return kept


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

    inputs   the inputs as bits, and how often each form of an input is among them
    roots    the losses that need the prediction
    ops      how often the network has each op
    """

    inputs: int
    forms: Counter[object]
    roots: frozenset[int]
    ops: Counter[str]

    @classmethod
    def of(cls, flow: Dependencies, shapes: Shapes, roots: Sequence[int], tensor: Tensor) -> _Network:
        needed, after = flow.value_ancestors([tensor[0]]), flow.strict_descendants([tensor[0]])
        ops = (op for position, op in enumerate(flow.ops) if needed[position] and op not in PASS_THROUGH | CONSTS)
        inputs = flow.inputs_of(tensor)
        forms = forms_of_inputs(flow, shapes, inputs)
        return cls(inputs, forms, frozenset(root for root in roots if after[root]), Counter(ops))

    def repeats(self, other: _Network) -> bool:
        return (
            not self.inputs & other.inputs
            and not self.roots & other.roots
            and self.forms == other.forms
            and self.ops == other.ops
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
