"""Record whether TensorFlow imports changed graphs: answers.jsonl.gz.

    python -m tests.golden.importing.answers          # with a Python that has TensorFlow 2.12

Each of `BASES` is a graph that TensorFlow imports. `cases()` applies every change to every node that it fits, in the
graph and in its functions. A line has the name of a case ("loop/NextIteration n: input 0 is unknown") and the beginning
of TensorFlow's message, which is an empty string for a graph that it imports.
"""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

from tests.golden.isolation import run_isolated
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorShapeProto, VersionDef

__all__ = ["BASES", "FILE", "PRODUCER", "cases", "goldens", "import_answer", "record"]

FILE = Path(__file__).with_name("answers.jsonl.gz")
PRODUCER = 1395

_INPUT = "x = Placeholder[dtype=float, shape=(2, 3)]\n"
BASES = {
    "dense": _INPUT
    + dedent("""
    w = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6}(3, 2)]
    m = MatMul(x, w)[T=float, transpose_a=false]
    size = Const[dtype=int32, value=int32{-1, 4}(2)]
    y = Reshape(m, size)[T=float, Tshape=int32]
    """),
    "convolution": dedent("""
    x = Placeholder[dtype=float, shape=(-1, 8, 8, 3)]
    w = Const[dtype=float, value=float{1}(3, 3, 3, 4)]
    b = Const[dtype=float, value=float{1}(4)]
    c = Conv2D(x, w)[T=float, padding="SAME", strides=[1, 2, 2, 1], data_format="NHWC"]
    y = BiasAdd(c, b)[T=float]
    """),
    "references": _INPUT
    + dedent("""
    v = VariableV2[dtype=float, shape=(2, 3)]
    p = Placeholder[dtype=bool, shape=()]
    a = AssignAdd(v, x)[T=float, _class=["loc:@v"]]
    s = RefSwitch(a, p)[T=float]
    y = Identity(s:1, ^a)[T=float]
    """),
    "resources": _INPUT
    + dedent("""
    v = VarHandleOp[dtype=float, shape=(2, 3)]
    p = Placeholder[dtype=bool, shape=()]
    s = Switch(v, p)[T=resource]
    r = ReadVariableOp(s:1)[dtype=float]
    y = Add(r, x)[T=float]
    """),
    "loop": dedent("""
    i = Const[dtype=int32, value=int32{0}()]
    one = Const[dtype=int32, value=int32{1}()]
    e = Enter(i)[T=int32, frame_name="f"]
    k = Enter(one)[T=int32, frame_name="f", is_constant=true]
    m = Merge(e, n)[N=2, T=int32]
    less = Less(m, k)[T=int32]
    c = LoopCond(less)
    s = Switch(m, c)[T=int32]
    a = Add(s:1, k)[T=int32]
    n = NextIteration(a)[T=int32]
    y = Exit(s)[T=int32]
    """),
    "call": dedent("""
    g: (a: float) -> (r: float = t:y:0)
    g: t = Tanh(a)[T=float]
    f: (a: float, b: float) -> (r: float = m:product:0, q: float = h:output:0)
    f: h = PartitionedCall(a)[f=@g, Tin=[float], Tout=[float]]
    f: m = MatMul(h:output:0, b, ^h)[T=float]
    """)
    + _INPUT
    + dedent("""
    w = Const[dtype=float, value=float{1}(3, 2)]
    z = StatefulPartitionedCall(x, w)[f=@f, Tin=[float, float], Tout=[float, float]]
    y = AddN(z, z)[N=2, T=float]
    """),
    "branches": dedent("""
    f: (a: float) -> (r: float = n:y:0)
    f: n = Neg(a)[T=float]
    g: (a: float) -> (r: float = n:y:0)
    g: n = Sigmoid(a)[T=float]
    """)
    + _INPUT
    + dedent("""
    p = Placeholder[dtype=bool, shape=()]
    y = If(p, x)[Tcond=bool, Tin=[float], Tout=[float], then_branch=@f, else_branch=@g]
    """),
    "direct": dedent("""
    f: (a: float) -> (r: float = n:y:0)
    f: n = Neg(a)[T=float]
    """)
    + _INPUT
    + "y = f(x)\n",
    "shapes": _INPUT
    + dedent("""
    axis = Const[dtype=int32, value=int32{1}()]
    s = Split(axis, x)[T=float, num_split=3]
    c = ConcatV2(s, s:2, axis)[N=2, T=float, Tidx=int32]
    q = Squeeze(s:1)[T=float, squeeze_dims=[1], _output_shapes=[(2)]]
    y = Pack(q, q)[N=2, T=float, axis=0]
    """),
}

DTYPES = (DataType.DT_FLOAT, DataType.DT_INT32, DataType.DT_STRING, DataType.DT_RESOURCE, DataType.DT_FLOAT_REF)
DEVICES = ("/job:worker/task:1/device:GPU:0", "/gpu:*", "cpu", "somewhere", "/task:x", "/cpu:0/gpu:0", "/device:GPU")
VALUES = {
    "empty": AttrValue(),
    "an int": AttrValue(i=3),
    "a string": AttrValue(s=b"text"),
    "a list": AttrValue(list=AttrValue.ListValue(i=[0, 1])),
    "a placeholder": AttrValue(placeholder="P"),
}

Change = Callable[[NodeDef], object]


def cases() -> Iterator[tuple[str, GraphDef]]:
    """Yield the name of each case, and the graph."""
    for name, text in BASES.items():
        base = graph(text)
        base.versions = VersionDef(producer=PRODUCER)
        yield name, base
        bodies = [(None, base.node), *((number, f.node_def) for number, f in enumerate(_functions(base)))]
        for number, nodes in bodies:
            for position, node in enumerate(nodes):
                for what, change in _changes(node, nodes):
                    changed = copy.deepcopy(base)
                    body = changed.node if number is None else _functions(changed)[number].node_def
                    change(body[position])
                    place = "" if number is None else f"function {number}, "
                    yield f"{name}/{place}{node.op} {node.name}: {what}", changed
        for what, changed in _whole(base):
            yield f"{name}/{what}", changed


def _functions(message: GraphDef) -> list:
    return message.library.function if message.library is not None else []


def _changes(node: NodeDef, nodes: list[NodeDef]) -> Iterator[tuple[str, Change]]:
    """Yield changes of a node, with a description."""
    for op in ("Relu", "Nosuch", "NextIteration", "Const"):
        yield f"op {op}", lambda node, op=op: setattr(node, "op", op)
    for name in (nodes[0].name, "", "_n", "a b", "a>b", "n/"):
        yield f"name {name!r}", lambda node, name=name: setattr(node, "name", name)
    for device in DEVICES:
        yield f"device {device}", lambda node, device=device: setattr(node, "device", device)
    for index, text in enumerate(node.input):
        others = [nodes[0].name, nodes[-1].name, f"{text}:7", f"^{text.lstrip('^')}", "nosuch", ""]
        for other in dict.fromkeys(others):
            yield f"input {index} is {other!r}", lambda node, i=index, other=other: _set_input(node, i, other)
        yield f"input {index} removed", lambda node, i=index: _set_input(node, i, None)
    for added in (nodes[0].name, f"^{nodes[-1].name}", "^nosuch"):
        yield f"input {added} added", lambda node, added=added: setattr(node, "input", [*node.input, added])
    for key, value in sorted(node.attr.items()):
        yield f"without {key}", lambda node, key=key: node.attr.pop(key)
        for what, other in VALUES.items():
            yield f"{key} is {what}", lambda node, key=key, other=other: node.attr.update({key: other})
        if value.type is not None:
            for dtype in DTYPES:
                change = AttrValue(type=dtype)
                yield f"{key} is {dtype.name}", lambda node, key=key, new=change: node.attr.update({key: new})
    for what, (key, added) in _ADDED.items():
        yield f"with {what}", lambda node, key=key, added=added: node.attr.update({key: added})
    yield "with a place beside the first node", lambda node, first=nodes[0].name: _set_place(node, first)


_ADDED = {
    "an unknown attribute": ("unknown", AttrValue(i=1)),
    "a place beside an unknown node": ("_class", AttrValue(list=AttrValue.ListValue(s=[b"loc:@nosuch"]))),
    "a string as place": ("_class", AttrValue(s=b"loc:@x")),
    "two scalar output shapes": (
        "_output_shapes",
        AttrValue(list=AttrValue.ListValue(shape=[TensorShapeProto(), TensorShapeProto()])),
    ),
}


def _set_place(node: NodeDef, other: str) -> None:
    node.attr["_class"] = AttrValue(list=AttrValue.ListValue(s=[b"loc:@" + other.encode()]))


def _set_input(node: NodeDef, index: int, text: str | None) -> None:
    inputs = list(node.input)
    inputs[index : index + 1] = [] if text is None else [text]
    node.input = inputs


def _whole(base: GraphDef) -> Iterator[tuple[str, GraphDef]]:
    """Yield changes of nodes as a whole, of functions and of versions."""
    for position, node in enumerate(base.node):
        yield f"without {node.name}", _with(base, [*base.node[:position], *base.node[position + 1 :]])
        yield f"{node.name} twice", _with(base, [*base.node, copy.deepcopy(node)])
    yield "reversed", _with(base, [*reversed(base.node)])
    for versions in (VersionDef(producer=8), VersionDef(producer=27, min_consumer=12), VersionDef(producer=9999)):
        changed = copy.deepcopy(base)
        changed.versions = versions
        yield f"versions {versions.producer} {versions.min_consumer}", changed
    for number, function in enumerate(_functions(base)):
        for what, change in _FUNCTION_CHANGES.items():
            changed = copy.deepcopy(base)
            change(changed.library.function, number)
            yield f"{what} {function.signature.name}", changed


def _with(base: GraphDef, nodes: list[NodeDef]) -> GraphDef:
    changed = copy.deepcopy(base)
    changed.node = nodes
    return changed


_FUNCTION_CHANGES: dict[str, Callable[[list, int], object]] = {
    "without function": lambda functions, number: functions.pop(number),
    "twice function": lambda functions, number: functions.append(copy.deepcopy(functions[number])),
    "named like an op, function": lambda functions, number: setattr(functions[number].signature, "name", "Relu"),
    "without result, function": lambda functions, number: functions[number].ret.clear(),
    "another result, function": lambda functions, number: functions[number].ret.update(r="nosuch:y:0"),
    "another type of argument, function": lambda functions, number: setattr(
        functions[number].signature.input_arg[0], "type", DataType.DT_INT32
    ),
    "another type of result, function": lambda functions, number: setattr(
        functions[number].signature.output_arg[0], "type", DataType.DT_INT32
    ),
    "without nodes, function": lambda functions, number: setattr(functions[number], "node_def", []),
}


def goldens() -> dict[str, str]:
    """TensorFlow's answers by the names of the cases."""
    return dict(map(json.loads, gzip.decompress(FILE.read_bytes()).splitlines()))


def import_answer(message: GraphDef) -> str:
    """Return the beginning of TensorFlow's message; "" for a graph that it imports."""
    import tensorflow as tf

    with tf.Graph().as_default():
        try:
            tf.import_graph_def(tf.compat.v1.GraphDef.FromString(message.to_bytes()), name="")
        except (ValueError, TypeError, tf.errors.OpError) as error:
            text = str(error).removeprefix("Converting GraphDef to Graph has failed with an error: ")
            return (" ".join(text.split()) or type(error).__name__)[:80]
    return ""


def _answers(messages: list[GraphDef]) -> list[str]:
    """Return the answers, of processes that are forked for many graphs. A graph that kills one gets one of its own."""
    answers: list[str] = []
    for start in range(0, len(messages), _IN_A_PROCESS):
        part = messages[start : start + _IN_A_PROCESS]
        said = run_isolated(lambda part=part: [import_answer(message) for message in part], seconds=3 + len(part) // 25)
        if isinstance(said, list):
            answers += said
        elif len(part) == 1:
            answers.append(f"the process died: {said}")
        else:
            answers += _answers(part[: len(part) // 2]) + _answers(part[len(part) // 2 :])
    return answers


_IN_A_PROCESS = 500


def record(file: Path, every: dict[str, GraphDef], characters: int) -> None:
    """Write the names of the cases and the beginnings of the answers to a file."""
    import tensorflow as tf

    print(f"asking TensorFlow {tf.__version__} about {len(every):,} graphs")
    answers = [answer[:characters] for answer in _answers([*every.values()])]
    lines = [json.dumps(row, ensure_ascii=False) for row in zip(every, answers, strict=True)]
    file.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


if __name__ == "__main__":
    record(FILE, dict(cases()), 80)
