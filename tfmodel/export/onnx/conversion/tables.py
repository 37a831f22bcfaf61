"""The contents of lookup tables, which ONNX keeps in the nodes that look something up.

A table is filled by nodes that no output needs: from constants, or from the lines of a file beside the model. They run
in our own interpreter.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....errors import Error
from ....graph import attr
from ....interpreter import Session
from ....messages import AttrValue, DataType, GraphDef, NodeDef
from ....values.names import TakenNames
from ....values.tensors import from_ndarray
from .model import Array
from .registry import Refusal


class Tables:
    """The tables of a graph. `assets` are the paths of the files that fill some, by the Const that holds the path."""

    def __init__(self, graph: GraphDef, assets: Mapping[str, str] | None = None) -> None:
        self.graph = graph
        self.assets = dict(assets or {})
        self._found: dict[str, tuple[Array, Array]] = {}

    def contents(self, table: NodeDef) -> tuple[Array, Array]:
        """Return the keys and the values of a table. Raises Refusal if they are not known."""
        if table.name not in self._found:
            self._found[table.name] = self._read(table)
        return self._found[table.name]

    def _read(self, table: NodeDef) -> tuple[Array, Array]:
        name = TakenNames(node.name for node in self.graph.node).fresh("contents")
        version = "V2" if table.op.endswith("V2") else ""
        types = {
            new: AttrValue(type=attr(table, old, DataType))
            for new, old in (("Tkeys", "key_dtype"), ("Tvalues", "value_dtype"))
        }
        export = NodeDef(name=name, op=f"LookupTableExport{version}", input=[table.name], attr=types)
        graph = GraphDef(
            node=[*map(self._with_path, self.graph.node), export],
            library=self.graph.library,
            versions=self.graph.versions,
        )
        try:
            result = Session(graph, files=self._folders()).run({}, [f"{name}:0", f"{name}:1"])
        except (Error, OSError) as error:
            raise Refusal(f"the contents of its table are not known ({error})") from error
        keys, values = result.values()
        return keys, values

    def _with_path(self, node: NodeDef) -> NodeDef:
        """Return a node; if it is the name of an asset, with the path of the file."""
        path = self.assets.get(node.name)
        if path is None:
            return node
        value = from_ndarray(_string(os.path.abspath(path)))
        return NodeDef(name=node.name, op=node.op, attr={**node.attr, "value": AttrValue(tensor=value)})

    def _folders(self) -> Sequence[str]:
        return sorted({os.path.dirname(os.path.abspath(path)) for path in self.assets.values()})


def _string(text: str) -> Any:
    return np.array(os.fsencode(text), object)
