"""A checkpoint with other names for its tensors.

RenamedCheckpoint(checkpoint, {"^encoder/": "model/encoder/"})
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import CheckpointError, with_name
from ...values.terminal import escape, quote
from .checkpoint import Checkpoint

if TYPE_CHECKING:
    import numpy.typing as npt

    from .entries import Entry, Extents


class RenamedCheckpoint(Mapping[str, "npt.NDArray[Any]"]):
    """The tensors of a checkpoint by new names.

    `rules` maps regular expressions to their replacements, as in `re.sub`; each rule applies to the result of the one
    before. `entries` has the type, shape and location of every tensor.

    Raises CheckpointError for an invalid expression, for a rule that changes no name, and if two tensors get the same
    name.
    """

    def __init__(self, checkpoint: Checkpoint, rules: Mapping[str, str]) -> None:
        self._checkpoint = checkpoint
        self.prefix = checkpoint.prefix
        self._names = renamed(self.prefix, checkpoint, rules)
        self.entries: dict[str, Entry] = {new: checkpoint.entries[name] for new, name in self._names.items()}

    def read(self, name: str, extents: Extents | None = None) -> npt.NDArray[Any]:
        """Return a tensor, or a part of it: see `Checkpoint.read`."""
        return self._checkpoint.read(self._names.get(name, name), extents)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self._checkpoint[self._names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def renamed(prefix: str, names: Iterable[str], rules: Mapping[str, str]) -> dict[str, str]:
    """Return the names of tensors by their new names. Errors, as of RenamedCheckpoint, begin with the prefix."""
    problem = partial(_problem, prefix)
    new_names = {name: name for name in names}
    for pattern, replacement in rules.items():
        try:
            changed = {name: re.sub(pattern, replacement, new) for name, new in new_names.items()}
        except (re.error, IndexError) as error:
            raise problem(f"{quote(pattern)} and {quote(replacement)} do not rename tensors: {error}") from None
        if changed == new_names:
            raise problem(f"no tensor has a name that {quote(pattern)} changes")
        new_names = changed
    result: dict[str, str] = {}
    for name, new in new_names.items():
        if result.setdefault(new, name) != name:
            raise problem(f"{quote(result[new])} and {quote(name)} would both be called {quote(new)}")
    return result


def _problem(prefix: str, text: str) -> CheckpointError:
    return CheckpointError(with_name(escape(prefix), escape(text)))
