"""Function bodies as graphs: `n:out:0` is read as an output number, so rewrites need no special cases.

    body = FunctionBody(function, Outputs(functions, OPS))
    nodes = rewrite(body.index)                         # n:out:0 is spelled n, and arguments are nodes
    function = body.rebuild(nodes)

    functions = FunctionBodies(graph.library, OPS)      # each body is made once
    view = GraphView(functions.body("f"))               # to change its nodes: see `view`

In the body of a function, a reference names the output of the op, so reading it needs the declaration of the op. This
package does not import the declarations: `tfmodel.ops.OPS`, or the registry of a model, is passed in. Functions of the
library are ops too, declared by their signatures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from ..errors import GraphError
from ..messages import DataType, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef
from ..ops.ports import PortTypes
from ..values.names import TensorName
from .attributes import references
from .edit import replace_node, with_nodes
from .error_text import describe, quote
from .functions import Functions, function_name, repeated_argument
from .index import GraphIndex

ARGUMENT_OP = "_Arg"
"""The op of the nodes that represent the arguments of a function."""

UNKNOWN_COUNT = 2**31 - 1
"""Stands for an unknown number of tensors: no attribute has it, or the caller of the function decides it."""


# --- outputs ---------------------------------------------------------------------------------------------------------


class Outputs:
    """The outputs of nodes by their names in the declarations of ops.

    `functions` is the library, and `registry` declares ops by name; an op that is in neither is unknown. With
    `assume_one_output`, an unknown op is assumed to have one output, as most ops have, until references name two.
    """

    def __init__(
        self, functions: Functions, registry: Mapping[str, OpDef] | None = None, *, assume_one_output: bool = False
    ) -> None:
        self.functions = functions
        self._registry = registry if registry is not None else {}
        self._assume_one_output = assume_one_output
        self._assumed: dict[str, str] = {}  # the output of unknown ops, by op
        self._fixed: dict[str, list[tuple[str, int]] | None] = {}
        self._with_first: dict[str, bool] = {}

    def declared(self, op: str) -> OpDef | None:
        """Return the declaration of an op or function; None if it is unknown."""
        function = self.functions.get(op) if self.functions else None
        return function.signature if function is not None else self._registry.get(op)

    def has_first(self, op: str) -> bool:
        """Return whether all nodes of an op have an output 0. An unknown op is assumed to have one."""
        has_first = self._with_first.get(op)
        if has_first is None:
            declared = self.declared(op)
            has_first = declared is None or any(
                not (output.number_attr or output.type_list_attr) for output in declared.output_arg
            )
            self._with_first[op] = has_first
        return has_first

    def of(self, node: NodeDef) -> list[tuple[str, int]] | None:
        """Return the name and the number of tensors of each output of a node; None if one of these is unknown."""
        outputs = self._counts(node)
        return None if outputs is None or any(count == UNKNOWN_COUNT for _, count in outputs) else outputs

    def port(self, node: NodeDef, output: str, index: int) -> int:
        """Return the number of a tensor among all outputs of its node. It is number `index` within the output `output`.

        Raises GraphError if the node has no such tensor, or if the outputs of its op are unknown.
        """
        port = index
        for name, count in self._counts_for(node, output):
            if name == output:
                if index >= count:
                    raise GraphError(f"{describe(node)} has no tensor {quote(f'{output}:{index}')}")
                return port
            if count == UNKNOWN_COUNT:
                raise GraphError(f"the number of tensors of the output {quote(name)} of {describe(node)} is not known")
            port += count
        raise GraphError(f"{describe(node)} has no output {quote(output)}")

    def reference(self, node: NodeDef, port: int) -> str:
        """Return a tensor as function bodies spell it, "n:out:0". `port` is its number among all outputs of the node.

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
        """Return the name and the number of tensors of each output of a node.

        A reference names the output `output`, or none (""); an unknown op is assumed to have it. Raises GraphError if
        the outputs are not known.
        """
        outputs = self._counts(node)
        if outputs is not None:
            return outputs
        known = self._assumed.setdefault(node.op, output) if self._assume_one_output else ""
        if known and known == (output or known):
            return [(known, UNKNOWN_COUNT)]
        if known:
            raise GraphError(
                f"the op {quote(node.op)} is not known, and has outputs {quote(known)} and {quote(output)}: "
                "give the MetaGraphDef or SavedModel, which declare the ops that they use"
            )
        raise GraphError(f"the outputs of {describe(node)} are not known")


def _count(node: NodeDef, op: OpDef, name: str) -> int:
    """Return the number of tensors that the attribute `name` gives, or its default if the node lacks it.

    1 without a name.
    """
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


# --- bodies ----------------------------------------------------------------------------------------------------------


class FunctionBody:
    """The body of a function with references as in a graph. The references are read once, when they are first needed.

    message    the function itself

    The properties raise GraphError for a reference to something that does not exist, or to an output of an unknown op.
    """

    def __init__(self, message: FunctionDef, outputs: Outputs) -> None:
        self.message = message
        self.name = function_name(message)
        self._outputs = outputs
        self._signature = message.signature or OpDef()
        self._originals: dict[int, NodeDef] = {}

    # --- the signature -----------------------------------------------------------------------------------------------

    @cached_property
    def arguments(self) -> list[str]:
        """The names of the arguments.

        Raises GraphError if an argument or result is a list of tensors, or if two arguments have one name.
        """
        for arg in (*self._signature.input_arg, *self._signature.output_arg):
            if arg.number_attr or arg.type_list_attr:
                raise GraphError(f"the argument {quote(arg.name)} of function {quote(self.name)} is a list")
        repeated = repeated_argument(self.message)
        if repeated is not None:
            raise GraphError(f"function {quote(self.name)} has two arguments {quote(repeated)}")
        return [arg.name for arg in self._signature.input_arg]

    @cached_property
    def ret(self) -> dict[str, TensorName]:
        """The tensor of each result, by name."""
        return {name: self._with_port_number(TensorName.parse(text)) for name, text in self.message.ret.items()}

    @cached_property
    def returns(self) -> list[TensorName]:
        """The tensors that are the results, by position. Raises GraphError for a result that is not defined."""
        for result in self._signature.output_arg:
            if result.name not in self.message.ret:
                raise GraphError(f"function {quote(self.name)} does not define its result {quote(result.name)}")
        return [self.ret[result.name] for result in self._signature.output_arg]

    @property
    def roots(self) -> set[str]:
        """The names of the nodes that the function returns, or that have to run with every call."""
        return {tensor.node for tensor in self.ret.values()} | {*self.message.control_ret.values()}

    # --- the nodes ---------------------------------------------------------------------------------------------------

    @cached_property
    def references(self) -> list[list[TensorName]]:
        """The inputs of each node, control inputs included."""
        return [[self._with_port_number(name) for name in references(node)] for node in self.message.node_def]

    @cached_property
    def index(self) -> GraphIndex:
        """An index of the nodes, and of an `_Arg` for each argument."""
        arguments = [NodeDef(name=name, op=ARGUMENT_OP) for name in self.argument_names]
        return GraphIndex(GraphDef(node=[*arguments, *self.nodes]), self._outputs.functions)

    @cached_property
    def nodes(self) -> list[NodeDef]:
        """The nodes, with references as in a graph."""
        nodes = []
        for node in self.message.node_def:
            inputs = [self._in_graph(text) for text in node.input]
            as_graph = node if inputs == node.input else replace_node(node, input=inputs)
            self._originals[id(as_graph)] = node
            nodes.append(as_graph)
        return nodes

    def rebuild(
        self,
        nodes: Iterable[NodeDef],
        ret: Mapping[str, TensorName] | None = None,
        control_ret: Mapping[str, str] | None = None,
    ) -> FunctionDef:
        """Return the function with other nodes, made from those of `index`; the function itself if nothing changes.

        `ret` has the new tensors of the results, and `control_ret` the new nodes of the control outputs, if these
        change. Raises GraphError for a reference to a node that is not in `nodes`.
        """
        kept = [node for node in nodes if node.op != ARGUMENT_OP or node.name not in self.argument_names]
        by_name = {node.name: node for node in kept}
        originals = [self.as_in_body(node, by_name) for node in kept]
        same = len(originals) == len(self.message.node_def) and all(map(_is, originals, self.message.node_def))
        if same and ret in (None, self.ret) and control_ret in (None, self.message.control_ret):
            return self.message
        result = with_nodes(self.message, originals)
        result.ret = {name: self.spell(tensor, by_name) for name, tensor in (ret or self.ret).items()}
        if control_ret is not None and control_ret != result.control_ret:
            result.control_ret = dict(control_ret)
        return result

    def spell(self, tensor: TensorName, nodes: Mapping[str, NodeDef]) -> str:
        """Return a tensor of one of `nodes`, or an argument, as the body of a function with these nodes spells it.

        Raises GraphError if there is no such tensor, or if the outputs of its op are unknown.
        """
        if tensor.is_control or tensor.node in self.argument_names:
            return str(tensor)
        try:
            return self._outputs.reference(_node(tensor.node, nodes), tensor.port)
        except GraphError as error:
            raise self._problem(error) from error

    @cached_property
    def argument_names(self) -> dict[str, None]:
        """The names of the arguments, also of those that are lists."""
        return dict.fromkeys(argument.name for argument in self._signature.input_arg)

    @cached_property
    def _nodes(self) -> dict[str, NodeDef]:
        return {node.name: node for node in self.message.node_def}

    def as_in_body(self, node: NodeDef, nodes: Mapping[str, NodeDef]) -> NodeDef:
        """Return a node with references as the body of a function with `nodes` spells them.

        Raises GraphError for a reference to a node that is not in `nodes`.
        """
        inputs = [self._in_body(text, nodes) for text in node.input]
        original = self._originals.get(id(node))
        if original is not None and original.input == inputs:
            return original
        return node if inputs == node.input else replace_node(node, input=inputs)

    def _in_graph(self, text: str) -> str:
        name = TensorName.parse(text)
        return str(self._with_port_number(name)) if name.output else text

    def _in_body(self, text: str, nodes: Mapping[str, NodeDef]) -> str:
        name = TensorName.parse(text)
        return text if name.is_control or name.node in self.argument_names else self.spell(name, nodes)

    def _with_port_number(self, name: TensorName) -> TensorName:
        """Return the tensor with its port counted from the first output of its node."""
        if not name.output:
            return name
        try:
            return TensorName(name.node, self._outputs.port(_node(name.node, self._nodes), name.output, name.port))
        except GraphError as error:
            raise self._problem(error) from error

    def _problem(self, error: GraphError) -> GraphError:
        return GraphError(f"function {quote(self.name)}: {error}")


def _node(name: str, nodes: Mapping[str, NodeDef]) -> NodeDef:
    node = nodes.get(name)
    if node is None:
        raise GraphError(f"there is no node {quote(name)}")
    return node


def _is(one: NodeDef, other: NodeDef) -> bool:
    return one is other


class FunctionBodies(Functions):
    """The functions of a graph, with bodies that are made when they are first needed.

    In these bodies, an unknown op is assumed to have one output.

    analyses    a cache for the results of analyses of functions; each analysis chooses its keys
    """

    def __init__(self, library: FunctionDefLibrary | None, ops: Mapping[str, OpDef]) -> None:
        super().__init__(library)
        self.analyses: dict[object, Any] = {}
        self._outputs = Outputs(self, ops, assume_one_output=True)
        self._bodies: dict[str, FunctionBody] = {}
        self._types = PortTypes(self._outputs.declared)

    def add(self, function: FunctionDef) -> None:
        """Add a function, or replace the one of its name."""
        super().add(function)
        self._bodies.pop(function_name(function), None)

    def input_type(self, node: NodeDef, place: int) -> DataType | None:
        """Return the type that a node needs as its input number `place`; None if it is unknown.

        A call of a function needs what the function declares.
        """
        call = self.call(node)
        function = self.get(call.names[0]) if call is not None and call.names and place >= call.first else None
        if call is not None and function is not None and function.signature is not None:
            arguments = function.signature.input_arg
            return arguments[place - call.first].type or None if place - call.first < len(arguments) else None
        types = self._types.of_inputs(node)
        return types[place] if types is not None and place < len(types) else None

    def output_type(self, node: NodeDef, port: int) -> DataType | None:
        """Return the type of an output of a node; None if it is unknown."""
        types = self._types.of_outputs(node)
        return types[port] if types is not None and port < len(types) else None

    def body(self, name: str) -> FunctionBody:
        """Return the body of a function. Raises GraphError, with a suggestion, for an unknown name."""
        if name not in self._bodies:
            self._bodies[name] = FunctionBody(self[name], self._outputs)
        return self._bodies[name]
