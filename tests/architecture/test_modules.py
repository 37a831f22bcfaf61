"""The size of modules, and which of them list their names."""

from __future__ import annotations

import re

from tests.architecture.source import logic_lines, modules
from tfmodel.compat import protobuf_modules

MAX_LOGIC_LINES = 450


def test_no_module_is_too_long() -> None:
    lengths = {name: logic_lines(path) for name, path in modules("pbwire", "tfmodel").items()}
    assert {name: length for name, length in lengths.items() if length > MAX_LOGIC_LINES} == {}


PUBLIC = {
    "pbwire.proto.descriptor_messages",
    "pbwire.raw",
    "pbwire.streams",
    "pbwire.table",
    "pbwire.wellknown",
    "tfmodel.messages",
}
"""Modules that users import from, and that list their names. So do those that stand for modules of other libraries."""


def test_only_faces_of_packages_list_their_names() -> None:
    stand_ins = {
        f"pbwire.compat.{file}"
        for file, names in protobuf_modules._SOURCES.values()
        if names == "*" and ":" not in file
    }
    stand_ins -= {name for name, path in modules("pbwire").items() if path.name == "__init__.py"}
    listing = [
        name
        for name, path in modules("pbwire", "tfmodel").items()
        if path.name != "__init__.py" and re.search(r"^ *__all__\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert [name for name in listing if not name.startswith("tfmodel.compat.facades.")] == sorted(PUBLIC | stand_ins)
