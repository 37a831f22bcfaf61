"""Inputs and outputs are chosen in one place, `analysis.choice`."""

from __future__ import annotations

import ast

from tests.architecture.source import modules

RANKING = {
    "tfmodel.analysis.choice": "chooses",
    "tfmodel.analysis.facts": "keeps the ranking",
    "tfmodel.drawing.page.report": "shows the ranking",
    "tfmodel.interpreter.session": "lists all possible outputs, to match them by their names",
    "tfmodel.reports.summary.analysis": "describes the ranking",
    "tfmodel.reports.summary.report": "prints the ranking",
    "tfmodel.reports.summary.text": "prints the ranking",
}
"""Modules that may read the ranking of inputs and outputs; all others call `choose`."""
NAMES = {"endpoints_for", "infer_endpoints", "is_likely", "likely_inputs", "likely_outputs"}


SIGNATURES = {
    "tfmodel.analysis.choice": "chooses",
    "tfmodel.analysis.facts": "ranks the tensors of the default signature first",
    "tfmodel.analysis.variables.preparation": "binds no output of the default signature",
    "tfmodel.interpreter.session": "takes the keys of the default signature as names of tensors",
    "tfmodel.source.bindings": "takes the keys of the default signature as names of tensors",
    "tfmodel.source.model_source": "has the signatures",
}
"""Modules that may ask which signature counts; all others call `choose`, which gives the signature and its keys."""
SIGNATURE_NAMES = {"choose_signature", "default_signature"}


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


def asks_for_signature(source: str) -> bool:
    """Return whether a module calls `ModelSource.signature`, or a function that says which signature counts."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="signature"), args=[], keywords=[]):
                return True
            case ast.Name(id=name) if name in SIGNATURE_NAMES:
                return True
    return False


def test_only_the_choice_asks_which_signature_counts() -> None:
    users = {name for name, path in modules("tfmodel").items() if asks_for_signature(path.read_text(encoding="utf-8"))}
    assert users == SIGNATURES.keys()


def test_a_second_choice_of_a_signature_is_found() -> None:
    assert asks_for_signature("name, signature = model.signature() or ('', None)")
    assert asks_for_signature("outputs = tensors_of(choose_signature(meta.signature_def, None)[1].outputs)")
    assert not asks_for_signature("keys = choose(source).output_keys, inspect.signature(function)")


def test_a_second_choice_is_found() -> None:
    assert reads_ranking("outputs = [end.name for end in ends.outputs if end.is_likely]")
    assert reads_ranking("ends = Facts.of(source).endpoints")
    assert not reads_ranking("outputs = choose(source).outputs")
