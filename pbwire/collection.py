"""Pause the garbage collector while objects are made that all survive: a collection would only walk through them."""

from __future__ import annotations

import gc


class PausedCollection:
    """A context without garbage collection, for code whose new objects all survive, as those of decoders and copies.

    Only the context that has disabled the collector enables it again, and one that finds it disabled leaves it so: the
    threads of a process share the collector, and whichever ends last, it is as it was.
    """

    __slots__ = ("_has_disabled",)

    def __enter__(self) -> None:
        self._has_disabled = gc.isenabled()
        if self._has_disabled:
            gc.disable()

    def __exit__(self, *error: object) -> None:
        if self._has_disabled:
            gc.enable()
