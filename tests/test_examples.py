"""The example that needs other libraries runs where they are installed. The README of the examples runs the others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


needs_dask = pytest.mark.skipif(not (find_spec("dask") and find_spec("fsspec")), reason="Dask is not installed")


@needs_dask
def test_the_models_of_a_bucket_are_checked_with_dask(tmp_path: Path) -> None:
    bucket = tmp_path / "models"
    shutil.copytree(ROOT / "tests/data/linear", bucket / "deep" / "linear")
    for name in ("convnet.pb", "truncated.pb", "unsafe.pbtxt"):
        shutil.copy(ROOT / "tests/data" / name, bucket)
    words = [sys.executable, "examples/check_bucket.py", bucket.as_uri(), "*.pb*"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [line.removeprefix(f"{bucket.as_uri()}/")[:52] for line in done.stdout.splitlines()] == [
        "convnet.pb: sound and safe (68 nodes)",
        "deep/linear/saved_model.pb: sound and safe (4 nodes, 1 function, 1 signature)"[:52],
        "truncated.pb: cannot be read: <bytes>: truncated at byte 124"[:52],
        'unsafe.pbtxt: 1 broken, 2 unsafe (5 nodes): ReadFile "secret"'[:52],
    ]
