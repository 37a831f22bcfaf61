"""Cases from the field about kernels: their errors, their limits, and what fused ops compute."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cases import cases, needs_cases, run_module

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
