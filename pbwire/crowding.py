"""Maps by integers whose keys were chosen to meet: a dictionary would search long for the place of each.

    if len(entries) > FEW and watch_of(watches, entries).is_crowded(): ...

to be asked after every new entry. `watches` is a dict that whoever adds entries keeps until all are there.

Strings are hashed with a secret of the process. An integer is its own hash, so whoever writes a file can choose keys of
which each passes the places of thousands before it: 400 KB take seconds, and twice as much takes four times as long.
A dictionary does not tell how long it searches. So the search is done once more, with nothing but places, for each key
and in tables of two sizes: the one that the dictionary has now and the one that it will have next, since all keys are
put into that at once. Keys of a million, random or in any steps, pass fewer than `MOST` places each.

Where CPython looks: Objects/dictobject.c, of 3.6 and newer. A dictionary of 2**n places is two thirds full at most.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

__all__ = ["CROWDED", "FEW", "Watch", "watch_of"]

FEW = 4096  # entries that may meet as they like: their search takes milliseconds
STEP = 256  # entries after which it is worth while to look again
MOST = 64  # taken places that a key may pass on average
HASH = 2**64 - 1  # of its bits

CROWDED = "the keys of this map were chosen to slow down whoever reads it"


class Watch:
    """Looks at the keys that a dictionary gets; it may have some already."""

    __slots__ = ("entries", "looked", "tables")

    def __init__(self, entries: dict[Any, Any]) -> None:
        self.entries = entries
        self.looked = 0
        self.tables = _Places(8), _Places(16)

    def is_crowded(self) -> bool:
        """Have the keys met so often, up to now, that it was hardly by accident?"""
        count = len(self.entries)
        if count - self.looked < STEP:
            return False
        while self.tables[0].room < count:
            following = _Places(2 * len(self.tables[1].taken))
            following.take(islice(self.entries, self.looked), most=MOST * count)
            self.tables = self.tables[1], following
        new = list(islice(reversed(self.entries), count - self.looked))[::-1]
        self.looked = count
        for table in self.tables:
            table.take(new, most=MOST * count)
        return any(table.passed > MOST * count for table in self.tables)


def watch_of(watches: dict[int, Watch], entries: dict[Any, Any]) -> Watch:
    """Who looks at the keys of that dictionary, by its identity."""
    found = watches.get(id(entries))
    if found is None:
        found = watches[id(entries)] = Watch(entries)
    return found


class _Places:
    """Which of the places of a dictionary are taken, and how many taken ones its keys have passed."""

    __slots__ = ("passed", "room", "taken")

    def __init__(self, size: int) -> None:
        self.room = 2 * size // 3
        self.taken = bytearray(size)
        self.passed = 0

    def take(self, keys: Iterable[Any], most: int) -> None:
        """Find a place for each key, as CPython does, until they have passed more than that."""
        taken, passed = self.taken, self.passed
        mask = len(taken) - 1
        for key in keys:
            rest = hash(key) & HASH
            place = rest & mask
            while taken[place]:
                passed += 1
                rest >>= 5
                place = 5 * place + rest + 1 & mask
            taken[place] = 1
            if passed > most:
                break
        self.passed = passed
