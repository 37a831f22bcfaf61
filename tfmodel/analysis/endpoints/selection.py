"""Select the likely inputs and outputs of a graph, which may have no signature that names them.

An input is a node that is fed: a placeholder, or the next element of a queue or a dataset. An output is a node that no
other node uses, apart from auxiliary nodes that save, initialize, train and check the model: see `auxiliary_nodes.py`.
The prediction of a loss may be an output as well. Candidates are ranked in groups, the likeliest first:

    outputs    those of a signature
               predictions of losses, then the tensors from which losses are computed
               Identity nodes with names of their own
               other tensors that depend on an input; scalars come after the others
               final states of loops
               values that are only stored in variables, and shapes
               values that do not depend on an input
               nodes after a loss, and nodes that depend on labels
    inputs     those of a signature
               those that the outputs need
               others
               inputs that only training sets, then labels

In a group, the outputs that depend on more nodes come first, and the inputs on which more nodes depend.

All candidates of the best group are likely, unless their confidence is below MIN_GUESS. `doubts` lowers the confidence
where such choices are often wrong; commands that write models need MIN_CONFIDENCE. The numbers of nodes are
exact for graphs of usual size. With very many candidates, nodes are counted only for the first of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ...errors import GraphError
from ...graph import GraphIndex
from ...messages import DataType, NodeDef
from ...ops import Registry, output_types
from ...ops.traits import EXIT
from ...source.signature_defs import SignatureFacts
from ...values.dtypes import dtype_name
from ...values.names import TensorName
from ..shapes import Shapes
from .alternatives import Alternatives
from .auxiliary_nodes import classify_nodes
from .candidates import (
    AFTER_LOSS,
    ARRAY,
    BEFORE_ACTIVATION,
    FROM_SIGNATURE,
    IF_CONSTANT,
    MAX_COUNTED,
    MAX_NAMES,
    MIN_GUESS,
    NAMED,
    NUMBER,
    OTHER_SIGNATURE,
    PREDICTION,
    RESULTS,
    Candidate,
    NodeCounter,
    signature_tensors,
)
from .dependencies import Dependencies, Tensor
from .doubts import Doubt, Doubts
from .endpoints import AuxiliaryNodes, Endpoint, Endpoints
from .ends import Ends
from .inputs import Inputs
from .losses import Prediction, find_losses
from .training_inputs import TrainingInputs


def infer_endpoints(
    index: GraphIndex,
    signatures: Sequence[SignatureFacts],
    shapes: Shapes,
    ops: Registry,
    *,
    outputs: Iterable[str] = (),
    marks: list[str] | None = None,
) -> Endpoints:
    """Select the inputs and outputs of a graph.

    `signatures` are those of its MetaGraph, the main one first.
    If `outputs` are given, the inputs are those that they need, not those that the likely outputs need. `marks` are the
    kinds of the nodes, if they are known: see `classify_nodes`.
    """
    return _Search(index, signatures, shapes, ops, marks).result(outputs)


class _Search:
    def __init__(
        self,
        index: GraphIndex,
        signatures: Sequence[SignatureFacts],
        shapes: Shapes,
        ops: Registry,
        marks: list[str] | None,
    ) -> None:
        self.index = index
        self.shapes = shapes
        self.ops = ops
        self.signatures = signatures
        self.marks = classify_nodes(index) if marks is None else marks
        self.flow = Dependencies(index, self.marks)
        self.training_inputs = TrainingInputs(self.flow)
        self.losses = find_losses(self.flow, shapes)
        self.ends = Ends(self.flow, shapes, self.losses)
        self.doubts = Doubts(self.flow, self.losses)
        self.replaced: set[Prediction] = set()
        self.is_several = False  # whether the predictions and what replaces them are several results

    def result(self, requested: Iterable[str] = ()) -> Endpoints:
        outputs = self._rank_candidates(self._outputs())
        best = [candidate for candidate in outputs if candidate.rank == outputs[0].rank]
        if best and ARRAY >= best[0].rank >= NAMED:
            chosen_ends = [(each.position, each.tensor.port) for each in best]
            self._lower(best, self.doubts.of_ends(chosen_ends, are_named=best[0].rank == NAMED))
        chosen = {candidate.tensor for candidate in best if candidate.confidence >= MIN_GUESS}
        tensors = self._positions(requested) or [(candidate.position, candidate.tensor.port) for candidate in best]
        needed = self.flow.ancestors(position for position, _ in tensors)
        sources = self.flow.needed_sources(tensors, self.training_inputs.closes)
        inputs = Inputs(self.flow, self.shapes, self.losses, self.training_inputs, self.signatures).rank(
            needed, sources
        )
        return Endpoints(
            [self._endpoint(candidate, is_likely=candidate.rank == 0) for candidate in inputs],
            [self._endpoint(candidate, is_likely=candidate.tensor in chosen) for candidate in outputs],
            self._set_aside(),
            _reachable((position for position, _ in tensors), self.index.sources),
        )

    def _positions(self, names: Iterable[str]) -> list[Tensor]:
        """Return the tensors of these names. Unknown names are left out."""
        tensors = [TensorName.parse(name) for name in names]
        positions = self.index.positions
        return [(positions[tensor.node], max(tensor.port, 0)) for tensor in tensors if tensor.node in positions]

    def _outputs(self) -> Iterator[Candidate]:
        ends = self.ends.find()
        declared = signature_tensors(self.index, self.signatures, "output")
        taken = set()
        for candidate in (*declared, *self._alternatives(ends), *self._predictions()):
            is_value = candidate.rank <= OTHER_SIGNATURE or self.flow.is_fetchable(candidate.position)
            if candidate.tensor not in taken and is_value:
                taken.add(candidate.tensor)
                yield candidate
        positions = {self.index.positions[tensor.node] for tensor in taken}
        yield from (candidate for candidate in ends if candidate.position not in positions)

    def _alternatives(self, ends: list[Candidate]) -> Iterator[Candidate]:
        """Yield the tensors that users want in place of predictions of losses."""
        possible = [end for end in ends if end.rank in RESULTS and self.flow.ops[end.position] not in EXIT]
        tensors = {(end.position, end.tensor.port): end for end in sorted(possible, key=lambda end: end.rank)}
        integers = {tensor for tensor, end in tensors.items() if self._has_dtype(end, "int")}
        search = Alternatives(
            self.flow, self.shapes, self.losses, self.training_inputs, lambda node: not self.ends.is_aside(node)
        )
        found = search.find(list(tensors), integers)
        self.replaced = {alternative.prediction for alternative in found}
        results = min(len(self.replaced), len({alternative.tensor for alternative in found}))
        self.is_several = len(self.losses.predictions) - len(self.replaced) + results > 1
        best = min((tensors[other.tensor].rank for other in found if other.tensor in tensors), default=NAMED)
        for each in found:
            tensor = each.tensor
            is_best = tensor not in tensors or tensors[tensor].rank == best
            is_best = is_best or (each.takes_choices and tensor in integers)
            rank = PREDICTION if is_best else BEFORE_ACTIVATION
            candidate = Candidate(self.flow.name(tensor), tensor[0], rank, 0.0, reasons=[each.reason])
            yield self._judged(candidate, each.prediction)

    def _has_dtype(self, candidate: Candidate, kind: str) -> bool:
        """Return whether the dtype of a candidate has `kind` in its name, such as "int" or "string"."""
        return kind in self._dtype(self.index.nodes[candidate.position], candidate.tensor.port)

    def _predictions(self) -> Iterator[Candidate]:
        """Yield the predictions of losses."""
        for prediction in self.losses.predictions:
            tensor, kind, of_loss = prediction
            if prediction not in self.replaced:
                reason = kind.reason if tensor == of_loss else f"computed from {self.flow.name(of_loss)}: {kind.reason}"
                candidate = Candidate(self.flow.name(tensor), tensor[0], PREDICTION, 0.0, reasons=[reason])
                yield self._judged(candidate, prediction)
        for _, kind, tensor in self.losses.predictions:  # also those that are replaced
            name = self.flow.name(tensor)
            yield Candidate(name, tensor[0], BEFORE_ACTIVATION, kind.confidence / 2, reasons=[kind.reason])

    def _judged(self, candidate: Candidate, prediction: Prediction) -> Candidate:
        """Return a candidate with the confidence that a user wants it: a prediction, or what is wanted in its place."""
        of_loss, kind = prediction.of_loss, prediction.kind
        is_made = kind.is_made or self.flow.depends_on_input(of_loss[0])
        candidate.confidence = kind.confidence * (1 if is_made else IF_CONSTANT)
        tensor = (candidate.position, candidate.tensor.port)
        self._lower([candidate], self.doubts.of_prediction(tensor, prediction, is_several=self.is_several))
        return candidate

    @staticmethod
    def _lower(candidates: Sequence[Candidate], doubts: Iterable[Doubt]) -> None:
        """Lower the confidence of candidates, with the reasons."""
        for doubt in doubts:
            for candidate in candidates:
                candidate.confidence = min(candidate.confidence, doubt.confidence)
                candidate.reasons = [*candidate.reasons, doubt.reason]

    def _rank_candidates(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        ranked = list(candidates)
        counter = NodeCounter(self.flow)
        best = sorted(ranked, key=lambda candidate: candidate.rank)[:MAX_COUNTED]
        for candidate in best:
            if candidate.rank != FROM_SIGNATURE:
                candidate.weight = counter.count(candidate.position, self.index.sources)
                candidate.reasons += counter.describe("needs", candidate.weight)
        self._add_values_to_texts(ranked)
        return sorted(ranked, key=lambda candidate: (candidate.rank, -candidate.weight))

    def _add_values_to_texts(self, ranked: list[Candidate]) -> None:
        """Rank other results as high as texts with names of their own, such as the names of classes beside scores."""
        best = min((candidate.rank for candidate in ranked), default=AFTER_LOSS)
        if best == NAMED and all(self._has_dtype(each, "string") for each in ranked if each.rank == best):
            values = [each for each in ranked if each.rank in (ARRAY, NUMBER) and not self._has_dtype(each, "string")]
            rank = min((value.rank for value in values), default=best)
            for candidate in values:
                if candidate.rank == rank:
                    candidate.rank = best

    def _endpoint(self, candidate: Candidate, *, is_likely: bool) -> Endpoint:
        node, tensor = self.index.nodes[candidate.position], candidate.tensor
        dtype, shape = self._dtype(node, tensor.port), self.shapes.get(tensor)
        return Endpoint(
            str(tensor) if tensor.output else tensor.numbered,
            node.op,
            dtype,
            shape,
            candidate.reasons,
            is_likely,
            confidence=round(candidate.confidence, 2),
            value=candidate.value,
        )

    def _dtype(self, node: NodeDef, port: int) -> str:
        op = self.ops.get(node.op)
        try:
            dtype: DataType | None = output_types(node, op)[port] if op is not None else None
        except (GraphError, IndexError):
            dtype = None
        return dtype_name(dtype) if dtype is not None else ""

    def _set_aside(self) -> list[AuxiliaryNodes]:
        """Return the auxiliary nodes by kind, with the names of the first of them that no node uses."""
        counts = Counter(mark for mark in self.marks if mark)
        ends: dict[str, list[str]] = {mark: [] for mark in counts}
        for position, mark in enumerate(self.marks):
            if mark and len(ends[mark]) < MAX_NAMES and not self.index.targets[position]:
                ends[mark].append(self.index.nodes[position].name)
        return [AuxiliaryNodes(mark, count, tuple(ends[mark])) for mark, count in counts.most_common()]


def _reachable(starts: Iterable[int], edges: list[list[int]]) -> bytearray:
    """Return, by position, which nodes can be reached from those at `starts`."""
    reached = bytearray(len(edges))
    stack = list(starts)
    while stack:
        position = stack.pop()
        if not reached[position]:
            reached[position] = True
            stack += [target for target in edges[position] if target >= 0]
    return reached
