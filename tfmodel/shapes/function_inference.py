"""Functions of the library: their bodies are inferred for the arguments that they are called with.

What was inferred once is not again for the same arguments. Functions call functions: how deep, and how many nodes are
looked at in all, is bounded, so that a few functions that call each other twice do not take forever. Beyond that,
outputs are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..graph import Functions, GraphIndex
from ..messages import FunctionDef, OpDef
from ..ops import Registry
from ..ops.partial_tensors import UNKNOWN, Tensor

if TYPE_CHECKING:
    from .inference import Inference

__all__ = ["Library"]

_DEEPEST = 40
_MOST_TIMES = 20  # that each function is inferred on average
_ALWAYS = 10_000  # nodes that are always looked at


class Library:
    """What all bodies of a graph share. `inference` is the class that makes the bodies."""

    def __init__(
        self,
        functions: Functions,
        ops: Registry,
        producer: int,
        trust_output_shapes: bool,
        inference: type[Inference],
    ) -> None:
        self.functions = functions
        self.ops = ops
        self.producer = producer
        self.trust_output_shapes = trust_output_shapes
        self._inference = inference
        self._done: dict[tuple[str, tuple[Tensor, ...]], tuple[Sequence[Tensor], Inference | None]] = {}
        self._indexes: dict[str, GraphIndex] = {}
        self._depth = 0
        self._left = _ALWAYS + _MOST_TIMES * sum(len(function.node_def) for function in functions.values())

    def run(self, name: str, arguments: list[Tensor]) -> tuple[Sequence[Tensor], Inference | None]:
        """The outputs of a function, and what is known of its nodes: nothing, if there is no such function."""
        key = name, tuple(arguments)
        if key in self._done:
            return self._done[key]
        function = self.functions.get(name)
        if function is None or function.signature is None or self._depth >= _DEEPEST or self._left <= 0:
            return (), None
        self._done[key] = (), None  # what a function that calls itself finds
        self._depth += 1
        self._left -= len(function.node_def) + 1
        try:
            self._done[key] = self._inferred(name, function, arguments)
        finally:
            self._depth -= 1
        return self._done[key]

    def _inferred(self, name: str, function: FunctionDef, arguments: list[Tensor]) -> tuple[Sequence[Tensor], Any]:
        index = self._indexes.get(name)
        if index is None:
            index = self._indexes[name] = GraphIndex(function, self.functions)
        signature: Any = function.signature
        fits = len(arguments) == len(index.arguments) and not _has_lists(signature.input_arg)
        named = {each: [tensor] for each, tensor in zip(index.arguments, arguments, strict=True)} if fits else {}
        body = self._inference(index, self, named)
        body.run()
        if _has_lists(signature.output_arg):
            return (), body
        results = [function.ret.get(output.name) for output in signature.output_arg]
        return [UNKNOWN if result is None else body.tensor(result) for result in results], body


def _has_lists(arguments: Iterable[OpDef.ArgDef]) -> bool:
    """Whether some argument or result is a list of tensors, of which attributes of the call say how many there are."""
    return any(each.number_attr or each.type_list_attr for each in arguments)
