"""From the losses of a training graph, find the labels and the predictions of the model.

    features -> network -> prediction -+-> loss -> gradients
                                labels -+

`loss_roots` finds the losses.

Weight ops, such as MatMul and BiasAdd, combine a value that depends on an input with weights. `labels` finds the inputs
that are labels. The prediction is the last tensor that is computed with weights before a label joins.

With several losses, the output of a generator comes before all other predictions. A discriminator applies the same
weights to the output of the generator and to an input. For a loss without labels, the prediction is the first of these
that exists:

    the value that is combined with an input on which it does not depend, such as a label that a decoder takes too
    the value that is combined with an input on which it depends, such as the reconstruction of an autoencoder
    the value that the loss is computed from, if that is more than a single number

From this value, steps that belong to the loss are followed back to the value that a user of the model wants. Such steps
are the logarithm of a probability, limits that keep it from zero, a square, or the reshape before a loss op.

Networks whose variables are copies of another network's, such as target networks and workers, have no predictions of
their own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import NamedTuple

from ...ops.traits import ALL_VARIABLES
from ..shapes import Shapes
from .activations import follow_to_activation
from .actors import end_of_scaling, trained_through
from .copies import originals
from .dependencies import NOT_TRAINED, Dependencies, Tensor
from .generators import generated, generator_output
from .joins import Joins, is_scalar
from .labels import find_labels
from .loss_roots import Loss, find_loss_roots
from .loss_steps import LOSS_OPS, LossScopes, LossSteps, common_origin, is_penalty
from .targets import is_trained

MAX_JOINED = 256
"""The most tensors of one loss that are followed back to predictions."""

MAX_COMPARED = 32
"""The most tensors of one loss that are compared with each other."""

MAX_RANK = 254
"""The most dimensions that a tensor of TensorFlow has."""


class Kind(NamedTuple):
    """How a loss uses a prediction, the confidence that a user wants it, and whether the loss compares it directly.

    `is_made` tells whether the prediction is something new for each use even without an input, such as a picture,
    `is_fed` whether derivatives of it are fed, and `is_apart` whether the losses need its inputs for it alone. The
    predictions of losses with the lowest `order` count.
    """

    reason: str
    confidence: float
    is_compared: bool = True
    is_made: bool = False
    is_fed: bool = False
    is_apart: bool = False
    order: int = 0


class Prediction(NamedTuple):
    """A tensor that a user wants, and the tensor that the loss is computed from; both may be the same."""

    tensor: Tensor
    kind: Kind
    of_loss: Tensor


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses of a graph, the labels, and the predictions.

    found         the losses
    roots         the positions of their nodes
    labels        the tensors that enter the graph only to be compared with predictions
    label_bits    the inputs that only losses need, labels and others, as bits of `Dependencies`
    predictions   the predictions, each once
    length_bits   the inputs that say how long the sequences of a batch are
    """

    found: Sequence[Loss]
    roots: list[int]
    labels: list[Tensor]
    label_bits: int
    predictions: list[Prediction]
    length_bits: int = 0


def find_losses(flow: Dependencies, shapes: Shapes) -> Losses:
    """Find the losses of a graph."""
    if not any(op in ALL_VARIABLES for op in flow.ops):
        return Losses([], [], [], 0, [])  # gradients of a frozen graph are outputs, such as the forces of a potential
    losses = find_loss_roots(flow, shapes)
    return _Search(flow, shapes, losses).result() if losses else Losses([], [], [], 0, [])


# --- predictions -----------------------------------------------------------------------------------------------------


_COMPARED = Kind("a loss compares it with labels", 0.9)
_BESIDE_INPUT = Kind("a loss combines it with an input", 0.9, order=1)
_RECONSTRUCTION = Kind("a loss compares it with the input that it is computed from", 0.9, order=1)
_GENERATED = Kind("a discriminator takes it in place of an input", 0.7, is_compared=False, is_made=True)
_FROM_NOISE = _GENERATED._replace(confidence=0.8, is_apart=True)
_ONLY = Kind("a loss is computed from it", 0.6, order=2)
_ADAPTED = Kind("a loss is computed with weights that gradients change first, as in meta-learning", 0.3)
_FED = Kind("variables are trained with a derivative of it that is fed", 0.9, is_compared=False, is_fed=True)
_THROUGH = Kind("it is trained through layers that another loss trains", 0.7, is_compared=False)


class _Search:
    """The search for the predictions of some losses."""

    def __init__(self, flow: Dependencies, shapes: Shapes, losses: Sequence[Loss]) -> None:
        self._flow = flow
        self._shapes = shapes
        self._losses = [loss for loss in losses if not loss.is_fed]
        self._results = [(root, 0) for loss in losses if loss.is_fed for root in loss.roots]
        self._roots = [root for loss in self._losses for root in loss.roots]
        self._region = flow.ancestors(self._roots)
        self._weight_ops = flow.weight_ops(self._region)
        self._feeds_weights = flow.ancestors(self._weight_ops)
        self._scopes = LossScopes(flow, self._weight_ops)
        self._labels = find_labels(flow, self._region, self._weight_ops)
        self._compared = 0

    def result(self) -> Losses:
        candidates = [self._predictions(loss) for loss in self._losses]
        best = min((kind.order for kind, _ in candidates), default=_ONLY.order)
        if self._results:
            candidates = [(_FED, self._results)]
        elif len({*self._roots}) > 1 and (made := generated(self._flow, self._weight_ops)):
            candidates = [(_FROM_NOISE if self._have_own_inputs(made) else _GENERATED, made)]
        elif len({*self._roots}) > 1 and (through := trained_through(self._flow, self._losses)):
            outputs = [generator_output(self._flow, tensor) for tensor in through]
            candidates = [(_THROUGH, [*dict.fromkeys(outputs)])]
        elif any(loss.is_adapted for loss in self._losses):
            candidates = [(_ADAPTED, tensors) for _, tensors in candidates]
        elif best < _ONLY.order:
            candidates = [(kind, tensors) for kind, tensors in candidates if kind.order == best]

        after_loss = self._flow.strict_descendants(self._roots)

        def is_result(position: int) -> bool:
            depends_on_label = self._flow.inputs_of((position, 0)) & self._labels.bits
            return not (after_loss[position] or self._flow.marks[position] or depends_on_label)

        predictions: dict[Tensor, Prediction] = {}
        for kind, tensors in candidates:
            for tensor in (each for each in tensors if self._flow.is_fetchable(each[0])):
                result = follow_to_activation(self._flow, tensor, is_result, self._shapes)
                result = end_of_scaling(self._flow, result, is_result) if kind.is_fed else result
                predictions.setdefault(result, Prediction(result, kind, tensor))
        of_losses = [prediction.of_loss for prediction in predictions.values()]
        chosen = list(compress(predictions.values(), originals(self._flow, self._shapes, self._losses, of_losses)))
        unneeded = self._labels.bits | self._unneeded_bits(chosen)
        return Losses(self._losses, self._roots, self._labels.tensors, unneeded, chosen, self._labels.length_bits)

    def _have_own_inputs(self, tensors: Sequence[Tensor]) -> bool:
        """Return whether the inputs of some results go into them alone, of all that losses need, as noise does."""
        flow, made = self._flow, {*tensors}
        bits, needed, after = (
            flow.bits(made),
            flow.ancestors(position for position, _ in made),
            flow.computed_from(made),
        )
        return bits != 0 and all(
            tensor in made or after[tensor[0]] or not flow.inputs_of(tensor) & bits
            for position, producers in enumerate(flow.producers)
            for tensor in (producers if self._region[position] and not needed[position] else ())
        )

    def _unneeded_bits(self, predictions: Sequence[Prediction]) -> int:
        """Return the inputs of losses that no prediction needs, as bits. They serve training, as labels do."""
        if not predictions or not all(prediction.kind.is_compared for prediction in predictions):
            return 0
        needed = self._flow.bits(prediction.tensor for prediction in predictions) | self._labels.length_bits
        return self._flow.bits((root, 0) for root in self._roots) & ~needed

    def _predictions(self, loss: Loss) -> tuple[Kind, list[Tensor]]:
        joins = Joins(self._flow, self._shapes, self._labels.bits, self._feeds_weights, loss)
        joined = joins.by_labels()
        if joined:
            return _COMPARED, self._user_values(joined, loss)
        joined = joins.by_other_inputs()
        if joined:
            return _BESIDE_INPUT, self._user_values(joined, loss, is_masked=True)
        joined = joins.last()
        if joined:
            return _RECONSTRUCTION, self._user_values(joined, loss, is_masked=True)
        starts: dict[Tensor, list[int]] = {(root, 0): [] for root in loss.roots}
        values = [self._before_terms(value) for value in self._user_values(starts, loss, is_reduced=True)]
        return _ONLY, [] if all(map(self._is_scalar, values)) else values

    def _before_terms(self, tensor: Tensor) -> Tensor:
        """Return the tensor from which the terms of a sum are computed; `tensor` itself if there is none."""
        terms = self._flow.varying_inputs(tensor[0])
        origin = common_origin(self._flow, terms) if len(terms) > 1 and self._is_scalar(tensor) else None
        return tensor if origin is None else origin

    def _is_scalar(self, tensor: Tensor) -> bool:
        return is_scalar(self._flow, self._shapes, tensor)

    def _is_matrix(self, tensor: Tensor) -> bool:
        """Return whether a tensor is known to have at least two dimensions."""
        return len(self._shapes.get(self._flow.name(tensor)) or ()) > 1

    def _variables(self, tensor: Tensor) -> frozenset[int]:
        return self._flow.variables(self._flow.ancestors([tensor[0]]))

    # --- from a loss back to its predictions --------------------------------------------------------------------------

    def _user_values(self, joined: dict[Tensor, list[int]], loss: Loss, **options: bool) -> list[Tensor]:
        """Return the values that a user wants: the tensors of a loss, before the steps that belong to the loss.

        `joined` maps each tensor to the nodes of the loss that take it; `options` are those of `LossSteps`.
        """
        values: dict[Tensor, None] = {}
        classified: set[Tensor] = set()
        for tensor, users in islice(joined.items(), MAX_JOINED):
            steps = LossSteps(self._flow, self._shapes, self._region, users, loss.with_gradients, **options)
            start = steps.start(tensor)
            for value in self._entrances(start, loss) or [start]:
                values.update(dict.fromkeys(self._embeddings(value) or [value]))
                if any(self._flow.ops[user] in LOSS_OPS for user in users):
                    classified.add(value)
        last = {value: None for value in values if not self._is_used_by_weights(value)} or values
        last = self._before_normalizers(values, last, classified)
        terms = {value for value in last if is_penalty(self._flow, value) and not self._is_matrix(value)}
        last = {value: None for value in last if value not in terms} or last
        later = self._flow.computed_from(last)
        return [value for value in last if not later[value[0]]] or list(last)

    def _entrances(self, tensor: Tensor, loss: Loss) -> list[Tensor]:
        """Return the trained results that the scope of a loss takes to compute `tensor`; [] outside of such scopes."""
        found = self._scopes.entrances(tensor)
        if any(self._flow.inputs_of(each) & self._labels.bits for each in found):
            return []
        return [each for each in found if is_trained(self._flow, each, loss.with_gradients)]

    def _before_normalizers(
        self, values: dict[Tensor, None], last: dict[Tensor, None], classified: Collection[Tensor]
    ) -> dict[Tensor, None]:
        """Return the values without those that sum over all outcomes, as the loss of a random field does.

        Such a sum is computed from another value of the loss, which has more dimensions and which users want. A value
        from which scores are computed that a loss op takes, which are `classified`, is none of these.
        """
        earlier = [value for value in values if value not in last]
        if not 0 < len(earlier) <= MAX_COMPARED:
            return last
        kept, before = dict(last), dict[Tensor, None]()
        for value in earlier:
            after = self._flow.strict_descendants([value[0]], NOT_TRAINED)
            sums = [other for other in last if after[other[0]] and self._rank(other) < self._rank(value)]
            if sums and not any(after[other[0]] for other in classified):
                before[value] = None
                kept = {other: None for other in kept if other not in sums}
        return {**kept, **before}

    def _rank(self, tensor: Tensor) -> int:
        """Return the number of dimensions of a tensor; a large number if it is unknown."""
        shape = self._shapes.get(self._flow.name(tensor))
        return MAX_RANK if shape is None else len(shape)

    def _is_used_by_weights(self, tensor: Tensor) -> bool:
        users = self._flow.users[tensor[0]]
        return any(self._feeds_weights[user] and self._flow.is_forward(user) for user, _ in users)

    def _embeddings(self, tensor: Tensor) -> list[Tensor]:
        """Return the two embeddings from which a distance is computed, by the same op with the same variables.

        Return the first of two scores, such as those of an item that a user chose and of one that the user did not, and
        an empty list for a tensor that is not such a distance.
        """
        flow = self._flow
        before = flow.varying_inputs(tensor[0])
        if flow.ops[tensor[0]] == "Sigmoid" and len(before) == 1:  # the probability that the first score is larger
            tensor = before[0]
        tensors = [value for value in flow.producers[tensor[0]] if flow.inputs_of(value)]
        if flow.ops[tensor[0]] not in _DIFFERENCES or len(tensors) != 2 or tensors[0] == tensors[1]:
            return []
        first, second = tensors
        if flow.ops[first[0]] != flow.ops[second[0]] or not all(map(flow.is_computed, tensors)):
            return []
        self._compared += 1
        if self._compared > MAX_COMPARED:
            return []
        if self._variables(first) != self._variables(second):
            return []
        is_ranked = flow.ops[tensor[0]] == "Sub" and flow.inputs_of(first) & flow.inputs_of(second)
        return tensors[:1] if is_ranked and self._rank(first) == 1 else tensors


_DIFFERENCES = frozenset({"Mul", "SquaredDifference", "Sub"})
