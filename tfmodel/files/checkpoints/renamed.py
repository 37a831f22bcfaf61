"""A checkpoint with other names for its tensors.

RenamedCheckpoint(checkpoint, {"^encoder/": "model/encoder/"})
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import CheckpointError, with_name
from ...values.terminal import escape
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
        names = {name: name for name in checkpoint}
        for pattern, replacement in rules.items():
            changed = {name: self._rename(pattern, replacement, new) for name, new in names.items()}
            if changed == names:
                raise self._problem(f"no tensor has a name that {pattern!r} changes")
            names = changed
        self._names: dict[str, str] = {}
        for name, new in names.items():
            if self._names.setdefault(new, name) != name:
                raise self._problem(f"{self._names[new]!r} and {name!r} would both be called {new!r}")
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

    def _rename(self, pattern: str, replacement: str, name: str) -> str:
        try:
            return re.sub(pattern, replacement, name)
        except (re.error, IndexError) as error:
            raise self._problem(f"{pattern!r} and {replacement!r} do not rename tensors: {error}") from None

    def _problem(self, text: str) -> CheckpointError:
        return CheckpointError(with_name(escape(self.prefix), f"{escape(text)}"))
