"""Mutations of text format and JSON by tokens: swapped, repeated, deleted, and replaced by extreme values.

The tokens of the two formats are much the same, so one set serves both.
"""

from __future__ import annotations

import random
import re

__all__ = ["TOKENS", "WAYS", "looks_like_text"]

TOKEN = re.compile(rb'\s+|[\w.+-]+|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*|.', re.DOTALL)
PRINTABLE = bytes(range(32, 127)) + b"\n\r\t"
SAMPLE = 256  # bytes that distinguish text from other formats

NUMBERS = [str(n) for n in (0, 1, -1, 2**31 - 1, 2**31, -(2**31) - 1, 2**32, 2**63 - 1, 2**63, -(2**63), 2**64, 10**40)]
NUMBERS += ["-0", "-0.0", "1e999", "-1e-999", "1e-45", "3.4028236e38", "0x7fffffff", "017", "inf", "nan", "1.5f", ".5"]
NUMBERS += ["9" * 400, "9" * 5000, "0." + "0" * 400 + "1", '"1"', '"-9223372036854775809"', '"1e3"', "1_0", "- 1", "+1"]
WORDS = ["true", "false", "null", "True", "NaN", '"NaN"', '"Infinity"', "Infinity", "DT_FLOAT", "DT_NOPE", '"@type"']
WORDS += ["key", "value", '"key"', '"value"', "name:", "node {", "attr {", "[a.b/c.D] {", "[type.googleapis.com/"]
PIECES = [*"{}<>[]():;,\"'\\#/-+.\n\r\0"]
PIECES += ["{}", "[]", "[{}]", "{ }", "< >", '""', "''", "[,]", "[1,]", "{,}", '"a" "b"', "\"a\"\n'b'", "# c\n", "\v\f"]
ESCAPES = [r"\u0000", r"\ud800", r"\udc00\ud800", r"\ud83d\ude00", r"\x", r"\xff", r"\377", r"\400", r"\U00110000"]
STRANGE = ["é", "\ufeff", "\u2028", "\x85", "\xa0", "\U0001f600", "٣", "\x1b[2J", "\u202e"]
TOKENS: list[bytes] = [token.encode() for token in [*NUMBERS, *WORDS, *PIECES, *ESCAPES, *STRANGE]]
TOKENS += [b"\xff", b"\xed\xa0\x80"]
BRACKETS = [(b"{", b"}"), (b"<", b">"), (b"[", b"]"), (b'{"a":', b"}"), (b"child {", b"}"), (b'{"child":', b"}")]


def looks_like_text(content: bytes) -> bool:
    """Return whether the beginning of the data looks like text."""
    sample = content[:SAMPLE]
    return bool(sample) and len(sample.translate(None, PRINTABLE)) < 0.1 * len(sample)


def _parts(data: bytes) -> list[bytes]:
    return [match.group() for match in TOKEN.finditer(data)]


def _exchange(data: bytes, other: bytes, chance: random.Random) -> bytes:
    parts = _parts(data) or [b""]
    one, two = chance.randrange(len(parts)), chance.randrange(len(parts))
    parts[one], parts[two] = parts[two], parts[one]
    return b"".join(parts)


def _replace(data: bytes, other: bytes, chance: random.Random) -> bytes:
    parts = _parts(data) or [b""]
    parts[chance.randrange(len(parts))] = chance.choice(TOKENS)
    return b"".join(parts)


def _number(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Replace a number by an extreme one."""
    parts = _parts(data)
    numbers = [i for i, part in enumerate(parts) if part[:1].isdigit() or part[:1] in (b"-", b".")]
    if numbers:
        parts[chance.choice(numbers)] = chance.choice(NUMBERS).encode()
    return b"".join(parts)


def _insert(data: bytes, other: bytes, chance: random.Random) -> bytes:
    parts = _parts(data)
    parts.insert(chance.randrange(len(parts) + 1), chance.choice(TOKENS))
    return b"".join(parts)


def _delete(data: bytes, other: bytes, chance: random.Random) -> bytes:
    parts = _parts(data)
    at = chance.randrange(len(parts) + 1)
    del parts[at : at + chance.choice((1, 1, 2, 5, 20))]
    return b"".join(parts)


def _repeat(data: bytes, other: bytes, chance: random.Random) -> bytes:
    parts = _parts(data)
    at = chance.randrange(len(parts) + 1)
    again = parts[at : at + chance.choice((1, 2, 6, 30))]
    most = 100_000 // max(1, sum(map(len, again)))
    parts[at:at] = again * min(chance.choice((1, 1, 1, 2, 2, 5, 50, 5_000)), max(1, most))
    return b"".join(parts)


def _take(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Insert tokens of another text."""
    parts, others = _parts(data), _parts(other)
    at, start = chance.randrange(len(parts) + 1), chance.randrange(len(others) + 1)
    size = chance.choice((1, 2, 6, 30))
    parts[at : at + chance.choice((0, size))] = others[start : start + size]
    return b"".join(parts)


def _lines(data: bytes, other: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    at, start = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[at:at] = lines[start : start + chance.choice((1, 3, 10))]
    if chance.random() < 0.5:
        del lines[chance.randrange(len(lines))]
    return b"".join(lines)


def _nest(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Nest a token in many brackets."""
    parts = _parts(data) or [b""]
    at, times = chance.randrange(len(parts)), chance.choice((1, 1, 2, 3, 99, 101, 5_000))
    opening, closing = chance.choice(BRACKETS)
    closed = chance.choice((times, times, 0, times - 1))
    parts[at] = opening * times + parts[at] + closing * closed
    return b"".join(parts)


def _inside(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Insert characters into a token: a literal, a number or a name."""
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(TOKENS) + data[at:]


WAYS = (_exchange, _replace, _replace, _number, _number, _insert, _delete, _repeat, _take, _lines, _nest, _inside)
