"""Whether a reference is spelled right and leads to something, in a graph and in the body of a function."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..errors import GraphError
from ..names import TensorName
from .index import GraphIndex
from .ports import Outputs
from .wording import describe, guess, quoted

__all__ = ["Grammar", "Problem"]

_MOST_GUESSES = 5  # to look for a name like another one takes long in a large graph


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
        self._guesses = 0

    def problem(self, text: str, what: str = "its input ", *, control: bool = True) -> Problem | None:
        """What is wrong with a reference, which is called `what`; None if nothing is."""
        spelled = f"{what}{quoted(text)}"
        try:
            tensor = TensorName.parse(text)
        except GraphError:
            hint = ": a control input has no port" if text[:1] == "^" and ":" in text else ""
            return Problem("reference", f"{spelled} is no reference to a node or a tensor{hint}")
        if tensor.is_control and not control:
            return Problem("reference", f"{spelled} is no tensor")
        if tensor.node in self._arguments:
            return None if tensor.port <= 0 and not tensor.output else Problem("port", f"{spelled} is an argument")
        node = self._index.get(tensor.node)
        if node is None:
            return Problem("missing", f"{spelled}: there is no node {quoted(tensor.node)}{self._guess(tensor.node)}")
        if tensor.is_control:
            return None
        if bool(tensor.output) != self._in_body:
            hint = f'"{node.name}:output:0", with what its op calls it' if self._in_body else f'"{node.name}:0"'
            return Problem("reference", f"{spelled} is spelled otherwise {self._place()}: as {hint}")
        return self._port_problem(tensor, spelled)

    def _place(self) -> str:
        return "in the body of a function" if self._in_body else "in a graph"

    def _port_problem(self, tensor: TensorName, spelled: str) -> Problem | None:
        node = self._index[tensor.node]
        outputs = self._outputs.of(node)
        if outputs is None:
            return None
        if tensor.output and tensor.output not in dict(outputs):
            known = ", ".join(name for name, _ in outputs) or "none"
            return Problem("port", f"{spelled}: {describe(node)} has no such output: it has {known}")
        count = dict(outputs)[tensor.output] if tensor.output else sum(count for _, count in outputs)
        if tensor.port < count:
            return None
        has = f"has {count:,} {'output' if count == 1 else 'outputs'}" if count else "has no output"
        return Problem("port", f"{spelled}: {describe(node)} {has}{' of that name' if tensor.output else ''}")

    def _guess(self, name: str) -> str:
        self._guesses += 1
        return guess(name, [*self._arguments, *self._index.positions]) if self._guesses <= _MOST_GUESSES else ""
