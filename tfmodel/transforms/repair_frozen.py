"""Repair a frozen graph that TensorFlow refuses, since nodes in it need variables and get values.

    w = Const                                        w = Const
    s = Switch(w, p)[T=resource]           ->        s = Switch(w, p)[T=float]
    r = ReadVariableOp(s:1)[dtype=float]             r = Identity(s:1)[T=float]

TensorFlow 1.13 to 1.15, and many scripts, freeze a graph by replacing the variables by constants, and leave nodes that
take a handle of a variable or a reference to it. TensorFlow refuses to load such a graph. Each node that is reached
from such a value as a handle or a reference takes the value:

    ReadVariableOp                    Identity
    ResourceGather, ResourceGatherNd  GatherV2, GatherNd
    VariableShape                     Shape
    Identity, Switch, Enter, ...      the same, with the type of the value
    RefSwitch, RefMerge, RefEnter     Switch, Merge, Enter
    Assign, AssignVariableOp          Identity of the value that is assigned
    AssignAdd, AssignSub              Add, Sub
    calls, If, While                  the same, with a function f_frozen that takes the value

A read after an assignment gives the new value, as it did in the first run of the model: see
`tfmodel.analysis.variables.variable_values`. An assignment whose result no node reads, and that is not declared,
becomes a NoOp, and so do training ops such as ApplyAdam. Nodes in functions are repaired too. The rewrite is exact,
unless a read and an assignment have no defined order: then the read gives the value before the assignment, and a note
says so.

The transform fails, and changes nothing, if a node cannot take a value, as when it reads a variable after ScatterUpdate
has changed it. A graph without such nodes stays as it is. `optimize` and `freeze` repair what the outputs need.

Differences from the original: the C++ tool has no such transform.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import FreezeError, TransformError
from ..freezing.repair import repaired_graph
from ..messages import GraphDef, OpDef
from ..ops import OPS
from ..values.names import TensorName
from .framework.registry import graph_transform
from .framework.report import StepReport


@graph_transform
def repair_frozen(
    graph: GraphDef,
    *,
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef] = OPS,
    report: StepReport,
) -> GraphDef:
    """Make nodes of a frozen graph that need variables take the values that they get.

    Example: repair_frozen with outputs y

        w = Const[dtype=float, value=float{2}()]
        p = Placeholder[dtype=bool]
        s = Switch(w, p)[T=resource]
        r = ReadVariableOp(s:1)[dtype=float]
        y = Neg(r)[T=float]

    becomes

        w = Const[dtype=float, value=float{2}()]
        p = Placeholder[dtype=bool]
        s = Switch(w, p)[T=float]
        r = Identity(s:1)[T=float]
        y = Neg(r)[T=float]

    Example: repair_frozen with outputs y

        mean = Const[dtype=float, value=float{2}()]
        x = Placeholder[dtype=float]
        update = AssignSub(mean, x)[T=float]
        y = Neg(update)[T=float]

    becomes

        mean = Const[dtype=float, value=float{2}()]
        x = Placeholder[dtype=float]
        update = Sub(mean, x)[T=float]
        y = Neg(update)[T=float]
    """
    try:
        result, repaired = repaired_graph(graph, ops, outputs)
    except FreezeError as error:
        raise TransformError(str(error)) from error
    report.fire(len(repaired.nodes))
    report.notes += repaired.unordered
    return result
