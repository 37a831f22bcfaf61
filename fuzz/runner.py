"""Fuzz a target: start a worker, watch it, and restart it when an input kills it.

result = fuzz("wire", seed=1, seconds=180)
result.tried, result.findings
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .execute import HANGS, ROOT, Outcome, crash, run_input, size_of
from .inputs import Inputs
from .slot import Slot
from .target import Files, find_target

__all__ = ["Finding", "Result", "fuzz", "fuzz_here", "try_apart"]

POLL = 0.05  # seconds
PATIENCE = 30.0  # seconds beyond its budget, even on a busy machine, until an input counts as hanging
SHRINKING = 30.0  # seconds for each finding
MAX_FINDINGS = 20  # findings that are minimized
MAX_DEATHS = 10  # of workers
MAX_SAID = 10_000  # characters of what a worker printed


@dataclass(frozen=True)
class Finding:
    """A minimized input that breaks a guarantee, and its outcome."""

    target: str
    files: Files
    outcome: Outcome
    compare: bool = False


@dataclass
class Result:
    """The results of all inputs of a target."""

    target: str
    seed: int
    seconds: float = 0.0
    tried: int = 0
    accepted: int = 0
    refused: int = 0
    shapes: set[str] = field(default_factory=set)
    compared: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    @property
    def numbers(self) -> dict[str, Any]:
        """The result as figures, for `--json` and for the record."""
        explained = sum(count for reason, count in self.compared.items() if reason)
        return {
            "target": self.target,
            "seed": self.seed,
            "minutes": round(self.seconds / 60, 2),
            "tried": self.tried,
            "accepted": self.accepted,
            "refused": self.refused,
            "shapes": len(self.shapes),
            "compared": sum(self.compared.values()),
            "explained": explained,
            "findings": len(self.findings),
        }


def fuzz(
    name: str,
    *,
    seed: int,
    seconds: float | None = None,
    count: int | None = None,
    compare: bool = False,
    patience: float = PATIENCE,
    shrinking: float = SHRINKING,
    deaths: int = MAX_DEATHS,
) -> Result:
    """Run inputs for `seconds`, or `count` inputs, or until `deaths` workers died.

    compare      compare each input with protobuf
    patience     seconds beyond its budget until an input counts as hanging
    shrinking    seconds for minimizing each finding

    Raises RuntimeError if the worker itself fails.
    """
    result = Result(name, seed)
    started = time.monotonic()
    outcomes: dict[str, tuple[Files, Outcome]] = {}
    for restart in range(deaths):
        left = None if seconds is None else seconds - (time.monotonic() - started)
        job = {
            "target": name,
            "seed": seed + 1_000_003 * restart,
            "seconds": left,
            "count": None if count is None else count - result.tried,
            "compare": compare,
            "known": sorted(outcomes),
            "shapes": sorted(result.shapes),
        }
        if (left is not None and left <= 0) or (count is not None and result.tried >= count):
            break
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            end = _worked(Path(folder), job, patience)
            _collect(Path(folder), result, outcomes)
            if end is not None and end[1].shape not in outcomes:
                outcomes[end[1].shape] = end
    result.seconds = time.monotonic() - started
    for shape in list(outcomes)[:MAX_FINDINGS]:
        result.findings.append(_finding(name, *outcomes[shape], compare, shrinking, patience))
    return result


def fuzz_here(name: str, *, seed: int, count: int) -> list[tuple[Files, Outcome]]:
    """Run `count` inputs in this process, without the start or the protection of a worker. Return the outcomes."""
    target, ended = find_target(name), []
    inputs = Inputs(target, seed)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        for _ in range(count):
            files = inputs.next()
            outcome = run_input(target, files, Path(folder) / "case")
            inputs.learn(files, outcome.shape)
            ended.append((files, outcome))
    return ended


def try_apart(name: str, files: Files, *, compare: bool = False, patience: float = PATIENCE) -> Outcome:
    """Run one input in a separate process."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as temporary:
        folder = Path(temporary)
        (folder / "finding.pickle").write_bytes(pickle.dumps((files, HANGS)))
        with _process("try", folder, {"target": name, "compare": compare}) as process:
            try:
                code = process.wait(patience)
            except subprocess.TimeoutExpired:
                process.kill()
                return HANGS
        if code:
            return crash(code)
        _, outcome = pickle.loads((folder / "shrunk.pickle").read_bytes())
        assert isinstance(outcome, Outcome)
        return outcome


def _worked(folder: Path, job: dict[str, Any], patience: float) -> tuple[Files, Outcome] | None:
    """Let a worker do a job. Return the input that killed it, if any."""
    with _process("fuzz", folder, job) as process:
        slot = Slot(folder / "slot")
        try:
            code = _watched(process, slot, job["target"], patience)
            last = slot.read()
        finally:
            process.kill()
            slot.close()
    error = (folder / "stderr").read_text(errors="replace")[-MAX_SAID:]
    if code == 0:
        return None
    if not last.running or (code is not None and code > 0):
        raise RuntimeError(f"the worker for {job['target']} failed\n{error}")
    return last.files, HANGS if code is None else crash(code, error)


def _watched(process: subprocess.Popen[bytes], slot: Slot, name: str, patience: float) -> int | None:
    """Wait for a worker; return its exit status, or None if it was stopped because an input took too long.

    That is more than ten times the budget, since an input that exceeds it is run several times.
    """
    count, since = -1, time.monotonic()
    while process.poll() is None:
        time.sleep(POLL)
        now, running = slot.state()
        if now != count or not running:
            count, since = now, time.monotonic()
        elif (taken := time.monotonic() - since) > patience:
            size = size_of(slot.read().files)
            if taken > patience + 10 * find_target(name).time_for(size):
                process.kill()
                process.wait()
                return None
    return process.returncode


def _collect(folder: Path, result: Result, outcomes: dict[str, tuple[Files, Outcome]]) -> None:
    """Add the figures and findings that a worker wrote."""
    slot = Slot(folder / "slot")
    result.tried += slot.state()[0]
    slot.close()
    state = folder / "state.json"
    if state.exists():
        numbers = json.loads(state.read_text())
        result.accepted += numbers["accepted"]
        result.refused += numbers["refused"]
        result.shapes.update(numbers["shapes"])
        result.compared.update(numbers["compared"])
    for path in sorted((folder / "findings").glob("*.pickle"), key=lambda path: int(path.stem)):
        files, outcome = pickle.loads(path.read_bytes())
        outcomes.setdefault(outcome.shape, (files, outcome))


def _finding(name: str, files: Files, outcome: Outcome, compare: bool, seconds: float, patience: float) -> Finding:
    """Return a finding, with its input minimized as far as the time allows."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as temporary:
        folder = Path(temporary)
        (folder / "finding.pickle").write_bytes(pickle.dumps((files, outcome)))
        with _process("shrink", folder, {"target": name, "seconds": seconds, "compare": compare}) as process:
            try:
                process.wait(seconds + patience)
            except subprocess.TimeoutExpired:
                process.kill()
        best = folder / "shrunk.pickle"
        if best.exists():
            files, outcome = pickle.loads(best.read_bytes())
    return Finding(name, files, outcome, compare)


def _process(what: str, folder: Path, job: dict[str, Any]) -> subprocess.Popen[bytes]:
    find_target(job["target"])  # a KeyError should be raised in this process
    (folder / "job.json").write_text(json.dumps(job))
    command = [sys.executable, "-m", "fuzz.worker", what, str(folder)]
    with (folder / "stderr").open("wb") as stderr:  # not a pipe, which would have to be emptied continuously
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=stderr)
