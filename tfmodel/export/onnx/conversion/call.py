"""`Call`: a node of TensorFlow as its converter sees it, with its inputs as values of ONNX.

@converter("Square")
def _square(call: Call) -> Value:
    (x,), layout = call.aligned()
    return call.add("Mul", x, x)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, overload

from ....graph import attr
from ....messages import DataType, NodeDef
from ....values.dtypes import dtype_name
from ....values.shape import Shape
from . import kernels, operators
from .model import Array, Attribute, Attributes, Order, Value
from .registry import Refusal
from .scope import INT32, INT64, Scope, permuted, plain, to_first
from .types import ONNX_TYPES

if TYPE_CHECKING:
    from .body import Body

K = TypeVar("K")
D = TypeVar("D")
_REQUIRED: Any = object()
COMPLEX = frozenset({DataType.DT_COMPLEX64, DataType.DT_COMPLEX128})
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

    def input(
        self, index: int, *, order: Order | None = None, first: bool = False, dtype: DataType | None = None
    ) -> Value:
        """Return an input with its type in TensorFlow, or as `dtype`, with its axes in an order.

        Without `order`, the axes are those of TensorFlow; with `first`, the channels are in second place.
        """
        if (own := self.dtype(index)) not in ONNX_TYPES:
            self.refuse(f"ONNX has no operators for {dtype_name(own)}")
        if first:
            order = to_first(self._rank(index))
        return self.scope.value(self.keys[index], order=order, dtype=dtype)

    def _rank(self, index: int) -> int:
        shape = self.home(index).shape
        return self.rank(index) if shape is None else len(shape)

    def home(self, index: int) -> Value:
        """Return an input in the form that it was made in. Complex ones are refused, since their shape is another."""
        if self.dtype(index) in COMPLEX:
            self.refuse(f"ONNX has no operators for {dtype_name(self.dtype(index))}")
        return self.scope.home(self.keys[index])

    def handed(self, index: int) -> Value:
        """Return an input of any type as it was made: complex numbers have a last dimension of two real ones."""
        return self.scope.home(self.keys[index])

    def int64(self, index: int) -> Value:
        return self.input(index, dtype=INT64)

    def order(self, index: int) -> Order | None:
        """Return the order of axes in which an input was made; None for that of TensorFlow."""
        return self.home(index).order

    def sized(self, index: int) -> Value:
        """Return an input of which only places matter: what was computed from sizes stays int64."""
        return self.int64(index) if self.stays_int64([index]) else self.input(index)

    def moved(self, index: int) -> tuple[Value, Order | None]:
        """Return an input of which only places matter, in the form that it was made in, and its order of axes."""
        home = self.home(index)
        return self.input(index, order=home.order, dtype=INT64 if self.stays_int64([index]) else None), home.order

    def places(self, axes: Sequence[int], order: Order | None) -> list[int]:
        """Return where axes of TensorFlow are in an order."""
        return list(axes) if order is None else [order.index(axis) for axis in axes]

    def aligned(self, indices: Sequence[int] | None = None, *, sizes: bool = False) -> tuple[list[Value], Order | None]:
        """Return inputs of an element-wise op in one order of axes, and this order.

        With `sizes`, integers that were computed from sizes stay int64: all of these inputs are int64 then.
        """
        chosen = list(range(self.count) if indices is None else indices)
        dtypes: list[DataType | None] = [None] * len(chosen)
        if sizes and self.stays_int64(chosen):
            dtypes = [INT64 if self.dtype(index) == INT32 else None for index in chosen]
        order = self.common_order(chosen)
        pairs = zip(chosen, dtypes, strict=True)
        if order is None:
            return [self.input(index, dtype=dtype) for index, dtype in pairs], None
        return [self._broadcast(index, order, dtype) for index, dtype in pairs], order

    def common_order(self, indices: Sequence[int]) -> Order | None:
        """Return the order of the largest input that is not in TensorFlow's order, if the others can take it."""
        ranks = [self.shape(index) for index in indices]
        if any(shape is None for shape in ranks):
            return None
        most = max((len(shape) for shape in ranks if shape is not None), default=0)
        orders = [self.order(index) for index in indices if self.home(index).data is None]
        full = [order for order in orders if order is not None and len(order) == most]
        return full[0] if full else None

    def _broadcast(self, index: int, order: Order, dtype: DataType | None) -> Value:
        """Return an input in an order of axes, so that it is broadcast like in TensorFlow."""
        shape = self.shape(index) or ()
        missing = len(order) - len(shape)
        if not missing:
            return self.input(index, order=order, dtype=dtype)
        value = self.input(index, dtype=dtype)
        if not shape:
            return value
        if value.data is not None:
            array = value.data.reshape([1] * missing + list(value.data.shape)).transpose(order)
            while array.ndim > 1 and array.shape[0] == 1:
                array = array[0]
            return self.scope.constant(array, value.dtype)
        wide = operators.unsqueeze(self, value, list(range(missing)))
        wide.shape = (1,) * missing + shape
        return self.scope.transposed(wide, order, order=order)

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

    def laid_out(self, value: Value, order: Order | bool | None = None, port: int = 0) -> Value:
        """Mark a new value as an output with its axes in this order; True has the channels in second place.

        Its shape is what TensorFlow's inference gives.
        """
        shape = self.output_shape(port)
        if order is True:
            order = to_first(4 if shape is None else len(shape))
        value.order = plain(order or None)
        if shape is not None:
            value.shape = permuted(shape, value.order)
        return value

    # --- messages ----------------------------------------------------------------------------------------------------

    def refuse(self, reason: str, hint: str = "") -> NoReturn:
        """Raise the error that this node cannot become ONNX."""
        raise Refusal(reason, hint)

    def need_opset(self, opset: int, what: str) -> None:
        """Refuse the node if the opset is older than `opset`, which is the first that has `what`."""
        if self.opset < opset:
            raise Refusal(f"{what} needs opset {opset}", f"--opset {opset}", opset)

    def note(self, text: str) -> None:
        """Say that the ONNX model differs from TensorFlow's in some way. Equal notes are counted."""
        self.body.note(text, self.node)


def _type_of(inputs: Sequence[Value | None], dtype: DataType | None) -> DataType:
    if dtype is not None:
        return dtype
    return next(value.dtype for value in inputs if value is not None)
