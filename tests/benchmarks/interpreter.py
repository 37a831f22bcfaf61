"""Whole models beside TensorFlow, whose Python TFMODEL_TENSORFLOW_PYTHON names: it builds them, and runs them too.

    python -m tests.benchmarks interpreter

MobileNetV2, ResNet50 and InceptionV3 for one image, after `optimize`: both contenders take turns, each time in a
process of its own with two threads, and the best run of each counts. Then where our time goes, by op; the peak memory
for eight images; and how long a whole process takes that runs a small model, ours on the command line and a script that
imports TensorFlow.

`python -m tests.benchmarks.interpreter NAME FOLDER BATCH RUNS` is one contender, "ours" or "TensorFlow": it prints the
best time in seconds, and the peak memory of the process in bytes.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["interpreter"]

ROUNDS = 3
RUNS = 8
THREADS = 2
MODELS = ["MobileNetV2", "ResNet50", "InceptionV3"]
SMALL = "mobile"
ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys, numpy, tensorflow as tf
graph = tf.compat.v1.GraphDef.FromString(open(sys.argv[1], "rb").read())
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    tf.import_graph_def(graph, name="")
    print(session.run(sys.argv[3], {sys.argv[2]: numpy.load(sys.argv[4])}))
"""


# --- contenders ------------------------------------------------------------------------------------------------------


def _given(folder: Path, batch: int) -> tuple[dict[str, Any], list[str]]:
    """Return feeds and fetches; the images of the model are repeated."""
    import numpy as np

    from tests.golden.freezing.answers import runs_of

    run = runs_of(folder / "values.npz")[0]
    return {name: np.resize(value, (batch, *value.shape[1:])) for name, value in run.feeds.items()}, list(run.fetches)


def _ours(folder: Path, batch: int) -> Callable[[], Any]:
    from tfmodel.interpreter import Session

    session, (feeds, fetches) = Session(folder / "graph.pb"), _given(folder, batch)
    return lambda: session.run(feeds, fetches)


def _theirs(folder: Path, batch: int) -> Callable[[], Any]:
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        content = (folder / "graph.pb").read_bytes()
        tf.import_graph_def(tf.compat.v1.GraphDef.FromString(content), name="")
    config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=THREADS, intra_op_parallelism_threads=THREADS)
    session, (feeds, fetches) = tf.compat.v1.Session(graph=graph, config=config), _given(folder, batch)
    return lambda: session.run(fetches, feeds)


def _measured(name: str, folder: Path, batch: int, runs: int) -> dict[str, float]:
    task = (_ours if name == "ours" else _theirs)(folder, batch)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return {"time": min(times), "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


# --- taking turns ----------------------------------------------------------------------------------------------------


def _python(name: str, *arguments: object) -> str:
    """Return the output of a contender's process."""
    python = sys.executable if name == "ours" else os.environ["TFMODEL_TENSORFLOW_PYTHON"]
    threads = {variable: str(THREADS) for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"} | threads
    command = [python, *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=ROOT, env=environment, text=True).stdout


def _turns(folder: Path, batch: int, rounds: int, runs: int) -> dict[str, dict[str, float]]:
    best: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        for name in ("ours", "TensorFlow"):
            times = json.loads(_python(name, "-m", "tests.benchmarks.interpreter", name, folder, batch, runs))
            best[name] = {key: min(value, best.get(name, times)[key]) for key, value in times.items()}
    return best


def _line(what: str, ours: float, theirs: float, unit: str) -> None:
    print(f"{what:<32}{ours:9.1f} {unit} ours  {theirs:9.1f} {unit} TensorFlow   {ours / theirs:.2f} times its")


def _profile(folder: Path) -> str:
    from tfmodel.interpreter import Session
    from tfmodel.interpreter.profiling import Trace

    session, (feeds, fetches) = Session(folder / "graph.pb"), _given(folder, 1)
    session.run(feeds, fetches)
    trace = Trace()
    start = time.perf_counter()
    session.run(feeds, fetches, observer=trace)
    return trace.profile(time.perf_counter() - start).to_text()


def _whole_process(folder: Path) -> None:
    import numpy as np

    feeds, (fetch,) = _given(folder, 1)
    (feed, value), graph, array = *feeds.items(), folder / "graph.pb", folder / "input.npy"
    np.save(array, value)
    commands = {
        "ours": ["-m", "tfmodel", "run", graph, "--feed", f"{feed}={array}", "--fetch", fetch],
        "TensorFlow": ["-c", SCRIPT, graph, feed, fetch, array],
    }
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(ROUNDS):
        for name, arguments in commands.items():
            start = time.perf_counter()
            _python(name, *arguments)
            best[name] = min(best[name], time.perf_counter() - start)
    _line("a small model, whole process", best["ours"] * 1e3, best["TensorFlow"] * 1e3, "ms")


def interpreter() -> None:
    """Times, memory, and where our time goes."""
    if "TFMODEL_TENSORFLOW_PYTHON" not in os.environ:
        print("TFMODEL_TENSORFLOW_PYTHON is not set: nothing makes the models")
        return
    with tempfile.TemporaryDirectory() as temporary:
        _python("TensorFlow", "-m", "tests.benchmarks.interpreter", "make", temporary)
        folders = {name: Path(temporary) / name for name in (*MODELS, SMALL)}
        for name in MODELS:
            _optimize(folders[name])
            best = _turns(folders[name], 1, ROUNDS, RUNS)
            _line(f"{name}, one image", best["ours"]["time"] * 1e3, best["TensorFlow"]["time"] * 1e3, "ms")
        peaks = _turns(folders[MODELS[-1]], 8, 1, 1)
        _line(f"{MODELS[-1]}, 8 images, peak", peaks["ours"]["peak"] / 1e6, peaks["TensorFlow"]["peak"] / 1e6, "MB")
        _whole_process(folders[SMALL])
        for name in MODELS:
            print(f"\n{name}, one image, by op\n{_profile(folders[name])}")


def _make(folder: Path) -> None:
    from tests.golden.whole_models.keras import MODELS as LARGE
    from tests.golden.whole_models.small import MODELS as LITTLE

    for name in (*MODELS, SMALL):
        (folder / name).mkdir()
        (LARGE | LITTLE)[name](folder / name)


def _optimize(folder: Path) -> None:
    """Replace a graph by the optimized one, which both contenders run."""
    from tfmodel import optimize, save

    fetches = _given(folder, 1)[1]
    save(optimize(folder / "graph.pb", outputs=fetches, verify=False).graph, folder / "graph.pb")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        _make(Path(sys.argv[2]))
    else:
        print(json.dumps(_measured(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:]))))
