"""The tensors that the index of a checkpoint lists, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..checkpoints.index import BundleIndex, Index
from ..io.terminal import align_columns, printable
from .formatting import dtype_name, shape_text

__all__ = ["index_lines"]


def index_lines(index: Index, *, full: bool = False) -> Iterator[str]:
    """Yield a header and a line for every tensor, safe to show on a terminal. With `full`, show checksums too."""
    return _bundle(index, full) if isinstance(index, BundleIndex) else _slices(index)


def _bundle(index: BundleIndex, full: bool) -> Iterator[str]:
    header = index.header
    shards = f"{header.num_shards:,} data file{'' if header.num_shards == 1 else 's'}"
    order = "big-endian" if header.endianness else "little-endian"
    version = f", version {header.version.producer}" if header.version else ""
    yield f"checkpoint index (V2): {_count(len(index.entries))} in {shards}, {order}{version}"
    yield ""

    parts: dict[str, list[tuple[str, Any]]] = {}
    for key, part in index.slices.items():
        parts.setdefault(key.name, []).append((f"  {key}", part))

    def rows() -> Iterator[tuple[str, ...]]:
        yield "name", "type", "shard", "offset", "size", *(["crc32c (masked)"] if full else []), ""
        for name, entry in index.entries.items():
            yield _row(name, entry, f"in {len(entry.slices):,} slices" if entry.slices else "")
            yield from (_row(key, part, "") for key, part in parts.get(name, ()))

    def _row(name: str, entry: Any, note: str) -> tuple[str, ...]:
        kind = f"{dtype_name(entry.dtype)}{shape_text(entry.shape)}"
        place = ["", "", ""] if entry.slices else [str(entry.shard_id), str(entry.offset), str(entry.size)]
        crc = [] if not full else [""] if entry.slices else [f"{entry.crc32c:08x}"]
        return printable(name), kind, *place, *crc, note

    yield from align_columns(rows(), right=(2, 3, 4))


def _slices(index: Any) -> Iterator[str]:
    version = f", version {index.meta.versions.producer}" if index.meta.versions else ""
    yield f"checkpoint (V1): {_count(len(index.meta.tensor))}{version}"
    yield ""

    def rows() -> Iterator[tuple[str, ...]]:
        yield "name", "type", "slices"
        for tensor in index.meta.tensor:
            kind = f"{dtype_name(tensor.type)}{shape_text(tensor.shape)}"
            yield printable(tensor.name), kind, " ".join(map(_slice_text, tensor.slice))

    yield from align_columns(rows())


def _slice_text(part: Any) -> str:
    """Return a slice as in graphs: `0,5:-` is five rows of all columns; `all` is the whole tensor."""
    extents = ["-" if (e.length is None or e.length < 0) else f"{e.start},{e.length}" for e in part.extent]
    return "all" if set(extents) <= {"-"} else ":".join(extents)


def _count(number: int) -> str:
    return f"{number:,} tensor{'' if number == 1 else 's'}"
