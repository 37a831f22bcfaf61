"""`tfmodel.messages`: lazy imports, `TYPES`, and finding the folder of tables."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from pbwire import wellknown
from tests.support import schema_facts
from tfmodel import messages

ROOT = Path(messages.__file__).resolve().parents[1]


def python(code: str, folder: Path = ROOT) -> str:
    """Return the output of a new interpreter that imports packages from `folder` and no installed ones."""
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def tables_after(code: str) -> set[str]:
    """The table modules that are imported once `code` has run."""
    listing = "import sys; print(*(m.split('.')[-1] for m in sys.modules if m.startswith('tfmodel._schema.')))"
    return set(python(f"{code}\n{listing}").split())


def test_importing_messages_imports_no_table():
    assert tables_after("import tfmodel.messages") == set()


def test_a_name_imports_its_own_table_and_what_that_refers_to():
    tables = tables_after("from tfmodel.messages import VersionDef")
    assert tables == {"versions"}
    tables = tables_after("from tfmodel.messages import GraphDef")
    assert {"graph", "node_def", "attr_value", "tensor", "types"} <= tables
    assert not {"config", "meta_graph", "saved_model", "event"} & tables


def test_a_name_is_looked_up_once():
    assert python("from tfmodel import messages\nmessages.NodeDef\nprint('NodeDef' in vars(messages))") == "True"


def test_a_missing_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="GraphDeff"):
        messages.GraphDeff  # noqa: B018  looking it up is what is tested


def test_all_names_every_top_level_message_and_enum():
    packages = [fact.full_name.rpartition(".") for fact in schema_facts.load()]
    top_level = {
        name for package, _, name in packages if package in ("tensorflow", "tensorflow.error", "tensorflow.profiler")
    }
    difference = sorted({*messages.__all__} ^ (top_level | {"TYPES"}))
    assert not difference, (
        "tfmodel/message_index.py differs from tests/data/schema_facts.tsv: run python -m tests.index"
    )
    assert dir(messages) == sorted(messages.__all__)
    assert all(getattr(messages, name) is not None for name in messages.__all__)


def test_star_import_gives_everything():
    code = "from tfmodel.messages import *; import tfmodel.messages; print({*tfmodel.messages.__all__} <= {*globals()})"
    assert python(code) == "True"


class TestTypes:
    def test_it_finds_messages_by_full_name(self):
        assert messages.TYPES["tensorflow.GraphDef"] is messages.GraphDef
        assert messages.TYPES["tensorflow.AttrValue.ListValue"] is messages.AttrValue.ListValue
        assert messages.TYPES["google.protobuf.Any"] is wellknown.Any
        assert messages.TYPES["tensorflow.profiler.XSpace"] is messages.XSpace
        deep = "tensorflow.TrackableObjectGraph.TrackableObject.ObjectReference"
        assert messages.TYPES[deep] is messages.TrackableObjectGraph.TrackableObject.ObjectReference

    @pytest.mark.parametrize(
        "name",
        [
            "",
            "tensorflow",
            "tensorflow.",
            "tensorflow.Nothing",
            "tensorflow.GraphDef.",
            "tensorflow.GraphDef.Nothing",
            "tensorflow.GraphDef.__init__",
            "tensorflow.AttrValue.list",
            "tensorflow.DataType",
            "tensorflow.error.Code",
            "tensorflow.Code",
            "tensorflow.XSpace",
            "tensorflow.profiler",
            "tensorflow.profiler.GraphDef",
            "tensorflow.TYPES",
            "GraphDef",
            ".tensorflow.GraphDef",
            "other.GraphDef",
            "google.protobuf",
            "google.protobuf.Nothing",
            "google.protobuf.NullValue",
            "google.protobuf.pb",
            None,
            3,
        ],
    )
    def test_it_has_only_message_types(self, name):
        assert name not in messages.TYPES
        assert messages.TYPES.get(name) is None
        with pytest.raises(KeyError):
            messages.TYPES[name]

    def test_iteration_gives_every_message_with_its_own_name(self):
        names = list(messages.TYPES)
        assert set(names) >= set(schema_facts.load().messages)
        assert len(names) == len(set(names)) == len(messages.TYPES)
        assert all(messages.TYPES[name].__table__.full_name == name for name in names)
        assert {name for name in names if name.startswith("google.")} == {
            f"google.protobuf.{name}" for name in wellknown.__all__ if name != "NullValue"
        }

    def test_it_is_a_mapping_that_cannot_be_changed(self):
        assert isinstance(messages.TYPES, Mapping)
        with pytest.raises(TypeError):
            messages.TYPES["tensorflow.GraphDef"] = None
        assert repr(messages.TYPES) == "tfmodel.messages.TYPES"

    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.parametrize("look_up", ["TYPES[{!r}]", "{!r} in TYPES", "TYPES.get({!r})"])
    def test_a_lookup_imports_only_the_table_of_the_type(self, look_up):
        code = "from tfmodel.messages import TYPES; "
        assert tables_after(code + look_up.format("tensorflow.VersionDef")) == {"versions"}
        assert "config" not in tables_after(code + look_up.format("tensorflow.GraphDef"))
        assert tables_after(code + look_up.format("google.protobuf.Any")) == set()
        assert tables_after(code + "TYPES.get('tensorflow.Nothing'); TYPES.get('other.Message')") == set()


@pytest.fixture
def checkout(tmp_path):
    """A copy of the packages without the symbolic link."""
    for name in ("pbwire", "schema", "tfmodel"):
        ignore = shutil.ignore_patterns("__pycache__", "_schema")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    return tmp_path


WHERE = "from tfmodel.messages import GraphDef, TYPES; import sys; m = sys.modules[GraphDef.__module__]; "
REPORT = WHERE + "print(m.__name__, m.__file__, 'schema' in sys.modules, TYPES['tensorflow.GraphDef'] is GraphDef)"


def test_without_the_link_the_folder_beside_the_package_is_loaded(checkout):
    expected = checkout / "schema" / "graph.py"
    assert python(REPORT, checkout) == f"tfmodel._schema.graph {expected} False True"


def test_a_link_that_became_a_text_file_does_no_harm(checkout):
    (checkout / "tfmodel" / "_schema").write_text("../schema")
    assert python(REPORT, checkout).startswith(f"tfmodel._schema.graph {checkout / 'schema' / 'graph.py'} ")


def test_in_a_wheel_the_tables_are_a_subpackage(checkout):
    (checkout / "schema").rename(checkout / "tfmodel" / "_schema")
    expected = checkout / "tfmodel" / "_schema" / "graph.py"
    assert python(REPORT, checkout) == f"tfmodel._schema.graph {expected} False True"


def test_without_any_tables_the_error_names_the_package(checkout):
    shutil.rmtree(checkout / "schema")
    code = "try:\n    import tfmodel.messages\nexcept ModuleNotFoundError as error:\n    print(error.name)"
    assert python(code, checkout) == "tfmodel._schema"


def test_an_error_inside_a_table_is_not_mistaken_for_a_missing_folder(checkout):
    (checkout / "schema").rename(checkout / "tfmodel" / "_schema")
    (checkout / "tfmodel" / "_schema" / "__init__.py").write_text("import nothing_of_that_name")
    code = "try:\n    import tfmodel.messages\nexcept ModuleNotFoundError as error:\n    print(error.name)"
    assert python(code, checkout) == "nothing_of_that_name"


@pytest.mark.parametrize("name", ["messages.GraphDef", "transforms.RECIPES", "errors.Error", "compat", "files"])
def test_modules_are_attributes_of_the_package(name: str) -> None:
    code = f"import sys, tfmodel; tfmodel.{name}; assert 'numpy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
