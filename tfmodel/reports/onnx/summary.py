"""`summarize_onnx`: what is in an ONNX model: its inputs and outputs, ops, parameters, functions and other files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pbwire.errors import class_name
from pbwire.message import Message

from ...errors import FileFormatError, with_name
from ...files.decoding import naming_damage
from ...files.detection import is_onnx
from ...messages import as_dataclass
from ...source.model_source import HasSource, ModelSource
from ...source.opening import Content
from ...values.report import Report
from .external import ExternalFile, external_files
from .graphs import onnx_bodies, op_name, tensors
from .text import headline, summary_lines
from .types import OnnxValue, TensorFacts, tensor_facts, value_of

if TYPE_CHECKING:
    from ...messages import ProtobufMessage
    from ...onnx_messages import ModelProto

GivenOnnx: TypeAlias = "Content | ModelProto | ProtobufMessage | ModelSource | HasSource"


@dataclass(frozen=True, slots=True)
class OnnxOpset:
    """The version of the operators of a domain. The domain of ONNX itself is "ai.onnx"."""

    domain: str
    version: int


@dataclass(frozen=True, slots=True)
class OnnxOp:
    """An op and the number of its nodes, in functions and in graphs inside of nodes too.

    op             with its domain, if that is not the one of ONNX: "Conv", "com.microsoft.FusedConv"
    is_function    whether it is a function of the model
    """

    op: str
    nodes: int
    is_function: bool = False


@dataclass(frozen=True, slots=True)
class OnnxFunction:
    """A function of the model: its name with its domain, and the numbers of its nodes and of nodes that call it."""

    name: str
    nodes: int
    calls: int


@dataclass(frozen=True, slots=True)
class OnnxTensors:
    """The tensors of one kind and one type: "initializer", "sparse initializer" or "constant"."""

    kind: str
    dtype: str
    count: int
    elements: int
    bytes: int


@dataclass(frozen=True, slots=True, repr=False)
class OnnxSummary(Report):
    """The description of an ONNX model.

    name              the file; empty for a message
    ir_version        the version of the format; None if the model does not have it
    producer          the program that wrote it, and its version; so are `domain` and `model_version` those of the model
    graph             the name of the graph
    opsets            the versions of the operators that the model uses
    inputs, outputs   of the graph, inputs without those that an initializer gives a value
    defaults          the number of inputs that have an initializer as their value, unless they are fed
    nodes             the number of nodes of the graph
    subgraphs         the number of graphs inside of nodes, such as the bodies of loops, and `subgraph_nodes` of nodes
                      in them; those in functions count too
    ops               the ops of all nodes, the most frequent first
    parameters        the number of elements of all initializers, and `parameter_bytes` the bytes of their values
    tensors           initializers, and the values of Constant nodes, by type
    external          the other files that have values of tensors; they are not read
    quantized         the number of tensors with an annotation of how they are quantized
    training          the number of graphs that train the model
    metadata          other facts that the writer added
    problems          tensors whose values do not fit them, and files that lack or are elsewhere
    """

    name: str
    ir_version: int | None
    producer: str
    producer_version: str
    domain: str
    model_version: int | None
    graph: str
    doc: str
    opsets: Sequence[OnnxOpset]
    inputs: Sequence[OnnxValue]
    outputs: Sequence[OnnxValue]
    defaults: int
    nodes: int
    subgraphs: int
    subgraph_nodes: int
    functions: Sequence[OnnxFunction]
    ops: Sequence[OnnxOp]
    parameters: int
    parameter_bytes: int
    tensors: Sequence[OnnxTensors]
    external: Sequence[ExternalFile]
    quantized: int
    training: int
    metadata: Mapping[str, str]
    problems: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return asdict(self)

    def headline(self) -> str:
        """Return the numbers of nodes and parameters, the inputs and the outputs."""
        return headline(self)

    def to_text(self, *, all: bool = False) -> str:
        """Return the description as text, safe to show on a terminal; without `all`, about ten lines of it."""
        return "".join(f"{line}\n" for line in self.lines(all=all))

    def lines(self, *, all: bool = False) -> Iterator[str]:
        """Return the lines of `to_text`."""
        return summary_lines(self, all=all)


def summarize_onnx(model: GivenOnnx) -> OnnxSummary:
    """Describe an ONNX model: a path, bytes, "-", or a ModelProto of `tfmodel.onnx_messages`.

    Values of tensors are not decoded, and other files are not opened, so large models take little time and memory.
    Raises FileFormatError for other and damaged files, TypeError for other messages, and OSError.
    """
    message = as_dataclass(model)
    if isinstance(message, Message) and is_onnx(type(message)):
        return _summary(message, "", None)
    if isinstance(message, Message):
        raise TypeError(f"expected an ONNX ModelProto or a path, not {class_name(message)}")
    source = ModelSource.of(message)
    found = source.onnx
    if found is None:
        raise FileFormatError(with_name(source.name, "this is not an ONNX model"))
    path = source.file.path if source.file is not None else ""
    with naming_damage(source.file):
        return _summary(found, source.name, os.path.dirname(path) if path else None)


def _summary(model: Any, name: str, folder: str | None) -> OnnxSummary:
    graph = model.graph
    bodies = list(onnx_bodies(model))
    initializers: dict[str, list[TensorFacts]] = {"initializer": [], "sparse initializer": [], "constant": []}
    for kind, tensor in tensors(model):
        initializers[kind].append(tensor_facts(tensor))
    every = [facts for same in initializers.values() for facts in same]
    weights = initializers["initializer"] + initializers["sparse initializer"]
    given = {facts.name for facts in weights} if graph is not None else set()
    inputs = [value_of(info) for info in graph.input] if graph is not None else []
    ops = Counter(op_name(node.domain, node.op_type) for body in bodies for node in body.nodes)
    functions = {op_name(function.domain, function.name): len(function.node) for function in model.functions}
    inner = [body for body in bodies if body.depth]
    external = external_files(every, folder)
    return OnnxSummary(
        name,
        model.ir_version,
        model.producer_name or "",
        model.producer_version or "",
        model.domain or "",
        model.model_version,
        (graph.name or "") if graph is not None else "",
        model.doc_string or (graph is not None and graph.doc_string) or "",
        [OnnxOpset(one.domain or "ai.onnx", one.version or 0) for one in model.opset_import],
        [value for value in inputs if value.name not in given],
        [value_of(info) for info in graph.output] if graph is not None else [],
        sum(value.name in given for value in inputs),
        len(graph.node) if graph is not None else 0,
        len(inner),
        sum(len(body.nodes) for body in inner),
        [OnnxFunction(function, nodes, ops[function]) for function, nodes in functions.items()],
        [OnnxOp(op, count, op in functions) for op, count in sorted(ops.items(), key=lambda item: (-item[1], item[0]))],
        sum(facts.elements for facts in weights),
        sum(facts.size for facts in weights),
        [row for kind, same in initializers.items() for row in _by_type(kind, same)],
        external,
        len(graph.quantization_annotation) if graph is not None else 0,
        len(model.training_info),
        {entry.key or "": entry.value or "" for entry in model.metadata_props},
        [*_problems(graph, every), *(f"{file.location}: {file.state}" for file in external if file.is_wrong)],
    )


def _by_type(kind: str, tensors: Iterable[TensorFacts]) -> Iterator[OnnxTensors]:
    by_type: dict[str, list[TensorFacts]] = {}
    for facts in tensors:
        by_type.setdefault(facts.dtype, []).append(facts)
    for dtype, same in by_type.items():
        yield OnnxTensors(
            kind, dtype, len(same), sum(facts.elements for facts in same), sum(facts.size for facts in same)
        )


def _problems(graph: Any, tensors: Iterable[TensorFacts]) -> Iterator[str]:
    if graph is None:
        yield "the model has no graph"
    for facts in tensors:
        if facts.problem:
            yield f"tensor {facts.name!r}: {facts.problem}" if facts.name else f"a tensor: {facts.problem}"
