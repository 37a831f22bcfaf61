"""Compute equal things once: nodes with the same operator, inputs and attributes."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from ..conversion.model import Attribute, OnnxGraph, OnnxNode, Value
from .uses import RANDOM, replace_values


def merge_common(graph: OnnxGraph) -> None:
    """Merge equal nodes of each graph; nodes with graphs inside and random ones stay."""
    for each in graph.walk():
        new: dict[Value, Value] = {}
        seen: dict[Hashable, OnnxNode] = {}
        outputs = {*each.outputs}  # each is a value of its own
        kept = []
        for node in each.nodes:
            node.inputs = [None if value is None else new.get(value, value) for value in node.inputs]
            key = None if node.op in RANDOM or node.graphs else _key(node)
            first = None if key is None or not outputs.isdisjoint(node.outputs) else seen.get(key)
            if first is None:
                kept.append(node)
                seen[key] = node
                continue
            for old, value in zip(node.outputs, first.outputs, strict=True):
                new[old] = value
        each.nodes = kept
        replace_values(each, new)


def _key(node: OnnxNode) -> Hashable:
    attributes = tuple(sorted((name, _hashable(value)) for name, value in node.attributes.items()))
    return node.op, node.domain, tuple(map(id, node.inputs)), len(node.outputs), attributes


def _hashable(value: Attribute) -> Hashable:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes() if value.dtype != object else tuple(value.ravel().tolist())
    return repr(value)
