"""Convert functions that take variables to functions that take the values.

Branches and loops still call functions after freezing. A function `f` that takes a variable becomes `f_frozen`, which
has an argument of the type of the value in its place; so do the functions that it calls.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import FreezeError
from ..graph import attr
from ..graph.edit import MutableGraph, MutableNode
from ..graph.error_text import quoted
from ..graph.function_body import FunctionBodies, FunctionBody
from ..graph.functions import enter_function
from ..messages import AttrValue, DataType, FunctionDef, NameAttrList, NodeDef, OpDef, TensorShapeProto
from ..names import control_input
from .handle_tracing import Source
from .variable_conversion import convert

__all__ = ["FunctionConverter"]

_TYPES = {"While": "T", "StatelessWhile": "T"}
_UNKNOWN = TensorShapeProto(unknown_rank=True)

# Attributes about the resources that a function takes, or that let a runtime replace the function by another one.
_DROPPED_OF_FUNCTIONS = ("api_implements", "api_preferred_device", "_input_shapes")
_DROPPED_OF_CALLS = ("_read_only_resource_inputs", "_output_shapes")


class FunctionConverter:
    """Convert functions, each once per set of variables, and the calls of them. New functions go to `functions`."""

    def __init__(self, functions: FunctionBodies) -> None:
        self._functions = functions
        self._converted: dict[object, tuple[str, dict[int, int]]] = {}
        self._callers: tuple[str, ...] = ()

    def convert_call(self, node: MutableNode, variables: Mapping[int, Source]) -> None:
        """Make a node that passes variables to functions call functions that take the values. `variables` are by input.

        Raises FreezeError if that is not possible.
        """
        call = self._functions.call(node)
        assert call is not None
        if min(variables) < call.first:
            raise FreezeError(f"{node.op} {quoted(node.name)} branches on a variable that was not read")
        values = {index - call.first: source for index, source in variables.items()}
        converted = [self._convert(name, values) for name in call.names]
        returned = {port: values[position] for _, returns in converted for port, position in returns.items()}
        if node.op in _TYPES:
            returned = values
        names = [name for name, _ in converted]
        if not call.attrs:
            node.change(names[0])
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
        node.change(attr=attrs)

    def _convert(self, name: str, variables: Mapping[int, Source]) -> tuple[str, dict[int, int]]:
        """Return the name of the function that takes values, and of the results that are variables, the argument."""
        key = (name, tuple(sorted(variables.items())))
        if key not in self._converted:
            outside, self._callers = self._callers, enter_function(self._callers, name)
            self._converted[key] = self._convert_body(self._functions.body(name), variables)
            self._callers = outside
        return self._converted[key]

    def _convert_body(self, function: FunctionBody, variables: Mapping[int, Source]) -> tuple[str, dict[int, int]]:
        if max(variables) >= len(function.arguments):
            raise FreezeError(f"function {quoted(function.name)} has only {len(function.arguments)} arguments")
        body = function.graph()
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
        body: MutableGraph,
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
            node_def=[self._node(function, body, node) for node in body.nodes.values()],
            ret={result.name: function.spell(tensor, body.nodes) for result, tensor in results},
            control_ret=dict(old.control_ret),
        )

    def _node(self, function: FunctionBody, body: MutableGraph, node: MutableNode) -> NodeDef:
        inputs = [function.spell(tensor, body.nodes) for tensor in node.inputs]
        return node.to_message([*inputs, *(control_input(name) for name in node.controls)])


def _arg(arg: OpDef.ArgDef, source: Source | None) -> OpDef.ArgDef:
    return arg if source is None else OpDef.ArgDef(name=arg.name, type=source.dtype)


def _with_name(function: NameAttrList, name: str) -> NameAttrList:
    return NameAttrList(name=name, attr=dict(function.attr))


def _types(node: MutableNode, key: str, changed: Mapping[int, Source]) -> list[DataType]:
    types = list(attr(node, key, list[DataType]))
    for position, source in changed.items():
        if position >= len(types):
            raise FreezeError(f"{node.op} {quoted(node.name)} has only {len(types)} types in {quoted(key)}")
        types[position] = source.dtype
    return types


def _shapes(old: AttrValue, changed: Mapping[int, object]) -> AttrValue:
    shapes = list(old.list.shape) if old.list is not None else []
    return AttrValue(
        list=AttrValue.ListValue(
            shape=[_UNKNOWN if position in changed else shape for position, shape in enumerate(shapes)]
        )
    )
