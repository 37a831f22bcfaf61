"""Models whose weights were stripped, and models whose biases alone are zero."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.parameters.graphs import const, graph
from tfmodel.messages import DataType
from tfmodel.parameters.zero_weights import zero_weights

ZEROS = const("zeros", np.zeros(2000, np.float32))


def test_most_bytes_are_zero() -> None:
    zeros = zero_weights(graph(ZEROS, const("w", np.ones(300, np.float32))))
    assert zeros is not None
    assert str(zeros).startswith("1 of the 2 large constants are zero (8,000 of 9,200 bytes)")


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (DataType.DT_QUINT8, np.arange(1000) % 256),
        (DataType.DT_QINT8, np.arange(1000) % 100),
        (DataType.DT_UINT8, np.ones(1000)),
        (DataType.DT_INT8, np.ones(1000)),
    ],
)
def test_zero_biases_of_quantized_weights_are_not_stripped_weights(dtype: DataType, values: np.ndarray) -> None:
    given = {DataType.DT_QUINT8: np.uint8, DataType.DT_UINT8: np.uint8}.get(dtype, np.int8)
    assert zero_weights(graph(ZEROS, const("codes", values.astype(given), dtype))) is None
    assert zero_weights(graph(ZEROS, const("codes", np.zeros(1000, given), dtype))) is not None
