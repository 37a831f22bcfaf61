"""A message whose content is computed on demand behaves like any other, except for the time of computing."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire import json, text
from pbwire.lazy import messages
from pbwire.lazy.messages import Content, Deferred, encoded_span, undecoded_message
from pbwire.lazy.undecoded_maps import wire_entries, wire_entry
from pbwire.message import Message
from tests.support.effort import scaled
from tfmodel import save, to_ndarray
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    SavedModel,
    TensorProto,
    TensorShapeProto,
)
from tfmodel.values.tensor_header import read_header

SHAPE = TensorShapeProto(dim=[TensorShapeProto.Dim(size=800), TensorShapeProto.Dim(size=1000)])
BYTES = np.random.default_rng(0).integers(0, 256, 800_000, np.uint8).tobytes()
WHOLE = TensorProto(dtype=DataType.DT_UINT8, tensor_shape=SHAPE, tensor_content=BYTES)
FIELDS = TensorProto(dtype=DataType.DT_UINT8, tensor_shape=SHAPE).to_bytes()
MORE = TensorProto(version_number=7, tensor_content=b"others").to_bytes()


def compute(start: int, stop: int) -> memoryview:
    return memoryview(BYTES)[start:stop]


def deferred(compute: Callable[[int, int], memoryview] = compute) -> TensorProto:
    return undecoded_message(TensorProto, Deferred(FIELDS, 4, Content(len(BYTES), compute)))


def is_deferred(tensor: TensorProto) -> bool:
    span: Any = tensor._unknown
    return isinstance(span, tuple) and isinstance(span[0], Deferred)


def const(tensor: TensorProto) -> NodeDef:
    return NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)})


def model(tensor: TensorProto) -> SavedModel:
    return SavedModel(meta_graphs=[MetaGraphDef(graph_def=GraphDef(node=[const(tensor)]))])


# --- the bytes -------------------------------------------------------------------------------------------------------


@settings(max_examples=scaled(60))
@given(st.integers(0, 300), st.integers(0, 300))
def test_slices_are_those_of_bytes(start: int, stop: int) -> None:
    data = Deferred(b"\x08\x01" * 40, 2, Content(200, lambda start, stop: memoryview(BYTES)[start:stop]))
    whole = b"\x08\x01" * 40 + b"\x12\xc8\x01" + BYTES[:200]
    assert data[start:stop] == whole[start:stop]
    assert len(data) == len(whole)


def test_items_are_those_of_bytes() -> None:
    data = Deferred(b"\x08\x07", 15, Content(2, lambda start, stop: memoryview(b"cd")[start:stop]))
    assert [*data] == [*b"\x08\x07\x7a\x02cd"]
    with pytest.raises(IndexError):
        data[6]


@pytest.mark.parametrize(
    "size",
    [
        1,
        messages.PIECE_BYTES - 1,
        messages.PIECE_BYTES,
        messages.PIECE_BYTES + 1,
        3 * messages.PIECE_BYTES,
    ],
)
def test_the_pieces_make_up_the_content(size: int) -> None:
    whole = bytes(range(251)) * (size // 251 + 1)
    content = Content(size, lambda start, stop: memoryview(whole)[start:stop])
    pieces = [*content.pieces()]
    assert b"".join(pieces) == content.compute_all() == whole[:size]
    assert max(map(len, pieces)) <= messages.PIECE_BYTES


# --- the message -----------------------------------------------------------------------------------------------------


def changed(tensor: TensorProto) -> TensorProto:
    tensor.version_number = 3
    return tensor


def assigned(tensor: TensorProto) -> TensorProto:
    tensor.tensor_content = b"mine"
    return tensor


def without_field(tensor: TensorProto) -> TensorProto:
    tensor.ClearField("tensor_shape")
    return tensor


def cleared(tensor: TensorProto) -> TensorProto:
    tensor.Clear()
    return tensor


def merged_into(tensor: TensorProto) -> TensorProto:
    tensor.merge_from_bytes(MORE)
    return tensor


def merged_from(tensor: TensorProto) -> TensorProto:
    other = TensorProto.from_bytes(MORE)
    other.merge_from(tensor)
    return other


def copied_from(tensor: TensorProto) -> TensorProto:
    other = TensorProto.from_bytes(MORE)
    other.CopyFrom(tensor)
    return other


def copy_changed(tensor: TensorProto) -> tuple[TensorProto, TensorProto]:
    other = copy.deepcopy(tensor)
    assert other.tensor_shape is not None
    other.tensor_shape.dim[0].size = 1
    return tensor, other


DOES: dict[str, Callable[[TensorProto], object]] = {
    "class": lambda tensor: (type(tensor).__name__, isinstance(tensor, TensorProto)),
    "field": lambda tensor: tensor.dtype,
    "content": lambda tensor: (type(tensor.tensor_content), tensor.tensor_content),
    "sub-message": lambda tensor: tensor.tensor_shape,
    "unknown fields": lambda tensor: tensor.unknown_fields,
    "HasField": lambda tensor: tensor.HasField("tensor_shape"),
    "ListFields": lambda tensor: tensor.ListFields(),
    "set": changed,
    "set content": assigned,
    "ClearField": without_field,
    "clear": cleared,
    "to_bytes": lambda tensor: tensor.to_bytes(),
    "deterministic": lambda tensor: tensor.to_bytes(deterministic=True),
    "to_buffers": lambda tensor: [bytes(buffer) for buffer in tensor.to_buffers()],
    "deterministic buffers": lambda tensor: [bytes(buffer) for buffer in tensor.to_buffers(deterministic=True)],
    "ByteSize": lambda tensor: tensor.ByteSize(),
    "merge_from_bytes": merged_into,
    "merge_from": merged_from,
    "CopyFrom": copied_from,
    "==": lambda tensor: [one == other for one, other in ((tensor, WHOLE), (WHOLE, tensor), (tensor, TensorProto()))],
    "repr": repr,
    "copy": copy.copy,
    "deepcopy": copy_changed,
    "pickle": lambda tensor: pickle.loads(pickle.dumps(tensor)),
    "replace": lambda tensor: dataclasses.replace(tensor, version_number=4),
    "text": text.dumps,
    "json": json.dumps,
    "read_header": read_header,
    "to_ndarray": lambda tensor: to_ndarray(tensor).tolist(),
    "wire_entry": lambda tensor: wire_entry(const(tensor), "attr", "value"),
    "wire_entries": lambda tensor: [*map(bytes, wire_entries(const(tensor), "attr")[b"value"])],
}


@pytest.mark.parametrize("decoded", [False, True], ids=["undecoded", "decoded"])
@pytest.mark.parametrize("name", DOES)
def test_a_deferred_message_behaves_like_any_other(name: str, decoded: bool) -> None:
    ours, other = deferred(), copy.deepcopy(WHOLE)
    if decoded:
        assert ours.tensor_content == BYTES
        assert not is_deferred(ours)
    assert DOES[name](ours) == DOES[name](other)
    assert ours.to_bytes() == other.to_bytes()
    assert ours == other


HOLDS: dict[str, Callable[[SavedModel], object]] = {
    "to_bytes": lambda model: model.to_bytes(),
    "deterministic": lambda model: model.to_bytes(deterministic=True),
    "to_buffers": lambda model: [bytes(buffer) for buffer in model.to_buffers()],
    "ByteSize": lambda model: model.ByteSize(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "text": text.dumps,
    "json": json.dumps,
    "CopyFrom": lambda model: copied_model(model),
}


def copied_model(model: SavedModel) -> SavedModel:
    other = SavedModel()
    other.CopyFrom(model)
    return other


@pytest.mark.parametrize("name", HOLDS)
def test_a_model_with_a_deferred_message_behaves_like_any_other(name: str) -> None:
    ours, other = model(deferred()), model(WHOLE)
    assert HOLDS[name](ours) == HOLDS[name](other)
    assert ours == other


def test_the_bytes_in_memory_of_a_deferred_message() -> None:
    span = encoded_span(deferred())
    assert span is not None
    assert span[0] == WHOLE.to_bytes()


# --- when it is computed ---------------------------------------------------------------------------------------------

NOT_NEEDED: dict[str, Callable[[TensorProto], object]] = {
    "class": type,
    "ByteSize": lambda tensor: model(tensor).ByteSize(),
    "type and shape": lambda tensor: read_header(tensor) == read_header(WHOLE) or pytest.fail("they differ"),
    "putting it elsewhere": lambda tensor: AttrValue(tensor=tensor).which_oneof("value"),
    "asking whether it is there": lambda tensor: AttrValue(tensor=tensor).HasField("tensor"),
}


@pytest.mark.parametrize("name", NOT_NEEDED)
def test_operations_that_do_not_compute_the_content(name: str) -> None:
    def never(start: int, stop: int) -> memoryview:
        raise AssertionError("computed")

    tensor = deferred(never)
    NOT_NEEDED[name](tensor)
    assert is_deferred(tensor)


def test_the_content_is_computed_once_when_decoded() -> None:
    calls = []

    def counted(start: int, stop: int) -> memoryview:
        calls.append((start, stop))
        return compute(start, stop)

    tensor = deferred(counted)
    for _ in range(3):
        assert tensor.tensor_content == BYTES
        assert tensor.to_bytes() == WHOLE.to_bytes()
    assert calls == [(0, len(BYTES))]


@pytest.mark.parametrize("deterministic", [False, True])
def test_a_file_is_written_with_one_piece_in_memory_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, deterministic: bool
) -> None:
    monkeypatch.setattr(messages, "PIECE_BYTES", 100_000)
    alive: weakref.WeakSet[np.ndarray] = weakref.WeakSet()
    most = []

    def watched(start: int, stop: int) -> memoryview:
        piece = Piece((stop - start,), np.uint8)
        piece[:] = np.frombuffer(BYTES[start:stop], np.uint8)
        alive.add(piece)
        most.append(len(alive))
        return piece.data

    graph = GraphDef(node=[const(deferred(watched)) for _ in range(3)])
    save(graph, tmp_path / "graph.pb", deterministic=deterministic)
    assert (tmp_path / "graph.pb").read_bytes() == GraphDef(node=[const(WHOLE)] * 3).to_bytes()
    assert len(most) == 3 * 8
    assert max(most) == 1
    assert all(is_deferred(node.attr["value"].tensor) for node in graph.node)


class Piece(np.ndarray):
    """An array that is compared by identity, and can be in a set."""

    __hash__ = object.__hash__


def test_a_failure_leaves_it_as_it_was(tmp_path: Path) -> None:
    failing = [True]

    def at_first_not(start: int, stop: int) -> memoryview:
        if failing:
            failing.clear()
            raise MemoryError
        return compute(start, stop)

    tensor = deferred(at_first_not)
    message: Message = model(tensor)
    with pytest.raises(MemoryError):
        save(message, tmp_path / "model.pb")
    assert [*tmp_path.iterdir()] == []
    assert tensor == WHOLE
