"""Many mutations of files, and the worst that input can do to memory: longer runs than the test suite has time for.

    python -m tests.soak mutations --count 100000 [--seed N] [FILE ...]
    python -m tests.soak memory
    python -m tests.soak time
    python -m tests.soak text --count 50000 [--seed N]

`mutations` damages files and reads them: nothing but DecodeError may come of it, with an offset inside the input, and
what is accepted must survive being written and read again. `memory` measures bytes held per byte of input for shapes
of input that are chosen to be expensive, and `time` by which power of the input's size time grows where that might be
more than the first. `text` does to texts what `mutations` does to files, has a part of them judged by protobuf too, and
then reads huge ones.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import random
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from pbwire import DecodeError, Message
from tests import huge_text
from tests.corpus import corpus_files
from tfmodel import messages

__all__ = ["SHAPES", "damaged", "memory_per_byte", "read_damaged"]

EXTREMES = [b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\x80\x80\x80\x80\x08", b"\x00", b"\x7f"]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """`data` with a few bytes flipped, inserted, deleted, repeated, or pushed to extremes, or cut off."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(changed) + 1)
        match rng.randrange(6):
            case 0:
                changed[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                changed[at:at] = rng.randbytes(rng.randrange(1, 4))
            case 2:
                del changed[at : at + rng.randrange(1, 9)]
            case 3:
                start = rng.randrange(len(changed) + 1)
                changed[at:at] = changed[start : start + rng.randrange(1, 40)]
            case 4:
                changed[at : at + 1] = rng.choice(EXTREMES)
            case 5 if rng.randrange(4) == 0:
                del changed[at:]
    return bytes(changed)


def read_damaged(cls: type[Message], data: bytes) -> bool:
    """Read `data`, eagerly and lazily; was it accepted? Raises AssertionError where a promise is broken."""
    try:
        message = cls.from_bytes(data)
    except DecodeError as error:
        assert error.offset is not None and 0 <= error.offset <= len(data), error
        assert "cannot be read" not in str(error), f"not explained: {error}"
        try:
            _ = repr(cls.from_bytes(data, lazy=True)), cls.from_bytes(data, lazy=True).to_bytes(deterministic=True)
        except DecodeError:
            return False
        raise AssertionError("lazy accepts what eager refuses") from error
    canonical = message.to_bytes(deterministic=True)
    assert cls.from_bytes(canonical).to_bytes(deterministic=True) == canonical
    assert cls.from_bytes(cls.from_bytes(data, lazy=True).to_bytes()).to_bytes(deterministic=True) is not None
    return True


def _pieces() -> Iterator[tuple[type[Message], bytes]]:
    """Messages of the corpus's files of a size that can be read many times a second."""
    for path in corpus_files(".meta", "saved_model.pb", "frozen.pb"):
        data = path.read_bytes()
        cls = {".meta": messages.MetaGraphDef, "saved_model.pb": messages.SavedModel}.get(path.name, messages.GraphDef)
        if path.suffix == ".meta":
            cls = messages.MetaGraphDef
        if len(data) < 20_000:
            yield cls, data
            continue
        graph = cls.from_bytes(data)
        if isinstance(graph, messages.SavedModel):
            graph = graph.meta_graphs[0]
        if isinstance(graph, messages.MetaGraphDef):
            graph = graph.graph_def or messages.GraphDef()
        for start in range(0, len(graph.node), max(1, len(graph.node) // 20)):
            yield messages.GraphDef, messages.GraphDef(node=graph.node[start : start + 12]).to_bytes()[:20_000]


def mutations(count: int, seed: int) -> str:
    rng = random.Random(seed)
    pieces = list(_pieces())
    verdicts: Counter[bool] = Counter()
    started = time.perf_counter()
    for _ in range(count):
        cls, data = rng.choice(pieces)
        data = damaged(data, rng)
        try:
            verdicts[read_damaged(cls, data)] += 1
        except BaseException:  # raised again, when the input has been shown
            Path("mutation.bin").write_bytes(data)
            print(f"{cls.__name__}: the input is in mutation.bin")
            raise
    seconds = time.perf_counter() - started
    read, refused = verdicts[True], verdicts[False]
    return f"{count:,} mutations of {len(pieces)} pieces: {read:,} read, {refused:,} refused, {seconds:.0f} s"


SHAPES: dict[str, tuple[type[Message], bytes]] = {
    "empty nodes": (messages.GraphDef, b"\x0a\x00" * 50_000),
    "empty functions": (messages.FunctionDefLibrary, b"\x0a\x00" * 50_000),
    "empty saved objects": (messages.SavedObjectGraph, b"\x0a\x00" * 50_000),
    "empty tensors": (messages.AttrValue.ListValue, b"\x42\x00" * 50_000),
    "empty op definitions": (messages.OpList, b"\x0a\x00" * 50_000),
    "empty step statistics": (messages.DeviceStepStats, b"\x12\x00" * 50_000),
    "empty graphs": (messages.RunMetadata, b"\x1a\x00" * 50_000),
    "empty meta graphs": (messages.SavedModel, b"\x12\x00" * 50_000),
    "empty virtual devices": (messages.ConfigProto, b"\x62\x00" * 50_000),
    "empty strings": (messages.NodeDef, b"\x1a\x00" * 50_000),
    "short strings": (messages.NodeDef, b"\x1a\x02ab" * 25_000),
    "unknown fields of two bytes, a known one between": (messages.NodeDef, b"\x78\x01\x0a\x00" * 25_000),
    "map entries": (
        messages.NodeDef,
        b"".join(b"\x2a\x06\x0a\x04" + b"%04x" % i for i in range(25_000)),
    ),
    "packed numbers of two bytes": (messages.TensorProto, b"\x52\xa0\x8d\x06" + b"\xac\x02" * 50_000),
    "unpacked numbers": (messages.TensorProto, b"\x50\x01" * 50_000),
    "nested lists": (messages.FullTypeDef, b"\x12\x02\x12\x00" * 25_000),
}


def memory_per_byte(cls: type[Message], data: bytes, *, lazy: bool = False) -> float:
    """Bytes at the peak of decoding `data`, over its size."""
    cls.from_bytes(data, lazy=lazy)  # compiles whatever is needed
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
    "groups that nobody knows": (messages.NodeDef, lambda n: b"\x7b\x7c" * n),
    "small messages": (messages.FullTypeDef, lambda n: b"\x12\x02\x12\x00" * n),
}


def seconds(cls: type[Message], data: bytes, lazy: bool) -> float:
    """The best time of reading `data`, writing it and showing it, however that ends."""
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


# --- text --------------------------------------------------------------------------------------------------------


def text_mutations(count: int, seed: int) -> str:
    from tests.damaged_text import damaged_text, explanations, pieces, read_text, verdicts  # these need protobuf

    rng = random.Random(seed)
    every = pieces()
    options = [{}, {"merge": True}, {"allow_unknown_field": True}, {"allow_field_number": True}]
    tally: Counter[str] = Counter()
    started = time.perf_counter()
    for i in range(count):
        cls, given = rng.choice(every)
        given, chosen = damaged_text(given, rng), rng.choice(options)
        try:
            tally["read" if read_text(cls, given, **chosen) else "refused"] += 1
            if i % 5 == 0:
                ours, theirs = verdicts(given, cls, **chosen)
                tally["agreed" if ours == theirs else "explained"] += 1
                assert ours == theirs or explanations(given), "protobuf has another verdict"
        except BaseException:  # raised again, when the input has been shown
            Path("mutation.txt").write_text(given, errors="surrogatepass")
            print(f"{cls.__name__}, {chosen}: the text is in mutation.txt")
            raise
    seconds = time.perf_counter() - started
    judged = f"protobuf agrees on {tally['agreed']:,}; of {tally['explained']:,} it is known why it does not"
    done = f"{tally['read']:,} read, {tally['refused']:,} refused, {seconds:.0f} s"
    return f"{count:,} mutations of {len(every)} texts: {done}; {judged}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("mutations")
    command.add_argument("--count", type=int, default=100_000)
    command.add_argument("--seed", type=int, default=0)
    command = commands.add_parser("text")
    command.add_argument("--count", type=int, default=50_000)
    command.add_argument("--seed", type=int, default=0)
    commands.add_parser("memory")
    commands.add_parser("time")
    args = parser.parse_args()
    match args.command:
        case "mutations":
            print(mutations(args.count, args.seed))
        case "text":
            print(text_mutations(args.count, args.seed))
            print(huge_text.growth())
        case "memory":
            print(memory())
        case "time":
            print(growth())


if __name__ == "__main__":
    main()
