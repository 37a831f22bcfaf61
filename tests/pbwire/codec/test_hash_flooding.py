"""Integer keys that collide too often; tests/hostile/test_hash_collisions.py has attacks."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from pbwire.codec.hash_flooding import KEYS_PER_CHECK, MAX_MEAN_PROBES, MIN_WATCHED_ENTRIES, Watch, watch_for
from tests.hostile.test_hash_collisions import keys_in_the_way_of_the_last, keys_that_collide
from tests.support.effort import scaled

numbers = st.integers(-(2**63), 2**64 - 1)
counts = st.integers(MIN_WATCHED_ENTRIES, 3 * MIN_WATCHED_ENTRIES)


def crowded_at(keys):
    """Return the number of keys, stored in a dictionary one by one, after which it is crowded, or None."""
    entries, watches = {}, {}
    for key in keys:
        entries[key] = None
        if len(entries) > MIN_WATCHED_ENTRIES and watch_for(watches, entries).is_crowded(key):
            return len(entries)
    return None


@given(start=numbers, step=numbers, count=counts)
def test_equidistant_keys_are_not_crowded(start, step, count):
    assert crowded_at((start + n * step) % 2**64 for n in range(count)) is None


def test_the_worst_equidistant_keys_are_not_crowded():
    assert crowded_at(3 * n << 38 for n in range(scaled(170_000))) is None


@given(seed=st.integers(0, 2**32), bits=st.integers(16, 64), count=counts)
def test_random_keys_are_not_crowded(seed, bits, count):
    draw = random.Random(seed).getrandbits
    assert crowded_at(draw(bits) for _ in range(count)) is None


def test_colliding_keys_are_noticed_early():
    assert crowded_at(keys_that_collide()) < 7_000 < len(keys_that_collide())


def test_colliding_keys_from_before_the_watch_are_noticed():
    assert Watch(dict.fromkeys(keys_that_collide())).is_crowded(0)


def test_the_current_and_the_next_size_of_the_dictionary_are_checked():
    watch = Watch(dict.fromkeys(range(2 * 2**13 // 3 - 1)))
    watch.is_crowded(2**13)  # with it there are as many as 2**13 places take
    assert [(len(table.places), table.taken) for table in watch.tables] == [(2**13, 5461), (2**14, 5461)]


def test_keys_are_checked_in_batches():
    watch = Watch(dict.fromkeys(range(MIN_WATCHED_ENTRIES)))
    looked = []
    for key in range(MIN_WATCHED_ENTRIES, MIN_WATCHED_ENTRIES + 3 * KEYS_PER_CHECK):
        watch.is_crowded(key)
        looked.append(watch.tables[0].taken)
    assert sorted(set(looked)) == [
        MIN_WATCHED_ENTRIES + 1,
        MIN_WATCHED_ENTRIES + 1 + KEYS_PER_CHECK,
        MIN_WATCHED_ENTRIES + 1 + 2 * KEYS_PER_CHECK,
    ]


def test_a_repeated_key_is_stored_once():
    watch = Watch(dict.fromkeys(range(MIN_WATCHED_ENTRIES)))
    assert not any(watch.is_crowded(key) for _ in range(3) for key in range(MIN_WATCHED_ENTRIES))
    assert watch.tables[0].taken == MIN_WATCHED_ENTRIES


def test_a_repeated_key_with_many_probes_is_crowded():
    *others, last = keys_in_the_way_of_the_last(13)
    assert crowded_at([*others, last]) is None
    assert crowded_at([*others, *[last] * len(others)]) is not None


def test_keys_that_are_not_stored_do_not_fill_the_table():
    watch = Watch(dict.fromkeys(range(MIN_WATCHED_ENTRIES)))
    assert not any(
        watch.is_crowded(key) for key in range(MIN_WATCHED_ENTRIES, 10 * MIN_WATCHED_ENTRIES)
    )  # JSON may leave out what it cannot read
    assert len(watch.tables[0].places) == 2**16


def test_checking_stops_at_the_limit_of_probes():
    watch = Watch(dict.fromkeys(keys_that_collide()))
    watch.is_crowded(0)
    assert all(table.probes <= (MAX_MEAN_PROBES + 1) * len(keys_that_collide()) for table in watch.tables)
