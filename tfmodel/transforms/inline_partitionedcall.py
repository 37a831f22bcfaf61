"""Calls of functions, replaced by what is inside of the functions.

    y = PartitionedCall(x)[f=@f]     ->     y/neg = Neg(x)
    z = Relu(y)                             y/square = Square(y/neg:0)
                                            z = Relu(y/square:0)
    of f, that is (a) -> (square:y:0):
    neg = Neg(a)
    square = Square(neg:y:0)

A node of the function is called `<call>/<node>`, and one of a function that it calls `<call>/<inner call>/<node>`. Who
used a result of the call uses the tensor inside that it is. The call itself is gone, but for what would be lost with
it. It stays as

    a NoOp            that waits for everything inside, if a control input or a colocation names the call;
    an Identity       of its results (an IdentityN of several), if the call is a declared input or output; and if
                      something inside has an effect that not every result needs, such as an assignment to a variable:
                      then it waits for that, and everybody goes on using the call.

Nothing inside may run before the control inputs of a call, or outside of the loop or conditional that the call is in.
In such a call `<call>/inputs` stands for the arguments: an Identity or IdentityN of them that has the control inputs,
for which nodes wait that have no inputs.

Functions stay in the library, with the calls in them inlined: so are calls in the branches of If and the bodies of
While, which remain calls themselves. A call of a function that calls itself is left alone and counted.

Unlike the original: calls inside of functions are inlined at once, and so are StatefulPartitionedCall and calls that
have the name of the function as their op. Outputs are told by what the op calls them (there, all but the first name
lead to wrong ports), functions may return their arguments, control inputs and effects keep their meaning, attributes
that the function leaves to the call are filled in, and colocations, and names of loops, are those of the call. Nodes
without a device get that of the call.

Freezing inlines too (`tfmodel.freezing.inlining`), on working copies of its own and to shorter names, which are those
of TensorFlow's freezing. It has no use for effects and does not keep them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..errors import GraphError, TransformError
from ..graph import Functions, GraphIndex, attr, with_functions, with_nodes
from ..graph.error_text import quoted
from ..graph.function_body import ARGUMENT_OP, Body
from ..graph.functions import growth_problem
from ..graph.inlinable import Callee
from ..graph.inline import CALLS, Caller
from ..graph.traversal import knots
from ..messages import FunctionDef, GraphDef, NameAttrList, NodeDef, OpDef
from ..names import TensorName
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
    """Replace calls of functions by the nodes of the functions, called `<call>/<node>`.

    PartitionedCall, StatefulPartitionedCall, and calls by the name of the function; also calls in functions. Who used
    a result of a call uses what is inside; a call that is declared, that control inputs name, or that has effects stays
    as an Identity or NoOp. A function that calls itself is not inlined.

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
    caller = Caller(
        GraphIndex(graph, library.functions),
        library,
        fed={tensor.node for tensor in inputs},
        wanted={tensor.node for tensor in (*inputs, *outputs)},
    )
    nodes = caller.nodes()
    result = with_nodes(graph, nodes) if caller.calls else graph
    if library.changed and graph.library is not None:
        functions = [library.changed.get(id(function), function) for function in graph.library.function]
        result = with_functions(result, functions)
    return result


# --- the library -----------------------------------------------------------------------------------------------------


class _Library:
    """The functions that the graph needs, with the calls in them inlined: callees before their callers.

    changed    the functions that have had calls, by the id of what they were
    """

    def __init__(self, graph: GraphDef, ops: Mapping[str, OpDef], report: StepReport) -> None:
        self.functions = Functions(graph.library)
        self.report = report
        self.changed: dict[int, FunctionDef] = {}
        self._ops = ops
        self._callees: dict[str, Callee] = {}
        self._refused: dict[str, str] = {}
        names = self._needed(graph.node)
        positions = {name: position for position, name in enumerate(names)}
        called = [self._called_in(self.functions[name]) for name in names]
        targets = [[positions[name] for name in each] for each in called]
        order = knots(range(len(names)), targets)
        for knot in order:
            if len(knot) > 1 or knot[0] in targets[knot[0]]:
                self._refused |= {names[each]: f"the function {quoted(names[each])} calls itself" for each in knot}
        inlined = [names[position] for knot in order for position in knot]
        self._check_size(graph.node, inlined)
        for name in inlined:
            self._prepare(self.functions[name], name)

    def called(self, node: NodeDef) -> str:
        """The function that a node calls, if it is a call that can be inlined; else ""."""
        if node.op in CALLS:
            return attr(node, "f", NameAttrList).name
        return node.op if node.op in self.functions else ""

    def callee(self, name: str) -> Callee | str:
        """A function that can be inlined, or why it cannot. Raises GraphError if there is none of that name."""
        return self._refused.get(name) or self._callees.get(name) or self._missing(name)

    def _missing(self, name: str) -> str:
        self.functions[name]  # raises
        raise AssertionError("every function that is called is prepared")

    def _needed(self, nodes: Iterable[NodeDef]) -> list[str]:
        """The functions that nodes call, in whatever way, and those that these call."""
        found: dict[str, None] = {}
        queue = [name for node in nodes for name in self.functions.called_by(node)]
        while queue:
            name = queue.pop()
            if name and name in self.functions and name not in found:
                found[name] = None
                queue += [each for node in self.functions[name].node_def for each in self.functions.called_by(node)]
        return list(found)

    def _called_in(self, function: FunctionDef) -> list[str]:
        names = [self.called(node) for node in function.node_def]
        return [name for name in dict.fromkeys(names) if name and name in self.functions]

    def _check_size(self, nodes: Sequence[NodeDef], functions: Sequence[str]) -> None:
        """Raise TransformError if there would be too many nodes. Callees stand before their callers."""
        sizes: dict[str, tuple[int, int]] = {}  # of what is inside of a function: nodes, and the characters of names

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
        try:
            _check(function)
            body = Body(function, self.functions, self._ops, assuming=True)
            caller = Caller(body.index, self, followed=set(function.control_ret.values()))
            nodes = caller.nodes()
            results = [result.name for result in function.signature.output_arg] if function.signature else []
            body.returns = {key: caller.resolved(text) for key, text in body.returns.items()}
            if caller.calls:
                self.changed[id(function)] = body.rebuilt(nodes)
            missing = next((key for key in results if key not in body.returns), None)
            if missing is not None:
                raise GraphError(f"it does not say what its result {quoted(missing)} is")
            returns = [TensorName.parse(body.returns[key]) for key in results]
        except GraphError as error:
            self._refused.setdefault(name, f"its function {quoted(name)}: {error}")
            return
        own = [node for node in nodes if node.op != ARGUMENT_OP]
        self._callees[name] = Callee(function, own, returns, self.functions, self._ops)


def _check(function: FunctionDef) -> None:
    """Raise GraphError for arguments that are lists, which functions of TensorFlow 2 do not have, and for two of one
    name, which TensorFlow refuses."""
    if function.signature is not None:
        names = Counter(each.name for each in function.signature.input_arg)
        if (name := max(names, key=names.__getitem__, default="")) and names[name] > 1:
            raise GraphError(f"it has {names[name]:,} arguments {quoted(name)}")
        for each in (*function.signature.input_arg, *function.signature.output_arg):
            if each.number_attr or each.type_list_attr:
                raise GraphError(f"{quoted(each.name)} is a list of tensors")
