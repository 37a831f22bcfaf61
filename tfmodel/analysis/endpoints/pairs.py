"""Find the embeddings of losses that compare all examples of a batch with each other.

x -> network -> embedding -> MatMul with itself -> distances of pairs -> * mask -> loss
label -> Equal to itself -> mask of pairs of one class ----------------->

A user wants the embedding of an example, not the distances within a batch.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ops.traits import PASS_THROUGH
from .dependencies import AFFINE, DIFFERENCES, FORMS, LIMITS, Dependencies, Tensor
from .loss_steps import MASKS, common_origin
from .training_inputs import LOGIC

MAX_STEPS = 20
"""The most nodes between a mask and the comparison of labels, or between distances and embeddings."""

_EQUALITIES = frozenset({"Equal", "NotEqual"})
_MASK_STEPS = AFFINE | FORMS | PASS_THROUGH | LOGIC | MASKS
_VIEWS = FORMS | PASS_THROUGH | {"StridedSlice", "Tile", "Transpose"}
_CURVES = frozenset({"Exp", "Sqrt", "Square", "Sum"})
_DISTANCE_STEPS = AFFINE | DIFFERENCES | LIMITS | _VIEWS | _CURVES | {"DiagPart", "MatrixDiagPart"}


def compared_examples(flow: Dependencies, tensor: Tensor, users: Iterable[int], labels: int) -> Tensor | None:
    """Return the embedding from which the distances in a tensor are computed, which nodes at `users` mask by labels.

    Return None unless the labels of the examples, as bits, are compared with each other and the embeddings too.
    """
    if not any(_masks_pairs(flow, user, labels) for user in users):
        return None
    for _ in range(MAX_STEPS):
        before = flow.varying_inputs(tensor[0])
        origins = {flow.viewed(each, _VIEWS) for each in before}
        op = flow.ops[tensor[0]]
        if len(before) == 2 and len(origins) == 1 and ("MatMul" in op or op in DIFFERENCES):
            origin = origins.pop()
            return origin if flow.is_computed(origin) else None
        if op not in _DISTANCE_STEPS or not before:
            return None
        common = before[0] if len(before) == 1 else common_origin(flow, before)
        if common is None:
            return None
        tensor = common
    return None


def _masks_pairs(flow: Dependencies, position: int, labels: int) -> bool:
    """Return whether a node takes a mask that tells where labels equal each other."""
    seen: set[int] = set()
    stack = [producer for producer, _ in flow.producers[position]]
    while stack and len(seen) < MAX_STEPS:
        position = stack.pop()
        if position in seen or not flow.inputs_of((position, 0)) & labels or flow.is_learned(position):
            continue
        seen.add(position)
        if flow.ops[position] in _EQUALITIES:
            origins = {flow.viewed(tensor, _VIEWS) for tensor in flow.producers[position]}
            if len(origins) == 1:
                return True
        elif flow.ops[position] in _MASK_STEPS:
            stack += [producer for producer, _ in flow.producers[position]]
    return False
