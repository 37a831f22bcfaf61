"""The size of modules."""

from __future__ import annotations

from tests.architecture.source import logic_lines, modules

MAX_LOGIC_LINES = 450


def test_no_module_is_too_long() -> None:
    lengths = {name: logic_lines(path) for name, path in modules("pbwire", "tfmodel").items()}
    assert {name: length for name, length in lengths.items() if length > MAX_LOGIC_LINES} == {}
