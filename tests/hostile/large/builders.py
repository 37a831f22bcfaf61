"""Helpers for building large graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tests.hostile.graphs import node
from tfmodel.messages import AttrValue, DataType, NodeDef
from tfmodel.values.tensors import from_ndarray

__all__ = ["BOOL", "INT32", "INTS", "RESOURCE", "STRING", "added", "floats", "values"]

BOOL, INT32, STRING, RESOURCE = DataType.DT_BOOL, DataType.DT_INT32, DataType.DT_STRING, DataType.DT_RESOURCE


INTS = AttrValue(list=AttrValue.ListValue(i=[1, 1, 1, 1]))


def values(name: str, array: Any) -> NodeDef:
    tensor = from_ndarray(array)
    attr = {"dtype": AttrValue(type=DataType(tensor.dtype)), "value": AttrValue(tensor=tensor)}
    return NodeDef(name=name, op="Const", attr=attr)


def floats(name: str, *sizes: int) -> NodeDef:
    return values(name, np.linspace(1, 2, int(np.prod(sizes)), dtype=np.float32).reshape(sizes))


def added(names: Iterable[str], name: str = "y") -> NodeDef:
    listed = list(names)
    return node(name, "AddN", *listed, N=len(listed))
