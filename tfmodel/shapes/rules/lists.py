"""Lists of tensors: TensorArray, whose state is a scalar "flow", and TensorList, whose state is a variant.

What is known of a list is the shape that all its elements have. The handle of a TensorArray leads to what was declared
of them, its flow to what was written so far: to nothing, `()`, as long as nothing was.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import GraphError
from ...messages import TensorShapeProto
from ...ops.partial_tensors import Tensor, joined_tensors, vector
from ...ops.shape_rules import Call, Result, Rule, alike
from ...shape import SCALAR, Dim, Shape, merged, of_proto, rows

__all__ = ["RULES"]


def _element(call: Call, place: int = 0) -> Shape | None:
    handle = call.tensor(place).handle
    return handle[0] if handle else None


def _scalar(call: Call) -> Result:
    return SCALAR


# --- TensorArray -----------------------------------------------------------------------------------------------------


def _array(call: Call) -> Result:
    """The handle, and the flow."""
    return [Tensor((2,), None, (_declared_element(call),)), Tensor(SCALAR, None, ())]


def _declared_element(call: Call) -> Shape | None:
    shape = call.attr("element_shape", TensorShapeProto, None)
    return of_proto(shape)


def _of_flow(call: Call, place: int) -> Shape | None:
    """The shape of the elements, by the handle and by a flow."""
    return merged(_element(call), _element(call, place))


def _written(place: int, made: Callable[[Shape | None], Shape | None]) -> Rule:
    """The flow behind what an input writes, which is an element or is made of elements."""

    def rule(call: Call) -> Result:
        flow = call.tensor(len(call.inputs) - 1)
        element = merged(_element(call), made(call.shape(place)))
        return joined_tensors(Tensor(SCALAR, None, flow.handle), Tensor(SCALAR, None, (element,)))

    return rule


def _itself(shape: Shape | None) -> Shape | None:
    return shape


def _row(shape: Shape | None) -> Shape | None:
    rows(shape, 1)
    return None if shape is None else shape[1:]


def _some_rows(shape: Shape | None) -> Shape | None:
    rows(shape, 1)
    return None if shape is None else (None, *shape[1:])


def _array_grad(call: Call) -> Result:
    """The gradients of the elements have their shapes."""
    return [Tensor((2,), None, call.tensor(0).handle), Tensor(SCALAR, None, call.tensor(1).handle)]


def _array_read(call: Call) -> Result:
    return _of_flow(call, 2)


def _array_gather(call: Call) -> Result:
    count = _only(call.shape(1))
    element = merged(_of_flow(call, 2), _declared_element(call))
    return None if element is None else (count, *element)


def _array_concat(call: Call) -> Result:
    """Rows of all elements, and how many each has."""
    element = rows(_of_flow(call, 1), 1)
    return [None if element is None else (None, *element[1:]), (None,)]


def _only(shape: Shape | None) -> Dim:
    if shape is None:
        return None
    if len(shape) != 1:
        raise GraphError("the places are no vector")
    return shape[0]


# --- TensorList ------------------------------------------------------------------------------------------------------


def _list(shape: Shape | None) -> Tensor:
    return Tensor(SCALAR, None, (shape,))


def _new_list(place: int) -> Rule:
    """A list of elements of the shape that an input says."""

    def rule(call: Call) -> Result:
        return _list(call.sizes(place))

    return rule


def _from_tensor(call: Call) -> Result:
    shape = rows(call.shape(0), 1)
    return _list(merged(None if shape is None else shape[1:], call.sizes(1)))


def _from_rows(call: Call) -> Result:
    return _list(call.sizes(2))


def _split(call: Call) -> Result:
    return _list(call.sizes(1))


def _same_list(call: Call) -> Tensor:
    return Tensor(SCALAR, None, call.tensor(0).handle)


def _with_element(place: int) -> Rule:
    """A list with one element more, or another."""

    def rule(call: Call) -> Result:
        call.tensor(place)
        return _same_list(call)

    return rule


def _item(place: int, made: Callable[[Call, Shape | None], Result]) -> Rule:
    """What is read of a list, whose elements have the shape that an input says, too."""

    def rule(call: Call) -> Result:
        return made(call, merged(_element(call), call.sizes(place)))

    return rule


def _stacked(call: Call, element: Shape | None) -> Result:
    count = call.attr("num_elements", int, -1)
    return None if element is None else (None if count < 0 else count, *element)


def _gathered(call: Call, element: Shape | None) -> Result:
    return None if element is None else (_only(call.shape(1)), *element)


def _popped(call: Call, element: Shape | None) -> Result:
    return [_same_list(call), element]


def _concatenated(call: Call, element: Shape | None) -> Result:
    return [None if element is None else (None, *element[1:]), (None,)]


def _concatenated_by_attribute(call: Call) -> Result:
    return _concatenated(call, merged(_element(call), _declared_element(call)))


def _element_shape(call: Call) -> Result:
    shape = _element(call)
    return None if shape is None else vector(-1 if size is None else size for size in shape)


RULES: dict[str, Rule] = {
    "EmptyTensorList": _new_list(0),
    "TensorArrayConcatV2": lambda call: [None, (None,)],
    "TensorArrayConcatV3": _array_concat,
    "TensorArrayGatherV3": _array_gather,
    "TensorArrayReadV2": lambda call: None,
    "TensorArrayReadV3": _array_read,
    "TensorArrayGradV3": _array_grad,
    "TensorArrayScatterV3": _written(2, _row),
    "TensorArraySplitV3": _written(1, _some_rows),
    "TensorArrayWriteV3": _written(2, _itself),
    "TensorArrayV3": _array,
    "TensorListConcat": _concatenated_by_attribute,
    "TensorListConcatV2": _item(1, _concatenated),
    "TensorListElementShape": _element_shape,
    "TensorListFromTensor": _from_tensor,
    "TensorListGather": _item(2, _gathered),
    "TensorListGetItem": _item(2, lambda call, element: element),
    "TensorListLength": _scalar,
    "TensorListPopBack": _item(1, _popped),
    "TensorListPushBack": _with_element(1),
    "TensorListReserve": _new_list(0),
    "TensorListResize": _same_list,
    "TensorListScatter": _from_rows,
    "TensorListScatterIntoExistingList": _same_list,
    "TensorListScatterV2": _from_rows,
    "TensorListSetItem": _with_element(2),
    "TensorListSplit": _split,
    "TensorListStack": _item(1, _stacked),
    **alike("TensorArrayScatterV2 TensorArraySizeV2 TensorArraySizeV3 TensorArraySplitV2 TensorArrayWriteV2", _scalar),
}
