"""Replacing what looks like a pattern: the counterpart of ReplaceMatchingOpTypes.

    replace_matches(graph, PATTERN, rewrite, keep=outputs, report=report)

`rewrite` is called for every match and gives the nodes that take its place, or a `Refusal` with the reason why it is
left alone. Matches are found in the order of execution. One that shares a node of an `Op` with an earlier one is left
alone, but for constants; what `Anything` stands for can be part of many.

The nodes that a rewrite returns stand where the head stood. Of the nodes that it does not return,

    those of an `Op`      are gone. If one is used elsewhere, or declared as an output, the match is left alone, and so
                          is it if nodes outside have to be on the same device as one that goes
    those of `Anything`,  stay where they are if anybody needs them, else they are gone. Nobody needs a constant as a
    and constants         control input, as the NoOp of a frozen TF2 model has them: those are left out

A match that is left alone stands where its head stood, the head first, then its inputs: as in the original.

Unlike there, a node that several matches share as `Anything` does not keep all but the first from being replaced;
declared outputs are never lost; and no node is there twice because it plays two parts. Nodes that have to be on the
same device as a constant that goes stay together.

What no pattern can say, since it may go on for any number of nodes, `replace_found` is for: a function looks at every
node of some ops, and says which nodes belong to it and what rewrites them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ...errors import GraphError, TensorError
from ...graph import GraphIndex, colocated_with, replace_node, with_functions, with_nodes
from ...graph.function_body import FunctionBody
from ...graph.functions import Functions, function_name
from ...growth import claim
from ...messages import FunctionDef, GraphDef, NodeDef
from ...names import CONTROL, TensorName, control_input, is_control_input, node_name
from ...ops import OPS
from .node_edits import with_kept_colocation
from .patterns import Bindings, Match, Op, Surroundings, bindings
from .report import Refusal, StepReport

__all__ = ["Finder", "Rewrite", "replace_found", "replace_matches"]

Rewrite: TypeAlias = Callable[[Match], Iterable[NodeDef] | Refusal]

Finder: TypeAlias = Callable[[int], tuple[Bindings, Rewrite] | None]
"""What a node, by its position, is the head of, and what rewrites that; None if it is the head of nothing."""


def replace_matches(
    graph: GraphDef,
    pattern: Op,
    rewrite: Rewrite,
    *,
    report: StepReport,
    keep: Iterable[TensorName] = (),
    fed: Iterable[TensorName] = (),
    allow_inconsistencies: bool = False,
    functions: bool = True,
) -> GraphDef:
    """The graph with what `rewrite` makes of each match of a pattern; the graph itself if there is none.

    `keep` are tensors that must stay; so must those that may be `fed`, and the value of such a Const is not told. With
    `allow_inconsistencies` a rewrite may drop nodes that are in use: whoever asks for that mends their users, with
    `rename_inputs`. With `functions`, bodies of functions are rewritten too: a rewrite sees their inputs as they are
    spelled in a graph.

    Raises GraphError if the nodes have no order. One that `rewrite` raises is a reason to leave the match alone, as it
    is for a function that has outputs of ops which are not known.
    """

    def finder(around: Surroundings) -> Finder:
        def find(head: int) -> tuple[Bindings, Rewrite] | None:
            found = bindings(pattern, around.index, head)
            return None if found is None else (found, rewrite)

        return find

    return replace_found(
        graph,
        pattern.ops,
        finder,
        report=report,
        keep=keep,
        fed=fed,
        allow_inconsistencies=allow_inconsistencies,
        functions=functions,
    )


def replace_found(
    graph: GraphDef,
    ops: Collection[str],
    finder: Callable[[Surroundings], Finder],
    *,
    report: StepReport,
    keep: Iterable[TensorName] = (),
    fed: Iterable[TensorName] = (),
    allow_inconsistencies: bool = False,
    functions: bool = True,
) -> GraphDef:
    """The graph with what takes the place of all that is found; nodes of some ops are looked at.

    `finder` gives, for the graph and for each function, what looks. All else is as in `replace_matches`.
    """
    result = graph
    if _has_head(graph.node, ops):
        replacer = _Replacer(Surroundings(GraphIndex(graph), keep, fed), ops, finder, report, allow_inconsistencies)
        result = with_nodes(graph, replacer.run())
    if not functions or graph.library is None:
        return result
    library, known = graph.library.function, Functions(graph.library)

    def in_function(function: FunctionDef) -> FunctionDef:
        try:
            body = FunctionBody(function, known, OPS)
            tensors = [TensorName.parse(text) for text in body.returns.values()]
            tensors += [TensorName(name, CONTROL) for name in function.control_ret.values()]
            replacer = _Replacer(Surroundings(body.index, tensors), ops, finder, report, allow_inconsistencies)
            return body.rebuilt(replacer.run())
        except GraphError as error:
            report.refuse(function_name(function), str(error))
            return function

    rewritten = [in_function(each) if _has_head(each.node_def, ops) else each for each in library]
    same = all(new is old for new, old in zip(rewritten, library, strict=True))
    return result if same else with_functions(result, rewritten)


def _has_head(nodes: Iterable[NodeDef], ops: Collection[str]) -> bool:
    return any(node.op in ops for node in nodes)


@dataclass(slots=True)
class _Found:
    """A match, and what takes its place: its own nodes if it is left alone."""

    bindings: Bindings
    nodes: list[NodeDef]


class _Replacer:
    def __init__(
        self,
        around: Surroundings,
        ops: Collection[str],
        finder: Callable[[Surroundings], Finder],
        report: StepReport,
        allow_inconsistencies: bool,
    ) -> None:
        self._index = around.index
        self._around = around
        self._ops = ops
        self._find = finder(around)
        self._report = report
        self._allow_inconsistencies = allow_inconsistencies
        self._claimed: set[int] = set()

    def run(self) -> list[NodeDef]:
        heads = {found.bindings.claimed[0]: found for found in self._matches()}
        nodes = list(_Emitted(self._index, self._around.declared, heads, drop=self._allow_inconsistencies))
        gone = self._index.positions.keys() - {node.name for node in nodes}
        if gone.isdisjoint(self._companions):
            return nodes
        return with_kept_colocation(nodes, self._index.nodes)

    def _matches(self) -> Iterator[_Found]:
        for node in self._index.execution_order:
            if node.op not in self._ops:
                continue
            head = self._index.positions[node.name]
            if head in self._claimed:
                continue
            outcome = self._find(head)
            if outcome is None:
                continue
            found, rewrite = outcome
            if any(self._index.nodes[each].op != "Const" for each in self._claimed.intersection(found.claimed)):
                self._report.refuse(node.name, "a part of it belongs to another match")
                continue
            self._claimed.update(found.claimed)
            yield self._replaced(found, rewrite)

    def _replaced(self, found: Bindings, rewrite: Rewrite) -> _Found:
        match = Match(self._around, found)
        try:
            outcome = rewrite(match)
            if not isinstance(outcome, Refusal):
                nodes = list({node.name: node for node in outcome}.values())
                outcome = self._loss(match, found, nodes) or outcome
                claim(sum(map(self._new_bytes, nodes)), "the replacement")
        except (GraphError, TensorError) as error:
            outcome = Refusal(str(error))
        if isinstance(outcome, Refusal):
            self._report.refuse(match.head.name, outcome.reason)
            return _Found(found, match.nodes)
        self._report.fire()
        return _Found(found, nodes)

    def _new_bytes(self, node: NodeDef) -> int:
        """The bytes of a node that a rewrite has made; of a constant without its elements, which it has counted."""
        if self._index.get(node.name) is node:
            return 0
        return NodeDef(name=node.name, input=node.input).ByteSize() if node.op == "Const" else node.ByteSize()

    def _loss(self, match: Match, found: Bindings, nodes: list[NodeDef]) -> Refusal | None:
        """Why the match cannot be replaced by these nodes: one is missing that is needed."""
        if self._allow_inconsistencies:
            return None
        kept, claimed = {node.name for node in nodes}, set(found.claimed)
        for position in found.claimed:
            node = self._index.nodes[position]
            if node.name in kept or node.op == "Const":
                continue
            if role := self._around.role(node.name):
                return Refusal(f"its {node.op} is {role}")
            if match.is_used_elsewhere(position):
                return Refusal(f"its {node.op} is used elsewhere")
            if not self._companions.get(node.name, set()) <= claimed:
                return Refusal(f"other nodes have to be on the same device as its {node.op}")
        return None

    @cached_property
    def _companions(self) -> dict[str, set[int]]:
        """By the name of a node: those that have to be on the same device."""
        found: dict[str, set[int]] = {}
        for position, node in enumerate(self._index.nodes):
            for name in colocated_with(node):
                found.setdefault(name, set()).add(position)
        return found


class _Emitted:
    """The nodes behind all rewrites, in order."""

    def __init__(self, index: GraphIndex, declared: frozenset[str], heads: dict[int, _Found], *, drop: bool) -> None:
        self._nodes = index.nodes
        self._positions = index.positions
        self._declared = declared
        self._heads = heads
        self._drop = drop
        touched = {each for found in heads.values() for each in found.bindings.touched}
        self._originals = {id(self._nodes[each]): each for each in touched}
        returned = [node for found in heads.values() for node in found.nodes]
        self._remade = {node.name: node for node in returned if id(node) not in self._originals}
        self._moved = {self._originals[id(node)] for node in returned if id(node) in self._originals}
        # What one match made and another one takes: the latter returned the node that was there before.
        self._passed_on = self._remade.keys() & {self._nodes[each].name for each in self._moved}
        self._leftover = touched - self._moved - heads.keys()
        self._gone = {
            each
            for found in heads.values()
            for each in found.bindings.claimed
            if drop or self._nodes[each].op != "Const"
        }

    def __iter__(self) -> Iterator[NodeDef]:
        unneeded = self._unneeded()
        orderless = {control_input(self._nodes[each].name) for each in unneeded if self._is_orderless(each)}
        for node in self._emitted(unneeded):
            if orderless and not orderless.isdisjoint(node.input):
                yield replace_node(node, input=[text for text in node.input if text not in orderless])
            else:
                yield node

    def _is_orderless(self, position: int) -> bool:
        """Whether a node is a constant that waits for nothing: to wait for it is to wait for nothing as well."""
        return self._nodes[position].op == "Const" and not self._nodes[position].input

    def _emitted(self, unneeded: set[int]) -> Iterator[NodeDef]:
        emitted: set[int] = set()
        for position, node in enumerate(self._nodes):
            found = self._heads.get(position)
            if found is not None:
                yield from self._of_match(found, emitted)
            elif position not in self._moved and position not in unneeded:
                yield node

    def _of_match(self, found: _Found, emitted: set[int]) -> Iterator[NodeDef]:
        for node in found.nodes:
            position = self._originals.get(id(node))
            if position is None:
                if node.name not in self._passed_on:
                    yield node
            elif position not in emitted:
                emitted.add(position)
                yield self._remade.get(node.name, node)

    def _unneeded(self) -> set[int]:
        """Of the nodes that no rewrite returned, those that nobody refers to any more."""
        spare = {each for each in self._leftover - self._gone if self._nodes[each].name not in self._remade}
        unneeded = self._leftover - spare
        if not spare:
            return unneeded
        replaced = self._leftover | self._heads.keys()
        rest = [node for position, node in enumerate(self._nodes) if position not in replaced]
        returned = (node for found in self._heads.values() for node in found.nodes)
        queue = [self._remade.get(node.name, node) for node in (*rest, *returned)]
        needed = {each for each in spare if self._nodes[each].name in self._declared}
        queue += [self._nodes[each] for each in needed]
        while queue:
            for text in queue.pop().input:
                position = self._positions.get(node_name(text))
                if position is None or (is_control_input(text) and self._is_orderless(position)):
                    continue
                if position in spare and position not in needed:
                    needed.add(position)
                    queue.append(self._nodes[position])
        return unneeded | (spare - needed)
