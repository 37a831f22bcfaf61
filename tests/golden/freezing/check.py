"""Freeze every model of answers.tar.xz and compare TensorFlow's results for the frozen graph and the model.

    python -m tests.golden.freezing.check [FOLDER]     # with a Python that has TensorFlow 2.12

FOLDER has models as models.py makes them; the default is the archive. Prints for each model whether all outputs are
equal, and whether the nodes are those of TensorFlow's own freezing where there is such a graph.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

from tests.golden.freezing.answers import ARCHIVE, cases, difference
from tests.golden.packing import unpack
from tfmodel.messages import GraphDef

tf1 = tf.compat.v1


def run(graph, case):
    """Return TensorFlow's results for each run of a frozen graph."""
    definition = tf1.GraphDef.FromString(graph.to_bytes())
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.import_graph_def(definition, name="")
        session.run(list(case.initializers))
        got = []
        for feeds, fetches in case.runs:
            got.append(dict(zip(fetches, session.run(list(fetches), dict(feeds)), strict=True)))
        return got


def unequal(got, case):
    """The tensors that are not what the model gave."""
    for model_run, ours in zip(case.runs, got, strict=True):
        for name, value in model_run.fetches.items():
            if value.dtype.kind == "O":
                if not np.array_equal(ours[name], value):
                    yield name
            elif ours[name].dtype != value.dtype or not np.allclose(ours[name], value, rtol=1e-6, atol=1e-6):
                yield name


def main(folder: Path) -> int:
    equal = runs = same_nodes = references = wrong = 0
    for case in cases(folder):
        try:
            graph = case.freeze()
            got = run(graph, case)
            problems = list(unequal(got, case))
            runs += len(got)
            said = f"differs in {', '.join(problems)}" if problems else "equal"
        except Exception as error:  # any exception is an answer
            problems, said = [""], f"{type(error).__name__}: {str(error).splitlines()[0][:300]}"
        equal, wrong = equal + (not problems), wrong + bool(problems)
        if case.reference is not None and problems != [""]:
            references += 1
            unlike = difference(graph, GraphDef.from_bytes(case.reference))
            same_nodes += not unlike
            said += "; nodes: " + (unlike or "the same")
        print(f"{case.name:36} {said}")
    print(
        f"{equal} of {equal + wrong} give what the model gives, in {runs} runs; "
        f"{same_nodes} of {references} have the nodes of TensorFlow's own"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory() as temporary:
        unpack(ARCHIVE, Path(temporary))
        sys.exit(main(Path(temporary)))
