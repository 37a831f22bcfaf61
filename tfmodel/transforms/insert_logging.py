"""Insert Print nodes that log the values of other nodes.

    y = Relu(x)                ->   y = Relu(x)
    z = Neg(y)                      y__print__ = Print(y:0, y:0)
                                    z = Neg(y__print__:0)

A Print passes its first input on and writes the others to the standard error output. It prints those outputs of a node
that other nodes use, and stands between the node and the consumers of output 0. Consumers of other outputs, control
inputs and the declared outputs of the graph still refer to the node itself. So a node is not logged if no other node
uses its outputs.

Some nodes are left alone, and listed in the report:

    nodes whose outputs no other node uses
    nodes whose output types are not known (an error in the original)
    nodes whose Print would have a name that is taken
    nodes that a Print would break: variables of TensorFlow 1, which are assigned in place; NextIteration and LoopCond;
    and a Switch whose outputs are both used, since only one of them has a value

Unlike in the original, control inputs do not count as uses. The types of a Print are those of the outputs that it
prints, so it is valid for nodes with outputs of several types. If output 0 is not used, the Print stands after the
first used output; in the original such a Print never runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..errors import GraphError
from ..graph import references, with_nodes
from ..graph.error_text import quote
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ..ops import output_types
from ..ops.traits import LOOP_COND, NEXT_ITERATION, SWITCH
from .framework.node_edits import rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops

_SUFFIX = "__print__"
_MIN_REF = 100  # types with this number or a larger one are references


@graph_transform
def insert_logging(
    graph: GraphDef,
    *,
    op: tuple[str, ...] = (),
    prefix: tuple[str, ...] = (),
    message: str = "",
    show_name: bool = False,
    show_op: bool = False,
    first_n: int = -1,
    summarize: int = 1024,
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    """Print the values of nodes of some ops, or with some name prefixes, when the graph runs.

    Without `op` and `prefix`, all nodes are logged; with both, the nodes that satisfy both. Notes name ops and prefixes
    that select no node. `message` precedes the values. With `show_op`, the message begins with the op, and with
    `show_name`, with the name of the Print. A Print writes at most `first_n` times (-1: always), and at most
    `summarize` elements of a tensor. A node is logged only if another node uses its outputs.

    Example: insert_logging(op=Relu, show_name=true, message="after ", summarize=8) with outputs z

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]
        z = Neg(y)[T=float]

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]
        y__print__ = Print(y:0, y:0)[T=float, U=[float], message=";y__print__;after ", first_n=-1, summarize=8]
        z = Neg(y__print__:0)[T=float]
    """
    used = _used_ports(graph.node)
    names = {node.name for node in graph.node}
    prints = _PrintNodes(first_n, summarize)
    nodes: list[NodeDef] = []
    renames: dict[str, str] = {}
    report.notes += _without_effect(graph, op, prefix)
    for node in graph.node:
        nodes.append(node)
        if (op and node.op not in op) or (prefix and not node.name.startswith(prefix)):
            continue
        name = node.name + _SUFFIX
        ports = sorted(used.get(node.name, ()))
        if reason := _obstacle(node, ports, name in names):
            report.refuse(node.name, reason)
            continue
        types = _types(node, ports, ops)
        if isinstance(types, str):
            report.refuse(node.name, types)
            continue
        values = [f"{node.name}:{port}" for port in ports]
        text = f";{node.op};" * show_op + f";{name};" * show_name + message
        printer = NodeDef.from_bytes(prints[tuple(types)])
        printer.name, printer.input = name, [values[0], *values]
        printer.attr["message"] = AttrValue(s=text.encode(errors="surrogateescape"))
        nodes.append(printer)
        renames[values[0]] = f"{name}:0"
        report.fire()
    printers = {target.removesuffix(":0") for target in renames.values()}
    return with_nodes(graph, rename_inputs(nodes, renames, ignore=printers)) if renames else graph


def _without_effect(graph: GraphDef, op: tuple[str, ...], prefix: tuple[str, ...]) -> Iterator[str]:
    """Yield notes about ops and prefixes that select no node, alone or together."""
    yield from missing_ops(op, graph, functions=False)
    for start in dict.fromkeys(prefix):
        if not any(node.name.startswith(start) for node in graph.node):
            yield f"no node has a name that starts with {quote(start)}"
    if op and prefix:
        named = {node.op for node in graph.node if node.name.startswith(prefix)}
        if named and named.isdisjoint(op):
            yield "no node of these ops has such a name"


class _PrintNodes(dict[tuple[DataType, ...], bytes]):
    """The encoded Print node for each combination of types: decoding it is faster than building a new node."""

    def __init__(self, first_n: int, summarize: int) -> None:
        super().__init__()
        self._numbers = {"first_n": AttrValue(i=first_n), "summarize": AttrValue(i=summarize)}

    def __missing__(self, types: tuple[DataType, ...]) -> bytes:
        own = {"T": AttrValue(type=types[0]), "U": AttrValue(list=AttrValue.ListValue(type=list(types)))}
        self[types] = NodeDef(op="Print", attr={**own, **self._numbers}).to_bytes()
        return self[types]


def _used_ports(nodes: Iterable[NodeDef]) -> dict[str, set[int]]:
    """Return the numbers of those outputs of each node that other nodes use, by the name of the node."""
    used: dict[str, set[int]] = {}
    for node in nodes:
        for tensor in references(node):
            if not tensor.is_control:
                used.setdefault(tensor.node, set()).add(tensor.port)
    return used


def _obstacle(node: NodeDef, ports: list[int], is_taken: bool) -> str:
    """Return why a node cannot be logged; "" if it can."""
    if not ports:
        return "its outputs are not used"
    if is_taken:
        return "its Print would have the name of another node"
    if node.op in NEXT_ITERATION | LOOP_COND:
        return "its consumer must stand directly after it"
    if node.op in SWITCH and len(ports) > 1:
        return "only one of its outputs has a value at a time"
    return ""


def _types(node: NodeDef, ports: list[int], ops: Mapping[str, OpDef]) -> list[DataType] | str:
    """Return the types of the outputs `ports` of a node, or why they cannot be printed."""
    declared = ops.get(node.op)
    if declared is None:
        return f"the op {quote(node.op)} is not known"
    try:
        outputs = output_types(node, declared)
    except GraphError:
        return "its attributes do not determine its output types"
    types = [outputs[port] if port < len(outputs) else None for port in ports]
    known = [dtype for dtype in types if dtype is not None]
    if len(known) < len(types):
        return "its attributes do not determine its output types"
    if any(dtype >= _MIN_REF for dtype in known):
        return "its output is a reference to a variable"
    return known
