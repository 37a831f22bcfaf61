"""Numbers on the command line: invalid values end a command before it reads any file."""

from __future__ import annotations

import pytest

from tfmodel.cli import main

RUN = ["run", "gone.pb", "--fetch=y", "--random"]
VERIFY = ["verify", "gone.pb", "gone.pb", "--outputs=y"]
OPTIMIZE = ["optimize", "gone.pb", "-o", "out.pb"]
TRANSFORM = ["transform", "gone.pb", "-o", "out.pb", "--recipe=deploy", "--verify"]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ([*RUN, "--seed=-1"], "--seed: at least 0, not -1"),
        ([*VERIFY, "--seed=-1"], "--seed: at least 0, not -1"),
        ([*OPTIMIZE, "--seed=x"], '--seed: "x" is not a whole number'),
        ([*RUN, "--batch-size=-1"], "--batch-size: at least 1, not -1"),
        ([*TRANSFORM, "--batch-size=0"], "--batch-size: at least 1, not 0"),  # nothing would be compared
        ([*VERIFY, "--runs=0"], "--runs: at least 1, not 0"),
        ([*RUN, "--max-steps=-1"], "--max-steps: at least 0, not -1"),
        ([*RUN, "--max-bytes=-1"], '--max-bytes: "-1" is not a size: give bytes, or 10k, 1.5M, 2Gi'),
        (
            ["dump", "gone.pb", "--max-unpacked=lots"],
            '--max-unpacked: "lots" is not a size: give bytes, or 10k, 1.5M, 2Gi',
        ),
        ([*VERIFY, "--rtol=-1"], '--rtol: "-1" is not a tolerance: give a number such as 1e-4, or 0'),
        ([*VERIFY, "--atol=nan"], '--atol: "nan" is not a tolerance: give a number such as 1e-4, or 0'),
        (
            ["diff", "gone.pb", "gone.pb", "--atol=x"],
            '--atol: "x" is not a tolerance: give a number such as 1e-4, or 0',
        ),
        (
            ["diff", "gone.pb", "gone.pb", "--rtol=-1"],
            '--rtol: "-1" is not a tolerance: give a number such as 1e-4, or 0',
        ),
        ([*OPTIMIZE, "--rtol=nan"], '--rtol: "nan" is not a tolerance: give a number such as 1e-4, or 0'),
        ([*TRANSFORM, "--rtol=x"], '--rtol: "x" is not a tolerance: give a number such as 1e-4, or 0'),
    ],
    ids=lambda value: f"{value[0]} {value[-1]}" if isinstance(value, list) else "",
)
def test_invalid_numbers_are_usage_errors(call, problem, capsys):
    assert main(call) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"tfmodel {call[0]}: {problem}"


@pytest.mark.parametrize(
    "options",
    [
        [*RUN, "--seed=0", "--batch-size=1", "--max-steps=0", "--max-bytes=1.5Gi"],
        [*VERIFY, "--rtol=0", "--atol=1e9", "--runs=1"],
        ["dump", "gone.pb", "--max-unpacked=2G"],
    ],
    ids=lambda options: options[0],
)
def test_valid_numbers_are_accepted(options, capsys):
    assert main(options) == 2
    assert "gone.pb: no such file or directory" in capsys.readouterr().err
