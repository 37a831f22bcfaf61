"""Compute in half precision, or store weights in it, which makes the file half as large.

    x, w = float32                    x_float16 = Cast(x)        w = Const[value=half{...}]
    y = Relu(MatMul(x, w))     ->     y_float16 = Relu(MatMul(x_float16, w))      y = Cast(y_float16)

Inputs and outputs of the graph keep their names and types: a Cast is at each of them. Nodes in between compute in half
precision, with these exceptions, which stay float32 with casts around them:

    Ops for which TensorFlow 2.12 has no kernel in half precision on a CPU.
    Ops that are sensitive to rounding, unless `include_op` names them: exponentials, logarithms, powers and roots (Exp,
    Log, Softmax, Pow, Square, Sqrt, Rsqrt, ...), and sums of many numbers (Sum, Mean, Cumsum, L2Loss, ...).
    Ops whose floats are coordinates, scores, or random or sparse numbers (NonMaxSuppression, ResizeBilinear, ...), and
    those with variables, tables, TensorArrays and TensorLists.
    Batch norms that compute statistics of their input (is_training), as layer norms of Keras do.
    Ops such as Add and Relu between nodes that stay float32.
    Nodes that read a constant that half precision cannot represent, and the sums, products and moves behind them. The
    constant stays float32, and a note names it: its numbers overflow, as in a mask of -1e9, or all of them would become
    zero, as an epsilon of 1e-12.
    What `exclude_node` and `exclude_op` name.

A tensor that is needed in both types has one Cast, and a Cast from half precision to float32 that is in the graph
already is passed by. FusedBatchNorm becomes FusedBatchNormV2, whose statistics stay float32. The nodes of a TF1 loop
that pass a number from one iteration to the next have one type. Functions are converted too, but their arguments and
results stay float32. Random numbers stay float32, so they stay the same.

Weights are rounded to nearest even, and subnormal numbers are kept. Constants that are read by nodes in half precision
alone are stored in it; others of `minimum_size` elements or more are stored in it, with a Cast to float32 behind them,
unless they are statistics of batch norms or constants of sensitive ops. With `weights_only` all nodes stay as they are:

    w = Const[value=float{...}]   ->   w_float16 = Const[value=half{...}]     w = Cast(w_float16)

With `--verify`, the report shows the differences of the outputs, and a note tells the largest number of a node that
overflows float16 (65,504) on the feeds. With `keep_overflow`, such nodes stay float32. bfloat16 has the range of
float32, and a precision of 8 bits (float16: 11 bits).

Differences from the original: the C++ tool has no such transform.

Note: `fold_constants` computes the Cast of a constant, so it makes float32 of weights in half precision again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import GraphError, RunError, TransformError
from ..graph.error_text import list_names, quote
from ..messages import DataType, GraphDef, OpDef
from ..values.names import TensorName
from .framework.exclusions import Exclusions
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops
from .half_precision.conversion import Options, convert_graph
from .half_precision.kernels import SENSITIVE

_LARGEST_HALF = 65504.0


@graph_transform
def convert_float16(
    graph: GraphDef,
    *,
    weights_only: bool = False,
    minimum_size: int = 1024,
    exclude_node: tuple[str, ...] = (),
    exclude_op: tuple[str, ...] = (),
    include_op: tuple[str, ...] = (),
    keep_overflow: bool = False,
    inputs: tuple[TensorName, ...],
    outputs: tuple[TensorName, ...],
    ops: Mapping[str, OpDef],
    activations: Callable[[GraphDef], Mapping[str, float]] | None,
    report: StepReport,
) -> GraphDef:
    """Compute in float16, with casts at inputs and outputs; or only store weights in it.

    `weights_only` converts constants of `minimum_size` elements or more and nothing else. `exclude_node` and
    `exclude_op` name nodes that stay float32, and their constants: see `quantize_weights`. `include_op` names ops that
    are sensitive to rounding, such as Softmax, and are converted nevertheless. `keep_overflow` keeps nodes in float32
    whose values overflow on the feeds of `--verify`. Fails if a float constant outside of functions has no value.

    Example: convert_float16() with inputs x and outputs y

        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{1, 2, 3, 0.1}(2, 2)]
        m = MatMul(x, w)[T=float]
        r = Relu(m)[T=float]
        y = Softmax(r)[T=float]

    becomes

        x = Placeholder[dtype=float]
        x_float16 = Cast(x)[SrcT=float, DstT=half]
        w = Const[dtype=half, value=half{1, 2, 3, 0.1}(2, 2)]
        m = MatMul(x_float16, w)[T=half]
        r = Relu(m)[T=half]
        r_float32 = Cast(r)[SrcT=half, DstT=float]
        y = Softmax(r_float32)[T=float]

    Example: convert_float16(weights_only=true, minimum_size=2) with outputs y

        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{0.5, 70}]
        y = Mul(x, w)[T=float]

    becomes

        x = Placeholder[dtype=float]
        w_float16 = Const[dtype=half, value=half{0.5, 70}]
        w = Cast(w_float16)[SrcT=half, DstT=float]
        y = Mul(x, w)[T=float]
    """
    _check(graph, minimum_size, include_op, report, weights_only=weights_only)
    if keep_overflow and activations is None:
        raise TransformError("keep_overflow needs values to look at: add --verify, or verify= in Python")
    if keep_overflow and weights_only:
        raise TransformError("keep_overflow has no effect with weights_only: all nodes stay float32")
    largest = _largest_values(graph, activations, is_needed=keep_overflow) if not weights_only else {}
    wide = {name: value for name, value in largest.items() if value > _LARGEST_HALF}
    options = Options(
        DataType.DT_HALF,
        weights_only,
        minimum_size,
        Exclusions(exclude_node, exclude_op, graph, report),
        frozenset(include_op),
        frozenset(wide if keep_overflow else ()),
    )
    if wide:
        name = max(wide, key=wide.__getitem__)
        stay = f"stay float32: {list_names([*wide])}" if keep_overflow else "keep_overflow=true keeps them in float32"
        nodes = "1 node overflows" if len(wide) == 1 else f"{len(wide):,} nodes overflow"
        report.notes.append(f"{nodes} float16, {quote(name)} with {wide[name]:.3g}; {stay}")
    return _convert(graph, options, inputs, outputs, ops, report)


@graph_transform
def convert_bfloat16(
    graph: GraphDef,
    *,
    weights_only: bool = False,
    minimum_size: int = 1024,
    exclude_node: tuple[str, ...] = (),
    exclude_op: tuple[str, ...] = (),
    include_op: tuple[str, ...] = (),
    inputs: tuple[TensorName, ...],
    outputs: tuple[TensorName, ...],
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    """Compute in bfloat16, with casts at inputs and outputs; or only store weights in it. See `convert_float16`.

    Example: convert_bfloat16() with inputs x and outputs y

        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{1, 0.1, 1e6, -3}(2, 2)]
        y = MatMul(x, w)[T=float]

    becomes

        x = Placeholder[dtype=float]
        x_bfloat16 = Cast(x)[SrcT=float, DstT=bfloat16]
        w = Const[dtype=bfloat16, value=bfloat16{1, 0.1, 1e6, -3}(2, 2)]
        y_bfloat16 = MatMul(x_bfloat16, w)[T=bfloat16]
        y = Cast(y_bfloat16)[SrcT=bfloat16, DstT=float]
    """
    _check(graph, minimum_size, include_op, report, weights_only=weights_only)
    exclusions = Exclusions(exclude_node, exclude_op, graph, report)
    options = Options(DataType.DT_BFLOAT16, weights_only, minimum_size, exclusions, frozenset(include_op))
    return _convert(graph, options, inputs, outputs, ops, report)


def _largest_values(
    graph: GraphDef, activations: Callable[[GraphDef], Mapping[str, float]] | None, *, is_needed: bool
) -> Mapping[str, float]:
    """Return the largest magnitude that each node computes on the feeds.

    Empty without feeds, and if the graph cannot be run although nothing needs that.
    """
    if activations is None:
        return {}
    try:
        return activations(graph)
    except (GraphError, RunError):
        if is_needed:
            raise
        return {}


def _check(
    graph: GraphDef, minimum_size: int, include_op: tuple[str, ...], report: StepReport, *, weights_only: bool
) -> None:
    """Raise TransformError for arguments that are invalid or cannot have an effect; note ops that no node has."""
    if minimum_size < 0:
        raise TransformError(f"minimum_size must be >= 0, got {minimum_size}")
    if include_op and weights_only:
        raise TransformError("include_op has no effect with weights_only: all nodes stay float32")
    for op in include_op:
        if op not in SENSITIVE:
            known = ", ".join(sorted(SENSITIVE))
            raise TransformError(f"include_op: {quote(op)} is not one of the ops that this argument is for: {known}")
    report.notes += missing_ops(include_op, graph)


def _convert(
    graph: GraphDef,
    options: Options,
    inputs: tuple[TensorName, ...],
    outputs: tuple[TensorName, ...],
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    report.is_approximate = True
    return convert_graph(graph, options, inputs=inputs, outputs=outputs, ops=ops, report=report)
