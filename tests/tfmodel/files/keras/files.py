"""The files that Keras wrote, and HDF5 files made here."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.golden.keras.answers import members

__all__ = ["FILES", "keras_file", "needs_h5py", "weights_of"]

needs_h5py = pytest.mark.skipif(
    not __import__("importlib.util").util.find_spec("h5py"), reason="h5py is optional: pip install h5py"
)

golden = cache(members)
FILES = [name for name in golden() if not name.endswith(".json")]


def keras_file(name: str, folder: Path) -> Path:
    """Write a file of the archive to a folder, and return its path."""
    path = folder / name.rpartition("/")[2]
    path.write_bytes(golden()[name])
    return path


def weights_of(name: str) -> list[dict[str, Any]]:
    """Return the weights of the model in a file, as Keras lists them."""
    version, _, file = name.partition("/")
    rows: list[dict[str, Any]] = json.loads(golden()[f"{version}/{file.partition('.')[0].partition('_')[0]}.json"])
    return rows
