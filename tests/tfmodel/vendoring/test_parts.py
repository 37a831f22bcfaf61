"""The parts, each with exactly the modules that it needs."""

from __future__ import annotations

import pytest

from tfmodel.vendoring.manifest import PARTS, files_of, parse_parts

FILES = dict.fromkeys(
    [
        "pbwire/__init__.py",
        "pbwire/text/fast_parser.py",
        "tfmodel/__init__.py",
        "tfmodel/_schema/graph.py",
        "tfmodel/cli/dump.py",
        "tfmodel/message_index.py",
        "tfmodel/message_types.pyi",
        "tfmodel/messages.py",
        "tfmodel/py.typed",
    ],
    b"",
)
SCHEMA = {
    "tfmodel/__init__.py",
    "tfmodel/_schema/graph.py",
    "tfmodel/message_index.py",
    "tfmodel/message_types.pyi",
    "tfmodel/messages.py",
    "tfmodel/py.typed",
}


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("pbwire", PARTS[:1]),
        ("schema", PARTS[:2]),
        ("pbwire,schema", PARTS[:2]),
        (" schema , pbwire", PARTS[:2]),
        ("all", PARTS),
        ("tfmodel", PARTS),
        ("pbwire,all", PARTS),
    ],
)
def test_parts_come_with_those_they_need(words, parts):
    assert parse_parts(words) == parts


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("pbwre", 'unknown part "pbwre"; did you mean "pbwire"?'),
        ("pbwire,schemas", 'unknown part "schemas"; did you mean "schema"?'),
        ("", 'unknown part ""; the parts are pbwire, schema, tfmodel and all'),
        ("pbwire,", 'unknown part ""; the parts are pbwire, schema, tfmodel and all'),
        ("numpy\x1b", 'unknown part "numpy\\x1b"; the parts are pbwire, schema, tfmodel and all'),
    ],
)
def test_unknown_parts_are_refused(words, problem):
    with pytest.raises(ValueError) as caught:
        parse_parts(words)
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("parts", "paths"),
    [
        (("pbwire",), {"pbwire/__init__.py", "pbwire/text/fast_parser.py"}),
        (("pbwire", "schema"), {"pbwire/__init__.py", "pbwire/text/fast_parser.py", *SCHEMA}),
        (PARTS, set(FILES)),
    ],
)
def test_the_files_of_parts(parts, paths):
    assert set(files_of(parts, FILES, "1.2.3")) == paths


def test_the_package_of_messages_alone_has_a_version_and_no_other_names():
    source = files_of(PARTS[:2], FILES, "1.2.3")["tfmodel/__init__.py"]
    names: dict[str, object] = {}
    exec(source, names)
    assert {name for name in names if name[0] != "_"} == set()
    assert names["__version__"] == "1.2.3"
