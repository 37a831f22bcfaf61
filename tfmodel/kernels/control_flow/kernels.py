"""Kernels of conditionals, loops and calls, which call functions of the library; and of Print, Assert and Timestamp.

    PartitionedCall(x, f=f)                  f(x)
    If(condition, x, then_branch=f, ...)     f(x) or g(x)
    While(x, cond=p, body=f)                 x = f(x) as long as p(x)
    Print(x, [a, b], message="m:")           m:[1.5 2.25...][3]

Messages are those of TensorFlow: calibration reads the ranges of a quantized model from the lines of Print.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import NameAttrList, NodeDef
from ...values.terminal import escape
from ..runtime.argument_checks import check, read_scalar
from ..runtime.registry import Runtime, Tensor, kernel
from ..string.formatting import claim_words, summary


@kernel("PartitionedCall", "StatefulPartitionedCall", "RemoteCall", "BatchFunction")
def call(*inputs: Any, f: NameAttrList, runtime: Runtime) -> list[Any]:
    return runtime.call(f, inputs)


@kernel("If", "StatelessIf")
def if_(
    condition: Tensor, *inputs: Any, then_branch: NameAttrList, else_branch: NameAttrList, runtime: Runtime
) -> list[Any]:
    return runtime.call(then_branch if is_true(condition) else else_branch, inputs)


@kernel("Case", "StatelessCase")
def case(branch_index: Tensor, *inputs: Any, branches: list[NameAttrList], runtime: Runtime) -> list[Any]:
    index = int(_read_scalar(branch_index))
    if not 0 <= index < len(branches):
        index = len(branches) - 1  # the default branch
    return runtime.call(branches[index], inputs)


@kernel("While", "StatelessWhile")
def while_(*inputs: Any, cond: NameAttrList, body: NameAttrList, runtime: Runtime) -> list[Any]:
    state = list(inputs)
    while is_true(runtime.call(cond, state)[0]):
        state = runtime.call(body, state)
        if len(state) != len(inputs):
            raise RunError(f"the body takes {len(inputs)} tensors and returns {len(state)}")
    return state


@kernel("For")
def for_(start: Tensor, limit: Tensor, delta: Tensor, *inputs: Any, body: NameAttrList, runtime: Runtime) -> list[Any]:
    state = list(inputs)
    for step in _steps(int(_read_scalar(start)), int(_read_scalar(limit)), int(_read_scalar(delta))):
        state = runtime.call(body, [np.int32(step), *state])
    return state


@kernel("ToBool")
def to_bool(value: Tensor) -> Tensor:
    return np.asarray(is_true(value))


@kernel("FakeParam")
def fake_param(*, shape: tuple[int | None, ...] | None) -> Tensor:
    """Return a placeholder for an output that only the other branch computes; it is never used."""
    return np.zeros([0 if size is None else size for size in shape or (0,)])


@kernel("LoopCond")
def loop_cond(condition: Tensor) -> Tensor:
    """Return the condition of a loop of TensorFlow 1. The interpreter runs the other ops of these loops."""
    return condition


def is_true(value: Tensor) -> bool:
    """Return the truth of a condition: strings and arrays are true if not empty, numbers if not zero."""
    array = np.asarray(value)
    if array.ndim:
        return array.size > 0
    return bool(array.item())


def _read_scalar(value: Tensor) -> Any:
    array = np.asarray(value)
    if array.ndim:
        raise RunError(f"expected a scalar, got shape {list(array.shape)}")
    return array.item()


def _steps(start: int, limit: int, delta: int) -> Iterator[int]:
    if delta == 0 or (delta > 0) != (limit >= start):
        raise RunError(f"a loop from {start} to {limit} with steps of {delta} never ends")
    return iter(range(start, limit, delta))


@kernel("NoOp", "ControlTrigger")
def no_op() -> tuple[()]:
    return ()


@kernel("Print")
def print_(
    node: NodeDef, x: Tensor, *data: Tensor, message: bytes, first_n: int, summarize: int, runtime: Runtime
) -> Tensor:
    if first_n >= 0:
        counter = runtime.resource(("printed", node.name), itertools.count)
        if next(counter) >= first_n:
            return x
    runtime.log(message.decode("utf-8", "replace") + "".join(f"[{summary(tensor, summarize)}]" for tensor in data))
    return x


_STREAMS = {b"stderr", b"stdout", b"log(info)", b"log(warning)", b"log(error)"}


@kernel("PrintV2")
def print_v2(x: Tensor, *, output_stream: bytes, end: bytes, runtime: Runtime) -> tuple[()]:
    """Log a line, for any standard stream. Files are not supported."""
    name = escape(output_stream.decode("latin-1"))
    check(output_stream in _STREAMS, f'output_stream must be a standard stream, not "{name}"')
    text = (read_scalar(x, "input") + end).decode("utf-8", "replace")
    runtime.log(text.removesuffix("\n"))
    return ()


@kernel("Timestamp")
def timestamp() -> Tensor:
    """Return the seconds since 1970."""
    return np.array(time.time())


@kernel("Assert")
def assert_(condition: Tensor, *data: Tensor, summarize: int) -> tuple[()]:
    if not read_scalar(condition, "condition"):
        raise RunError("assertion failed: " + " ".join(_assertion_values(tensor, summarize) for tensor in data))
    return ()


def _assertion_values(tensor: Tensor, max_count: int) -> str:
    claim_words(tensor, min(max_count, tensor.size) if max_count > 0 else tensor.size)
    values = tensor.reshape(-1)[: max(max_count, 0) or None].tolist()
    words = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values]
    omitted = "..." if len(values) < tensor.size else ""
    return f"[{escape(' '.join(words))}{omitted}]"
