"""Every option that names a file, with something that is not a file: an error, without waiting and without a traceback.

OPTIONS has a command for each option that names a file to read; {} stands for the path. `test_no_option_is_forgotten`
compares it with the parsers of all commands.
"""

from __future__ import annotations

import importlib
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbwire.arguments import FAILED, NO
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.cli import COMMANDS, main
from tfmodel.cli.parser import Parser
from tfmodel.files.access import special_files

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there are no such files here")

TRANSFORM = "transform graph.pb -o out.pb --inputs x --outputs y --transforms"

OPTIONS = [
    *(
        f"{command} {{}}"
        for command in ("dump", "summarize", "checkpoint", "weights", "run", "ops", "check", "draw", "view")
    ),
    *(f"{command} {{}}" for command in ("events", "records")),
    "freeze {} -o out.pb --outputs y",
    "find {} op=Relu",
    "transform {} -o out.pb --inputs x --outputs y --transforms strip_unused_nodes",
    "extract {} -o out.pb --outputs y",
    "reduce {} -o out.pb --fails",
    "optimize {} -o out.pb",
    "convert {} out.json",
    "edit {} -o out.pb --remove y",
    "splice {} graph.pb -o out.pb --connect x=y",
    "splice graph.pb graph.pb -o out.pb --connect x=y --op-defs {}",
    "splice graph.pb {} -o out.pb --connect x=y",
    "diff {} graph.pb",
    "diff graph.pb {}",
    "verify {} graph.pb",
    "verify graph.pb {}",
    "draw graph.pb {} -o out.html",
    "view graph.pb {}",
    "view graph.pb --overlay {}",
    "reduce graph.pb -o out.pb --differs-from {}",
    "reduce graph.pb -o out.pb --fails --feed x=1 --outputs y --state {}",
    "reduce graph.pb -o out.pb --fails --feed x={}",
    "run graph.pb --feed x={} --fetch y",
    "run graph.pb --feed x={}.npy --fetch y",
    "run graph.pb --feed x={}.npz:a --fetch y",
    "run graph.pb --feed s={}.png --fetch t",
    "run graph.pb --feed s={}.tfrecord[0:1] --fetch t",
    "run graph.pb --feed x=1 --fetch y --top 1 --labels {}",
    "verify graph.pb graph.pb --feed x={}.npy",
    "optimize graph.pb -o out.pb --verify --outputs y --feed x={}.npy",
    f"{TRANSFORM} strip_unused_nodes --verify --feed x={{}}.npy",
    *(
        f"{command} model.meta {options} --checkpoint {{}}"
        for command, options in [
            ("freeze", "-o out.pb"),
            ("optimize", "-o out.pb"),
            ("run", "--random"),
            ("verify", "model.meta"),
            ("weights", ""),
            ("check", "--values"),
            ("convert", "out/"),
            ("reduce", "-o out.pb --fails"),
            ("transform", "--dry-run --outputs y --verify --transforms strip_unused_nodes"),
        ]
    ),
    "freeze model.meta -o out.pb --input-checkpoint {}",
    "freeze --input-graph {} -o out.pb --outputs y",
    "freeze --input-meta-graph {} -o out.pb --outputs y",
    "freeze --input-saved-model-dir {} -o out.pb --outputs y",
    "summarize --in-graph {}",
    "summarize graph.pb --op-defs {}",
    "summarize graph.pb --supported-ops {}",
    "check graph.pb --op-defs {}",
    "dump graph.pb --format tree --op-defs {}",
    "edit graph.pb -o out.pb --remove y --op-defs {}",
    "extract graph.pb -o out.pb --outputs y --op-defs {}",
    "freeze graph.pb -o out.pb --outputs y --op-defs {}",
    "optimize graph.pb -o out.pb --outputs y --op-defs {}",
    "optimize graph.pb -o out.pb --outputs y --plugin ./{}",
    "convert graph.pb out/ --op-defs {}",
    "convert graph.pb out/ --assets {}",
    "dump graph.pb --proto {} --type M",
    "convert graph.pb out.json --proto {} --type M",
    "draw graph.pb -o out.html --overlay {}",
    "transform --in-graph {} -o out.pb --inputs x --outputs y --transforms strip_unused_nodes",
    f"{TRANSFORM} strip_unused_nodes --op-defs {{}}",
    f"{TRANSFORM} strip_unused_nodes --plugin ./{{}}",
    f"{TRANSFORM} freeze_requantization_ranges(min_max_log_file={{}})",
    f"{TRANSFORM} sparsify_gather(input_checkpoint={{}})",
]

GRAPH = """
    x = Placeholder[dtype=float]
    y = Neg(x)[T=float]
    s = Placeholder[dtype=string]
    t = StringLower(s)
"""


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_loop(path: Path) -> None:
    path.symlink_to(path)


def make_unreadable(path: Path) -> None:
    path.write_bytes(b"")
    path.chmod(0)


KINDS = {
    "a pipe": make_pipe,
    "/dev/zero": make_endless,
    "a folder": Path.mkdir,
    "nothing": lambda path: None,
    "a link to itself": make_loop,
    "an unreadable file": make_unreadable,
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for file in Path("tests/data/trained").iterdir():
        shutil.copy(file, folder)
    (folder / "graph.pb").write_bytes(graph_of(GRAPH).to_bytes())
    return folder


@pytest.fixture
def folder(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a graph and a checkpoint. A test that takes longer than 20 seconds fails."""
    for file in models.iterdir():
        (tmp_path / file.name).symlink_to(file)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(special_files, "WRITER_SECONDS", 0.01)

    def end(number: int, frame: object) -> None:
        raise AssertionError("the command waits, or reads without end")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(20)
    yield tmp_path
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", OPTIONS)
def test_only_files_are_read(command: str, kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if kind == "nothing" and "--state" in command:
        pytest.skip("the file is made")
    if kind == "an unreadable file" and os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = next(word for word in command.replace("=", " ").split() if "{}" in word)
    name = path.partition(":")[0].partition("[")[0].partition(")")[0].format("odd").removeprefix("./")
    KINDS[kind](folder / name)
    status = main(command.format("odd").split())
    out, err = capsys.readouterr()
    assert "odd" in out + err
    assert "--help" not in err
    assert status == FAILED or (status == NO and command.startswith("check model.meta"))  # its checkpoint is at fault


def test_no_option_is_forgotten() -> None:
    named = {"FILE", "PREFIX", "OTHER", "MODEL", "LIST", "MODULE"}
    forgotten = []
    for command in set(COMMANDS) - {"completion", "vendor"}:
        parser = Parser(prog=command)
        importlib.import_module(f"tfmodel.cli.{command}").add_arguments(parser)
        for action in parser._actions:
            is_there = any(
                line.startswith(f"{command} ") and any(option in line for option in action.option_strings)
                for line in OPTIONS
            )
            if (action.metavar in named or action.dest == "feed") and action.option_strings and not is_there:
                forgotten.append(f"{command} {action.option_strings[0]}")
    assert sorted(forgotten) == []
