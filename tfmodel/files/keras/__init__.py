"""Model files of Keras: .keras archives, and HDF5 files (.h5) of models and of weights.

    hdf5.py      read HDF5 with h5py, which is optional: no links to other files, nothing larger than the file explains
    archive.py   the members of a .keras archive, within limits
    config.py    the architecture: layers with their classes
    naming.py    names and roles of weights, from their places in the file
    file.py      `KerasFile`: the file with its architecture, versions and weights

This module only recognizes such files.

The package imports `files`, `values`, `messages`, `errors` and NumPy. `source` calls it for weights, reports for
summaries, checks and comparisons. No code of Keras is needed, and no code of a model is run.
"""

from __future__ import annotations

import os

from ..detection.binary import is_keras

__all__ = ["is_keras_file", "is_keras_source"]

_HEAD = 4096  # bytes in which the format is recognized


def is_keras_source(source: str | bytes) -> bool:
    """Return whether the file at a path, or with these bytes, is a Keras file. Raises OSError.

    Return False for a pipe, which can be read only once.
    """
    if isinstance(source, bytes):
        return is_keras(source[:_HEAD])
    if not os.path.isfile(source):
        return False
    with open(source, "rb") as file:
        return is_keras(file.read(_HEAD))


def is_keras_file(path: str) -> bool:
    """Return whether a path is that of a Keras file. False if it cannot be read."""
    try:
        return is_keras_source(path)
    except (OSError, ValueError):  # a path cannot contain a zero character
        return False
