"""`tfmodel vendor` of an installed wheel gives the same files as from the sources, byte for byte."""

from __future__ import annotations

import subprocess
import sys


def test_copies_and_the_pyz_are_those_of_the_sources(built, installed, tmp_path):
    def here(*arguments):
        command = [sys.executable, "-B", "-m", "tfmodel", "vendor", *map(str, arguments)]
        subprocess.run(command, cwd=built.sources, capture_output=True, timeout=60, check=True)

    script = str(installed.script("tfmodel"))
    line = installed.run(script, "vendor", str(tmp_path / "copy"), "--package=app._vendor", "--parts=pbwire,schema")
    assert line == "from app._vendor.tfmodel import messages\n"
    here(tmp_path / "copy", "--check")  # exits with 1 if a file differs
    installed.run(script, "vendor", "--zipapp", str(tmp_path / "installed.pyz"))
    here("--zipapp", tmp_path / "sources.pyz")
    assert (tmp_path / "installed.pyz").read_bytes() == (tmp_path / "sources.pyz").read_bytes()
