"""Helpers that build and record the models of answers.tar.xz; see models.py."""

from __future__ import annotations

import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

__all__ = ["CASES", "case", "numbers", "record", "tf1"]

tf1 = tf.compat.v1
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def numbers(*shape, scale=1.0, offset=0.0):
    """Numbers that look random and are the same every time."""
    return (np.random.RandomState(sum(shape) + len(shape)).randn(*shape) * scale + offset).astype(np.float32)


def record(folder, runs, **asked):
    arrays = {}
    for number, (feeds, fetches) in enumerate(runs):
        arrays |= {f"{number}|feed|{name}": np.asarray(value) for name, value in feeds.items()}
        arrays |= {f"{number}|fetch|{name}": np.asarray(value) for name, value in fetches.items()}
    strings = {name for name, array in arrays.items() if array.dtype.kind == "O"}
    arrays = {name: array.astype("S") if name in strings else array for name, array in arrays.items()}
    np.savez(folder / "values.npz", **arrays)
    (folder / "case.json").write_text(json.dumps({name: value for name, value in asked.items() if value}, indent=1))
