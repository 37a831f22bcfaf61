"""Find the nodes that use a constant or a variable, its role in each of them, and the relevance of each use.

`DataFlow` finds the consumers of a weight. `UseFinder` determines its role in each of them: the op's name for that
input, or for general ops its meaning in the graph. For example, any addition may add a bias, and a batch norm may
consist of additions and multiplications:

    y = x * m + (beta - moving_mean * m)        m = rsqrt(moving_variance + epsilon) * gamma

Uses are ranked by `Relevance`: being the filter of a layer says more about a weight than being saved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from typing import TYPE_CHECKING

from ..errors import GraphError
from ..messages import NodeDef
from ..ops.input_roles import LAYER_OPS, input_role, is_gradient_name, is_maintenance, is_update
from ..ops.ports import input_types
from ..values.names import data_inputs
from ..values.tensor_header import Shape
from .data_flow import Body, Consumer, DataFlow

if TYPE_CHECKING:
    from ..messages import OpDef


class Relevance(IntEnum):
    """How much a use of a weight tells about its purpose; the lowest number tells most."""

    WEIGHT = 0
    SLOT = 1  # of an optimizer
    OTHER = 2
    GRADIENT = 3
    UPDATE = 4
    MAINTENANCE = 5  # initializing, saving, restoring, summaries


_STATE_ROLES = ("beta1 power", "beta2 power", "counter", "moving average")

_WEIGHT_ROLES = {
    "filter",
    "depthwise filter",
    "transposed filter",
    "structuring element",
    "matrix",
    "bias",
    "gamma",
    "beta",
    "moving mean",
    "moving variance",
    "scale",
    "embedding",
    "recurrent kernel",
    "recurrent bias",
    "peephole",
}


def rate_relevance(op: str, role: str, node: str) -> Relevance:
    """Return the relevance of a use in the role `role` by the node named `node`, whose op is `op`."""
    if is_maintenance(op):
        return Relevance.MAINTENANCE
    if is_update(op) and role in ("trained variable", ""):
        return Relevance.UPDATE
    if role.endswith(" slot") or role in _STATE_ROLES:
        return Relevance.SLOT
    if is_gradient_name(node):
        return Relevance.GRADIENT
    return Relevance.WEIGHT if role in _WEIGHT_ROLES else Relevance.OTHER


_ADDS = ("Add", "AddV2")
_MAX_USES = 1000


@dataclass(frozen=True, slots=True)
class Use:
    """The use of a weight as an input of a node.

    node      the name of the node, and `function` that of the function that contains it, if any
    role      such as "filter", "bias", "axis"; empty if unknown
    through   the ops in between that reshaped, split or joined it; then the role is that of the result of these ops
    in_loop   whether it is used in every iteration of a loop
    axes      "IO" for the matrix of a layer whose rows belong to inputs and whose columns to outputs, "OI" for the
              reverse; empty if unknown, for other weights, and for a matrix of several gates of a recurrent layer
    """

    node: str
    op: str
    role: str
    function: str = ""
    in_loop: bool = False
    through: tuple[str, ...] = ()
    relevance: Relevance = Relevance.OTHER
    axes: str = ""


class UseFinder:
    """A search for the uses of constants and variables of a graph. `ops` are the declarations of its ops."""

    def __init__(self, flow: DataFlow, ops: Mapping[str, OpDef]) -> None:
        self._flow = flow
        self._ops = ops
        self._uses: dict[tuple[str, str, Shape | None], tuple[Use, ...]] = {}
        self._counts: dict[int, int] = {}  # by the id of a node: the number of its data inputs, which may be large

    def find(self, body: Body, name: str, shape: Shape | None) -> tuple[Use, ...]:
        """Return the uses of a constant or variable, the most relevant first."""
        key = body.name, name, shape
        if key not in self._uses:
            self._uses[key] = self._find(body, name, shape)
        return self._uses[key]

    def _find(self, body: Body, name: str, shape: Shape | None) -> tuple[Use, ...]:
        uses: dict[Use, None] = {}
        rank = sum(size != 1 for size in shape) if shape is not None else -1
        dimensions = len(shape) if shape is not None else -1
        for consumer in self._flow.consumers(body, name):
            use = self._use(consumer, rank, dimensions)
            if use.through and use.relevance is not Relevance.WEIGHT:
                continue  # the op that changed the shape is more relevant
            uses[use] = None
            if len(uses) == _MAX_USES:
                break
        return tuple(sorted(uses, key=lambda use: (use.relevance, len(use.through))))

    def _use(self, consumer: Consumer, rank: int, dimensions: int) -> Use:
        """Return a use of a weight; see `_specific_role` for its rank and number of dimensions."""
        node = consumer.node
        role = self._role(consumer)
        role = _specific_role(consumer, role, rank, dimensions) or role
        relevance = rate_relevance(node.op, role, f"{consumer.body.name}/{node.name}")
        axes = _matrix_axes(consumer) if role == "matrix" and dimensions == 2 and not consumer.through else ""
        return Use(node.name, node.op, role, consumer.body.name, consumer.in_loop, consumer.through, relevance, axes)

    def _role(self, consumer: Consumer) -> str:
        node = consumer.node
        count = self._counts.get(id(node))
        if count is None:
            count = self._counts[id(node)] = len(data_inputs(node))
        fused: tuple[str, ...] = ()
        if "fused_ops" in node.attr and node.attr["fused_ops"].list is not None:
            fused = tuple(op.decode("utf-8", "replace") for op in node.attr["fused_ops"].list.s)
        role = input_role(node.op, consumer.input_index, count, fused)
        return self._declared_role(node, consumer.input_index) if role is None else role

    def _declared_role(self, node: NodeDef, index: int) -> str:
        declared = self._ops.get(node.op)
        if declared is None:
            return ""
        try:
            name, _ = input_types(node, declared).locate(index)
        except GraphError:  # a node that contradicts its op is reported elsewhere
            return ""
        return name.replace("_", " ")


def _specific_role(consumer: Consumer, role: str, rank: int, dimensions: int) -> str:
    """Return a specific role in place of a general one, such as "operand"; empty if no specific role is known.

    `rank` counts the dimensions whose size is not 1, and `dimensions` all of them; -1 if unknown.
    """
    op = consumer.node.op
    if role == "embedding" and dimensions < 2:
        return "table"
    if role == "counter" and dimensions > 0:
        return "sum"
    if role != "operand" or rank > 1:
        return ""
    if op in _ADDS:
        return _role_in_addition(consumer, rank)
    if op == "Mul":
        return _role_in_product(consumer, rank)
    other = _other_operand(consumer)
    if op == "Sub" and consumer.input_index == 0 and other is not None and other.op == "Mul" and rank == 1:
        return "beta" if any(_is_scale(consumer.body, text) for text in _first_inputs(other)) else ""
    return ""


def _role_in_addition(consumer: Consumer, rank: int) -> str:
    if any(user.node.op == "Rsqrt" for user in consumer.body.users(consumer.node.name)):
        return "moving variance" if rank == 1 else "epsilon"
    other = _other_operand(consumer)
    if other is None or rank != 1:
        return ""
    if other.op in LAYER_OPS or (
        other.op == "Mul" and any(_is_layer(consumer.body, text) for text in _first_inputs(other))
    ):
        return "bias"
    return ""


def _role_in_product(consumer: Consumer, rank: int) -> str:
    other = _other_operand(consumer)
    if other is None or rank != 1:
        return ""
    if other.op in LAYER_OPS:
        return "scale"
    if not _is_scale(consumer.body, consumer.node.input[1 - consumer.input_index]):
        return ""
    users = consumer.body.users(consumer.node.name)
    if any(user.node.op == "Neg" or (user.node.op == "Sub" and user.input_index == 1) for user in users):
        return "moving mean"
    return "gamma" if other.op == "Rsqrt" else ""


# The attributes of multiplications that transpose the first and the second operand.
_TRANSPOSE = (("transpose_a", "adj_x", "adjoint_a"), ("transpose_b", "adj_y", "adjoint_b"))
_GATES = ("Sigmoid", "HardSigmoid", "Tanh")


def _matrix_axes(consumer: Consumer) -> str:
    """Return the axes of the matrix of a layer, for `Use.axes`."""
    node, index = consumer.node, consumer.input_index
    if "MatMul" not in node.op or index > 1 or _feeds_gates(consumer):
        return ""
    values = [node.attr[name] for name in _TRANSPOSE[index] if name in node.attr]
    is_transposed = any(bool(value.b) for value in values)
    return "OI" if is_transposed == (index == 1) else "IO"


def _feeds_gates(consumer: Consumer) -> bool:
    """Return whether a product is split into the gates of a recurrent layer: Split and Sigmoid, in either order."""
    passed = [(consumer.node.name, False, False)]  # a node, and whether a Split and a Sigmoid came before it
    for name, has_split, has_sigmoid in islice(passed, _MAX_USES):  # the loop appends to it
        for user in islice(consumer.body.users(name), _MAX_USES):
            op = user.node.op
            split, sigmoid = has_split or op in ("Split", "SplitV"), has_sigmoid or op in _GATES
            if split and sigmoid:
                return True
            if (split, sigmoid) != (has_split, has_sigmoid) or op in ("BiasAdd", *_ADDS, "Identity"):
                step = (user.node.name, split, sigmoid)
                if step not in passed:
                    passed.append(step)
    return False


def _other_operand(consumer: Consumer) -> NodeDef | None:
    """Return the node that produces the other operand of a binary op; None if it is unknown."""
    inputs = list(islice(data_inputs(consumer.node), 3))
    return (
        consumer.body.origin(inputs[1 - consumer.input_index])
        if len(inputs) == 2 and consumer.input_index < 2
        else None
    )


def _first_inputs(node: NodeDef) -> Iterator[str]:
    """Return the first two data inputs of a node."""
    return islice(data_inputs(node), 2)


def _is_layer(body: Body, text: str) -> bool:
    origin = body.origin(text)
    return origin is not None and origin.op in LAYER_OPS


def _is_scale(body: Body, text: str) -> bool:
    """Return whether an input is rsqrt(variance), or a product with it, such as rsqrt(variance) * gamma."""
    origin = body.origin(text)
    if origin is not None and origin.op == "Mul":
        return any((factor := body.origin(text)) is not None and factor.op == "Rsqrt" for text in _first_inputs(origin))
    return origin is not None and origin.op == "Rsqrt"
