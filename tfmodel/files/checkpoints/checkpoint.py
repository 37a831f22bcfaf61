"""The mapping from the names of a checkpoint's tensors to arrays.

    with Checkpoint("model.ckpt-1000") as checkpoint:
        checkpoint.entries["dense/kernel"].shape      # does not read the tensor
        kernel = checkpoint["dense/kernel"]           # checked and, if NumPy has the type, not copied

Arrays are read-only; `numpy.array(kernel)` makes a writable copy. They remain valid after `close`: those that are views
of a memory-mapped file keep its mapping until the last of them is released.

`problems` reads a whole checkpoint and reports every error, not only the first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from pbwire.errors import suggestion

from ...errors import CheckpointError, TensorError, with_name
from ...messages import DataType
from ...values.dtypes import dtype_of
from ...values.steps import in_steps
from ...values.terminal import escape
from ..access.open_files import OpenFile
from .data_files import DataFileError
from .entries import Damaged, Entry, Extents, about, fail, index_of, quote, region_of
from .index import OBJECT_GRAPH_KEY, ObjectGraph
from .locate import find_checkpoint
from .v1 import SavedSlices
from .v2 import Bundle

if TYPE_CHECKING:
    import numpy.typing as npt

CHUNK = 1 << 20
"""The default number of elements of a chunk."""

Verify: TypeAlias = Literal["index", "read", "off"]

_MOST_GUESSED = 10_000  # names that are compared with an unknown one


class NoSuchTensor(CheckpointError, KeyError):
    """The checkpoint does not have the requested tensor."""

    def __init__(self, file: str, name: str, known: Iterable[str] = ()) -> None:
        super().__init__(name)
        self.args = (file, name)
        self._known = known

    def __str__(self) -> str:  # computed on demand: `get` does not need a suggestion
        file, name = self.args
        guess = suggestion(name, map(escape, islice(self._known, _MOST_GUESSED)))
        return with_name(file, f"there is no tensor {quote(name)}{guess}")


class Checkpoint(Mapping[str, "npt.NDArray[Any]"]):
    """The tensors of a checkpoint, of either version, by name. `path` is its prefix, a file of it, or its folder.

    entries   type, shape and location of every tensor, without reading it
    version   1 or 2
    prefix    the common prefix of its files; if `path` is a pattern for files of version 1, that pattern
    files     its index or, in version 1, all of its files

    `verify` selects the checksums that are compared:

    "read"    those of the index when it is opened, and those of a tensor when it is read
    "index"   only those of the index
    "off"     none

    Types that NumPy lacks are converted: bfloat16, float8 and float4 to float32, 4-bit and 2-bit integers to int8 and
    uint8, quantized types to integers, strings to object arrays of bytes, and variants to object arrays of messages.

    Raises CheckpointError if the files are damaged or inconsistent, and NoSuchTensor, which is also a KeyError, for an
    unknown name; OSError if a file cannot be read.
    """

    def __init__(
        self, path: str | os.PathLike[str] | OpenFile, *, verify: Verify = "read", _damaged: Damaged = fail
    ) -> None:
        if verify not in ("index", "read", "off"):
            raise ValueError(f'verify is "index", "read" or "off", not {verify!r}')
        opened, path = (path, path.path) if isinstance(path, OpenFile) else (None, os.fspath(path))
        self.prefix, files, tables = find_checkpoint(path, opened)
        self._reader: Bundle | SavedSlices
        if files:
            self._reader = SavedSlices(files, tables, verify=verify, damaged=_damaged)
        else:
            index = opened if path == f"{self.prefix}.index" else None
            self._reader = Bundle(self.prefix, index, verify=verify, damaged=_damaged)
        self._is_open = True

    @property
    def version(self) -> int:
        return self._reader.version

    @property
    def files(self) -> list[str]:
        return self._reader.files

    @property
    def entries(self) -> Mapping[str, Entry]:
        return self._reader.entries

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __repr__(self) -> str:
        return f"<Checkpoint {escape(self.prefix)!r} of {len(self):,} tensors>"

    def read(self, name: str, extents: Extents | None = None) -> npt.NDArray[Any]:
        """Return a tensor, or the part of it with these extents.

        `extents` are a start and a length for each dimension, (0, -1) for a whole dimension. Only the slices that
        overlap the part are read. Raises NoSuchTensor for an unknown name, CheckpointError for damage and for extents
        outside the tensor, ValueError after `close`, and OSError.
        """
        if not self._is_open:
            raise ValueError("this checkpoint is closed")
        entry = self._entry(name)
        file = escape(self.files[0])
        try:
            dtype = dtype_of(entry.dtype)
            region = None if extents is None else region_of(extents, entry.shape)
        except (CheckpointError, TensorError) as error:
            raise about(file, name, error) from error
        if entry.slices:
            from .slices import assemble  # imports numpy

            return assemble(self._reader, name, dtype, entry, region or ((0,) * len(entry.shape), entry.shape))
        array = self._reader.array(name, dtype, entry)
        return array[index_of(region)] if region and region[1] else array  # indexing a scalar would not give an array

    def chunks(self, name: str, size: int = CHUNK) -> Iterator[npt.NDArray[Any]]:
        """Yield the elements of a tensor in order, in flat arrays of about `size` elements.

        This needs little memory, except for strings, variants, and V1 checkpoints, whose tensors are read whole. The
        checksum of a tensor is compared after its last chunk; those of its slices, before the first. Raises the same
        errors as `read`.
        """
        if not self._is_open:
            raise ValueError("this checkpoint is closed")
        entry, reader = self._entry(name), self._reader
        try:
            dtype = dtype_of(entry.dtype)
        except TensorError as error:
            raise about(escape(self.files[0]), name, error) from error
        if isinstance(reader, SavedSlices) or dtype.is_object or (entry.slices and not entry.shape):
            array = self.read(name).reshape(-1)
            yield from (array[start : start + size] for start in range(0, len(array), size))
        elif entry.slices:
            from .slices import assemble_chunks  # imports numpy

            yield from assemble_chunks(reader, name, dtype, entry, size)
        else:
            yield from reader.chunks(name, dtype, entry, size)

    def in_file_order(self) -> list[str]:
        """Return the names in the order of the tensors' bytes in the files.

        This is the fastest order to read all tensors. Damaged entries come first.
        """

        def place(name: str) -> tuple[int, int]:
            try:
                entry = self.entries[name]
            except CheckpointError:
                return -1, 0
            first = entry.slices[0] if entry.slices else entry
            return first.shard or 0, first.offset or 0

        return sorted(self, key=place)

    def complete_files(self) -> dict[str, str]:
        """Return the paths of the files of a V2 checkpoint by what a copy of them has behind its prefix: ".index", ...

        Raises CheckpointError for version 1, and if a data file is missing or too short for its tensors, and OSError.
        """
        if not isinstance(self._reader, Bundle):
            raise CheckpointError(with_name(escape(self.prefix), "this checkpoint has version 1"))
        return self._reader.complete_files()

    def block_problems(self) -> list[CheckpointError]:
        """Return the errors in the blocks of V1 files; the index of a V2 checkpoint is read completely on opening."""
        return self._reader.problems() if isinstance(self._reader, SavedSlices) else []

    @cached_property
    def object_graph(self) -> ObjectGraph | None:
        """The object graph of a TF2 checkpoint, with readable names; None if the checkpoint has no object graph.

        Raises CheckpointError if it is damaged.
        """
        entry = self.entries.get(OBJECT_GRAPH_KEY)
        if entry is None or entry[:2] != (DataType.DT_STRING, ()) or not isinstance(self._reader, Bundle):
            return None
        if entry.slices:
            problem = CheckpointError("it is stored in slices, which no program does with a scalar")
            raise about(escape(self.files[0]), OBJECT_GRAPH_KEY, problem)
        (data,) = self._reader.strings(OBJECT_GRAPH_KEY, dtype_of(entry.dtype), entry)
        try:
            return ObjectGraph(data)
        except CheckpointError as error:
            raise about(escape(self.files[0]), OBJECT_GRAPH_KEY, error) from error

    def close(self) -> None:
        """Release the files. Arrays that were read, and `entries`, remain valid."""
        self._is_open = False
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _entry(self, name: str) -> Entry:
        try:
            return self.entries[name]
        except KeyError:
            raise NoSuchTensor(escape(self.prefix), str(name), self.entries) from None


_NAMED = 3  # tensors that the message of a problem names


def problems(
    path: str | os.PathLike[str], *, reading: Callable[[str], object] = lambda name: None
) -> Iterator[CheckpointError]:
    """Yield an error for every damaged block, entry and tensor of a checkpoint.

    If a data file is missing or too short, all tensors that it lacks are reported as one problem, after the others.

    `reading` is called with the name of each tensor before it is read, as a `Step`. An error that prevents further
    reading, such as a truncated table, is yielded as the last problem. Raises OSError if a file cannot be read.
    """
    problem_list: list[CheckpointError] = []
    try:
        checkpoint = Checkpoint(path, _damaged=problem_list.append)
    except CheckpointError as error:
        yield from problem_list
        yield error
        return
    yield from problem_list
    with checkpoint:
        causes = {str(error.__cause__) for error in problem_list}
        lacking: dict[str, dict[str, CheckpointError]] = {}
        begin = in_steps(reading, sum(entry.size or 0 for entry in checkpoint.entries.values()))
        for name in checkpoint.in_file_order():
            begin(name, checkpoint.entries[name].size or 0)
            try:
                checkpoint[name]
                if name == OBJECT_GRAPH_KEY:
                    checkpoint.object_graph  # noqa: B018  checks that it can be decoded
            except CheckpointError as error:
                cause = error.__cause__
                causes.add(str(cause))
                if isinstance(cause, DataFileError):
                    lacking.setdefault(f"{cause.file}: {cause.problem}", {})[name] = error
                else:
                    yield error
        yield from (_together(problem, errors) for problem, errors in lacking.items())
        yield from (error for error in checkpoint.block_problems() if str(error.__cause__) not in causes)


def _together(problem: str, errors: dict[str, CheckpointError]) -> CheckpointError:
    """Return one problem for all tensors that a data file lacks; its message names the first few."""
    names = list(errors)
    if len(names) == 1:
        return errors[names[0]]
    first = ", ".join(map(quote, names[:_NAMED]))
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return CheckpointError(f"{problem}; {len(names):,} tensors are in it: {first}{more}")
