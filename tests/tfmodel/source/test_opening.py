"""The checkpoint beside a MetaGraph is found by the name of the file, in any format."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tfmodel
from tfmodel.cli import main


@pytest.mark.parametrize("name", ["model.json", "model.pbtxt", "model.meta.json", "model.meta.pbtxt"])
def test_a_meta_graph_as_text_finds_its_checkpoint(name: str, tmp_path: Path) -> None:
    for file in Path("tests/data/trained").glob("model.*"):
        shutil.copy(file, tmp_path)
    assert main(["convert", str(tmp_path / "model.meta"), str(tmp_path / name)]) == 0
    (tmp_path / "model.meta").unlink()
    assert tfmodel.Model(tmp_path / name).freeze().weights().parameters == 15
