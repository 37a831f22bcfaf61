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
from .report import CheckReport, Finding, Level

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

KINDS: dict[tuple[Level, str], str] = {
    ("broken", "asset"): "A file that the model comes with is missing, or belongs to a tensor that does not exist",
    ("broken", "attribute"): "An attribute of a node is missing, or has a value that its op does not allow",
    ("broken", "checkpoint"): "The checkpoint is missing or damaged, or lacks a tensor of the model",
    ("broken", "collection"): "A collection names a node or a variable that does not exist",
    ("broken", "colocation"): "A node is to be placed beside a node that does not exist",
    ("broken", "constant"): "A constant is damaged",
    ("broken", "cycle"): "Nodes wait for each other",
    ("broken", "duplicate"): "Two nodes, functions or arguments have the same name",
    ("broken", "file"): "The file cannot be read",
    ("broken", "frame"): "A node of a loop is not in its loop",
    ("broken", "function"): "A function does not exist, or has the name of an op",
    ("broken", "inputs"): "A node has another number of inputs than its op",
    ("broken", "keras"): "The metadata of Keras are damaged",
    ("broken", "missing"): "A node takes its input from a node that does not exist",
    ("broken", "name"): "A name is not allowed",
    ("broken", "object"): "The objects of a TensorFlow 2 model name a part that does not exist",
    ("broken", "op"): "TensorFlow does not have the op, or no longer",
    ("broken", "order"): "A data input comes after a control input",
    ("broken", "port"): "A node takes an output that the other node does not have",
    ("broken", "result"): "A function does not define one of its results",
    ("broken", "saver"): "The saver names a node that does not exist",
    ("broken", "shape"): "The shapes of the inputs of a node do not fit",
    ("broken", "signature"): "A signature names a tensor that does not exist, or has another type",
    ("broken", "table"): "No node fills a lookup table",
    ("broken", "type"): "An input has another type than its op takes",
    ("broken", "version"): "No version of TensorFlow accepts the versions of the graph",
    ("unsafe", "asset"): "An asset is outside of the folder of the model",
    ("unsafe", "endless"): "A node does not end",
    ("unsafe", "exit"): "A node ends the process",
    ("unsafe", "graph"): "A node runs a graph that it gets as a string",
    ("unsafe", "keras"): "Keras runs code of the model, or imports a module that the model names",
    ("unsafe", "library"): "A node calls native code",
    ("unsafe", "list"): "A node lists files",
    ("unsafe", "network"): "A node opens a connection",
    ("unsafe", "python"): "The model calls Python code",
    ("unsafe", "read"): "The model reads a file",
    ("unsafe", "settings"): "A node changes settings of the process",
    ("unsafe", "write"): "The model writes a file",
    ("note", "attribute"): "TensorFlow 2 ignores an attribute",
    ("note", "checkpoint"): "Values of variables were not checked",
    ("note", "collection"): "An entry of a collection is damaged, which TensorFlow ignores",
    ("note", "constant"): "No constant of the graph has values",
    ("note", "device"): "A node sets up or shuts down TPUs",
    ("note", "keras"): "The classes of some layers are of another program, and were not checked",
    ("note", "name"): "A function has no name",
    ("note", "op"): "Nodes of an op that is not of TensorFlow were not checked",
    ("note", "print"): "A node prints tensors",
    ("note", "program"): "A node runs a compiled program, which was not checked",
    ("note", "signature"): "A signature describes a tensor differently than the graph",
    ("note", "summary"): "A node writes to a summary writer of the program that runs it",
    ("note", "table"): "Nodes fill tables, and must run before the outputs",
    ("note", "tags"): "A MetaGraph was not checked",
    ("note", "wait"): "A node may wait without end",
    ("note", "weights"): "Files of weights are missing, and values were not checked",
}
"""The kinds of findings by level, each with a title."""

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


def _rule_id(level: Level, kind: str) -> str:
    return f"{level}/{kind}"


def _rule(level: Level, kind: str) -> dict[str, Any]:
    title = KINDS[level, kind]
    properties: dict[str, Any] = {"tags": ["model", level, *["security"] * (level == "unsafe")]}
    if level == "unsafe":
        properties["security-severity"] = _SEVERITY
    words = "".join(word.capitalize() for word in (level, kind))
    return {
        "id": _rule_id(level, kind),
        "name": words,
        "shortDescription": {"text": title},
        "fullDescription": {"text": f"{title}. {_HELP[level]}"},
        "help": {"text": f"{title}. {_HELP[level]} `tfmodel check --help` describes what is checked."},
        "defaultConfiguration": {"level": _LEVELS[level]},
        "properties": properties,
    }


def _result(path: str, finding: Finding, message: str) -> dict[str, Any]:
    rule = _rule_id(finding.level, finding.kind)
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
