"""Replace names of nodes by short, meaningless ones.

    image, conv1/weights, conv1, softmax   ->   image, 0, 1, softmax

Nodes are numbered in the order of the graph, in base 62: 0 to 9, a to z, A to Z, 10, 11, ... Declared inputs and
outputs keep their names, and no other node gets them.

Unlike in the original, names declared with a port ("softmax:0") stay too, and colocation attributes refer to the new
names. Names in functions stay, as in the original: they are local to their function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from ..errors import GraphError
from ..graph import ColocationRenames, describe, replace_node, with_nodes
from ..messages import GraphDef, NodeDef
from ..values.names import TensorName, node_name, with_node_name
from ..values.terminal import escape
from .framework.registry import graph_transform
from .framework.report import StepReport

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@graph_transform
def obfuscate_names(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    report: StepReport,
) -> GraphDef:
    """Replace the names of all nodes but declared inputs and outputs by short, meaningless ones.

    Example: obfuscate_names with inputs image and outputs softmax

        image = Placeholder[dtype=float]
        model/scale = Const[dtype=float]
        model/mul = Mul(image, model/scale, ^model/scale)[T=float]
        softmax = Softmax(model/mul:0)[T=float]

    becomes

        image = Placeholder[dtype=float]
        0 = Const[dtype=float]
        1 = Mul(image, 0, ^0)[T=float]
        softmax = Softmax(1:0)[T=float]
    """
    declared = {tensor.node for tensor in (*inputs, *outputs)}
    new_names = _new_names(graph, declared, taken=declared)
    renamer = _Renamer(new_names)
    nodes = [renamer.rename(node) for node in graph.node]
    if not renamer.missing.isdisjoint(new_names.values()):
        # A colocation attribute refers to a missing node: no node may get its name.
        new_names = _new_names(graph, declared, taken=declared | renamer.missing)
        renamer = _Renamer(new_names)
        nodes = [renamer.rename(node) for node in graph.node]
    report.node_renames = {old: new for old, new in new_names.items() if new != old}
    report.fire(len(report.node_renames))
    return with_nodes(graph, nodes)


def _new_names(graph: GraphDef, declared: set[str], taken: set[str]) -> dict[str, str]:
    """Return the new names of nodes by their old names."""
    numbers = _numbers(taken)
    return {node.name: node.name if node.name in declared else next(numbers) for node in graph.node}


def _numbers(taken: Iterable[str]) -> Iterator[str]:
    """Yield 0, 1, ... in base 62, except for `taken` names."""
    skipped = frozenset(taken)
    for number in count():
        text = _DIGITS[number % 62]
        while number := number // 62:
            text = _DIGITS[number % 62] + text
        if text not in skipped:
            yield text


class _Renamer:
    """Renames nodes. `missing` are the names in colocation attributes that no node has."""

    def __init__(self, new_names: dict[str, str]) -> None:
        self._new_names = new_names
        self._references = _References(new_names)
        self._colocation = ColocationRenames(new_names)

    @property
    def missing(self) -> set[str]:
        return self._colocation.others

    def rename(self, node: NodeDef) -> NodeDef:
        try:
            inputs = [*map(self._references.__getitem__, node.input)]
        except KeyError as error:
            raise GraphError(f'{describe(node)}: its input "{escape(error.args[0])}" is not in the graph') from None
        return self._colocation.rename(replace_node(node, name=self._new_names[node.name], input=inputs))


class _References(dict[str, str]):
    """Cache of new references by old ones. Raises KeyError for a reference to a node that is not in the graph."""

    def __init__(self, new_names: dict[str, str]) -> None:
        super().__init__(new_names)
        self._new_names = new_names

    def __missing__(self, text: str) -> str:
        name = node_name(text)
        if name not in self._new_names:
            raise KeyError(text)
        self[text] = with_node_name(text, self._new_names[name])
        return self[text]
