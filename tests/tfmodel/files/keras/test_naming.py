"""Names and roles of weights from their places; needs no h5py."""

from __future__ import annotations

import pytest

from tfmodel.files.keras.config import parse_json, parse_layers, walk_layers
from tfmodel.files.keras.naming import Groups, Namer, to_snake_case

GROUPS = Groups({}, {}, {})


@pytest.mark.parametrize(
    ("path", "name", "role"),
    [
        ("model_weights/conv/conv/kernel:0", "conv/kernel", "kernel"),
        ("conv/conv/kernel:0", "conv/kernel", "kernel"),
        ("model_weights/inner/inner_dense/bias:0", "inner/inner_dense/bias", "bias"),
        ("model_weights/gru/text/gru/gru_cell/kernel", "gru/gru_cell/kernel", "kernel"),
        ("convolution2d_1/convolution2d_1_W", "convolution2d_1/convolution2d_1_W", "kernel"),
        ("dense_1/dense_1_b:0", "dense_1/dense_1_b", "bias"),
        ("batchnormalization_1/batchnormalization_1_running_mean", None, "moving_mean"),
        ("layers/dense_3/vars/1", "dense_3/bias", "bias"),
        ("layers/custom/vars/0", "custom/0", ""),
        ("layers/attention/query_dense/vars/0", "attention/query_dense/kernel", "kernel"),
        ("kernel", "kernel", ""),
    ],
)
def test_names_and_roles(path: str, name: str | None, role: str) -> None:
    actual, origin = Namer(None, GROUPS).name(path, scalar=False)
    assert (actual, origin.role) == (path if name is None else name, role)


@pytest.mark.parametrize(
    ("path", "purpose"),
    [
        ("optimizer_weights/Adam/m/conv/kernel:0", "slot"),
        ("optimizer/vars/3", "slot"),
        ("metrics/mean/vars/0", "state"),
        ("layers/dropout/seed_generator/vars/0", "state"),
        ("layers/dense/vars/0", ""),
    ],
)
def test_purposes(path: str, purpose: str) -> None:
    assert Namer(None, GROUPS).name(path, scalar=False)[1].purpose == purpose


@pytest.mark.parametrize(
    ("name", "group"),
    [("Conv2D", "conv2d"), ("BatchNormalization", "batch_normalization"), ("LSTM", "lstm"), ("MyLayer", "my_layer")],
)
def test_classes_as_groups_spell_them(name: str, group: str) -> None:
    assert to_snake_case(name) == group


def test_groups_are_counted_by_class() -> None:
    layers = [{"class_name": "Dense", "config": {"name": name}} for name in ("first", "second")]
    model = parse_layers({"class_name": "Sequential", "config": {"name": "m", "layers": layers}})
    by_class = GROUPS._replace(siblings={"layers": frozenset({"dense", "dense_2"})})  # Keras 2 leaves out numbers
    assert Namer(model, by_class).name("layers/dense_2/vars/0", scalar=False)[0] == "second/kernel"
    by_name = GROUPS._replace(siblings={"layers": frozenset({"first", "second"})})
    assert Namer(model, by_name).name("layers/first/vars/1", scalar=False)[0] == "first/bias"


def test_a_layer_without_scale_has_no_gamma() -> None:
    layer = {"class_name": "BatchNormalization", "config": {"name": "n", "scale": False}}
    model = parse_layers({"class_name": "Sequential", "config": [layer]})  # as Keras 1 writes it
    groups = GROUPS._replace(siblings={"layers": frozenset({"batch_normalization"})})
    assert Namer(model, groups).name("layers/batch_normalization/vars/0", scalar=False)[0] == "n/beta"


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "null", '{"config": 3}', '{"config": {"layers": [1, {}]}}'])
def test_damaged_architectures_have_no_layers(text: str) -> None:
    model = parse_layers(parse_json(text))
    assert model is None or [layer.class_name for _, layer in walk_layers(model) if layer.class_name] == []


def test_deep_architectures_are_cut() -> None:
    document: dict[str, object] = {"class_name": "Dense", "config": {"name": "end"}}
    for _ in range(500):
        document = {"class_name": "Model", "config": {"name": "m", "layers": [document]}}
    model = parse_layers(document)
    assert model is not None and len(list(walk_layers(model))) == 64
