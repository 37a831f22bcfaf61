"""Cases from the field about kernels: their errors, their limits, and what fused ops compute."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import ROOT, cases, needs_cases, run_module

TRANSFORMS, LIMITS = cases / "transforms", cases / "limits"


@needs_cases
def test_a_wrong_number_of_inputs_is_named() -> None:
    done = run_module(
        "tfmodel", "run", TRANSFORMS / "run_arity_message" / "badop.pbtxt", "--feed", "x=1.0", "--fetch", "e"
    )
    assert done.returncode == 1
    assert 'Relu "e" takes 1 input, and has 2' in done.stderr


@needs_cases
@pytest.mark.parametrize(
    ("graph", "transform"),
    [
        ("reflect0.pb", "fuse_pad_and_conv"),
        ("symmetric0.pb", "fuse_pad_and_conv"),
        ("reflect1.pb", "fuse_resize_pad_and_conv"),
    ],
)
def test_verification_shows_that_fused_padding_is_wrong_for_a_batch(graph: str, transform: str, tmp_path: Path) -> None:
    """It is refused by verification, or by the transform itself: no file is written."""
    folder = TRANSFORMS / "fused_pad_batch"
    words = [
        "--inputs",
        "x",
        "--outputs",
        "y",
        "--transforms",
        transform,
        "--verify",
        "--feed",
        f"x={folder / 'x.npy'}",
    ]
    done = run_module("tfmodel", "transform", folder / graph, *words, "-o", tmp_path / "out.pb")
    fused = done.returncode == 0 and b"Fused" in (tmp_path / "out.pb").read_bytes()
    assert not fused, done.stderr


@needs_cases
@pytest.mark.parametrize(
    ("graph", "limit"),
    [("sparse_product", 10), ("string_format", 15), ("random_half", 45), ("table_of_numbers", 30)],
)
def test_a_run_takes_at_most_twice_its_limit(graph: str, limit: int) -> None:
    """It is refused, or takes at most twice the limit and 64 MB."""
    words = ["tfmodel", "run", str(LIMITS / "max_bytes" / f"{graph}.pb"), "--fetch", "y", "--max-bytes", f"{limit}M"]
    status, _, usage = _measured([sys.executable, "-m", *words])
    assert status in (0, 1)
    assert usage.ru_maxrss * 1024 <= 2 * limit * 1_000_000 + (64 << 20)


@needs_cases
def test_a_weight_of_many_functions_is_converted_once() -> None:
    status, printed, usage = _measured([sys.executable, str(LIMITS / "tfjs_amplification" / "show.py"), "1000"])
    assert status == 0
    assert "opened" in printed
    assert usage.ru_maxrss * 1024 <= 200 << 20


def _measured(command: list[str]) -> tuple[int, str, resource.struct_rusage]:
    """Run a command in a child process, and return its exit status, what it printed, and what it used."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        printed = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, printed, usage


@needs_cases
@pytest.mark.parametrize("graph", ["m.pb", "m1000.pb"])
def test_folding_leaves_functions_that_take_minutes_alone(graph: str, tmp_path: Path) -> None:
    file = LIMITS / "polygamma_folding" / graph
    words = ["--inputs=", "--outputs", "y", "--transforms", "fold_constants", "-o", tmp_path / "out.pb"]
    assert run_module("tfmodel", "transform", file, *words, timeout=60).returncode == 0
