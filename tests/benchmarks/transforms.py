"""Transforms, beside the C++ tool where TFMODEL_TENSORFLOW_PYTHON names a Python that has it.

Both are given the bytes of a graph and give those of another, ours as a list of buffers. The graphs are the one of
conv_train.meta, if the corpus is at hand, a frozen InceptionV3 of 95 MB, which TensorFlow makes, and 300 convolutions
whose batch norms are written out, 21 MB and some 4,800 nodes.

`python -m tests.benchmarks.transforms NAME FOLDER` is one contender in a process of its own: it prints a JSON object
with the best time of each task, in seconds.
"""

from __future__ import annotations

import gc
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

__all__ = ["transforms"]

ROUNDS = 2
RUNS = 4
ROOT = Path(__file__).parents[2]

STRUCTURAL = {
    "rename_op": "rename_op(old_op_name=Mul, new_op_name=Multiply)",
    "obfuscate_names": "obfuscate_names",
    "sort_by_execution_order": "sort_by_execution_order",
    "strip_unused_nodes": "strip_unused_nodes",
    "merge_duplicate_nodes": "merge_duplicate_nodes",
    "remove_nodes": "remove_nodes(op=Identity)",
}
DEPLOY = (
    "strip_unused_nodes remove_nodes(op=Identity, op=CheckNumerics) fold_constants(ignore_errors=true) "
    "fold_batch_norms fold_old_batch_norms"
)
NUMERIC = {"deploy": DEPLOY, "quantize_weights": "quantize_weights", "round_weights": "round_weights(num_steps=256)"}

# Inputs and outputs of each graph, and what is done to it.
GRAPHS = {
    "conv_train": ("", "", {name: steps for name, steps in STRUCTURAL.items() if name != "strip_unused_nodes"}),
    "inception": ("x", "Identity", STRUCTURAL | NUMERIC),
    "convolutions": ("x", "output", {"deploy": DEPLOY}),
}


def tasks(name: str, folder: Path) -> dict[str, Callable[[], object]]:
    """The steps of a contender, by graph and transform."""
    run = ours if name == "ours" else theirs()
    steps_by_title: dict[str, Callable[[], object]] = {}
    for graph, (inputs, outputs, lists) in GRAPHS.items():
        file = folder / f"{graph}.pb"
        if file.exists():
            data = file.read_bytes()
            for title, steps in lists.items():
                steps_by_title[f"{graph} {title}"] = partial(run, data, inputs, outputs, steps)
    return steps_by_title


def ours(data: bytes, inputs: str, outputs: str, steps: str) -> object:
    from tfmodel.messages import GraphDef
    from tfmodel.transforms.framework.pipeline import transform

    return transform(GraphDef.from_bytes(data, lazy=True), inputs, outputs, steps).to_buffers()


def theirs() -> Callable[[bytes, str, str, str], bytes]:
    from tensorflow.python.util import _pywrap_transform_graph as tool

    def run(data: bytes, inputs: str, outputs: str, steps: str) -> bytes:
        return tool.TransformGraphWithStringInputs(data, inputs.encode(), outputs.encode(), steps.encode())

    return run


def best(task: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        gc.collect()
        start = time.perf_counter()
        result = task()
        times.append(time.perf_counter() - start)
        del result
    return min(times)


def make_inception(folder: Path) -> None:
    """Needs TensorFlow."""
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    model = tf.keras.applications.InceptionV3(weights=None)
    function = tf.function(lambda x: model(x)).get_concrete_function(tf.TensorSpec([1, 299, 299, 3], tf.float32))
    frozen = convert_variables_to_constants_v2(function).graph.as_graph_def()
    (folder / "inception.pb").write_bytes(frozen.SerializeToString())


def make_convolutions(folder: Path, *, layers: int = 300, channels: int = 44) -> None:
    """Convolutions with batch norms of single ops and reads of variables, as TF1 had them when it was frozen."""
    import numpy as np

    from tfmodel import save
    from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef
    from tfmodel.transforms.framework.node_edits import const_node

    draw = np.random.default_rng(0).random
    kind = {"T": AttrValue(type=DataType.DT_FLOAT)}
    strings = [AttrValue(list=AttrValue.ListValue(i=[1, 1, 1, 1])), AttrValue(s=b"SAME")]
    nodes = [NodeDef(name="x", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_FLOAT)})]

    def add(name: str, op: str, *inputs: str, **attributes: AttrValue) -> str:
        nodes.append(NodeDef(name=name, op=op, input=list(inputs), attr=kind | attributes))
        return name

    def variable(name: str, *shape: int) -> str:
        nodes.append(const_node(name, draw(shape, np.float32) + np.float32(0.5), DataType.DT_FLOAT))
        return add(f"{name}/read", "Identity", name)

    last = "x"
    for number in range(layers):
        at = f"layer_{number}"
        weights = variable(f"{at}/weights", 3, 3, channels, channels)
        last = add(f"{at}/Conv2D", "Conv2D", last, weights, strides=strings[0], padding=strings[1])
        mean, variance, beta = (variable(f"{at}/{name}", channels) for name in ("mean", "variance", "beta"))
        nodes.append(const_node(f"{at}/epsilon", np.float32(1e-3), DataType.DT_FLOAT))
        scale = add(f"{at}/Rsqrt", "Rsqrt", add(f"{at}/add", "Add", variance, f"{at}/epsilon"))
        offset = add(f"{at}/sub", "Sub", beta, add(f"{at}/mul_2", "Mul", mean, scale))
        last = add(f"{at}/add_1", "Add", add(f"{at}/mul_1", "Mul", last, scale), offset)
        last = add(f"{at}/Relu", "Relu", last)
    add("output", "Identity", last)
    save(GraphDef(node=nodes), folder / "convolutions.pb")


def peak(folder: Path, steps: str) -> float:
    """Return the additional peak memory of reading, transforming and writing the large graph, in sizes of its file.

    The memory for a graph of four nodes is subtracted.
    """
    from tfmodel import load, save
    from tfmodel.messages import GraphDef
    from tfmodel.transforms.framework.pipeline import transform

    small = load(ROOT / "tests" / "data" / "linear.pb", GraphDef, lazy=True)
    save(transform(small, "x", "y", steps), folder / "changed.pb")
    file = folder / "inception.pb"
    before = most_memory()
    graph = load(file, GraphDef, lazy=True)
    save(transform(graph, "x", "Identity", steps), folder / "changed.pb")
    return (most_memory() - before) / file.stat().st_size


def peak_of_tool(folder: Path, steps: str) -> float:
    """The same for the C++ tool."""
    run = theirs()
    run((ROOT / "tests" / "data" / "linear.pb").read_bytes(), "x", "y", steps)
    before = most_memory()
    data = (folder / "inception.pb").read_bytes()
    (folder / "changed.pb").write_bytes(run(data, "x", "Identity", steps))
    return (most_memory() - before) / len(data)


def most_memory() -> int:
    """Return the peak memory of this process; on Linux, `getrusage` includes the parent's peak."""
    status = Path("/proc/self/status")
    match = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return (int(match[1]) if match else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * 1024


def growth(steps: str) -> float:
    """Return the exponent of growth from 10,000 to 100,000 nodes: 1 is linear."""
    from tests.tfmodel.graph.speed import wired

    times = []
    for count in (10_000, 100_000):
        graph = wired(count, shuffled=False)
        arguments = graph.to_bytes(), "", graph.node[-1].name, steps
        times.append(best(partial(ours, *arguments)))
    return math.log10(times[1] / times[0])


def child(name: str, folder: str, *more: str, python: str = sys.executable) -> str:
    done = subprocess.run(
        [python, "-m", "tests.benchmarks.transforms", name, folder, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # drop the tool's log
        check=True,
        cwd=ROOT,
        env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    return done.stdout.decode()


def transforms() -> None:
    """Run both contenders by turns; the best time of each task counts."""
    contenders = {"ours": sys.executable}
    if "TFMODEL_TENSORFLOW_PYTHON" in os.environ:
        contenders["TensorFlow"] = os.environ["TFMODEL_TENSORFLOW_PYTHON"]
    results: dict[str, dict[str, float]] = {name: {} for name in contenders}
    with tempfile.TemporaryDirectory() as folder:
        write_conv_train(Path(folder))
        make_convolutions(Path(folder))
        if len(contenders) > 1:
            child("make", folder, python=contenders["TensorFlow"])
        for _ in range(ROUNDS):
            for name, python in contenders.items():
                for task, value in json.loads(child(name, folder, python=python)).items():
                    results[name][task] = min(value, results[name].get(task, value))
        print(f"{'ms':36}" + "".join(f"{cell:>12}" for cell in [*contenders, *["ratio"] * (len(contenders) - 1)]))
        for task, time_of_ours in results["ours"].items():
            times = [results[name][task] for name in contenders]
            ratios = [f"{value / time_of_ours:.2f}" for value in times[1:]]
            print(f"{task:36}" + "".join(f"{cell:>12}" for cell in [*(f"{t * 1e3:.1f}" for t in times), *ratios]))
        if len(contenders) > 1:
            for title, steps in {"all structural ones": " ".join(STRUCTURAL.values()), **NUMERIC}.items():
                files = float(child("peak", folder, steps))
                tool = float(child("peak_of_tool", folder, steps, python=contenders["TensorFlow"]))
                print(f"inception, {title}, from file to file: peak memory {files:.2f} files, TensorFlow {tool:.2f}")
        else:
            print("TFMODEL_TENSORFLOW_PYTHON is not set: no TensorFlow beside it, and no InceptionV3")
    for title, steps in STRUCTURAL.items():
        print(f"{title:36}exponent from 10,000 to 100,000 nodes: {growth(steps):.2f}")


def write_conv_train(folder: Path) -> None:
    from tests.support.corpus import corpus
    from tfmodel import load
    from tfmodel.messages import GraphDef

    if corpus is not None:
        graph = load(corpus / "generated" / "conv_train.meta", GraphDef, lazy=True)
        (folder / "conv_train.pb").write_bytes(graph.to_bytes())


if __name__ == "__main__":
    contender, where, *steps = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]
    if contender == "make":
        make_inception(where)
    elif contender.startswith("peak"):
        print({"peak": peak, "peak_of_tool": peak_of_tool}[contender](where, *steps))
    else:
        print(json.dumps({name: best(task) for name, task in tasks(contender, where).items()}))
