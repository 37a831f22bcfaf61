"""Replace calls of functions by the nodes of the functions.

    y = PartitionedCall(x)[f=@f]     ->     y/neg = Neg(x)
    z = Relu(y)                             y/square = Square(y/neg:0)
                                            z = Relu(y/square:0)
    of f, that is (a) -> (square:y:0):
    neg = Neg(a)
    square = Square(neg:y:0)

A node of the function is named `<call>/<node>`, and a node of a function that it calls `<call>/<inner call>/<node>`.
Consumers of a result of the call take the tensor of the node inside. The call itself is removed, unless that would lose
something. Then it becomes

    a NoOp            that waits for everything inside, if a control input or a colocation names the call;
    an Identity       of its results (an IdentityN of several), if the call is a declared input or output; and if
                      something inside has an effect that not every result needs, such as an assignment to a variable:
                      then it waits for that node, and all consumers go on using the call.

Nothing inside may run before the control inputs of a call, or outside of the loop or conditional that the call is in.
For such a call `<call>/inputs` stands for the arguments: an Identity or IdentityN of them that has the control inputs.
Nodes without inputs wait for it.

Functions stay in the library, with the calls in them inlined: so are calls in the branches of If and the bodies of
While, which remain calls themselves. A call of a function that calls itself is left alone and counted.

Unlike the original: calls inside of functions are inlined at once, and so are StatefulPartitionedCall and calls whose
op is the name of the function. Outputs are found by their names in the op (there, all but the first name lead to wrong
ports), functions may return their arguments, control inputs and effects keep their meaning, attributes that the
function leaves to the call are filled in, and colocations, and names of loops, are those of the call. Nodes without a
device get the device of the call.

Freezing inlines too (`tfmodel.freezing.inlining`), with the names of TensorFlow's freezing; it does not keep effects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import GraphError, TransformError
from ..graph import Functions, GraphIndex, attr, colocated_with, describe, replace_node, with_functions, with_nodes
from ..graph.edit import TakenNames
from ..graph.error_text import quoted
from ..graph.function_body import ARGUMENT_OP, FunctionBody
from ..graph.functions import growth_problem
from ..graph.inlinable import InlinableFunction
from ..graph.inline import InlinedCall, nested_names
from ..graph.traversal import ChainEnds, CircularChainError, strong_components
from ..messages import AttrValue, FunctionDef, GraphDef, NameAttrList, NodeDef, OpDef
from ..names import TensorName, control_input, control_inputs, data_inputs, is_control_input, node_name
from ..ops.traits import CALLS
from ..output_limit import claim
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["inline_partitionedcall"]


@graph_transform
def inline_partitionedcall(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    """Replace calls of functions by the nodes of the functions, named `<call>/<node>`.

    PartitionedCall, StatefulPartitionedCall, and calls by the name of the function; also calls in functions. Consumers
    of a result take the tensor inside. A call that is declared, that control inputs name, or that has effects stays as
    an Identity or NoOp. A function that calls itself is not inlined.

    Example: inline_partitionedcall with outputs z

        f: (a: float) -> (r: float = square:y:0)
        f: neg = Neg(a)[T=float]
        f: square = Square(neg:y:0)[T=float]
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
        z = Relu(y)[T=float]

    becomes

        x = Placeholder[dtype=float]
        y/neg = Neg(x)[T=float]
        y/square = Square(y/neg:0)[T=float]
        z = Relu(y/square:0)[T=float]
    """
    library = _Library(graph, ops, report)
    inliner = _Inliner(
        GraphIndex(graph, library.functions),
        library,
        fed={tensor.node for tensor in inputs},
        declared={tensor.node for tensor in (*inputs, *outputs)},
    )
    nodes = inliner.nodes()
    result = with_nodes(graph, nodes) if inliner.calls else graph
    if library.rebuilt and graph.library is not None:
        functions = [library.rebuilt.get(id(function), function) for function in graph.library.function]
        result = with_functions(result, functions)
    return result


# --- the library -----------------------------------------------------------------------------------------------------


class _Library:
    """The functions that the graph needs, with the calls in them inlined: callees before their callers.

    rebuilt    the functions that had calls, by the id of the original message
    """

    def __init__(self, graph: GraphDef, ops: Mapping[str, OpDef], report: StepReport) -> None:
        self.functions = Functions(graph.library)
        self.report = report
        self.rebuilt: dict[int, FunctionDef] = {}
        self._ops = ops
        self._inlinable: dict[str, InlinableFunction] = {}
        self._refused: dict[str, str] = {}
        names = self._needed_functions(graph.node)
        positions = {name: position for position, name in enumerate(names)}
        called = [self._called_in(self.functions[name]) for name in names]
        targets = [[positions[callee] for callee in callees] for callees in called]
        components = strong_components(range(len(names)), targets)
        for component in components:
            if len(component) > 1 or component[0] in targets[component[0]]:
                recursive = [names[position] for position in component]
                self._refused |= {name: f"the function {quoted(name)} calls itself" for name in recursive}
        callees_first = [names[position] for component in components for position in component]
        self._check_size(graph.node, callees_first)
        for name in callees_first:
            self._prepare(self.functions[name], name)

    def called(self, node: NodeDef) -> str:
        """Return the function that a node calls, if it is a call that can be inlined; else ""."""
        if node.op in CALLS:
            return attr(node, "f", NameAttrList).name
        return node.op if node.op in self.functions else ""

    def inlinable(self, name: str) -> InlinableFunction | str:
        """Return a function that can be inlined, or why it cannot. Raises GraphError if it does not exist."""
        return self._refused.get(name) or self._inlinable.get(name) or self._missing(name)

    def _missing(self, name: str) -> str:
        self.functions[name]  # raises
        raise AssertionError("every function that is called is prepared")

    def _needed_functions(self, nodes: Iterable[NodeDef]) -> list[str]:
        """Return the functions that nodes call, in any way, and those that these call."""
        needed: dict[str, None] = {}
        queue = [name for node in nodes for name in self.functions.called_by(node)]
        while queue:
            name = queue.pop()
            if name and name in self.functions and name not in needed:
                needed[name] = None
                queue += [callee for node in self.functions[name].node_def for callee in self.functions.called_by(node)]
        return list(needed)

    def _called_in(self, function: FunctionDef) -> list[str]:
        names = [self.called(node) for node in function.node_def]
        return [name for name in dict.fromkeys(names) if name and name in self.functions]

    def _check_size(self, nodes: Sequence[NodeDef], functions: Sequence[str]) -> None:
        """Raise TransformError if inlining would make too many nodes. `functions` has callees before callers."""
        sizes: dict[str, tuple[int, int]] = {}  # of each function, inlined: nodes, and the characters of their names

        def size(nodes: Iterable[NodeDef]) -> tuple[int, int]:
            count = characters = 0
            for node in nodes:
                inside, names = sizes.get(self.called(node), (1, 0))
                count += inside
                characters += names + inside * (len(node.name) + 1)
            return count, characters

        bodies = [nodes, *(self.functions[name].node_def for name in functions)]
        for name, body in zip(functions, bodies[1:], strict=True):
            if name not in self._refused:
                sizes[name] = size(body)
        counts, characters = zip(size(nodes), *sizes.values(), strict=True)
        if problem := growth_problem(sum(map(len, bodies)), sum(counts), sum(characters)):
            raise TransformError(problem)

    def _prepare(self, function: FunctionDef, name: str) -> None:
        """Inline the calls in a function, and record it as inlinable, or why it is not."""
        try:
            _check_signature(function)
            body = FunctionBody(function, self.functions, self._ops, assume_one_output=True)
            inliner = _Inliner(body.index, self, awaited=set(function.control_ret.values()))
            nodes = inliner.nodes()
            results = [result.name for result in function.signature.output_arg] if function.signature else []
            body.returns = {key: inliner.resolved(text) for key, text in body.returns.items()}
            if inliner.calls:
                self.rebuilt[id(function)] = body.rebuilt(nodes)
            missing = next((key for key in results if key not in body.returns), None)
            if missing is not None:
                raise GraphError(f"it does not define its result {quoted(missing)}")
            returns = [TensorName.parse(body.returns[key]) for key in results]
        except GraphError as error:
            self._refused.setdefault(name, f"its function {quoted(name)}: {error}")
            return
        own = [node for node in nodes if node.op != ARGUMENT_OP]
        self._inlinable[name] = InlinableFunction(function, own, returns, self.functions, self._ops)


def _check_signature(function: FunctionDef) -> None:
    """Raise GraphError for arguments that are lists, which functions of TensorFlow 2 do not have, and for two arguments
    of one name, which TensorFlow refuses."""
    if function.signature is not None:
        names = Counter(argument.name for argument in function.signature.input_arg)
        if (name := max(names, key=names.__getitem__, default="")) and names[name] > 1:
            raise GraphError(f"it has {names[name]:,} arguments {quoted(name)}")
        for argument in (*function.signature.input_arg, *function.signature.output_arg):
            if argument.number_attr or argument.type_list_attr:
                raise GraphError(f"{quoted(argument.name)} is a list of tensors")


# --- the calls of one graph or function ------------------------------------------------------------------------------


@dataclass(slots=True)
class _Call:
    """A call and its replacement.

    nodes      the nodes of the function, in this call
    results    the tensors that are the results of the call
    effects    the nodes inside that consumers of the results would not wait for
    ends       the nodes that run last, if they are not those of the results
    """

    node: NodeDef
    inlined: InlinedCall
    nodes: list[NodeDef] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)


class _Inliner:
    """Inline the calls in a graph, or in the body of a function as a graph.

    calls       afterwards, the calls that were inlined, by name
    fed         calls whose results are declared inputs
    declared    calls that are declared inputs or outputs
    awaited     nodes that something waits for
    """

    def __init__(
        self,
        index: GraphIndex,
        library: _Library,
        *,
        fed: Collection[str] = (),
        declared: Collection[str] = (),
        awaited: Collection[str] = (),
    ) -> None:
        self.calls: dict[str, _Call] = {}
        self._index = index
        self._library = library
        self._fed = fed
        self._declared = declared
        self._awaited = set(awaited)
        self._taken = TakenNames(index.positions)
        self._ends = ChainEnds(self._result)

    def nodes(self) -> list[NodeDef]:
        """Return the nodes with calls replaced by the function bodies; the same list if no call is inlined."""
        pieces = [self._replacement(position, node) or node for position, node in enumerate(self._index.nodes)]
        if not self.calls:
            return self._index.nodes
        self._find_awaited(pieces)
        result: list[NodeDef] = []
        for piece in pieces:
            result += [piece] if isinstance(piece, NodeDef) else [*piece.nodes, *self._remaining(piece)]
        return [self._reconnected(node) for node in result]

    def resolved(self, text: str) -> str:
        """Return the reference that takes the place of one to a call.

        Raises GraphError for a result that the call does not have, or that is defined by itself.
        """
        try:
            return self._ends(text)
        except CircularChainError:
            raise GraphError(f"the result {quoted(text)} of a call is defined by itself") from None

    def _result(self, text: str) -> str | None:
        """Return the tensor inside that is a result of a call; None for any other reference, and if the call stays."""
        call = self.calls.get(node_name(text)) if not is_control_input(text) else None
        if call is None:
            return None
        port = TensorName.parse(text).port
        if port >= len(call.results):
            raise GraphError(f"{describe(call.node)} has {len(call.results):,} results: there is no {quoted(text)}")
        return None if self._stays(call) else call.results[port]

    def _stays(self, call: _Call) -> bool:
        """Return whether all consumers go on using the call."""
        return bool(call.effects) or call.node.name in self._fed

    def _reconnected(self, node: NodeDef) -> NodeDef:
        inputs = [self.resolved(text) for text in node.input]
        return node if inputs == node.input else replace_node(node, input=inputs)

    # --- what remains of a call --------------------------------------------------------------------------------------

    def _find_awaited(self, pieces: list[NodeDef | _Call]) -> None:
        """Find the calls that control inputs and colocations name."""
        for piece in pieces:
            for node in [piece] if isinstance(piece, NodeDef) else piece.nodes:
                self._awaited.update(map(node_name, control_inputs(node)))
                self._awaited.update(colocated_with(node))
        queue = [call for name, call in self.calls.items() if name in self._awaited or name in self._declared]
        while queue:
            for name in self._last_nodes(queue.pop()):
                if name not in self._awaited:
                    self._awaited.add(name)
                    queue += [self.calls[name]] if name in self.calls else []

    def _last_nodes(self, call: _Call) -> list[str]:
        """Return the nodes after which all of a call is done."""
        return call.ends or list(dict.fromkeys(node_name(self.resolved(text)) for text in call.results))

    def _remaining(self, call: _Call) -> list[NodeDef]:
        """Return the node that keeps the name of a call, if something needs it."""
        name = call.node.name
        if call.results and (self._stays(call) or name in self._declared):
            return [self._identity(call.inlined, name, call.results, "Tout", list(map(control_input, call.effects)))]
        if not (call.effects or name in self._declared or name in self._awaited):
            return []
        return [self._no_op(call.node, name, list(map(control_input, self._last_nodes(call))))]

    def _no_op(self, call: NodeDef, name: str, controls: list[str]) -> NodeDef:
        return NodeDef(name=name, op="NoOp", input=controls, device=call.device)

    def _identity(self, inlined: InlinedCall, name: str, tensors: list[str], key: str, controls: list[str]) -> NodeDef:
        """Return an Identity, or an IdentityN of several tensors, whose types the attribute `key` of the call lists."""
        call, value = inlined.call, inlined.types(key)
        types = value.list.type if value.list is not None else []
        if len(types) == len(tensors) == 1:
            op, value = "Identity", AttrValue(type=types[0])
        elif value.placeholder is not None or len(types) == len(tensors):
            op = "IdentityN"
        else:
            problem = f"lists {len(types):,} types in {quoted(key)} for {len(tensors):,} tensors"
            raise GraphError(f"{describe(call)} {problem}")
        device = call.device if isinstance(call, NodeDef) else ""
        return NodeDef(name=name, op=op, input=[*tensors, *controls], device=device, attr={"T": value})

    # --- the nodes inside of a call ----------------------------------------------------------------------------------

    def _replacement(self, position: int, node: NodeDef) -> _Call | None:
        """Return the replacement of a call; None for other nodes, and for calls that stay."""
        name = self._library.called(node)
        function = self._library.inlinable(name) if name else ""
        if isinstance(function, InlinableFunction):
            effects = function.effects if node.op in CALLS else function.effects_by_name
            conditional = next((effect for effect in effects if function.is_conditional(effect)), None)
            if conditional is None:
                return self._inlined(position, node, function, effects)
            function = f"{quoted(conditional)} of its function has an effect in a loop or conditional"
        if function:
            self._library.report.refuse(node.name, function)
        return None

    def _inlined(self, position: int, node: NodeDef, function: InlinableFunction, effects: list[str]) -> _Call:
        inputs, controls = data_inputs(node), control_inputs(node)
        inlined = InlinedCall(
            node,
            function.function,
            [inner.name for inner in function.nodes],
            input_count=len(inputs),
            prefix=nested_names(node.name),
            taken=self._taken,
        )
        names = inlined.names
        call = _Call(node, inlined, effects=[names[effect] for effect in effects])
        gate = self._gate(position, inlined, node, inputs, controls)
        if gate is not None:
            call.nodes.append(gate)
            inputs = [str(TensorName(gate.name, port)) for port in range(len(inputs))]
        body = _Body(inlined, function, node, inputs, gate.name if gate is not None else "")
        call.nodes += body.nodes()
        call.results = list(map(body.spelled, function.returns))
        if function.controls or effects:
            call.ends = list(dict.fromkeys(names[name] for name in (*function.controls, *effects) if name in names))
        elif not call.results:
            call.ends = [gate.name] if gate is not None else list(map(node_name, inputs))
        self.calls[node.name] = call
        self._library.report.fire()
        return call

    def _gate(
        self, position: int, inlined: InlinedCall, call: NodeDef, inputs: list[str], controls: list[str]
    ) -> NodeDef | None:
        """Return the node that everything inside has to wait for; None if there is nothing to wait for."""
        index = self._index
        is_conditional = index.control_flow and (index.node_frames[position] or index.node_branches[position])
        if not (is_conditional or controls):
            return None
        name = self._taken.fresh(f"{call.name}/inputs")
        return self._identity(inlined, name, inputs, "Tin", controls) if inputs else self._no_op(call, name, controls)


class _Body:
    """The nodes of a function in one call.

    inputs    the references that are the arguments
    gate      the node for which nodes without inputs wait; "" without such a gate
    """

    def __init__(
        self, inlined: InlinedCall, function: InlinableFunction, call: NodeDef, inputs: list[str], gate: str
    ) -> None:
        self._inlined = inlined
        self._function = function
        self._call = call
        self._inputs = inputs
        self._input_nodes = list(map(node_name, inputs))
        self._gate = gate

    def nodes(self) -> list[NodeDef]:
        """Return the nodes. Raises GraphError if they take too much memory: see `tfmodel.output_limit`."""
        return list(map(self._node, self._function.nodes, self._function.references))

    def spelled(self, tensor: TensorName) -> str:
        """Return the reference in the graph for one in the function; output 0 of a node is spelled with its number."""
        if tensor.node in self._inlined.names:
            return tensor._replace(node=self._inlined.names[tensor.node]).numbered
        position = self._inlined.argument(tensor)
        return control_input(self._input_nodes[position]) if tensor.is_control else self._inputs[position]

    def _node(self, node: NodeDef, references: list[TensorName]) -> NodeDef:
        inputs = list(map(self.spelled, references))
        if self._gate and not inputs:
            inputs = [control_input(self._gate)]
        copy = replace_node(node, name=self._inlined.names[node.name], input=inputs)
        if not copy.device:
            copy.device = self._call.device
        size = self._function.sizes[node.name]
        if node.name in self._function.call_dependent:
            copy.attr = self._inlined.attributes(node, self._input_nodes)
            size = copy.ByteSize()
        claim(size + len(copy.device) + len(copy.name) + sum(map(len, inputs)), f"the body of {describe(self._call)}")
        return copy
