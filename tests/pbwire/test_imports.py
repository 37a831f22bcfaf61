"""Importing pbwire and messages loads no module of the standard library that takes longer than all of pbwire."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

import pbwire
from tests.support.samples import Maps
from tfmodel.messages import GraphDef, NodeDef

ROOT = Path(__file__).parents[2]

# Modules that others of them import stand behind those that import them.
SLOW = {
    "typing",
    "re",
    "dataclasses",
    "inspect",
    "ast",
    "dis",
    "tokenize",
    "linecache",
    "textwrap",
    "copy",
    "weakref",
    "contextlib",
    "json",
    "pathlib",
    "threading",
    "logging",
    "tempfile",
    "subprocess",
    "random",
    "decimal",
    "datetime",
    "difflib",
    "numpy",
}
CODE = {
    "pbwire": "import pbwire",
    "errors": "from pbwire import DecodeError, EncodeError, Error, JsonError, TextFormatError",
    "tables": "from pbwire import Enum, Message, get, table, table_of",
    "GraphDef": "from tfmodel.messages import GraphDef; GraphDef().node.append(GraphDef())",
    "all messages": "from tfmodel.messages import *",
}


def loaded(code: str, root: Path = ROOT) -> set[str]:
    """Return the modules that a program loads, without those of an interpreter that runs nothing."""
    program = f"import sys; sys.path.insert(0, {str(root)!r}); before = set(sys.modules)\n{code}\n"
    program += "print(*(set(sys.modules) - before))"
    command = [sys.executable, "-S", "-I", "-c", program]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("name", CODE)
def test_no_slow_module_is_loaded(name):
    assert loaded(CODE[name]) & SLOW == set()


def test_no_slow_module_is_loaded_where_the_link_to_the_schema_is_missing(tmp_path):
    for folder in ("pbwire", "schema"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "tfmodel").mkdir()
    for path in (ROOT / "tfmodel").iterdir():
        if path.name != "_schema":
            (tmp_path / "tfmodel" / path.name).symlink_to(path)
    modules = loaded(CODE["all messages"], root=tmp_path)
    assert "tfmodel._schema.graph" in modules
    assert modules & SLOW == set()


def test_importing_pbwire_loads_its_errors_only():
    modules = loaded(CODE["pbwire"])
    assert {name for name in modules if name.partition(".")[0] == "pbwire"} == {"pbwire", "pbwire.errors"}
    assert "enum" not in modules


def test_importing_a_message_loads_no_code_generators():
    modules = loaded(CODE["GraphDef"])
    assert "pbwire.table" in modules
    assert not modules & {"pbwire.codec.decoder", "pbwire.codec.encoder", "pbwire.text", "pbwire.json"}


def test_protobuf_style_messages_load_the_layers_above_them_on_first_use():
    make = "from pbwire import compat; from tfmodel.messages import NodeDef; message = compat.compat_class(NodeDef)()"
    above = {"pbwire.compat.descriptors", "pbwire.compat.pools", "pbwire.compat.text_format"}
    assert not loaded(make) & {*above, "pbwire.json", "pbwire.proto", "pbwire.text", "pickle"}
    assert loaded(f"{make}; message.DESCRIPTOR") & above == {"pbwire.compat.descriptors"}
    assert loaded(f"{make}; message.DESCRIPTOR.file") & above == {"pbwire.compat.descriptors", "pbwire.compat.pools"}
    assert loaded(f"{make}; str(message)") & above == {"pbwire.compat.text_format"}


def test_all_names_are_attributes_of_the_package():
    assert {*pbwire.__all__} <= {*dir(pbwire)}
    for name in (*pbwire.__all__, "json", "raw", "table", "text", "wellknown"):
        assert loaded(f"import pbwire; pbwire.{name}")
        assert getattr(pbwire, name).__name__.rpartition(".")[2] == name
    assert not hasattr(pbwire, "no_such_name")


# --- the attributes of a dataclass, computed on first use --------------------------------------------------------

USES = {
    "fields": "assert [field.name for field in dataclasses.fields(NodeDef)][-1] == 'unknown_fields'",
    "fields of an instance": "assert len(dataclasses.fields(NodeDef(name='a'))) == 8",
    "is_dataclass": "assert dataclasses.is_dataclass(NodeDef) and dataclasses.is_dataclass(NodeDef())",
    "the base class": "from pbwire import Message; assert not dataclasses.is_dataclass(Message)",
    "replace": "assert dataclasses.replace(NodeDef(name='a', op='b'), op='c') == NodeDef(name='a', op='c')",
    "__replace__": "assert NodeDef(name='a').__replace__(op='c') == NodeDef(name='a', op='c')",
    "asdict": "assert dataclasses.asdict(NodeDef(name='a', input=['b']))['input'] == ['b']",
    "astuple": "assert dataclasses.astuple(NodeDef(name='a'))[0] == 'a'",
    "match": "match NodeDef(name='a', op='b'):\n    case NodeDef('a', op): assert op == 'b'\n    case _: assert False",
    "parameters": "assert not NodeDef.__dataclass_params__.init and not NodeDef.__dataclass_params__.frozen",
    "a subclass": "class Sub(NodeDef): pass\nassert len(dataclasses.fields(Sub)) == 8",
    "an undecoded message": (
        "from tfmodel.messages import GraphDef\n"
        "data = GraphDef(node=[NodeDef(name='a')]).to_bytes()\n"
        "assert dataclasses.replace(GraphDef.from_bytes(data, lazy=True).node[0], op='b') == NodeDef(name='a', op='b')"
    ),
}


@pytest.mark.parametrize("name", USES)
def test_the_first_use_of_a_dataclass_attribute(name):
    assert "dataclasses" in loaded(f"import dataclasses\nfrom tfmodel.messages import NodeDef\n{USES[name]}")


def test_fields_have_types_and_defaults():
    fields = {field.name: field for field in dataclasses.fields(Maps)}
    assert fields["by_string"].type == Maps.__annotations__["by_string"]
    assert fields["by_string"].default_factory is dict
    unknown = dataclasses.fields(NodeDef)[-1]
    assert (unknown.name, unknown.type, unknown.default, unknown.kw_only, unknown.repr) == (
        "unknown_fields",
        "bytes",
        b"",
        True,
        False,
    )
    assert NodeDef.__match_args__ == tuple(field.name for field in dataclasses.fields(NodeDef))[:-1]
    assert dataclasses.fields(GraphDef) is not dataclasses.fields(NodeDef)


def test_annotations_of_messages_can_be_evaluated():
    assert get_type_hints(GraphDef)["node"] == list[NodeDef]
