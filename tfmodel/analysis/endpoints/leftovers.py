"""Find the ends of a graph that are left over: a function that builds a network made them, and no user needs them.

scores [b, h, w, c] -+-> Reshape [-1, c]               an end that only shows all scores flat
                     +-> StridedSlice -> the result

image -> pretrained network -+-> 1000 classes          the classifier that the network was trained with
                             +-> layers -> the result
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ops.traits import PASS_THROUGH
from ..shapes import Shapes
from .dependencies import ACTIVATIONS, FORMS, Dependencies, Tensor

MAX_STEPS = 20
"""The most nodes that give a result another form, or take a part of it."""

MAX_ENDS = 64
"""The most ends of the graph that are compared."""

_PRETRAINED_CLASSES = frozenset({1000, 1001})  # of ImageNet; some networks have one for the background
_VIEWS = FORMS | PASS_THROUGH | {"Transpose"}
_SLICES = ("Slice", "StridedSlice")


def flattened_copies(flow: Dependencies, shapes: Shapes, ends: Sequence[Tensor]) -> list[Tensor]:
    """Return those of the `ends` that are a tensor in fewer dimensions, of which another end is a part."""
    if not 1 < len(ends) <= MAX_ENDS:
        return []
    flat = [end for end in ends if _is_flattened(flow, shapes, end)]
    others = {end: _origins(flow, end) for end in ends if end not in flat} if flat else {}
    return [end for end in flat if any(flow.producers[end[0]][0] in origins for origins in others.values())]


def _is_flattened(flow: Dependencies, shapes: Shapes, tensor: Tensor) -> bool:
    if flow.ops[tensor[0]] != "Reshape" or not flow.producers[tensor[0]]:
        return False
    shape, before = (shapes.get(flow.name(each)) for each in (tensor, flow.producers[tensor[0]][0]))
    return shape is not None and before is not None and len(shape) < len(before)


def _origins(flow: Dependencies, tensor: Tensor) -> set[Tensor]:
    """Return the tensors of which a tensor is a part, perhaps in another form."""
    origins: set[Tensor] = set()
    for _ in range(MAX_STEPS):
        is_part = flow.ops[tensor[0]] in _VIEWS or flow.ops[tensor[0]] in _SLICES
        if not is_part or not flow.producers[tensor[0]]:
            break
        tensor = flow.producers[tensor[0]][0]
        origins.add(tensor)
    return origins


def pretrained_classifiers(flow: Dependencies, shapes: Shapes, ends: Sequence[Tensor]) -> list[Tensor]:
    """Return those of the `ends` with the classes of a pretrained network, if others have layers after that network."""
    if not 1 < len(ends) <= MAX_ENDS:
        return []
    classifiers = [end for end in ends if _has_pretrained_classes(flow, shapes, end)]
    if not 0 < len(classifiers) < len(ends):
        return []
    variables = {end: flow.variables(flow.value_ancestors([end[0]])) for end in ends}
    others = [variables[end] for end in ends if end not in classifiers]
    return [
        end
        for end in classifiers
        if any(other & variables[end] and other - variables[end] and variables[end] - other for other in others)
    ]


def _has_pretrained_classes(flow: Dependencies, shapes: Shapes, tensor: Tensor) -> bool:
    """Return whether a tensor has scores or probabilities of as many classes as pretrained networks have."""
    shape = shapes.get(flow.name(tensor))
    if not shape or shape[-1] not in _PRETRAINED_CLASSES:
        return False
    return any(flow.ops[position] in ACTIVATIONS for position, _ in (tensor, *_origins(flow, tensor)))
