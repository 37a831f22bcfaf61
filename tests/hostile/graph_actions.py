"""The functions of the library that take a graph, with arguments that suit any graph with a node x and a node y.

Work is counted in lines of Python that are run, which no other process and no CPU changes.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

import numpy as np

import tfmodel
from pbwire import Message
from tfmodel.analysis.shapes import infer_shapes
from tfmodel.drawing.graphviz import draw
from tfmodel.graph import check_graph
from tfmodel.messages import GraphDef, NodeDef
from tfmodel.reports.op_support import list_op_support
from tfmodel.transforms.framework import registry

__all__ = ["ACTIONS", "exponent_of", "lines_run"]

_CHECKPOINT = {f"v{number}": np.float32(1) for number in range(20_000)}
_ARGUMENTS = {
    "convert_bfloat16": "(minimum_size=1)",
    "convert_float16": "(minimum_size=1)",
    "insert_logging": "(op=Neg)",
    "quantize_weights": "(minimum_size=1)",
    "remove_attribute": "(attribute_name=T)",
    "remove_nodes": "(op=Identity, op=Neg)",
    "rename_attribute": "(old_attribute_name=T, new_attribute_name=U)",
    "rename_node": "(old_node_name=n1, new_node_name=renamed)",
    "rename_op": "(old_op_name=Neg, new_op_name=Relu)",
    "round_weights": "(num_steps=4)",
    "set_device": '(device="/cpu:0")',
}


def graph_of(model: Message) -> GraphDef:
    graph = model if isinstance(model, GraphDef) else getattr(model, "graph_def", None)
    assert isinstance(graph, GraphDef)
    return graph


def feed(model: Message) -> dict[str, Any]:
    x = next(node for node in graph_of(model).node if node.name == "x")
    shape = x.attr["shape"].shape
    assert shape is not None
    return {"x": np.ones([dim.size for dim in shape.dim], np.float32)}


def renamed(model: Message) -> GraphDef:
    graph = graph_of(model)
    nodes = [
        NodeDef(
            name=f"{node.name}_",
            op=node.op,
            input=[f"{text}_" for text in node.input if ":" not in text],
            attr=node.attr,
        )
        for node in graph.node
    ]
    return GraphDef(node=nodes, library=graph.library)


def saving(model: Message) -> None:
    with tempfile.TemporaryDirectory() as folder:
        signatures: Any = {"s": {"inputs": {"x": "x"}, "outputs": {"y": "y"}}}
        tfmodel.save_saved_model(model, f"{folder}/saved", signatures=signatures, checkpoint=_CHECKPOINT)


def editing(model: Message) -> None:
    editor = tfmodel.GraphEditor(graph_of(model))
    editor.rename({name: f"{name}_" for name in editor.nodes})
    editor.insert_after("x_", "Neg")
    editor.remove("x_/Neg", reconnect=True)
    assert editor.graph


def transforming(text: str) -> Callable[[Message], object]:
    return lambda model: tfmodel.transform(graph_of(model), "x", "y", text)


BUILTINS = [name for name in registry.names() if registry.find(name).is_builtin]

# The two `type: ignore[arg-type]`: `summarize` and `weights` accept a GraphDef or a MetaGraphDef, not every Message.
ACTIONS: dict[str, Callable[[Message], object]] = {
    "check_graph": lambda model: check_graph(graph_of(model)),
    "infer_shapes": lambda model: infer_shapes(graph_of(model)),
    "summarize": lambda model: tfmodel.summarize(model, structure=True).to_text(),  # type: ignore[arg-type]  # any graph
    "compare_values": lambda model: tfmodel.compare_values(graph_of(model), renamed(model)).to_text(),
    "diff": lambda model: tfmodel.diff(graph_of(model), renamed(model), internal=True, order=True).to_text(),
    "check": lambda model: tfmodel.check(graph_of(model)).to_text(),
    "find": lambda model: tfmodel.find(graph_of(model), "shape=? or attr.T=int32 or * -> * or path x to y").to_text(),
    "draw": lambda model: draw(graph_of(model)),
    "draw all": lambda model: draw(graph_of(model), depth=3, constants=True, all_edges=True),
    "draw around": lambda model: draw(graph_of(model), around="y", radius=5),
    "weights": lambda model: tfmodel.weights(model).to_text(),  # type: ignore[arg-type]  # any graph
    "ops": lambda model: list_op_support(model),
    "freeze": lambda model: tfmodel.freeze(model, "y", checkpoint=_CHECKPOINT),
    "optimize": lambda model: tfmodel.optimize(graph_of(model), "x", "y", verify=False),
    "edit": editing,
    "extract": lambda model: tfmodel.extract(graph_of(model), "x", "y"),
    "splice": lambda model: tfmodel.splice(graph_of(model), graph_of(model), {"x": "x"}),
    "run": lambda model: tfmodel.run(model, feed(model), "y"),
    "save_saved_model": saving,
    "make_meta_graph": lambda model: tfmodel.make_meta_graph(graph_of(model)),
    **{
        name: transforming(name + _ARGUMENTS.get(name, ""))
        for name in registry.names()
        if registry.find(name).is_builtin
    },
}


def lines_run(action: Callable[[Message], object], model: Message) -> int:
    """Count the lines of Python that an action runs, including iterations of comprehensions.

    An error of the project ends the action."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(tfmodel.Error):
            action(model)
    finally:
        sys.settrace(before)
    return count


def exponent_of(action: Callable[[Message], object], small: Message, large: Message) -> float:
    """Return the exponent with which the work of an action grows with the size: 1 is linear, 2 quadratic."""
    lines_run(action, small)  # imports modules and compiles cached code
    return math.log(lines_run(action, large) / lines_run(action, small)) / math.log(large.ByteSize() / small.ByteSize())
