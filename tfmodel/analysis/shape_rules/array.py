"""Shape rules of constants, placeholders, pass-through ops, reshaping and broadcasting."""

from __future__ import annotations

from ...errors import GraphError
from ...graph.attributes import attr
from ...messages import TensorProto
from ...values.shape import (
    SCALAR,
    Dim,
    Shape,
    axis_of,
    broadcast,
    count_elements,
    is_known,
    merge_dims,
    merge_shapes,
    shape_to_text,
    with_rank,
)
from .partial_tensors import MAX_KNOWN_ELEMENTS, Tensor, constant, vector
from .table import Call, Result, Rule, first_input, same_shape, share_rule

_LAST_VERSION_WITHOUT_SHAPES = 21
"""The last version of graphs in which a placeholder of unknown shape has the shape of a scalar."""


def _identity_n(call: Call) -> Result:
    return list(call.inputs)


def _invert_permutation(call: Call) -> Result:
    """Return the inverse permutation, with its elements if those of the input are known."""
    shape, order = with_rank(call.shape(0), 1), call.numbers(0)
    if order is None:
        return shape
    if sorted(order) != list(range(len(order))):
        raise GraphError(f"{order} is not a permutation")
    return Tensor(shape, tuple(order.index(number) for number in range(len(order))))


def _shape(call: Call) -> Result:
    return _shape_vector(call.shape(0))


def _shape_n(call: Call) -> Result:
    return [_shape_vector(shape) for shape in call.shapes]


def _shape_vector(shape: Shape | None) -> Tensor:
    return Tensor((None,)) if shape is None else vector(shape)


def _size(call: Call) -> Result:
    return Tensor(SCALAR, (count_elements(call.shape(0)),))


def _rank(call: Call) -> Result:
    shape = call.shape(0)
    return Tensor(SCALAR, (None if shape is None else len(shape),))


def _keep_elements(call: Call, shape: Shape | None) -> Tensor:
    """Return the first input in another shape."""
    tensor = call.tensor(0)
    return Tensor(shape, tensor.value if is_known(shape) else None, tensor.handle)


def reshape(call: Call) -> Shape | Tensor | None:
    shape, target = call.shape(0), call.sizes(1)
    value = call.value(1)
    if target is None:
        return None
    if value is not None and value.count(-1) > 1:
        raise GraphError(f"{shape_to_text(target)} has more than one unknown dimension")
    unknown_axes = [axis for axis, size in enumerate(target) if size is None]
    count = count_elements(shape)
    if not unknown_axes:
        if count is not None and count != count_elements(target):
            raise GraphError(
                f"{shape_to_text(shape)} has {count:,} elements, which do not fit into {shape_to_text(target)}"
            )
        return _keep_elements(call, target)
    if len(unknown_axes) > 1 or count is None:
        return target
    known_size = count_elements(tuple(size for size in target if size is not None))
    if not known_size:
        if count:
            raise GraphError(f"{shape_to_text(shape)} does not fit into {shape_to_text(target)}")
        return target
    if count % known_size:
        raise GraphError(f"{shape_to_text(shape)} has {count:,} elements, which is not a multiple of {known_size:,}")
    sizes = list(target)
    sizes[unknown_axes[0]] = count // known_size
    return _keep_elements(call, tuple(sizes))


def _squeeze(call: Call) -> Result:
    shape = call.shape(0)
    axes = call.attr("squeeze_dims", list[int], None) or call.attr("axis", list[int], None) or []
    if shape is None:
        return None
    if not axes:
        return None if None in shape else _keep_elements(call, tuple(size for size in shape if size != 1))
    removed = {axis_of(axis, len(shape)) for axis in axes}
    for axis in removed:
        if shape[axis] not in (1, None):
            raise GraphError(f"dimension {axis} of {shape_to_text(shape)} is not 1")
    return _keep_elements(call, tuple(size for axis, size in enumerate(shape) if axis not in removed))


def _expand_dims(call: Call) -> Result:
    shape, axis = call.shape(0), call.number(1)
    if shape is None:
        return None
    if axis is None:
        return (None,) * (len(shape) + 1)
    dim = axis_of(axis, len(shape) + 1)
    return _keep_elements(call, (*shape[:dim], 1, *shape[dim:]))


def _ensure_shape(call: Call) -> Result:
    return _keep_elements(call, merge_shapes(call.shape(0), call.shape_attr("shape")))


def _broadcast_to(call: Call) -> Result:
    shape = call.shape(0)
    target = call.sizes(1)
    if target is None or shape is None:
        return target
    extra = len(target) - len(shape)
    if extra < 0:
        raise GraphError(f"{shape_to_text(shape)} cannot be broadcast to {shape_to_text(target)}")
    return target[:extra] + tuple(map(_broadcast_dim, shape, target[extra:]))


def _broadcast_dim(size: Dim, target: Dim) -> Dim:
    """Return a dimension after broadcasting: only 1 becomes another size."""
    if size is None or size == 1:
        return target
    return merge_dims(size, target)


def _broadcast_args(call: Call) -> Result:
    a, b = call.numbers(0), call.numbers(1)
    if a is not None and b is not None:
        return vector(broadcast(a, b) or ())
    lengths = [with_rank(shape, 1)[0] for shape in call.shapes]
    return (None if None in lengths else max(lengths, key=lambda size: size or 0),)


def _broadcast_gradient_args(call: Call) -> Result:
    return [(None,), (None,)]


def _const(call: Call) -> Result:
    return constant(attr(call.node, "value", TensorProto))


def _placeholder(call: Call) -> Result:
    shape = call.shape_attr("shape")
    return None if shape == () and call.producer <= _LAST_VERSION_WITHOUT_SHAPES else shape


def _shape_attribute(call: Call) -> Result:
    return call.shape_attr("shape")


def _placeholder_with_default(call: Call) -> Result:
    """Return the shape of the attribute: a fed value may have any shape that it allows."""
    merge_shapes(call.shape(0), call.shape_attr("shape"))
    return call.shape_attr("shape")


def _fill(call: Call) -> Result:
    shape, size = call.sizes(0), None
    value, element = call.value(0), call.value(1)
    if any(number is not None and number < 0 for number in value or ()):
        raise GraphError("sizes must not be negative")
    size = count_elements(shape)
    if size is not None and size <= MAX_KNOWN_ELEMENTS and element is not None and len(element) == 1:
        return Tensor(shape, element * size)
    return shape


def sizes(index: int) -> Rule:
    """Return a rule: the output has the shape that is in an input."""

    def rule(call: Call) -> Result:
        return call.sizes(index)

    return rule


ELEMENTWISE: dict[str, Rule] = {
    "OnesLike": same_shape,
    "ZerosLike": same_shape,
    **share_rule(
        """
        CheckNumerics CheckNumericsV2 Copy CopyHost DebugGradientIdentity DebugGradientRefIdentity
        DebugIdentity DebugIdentityV2 DebugIdentityV3 DeepCopy Identity PreventGradient Snapshot
        StopGradient
        """,
        first_input,
    ),
}


RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "BroadcastArgs": _broadcast_args,
    "BroadcastGradientArgs": _broadcast_gradient_args,
    "BroadcastTo": _broadcast_to,
    "Const": _const,
    "Empty": sizes(0),
    "EnsureShape": _ensure_shape,
    "ExpandDims": _expand_dims,
    "Fill": _fill,
    "HostConst": _const,
    "IdentityN": _identity_n,
    "ImmutableConst": _shape_attribute,
    "InvertPermutation": _invert_permutation,
    "Placeholder": _placeholder,
    "PlaceholderV2": _shape_attribute,
    "PlaceholderWithDefault": _placeholder_with_default,
    "Rank": _rank,
    "Reshape": reshape,
    "Shape": _shape,
    "ShapeN": _shape_n,
    "Size": _size,
    "Squeeze": _squeeze,
    "XlaSetDynamicDimensionSize": lambda call: call.shape(0),
}
