"""Follow the steps of a loss back to the prediction.

softmax -> clip_by_value -> log -> * labels        the loss takes the logarithm; a user wants the softmax
logits -> reshape -> SoftmaxCrossEntropy(labels)   the loss function made the reshape; a user wants the logits
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from ...messages import NodeDef
from ...ops.traits import PASS_THROUGH, SWITCH, UNCHANGED
from ..shapes import Shapes
from .dependencies import (
    AFFINE,
    DIFFERENCES,
    LIMITS,
    REDUCTIONS,
    Dependencies,
    Tensor,
)

LOSS_OPS = frozenset({"CTCLoss", "CTCLossV2", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"})
"""Ops that compare a prediction, their first input, with labels."""

MASKS = frozenset({"Mul", "Select", "SelectV2"})
"""Ops that choose elements, as their mask tells."""

MAX_STEPS = 20
"""The most steps of a loss that are followed."""

MAX_COMMON_STEPS = 100
"""The most nodes between several tensors and the one from which they are computed."""

MAX_TERMS = 32
"""The most tensors of which a common origin is searched at once."""

MAX_USERS = 1000
"""The most users of a tensor that are looked at."""

# Ops of losses, by what they do with a prediction.
_POWERS = frozenset({"Pow", "Square"})
CURVES = _POWERS | {"Log", "Log1p"}
_SUMS_OF_TWO = frozenset({"Add", "AddV2"})
_LOGARITHMS = frozenset({"Log", "LogSoftmax"})
_OFFSETS = AFFINE | {"Abs"}
_DISTANCES = frozenset({"Abs", "Pow", "Square", "SquaredDifference"})
_AVERAGES = AFFINE | REDUCTIONS | {"DivNoNan", "SquaredDifference"}
_ZEROS = frozenset({"ZerosLike", "OnesLike"})
_PADDING = ("Concat", "Pad")  # beginnings of ops
_REARRANGING = SWITCH | {"ExpandDims", "Gather", "GatherNd", "GatherV2", "Reshape", "Slice", "Squeeze"}

_LOSS_SCOPE = re.compile(r"(?:^|(?<=/))(?:[^/]*_)?(?:loss|losses|cost)(?:_[^/]*)?/", re.IGNORECASE)

_OPERATORS = {  # the names of ops that Python's operators and functions make
    "Add": ("add",),
    "AddV2": ("add",),
    "Div": ("div",),
    "Maximum": ("clip_by_value",),
    "Mul": ("mul",),
    "Neg": ("neg",),
    "Pow": ("pow",),
    "RealDiv": ("truediv", "div"),
    "Split": ("split",),
    "SplitV": ("split",),
    "StridedSlice": ("strided_slice",),
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
            tensor = before
        return tensor

    def _before(self, tensor: Tensor) -> Tensor | None:
        """Return the tensor before one step; None if the tensor is not a step of the loss."""
        op, varying = self._flow.ops[tensor[0]], self._flow.varying_inputs(tensor[0])
        if op in SWITCH and varying and self._flow.index.node_frames[tensor[0]] is None:
            return varying[0]  # the data, which come from outside of the conditional that contains the loss
        if len(varying) > 1:
            return self._before_several(tensor, op, varying)
        if not varying:
            return None
        [before] = varying
        if op in _SUMS_OF_TWO and self._is_used_elsewhere(tensor):
            return None  # probabilities that are kept from zero for a sampler too
        is_distance = op == "Sum" and self._flow.ops[before[0]] in _DISTANCES
        if op in CURVES or is_distance:
            self._is_error = True
            return before
        is_step = (
            op in UNCHANGED
            or op in LOSS_OPS | {"LogSoftmax"}
            or (op in AFFINE and before in self._flow.activated and tensor not in self._flow.activated)
            or (op in AFFINE and self._flow.ops[before[0]] in _LOGARITHMS)
            or (op in LIMITS and (self._joins_loss_op or self._is_error))
            or (op in _OFFSETS and self._is_error)
            or (op in _AVERAGES and self._is_reduced)
            or (op in _REARRANGING and self._is_masked)
            or (op.startswith(_PADDING) and (self._is_masked or self._picks))
            or (op == "Reshape" and self._flow.ops[before[0]] in _DISTANCES)
            or (op == "Reshape" and (self._is_reshaped or self._is_reduced))
        ) and not (op == "Reshape" and self._gives_form(tensor, before))
        return before if is_step else None

    def _before_several(self, tensor: Tensor, op: str, varying: list[Tensor]) -> Tensor | None:
        flow = self._flow
        if op == "RealDiv" and self._is_error and _is_share(flow, varying):
            return varying[0]
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

    def _gives_form(self, reshaped: Tensor, before: Tensor) -> bool:
        """Return whether a Reshape divides elements by example, time or place. Losses only flatten results."""
        shape, flat = (self._shapes.get(self._flow.name(tensor)) for tensor in (reshaped, before))
        return shape is not None and flat is not None and len(shape) > max(len(flat), 2)

    def _is_used_elsewhere(self, tensor: Tensor) -> bool:
        """Return whether a tensor is used by nodes that the loss does not need."""
        return any(not self._region[user] for user in islice(self._flow.forward_users(tensor), MAX_USERS))


class LossScopes:
    """The scopes that the author, or a function of TensorFlow, calls losses: "xent_loss/", but for those with weights.

    `weight_ops` apply weights: a scope that has one of them has a part of the model too.
    """

    def __init__(self, flow: Dependencies, weight_ops: Iterable[int]) -> None:
        self._flow = flow
        self._names = [node.name for node in flow.index.nodes]
        names = (self._names[position] for position in weight_ops)
        self._weighted = {name[: place + 1] for name in names for place, sign in enumerate(name) if sign == "/"}

    def entrances(self, tensor: Tensor) -> list[Tensor]:
        """Return the results from which `tensor` is computed in a scope of losses; [] outside of such scopes."""
        found: dict[Tensor, None] = {}
        seen: set[Tensor] = set()
        scope = self._scope(self._names[tensor[0]])
        stack = [tensor] if scope else []
        while stack and len(seen) < MAX_COMMON_STEPS:
            tensor = stack.pop()
            if not self._names[tensor[0]].startswith(scope):
                found[tensor] = None
            elif tensor not in seen:
                seen.add(tensor)
                before = self._flow.varying_inputs(tensor[0])
                stack += [each for each in reversed(before) if self._flow.is_computed(each)]
        return [] if stack else list(found)

    def _scope(self, name: str) -> str:
        """Return the outermost scope of losses that a node is in, such as "train/loss/"; "" if there is none."""
        for match in _LOSS_SCOPE.finditer(name):
            if name[: match.end()] not in self._weighted:
                return name[: match.end()]
        return ""


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
