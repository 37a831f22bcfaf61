"""Convert a graph and its functions to half precision.

    options = Options(DataType.DT_HALF, weights_only=False, minimum_size=1024, exclusions=exclusions)
    graph = convert_graph(graph, options, inputs=..., outputs=..., ops=ops, report=report)

Functions keep their signatures: arguments and results stay float32, with casts in the body. So every call stays right,
also those of loops, whose state is not rounded from one iteration to the next.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import GraphError, TensorError
from ...graph.error_text import list_names
from ...graph.view import GraphView
from ...messages import DataType, GraphDef, NodeDef, OpDef, TensorProto
from ...ops import output_types
from ...ops.traits import VARIABLES
from ...values.dtypes import dtype_name
from ...values.names import TensorName, data_inputs
from ...values.terminal import escape
from ..framework.bodies import rewrite_bodies
from ..framework.exclusions import Exclusions, constant_readers
from ..framework.report import StepReport
from ..quantization.weights import float_array, is_splat
from .kernels import SENSITIVE, UNCONVERTED
from .rewriting import ConstantForm, Rewriter
from .selection import NEW_BATCH_NORM, OLD_BATCH_NORM, Selection, Unrepresentable, select_nodes
from .weights import half_tensor, rounding_loss

if TYPE_CHECKING:
    from .weights import RoundingLoss

_EXCLUDED = "it is excluded"
_FLOAT_READERS = UNCONVERTED | SENSITIVE | {OLD_BATCH_NORM, NEW_BATCH_NORM, "FusedBatchNormV3"}
"""Ops that need their constants in full precision."""


@dataclass(frozen=True, slots=True)
class Options:
    """The arguments of a conversion.

    half            DT_HALF or DT_BFLOAT16
    weights_only    whether only constants change
    minimum_size    the number of elements of a constant that is worth a Cast
    include         ops that are converted, although they are sensitive to rounding
    wide            nodes whose values are known to overflow, which stay float32
    """

    half: DataType
    weights_only: bool
    minimum_size: int
    exclusions: Exclusions
    include: frozenset[str] = frozenset()
    wide: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Totals:
    """The errors that conversion causes in the constants of a graph and its functions."""

    vanishing: int = 0
    elements: int = 0
    kept: dict[str, list[str]] = field(default_factory=dict)


def convert_graph(
    graph: GraphDef,
    options: Options,
    *,
    inputs: Iterable[TensorName],
    outputs: Iterable[TensorName],
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    """Return the graph in half precision; the graph itself if nothing changes."""
    totals = _Totals()

    def convert(view: GraphView) -> list[NodeDef] | None:
        return _Body(view, options, ops, report, totals).convert()

    result = rewrite_bodies(graph, convert, ops=ops, report=report, inputs=inputs, outputs=outputs)
    _add_notes(graph, options, report, totals)
    return result


def _add_notes(graph: GraphDef, options: Options, report: StepReport, totals: _Totals) -> None:
    name = dtype_name(options.half)
    for problem, names in totals.kept.items():
        what = "1 constant stays" if len(names) == 1 else f"{len(names):,} constants stay"
        report.notes.append(f"{what} float32, since {problem}: {escape(list_names(names))}")
    if totals.vanishing:
        report.notes.append(f"{totals.vanishing:,} of {totals.elements:,} weights become zero in {name}")
    if not report.fired and any(node.op in VARIABLES for node in graph.node):
        report.notes.append("no constant is converted, and there are variables: freeze the graph first")


@dataclass(frozen=True, slots=True)
class _Constant:
    """A float32 constant of a graph."""

    node: NodeDef
    array: Any
    loss: RoundingLoss
    is_splat: bool


class _Body:
    """Converts the nodes of a graph or of a function."""

    def __init__(
        self, view: GraphView, options: Options, ops: Mapping[str, OpDef], report: StepReport, totals: _Totals
    ) -> None:
        self._view = view
        self._index = view.index
        self._options = options
        self._ops = ops
        self._report = report
        self._totals = totals

    def convert(self) -> list[NodeDef] | None:
        """Return the converted nodes; None if nothing changes. The results of a function follow."""
        view, constants = self._view, self._constants()
        fed = {tensor.node for tensor in view.inputs}
        outputs = {tensor.node for tensor in view.outputs} if view.body is None else set()
        if self._options.weights_only:
            selection = Selection()
            forms = {
                name: ConstantForm.BOTH for name, one in constants.items() if name not in fed and self._is_worth(one)
            }
        else:
            selection = self._select(constants, fed, outputs)
            forms = self._forms(constants, selection, {*fed, *outputs})
        self._count(constants, selection, forms)
        if not selection.changes and not forms:
            return None
        rewriter = Rewriter(
            view,
            selection,
            self._options.half,
            constants=forms,
            values={name: self._value(constants[name]) for name in forms},
            outputs=outputs,
            kept=view.declared,
        )
        view.results = {name: rewriter.float32(tensor) for name, tensor in view.results.items()}
        return rewriter.nodes()

    # --- constants ---------------------------------------------------------------------------------------------------

    def _constants(self) -> dict[str, _Constant]:
        """Return the float32 constants by name. Raises GraphError for a float constant of a graph without a value."""
        constants = {}
        for node in self._index.nodes:
            if node.op != "Const":
                continue
            try:
                array = float_array(node)
            except (GraphError, TensorError) as error:
                if self._view.body is None:
                    raise
                self._report.refuse(node.name, str(error))
                continue
            if array is not None:
                loss = rounding_loss(array, self._options.half)
                constants[node.name] = _Constant(node, array, loss, is_splat(array))
        return constants

    def _value(self, constant: _Constant) -> TensorProto:
        return half_tensor(constant.node, constant.array, self._options.half)

    def _is_worth(self, constant: _Constant) -> bool:
        """Return whether a constant may be stored in half precision, with a Cast behind it."""
        if constant.array.size < self._options.minimum_size:
            return False
        if self._options.exclusions.has_constant(constant.node, self._index):
            return False
        if problem := constant.loss.problem:
            self._keep(constant.node.name, problem)
        elif constant.is_splat:
            self._report.refuse(constant.node.name, "it is stored as one element")
        return not problem and not constant.is_splat

    def _keep(self, name: str, problem: str) -> None:
        self._report.refuse(name, problem)
        self._totals.kept.setdefault(problem, []).append(name)

    def _forms(
        self, constants: Mapping[str, _Constant], selection: Selection, declared: Collection[str]
    ) -> dict[str, ConstantForm]:
        """Return the new forms of constants; those that stay as they are are left out."""
        half_uses, float_uses = set[str](), {tensor.node for tensor in self._view.results.values()}
        for node in self._index.nodes:
            change = selection.changes.get(node.name)
            for place, text in enumerate(data_inputs(node)):
                name = TensorName.parse(text).node
                if name in constants:
                    is_half = change is not None and change.takes(place)
                    (half_uses if is_half else float_uses).add(name)
        forms = {}
        for name, constant in constants.items():
            if name in declared or constant.node in self._options.exclusions:
                continue
            if name in half_uses and name not in float_uses:
                forms[name] = ConstantForm.HALF
            elif name in float_uses and self._is_worth(constant) and not self._is_read_exactly(constant):
                forms[name] = ConstantForm.BOTH
        return forms

    def _is_read_exactly(self, constant: _Constant) -> bool:
        return any(use.node.op in _FLOAT_READERS for use in constant_readers(constant.node, self._index))

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _select(self, constants: Mapping[str, _Constant], fed: Collection[str], outputs: Collection[str]) -> Selection:
        problems = {
            name: Unrepresentable(one.loss.problem, one.loss.overflows)
            for name, one in constants.items()
            if one.loss.problem
        }
        pinned = dict.fromkeys(fed, "it is a declared input")
        for node in self._index.nodes:
            if node in self._options.exclusions:
                pinned[node.name] = _EXCLUDED
            elif node.name in outputs and self._has_several_outputs(node):
                pinned[node.name] = "it is a declared output, and has several outputs"
        for name in problems:
            self._keep(name, problems[name].reason)
        return select_nodes(
            self._index,
            self._ops,
            self._options.half,
            constants=problems,
            pinned=pinned,
            wide=self._options.wide,
            include=self._options.include,
        )

    def _has_several_outputs(self, node: NodeDef) -> bool:
        op = self._ops.get(node.op)
        try:
            return op is None or len(output_types(node, op)) != 1
        except GraphError:
            return True

    def _count(
        self, constants: Mapping[str, _Constant], selection: Selection, forms: Mapping[str, ConstantForm]
    ) -> None:
        """Add to the report and the totals."""
        self._report.fire(len(selection.changes) + len(forms))
        for name, reason in selection.kept.items():
            self._report.refuse(name, reason)
        for name in forms:
            self._totals.vanishing += constants[name].loss.vanishing
            self._totals.elements += constants[name].loss.elements
