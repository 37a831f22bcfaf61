"""Conditionals of TensorFlow 1: a Switch sends a tensor into one of two branches, a Merge takes the one that ran."""

from __future__ import annotations

from ....graph.control_flow import Branch
from ....messages import NodeDef
from ....ops.traits import LOOP_COND, MERGE, SWITCH
from ....values.names import TensorName
from ..conversion.body import Body
from ..conversion.model import Value
from ..conversion.nodes import Conversion, Structure, bind
from ..conversion.registry import Refusal
from ..conversion.scope import Scope
from .counters import trace
from .loops import own_outputs


def _switch(conversion: Conversion, body: Body, scope: Scope, node: NodeDef) -> None:
    """Pass a value on into a loop or a branch. It is computed outside of the branch."""
    data, test = body.inputs(node)
    decides = body.producer(test)
    if decides is not None and decides.op in LOOP_COND:
        outside = scope
    else:
        found = _around_branch(body, scope, test)
        if found is None:
            raise Refusal("a value of one branch is used outside of the branch")
        outside = found
    conversion.require(body, outside, [data])
    for port in (0, 1):
        scope.share(body.output(node, port), data, outside)


def _around_branch(body: Body, scope: Scope, test: str) -> Scope | None:
    """Return the scope around the branch of a condition."""
    key = trace(body, test)
    return next((each.parent for each in scope.around() if each.branch_of == key), None)


def _merge(conversion: Conversion, body: Body, scope: Scope, node: NodeDef) -> None:
    """Convert the conditional that ends in a Merge, together with those Merges that end it too."""
    keys = body.inputs(node)
    branches = [_branch_of(body, key) for key in keys]
    decided = [branch for branch in branches if branch is not None]
    if len(keys) != 2 or not decided or any(one.pred != decided[0].pred for one in decided):
        raise Refusal("its inputs are not the two branches of one condition")
    test_key = body.key(str(decided[0].pred))
    yes, no = _sides(keys, branches)
    conversion.require(body, scope, [test_key])
    graphs = []
    for key in (yes, no):
        inner = Scope(scope)
        inner.branch_of = trace(body, test_key)
        conversion.require(body, inner, [key])
        graphs.append(own_outputs(inner, [inner.value(key)], node.name))
    types = [graphs[0].outputs[0].dtype]
    attributes = {"then_branch": graphs[0], "else_branch": graphs[1]}
    (value,) = scope.add("If", scope.value(test_key), types=types, scope=node.name, attributes=attributes)
    value.listed = graphs[0].outputs[0].listed
    bind(body, scope, body.output(node), value, node)
    if body.is_used(body.output(node, 1)):
        _bind_index(body, scope, node, scope.value(test_key), yes == keys[1])


def _bind_index(body: Body, scope: Scope, node: NodeDef, test: Value, is_second: bool) -> None:
    """Bind the number of the input that a Merge took."""
    dtype = body.dtype(body.output(node, 1))
    index = scope.cast(test, dtype)
    if not is_second:
        (index,) = scope.add("Sub", scope.constant(1, dtype), index, types=[dtype], scope=node.name)
    bind(body, scope, body.output(node, 1), index, node)


def _sides(keys: list[str], branches: list[Branch | None]) -> tuple[str, str]:
    """Return the tensors of the branch that runs if the condition is true, and of the other."""
    for place, branch in enumerate(branches):
        if branch is not None:
            other = keys[1 - place]
            return (keys[place], other) if branch.taken == 1 else (other, keys[place])
    raise AssertionError


def _branch_of(body: Body, key: str) -> Branch | None:
    """Return the branch that a tensor is computed in."""
    node = body.producer(key)
    if node is None:
        return None
    if node.op in SWITCH:
        test = body.inputs(node)[1]
        origin = TensorName.parse(trace(body, test).removeprefix(body.prefix))
        return Branch(origin, body.port(key), body.index.branch(node.name))
    return body.index.branch(node.name)


STRUCTURES: dict[str, Structure] = {
    **dict.fromkeys(SWITCH, _switch),
    **dict.fromkeys(MERGE, _merge),
}
