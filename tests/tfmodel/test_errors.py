"""Hints in errors and notes: data in a message, worded for Python and for the command line."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import re
import string
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from pbwire import errors as wire_errors
from pbwire.errors import EncodeError, JsonError, Text, TextFormatError, UnknownType, about, compose, join, without
from tfmodel import errors
from tfmodel.cli import COMMANDS
from tfmodel.cli.hints import WORDS, options_in, word
from tfmodel.cli.messages import RequestError, explain_error, in_options, speaking_for
from tfmodel.errors import Error, GraphError, Hint, RecordError, RunError, kind_of, with_name
from tfmodel.files.checkpoints.data_files import DataFileError
from tfmodel.starting import command_prefix

PRODUCT = Path(errors.__file__).parent
TABLES = (PRODUCT / "errors.py", PRODUCT / "cli" / "hints.py")

SHAPE = compose("the shape is not known: ", Hint.GIVE_SHAPE)
"""A message with a hint, as errors and notes are."""
IN_PYTHON = "the shape is not known: give it in shapes=, or a value in feeds="
IN_OPTIONS = "the shape is not known: give it with --shape NAME=SIZES, or a value with --feed NAME=VALUE"


def fields(words: str) -> set[str]:
    """Return the names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}


@cache
def parser_of(command: str):
    from importlib import import_module

    from tfmodel.cli.parser import Parser

    parser = Parser(prog=command)
    import_module(COMMANDS[command][0], "tfmodel.cli").add_arguments(parser)
    return parser


PARSERS = [parser_of(command) for command in COMMANDS]
OPTION = re.compile(r"(--[a-z-]+)(?: ([A-Z]+=[A-Z]+(?::[A-Z]+)?))?")


def options_lacking(words: str, command: str) -> list[tuple[str, str]]:
    """Return the options that words name, with the forms of their values, and that a command does not take."""
    return [(option, form) for option, form in OPTION.findall(words) if not parser_of(command).has(option, form)]


def explain(command: str, error: BaseException) -> str | None:
    """Return the message of a command that ends with this error."""
    with speaking_for(parser_of(command)):
        return explain_error(command, error)


class TestTheTables:
    def test_each_hint_has_words_for_python_and_for_the_command_line(self):
        assert [*WORDS] == [*sorted(Hint, key=[*WORDS].index)]

    @pytest.mark.parametrize("hint", Hint, ids=lambda hint: hint.name)
    def test_all_words_have_the_same_data(self, hint):
        assert [fields(words) - {"tfmodel"} for words in WORDS[hint]] == [fields(hint.value)] * len(WORDS[hint])

    @pytest.mark.parametrize("hint", Hint, ids=lambda hint: hint.name)
    def test_the_last_words_alone_need_no_option_of_the_command(self, hint):
        assert [bool(options_in(words)) for words in WORDS[hint]] == [True] * (len(WORDS[hint]) - 1) + [False]

    @pytest.mark.parametrize("hint", Hint, ids=lambda hint: hint.name)
    def test_all_words_are_those_of_some_command(self, hint):
        data = {name: 5 if name == "size" else "" for name in fields(hint.value)}
        spoken = {word(UnknownType() if hint is Hint.UNKNOWN_TYPE else hint(**data), parser) for parser in PARSERS}
        assert len(spoken) == len(WORDS[hint])

    @pytest.mark.parametrize("command", COMMANDS)
    @pytest.mark.parametrize("hint", Hint, ids=lambda hint: hint.name)
    def test_words_name_options_that_the_command_has_or_the_command_that_has_them(self, hint, command):
        data = {name: 5 if name == "size" else "" for name in fields(hint.value)}
        words = word(UnknownType() if hint is Hint.UNKNOWN_TYPE else hint(**data), parser_of(command))
        own, _, other = words.partition(f"{command_prefix()} ")
        assert options_lacking(own, command) == []
        if re.search(OPTION, other):
            assert options_lacking(other, other.split()[0]) == []

    @pytest.mark.parametrize("hint", Hint, ids=lambda hint: hint.name)
    def test_each_hint_is_given_by_some_code(self, hint):
        used = "UnknownType()" if hint is Hint.UNKNOWN_TYPE else f"Hint.{hint.name}"
        package = PRODUCT.parent / "pbwire" if hint is Hint.UNKNOWN_TYPE else PRODUCT
        paths = [path for path in package.rglob("*.py") if path not in TABLES and used.strip("()") in path.read_text()]
        assert any(used in _names_in(path) for path in paths)


@cache
def _names_in(path: Path) -> set[str]:
    """Return the attributes and calls in a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, (ast.Attribute, ast.Call))}


COPIES: dict[str, Callable[[Error], BaseException]] = {
    "as it is": lambda error: error,
    "named": lambda error: GraphError(with_name("a.pb", error)),
    "named twice": lambda error: GraphError(with_name("a.pb", GraphError(with_name("step", error)))),
    "taken for another class": lambda error: GraphError(str(error)),
    "in a sentence": lambda error: RunError("it fails: ", error, "; try again"),
    "added": lambda error: RunError("it fails: " + str(error) + "; try again"),
    "joined": lambda error: RunError(join("; ", ["first", str(error), "last"])),
    "pickled": lambda error: pickle.loads(pickle.dumps(error)),
    "copied": copy.copy,
    "copied deeply": copy.deepcopy,
    "pickled with a name": lambda error: pickle.loads(pickle.dumps(GraphError(with_name("a.pb", error)))),
    "of a request": lambda error: RequestError(str(error), file="a.pb"),
}


class TestAMessage:
    @pytest.mark.parametrize("how", COPIES)
    def test_keeps_its_hint(self, how):
        error = COPIES[how](RunError("the shape is not known: ", Hint.GIVE_SHAPE))
        assert IN_PYTHON in str(error)
        message = explain("run", error)
        assert IN_OPTIONS in message
        assert "shapes=" not in message

    @pytest.mark.parametrize("how", COPIES)
    def test_keeps_the_data_of_its_hint(self, how):
        error = COPIES[how](RunError(Hint.BATCH_SIZE(size=-5000), ", but it must be positive"))
        assert "batch_size is -5,000, but it must be positive" in str(error)
        assert "--batch-size is -5,000, but it must be positive" in explain("run", error)

    def test_may_have_several_hints(self):
        error = RunError(GraphError("a: ", Hint.GIVE_FEED), " and ", Hint.NO_SEED)
        assert error.hints == (Hint.GIVE_FEED, Hint.NO_SEED)
        assert explain("run", error) == "run: a: give some with --feed NAME=VALUE and --seed has no effect"

    def test_has_hints_that_code_can_ask_for(self):
        error = RunError(Hint.BATCH_SIZE(size=0), ", but it must be positive")
        assert [kind_of(hint) for hint in error.hints] == [Hint.BATCH_SIZE]
        assert dict(error.hints[0].data) == {"size": 0}
        assert RunError("nothing to do").hints == ()

    def test_without_a_hint_is_a_plain_string(self):
        assert type(compose("a", "b")) is str
        assert type(str(RunError("a"))) is str
        assert str(RunError()) == ""

    def test_is_its_python_words_to_all_code_that_knows_no_hints(self):
        assert SHAPE == IN_PYTHON
        assert {IN_PYTHON: 1}[SHAPE] == 1
        assert json.dumps([SHAPE]) == json.dumps([IN_PYTHON])
        assert repr(RunError(SHAPE)) == f"RunError({IN_PYTHON!r})"

    def test_words_of_data_are_not_searched_for_braces(self):
        message = compose(Hint.MUST_BE_FED(dtype="{tfmodel}", shape="{0}"))
        with speaking_for(parser_of("verify")):
            assert in_options(message) == "feed it with --feed NAME=VALUE: a tensor of type {tfmodel}{0}"

    @pytest.mark.parametrize(
        "error",
        [
            JsonError(compose("an Any of a.B", UnknownType()), path="any"),
            EncodeError(compose("an Any of a.B", UnknownType())).within("any"),
        ],
    )
    def test_of_pbwire_keeps_its_hint_behind_its_path(self, error):
        assert str(error) == "any: an Any of a.B: types= does not contain this name"
        for copied in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
            words = "dump: any: an Any of a.B: name the .proto file that declares it with --proto"
            assert explain("dump", copied) == words

    def test_of_text_format_keeps_its_hint_before_the_line(self):
        error = TextFormatError(compose("no such field (", Hint.LEAVE_OUT, ")"), line=3, column=2, source="  x: 1")
        assert (
            str(error)
            == "3:2: no such field (allow_unknown_field=True leaves out what is not known)\n      x: 1\n     ^"
        )
        assert explain("convert", error) == (
            "convert: 3:2: no such field (--allow-unknown-field leaves out what is not known)\n      x: 1\n     ^"
        )


class TestTheSubject:
    def test_is_the_name_that_a_message_begins_with(self):
        error = GraphError(with_name("a.pb", "it has no node"))
        assert (str(error), error.subject) == ("a.pb: it has no node", "a.pb")
        assert without("a.pb", error) == "it has no node"

    def test_of_another_name_is_kept(self):
        assert without("b.pb", GraphError(with_name("a.pb", "no node"))) == "a.pb: no node"

    def test_is_not_guessed_from_text(self):
        error = GraphError("a.pb: is this a name?")
        assert error.subject == ""
        assert without("a.pb", error) == "a.pb: is this a name?"

    def test_is_that_of_the_outermost_name(self):
        error = GraphError(with_name("a.pb", RunError(with_name("b", SHAPE))))
        assert (error.subject, error.hints) == ("a.pb", (Hint.GIVE_SHAPE,))
        assert without("a.pb", error) == f"b: {IN_PYTHON}"

    def test_survives_copies(self):
        error = GraphError(with_name("a.pb", "no node"))
        assert {copied.subject for copied in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error))} == {"a.pb"}

    def test_is_printed_once_with_a_request(self):
        error = RequestError(str(GraphError(with_name("a.pb", SHAPE))), file="a.pb")
        assert explain("run", error) == f"a.pb: {IN_OPTIONS}"

    def test_needs_a_name(self):
        assert about("", "problem") == "problem"
        assert not isinstance(about("", "problem"), Text)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            RecordError("damaged", file="a", number=3, offset=1_000, hint=Hint.SEARCH),
            'a: record[3] at byte 1,000: damaged; damaged="search" looks for it',
        ),
        (
            DataFileError("it is in a.data: it is empty", file="a.data", problem="it is empty"),
            "it is in a.data: it is empty",
        ),
    ],
)
def test_errors_with_fields_of_their_own_can_be_copied(error, text):
    for copied in (error, pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (str(copied), vars(copied), copied.hints) == (text, vars(error), error.hints)


def test_hints_are_of_one_class():
    assert issubclass(Hint, wire_errors.Hint)
