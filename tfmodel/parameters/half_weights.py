"""Detect weights that are stored in half precision: constants that are only read by a Cast to float32.

    w_float16 = Const[dtype=half]     w = Cast(w_float16)

These two nodes are one weight, named w: `convert_float16` and `convert_bfloat16` write them in place of a constant w.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..messages import DataType, NodeDef
from ..names import data_inputs, node_name

__all__ = ["find_half_weights"]

HALVES = frozenset({DataType.DT_HALF, DataType.DT_BFLOAT16})


def find_half_weights(nodes: Iterable[NodeDef]) -> dict[str, str]:
    """Return the names of the weights in half precision of a graph or function, by the names of their constants."""
    all_nodes = list(nodes)
    casts = {
        node_name(inputs[0]): node.name
        for node in all_nodes
        if node.op == "Cast" and len(inputs := data_inputs(node)) == 1 and _widens(node)
    }
    if not casts:
        return {}
    readers = Counter(node_name(text) for node in all_nodes for text in data_inputs(node))
    constants = {node.name for node in all_nodes if node.op == "Const"}
    return {name: cast for name, cast in casts.items() if name in constants and readers[name] == 1}


def _widens(node: NodeDef) -> bool:
    source, target = node.attr.get("SrcT"), node.attr.get("DstT")
    return source is not None and source.type in HALVES and target is not None and target.type == DataType.DT_FLOAT
