"""Replace calls of functions by the nodes of the functions.

    y = PartitionedCall(x)[f=@f]     ->     y/neg = Neg(x)
    z = Relu(y)                             y/square = Square(y/neg:0)
                                            z = Relu(y/square:0)
    of f, that is (a) -> (square:y:0):
    neg = Neg(a)
    square = Square(neg:y:0)

A node of the function gets the name `<call>/<node>`. If the function calls another function, the nodes of that function
get the names `<call>/<inner call>/<node>`. Consumers of a result of the call take the tensor of the node inside. The
call itself is removed, unless that would lose something. Then it becomes

    an Identity       of its results (an IdentityN of several), if the call is a declared input or output, or if
                      a node inside has an effect that not every result needs, such as an assignment to a variable.
                      In the second case it has a control input from that node. Consumers keep using the call if it
                      is a declared input or has such an effect;
    a NoOp            with control inputs from the last nodes inside, if a control input or a colocation names the call,
                      or if a call that would become an Identity has no results.

No node of the function may run before the control inputs of the call, or outside of the loop or conditional that the
call is in. So a call with control inputs, or in a loop or conditional, gets a node `<call>/inputs`: an Identity or
IdentityN of the arguments (a NoOp without arguments), with the control inputs of the call. Nodes of the function
without inputs get a control input from it.

Functions stay in the library. Calls are also inlined in the functions that the graph needs, such as the branches of If
and the bodies of While; If and While remain calls themselves. A call is left alone and reported if its function

    calls itself, directly or through other functions
    has a list of tensors as an argument or result
    has an effect within a TensorFlow 1 loop or conditional, where nodes outside cannot wait for it

Differences from the original:

    Calls inside of functions are inlined at once.
    StatefulPartitionedCall is inlined too, and so are calls whose op is the name of the function.
    A reference that names an output, such as square:y:0, gets the port of this output. In the original, all names but
    the first lead to wrong ports.
    Functions may return their arguments.
    Control inputs and effects keep their meaning.
    Attributes that the function takes from the call are filled in.
    Colocations refer to the new names of nodes. Names of loops begin with the name of the call. Nodes without a device
    get that of the call.

Freezing inlines too (`tfmodel.analysis.variables.preparation`), with the names of TensorFlow's freezing; it does not
keep effects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..errors import GraphError, TransformError
from ..graph import Functions, GraphIndex, colocated_with, with_nodes
from ..graph.edit import map_functions
from ..graph.error_text import quote
from ..graph.function_body import ARGUMENT_OP, FunctionBody, Outputs
from ..graph.functions import growth_problem, repeated_argument
from ..graph.inline import Inliner, ToolNames
from ..graph.inlined_calls import EffectfulFunction, Gate, InlinedCall, called_function
from ..graph.traversal import strong_components
from ..messages import FunctionDef, GraphDef, NodeDef, OpDef
from ..values.names import TensorName, control_inputs, node_name
from .framework.registry import graph_transform
from .framework.report import StepReport


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

    Calls are PartitionedCall, StatefulPartitionedCall, and nodes whose op is the name of a function. Calls in functions
    are replaced too. Consumers of a result take the tensor inside. A call that is declared, that control inputs or
    colocations name, or that has effects stays as an Identity or NoOp. A function that calls itself is not inlined.

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
    nodes = inliner.inline()
    result = with_nodes(graph, nodes) if inliner.calls else graph
    return map_functions(result, lambda function: library.rebuilt.get(id(function), function))


def inline_calls(
    graph: GraphDef, names: Collection[str], declared: Collection[str], ops: Mapping[str, OpDef], report: StepReport
) -> list[NodeDef]:
    """Return the nodes of a graph with the calls named in `names` inlined, as the transform does; other calls stay.

    `declared` are nodes that must keep their names.
    """
    calls = [node for node in graph.node if node.name in names]
    library = _Library(GraphDef(node=calls, library=graph.library), ops, report)
    inliner = _Inliner(GraphIndex(graph, library.functions), library, declared=declared, only=names)
    return list(inliner.inline())


# --- the library -----------------------------------------------------------------------------------------------------


class _Library:
    """The functions that the graph needs, with the calls in them inlined.

    rebuilt    the functions in which calls were inlined, by the id of the original message
    """

    def __init__(self, graph: GraphDef, ops: Mapping[str, OpDef], report: StepReport) -> None:
        self.functions = Functions(graph.library)
        self.report = report
        self.rebuilt: dict[int, FunctionDef] = {}
        self._ops = ops
        self._inlinable: dict[str, EffectfulFunction] = {}
        self._refused: dict[str, str] = {}
        names = self._needed_functions(graph.node)
        positions = {name: position for position, name in enumerate(names)}
        called = [self._called_in(self.functions[name]) for name in names]
        targets = [[positions[callee] for callee in callees] for callees in called]
        components = strong_components(range(len(names)), targets)
        for component in components:
            if len(component) > 1 or component[0] in targets[component[0]]:
                recursive = [names[position] for position in component]
                self._refused |= {name: f"the function {quote(name)} calls itself" for name in recursive}
        callees_first = [names[position] for component in components for position in component]
        self._check_size(graph.node, callees_first)
        for name in callees_first:
            self._prepare(self.functions[name], name)

    def inlinable(self, name: str) -> EffectfulFunction | str:
        """Return a function that can be inlined, or why it cannot. Raises GraphError if it does not exist."""
        return self._refused.get(name) or self._inlinable.get(name) or self._missing(name)

    def _missing(self, name: str) -> str:
        self.functions[name]  # raises
        raise AssertionError("every function that is called is prepared")

    def _needed_functions(self, nodes: Iterable[NodeDef]) -> list[str]:
        """Return the functions that nodes call or have as a branch or body, and those that these functions need."""
        needed: dict[str, None] = {}
        queue = [name for node in nodes for name in self.functions.called_by(node)]
        while queue:
            name = queue.pop()
            if name and name in self.functions and name not in needed:
                needed[name] = None
                queue += [callee for node in self.functions[name].node_def for callee in self.functions.called_by(node)]
        return list(needed)

    def _called_in(self, function: FunctionDef) -> list[str]:
        names = [called_function(node, self.functions) for node in function.node_def]
        return [name for name in dict.fromkeys(names) if name and name in self.functions]

    def _check_size(self, nodes: Sequence[NodeDef], functions: Sequence[str]) -> None:
        """Raise TransformError if inlining would make too many nodes or too long names.

        `functions` has callees before callers.
        """
        sizes: dict[str, tuple[int, int]] = {}  # by inlined function: number of nodes, and characters of their names

        def size(nodes: Iterable[NodeDef]) -> tuple[int, int]:
            count = characters = 0
            for node in nodes:
                inside, names = sizes.get(called_function(node, self.functions), (1, 0))
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
        """Inline the calls in a function. Record the function as inlinable, or the reason why it is not."""
        try:
            _check_signature(function)
            body = FunctionBody(function, Outputs(self.functions, self._ops, assume_one_output=True))
            inliner = _Inliner(body.index, self, awaited=set(function.control_ret.values()))
            nodes = inliner.inline()
            results = [result.name for result in function.signature.output_arg] if function.signature else []
            ret = {key: TensorName.parse(inliner.resolve(str(tensor))) for key, tensor in body.ret.items()}
            if inliner.calls:
                self.rebuilt[id(function)] = body.rebuild(nodes, ret)
            missing = next((key for key in results if key not in ret), None)
            if missing is not None:
                raise GraphError(f"it does not define its result {quote(missing)}")
            returns = [ret[key] for key in results]
        except GraphError as error:
            self._refused.setdefault(name, f"its function {quote(name)}: {error}")
            return
        own = [node for node in nodes if node.op != ARGUMENT_OP]
        self._inlinable[name] = EffectfulFunction(function, own, returns, self.functions, self._ops)


def _check_signature(function: FunctionDef) -> None:
    """Raise GraphError for an argument or result that is a list, or for two arguments with the same name.

    Functions of TensorFlow 2 have no lists of tensors, and TensorFlow refuses two arguments with the same name.
    """
    if function.signature is not None:
        repeated = repeated_argument(function)
        if repeated is not None:
            raise GraphError(f"it has two arguments {quote(repeated)}")
        for argument in (*function.signature.input_arg, *function.signature.output_arg):
            if argument.number_attr or argument.type_list_attr:
                raise GraphError(f"{quote(argument.name)} is a list of tensors")


# --- the calls of one graph or function ------------------------------------------------------------------------------


class _Inliner(Inliner):
    """Inlines the calls of prepared functions in a graph, or in the body of a function.

    fed         the nodes that are declared inputs
    declared    the nodes that are declared inputs or outputs
    awaited     nodes that must run, in addition to those that control inputs and colocations name
    only        the calls to inline; None for all
    """

    def __init__(
        self,
        index: GraphIndex,
        library: _Library,
        *,
        fed: Collection[str] = (),
        declared: Collection[str] = (),
        awaited: Collection[str] = (),
        only: Collection[str] | None = None,
    ) -> None:
        super().__init__(index.nodes, naming=ToolNames(), inherit_placement=True, claim_output=True)
        self._only = only
        self._index = index
        self._library = library
        self._fed = fed
        self._declared = declared
        self._awaited = set(awaited)

    def function(self, node: NodeDef, callers: tuple[str, ...]) -> EffectfulFunction | None:
        """Return the function of a call; None for other nodes, and for calls that stay.

        Nodes that come from a function (`callers` is not empty) are not calls: the calls in it are inlined already.
        """
        name = called_function(node, self._library.functions) if not callers else ""
        if not name or (self._only is not None and node.name not in self._only):
            return None
        function = self._library.inlinable(name)
        if isinstance(function, str):
            self._library.report.refuse(node.name, function)
            return None
        conditional = next(filter(function.is_conditional, function.effects_of(node)), None)
        if conditional is not None:
            problem = f"{quote(conditional)} of its function has an effect in a loop or conditional"
            self._library.report.refuse(node.name, problem)
            return None
        return function

    def gate(self, call: InlinedCall) -> Gate | None:
        index, position = self._index, self._index.position(call.node.name)
        is_conditional = index.control_flow and (index.node_frames[position] or index.node_branches[position])
        if not (is_conditional or call.controls):
            return None
        name = self.gate_name(call)
        if call.inputs:
            return Gate(self.identity(call, name, call.inputs, "Tin", call.controls))
        return Gate(self.no_op(call, name, call.controls))

    def is_bypassed(self, call: InlinedCall) -> bool:
        return super().is_bypassed(call) and call.node.name not in self._fed

    def remainders(self, nodes: Sequence[NodeDef]) -> dict[str, NodeDef]:
        self._library.report.fire(len(self.calls))
        self._find_awaited(nodes)
        remainders = {name: self._remainder(call) for name, call in self.calls.items()}
        return {name: node for name, node in remainders.items() if node is not None}

    def _find_awaited(self, nodes: Iterable[NodeDef]) -> None:
        """Add the nodes that control inputs, colocations, and NoOps in place of calls name to `_awaited`."""
        for node in nodes:
            self._awaited.update(map(node_name, control_inputs(node)))
            self._awaited.update(colocated_with(node))
        queue = [call for name, call in self.calls.items() if name in self._awaited or name in self._declared]
        while queue:
            for name in self._last_nodes(queue.pop()):
                if name not in self._awaited:
                    self._awaited.add(name)
                    queue += [self.calls[name]] if name in self.calls else []

    def _remainder(self, call: InlinedCall) -> NodeDef | None:
        name = call.node.name
        if call.results and (name in self._declared or not self.is_bypassed(call)):
            return self.identity(call, name, call.results, "Tout", call.effects)
        if not (call.effects or name in self._declared or name in self._awaited):
            return None
        return self.no_op(call, name, self._last_nodes(call))

    def _last_nodes(self, call: InlinedCall) -> list[str]:
        """Return the names of the nodes that a node with a control input from a call must wait for."""
        ends = [*call.new_names(call.function.controls), *call.effects]
        if not ends and call.results:
            ends = [node_name(self.resolve(text)) for text in call.results]
        elif not ends:
            ends = list(map(node_name, call.inputs)) if call.gate is None else [call.gate.node.name]
        return list(dict.fromkeys(ends))
