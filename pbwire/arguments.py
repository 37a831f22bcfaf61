"""An argument parser with short usage errors, and help that fits the terminal.

The description of a parser is the docstring of its program: a first paragraph, more paragraphs, and "examples:" with a
command a line, indented by two. Its help has the first paragraph, the examples, the options, and then the rest.
Paragraphs are wrapped; lines of tables, with two blanks between columns, go on in their last column.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import textwrap
from shutil import get_terminal_size
from typing import Any, NoReturn, TextIO

from .colours import Style, paint, paint_headings
from .errors import escape_invisible, suggestion

DONE, NO, FAILED = 0, 1, 2
"""The exit status of a command that did what was asked, or answers yes; that answers no; that could not do it.

They are those of diff and grep: no is a difference, a finding, no match; wrong arguments and files are failures.
"""

INTERRUPTED, CLOSED_PIPE = 130, 141
"""The exit statuses that shells report after control-C, and after a write to a closed pipe."""

MAX_WIDTH = 100
"""The maximum width of help in characters, since longer lines are hard to read."""

_HELP_COLUMN = 24  # the first column of what an option does
_BEFORE_TEXT = re.compile(r" *(?:\S+(?: \S+)* {2,})*")  # the part of a line below which its next lines are blank
_WORD = re.compile(r"(?:-[-\w]+ (?!-))?(?:'[^']*'|\"[^\"]*\"|\S)+")  # an option is one word with its value


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose options cannot be abbreviated."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_Formatter, **keywords)
        self.color = False  # Python 3.14 has colours of its own
        self._positionals.title = "arguments"

    def error(self, message: str) -> NoReturn:
        problem = f"{self.prog}: {escape_invisible(message.removeprefix('argument '))}"
        self.exit(FAILED, f'{paint_message(problem, "error", sys.stderr)}\ntry "{self.prog} --help"\n')

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among the choices, in our words."""
        if action.choices is not None and value not in action.choices:
            known = [*map(str, action.choices)]
            near = suggestion(str(value), known) or f": choose from {', '.join(known)}"
            raise argparse.ArgumentError(action, f'there is no "{value}"{near}')

    def print_help(self, file: Any = None) -> None:
        out = file or sys.stdout
        out.write(paint_headings(self.format_help(), out))

    def format_usage(self) -> str:
        needed = [action for action in self._actions if action.help != argparse.SUPPRESS]
        words = [_usage_of(action) for action in needed if action.required or not action.option_strings]
        options = [] if self._subparsers else ["[options]"]
        return f"usage: {' '.join([self.prog, *options, *words])}\n"

    def format_help(self) -> str:
        summary, examples, details = _parts(self.description or "")
        width = _width()
        formatter = self._get_formatter()
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        blocks = [
            self.format_usage(),
            wrap(summary, width),
            "\n".join(line for example in examples for line in _example_lines(example, width)),
            formatter.format_help(),
            wrap(f"details:\n\n{details}", width) if details else "",
        ]
        return "\n\n".join(block.strip("\n") for block in blocks if block) + "\n"


def paint_message(message: str, style: Style | None, stream: TextIO) -> str:
    """Return the line of a message in a style. On a terminal, a long one goes on in lines that are indented.

    The excerpt of a file, which is indented, is left as it is, since a line below it may point into it.
    """
    lines = [message]
    if stream.isatty() and not message.startswith("    "):
        how: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False, "subsequent_indent": "  "}
        lines = textwrap.wrap(message, _columns(stream), **how) or lines
    return "\n".join(lines if style is None else (paint(line, style, stream) for line in lines))


def _columns(terminal: TextIO) -> int:
    """Return the width of a terminal, or COLUMNS; 80 if it does not tell."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def wrap(text: str, width: int) -> str:
    """Wrap the paragraphs of a text. A line goes on with the next one if that begins in its column."""
    lines: list[str] = []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if line and lines and lines[-1] and indent == _column(lines[-1]):
            lines[-1] += f" {line.lstrip()}"
        else:
            lines.append(line)
    return "\n".join(piece for line in lines for piece in _wrapped(line, width))


def _wrapped(line: str, width: int) -> list[str]:
    column = _column(line)
    if column > width // 2:
        column = len(line) - len(line.lstrip()) + 4
    return textwrap.wrap(
        line, width, subsequent_indent=" " * column, break_long_words=False, break_on_hyphens=False
    ) or [""]


def _column(line: str) -> int:
    """Return the column in which the text of a line begins, behind what it explains."""
    match = _BEFORE_TEXT.match(line)
    return len(match[0]) if match else 0


def _parts(description: str) -> tuple[str, list[str], str]:
    """Return the first paragraph of a docstring, the lines with its examples, and the rest."""
    summary, _, rest = description.strip().partition("\n\n")
    examples: list[str] = []
    if match := re.search(r"^examples:\n(?: .*\n?)*", rest, re.MULTILINE):
        examples = match[0].splitlines()
        rest = f"{rest[: match.start()].rstrip()}\n\n{rest[match.end() :].lstrip()}"
    return summary, examples, rest.strip()


def _example_lines(line: str, width: int) -> list[str]:
    """Return a command as lines for a shell: each but the last ends with a backslash."""
    lines = [line]
    if len(line) > width:
        lines = [" "]
        for word in _WORD.findall(line):
            if len(lines[-1]) + len(word) + 3 > width and lines[-1].strip():
                lines[-1] += " \\"
                lines.append("     ")
            lines[-1] += f" {word}"
    return lines


def _usage_of(action: argparse.Action) -> str:
    value = action.metavar if isinstance(action.metavar, str) else action.dest
    if action.option_strings:
        return f"{action.option_strings[0]} {value}"
    if action.nargs == argparse.PARSER:
        return f"{value} ..."
    many = f"{value}..." if action.nargs in ("+", "*", argparse.REMAINDER) else value
    return f"[{many}]" if action.nargs in ("?", "*") else many


class _Formatter(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=_HELP_COLUMN, width=_width())

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"  # Python before 3.13 repeats the value


def _width() -> int:
    """Return the width of help: that of the terminal, or of COLUMNS; 80 elsewhere."""
    return min(get_terminal_size().columns, MAX_WIDTH)
