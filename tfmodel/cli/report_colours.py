"""The colours of reports on terminals: headings, findings, differences. Names in a report are never on a line alone."""

from __future__ import annotations

import re
import sys

from pbwire.colours import Rules, paint_lines

_TITLE = re.compile(r"[a-z][a-z ]*( \([\d,]+\))?(, [a-z ]+)?:$")
"""The heading of a list: "inputs, likeliest first:", "removed (41):"."""

CHECK: Rules = (
    (re.compile(r"(broken|unsafe): .*"), "error"),
    (re.compile(r"notes$"), "heading"),
)
DIFFERENCE: Rules = (
    (re.compile(r"(---|\+\+\+) .*"), "heading"),
    (_TITLE, "heading"),
    (re.compile(r"\+ .*"), "added"),
    (re.compile(r"- .*"), "removed"),
    (re.compile(r"~ .*"), "changed"),
)
SUMMARY: Rules = (
    (re.compile(r"problem: .*|[\d,]+ problems?:$"), "warning"),
    (re.compile(r"signature .*|(next|more):"), "heading"),
    (_TITLE, "heading"),
    (re.compile(r"(op {2,}nodes|nodes {2,}calls) .*"), "heading"),
)


def write_report(text: str, rules: Rules) -> None:
    """Write the text of a report to standard output."""
    sys.stdout.write(paint_lines(text, rules, sys.stdout))
