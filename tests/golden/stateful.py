"""Makes stateful.json: what TensorFlow gives and prints for the programs of stateful_programs.

    python -m tests.golden.stateful

needs a Python with TensorFlow 2.12. Of each run, there are the results as [dtype, values], null if TensorFlow refuses,
and what it prints.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.stateful_programs import PROGRAMS, Program

__all__ = ["ANSWERS", "fed", "stated"]

ANSWERS = Path(__file__).with_name("stateful.json")


def fed(feeds: Any, folder: str) -> dict[str, Any]:
    """The feeds, with the paths of files."""
    found = {}
    for name, value in feeds.items():
        array = np.asarray(value, object if isinstance(value, bytes) else None)
        if array.shape == () and array.dtype == object and array.item().startswith(b"@"):
            array = np.array(os.path.join(folder, array.item()[1:].decode()).encode(), object)
        found[f"{name}:0"] = array
    return found


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

    found = []
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default() as graph:
        for name, data in program.files.items():
            (Path(folder) / name).write_bytes(data)
        tf.import_graph_def(tf.GraphDef.FromString(program.graph.to_bytes()), name="")
        with tf.Session(graph=graph) as session:
            for feeds, fetches in program.runs:
                wanted = [f"{name}:0" if ":" not in name and graph.get_operation_by_name(name).outputs else name
                          for name in fetches]
                with tempfile.TemporaryFile() as log:
                    kept = os.dup(2)
                    os.dup2(log.fileno(), 2)
                    try:
                        results = [stated(each) for each in session.run(wanted, fed(feeds, folder))]
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
                found.append([results, printed if results is not None else ""])
    return found


def main() -> None:
    rows = {program.name: answer(program) for program in PROGRAMS}
    assert len(rows) == len(PROGRAMS), "two programs have one name"
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
