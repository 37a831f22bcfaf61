"""Remove nodes that do not change values, and combine two nodes into one that does the same.

    Mul(x, 1)   RealDiv(x, 1)   Add(x, 0)   Sub(x, 0)   BiasAdd(x, 0)   Pow(x, 1)       ->   x
    Cast(x) to the type that x has           Select(true, x, y)                         ->   x
    Neg(Neg(x))   LogicalNot(LogicalNot(x))                                             ->   x
    Relu(Relu(x))   Abs(Abs(x))   Floor(Floor(x))                                       ->   Relu(x) ...
    Transpose(x), Reshape(x), Pad(x), Slice(x), StridedSlice(x), Tile(x), BroadcastTo(x), ConcatV2(x), AddN(x),
        Squeeze(ExpandDims(x)), ExpandDims(Squeeze(x)) that change nothing              ->   x
    Transpose(Transpose(x))                                                             ->   Transpose(x), or x
    Reshape(Reshape(x), s)   Reshape(Squeeze(x), s)   Reshape(ExpandDims(x), s)         ->   Reshape(x, s)
    Reshape(x, Pack(Shape(x)[0], 784))                                                  ->   Reshape(x, [-1, 784])
    Pack, ConcatV2, StridedSlice of sizes that are known                                ->   a constant
    Add(Add(x, 2), 3)   Mul(Mul(x, 2), 3)   Add(BiasAdd(x, b), c)                       ->   Add(x, 5) ...

Constants must be Const nodes: run `fold_constants` first. A node is removed only if the shape stays the same. So the
constant of a sum or product is removed only if it certainly does not broadcast the other operand. Two constants are
combined only if nothing else uses the first sum or product, and if no float of the new constant overflows, underflows
or loses digits because it is too small.

Sums and products of floats with combined constants are rounded once less, and -0 + 0 stays -0; all other rewrites are
exact. A Reshape fails if its sizes contradict the number of elements. If such a size is replaced by -1, the Reshape no
longer fails.

Differences from the original: the C++ tool has no such transform. TensorFlow's own optimizer does most of this when it
loads a graph, but does not write the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..graph import attr, replace_node
from ..messages import DataType, GraphDef, NodeDef, OpDef
from ..values.names import TensorName, control_inputs, data_inputs
from ..values.shape import Shape
from .framework.constants import BOOLS, INTEGERS
from .framework.forward import Outcome, Rule, View, rewrite_forward, stored_elements
from .framework.node_edits import const_node
from .framework.registry import graph_transform
from .framework.report import StepReport


@graph_transform
def simplify(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    """Remove nodes that do not change values, and combine two nodes into one that does the same.

    Example: simplify with inputs x and outputs y

        x = Placeholder[dtype=float]
        one = Const[dtype=float, value=float{1}()]
        same = Mul(x, one)[T=float]
        a = Neg(same)[T=float]
        b = Neg(a)[T=float]
        y = Relu(b)[T=float]

    becomes

        x = Placeholder[dtype=float]
        one = Const[dtype=float, value=float{1}()]
        a = Neg(x)[T=float]
        y = Relu(x)[T=float]
    """
    return rewrite_forward(graph, _RULES, inputs=inputs, outputs=outputs, ops=ops, report=report)


# --- arithmetic ------------------------------------------------------------------------------------------------------

_ADDITIONS = frozenset({"Add", "AddV2"})
_SUMS = _ADDITIONS | {"Sub", "BiasAdd"}
_PRODUCTS = frozenset({"Mul", "RealDiv"})
_INTEGER_DIVISIONS = frozenset({"FloorDiv", "TruncateDiv"})


def _sum(node: NodeDef, view: View) -> Outcome:
    operands = _constant_and_other(node, view, commutative=node.op in _ADDITIONS)
    if operands is None:
        return None
    constant, other = operands
    if _is_neutral(constant, 0, other, view, any_shape=node.op == "BiasAdd"):
        return other
    return _combine_sums(node, constant, other, view)


def _product(node: NodeDef, view: View) -> Outcome:
    operands = _constant_and_other(node, view, commutative=node.op == "Mul")
    if operands is None:
        return None
    constant, other = operands
    if node.op in _INTEGER_DIVISIONS and constant.dtype.kind not in "iu":
        return None  # the result is rounded
    if _is_neutral(constant, 1, other, view):
        return other
    return None if node.op not in _PRODUCTS else _combine_products(node, constant, other, view)


def _constant_and_other(node: NodeDef, view: View, *, commutative: bool) -> tuple[np.ndarray[Any, Any], str] | None:
    """Return the value of the constant operand, and the other operand; None if no operand is a constant.

    The constant must be the second operand, unless the op is `commutative`.
    """
    tensors = data_inputs(node)
    if len(tensors) != 2:
        return None
    for constant, other in [(tensors[1], tensors[0]), (tensors[0], tensors[1])][: 1 + commutative]:
        array = view.constant(constant)
        if array is not None:
            return array, other
    return None


def _is_neutral(array: np.ndarray[Any, Any], value: int, other: str, view: View, *, any_shape: bool = False) -> bool:
    """Return whether all elements are `value`, and the array does not make the other operand larger."""
    if not array.size or not (stored_elements(array) == value).all():
        return False
    return any_shape or _broadcasts_into(array.shape, view.shape(other) if array.shape else ())


def _broadcasts_into(shape: Shape, other: Shape | None) -> bool:
    """Return whether an element-wise op of both shapes has the shape `other`."""
    if not shape:
        return True
    if other is None or len(other) < len(shape):
        return False
    return all(
        size == 1 or (size is not None and size == larger)
        for size, larger in zip(reversed(shape), reversed(other), strict=False)
    )


def _combine_sums(node: NodeDef, constant: np.ndarray[Any, Any], other: str, view: View) -> Outcome:
    """Return Add(x, a + b) for Add(Add(x, a), b). Each Add may be a Sub or a BiasAdd instead."""
    inner = view.operand(other, _SUMS)
    operands = None if inner is None else _constant_and_other(inner, view, commutative=inner.op in _ADDITIONS)
    if inner is None or operands is None or not view.is_only_use(other) or constant.dtype != operands[0].dtype:
        return None
    first, tensor = operands
    biases = [step for step in (inner, node) if step.op == "BiasAdd"]
    if any(attr(step, "data_format", bytes, b"NHWC") != b"NHWC" for step in biases):
        return None
    total = _combine_constants(
        -first if inner.op == "Sub" else first, -constant if node.op == "Sub" else constant, "add"
    )
    if (
        total is None
        or not _is_worth_adding(total, node, inner, view)
        or any(total.shape != view.shape(step.input[1]) for step in biases)
    ):
        return None
    template = biases[0] if biases else node
    op = "BiasAdd" if biases else "AddV2" if "AddV2" in (node.op, inner.op) else "Add"
    return _with_constant(node, tensor, total, view, op=op, template=template)


def _combine_products(node: NodeDef, constant: np.ndarray[Any, Any], other: str, view: View) -> Outcome:
    """Return Mul(x, a * b) for Mul(Mul(x, a), b), and RealDiv(x, a * b) for RealDiv(RealDiv(x, a), b)."""
    inner = view.operand(other, {node.op})
    operands = None if inner is None else _constant_and_other(inner, view, commutative=node.op == "Mul")
    if operands is None or not view.is_only_use(other) or constant.dtype != operands[0].dtype:
        return None
    total = _combine_constants(operands[0], constant, "multiply")
    if inner is None or total is None or not _is_worth_adding(total, node, inner, view):
        return None
    return _with_constant(node, operands[1], total, view, op=node.op, template=node)


def _combine_constants(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any] | None:
    """Return the sum or product of two constants. `name` is that of the NumPy function.

    Return None if the shapes do not broadcast, or if the result has more elements than both together, is not finite, or
    loses digits because it is too small.
    """
    try:
        size = np.broadcast(a, b).size
    except ValueError:
        return None
    if size > stored_elements(a).size + stored_elements(b).size:
        return None
    with np.errstate(all="ignore"):
        total: np.ndarray[Any, Any] = np.asarray(getattr(np, name)(a, b), a.dtype)
    if a.dtype.kind in "iu":
        return total
    magnitudes = np.abs(total)
    is_exact = np.isfinite(magnitudes) & (magnitudes >= np.finfo(total.dtype).tiny)
    is_zero = (magnitudes == 0) & ((a == 0) | (b == 0) | (name == "add"))
    return total if bool((is_exact | is_zero).all()) else None


def _is_worth_adding(total: np.ndarray[Any, Any], node: NodeDef, inner: NodeDef, view: View) -> bool:
    """Return whether a combined constant is small, or replaces constants that nothing else uses."""
    constants = [text for step in (node, inner) for text in data_inputs(step) if view.constant(text) is not None]
    return total.nbytes <= _MAX_SHARED or all(map(view.is_only_use, constants))


def _with_constant(
    node: NodeDef, tensor: str, value: np.ndarray[Any, Any], view: View, *, op: str, template: NodeDef
) -> NodeDef:
    """Return `node` with the op `op`, the attributes of `template`, and as data inputs a tensor and a new constant."""
    constant = view.add_constant(f"{node.name}/joined", value, attr(node, "T", DataType), like=node.name)
    return replace_node(node, op=op, input=[tensor, constant, *control_inputs(node)], attr=dict(template.attr))


# --- a node and the node before it -----------------------------------------------------------------------------------


def _inverse(node: NodeDef, view: View) -> Outcome:
    """Replace a node that undoes the node before it, which has the same op, such as Neg."""
    inner = view.operand(node.input[0], {node.op})
    return inner.input[0] if inner is not None else None


def _repetition(node: NodeDef, view: View) -> Outcome:
    """Replace a node that does nothing after a node of the same op, such as Relu."""
    return node.input[0] if view.operand(node.input[0], {node.op}) is not None else None


def _cast(node: NodeDef, view: View) -> Outcome:
    return node.input[0] if attr(node, "SrcT", DataType) == attr(node, "DstT", DataType) else None


def _select(node: NodeDef, view: View) -> Outcome:
    condition = view.constant(node.input[0], BOOLS)
    if condition is None or not condition.size:
        return None
    elements = stored_elements(condition)
    if not elements.all() and elements.any():
        return None
    chosen, other = node.input[1:3] if elements.all() else (node.input[2], node.input[1])
    if node.op == "Select":
        return chosen  # all have the same shape, or the condition decides about whole rows
    shape, other_shape = view.shape(chosen), view.shape(other)
    is_larger = other_shape is None or not _broadcasts_into(other_shape, shape)
    return None if is_larger or not _broadcasts_into(condition.shape, shape) else chosen


def _only_operand(node: NodeDef, view: View) -> Outcome:
    """Replace a sum or a concatenation of a single tensor by this tensor."""
    axes = {"Concat": 1, "ConcatV2": 1}.get(node.op, 0)
    tensors = data_inputs(node)
    if len(tensors) != 1 + axes:
        return None
    return tensors[1] if node.op == "Concat" else tensors[0]


# --- shapes ----------------------------------------------------------------------------------------------------------


def _transpose(node: NodeDef, view: View) -> Outcome:
    axes = view.vector(node.input[1])
    if axes is None:
        return None
    if axes == [*range(len(axes))]:
        return node.input[0]
    inner = view.operand(node.input[0], {"Transpose"})
    first = view.vector(inner.input[1]) if inner is not None else None
    if inner is None or first is None or sorted(axes) != [*range(len(first))]:
        return None
    joined = [first[axis] for axis in axes]
    if joined == [*range(len(joined))]:
        return inner.input[0]
    if not view.is_only_use(node.input[0]):
        return None
    dtype = attr(node, "Tperm", DataType, DataType.DT_INT32)
    constant = view.add_constant(f"{node.name}/perm", joined, dtype, like=node.name)
    return replace_node(node, input=[inner.input[0], constant, *control_inputs(node)])


def _reshape(node: NodeDef, view: View) -> Outcome:
    tensor, size_text = node.input[:2]
    inner = view.operand(tensor, _RESHAPING)
    if inner is not None:
        return replace_node(node, input=[inner.input[0], *node.input[1:]])
    sizes = view.elements(size_text)
    if sizes is None:
        return None
    shape = view.shape(tensor)
    if shape is not None and len(shape) == len(sizes):
        unknown = sum(size in (None, -1) or actual is None for size, actual in zip(sizes, shape, strict=True))
        same = sum(size is not None and size == actual for size, actual in zip(sizes, shape, strict=True))
        if same == len(shape) or (unknown == 1 and same == len(shape) - 1 and 0 not in shape and _is_inferred(sizes)):
            return tensor
    return _with_constant_sizes(node, sizes, view)


def _is_inferred(sizes: tuple[int | None, ...]) -> bool:
    """Return whether a Reshape computes one size, and all others are known."""
    return -1 in sizes and None not in sizes


def _with_constant_sizes(node: NodeDef, sizes: tuple[int | None, ...], view: View) -> Outcome:
    """Return a Reshape to constant sizes, such as [-1, 784]. An unknown size becomes -1: the Reshape computes it."""
    if view.constant(node.input[1], INTEGERS) is not None or sizes.count(None) > 1 or -1 in sizes or 0 in sizes:
        return None
    dtype = attr(node, "Tshape", DataType, DataType.DT_INT32)
    numbers = [-1 if size is None else size for size in sizes]
    constant = view.add_constant(f"{node.name}/sizes", numbers, dtype, like=node.name)
    return replace_node(node, input=[node.input[0], constant, *control_inputs(node)])


def _squeeze(node: NodeDef, view: View) -> Outcome:
    axes = attr(node, "squeeze_dims", list[int], [])
    shape = view.shape(node.input[0])
    if not axes:
        return node.input[0] if shape is not None and None not in shape and 1 not in shape else None
    inner = view.operand(node.input[0], {"ExpandDims"})
    return inner.input[0] if inner is not None and axes == [_axis(inner, view)] else None


def _expand_dims(node: NodeDef, view: View) -> Outcome:
    inner = view.operand(node.input[0], {"Squeeze"})
    if inner is None or (axis := _axis(node, view)) is None:
        return None
    return inner.input[0] if attr(inner, "squeeze_dims", list[int], []) == [axis] else None


def _axis(expand_dims: NodeDef, view: View) -> int | None:
    axis = view.constant(expand_dims.input[1], INTEGERS)
    return int(axis.reshape(-1)[0]) if axis is not None and axis.size == 1 else None


def _pad(node: NodeDef, view: View) -> Outcome:
    paddings = view.constant(node.input[1], INTEGERS)
    return node.input[0] if paddings is not None and not stored_elements(paddings).any() else None


def _slice(node: NodeDef, view: View) -> Outcome:
    begin, sizes = view.vector(node.input[1]), view.vector(node.input[2])
    if begin is None or sizes is None or any(begin):
        return None
    shape = view.shape(node.input[0]) or [None] * len(sizes)
    is_whole = len(shape) == len(sizes) and all(size in (-1, full) for size, full in zip(sizes, shape, strict=True))
    return node.input[0] if is_whole else None


def _strided_slice(node: NodeDef, view: View) -> Outcome:
    begin, end, strides = (view.vector(text) for text in node.input[1:4])
    reshapes = any(attr(node, name, int, 0) for name in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask"))
    if begin is None or end is None or strides is None or reshapes or not len(begin) == len(end) == len(strides):
        return _known_sizes(node, view)
    shape = view.shape(node.input[0]) or ()
    sizes = [*shape, *[None] * len(begin)]
    has_begin, has_end = ~attr(node, "begin_mask", int, 0), ~attr(node, "end_mask", int, 0)
    is_cut = any(
        stride != 1 or (has_begin >> axis & 1 and first) or (has_end >> axis & 1 and (size is None or last < size))
        for axis, (first, last, stride, size) in enumerate(zip(begin, end, strides, sizes, strict=False))
    )
    return _known_sizes(node, view) if is_cut else node.input[0]


def _tile(node: NodeDef, view: View) -> Outcome:
    multiples = view.vector(node.input[1])
    return node.input[0] if multiples is not None and all(multiple == 1 for multiple in multiples) else None


def _broadcast_to(node: NodeDef, view: View) -> Outcome:
    sizes, shape = view.vector(node.input[1]), view.shape(node.input[0])
    return node.input[0] if sizes is not None and shape == tuple(sizes) else None


def _concatenation(node: NodeDef, view: View) -> Outcome:
    return _only_operand(node, view) or _known_sizes(node, view)


def _known_sizes(node: NodeDef, view: View) -> Outcome:
    """Replace a node by a constant if its elements are known sizes. Other sizes of the same shape may be unknown."""
    value = view.known_value(node.name)
    if value is None:
        return None
    dtype = attr(node, "T", DataType)
    return const_node(node.name, value, dtype, control_inputs=control_inputs(node), device=node.device)


_MAX_SHARED = 1024  # bytes of a combined constant that exists in addition to those that were combined
_RESHAPING = frozenset({"Reshape", "Squeeze", "ExpandDims"})

_RULES: dict[str, Rule] = {
    op: rule
    for rule, names in {
        _sum: "Add AddV2 Sub BiasAdd",
        _product: "Mul RealDiv Div DivNoNan FloorDiv TruncateDiv Pow",
        _inverse: "Neg LogicalNot Invert Conj",
        _repetition: "Abs Ceil Floor Relu Relu6 Rint Round Sign",
        _cast: "Cast",
        _select: "Select SelectV2",
        _only_operand: "AddN",
        _transpose: "Transpose",
        _reshape: "Reshape",
        _squeeze: "Squeeze",
        _expand_dims: "ExpandDims",
        _pad: "Pad PadV2 MirrorPad",
        _slice: "Slice",
        _strided_slice: "StridedSlice",
        _tile: "Tile",
        _broadcast_to: "BroadcastTo",
        _concatenation: "Concat ConcatV2",
        _known_sizes: "Pack",
    }.items()
    for op in names.split()
}
