"""Follow values through a graph: the inputs and the variables that each tensor depends on.

    flow = Dependencies(index, classify_nodes(index))
    flow.sources                        # the tensors that enter the graph, such as placeholders
    flow.inputs_of((position, 0))       # the sources that a tensor depends on, as bits of a number
    flow.is_learned(position)           # whether a node depends on a variable
    flow.weight_ops(region)             # the nodes of a region that combine inputs with variables

Control inputs do not count. Neither do values of which only the shape is read. Positions are those of `GraphIndex`; a
tensor is a position and a port.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import cached_property

from ...errors import GraphError
from ...graph import GraphIndex, attr
from ...messages import DataType
from ...ops.traits import ALL_VARIABLES, EXIT, FED_OPS, MERGE, PASS_THROUGH, PIPELINES, PYTHON_CALLS, SHAPE_OPS, SWITCH
from ...values.names import TensorName
from .auxiliary_nodes import CHECKED, CONTROL, INITIALIZERS, ops_with_frozen_variables
from .data_constants import data_constants
from .edges import Tensor as Tensor
from .edges import producers_of

SOURCES = FED_OPS | PIPELINES
"""Ops through which data enter the graph."""

SHAPES = SHAPE_OPS | {"BroadcastArgs", "VariableShape"}
"""Ops that read only the shapes of their inputs."""

MAX_SOURCES = 1024
"""The most inputs with a bit of their own; all others share one bit."""

MAX_PASSES = 8
"""The most passes over a graph with loops. Each carries values once around every loop."""

REDUCTIONS = frozenset({"AddN", "L2Loss", "Max", "Mean", "Min", "Prod", "Sum"})
"""Ops that reduce a tensor, or several, to one value."""

AFFINE = frozenset({"Add", "AddV2", "Div", "Mul", "Neg", "RealDiv", "Sub"})
"""Ops that scale and shift values."""

SUMS = frozenset({"Add", "AddV2", "Sub"})
"""Ops that add or subtract two values."""

DIFFERENCES = frozenset({"Sub", "SquaredDifference"})
"""Ops that subtract two values."""

ACTIVATIONS = frozenset({"LogSoftmax", "Sigmoid", "Softmax", "Tanh"})
"""Ops that convert scores to probabilities, or to values that a user wants."""

FLOATS = (DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_HALF, DataType.DT_BFLOAT16)

DRAWS = frozenset({"Multinomial", "StatelessMultinomial"})
"""Ops that draw one of several classes."""

LIMITS = frozenset({"Cast", "ClipByValue", "Maximum", "Minimum"})
"""Ops that limit values."""

FORMS = frozenset({"ExpandDims", "Identity", "Reshape", "Squeeze"})
"""Ops that give the elements of a tensor unchanged, perhaps in another shape."""

NOT_TRAINED = PYTHON_CALLS | {"StopGradient"}
"""Ops through which no gradients flow, although they give values that depend on all elements of their inputs."""

MAX_STEPS = 20
"""The most nodes between a variable and its copy, or between a tensor and its view."""

_FORWARD = ("", CHECKED, CONTROL)  # kinds of nodes that values are followed through


class Dependencies:
    """The edges of a graph as tensors, and the inputs and variables that each node depends on.

    ops         the ops of the nodes; constants that the graph trains are variables
    producers   for each node, the tensors that it takes
    users       for each node, the nodes that take its outputs, with the port
    sources     the tensors that enter the graph, with the numbers of their bits; a pipeline has one for each port. In
                a graph without inputs, the constants that are its data are sources

    Each pass over the graph takes linear time.
    """

    def __init__(self, index: GraphIndex, marks: list[str]) -> None:
        self.index = index
        self.marks = marks
        self.ops = ops_with_frozen_variables(index)
        self.producers = producers_of(index, self.ops)
        self.users: list[list[Tensor]] = [[] for _ in self.ops]
        for position, tensors in enumerate(self.producers):
            for producer, port in tensors:
                self.users[producer].append((position, port))
        self.sources: dict[Tensor, int] = {}
        self._masks = [0] * len(self.ops)
        self._is_source = bytearray(len(self.ops))
        self._learned = bytearray(len(self.ops))
        self._depends = bytearray(len(self.ops))  # on an input, or on the shape of one
        self._reduced = bytearray(len(self.ops))  # computed from variables alone, through a reduction
        self._data: frozenset[int] = frozenset()
        self._propagate_all()
        self._data = data_constants(index, self.ops, self.producers, self._learned, self._depends)
        if self._data:
            self._propagate_all()

    def _propagate_all(self) -> None:
        for _ in range(MAX_PASSES):
            if not self._propagate():
                break

    def _propagate(self) -> bool:
        """Carry masks along the edges once; return whether one changed."""
        changed = False
        masks, is_source, depends = self._masks, self._is_source, self._depends
        for position in self.index.forward_order:
            op = self.ops[position]
            tensors = self.producers[position]
            is_input = op in SOURCES and not (op == "PlaceholderWithDefault" and any(map(self.inputs_of, tensors)))
            if is_input or position in self._data:
                is_source[position] = depends[position] = True
                continue
            if op in ALL_VARIABLES:
                self._learned[position] = True
                continue
            mask = learned = reduced = 0
            for producer, _ in tensors:
                depends[position] |= depends[producer]
            if op in SHAPES:
                continue
            for tensor in tensors[:1] if op in SWITCH else tensors:
                producer = tensor[0]
                mask |= self.inputs_of(tensor) if is_source[producer] else masks[producer]
                learned |= self._learned[producer]
                reduced |= self._reduced[producer]
            changed = changed or mask != masks[position] or learned != self._learned[position]
            masks[position], self._learned[position] = mask, learned
            self._reduced[position] = bool(learned and not mask and (reduced or op in REDUCTIONS))
        return changed

    @cached_property
    def order(self) -> list[int]:
        """The place of each node, by position, in the order in which nodes can be computed."""
        order = [0] * len(self.ops)
        for place, position in enumerate(self.index.forward_order):
            order[position] = place
        return order

    @cached_property
    def activated(self) -> frozenset[Tensor]:
        """The tensors from which probabilities, or the class with the largest one, are computed."""
        nodes = (position for position, op in enumerate(self.ops) if op in ACTIVATIONS or op == "ArgMax")
        return frozenset(self.producers[position][0] for position in nodes if self.producers[position])

    @property
    def has_sources(self) -> bool:
        """Return whether data enter the graph anywhere."""
        return any(self._is_source)

    # --- tensors -----------------------------------------------------------------------------------------------------

    def inputs_of(self, tensor: Tensor) -> int:
        """Return the sources that a tensor depends on, as bits."""
        position = tensor[0]
        if not self._is_source[position]:
            return self._masks[position]
        return 1 << self.sources.setdefault(tensor, min(len(self.sources), MAX_SOURCES))

    def bits(self, tensors: Iterable[Tensor]) -> int:
        """Return the sources that any of some tensors depends on, as bits."""
        bits = 0
        for tensor in tensors:
            bits |= self.inputs_of(tensor)
        return bits

    def is_source(self, position: int) -> bool:
        """Return whether data enter the graph at a node."""
        return bool(self._is_source[position])

    def depends_on_input(self, position: int) -> bool:
        """Return whether a node depends on an input, or on the shape of one."""
        return bool(self._depends[position])

    def is_learned(self, position: int) -> bool:
        """Return whether a node depends on a variable."""
        return bool(self._learned[position])

    def is_computed(self, tensor: Tensor) -> bool:
        """Return whether a tensor is computed from inputs and variables."""
        return self.is_learned(tensor[0]) and self.inputs_of(tensor) != 0

    def is_forward(self, position: int) -> bool:
        """Return whether a node computes values, rather than saving, training or initializing the model."""
        return self.marks[position] in _FORWARD

    def forward_users(self, tensor: Tensor) -> Iterator[int]:
        """Yield the nodes that compute values from a tensor."""
        position, port = tensor
        return (user for user, used in self.users[position] if used == port and self.is_forward(user))

    def varying_inputs(self, position: int) -> list[Tensor]:
        """Return the tensors that a node takes and that depend on an input of the graph or on a variable."""
        return [tensor for tensor in self.producers[position] if self.inputs_of(tensor) or self._learned[tensor[0]]]

    def viewed(self, tensor: Tensor, views: Container[str]) -> Tensor:
        """Return the tensor that a tensor shows in another form, made by a chain of `views`."""
        for _ in range(MAX_STEPS):
            if self.ops[tensor[0]] not in views or not self.producers[tensor[0]]:
                break
            tensor = self.producers[tensor[0]][0]
        return tensor

    def name(self, tensor: Tensor) -> TensorName:
        return TensorName(self.index.nodes[tensor[0]].name, tensor[1])

    def is_fetchable(self, position: int) -> bool:
        """Return whether the value of a node can be fetched. A value in a loop cannot, unless it leaves the loop."""
        return self.ops[position] in EXIT or self.index.node_frames[position] is None

    def is_float(self, position: int) -> bool:
        """Return whether the attribute T of a node is a type of floats."""
        try:
            return attr(self.index.nodes[position], "T", DataType, None) in FLOATS
        except GraphError:  # which `check_graph` reports
            return False

    # --- sets of nodes -----------------------------------------------------------------------------------------------

    def ancestors(self, positions: Iterable[int], ends: Container[str] = ()) -> bytearray:
        """Return, by position, which nodes are at `positions`, or needed to compute these.

        What nodes of the ops `ends` need is not followed.
        """
        reached = bytearray(len(self.ops))
        stack = list(positions)
        while stack:
            position = stack.pop()
            if not reached[position]:
                reached[position] = True
                if self.ops[position] not in ends:
                    stack += [producer for producer, _ in self.producers[position]]
        return reached

    def value_ancestors(self, positions: Iterable[int]) -> bytearray:
        """Return, by position, which nodes are at `positions`, or give values to these, not only shapes."""
        return self.ancestors(positions, SHAPES | INITIALIZERS)

    def strict_ancestors(self, positions: Iterable[int]) -> bytearray:
        """Return, by position, which nodes are needed to compute other nodes, which are at `positions`."""
        return self.ancestors(producer for position in positions for producer, _ in self.producers[position])

    def strict_descendants(self, positions: Iterable[int], ends: Container[str] = ()) -> bytearray:
        """Return, by position, which nodes are computed from other nodes, which are at `positions`.

        What is computed from nodes of the ops `ends` is not followed.
        """
        return self._reached([user for position in positions for user, _ in self.users[position]], ends)

    def computed_from(self, tensors: Iterable[Tensor]) -> bytearray:
        """Return, by position, which nodes are computed from `tensors`, not only from other outputs of their nodes."""
        users = ((user, used == port) for position, port in tensors for user, used in self.users[position])
        return self._reached([user for user, is_used in users if is_used], ())

    def _reached(self, stack: list[int], ends: Container[str]) -> bytearray:
        reached = bytearray(len(self.ops))
        while stack:
            position = stack.pop()
            if not reached[position]:
                reached[position] = True
                if self.ops[position] not in ends:
                    stack += [user for user, _ in self.users[position]]
        return reached

    def needed_sources(self, tensors: Iterable[Tensor], is_closed: Callable[[Tensor], bool]) -> set[Tensor]:
        """Return the sources that have to be fed to compute `tensors`, also those that only checks on the way need.

        `is_closed` tells for a tensor that a Merge takes whether it comes from a branch that is never taken.
        """
        needed: set[Tensor] = set()
        seen: set[Tensor] = set()
        stack = list(tensors)
        while stack:
            tensor = stack.pop()
            if tensor in seen:
                continue
            seen.add(tensor)
            if self._is_source[tensor[0]]:
                needed.add(tensor)
            else:
                producers = self.producers[tensor[0]]
                is_merge = self.ops[tensor[0]] in MERGE
                stack += [producer for producer in producers if not (is_merge and is_closed(producer))]
                stack += [(producer, 0) for producer in self._awaited(tensor[0])]
        return needed

    def _awaited(self, position: int) -> set[int]:
        """Return the nodes that run before a node without giving it a value, such as checks of its inputs."""
        before = {source for source in self.index.sources[position] if source >= 0}  # others are missing
        return before.difference(self.index.data_sources[position])

    def weight_ops(self, region: bytearray) -> list[int]:
        """Return the nodes of a region that combine a value that depends on an input with weights.

        Weights depend on variables only. A reduction of weights is a penalty of a loss, not a weight. Neither is the
        deviation of a likelihood, which scales the difference of a result from an input:

            state -> network -> mean -> - action -> / deviation -> square -> loss

        Neither are the weights of classes that a loss draws, as with noise-contrastive estimation.
        """
        aside = self._scales, self.sampled
        return [node for node in self._combine_weights if region[node] and not any(nodes[node] for nodes in aside)]

    @cached_property
    def sampled(self) -> bytearray:
        """The nodes, by position, that depend on the classes that a loss draws to compare them with the true ones."""
        return self.strict_descendants(place for place, op in enumerate(self.ops) if op.endswith("CandidateSampler"))

    @cached_property
    def _combine_weights(self) -> list[int]:
        """The nodes that combine a value that depends on an input with one that depends on variables only."""
        return [
            position
            for position, tensors in enumerate(self.producers)
            if self.is_forward(position)
            and not self._is_source[position]
            and self.ops[position] not in SWITCH | MERGE
            and any(map(self.inputs_of, tensors))
            and any(map(self.is_weight, tensors))
        ]

    @cached_property
    def _scales(self) -> bytearray:
        """The nodes, by position, that scale and shift differences of results from other inputs, for losses alone."""
        applied = [position for position in self._combine_weights if self.ops[position] not in AFFINE]
        feeds_weights = self.ancestors(applied)
        differences = [
            position
            for position, op in enumerate(self.ops)
            if op in DIFFERENCES and not feeds_weights[position] and self._is_from_input(position)
        ]
        reached = self.strict_descendants(differences)
        for position in self._combine_weights:
            reached[position] &= self.ops[position] in AFFINE
        return reached

    def _is_from_input(self, position: int) -> bool:
        """Return whether a node subtracts a result and an input that the result does not need from each other.

        In place of the input, there may be a result through which no gradients flow, such as an action.
        """
        if not self.is_forward(position):
            return False
        if any(self.ops[producer] == "StopGradient" for producer, _ in self.producers[position]):
            return all(map(self.is_computed, self.producers[position]))
        results = [tensor for tensor in self.producers[position] if self.is_computed(tensor)]
        inputs = [tensor for tensor in self.producers[position] if not self._learned[tensor[0]]]
        return (
            len(results) == len(inputs) == 1
            and self.inputs_of(inputs[0]) != 0
            and not self.inputs_of(inputs[0]) & self.inputs_of(results[0])
        )

    def variables(self, region: bytearray) -> frozenset[int]:
        """Return the variables of a region."""
        return frozenset(position for position, op in enumerate(self.ops) if region[position] and op in ALL_VARIABLES)

    def variable(self, position: int) -> int:
        """Return the variable that weights are read from, or the node that computes them from several others."""
        for _ in range(MAX_STEPS):
            producers = self.producers[position]
            if self.ops[position] in ALL_VARIABLES or len(producers) != 1:
                break
            position = producers[0][0]
        return position

    @cached_property
    def copied_variables(self) -> dict[int, int]:
        """Return the variables that get their values from one other variable, with that variable.

        Examples are the target network of Q-learning and the moving averages of weights. A value may also be a weighted
        sum of both variables.
        """
        copied: dict[int, int] = {}
        for position, op in enumerate(self.ops):
            if op.startswith("Assign") and len(self.producers[position]) > 1:
                (variable, _), (value, _) = self.producers[position][:2]
                origins = self._origins(value) - {variable}
                if self.ops[variable] in ALL_VARIABLES and len(origins) == 1:
                    copied.setdefault(variable, *origins)
        return copied

    def _origins(self, position: int) -> set[int]:
        """Return the variables of which a value is a weighted sum; an empty set for any other value."""
        origins: set[int] = set()
        stack, steps = [position], 0
        while stack:
            position, steps = stack.pop(), steps + 1
            if self.ops[position] in ALL_VARIABLES:
                origins.add(position)
            elif self._learned[position] or self._depends[position]:
                if steps > MAX_STEPS or self.ops[position] not in AFFINE | PASS_THROUGH:
                    return set()
                stack += [producer for producer, _ in self.producers[position][:2]]
        return origins

    def is_weight(self, tensor: Tensor) -> bool:
        """Return whether a tensor depends on variables only, and is not a reduction of them."""
        return self.is_learned(tensor[0]) and not self.inputs_of(tensor) and not self._reduced[tensor[0]]
