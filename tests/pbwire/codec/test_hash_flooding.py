"""Maps by integers whose keys meet too often; tests/hostile/test_hash_collisions.py has keys that were chosen to."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from pbwire.codec.hash_flooding import FEW, MOST, STEP, Watch, watch_of
from tests.hostile.test_hash_collisions import keys_in_the_way_of_the_last, keys_that_collide
from tests.support.effort import scaled

numbers = st.integers(-(2**63), 2**64 - 1)
counts = st.integers(FEW, 3 * FEW)


def crowded_at(keys):
    """After how many keys, put into a dictionary one after the other, it is crowded; None if it is not."""
    entries, watches = {}, {}
    for key in keys:
        entries[key] = None
        if len(entries) > FEW and watch_of(watches, entries).is_crowded(key):
            return len(entries)
    return None


@given(start=numbers, step=numbers, count=counts)
def test_keys_in_any_steps_are_not(start, step, count):
    assert crowded_at((start + n * step) % 2**64 for n in range(count)) is None


def test_not_even_those_that_meet_most_and_are_many():
    assert crowded_at(3 * n << 38 for n in range(scaled(170_000))) is None


@given(seed=st.integers(0, 2**32), bits=st.integers(16, 64), count=counts)
def test_nor_are_random_ones(seed, bits, count):
    draw = random.Random(seed).getrandbits
    assert crowded_at(draw(bits) for _ in range(count)) is None


def test_what_was_chosen_is_noticed_before_it_is_large():
    assert crowded_at(keys_that_collide()) < 7_000 < len(keys_that_collide())


def test_so_is_what_was_there_before():
    assert Watch(dict.fromkeys(keys_that_collide())).is_crowded(0)


def test_it_looks_at_the_dictionary_that_there_is_and_at_the_next_one():
    watch = Watch(dict.fromkeys(range(2 * 2**13 // 3 - 1)))
    watch.is_crowded(2**13)  # with it there are as many as 2**13 places take
    assert [(len(table.places), table.taken) for table in watch.tables] == [(2**13, 5461), (2**14, 5461)]


def test_it_looks_at_some_hundred_keys_at_once():
    watch = Watch(dict.fromkeys(range(FEW)))
    looked = []
    for key in range(FEW, FEW + 3 * STEP):
        watch.is_crowded(key)
        looked.append(watch.tables[0].taken)
    assert sorted(set(looked)) == [FEW + 1, FEW + 1 + STEP, FEW + 1 + 2 * STEP]


def test_a_key_that_comes_again_takes_no_place():
    watch = Watch(dict.fromkeys(range(FEW)))
    assert not any(watch.is_crowded(key) for _ in range(3) for key in range(FEW))
    assert watch.tables[0].taken == FEW


def test_one_key_that_passes_many_others_is_when_it_comes_again_and_again():
    *others, last = keys_in_the_way_of_the_last(13)
    assert crowded_at([*others, last]) is None
    assert crowded_at([*others, *[last] * len(others)]) is not None


def test_keys_that_are_put_nowhere_fill_no_table():
    watch = Watch(dict.fromkeys(range(FEW)))
    assert not any(watch.is_crowded(key) for key in range(FEW, 10 * FEW))  # JSON may leave out what it cannot read
    assert len(watch.tables[0].places) == 2**16


def test_the_search_ends_when_it_has_shown_enough():
    watch = Watch(dict.fromkeys(keys_that_collide()))
    watch.is_crowded(0)
    assert all(table.passed <= (MOST + 1) * len(keys_that_collide()) for table in watch.tables)
