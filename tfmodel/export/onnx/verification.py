"""Run a written file by onnxruntime, if that is installed, and compare it with TensorFlow's graph run on NumPy.

onnxruntime runs in a process of its own, with a limit of time, so that a fault in it is no fault of ours.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Error
from ...graph.error_text import quote
from ...optimizer import Optimized
from ...values.dtypes import dtype_of
from .report import OnnxExportError, OnnxReport

if TYPE_CHECKING:
    from .export import Exported

SECONDS = 300
"""How long onnxruntime may take to load and run a file."""

RTOL = 1e-3
"""The largest difference that is accepted, relative to the largest element of an output."""

_SCRIPT = """
import pickle, sys
import onnxruntime
path, feeds, outputs = pickle.load(sys.stdin.buffer)
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
try:
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    result = ("", session.run(outputs, feeds) if outputs else [])
except Exception as error:
    result = (f"{error}", [])
sys.stdout.buffer.write(pickle.dumps(result))
"""


def verify_file(
    report: OnnxReport,
    path: str,
    optimized: Optimized,
    exported: Exported,
    *,
    feeds: Mapping[str, Any] | None,
    seed: int | None,
    progress: Callable[[str], object],
) -> OnnxReport:
    """Return the report with the largest difference, or with the reason why the file was not compared.

    Raises OnnxExportError if onnxruntime refuses the file or computes something else.
    """
    if find_spec("onnxruntime") is None:
        reason = "onnxruntime is not installed (pip install onnxruntime)"
        return replace(report, unverified=reason)
    from ...compare.verify.comparison import Verification

    progress("verifying")
    verification = Verification(feeds, seed=seed, rtol=RTOL)
    try:
        comparison = verification.begin(optimized.graph, exported.outputs, exported.inputs)
    except Error as error:
        run_file(path, None, [])  # it must load in any case
        return replace(report, unverified=str(error))
    given = {key.removesuffix(":0"): value for key, value in comparison.feeds.items()}
    for value in exported.graph.inputs:  # onnxruntime wants those too that no output needs
        if value.name not in given:
            given[value.name] = np.zeros([size or 1 for size in value.shape or ()], dtype_of(value.dtype).numpy)
    values = run_file(path, given, list(report.outputs))
    results = comparison.report(dict(zip(exported.outputs, values, strict=True)))
    if not results.same:
        raise OnnxExportError(f"{quote(path)} computes other outputs than the model: {results.summary}")
    return replace(report, largest_difference=0.0)


def run_file(path: str, feeds: Mapping[str, Any] | None, outputs: list[str]) -> list[Any]:
    """Return the outputs of a file, run by onnxruntime. Raises OnnxExportError if it cannot be loaded or run."""
    request = pickle.dumps((path, dict(feeds or {}), outputs))
    try:
        done = subprocess.run([sys.executable, "-c", _SCRIPT], input=request, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise OnnxExportError(f"onnxruntime took more than {SECONDS} seconds for {quote(path)}") from error
    if done.returncode != 0 or not done.stdout:
        raise OnnxExportError(f"onnxruntime ended with status {done.returncode} while it ran {quote(path)}")
    problem, values = pickle.loads(done.stdout)
    if problem:
        raise OnnxExportError(f"onnxruntime refuses {quote(path)}: {problem}")
    return list(values)
