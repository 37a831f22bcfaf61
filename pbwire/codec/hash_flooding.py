"""Maps by integers whose keys were chosen to meet: a dictionary would search long for the place of each.

    if len(entries) > FEW and watch_of(watches, entries).is_crowded(key): ...

to be asked whenever a key was put into `entries`, be it there already. `watches` is a dict that whoever reads a file
keeps until all of it is read.

Strings are hashed with a secret of the process. An integer is its own hash, so whoever writes a file can choose keys of
which each passes the places of thousands before it: 400 KB take seconds, and twice as much takes four times as long.
A dictionary does not tell how long it searches. So the search is done once more, with nothing but keys, in tables of
two sizes: the one that the dictionary has now and the one that it will have next, since all keys are put into that at
once. More than `MOST` places on average are no accident: random keys pass one at most, and the worst of many steps that
were tried, 690,000 multiples of 3 << 38, pass 132.

Where CPython looks: Objects/dictobject.c, of 3.6 and newer. A dictionary of 2**n places is two thirds full at most.
"""

from __future__ import annotations

from typing import Any

from ..wire import fail

__all__ = ["CROWDED", "FEW", "Watch", "watch_of", "watched"]

FEW = 4096  # entries that may meet as they like: their search takes milliseconds
STEP = 256  # keys after which it is worth while to look
MOST = 256  # places that a key may pass on average
HASH = 2**64 - 1  # of its bits

CROWDED = "the keys of this map were chosen to slow down whoever reads it"


class Watch:
    """Looks at the keys that a dictionary gets; it may have some already."""

    __slots__ = ("entries", "keys", "tables")

    def __init__(self, entries: dict[Any, Any]) -> None:
        self.entries = entries
        self.keys = list(entries)  # that were not looked at
        self.tables = _Table(8), _Table(16)

    def is_crowded(self, key: Any) -> bool:
        """The key is put there now: have keys met so often, up to now, that it was hardly by accident?"""
        self.keys.append(key)
        if len(self.keys) < STEP:
            return False
        keys, self.keys = self.keys, []
        while True:
            now, following = self.tables
            done = now.put(keys)
            following.put(keys[:done])
            if now.is_crowded or following.is_crowded:
                return True
            if done == len(keys):
                return False
            keys = keys[done:]
            self.tables = following, following.doubled()


def watch_of(watches: dict[int, Watch], entries: dict[Any, Any]) -> Watch:
    """Who looks at the keys of that dictionary, by its identity."""
    found = watches.get(id(entries))
    if found is None:
        found = watches[id(entries)] = Watch(entries)
    return found


def watched(watch: Watch | None, entries: dict[Any, Any], merged: Any, key: Any, at: int) -> Watch:
    """Look at the keys of a map that is not small any more, when the entry at `at` has put one there.

    Who looked at it before is given again. Raises DecodeError if the keys are crowded.
    """
    if watch is None:
        watch = Watch(entries) if merged is None else watch_of(merged.watches, entries)
    if watch.is_crowded(key):
        fail(CROWDED, at)
    return watch


class _Table:
    """The keys of a dictionary in their places, how often one was put there, and how many others were passed."""

    __slots__ = ("count", "passed", "places", "taken")

    def __init__(self, size: int) -> None:
        self.places: list[Any] = [None] * size
        self.taken = self.count = self.passed = 0

    @property
    def is_crowded(self) -> bool:
        return self.passed > MOST * max(self.count, FEW)

    def doubled(self) -> _Table:
        larger = _Table(2 * len(self.places))
        larger.put([key for key in self.places if key is not None])
        return larger

    def put(self, keys: list[Any]) -> int:
        """Find the place of each key, as CPython does, until the dictionary has to grow, or too many are passed.

        How many keys were put there is told.
        """
        places, passed = self.places, self.passed
        mask, room = len(places) - 1, 2 * len(places) // 3
        most = MOST * max(self.count + len(keys), FEW)
        done = 0
        for key in keys:
            rest = hash(key) & HASH
            place = rest & mask
            while (other := places[place]) is not None and other != key:
                passed += 1
                rest >>= 5
                place = 5 * place + rest + 1 & mask
            if other is None:
                if self.taken == room:
                    break
                places[place] = key
                self.taken += 1
            done += 1
            if passed > most:
                break
        self.passed = passed
        self.count += done
        return done
