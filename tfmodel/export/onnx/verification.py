"""Run a written file by onnxruntime, if that is installed, and compare it with TensorFlow's graph run on NumPy.

onnxruntime runs in a process of its own, with a limit of time, so that a crash in it does not end this program.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compare.verify.comparison import Verification
from ...errors import Error
from ...optimizer import Optimized
from ...values.dtypes import dtype_of
from .conversion.report import OnnxExportError
from .passes.uses import random_values
from .ties import in_same_order, is_undetermined, sorts

if TYPE_CHECKING:
    from ...compare.verify.report import VerifyReport
    from .export import Exported

SECONDS = 300
"""How long onnxruntime may take to load and run a file."""

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


@dataclass
class FileCheck:
    """Runs the file of a converted graph, and compares its outputs with those of TensorFlow's graph.

    feeds, seed    of `optimize`
    unverified     why the outputs were not compared; "" if they were
    report         the differences, if they were compared
    is_reordered   whether rows with equal scores come in another order
    """

    optimized: Optimized
    exported: Exported
    feeds: Mapping[str, Any] | None = None
    seed: int | None = None
    unverified: str = ""
    report: VerifyReport | None = None
    is_reordered: bool = False

    def run(self, path: str) -> None:
        """Raise OnnxExportError if onnxruntime refuses a file or computes something else with it."""
        if find_spec("onnxruntime") is None:
            self.unverified = "onnxruntime is not installed (pip install onnxruntime)"
            return
        exported = self.exported
        random = random_values(exported.graph)
        pairs = [pair for pair in zip(exported.outputs, exported.graph.outputs, strict=True) if pair[1] not in random]
        if not pairs:
            run_file(path, {}, [])  # it must load in any case
            self.unverified = "its outputs are random"
            return
        try:
            verification = Verification(self.feeds, seed=self.seed)
            comparison = verification.begin(self.optimized.graph, [key for key, _ in pairs], exported.inputs)
        except Error as error:
            run_file(path, {}, [])  # it must load in any case
            self.unverified = str(error)
            return
        values = run_file(path, self._all_feeds(comparison.feeds), [value.name for _, value in pairs])
        found = dict(zip((key for key, _ in pairs), values, strict=True))
        self.report = comparison.report(found)
        if not self.report.same and sorts(exported.graph):
            self.report = comparison.report(in_same_order(comparison.expected, found, comparison.rtol))
            self.is_reordered = self.report.same
            if not self.is_reordered and is_undetermined(comparison.expected, found, comparison.rtol):
                self.report = None
                self.unverified = "detections have equal scores, so which are chosen is not determined"
                return
        if not self.report.same:
            raise OnnxExportError("the ONNX model computes other outputs than the graph: ", self.report.summary)

    def _all_feeds(self, feeds: Mapping[str, Any]) -> dict[str, Any]:
        """Return the feeds by names of inputs. onnxruntime wants those too that no output needs."""
        given = {key.removesuffix(":0"): value for key, value in feeds.items()}
        for value in self.exported.graph.inputs:
            if value.name not in given:
                given[value.name] = np.zeros([size or 1 for size in value.shape or ()], dtype_of(value.dtype).numpy)
        return given


def run_file(path: str, feeds: Mapping[str, Any], outputs: list[str]) -> list[Any]:
    """Return the outputs of a file, run by onnxruntime; without outputs, the file is only loaded.

    Raises OnnxExportError if it cannot be loaded or run.
    """
    request = pickle.dumps((path, {name: as_text(value) for name, value in feeds.items()}, outputs))
    command = [sys.executable, "-c", _SCRIPT]
    try:
        done = subprocess.run(command, input=request, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise OnnxExportError(f"onnxruntime took more than {SECONDS} seconds to run the ONNX model") from error
    if done.returncode != 0 or not done.stdout:
        raise OnnxExportError(f"onnxruntime ended with status {done.returncode} while it ran the ONNX model")
    problem, values = pickle.loads(done.stdout)  # of our own process
    if problem:
        raise OnnxExportError(f"onnxruntime refuses the ONNX model: {problem}")
    return [as_bytes(value) for value in values]


def as_text(array: Any) -> Any:
    """Return an array as onnxruntime takes it: strings are str. Other bytes than UTF-8 stay."""
    if np.asarray(array).dtype.kind != "O":
        return array
    return _each(array, _decoded)


def as_bytes(array: Any) -> Any:
    """Return an array as TensorFlow has it: strings are bytes."""
    if np.asarray(array).dtype.kind != "O":
        return array
    return _each(array, lambda each: each.encode() if isinstance(each, str) else each)


def _decoded(text: Any) -> Any:
    try:
        return text.decode()
    except (AttributeError, UnicodeDecodeError):
        return text


def _each(array: Any, change: Callable[[Any], Any]) -> Any:
    changed = np.empty(array.size, object)
    changed[:] = [change(each) for each in array.ravel().tolist()]
    return changed.reshape(array.shape)
