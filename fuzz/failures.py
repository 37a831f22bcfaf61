"""Store findings as files: the input, the outcome, and a test that replays it.

    fuzz/failures/wire-1f0a7c22/input/...        the file, or the files
    fuzz/failures/wire-1f0a7c22/finding.json     target and outcome
    fuzz/failures/wire-1f0a7c22/test_wire_1f0a7c22.py

Once the fault is fixed, the folder moves to fuzz/regressions under a name that describes it (without the test):
tests/fuzz/test_regressions.py replays everything there.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

from .execute import Outcome, run_input
from .runner import Finding, try_apart
from .target import Files, find_target, is_inside

__all__ = ["FAILURES", "REGRESSIONS", "read_input", "regressions", "replay", "save"]

ENDLESS = 300.0  # seconds until an input counts as hanging; slow inputs are judged by processor time

HERE = Path(__file__).parent
FAILURES = HERE / "failures"
REGRESSIONS = HERE / "regressions"

TEST = '''"""A finding of `python -m fuzz --target {target}`: {shape}"""

from pathlib import Path

from fuzz.failures import replay


def test_{name}():
    replay(Path(__file__).parent)
'''


def save(finding: Finding, folder: Path = FAILURES) -> Path:
    """Write a finding to a folder of its own, and return the folder."""
    content = b"".join(name.encode() + b"\0" + finding.files[name] for name in sorted(finding.files))
    target = finding.target.rpartition(":")[2]
    name = f"{target}-{hashlib.sha256(content).hexdigest()[:8]}"
    here = folder / name
    for path, content in finding.files.items():  # special files are stored as plain files whose names say their kind
        if is_inside(path):
            (here / "input" / path).parent.mkdir(parents=True, exist_ok=True)
            (here / "input" / path).write_bytes(content)
    about = {
        "target": finding.target,
        "shape": finding.outcome.shape,
        "compare": finding.compare,
        "what": finding.outcome.what.splitlines(),
    }
    (here / "finding.json").write_text(json.dumps(about, indent=1) + "\n")
    identifier = name.replace("-", "_")
    shape = finding.outcome.shape.replace("\\", "\\\\").replace('"', "'")
    test = TEST.format(target=finding.target, shape=shape, name=identifier)
    (here / f"test_{identifier}.py").write_text(test, encoding="utf-8", errors="backslashreplace")
    return here


def read_input(folder: Path) -> Files:
    """Return the files of a saved input."""
    inside = folder / "input"
    paths = [path for path in sorted(inside.rglob("*")) if path.is_file()]
    return {path.relative_to(inside).as_posix(): path.read_bytes() for path in paths}


def replay(folder: Path, *, patience: float = ENDLESS) -> Outcome:
    """Run a saved input again. Raises AssertionError if it is still a finding; `patience` is in seconds."""
    about = json.loads((folder / "finding.json").read_text())
    name, files, compare = about["target"], read_input(folder), about.get("compare", False)
    if about["shape"].startswith(("hang", "crash", "memory: MemoryError")):
        outcome = try_apart(name, files, compare=compare, patience=patience)
    else:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as case:
            outcome = run_input(find_target(name), files, Path(case) / "case", measured=True, compare=compare)
    assert outcome.verdict != "finding", f"{outcome.shape}\n{outcome.what}"
    return outcome


def regressions(target: str | None = None) -> list[Path]:
    """Return the folders of fixed findings, of one target or of all."""
    abouts = sorted(REGRESSIONS.glob("*/finding.json"))
    return [path.parent for path in abouts if target in (None, json.loads(path.read_text())["target"])]
