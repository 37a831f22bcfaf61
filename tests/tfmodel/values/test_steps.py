"""`tfmodel.values.steps`: steps know the share of the work before them."""

from __future__ import annotations

import pytest

from tfmodel.values.steps import Step, in_steps


@pytest.mark.parametrize(
    ("total", "sizes", "shares"),
    [
        (8, [2, 4, 2], [0, 0.25, 0.75]),
        (0, [0, 0], [0, 0]),
        (2, [2, 2, 2], [0, 1, 1]),  # more than was said
    ],
)
def test_each_step_has_the_share_before_it(total: int, sizes: list[int], shares: list[float]) -> None:
    steps: list[Step] = []
    begin = in_steps(steps.append, total)
    for number, size in enumerate(sizes):
        begin(f"step {number}", size)
    assert steps == [f"step {number}" for number in range(len(sizes))]
    assert [step.share for step in steps] == shares
