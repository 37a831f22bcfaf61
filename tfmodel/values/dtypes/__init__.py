"""The element types of tensors: a table with a row for each DataType.

    dtype_of(DataType.DT_BFLOAT16)    # stored in two bytes, given to users as float32

    row      the representation of one type in a message, in a checkpoint and in NumPy
    stored   an array of elements as they are in `tensor_content` and in checkpoints, always little-endian
    given    the array that users get. It is the stored array if NumPy has the type. Otherwise:

        bfloat16, float8, float4    become float32, exactly; floats that are stored are rounded to nearest even
        int4, uint4, int2, uint2    become int8 and uint8. Each is stored in the lower bits of one byte: TensorFlow does
                                    not pack several into a byte
        quantized types             become the integers that represent them
        strings, handles, variants  are object arrays of bytes or of messages

A reference type (DT_FLOAT_REF) has the row of the type to which it refers. NumPy is imported only when an array or a
NumPy dtype is needed, not for names and sizes.

`conversion.py` converts numbers between types, and defines the floats that NumPy lacks. `onnx.py` has the types of
ONNX. The package imports errors and
messages. Tensors, checkpoints, kernels and all other code that handles types call it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import TensorError
from ...messages import DataType

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["DTYPES", "Dtype", "dtype_name", "dtype_named", "dtype_of", "natural_dtype"]

_REF = 100  # the difference between the number of a reference type and the number of its type
_OBJECT = "|O"


@dataclass(frozen=True, slots=True)
class Dtype:
    """One element type. `storage` and `numpy` are NumPy's dtypes of stored and of given arrays."""

    number: DataType
    name: str
    """The spelling in TensorFlow's Python and in NumPy."""
    field: str
    """The field of a TensorProto that lists the elements. A complex number is two values: its real part, then its
    imaginary part."""
    stored: str
    """NumPy's spelling of `storage`; "|O" if elements have no fixed size."""
    given: str
    """NumPy's spelling of `numpy`."""
    in_content: bool = False
    """True if TensorFlow's writers put two or more elements into `tensor_content`."""
    codec: str = ""
    """"float" or "int" if NumPy lacks the type, so that elements are decoded; "message" if elements are messages."""
    bits: int = 0
    """The number of significant bits of an element; 0 if all stored bits are significant."""

    @property
    def kind(self) -> str:
        """The kind of stored elements as NumPy's letter: f, c, i, u, b, or O for bytes and messages."""
        return self.stored[1]

    @property
    def itemsize(self) -> int:
        """Bytes of a stored element; 0 if they have no fixed size."""
        return int(self.stored[2:] or 0)

    @property
    def is_object(self) -> bool:
        """True if elements are bytes or messages, not numbers."""
        return self.kind == "O"

    @property
    def storage(self) -> np.dtype[Any]:
        return _numpy_dtype(self.stored)

    @property
    def numpy(self) -> np.dtype[Any]:
        return _numpy_dtype(self.given)

    def decode(self, stored: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the array for users. It is `stored` itself, in its byte order, unless NumPy lacks the type.

        NumPy's logic expects bools to be 0 or 1, while files may have other bytes, which are true.
        """
        if self.kind == "b":
            codes = stored.view("u1")
            return codes.astype("?") if codes.size and codes.max() > 1 else stored
        if self.codec not in ("float", "int"):
            return stored
        from .conversion import decode_values  # imports numpy

        return decode_values(stored, self)

    def encode(self, array: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return numbers of any type as an array of dtype `storage`.

        Values must not change, except that floats are rounded to narrower floats. Raises ValueError if a value cannot
        be represented, and TypeError if the elements are not numbers or this type is not numeric.
        """
        from .conversion import encode_values  # imports numpy

        return encode_values(array, self)


def _numpy_dtype(spelling: str) -> np.dtype[Any]:
    import numpy as np  # names and sizes do not need it

    return np.dtype(spelling)


def _row(number: DataType, field: str, stored: str, *, name: str = "", given: str = "", **more: Any) -> Dtype:
    return Dtype(number, name or number.name[3:].lower(), field, stored, given or stored, **more)


_ROWS = (
    _row(DataType.DT_FLOAT, "float_val", "<f4", name="float32", in_content=True),
    _row(DataType.DT_DOUBLE, "double_val", "<f8", name="float64", in_content=True),
    _row(DataType.DT_INT32, "int_val", "<i4", in_content=True),
    _row(DataType.DT_UINT8, "int_val", "|u1", in_content=True),
    _row(DataType.DT_INT16, "int_val", "<i2", in_content=True),
    _row(DataType.DT_INT8, "int_val", "|i1", in_content=True),
    _row(DataType.DT_STRING, "string_val", _OBJECT),
    _row(DataType.DT_COMPLEX64, "scomplex_val", "<c8"),
    _row(DataType.DT_INT64, "int64_val", "<i8", in_content=True),
    _row(DataType.DT_BOOL, "bool_val", "|b1"),
    _row(DataType.DT_QINT8, "int_val", "|i1", in_content=True),
    _row(DataType.DT_QUINT8, "int_val", "|u1", in_content=True),
    _row(DataType.DT_QINT32, "int_val", "<i4", in_content=True),
    # TensorFlow lists bfloat16 until 2.12 and puts it into `tensor_content` later; all versions read both.
    _row(DataType.DT_BFLOAT16, "half_val", "<u2", given="<f4", in_content=True, codec="float"),
    _row(DataType.DT_QINT16, "int_val", "<i2", in_content=True),
    _row(DataType.DT_QUINT16, "int_val", "<u2", in_content=True),
    _row(DataType.DT_UINT16, "int_val", "<u2"),  # not in_content, unlike other integers: TensorFlow's writers omit it
    _row(DataType.DT_COMPLEX128, "dcomplex_val", "<c16"),
    _row(DataType.DT_HALF, "half_val", "<f2", name="float16", in_content=True),
    _row(DataType.DT_RESOURCE, "resource_handle_val", _OBJECT, codec="message"),
    _row(DataType.DT_VARIANT, "variant_val", _OBJECT, codec="message"),
    _row(DataType.DT_UINT32, "uint32_val", "<u4", in_content=True),
    _row(DataType.DT_UINT64, "uint64_val", "<u8", in_content=True),
    _row(DataType.DT_FLOAT8_E5M2, "float8_val", "|u1", given="<f4", in_content=True, codec="float"),
    _row(DataType.DT_FLOAT8_E4M3FN, "float8_val", "|u1", given="<f4", in_content=True, codec="float"),
    _row(DataType.DT_FLOAT8_E4M3FNUZ, "float8_val", "|u1", given="<f4", in_content=True, codec="float"),
    _row(DataType.DT_FLOAT8_E4M3B11FNUZ, "float8_val", "|u1", given="<f4", in_content=True, codec="float"),
    _row(DataType.DT_FLOAT8_E5M2FNUZ, "float8_val", "|u1", given="<f4", in_content=True, codec="float"),
    _row(DataType.DT_INT4, "int_val", "|u1", given="|i1", codec="int", bits=4),
    _row(DataType.DT_UINT4, "int_val", "|u1", codec="int", bits=4),
    _row(DataType.DT_INT2, "int_val", "|u1", given="|i1", codec="int", bits=2),
    _row(DataType.DT_UINT2, "int_val", "|u1", codec="int", bits=2),
    # Released versions of TensorFlow do not have this type, so its field could not be compared. No other field fits.
    _row(DataType.DT_FLOAT4_E2M1FN, "float8_val", "|u1", given="<f4", codec="float", bits=4),
)

DTYPES: dict[int, Dtype] = {int(row.number): row for row in _ROWS}
"""The rows by the numbers of their types, without reference types. `dtype_of` also accepts reference types."""

_NAMED = {row.name: row for row in _ROWS}


def dtype_of(number: int) -> Dtype:
    """Return the row of a DataType or of the target of a reference type. Raises TensorError for an unknown type."""
    row = DTYPES.get(number) or DTYPES.get(number - _REF)
    if row is None:
        raise TensorError("the type is not set" if number == 0 else f"there is no type of number {int(number)}")
    return row


def dtype_named(name: str) -> Dtype | None:
    """Return the row with this `name`, or None."""
    return _NAMED.get(name)


def dtype_name(number: int) -> str:
    """Return the name of a DataType in TensorFlow's Python: `float32`, `string_ref`; `dtype(99)` if it is unknown."""
    if number == 0:
        return "invalid"
    row = DTYPES.get(number)
    if row is not None:
        return row.name
    row = DTYPES.get(number - _REF)
    return f"{row.name}_ref" if row else f"dtype({int(number)})"


def natural_dtype(numpy: np.dtype[Any]) -> Dtype | None:
    """Return the row that matches a dtype of NumPy or ml_dtypes; None for others, such as strings and objects."""
    row = _NAMED.get(numpy.name)
    if row is None or row.is_object or row.itemsize != numpy.itemsize:
        return None
    return row
