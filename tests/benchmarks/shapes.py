"""Generated files for benchmarks, each with one kind of content that may be slow for a codec."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from pbwire import Message
from tfmodel.messages import AttrValue, DataType, FullTypeDef, GraphDef, NodeDef, TensorProto, TensorShapeProto

__all__ = ["SHAPES", "frozen", "make"]

Dim = TensorShapeProto.Dim


def structure(nodes: int = 6_000) -> GraphDef:
    """Return a graph like a training graph: many small nodes with the same few attributes."""
    shape = TensorShapeProto(dim=[Dim(size=-1), Dim(size=64)])
    attrs = {
        "T": AttrValue(type=DataType.DT_FLOAT),
        "_class": AttrValue(list=AttrValue.ListValue(s=[b"loc:@layer/weights"])),
        "_output_shapes": AttrValue(list=AttrValue.ListValue(shape=[shape])),
        "transpose_a": AttrValue(b=False),
    }
    node = [
        NodeDef(name=f"block_{n % 40}/layer_{n}/op", op="MatMul", input=[f"block/in_{n}", "^init"], attr=dict(attrs))
        for n in range(nodes)
    ]
    return GraphDef(node=node)


def no_repetition(nodes: int = 4_000) -> GraphDef:
    """The same with names, keys and values that are all different."""
    rng = random.Random(1)

    def word() -> str:
        return f"{rng.randrange(1 << 60):x}"

    def value() -> AttrValue:
        kinds = [
            AttrValue(s=word().encode()),
            AttrValue(i=rng.randrange(1 << 40)),
            AttrValue(f=rng.random()),
            AttrValue(shape=TensorShapeProto(dim=[Dim(size=rng.randrange(1 << 20)) for _ in range(4)])),
        ]
        return rng.choice(kinds)

    return GraphDef(
        node=[
            NodeDef(name=word(), op=word(), input=[word(), word()], attr={word(): value() for _ in range(4)})
            for _ in range(nodes)
        ]
    )


def packed(numbers: int = 500_000) -> TensorProto:
    """A few huge packed lists: small and large varints, floats, doubles."""
    rng = random.Random(2)
    return TensorProto(
        int_val=[rng.randrange(100) for _ in range(numbers)],
        int64_val=[rng.randrange(-(1 << 20), 1 << 40) for _ in range(numbers)],
        float_val=[float(rng.randrange(1000)) for _ in range(numbers)],
        double_val=[rng.random() for _ in range(numbers)],
        bool_val=[rng.random() < 0.5 for _ in range(numbers)],
    )


def deep(messages: int = 1_500) -> FullTypeDef:
    """Return messages nested to the maximum depth."""
    roots = []
    for _ in range(messages):
        inner = FullTypeDef(type_id=1000)
        for _ in range(97):
            inner = FullTypeDef(args=[inner])
        roots.append(inner)
    return FullTypeDef(args=roots)


def frozen(size: int = 100_000_000, nodes: int = 1_200) -> GraphDef:
    """A frozen network: few nodes, and nearly all of its bytes in the weights of every fourth."""
    weights = bytes(size // (nodes // 4))
    tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_content=weights)
    tensor.tensor_shape = TensorShapeProto(dim=[Dim(size=len(weights) // 4)])
    attrs = {"dtype": AttrValue(type=DataType.DT_FLOAT), "value": AttrValue(tensor=tensor)}
    node = []
    for n in range(0, nodes, 4):
        node.append(NodeDef(name=f"layer_{n}/weights", op="Const", attr=attrs))
        last = f"layer_{n - 4}/relu" if n else "input"
        for op, inputs in (("Conv2D", [last, f"layer_{n}/weights"]), ("BiasAdd", ["conv", "bias"]), ("Relu", ["add"])):
            attr = {"T": AttrValue(type=DataType.DT_FLOAT), "data_format": AttrValue(s=b"NHWC")}
            node.append(NodeDef(name=f"layer_{n}/{op.lower()}", op=op, input=inputs, attr=attr))
    return GraphDef(node=node)


SHAPES: dict[str, Callable[[], Message]] = {
    "structure": structure,
    "no repetition": no_repetition,
    "packed": packed,
    "deep": deep,
    "frozen": frozen,
}


def make(name: str, folder: Path) -> tuple[Path, str]:
    """Write that shape to a file; its path and its message's full name."""
    message = SHAPES[name]()
    path = folder / f"{name.replace(' ', '_')}.pb"
    with path.open("wb") as out:
        out.writelines(message.to_buffers())
    return path, message.__table__.full_name
