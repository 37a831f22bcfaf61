"""Read the values of variables from a checkpoint and make constants of them."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..dtypes import dtype_name, dtype_of
from ..errors import CheckpointError, FreezeError, GraphError, TensorError
from ..graph import attr
from ..graph.error_text import guess, quoted
from ..graph.function_body import OpenFunctions
from ..graph.mutable_graph import MutableGraph, MutableNode
from ..io.terminal import printable
from ..messages import AttrValue, DataType, TensorProto, TensorShapeProto
from ..names import TensorName
from ..output_limit import claim, count_input
from ..source import ModelSource
from .checkpoint_keys import ObjectKeys, Path, Place, captured_paths, keys_by_full_name, named_places, restored_places

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Hints", "Values", "hints_of"]

MIN_SHARED_BYTES = 1 << 16
"""The size of an array from which on a constant may be a view of it."""

MIN_RELEASED_BYTES = 1 << 20
"""The minimum size of an array whose memory-mapped pages are released after copying."""

MAX_NAMES_SHOWN = 5
"""The most names that an error lists."""


class Hints(NamedTuple):
    """Hints of the whole graph about the places of the values of variables.

    places   the places that nodes restore each variable from
    paths    the path to the object that each variable is in a TF2 model
    """

    places: Mapping[str, list[Place]]
    paths: Mapping[str, Path]


def hints_of(source: ModelSource, whole: MutableGraph, functions: OpenFunctions) -> Hints:
    """Collect hints about the values of variables from the whole graph, before nodes are removed."""
    meta = source.meta
    saver = meta.saver_def if meta is not None else None
    first = TensorName.parse(saver.restore_op_name).node if saver is not None and saver.restore_op_name else ""
    places = restored_places(whole, functions, first)
    objects = meta.object_graph_def if meta is not None else None
    return Hints(places, captured_paths(whole, objects) if objects is not None else {})


class Values:
    """Read the values of variables from `checkpoint`: a Checkpoint, or any mapping from names to arrays.

    share    whether large constants may be views of the checkpoint's arrays instead of copies
    name     the name of the checkpoint in errors
    """

    def __init__(
        self,
        checkpoint: Mapping[str, Any],
        hints: Hints,
        *,
        share: bool,
        name: str,
    ) -> None:
        self._checkpoint = checkpoint
        self._places, self._paths = hints
        self._objects = getattr(getattr(checkpoint, "object_graph", None), "message", None)
        self._share = share
        self._name = name
        self._seen: set[Place] = set()

    def fill(self, variables: Iterable[MutableNode]) -> None:
        """Make constants of variables. Raises FreezeError, which names the variables without a value."""
        missing = []
        for node in variables:
            place = self._place(node)
            if place is None:
                missing.append(node)
            else:
                self._fill(node, place)
        if missing:
            raise FreezeError(self._about_missing(missing))

    def array(self, node: MutableNode) -> npt.NDArray[Any] | None:
        """Return the value of a variable; None if the checkpoint has none."""
        place = self._place(node)
        if place is None:
            return None
        array = self._value(node, place, attr(node, "dtype", DataType))[0]
        self._check_shape(node, place, array.shape)
        return array

    def tensor(self, key: str) -> npt.NDArray[Any] | None:
        """Return the tensor under a key; None if the checkpoint has none."""
        tensor: npt.NDArray[Any] | None = self._checkpoint.get(key)
        return tensor

    def fill_restored(self, constant: MutableNode, restore: MutableNode, port: int, place: Place | None) -> None:
        """Make a constant of an output of a restoring node. Raises FreezeError if its value is not known."""
        if place is None or place.key not in self._checkpoint:
            what = f"{restore.op} {quoted(restore.name)} reads {quoted(place.key) if place else 'something unknown'}"
            raise FreezeError(f"{what}, which {printable(self._name)} does not have")
        types = (
            attr(restore, "dtypes", list[DataType]) if restore.op == "RestoreV2" else [attr(restore, "dt", DataType)]
        )
        if port >= len(types):
            raise FreezeError(f"{restore.op} {quoted(restore.name)} has {len(types)} results, and {port} is asked for")
        constant.change(attr={"dtype": AttrValue(type=types[port])})
        self._fill(constant, place)

    def _place(self, node: MutableNode) -> Place | None:
        """Return the place of the value of a variable; None if the checkpoint does not have it."""
        for place in self._candidates(node):
            if place.key in self._checkpoint:
                return place
        return None

    def _candidates(self, node: MutableNode) -> Iterator[Place]:
        """Yield the places where the value of a variable may be, the most reliable first."""
        yield from self._places.get(node.name, ())
        if self._keys is not None and node.name in self._paths:
            key = self._keys.at(self._paths[node.name])
            yield from [Place(key)] if key else []
        yield from named_places(node)
        if self._objects is not None:
            for place in (*self._places.get(node.name, ()), *named_places(node)):
                if place.key in self._full_names:
                    yield place._replace(key=self._full_names[place.key])

    @cached_property
    def _keys(self) -> ObjectKeys | None:
        return ObjectKeys(self._objects) if self._objects is not None else None

    @cached_property
    def _full_names(self) -> dict[str, str]:
        return keys_by_full_name(self._objects) if self._objects is not None else {}

    def _fill(self, node: MutableNode, place: Place) -> None:
        dtype = attr(node, "dtype", DataType)
        try:
            array, tensor = self._value(node, place, dtype)
        except (GraphError, TensorError, TypeError, ValueError) as error:
            raise FreezeError(f"the variable {quoted(node.name)}: {error}") from error
        self._check_shape(node, place, array.shape)
        node.device = ""
        node.change("Const", (), {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=tensor)})

    def _value(self, node: MutableNode, place: Place, dtype: DataType) -> tuple[npt.NDArray[Any], TensorProto]:
        array = self._array(node, place)
        row = dtype_of(dtype)
        entry = getattr(self._checkpoint, "entries", {}).get(place.key)
        if entry is not None:
            fits, stored = dtype_of(entry.dtype) is row, dtype_name(entry.dtype)
        else:
            fits, stored = array.dtype == row.numpy, array.dtype.name
        if not fits:
            raise FreezeError(f"the variable {quoted(node.name)} is {row.name}, {self._there(place)} is {stored}")
        self._count(place, array)
        if array.dtype == row.storage and not row.codec and array.nbytes >= MIN_SHARED_BYTES and self._share:
            return array, _shared(array, dtype)
        from ..tensors import from_ndarray

        tensor = from_ndarray(array, dtype)
        if array.nbytes >= MIN_RELEASED_BYTES:
            _release(array)
        return array, tensor

    def _count(self, place: Place, array: npt.NDArray[Any]) -> None:
        """Count the bytes of a value against the growth limit, and those read for it, once per key."""
        entry = getattr(self._checkpoint, "entries", {}).get(place.key)
        whole = entry.size if entry is not None else None
        stored = place if whole is None else Place(place.key)
        if stored not in self._seen:
            self._seen.add(stored)
            count_input(array.nbytes if whole is None else whole)
        claim(array.nbytes, "its value")

    def _array(self, node: MutableNode, place: Place) -> npt.NDArray[Any]:
        import numpy as np

        if place.part is not None:
            place = self._part(node, place)
        read = getattr(self._checkpoint, "read", None)
        if place.extents is None or read is None:
            array: npt.NDArray[Any] = np.asarray(self._checkpoint[place.key])
            if place.extents is not None:
                array = array[tuple([slice(at, None if size == -1 else at + size) for at, size in place.extents])]
            return array
        try:
            return read(place.key, place.extents)  # type: ignore[no-any-return]  # the reader is any mapping's; NumPy's arrays are buffers
        except CheckpointError as error:
            raise FreezeError(f"the variable {quoted(node.name)}: {error}") from error

    def _part(self, node: MutableNode, place: Place) -> Place:
        """Return the place of a part, given only its number: parts are stored in order."""
        entry = getattr(self._checkpoint, "entries", {}).get(place.key)
        parts = sorted(entry.slices, key=lambda part: part.extents) if entry is not None else []
        if place.part is None or place.part >= len(parts):
            problem = f"part {place.part} of {self._there(place)}, which has {len(parts) or 'no'} parts"
            raise FreezeError(f"the variable {quoted(node.name)} is {problem}")
        return Place(place.key, parts[place.part].extents)

    def _check_shape(self, node: MutableNode, place: Place, there: tuple[int, ...]) -> None:
        """Raise FreezeError if a value does not have the shape of its variable, which may be known in part only."""
        declared = node.attr.get("shape")
        if declared is None or declared.shape is None or declared.shape.unknown_rank:
            return
        sizes = [dim.size for dim in declared.shape.dim]
        if not sizes and node.op == "Variable":
            return  # the op Variable encodes an unknown shape this way
        if len(sizes) != len(there) or any(size not in (-1, found) for size, found in zip(sizes, there, strict=True)):
            raise FreezeError(
                f"the variable {quoted(node.name)} has shape {sizes}, {self._there(place)} has {list(there)}"
            )

    def _there(self, place: Place) -> str:
        return f"{quoted(place.key)} of {printable(self._name)}"

    def _about_missing(self, nodes: list[MutableNode]) -> str:
        what = "variable" if len(nodes) == 1 else f"{len(nodes):,} variables:"
        shown = [quoted(node.name) for node in nodes[:MAX_NAMES_SHOWN]] + ["..."] * (len(nodes) > MAX_NAMES_SHOWN)
        wanted = [*self._places.get(nodes[0].name, ()), *named_places(nodes[0])][0].key
        hint = guess(wanted, self._checkpoint)
        return f"{printable(self._name)} has no value for the {what} {', '.join(shown)}{hint}"


def _release(array: npt.NDArray[Any]) -> None:
    """Give back the memory of the mapped file that an array is a view of, after it was copied."""
    base: Any = array
    while (under := getattr(base, "base", None)) is not None:
        base = under
    mapped = base.obj if isinstance(base, memoryview) else None
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _shared(array: npt.NDArray[Any], dtype: DataType) -> TensorProto:
    import numpy as np

    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in array.shape])
    content: Any = memoryview(np.ascontiguousarray(array).reshape(-1)).cast("B")  # type: ignore[arg-type]  # the reader is any mapping's; NumPy's arrays are buffers
    return TensorProto(dtype=dtype, tensor_shape=shape, tensor_content=content)
