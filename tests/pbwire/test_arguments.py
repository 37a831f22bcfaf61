"""`pbwire.arguments`: help that fits the terminal, and short usage errors."""

from __future__ import annotations

import pytest

from pbwire.arguments import Parser, wrap

DESCRIPTION = """Sort the lines of a file.

Lines are compared byte by byte, and equal lines keep their order, which is
also the order of the standard library.

  name     by the first word, in upper or
           lower case
  number   by value

examples:
  sort FILE
  sort --by name --output out.txt 'a file with a long name' | head --lines 20

The output is written completely or not at all.
"""


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> Parser:
    monkeypatch.setenv("COLUMNS", "50")
    parser = Parser(prog="sort", description=DESCRIPTION)
    parser.add_argument("file", metavar="FILE", nargs="?", help="the file to sort")
    parser.add_argument("--by", "--key", metavar="KEY", required=True, help="what lines are compared by")
    return parser


def test_help_has_examples_first_then_the_options_and_then_the_rest(parser: Parser) -> None:
    assert (
        parser.format_help()
        == """\
usage: sort [options] [FILE] --by KEY

Sort the lines of a file.

examples:
  sort FILE
  sort --by name --output out.txt \\
      'a file with a long name' | head \\
      --lines 20

arguments:
  FILE             the file to sort

options:
  -h, --help       show this help message and exit
  --by, --key KEY  what lines are compared by

details:

Lines are compared byte by byte, and equal lines
keep their order, which is also the order of the
standard library.

  name     by the first word, in upper or lower
           case
  number   by value

The output is written completely or not at all.
"""
    )


def test_help_is_never_wider_than_100_characters(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = parser.format_help().splitlines()
    assert 90 < max(map(len, lines)) <= 100


@pytest.mark.parametrize("arguments", [[], ["--by"], ["--by", "name", "--b", "\x1b[31m"]])
def test_a_usage_error_is_a_line_and_where_help_is(
    arguments: list[str], parser: Parser, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parser.parse_args(arguments)
    assert caught.value.code == 2
    problem, help_line = capsys.readouterr().err.splitlines()
    assert problem.startswith("sort: ") and "\x1b" not in problem
    assert help_line == 'try "sort --help"'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two\nthree", ["one two", "three"]),
        ("one two three", ["one two", "three"]),
        ("a  one two three", ["a  one two", "   three"]),
        ("a  one\n   two", ["a  one two"]),
        ("  one two three", ["  one two", "  three"]),
        ("one\n  a  two", ["one", "  a  two"]),
        ("much-too-long one", ["much-too-long", "one"]),
        ("one\n\ntwo", ["one", "", "two"]),
    ],
)
def test_wrap(text: str, lines: list[str]) -> None:
    assert wrap(text, 10) == "\n".join(lines)
