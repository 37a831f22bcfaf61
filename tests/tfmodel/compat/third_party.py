"""Run code of others with protobuf and with the layer, and compare.

    python -m tests.tfmodel.compat.third_party [--python PYTHON] [--layer-python PYTHON] [--folder FOLDER]
        [--only-protobuf] FILE... [-- ARG]

FILE is a module of unit tests (`test_*.py`, `*_test.py`): of the tests that pass with protobuf, all must pass with the
layer. Or it is any other script: it must print the same and exit with the same status. PYTHON is one that has protobuf
and what the code needs; the layer runs in another one if it is given, which should have neither protobuf nor
TensorFlow. FOLDER is where the code runs. The code stays where it is.

A script that prints maps in their own order differs: protobuf's C implementation has none that is certain.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[3]
_RUN_TESTS = "import sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))\n"


class Runner:
    """Runs a script with protobuf, and with the layer."""

    def __init__(self, python: str, layer_python: str, folder: Path, options: Sequence[str]) -> None:
        self.python, self.layer_python, self.folder, self.options = python, layer_python, folder, options

    def run(self, script: str, arguments: Sequence[str], layer: bool) -> subprocess.CompletedProcess[str]:
        path = [str(self.folder), os.environ.get("PYTHONPATH", "")]
        command = [self.python, script, *arguments]
        if layer:
            path.insert(0, str(ROOT))
            options = ["--override", "--force", *self.options]
            command = [self.layer_python, "-m", "tfmodel.compat", *options, script, *arguments]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=600, check=False
        )

    def tests(self, file: str, layer: bool) -> set[str]:
        """Return the names of the tests that pass."""
        with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
            script.write(_RUN_TESTS)
            script.flush()
            done = self.run(script.name, ["-q", "-rA", "-p", "no:cacheprovider", file], layer)
        return set(re.findall(r"^PASSED (\S+)", done.stdout, re.MULTILINE))


def compare_tests(runner: Runner, file: str) -> tuple[int, list[str]]:
    """Return how many tests pass with protobuf, and those that do not with the layer."""
    with_protobuf = runner.tests(file, layer=False)
    return len(with_protobuf), sorted(with_protobuf - runner.tests(file, layer=True))


def compare_script(runner: Runner, file: str, arguments: Sequence[str]) -> tuple[int, list[str]]:
    """Return how many lines a script prints, and those that differ."""
    theirs, ours = (runner.run(file, arguments, layer) for layer in (False, True))
    if theirs.returncode and not theirs.stdout:
        return 0, [f"fails with protobuf too: {''.join(theirs.stderr.splitlines()[-1:])}"]
    expected, printed = theirs.stdout.splitlines(), ours.stdout.splitlines()
    differ = [f"{one!r} is {other!r}" for one, other in zip(expected, printed, strict=False) if one != other]
    if len(expected) != len(printed) or theirs.returncode != ours.returncode:
        last = "".join(ours.stderr.splitlines()[-1:])
        differ.append(
            f"{len(expected)} lines are {len(printed)}, status {theirs.returncode} is {ours.returncode}: {last}"
        )
    return len(expected), differ


def main(arguments: Sequence[str]) -> int:
    end = arguments.index("--") if "--" in arguments else len(arguments)
    rest = arguments[end + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--layer-python")
    parser.add_argument("--folder", type=Path, default=Path())
    parser.add_argument("--only-protobuf", action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(arguments[:end])
    only_protobuf = ["--only-protobuf"] if options.only_protobuf else []
    runner = Runner(options.python, options.layer_python or options.python, options.folder.resolve(), only_protobuf)
    total = failed = 0
    for file in options.files:
        is_test = Path(file).stem.startswith("test_") or Path(file).stem.endswith("_test")
        count, problems = compare_tests(runner, file) if is_test else compare_script(runner, file, rest)
        total, failed = total + count, failed + len(problems)
        print(f"{' '.join([file, *rest])}: {count} {'tests' if is_test else 'lines'}, {len(problems)} differ")
        for problem in problems[:5]:
            print(f"  {problem}")
    print(f"all: {total}, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
