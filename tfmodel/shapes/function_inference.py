"""Infer the bodies of functions for the arguments that they are called with.

The result for the same arguments is cached. The depth of calls and the number of visited nodes are limited, so that a
few functions that call each other twice do not take forever. Beyond the limits, outputs are unknown.
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

MAX_CALL_DEPTH = 40
"""The limit of nested calls."""

MAX_TIMES = 20
"""The limit of inferences per function, on average."""

MIN_NODE_LIMIT = 10_000
"""The number of nodes that may always be visited."""


class Library:
    """The functions of a graph, and the cache and the limits of their inference.

    `inference` is the class that infers a body.
    """

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
        self._results: dict[tuple[str, tuple[Tensor, ...]], tuple[Sequence[Tensor], Inference | None]] = {}
        self._indexes: dict[str, GraphIndex] = {}
        self._depth = 0
        self._left = MIN_NODE_LIMIT + MAX_TIMES * sum(len(function.node_def) for function in functions.values())

    def run(self, name: str, arguments: list[Tensor]) -> tuple[Sequence[Tensor], Inference | None]:
        """Return the outputs of a function, and the inference of its body.

        Empty and None for an unknown function, or beyond the limits.
        """
        key = name, tuple(arguments)
        if key in self._results:
            return self._results[key]
        function = self.functions.get(name)
        if function is None or function.signature is None or self._depth >= MAX_CALL_DEPTH or self._left <= 0:
            return (), None
        self._results[key] = (), None  # for calls of the function by itself
        self._depth += 1
        self._left -= len(function.node_def) + 1
        try:
            self._results[key] = self._inferred(name, function, arguments)
        finally:
            self._depth -= 1
        return self._results[key]

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
    """Return whether an argument or result is a list of tensors, whose length is an attribute of the call."""
    return any(each.number_attr or each.type_list_attr for each in arguments)
