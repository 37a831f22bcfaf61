"""Weights, layers and lookups: the C++ tool's results, ours, and what TensorFlow computes from both."""

from __future__ import annotations

import re
from operator import attrgetter
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pytest

from tests.golden.graph_digests import is_recorded
from tests.golden.quantizing.answers import Recorded, agrees, coded, made_of, recorded
from tests.support.case_tables import each_case
from tfmodel import run
from tfmodel.errors import Error
from tfmodel.messages import GraphDef

CLOSE = 0.06
"""The allowed distance of outputs from those of the model, relative to the largest: a few steps of 255."""

Kind = Literal["broken", "fine", "accepted", "lost", "same"]


class Quirk(NamedTuple):
    """A behaviour of the tool, a regular expression for its cases, and what its results are worth:

    `broken`: ours is closer to the model, or the tool's result cannot run. `fine`: both are close. `accepted`: the tool
    accepts what we refuse. `lost`: TensorFlow cannot run either of them, nor the model, on a CPU. `same`: both are
    equally far from the model.
    """

    name: str
    kind: Kind
    cases: str

    def holds(self, case: Recorded) -> bool:
        ours, tools = distance(case.ours), distance(case.tools)
        if self.kind == "accepted":
            return case.ours.startswith("refused")
        if self.kind == "lost":
            return case.ours.startswith("fails") and case.tools.startswith("fails")
        if self.kind == "same":
            return ours == tools < 1
        return ours < tools if self.kind == "broken" else max(ours, tools) <= CLOSE


def distance(verdict: str) -> float:
    """Return the distance of outputs from those of the model; infinity if there are none."""
    return float(verdict) if re.fullmatch(r"[0-9.]+", verdict) else float("inf")


QUIRKS = [
    Quirk("weights are rounded in steps of none, or backwards", "accepted", r"round_weights\(num_steps=(0|-3)"),
    Quirk("fewer than no elements are any number", "accepted", r"quantize_weights\(minimum_size=-1"),
    Quirk("the range of sums may be without zero", "accepted", r"fallback_min=1"),
    Quirk("a range may be of one number, or the wrong way round", "accepted", r"(fallback|input)_min=(0|2)"),
    Quirk("the range of negative weights ends at zero", "broken", r"^(negative|close|equal\w*): round"),
    Quirk("weights that are all equal are rounded", "broken", r"^(equal|equal_negative|one_for_all): round"),
    Quirk("zeros become NaN", "broken", r"^(zeros|minus_zeros|tiny|denormal): quantize"),
    Quirk("zeros become other numbers that are next to nothing", "fine", r"^(zeros|minus_zeros|tiny|denormal): round"),
    Quirk("the range of no weights ends next to zero", "fine", r"^none: quantize"),
    Quirk("NaN and infinity become numbers, or others NaN", "broken", r"^(not_a|infinite|minus_inf|huge|large)"),
    Quirk("one number for all becomes as many codes", "fine", r"^one_for_all: quantize"),
    Quirk("constants lose their control inputs", "fine", r"^(waiting|flow_branches): quantize"),
    Quirk("constants that are rounded lose them too", "same", r"^(waiting|flow_branches): round"),
    Quirk("constants leave their loop", "broken", r"^(flow|loops|conditionals|gradients|lstm)"),
    Quirk("nodes have to be with others that are gone", "broken", "^(convolutions|fused_batch_norm): quantize_nodes"),
    Quirk("which of equal nodes stays depends on a hash", "fine", "^queue: quantize_nodes"),
    Quirk("names are given twice", "broken", r"^taken"),
    Quirk("dilations and paddings are forgotten", "broken", r"^conv_(dilated|padded)|^pad_conv_kept"),
    Quirk("other layouts are forgotten", "lost", r"^conv_nchw"),
    Quirk("inputs are repeated along other dimensions", "broken", "^mul_column"),
    Quirk("inputs are repeated along dimensions that are not known", "broken", "^mul_channels"),
    Quirk("groups of channels are forgotten", "broken", "^conv_groups"),
    Quirk("strides that are not the same become layers that do not run", "broken", "^conv_oblong"),
    Quirk("what is not known may be what codes can do", "fine", "^(mul|conv)_unknown"),
    Quirk("what oneDNN refuses becomes codes", "fine", "^(pool_channels|relu_deep)"),
    Quirk("the range of negative sums ends below zero", "broken", "^negative"),
    Quirk("the axis is counted from the last", "broken", "^concat_last"),
    Quirk("attributes with their usual value are missed", "broken", r"_short: quantize|^matmul: \w+ quantize_nodes$"),
    Quirk("a layer that takes the same twice ends everything", "broken", "^(twice|fed_codes|attributes)"),
    Quirk("shapes are taken for int32", "broken", "^reshape_long"),
    Quirk("pixel centers are forgotten", "broken", "^resize_(centers|conv_kept|pad_conv)"),
    Quirk("control inputs are taken for floats", "broken", "^waits"),
    Quirk("inputs of integers become codes", "broken", r"^other_inputs: .*input_min"),
    Quirk("fake quantizations move over everything", "broken", "^fake_(sigmoid|cube)"),
    Quirk("8 bits are taken for 3", "broken", "^fake_coarse"),
    Quirk("ranges without zero move", "broken", "^fake_shifted"),
    Quirk("of two ranges that share a constant one is left", "fine", "^fake_shared"),
    Quirk("lookups lose their weights to others", "broken", r"^gather_(twice|one_axis|used)"),
    Quirk("other lookups end everything", "broken", r"^gather_(wide|vector|across)"),
    Quirk("ids are taken for int64", "broken", "^gather_short"),
    Quirk("NaN becomes zero", "broken", "^gather_nan"),
    Quirk("weights are read through one Identity", "fine", "^gather_(plain|far)"),
    Quirk("a node without a purpose is added", "fine", "^gather_nothing"),
    Quirk("control inputs of lookups are forgotten", "fine", "^gather_waits"),
    Quirk("what saves a variable breaks with it", "broken", "^variable"),
]

CASES = recorded()


def quirk_of(case: Recorded) -> Quirk | None:
    return next((quirk for quirk in QUIRKS if re.search(quirk.cases, str(case)) and quirk.holds(case)), None)


@pytest.mark.slow(reason="thousands of golden cases")
@each_case("case", {str(case): case for case in CASES}, attrgetter("model.name"))
def test_results_are_those_of_the_tool_or_better(case: Recorded, tmp_path: Path) -> None:
    ours = made_of(case.model, case.transforms, tmp_path)
    before = GraphDef.from_bytes(case.model.data)
    assert is_recorded(ours, before, case.result), "made anew by `python -m tests.golden.quantizing.answers`"
    assert agrees(case, ours) or quirk_of(case) is not None


def test_every_difference_occurs() -> None:
    names = {quirk.name for case in CASES if (quirk := quirk_of(case))}
    assert names == {quirk.name for quirk in QUIRKS}


@pytest.mark.slow(reason="computes hundreds of models on NumPy")
@each_case("case", {str(case): case for case in CASES if case.values is not None}, attrgetter("model.name"))
def test_the_interpreter_gives_what_tensorflow_gives(case: Recorded, tmp_path: Path) -> None:
    ours = made_of(case.model, case.transforms, tmp_path)
    assert not isinstance(ours, Error)
    types = {node.name: node.attr["dtype"].type for node in ours.node if node.op == "Placeholder"}
    feeds = {
        name: coded(value) if types[name] == 12 else value for name, value in case.model.feeds.items() if name in types
    }
    checkpoint = tmp_path / "model" if case.model.files else None
    actual = run(ours, feeds, ["y"], checkpoint=checkpoint)["y"]
    kind, (shape, numbers) = case.values[0]
    assert (actual.dtype.name, list(actual.shape)) == (kind, shape)
    np.testing.assert_allclose(actual.ravel().astype(float), numbers, rtol=1e-5, atol=1e-6)
