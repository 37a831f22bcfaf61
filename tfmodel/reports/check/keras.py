"""Objects in the metadata and configuration of Keras that run Python code, call functions or read files.

A Lambda layer holds the bytecode of a Python function, encoded as text; other objects name any module and function.
`keras.dangers` judges the objects, and `metagraph.keras_metadata` describes the files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pbwire.errors import DecodeError

from ...files.keras.config import parse_members
from ...graph.error_text import quote
from ...source.metagraph.keras_metadata import KERAS_METADATA, MAX_METADATA_BYTES, layers_in_file, metadata_file
from ...source.model_source import ModelSource
from ...values.terminal import escape
from ..keras_dangers import Danger, dangers
from .kinds import Level
from .report import Finding

if TYPE_CHECKING:
    from ...files.keras.file import KerasFile


def keras_code(source: ModelSource) -> Iterator[Finding]:
    """Yield a finding for each layer that does more than compute, and for metadata that is damaged or too long.

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
        yield Finding("unsafe", "keras", problem)
    try:
        objects += ((f"the layer {quote(layer.path)}", layer.text) for layer in layers_in_file(source))
    except DecodeError as error:
        yield Finding("broken", "keras", f"{KERAS_METADATA} is damaged: {error}")
    listed: set[str] = set()
    contained = []
    for name, metadata in objects:
        try:
            document = parse_members(metadata) if metadata else None
        except (ValueError, RecursionError) as error:
            yield Finding("broken", "keras", f"the metadata of {name} is not JSON: {str(error) or 'nested too deep'}")
            continue
        for danger in dangers(document):
            if danger.depth == 0:
                listed.add(danger.text)
                yield _finding(name, danger)
            else:
                contained.append((name, danger))
    for name, danger in contained:
        if danger.text not in listed:
            yield _finding(f"{name} contains an object that", danger)


def code_in_config(file: KerasFile) -> Iterator[Finding]:
    """Yield a finding for each object of a Keras file that does more than compute, and for a damaged architecture."""
    for title, text in file.texts():
        try:
            document = parse_members(text)
        except (TypeError, ValueError, RecursionError) as error:
            yield Finding("broken", "keras", f"its {title} is not JSON: {str(error) or 'nested too deep'}")
            continue
        for danger in dangers(document):
            yield _finding(f"the layer {quote(danger.name)}" if danger.name else "an object", danger)
    for member in file.members:
        if member.endswith(".npz"):
            yield Finding("unsafe", "python", f"Keras may unpickle {quote(member)}, which runs Python code")
        if _leads_away(member):
            yield Finding("unsafe", "write", f"its member {quote(member)} has a path that leads out of the archive")
    for path in file.elsewhere():
        yield Finding("unsafe", "read", f"the weight {quote(path)} is in another file, which Keras reads")
    if file.model is None:
        what = "it has no architecture" if file.config is None else "its architecture is not a Keras model"
        yield Finding("note", "keras", f"{what}: only layers that are described there can be checked")


def _leads_away(member: str) -> bool:
    """Return whether a program that unpacks an archive may write a member outside of its folder."""
    parts = member.replace("\\", "/").split("/")
    return ".." in parts or (not parts[0] and len(parts) > 1) or parts[0].endswith(":")


def _finding(name: str, danger: Danger) -> Finding:
    level: Level = "note" if danger.kind == "custom" else "unsafe"
    kind = "keras" if danger.kind == "custom" else danger.kind
    return Finding(level, kind, f"{name} {escape(danger.text)}")
