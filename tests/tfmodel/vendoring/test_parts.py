"""The parts: their names, and that each is a closed set of files whose commands run without the others."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tfmodel.vendoring import PARTS, VendorError, list_parts, parse_parts, vendor, zipapp
from tfmodel.vendoring.archive import zipapp_bytes
from tfmodel.vendoring.closure import imports, module_name, needed, with_ignored_imports
from tfmodel.vendoring.parts import BY_NAME, Part

DATA = Path(__file__).parents[2] / "data"
README = Path(__file__).parents[3] / "tfmodel" / "vendoring" / "README.md"


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("pbwire", ("pbwire",)),
        ("schema, pbwire", ("pbwire", "schema")),
        ("weights,dump", ("dump", "weights")),
        ("all", ("tfmodel",)),
        ("pbwire,all", ("tfmodel",)),
        ("tfmodel", ("tfmodel",)),
    ],
)
def test_parts_are_named_in_any_order(words, parts):
    assert parse_parts(words) == parts


NAMES = "pbwire, json, schema, protobuf, dump, summarize, weights, transforms, tfmodel and all"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("pbwre", 'unknown part "pbwre"; did you mean "pbwire"?'),
        ("pbwire,schemas", 'unknown part "schemas"; did you mean "schema"?'),
        ("", f'unknown part ""; the parts are {NAMES}'),
        ("pbwire,", f'unknown part ""; the parts are {NAMES}'),
        ("numpy\x1b", f'unknown part "numpy\\x1b"; the parts are {NAMES}'),
    ],
)
def test_unknown_parts_are_refused(words, problem):
    with pytest.raises(ValueError) as caught:
        parse_parts(words)
    assert str(caught.value) == problem


# --- closures --------------------------------------------------------------------------------------------------------

FILES = {
    "a/__init__.py": b"",
    "a/py.typed": b"",
    "a/data/x.js": b"",
    "a/start.py": b"from . import top\nfrom .far.deep import f\ndef g():\n    from a.late import h\n    import numpy",
    "a/top.py": b"if TYPE_CHECKING:\n    from .types import T\nelse:\n    from .real import T",
    "a/real.py": b"try:\n    from .left import x\nexcept ImportError:\n    from .right import x",
    "a/left.py": b"from . import start",
    "a/right.py": b"",
    "a/late.py": b"",
    "a/types.py": b"",
    "a/unused.py": b"",
    "a/far/__init__.py": b"",
    "a/far/far.css": b"",
    "a/far/deep.py": b"",
    "b/__init__.py": b"",
    "b/py.typed": b"",
}


REACHED = {"a": ["__init__.py", "py.typed", "data/x.js"], "far": ["far/__init__.py", "far/far.css"]}
STARTED = [*REACHED["a"], "start.py", "top.py", "real.py", "left.py", "right.py"]


@pytest.mark.parametrize(
    ("roots", "without", "found"),
    [
        (("a.start",), (), [*STARTED, *REACHED["far"], "far/deep.py", "late.py"]),
        (("a.start",), ("a.far", "a.late"), STARTED),
        (("a.far",), (), [*REACHED["a"], *REACHED["far"]]),
        (("a.far.*",), (), [*REACHED["a"], *REACHED["far"], "far/deep.py"]),
        (("a.types", "a.missing"), (), [*REACHED["a"], "types.py"]),
    ],
)
def test_imports_are_followed_but_not_into_what_is_left_out(roots, without, found):
    assert needed(Part("", roots, without), FILES) == {f"a/{path}" for path in found}


def test_names_of_our_packages_are_imports():
    source = b"import pbwire\nimport tfmodel\npbwire.json.loads(x)\ntfmodel.Model.open(y)\n"
    assert {"pbwire.json", "tfmodel.model"} <= set(imports("a/b.py", source))


def test_messages_are_imports_of_their_tables():
    source = b"from tfmodel.messages import GraphDef\nfrom . import messages\nmessages.OpList\n"
    assert {"tfmodel._schema.graph", "tfmodel._schema.op_def"} <= set(imports("tfmodel/b.py", source))


@pytest.mark.parametrize(
    ("source", "is_changed"),
    [
        (b"from .here import a\n", False),
        (b"from . import here, gone\n", True),
        (b"def f():\n    from .gone import a\n", True),
        (b"if TYPE_CHECKING:\n    from .gone import a\n", True),
        (b"from .gone.below import a\n", False),
    ],
)
def test_type_checkers_ignore_imports_of_what_is_missing(source, is_changed):
    changed = with_ignored_imports("a/b.py", source, {"a.gone"})
    assert changed.startswith(source)
    assert (b"\n# mypy: ignore-errors" in changed) == is_changed


def test_modules_that_import_by_name_are_listed(sources):
    computed = set()
    for path, source in sources.items():
        if path.endswith(".py") and b"import_module" in source:
            calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
            names = {ast.unparse(call.func) for call in calls}
            if names & {"import_module", "importlib.import_module"}:
                computed.add(module_name(path))
    by_its_roots = {  # the roots of parts say which of the modules belong to them
        "pbwire.compat.pools.pool",
        "tfmodel",
        "tfmodel.cli.completion",
        "tfmodel.cli.many_files",  # the command that called it
        "tfmodel.cli.runner",
        "tfmodel.cli.worker_pool",  # the module that called it
        "tfmodel.messages",
        "tfmodel.public_names",
        "tfmodel.vendoring.own_files",
    }
    others = {"tfmodel.kernels.image.pillow"}  # imports a package of others
    compat = {name for name in computed if name.startswith("tfmodel.compat.")}  # is copied as a whole
    assert computed - by_its_roots - others - compat <= set(BY_NAME)


@pytest.mark.parametrize("name", PARTS)
def test_modules_that_a_part_goes_without_are_imported_by_functions_alone(name, sources):
    chosen = needed(PARTS[name], sources)
    modules = {module_name(path) for path in sources if path.endswith(".py")}
    present = {module_name(path) for path in chosen if path.endswith(".py")}
    at_the_top = {
        (path, target)
        for path in chosen
        if path.endswith(".py")
        for target in imports(path, _without_functions(sources[path]))
        if target in modules - present
    }
    assert at_the_top == set()


def _without_functions(source: bytes) -> bytes:
    class Remover(ast.NodeTransformer):
        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
            return ast.Pass()

    return ast.unparse(Remover().visit(ast.parse(source))).encode()


# --- copies ----------------------------------------------------------------------------------------------------------

GRAPH, FOLDER = str(DATA / "linear.pb"), str(DATA / "trained")
META = str(DATA / "trained" / "model.meta")


def program(part: str, words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder with a copy `c`; without NumPy, if the part can do without it."""
    vendor(str(folder / "c"), parse_parts(part))
    block = [] if PARTS[part].needs_numpy else ["import sys; sys.modules['numpy'] = None"]
    code = "\n".join([*block, *words])
    command = [sys.executable, "-B", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def command(*words: str) -> list[str]:
    return [
        f"import sys, runpy; sys.argv = ['tfmodel', *{list(words)!r}]",
        "runpy.run_module('c.tfmodel', run_name='__main__')",
    ]


@pytest.mark.slow(reason="starts processes")
@pytest.mark.parametrize(
    ("part", "words", "output"),
    [
        ("pbwire", ["from c.pbwire import text, wellknown as w", "print(text.dumps(w.Any(type_url='a/b')))"], "a/b"),
        ("json", ["from c.pbwire import json, wellknown as w", "print(json.dumps(w.BoolValue(value=True)))"], "true"),
        ("protobuf", ["from c.pbwire import proto", "print([*proto.load_text('message M {}')])"], "['M']"),
        ("schema", ["from c.tfmodel.messages import GraphDef", "print(GraphDef())"], "GraphDef()"),
        ("dump", command("dump", GRAPH), 'name: "x"'),
        ("dump", command("dump", GRAPH, "--field", "node[3].op"), "Relu"),
        ("dump", command("dump", META, "--format", "tree"), "layer/weights"),
        ("dump", command("--help"), "look at models:\n  dump        print a file"),
        ("dump", ["import c.tfmodel as t", "print(hasattr(t, 'Checkpoint'), hasattr(t, 'load'))"], "False True"),
        ("dump", ["import c.tfmodel as t", f"print(t.load({GRAPH!r}, t.messages.GraphDef).node[0].name)"], "x"),
        ("summarize", command("summarize", GRAPH), "x"),
        ("summarize", command("dump", GRAPH), 'name: "x"'),
        ("weights", command("weights", FOLDER), "2 weights"),
        ("weights", command("checkpoint", FOLDER), "2 tensors"),
        ("transforms", command("optimize", GRAPH, "-o", "out.pb"), ""),
        ("transforms", command("freeze", META, "-o", "out.pb"), ""),
        (
            "transforms",
            command("transform", GRAPH, "--outputs", "y", "--transforms", "fold_constants", "-o", "out.pb"),
            "",
        ),
        ("transforms", command("run", GRAPH, "--random"), "y"),
        ("transforms", command("verify", GRAPH, GRAPH), "equal"),
    ],
)
def test_a_part_does_its_work_alone(tmp_path, part, words, output):
    done = program(part, words, tmp_path)
    assert (done.returncode, output in done.stdout) == (0, True), done.stderr


def test_a_command_that_needs_another_part_says_so(tmp_path):
    done = program("dump", command("dump", str(DATA / "trained" / "model.index")), tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "c.tfmodel dump: this copy of tfmodel has not all parts: tfmodel.cli.wire_output is missing; " in done.stderr


def test_files_that_are_not_models_are_identified_without_all_tables(tmp_path):
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 3)
    for path, problem in ((README, "this is a text file"), (tmp_path / "noise.bin", "this is neither protobuf data")):
        done = program("dump", command("dump", str(path)), tmp_path)
        assert (done.returncode, problem in done.stderr) == (2, True), done.stderr


def test_the_parts_are_listed_with_their_sizes():
    report = list_parts()
    assert [line.split()[0] for line in str(report).splitlines()] == ["part", *PARTS]
    assert json.loads(report.to_json())["parts"][0]["name"] == "pbwire"
    sizes = {part.name: (part.files, part.bytes) for part in report.parts}
    assert sizes["pbwire"] < (90, 500_000)
    assert sizes["dump"] < (140, 900_000)
    rows = re.findall(r"^\| `(\w+)`[^|]*\| ([\d,]+) \| ([\d.]+) \|", README.read_text(), re.MULTILINE)
    assert [name for name, _, _ in rows] == list(PARTS)
    for name, files, megabytes in rows:
        assert (int(files.replace(",", "")), float(megabytes) * 1e6) == pytest.approx(sizes[name], rel=0.1)


@pytest.mark.slow(reason="starts processes")
def test_a_part_with_commands_can_be_one_file(tmp_path):
    zipapp(str(tmp_path / "dump.pyz"), ("dump",))
    run = [sys.executable, "-IS", "dump.pyz", "dump", GRAPH, "--node", "x"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith('node {\n  name: "x"')


def test_a_part_without_commands_cannot_be_one_file():
    able = "dump, summarize, weights, transforms, tfmodel"
    with pytest.raises(VendorError, match=f"^pbwire: this has no commands to run; parts that have some are {able}$"):
        zipapp_bytes(("pbwire",))
