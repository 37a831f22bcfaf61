"""Runs what the README shows: `python -m tests.readme` writes the output of every block anew.

A block of ```console holds commands behind "$ " and what they print, one behind the other; each runs in the repository.
A block of ```pycon is a doctest. A block of ```text behind a comment `<!-- timing: COMMAND -->` is that command's
output and, since it differs from run to run, is written anew but not compared.
"""

from __future__ import annotations

import argparse
import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

from tfmodel.cli.common import ended_quietly

__all__ = ["ROOT", "blocks", "doctest_failures", "regenerated", "rendered"]

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"(?:<!-- timing: (?P<timing>.*?) -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)```", re.DOTALL)
VARIES = {r"\b\d+\.\d\d s\b": "0.00 s", r"(?<=differ by )\d(?:\.\d+)?e-0[78]\b": "2e-07"}
"""What differs from machine to machine, and what is shown for it: how long it takes, and how sums are rounded."""
NOT_RUN_HERE = re.compile(r"pip install|pytest|git clone")  # their own tests and CI run them


def run(command: str) -> str:
    """What a command prints, standard error included, as a shell in the repository would show it."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = re.sub(r"^python\b", sys.executable, command)
    done = subprocess.run(
        ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT, env=environment, text=True
    )
    for pattern, same in VARIES.items():
        done.stdout = re.sub(pattern, same, done.stdout)
    return done.stdout


def rendered(body: str) -> str:
    """A console block with the output of its commands as it is now."""
    lines = []
    for command in re.findall(r"^\$ (.*)$", body, flags=re.MULTILINE):
        lines.append(f"$ {command}\n")
        if not NOT_RUN_HERE.search(command):
            lines.append(run(command))
    return "".join(lines)


def blocks(text: str) -> list[re.Match[str]]:
    return list(BLOCK.finditer(text))


def doctest_failures(body: str) -> int:
    test = doctest.DocTestParser().get_doctest(body, {}, "README", "README.md", 0)
    return doctest.DocTestRunner(verbose=False).run(test).failed


def regenerated(text: str, *, timings: bool) -> str:
    def renew(match: re.Match[str]) -> str:
        kind, body, timing = match["kind"], match["body"], match["timing"]
        if kind == "console":
            return f"```console\n{rendered(body)}```"
        if timing and timings:
            return f"<!-- timing: {timing} -->\n```{kind}\n{run(timing)}```"
        return match.group()

    return BLOCK.sub(renew, text)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.readme",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--no-timings", action="store_true", help="leave the blocks behind timing comments as they are")
    args = parser.parse_args(arguments)
    README.write_text(regenerated(README.read_text(), timings=not args.no_timings))


if __name__ == "__main__":
    sys.exit(ended_quietly(main))
