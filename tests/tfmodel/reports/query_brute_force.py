"""A slow and plain evaluation of parsed queries, which `test_find` compares `find` with.

It tests every node by itself, and follows edges by trying all pairs of nodes.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from tfmodel.reports.query import Both, Chain, Comparison, Either, Near, Not, Path
from tfmodel.values.names import TensorName


class BruteForce:
    """The nodes of a graph, or of the function `function`."""

    def __init__(self, nodes, function=""):
        self.function = function
        self._kept = {}  # the nodes that were found, by the identity of the query
        self.nodes = {node.name: node for node in nodes}
        parsed = {node.name: [TensorName.parse(text) for text in node.input] for node in nodes}
        self.edges = {(name.node, taker) for taker, names in parsed.items() for name in names if name.node in parsed}
        self.data = {
            (name.node, taker)
            for taker, names in parsed.items()
            for name in names
            if name.node in parsed and not name.is_control
        }

    def find(self, query):
        if ("find", id(query)) not in self._kept:
            self._kept["find", id(query)] = {name for name in self.nodes if self.matches(query, name)}
        return self._kept["find", id(query)]

    def matches(self, query, name):
        match query:
            case Comparison():
                return self.test(query, self.nodes[name])
            case Not():
                return not self.matches(query.query, name)
            case Both():
                return all(self.matches(part, name) for part in query.queries)
            case Either():
                return any(self.matches(part, name) for part in query.queries)
            case Near():
                others = self.find(query.of)
                return any(
                    self.distance(*((name, other) if query.is_upstream else (other, name)))
                    <= (query.within or 10**9 - 1)
                    for other in others
                )
            case Path():
                starts, ends = self.find(query.start), self.find(query.end)
                return any(name == start or self.distance(start, name) < 10**9 for start in starts) and any(
                    name == end or self.distance(name, end) < 10**9 for end in ends
                )
            case Chain():
                if ("chains", id(query)) not in self._kept:
                    self._kept["chains", id(query)] = set().union(*self.chains(query))
                return name in self._kept["chains", id(query)]

    def chains(self, chain):
        chains = [(name,) for name in self.find(chain.steps[0])]
        for step in chain.steps[1:]:
            nodes = self.find(step)
            chains = [
                (*chain, taker)
                for chain in chains
                for giver, taker in self.data
                if giver == chain[-1] and taker in nodes
            ]
        return chains

    def distance(self, start, end):
        """The number of edges from one node to another, at least one; a billion if there is no way."""
        level, seen, count = {start}, set(), 0
        while level:
            count += 1
            level = {taker for giver, taker in self.edges if giver in level} - seen
            if end in level:
                return count
            seen |= level
        return 10**9

    def test(self, comparison, node):
        values = {
            "name": [node.name],
            "op": [node.op],
            "function": [self.function],
            "device": [node.device],
            "input": [TensorName.parse(text).node for text in node.input],
            "inputs": [sum(not TensorName.parse(text).is_control for text in node.input)],
            "controls": [sum(TensorName.parse(text).is_control for text in node.input)],
            "consumers": [
                sum(TensorName.parse(text).node == node.name for other in self.nodes.values() for text in other.input)
            ],
        }[comparison.field]
        text = comparison.value.text
        if comparison.operator == "part":
            return text.lower() in node.name.lower()
        if isinstance(next(iter(values), None), int):
            a, b = values[0], int(text)
            return {"=": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[comparison.operator]
        equal = any(fnmatchcase(value, part) for value in values for part in text.split("|"))
        return equal if comparison.operator == "=" else bool(values) and not equal
