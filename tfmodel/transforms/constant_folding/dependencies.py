"""The part of a graph that outputs need, and the orders in which it is gone through.

    wiring = Wiring(graph, inputs=[TensorName("x")], outputs=[TensorName("y")])
    wiring.tensors[5]            # [(3, 0), (0, 0)]: the node at 5 takes output 0 of the nodes at 3 and at 0
    wiring.controls[5]           # [2]: it waits for the node at 2
    wiring.producers_first       # [2, 3, 5]

Nobody looks behind the nodes that are fed.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import chain

from ...graph import UNKNOWN, GraphIndex, check_graph, raise_faults
from ...messages import GraphDef
from ...names import TensorName, has_port, is_control_input

__all__ = ["Output", "Wiring"]

Output = tuple[int, int]
"""A tensor: the position of a node, and which of its outputs."""


class Wiring:
    """What the nodes that outputs need take and wait for, by position.

    fed        the positions of the nodes that are fed: what they take is nobody's concern
    outputs    the declared outputs; the port is that of a control input for a node that only has to run
    tensors    of each node that is needed, the tensors that it takes
    controls   of each node that is needed, the nodes that it waits for besides, in the order of `name_in_run`
    """

    def __init__(self, graph: GraphDef, inputs: Iterable[TensorName], outputs: Iterable[TensorName]) -> None:
        self.graph = graph
        self.index = index = GraphIndex(graph)
        self.fed = frozenset(index.position(tensor.node) for tensor in inputs)
        self.outputs: list[Output] = [(index.position(tensor.node), tensor.port) for tensor in outputs]
        self.tensors: dict[int, list[Output]] = {}
        self.controls: dict[int, list[int]] = {}
        self._ports: dict[str, int] = {}
        self._spelled: dict[Output, str] = {}
        queue = [position for position, _ in self.outputs]
        while queue:
            position = queue.pop()
            if position not in self.tensors and position not in self.fed:
                self._read(position)
                queue += self.sources(position)

    def _read(self, position: int) -> None:
        index = self.index
        node, sources = index.nodes[position], index.sources[position]
        if UNKNOWN in sources:
            index.producers(node.name)  # raises the error that tells which
        tensors, controls = [], []
        for text, source in zip(node.input, sources, strict=True):
            if is_control_input(text):
                controls.append(source)
            else:
                tensors.append((source, self._port(text) if has_port(text) else 0))
        self.tensors[position] = tensors
        self.controls[position] = sorted(dict.fromkeys(controls), key=self.name_in_run)

    def _port(self, text: str) -> int:
        port = self._ports.get(text)
        if port is None:
            port = self._ports[text] = TensorName.parse(text).port
        return port

    def sources(self, position: int) -> list[int]:
        """The nodes that a node takes tensors from or waits for."""
        return [source for source, _ in self.tensors[position]] + self.controls[position]

    def name_in_run(self, position: int) -> str:
        """What the original calls a node when it puts nodes in order: what feeds an input has a name of its own."""
        name = self.index.nodes[position].name
        return f"_recv_{name}_0" if position in self.fed else name

    def spelled(self, position: int, port: int) -> str:
        """A reference to a tensor of a node, or as a control input: one string, however many have it."""
        text = self._spelled.get((position, port))
        if text is None:
            text = self._spelled[position, port] = str(TensorName(self.index.nodes[position].name, port))
        return text

    @cached_property
    def users(self) -> Counter[int]:
        """How often the tensors of each node are taken: by nodes, and as outputs."""
        users = Counter(source for tensors in self.tensors.values() for source, _ in tensors)
        users.update(position for position, _ in self.outputs)
        return users

    @cached_property
    def taken(self) -> frozenset[Output]:
        """All tensors that nodes take, and the outputs."""
        return frozenset(chain(*self.tensors.values(), self.outputs))

    @cached_property
    def producers_first(self) -> list[int]:
        """The nodes that are needed, in the order of the original: depth first, by name.

        In a loop, a node comes before the one of those that it takes tensors from which it was found through.
        """
        names = [f"_send_{self.index.nodes[position].name}_{port}" for position, port in self.outputs]
        stack = [position for _, (position, _) in sorted(zip(names, self.outputs, strict=True))]
        found: set[int] = set()
        order = []
        while stack:
            position = stack.pop()
            if position < 0:
                order.append(~position)
            elif position not in found and position not in self.fed:
                found.add(position)
                stack.append(~position)
                sources = [source for source in self.sources(position) if source not in found]
                stack += sorted(sources, key=self.name_in_run)
        return order

    @cached_property
    def ranks(self) -> dict[int, int]:
        """When the original reads each node of the graph: always the first one of which all inputs have been read.

        Raises GraphError if nodes that are needed wait for each other.
        """
        targets = self.index.forward_targets
        pending = [0] * len(self.index)
        for led in targets:
            for target in led:
                pending[target] += 1
        ready = [position for position, count in enumerate(pending) if not count]
        ranks: dict[int, int] = {}
        while ready:
            position = heapq.heappop(ready)
            ranks[position] = len(ranks)
            for target in targets[position]:
                pending[target] -= 1
                if not pending[target]:
                    heapq.heappush(ready, target)
        if not ranks.keys() >= self.tensors.keys():
            raise_faults(check_graph(self.graph, colocation=False, library=False))
        return ranks
