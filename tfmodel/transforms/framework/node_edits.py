"""Edits that transforms share: change nodes one by one, redirect inputs, keep colocation.

    map_nodes(graph, change, report)                    # `change` returns a new node, or the node itself
    rename_inputs(graph.node, {"old:*": "new"})         # the counterpart of RenameNodeInputs
    restore_colocation(nodes, graph.node)               # after nodes were removed

The key of a rename selects references, its value replaces them:

    n:*  -> m       every reference to n, with any port, and control inputs: these keep their ^ and their port
    n    -> m:1     output 0 of n, also spelled n:0
    n:1  -> m       output 1 of n; in the body of a function, n:out:0
    ^n   -> ^m      control inputs

The result of a rename is renamed again, so {"a": "b", "b": "c"} turns a into c. A rename of the whole node (n:*) takes
precedence over one of its outputs. Unlike in the original, the renames of one node may lead from one of its outputs to
another: only a reference that leads back to itself is a cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ...errors import GraphError, TransformError
from ...graph import ColocationRenames, colocated_with, colocation_groups, replace_node, with_functions, with_nodes
from ...io.terminal import printable
from ...messages import FunctionDef, GraphDef, NodeDef
from ...names import TensorName, is_plain_name, node_name, strip_control_mark, with_node_name
from .report import StepReport

__all__ = ["map_nodes", "rename_inputs", "restore_colocation"]


def map_nodes(
    graph: GraphDef, change: Callable[[NodeDef], NodeDef], report: StepReport, *, functions: bool = True
) -> GraphDef:
    """Return the graph with `change` applied to each node; `change` returns the node itself if it stays.

    Changes are counted in `report`. With `functions`, nodes in the bodies of functions are changed too.
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
    """Return the nodes with renamed inputs. Names of nodes stay, and so do the inputs of nodes named in `ignore`.

    Nodes whose inputs stay are shared. Raises TransformError for a cycle, and for a rename of all references to a node
    whose value is not a node.
    """
    resolved = _ResolvedReferences(renames)
    result = []
    for node in nodes:
        inputs = node.input
        if inputs and not (ignore and node.name in ignore):
            new = [resolved[text] for text in inputs]
            if new != inputs:
                node = replace_node(node, input=new)
        result.append(node)
    return result


class _ResolvedReferences(dict[str, str]):
    """Cache of the final reference for each spelling."""

    def __init__(self, renames: Mapping[str, str]) -> None:
        super().__init__()
        self._whole: dict[str, str] = {}
        self._exact: dict[TensorName, str] = {}
        for source, target in renames.items():
            if not source.endswith(_ALL):
                self._exact[TensorName.parse(source)] = target
            elif not is_plain_name(target):
                raise TransformError(f'"{printable(source)}" must be renamed to a node, not "{printable(target)}"')
            else:
                self._whole[strip_control_mark(source).removesuffix(_ALL)] = target

    def __missing__(self, text: str) -> str:
        path = [text]
        visited = {text}
        while (target := self._step(path[-1])) is not None:
            if target in visited:
                raise TransformError(f'the renames of "{printable(text)}" lead back to "{printable(target)}"')
            path.append(target)
            visited.add(target)
            if target in self:
                break
        end = self.get(path[-1], path[-1])
        self.update(dict.fromkeys(path, end))
        return end

    def _step(self, text: str) -> str | None:
        """Apply one rename to a reference; return None if no rename applies."""
        name = node_name(text)
        if name in self._whole:
            return with_node_name(text, self._whole[name])
        if not self._exact:
            return None
        try:
            return self._exact.get(TensorName.parse(text))
        except GraphError:
            return None  # not a reference; the check of the graph reports it


def restore_colocation(nodes: list[NodeDef], before: Sequence[NodeDef]) -> list[NodeDef]:
    """Repair the colocation of nodes after some of the nodes `before` were removed.

    Nodes that were colocated with a removed node stay together: one of them takes its place. References to nodes that
    were never in the graph stay.
    """
    remaining = {node.name for node in nodes}
    missing = {name for node in nodes for name in colocated_with(node)} - remaining
    removed = missing.intersection(node.name for node in before) if missing else missing
    if not removed:
        return nodes
    substitutes: dict[str, str] = {}
    for group in colocation_groups(before):
        substitute = next((name for name in group if name in remaining), None)
        if substitute is not None:
            substitutes |= {name: substitute for name in group if name in removed}
    return [*map(ColocationRenames(substitutes).applied, nodes)]
