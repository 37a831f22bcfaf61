"""The tensors that callers name: by a key of the default signature of a model, or as "node" or "node:port"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import GraphError, ModelError, TransformError
from ..graph.error_text import guess, no_tensor, quote
from ..messages import SignatureDef
from ..values.names import TensorName, check_name
from .model_source import ModelSource
from .signature_defs import tensor_keys

_MAX_LISTED_KEYS = 10  # keys of a signature that an error lists


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


def name_of_tensor(name: str, keys: Mapping[str, str]) -> str:
    """Return the name of a tensor that a caller names by one of the `keys` of a signature, or else by itself.

    The keys come before the nodes, as in TensorFlow.js; TensorFlow takes nothing but keys where it takes a signature.
    For a node with the name of a key, callers write "node:0".
    """
    return keys.get(name) or name


def named_tensor(name: object, nodes: Mapping[str, Any], keys: Mapping[str, str]) -> TensorName:
    """Return the tensor that a caller names: see `name_of_tensor`.

    Raises GraphError if none of the `nodes`, which are by name, has it.
    """
    text = check_name(name)
    tensor = TensorName.parse(name_of_tensor(text, keys))
    if tensor.node not in nodes:
        raise GraphError(f"there is no tensor {quote(text)}{_other_names(text, tensor.node, nodes, keys)}")
    if tensor.output or tensor.is_control:
        raise GraphError(no_tensor(text, tensor))
    return tensor._replace(port=max(tensor.port, 0))


def _other_names(name: str, node: str, nodes: Iterable[str], keys: Mapping[str, str]) -> str:
    hint = guess(name if name in keys else node, [*keys, *nodes])
    if not hint and 0 < len(keys) <= _MAX_LISTED_KEYS:
        return f"; the keys of the signature are {', '.join(map(quote, sorted(keys)))}"
    return hint


def resolve_bindings(source: ModelSource, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the names of tensors: see `name_of_tensor`. Raises TransformError if two are for one tensor."""
    named_signature = default_signature(source) if values else None
    keys = tensor_keys(named_signature[1].inputs) if named_signature is not None else {}
    resolved: dict[str, Any] = {}
    for name, value in values.items():
        tensor = name_of_tensor(name, keys)
        if tensor in resolved:
            raise TransformError(f"{quote(tensor.removesuffix(':0'))} is bound twice")
        resolved[tensor] = value
    return resolved
