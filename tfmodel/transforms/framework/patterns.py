"""What part of a graph looks like: patterns are values, made of what a node is and what its inputs are.

    PATTERN = Op("Mul",
                 Op("Conv2D|MatMul", Anything(), Op("Const", as_="weights"), as_="layer"),
                 Op("Const", as_="scale"),
                 commutative=True)

The outermost node, from which all others are reached by way of inputs, is the head of a match.

    Op("A|B")              a node of the op A or B, whatever its inputs are
    Op("A", p, q)          one with two inputs, control inputs not counted, that are like p and q
    Anything()             any node
    as_="x"                what the rewrite calls the node; a name that comes twice means one node
    commutative=True       of two inputs: in this order or the other one; as written comes first
    port=0                 the input refers to this output of the node; without, any will do

Patterns look at nodes, not at what a rewrite may do with them: whether a node is used elsewhere, or is declared as an
output, the rewrite asks its `Match`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ...graph import GraphIndex
from ...messages import NodeDef
from ...names import TensorName

__all__ = ["Anything", "Bindings", "Op", "Pattern", "bindings"]


@dataclass(frozen=True, init=False, slots=True)
class Op:
    """A node of one of some ops: see the module."""

    ops: frozenset[str]
    inputs: tuple[Pattern, ...]
    as_: str
    commutative: bool
    port: int | None

    def __init__(
        self, ops: str, *inputs: Pattern, as_: str = "", commutative: bool = False, port: int | None = None
    ) -> None:
        if commutative and len(inputs) != 2:
            raise ValueError(f"a pattern is commutative if it has two inputs, this one has {len(inputs)}")
        object.__setattr__(self, "ops", frozenset(ops.split("|")))
        object.__setattr__(self, "inputs", inputs)
        object.__setattr__(self, "as_", as_)
        object.__setattr__(self, "commutative", commutative)
        object.__setattr__(self, "port", port)


@dataclass(frozen=True, slots=True)
class Anything:
    """A node of any op, which is no part of what a rewrite replaces: several matches may share it."""

    as_: str = ""
    port: int | None = None


Pattern: TypeAlias = Op | Anything


@dataclass(frozen=True, slots=True)
class Bindings:
    """Which nodes a pattern was found to mean, by position in the graph.

    `claimed` are those of an `Op`, the head first, then its inputs from left to right, then theirs; `touched` are those
    and the ones of `Anything`. `names` are the nodes that have a name in the pattern.
    """

    names: Mapping[str, int] = field(default_factory=dict)
    claimed: tuple[int, ...] = ()
    touched: tuple[int, ...] = ()


def bindings(pattern: Op, index: GraphIndex, head: int) -> Bindings | None:
    """What a pattern means with its head at a position; None if there is no match."""
    found = next(_match([(pattern, head)], index, {}, (), ()), None)
    if found is None:
        return None
    names, claimed, touched = found
    return Bindings(names, tuple(dict.fromkeys(claimed)), tuple(dict.fromkeys(touched)))


_Found: TypeAlias = tuple[dict[str, int], tuple[int, ...], tuple[int, ...]]


def _match(
    queue: list[tuple[Pattern, int]],
    index: GraphIndex,
    names: dict[str, int],
    claimed: tuple[int, ...],
    touched: tuple[int, ...],
) -> Iterator[_Found]:
    """All ways in which the patterns of a queue, each with a position, can be met; breadth first."""
    if not queue:
        yield names, claimed, touched
        return
    (pattern, position), *rest = queue
    if pattern.as_:
        if names.get(pattern.as_, position) != position:
            return
        names = {**names, pattern.as_: position}
    touched = (*touched, position)
    if isinstance(pattern, Anything):
        yield from _match(rest, index, names, claimed, touched)
        return
    node = index.nodes[position]
    if node.op not in pattern.ops:
        return
    claimed = (*claimed, position)
    if not pattern.inputs:
        yield from _match(rest, index, names, claimed, touched)
        return
    given = _tensors(node, index.sources[position])
    if given is None or len(given) != len(pattern.inputs):
        return
    orders = [pattern.inputs, pattern.inputs[::-1]] if pattern.commutative else [pattern.inputs]
    for inputs in orders:
        if all(_is_port(text, each.port) for each, (text, _) in zip(inputs, given, strict=True)):
            deeper = [(each, source) for each, (_, source) in zip(inputs, given, strict=True)]
            yield from _match([*rest, *deeper], index, names, claimed, touched)


def _tensors(node: NodeDef, sources: list[int]) -> list[tuple[str, int]] | None:
    """The inputs of a node but for control inputs, and where they come from; None if one comes from no node."""
    tensors = [(text, source) for text, source in zip(node.input, sources, strict=True) if text[:1] != "^"]
    return None if any(source < 0 for _, source in tensors) else tensors


def _is_port(text: str, port: int | None) -> bool:
    return port is None or TensorName.parse(text).port == port
