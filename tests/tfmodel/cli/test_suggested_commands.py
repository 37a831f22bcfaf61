"""The commands that `summarize` suggests work: none is refused for want of an option."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import tfmodel
from tests.support.corpus import model_files
from tests.tfmodel import models
from tfmodel.cli import main
from tfmodel.messages import NodeDef, OpDef, OpList, SignatureDef, TensorInfo

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
    calls = [re.match(r"(?:next: |with a file that declares .*: |  )(\S*tfmodel .*)", line) for line in lines]
    commands = [shlex.split(call[1]) for call in calls if call]
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

    @pytest.mark.parametrize("declared", [False, True])
    def test_of_ops_that_tensorflow_does_not_have(self, capsys, tmp_path, options, declared):
        model = models.graph()
        next(node for node in model.node if node.op == "Relu").op = "MyOp"
        tfmodel.save(model, tmp_path / "g.pb")
        path, tensor = tmp_path / "OPS.pbtxt", OpDef.ArgDef(name="t", type_attr="T")
        own = OpDef(name="MyOp", input_arg=[tensor], output_arg=[tensor], attr=[OpDef.AttrDef(name="T", type="type")])
        tfmodel.save(OpList(op=[own]), path)
        more = ["--op-defs", str(path)] * declared
        commands = suggested(capsys, tmp_path / "g.pb", *options, *more)
        assert commands
        assert all(("--op-defs" in command) == (command[0] != "draw") for command in commands)
        check_suggested(capsys, tmp_path / "g.pb", *options, *more, works=True)

    @pytest.mark.parametrize("path", model_files(".pb", ".meta"))
    def test_of_model_files(self, capsys, path, options):
        if main(["summarize", str(path)]) == 0:
            check_suggested(capsys, path, *options)


def test_a_graph_with_problems_is_to_be_checked(capsys, tmp_path):
    model = models.graph()
    model.node.append(NodeDef(name="z", op="Relu", input=["nowhere"]))
    tfmodel.save(model, tmp_path / "g.pb")
    assert suggested(capsys, tmp_path / "g.pb") == [["check", str(tmp_path / "g.pb")]]
