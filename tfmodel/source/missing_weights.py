"""Models whose files of weights are missing: see `needs_weights` of `ModelSource.of`."""

from __future__ import annotations

from ..errors import with_name
from ..files.access.special_files import describe_missing
from .model_source import ModelSource


def missing_weights_note(source: ModelSource) -> str:
    """Return a note about the files of weights that are missing; "" if there are none."""
    if not source.missing:
        return ""
    return with_name(source.name, f"{describe_missing(source.missing)}: values are not known")


def unknown_constants(source: ModelSource) -> set[tuple[str, str]]:
    """Return function and name of the constants whose values are in missing files."""
    if not source.missing:
        return set()
    return {
        (function, node.name)
        for function, nodes in source.bodies()
        for node in nodes
        if node.op == "Const" and "value" not in node.attr
    }
