"""The commands that `summarize` suggests work: none is refused for want of an option."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.corpus import model_files
from tests.tfmodel import models
from tfmodel.cli import main
from tfmodel.messages import SignatureDef, TensorInfo

REFUSAL = re.compile(r"name (one|some)|several signatures|--[a-z]")
"""Words of commands that lack an option."""

Y = SignatureDef(inputs={"x": TensorInfo(name="x:0")}, outputs={"y": TensorInfo(name="y:0")})
NOTHING = SignatureDef(inputs={"x": TensorInfo(name="x:0")})
SIGNATURES = {
    "none": {},
    "the default one": {"serving_default": Y},
    "one": {"classify": Y},
    "one without outputs": {"reset": NOTHING},
    "several with a default": {"classify": Y, "serving_default": Y},
    "several without a default": {"b": Y, "a b": Y},
    "the first without outputs": {"a": NOTHING, "b": Y, "c": Y},
    "all without outputs": {"a": NOTHING, "b": NOTHING},
    "one and an internal one": {"__saved_model_init_op": NOTHING, "classify": Y},
}


def suggested(capsys, path: Path, *options: str) -> list[list[str]]:
    """Return the arguments of the commands that `summarize` prints, those without placeholders for the user."""
    assert main(["summarize", str(path), *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    commands = [shlex.split(line.removeprefix("next:")) for line in lines if re.match(r"(next: |  )\S*tfmodel ", line)]
    assert commands or options
    return [command[1:] for command in commands if not {"NAME", "PREFIX"} & {*command}]


def check_suggested(capsys, path: Path, *options: str, works: bool = False) -> None:
    """Run the commands; with `works`, each has to succeed."""
    for arguments in suggested(capsys, path, *options):
        status = main(arguments)
        assert status == 0 or not works
        assert status == 0 or not REFUSAL.search(capsys.readouterr().err.splitlines()[-1]), arguments


@pytest.mark.parametrize("options", [(), ("--all",)], ids=["brief", "all"])
class TestSuggestedCommands:
    @pytest.fixture(autouse=True)
    def in_a_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)  # where they write

    @pytest.mark.parametrize("signatures", SIGNATURES.values(), ids=SIGNATURES)
    def test_of_models_with_these_signatures(self, capsys, tmp_path, signatures, options):
        model = models.saved_model()
        model.meta_graphs[0].signature_def = signatures
        (tmp_path / "saved_model.pb").write_bytes(model.to_bytes())
        check_suggested(capsys, tmp_path / "saved_model.pb", *options, works=True)

    @pytest.mark.parametrize("path", model_files(".pb", ".meta"))
    def test_of_model_files(self, capsys, path, options):
        if main(["summarize", str(path)]) == 0:
            check_suggested(capsys, path, *options)
