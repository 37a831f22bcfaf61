"""`rewrite_checkpoint`: write a checkpoint with other names, without some of its tensors, or in other types.

    written = rewrite_checkpoint("model.ckpt-7", "new.ckpt", rename={"^encoder/": "bert/encoder/"}, optimizer=False)
    print(written.to_text())

The new checkpoint is of version 2 with one data file. A tensor that was stored in slices is whole in it. The object
graph of a TF2 checkpoint follows: its objects find their tensors under the new keys, and forget those that are left
out. So `tf.train.Checkpoint` restores the same Python objects from it; the names of the attributes, which are part of
the Python program, stay. `tf.compat.v1.train.Saver` and `init_from_checkpoint` see the new names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ..errors import CheckpointError, with_name
from ..files.checkpoints.checkpoint import Checkpoint
from ..files.checkpoints.entries import Entry, quote
from ..files.checkpoints.index import OBJECT_GRAPH_KEY, ObjectGraph
from ..files.checkpoints.renamed import renamed
from ..messages import DataType, TrackableObjectGraph
from ..values.dtypes import DTYPES, dtype_name, dtype_named
from ..values.report import Report
from ..values.steps import in_steps
from ..values.terminal import escape
from .listing import weights
from .optimizer_state import OptimizerState

Globs = str | Iterable[str]


@dataclass(frozen=True, slots=True)
class WrittenTensor:
    """A tensor of the new checkpoint, with what it was in the old one.

    name, old_name      its keys in the new and in the old checkpoint
    dtype, old_dtype    its types, as TensorFlow's Python spells them
    """

    name: str
    old_name: str
    dtype: str
    old_dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class WrittenCheckpoint(Report):
    """The checkpoint that `rewrite_checkpoint` has written.

    prefix      its prefix
    tensors     its tensors, in the order of their names
    left_out    the keys of the tensors of the old checkpoint that it lacks
    bytes       those of its tensors
    """

    prefix: str
    tensors: tuple[WrittenTensor, ...]
    left_out: tuple[str, ...]
    bytes: int

    @property
    def renamed(self) -> int:
        """The number of tensors with another name."""
        return sum(tensor.name != tensor.old_name for tensor in self.tensors)

    @property
    def converted(self) -> int:
        """The number of tensors of another type."""
        return sum(tensor.dtype != tensor.old_dtype for tensor in self.tensors)

    def to_text(self) -> str:
        """Return a line for each tensor that changed or is left out, and a line about all."""
        lines = [f"{escape(tensor.old_name)} -> {change}" for tensor in self.tensors if (change := _change(tensor))]
        lines += [f"{escape(name)}: left out" for name in self.left_out]
        return "".join(f"{line}\n" for line in [*lines, self.describe()])

    def describe(self) -> str:
        """Return one line: how many tensors there are, and how many changed."""
        count = len(self.tensors)
        facts = {"renamed": self.renamed, "in another type": self.converted, "left out": len(self.left_out)}
        changes = "".join(f", {number:,} {fact}" for fact, number in facts.items() if number)
        return f"{count:,} tensor{'' if count == 1 else 's'}, {self.bytes:,} bytes{changes}"

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON: prefix, bytes, tensors with their old names and types, and the names left out."""
        tensors = [
            {
                "name": tensor.name,
                "old_name": tensor.old_name,
                "dtype": tensor.dtype,
                "old_dtype": tensor.old_dtype,
                "shape": list(tensor.shape),
            }
            for tensor in self.tensors
        ]
        return {"prefix": self.prefix, "bytes": self.bytes, "tensors": tensors, "left_out": list(self.left_out)}


def _change(tensor: WrittenTensor) -> str:
    """Return the new name and the new type of a tensor; "" if it has the old ones."""
    types = f" ({tensor.old_dtype} -> {tensor.dtype})" if tensor.dtype != tensor.old_dtype else ""
    return f"{escape(tensor.name)}{types}" if types or tensor.name != tensor.old_name else ""


def rewrite_checkpoint(
    checkpoint: str | os.PathLike[str] | Checkpoint,
    prefix: str | os.PathLike[str],
    *,
    rename: Mapping[str, str] | None = None,
    name: Globs | None = None,
    drop: Globs | None = None,
    optimizer: bool = True,
    cast: str | Mapping[str, str] | None = None,
    progress: Callable[[str], object] | None = None,
) -> WrittenCheckpoint:
    """Write a checkpoint of version 2 with other names, without some tensors, or in other types.

    `checkpoint` is a path, as Checkpoint takes it, or a Checkpoint; `prefix` names the new files, which may be those of
    the old checkpoint. One tensor is in memory at a time.

    rename      regular expressions and their replacements, as in `re.sub`, for the keys of tensors; each applies to the
                result of the one before
    name        only tensors whose name or key matches one of these glob patterns are written
    drop        those that match one of these are not
    optimizer   False: the slots, counters and settings of optimizers are not written either; `global_step` is kept
    cast        "float16": the type of all floating-point tensors; or types by glob patterns, the first match counts
    progress    is called with the key of each tensor before it is read

    All patterns are compared with old names. Floats are rounded to a narrower type.

    Raises CheckpointError for damage, for a pattern that matches nothing, for names that collide, if nothing is left,
    and for a value that its type cannot hold; ValueError for an unknown type; OSError. The files appear when all is
    written, or not at all.
    """
    if not isinstance(checkpoint, Checkpoint):
        with Checkpoint(checkpoint) as opened:
            return rewrite_checkpoint(
                opened,
                prefix,
                rename=rename,
                name=name,
                drop=drop,
                optimizer=optimizer,
                cast=cast,
                progress=progress,
            )
    from ..files.checkpoints.writing import write_checkpoint  # imports numpy

    kept = _kept(checkpoint, name, drop, optimizer)
    names = renamed(checkpoint.prefix, (key for key in kept if key != OBJECT_GRAPH_KEY), rename or {})
    types = _types(checkpoint, names, cast)
    tensors = _Tensors(
        checkpoint, names, _object_graph(checkpoint, names) if OBJECT_GRAPH_KEY in kept else None, progress
    )
    try:
        write_checkpoint(prefix, tensors, dtypes=types)
    except (TypeError, ValueError) as error:
        raise CheckpointError(with_name(escape(checkpoint.prefix), str(error))) from None
    rows = [_row(checkpoint.entries[old], new, old, types[new]) for new, old in sorted(names.items())]
    left_out = tuple(key for key in checkpoint if key not in kept)
    with Checkpoint(prefix, verify="index") as written:
        size = sum(entry.size or 0 for entry in written.entries.values())
    return WrittenCheckpoint(os.fspath(prefix), tuple(rows), left_out, size)


def _row(entry: Entry, new: str, old: str, dtype: DataType) -> WrittenTensor:
    return WrittenTensor(new, old, dtype_name(dtype), dtype_name(entry.dtype), entry.shape)


class _Tensors(Mapping[str, Any]):
    """The values of the new checkpoint, each read from the old one when it is asked for."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        names: Mapping[str, str],
        object_graph: bytes | None,
        progress: Callable[[str], object] | None,
    ) -> None:
        self._checkpoint, self._names, self._object_graph = checkpoint, names, object_graph
        total = sum(checkpoint.entries[old].size or 0 for old in names.values())
        self._begin = None if progress is None else in_steps(progress, total)

    def __getitem__(self, name: str) -> Any:
        if name == OBJECT_GRAPH_KEY and self._object_graph is not None:
            return self._object_graph
        old = self._names[name]
        if self._begin is not None:
            self._begin(old, self._checkpoint.entries[old].size or 0)
        return self._checkpoint[old]

    def __iter__(self) -> Iterator[str]:
        yield from self._names
        if self._object_graph is not None:
            yield OBJECT_GRAPH_KEY

    def __len__(self) -> int:
        return len(self._names) + (self._object_graph is not None)


# --- which tensors ---------------------------------------------------------------------------------------------------


def _kept(checkpoint: Checkpoint, name: Globs | None, drop: Globs | None, optimizer: bool) -> dict[str, None]:
    """Return the keys of the tensors that are written, in the order of the checkpoint."""
    selected = _matching(checkpoint, name) if name is not None else {*checkpoint}
    dropped = _matching(checkpoint, drop) if drop is not None else set()
    if not optimizer:
        dropped |= _of_optimizers(checkpoint)
    kept = dict.fromkeys(
        key for key in checkpoint if (key in selected and key not in dropped) or key == OBJECT_GRAPH_KEY
    )
    if not kept.keys() - {OBJECT_GRAPH_KEY}:
        raise CheckpointError(with_name(escape(checkpoint.prefix), "no tensor is left to write"))
    return kept


def _matching(checkpoint: Checkpoint, globs: Globs) -> set[str]:
    """Return the keys of tensors whose name or key matches one of the patterns, each of which must match."""
    objects = checkpoint.object_graph
    matching: set[str] = set()
    for glob in [globs] if isinstance(globs, str) else globs:
        found = {key for key in checkpoint if key != OBJECT_GRAPH_KEY and _matches(glob, key, objects)}
        if not found:
            raise CheckpointError(with_name(escape(checkpoint.prefix), f"no tensor matches {quote(glob)}"))
        matching |= found
    return matching


def _matches(glob: str, key: str, objects: ObjectGraph | None) -> bool:
    return fnmatchcase(key, glob) or (objects is not None and fnmatchcase(objects.name_of(key), glob))


def _of_optimizers(checkpoint: Checkpoint) -> set[str]:
    """Return the keys of slots, counters and settings of optimizers."""
    rows = [row for row in weights(checkpoint, all=True) if row.key is not None]
    objects = checkpoint.object_graph
    state = OptimizerState(rows, {key: name for name, key in objects.full_names.items()} if objects else {})
    return {row.key for row in rows if row.key is not None and state.is_of_optimizer(row)}


def _types(
    checkpoint: Checkpoint, names: Mapping[str, str], cast: str | Mapping[str, str] | None
) -> dict[str, DataType]:
    """Return the types of the new tensors by their new names."""
    types = {new: checkpoint.entries[old].dtype for new, old in names.items()}
    if cast is None:
        return types
    globs = {"*": cast} if isinstance(cast, str) else cast
    unknown = [text for text in globs.values() if dtype_named(text) is None]
    if unknown:
        raise ValueError(f"unknown dtype {quote(unknown[0])}")
    objects, used = checkpoint.object_graph, set()
    for new, old in names.items():
        glob = next((glob for glob in globs if _matches(glob, old, objects)), None)
        if glob is None or (isinstance(cast, str) and not _is_float(types[new])):
            continue
        used.add(glob)
        target = dtype_named(globs[glob])
        assert target is not None
        types[new] = target.number
    unused = [glob for glob in globs if glob not in used]
    if unused:
        what = "floating-point tensor" if isinstance(cast, str) else f"tensor matches {quote(unused[0])}"
        raise CheckpointError(with_name(escape(checkpoint.prefix), f"no {what} to cast"))
    return types


def _is_float(dtype: DataType) -> bool:
    row = DTYPES.get(dtype)
    return row is not None and row.given[1] == "f"


def _object_graph(checkpoint: Checkpoint, names: Mapping[str, str]) -> bytes:
    """Return the object graph of a TF2 checkpoint with the new keys, without the tensors that are left out."""
    objects = checkpoint.object_graph
    assert objects is not None
    graph = TrackableObjectGraph.from_bytes(objects.message.to_bytes())
    new_names = {old: new for new, old in names.items()}
    for node in graph.nodes:
        node.attributes = [tensor for tensor in node.attributes if tensor.checkpoint_key in new_names]
        for tensor in node.attributes:
            tensor.checkpoint_key = new_names[tensor.checkpoint_key]
    for node in graph.nodes:
        node.slot_variables = [slot for slot in node.slot_variables if _has_value(graph, slot.slot_variable_node_id)]
    return graph.to_bytes()


def _has_value(graph: TrackableObjectGraph, number: int) -> bool:
    return 0 <= number < len(graph.nodes) and bool(graph.nodes[number].attributes)
