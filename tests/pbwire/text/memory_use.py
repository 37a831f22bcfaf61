"""Measure the memory of text: `python -m tests.pbwire.text.memory_use CASE HOW`.

HOW is "eager" or "lazy" to print such a message, "str" or "bytes" to parse its text.

Each case has its own process, since memory that was in use before would be reused. The output is the peak growth of
the resident set, and the length of the text. Python without the GIL has another allocator, which copies blocks that
grow and keeps what was freed: the resident set grows by 0 to 170 MB for a value of 25 MB that is read with 28 MB. So
there the growth is that of the memory that Python allocated.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from pbwire import text
from tests.support.wire_bytes import ld
from tfmodel.messages import AttrValue, GraphDef, MetaGraphDef, NodeDef, TensorProto

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
IS_FREE_THREADED = "free-threading" in sys.version


def constant(field: int, payload: bytes) -> bytes:
    """A graph of one node with a tensor that has that field."""
    tensor = ld(8, ld(field, payload))
    return ld(2, ld(1, ld(1, b"weights") + ld(5, ld(1, b"value") + ld(2, tensor))))


def nodes() -> bytes:
    node = NodeDef(name="a node", op="Op", input=["another"], attr={"T": AttrValue(i=1)}).to_bytes()
    return ld(2, ld(1, node) * 120_000)


def strings() -> bytes:
    tensor = ld(8, b"a name") * 1_000_000
    return ld(2, ld(1, ld(5, ld(1, b"value") + ld(2, ld(8, tensor)))))


CASES: dict[str, Callable[[], bytes]] = {
    "120,000 nodes": nodes,
    "25 MB": lambda: constant(4, bytes(25_000_000)),
    "a million floats": lambda: constant(5, b"\x00\x00\x00\x3f" * 1_000_000),
    "a million integers": lambda: constant(10, b"\x80\x80\x01" * 1_000_000),
    "a million strings": strings,
}


def main(case: str, how: str) -> None:
    size = 0

    def write(piece: str) -> None:
        nonlocal size
        size += len(piece)

    small = TensorProto(tensor_content=b"\0" * 100_000, float_val=[0.5], int64_val=[1], string_val=[b"a"])
    node = NodeDef(name="a", input=["b"], attr={"value": AttrValue(tensor=small), "i": AttrValue(i=1)})
    warm = MetaGraphDef(graph_def=GraphDef(node=[node])).to_bytes()
    message = MetaGraphDef.from_bytes(CASES[case](), lazy=how == "lazy")
    if how in ("str", "bytes"):
        read(text.dumps(message), text.dumps(MetaGraphDef.from_bytes(warm)), how)
        return
    for lazy in (False, True):
        text.dump(MetaGraphDef.from_bytes(warm, lazy=lazy), write)  # compiles what is needed

    size = 0
    peak = peak_growth(lambda: text.dump(message, write))
    print(peak, size)


def read(document: str, warm: str, how: str) -> None:
    source = document.encode() if how == "bytes" else document
    size = len(document)
    del document
    text.loads(warm, MetaGraphDef)
    messages: list[MetaGraphDef] = []
    print(peak_growth(lambda: messages.append(text.loads(source, MetaGraphDef))), size)
    assert messages[0].graph_def


def peak_growth(work: Callable[[], None]) -> int:
    """Return how many bytes more are in use at the peak of `work` than before."""
    if IS_FREE_THREADED:
        tracemalloc.start()
        work()
        return tracemalloc.get_traced_memory()[1]
    RESET.write_text("5")
    before = resident("VmRSS")
    work()
    return resident("VmHWM") - before


def resident(name: str) -> int:
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(lines[name].split()[0]) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
