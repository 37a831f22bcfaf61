"""Random graphs with loops, conditionals and calls: what is converted computes the same, and what is not is refused.

python -m tests.tfmodel.export.onnx.test_random_graphs 3000
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.support.strategies_graphs import Model, models
from tfmodel.errors import Error
from tfmodel.export.onnx.conversion.report import OnnxExportError
from tfmodel.export.onnx.export import convert
from tfmodel.export.onnx.writer import model_proto
from tfmodel.interpreter import Session
from tfmodel.transforms.framework.pipeline import transform

onnxruntime = pytest.importorskip("onnxruntime")
onnxruntime.set_default_logger_severity(4)


def outcome(model: Model, output: str) -> str:
    """Return "equal", "dead" for an output that a run does not compute, "refused", or what is wrong."""
    feeds = {"x": np.array(model.feeds["x"], np.float32), "p": np.array(model.feeds["p"])}
    try:
        expected = Session(model.graph, log=lambda text: None).run(feeds, output, max_steps=2000)[output]
    except Error:
        return "dead"
    used = transform(model.graph, ["x", "p"], [output], ["strip_unused_nodes", "sort_by_execution_order"])
    try:
        exported = convert(used, ["x", "p"], [output])
    except OnnxExportError as error:
        return f"refused: {error.refused[0].op}: {error.refused[0].reason}" if error.refused else f"refused: {error}"
    session = onnxruntime.InferenceSession(model_proto(exported.graph, exported.opset, {}).to_bytes())
    given = {each.name: feeds[each.name] for each in session.get_inputs()}
    actual = session.run(None, given)[0]
    same = actual.shape == np.shape(expected) and np.allclose(actual, expected, 1e-4, 1e-5, equal_nan=True)
    return "equal" if same else f"{actual}, not {expected}"


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(models())
def test_random_graphs_compute_the_same_or_are_refused(model: Model) -> None:
    for output in model.outputs:
        result = outcome(model, output)
        assert result in ("equal", "dead") or result.startswith("refused: "), result


def main(count: int) -> None:
    """Convert this many graphs, and print how many outputs are equal, dead and refused, and why."""
    found: Counter[str] = Counter()

    @settings(deadline=None, max_examples=count, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(models())
    def run(model: Model) -> None:
        found["graphs"] += 1
        for output in model.outputs:
            result = outcome(model, output)
            found[result] += 1

    run()
    for result, number in found.most_common():
        print(f"{number:7,}  {result}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
