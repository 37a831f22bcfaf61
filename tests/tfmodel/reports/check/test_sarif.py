"""`check --sarif`: documents of SARIF 2.1.0 for code-scanning services."""

from __future__ import annotations

import ast
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.tfmodel import models
from tests.tfmodel.reports.check.attacks import GRAPHS
from tests.tfmodel.reports.check.catalogue import BROKEN, UNSAFE
from tfmodel import CheckReport, Finding, check
from tfmodel.cli import main
from tfmodel.reports.check import sarif

RESULT_KEYS = {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"}


def document(*results: dict[str, Any]) -> Any:
    return json.loads("".join(sarif.document(map(json.dumps, results))))


def results_of(*findings: Finding, path: str = "m.pb") -> list[dict[str, Any]]:
    return sarif.results_of(path, CheckReport(path, findings))


def test_a_document_without_results() -> None:
    empty = document()
    assert (empty["version"], empty["$schema"]) == ("2.1.0", sarif.SCHEMA)
    (run,) = empty["runs"]
    assert run["tool"]["driver"]["name"] == "tfmodel"
    assert run["results"] == []


def test_rules_have_texts_and_levels() -> None:
    rules = document()["runs"][0]["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len({rule["name"] for rule in rules}) == len(sarif.KINDS)
    for rule in rules:
        level = rule["id"].partition("/")[0]
        assert all(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help"))
        assert rule["defaultConfiguration"] == {"level": "note" if level == "note" else "error"}
        assert ("security" in rule["properties"]["tags"]) == (level == "unsafe")
        assert ("security-severity" in rule["properties"]) == (level == "unsafe")


def test_a_result_names_its_rule_its_file_and_its_node() -> None:
    (result,) = results_of(Finding("unsafe", "read", 'ReadFile "y" reads "a"', "scope/y", "f", ('signature "s"',)))
    assert result.keys() == RESULT_KEYS
    assert (result["ruleId"], result["level"]) == ("unsafe/read", "error")
    rules = document(result)["runs"][0]["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == "unsafe/read"
    assert result["message"] == {"text": 'function "f": ReadFile "y" reads "a" (run by signature "s")'}
    (location,) = result["locations"]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": "m.pb"}, "region": {"startLine": 1}}
    assert location["logicalLocations"] == [
        {"name": "f", "kind": "function", "fullyQualifiedName": "f"},
        {"name": "scope/y", "kind": "node", "fullyQualifiedName": "f:scope/y"},
    ]


def test_findings_of_one_file_have_different_fingerprints_that_stay() -> None:
    one, other = (Finding("unsafe", "read", "reads", node) for node in ("a", "b"))
    prints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in results_of(one, other, one)]
    assert prints[0] == prints[2] != prints[1]
    assert all(re.fullmatch(r"[0-9a-f]{16}:1", text) for text in prints)


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("m.pb", "m.pb"),
        ("./models//a b.pb", "models/a%20b.pb"),
        ("c:d.pb", "c%3Ad.pb"),
        ("ä#?%.pb", "%C3%A4%23%3F%25.pb"),
        ("../m.pb", "../m.pb"),
        ("-", "-"),
        ("tests/data/linear", "tests/data/linear/saved_model.pb"),
        ("tests/data/trained/model", "tests/data/trained/model.meta"),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="paths are written otherwise")
def test_locations_are_uris_of_the_file_that_is_read(path: str, uri: str) -> None:
    result = sarif.unreadable(path, "no such file")
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri}
    assert result["ruleId"] == "broken/file"


def test_absolute_paths_are_absolute_uris(tmp_path: Path) -> None:
    result = sarif.unreadable(str(tmp_path / "m.pb"), "no such file")
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (tmp_path / "m.pb").as_uri()


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("node [click](http://evil)", "node \\[click\\](http://evil)"),
        ("shapes [2,3] and [4]", "shapes [2,3] and [4]"),
        ("float32[?,4] (run by x)", "float32[?,4] (run by x)"),
    ],
)
def test_names_of_a_model_are_not_links(message: str, text: str) -> None:
    assert sarif.unreadable("m.pb", message)["message"] == {"text": text}


def test_every_kind_of_finding_has_a_rule() -> None:
    """Of the cases of `check`, and of the constants in its source."""
    graphs = [row.graph for row in (*UNSAFE.values(), *BROKEN.values(), *GRAPHS.values())]
    kinds = {(finding.level, finding.kind) for graph in graphs for finding in check(graph)}
    for path in Path("tfmodel/reports/check").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding":
                level, kind = node.args[:2]
                if isinstance(level, ast.Constant) and isinstance(kind, ast.Constant):
                    kinds.add((level.value, kind.value))
    source = Path("tfmodel/graph/validate.py").read_text(encoding="utf-8")
    kinds |= {("broken", kind) for kind in re.findall(r'Fault\("(\w+)"', source)}
    assert len(kinds) > 40
    assert kinds - sarif.KINDS.keys() == set()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.pb").write_bytes(UNSAFE["a file that is read"].graph.to_bytes())
    data = models.graph().to_bytes()
    (tmp_path / "b.pb").write_bytes(data)
    (tmp_path / "c.pb").write_bytes(data[:100])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("files", "status", "rules"),
    [
        ("b.pb", 0, []),
        ("a.pb", 1, ["unsafe/read"]),
        ("nosuch.pb", 2, ["broken/file"]),
        (".", 2, ["unsafe/read", "broken/file"]),
        (". --jobs 2", 2, ["unsafe/read", "broken/file"]),
    ],
)
def test_the_command(files: str, status: int, rules: list[str], folder: Path, capfdbinary: Any) -> None:
    assert main(["check", *files.split(), "--sarif"]) == status
    printed = capfdbinary.readouterr().out
    assert [result["ruleId"] for result in json.loads(printed)["runs"][0]["results"]] == rules
    assert main(["check", *files.split(), "--sarif", "-o", "out.sarif"]) == status
    assert (folder / "out.sarif").read_bytes() == printed
