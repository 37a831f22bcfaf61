"""A node and its kernel, made ready to be called many times: attributes are read once, and mistakes are found then.

    bound = bind(node)
    outputs = bound([x, y])

What kernels get for the attributes of a node, by what the op declares them to be:

    int, float, bool         int, float, bool
    string                   bytes
    type                     a DataType
    shape                    a tuple, with None for a size that is not known; None if not even the rank is
    tensor                   an array
    func                     a NameAttrList
    list(...)                a list of these

An attribute that the node leaves out has its default: that of the op, or else that of the kernel's parameter.

What kernels give, as tensors of the types that their ops declare.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...dtypes import DTYPES, Dtype
from ...dtypes.small_floats import FORMATS
from ...errors import GraphError, RunError, TensorError
from ...graph import describe
from ...io.terminal import printable
from ...messages import AttrValue, DataType, NodeDef, OpDef, TensorProto, TensorShapeProto
from ...tensors import to_ndarray
from ..definitions import OPS, defaults
from ..ports import output_types
from .context import Runtime
from .registry import KERNELS, OWN, RUNTIME, Kernel

__all__ = ["Bound", "attributes_of", "bind", "conformed", "evaluate", "rounded", "shape_of", "types_of"]


MOST_OUTPUTS = 1 << 16
_SHOWN = 6  # inputs that an error tells of


class Bound:
    """A node with its kernel. Calling it gives the outputs of the node for its inputs, control inputs left out."""

    __slots__ = ("_call", "_leading", "_named", "_types", "kernel", "node")

    def __init__(
        self, node: NodeDef, kernel: Kernel, named: Mapping[str, Any], types: Sequence[DataType | None] | None
    ) -> None:
        self.node = node
        self.kernel = kernel
        self._call: Callable[..., Any] = kernel.function
        self._leading = (node,) if kernel.takes_node else ()
        self._named = named
        self._types = types

    def __call__(self, inputs: Sequence[Any], runtime: Runtime | None = None, *, own: bool = False) -> list[Any]:
        """`own` lets a kernel that can do so change its first input, which nobody else holds.

        Raises RunError, which names the node, if it cannot be computed for these inputs.
        """
        named = {**self._named, RUNTIME: runtime} if self.kernel.takes_runtime else self._named
        if own and self.kernel.takes_own:
            named = {**named, OWN: True}
        try:
            with np.errstate(all="ignore"):
                given = self._call(*self._leading, *inputs, **named)
                return conformed(given if isinstance(given, (tuple, list)) else (given,), self._types)
        except RunError as error:
            if str(error).startswith(describe(self.node)):
                raise  # of a node inside of a function that this one calls
            raise RunError(f"{describe(self.node)}: {error}") from error
        except RecursionError:
            raise
        except Exception as error:  # whatever NumPy raises for tensors that do not fit: it is this node that failed
            got = f"; it got {_listed(inputs)}" if inputs else ""
            raise RunError(f"{describe(self.node)}: {_words(error)}{got}") from error


def bind(node: NodeDef, ops: Mapping[str, OpDef] = OPS, types: Iterable[DataType | None] | None = None) -> Bound:
    """A node with its kernel. `ops` declares the ops, `types` are the types of its outputs if they are known already.

    Raises RunError if there is no kernel for it, GraphError for an attribute that is missing or of the wrong kind.
    """
    kernel = KERNELS.get(node.op)
    if kernel is None:
        raise RunError(f"{describe(node)}: there is no kernel for this op")
    op = ops.get(node.op)
    if types is None and op is not None:
        types = types_of(node, op)
    return Bound(node, kernel, attributes_of(node, kernel.attributes, op), None if types is None else list(types))


def types_of(node: NodeDef, op: OpDef) -> list[DataType | None]:
    """The types of a node's outputs. Raises RunError if there are more than anybody could want."""
    types = output_types(node, op)
    if len(types) > MOST_OUTPUTS:
        raise RunError(f"{describe(node)} has {len(types):,} outputs, more than {MOST_OUTPUTS:,}")
    return list(types)


def evaluate(
    node: NodeDef, inputs: Sequence[Any], ops: Mapping[str, OpDef] = OPS, runtime: Runtime | None = None
) -> list[Any]:
    """The outputs of one node for its inputs: what `bind` and a call give, with their errors."""
    return bind(node, ops)(inputs, runtime)


# --- attributes ------------------------------------------------------------------------------------------------------


def attributes_of(node: NodeDef, wanted: Mapping[str, Any], op: OpDef | None) -> dict[str, Any]:
    """The attributes that a kernel wants, by name. `wanted` has the defaults of its parameters, or Parameter.empty."""
    if not wanted:
        return {}
    declared = {each.name: each.type for each in op.attr} if op is not None else {}
    own = defaults(op) if op is not None else {}
    found = {}
    for name, default in wanted.items():
        value = node.attr.get(name) or own.get(name)
        if value is not None:
            found[name] = _value(node, name, value, declared.get(name, ""))
        elif default is not inspect.Parameter.empty:
            found[name] = default
        else:
            raise GraphError(f'{describe(node)} has no attribute "{name}"')
    return found


def _value(node: NodeDef, name: str, value: AttrValue, declared: str) -> Any:
    held = value.which_oneof("value")
    kind = _HELD.get(declared.removeprefix("list(").removesuffix(")"), "")
    if declared.startswith("list("):
        found = getattr(value.list, kind) if held == "list" else []
        if held != "list" or (not found and value.list is not None and value.list.ListFields()):
            raise GraphError(f"{describe(node)}: its attribute {name} is no {declared}")
        return [_PYTHON.get(kind, _same)(each) for each in found]
    if held == "list":
        if declared:
            raise GraphError(f"{describe(node)}: its attribute {name} is a list")
        lists = value.list.ListFields() if value.list is not None else []
        return [_PYTHON.get(each.name, _same)(item) for each, items in lists for item in items]
    if held is None or held == "placeholder" or (kind and held != kind):
        raise GraphError(f"{describe(node)}: its attribute {name} is not {declared or 'set'}")
    return _PYTHON.get(held, _same)(getattr(value, held))


def shape_of(shape: TensorShapeProto) -> tuple[int | None, ...] | None:
    """A shape as kernels get it."""
    if shape.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else None for dim in shape.dim)


def _same(value: Any) -> Any:
    return value


def _array(tensor: TensorProto) -> Any:
    try:
        return to_ndarray(tensor)
    except TensorError as error:
        raise RunError(str(error)) from error


_HELD = {
    "int": "i",
    "float": "f",
    "bool": "b",
    "string": "s",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}
_PYTHON: dict[str, Callable[[Any], Any]] = {"shape": shape_of, "tensor": _array}


# --- errors ----------------------------------------------------------------------------------------------------------


def _words(error: Exception) -> str:
    text = printable(" ".join(str(error).split()))
    return text or type(error).__name__


def _listed(inputs: Sequence[Any]) -> str:
    shown = [_described(each) for each in inputs[:_SHOWN]]
    more = [f"{len(inputs) - _SHOWN} more"] if len(inputs) > _SHOWN else []
    return ", ".join(shown + more) or "no inputs"


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype.name}[{','.join(map(str, value.shape))}]"
    return type(value).__name__


_Array = npt.NDArray[Any]
_ANYTHING = frozenset({DataType.DT_RESOURCE, DataType.DT_VARIANT})


def conformed(outputs: Sequence[Any], types: Sequence[DataType | None] | None) -> list[Any]:
    """Arrays of the declared types; handles and variants as they are. `types` is None if nobody knows them.

    Raises RunError if there are more or fewer outputs than types, or complex numbers where there should be none.
    """
    if types is None:
        return list(outputs)
    if len(outputs) != len(types):
        raise RunError(f"the kernel gives {len(outputs)} tensors, the op has {len(types)} outputs")
    return [_tensor(value, dtype) for value, dtype in zip(outputs, types, strict=True)]


def _tensor(value: Any, dtype: DataType | None) -> Any:
    row = DTYPES.get(dtype) if dtype is not None else None
    if row is None or dtype in _ANYTHING:
        return value  # a reference to a variable, a handle, or of a type that nobody knows
    if type(value) is not np.ndarray:
        value = np.asarray(value, object if row.is_object else None)
    if value.dtype != row.numpy:
        if value.dtype.kind == "c" != row.kind:
            raise RunError(f"it gives complex numbers, its attributes say {row.name}")
        value = value.astype(row.numpy)
    return rounded(value, row) if row.codec == "float" else value


def rounded(values: _Array, row: Dtype) -> _Array:
    """Floats rounded to what a narrower type can hold, to nearest even; what is too large for bfloat16 is infinite."""
    if row.name == "bfloat16":
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        up = ((bits >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF)
        with np.errstate(over="ignore"):
            kept = (bits + up) & np.uint32(0xFFFF0000)
        kept = np.where(np.isnan(values), np.uint32(0x7FC00000), kept)
        return np.asarray(kept.view(np.float32)).reshape(values.shape)
    codes, lost = FORMATS[row.name].encode(np.asarray(values))
    return np.where(lost, np.float32("nan"), FORMATS[row.name].decode(codes))
