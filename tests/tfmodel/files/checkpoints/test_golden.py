"""Checkpoints that TensorFlow wrote: we read what it reads, and write what it wrote."""

from __future__ import annotations

import pytest

from tests.support.corpus import corpus, needs_corpus
from tfmodel.files.checkpoints.checkpoint import Checkpoint, problems
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import DataType, VariantTensorDataProto
from tfmodel.values.dtypes import dtype_name

from .golden import NAMES, golden

PLAIN = [name for name in NAMES if golden(name).plain]


def same(a, b):
    if a.dtype == object:
        return b.dtype == object and a.shape == b.shape and a.tolist() == b.tolist()
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_every_tensor_is_what_tensorflow_reads(name):
    expected = golden(name)
    with Checkpoint(expected.path) as checkpoint:
        assert checkpoint.version == (1 if name.endswith("v1") else 2)
        numbers = {key for key, entry in checkpoint.entries.items() if entry.dtype != DataType.DT_VARIANT}
        assert numbers == set(expected.tensors)
        for key, array in expected.tensors.items():
            assert same(checkpoint[key], array), key
            assert not checkpoint[key].flags.writeable
            entry = checkpoint.entries[key]
            assert (entry.shape, dtype_name(entry.dtype)) == (array.shape, expected.dtypes[key])


@pytest.mark.parametrize("verify", ["index", "off"])
@pytest.mark.parametrize("name", NAMES)
def test_values_do_not_depend_on_verification(name, verify):
    with Checkpoint(golden(name).path, verify=verify) as checkpoint:
        assert all(same(checkpoint[key], array) for key, array in golden(name).tensors.items())


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_wrong_with_them(name):
    assert list(problems(golden(name).path)) == []


@pytest.mark.parametrize("name", PLAIN)
def test_the_same_tensors_give_the_same_files(name, tmp_path):
    with Checkpoint(golden(name).path) as checkpoint:
        dtypes = {key: entry.dtype for key, entry in checkpoint.entries.items()}
        write_checkpoint(tmp_path / "copy", checkpoint, dtypes=dtypes)
    for suffix in (".index", ".data-00000-of-00001"):
        with open(checkpoint.prefix + suffix, "rb") as theirs:
            assert (tmp_path / f"copy{suffix}").read_bytes() == theirs.read()


@pytest.mark.parametrize("name", NAMES)
def test_a_copied_checkpoint_reads_the_same(name, tmp_path):
    expected = golden(name)
    with Checkpoint(expected.path) as checkpoint:
        numbers = {key: array for key, array in checkpoint.items() if key in expected.tensors}
        dtypes = {key: checkpoint.entries[key].dtype for key in numbers}
    write_checkpoint(tmp_path / "copy", numbers, dtypes=dtypes)
    with Checkpoint(tmp_path / "copy") as copy:
        assert {key: dtype_name(entry.dtype) for key, entry in copy.entries.items()} == expected.dtypes
        assert all(same(copy[key], array) for key, array in expected.tensors.items())


def test_a_variant_is_a_message():
    with Checkpoint(golden("variants_v2").path) as checkpoint:
        value = checkpoint["list"].item()
    assert isinstance(value, VariantTensorDataProto)
    assert value.type_name == "tensorflow::TensorList"
    assert [tensor.dtype for tensor in value.tensors] == [DataType.DT_FLOAT] * 3


@pytest.mark.parametrize("name", ["partitioned_v2", "grid_v2", "sliced_v1", "cut_and_sharded_v1"])
def test_parts_of_tensors_are_read_alone(name):
    with Checkpoint(golden(name).path) as checkpoint:
        for key, array in golden(name).tensors.items():
            extents = tuple((size // 3, size - size // 2) for size in array.shape)
            expected = array[tuple(slice(start, start + size) for start, size in extents)]
            assert same(checkpoint.read(key, extents), expected)
            assert same(checkpoint.read(key, ((0, -1),) * array.ndim), array)


def test_slices_are_listed():
    with Checkpoint(golden("partitioned_v2").path) as checkpoint:
        entry = checkpoint.entries["axis1/weights"]
    assert (entry.shape, entry.size, entry.shard, entry.offset) == ((7, 8, 6), 7 * 8 * 6 * 4, None, None)
    assert [(part.start, part.shape) for part in entry.slices] == [((0, n, 0), (7, 2, 6)) for n in range(0, 8, 2)]
    assert all(part.size == 7 * 2 * 6 * 4 for part in entry.slices)


@needs_corpus
@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("serving/bad_half_plus_two/00000123", {"Variable": 0.5, "Variable_1": 2.0}),
        ("serving/session_bundle/half_plus_two/00000123", {"a": 0.5, "b": 2.0}),
        ("serving/saved_model_counter/00000123", {"counter": 0.0}),
        ("serving/saved_model_half_plus_two_cpu/00000123", {"a": 0.5, "a2": 0.5, "b": 2.0, "c": 3.0, "c2": 3.0}),
        ("serving/saved_model_half_plus_three/00000123", {"a": 0.5, "b": 3.0, "c": 3.0}),
    ],
)
def test_real_checkpoints(path, values):
    assert corpus is not None
    with Checkpoint(corpus / path) as checkpoint:
        assert {name: array.item() for name, array in checkpoint.items()} == values
    assert list(problems(corpus / path)) == []


@needs_corpus
def test_a_checkpoint_of_a_newer_tensorflow():
    assert corpus is not None
    folder = corpus / "serving" / "saved_model_half_plus_two_tf2_cpu" / "00000123"
    with Checkpoint(folder) as checkpoint:  # its index is compressed
        graph = checkpoint.object_graph
        assert graph is not None
        assert {name: checkpoint[key].item() for name, key in graph.names.items()} == {"a": 0.5, "b": 2.0, "c": 3.0}
    assert list(problems(folder)) == []
