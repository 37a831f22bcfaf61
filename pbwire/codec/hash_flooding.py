"""Detect hash-flooding attacks on integer-keyed maps.

    if len(entries) > MIN_WATCHED_ENTRIES and watch_for(watches, entries).is_crowded(key): ...

Call this each time a key is stored in `entries`, even if `entries` had the key before. `watches` is a dict that is kept
until the whole file is read.

String hashes are salted with a secret of the process. But an integer is its own hash. So the author of a file can
choose integer keys that collide: to insert a key, the dictionary probes the places of thousands of other keys. Then 400
KB take seconds, and twice as much takes four times as long. A dictionary does not report its probes, so this module
repeats them in two tables of keys. One has the current size of the dictionary; the other has the next size, since all
keys are inserted again when the dictionary grows. More than `MAX_MEAN_PROBES` probes per key are not an accident:
random keys need at most one, and the worst regular keys known, 690,000 multiples of 3 << 38, need 132.

The probe sequence is that of CPython 3.6 and newer: Objects/dictobject.c. A dictionary of 2**n places is at most two
thirds full.
"""

from __future__ import annotations

from ..wire import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MIN_WATCHED_ENTRIES = 4096  # smaller maps are not watched: their probes take milliseconds
KEYS_PER_CHECK = 256  # keys between two checks
MAX_MEAN_PROBES = 256  # per key, on average
HASH_MASK = 2**64 - 1

CROWDED_KEYS = "the keys of this map collide in a hash table, as if chosen to slow down its readers"


class Watch:
    """Watches the keys that are stored in a dictionary, including the keys that it has already."""

    __slots__ = ("entries", "keys", "tables")

    def __init__(self, entries: dict[Any, Any]) -> None:
        self.entries = entries
        self.keys = list(entries)  # not checked yet
        self.tables = _Table(8), _Table(16)

    def is_crowded(self, key: Any) -> bool:
        """Record that `key` is stored now, and return whether the keys so far look like a hash-flooding attack."""
        self.keys.append(key)
        if len(self.keys) < KEYS_PER_CHECK:
            return False
        keys, self.keys = self.keys, []
        while True:
            current, larger = self.tables
            inserted = current.put(keys)
            larger.put(keys[:inserted])
            if current.is_crowded or larger.is_crowded:
                return True
            if inserted == len(keys):
                return False
            keys = keys[inserted:]
            self.tables = larger, larger.double_size()


def watch_for(watches: dict[int, Watch], entries: dict[Any, Any]) -> Watch:
    """Return the watch of a dictionary, by its identity; create it if necessary."""
    watch = watches.get(id(entries))
    if watch is None:
        watch = watches[id(entries)] = Watch(entries)
    return watch


def watch_key(watch: Watch | None, entries: dict[Any, Any], merge_state: Any, key: Any, tag_pos: int) -> Watch:
    """Record a key that is stored in a large map, and return the watch of the map. It is created if `watch` is None.

    `tag_pos` is the position of the entry, for the error. If `merge_state` is not None, it keeps the watch for the next
    part of the message. Raises DecodeError for a hash-flooding attack.
    """
    if watch is None:
        watch = Watch(entries) if merge_state is None else watch_for(merge_state.watches, entries)
    if watch.is_crowded(key):
        fail(CROWDED_KEYS, tag_pos)
    return watch


class _Table:
    """A copy of the hash table of a dictionary, with the numbers of insertions and probes."""

    __slots__ = ("count", "places", "probes", "taken")

    def __init__(self, size: int) -> None:
        self.places: list[Any] = [None] * size
        self.taken = self.count = self.probes = 0

    @property
    def is_crowded(self) -> bool:
        return self.probes > MAX_MEAN_PROBES * max(self.count, MIN_WATCHED_ENTRIES)

    def double_size(self) -> _Table:
        larger = _Table(2 * len(self.places))
        larger.put([key for key in self.places if key is not None])
        return larger

    def put(self, keys: list[Any]) -> int:
        """Insert keys as CPython does, until the dictionary has to grow or the limit of probes is reached.

        Return the number of keys that were inserted.
        """
        places, probes = self.places, self.probes
        mask, limit = len(places) - 1, 2 * len(places) // 3
        max_probes = MAX_MEAN_PROBES * max(self.count + len(keys), MIN_WATCHED_ENTRIES)
        inserted = 0
        for key in keys:
            bits = hash(key) & HASH_MASK
            place = bits & mask
            while (other := places[place]) is not None and other != key:
                probes += 1
                bits >>= 5
                place = 5 * place + bits + 1 & mask
            if other is None:
                if self.taken == limit:
                    break
                places[place] = key
                self.taken += 1
            inserted += 1
            if probes > max_probes:
                break
        self.probes = probes
        self.count += inserted
        return inserted
