"""Shape inference: apply a rule to each node, producers first, repeat loops until nothing changes, and enter functions.

In a loop of TensorFlow 1, the output of a Merge first has the shape that enters the loop. Each time the loop is
repeated, the output gets the most precise shape that covers both the entering shape and the shape after the last
iteration. This can only make dimensions unknown, and a shape that no longer changes holds for all iterations. Only
nodes whose inputs changed are inferred again, in topological order. The outputs of a node that changes more than
MAX_CHANGES times become unknown, so the work is linear in the size of the graph.

The body of a function is inferred for the arguments of each call. The results are cached, so calls with the same
arguments are inferred once. The depth of calls and the number of visited nodes are limited, since a few functions that
call each other twice could take exponential time. Beyond the limits, outputs are unknown.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from pbwire import Error
from pbwire.collection import PausedCollection

from ...errors import GraphError, Hint
from ...graph import ARGUMENT, GraphIndex, describe
from ...messages import FunctionDef, GraphDef, NodeDef, OpDef
from ...ops import Registry, output_types, registry
from ...ops.input_ranks import CHECKED_WHEN_RUN, check_ranks
from ...ops.traits import MERGE, PLACEHOLDERS
from ...values.names import TensorName, has_port
from ...values.shape import MAX_DIMENSIONS, MAX_SIZE, Shape, is_known, merge_shapes, shape_of_proto
from ..shape_rules.control_flow import call_by_op
from ..shape_rules.partial_tensors import UNKNOWN, Repeated, Tensor
from ..shape_rules.table import Call, Result, shape_rules
from .inferred_shapes import Shapes

IN_CYCLE = "it is in a cycle, or behind one"
"""The problem of nodes that the topological order lacks."""

MAX_CHANGES = 8
"""The number of times that the outputs of a node may change before they become unknown."""

MAX_OUTPUTS = 1 << 16
"""The caller may set the shapes of outputs below this number, which is assumed to be that of undeclared ops."""


def infer_shapes(
    graph: GraphDef | GraphIndex,
    inputs: Mapping[str, Sequence[int | None] | None] | Mapping[TensorName, Sequence[int | None] | None] | None = None,
    batch_size: int | None = None,
    *,
    trust_output_shapes: bool | None = None,
    like: Shapes | None = None,
    functions: Shapes | None = None,
) -> Shapes:
    """Infer the shapes of all tensors of a graph, which may be given by its index. The graph is not changed.

    inputs                 shapes of placeholders, or of other tensors, that replace the inferred ones. None and -1 are
                           unknown dimensions
    batch_size             replaces an unknown first dimension of placeholders
    trust_output_shapes    whether the attribute `_output_shapes`, which some programs write, completes inferred shapes
                           that are not fully known. True: for all nodes. False: never. None: only for placeholders,
                           which have no other shape in old graphs
    like                   shapes that were inferred for the same index with the same trust: only what changes is
                           inferred again
    functions              shapes that were inferred for a graph with the same functions, with the same trust: what was
                           found about these is taken

    A contradiction in the graph is not an error: `Shapes.problems` lists the node, and the shapes of its outputs are
    unknown. Raises GraphError if a tensor of `inputs` does not exist, or if no placeholder has the batch size. Raises
    ValueError for other negative sizes than -1.
    """
    index = graph if isinstance(graph, GraphIndex) else GraphIndex(graph)
    content = index.graph
    if isinstance(content, FunctionDef):
        raise TypeError("shapes are inferred for a graph, not for the body of a function")
    ops = registry(content)
    overrides = _set_shapes(index, inputs or {}, ops)
    if batch_size is not None and batch_size < 0:
        raise ValueError(f"batch_size must be >= 0, got {batch_size}")
    producer = content.versions.producer if content.versions is not None else 0
    found = like or functions
    results = found.results if found is not None else None
    library = Library(index, ops, producer, trust_output_shapes, Inference, results)
    inference = Inference(index, library, {}, overrides, batch_size)
    with PausedCollection():
        inference.run(like.inference if like is not None else None)
    shapes = Shapes(inference)
    if batch_size is not None:
        _check_batch(content, shapes, batch_size)
    return shapes


def _check_batch(graph: GraphDef, shapes: Shapes, batch_size: int) -> None:
    """Raise GraphError if no placeholder has this batch size as its first dimension."""
    placeholder_shapes = [shapes[node.name] for node in graph.node if node.op in PLACEHOLDERS]
    if not any(shape is not None and tuple(shape)[:1] == (batch_size,) for shape in placeholder_shapes):
        reason = "no input has a shape whose first dimension is open" if placeholder_shapes else "there are no inputs"
        raise GraphError(Hint.BATCH_SIZE(size=batch_size), f", but {reason}: leave it out")


def _set_shapes(
    index: GraphIndex, inputs: Mapping[Any, Sequence[int | None] | None], ops: Registry
) -> dict[tuple[int, int], Shape | None]:
    """Return the shapes that the caller sets, by the position of the node and the port."""
    overrides: dict[tuple[int, int], Shape | None] = {}
    for name, shape in inputs.items():
        tensor = name if isinstance(name, TensorName) else TensorName.parse(name)
        _check_port(index[tensor.node], tensor, ops)
        sizes = None if shape is None else tuple(None if size in (None, -1) else int(size) for size in shape)
        if sizes is not None and any(size is not None and size < 0 for size in sizes):
            raise ValueError(f"sizes must be >= 0, or None or -1 if unknown, got {shape}")
        overrides[index.position(tensor.node), tensor.port] = sizes
    return overrides


def _check_port(node: NodeDef, tensor: TensorName, ops: Registry) -> None:
    op = ops.get(node.op)
    count = len(output_types(node, op)) if op is not None else MAX_OUTPUTS
    if not 0 <= tensor.port < min(count, MAX_OUTPUTS):
        raise GraphError(f'{describe(node)} has no output "{tensor}" whose shape could be set')


class Inference:
    """The inference of a graph, or of the body of a function for some arguments.

    outputs     by position of a node in the graph: its output tensors. Trailing outputs of unknown shape may be left
                out. None for a node that is not inferred yet
    problems    by position: the message of each node that has a problem
    bodies      by position: the inferences of the functions that a node calls, by the names of the functions

    only_when_run has the positions of problems that TensorFlow finds only when it runs the node.
    """

    def __init__(
        self,
        index: GraphIndex,
        library: Library,
        arguments: Mapping[str, Sequence[Tensor]],
        overrides: Mapping[tuple[int, int], Shape | None] | None = None,
        batch_size: int | None = None,
    ) -> None:
        self.index = index
        self.library = library
        self.outputs: list[Sequence[Tensor] | None] = [None] * len(index)
        self.problems: dict[int, str] = {}
        self.only_when_run: set[int] = set()
        self.bodies: dict[int, dict[str, Inference]] = {}
        self._arguments = arguments
        self._overrides: dict[int, dict[int, Shape | None]] = {}
        for (position, port), shape in (overrides or {}).items():
            self._overrides.setdefault(position, {})[port] = shape
        self._batch_size = batch_size
        self._called: dict[str, Inference] = {}  # of the node that is being inferred
        self._ports: dict[str, int] = {}
        self._rules = shape_rules()

    @property
    def ops(self) -> Registry:
        return self.library.ops

    # --- all nodes ---------------------------------------------------------------------------------------------------

    def run(self, like: Inference | None = None) -> None:
        """Infer all nodes. `like` is an inference of the same graph."""
        order = self.index.forward_order
        if like is not None and MERGE.isdisjoint(self.index.control_flow.values()):
            self._infer_changes(order, like)
            return
        if len(order) < len(self.index):
            for position in set(range(len(self.index))).difference(order):
                self.outputs[position] = ()
                self.problems[position] = IN_CYCLE
        for position in order:
            self.outputs[position] = self._infer_node(position)
        self._repeat_loops(order)

    def _infer_changes(self, order: list[int], like: Inference) -> None:
        """Take the outputs of `like`, and infer those nodes again whose inputs change, or whose shapes were or are set.

        The graph has no loops of TensorFlow 1.
        """
        self.outputs = [*like.outputs]
        self.problems = {**like.problems}
        self.only_when_run = {*like.only_when_run}
        self.bodies = {**like.bodies}
        nodes, sources = self.index.nodes, self.index.sources
        set_again = self._overrides.keys() | like._overrides.keys()
        if self._batch_size is not None or like._batch_size is not None:
            set_again |= {position for position, node in enumerate(nodes) if node.op in PLACEHOLDERS}
        changed: set[int] = set()
        for position in order:
            if position in set_again or not changed.isdisjoint(sources[position]):
                self.bodies.pop(position, None)
                outputs = self._infer_node(position)
                if outputs != self.outputs[position]:
                    changed.add(position)
                    self.outputs[position] = outputs

    def _repeat_loops(self, order: list[int]) -> None:
        """Infer the nodes of loops again until nothing changes."""
        dirty = [position for position, op in self.index.control_flow.items() if op in MERGE]
        if not dirty:
            return
        ranks = {position: rank for rank, position in enumerate(order)}
        heap = sorted(ranks[position] for position in dirty if position in ranks)
        waiting = set(heap)
        changes: dict[int, int] = {}
        while heap:
            rank = heapq.heappop(heap)
            waiting.discard(rank)
            position = order[rank]
            outputs = self._infer_node(position)
            if outputs == self.outputs[position]:
                continue
            changes[position] = changes.get(position, 0) + 1
            if changes[position] > MAX_CHANGES:
                if not self.outputs[position]:
                    continue
                outputs = ()
            self.outputs[position] = outputs
            for target in self.index.targets[position]:
                rank = ranks.get(target, -1)
                if rank >= 0 and rank not in waiting:
                    waiting.add(rank)
                    heapq.heappush(heap, rank)

    # --- one node ----------------------------------------------------------------------------------------------------

    def _infer_node(self, position: int) -> Sequence[Tensor]:
        """Return the outputs of a node. If it has a problem, record it in `problems`."""
        node = self.index.nodes[position]
        self.problems.pop(position, None)
        self.only_when_run.discard(position)
        outputs: Sequence[Tensor] = ()
        try:
            inputs = self._inputs(position)
            if node.op not in self.library.names:
                check_ranks(node.op, [tensor.shape for tensor in inputs])
            try:
                outputs = self._apply_rule(position, node, inputs)
            except Error:
                if node.op in CHECKED_WHEN_RUN:
                    self.only_when_run.add(position)
                raise
        except Error as error:  # of the graph, or of attributes, which are decoded only now
            self.problems[position] = str(error)
        trusts = self.library.trust_output_shapes
        if trusts or (trusts is None and node.op in PLACEHOLDERS):
            outputs = _add_output_shapes(node, outputs)
        if self._batch_size is not None and node.op in PLACEHOLDERS:
            outputs = [_set_batch_size(tensor, self._batch_size) for tensor in outputs]
        if position in self._overrides:
            outputs = _apply_overrides(outputs, self._overrides[position])
        return outputs

    def _apply_rule(self, position: int, node: NodeDef, inputs: list[Tensor]) -> Sequence[Tensor]:
        rule = self._rules.get(node.op)
        if node.op in self.library.names:
            rule = call_by_op
        if rule is None:
            return ()
        self._called = {}
        outputs = _check_result(rule(Call(node, inputs, self.library.producer, self._run)))
        if self._called:
            self.bodies[position] = self._called
        return outputs

    def _run(self, name: str, arguments: list[Tensor]) -> Sequence[Tensor]:
        """Return the outputs of a function that the current node calls."""
        outputs, body = self.library.run(name, arguments)
        if body is not None:
            self._called[name] = body
        return outputs

    def _inputs(self, position: int) -> list[Tensor]:
        """Return the input tensors of a node. The inputs of a Merge that are not inferred yet are left out."""
        inputs = []
        for text, source in self.index.data_references(position):
            if source >= 0:
                outputs = self.outputs[source]
                if outputs is None:
                    continue
                port = self.port(text) if has_port(text) else 0
                inputs.append(outputs[port] if port < len(outputs) else UNKNOWN)
            elif source == ARGUMENT:
                inputs.append(self.argument(text))
            else:
                inputs.append(UNKNOWN)
        return inputs

    # --- references --------------------------------------------------------------------------------------------------

    def argument(self, text: str) -> Tensor:
        """Return the tensor of the function argument to which an input refers."""
        name = TensorName.parse(text)
        tensors = self._arguments.get(name.node, ())
        return tensors[name.port] if 0 <= name.port < len(tensors) else UNKNOWN

    def port(self, text: str) -> int:
        """Return the number of the output to which an input refers, counted over all outputs of its node."""
        port = self._ports.get(text)
        if port is None:
            name = TensorName.parse(text)
            port = name.port
            op = self.ops.get(self.index[name.node].op) if name.output else None
            if op is not None:
                port += output_types(self.index[name.node], op).port(name.output)
            self._ports[text] = port
        return port

    def tensor(self, text: str) -> Tensor:
        """Return the tensor to which an input refers. Raises GraphError if its node does not exist."""
        if not has_port(text) and (position := self.index.positions.get(text)) is not None and not self.index.arguments:
            outputs = self.outputs[position]  # the usual case
            return outputs[0] if outputs else UNKNOWN
        name = TensorName.parse(text)
        if name.node in self.index.arguments:
            return self.argument(text)
        outputs = self.outputs[self.index.position(name.node)] or ()
        port = self.port(text) if name.output else name.port
        return outputs[port] if 0 <= port < len(outputs) else UNKNOWN


# --- results of rules ------------------------------------------------------------------------------------------------


def _check_result(result: Result) -> Sequence[Tensor]:
    """Return the result of a rule as tensors. Raises GraphError for a shape that TensorFlow does not allow."""
    if isinstance(result, list):
        return [_to_tensor(tensor) for tensor in result]
    if isinstance(result, Repeated):
        return Repeated(_to_tensor(result[0]), len(result)) if result else ()
    return [_to_tensor(result)]


def _to_tensor(result: Shape | Tensor | None) -> Tensor:
    tensor = result if isinstance(result, Tensor) else Tensor(result)
    shape = tensor.shape
    if shape:
        if len(shape) > MAX_DIMENSIONS:
            raise GraphError(f"it would have {len(shape):,} dimensions")
        for size in shape:
            if size is not None and size < 0:
                raise GraphError(f"it would have a dimension of size {size:,}")
            if size is not None and size > MAX_SIZE:
                raise GraphError("it would have a dimension that is too large")
    return tensor


def _set_batch_size(tensor: Tensor, size: int) -> Tensor:
    shape = tensor.shape
    return Tensor((size, *shape[1:])) if shape and shape[0] is None else tensor


def _apply_overrides(outputs: Sequence[Tensor], overrides: Mapping[int, Shape | None]) -> Sequence[Tensor]:
    """Return the outputs with the shapes that the caller set."""
    tensors = list(outputs[: max(overrides) + 1])
    tensors += [UNKNOWN] * (max(overrides) + 1 - len(tensors))
    for port, shape in overrides.items():
        value = tensors[port].value if shape == tensors[port].shape else None
        tensors[port] = Tensor(shape, value, tensors[port].handle)
    return tensors if len(tensors) >= len(outputs) else [*tensors, *outputs[len(tensors) :]]


def _add_output_shapes(node: NodeDef, outputs: Sequence[Tensor]) -> Sequence[Tensor]:
    """Return the outputs. The attribute `_output_shapes` completes inferred shapes that are not fully known."""
    attribute = node.attr.get("_output_shapes")
    if attribute is None or (outputs and all(map(is_known, [tensor.shape for tensor in outputs]))):
        return outputs
    if attribute.list is None:
        return outputs
    declared = [shape_of_proto(shape) for shape in attribute.list.shape]
    tensors = list(outputs) + [UNKNOWN] * (len(declared) - len(outputs))
    for port, shape in enumerate(declared):
        with suppress(GraphError):  # if the shapes contradict each other, the inferred one counts
            tensors[port] = tensors[port]._replace(shape=merge_shapes(tensors[port].shape, shape))
    return tensors


def says_more(shapes: Shapes, *, uncalled: bool = True) -> bool:
    """Return whether `_output_shapes` says more than shapes that were inferred without trust in this attribute.

    If it does not for any node, shapes inferred with trust would be the same; without `uncalled`, but for those in
    functions that are not called.
    """
    bodies = [body for calls in shapes.in_functions(uncalled=uncalled).values() for body in calls]
    for inference in (body.inference for body in [shapes, *bodies]):
        for node, outputs in zip(inference.index.nodes, inference.outputs, strict=True):
            if "_output_shapes" in node.attr:
                known = outputs or ()
                completed = _add_output_shapes(node, known)
                if completed is not known and list(completed) != list(known):
                    return True
    return False


# --- functions -------------------------------------------------------------------------------------------------------


MAX_CALL_DEPTH = 40
"""The maximum depth of nested calls."""

MAX_TIMES = 20
"""The maximum number of visits per node of a function, on average."""

MIN_NODE_LIMIT = 10_000
"""The number of nodes in functions that may always be visited, even if the functions are small."""


Results: TypeAlias = "dict[tuple[str, tuple[Tensor, ...]], tuple[Sequence[Tensor], Inference | None]]"


class Library:
    """The functions of a graph, with the cache and the limits of their inference.

    index                  the index of the graph, which makes those of the bodies
    functions, names       the functions by name, and the set of the names
    ops                    the declarations of ops
    producer               the version of the graph's producer
    trust_output_shapes    see `infer_shapes`
    inference              the class that infers bodies
    results                the outputs and the inferences of bodies, by function and arguments
    """

    def __init__(
        self,
        index: GraphIndex,
        ops: Registry,
        producer: int,
        trust_output_shapes: bool | None,
        inference: type[Inference],
        results: Results | None = None,
    ) -> None:
        self.index = index
        self.functions = index.functions
        self.names = frozenset(index.functions)
        self.ops = ops
        self.producer = producer
        self.trust_output_shapes = trust_output_shapes
        self._inference = inference
        self.results: Results = {} if results is None else results
        self._depth = 0
        self._nodes_left = MIN_NODE_LIMIT + MAX_TIMES * self.functions.node_count

    def run(self, name: str, arguments: list[Tensor]) -> tuple[Sequence[Tensor], Inference | None]:
        """Return the outputs of a function for these arguments, and the inference of its body.

        They are () and None for an unknown function, for a recursive call with the same arguments, and beyond the
        limits.
        """
        key = name, tuple(arguments)
        if key in self.results:
            return self.results[key]
        function = self.functions.get(name)
        if function is None or function.signature is None or self._depth >= MAX_CALL_DEPTH or self._nodes_left <= 0:
            return (), None
        self.results[key] = (), None  # for recursive calls
        self._depth += 1
        self._nodes_left -= len(function.node_def) + 1
        try:
            self.results[key] = self._infer_body(name, function, arguments)
        finally:
            self._depth -= 1
        return self.results[key]

    def _infer_body(self, name: str, function: FunctionDef, arguments: list[Tensor]) -> tuple[Sequence[Tensor], Any]:
        index = self.index.body(name)
        signature: Any = function.signature
        fits = len(arguments) == len(index.arguments) and not _has_lists(signature.input_arg)
        tensors = (
            {argument: [tensor] for argument, tensor in zip(index.arguments, arguments, strict=True)} if fits else {}
        )
        body = self._inference(index, self, tensors)
        body.run()
        if _has_lists(signature.output_arg):
            return (), body
        results = [function.ret.get(output.name) for output in signature.output_arg]
        return [UNKNOWN if result is None else body.tensor(result) for result in results], body


def _has_lists(arguments: Iterable[OpDef.ArgDef]) -> bool:
    """Return whether an argument or result is a list of tensors, whose length is an attribute of the call."""
    return any(argument.number_attr or argument.type_list_attr for argument in arguments)
