"""`Call`: a node of TensorFlow as its converter sees it, with its inputs as values of ONNX.

@converter("Square")
def _square(call: Call) -> Value:
    (x,), layout = call.aligned()
    return call.add("Mul", x, x)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, overload

from ...graph import attr
from ...messages import DataType, NodeDef
from ...values.dtypes import dtype_name
from ...values.shape import Shape
from . import kernels, operators
from .model import Array, Attribute, Attributes, Value
from .registry import Refusal
from .scope import INT32, INT64, ONNX_TYPES, Scope, permuted, to_first

if TYPE_CHECKING:
    from .body import Body

K = TypeVar("K")
D = TypeVar("D")
_REQUIRED: Any = object()
BOOL, FLOAT, STRING = DataType.DT_BOOL, DataType.DT_FLOAT, DataType.DT_STRING


class Call:
    """A node and its inputs; control inputs are left out.

    node     the node of TensorFlow
    body     the graph or function that it is in, with shapes and types
    scope    where its values are added
    """

    __slots__ = ("body", "keys", "node", "scope")

    def __init__(self, node: NodeDef, body: Body, scope: Scope) -> None:
        self.node = node
        self.body = body
        self.scope = scope
        self.keys = body.inputs(node)

    # --- facts -------------------------------------------------------------------------------------------------------

    @overload
    def attr(self, name: str, kind: type[K]) -> K: ...
    @overload
    def attr(self, name: str, kind: type[K], default: D) -> K | D: ...
    def attr(self, name: str, kind: Any, default: Any = _REQUIRED) -> Any:
        """Return an attribute: see `graph.attr`."""
        return attr(self.node, name, kind) if default is _REQUIRED else attr(self.node, name, kind, default)

    @property
    def opset(self) -> int:
        return self.body.opset

    @property
    def count(self) -> int:
        """The number of inputs."""
        return len(self.keys)

    def shape(self, index: int) -> Shape | None:
        """Return the shape of an input in TensorFlow; None if its rank is unknown."""
        return self.body.shape(self.keys[index])

    def known_shape(self, index: int) -> tuple[int, ...]:
        """Return the shape of an input; refuse the node unless it is fully known."""
        shape = self.shape(index)
        if shape is None or None in shape:
            self.refuse(f"the shape of its input {index} is not known", "--shape")
        return tuple(size for size in shape if size is not None)

    def rank(self, index: int) -> int:
        """Return the rank of an input; refuse the node if it is unknown."""
        shape = self.shape(index)
        if shape is None:
            self.refuse(f"the rank of its input {index} is not known", "--shape")
        return len(shape)

    def dtype(self, index: int) -> DataType:
        """Return the type of an input in TensorFlow."""
        return self.body.dtype(self.keys[index])

    def output_shape(self, port: int = 0) -> Shape | None:
        return self.body.shape(self.body.output(self.node, port))

    def output_dtype(self, port: int = 0) -> DataType:
        return self.body.dtype(self.body.output(self.node, port))

    def constant(self, index: int) -> Array | None:
        """Return the elements of an input that is a constant, or known from shapes alone; else None."""
        return self.body.constant(self.keys[index])

    def required(self, index: int, what: str) -> Array:
        """Return the elements of a constant input; refuse the node if they are computed."""
        array = self.constant(index)
        if array is None:
            self.refuse(f"{what} is computed", "bind or fold it first")
        return array

    def known(self, index: int) -> tuple[Any, ...] | None:
        """Return the elements of a vector of sizes, None for those that are unknown; None if nothing is known."""
        array = self.constant(index)
        if array is not None:
            return tuple(array.ravel().tolist())
        return self.body.partial(self.keys[index])

    def axes(self, index: int, rank: int, what: str = "the axes") -> list[int]:
        """Return constant axes, counted from 0 and sorted."""
        array = self.required(index, what)
        return sorted({int(axis) % rank if rank else 0 for axis in array.ravel().tolist()})

    def is_used(self, port: int) -> bool:
        """Return whether an output has consumers, or is one of the graph."""
        return self.body.is_used(self.body.output(self.node, port))

    # --- inputs as values --------------------------------------------------------------------------------------------

    def input(self, index: int, *, first: bool = False, dtype: DataType | None = None) -> Value:
        """Return an input with its type in TensorFlow, or as `dtype`, with channels last or `first`."""
        if (own := self.dtype(index)) not in ONNX_TYPES:
            self.refuse(f"ONNX has no operators for {dtype_name(own)}")
        return self.scope.value(self.keys[index], first=first, dtype=dtype)

    def home(self, index: int) -> Value:
        """Return an input in the form that it was made in."""
        return self.scope.home(self.keys[index])

    def int64(self, index: int) -> Value:
        return self.input(index, dtype=INT64)

    def is_first(self, index: int) -> bool:
        """Return whether an input was made with the channels in second place."""
        return self.home(index).first

    def aligned(self, indices: Sequence[int] | None = None, *, sizes: bool = False) -> tuple[list[Value], bool]:
        """Return inputs of an element-wise op in one layout, and whether this has the channels in second place.

        With `sizes`, integers that were computed from sizes stay int64: all of these inputs are int64 then.
        """
        chosen = list(range(self.count) if indices is None else indices)
        dtypes: list[DataType | None] = [None] * len(chosen)
        if sizes and self.stays_int64(chosen):
            dtypes = [INT64 if self.dtype(index) == INT32 else None for index in chosen]
        rank = max((len(self.shape(index) or ()) for index in chosen if self.is_first(index)), default=0)
        ranks = [self.shape(index) for index in chosen]
        is_first = rank > 0 and all(shape is not None and len(shape) <= rank for shape in ranks)
        if not is_first:
            return [self.input(index, dtype=dtype) for index, dtype in zip(chosen, dtypes, strict=True)], False
        return [self._of_rank(index, rank, dtype) for index, dtype in zip(chosen, dtypes, strict=True)], True

    def _of_rank(self, index: int, rank: int, dtype: DataType | None) -> Value:
        """Return an input with the channels in second place that is broadcast like in TensorFlow."""
        shape = self.shape(index) or ()
        if len(shape) == rank:
            return self.input(index, first=True, dtype=dtype)
        value = self.input(index, dtype=dtype)
        if not shape:
            return value
        if value.data is not None:
            array = value.data.reshape([1] * (rank - len(shape)) + list(value.data.shape)).transpose(to_first(rank))
            while array.shape and array.shape[0] == 1 and array.ndim > 1:
                array = array[0]
            return self.scope.constant(array, value.dtype)
        wide = operators.unsqueeze(self, value, list(range(rank - len(shape))))
        wide.shape = (1,) * (rank - len(shape)) + shape
        return self.scope.transposed(wide, to_first(rank), first=True)

    def stays_int64(self, indices: Sequence[int] | None = None) -> bool:
        """Return whether int32 inputs were computed from sizes, so that the result stays int64."""
        chosen = list(range(self.count) if indices is None else indices)
        integers = [index for index in chosen if self.dtype(index) == INT32]
        wide = [index for index in integers if self.home(index).dtype == INT64]
        others = [index for index in integers if index not in wide]
        return bool(wide) and all(self.home(index).data is not None for index in others)

    # --- new values --------------------------------------------------------------------------------------------------

    def add(
        self,
        op: str,
        *inputs: Value | None,
        dtype: DataType | None = None,
        more: Attributes | None = None,
        **attributes: Attribute,
    ) -> Value:
        """Add a node with one output and return it. The default of `dtype` is the type of the first input.

        `more` has further attributes.
        """
        return self.several(op, *inputs, types=[_type_of(inputs, dtype)], more={**(more or {}), **attributes})[0]

    def several(
        self,
        op: str,
        *inputs: Value | None,
        types: Sequence[DataType],
        domain: str = "",
        more: Attributes | None = None,
        **attributes: Attribute,
    ) -> list[Value]:
        """Add a node with an output for each of `types`, in a type that onnxruntime has a kernel for."""
        given = list(inputs)
        while given and given[-1] is None:
            given.pop()
        every = {**(more or {}), **attributes}
        if domain:
            return self.scope.add(op, *given, types=types, scope=self.node.name, domain=domain, attributes=every)
        return kernels.added(self, op, given, types, every)

    def const(self, elements: Any, dtype: DataType = INT64) -> Value:
        """Return an initializer; by default of int64."""
        return self.scope.constant(elements, dtype)

    def like(self, elements: Any, value: Value) -> Value:
        """Return an initializer of the type of another value."""
        return self.scope.constant(elements, value.dtype)

    def cast(self, value: Value, dtype: DataType) -> Value:
        return self.scope.cast(value, dtype)

    def transposed(self, value: Value, order: Sequence[int]) -> Value:
        return self.scope.transposed(value, order)

    def laid_out(self, value: Value, first: bool, port: int = 0) -> Value:
        """Mark a new value as an output in this layout, with the shape that TensorFlow's inference gives it."""
        shape = self.output_shape(port)
        value.first = first
        if shape is not None:
            value.shape = permuted(shape, to_first(len(shape))) if first else shape
        return value

    # --- messages ----------------------------------------------------------------------------------------------------

    def refuse(self, reason: str, hint: str = "") -> NoReturn:
        """Raise the error that this node cannot become ONNX."""
        raise Refusal(reason, hint)

    def need_opset(self, opset: int, what: str) -> None:
        """Refuse the node if the opset is older than `opset`, which is the first that has `what`."""
        if self.opset < opset:
            self.refuse(f"{what} needs opset {opset}", f"--opset {opset}")

    def note(self, text: str) -> None:
        """Say that the ONNX model differs from TensorFlow's in some way. Equal notes are counted."""
        self.body.note(text, self.node)


def _type_of(inputs: Sequence[Value | None], dtype: DataType | None) -> DataType:
    if dtype is not None:
        return dtype
    return next(value.dtype for value in inputs if value is not None)
