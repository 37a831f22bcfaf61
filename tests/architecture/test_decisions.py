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


DECLARES_OPS = {
    "tfmodel.analysis.shapes.inference": "takes a graph alone",
    "tfmodel.cli.dumped_nodes": "prints any message",
    "tfmodel.cli.import_report": "checks a graph that is about to be written",
    "tfmodel.editing.reduction.reducer": "takes the graphs that it tries",
    "tfmodel.reports.check.checker": "needs the declarations without those of the file",
    "tfmodel.reports.tree": "prints any message",
    "tfmodel.source.metagraph.builder": "makes a MetaGraph of a graph alone",
    "tfmodel.source.model_source": "keeps them for a model",
    "tfmodel.transforms.framework.pipeline": "takes a graph alone, and declarations as files",
}
"""Modules that may list the declarations of ops of a message; all others take `ModelSource.ops` or `Facts.ops`."""


def test_the_declarations_of_the_ops_of_a_model_are_listed_once() -> None:
    users = {
        name
        for name, path in modules("tfmodel").items()
        if not f"{name}.".startswith("tfmodel.ops.")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and f".{node.module}.".endswith((".ops.", ".definitions."))
        for alias in node.names
        if alias.name == "registry"
    }
    assert users == DECLARES_OPS.keys()
