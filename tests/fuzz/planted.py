"""Targets with one bug each, which the fuzzer must find."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator

from fuzz.target import Case, Files, Target
from pbwire import Error
from pbwire.wire import read_varint

__all__ = ["TARGETS"]

PLAIN = b"a plain beginning, and more of it " * 4


def seeds() -> Iterator[Files]:
    yield {"file": PLAIN}
    yield {"file": b"\x05hello" + PLAIN}


GENERATED = [
    b"",
    b"\0",
    b"\xff",
    b"\xff\xff",
    b"1",
    b"a",
    b"0123456789",
    b"0123456789abc",
    b"\0\0\0\0",
    b"b",
    b"x y",
    b"\x7f",
    b"\x80\x01",
    b"\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff\x7f",
    b"-1",
    b"\n",
    b"\r\n",
    b"{}",
    b"\xc3\xa9",
    b"\0b",
    b"\xffb",
]
"""Fixed inputs instead of generated ones, which differ between versions of hypothesis."""


def strategy() -> Callable[[random.Random], Files]:
    return lambda chance: {"file": GENERATED[int(chance.random() * len(GENERATED))]}


def sound(files: Files, case: Case) -> None:
    """A target without a bug."""
    if b"\xff" in files["file"]:
        raise Error("byte 255 at 7 of 9")
    assert case.write(files).joinpath("file").read_bytes() == files["file"]


def index_error(files: Files, case: Case) -> None:
    data = files["file"]
    if len(data) > 10:
        data[data[9]]


def quadratic(files: Files, case: Case) -> None:
    """Takes time quadratic in a number, which four zeros make large: inputs are either much too slow or fast."""
    zeros = range(12 if files["file"].count(b"\0") >= 4 else 1)
    for _ in zeros:
        for _ in zeros:
            sum(range(10_000))


def bomb(files: Files, case: Case) -> None:
    """Allocates memory for a declared length."""
    size, _ = read_varint(files["file"], 0, len(files["file"]))
    bytearray(min(size, 1 << 28))  # more than the worker's previous peak


def greedy(files: Files, case: Case) -> None:
    """The same with all available memory."""
    size, _ = read_varint(files["file"], 0, len(files["file"]))
    if size > 1 << 31:
        bytearray(1 << 36)


def asked(files: Files, case: Case) -> None:
    """The same at the caller's request."""
    size, _ = read_varint(files["file"], 0, len(files["file"]))
    case.allow(min(size, 1 << 24))
    bytearray(min(size, 1 << 24))


def hang(files: Files, case: Case) -> None:
    while files["file"].count(b"\xff\xff") > 0:
        time.sleep(0.01)


def crash(files: Files, case: Case) -> None:
    if b"\xff\xff" in files["file"]:
        os.abort()


def broken_round_trip(files: Files, case: Case) -> None:
    """Reads Latin-1 and writes UTF-8."""
    data = files["file"]
    assert data.decode("latin-1").encode() == data


def differs(files: Files) -> str:
    """Possible results of a comparison with protobuf."""
    data = files["file"]
    assert b"\xff" not in data, "protobuf says something else"
    return "it is known" if b"a" in data else ""


def strange_refusal(files: Files, case: Case) -> None:
    if files["file"][:1] == b"\xff":
        raise FileNotFoundError("which it may")
    if files["file"][:1] == b"\x00":
        raise PermissionError("which it may not")


MEGABYTE = 1 << 20
CHECKS = (sound, index_error, bomb, greedy, asked, hang, crash, broken_round_trip)
TARGETS = (
    *(Target(c.__name__, "", seeds, strategy, c, seconds=0.05, memory=100, memory_base=MEGABYTE) for c in CHECKS),
    Target("quadratic", "", seeds, strategy, quadratic, seconds=0.004, seconds_per_byte=1e-6),
    Target("differs", "", seeds, strategy, lambda files, case: None, compare=differs),
    Target("strange_refusal", "", seeds, strategy, strange_refusal, refusals=(FileNotFoundError,)),
)
