"""A model as text: its kind, its inputs and outputs, and one line for every node.

    for line in tree(load("saved_model/", lazy=True)):
        print(line)

Lines are produced one by one, from a message that may be lazy, and are safe to show on a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any

from pbwire.message import Message

from ..errors import GraphError
from ..ops import OPS, output_types, registry
from ..values.dtypes import dtype_name
from ..values.formatting import attributes_text, shape_text, tensor_text, values_text
from ..values.names import is_control_input
from ..values.terminal import align_columns, escape

if TYPE_CHECKING:
    from ..messages import OpDef, OpList

MAX_PORTS = 6  # inputs of a node that are shown, and outputs
MAX_CONTROLS = 3
MAX_ARGUMENTS = 20  # of a function
MAX_ENTRIES = 8  # of a summary line

HEADINGS = ("name", "op", "type", "inputs", "attributes")
MAX_WIDTHS = (48, 24, 20, 40)

# The attributes that determine the output type of a node of an unknown op, the most reliable first.
TYPE_ATTRS = ("dtype", "out_type", "output_type", "DstT", "Tout", "output_types", "dtypes", "dt", "T", "element_dtype")


def tree(message: Message, *, full: bool = False, op_defs: Iterable[OpList] = ()) -> Iterator[str] | None:
    """Return the lines for a message; None for a type without such a view. With `full`, no list is cut.

    `op_defs` declare ops that TensorFlow does not have; see `tfmodel.ops.registry`.
    """
    full_name = message.__table__.full_name
    if full_name in _VIEWS_OF_NODES:
        return map(escape, _VIEWS_OF_NODES[full_name](message, full, tuple(op_defs)))
    return map(escape, _VIEWS[full_name](message, full)) if full_name in _VIEWS else None


def node_lines(
    nodes: Iterable[Any],
    *,
    full: bool = False,
    heading: bool = True,
    indent: int = 0,
    ops: Mapping[str, OpDef] = OPS,
) -> Iterator[str]:
    """Yield a line with columns for each node. `ops` declare their output types; see `tfmodel.ops.registry`."""
    rows = (tuple(map(escape, _cells(node, ops, full))) for node in nodes)
    lines = chain([HEADINGS] if heading else [], rows)
    return align_columns(lines, widest=MAX_WIDTHS, names=(0,), kept=(2,), whole_names=full, indent=indent)


def _cells(node: Any, ops: Mapping[str, OpDef], full: bool) -> tuple[str, str, str, str, str]:
    type_text, shown_attrs = _output_type(node, ops)
    attributes = attributes_text(node.attr, without=shown_attrs)
    if node.op == "Const" and "value" in node.attr and node.attr["value"].tensor:
        attributes = f"{values_text(node.attr['value'].tensor)} {attributes}".strip()
    if node.device:
        attributes = f"{attributes} on {node.device}".strip()
    return node.name, node.op, type_text, ", ".join(node.input if full else _shortened_inputs(node.input)), attributes


def _shortened_inputs(inputs: list[str]) -> list[str]:
    """Return the inputs, cut to MAX_PORTS data inputs and MAX_CONTROLS control inputs."""
    data = [name for name in inputs if not is_control_input(name)]
    control = [name for name in inputs if is_control_input(name)]
    shown = data if len(data) <= MAX_PORTS else [*data[:MAX_PORTS], f"... {len(data):,} inputs"]
    return shown + (
        control if len(control) <= MAX_CONTROLS else [*control[:MAX_CONTROLS], f"... {len(control):,} controls"]
    )


def _output_type(node: Any, ops: Mapping[str, OpDef]) -> tuple[str, frozenset[str]]:
    """Return the output types of a node as text, and the names of the attributes that this text shows."""
    attrs = node.attr
    if node.op == "Const" and "value" in attrs and attrs["value"].tensor is not None:
        return tensor_text(attrs["value"].tensor), frozenset(("value", "dtype"))
    op = ops.get(node.op)
    known = _declared_types(node, op) if op else None
    return known or _guess_types(attrs)


def _declared_types(node: Any, op: OpDef) -> tuple[str, frozenset[str]] | None:
    """Return the types according to the declaration of the op; None if attributes that it needs are missing."""
    try:
        ports = output_types(node, op)
    except GraphError:
        return None
    dtypes = [dtype for dtype in islice(ports, MAX_PORTS + 1) if dtype is not None]
    if len(dtypes) < min(len(ports), MAX_PORTS + 1):
        return None
    used = {arg.type_attr or arg.type_list_attr for arg in op.output_arg} - {""}
    # For a handle, the attribute "shape" is not the shape of the output, but of the value that the handle refers to.
    shapes, shown_attrs = _output_shapes(node.attr, shape_attr="shape" if used else "")
    return _types_text(dtypes, shapes, len(ports)), shown_attrs | used


def _guess_types(attrs: dict[str, Any]) -> tuple[str, frozenset[str]]:
    """Return the types according to the attributes that usually hold them, whatever the op."""
    name = next((name for name in TYPE_ATTRS if name in attrs), "")
    kind = attrs[name].which_oneof("value") if name else None
    if kind == "placeholder":
        return f"${attrs[name].placeholder}", frozenset((name,))
    if kind not in ("type", "list"):
        return "", frozenset()
    shapes, shown_attrs = _output_shapes(attrs, shape_attr="shape")
    dtypes = list(attrs[name].list.type) if kind == "list" else [attrs[name].type] * max(1, len(shapes))
    return _types_text(dtypes, shapes, len(dtypes)), shown_attrs | {name}


def _types_text(dtypes: list[Any], shapes: list[str], count: int) -> str:
    """Return one type with its shape or, if `count` is not 1, the first types in parentheses."""
    padded = chain(shapes, repeat(""))
    shown = [f"{dtype_name(dtype)}{shape}" for dtype, shape in zip(dtypes, padded, strict=False)]
    if count == 1:
        return shown[0]
    ellipsis = [f"... {count:,} in all"] if count > MAX_PORTS else []
    return f"({', '.join(shown[:MAX_PORTS] + ellipsis)})" if count else ""


def _output_shapes(attrs: dict[str, Any], *, shape_attr: str) -> tuple[list[str], frozenset[str]]:
    """Return the output shapes from "_output_shapes", which some writers add, or from the attribute `shape_attr`.

    Also return the attribute that the shapes show, if any.
    """
    declared_shape = attrs[shape_attr].shape if shape_attr in attrs else None
    shown_attrs = frozenset((shape_attr,)) if declared_shape is not None else frozenset(())
    if "_output_shapes" in attrs and attrs["_output_shapes"].list is not None:
        return [shape_text(shape) for shape in attrs["_output_shapes"].list.shape], shown_attrs
    return [shape_text(declared_shape)] if declared_shape is not None else [], shown_attrs


# --- graphs and functions --------------------------------------------------------------------------------------------


def _graph(graph: Any, full: bool, op_defs: Iterable[OpList]) -> Iterator[str]:
    yield f"GraphDef: {_graph_summary(graph)}"
    yield from _graph_body(graph, registry(graph, op_defs=op_defs), full)


def _graph_summary(graph: Any) -> str:
    parts = [_count(len(graph.node), "node")]
    if graph.library and graph.library.function:
        parts.append(_count(len(graph.library.function), "function"))
    if graph.versions:
        parts.append(f"graph version {graph.versions.producer}")
    return ", ".join(parts)


def _graph_body(graph: Any, ops: Mapping[str, OpDef], full: bool) -> Iterator[str]:
    if graph.node:
        yield ""
        yield from node_lines(graph.node, full=full, ops=ops)
    for function in graph.library.function if graph.library else ():
        yield ""
        yield from _function_body(function, ops, full)


def _function(function: Any, full: bool, op_defs: Iterable[OpList]) -> Iterator[str]:
    return _function_body(function, registry(op_defs=op_defs), full)


def _function_body(function: Any, ops: Mapping[str, OpDef], full: bool) -> Iterator[str]:
    signature = function.signature
    if signature is None:
        yield "function without a signature"
    else:
        yield f"function {_op_text(signature, full)}"
    if function.node_def:
        yield from node_lines(function.node_def, full=full, heading=False, indent=2, ops=ops)
    for name, tensor in function.ret.items():
        yield f"  return {name} = {tensor}"
    for name, node in function.control_ret.items():
        yield f"  control {name} = ^{node}"


def _op_text(op: Any, full: bool) -> str:
    """Return the declaration of an op: `AddV2(x: T, y: T) -> (z: T)`."""
    limit = None if full else MAX_ARGUMENTS
    return f"{op.name}({_arguments(op.input_arg, limit)}) -> ({_arguments(op.output_arg, limit)})"


def _arguments(args: list[Any], limit: int | None) -> str:
    shown = [f"{arg.name}: {_argument_type(arg)}" for arg in args[:limit]]
    return ", ".join(shown + ([f"... {len(args):,} in all"] if len(shown) < len(args) else []))


def _argument_type(arg: Any) -> str:
    kind = arg.type_list_attr or arg.type_attr or dtype_name(arg.type)
    kind = f"{arg.number_attr} * {kind}" if arg.number_attr else kind
    return f"ref {kind}" if arg.is_ref else kind


def _op_list(ops: Any, full: bool) -> Iterator[str]:
    yield f"OpList: {_count(len(ops.op), 'op')}"
    yield ""
    yield from (line for op in ops.op for line in _op(op, full))


def _op(op: Any, full: bool) -> Iterator[str]:
    attrs = ", ".join(f"{attr.name}: {attr.type}" for attr in op.attr)
    yield f"{_op_text(op, full)}{f'  [{attrs}]' if attrs else ''}"


def _node(node: Any, full: bool, op_defs: Iterable[OpList]) -> Iterator[str]:
    return node_lines([node], full=full, ops=registry(op_defs=op_defs))


# --- SavedModels and MetaGraphs --------------------------------------------------------------------------------------


def _saved_model(model: Any, full: bool, op_defs: Iterable[OpList]) -> Iterator[str]:
    version = model.saved_model_schema_version
    yield f"SavedModel: {_count(len(model.meta_graphs), 'MetaGraph')}, schema version {version}"
    for meta_graph in model.meta_graphs:
        yield ""
        yield from _meta_graph(meta_graph, full, op_defs)


def _meta_graph(meta: Any, full: bool, op_defs: Iterable[OpList]) -> Iterator[str]:
    info = meta.meta_info_def
    parts = [_graph_summary(meta.graph_def)] if meta.graph_def else ["no graph"]
    if info and info.tags:
        parts.append(f"tags: {', '.join(info.tags)}")
    if info and info.tensorflow_version:
        parts.append(f"written by TensorFlow {info.tensorflow_version}")
    yield f"MetaGraphDef: {', '.join(parts)}"
    for key in sorted(meta.signature_def):
        yield from _signature(key, meta.signature_def[key])
    yield from _summary("collections", _collections(meta), full)
    yield from _summary("variables", _variables(meta), full)
    yield from _summary("assets", [asset.filename for asset in meta.asset_file_def], full)
    if meta.saver_def:
        saver = meta.saver_def
        yield f"  saver: restore with {saver.restore_op_name}, file name in {saver.filename_tensor_name}"
    if meta.graph_def:
        yield from _graph_body(meta.graph_def, registry(meta, op_defs=op_defs), full)


def _signature(key: str, signature: Any) -> Iterator[str]:
    yield f"  signature {key}{f' ({signature.method_name})' if signature.method_name else ''}"
    rows = [
        (direction, name, _tensor_info(tensors[name]), _encoding(tensors[name]))
        for direction, tensors in (("input", signature.inputs), ("output", signature.outputs))
        for name in sorted(tensors)
    ]
    yield from align_columns(rows, names=(1,), whole_names=True, indent=4)


def _tensor_info(info: Any) -> str:
    return f"{dtype_name(info.dtype)}{shape_text(info.tensor_shape)}" if info.dtype else ""


def _encoding(info: Any) -> str:
    if info.coo_sparse:
        return f"sparse: {info.coo_sparse.values_tensor_name}"
    if info.composite_tensor:
        return f"composite of {len(info.composite_tensor.components)}"
    return info.name or ""


def _collections(meta: Any) -> list[str]:
    names = []
    for name in sorted(meta.collection_def):
        collection = meta.collection_def[name]
        kind = collection.which_oneof("kind")
        names.append(f"{name} ({len(getattr(collection, kind).value):,})" if kind else name)
    return names


def _variables(meta: Any) -> list[str]:
    """Return the variables of a TF2 model, which are among its objects."""
    if meta.object_graph_def is None:
        return []
    variables = (node.variable for node in meta.object_graph_def.nodes if node.variable)
    return [f"{v.name} {dtype_name(v.dtype)}{shape_text(v.shape)}" for v in variables]


def _summary(title: str, items: list[str], full: bool) -> Iterator[str]:
    if items:
        shown = items if full else items[:MAX_ENTRIES]
        ellipsis = f", ... {len(items):,} in all" if len(shown) < len(items) else ""
        yield f"  {title}: {', '.join(shown)}{ellipsis}"


def _tensor(tensor: Any, full: bool) -> Iterator[str]:
    yield f"TensorProto: {tensor_text(tensor)} {values_text(tensor)}".rstrip()


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


_VIEWS: dict[str, Callable[[Any, bool], Iterator[str]]] = {
    "tensorflow.OpDef": _op,
    "tensorflow.OpList": _op_list,
    "tensorflow.TensorProto": _tensor,
}
_VIEWS_OF_NODES: dict[str, Callable[[Any, bool, tuple[OpList, ...]], Iterator[str]]] = {
    "tensorflow.FunctionDef": _function,
    "tensorflow.GraphDef": _graph,
    "tensorflow.MetaGraphDef": _meta_graph,
    "tensorflow.NodeDef": _node,
    "tensorflow.SavedModel": _saved_model,
}
