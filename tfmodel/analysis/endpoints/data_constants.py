"""Find the constants of a graph without other inputs that are its data: the examples and their labels.

Const [10000, 8] -> Cast -> MatMul with weights -> prediction -+-> loss
Const [10000] -------------------------------------------------+

A function for the input of an Estimator makes such constants of arrays. Without examples of its own, a model would give
the same results for every use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import GraphError
from ...graph import GraphIndex, attr
from ...messages import TensorProto
from ...ops.traits import CONSTS, PASS_THROUGH
from .edges import Tensor

MAX_STEPS = 100
"""The most nodes between data and the first weights."""

_LAYERS = ("Conv", "MatMul", "SparseTensorDenseMatMul")  # beginnings of ops
_STEPS = PASS_THROUGH | {"Cast", "Concat", "ConcatV2", "ExpandDims", "Identity", "Pack", "Reshape", "Squeeze"}
_SHAPED = frozenset({"ExpandDims", "Reshape"})  # ops that take a shape as their second input


def data_constants(
    index: GraphIndex,
    ops: Sequence[str],
    producers: Sequence[Sequence[Tensor]],
    learned: bytearray,
    depends_on_input: bytearray,
) -> frozenset[int]:
    """Return the positions of the constants with examples and labels; nothing unless there are both.

    `learned` tells which nodes depend on variables. There are no examples where a layer takes an input.
    """
    starts = [
        tensor[0]
        for position, tensors in enumerate(producers)
        if ops[position].startswith(_LAYERS) and any(learned[producer] for producer, _ in tensors)
        for tensor in tensors
        if not learned[tensor[0]]
    ]
    if not starts or any(depends_on_input[start] for start in starts):
        return frozenset()
    examples = _constants_before(ops, producers, starts)
    counts = {count for position in examples if (count := _examples(index, position, 2)) > 1}
    if not counts:
        return frozenset()
    used = (position for position, op in enumerate(ops) if op in CONSTS and index.targets[position])
    found = frozenset(position for position in used if _examples(index, position, 1) in counts)
    return found if found - examples else frozenset()


def _constants_before(ops: Sequence[str], producers: Sequence[Sequence[Tensor]], starts: Iterable[int]) -> set[int]:
    """Return the constants of which the nodes at `starts` give the values."""
    found: set[int] = set()
    seen: set[int] = set()
    stack = list(starts)
    while stack and len(seen) < MAX_STEPS:
        position = stack.pop()
        if position in seen:
            continue
        seen.add(position)
        if ops[position] in CONSTS:
            found.add(position)
        elif ops[position] in _STEPS:
            tensors = producers[position][:1] if ops[position] in _SHAPED else producers[position]
            stack += [producer for producer, _ in tensors]
    return found


def _examples(index: GraphIndex, position: int, min_dimensions: int) -> int:
    """Return the first dimension of a constant with at least `min_dimensions`, all of whose values are stored, or 0."""
    try:
        value = attr(index.nodes[position], "value", TensorProto, None)
    except GraphError:  # which `check_graph` reports
        return 0
    if value is None or value.tensor_shape is None or len(value.tensor_shape.dim) < min_dimensions:
        return 0
    count = value.tensor_shape.dim[0].size
    stored = max(len(value.tensor_content), len(value.string_val), len(value.int64_val), len(value.int_val))
    return count if max(stored, len(value.float_val)) >= count else 0
