"""Output for other programs (archives, folders, drawings, JSON and text) from models with forged names."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from itertools import islice, product
from pathlib import Path

import numpy as np
import pytest

from tests.hostile.measure import assert_linear
from tests.hostile.names import EVIL, NAME, alien
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import load, save, summarize, write_checkpoint
from tfmodel.cli import main
from tfmodel.drawing.graphviz import draw
from tfmodel.errors import GraphError
from tfmodel.files.array_files import NotExported, _other_than, folder_writer, npz_writer
from tfmodel.messages import AssetFileDef, GraphDef, MetaGraphDef, NodeDef, SavedModel, TensorInfo
from tfmodel.optimizer import optimize
from tfmodel.source.metagraph import make_meta_graph

# --- names of files --------------------------------------------------------------------------------------------------

CLIMBING = [
    "../x",
    "../../../etc/cron.d/x",
    "a/../../x",
    "/etc/x",
    "//server/share",
    "..\\..\\x",
    "a\\..\\..\\x",
    "C:/x",
    "C:\\x",
    "..",
    "../..",
    "\\\\server\\x",
    "a/..",
    "./../x",
]
KEPT = ["dense/kernel", "x:0", "a b", "größe", "a.b/c", "a//b", "", "a/.", "~", "a..b/..c", "%2e%2e/x"]
UNSPEAKABLE = ["a\0b", "a\0c", "a\nb", "\x1b[2J", "n" * 70_000, "\udcff", "\ud800", f"x{EVIL}"]


@pytest.mark.parametrize("name", CLIMBING + KEPT + UNSPEAKABLE, ids=lambda name: ascii(name)[:20])
def test_names_in_a_folder(tmp_path, name):
    """Attack: tensors whose names are paths that lead out of the folder, or are not possible as file names.

    Naive: opens `folder + name`.
    Stopped by: tfmodel.files.array_files.folder_writer
    """
    with folder_writer(str(tmp_path / "in" / "out")) as add:
        add(name, np.array(7))
    (path,) = (path for path in tmp_path.rglob("*") if path.is_file())
    relative = str(path.relative_to(tmp_path / "in" / "out"))
    assert np.load(path) == 7
    assert re.fullmatch(r"[ !#-)+-.0-9;=@-\[\]-{}~/]+", relative)  # no quotes, colons, stars, backslashes, bars
    assert all(not part.startswith(".") and len(part) <= 255 for part in relative.split("/"))
    assert len(relative) < 1200


@pytest.mark.parametrize("name", CLIMBING + UNSPEAKABLE, ids=lambda name: ascii(name)[:20])
def test_names_in_an_archive_that_would_lead_out_of_it(tmp_path, name):
    """Attack: members called ../../x, against programs that unpack them unchecked; and names that zip cannot store: it
    keeps the part before a zero byte, or nothing.

    Naive: writes the name into the archive unchanged, or fails with a traceback.
    Stopped by: tfmodel.files.array_files.npz_writer
    """
    with npz_writer(str(tmp_path / "out.npz")) as add:
        add(name, np.array(7))
    with np.load(tmp_path / "out.npz") as arrays:
        (member,) = arrays
        assert arrays[member] == 7
    (stored,) = zipfile.ZipFile(tmp_path / "out.npz").namelist()
    parts = re.split(r"[/\\]", stored)
    assert ".." not in parts
    assert parts[0] and ":" not in parts[0]
    assert stored.isprintable()


@pytest.mark.parametrize("name", KEPT)
def test_harmless_names_in_an_archive_are_kept(tmp_path, name):
    """Attack: none. Names with slashes, ports and umlauts stay unchanged.

    Naive: escapes more than necessary.
    Stopped by: tfmodel.files.array_files.npz_writer
    """
    with npz_writer(str(tmp_path / "out.npz")) as add:
        add(name, np.array(7))
    with np.load(tmp_path / "out.npz") as arrays:
        assert list(arrays) == [name]


SAME = {
    "differ in case": ["a", "A", "a~1", "A~2", "a~2", "A~1"],
    "differ in the case of a folder": ["x/a", "X/a", "x/A"],
    "are folder and file": ["a", "a.npy/b", "a.NPY/b", "A.npy"],
    "are devices of Windows": ["nul", "NUL", "con", "com1", "aux/x", "lpt9.txt", "CON .x", "%nul"],
    "end with what Windows leaves out": ["a./x", "a/x", "a /x", "a%/x", "a. ./x"],
    "are spelled as an escape": ["a:b", "a%3Ab", "a?b", "a%3Fb"],
    "are cut": ["x" * 300 + "1", "x" * 300 + "2", "y/" * 600 + "1", "y/" * 600 + "2"],
    "are two forms of one character": ["\u00e9", "e\u0301"],
}


@pytest.mark.parametrize("why", SAME)
def test_names_that_would_be_one_file(tmp_path, why):
    """Attack: tensors whose files collide, or whose names some file system refuses, so that the export fails.

    Naive: the second replaces the first, or the export fails.
    Stopped by: tfmodel.files.array_files.folder_writer
    """
    with folder_writer(str(tmp_path / "out")) as add:
        for number, name in enumerate(SAME[why]):
            add(name, np.array(number))
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert sorted(int(np.load(path)) for path in files) == list(range(len(SAME[why])))
    names = [str(path.relative_to(tmp_path / "out")).lower() for path in files]
    assert len(set(names)) == len(names)
    for name in names:
        for part in name.removesuffix(".npy").split("/"):
            assert not re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d) *(\..*)?", part)
        assert not any(part.endswith((" ", ".")) for part in name.split("/"))


def test_names_that_occupy_all_derived_names():
    """Attack: `a~1`, `a~2` and so on, then many names that differ from `a` only in case.

    Naive: counts through all names in use for each of them.
    Stopped by: tfmodel.files.array_files.folder_writer
    """
    base = "abcdefghijklmno"

    def names(count):
        taken = [f"{base}~{number}.npy" for number in range(2 * count)]
        alike = islice(product(*((letter, letter.upper()) for letter in base)), count)
        return [*taken, *("".join(letters) + ".npy" for letters in alike)]

    def add(names):
        written = {}
        for name in names:
            written[_other_than(written, name).casefold()] = 1
        assert len(written) == len(names)

    assert_linear(add, names, 1000)


def test_two_tensors_of_one_name_in_an_archive(tmp_path):
    """Attack: a name that equals the escaped form of another, so that the archive would have two members of one name.

    Naive: writes both; which one is read depends on the reader.
    Stopped by: tfmodel.files.array_files.npz_writer
    """
    with npz_writer(str(tmp_path / "out.npz")) as add:
        add("a\0b", np.array(1))
        with pytest.raises(NotExported, match="another array of this name"):
            add("a%00b", np.array(2))
    assert len(zipfile.ZipFile(tmp_path / "out.npz").namelist()) == 1


@pytest.mark.parametrize("suffix", ["", ".npz", ".safetensors"])
def test_the_commands_export_such_names(tmp_path, capsys, suffix):
    """Attack: the same in a checkpoint, through the commands.

    Naive: the commands have separate code without protection.
    Stopped by: tfmodel.parameters.export.export_weights, tfmodel.files.array_files.folder_writer
    """
    names = [name for name in CLIMBING + KEPT + UNSPEAKABLE if name and name.isascii() and not name.startswith("\0")]
    write_checkpoint(tmp_path / "model", {name: np.float32(number) for number, name in enumerate(names)})
    commands = ["weights"] if suffix == ".safetensors" else ["weights", "checkpoint"]
    for command in commands:
        out = tmp_path / command / f"out{suffix}"
        out.parent.mkdir()
        assert main([command, str(tmp_path / "model"), "-o", str(out)]) == 0
        assert os.listdir(out.parent) == [out.name]
        assert f"{len(names)} arrays" in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) == sorted([*commands, "model.data-00000-of-00001", "model.index"])


def test_names_in_safetensors(tmp_path):
    """Attack: the reserved name of the format, quotes, and a name that looks like the end of the header.

    Naive: writes a header with another meaning.
    Stopped by: tfmodel.parameters.export.export_weights, tfmodel.files.array_files.write_safetensors
    """
    names = ["__metadata__", 'a","b":{', "\\", NAME, "a"]
    write_checkpoint(tmp_path / "model", {name: np.float32(number) for number, name in enumerate(names)})
    assert main(["weights", str(tmp_path / "model"), "-o", str(tmp_path / "out.safetensors")]) == 0
    data = (tmp_path / "out.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    assert data[8 : 8 + size].isascii()
    header = json.loads(data[8 : 8 + size])
    assert header.keys() == set(names) - {"__metadata__"}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        assert np.frombuffer(data[8 + size :][begin:end], "<f4") == names.index(name)


@pytest.mark.parametrize("filename", ["../../secret", "/etc/passwd", "a\0b", "", ".", "..", "x/../../../secret"])
def test_assets_that_lead_out(tmp_path, filename, capsys):
    """Attack: a SavedModel whose asset is one of the user's files, to be copied to a place that the attacker can read.

    Naive: copies it.
    Stopped by: tfmodel.optimizer.optimize
    """
    (tmp_path / "secret").write_bytes(b"secret")
    graph = graph_of("""
        words = Const[dtype=string, value=string{"words.txt"}()]
        y = ReadFile(words)
    """)
    meta = make_meta_graph(graph, signatures={"serving_default": {"inputs": {}, "outputs": {"y": "y"}}})
    meta.asset_file_def = [AssetFileDef(tensor_info=TensorInfo(name="words:0"), filename=filename)]
    folder = tmp_path / "model"
    (folder / "assets" / "x").mkdir(parents=True)
    save(SavedModel(saved_model_schema_version=1, meta_graphs=[meta]), folder / "saved_model.pb")
    assert main(["optimize", str(folder), "-o", f"{tmp_path}/out/", "--no-verify"]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) == ["model", "secret"]
    if filename.startswith((".", "/", "x")) and filename != ".":
        with pytest.raises(GraphError, match="is not in the folder of the model"):
            optimize(str(folder), verify=False)


# --- documents -------------------------------------------------------------------------------------------------------

FORGING = [
    'a" [label="forged"]; forged -> "b',
    'a"]; forged [URL="javascript:alert(1)',
    "a\\",
    'a\\"',
    "\\N\\G\\E",
    "<b>bold</b>",
    "<<table><tr><td>x</td></tr></table>>",
    "&lt;script&gt;",
    "a\n}\ndigraph forged {",
    "{a|b}",
    "-> forged",
    "/*",
    "#forged",
    NAME,
    EVIL,
]


@pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz")
def test_drawings_in_graphviz():
    """Attack: names with quotes, backslashes, HTML labels, braces, comments and line ends, which are Graphviz syntax.

    Naive: quotes them without escapes; the picture gets other nodes, and links that run scripts.
    Stopped by: tfmodel.drawing.graphviz.dot.quoted_label, tfmodel.drawing.graphviz.dot.quoted_id
    """
    nodes = [NodeDef(name=f"{name}{number}", op=name) for number, name in enumerate(FORGING)]
    nodes += [NodeDef(name=f"s/{name}/x", op="NoOp", input=[f"{FORGING[0]}0", f"^{name}9"]) for name in FORGING]
    document = draw(GraphDef(node=nodes), title=FORGING[0])
    done = subprocess.run(["dot", "-Tsvg"], input=document.encode(), capture_output=True, timeout=60, check=True)
    assert done.stderr == b""
    svg = done.stdout.decode()
    assert not re.search(r"href|<script|<b>|<table", svg)
    titles = re.findall(r"<title>([^<]*)</title>", svg)
    assert "forged" not in titles
    assert not any(title.startswith("forged&#45;&gt;") for title in titles)
    plain = subprocess.run(["dot", "-Tplain"], input=document.encode(), capture_output=True, timeout=60, check=True)
    drawn = [line for line in plain.stdout.decode().splitlines() if line.startswith("node ")]
    assert len(drawn) == document.count("tooltip=")  # one for each box


def test_each_line_of_a_drawing_is_a_statement():
    """Attack: the same, for readers of the document other than Graphviz.

    Naive: a name ends its line, and its statement.
    Stopped by: tfmodel.drawing.graphviz.dot.quoted_label
    """
    nodes = [NodeDef(name=f"n{number}{name}", op=f"Op{name}") for number, name in enumerate(FORGING)]
    attributes = r"( \[\w+=[\w.]*(, \w+=[\w.]*)*\])?"
    statement = rf"digraph  {{|subgraph cluster_\d+ {{|}}|(graph|node|edge| ->)?{attributes};| -> {attributes};"
    for line in draw(GraphDef(node=nodes)).splitlines():
        outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        assert re.fullmatch(rf" *({statement})", outside), line
        assert "forged" not in outside
        assert line.isprintable()


@pytest.mark.parametrize("form", ["pbtxt", "json"])
def test_text_and_json_are_read_as_what_was_written(tmp_path, form):
    """Attack: names that end a string, a message or a document, and the URL of an Any that ends its brackets.

    Naive: writes the text of another model. (Protobuf prints such a URL unescaped.)
    Stopped by: pbwire.text.dumps, pbwire.json.dumps
    """
    model = alien()
    model.graph_def.node += [NodeDef(name=name, op=name, input=[name]) for name in FORGING]
    packed = model.collection_def[f"any{EVIL}"].any_list
    packed.value[0].type_url = "x] { } meta_graph_version: 'forged' [x/tensorflow.GraphDef"
    del packed.value[1:]
    if form == "json":  # which has no place for a URL without its message
        packed.value[0].type_url, packed.value[0].value = "x'\"\\/tensorflow.GraphDef", b""
    save(model, tmp_path / f"model.{form}")
    text = (tmp_path / f"model.{form}").read_bytes()
    assert text.isascii()
    assert all(line.isprintable() for line in text.decode().splitlines())
    assert load(tmp_path / f"model.{form}", MetaGraphDef) == model


def test_proposed_commands(tmp_path):
    """Attack: outputs called $(rm -rf ~), in the commands that `summarize` proposes, for the user to copy into a shell.

    Naive: uses double quotes, or omits quotes.
    Stopped by: tfmodel.reports.summary.summarize
    """
    touch = f"touch {tmp_path}/trap"
    for name in (f"$({touch})", f"`{touch}`", f"; {touch} #", f"' ; {touch} '", f'"; {touch} "'):
        nodes = graph_of("x = Placeholder[dtype=float]\ny = Identity(x)[T=float]").node
        nodes[1].name = name
        lines = [line for line in summarize(GraphDef(node=nodes)).to_text().splitlines() if "tfmodel " in line]
        assert lines
        for line in lines:
            subprocess.run(["sh", "-c", line.replace("tfmodel ", ": ")], cwd=tmp_path, check=True, timeout=60)
    assert os.listdir(tmp_path) == []


def test_there_are_no_other_export_formats():
    """Attack: formulas in CSV, scripts in HTML.

    Naive: adds such a format without protection. This test fails for a new format.
    Stopped by: tfmodel.parameters.report.check_export_path
    """
    source = Path(__file__).resolve().parents[2] / "tfmodel"
    code = "".join(path.read_text(encoding="utf-8") for path in source.rglob("*.py"))
    assert not re.search(r"import csv|from csv|import html|xml\.etree|pickle\.dump", code)
