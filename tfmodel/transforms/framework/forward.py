"""Rewrite single nodes in execution order: replace a node by another node, or its output by an equal tensor.

    RULES = {"Neg": remove_double_negation}

    def remove_double_negation(node: NodeDef, view: View) -> Outcome:
        inner = view.producer(node.input[0])
        if inner is not None and inner.op == "Neg":
            return inner.input[0]                     # consumers of `node` take this tensor
        return None

    graph = rewrite_forward(graph, RULES, inputs=inputs, outputs=outputs, ops=ops, report=report)

A rule is called with a node whose inputs are rewritten already. It returns

    a tensor      the name of a tensor that equals output 0 of the node. The node is removed. Its consumers take the
                  tensor, and get the control inputs of the node; a declared node becomes an Identity
    a node        a node of the same name that takes its place; the rules are applied to this node again
    a Refusal     with the reason why the node stays
    None          if the rule does not apply

Nodes that nothing uses any more stay: `strip_unused_nodes` removes them. If the tensor that a rule returns comes from a
Switch, the node is not removed if another node has a control input from it, or if the Switch is part of a loop: see
`remove_nodes`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ...analysis.shapes import Shapes, infer_shapes
from ...errors import Error, GraphError
from ...graph import const_tensor, replace_node
from ...graph.edit import Passed, inputs_past
from ...graph.view import GraphView
from ...messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ...ops.ports import has_its_inputs
from ...ops.traits import CONSTS, PLACEHOLDERS
from ...values.names import (
    TensorName,
    control_input,
    control_inputs,
    data_inputs,
    is_control_input,
    node_name,
)
from ...values.shape import MAX_DIMENSIONS, Shape, shape_of_proto
from .bodies import rewrite_bodies
from .constants import INTEGERS, NUMBERS, Kind, read_constant
from .node_edits import bypass_problem, const_node, restore_colocation
from .report import Refusal, StepReport

if TYPE_CHECKING:
    import numpy as np

Outcome: TypeAlias = "str | NodeDef | Refusal | None"
Rule: TypeAlias = "Callable[[NodeDef, View], Outcome]"

_MAX_STEPS = 16  # rewrites of one node, one after the other
_MAX_READ = 1 << 22  # bytes of a constant that rules look at


def rewrite_forward(
    graph: GraphDef,
    rules: Mapping[str, Rule],
    *,
    inputs: Iterable[TensorName],
    outputs: Iterable[TensorName],
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    """Apply rules to the nodes of a graph and its functions. `rules` maps ops to the rules of their nodes.

    Declared inputs and outputs stay. Returns the graph itself if no rule applies.
    """

    def rewrite(view: GraphView) -> list[NodeDef] | None:
        return None if view.ops.isdisjoint(rules) else View(view, ops, report).rewrite(rules)

    return rewrite_bodies(graph, rewrite, ops=ops, report=report, inputs=inputs, outputs=outputs)


class View:
    """The graph as rules see it: nodes that are rewritten already, constants and shapes."""

    def __init__(self, graph: GraphView, ops: Mapping[str, OpDef], report: StepReport) -> None:
        self._graph = graph
        self._index = graph.index
        self._fed = {tensor.node for tensor in graph.inputs}
        self._declared = graph.declared
        self._ops = ops
        self._report = report
        self._nodes = {node.name: node for node in graph.index.nodes}
        self._added: dict[str, NodeDef] = {}
        self._arrays: dict[str, dict[Kind, np.ndarray[Any, Any] | None]] = {}
        self._tensors: dict[str, str] = {}
        self._controls: dict[str, list[str]] = {}
        self._complete: dict[str, tuple[NodeDef, bool]] = {}

    # --- for rules ---------------------------------------------------------------------------------------------------

    def producer(self, text: str) -> NodeDef | None:
        """Return the node that computes a tensor; None for an argument of a function, and for a fed tensor.

        None also for a node of a damaged graph that has not the inputs which its op takes.
        """
        name = node_name(text)
        node = None if name in self._fed else self._nodes.get(name) or self._added.get(name)
        return node if node is not None and self.is_complete(node) else None

    @cached_property
    def _shapes(self) -> Shapes:
        """The inferred shapes; in a function, those of calls are unknown."""
        # TensorFlow lets users feed a value of any shape for a node that is not a Placeholder.
        unknown = {
            node.name: None for node in self._index.nodes if node.name in self._fed and node.op not in PLACEHOLDERS
        }
        is_body = self._graph.body is not None
        return infer_shapes(GraphDef(node=self._index.nodes) if is_body else self._index, unknown)

    def operand(self, text: str, ops: Collection[str]) -> NodeDef | None:
        """Return the node that computes a tensor if the consumers of the tensor may take inputs of the node instead.

        The node must have one of the `ops` and no control inputs, and the tensor must be its output 0. Else None.
        """
        node = self.producer(text)
        is_plain = (
            node is not None and node.op in ops and not control_inputs(node) and text in (node.name, f"{node.name}:0")
        )
        return node if is_plain and node is not None and node.op in self._ops else None

    def is_complete(self, node: NodeDef) -> bool:
        """Return whether a node has the inputs that its op takes; True for an op that is not declared."""
        known = self._complete.get(node.name)
        if known is None or known[0] is not node:
            known = self._complete[node.name] = (node, has_its_inputs(node, self._ops.get(node.op)))
        return known[1]

    def constant(self, text: str, kind: Kind = NUMBERS) -> np.ndarray[Any, Any] | None:
        """Return the value of a tensor that is the output of a Const.

        None for other tensors, for constants whose type is not of the `kind` (see `constants`), and for large ones. A
        constant that repeats one element may have any size: see `stored_elements`.
        """
        arrays = self._arrays.setdefault(node_name(text), {})
        if kind not in arrays:
            arrays[kind] = self._read(self.producer(text), kind)
        return arrays[kind]

    def _read(self, node: NodeDef | None, kind: Kind) -> np.ndarray[Any, Any] | None:
        if node is None or node.op not in CONSTS:
            return None
        try:
            array = read_constant(node, kind)
        except Error:  # without a value, or with one that is damaged or of another type
            return None
        return array if stored_elements(array).nbytes <= _MAX_READ else None

    def vector(self, text: str) -> list[int] | None:
        """Return the elements of a constant vector of integers, such as the axes of a Transpose, else None."""
        array = self.constant(text, INTEGERS)
        is_vector = array is not None and array.ndim == 1 and array.size <= MAX_DIMENSIONS
        return array.tolist() if is_vector and array is not None else None

    def shape(self, text: str) -> Shape | None:
        """Return the shape of a tensor, as far as it is known."""
        name = node_name(text)
        if name in self._added:
            return shape_of_proto(const_tensor(self._added[name]).tensor_shape)
        return self._shapes.get(text)

    def elements(self, text: str) -> tuple[int | None, ...] | None:
        """Return the elements of a small vector of integers, such as a shape, with None for each unknown element.

        None for other tensors, and if nothing is known about the tensor.
        """
        if (vector := self.vector(text)) is not None:
            return tuple(vector)
        try:
            value = self._shapes.value(text)
        except GraphError:
            return None
        return value if isinstance(value, tuple) and all(not isinstance(size, tuple) for size in value) else None

    def known_value(self, name: str) -> Any:
        """Return the elements of a small tensor of integers, nested like its shape, if they follow from shapes.

        None if an element is unknown, and for a node within a loop or conditional, where a constant that replaces it
        would need a control input.
        """
        if self._index.control_flow and (self._index.frame(name) or self._index.branch(name)):
            return None
        value = self._shapes.value(name)
        return value if _is_known(value) else None

    def is_only_use(self, text: str) -> bool:
        """Return whether only one input in the graph refers to the node of a tensor, and the node is not declared."""
        name = node_name(text)
        position = self._index.positions.get(name)
        return position is not None and name not in self._declared and len(self._index.targets[position]) == 1

    def add_constant(self, name: str, values: Any, dtype: DataType, *, like: str) -> str:
        """Add a Const and return its name: `name`, or name_1, ...

        The Const runs in the loop or branch of the node `like`. It is left out of the result if no node uses it.
        """
        node = self._nodes[like]
        is_bound = self._index.control_flow and (self._index.frame(like) or self._index.branch(like))
        tensors = data_inputs(node)
        controls = [control_input(node_name(tensors[0]))] if is_bound and tensors else []
        name = self._graph.fresh(name)
        self._added[name] = const_node(name, values, dtype, control_inputs=controls, device=node.device)
        return name

    # --- the walk ----------------------------------------------------------------------------------------------------

    def rewrite(self, rules: Mapping[str, Rule]) -> list[NodeDef] | None:
        """Return the rewritten nodes; None if no rule applies."""
        fired = 0
        for position in self._index.forward_order:
            node = self._index.nodes[position]
            if self._tensors:
                node = self._nodes[node.name] = self._rewired(node)
            if node.name not in self._fed and node.op in rules and self.is_complete(node):
                fired += self._rewrite_node(node, rules)
        self._report.fire(fired)
        if not fired:
            return None
        needed = self._used_constants()
        nodes = [*needed, *(self._rewired(node) for node in self._nodes.values() if self._remains(node))]
        return restore_colocation(nodes, self._index.nodes)

    def _remains(self, node: NodeDef) -> bool:
        return node.name not in self._tensors or node.name in self._declared

    def _used_constants(self) -> list[NodeDef]:
        texts = (text for node in self._nodes.values() if self._remains(node) for text in self._rewired(node).input)
        used = {node_name(text) for text in texts}
        return [node for name, node in self._added.items() if name in used]

    def _rewrite_node(self, node: NodeDef, rules: Mapping[str, Rule]) -> bool:
        """Apply the rules to a node, and record the result; return whether a rule applied."""
        original = node
        for _ in range(_MAX_STEPS):
            rule = rules.get(node.op)
            outcome = self._apply(rule, node) if rule is not None else None
            if isinstance(outcome, str):
                outcome = self._pass_on(node, outcome)
                if outcome is None:
                    return True
            if isinstance(outcome, Refusal):
                self._report.refuse(node.name, outcome.reason)
            if not isinstance(outcome, NodeDef):
                break
            node = self._nodes[node.name] = outcome
            self._arrays.pop(node.name, None)
        return node is not original

    def _apply(self, rule: Rule, node: NodeDef) -> Outcome:
        try:
            return rule(node, self)
        except GraphError as error:  # an attribute is missing, or has another kind of value
            return Refusal(str(error))

    def _pass_on(self, node: NodeDef, tensor: str) -> Refusal | None:
        """Replace the output of a node by a tensor; return None. Return a Refusal if that is not possible."""
        controls = control_inputs(node)
        source = self._nodes.get(node_name(tensor))
        if problem := bypass_problem(self._index, node, source, controls):
            return Refusal(problem)
        if node.name in self._declared:
            dtype = self._shapes.dtype(node.name)
            if dtype is None:
                return Refusal("its type is not known")
            fields = {"op": "Identity", "input": [tensor, *controls], "attr": {"T": AttrValue(type=dtype)}}
            self._nodes[node.name] = replace_node(node, **fields, experimental_type=None)
        self._tensors[node.name] = tensor
        self._controls[node.name] = controls
        return None

    def _rewired(self, node: NodeDef) -> NodeDef:
        """Return a node in which tensors replace the outputs of removed nodes."""
        inputs = inputs_past(node.input, self._passed)
        return node if inputs == node.input else replace_node(node, input=inputs)

    def _passed(self, text: str) -> Passed | None:
        name = node_name(text)
        if name not in self._tensors or (name in self._declared and is_control_input(text)):
            return None
        return Passed(self._tensors[name], self._controls[name])


def stored_elements(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a view of an array without repetitions: an axis along which one element is repeated is cut to size 1.

    Such axes have stride 0, for example in a tensor that is filled with one value.
    """
    return array[(..., *(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides))]


def _is_known(value: Any) -> bool:
    return all(map(_is_known, value)) if isinstance(value, tuple) else value is not None
