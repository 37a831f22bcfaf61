"""The formats of messages in files, and the suffixes of file names that stand for them."""

from __future__ import annotations

import os
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["binary", "text", "json"]

FORMS: tuple[Form, ...] = ("binary", "text", "json")

SUFFIXES: dict[str, Form] = {
    ".pb": "binary",
    ".meta": "binary",
    ".onnx": "binary",
    ".pbtxt": "text",
    ".textproto": "text",
    ".txtpb": "text",
    ".json": "json",
}


def form_of(path: str) -> Form | None:
    """Return the format that the suffix of a file name stands for; None for other suffixes."""
    return SUFFIXES.get(os.path.splitext(path)[1].lower())
