"""Measure all libraries: processes take turns for some rounds, and results are compared with protobuf's."""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.support.corpus import corpus

from .descriptors import PROBES, Probe, message_files, probe_files
from .environment import LIBRARIES, ROOT, Environment, Failure, Library, run
from .generated_code import generate
from .report import Row, report

__all__ = ["default_file", "peers"]

ROUNDS = 3
IMPORTS = 4  # processes per round that only import
LONG = 60.0  # seconds; a library that needs more for a round has only one
TASKS = ("decode", "encode", "edit", "print text", "parse text", "print JSON", "parse JSON")
PROCESS = ROOT / "tests" / "benchmarks" / "peers" / "libraries.py"


def default_file() -> Path:
    """Return the training graph of the corpus or, without a corpus, a graph of the repository."""
    generated = corpus / "generated" / "conv_train.meta" if corpus else None
    return generated if generated and generated.exists() else ROOT / "tests" / "data" / "convnet.pb"


def peers(file: Path, full_name: str, folder: Path | None = None) -> None:
    """Print the tables for a file that has a message of this type. `folder` keeps what is installed."""
    with contextlib.ExitStack() as stack:
        environment = Environment(folder or Path(stack.enter_context(tempfile.TemporaryDirectory())))
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        rows, problems = _prepare(environment, full_name, scratch)
        for index in range(ROUNDS):
            for row in rows:
                if index == 0 or row.seconds < LONG:
                    _measure_round(environment, row, file, full_name, scratch)
        for row in rows:
            row.size = environment.size(row.library)
            row.probes = {probe.name: _passes(environment, row.library, probe, scratch) for probe in PROBES}
        judge = next((row.library for row in rows if row.library.name == "protobuf, upb"), None)
        if judge:
            _compare(environment, judge, rows, file, full_name, scratch)
        else:
            problems.append("results are not compared: protobuf is not installed")
        print(report(file, rows, problems, list(TASKS)))


def _prepare(environment: Environment, full_name: str, scratch: Path) -> tuple[list[Row], list[str]]:
    """Install all libraries and generate their code. Return those that work, and a line for each that does not."""
    files = message_files(full_name)
    rows, problems = [], []
    for library in LIBRARIES:
        try:
            environment.packages(library)
            generate(environment, library, files, scratch / library.name / "message")
        except Failure as failure:
            problems.append(f"{library.name}: {failure}")
        else:
            rows.append(Row(library))
    return rows, problems


def _proto_of(full_name: str) -> str:
    return str(message_files(full_name).file[-1].name)


def _run(environment: Environment, library: Library, job: dict[str, Any]) -> dict[str, Any]:
    """Run libraries.py for a library. Raises Failure."""
    variables = dict(library.variables) | {"PYTHONPATH": str(environment.packages(library))}
    found: dict[str, Any] = json.loads(run([str(environment.python), str(PROCESS), json.dumps(job)], **variables))
    return found


def _job(library: Library, file: Path, full_name: str, scratch: Path, tasks: list[str]) -> dict[str, Any]:
    out = scratch / library.name / "results"
    out.mkdir(parents=True, exist_ok=True)
    job = {"kind": library.kind, "folder": str(scratch / library.name / "message"), "message": full_name}
    return job | {"proto": _proto_of(full_name), "data": str(file.resolve()), "out": str(out), "tasks": tasks}


def _measure_round(environment: Environment, row: Row, file: Path, full_name: str, scratch: Path) -> None:
    start = time.perf_counter()
    jobs: list[list[str]] = [[]] * IMPORTS + [["memory"], list(TASKS)]
    for tasks in jobs:
        try:
            row.add(_run(environment, row.library, _job(row.library, file, full_name, scratch, tasks)))
        except Failure as failure:
            row.failures[tasks[0] if tasks else "import"] = str(failure)
            break
    row.seconds = time.perf_counter() - start


def _passes(environment: Environment, library: Library, probe: Probe, scratch: Path) -> bool:
    """Return whether a library can generate code for a probe, and writes its bytes as they were."""
    folder = scratch / library.name / probe.name
    (folder / "out").mkdir(parents=True)
    data = folder / "data"
    data.write_bytes(probe.data)
    try:
        generate(environment, library, probe_files(probe), folder)
        job = {"kind": library.kind, "folder": str(folder), "message": "probe.M", "proto": "probe.proto"}
        _run(environment, library, job | {"data": str(data), "out": str(folder / "out"), "tasks": ["encode"]})
        return (folder / "out" / "encode").read_bytes() == probe.data
    except (Failure, FileNotFoundError):
        return False


def _compare(
    environment: Environment, judge: Library, rows: list[Row], file: Path, full_name: str, scratch: Path
) -> None:
    """Mark the tasks whose results are not what protobuf says they are."""
    job = _job(judge, file, full_name, scratch, [])
    edited = Path(job["out"]) / "edit"
    for row in rows:
        results = scratch / row.library.name / "results"
        tasks = [task for task in TASKS if (results / task).exists()]
        pairs = [(str(results / task), str(edited if task == "edit" else file.resolve())) for task in tasks]
        same = _run(environment, judge, job | {"pairs": pairs})["same"]
        row.wrong = [task for task, equal in zip(tasks, same, strict=True) if not equal]
