"""The body of a function as if it were a graph, so that a rewrite need not know of functions.

body = Body(function, functions)
nodes = rewrite(body.index)         # where n:out:0 is spelled n, and arguments are nodes
function = body.rebuilt(nodes)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...errors import GraphError
from ...graph import Functions, GraphIndex, changed, describe, with_nodes
from ...graph.ports import Outputs
from ...messages import FunctionDef, GraphDef, NodeDef, OpDef
from ...names import TensorName
from ...ops import OPS

__all__ = ["ARGUMENT_OP", "Body"]

ARGUMENT_OP = "_Arg"
"""The op of the nodes that stand for the arguments of the function."""

_MOST = 2**31 - 1  # tensors that an output can be


class Body:
    """The body of a function, with references as a graph spells them.

    Raises GraphError if it has a reference to the output of an op that is not known, or to something that is not there.
    With `assuming`, an op of which nothing is known has one output, as most have, unless it turns out to have two.
    """

    def __init__(
        self, function: FunctionDef, functions: Functions, ops: Mapping[str, OpDef] = OPS, *, assuming: bool = False
    ) -> None:
        self._function = function
        self._outputs = Outputs(functions, ops)
        self._assuming = assuming
        self._assumed: dict[str, str] = {}  # what unknown ops call their output
        nodes = {node.name: node for node in function.node_def}
        arguments = function.signature.input_arg if function.signature is not None else []
        self._arguments = {each.name for each in arguments}
        self._originals: dict[int, NodeDef] = {}
        spelled = [NodeDef(name=name, op=ARGUMENT_OP) for name in self._arguments]
        for node in function.node_def:
            inputs = [self._in_graph(text, nodes) for text in node.input]
            as_graph = node if inputs == node.input else changed(node, input=inputs)
            self._originals[id(as_graph)] = node
            spelled.append(as_graph)
        self.returns: dict[str, str] = {name: self._in_graph(text, nodes) for name, text in function.ret.items()}
        self.index = GraphIndex(GraphDef(node=spelled), functions)
        self.results = {TensorName.parse(text).node for text in self.returns.values()}
        self.results.update(function.control_ret.values())
        """The names of the nodes that the function returns, or that have to run."""

    def rebuilt(self, nodes: Iterable[NodeDef]) -> FunctionDef:
        """The function with other nodes in its body; the function itself if they are the same."""
        kept = [node for node in nodes if node.op != ARGUMENT_OP or node.name not in self._arguments]
        by_name = {node.name: node for node in kept}
        back = [self._original(node, by_name) for node in kept]
        if len(back) == len(self._function.node_def) and all(map(_is, back, self._function.node_def)):
            return self._function
        result = with_nodes(self._function, back)
        result.ret = {name: self._in_body(text, by_name) for name, text in self.returns.items()}
        return result

    def _original(self, node: NodeDef, nodes: dict[str, NodeDef]) -> NodeDef:
        inputs = [self._in_body(text, nodes) for text in node.input]
        original = self._originals.get(id(node))
        if original is not None and original.input == inputs:
            return original
        return node if inputs == node.input else changed(node, input=inputs)

    def _in_graph(self, text: str, nodes: dict[str, NodeDef]) -> str:
        name = TensorName.parse(text)
        if not name.output:
            return text
        first = 0
        node = nodes.get(name.node)
        for output, count in self._of(node, name):
            if output == name.output:
                return str(TensorName(name.node, first + name.port))
            first += count
        raise GraphError(f'function "{self._name}": there is no output "{text}"')

    def _in_body(self, text: str, nodes: dict[str, NodeDef]) -> str:
        name = TensorName.parse(text)
        if name.is_control or name.node in self._arguments:
            return text
        port = name.port
        for output, count in self._of(nodes.get(name.node), name):
            if port < count:
                return f"{name.node}:{output}:{port}"
            port -= count
        raise GraphError(f'function "{self._name}": there is no output "{text}"')

    def _of(self, node: NodeDef | None, name: TensorName) -> list[tuple[str, int]]:
        if node is None:
            raise GraphError(f'function "{self._name}": there is no node "{name.node}"')
        outputs = self._outputs.of(node)
        if outputs is None:
            declared = self._outputs.declared(node.op)
            if declared is not None:
                names = [output.name for output in declared.output_arg]
            else:
                names = [self._assumed.setdefault(node.op, name.output)] if self._assuming else []
            if len(names) != 1 or names[0] != (name.output or names[0]) or not names[0]:
                raise GraphError(f'function "{self._name}": what {describe(node)} gives is not known')
            return [(names[0], _MOST)]
        return outputs

    @property
    def _name(self) -> str:
        return self._function.signature.name if self._function.signature is not None else ""


def _is(one: NodeDef, other: NodeDef) -> bool:
    return one is other
