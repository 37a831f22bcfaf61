"""Random chains of steps behind layers: folding keeps the outputs, and removes everything that can be folded."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.effort import scaled
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import run
from tfmodel.graph import check_graph
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

# Of each layer: the shapes of what goes in and of the weights, and the node. Each has three channels.
LAYERS = {
    "MatMul": ((3, 2), (2, 3), "MatMul(x, w)[T=float]"),
    "MatMul transposed": ((3, 2), (3, 2), "MatMul(x, w)[T=float, transpose_b=true]"),
    "Conv2D": ((1, 3, 3, 2), (1, 1, 2, 3), 'Conv2D(x, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]'),
    "depthwise": (
        (1, 3, 3, 1),
        (2, 2, 1, 3),
        'DepthwiseConv2dNative(x, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]',
    ),
}
BOTH = "fold_batch_norms fold_old_batch_norms"
STEPS = [
    "Mul(before, k)",
    "Mul(k, before)",
    "RealDiv(before, k)",
    "RealDiv(k, before)",
    "Add(before, k)",
    "AddV2(k, before)",
    "Sub(before, k)",
    "Sub(k, before)",
    "BiasAdd(before, k)",
    "Identity(before)",
    "Relu(before)",
    "norm",
]
SHAPES: list[tuple[int, ...]] = [(), (1,), (3,), (1, 3), (3, 1), (3, 3)]
ROLES = ("gamma", "beta", "mean", "variance")


class Step(NamedTuple):
    """A step: its node, the shape of its constant, and whether its input is used elsewhere."""

    node: str
    shape: tuple[int, ...]
    is_used: bool


steps = st.builds(Step, st.sampled_from(STEPS), st.sampled_from(SHAPES), st.sampled_from([False] * 7 + [True]))


def constant(name: str, shape: tuple[int, ...]) -> str:
    """Numbers other than zero."""
    numbers = ", ".join(str((7 * place + len(name)) % 5 / 2 - 1.25) for place in range(math.prod(shape)))
    return f"{name} = Const[dtype=float, value=float{{{numbers}}}({', '.join(map(str, shape))})]"


def written(layer: str, chain: list[Step]) -> tuple[str, list[str]]:
    """Return the graph and its outputs: the last node, and the other users of nodes between."""
    x, weights, node = LAYERS[layer]
    lines = [f"x = Placeholder[dtype=float, shape={x}]", constant("w", weights), f"s = {node}"]
    before, outputs = "s", []
    for number, step in enumerate(chain):
        name = f"s{number}"
        if step.node == "norm" and "MatMul" in layer:
            continue
        if step.node == "norm":
            lines += [f"{name}{role} = Const[dtype=float, value=float{{0.5, 2, 1}}]" for role in ROLES]
            inputs = ", ".join([before, *(f"{name}{role}" for role in ROLES)])
            lines.append(f"{name} = FusedBatchNormV3({inputs})[T=float, U=float, is_training=false]")
        else:
            lines.append(constant(f"{name}_k", (3,) if "BiasAdd" in step.node else step.shape))
            lines.append(f"{name} = {step.node.replace('before', before).replace('k', f'{name}_k')}[T=float]")
        before = name
        if step.is_used:
            lines.append(f"{name}_used = Neg({name})[T=float]")
            outputs.append(f"{name}_used")
    return "\n".join(lines), [*outputs, before]


@settings(max_examples=scaled(150))
@given(st.sampled_from(sorted(LAYERS)), st.lists(steps, min_size=1, max_size=5))
def test_folding_keeps_the_outputs(layer: str, chain: list[Step]) -> None:
    text, outputs = written(layer, chain)
    before = graph(text)
    after = transform(before, "x", outputs, BOTH)
    assert not check_graph(after)
    feeds = {"x": np.random.default_rng(1).uniform(-1, 1, LAYERS[layer][0]).astype(np.float32)}
    expected, actual = run(before, feeds, outputs), run(after, feeds, outputs)
    for name in outputs:
        finite = np.abs(expected[name][np.isfinite(expected[name])])
        np.testing.assert_allclose(actual[name], expected[name], rtol=1e-4, atol=1e-4 * finite.max(initial=1))
    report = TransformReport()
    transform(after, "x", outputs, f"{BOTH} {BOTH}", report=report)
    assert [step.fired for step in report.steps[1:]] == [0, 0, 0]  # a Mul behind a batch norm is one behind a BiasAdd


@settings(max_examples=scaled(150))
@given(st.sampled_from(sorted(LAYERS)), st.lists(steps, min_size=1, max_size=5), st.data())
def test_declared_inputs_may_be_fed_and_stay(layer: str, chain: list[Step], data: st.DataObject) -> None:
    text, outputs = written(layer, chain)
    before = graph(text)
    names = [node.name for node in before.node if node.name not in outputs]
    fed = data.draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    feeds = {"x": np.random.default_rng(1).uniform(-1, 1, LAYERS[layer][0]).astype(np.float32)}
    after = transform(before, ["x", *fed], outputs, BOTH)
    assert not check_graph(after)
    feeds |= {name: value + np.float32(0.75) for name, value in run(before, feeds, ["x", *fed]).items()}
    expected, actual = run(before, feeds, outputs), run(after, feeds, outputs)
    for name in outputs:
        finite = np.abs(expected[name][np.isfinite(expected[name])])
        np.testing.assert_allclose(actual[name], expected[name], rtol=1e-4, atol=1e-4 * finite.max(initial=1))


# --- several layers --------------------------------------------------------------------------------------------------

# Of each layer with three channels in and out: the shape of the weights.
STACKED = {"MatMul": (3, 3), "MatMul transposed": (3, 3), "Conv2D": (1, 1, 3, 3), "depthwise": (2, 2, 3, 1)}
BETWEEN = [["norm"], ["Mul(before, k)"], ["BiasAdd(before, k)", "norm"], ["Relu(before)"], []]


def stacked(layer: str, between: Iterable[list[str]]) -> str:
    """Layers that feed each other, each with some steps behind it; the last node is called y."""
    shape, _, node = LAYERS[layer]
    lines, before = [f"x = Placeholder[dtype=float, shape={(*shape[:-1], 3)}]"], "x"
    for number, chain in enumerate(between):
        weights = f"w{number}"
        lines.append(constant(weights, STACKED[layer]))
        lines.append(f"c{number} = {node.replace('(x, w)', f'({before}, {weights})')}")
        behind, _ = written(layer, [Step(name, (3,), False) for name in chain])
        renamed = re.sub(r"\bs(\d?)", rf"c{number}s\1", behind).splitlines()[3:]
        lines += [re.sub(rf"\bc{number}s\b", f"c{number}", line) for line in renamed]
        before = lines[-1].partition(" ")[0]
    return "\n".join([*lines, f"y = Neg({before})[T=float]"])


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize("step", ["fold_batch_norms", "fold_old_batch_norms", BOTH])
@pytest.mark.parametrize("layer", sorted(LAYERS))
def test_nothing_unused_is_left_where_a_folded_layer_feeds_another_one(layer: str, step: str) -> None:
    fired = 0
    for between in itertools.product(BETWEEN, repeat=2):
        before = transform(graph(stacked(layer, between)), "x", "y", "strip_unused_nodes")
        report = TransformReport()
        after = transform(before, "x", "y", step, report=report)
        assert len(transform(after, "x", "y", "strip_unused_nodes").node) == len(after.node), between
        feeds = {"x": np.random.default_rng(1).uniform(-1, 1, (*LAYERS[layer][0][:-1], 3)).astype(np.float32)}
        np.testing.assert_allclose(run(after, feeds, "y")["y"], run(before, feeds, "y")["y"], rtol=1e-4, atol=1e-4)
        fired += sum(step_report.fired >= 2 for step_report in report.steps)
    assert fired or ("MatMul" in layer and step == "fold_old_batch_norms")  # which knows no norms behind them
