"""Find the value of a variable that a node reads, where the variable changes while the graph runs.

A frozen graph computes what the model computes in its first run after a restore, so a read after an assignment becomes
the assigned value. A read is "after" an assignment if there is a path from the assignment to it. Without a path,
TensorFlow may do either first; here the read comes first, as training graphs mean it that update moving averages on the
side.

    assigned before               the new value
    assigned under a condition    the new value for nodes under the same condition; unknown behind the conditional
    assigned in a loop            unknown
    assigned by an op without an equivalent on values, such as ApplyAdam    unknown

Freezing fails if a node reads an unknown value. Assignments that nothing reads do no harm.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import FreezeError
from ..graph.error_text import quoted
from ..graph.mutable_graph import MutableGraph, MutableNode
from ..names import TensorName
from ..ops.traits import MERGE, NEXT_ITERATION, SWITCH
from .handle_tracing import ARITHMETIC, ASSIGNS, Trace, Use

__all__ = ["Versions"]

_IDENTITIES = ("Identity", "IdentityN", "RefIdentity")


class Versions:
    """The successive values of variables, each named by the node that produces it: the variable itself, an assignment,
    or a Merge that chooses between assignments."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._body = trace.body
        self._producers = {source: list(nodes) for source, nodes in trace.mutators.items()}
        for use in trace.uses:
            producers = self._producers.get(use.source)
            if producers is not None and self._chooses(use) and use.node not in producers:
                producers.append(use.node)
        names = {node.name for nodes in self._producers.values() for node in nodes}
        self._bits = {name: 1 << index for index, name in enumerate(names)}
        self._order = _Order(self._body, self._bits)
        self._uses = {(use.node.name, use.source): use for use in trace.uses}

    def _chooses(self, use: Use) -> bool:
        """Return whether a node is a Merge of references or handles, not of values."""
        return use.node.op in MERGE and TensorName(use.node.name) in self._trace.aliases

    def version_of(self, use: Use) -> str:
        """Return the name of the version that a node reads. Raises FreezeError if it is unknown."""
        producers = self._producers.get(use.source)
        if producers is None:
            return use.source
        order = self._order
        before = order.of_edge(use.tensor.node) if use.node.op in MERGE else order.before[use.node.name]
        earlier = [node for node in producers if before & self._bits[node.name]]
        if not earlier:
            return use.source
        mask = sum(self._bits[node.name] for node in earlier)
        last = [node for node in earlier if not mask & ~(order.before[node.name] | self._bits[node.name])]
        if not last:
            names = " and ".join(quoted(node.name) for node in earlier[:2])
            raise FreezeError(f"{self._reads(use)}, which is changed by {names} in no defined order")
        self._check(use, last[0])
        return last[0].name

    def _check(self, use: Use, producer_node: MutableNode) -> None:
        order, bit = self._order, self._bits[producer_node.name]
        if producer_node is use.node or producer_node.op in MERGE:
            return
        if producer_node.op not in ASSIGNS and producer_node.op not in ARITHMETIC:
            raise FreezeError(
                f"{self._reads(use)} after {self._body.describe(producer_node)} has changed it, which cannot be frozen"
            )
        if order.before[producer_node.name] & bit:
            raise FreezeError(f"{self._reads(use)}, which {quoted(producer_node.name)} changes in a loop")
        direct = order.of_edge(use.tensor.node) if use.node.op in MERGE else order.unmerged[use.node.name]
        if producer_node.name in order.conditional and not direct & bit:
            raise FreezeError(f"{self._reads(use)} after {quoted(producer_node.name)} has changed it under a condition")

    def is_conditional(self, node: MutableNode) -> bool:
        """Return whether a node does not run in every run of the graph, or runs several times."""
        return node.name in self._order.conditional

    def tensor(self, use: Use) -> TensorName:
        """Return the tensor that a node has to take in place of its input. Raises FreezeError if it is unknown."""
        if use.source not in self._producers:
            return use.tensor
        version = self.version_of(use)
        producer = use.tensor.node
        while producer != use.source and producer not in self._bits:
            if self.version_of(self._uses[producer, use.source]) == version:
                return use.tensor  # passed on without a change on the path
            node = self._body.nodes[producer]
            if node.op not in _IDENTITIES:
                raise FreezeError(f"{self._reads(use)} after it was changed outside of the loop or branch")
            producer = node.inputs[use.tensor.port if node.op == "IdentityN" else 0].node
        return use.tensor if producer == version else TensorName(version)

    def _reads(self, use: Use) -> str:
        return f"{self._body.describe(use.node)} reads the variable {quoted(use.source)}"


class _Order:
    """The producers of versions that come before each node, as bits of a number.

    before        all of them
    unmerged      those with a path without a Merge: if they do not run, neither does the node
    conditional   the nodes that do not run in every run of the graph
    """

    def __init__(self, body: MutableGraph, bits: dict[str, int]) -> None:
        self.before: dict[str, int] = dict.fromkeys(body.nodes, 0)
        self.unmerged: dict[str, int] = dict.fromkeys(body.nodes, 0)
        self.conditional: set[str] = set()
        self._bits = bits
        order = list(_topological(body))
        while self._pass(order, body):  # one more pass for each level of nested loops
            pass

    def of_edge(self, producer: str) -> int:
        return self.before.get(producer, 0) | self._bits.get(producer, 0)

    def _pass(self, order: list[MutableNode], body: MutableGraph) -> bool:
        changed = False
        for node in order:
            before = unmerged = 0
            conditional = node.op in SWITCH
            for name in node.producers:
                if name in body.nodes:
                    bit = self._bits.get(name, 0)
                    before |= self.before[name] | bit
                    unmerged |= self.unmerged[name] | bit
                    conditional = conditional or name in self.conditional
            if node.op in MERGE:
                unmerged = 0
            changed = changed or before != self.before[node.name] or unmerged != self.unmerged[node.name]
            self.before[node.name], self.unmerged[node.name] = before, unmerged
            if conditional:
                self.conditional.add(node.name)
        return changed


def _topological(body: MutableGraph) -> Iterator[MutableNode]:
    """Yield all nodes, producers first; the back edges of loops do not count.

    Raises FreezeError for a cycle that is not a loop.
    """
    waiting = {}
    users: dict[str, list[MutableNode]] = {}
    for node in body.nodes.values():
        needed = {name for name in node.producers if name in body.nodes and body.nodes[name].op not in NEXT_ITERATION}
        waiting[node.name] = len(needed)
        for name in needed:
            users.setdefault(name, []).append(node)
    ready = [node for node in body.nodes.values() if not waiting[node.name]]
    for node in ready:
        yield node
        for user in users.get(node.name, ()):
            waiting[user.name] -= 1
            if not waiting[user.name]:
                ready.append(user)
    if len(ready) != len(body.nodes):
        stuck = next(node for node in body.nodes.values() if waiting[node.name])
        raise FreezeError(f"{body.describe(stuck)} is in a cycle that is not a loop")
