"""The errors of tfmodel, and the hints in them. `except pbwire.Error` catches all of them, and also those of pbwire.

A hint is a part of a message: `RunError("the shape is not known: ", Hint.GIVE_SHAPE)`. It says what the caller can do
about an error, or about an assumption that a note tells. Its value is its words for callers in Python, which
`str(error)` and the text of a note have. Commands word it with their options: `tfmodel.cli.hints` has a row for each.
Some hints have data: `Hint.BATCH_SIZE(size=0)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from pbwire import errors
from pbwire.errors import about, compose


class Hint(errors.Hint, Enum):
    """The kinds of hints, with their words for callers in Python. Data are in braces."""

    # a Placeholder without a value
    TRY_FEEDS = "try feeds of your own"
    MUST_BE_FED = "it must be fed, with a tensor of type {dtype}{shape}"
    GIVE_FEED = "give some in feeds="
    GIVE_SHAPE = "give it in shapes=, or a value in feeds="

    # a verification that takes long
    VERIFY_LONG = 'verify="long" runs it anyway, verify=False skips it'

    # a variable without a value
    GIVE_CHECKPOINT = "freeze the model first, give its checkpoint, or assign one"

    # an asset whose file, or whose node, is not known
    GIVE_ASSET = "give it in assets={{name of the node: path of the file}}"

    # inputs and outputs that were inferred
    NAME_OUTPUTS = "name some in outputs="
    NAME_OTHERS = "guessed: name others if that is wrong"
    NAME_SIGNATURE = "name some in signatures="
    NAME_FUNCTION = "name one in signature="
    CHOOSE_SIGNATURE = "name one of them in signature="
    OTHER_SIGNATURE = "guessed: signatures= names others"

    # nodes that another format has no counterpart of
    REST_FROM = 'the rest can, with inputs="{names}"'

    # tensors of two models that were not matched
    MATCH_INPUTS = "name pairs in inputs={{first: second}}"
    MATCH_OUTPUTS = "name pairs in outputs={{first: second}}"

    # arguments that would have no effect
    BATCH_SIZE = "batch_size is {size:,}"
    NO_SEED = "seed has no effect"
    NOT_RESTORED = "the given checkpoint is not used"
    TAGS_CHOOSE = "tags choose a MetaGraph of a SavedModel"

    # files that are not models, or are not recognised
    LISTS_EVENTS = "tfmodel.summarize_events lists what it has"
    LISTS_RECORDS = "tfmodel.summarize_records describes it"
    READS_ONNX = "tfmodel.summarize_onnx describes it, and tfmodel.load reads its message"
    READS_TENSORS = "tfmodel.Checkpoint reads its tensors"
    NAME_TYPE = "name the message type, as cls=, if you know it"
    UNKNOWN_TYPE = str(errors.UnknownType())
    LEAVE_OUT = "allow_unknown_field=True leaves out what is not known"
    MORE_UNPACKED = "allow more (max_unpacked=)"
    SEARCH = 'damaged="search" looks for it'

    def __str__(self) -> str:
        return self.value.format()

    def __call__(self, **data: Any) -> Advice:
        """Return the hint with the data that its words need."""
        return Advice(self, tuple(data.items()))


@dataclass(frozen=True)
class Advice(errors.Hint):
    """A hint with its data."""

    hint: Hint
    data: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        return self.hint.value.format(**dict(self.data))


def kind_of(hint: errors.Hint) -> Hint:
    """Return the kind of a hint in a message; hints of pbwire have one, too."""
    if isinstance(hint, Advice):
        return hint.hint
    return hint if isinstance(hint, Hint) else Hint.UNKNOWN_TYPE


def with_name(name: str, problem: str | BaseException) -> str:
    """Return the text of an error about a file or a model; without a name, as for a message, only the problem."""
    return about(name, problem)


class Error(errors.Error):
    """The base class of all errors that tfmodel itself raises.

    Its message is made of strings, hints, and messages of other errors. `names_file` says whether it always begins with
    the file that it is about.
    """

    names_file: ClassVar[bool] = False

    def __init__(self, *parts: str | errors.Hint | BaseException) -> None:
        super().__init__(compose(*parts))


class FileFormatError(Error):
    """A file is not a model, or not the requested kind of model."""

    names_file = True


class RecordError(FileFormatError):
    """A record of a TFRecord file or an event file is damaged.

    file      the name of the file
    number    the number of the record in the file, from 0
    offset    the place of its first byte, in the unpacked file if it is compressed
    problem   what is wrong
    hint      what the caller can do
    """

    def __init__(
        self, problem: str, *, file: str = "", number: int = 0, offset: int = 0, hint: errors.Hint | None = None
    ) -> None:
        super().__init__(problem)
        self.file = file
        self.number = number
        self.offset = offset
        self.problem = problem
        self.hint = hint

    def __str__(self) -> str:
        place = f"record[{self.number}] at byte {self.offset:,}: "
        hints = ("; ", self.hint) if self.hint is not None else ()
        return with_name(self.file, compose(place, self.problem, *hints))


class GraphError(Error):
    """A graph contradicts itself: it has a missing node, a duplicate name, or an attribute of the wrong kind."""


class ModelError(Error):
    """A model lacks a requested part: a graph, a signature, the variables of a checkpoint."""


class QueryError(Error):
    """A query of `find` is not valid."""


class TensorError(Error):
    """A TensorProto cannot become an array: its values do not fit its shape, or its type or its size is unknown."""


class TransformError(Error):
    """A transform does not exist, was given wrong arguments, or cannot be applied to this graph."""


class CheckpointError(Error):
    """A checkpoint is damaged, incomplete, or lacks a requested tensor."""

    names_file = True


class FreezeError(Error):
    """Variables cannot be turned into constants."""


class RunError(Error):
    """A graph cannot be run: an op has no kernel, a feed does not fit, or a value is missing."""


class FeedError(RunError):
    """The caller's feeds or shapes do not fit the model."""
