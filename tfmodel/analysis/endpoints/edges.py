"""The edges of a graph as tensors: the position of a node, and the number of one of its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ...errors import GraphError
from ...graph import GraphIndex
from ...values.names import TensorName, has_port, is_control_input

Tensor: TypeAlias = "tuple[int, int]"
"""The position of a node, and the number of one of its outputs."""

PRINTS = frozenset({"CheckNumerics", "CheckNumericsV2", "DebugIdentity", "Print"})
"""Ops that give their first input unchanged, and print or check it."""


def producers_of(index: GraphIndex, ops: Sequence[str]) -> list[list[Tensor]]:
    """Return for each node the tensors that it takes. Instead of the value of a Print, it takes the printed one."""
    tensor_of = _tensors(index)
    producers = [[tensor_of[text] for text in node.input if text in tensor_of] for node in index.nodes]
    _look_through_prints(ops, producers)
    return producers


def _tensors(index: GraphIndex) -> dict[str, Tensor]:
    """Return the tensors of nodes by reference; control inputs and references to unknown nodes are left out."""
    references = ((text, source) for text, source in index.spellings.items() if source >= 0)
    return {text: (source, _port(text)) for text, source in references if not is_control_input(text)}


def _look_through_prints(ops: Sequence[str], producers: list[list[Tensor]]) -> None:
    """Let the nodes that take a value from a Print take it from the producer of that value, in place."""
    origins: dict[Tensor, Tensor] = {}
    for position, op in enumerate(ops):
        if op in PRINTS and producers[position]:
            producers[position] = producers[position][:1]
            origins[position, 0] = producers[position][0]
    for tensor in origins:
        path = {tensor}
        while (origin := origins[tensor]) in origins and origin not in path:
            path.add(origin)
            origins[tensor] = origins[origin]
    if origins:
        for position, tensors in enumerate(producers):
            producers[position] = [origins.get(tensor, tensor) for tensor in tensors]


def _port(text: str) -> int:
    try:
        return TensorName.parse(text).port if has_port(text) else 0
    except GraphError:  # which `check_graph` reports
        return 0
