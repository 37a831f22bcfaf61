"""While, If, Case, and calls of functions that were not inlined."""

from __future__ import annotations

from ....graph import attr
from ....messages import NameAttrList, NodeDef
from ....ops.traits import WHILE_LOOPS
from ..conversion.body import Body
from ..conversion.lists import EmptyList, filled_list
from ..conversion.model import OnnxGraph, Value
from ..conversion.nodes import CALL, Conversion, Structure, bind
from ..conversion.registry import Refusal
from ..conversion.scope import INT64, Scope
from .loops import BOOL, Loop, Variable, convert_loop


def _named(body: Body, node: NodeDef, attribute: str) -> Body:
    return body.function(node, attr(node, attribute, NameAttrList).name)


def _while(conversion: Conversion, body: Body, scope: Scope, node: NodeDef) -> None:
    inside, condition = _named(body, node, "body"), _named(body, node, "cond")
    keys = zip(body.inputs(node), inside.arguments(), condition.arguments(), inside.results(), strict=True)
    variables = [Variable(*row, [body.output(node, port)]) for port, row in enumerate(keys)]
    test = condition.results()[0]
    convert_loop(conversion, Loop(node.name, body, scope, inside, condition, test, variables))


def _if(conversion: Conversion, body: Body, scope: Scope, node: NodeDef) -> None:
    """A conditional: the branches see the values outside, and give values of their own."""
    keys = body.inputs(node)
    conversion.require(body, scope, keys)
    test = scope.value(keys[0])
    if body.shape(keys[0]) not in ((), None) or test.dtype.name == "DT_STRING":
        raise Refusal("its condition is not a number")
    test = scope.cast(test, BOOL)
    branches = [_branch(conversion, _named(body, node, name), scope, keys[1:], node) for name in _BRANCHES]
    for port, value in enumerate(_add_if(scope, node, test, branches)):
        bind(body, scope, body.output(node, port), value, node)


_BRANCHES = ("then_branch", "else_branch")


def _add_if(scope: Scope, node: NodeDef, test: Value, branches: list[OnnxGraph]) -> list[Value]:
    """Add an If and return its results."""
    types = [value.dtype for value in branches[0].outputs]
    attributes = dict(zip(_BRANCHES, branches, strict=True))
    values = scope.add("If", test, types=types, scope=node.name, attributes=attributes)
    for value, inside in zip(values, branches[0].outputs, strict=True):
        value.listed = inside.listed
    return values


def _case(conversion: Conversion, body: Body, scope: Scope, node: NodeDef) -> None:
    """A choice of one function of several, as conditionals in conditionals; other numbers choose the last one."""
    keys = body.inputs(node)
    conversion.require(body, scope, keys)
    names = [each.name for each in attr(node, "branches", list[NameAttrList])]
    if len(names) < 2:
        raise Refusal("it has nothing to choose from")
    number = scope.value(keys[0], dtype=INT64)
    values = _chosen(conversion, body, scope, node, number, list(enumerate(names)))
    for port, value in enumerate(values):
        bind(body, scope, body.output(node, port), value, node)


def _chosen(
    conversion: Conversion, body: Body, scope: Scope, node: NodeDef, number: Value, rest: list[tuple[int, str]]
) -> list[Value]:
    """Return the results of the function that has a number, or of the last one."""
    keys = body.inputs(node)[1:]
    (place, name), (_, other) = rest[:2]
    (test,) = scope.add("Equal", number, scope.constant(place, INT64), types=[BOOL], scope=node.name)
    graphs = [_branch(conversion, body.function(node, name), scope, keys, node)]
    if len(rest) == 2:
        graphs.append(_branch(conversion, body.function(node, other), scope, keys, node))
    else:
        inner = Scope(scope)
        graphs.append(own_outputs(inner, _chosen(conversion, body, inner, node, number, rest[1:]), node.name))
    return _add_if(scope, node, test, graphs)


def _branch(conversion: Conversion, inside: Body, scope: Scope, keys: list[str], node: NodeDef) -> OnnxGraph:
    """Return the graph of one branch."""
    inner = Scope(scope)
    for argument, key in zip(inside.arguments(), keys, strict=True):
        inner.share(argument, key, scope)
    results = inside.results()
    conversion.require(inside, inner, results)
    return own_outputs(inner, [inner.value(key) for key in results], node.name)


def own_outputs(inner: Scope, values: list[Value], name: str) -> OnnxGraph:
    """Return the graph of a scope with these outputs, each made by a node of the graph."""
    graph = inner.graph
    own = {value for node in graph.nodes for value in node.outputs}
    for place, each in enumerate(values):
        value = filled_list(inner, each, None, name) if isinstance(each, EmptyList) else each
        if value in own and value not in values[:place]:
            graph.outputs.append(value)
        else:
            (copy,) = inner.add("Identity", value, types=[value.dtype], scope=name)
            copy.listed, copy.shape = value.listed, value.shape
            graph.outputs.append(copy)
    return graph


def _call(conversion: Conversion, body: Body, scope: Scope, node: NodeDef) -> None:
    """A call: the nodes of the function take its place."""
    keys = body.inputs(node)
    conversion.require(body, scope, keys)
    inside = body.function(node, node.op) if node.op in body.index.functions else _named(body, node, "f")
    for argument, key in zip(inside.arguments(), keys, strict=True):
        scope.share(argument, key)
    results = inside.results()
    conversion.compute(inside, scope, results)
    for port, key in enumerate(results):
        if not conversion.is_spoiled([key]):
            scope.share(body.output(node, port), key)


STRUCTURES: dict[str, Structure] = {
    **dict.fromkeys(WHILE_LOOPS, _while),
    **dict.fromkeys(("If", "StatelessIf"), _if),
    **dict.fromkeys(("Case", "StatelessCase"), _case),
    **dict.fromkeys((CALL, "StatefulPartitionedCall"), _call),
}
