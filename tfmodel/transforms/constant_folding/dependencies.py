"""The part of a graph that the outputs need, and its traversal orders.

    dependencies = Dependencies(graph, inputs=[TensorName("x")], outputs=[TensorName("y")])
    dependencies.tensors[5]            # [(3, 0), (0, 0)]: the node at 5 takes output 0 of the nodes at 3 and at 0
    dependencies.controls[5]           # [2]: it has a control input from the node at 2
    dependencies.producers_first       # [2, 3, 5]

The search stops at nodes that are fed.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import chain

from ...graph import UNKNOWN, GraphIndex, check_graph, raise_faults
from ...messages import GraphDef
from ...values.names import TensorName, has_port, is_control_input

Output = tuple[int, int]
"""A tensor: the position of a node and the number of its output."""


class Dependencies:
    """The inputs of the nodes that the outputs need, by position.

    fed        the positions of the nodes that are fed; their inputs are not included
    outputs    the declared outputs; the port is CONTROL for a node that only has to run
    tensors    the data inputs of each needed node
    controls   the sources of control inputs of each needed node, in the order of `name_in_run`
    """

    def __init__(self, graph: GraphDef, inputs: Iterable[TensorName], outputs: Iterable[TensorName]) -> None:
        self.graph = graph
        self.index = index = GraphIndex(graph)
        self.fed = frozenset(index.position(tensor.node) for tensor in inputs)
        self.outputs: list[Output] = [(index.position(tensor.node), tensor.port) for tensor in outputs]
        self.tensors: dict[int, list[Output]] = {}
        self.controls: dict[int, list[int]] = {}
        self._ports: dict[str, int] = {}
        self._references: dict[Output, str] = {}
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
            index.producers(node.name)  # raises the error that names the input
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
        """Return the sources of all inputs of a node."""
        return [source for source, _ in self.tensors[position]] + self.controls[position]

    def name_in_run(self, position: int) -> str:
        """Return the name by which the original sorts a node: for a fed node, that of the node that feeds it."""
        name = self.index.nodes[position].name
        return f"_recv_{name}_0" if position in self.fed else name

    def reference(self, position: int, port: int) -> str:
        """Return a reference to an output of a node, or a control input from it; equal references share one string."""
        text = self._references.get((position, port))
        if text is None:
            text = self._references[position, port] = str(TensorName(self.index.nodes[position].name, port))
        return text

    @cached_property
    def users(self) -> Counter[int]:
        """The number of uses of each node's tensors: by nodes, and as declared outputs."""
        users = Counter(source for tensors in self.tensors.values() for source, _ in tensors)
        users.update(position for position, _ in self.outputs)
        return users

    @cached_property
    def taken(self) -> frozenset[Output]:
        """All tensors that nodes take, and the declared outputs."""
        return frozenset(chain(*self.tensors.values(), self.outputs))

    @cached_property
    def producers_first(self) -> list[int]:
        """The needed nodes in the order of the original: depth first, by name.

        In a loop, a node comes before the consumer through which it was reached.
        """
        names = [f"_send_{self.index.nodes[position].name}_{port}" for position, port in self.outputs]
        stack = [position for _, (position, _) in sorted(zip(names, self.outputs, strict=True))]
        visited: set[int] = set()
        order = []
        while stack:
            position = stack.pop()
            if position < 0:
                order.append(~position)
            elif position not in visited and position not in self.fed:
                visited.add(position)
                stack.append(~position)
                sources = [source for source in self.sources(position) if source not in visited]
                stack += sorted(sources, key=self.name_in_run)
        return order

    @cached_property
    def ranks(self) -> dict[int, int]:
        """The rank of each node in the order in which the original visits nodes.

        The next node is always the first one in the graph whose inputs have all been visited. Raises GraphError if
        needed nodes form a cycle.
        """
        targets = self.index.forward_targets
        pending = [0] * len(self.index)
        for consumers in targets:
            for target in consumers:
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
