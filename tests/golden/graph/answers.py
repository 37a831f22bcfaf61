"""Record the node order of the C++ tool and TensorFlow's view of loops and conditionals: answers.jsonl.gz.

    python -m tests.golden.graph.answers CORPUS        # with a Python that has TensorFlow 2.12

Each line is one graph:

    name
    graph      its bytes in base64, or `file`, the path of a file of the corpus
    order      the names of nodes after sort_by_execution_order; for a file, their number and SHA-256
    error      the tool's error instead
    frames     of graphs with loops: the frames of each node, outermost first, as the Python code that made them says
    branches   likewise the conditionals: the deciding tensor (as it is before any Identity) and the side
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tfmodel.files.files import load
from tfmodel.messages import GraphDef, NodeDef

__all__ = ["FILE", "digest"]

FILE = Path(__file__).with_name("answers.jsonl.gz")
RANDOM = 40
SUFFIXES = (".meta", "frozen.pb", "saved_model.pb", "run1.pbtxt")


def digest(names: list[str]) -> list[Any]:
    return [len(names), hashlib.sha256("\n".join(names).encode()).hexdigest()]


def _sorted(data: bytes) -> dict[str, Any]:
    from tensorflow.python.util import _pywrap_transform_graph as tool

    try:
        result = tool.TransformGraphWithStringInputs(data, b"", b"", b"sort_by_execution_order")
    except Exception as error:  # any exception is an answer
        return {"error": str(error)}
    return {"order": [node.name for node in GraphDef.from_bytes(result).node]}


# --- made at random --------------------------------------------------------------------------------------------------


def _random_graph(seed: int) -> GraphDef:
    """Random wirings. One in four has a duplicate node, a cycle, or a missing input."""
    choose = random.Random(seed)
    count = choose.randrange(3, 40)
    names = [f"s{choose.randrange(3)}/n{number}" for number in range(count)]
    nodes = []
    for number, name in enumerate(names):
        op = choose.choice(["NoOp", "NoOp", "Identity", "AddN", "Merge", "RefMerge", "_XlaMerge", "NextIteration"])
        before = [choose.choice(names[:number]) for _ in range(choose.randrange(4))] if number else []
        inputs = [choose.choice([other, f"{other}:0", f"{other}:1"]) for other in before]
        inputs += [f"^{choose.choice(names[:number])}" for _ in range(choose.randrange(3)) if number]
        if "Merge" in op and inputs and inputs[0][0] != "^":
            inputs.insert(1, choose.choice(names))
        nodes.append(NodeDef(name=name, op=op, input=inputs))
    if seed % 4 == 3:
        node = choose.choice(nodes)
        damage = choose.randrange(3)
        if damage == 0:
            nodes.append(NodeDef(name=node.name, op="NoOp", input=[choose.choice(names[:3])]))
        elif damage == 1:
            node.input.append(f"^{choose.choice(names)}")
        else:
            node.input.append("nowhere:1")
    choose.shuffle(nodes)
    return GraphDef(node=nodes)


# --- made by TensorFlow ----------------------------------------------------------------------------------------------


def _loops(tf: Any) -> dict[str, Callable[[], Any]]:
    """Programs that make a graph, by name."""
    tf1 = tf.compat.v1

    def start() -> Any:
        return tf1.placeholder(tf.float32, [2], name="x")

    def repeat(body: Callable[[Any], Any], value: Any, times: int = 3, **more: Any) -> Any:
        return tf1.while_loop(lambda i, v: i < times, lambda i, v: (i + 1, body(v)), [0, value], **more)[1]

    def side(value: Any, yes: Callable[[], Any], no: Callable[[], Any], name: str | None = None) -> Any:
        return tf1.cond(tf.reduce_sum(value) > 1.0, yes, no, name=name)

    def with_gradient(make: Callable[[Any], Any]) -> Callable[[], Any]:
        def program() -> Any:
            x = start()
            return tf1.gradients(make(x), x)

        return program

    def nested(x: Any) -> Any:
        return repeat(lambda v: repeat(lambda w: w * x + 1.0, v, name="inner"), x, name="outer")

    def deep(x: Any) -> Any:
        return repeat(lambda a: repeat(lambda b: repeat(lambda c: tf.tanh(c) * a, b), a), x)

    def in_turn(x: Any) -> Any:
        return repeat(lambda v: side(v, lambda: v * 2.0, lambda: side(v, lambda: v + x, lambda: -v)), x)

    def inside(x: Any) -> Any:
        return side(x, lambda: repeat(lambda v: v * 2.0, x), lambda: repeat(lambda v: v - 1.0, x))

    def sides(x: Any) -> Any:
        inner = side(x * 2.0, lambda: x + 1.0, lambda: x - tf.constant([3.0, 4.0]), name="inner")
        return side(x, lambda: side(x - 1.0, lambda: x * inner, lambda: tf.constant([1.0, 2.0])), lambda: tf.exp(x))

    def recurrent() -> Any:
        x = tf1.placeholder(tf.float32, [2, 3, 4], name="x")
        cell = tf1.nn.rnn_cell.BasicRNNCell(5)
        return tf1.gradients(tf1.nn.dynamic_rnn(cell, x, dtype=tf.float32)[0], x)

    def arrays() -> Any:
        return tf.map_fn(lambda v: tf.foldl(lambda a, b: a + b * v, tf.range(3.0)), start())

    def cases() -> Any:
        x = start()
        total = tf.reduce_sum(x)
        return tf1.case([(total > 2.0, lambda: x), (total > 1.0, lambda: x * 2.0)], default=lambda: nested(x))

    return {
        "one loop": lambda: repeat(lambda v: v * 2.0, start()),
        "a loop in a loop": lambda: nested(start()),
        "three loops": lambda: deep(start()),
        "loops side by side": lambda: (lambda x: repeat(tf.exp, repeat(tf.tanh, x)) + repeat(tf.sin, x))(start()),
        "a conditional": lambda: sides(start()),
        "conditionals in a loop": lambda: in_turn(start()),
        "loops in a conditional": lambda: inside(start()),
        "loops by case": cases,
        "arrays": arrays,
        "the gradient of a loop": with_gradient(lambda x: repeat(lambda v: tf.tanh(v) * x, x)),
        "the gradient of a loop in a loop": with_gradient(nested),
        "the gradient of three loops": with_gradient(deep),
        "the gradient of a conditional": with_gradient(sides),
        "the gradient of conditionals in a loop": with_gradient(in_turn),
        "the gradient of loops in a conditional": with_gradient(inside),
        "the gradient of a recurrent network": recurrent,
    }


def _contexts(operation: Any) -> tuple[list[str], list[list[Any]]]:
    """The frames and the branches of an operation, from the outermost."""
    frames, branches = [], []
    context = operation._get_control_flow_context()
    while context is not None:
        if context.IsWhileContext():
            frames.append(context.name)
        elif context.IsCondContext():
            pred = context.pred
            while pred.op.type == "Identity":
                pred = pred.op.inputs[0]
            branches.append([pred.name, context.branch])
        context = context.outer_context
    return frames[::-1], branches[::-1]


def _programs() -> Iterator[dict[str, Any]]:
    import tensorflow as tf

    tf.compat.v1.disable_control_flow_v2()
    tf.compat.v1.disable_resource_variables()
    for name, program in _loops(tf).items():
        with tf.Graph().as_default() as graph:
            tf.compat.v1.set_random_seed(1)
            program()
            data = graph.as_graph_def().SerializeToString(deterministic=True)
            contexts = {operation.name: _contexts(operation) for operation in graph.get_operations()}
        frames = {node: frames for node, (frames, _) in contexts.items() if frames}
        branches = {node: branches for node, (_, branches) in contexts.items() if branches}
        yield {"name": name, "graph": _text(data), **_sorted(data), "frames": frames, "branches": branches}


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _rows(corpus: Path) -> Iterator[dict[str, Any]]:
    for seed in range(RANDOM):
        data = _random_graph(seed).to_bytes(deterministic=True)
        yield {"name": f"random {seed}", "graph": _text(data), **_sorted(data)}
    yield from _programs()
    for path in sorted(path for path in corpus.rglob("*") if path.name.endswith(SUFFIXES)):
        answer = _sorted(load(path, GraphDef).to_bytes())
        if "order" in answer:
            answer["order"] = digest(answer["order"])
        file = path.relative_to(corpus).as_posix()
        yield {"name": file, "file": file, **answer}


def main() -> None:
    text = "".join(json.dumps(row) + "\n" for row in _rows(Path(sys.argv[1])))
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as file:
        file.write(text.encode())
    FILE.write_bytes(packed.getvalue())


if __name__ == "__main__":
    main()
