"""Kill all writers at random moments: `python -m tests.hostile.kill_at_random --times 50`.

Each writer is a process that writes some megabytes and receives SIGKILL: in half of the runs at any moment, in the
other half while its temporary file exists. After each kill, the target must be the complete old file or the complete
new one; of several files that belong together, the last may be new only if all are. Temporary files stay, and the next
run must remove them.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.hostile.writers import WRITERS, Writer, content, leftovers, make_models
from tfmodel.cli.runner import run_quietly

__all__ = ["judged", "kills"]

ROOT = Path(__file__).resolve().parents[2]
MAX_TEMPORARIES = 2  # temporaries of one writer at a time
_PAUSE = 0.0002


def judged(writer: Writer, state: dict[str, str], new: dict[str, str]) -> str:
    """Classify the files after a kill: "old", "new", "data new" (new data with the old index), or "BROKEN".

    Additional folders around the target are allowed.
    """
    old, state = writer.digests(), {name: digest for name, digest in state.items() if not name.endswith("/")}
    if state in (old, new):
        return "old" if state == old else "new"
    if not writer.last:
        return "BROKEN"
    mixed = all(state[name] in (old.get(name), new.get(name)) for name in state)
    return "data new" if mixed and state.get(writer.last) == old.get(writer.last) else "BROKEN"


def kills(name: str, models: Path, times: int, chance: random.Random) -> Iterator[tuple[str, bool]]:
    """Yield for each kill the state afterwards, and whether it happened while a file was being written."""
    writer = WRITERS[name]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        writing, life, new = _whole_run(writer, models, out)
        for number in range(times):
            _restore(writer, out)
            before = set(leftovers(out))
            process = _started(writer, models, out)
            if number % 2:
                _wait_for_temporary(process, out, before)
                time.sleep(chance.uniform(0, writing))
            else:
                time.sleep(chance.uniform(0, life))
            process.kill()
            process.wait()
            yield judged(writer, content(out), new), bool(set(leftovers(out)) - before)
            if len(leftovers(out)) > len(before) + MAX_TEMPORARIES:
                yield "BROKEN", True
        _restore(writer, out)
        _whole_run(writer, models, out)
        if left := leftovers(out):
            raise AssertionError(f"{name}: no run removed {', '.join(left)}")


def _whole_run(writer: Writer, models: Path, out: Path) -> tuple[float, float, dict[str, str]]:
    """Return the seconds of writing, the total seconds, and the files at the end."""
    if not leftovers(out):
        _restore(writer, out)
    before, start = set(leftovers(out)), time.monotonic()
    process = _started(writer, models, out)
    _wait_for_temporary(process, out, before)
    began = ended = time.monotonic()
    while process.poll() is None:
        if set(leftovers(out)) - before:
            ended = time.monotonic()
        time.sleep(_PAUSE)
    if process.returncode != 0:
        raise AssertionError(f"it does not work: {process.args!r}")
    return ended - began, time.monotonic() - start, content(out)


def _started(writer: Writer, models: Path, out: Path) -> subprocess.Popen[bytes]:
    null = subprocess.DEVNULL
    return subprocess.Popen(writer.process(models, out), cwd=ROOT, stdin=null, stdout=null, stderr=null)


def _wait_for_temporary(process: subprocess.Popen[bytes], out: Path, before: set[str]) -> None:
    while process.poll() is None and set(leftovers(out)) <= before:
        time.sleep(_PAUSE)


def _restore(writer: Writer, out: Path) -> None:
    """Restore the old content, but leave temporaries."""
    for name in content(out):
        path = out / name
        if path.is_file():
            path.unlink()
    for folder in sorted(out.rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    writer.prepare(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=50, help="kills of each writer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", choices=tuple(WRITERS))
    parser.add_argument("--megabytes", type=int, default=16)
    args = parser.parse_args()
    broken = total = 0
    with tempfile.TemporaryDirectory() as folder:
        make_models(Path(folder), elements=args.megabytes * 250_000)
        for name in args.only or WRITERS:
            results = list(kills(name, Path(folder), args.times, random.Random(args.seed)))
            states, amid = Counter(state for state, _ in results), sum(amid for _, amid in results)
            words = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
            print(f"{name:26} {len(results)} kills, {amid} while it wrote: {words}", flush=True)
            broken, total = broken + states["BROKEN"], total + len(results)
    print(f"{total} kills of {len(args.only or WRITERS)} writers: {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(run_quietly(main))
