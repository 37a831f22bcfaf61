"""Find the tensors of a checkpoint that are the values of variables, with their types and shapes.

The nodes that restore a model are the most reliable source. Then come the objects of a TF2 model, and then names.
`freeze` uses the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..analysis.variables.checkpoint_keys import Place, VariablePlaces, hints_of
from ..errors import CheckpointError, with_name
from ..files.checkpoints.entries import Extents, region_of
from ..files.checkpoints.index import OBJECT_GRAPH_KEY
from ..graph.error_text import quote
from ..graph.function_body import FunctionBodies
from ..graph.view import GraphView
from ..messages import DataType, GraphDef
from ..source.model_source import ModelSource
from ..values.dtypes import dtype_name, natural_dtype
from ..values.tensor_header import Shape, byte_size
from ..values.terminal import escape

if TYPE_CHECKING:
    import numpy.typing as npt


class StoredTensor(NamedTuple):
    """A tensor of a checkpoint, or the part of it that `extents` select; `size` is None if unknown."""

    key: str
    dtype: int
    shape: Shape
    size: int | None
    extents: Extents | None = None

    def mismatch(self, dtype: int, shape: Shape | None) -> str:
        """Describe how the type or shape differs from the declaration of a variable; "" if they agree."""
        stored, name = dtype_name(self.dtype), dtype_name(dtype)
        if stored != name:
            return f"is {name} in the graph, {stored} in the checkpoint"
        if shape is None or shape == self.shape:
            return ""
        if len(shape) == len(self.shape) and all(a in (-1, b) for a, b in zip(shape, self.shape, strict=True)):
            return ""
        return f"has shape {list(shape)} in the graph, {list(self.shape)} in the checkpoint"


class CheckpointTensors:
    """The tensors of a checkpoint, or of any mapping from names to arrays."""

    def __init__(self, mapping: Mapping[str, Any]) -> None:
        self._mapping = mapping
        self._entries: Mapping[str, Any] | None = getattr(mapping, "entries", None)
        self.name = escape(str(getattr(mapping, "prefix", "the checkpoint")))

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._mapping if key != OBJECT_GRAPH_KEY)

    def __contains__(self, key: object) -> bool:
        return key in self._mapping

    @cached_property
    def objects(self) -> Any:
        """The object graph of a TF2 checkpoint, with readable names; None if it has none."""
        return getattr(self._mapping, "object_graph", None)

    def name_of(self, key: str) -> str:
        """Return the readable name of a tensor, which a TF2 checkpoint has, or otherwise its key."""
        return key if self.objects is None else str(self.objects.name_of(key))

    def origin(self, key: str) -> Any:
        """Return the layer and the role of a tensor of a Keras file, a `keras.naming.Origin`; None for others."""
        find = getattr(self._mapping, "origin", None)
        return find(key) if find is not None else None

    def values_of(self, source: ModelSource) -> VariableValues:
        """Return the values of a model's variables. Raises FreezeError for an inconsistent graph."""
        return VariableValues(source, self)

    def tensor(self, key: str) -> StoredTensor:
        """Return the tensor with an existing key."""
        return self.tensor_at(Place(key))

    def tensor_at(self, place: Place) -> StoredTensor:
        """Return the tensor at a place with an existing key. Raises CheckpointError if the tensor has no such part."""
        key, extents, _ = place
        if self._entries is None:
            array = self._array(key)
            row = natural_dtype(array.dtype)
            dtype: int = row.number if row is not None else DataType.DT_STRING
            shape, size = array.shape, array.nbytes if row is not None else None
        else:
            entry = self._entries[key]
            dtype, shape, size = entry.dtype, entry.shape, entry.size
            if place.part is not None:
                extents = self._extents(entry, place)
        if extents is not None:
            try:
                shape = region_of(extents, shape)[1]
            except CheckpointError as error:
                raise CheckpointError(with_name(self.name, f"{quote(key)}: {error}")) from error
            size = None
        fixed = byte_size(dtype, shape)
        return StoredTensor(key, dtype, shape, size if fixed is None else fixed, extents)

    def read(self, stored: StoredTensor) -> npt.NDArray[Any]:
        """Return the values of a tensor. Raises CheckpointError."""
        if stored.extents is None:
            return self._array(stored.key)
        read = getattr(self._mapping, "read", None)
        if read is not None:
            array: npt.NDArray[Any] = read(stored.key, stored.extents)
            return array
        return self._array(stored.key)[
            tuple(slice(start, None if size == -1 else start + size) for start, size in stored.extents)
        ]

    def _array(self, key: str) -> npt.NDArray[Any]:
        import numpy as np  # types and shapes do not need it

        return np.asarray(self._mapping[key])

    def _extents(self, entry: Any, place: Place) -> Extents:
        """Return the extents of a part whose number is known. Parts are numbered in the order of their extents."""
        parts = sorted(entry.slices, key=lambda part: part.extents)
        if place.part is None or place.part >= len(parts):
            problem = f"part {place.part} of {quote(place.key)} does not exist: it has {len(parts) or 'no'} parts"
            raise CheckpointError(with_name(self.name, problem))
        extents: Extents = parts[place.part].extents
        return extents


class VariableValues:
    """The values of a model's variables in a checkpoint, or of a `graph` in its place.

    Raises FreezeError for an inconsistent graph.
    """

    def __init__(self, source: ModelSource, tensors: CheckpointTensors, graph: GraphDef | None = None) -> None:
        graph = source.graph if graph is None else graph
        self._tensors = tensors
        self._body = GraphView(graph)
        hints = hints_of(source.meta, self._body, FunctionBodies(graph.library, source.ops))
        self._places = VariablePlaces(hints, getattr(tensors.objects, "message", None))

    def find(self, name: str) -> StoredTensor | None:
        """Return the stored value of a variable of the graph; None if the checkpoint does not have it."""
        place = self._places.find(self._body.nodes[name], self._tensors)
        return None if place is None else self._tensors.tensor_at(place)
