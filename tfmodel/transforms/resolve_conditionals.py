"""Replace conditionals whose predicate is constant by the branch that runs.

    s = Switch(x, training)                              y = Neg(x)
    a = Dropout(s:1)                             ->
    m = Merge(s, a)
    y = Neg(m)              where training is false

    y = If(training, x)[then_branch=@f, else_branch=@g]     ->     the nodes of g

A predicate is constant if it is computed from constants only, for example through Identity, LogicalNot or Enter. In
models that were exported from training, the predicate of dropout and batch norms is a Placeholder: make it a constant
first, with `bind_inputs`. The following are replaced, in the graph and in functions:

    Switch and Merge       by the branch that is taken; nodes of the other branch are removed
    If, StatelessIf        by the nodes of a branch, named `<node>/<inner node>`; see inline_partitionedcall
    Case, StatelessCase    the same; the last branch if the index is out of range
    While, StatelessWhile  by their inputs, if the condition is false at the beginning

Control inputs are kept: a node with a control input from a Switch or a Merge gets one from the node that replaces it,
unless this would only order it after a constant. A Switch stays if its removal would lose a declared tensor, leave a
loop without a next iteration, or leave more than one input of a Merge, but not all. If the function of a branch cannot
be inlined, the If or Case becomes a call of it. Nodes that only a removed conditional needed stay: `strip_unused_nodes`
removes them. Functions stay even if nothing calls them any more.

Differences from the original: the C++ tool has no such transform. TensorFlow's own optimizer does not follow predicates
through Enter, keeps the functions of If in a SavedModel, and evaluates Switch only for constant data.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from ..errors import GraphError
from ..graph import Functions, GraphIndex, attr, replace_node
from ..graph.dead_branches import remove_dead_branches
from ..graph.view import GraphView
from ..kernels.control_flow.kernels import is_true
from ..messages import AttrValue, DataType, FunctionDefLibrary, GraphDef, NameAttrList, NodeDef, OpDef
from ..ops.traits import ENTER, SWITCH, WHILE_LOOPS
from ..values.names import TensorName, control_inputs, data_inputs, is_control_input, node_name
from .constant_folding.evaluation import constant_values
from .framework.bodies import rewrite_bodies
from .framework.node_edits import rename_inputs, restore_colocation
from .framework.registry import graph_transform
from .framework.report import StepReport
from .inline_partitionedcall import inline_calls

_IFS = frozenset({"If", "StatelessIf"})
_CASES = frozenset({"Case", "StatelessCase"})
_FUNCTIONAL = _IFS | _CASES | WHILE_LOOPS
_PASS_THROUGH = frozenset({"Identity", "RefIdentity", "StopGradient"}) | ENTER
_MAX_ROUNDS = 64  # levels of nested conditionals whose predicates depend on the outer conditionals


@graph_transform
def resolve_conditionals(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    """Replace conditionals whose predicate is constant by the branch that runs.

    Example: resolve_conditionals with inputs x and outputs y

        x = Placeholder[dtype=float]
        training = Const[dtype=bool, value=bool{false}()]
        s = Switch(x, training)[T=float]
        a = Relu(s:1)[T=float]
        m = Merge(s, a)[N=2, T=float]
        y = Neg(m)[T=float]

    becomes

        x = Placeholder[dtype=float]
        training = Const[dtype=bool, value=bool{false}()]
        y = Neg(x)[T=float]
    """
    if not _has_conditionals(graph):
        return graph
    resolver = _Resolver(graph.library, ops, report)

    def resolve(view: GraphView) -> list[NodeDef] | None:
        if view.body is not None and view.ops.isdisjoint(SWITCH | _FUNCTIONAL):
            return None
        return resolver.resolve(view.index.nodes, declared=(*view.inputs, *view.outputs), fed=view.inputs)

    return rewrite_bodies(graph, resolve, ops=ops, report=report, inputs=inputs, outputs=outputs)


def _has_conditionals(graph: GraphDef) -> bool:
    bodies = (
        [graph.node, *(function.node_def for function in graph.library.function)] if graph.library else [graph.node]
    )
    return any(node.op in SWITCH or node.op in _FUNCTIONAL for nodes in bodies for node in nodes)


class _Resolver:
    """Resolves the conditionals in the nodes of a graph, or of the body of a function."""

    def __init__(self, library: FunctionDefLibrary | None, ops: Mapping[str, OpDef], report: StepReport) -> None:
        self._library = library
        self._functions = Functions(library)
        self._ops = ops
        self._report = report

    def resolve(
        self, nodes: list[NodeDef], *, declared: Iterable[TensorName], fed: Iterable[TensorName]
    ) -> list[NodeDef]:
        """Return the nodes with the conditionals resolved whose predicate is constant; the report counts these.

        `declared` tensors must stay, and `fed` ones are not constant.
        """
        declared, fed = list(declared), list(fed)
        refusals: dict[str, str] = {}
        for _ in range(_MAX_ROUNDS):
            index = GraphIndex(GraphDef(node=nodes, library=self._library))
            known = self._known_predicates(index, fed, refusals)
            changed = self._resolve_switches(index, known, declared, refusals)
            changed = self._resolve_calls(changed, index, known, declared)
            changed = self._resolve_loops(changed, declared, fed)
            if len(changed) == len(nodes) and all(new is old for new, old in zip(changed, nodes, strict=True)):
                break
            nodes = restore_colocation(changed, nodes)
        for name, reason in refusals.items():
            self._report.refuse(name, reason)
        return nodes

    # --- predicates --------------------------------------------------------------------------------------------------

    def _known_predicates(self, index: GraphIndex, fed: list[TensorName], stay: Container[str]) -> dict[int, Any]:
        """Return the values of constant predicates and indices, by the position of their Switch, If or Case.

        Switch nodes whose names are in `stay` are left out.
        """
        origins = {}
        fed_nodes = {tensor.node for tensor in fed}
        for position, node in enumerate(index.nodes):
            tensors = data_inputs(node)
            if node.op in SWITCH and len(tensors) == 2 and node.name not in stay:
                origins[position] = self._origin(index, tensors[1], fed_nodes)
            elif node.op in (_IFS | _CASES) and tensors and node.name not in fed_nodes:
                origins[position] = self._origin(index, tensors[0], fed_nodes)
        graph = GraphDef(node=index.nodes, library=self._library)
        values = constant_values(graph, origins.values(), fed, self._ops) if origins else {}
        return {position: values[origin] for position, origin in origins.items() if origin in values}

    def _origin(self, index: GraphIndex, text: str, fed: set[str]) -> TensorName:
        """Return the tensor that a reference leads to through nodes that pass on their input, as Enter does."""
        tensor = TensorName.parse(text)
        seen = set()
        while tensor.node in index and tensor.node not in seen and tensor.node not in fed:
            seen.add(tensor.node)
            node = index[tensor.node]
            if node.op not in _PASS_THROUGH or not (texts := data_inputs(node)):
                break
            tensor = TensorName.parse(texts[0])
        return tensor

    # --- conditionals of TensorFlow 1 --------------------------------------------------------------------------------

    def _resolve_switches(
        self, index: GraphIndex, known: Mapping[int, Any], declared: list[TensorName], refusals: dict[str, str]
    ) -> list[NodeDef]:
        taken = {}
        for position, value in known.items():
            node = index.nodes[position]
            if node.op not in SWITCH or value.ndim or value.dtype.kind not in "biu":
                continue
            last = attr(node, "num_outs", int) - 1 if node.op == "_SwitchN" else 1
            taken[position] = int(value) if 0 <= value <= last else last
        if not taken:
            return index.nodes
        nodes = remove_dead_branches(index, taken, declared, refusals.__setitem__)
        self._report.fire(len(taken) - sum(index.nodes[position].name in refusals for position in taken))
        return nodes

    # --- conditionals and loops of TensorFlow 2 ----------------------------------------------------------------------

    def _resolve_calls(
        self, nodes: list[NodeDef], index: GraphIndex, known: Mapping[int, Any], declared: list[TensorName]
    ) -> list[NodeDef]:
        """Replace If and Case by the nodes of the branch that is taken, or by a call of it if it cannot be inlined."""
        branches = {
            index.nodes[position].name: branch
            for position, value in known.items()
            if (branch := _branch(index.nodes[position], value)) is not None
        }
        if not branches:
            return nodes
        calls = [_as_call(node, branches[node.name]) if node.name in branches else node for node in nodes]
        return self._inline(calls, branches, declared)

    def _inline(self, nodes: list[NodeDef], names: Iterable[str], declared: Iterable[TensorName]) -> list[NodeDef]:
        graph = GraphDef(node=nodes, library=self._library)
        return inline_calls(graph, frozenset(names), {tensor.node for tensor in declared}, self._ops, self._report)

    def _resolve_loops(self, nodes: list[NodeDef], declared: list[TensorName], fed: list[TensorName]) -> list[NodeDef]:
        """Replace loops that run zero times by their inputs."""
        loops = [node for node in nodes if node.op in WHILE_LOOPS]
        if not loops:
            return nodes
        replaced = self._loops_without_steps(nodes, loops, fed)
        needed_names = {tensor.node for tensor in declared}
        needed_names.update(node_name(text) for node in nodes for text in node.input if is_control_input(text))
        renames = {f"{node.name}:{port}": text for node in replaced for port, text in enumerate(data_inputs(node))}
        replaced_names = {node.name for node in replaced}
        self._report.fire(len(replaced))
        remaining = [
            _as_identity(node) if node.name in replaced_names else node
            for node in nodes
            if node.name not in replaced_names or node.name in needed_names
        ]
        return rename_inputs(remaining, renames) if renames else remaining

    def _loops_without_steps(self, nodes: list[NodeDef], loops: list[NodeDef], fed: list[TensorName]) -> list[NodeDef]:
        """Return the loops whose condition is computed from constants and is false at the beginning."""
        conditions = {}
        view = GraphView(GraphDef(node=nodes), checked=False)
        fed_nodes = {tensor.node for tensor in fed}
        for node in loops:
            if node.name not in fed_nodes:
                name = view.fresh(f"{node.name}/condition")
                conditions[name] = node
                nodes = [*nodes, self._condition(node, name)]
        graph = GraphDef(node=nodes, library=self._library)
        try:
            inlined = inline_calls(graph, frozenset(conditions), conditions, self._ops, StepReport("conditions"))
        except GraphError:
            return []
        tensors = [TensorName(name) for name in conditions]
        values = constant_values(GraphDef(node=inlined, library=self._library), tensors, fed, self._ops)
        return [conditions[tensor.node] for tensor, value in values.items() if not is_true(value)]

    def _condition(self, loop: NodeDef, name: str) -> NodeDef:
        """Return a call of the condition of a loop with the inputs of the loop."""
        condition = attr(loop, "cond", NameAttrList)
        signature = self._functions[condition.name].signature
        types = [result.type for result in signature.output_arg] if signature is not None else []
        attributes = {
            "Tin": AttrValue(list=AttrValue.ListValue(type=attr(loop, "T", list[DataType]))),
            "Tout": AttrValue(list=AttrValue.ListValue(type=types)),
            "f": AttrValue(func=condition),
        }
        return NodeDef(name=name, op="PartitionedCall", input=data_inputs(loop), attr=attributes)


def _branch(node: NodeDef, value: Any) -> NameAttrList | None:
    """Return the function that an If or a Case calls if its predicate or index is `value`.

    Return None for other nodes, for a Case whose index is not an integer scalar, and for a Case without branches.
    """
    if node.op in _IFS:
        return attr(node, "then_branch" if is_true(value) else "else_branch", NameAttrList)
    if node.op not in _CASES or value.ndim or value.dtype.kind not in "iu":
        return None
    branches = attr(node, "branches", list[NameAttrList])
    if not branches:
        return None
    index = int(value)
    return branches[index if 0 <= index < len(branches) else -1]


def _as_call(node: NodeDef, function: NameAttrList) -> NodeDef:
    """Return a call of `function` with the name, inputs and types of an If or a Case."""
    attributes = {name: value for name, value in node.attr.items() if name in ("Tin", "Tout") or name.startswith("_")}
    attributes["f"] = AttrValue(func=function)
    op = "PartitionedCall" if node.op.startswith("Stateless") else "StatefulPartitionedCall"
    inputs = [*data_inputs(node)[1:], *control_inputs(node)]
    return replace_node(node, op=op, input=inputs, attr=attributes, experimental_type=None)


def _as_identity(loop: NodeDef) -> NodeDef:
    return replace_node(loop, op="IdentityN", attr={"T": loop.attr["T"]}, experimental_type=None)
