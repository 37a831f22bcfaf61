"""Large graphs of layers, which transforms fold, fuse and quantize."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.hostile.graphs import FLOAT, graph, node, placeholder
from tests.hostile.large.builders import INT32, INTS, added, floats, values
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    NodeDef,
)

__all__ = ["GRAPHS"]

LOOKUP = {"Tparams": FLOAT, "Tindices": INT32, "Taxis": INT32}


def many(
    before: list[NodeDef], make: Callable[[str], list[NodeDef]], nodes_per_step: int = 2
) -> Callable[[int], GraphDef]:
    """Build many copies of a few nodes, which share others; y reads the last node that `make` returns for a prefix."""

    def built(size: int) -> GraphDef:
        nodes, lasts = [placeholder("x", 1, 8, 8, 2), *before], []
        for number in range(size // nodes_per_step):
            nodes += make(f"p{number}/")
            lasts.append(nodes[-1].name)
        return graph(*nodes, added(lasts))

    return built


def conv(name: str, image: str, weights: str, op: str = "Conv2D", padding: bytes = b"SAME") -> NodeDef:
    return node(name, op, image, weights, strides=INTS, padding=padding)


def norm(name: str, image: str) -> NodeDef:
    return node(name, "FusedBatchNorm", image, "two", "two", "two", "two", is_training=False, epsilon=AttrValue(f=0.1))


def old_norm(name: str, image: str) -> NodeDef:
    inputs = [image, "two", "two", "two", "two"]
    return node(
        name,
        "BatchNormWithGlobalNormalization",
        *inputs,
        variance_epsilon=AttrValue(f=0.1),
        scale_after_normalization=True,
    )


W, TWO = floats("w", 1, 1, 2, 2), floats("two", 2)


PADS = values("pads", np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32))


SIZE = values("size", np.array([8, 8], np.int32))


BLOCK = [values("block", np.array([2, 2], np.int32)), values("crops", np.zeros((2, 2), np.int32))]


AXIS, INDICES = values("axis", np.int32(0)), values("indices", np.array([0], np.int32))


def layer_chain(op: str) -> Callable[[int], GraphDef]:
    """Convolutions with the same weights, each followed by a node that can be folded into it."""

    def make(size: int) -> GraphDef:
        nodes, last = [placeholder("x", 1, 8, 8, 2), W, TWO], "x"
        for number in range(size // 2):
            follow = {"Mul": lambda name, of: node(name, "Mul", of, "two"), "norm": norm, "old": old_norm}[op]
            nodes += [conv(f"c{number}", last, "w"), follow(f"n{number}", f"c{number}")]
            last = f"n{number}"
        return graph(*nodes, node("y", "Relu", last))

    return make


def fake_quants(size: int) -> GraphDef:
    nodes, last = [placeholder("x", 1, 2)], "x"
    for number in range(size // 2):
        nodes += [
            node(f"r{number}", "Relu", last),
            node(f"q{number}", "FakeQuantWithMinMaxArgs", f"r{number}", min=AttrValue(f=-1), max=AttrValue(f=1)),
        ]
        last = f"q{number}"
    return graph(*nodes, node("y", "Relu", last))


def pass_through_weights(size: int) -> GraphDef:
    """Weights behind many Identity nodes, each of which is used by a layer."""
    nodes, last, lasts = [placeholder("x", 1, 8, 8, 2), W, TWO], "w", []
    for number in range(size // 3):
        nodes += [
            node(f"i{number}", "Identity", last),
            conv(f"c{number}", "x", f"i{number}"),
            norm(f"n{number}", f"c{number}"),
        ]
        last = f"i{number}"
        lasts.append(f"n{number}")
    return graph(*nodes, added(lasts))


def requantization(size: int) -> GraphDef:
    nodes = [placeholder("x", 1), node("q", "QuantizeV2", "x", "x", "x", T=DataType.DT_QINT32)]
    for number in range(size // 2):
        nodes.append(node(f"r{number}", "RequantizationRange", "q", "q:1", "q:2", Tinput=DataType.DT_QINT32))
    return graph(*nodes, added(f"r{number}" for number in range(size // 2)))


GRAPHS: dict[str, Callable[[int], GraphDef]] = {
    "layers, one Mul each": many(
        [W, TWO], lambda at: [conv(at + "c", "x", "w"), node(at + "m", "Mul", at + "c", "two")]
    ),
    "one layer, many Mul": many([W, TWO, conv("c", "x", "w")], lambda at: [node(at + "m", "Mul", "c", "two")], 1),
    "one layer, many norms": many([W, TWO, conv("c", "x", "w")], lambda at: [norm(at + "n", "c")], 1),
    "one layer, many old norms": many([W, TWO, conv("c", "x", "w")], lambda at: [old_norm(at + "n", "c")], 1),
    "layers with norms": many([W, TWO], lambda at: [conv(at + "c", "x", "w"), norm(at + "n", at + "c")]),
    "chain of layers and Mul": layer_chain("Mul"),
    "chain of layers and norms": layer_chain("norm"),
    "chain of layers and old norms": layer_chain("old"),
    "one pad, many layers": many(
        [W, PADS, node("p", "MirrorPad", "x", "pads", mode=b"REFLECT", Tpaddings=INT32)],
        lambda at: [conv(at + "c", "p", "w", padding=b"VALID")],
        1,
    ),
    "pads and layers": many(
        [W, PADS],
        lambda at: [
            node(at + "p", "MirrorPad", "x", "pads", mode=b"REFLECT", Tpaddings=INT32),
            conv(at + "c", at + "p", "w", padding=b"VALID"),
        ],
    ),
    "one resize, many layers": many(
        [W, SIZE, node("r", "ResizeBilinear", "x", "size")], lambda at: [conv(at + "c", "r", "w", padding=b"VALID")], 1
    ),
    "resizes and layers": many(
        [W, SIZE],
        lambda at: [node(at + "r", "ResizeBilinear", "x", "size"), conv(at + "c", at + "r", "w", padding=b"VALID")],
    ),
    "one block, many layers": many(
        [W, *BLOCK, node("s", "SpaceToBatchND", "x", "block", "crops")],
        lambda at: [
            conv(at + "c", "s", "w", padding=b"VALID"),
            node(at + "b", "BatchToSpaceND", at + "c", "block", "crops"),
        ],
    ),
    "one table, many look-ups": many(
        [TWO, AXIS, INDICES], lambda at: [node(at + "g", "GatherV2", "two", "indices", "axis", **LOOKUP)], 1
    ),
    "look-ups behind Identity": many(
        [floats("v", 8), AXIS, INDICES],
        lambda at: [node(at + "i", "Identity", "v"), node(at + "g", "GatherV2", at + "i", "indices", "axis", **LOOKUP)],
    ),
    "fake quants": fake_quants,
    "weights behind Identity": pass_through_weights,
    "requantization": requantization,
}
