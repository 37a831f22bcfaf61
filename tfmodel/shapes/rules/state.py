"""What is kept between runs: variables, what trains them, tables, queues, iterators."""

from __future__ import annotations

from ...errors import GraphError
from ...messages import TensorShapeProto
from ...ops.partial_tensors import Tensor, vector
from ...ops.shape_rules import Call, Result, Rule, alike
from ...shape import SCALAR, Shape, merged, of_proto

__all__ = ["RULES"]


# --- variables -------------------------------------------------------------------------------------------------------


def _variable(call: Call) -> Result:
    return call.shape_attr("shape")


def _first_variable(call: Call) -> Result:
    """The oldest op writes a scalar for a shape that is not known."""
    return call.shape_attr("shape") or None


def _var_handle(call: Call) -> Result:
    return Tensor(SCALAR, None, (call.shape_attr("shape"),))


def _var_handles(call: Call) -> Result:
    return [Tensor(SCALAR, None, (of_proto(shape),)) for shape in call.attr("shapes", list[TensorShapeProto])]


def _held(call: Call, place: int = 0) -> Shape | None:
    """The shape of what a handle leads to."""
    handle = call.tensor(place).handle
    return handle[0] if handle else None


def _read_variable(call: Call) -> Result:
    return _held(call)


def _variable_shape(call: Call) -> Result:
    shape = _held(call)
    return Tensor((None,)) if shape is None else vector(shape)


def _assign(call: Call) -> Result:
    if call.attr("validate_shape", bool, True):
        return merged(call.shape(0), call.shape(1))
    return call.shape(1)


def _same(call: Call) -> Result:
    return call.shape(0)


def _both(call: Call) -> Result:
    return merged(call.shape(0), call.shape(1))


def _scalar(call: Call) -> Result:
    return SCALAR


# --- tables, queues, iterators ---------------------------------------------------------------------------------------


def _handle(call: Call) -> Result:
    return SCALAR


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
    "Assign": _assign,
    "CountUpTo": _scalar,
    "DestroyTemporaryVariable": _same,
    "IsVariableInitialized": _scalar,
    "LookupTableFind": _looked_up,
    "LookupTableFindV2": _looked_up,
    "MutableDenseHashTableV2": _dense_table,
    "MutableHashTableOfTensorsV2": _table_of_tensors,
    "ReadVariableOp": _read_variable,
    "ResourceCountUpTo": _scalar,
    "TemporaryVariable": _variable,
    "VarHandleOp": _var_handle,
    "VarIsInitializedOp": _scalar,
    "Variable": _first_variable,
    "VariableShape": _variable_shape,
    "VariableV2": _variable,
    "_VarHandlesOp": _var_handles,
    **alike("AssignAdd AssignSub", _both),
    **alike(
        """ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNdAdd ScatterNdMax ScatterNdMin ScatterNdSub
        ScatterNdUpdate ScatterSub ScatterUpdate
        ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign
        ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyPowerSign
        ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp
        SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyCenteredRMSProp
        SparseApplyFtrl SparseApplyFtrlV2 SparseApplyMomentum SparseApplyProximalAdagrad
        SparseApplyProximalGradientDescent SparseApplyRMSProp""",
        _same,
    ),
    **alike("HashTableV2 MutableHashTableV2 AnonymousHashTable AnonymousMutableHashTable", _table),
    **alike("HashTable MutableHashTable", _reference_handle),
    **alike("LookupTableSize LookupTableSizeV2", _scalar),
    **alike("LookupTableExportV2", _exported),
    **alike("FIFOQueueV2 PaddingFIFOQueueV2 RandomShuffleQueueV2", _with_shapes("shapes")),
    **alike("FIFOQueue PaddingFIFOQueue RandomShuffleQueue", _reference_handle),
    **alike("IteratorV2 OneShotIterator Iterator IteratorFromStringHandleV2", _with_shapes("output_shapes")),
    **alike("QueueDequeue QueueDequeueV2", _dequeued(many=False)),
    **alike("QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2", _dequeued(many=True)),
    **alike("QueueSize QueueSizeV2 QueueIsClosed QueueIsClosedV2", _scalar),
    **alike(
        """IteratorGetNext IteratorGetNextSync MultiDeviceIteratorGetNextFromShard DatasetToSingleElement
        ReduceDataset InfeedDequeueTuple""",
        _listed_shapes,
    ),
    "IteratorGetNextAsOptional": _scalar,
    "IteratorToStringHandle": _scalar,
    "StackPushV2": lambda call: call.shape(1),
    "StackV2": _reference_handle,
    "MutexV2": _handle,
}
