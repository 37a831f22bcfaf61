"""Run a written file by onnxruntime, if that is installed, and compare it with TensorFlow's graph run on NumPy.

onnxruntime runs in a process of its own, with a limit of time, so that a crash in it does not end this program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from tempfile import TemporaryDirectory
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
import json, sys
import numpy, onnxruntime
folder = sys.argv[1]
with open(folder + "/request.json") as file:
    request = json.load(file)
feeds = {}
with numpy.load(folder + "/feeds.npz", allow_pickle=False) as arrays:
    for number, name in enumerate(request["feeds"]):
        array = arrays[f"a{number}"]
        feeds[name] = array.astype(object) if array.dtype.kind == "U" else array
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
problem, values = "", []
try:
    session = onnxruntime.InferenceSession(request["path"], options, providers=["CPUExecutionProvider"])
    values = session.run(request["outputs"], feeds) if request["outputs"] else []
except Exception as error:
    problem = f"{error}"
values = [numpy.asarray(value) for value in values]
values = [value.astype(str) if value.dtype.kind == "O" else value for value in values]
numpy.savez(folder + "/values.npz", **{f"a{number}": value for number, value in enumerate(values)})
with open(folder + "/problem.txt", "w") as file:
    file.write(problem)
"""
"""It exchanges arrays as .npz files without pickled objects: strings as arrays of text."""


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
    with TemporaryDirectory() as folder:
        arrays = {f"a{number}": _plain(value) for number, value in enumerate(feeds.values())}
        np.savez(os.path.join(folder, "feeds.npz"), **arrays)
        with open(os.path.join(folder, "request.json"), "w", encoding="utf-8") as file:
            json.dump({"path": path, "feeds": list(feeds), "outputs": outputs}, file)
        command = [sys.executable, "-c", _SCRIPT, folder]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise OnnxExportError(f"onnxruntime took more than {SECONDS} seconds to run the ONNX model") from error
        if done.returncode != 0:
            raise OnnxExportError(f"onnxruntime ended with status {done.returncode} while it ran the ONNX model")
        with open(os.path.join(folder, "problem.txt"), encoding="utf-8") as file:
            problem = file.read()
        if problem:
            raise OnnxExportError(f"onnxruntime refuses the ONNX model: {problem}")
        with np.load(os.path.join(folder, "values.npz"), allow_pickle=False) as values:
            return [_as_bytes(values[f"a{number}"]) for number in range(len(outputs))]


def _plain(value: Any) -> Any:
    """Return an array without objects: strings as text. Raises OnnxExportError for bytes other than UTF-8."""
    array = np.asarray(value)
    if array.dtype.kind != "O":
        return array
    try:
        texts = [each.decode() if isinstance(each, bytes) else str(each) for each in array.ravel().tolist()]
    except UnicodeDecodeError:
        raise OnnxExportError("onnxruntime takes strings of UTF-8 alone, and a feed has other bytes") from None
    return np.array(texts, str).reshape(array.shape)


def _as_bytes(array: Any) -> Any:
    """Return an array as TensorFlow has it: strings are bytes."""
    if array.dtype.kind != "U":
        return array
    return np.array([each.encode() for each in array.ravel().tolist()], object).reshape(array.shape)
