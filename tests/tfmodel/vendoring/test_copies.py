"""Copies in use: two versions in one process without installed packages, and the runnable file."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.corpus import corpus_files
from tests.support.effort import LONG
from tfmodel.cli import main
from tfmodel.vendoring import import_line, vendor, zipapp

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data"
LARGE = 20_000  # bytes
SITE = Path(np.__file__).parents[1]
PACKAGES = ("a.b._vendor", "c._vendor")

# The code at the start of each process; its argument is JSON. `names()` returns our modules that are top-level.
START = """
import contextlib, importlib, io, json, os, sys
given = json.loads(sys.argv[1])
sys.path[:0] = given["path"]
os.fsync = lambda handle: None  # slow, and matters only after a power failure

def ended(package, command):
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = importlib.import_module(package + "tfmodel.cli").main(command)
    out.flush()
    return status, out.buffer.getvalue().decode()

def names():
    return sorted({"pbwire", "tfmodel", "schema", "_schema", "messages"} & set(sys.modules))

"""

# Commands that need no NumPy, and below those that need it. tests/data/make.py makes the files.
PLAIN = [
    ["dump", "linear.pb"],
    ["dump", "linear.pb", "--format=tree"],
    ["dump", "linear.pb", "--format=json"],
    ["dump", "truncated.pb", "--format=raw"],
    ["dump", "linear", "--collections"],
    ["convert", "linear.pb", "OUT/linear.json"],
    ["dump", "OUT/linear.json", "--field=node[*].op"],
    ["draw", "linear.pb"],
    ["transform", "--help-transform", "remove_nodes"],
    ["--help"],
    ["--version"],
]
WITH_ARRAYS = [
    ["transform", "linear.pb", "-o", "OUT/t.pb", "--outputs=y", "--transforms=remove_device fold_constants"],
    ["dump", "OUT/t.pb"],
    ["weights", "trained/model", "--statistics"],
    ["checkpoint", "trained/model", "--verify"],
    ["freeze", "trained/model", "-o", "OUT/f.pb"],
    ["optimize", "trained/model", "--outputs=y", "-o", "OUT/o.pb"],
    ["run", "trained/model", "--feed", "x=[[1, 2, 3, 4]]", "--fetch=y"],
    ["verify", "linear.pb", "OUT/t.pb", "--outputs=y"],
    ["diff", "linear.pb", "OUT/t.pb"],
    ["check", "linear.pb"],
    ["events", "logs"],
    ["records", "examples.tfrecord"],
    ["find", "linear.pb", "op=MatMul"],
    ["summarize", "linear.pb"],
    ["ops", "linear.pb"],
    ["ops"],
    ["transform", "--list"],
]


CALLED = re.compile(
    r'(^usage: |^ +|^next: |^more: |")tfmodel( COMMAND| FILE| transform| optimize| summarize)', re.MULTILINE
)


def located(command, folder):
    """Return a command with the paths of its files; output files are in `folder`."""
    files = {path.name for path in DATA.iterdir()}
    words = [word.replace("OUT", str(folder)) if word.startswith("OUT/") else word for word in command]
    return [str(DATA / word) if word.partition("/")[0] in files else word for word in words]


def python(code, *path, cwd=None, **arguments):
    """Return the JSON that a process prints which has only `path` and the standard library on sys.path."""
    arguments["path"] = list(map(str, path))
    command = [sys.executable, "-I", "-S", "-c", START + code, json.dumps(arguments, default=str)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="session")
def tree(tmp_path_factory, sources):
    """A folder with copies of two versions, and the .pyz."""
    folder = tmp_path_factory.mktemp("tree")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tfmodel.vendoring.own_files.own_files", lambda: sources)
        patch.setattr(os, "fsync", lambda handle: None)  # as above
        for package in PACKAGES:
            vendor(str(folder / package.replace(".", "/")))
        zipapp(str(folder / "tfmodel.pyz"))
    init = folder / "c" / "_vendor" / "tfmodel" / "__init__.py"
    init.write_text(init.read_text().replace('__version__ = "', '__version__ = "9.'))
    return folder


def expected(commands, folder, capsys, package=""):
    """Return the results of the commands here, or in a package, whose usage shows another program name."""
    results = [[main(located(command, folder)), capsys.readouterr().out] for command in commands]
    if package:
        same = '\n"python -m tfmodel" is the same as "tfmodel".'
        call = rf"\1python -m {package}.tfmodel\2"
        results = [[status, CALLED.sub(call, text.replace(same, ""))] for status, text in results]
    return results


@pytest.mark.slow(reason="starts processes")
def test_two_versions_in_one_process_work_without_numpy(tree, tmp_path, capsys):
    code = """
results = [[ended(package, command) for command in given["commands"]] for package in ("a.b._vendor.", "c._vendor.")]
print(json.dumps([results, names(), "numpy" in sys.modules]))
"""
    commands = [located(command, tmp_path) for command in PLAIN]
    (first, second), names, numpy = python(code, tree, commands=commands)
    assert (names, numpy) == ([], False)
    assert first == expected(PLAIN, tmp_path, capsys, PACKAGES[0])
    assert second[:-1] == expected(PLAIN[:-1], tmp_path, capsys, PACKAGES[1])
    assert second[-1][1] == first[-1][1].replace("tfmodel ", "tfmodel 9.")


@pytest.mark.slow(reason="reads real model files")
def test_both_dump_model_files_without_numpy(tree, capsys):
    """Large models are left to long runs: they have the same fields."""
    code = """
results = [[ended(package, ["dump", file]) for file in given["files"]] for package in ("a.b._vendor.", "c._vendor.")]
print(json.dumps([results, names(), "numpy" in sys.modules]))
"""
    paths = [
        *DATA.glob("*/saved_model.pb"),
        *(DATA / "trained").iterdir(),
        *DATA.glob("*.pb"),
        *corpus_files(),
    ]
    files = [str(path) for path in paths if LONG or path.stat().st_size < LARGE]
    (first, second), names, numpy = python(code, tree, files=files)
    assert (names, numpy) == ([], False)
    assert first == second
    assert len(first) == len(files)
    assert sum(status == 0 for status, _ in first) > len(files) / 2
    for file, result in list(zip(files, first, strict=True))[::5]:
        assert result == [main(["dump", file]), capsys.readouterr().out], file


@pytest.mark.slow(reason="starts processes")
@pytest.mark.parametrize("place", ["", "tfmodel.pyz"])
def test_with_numpy_everything_works(tree, tmp_path, capsys, place):
    code = """
results = [[ended(package, command) for command in commands] for package, commands in given["runs"]]
print(json.dumps([results, names()]))
"""
    packages = [""] if place else ["a.b._vendor.", "c._vendor."]
    folders = [tmp_path / f"there{number}" for number in range(len(packages))]
    for folder in (tmp_path / "here", *folders):
        folder.mkdir()
    commands = [[located(command, folder) for command in WITH_ARRAYS] for folder in folders]
    results, names = python(code, tree / place, SITE, runs=list(zip(packages, commands, strict=True)))
    for package, folder, outputs in zip(packages, folders, results, strict=True):
        here = expected(WITH_ARRAYS, tmp_path / "here", capsys, package.rstrip("."))
        for command, ours, theirs in zip(WITH_ARRAYS, here, outputs, strict=True):
            assert ours[0] == theirs[0] == (command[0] == "diff"), command
            assert ours[1].replace("/here/", f"/{folder.name}/") == theirs[1], command
        for name in ("t.pb", "f.pb", "o.pb"):
            assert (folder / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert names == (["pbwire", "tfmodel"] if place else [])


@pytest.mark.slow(reason="starts processes")
def test_the_pyz_is_run_by_python_itself(tree, capsys):
    command = [sys.executable, "-I", "-S", str(tree / "tfmodel.pyz"), "dump", str(DATA / "linear.pb")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert [0, done.stdout] == [main(command[4:]), capsys.readouterr().out]


@pytest.mark.slow(reason="starts processes")
def test_commands_that_need_numpy_say_so_without_it(tree):
    command = [sys.executable, "-I", "-S", str(tree / "tfmodel.pyz"), "weights", str(DATA / "trained"), "--statistics"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith(f"tfmodel.pyz weights: this needs numpy, which {sys.executable} does not have\n")


@pytest.mark.slow(reason="starts processes")
def test_the_versions_share_nothing(tree):
    code = """
import copy, pickle
from a.b._vendor import pbwire as wire_a, tfmodel as a
from c._vendor import pbwire as wire_c, tfmodel as c
from a.b._vendor.tfmodel.messages import TYPES as TYPES_A, GraphDef as A
from c._vendor.tfmodel.messages import TYPES as TYPES_C, GraphDef as C
data = open(given["file"], "rb").read()
x, y = A.from_bytes(data, lazy=True), C.from_bytes(data, lazy=True)
types_a = {wire_a.Error, a.Error, a.GraphError, A, type(x.node[0]), type(x.versions)}
types_c = {wire_c.Error, c.Error, c.GraphError, C, type(y.node[0]), type(y.versions)}
try:
    C.from_bytes(b"\\xff")
except wire_a.Error:
    caught = "a"
except c.Error:
    caught = "tfmodel of c"
except wire_c.DecodeError:
    caught = "c"

@a.graph_transform
def mine(graph: A) -> A:
    return graph
from a.b._vendor.tfmodel.transforms.framework.registry import names as names_a
from c._vendor.tfmodel.transforms.framework.registry import names as names_c
print(json.dumps([
    not types_a & types_c,
    isinstance(x, C),
    x == y,
    x.to_bytes() == y.to_bytes() == data,
    caught,
    type(pickle.loads(pickle.dumps(x))) is A and pickle.loads(pickle.dumps(x)) == x,
    type(pickle.loads(pickle.dumps(C.from_bytes(data, lazy=True)))) is C,
    type(copy.deepcopy(y)) is C,
    TYPES_A["tensorflow.GraphDef"] is A and TYPES_C["tensorflow.GraphDef"] is C,
    ["mine" in names_a(), "mine" in names_c()],
    [A.__module__, wire_c.__name__],
    names(),
]))
"""
    assert python(code, tree, SITE, file=DATA / "linear.pb") == [
        True,
        False,
        False,
        True,
        "c",
        True,
        True,
        True,
        True,
        [True, False],
        ["a.b._vendor.tfmodel._schema.graph", "c._vendor.pbwire"],
        [],
    ]


def test_installed_plugins_belong_to_one_copy(tree):
    code = """
from a.b._vendor.tfmodel.transforms.framework.registry import GROUP
print(json.dumps(GROUP))
"""
    assert python(code, tree) == "a.b._vendor.tfmodel.transforms"


def test_the_error_for_a_message_of_another_copy_names_it(tree):
    code = """
from a.b._vendor import tfmodel as a
from a.b._vendor.tfmodel.messages import GraphDef as A
from c._vendor.tfmodel.messages import GraphDef as C
problems = []
for attempt in (lambda: a.save(C(), "x.pb"), lambda: A().merge_from(C()), lambda: a.transform(C(), [], ["y"], [])):
    try: attempt()
    except TypeError as error: problems.append(str(error))
print(json.dumps(problems))
"""
    modules = "c._vendor.tfmodel._schema.graph, not a.b._vendor.tfmodel._schema.graph"
    foreign = f"GraphDef from another copy of its package ({modules})"
    assert python(code, tree, SITE) == [
        f"save takes a message, not {foreign}",
        f"GraphDef cannot take a {foreign}",
        f"expected a GraphDef, MetaGraphDef, SavedModel or a path, not {foreign}",
    ]


@pytest.mark.slow(reason="starts processes")
@pytest.mark.parametrize(
    ("before", "program"),
    [
        (["-m", "a.b._vendor.tfmodel"], "python -m a.b._vendor.tfmodel"),
        (["tfmodel.pyz"], "python tfmodel.pyz"),
    ],
)
def test_suggested_commands_work_there(tree, before, program):
    def called(*arguments):
        command = [sys.executable, *before, *arguments]
        wide = {**os.environ, "COLUMNS": "100"}
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=60, check=False, env=wide)
        return done.stdout + done.stderr

    assert called().startswith(f"usage: {program} COMMAND ...\n")
    assert called("gone").endswith(f'\ntry "{program} --help"\n')
    assert called("dump").startswith(f"{program} dump: the following arguments are required: FILE\n")
    examples = called("convert", "--help")
    assert f"\n  {program} convert frozen.pb frozen.pbtxt\n" in examples
    assert f"| {program} convert - graph.json\n" in examples
    linear = str(DATA / "linear.pb")
    assert f"\nnext: {program} optimize {shlex.quote(linear)} -o small.pb" in called("summarize", linear)
    assert f"\n  {program} vendor --list-parts\n" in called("vendor", "--help")


def test_a_copy_that_was_moved_works(tree, tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "renamed").symlink_to(tree / "a" / "b" / "_vendor")
    status, out = python("print(json.dumps(ended('x.renamed.', ['--version'])))", tmp_path)
    assert (status, out[:8]) == (0, "tfmodel ")


@pytest.mark.slow(reason="starts processes")
def test_a_copy_and_the_pyz_write_the_same_files_as_the_original(tree, tmp_path):
    code = """
print(json.dumps([ended(given["package"], ["vendor", *arguments]) for arguments in given["arguments"]]))
"""
    untouched, other = tree / "a" / "b" / "_vendor", tree / "c" / "_vendor"
    arguments = [["--zipapp", tmp_path / "new.pyz"], [untouched, "--check"], [other, "--check"]]
    output, same, outdated = python(code, tree, package="a.b._vendor.", arguments=arguments)
    assert output == [0, ""]
    assert (tmp_path / "new.pyz").read_bytes() == (tree / "tfmodel.pyz").read_bytes()
    assert (same[0], same[1][:23]) == (0, "untouched and current: ")
    assert outdated == [1, "changed: tfmodel/__init__.py\n"]
    output = python(code, tree / "tfmodel.pyz", package="", arguments=[["new"]], cwd=tmp_path)
    assert output == [[0, "from new import tfmodel\n"]]
    assert (tmp_path / "new" / "MANIFEST.json").read_bytes() == (untouched / "MANIFEST.json").read_bytes()


@pytest.mark.slow(reason="starts processes")
@pytest.mark.parametrize(
    ("parts", "modules"),
    [
        (("pbwire",), {"pbwire"}),
        (("schema",), {"pbwire", "tfmodel"}),
    ],
)
def test_a_part_works_without_numpy_and_other_parts(tmp_path, parts, modules):
    folder = tmp_path / "app" / "_vendor"
    vendor(str(folder), parts)
    assert {path.name for path in folder.iterdir()} == {*modules, "LICENSE", "MANIFEST.json", "__init__.py"}
    code = """
import pkgutil
exec(given["line"])
package = importlib.import_module("app._vendor")
for module in pkgutil.walk_packages(package.__path__, "app._vendor."):
    importlib.import_module(module.name)
print(json.dumps([names(), "numpy" in sys.modules, sum(name.startswith("app._vendor.") for name in sys.modules)]))
"""
    names, numpy, count = python(code, tmp_path, line=import_line("app._vendor", parts))
    assert (names, numpy) == ([], False)
    assert count == len(list(folder.rglob("*.py"))) - 1


USE = """
from app._vendor.tfmodel.messages import GraphDef, NodeDef

graph = GraphDef(node=[NodeDef(name="x", op="NoOp")])
names: list[str] = [node.name for node in graph.node]
wrong: int = graph.node[0].op
"""


@pytest.mark.slow(reason="runs mypy")
def test_mypy_sees_the_messages_of_a_copy(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    vendor(str(tmp_path / "app" / "_vendor"), ("schema",))
    (tmp_path / "use.py").write_text(USE)
    monkeypatch.chdir(tmp_path)
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "tests")]
    output, errors, _ = api.run(["--strict", "--config-file=", "--no-color-output", *cache, "use.py"])
    assert not errors
    lines = [line for line in output.splitlines() if ": error: " in line]
    assert len(lines) == 1
    assert 'use.py:6: error: Incompatible types in assignment (expression has type "str", variable has ' in lines[0]
