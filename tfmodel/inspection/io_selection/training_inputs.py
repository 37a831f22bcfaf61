"""Find the inputs that only training sets, and their values in a deployed model.

    is_training, keras_learning_phase     a bool that chooses a branch      false, or true if that branch has no dropout
    keep_prob                             floor(random_uniform + keep)      1
    rate                                  random_uniform >= rate            0

A deployed model has these values as constants: `tfmodel.transforms.bind_inputs` puts them there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...graph import attr
from ...messages import DataType
from ...ops.traits import FED_OPS, PASS_THROUGH, SWITCH, UNCHANGED
from .dataflow import AFFINE, Dataflow, Tensor

__all__ = ["deployed_value"]

MAX_STEPS = 200
"""The most nodes behind an input that are looked at."""

MAX_DEPTH = 6
"""The most steps from a comparison back to the random numbers."""

_CONDITIONS = SWITCH | {"If", "Select", "SelectV2", "StatelessIf", "Where"}
_LOGIC = UNCHANGED | {"Cast", "LogicalAnd", "LogicalNot", "LogicalOr", "Reshape", "Squeeze"}
_FLOATS = (DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_HALF, DataType.DT_BFLOAT16)
_COMPARISONS = ("Greater", "Less")  # and those with Equal
_RANDOM = frozenset({"RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2"})
_SCALED = AFFINE | PASS_THROUGH


def deployed_value(flow: Dataflow, tensor: Tensor) -> tuple[float, str] | None:
    """Return the value that an input has in a deployed model, and the reason; None for an input of the model."""
    node = flow.index.nodes[tensor[0]]
    if node.op not in FED_OPS:
        return None
    dtype = attr(node, "dtype", DataType, None)
    if dtype == DataType.DT_BOOL:
        return _condition(flow, tensor)
    return _dropout(flow, tensor) if dtype in _FLOATS else None


def _condition(flow: Dataflow, tensor: Tensor) -> tuple[float, str] | None:
    """Return the value of a bool that only chooses branches: the one whose branches have no random numbers."""
    chooses = False
    for position in _reached(flow, tensor, _LOGIC):
        if flow.ops[position] in _CONDITIONS:
            chooses = True
        elif flow.ops[position] not in _LOGIC and flow.is_forward(position):
            return None
    if not chooses:
        return None
    random_branches = {
        branch.taken
        for position, node in enumerate(flow.index.nodes)
        if node.op in _RANDOM
        for branch in [flow.index.node_branches[position]]
        if branch is not None and branch.pred.node == flow.index.nodes[tensor[0]].name
    }
    return (1.0 if random_branches == {0} else 0.0), "it chooses between training and inference"


def _dropout(flow: Dataflow, tensor: Tensor) -> tuple[float, str] | None:
    """Return the probability of a dropout that keeps all elements."""
    for position in _reached(flow, tensor, _SCALED):
        others = [producer for producer in flow.producers[position] if not flow.inputs_of(producer)]
        if not any(_is_random(flow, producer) for producer, _ in others):
            continue
        if flow.ops[position].startswith("Add"):
            return 1.0, "it is the share that a dropout keeps"
        if flow.ops[position].startswith(_COMPARISONS):
            return 0.0, "it is the share that a dropout drops"
    return None


def _reached(flow: Dataflow, tensor: Tensor, ops: Iterable[str]) -> Iterator[int]:
    """Yield the nodes that take a tensor, and those behind them through ops that only convert or combine it."""
    passed, stack = {tensor}, [tensor]
    for _ in range(MAX_STEPS):
        if not stack:
            return
        for user, _ in list(flow.users[stack.pop()[0]]):
            if (user, 0) not in passed:
                passed.add((user, 0))
                yield user
                if flow.ops[user] in ops:
                    stack.append((user, 0))


def _is_random(flow: Dataflow, position: int, depth: int = MAX_DEPTH) -> bool:
    """Return whether a node gives uniform random numbers, possibly scaled to an interval."""
    if flow.ops[position] in _RANDOM:
        return True
    return (
        depth > 0
        and flow.ops[position] in _SCALED
        and any(_is_random(flow, producer, depth - 1) for producer, _ in flow.producers[position])
    )
