"""Validate graphs: find every fault that keeps a graph from being run, as data.

    for fault in check_graph(graph, registry=OPS):
        print(fault)

    raise_faults(check_graph(graph))        # GraphError if there are any

The connections of nodes and their types are checked; shapes and values are not. `FaultKind` lists the faults. Functions
of the library are checked with the grammar of references in function bodies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal, TypeAlias

from ..errors import GraphError
from ..messages import DataType, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef
from ..ops.ports import REFERENCE_OFFSET, PortTypes
from ..ops.traits import ENTER, EXIT, LOOP_COND, MERGE, NEXT_ITERATION
from ..values.dtypes import dtype_name
from ..values.names import CONTROL, TensorName, data_inputs, is_control_input, is_plain_name
from .colocation import colocated_with
from .control_flow import Frame, frame_name, frame_of_outputs
from .error_text import Guesses, describe, list_names, quote
from .function_body import Outputs
from .functions import CALLERS, Functions, calls_without_name, function_name, repeated_argument
from .index import GraphIndex
from .reference_check import References
from .traversal import cycles

FaultKind: TypeAlias = Literal[
    "name",  # an empty name, or one that a node cannot have
    "duplicate",  # two nodes, two arguments of a function, or two functions, of one name
    "reference",  # an input, or a result of a function, that is not a reference
    "missing",  # a reference to a node that does not exist
    "port",  # a reference to an output that the op does not have
    "order",  # a tensor after a control input in the list of inputs
    "cycle",  # nodes that wait for each other without a loop; or a loop that nothing starts
    "frame",  # a tensor that enters or leaves a loop other than by Enter and Exit
    "function",  # a call of a function that does not exist, or a function with the name of an op
    "colocation",  # a colocation with a node that does not exist
    "result",  # a function that does not define one of its results
    "type",  # an input, or a result of a function, of another type than its op or signature declares
    # `tfmodel.analysis.import_check` finds these too:
    "unknown op",  # an op that is not declared
    "op",  # an op that the version of the graph does not allow
    "inputs",  # another number of inputs than the op takes
    "attribute",  # an attribute that is missing, of another kind, or not allowed
    "device",  # a device that is not a device specification
    "shape",  # inputs whose shapes contradict each other
    "version",  # a graph for other versions of TensorFlow
]

_is_name = re.compile(r"[A-Za-z0-9._][A-Za-z0-9_./-]*(?:>[A-Za-z0-9.][A-Za-z0-9_./-]*)*").fullmatch
MAX_FAULTS_SHOWN = 3
"""The most faults that one error lists."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: its kind, the node, and a sentence about it.

    `function` is the function that the node is in. If `node` is empty, the fault is in the function itself.
    """

    kind: FaultKind
    node: str
    message: str
    function: str = ""

    def __str__(self) -> str:
        return f"function {quote(self.function)}: {self.message}" if self.function else self.message


def raise_faults(faults: Iterable[Fault]) -> None:
    """Raise a GraphError that lists the first faults, if there are any."""
    all_faults = list(faults)
    if all_faults:
        hidden = len(all_faults) - MAX_FAULTS_SHOWN
        more = f"; and {hidden:,} more faults" if hidden > 0 else ""
        raise GraphError("; ".join(map(str, all_faults[:MAX_FAULTS_SHOWN])) + more)


def check_graph(
    graph: GraphDef,
    *,
    registry: Mapping[str, OpDef] | None = None,
    colocation: bool = True,
    types: bool = True,
    library: bool = True,
    since: GraphDef | None = None,
    index: GraphIndex | None = None,
) -> list[Fault]:
    """Return every fault of a graph and of its functions: kind by kind, in the order of the nodes.

    registry      declares ops by name (such as `tfmodel.ops.OPS`): ports and types are checked where the op is known
    colocation    whether to check `_class`, which reads an attribute of every node; this takes long if nodes were
                  decoded lazily
    types         whether to check types, which reads attributes too
    library       whether to check the functions
    since         the valid graph that this one was made from: nodes and functions that both graphs share are not
                  searched for faults of their own
    index         an index of the graph, if one exists
    """
    index = GraphIndex(graph) if index is None else index
    functions = index.functions
    check = _Check(functions, Outputs(functions, registry), _shared_ids(graph, since))
    faults = list(check.nodes(index))
    if types and registry is not None:
        faults += check.types(index)
    if colocation:
        faults += colocation_faults(index)
    if library and graph.library is not None and (since is None or graph.library is not since.library):
        faults += check.library(graph.library, registry)
        for function in graph.library.function:
            if id(function) not in check.shared:
                name = function_name(function)
                is_last = functions.get(name) is function
                body = index.body(name) if is_last else GraphIndex(function, functions)
                body_faults = chain(_arguments(function), check.nodes(body), check.results(body, function))
                if types and registry is not None:
                    body_faults = chain(body_faults, check.types(body, function))
                faults += [Fault(fault.kind, fault.node, fault.message, name) for fault in body_faults]
    return faults


def _shared_ids(graph: GraphDef, since: GraphDef | None) -> frozenset[int]:
    """Return the ids of the nodes and functions that a graph shares with `since`, the graph that it was made from.

    Empty if a signature changed, since all calls of that function have to be checked then.
    """
    if since is None:
        return frozenset()
    shared = map(id, since.node)
    if graph.library is since.library:
        return frozenset(shared)
    old = since.library.function if since.library is not None else []
    new = graph.library.function if graph.library is not None else []
    if [id(function.signature) for function in old] != [id(function.signature) for function in new]:
        return frozenset()
    return frozenset(chain(shared, map(id, old)))


@dataclass(frozen=True)
class _Check:
    functions: Functions
    outputs: Outputs
    shared: frozenset[int]
    """The ids of nodes and functions without faults of their own."""
    guess: Guesses = field(default_factory=Guesses)

    @cached_property
    def port_types(self) -> PortTypes:
        return PortTypes(self.outputs.declared)

    def nodes(self, index: GraphIndex) -> Iterator[Fault]:
        """Yield the faults of the nodes of a graph or function."""
        new = [node for node in index.nodes if id(node) not in self.shared]
        yield from _names(index, new)
        yield from self._references(index, new)
        with_controls = (index.nodes[position] for position in index.with_controls)
        yield from _order(node for node in with_controls if id(node) not in self.shared)
        yield from _starts(index)
        yield from _cycles(index)
        yield from _frames(index)
        yield from self._calls(new)

    def _references(self, index: GraphIndex, new: list[NodeDef]) -> Iterator[Fault]:
        references = References(index, self.outputs)
        problems = {text: problem for text in self._suspects(index, new) if (problem := references.problem(text))}
        for node in index.nodes if problems else ():
            if problems.keys().isdisjoint(node.input):
                continue
            for text in node.input:
                if text in problems:
                    kind, message = problems[text]
                    yield Fault(kind, node.name, f"{describe(node)}: {message}")

    def _suspects(self, index: GraphIndex, new: list[NodeDef]) -> Iterator[str]:
        """Yield the references that may be wrong, each once. Some strings may be names that nothing refers to."""
        inputs = set(chain.from_iterable(node.input for node in (index.nodes if index.in_body else new)))
        if index.in_body:
            yield from inputs
            return
        for text, source in index.spellings.items():
            if source < 0:
                yield text
            elif not is_control_input(text) and (text in inputs or id(index.nodes[source]) not in self.shared):
                is_name = text in index.positions
                if not (is_name and self.outputs.has_first(index.nodes[source].op)):
                    yield text

    def _calls(self, nodes: Iterable[NodeDef]) -> Iterator[Fault]:
        for node in nodes:
            if node.op not in CALLERS and node.op not in self.functions:
                continue
            if calls_without_name(node):
                yield Fault("function", node.name, f"{describe(node)} calls a function without a name")
            for name in dict.fromkeys(self.functions.called_by(node)):
                if name not in self.functions:
                    message = f"{describe(node)} calls a function {quote(name)}, which is not in the library"
                    yield Fault("function", node.name, message + self.guess(name, self.functions))

    def types(self, index: GraphIndex, function: FunctionDef | None = None) -> Iterator[Fault]:
        """Yield the faults of types in a graph, or in a function."""
        type_of = _TensorTypes(index, self.outputs, self.port_types, function)
        types_of_inputs = self.port_types.of_inputs
        for node in index.nodes:
            if id(node) in self.shared or not (texts := data_inputs(node)):
                continue
            try:
                expected = types_of_inputs(node)
            except GraphError:  # of an attribute
                continue
            if expected is None or len(expected) != len(texts):
                continue
            for text, dtype in zip(texts, expected, strict=True):
                actual = type_of[text]
                if actual is not dtype and not _is_accepted(actual, dtype):
                    problem = f"its input {quote(text)} is {dtype_name(actual or 0)}, not {dtype_name(dtype or 0)}"
                    yield Fault("type", node.name, f"{describe(node)}: {problem}")
        if function is None or function.signature is None:
            return
        for result in function.signature.output_arg:
            actual = type_of[function.ret[result.name]] if result.name in function.ret else None
            if not _is_accepted(actual, result.type or None):
                problem = f"its result {quote(result.name)} is {dtype_name(actual or 0)}, not {dtype_name(result.type)}"
                yield Fault("type", "", problem)

    def library(self, library: FunctionDefLibrary, registry: Mapping[str, OpDef] | None) -> Iterator[Fault]:
        """Yield the faults of the library as a whole."""
        seen: dict[str, FunctionDef] = {}
        for function in library.function:
            name = function_name(function)
            if not name:
                yield Fault("name", "", "a function of the library has no name")
            elif (first := seen.setdefault(name, function)) is not function and first != function:
                yield Fault("duplicate", "", "another function has this name", name)
            elif registry is not None and name in registry and registry[name] != function.signature:
                yield Fault("function", "", "this is the name of an op", name)
        gradients = [name for row in library.gradient for name in (row.function_name, row.gradient_func)]
        gradients += [row.gradient_func for row in library.registered_gradients]
        for name in dict.fromkeys(gradients):
            if name not in self.functions:
                message = f"the function {quote(name)} of a gradient is not in the library"
                yield Fault("function", "", message + self.guess(name, self.functions))

    def results(self, index: GraphIndex, function: FunctionDef) -> Iterator[Fault]:
        """Yield the faults of the results of a function."""
        references = References(index, self.outputs)
        results = [result.name for result in function.signature.output_arg] if function.signature is not None else []
        for name in results:
            if name not in function.ret:
                yield Fault("result", "", f"it does not define its result {quote(name)}")
        for name, text in function.ret.items():
            if problem := references.problem(text, f"its result {quote(name)}, ", control=False):
                yield Fault(problem[0], "", problem[1])
        for name, node in function.control_ret.items():
            if node not in index:
                message = f"there is no node {quote(node)} for its control output {quote(name)}"
                yield Fault("missing", "", message + self.guess(node, index.positions))


class _TensorTypes(dict[str, "DataType | None"]):
    """The types of tensors by reference; None where a type is unknown."""

    def __init__(
        self, index: GraphIndex, outputs: Outputs, port_types: PortTypes, function: FunctionDef | None
    ) -> None:
        super().__init__()
        self._index = index
        self._outputs = outputs
        self._port_types = port_types
        signature = function.signature if function is not None else None
        arguments = signature.input_arg if signature is not None else ()
        self._arguments = {argument.name: argument.type or None for argument in arguments}

    def __missing__(self, text: str) -> DataType | None:
        try:
            name, port, output = (text, 0, "") if is_plain_name(text) else TensorName.parse(text)
            self[text] = dtype = self._type(name, port, output)
        except GraphError:  # a fault of another kind
            self[text] = dtype = None
        return dtype

    def _type(self, name: str, port: int, output: str) -> DataType | None:
        if name in self._arguments:
            return self._arguments[name]
        node = self._index.get(name)
        types = self._port_types.of_outputs(node) if node is not None and port != CONTROL else None
        if node is None or types is None:
            return None
        if output:
            port = self._outputs.port(node, output, port)
        return types[port] if port < len(types) else None


def _is_accepted(actual: DataType | None, expected: DataType | None) -> bool:
    """Return whether an input of the type `expected` accepts a tensor of the type `actual`, or of a reference to it."""
    return actual is None or expected is None or expected in (actual, actual - REFERENCE_OFFSET)


def _arguments(function: FunctionDef) -> Iterator[Fault]:
    repeated = repeated_argument(function)
    if repeated is not None:
        yield Fault("duplicate", "", f"two arguments have the name {quote(repeated)}")


def _names(index: GraphIndex, new: Iterable[NodeDef]) -> Iterator[Fault]:
    arguments = frozenset(index.arguments)
    distinct = len(index.positions) == len(index) and arguments.isdisjoint(index.positions)
    seen: set[str] = set()
    for node in new if distinct else index.nodes:
        if not _is_name(node.name):
            problem = "has a name that nodes cannot have" if node.name else "has no name"
            yield Fault("name", node.name, f"{describe(node)} {problem}")
        if node.name in seen:
            yield Fault("duplicate", node.name, f"{describe(node)}: another node has this name")
        if node.name in arguments:
            yield Fault("duplicate", node.name, f"{describe(node)}: an argument has this name")
        seen.add(node.name)


def _order(nodes: Iterable[NodeDef]) -> Iterator[Fault]:
    for node in nodes:
        data = data_inputs(node)
        if node.input[: len(data)] != data:
            controls = [is_control_input(text) for text in node.input]
            text = node.input[controls.index(False, controls.index(True))]
            yield Fault("order", node.name, f"{describe(node)}: its input {quote(text)} comes after a control input")


def _starts(index: GraphIndex) -> Iterator[Fault]:
    """Yield a fault for each Merge whose tensors all come from NextIteration nodes, so that its loop cannot start."""
    kinds = index.control_flow
    for position, op in kinds.items():
        if op in MERGE:
            node = index.nodes[position]
            inputs = zip(node.input, index.sources[position], strict=True)
            if all(is_control_input(text) or kinds.get(source) in NEXT_ITERATION for text, source in inputs):
                yield Fault("cycle", node.name, f"{describe(node)} has no input from outside")


def _cycles(index: GraphIndex) -> Iterator[Fault]:
    if index.is_sorted or len(index.forward_order) == len(index):
        return
    left = set(range(len(index))).difference(index.forward_order)
    for loop in cycles(left, index.forward_targets):
        names = [index.nodes[position].name for position in loop]
        if len(names) == 1:
            message = f"{describe(index.nodes[loop[0]])} waits for itself"
        else:
            message = f"{describe(index.nodes[loop[0]])} waits for itself through {list_names(names[1:])}"
        yield Fault("cycle", names[0], message)


def _frames(index: GraphIndex) -> Iterator[Fault]:
    kinds = index.control_flow
    for position in kinds:
        node = index.nodes[position]
        if node.op in ENTER and not frame_name(node):
            yield Fault("frame", node.name, f"{describe(node)} has no frame_name, which names its loop")
        if node.op in EXIT | NEXT_ITERATION | LOOP_COND and index.node_frames[position] is None:
            yield Fault("frame", node.name, f"{describe(node)} is not in a loop")
    if not index.frames:
        return
    sorted_positions = set(index.forward_order)
    for position, node in enumerate(index.nodes):
        if position not in sorted_positions:
            continue  # in a cycle or after one: its frame is not known
        frame = index.node_frames[position]
        expected = frame.parent if frame is not None and node.op in ENTER else frame
        for text, source in zip(node.input, index.sources[position], strict=True):
            if source not in sorted_positions:
                continue
            actual = frame_of_outputs(index.node_frames[source], kinds.get(source, ""))
            if actual is not expected:
                message = f"its input {quote(text)} is {_place(actual)}, the others are {_place(expected)}"
                yield Fault("frame", node.name, f"{describe(node)}: {message}")


def _place(frame: Frame | None) -> str:
    return "outside of loops" if frame is None else f"in the loop {quote('/'.join(frame.path[-3:]))}"


def colocation_faults(index: GraphIndex) -> Iterator[Fault]:
    """Yield the faults of the `_class` of nodes, as `check_graph` does."""
    guess = Guesses()
    for node in index.nodes:
        for name in colocated_with(node):
            if name not in index:
                message = f"{describe(node)} is colocated with {quote(name)}, which does not exist"
                yield Fault("colocation", node.name, message + guess(name, index.positions))
