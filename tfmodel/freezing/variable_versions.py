"""Which value of a variable does a node see, where the variable changes while the graph runs?

A frozen graph gives what the graph gives when it is run for the first time after a restore. So a read after an
assignment has to become what was assigned. What is "after" is told by the edges of the graph: a path from the
assignment to the read means that. Without one TensorFlow may do either first, and here the read is first, which is what
training graphs mean in which moving averages are updated beside everything else.

    assigned before               the new value
    assigned under a condition    the new value for those under the same condition; behind it nobody knows
    assigned in a loop            nobody knows
    assigned by an op that we cannot compute, such as ApplyAdam    nobody knows

Where nobody knows and a node reads all the same, freezing fails; nothing is lost where none does.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import FreezeError
from ..graph.error_text import quoted
from ..graph.mutable_graph import MutableGraph, MutableNode
from ..names import TensorName
from .handle_tracing import ARITHMETIC, ASSIGNS, Trace, Use

__all__ = ["Versions"]

_SWITCHES = ("Switch", "RefSwitch", "_SwitchN")
_MERGES = ("Merge", "RefMerge")
_BACK = ("NextIteration", "RefNextIteration")
_PLAIN = ("Identity", "IdentityN", "RefIdentity")


class Versions:
    """The values that variables have one after another, each called by the node that made it: the variable itself, an
    assignment, or a Merge that chooses between assignments."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._body = trace.body
        self._makers = {source: list(nodes) for source, nodes in trace.mutators.items()}
        for use in trace.uses:
            makers_of_it = self._makers.get(use.source)
            if makers_of_it is not None and self._chooses(use) and use.node not in makers_of_it:
                makers_of_it.append(use.node)
        makers = {node.name for nodes in self._makers.values() for node in nodes}
        self._bits = {name: 1 << index for index, name in enumerate(makers)}
        self._order = _Order(self._body, self._bits)
        self._uses = {(use.node.name, use.source): use for use in trace.uses}

    def _chooses(self, use: Use) -> bool:
        """Is a node a Merge of references, or handles? A Merge of values is a node like any other."""
        return use.node.op in _MERGES and TensorName(use.node.name) in self._trace.aliases

    def seen(self, use: Use) -> str:
        """The name of the version that a node sees. Raises FreezeError if nobody knows."""
        makers = self._makers.get(use.source)
        if makers is None:
            return use.source
        order = self._order
        before = order.of_edge(use.tensor.node) if use.node.op in _MERGES else order.before[use.node.name]
        there = [node for node in makers if before & self._bits[node.name]]
        if not there:
            return use.source
        mask = sum(self._bits[node.name] for node in there)
        last = [node for node in there if not mask & ~(order.before[node.name] | self._bits[node.name])]
        if not last:
            names = " and ".join(quoted(node.name) for node in there[:2])
            raise FreezeError(f"{self._reads(use)}, which is changed by {names} in no certain order")
        self._check(use, last[0])
        return last[0].name

    def _check(self, use: Use, maker: MutableNode) -> None:
        order, bit = self._order, self._bits[maker.name]
        if maker is use.node or maker.op in _MERGES:
            return
        if maker.op not in ASSIGNS and maker.op not in ARITHMETIC:
            raise FreezeError(f"{self._reads(use)} after {self._body.describe(maker)} has changed it in an unknown way")
        if order.before[maker.name] & bit:
            raise FreezeError(f"{self._reads(use)}, which {quoted(maker.name)} changes in a loop")
        direct = order.of_edge(use.tensor.node) if use.node.op in _MERGES else order.unmerged[use.node.name]
        if maker.name in order.conditional and not direct & bit:
            raise FreezeError(f"{self._reads(use)} after {quoted(maker.name)} has changed it under a condition")

    def is_conditional(self, node: MutableNode) -> bool:
        """Does a node run in some runs of the graph only, or several times?"""
        return node.name in self._order.conditional

    def tensor(self, use: Use) -> TensorName:
        """The tensor that a node has to use in place of the one that it does."""
        if use.source not in self._makers:
            return use.tensor
        version = self.seen(use)
        producer = use.tensor.node
        while producer != use.source and producer not in self._bits:
            if self.seen(self._uses[producer, use.source]) == version:
                return use.tensor  # passed on, and nothing has changed on the way
            node = self._body.nodes[producer]
            if node.op not in _PLAIN:
                raise FreezeError(f"{self._reads(use)} after it has been changed outside of a loop or branch")
            producer = node.inputs[use.tensor.port if node.op == "IdentityN" else 0].node
        return use.tensor if producer == version else TensorName(version)

    def _reads(self, use: Use) -> str:
        return f"{self._body.describe(use.node)} reads the variable {quoted(use.source)}"


class _Order:
    """What runs before what: for every node, as bits, the makers that come before it.

    unmerged      those with a path that goes through no Merge: if they do not run, neither does the node
    conditional   nodes that not every run of the graph reaches
    """

    def __init__(self, body: MutableGraph, bits: dict[str, int]) -> None:
        self.before: dict[str, int] = dict.fromkeys(body.nodes, 0)
        self.unmerged: dict[str, int] = dict.fromkeys(body.nodes, 0)
        self.conditional: set[str] = set()
        self._bits = bits
        order = list(_topological(body))
        while self._pass(order, body):  # once more for every loop inside of a loop
            pass

    def of_edge(self, producer: str) -> int:
        return self.before.get(producer, 0) | self._bits.get(producer, 0)

    def _pass(self, order: list[MutableNode], body: MutableGraph) -> bool:
        changed = False
        for node in order:
            before = unmerged = 0
            conditional = node.op in _SWITCHES
            for name in _predecessors(node):
                if name in body.nodes:
                    bit = self._bits.get(name, 0)
                    before |= self.before[name] | bit
                    unmerged |= self.unmerged[name] | bit
                    conditional = conditional or name in self.conditional
            if node.op in _MERGES:
                unmerged = 0
            changed = changed or before != self.before[node.name] or unmerged != self.unmerged[node.name]
            self.before[node.name], self.unmerged[node.name] = before, unmerged
            if conditional:
                self.conditional.add(node.name)
        return changed


def _predecessors(node: MutableNode) -> Iterator[str]:
    for tensor in node.inputs:
        yield tensor.node
    yield from node.controls


def _topological(body: MutableGraph) -> Iterator[MutableNode]:
    """All nodes, producers first; edges that lead back to the head of a loop do not count."""
    waiting = {}
    users: dict[str, list[MutableNode]] = {}
    for node in body.nodes.values():
        needed = {name for name in _predecessors(node) if name in body.nodes and body.nodes[name].op not in _BACK}
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
        raise FreezeError(f"{body.describe(stuck)} is in a cycle that is no loop")
