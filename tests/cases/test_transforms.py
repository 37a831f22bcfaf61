"""Transforms of graphs from the field, each with the command of its row in the folder's README."""

from __future__ import annotations

from pathlib import Path

import pytest

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
def test_block_sizes_that_are_strings_are_refused_by_name(tmp_path: Path) -> None:
    case = FOLDER / "atrous_typeerror"
    done = run_module(
        *("tfmodel", "transform", case / "graph.pb", "--inputs", "x", "--outputs", "y", "--verbose"),
        *("--transforms", "flatten_atrous_conv", "-o", tmp_path / "out.pb"),
    )
    assert done.returncode == 2  # TensorFlow refuses the graph, before and after
    assert 'its input "block" is string, not int32' in done.stderr
    assert "Traceback" not in done.stderr


@needs_cases
@pytest.mark.parametrize(
    ("graph", "step"),
    [
        ("reflect0.pb", "fuse_pad_and_conv"),
        ("symmetric0.pb", "fuse_pad_and_conv"),
        ("reflect1.pb", "fuse_resize_pad_and_conv"),
    ],
)
def test_an_open_batch_is_fused_with_a_word(graph: str, step: str, tmp_path: Path) -> None:
    case = FOLDER / "fused_pad_batch" / graph
    words = ("tfmodel", "transform", case, "--inputs", "x", "--outputs", "y", "--transforms")
    done = run_module(*words, step, "-o", tmp_path / "out.pb")
    assert done.returncode == 0
    assert "for a batch of 1 only" in done.stderr
    assert "for a batch" not in run_module(*words, f"{step}(batch=1)", "-o", tmp_path / "out.pb").stderr


@needs_cases
@pytest.mark.parametrize("step", ["strip_unused_nodes fold_constants(ignore_errors=true) round_weights(num_steps=256)"])
def test_weights_are_not_doubled(step: str, tmp_path: Path) -> None:
    graph, out = FOLDER / "tf2_frozen_doubles" / "graph.pb", tmp_path / "out.pb"
    words = ("tfmodel", "transform", graph, "--inputs", "x", "--outputs", "y", "--transforms", step, "-o", out)
    assert run_module(*words).returncode == 0
    assert out.stat().st_size <= graph.stat().st_size


@needs_cases
@pytest.mark.parametrize("recipe", ["deploy", "shrink", "mobile", "eight-bit", "obfuscate"])
def test_recipes_keep_and_name_the_node_that_fills_a_table(recipe: str, tmp_path: Path) -> None:
    graph, out = FOLDER / "table_initializer_dropped" / "graph.pb", tmp_path / "out.pb"
    words = ("tfmodel", "transform", graph, "--inputs", "ids,words_6", "--outputs", "emb,looked_up", "-o", out)
    done = run_module(*words, "--recipe", recipe, "--verify", "--feed", 'words_6=["a", "zz"]')
    assert done.returncode == 0
    assert 'run "init_table_5" first' in done.stderr
    assert "LookupTableImportV2" in run_module("tfmodel", "dump", out).stdout
