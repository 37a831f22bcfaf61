"""Nodes that print the values of others.

    y = Relu(x)                ->   y = Relu(x)
    z = Neg(y)                      y__print__ = Print(y:0, y:0)
                                    z = Neg(y__print__:0)

A Print gives its first input and writes the others to the standard error output. It prints the outputs of its node that
are used, and stands between the node and those who use output 0. Other outputs, control inputs and the declared outputs
of the graph are still those of the node itself. So a node that nobody uses is not logged, and is counted.

Unlike the original: control inputs are no uses; the types that a Print is told are those of the outputs that it prints,
so the node is right where an op has more; and if output 0 is not used, the Print stands behind the first one that is,
where in the original nobody runs it. Left alone and counted are nodes of which the outputs are not known (there an
error), nodes whose Print would have a name that there is, and those that a Print would come to harm by: a variable of
TensorFlow 1, which has to be changed where it is, and the nodes of a loop or conditional that belong together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..errors import GraphError
from ..graph import LOOP_COND, NEXT_ITERATION, SWITCH, references, with_nodes
from ..graph.error_text import quoted
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ..ops import output_types
from .framework.node_edits import rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops

__all__ = ["insert_logging"]

_SUFFIX = "__print__"
_REF = 100  # types from here on are references


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
    """Print the values of nodes when the graph runs: of these ops, or with names that start with one of the prefixes.

    Without `op` and `prefix`, of all nodes; with both, of those that both allow; notes tell if that is none. `message`
    comes before the values, behind the op with `show_op` and the name of the Print with `show_name`. `first_n` is how
    many times a node prints (-1: always), `summarize` how many elements of a tensor. A node is logged if another one
    uses its outputs.

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
    patterns = _Patterns(first_n, summarize)
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
        printer = NodeDef.from_bytes(patterns[tuple(types)])
        printer.name, printer.input = name, [values[0], *values]
        printer.attr["message"] = AttrValue(s=text.encode(errors="surrogateescape"))
        nodes.append(printer)
        renames[values[0]] = f"{name}:0"
        report.fire()
    printers = {target.removesuffix(":0") for target in renames.values()}
    return with_nodes(graph, rename_inputs(nodes, renames, ignore=printers)) if renames else graph


def _without_effect(graph: GraphDef, op: tuple[str, ...], prefix: tuple[str, ...]) -> Iterator[str]:
    """Yield what to say of ops and prefixes that choose no node."""
    yield from missing_ops(op, graph, functions=False)
    for each in dict.fromkeys(prefix):
        if not any(node.name.startswith(each) for node in graph.node):
            yield f"no node has a name that starts with {quoted(each)}"
    if op and prefix:
        named = {node.op for node in graph.node if node.name.startswith(prefix)}
        if named and named.isdisjoint(op):
            yield "no node of these ops has such a name"


class _Patterns(dict[tuple[DataType, ...], bytes]):
    """What the Prints of these types have in common, in binary: to decode it is faster than to make it anew."""

    def __init__(self, first_n: int, summarize: int) -> None:
        super().__init__()
        self._numbers = {"first_n": AttrValue(i=first_n), "summarize": AttrValue(i=summarize)}

    def __missing__(self, types: tuple[DataType, ...]) -> bytes:
        own = {"T": AttrValue(type=types[0]), "U": AttrValue(list=AttrValue.ListValue(type=list(types)))}
        self[types] = NodeDef(op="Print", attr={**own, **self._numbers}).to_bytes()
        return self[types]


def _used_ports(nodes: Iterable[NodeDef]) -> dict[str, set[int]]:
    """Which outputs of each node others use."""
    used: dict[str, set[int]] = {}
    for node in nodes:
        for tensor in references(node):
            if not tensor.is_control:
                used.setdefault(tensor.node, set()).add(tensor.port)
    return used


def _obstacle(node: NodeDef, ports: list[int], is_taken: bool) -> str:
    """Why a node cannot be logged; empty if it can."""
    if not ports:
        return "nobody uses its outputs"
    if is_taken:
        return "its Print would have the name of another node"
    if node.op in NEXT_ITERATION | LOOP_COND:
        return "what uses it has to stand directly behind it"
    if node.op in SWITCH and len(ports) > 1:
        return "it gives only one of its outputs at a time"
    return ""


def _types(node: NodeDef, ports: list[int], ops: Mapping[str, OpDef]) -> list[DataType] | str:
    """The types of these outputs, or why they cannot be printed."""
    declared = ops.get(node.op)
    if declared is None:
        return f"the op {quoted(node.op)} is not known"
    try:
        outputs = output_types(node, declared)
    except GraphError:
        return "its attributes do not say what it gives"
    types = [outputs[port] if port < len(outputs) else None for port in ports]
    known = [dtype for dtype in types if dtype is not None]
    if len(known) < len(types):
        return "its attributes do not say what it gives"
    if any(dtype >= _REF for dtype in known):
        return "it gives a reference to a variable"
    return known
