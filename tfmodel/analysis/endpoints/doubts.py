"""Say why a chosen output may not be the one that users want, and how often such a choice is right.

The reasons are kinds of graphs, not forms that the code of one project has: networks that are trained against each
other, policies, results that are drawn, and steps of losses. There the likeliest output is often wrong. It is listed,
but a model is only written with it if the user names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ...errors import GraphError
from ...graph import attr
from ...messages import DataType
from ...ops.traits import RANDOM, UNIFORM
from .dependencies import AFFINE, DIFFERENCES, FORMS, LIMITS, REDUCTIONS, SUMS, Dependencies, Tensor
from .loss_steps import CURVES, LOSS_OPS, is_default_name
from .losses import Losses, Prediction

MAX_STEPS = 32
"""The most nodes that are followed from a prediction."""

MAX_USERS = 16
"""The most users of a node that are looked at."""


class Doubt(NamedTuple):
    """A reason in words, and the confidence of outputs with it: at most the share of such choices that were right."""

    reason: str
    confidence: float


# Of the choices in 261 graphs of other people, 175 of 176 were right without a doubt; with one of several losses,
# policy, drawn, arithmetic, several or no layer, some with two, 13 of 15, 9 of 9, 8 of 11, 9 of 12, 12 of 15, 0 of 2.
SEVERAL_LOSSES = Doubt("several losses train different variables, as for a critic or a discriminator", 0.7)
POLICY = Doubt("a loss weighs the logarithm of a choice with an input, as for a policy", 0.6)
DRAWN = Doubt("random numbers of the graph go into it", 0.7)
ARITHMETIC = Doubt("its last step may be one of the loss", 0.6)
SEVERAL = Doubt("it is one of several predictions", 0.7)
SAMPLED = Doubt("a loss compares it with classes that it draws, and nothing has the scores of all classes", 0.7)
FORCED = Doubt("it takes the words that a loss compares it with, as in teacher forcing", 0.8)
NO_LAYER = Doubt("no layer is for this end alone, while others have layers of their own", 0.6)

_DRAWS = RANDOM - UNIFORM
_PICKS = frozenset({"BatchMatMul", "BatchMatMulV2", "Gather", "GatherNd", "GatherV2", "Mul", "StridedSlice"})
_STEPS_TO_LOSS = AFFINE | FORMS | REDUCTIONS | LIMITS | _PICKS | {"Exp", "Log"}
_PARTS = ("Split", "StridedSlice")  # beginnings of ops
_ARITHMETIC = (AFFINE - SUMS) | DIFFERENCES | (LIMITS - {"Cast"}) | REDUCTIONS | CURVES | {"Exp", "Sqrt"}
_LAYERS = ("BatchMatMul", "BiasAdd", "Conv", "DepthwiseConv", "FusedBatchNorm", "Gather", "MatMul")  # beginnings of ops
_EXAMPLE_WEIGHTS = "sample_weights"  # the end of the names that Keras gives to the weights of examples


class Doubts:
    """The doubts about outputs of a graph with some `losses`. Losses of copies of the chosen network do not count."""

    def __init__(self, flow: Dependencies, losses: Losses) -> None:
        self._flow = flow
        self._region = flow.ancestors(losses.roots)
        chosen = [prediction.of_loss[0] for prediction in losses.predictions]
        regions = [(loss, flow.ancestors(loss.roots)) for loss in losses.found if loss.trained]
        trained = {(frozenset(each.roots), each.trained) for each, nodes in regions if any(nodes[of] for of in chosen)}
        variables = {variables for _, variables in trained}
        self._is_adversarial = len({roots for roots, _ in trained}) > 1 and len(variables) > 1

    def of_prediction(self, tensor: Tensor, prediction: Prediction, *, is_several: bool) -> Iterator[Doubt]:
        """Yield the doubts about a result that is wanted as a prediction. `is_several` says if it is one of several."""
        of_loss, is_fed = prediction.of_loss, prediction.kind.is_fed
        if self._is_adversarial and not (is_fed or prediction.kind.is_apart):
            yield SEVERAL_LOSSES
        if _is_weighed(self._flow, self._region, of_loss):
            yield POLICY
        if self._is_drawn(tensor):
            yield DRAWN
        if tensor == prediction.tensor and any(self._flow.sampled[user] for user in self._flow.forward_users(of_loss)):
            yield SAMPLED
        if self._is_forced(of_loss):
            yield FORCED
        op, node = self._flow.ops[tensor[0]], self._flow.index.nodes[tensor[0]]
        if (op in _ARITHMETIC or op.startswith(_PARTS)) and is_default_name(node) and not is_fed:
            yield ARITHMETIC
        if is_several:
            yield SEVERAL

    def of_ends(self, tensors: Sequence[Tensor], *, are_named: bool) -> Iterator[Doubt]:
        """Yield the doubts about ends that are chosen together. `are_named` says whether the author named them."""
        if any(map(self._is_drawn, tensors)):
            yield DRAWN
        if len(tensors) > 1 and not are_named:
            earlier = self._flow.strict_ancestors(position for position, _ in tensors)
            tensors = [tensor for tensor in tensors if not earlier[tensor[0]]]  # not a layer below another end
            needed = [self._flow.ancestors([tensor[0]]) for tensor in tensors]
            layers = [position for position, op in enumerate(self._flow.ops) if op.startswith(_LAYERS)]
            counts = {position: sum(each[position] for each in needed) for position in layers}
            own = [any(each[position] and counts[position] == 1 for position in layers) for each in needed]
            if any(own) and not all(own):
                yield NO_LAYER

    def _is_forced(self, tensor: Tensor) -> bool:
        """Return whether a loss op compares a tensor with an input that the tensor is computed from."""
        flow = self._flow
        users = (user for user in islice(flow.forward_users(tensor), MAX_USERS) if self._region[user])
        after = (user for place in users for user in (place, *islice(flow.forward_users((place, 0)), MAX_USERS)))
        labels = (flow.producers[user][1] for user in after if flow.ops[user] in LOSS_OPS)
        return any(flow.inputs_of(label) & flow.inputs_of(tensor) and not flow.is_learned(label[0]) for label in labels)

    def _is_drawn(self, tensor: Tensor) -> bool:
        """Return whether random numbers go into a tensor, other than those that a dropout compares."""
        needed = self._flow.value_ancestors([tensor[0]])
        return any(needed[place] and op in _DRAWS and self._flow.is_forward(place) for place, op in self._draws)

    @property
    def _draws(self) -> Iterator[tuple[int, str]]:
        return ((place, op) for place, op in enumerate(self._flow.ops) if op in _DRAWS)


def _is_weighed(flow: Dependencies, region: bytearray, tensor: Tensor) -> bool:
    """Return whether the logarithm of a chosen probability is weighed with another input, such as an advantage."""
    stack, seen = [(tensor[0], False, flow.inputs_of(tensor))], {tensor[0]}
    while stack and len(seen) < MAX_STEPS:
        position, is_log, inputs = stack.pop()
        for user in islice(flow.forward_users((position, 0)), MAX_USERS):
            op, joined = flow.ops[user], flow.inputs_of((user, 0))
            if is_log and op == "Mul" and joined & ~inputs and not _weighs_examples(flow, user, joined & ~inputs):
                return True
            if user in seen or not region[user] or op not in _STEPS_TO_LOSS | LOSS_OPS:
                continue
            seen.add(user)
            is_chosen = op in LOSS_OPS or (op == "Log" and joined & ~flow.inputs_of(tensor) != 0)
            stack.append((user, is_log or is_chosen, joined))
    return False


def _weighs_examples(flow: Dependencies, position: int, bits: int) -> bool:
    """Return whether a product weighs examples with inputs, given as bits, that are named so, or with a mask."""
    names = [flow.name(tensor).node for tensor in [*flow.sources] if flow.inputs_of(tensor) & bits]
    weights = [flow.viewed(tensor, FORMS)[0] for tensor in flow.producers[position] if flow.inputs_of(tensor) & bits]
    return all(name.endswith(_EXAMPLE_WEIGHTS) for name in names) or all(_is_mask(flow, place) for place in weights)


def _is_mask(flow: Dependencies, position: int) -> bool:
    """Return whether truth values are converted to numbers."""
    try:
        return attr(flow.index.nodes[position], "SrcT", DataType, None) == DataType.DT_BOOL
    except GraphError:  # which `check_graph` reports
        return False
