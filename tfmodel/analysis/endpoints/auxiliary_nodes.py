"""Detect auxiliary nodes, which do not compute outputs of a model.

    saver          nodes that write and read checkpoints
    summaries      for TensorBoard
    gradients      and nodes that depend on them
    training       updates of variables
    init           initial values of variables, contents of tables
    checks         assertions
    control flow   nodes that only control conditionals

Most nodes of a training graph are auxiliary. The search starts at nodes with characteristic ops (or names, for
gradients) and follows the edges from there:

    filename -> SaveV2             inputs of a saver, except the saved tensors: saver
    gradients/... -> Mul -> Apply  nodes that depend on gradients: gradients
    random -> Assign               an initial value, if it does not depend on an input of the graph: init
    Equal -> Assert                a condition that is only checked: checks
    NoOp(^a, ^b)                   the kind of a or b
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...graph import GraphIndex
from ...graph.functions import Functions, named_functions
from ...messages import NodeDef
from ...ops.input_roles import is_gradient_name, is_maintenance, is_update
from ...ops.traits import (
    ALL_VARIABLES,
    CHECKPOINT_OPS,
    CHECKS,
    CONSTS,
    FED_OPS,
    INITIALIZES_TABLE,
    PIPELINES,
    SAVES,
    VARIABLE_INITIALIZERS,
)
from ...values.names import is_control_input

SAVER, SUMMARIES, GRADIENTS, TRAINING, INIT, CHECKED, CONTROL = (
    "saver",
    "summaries",
    "gradients",
    "training",
    "init",
    "checks",
    "control flow",
)

INITIALIZERS = INITIALIZES_TABLE | {"IsVariableInitialized", "MakeIterator", "VarIsInitializedOp"}
"""Ops that always concern initial values."""

_CONDITION_OPS = """
    All Any Const Equal Greater GreaterEqual Identity IsFinite IsNan Less LessEqual LogicalAnd LogicalNot LogicalOr
    NotEqual Pack Range Rank Shape Size Squeeze StringFormat Switch
"""
_CONDITIONS = frozenset(_CONDITION_OPS.split())  # ops that compute conditions of checks

# Suffixes of gradient ops. BackpropInput is missing, since it also upsamples images.
_GRADIENT_OPS = ("Grad", "BackpropFilter", "BackpropFilterV2", "GradientArgs")
_GROUPING = frozenset({"Identity", "NoOp"})  # ops that often only group their control inputs
_FOLLOWED = (GRADIENTS, SAVER, SUMMARIES)


def ops_with_frozen_variables(index: GraphIndex) -> list[str]:
    """Return the ops of the nodes; constants that a training step of the graph changes count as variables.

    Such graphs come from freezing with all nodes as outputs.
    """
    ops = [node.op for node in index.nodes]
    for position, op in enumerate(ops):
        if is_update(op) and not is_maintenance(op):
            source = index.sources[position][0] if index.sources[position] else -1
            if source >= 0 and ops[source] in CONSTS:
                ops[source] = "VariableV2"
    return ops


def classify_nodes(index: GraphIndex) -> list[str]:
    """Return the kind of each node, by position; "" for nodes that compute outputs."""
    savers = _saving_functions(index.functions)
    is_trainable = any(op in ALL_VARIABLES for op in ops_with_frozen_variables(index))
    marks = [_kind_by_op(node, savers, is_trainable) for node in index.nodes]
    order = index.forward_order
    _mark_forward(index, order, marks)
    _mark_backward(index, order, marks, _is_filename, SAVER)
    depends_on_input = _mark_dependents(
        index, order, (position for position in range(len(index)) if not marks[position] and _is_input(index, position))
    )
    assigned = (position for position, node in enumerate(index.nodes) if node.op in VARIABLE_INITIALIZERS)
    for position in assigned:
        if not marks[position] and not any(
            depends_on_input[source] for source in index.data_sources[position][1:] if source >= 0
        ):
            marks[position] = INIT
        marks[position] = marks[position] or TRAINING
    _mark_backward(
        index,
        order,
        marks,
        lambda node, input_index: input_index > 0 or node.op not in VARIABLE_INITIALIZERS,
        INIT,
        unless=depends_on_input,
    )
    _mark_backward(index, order, marks, lambda node, input_index: True, CHECKED, only=_CONDITIONS)
    _mark_groups(index, order, marks)
    return marks


def _mark_dependents(index: GraphIndex, order: Iterable[int], starts: Iterable[int]) -> bytearray:
    """Return for each node, by position, whether it depends on a tensor of one of the nodes at `starts`."""
    dependents = bytearray(len(index))
    for position in starts:
        dependents[position] = True
    sources = index.data_sources
    for position in order:
        if not dependents[position]:
            for source in sources[position]:
                if source >= 0 and dependents[source]:
                    dependents[position] = True
                    break
    return dependents


def _is_input(index: GraphIndex, position: int) -> bool:
    """Return whether a node is an input whose value is used in computations, not only stored."""
    op = index.nodes[position].op
    return op in PIPELINES or (
        op in FED_OPS and any(index.nodes[user].op not in VARIABLE_INITIALIZERS for user in index.targets[position])
    )


def _saving_functions(functions: Functions) -> set[str]:
    """Return the names of the functions that save or restore, or that call such a function."""
    callers: dict[str, list[str]] = {}
    queue: list[str] = []
    for name, function in functions.items():
        for node in function.node_def:
            if node.op in CHECKPOINT_OPS:
                queue.append(name)
            for called in functions.called_by(node):
                callers.setdefault(called, []).append(name)
    saving = set()
    while queue:
        name = queue.pop()
        if name not in saving:
            saving.add(name)
            queue += callers.get(name, ())
    return saving


def _kind_by_op(node: NodeDef, savers: set[str], is_trainable: bool) -> str:
    """Return the kind of a node by its op and name.

    In a graph without variables that is not trained, gradients are outputs, such as the forces of a potential.
    """
    op = node.op
    if op in CHECKPOINT_OPS or (
        savers and "Call" in op and any(name in savers for name in named_functions(node.attr.values()))
    ):
        return SAVER
    if op in VARIABLE_INITIALIZERS:
        return ""  # its inputs decide: see `classify_nodes`
    if "Summary" in op:
        return SUMMARIES
    if op in INITIALIZERS:
        return INIT
    if op in CHECKS:
        return CHECKED
    if op.endswith(_GRADIENT_OPS) or is_gradient_name(node.name):
        return GRADIENTS if is_trainable else ""
    return TRAINING if is_update(op) and not is_maintenance(op) else ""


def _mark_forward(index: GraphIndex, order: Iterable[int], marks: list[str]) -> None:
    """Mark nodes that depend on gradients or on restored values, and nodes that wait for a saver."""
    sources = index.data_sources
    for position in order:
        if not marks[position]:
            for source in sources[position]:
                if source >= 0 and marks[source] in _FOLLOWED:
                    marks[position] = marks[source]
                    break
        if (
            not marks[position]
            and index.nodes[position].op in _GROUPING
            and SAVER in _awaited_kinds(index, position, marks)
        ):
            marks[position] = SAVER


def _is_filename(node: NodeDef, input_index: int) -> bool:
    return node.op not in SAVES or input_index < SAVES[node.op]


def _mark_backward(
    index: GraphIndex,
    order: list[int],
    marks: list[str],
    leads_to: Callable[[NodeDef, int], bool],
    mark: str,
    *,
    unless: bytearray | None = None,
    only: frozenset[str] | None = None,
) -> None:
    """Mark nodes that are only used by nodes with that mark, through inputs for which `leads_to` is true.

    Nodes for which `unless` is true stay. With `only`, nodes of other ops stay too.
    """
    used_otherwise = bytearray(len(index))
    used = bytearray(len(index))
    all_sources = index.sources
    for position in reversed(order):
        if not marks[position] and used[position] and not used_otherwise[position]:
            op = index.nodes[position].op
            if (only is None or op in only) and not (unless is not None and unless[position]):
                marks[position] = mark
        if marks[position] != mark:
            for source in all_sources[position]:
                if source >= 0:
                    used_otherwise[source] = True
            continue
        node = index.nodes[position]
        for input_index, source in enumerate(all_sources[position]):
            if source >= 0:
                (used if leads_to(node, input_index) else used_otherwise)[source] = True


def _mark_groups(index: GraphIndex, order: Iterable[int], marks: list[str]) -> None:
    """Mark nodes that only group other nodes, and nodes that only control conditionals."""
    for position in order:
        node = index.nodes[position]
        if marks[position]:
            continue
        if node.op == "NoOp":
            awaited = _awaited_kinds(index, position, marks)
            marks[position] = next((mark for mark in awaited if mark in (SAVER, INIT, TRAINING)), "")
        elif node.op == "Identity" and index.sources[position] and index.sources[position][0] >= 0:
            switch = index.nodes[index.sources[position][0]]
            if switch.op == "Switch" and len(switch.input) > 1 and switch.input[0] == switch.input[1]:
                marks[position] = CONTROL


def _awaited_kinds(index: GraphIndex, position: int, marks: list[str]) -> list[str]:
    """Return the marks of the nodes that a node refers to by its control inputs."""
    pairs = zip(index.nodes[position].input, index.sources[position], strict=True)
    return [marks[source] for text, source in pairs if source >= 0 and is_control_input(text)]
