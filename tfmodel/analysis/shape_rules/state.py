"""Shape rules of variables and of the ops that assign to them."""

from __future__ import annotations

from ...messages import DataType, TensorShapeProto
from ...values.shape import SCALAR, merge_shapes, shape_of_proto
from .array_gather_scatter import gather_nd_shape, gather_shape
from .partial_tensors import Tensor, vector
from .table import Call, Result, Rule, first_input, scalar, share_rule


def _resource_gather(call: Call) -> Result:
    handle = call.tensor(0).handle
    shape = handle[0] if handle else None
    return gather_shape(shape, call.shape(1), call.attr("batch_dims", int, 0), call.attr("batch_dims", int, 0))


def _resource_gather_nd(call: Call) -> Result:
    handle = call.tensor(0).handle
    return gather_nd_shape(handle[0] if handle else None, call.shape(1))


def _variable(call: Call) -> Result:
    return call.shape_attr("shape")


def _first_variable(call: Call) -> Result:
    """Return the shape of Variable, which writes an unknown shape as a scalar."""
    return call.shape_attr("shape") or None


def _var_handle(call: Call) -> Result:
    return Tensor(SCALAR, None, (call.shape_attr("shape"),))


def _var_handles(call: Call) -> Result:
    return [Tensor(SCALAR, None, (shape_of_proto(shape),)) for shape in call.attr("shapes", list[TensorShapeProto])]


def _read_variable(call: Call) -> Result:
    return call.held_shape()


def _variable_shape(call: Call) -> Result:
    shape = call.held_shape()
    return Tensor((None,)) if shape is None else vector(shape)


def _assign(call: Call) -> Result:
    if call.attr("validate_shape", bool, True):
        return merge_shapes(call.shape(0), call.shape(1))
    return call.shape(1)


def _same(call: Call) -> Result:
    return call.shape(0)


def _both(call: Call) -> Result:
    return merge_shapes(call.shape(0), call.shape(1))


def _handle(call: Call) -> Result:
    return SCALAR


def _restore(call: Call) -> Result:
    merge_shapes(call.shape(1), call.shape(2))
    return [None] * len(call.attr("dtypes", list[DataType], []))


ELEMENTWISE: dict[str, Rule] = {
    "RefIdentity": first_input,
}

RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "Assign": _assign,
    "AssignAdd": _both,
    "AssignSub": _both,
    "MutexV2": _handle,
    "ReadVariableOp": _read_variable,
    "ResourceGather": _resource_gather,
    "ResourceGatherNd": _resource_gather_nd,
    "RestoreV2": _restore,
    "TemporaryVariable": _variable,
    "VarHandleOp": _var_handle,
    "Variable": _first_variable,
    "VariableShape": _variable_shape,
    "VariableV2": _variable,
    "_VarHandlesOp": _var_handles,
    **share_rule(
        """
        ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign
        ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyPowerSign
        ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp DestroyTemporaryVariable ScatterAdd
        ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNdAdd ScatterNdMax ScatterNdMin ScatterNdSub
        ScatterNdUpdate ScatterSub ScatterUpdate SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA
        SparseApplyAdagradV2 SparseApplyCenteredRMSProp SparseApplyFtrl SparseApplyFtrlV2
        SparseApplyMomentum SparseApplyProximalAdagrad SparseApplyProximalGradientDescent SparseApplyRMSProp
        """,
        _same,
    ),
    **share_rule("CountUpTo IsVariableInitialized ResourceCountUpTo VarIsInitializedOp", scalar),
}
