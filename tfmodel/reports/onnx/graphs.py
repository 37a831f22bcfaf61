"""All lists of nodes of an ONNX model: those of its graph, of the graphs inside of nodes, and of its functions.

for body in onnx_bodies(model):
    print(body.path, body.title, len(body.nodes))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class OnnxBody(NamedTuple):
    """A list of nodes.

    path     the field path of the graph or the function: "graph", "functions[0]"
    title    "" for the graph of the model; "body of loop", "function Twice"
    graph    the GraphProto or FunctionProto
    depth    the number of graphs that it is inside of
    """

    path: str
    title: str
    graph: Any
    depth: int = 0

    @property
    def nodes(self) -> Any:
        return self.graph.node

    @property
    def is_function(self) -> bool:
        return self.title.startswith("function ")


def onnx_bodies(model: Any) -> Iterator[OnnxBody]:
    """Yield the graph, the functions, and behind each the graphs inside of its nodes; all at any depth."""
    tops = [OnnxBody("graph", "", model.graph)] if model.graph is not None else []
    tops += [
        OnnxBody(f"functions[{number}]", f"function {op_name(function.domain, function.name)}", function)
        for number, function in enumerate(model.functions)
    ]
    for top in tops:
        yield from bodies_inside(top)


def bodies_inside(top: OnnxBody) -> Iterator[OnnxBody]:
    """Yield a list of nodes, and those of the graphs inside of its nodes."""
    waiting = [top]
    while waiting:
        body = waiting.pop()
        yield body
        waiting += reversed(list(_inside(body)))


def _inside(body: OnnxBody) -> Iterator[OnnxBody]:
    for number, node in enumerate(body.nodes):
        for place, attribute in enumerate(node.attribute):
            path = f"{body.path}.node[{number}].attribute[{place}]"
            title = f"{attribute.name or 'graph'} of {label(node)}"
            if attribute.g is not None:
                yield OnnxBody(f"{path}.g", title, attribute.g, body.depth + 1)
            for index, graph in enumerate(attribute.graphs):
                yield OnnxBody(f"{path}.graphs[{index}]", f"{title}, {index}", graph, body.depth + 1)


def label(node: Any) -> str:
    """Return the name of a node; of one without a name, its op and its first result: "Add -> sum"."""
    if node.name:
        return str(node.name)
    first = next(filter(None, node.output), "")
    return f"{node.op_type or ''} -> {first}" if first else str(node.op_type or "")


def op_name(domain: str | None, name: str | None) -> str:
    """Return an op with its domain, if that is not the one of ONNX: "Conv", "com.microsoft.FusedConv"."""
    return name or "" if domain in (None, "", "ai.onnx") else f"{domain}.{name or ''}"


def tensors(model: Any) -> Iterator[tuple[str, Any]]:
    """Yield all TensorProtos that are initializers or values of Constant nodes, each with its kind.

    The kinds are "initializer", "sparse initializer" and "constant".
    """
    for body in onnx_bodies(model):
        if not body.is_function:
            yield from (("initializer", tensor) for tensor in body.graph.initializer)
            sparse = (tensor.values for tensor in body.graph.sparse_initializer)
            yield from (("sparse initializer", values) for values in sparse if values is not None)
        yield from (("constant", tensor) for tensor in constants(body.graph))


def constants(graph: Any) -> Iterator[Any]:
    """Yield the tensors of the Constant nodes of a graph or a function."""
    for node in graph.node:
        if node.op_type == "Constant" and op_name(node.domain, "") == "":
            yield from (attribute.t for attribute in node.attribute if attribute.name == "value" and attribute.t)
