"""The tolerance for rounding differences depends on the dtypes of the computation."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph as functional
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.compare.verify.differences import compare, default_rtol
from tfmodel.interpreter.session import Session
from tfmodel.kernels.data_flow.variants import TensorList
from tfmodel.messages import DataType

FLOAT, HALF, BFLOAT16 = 1e-4, 4 * 2**-10, 4 * 2**-7


@pytest.mark.parametrize(
    ("nodes", "rtol"),
    [
        ("y = Relu(x)[T=float]", FLOAT),
        ("y = Relu(x)[T=double]", FLOAT),
        ("y = Relu(x)[T=half]", HALF),
        ("y = Relu(x)[T=bfloat16]", BFLOAT16),
        ("h = Cast(x)[SrcT=float, DstT=half]\ny = Cast(h)[SrcT=half, DstT=float]", HALF),
        ("h = Relu(x)[T=half]\nb = Relu(h)[T=bfloat16]\ny = Relu(b)[T=float]", BFLOAT16),
        ("w = Const[dtype=half, value=half{1}]\nr = Identity(w)[T=half]\ny = Cast(r)[SrcT=half, DstT=float]", FLOAT),
        ("y = Relu(x)[T=float]\nloss = Relu(y)[T=half]", FLOAT),
        ("h = Relu(x)[T=half]\nx2 = Cast(h)[SrcT=half, DstT=float]\ny = Relu(x2)[T=float]", HALF),
        ("y = NobodyKnowsIt(x)", FLOAT),
    ],
)
def test_the_coarsest_numbers_on_the_way_count(nodes, rtol):
    session = Session(graph_of(f"x = Placeholder[dtype=float]\n{nodes}"))
    assert default_rtol(session, ["x"], ["y"]) == rtol


def test_nodes_before_the_feeds_do_not_count():
    session = Session(graph_of("x = Placeholder[dtype=half]\nh = Relu(x)[T=half]\nm = Relu(h)\ny = Relu(m)[T=float]"))
    assert (default_rtol(session, ["m"], ["y"]), default_rtol(session, ["x"], ["y"])) == (FLOAT, HALF)


@pytest.mark.parametrize(("called", "rtol"), [("f", HALF), ("g", FLOAT)])
def test_functions_that_are_called_count(called, rtol):
    session = Session(
        functional(f"""
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[f=@{called}, Tin=[float], Tout=[float]]
        f: (a: float) -> (r: float = back:y:0)
        f: h = Cast(a)[SrcT=float, DstT=half]
        f: back = Cast(h:y:0)[SrcT=half, DstT=float]
        g: (a: float) -> (r: float = n:y:0)
        g: n = Neg(a)[T=float]
    """)
    )
    assert default_rtol(session, ["x"], ["y"]) == rtol


@pytest.mark.parametrize(
    ("dtype", "one", "other", "absolute"),
    [
        (np.int64, 2**53, 2**53 + 1, 1),
        (np.uint64, 2**64 - 1, 2**64 - 2, 1),
        (np.int64, -(2**63), 2**63 - 1, 2**64 - 1),
        (np.int8, -128, 127, 255),
        (np.int32, -5, 3, 8),
    ],
)
def test_integers_are_compared_exactly(dtype, one, other, absolute):
    """A float64 has the same value for 2**53 and 2**53 + 1."""
    for pair in ((one, other), (other, one)):
        difference = compare("y", *(np.array([value, 0], dtype) for value in pair))
        assert (difference.within, difference.absolute) == (False, float(absolute))
    assert compare("y", np.array([one], dtype), np.array([one], dtype)).within


def test_values_that_are_not_tensors_have_names_of_tensorflow() -> None:
    handle, items = object(), TensorList(DataType.DT_FLOAT, None, [])
    assert compare("n", None, None).to_text() == "n: done: equal"
    assert compare("v", handle, handle).to_text() == "v: resource: equal"
    assert compare("t", items, items).to_text() == "t: variant: equal"
    assert compare("t", items, None).to_text() == "t: variant: the other one is done"
