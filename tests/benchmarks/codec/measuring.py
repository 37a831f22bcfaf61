"""Measure all libraries on all samples: processes take turns, and results are compared with protobuf's."""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .environment import LIBRARIES, ROOT, Environment, Failure, Library, run
from .generated_code import generate
from .kinds import KINDS, Sample, covering, samples
from .reading import reader_source
from .report import Row, report
from .schemas import message_files

__all__ = ["ROUNDS", "codec"]

ROUNDS = 3
LONG = 10.0  # seconds; a library that needs more for a round of a sample has only one
PROCESS = ROOT / "tests" / "benchmarks" / "codec" / "worker.py"
JUDGE = "protobuf, upb"


class Place:
    """The files of one sample: its data, a small message, and a folder for each library."""

    def __init__(self, folder: Path, sample: Sample) -> None:
        self.sample, self.folder = sample, folder
        self.files = message_files(sample.full_name)
        folder.mkdir()
        (folder / "data").write_bytes(sample.message.to_bytes())
        (folder / "small").write_bytes(covering(sample.message).to_bytes())

    def job(self, library: Library) -> dict[str, Any]:
        """Return what worker.py needs to know about this sample."""
        reader = self.folder / f"{library.kind}_reader.py"
        reader.write_text(reader_source(self.files, self.sample.full_name, library.kind), encoding="utf-8")
        paths = {name: str(self.folder / name) for name in ("data", "small")} | {"reader": str(reader)}
        names = {"kind": library.kind, "message": self.sample.full_name, "proto": self.files.file[-1].name}
        code = str(self.folder.parent / library.name / self.sample.full_name)
        return names | paths | {"folder": code, "edited": self.sample.edited}

    def results(self, library: Library) -> Path:
        out = self.folder / library.name
        out.mkdir(exist_ok=True)
        return out


def codec(
    kinds: Sequence[str] = (),
    libraries: Sequence[str] = (),
    *,
    rounds: int = ROUNDS,
    scale: float = 1,
    goals: bool = False,
    folder: Path | None = None,
) -> None:
    """Print the tables. `folder` keeps what is installed; a scale below 1 makes all samples, and smaller."""
    with contextlib.ExitStack() as stack:
        environment = Environment(folder or Path(stack.enter_context(tempfile.TemporaryDirectory())))
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        chosen = [sample for name in kinds or KINDS for sample in samples(KINDS[name], scale)]
        places = [Place(scratch / str(index), sample) for index, sample in enumerate(chosen)]
        rows, problems = _prepare(
            environment, [lib for lib in LIBRARIES if lib.name in (libraries or (lib.name,))], places
        )
        for index in range(rounds):
            for place in places:
                for row in rows[place.sample]:
                    if index == 0 or row.seconds < LONG:
                        _measure(environment, row, place)
        for place in places:
            _compare(environment, rows[place.sample], place)
        print(report([row for sample in chosen for row in rows[sample]], problems, rounds, goals=goals))


def _prepare(
    environment: Environment, libraries: list[Library], places: list[Place]
) -> tuple[dict[Sample, list[Row]], list[str]]:
    """Install all libraries and generate their code. Return those that work, and a line for each that does not."""
    rows: dict[Sample, list[Row]] = {place.sample: [] for place in places}
    problems: list[str] = []
    for library in libraries:
        for place in places:
            folder = Path(place.job(library)["folder"])
            try:
                environment.packages(library)
                if not folder.exists():
                    generate(environment, library, place.files, folder)
            except Failure as failure:
                problem = f"skipped: {library.name}: {failure}"
                problems += [problem] if problem not in problems else []
            else:
                rows[place.sample].append(Row(place.sample, library))
    return rows, problems


def _run(environment: Environment, library: Library, job: dict[str, Any]) -> dict[str, Any]:
    """Run worker.py for a library. Raises Failure."""
    variables = dict(library.variables) | {"PYTHONPATH": str(environment.packages(library))}
    result: dict[str, Any] = json.loads(run([str(environment.python), str(PROCESS), json.dumps(job)], **variables))
    return result


def _measure(environment: Environment, row: Row, place: Place) -> None:
    start = time.perf_counter()
    job = place.job(row.library)
    for part in (job, job | {"out": str(place.results(row.library))}):
        try:
            row.add(_run(environment, row.library, part))
        except Failure as failure:
            row.failures["decode"] = str(failure)
    row.seconds = time.perf_counter() - start


def _compare(environment: Environment, rows: list[Row], place: Place) -> None:
    """Mark the tasks whose results are not those of protobuf."""
    judge = next((row.library for row in rows if row.library.name == JUDGE), None)
    if judge is None:
        return
    expected = place.results(judge)
    for row in rows:
        results = place.results(row.library)
        tasks = [path.name for path in sorted(results.iterdir()) if (expected / path.name).exists()]
        pairs = [(str(results / task), str(expected / task)) for task in tasks]
        same = _run(environment, judge, place.job(judge) | {"pairs": pairs})["same"]
        row.wrong = [task for task, equal in zip(tasks, same, strict=True) if not equal]
