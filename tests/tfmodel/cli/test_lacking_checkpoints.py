"""Models with variables that their checkpoint, beside the model or named, lacks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.cli import main
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import MetaGraphDef

GRAPH = """
x = Placeholder[dtype=float, shape=(1, 2)]
new/w = VariableV2[dtype=float, shape=(2, 3)]
new/b = VariableV2[dtype=float, shape=(3)]
xw = MatMul(x, new/w)[T=float]
y = AddV2(xw, new/b)[T=float]
"""


@pytest.fixture(params=["beside", "named"])
def command(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The words of a command that name the model and its checkpoint, which has the variables in another scope."""
    prefix = tmp_path / ("model" if request.param == "beside" else "other")
    write_checkpoint(str(prefix), {"old/w": np.ones((2, 3), np.float32), "old/b": np.ones(3, np.float32)})
    (tmp_path / "model.meta").write_bytes(MetaGraphDef(graph_def=graph_of(GRAPH)).to_bytes())
    return [str(tmp_path / "model.meta"), *(["--checkpoint", str(prefix)] if request.param == "named" else [])]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("run", "--random --fetch y"),
        ("verify", "{model} --outputs y"),
        ("optimize", "-o {out} --outputs y"),
        ("freeze", "-o {out} --outputs y"),
    ],
)
def test_the_error_names_the_variables_and_similar_tensors(
    name: str, options: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word.format(model=command[0], out=tmp_path / "out.pb") for word in options.split()]
    assert main([name, *command, *words]) in (1, 2)
    error = capsys.readouterr().err
    assert '"new/w"' in error
    assert '"new/b"' in error
    assert '"old/w"' in error
    assert "name its checkpoint" not in error
