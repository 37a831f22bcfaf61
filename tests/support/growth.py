"""Measure the worst cases of memory and time.

    python -m tests.support.growth memory|time|text|graphs|proto

`memory` measures bytes held per byte of input for shapes of input that are chosen to be expensive; `time` by which
power of the input's size time grows, for shapes where that might be more than 1; `text` the same for huge texts;
`proto` the same for statements of .proto files; `graphs` lists the functions whose work grows faster than the graph, of
all in tests/hostile. `python -m fuzz` searches for further shapes at random.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time
import tracemalloc
from collections.abc import Callable

from pbwire import DecodeError, Message
from tests.hostile import proto_statements
from tests.support import huge_text
from tfmodel import messages
from tfmodel.cli.runner import run_quietly

__all__ = ["SHAPES", "memory_per_byte"]

SHAPES: dict[str, tuple[type[Message], bytes]] = {
    "empty nodes": (messages.GraphDef, b"\x0a\x00" * 10_000),
    "empty functions": (messages.FunctionDefLibrary, b"\x0a\x00" * 10_000),
    "empty saved objects": (messages.SavedObjectGraph, b"\x0a\x00" * 10_000),
    "empty tensors": (messages.AttrValue.ListValue, b"\x42\x00" * 10_000),
    "empty op definitions": (messages.OpList, b"\x0a\x00" * 10_000),
    "empty step statistics": (messages.DeviceStepStats, b"\x12\x00" * 10_000),
    "empty graphs": (messages.RunMetadata, b"\x1a\x00" * 10_000),
    "empty meta graphs": (messages.SavedModel, b"\x12\x00" * 10_000),
    "empty virtual devices": (messages.ConfigProto, b"\x62\x00" * 10_000),
    "empty strings": (messages.NodeDef, b"\x1a\x00" * 10_000),
    "short strings": (messages.NodeDef, b"\x1a\x02ab" * 5_000),
    "unknown fields of two bytes, a known one between": (messages.NodeDef, b"\x78\x01\x0a\x00" * 5_000),
    "map entries": (
        messages.NodeDef,
        b"".join(b"\x2a\x06\x0a\x04" + b"%04x" % i for i in range(5_000)),
    ),
    "packed numbers of two bytes": (messages.TensorProto, b"\x52\xa0\x9c\x01" + b"\xac\x02" * 10_000),
    "unpacked numbers": (messages.TensorProto, b"\x50\x01" * 10_000),
    "nested lists": (messages.FullTypeDef, b"\x12\x02\x12\x00" * 5_000),
}


def memory_per_byte(cls: type[Message], data: bytes, *, lazy: bool = False) -> float:
    """Return the peak of bytes while decoding `data`, divided by its size."""
    cls.from_bytes(data, lazy=lazy)  # compiles the generated functions
    tracemalloc.start()
    try:
        message = cls.from_bytes(data, lazy=lazy)
        peak = tracemalloc.get_traced_memory()[1]
        del message
    finally:
        tracemalloc.stop()
    return peak / len(data)


def memory() -> str:
    lines = [
        f"{memory_per_byte(cls, data):6.0f} {memory_per_byte(cls, data, lazy=True):6.0f}  {name} ({cls.__name__})"
        for name, (cls, data) in SHAPES.items()
    ]
    return "\n".join(["bytes held per byte of input", " eager   lazy", *lines])


def _length(size: int) -> bytes:
    return bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14 & 127 | 128, size >> 21])


GROWING: dict[str, tuple[type[Message], Callable[[int], bytes]]] = {
    "many nodes, the last one cut off": (messages.GraphDef, lambda n: b"\x0a\x02\x0a\x00" * n + b"\x0a\x05"),
    "one field many times, merged": (messages.AttrValue, lambda n: b"\x3a\x02\x18\x01" * n),
    "the same with maps": (messages.AttrValue, lambda n: b"\x52\x08\x12\x06\x0a\x04abcd" * n),
    "two members of a oneof in turn": (messages.AttrValue, lambda n: b"\x3a\x02\x18\x01\x18\x01" * n),
    "unknown and known fields in turn": (messages.NodeDef, lambda n: b"\x78\x01\x0a\x00" * n),
    "strange map entries": (messages.NodeDef, lambda n: b"\x2a\x02\x18\x01\x0a\x00" * n),
    "an overlong number in a long list": (messages.TensorProto, lambda n: b"\x3a" + _length(4 * n) + b"\xff" * 4 * n),
    "unknown groups": (messages.NodeDef, lambda n: b"\x7b\x7c" * n),
    "small messages": (messages.FullTypeDef, lambda n: b"\x12\x02\x12\x00" * n),
}


def seconds(cls: type[Message], data: bytes, lazy: bool) -> float:
    """Return the best time of decoding, encoding and printing `data`, valid or not."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        with contextlib.suppress(DecodeError):
            repr(cls.from_bytes(data, lazy=lazy).to_bytes(deterministic=True))
        times.append(time.perf_counter() - start)
    return min(times)


def growth() -> str:
    lines = ["exponent (1 is linear) of the time that reading and writing takes", " eager   lazy"]
    for name, (cls, make) in GROWING.items():
        sizes = 16_000, 64_000
        small, large = (make(size) for size in sizes)
        exponents = [
            math.log(seconds(cls, large, lazy) / seconds(cls, small, lazy)) / math.log(len(large) / len(small))
            for lazy in (False, True)
        ]
        lines.append(f"{exponents[0]:6.2f} {exponents[1]:6.2f}  {name}")
    return "\n".join(lines)


def graphs() -> str:
    """Measure all functions on all graphs of tests/hostile/test_graph_time.py, which tests some of these pairs."""
    from tests.hostile.graph_actions import ACTIONS, exponent_of
    from tests.hostile.large import MAKERS

    lines = ["exponent of the work, where it is more than 1.2"]
    for name, make in MAKERS.items():
        models = make(100), make(400)
        for action in ACTIONS:
            exponent = exponent_of(ACTIONS[action], *models)
            if exponent > 1.2:
                lines.append(f"{exponent:6.2f}  {action}: {name}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    measures = {
        "memory": memory,
        "time": growth,
        "text": huge_text.growth,
        "graphs": graphs,
        "proto": proto_statements.growth,
    }
    parser.add_argument("what", choices=measures)
    print(measures[parser.parse_args().what]())


if __name__ == "__main__":
    sys.exit(run_quietly(main))
