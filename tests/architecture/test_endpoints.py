"""Inputs and outputs are chosen in one place, `analysis.choice`."""

from __future__ import annotations

import ast

from tests.architecture.source import modules

RANKING = {
    "tfmodel.analysis.choice": "chooses",
    "tfmodel.analysis.facts": "keeps the ranking",
    "tfmodel.interpreter.session": "lists all possible outputs, to match them by their names",
    "tfmodel.reports.summary.analysis": "describes the ranking",
    "tfmodel.reports.summary.report": "prints the ranking",
    "tfmodel.reports.summary.text": "prints the ranking",
}
"""Modules that may read the ranking of inputs and outputs; all others call `choose`."""
NAMES = {"endpoints_for", "infer_endpoints", "is_likely", "likely_inputs", "likely_outputs"}


def reads_ranking(source: str) -> bool:
    return any(
        (isinstance(node, ast.Attribute) and (node.attr in NAMES or node.attr == "endpoints"))
        or (isinstance(node, ast.Name) and node.id in NAMES)
        for node in ast.walk(ast.parse(source))
    )  # fmt: skip


def test_only_the_choice_and_reports_read_the_ranking_of_inputs_and_outputs() -> None:
    readers = {name for name, path in modules("tfmodel").items() if reads_ranking(path.read_text(encoding="utf-8"))}
    others = {name for name in readers if not name.startswith("tfmodel.analysis.endpoints")}
    assert others == RANKING.keys()


def test_a_second_choice_is_found() -> None:
    assert reads_ranking("outputs = [end.name for end in ends.outputs if end.is_likely]")
    assert reads_ranking("ends = Facts.of(source).endpoints")
    assert not reads_ranking("outputs = choose(source).outputs")
