"""Find networks that a graph has several times.

    worker 1 -> loss 1          the variables of both workers are copies of those of one network, as in A3C
    worker 2 -> loss 2

Users want one of them. A siamese network is another thing: both halves go into one loss, and both are wanted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .dependencies import Dependencies, Tensor
from .loss_roots import Loss

MAX_COMPARED = 256
"""The most networks that are compared with each other."""


def originals(flow: Dependencies, losses: Sequence[Loss], tensors: Sequence[Tensor]) -> list[bool]:
    """Return for each prediction of `losses` whether its network is the one that users want of all copies of it."""
    if not 1 < len(tensors) <= MAX_COMPARED:
        return [True] * len(tensors)
    variables = [flow.variables(flow.ancestors([tensor[0]])) for tensor in tensors]
    trained = frozenset().union(*(loss.trained for loss in losses))
    return _without_copied_variables(flow, variables, trained)


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
