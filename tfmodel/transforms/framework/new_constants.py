"""New Const nodes, with their elements in `tensor_content` as in those of the C++ tool.

    const_node("scale", 0.5, DataType.DT_FLOAT)                                # a scalar
    const_node("paddings", [[0, 0]] * 4, DataType.DT_INT32)                    # int32[4,2]
    const_node("weights", array, DataType.DT_FLOAT, control_inputs=["^merge"])

`tensors.from_ndarray` puts single elements, strings and bools into the field of their type, as the rest of TensorFlow
does; here `tensor_content` holds these as well.

All functions count the bytes of the elements and raise GraphError if a transform makes too many: see
`tfmodel.output_limit`, whose `require` checks that before an array is made.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from pbwire.lazy.deferred_bytes import Content, Deferred
from pbwire.lazy.messages import undecoded_message
from pbwire.varints import write_varint

from ...dtypes import Dtype, dtype_of
from ...io.terminal import printable
from ...messages import AttrValue, DataType, NodeDef, TensorProto, TensorShapeProto
from ...output_limit import claim

__all__ = ["const_node", "content_tensor", "deferred_tensor", "owned_tensor"]

_MIN_SHARED = 1 << 16  # bytes
_CONTENT = 4  # the field tensor_content
_NEW = "a new constant"

# The `struct` format and the Python type of a number, by its NumPy type string.
_SCALARS = {"<f4": ("<f", float), "<f8": ("<d", float), "|b1": ("<?", bool)} | {
    f"{order}{kind}{size}": (f"<{letter if kind == 'i' else letter.upper()}", int)
    for order, size, letter in (("|", 1, "b"), ("<", 2, "h"), ("<", 4, "i"), ("<", 8, "q"))
    for kind in "iu"
}


def const_node(
    name: str, values: Any, dtype: DataType, *, control_inputs: Iterable[str] = (), device: str = ""
) -> NodeDef:
    """Return a Const with the shape of a number, a string, a list of them or an array, converted to `dtype`.

    Control inputs are spelled as in nodes: "^name". Raises ValueError for a value that `dtype` cannot hold.
    """
    attributes = {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=content_tensor(values, dtype))}
    return NodeDef(name=name, op="Const", input=list(control_inputs), device=device, attr=attributes)


def content_tensor(values: Any, dtype: DataType) -> TensorProto:
    """Return the tensor of such a node. NumPy is imported unless the value is a single number."""
    row = dtype_of(dtype)
    number = _scalar(values, row)
    content, shape = (number, ()) if number is not None else _array(values, row)
    claim(len(content), _NEW)
    dims = [TensorShapeProto.Dim(size=size) for size in shape]
    return TensorProto(dtype=dtype, tensor_shape=TensorShapeProto(dim=dims), tensor_content=content)


def owned_tensor(array: Any, dtype: DataType) -> TensorProto:
    """Return the tensor of an array in the bytes of `dtype` that is not shared or changed elsewhere.

    A large array is not copied: a second copy of all new weights would be most of the memory of a transform.
    """
    claim(array.nbytes, _NEW)
    dims = [TensorShapeProto.Dim(size=size) for size in array.shape]
    content = array.reshape(-1).data.cast("B") if array.nbytes > _MIN_SHARED else array.tobytes()
    return TensorProto(dtype=dtype, tensor_shape=TensorShapeProto(dim=dims), tensor_content=content)


def deferred_tensor(shape: Iterable[int], dtype: DataType, content: Content) -> TensorProto:
    """Return a tensor whose content is computed when the message is written or read."""
    claim(len(content), _NEW)
    dims = [TensorShapeProto.Dim(size=size) for size in shape]
    fields = TensorProto(dtype=dtype, tensor_shape=TensorShapeProto(dim=dims)).to_bytes()
    return undecoded_message(TensorProto, Deferred(fields, _CONTENT, content))


def _scalar(value: Any, row: Dtype) -> bytes | None:
    """Return the bytes of a Python number; None if the value needs NumPy."""
    letter, kind = _SCALARS.get(row.stored, ("", None))
    if type(value) is not kind or row.codec:
        return None
    try:
        return struct.pack(letter, value)
    except (struct.error, OverflowError):
        return None  # too large: NumPy raises an error with a message


def _array(values: Any, row: Dtype) -> tuple[bytes, tuple[int, ...]]:
    import numpy as np

    if not row.is_object:
        array = row.encode(values)
        return array.tobytes(), array.shape
    array = np.array(values, object) if isinstance(values, (str, bytes, list, tuple)) else np.asarray(values)
    strings = [text.encode() if isinstance(text, str) else text for text in array.ravel().tolist()]
    if row.codec or not all(isinstance(text, bytes) for text in strings):
        raise ValueError(f"cannot make a {row.name} tensor of {printable(str(values)[:100])}")
    return b"".join([*(write_varint(len(text)) for text in strings), *strings]), array.shape
