"""Find the ends of a graph: tensors that no other node uses, apart from auxiliary nodes and losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from operator import or_

from ...graph import Frame, GraphIndex
from ...ops.input_roles import is_maintenance, is_update
from ...ops.traits import (
    ALL_VARIABLES,
    CALLS,
    CHECKS,
    EXIT,
    LOOP_COND,
    NEXT_ITERATION,
    PASS_THROUGH,
    SWITCH,
    TABLES,
    VARIABLE_INITIALIZERS,
)
from ...values.names import TensorName
from ..shapes import Shapes
from .auxiliary_nodes import GRADIENTS, INIT, INITIALIZERS, TRAINING
from .candidates import (
    AFTER_LOSS,
    ARRAY,
    CONFIDENCE,
    IF_NUMBER,
    IF_TRAINED,
    NAMED,
    NUMBER,
    STATE,
    STORED,
    UNFED,
    Candidate,
)
from .choice_masks import METRICS
from .dependencies import SHAPES, SOURCES, Dependencies, Tensor
from .layer_stacks import last_layers
from .loss_steps import is_default_name
from .losses import Losses
from .selected import before_selections, selections

MAX_PORTS = 20
"""The most outputs of one node that are candidates."""

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


class Ends:
    """The ends of a graph with their ranks. `losses` are those of the graph."""

    def __init__(self, flow: Dependencies, shapes: Shapes, losses: Losses) -> None:
        self._flow = flow
        self._index = flow.index
        self._marks = flow.marks
        self._shapes = shapes
        self._losses = losses
        self._after_loss = flow.strict_descendants(losses.roots)
        for root in losses.roots:
            self._after_loss[root] = True
        self._is_trained = bool(losses.roots) or GRADIENTS in flow.marks or _trains(flow.index)
        self._has_variables = any(op in ALL_VARIABLES for op in flow.ops)

    def find(self) -> list[Candidate]:
        """Return the ends. Those that show hidden layers come behind others; the tensor of the last layer is added."""
        ends = list(self._all())
        tensors = {(end.position, end.tensor.port): end for end in ends if end.rank in (NAMED, ARRAY)}
        for tensor, last in last_layers(self._flow, self._shapes, list(tensors)).items():
            end, name = tensors[tensor], self._flow.name(last)
            if last not in tensors and not self.is_aside(last[0]):
                tensors[last] = replace(end, tensor=name, position=last[0], reasons=["the last of several layers"])
                ends.append(tensors[last])
            end.rank, end.confidence = STATE, CONFIDENCE[STORED]
            end.reasons = [*end.reasons, f"a hidden layer, before {name}"]
        for end in map(tensors.__getitem__, before_selections(self._flow, list(tensors))):
            end.rank, end.confidence = STATE, CONFIDENCE[STORED]
            end.reasons = [*end.reasons, "shows all results, of which others are selected"]
        return ends

    def _all(self) -> Iterator[Candidate]:
        """Yield the tensors that no other node uses, apart from auxiliary nodes and losses."""
        for position, node in enumerate(self._index.nodes):
            if self._marks[position] or node.op in _NO_OUTPUTS or node.op.startswith("Assign"):
                continue
            if node.op in PASS_THROUGH and self._op(self._index.sources[position][:1]) in ALL_VARIABLES:
                continue  # the value of a variable
            users = [user for user in self._index.targets[position] if not self._is_dead_end(user)]
            if any(not self.is_aside(user) for user in users):
                continue
            if not self._flow.is_fetchable(position):
                continue
            count = min(len(self._shapes.of(node)), MAX_PORTS) if node.op in _MULTI_OUTPUT_OPS else 1
            for port in range(max(1, count)):
                yield self._output(TensorName(node.name, port), position, users)

    def is_aside(self, position: int) -> bool:
        """Return whether a node is auxiliary, or computes how good the outputs are."""
        if self._marks[position] or self._after_loss[position] or self._depends_on_label(position):
            return True
        if self._measures[position]:
            return True
        return bool(self._loops_with_labels) and self._index.node_frames[position] in self._loops_with_labels

    @cached_property
    def _loops_with_labels(self) -> set[Frame | None]:
        """The loops in which a value depends on labels: they train, or count how often the outputs are right."""
        if not self._losses.label_bits or not any(op in LOOP_COND for op in self._flow.ops):
            return set()
        frames = self._index.node_frames
        return {
            frames[position]
            for position in range(len(frames))
            if frames[position] is not None and self._depends_on_label(position)
        }

    @cached_property
    def _selected(self) -> bytearray:
        """The nodes, by position, that follow from a selection of results, at least by the number of these."""
        return self._flow.strict_descendants(selections(self._flow))

    @cached_property
    def _measures(self) -> bytearray:
        """The nodes, by position, that count where results equal an input, and what is computed for these alone.

        The input may be the target of a decoder, which does not count as a label, since the decoder takes it too.
        """
        flow = self._flow
        if not self._has_variables:
            return self._metrics_of_constants()
        compared = [position for position, op in enumerate(flow.ops) if op in METRICS and self._is_measure(position)]
        measures = flow.strict_descendants(compared)
        for position in compared:
            measures[position] = True
        needed = flow.strict_ancestors(compared)
        for position in reversed(self._index.forward_order if compared else ()):
            if needed[position] and not measures[position] and self._is_preparation(position):
                measures[position] = all(measures[user] for user, _ in flow.users[position])
        return measures

    def _metrics_of_constants(self) -> bytearray:
        """Return `_measures` of a frozen graph: of two sides with different inputs, the shorter one has labels."""
        flow = self._flow
        metrics = bytearray(len(flow.ops))
        for position, op in enumerate(flow.ops):
            tensors = flow.producers[position][:2] if op in METRICS else ()
            bits = [flow.inputs_of(tensor) for tensor in tensors]
            if len(bits) != 2 or not all(bits) or bits[0] & bits[1]:
                continue
            sides = [flow.ancestors([tensor[0]]) for tensor in tensors]
            for place in range(len(metrics)):
                metrics[place] |= min(sides, key=sum)[place] and not flow.is_source(place)
            metrics[position] = True
        after = flow.strict_descendants(place for place, op in enumerate(flow.ops) if metrics[place] and op in METRICS)
        return bytearray(map(or_, metrics, after))

    def _is_preparation(self, position: int) -> bool:
        """Return whether a node computes nothing from variables, or converts a result that has a name of its own."""
        flow = self._flow
        if flow.ops[position] == "Cast":
            return self._is_named(flow.producers[position][:1])
        return not flow.is_learned(position) and not flow.is_source(position) and bool(flow.users[position])

    def _is_measure(self, position: int) -> bool:
        """Return whether a node compares a result with an input, and no weights are applied afterwards."""
        flow = self._flow
        tensors = flow.producers[position][:2]
        if len(tensors) != 2 or not any(map(flow.is_computed, tensors)):
            return False
        if not any(flow.inputs_of(tensor) and not flow.is_learned(tensor[0]) for tensor in tensors):
            return False
        return not self._feeds_weights[position]

    @cached_property
    def _feeds_weights(self) -> bytearray:
        return self._flow.ancestors(self._flow.weight_ops(bytearray(b"\1") * len(self._flow.ops)))

    def _is_named(self, tensors: Sequence[Tensor]) -> bool:
        return any(not is_default_name(self._index.nodes[position]) for position, _ in tensors)

    def _depends_on_label(self, position: int) -> bool:
        return self._flow.inputs_of((position, 0)) & self._losses.label_bits != 0

    def _is_dead_end(self, position: int) -> bool:
        """Return whether a node makes no use of the values of its inputs."""
        op = self._index.nodes[position].op
        return op == "NoOp" or (op in SHAPES and not self._index.targets[position])

    def _output(self, tensor: TensorName, position: int, users: list[int]) -> Candidate:
        marks = {self._marks[user] for user in users if self._marks[user]}
        if marks:
            reasons = [f"used for {' and '.join(sorted(marks))} only"]
        else:
            reasons = ["used for losses and metrics only" if users else "nothing uses it"]
        rank, reason = self._rank(tensor, position, marks)
        confidence = CONFIDENCE[rank] * (IF_TRAINED if self._is_trained else 1)
        if rank == NUMBER and self._has_variables:
            confidence *= IF_NUMBER
        return Candidate(tensor, position, rank, confidence, reasons=[*reasons, reason] if reason else reasons)

    def _rank(self, tensor: TensorName, position: int, marks: set[str]) -> tuple[int, str]:
        """Return the rank of an output that only auxiliary nodes with these marks use, and a reason."""
        node, flow = self._index.nodes[position], self._flow
        if self._after_loss[position]:
            return AFTER_LOSS, "follows from a loss"
        if self._depends_on_label(position):
            return AFTER_LOSS, "depends on labels"
        if self._measures[position]:
            return AFTER_LOSS, "says how good a result is"
        if node.op in SHAPES:
            return STORED, "is a shape"
        if not flow.depends_on_input(position) and flow.has_sources:
            return UNFED, "depends on no input"
        if not flow.has_sources:
            return ARRAY, "depends on no input"
        if marks & {TRAINING, INIT}:
            return STORED, ""
        if node.op == "Identity" and any(flow.is_source(producer) for producer, _ in flow.producers[position]):
            return STATE, "an input"
        if node.op == "Identity" and "/" not in node.name and not is_default_name(node):
            is_state = any(flow.ops[producer] in EXIT for producer, _ in flow.producers[position])
            return (ARRAY, "the last state of a loop") if is_state else (NAMED, "has a name of its own")
        if flow.has_sources and not flow.inputs_of((position, tensor.port)) and not self._selected[position]:
            return STORED, "depends on shapes of inputs only"
        if node.op in EXIT:
            return STATE, "the last state of a loop"
        if self._has_variables and not flow.is_learned(position) and not self._selected[position]:
            return STATE, "no variable is used for it"
        return (NUMBER, "a single number") if self._shapes.get(tensor) == () else (ARRAY, "")

    def _op(self, positions: Sequence[int]) -> str:
        """Return the op of the node at the first of these positions."""
        return self._index.nodes[positions[0]].op if positions and positions[0] >= 0 else ""


def _trains(index: GraphIndex) -> bool:
    """Return whether a function that nodes may call updates variables with gradients."""
    nodes = (node for function in index.functions.values() for node in function.node_def)
    return any(is_update(node.op) and not is_maintenance(node.op) for node in nodes)
