"""Give values and nodes their names: those of TensorFlow's tensors and nodes, and made-up ones in between.

Names of values are unique in the model, since the graphs inside of nodes see the values around them; names of nodes are
unique too, because onnxruntime refuses equal ones. The same graph always gets the same names.
"""

from __future__ import annotations

from ....values.names import TakenNames
from ..conversion.model import OnnxGraph, Value


def name_values(graph: OnnxGraph) -> dict[Value, str]:
    """Return the name of each value. Inputs and outputs of the graph keep theirs exactly."""
    names = {value: value.name for value in (*graph.inputs, *graph.outputs)}
    taken = TakenNames(names.values())
    for each in graph.walk():
        for value in each.inputs:
            if value not in names:
                names[value] = taken.fresh(value.name or "input")
        for node in each.nodes:
            place = node.scope or node.op
            constants = [value for value in node.inputs if value is not None and value.data is not None]
            for value in constants:
                if value not in names:
                    names[value] = taken.fresh(value.name or f"{place}/{node.op.lower()}_{_kind(value)}")
            for value in node.outputs:
                if value not in names:
                    names[value] = taken.fresh(value.name or f"{place}/{node.op}")
        for value in each.outputs:
            if value not in names:
                names[value] = taken.fresh(value.name or "constant")
    return names


def _kind(value: Value) -> str:
    return "sizes" if value.rank == 1 else "value"


def name_nodes(graph: OnnxGraph) -> list[tuple[OnnxGraph, list[str]]]:
    """Return the names of the nodes of each graph, in their order."""
    taken = TakenNames()
    return [(each, [taken.fresh(node.scope or node.op) for node in each.nodes]) for each in graph.walk()]
