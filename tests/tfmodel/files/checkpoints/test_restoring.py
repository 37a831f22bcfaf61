"""TensorFlow restores the checkpoints that we write. Runs only if TensorFlow is installed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

TENSORFLOW = os.environ.get("TFMODEL_TENSORFLOW_PYTHON")


@pytest.mark.skipif(TENSORFLOW is None, reason="no TensorFlow: set TFMODEL_TENSORFLOW_PYTHON to a Python that has it")
def test_tensorflow_restores_what_we_write():
    done = subprocess.run(
        [str(TENSORFLOW), "-m", "tests.golden.checkpoints.restoring"],
        cwd=Path(__file__).parents[4],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the same") == len(done.stdout.splitlines()) == 22
