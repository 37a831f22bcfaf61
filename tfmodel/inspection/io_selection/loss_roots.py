"""Find where the losses of a training graph are: where gradients start, or what the model declares as a loss.

TensorFlow names the gradients of an op "gradients/OP_grad/...", and no other op with gradients uses the loss. In a
graph without gradients, losses are those of the collection "losses", or the ops that only compute losses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ...graph import CONTROL_FLOW
from ...messages import MetaGraphDef
from ...names import node_name
from ...shapes import Shapes
from .dataflow import Dataflow
from .loss_steps import LOSS_OPS

__all__ = ["Loss", "collected_losses", "find_loss_roots"]

_GRADIENTS = re.compile(r"gradients(_\d+)?")
_GRADIENT_OF = re.compile(r"(.+)_grad(_\d+)?", re.DOTALL)


class Loss(NamedTuple):
    """One loss: the positions of its nodes, and of the nodes with gradients; None in a graph without gradients."""

    roots: list[int]
    with_gradients: frozenset[int] | None


def collected_losses(meta: MetaGraphDef | None) -> list[str]:
    """Return the names in the collection "losses", to which TensorFlow's own loss functions add theirs."""
    collection = meta.collection_def.get("losses") if meta is not None else None
    return list(collection.node_list.value) if collection is not None and collection.node_list is not None else []


def find_loss_roots(flow: Dataflow, shapes: Shapes, collection: Iterable[str]) -> list[Loss]:
    losses = [loss for nodes in _nodes_with_gradients(flow) if (loss := _start_of_gradients(flow, shapes, nodes)).roots]
    if losses:
        return losses
    positions = flow.index.positions
    named = [positions[name] for name in map(node_name, collection) if name in positions]
    roots = [position for position in named if flow.is_computed((position, 0))]
    if not roots:
        roots = [position for position, op in enumerate(flow.ops) if op in LOSS_OPS and flow.is_forward(position)]
    return [Loss(roots, None)] if roots else []


def _nodes_with_gradients(flow: Dataflow) -> list[frozenset[int]]:
    """Return, for each set of gradients, the nodes for which they are computed, judging by the names of gradients."""
    scopes: dict[str, set[int]] = {}
    for node in flow.index.nodes:
        names = _gradient_scope(node.name)
        if names is not None and names[1] in flow.index:
            scopes.setdefault(names[0], set()).add(flow.index.positions[names[1]])
    return [frozenset(nodes) for nodes in scopes.values()]


def _gradient_scope(name: str) -> tuple[str, str] | None:
    """Return the scope of the gradients that a node is part of, and the node that it is a gradient of.

    They are "train/gradients" and "layer/MatMul" for "train/gradients/layer/MatMul_grad/tuple".
    """
    if "gradients" not in name:
        return None
    parts = name.split("/")
    first = next((number for number, part in enumerate(parts) if _GRADIENTS.fullmatch(part)), len(parts))
    last = next((number for number in range(len(parts) - 2, first, -1) if _GRADIENT_OF.fullmatch(parts[number])), -1)
    match = _GRADIENT_OF.fullmatch(parts[last]) if last > first else None
    return None if match is None else ("/".join(parts[: first + 1]), "/".join([*parts[first + 1 : last], match[1]]))


def _start_of_gradients(flow: Dataflow, shapes: Shapes, nodes: frozenset[int]) -> Loss:
    """Return the loss: the nodes with gradients that no other such node needs. Final states of loops do not count."""
    used = flow.strict_ancestors(nodes)
    ends = [
        position
        for position in sorted(nodes)
        if not used[position]
        and flow.is_forward(position)
        and flow.inputs_of((position, 0))
        and flow.ops[position] not in CONTROL_FLOW
        and not flow.ops[position].startswith("TensorArray")
    ]
    scalars = [position for position in ends if shapes.get(flow.name((position, 0))) in (None, ())]
    return Loss(scalars or ends, nodes)
