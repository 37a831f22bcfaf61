"""Programs with functions: called, chosen, repeated, recursive, used as ops, and with placeholder attributes.

Each function builds a graph and yields the feeds and fetches of successive runs. See answers.py.
"""

from __future__ import annotations

import tensorflow.compat.v1 as tf
from google.protobuf import text_format
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops

F, I32 = tf.float32, tf.int32


def _version_2(build):
    """Conditionals and loops made of functions."""
    build.version_2 = True
    return build


def _x(shape=(), dtype=F, name="x"):
    return tf.placeholder(dtype, shape, name=name)


@_version_2
def if_both_sides():
    x, p = _x([2]), _x(dtype=tf.bool, name="p")
    y, z = tf.cond(p, lambda: (x * 2, tf.constant([1])), lambda: (x - 1, tf.constant([2, 3])))
    yield {x: [1, 2], p: True}, [y, z]
    yield {x: [1, 2], p: False}, [y, z]
    yield {x: [1, 2], p: False}, z


@_version_2
def if_in_while():
    n = _x(dtype=I32, name="n")

    def body(i, s):
        return i + 1, tf.cond(tf.equal(i % 3, 0), lambda: s * 2, lambda: tf.cond(i > 4, lambda: s - i, lambda: s + i))

    y = tf.while_loop(lambda i, s: i < n, body, [0, 1])
    for count in (0, 1, 8):
        yield {n: count}, list(y)


@_version_2
def while_in_while():
    n, x = _x(dtype=I32, name="n"), _x([2])

    def body(i, s):
        return i + 1, s + tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + x), [0, x])[1]

    y = tf.while_loop(lambda i, s: i < n, body, [0, tf.zeros([2])])
    for count in (0, 4):
        yield {n: count, x: [1, 2]}, list(y)


@_version_2
def while_in_if():
    n, p, x = _x(dtype=I32, name="n"), _x(dtype=tf.bool, name="p"), _x()
    y = tf.cond(p, lambda: tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2), [0, x])[1], lambda: x - 1)
    for value in (True, False):
        yield {n: 3, p: value, x: 1.5}, y


@_version_2
def case_with_numbers_beyond():
    x, k = _x(), _x(dtype=I32, name="k")
    y = tf.switch_case(k, [lambda: x, lambda: x * 2, lambda: x * 3])
    for value in (0, 1, 2, 7, -1):
        yield {x: 5, k: value}, y


@_version_2
def variables_in_if_and_while():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    p, n = _x(dtype=tf.bool, name="p"), _x(dtype=I32, name="n")
    y = tf.cond(p, lambda: v.assign_add(10.0).read_value(), lambda: v.read_value())

    def body(i):
        with tf.control_dependencies([v.assign_add(tf.cast(i, F))]):
            return i + 1

    with tf.control_dependencies(tf.nest.flatten(tf.while_loop(lambda i: i < n, body, [0]))):
        z = v.read_value()
    yield {p: True}, y
    yield {p: False}, y
    yield {n: 4}, z


@_version_2
def errors_name_what_failed():
    x, p = _x([2], I32), _x(dtype=tf.bool, name="p")
    y = tf.cond(p, lambda: tf.gather(x, 5), lambda: x[0])
    yield {x: [1, 2], p: False}, y
    yield {x: [1, 2], p: True}, y


def calls_in_calls():
    @tf.function
    def inner(x, y):
        return x + y, x - y

    @tf.function
    def outer(x, y):
        a, b = inner(x, y)
        return inner(a * 2, b)[0], tf.stack([a, b])

    x, y = _x([2]), _x([2], name="y")
    a, b = outer(x, y)
    yield {x: [1, 2], y: [10, 20]}, [a, b]
    yield {x: [1, 2], y: [10, 20]}, [b]


def calls_that_change_variables():
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)

    @tf.function
    def step(x):
        before = v.read_value()
        v.assign_add(x)
        v.assign(v * 2)
        return before, v.read_value()

    x = _x([2])
    before, after = step(x)
    yield {x: [1, 1]}, [before, after]
    yield {x: [0, 1]}, [after]
    yield {}, v.read_value()


def calls_for_nothing_but_their_effect():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    @tf.function
    def step():
        v.assign_add(1.0)

    with tf.control_dependencies([step()]):
        y = v.read_value()
    yield {}, y
    yield {}, y


def functions_as_ops():
    @function.Defun(F, F)
    def twice_and_sum(x, y):
        return x * 2, x + y

    @function.Defun(F)
    def deeper(x):
        a, b = twice_and_sum(x, x * 10)
        return b - a

    x = _x([2])
    a, b = twice_and_sum(x, x + 1)
    yield {x: [1, 2]}, [a, b, deeper(x)]
    yield {x: [1, 2]}, [b]


_FACTORIAL = """
node { name: "n" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "y" op: "Factorial" input: "n" }
library {
  function {
    signature { name: "AtTheEnd" input_arg { name: "n" type: DT_INT32 } output_arg { name: "r" type: DT_INT32 } }
    node_def { name: "one" op: "OnesLike" input: "n" attr { key: "T" value { type: DT_INT32 } } }
    ret { key: "r" value: "one:y:0" }
  }
  function {
    signature { name: "FurtherOn" input_arg { name: "n" type: DT_INT32 } output_arg { name: "r" type: DT_INT32 } }
    node_def { name: "one" op: "OnesLike" input: "n" attr { key: "T" value { type: DT_INT32 } } }
    node_def { name: "less" op: "Sub" input: "n" input: "one:y:0" attr { key: "T" value { type: DT_INT32 } } }
    node_def { name: "before" op: "Factorial" input: "less:z:0" }
    node_def { name: "times" op: "Mul" input: "n" input: "before:r:0" attr { key: "T" value { type: DT_INT32 } } }
    ret { key: "r" value: "times:z:0" }
  }
  function {
    signature { name: "Factorial" input_arg { name: "n" type: DT_INT32 } output_arg { name: "r" type: DT_INT32 } }
    node_def { name: "one" op: "OnesLike" input: "n" attr { key: "T" value { type: DT_INT32 } } }
    node_def { name: "ends" op: "LessEqual" input: "n" input: "one:y:0" attr { key: "T" value { type: DT_INT32 } } }
    node_def { name: "if" op: "If" input: "ends:z:0" input: "n"
      attr { key: "Tcond" value { type: DT_BOOL } } attr { key: "Tin" value { list { type: DT_INT32 } } }
      attr { key: "Tout" value { list { type: DT_INT32 } } }
      attr { key: "then_branch" value { func { name: "AtTheEnd" } } }
      attr { key: "else_branch" value { func { name: "FurtherOn" } } } }
    ret { key: "r" value: "if:output:0" }
  }
}
versions { producer: 1286 }
"""


def recursion():
    tf.import_graph_def(text_format.Parse(_FACTORIAL, tf.GraphDef()), name="")
    for value in (0, 1, 5, 10):
        yield {"n:0": value}, ["y:0"]


def raw_while_and_if():
    @function.Defun(I32, F)
    def smaller(i, x):
        return i < 3

    @function.Defun(I32, F)
    def body(i, x):
        return i + 1, x * 2

    @function.Defun(F)
    def half(x):
        return x / 2

    @function.Defun(F)
    def same(x):
        return x

    x, k, s = _x(), _x(dtype=I32, name="k"), _x(dtype=tf.string, name="s")
    i, y = functional_ops.While([0, x], smaller, body)
    [z] = functional_ops.If(k, [x], half, same)
    [t] = functional_ops.If(s, [x], half, same)
    yield {x: 1.5}, [i, y]
    for value, text in ((0, ""), (3, "yes")):
        yield {x: 8, k: value, s: text}, [z, t]


def partitioned_calls():
    @function.Defun(F, F)
    def f(x, y):
        return x + y, y

    x = _x()
    a, b = functional_ops.partitioned_call([x, x * 2], f)
    yield {x: 3}, [a, b]


_LIBRARY = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "a" op: "PartitionedCall" input: "x"
  attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } }
  attr { key: "f" value { func { name: "Total" attr { key: "keep" value { b: true } } } } } }
node { name: "b" op: "PartitionedCall" input: "x"
  attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } }
  attr { key: "f" value { func { name: "Outer" attr { key: "keep" value { b: false } } } } } }
library {
  function {
    signature { name: "Total" input_arg { name: "v" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT }
      attr { name: "keep" type: "bool" } }
    node_def { name: "rank" op: "Rank" input: "v" attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "zero" op: "ZerosLike" input: "rank:output:0" attr { key: "T" value { type: DT_INT32 } } }
    node_def { name: "sum" op: "Sum" input: "v" input: "zero:y:0"
      attr { key: "keep_dims" value { placeholder: "keep" } }
      attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tidx" value { type: DT_INT32 } } }
    ret { key: "r" value: "sum:output:0" }
  }
  function {
    signature { name: "Outer" input_arg { name: "v" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT }
      attr { name: "keep" type: "bool" } }
    node_def { name: "wait" op: "NoOp" input: "^v" }
    node_def { name: "one" op: "PartitionedCall" input: "v" input: "^wait"
      attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } }
      attr { key: "f" value { func { name: "Total" attr { key: "keep" value { placeholder: "keep" } } } } } }
    ret { key: "r" value: "one:output:0" }
  }
}
versions { producer: 1286 }
"""


def attributes_that_calls_give():
    tf.import_graph_def(text_format.Parse(_LIBRARY, tf.GraphDef()), name="")
    yield {"x:0": [1.5, 2]}, ["a:0", "b:0"]
