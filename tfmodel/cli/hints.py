"""The words of hints on the command line: options and commands in place of arguments and functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pbwire import errors

from ..errors import Advice, Hint, kind_of
from ..starting import command_prefix

if TYPE_CHECKING:
    from .parser import Parser

_FEED = "--feed NAME=VALUE"
_SIGNATURE = "--signature NAME=INPUTS:OUTPUTS"
_OPTION = re.compile(r"\{tfmodel\} .*|(?P<option>--[a-z-]+)(?: (?P<form>[A-Z]+=[A-Z]+(?::[A-Z]+)?))?", re.DOTALL)


WORDS: dict[Hint, tuple[str, ...]] = {
    Hint.TRY_FEEDS: ("try --feed", "try {tfmodel} verify --feed"),
    Hint.MUST_BE_FED: (
        f"feed it with {_FEED}, or let --random make it up: a tensor of type {{dtype}}{{shape}}",
        f"feed it with {_FEED}: a tensor of type {{dtype}}{{shape}}",
        f"{{tfmodel}} run takes it with {_FEED}: a tensor of type {{dtype}}{{shape}}",
    ),
    Hint.GIVE_FEED: (f"give some with {_FEED}", f"{{tfmodel}} run takes some with {_FEED}"),
    Hint.GIVE_SHAPE: (
        f"give it with --shape NAME=SIZES, or a value with {_FEED}",
        f"{{tfmodel}} run takes it with --shape NAME=SIZES, or a value with {_FEED}",
    ),
    Hint.VERIFY_LONG: (
        "--verify runs it anyway, --no-verify skips it",
        "{tfmodel} optimize --verify runs it anyway, --no-verify skips it",
    ),
    Hint.GIVE_CHECKPOINT: (
        "name its checkpoint with --checkpoint, or freeze the model first",
        "{tfmodel} freeze takes it from the checkpoint",
    ),
    Hint.GIVE_ASSET: ("name it with --assets NODE=FILE", "{tfmodel} convert takes it with --assets NODE=FILE"),
    Hint.NAME_OUTPUTS: (
        "name some with --outputs",
        "name some with --fetch",
        "{tfmodel} extract makes a model with those of --outputs",
    ),
    Hint.NAME_OTHERS: (
        "guessed: --inputs and --outputs name others",
        "guessed: --outputs names others",
        "guessed: --fetch names others",
        "guessed: {tfmodel} extract makes a model with those of --inputs and --outputs",
    ),
    Hint.NAME_SIGNATURE: (f"name some with {_SIGNATURE}", f"{{tfmodel}} convert takes some with {_SIGNATURE}"),
    Hint.NAME_FUNCTION: ("name one with --function", "{tfmodel} extract makes a model of that of --function"),
    Hint.OTHER_SIGNATURE: (
        f"guessed: {_SIGNATURE} names others",
        f"guessed: {{tfmodel}} convert takes others with {_SIGNATURE}",
    ),
    Hint.CHOOSE_SIGNATURE: (
        "name one of them with --signature",
        "{tfmodel} extract makes a model of that of --signature",
    ),
    Hint.REST_FROM: ("the rest can, with --inputs {names}", "{tfmodel} extract makes the rest with --inputs {names}"),
    Hint.MATCH_INPUTS: (
        "name pairs with --inputs FIRST=SECOND",
        "{tfmodel} verify takes pairs with --inputs FIRST=SECOND",
    ),
    Hint.MATCH_OUTPUTS: (
        "name pairs with --outputs FIRST=SECOND",
        "{tfmodel} verify takes pairs with --outputs FIRST=SECOND",
    ),
    Hint.BATCH_SIZE: ("--batch-size is {size:,}", "the batch size is {size:,}"),
    Hint.NO_SEED: ("--seed has no effect", "the seed has no effect"),
    Hint.NOT_RESTORED: ("--checkpoint is not used", "the checkpoint is not used"),
    Hint.TAGS_CHOOSE: ("--tags chooses a MetaGraph of a SavedModel", "tags choose a MetaGraph of a SavedModel"),
    Hint.LISTS_EVENTS: ("{tfmodel} events lists what it has",),
    Hint.LISTS_RECORDS: ("{tfmodel} records describes it",),
    Hint.READS_ONNX: ("{tfmodel} summarize describes it, {tfmodel} dump and {tfmodel} convert read it",),
    Hint.READS_TENSORS: ("{tfmodel} checkpoint lists its tensors",),
    Hint.NAME_TYPE: (
        "name the message type with --type, if you know it",
        "{tfmodel} dump --type shows it, if you know the message type",
    ),
    Hint.UNKNOWN_TYPE: (
        ": name the .proto file that declares it with --proto",
        ", and {tfmodel} does not know this message",
    ),
    Hint.LEAVE_OUT: (
        "--allow-unknown-field leaves out what is not known",
        "{tfmodel} convert --allow-unknown-field leaves out what is not known",
    ),
    Hint.MORE_UNPACKED: ("allow more with --max-unpacked", "allow more with {tfmodel} convert --max-unpacked"),
    Hint.SEARCH: ("--search looks for it", "{tfmodel} records --search looks for it"),
}
"""The words of each hint. The first ones are used whose options the command has.

`{tfmodel}` stands for the command that runs the program, and options behind it are those of the command that it names.
The last words need no option of the command itself. Other names in braces are the data of the hint.
"""


def options_in(words: str) -> list[tuple[str, str]]:
    """Return the options in the words of a hint that the command has to have, each with the form of its value."""
    return [(match["option"], match["form"] or "") for match in _OPTION.finditer(words) if match["option"]]


def word(hint: errors.Hint, parser: Parser | None = None) -> str:
    """Return the words of a hint for the command of `parser`; without it, those that need no option."""
    words = next(words for words in WORDS[kind_of(hint)] if all(_has(parser, *option) for option in options_in(words)))
    data = dict(hint.data) if isinstance(hint, Advice) else {}
    return words.format(tfmodel=command_prefix(), **data)


def _has(parser: Parser | None, option: str, form: str) -> bool:
    return parser is not None and parser.has(option, form)
