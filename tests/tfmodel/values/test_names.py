"""References between nodes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tfmodel
from tfmodel import GraphError
from tfmodel.messages import NodeDef
from tfmodel.values.names import (
    CONTROL,
    TensorName,
    control_input,
    control_inputs,
    data_inputs,
    has_port,
    is_control_input,
    is_plain_name,
    node_name,
    with_node_name,
)

HAND_WRITTEN = re.compile(
    r"""["']\^["']|f["']\^\{|removeprefix\(["']\^|[rl]?(split|partition)\(["']:["']|["']:["'] (not )?in """
)
"""Code that takes references apart or puts them together by hand."""

OTHER_FOLDERS = {"re2", "_schema", "facades"}
"""Packages that have other references; helpers of TensorFlow are `facades`, and cut names as TensorFlow does."""

OTHER_GRAMMARS = {
    'tuple((0, -1) if part == "-"': "the slices that a Restore node names",
    '".npz:" in text': "a member of an .npz file",
    '":" in parts[0]': "the drive in a path of Windows",
    "start, colon, stop = ": "a range of records",
    "file, colon, attribute = ": "a module of pbwire and an object in it",
    "re.escape(": "regular expressions that rename tensors of a checkpoint",
    "stats.node_name.partition": "what TensorFlow appends to the names of nodes in RunMetadata",
}
"""Lines with a colon of something else than a reference."""


@pytest.mark.parametrize(
    ("text", "parts", "spelled"),
    [
        ("n", ("n", 0, ""), "n"),
        ("n:0", ("n", 0, ""), "n"),
        ("scope/n-1.x>y:12", ("scope/n-1.x>y", 12, ""), "scope/n-1.x>y:12"),
        ("^n", ("n", CONTROL, ""), "^n"),
        ("n:out:0", ("n", 0, "out"), "n:out:0"),
        ("n:out_1:3", ("n", 3, "out_1"), "n:out_1:3"),
        ("n:out", ("n", 0, "out"), "n:out:0"),
    ],
)
def test_each_form_is_parsed_and_spelled(text, parts, spelled):
    name = TensorName.parse(text)
    assert tuple(name) == parts
    assert name.is_control == text.startswith("^")
    assert str(name) == spelled
    assert TensorName.parse(spelled) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "^",
        ":",
        ":1",
        "n:",
        "n:-1",
        "n:1:",
        "n::1",
        "n:a:b",
        "n:a:1:2",
        "^n:1",
        "^^n:1",
        "n:\u00b2",
        "n:99999999999",
    ],
)
def test_other_strings_are_refused(text):
    with pytest.raises(GraphError, match="not a reference"):
        TensorName.parse(text)


@pytest.mark.parametrize(
    ("text", "node", "renamed", "is_control", "is_plain"),
    [
        ("n", "n", "m", False, True),
        ("n:2", "n", "m:2", False, False),
        ("n:out:0", "n", "m:out:0", False, False),
        ("^n", "n", "^m", True, False),
        ("", "", "m", False, False),
    ],
)
def test_references_as_strings(text, node, renamed, is_control, is_plain):
    assert node_name(text) == node
    assert with_node_name(text, "m") == renamed
    assert is_control_input(text) == is_control
    assert is_plain_name(text) == is_plain
    assert has_port(text) == (":" in text)


def test_inputs_are_tensors_or_control_inputs():
    node = NodeDef(name="n", input=["a", "b:1", "^c", "d:out:0", control_input("e")])
    assert data_inputs(node) == ["a", "b:1", "d:out:0"]
    assert control_inputs(node) == ["^c", "^e"]


def test_only_this_module_knows_the_grammar():
    """The functions of `tfmodel.values.names` are the only code that looks for "^" and ":" in references."""
    root = Path(tfmodel.__file__).parent
    uses = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for path in sorted(root.rglob("*.py"))
        if path != root / "values/names.py" and not OTHER_FOLDERS & {*path.parts}
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if HAND_WRITTEN.search(line) and not any(text in line for text in OTHER_GRAMMARS)
    ]
    assert not uses
