r"""Regular expressions with the syntax and semantics of RE2, which TensorFlow uses; they match bytes.

    expression = compile_expression(rb"(\d+)-(\d+)")
    expression.matches(b"10-20")                               True: the whole text matches
    expression.replace(b"10-20 1-2", [b"<", 2, b">"])          yields b"<20> <2>" in pieces; 2 is the second group

Matching time is linear in the text and in the size of the expression, and the total work is limited. Simple expressions
are matched by Python's `re`, others by an automaton.

    syntax_tree.py       the parts of an expression, and sets of characters
    unicode_scripts.py   the characters of each Unicode script
    parser.py            parse an expression into its parts
    compiler.py          compile the parts to a nondeterministic automaton over bytes
    automaton.py         match with the automaton
    python_re.py         translate simple expressions for Python's `re`, which matches them faster, in linear time too;
                         find text that every match contains, to search for it first

The package imports nothing of tfmodel. Kernels of string ops call it. The cost model of constant folding uses its
limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from itertools import islice
from operator import getitem

from .automaton import MAX_POSITIONS, Automaton, TooMuchWork, Trace, Work
from .compiler import compile_program
from .parser import Parsed, parse
from .python_re import required_text, translate
from .syntax_tree import SyntaxFault

__all__ = ["MAX_POSITIONS", "MAX_WORK", "Expression", "SyntaxFault", "TooMuchWork", "Work", "compile_expression"]

MAX_WORK = 300_000_000
"""The default limit of the number of nodes that are visited to build states: about a minute of work."""

_BLOCK = 1 << 12  # bytes that are buffered before they are yielded as a piece


@lru_cache(32)
def compile_expression(pattern: bytes) -> Expression:
    """Return the compiled expression. Raises SyntaxFault if RE2 would refuse it, or if it has over 100,000 nodes."""
    return Expression(parse(pattern))


class Expression:
    """A compiled expression. Its methods raise TooMuchWork if they reach the limit of `work` (default: MAX_WORK)."""

    def __init__(self, parsed: Parsed) -> None:
        self._root, self.groups = parsed
        _ = self._finding  # raises SyntaxFault if the expression is too large
        self._direct = translate(self._root)
        self._needed = required_text(self._root)

    @cached_property
    def _matching(self) -> Automaton:
        return Automaton(compile_program(self._root, saves=False), whole_text=True)

    @cached_property
    def _finding(self) -> Automaton:
        return Automaton(compile_program(self._root, saves=False), whole_text=False)

    @cached_property
    def _capturing(self) -> Automaton:
        return Automaton(compile_program(self._root, saves=True), whole_text=False) if self.groups else self._finding

    def matches(self, data: bytes, work: Work | None = None) -> bool:
        """Return whether the whole text matches."""
        if self._needed not in data:
            return False
        text = _decode(data) if self._direct.matching else None
        if text is not None and self._direct.matching:
            return bool(self._direct.matching.fullmatch(text))
        automaton = self._matching
        automaton.work = work or Work(MAX_WORK)
        state = reduce(getitem, reversed(data), automaton.end)
        return bool(state.starts if isinstance(state.starts, int) else state.starts[automaton.edge])

    def replace(
        self, data: bytes, parts: Sequence[bytes | int], *, limit: int | None = None, work: Work | None = None
    ) -> Iterator[bytes]:
        """Yield the text in pieces, with matches replaced.

        The replacement is made of `parts`; each is bytes, or the number of a group. At most `limit` matches are
        replaced, or all if it is None. Raises ValueError for a limit below 1, and SyntaxFault if the expression has
        over 100,000 nodes with those that save the positions of groups.
        """
        if limit is not None and limit < 1:
            raise ValueError(f"limit must be >= 1, got {limit}")
        if self._needed not in data:
            yield data
            return
        text = _decode(data) if self._direct.finding else None
        if text is None:
            yield from self._replace(data, parts, limit, work)
        else:
            yield from self._replace_directly(data, text, parts, limit)

    def _replace(
        self, data: bytes, parts: Sequence[bytes | int], limit: int | None, work: Work | None
    ) -> Iterator[bytes]:
        captures = any(isinstance(part, int) and part for part in parts)
        fixed = None if any(isinstance(part, int) for part in parts) else b"".join(map(bytes, parts))
        trace = Trace(self._capturing if captures else self._finding, data, work or Work(MAX_WORK))
        copied = 0
        for count, (start, end, saved) in enumerate(trace.matches(), 1):
            yield data[copied:start]
            copied = end
            yield _expand_slices(parts, data, {0: start, 1: end, **dict(saved)}) if fixed is None else fixed
            if count == limit:
                break
        yield data[copied:]

    def _replace_directly(
        self, data: bytes, text: str, parts: Sequence[bytes | int], limit: int | None
    ) -> Iterator[bytes]:
        """Yield the same text as `replace`, for valid UTF-8, by Python's `re`. Small pieces are joined."""
        assert self._direct.finding
        matches = self._direct.finding.finditer(text)
        if self._direct.runs:
            matches = (match for match in matches if match[self.groups + 1] is not None)
        fixed = None if any(isinstance(part, int) for part in parts) else b"".join(map(bytes, parts))
        is_ascii, copied = data.isascii(), 0
        chunks, size = list[bytes](), 0
        for match in islice(matches, limit):
            start, end = match.span()
            before = data[copied:start] if is_ascii else text[copied:start].encode()
            piece = before + (_expand_match(parts, match) if fixed is None else fixed)
            copied = end
            chunks.append(piece)
            size += len(piece)
            if size >= _BLOCK:
                yield b"".join(chunks)
                chunks, size = [], 0
        yield b"".join(chunks)
        yield text[copied:].encode()


def _expand_match(parts: Sequence[bytes | int], match: re.Match[str]) -> bytes:
    return b"".join([part if isinstance(part, bytes) else (match[part] or "").encode() for part in parts])


def _decode(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _expand_slices(parts: Sequence[bytes | int], data: bytes, places: Mapping[int, int]) -> bytes:
    """Return the replacement of a match; groups that did not match are empty.

    `places` maps 2 * group to the start of a group in `data`, and 2 * group + 1 to its end.
    """
    return b"".join(
        [
            part if isinstance(part, bytes) else data[places.get(2 * part, 0) : places.get(2 * part + 1, 0)]
            for part in parts
        ]
    )
