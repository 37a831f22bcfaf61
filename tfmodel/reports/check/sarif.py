"""Findings of `check` as SARIF 2.1.0, which services for code scanning read.

    results = [result for path in paths for result in results_of(path, check(path))]
    "".join(document(map(json.dumps, results)))

A document has one run of one tool. Its rules are the kinds of findings, and each finding is a result: its location is
the file of the model and, as a logical location, the node and the function that has it. A file that cannot be read is
a result too, of the rule "broken/file".
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...errors import Error
from ...files.locate import locate
from .kinds import KINDS, Level, name_of
from .report import CheckReport, Finding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"

_LEVELS: dict[Level, str] = {"broken": "error", "unsafe": "error", "note": "note"}
_SEVERITY = "8.0"  # of findings about safety, from 0 to 10; services call more than 7 high
_HELP: dict[Level, str] = {
    "broken": "TensorFlow refuses the model, or a part of it cannot run.",
    "unsafe": "Running or loading the model does more than compute: do so only if you trust its author.",
    "note": "This is a fact about the model, not a fault.",
}
_UNREADABLE = Finding("broken", "file", "")

_RULES = {key: position for position, key in enumerate(KINDS)}
_LINK = re.compile(r"[\[\]](?=[^\[\]]*\]\(|\()")


def document(results: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a document, given its results as JSON. They are not kept, so there may be any number."""
    driver = {"name": "tfmodel", "version": _version(), "rules": [_rule(*key) for key in KINDS]}
    beginning = {"$schema": SCHEMA, "version": VERSION, "runs": [{"tool": {"driver": driver}, "results": []}]}
    opening, end = json.dumps(beginning).rsplit("[]", 1)
    yield f"{opening}["
    separator = "\n"
    for result in results:
        yield f"{separator}{result}"
        separator = ",\n"
    yield f"\n]{end}\n"


def results_of(path: str, report: CheckReport) -> list[dict[str, Any]]:
    """Return a result for each finding about the model at a path."""
    return [_result(path, finding, finding.sentence) for finding in report.findings]


def unreadable(path: str, problem: str) -> dict[str, Any]:
    """Return the result for a file that cannot be read."""
    return _result(path, _UNREADABLE, problem)


def _version() -> str:
    from ... import __version__  # the package itself, which imports nothing

    return __version__


def _rule(level: Level, kind: str) -> dict[str, Any]:
    title = KINDS[level, kind]
    properties: dict[str, Any] = {"tags": ["model", level, *["security"] * (level == "unsafe")]}
    if level == "unsafe":
        properties["security-severity"] = _SEVERITY
    words = "".join(word.capitalize() for word in (level, kind))
    return {
        "id": name_of(level, kind),
        "name": words,
        "shortDescription": {"text": title},
        "fullDescription": {"text": f"{title}. {_HELP[level]}"},
        "help": {"text": f"{title}. {_HELP[level]} `tfmodel check --help` describes what is checked."},
        "defaultConfiguration": {"level": _LEVELS[level]},
        "properties": properties,
    }


def _result(path: str, finding: Finding, message: str) -> dict[str, Any]:
    rule = name_of(finding.level, finding.kind)
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(path)}, "region": {"startLine": 1}},
    }
    logical = [_logical(finding.function, "function")] * bool(finding.function)
    logical += [_logical(finding.node, "node", finding.function)] * bool(finding.node)
    if logical:
        location["logicalLocations"] = logical
    facts = json.dumps([rule, finding.function, finding.node, message])
    result: dict[str, Any] = {
        "ruleId": rule,
        "level": _LEVELS[finding.level],
        "message": {"text": _without_links(message)},
        "locations": [location],
        "partialFingerprints": {"primaryLocationLineHash": f"{sha256(facts.encode()).hexdigest()[:16]}:1"},
    }
    if (finding.level, finding.kind) in _RULES:
        result["ruleIndex"] = _RULES[finding.level, finding.kind]
    return result


def _logical(name: str, kind: str, function: str = "") -> dict[str, str]:
    return {"name": name, "kind": kind, "fullyQualifiedName": f"{function}:{name}" if function else name}


def _without_links(message: str) -> str:
    """Return a message in which no part is a link "[text](target)": a model chooses the names that are in messages."""
    return _LINK.sub(lambda bracket: f"\\{bracket[0]}", message)


def _uri(path: str) -> str:
    """Return the URI of the file that is read for a path, relative if the path is."""
    try:
        file = path if path == "-" else locate(path, reads_events=False)
    except (Error, OSError, ValueError):
        file = path
    file = os.path.normpath(file)
    if os.path.isabs(file):
        return Path(file).as_uri()
    return quote(os.fsencode(file.replace(os.sep, "/")))
