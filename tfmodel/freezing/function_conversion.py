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
        self._made: dict[object, tuple[str, dict[int, int]]] = {}
        self._callers: tuple[str, ...] = ()

    def convert_call(self, node: MutableNode, given: Mapping[int, Source]) -> None:
        """Make a node that calls functions with variables, `given` by input, call functions that take the values.

        Raises FreezeError if that is not possible.
        """
        call = self._functions.call(node)
        assert call is not None
        if min(given) < call.first:
            raise FreezeError(f"{node.op} {quoted(node.name)} branches on a variable that was not read")
        values = {index - call.first: source for index, source in given.items()}
        made = [self._frozen(name, values) for name in call.names]
        returned = {port: values[position] for _, returns in made for port, position in returns.items()}
        if node.op in _TYPES:
            returned = values
        names = [name for name, _ in made]
        if not call.attrs:
            node.change(names[0])
            return
        attrs = {name: value for name, value in node.attr.items() if name not in _DROPPED_OF_CALLS}
        if call.attrs == ("branches",):
            branches = [
                _renamed(each, name)
                for each, name in zip(attr(node, "branches", list[NameAttrList]), names, strict=True)
            ]
            attrs["branches"] = AttrValue(list=AttrValue.ListValue(func=branches))
        else:
            for key, name in zip(call.attrs, names, strict=True):
                attrs[key] = AttrValue(func=_renamed(attr(node, key, NameAttrList), name))
        for key, changed in ((_TYPES.get(node.op, "Tin"), values), ("Tout", returned)):
            if key in attrs and changed:
                attrs[key] = AttrValue(list=AttrValue.ListValue(type=_types(node, key, changed)))
        if "output_shapes" in attrs and returned:
            attrs["output_shapes"] = _shapes(attrs["output_shapes"], returned)
        node.change(attr=attrs)

    def _frozen(self, name: str, given: Mapping[int, Source]) -> tuple[str, dict[int, int]]:
        """Return the name of the function that takes values, and the argument that each such result is."""
        key = (name, tuple(sorted(given.items())))
        if key not in self._made:
            outside, self._callers = self._callers, enter_function(self._callers, name)
            self._made[key] = self._make(self._functions.body(name), given)
            self._callers = outside
        return self._made[key]

    def _make(self, function: FunctionBody, given: Mapping[int, Source]) -> tuple[str, dict[int, int]]:
        if max(given) >= len(function.arguments):
            raise FreezeError(f"function {quoted(function.name)} has only {len(function.arguments)} arguments")
        body = function.graph()
        sources = {function.arguments[position]: source for position, source in given.items()}
        trace = convert(
            body,
            self._functions,
            sources,
            outputs=function.returns,
            convert_call=self.convert_call,
            callers=self._callers,
        )
        positions = {function.arguments[position]: position for position in given}
        returned = {
            port: positions[trace.aliases[tensor]]
            for port, tensor in enumerate(function.returns)
            if tensor in trace.aliases
        }
        name = self._functions.reserve_name(f"{function.name}_frozen")
        self._functions.add(self._message(function, name, body, given, returned))
        return name, returned

    def _message(
        self,
        function: FunctionBody,
        name: str,
        body: MutableGraph,
        given: Mapping[int, Source],
        returned: Mapping[int, int],
    ) -> FunctionDef:
        old = function.message
        assert old.signature is not None
        signature = OpDef(
            name=name,
            input_arg=[_arg(arg, given.get(position)) for position, arg in enumerate(old.signature.input_arg)],
            output_arg=[
                _arg(arg, given[returned[port]] if port in returned else None)
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
            arg_attr={position: attrs for position, attrs in old.arg_attr.items() if position not in given},
            resource_arg_unique_id={
                position: number for position, number in old.resource_arg_unique_id.items() if position not in given
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


def _renamed(function: NameAttrList, name: str) -> NameAttrList:
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
