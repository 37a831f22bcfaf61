"""A wheel in its own environment: all commands work, also together with a distribution called `schema`."""

from __future__ import annotations

import pytest

from tests.packaging.building import ROOT, Environment, copy_sources

LINEAR = str(ROOT / "tests" / "data" / "linear.pb")
TRAINED = str(ROOT / "tests" / "data" / "trained" / "model")

BOTH = """
import schema
from tfmodel.messages import TYPES, GraphDef, NodeDef

import sys
import tfmodel

node = NodeDef(name=schema.Schema(str).validate("x"), op="Relu")
assert GraphDef.from_bytes(GraphDef(node=[node]).to_bytes()).node == [node]
assert GraphDef.__module__ == "tfmodel._schema.graph"
assert TYPES["tensorflow.GraphDef"] is GraphDef
assert not hasattr(schema, "graph") and "tfmodel" not in schema.__file__
for module in (tfmodel, sys.modules["tfmodel._schema"], schema):
    assert module.__file__.startswith(sys.prefix), module
print("both")
"""

WHERE = "import sys, tfmodel.messages as m; m.GraphDef(); print(sys.modules['tfmodel._schema.graph'].__file__)"

EVERY_MODULE = """
import importlib, pkgutil, pbwire, tfmodel

found = 0
for package in (pbwire, tfmodel):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            found += 1
print(found)
"""


def test_it_works_beside_another_schema_in_one_process(installed):
    assert installed.python("-c", BOTH) == "both\n"


def test_it_works_beside_the_schema_of_pypi_in_one_process(beside_the_real_schema):
    assert beside_the_real_schema.python("-c", BOTH) == "both\n"


def test_the_order_of_imports_does_not_matter(installed):
    code = "from tfmodel.messages import GraphDef; GraphDef(); import schema; print(schema.Schema(int).validate(3))"
    assert installed.python("-c", code) == "3\n"


@pytest.mark.parametrize("how", ["module", "script"])
def test_dump_works_without_numpy(installed, how):
    start = [str(installed.interpreter), "-m", "tfmodel"] if how == "module" else [str(installed.script("tfmodel"))]
    assert installed.run(*start, "dump", LINEAR, "--field", "node[*].op").splitlines()[-1] == 'node[3].op: "Relu"'


def test_op_definitions_come_along(installed):
    assert installed.python("-c", "from tfmodel.ops import op_def; print(op_def('MatMul').input_arg[0].name)") == "a\n"


def test_commands_that_need_numpy_work_with_it(installed, tmp_path):
    written = tmp_path / "out.pb"
    installed.python("-m", "tfmodel", "freeze", TRAINED, "-o", str(written), "--outputs", "y", numpy=True)
    feed = ["--feed", "x=[[1, 1, 1, 1]]", "--fetch", "y"]
    output = installed.python("-m", "tfmodel", "run", str(written), *feed, numpy=True)
    assert "0.2272" in output


def test_it_can_be_vendored_from_there(installed, tmp_path):
    copy = tmp_path / "app" / "_vendor"
    line = installed.python("-m", "tfmodel", "vendor", str(copy), "--package", "app._vendor")
    assert line == "from app._vendor import tfmodel\n"
    assert (copy / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert "untouched and current" in installed.python("-m", "tfmodel", "vendor", "--check", str(copy))


def test_every_module_can_be_imported(installed):
    assert int(installed.python("-c", EVERY_MODULE, numpy=True)) > 300


def test_packages_are_marked_as_typed(installed):
    code = "from importlib.resources import files as f; print([f(n).joinpath('py.typed').is_file() for n in {}])"
    packages = ["pbwire", "tfmodel", "tfmodel._schema"]
    assert installed.python("-c", code.format(packages)) == "[True, True, True]\n"


def test_the_version_is_that_of_the_distribution(installed):
    code = "import tfmodel, importlib.metadata as m; print(m.version('tfmodel') == tfmodel.__version__)"
    assert installed.python("-c", code) == "True\n"


class TestEditable:
    def test_the_tables_are_those_of_the_checkout(self, editable):
        place, sources = editable
        assert place.python("-c", WHERE).startswith(str(sources))

    def test_another_schema_precedes_ours_on_the_path(self, editable):
        place, sources = editable
        code = "import schema, tfmodel.messages as m; m.GraphDef(); print(schema.__file__, hasattr(schema, 'Schema'))"
        output = place.python("-c", code)
        assert str(sources) not in output and output.endswith(" True\n")

    def test_it_works_where_the_link_became_a_text_file(self, setuptools, tmp_path):
        sources = copy_sources(tmp_path / "sources", tests=False)
        (sources / "tfmodel" / "_schema").unlink()
        (sources / "tfmodel" / "_schema").write_text("../schema")
        place = Environment.make(tmp_path / "venv")
        place.install("--editable", sources, setuptools=setuptools)
        assert place.python("-c", WHERE).startswith(str(sources / "schema"))

    @pytest.mark.parametrize("how", ["module", "script"])
    def test_commands_work(self, editable, how):
        place, _ = editable
        start = [str(place.interpreter), "-m", "tfmodel"] if how == "module" else [str(place.script("tfmodel"))]
        assert place.run(*start, "dump", LINEAR, "--field", "node[0].op") == "Placeholder\n"
