"""Record whether TensorFlow considers two graphs equal, and its message if not: answers.jsonl.gz.

    python -m tests.golden.diff.answers               # with a Python that has TensorFlow 2.12

Each line has the names of the `CHANGES` that turn the first graph, `base()`, into the second one, and TensorFlow's
message, which is an empty string for equal graphs.
"""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path

from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    TensorProto,
    TensorShapeProto,
    VersionDef,
)

__all__ = ["CHANGES", "FILE", "base", "changed_by", "goldens"]

FILE = Path(__file__).with_name("answers.jsonl.gz")

FLOAT, INT = AttrValue(type=DataType.DT_FLOAT), AttrValue(type=DataType.DT_INT32)
NAN, OTHER_NAN = struct.pack("<I", 0x7FC00000), struct.pack("<I", 0x7FC00001)


def shape(*sizes: int, names: Iterable[str] = ()) -> TensorShapeProto:
    dims = [TensorShapeProto.Dim(size=size) for size in sizes]
    for dim, name in zip(dims, names, strict=False):
        dim.name = name
    return TensorShapeProto(dim=dims)


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def tensor(*sizes: int, content: bytes = b"", values: Iterable[float] = ()) -> AttrValue:
    return AttrValue(
        tensor=TensorProto(
            dtype=DataType.DT_FLOAT, tensor_shape=shape(*sizes), tensor_content=content, float_val=list(values)
        )
    )


def strings(*values: bytes) -> AttrValue:
    tensor = TensorProto(dtype=DataType.DT_STRING, tensor_shape=shape(len(values)), string_val=list(values))
    return AttrValue(tensor=tensor)


def function(name: str, **attrs: AttrValue) -> NameAttrList:
    return NameAttrList(name=name, attr=attrs)


def listed(**values: list) -> AttrValue:
    return AttrValue(list=AttrValue.ListValue(**values))


def base() -> GraphDef:
    """A graph with an attribute of every kind."""
    return GraphDef(
        node=[
            NodeDef(
                name="x",
                op="Placeholder",
                device="/cpu:0",
                attr={"dtype": FLOAT, "shape": AttrValue(shape=shape(-1, 2))},
            ),
            NodeDef(name="c", op="Const", attr={"dtype": FLOAT, "value": tensor(3, content=floats(1, 0, 2))}),
            NodeDef(name="same", op="Const", attr={"dtype": FLOAT, "value": tensor(4, content=floats(5, 5, 5, 5))}),
            NodeDef(name="nan", op="Const", attr={"dtype": FLOAT, "value": tensor(2, content=NAN + NAN)}),
            NodeDef(
                name="text",
                op="Const",
                attr={"dtype": AttrValue(type=DataType.DT_STRING), "value": strings(b"a", b"b")},
            ),
            NodeDef(
                name="y",
                op="Op",
                input=["x", "c:0", "^same", "^nan", "^text"],
                attr={
                    "s": AttrValue(s=b"SAME"),
                    "i": AttrValue(i=1),
                    "f": AttrValue(f=0.5),
                    "b": AttrValue(b=True),
                    "T": FLOAT,
                    "shape": AttrValue(shape=shape(1, names=["n"])),
                    "func": AttrValue(func=function("f", T=FLOAT, i=AttrValue(i=1))),
                    "placeholder": AttrValue(placeholder="P"),
                    "ints": listed(i=[1, 2, 2, 1]),
                    "empty": listed(),
                    "funcs": listed(func=[function("f", T=FLOAT), function("g")]),
                    "shapes": listed(shape=[shape(1), shape()]),
                    "tensors": listed(tensor=[tensor(2, content=floats(1, 1)).tensor]),
                    "floats": listed(f=[0.5, float("nan")]),
                    "_internal": AttrValue(i=1),
                },
            ),
        ],
        versions=VersionDef(producer=1482),
    )


def at(name: str, change: Callable[[NodeDef], object]) -> Callable[[GraphDef], object]:
    return lambda graph: [change(node) for node in graph.node if node.name == name]


def attr(name: str, value: AttrValue | None, node: str = "y") -> Callable[[GraphDef], object]:
    if value is None:
        return at(node, lambda node: node.attr.pop(name, None))
    return at(node, lambda node: node.attr.update({name: value}))


def inputs(*names: str) -> Callable[[GraphDef], object]:
    return at("y", lambda node: setattr(node, "input", list(names)))


CHANGES: dict[str, Callable[[GraphDef], object]] = {
    "order": lambda graph: graph.node.reverse(),
    "versions": lambda graph: setattr(graph, "versions", None),
    "library": lambda graph: setattr(
        graph, "library", FunctionDefLibrary(function=[FunctionDef(signature=OpDef(name="f"))])
    ),
    "node added": lambda graph: graph.node.append(NodeDef(name="z", op="NoOp")),
    "node removed": lambda graph: graph.node.pop(0),
    "node renamed": at("c", lambda node: setattr(node, "name", "d")),
    "op": at("y", lambda node: setattr(node, "op", "Other")),
    "device": at("x", lambda node: setattr(node, "device", "/gpu:0")),
    "device removed": at("x", lambda node: setattr(node, "device", "")),
    "port zero": inputs("x:0", "c", "^same", "^nan", "^text"),
    "port one": inputs("x", "c:1", "^same", "^nan", "^text"),
    "inputs swapped": inputs("c", "x", "^same", "^nan", "^text"),
    "input removed": inputs("x", "^same", "^nan", "^text"),
    "controls in another order": inputs("x", "c", "^text", "^same", "^nan"),
    "control removed": inputs("x", "c", "^same", "^nan"),
    "control instead": inputs("x", "c", "^same", "^nan", "^c"),
    "attr added": attr("new", AttrValue(i=0)),
    "attr removed": attr("b", None),
    "internal changed": attr("_internal", AttrValue(i=2)),
    "internal removed": attr("_internal", None),
    "s": attr("s", AttrValue(s=b"VALID")),
    "i": attr("i", AttrValue(i=2)),
    "i as f": attr("i", AttrValue(f=1)),
    "f": attr("f", AttrValue(f=0.25)),
    "b": attr("b", AttrValue(b=False)),
    "T": attr("T", INT),
    "shape": attr("shape", AttrValue(shape=shape(2, names=["n"]))),
    "shape without names": attr("shape", AttrValue(shape=shape(1))),
    "shape of no rank": attr("shape", AttrValue(shape=TensorShapeProto(unknown_rank=True))),
    "func": attr("func", AttrValue(func=function("g", T=FLOAT, i=AttrValue(i=1)))),
    "func in another order": attr("func", AttrValue(func=function("f", i=AttrValue(i=1), T=FLOAT))),
    "func's attr": attr("func", AttrValue(func=function("f", T=INT, i=AttrValue(i=1)))),
    "func's attr removed": attr("func", AttrValue(func=function("f", T=FLOAT))),
    "placeholder": attr("placeholder", AttrValue(placeholder="Q")),
    "ints": attr("ints", listed(i=[1, 1, 2, 2])),
    "ints longer": attr("ints", listed(i=[1, 2, 2, 1, 1])),
    "ints as floats": attr("ints", listed(f=[1, 2, 2, 1])),
    "empty": attr("empty", listed(i=[0])),
    "funcs": attr("funcs", listed(func=[function("f", T=INT), function("g")])),
    "funcs swapped": attr("funcs", listed(func=[function("g"), function("f", T=FLOAT)])),
    "shapes": attr("shapes", listed(shape=[shape(2), shape()])),
    "tensors": attr("tensors", listed(tensor=[tensor(2, content=floats(1, 2)).tensor])),
    "floats": attr("floats", listed(f=[0.5, 0.5])),
    "value": attr("value", tensor(3, content=floats(1, 0, 3)), "c"),
    "value of minus zero": attr("value", tensor(3, content=floats(1, -0.0, 2)), "c"),
    "value listed": attr("value", tensor(3, values=[1, 0, 2]), "c"),
    "value of another shape": attr("value", tensor(1, 3, content=floats(1, 0, 2)), "c"),
    "value too short": attr("value", tensor(3, content=floats(1, 0)), "c"),
    "value once": attr("value", tensor(4, values=[5]), "same"),
    "value twice": attr("value", tensor(4, values=[5, 5]), "same"),
    "value goes on": attr("value", tensor(4, values=[5, 5, 6]), "same"),
    "another NaN": attr("value", tensor(2, content=NAN + OTHER_NAN), "nan"),
    "no NaN": attr("value", tensor(2, content=NAN + floats(1)), "nan"),
    "text": attr("value", strings(b"a", b"c"), "text"),
    "text longer": attr("value", strings(b"a", b"bb"), "text"),
    "dtype": attr("dtype", INT, "c"),
}


def changed_by(names: Iterable[str]) -> GraphDef:
    """Apply changes to `base()`."""
    graph = base()
    for name in names:
        CHANGES[name](graph)
    return graph


def goldens() -> list[tuple[tuple[str, ...], str]]:
    """The names of changes, and what TensorFlow says."""
    rows = map(json.loads, gzip.decompress(FILE.read_bytes()).splitlines())
    return [(tuple(names), verdict) for names, verdict in rows]


def main() -> None:
    from tensorflow.python.client.pywrap_tf_session import EqualGraphDefWrapper

    combined = [(), *((name,) for name in CHANGES), *combinations(CHANGES, 2)]
    rows = [(names, EqualGraphDefWrapper(changed_by(names).to_bytes(), base().to_bytes())) for names in combined]
    FILE.write_bytes(gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode(), mtime=0))


if __name__ == "__main__":
    main()
