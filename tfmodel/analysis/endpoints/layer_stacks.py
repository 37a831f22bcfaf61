"""Find the last of several layers that a network shows by an Identity, a Reshape or a similar op.

    layer 1 -> Reshape          nothing uses it: a hidden layer, since the network goes on with layer 1
    layer 2 -> Reshape_1        nothing uses it: a hidden layer
    layer 3 -> Reshape_2 -> pooler -> Tanh

Reshape_2 is an output of this encoder, although the pooler uses it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from ..shapes import Shape, Shapes
from .dependencies import FORMS, Dependencies, Tensor

MAX_LAYERS = 256
"""The most ends of the graph that are looked at."""

_VIEWS = FORMS | {"Transpose"}
_NUMBERS = re.compile(r"_?\d+")

_Form: TypeAlias = "tuple[str, Shape | None]"


def last_layers(flow: Dependencies, shapes: Shapes, ends: Sequence[Tensor]) -> dict[Tensor, Tensor]:
    """Return for each of the `ends` that shows a hidden layer the tensor that shows the last such layer."""
    hidden = [end for end in ends[:MAX_LAYERS] if _shows_hidden(flow, end)]
    forms = {_form(flow, shapes, end[0]) for end in hidden}
    views: dict[_Form, list[int]] = {}
    for position, op in enumerate(flow.ops):
        if (
            hidden
            and op in _VIEWS
            and flow.is_fetchable(position)
            and flow.is_forward(position)
            and flow.inputs_of((position, 0))
        ):
            form = _form(flow, shapes, position)
            if form in forms:
                views.setdefault(form, []).append(position)
    last: dict[Tensor, Tensor] = {}
    for end in hidden:
        form = _form(flow, shapes, end[0])
        after = flow.strict_descendants([flow.producers[end[0]][0][0]])
        later = [view for view in views[form] if view != end[0] and after[flow.producers[view][0][0]]]
        alike = [view for view in later if stem(flow, view) == stem(flow, end[0])]
        if alike or (later and form[1] is not None):
            last[end] = (max(alike or later, key=flow.order.__getitem__), 0)
    return last


def _shows_hidden(flow: Dependencies, tensor: Tensor) -> bool:
    """Return whether a tensor is a value in another form, of which the network computes other values."""
    position = tensor[0]
    if flow.ops[position] not in _VIEWS or not flow.inputs_of(tensor):
        return False
    source = flow.producers[position][0]
    return any(flow.ops[user] not in _VIEWS or flow.users[user] for user in flow.forward_users(source))


def _form(flow: Dependencies, shapes: Shapes, position: int) -> _Form:
    """Return what the views of all layers of a stack have in common: the op and the shape."""
    return flow.ops[position], shapes.get(flow.name((position, 0)))


def stem(flow: Dependencies, position: int) -> str:
    """Return the name of a node without numbers."""
    return _NUMBERS.sub("", flow.index.nodes[position].name)
