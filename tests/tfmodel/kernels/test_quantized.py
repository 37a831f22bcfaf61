"""Quantized layers: arguments for which TensorFlow returns meaningless numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import run
from tfmodel.errors import RunError

LAYER = """
    x = Placeholder[dtype=quint8]
    y = Placeholder[dtype=quint8]
    low = Const[dtype=float, value=float{-1}()]
    high = Const[dtype=float, value=float{1}()]
    z = %s(x, y, low, high, low, high)[T1=quint8, T2=quint8, Toutput=qint32]
"""


@pytest.mark.parametrize("op", ["QuantizedAdd", "QuantizedMul"])
@pytest.mark.parametrize(
    ("x", "y"), [((3, 4), (3, 1)), ((3, 1), (1, 4)), ((3, 1), (4,)), ((2, 3, 4), (2, 3, 1)), ((1, 3, 1), (4,))]
)
def test_broadcasting_along_the_last_dimensions_is_refused(op: str, x: tuple[int, ...], y: tuple[int, ...]) -> None:
    """TensorFlow gives numbers for it, which mean nothing: quantize_nodes leads to none of these."""
    for one, other in ((x, y), (y, x)):
        feeds = {"x": np.ones(one, np.uint8), "y": np.ones(other, np.uint8)}
        with pytest.raises(RunError, match="cannot be broadcast: only the first dimensions may differ"):
            run(graph(LAYER % op), feeds, ["z"])
