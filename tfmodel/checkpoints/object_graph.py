"""The object graph of a TF2 checkpoint, and the names of its tensors as paths of attributes.

A TF2 checkpoint calls a tensor by the way from the root object to it, through attributes, list positions and keys:

    key         model/layers/0/kernel/.ATTRIBUTES/VARIABLE_VALUE        as it stands in the checkpoint
    name        model/layers/0/kernel                                   the same, to be read
    full name   dense/kernel                                            what TF1 would have called the variable

What an optimizer keeps for a variable is named for the optimizer, what it is, and the variable:

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

    message     the TrackableObjectGraph itself: who refers to whom
    names       keys by name
    full_names  keys by full name, of those that have one; the first, if several have the same
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
            if name in self.names:  # two that differ in what names leave out
                name = key
            if self.names.setdefault(name, key) == key:
                self._name_of[key] = name
            if attribute.full_name:
                self.full_names.setdefault(attribute.full_name, key)

    def name_of(self, key: str) -> str:
        """The name of the tensor under a key; the key itself if no object has it."""
        return self._name_of.get(key, key)

    def key_of(self, name: str) -> str | None:
        """The key of a tensor by its name, or else by its full name."""
        return self.names[name] if name in self.names else self.full_names.get(name)

    def _attributes(self) -> Iterator[TrackableObjectGraph.TrackableObject.SerializedTensor]:
        for node in self.message.nodes:
            yield from node.attributes


def readable_name(key: str) -> str:
    """The name for a key of an object graph: without what is the same in all of them, and with nothing escaped."""
    path, found, attribute = key.rpartition(_ATTRIBUTES)
    if not found:
        return key
    variable, is_slot, owner = path.partition(_SLOT)
    if is_slot:
        path = f"{owner}/{variable}"
    name = "/".join(_unescaped(part) for part in path.split("/"))
    return name if attribute == _VALUE else f"{name}/{_unescaped(attribute)}"


def _unescaped(part: str) -> str:
    return _ESCAPE.sub(lambda match: "/" if match[1] == "S" else ".", part)
