"""Sizes as users write them."""

from __future__ import annotations

import pytest

from tfmodel.values.sizes import parse_size


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, 0),
        ("0", 0),
        ("123", 123),
        ("10k", 10_000),
        ("10K", 10_000),
        ("1.5M", 1_500_000),
        ("2 Gi", 2 << 30),
        ("1kB", 1000),
        ("1KiB", 1024),
        ("1t", 10**12),
        ("12b", 12),
    ],
)
def test_sizes(size, expected):
    assert parse_size(size) == expected


@pytest.mark.parametrize("size", ["", "k", "-1", "1e3", "1x", "1ki b", "i", "1i", "9" * 30, -1])
def test_invalid_sizes_are_refused(size):
    with pytest.raises(ValueError, match=r"not a size|must be >= 0"):
        parse_size(size)
