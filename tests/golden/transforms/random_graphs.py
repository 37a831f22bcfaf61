"""Check in TensorFlow that transforms preserve the values that random models compute.

    python -m tests.golden.transforms.random_graphs make FOLDER [COUNT]      # with hypothesis
    python -m tests.golden.transforms.random_graphs run FOLDER               # with TensorFlow 2.12

`make` draws models from tests.support.strategies_graphs and writes, for each, MODEL.pb, MODEL.json, and
MODEL.TRANSFORM.pb for each transform that changes it and preserves values according to its row in
tests/tfmodel/transforms/property_cases.py. `run` prints the number of graphs, and those with other values.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ..isolation import run_isolated

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

SECONDS = 60


def make(folder: Path, count: int) -> None:
    from hypothesis import HealthCheck, Phase, given, settings

    from tests.support.strategies_graphs import Model, models
    from tests.tfmodel.transforms.property_cases import ROWS
    from tfmodel.transforms.framework.pipeline import transform

    folder.mkdir(parents=True, exist_ok=True)
    drawn = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(models())
    def draw(model: Model) -> None:
        drawn.append(model)

    draw()
    for number, model in enumerate(drawn):
        base = folder / f"{number:04}"
        base.with_suffix(".pb").write_bytes(model.graph.to_bytes())
        for name, row in ROWS.items():
            graph = row.prepare(model.graph)
            result = transform(graph, model.inputs, model.outputs, row.call(name, folder))
            if row.keeps and result != graph:
                base.with_suffix(f".{name}.pb").write_bytes(result.to_bytes())
        facts = {"feeds": model.feeds, "outputs": model.outputs}
        base.with_suffix(".json").write_text(json.dumps(facts))
    print(f"{len(drawn):,} models, {len(list(folder.glob('*.*.pb'))):,} results")


def run(folder: Path) -> int:
    counts: Counter[str] = Counter()
    worst = 0
    for path in sorted(folder.glob("*.json")):
        said = run_isolated(lambda path=path: _verdicts(path), SECONDS)
        verdicts: dict[str, str] = {"all": "no answer"} if "signal" in said else said
        for name, verdict in verdicts.items():
            counts[f"{name}: {verdict.partition(':')[0]}"] += 1
            if verdict != "same":
                worst = 1
                print(f"{path.stem} {name}: {verdict}", flush=True)
    for what, count in sorted(counts.items()):
        print(f"{count:6,}  {what}")
    print(f"{sum(counts.values()):,} results")
    return worst


def _verdicts(path: Path) -> dict[str, str]:
    """Return TensorFlow's verdict on each result for a model."""
    import numpy as np

    model = json.loads(path.read_text())
    expected = _values(path.with_suffix(".pb").read_bytes(), model)
    verdicts = {}
    for other in sorted(path.parent.glob(f"{path.stem}.*.pb")):
        try:
            values = _values(other.read_bytes(), model)
        except Exception as error:  # any exception is an answer
            verdict = f"fails: {str(error)[:200]}"
        else:
            pairs = zip(values, expected, strict=True)
            same = all(np.allclose(ours, theirs, rtol=1e-5, atol=1e-6, equal_nan=True) for ours, theirs in pairs)
            verdict = "same" if same else f"other values: {values}, not {expected}"
        verdicts[other.suffixes[0][1:]] = verdict
    return verdicts


def _values(data: bytes, model: dict[str, Any]) -> list[Any]:
    import tensorflow as tf

    tf1 = tf.compat.v1
    definition = tf1.GraphDef.FromString(data)
    with tf1.Graph().as_default() as graph:
        tf1.import_graph_def(definition, name="")
    feeds = {f"{name}:0": value for name, value in model["feeds"].items()}
    fetches = [name if ":" in name else f"{name}:0" for name in model["outputs"]]
    with tf1.Session(graph=graph) as session:
        return list(session.run(fetches, feeds, tf1.RunOptions(timeout_in_ms=5_000)))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 300)
    else:
        import tensorflow  # noqa: F401  once, before all processes that need it

        sys.exit(run(Path(sys.argv[2])))
