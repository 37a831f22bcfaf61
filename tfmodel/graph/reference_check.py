"""Check references: which of the inputs of a node name a node, output or argument that exists, in the right order."""

from __future__ import annotations

from itertools import chain
from typing import Literal, NamedTuple

from ..errors import GraphError
from ..messages import NodeDef
from ..values.names import TensorName, has_port, is_control_input
from ..values.terminal import escape
from .error_text import Guesses, describe, quote
from .function_body import Outputs
from .index import GraphIndex


class Problem(NamedTuple):
    """The problem of a reference: the kind of fault, and a phrase that follows the reference."""

    kind: Literal["reference", "missing", "port"]
    text: str


class References:
    """The references that are valid in a graph, or in the body of a function."""

    def __init__(self, index: GraphIndex, outputs: Outputs) -> None:
        self._index = index
        self._outputs = outputs
        self._arguments = frozenset(index.arguments)
        self._in_body = index.in_body
        self._guess = Guesses()

    def problem(self, text: str, what: str = "its input ", *, control: bool = True) -> Problem | None:
        """Return the problem of a reference; None if it is valid.

        `what` is the beginning of the problem's text. With `control=False`, a control input is a problem.
        """
        try:
            tensor = TensorName.parse(text)
        except GraphError:
            hint = ": a control input has no port" if is_control_input(text) and has_port(text) else ""
            problem: Problem | None = Problem("reference", f" is not a reference to a node or a tensor{hint}")
        else:
            problem = self._problem(tensor, control)
        return Problem(problem.kind, f"{what}{quote(text)}{problem.text}") if problem is not None else None

    def _problem(self, tensor: TensorName, control: bool) -> Problem | None:
        if tensor.is_control and not control:
            return Problem("reference", " is not a tensor")
        if tensor.node in self._arguments:
            return None if tensor.port <= 0 and not tensor.output else Problem("port", " is an argument")
        node = self._index.get(tensor.node)
        if node is None:
            return Problem("missing", f": there is no node {quote(tensor.node)}{self._hint(tensor.node)}")
        if tensor.is_control:
            return None
        if bool(tensor.output) != self._in_body:
            return Problem("reference", f" is spelled differently {self._spelling(node.name)}")
        return self._port_problem(tensor, node)

    def _spelling(self, name: str) -> str:
        if self._in_body:
            return f"in the body of a function: as {quote(f'{name}:output:0')}, with the name of the output"
        return f"in a graph: as {quote(f'{name}:0')}"

    def _port_problem(self, tensor: TensorName, node: NodeDef) -> Problem | None:
        outputs = self._outputs.of(node)
        if outputs is None:
            return None
        counts = dict(outputs)
        if tensor.output and tensor.output not in counts:
            known = ", ".join(map(escape, counts)) or "none"
            return Problem("port", f": {describe(node)} has no such output: it has {known}")
        count = counts[tensor.output] if tensor.output else sum(counts.values())
        if tensor.port < count:
            return None
        has = f"has {count:,} {'output' if count == 1 else 'outputs'}" if count else "has no output"
        return Problem("port", f": {describe(node)} {has}{' of that name' if tensor.output else ''}")

    def _hint(self, name: str) -> str:
        return self._guess(name, chain(self._arguments, self._index.positions))
