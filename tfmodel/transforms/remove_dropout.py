"""Remove dropout that keeps everything, because its keep probability is 1 or its rate is 0.

    Mul(x, Floor(Add(1, RandomUniform)))                    ->   x
    Mul(x, Cast(GreaterEqual(RandomUniform, 0)))            ->   x
    Select(GreaterEqual(RandomUniform, 0), x, zeros)        ->   x

These are the forms of dropout in TensorFlow 1, TensorFlow 2 and Keras. The mirrored comparisons, and comparisons with
1, are recognized too. The random numbers may come from a stateless op, and may pass through Identity nodes, and through
a Mul or Add whose second input is a constant that does not change them. The division by the keep probability, or the
multiplication by its inverse, is a Mul or RealDiv by 1, which `simplify` removes. The probability must be a Const: if
it is fed, make it a constant first, with `bind_inputs`.

A random number is at least 0 and less than 1, so all elements of such a mask are 1. The mask must have the shape of
`x`, or a shape that is broadcast to it, as with noise_shape. Otherwise the product may be larger than `x`, and the
dropout stays.

Differences from the original: the C++ tool has no such transform; its users named the ops of dropout in remove_nodes.
TensorFlow's own optimizer leaves the random numbers, their comparison and the product.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..analysis.shape_rules.table import elementwise_ops
from ..graph import attr
from ..messages import DataType, GraphDef, NodeDef, OpDef
from ..ops.traits import UNIFORM
from ..values.names import TensorName, data_inputs
from .framework.constants import INTEGERS
from .framework.forward import Outcome, Rule, View, rewrite_forward
from .framework.registry import graph_transform
from .framework.report import Refusal, StepReport

_ADDITIONS = frozenset({"Add", "AddV2"})
_NEUTRAL = {"Add": 0, "AddV2": 0, "Mul": 1}
_MAX_STEPS = 8  # nodes that each of the searches below passes through


@graph_transform
def remove_dropout(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    """Remove dropout whose keep probability is the constant 1, or whose rate is the constant 0.

    Example: remove_dropout with inputs x and outputs y

        x = Placeholder[dtype=float]
        keep = Const[dtype=float, value=float{1}()]
        shape = Shape(x)[T=float]
        random = RandomUniform(shape)[dtype=float, T=int32]
        sum = Add(keep, random)[T=float]
        mask = Floor(sum)[T=float]
        dropout = Mul(x, mask)[T=float]
        y = Relu(dropout)[T=float]

    becomes

        x = Placeholder[dtype=float]
        keep = Const[dtype=float, value=float{1}()]
        shape = Shape(x)[T=float]
        random = RandomUniform(shape)[dtype=float, T=int32]
        sum = Add(keep, random)[T=float]
        mask = Floor(sum)[T=float]
        y = Relu(x)[T=float]
    """
    return rewrite_forward(graph, _RULES, inputs=inputs, outputs=outputs, ops=ops, report=report)


# --- the products of dropout -----------------------------------------------------------------------------------------


def _masked_product(node: NodeDef, view: View) -> Outcome:
    first, second = node.input[:2]
    for mask, other in ((second, first), (first, second)):
        random = _mask_of_ones(mask, view)
        if random is not None:
            return _without_mask(other, random, view)
    return None


def _masked_choice(node: NodeDef, view: View) -> Outcome:
    random = _true_mask(node.input[0], view)
    if random is None:
        return None
    zeros = view.constant(node.input[2])
    if node.op == "SelectV2" and (zeros is None or zeros.ndim):
        return Refusal("its third input may be larger than the tensor")
    return _without_mask(node.input[1], random, view)


def _without_mask(tensor: str, random: NodeDef, view: View) -> Outcome:
    """Return the tensor, or a Refusal if its mask may be larger; `random` is the node that makes the mask's numbers."""
    if _covers(tensor, random, view):
        return tensor
    return Refusal("the mask of the dropout may be larger than the tensor")


# --- masks -----------------------------------------------------------------------------------------------------------


def _mask_of_ones(text: str, view: View) -> NodeDef | None:
    """Return the node that makes the random numbers of a mask that is always 1; None for other tensors."""
    node = _producer(text, view)
    if node is not None and node.op == "Cast" and attr(node, "SrcT", DataType) == DataType.DT_BOOL:
        return _true_mask(node.input[0], view)
    if node is None or node.op != "Floor":
        return None
    total = _producer(node.input[0], view)
    if total is None or total.op not in _ADDITIONS or len(data_inputs(total)) != 2:
        return None
    for constant, other in (total.input[:2], (total.input[1], total.input[0])):
        if _is_number(constant, 1, view):
            return _uniform(other, view)
    return None


def _true_mask(text: str, view: View) -> NodeDef | None:
    """Return the node that makes the random numbers of a comparison that is always true; None for other tensors."""
    node = _producer(text, view)
    if node is None or len(data_inputs(node)) != 2:
        return None
    first, second = node.input[:2]
    if node.op == "GreaterEqual" and _is_number(second, 0, view):
        return _uniform(first, view)
    if node.op == "LessEqual" and _is_number(first, 0, view):
        return _uniform(second, view)
    if node.op == "Less" and _is_number(second, 1, view):
        return _uniform(first, view)
    if node.op == "Greater" and _is_number(first, 1, view):
        return _uniform(second, view)
    return None


def _producer(text: str, view: View) -> NodeDef | None:
    """Return the node that computes a tensor, looking through Identity nodes; None if no node does."""
    node = view.producer(text)
    for _ in range(_MAX_STEPS):
        if node is None or node.op != "Identity" or not data_inputs(node):
            break
        node = view.producer(node.input[0])
    return node


def _uniform(text: str, view: View) -> NodeDef | None:
    """Return the node that makes a tensor of random numbers, at least 0 and less than 1; None for other tensors."""
    for _ in range(_MAX_STEPS):
        node = view.producer(text)
        if node is None or node.op in UNIFORM:
            return node
        tensors = data_inputs(node)
        neutral = _NEUTRAL.get(node.op)
        is_neutral = neutral is not None and len(tensors) == 2 and _is_number(tensors[1], neutral, view)
        if not tensors or not (is_neutral or node.op == "Identity"):
            break
        text = tensors[0]
    return None


def _is_number(text: str, number: int, view: View) -> bool:
    array = view.constant(text)
    return array is not None and array.ndim == 0 and bool(array == number)


# --- shapes ----------------------------------------------------------------------------------------------------------


def _covers(tensor: str, random: NodeDef, view: View) -> bool:
    """Return whether the product of a tensor and random numbers certainly has the shape of the tensor."""
    sizes = random.input[0]
    shape, elements = view.shape(tensor), view.elements(sizes)
    if shape is not None and elements is not None and len(elements) <= len(shape):
        pairs = zip(reversed(elements), reversed(shape), strict=False)
        if all(size == 1 or (size is not None and size == actual) for size, actual in pairs):
            return True
    same_shaped = {*_same_shape(tensor, view)}
    node = view.producer(sizes)
    if node is None:
        return False
    if node.op == "Shape":
        return not same_shaped.isdisjoint(_same_shape(node.input[0], view))
    is_vector = node.op == "Pack" and shape is not None and len(data_inputs(node)) == len(shape)
    return is_vector and all(
        _is_number(text, 1, view) or _is_size(text, axis, same_shaped, view)
        for axis, text in enumerate(data_inputs(node))
    )


def _is_size(text: str, axis: int, same_shaped: set[str], view: View) -> bool:
    """Return whether the tensor `text` holds the size, along `axis`, of a tensor in `same_shaped`."""
    node = view.producer(text)
    if node is None or node.op != "StridedSlice" or attr(node, "shrink_axis_mask", int, 0) != 1:
        return False
    begin = view.constant(node.input[1], INTEGERS)
    source = view.producer(node.input[0])
    is_shape = (
        source is not None and source.op == "Shape" and begin is not None and begin.reshape(-1).tolist() == [axis]
    )
    return is_shape and source is not None and not same_shaped.isdisjoint(_same_shape(source.input[0], view))


def _same_shape(text: str, view: View) -> list[str]:
    """Return a tensor, and those that it is computed from by element-wise ops whose other inputs are scalar constants.

    They all have the same shape.
    """
    tensors = [text.removesuffix(":0")]
    for _ in range(_MAX_STEPS):
        node = view.producer(text)
        if node is None or node.op not in elementwise_ops():
            break
        tensors_of_node = data_inputs(node)
        others = [other for other in tensors_of_node if (array := view.constant(other)) is None or array.ndim]
        if len(others) != 1:
            break
        text = others[0]
        tensors.append(text.removesuffix(":0"))
    return tensors


_RULES: dict[str, Rule] = {"Mul": _masked_product, "Select": _masked_choice, "SelectV2": _masked_choice}
