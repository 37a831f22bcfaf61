"""The kinds of data: three of TensorFlow's, from the corpus if there is one, and five that are made from a seed."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pbwire import Message
from tests.support import corpus
from tfmodel.messages import GraphDef, MetaGraphDef, SavedModel

from . import makers

__all__ = ["KINDS", "Kind", "Sample", "covering", "samples"]

SEED = 1
FILES = 3  # of each kind, from the corpus
MAX_VALUES = 100  # numbers of a list in a small message
SIZES = range(20_000, 1_000_000)  # bytes of those files

EDITED = {
    "tensorflow.GraphDef": "node.name",
    "tensorflow.MetaGraphDef": "graph_def.node.name",
    "tensorflow.SavedModel": "meta_graphs.graph_def.node.name",
    "benchmark.traces.Trace": "spans.name",
    "benchmark.records.Table": "records.title",
    "benchmark.numbers.Extract": "blocks.name",
    "benchmark.strings.Catalog": "entries.title",
    "benchmark.proto.FileDescriptorSet": "file.message_type.name",
}
"""The string that the task "edit" changes in a message: names of fields; of a repeated one, the middle element."""


@dataclass(frozen=True)
class Kind:
    """One kind of data. `size` is what `make` takes with a seed; `patterns` are names of files of the corpus."""

    name: str
    make: Callable[[int, int], Message]
    size: int
    patterns: tuple[str, ...] = ()
    message: type[Message] | None = None

    @property
    def is_tensorflow(self) -> bool:
        return self.message is not None


@dataclass(frozen=True, eq=False)
class Sample:
    """One message of a kind. `source` says where it is from: a file's name, or "made"."""

    kind: Kind
    source: str
    message: Message

    @property
    def full_name(self) -> str:
        return self.message.__table__.full_name

    @property
    def edited(self) -> str:
        return EDITED[self.full_name]


KINDS = {
    kind.name: kind
    for kind in (
        Kind("TF1 graphs", makers.training_graph, 1000, ("*.meta", "*.meta.gz"), MetaGraphDef),
        Kind("SavedModels", makers.saved_model, 1000, ("*saved_model.pb", "*saved_model.pb.gz"), SavedModel),
        Kind("frozen graphs", makers.frozen_graph, 300, ("*frozen.pb", "*frozen.pb.gz"), GraphDef),
        Kind("traces", makers.traces, 100),
        Kind("records", makers.records, 1000),
        Kind("numbers", makers.numbers, 10),
        Kind("strings", makers.strings, 1500),
        Kind("descriptors", makers.descriptors, 10),
    )
}


def samples(kind: Kind, scale: float = 1) -> list[Sample]:
    """Return messages of a kind: some of the corpus or, without any and for a scale below 1, one that is made."""
    found = list(_corpus_samples(kind)) if kind.is_tensorflow and scale >= 1 else []
    found.sort(key=lambda sample: len(sample.message.to_bytes()))
    if found:
        last = len(found) - 1
        return [found[index] for index in sorted({round(last * n / (FILES - 1)) for n in range(FILES)})]
    return [Sample(kind, "made", kind.make(SEED, max(1, round(kind.size * scale))))]


def _corpus_samples(kind: Kind) -> Iterator[Sample]:
    """Yield the files of a kind, each content once."""
    contents = set()
    for path in corpus.corpus_files():
        if any(map(path.match, kind.patterns)):
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            if len(data) in SIZES and data not in contents:
                contents.add(data)
                assert kind.message
                message = kind.message.from_bytes(data)
                if kind.message is not SavedModel or _is_of_tensorflow_2(message):
                    yield Sample(kind, path.name, message)


def _is_of_tensorflow_2(model: Any) -> bool:
    return any(graph.object_graph_def is not None for graph in model.meta_graphs)


def covering(message: Message) -> Message:
    """Return a small message that sets each field of each class that a message sets.

    Whoever decodes it has all classes compiled that the message needs, but has seen little of its content.
    """
    copy = type(message).from_bytes(message.to_bytes())
    _keep_new(copy, set())
    return copy


def _keep_new(message: Message, seen: set[tuple[type, str]]) -> bool:
    """Remove elements whose fields have been seen before, from all lists and maps. Return whether a field is new."""
    is_new = False
    for field, value in message.ListFields():
        key = (type(message), field.name)
        is_first = key not in seen
        seen.add(key)
        is_new |= is_first
        if isinstance(value, Message):
            is_new |= _keep_new(value, seen)
        elif isinstance(value, (list, dict)):
            items = list(value.values() if isinstance(value, dict) else value)
            if isinstance(items[0], Message):
                kept = [index for index, item in enumerate(items) if _keep_new(item, seen)]
                is_new |= bool(kept)
            else:
                kept = list(range(min(len(items), MAX_VALUES)))
            keys = list(value) if isinstance(value, dict) else []
            kept = kept or [0] * is_first
            content = {keys[index]: items[index] for index in kept} if keys else [items[index] for index in kept]
            setattr(message, field.name, content)
    return is_new
