"""Python code in the metadata of Keras, which Keras runs when it loads a model.

A Lambda layer holds the bytecode of a Python function, encoded as text. The metadata is JSON: up to TensorFlow 2.4 in
the objects of the SavedModel, later in the file keras_metadata.pb beside it, a message with a list of objects (field
1), each with the number (2), path (3), identifier (4) and metadata (5) of a layer. TensorFlow itself does not read it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from pbwire.errors import DecodeError
from pbwire.raw import walk

from ...graph.error_text import quote
from ...source import ModelSource
from .report import Finding

__all__ = ["keras_code"]

MAX_BYTES = 256 << 20
"""The maximum size of the file that is read."""

_FILE = "keras_metadata.pb"
_OBJECTS, _PATH, _METADATA = 1, 3, 5


def keras_code(source: ModelSource) -> Iterator[Finding]:
    """Yield a finding for each layer with Python code, and for metadata that is damaged or too long.

    The metadata of a layer repeats that of the layers in it. An object that only contains such a layer is reported if
    the layer itself is not listed.
    """
    objects: list[tuple[str, str]] = []
    graph = source.meta.object_graph_def if source.meta is not None else None
    for number, item in enumerate(graph.nodes if graph is not None else ()):
        if item.user_object is not None:
            objects.append((f"object {number:,}", item.user_object.metadata))
    path = os.path.join(source.folder, _FILE) if source.folder else ""
    if path and os.path.isfile(path):
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            yield Finding("note", "keras", f"{_FILE} was not checked: it has more than {MAX_BYTES:,} bytes")
            data = b""
        try:
            objects += _layers(data)
        except DecodeError as error:
            yield Finding("broken", "keras", f"{_FILE} is damaged: {error}")
    depths = [(name, _depth_of_code(metadata)) for name, metadata in objects]
    for is_layer in (True, False):
        found = [name for name, depth in depths if depth is not None and (depth == 0 or not is_layer)]
        if found:
            what = "is" if is_layer else "contains"
            for name in found:
                yield Finding("unsafe", "python", f"{name} {what} a Keras Lambda layer: Keras runs its Python code")
            return


def _layers(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the name and the metadata of each layer in the file."""
    for item in walk(data):
        if item.number == _OBJECTS and isinstance(item.value, memoryview):
            fields = {row.number: row.value for row in walk(bytes(item.value))}
            texts = [fields.get(number, b"") for number in (_PATH, _METADATA)]
            path, metadata = (bytes(text) if isinstance(text, (bytes, memoryview)) else b"" for text in texts)
            yield f"the layer {quote(path.decode('utf-8', 'replace'))}", metadata.decode("utf-8", "replace")


def _depth_of_code(metadata: str) -> int | None:
    """Return the depth of the first Lambda layer in the metadata of an object: 0 is the object itself; None if none.

    Metadata that names a Lambda layer and is not JSON counts as one.
    """
    if "Lambda" not in metadata and "lambda" not in metadata:
        return None
    try:
        queue: list[tuple[int, Any]] = [(0, json.loads(metadata))]
    except (ValueError, RecursionError):
        return 0
    for depth, value in queue:  # the loop appends to it
        if isinstance(value, dict):
            if value.get("class_name") in ("Lambda", "__lambda__") or value.get("function_type") == "lambda":
                return depth
            queue += [(depth + 1, item) for item in value.values()]
        elif isinstance(value, list):
            queue += [(depth + 1, item) for item in value]
    return None
