"""Replace the matches of a pattern: the counterpart of ReplaceMatchingOpTypes.

    replace_matches(graph, PATTERN, rewrite, keep=outputs, report=report)

`rewrite` is called for every match and returns the nodes that replace it, or a `Refusal` with the reason why the match
is left alone. Matches are searched in execution order. A match that shares a node of an `Op` with an earlier match is
left alone, except for shared constants; nodes of `Anything` can be part of many matches.

The returned nodes stand where the head stood. The nodes that a rewrite does not return:

    those of an `Op`      are removed. If one is used elsewhere, or declared as an output, or if nodes outside must be
                          on the same device as it, the match is left alone
    those of `Anything`,  stay where they are if they are used; otherwise they are removed. Control inputs from a
    and constants         constant (the NoOp of a frozen TF2 model has some) do not count as uses and are dropped

All nodes of a match that is left alone move to the place of its head: the head first, then its inputs, as in the
original.

Differences from the original: there, only the first of several matches that share a node of `Anything` is replaced.
Here, declared outputs are never lost, and a node that has a role in two matches is not written twice. Nodes that must
be on the same device as a removed constant stay on one device.

`replace_subgraphs` is for structures that no pattern can describe, since they may have any number of nodes. It calls a
function for every node of some ops; the function returns the nodes that form a structure with this node, and a rewrite.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ...errors import GraphError, TensorError
from ...graph import GraphIndex, colocated_with, replace_node
from ...graph.view import GraphView
from ...messages import GraphDef, NodeDef
from ...ops import OPS
from ...values.names import TensorName, control_input, is_control_input, node_name
from ...values.output_limit import claim
from .bodies import rewrite_bodies
from .node_edits import restore_colocation
from .patterns import ANY_OP, Bindings, Match, MatchContext, Op, match_pattern
from .report import Refusal, StepReport

Rewrite: TypeAlias = Callable[[Match], Iterable[NodeDef] | Refusal]

Finder: TypeAlias = Callable[[int], tuple[Bindings, Rewrite] | None]
"""A function of the position of a node. It returns the subgraph whose head is this node, and the rewrite of the
subgraph; or None if the node is not a head."""


def replace_matches(
    graph: GraphDef,
    pattern: Op,
    rewrite: Rewrite,
    *,
    report: StepReport,
    keep: Iterable[TensorName] = (),
    inputs: Iterable[TensorName] = (),
    allow_inconsistencies: bool = False,
    functions: bool = True,
) -> GraphDef:
    """Rewrite each match of a pattern, and return the new graph.

    `keep` are tensors that must stay. Declared `inputs` must stay too. They may be fed, so the value of a Const that is
    an input is unknown. With `allow_inconsistencies`, a rewrite may drop nodes that are in use: the caller redirects
    their users with `rename_inputs`. With `functions`, the bodies of functions are rewritten too. There, a rewrite sees
    the inputs of nodes spelled as in a graph.

    Raises GraphError if the nodes cannot be ordered. If `rewrite` raises a GraphError, the match is left alone. A
    function with an unknown op is left alone as a whole.
    """

    def finder(context: MatchContext) -> Finder:
        def find(head: int) -> tuple[Bindings, Rewrite] | None:
            match = match_pattern(pattern, context.index, head)
            return None if match is None else (match, rewrite)

        return find

    return replace_subgraphs(
        graph,
        pattern.ops,
        finder,
        report=report,
        keep=keep,
        inputs=inputs,
        allow_inconsistencies=allow_inconsistencies,
        functions=functions,
    )


def replace_subgraphs(
    graph: GraphDef,
    ops: Collection[str],
    finder: Callable[[MatchContext], Finder],
    *,
    report: StepReport,
    keep: Iterable[TensorName] = (),
    inputs: Iterable[TensorName] = (),
    allow_inconsistencies: bool = False,
    functions: bool = True,
) -> GraphDef:
    """Rewrite the subgraphs that a function finds at the nodes of some ops; "*" stands for all ops.

    `finder` is called once for the graph and once for each function that has one of the `ops`, and returns the `Finder`
    for its nodes. Everything else is as in `replace_matches`.
    """

    def rewrite(view: GraphView) -> list[NodeDef] | None:
        if ANY_OP not in ops and view.ops.isdisjoint(ops):
            return None
        return _Replacer(MatchContext(view), ops, finder, report, allow_inconsistencies).run()

    return rewrite_bodies(graph, rewrite, ops=OPS, report=report, inputs=inputs, outputs=keep, functions=functions)


def _is_head(node: NodeDef, ops: Collection[str]) -> bool:
    return node.op in ops or ANY_OP in ops


@dataclass(slots=True)
class _Replacement:
    """A match and the nodes that replace it: its own nodes if it is not rewritten."""

    bindings: Bindings
    nodes: list[NodeDef]


class _Replacer:
    """Rewrites the matches in the nodes of a graph, or of the body of a function."""

    def __init__(
        self,
        context: MatchContext,
        ops: Collection[str],
        finder: Callable[[MatchContext], Finder],
        report: StepReport,
        allow_inconsistencies: bool,
    ) -> None:
        self._index = context.index
        self._context = context
        self._ops = ops
        self._find = finder(context)
        self._report = report
        self._allow_inconsistencies = allow_inconsistencies
        self._claimed: set[int] = set()

    def run(self) -> list[NodeDef]:
        heads = {outcome.bindings.claimed[0]: outcome for outcome in self._matches()}
        nodes = list(_Output(self._index, self._context.declared, heads, drop=self._allow_inconsistencies))
        removed = self._index.positions.keys() - {node.name for node in nodes}
        if removed.isdisjoint(self._companions):
            return nodes
        return restore_colocation(nodes, self._index.nodes)

    def _matches(self) -> Iterator[_Replacement]:
        for node in self._index.execution_order:
            if not _is_head(node, self._ops):
                continue
            head = self._index.positions[node.name]
            if head in self._claimed:
                continue
            outcome = self._find(head)
            if outcome is None:
                continue
            bindings, rewrite = outcome
            shared = self._claimed.intersection(bindings.claimed)
            if any(self._index.nodes[position].op != "Const" for position in shared):
                self._report.refuse(node.name, "part of it belongs to another match")
                continue
            self._claimed.update(bindings.claimed)
            yield self._replace(bindings, rewrite)

    def _replace(self, bindings: Bindings, rewrite: Rewrite) -> _Replacement:
        match = Match(self._context, bindings)
        try:
            outcome = rewrite(match)
            if not isinstance(outcome, Refusal):
                nodes = list({node.name: node for node in outcome}.values())
                outcome = self._check_needed(match, bindings, nodes) or outcome
                claim(sum(map(self._new_bytes, nodes)), "the replacement")
        except (GraphError, TensorError) as error:
            outcome = Refusal(str(error))
        if isinstance(outcome, Refusal):
            self._report.refuse(match.head.name, outcome.reason)
            return _Replacement(bindings, match.nodes)
        self._report.fire()
        return _Replacement(bindings, nodes)

    def _new_bytes(self, node: NodeDef) -> int:
        """Return the size of a node that a rewrite made, without the elements of a constant: `const_node` counts these.

        The size is 0 for a node of the original graph.
        """
        if self._index.get(node.name) is node:
            return 0
        return NodeDef(name=node.name, input=node.input).ByteSize() if node.op == "Const" else node.ByteSize()

    def _check_needed(self, match: Match, bindings: Bindings, nodes: list[NodeDef]) -> Refusal | None:
        """Return a refusal if the new nodes lack a node that is still needed, else None."""
        if self._allow_inconsistencies:
            return None
        kept, claimed = {node.name for node in nodes}, set(bindings.claimed)
        for position in bindings.claimed:
            node = self._index.nodes[position]
            if node.name in kept or node.op == "Const":
                continue
            if role := self._context.role(node.name):
                return Refusal(f"its {node.op} is {role}")
            if match.is_used_elsewhere(position):
                return Refusal(f"its {node.op} is used elsewhere")
            if not self._companions.get(node.name, set()) <= claimed:
                return Refusal(f"other nodes must be on the same device as its {node.op}")
        return None

    @cached_property
    def _companions(self) -> dict[str, set[int]]:
        """By the name of a node: the nodes that must be on the same device."""
        companions: dict[str, set[int]] = {}
        for position, node in enumerate(self._index.nodes):
            for name in colocated_with(node):
                companions.setdefault(name, set()).add(position)
        return companions


class _Output:
    """The nodes of the result, in order, after all rewrites."""

    def __init__(
        self, index: GraphIndex, declared: frozenset[str], heads: dict[int, _Replacement], *, drop: bool
    ) -> None:
        self._nodes = index.nodes
        self._positions = index.positions
        self._declared = declared
        self._heads = heads
        self._drop = drop
        matched = {position for match in heads.values() for position in match.bindings.matched}
        self._originals = {id(self._nodes[position]): position for position in matched}
        returned = [node for match in heads.values() for node in match.nodes]
        self._remade = {node.name: node for node in returned if id(node) not in self._originals}
        self._moved = {self._originals[id(node)] for node in returned if id(node) in self._originals}
        # Names of nodes that one match replaced by a new node, and another returned as they were. The new node is
        # written at the place of the second match.
        self._passed_on = self._remade.keys() & {self._nodes[position].name for position in self._moved}
        self._leftover = matched - self._moved - heads.keys()
        self._removed = {
            position
            for match in heads.values()
            for position in match.bindings.claimed
            if drop or self._nodes[position].op != "Const"
        }

    def __iter__(self) -> Iterator[NodeDef]:
        unneeded = self._unneeded_nodes()
        orderless = {control_input(self._nodes[position].name) for position in unneeded if self._is_orderless(position)}
        for node in self._emit(unneeded):
            if orderless and not orderless.isdisjoint(node.input):
                yield replace_node(node, input=[text for text in node.input if text not in orderless])
            else:
                yield node

    def _is_orderless(self, position: int) -> bool:
        """Return whether a node is a constant without inputs: a control input from it has no effect."""
        return self._nodes[position].op == "Const" and not self._nodes[position].input

    def _emit(self, unneeded: set[int]) -> Iterator[NodeDef]:
        emitted: set[int] = set()
        for position, node in enumerate(self._nodes):
            match = self._heads.get(position)
            if match is not None:
                yield from self._emit_match(match, emitted)
            elif position not in self._moved and position not in unneeded:
                yield node

    def _emit_match(self, match: _Replacement, emitted: set[int]) -> Iterator[NodeDef]:
        for node in match.nodes:
            position = self._originals.get(id(node))
            if position is None:
                if node.name not in self._passed_on:
                    yield node
            elif position not in emitted:
                emitted.add(position)
                yield self._remade.get(node.name, node)

    def _unneeded_nodes(self) -> set[int]:
        """Return the positions of matched nodes that are not written.

        No rewrite returned these nodes. They are removed or replaced, or no node of the result refers to them.
        """
        candidates = self._leftover - self._removed
        spare = {position for position in candidates if self._nodes[position].name not in self._remade}
        unneeded = self._leftover - spare
        if not spare:
            return unneeded
        replaced = self._leftover | self._heads.keys()
        untouched = [node for position, node in enumerate(self._nodes) if position not in replaced]
        returned = (node for match in self._heads.values() for node in match.nodes)
        queue = [self._remade.get(node.name, node) for node in (*untouched, *returned)]
        needed = {position for position in spare if self._nodes[position].name in self._declared}
        queue += [self._nodes[position] for position in needed]
        while queue:
            for text in queue.pop().input:
                position = self._positions.get(node_name(text))
                if position is None or (is_control_input(text) and self._is_orderless(position)):
                    continue
                if position in spare and position not in needed:
                    needed.add(position)
                    queue.append(self._nodes[position])
        return unneeded | (spare - needed)
