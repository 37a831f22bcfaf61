"""Record the shapes that TensorFlow infers for the outputs of single ops: answers.jsonl.gz.

    python -m tests.golden.shapes.answers              # with a Python that has TensorFlow 2.12

Each line has a name and is an op: a graph in base64 with a node "case<n>" for each case, and the shapes of the outputs
of these nodes; -1 is an unknown dimension and null an unknown shape. The cases are those of `CASES` and variations of
each: with an unknown first dimension, with all dimensions unknown, with unknown ranks, and with placeholders for
constants. In the lines with "refused", each case is one that TensorFlow refuses.
"""

from __future__ import annotations

import base64
import gzip
import inspect
import json
import os
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf
from tensorflow.python.framework import op_def_registry

from .cases import CASES, FILE, REFUSED, Const, Made, Open

tf1 = tf.compat.v1

RENAMED = {"dim": "axis", "e": "y", "input": "condition", "reduction_indices": "axis", "split_dim": "axis", "t": "x"}
"""The names of inputs of some ops in TensorFlow's Python."""


class Variation(NamedTuple):
    """The variations of the arguments of a case."""

    sizes: Any = lambda shape: shape
    constants: bool = True


VARIATIONS = (
    Variation(),
    Variation(lambda shape: shape and (None, *shape[1:])),
    Variation(lambda shape: shape and (*shape[:-1], None)),
    Variation(lambda shape: shape and (None,) * len(shape)),
    Variation(lambda shape: None),
    Variation(constants=False),
    Variation(lambda shape: shape and (None,) * len(shape), constants=False),
)


def argument(spec: Any, variation: Variation) -> Any:
    match spec:
        case Open(dtype, shape):
            return tf1.placeholder(dtype, variation.sizes(shape))
        case Const(dtype, value):
            constant = tf.constant(value, dtype)
            return constant if variation.constants else tf1.placeholder(dtype, constant.shape)
        case Made(op, arguments, attrs, port):
            return built(op, arguments, attrs, variation).outputs[port]
        case list():
            return [argument(element, variation) for element in spec]
    raise TypeError(spec)


def built(op: str, arguments: tuple[Any, ...], attrs: dict[str, Any], variation: Variation, name: str = "") -> Any:
    """The node of an op, whose arguments come in the order of its declaration."""
    function = getattr(tf.raw_ops, op)
    known = inspect.signature(function).parameters
    names = [arg.name for arg in op_def_registry.get(op).input_arg]
    names = [name if name in known else RENAMED[name] for name in names]
    keyword_arguments = {key: argument(spec, variation) for key, spec in zip(names, arguments, strict=True)}
    result = function(**keyword_arguments, **attrs, **({"name": name} if name else {}))
    if isinstance(result, tf.Operation):
        return result
    while isinstance(result, (list, tuple)):
        result = result[0]
    return result.op


def sizes(shape: Any) -> list[int] | None:
    return None if shape.rank is None else [-1 if size is None else size for size in shape.as_list()]


def lines() -> Iterator[dict[str, Any]]:
    for op, cases in CASES.items():
        shapes: dict[str, Any] = {}
        names = (f"case{number}" for number in count())
        with tf.Graph().as_default() as graph:
            for arguments, attrs in cases:
                for number, variation in enumerate(VARIATIONS):
                    name = next(names)
                    try:
                        node = built(op, arguments, attrs, variation, name)
                    except ValueError:
                        if not number:
                            raise
                        continue  # not a case: TensorFlow needs the value
                    assert node.name == name, (op, node.name)
                    shapes[name] = [sizes(output.shape) for output in node.outputs]
        seen: dict[str, str] = {}
        kept = {name: shape for name, shape in shapes.items() if seen.setdefault(key(graph, name), name) == name}
        content = tf1.graph_util.extract_sub_graph(graph.as_graph_def(), list(kept)).SerializeToString(
            deterministic=True
        )
        yield {"name": op, "op": op, "graph": base64.b64encode(content).decode(), "shapes": kept}


def key(graph: Any, name: str) -> str:
    """Return a unique description of a case."""
    node = graph.get_operation_by_name(name)
    inputs = [
        (str(tensor.shape), tensor.op.type, tensor.op.node_def.attr["value"].SerializeToString())
        for tensor in node.inputs
    ]
    return f"{inputs} {sorted((key, value.SerializeToString()) for key, value in node.node_def.attr.items())}"


def refused() -> Iterator[dict[str, Any]]:
    """Made with unknown shapes, which are written into the graph then."""
    for op, cases in REFUSED.items():
        for number, (arguments, attrs) in enumerate(cases, 1):
            with tf.Graph().as_default() as graph:
                built(op, arguments, attrs, Variation(lambda shape: None), "case0")
            proto = graph.as_graph_def()
            known = [spec.shape for spec in flat(arguments) if isinstance(spec, Open)]
            for node in (placeholder for placeholder in proto.node if placeholder.op == "Placeholder"):
                node.attr["shape"].shape.CopyFrom(tf.TensorShape(known.pop(0)).as_proto())
            try:
                with tf.Graph().as_default():
                    tf.import_graph_def(proto)
            except ValueError:
                content = base64.b64encode(proto.SerializeToString(deterministic=True)).decode()
                yield {"name": f"{op} refused {number}", "op": op, "graph": content, "refused": True}
            else:
                raise AssertionError(f"{op} {arguments} {attrs} is allowed")


def flat(arguments: Any) -> list[Any]:
    return [element for spec in arguments for element in (flat(spec) if isinstance(spec, list) else [spec])]


def main() -> None:
    rows = [*lines(), *refused()]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    FILE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    cases = sum(len(row.get("shapes", ())) for row in rows)
    print(f"{len(CASES)} ops, {cases} cases, {len(rows) - len(CASES)} refused, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
