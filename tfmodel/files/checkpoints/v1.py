"""Version 1 checkpoints: one or several tables, each with slices of tensors.

The first record of each file is a table of contents. All other records are slices of tensors, under keys that encode
name and extents; a whole tensor is a slice with the extent (0, -1) for every dimension.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ...errors import CheckpointError, Error
from ...messages import SavedSliceMeta, SavedTensorSliceMeta, SavedTensorSlices
from ...values.dtypes import Dtype
from ...values.terminal import escape
from ..access.stand_ins import EMPTY
from .data_files import map_file
from .entries import Damaged, Entry, Slice, about, check_version, extents_of, fail, in_file, region_of, shape_of
from .index import begins_slices, decode_record, encode_slice_key
from .table_file import TableFile

if TYPE_CHECKING:
    import numpy.typing as npt


class SavedSlices:
    """The reader of a V1 checkpoint: entries and their arrays.

    `tables` are the contents of files that are open already, by their paths. `verify` is as in Checkpoint. `damaged` is
    called with each error that affects only one file or one tensor.
    """

    version = 1

    def __init__(
        self, files: Sequence[str], tables: Mapping[str, memoryview], *, verify: str, damaged: Damaged = fail
    ) -> None:
        self.files = list(files)
        self._sizes: list[int] = []
        self._tables: dict[int, TableFile] = {}  # by the number of the file; files that are not tables are left out
        parts: dict[str, list[tuple[int, SavedSliceMeta]]] = {}
        for number, file in enumerate(files):
            try:
                meta = self._open(number, tables.get(file), verify)
            except CheckpointError as error:
                damaged(in_file(escape(file), error))
                continue
            for tensor in meta.tensor:
                parts.setdefault(tensor.name, []).append((number, tensor))
        entries = {}
        for name, slices in sorted(parts.items(), key=lambda item: item[0].encode()):  # the order of the files
            try:
                entries[name] = _entry(slices)
            except CheckpointError as error:
                damaged(about(escape(files[slices[0][0]]), name, error))
        self.entries: Mapping[str, Entry] = entries

    def check(self, dtype: Dtype, places: Sequence[Slice]) -> None:
        """Raise CheckpointError if the files are too small for the declared sizes of these slices."""
        elements, size = sum(prod(place.shape) for place in places), sum(self._sizes)
        if elements > size:  # each element takes at least a byte
            raise CheckpointError(f"its {elements:,} elements are not in files of {size:,} bytes")

    def array(self, name: str, dtype: Dtype, place: Entry | Slice) -> npt.NDArray[Any]:
        """Return the array of a tensor or of a slice, in the type that users get. Raises CheckpointError."""
        shard = place.shard or 0
        file = escape(self.files[shard])
        extents = place.extents if isinstance(place, Slice) else ((0, -1),) * len(place.shape)
        try:
            record = self._tables[shard].find(encode_slice_key(name, extents))
        except CheckpointError as error:
            raise about(file, name, error) from error
        if record is None:
            raise about(file, name, CheckpointError("the table of contents has it, but its values are missing"))
        from .arrays import slice_values  # imports numpy

        try:
            return slice_values(memoryview(record.value), dtype, place.shape)
        except Error as error:
            raise about(file, name, error, record.offset) from error

    def close(self) -> None:
        self._tables.clear()

    def problems(self) -> list[CheckpointError]:
        """Return the errors in all blocks, including blocks that reading the tensors does not reach."""
        errors: list[CheckpointError] = []
        for number, table in self._tables.items():
            previous = None
            for handle in table.blocks:
                try:
                    keys = table.records(handle, previous).keys
                    previous = keys[-1] if keys else previous
                except CheckpointError as error:
                    errors.append(in_file(escape(self.files[number]), error))
        return errors

    def _open(self, number: int, data: memoryview | None, verify: str) -> SavedTensorSliceMeta:
        data = map_file(self.files[number]) if data is None else data
        if not len(data):
            raise CheckpointError(str(EMPTY))
        table = TableFile(data, checksums=verify != "off")
        self._tables[number] = table
        self._sizes.append(len(data))
        records = table.records(table.blocks[0]) if table.blocks else None
        if records is None or records.keys[:1] != [b""]:
            raise CheckpointError("not a checkpoint: the table has no record under the empty key")
        first = records.first()
        if not begins_slices(first):
            problem = "this is the index of a V2 checkpoint, whose name ends with .index"
            raise CheckpointError(f"not a V1 checkpoint: {problem}")
        slices = decode_record(SavedTensorSlices, first, "the table of contents")
        meta = slices.meta or SavedTensorSliceMeta()
        check_version(meta.versions)
        table.checksums = verify == "read"
        return meta


def _entry(parts: list[tuple[int, SavedSliceMeta]]) -> Entry:
    """Return the entry of a tensor. `parts` are its rows in the tables of contents, with the numbers of the files."""
    shard, first = parts[0]
    shape = shape_of(first.shape)
    slices = []
    for number, meta in parts:
        if (meta.type, shape_of(meta.shape)) != (first.type, shape):
            raise CheckpointError("two files do not agree on its type and shape")
        for part in meta.slice:
            extents = extents_of(part)
            try:
                _, part_shape = region_of(extents, shape)
            except CheckpointError as error:
                raise CheckpointError(f"one of its parts: {error}") from error
            slices.append(Slice(extents, part_shape, number, None, None, None))
    if len(slices) == 1 and slices[0].extents == ((0, -1),) * len(shape):
        return Entry(first.type, shape, shard, None, None, None)
    if not slices:
        raise CheckpointError("no part of it is there")
    return Entry(first.type, shape, None, None, None, None, tuple(slices))
