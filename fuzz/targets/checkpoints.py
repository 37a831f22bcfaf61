"""Checkpoints of both versions: indexes and data, mutated, and mutated with corrected checksums.

Checksums detect almost any damage. The targets called `-repaired` therefore correct the checksums of blocks before the
file is read, as an attacker would.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from zlib import crc32

from hypothesis import strategies as st

from fuzz import reference
from fuzz.golden_models import MAX_SEED_BYTES, folders
from fuzz.reference_checkpoints import Stored
from fuzz.special_files import with_no_files
from fuzz.target import KINDS, Case, Files, Target
from pbwire import Error
from pbwire.message import Message
from pbwire.wire import read_varint
from tests.support.strategies import messages
from tests.tfmodel.files.checkpoints.tables import COUNTER, block, literal, table, trailer
from tfmodel import Checkpoint, write_checkpoint
from tfmodel.files.checkpoints.checkpoint import problems
from tfmodel.files.checkpoints.index import ObjectGraph, SlicesIndex, encode_slice_key, read_index
from tfmodel.files.checkpoints.table_file import FOOTER, TableFile, is_table
from tfmodel.messages import (
    BundleEntryProto,
    BundleHeaderProto,
    DataType,
    SavedTensorSliceMeta,
    SavedTensorSlices,
    TensorShapeProto,
    TensorSliceProto,
    TrackableObjectGraph,
    VersionDef,
)

TYPES = (DataType.DT_FLOAT, DataType.DT_STRING, DataType.DT_VARIANT, DataType.DT_BOOL)
MAX_ROUND = 1 << 20  # maximum bytes of tensors that are written back


# --- sources of inputs -----------------------------------------------------------------------------------------------


def _checkpoints(version: int) -> Iterator[Files]:
    for name, files in folders("checkpoints/answers.tar.xz").items():
        if name.endswith("_v1") == (version == 1) and sum(map(len, files.values())) <= 2 * MAX_SEED_BYTES:
            yield files


def index_seeds() -> Iterator[Files]:
    yield {"model.index": COUNTER}
    yield {"model.index": table(block([(b"", b"\x08\x01")]))}
    packed = literal(block([(b"", b"\x08\x01"), (b"w", b"\x08\x01\x12\x00\x28\x04")]))
    yield {"model.index": table(packed, compression=1)}
    for files in (*_checkpoints(2), *_checkpoints(1)):
        yield from ({"model.index": content} for name, content in files.items() if is_table(content))


def bundle_seeds() -> Iterator[Files]:
    yield {"model.index": COUNTER, "model.data-00000-of-00001": bytes(4)}
    yield from _checkpoints(2)


def slices_seeds() -> Iterator[Files]:
    return _checkpoints(1)


def object_graph_seeds() -> Iterator[Files]:
    for name, files in folders("checkpoints/answers.tar.xz").items():
        if name.startswith("keras"):
            for data in files.values():
                start = data.find(b"\n\x0e\n\x0c")
                if start >= 0:
                    yield {"graph": data[start:]}
    yield {"graph": TrackableObjectGraph().to_bytes()}


def shapes() -> st.SearchStrategy[TensorShapeProto]:
    sizes = st.lists(st.sampled_from([0, 1, 2, 3, 2**31, 2**62, -1]), max_size=4)
    return sizes.map(lambda all_: TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in all_]))


@st.composite
def bundles(draw: st.DrawFn) -> Files:
    """Draw an index with arbitrary entries, also of tensors in parts, and sixteen bytes of data."""
    number, extreme = st.integers(0, 16), st.sampled_from([-1, 2**31, 2**62, 2**63 - 1])
    types: st.SearchStrategy[Any] = st.sampled_from([*TYPES, 1000])
    shards = draw(st.sampled_from([0, 1, 2, 2**31 - 1]))
    records: dict[bytes, Message] = {b"": BundleHeaderProto(num_shards=shards, version=VersionDef(producer=1))}
    for name in draw(st.lists(st.sampled_from(["a", "b/c", "\0", "x" * 200]), unique=True)):
        dtype, shape = draw(types), draw(shapes())
        parts = []
        for _ in range(draw(st.integers(0, 3))):
            extents = [draw(st.tuples(number | extreme, number | extreme)) for _ in shape.dim]
            part = BundleEntryProto(dtype=dtype, shape=shape, offset=draw(number), size=draw(number | extreme))
            if all(abs(number) < 2**63 for pair in extents for number in pair):
                records[encode_slice_key(name, extents)] = part
            parts.append([TensorSliceProto.Extent(start=start, length=length) for start, length in extents])
        records[name.encode()] = BundleEntryProto(
            dtype=dtype,
            shape=shape,
            shard_id=draw(st.integers(-1, 1)),
            offset=draw(number | extreme),
            size=draw(number | extreme),
            slices=[TensorSliceProto(extent=extents) for extents in parts],
        )
    stored = sorted((key, value.to_bytes()) for key, value in records.items())
    return {"model.index": table(block(stored)), "model.data-00000-of-00001": draw(st.binary(max_size=16))}


def indexes() -> st.SearchStrategy[Files]:
    return bundles().map(lambda files: {"model.index": files["model.index"]})


def slices() -> st.SearchStrategy[Files]:
    """Return a strategy for tables of contents, with records for all parts that they list."""
    names = st.sampled_from(["a", "b"])

    def file(contents: SavedTensorSlices, parts: list[tuple[str, SavedTensorSlices]]) -> Files:
        stored = {encode_slice_key(name, []): part.to_bytes() for name, part in parts}
        return {"model": table(block([(b"", contents.to_bytes()), *sorted(stored.items())]))}

    parts = st.lists(st.tuples(names, messages(SavedTensorSlices)), max_size=3)
    return st.builds(file, messages(SavedTensorSlices), parts)


# --- reading ---------------------------------------------------------------------------------------------------------


def repaired(data: bytes) -> bytes:
    """Return a table with corrected checksums of all blocks that can be located."""
    out = bytearray(data)

    def repair(offset: int, size: int) -> None:
        end = offset + size
        if 0 <= offset <= end < len(out) - FOOTER - 4:
            out[end + 1 : end + 5] = trailer(bytes(out[offset:end]), out[end])[1:]

    if not is_table(data):
        return data
    try:
        for handle in TableFile(data, checksums=False).blocks:
            repair(handle.offset, handle.size)
    except Error:
        pass  # the reader refuses it in any case
    view, pos = memoryview(bytes(out[-FOOTER:])), 0
    try:
        for _ in range(2):
            offset, pos = read_varint(view, pos, 40)
            size, pos = read_varint(view, pos, 40)
            repair(offset, size)
    except Error:
        pass
    return bytes(out)


def check_index(files: Files, case: Case) -> object:
    """Assert that the index has every record of the file, under its name and in order."""
    (data,) = files.values()
    index = read_index(data)
    records = reference.records(data)
    if isinstance(index, SlicesIndex):
        assert index.meta == (SavedTensorSlices.from_bytes(records[0][1]).meta or SavedTensorSliceMeta())
        return index
    entries = {name.encode(): entry for name, entry in index.entries.items()}
    entries |= {encode_slice_key(*key): entry for key, entry in index.slices.items()}
    assert list(entries) == [*(key for key, _ in records[1:] if key[0]), *(key for key, _ in records[1:] if not key[0])]
    assert all(BundleEntryProto.from_bytes(value) == entries[key] for key, value in records[1:])
    assert index.header == reference.header(records)
    return index


def check_repaired_index(files: Files, case: Case) -> object:
    (data,) = files.values()
    return check_index({"model.index": repaired(data)}, case)


def check_checkpoint(files: Files, case: Case) -> object:
    """Read all tensors one by one. For every fourth input also write them, the slowest step, and read them back."""
    folder = case.write(files)
    prefix = folder / _prefix(files)
    errors = list(problems(prefix))
    with Checkpoint(prefix, verify="off") as checkpoint:
        entries = dict(checkpoint.entries.items())
        case.allow(sum(entry.size or 0 for entry in entries.values()))
        stored = Stored(checkpoint.files, checkpoint.version, checked=not errors)
        tensors, room = {}, MAX_ROUND
        for name in checkpoint.in_file_order():
            stored.check_entry(name, entries[name])
            array = checkpoint[name]
            assert array.shape == entries[name].shape
            stored.check_array(name, array)
            room -= array.nbytes
            if room > 0 and name and name[0] != "\0" and entries[name].dtype != DataType.DT_VARIANT:
                tensors[name] = array
        checkpoint.object_graph  # noqa: B018  reading the property is the test
    if sum(map(crc32, files.values())) % 4:
        return errors, sorted(tensors)
    types = {name: entries[name].dtype for name in tensors}
    write_checkpoint(folder / "again", tensors, dtypes=types)
    with Checkpoint(folder / "again") as again:
        for name, array in tensors.items():
            assert again[name].tobytes() == array.tobytes() if array.dtype != object else (again[name] == array).all()
            assert again.entries[name].dtype == types[name]
    return errors, sorted(tensors)


def check_repaired_checkpoint(files: Files, case: Case) -> object:
    return check_checkpoint({name: repaired(content) for name, content in files.items()}, case)


def check_object_graph(files: Files, case: Case) -> object:
    (data,) = files.values()
    graph = ObjectGraph(data)
    keys = {attribute.checkpoint_key for node in graph.message.nodes for attribute in node.attributes}
    assert {*graph.names.values()} <= keys and all(name in (_readable(key), key) for name, key in graph.names.items())
    for name, key in graph.names.items():
        assert graph.key_of(name) == key
        assert graph.name_of(key) == name
    return graph.names


def _readable(key: str) -> str:
    """Return the readable form of a key: `.S` is a slash, `..` a dot, and the common parts of all keys are left out."""
    path, separator, attribute = key.rpartition("/.ATTRIBUTES/")
    if not separator:
        return key
    variable, slot, owner = path.partition("/.OPTIMIZER_SLOT/")
    path = f"{owner}/{variable}" if slot else path
    left, name = path if attribute == "VARIABLE_VALUE" else f"{path}/{attribute}", ""
    while left:
        meant = {".S": "/", "..": "."}.get(left[:2])
        name, left = name + (meant or left[0]), left[2 if meant else 1 :]
    return name


def object_graphs() -> st.SearchStrategy[Files]:
    """Return a strategy for objects with arbitrary fields, and with keys that contain the separators of keys."""
    words = ["a", "b/c", ".S", "..", ".", "/", "/.ATTRIBUTES/", "VARIABLE_VALUE", "/.OPTIMIZER_SLOT/", "é"]
    keys = st.lists(st.sampled_from(words), max_size=7).map("".join)
    paths = st.sampled_from(["x/", "..S/", "a.Sb", "a../.OPTIMIZER_SLOT/b.S"])
    whole = paths.map("{}/.ATTRIBUTES/VARIABLE_VALUE".format)

    def graph(keys: list[str]) -> TrackableObjectGraph:
        node = TrackableObjectGraph.TrackableObject
        tensors = [node.SerializedTensor(name="VARIABLE_VALUE", checkpoint_key=key) for key in keys]
        return TrackableObjectGraph(nodes=[node(attributes=tensors)])

    valid = st.lists(keys | whole, min_size=1, max_size=4).map(graph)
    return (messages(TrackableObjectGraph) | valid).map(lambda graph: {"graph": graph.to_bytes()})


def _prefix(files: Files) -> str:
    """Return the name of the checkpoint: its only prefix, or the folder."""
    files = {name.rpartition("@")[0] if name.endswith(KINDS) else name: b"" for name in files}
    prefixes = {str(PurePosixPath(name)).removesuffix(".index") for name in files if name.endswith(".index")}
    if not prefixes:
        prefixes = {name.partition("-0")[0] for name in files if name != "checkpoint"}
    return prefixes.pop() if len(prefixes) == 1 else "."


_target = partial(Target, seconds=1.0, memory=400.0, refusals=(OSError,))

TARGETS = (
    Target("checkpoint-index", "the index of a checkpoint", index_seeds, indexes, check_index, memory=400),
    Target(
        "checkpoint-index-repaired",
        "the same, its checksums repaired",
        index_seeds,
        indexes,
        check_repaired_index,
        memory=400,
    ),
    _target(
        "checkpoint",
        "checkpoints: index and data",
        bundle_seeds,
        lambda: with_no_files(bundles(), [*bundle_seeds()]),
        check_checkpoint,
    ),
    _target(
        "checkpoint-repaired",
        "the same, with repaired checksums of the index",
        bundle_seeds,
        lambda: with_no_files(bundles(), [*bundle_seeds()]),
        check_repaired_checkpoint,
    ),
    _target(
        "checkpoint-v1",
        "checkpoints of version 1",
        slices_seeds,
        lambda: with_no_files(slices(), [*slices_seeds()]),
        check_checkpoint,
    ),
    _target(
        "checkpoint-v1-repaired", "the same, with repaired checksums", slices_seeds, slices, check_repaired_checkpoint
    ),
    Target(
        "object-graph",
        "the objects that a checkpoint was saved from",
        object_graph_seeds,
        object_graphs,
        check_object_graph,
    ),
)
