"""Graphviz's language, as far as it is needed: https://graphviz.org/doc/info/lang.html

    digraph "a title" {
      node [shape="box"];
      subgraph "cluster 1" {
        label="block_1";
        "block_1/conv" [label="conv\\nConv2D"];
      }
      "x" -> "block_1/conv" [label="[?,4]"];
    }

All that comes from a graph stands in quotes, where Graphviz knows one escape only, that of the quote itself; and labels
are then read once more, for backslashes and for entities such as `&lt;`. Control characters become visible escapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...printable import printable

__all__ = ["attributes", "block", "identifier", "label", "statement"]


def identifier(text: str) -> str:
    """A name in quotes. Different printable names stay different."""
    return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def label(lines: Iterable[str]) -> str:
    """Lines of text, each centered, as they are to be seen."""
    return '"' + "\\n".join(_escaped(line) for line in lines) + '"'


def _escaped(line: str) -> str:
    return printable(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def attributes(pairs: Mapping[str, str]) -> str:
    """`[a="1", b="2"]` of values that are written as they stand in the language; nothing of none."""
    return f" [{', '.join(f'{name}={value}' for name, value in pairs.items())}]" if pairs else ""


def statement(text: str, indent: int) -> str:
    return f"{'  ' * indent}{text}"


def block(head: str, lines: Iterable[str], indent: int) -> Iterator[str]:
    """Statements in braces."""
    yield statement(f"{head} {{", indent)
    yield from lines
    yield statement("}", indent)
