"""Models whose files of weights are missing: see `needs_weights` of `ModelSource.of`."""

from __future__ import annotations

from ..errors import with_name
from ..files.access.special_files import describe_missing
from .model_source import ModelSource


def missing_weights(source: ModelSource) -> str:
    """Return what is said about the files of weights that are missing; "" if there are none."""
    return f"{describe_missing(source.missing)}: values are not known" if source.missing else ""


def missing_weights_note(source: ModelSource) -> str:
    """Return the same with the name of the model."""
    return with_name(source.name, missing_weights(source)) if source.missing else ""


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
