"""References between nodes."""

from __future__ import annotations

import pytest

from tfmodel import GraphError
from tfmodel.names import CONTROL, TensorName


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
def test_every_form(text, parts, spelled):
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
def test_what_is_none_is_refused(text):
    with pytest.raises(GraphError, match="no reference"):
        TensorName.parse(text)
