"""Rewrite the nodes of a graph, and those of each of its functions, with one function.

    def without_asserts(view: GraphView) -> list[NodeDef] | None:
        if "Assert" not in view.ops:
            return None                                          # the nodes stay
        return [node for node in view.index.nodes if node.op != "Assert" or node.name in view.declared]

    graph = rewrite_bodies(graph, without_asserts, inputs=inputs, outputs=outputs, ops=ops, report=report)

In the body of a function, the inputs of nodes are spelled as in a graph, and arguments are nodes: see `graph.view`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from ...errors import GraphError, TensorError
from ...graph import Functions
from ...graph.edit import map_functions
from ...graph.function_body import FunctionBody, Outputs
from ...graph.functions import function_name
from ...graph.view import GraphView
from ...messages import FunctionDef, GraphDef, NodeDef, OpDef
from ...values.names import TensorName
from .report import StepReport

BodyRewrite: TypeAlias = Callable[[GraphView], Iterable[NodeDef] | None]


def rewrite_bodies(
    graph: GraphDef,
    rewrite: BodyRewrite,
    *,
    ops: Mapping[str, OpDef],
    report: StepReport,
    inputs: Iterable[TensorName] = (),
    outputs: Iterable[TensorName] = (),
    functions: bool = True,
) -> GraphDef:
    """Return the graph with the nodes that `rewrite` returns for it, and for each of its functions.

    `rewrite` returns nodes that are made from those of `view.index`, or None if they stay. It may change the results of
    a function in `view.results`. `ops` declare the outputs of ops, which the bodies of functions name. If `rewrite`
    raises GraphError or TensorError for a function, or an op in it is not declared, the function stays as it is and is
    reported as refused. Without `functions`, all of them stay.
    """
    view = GraphView(graph, inputs=inputs, outputs=outputs, checked=False)
    nodes = rewrite(view)
    result = graph if nodes is None else view.graph(nodes)
    op_outputs = Outputs(Functions(graph.library), ops)

    def in_function(function: FunctionDef) -> FunctionDef:
        try:
            view = GraphView(FunctionBody(function, op_outputs), checked=False)
            nodes = rewrite(view)
            return function if nodes is None else view.function(nodes)
        except (GraphError, TensorError) as error:
            report.refuse(function_name(function), str(error))
            return function

    return map_functions(result, in_function) if functions else result
