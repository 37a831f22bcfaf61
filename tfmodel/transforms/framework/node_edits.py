"""Changing nodes one by one, in a graph and in its functions.

Leading the inputs of nodes elsewhere: the counterpart of RenameNodeInputs.

    rename_inputs(graph.node, {"old:*": "new"})

A rename says which references are meant, and what takes their place:

    n:*  -> m       every reference to n, whatever its port, and control inputs: those keep their ^ and their port
    n    -> m:1     what stands for output 0 of n, which is n:0 too
    n:1  -> m       output 1 of n; in the body of a function, n:out:0
    ^n   -> ^m      control inputs

What comes of a rename is renamed again, so {"a": "b", "b": "c"} makes c of a. If there is one for all of a node (n:*)
and one for an output of it, the first counts. Unlike in the original, renames of one node may lead from one of its
outputs to another: only what comes back to itself is a cycle.

What nodes that go leave behind: others that have to be on the same device as they.

nodes = with_kept_colocation(nodes, graph.node)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ...errors import GraphError, TransformError
from ...graph import ColocationRenames, colocated_with, colocation_groups, replace_node, with_functions, with_nodes
from ...messages import FunctionDef, GraphDef, NodeDef
from ...names import TensorName, is_plain_name, node_name, strip_control_mark, with_node_name
from ...printable import printable
from .report import StepReport

__all__ = ["map_nodes", "rename_inputs", "with_kept_colocation"]


def map_nodes(
    graph: GraphDef, change: Callable[[NodeDef], NodeDef], report: StepReport, *, functions: bool = True
) -> GraphDef:
    """The graph with what `change` makes of each node: the node itself if it stays as it is. Changes are counted.

    With `functions`, nodes in the bodies of functions are changed too.
    """
    nodes = [change(node) for node in graph.node]
    report.fire(sum(new is not old for new, old in zip(nodes, graph.node, strict=True)))
    result = with_nodes(graph, nodes)
    if not functions or graph.library is None or not graph.library.function:
        return result
    functions_before = graph.library.function
    functions_after = [_in_function(function, change, report) for function in functions_before]
    if all(new is old for new, old in zip(functions_after, functions_before, strict=True)):
        return result
    return with_functions(result, functions_after)


def _in_function(function: FunctionDef, change: Callable[[NodeDef], NodeDef], report: StepReport) -> FunctionDef:
    nodes = [change(node) for node in function.node_def]
    changes = sum(new is not old for new, old in zip(nodes, function.node_def, strict=True))
    report.fire(changes)
    return with_nodes(function, nodes) if changes else function


_ALL = ":*"


def rename_inputs(
    nodes: Iterable[NodeDef], renames: Mapping[str, str], *, ignore: Collection[str] = ()
) -> list[NodeDef]:
    """The nodes with other inputs. Their own names stay, and so do the inputs of nodes whose names are in `ignore`.

    Nodes whose inputs stay are shared. Raises TransformError if an input comes back to itself, and for a rename of all
    references to a node that does not lead to a node.
    """
    resolved = _Resolved(renames)
    result = []
    for node in nodes:
        inputs = node.input
        if inputs and not (ignore and node.name in ignore):
            new = [resolved[text] for text in inputs]
            if new != inputs:
                node = replace_node(node, input=new)
        result.append(node)
    return result


class _Resolved(dict[str, str]):
    """What references come to. Each spelling is looked at once."""

    def __init__(self, renames: Mapping[str, str]) -> None:
        super().__init__()
        self._whole: dict[str, str] = {}
        self._exact: dict[TensorName, str] = {}
        for source, target in renames.items():
            if not source.endswith(_ALL):
                self._exact[TensorName.parse(source)] = target
            elif not is_plain_name(target):
                raise TransformError(f'"{printable(source)}" must become a node, not "{printable(target)}"')
            else:
                self._whole[strip_control_mark(source).removesuffix(_ALL)] = target

    def __missing__(self, text: str) -> str:
        way = [text]
        passed = {text}
        while (target := self._step(way[-1])) is not None:
            if target in passed:
                raise TransformError(f'the renames of "{printable(text)}" come back to "{printable(target)}"')
            way.append(target)
            passed.add(target)
            if target in self:
                break
        end = self.get(way[-1], way[-1])
        self.update(dict.fromkeys(way, end))
        return end

    def _step(self, text: str) -> str | None:
        """What one rename makes of a reference; None if there is none for it."""
        name = node_name(text)
        if name in self._whole:
            return with_node_name(text, self._whole[name])
        if not self._exact:
            return None
        try:
            return self._exact.get(TensorName.parse(text))
        except GraphError:
            return None  # it is no reference, which is for others to say


def with_kept_colocation(nodes: list[NodeDef], before: Sequence[NodeDef]) -> list[NodeDef]:
    """Some nodes of a graph, or what became of them, where none has to be with one that is not there any more.

    Those that had to be with it are still together: one of them takes its place. A node that was never there is left.
    """
    kept = {node.name for node in nodes}
    missing = {name for node in nodes for name in colocated_with(node)} - kept
    lost = missing.intersection(node.name for node in before) if missing else missing
    if not lost:
        return nodes
    heirs: dict[str, str] = {}
    for group in colocation_groups(before):
        heir = next((name for name in group if name in kept), None)
        if heir is not None:
            heirs |= {name: heir for name in group if name in lost}
    return [*map(ColocationRenames(heirs).applied, nodes)]
