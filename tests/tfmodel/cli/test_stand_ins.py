"""Git LFS pointers, pages and empty files in place of any file that a command reads: the message says what it is.

Each row of CASES is a command and the file that is replaced. A new option that names a file gets a row here.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.tfmodel.files.checkpoints.golden import golden
from tests.tfmodel.tfjs_models import write_model as write_tfjs
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import save_saved_model
from tfmodel.cli import main

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 104857600\n"
PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>"

STAND_INS = {"pointer": (POINTER, "Git LFS pointer"), "page": (PAGE, "HTML page"), "empty": (b"", "empty file")}

TRAINED = ("model.meta", "model.index", "model.data-00000-of-00001")

# The command, the file that is replaced, and the stand-ins that may be the file itself there.
CASES: list[tuple[str, str, set[str]]] = [
    *[
        (f"{command} model.meta{options}", file, set())
        for command, options in [
            ("optimize", " -o out.pb"),
            ("freeze", " -o out.pb"),
            ("weights", " -o out.npz"),
            ("run", " --random"),
            ("check", " --values"),
            ("convert", " out/"),
            ("diff --values model.meta", ""),
            ("verify model.meta", ""),
        ]
        for file in TRAINED
    ],
    ("summarize model.meta", "model.meta", set()),
    ("checkpoint model", "model.index", set()),
    ("checkpoint model --verify", "model.data-00000-of-00001", set()),
    ("checkpoint model -o out.npz", "model.data-00000-of-00001", set()),
    ("checkpoint sharded_v2/model.ckpt --verify", "sharded_v2/model.ckpt.data-00001-of-00003", set()),
    ("checkpoint cut_and_sharded_v1/model --verify", "cut_and_sharded_v1/model-00001-of-00003", set()),
    ("checkpoint .", "checkpoint", {"empty"}),  # an empty state file names no checkpoint
    ("dump saved", "saved/saved_model.pb", set()),
    ("summarize saved", "saved/saved_model.pb", set()),
    ("weights saved", "saved/variables/variables.index", set()),
    ("optimize saved -o out.pb", "saved/variables/variables.data-00000-of-00001", set()),
    ("convert saved out/", "saved/variables/variables.data-00000-of-00001", set()),
    ("weights tfjs", "tfjs/model.json", set()),
    ("optimize tfjs -o out.pb", "tfjs/group1-shard1of1.bin", set()),
    ("weights net.h5", "net.h5", set()),
    ("summarize net.keras", "net.keras", set()),
    ("dump graph.json", "graph.json", set()),
    ("dump graph.pbtxt", "graph.pbtxt", set()),
    ("transform graph.pb -o out.pb --inputs x --outputs y --transforms strip_unused_nodes", "graph.pb", {"empty"}),
    ("events log.tfevents", "log.tfevents", {"empty"}),  # a program that just started has written nothing
    ("records data.tfrecord", "data.tfrecord", {"empty"}),  # a file without records
    ("run graph.pb --feed x=a.npy --fetch y", "a.npy", set()),
    ("run graph.pb --feed x=a.npz:b --fetch y", "a.npz", set()),
    ("run graph.pb --feed s=cat.png --fetch t", "cat.png", set()),
    ("run graph.pb --feed s=data.tfrecord[0:1] --fetch t", "data.tfrecord", {"empty"}),
    ("run graph.pb --feed x=[0.5] --fetch y --top 1 --labels words.txt", "words.txt", {"empty"}),
    ("check graph.pb --op-defs ops.pbtxt", "ops.pbtxt", {"empty"}),  # no ops
    ("summarize graph.pb --op-defs ops.pbtxt", "ops.pbtxt", {"empty"}),
    ("summarize graph.pb --supported-ops ops.txt", "ops.txt", {"empty"}),
    ("draw graph.pb -o out.html --overlay times.json", "times.json", set()),
    ("reduce graph.pb -o out.pb --fails --state state.json", "state.json", {"empty"}),
    ("transform graph.pb -o out.pb --inputs x --outputs y --transforms mine --plugin ./mine.py", "mine.py", {"empty"}),
    (
        "transform graph.pb -o out.pb --inputs x --outputs y --transforms "
        "freeze_requantization_ranges(min_max_log_file=ranges.log)",
        "ranges.log",
        {"empty"},
    ),
    ("dump message.bin --proto mine.proto --type M", "mine.proto", {"empty"}),
]

GRAPH = """
    x = Placeholder[dtype=float]
    y = Neg(x)[T=float]
    s = Placeholder[dtype=string]
    t = StringLower(s)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a sound file for every name in CASES that a case does not replace."""
    for file in TRAINED:
        shutil.copy(f"tests/data/trained/{file}", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["convert", "model.meta", "saved/"]) == 0
    Path("tfjs").mkdir()
    write_tfjs(Path("tfjs"))
    Path("graph.pb").write_bytes(graph_of(GRAPH).to_bytes())
    Path("message.bin").write_bytes(b"\x08\x01")
    for name in ("sharded_v2", "cut_and_sharded_v1"):
        prefix = golden(name).path
        shutil.copytree(prefix.parent, name)
    return tmp_path


@pytest.mark.parametrize("name", STAND_INS)
@pytest.mark.parametrize(("command", "file", "allowed"), CASES)
def test_the_message_says_what_the_file_is(
    command: str, file: str, allowed: set[str], name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, words = STAND_INS[name]
    if name in allowed:
        pytest.skip("that may be the file itself")
    (folder / file).write_bytes(content)
    capsys.readouterr()
    status = main(command.split())
    out, err = capsys.readouterr()
    assert status in (1, 2)  # 2 is that of check, diff and verify for a file that cannot be read
    assert words in out + err


TABLE = """
    s = Placeholder[dtype=string]
    words = Const[dtype=string, value=string{"words.txt"}()]
    table = HashTableV2[key_dtype=string, value_dtype=int64, shared_name="t"]
    fill = InitializeTableFromTextFileV2(table, words)[key_index=-2, value_index=-1, vocab_size=-1, delimiter=" "]
    none = Const[dtype=int64, value=int64{-1}()]
    ids = LookupTableFindV2(table, s, none)[Tin=string, Tout=int64]
"""

WRITERS = {
    "convert": "convert saved out/",
    "optimize to a folder": "optimize saved -o out/ --inputs s --outputs ids",
    "optimize to a file": "optimize saved -o out.pb --inputs s --outputs ids",
    "freeze": "freeze saved -o out.pb --outputs words",
    "edit": "edit saved -o out/ --rename s=text",
    "extract": "extract saved -o out/ --outputs ids",
}


@pytest.fixture
def with_asset(tmp_path, monkeypatch) -> Path:
    """Make a SavedModel with an asset, and return the path of the asset."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("cat\ndog\n")
    save_saved_model(graph_of(TABLE), "saved", assets=["words.txt"])
    return tmp_path / "saved" / "assets" / "words.txt"


@pytest.mark.parametrize("command", WRITERS.values(), ids=WRITERS)
def test_a_pointer_in_place_of_an_asset_is_named_by_commands_that_write_the_model(command, with_asset, capsys):
    with_asset.write_bytes(POINTER)
    main(command.split())
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "words.txt" in line]
    assert line.startswith('the asset "words.txt" is a Git LFS pointer')
    assert line.endswith('run "git lfs pull" in its repository to get it')


@pytest.mark.parametrize("command", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("content", [b"cat\n", PAGE, b""], ids=["words", "a page", "nothing"])
def test_an_asset_may_be_a_page_or_empty(command, content, with_asset, capsys):
    with_asset.write_bytes(content)
    main(command.split())
    assert "words.txt" not in capsys.readouterr().err


def test_a_pointer_in_place_of_an_asset_is_a_finding(with_asset, capsys):
    assert main(["check", "saved"]) == 0
    with_asset.write_bytes(POINTER)
    assert main(["check", "saved"]) == 1
    assert 'assets/words.txt" is a Git LFS pointer' in capsys.readouterr().out


def test_a_pointer_that_the_caller_names_as_an_asset_is_named(with_asset, capsys):
    with_asset.write_bytes(POINTER)
    Path("graph.pb").write_bytes(graph_of(TABLE).to_bytes())
    assert main(["convert", "graph.pb", "out/", "--assets", str(with_asset)]) == 0
    assert 'the asset "words.txt" is a Git LFS pointer' in capsys.readouterr().err
