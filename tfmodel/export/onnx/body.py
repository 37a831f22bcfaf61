"""`Body`: the graph of a model or the body of a function, with the facts about its tensors that converters ask for.

Tensors have keys, "node:port", with ports counted over all outputs; in a function, "argument:0" is an argument.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Any

import numpy as np

from ...analysis.shapes import Shapes
from ...errors import GraphError
from ...graph import GraphIndex, const_tensor
from ...messages import DataType, NodeDef
from ...ops import output_types
from ...ops.traits import CONSTS
from ...values.dtypes import dtype_of
from ...values.names import TensorName, data_inputs, is_control_input
from ...values.shape import Shape
from ...values.tensors import to_ndarray
from .model import Array
from .report import Notes

_REF = 100


class Body:
    """A graph or the body of a function.

    opset      the version of ONNX's operators to write
    notes      what is said about the result
    outputs    the keys of the tensors that leave it
    """

    def __init__(self, index: GraphIndex, shapes: Shapes, opset: int, notes: Notes, outputs: Collection[str]) -> None:
        self.index = index
        self.shapes = shapes
        self.opset = opset
        self.notes = notes
        self.outputs = frozenset(outputs)
        self._arrays: dict[str, Array | None] = {}

    def key(self, reference: str) -> str:
        """Return the key of the tensor that an input refers to."""
        name = TensorName.parse(reference)
        port = self.shapes.inference.port(reference) if name.output else name.port
        return f"{name.node}:{port}"

    def inputs(self, node: NodeDef) -> list[str]:
        return [self.key(text) for text in data_inputs(node)]

    @cached_property
    def uses(self) -> dict[str, int]:
        """How many inputs of nodes refer to each tensor."""
        counts: dict[str, int] = {}
        for node in self.index:
            for text in node.input:
                if not is_control_input(text):
                    key = self.key(text)
                    counts[key] = counts.get(key, 0) + 1
        return counts

    def is_used(self, key: str) -> bool:
        return key in self.outputs or key in self.uses

    def shape(self, key: str) -> Shape | None:
        shape: Shape | None = self._partial(key).shape
        return shape

    def dtype(self, key: str) -> DataType:
        """Return the type of a tensor; that of a reference is what it refers to. Raises GraphError if it is unknown."""
        node, port = key.rsplit(":", 1)
        if node in self.index.arguments:
            found = self.shapes.dtype(node)
        else:
            found = self.shapes.dtype(TensorName(node, int(port)))
        if found is None:
            raise GraphError(f'the type of "{key}" is not known')
        return DataType(found - _REF) if found > _REF else found

    def partial(self, key: str) -> tuple[Any, ...] | None:
        """Return the elements of a small tensor of numbers, None for unknown elements."""
        elements: tuple[Any, ...] | None = self._partial(key).value
        return elements

    def constant(self, key: str) -> Array | None:
        """Return the elements of a constant, or of a tensor that is known from shapes alone; else None."""
        if key not in self._arrays:
            self._arrays[key] = self._constant(key)
        return self._arrays[key]

    def _constant(self, key: str) -> Array | None:
        node = self.index.get(key.rsplit(":", 1)[0])
        if node is not None and node.op in CONSTS:
            return to_ndarray(const_tensor(node))
        tensor = self._partial(key)
        if tensor.value is None or None in tensor.value or tensor.shape is None or None in tensor.shape:
            return None
        sizes = [size for size in tensor.shape if size is not None]
        array: Array = np.array(tensor.value, dtype_of(self.dtype(key)).numpy).reshape(sizes)
        return array

    def _partial(self, key: str) -> Any:
        node, port = key.rsplit(":", 1)
        inference = self.shapes.inference
        if node in self.index.arguments:
            return inference.argument(node)
        return inference.tensor(str(TensorName(node, int(port))))

    def is_single(self, node: NodeDef) -> bool:
        """Return whether a node has one output."""
        return self.count_outputs(node) == 1

    def count_outputs(self, node: NodeDef) -> int:
        """Return the number of outputs of a node; for an undeclared op, of those that have consumers."""
        op = self.shapes.inference.ops.get(node.op)
        if op is not None:
            return len(output_types(node, op))
        ports = [int(key.rsplit(":", 1)[1]) for key in self.uses if key.rsplit(":", 1)[0] == node.name]
        return max(ports, default=0) + 1

    def note(self, text: str, node: NodeDef) -> None:
        self.notes.add(text, node.name)
