"""Whether a model can be run: which of its ops have kernels, and which of these its outputs need.

A training graph and every SavedModel have nodes that a run of their outputs never reaches: those that save, restore and
initialize. Whether a model can be run depends on the others, and on those in the functions that they call:

    MatMul -> StatefulPartitionedCall -> Softmax      needed: these, and what the results of the function need
    SaveV2, RestoreV2, ShardedFilename                in the file, and not needed
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..graph import CONTROL_FLOW, Functions
from ..messages import FunctionDef, GraphDef, NodeDef
from ..names import TensorName
from ..ops.runtime import KERNELS
from ..ops.traits import PLACEHOLDERS_WITHOUT_DEFAULT
from ..source import Given, ModelSource, Tags

__all__ = ["OpSupport", "nodes_needed", "ops_of", "runnable_ops"]

_GIVEN = PLACEHOLDERS_WITHOUT_DEFAULT | {"_Arg", "_Retval"}


def runnable_ops() -> frozenset[str]:
    """The ops that the interpreter can run. Functions of a model are not among them, which it can call."""
    return frozenset(KERNELS) | CONTROL_FLOW | _GIVEN


@dataclass(frozen=True, slots=True)
class OpSupport:
    """An op of a model: how many nodes have it, how many of these the outputs need, and whether there is a kernel."""

    op: str
    nodes: int
    needed: int
    has_kernel: bool

    @property
    def is_missing(self) -> bool:
        """Whether the outputs cannot be computed for want of a kernel."""
        return bool(self.needed) and not self.has_kernel


def ops_of(model: Given, *, tags: Tags = None) -> list[OpSupport]:
    """Every op of a model, in its graph and its functions, the most frequent first.

    Needed is what the outputs of the signature need, or where there is none, the likely ones; everything if there are
    no outputs. An op that is a function of the model can be run. Raises what `summarize` raises.
    """
    from .summary.analysis import needed_for_outputs

    source = ModelSource.of(model, tags=tags)
    with source.naming():
        graph = source.graph
        functions = graph.library.function if graph.library is not None else []
        counts = Counter(node.op for node in graph.node)
        for function in functions:
            counts.update(node.op for node in function.node_def)
        needed = Counter(node.op for _, node in nodes_needed(graph, needed_for_outputs(source)))
    runnable = runnable_ops() | {each.signature.name for each in functions if each.signature is not None}
    return [OpSupport(op, count, needed[op], op in runnable) for op, count in counts.most_common()]


def nodes_needed(graph: GraphDef, needed: Iterable[bool | int]) -> Iterator[tuple[str, NodeDef]]:
    """The nodes of the graph that are marked as `needed`, with the name "", and those of the functions that they call,
    directly or not, that the results of these functions need, with the name of the function."""
    functions = Functions(graph.library)
    called: dict[str, None] = {}
    for node, flag in zip(graph.node, needed, strict=True):
        if flag:
            called.update(dict.fromkeys(functions.called_by(node)))
            yield "", node
    queue = list(called)
    for name in queue:
        function = functions.get(name)
        for node in _needed_in(function) if function is not None else ():
            new = [each for each in functions.called_by(node) if each not in called]
            called.update(dict.fromkeys(new))
            queue += dict.fromkeys(new)
            yield name, node


def _needed_in(function: FunctionDef) -> list[NodeDef]:
    """The nodes that the results of a function need, and those that must run in any case."""
    nodes: Mapping[str, NodeDef] = {node.name: node for node in function.node_def}
    found: dict[str, NodeDef] = {}
    queue = [TensorName.parse(each).node for each in (*function.ret.values(), *function.control_ret.values())]
    while queue:
        name = queue.pop()
        if name in nodes and name not in found:
            found[name] = nodes[name]
            queue += [TensorName.parse(each).node for each in nodes[name].input]
    return list(found.values())
