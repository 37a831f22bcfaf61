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

All candidates of the best group are likely, unless their confidence is below MIN_CONFIDENCE. The numbers of nodes are
exact for graphs of usual size. With very many candidates, nodes are counted only for the first of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...errors import GraphError
from ...graph import Frame, GraphIndex
from ...messages import DataType, MetaGraphDef, NodeDef
from ...ops import Registry, output_types
from ...ops.input_roles import is_maintenance, is_update
from ...ops.traits import (
    ALL_VARIABLES,
    CALLS,
    CHECKS,
    EXIT,
    LOOP_COND,
    NEXT_ITERATION,
    PASS_THROUGH,
    PIPELINES,
    SWITCH,
    TABLES,
    VARIABLE_INITIALIZERS,
)
from ...source.signature_defs import SignatureFacts
from ...values.dtypes import dtype_name
from ...values.names import TensorName
from ..shapes import Shapes
from .alternatives import Alternatives
from .auxiliary_nodes import CHECKED, GRADIENTS, INIT, INITIALIZERS, SAVER, TRAINING, classify_nodes
from .dependencies import SHAPES, SOURCES, Dependencies, Tensor
from .endpoints import AuxiliaryNodes, Endpoint, Endpoints
from .layer_stacks import last_layers
from .loss_roots import collected_losses
from .loss_steps import is_default_name
from .losses import Prediction, find_losses
from .training_inputs import TrainingInputs

# Ops whose outputs, if any, are not outputs of a model.
_WITHOUT_OUTPUTS = """
    CloseSummaryWriter Const ControlTrigger DeleteIterator DestroyResourceOp FlushSummaryWriter Iterator IteratorV2 NoOp
    OneShotIterator QueueClose QueueCloseV2 QueueEnqueue QueueEnqueueMany QueueEnqueueManyV2 QueueEnqueueV2 StackV2
    WriteFile
"""
_NO_OUTPUTS = frozenset(_WITHOUT_OUTPUTS.split()).union(
    SOURCES, ALL_VARIABLES, VARIABLE_INITIALIZERS, TABLES, INITIALIZERS, CHECKS, SWITCH, NEXT_ITERATION, LOOP_COND
)
_MULTI_OUTPUT_OPS = CALLS | {"IdentityN"}  # ops whose outputs are often all the outputs of a model

_MAX_STEPS = 10_000_000  # edges that are followed to count nodes, for all inputs and for all outputs
_MAX_ENDS = 1000  # candidates for which nodes are counted
_MAX_NAMES = 3
_MAX_PORTS = 20  # of a node that are shown

# The ranks of outputs, the likeliest first.
_FROM_SIGNATURE, _OTHER_SIGNATURE, _PREDICTION, _BEFORE_ACTIVATION = range(4)
_NAMED, _ARRAY, _NUMBER, _STATE, _STORED, _UNFED, _AFTER_LOSS = range(4, 11)
_RESULTS = (_NAMED, _ARRAY, _NUMBER, _STORED, _UNFED)  # ends that may be wanted in place of a prediction

# The ranks of inputs.
_WITH_DEFAULT, _PRODUCED, _NOT_NEEDED, _TRAINING_ONLY, _LABEL = 1, 2, 3, 6, 7

_CONFIDENCE = {_NAMED: 0.9, _ARRAY: 0.9, _NUMBER: 0.6, _STATE: 0.6, _STORED: 0.2, _UNFED: 0.1, _AFTER_LOSS: 0.0}
"""The confidence that an output of a rank is an output of the model. For predictions, the kind of the loss decides.

The numbers are shares of graphs from projects all over GitHub in which the choice was right, rounded down.
"""

_IF_TRAINED = 0.5
"""The factor of this confidence in a graph with gradients or a loss, where most unused nodes belong to the training."""

_IF_NUMBER = 0.75
"""The factor of the confidence of a single number in a graph with variables, where it may be a loss."""

_IF_SEVERAL = 0.75
"""The factor of the confidence of each of several predictions, one of which often serves the training only."""

MIN_CONFIDENCE = 0.6
"""The minimum confidence of outputs that are chosen without asking the user."""


@dataclass(slots=True)
class _Candidate:
    """A possible input or output: a tensor of the node at `position`, with its rank (lower is likelier) and reasons.

    weight             the number of nodes that the output needs, or that depend on the input; higher is likelier
    value              the value of an input that only training sets, None for others
    signature_entries  the names of the tensor in signatures, with the names of the signatures
    """

    tensor: TensorName
    position: int
    rank: int
    confidence: float
    weight: int = 0
    value: float | None = None
    reasons: list[str] = field(default_factory=list)
    signature_entries: list[tuple[str, str]] = field(default_factory=list)


def infer_endpoints(
    index: GraphIndex,
    signatures: Sequence[SignatureFacts],
    shapes: Shapes,
    ops: Registry,
    *,
    meta: MetaGraphDef | None = None,
    outputs: Iterable[str] = (),
    marks: list[str] | None = None,
) -> Endpoints:
    """Select the inputs and outputs of a graph.

    `signatures` are those of its MetaGraph `meta`, the main one first.
    If `outputs` are given, the inputs are those that they need, not those that the likely outputs need. `marks` are the
    kinds of the nodes, if they are known: see `classify_nodes`.
    """
    return _Search(index, signatures, shapes, ops, collected_losses(meta), marks).result(outputs)


class _Search:
    def __init__(
        self,
        index: GraphIndex,
        signatures: Sequence[SignatureFacts],
        shapes: Shapes,
        ops: Registry,
        losses: Iterable[str],
        marks: list[str] | None,
    ) -> None:
        self.index = index
        self.shapes = shapes
        self.ops = ops
        self.signatures = signatures
        self.marks = classify_nodes(index) if marks is None else marks
        self.flow = Dependencies(index, self.marks)
        self.training_inputs = TrainingInputs(self.flow)
        self.losses = find_losses(self.flow, shapes, losses)
        self.after_loss = self.flow.strict_descendants(self.losses.roots)
        for root in self.losses.roots:
            self.after_loss[root] = True
        self.replaced: set[Prediction] = set()
        self.is_several = False  # whether the predictions and what replaces them are several results
        self.is_trained = bool(self.losses.roots) or GRADIENTS in self.marks or _trains(index)
        self.has_variables = any(op in ALL_VARIABLES for op in self.flow.ops)
        self._steps = 0

    def result(self, requested: Iterable[str] = ()) -> Endpoints:
        outputs = self._rank_candidates(self._outputs())
        best = [candidate for candidate in outputs if candidate.rank == outputs[0].rank]
        chosen = {candidate.tensor for candidate in best if candidate.confidence >= MIN_CONFIDENCE}
        tensors = self._positions(requested) or [(candidate.position, candidate.tensor.port) for candidate in best]
        needed = self.flow.ancestors(position for position, _ in tensors)
        sources = self.flow.needed_sources(tensors)
        inputs = self._inputs(needed, sources)
        return Endpoints(
            [self._endpoint(candidate, is_likely=candidate.rank == 0) for candidate in inputs],
            [self._endpoint(candidate, is_likely=candidate.tensor in chosen) for candidate in outputs],
            self._set_aside(),
            self._reachable((position for position, _ in tensors), self.index.sources),
        )

    def _positions(self, names: Iterable[str]) -> list[Tensor]:
        """Return the tensors of these names. Unknown names are left out."""
        tensors = [TensorName.parse(name) for name in names]
        positions = self.index.positions
        return [(positions[tensor.node], max(tensor.port, 0)) for tensor in tensors if tensor.node in positions]

    # --- outputs -----------------------------------------------------------------------------------------------------

    def _outputs(self) -> Iterator[_Candidate]:
        ends = self._without_hidden_layers(list(self._ends()))
        taken = set()
        for candidate in (*self._signature_tensors("output"), *self._alternatives(ends), *self._predictions()):
            if candidate.tensor not in taken:
                taken.add(candidate.tensor)
                yield candidate
        positions = {self.index.positions[tensor.node] for tensor in taken}
        yield from (candidate for candidate in ends if candidate.position not in positions)

    def _ends(self) -> Iterator[_Candidate]:
        """Yield the tensors that no other node uses, apart from auxiliary nodes and losses."""
        for position, node in enumerate(self.index.nodes):
            if self.marks[position] or node.op in _NO_OUTPUTS or node.op.startswith("Assign"):
                continue
            if node.op in PASS_THROUGH and self._op(self.index.sources[position][:1]) in ALL_VARIABLES:
                continue  # the value of a variable
            users = [user for user in self.index.targets[position] if not self._is_dead_end(user)]
            if any(not self._is_aside(user) for user in users):
                continue
            if not self.flow.is_fetchable(position):
                continue
            count = min(len(self.shapes.of(node)), _MAX_PORTS) if node.op in _MULTI_OUTPUT_OPS else 1
            for port in range(max(1, count)):
                yield self._output(TensorName(node.name, port), position, users)

    def _without_hidden_layers(self, ends: list[_Candidate]) -> list[_Candidate]:
        """Rank ends that show hidden layers behind others, and add the tensor that shows the last layer."""
        tensors = {(end.position, end.tensor.port): end for end in ends if end.rank in (_NAMED, _ARRAY)}
        for tensor, last in last_layers(self.flow, self.shapes, list(tensors)).items():
            end, name = tensors[tensor], self.flow.name(last)
            if last not in tensors and not self._is_aside(last[0]):
                tensors[last] = replace(end, tensor=name, position=last[0], reasons=["the last of several layers"])
                ends.append(tensors[last])
            end.rank, end.confidence = _STATE, _CONFIDENCE[_STORED]
            end.reasons = [*end.reasons, f"a hidden layer, before {name}"]
        return ends

    def _alternatives(self, ends: list[_Candidate]) -> Iterator[_Candidate]:
        """Yield the tensors that users want in place of predictions of losses."""
        possible = [end for end in ends if end.rank in _RESULTS and self.flow.ops[end.position] not in EXIT]
        tensors = {(end.position, end.tensor.port): end for end in sorted(possible, key=lambda end: end.rank)}
        integers = {tensor for tensor, end in tensors.items() if self._has_dtype(end, "int")}
        search = Alternatives(
            self.flow, self.shapes, self.losses, self.training_inputs, lambda node: not self._is_aside(node)
        )
        found = search.find(list(tensors), integers)
        self.replaced = {alternative.prediction for alternative in found}
        results = min(len(self.replaced), len({alternative.tensor for alternative in found}))
        self.is_several = len(self.losses.predictions) - len(self.replaced) + results > 1
        best = min((tensors[other.tensor].rank for other in found if other.tensor in tensors), default=_NAMED)
        for tensor, reason, prediction in found:
            rank = _PREDICTION if tensor not in tensors or tensors[tensor].rank == best else _BEFORE_ACTIVATION
            yield _Candidate(self.flow.name(tensor), tensor[0], rank, self._certainty(prediction), reasons=[reason])

    def _has_dtype(self, candidate: _Candidate, kind: str) -> bool:
        """Return whether the dtype of a candidate has `kind` in its name, such as "int" or "string"."""
        return kind in self._dtype(self.index.nodes[candidate.position], candidate.tensor.port)

    def _predictions(self) -> Iterator[_Candidate]:
        """Yield the predictions of losses."""
        for prediction in self.losses.predictions:
            tensor, kind, of_loss = prediction
            if prediction not in self.replaced:
                reason = kind.reason if tensor == of_loss else f"computed from {self.flow.name(of_loss)}: {kind.reason}"
                name, confidence = self.flow.name(tensor), self._certainty(prediction)
                yield _Candidate(name, tensor[0], _PREDICTION, confidence, reasons=[reason])
        for _, kind, tensor in self.losses.predictions:  # also those that are replaced
            name = self.flow.name(tensor)
            yield _Candidate(name, tensor[0], _BEFORE_ACTIVATION, kind.confidence / 2, reasons=[kind.reason])

    def _certainty(self, prediction: Prediction) -> float:
        """Return the confidence that a user wants a prediction, or the result that is wanted in its place."""
        return prediction.kind.confidence * (_IF_SEVERAL if self.is_several else 1)

    def _is_aside(self, position: int) -> bool:
        """Return whether a node is auxiliary, or computes how good the outputs are."""
        if self.marks[position] or self.after_loss[position] or self._depends_on_label(position):
            return True
        return bool(self._loops_with_labels) and self.index.node_frames[position] in self._loops_with_labels

    @cached_property
    def _loops_with_labels(self) -> set[Frame | None]:
        """The loops in which a value depends on labels: they train, or count how often the outputs are right."""
        if not self.losses.label_bits or not any(op in LOOP_COND for op in self.flow.ops):
            return set()
        frames = self.index.node_frames
        return {
            frames[position]
            for position in range(len(frames))
            if frames[position] is not None and self._depends_on_label(position)
        }

    def _depends_on_label(self, position: int) -> bool:
        return self.flow.inputs_of((position, 0)) & self.losses.label_bits != 0

    def _is_dead_end(self, position: int) -> bool:
        """Return whether a node makes no use of the values of its inputs."""
        op = self.index.nodes[position].op
        return op == "NoOp" or (op in SHAPES and not self.index.targets[position])

    def _output(self, tensor: TensorName, position: int, users: list[int]) -> _Candidate:
        marks = {self.marks[user] for user in users if self.marks[user]}
        if marks:
            reasons = [f"used for {' and '.join(sorted(marks))} only"]
        else:
            reasons = ["used for losses and metrics only" if users else "nothing uses it"]
        rank, reason = self._rank(tensor, position, marks)
        confidence = _CONFIDENCE[rank] * (_IF_TRAINED if self.is_trained else 1)
        if rank == _NUMBER and self.has_variables:
            confidence *= _IF_NUMBER
        return _Candidate(tensor, position, rank, confidence, reasons=[*reasons, reason] if reason else reasons)

    def _is_copied(self, position: int) -> bool:
        """Return whether only copies of other variables are used for a node, as in the target network of Q-learning."""
        copied = {} if self.losses.roots else self.flow.copied_variables
        variables = self.flow.variables(self.flow.ancestors([position])) if copied else frozenset()
        return bool(variables) and all(variable in copied for variable in variables)

    def _rank(self, tensor: TensorName, position: int, marks: set[str]) -> tuple[int, str]:
        """Return the rank of an output that only auxiliary nodes with these marks use, and a reason."""
        node, flow = self.index.nodes[position], self.flow
        if self.after_loss[position]:
            return _AFTER_LOSS, "follows from a loss"
        if self._depends_on_label(position):
            return _AFTER_LOSS, "depends on labels"
        if self._is_copied(position):
            return _AFTER_LOSS, "all its variables are copies of others"
        if node.op in SHAPES:
            return _STORED, "is a shape"
        if not flow.depends_on_input(position) and flow.has_sources:
            return _UNFED, "depends on no input"
        if not flow.has_sources:
            return _ARRAY, "depends on no input"
        if marks & {TRAINING, INIT}:
            return _STORED, ""
        if node.op == "Identity" and any(flow.is_source(producer) for producer, _ in flow.producers[position]):
            return _STATE, "an input"
        if node.op == "Identity" and "/" not in node.name and not is_default_name(node):
            return _NAMED, "has a name of its own"
        if flow.has_sources and not flow.inputs_of((position, tensor.port)):
            return _STORED, "depends on shapes of inputs only"
        if node.op in EXIT:
            return _STATE, "the last state of a loop"
        if self.has_variables and not flow.is_learned(position):
            return _STATE, "no variable is used for it"
        return (_NUMBER, "a single number") if self.shapes.get(tensor) == () else (_ARRAY, "")

    def _rank_candidates(self, candidates: Iterable[_Candidate]) -> list[_Candidate]:
        ranked = list(candidates)
        self._steps = _MAX_STEPS
        best = sorted(ranked, key=lambda candidate: candidate.rank)[:_MAX_ENDS]
        for candidate in best:
            if candidate.rank != _FROM_SIGNATURE:
                candidate.weight = self._count(candidate.position, self.index.sources)
                candidate.reasons += _node_count("needs", candidate.weight)
        self._add_values_to_texts(ranked)
        return sorted(ranked, key=lambda candidate: (candidate.rank, -candidate.weight))

    def _add_values_to_texts(self, ranked: list[_Candidate]) -> None:
        """Rank other results as high as texts with names of their own, such as the names of classes beside scores."""
        best = min((candidate.rank for candidate in ranked), default=_AFTER_LOSS)
        if best == _NAMED and all(self._has_dtype(each, "string") for each in ranked if each.rank == best):
            values = [each for each in ranked if each.rank in (_ARRAY, _NUMBER) and not self._has_dtype(each, "string")]
            rank = min((value.rank for value in values), default=best)
            for candidate in values:
                if candidate.rank == rank:
                    candidate.rank = best

    # --- inputs ------------------------------------------------------------------------------------------------------

    def _inputs(self, needed: bytearray, sources: set[Tensor]) -> list[_Candidate]:
        """Return all inputs, ranked. Likely inputs have the rank 0."""
        declared = list(self._signature_tensors("input"))
        positions = {candidate.position for candidate in declared}
        candidates = declared[:]
        for position, node in enumerate(self.index.nodes):
            if position not in positions and node.op in SOURCES and self.marks[position] not in (SAVER, CHECKED):
                ports = {port for _, port in self.flow.users[position]} if node.op in PIPELINES else ()
                for port in sorted(ports) or [0]:
                    is_needed = (position, port) in sources if self.flow.is_source(position) else needed[position]
                    candidates.append(self._input(position, port, bool(is_needed)))
        if not self.signatures and all(candidate.rank for candidate in candidates):
            # choose placeholders with defaults, or else elements of a queue
            usable = [candidate for candidate in candidates if candidate.rank in (_WITH_DEFAULT, _PRODUCED)]
            usable = [candidate for candidate in usable if not self._is_setting(candidate)] or usable
            best = min((candidate.rank for candidate in usable), default=0)
            for candidate in usable:
                if candidate.rank == best:
                    candidate.rank = 0
        self._steps = _MAX_STEPS
        for candidate in sorted(candidates, key=lambda candidate: candidate.rank)[:_MAX_ENDS]:
            candidate.weight = self._count(candidate.position, self.index.targets)
            candidate.reasons += self._uses(candidate)
        return sorted(candidates, key=lambda candidate: (candidate.rank, -candidate.weight))

    def _is_setting(self, candidate: _Candidate) -> bool:
        """Return whether an input is a single number or truth value with a default, rather than data."""
        return candidate.rank == _WITH_DEFAULT and self.shapes.get(candidate.tensor) == ()

    def _uses(self, candidate: _Candidate) -> list[str]:
        """Describe how many nodes depend on an input."""
        if not self.index.targets[candidate.position]:
            return ["nothing uses it"]
        if not candidate.weight:
            return ["goes into auxiliary nodes only"]
        return _node_count("goes into", candidate.weight)

    def _input(self, position: int, port: int, is_needed: bool) -> _Candidate:
        node = self.index.nodes[position]
        candidate = _Candidate(TensorName(node.name, port), position, 0, 0.9)
        if node.op in PIPELINES:
            candidate.rank, candidate.reasons = _PRODUCED, ["gets data itself"]
        elif node.op == "PlaceholderWithDefault":
            candidate.rank, candidate.reasons = _WITH_DEFAULT, ["has a default"]
        if (position, port) in self.losses.labels:
            candidate.rank, candidate.reasons = _LABEL, [*candidate.reasons, "compared with predictions"]
        elif not is_needed:
            candidate.rank += _NOT_NEEDED
            candidate.reasons += ["no likely output needs it"] if self.index.targets[position] else []
        elif (deployed := self.training_inputs.deployed_value((position, port))) is not None:
            candidate.value, reason = deployed
            candidate.rank = _TRAINING_ONLY
            candidate.reasons.append(reason)
        elif self.signatures:
            candidate.rank = max(candidate.rank, _WITH_DEFAULT)
            candidate.reasons.append("no signature has it")
        return candidate

    # --- both --------------------------------------------------------------------------------------------------------

    def _signature_tensors(self, side: str) -> Iterator[_Candidate]:
        """Yield the tensors of signatures; those of the main signature have the best rank."""
        seen: dict[TensorName, _Candidate] = {}
        for number, signature in enumerate(self.signatures):
            for info in signature.inputs if side == "input" else signature.outputs:
                try:
                    name = TensorName.parse(info.tensor)
                    position = self.index.positions.get(name.node, -1)
                except GraphError:
                    continue
                if position < 0 or name.is_control:
                    continue
                rank = _FROM_SIGNATURE if not number else _OTHER_SIGNATURE
                candidate = seen.setdefault(name, _Candidate(name, position, rank, 0.0 if number else 1.0))
                candidate.signature_entries.append((info.name, signature.name))
        for candidate in seen.values():
            candidate.reasons.append(_describe_entries(side, candidate.signature_entries))
        yield from seen.values()

    def _count(self, start: int, edges: list[list[int]]) -> int:
        """Count the nodes that can be reached from `start`, without auxiliary nodes; -1 beyond the limit of steps."""
        if self._steps <= 0:
            return -1
        seen = {start}
        stack = [start]
        while stack:
            for target in edges[stack.pop()]:
                self._steps -= 1
                if target >= 0 and target not in seen and not self.marks[target]:
                    seen.add(target)
                    stack.append(target)
        return len(seen) - 1

    def _reachable(self, starts: Iterable[int], edges: list[list[int]]) -> bytearray:
        reached = bytearray(len(self.index))
        stack = list(starts)
        while stack:
            position = stack.pop()
            if not reached[position]:
                reached[position] = True
                stack += [target for target in edges[position] if target >= 0]
        return reached

    def _op(self, positions: Sequence[int]) -> str:
        """Return the op of the node at the first of these positions."""
        return self.index.nodes[positions[0]].op if positions and positions[0] >= 0 else ""

    def _endpoint(self, candidate: _Candidate, *, is_likely: bool) -> Endpoint:
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
            if mark and len(ends[mark]) < _MAX_NAMES and not self.index.targets[position]:
                ends[mark].append(self.index.nodes[position].name)
        return [AuxiliaryNodes(mark, count, tuple(ends[mark])) for mark, count in counts.most_common()]


def _trains(index: GraphIndex) -> bool:
    """Return whether a function that nodes may call updates variables with gradients."""
    nodes = (node for function in index.functions.values() for node in function.node_def)
    return any(is_update(node.op) and not is_maintenance(node.op) for node in nodes)


def _node_count(what: str, count: int) -> list[str]:
    return [] if count < 0 else [f"{what} {count:,} node{'' if count == 1 else 's'}"]


def _describe_entries(side: str, entries: list[tuple[str, str]]) -> str:
    """Return `input x of serving_default`; for several signatures, only their names."""
    if len(entries) == 1:
        return f"{side} {entries[0][0]} of {entries[0][1]}"
    more = f" and {len(entries) - _MAX_NAMES} more" if len(entries) > _MAX_NAMES else ""
    return f"{side} of {', '.join(signature for _, signature in entries[:_MAX_NAMES])}{more}"
