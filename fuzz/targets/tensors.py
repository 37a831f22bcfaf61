"""TensorProtos converted to arrays: inconsistent shapes, counts, types and contents, and one repeated element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from fuzz import reference
from fuzz.graph_edits import EXTREMES
from fuzz.target import Case, Files, Target
from pbwire import Message
from tests.support.strategies import messages
from tests.tfmodel.models import tensor
from tfmodel import from_ndarray, to_ndarray
from tfmodel.messages import DataType, TensorProto, TensorShapeProto
from tfmodel.values.dtypes import DTYPES, dtype_of
from tfmodel.values.tensor_header import read_header
from tfmodel.values.tensors import elements_of

MAX_FILLED = 1 << 20
MAX_COMPARED = 10_000  # elements
TYPES = tuple(DTYPES)


def seeds() -> Iterator[Files]:
    import numpy as np

    yield {"tensor": tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3).to_bytes()}
    for dtype, row in DTYPES.items():
        if row.codec != "message":
            kind = [b"a", b"", b"bc"] if row.is_object else np.zeros(3, row.numpy)
            yield {"tensor": from_ndarray(np.array(kind), dtype).to_bytes()}
    splat = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=_shape([2**20, 2**40]), float_val=[1.0])
    yield {"tensor": splat.to_bytes()}


def _shape(sizes: list[int]) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


@st.composite
def tensors(draw: st.DrawFn) -> Files:
    """Draw values for all fields, of which one belongs to the type, and a shape that may fit."""
    message = draw(messages(TensorProto, nan=True))
    message.dtype = DataType(draw(st.sampled_from(TYPES)))
    if draw(st.booleans()):
        field = DTYPES[message.dtype].field
        setattr(message, field, getattr(draw(messages(TensorProto)), field))
    sizes = draw(st.lists(st.one_of(st.integers(0, 4), st.sampled_from(EXTREMES)), max_size=5))
    if draw(st.booleans()):  # slightly more elements than values, which is valid
        sizes = draw(st.sampled_from([[5], [3, 3], [2, 2, 3], [40]]))
    if draw(st.integers(0, 20)) == 0:
        sizes *= 30
    message.tensor_shape = _shape(sizes)
    return {"tensor": message.to_bytes()}


def check(files: Files, case: Case) -> object:
    """Assert that an array has the listed elements, and survives a round trip, with eager and lazy messages."""
    data = files.get("tensor", b"")
    message = TensorProto.from_bytes(data)
    read_header(TensorProto.from_bytes(data, lazy=True))
    array = to_ndarray(message, max_fill=MAX_FILLED)
    if array.size <= MAX_COMPARED and (expected := reference.elements(message, array.size)) is not None:
        assert array.ravel().tolist() == expected if array.dtype == object else array.tobytes() == b"".join(expected)
    lazy = to_ndarray(TensorProto.from_bytes(data, lazy=True), max_fill=MAX_FILLED)
    assert array.shape == lazy.shape and array.dtype == lazy.dtype
    is_view = not any(array.strides)  # a view of one repeated element
    if array.nbytes <= MAX_FILLED or (is_view and dtype_of(message.dtype).codec != "message"):
        back = from_ndarray(array, message.dtype)
        again = to_ndarray(back, max_fill=MAX_FILLED)
        assert again.shape == array.shape and again.dtype == array.dtype
        if array.nbytes <= MAX_FILLED and array.dtype != object:
            assert again.tobytes() == array.tobytes() == lazy.tobytes()
        elif array.size <= 1000:
            expected = _comparable(array)
            assert _comparable(again) == expected == _comparable(lazy)
    return array


def _comparable(array: Any) -> list[Any]:
    """The elements of an array of objects: messages as bytes, since those with a NaN do not equal themselves."""
    elements = elements_of(array)
    return [element.to_bytes(deterministic=True) if isinstance(element, Message) else element for element in elements]


TARGETS = (Target("tensors", "tensors of all types, as arrays and back", seeds, tensors, check),)
