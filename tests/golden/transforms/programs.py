"""The programs that make the graphs of models.tar.xz: networks, and patterns that transforms look for.

A program builds a graph and declares its inputs and outputs. `weight` makes a constant that is read through an
Identity, as freezing leaves it, or, in a live model, a variable.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

__all__ = ["PROGRAMS", "Given", "Weights", "numbers", "program", "tf1"]

tf1 = tf.compat.v1
raw = tf.raw_ops


class Given(NamedTuple):
    """The declarations of a program: inputs, outputs, feeds, nodes to run first, files."""

    inputs: str
    outputs: str
    feeds: dict[str, Any]
    before: tuple[str, ...] = ()
    files: dict[str, str] = {}


class Weights:
    """The storage of a model's weights: constants, or variables ("ref", "resource")."""

    def __init__(self, kind: str):
        self.kind = kind

    def __call__(self, name: str, *shape: int, **more: Any) -> Any:
        value = numbers(*shape, **more)
        if self.kind == "frozen":
            constant = tf.constant(value, name=name)
            with tf1.colocate_with(constant):
                return tf.identity(constant, name=f"{name}/read")
        return tf1.get_variable(name, initializer=value, use_resource=self.kind == "resource")

    def before(self) -> tuple[str, ...]:
        """The nodes to run first."""
        return tuple(variable.initializer.name for variable in tf1.global_variables())


PROGRAMS: dict[str, Callable[[], Given]] = {}


def program(*kinds: str) -> Callable[[Any], Any]:
    """Register a program, which takes weights, for each of the kinds."""

    def register(function: Callable[[Weights], Given]) -> Callable[[Weights], Given]:
        for kind in kinds or ("frozen",):
            name = function.__name__ if kind == "frozen" else f"{function.__name__}_{kind}"
            PROGRAMS[name] = lambda kind=kind: function(Weights(kind))
        return function

    return register


def numbers(*shape: int, scale: float = 0.5, offset: float = 0.0) -> Any:
    """Numbers that look random and are the same every time."""
    return (np.random.RandomState(sum(shape) + len(shape)).randn(*shape) * scale + offset).astype(np.float32)


def image(*shape: int) -> Any:
    return tf1.placeholder(tf.float32, shape or (None, 6, 6, 2), name="x")


PICTURE = {"x": numbers(1, 6, 6, 2)}


@program("frozen", "ref", "resource")
def convolutions(weight: Weights) -> Given:
    """Convolutions with batch norm in single ops, pooling, a dense layer."""
    x = image()
    with tf1.device("/device:CPU:0"):
        y = tf.nn.conv2d(x, weight("conv/w", 3, 3, 2, 4), 1, "SAME", name="conv/conv")
    y = tf.nn.bias_add(y, weight("conv/b", 4), name="conv/bias")
    y = (y - weight("bn/mean", 4)) * tf1.rsqrt(tf.abs(weight("bn/var", 4)) + 0.001) * weight("bn/gamma", 4)
    y = tf.nn.relu(y + weight("bn/beta", 4), name="relu")
    y = tf.nn.max_pool2d(y, 2, 2, "VALID", name="pool")
    y = tf.identity(tf.reshape(y, [-1, 36], name="flat"), name="checked")
    y = tf1.debugging.check_numerics(y, "not a number", name="numerics")
    tf.nn.softmax(tf.matmul(y, weight("dense/w", 36, 3), name="dense"), name="y")
    return Given("x", "y", PICTURE, weight.before())


@program()
def fused_batch_norm(weight: Weights) -> Given:
    """Fused batch norm with fixed statistics, and with those of the batch, which are outputs too."""
    y = tf.nn.conv2d(image(), weight("w", 3, 3, 2, 4), 1, "SAME")
    scale, offset = weight("scale", 4), weight("offset", 4)
    mean, variance = weight("mean", 4), tf.abs(weight("variance", 4))
    y = raw.FusedBatchNormV3(x=y, scale=scale, offset=offset, mean=mean, variance=variance, is_training=False).y
    y, mean, variance = raw.FusedBatchNormV3(
        x=y, scale=scale, offset=offset, mean=[], variance=[], is_training=True, name="trained"
    )[:3]
    old = raw.FusedBatchNorm(x=y, scale=scale, offset=offset, mean=mean, variance=variance, is_training=False)
    tf.identity(old.y, name="y")
    tf.add(mean, variance, name="statistics")
    return Given("x", "y,statistics,trained:2", PICTURE)


@program()
def depthwise(weight: Weights) -> Given:
    y = tf.nn.depthwise_conv2d(image(), weight("depth", 3, 3, 2, 2), [1, 1, 1, 1], "SAME", name="depthwise")
    y = tf.nn.relu6(y * weight("m", 4))
    tf.nn.conv2d(y, weight("point", 1, 1, 4, 3), 2, "VALID", name="y")
    return Given("x", "y", PICTURE)


def atrous(
    x: Any,
    filters: Any,
    *,
    paddings: Any = ((2, 2), (2, 2)),
    crops: Any = ((0, 0), (0, 0)),
    block: Any = (2, 2),
    name: str = "atrous",
    depth: bool = False,
) -> Any:
    """A convolution with holes, as TensorFlow 1 wrote it."""
    with tf1.name_scope(name):
        x = tf.space_to_batch_nd(x, list(block), paddings)
        if depth:
            x = tf1.nn.depthwise_conv2d_native(x, filters, [1, 1, 1, 1], "VALID")
        else:
            x = tf.nn.conv2d(x, filters, 1, "VALID")
        return tf.batch_to_space(x, list(block), crops, name="out")


@program()
def atrous_same(weight: Weights) -> Given:
    """Patterns of flatten_atrous_conv."""
    x = image()
    y = atrous(x, tf.constant(numbers(3, 3, 2, 3), name="w1"), name="one")
    z = atrous(
        x,
        tf.constant(numbers(3, 2, 2, 3), name="w2"),
        name="two",
        paddings=((4, 6), (1, 1)),
        block=(4, 2),
        crops=((0, 2), (0, 0)),
    )
    tf.concat([tf.nn.relu(y), z], 3, name="y")
    return Given("x", "y", PICTURE)


@program()
def atrous_valid(weight: Weights) -> Given:
    """Paddings that amount to VALID: the result is smaller than what comes in."""
    tf.identity(atrous(image(), tf.constant(numbers(3, 3, 2, 3), name="w"), paddings=((0, 0), (0, 0))), name="y")
    return Given("x", "y", PICTURE)


@program()
def atrous_shared(weight: Weights) -> Given:
    """Filters, a convolution and a space-to-batch that others use, too."""
    x = image()
    w = tf.constant(numbers(3, 3, 2, 2), name="w")
    y = atrous(x, w, name="one") + tf.nn.conv2d(x, w, 1, "SAME", name="plain")
    y = atrous(y, w, name="two")
    inner = tf1.get_default_graph().get_tensor_by_name("two/Conv2D:0")
    tf.reduce_sum(inner, name="inside")
    tf.identity(y, name="y")
    return Given("x", "y,inside", PICTURE)


@program()
def atrous_port(weight: Weights) -> Given:
    """The convolved tensor is the second output of its node, and the filter is per channel."""
    parts = tf.split(image(), 2, axis=3, name="parts")
    y = atrous(parts[1], tf.constant(numbers(3, 3, 1, 3), name="w"), name="one")
    z = atrous(parts[1], tf.constant(numbers(3, 3, 1, 2), name="v"), name="deep", depth=True)
    tf.concat([y, z], 3, name="y")
    return Given("x", "y", PICTURE)


@program()
def pad_conv(weight: Weights) -> Given:
    """Patterns of fuse_pad_and_conv, and pads that it must keep."""
    x, w = image(), tf.constant(numbers(3, 3, 2, 2), name="w")
    pads = tf.constant([[0, 0], [1, 1], [2, 2], [0, 0]], name="pads")
    y = tf.nn.conv2d(tf.pad(x, pads, "REFLECT", name="reflect"), w, 1, "VALID", name="one")
    y = tf.nn.relu(y)
    with tf1.device("/device:CPU:0"):
        y = tf.nn.conv2d(tf.pad(y, pads, "SYMMETRIC", name="symmetric"), w, 2, "SAME", name="two")
    y = tf.nn.conv2d(tf.pad(y, pads, "CONSTANT", name="zeros"), w, 1, "VALID", name="three")
    tf.identity(y, name="y")
    return Given("x", "y", PICTURE)


@program()
def pad_conv_kept(weight: Weights) -> Given:
    """Pads with other users, pads that are outputs, and a dilated convolution."""
    x, w = image(), tf.constant(numbers(3, 3, 2, 2), name="w")
    pads = tf.constant([[0, 0], [2, 2], [2, 2], [0, 0]], name="pads")
    padded = tf.pad(x, pads, "REFLECT", name="shared")
    y = tf.nn.conv2d(padded, w, 1, "VALID", name="one") + padded[:, 1:-1, 1:-1, :]
    y = tf.nn.conv2d(tf.pad(y, pads, "REFLECT", name="holes"), w, 1, "VALID", dilations=2, name="two")
    y = tf.nn.conv2d(tf.pad(y, pads, "REFLECT", name="kept"), w, 1, "VALID", name="three")
    tf.identity(y, name="y")
    return Given("x", "y,kept", PICTURE)


def resized(x: Any, size: Any, name: str, corners: bool = False, half: bool = False) -> Any:
    return raw.ResizeBilinear(images=x, size=size, align_corners=corners, half_pixel_centers=half, name=name)


@program()
def resize_conv(weight: Weights) -> Given:
    """Patterns of fuse_resize_and_conv."""
    x, w = image(), tf.constant(numbers(3, 3, 2, 2), name="w")
    y = tf.nn.conv2d(resized(x, [9, 8], "plain"), w, 1, "SAME", name="one")
    y = tf.nn.conv2d(resized(tf.nn.relu(y), [5, 7], "corners", corners=True), w, 2, "VALID", name="two")
    tf.identity(y, name="y")
    return Given("x", "y", PICTURE)


@program()
def resize_conv_kept(weight: Weights) -> Given:
    """Resizes that fused ops cannot do, that others use, or that are outputs."""
    x, w = image(), tf.constant(numbers(3, 3, 2, 2), name="w")
    y = tf.nn.conv2d(resized(x, [9, 8], "half", half=True), w, 1, "SAME", name="one")
    y = tf.nn.conv2d(resized(y, [7, 7], "holes"), w, 1, "SAME", dilations=2, name="two")
    shared = resized(y, [6, 5], "shared")
    y = tf.nn.conv2d(shared, w, 1, "SAME", name="three") + shared
    y = tf.nn.conv2d(resized(y, [6, 5], "kept"), w, 1, "SAME", name="four")
    tf.identity(y, name="y")
    return Given("x", "y,kept", PICTURE)


@program()
def resize_pad_conv(weight: Weights) -> Given:
    """Patterns of fuse_resize_pad_and_conv, one with a shared pad, and one with half pixel centers."""
    x, w = image(), tf.constant(numbers(3, 3, 2, 2), name="w")
    pads = tf.constant([[0, 0], [1, 1], [2, 1], [0, 0]], name="pads")
    y = tf.nn.conv2d(tf.pad(resized(x, [9, 8], "size1"), pads, "REFLECT", name="pad1"), w, 1, "VALID", name="one")
    y = resized(y, [7, 7], "size2", corners=True)
    y = tf.nn.conv2d(tf.pad(y, pads, "SYMMETRIC", name="pad2"), w, 2, "SAME", name="two")
    padded = tf.pad(resized(y, [6, 6], "size3"), pads, "REFLECT", name="pad3")
    y = tf.nn.conv2d(padded, w, 1, "SAME", name="three") + padded
    y = tf.pad(resized(y, [6, 6], "size4", half=True), pads, "REFLECT", name="pad4")
    tf.identity(tf.nn.conv2d(y, w, 1, "SAME", name="four"), name="y")
    return Given("x", "y", PICTURE)


@program()
def concat(weight: Weights) -> Given:
    """Concatenations, one of which waits for another node."""
    x = tf1.placeholder(tf.float32, [2, 3], "x")
    y = tf.concat([x, x + 1.0], 1, name="one")
    waited = tf.identity(x, name="waited")
    with tf1.control_dependencies([waited]):
        y = tf.concat([y, tf.constant(numbers(2, 2)), y], -1, name="two")
    tf.concat([tf.concat([y, y], tf.constant(0, tf.int64), name="long"), y], 0, name="y")
    return Given("x", "y", {"x": numbers(2, 3)})


@program()
def requantized(weight: Weights) -> Given:
    """Quantized products whose ranges are measured, and a log of what was measured."""
    x = tf1.placeholder(tf.float32, [2, 3], "x")
    y = x
    for name, shape in (("one", (3, 4)), ("two", (4, 2))):
        a = raw.QuantizeV2(input=y, min_range=-3.0, max_range=3.0, T=tf.quint8, mode="MIN_FIRST")
        b = raw.QuantizeV2(
            input=tf.constant(numbers(*shape), name=f"w_{name}"),
            min_range=-2.0,
            max_range=2.0,
            T=tf.quint8,
            mode="MIN_FIRST",
        )
        product = raw.QuantizedMatMul(a=a[0], b=b[0], min_a=a[1], max_a=a[2], min_b=b[1], max_b=b[2])
        low, high = raw.RequantizationRange(
            input=product[0], input_min=product[1], input_max=product[2], name=f"range_{name}"
        )
        small = raw.Requantize(
            input=product[0],
            input_min=product[1],
            input_max=product[2],
            out_type=tf.quint8,
            requested_output_min=low,
            requested_output_max=high,
        )
        y = raw.Dequantize(input=small[0], min_range=small[1], max_range=small[2], mode="MIN_FIRST")
    tf.identity(y, name="y")
    low, high = (tf1.get_default_graph().get_tensor_by_name(f"range_one:{i}") for i in (0, 1))
    with tf1.Session() as session:
        low, high = session.run([low, high], {x: numbers(2, 3)})
    lines = [f";range_one__print__;__requant_min_max:[{-3 - i % 7 / 8}][{2 + i % 5 / 4}]" for i in range(20)]
    lines += ["no record", "[1];__requant_min_max:[2]", "range_two__print__;__requant_min_max:[1]", ""]
    log = "\n".join(lines)
    right = f"range_one__print__;__requant_min_max:[{low!r}][{high!r}] and more\n"
    return Given(
        "x",
        "y",
        {"x": numbers(2, 3)},
        files={
            "LOG": log,
            "BOTH": log + lines[3].replace("one", "two"),
            "RIGHT": right,
            "NONE": "nothing\n",
            "OTHER": right.replace("range_one", "y"),
            "UNKNOWN": right.replace("range_one", "nobody"),
        },
    )


@program()
def requantized_waited(weight: Weights) -> Given:
    """A node with a control input from the node that measures the range."""
    given = requantized(weight)
    graph = tf1.get_default_graph()
    with tf1.control_dependencies([graph.get_operation_by_name("range_one")]):
        tf.add(graph.get_tensor_by_name("y:0"), 1.0, name="z")
    return given._replace(outputs="y,z")
