"""Record how many floating point operations TensorFlow's profiler counts for nodes: flops.jsonl.

    python -m tests.golden.ops.flops                   # with a Python that has TensorFlow 2.12

Each line is one case: op, shapes of the inputs, constant inputs by position, attributes as TensorFlow's Python takes
them, shape of the output, and TensorFlow's count. `answers()` reads the file without TensorFlow.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["FILE", "Answer", "answers"]

FILE = Path(__file__).with_name("flops.jsonl")

UNARY = "Reciprocal Square Rsqrt Log Neg Softmax L2Loss"
BINARY = "Add Sub Mul RealDiv Maximum Minimum Pow GreaterEqual Greater LessEqual Less Equal NotEqual SquaredDifference"
IMAGE = [2, 9, 7, 4]


@dataclass(frozen=True)
class Answer:
    op: str
    inputs: list[list[int]]
    constants: dict[str, Any]
    attrs: dict[str, Any]
    output: list[int]
    flops: int


def answers() -> list[Answer]:
    return [Answer(**json.loads(line)) for line in FILE.read_text().splitlines()]


def cases() -> list[tuple[str, list[list[int]], dict[str, Any], dict[int, Any]]]:
    """Op, shapes of inputs, attributes, and inputs that are constants, by their place."""
    rows: list[tuple[str, list[list[int]], dict[str, Any], dict[int, Any]]] = []
    for op in UNARY.split():
        rows += [(op, [shape], {}, {}) for shape in ([5], [2, 3], IMAGE)]
    for op in BINARY.split():
        rows += [(op, shapes, {}, {}) for shapes in ([[2, 3], [2, 3]], [[2, 3], []], [[4, 1, 3], [2, 1]])]
    rows += [("RsqrtGrad", [[2, 3], [2, 3]], {}, {})]
    for op in ("Sum", "Mean"):
        rows += [
            (op, [IMAGE, []], {"keep_dims": keep}, {1: axes}) for keep in (False, True) for axes in ([0], [1, 2], [-1])
        ]
    rows += [(op, [IMAGE, []], {}, {1: axis}) for op in ("ArgMax", "ArgMin") for axis in (0, 3)]
    rows += [("BiasAddGrad", [IMAGE], {}, {}), ("BiasAdd", [IMAGE, [4]], {}, {})]
    rows += [("AddN", [[3, 4]] * count, {}, {}) for count in (1, 2, 5)]
    for a, b in ((False, False), (True, False), (False, True), (True, True)):
        left, right = ([5, 2] if a else [2, 5]), ([7, 5] if b else [5, 7])
        rows.append(("MatMul", [left, right], {"transpose_a": a, "transpose_b": b}, {}))
        if not a:  # TensorFlow looks for "transpose_a" where these ops say "adj_x"
            rows += [
                (op, [[3, *left], [3, *right]], {"adj_x": a, "adj_y": b}, {}) for op in ("BatchMatMul", "BatchMatMulV2")
            ]
    for padding in ("SAME", "VALID"):
        for stride in (1, 2):
            common = {"strides": [1, stride, stride, 1], "padding": padding}
            rows.append(("Conv2D", [IMAGE, [3, 2, 4, 6]], common, {}))
            rows.append(("Conv2D", [IMAGE, [3, 2, 2, 6]], common, {}))  # in two groups
            rows.append(("DepthwiseConv2dNative", [IMAGE, [3, 2, 4, 2]], common, {}))
            rows += [(op, [IMAGE], {**common, "ksize": [1, 3, 2, 1]}, {}) for op in ("AvgPool", "MaxPool")]
        cube = {"strides": [1, 1, 2, 1, 1], "padding": padding}
        rows.append(("Conv3D", [[2, 5, 6, 7, 3], [2, 3, 3, 3, 4]], cube, {}))
        dilation = {"strides": [1, 1, 1, 1], "rates": [1, 2, 2, 1], "padding": padding}
        rows.append(("Dilation2D", [IMAGE, [3, 2, 4]], dilation, {}))
    for stride in (1, 2):  # TensorFlow's estimate is exact where the stride divides the image
        common = {"strides": [1, stride, stride, 1], "padding": "SAME"}
        rows.append(
            ("Conv2DBackpropInput", [[], [3, 3, 4, 6], [2, 8 // stride, 8 // stride, 6]], common, {0: [2, 8, 8, 4]})
        )
        rows.append(
            ("Conv2DBackpropFilter", [[2, 8, 8, 4], [], [2, 8 // stride, 8 // stride, 6]], common, {1: [3, 3, 4, 6]})
        )
        pooled = [2, 8 // stride, 8 // stride, 4]
        window = {**common, "ksize": [1, 2, 2, 1]}
        rows.append(("AvgPoolGrad", [[], pooled], window, {0: [2, 8, 8, 4]}))
        rows.append(("MaxPoolGrad", [[2, 8, 8, 4], pooled, pooled], window, {}))
    return rows


def main() -> None:
    import tensorflow as tf
    from tensorflow.python.framework import ops
    from tensorflow.python.profiler.internal import flops_registry

    assert flops_registry
    lines = []
    for op, shapes, attrs, constants in cases():
        with tf.Graph().as_default() as graph:
            inputs = [
                tf.constant(constants[at], tf.int32) if at in constants else tf.compat.v1.placeholder(tf.float32, shape)
                for at, shape in enumerate(shapes)
            ]
            arguments: Any = {**attrs}
            function = getattr(tf.raw_ops, op)
            result = function(**dict(zip(_names(function), _given(op, inputs), strict=False)), **arguments)
            counted = ops.get_stats_for_node_def(graph, result.op.node_def, "flops").value
            assert counted is not None, f"TensorFlow does not count {op}"
            full = [list(tensor.shape) for tensor in inputs]
            known = {str(at): value for at, value in constants.items()}
            lines.append(json.dumps(asdict(Answer(op, full, known, attrs, list(result.shape), int(counted)))))
    FILE.write_text("".join(f"{line}\n" for line in lines))


def _names(op: Any) -> list[str]:
    """Return the argument names of an op in TensorFlow's Python, inputs first."""
    return list(inspect.signature(op).parameters)


def _given(op: str, inputs: list[Any]) -> list[Any]:
    return [inputs] if op == "AddN" else inputs


if __name__ == "__main__":
    main()
