"""Bugs planted in the project's modules, in memory of one process: files stay unchanged.

    python -m tests.fuzz.planting [BUG ...]           # bugs of tests/fuzz/bugs.py: are they found and minimized?
    python -m tests.fuzz.planting --record            # rewrite recorded.jsonl, the tests' source of inputs

A bug is a line of the project and its replacement. Before other imports, a finder is installed first in sys.meta_path,
which compiles the module from the changed text; then the target that should detect the bug is fuzzed.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from tests.fuzz.bugs import BUGS, QUICK, Bug

__all__ = ["hunted", "text_with"]

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).with_name("recorded.jsonl")
"""Recorded inputs of the targets' strategies, as lines of {"target": ..., "files": {name: text of Latin-1}}. Another
version of hypothesis generates other inputs, and the tests must not depend on that."""
RECORDS, MAX_RECORD_BYTES = 30, 1_000  # for each target; bytes of each
BY_HAND = {"wire": [{"sample.Repeated.pb": b"\x1a\x08\x01\x80\x80\x80\x80\x08\x02\x03" + b"\x08\x07"}]}
"""Additional recorded inputs: the smallest int32 in a packed list, in five bytes."""
SHRINKING, UNHURRIED = 10.0, 600.0  # seconds


def hunted(name: str, *, tries: int | None = None) -> dict[str, Any]:
    """Plant a bug and search for it, in a separate process.

    With `tries`, the outcome is the same on every machine: inputs come from `RECORDED`, and that number of tries limits
    minimization, not SHRINKING.

    The result has the number of inputs `tried` until the bug was found, the `shape` of the finding ("" for none), and
    its bytes before (`first`) and after (`size`) it was minimized.
    """
    words = [sys.executable, "-m", "tests.fuzz.planting", "--here", name]
    words += [] if tries is None else [str(tries)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr}")
    finding: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return finding


def text_with(bug: Bug) -> str:
    """Return the module's text with the bug. Raises LookupError if the line does not occur exactly once."""
    text = (ROOT / bug.module).read_text(encoding="utf-8")
    if text.count(bug.old) != 1:
        raise LookupError(f"{bug.module} has {bug.old!r} {text.count(bug.old)} times: tests/fuzz/bugs.py needs it once")
    return text.replace(bug.old, bug.new)


class _Loader(importlib.machinery.SourceFileLoader):
    """A loader that compiles the changed text, without caching bytecode."""

    def __init__(self, fullname: str, bug: Bug) -> None:
        super().__init__(fullname, str(ROOT / bug.module))
        self.bug = bug

    def get_code(self, fullname: str) -> CodeType:
        return compile(text_with(self.bug), self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, bug: Bug) -> None:
        self.bug = bug
        self.fullname = bug.module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname != self.fullname:
            return None
        return importlib.util.spec_from_loader(fullname, _Loader(fullname, self.bug))


def recorded(target: str) -> Callable[[random.Random], dict[str, bytes]]:
    """Yield the recorded inputs of a target, repeatedly."""
    lines = map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines())
    texts = [line["files"] for line in lines if line["target"] == target]
    files = [{name: text.encode("latin-1") for name, text in texts_by_name.items()} for texts_by_name in texts]
    again = itertools.cycle(files)
    return lambda chance: next(again)


def _record() -> None:
    """Rewrite RECORDED for the targets of the bugs that tests search for."""
    from fuzz.execute import size_of
    from fuzz.inputs import examples
    from fuzz.target import find_target

    with RECORDED.open("w", encoding="utf-8") as file:
        for target in sorted({BUGS[name].target for name in QUICK}):
            drawn = examples(find_target(target).strategy(), random.Random(target))
            small = (files for files in drawn if size_of(files) <= MAX_RECORD_BYTES)
            kept = list(itertools.islice(small, RECORDS))
            for files in [*kept, *BY_HAND.get(target, [])]:
                texts = {name: content.decode("latin-1") for name, content in files.items()}
                file.write(json.dumps({"target": target, "files": texts}) + "\n")


def _hunt(name: str, tries: int | None) -> dict[str, Any]:
    """Fuzz in this process until there is a finding; no parent watches for hangs or crashes."""
    bug = BUGS[name]
    finder = _Finder(bug)
    assert finder.fullname not in sys.modules, "it is imported already"
    sys.meta_path.insert(0, finder)

    import tempfile

    from fuzz.execute import run_input, size_of
    from fuzz.inputs import Inputs
    from fuzz.shrinking import shrink
    from fuzz.target import find_target

    target = find_target(bug.target)
    if tries is not None:
        target = replace(target, strategy=lambda: recorded(bug.target))
    source = Inputs(target, bug.seed)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as temporary:
        folder = Path(temporary) / "case"
        for count in range(1, bug.inputs + 1):
            files = source.next()
            outcome = run_input(target, files, folder, measured=count % 25 == 1, compare=bug.differential)
            if outcome.verdict != "finding":
                source.learn(files, outcome.shape)
                continue
            seconds, size = time.monotonic() - begun, size_of(files)
            limit = SHRINKING if tries is None else UNHURRIED
            for smaller, _ in shrink(
                target, files, outcome, folder, seconds=limit, tries=tries, compare=bug.differential
            ):
                files = smaller
            return {
                "tried": count,
                "seconds": seconds,
                "shape": outcome.shape,
                "first": size,
                "size": size_of(files),
                "files": repr(files)[:300],
            }
    return {"tried": count, "seconds": time.monotonic() - begun, "shape": "", "first": 0, "size": 0, "files": ""}


def main(words: list[str]) -> int:
    if words[:1] == ["--here"]:
        name, *arguments = words[1:]
        print(json.dumps(_hunt(name, int(arguments[0]) if arguments else None)))
        return 0
    if words == ["--record"]:
        _record()
        return 0
    missed = 0
    for name in words or BUGS:
        bug = BUGS[name]
        try:
            finding = hunted(name)
        except RuntimeError as error:  # the bug breaks the fuzzer, too
            print(f"{name} ({bug.target}): {str(error).splitlines()[-1]}", flush=True)
            missed += 1
            continue
        missed += not finding["shape"]
        said = (
            f"{finding['shape']}; {finding['first']:,} bytes, then {finding['size']:,}"
            if finding["shape"]
            else "NOT FOUND"
        )
        print(f"{name} ({bug.target}): {finding['tried']:,} inputs, {finding['seconds']:.0f} s: {said}", flush=True)
        if finding["files"]:
            print(f"    {finding['files']}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
