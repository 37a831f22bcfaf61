"""Find the heads of a network that a loss joins before it compares them with labels, or from which it is computed.

head 1 [b, h1, w1, c] -> reshape [b*h1*w1, c] -+-> concat [n, c] -> loss
head 2 [b, h2, w2, c] -> reshape [b*h2*w2, c] -+

A detector has a head for each scale. The loss takes the elements of all of them as one list, in which the examples of a
batch are no longer apart: a user wants the heads.

A loss without labels may compare results of the network with each other, such as the two sides of an image. Then the
heads are the last results of ops with weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ..shapes import Shapes
from .dependencies import Dependencies, Tensor

MAX_HEADS = 256
"""The most heads of one loss."""

MAX_USERS = 1000
"""The most users of a tensor that are looked at."""


def joined_heads(flow: Dependencies, shapes: Shapes, region: bytearray, tensor: Tensor) -> list[Tensor]:
    """Return the tensors whose elements a loss joins in `tensor`; an empty list if it joins none.

    `region` has the nodes that losses need. A join that other nodes use is a result of the model.
    """
    if not flow.ops[tensor[0]].startswith("Concat") or not _is_along_examples(flow, shapes, tensor[0]):
        return []
    parts = flow.varying_inputs(tensor[0])
    if not 1 < len(parts) <= MAX_HEADS or any(flow.ops[part[0]] != "Reshape" for part in parts):
        return []
    if any(not region[user] for user in islice(flow.forward_users(tensor), MAX_USERS)):
        return []
    heads = [flow.producers[part[0]][0] for part in parts]
    return heads if all(map(flow.is_computed, heads)) else []


def _is_along_examples(flow: Dependencies, shapes: Shapes, position: int) -> bool:
    """Return whether a Concat joins along the first dimension, that of the examples of a batch."""
    tensors = flow.producers[position]
    if not tensors:
        return False
    axis = tensors[0] if flow.ops[position] == "Concat" else tensors[-1]
    return bool(shapes.value(flow.name(axis)) == 0)


def last_heads(flow: Dependencies, weight_ops: Sequence[int], region: bytearray) -> list[Tensor]:
    """Return the results of the last ops with weights that a loss needs: those that no other such op needs.

    `region` has the nodes that the loss needs. Return an empty list where a loop or very many ops have these weights.
    """
    earlier = flow.strict_ancestors(weight_ops)
    heads = [(position, 0) for position in weight_ops if region[position] and not earlier[position]]
    return heads if len(heads) <= MAX_HEADS and all(flow.is_fetchable(position) for position, _ in heads) else []
