"""--recipe: its help and messages. The effects of recipes: test_transform, test_optimize."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfmodel
from tests.golden.recipes.answers import DATA
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.cli import main

LARGER = "the graph became larger, "


@pytest.mark.parametrize("command", ["transform", "optimize"])
def test_a_recipe_that_made_a_graph_larger_is_reported(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.pb"
    tfmodel.save(graph("x = Placeholder[dtype=float, shape=(2)]\ny = Relu(x)[T=float]"), path)
    arguments = [command, str(path), "-o", str(tmp_path / "out.pb"), "--inputs", "x", "--outputs", "y"]
    assert main([*arguments, "--recipe", "eight-bit"]) == 0
    message = capsys.readouterr().err
    size = (tmp_path / "out.pb").stat().st_size
    assert f"{LARGER}{path.stat().st_size} -> {size:,} bytes: quantized layers need more bytes" in message


@pytest.mark.parametrize("recipe", ["mobile", "eight-bit"])
def test_a_recipe_that_made_a_graph_smaller_is_not_reported(
    recipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["transform", str(DATA), "-o", str(tmp_path / "out.pb"), "--inputs", "image", "--outputs", "scores"]
    assert main([*arguments, "--recipe", recipe]) == 0
    assert LARGER not in capsys.readouterr().err
