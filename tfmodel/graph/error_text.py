"""Text for errors about nodes: names are quoted and safe to print, and unknown names get suggestions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from pbwire.errors import suggestion

from ..values.terminal import MAX_NAME_CHARACTERS, escape, shorten
from ..values.terminal import quote as quote  # for other errors about nodes

if TYPE_CHECKING:
    from ..messages import NodeDef
    from ..values.names import TensorName

MAX_LENGTH_DIFFERENCE = 3
"""The maximum difference in length between an unknown name and its suggestion."""

MAX_COMPARED_NAMES = 10_000
"""The most names that a misspelt name is compared with."""


def describe(node: NodeDef) -> str:
    """Return a node as errors show it: `Conv2D "layer1/conv"`."""
    return f"{escape(shorten(node.op, MAX_NAME_CHARACTERS)) or 'node'} {quote(node.name)}"


def with_node(node: NodeDef, problem: str) -> str:
    """Return a problem of a node after the node, unless the problem names the node itself.

    The errors of functions that are given a node name it, somewhere in a sentence; those of others do not.
    """
    return problem if describe(node) in problem else f"{describe(node)}: {problem}"


def no_output(node: NodeDef, port: int, count: int) -> str:
    """Return the error for an output that a node with `count` outputs does not have."""
    outputs = f"1 output, {quote(f'{node.name}:0')}" if count == 1 else f"{count:,} outputs" if count else "none"
    return f"{describe(node)} has no output {port:,}: it has {outputs}"


def no_tensor(name: str, tensor: TensorName) -> str:
    """Return the error for a control input, or for a name with anything but a number after the colon."""
    if tensor.is_control:
        return f"{quote(name)} is a control input, not a tensor; write {quote(tensor.node)}"
    return f"there is no tensor {quote(name)}; write {quote(tensor.node)}, or a number after the colon"


def guess(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" if a known name is similar, else ""."""
    close = (other for other in known if abs(len(other) - len(name)) <= MAX_LENGTH_DIFFERENCE)
    return escape(suggestion(name, list(islice(close, MAX_COMPARED_NAMES))))


class Guesses:
    """Suggestions for only the first few unknown names, since comparing all with all names takes quadratic time."""

    def __init__(self, limit: int = 5) -> None:
        self._left = limit

    def __call__(self, name: str, known: Iterable[str]) -> str:
        self._left -= 1
        return guess(name, known) if self._left >= 0 else ""


def list_names(names: Iterable[str], limit: int = 5) -> str:
    """Return the first names, quoted, and the number of the others: `"a", "b" and 3 more`."""
    all_names = list(names)
    text = ", ".join(map(quote, all_names[:limit]))
    return text if len(all_names) <= limit else f"{text} and {len(all_names) - limit:,} more"
