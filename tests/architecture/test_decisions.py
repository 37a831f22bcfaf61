"""Decisions that one package makes, and all others ask for."""

from __future__ import annotations

import ast
import re

from tests.architecture.source import modules

_DETECTS = re.compile(
    r"detect$|detect_(file|records)$|is_(keras|table|gzip)|begins_with_record$|unpack_head$|taken_for$"
)


def test_only_files_decides_what_a_file_is() -> None:
    """Others take the kind that `open_file` returns: `ModelFile.detection`."""
    wrong = [
        f"{name}, line {node.lineno}, imports {alias.name}"
        for name, path in modules("tfmodel").items()
        if not f"{name}.".startswith("tfmodel.files.")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and ".files." in f".{node.module}."
        for alias in node.names
        if _DETECTS.match(alias.name)
    ]
    assert wrong == []
