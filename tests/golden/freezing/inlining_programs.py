"""Inline the calls of random TensorFlow programs whose functions call each other and change variables.

    python -m tests.golden.freezing.inlining_programs 1 100   # seed, count; with a Python that has TensorFlow 2.12

For any combination of fetches, TensorFlow must compute the same from both graphs and leave the same values in the
variables. Prints every program for which it does not.
"""

from __future__ import annotations

import os
import random
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
from tensorflow.python.framework.auto_control_deps import AutomaticControlDependencies

from tfmodel import transform
from tfmodel.graph import check_graph
from tfmodel.messages import GraphDef
from tfmodel.ops import OPS

tf1 = tf.compat.v1
NESTED = ("call", "call", "wait", "effect", "if", "while")
STATEMENTS = ("read", "assign", "add", "add and read", "unpack", "norm", "top", "first", "constant", "assert", *NESTED)
PLACES = ("here", "twice", "behind an assignment", "in a conditional", "in a loop")
FEEDS = ([0.5, 1.5], [2.0, -1.0])


def block(chance, depth=0):
    """A program: statements, each with what it takes, a variable, and a program inside of it; and what it returns."""
    made = []
    for _ in range(chance.randint(1, 5)):
        statement = chance.choice(STATEMENTS)
        if statement not in NESTED or depth < 3:
            inside = block(chance, depth + 1) if statement in NESTED else None
            made.append((statement, chance.random(), chance.choice("ab"), inside))
    return made, [chance.random() for _ in range(chance.randint(1, 3))]


def run(program, x, y, variables):
    statements, returned = program
    values = [x, y]
    for statement, which, name, inside in statements:
        value = values[int(which * len(values))]
        variable = variables[name]

        def step(p, q, inside=inside):
            return run(inside, p, q, variables)

        def change(p, variable=variable):
            variable.assign_sub(p * 0.125)

        if statement == "read":
            values.append(value * 0.5 + variable)
        elif statement == "assign":
            variable.assign(value + 1.0)
        elif statement == "add":
            variable.assign_add(value * 0.25)
        elif statement == "add and read":
            values.append(variable.assign_add(value * 0.25) + 0.0)
        elif statement == "unpack":
            first, second = tf.unstack(value)
            values.append(tf.stack([second, first * 2.0]))
        elif statement == "norm":
            normal, _, variance = tf1.nn.fused_batch_norm(tf.reshape(value, [1, 1, 2, 1]), [2.0], [1.0])
            values.append(tf.reshape(normal, [2]) + variance)
        elif statement == "top":
            largest, places = tf.nn.top_k(value, 2)
            values.append(largest + tf.cast(places, tf.float32))
        elif statement == "first":
            values.append(x)
        elif statement == "constant":
            values.append(tf.constant([1.0, 2.0]))
        elif statement == "assert":
            tf.debugging.Assert(tf.reduce_all(tf.math.is_finite(value)), [value])
        elif statement == "call":
            values += tf.function(step)(value, x)
        elif statement == "wait":
            with tf.control_dependencies([tf.function(step)(value, y)[0].op]):
                values.append(value * 2.0)
        elif statement == "effect":
            tf.function(change)(value)
        elif statement == "if":
            values.append(tf.cond(value[0] > 1, lambda p=value, go=step: go(p, p)[0], lambda p=value: p - 1.0))
        else:
            values.append(tf.while_loop(lambda i, p: i < 2, lambda i, p, go=step: (i + 1, go(p, y)[0]), [0, value])[1])
    return [values[int(which * len(values))] + 0.0 for which in returned]


def placed(place, program, x, variables):
    """Call the program as a function, at some place of the graph."""
    function = tf.function(lambda p, q: run(program, p, q, variables))
    if place == "in a conditional":
        return [tf1.cond(x[0] > 1, lambda: function(x, x * 2.0)[0] + 0.0, lambda: function(x, x)[0] + 1.0)]
    if place == "in a loop":
        step = lambda i, p: (i + 1, tf.reshape(function(p, x)[0], [2]))  # noqa: E731  a loop body of one expression
        return [tf1.while_loop(lambda i, p: i < 2, step, [0, x], parallel_iterations=1)[1]]
    with AutomaticControlDependencies() as order:
        results = list(function(x, x * 2.0))
        if place == "twice":
            results += function(results[0], x)
        elif place == "behind an assignment":
            with tf.control_dependencies([variables["a"].assign_add(x, read_value=False)]):
                results += function(x, results[0])
        return [order.mark_as_return(tf.identity(result)) for result in results]


def built(program, place):
    """The graph; and the names of its results, and of its variables."""
    with tf.Graph().as_default() as graph:
        tf1.disable_control_flow_v2()  # in functions it is the second version anyway
        variables = {"a": tf.Variable([1.0, 2.0]), "b": tf.Variable([3.0, 4.0])}
        results = placed(place, program, tf1.placeholder(tf.float32, [2], "x"), variables)
        results = [tf.identity(result, "result").name for result in results]
        tf.group(*[variable.initializer for variable in variables.values()], name="init")
        reads = [tf.identity(variable.read_value(), "read").name for variable in variables.values()]
        return graph.as_graph_def(), results, reads


def answers(graph, results, reads):
    """Return TensorFlow's results. Its optimizer is off, since it inlines calls itself."""
    config = tf1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    found = []
    with tf.Graph().as_default(), tf1.Session(config=config) as session:
        tf1.import_graph_def(graph, name="")
        for feed in FEEDS:
            for fetches in (*([result] for result in results), results):
                session.run("init")
                try:
                    found += session.run(fetches, {"x:0": feed})
                except tf.errors.InvalidArgumentError:  # of an assertion
                    found.append(np.full(2, np.nan))
                found += session.run(reads)
    return np.array(found)


def compare(program, place):
    """Return whether both graphs compute the same, and how many calls are inlined; None if the first is random."""
    before, results, reads = built(program, place)
    expected = answers(before, results, reads)
    outputs = [name.partition(":")[0] for name in (*results, *reads, "init")]
    graph = transform(GraphDef.from_bytes(before.SerializeToString()), "x", outputs, "inline_partitionedcall")
    assert not check_graph(graph, registry=OPS)
    assert not any(node.op == "StatefulPartitionedCall" for node in graph.node)
    got = answers(tf1.GraphDef.FromString(graph.to_bytes()), results, reads)
    if np.allclose(got, expected, equal_nan=True, rtol=1e-4):
        return True
    again = [answers(before, results, reads) for _ in range(5)]
    return None if any(not np.allclose(each, expected, equal_nan=True) for each in again) else False


def main(seed, count):
    chance = random.Random(seed)
    results = []
    for _ in range(count):
        program, place = block(chance), chance.choice(PLACES)
        results.append(compare(program, place))
        if results[-1] is False:
            print("different:", place, program)
    print(f"{results.count(True)} the same, {results.count(False)} different, {results.count(None)} never the same")
    return 1 if False in results else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
