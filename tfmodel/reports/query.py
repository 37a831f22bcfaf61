"""The query language of `find`: lexer and parser.

    query    = both { "or" both }
    both     = one { [ "and" ] one }
    one      = "not" one | relation | item { "->" item }
    relation = ( "upstream" | "downstream" ) "of" item [ "within" NUMBER ]
             | "path" item "to" item
    item     = "(" query ")" | FIELD OPERATOR VALUE | "attr." NAME | WORD

FIELDS lists the fields. An OPERATOR is = != < <= > or >=; a field with several values equals a value if one of them
does, and differs (!=) if it has values and none of them equals it.

A WORD that stands alone is a part of a name, in upper or lower case. Between arrows it is an op; after "of", "path" and
"to" it is the whole name of a node. Parentheses do not change the meaning of a word. Words and values may have the
wildcards `*` for any text and `?` for any character, and alternatives, `Conv2D|MatMul`. In quotes, blanks, parentheses,
wildcards and the words of the grammar are ordinary text.

    parse_query("op=Conv2D not name=block_*")
    Both((Comparison("op", "=", Text("Conv2D")), Not(Comparison("name", "=", Text("block_*")))))
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fnmatch import translate
from functools import cached_property
from typing import NamedTuple, NoReturn, TypeAlias

from pbwire.errors import suggestion

from ..errors import QueryError
from ..values.sizes import parse_size
from ..values.terminal import escape

FIELDS = {
    "name": "the name of the node",
    "op": "its op",
    "function": 'the function whose body has the node; "" for the graph itself',
    "device": "its device",
    "input": "the name of a node that one of its inputs refers to",
    "dtype": "the type of one of its outputs, such as float16",
    "shape": "the shape of one of its outputs, such as ?,224,224,3: ? is any size, -1 an unknown size, * any sizes",
    "size": "the bytes of its largest output, such as 1M; the shape must be known",
    "inputs": "the number of its inputs, without control inputs",
    "controls": "the number of its control inputs",
    "outputs": "the number of its outputs",
    "consumers": "the number of inputs, and control inputs, that refer to it",
}
"""The fields of a node. "attr.NAME" is an attribute."""

NUMBERS = frozenset(["size", "inputs", "controls", "outputs", "consumers"])
"""The fields that are numbers, which all comparisons fit. Others are equal to a value, or not."""

ATTRIBUTE = "attr."

MAX_DEPTH = 50
"""The maximum depth of parentheses and "not"."""

MAX_LENGTH = 100_000
"""The maximum number of characters of a query."""

MAX_DIGITS = 40
"""The maximum number of characters of a number."""

_KEYWORDS = frozenset(["and", "or", "not", "upstream", "downstream", "path", "of", "to", "within"])
_TOKEN = re.compile(r'\s*(?:(->)|([()])|((?:"(?:[^"\\]|\\.)*"|(?!->)[^\s()"])+)|(\S))')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_TEST = re.compile(r"([A-Za-z_]+(?:\.[^\s=<>!\"]*)?)(!=|<=|>=|=|<|>)(.*)", re.DOTALL)


_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
_THE_OPERATORS = f"the operators are {', '.join(_OPERATORS[:-1])} and {_OPERATORS[-1]}"
_FIELD_AND_MARKS = re.compile(r"(attr\.\w+|[a-z]+)(?!:[0-9]+\Z)([=~<>!:&^%]+)", re.ASCII)
_NOT_IN_NAMES = re.compile(r"[=<!~&;,{}\[\]^%$@#+'`]")
"""Characters that neither names of nodes and tensors have, nor patterns for names."""


class Text(NamedTuple):
    """A word or a value. `is_literal` says that it was quoted, so that it has no wildcards."""

    text: str
    is_literal: bool = False

    def pattern(self, *, part: bool = False) -> re.Pattern[str]:
        """Return the regular expression that matches the text, with wildcards and alternatives.

        With `part`, a text without wildcards may be anywhere in the string, in upper or lower case.
        """
        alternatives = [self.text] if self.is_literal else self.text.split("|")
        return re.compile("|".join(self._regex(text, part) for text in alternatives), re.IGNORECASE if part else 0)

    def _regex(self, text: str, part: bool) -> str:
        if self.is_literal or not re.search(r"[*?]", text):
            return f"(?s:.*{re.escape(text)})" if part else rf"{re.escape(text)}\Z"
        return translate(text.replace("[", "[[]"))  # the only other wildcard of fnmatch


class Comparison(NamedTuple):
    """A comparison of a field with a value. The operator "has" asks for an attribute, "part" for a part of a name."""

    field: str
    operator: str
    value: Text = Text("")


class Not(NamedTuple):
    query: Query


class Both(NamedTuple):
    """All of several queries."""

    queries: tuple[Query, ...]


class Either(NamedTuple):
    """At least one of several queries."""

    queries: tuple[Query, ...]


class Chain(NamedTuple):
    """Nodes, each of which gives a tensor to the next."""

    steps: tuple[Query, ...]


class Near(NamedTuple):
    """The nodes before or after those of a query: at least one edge away, and at most `within` edges."""

    of: Query
    is_upstream: bool
    within: int | None = None


class Path(NamedTuple):
    """The nodes on the paths from the nodes of a query to those of another."""

    start: Query
    end: Query


Query: TypeAlias = "Comparison | Not | Both | Either | Chain | Near | Path"


def parse_query(query: str) -> Query:
    """Parse a query. Raises QueryError, which shows the place, if it is not valid."""
    return _Parser(query).parse()


class _Token(NamedTuple):
    kind: str  # "->", "(", ")", "word"; "end" after the last
    text: str
    start: int

    def is_keyword(self, *words: str) -> bool:
        return self.kind == "word" and self.text in words


class _Parser:
    def __init__(self, query: str) -> None:
        if not isinstance(query, str):
            raise QueryError(f"a query is a string, not a value of type {type(query).__name__}")
        self.query = query
        if len(query) > MAX_LENGTH:
            raise QueryError(f"the query has {len(query):,} characters; the limit is {MAX_LENGTH:,}")
        self.tokens = [*self._tokens()]
        self.place = 0
        self.depth = 0

    def _tokens(self) -> Iterable[_Token]:
        for match in _TOKEN.finditer(self.query):
            start = match.start(match.lastindex or 0)
            if match[4]:
                self._fail(start, "this quote has no end" if match[4] == '"' else f"unexpected {match[4]}")
            yield _Token(match[1] or match[2] or "word", match[match.lastindex or 0], start)
        yield _Token("end", "", len(self.query))

    @cached_property
    def _closing(self) -> dict[int, int]:
        """The places of the closing parentheses by those of the opening ones."""
        pairs, opened = {}, []
        for place, token in enumerate(self.tokens):
            if token.kind == "(":
                opened.append(place)
            elif token.kind == ")" and opened:
                pairs[opened.pop()] = place
        return pairs

    @property
    def _next(self) -> _Token:
        return self.tokens[self.place]

    def _fail(self, start: int, problem: str) -> NoReturn:
        shown = self.query[max(0, start - 60) : start + 60]
        before = escape(self.query[max(0, start - 60) : start])
        raise QueryError(f"query: {problem}\n    {escape(shown)}\n    {' ' * len(before)}^")

    def _enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._fail(self._next.start, f'more than {MAX_DEPTH} parentheses and "not" in each other')

    # --- the grammar -------------------------------------------------------------------------------------------------

    def parse(self) -> Query:
        query = self._either("name part")
        if self._next.kind == ")":
            self._fail(self._next.start, "this parenthesis was not opened")
        self._refuse_arrow()
        return query

    def _refuse_arrow(self) -> None:
        if self._next.kind == "->":
            self._fail(self._next.start, 'put what is before "->" into parentheses')

    def _either(self, meaning: str) -> Query:
        queries = [self._both(meaning)]
        while self._next.is_keyword("or"):
            self.place += 1
            queries.append(self._both(meaning))
        return queries[0] if len(queries) == 1 else Either(tuple(queries))

    def _both(self, meaning: str) -> Query:
        queries = [self._one(meaning)]
        while self._next.kind in ("word", "(") and not self._next.is_keyword("or"):
            self.place += self._next.is_keyword("and")
            queries.append(self._one(meaning))
        return queries[0] if len(queries) == 1 else Both(tuple(queries))

    def _one(self, meaning: str) -> Query:
        token = self._next
        if token.is_keyword("not"):
            self.place += 1
            self._enter()
            query = Not(self._one(meaning))
            self.depth -= 1
            return query
        if token.is_keyword("upstream", "downstream"):
            return self._near()
        if token.is_keyword("path"):
            return self._path()
        if self.tokens[self._end_of_item()].kind != "->":
            return self._item(meaning)
        steps = [self._item("op")]
        while self._next.kind == "->":
            self.place += 1
            steps.append(self._item("op"))
        return Chain(tuple(steps))

    def _end_of_item(self) -> int:
        """Return the place after the item that begins here."""
        last = self._closing.get(self.place, len(self.tokens) - 2) if self._next.kind == "(" else self.place
        return min(last + 1, len(self.tokens) - 1)

    def _near(self) -> Query:
        direction = self._next.text
        self._skip(direction, f'"{direction} of" and a node')
        self._skip("of", f'"{direction} of" and a node{_quoting_hint(direction)}')
        query = self._item("name")
        if not self._next.is_keyword("within"):
            return Near(query, direction == "upstream")
        self._skip("within", "")
        token = self._next
        if token.kind != "word" or not re.fullmatch(r"[0-9]{1,9}", token.text) or not int(token.text):
            self._fail(token.start, 'expected a number of edges after "within", 1 or more')
        self.place += 1
        return Near(query, direction == "upstream", int(token.text))

    def _path(self) -> Query:
        form = f'"path", a node, "to" and a node{_quoting_hint("path")}'
        self._skip("path", form)
        if self._next.kind == "end":
            self._fail(self._next.start, f"expected {form}")
        start = self._item("name")
        self._skip("to", form)
        return Path(start, self._item("name"))

    def _skip(self, word: str, form: str) -> None:
        """Go behind a word. Fail if another stands here; `form` says what was expected."""
        if not self._next.is_keyword(word):
            self._fail(self._next.start, f"expected {form}")
        self.place += 1

    def _item(self, meaning: str) -> Query:
        token = self._next
        if token.kind == "(":
            if self.place not in self._closing:
                self._fail(token.start, "this parenthesis is not closed")
            self.place += 1
            self._enter()
            query = self._either(meaning)
            self._refuse_arrow()
            self.depth -= 1
            self.place += 1
            return query
        if token.kind != "word" or token.text in _KEYWORDS:
            wanted = {"op": 'an op or a test on each side of "->"', "name": "the name of a node"}.get(meaning, "a word")
            hint = _quoting_hint(token.text) if token.text in _KEYWORDS else ""
            self._fail(token.start, f"expected {wanted}{hint}")
        self.place += 1
        return self._comparison(token) or self._word(token, meaning)

    def _word(self, token: _Token, meaning: str) -> Query:
        if other := _NOT_IN_NAMES.search(_QUOTED.sub(lambda quoted: "_" * len(quoted[0]), token.text)):
            problem = f'"{escape(other[0])}" is in no name: write FIELD OPERATOR VALUE for a test ({_THE_OPERATORS})'
            self._fail(token.start + other.start(), f"{problem}, or put the word in quotes")
        try:
            text = _text(token.text)
        except ValueError as error:
            self._fail(token.start, str(error))
        if meaning == "name part":
            return Comparison("name", "part", text)
        return Comparison(meaning, "=", text)

    def _comparison(self, token: _Token) -> Comparison | None:
        marks = _FIELD_AND_MARKS.match(token.text)
        if marks is not None and marks[2] not in _OPERATORS and (marks[1] in FIELDS or marks[1].startswith(ATTRIBUTE)):
            self._fail(token.start + marks.start(2), f'there is no operator "{marks[2]}"; {_THE_OPERATORS}')
        match = _TEST.match(token.text)
        if match is None:
            if token.text.startswith(ATTRIBUTE) and len(token.text) > len(ATTRIBUTE):
                return Comparison(token.text, "has")
            return None
        field, operator, value = match[1], match[2], match[3]
        if field not in FIELDS and not (field.startswith(ATTRIBUTE) and len(field) > len(ATTRIBUTE)):
            near = suggestion(field, [*FIELDS, "attr.NAME"])
            known = "" if near else f"; the fields are {', '.join(FIELDS)} and attr.NAME"
            self._fail(token.start, f'there is no field "{escape(field)}"{near or known}')
        if not value and field != "function":
            self._fail(token.start, f"expected a value after {field}{operator}")
        try:
            comparison = Comparison(field, operator, _text(value))
            _check(comparison)
        except ValueError as error:
            self._fail(token.start, str(error))
        return comparison


def _text(raw: str) -> Text:
    """Return a word without its quotes. Raises ValueError for an alternative without text."""
    if '"' not in raw and "|" in raw and not all(raw.split("|")):
        raise ValueError(f'"{escape(raw[:MAX_DIGITS])}" has an alternative without text')
    return Text(_QUOTED.sub(lambda match: re.sub(r"\\(.)", r"\1", match[1]), raw), '"' in raw)


def _quoting_hint(word: str) -> str:
    return f'; to search for a name, quote it: "{word}"'


# --- values ----------------------------------------------------------------------------------------------------------


def _check(comparison: Comparison) -> None:
    """Raise ValueError if the value or the comparison does not fit the field."""
    if comparison.field in NUMBERS or comparison.operator not in ("=", "!="):
        if comparison.field not in NUMBERS and not comparison.field.startswith(ATTRIBUTE):
            raise ValueError(f"{comparison.field} is not a number: compare it with = or !=")
        parse_number(comparison)
    elif comparison.field == "shape":
        parse_shape(comparison.value.text)


def parse_number(comparison: Comparison) -> float:
    """Return the number that a field is compared with; fields of nodes may have suffixes such as k, M or Gi.

    Raises ValueError for any other text.
    """
    text = comparison.value.text
    if comparison.field in NUMBERS:
        return parse_size(text)
    try:
        number = float(text[:MAX_DIGITS])
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ValueError(f'"{escape(text[:MAX_DIGITS])}" is not a number')
    return number


def parse_shape(text: str) -> tuple[str | int, ...]:
    """Return the sizes of a shape: integers, "?" or "*". Raises ValueError for any other text."""
    sizes = text.removeprefix("[").removesuffix("]").replace("...", "*")
    parts = [part.strip() for part in sizes.split(",")] if sizes.strip() else []
    if not all(re.fullmatch(r"[?*]|-1|[0-9]{1,18}", part) for part in parts) or parts.count("*") > 1:
        raise ValueError(
            f'"{escape(text[:MAX_DIGITS])}" is not a shape such as ?,224,224,3, or *,3, or [] for a scalar'
        )
    return tuple(part if part in "?*" else int(part) for part in parts)
