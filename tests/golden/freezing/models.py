"""Make answers.tar.xz: small models of every kind that can be frozen, with the values that TensorFlow computes.

    python -m tests.golden.freezing.models            # with a Python that has TensorFlow 2.12
    python -m tests.golden.freezing.models FOLDER     # the same, not packed

Each case is a folder:

    model.meta, model.index, ...   a TF1 graph with its checkpoint, or
    saved_model/                   a SavedModel
    case.json                      what to freeze: outputs or a signature, and other arguments
    values.npz                     feeds by tensor, and the results of the first run after a restore: "0|feed|x:0",
                                   "0|fetch|y:0"; a second run has "1|feed|x:0" and so on
    reference.pb                   the result of TensorFlow's own freezing, where it has one
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import tensorflow as tf

from ..packing import files_in, pack
from . import models_tf1, models_tf2
from .recording import CASES

__all__ = ["make", "pack"]

ARCHIVE = Path(__file__).with_name("answers.tar.xz")
assert models_tf1 and models_tf2  # which fill CASES


def make(folder: Path) -> None:
    for name, function in CASES.items():
        (folder / name).mkdir(parents=True)
        tf.keras.utils.set_random_seed(3)
        function(folder / name)
        for extra in (folder / name).rglob("keras_metadata.pb"):
            extra.unlink()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        make(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            make(Path(temporary))
            pack(ARCHIVE, files_in(Path(temporary)))
