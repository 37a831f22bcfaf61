"""Const nodes with their elements in `tensor_content`."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from pbwire.lazy.messages import Content
from tfmodel.errors import TensorError
from tfmodel.graph import attr
from tfmodel.messages import DataType, TensorProto
from tfmodel.transforms.framework.node_edits import const_node, content_tensor, deferred_tensor, owned_tensor
from tfmodel.values.tensors import to_ndarray


@pytest.mark.parametrize(
    ("values", "dtype", "content", "shape"),
    [
        (0.5, DataType.DT_FLOAT, b"\x00\x00\x00\x3f", []),
        (-2, DataType.DT_INT32, b"\xfe\xff\xff\xff", []),
        (2**63, DataType.DT_UINT64, b"\x00" * 7 + b"\x80", []),
        (200, DataType.DT_QUINT8, b"\xc8", []),
        (True, DataType.DT_BOOL, b"\x01", []),
        (1.0, DataType.DT_BFLOAT16, b"\x80\x3f", []),
        (1, DataType.DT_FLOAT, b"\x00\x00\x80\x3f", []),
        ([[1, 2], [3, 4]], DataType.DT_INT32, bytes([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]), [2, 2]),
        (np.arange(3, dtype=">i2"), DataType.DT_INT16, b"\0\0\1\0\2\0", [3]),
        (np.zeros((0, 2), np.float32), DataType.DT_FLOAT, b"", [0, 2]),
        ("ab", DataType.DT_STRING, b"\2ab", []),
        ([b"a", b"x" * 200], DataType.DT_STRING, b"\x01\xc8\x01a" + b"x" * 200, [2]),
    ],
)
def test_elements_stand_in_tensor_content(values: Any, dtype: DataType, content: bytes, shape: list[int]) -> None:
    tensor = content_tensor(values, dtype)
    assert (tensor.dtype, tensor.tensor_content) == (dtype, content)
    assert tensor.tensor_shape is not None
    assert [dim.size for dim in tensor.tensor_shape.dim] == shape
    assert to_ndarray(tensor).shape == tuple(shape)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [(300, DataType.DT_UINT8), (0.5, DataType.DT_INT32), (1e300, DataType.DT_FLOAT), ([1, b"a"], DataType.DT_STRING)],
)
def test_values_that_a_type_cannot_hold_are_refused(values: Any, dtype: DataType) -> None:
    with pytest.raises(TensorError):
        content_tensor(values, dtype)


@pytest.mark.parametrize("shape", [(40_000,), (200, 100, 2), (1, 40_000, 1)])
def test_the_elements_may_be_computed_later(shape: tuple[int, ...]) -> None:
    array = np.arange(40_000, dtype="<f4").reshape(shape)
    content = Content(array.nbytes, lambda start, stop: memoryview(array.tobytes())[start:stop])
    tensor = deferred_tensor(shape, DataType.DT_FLOAT, content)
    assert tensor.to_bytes() == owned_tensor(array, DataType.DT_FLOAT).to_bytes()
    assert (to_ndarray(tensor) == array).all()
    assert tensor == content_tensor(array, DataType.DT_FLOAT)


def test_a_node_has_its_control_inputs_and_device() -> None:
    node = const_node("c", 7, DataType.DT_INT64, control_inputs=["^merge"], device="/cpu:0")
    assert (node.name, node.op, node.input, node.device) == ("c", "Const", ["^merge"], "/cpu:0")
    assert attr(node, "dtype", DataType) is DataType.DT_INT64
    assert to_ndarray(attr(node, "value", TensorProto)) == 7


def test_a_number_needs_no_numpy() -> None:
    code = (
        "import sys; from tfmodel.messages import DataType; from tfmodel.transforms.framework.node_edits import *; "
        "const_node('c', 1.5, DataType.DT_FLOAT); print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
