"""Record files that Keras wrote, and the weights of the models: files.tar.xz.

    python -m tests.golden.keras.answers               # with a Python that has TensorFlow 2.12, and with one of Keras 3

Each run replaces the files of its version of Keras, in the folder keras2 or keras3 of the archive, and keeps the rest.
Keras 3 needs no TensorFlow: `pip install keras jax scipy h5py`, and KERAS_BACKEND=numpy. Each model is saved in all
formats that the version has; MODEL.json has its weights, as Keras names them.
"""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..packing import pack

ARCHIVE = Path(__file__).with_name("files.tar.xz")


def members() -> dict[str, bytes]:
    """Return the files of the archive by name."""
    if not ARCHIVE.exists():
        return {}
    with tarfile.open(ARCHIVE) as archive:
        return {item.name: file.read() for item in archive if (file := archive.extractfile(item)) is not None}


def import_keras() -> Any:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        import tensorflow as tf

        return tf.keras
    except ImportError:
        import keras

        return keras


def image_net(K: Any) -> Any:  # noqa: N803  as Keras is called everywhere
    """A net with a model in it, layers without some of their variables, and Python code."""
    L = K.layers  # noqa: N806  # as in Keras' documentation
    inner = K.Sequential([L.Input((4,)), L.Dense(3, name="inner_dense")], name="inner")
    image = K.Input((6, 6, 2), name="image")
    y = L.Conv2D(3, 3, name="conv", use_bias=False)(image)
    y = L.BatchNormalization(name="norm", scale=False)(y)
    y = L.DepthwiseConv2D(2, name="depth")(y)
    y = L.SeparableConv2D(4, 2, name="separable")(y)
    y = L.GlobalAveragePooling2D()(y)
    y = L.LayerNormalization(name="layer_norm")(inner(y))
    y = L.Lambda(lambda t: t * 2, name="twice")(y)
    return K.Model(image, L.Dense(2)(L.Dense(3, name="hidden")(y)), name="net")


def text_net(K: Any) -> Any:  # noqa: N803  # as in Keras' documentation
    """A net with wrapped and recurrent layers."""
    L = K.layers  # noqa: N806  # as in Keras' documentation
    rows = [L.Input((None,)), L.Embedding(7, 3), L.Bidirectional(L.LSTM(2, return_sequences=True)), L.GRU(2)]
    return K.Sequential([*rows, L.Dense(2, name="scores")], name="text")


def saved(model: Any, folder: Path, major: int) -> Iterator[str]:
    """Save a model in all formats that a version of Keras has; yield the names of the files."""
    options = {"save_format": "keras_v3"} if major == 2 else {}
    model.save(folder / f"{model.name}.keras", **options)
    yield f"{model.name}.keras"
    model.save_weights(folder / f"{model.name}.weights.h5")
    yield f"{model.name}.weights.h5"
    model.save(str(folder / f"{model.name}.h5"))
    yield f"{model.name}.h5"
    if major == 2:
        model.save_weights(folder / f"{model.name}_weights.h5")
        yield f"{model.name}_weights.h5"


def weights_of(model: Any) -> list[dict[str, Any]]:
    """Return the weights of a model: the layer of the model, the last part of its name, shape and values."""
    rows = []
    for layer in model.layers:
        for variable, array in zip(layer.weights, layer.get_weights(), strict=True):
            name = getattr(variable, "path", variable.name).rpartition("/")[2].partition(":")[0]
            row = {"layer": layer.name, "role": name, "shape": list(array.shape), "values": array.ravel().tolist()}
            rows.append(row)
    return rows


def main() -> None:
    import numpy as np

    K = import_keras()  # noqa: N806  # as in Keras' documentation
    version = K.__version__ if hasattr(K, "__version__") else __import__("keras").__version__
    major = int(version.partition(".")[0])
    kept = {name: data for name, data in members().items() if not name.startswith(f"keras{major}/")}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for make in (image_net, text_net):
            K.backend.clear_session()
            model = make(K)
            random = np.random.default_rng(1)
            model.set_weights([random.normal(size=array.shape).astype("float32") for array in model.get_weights()])
            model.compile("adam", "mse")
            for file in saved(model, folder, major):
                kept[f"keras{major}/{file}"] = (folder / file).read_bytes()
            kept[f"keras{major}/{model.name}.json"] = json.dumps(weights_of(model)).encode()
    pack(ARCHIVE, kept)
    print(f"{len(kept)} files, {ARCHIVE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
