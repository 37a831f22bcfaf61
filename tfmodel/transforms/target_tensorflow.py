"""Rewrite a graph for an older release of TensorFlow.

A release refuses an op, and an attribute of an op, that is newer than itself. Attributes that it does not know are
removed if they have their default value. Ops that it does not have are replaced by older ones if these compute the
same:

    AddV2                        Add
    FusedBatchNormV3, V2         FusedBatchNorm, for float32, if output 5 is not used
    BatchMatMulV3, V2            BatchMatMul, if the types are equal, and the batch dimensions are known to be
    GatherV2                     Gather, for axis 0 and without batch dimensions
    SelectV2                     Select, if the shapes are known to be equal
    MatrixDiagV3, V2, MatrixDiagPartV3, V2, MatrixSetDiagV3, V2
                                 their first version, for the main diagonal of square matrices
    NonMaxSuppressionV3          NonMaxSuppressionV2, if the least score is minus infinity
    StatelessIf, StatelessWhile  If, While

Other nodes stay and are reported with the release that they need: `tfmodel summarize` names this release for a graph.
The releases of ops and attributes come from the libraries of TensorFlow 1.0 to 2.12: see `tfmodel.ops.releases`. The
types that an older op allows are not checked. Calls of functions in a graph for a release before 2.0 can be inlined
with `inline_partitionedcall`.

Differences from the original: the C++ tool has no such transform. Its backports are transforms of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ..analysis.needed_release import has_default, newer_attributes
from ..errors import TransformError
from ..graph import attr, replace_node
from ..graph.view import GraphView
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ..ops import OPS
from ..ops.releases import find_release, is_before, release_of
from ..values.names import TensorName, control_inputs, data_inputs
from .framework.bodies import rewrite_bodies
from .framework.constants import INTEGERS
from .framework.forward import Outcome, View
from .framework.registry import graph_transform
from .framework.report import Refusal, StepReport


@graph_transform
def target_tensorflow(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef],
    report: StepReport,
    version: str,
) -> GraphDef:
    """Replace ops and remove attributes that a release of TensorFlow, such as 1.12, does not have.

    Example: target_tensorflow(version="1.12") with inputs x and outputs y

        x = Placeholder[dtype=float, shape=(1, 4, 4, 1)]
        w = Const[dtype=float, value=float{1}(1)]
        n = FusedBatchNormV3(x, w, w, w, w)[T=float, U=float, is_training=false, exponential_avg_factor=1.0]
        y = ResizeBilinear(n, s)[T=float, half_pixel_centers=false]
        s = Const[dtype=int32, value=int32{8, 8}(2)]

    becomes

        x = Placeholder[dtype=float, shape=(1, 4, 4, 1)]
        w = Const[dtype=float, value=float{1}(1)]
        n = FusedBatchNormV2(x, w, w, w, w)[T=float, U=float, is_training=false]
        y = ResizeBilinear(n, s)[T=float]
        s = Const[dtype=int32, value=int32{8, 8}(2)]
    """
    try:
        release = find_release(version)
    except ValueError as error:
        raise TransformError(str(error)) from error

    def rewrite(view: GraphView) -> list[NodeDef] | None:
        target = _Target(release, view)
        return View(view, ops, report).rewrite(dict.fromkeys(OPS, target.rule))

    return rewrite_bodies(graph, rewrite, inputs=inputs, outputs=outputs, ops=ops, report=report)


class _Target:
    """The rule for the nodes of one graph or function, for one release."""

    def __init__(self, release: str, view: GraphView) -> None:
        self._release = release
        self._taken = {*view.consumers(), *view.outputs}

    def rule(self, node: NodeDef, view: View) -> Outcome:
        """Return an older node that computes the same; a Refusal if the release cannot have the node."""
        first = release_of(node.op)
        if first and is_before(self._release, first):
            return self._older(node, view, first)
        kept = dict(node.attr)
        for name, new in newer_attributes(node, self._release):
            if not has_default(node, name):
                return Refusal(f"its attribute {name} is new in TensorFlow {new}, and has not its default value")
            del kept[name]
        return replace_node(node, attr=kept) if len(kept) < len(node.attr) else None

    def _older(self, node: NodeDef, view: View, first: str) -> Outcome:
        if TensorName(node.name, 5) in self._taken:
            return Refusal(f"{node.op} is new in TensorFlow {first}, and its output 5 is used")
        replace = _OLDER.get(node.op)
        older = replace(node, view) if replace is not None else "there is no older op for it"
        return Refusal(f"{node.op} is new in TensorFlow {first}: {older}") if isinstance(older, str) else older


Replacement: TypeAlias = "Callable[[NodeDef, View], NodeDef | str]"


def _renamed(op: str) -> Replacement:
    return lambda node, view: replace_node(node, op=op, experimental_type=None)


def _with(node: NodeDef, op: str, count: int, attrs: Mapping[str, AttrValue]) -> NodeDef:
    """Return a node with another op, with its first inputs, its control inputs, and other attributes."""
    own = {name: value for name, value in node.attr.items() if name.startswith("_")}
    inputs = [*data_inputs(node)[:count], *control_inputs(node)]
    return replace_node(node, op=op, input=inputs, attr={**attrs, **own}, experimental_type=None)


def _pick(node: NodeDef, *names: str) -> dict[str, AttrValue]:
    return {name: node.attr[name] for name in names if name in node.attr}


def _batch_norm(node: NodeDef, view: View) -> NodeDef | str:
    if attr(node, "T", DataType) != DataType.DT_FLOAT or attr(node, "U", DataType) != DataType.DT_FLOAT:
        return "FusedBatchNorm is for float32 only"
    attrs = {name: value for name, value in node.attr.items() if name != "U"}
    return replace_node(node, op="FusedBatchNorm", attr=attrs, experimental_type=None)


def _matmul_of_one_type(node: NodeDef, view: View) -> NodeDef | str:
    types = {attr(node, name, DataType) for name in ("Ta", "Tb", "Tout")}
    if len(types) > 1:
        return "its types differ"
    attrs = {name: value for name, value in node.attr.items() if name not in ("Ta", "Tb", "Tout")}
    return replace_node(
        node, op="BatchMatMulV2", attr={**attrs, "T": AttrValue(type=types.pop())}, experimental_type=None
    )


def _matmul(node: NodeDef, view: View) -> NodeDef | str:
    first, second = (view.shape(text) for text in node.input[:2])
    if first is None or second is None or len(first) != len(second):
        return "its inputs are not known to have as many dimensions"
    if first[:-2] != second[:-2] or None in first[:-2]:
        return "its batch dimensions are not known to be equal"
    return replace_node(node, op="BatchMatMul", experimental_type=None)


def _gather(node: NodeDef, view: View) -> NodeDef | str:
    axis = view.constant(node.input[2], INTEGERS)
    if axis is None or axis.size != 1 or axis.item() != 0 or attr(node, "batch_dims", int, 0):
        return "Gather is for axis 0 only"
    return _with(node, "Gather", 2, _pick(node, "Tparams", "Tindices"))


def _select(node: NodeDef, view: View) -> NodeDef | str:
    shapes = [view.shape(text) for text in node.input[:3]]
    if shapes[0] is None or None in shapes[0] or shapes.count(shapes[0]) != 3:
        return "its inputs are not known to have equal shapes"
    return replace_node(node, op="Select", experimental_type=None)


def _diagonal(op: str, data: int, places: int) -> Replacement:
    """Return the replacement of an op by its first version: the inputs are data, the diagonal, and other `places`."""

    def replace(node: NodeDef, view: View) -> NodeDef | str:
        settings = [view.constant(text, INTEGERS) for text in data_inputs(node)[data : data + places]]
        expected = [0, -1, -1][:places]
        if any(
            value is None or value.size != 1 or value.item() != wanted
            for value, wanted in zip(settings, expected, strict=True)
        ):
            return f"{op} is for the main diagonal of square matrices only"
        return _with(node, op, data, _pick(node, "T"))

    return replace


def _suppression(node: NodeDef, view: View) -> NodeDef | str:
    least = view.constant(node.input[4])
    if least is None or least.size != 1 or least.item() != -float("inf"):
        return "its least score is not minus infinity"
    return _with(node, "NonMaxSuppressionV2", 4, _pick(node, "T", "T_threshold"))


_OLDER: Mapping[str, Replacement] = {
    "AddV2": _renamed("Add"),
    "BatchMatMulV2": _matmul,
    "BatchMatMulV3": _matmul_of_one_type,
    "FusedBatchNormV2": _batch_norm,
    "FusedBatchNormV3": _renamed("FusedBatchNormV2"),
    "GatherV2": _gather,
    "MatrixDiagPartV2": _diagonal("MatrixDiagPart", 1, 1),
    "MatrixDiagPartV3": _diagonal("MatrixDiagPart", 1, 1),
    "MatrixDiagV2": _diagonal("MatrixDiag", 1, 3),
    "MatrixDiagV3": _diagonal("MatrixDiag", 1, 3),
    "MatrixSetDiagV2": _diagonal("MatrixSetDiag", 2, 1),
    "MatrixSetDiagV3": _diagonal("MatrixSetDiag", 2, 1),
    "NonMaxSuppressionV3": _suppression,
    "SelectV2": _select,
    "StatelessIf": _renamed("If"),
    "StatelessWhile": _renamed("While"),
}
