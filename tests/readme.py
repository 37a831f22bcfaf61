"""Run the blocks of all READMEs: `python -m tests.readme` regenerates the output that they show.

    ```console   commands behind "$ ", each followed by its output; each runs in the root of the repository, and all
                 paths in /tmp that a block names are in a temporary folder of its own
    ```pycon     a doctest; those of one README share their names
    ```text      behind a comment `<!-- timing: COMMAND -->`: the output of that command; it differs from run to run, so
                 it is regenerated and not compared
    ```          without a word behind it: a picture or a tree, left alone

A console block behind a comment `<!-- not run: REASON -->` is left alone too.
"""

from __future__ import annotations

import argparse
import doctest
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tfmodel.cli.runner import run_quietly

__all__ = ["README", "ROOT", "blocks", "doctest_failures", "pages", "readmes", "regenerated", "rendered"]

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
FOLDERS = ("examples", "fuzz", "pbwire", "schema", "tests", "tfmodel")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md", "SECURITY.md")
BLOCK = re.compile(
    r"(?:<!-- (?:timing: (?P<timing>[^\n]*?)|not run: (?P<reason>[^\n]*?)) -->\n)?"
    r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
VARIES = {
    r"\b\d+\.\d\d s\b": "0.00 s",
    r"(?<=differ by )\d(?:\.\d+)?e-0[78]\b": "2e-07",
    r"(?<=: page, )[\d,]+(?= bytes)": "150,000",
}
"""Patterns of output that differs between machines (times, rounding of sums), or with each change of a page (its size),
and the text that replaces them.
"""
DIFFERENCE = re.compile(r"((?<=differ by )|(?<=differs by )|(?<=at most, ))\d\S*(?= of the largest| at most)")
"""Differences of results, whose last digit depends on the order in which a machine adds."""
NOT_RUN_HERE = re.compile(r"pip install|pytest|git clone|\.ci/run")  # other tests and CI run these


def readmes() -> list[Path]:
    """Return the README of the repository, and the pages in its folders."""
    return [README, *sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]


def pages() -> list[Path]:
    """Return the READMEs and the other pages of the repository."""
    return [*dict.fromkeys([*(ROOT / name for name in PAGES), *readmes()])]


def run(command: str) -> str:
    """Return the output of a command, standard error included, as a shell in the repository would show it."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = re.sub(r"^python\b", lambda _: shlex.quote(sys.executable), command)
    done = subprocess.run(
        ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT, env=environment, text=True
    )
    for pattern, same in VARIES.items():
        done.stdout = re.sub(pattern, same, done.stdout)
    return done.stdout


def rendered(body: str) -> str:
    """Return a console block with the current output of its commands.

    A temporary folder replaces /tmp in the commands, and back in their output: parallel runs do not share files.
    """
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for command in re.findall(r"^\$ (.*)$", body, flags=re.MULTILINE):
            lines.append(f"$ {command}\n")
            if not NOT_RUN_HERE.search(command):
                lines.append(run(re.sub(r"/tmp\b", lambda _: folder, command)).replace(folder, "/tmp"))
    return with_known_differences("".join(lines), body)


def with_known_differences(text: str, shown: str) -> str:
    """Return the text with the differences of results that are shown, where those are within 5 percent of its own."""
    known = [float(figure[0]) for figure in DIFFERENCE.finditer(shown)]
    found = [float(figure[0]) for figure in DIFFERENCE.finditer(text)]
    near = len(known) == len(found) and all(map(partial(math.isclose, rel_tol=0.05), known, found))
    figures = iter(figure[0] for figure in DIFFERENCE.finditer(shown))
    return DIFFERENCE.sub(lambda _: next(figures), text) if near else text


def blocks(text: str) -> list[re.Match[str]]:
    """Return the blocks of a README that have a kind."""
    return [block for block in BLOCK.finditer(text) if block["kind"]]


def doctest_failures(body: str) -> int:
    """Run the examples of a README and return how many failed. A temporary folder replaces /tmp in them."""
    with tempfile.TemporaryDirectory() as folder:
        body = re.sub(r"/tmp\b", lambda _: folder, body)
        test = doctest.DocTestParser().get_doctest(body, {}, "README", "README.md", 0)
        return doctest.DocTestRunner(verbose=False).run(test).failed


def regenerated(text: str, *, outputs: bool, timings: str | None) -> str:
    """Return a README with the current output of its blocks: consoles, and timings whose command has these words."""

    def renew(match: re.Match[str]) -> str:
        kind, body, timing = match["kind"], match["body"], match["timing"]
        if outputs and kind == "console" and not match["reason"]:
            return f"```console\n{rendered(body)}```"
        if timing and timings is not None and timings in timing:
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
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--no-timings", action="store_true", help="leave the blocks behind timing comments as they are")
    choice.add_argument("--only-timings", metavar="WORDS", help="run only commands of timing comments with these words")
    args = parser.parse_args(arguments)
    timings = None if args.no_timings else args.only_timings or ""
    for path in readmes():
        path.write_text(regenerated(path.read_text(), outputs=args.only_timings is None, timings=timings))


if __name__ == "__main__":
    sys.exit(run_quietly(main))
