"""Record the results and the printed output of TensorFlow for stateful_programs.py: stateful.jsonl.xz.

    python -m tests.golden.kernels.stateful            # with a Python that has TensorFlow 2.12

Each line is one program: its name, graph, files and runs. Each run has the feeds, the fetches, the results as
[dtype, values] (null if TensorFlow refuses), and the printed output. Results of programs that are "unordered" may come
in another order each time. `recorded()` reads the file without TensorFlow.
"""

from __future__ import annotations

import base64
import json
import lzma
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.arrays import read_array, written_array
from tests.golden.kernels.stateful_programs import PROGRAMS, Program
from tfmodel.messages import GraphDef

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # the printed output must not contain TensorFlow's log

__all__ = ["FILE", "Recorded", "fed", "recorded", "stated"]

FILE = Path(__file__).with_name("stateful.jsonl.xz")


@dataclass(frozen=True)
class Recorded:
    """A program as TensorFlow ran it, and for each run the results, or None, and what was printed."""

    program: Program
    answers: list[tuple[Any, str]]


def recorded() -> list[Recorded]:
    """Return the content of the file."""
    return [_read(json.loads(line)) for line in lzma.decompress(FILE.read_bytes()).splitlines()]


def _read(row: dict[str, Any]) -> Recorded:
    runs = [({name: read_array(value) for name, value in run["feeds"].items()}, run["fetches"]) for run in row["runs"]]
    files = {name: base64.b64decode(data) for name, data in row["files"].items()}
    graph = GraphDef.from_bytes(base64.b64decode(row["graph"]))
    program = Program(row["name"], graph, runs, files, row["unordered"])
    return Recorded(program, [(run["results"], run["printed"]) for run in row["runs"]])


def _written(program: Program, answers: list[Any]) -> dict[str, Any]:
    return {
        "name": program.name,
        "graph": base64.b64encode(program.graph.to_bytes(deterministic=True)).decode(),
        "files": {name: base64.b64encode(data).decode() for name, data in program.files.items()},
        "unordered": program.unordered,
        "runs": [
            {
                "feeds": {name: written_array(value) for name, value in feeds.items()},
                "fetches": [*fetches],
                "results": results,
                "printed": printed,
            }
            for (feeds, fetches), (results, printed) in zip(program.runs, answers, strict=True)
        ],
    }


def fed(feeds: Any, folder: str) -> dict[str, Any]:
    """The feeds, with the paths of files."""
    feeds_by_tensor = {}
    for name, value in feeds.items():
        array = np.asarray(value, object if isinstance(value, bytes) else None)
        if array.shape == () and array.dtype == object and array.item().startswith(b"@"):
            array = np.array(os.path.join(folder, array.item()[1:].decode()).encode(), object)
        feeds_by_tensor[f"{name}:0"] = array
    return feeds_by_tensor


def stated(value: Any) -> Any:
    """An array for JSON; None as it is."""
    if value is None:
        return None
    array = np.asarray(value, object if isinstance(value, bytes) else None)
    return [array.dtype.name, json.loads(json.dumps(array.tolist(), default=_text))]


def _text(value: bytes | complex) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def answer(program: Program) -> list[Any]:
    """For each run, the results and what is printed."""
    import tensorflow.compat.v1 as tf

    answers = []
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default() as graph:
        for name, data in program.files.items():
            (Path(folder) / name).write_bytes(data)
        tf.import_graph_def(tf.GraphDef.FromString(program.graph.to_bytes()), name="")
        with tf.Session(graph=graph) as session:
            for feeds, fetches in program.runs:
                tensors = [
                    f"{name}:0" if ":" not in name and graph.get_operation_by_name(name).outputs else name
                    for name in fetches
                ]
                with tempfile.TemporaryFile() as log:
                    kept = os.dup(2)
                    os.dup2(log.fileno(), 2)
                    try:
                        results = [stated(result) for result in session.run(tensors, fed(feeds, folder))]
                    except tf.errors.OpError as error:
                        results = None
                        message = " ".join(error.message.split())[:400]
                    finally:
                        os.dup2(kept, 2)
                        os.close(kept)
                    log.seek(0)
                    printed = log.read().decode()
                    if results is None:
                        print(f"refused: {program.name}: {fetches}: {message}", file=sys.stderr)
                answers.append([results, printed if results is not None else ""])
    return answers


def main() -> None:
    rows = [_written(program, answer(program)) for program in PROGRAMS]
    FILE.write_bytes(lzma.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode(), preset=9))
    print(f"{len(rows)} programs, {FILE.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
