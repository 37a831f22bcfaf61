"""Find the part of a graph that can become ONNX although some of its nodes cannot: what follows from their results."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ....ops.traits import CONSTS, PLACEHOLDERS
from ....values.names import shortest
from .body import Body


def remaining_inputs(
    body: Body, inputs: Collection[str], outputs: Sequence[str], refused: Collection[str]
) -> list[str] | None:
    """Return the inputs from which a graph computes its outputs without the refused nodes.

    These are tensors that refused nodes make, and those of its inputs that are still needed. None if refused nodes make
    outputs, or tensors that cannot be inputs, or are in functions.
    """
    found: dict[str, None] = {}
    seen: set[str] = set()
    passed = False
    pending = [*outputs][::-1]
    while pending:
        key = pending.pop()
        node = body.producer(key)
        if key in seen or node is None:
            continue
        seen.add(key)
        if node.name in refused:
            if key in outputs or not body.is_onnx(key):
                return None
            found[key] = None
            passed = True
        elif key in inputs or node.op in PLACEHOLDERS:
            found[key] = None
        elif node.op not in CONSTS and body.constant(key) is None:
            pending += body.inputs(node)[::-1]
    return [shortest(key) for key in found] if passed else None
