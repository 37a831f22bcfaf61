"""Leave out what the script and the style of the page do not need: comments, indentation, and blanks between tokens.

    // Half of the width.
    const half = (box) => box.w / 2;      ->      const half=(box)=>box.w/2;

Strings, template literals and regular expressions stay as they are, and so do names and statements: a line feed stays,
since it may end one, except behind an opening bracket or a comma, and before a closing bracket. Literals are first
replaced by marks, so that blanks are only those of code.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise
from pkgutil import get_data

__all__ = ["compact_script", "compact_style", "page_file"]

_TEXT, _REGEX = "\0", "\1"
"""The marks of a string, or of a part of a template literal outside of its expressions; and of a regular expression."""

_CODE = re.compile(r"""[^"'`/\0\1]+""")
_CODE_IN_TEMPLATE = re.compile(r"""[^"'`/{}\0\1]+|[{}]""")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_TEMPLATE_PART = re.compile(r"[`}](?:[^\\`$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)
_REGULAR_EXPRESSION = re.compile(r"/(?![*/])(?:[^\\/\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+/[a-z]*")

_WORDS = "await case delete do else in instanceof new of return throw typeof void yield"
_WORDS_BEFORE_VALUES = frozenset(_WORDS.split())
_WORDS_BEFORE_CONDITIONS = frozenset({"if", "while", "for", "with"})
_LAST_WORD = re.compile(r"[\w$]+$")
_MARK = re.compile(r"[\0\1]")


def page_file(name: str) -> str:
    """Return the text of a file of this package."""
    data = get_data(__package__, name)
    assert data is not None
    return data.decode().replace("\r\n", "\n")


def compact_script(text: str) -> str:
    """Return a JavaScript program without comments, and without blanks that it does not need.

    Raises ValueError, with the line, for a literal without an end, and for "/" after "}": whether that divides or
    begins a regular expression depends on what the brace ends.
    """
    code, literals = _split_literals(text)
    pieces: list[str] = []
    between: dict[str, str] = {}
    for line in code.split("\n"):
        words = line.split()
        if not words:
            continue
        if pieces and pieces[-1][-1] not in "{([," and words[0][0] not in "})]":
            pieces.append("\n")
        pieces.append(words[0])
        for before, after in pairwise(words):
            ends = before[-1] + after[0]
            blank = between.get(ends)
            if blank is None:
                blank = " " if _would_join(*ends) or (after[0] == "." and _last_word(before).isdigit()) else ""
                if after[0] != ".":
                    between[ends] = blank
            pieces += blank, after
    parts = _MARK.split("".join(pieces))
    return "".join(chain.from_iterable(zip(parts, [*literals, "\n"], strict=True)))


def _would_join(before: str, after: str) -> bool:
    """Return whether tokens with these characters at their ends might become others without the blank between them."""
    before, after = before.replace(_REGEX, "g"), after.replace(_REGEX, "/")  # its flags, its start
    if _is_of_word(before) or _is_of_word(after):
        return _is_of_word(before) and _is_of_word(after)
    return (after in "+-*&|=>?." and before in "+-*/%&|^=<>?.") or before + after == "//"


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character in "_$"


def _split_literals(text: str) -> tuple[str, list[str]]:
    """Return the code, with marks in place of literals and blanks in place of comments, and the literals."""
    code, literals, place = "", [], 0
    depths: list[int] = []  # of braces, in each template literal that is not over
    while place < len(text):
        character = text[place]
        match: re.Match[str] | None = None
        mark = _TEXT
        if character == "`" or (character == "}" and depths and not depths[-1]):
            match = _TEMPLATE_PART.match(text, place)
        elif character in "\"'":
            match = _STRING.match(text, place)
        elif character == "/":
            mark = _REGEX
            match = _COMMENT.match(text, place)
            if match is not None:
                code += "\n" if "\n" in match[0] else " "
                place = match.end()
                continue
            match = _REGULAR_EXPRESSION.match(text, place)
            if match is None or not _may_be_regex(code, text, place):
                code += "/"
                place += 1
                continue
        else:
            match = (_CODE_IN_TEMPLATE if depths else _CODE).match(text, place)
            mark = ""
        if match is None:
            raise _error(text, place, "has no end")
        token, place = match[0], match.end()
        code += mark or token
        if mark:
            literals.append(token)
        if mark == _TEXT and character == "}":
            depths.pop()
        if mark == _TEXT and token.endswith("${"):
            depths.append(0)
        elif depths:
            depths[-1] += {"{": 1, "}": -1}.get(token, 0)
    if depths:
        raise _error(text, text.rindex("${"), "has no end")
    return code, literals


def _may_be_regex(code: str, text: str, place: int) -> bool:
    """Return whether "/" at a place behind some code begins a regular expression, and does not divide."""
    before = code.rstrip()
    if before.endswith("}"):
        raise _error(text, place, "may divide, or begin a regular expression")
    if before.endswith(")"):
        end, depth = len(before), 0
        for end in range(len(before) - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(before[end], 0)
            if not depth:
                break
        return _last_word(before[:end].rstrip()) in _WORDS_BEFORE_CONDITIONS
    if word := _last_word(before):
        return word in _WORDS_BEFORE_VALUES
    return not before.endswith(("]", _TEXT, _REGEX))


def _last_word(code: str) -> str:
    """Return the word or number that code ends with, or the end of a long one; empty if it ends with another token."""
    match = _LAST_WORD.search(code[-40:])
    return match[0] if match is not None else ""


def _error(text: str, place: int, problem: str) -> ValueError:
    line = text.count("\n", 0, place)
    return ValueError(f"line {line + 1}: {text[place]} {problem}: {text.splitlines()[line].strip()}")


_STYLE_TOKEN = re.compile(
    r"""/\*.*?\*/ | (?P<string> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' )
    | (?P<mark> \s*;?\s*\}\s* | \s*[{;]\s* | [:,]\s+ ) | (?P<blank> \s+ ) | (?P<other> [^\s{};:,"'/]+ | . )""",
    re.DOTALL | re.VERBOSE,
)


def compact_style(text: str) -> str:
    """Return a style sheet without comments, blanks and last semicolons that it does not need; a line for each rule."""
    pieces = []
    for match in _STYLE_TOKEN.finditer(text):
        if match["mark"]:
            mark = match["mark"].strip()
            pieces.append("}\n" if mark.endswith("}") else mark)
        elif match["blank"]:
            pieces.append(" ")
        else:
            pieces.append(match["string"] or match["other"] or "")
    return "".join(pieces).strip() + "\n"
