"""The graphs of this folder with the right selection of inputs and outputs, and the parts that they are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """A graph with the right selection.

    build     builds the graph with TensorFlow, which it is given
    inputs    the names of the inputs, separated by blanks
    outputs   sets of outputs that are right; empty if nothing is certain enough to be chosen
    also      tensors that may be among the outputs, except as the first one
    """

    build: Callable[[Any], None]
    inputs: str
    outputs: tuple[str, ...]
    also: str = ""


GRAPHS: dict[str, Case] = {}


def case(inputs: str, *outputs: str, also: str = "") -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    def add(build: Callable[[Any], None]) -> Callable[[Any], None]:
        GRAPHS[build.__name__] = Case(build, inputs, outputs, also)
        return build

    return add


def weights(tf: Any, name: str, *shape: int) -> Any:
    return tf.get_variable(name, shape, initializer=tf.random_normal_initializer(0.0, 0.5))


def dense(tf: Any, x: Any, units: int, scope: str, activation: Any = None, name: str | None = None) -> Any:
    """A layer whose variables are shared by all layers of that scope."""
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE, auxiliary_name_scope=False):
        value = tf.nn.bias_add(tf.matmul(x, weights(tf, "kernel", x.shape[-1], units)), weights(tf, "bias", units))
    if activation is not None:
        return activation(value, name=name)
    return value if name is None else tf.identity(value, name=name)


def token_loss(tf: Any, logits: Any, ids: Any) -> Any:
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=ids, logits=logits), name="loss")
