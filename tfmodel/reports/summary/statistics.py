"""Count what a graph and its functions consist of: ops, parameters, FLOPs, values, devices, control flow."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import TypeAlias

from ...analysis.data_flow import Body
from ...analysis.facts import Facts
from ...analysis.flops import NodeShapes, UnknownShapeError, flop_rule, no_flops
from ...analysis.shapes import Shapes
from ...analysis.uses import Relevance
from ...errors import GraphError, TensorError
from ...graph import CALLERS, GraphIndex, attr, describe
from ...graph.functions import Functions, function_name, named_functions
from ...messages import DataType, FunctionDef, GraphDef, NodeDef, TensorProto, TensorShapeProto
from ...ops.traits import ALL_VARIABLES, EMPTY_IS_UNKNOWN, FUNCTIONAL_CONTROL_FLOW, LOOP_COND, PYTHON_CALLS
from ...parameters.quantized import find_quantized_weights
from ...values.dtypes import DTYPES, dtype_name, dtype_of
from ...values.names import data_inputs
from ...values.tensor_header import byte_size, read_header, read_shape
from .report import ControlFlow, Device, FunctionFacts, OpFacts, OpUse, QuantizedFacts, Values

Needed: TypeAlias = Collection[tuple[str, str]]
"""Nodes, as pairs: the function's name, "" for the graph; the node."""

_MAX_NAMES = 3  # of nodes per op
_SMALL = 0.01  # the share of all FLOPs, and of all parameters, below which an op is not worth the first place
_COST_IS_OPEN = CALLERS | LOOP_COND | PYTHON_CALLS
"""Ops whose cost the graph does not tell: calls, which may be loops, loops of TensorFlow 1, and Python functions."""
_USUAL_DEVICES = re.compile("(XLA_)?(CPU|GPU|TPU)|TPU_SYSTEM|COMPOSITE", re.IGNORECASE)
_DEVICE = re.compile(r"/(?:device:)?([A-Za-z_][A-Za-z0-9_]*):(?:\d+|\*)")
_PARTS_OF_DEVICES = frozenset({"job", "replica", "task"})


def node_lists(graph: GraphDef) -> Iterator[tuple[str, list[NodeDef]]]:
    """Yield the nodes of the graph, with the name "", and of each function."""
    yield "", graph.node
    for function in _functions_of(graph):
        yield function_name(function), function.node_def


def _functions_of(graph: GraphDef) -> Sequence[FunctionDef]:
    return graph.library.function if graph.library is not None else ()


# --- ops -------------------------------------------------------------------------------------------------------------


def missing_ops(
    graph: GraphDef, known: Collection[str], among: Iterable[tuple[str, NodeDef]] | None = None
) -> list[OpUse]:
    """Return the ops of a graph and its functions that are not `known`, the most frequent first; calls of functions do
    not count.

    `among` limits this to some nodes, given with the names of their functions ("" for the graph).
    """
    functions = Functions(graph.library)
    counts: Counter[str] = Counter()
    first: dict[str, list[str]] = defaultdict(list)
    everything = ((function, node) for function, nodes in node_lists(graph) for node in nodes)
    is_missing: dict[str, bool] = {}
    for function, node in everything if among is None else among:
        if node.op not in is_missing:
            is_missing[node.op] = node.op not in known and node.op not in functions
        if is_missing[node.op]:
            counts[node.op] += 1
            if len(first[node.op]) < _MAX_NAMES:
                first[node.op].append(f"{function}/{node.name}" if function else node.name)
    return [OpUse(op, count, tuple(first[op])) for op, count in _sort_counts(counts)]


def count_ops(
    graph: GraphDef, costs: Iterable[NodeCost], parameters: Mapping[str, int], needed: Needed | None
) -> list[OpFacts]:
    """Return a row for each op; nodes, parameters and FLOPs are those of the `needed` nodes, or of all nodes if None.

    `costs` are those of `count_flops`.

    Rows are sorted by FLOPs, then by parameters, then by number of nodes, but those of unknown cost come before the
    last ones, which have less than `_SMALL` of all FLOPs and of all parameters. Each function counts once, however
    often it is called, with the shapes of one of its calls.
    """
    counts: Counter[str] = Counter()
    needed_counts: Counter[str] = Counter()
    for function, nodes in node_lists(graph):
        counts.update([node.op for node in nodes])
        needed_counts.update([node.op for node in nodes if needed is None or (function, node.name) in needed])
    flops: Counter[str] = Counter()
    unshaped: Counter[str] = Counter()
    for _, node, count in costs:
        if count is None:
            unshaped[node.op] += 1
        else:
            flops[node.op] += count
    has_open_cost = _COST_IS_OPEN | {function_name(function) for function in _functions_of(graph)}
    rows = []
    for op, all_count in counts.items():
        known = flops[op] if flop_rule(op) else None
        is_open = needed_counts[op] > 0 and (known is None or unshaped[op] > 0 or op in has_open_cost)
        rows.append(OpFacts(op, needed_counts[op], all_count, parameters.get(op, 0), known, unshaped[op], is_open))
    return _sort_by_cost(rows)


def _sort_by_cost(rows: Iterable[OpFacts]) -> list[OpFacts]:
    """Return the rows by known cost, but those of unknown cost no later than behind the last one with a large share."""
    rows = sorted(rows, key=lambda row: (-(row.flops or 0), -row.parameters, -row.nodes, -row.all_nodes, row.op))
    small_flops = _SMALL * sum(row.flops or 0 for row in rows)
    small_parameters = _SMALL * sum(row.parameters for row in rows)
    large = [n for n, row in enumerate(rows, 1) if (row.flops or 0) > small_flops or row.parameters > small_parameters]
    place = max(large, default=0)
    return rows[:place] + sorted(rows[place:], key=lambda row: not row.is_open)


NodeCost: TypeAlias = "tuple[str, NodeDef, int | None]"


def count_flops(graph: GraphDef, shapes: Shapes, needed: Needed | None) -> Iterator[NodeCost]:
    """Yield the needed nodes, with the function that they are in and their FLOPs; None if shapes are unknown."""
    for function, node, body_shapes in _called_nodes(graph, shapes):
        if needed is None or (function, node.name) in needed:
            yield function, node, _node_flops(node, body_shapes)


def _called_nodes(graph: GraphDef, shapes: Shapes) -> Iterator[tuple[str, NodeDef, Shapes | None]]:
    """Yield the nodes of the graph and of the functions that it calls, with the function's name, "" for the graph, and
    the shapes there (None if unknown).
    """
    functions = Functions(graph.library)
    seen: set[str] = set()
    queue: list[tuple[str, list[NodeDef], Shapes | None]] = [("", graph.node, shapes)]
    for function, nodes, body_shapes in queue:  # grows in the loop
        for node in nodes:
            yield function, node, body_shapes
            if not functions or (node.op not in CALLERS and node.op not in functions):
                continue
            inside = body_shapes.inside(node) if body_shapes is not None else {}
            for name in functions.called_by(node):
                if name in functions and name not in seen:
                    seen.add(name)
                    queue.append((name, functions[name].node_def, inside.get(name)))


def _node_flops(node: NodeDef, shapes: Shapes | None) -> int | None:
    """Return the floating point operations of a node: 0 for an op without a rule, None if its shapes are unknown."""
    rule = flop_rule(node.op)
    if rule is None or rule is no_flops:
        return 0
    if shapes is None:
        return None
    try:
        inputs = [shapes.get(text) for text in data_inputs(node)]
        return rule(NodeShapes(node, inputs, shapes.get(node.name)))
    except (UnknownShapeError, GraphError):
        return None


def count_parameters(facts: Facts, needed: Needed | None) -> tuple[dict[str, int], int, list[QuantizedFacts]]:
    """Return the number of weight elements by the op that uses them, their bytes, and the quantized weights by dtype.

    Only `needed` constants and variables are parameters, or all if None. Raises GraphError if the uses cannot be
    determined.
    """
    parameters: Counter[str] = Counter()
    size = 0
    quantized: dict[DataType, list[int]] = {}
    for body in facts.flow.bodies:
        quantized_weights = find_quantized_weights(body, facts.ops).weights
        for node in body.nodes.values():
            if node.op == "Const" or node.op in ALL_VARIABLES:
                is_needed = needed is None or (body.name, node.name) in needed
                shape, count = _elements_of(node, body)
                uses = facts.uses.find(body, node.name, shape) if count else ()
                is_parameter = is_needed and bool(uses) and _is_parameter(node, uses[0].relevance)
                if is_parameter:
                    parameters[uses[0].op] += count
                    size += byte_size(attr(node, "dtype", DataType, DataType.DT_INVALID), shape) or 0
                if node.name in quantized_weights:
                    row = quantized.setdefault(quantized_weights[node.name].dtype, [0, 0, 0])
                    row[:] = row[0] + 1, row[1] + count, row[2] + count * is_parameter
    rows = [_quantized_facts(dtype, *numbers) for dtype, numbers in quantized.items()]
    return dict(parameters), size, sorted(rows, key=lambda row: (-row.bytes, row.dtype))


def _is_parameter(node: NodeDef, relevance: Relevance) -> bool:
    """Return whether a constant or variable is a weight by its most relevant use; `Weight.is_parameter` agrees.

    A variable of floats that outputs are computed with is one, such as the factor of a product.
    """
    if relevance is Relevance.WEIGHT:
        return True
    row = DTYPES.get(attr(node, "dtype", DataType, DataType.DT_INVALID))
    return node.op in ALL_VARIABLES and relevance is Relevance.OTHER and row is not None and row.given[1] in "fc"


def _quantized_facts(dtype: DataType, count: int, elements: int, parameters: int) -> QuantizedFacts:
    size, float_size = (DTYPES[stored].itemsize * elements for stored in (dtype, DataType.DT_FLOAT))
    return QuantizedFacts(dtype_name(dtype), count, elements, parameters, size, float_size)


def _elements_of(node: NodeDef, body: Body) -> tuple[tuple[int, ...] | None, int]:
    try:
        if node.op == "Const":
            shape: tuple[int, ...] | None = read_header(attr(node, "value", TensorProto)).shape
        else:
            shape = variable_shape(node) or _initial_shape(node, body)
    except (GraphError, TensorError):
        return None, 0
    return shape, 0 if shape is None or min(shape, default=0) < 0 else prod(shape)


def _initial_shape(node: NodeDef, body: Body) -> tuple[int, ...] | None:
    """Return the shape of the constant that initializes a variable whose declaration has no shape; None without one."""
    for user in body.users(node.name):
        inputs = data_inputs(user.node) if user.node.op == "Assign" and user.input_index == 0 else []
        value = body.origin(inputs[1]) if len(inputs) > 1 else None
        if value is not None and value.op == "Const":
            return read_header(attr(value, "value", TensorProto)).shape
    return () if variable_shape(node) == () else None


def _sort_counts(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the counts, the highest first; equal counts are sorted by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


# --- values ----------------------------------------------------------------------------------------------------------


def variable_shape(node: NodeDef) -> tuple[int, ...] | None:
    """Return the declared shape of a variable, -1 for unknown sizes; None if unknown. Raises GraphError."""
    shape = attr(node, "shape", TensorShapeProto, None)
    declared = read_shape(shape) if shape is not None else None
    return None if declared == () and node.op in EMPTY_IS_UNKNOWN else declared


def count_values(graph: GraphDef, problems: list[str], unknown: Container[tuple[str, str]] = ()) -> list[Values]:
    """Count constants and variables by dtype, the rows with most bytes first. Add contradictions to `problems`.

    `unknown` has function and name of constants without values, which are not counted.
    """
    rows: dict[tuple[str, str], list[int]] = {}
    for function, nodes in node_lists(graph):
        for node in nodes:
            is_constant = node.op == "Const"
            if (function, node.name) in unknown or not (is_constant or node.op in ALL_VARIABLES):
                continue
            try:
                dtype, elements, size = _constant(node) if is_constant else _variable(node)
            except (GraphError, TensorError) as error:
                text = str(error)
                problems.append(text if describe(node) in text else f"{describe(node)}: {text}")
                continue
            row = rows.setdefault(("constant" if is_constant else "variable", dtype), [0, 0, 0, 0])
            row[0] += 1
            if elements is None:
                row[3] += 1
            else:
                row[1] += elements
                row[2] += size
    values = [Values(kind, dtype, *numbers) for (kind, dtype), numbers in rows.items()]
    return sorted(values, key=lambda row: (row.kind, -row.bytes, row.dtype))


def _constant(node: NodeDef) -> tuple[str, int | None, int]:
    head = read_header(attr(node, "value", TensorProto))
    return dtype_name(dtype_of(head.dtype).number), prod(head.shape), head.size


def _variable(node: NodeDef) -> tuple[str, int | None, int]:
    dtype = attr(node, "dtype", DataType)
    shape = variable_shape(node)
    size = byte_size(dtype, shape)
    is_known = shape is not None and min(shape, default=0) >= 0
    return dtype_name(dtype_of(dtype).number), prod(shape or ()) if is_known else None, size or 0


# --- devices, functions, control flow --------------------------------------------------------------------------------


def count_devices(graph: GraphDef) -> list[Device]:
    """Count the nodes that are assigned to each device, by name."""
    counts = Counter(node.device for _, nodes in node_lists(graph) for node in nodes if node.device)
    return [Device(name, count, _is_custom(name)) for name, count in sorted(counts.items())]


def _is_custom(device: str) -> bool:
    kinds = [kind for kind in _DEVICE.findall(device) if kind.lower() not in _PARTS_OF_DEVICES]
    return any(not _USUAL_DEVICES.fullmatch(kind) for kind in kinds)


def count_functions(graph: GraphDef) -> list[FunctionFacts]:
    """Return the functions of the library, the largest first."""
    functions = Functions(graph.library)
    calls: Counter[str] = Counter()
    for _, nodes in node_lists(graph) if functions else ():
        for node in nodes:
            for name in {node.op, *named_functions(node.attr.values())}:
                if name in functions:
                    calls[name] += 1
    rows = [FunctionFacts(name, len(function.node_def), calls[name]) for name, function in functions.items()]
    return sorted(rows, key=lambda row: (-row.nodes, row.name))


def count_control_flow(graph: GraphDef, index: GraphIndex) -> ControlFlow:
    """Count loops and conditionals, of TensorFlow 1 and 2."""
    functional = Counter(
        node.op for _, nodes in node_lists(graph) for node in nodes if node.op in FUNCTIONAL_CONTROL_FLOW
    )
    loops: dict[str, int] = {}
    for frame in index.frames:
        loops[frame.name] = loops.get(frame.name, 0) + len(frame.nodes)
    deciding = {branch.pred for branch in index.node_branches if branch is not None} if index.control_flow else set()
    return ControlFlow(loops, len(deciding), dict(_sort_counts(functional)))
