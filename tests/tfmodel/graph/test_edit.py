"""Names for new nodes."""

from __future__ import annotations

import pytest

from tests.hostile.measure import assert_linear
from tfmodel.values.names import TakenNames


def test_fresh_names() -> None:
    taken = TakenNames(("a", "b_1"))
    assert [taken.fresh(base) for base in ("a", "a", "b", "b", "c")] == ["a_1", "a_2", "b", "b_2", "c"]
    names = [taken.fresh("n") for _ in range(1000)]
    assert names == ["n", *(f"n_{number}" for number in range(1, 1000))]


def test_fresh_names_that_are_taken_meanwhile_are_passed_over() -> None:
    taken = TakenNames("a")
    assert taken.fresh("a") == "a_1"
    taken.add("a_2")
    assert taken.fresh("a") == "a_3"
    assert "a_3" in taken


# Each gives names of about this number of characters in all.
ADVERSARIES = {
    "powers of two": lambda size: [f"n_{2**power}" for power in range(int((size * 7) ** 0.5))],
    "all numbers": lambda size: [f"n_{number}" for number in range(size // 7)],
    "even numbers": lambda size: [f"n_{2 * number}" for number in range(size // 7)],
    "numbers of 4,300 digits and more": lambda size: [f"n_{'9' * 4300}{number}" for number in range(size // 4300)],
    "leading zeros": lambda size: [f"n_{'0' * (number % 60)}{number}" for number in range(size // 40)],
    "a number behind a number": lambda size: ["n" + "_1" * number for number in range(int(size**0.5))],
    "prefixes of each other": lambda size: ["n" * number for number in range(1, int((2 * size) ** 0.5))],
    "one long name": lambda size: ["n" * size, "n" * size + "_1"],
}


@pytest.mark.parametrize("kind", ADVERSARIES)
def test_fresh_names_of_hostile_ones_take_linear_time(kind):
    """Attack: names that are taken where a search for a free one would look.

    Naive: counts from 1 each time; doubles the number, until it has thousands of digits; int() of a suffix.
    """

    def search(names: list[str]) -> None:
        taken = TakenNames(["n", *names])
        fresh = [taken.fresh("n") for _ in range(sum(map(len, names)) // 20)]
        fresh += [taken.fresh(name) for name in names]
        assert len({*names, *fresh}) == len(names) + len(fresh)

    assert_linear(search, lambda size: ADVERSARIES[kind](size), 20_000)
