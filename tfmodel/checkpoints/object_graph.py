"""The object graph of a TF2 checkpoint, and the names of its tensors as paths of attributes.

A TF2 checkpoint names a tensor by its path from the root object, through attributes, list positions and keys:

    key         model/layers/0/kernel/.ATTRIBUTES/VARIABLE_VALUE        as stored in the checkpoint
    name        model/layers/0/kernel                                   the readable form
    full name   dense/kernel                                            the name of the variable in TF1

The names of optimizer slots consist of the optimizer, the slot, and the variable:

    key         model/layers/0/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE
    name        optimizer/m/model/layers/0/kernel
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pbwire.errors import DecodeError

from ..errors import CheckpointError
from ..messages import TrackableObjectGraph

__all__ = ["OBJECT_GRAPH_KEY", "ObjectGraph", "readable_name"]

OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"

_ATTRIBUTES, _SLOT, _VALUE = "/.ATTRIBUTES/", "/.OPTIMIZER_SLOT/", "VARIABLE_VALUE"
_ESCAPE = re.compile(r"\.([.S])")


class ObjectGraph:
    """Names of the tensors of a TF2 checkpoint.

    message     the TrackableObjectGraph itself: the references between objects
    names       keys by name
    full_names  keys by full name, if a tensor has one; the first key, if several tensors share a full name
    """

    def __init__(self, data: bytes) -> None:
        try:
            self.message = TrackableObjectGraph.from_bytes(data)
        except DecodeError as error:
            raise CheckpointError(f"its object graph is damaged: {error}") from error
        self.names: dict[str, str] = {}
        self.full_names: dict[str, str] = {}
        self._name_of: dict[str, str] = {}
        for attribute in self._attributes():
            key = attribute.checkpoint_key
            if key in self._name_of:
                continue
            name = readable_name(key)
            if name in self.names:  # two keys that differ only in the parts that names omit
                name = key
            if self.names.setdefault(name, key) == key:
                self._name_of[key] = name
            if attribute.full_name:
                self.full_names.setdefault(attribute.full_name, key)

    def name_of(self, key: str) -> str:
        """Return the name of the tensor under a key; the key itself if no object has it."""
        return self._name_of.get(key, key)

    def key_of(self, name: str) -> str | None:
        """Return the key of a tensor, given its name or its full name; None if it is unknown."""
        return self.names[name] if name in self.names else self.full_names.get(name)

    def _attributes(self) -> Iterator[TrackableObjectGraph.TrackableObject.SerializedTensor]:
        for node in self.message.nodes:
            yield from node.attributes


def readable_name(key: str) -> str:
    """Return the readable name for a key of an object graph: without the constant parts, and unescaped."""
    path, separator, attribute = key.rpartition(_ATTRIBUTES)
    if not separator:
        return key
    variable, is_slot, owner = path.partition(_SLOT)
    if is_slot:
        path = f"{owner}/{variable}"
    name = "/".join(_unescape(part) for part in path.split("/"))
    return name if attribute == _VALUE else f"{name}/{_unescape(attribute)}"


def _unescape(part: str) -> str:
    return _ESCAPE.sub(lambda match: "/" if match[1] == "S" else ".", part)
