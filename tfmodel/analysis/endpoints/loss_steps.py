"""Follow the steps of a loss back to the prediction.

softmax -> clip_by_value -> log -> * labels        the loss takes the logarithm; a user wants the softmax
logits -> reshape -> SoftmaxCrossEntropy(labels)   the loss function made the reshape; a user wants the logits
length -> 0.9 - length -> relu -> * labels         the loss takes a hinge; a user wants the length
mean, deviation -> concat -> split -> - action     the loss takes both as one tensor apart; a user wants the mean
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from ...messages import NodeDef
from ...ops.traits import PASS_THROUGH, SWITCH, UNCHANGED
from ..shapes import Shapes
from .dependencies import (
    ACTIVATIONS,
    AFFINE,
    DIFFERENCES,
    DRAWS,
    FORMS,
    LIMITS,
    POSITIVE,
    REDUCTIONS,
    SUMS,
    Dependencies,
    Tensor,
)
from .deviations import is_deviation

LOSS_OPS = frozenset({"CTCLoss", "CTCLossV2", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"})
"""Ops that compare a prediction, their first input, with labels."""

MASKS = frozenset({"Mul", "Select", "SelectV2"})
"""Ops that choose elements, as their mask tells."""

MAX_STEPS = 20
"""The most steps of a loss that are followed."""

MAX_FORMS = 6
"""The most nodes between probabilities and a sampler that takes them."""

MAX_COMMON_STEPS = 100
"""The most nodes between several tensors and the one from which they are computed."""

MAX_TERMS = 32
"""The most tensors of which a common origin is searched at once."""

MAX_USERS = 1000
"""The most users of a tensor that are looked at."""

# Ops of losses, by what they do with a prediction.
_POWERS = frozenset({"Pow", "Square"})
_CURVES = _POWERS | {"Log", "Log1p"}
_SUMS_OF_TWO = frozenset({"Add", "AddV2"})
_WITH_CONSTANTS = AFFINE | _POWERS | {"Inv", "Lgamma", "Reciprocal", "Rsqrt", "Sqrt"}
_TOTALS = frozenset({"Mean", "Sum"})
_LOGARITHMS = frozenset({"Log", "LogSoftmax"})
_OFFSETS = AFFINE | {"Abs"}
_DISTANCES = frozenset({"Abs", "Pow", "Square", "SquaredDifference"})
_AVERAGES = AFFINE | REDUCTIONS | {"DivNoNan", "SquaredDifference"}
_INDEX_STEPS = PASS_THROUGH | FORMS
_HINGES = frozenset({"Maximum", "Relu"})
_SPLITS = ("Split", "SplitV")
_ZEROS = frozenset({"ZerosLike", "OnesLike"})
_PADDING = ("Concat", "Pad")  # beginnings of ops
_REARRANGING = SWITCH | {"ExpandDims", "Gather", "GatherNd", "GatherV2", "Reshape", "Slice", "Squeeze"}

_OPERATORS = {  # the names of ops that Python's operators make
    "Add": ("add",),
    "AddV2": ("add",),
    "Div": ("div",),
    "Mul": ("mul",),
    "Neg": ("neg",),
    "Pow": ("pow",),
    "RealDiv": ("truediv", "div"),
    "Sub": ("sub",),
}


class LossSteps:
    """The steps of one loss, followed back from a tensor that the nodes at `users` take.

    region         the nodes that losses need, by position
    gradients      the nodes with gradients, through which the loss trains the model; None if there are none
    is_masked      masks, and ops that move elements, may be steps of the loss
    is_reduced     reductions, and all ops of one tensor, may be steps of the loss
    """

    def __init__(
        self,
        flow: Dependencies,
        shapes: Shapes,
        region: bytearray,
        users: Sequence[int],
        gradients: frozenset[int] | None,
        *,
        is_masked: bool = False,
        is_reduced: bool = False,
    ) -> None:
        self._flow = flow
        self._shapes = shapes
        self._region = region
        self._users = users
        self._gradients = gradients
        self._is_masked = is_masked
        self._is_reduced = is_reduced
        self._is_error = is_reduced  # whether a step was passed that only an error function has
        self._joins_loss_op = any(flow.ops[user] in LOSS_OPS for user in users)
        self._picks = bool(users) and all(flow.ops[user].startswith("Gather") for user in users)
        # loss ops take matrices, and actions are picked from vectors
        self._is_reshaped = self._joins_loss_op or self._picks

    def start(self, tensor: Tensor) -> Tensor:
        """Return the tensor with which the steps that lead to `tensor` begin; `tensor` itself if there are none."""
        for _ in range(MAX_STEPS):
            before = self._before(tensor)
            if before is None or not self._flow.is_computed(before):
                break
            is_outside = self._flow.ops[tensor[0]] in SWITCH and self._flow.ops[before[0]] not in SWITCH
            tensor = before
            if is_outside:
                return self._without_padding(tensor)
        return tensor

    def _without_padding(self, tensor: Tensor) -> Tensor:
        """Return the tensor to which constants were appended, such as the scores of the first tag of a CRF."""
        for _ in range(MAX_STEPS):
            varying = self._flow.varying_inputs(tensor[0])
            if not self._flow.ops[tensor[0]].startswith(_PADDING) or len(varying) != 1:
                break
            [tensor] = varying
        return tensor

    def _before(self, tensor: Tensor) -> Tensor | None:
        """Return the tensor before one step; None if the tensor is not a step of the loss."""
        op, varying = self._flow.ops[tensor[0]], self._flow.varying_inputs(tensor[0])
        if op in SWITCH and varying and self._flow.index.node_frames[tensor[0]] is None:
            return varying[0]  # the data, which come from outside of the conditional that contains the loss
        if len(varying) > 1:
            return self._before_several(tensor, op, varying)
        if not varying or self._is_ranked(tensor) or is_deviation(self._flow, tensor):
            return None
        [before] = varying
        if self._leads_to_shared(tensor):
            return before
        if op in SUMS and self._flow.ops[before[0]] in POSITIVE - ACTIVATIONS and self._is_shared(tensor):
            return None  # a rate or a deviation that is kept from zero
        if op in _SUMS_OF_TWO and (self._is_used_elsewhere(tensor) or self._is_drawn_from(tensor)):
            return None  # probabilities that are kept from zero for a sampler too
        if op in _SPLITS:
            return before if self._is_cut_out(tensor) else self._joined_part(tensor, before)
        is_distance = op == "Sum" and self._flow.ops[before[0]] in _DISTANCES
        if op in _CURVES or is_distance or self._is_ratio(op, before) or self._is_hinge(tensor, before):
            self._is_error = True
            return before
        is_step = (
            op in UNCHANGED
            or op in LOSS_OPS | {"LogSoftmax"}
            or (op in AFFINE and before in self._flow.activated and tensor not in self._flow.activated)
            or (op in AFFINE and self._flow.ops[before[0]] in _LOGARITHMS)
            or (op in LIMITS and (self._joins_loss_op or self._is_error) and not self._is_used_unchanged(tensor))
            or (op in _OFFSETS and self._is_error)
            or (op in _AVERAGES and self._is_reduced)
            or (op in _REARRANGING and self._is_masked)
            or (op.startswith(_PADDING) and (self._is_masked or self._picks))
            or (op == "Reshape" and self._flow.ops[before[0]] in _DISTANCES)
            or (op == "Reshape" and (self._is_reshaped or self._is_reduced or self._is_of_scope(tensor[0])))
            or (op in {"Reshape", "Squeeze"} and self._is_column(before) and self._is_for_differences(tensor))
            or (op in _TOTALS and self._drops_unit_axis(tensor, before) and not self._is_used_elsewhere(tensor))
            or (
                op == "StridedSlice"
                and self._drops_unit_axis(tensor, before)
                and self._is_column_for_loss(tensor, before)
            )
        ) and not (op == "Reshape" and self._gives_form(tensor, before))
        return before if is_step else None

    def _leads_to_shared(self, tensor: Tensor) -> bool:
        """Return whether a loss computes a tensor with constants from a result that it uses in another way too.

        For example, the loss of a beta distribution takes alpha - 1 and the lgamma of alpha.
        """
        flow = self._flow
        for _ in range(MAX_STEPS):
            varying = flow.varying_inputs(tensor[0])
            is_step = flow.ops[tensor[0]] in _WITH_CONSTANTS and len(varying) == 1
            if not is_step or self._is_used_elsewhere(tensor) or not is_default_name(flow.index.nodes[tensor[0]]):
                return False
            [tensor] = varying
            if self._is_shared(tensor) and flow.is_computed(tensor):
                return True
        return False

    def _is_shared(self, tensor: Tensor) -> bool:
        return len({*islice(self._flow.forward_users(tensor), MAX_USERS)}) > 1

    def _before_several(self, tensor: Tensor, op: str, varying: list[Tensor]) -> Tensor | None:
        flow = self._flow
        if op.startswith("Gather") and _is_selection(flow, varying) and not self._is_used_elsewhere(tensor):
            return varying[0]
        if op == "RealDiv" and self._is_error and _is_share(flow, varying):
            return None if self._is_masked_value(varying[0]) else varying[0]
        if op in DIFFERENCES and self._is_error and len(varying) == 2:
            results = [tensor for tensor in varying if flow.is_learned(tensor[0])]
            if len(results) == 1 and flow.is_computed(results[0]):
                return results[0]  # of a difference from an input
        if self._is_masked and (op in _REARRANGING or op in MASKS):
            computed = [tensor for tensor in varying if flow.is_computed(tensor) and flow.ops[tensor[0]] not in _ZEROS]
            return computed[0] if len(computed) == 1 or (computed and op in _REARRANGING) else None
        if op in _OFFSETS and self._is_error and self._gradients is not None:
            trained = [tensor for tensor in varying if tensor[0] in self._gradients]
            return trained[0] if len(trained) == 1 and all(map(flow.is_computed, varying)) else None
        common = common_origin(flow, varying)
        return common if common is not None and self._is_used_elsewhere(common) else None

    def _is_masked_value(self, tensor: Tensor) -> bool:
        """Return whether a tensor is the product of a result and an input, as of probabilities and a mask."""
        factors = self._flow.varying_inputs(tensor[0])
        return self._flow.ops[tensor[0]] in MASKS and not all(self._flow.is_learned(factor[0]) for factor in factors)

    def _is_cut_out(self, part: Tensor) -> bool:
        """Return whether only the loss uses a part of a tensor, and nothing the others, such as the last step."""
        flow = self._flow
        others = any(flow.is_forward(user) for user, output in flow.users[part[0]] if output != part[1])
        return not others and not self._is_used_elsewhere(part)

    def _joined_part(self, part: Tensor, joined: Tensor) -> Tensor | None:
        """Return the value that a Concat joins and a Split gives back; None for any other part of a tensor.

        A value that is computed from another one that is joined, such as the deviation of each mean, counts as that.
        """
        flow = self._flow
        if not flow.ops[joined[0]].startswith("Concat"):
            return None
        values = flow.producers[joined[0]][1:] if flow.ops[joined[0]] == "Concat" else flow.producers[joined[0]][:-1]
        if part[1] >= len(values):
            return None
        value = values[part[1]]
        shapes = [self._shapes.get(flow.name(tensor)) for tensor in (part, value)]
        if shapes[0] is None or shapes[0] != shapes[1]:
            return None
        before = flow.strict_ancestors([value[0]])
        return next((other for other in values if before[other[0]]), value)

    def _is_hinge(self, tensor: Tensor, before: Tensor) -> bool:
        """Return whether a tensor is what a value lacks to a constant margin, or exceeds it by, for losses alone."""
        flow = self._flow
        return (
            flow.ops[tensor[0]] in _HINGES
            and flow.ops[before[0]] in SUMS
            and len(flow.varying_inputs(before[0])) == 1
            and not self._is_used_elsewhere(tensor)
            and not self._is_used_elsewhere(before)
        )

    def _is_used_elsewhere(self, tensor: Tensor) -> bool:
        """Return whether a tensor is used by nodes that the loss does not need."""
        return any(not self._region[user] for user in islice(self._flow.forward_users(tensor), MAX_USERS))

    def _is_drawn_from(self, tensor: Tensor) -> bool:
        """Return whether the model draws from the probabilities that a tensor has, or from their logarithms."""
        flow, values = self._flow, [tensor]
        for _ in range(MAX_FORMS):
            users = {user for value in values for user in islice(flow.forward_users(value), MAX_USERS)}
            if any(flow.ops[user] in DRAWS for user in users):
                return True
            values = [(user, 0) for user in users if flow.ops[user] in FORMS | {"Log"}]
        return False

    def _is_used_unchanged(self, tensor: Tensor) -> bool:
        """Return whether nodes that the loss does not need use a tensor, perhaps through an Identity."""
        users = islice(self._flow.forward_users(tensor), MAX_USERS)
        copies = [(user, 0) for user in users if self._flow.ops[user] in UNCHANGED]
        return any(map(self._is_used_elsewhere, [tensor, *copies]))

    def _gives_form(self, reshaped: Tensor, before: Tensor) -> bool:
        """Return whether a Reshape divides elements by example, time or place. Losses only flatten results."""
        shape, flat = (self._shapes.get(self._flow.name(tensor)) for tensor in (reshaped, before))
        return shape is not None and flat is not None and len(shape) > max(len(flat), 2)

    def _is_ranked(self, tensor: Tensor) -> bool:
        """Return whether a metric takes the largest elements of a tensor as the predicted classes."""
        if self._flow.ops[tensor[0]] in _POWERS and tensor in self._flow.activated:
            return True
        users = islice(self._flow.forward_users(tensor), MAX_USERS)
        return any(self._flow.ops[user].startswith("InTopK") for user in users)

    def _is_column(self, tensor: Tensor) -> bool:
        shape = self._shapes.get(self._flow.name(tensor))
        return shape is not None and len(shape) == 2 and shape[1] == 1

    def _drops_unit_axis(self, tensor: Tensor, before: Tensor) -> bool:
        """Return whether a tensor is another one without its last dimension, which has one element."""
        shape, column = (self._shapes.get(self._flow.name(each)) for each in (tensor, before))
        return shape is not None and column is not None and len(column) > 1 and column == (*shape, 1)

    def _is_for_differences(self, tensor: Tensor) -> bool:
        """Return whether a tensor is only used for differences, such as those from one label for each example."""
        flow = self._flow
        shape = self._shapes.get(flow.name(tensor))
        users = {user for user, _ in islice(flow.users[tensor[0]], MAX_USERS) if flow.is_forward(user)}
        return (
            shape is not None
            and (len(shape) == 1 or flow.ops[tensor[0]] == "StridedSlice")
            and users <= {*self._users}
            and all(flow.ops[user] in DIFFERENCES for user in users)
        )

    def _is_column_for_loss(self, tensor: Tensor, column: Tensor) -> bool:
        """Return whether a tensor is a column without its last dimension, for differences or this loss alone."""
        if not self._drops_unit_axis(tensor, column):
            return False
        is_shared = self._is_used_elsewhere(column) and not self._is_used_elsewhere(tensor)
        return is_shared or self._is_for_differences(tensor)

    def _is_ratio(self, op: str, tensor: Tensor) -> bool:
        """Return whether an op gives a ratio as the exponential of the difference of two logarithms."""
        flow = self._flow
        if op != "Exp" or flow.ops[tensor[0]] != "Sub":
            return False
        return [flow.ops[producer] for producer, _ in flow.producers[tensor[0]]] == ["Log", "Log"]

    def _is_of_scope(self, position: int) -> bool:
        """Return whether a node is in the name scope of all nodes that use it, so that the loss function made it."""
        nodes = self._flow.index.nodes
        scope, slash, _ = nodes[position].name.rpartition("/")
        return bool(slash and self._users) and all(nodes[user].name.startswith(f"{scope}/") for user in self._users)


def common_origin(flow: Dependencies, tensors: Iterable[Tensor]) -> Tensor | None:
    """Return the last tensor from which all `tensors` are computed without weights; None if there is none nearby."""
    origins = {*tensors}
    for _ in range(MAX_COMMON_STEPS):
        if len(origins) == 1:
            return next(iter(origins))
        if len(origins) > MAX_TERMS:
            break
        last = max(origins, key=lambda tensor: flow.order[tensor[0]])
        before = flow.varying_inputs(last[0])
        if not before or any(map(flow.is_weight, before)) or not all(map(flow.is_computed, before)):
            return None
        origins = {*(origins - {last}), *before}
    return None


def _is_share(flow: Dependencies, tensors: Sequence[Tensor]) -> bool:
    """Return whether the inputs of a division are a value and the sum of its elements."""
    value, total = tensors[0], tensors[-1]
    return len(tensors) == 2 and flow.ops[total[0]] == "Sum" and flow.producers[total[0]][:1] == [value]


def _is_selection(flow: Dependencies, tensors: Sequence[Tensor]) -> bool:
    """Return whether the inputs of a Gather are scores, and the places of those that count, as a mask tells."""
    tensor = tensors[1]
    for _ in range(MAX_STEPS):
        if flow.ops[tensor[0]] not in _INDEX_STEPS or not flow.producers[tensor[0]]:
            break
        tensor = flow.producers[tensor[0]][0]
    return flow.ops[tensor[0]] == "Where" and flow.is_computed(tensors[0])


def is_penalty(flow: Dependencies, tensor: Tensor) -> bool:
    """Return whether a tensor is a sum or mean, possibly scaled: a term of a loss."""
    for _ in range(MAX_STEPS):
        if flow.ops[tensor[0]] in REDUCTIONS:
            return True
        varying = flow.varying_inputs(tensor[0])
        if flow.ops[tensor[0]] not in AFFINE | PASS_THROUGH or len(varying) != 1:
            return False
        tensor = varying[0]
    return False


def is_default_name(node: NodeDef) -> bool:
    """Return whether the last part of a node's name is its op, as TensorFlow names nodes: "Identity_3", "mul"."""
    names = "|".join(map(re.escape, (node.op, *_OPERATORS.get(node.op, ()))))
    return re.fullmatch(rf"({names})(_\d+)?", node.name.rpartition("/")[2]) is not None
