"""Freeze random TF2 programs that read and change two variables in branches, calls and loops.

    python -m tests.golden.freezing.random_programs 1 100     # seed, count; with a Python that has TensorFlow 2.12

TensorFlow must compute from the frozen graph what the program computes in its first run, or freezing must be refused:
the value of a variable after a branch that may have changed it is unknown. Prints every program for which this fails.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

from tfmodel import FreezeError, load
from tfmodel.freezing import freeze
from tfmodel.messages import SavedModel

tf1 = tf.compat.v1
NESTED = ("if", "call", "while")
STATEMENTS = ("read", "read", "add", "subtract", "assign", "add and read", *NESTED)


def block(chance, depth=0):
    """A program: a list of statements, each with a variable or with blocks inside of it."""
    made = []
    for _ in range(chance.randint(1, 4)):
        statement = chance.choice(STATEMENTS)
        if statement not in NESTED:
            made.append((statement, chance.choice("ab")))
        elif depth < 2:
            made.append((statement, block(chance, depth + 1), block(chance, depth + 1)))
    return made


def run(program, x, module):
    for statement, what, *other in program:
        variable = getattr(module, what) if isinstance(what, str) else None
        if statement == "read":
            x = x * 0.5 + variable
        elif statement == "add":
            variable.assign_add(x)
        elif statement == "subtract":
            variable.assign_sub(x * 0.5)
        elif statement == "assign":
            variable.assign(x + 1.0)
        elif statement == "add and read":
            x = x + variable.assign_add(x)
        elif statement == "if":
            x = tf.cond(x[0] > 2, lambda x=x, p=what: run(p, x, module), lambda x=x, p=other[0]: run(p, x, module))
        elif statement == "call":
            x = tf.function(lambda y, p=what: run(p, y, module))(x)
        else:
            step = lambda i, y, p=what: (i + 1, run(p, y, module))  # noqa: E731  a loop body of one expression
            x = tf.while_loop(lambda i, y: i < 2, step, [0, x])[1]
    return x


def compare(program, x, folder):
    """Return whether both compute the same; None if freezing is refused."""
    module = tf.Module()
    module.a, module.b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    signature = [tf.TensorSpec([2], name="x")]
    function = tf.function(lambda x: {"y": run(program, x, module)}, input_signature=signature)
    tf.saved_model.save(module, folder, signatures=function)
    loaded = tf.saved_model.load(folder)
    expected = loaded.signatures["serving_default"](tf.constant(x))["y"].numpy()
    try:
        graph = freeze(folder)
    except FreezeError:
        return None
    definition = load(folder, SavedModel).meta_graphs[0].signature_def["serving_default"]
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.import_graph_def(tf1.GraphDef.FromString(graph.to_bytes()), name="")
        got = session.run(definition.outputs["y"].name, {definition.inputs["x"].name: x})
    return np.allclose(got, expected)


def main(seed, count):
    chance = random.Random(seed)
    results = []
    for _ in range(count):
        program, x = block(chance), np.array([chance.uniform(-1, 3), 1.5], np.float32)
        with tempfile.TemporaryDirectory() as folder:
            results.append(compare(program, x, folder))
        if results[-1] is False:
            print("different:", program, x)
    print(f"{results.count(True)} the same, {results.count(False)} different, {results.count(None)} refused")
    return 1 if False in results else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
