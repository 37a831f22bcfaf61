"""Run tf2onnx's own backend tests on this exporter, and count what passes and why the rest does not.

    python -m tests.tfmodel.export.onnx.peer_suite FOLDER [--only EXPRESSION] [--json OUT]

FOLDER is a checkout of github.com/onnx/tensorflow-onnx, of which nothing is copied. Its tests build a graph, run it in
TensorFlow, freeze it, convert it, and compare the results of onnxruntime. Here `save_onnx` converts the frozen graph in
tf2onnx's place; everything else is their code. EXPRESSION chooses tests as `pytest -k` does.

It needs a Python of its own:

    pip install tensorflow-cpu==2.12.1 tf2onnx==1.17.0 onnx==1.17.0 onnxruntime "numpy<1.24" pytest parameterized pyyaml

Some tests look at the nodes that tf2onnx writes. They have passed all comparisons by then, and are counted apart.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import os
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tfmodel.export.onnx.conversion.registry import converters
from tfmodel.export.onnx.conversion.report import OnnxExportError

__all__ = ["FAILED", "KINDS", "OwnGraphError", "Row", "StageError", "classified", "report"]

FILES = (
    "backend", "cond", "cudnn", "cudnn_compatible_gru", "custom_rnncell", "gru", "grublock", "loops", "lstm",
    "lstmblock", "seq2seq", "stacked_lstm",
)  # fmt: skip

KINDS = {
    "passed": "all results are those of TensorFlow",
    "form": "refused: the op has a converter, but not for this form",
    "differs": "other results",
    "load": "onnxruntime refuses the file, or fails while it runs",
    "error": "an error of ours that is no refusal",
    "no converter": "refused: ONNX has no counterpart of the op, or we have none",
    "own graph": "results are right; then the test looks at the nodes of tf2onnx",
    "option": "an option or custom op of tf2onnx",
    "tensorflow": "fails before anything is converted",
    "skipped": "skipped by the suite",
}
FAILED = ("form", "differs", "load", "error")
"""The kinds that are ours to mend."""


class StageError(ValueError):
    """An error of a test, which is the cause, with the stage that it came from: option, convert, load or compare.

    Tests that want a refusal want a ValueError.
    """

    def __init__(self, stage: str) -> None:
        super().__init__(stage)
        self.stage = stage


class OwnGraphError(Exception):
    """A test looks at the graph of tf2onnx."""


@dataclass(frozen=True, slots=True)
class Row:
    """A test, its kind, the ops that were refused, and the first line about it."""

    test: str
    kind: str
    ops: tuple[str, ...] = ()
    reason: str = ""


def classified(test: str, error: BaseException | None, known: Collection[str]) -> Row:
    """Return the row of a test that ended in an error, or in none. `known` are the ops that have a converter."""
    if error is None:
        return Row(test, "passed")
    if isinstance(error, OwnGraphError):
        return Row(test, "own graph")
    if not isinstance(error, StageError):
        return Row(test, "tensorflow", reason=_first_line(error))
    cause = error.__cause__ or error
    if isinstance(cause, OnnxExportError) and cause.refused:
        missing = tuple(sorted({node.op for node in cause.refused if node.op not in known}))
        ops = missing or tuple(sorted({node.op for node in cause.refused}))
        return Row(test, "no converter" if missing else "form", ops, _first_line(cause))
    kinds = {"option": "option", "load": "load", "compare": "differs"}
    return Row(test, kinds.get(error.stage, "error"), reason=_first_line(cause))


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines)[:300]}"


def report(rows: Iterable[Row]) -> str:
    """Return the counts of each kind, the share that passes of those whose ops have converters, and what fails."""
    rows = list(rows)
    counts = Counter(row.kind for row in rows)
    lines = [f"{counts[kind]:6,}  {kind:13} {text}" for kind, text in KINDS.items() if counts[kind]]
    ours = counts["passed"] + sum(counts[kind] for kind in FAILED)
    if ours:
        share = 100 * counts["passed"] / ours
        lines.append(f"{counts['passed']:,} of {ours:,} whose ops have a converter pass: {share:.1f} %")
    for kind in ("no converter", "form"):
        ops = Counter(op for row in rows if row.kind == kind for op in row.ops)
        if ops:
            lines.append(f"{kind}: " + ", ".join(f"{op} {count}" for op, count in ops.most_common()))
    lines += [f"  {row.kind:10} {row.test}: {row.reason}" for row in rows if row.kind in (*FAILED, "tensorflow")]
    return "\n".join(lines)


class _Graph:
    """Stands for the graph that their conversion returns."""

    def __init__(self, suite: _Suite, test: str) -> None:
        self._of = suite, test

    def __getattr__(self, name: str) -> Any:
        suite, test = self._of
        error = OwnGraphError(name)
        suite.errors.setdefault(test, error)
        raise error


class _Suite:
    """A plugin of pytest: replaces the conversion, and notes how each test ends."""

    def __init__(self, base: Any, tf: Any) -> None:
        self.tf = tf
        self.rows: dict[str, Row] = {}
        self.errors: dict[str, BaseException] = {}
        self.failed: set[str] = set()
        suite, theirs = self, base.Tf2OnnxBackendTestBase
        self.signature = inspect.signature(theirs.run_test_case)

        def run_test_case(*args: Any, **options: Any) -> _Graph:
            return suite.run(*args, **options)

        theirs.run_test_case = run_test_case

    # --- one test ----------------------------------------------------------------------------------------------------

    def run(self, test: Any, *args: Any, **options: Any) -> _Graph:
        """Do what their method does, with our conversion."""
        bound = self.signature.bind(test, *args, **options)
        bound.apply_defaults()
        del bound.arguments["self"]
        try:
            self._compare(test, **bound.arguments)
        except StageError as error:
            self.errors.setdefault(test.id(), error)
            raise
        return _Graph(self, test.id())

    def _compare(
        self, test: Any, func: Any, feed_dict: dict[str, Any], output_names_with_port: list[str], **options: Any
    ) -> None:
        how = [options[name] for name in ("as_session", "premade_placeholders", "large_model")]
        expected, graph_def, tables = test.freeze_and_run_tf(func, feed_dict, output_names_with_port, *how)
        self._fill(graph_def, tables or {})
        if options["use_custom_ops"] or any(name.endswith("as_nchw") for name in options["process_args"] or {}):
            raise StageError("option")
        os.makedirs(test.test_data_directory, exist_ok=True)
        path = os.path.join(test.test_data_directory, "model.onnx")
        actual = _converted(graph_def.SerializeToString(), feed_dict, output_names_with_port, path)
        limits = ("rtol", "atol", "mtol", "check_value", "check_shape", "check_dtype")
        try:
            test.assert_results_equal(expected, actual, *[options[name] for name in limits])
        except AssertionError as error:
            raise StageError("compare") from error

    def _fill(self, graph_def: Any, tables: dict[str, Any]) -> None:
        """Add the nodes that fill tables, which freezing drops."""
        for node in [node for node in graph_def.node if node.op == "HashTableV2"]:
            shared = node.attr["shared_name"].s
            arrays = tables.get(shared)
            if arrays is None:
                continue
            names = [f"{node.name}/{part}" for part in ("keys", "values")]
            for name, array in zip(names, arrays, strict=True):
                const = graph_def.node.add(name=name, op="Const")
                const.attr["value"].tensor.CopyFrom(self.tf.make_tensor_proto(array))
                const.attr["dtype"].type = const.attr["value"].tensor.dtype
            filled = graph_def.node.add(name=f"{node.name}/fill", op="LookupTableImportV2", input=[node.name, *names])
            for name, source in (("Tin", "key_dtype"), ("Tout", "value_dtype")):
                filled.attr[name].type = node.attr[source].type

    # --- pytest ------------------------------------------------------------------------------------------------------

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note a test that fails, perhaps in a part of it that has a report of its own."""
        if report.outcome == "failed":
            self.failed.add(report.nodeid)

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Note the row of a test when its function has ended."""
        if call.when == "teardown" or item.nodeid in self.rows or item.cls is None:
            return
        error = None if call.excinfo is None else call.excinfo.value
        if call.when == "setup" and error is None:
            return
        name = item.nodeid.rpartition("/")[2]
        if error is not None and "skip" in type(error).__name__.lower():
            self.rows[item.nodeid] = Row(name, "skipped", reason=str(error))
            return
        if error is not None or item.nodeid in self.failed:
            error = self.errors.get(f"{item.cls.__module__}.{item.cls.__qualname__}.{item.name}", error)
        self.rows[item.nodeid] = classified(name, error, converters())


def _converted(graph: bytes, feeds: dict[str, Any], outputs: list[str], path: str) -> list[Any]:
    """Convert a frozen graph and run the file. Raises StageError."""
    from tfmodel import save_onnx

    runtime = importlib.import_module("onnxruntime")
    try:
        written = save_onnx(graph, path, list(feeds), outputs, names="graph", verify=False)
    except Exception as error:
        raise StageError("convert") from error
    try:
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        results = session.run(list(written.outputs), {key.removesuffix(":0"): value for key, value in feeds.items()})
    except Exception as error:
        raise StageError("load") from error
    return list(results)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Run tf2onnx's backend tests on tfmodel's exporter.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a checkout of github.com/onnx/tensorflow-onnx")
    parser.add_argument("--only", metavar="EXPRESSION", help="tests to run, as for pytest -k")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write one row for each test")
    options = parser.parse_args(arguments)
    folder = options.folder / "tests"
    if not (folder / "backend_test_base.py").is_file():
        parser.error(f"{options.folder}: not a checkout of github.com/onnx/tensorflow-onnx")
    os.environ.update({
        "TF2ONNX_TEST_OPSET": "17", "TF2ONNX_SKIP_TFLITE_TESTS": "TRUE", "TF2ONNX_SKIP_TFJS_TESTS": "TRUE",
        "TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3",
    })  # fmt: skip
    sys.argv = ["pytest"]  # their configuration reads other arguments as its own
    sys.path.insert(0, str(folder))
    suite = _Suite(importlib.import_module("backend_test_base"), importlib.import_module("tensorflow"))
    files = [str(folder / f"test_{name}.py") for name in FILES if (folder / f"test_{name}.py").is_file()]
    chosen = ["-k", options.only] if options.only else []
    quiet = [
        "-q",
        "--no-header",
        "--no-summary",
        "--show-capture=no",
        "--tb=no",
        "-W",
        "ignore",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
    ]
    importlib.import_module("pytest").main([*quiet, *chosen, f"--rootdir={folder}", *files], plugins=[suite])
    rows = list(suite.rows.values())
    print(report(rows))
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return int(any(row.kind in FAILED for row in rows))


if __name__ == "__main__":
    sys.exit(main())
