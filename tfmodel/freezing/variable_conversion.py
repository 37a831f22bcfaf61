"""Convert nodes that take variables to nodes that take the values of these variables, in a graph or a function.

ReadVariableOp(handle)               Identity(value)
ResourceGather(handle, indices)      GatherV2(value, indices, axis)
ResourceGatherNd(handle, indices)    GatherNd(value, indices)
VariableShape(handle)                Shape(value)
VarIsInitializedOp(handle)           Const(true)
AssignAdd(variable, x)               Add(value, x); see `variable_values` for later reads of the variable
AssignVariableOp(handle, x)          Identity(x), or NoOp if no node reads the new value
ResourceApplyAdam(handle, ...)       NoOp; freezing fails if a node reads the new value. The same for all training ops
RefSwitch, RefMerge, ...             Switch, Merge, ...
Identity, Enter, Switch, ...         the same, with the type of the value
If, Case, While, calls               the same, with functions that take values

Branches and loops still call functions after freezing. For a function `f` that takes a variable, a new function
`f_frozen` takes the value instead. The functions that `f` calls are converted in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from ..analysis.variables.handle_tracing import ARITHMETIC, ASSIGNS, REF_PASSES, Source, Trace, Use
from ..analysis.variables.variable_values import Versions
from ..errors import FreezeError
from ..graph import attr, input_tensors
from ..graph.error_text import quote
from ..graph.function_body import FunctionBodies, FunctionBody
from ..graph.functions import enter_function
from ..graph.view import GraphView
from ..messages import AttrValue, DataType, FunctionDef, NameAttrList, NodeDef, OpDef, TensorProto, TensorShapeProto
from ..values.names import TensorName, control_input, data_inputs

Sources: TypeAlias = Mapping[str, Source]
CallConverter: TypeAlias = Callable[[GraphView, NodeDef, Mapping[int, Source]], None]

_CONTROL_FLOW = {*REF_PASSES.values(), "_SwitchN"}


def convert(
    body: GraphView,
    functions: FunctionBodies,
    sources: Sources,
    *,
    outputs: Iterable[TensorName],
    convert_call: CallConverter,
    callers: tuple[str, ...] = (),
    unordered: dict[str, tuple[str, str]] | None = None,
) -> Trace:
    """Make all consumers of variables take values, in place. `sources` has the variables by node or argument name.

    `outputs` are tensors that count as used, and `convert_call` converts a node that calls functions. Returns the trace
    of the variables from before the conversion. Raises FreezeError for a node that cannot take a value.

    `unordered` gets, by variable, the names of a node that reads it and of one that changes it, if TensorFlow may run
    either of them first.
    """
    trace = Trace(body, functions, sources, callers)
    conversion = _Conversion(trace, functions, outputs, convert_call)
    if unordered is not None:
        unordered.update(conversion.unordered())
    conversion.run()
    return trace


class _Conversion:
    """Converts the nodes in a trace. This changes the graph of the trace."""

    def __init__(
        self, trace: Trace, functions: FunctionBodies, outputs: Iterable[TensorName], convert_call: CallConverter
    ) -> None:
        self._trace = trace
        self._body = trace.body
        self._functions = functions
        self._convert_call = convert_call
        self._users = self._body.consumers()
        self._output_nodes = {tensor.node for tensor in outputs if tensor in trace.aliases}
        self._used = {tensor.node for tensor in outputs} | {tensor.node for tensor in self._users}
        self._versions = Versions(trace) if trace.mutators else None
        for name in sorted(trace.mixed & trace.mutators.keys()):
            raise FreezeError(f"the variable {quote(name)} is changed, and a branch chooses between it and others")
        for use in trace.carried:
            what = f"changes the variable {quote(use.source)} in a loop that reads it"
            raise FreezeError(f"{self._body.describe(use.node)} {what}")

    def run(self) -> None:
        by_node: dict[str, list[Use]] = {}
        for use in self._trace.uses:
            by_node.setdefault(use.node.name, []).append(use)
        needed = self._needed_versions()
        tensors = {
            name: {use.place: self._tensor(use) for use in uses if self._reads(use, needed)}
            for name, uses in by_node.items()
        }
        for name, uses in by_node.items():
            inputs = input_tensors(uses[0].node)
            changed = [tensors[name].get(place, tensor) for place, tensor in enumerate(inputs)]
            node = uses[0].node if changed == inputs else self._body.change(uses[0].node, inputs=changed)
            self._convert(node, uses, needed)

    def unordered(self) -> dict[str, tuple[str, str]]:
        """Return a node that reads a variable and one that changes it, without an order, by variable."""
        pairs: dict[str, tuple[str, str]] = {}
        if self._versions is None:
            return pairs
        needed, passing = self._needed_versions(), {tensor.node for tensor in self._trace.aliases}
        for use in self._trace.uses:
            passes_on = use.node.name in passing and not self._changes(use)
            if use.source in pairs or passes_on or not self._reads(use, needed):
                continue
            if changing := self._versions.unordered(use):
                pairs[use.source] = use.node.name, changing[0]
        return pairs

    def _tensor(self, use: Use) -> TensorName:
        return use.tensor if self._versions is None else self._versions.tensor(use)

    # --- versions ----------------------------------------------------------------------------------------------------

    def _reads(self, use: Use, needed: set[str]) -> bool:
        """Return whether a node depends on the value of the variable."""
        if self._changes(use):
            return use.node.name in needed and use.node.op in ARITHMETIC
        return True

    def _changes(self, use: Use) -> bool:
        return self._trace.changes(use)

    def _needed_versions(self) -> set[str]:
        """Return the names of the versions that nodes read or that are outputs: see `Versions`."""
        if self._versions is None:
            return set()
        assignments = {use.node.name: use for use in self._trace.uses if self._changes(use)}
        queue = [self._versions.version_of(use) for use in self._trace.uses if not self._changes(use)]
        queue += sorted(self._output_nodes)
        needed: set[str] = set()
        while queue:
            name = queue.pop()
            if name not in needed:
                needed.add(name)
                if name in assignments and assignments[name].node.op in ARITHMETIC:
                    queue.append(self._versions.version_of(assignments[name]))
        return needed

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _convert(self, node: NodeDef, uses: list[Use], needed: set[str]) -> None:
        uses = [use for use in uses if self._trace.takes(use) != "value"]
        if not uses:
            return
        sources = {use.place: self._trace.sources[use.source] for use in uses}
        source = next(iter(sources.values()))
        is_ref = self._trace.takes(uses[0]) == "reference"
        if any(self._changes(use) for use in uses):
            self._assign(node, source, needed)
        elif node.op in REF_PASSES and is_ref:
            self._body.change(node, REF_PASSES[node.op])
        elif node.op == "IsVariableInitialized" and is_ref:
            _set_true(self._body, node)
        elif is_ref:
            if node.op == "RefSelect" or source.is_value:
                self._refuse(node, uses)
        elif node.op in _CONTROL_FLOW:
            self._body.change(node, attr=_with_type(node, source.dtype))
        elif node.op == "IdentityN":
            types = list(attr(node, "T", list[DataType]))
            for index, variable in sources.items():
                types[index] = variable.dtype
            self._body.change(node, attr=_with_types(node, "T", types))
        elif node.op in _RESOURCE_OPS:
            if len(data_inputs(node)) != _RESOURCE_OPS[node.op][1] or 0 not in sources:
                self._refuse(node, uses)
            _RESOURCE_OPS[node.op][0](self._body, node, source)
        elif self._functions.call(node) is not None:
            self._convert_call(self._body, node, sources)
        else:
            self._refuse(node, uses)

    def _assign(self, node: NodeDef, source: Source, needed: set[str]) -> None:
        has_value = node.op in ASSIGNS or node.op in ARITHMETIC
        inputs = input_tensors(node)
        if has_value and len(inputs) != 2:
            raise FreezeError(f"{self._body.describe(node)} has {len(inputs)} inputs, not 2")
        attrs = {"T": AttrValue(type=source.dtype)}
        if node.name in needed and has_value:
            if node.op in ARITHMETIC:
                self._body.change(node, ARITHMETIC[node.op], attr=attrs)
            else:
                self._body.change(node, "Identity", inputs[1:], attrs)
        elif node.name in self._used and not has_value:
            raise FreezeError(f"{self._body.describe(node)}: its result cannot be computed from values")
        elif self._versions is not None and self._versions.is_conditional(node):
            self._body.change(
                node, "Identity", inputs[:1], attrs
            )  # a NoOp without this input would leave the branch or loop
        else:
            self._body.change(node, "NoOp", (), {})

    def _refuse(self, node: NodeDef, uses: list[Use]) -> None:
        names = " and ".join(sorted({quote(use.source) for use in uses}))
        raise FreezeError(f"{self._body.describe(node)} cannot take the value of {names} in place of the variable")


# --- ops on resources ------------------------------------------------------------------------------------------------


def _read(body: GraphView, node: NodeDef, source: Source) -> None:
    _check_type(body, node, "dtype", source)
    body.change(node, "Identity", attr=_with_colocation(node, {"T": AttrValue(type=source.dtype)}))


def _gather(body: GraphView, node: NodeDef, source: Source) -> None:
    _check_type(body, node, "dtype", source)
    indices = attr(node, "Tindices", DataType)
    batch_dims = attr(node, "batch_dims", int, 0)
    inputs = input_tensors(node)
    name = body.fresh(f"{node.name}/axis")
    controls = [control_input(inputs[1].node)] if body.has_loops else []  # without one it would be outside of the loop
    body.add(NodeDef(name=name, op="Const", input=controls, attr=_constant(indices, batch_dims)))
    types = {"Tparams": source.dtype, "Tindices": indices, "Taxis": indices}
    attrs = {name: AttrValue(type=value) for name, value in types.items()}
    if batch_dims:
        attrs["batch_dims"] = AttrValue(i=batch_dims)
    body.change(node, "GatherV2", (*inputs, TensorName(name)), _with_colocation(node, attrs))


def _gather_nd(body: GraphView, node: NodeDef, source: Source) -> None:
    _check_type(body, node, "dtype", source)
    attrs = {"Tparams": AttrValue(type=source.dtype), "Tindices": AttrValue(type=attr(node, "Tindices", DataType))}
    body.change(node, "GatherNd", attr=_with_colocation(node, attrs))


def _shape(body: GraphView, node: NodeDef, source: Source) -> None:
    out_type = node.attr.get("out_type", AttrValue(type=DataType.DT_INT32))
    body.change(node, "Shape", attr=_with_colocation(node, {"T": AttrValue(type=source.dtype), "out_type": out_type}))


def _convert_initialized(body: GraphView, node: NodeDef, source: Source) -> None:
    _set_true(body, node)


def _make_no_op(body: GraphView, node: NodeDef, source: Source) -> None:
    body.change(node, "NoOp", (), {})


_RESOURCE_OPS: dict[str, tuple[Callable[[GraphView, NodeDef, Source], None], int]] = {
    "ReadVariableOp": (_read, 1),
    "ResourceGather": (_gather, 2),
    "ResourceGatherNd": (_gather_nd, 2),
    "VariableShape": (_shape, 1),
    "VarIsInitializedOp": (_convert_initialized, 1),
    "DisableCopyOnRead": (_make_no_op, 1),
    "DestroyResourceOp": (_make_no_op, 1),
}
"""By op: the function that converts its nodes, and their number of data inputs."""


def _set_true(body: GraphView, node: NodeDef) -> None:
    body.change(node, "Const", (), _constant(DataType.DT_BOOL, True))


def _constant(dtype: DataType, value: int) -> dict[str, AttrValue]:
    tensor = TensorProto(dtype=dtype, tensor_shape=TensorShapeProto())
    if dtype == DataType.DT_BOOL:
        tensor.bool_val = [bool(value)]
    elif dtype == DataType.DT_INT64:
        tensor.int64_val = [value]
    else:
        tensor.int_val = [value]
    return {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=tensor)}


def _with_colocation(node: NodeDef, attrs: dict[str, AttrValue]) -> dict[str, AttrValue]:
    """Return `attrs` with the colocation of the node added, which is valid for any op."""
    colocated = node.attr.get("_class")
    return attrs if colocated is None else {**attrs, "_class": colocated}


def _with_type(node: NodeDef, dtype: DataType) -> dict[str, AttrValue]:
    attrs = {name: value for name, value in node.attr.items() if name != "_output_shapes"}
    return {**attrs, "T": AttrValue(type=dtype)}


def _with_types(node: NodeDef, name: str, types: list[DataType]) -> dict[str, AttrValue]:
    attrs = {other: value for other, value in node.attr.items() if other != "_output_shapes"}
    return {**attrs, name: AttrValue(list=AttrValue.ListValue(type=types))}


def _check_type(body: GraphView, node: NodeDef, name: str, source: Source) -> None:
    dtype = attr(node, name, DataType)
    if dtype != source.dtype:
        raise FreezeError(f"{body.describe(node)} reads {dtype!r}, but the variable holds {source.dtype!r}")


# Ops whose results have the types of their inputs, with the attribute that lists these.
_TYPES = {"While": "T", "StatelessWhile": "T"}
_UNKNOWN = TensorShapeProto(unknown_rank=True)

# Attributes about the resources that a function takes, or that let a runtime replace the function by another one.
_DROPPED_OF_FUNCTIONS = ("api_implements", "api_preferred_device", "_input_shapes")
_DROPPED_OF_CALLS = ("_read_only_resource_inputs", "_output_shapes")


class FunctionConverter:
    """Converts functions, once per set of variables, and their calls. New functions are added to `functions`."""

    def __init__(self, functions: FunctionBodies) -> None:
        self._functions = functions
        self._converted: dict[object, tuple[str, dict[int, int]]] = {}
        self._callers: tuple[str, ...] = ()

    def convert_call(self, body: GraphView, node: NodeDef, variables: Mapping[int, Source]) -> None:
        """Convert a node that passes variables to functions: it calls functions that take the values.

        `variables` are by input number. Raises FreezeError if the node cannot be converted.
        """
        call = self._functions.call(node)
        assert call is not None
        if min(variables) < call.first:
            raise FreezeError(f"{node.op} {quote(node.name)} branches on a variable that was not read")
        values = {index - call.first: source for index, source in variables.items()}
        converted = [self._convert(name, values) for name in call.names]
        returned = {port: values[position] for _, returns in converted for port, position in returns.items()}
        if node.op in _TYPES:
            returned = values
        names = [name for name, _ in converted]
        if not call.attrs:
            body.change(node, names[0])
            return
        attrs = {name: value for name, value in node.attr.items() if name not in _DROPPED_OF_CALLS}
        if call.attrs == ("branches",):
            branches = [
                _with_name(branch, name)
                for branch, name in zip(attr(node, "branches", list[NameAttrList]), names, strict=True)
            ]
            attrs["branches"] = AttrValue(list=AttrValue.ListValue(func=branches))
        else:
            for key, name in zip(call.attrs, names, strict=True):
                attrs[key] = AttrValue(func=_with_name(attr(node, key, NameAttrList), name))
        for key, changed in ((_TYPES.get(node.op, "Tin"), values), ("Tout", returned)):
            if key in attrs and changed:
                attrs[key] = AttrValue(list=AttrValue.ListValue(type=_types(node, key, changed)))
        if "output_shapes" in attrs and returned:
            attrs["output_shapes"] = _shapes(attrs["output_shapes"], returned)
        body.change(node, attr=attrs)

    def _convert(self, name: str, variables: Mapping[int, Source]) -> tuple[str, dict[int, int]]:
        """Return the name of the function that takes values, and the argument numbers of results that are variables."""
        key = (name, tuple(sorted(variables.items())))
        if key not in self._converted:
            callers, self._callers = self._callers, enter_function(self._callers, name)
            self._converted[key] = self._convert_body(self._functions.body(name), variables)
            self._callers = callers
        return self._converted[key]

    def _convert_body(self, function: FunctionBody, variables: Mapping[int, Source]) -> tuple[str, dict[int, int]]:
        if max(variables) >= len(function.arguments):
            raise FreezeError(f"function {quote(function.name)} has only {len(function.arguments)} arguments")
        body = GraphView(function)
        sources = {function.arguments[position]: source for position, source in variables.items()}
        trace = convert(
            body,
            self._functions,
            sources,
            outputs=function.returns,
            convert_call=self.convert_call,
            callers=self._callers,
        )
        positions = {function.arguments[position]: position for position in variables}
        returned = {
            port: positions[trace.aliases[tensor]]
            for port, tensor in enumerate(function.returns)
            if tensor in trace.aliases
        }
        name = self._functions.reserve_name(f"{function.name}_frozen")
        self._functions.add(self._message(function, name, body, variables, returned))
        return name, returned

    def _message(
        self,
        function: FunctionBody,
        name: str,
        body: GraphView,
        variables: Mapping[int, Source],
        returned: Mapping[int, int],
    ) -> FunctionDef:
        old = function.message
        assert old.signature is not None
        signature = OpDef(
            name=name,
            input_arg=[_arg(arg, variables.get(position)) for position, arg in enumerate(old.signature.input_arg)],
            output_arg=[
                _arg(arg, variables[returned[port]] if port in returned else None)
                for port, arg in enumerate(old.signature.output_arg)
            ],
            control_output=list(old.signature.control_output),
            attr=old.signature.attr,
            is_stateful=old.signature.is_stateful,
        )
        results = zip(old.signature.output_arg, function.returns, strict=True)
        return FunctionDef(
            signature=signature,
            attr={key: value for key, value in old.attr.items() if key not in _DROPPED_OF_FUNCTIONS},
            arg_attr={position: attrs for position, attrs in old.arg_attr.items() if position not in variables},
            resource_arg_unique_id={
                position: number for position, number in old.resource_arg_unique_id.items() if position not in variables
            },
            node_def=[function.as_in_body(node, body.nodes) for node in body.nodes.values()],
            ret={result.name: function.spell(tensor, body.nodes) for result, tensor in results},
            control_ret=dict(old.control_ret),
        )


def _arg(arg: OpDef.ArgDef, source: Source | None) -> OpDef.ArgDef:
    return arg if source is None else OpDef.ArgDef(name=arg.name, type=source.dtype)


def _with_name(function: NameAttrList, name: str) -> NameAttrList:
    return NameAttrList(name=name, attr=dict(function.attr))


def _types(node: NodeDef, key: str, changed: Mapping[int, Source]) -> list[DataType]:
    types = list(attr(node, key, list[DataType]))
    for position, source in changed.items():
        if position >= len(types):
            raise FreezeError(f"{node.op} {quote(node.name)} has only {len(types)} types in {quote(key)}")
        types[position] = source.dtype
    return types


def _shapes(old: AttrValue, changed: Mapping[int, object]) -> AttrValue:
    shapes = list(old.list.shape) if old.list is not None else []
    return AttrValue(
        list=AttrValue.ListValue(
            shape=[_UNKNOWN if position in changed else shape for position, shape in enumerate(shapes)]
        )
    )
