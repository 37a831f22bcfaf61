"""Find inputs that a result of the network is added to.

image  ----------------------+
detail -> network -> change -+-> restored image -> - clean image -> loss

No weights are applied to the image, as to a label. But its sum with a result of the network is the prediction: the loss
takes the difference of that from a label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from ..shapes import Shapes
from .dependencies import DIFFERENCES, FORMS, SUMS, Dependencies, Tensor

MAX_INPUTS = 64
"""The most inputs that are looked at."""

MAX_USERS = 100
"""The most users of a tensor that are looked at."""

MIN_RANK = 3
"""The fewest dimensions of an input with a skip connection; numbers for examples are rewards, and old results."""


def skipped_inputs(flow: Dependencies, shapes: Shapes, region: bytearray, inputs: Iterable[Tensor]) -> Iterator[Tensor]:
    """Yield those of `inputs` that a result is added to, before a loss takes a difference from an input.

    `region` has the nodes that losses need.
    """
    for tensor in islice(inputs, MAX_INPUTS):
        sums = (user for user in islice(flow.forward_users(tensor), MAX_USERS) if region[user])
        if any(_is_prediction(flow, shapes, region, tensor, position) for position in sums):
            yield tensor


def _is_prediction(flow: Dependencies, shapes: Shapes, region: bytearray, tensor: Tensor, position: int) -> bool:
    """Return whether a node adds a result of the same shape to an input, and a loss compares the sum with an input."""
    results = [other for other in flow.producers[position] if other != tensor]
    if flow.ops[position] not in SUMS or len(results) != 1 or not flow.is_computed(results[0]):
        return False
    if flow.inputs_of(results[0]) & flow.inputs_of(tensor):
        return False
    shape, other = shapes.get(flow.name(tensor)), shapes.get(flow.name(results[0]))
    if shape is None or other is None or len(shape) < MIN_RANK or shape[1:] != other[1:]:
        return False
    return any(
        region[user] and flow.ops[user] in DIFFERENCES and _takes_input(flow, user, position)
        for user in islice(_users_of_value(flow, position), MAX_USERS)
    )


def _users_of_value(flow: Dependencies, position: int) -> Iterator[int]:
    """Yield the nodes that take a value, or the value in another form."""
    for user in flow.forward_users((position, 0)):
        yield user
        if flow.ops[user] in FORMS:
            yield from flow.forward_users((user, 0))


def _takes_input(flow: Dependencies, position: int, value: int) -> bool:
    """Return whether a node takes an input beside a value, perhaps in another form."""
    others = [other for other in flow.varying_inputs(position) if other[0] != value]
    return any(flow.inputs_of(other) and not flow.is_learned(other[0]) for other in others)
