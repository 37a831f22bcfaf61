"""Element types as TensorFlow's Python has them: `float32.as_numpy_dtype`, `as_dtype("int32")`.

Types that NumPy lacks (bfloat16, float8) are those of ml_dtypes if it is installed; otherwise they have no NumPy type,
and `tensor_util` uses float32 for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...messages import DataType
from ...values.dtypes import DTYPES, dtype_name

__all__ = ["DType", "as_dtype"]

_REF = 100
_ALIASES = {"half": "float16", "double": "float64", "float": "float32", "half_ref": "float16_ref"} | {
    "double_ref": "float64_ref",
    "float_ref": "float32_ref",
}


class DType:
    """An element type, or a reference to one. There is one object for each type."""

    __slots__ = ("_number",)

    def __init__(self, type_enum: Any) -> None:
        self._number = int(type_enum)
        if self._number == 0 or (self._number not in DTYPES and self._number - _REF not in DTYPES):
            raise TypeError(f"{type_enum!r} is not a DataType")

    @property
    def name(self) -> str:
        """The name, such as "float32" or "float32_ref"."""
        return dtype_name(self._number)

    @property
    def as_datatype_enum(self) -> int:
        """The number in types.proto."""
        return self._number

    _type_enum = as_datatype_enum

    @property
    def _is_ref_dtype(self) -> bool:
        return self._number > _REF

    @property
    def _as_ref(self) -> DType:
        return self if self._is_ref_dtype else _of_number(self._number + _REF)

    @property
    def base_dtype(self) -> DType:
        """The type without reference."""
        return _of_number(self._number - _REF) if self._is_ref_dtype else self

    @property
    def real_dtype(self) -> DType:
        """The type of the parts of a complex number; else the type itself."""
        real = {DataType.DT_COMPLEX64: DataType.DT_FLOAT, DataType.DT_COMPLEX128: DataType.DT_DOUBLE}
        number = real.get(self.base_dtype._number)  # type: ignore[call-overload]  # an int
        return self if number is None else _of_number(number)

    @property
    def as_numpy_dtype(self) -> Any:
        """The type of NumPy: a class, or a dtype with one field for quantized types. Handles and variants have none."""
        return _numpy_type(self.base_dtype)

    @property
    def is_numpy_compatible(self) -> bool:
        return self.base_dtype.name not in ("resource", "variant")

    @property
    def is_bool(self) -> bool:
        return self.base_dtype.name == "bool"

    @property
    def is_complex(self) -> bool:
        return self.base_dtype.name in ("complex64", "complex128")

    @property
    def is_floating(self) -> bool:
        return "float" in self.base_dtype.name

    @property
    def is_quantized(self) -> bool:
        return self.base_dtype.name.startswith(("qint", "quint"))

    @property
    def is_integer(self) -> bool:
        return self.base_dtype.name.startswith(("int", "uint"))

    @property
    def is_unsigned(self) -> bool:
        return self.base_dtype.name.startswith("uint")

    @property
    def size(self) -> int:
        """Bytes of an element; 0 for types without a size."""
        return DTYPES[self.base_dtype._number].itemsize

    @property
    def min(self) -> Any:
        """The smallest value. Raises TypeError for types without an order."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The largest value. Raises TypeError for types without an order."""
        return self._limit("max")

    def _limit(self, which: str) -> Any:
        if self.is_integer:
            return getattr(np.iinfo(self.as_numpy_dtype), which)
        if not self.is_floating:
            raise TypeError(f"{self.name} has no {which}imum value")
        if self.base_dtype.name in ("float16", "float32", "float64"):
            return getattr(np.finfo(self.as_numpy_dtype), which)
        from ml_dtypes import finfo  # an optional dependency

        return getattr(finfo(self.as_numpy_dtype), which)  # type: ignore[no-untyped-call]  # has no types

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of an image of this type. Raises ValueError for types without one, KeyError for handles."""
        _numpy_type(self.base_dtype)
        if self.is_bool:
            return 0, True
        if self.is_integer:
            return 0, int(self.max)
        if self.base_dtype.name in ("float32", "float64"):
            return 0, 1
        raise ValueError(f"{self!r} does not have defined limits")

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether values of `other` can be used as this type: it is the same, or a reference to it."""
        other = as_dtype(other)
        return self._number in (other._number, other.base_dtype._number)

    def __eq__(self, other: object) -> bool:
        if other is None:
            return False
        if not isinstance(other, DType):
            try:
                other = as_dtype(other)
            except TypeError:
                return False
        return self._number == other._number

    def __hash__(self) -> int:
        return self._number

    def __int__(self) -> int:
        return self._number

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)


_TYPES: dict[int, DType] = {}
_NAMED: dict[str, DType] = {}


def _of_number(number: int) -> DType:
    made = _TYPES.get(number)
    if made is None:
        made = _TYPES[number] = DType(number)
    return made


def _numpy_type(dtype: DType) -> Any:
    row = DTYPES[dtype._number]
    if row.is_object:
        if row.codec:
            raise KeyError(dtype._number)  # as in TensorFlow
        return object
    if dtype.is_quantized:
        return np.dtype([(dtype.name, row.storage.type)])
    if row.codec:
        try:
            import ml_dtypes  # an optional dependency
        except ImportError:
            return np.float32 if row.codec == "float" else row.numpy.type
        return getattr(ml_dtypes, dtype.name)
    return row.storage.type


for _number in DTYPES:
    for _made in (_of_number(_number), _of_number(_number + _REF)):
        _NAMED[_made.name] = _made
for _alias, _name in _ALIASES.items():
    _NAMED[_alias] = _NAMED[_name]
__all__ += sorted(_NAMED)
QUANTIZED_DTYPES = frozenset(made for made in _TYPES.values() if made.is_quantized)
_PYTHON = {float: _NAMED["float32"], bool: _NAMED["bool"], object: _NAMED["string"]}


def as_dtype(type_value: Any) -> DType:
    """Return the DType of a DType, a number of types.proto, a name, or a type of NumPy or Python.

    Raises TypeError for any other value.
    """
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, np.dtype):
        return _of_numpy(type_value)
    if isinstance(type_value, int) and not isinstance(type_value, bool):
        if type_value and (type_value in DTYPES or type_value - _REF in DTYPES):
            return _of_number(int(type_value))
    elif isinstance(type_value, str) and type_value in _NAMED:
        return _NAMED[type_value]
    elif isinstance(type_value, type):
        if type_value in _PYTHON:
            return _PYTHON[type_value]
        if type_value not in (int, complex, str, bytes):
            return _of_numpy(_numpy_dtype(type_value))
    elif isinstance(getattr(type_value, "dtype", None), DType):
        return type_value.dtype  # type: ignore[no-any-return]  # a DType
    raise TypeError(f"Cannot convert {type_value!r} to a TensorFlow DType.")


def __getattr__(name: str) -> DType:
    """Return a type by its name: `dtypes.bool`. Variables with these names would hide Python's own types here."""
    if name not in _NAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _NAMED[name]


def _numpy_dtype(type_value: type) -> np.dtype[Any]:
    try:
        return np.dtype(type_value)
    except TypeError:
        raise TypeError(f"Cannot convert {type_value!r} to a TensorFlow DType.") from None


def _of_numpy(numpy: np.dtype[Any]) -> DType:
    if numpy.kind in "SUO":
        return _NAMED["string"]
    if numpy.names is not None and len(numpy.names) == 1 and numpy.names[0] in _NAMED:
        return _NAMED[numpy.names[0]]
    made = _NAMED.get(numpy.name)
    if made is None or numpy.kind == "M":
        raise TypeError(f"Cannot convert {numpy!r} to a TensorFlow DType.")
    return made
