"""The checkpoints of tests/golden/checkpoints/answers.tar.xz, which TensorFlow wrote, and what it reads in them."""

from __future__ import annotations

import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.golden.packing import unpacked

__all__ = ["ARCHIVE", "NAMES", "Golden", "golden"]

ARCHIVE = Path(__file__).parents[3] / "golden" / "checkpoints" / "answers.tar.xz"


class Golden(NamedTuple):
    path: Path
    """The path of the checkpoint: its prefix, or its folder."""
    tensors: dict[str, np.ndarray]
    dtypes: dict[str, str]
    plain: bool
    """True if a writer of whole tensors, sorted by name, gives the same bytes."""


def _names() -> list[str]:
    with tarfile.open(ARCHIVE) as tar:
        return sorted(name.removesuffix(".json") for name in tar.getnames() if "/" not in name)


@cache
def golden(name: str) -> Golden:
    """One of `NAMES`. Its files are for all tests: they are not to be changed."""
    root = unpacked(ARCHIVE)
    facts: dict[str, Any] = json.loads((root / f"{name}.json").read_text())
    tensors = {key: _array(described) for key, described in facts["tensors"].items()}
    dtypes = {key: described["dtype"] for key, described in facts["tensors"].items()}
    return Golden(root / name / facts["prefix"], tensors, dtypes, facts["plain"])


def _array(facts: dict[str, Any]) -> np.ndarray:
    if "strings" not in facts:
        return np.frombuffer(bytes.fromhex(facts["bytes"]), facts["numpy"]).reshape(facts["shape"])
    array = np.empty(len(facts["strings"]), object)
    array[:] = [bytes.fromhex(value) for value in facts["strings"]]
    return array.reshape(facts["shape"])


NAMES = _names()
