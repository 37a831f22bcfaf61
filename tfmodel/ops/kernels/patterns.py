"""Regular expressions of RE2, TensorFlow's, in the words of Python's.

    compiled(r"[[:alpha:]]+$")     re.compile(r"[A-Za-z]+\\Z")

Text is taken for UTF-8, as RE2 takes it; bytes that are none are characters of their own, which `.` matches here and
not there. What RE2 refuses is refused: look-around, references to groups. What Python does not have is refused too:
\\pL and the like, \\C, the flag U, flags in the middle of a group.

RE2 needs time that is linear in the text. Python tries one way after the other, and an expression such as (a+)+b can
keep it busy for ever: repetitions of what is repeated without end, or of alternatives that may begin alike, are
refused. Of others `backtracking` counts the ways, which grow with the text: one for which they are too many is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from ...errors import RunError
from ...printable import printable
from .backtracking import Ways, narrowest, ways_of

__all__ = ["Expression", "compiled"]

_MOST_TRIES = 10**10  # some minutes, if it takes as many


@dataclass(frozen=True, slots=True)
class Expression:
    """A regular expression, and in how many ways it may be tried. Matching raises RunError if those are too many."""

    pattern: re.Pattern[str]
    ways: Ways
    least: int
    """How many characters a match has at the least."""

    @property
    def groups(self) -> int:
        """How many groups it has."""
        return self.pattern.groups

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """As that of a pattern."""
        self._check(self.ways.most(len(text)), text)
        return self.pattern.fullmatch(text)

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """As that of a pattern."""
        self._check(self.ways.most(len(text)) * len(text), text)
        return self.pattern.search(text, start)

    def subn(self, instead: str, text: str, count: int = 0) -> tuple[str, int]:
        """As that of a pattern, but `instead` is what it is: no backslash in it means anything."""
        self._check(self.ways.most(len(text)) * len(text), text)
        return self.pattern.subn(instead.replace("\\", r"\\"), text, count)

    def _check(self, tries: int, text: str) -> None:
        if tries > _MOST_TRIES:
            shown = printable(self.pattern.pattern[:_SHOWN])
            raise RunError(f'"{shown}" could take for ever for a text of {len(text):,} characters')


@lru_cache(64)
def compiled(pattern: bytes) -> Expression:
    """The expression for texts that are decoded with "surrogateescape". Raises RunError if there is none."""
    try:
        text = _Translation(pattern.decode()).text
        return Expression(re.compile(text), ways_of(text), narrowest(text))
    except (UnicodeDecodeError, re.error, OverflowError, RecursionError) as error:
        shown = printable(pattern.decode("utf-8", "replace")[:_SHOWN])
        raise RunError(f'"{shown}" is no regular expression: {error}') from error


_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r"\t\n\v\f\r ",
    "upper": "A-Z", "word": r"0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}
_PERL = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}
_SAME = set("Aafnrtv")
_WORD = "[0-9A-Za-z_]"
_BOUNDARIES = {  # of words, which have letters of ASCII only
    "b": f"(?:(?<!{_WORD})(?={_WORD})|(?<={_WORD})(?!{_WORD}))",
    "B": f"(?:(?<!{_WORD})(?!{_WORD})|(?<={_WORD})(?={_WORD}))",
}
_CHARACTER = re.compile(r"x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]+)\}|([0-7]{2,3}|0)")
_REPEAT = re.compile(r"([*+?]|\{(\d+)(,?)(\d*)\})(\??)")
_FLAGS = re.compile(r"\(\?([ims]*(?:-[ims]+)?)([:)])")
_GROUP = re.compile(r"\((?:\?:|\?P<[A-Za-z_0-9]+>|(?!\?))")
_MOST = 1000  # repetitions
_SHOWN = 200  # characters of a pattern, in an error


@dataclass
class _Group:
    """What is open: whether `$` matches at line ends, and what makes it dangerous to repeat."""

    lines: bool = False
    endless: bool = False
    first: list[str] = field(default_factory=lambda: [""])
    """What the alternatives begin with; "" if nothing was there yet."""
    single: bool = True
    """Whether all alternatives are of one atom."""
    extra: int = 0
    """Groups to close with this one, which are not in the pattern."""

    def atom(self, text: str) -> None:
        self.single = self.single and not self.first[-1]
        self.first[-1] = self.first[-1] or text

    @property
    def ambiguous(self) -> bool:
        """Whether two alternatives may begin alike."""
        if len(self.first) == 1:
            return False
        if self.single:  # Python makes one class of these, if it can
            return any(each in (".", "()", r"\D", r"\W", r"\S") or each.startswith("[^") for each in self.first)
        return len({*self.first}) < len(self.first) or any(not re.fullmatch(r"\w", each) for each in self.first)


class _Translation:
    """One pass over a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.out = pattern, 0, [""]
        self.open = [_Group()]
        self.last = _Group()  # the group that was closed just now, or none
        while self.at < len(pattern):
            self._step()
        if len(self.open) != 1:
            raise re.error("missing )")
        self.text = "".join(self.out) + ")" * self.open[0].extra

    def _step(self) -> None:
        mark, group = self.pattern[self.at], self.open[-1]
        if mark == "\\":
            self._escape()
        elif mark == "[":
            self._class()
        elif mark == "(":
            self._open()
        elif mark == ")":
            self._close()
        elif mark == "|":
            group.first.append("")
            self._put("|", 1)
        elif found := _REPEAT.match(self.pattern, self.at):
            self._repeat(found)
        elif mark == "$":
            self._put("$" if group.lines else r"\Z", 1)
        elif mark in "^.":
            self._put(mark, 1, atom=mark if mark == "." else "")
        else:
            self._put(re.escape(mark), 1, atom=mark)

    def _put(self, text: str, length: int, atom: str = "") -> None:
        self.out.append(text)
        self.at += length
        self.last = _Group()
        if atom:
            self.open[-1].atom(atom)

    def _open(self) -> None:
        group = self.open[-1]
        if found := _FLAGS.match(self.pattern, self.at):
            on, _, off = found[1].partition("-")
            lines = (group.lines or "m" in on) and "m" not in off
            if found[2] == ":":
                self.open.append(_Group(lines))
                self._put(found[0], len(found[0]))
                return
            if group.first != [""]:
                raise re.error("flags are only possible where a group begins")
            group.lines = lines
            group.extra += 1
            self._put(f"(?{found[1]}:", len(found[0]))
            return
        found = _GROUP.match(self.pattern, self.at)
        if not found:
            raise re.error(f"there is no {self.pattern[self.at : self.at + 4]}")
        self.open.append(_Group(group.lines))
        self._put(found[0], len(found[0]))

    def _close(self) -> None:
        if len(self.open) == 1:
            raise re.error("unexpected )")
        group = self.open.pop()
        self._put(")" * (1 + group.extra), 1)
        self.open[-1].atom("()" if len(group.first) > 1 else group.first[0] or "()")
        self.open[-1].endless |= group.endless
        self.last = group

    def _repeat(self, found: re.Match[str]) -> None:
        if not self.out[-1] or self.out[-1].startswith(("(?", "|", "\0")) or self.out[-1] == "(":
            raise re.error(f"there is nothing that {found[0]} could repeat")
        least, comma, most = found[2], found[3], found[4]
        if least is not None and max(int(least), int(most or 0)) > _MOST:
            raise re.error(f"more than {_MOST} repetitions")
        if found[1] in ("*", "+") or (least is not None and comma and not most):
            if self.last.endless or self.last.ambiguous:
                raise re.error(f"{found[0]} repeats what can be matched in many ways: this could take for ever")
            self.open[-1].endless = True
        self._put(found[0], len(found[0]))
        following = _REPEAT.match(self.pattern, self.at)
        if following:
            raise re.error(f"bad repetition {found[0]}{following[0]}")

    def _escape(self) -> None:
        name = self.pattern[self.at + 1 : self.at + 2]
        if name == "Q":
            end = self.pattern.find(r"\E", self.at)
            literal = self.pattern[self.at + 2 : end if end >= 0 else None]
            for each in literal:
                self._put(re.escape(each), 0, atom=each)
            self.at += 2 + len(literal) + (2 if end >= 0 else 0)
        elif name.lower() in _PERL and name:
            self._put(f"[{'^' if name.isupper() else ''}{_PERL[name.lower()]}]", 2, atom=f"\\{name}")
        elif name == "z":
            self._put(r"\Z", 2)
        elif name in _BOUNDARIES:
            self._put(_BOUNDARIES[name], 2)
        elif name in _SAME:
            self._put(f"\\{name}", 2, atom="" if name == "A" else f"\\{name}")
        else:
            character = self._character()
            self._put(re.escape(character), 0, atom=character)

    def _character(self) -> str:
        """The character that an escape stands for, and on behind it."""
        if found := _CHARACTER.match(self.pattern, self.at + 1):
            self.at = found.end()
            code = int(found[3], 8) if found[3] else int(found[1] or found[2], 16)
            if code > 0x10FFFF:
                raise re.error(f"there is no character {code:x}")
            return chr(code)
        name = self.pattern[self.at + 1 : self.at + 2]
        if not name or name.isalnum():
            raise re.error(f"there is no \\{name}")
        self.at += 2
        return name

    def _class(self) -> None:
        start, pattern = self.at, self.pattern
        parts = ["["]
        self.at += 1
        if pattern.startswith("^", self.at):
            parts.append("^")
            self.at += 1
        first = self.at
        while pattern[self.at : self.at + 1] != "]" or self.at == first:
            if self.at >= len(pattern):
                raise re.error("missing ]")
            parts.append(self._of_class())
        self._put("".join(parts) + "]", 1, atom=pattern[start : self.at + 1])

    def _of_class(self) -> str:
        """One piece of what stands between brackets."""
        named = re.compile(r"\[:(\^?)(\w+):\]").match(self.pattern, self.at)
        name = self.pattern[self.at + 1 : self.at + 2]
        if named:
            if named[2] not in _CLASSES:
                raise re.error(f"there is no {named[0]}")
            self.at = named.end()
            return _others(_CLASSES[named[2]]) if named[1] else _CLASSES[named[2]]
        if self.pattern[self.at] != "\\":
            self.at += 1
            mark = self.pattern[self.at - 1]
            return mark if mark == "-" else re.escape(mark)
        if name and name.lower() in _PERL:
            self.at += 2
            return _PERL[name] if name.islower() else _others(_PERL[name.lower()])
        if name and name in "afnrtv":
            self.at += 2
            return f"\\{name}"
        return re.escape(self._character())


def _others(characters: str) -> str:
    """All characters that some of ASCII are not."""
    return "".join(re.escape(each) for each in map(chr, range(128)) if not re.match(f"[{characters}]", each)) + _FOREIGN


_FOREIGN = r"\x80-\U0010ffff"
