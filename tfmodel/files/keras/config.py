"""The architecture of a Keras model, as its JSON describes it: layers with names and classes.

    layers = parse_layers(json.loads(text))
    layers[0].class_name, layers[0].name            # "Conv2D", "conv"

A configuration is {"class_name": ..., "config": {...}}. A model has "layers" in its config, models among them; a
wrapper such as Bidirectional has "layer". Files are made by many programs: what does not have this form is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 64


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer with its configuration.

    layers   the layers of a model; empty for others
    inner    the layer that a wrapper has, such as the LSTM of a Bidirectional
    """

    name: str
    class_name: str
    config: dict[str, Any] = field(repr=False)
    layers: tuple[Layer, ...] = ()
    inner: Layer | None = None


class Members(dict[str, Any]):
    """A JSON object. `others` are the same object with values that a later member of the same name replaces."""

    others: tuple[dict[str, Any], ...] = ()


def parse_members(text: str) -> Any:
    """Return a JSON document, as `json.loads` reads it. Raises ValueError and RecursionError as it does."""
    return json.loads(text, object_pairs_hook=_members)


def _members(pairs: list[tuple[str, Any]]) -> Members:
    members = Members(pairs)
    if len(members) < len(pairs):
        members.others = tuple({**members, key: value} for key, value in pairs if members[key] is not value)
    return members


def parse_json(text: str) -> Any:
    """Return a JSON document; None if it is damaged or nested too deep."""
    try:
        return parse_members(text)
    except (ValueError, RecursionError):
        return None


def parse_layers(document: Any) -> Layer | None:
    """Return the model that a configuration describes; None if there is none."""
    return _layer(document, 0)


def _layer(document: Any, depth: int) -> Layer | None:
    if not isinstance(document, dict) or depth > MAX_DEPTH:
        return None
    config = document.get("config")
    layers: tuple[Layer, ...] = ()
    if isinstance(config, list):  # a Sequential model of Keras 1
        config = {"layers": config}
    if not isinstance(config, dict):
        config = {}
    if isinstance(items := config.get("layers"), list):
        layers = tuple(layer for item in items if (layer := _layer(item, depth + 1)) is not None)
    name = config.get("name", document.get("name"))
    class_name = document.get("class_name")
    inner = _layer(config.get("layer"), depth + 1)
    return Layer(_text(name), _text(class_name), config, layers, inner)


def walk_layers(model: Layer) -> Iterator[tuple[str, Layer]]:
    """Yield the layers of a model with their paths, layers of models in it included: "encoder/dense"."""
    stack = [(layer.name, layer) for layer in reversed(model.layers)]
    while stack:
        path, layer = stack.pop()
        yield path, layer
        stack += [(f"{path}/{one.name}", one) for one in reversed(layer.layers)]
        if layer.inner is not None:
            stack.append((f"{path}/{layer.inner.name}", layer.inner))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
