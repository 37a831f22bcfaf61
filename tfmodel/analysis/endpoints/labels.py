"""Find the inputs of losses that are labels, and those that look like labels but are data.

An input that reaches a loss and no weight op is a label. Lengths of sequences and masks of what a model may choose are
data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .choice_masks import choice_masks
from .dependencies import Dependencies, Tensor
from .lengths import is_length


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of the losses of a graph.

    tensors       the inputs that are labels
    bits          the same as bits of `Dependencies`
    length_bits   the inputs that say how long the sequences of a batch are
    """

    tensors: list[Tensor]
    bits: int
    length_bits: int


def find_labels(flow: Dependencies, region: bytearray, weight_ops: Iterable[int]) -> Labels:
    """Find the labels of the losses that need the nodes of a region; `weight_ops` apply weights in it."""
    feeds_weights = flow.ancestors(weight_ops)
    inputs = [*flow.sources]
    lengths = flow.bits(tensor for tensor in inputs if is_length(flow, tensor))

    def is_label(tensor: Tensor) -> bool:
        """Return whether an input reaches a loss without any weights."""
        users = list(flow.forward_users(tensor))
        if not any(region[user] for user in users) or lengths & flow.inputs_of(tensor):
            return False
        return not any(feeds_weights[user] for user in users)

    labels = [tensor for tensor in inputs if is_label(tensor)]
    data = choice_masks(flow, labels, flow.bits(labels))
    labels = [tensor for tensor in labels if not flow.inputs_of(tensor) & data]
    return Labels(labels, flow.bits(labels), lengths)
