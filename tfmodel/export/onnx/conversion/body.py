"""`Body`: the graph of a model or the body of a function, with the facts about its tensors that converters ask for.

Tensors have keys, "node:port", with ports counted over all outputs; in a function, "argument:0" is an argument. The
keys of functions begin with a prefix, so that those of different calls are different.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Any

import numpy as np

from ....analysis.shape_rules.partial_tensors import UNKNOWN
from ....analysis.shapes import Shapes
from ....errors import GraphError
from ....graph import GraphIndex, const_tensor
from ....messages import DataType, NodeDef
from ....ops import output_types
from ....ops.traits import CONSTS
from ....values.dtypes import dtype_of
from ....values.names import TensorName, data_inputs
from ....values.shape import Shape
from ....values.tensors import to_ndarray
from .model import Array
from .registry import Refusal
from .report import Notes
from .tables import Tables
from .types import ONNX_TYPES

_REF = 100


class Body:
    """A graph or the body of a function.

    opset      the version of ONNX's operators to write
    notes      what is said about the result
    prefix     what the keys begin with
    outputs    the keys of the tensors that leave it
    tables     the contents of lookup tables
    """

    def __init__(
        self,
        index: GraphIndex,
        shapes: Shapes,
        opset: int,
        notes: Notes,
        outputs: Collection[str] = (),
        prefix: str = "",
        tables: Tables | None = None,
    ) -> None:
        self.index = index
        self.shapes = shapes
        self.opset = opset
        self.notes = notes
        self.outputs = frozenset(outputs)
        self.prefix = prefix
        self.tables = tables
        self._arrays: dict[str, Array | None] = {}

    def function(self, node: NodeDef, name: str) -> Body:
        """Return the body of a function that a node names. Raises Refusal if there is no such function."""
        shapes = self.shapes.inside(self.index[node.name]).get(name)
        if shapes is None:
            raise Refusal(f"its function {name} is not known")
        prefix = f"{self.prefix}{node.name}/{name}/"
        body = Body(shapes.inference.index, shapes, self.opset, self.notes, prefix=prefix, tables=self.tables)
        body.outputs = frozenset(body.results())
        return body

    def arguments(self) -> list[str]:
        """Return the keys of the arguments of a function."""
        return [f"{self.prefix}{name}:0" for name in self.index.arguments]

    def results(self) -> list[str]:
        """Return the keys of the results of a function."""
        function: Any = self.index.graph
        return [self.key(function.ret[each.name]) for each in function.signature.output_arg]

    def key(self, reference: str) -> str:
        """Return the key of the tensor that an input refers to."""
        name = TensorName.parse(reference)
        port = self.shapes.inference.port(reference) if name.output else name.port
        return f"{self.prefix}{name.node}:{port}"

    def output(self, node: NodeDef, port: int = 0) -> str:
        """Return the key of an output of a node."""
        return f"{self.prefix}{node.name}:{port}"

    def producer(self, key: str) -> NodeDef | None:
        """Return the node that makes a tensor; None for an argument."""
        return self.index.get(self._split(key)[0])

    def port(self, key: str) -> int:
        """Return the number of the output that a tensor is."""
        return self._split(key)[1]

    def _split(self, key: str) -> tuple[str, int]:
        name = TensorName.parse(key.removeprefix(self.prefix))
        return name.node, name.port

    def inputs(self, node: NodeDef) -> list[str]:
        return [self.key(text) for text in data_inputs(node)]

    @cached_property
    def uses(self) -> dict[str, list[tuple[NodeDef, int]]]:
        """The consumers of each tensor: nodes and the numbers of their inputs."""
        found: dict[str, list[tuple[NodeDef, int]]] = {}
        for node in self.index:
            for place, key in enumerate(self.inputs(node)):
                found.setdefault(key, []).append((node, place))
        return found

    def is_used(self, key: str) -> bool:
        return key in self.outputs or key in self.uses

    def shape(self, key: str) -> Shape | None:
        shape: Shape | None = self._partial(key).shape
        return shape

    def dtype(self, key: str) -> DataType:
        """Return the type of a tensor; that of a reference is what it refers to. Raises GraphError if it is unknown."""
        node, port = self._split(key)
        name = node if node in self.index.arguments else TensorName(node, port)
        found = self.shapes.dtype(name)
        if found is None:
            raise GraphError(f'the type of "{key}" is not known')
        return DataType(found - _REF) if found > _REF else found

    def is_onnx(self, key: str) -> bool:
        """Return whether a tensor is of a type that ONNX has tensors of."""
        try:
            return self.dtype(key) in ONNX_TYPES
        except GraphError:  # the result of an op that is not declared
            return False

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
        node = self.producer(key)
        if node is not None and node.op in CONSTS:
            return to_ndarray(const_tensor(node))
        tensor = self._partial(key)
        if tensor.value is None or None in tensor.value or tensor.shape is None or None in tensor.shape:
            return None
        sizes = [size for size in tensor.shape if size is not None]
        array: Array = np.array(tensor.value, dtype_of(self.dtype(key)).numpy).reshape(sizes)
        return array

    def _partial(self, key: str) -> Any:
        node, port = self._split(key)
        inference = self.shapes.inference
        if node in self.index.arguments:
            return inference.argument(node)
        outputs = inference.outputs[self.index.position(node)] or ()
        return outputs[port] if port < len(outputs) else UNKNOWN

    def is_single(self, node: NodeDef) -> bool:
        """Return whether a node has one output."""
        return self.count_outputs(node) == 1

    def count_outputs(self, node: NodeDef) -> int:
        """Return the number of outputs of a node; for an undeclared op, of those that have consumers."""
        op = self.shapes.inference.ops.get(node.op)
        if op is not None:
            return len(output_types(node, op))
        ports = [port for name, port in map(self._split, self.uses) if name == node.name]
        return max(ports, default=0) + 1

    def note(self, text: str, node: NodeDef) -> None:
        self.notes.add(text, node.name)
