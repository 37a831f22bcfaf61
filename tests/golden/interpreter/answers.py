"""Record TensorFlow's results for graphs with state, loops, conditionals and functions: answers.jsonl.xz.

    python -m tests.golden.interpreter.answers         # with a Python that has TensorFlow 2.12

Each line is a program of one of the modules beside this one: its name, its graph, the values of its variables, and its
successive runs in one session: feeds, fetches, and the results, or `null` if TensorFlow refuses.
"""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.arrays import read_array, written_array

__all__ = ["FILE", "Program", "Run", "programs"]

FILE = Path(__file__).with_name("answers.jsonl.xz")
MODULES = (
    "loops",
    "variables",
    "functions",
    "tensor_arrays",
    "tensor_lists",
    "ragged_variants",
)


@dataclass
class Run:
    """A run: `answers` is None if it is refused; an answer is None for a node without outputs."""

    feeds: dict[str, np.ndarray[Any, Any]]
    fetches: list[str]
    answers: list[np.ndarray[Any, Any] | None] | None


@dataclass
class Program:
    """A graph with the values of its variables, and its runs."""

    name: str
    graph: bytes
    variables: dict[str, np.ndarray[Any, Any]]
    runs: list[Run] = field(default_factory=list)


def programs() -> Iterator[Program]:
    """Return the content of the file."""
    for line in lzma.decompress(FILE.read_bytes()).splitlines():
        said = json.loads(line)
        runs = [
            Run(
                {name: read_array(value) for name, value in run["feeds"].items()},
                run["fetches"],
                None if run["answers"] is None else [array and read_array(array) for array in run["answers"]],
            )
            for run in said["runs"]
        ]
        variables = {name: read_array(value) for name, value in said["variables"].items()}
        yield Program(said["name"], base64.b64decode(said["graph"]), variables, runs)


# --- asking ----------------------------------------------------------------------------------------------------------


def ask(name: str, build: Any) -> dict[str, Any]:
    """Run a program in TensorFlow: `build` makes its graph and yields the feeds and fetches of each run."""
    import tensorflow.compat.v1 as tf
    from tensorflow.core.protobuf import rewriter_config_pb2

    off = rewriter_config_pb2.RewriterConfig(disable_meta_optimizer=True)
    optimizer = tf.OptimizerOptions(opt_level=-1)
    config = tf.ConfigProto(graph_options=tf.GraphOptions(rewrite_options=off, optimizer_options=optimizer))
    with tf.Graph().as_default() as graph:
        requests = list(build())
        variables = {}
        with tf.Session(graph=graph, config=config) as session:
            for variable in tf.global_variables():
                session.run(variable.initializer)
                variables[variable.op.name] = session.run(variable)
            runs = []
            for feeds, fetches in requests:
                fetches = fetches if isinstance(fetches, list) else [fetches]
                fed = {_name(key): np.asarray(value) for key, value in feeds.items()}
                try:
                    results = [session.run(fetches, feeds)] if fetches else []
                    answers = [None if result is None else written_array(result) for result in results[0]]
                except tf.errors.OpError as error:
                    print(f"refused: {name}: {error.message.splitlines()[0][:150] if error.message else error}")
                    answers = None
                runs.append(
                    {
                        "feeds": {key: written_array(value) for key, value in fed.items()},
                        "fetches": [_name(tensor) for tensor in fetches],
                        "answers": answers,
                    }
                )
        content = base64.b64encode(graph.as_graph_def().SerializeToString(deterministic=True)).decode()
    stored = {key: written_array(value) for key, value in variables.items()}
    return {"name": name, "graph": content, "variables": stored, "runs": runs}


def _name(key: Any) -> str:
    return key if isinstance(key, str) else str(key.name)


def main() -> None:
    import importlib

    import tensorflow as tf

    tf.compat.v1.disable_eager_execution()
    lines = []
    for module in MODULES:
        # A copy: functions get a registry in the namespace of their module.
        builders = dict(vars(importlib.import_module(f"tests.golden.interpreter.{module}")))
        for name, build in builders.items():
            if callable(build) and getattr(build, "__module__", "").endswith(module) and not name.startswith("_"):
                version_2 = getattr(build, "version_2", False)
                (tf.compat.v1.enable_control_flow_v2 if version_2 else tf.compat.v1.disable_control_flow_v2)()
                lines.append(json.dumps(ask(name, build)))
    packed = lzma.compress("\n".join(lines).encode(), preset=9)
    FILE.write_bytes(packed)
    print(f"{len(lines)} programs, {len(packed):,} bytes")


if __name__ == "__main__":
    main()
