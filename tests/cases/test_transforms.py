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


@needs_cases
def test_block_sizes_that_are_strings_are_left_alone(tmp_path: Path) -> None:
    case = FOLDER / "atrous_typeerror"
    done = run_module(
        *("tfmodel", "transform", case / "graph.pb", "--inputs", "x", "--outputs", "y", "--verbose"),
        *("--transforms", "flatten_atrous_conv", "-o", tmp_path / "out.pb"),
    )
    assert done.returncode == 0
    assert 'left 1 alone: Const "block" is string, not int32 or int64' in done.stderr
