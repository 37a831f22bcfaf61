"""The layout of Python source: lines of at most 120 characters, comments, docstrings.

Comments come from .proto files that are not trusted. They cannot end the comment or string that they are in.
"""

from __future__ import annotations

import textwrap

from ..errors import escape_invisible

WIDTH = 120
INDENT = "    "


def clean_lines(comment: str) -> list[str]:
    """Return the lines of a comment without common indentation, invisible characters and empty lines at both ends."""
    lines = [escape_invisible(line.replace("\t", "    ").rstrip()) for line in comment.splitlines()]
    return textwrap.dedent("\n".join(lines)).strip("\n").split("\n") if any(line.strip() for line in lines) else []


def _wrapped(lines: list[str], width: int) -> list[str]:
    result: list[str] = []
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())][: width // 2]
        if len(line) <= width:
            result.append(line)
        else:
            wrapper = textwrap.TextWrapper(
                width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
            result += wrapper.wrap(line) or [""]
    return result


def comment_lines(comment: str, indent: str) -> list[str]:
    lines = _wrapped(
        [line.lstrip() if index == 0 else line for index, line in enumerate(clean_lines(comment))],
        WIDTH - len(indent) - 2,
    )
    return [f"{indent}# {line}".rstrip() for line in lines]


def docstring_lines(comment: str, indent: str) -> list[str]:
    """Return the docstring of a class; no lines without a comment."""
    lines = [line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in clean_lines(comment)]
    if not lines:
        return []
    lines[0] = lines[0].lstrip()
    if lines[0].startswith('"'):
        lines[0] = "\\" + lines[0]
    if len(lines) == 1:
        text = lines[0][:-1] + '\\"' if lines[0].endswith('"') and not lines[0].endswith('\\"') else lines[0]
        if len(indent) + len(text) + 6 <= WIDTH:
            return [f'{indent}"""{text}"""']
    lines[0] = f'"""{lines[0]}'
    return [(indent + line).rstrip() for line in [*_wrapped(lines, WIDTH - len(indent)), '"""']]


def with_comment(indent: str, row: list[str], comment: str) -> list[str]:
    """Return the lines of a row with a comment, beside it if it is short."""
    cleaned = clean_lines(comment)
    if len(row) == len(cleaned) == 1 and len(row[0]) + 4 + len(cleaned[0].strip()) <= WIDTH:
        return [f"{row[0]}  # {cleaned[0].strip()}"]
    return [*comment_lines(comment, indent), *row]


def call_lines(indent: str, function: str, arguments: list[str]) -> list[str]:
    """Return a call on one line if it fits, else its arguments on one line, else each on its own."""
    joined = ", ".join(arguments)
    line = f"{indent}{function}({joined})"
    if len(line) <= WIDTH or not arguments:
        return [line]
    inner = f"{indent}{INDENT}{joined}"
    if len(inner) <= WIDTH:
        return [f"{indent}{function}(", inner, f"{indent})"]
    return [f"{indent}{function}(", *(f"{indent}{INDENT}{argument}," for argument in arguments), f"{indent})"]


def import_lines(module: str, names: list[str]) -> list[str]:
    """Return a statement that imports names."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"from {module} import (", *(f"{INDENT}{name}," for name in names), ")"]
