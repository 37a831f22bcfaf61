"""Whether a reference is spelled right and leads to something, in a graph and in the body of a function."""

from __future__ import annotations

from itertools import chain
from typing import Literal, NamedTuple

from ..errors import GraphError
from ..messages import NodeDef
from ..names import TensorName
from ..printable import printable
from .index import GraphIndex
from .ports import Outputs
from .wording import Guesses, describe, quoted

__all__ = ["Grammar", "Problem"]


class Problem(NamedTuple):
    """What is wrong with a reference: the kind of fault, and a phrase."""

    kind: Literal["reference", "missing", "port"]
    text: str


class Grammar:
    """References as the nodes of a graph, or of a function, may spell them."""

    def __init__(self, index: GraphIndex, outputs: Outputs) -> None:
        self._index = index
        self._outputs = outputs
        self._arguments = frozenset(index.arguments)
        self._in_body = index.in_body
        self._guess = Guesses()

    def problem(self, text: str, what: str = "its input ", *, control: bool = True) -> Problem | None:
        """What is wrong with a reference, which is called `what`; None if nothing is."""
        try:
            tensor = TensorName.parse(text)
        except GraphError:
            hint = ": a control input has no port" if text[:1] == "^" and ":" in text else ""
            problem: Problem | None = Problem("reference", f" is no reference to a node or a tensor{hint}")
        else:
            problem = self._problem(tensor, control)
        return Problem(problem.kind, f"{what}{quoted(text)}{problem.text}") if problem is not None else None

    def _problem(self, tensor: TensorName, control: bool) -> Problem | None:
        if tensor.is_control and not control:
            return Problem("reference", " is no tensor")
        if tensor.node in self._arguments:
            return None if tensor.port <= 0 and not tensor.output else Problem("port", " is an argument")
        node = self._index.get(tensor.node)
        if node is None:
            return Problem("missing", f": there is no node {quoted(tensor.node)}{self._hint(tensor.node)}")
        if tensor.is_control:
            return None
        if bool(tensor.output) != self._in_body:
            return Problem("reference", f" is spelled otherwise {self._spelling(node.name)}")
        return self._port_problem(tensor, node)

    def _spelling(self, name: str) -> str:
        if self._in_body:
            return f"in the body of a function: as {quoted(f'{name}:output:0')}, with what its op calls it"
        return f"in a graph: as {quoted(f'{name}:0')}"

    def _port_problem(self, tensor: TensorName, node: NodeDef) -> Problem | None:
        outputs = self._outputs.of(node)
        if outputs is None:
            return None
        counts = dict(outputs)
        if tensor.output and tensor.output not in counts:
            known = ", ".join(map(printable, counts)) or "none"
            return Problem("port", f": {describe(node)} has no such output: it has {known}")
        count = counts[tensor.output] if tensor.output else sum(counts.values())
        if tensor.port < count:
            return None
        has = f"has {count:,} {'output' if count == 1 else 'outputs'}" if count else "has no output"
        return Problem("port", f": {describe(node)} {has}{' of that name' if tensor.output else ''}")

    def _hint(self, name: str) -> str:
        return self._guess(name, chain(self._arguments, self._index.positions))
