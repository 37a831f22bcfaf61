"""Shape rules of tables, queues, iterators, stacks, TensorArrays and TensorLists, and of DynamicPartition.

The state of a TensorArray is a scalar "flow", that of a TensorList a variant. `Tensor.handle` holds the shape that all
elements share. For the handle of a TensorArray this is the declared shape; for its flow, the shape of the elements
written so far. Before the first write, the `Tensor.handle` of a flow is empty.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import GraphError
from ...messages import TensorShapeProto
from ...values.shape import SCALAR, Dim, Shape, merge_shapes, rows_shape, shape_of_proto, shape_to_text
from .partial_tensors import Repeated, Tensor, join_tensors, vector
from .table import Call, Result, Rule, scalar, share_rule


def _array(call: Call) -> Result:
    """Return the handle and the flow of a new array."""
    return [Tensor((2,), None, (_declared_element(call),)), Tensor(SCALAR, None, ())]


def _declared_element(call: Call) -> Shape | None:
    shape = call.attr("element_shape", TensorShapeProto, None)
    return shape_of_proto(shape)


def _flow_element(call: Call, index: int) -> Shape | None:
    """Return the shape of the elements, from the handle and a flow."""
    return merge_shapes(call.held_shape(), call.held_shape(index))


def _write_rule(index: int, element_of: Callable[[Shape | None], Shape | None]) -> Rule:
    """Return the rule of an op that writes one or several elements, from an input, and returns the new flow."""

    def rule(call: Call) -> Result:
        flow = call.tensor(len(call.inputs) - 1)
        element = merge_shapes(call.held_shape(), element_of(call.shape(index)))
        return join_tensors(Tensor(SCALAR, None, flow.handle), Tensor(SCALAR, None, (element,)))

    return rule


def _same_element(shape: Shape | None) -> Shape | None:
    return shape


def _row_shape(shape: Shape | None) -> Shape | None:
    rows_shape(shape, 1)
    return None if shape is None else shape[1:]


def _rows_shape(shape: Shape | None) -> Shape | None:
    rows_shape(shape, 1)
    return None if shape is None else (None, *shape[1:])


def _array_grad(call: Call) -> Result:
    """Return the handle and the flow of the gradient, whose elements have the shapes of the array."""
    return [Tensor((2,), None, call.tensor(0).handle), Tensor(SCALAR, None, call.tensor(1).handle)]


def _array_read(call: Call) -> Result:
    return _flow_element(call, 2)


def _array_gather(call: Call) -> Result:
    count = _vector_size(call.shape(1))
    element = merge_shapes(_flow_element(call, 2), _declared_element(call))
    return None if element is None else (count, *element)


def _array_concat(call: Call) -> Result:
    """Return the shapes of the rows of all elements, and of the number of rows of each element."""
    element = rows_shape(_flow_element(call, 1), 1)
    return [None if element is None else (None, *element[1:]), (None,)]


def _vector_size(shape: Shape | None) -> Dim:
    if shape is None:
        return None
    if len(shape) != 1:
        raise GraphError(f"the indices must be a vector, not {shape_to_text(shape)}")
    return shape[0]


def _list(shape: Shape | None) -> Tensor:
    return Tensor(SCALAR, None, (shape,))


def _new_list_rule(index: int) -> Rule:
    """Return the rule of a new list; an input holds the shape of its elements."""

    def rule(call: Call) -> Result:
        return _list(call.sizes(index))

    return rule


def _from_tensor(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 1)
    return _list(merge_shapes(None if shape is None else shape[1:], call.sizes(1)))


def _from_rows(call: Call) -> Result:
    return _list(call.sizes(2))


def _split(call: Call) -> Result:
    return _list(call.sizes(1))


def _same_list(call: Call) -> Tensor:
    return Tensor(SCALAR, None, call.tensor(0).handle)


def _change_rule(index: int) -> Rule:
    """Return the rule of an op that adds or replaces an element; an input holds the new element."""

    def rule(call: Call) -> Result:
        call.tensor(index)
        return _same_list(call)

    return rule


def _read_rule(index: int, result_of: Callable[[Call, Shape | None], Result]) -> Rule:
    """Return the rule of an op that reads a list; an input also holds the shape of its elements."""

    def rule(call: Call) -> Result:
        return result_of(call, merge_shapes(call.held_shape(), call.sizes(index)))

    return rule


def _stack(call: Call, element: Shape | None) -> Result:
    count = call.attr("num_elements", int, -1)
    return None if element is None else (None if count < 0 else count, *element)


def _gather(call: Call, element: Shape | None) -> Result:
    return None if element is None else (_vector_size(call.shape(1)), *element)


def _pop(call: Call, element: Shape | None) -> Result:
    return [_same_list(call), element]


def _concat(call: Call, element: Shape | None) -> Result:
    return [None if element is None else (None, *element[1:]), (None,)]


def _concat_by_attribute(call: Call) -> Result:
    return _concat(call, merge_shapes(call.held_shape(), _declared_element(call)))


def _element_shape(call: Call) -> Result:
    shape = call.held_shape()
    return None if shape is None else vector(-1 if size is None else size for size in shape)


def _reference_handle(call: Call) -> Result:
    """Return the shape of a handle of TensorFlow 1, which is two strings."""
    return (2,)


def _look_up(call: Call) -> Result:
    handle = call.tensor(0).handle
    keys = call.shape(1)
    if handle is None or len(handle) != 2:
        return None
    key, value = handle
    if keys is None or key is None or value is None or len(keys) < len(key):
        return None
    return (*keys[: len(keys) - len(key)], *value)


def _table(call: Call) -> Result:
    return Tensor(SCALAR, None, (SCALAR, SCALAR))


def _table_of_tensors(call: Call) -> Result:
    shape = call.attr("value_shape", TensorShapeProto, None)
    return Tensor(SCALAR, None, (SCALAR, SCALAR if shape is None else shape_of_proto(shape)))


def _dense_table(call: Call) -> Result:
    shape = call.attr("value_shape", TensorShapeProto, None)
    key = call.shape(0)
    return Tensor(SCALAR, None, (key, SCALAR if shape is None else shape_of_proto(shape)))


def _export(call: Call) -> Result:
    handle = call.tensor(0).handle
    key, value = handle if handle is not None and len(handle) == 2 else (None, None)
    return [None if key is None else (None, *key), None if value is None else (None, *value)]


def _handle_rule(attribute: str) -> Rule:
    """Return the rule of a new handle; an attribute lists the shapes of the tensors behind it."""

    def rule(call: Call) -> Result:
        shapes = call.attr(attribute, list[TensorShapeProto], [])
        return Tensor(SCALAR, None, tuple(map(shape_of_proto, shapes)) or None)

    return rule


def _output_shapes(call: Call) -> Result:
    return [shape_of_proto(shape) for shape in call.attr("output_shapes", list[TensorShapeProto], [])]


def _dequeue_rule(many: bool) -> Rule:
    def rule(call: Call) -> Result:
        shapes = call.tensor(0).handle
        if shapes is None:
            return []
        if not many:
            return list(shapes)
        count = call.number(1) if call.node.op.startswith("QueueDequeueMany") else None
        if count is not None and count < 0:
            raise GraphError(f"n must not be negative, got {count}")
        return [None if shape is None else (count, *shape) for shape in shapes]

    return rule


def _dynamic_stitch(call: Call) -> Result:
    """Return the shape of all rows: their number is the largest index plus one."""
    half = len(call.inputs) // 2
    count: Dim = 0
    slice_shape: Shape | None = None
    for number in range(half):
        indices, data = call.shape(number), call.shape(half + number)
        value = call.numbers(number)
        count = None if value is None or count is None else max([count, *(row + 1 for row in value)])
        if indices is None or data is None:
            continue
        if len(indices) > len(data):
            raise GraphError(
                f"indices of shape {shape_to_text(indices)} do not fit data of shape {shape_to_text(data)}"
            )
        merge_shapes(indices, data[: len(indices)])
        slice_shape = merge_shapes(slice_shape, data[len(indices) :])
    return None if slice_shape is None else (count, *slice_shape)


def _dynamic_partition(call: Call) -> Result:
    count, data, partitions = call.count("num_partitions"), call.shape(0), call.shape(1)
    if data is None or partitions is None:
        return Repeated(Tensor(), count)
    rows_shape(data, len(partitions))
    merge_shapes(data[: len(partitions)], partitions)
    return Repeated(Tensor((None, *data[len(partitions) :])), count)


RULES: dict[str, Rule] = {
    "DynamicPartition": _dynamic_partition,
    "DynamicStitch": _dynamic_stitch,
    "EmptyTensorList": _new_list_rule(0),
    "FIFOQueueV2": _handle_rule("shapes"),
    "LookupTableExportV2": _export,
    "LookupTableFind": _look_up,
    "LookupTableFindV2": _look_up,
    "MutableDenseHashTableV2": _dense_table,
    "MutableHashTableOfTensorsV2": _table_of_tensors,
    "PaddingFIFOQueueV2": _handle_rule("shapes"),
    "ParallelDynamicStitch": _dynamic_stitch,
    "QueueDequeue": _dequeue_rule(many=False),
    "QueueDequeueV2": _dequeue_rule(many=False),
    "RandomShuffleQueueV2": _handle_rule("shapes"),
    "StackPushV2": lambda call: call.shape(1),
    "TensorArrayConcatV2": lambda call: [None, (None,)],
    "TensorArrayConcatV3": _array_concat,
    "TensorArrayGatherV3": _array_gather,
    "TensorArrayGradV3": _array_grad,
    "TensorArrayReadV2": lambda call: None,
    "TensorArrayReadV3": _array_read,
    "TensorArrayScatterV3": _write_rule(2, _row_shape),
    "TensorArraySplitV3": _write_rule(1, _rows_shape),
    "TensorArrayV3": _array,
    "TensorArrayWriteV3": _write_rule(2, _same_element),
    "TensorListConcat": _concat_by_attribute,
    "TensorListConcatV2": _read_rule(1, _concat),
    "TensorListElementShape": _element_shape,
    "TensorListFromTensor": _from_tensor,
    "TensorListGather": _read_rule(2, _gather),
    "TensorListGetItem": _read_rule(2, lambda call, element: element),
    "TensorListPopBack": _read_rule(1, _pop),
    "TensorListPushBack": _change_rule(1),
    "TensorListReserve": _new_list_rule(0),
    "TensorListResize": _same_list,
    "TensorListScatter": _from_rows,
    "TensorListScatterIntoExistingList": _same_list,
    "TensorListScatterV2": _from_rows,
    "TensorListSetItem": _change_rule(2),
    "TensorListSplit": _split,
    "TensorListStack": _read_rule(1, _stack),
    **share_rule(
        """
        DatasetToSingleElement InfeedDequeueTuple IteratorGetNext IteratorGetNextSync
        MultiDeviceIteratorGetNextFromShard ReduceDataset
        """,
        _output_shapes,
    ),
    **share_rule(
        """
        FIFOQueue HashTable MutableHashTable PaddingFIFOQueue RandomShuffleQueue StackV2
        """,
        _reference_handle,
    ),
    **share_rule(
        """
        IteratorGetNextAsOptional IteratorToStringHandle LookupTableSize LookupTableSizeV2 QueueIsClosed
        QueueIsClosedV2 QueueSize QueueSizeV2 TensorArrayScatterV2 TensorArraySizeV2 TensorArraySizeV3
        TensorArraySplitV2 TensorArrayWriteV2 TensorListLength
        """,
        scalar,
    ),
    **share_rule("AnonymousHashTable AnonymousMutableHashTable HashTableV2 MutableHashTableV2", _table),
    **share_rule("Iterator IteratorFromStringHandleV2 IteratorV2 OneShotIterator", _handle_rule("output_shapes")),
    **share_rule("QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2", _dequeue_rule(many=True)),
}
