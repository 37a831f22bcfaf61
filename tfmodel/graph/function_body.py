"""How many tensors a node gives, and what its op calls them: as far as its op is known.

What ops are declared as comes from outside: from a mapping such as `tfmodel.ops.OPS`. Functions of the library are ops
too, which their signatures declare.

The body of a function as if it were a graph, so that a rewrite need not know of functions.

body = Body(function, functions)
nodes = rewrite(body.index)         # where n:out:0 is spelled n, and arguments are nodes
function = body.rebuilt(nodes)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import GraphError
from ..messages import FunctionDef, GraphDef, NodeDef, OpDef
from ..names import TensorName
from .edit import changed, with_nodes
from .error_text import describe
from .functions import Functions
from .index import GraphIndex

__all__ = ["ARGUMENT_OP", "Body", "Outputs"]


class Outputs:
    """The outputs of nodes. `registry` declares ops by name; what neither it nor the library has is not known."""

    def __init__(self, functions: Functions, registry: Mapping[str, OpDef] | None = None) -> None:
        self._functions = functions
        self._registry = registry if registry is not None else {}
        self._fixed: dict[str, list[tuple[str, int]] | None] = {}
        self._with_first: dict[str, bool] = {}

    def declared(self, op: str) -> OpDef | None:
        function = self._functions.get(op)
        return function.signature if function is not None else self._registry.get(op)

    def has_first(self, op: str) -> bool:
        """Whether all nodes of an op have an output 0, or may have one since the op is not known."""
        found = self._with_first.get(op)
        if found is None:
            declared = self.declared(op)
            found = declared is None or any(
                not (output.number_attr or output.type_list_attr) for output in declared.output_arg
            )
            self._with_first[op] = found
        return found

    def of(self, node: NodeDef) -> list[tuple[str, int]] | None:
        """The outputs of a node: what its op calls each, and how many tensors that is. None if that is not known."""
        if node.op in self._fixed:
            return self._fixed[node.op]
        op = self.declared(node.op)
        if op is None or not any(output.number_attr or output.type_list_attr for output in op.output_arg):
            fixed = None if op is None else [(output.name, 1) for output in op.output_arg]
            self._fixed[node.op] = fixed
            return fixed
        outputs = []
        for output in op.output_arg:
            counted = output.number_attr or output.type_list_attr
            count = _count(node, op, counted) if counted else 1
            if count is None:
                return None
            outputs.append((output.name, count))
        return outputs


def _count(node: NodeDef, op: OpDef, name: str) -> int | None:
    """How many tensors an attribute says that there are; None if it does not, or not yet."""
    value = node.attr.get(name)
    if value is None:
        value = next((attr.default_value for attr in op.attr if attr.name == name), None)
    if value is None:
        return None
    return value.i if value.list is None else len(value.list.type)


ARGUMENT_OP = "_Arg"
"""The op of the nodes that stand for the arguments of the function."""

_MOST = 2**31 - 1  # tensors that an output can be


class Body:
    """The body of a function, with references as a graph spells them.

    Raises GraphError if it has a reference to the output of an op that is not known, or to something that is not there.
    With `assuming`, an op of which nothing is known has one output, as most have, unless it turns out to have two.
    """

    def __init__(
        self, function: FunctionDef, functions: Functions, ops: Mapping[str, OpDef], *, assuming: bool = False
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
