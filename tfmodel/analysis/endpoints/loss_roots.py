"""Find where the losses of a training graph are: where gradients start, or what the model declares as a loss.

TensorFlow names the gradients of an op "gradients/OP_grad/...", and no other op with gradients uses the loss. In a
graph without gradients, losses are the ops that only compute losses, or else the single numbers that are computed from
weights and from labels.

Gradients may also start at a result of the model, which is then no loss: the caller feeds the derivative of a loss that
the graph does not have, as for the actor of DDPG.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from ...graph import CONTROL_FLOW, GraphIndex
from ...ops.input_roles import is_gradient_name, is_maintenance, is_update
from ...ops.traits import UNCHANGED
from ..shapes import Shapes
from .auxiliary_nodes import GRADIENTS
from .dependencies import AFFINE, REDUCTIONS, Dependencies
from .learned_optimizers import optimizer_inputs
from .loss_steps import LOSS_OPS

_GRADIENTS = re.compile(r"gradients(_\d+)?")
_GRADIENT_OF = re.compile(r"(.+)_grad(_\d+)?", re.DOTALL)

_OF_LOSSES = LOSS_OPS | REDUCTIONS | {"Log", "Neg", "Square", "SquaredDifference"}  # no results, if they are weighed
_LAYERS = ("BatchMatMul", "Conv", "MatMul")  # beginnings of ops

MAX_LOSS_STEPS = 100
"""The most nodes that sum and scale the terms of a loss."""

MAX_GRADIENT_STEPS = 1000
"""The most nodes between a gradient and the update of a variable."""


class Loss(NamedTuple):
    """One loss, or results of the model for which derivatives are fed.

    roots            the positions of its nodes
    with_gradients   the positions of the nodes with gradients; None in a graph without gradients
    trained          the positions of the variables that its gradients change
    is_fed           whether the gradients depend on an input that the roots do not need: the roots are results
    is_adapted       whether it trains through layers with weights that other gradients change, as in meta-learning
    """

    roots: list[int]
    with_gradients: frozenset[int] | None
    trained: frozenset[int] = frozenset()
    is_fed: bool = False
    is_adapted: bool = False


def find_loss_roots(flow: Dependencies, shapes: Shapes) -> list[Loss]:
    losses = [loss for scope in _gradient_scopes(flow) if (loss := _start_of_gradients(flow, shapes, scope)).roots]
    losses = _without_learned_optimizers(flow, losses)
    if losses:  # other gradients, such as those of a critic with regard to actions, train nothing
        return [loss for loss in losses if loss.trained] or losses
    roots = [position for position, op in enumerate(flow.ops) if op in LOSS_OPS and flow.is_forward(position)]
    if not roots:
        roots = _compared_numbers(flow, shapes)
    return [Loss(roots, None)] if roots else []


def _without_learned_optimizers(flow: Dependencies, losses: list[Loss]) -> list[Loss]:
    """Return the losses that train no optimizer, where there are any."""
    inputs = optimizer_inputs(flow) if losses else 0
    return [loss for loss in losses if not flow.bits((root, 0) for root in loss.roots) & inputs] or losses


class _Scope(NamedTuple):
    """The gradients of one call of tf.gradients.

    nodes      the nodes that compute gradients
    of         the nodes for which gradients are computed
    trained    the variables that the gradients change
    """

    nodes: set[int]
    of: set[int]
    trained: set[int]


def _gradient_scopes(flow: Dependencies) -> list[_Scope]:
    """Return the sets of gradients in the graph, judging by the names of nodes."""
    scopes: dict[str, _Scope] = {}
    scope_of: dict[int, str] = {}
    for position, node in enumerate(flow.index.nodes):
        names = _gradient_scope(flow.index, node.name)
        if names is not None:
            scope = scopes.setdefault(names[0], _Scope(set(), set(), set()))
            scope.nodes.add(position)
            scope.of.add(flow.index.positions[names[1]])
            scope_of[position] = names[0]
    for position, op in enumerate(flow.ops):
        if is_update(op) and not is_maintenance(op) and flow.producers[position]:
            variable = flow.producers[position][0][0]
            for name in _scopes_of_update(flow, position, scope_of):
                scopes[name].trained.add(variable)
    return list(scopes.values())


def _scopes_of_update(flow: Dependencies, position: int, scope_of: dict[int, str]) -> set[str]:
    """Return the names of the sets of gradients that an update of a variable takes, perhaps clipped or scaled."""
    names: set[str] = set()
    seen: set[int] = set()
    stack = [producer for producer, _ in flow.producers[position]]
    while stack:
        position = stack.pop()
        if position in scope_of:
            names.add(scope_of[position])
        elif flow.marks[position] == GRADIENTS and position not in seen and len(seen) < MAX_GRADIENT_STEPS:
            seen.add(position)
            stack += [producer for producer, _ in flow.producers[position]]
    return names


def _gradient_scope(index: GraphIndex, name: str) -> tuple[str, str] | None:
    """Return the scope of the gradients that a node is part of, and the node that it is a gradient of.

    They are "train/gradients" and "layer/MatMul" for "train/gradients/layer/MatMul_grad/tuple". Optimizers of Keras
    open a scope around that of tf.gradients, "training/Adam/gradients/gradients"; but "gradients_1/gradients/Mul_grad"
    may also be a gradient of a gradient.
    """
    if "gradients" not in name:
        return None
    parts = name.split("/")
    first = next((number for number, part in enumerate(parts) if _GRADIENTS.fullmatch(part)), len(parts))
    last = next((number for number in range(len(parts) - 2, first, -1) if _GRADIENT_OF.fullmatch(parts[number])), -1)
    match = _GRADIENT_OF.fullmatch(parts[last]) if last > first else None
    while match is not None and first < last and _GRADIENTS.fullmatch(parts[first]):
        first += 1
        if (op := "/".join([*parts[first:last], match[1]])) in index:
            return "/".join(parts[:first]), op
    return None


def _start_of_gradients(flow: Dependencies, shapes: Shapes, scope: _Scope) -> Loss:
    """Return the loss: the nodes with gradients that no other such node needs. Final states of loops do not count.

    A loss with a penalty of gradients, as of a WGAN, is computed from gradients: then its other terms are the roots.
    """
    ends = _ends(flow, scope.of)
    if not ends and scope.trained:
        ends = _ends(flow, [*filter(flow.is_forward, scope.of)])
    scalars = [position for position in ends if shapes.get(flow.name((position, 0))) in (None, ())]
    is_adapted = any(_has_changed_weights(flow, position) for position in scope.of)
    is_result = bool(ends) and not any(flow.ops[position] in _OF_LOSSES for position in ends)
    is_fed = is_result and not scalars and not is_adapted and _starts_with_fed_values(flow, scope.nodes, ends)
    return Loss(scalars or ends, frozenset(scope.of), frozenset(scope.trained), is_fed, is_adapted)


def _has_changed_weights(flow: Dependencies, position: int) -> bool:
    """Return whether a layer applies weights that depend on gradients to data."""
    if flow.marks[position] != GRADIENTS or not flow.ops[position].startswith(_LAYERS):
        return False
    if is_gradient_name(flow.index.nodes[position].name):
        return False
    tensors = flow.producers[position]
    return any(flow.marks[producer] == GRADIENTS for producer, _ in tensors) and any(
        flow.is_forward(tensor[0]) and flow.inputs_of(tensor) for tensor in tensors
    )


def _ends(flow: Dependencies, nodes: Collection[int]) -> list[int]:
    """Return those of some nodes that compute values from inputs, and that none of the others needs."""
    used = flow.strict_ancestors(nodes)
    return [
        position
        for position in sorted(nodes)
        if not used[position]
        and flow.is_forward(position)
        and flow.inputs_of((position, 0))
        and flow.ops[position] not in CONTROL_FLOW
        and not flow.ops[position].startswith("TensorArray")
    ]


def _starts_with_fed_values(flow: Dependencies, gradients: set[int], ends: list[int]) -> bool:
    """Return whether the gradients of the values at `ends` depend on an input that the values do not depend on."""
    needed = 0
    for position in ends:
        needed |= flow.inputs_of((position, 0))
    names = {flow.index.nodes[position].name for position in ends}
    for position in gradients:
        scope = _gradient_scope(flow.index, flow.index.nodes[position].name)
        is_first = scope is not None and scope[1] in names
        if is_first and any(flow.inputs_of(tensor) & ~needed for tensor in flow.producers[position]):
            return True
    return False


def _compared_numbers(flow: Dependencies, shapes: Shapes) -> list[int]:
    """Return the single numbers that nothing uses, if they combine weights with inputs that no weight is applied to."""
    roots = [
        position
        for position, op in enumerate(flow.ops)
        if op in AFFINE | REDUCTIONS | UNCHANGED
        and flow.is_forward(position)
        and not any(True for _ in flow.forward_users((position, 0)))
        and flow.is_computed((position, 0))
        and shapes.get(flow.name((position, 0))) == ()
        and flow.is_float(position)
        and _is_reduced(flow, position)
    ]
    if not roots:
        return []
    weighted = flow.ancestors(flow.weight_ops(flow.ancestors(roots)))
    labels = 0
    for tensor in [*flow.sources]:
        if not any(weighted[user] for user in flow.forward_users(tensor)):
            labels |= flow.inputs_of(tensor)
    return [position for position in roots if flow.inputs_of((position, 0)) & labels]


def _is_reduced(flow: Dependencies, position: int) -> bool:
    """Return whether a value is a sum or mean, or is computed from these alone."""
    seen: set[int] = set()
    stack = [position]
    while stack and len(seen) < MAX_LOSS_STEPS:
        position = stack.pop()
        if position in seen or flow.ops[position] in REDUCTIONS:
            continue
        seen.add(position)
        before = flow.varying_inputs(position)
        if flow.ops[position] not in AFFINE | UNCHANGED or not before:
            return False
        stack += [producer for producer, _ in before]
    return not stack
