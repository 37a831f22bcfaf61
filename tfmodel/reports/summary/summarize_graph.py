"""The output of the C++ tool `summarize_graph`, line by line, for scripts that read it.

TensorFlow's packages do not contain the tool, so this follows a description of it and was never compared with it. It
differs where the tool was wrong:

    devices      one per line, not all in one
    variables    their elements are counted by their shapes; the tool looked for values, which variables do not have
    constants    invalid ones are left out; the tool also warned

All lines are safe to show on a terminal. Equally frequent ops are sorted by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from math import prod

from ...errors import GraphError, TensorError
from ...graph import UNKNOWN, GraphIndex, attr
from ...messages import DataType, GraphDef, NodeDef, TensorProto, TensorShapeProto
from ...ops.traits import REFERENCE_VARIABLES
from ...values.dtypes import dtype_name
from ...values.names import is_control_input
from ...values.tensor_header import read_header
from ...values.terminal import escape
from .statistics import node_lists, variable_shape

_NO_OUTPUTS = ("Const", "Assign", "NoOp", "Placeholder")
_NAMES = {"float32": "float", "float64": "double", "float16": "half"}
_LETTERS = "kMBT"
_MAX_VALUES = 3  # of a constant that are shown
_MAX_FILLED_BYTES = 1 << 23  # of a constant that stores fewer values than it has elements


def compat_lines(graph: GraphDef, path: str = "", *, structure: bool = False) -> Iterator[str]:
    """Yield the lines for a graph. `path` is the file as the user named it; `structure` adds a line for every node.

    Raises GraphError, after the first lines, if inputs refer to missing nodes.
    """
    index = GraphIndex(graph)
    inputs = [node for node in graph.node if node.op == "Placeholder"]
    variables = [node for node in graph.node if node.op in REFERENCE_VARIABLES]
    outputs = [
        node for node, users in zip(graph.node, index.targets, strict=True) if not users and node.op not in _NO_OUTPUTS
    ]
    yield _list_text("inputs", "possible inputs", [_node_text(node) for node in inputs])
    yield _list_text("variables", "variables", [_node_text(node) for node in variables])
    ends = [f"(name={escape(node.name)}, op={escape(node.op)}) " for node in outputs]
    yield _list_text("outputs", "possible outputs", ends)
    yield _parameters(graph, variables)
    devices = Counter(node.device for node in graph.node if node.device)
    for device in sorted(devices):
        yield f"{devices[device]} nodes assigned to device '{escape(device)}'"
    if invalid := list(_invalid_inputs(index)):
        yield from invalid
        raise GraphError("Invalid graph with inputs referring to nonexistent nodes")
    counts = Counter(node.op for _, nodes in node_lists(graph) for node in nodes)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    yield f"Op types used: {', '.join(f'{count} {escape(op)}' for op, count in ranked)}"
    yield "To use with tensorflow/tools/benchmark:benchmark_model try these arguments:"
    yield _benchmark(path, [*inputs, *variables], outputs)
    if structure:
        yield from structure_lines(index)


def structure_lines(graph: GraphIndex | GraphDef) -> Iterator[str]:
    """Yield a line for every node in execution order. Raises GraphError if there is a cycle."""
    index = graph if isinstance(graph, GraphIndex) else GraphIndex(graph)
    for node in index.execution_order:
        value = f", value={_value(node)}" if node.op == "Const" else ""
        yield escape(f"{node.name} ({node.op}): [{', '.join(node.input)}]{value}")


def human_readable(count: int) -> str:
    """Return `999`, `1.23k`, `4.57M`."""
    if count < 1000:
        return str(count)
    if count >= 10**15:
        return f"{count:.3G}"
    power = 0
    while count >= 1_000_000:
        count //= 1000
        power += 1
    return f"{count / 1000:.2f}{_LETTERS[power]}"


def _list_text(nothing: str, what: str, items: list[str]) -> str:
    return f"Found {len(items)} {what}: {''.join(items)}" if items else f"No {nothing} spotted."


def _node_text(node: NodeDef) -> str:
    dtype = _dtype(node)
    return f"(name={escape(node.name)}, type={_type_name(dtype)}({dtype}), shape={_shape(node)}) "


def _dtype(node: NodeDef) -> int:
    try:
        return int(attr(node, "dtype", DataType, DataType.DT_INVALID))
    except GraphError:
        return 0


def _type_name(dtype: int) -> str:
    name = "INVALID" if dtype == 0 else dtype_name(dtype)
    base = name.removesuffix("_ref")
    return _NAMES.get(base, base) + name[len(base) :]


def _shape(node: NodeDef) -> str:
    if "shape" not in node.attr:
        return "None"
    try:
        shape = attr(node, "shape", TensorShapeProto)
    except GraphError as error:
        return escape(str(error))
    if shape.unknown_rank:
        return "<unknown>"
    return f"[{','.join('?' if dim.size < 0 else str(dim.size) for dim in shape.dim)}]"


def _parameters(graph: GraphDef, variables: Iterable[NodeDef]) -> str:
    constants = sum(_elements(node) for node in graph.node if node.op == "Const")
    declared = sum(_declared_elements(node) for node in variables)
    edges = sum(is_control_input(text) for node in graph.node for text in node.input)
    return (
        f"Found {constants} ({human_readable(constants)}) const parameters, "
        f"{declared} ({human_readable(declared)}) variable parameters, and {edges} control_edges"
    )


def _elements(node: NodeDef) -> int:
    try:
        return prod(read_header(attr(node, "value", TensorProto)).shape)
    except (GraphError, TensorError):
        return 0


def _declared_elements(node: NodeDef) -> int:
    try:
        shape = variable_shape(node)
    except GraphError:
        return 0
    return 0 if shape is None or min(shape, default=0) < 0 else prod(shape)


def _invalid_inputs(index: GraphIndex) -> Iterator[str]:
    for node, sources in zip(index.nodes, index.sources, strict=True):
        if UNKNOWN in sources:
            for text, source in zip(node.input, sources, strict=True):
                if source == UNKNOWN:
                    yield f"Invalid input {escape(text)} for node {escape(node.name)}"


def _benchmark(path: str, inputs: list[NodeDef], outputs: list[NodeDef]) -> str:
    names = ",".join(node.name for node in inputs)
    types = ",".join(_type_name(_dtype(node)) for node in inputs)
    shapes = ":".join(map(_sizes, inputs))
    ends = ",".join(node.name for node in outputs)
    return escape(
        f"bazel run tensorflow/tools/benchmark:benchmark_model -- --graph={path} --show_flops --input_layer={names} "
        f"--input_layer_type={types} --input_layer_shape={shapes} --output_layer={ends}"
    )


def _sizes(node: NodeDef) -> str:
    try:
        shape = attr(node, "shape", TensorShapeProto, None)
    except GraphError:
        return ""
    if shape is None or shape.unknown_rank:
        return ""
    return ",".join(str(max(dim.size, -1)) for dim in shape.dim)


def _value(node: NodeDef) -> str:
    """Return dtype, shape and the first few values of a constant."""
    from ...values.tensors import elements_of, to_ndarray  # imports numpy

    try:
        tensor = attr(node, "value", TensorProto)
        array = to_ndarray(tensor, max_fill=_MAX_FILLED_BYTES)
    except (GraphError, TensorError) as error:
        return f"<{error}>"
    shape = ",".join(map(str, array.shape))
    values = [value.item() if hasattr(value, "item") else value for value in islice(elements_of(array), _MAX_VALUES)]
    first = " ".join(map(_element, values))
    more = "..." if array.size > _MAX_VALUES else ""
    return f"Tensor<type: {_type_name(int(tensor.dtype))} shape: [{shape}] values: {first}{more}>"


def _element(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return f"{value:.6g}"
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
