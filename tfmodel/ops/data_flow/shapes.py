"""Shape rules of tables, queues, iterators, stacks, TensorArrays and TensorLists.

The state of a TensorArray is a scalar "flow", that of a TensorList a variant. Inference keeps the shape that all
elements share: the handle of a TensorArray leads to the declared element, its flow to the elements written so far,
which is nothing, `()`, until one is written.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import GraphError
from ...messages import TensorShapeProto
from ...shape import SCALAR, Dim, Shape, merged, of_proto, rows, text
from ..partial_tensors import Repeated, Tensor, join_tensors, vector
from ..shape_rules import Call, Result, Rule, scalar, share_rule

__all__ = ["RULES"]


def _dynamic_stitch(call: Call) -> Result:
    """Rows go where indices say: as many as the largest of these, and one."""
    half = len(call.inputs) // 2
    count: Dim = 0
    rest: Shape | None = None
    for place in range(half):
        indices, data = call.shape(place), call.shape(half + place)
        value = call.numbers(place)
        count = None if value is None or count is None else max([count, *(index + 1 for index in value)])
        if indices is None or data is None:
            continue
        if len(indices) > len(data):
            raise GraphError(f"the indices {text(indices)} and {text(data)} do not fit")
        merged(indices, data[: len(indices)])
        rest = merged(rest, data[len(indices) :])
    return None if rest is None else (count, *rest)


def _dynamic_partition(call: Call) -> Result:
    count, data, partitions = call.count("num_partitions"), call.shape(0), call.shape(1)
    if data is None or partitions is None:
        return Repeated(Tensor(), count)
    rows(data, len(partitions))
    merged(data[: len(partitions)], partitions)
    return Repeated(Tensor((None, *data[len(partitions) :])), count)


def _element(call: Call, place: int = 0) -> Shape | None:
    handle = call.tensor(place).handle
    return handle[0] if handle else None


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
        return join_tensors(Tensor(SCALAR, None, flow.handle), Tensor(SCALAR, None, (element,)))

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
    """Return a value read from a list; an input gives the shape of its elements, too."""

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


def _reference_handle(call: Call) -> Result:
    """Handles of TensorFlow 1 are two strings."""
    return (2,)


def _looked_up(call: Call) -> Result:
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
    return Tensor(SCALAR, None, (SCALAR, SCALAR if shape is None else of_proto(shape)))


def _dense_table(call: Call) -> Result:
    shape = call.attr("value_shape", TensorShapeProto, None)
    key = call.shape(0)
    return Tensor(SCALAR, None, (key, SCALAR if shape is None else of_proto(shape)))


def _exported(call: Call) -> Result:
    handle = call.tensor(0).handle
    key, value = handle if handle is not None and len(handle) == 2 else (None, None)
    return [None if key is None else (None, *key), None if value is None else (None, *value)]


def _with_shapes(attribute: str) -> Rule:
    """The handle of something that gives tensors of the shapes that an attribute lists."""

    def rule(call: Call) -> Result:
        shapes = call.attr(attribute, list[TensorShapeProto], [])
        return Tensor(SCALAR, None, tuple(map(of_proto, shapes)) or None)

    return rule


def _listed_shapes(call: Call) -> Result:
    return [of_proto(shape) for shape in call.attr("output_shapes", list[TensorShapeProto], [])]


def _dequeued(many: bool) -> Rule:
    def rule(call: Call) -> Result:
        shapes = call.tensor(0).handle
        if shapes is None:
            return []
        if not many:
            return list(shapes)
        count = call.number(1) if call.node.op.startswith("QueueDequeueMany") else None
        if count is not None and count < 0:
            raise GraphError(f"{count} elements are wanted")
        return [None if shape is None else (count, *shape) for shape in shapes]

    return rule


RULES: dict[str, Rule] = {
    "DynamicPartition": _dynamic_partition,
    "DynamicStitch": _dynamic_stitch,
    "EmptyTensorList": _new_list(0),
    "FIFOQueueV2": _with_shapes("shapes"),
    "LookupTableExportV2": _exported,
    "LookupTableFind": _looked_up,
    "LookupTableFindV2": _looked_up,
    "MutableDenseHashTableV2": _dense_table,
    "MutableHashTableOfTensorsV2": _table_of_tensors,
    "PaddingFIFOQueueV2": _with_shapes("shapes"),
    "ParallelDynamicStitch": _dynamic_stitch,
    "QueueDequeue": _dequeued(many=False),
    "QueueDequeueV2": _dequeued(many=False),
    "RandomShuffleQueueV2": _with_shapes("shapes"),
    "StackPushV2": lambda call: call.shape(1),
    "TensorArrayConcatV2": lambda call: [None, (None,)],
    "TensorArrayConcatV3": _array_concat,
    "TensorArrayGatherV3": _array_gather,
    "TensorArrayGradV3": _array_grad,
    "TensorArrayReadV2": lambda call: None,
    "TensorArrayReadV3": _array_read,
    "TensorArrayScatterV3": _written(2, _row),
    "TensorArraySplitV3": _written(1, _some_rows),
    "TensorArrayV3": _array,
    "TensorArrayWriteV3": _written(2, _itself),
    "TensorListConcat": _concatenated_by_attribute,
    "TensorListConcatV2": _item(1, _concatenated),
    "TensorListElementShape": _element_shape,
    "TensorListFromTensor": _from_tensor,
    "TensorListGather": _item(2, _gathered),
    "TensorListGetItem": _item(2, lambda call, element: element),
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
    **share_rule(
        """
        DatasetToSingleElement InfeedDequeueTuple IteratorGetNext IteratorGetNextSync
        MultiDeviceIteratorGetNextFromShard ReduceDataset
        """,
        _listed_shapes,
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
    **share_rule("Iterator IteratorFromStringHandleV2 IteratorV2 OneShotIterator", _with_shapes("output_shapes")),
    **share_rule("QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2", _dequeued(many=True)),
}
