"""The words of hints on the command line: options and commands in place of arguments and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pbwire import errors

from ..hints import Advice, Hint, kind_of
from ..starting import command_prefix

if TYPE_CHECKING:
    from .parser import Parser

_FEED = "--feed NAME=VALUE"


class Words(NamedTuple):
    """The words of one hint: for all commands, or for those with an option and for the others.

    `{tfmodel}` stands for the command that runs the program; other names in braces are the data of the hint.
    """

    default: str
    option: str = ""
    with_option: str = ""


WORDS = {
    Hint.TRY_FEEDS: Words("try --feed"),
    Hint.MUST_BE_FED: Words(
        f"feed it with {_FEED}: a tensor of type {{dtype}}{{shape}}",
        "--random",
        f"feed it with {_FEED}, or let --random make it up: a tensor of type {{dtype}}{{shape}}",
    ),
    Hint.GIVE_FEED: Words(f"give some with {_FEED}"),
    Hint.GIVE_SHAPE: Words(f"give it with --shape NAME=SIZES, or a value with {_FEED}"),
    Hint.VERIFY_LONG: Words("--verify runs it anyway, --no-verify skips it"),
    Hint.GIVE_CHECKPOINT: Words(
        "{tfmodel} freeze takes it from the checkpoint",
        "--checkpoint",
        "name its checkpoint with --checkpoint, or freeze the model first",
    ),
    Hint.GIVE_ASSET: Words("name it with --assets NODE=FILE"),
    Hint.NAME_OUTPUTS: Words("name some with --outputs", "--fetch", "name some with --fetch"),
    Hint.NAME_OTHERS: Words("guessed: --inputs and --outputs name others"),
    Hint.NAME_SIGNATURE: Words("name some with --signature serving_default=INPUTS:OUTPUTS"),
    Hint.NAME_FUNCTION: Words("name one with --function"),
    Hint.OTHER_SIGNATURE: Words("guessed: --signature serving_default=INPUTS:OUTPUTS names others"),
    Hint.MATCH_INPUTS: Words("name pairs with --inputs FIRST=SECOND"),
    Hint.MATCH_OUTPUTS: Words("name pairs with --outputs FIRST=SECOND"),
    Hint.BATCH_SIZE: Words("--batch-size is {size:,}"),
    Hint.NO_SEED: Words("--seed has no effect"),
    Hint.NOT_RESTORED: Words("--checkpoint is not used"),
    Hint.TAGS_CHOOSE: Words("--tags chooses a MetaGraph of a SavedModel"),
    Hint.LISTS_EVENTS: Words("{tfmodel} events lists what it has"),
    Hint.LISTS_RECORDS: Words("{tfmodel} records describes it"),
    Hint.READS_TENSORS: Words("{tfmodel} checkpoint lists its tensors"),
    Hint.NAME_TYPE: Words(
        "{tfmodel} dump --type shows it, if you know the message type",
        "--type",
        "name the message type with --type, if you know it",
    ),
    Hint.UNKNOWN_TYPE: Words(
        ", and {tfmodel} does not know this message",
        "--proto",
        ": name the .proto file that declares it with --proto",
    ),
    Hint.LEAVE_OUT: Words(
        "{tfmodel} convert --allow-unknown-field leaves out what is not known",
        "--allow-unknown-field",
        "--allow-unknown-field leaves out what is not known",
    ),
    Hint.MORE_UNPACKED: Words(
        "allow more with {tfmodel} convert --max-unpacked", "--max-unpacked", "allow more with --max-unpacked"
    ),
    Hint.SEARCH: Words("{tfmodel} records --search looks for it", "--search", "--search looks for it"),
}


def word(hint: errors.Hint, parser: Parser | None = None) -> str:
    """Return the words of a hint for the command of `parser`; without it, those for commands without the option."""
    words = WORDS[kind_of(hint)]
    is_theirs = bool(words.option) and parser is not None and parser.has(words.option)
    data = dict(hint.data) if isinstance(hint, Advice) else {}
    return (words.with_option if is_theirs else words.default).format(tfmodel=command_prefix(), **data)
