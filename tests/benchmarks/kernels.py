"""The layers of MobileNetV2 and InceptionV3 for one image, beside TensorFlow where TFMODEL_TENSORFLOW_PYTHON names one.

`python -m tests.benchmarks.kernels NAME` is one contender, "ours" or "TensorFlow", in a process of its own: it prints a
JSON object with the best time of each layer, in seconds. Both have two threads, and compute one op at a time: what
TensorFlow gains by fusing the ops of a whole graph does not show here. A layer that a model has several times counts
several times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["kernels"]

ROUNDS = 3
RUNS = 15
THREADS = 2
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Layer:
    """An op of a model: its inputs, and its number in the model."""

    model: str
    kind: str
    op: str
    shapes: tuple[tuple[int, ...], ...]
    attributes: dict[str, Any]
    count: int = 1

    def __str__(self) -> str:
        sizes = " ".join("x".join(map(str, shape)) for shape in self.shapes)
        step = self.attributes.get("strides", [1, 1])[1]
        return f"{self.op} {sizes}{f' /{step}' if step > 1 else ''}"


# --- the models ------------------------------------------------------------------------------------------------------


def conv(
    model: str,
    size: int,
    depth: int,
    kernel: tuple[int, int],
    out: int,
    step: int = 1,
    padding: str = "SAME",
    count: int = 1,
    then: tuple[str, ...] = (),
) -> Iterator[Layer]:
    """Return a convolution and the elementwise ops behind it."""
    kind = "convolutions, 1x1" if kernel == (1, 1) else "convolutions, larger"
    attributes = {"strides": [1, step, step, 1], "padding": padding}
    yield Layer(model, kind, "Conv2D", ((1, size, size, depth), (*kernel, depth, out)), attributes, count)
    output_size = -(-size // step) if padding == "SAME" else (size - kernel[0]) // step + 1
    yield from elementwise(model, output_size, out, count, then)


def elementwise(model: str, size: int, channels: int, count: int, ops: tuple[str, ...]) -> Iterator[Layer]:
    image = (1, size, size, channels)
    for op in ops:
        if op == "FusedBatchNorm":
            shapes, attributes = (image, *[(channels,)] * 4), {"is_training": False}
        else:
            shapes, attributes = ((image, (channels,)) if op == "BiasAdd" else (image,)), {}
        yield Layer(model, op, op, shapes, attributes, count)


def pool(model: str, op: str, size: int, channels: int, window: int, step: int, padding: str, count: int = 1) -> Layer:
    attributes = {"ksize": [1, window, window, 1], "strides": [1, step, step, 1], "padding": padding}
    return Layer(model, "pooling", op, ((1, size, size, channels),), attributes, count)


def mobilenet() -> Iterator[Layer]:
    name, norm = "MobileNetV2", ("FusedBatchNorm",)
    active = (*norm, "Relu6")
    yield from conv(name, 224, 3, (3, 3), 32, 2, then=active)
    depth, size = 32, 112
    for expansion, out, repeats, first_step in [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ]:
        for number, count in ((0, 1), (1, repeats - 1)):
            step = first_step if number == 0 else 1
            if not count:
                continue
            inner = depth * expansion
            if expansion > 1:
                yield from conv(name, size, depth, (1, 1), inner, count=count, then=active)
            shapes = ((1, size, size, inner), (3, 3, inner, 1))
            attributes = {"strides": [1, step, step, 1], "padding": "SAME"}
            yield Layer(name, "depthwise convolutions", "DepthwiseConv2dNative", shapes, attributes, count)
            size = -(-size // step)
            yield from elementwise(name, size, inner, count, active)
            yield from conv(name, size, inner, (1, 1), out, count=count, then=norm)
            depth = out
    yield from conv(name, size, depth, (1, 1), 1280, then=active)
    yield pool(name, "AvgPool", size, 1280, size, 1, "VALID")
    yield from conv(name, 1, 1280, (1, 1), 1001, then=("BiasAdd",))
    yield Layer(name, "Softmax", "Softmax", ((1, 1001),), {})


def inception() -> Iterator[Layer]:
    name = "InceptionV3"

    def convs(size: int, *rows: tuple[Any, ...]) -> Iterator[Layer]:
        for depth, kernel, out, *options in rows:
            step, padding, count = (*options, *(1, "SAME", 1)[len(options) :])
            yield from conv(name, size, depth, kernel, out, step, padding, count, ("BiasAdd", "Relu"))

    one, three, five, row, column = (1, 1), (3, 3), (5, 5), (1, 7), (7, 1)
    yield from convs(299, (3, three, 32, 2, "VALID"))
    yield from convs(149, (32, three, 32, 1, "VALID"))
    yield from convs(147, (32, three, 64))
    yield pool(name, "MaxPool", 147, 64, 3, 2, "VALID")
    yield from convs(73, (64, one, 80), (80, three, 192, 1, "VALID"))
    yield pool(name, "MaxPool", 71, 192, 3, 2, "VALID")
    for depth, last in ((192, 32), (256, 64), (288, 64)):
        yield from convs(
            35,
            (depth, one, 64, 1, "SAME", 2),
            (depth, one, 48),
            (48, five, 64),
            (64, three, 96),
            (96, three, 96),
            (depth, one, last),
        )
        yield pool(name, "AvgPool", 35, depth, 3, 1, "SAME")
    yield from convs(35, (288, three, 384, 2, "VALID"), (288, one, 64), (64, three, 96), (96, three, 96, 2, "VALID"))
    yield pool(name, "MaxPool", 35, 288, 3, 2, "VALID")
    for inner, count in ((128, 1), (160, 2), (192, 1)):
        yield from convs(
            17,
            (768, one, 192, 1, "SAME", 2 * count),
            (768, one, inner, 1, "SAME", 2 * count),
            (inner, row, inner, 1, "SAME", 2 * count),
            (inner, column, inner, 1, "SAME", 2 * count),
            (inner, column, 192, 1, "SAME", count),
            (inner, row, 192, 1, "SAME", count),
        )
        yield pool(name, "AvgPool", 17, 768, 3, 1, "SAME", count)
    yield from convs(
        17,
        (768, one, 192, 1, "SAME", 2),
        (192, three, 320, 2, "VALID"),
        (192, row, 192),
        (192, column, 192),
        (192, three, 192, 2, "VALID"),
    )
    yield pool(name, "MaxPool", 17, 768, 3, 2, "VALID")
    for depth in (1280, 2048):
        yield from convs(
            8,
            (depth, one, 320),
            (depth, one, 384),
            (384, (1, 3), 384, 1, "SAME", 2),
            (384, (3, 1), 384, 1, "SAME", 2),
            (depth, one, 448),
            (448, three, 384),
            (depth, one, 192),
        )
        yield pool(name, "AvgPool", 8, depth, 3, 1, "SAME")
    yield pool(name, "AvgPool", 8, 2048, 8, 1, "VALID")
    yield from conv(name, 1, 2048, (1, 1), 1001, then=("BiasAdd",))
    yield Layer(name, "Softmax", "Softmax", ((1, 1001),), {})


LAYERS = [*mobilenet(), *inception()]


# --- contenders ------------------------------------------------------------------------------------------------------


def inputs_of(layer: Layer) -> list[Any]:
    import numpy as np

    rng = np.random.default_rng(1)
    return [rng.random(shape, dtype="f4") for shape in layer.shapes]


def ours(layer: Layer) -> Callable[[], Any]:
    from tests.kernel_cases import Case
    from tfmodel.kernels.runtime import bind

    inputs = inputs_of(layer)
    bound = bind(Case(layer.op, inputs, **layer.attributes).node)
    return lambda: bound(inputs)


def theirs(layer: Layer) -> Callable[[], Any]:
    import tensorflow as tf

    names = {
        "BiasAdd": ["value", "bias"],
        "AvgPool": ["value"],
        "Softmax": ["logits"],
        "Relu": ["features"],
        "Relu6": ["features"],
        "FusedBatchNorm": ["x", "scale", "offset", "mean", "variance"],
    }
    op = getattr(tf.raw_ops, layer.op)
    tensors = map(tf.constant, inputs_of(layer))
    arguments = dict(zip(names.get(layer.op, ["input", "filter"]), tensors, strict=False)) | layer.attributes
    return lambda: op(**arguments)


def best(task: Callable[[], Any]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        result = task()
        times.append(time.perf_counter() - start)
        del result
    return min(times)


def measured(name: str) -> list[float]:
    python = sys.executable if name == "ours" else os.environ["TFMODEL_TENSORFLOW_PYTHON"]
    threads = {variable: str(THREADS) for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    done = subprocess.run(
        [python, "-m", "tests.benchmarks.kernels", name],
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"} | threads,
    )
    times: list[float] = json.loads(done.stdout)
    return times


def kernels() -> None:
    """Run both contenders by turns; the best time of each layer counts."""
    names = ["ours", "TensorFlow"] if "TFMODEL_TENSORFLOW_PYTHON" in os.environ else ["ours"]
    results = {name: [float("inf")] * len(LAYERS) for name in names}
    for _ in range(ROUNDS):
        for name in names:
            results[name] = list(map(min, results[name], measured(name)))
    for model in dict.fromkeys(layer.model for layer in LAYERS):
        print(f"{model}, one image; ms")
        sums: dict[str, list[float]] = {}
        for number, layer in enumerate(LAYERS):
            if layer.model == model:
                times = [results[name][number] * layer.count for name in names]
                for kind in (layer.kind, "all"):
                    sums[kind] = [a + b for a, b in zip(sums.get(kind, [0.0] * len(names)), times, strict=True)]
        for kind, times in sorted(sums.items(), key=lambda item: item[1][0]):
            print(line(kind, times, names))
    print("the layers that take longest")
    for number in sorted(range(len(LAYERS)), key=lambda number: -results["ours"][number] * LAYERS[number].count)[:12]:
        print(line(str(LAYERS[number]), [results[name][number] for name in names], names))
    if len(names) == 1:
        print("TFMODEL_TENSORFLOW_PYTHON is not set: no TensorFlow beside it")


def line(what: str, times: list[float], names: list[str]) -> str:
    shown = "".join(f"{time * 1e3:9.2f} {name}" for time, name in zip(times, names, strict=True))
    ratio = f"   {times[0] / times[1]:.2f} times its time" if len(times) > 1 else ""
    return f"  {what:<44}{shown}{ratio}"


if __name__ == "__main__":
    contender = sys.argv[1]
    if contender == "TensorFlow":
        import tensorflow

        tensorflow.config.threading.set_inter_op_parallelism_threads(THREADS)
        tensorflow.config.threading.set_intra_op_parallelism_threads(THREADS)
    print(json.dumps([best((ours if contender == "ours" else theirs)(layer)) for layer in LAYERS]))
