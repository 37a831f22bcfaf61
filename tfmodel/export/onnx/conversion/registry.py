"""Converters by op: functions that write one node of TensorFlow as nodes of ONNX.

    @converter("Conv2D", "Conv3D")
    def convolution(call: Call) -> Value: ...

A converter returns the value of output 0, or a list with one value for each output. It raises `Refusal`, by
`call.refuse`, for what ONNX has no counterpart of. `beyond` lists ops that are always refused, with the reasons.
Converters are in the modules of `ops`, which are all imported when the first op is looked up.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from ....messages import NodeDef
    from .call import Call
    from .model import Value

Result: TypeAlias = "Value | Sequence[Value | None]"
Converter: TypeAlias = "Callable[[Call], Result]"
F = TypeVar("F", bound="Callable[..., object]")

_CONVERTERS: dict[str, Converter] = {}
_BEYOND: dict[str, Refusal] = {}


class Refusal(Exception):
    """A node that cannot become ONNX.

    hint     what to do instead; "" if nothing is known
    opset    the first opset that has what the node needs; 0 if none has
    """

    def __init__(self, reason: str, hint: str = "", opset: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.opset = opset


def converter(*ops: str) -> Callable[[F], F]:
    """Return a decorator that makes a function the converter of these ops. Raises ValueError if one has another."""

    def register(function: F) -> F:
        for op in ops:
            if op in _CONVERTERS:
                raise ValueError(f"{op} has two converters")
            _CONVERTERS[op] = function  # type: ignore[assignment]  # decorated functions take a Call
        return function

    return register


def beyond(reasons: Mapping[str, str], hint: str = "") -> None:
    """Note ops that no node can be converted of, with the reasons and what to do."""
    _BEYOND.update((op, Refusal(reason, hint)) for op, reason in reasons.items())


def find_converter(node: NodeDef) -> Converter:
    """Return the converter of a node. Raises Refusal if its op has none."""
    if (found := converters().get(node.op)) is not None:
        return found
    raise _BEYOND.get(node.op) or Refusal("no counterpart")


@cache
def converters() -> dict[str, Converter]:
    """Return all converters by op."""
    package = importlib.import_module(f"{__package__.rpartition('.')[0]}.ops")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return _CONVERTERS
