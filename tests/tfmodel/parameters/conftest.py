"""Fixtures of the tests of weights."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.parameters.graphs import KERNEL, const, graph, variable
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import (
    MetaGraphDef,
)


@pytest.fixture
def trained(tmp_path):
    """Return a .meta with its checkpoint."""
    graph_def = graph(
        variable("w", 2, 3),
        variable("w/Adam", 2, 3),
        "r = ReadVariableOp(w)",
        "y = MatMul(x, r)",
        "train = ResourceApplyAdam(w, w/Adam, v, a, b, c)",
        const("axis", np.int32(1)),
        "z = Mean(y, axis)",
    )
    path = tmp_path / "model.meta"
    path.write_bytes(MetaGraphDef(meta_info_def=MetaGraphDef.MetaInfoDef(), graph_def=graph_def).to_bytes())
    tensors = {"w": KERNEL, "w/Adam": KERNEL * 2, "words": [b"a", b"bc"], "extra": KERNEL[0]}
    write_checkpoint(tmp_path / "model", tensors)
    return path
