"""Kernels of Print, PrintV2, Assert and Timestamp, with the messages of TensorFlow.

    Print(x, [a, b], message="m:")     m:[1.5 2.25...][3]

Calibration reads the ranges of a quantized model from such lines.
"""

from __future__ import annotations

import itertools
import time

import numpy as np

from ...errors import RunError
from ...io.terminal import escape
from ...messages import NodeDef
from ..runtime.argument_checks import check, read_scalar
from ..runtime.registry import Runtime, Tensor, kernel
from ..string.formatting import summary

__all__: list[str] = []


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
    values = tensor.reshape(-1)[: max(max_count, 0) or None].tolist()
    words = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values]
    omitted = "..." if len(values) < tensor.size else ""
    return f"[{escape(' '.join(words))}{omitted}]"
