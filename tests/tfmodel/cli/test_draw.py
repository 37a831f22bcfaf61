"""`tfmodel draw`: the destination of the document, and the notes on stderr."""

from __future__ import annotations

import os

import pytest

from tests.tfmodel import models
from tests.tfmodel.drawing.graphviz.grammar import parse
from tests.tfmodel.drawing.page.test_page import header_of
from tests.tfmodel.files.bad_files import BAD_FILES, write_bad_file
from tfmodel.cli import runner
from tfmodel.messages import (
    AllocatorMemoryUsed,
    DeviceStepStats,
    GraphDef,
    NodeDef,
    NodeExecStats,
    RunMetadata,
    StepStats,
)

needs_shell = pytest.mark.skipif(os.name == "nt", reason="the program that stands for Graphviz is a script of sh")


@pytest.fixture
def run(capsys):
    """Runs the command, and gives its status, what it prints, and what it says."""

    def run(*arguments):
        status = runner.run("draw", ".draw", "", list(map(str, arguments)))
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(models.graph().to_bytes())
    return path


def test_without_a_file_the_document_goes_to_standard_output(run, file):
    status, out, err = run(file)
    assert status == 0
    assert {"x", "y"} <= {name for kind, name, *_ in (statement for statement in parse(out) if statement[0] == "node")}
    assert err == (
        f"{file}: 1 constant without a box; --constants draws them\n"
        f'{file}: 1 function not drawn: "double"; --function draws one\n'
    )


def test_a_file(run, file, tmp_path):
    status, out, _ = run(file, "-o", tmp_path / "graph.dot", "--around", "y", "--radius=1")
    assert (status, out) == (0, "")
    assert parse((tmp_path / "graph.dot").read_text())


def test_a_note_names_the_option_that_shows_more(run, tmp_path):
    nodes = [NodeDef(name=f"scope_{number % 5}/n{number}", op="NoOp") for number in range(200)]
    path = tmp_path / "large.pb"
    path.write_bytes(GraphDef(node=nodes).to_bytes())
    assert run(path)[2] == f"{path}: 200 nodes in 44 boxes; --depth 2 gives 200\n"
    assert run(path, "--depth", "1")[2] == f"{path}: 200 nodes in 5 boxes, folded at depth 1; --depth 2 gives 200\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--depth", "0"], "--depth: at least 1, not 0"),
        (["--radius", "1"], "--radius belongs to --around"),
        (["--around", "y", "--radius", "-1"], "--radius: at least 0, not -1"),
        (["-o", "page.html", "--depth", "2"], "--depth is for Graphviz: in a page, scopes are opened by clicks"),
        (["-o", "graph.dot", "--weights", "all"], "--weights is for a page: -o model.html"),
        (["-o", "graph.svg", "--weights", "all"], "--weights is for a page: -o model.html"),
    ],
)
def test_usage_errors(run, file, arguments, problem):
    status, out, err = run(file, *arguments)
    assert (status, out) == (2, "")
    assert problem in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--around", "z"], 'there is no node "z"'),
        (["--function", "duoble"], 'there is no function "duoble"; did you mean "double"?'),
    ],
)
def test_missing_nodes_and_functions_are_errors(run, file, arguments, problem):
    status, out, err = run(file, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"{file}: {problem}")


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(run, tmp_path, name):
    path = write_bad_file(name, tmp_path)
    status, out, err = run(path)
    assert (status, out) == (2, "")
    assert err.startswith(str(path))
    assert BAD_FILES[name] in err


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("suffix", [".html", ".dot"])
def test_bad_files_become_no_page(run, tmp_path, name, suffix):
    path = write_bad_file(name, tmp_path)
    status, out, err = run(path, "-o", tmp_path / f"new{suffix}")
    assert (status, out) == (2, "")
    assert err.startswith(str(path))
    assert not (tmp_path / f"new{suffix}").exists()


@pytest.fixture
def graphviz(tmp_path, monkeypatch):
    """A program named dot, which writes its arguments and the first line of its input; or fails, given a script."""

    def install(script='echo "$@"; head -n 1'):
        folder = tmp_path / "programs"
        folder.mkdir()
        (folder / "dot").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "dot").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return install


@needs_shell
@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_graphviz_makes_images(run, file, tmp_path, graphviz, kind):
    graphviz()
    assert run(file, "-o", tmp_path / f"model.{kind}", "--around", "y", "--radius", "1")[:2] == (0, "")
    assert (tmp_path / f"model.{kind}").read_text() == f'-T{kind}\ndigraph "graph.pb, around y" {{\n'


@needs_shell
def test_a_failure_of_graphviz_is_an_error(run, file, tmp_path, graphviz):
    graphviz("echo no memory >&2; exit 3")
    status, out, err = run(file, "-o", tmp_path / "model.svg")
    assert (status, out) == (2, "")
    assert "model.svg: Graphviz made no image: no memory" in err
    assert not (tmp_path / "model.svg").exists()


def test_without_graphviz_an_image_is_refused_before_the_file_is_read(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    status, out, err = run(tmp_path / "nosuch.pb", "-o", tmp_path / "model.svg")
    assert (status, out) == (2, "")
    assert "model.svg: Graphviz makes images, and its program dot is not installed" in err
    assert f"write a page, {tmp_path}/model.html" in err


def test_a_document_shows_a_difference(run, file, tmp_path):
    other = tmp_path / "other.pb"
    other.write_bytes(GraphDef(node=[NodeDef(name="z", op="Placeholder")]).to_bytes())
    status, out, _ = run(file, other)
    assert (status, out.splitlines()[0]) == (0, 'digraph "graph.pb \N{RIGHTWARDS ARROW} other.pb" {')


def test_a_page(run, file, tmp_path):
    page = tmp_path / "model.html"
    status, out, err = run(file, "-o", page)
    assert (status, out, err) == (0, "", f"{page}: page, {page.stat().st_size:,} bytes\n")
    assert page.read_bytes().startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("overlay", "problem"),
    [
        ("[1]", 'an overlay is an object, {"NODE": NUMBER}'),
        ('{"x": "1"}', 'the value of "x" is not a finite number'),
        ('{"x": NaN}', 'the value of "x" is not a finite number'),
        ("{", "not a JSON file: "),
    ],
)
def test_a_bad_overlay_is_an_error_and_no_page_is_written(run, file, tmp_path, overlay, problem):
    path = tmp_path / "overlay.json"
    path.write_text(overlay)
    status, out, err = run(file, "-o", tmp_path / "model.html", "--overlay", path)
    assert (status, out) == (2, "")
    assert err.startswith(f"{path}: {problem}")
    assert not (tmp_path / "model.html").exists()


def test_an_overlay_of_memory_is_read_from_a_traced_run(run, file, tmp_path):
    stats = NodeExecStats(node_name="y", memory=[AllocatorMemoryUsed(total_bytes=64)])
    devices = [DeviceStepStats(device="/device:CPU:0", node_stats=[stats])]
    path = tmp_path / "run.pb"
    path.write_bytes(RunMetadata(step_stats=StepStats(dev_stats=devices)).to_bytes())
    assert run(file, "-o", tmp_path / "model.html", "--overlay", f"memory={path}")[:2] == (0, "")
    overlay = header_of((tmp_path / "model.html").read_bytes())["overlay"]
    assert overlay == {"unit": "bytes", "values": [[3, 64.0]]}
