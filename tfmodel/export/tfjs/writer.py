"""Write a model as a graph model of TensorFlow.js: see `tfmodel.files.tfjs.reader` for the format.

    model.json                 the graph without the values of its constants, the signature, the list of the weights
    group1-shard1of2.bin       the values of the constants, one after the other, in files of 4 MB
    group1-shard2of2.bin

Variables are frozen first, and only the nodes stay that the outputs need. The nodes that fill lookup tables become the
`modelInitializer`. Constants in functions get names of their own, since TensorFlow.js looks constants up by one name in
the whole model. Attributes that a node leaves out are written: TensorFlow.js does not know all defaults.

TensorFlow.js reads only the first output of a node that the signature names, and one entry for each node. For other
outputs, an Identity is added.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pbwire import json as pbjson
from pbwire.atomic import new_folder
from pbwire.codec.copy import share

from ... import __version__
from ...errors import GraphError
from ...files.decoding import Tags
from ...files.tfjs.reader import METADATA
from ...graph import Functions, const_tensor, replace_node, with_functions, with_nodes
from ...graph.error_text import quote
from ...graph.functions import function_name
from ...graph.view import GraphView
from ...messages import (
    TYPES,
    AttrValue,
    FunctionDef,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpDef,
    SignatureDef,
    TensorInfo,
    TensorProto,
)
from ...ops import Registry, output_types
from ...ops.ports import value_type
from ...optimizer import Optimized, optimize
from ...source.model_source import CheckpointSource, Given, ModelSource, Names
from ...source.signature_defs import tensor_keys
from ...transforms.framework.node_edits import DefaultAttributes
from ...transforms.framework.recipes import Recipe
from ...values.names import TakenNames, TensorName, node_name, shortest, with_node_name
from ...values.output_limit import limit_output
from ...values.terminal import escape
from .supported_ops import SUPPORTED_OPS
from .weights import Notes, Quantize, StoredWeight, parse_quantize, refuse_unmatched

SHARD_SIZE = 4 << 20
"""Bytes of a file of weights; browsers cache files of this size."""

_PRUNE = Recipe("keep what the outputs need", ("strip_unused_nodes",))
_SHOWN = 5  # names in a note


@dataclass(slots=True)
class SavedTfjs:
    """The model that `save_tfjs` has written.

    inputs, outputs     the keys of the signature, with the names of the tensors
    weights             the number of weights
    size                the bytes of the weights in the files
    files               the names of the files in the folder
    unsupported_ops     the ops of the model that TensorFlow.js does not have
    notes               lines about weights whose values have changed, ops, and the steps of freezing
    """

    inputs: dict[str, str]
    outputs: dict[str, str]
    weights: int
    size: int
    files: list[str]
    unsupported_ops: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def describe(self) -> str:
        """Return one line about the files, the inputs and the outputs."""
        count = len(self.files) - 1
        files = "1 file" if count == 1 else f"{count:,} files"
        inputs, outputs = (", ".join(map(escape, names)) or "none" for names in (self.inputs, self.outputs))
        return f"model.json and {files} of weights, {self.size:,} bytes; inputs: {inputs}; outputs: {outputs}"


def save_tfjs(
    model: Given,
    folder: str | os.PathLike[str],
    inputs: Names = None,
    outputs: Names = None,
    *,
    quantize: Quantize = None,
    shard_size: int = SHARD_SIZE,
    metadata: Mapping[str, Any] | None = None,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    progress: Callable[[str], object] | None = None,
) -> SavedTfjs:
    """Write a model as a graph model of TensorFlow.js, and return what was written.

    model, checkpoint, signature, tags    as for `freeze`; variables become constants
    folder          a new or empty folder; it appears only when it is complete
    inputs, outputs names of tensors; default: those of the signature or, without one, the likely ones
    quantize        "float16", "uint8" or "uint16" for all float32 weights, or patterns of names for each type:
                    {"uint8": "conv*", "float16": ["dense*", "out"]}, or {"float16": True} for the rest
    shard_size      the bytes of a file of weights
    metadata        kept as `userDefinedMetadata`; default: that of a model of TensorFlow.js
    progress        called with the name of each stage

    Without `quantize`, float32, int32, bool, complex64 and strings keep their values exactly; other types become the
    nearest of these, and `notes` name the weights whose values change by that.

    Raises ValueError for wrong options; the errors of `freeze`; GraphError for a model that cannot be written, and
    OSError.
    """
    pairs = parse_quantize(quantize)
    if type(shard_size) is not int or shard_size < 1:
        raise ValueError(f"shard_size must be at least 1, got {shard_size!r}")
    progress = progress or _ignore
    source = ModelSource.of(model, checkpoint=checkpoint, signature=signature, tags=tags).with_functions()
    optimized = optimize(source, inputs, outputs, recipe=_PRUNE, bind=False, verify=False, progress=progress)
    with source.naming(), limit_output(lambda: source.graph.ByteSize()):
        if optimized.assets:
            paths = ", ".join(sorted(map(os.path.basename, optimized.assets.values()))[:_SHOWN])
            problem = f"its tables are filled from files ({paths}), which a browser does not have"
            raise GraphError(f"{problem}: fill them from constants")
        parts = _Parts(optimized, source)
        refuse_unmatched(pairs, parts.constants)
        notes = Notes()
        weights = [StoredWeight(name, tensor, pairs, notes) for name, tensor in parts.constants.items()]
        document = parts.document()
        kept = _metadata(source.meta) if metadata is None else dict(metadata)
        if kept:
            document["userDefinedMetadata"] = kept
        size = sum(weight.size for weight in weights)
        count = -(-size // shard_size)
        names = [f"group1-shard{number}of{count}.bin" for number in range(1, count + 1)]
        document["weightsManifest"] = [{"paths": names, "weights": [weight.entry for weight in weights]}]
        text = _dump(document)
        progress("writing")
        with new_folder(os.fspath(folder)) as temporary:
            _write_shards([os.path.join(temporary, name) for name in names], weights, shard_size)
            with open(os.path.join(temporary, "model.json"), "wb") as file:
                file.write(text)
    unsupported = sorted(parts.ops - SUPPORTED_OPS)
    return SavedTfjs(
        _spelled(parts.signature.inputs),
        _spelled(parts.signature.outputs),
        len(weights),
        size,
        ["model.json", *names],
        unsupported,
        [*optimized.notes, *_notes(notes, unsupported)],
    )


def _spelled(infos: Mapping[str, TensorInfo]) -> dict[str, str]:
    return {key: shortest(name) for key, name in tensor_keys(infos).items()}


def _ignore(text: str) -> None:
    """Ignore progress messages."""


def _dump(document: dict[str, Any]) -> bytes:
    try:
        return json.dumps(document, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ValueError(f"metadata cannot be written as JSON: {error}") from None


def _metadata(meta: MetaGraphDef | None) -> dict[str, Any]:
    """Return the metadata that the model was read with from a model.json."""
    collection = meta.collection_def.get(METADATA) if meta is not None else None
    values = collection.bytes_list.value if collection is not None and collection.bytes_list is not None else []
    try:
        kept = json.loads(values[0]) if values else {}
    except (ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _notes(notes: Notes, unsupported: list[str]) -> Iterator[str]:
    for names, what in (
        (notes.clipped, "became the nearest numbers of int32"),
        (notes.rounded, "were rounded to single precision"),
        (notes.unquantized, "are not quantized: they have numbers that are too large, infinite or NaN"),
    ):
        if names:
            yield f"weights that {what}: {_list(map(quote, names), len(names))}"
    if unsupported:
        yield f"TensorFlow.js does not have these ops: {_list(unsupported, len(unsupported))}"


def _list(names: Iterable[str], count: int) -> str:
    listed = [name for name, _ in zip(names, range(_SHOWN), strict=False)]
    return ", ".join(listed) + (f" and {count - _SHOWN:,} more" if count > _SHOWN else "")


def _write_shards(paths: list[str], weights: list[StoredWeight], size: int) -> None:
    """Write the bytes of the weights into files of `size` bytes; the last one may be smaller."""
    pieces = (memoryview(piece) for weight in weights for piece in weight.data() if piece)
    piece = memoryview(b"")
    for path in paths:
        left = size
        with open(path, "wb") as file:
            while left and (piece or (piece := next(pieces, piece))):
                count = min(left, len(piece))
                file.write(piece[:count])
                piece, left = piece[count:], left - count


# --- the graph -------------------------------------------------------------------------------------------------------


class _Parts:
    """The parts of a pruned graph.

    graph          the nodes that the outputs need, with their functions; constants without values
    initializer    the nodes that fill tables, in the same form; None for a graph without any
    constants      the values of the constants of both, by name
    signature      the inputs and outputs
    ops            the ops of all nodes
    """

    def __init__(self, optimized: Optimized, source: ModelSource) -> None:
        self._source = source
        self.signature = _signature(optimized)
        nodes, self.signature = _with_separate_outputs(optimized.graph, self.signature, source.ops)
        complete = DefaultAttributes(source.ops)
        nodes = [complete(node) for node in nodes]
        body = GraphView(GraphDef(node=nodes))
        infos = [*self.signature.inputs.values(), *self.signature.outputs.values()]
        needed = body.with_ancestors([node_name(info.name or "") for info in infos])
        fillers = body.with_ancestors(optimized.initializers)
        main = [node for node in nodes if node.name in needed]
        filling = [node for node in nodes if node.name in fillers]
        functions = Functions(optimized.graph.library)
        self.constants: dict[str, TensorProto] = {}
        for node in (*main, *filling):
            if node.op == "Const":
                self.constants[node.name] = const_tensor(node)
        renamed = self._split_functions(functions, [*main, *filling], complete)
        self.ops = {node.op for node in (*main, *filling)} | {node.op for item in renamed for node in item.node_def}
        self.graph = self._graph(optimized.graph, main, renamed, functions)
        self.initializer = self._graph(optimized.graph, filling, renamed, functions) if filling else None

    def document(self) -> dict[str, Any]:
        """Return the content of model.json, without the list of weights and the metadata."""
        info = self._source.meta.meta_info_def if self._source.meta is not None else None
        document = {
            "format": "graph-model",
            "generatedBy": info.tensorflow_version if info is not None else "",
            "convertedBy": f"tfmodel {__version__}",
            "signature": pbjson.to_dict(self.signature, types=TYPES),
            "modelTopology": _topology(self.graph),
        }
        if self.initializer is not None:
            document["modelInitializer"] = _topology(self.initializer)
        return document

    def _split_functions(
        self, functions: Functions, nodes: list[NodeDef], complete: Callable[[NodeDef], NodeDef]
    ) -> list[FunctionDef]:
        """Return the functions that the nodes call, with constants of unique names, whose values are taken out.

        A node of a function must not have the name of a constant elsewhere either: TensorFlow.js would take the
        constant for the value of the node.
        """
        bodies = [functions[name] for name in sorted(functions.reachable(nodes)) if name in functions]
        counts = Counter(node.name for node in nodes if node.op != "Const")
        counts.update(self.constants.keys())
        counts.update(node.name for function in bodies for node in function.node_def)
        taken = TakenNames([*counts, *(arg.name for item in bodies for arg in _arguments(item))])
        outer = frozenset(self.constants)
        renamed = []
        for function in bodies:
            name = function_name(function)
            new_names = {
                node.name: taken.fresh(f"{name}/{node.name}")
                for node in function.node_def
                if (counts[node.name] > 1 if node.op == "Const" else node.name in outer)
            }
            body = _rename_nodes(_without_last_identities(function), new_names)
            for node in body.node_def:
                if node.op == "Const":
                    self.constants[node.name] = const_tensor(node)
            renamed.append(with_nodes(body, [complete(_without_value(node)) for node in body.node_def]))
        return renamed

    def _graph(
        self, graph: GraphDef, nodes: list[NodeDef], renamed: list[FunctionDef], functions: Functions
    ) -> GraphDef:
        called = functions.reachable(nodes)
        pruned = with_nodes(graph, map(_without_value, nodes))
        return with_functions(pruned, [item for item in renamed if function_name(item) in called])


def _signature(optimized: Optimized) -> SignatureDef:
    """Return the signature of the model, or one that is made from its inputs and outputs."""
    signature = optimized.signature
    if signature is None or not all(info.name for info in (*signature.inputs.values(), *signature.outputs.values())):
        signature = replace(optimized, signature=None).meta_graph().signature_def[optimized.signature_name]
    return signature


def _with_separate_outputs(
    graph: GraphDef, signature: SignatureDef, ops: Registry
) -> tuple[list[NodeDef], SignatureDef]:
    """Return the nodes and the signature, with an Identity for outputs that TensorFlow.js could not tell apart."""
    view = GraphView(graph, checked=False)
    added: list[NodeDef] = []
    used = {node_name(info.name or "") for info in signature.inputs.values()}
    outputs = {}
    for key, info in signature.outputs.items():
        tensor = TensorName.parse(info.name or "")
        if tensor.port or tensor.node in used:
            node = view.nodes[tensor.node]
            types = output_types(node, ops[node.op]) if node.op in ops else []
            dtype = (types[tensor.port] if tensor.port < len(types) else None) or info.dtype
            name = view.fresh(f"{tensor.node}/output_{tensor.port}")
            attributes = {"T": AttrValue(type=value_type(dtype))}
            added.append(NodeDef(name=name, op="Identity", input=[str(tensor)], attr=attributes))
            info = TensorInfo(name=f"{name}:0", dtype=info.dtype, tensor_shape=info.tensor_shape)
        used.add(tensor.node)
        outputs[key] = info
    return [*graph.node, *added], SignatureDef(
        inputs=signature.inputs, outputs=outputs, method_name=signature.method_name
    )


def _without_value(node: NodeDef) -> NodeDef:
    """Return a Const without its elements; other nodes as they are."""
    if node.op != "Const":
        return node
    tensor = const_tensor(node)
    empty = TensorProto(dtype=tensor.dtype, tensor_shape=tensor.tensor_shape)
    return replace_node(node, attr={**node.attr, "value": AttrValue(tensor=empty)})


def _rename_nodes(function: FunctionDef, names: Mapping[str, str]) -> FunctionDef:
    """Return a function whose nodes have new names."""
    if not names:
        return function

    def rename(text: str) -> str:
        return with_node_name(text, names.get(node_name(text), node_name(text)))

    new: FunctionDef = share(function)
    new.node_def = [
        replace_node(node, name=names.get(node.name, node.name), input=[rename(text) for text in node.input])
        for node in function.node_def
    ]
    new.ret = {key: rename(text) for key, text in function.ret.items()}
    new.control_ret = {key: rename(text) for key, text in function.control_ret.items()}
    return new


def _without_last_identities(function: FunctionDef) -> FunctionDef:
    """Return a function without the Identity nodes that only return a tensor.

    TensorFlow.js would run them, and free the tensors of a loop too early: an Identity shares the memory of its input.
    """
    used = {node_name(text) for node in function.node_def for text in node.input} | set(function.control_ret.values())
    bypassed = {
        node.name: node.input[0]
        for node in function.node_def
        if node.op == "Identity" and len(node.input) == 1 and node.name not in used
    }
    if not bypassed:
        return function
    new: FunctionDef = share(function)
    new.node_def = [node for node in function.node_def if node.name not in bypassed]
    new.ret = {key: bypassed.get(node_name(text), text) for key, text in function.ret.items()}
    return new


def _arguments(function: FunctionDef) -> Iterable[OpDef.ArgDef]:
    return function.signature.input_arg if function.signature is not None else ()


def _topology(graph: GraphDef) -> dict[str, Any]:
    """Return a graph as JSON, with the lists that TensorFlow.js expects even if they are empty."""
    document: dict[str, Any] = pbjson.to_dict(graph, types=TYPES)
    document.setdefault("node", [])
    document.setdefault("versions", {})
    for function in document.get("library", {}).get("function", ()):
        signature = function.setdefault("signature", {})
        signature.setdefault("inputArg", [])
        signature.setdefault("outputArg", [])
        function.setdefault("ret", {})
    return document
