"""TensorArrays and TensorLists: see `lists`. The flow of a TensorArray stands for the array itself."""

from __future__ import annotations

from ....messages import DataType, TensorShapeProto
from ....values.shape import Shape, shape_of_proto
from ..conversion import operators
from ..conversion.call import STRING, Call
from ..conversion.lists import EmptyList, empty_list, filled_list
from ..conversion.model import Value
from ..conversion.registry import converter
from ..conversion.scope import INT64


def _list(call: Call, index: int, element: Shape | None = None) -> Value:
    """Return a list as a tensor."""
    value = call.home(index)
    return filled_list(call.scope, value, element, call.node.name) if isinstance(value, EmptyList) else value


def _as_list(value: Value) -> Value:
    value.listed = True
    return value


def _element(call: Call, value: Value, port: int = 0) -> Value:
    """Return a value as an element of a list: a plain tensor again."""
    value.listed = False
    return call.laid_out(value, port=port)


# --- new lists -------------------------------------------------------------------------------------------------------


@converter("TensorArrayV3", "TensorArrayV2")
def _array(call: Call) -> list[Value]:
    shape = call.attr("element_shape", TensorShapeProto, None)
    element = shape_of_proto(shape) if shape is not None else None
    size: Value | None = call.int64(0)
    if call.attr("dynamic_size", bool, False):
        if (start := call.constant(0)) is None or start.any():
            call.refuse("a list that grows and has a size from the beginning")
        size = None
    made = empty_list(call.attr("dtype", DataType), size, element)
    return [made, made]


@converter("TensorListReserve")
def _reserve(call: Call) -> Value:
    element = call.known(0)
    shape = None if element is None or -1 in element or None in element else tuple(element)
    if call.shape(0) == ():
        shape = None
    return empty_list(call.attr("element_dtype", DataType), call.int64(1), shape)


@converter("EmptyTensorList")
def _empty(call: Call) -> Value:
    element = call.known(0)
    shape = None if element is None or -1 in element or call.shape(0) == () else tuple(element)
    return empty_list(call.attr("element_dtype", DataType), None, shape)


@converter("TensorListPushBack")
def _push(call: Call) -> Value:
    """Add an element at the end of a list."""
    home = call.home(0)
    row = operators.unsqueeze(call, call.input(1), [0])
    if isinstance(home, EmptyList) and home.size is None:
        return _copied(call, row) if row.data is not None else _as_list(row)
    return _as_list(call.add("Concat", _list(call, 0, call.shape(1)), row, axis=0))


@converter("TensorListPopBack")
def _pop(call: Call) -> list[Value]:
    """Take the last element of a list."""
    value = _list(call, 0)
    item = call.add("Gather", value, call.const(-1), axis=0)
    rest = operators.slice_axes(call, value, [0], [-1], [0])
    return [_as_list(rest), _element(call, item, 1)]


@converter("TensorListResize")
def _resize(call: Call) -> Value:
    """Drop elements at the end of a list, or add zeros."""
    home, size = call.home(0), operators.vector(call, 1)
    if isinstance(home, EmptyList):
        return empty_list(home.dtype, call.int64(1), home.element)
    kept = operators.slice_axes(call, home, call.const([0]), size, [0])
    sizes = [call.add("Shape", value, dtype=INT64) for value in (kept, home)]
    length = operators.slice_axes(call, sizes[0], [0], [1], [0])
    element = operators.slice_axes(call, sizes[1], [1], [operators.MAX], [0])
    missing = operators.join(call, call.add("Sub", size, length), element)
    zero = b"" if home.dtype == STRING else 0
    return _as_list(call.add("Concat", kept, operators.filled(call, missing, zero, home.dtype), axis=0))


@converter("TensorListFromTensor")
def _from_tensor(call: Call) -> Value:
    return _copied(call, call.input(0))


@converter("TensorArrayScatterV3", "TensorArrayScatterV2")
def _scatter(call: Call) -> Value:
    """Fill an array with the rows of a tensor, which are in order where `unstack` wrote them."""
    values = call.input(2)
    if _counts_up(call, 1):
        return _copied(call, values)
    shape = call.shape(2)
    canvas = _list(call, 3, shape[1:] if shape else None)
    places = operators.unsqueeze(call, call.int64(1), [-1])
    return _as_list(call.add("ScatterND", canvas, places, values))


def _copied(call: Call, value: Value) -> Value:
    """Return a tensor as a list. It is another value, since a value is a list or not."""
    copy = Value(value.dtype, value.shape, data=value.data, listed=True)
    if value.data is None:
        copy = call.add("Identity", value)
        copy.shape = value.shape
    return _as_list(copy)


def _counts_up(call: Call, index: int) -> bool:
    """Return whether indices are 0, 1, 2, ... to the end of a list."""
    array = call.constant(index)
    if array is not None:
        return [*array.ravel()] == [*range(array.size)]
    node = call.body.producer(call.keys[index])
    if node is None or node.op != "Range":
        return False
    start, _, delta = (call.body.constant(key) for key in call.body.inputs(node))
    return start is not None and delta is not None and int(start) == 0 and int(delta) == 1


# --- elements --------------------------------------------------------------------------------------------------------


@converter("TensorArrayReadV3", "TensorArrayReadV2")
def _read(call: Call) -> Value:
    return _element(call, call.add("Gather", _list(call, 2), call.int64(1), axis=0))


@converter("TensorListGetItem")
def _get_item(call: Call) -> Value:
    """One place. A place that was not written has the shape that is asked for, which must be that of the others."""
    asked, shape = call.known(2), call.home(0).shape
    if asked is None:
        call.refuse("the shape of the elements of its list is computed")
    is_whole = call.shape(2) != () and -1 not in asked and None not in asked
    if is_whole and shape is not None and None not in shape[1:] and asked != shape[1:]:
        call.refuse("the elements of its list have several shapes")
    return _element(call, call.add("Gather", _list(call, 0), call.int64(1), axis=0))


@converter("TensorArrayWriteV3", "TensorArrayWriteV2")
def _write(call: Call) -> Value:
    return _written(call, 3, 1, 2)


@converter("TensorListSetItem")
def _set_item(call: Call) -> Value:
    return _written(call, 0, 1, 2)


def _written(call: Call, of_list: int, of_place: int, of_item: int) -> Value:
    """Write one place of a list: ScatterND of one row, which is all of a list of one place."""
    home = call.home(of_list)
    row = operators.unsqueeze(call, call.input(of_item), [0])
    if (home.places if isinstance(home, EmptyList) else (home.shape or (None,))[0]) == 1:
        return _copied(call, row) if row.data is not None else _as_list(row)
    canvas = _list(call, of_list, call.shape(of_item))
    place = operators.unsqueeze(call, call.int64(of_place), [0, 1])
    written = call.add("ScatterND", canvas, place, row)
    written.shape = canvas.shape
    return _as_list(written)


# --- whole lists -----------------------------------------------------------------------------------------------------


@converter("TensorArrayGatherV3", "TensorArrayGatherV2")
def _gather(call: Call) -> Value:
    """Stack the elements of an array: all of them in order, or those at some places."""
    value = _list(call, 2)
    if _counts_up(call, 1):
        return _element(call, call.add("Identity", value))
    return _element(call, call.add("Gather", value, call.int64(1), axis=0))


@converter("TensorListStack")
def _stack(call: Call) -> Value:
    return _element(call, call.add("Identity", _list(call, 0)))


@converter("TensorListGather")
def _list_gather(call: Call) -> Value:
    return _element(call, call.add("Gather", _list(call, 0), call.int64(1), axis=0))


@converter("TensorArrayConcatV3", "TensorListConcatV2", "TensorListConcat")
def _concat(call: Call) -> list[Value]:
    """Join the elements along their first axis; all have one size here."""
    index = 1 if call.node.op == "TensorArrayConcatV3" else 0
    value = _list(call, index)
    shape = call.output_shape()
    if isinstance(call.home(index), EmptyList):
        call.refuse("nothing is written to its list")
    if shape is None:
        call.refuse("the rank of its elements is not known", "--shape")
    sizes = call.add("Shape", value, dtype=INT64)
    rest = operators.slice_axes(call, sizes, [2], [operators.MAX], [0])
    joined = call.add("Reshape", value, call.add("Concat", call.const([-1]), rest, axis=0))
    count = operators.slice_axes(call, sizes, [0], [1], [0])
    length = operators.slice_axes(call, sizes, [1], [2], [0])
    return [_element(call, joined), call.add("Expand", length, count)]


@converter("TensorArraySizeV3", "TensorArraySizeV2", "TensorListLength")
def _length(call: Call) -> Value:
    value = call.home(1 if call.node.op.startswith("TensorArray") else 0)
    if isinstance(value, EmptyList):
        if value.size is None:
            call.refuse("the size of a list that grows")
        return value.size
    sizes = call.add("Shape", value, dtype=INT64)
    return call.laid_out(call.add("Gather", sizes, call.const(0), axis=0))


@converter("TensorArrayCloseV3")
def _close(call: Call) -> list[Value]:
    return []
