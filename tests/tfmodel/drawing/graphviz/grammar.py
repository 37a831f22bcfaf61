"""A parser of Graphviz's language, after its documentation: the statements of a document, or an error.

    parse('digraph "g" { a -> "b" [label="x"]; }')      # [("edge", "a", "b", {"label": "x"})]

https://graphviz.org/doc/info/lang.html
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["parse", "shown"]

_TOKEN = re.compile(r'\s*(->|[{}\[\];=,]|"(?:\\\\|\\"|[^"\\]|\\(?!"))*"|[A-Za-z_][A-Za-z0-9_]*|-?[0-9]+(?:\.[0-9]+)?)')


def parse(text: str) -> list[tuple[Any, ...]]:
    """("node", name, attributes), ("edge", source, target, attributes), ("default", kind, attributes), ("open", name)
    and ("close",) for frames, each of another name. Raises ValueError."""
    tokens, pos = [], 0
    text = text.rstrip()
    while pos < len(text):
        match = _TOKEN.match(text, pos)
        if match is None:
            raise ValueError(f"no token at {text[pos : pos + 40]!r}")
        tokens.append(match[1])
        pos = match.end()
    return _Parser(tokens).document()


def _name(token: str) -> str:
    if token in ("->", "{", "}", "[", "]", ";", "=", ","):
        raise ValueError(f"{token} where a name belongs")
    return token[1:-1].replace('\\"', '"') if token.startswith('"') else token


def shown(label: str) -> list[str]:
    """The lines that Graphviz shows for a label, once the quotes are off."""
    lines = [""]
    for part in re.findall(r"\\.|[^\\]", label):
        if part == "\\n":
            lines.append("")
        else:
            lines[-1] += part[1:] if part.startswith("\\") else part
    return [line.replace("&amp;", "&") for line in lines]


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.found: list[tuple[Any, ...]] = []

    def take(self, *expected: str) -> str:
        if not self.tokens or (expected and self.tokens[0] not in expected):
            raise ValueError(f"expected {expected}, found {self.tokens[:3]}")
        return self.tokens.pop(0)

    def document(self) -> list[tuple[Any, ...]]:
        self.take("digraph")
        _name(self.take())
        self.take("{")
        self.statements()
        if self.tokens:
            raise ValueError(f"behind the end: {self.tokens[:3]}")
        return self.found

    def statements(self) -> None:
        while self.tokens and self.tokens[0] != "}":
            self.statement()
        self.take("}")

    def statement(self) -> None:
        first = self.take()
        if first == "subgraph":
            frame = ("open", _name(self.take()))
            if frame in self.found:
                raise ValueError(f"a second frame of the name {frame[1]}, which programs take for the first")
            self.found.append(frame)
            self.take("{")
            self.statements()
            self.found.append(("close",))
            return
        if first in ("graph", "node", "edge"):
            self.found.append(("default", first, self.attributes()))
        elif self.tokens[:1] == ["->"]:
            self.take("->")
            target = _name(self.take())
            self.found.append(("edge", _name(first), target, self.attributes()))
        else:
            self.found.append(("node", _name(first), self.attributes()))
        self.take(";")

    def attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        if self.tokens[:1] != ["["]:
            return attributes
        self.take("[")
        while self.tokens[0] != "]":
            name = _name(self.take())
            self.take("=")
            attributes[name] = _name(self.take())
            if self.tokens[0] != "]":
                self.take(",")
        self.take("]")
        return attributes
