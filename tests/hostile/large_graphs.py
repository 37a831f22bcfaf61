"""Large graphs whose structure provokes quadratic algorithms: `make(size)` returns about `size` nodes or edges."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pbwire import Message
from tests.hostile.graphs import FLOAT, call, constant, function, graph, node, placeholder
from tests.strategies_graphs import value_of
from tests.tfmodel.models import shape
from tfmodel.messages import (
    AttrValue,
    CollectionDef,
    DataType,
    GraphDef,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    SignatureDef,
    TensorInfo,
)
from tfmodel.tensors import from_ndarray

__all__ = ["MAKERS"]

BOOL, INT32, STRING, RESOURCE = DataType.DT_BOOL, DataType.DT_INT32, DataType.DT_STRING, DataType.DT_RESOURCE
INTS = AttrValue(list=AttrValue.ListValue(i=[1, 1, 1, 1]))


def values(name: str, array: Any) -> NodeDef:
    tensor = from_ndarray(array)
    attr = {"dtype": AttrValue(type=DataType(tensor.dtype)), "value": AttrValue(tensor=tensor)}
    return NodeDef(name=name, op="Const", attr=attr)


def floats(name: str, *sizes: int) -> NodeDef:
    return values(name, np.linspace(1, 2, int(np.prod(sizes)), dtype=np.float32).reshape(sizes))


def added(names: Iterable[str], name: str = "y") -> NodeDef:
    listed = list(names)
    return node(name, "AddN", *listed, N=len(listed))


def chain(op: str, second: bool = False) -> Callable[[int], GraphDef]:
    """y = op(op(... op(x)))"""

    def make(size: int) -> GraphDef:
        names = ["x", *(f"n{number}" for number in range(size - 1)), "y"]
        pairs = itertools.pairwise(names)
        return graph(placeholder("x", 1), *(node(new, op, old, *[old] * second) for old, new in pairs))

    return make


def reversed_chain(size: int) -> GraphDef:
    given = chain("Relu")(size)
    return GraphDef(node=given.node[::-1])


def constant_chain(size: int) -> GraphDef:
    names = ["c", *(f"n{number}" for number in range(size))]
    pairs = itertools.pairwise(names)
    added = (node(new, "AddV2", old, "c") for old, new in pairs)
    return graph(placeholder("x", 1), constant("c", [1.0], 1), *added, node("y", "AddV2", "x", names[-1]))


def growing_vectors(size: int) -> GraphDef:
    """Each node is a vector that is longer by one than the one before."""
    nodes = [placeholder("x", 2), values("one", np.ones(1, np.int32)), values("axis", np.int32(0))]
    last = "one"
    for number in range(size):
        nodes.append(node(f"n{number}", "ConcatV2", last, "one", "axis", T=INT32, Tidx=INT32, N=2))
        last = f"n{number}"
    return graph(*nodes, node("y", "Reshape", "x", last, Tshape=INT32))


def growing_shapes(size: int) -> GraphDef:
    """The same, of parts that are not constant."""
    given = growing_vectors(size)
    given.node[1] = node("one", "Shape", "x", out_type=INT32)
    return given


def growing_ranks(size: int) -> GraphDef:
    nodes = [placeholder("x", 2), values("axis", np.int32(0))]
    names = ["x", *(f"n{number}" for number in range(size - 1)), "y"]
    for old, new in itertools.pairwise(names):
        nodes.append(node(new, "ExpandDims", old, "axis", Tdim=INT32))
    return graph(*nodes)


def fan(size: int, op: str = "Neg") -> GraphDef:
    """One node with many users, and another one that takes them all."""
    names = [f"n{number}" for number in range(size)]
    return graph(placeholder("x", 1), node("h", op, "x"), *(node(name, op, "h") for name in names), added(names))


def repeated_input(size: int) -> GraphDef:
    return graph(placeholder("x", 1), node("h", "Neg", "x"), added(["h"] * size))


def many_ports(size: int) -> GraphDef:
    return graph(
        placeholder("x", size), values("axis", np.int32(0)), node("s", "Split", "axis", "x", num_split=size),
        added(f"s:{number}" if number else "s" for number in range(size)),
    )  # fmt: skip


def controls(size: int) -> GraphDef:
    """A node that waits for many, one of which waits for the one before."""
    names = [f"n{number}" for number in range(size)]
    nodes = [node(name, "Neg", "x", *([f"^{names[number - 1]}"] * (number > 0))) for number, name in enumerate(names)]
    return graph(placeholder("x", 1), *nodes, node("y", "Neg", "x", *(f"^{name}" for name in names)))


def waited_for(size: int) -> GraphDef:
    """Many constants and Identity nodes that wait for many, in all combinations of a square root."""
    side = int(size**0.5)
    firsts = [node(f"a{number}", "Identity", "x", *(f"^b{other}" for other in range(side))) for number in range(side)]
    seconds = [node(f"b{number}", "NoOp", *(f"^c{other}" for other in range(side))) for number in range(side)]
    thirds = [node(f"c{number}", "Identity", "x") for number in range(side)]
    return graph(placeholder("x", 1), *thirds, *seconds, *firsts, added(f"a{number}" for number in range(side)))


def layers_of_no_ops(size: int) -> GraphDef:
    """NoOp nodes in layers of three, each of which waits for all of the layer before."""
    nodes = [placeholder("x", 1)]
    before: list[str] = []
    for number in range(size // 3):
        names = [f"n{number}_{part}" for part in range(3)]
        nodes += [node(name, "NoOp", *(f"^{each}" for each in before)) for name in names]
        before = names
    return graph(*nodes, node("y", "Neg", "x", *(f"^{each}" for each in before)))


def deep_names(size: int) -> GraphDef:
    """A name with many parts, and a square root of names with a square root of parts."""
    side = int(size**0.5)
    names = ["a/" * number + "n" for number in range(1, side)] + ["b/" * size + "n"]
    return graph(placeholder("x", 1), *(node(name, "Neg", "x") for name in names), added(names))


def long_name(size: int) -> GraphDef:
    names = ["n" * size, "n" * size + "_1"]
    return graph(placeholder("x", 1), *(node(name, "Neg", "x") for name in names), added(names))


def numbered_names(size: int) -> GraphDef:
    """Names of the kind that transforms make for new nodes."""
    names = [f"y_{number}" for number in range(size)]
    return graph(placeholder("x", 1), *(node(name, "Relu", "x") for name in names), added(names))


def nested_scopes(size: int) -> GraphDef:
    """Scopes of two nodes inside of scopes of two ..."""
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
    """A square root of nodes with a square root of attributes."""
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
    """Pairs that are equal as soon as those that they take are one."""
    nodes, pairs = [placeholder("x", 1)], ["x", "x"]
    for number in range(size // 2):
        nodes += [node(f"{side}{number}", "Neg", old) for side, old in zip("ab", pairs, strict=True)]
        pairs = [f"a{number}", f"b{number}"]
    return graph(*nodes, added(pairs))


def equal_constants(size: int) -> GraphDef:
    names = [f"c{number}" for number in range(size)]
    return graph(placeholder("x", 1), *(constant(name, [1.0], 1) for name in names), added(["x", *names]))


def functions(size: int, *, chained: bool = False, called: bool = True) -> GraphDef:
    """Functions with one node; all called, or each called by the one before."""
    count = size // 3
    made = []
    for number in range(count):
        inner = chained and number + 1 < count
        body = call("n", f"f{number + 1}", "a") if inner else node("n", "Neg", "a")
        made.append(function(f"f{number}", [body], "n:output:0" if inner else "n:y:0"))
    if chained:
        return graph(placeholder("x", 1), call("y", "f0", "x"), functions=made)
    calls = [call(f"c{number}", f"f{number}" if called else "f0", "x") for number in range(count)]
    return graph(placeholder("x", 1), *calls, added(each.name for each in calls), functions=made)


def large_function(size: int) -> GraphDef:
    body = [node("n0", "Neg", "a"), *(node(f"n{number}", "Neg", f"n{number - 1}:y:0") for number in range(1, size))]
    made = function("f", body, f"n{size - 1}:y:0")
    return graph(placeholder("x", 1), call("y", "f", "x"), functions=[made])


def chain_of_calls(size: int) -> GraphDef:
    """Calls of one function, each with the result of the one before."""
    names = ["x", *(f"n{number}" for number in range(size // 3)), "y"]
    calls = [call(new, "f", old) for old, new in itertools.pairwise(names)]
    return graph(placeholder("x", 1), *calls, functions=[function("f", [node("n", "Neg", "a")], "n:y:0")])


def nested_frames(size: int) -> GraphDef:
    """Enter, of a frame in a frame in a frame ..., and as many Exit."""
    count = size // 2
    names = ["x", *(f"in{number}" for number in range(count)), *(f"out{number}" for number in range(count))]
    nodes = [
        node(new, "Enter", old, frame_name=f"f{number}".encode()) if number < count else node(new, "Exit", old)
        for number, (old, new) in enumerate(itertools.pairwise(names))
    ]
    return graph(placeholder("x", 1), *nodes, node("y", "Neg", names[-1]))


def loops(size: int) -> GraphDef:
    """Loops one after another."""
    nodes, last = [placeholder("x", 1), constant("false", [False], dtype=BOOL)], "x"
    for number in range(size // 7):
        at, frame = f"l{number}/", f"f{number}".encode()
        nodes += [
            node(f"{at}enter", "Enter", last, frame_name=frame),
            node(f"{at}merge", "Merge", f"{at}enter", f"{at}next", N=2),
            node(f"{at}false", "Enter", "false", T=BOOL, frame_name=frame, is_constant=True),
            node(f"{at}cond", "LoopCond", f"{at}false"),
            node(f"{at}switch", "Switch", f"{at}merge", f"{at}cond"),
            node(f"{at}next", "NextIteration", f"{at}switch:1"),
            node(f"{at}exit", "Exit", f"{at}switch:0"),
        ]
        last = f"{at}exit"
    return graph(*nodes, node("y", "Neg", last))


def many_enters(size: int) -> GraphDef:
    """One frame with many Enter nodes."""
    names = [f"n{number}" for number in range(size)]
    enters = [node(name, "Enter", "x", frame_name=b"f", is_constant=True) for name in names]
    return graph(placeholder("x", 1), *enters, added(names, "sum"), node("y", "Exit", "sum"))


def ladder(size: int) -> GraphDef:
    """Switch and Merge, one pair behind the other."""
    nodes, last = [placeholder("x", 1), constant("true", [True], dtype=BOOL)], "x"
    for number in range(size // 2):
        nodes += [
            node(f"s{number}", "Switch", last, "true"),
            node(f"m{number}", "Merge", f"s{number}", f"s{number}:1", N=2),
        ]
        last = f"m{number}"
    return graph(*nodes, node("y", "Neg", last))


def nested_switches(size: int) -> GraphDef:
    """A condition in a condition in a condition ..."""
    nodes, last = [placeholder("x", 1), node("p", "Placeholder", dtype=BOOL)], "x"
    for number in range(size // 2):
        nodes.append(node(f"s{number}", "Switch", last, "p"))
        last = f"s{number}:1"
    for number in reversed(range(size // 2)):
        nodes.append(node(f"m{number}", "Merge", f"s{number}", last, N=2))
        last = f"m{number}"
    return graph(*nodes, node("y", "Neg", last))


LOOKUP = {"Tparams": FLOAT, "Tindices": INT32, "Taxis": INT32}


def many(before: list[NodeDef], make: Callable[[str], list[NodeDef]], each: int = 2) -> Callable[[int], GraphDef]:
    """Many copies of a few nodes, which share other ones; `make` returns those of a prefix, the last one for y."""

    def built(size: int) -> GraphDef:
        nodes, lasts = [placeholder("x", 1, 8, 8, 2), *before], []
        for number in range(size // each):
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
    """Convolutions with the same weights, each followed by something that can be folded into it."""

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


def variables(size: int, *, resources: bool = True, initialized: bool = True) -> GraphDef:
    """Variables, all set by one initializer, and the sum of what they hold."""
    nodes, reads, sets, count = [placeholder("x"), values("zero", np.float32(0))], [], [], size // 3
    for number in range(count):
        name = f"v{number}"
        if resources:
            nodes += [
                node(name, "VarHandleOp", dtype=FLOAT, shape=AttrValue(shape=shape()), shared_name=name.encode()),
                node(f"{name}/Assign", "AssignVariableOp", name, "zero", dtype=FLOAT),
                node(f"{name}/Read", "ReadVariableOp", name, dtype=FLOAT),
            ]
        else:
            nodes += [
                node(name, "VariableV2", dtype=FLOAT, shape=AttrValue(shape=shape())),
                node(f"{name}/Assign", "Assign", name, "zero"),
                node(f"{name}/Read", "Identity", name),
            ]
        sets.append(f"^{name}/Assign")
        reads.append(f"{name}/Read")
    return graph(*nodes, node("init", "NoOp", *sets), added(["x", *reads]))


def savers(size: int) -> GraphDef:
    """Each variable has a node of its own that restores it."""
    nodes, reads = [placeholder("x"), values("path", np.array(b"model", object))], []
    for number in range(size // 6):
        name = f"v{number}"
        names, slices = np.array([name.encode()], object), np.array([b""], object)
        nodes += [
            node(name, "VariableV2", dtype=FLOAT, shape=AttrValue(shape=shape())),
            values(f"{name}/names", names),
            values(f"{name}/slices", slices),
            node(f"{name}/save", "SaveV2", "path", f"{name}/names", f"{name}/slices", name),
            node(f"{name}/restore", "RestoreV2", "path", f"{name}/names", f"{name}/slices",
                 dtypes=AttrValue(list=AttrValue.ListValue(type=[FLOAT]))),
            node(f"{name}/Assign", "Assign", name, f"{name}/restore"),
        ]  # fmt: skip
        reads.append(name)
    return graph(*nodes, added(["x", *reads]))


def tables(size: int, *, chained: bool = False) -> GraphDef:
    """Tables that are initialized, each with a look-up; or one, behind a chain of Identity nodes."""
    types = {"Tkey": STRING, "Tval": FLOAT}
    nodes = [placeholder("x"), values("keys", np.array([b"a"], object)), values("vals", np.ones(1, np.float32))]
    nodes += [values("default", np.float32(0)), values("key", np.array(b"a", object))]
    results, sets, count = [], [], size // 3
    last = "t"
    if chained:
        nodes.append(node("t", "HashTableV2", key_dtype=STRING, value_dtype=FLOAT, shared_name=b"t"))
    for number in range(count):
        name = f"t{number}"
        if chained:
            nodes.append(node(name, "Identity", last, T=RESOURCE))
        else:
            nodes.append(node(name, "HashTableV2", key_dtype=STRING, value_dtype=FLOAT, shared_name=name.encode()))
        last = name
        nodes += [
            node(
                f"{name}/set",
                "LookupTableImportV2" if chained and number else "InitializeTableV2",
                name,
                "keys",
                "vals",
                **types,
            ),
            node(f"{name}/find", "LookupTableFindV2", name, "key", "default", Tin=STRING, Tout=FLOAT),
        ]
        results.append(f"{name}/find")
        sets.append(f"^{name}/set")
    return graph(*nodes, node("init", "NoOp", *sets), added(["x", *results]))


def initializer_chain(size: int) -> GraphDef:
    """Variables each of which is set to the value of the one before."""
    nodes, before = [placeholder("x"), values("zero", np.float32(0))], "zero"
    for number in range(size // 3):
        name = f"v{number}"
        nodes += [
            node(name, "VarHandleOp", dtype=FLOAT, shape=AttrValue(shape=shape()), shared_name=name.encode()),
            node(f"{name}/Assign", "AssignVariableOp", name, before, dtype=FLOAT),
            node(f"{name}/Read", "ReadVariableOp", name, f"^{name}/Assign", dtype=FLOAT),
        ]
        before = f"{name}/Read"
    return graph(*nodes, node("y", "AddV2", "x", before))


def output_shapes(size: int) -> GraphDef:
    """A node that says the shapes of very many outputs."""
    shapes = AttrValue(list=AttrValue.ListValue(shape=[shape(1)] * size))
    return graph(placeholder("x", 1), node("y", "Neg", "x", _output_shapes=shapes))


def table_of_functions(size: int) -> GraphDef:
    """An attribute with a list of functions, all the same."""
    made = call("y", "f", "x")
    made.attr["_f"] = AttrValue(list=AttrValue.ListValue(func=[NameAttrList(name="f")] * size))
    return graph(placeholder("x", 1), made, functions=[function("f", [node("n", "Neg", "a")], "n:y:0")])


def missing(size: int) -> GraphDef:
    """Each node has an input that is not there, with a name like many others."""
    return graph(
        placeholder("x", 1),
        *(node(f"node{number}", "Neg", f"nodes{number}") for number in range(size)),
        node("y", "Neg", "x"),
    )


def same_names(size: int) -> GraphDef:
    return graph(placeholder("x", 1), *(node("n", "Neg", "x") for _ in range(size)), node("y", "Neg", "n"))


def circles(size: int) -> GraphDef:
    pairs = [(f"a{number}", f"b{number}") for number in range(size // 2)]
    nodes = [node(each, "Neg", other) for a, b in pairs for each, other in ((a, b), (b, a))]
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
        lambda number, size: [b"loc:@n%d" % each for each in range(size if number == 1 else 0)]
    ),
    "attributes": attributes,
    "nodes and attributes": square_of_attributes,
    "placeholders": placeholders,
    "unused": unused,
    "duplicates": duplicates,
    "equal constants": equal_constants,
    "functions": functions,
    "functions, one called": lambda size: functions(size, called=False),
    "chain of functions": lambda size: functions(size, chained=True),
    "large function": large_function,
    "chain of calls": chain_of_calls,
    "nested frames": nested_frames,
    "loops": loops,
    "many Enter": many_enters,
    "ladder of Switch": ladder,
    "nested Switch": nested_switches,
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
    "variables": variables,
    "old variables": lambda size: variables(size, resources=False),
    "savers": savers,
    "tables": tables,
    "one table": lambda size: tables(size, chained=True),
    "chain of initializers": initializer_chain,
    "output shapes": output_shapes,
    "list of functions": table_of_functions,
    "missing": missing,
    "same names": same_names,
    "circles": circles,
    "one circle": one_circle,
}


def meta(**more: Any) -> MetaGraphDef:
    info = MetaGraphDef.MetaInfoDef(tags=["serve"])
    return MetaGraphDef(meta_info_def=info, graph_def=graph(placeholder("x", 1), node("y", "Neg", "x")), **more)


def signature(inputs: Iterable[str] = ("x",), outputs: Iterable[str] = ("y",)) -> SignatureDef:
    def infos(keys: Iterable[str], name: str) -> dict[str, TensorInfo]:
        return {key: TensorInfo(name=f"{name}:0", dtype=FLOAT, tensor_shape=shape(1)) for key in keys}

    return SignatureDef(
        inputs=infos(inputs, "x"), outputs=infos(outputs, "y"), method_name="tensorflow/serving/predict"
    )


def signatures(size: int) -> MetaGraphDef:
    return meta(signature_def={f"s{number}": signature() for number in range(size)})


def large_signature(size: int) -> MetaGraphDef:
    names = [f"k{number}" for number in range(size)]
    return meta(signature_def={"serving_default": signature(names, names)})


def collections(size: int) -> MetaGraphDef:
    listed = CollectionDef(node_list=CollectionDef.NodeList(value=["x:0", "y:0"]))
    return meta(collection_def={f"c{number}": listed for number in range(size)})


def large_collection(size: int) -> MetaGraphDef:
    listed = CollectionDef(node_list=CollectionDef.NodeList(value=["x:0", "y:0"] * size))
    return meta(collection_def={"trainable_variables": listed, "table_initializer": listed})


def initializers(make: Callable[[int], GraphDef]) -> Callable[[int], MetaGraphDef]:
    """Graphs with a collection of everything that initializes something."""

    def made(size: int) -> MetaGraphDef:
        graph_def = make(size)
        names = [each.name for each in graph_def.node if each.name.endswith(("/set", "/Assign"))]
        listed = CollectionDef(node_list=CollectionDef.NodeList(value=names))
        info = MetaGraphDef.MetaInfoDef(tags=["serve"])
        given = signature()
        return MetaGraphDef(meta_info_def=info, graph_def=graph_def, collection_def={"table_initializer": listed},
                            signature_def={"serving_default": given})  # fmt: skip

    return made


META_GRAPHS: dict[str, Callable[[int], MetaGraphDef]] = {
    "signatures": signatures,
    "large signature": large_signature,
    "collections": collections,
    "large collection": large_collection,
    "tables": initializers(tables),
    "one table": initializers(lambda size: tables(size, chained=True)),
    "variables": initializers(variables),
    "old variables": initializers(lambda size: variables(size, resources=False)),
    "chain of initializers": initializers(initializer_chain),
    "savers": initializers(savers),
}

MAKERS: dict[str, Callable[[int], Message]] = {
    **GRAPHS,
    **{f"meta graph: {name}": META_GRAPHS[name] for name in META_GRAPHS},
}
