"""Data of each kind, made from a seed: the same seed and size give the same message.

`size` is the number of the elements that a message consists of: nodes, spans, records, blocks, entries, messages.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pbwire import proto
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    SavedModel,
    SavedObject,
    SavedObjectGraph,
    SavedVariable,
    TensorProto,
    TensorShapeProto,
    TrackableObjectGraph,
)

__all__ = [
    "descriptor_files",
    "descriptors",
    "frozen_graph",
    "made_files",
    "numbers",
    "records",
    "saved_model",
    "strings",
    "traces",
    "training_graph",
]

PROTOS = Path(__file__).parent / "protos"
WORDS = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
    *("mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi"),
)
OPS = ("MatMul", "BiasAdd", "Relu", "Identity", "Mul", "Reshape", "Const", "AssignVariableOp")


class Chance(random.Random):
    """Random words, names and text."""

    def word(self) -> str:
        return f"{self.choice(WORDS)}_{self.choice(WORDS)}"

    def name(self) -> str:
        return f"{self.word()}/{self.word()}_{self.randrange(1000)}"

    def text(self, words: int) -> str:
        return " ".join(self.choice(WORDS) for _ in range(words))


# --- TensorFlow's, for use without a corpus ---------------------------------------------------------------------------


def _shape(*sizes: int) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def _graph(chance: Chance, size: int) -> GraphDef:
    nodes: list[NodeDef] = []
    for _ in range(size):
        shapes = AttrValue.ListValue(shape=[_shape(-1, chance.choice((1, 32, 64)))])
        attr = {
            "T": AttrValue(type=DataType.DT_FLOAT),
            "_class": AttrValue(list=AttrValue.ListValue(s=[f"loc:@{chance.word()}".encode()])),
            "_output_shapes": AttrValue(list=shapes),
            "transpose_a": AttrValue(b=chance.random() < 0.1),
        }
        inputs = [node.name for node in chance.sample(nodes, min(2, len(nodes)))]
        nodes.append(NodeDef(name=chance.name(), op=chance.choice(OPS), input=inputs, attr=attr))
    return GraphDef(node=nodes)


def training_graph(seed: int, size: int) -> MetaGraphDef:
    """Return a graph like that of a training: many nodes with the same few attributes."""
    return MetaGraphDef(graph_def=_graph(Chance(seed), size))


def saved_model(seed: int, size: int) -> SavedModel:
    """Return a graph with the objects of TensorFlow 2, one for each node."""
    chance = Chance(seed)
    reference = TrackableObjectGraph.TrackableObject.ObjectReference
    objects = [
        SavedObject(
            children=[reference(node_id=chance.randrange(size), local_name=chance.word()) for _ in range(3)],
            variable=SavedVariable(dtype=DataType.DT_FLOAT, shape=_shape(3, 3, 64), trainable=True, name=chance.name()),
        )
        for _ in range(size)
    ]
    graph = MetaGraphDef(graph_def=_graph(chance, size), object_graph_def=SavedObjectGraph(nodes=objects))
    return SavedModel(saved_model_schema_version=1, meta_graphs=[graph])


def frozen_graph(seed: int, size: int) -> GraphDef:
    """Return a graph in which every third node is a constant of 4 kB."""
    chance = Chance(seed)
    graph = _graph(chance, size)
    for node in graph.node[::3]:
        tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=_shape(32, 32))
        tensor.tensor_content = chance.randbytes(4096)
        node.op, node.input = "Const", []
        node.attr = {"dtype": AttrValue(type=DataType.DT_FLOAT), "value": AttrValue(tensor=tensor)}
    return graph


# --- others -----------------------------------------------------------------------------------------------------------


def made_files(name: str) -> Any:
    """Return the FileDescriptorSet of one of the folder's .proto files."""
    return proto.descriptors(f"{name}.proto", include=[PROTOS])


@cache
def _types(name: str) -> SimpleNamespace:
    return _short_names(proto.load_set(made_files(name)))


def _short_names(types: Any) -> SimpleNamespace:
    """Return the classes of the package's messages as attributes."""
    return SimpleNamespace(**{name.rpartition(".")[2]: cls for name, cls in types.items() if name.count(".") == 2})


def traces(seed: int, size: int) -> Any:
    """Return a trace of `size` trees of spans, each up to 20 spans deep."""
    chance, t = Chance(seed), _types("traces")
    start, trace_id = 1_700_000_000_000_000_000, chance.randbytes(16)

    def attributes(count: int) -> list[Any]:
        return [
            t.Attribute(key=chance.word(), value=t.Value(text=chance.name())),
            t.Attribute(key=chance.word(), value=t.Value(number=chance.randrange(1 << 30))),
            t.Attribute(key=chance.word(), value=t.Value(flag=True)),
            t.Attribute(key=chance.word(), value=t.Value(real=chance.random())),
            t.Attribute(key=chance.word(), value=t.Value(list=t.Values(values=[t.Value(text=chance.word())] * 2))),
        ][:count]

    def span(depth: int) -> Any:
        begin = start + chance.randrange(10**9)
        return t.Span(
            trace_id=trace_id,
            span_id=chance.randbytes(8),
            name=chance.name(),
            start=begin,
            end=begin + chance.randrange(10**6),
            kind=chance.randrange(3),
            attributes=attributes(chance.randrange(6)),
            events=[t.Event(time=begin, name=chance.word(), attributes=attributes(1))] if chance.random() < 0.3 else [],
            status=t.Status(code=2, message=chance.text(5)) if chance.random() < 0.1 else None,
            children=[span(depth - 1)] if depth else [],
        )

    return t.Trace(service=chance.word(), spans=[span(chance.randrange(21)) for _ in range(size)])


def records(seed: int, size: int) -> Any:
    """Return records of 60 fields, of which each sets four always and a tenth of the others."""
    chance, t = Chance(seed), _types("records")

    def money() -> Any:
        return t.Money(currency="EUR", units=chance.randrange(1000), fraction=chance.randrange(100))

    by_default: dict[type, Callable[[], Any]] = {
        str: chance.word,
        int: partial(chance.randrange, 10_000),
        float: partial(chance.randrange, 10_000),
        bool: lambda: True,
        bytes: partial(chance.randbytes, 12),
    }
    empty = t.Record()
    makers = {name: by_default.get(type(getattr(empty, name))) for name in t.Record.__dataclass_fields__}
    makers |= {name: by_default[kind] for name, kind in (("priority", int), ("nickname", str), ("limit", float))}
    makers |= {
        "consent": lambda: False,
        "state": lambda: chance.randrange(3),
        "tags": lambda: [chance.word(), chance.word()],
        "choices": lambda: chance.choices(range(300), k=3),
        "amounts": lambda: [chance.random()],
        "total": money,
        "paid": money,
        "items": lambda: [money(), money()],
        "extra": lambda: {chance.word(): chance.word()},
    }
    always = ("id", "title", "email", "created")
    sometimes = {name: make for name, make in makers.items() if make and name not in (*always, "unknown_fields")}

    def record(number: int) -> Any:
        made = t.Record(id=number, title=chance.text(3), email=f"{chance.word()}@example.org", created=10**12 + number)
        for name, make in sometimes.items():
            if chance.random() < 0.1:
                setattr(made, name, make())
        return made

    return t.Table(name=chance.word(), records=[record(n) for n in range(size)])


def numbers(seed: int, size: int) -> Any:
    """Return blocks of 1,000 small steps, with some large ones, numbers of other types, and 100 ways of short lists."""
    chance, t = Chance(seed), _types("numbers")

    def steps(spread: int, count: int = 1000) -> list[int]:
        return [round(chance.gauss(0, spread if chance.random() < 0.95 else spread * 1000)) for _ in range(count)]

    def block() -> Any:
        ways = [
            t.Way(
                id=chance.randrange(1 << 32),
                keys=chance.choices(range(500), k=chance.randrange(4)),
                values=chance.choices(range(500), k=chance.randrange(4)),
                refs=steps(200, chance.randrange(12)),
            )
            for _ in range(100)
        ]
        return t.Block(
            name=chance.name(),
            ids=[chance.randrange(1, 4) for _ in range(1000)],
            latitudes=steps(500),
            longitudes=steps(50_000),
            versions=[chance.randrange(1, 6) for _ in range(1000)],
            words=[chance.randrange(20_000) for _ in range(1000)],
            times=[1_700_000_000_000 + chance.randrange(10**9) for _ in range(200)],
            weights=[chance.random() for _ in range(500)],
            levels=[float(chance.randrange(1000)) for _ in range(500)],
            visible=[chance.random() < 0.9 for _ in range(500)],
            hashes=[chance.randrange(1 << 64) for _ in range(200)],
            ways=ways,
        )

    return t.Extract(source=chance.word(), blocks=[block() for _ in range(size)])


def strings(seed: int, size: int) -> Any:
    """Return entries of about ten small strings."""
    chance, t = Chance(seed), _types("strings")

    def entry(number: int) -> Any:
        return t.Entry(
            id=f"{number:06}",
            title=chance.text(4) + chance.choice(("", " \N{EN DASH} ä")),
            author=chance.word(),
            language=chance.choice(("de", "en", "fr")),
            tags=[chance.word() for _ in range(chance.randrange(5))],
            labels={chance.word(): chance.word() for _ in range(chance.randrange(4))},
            digest=chance.randbytes(8),
        )

    translations = {chance.name(): chance.word() for _ in range(size)}
    entries = [entry(n) for n in range(size)]
    return t.Catalog(title=chance.text(2), entries=entries, translations=translations)


# --- descriptors ------------------------------------------------------------------------------------------------------


@cache
def descriptor_files() -> Any:
    """Return the descriptors of Google's descriptor.proto, proto2, as if it were another file and package.

    Libraries have the original, so that some of them generate no code for it.
    """
    google = proto.descriptors("google/protobuf/descriptor.proto")
    renamed = google.to_bytes().replace(b".google.protobuf.", b".benchmark.proto.")  # of the same length
    copy = type(google).from_bytes(renamed)
    for file in copy.file:
        file.name, file.package, file.options = "descriptors.proto", "benchmark.proto", None
        for message in file.message_type:
            _drop_options(message)
    return copy


def _drop_options(message: Any) -> None:
    message.extension_range = [type(item)(start=item.start, end=item.end) for item in message.extension_range]
    for field in message.field:
        field.options = None
    for nested in message.nested_type:
        _drop_options(nested)


def descriptors(seed: int, size: int) -> Any:
    """Return a FileDescriptorSet of files with ten messages each, and with source locations and comments."""
    chance, t = Chance(seed), _descriptor_types()
    field_class = t.FieldDescriptorProto
    kinds, labels = list(field_class.Type), list(field_class.Label)

    def option() -> Any:
        part = t.UninterpretedOption.NamePart(name_part=chance.word(), is_extension=True)
        return t.UninterpretedOption(name=[part], positive_int_value=chance.randrange(100))

    def field(number: int) -> Any:
        kind = chance.choice(kinds)
        made = field_class(name=chance.word(), number=number, label=chance.choice(labels), type=kind)
        if kind in (field_class.Type.TYPE_MESSAGE, field_class.Type.TYPE_ENUM):
            made.type_name = f".{chance.word()}.{chance.word()}"
        if chance.random() < 0.2:
            made.options = t.FieldOptions(deprecated=True, uninterpreted_option=[option()] * chance.randrange(2))
        return made

    def message(nested: int) -> Any:
        values = [t.EnumValueDescriptorProto(name=chance.word().upper(), number=number) for number in range(4)]
        return t.DescriptorProto(
            name=chance.word(),
            field=[field(number) for number in range(1, chance.randrange(2, 12))],
            nested_type=[message(0) for _ in range(nested)],
            enum_type=[t.EnumDescriptorProto(name=chance.word(), value=values)] * (chance.random() < 0.3),
        )

    def location() -> Any:
        made = t.SourceCodeInfo.Location(path=chance.choices(range(8), k=chance.choice((2, 4, 6))))
        made.span = [chance.randrange(1000), 2, chance.randrange(100)]
        if chance.random() < 0.3:
            made.leading_comments = f" {chance.text(8)}\n"
        return made

    def file() -> Any:
        messages = [message(chance.randrange(3)) for _ in range(10)]
        locations = [location() for _ in range(200)]
        options = t.FileOptions(java_package=chance.word(), optimize_for=1)
        made = t.FileDescriptorProto(name=f"{chance.name()}.proto", package=chance.word(), message_type=messages)
        made.options = options
        made.source_code_info = t.SourceCodeInfo(location=locations)
        return made

    return t.FileDescriptorSet(file=[file() for _ in range(size)])


@cache
def _descriptor_types() -> SimpleNamespace:
    return _short_names(proto.load_set(descriptor_files()))
