"""Python code in the metadata of Keras, which Keras runs when it loads a model.

A Lambda layer holds the bytecode of a Python function, encoded as text. `metagraph.keras_metadata` describes the files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pbwire.errors import DecodeError

from ...graph.error_text import quote
from ...metagraph.keras_metadata import KERAS_METADATA, MAX_METADATA_BYTES, layers_in_file, metadata_file
from ...source import ModelSource
from .report import Finding

if TYPE_CHECKING:
    from ...keras.file import KerasFile

__all__ = ["code_in_config", "keras_code"]


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
    path = metadata_file(source)
    if path and os.path.getsize(path) > MAX_METADATA_BYTES:
        problem = f"{KERAS_METADATA} was not checked: it has more than {MAX_METADATA_BYTES:,} bytes"
        yield Finding("note", "keras", problem)
    try:
        objects += ((f"the layer {quote(layer.path)}", layer.text) for layer in layers_in_file(source))
    except DecodeError as error:
        yield Finding("broken", "keras", f"{KERAS_METADATA} is damaged: {error}")
    depths = [(name, _depth_of_code(metadata)) for name, metadata in objects]
    for is_layer in (True, False):
        found = [name for name, depth in depths if depth is not None and (depth == 0 or not is_layer)]
        if found:
            what = "is" if is_layer else "contains"
            for name in found:
                yield Finding("unsafe", "python", f"{name} {what} a Keras Lambda layer: Keras runs its Python code")
            return


def code_in_config(file: KerasFile) -> Iterator[Finding]:
    """Yield a finding for each layer of a Keras file with Python code, and a note for an unreadable architecture."""
    from ...keras.config import layers_with_code

    for name in dict.fromkeys(layers_with_code(file.config)):
        what = f"the layer {quote(name)}" if name else "a layer"
        yield Finding("unsafe", "python", f"{what} is a Keras Lambda layer: Keras runs its Python code")
    if file.model is None:
        what = "it has no architecture" if file.config is None else "its architecture is not a Keras model"
        yield Finding("note", "keras", f"{what}: only layers that are described there can be checked")


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
