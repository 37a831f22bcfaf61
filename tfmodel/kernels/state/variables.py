"""Kernels of variables: references of TensorFlow 1, resource handles, and RestoreV2.

    VariableV2       Assign, AssignAdd, ScatterUpdate, ... take and return the reference
    VarHandleOp      ReadVariableOp, AssignVariableOp, ResourceGather, ... take the handle

A variable starts with its value in the checkpoint, if there is one. A TemporaryVariable starts without a value. A value
that was read never changes: an assignment stores another array in the variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType, NodeDef
from ...values.dtypes import DTYPES
from ...values.terminal import escape
from ..array.gather_scatter import put
from ..runtime.argument_checks import check, show
from ..runtime.registry import Reference, Runtime, Tensor, Variable, kernel

Change = Callable[[Tensor, Tensor], Tensor]


# --- creation --------------------------------------------------------------------------------------------------------


def _make_variable(node: NodeDef, runtime: Runtime) -> Variable:
    return Variable(node.name, runtime.initial_value(node.name), runtime.no_value)


@kernel("Variable", "VariableV2")
def variable(node: NodeDef, *, container: bytes, shared_name: bytes, runtime: Runtime) -> Reference:
    key = ("variable", container, shared_name or node.name.encode())
    return Reference(runtime.resource(key, lambda: _make_variable(node, runtime)))


@kernel("VarHandleOp")
def var_handle(node: NodeDef, *, container: bytes, shared_name: bytes, runtime: Runtime) -> Variable:
    name = shared_name or node.name.encode()
    return runtime.resource(("resource", container, name), lambda: _make_variable(node, runtime))


@kernel("TemporaryVariable")
def temporary_variable(node: NodeDef, *, var_name: bytes, runtime: Runtime) -> Reference:
    key = ("temporary", var_name or node.name.encode())
    return Reference(runtime.resource(key, lambda: Variable(node.name)))


@kernel("DestroyTemporaryVariable", references=True)
def destroy_temporary_variable(ref: Reference) -> Tensor:
    value = ref.value
    ref.variable.content = None
    return np.asarray(value)


# --- reading ---------------------------------------------------------------------------------------------------------


@kernel("ReadVariableOp")
def read_variable(resource: Any) -> Tensor:
    return np.asarray(_variable(resource).value)


@kernel("IsVariableInitialized", references=True)
def is_variable_initialized(ref: Reference) -> Tensor:
    return np.asarray(ref.variable.content is not None)


@kernel("VarIsInitializedOp")
def var_is_initialized(resource: Any) -> Tensor:
    return np.asarray(_variable(resource).content is not None)


@kernel("VariableShape")
def variable_shape(resource: Any, *, out_type: DataType = DataType.DT_INT32) -> Tensor:
    shape = np.shape(_variable(resource).value)
    return np.array(shape, np.int64 if out_type == DataType.DT_INT64 else np.int32)


@kernel("RefIdentity", references=True)
def ref_identity(ref: Any) -> Any:
    return ref


@kernel("DestroyResourceOp")
def destroy_resource(resource: Any) -> tuple[()]:
    _variable(resource).content = None
    return ()


@kernel("ResourceGather")
def resource_gather(resource: Any, indices: Tensor, *, batch_dims: int) -> Tensor:
    value = np.asarray(_variable(resource).value)
    _check_indices(indices, value.shape, batch_dims)
    if not batch_dims:
        return np.asarray(value[indices])
    batch_indices = np.ogrid[tuple(slice(size) for size in indices.shape[:batch_dims])]
    grids = [grid.reshape(grid.shape + (1,) * (indices.ndim - batch_dims)) for grid in batch_indices]
    return np.asarray(value[(*grids, indices)])


@kernel("ResourceGatherNd")
def resource_gather_nd(resource: Any, indices: Tensor) -> Tensor:
    value = np.asarray(_variable(resource).value)
    depth = indices.shape[-1]
    for axis in range(depth):
        _check_indices(indices[..., axis], value.shape, axis)
    return np.asarray(value[tuple(indices[..., axis] for axis in range(depth))])


# --- assignment ------------------------------------------------------------------------------------------------------


@kernel("Assign", references=True)
def assign(ref: Reference, value: Any, *, validate_shape: bool = True) -> Reference:
    new = np.asarray(_value_of(value))
    old = ref.variable.content
    if validate_shape and old is not None and np.shape(old) != new.shape:
        raise RunError(f"the variable has shape {list(np.shape(old))}, the value {list(new.shape)}")
    ref.variable.content = new
    return ref


@kernel("AssignVariableOp")
def assign_variable(resource: Any, value: Tensor) -> tuple[()]:
    _variable(resource).content = np.asarray(value)
    return ()


@kernel("CountUpTo", references=True)
def count_up_to(ref: Reference, *, limit: int) -> Tensor:
    return _count_up(ref.variable, limit)


@kernel("ResourceCountUpTo")
def resource_count_up_to(resource: Any, *, limit: int) -> Tensor:
    return _count_up(_variable(resource), limit)


def _count_up(variable: Variable, limit: int) -> Tensor:
    """Increment a variable, and return its value from before. Raises RunError if it is not a scalar below `limit`."""
    value = np.asarray(variable.value)
    if value.ndim or value >= limit:
        raise RunError(f"the variable must be a scalar less than {limit}, but is {value.tolist()}")
    variable.content = np.asarray(value + value.dtype.type(1))
    return value


def _register_changes() -> None:
    changes: dict[str, Change] = {"Add": np.add, "Sub": np.subtract}
    for name, change in changes.items():
        kernel(f"Assign{name}", references=True)(_ref_change(change))
        kernel(f"Assign{name}VariableOp")(_resource_change(change))
    scatters: dict[str, Any] = {
        "Add": np.add.at,
        "Sub": np.subtract.at,
        "Mul": np.multiply.at,
        "Div": np.divide.at,
        "Min": np.minimum.at,
        "Max": np.maximum.at,
        "Update": _put,
    }
    for name, scatter in scatters.items():
        kernel(f"Scatter{name}", references=True)(_ref_scatter(scatter))
        kernel(f"ResourceScatter{name}")(_resource_scatter(scatter))
    functions: dict[str, np.ufunc | None] = {"Add": np.add, "Sub": np.subtract, "Min": np.minimum, "Max": np.maximum}
    for name, function in {**functions, "Update": None}.items():
        kernel(f"ScatterNd{name}", references=True)(_ref_scatter_nd(function))
        kernel(f"ResourceScatterNd{name}")(_resource_scatter_nd(function))


def _ref_change(change: Change) -> Callable[..., Reference]:
    def run(ref: Reference, value: Any) -> Reference:
        ref.variable.content = _apply_change(change, ref.value, _value_of(value))
        return ref

    return run


def _resource_change(change: Change) -> Callable[..., tuple[()]]:
    def run(resource: Any, value: Tensor) -> tuple[()]:
        target = _variable(resource)
        target.content = _apply_change(change, target.value, value)
        return ()

    return run


def _apply_change(change: Change, old: Any, value: Any) -> Tensor:
    if np.shape(old) != np.shape(value):
        raise RunError(f"the variable has shape {list(np.shape(old))}, the value {list(np.shape(value))}")
    return np.asarray(change(old, value))


def _ref_scatter(scatter: Any) -> Callable[..., Reference]:
    def run(ref: Reference, indices: Any, updates: Any) -> Reference:
        ref.variable.content = _apply_scatter(scatter, ref.value, _value_of(indices), _value_of(updates))
        return ref

    return run


def _resource_scatter(scatter: Any) -> Callable[..., tuple[()]]:
    def run(resource: Any, indices: Tensor, updates: Tensor) -> tuple[()]:
        target = _variable(resource)
        target.content = _apply_scatter(scatter, target.value, indices, updates)
        return ()

    return run


def _ref_scatter_nd(function: np.ufunc | None) -> Callable[..., Reference]:
    def run(ref: Reference, indices: Any, updates: Any) -> Reference:
        ref.variable.content = put(function, np.array(ref.value), _value_of(indices), _value_of(updates))
        return ref

    return run


def _resource_scatter_nd(function: np.ufunc | None) -> Callable[..., tuple[()]]:
    def run(ref: Any, indices: Tensor, updates: Tensor) -> tuple[()]:
        target = _variable(ref)
        target.content = put(function, np.array(target.value), indices, updates)
        return ()

    return run


def _apply_scatter(scatter: Any, old: Any, indices: Tensor, updates: Tensor) -> Tensor:
    new = np.array(old)
    _check_indices(indices, new.shape, 0)
    expected = (*np.shape(indices), *new.shape[1:])
    if np.ndim(updates) and np.shape(updates) != expected:
        raise RunError(f"the updates have shape {list(np.shape(updates))}, but must have {list(expected)}")
    scatter(new, indices, updates)
    return new


def _put(array: Tensor, indices: Tensor, updates: Tensor) -> None:
    array[indices] = updates


# --- helpers ---------------------------------------------------------------------------------------------------------


def _variable(resource: Any) -> Variable:
    if not isinstance(resource, Variable):
        raise RunError("its first input is not the handle of a variable")
    return resource


def _value_of(value: Any) -> Any:
    return value.value if isinstance(value, Reference) else value


def _check_indices(indices: Tensor, shape: tuple[int, ...], axis: int) -> None:
    if axis >= len(shape):
        raise RunError(f"the variable has the shape {show(shape)}, and axis {axis} is indexed")
    array, size = np.asarray(indices), shape[axis]
    if array.size and not ((array >= 0) & (array < size)).all():
        wrong = array[(array < 0) | (array >= size)].flat[0]
        raise RunError(f"the index {wrong} is not in [0, {size})")


_register_changes()


# --- restoring -------------------------------------------------------------------------------------------------------


@kernel("RestoreV2")
def restore(prefix: Tensor, names: Tensor, slices: Tensor, *, dtypes: list[DataType], runtime: Runtime) -> list[Any]:
    """Read the checkpoint of the model. The prefix is ignored: a graph must not choose the files to read."""
    counts = f"it has {names.size} names of tensors, {slices.size} slices and {len(dtypes)} outputs"
    check(names.size == slices.size == len(dtypes), f"{counts}, which must be equally many")
    check(not any(slices.ravel().tolist()), "it reads slices of tensors, which is not supported")
    values = []
    for name, dtype in zip(names.ravel().tolist(), dtypes, strict=True):
        key = name.decode("utf-8", "replace")
        value = runtime.saved_tensor(key)
        if value is None:
            raise RunError(f'the checkpoint has no tensor "{escape(key)}"')
        expected = DTYPES[dtype]
        problem = f'the checkpoint has "{escape(key)}" as {value.dtype.name}, not as {expected.name}'
        check(value.dtype == expected.numpy, problem)
        values.append(value)
    return values
