"""Graphs that tfmodel makes, as goldens record them: a digest, and the floats that were computed.

    found = written(ours, before)                # {"digest": "1f0c...", "computed": {"w": [dtype, shape, base64]}}
    assert is_recorded(ours, before, found)

TensorFlow has run our result, so its verdict is valid for that result only. A CPU, a BLAS or a version of NumPy may
compute the last digits of a folded constant differently: such constants are compared with a tolerance, and everything
else is part of the digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tests.golden.arrays import read_array, written_array
from tfmodel import to_ndarray
from tfmodel.errors import Error
from tfmodel.messages import AttrValue, GraphDef, NodeDef, TensorProto

__all__ = ["is_recorded", "written"]

RTOL = {2: 2e-3, 4: 1e-5, 8: 1e-12}
"""By size of an element: the relative tolerance of two results, with respect to the largest number of a constant."""


def written(graph: GraphDef | Error, before: GraphDef) -> dict[str, Any]:
    """Return what is recorded of a result; an error has the digest "" and no numbers."""
    if isinstance(graph, Error):
        return {"digest": ""}
    digest, computed = _digest(graph, before)
    if not computed:
        return {"digest": digest}
    return {"digest": digest, "computed": {name: written_array(array) for name, array in computed.items()}}


def is_recorded(graph: GraphDef | Error, before: GraphDef, row: Mapping[str, Any]) -> bool:
    """Return whether a result equals the recorded one, except for the last digits of computed constants."""
    if isinstance(graph, Error) or not row["digest"]:
        return isinstance(graph, Error) and not row["digest"]
    digest, computed = _digest(graph, before)
    expected = row.get("computed") or {}
    if digest != row["digest"] or computed.keys() != expected.keys():
        return False
    return all(_is_near(array, read_array(expected[name])) for name, array in computed.items())


def _digest(graph: GraphDef, before: GraphDef) -> tuple[str, dict[str, np.ndarray[Any, Any]]]:
    known = {_tensor(node) for _, node in _nodes(before)}
    graph = GraphDef.from_bytes(graph.to_bytes())
    computed = {}
    for name, node in _nodes(graph):
        data = _tensor(node)
        if data is not None and data not in known:
            tensor = node.attr["value"].tensor
            assert tensor is not None
            array = to_ndarray(tensor)
            if array.dtype.kind in "fc":
                computed[name] = array
                hollow = TensorProto(dtype=tensor.dtype, tensor_shape=tensor.tensor_shape)
                node.attr["value"] = AttrValue(tensor=hollow)
    return hashlib.sha256(graph.to_bytes(deterministic=True)).hexdigest()[:24], computed


def _nodes(graph: GraphDef) -> Iterator[tuple[str, NodeDef]]:
    for node in graph.node:
        yield node.name, node
    for function in graph.library.function if graph.library is not None else ():
        for node in function.node_def:
            yield f"{function.signature.name if function.signature else ''}/{node.name}", node


def _tensor(node: NodeDef) -> bytes | None:
    value = node.attr.get("value")
    return value.tensor.to_bytes(deterministic=True) if value is not None and value.tensor is not None else None


def _is_near(array: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> bool:
    if array.shape != wanted.shape:
        return False
    size = wanted.dtype.itemsize // (2 if wanted.dtype.kind == "c" else 1)
    finite = np.isfinite(wanted)
    room = RTOL[size] * np.abs(wanted[finite].astype(complex if wanted.dtype.kind == "c" else float)).max(initial=0)
    return bool(
        np.array_equal(array[~finite], wanted[~finite], equal_nan=True)
        and (np.abs(array[finite] - wanted[finite]) <= room).all()
    )
