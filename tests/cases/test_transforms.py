"""Transforms of graphs from the field, each with the command of its row in the folder's README."""

from __future__ import annotations

from pathlib import Path

from tests.support.cases import cases, needs_cases, run_module

FOLDER = cases / "transforms"


@needs_cases
def test_a_star_in_a_pattern_matches_any_op(tmp_path: Path) -> None:
    case = FOLDER / "star_pattern"
    done = run_module(
        *("tfmodel", "transform", case / "graph.pbtxt", "--plugin", case / "star.py"),
        *("--inputs", "x", "--outputs", "y", "--transforms", "star", "-o", tmp_path / "out.pb"),
    )
    assert done.returncode == 0
    assert done.stdout == "star matched r c\n"
