"""Large graphs whose edges, names and attributes provoke quadratic algorithms."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.hostile.graphs import constant, graph, node, placeholder
from tests.hostile.large.builders import INT32, added, values
from tests.support.strategies_graphs import value_of
from tests.tfmodel.models import shape
from tfmodel.messages import (
    AttrValue,
    GraphDef,
)

__all__ = ["GRAPHS"]


def chain(op: str, second: bool = False) -> Callable[[int], GraphDef]:
    """y = op(op(... op(x)))"""

    def make(size: int) -> GraphDef:
        names = ["x", *(f"n{number}" for number in range(size - 1)), "y"]
        pairs = itertools.pairwise(names)
        return graph(placeholder("x", 1), *(node(new, op, old, *[old] * second) for old, new in pairs))

    return make


def reversed_chain(size: int) -> GraphDef:
    graph_def = chain("Relu")(size)
    return GraphDef(node=graph_def.node[::-1])


def constant_chain(size: int) -> GraphDef:
    names = ["c", *(f"n{number}" for number in range(size))]
    pairs = itertools.pairwise(names)
    added = (node(new, "AddV2", old, "c") for old, new in pairs)
    return graph(placeholder("x", 1), constant("c", [1.0], 1), *added, node("y", "AddV2", "x", names[-1]))


def growing_vectors(size: int) -> GraphDef:
    """Vectors, each longer by one than the previous one."""
    nodes = [placeholder("x", 2), values("one", np.ones(1, np.int32)), values("axis", np.int32(0))]
    last = "one"
    for number in range(size):
        nodes.append(node(f"n{number}", "ConcatV2", last, "one", "axis", T=INT32, Tidx=INT32, N=2))
        last = f"n{number}"
    return graph(*nodes, node("y", "Reshape", "x", last, Tshape=INT32))


def growing_shapes(size: int) -> GraphDef:
    """The same with non-constant parts."""
    graph_def = growing_vectors(size)
    graph_def.node[1] = node("one", "Shape", "x", out_type=INT32)
    return graph_def


def growing_ranks(size: int) -> GraphDef:
    nodes = [placeholder("x", 2), values("axis", np.int32(0))]
    names = ["x", *(f"n{number}" for number in range(size - 1)), "y"]
    for old, new in itertools.pairwise(names):
        nodes.append(node(new, "ExpandDims", old, "axis", Tdim=INT32))
    return graph(*nodes)


def fan(size: int, op: str = "Neg") -> GraphDef:
    """A node with many consumers, and a node that consumes all of these."""
    names = [f"n{number}" for number in range(size)]
    return graph(placeholder("x", 1), node("h", op, "x"), *(node(name, op, "h") for name in names), added(names))


def repeated_input(size: int) -> GraphDef:
    return graph(placeholder("x", 1), node("h", "Neg", "x"), added(["h"] * size))


def many_ports(size: int) -> GraphDef:
    return graph(
        placeholder("x", size),
        values("axis", np.int32(0)),
        node("s", "Split", "axis", "x", num_split=size),
        added(f"s:{number}" if number else "s" for number in range(size)),
    )


def controls(size: int) -> GraphDef:
    """A node with many control inputs, each of which has the previous one as control input."""
    names = [f"n{number}" for number in range(size)]
    nodes = [node(name, "Neg", "x", *([f"^{names[number - 1]}"] * (number > 0))) for number, name in enumerate(names)]
    return graph(placeholder("x", 1), *nodes, node("y", "Neg", "x", *(f"^{name}" for name in names)))


def waited_for(size: int) -> GraphDef:
    """Constants and Identity nodes with control inputs: sqrt(size) nodes, each with sqrt(size) control inputs."""
    side = int(size**0.5)
    firsts = [node(f"a{number}", "Identity", "x", *(f"^b{other}" for other in range(side))) for number in range(side)]
    seconds = [node(f"b{number}", "NoOp", *(f"^c{other}" for other in range(side))) for number in range(side)]
    thirds = [node(f"c{number}", "Identity", "x") for number in range(side)]
    return graph(placeholder("x", 1), *thirds, *seconds, *firsts, added(f"a{number}" for number in range(side)))


def layers_of_no_ops(size: int) -> GraphDef:
    """NoOp nodes in layers of three, each with the whole previous layer as control inputs."""
    nodes = [placeholder("x", 1)]
    before: list[str] = []
    for number in range(size // 3):
        names = [f"n{number}_{part}" for part in range(3)]
        nodes += [node(name, "NoOp", *(f"^{name}" for name in before)) for name in names]
        before = names
    return graph(*nodes, node("y", "Neg", "x", *(f"^{name}" for name in before)))


def deep_names(size: int) -> GraphDef:
    """A name with many parts, and sqrt(size) names with sqrt(size) parts."""
    side = int(size**0.5)
    names = ["a/" * number + "n" for number in range(1, side)] + ["b/" * size + "n"]
    return graph(placeholder("x", 1), *(node(name, "Neg", "x") for name in names), added(names))


def long_name(size: int) -> GraphDef:
    names = ["n" * size, "n" * size + "_1"]
    return graph(placeholder("x", 1), *(node(name, "Neg", "x") for name in names), added(names))


def numbered_names(size: int) -> GraphDef:
    """Names like those of new nodes in transforms."""
    names = [f"y_{number}" for number in range(size)]
    return graph(placeholder("x", 1), *(node(name, "Relu", "x") for name in names), added(names))


def nested_scopes(size: int) -> GraphDef:
    """Nested scopes of two nodes each."""
    names = [format(number, "b").replace("1", "a/").replace("0", "b/") + "n" for number in range(1, size)]
    return graph(placeholder("x", 1), *(node(name, "Neg", "x") for name in names), added(names))


def colocated(groups: Callable[[int, int], list[bytes]]) -> Callable[[int], GraphDef]:
    def make(size: int) -> GraphDef:
        names = [f"n{number}" for number in range(size)]
        nodes = [
            node(name, "Neg", "x", _class=AttrValue(list=AttrValue.ListValue(s=groups(number, size))))
            for number, name in enumerate(names)
        ]
        return graph(placeholder("x", 1), *nodes, added(names))

    return make


def attributes(size: int) -> GraphDef:
    more: Any = {f"_a{number}": number for number in range(size)}
    return graph(placeholder("x", 1), node("y", "Neg", "x", **more))


def square_of_attributes(size: int) -> GraphDef:
    """sqrt(size) nodes with sqrt(size) attributes."""
    side = int(size**0.5)
    more: Any = {f"_a{number}": value_of(number) for number in range(side)}
    names = [f"n{number}" for number in range(side)]
    return graph(placeholder("x", 1), *(node(name, "Neg", "x", **more) for name in names), added(names))


def placeholders(size: int) -> GraphDef:
    names = [f"p{number}" for number in range(size)]
    return graph(placeholder("x", 1), *(placeholder(name, 1) for name in names), added(["x", *names]))


def unused(size: int) -> GraphDef:
    return graph(
        placeholder("x", 1), node("y", "Neg", "x"), *(node(f"n{number}", "Neg", "x") for number in range(size))
    )


def duplicates(size: int) -> GraphDef:
    """Pairs of nodes that become duplicates once their inputs are merged."""
    nodes, pairs = [placeholder("x", 1)], ["x", "x"]
    for number in range(size // 2):
        nodes += [node(f"{side}{number}", "Neg", old) for side, old in zip("ab", pairs, strict=True)]
        pairs = [f"a{number}", f"b{number}"]
    return graph(*nodes, added(pairs))


def equal_constants(size: int) -> GraphDef:
    names = [f"c{number}" for number in range(size)]
    return graph(placeholder("x", 1), *(constant(name, [1.0], 1) for name in names), added(["x", *names]))


def output_shapes(size: int) -> GraphDef:
    """A node with an attribute that lists the shapes of very many outputs."""
    shapes = AttrValue(list=AttrValue.ListValue(shape=[shape(1)] * size))
    return graph(placeholder("x", 1), node("y", "Neg", "x", _output_shapes=shapes))


def missing(size: int) -> GraphDef:
    """Nodes with missing inputs, whose names resemble many others."""
    return graph(
        placeholder("x", 1),
        *(node(f"node{number}", "Neg", f"nodes{number}") for number in range(size)),
        node("y", "Neg", "x"),
    )


def same_names(size: int) -> GraphDef:
    return graph(placeholder("x", 1), *(node("n", "Neg", "x") for _ in range(size)), node("y", "Neg", "n"))


def circles(size: int) -> GraphDef:
    pairs = [(f"a{number}", f"b{number}") for number in range(size // 2)]
    nodes = [node(name, "Neg", other) for a, b in pairs for name, other in ((a, b), (b, a))]
    return graph(placeholder("x", 1), *nodes, node("y", "Neg", "x"))


def one_circle(size: int) -> GraphDef:
    nodes = [node(f"n{number}", "Neg", f"n{(number + 1) % size}") for number in range(size)]
    return graph(placeholder("x", 1), *nodes, node("y", "Neg", "x"))


GRAPHS: dict[str, Callable[[int], GraphDef]] = {
    "chain of Identity": chain("Identity"),
    "chain of AddV2": chain("AddV2", second=True),
    "chain of Relu": chain("Relu"),
    "chain backwards": reversed_chain,
    "chain of constants": constant_chain,
    "growing vectors": growing_vectors,
    "growing shapes": growing_shapes,
    "growing ranks": growing_ranks,
    "fan": fan,
    "fan of Identity": lambda size: fan(size, "Identity"),
    "repeated input": repeated_input,
    "many ports": many_ports,
    "controls": controls,
    "waiting for many": waited_for,
    "layers of NoOp": layers_of_no_ops,
    "deep names": deep_names,
    "long name": long_name,
    "numbered names": numbered_names,
    "nested scopes": nested_scopes,
    "colocated with one": colocated(lambda number, size: [b"loc:@n0"]),
    "colocated in a chain": colocated(lambda number, size: [b"loc:@n%d" % max(number - 1, 0)]),
    "colocated chain backwards": colocated(lambda number, size: [b"loc:@n%d" % min(number + 1, size - 1)]),
    "colocated with all": colocated(
        lambda number, size: [b"loc:@n%d" % target for target in range(size if number == 1 else 0)]
    ),
    "attributes": attributes,
    "nodes and attributes": square_of_attributes,
    "placeholders": placeholders,
    "unused": unused,
    "duplicates": duplicates,
    "equal constants": equal_constants,
    "output shapes": output_shapes,
    "missing": missing,
    "same names": same_names,
    "circles": circles,
    "one circle": one_circle,
}
