"""Short names that tell nothing.

    image, conv1/weights, conv1, softmax   ->   image, 0, 1, softmax

Nodes are numbered in the order of the graph, in base 62: 0 to 9, a to z, A to Z, 10, 11, ... Declared inputs and
outputs keep their names, which no number takes.

Unlike in the original, those declared with a port ("softmax:0") do too; and nodes that have to be on the same device as
others are told the new names. Names in functions stay, as there: they are names of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from ..errors import GraphError
from ..graph import ColocationRenames, describe, replace_node, with_nodes
from ..messages import GraphDef, NodeDef
from ..names import TensorName, node_name, with_node_name
from ..printable import printable
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["obfuscate_names"]

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@graph_transform
def obfuscate_names(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    report: StepReport,
) -> GraphDef:
    """Replace the names of nodes by short ones that tell nothing, but for declared inputs and outputs.

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
    kept = {tensor.node for tensor in (*inputs, *outputs)}
    renamed = _renamed(graph, kept, taken=kept)
    result = _Result(renamed)
    nodes = [result.node(node) for node in graph.node]
    if not result.missing.isdisjoint(renamed.values()):
        # Nodes have to be with one that is not there: no node gets its name.
        renamed = _renamed(graph, kept, taken=kept | result.missing)
        result = _Result(renamed)
        nodes = [result.node(node) for node in graph.node]
    report.fire(sum(new != old for old, new in renamed.items()))
    return with_nodes(graph, nodes)


def _renamed(graph: GraphDef, kept: set[str], taken: set[str]) -> dict[str, str]:
    """The new names of nodes by the old ones."""
    numbers = _numbers(taken)
    return {node.name: node.name if node.name in kept else next(numbers) for node in graph.node}


def _numbers(taken: Iterable[str]) -> Iterator[str]:
    """0, 1, ... in base 62."""
    skipped = frozenset(taken)
    for number in count():
        text = _DIGITS[number % 62]
        while number := number // 62:
            text = _DIGITS[number % 62] + text
        if text not in skipped:
            yield text


class _Result:
    """Nodes with new names. `missing` are the nodes that some of them have to be with and that are not there."""

    def __init__(self, renamed: dict[str, str]) -> None:
        self._renamed = renamed
        self._references = _References(renamed)
        self._colocation = ColocationRenames(renamed)

    @property
    def missing(self) -> set[str]:
        return self._colocation.others

    def node(self, node: NodeDef) -> NodeDef:
        try:
            inputs = [*map(self._references.__getitem__, node.input)]
        except KeyError as error:
            raise GraphError(f'{describe(node)}: there is no node for its input "{printable(error.args[0])}"') from None
        return self._colocation.applied(replace_node(node, name=self._renamed[node.name], input=inputs))


class _References(dict[str, str]):
    """References with the new names. Raises KeyError for one to a node that is not there."""

    def __init__(self, renamed: dict[str, str]) -> None:
        super().__init__(renamed)
        self._renamed = renamed

    def __missing__(self, text: str) -> str:
        name = node_name(text)
        if name not in self._renamed:
            raise KeyError(text)
        self[text] = with_node_name(text, self._renamed[name])
        return self[text]
