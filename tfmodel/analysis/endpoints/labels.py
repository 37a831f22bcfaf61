"""Find the inputs of losses that are labels, and those that look like labels but are data.

An input that reaches a loss and no weight op is a label, and so is an input that a sampler of classes takes as the true
classes. Lengths of sequences, masks of what a model may choose, and values that a result is added to are data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...ops.traits import PASS_THROUGH
from ..shapes import Shapes
from .choice_masks import choice_masks
from .dependencies import FORMS, Dependencies, Tensor
from .lengths import is_length
from .masks import masking_labels
from .skip_connections import skipped_inputs

MAX_STEPS_BACK = 20
"""The most nodes between a sampler and its classes."""

_RESHAPES = PASS_THROUGH | FORMS


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of the losses of a graph.

    tensors       the inputs that are labels
    bits          the same as bits of `Dependencies`
    length_bits   the inputs that say how long the sequences of a batch are
    masking       the nodes that mask values of which something is chosen, with the masks as bits
    """

    tensors: list[Tensor]
    bits: int
    length_bits: int
    masking: Mapping[int, int]


def find_labels(flow: Dependencies, shapes: Shapes, region: bytearray, weight_ops: Iterable[int]) -> Labels:
    """Find the labels of the losses that need the nodes of a region; `weight_ops` apply weights in it."""
    feeds_weights = flow.ancestors(weight_ops)
    inputs = [*flow.sources]
    lengths = flow.bits(tensor for tensor in inputs if is_length(flow, tensor))
    known = _true_classes(flow) | masking_labels(flow, feeds_weights)

    def is_label(tensor: Tensor) -> bool:
        """Return whether an input reaches a loss without any weights, or only to look up or to mask what they give."""
        users = list(flow.forward_users(tensor))
        if not any(region[user] for user in users) or lengths & flow.inputs_of(tensor):
            return False
        return tensor in known or not any(feeds_weights[user] for user in users)

    labels = [tensor for tensor in inputs if is_label(tensor)]
    unsure = [tensor for tensor in labels if tensor not in known]
    masking = choice_masks(flow, unsure, flow.bits(labels))
    data = flow.bits(skipped_inputs(flow, shapes, region, unsure))
    for mask in masking.values():
        data |= mask
    labels = [tensor for tensor in labels if not flow.inputs_of(tensor) & data]
    return Labels(labels, flow.bits(labels), lengths, masking)


def _true_classes(flow: Dependencies) -> set[Tensor]:
    """Return the inputs that samplers take as true classes. Losses with sampled classes look up their weights."""
    inputs = set()
    for position, op in enumerate(flow.ops):
        for _ in range(MAX_STEPS_BACK if op.endswith("CandidateSampler") else 0):
            producers = flow.producers[position]
            if not producers or flow.is_source(producers[0][0]) or flow.ops[producers[0][0]] not in _RESHAPES:
                inputs.update(producers[:1])
                break
            position = producers[0][0]
    return inputs
