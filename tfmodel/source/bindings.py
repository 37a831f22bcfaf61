"""The default signature of a model, and values for tensors that are named by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ModelError, TransformError
from ..graph.error_text import quote
from ..messages import SignatureDef
from .model_source import ModelSource


def default_signature(source: ModelSource) -> tuple[str, SignatureDef] | None:
    """Return the name and the signature of a model; None without signatures, or with several and no default.

    Raises ModelError if a signature was requested that does not exist.
    """
    try:
        return source.signature()
    except ModelError:
        if source.given_signature is not None:
            raise
        return None


def resolve_bindings(source: ModelSource, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by the names of tensors.

    If a name in `values` is the key of an input of the signature, and not that of a node, the name of the input's
    tensor replaces it. Raises TransformError if two values are for one tensor.
    """
    nodes = {node.name for node in source.graph.node}
    named_signature = default_signature(source) if not values.keys() <= nodes else None
    inputs = named_signature[1].inputs if named_signature is not None else {}
    resolved: dict[str, Any] = {}
    for name, value in values.items():
        tensor = inputs[name].name or name if name in inputs and name not in nodes else name
        if tensor in resolved:
            raise TransformError(f"{quote(tensor)} is bound twice")
        resolved[tensor] = value
    return resolved
