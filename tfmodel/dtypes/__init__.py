"""The element types of tensors: a row per DataType with its field in a message, its stored and its NumPy dtype.

    dtype_of(DataType.DT_BFLOAT16)    # stored in two bytes, given to users as float32

    row      how one type looks in a message, in a checkpoint and in NumPy
    stored   an array of elements as they lie in `tensor_content` and in checkpoints, always little-endian
    given    the array that users get, which is the same where NumPy has the type:

        bfloat16, float8, float4   become float32, exactly; on the way in they are rounded to nearest even
        int4, uint4, int2, uint2   become int8 and uint8. They are stored in a byte each, in its lower bits: TensorFlow
                                   packs them nowhere
        quantized types            become the integers that they are made of
        strings, handles, objects  are object arrays, of bytes and of messages

A reference type (DT_FLOAT_REF) has the row of the type that it refers to. NumPy is imported when an array or a NumPy
dtype is asked for: names and sizes do without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import TensorError
from ..messages import DataType

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["DTYPES", "Dtype", "dtype_name", "dtype_named", "dtype_of", "natural_dtype"]

_REF = 100  # how far the number of a reference type is above that of its type
_OBJECT = "|O"


@dataclass(frozen=True, slots=True)
class Dtype:
    """One element type. `storage` and `numpy` are NumPy's dtypes of stored and of given arrays."""

    number: DataType
    name: str
    """As TensorFlow's Python and NumPy spell it."""
    field: str
    """The field of a TensorProto that holds elements one by one. Of complex types, both parts in turn."""
    stored: str
    """NumPy's spelling of `storage`; "|O" if elements have no fixed size."""
    given: str
    """NumPy's spelling of `numpy`."""
    in_content: bool = False
    """Whether TensorFlow's writers put two or more elements into `tensor_content`."""
    codec: str = ""
    """"float" or "int" where given arrays differ from stored ones; "message" where the elements are messages."""
    bits: int = 0
    """How many bits of an element mean something, where that is fewer than there are."""

    @property
    def kind(self) -> str:
        """What stored elements are, as one letter of NumPy's: f, c, i, u, b, or O for bytes and messages."""
        return self.stored[1]

    @property
    def itemsize(self) -> int:
        """Bytes of a stored element; 0 if they have no fixed size."""
        return int(self.stored[2:] or 0)

    @property
    def is_object(self) -> bool:
        """Whether elements are bytes or messages, not numbers."""
        return self.kind == "O"

    @property
    def storage(self) -> np.dtype[Any]:
        import numpy as np

        return np.dtype(self.stored)

    @property
    def numpy(self) -> np.dtype[Any]:
        import numpy as np

        return np.dtype(self.given)

    def decode(self, stored: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The array for users: `stored` itself, of either byte order, unless the type is one that NumPy lacks."""
        if self.codec not in ("float", "int"):
            return stored
        from .conversion import decoded

        return decoded(stored, self)

    def encode(self, array: npt.ArrayLike) -> npt.NDArray[Any]:
        """Numbers of any type as `storage`. No value may change, except that floats are rounded to narrower floats.

        Raises ValueError if a value has no counterpart, TypeError if the elements are no numbers or if this type has
        none.
        """
        from .conversion import encoded

        return encoded(array, self)


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
    _row(DataType.DT_UINT16, "int_val", "<u2"),  # unlike all others; TensorFlow forgot it
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
    # Too new for a TensorFlow to compare with. No other field fits.
    _row(DataType.DT_FLOAT4_E2M1FN, "float8_val", "|u1", given="<f4", codec="float", bits=4),
)

DTYPES: dict[int, Dtype] = {int(row.number): row for row in _ROWS}
"""The rows by their number, without reference types: `dtype_of` knows those too."""

_NAMED = {row.name: row for row in _ROWS}


def dtype_of(number: int) -> Dtype:
    """The row of a DataType; of a reference type, that of what it refers to. Raises TensorError if there is none."""
    row = DTYPES.get(number) or DTYPES.get(number - _REF)
    if row is None:
        raise TensorError("the type is not set" if number == 0 else f"there is no type of number {int(number)}")
    return row


def dtype_named(name: str) -> Dtype | None:
    """The row with this `name`, or None."""
    return _NAMED.get(name)


def dtype_name(number: int) -> str:
    """`float32`, `string_ref`: as TensorFlow's Python spells a DataType; `dtype(99)` if there is no such."""
    if number == 0:
        return "invalid"
    row = DTYPES.get(number)
    if row is not None:
        return row.name
    row = DTYPES.get(number - _REF)
    return f"{row.name}_ref" if row else f"dtype({int(number)})"


def natural_dtype(numpy: np.dtype[Any]) -> Dtype | None:
    """The row whose numbers NumPy, or ml_dtypes, calls the same; None if there is none, as for strings and objects."""
    row = _NAMED.get(numpy.name)
    if row is None or row.is_object or row.itemsize != numpy.itemsize:
        return None
    return row
