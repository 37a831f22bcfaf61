"""The tensors of a model that are compared: those of its checkpoint, and the constants of its graph and functions.

Nothing is read before `chunks` is called, except headers. Tensors of a checkpoint are read in chunks, and constants are
arrays that share the bytes of the graph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np

from ...errors import CheckpointError, GraphError, TensorError
from ...files.checkpoints.checkpoint import Checkpoint
from ...files.checkpoints.entries import about
from ...files.checkpoints.index import OBJECT_GRAPH_KEY
from ...graph.error_text import quote
from ...graph.functions import function_name
from ...messages import DataType, NodeDef
from ...ops.traits import CONSTS, VARIABLES
from ...parameters.quantized import find_half_weights
from ...source.model_source import ModelSource
from ...values.dtypes import Dtype, dtype_of, natural_dtype
from ...values.elements import Array, flat_chunks, is_single
from ...values.output_limit import MIN_LIMIT, claim
from ...values.tensor_header import read_header
from ...values.tensors import to_ndarray
from ...values.terminal import escape

Kind: TypeAlias = Literal["variable", "constant"]

_CHUNK = 1 << 20  # elements
_NUMBER = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """A tensor that is compared.

    name      the key of the checkpoint; or the name of the node, after "FUNCTION/" for a node of a function
    kind      "variable" for a tensor of a checkpoint, "constant" for a constant of a graph
    read      returns the elements in order, in flat arrays. An array of one element in a tensor of several stands for
              all of them
    """

    name: str
    kind: Kind
    dtype: Dtype
    shape: tuple[int, ...]
    read: Callable[[], Iterator[Array]]
    function: str = ""

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def base_name(self) -> str:
        """The name without the number at the end of the function's name, which is another one in every export."""
        return _NUMBER.sub("", self.function) + self.name.removeprefix(self.function)


@dataclass(frozen=True, slots=True)
class Operands:
    """The tensors of one side.

    source, name   the model, and its name
    tensors        in the order of the checkpoint's files, and then of the graph
    object_graph   the encoded object graph of a TF2 checkpoint; None without one
    unread         the number of variables of the graph that have no values
    """

    source: ModelSource
    name: str
    tensors: list[Operand]
    object_graph: bytes | None
    unread: int

    @property
    def is_frozen(self) -> bool:
        """Whether this is a graph without variables."""
        return self.source.has_graph and not self.unread and all(tensor.kind == "constant" for tensor in self.tensors)


def operands_of(source: ModelSource, name: str, *, with_graph: bool) -> Operands:
    """Return the tensors of a model: those of its checkpoint and, with `with_graph`, the constants of its graph.

    Raises CheckpointError, GraphError and TensorError for damage, which name the file and the tensor.
    """
    tensors: list[Operand] = []
    object_graph = None
    unread = 0
    with source.naming():
        checkpoint = source.checkpoint
        if checkpoint is not None:
            tensors += _checkpoint_tensors(checkpoint)
            object_graph = _object_graph(checkpoint)
        if with_graph and source.has_graph:
            tensors += _constants(source)
            if checkpoint is None:
                unread = sum(node.op in VARIABLES for node in source.graph.node)
    return Operands(source, name, tensors, object_graph, unread)


def _checkpoint_tensors(checkpoint: Mapping[str, Any]) -> Iterator[Operand]:
    if not isinstance(checkpoint, Checkpoint):
        yield from (_of_array(name, checkpoint) for name in checkpoint if name != OBJECT_GRAPH_KEY)
        return
    for name in checkpoint.in_file_order():
        entry = checkpoint.entries[name]
        if name == OBJECT_GRAPH_KEY:
            continue
        try:
            dtype = dtype_of(entry.dtype)
        except TensorError as error:
            raise about(escape(checkpoint.files[0]), name, error) from error

        def read(name: str = name) -> Iterator[Array]:
            return checkpoint.chunks(name, _CHUNK)

        yield Operand(name, "variable", dtype, entry.shape, read)


def _of_array(name: str, mapping: Mapping[str, Any]) -> Operand:
    array = np.asarray(mapping[name])
    row = natural_dtype(array.dtype)
    if row is None and array.dtype.kind not in "SUO":
        raise CheckpointError(f"tensor {quote(name)}: TensorFlow has no type for NumPy's {array.dtype}")
    if row is None:
        row = dtype_of(DataType.DT_STRING)
        encoded = [item.encode() if isinstance(item, str) else item for item in array.reshape(-1).tolist()]
        objects = np.empty(len(encoded), object)
        objects[:] = encoded
        array = objects.reshape(array.shape)
    elif row.codec:  # a type of ml_dtypes
        array = row.decode(array.view(row.storage))
    return Operand(name, "variable", row, array.shape, lambda: flat_chunks(array, _CHUNK))


def _object_graph(checkpoint: Mapping[str, Any]) -> bytes | None:
    if OBJECT_GRAPH_KEY not in checkpoint:
        return None
    value = checkpoint[OBJECT_GRAPH_KEY]
    return b"".join(bytes(item) for item in value.reshape(-1)) if value.dtype == object else None


def _constants(source: ModelSource) -> Iterator[Operand]:
    library = source.graph.library
    yield from _constants_of("", source.graph.node, source)
    for function in library.function if library is not None else ():
        yield from _constants_of(function_name(function), function.node_def, source)


def _constants_of(function: str, nodes: list[NodeDef], source: ModelSource) -> Iterator[Operand]:
    halves = find_half_weights(nodes)
    for node in nodes:
        if node.op in CONSTS:
            yield _constant(function, node, source, halves.get(node.name, node.name))


def _constant(function: str, node: NodeDef, source: ModelSource, name: str) -> Operand:
    name = f"{function}/{name}" if function else name
    value = node.attr.get("value")
    tensor = value.tensor if value is not None else None
    if tensor is None:
        raise GraphError(f"{node.op} {quote(name)} has no value")
    try:
        head = read_header(tensor)
        dtype = dtype_of(head.dtype)
    except TensorError as error:
        raise TensorError(f"{node.op} {quote(name)}: {error}") from error

    def read() -> Iterator[Array]:
        with source.naming():
            try:
                array = to_ndarray(tensor, max_fill=MIN_LIMIT)
            except TensorError as error:
                raise TensorError(f"{node.op} {quote(name)}: {error}") from error
            if not is_single(array):
                claim(array.nbytes, f"the constant {quote(name)}")
        return flat_chunks(array, _CHUNK)

    return Operand(name, "constant", dtype, head.shape, read, function)
