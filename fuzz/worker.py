"""The process that runs inputs, so that a hang, a crash or exhausted memory affects only this process.

    python -m fuzz.worker fuzz FOLDER         # runs inputs as FOLDER/job.json says
    python -m fuzz.worker shrink FOLDER       # minimizes the input in FOLDER/finding.pickle
    python -m fuzz.worker try FOLDER          # runs that input once more

It communicates with its parent through files in that folder: `slot` holds the running input (`fuzz.slot`), `state.json`
the counts so far, `findings/` the findings.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from .execute import Outcome, run_input
from .inputs import Inputs
from .shrinking import shrink
from .slot import Slot
from .target import Files, Target, find_target

__all__: list[str] = []

MEASURED = 25  # the memory of one of this many inputs is measured
ROOM = 4 << 30  # bytes of address space beyond what the process has when it begins
REPORT = 1.0  # seconds between two reports


def _fuzz(folder: Path) -> None:
    job = json.loads((folder / "job.json").read_text())
    target = find_target(job["target"])
    work = _Work(target, folder, job)
    _limit_memory()
    work.go()


class _Work:
    """A run of inputs until the limit of time or number is reached."""

    def __init__(self, target: Target, folder: Path, job: dict[str, Any]) -> None:
        self.target, self.folder, self.job = target, folder, job
        self.inputs = Inputs(target, job["seed"])
        self.inputs.shapes.update(job["shapes"])
        self.slot = Slot(folder / "slot")
        self.tried = 0
        self.verdicts: Counter[str] = Counter()
        self.compared: Counter[str] = Counter()
        self.findings: Counter[str] = Counter(dict.fromkeys(job["known"], 1))
        self.started = self.reported = time.monotonic()

    def go(self) -> None:
        while not self._is_over():
            files = self.inputs.next()
            self.tried += 1
            self.slot.put(self.tried, files)
            outcome = self._try(files)
            self.slot.clear()
            self._note(files, outcome)
            if time.monotonic() - self.reported > REPORT:
                self._report()
        self._report()

    def _is_over(self) -> bool:
        if self.job["count"] is not None:
            return self.tried >= int(self.job["count"])
        return time.monotonic() - self.started >= float(self.job["seconds"])

    def _try(self, files: Files) -> Outcome:
        measured = self.tried % MEASURED == 1
        return run_input(self.target, files, self.folder / "case", measured=measured, compare=self.job["compare"])

    def _note(self, files: Files, outcome: Outcome) -> None:
        self.verdicts[outcome.verdict] += 1
        if outcome.compared is not None:
            self.compared[outcome.compared] += 1
        if outcome.verdict == "finding":
            self.findings[outcome.shape] += 1
            if self.findings[outcome.shape] == 1:
                _save(self.folder / "findings" / f"{self.tried}.pickle", (files, outcome))
        else:
            self.inputs.learn(files, outcome.shape)

    def _report(self) -> None:
        self.reported = time.monotonic()
        state = {
            "tried": self.tried,
            "accepted": self.verdicts["accepted"],
            "refused": self.verdicts["refused"],
            "compared": dict(self.compared),
            "shapes": sorted(self.inputs.shapes),
        }
        new = self.folder / "state.new"
        new.write_text(json.dumps(state))
        new.replace(self.folder / "state.json")


def _shrink(folder: Path) -> None:
    job = json.loads((folder / "job.json").read_text())
    files, outcome = pickle.loads((folder / "finding.pickle").read_bytes())
    target = find_target(job["target"])
    _limit_memory()
    for smaller in shrink(target, files, outcome, folder / "case", seconds=job["seconds"], compare=job["compare"]):
        _save(folder / "shrunk.pickle", smaller)


def _try(folder: Path) -> None:
    job = json.loads((folder / "job.json").read_text())
    files, _ = pickle.loads((folder / "finding.pickle").read_bytes())
    _limit_memory()
    outcome = run_input(find_target(job["target"]), files, folder / "case", measured=True, compare=job["compare"])
    _save(folder / "shrunk.pickle", (files, outcome))


def _save(path: Path, content: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    new.write_bytes(pickle.dumps(content))
    new.replace(path)


def _limit_memory() -> None:
    """Limit the memory of this process, so that a decompression bomb fails before the machine runs out of memory."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # Windows lacks this limit, macOS does not enforce it
        import resource

        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"fuzz": _fuzz, "shrink": _shrink, "try": _try}[sys.argv[1]](Path(sys.argv[2]))
