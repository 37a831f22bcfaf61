"""Cases from the field about kernels: their errors, their limits, and what fused ops compute."""

from __future__ import annotations

import os
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
    assert done.returncode == 2
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
    file = LIMITS / "max_bytes" / f"{graph}.pb"
    status, _, peak = _measured("run_module", "tfmodel", "run", str(file), "--fetch", "y", "--max-bytes", f"{limit}M")
    assert status in (0, 2)
    assert peak <= 2 * limit * 1_000_000 + (64 << 20)


@needs_cases
def test_a_weight_of_many_functions_is_converted_once() -> None:
    status, printed, peak = _measured("run_path", str(LIMITS / "tfjs_amplification" / "show.py"), "1000")
    assert status == 0
    assert "opened" in printed
    assert peak <= 200 << 20


_MEASURED = """
import atexit, runpy, sys

def report():
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])

atexit.register(report)
how, sys.argv = sys.argv[1], sys.argv[2:]
getattr(runpy, how)(sys.argv[0], run_name="__main__", **({"alter_sys": True} if how == "run_module" else {}))
"""


def _measured(how: str, *words: str) -> tuple[int, str, int]:
    """Run a program in a child process; return its exit status, what it printed, and its peak of memory in bytes.

    The child reports its peak itself: the system's accounting of a child begins with the memory of its parent.
    """
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not report the peak of a process")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", _MEASURED, how, *words]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    *_, peak = done.stdout.split()
    return done.returncode, done.stdout, int(peak) * 1024


@needs_cases
@pytest.mark.parametrize("graph", ["m.pb", "m1000.pb"])
def test_folding_leaves_functions_that_take_minutes_alone(graph: str, tmp_path: Path) -> None:
    file = LIMITS / "polygamma_folding" / graph
    words = ["--inputs=", "--outputs", "y", "--transforms", "fold_constants", "-o", tmp_path / "out.pb"]
    assert run_module("tfmodel", "transform", file, *words, timeout=60).returncode == 0
