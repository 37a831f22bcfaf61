"""The metadata that Keras saves with its layers: their classes, names and configurations, as JSON.

Up to TensorFlow 2.4 it is in the objects of the SavedModel, later in the file keras_metadata.pb beside it, a message
with a list of objects (field 1), each with the number (2), path (3), identifier (4) and metadata (5) of a layer.
TensorFlow itself does not read it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from pbwire.errors import DecodeError
from pbwire.raw import walk

from ...files.access.stand_ins import STAND_IN_HEAD, stand_in
from ..model_source import ModelSource

KERAS_METADATA = "keras_metadata.pb"
MAX_METADATA_BYTES = 256 << 20
"""The maximum size of the file that is read."""

_OBJECTS, _NUMBER, _PATH, _METADATA = 1, 2, 3, 5


class LayerMetadata(NamedTuple):
    """The metadata of one layer: the number and the path of its object, and a JSON document."""

    number: int
    path: str
    text: str

    def decode(self) -> dict[str, Any]:
        """Return the JSON document; an empty dict if it is damaged or not an object."""
        try:
            document = json.loads(self.text)
        except (ValueError, RecursionError):
            return {}
        return document if isinstance(document, dict) else {}


def keras_metadata(source: ModelSource) -> dict[int, LayerMetadata]:
    """Return the metadata of the layers of a model by the numbers of their objects; those that are readable."""
    graph = source.meta.object_graph_def if source.meta is not None else None
    layers = {
        number: LayerMetadata(number, "", item.user_object.metadata)
        for number, item in enumerate(graph.nodes if graph is not None else ())
        if item.user_object is not None and item.user_object.metadata
    }
    with suppress(DecodeError):  # the layers before the damage are kept; `check` reports it
        layers.update((layer.number, layer) for layer in layers_in_file(source))
    return layers


def layers_in_file(source: ModelSource) -> Iterator[LayerMetadata]:
    """Yield the metadata in the file beside a SavedModel; nothing without this file, and for one that is too large.

    Raises DecodeError if the file is damaged.
    """
    path = metadata_file(source)
    if not path or os.path.getsize(path) > MAX_METADATA_BYTES:
        return
    with open(path, "rb") as file:
        data = file.read(MAX_METADATA_BYTES)
    if found := stand_in(data[:STAND_IN_HEAD]):
        raise DecodeError(str(found))
    for item in walk(data):
        if item.number == _OBJECTS and isinstance(item.value, memoryview):
            fields = {row.number: row.value for row in walk(bytes(item.value))}
            number = fields.get(_NUMBER, 0)
            number = number if isinstance(number, int) else -1
            yield LayerMetadata(number, _text(fields.get(_PATH)), _text(fields.get(_METADATA)))


def metadata_file(source: ModelSource) -> str:
    """Return the path of the file beside a SavedModel; empty without one."""
    path = os.path.join(source.folder, KERAS_METADATA) if source.folder else ""
    return path if path and os.path.isfile(path) else ""


def _text(value: Any) -> str:
    return bytes(value).decode("utf-8", "replace") if isinstance(value, (bytes, memoryview)) else ""
