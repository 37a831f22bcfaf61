"""The nodes of a graph or of a function body that is being edited, with the types of their tensors."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..errors import GraphError
from ..graph.colocation import CLASS, colocated_with, colocation_attr
from ..graph.edit import replace_node
from ..graph.error_text import describe, guess, quote
from ..graph.function_body import FunctionBody, Outputs
from ..graph.view import GraphView
from ..messages import DataType, GraphDef, NodeDef, OpDef
from ..ops.ports import output_types
from ..values.names import TensorName, check_name, node_name


class EditedNodes(GraphView):
    """The nodes that a `GraphEditor` changes. `op_outputs` are the outputs of ops."""

    def __init__(self, source: GraphDef | FunctionBody, op_outputs: Outputs) -> None:
        super().__init__(source)
        self._op_outputs = op_outputs
        self.results = dict(source.ret) if isinstance(source, FunctionBody) else {}  # raises GraphError if one is wrong

    def __getitem__(self, name: str) -> NodeDef:
        node = self.nodes.get(check_name(name))
        if node is None:
            where = f" in {self.where}" if self.where else ""
            raise GraphError(f"there is no node {quote(name)}{where}{guess(name, self.nodes)}")
        return node

    def tensor(self, text: str) -> TensorName:
        """Return the tensor of a name. Raises GraphError if it does not exist."""
        tensor = TensorName.parse(text)
        if tensor.is_control or tensor.output:
            raise GraphError(f"{quote(text)} is not a tensor: write the name of its node, or node:1 for its output 1")
        if tensor.node in self.arguments:
            return tensor
        node = self[tensor.node]
        op = self._op_outputs.declared(node.op)
        if op is not None and tensor.port >= len(output_types(node, op)):
            raise GraphError(f"{describe(node)} has no output {tensor.port:,}")
        return tensor

    def dtype(self, tensor: TensorName) -> DataType | None:
        """Return the type of a tensor; None if the op of its node is unknown, or a call of the function decides it."""
        if tensor.node in self.arguments:
            assert self.body is not None
            signature = self.body.message.signature or OpDef()
            return next(arg.type or None for arg in signature.input_arg if arg.name == tensor.node)
        node = self.nodes[tensor.node]
        op = self._op_outputs.declared(node.op)
        return None if op is None else output_types(node, op)[tensor.port]

    def in_order(self, added: Iterable[str]) -> list[NodeDef]:
        """Return the nodes with each new node behind its last input, so that files stay readable."""
        new = {name: None for name in added if name in self.nodes}
        places = {name: place for place, name in enumerate(self.nodes) if name not in new}
        followers: dict[str, list[NodeDef]] = {}
        for name in new:
            node = self.nodes[name]
            inputs = [node_name(text) for text in node.input]
            anchor = max((other for other in inputs if other in places), key=places.__getitem__, default="")
            if anchor:
                places[name] = places[anchor]
            followers.setdefault(anchor, []).append(node)
        ordered = list(followers.get("", ()))
        for name, node in self.nodes.items():
            if name not in new:
                waiting = [node]
                while waiting:
                    current = waiting.pop()
                    ordered.append(current)
                    waiting += reversed(followers.get(current.name, ()))
        return ordered

    def without_colocation(self, node: NodeDef, removed: Collection[str]) -> NodeDef:
        """Return a node without colocation with nodes that were removed; the node itself if there is none."""
        if not removed:
            return node
        names = colocated_with(node)
        kept = [name for name in names if name in self.nodes or name not in removed]
        if len(kept) == len(names):
            return node
        attributes = {name: value for name, value in node.attr.items() if name != CLASS}
        return replace_node(node, attr={**attributes, CLASS: colocation_attr(kept)} if kept else attributes)
