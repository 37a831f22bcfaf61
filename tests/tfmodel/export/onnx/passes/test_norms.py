"""Layer normalization in the forms that TensorFlow's libraries write it becomes one node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tfmodel.export.onnx.test_converters import FLOAT, INT32, const, fed, run
from tfmodel.messages import AttrValue, NodeDef

T = {"T": AttrValue(type=FLOAT)}
EPSILON = 1e-3


def node(op: str, name: str, *inputs: str) -> NodeDef:
    return NodeDef(name=name, op=op, input=[*inputs], attr=T)


def mean(name: str, x: str, axes: str) -> NodeDef:
    return NodeDef(
        name=name,
        op="Mean",
        input=[x, axes],
        attr={**T, "Tidx": AttrValue(type=INT32), "keep_dims": AttrValue(b=True)},
    )


def statistics(shape: list[int | None], axes: list[int]) -> list[NodeDef]:
    return [
        fed("x", FLOAT, shape),
        const("axes", np.int32(axes)),
        const("epsilon", np.float32(EPSILON)),
        mean("mean", "x", "axes"),
        node("SquaredDifference", "squares", "x", "mean"),
        mean("variance", "squares", "axes"),
        node("AddV2", "safe", "variance", "epsilon"),
    ]


FORMS: dict[str, list[NodeDef]] = {
    "tf.nn.batch_normalization": [
        node("Rsqrt", "inverse", "safe"),
        node("Mul", "factor", "inverse", "scale"),
        node("Mul", "scaled", "x", "factor"),
        node("Mul", "shift", "mean", "factor"),
        node("Sub", "rest", "offset", "shift"),
        node("AddV2", "y", "scaled", "rest"),
    ],
    "times the inverse deviation": [
        node("Rsqrt", "inverse", "safe"),
        node("Sub", "centred", "x", "mean"),
        node("Mul", "normal", "centred", "inverse"),
        node("Mul", "scaled", "normal", "scale"),
        node("AddV2", "y", "scaled", "offset"),
    ],
    "by the deviation": [
        node("Sqrt", "deviation", "safe"),
        node("Sub", "centred", "x", "mean"),
        node("RealDiv", "normal", "centred", "deviation"),
        node("Mul", "scaled", "scale", "normal"),
        node("AddV2", "y", "offset", "scaled"),
    ],
}


def normalized(x: Any, axes: tuple[int, ...]) -> Any:
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axes, keepdims=True) + EPSILON)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("shape", "axes"), [([None, 4], [-1]), ([None, None, 4], [2]), ([None, 3, 4], [1, 2])])
def test_each_form_is_one_node(form: str, shape: list[int | None], axes: list[int]) -> None:
    x = np.random.default_rng(0).normal(3, 2, [2 if size is None else size for size in shape]).astype(np.float32)
    first = min(axis % x.ndim for axis in axes)
    scale, offset = (np.random.default_rng(seed).normal(size=x.shape[first:]).astype(np.float32) for seed in (1, 2))
    nodes = [*statistics(shape, axes), const("scale", scale), const("offset", offset), *FORMS[form]]
    (y,), ops = run(nodes, {"x": x}, "y")
    np.testing.assert_allclose(y, normalized(x, tuple(axes)) * scale + offset, rtol=1e-4, atol=1e-5)
    assert ops == ["LayerNormalization"]


@pytest.mark.parametrize(
    ("shape", "axes", "scale"),
    [([None, 4, 3], [1], (3,)), ([None, 4], [-1], (1,)), ([None, 1], [-1], (4,))],
    ids=["not the last axes", "one scale for all", "a scale that broadcasts"],
)
def test_normalization_that_the_operator_lacks_stays(
    shape: list[int | None], axes: list[int], scale: tuple[int]
) -> None:
    x = np.random.default_rng(0).normal(size=[2 if size is None else size for size in shape]).astype(np.float32)
    parts = [const("scale", np.full(scale, 2, np.float32)), const("offset", np.full(scale, 1, np.float32))]
    nodes = [*statistics(shape, axes), *parts, *FORMS["tf.nn.batch_normalization"]]
    (y,), ops = run(nodes, {"x": x}, "y")
    np.testing.assert_allclose(y, normalized(x, tuple(axes)) * np.full(scale, 2) + 1, rtol=1e-4, atol=1e-5)
    assert "LayerNormalization" not in ops
