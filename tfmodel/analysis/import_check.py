"""Tell what TensorFlow refuses when it imports a graph, and nothing else.

    import_faults(graph, OPS)           # [Fault("type", "y", 'Relu "y": its input "x" is float32, not int32')]

`import_graph_def` and the loaders of SavedModels and MetaGraphs refuse

    nodes         names that nodes cannot have, or that two nodes have; devices that are not device specifications
    inputs        references to nodes or outputs that do not exist, control inputs before tensors, cycles that are not
                  loops, numbers and types of inputs that the op does not take, values in place of references
    ops           ops that neither TensorFlow nor the model declares, and ops that the graph's version does not allow
    attributes    missing, of another kind, or with a value that the op does not allow
    shapes        that contradict each other, as far as shape inference finds it
    functions     the same, in functions that calls reach: PartitionedCall, StatefulPartitionedCall, and nodes whose op
                  is a function; such calls with fewer inputs or outputs than the function. Functions with the name of
                  an op, or of another function

Other faults come to light when the graph runs: attributes that the op does not declare, a constant with the wrong
number of values, a branch, loop body or function of a dataset that is not valid, a call of a function that does not
exist, a call with other types than its function has, a frame that is entered or left other than by Enter and Exit.
`tfmodel.reports.check` reports them all. tests/golden/importing has the answers of TensorFlow 2.12 to a few hundred
changed graphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from pbwire.errors import DecodeError

from ..errors import GraphError
from ..graph import CALLERS, Fault, FaultKind, Functions, GraphIndex, attr, check_graph, colocated_with, describe
from ..graph.error_text import Guesses, quote, with_node
from ..graph.inlined_calls import called_function
from ..messages import DataType, FunctionDef, GraphDef, NodeDef, OpDef, TensorShapeProto
from ..ops import OPS, output_types
from ..ops.declared_attributes import attribute_problems, colocation_problem
from ..ops.definitions import GRAPH_VERSION
from ..ops.ports import input_types
from ..ops.traits import CALLS, MERGE, NEXT_ITERATION, traits
from ..values.dtypes import dtype_name
from ..values.names import TensorName, data_inputs, node_name
from ..values.shape import Shape, merge_shapes, shape_of_proto
from .shapes import IN_CYCLE, Shapes, infer_shapes

_NOT_IN_BODIES = frozenset({"frame", "name", "colocation"})
"""Faults that TensorFlow does not look for in the bodies of functions."""


def import_faults(graph: GraphDef, ops: Mapping[str, OpDef]) -> list[Fault]:
    """Return the reasons for which TensorFlow refuses to import a graph; none if it imports it.

    `ops` declare all ops of the graph by name: see `tfmodel.ops.registry`.
    """
    index = GraphIndex(graph)
    functions = index.functions
    called = _called(graph.node, functions)
    faults = [fault for fault in check_graph(graph, registry=ops, index=index) if _is_refused(fault, called)]
    declared = _Declarations(functions, ops, graph.versions.producer if graph.versions is not None else 0)
    faults += declared.faults(graph.node)
    for name, function in called.items():
        faults += [*declared.faults(function.node_def, name), *_placeholders(function, name)]
    faults += [*_versions(graph), *_names(graph.node), *_devices(graph.node)]
    faults += [Fault("function", "", "this is the name of an op", name) for name in functions if name in OPS]
    if not faults:
        faults += [*_handles(graph), *_shapes(index, called, ops)]
    return list(dict.fromkeys(faults))


def _placeholders(function: FunctionDef, name: str) -> Iterator[Fault]:
    """Yield a fault for each attribute of a node that a caller should set, and that the function does not declare."""
    known = {row.name for row in function.signature.attr} if function.signature is not None else set()
    for node in function.node_def:
        for key, value in node.attr.items():
            if value.placeholder is not None and value.placeholder not in known:
                problem = f"its attribute {quote(key)} is {quote(value.placeholder)}, which no call sets"
                yield Fault("attribute", node.name, f"{describe(node)}: {problem}", name)


def _called(nodes: Iterable[NodeDef], functions: Functions) -> dict[str, FunctionDef]:
    """Return the functions that TensorFlow instantiates when it imports the nodes, by name."""
    called: dict[str, FunctionDef] = {}
    queue = list(nodes) if functions else []
    for node in queue:  # the loop appends to it
        with suppress(GraphError):  # of an attribute
            name = called_function(node, functions)
            function = functions.get(name) if name not in called else None
            if function is not None:
                called[name] = function
                queue += function.node_def
    return called


def _is_refused(fault: Fault, called: Mapping[str, FunctionDef]) -> bool:
    """Return whether TensorFlow refuses a graph with a fault, and does not only fail to run it."""
    if fault.kind == "function":
        return not fault.node and not fault.function  # a gradient; the names of functions are checked here
    if fault.kind == "name":
        return False  # checked here
    if fault.function:
        is_called = fault.function in called and fault.kind not in _NOT_IN_BODIES
        return is_called or (fault.kind == "duplicate" and not fault.node)
    return fault.kind != "frame"


_is_name = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_./-]*(?:>[A-Za-z0-9.][A-Za-z0-9_./-]*)*").fullmatch
"""The names of imported nodes. Names that begin with "_" are those of nodes that TensorFlow adds to its own graphs."""


def _names(nodes: Iterable[NodeDef]) -> Iterator[Fault]:
    for node in nodes:
        if not _is_name(node.name):
            problem = "has a name that imported nodes cannot have" if node.name else "has no name"
            yield Fault("name", node.name, f"{describe(node)} {problem}")


def _versions(graph: GraphDef) -> Iterator[Fault]:
    versions = graph.versions
    if versions is not None and versions.min_consumer > GRAPH_VERSION:
        problem = (
            f"the graph needs version {versions.min_consumer:,} of graphs, and TensorFlow 2.12 has {GRAPH_VERSION:,}"
        )
        yield Fault("version", "", problem)
    if versions is not None and GRAPH_VERSION in versions.bad_consumers:
        yield Fault("version", "", f"the graph excludes version {GRAPH_VERSION:,} of graphs, that of TensorFlow 2.12")


class _Declarations:
    """Find nodes that contradict the declarations of their ops."""

    def __init__(self, functions: Functions, ops: Mapping[str, OpDef], producer: int) -> None:
        self._functions = functions
        self._ops = ops
        self._producer = producer
        self._guess = Guesses()

    def faults(self, nodes: Iterable[NodeDef], function: str = "") -> Iterator[Fault]:
        """Yield the faults of the nodes of a graph, or of the body of a function."""
        for node in nodes:
            for kind, problem in self._problems(node, in_function=bool(function)):
                yield Fault(kind, node.name, f"{describe(node)}: {problem}", function)

    def _problems(self, node: NodeDef, *, in_function: bool) -> Iterator[tuple[FaultKind, str]]:
        called = self._functions.get(node.op)
        op = called.signature if called is not None else self._ops.get(node.op)
        if op is None:
            yield "unknown op", f"its op is unknown to TensorFlow 2.12{self._guess(node.op, self._ops)}"
            return
        if op.deprecation is not None and 0 < op.deprecation.version <= self._producer:
            removed, written = op.deprecation.version, f"and the graph has version {self._producer:,}"
            yield "op", f"its op was removed in version {removed:,} of graphs, {written}"
        try:
            arguments = (*op.input_arg, *op.output_arg)
            of_types = {name for row in arguments for name in (row.type_attr, row.number_attr, row.type_list_attr)}
            for problem in attribute_problems(node, op, in_function=in_function, fixed=of_types):
                yield "attribute", problem
            if not in_function and (problem := colocation_problem(node)):
                yield "attribute", problem
            for row in arguments:
                if row.number_attr and (count := attr(node, row.number_attr, int, 0)) > _MAX_NUMBER:
                    yield "attribute", f"its attribute {quote(row.number_attr)} is {count:,}, more than {_MAX_NUMBER:,}"
            if node.op in _OF_ELEMENTS and not in_function:
                yield from _lengths_problem(node)
            if (name := called_function(node, self._functions)) and called is None and node.op in CALLS:
                yield from _call_problem(node, self._functions.get(name))
            expected, actual = len(input_types(node, op)), len(data_inputs(node))
            if expected != actual:
                yield "inputs", f"it has {actual:,} {'input' if actual == 1 else 'inputs'}, and its op has {expected:,}"
        except GraphError:
            return  # an attribute with a fault of its own
        except DecodeError as error:
            yield "attribute", str(error)


_MAX_NUMBER = (1 << 31) - 1
"""The maximum number of tensors in an input or output that is a list."""

_OF_ELEMENTS = frozenset(
    {
        "DatasetToSingleElement",
        "GetElementAtIndex",
        "IteratorGetNext",
        "IteratorGetNextSync",
        "MultiDeviceIteratorGetNextFromShard",
        "OptionalGetValue",
        "UncompressElement",
    }
)
"""Ops that return the components of an element of a dataset. TensorFlow checks no other op with these attributes."""


def _lengths_problem(node: NodeDef) -> Iterator[tuple[FaultKind, str]]:
    types, shapes = attr(node, "output_types", list[DataType], []), _listed_shapes(node, "output_shapes") or ()
    if len(types) != len(shapes):
        yield "attribute", f'its attribute "output_shapes" has {len(shapes):,} shapes for {len(types):,} types'


def _call_problem(node: NodeDef, function: FunctionDef | None) -> Iterator[tuple[FaultKind, str]]:
    """Yield a fault for a call with fewer inputs or outputs than its function has. More are refused only by a run."""
    signature = function.signature if function is not None else None
    if signature is None:
        return
    for rows, name, what in ((signature.input_arg, "Tin", "inputs"), (signature.output_arg, "Tout", "outputs")):
        count = len(attr(node, name, list[DataType], []))
        if count < len(rows) and not any(row.number_attr or row.type_list_attr for row in rows):
            yield "inputs", f"it has {count:,} {what}, and the function {quote(signature.name)} has {len(rows):,}"


_device_part = re.compile(
    r"job:[^:]*|(replica|task): *[+-]?\d+(_\d+)* *|device:[^:]*:(\*| *[+-]?\d+(_\d+)* *)|(:.*)?"
).fullmatch
_device_type = re.compile(r"(cpu|gpu|tpu|custom|epu)(:(\*| *[+-]?\d+(_\d+)* *))?", re.IGNORECASE).fullmatch


def _is_device(device: str) -> bool:
    """Return whether a text is a device specification, such as "/job:worker/gpu:0", with one type at most."""
    parts = device.split("/")
    types = [part for part in parts if _device_type(part) or part.startswith("device:")]
    return len(types) < 2 and all(_device_part(part) or _device_type(part) for part in parts)


def _devices(nodes: Iterable[NodeDef]) -> Iterator[Fault]:
    """Yield a fault for each device that is not a device specification. If another node decides it, it is ignored."""
    known: dict[str, bool] = {"": True}
    for node in nodes:
        device = node.device
        if device not in known:
            known[device] = _is_device(device)
        if not known[device] and {*colocated_with(node)} <= {node.name}:
            yield Fault("device", node.name, f"{describe(node)} is on {quote(device)}, which is not a device")


_CHECKS_HANDLE = re.compile(
    r"ReadVariableOp|Assign(Add|Sub)?VariableOp|ResourceGather(Nd)?|ResourceScatter[A-Z][a-z]+"
).fullmatch


def _handles(graph: GraphDef) -> Iterator[Fault]:
    """Yield a fault for each node that takes a variable of another type than its attribute says."""
    nodes = {node.name: node for node in graph.node}
    for node in graph.node:
        if not _CHECKS_HANDLE(node.op):
            continue
        source: NodeDef | None = node
        for _ in range(_MAX_CHAIN):
            source = nodes.get(node_name(source.input[0])) if source is not None and source.input else None
            if source is None or source.op not in _PASS_HANDLES:
                break
        if (
            source is not None
            and source.op == "VarHandleOp"
            and (held := source.attr["dtype"].type) != node.attr["dtype"].type
        ):
            problem = f"it takes {describe(source)} as {dtype_name(node.attr['dtype'].type or 0)}, and that is"
            yield Fault("type", node.name, f"{describe(node)}: {problem} {dtype_name(held or 0)}")


_PASS_HANDLES = frozenset({"Identity", "Switch", "Enter"})
_MAX_CHAIN = 64


def _shapes(index: GraphIndex, called: Mapping[str, FunctionDef], ops: Mapping[str, OpDef]) -> Iterator[Fault]:
    """Yield the contradictions of shapes, in the graph and in functions that it calls."""
    shapes = infer_shapes(index, _unknown_shapes(index, ops), trust_output_shapes=True)
    places = {id(node): "" for node in index.nodes}
    places |= {id(node): name for name, function in called.items() for node in function.node_def}
    for node, problem in shapes.import_problems:
        place = places.get(id(node))
        if place is not None and problem != IN_CYCLE and (node.op in CALLS or node.op not in CALLERS):
            yield Fault("shape", node.name, with_node(node, problem), place)
    for position, node in enumerate(index.nodes):
        if "_output_shapes" not in node.attr:
            continue
        in_loop = index.node_frames[position] is not None  # TensorFlow knows less there when it compares the shapes
        if problem := _declared_shapes_problem(node, shapes, compares=not in_loop):
            advice = "remove_attribute(attribute_name=_output_shapes) removes it"
            yield Fault("shape", node.name, f"{describe(node)}: its attribute {problem}; {advice}")


def _listed_shapes(node: NodeDef, name: str) -> Sequence[TensorShapeProto] | None:
    """Return the shapes in an attribute; None if the node does not have it, or if it is of another kind."""
    attribute = node.attr.get(name)
    if attribute is None or attribute.which_oneof("value") is None:
        return None if attribute is None else ()
    value = attribute.list
    return None if value is None or (not value.shape and value.ListFields()) else value.shape


def _unknown_shapes(index: GraphIndex, ops: Mapping[str, OpDef]) -> dict[TensorName, Shape | None]:
    """Return the shapes of tensors of which TensorFlow knows less than inference does: only what attributes declare.

    They are the results of branches and loops, whose functions it does not look into, and the tensors of a TensorFlow 1
    loop that come from the last iteration.
    """
    shapes: dict[TensorName, Shape | None] = {}
    for position, node in enumerate(index.nodes):
        if node.op in MERGE and any(
            index.control_flow.get(source) in NEXT_ITERATION for source in index.sources[position]
        ):
            declared, count = _listed_shapes(node, "_output_shapes"), 1
        elif node.op not in CALLS and node.op in ops and traits(node.op).calls is not None:
            declared, count = _listed_shapes(node, "output_shapes"), len(output_types(node, ops[node.op]))
        else:
            continue
        for port in range(min(count, _MAX_OUTPUTS)):
            fits = declared is not None and port < len(declared)
            shapes[TensorName(node.name, port)] = shape_of_proto(declared[port]) if declared and fits else None
    return shapes


_MAX_OUTPUTS = 1 << 12


def _declared_shapes_problem(node: NodeDef, shapes: Shapes, *, compares: bool) -> str:
    """Return how the shapes in the attribute `_output_shapes` contradict the node or the inferred shapes; or ""."""
    declared = _listed_shapes(node, "_output_shapes")
    if declared is None:
        return ""
    inferred = shapes.of(node)
    if len(inferred) > len(declared):
        return f'"_output_shapes" has {len(declared):,} shapes for {len(inferred):,} outputs'
    for known, proto in zip(inferred, declared, strict=False):
        try:
            merge_shapes(known if compares else None, shape_of_proto(proto))
        except GraphError as error:
            return f'"_output_shapes" contradicts its output: {error}'
    return ""
