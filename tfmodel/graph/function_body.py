"""Function bodies as graphs: `n:out:0` is read as an output number, so rewrites need no special cases.

    body = FunctionBody(function, functions, OPS)       # for rewrites that make new nodes
    nodes = rewrite(body.index)                         # n:out:0 is spelled n, and arguments are nodes
    function = body.rebuilt(nodes)

    functions = OpenFunctions(graph.library, OPS)       # for rewrites that change nodes in place
    body = functions.open("f").graph()                  # a MutableGraph

In the body of a function, a reference names the output of the op, so reading it takes the declaration of the op. This
package does not import the declarations: `tfmodel.ops.OPS`, or the registry of a model, is passed in. Functions of the
library are ops too, declared by their signatures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from ..errors import GraphError
from ..messages import FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef
from ..names import TensorName
from .edit import replace_node, with_nodes
from .error_text import describe, quoted
from .functions import Functions, function_name
from .index import GraphIndex, references
from .mutable_graph import MutableGraph, MutableNode

__all__ = ["ARGUMENT_OP", "FunctionBody", "OpenFunction", "OpenFunctions", "Outputs"]

ARGUMENT_OP = "_Arg"
"""The op of the nodes that represent the arguments of a function."""

UNKNOWN_COUNT = 2**31 - 1
"""The number of tensors of an output if the attributes leave it open, or to the caller of the function."""


# --- outputs ---------------------------------------------------------------------------------------------------------


class Outputs:
    """The outputs of nodes by their names in the declarations of ops.

    `registry` declares ops by name; an op that is neither there nor in the library is unknown. With
    `assume_one_output`, an unknown op has one output, as most have, until references name two.
    """

    def __init__(
        self, functions: Functions, registry: Mapping[str, OpDef] | None = None, *, assume_one_output: bool = False
    ) -> None:
        self._functions = functions
        self._registry = registry if registry is not None else {}
        self._assume_one_output = assume_one_output
        self._assumed: dict[str, str] = {}  # the output of unknown ops, by op
        self._fixed: dict[str, list[tuple[str, int]] | None] = {}
        self._with_first: dict[str, bool] = {}

    def declared(self, op: str) -> OpDef | None:
        """Return the declaration of an op or function; None if it is unknown."""
        function = self._functions.get(op)
        return function.signature if function is not None else self._registry.get(op)

    def has_first(self, op: str) -> bool:
        """Return whether all nodes of an op have an output 0, or may have one since the op is unknown."""
        known = self._with_first.get(op)
        if known is None:
            declared = self.declared(op)
            known = declared is None or any(
                not (output.number_attr or output.type_list_attr) for output in declared.output_arg
            )
            self._with_first[op] = known
        return known

    def of(self, node: NodeDef) -> list[tuple[str, int]] | None:
        """Return the name and the number of tensors of each output of a node; None if not all of that is known."""
        outputs = self._counts(node)
        return None if outputs is None or any(count == UNKNOWN_COUNT for _, count in outputs) else outputs

    def port(self, node: NodeDef, output: str, index: int) -> int:
        """Return the number of a tensor among all outputs of its node: `index` counts from the output of that name.

        Raises GraphError if the node has no such tensor, or if the outputs of its op are unknown.
        """
        port = index
        for name, count in self._counts_for(node, output):
            if name == output:
                if index >= count:
                    raise GraphError(f"{describe(node)} has no tensor {quoted(f'{output}:{index}')}")
                return port
            if count == UNKNOWN_COUNT:
                raise GraphError(f"the number of tensors of the output {quoted(name)} of {describe(node)} is not known")
            port += count
        raise GraphError(f"{describe(node)} has no output {quoted(output)}")

    def reference(self, node: NodeDef, port: int) -> str:
        """Return how a function body refers to a tensor, "n:out:0", given its number among all outputs of its node.

        Raises GraphError if the node has no such tensor, or if the outputs of its op are unknown.
        """
        index = port
        for output, count in self._counts_for(node, ""):
            if index < count:
                return str(TensorName(node.name, index, output))
            index -= count
        raise GraphError(f"{describe(node)} has no output {port:,}")

    def _counts(self, node: NodeDef) -> list[tuple[str, int]] | None:
        if node.op in self._fixed:
            return self._fixed[node.op]
        op = self.declared(node.op)
        if op is None or not any(output.number_attr or output.type_list_attr for output in op.output_arg):
            fixed = None if op is None else [(output.name, 1) for output in op.output_arg]
            self._fixed[node.op] = fixed
            return fixed
        return [
            (output.name, _count(node, op, output.number_attr or output.type_list_attr)) for output in op.output_arg
        ]

    def _counts_for(self, node: NodeDef, output: str) -> list[tuple[str, int]]:
        """Return the outputs of a node, which a reference says to have `output` ("" if it names none)."""
        outputs = self._counts(node)
        if outputs is not None:
            return outputs
        known = self._assumed.setdefault(node.op, output) if self._assume_one_output else ""
        if known and known == (output or known):
            return [(known, UNKNOWN_COUNT)]
        if known:
            raise GraphError(
                f"the op {quoted(node.op)} is not known, and has outputs {quoted(known)} and {quoted(output)}: "
                "give the MetaGraphDef or SavedModel, which declare the ops that they use"
            )
        raise GraphError(f"the outputs of {describe(node)} are not known")


def _count(node: NodeDef, op: OpDef, name: str) -> int:
    """Return the number of tensors that an attribute gives, or its default where the node leaves it out."""
    if not name:
        return 1
    value = node.attr.get(name)
    if value is None:
        value = next((attr.default_value for attr in op.attr if attr.name == name), None)
    if value is None:
        return UNKNOWN_COUNT
    if value.list is not None:
        return len(value.list.type)
    return UNKNOWN_COUNT if value.i is None else max(0, min(value.i, UNKNOWN_COUNT))


# --- bodies for new nodes --------------------------------------------------------------------------------------------


class FunctionBody:
    """The body of a function with references as a graph spells them, for rewrites that make new nodes.

    index      the nodes, among them an `_Arg` for each argument
    returns    the reference of each result, by name
    results    the names of the nodes that the function returns, or that have to run

    Raises GraphError for a reference to an output of an op that is not known, or to something that does not exist. For
    `assume_one_output` see `Outputs`.
    """

    def __init__(
        self,
        function: FunctionDef,
        functions: Functions,
        ops: Mapping[str, OpDef],
        *,
        assume_one_output: bool = False,
    ) -> None:
        self._function = function
        self._outputs = Outputs(functions, ops, assume_one_output=assume_one_output)
        nodes = {node.name: node for node in function.node_def}
        arguments = function.signature.input_arg if function.signature is not None else []
        self._arguments = {argument.name for argument in arguments}
        self._originals: dict[int, NodeDef] = {}
        spelled = [NodeDef(name=name, op=ARGUMENT_OP) for name in self._arguments]
        for node in function.node_def:
            inputs = [self._in_graph(text, nodes) for text in node.input]
            as_graph = node if inputs == node.input else replace_node(node, input=inputs)
            self._originals[id(as_graph)] = node
            spelled.append(as_graph)
        self.returns: dict[str, str] = {name: self._in_graph(text, nodes) for name, text in function.ret.items()}
        self.index = GraphIndex(GraphDef(node=spelled), functions)
        self.results = {TensorName.parse(text).node for text in self.returns.values()}
        self.results.update(function.control_ret.values())

    def rebuilt(self, nodes: Iterable[NodeDef]) -> FunctionDef:
        """Return the function with other nodes in its body; the function itself if they are the same.

        Raises GraphError for a reference to a node that is not among them.
        """
        kept = [node for node in nodes if node.op != ARGUMENT_OP or node.name not in self._arguments]
        by_name = {node.name: node for node in kept}
        originals = [self._original(node, by_name) for node in kept]
        if len(originals) == len(self._function.node_def) and all(map(_is, originals, self._function.node_def)):
            return self._function
        result = with_nodes(self._function, originals)
        result.ret = {name: self._in_body(text, by_name) for name, text in self.returns.items()}
        return result

    def _original(self, node: NodeDef, nodes: dict[str, NodeDef]) -> NodeDef:
        """Return a node with references as the body of the function spells them."""
        inputs = [self._in_body(text, nodes) for text in node.input]
        original = self._originals.get(id(node))
        if original is not None and original.input == inputs:
            return original
        return node if inputs == node.input else replace_node(node, input=inputs)

    def _in_graph(self, text: str, nodes: dict[str, NodeDef]) -> str:
        name = TensorName.parse(text)
        if not name.output:
            return text
        try:
            port = self._outputs.port(self._node(name.node, nodes), name.output, name.port)
        except GraphError as error:
            raise self._problem(error) from error
        return str(TensorName(name.node, port))

    def _in_body(self, text: str, nodes: dict[str, NodeDef]) -> str:
        name = TensorName.parse(text)
        if name.is_control or name.node in self._arguments:
            return text
        try:
            return self._outputs.reference(self._node(name.node, nodes), name.port)
        except GraphError as error:
            raise self._problem(error) from error

    def _node(self, name: str, nodes: dict[str, NodeDef]) -> NodeDef:
        node = nodes.get(name)
        if node is None:
            raise GraphError(f"there is no node {quoted(name)}")
        return node

    def _problem(self, error: GraphError) -> GraphError:
        return GraphError(f"function {quoted(function_name(self._function))}: {error}")


def _is(one: NodeDef, other: NodeDef) -> bool:
    return one is other


# --- bodies to change in place ---------------------------------------------------------------------------------------


class OpenFunction:
    """A function whose references are read as output numbers, once for all calls of it.

    `message` is the function itself.
    """

    def __init__(self, message: FunctionDef, outputs: Outputs) -> None:
        self.message = message
        self.name = function_name(message)
        self._outputs = outputs
        self._spellings: dict[TensorName, str] = {}

    @cached_property
    def arguments(self) -> list[str]:
        """The names of the arguments. Raises GraphError if an argument or result is a list of tensors."""
        signature = self._signature
        for arg in (*signature.input_arg, *signature.output_arg):
            if arg.number_attr or arg.type_list_attr:
                raise GraphError(f"the argument {quoted(arg.name)} of function {quoted(self.name)} is a list")
        return [arg.name for arg in signature.input_arg]

    @property
    def results(self) -> list[str]:
        """The names of the results."""
        return [arg.name for arg in self._signature.output_arg]

    @property
    def controls(self) -> list[str]:
        """The nodes that run with every call, whether its results need them or not."""
        return list(self.message.control_ret.values())

    @cached_property
    def returns(self) -> list[TensorName]:
        """The tensors that are the results. Raises GraphError for a result that the function does not define."""
        for name in self.results:
            if name not in self.message.ret:
                raise GraphError(f"function {quoted(self.name)} does not define its result {quoted(name)}")
        return [self._numbered(TensorName.parse(self.message.ret[name])) for name in self.results]

    @cached_property
    def references(self) -> list[list[TensorName]]:
        """The inputs of each node, control inputs included. Raises GraphError for a wrong reference."""
        return [[self._numbered(name) for name in references(node)] for node in self.message.node_def]

    def graph(self) -> MutableGraph:
        """Return a fresh working copy of the body. Raises GraphError for a wrong reference."""
        nodes = map(MutableNode.with_references, self.message.node_def, self.references)
        return MutableGraph(nodes, where=f"function {quoted(self.name)}", arguments=self.arguments)

    def spelling(self, tensor: TensorName) -> str:
        """Return how the function itself refers to a tensor."""
        return self._spellings.get(tensor, tensor.node)

    @property
    def _signature(self) -> OpDef:
        return self.message.signature or OpDef()

    @cached_property
    def _nodes(self) -> dict[str, NodeDef]:
        return {node.name: node for node in self.message.node_def}

    def _numbered(self, name: TensorName) -> TensorName:
        """Return the tensor with its port counted from the first output of its node."""
        if not name.output:
            return name
        node = self._nodes.get(name.node)
        if node is None:
            raise GraphError(f"function {quoted(self.name)} has no node {quoted(name.node)}")
        tensor = TensorName(name.node, self._outputs.port(node, name.output, name.port))
        self._spellings[tensor] = str(name)
        return tensor


class OpenFunctions(Functions):
    """The functions of a graph, opened when they are first needed. An unknown op in them has one output.

    analyses    a cache for analyses of functions, by keys of their own
    """

    def __init__(self, library: FunctionDefLibrary | None, ops: Mapping[str, OpDef]) -> None:
        super().__init__(library)
        self.analyses: dict[object, Any] = {}
        self._outputs = Outputs(self, ops, assume_one_output=True)
        self._opened: dict[str, OpenFunction] = {}

    def open(self, name: str) -> OpenFunction:
        """Return a function of the library. Raises GraphError, with a suggestion, for an unknown name."""
        if name not in self._opened:
            self._opened[name] = OpenFunction(self[name], self._outputs)
        return self._opened[name]
