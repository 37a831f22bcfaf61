"""`python -m tests.hostile`: the catalogue of attacks as a table in Markdown."""

from __future__ import annotations

import sys
from itertools import groupby

from tests.hostile.catalogue import cases
from tfmodel.cli.runner import run_quietly


def main() -> None:
    for file, group in groupby(cases(), lambda case: case.file):
        print(f"### {file}\n\n| attack | what a naive reader does | stopped by |\n| --- | --- | --- |")
        for case in group:
            print(f"| {case.attack} | {case.naive} | {', '.join(f'`{name}`' for name in case.stopped_by)} |")
        print()


if __name__ == "__main__":
    sys.exit(run_quietly(main))
