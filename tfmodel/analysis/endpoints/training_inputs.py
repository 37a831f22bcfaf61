"""Find the inputs that only training sets, and their values in a deployed model.

    input                                 use                               value in a deployed model
    is_training, keras_learning_phase     a bool that chooses a branch      false, or true if only false has a dropout
    keep_prob                             floor(random_uniform + keep)      1
    rate                                  random_uniform >= rate            0
    rate                                  floor(random_uniform + 1 - rate)  0
    a mask that prunes weights            matmul(x, weights * mask)         1

In a deployed model, constants replace these inputs: `tfmodel.transforms.bind_inputs` does this.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import islice

from ...errors import GraphError
from ...graph import attr
from ...messages import DataType, NodeDef, TensorShapeProto
from ...ops.input_roles import LAYER_OPS
from ...ops.traits import FED_OPS, PASS_THROUGH, SWITCH, UNCHANGED, UNIFORM
from .dependencies import AFFINE, FLOATS, Dependencies, Tensor

MAX_NODES = 200
"""The most nodes that are followed from an input."""

MAX_DEPTH = 6
"""The most steps from a comparison back to the random numbers."""

_CONDITIONS = SWITCH | {"If", "Select", "SelectV2", "StatelessIf", "Where"}
LOGIC = UNCHANGED | {"Cast", "LogicalAnd", "LogicalNot", "LogicalOr", "Reshape", "Squeeze"}
"""Ops that combine truth values, and that convert them to numbers or another form."""

_COMPARISONS = ("Greater", "Less")  # also the ops GreaterEqual and LessEqual
_SCALED = AFFINE | PASS_THROUGH


class TrainingInputs:
    """The inputs of a graph that only training sets."""

    def __init__(self, flow: Dependencies) -> None:
        self._flow = flow

    def deployed_value(self, tensor: Tensor) -> tuple[float, str] | None:
        """Return the value that an input has in a deployed model, and the reason; None if deployed models feed it."""
        node = self._flow.index.nodes[tensor[0]]
        if node.op not in FED_OPS:
            return None
        dtype = _dtype(node)
        if dtype == DataType.DT_BOOL:
            return None if _has_dimensions(node) else self._condition(tensor)
        if dtype not in FLOATS:
            return None
        return self._dropout(tensor) or self._mask(tensor)

    def closes(self, tensor: Tensor) -> bool:
        """Return whether a tensor that a Merge takes comes from a branch that is closed in a deployed model."""
        flow, position = self._flow, tensor[0]
        if flow.ops[position] in SWITCH and len(flow.producers[position]) > 1:
            value = self._deployed_condition(flow.producers[position][1])
            return value is not None and value != tensor[1]
        branch = flow.index.node_branches[position]
        chooser = flow.index.positions.get(branch.pred.node) if branch is not None else None
        if branch is None or chooser is None:
            return False
        value = self._deployed_condition((chooser, branch.pred.port))
        return value is not None and value != branch.taken

    def _deployed_condition(self, tensor: Tensor) -> int | None:
        """Return the value of a condition in a deployed model, 0 or 1; None if it is not known."""
        flow, is_negated = self._flow, False
        for _ in range(MAX_DEPTH):
            op, producers = flow.ops[tensor[0]], flow.producers[tensor[0]]
            if flow.is_source(tensor[0]) or not producers or op not in UNCHANGED | {"LogicalNot"}:
                break
            is_negated ^= op == "LogicalNot"
            tensor = producers[0]
        deployed = self.deployed_value(tensor)
        return None if deployed is None else int(bool(deployed[0]) != is_negated)

    def _condition(self, tensor: Tensor) -> tuple[float, str] | None:
        """Return the value of a bool that only chooses branches: the value for branches without random numbers."""
        flow, chooses = self._flow, False
        for position, _, _ in self._reached(tensor, LOGIC):
            if flow.ops[position] in _CONDITIONS:
                chooses = True
            elif flow.ops[position] not in LOGIC and flow.is_forward(position):
                return None
        if not chooses:
            return None
        is_random = self._random_branches.get(flow.index.nodes[tensor[0]].name)
        return (1.0 if is_random == {0} else 0.0), "it chooses between training and inference"

    @cached_property
    def _random_branches(self) -> dict[str, set[int]]:
        """The branches that have random numbers, by the name of the node that chooses them."""
        branches: dict[str, set[int]] = {}
        if not any(op in SWITCH for op in self._flow.ops):
            return branches
        for position, op in enumerate(self._flow.ops):
            branch = self._flow.index.node_branches[position] if op in UNIFORM else None
            if branch is not None:
                branches.setdefault(branch.pred.node, set()).add(branch.taken)
        return branches

    def _dropout(self, tensor: Tensor) -> tuple[float, str] | None:
        """Return the probability with which a dropout keeps all elements.

        None if the input is not used by a dropout.
        """
        flow = self._flow
        for position, place, is_negative in self._reached(tensor, _SCALED):
            others = [producer for producer in flow.producers[position][:2] if not flow.inputs_of(producer)]
            if not any(self._is_random(producer) for producer, _ in others):
                continue
            op = flow.ops[position]
            if op.startswith("Add"):
                is_kept = not is_negative
            elif op.startswith(_COMPARISONS):  # they hold for the elements that are kept
                is_kept = (op.startswith("Greater") == (place == 0)) != is_negative
            else:
                continue
            return (
                (1.0, "it is the share that a dropout keeps")
                if is_kept
                else (0.0, "it is the share that a dropout drops")
            )
        return None

    def _mask(self, tensor: Tensor) -> tuple[float, str] | None:
        """Return what leaves all weights as they are, if the input only scales weights of layers of other inputs.

        It has a number for each weight, and no size that is open. Data that are scaled have other sizes than the scale.
        """
        flow = self._flow
        sizes, own = _sizes(flow.index.nodes[tensor[0]]), flow.inputs_of(tensor)
        products = [*flow.forward_users(tensor)]
        if sizes is None or len(sizes) < 2 or not all(self._scales(product, tensor, sizes) for product in products):
            return None
        layers, passed = 0, set(products)
        while products and len(passed) < MAX_NODES:
            source = products.pop()
            for user in flow.forward_users((source, 0)):
                if flow.ops[user] in LAYER_OPS:
                    layers += 1
                    data = flow.producers[user][0]
                    if data[0] == source or not flow.inputs_of(data) & ~own:
                        return None
                elif user not in passed:
                    passed.add(user)
                    products.append(user)
        return (1.0, "it is a mask of weights") if layers and not products else None

    def _scales(self, product: int, tensor: Tensor, sizes: list[int]) -> bool:
        """Return whether a node multiplies weights of the same sizes with a tensor."""
        flow = self._flow
        others = [producer for producer in flow.producers[product] if producer != tensor]
        if flow.ops[product] != "Mul" or len(others) != 1 or not flow.is_weight(others[0]):
            return False
        return _sizes(flow.index.nodes[flow.variable(others[0][0])]) == sizes

    def _reached(self, tensor: Tensor, ops: Collection[str]) -> Iterator[tuple[int, int, bool]]:
        """Yield the nodes that take a tensor, directly or through nodes of `ops`, which only convert or combine it.

        Each node comes with the position of its input, and with whether this input falls as the tensor grows, as in
        1 - rate.
        """
        flow = self._flow
        passed, stack = {tensor[0]}, [(tensor[0], False)]
        while stack and len(passed) < MAX_NODES:
            position, is_negative = stack.pop()
            for user, _ in islice(flow.users[position], MAX_NODES):
                if user in passed:
                    continue
                passed.add(user)
                place = next((place for place, (source, _) in enumerate(flow.producers[user]) if source == position), 0)
                yield user, place, is_negative
                op = flow.ops[user]
                if op in ops:
                    stack.append((user, is_negative != (op == "Neg" or (op == "Sub" and place == 1))))

    def _is_random(self, position: int, depth: int = MAX_DEPTH) -> bool:
        """Return whether a node gives uniform random numbers, possibly scaled to an interval."""
        flow = self._flow
        if flow.ops[position] in UNIFORM:
            return True
        return (
            depth > 0
            and flow.ops[position] in _SCALED
            and any(self._is_random(producer, depth - 1) for producer, _ in flow.producers[position][:2])
        )


def _dtype(node: NodeDef) -> DataType | None:
    try:
        return attr(node, "dtype", DataType, None)
    except GraphError:  # which `check_graph` reports
        return None


def _has_dimensions(node: NodeDef) -> bool:
    """Return whether an input is known to have several elements, such as a mask; conditions have one."""
    shape = _shape(node)
    return shape is not None and len(shape.dim) > 0


def _sizes(node: NodeDef) -> list[int] | None:
    """Return the sizes that a node declares; None if one of them is open."""
    shape = _shape(node)
    sizes = [] if shape is None else [dim.size for dim in shape.dim]
    return None if shape is None or any(size is None or size < 0 for size in sizes) else sizes


def _shape(node: NodeDef) -> TensorShapeProto | None:
    """Return the shape that a node declares; None if its rank is unknown."""
    try:
        shape = attr(node, "shape", TensorShapeProto, None)
    except GraphError:  # which `check_graph` reports
        return None
    return None if shape is None or shape.unknown_rank else shape
