"""`WeightsReport.save`: files for other programs."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.tfmodel.files.test_safetensors import read
from tests.tfmodel.parameters.graphs import const, graph, variable
from tfmodel.errors import TensorError
from tfmodel.messages import DataType
from tfmodel.parameters.listing import weights

list_all = partial(weights, all=True)

KERNEL = np.arange(24, dtype="f4").reshape(2, 1, 3, 4)
MADE = graph(
    const("conv/kernel", KERNEL),
    const("conv/bias", np.float32([1, 2])),
    const("scalar", np.int64(7)),
    const("small", np.float32([0.5, 2]), DataType.DT_BFLOAT16),
    const("words", [b"a", b"bcd"]),
    "y = Conv2D(x, conv/kernel)",
)


def test_export_to_npz(tmp_path):
    done = list_all(MADE).save(tmp_path / "w.npz")
    assert (done.count, done.size, done.left_out) == (5, 96 + 8 + 8 + 8 + 4, [])
    with np.load(tmp_path / "w.npz") as arrays:
        assert list(arrays) == ["conv/kernel", "conv/bias", "scalar", "small", "words"]
        assert np.array_equal(arrays["conv/kernel"], KERNEL)
        assert arrays["scalar"] == 7
        assert arrays["small"].dtype == np.float32
        assert arrays["words"].tolist() == [b"a", b"bcd"]


def test_export_to_a_folder(tmp_path):
    list_all(MADE).save(str(tmp_path / "w"))
    assert np.array_equal(np.load(tmp_path / "w" / "conv" / "kernel.npy"), KERNEL)
    assert np.load(tmp_path / "w" / "scalar.npy") == 7


def test_export_to_safetensors(tmp_path):
    done = list_all(MADE).save(tmp_path / "w.safetensors")
    assert (done.count, done.left_out) == (4, [("words", "safetensors has no type for string")])
    arrays, _ = read((tmp_path / "w.safetensors").read_bytes())
    assert np.array_equal(arrays["conv/kernel"], KERNEL)
    assert arrays["scalar"] == 7
    assert (arrays["small"].dtype.name, arrays["small"].tolist()) == ("bfloat16", [0.5, 2])


@pytest.mark.parametrize("target", ["w.npz", "w.safetensors", "w"])
def test_export_in_a_layout(tmp_path, target):
    list_all(MADE, layout="OIHW", name="conv/*").save(tmp_path / target)
    if target == "w.npz":
        arrays = dict(np.load(tmp_path / target))
    elif target == "w":
        arrays = {
            "conv/kernel": np.load(tmp_path / "w" / "conv" / "kernel.npy"),
            "conv/bias": np.load(tmp_path / "w" / "conv" / "bias.npy"),
        }
    else:
        arrays, _ = read((tmp_path / target).read_bytes())
    assert np.array_equal(arrays["conv/kernel"], np.einsum("hwio->oihw", KERNEL))
    assert arrays["conv/bias"].tolist() == [1, 2]
    assert len(arrays) == 2


@pytest.mark.parametrize("target", ["w.npz", "w.safetensors"])
def test_the_file_does_not_depend_on_the_sort_order(tmp_path, target):
    contents = []
    for sort in ("size", "name"):
        list_all(MADE, sort=sort).save(tmp_path / target)
        contents.append((tmp_path / target).read_bytes())
    assert contents[0] == contents[1]


@pytest.mark.parametrize("target", ["w.npz", "w.safetensors", "w"])
def test_weights_without_values_are_left_out(tmp_path, target):
    model = graph(variable("w", 3), const("c"))
    done = list_all(model).save(tmp_path / target)
    assert (done.count, done.left_out) == (1, [("w", "there is no checkpoint")])


@pytest.mark.parametrize("target", ["w.npz", "w.safetensors", "w"])
def test_an_error_leaves_no_file(tmp_path, target):
    bad = const("w", np.float32([1, 2, 3]))
    bad.attr["value"].tensor.tensor_content = bytes(8)
    with pytest.raises(TensorError, match='Const "w": '):
        list_all(graph(const("c"), bad)).save(tmp_path / target)
    assert list(tmp_path.iterdir()) == []


QUANTIZED = graph(
    const("w_quantized_const", np.arange(6, dtype="u1").reshape(2, 3), DataType.DT_QUINT8),
    const("w_quantized_min", np.float32(0)),
    const("w_quantized_max", np.float32(127.5)),
    "w = Dequantize(w_quantized_const, w_quantized_min, w_quantized_max)",
)


def loaded(path):
    """Return the arrays of a file or folder by name."""
    if path.suffix == ".npz":
        return dict(np.load(path))
    if path.suffix == ".safetensors":
        return read(path.read_bytes())[0]
    return {file.stem: np.load(file) for file in path.iterdir()}


@pytest.mark.parametrize("target", ["w.npz", "w.safetensors", "w"])
def test_quantized_values_are_dequantized(tmp_path, target):
    done = list_all(QUANTIZED).save(tmp_path / target)
    arrays = loaded(tmp_path / target)
    assert (done.count, done.size, list(arrays)) == (1, 24, ["w"])
    assert (arrays["w"].dtype, arrays["w"].tolist()) == (np.float32, [[0, 0.5, 1], [1.5, 2, 2.5]])


@pytest.mark.parametrize("target", ["w.npz", "w.safetensors", "w"])
def test_quantized_values_are_exported_as_stored(tmp_path, target):
    done = list_all(QUANTIZED, as_stored=True).save(tmp_path / target)
    arrays = loaded(tmp_path / target)
    assert (done.count, done.size) == (3, 6 + 4 + 4)
    assert (arrays["w_quantized_const"].dtype, arrays["w_quantized_const"].tolist()) == (
        np.uint8,
        [[0, 1, 2], [3, 4, 5]],
    )
    assert arrays["w_quantized_max"] == 127.5


def test_names_that_safetensors_reserves_are_left_out(tmp_path):
    model = graph(const("__metadata__"), const("c"))
    done = list_all(model).save(tmp_path / "w.safetensors")
    assert done.left_out == [("__metadata__", "there cannot be another tensor of this name")]


@pytest.mark.parametrize("name", ["../../evil", "/etc/evil", "..", "a//b", "con\x00"])
def test_names_never_leave_the_folder(tmp_path, name):
    (tmp_path / "in").mkdir()
    list_all(graph(const(name))).save(tmp_path / "in" / "w")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["w"]
    assert len(list((tmp_path / "in" / "w").rglob("*.npy"))) == 1


@pytest.mark.parametrize("target", ["w.npy", "w.h5", "w.pb", "w.PT", "w.json"])
def test_unsupported_formats_are_refused(tmp_path, target):
    with pytest.raises(ValueError, match=r"is not an \.npz, a \.safetensors or the name of a folder"):
        list_all(MADE).save(tmp_path / target)


def test_progress_is_called_with_each_name(tmp_path):
    names = []
    list_all(MADE, name="conv/*").save(tmp_path / "w.safetensors", progress=names.append)
    list_all(MADE, name="s*").save(tmp_path / "w.npz", progress=names.append)
    assert names == ["conv/kernel", "conv/bias", "scalar", "small"]
