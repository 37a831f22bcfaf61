"""How errors speak of nodes: names are quoted and safe to show, and a name that is none gets a suggestion."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from pbwire.suggestions import suggestion

from ..printable import printable, shortened

if TYPE_CHECKING:
    from ..names import TensorName

__all__ = [
    "BATCH_SIZE",
    "GIVE_CHECKPOINT",
    "GIVE_FEED",
    "GIVE_SHAPE",
    "MUST_BE_FED",
    "NAME_OTHERS",
    "NOT_RESTORED",
    "NO_SEED",
    "TRY_FEEDS",
    "Guesses",
    "Named",
    "describe",
    "guess",
    "listed",
    "no_output",
    "no_tensor",
    "quoted",
]

# What helps where a Placeholder has no value, in words of Python, which commands put in their own.
TRY_FEEDS = "try feeds of your own"
MUST_BE_FED = "it must be fed, with a tensor"
GIVE_FEED = "give some in feeds="
GIVE_SHAPE = "give it in shapes=, or a value in feeds="

# What helps where a variable has no value, in words that commands put in their own.
GIVE_CHECKPOINT = "freeze the model first, give its checkpoint, or assign one"

# What to do if inputs and outputs were guessed wrong.
NAME_OTHERS = "guessed: name others if that is wrong"

# Arguments that would have no effect; commands say the option.
BATCH_SIZE = "batch_size is"
NO_SEED = "seed has no effect"
NOT_RESTORED = "the given checkpoint is not used"

_LONGEST = 1_000  # characters of a name that an error shows
_SLIP = 3  # how many characters a misspelt name is longer or shorter than the right one, at most
_MOST_COMPARED = 10_000


class Named(Protocol):
    """A node, as far as errors speak of it: a NodeDef or a MutableNode."""

    @property
    def name(self) -> str: ...
    @property
    def op(self) -> str: ...


def quoted(name: str) -> str:
    """A name in an error."""
    return f'"{printable(shortened(name, _LONGEST))}"'


def describe(node: Named) -> str:
    """A node in an error: `Conv2D "layer1/conv"`."""
    return f"{printable(shortened(node.op, _LONGEST)) or 'node'} {quoted(node.name)}"


def no_output(node: Named, port: int, count: int) -> str:
    """What to say of a tensor that a node with so many outputs does not have."""
    outputs = f"1 output, {quoted(f'{node.name}:0')}" if count == 1 else f"{count:,} outputs" if count else "none"
    return f"{describe(node)} has no output {port:,}: it has {outputs}"


def no_tensor(name: str, tensor: TensorName) -> str:
    """What to say of the name of a tensor that has something else than a number behind the colon."""
    return f"there is no tensor {quoted(name)}; write {quoted(tensor.node)}, or a number behind the colon"


def guess(name: str, known: Iterable[str]) -> str:
    """ "; did you mean ...?" if a known name is like it, else nothing."""
    close = (other for other in known if abs(len(other) - len(name)) <= _SLIP)
    return printable(suggestion(name, list(islice(close, _MOST_COMPARED))))


class Guesses:
    """`guess` for the first few names: to compare every wrong one with all others takes the square of their number."""

    def __init__(self, most: int = 5) -> None:
        self._left = most

    def __call__(self, name: str, known: Iterable[str]) -> str:
        self._left -= 1
        return guess(name, known) if self._left >= 0 else ""


def listed(names: Iterable[str], most: int = 5) -> str:
    """The first of the names, quoted, and how many more there are."""
    rest = list(names)
    text = ", ".join(map(quoted, rest[:most]))
    return text if len(rest) <= most else f"{text} and {len(rest) - most:,} more"
