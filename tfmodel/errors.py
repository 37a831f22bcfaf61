"""The errors of tfmodel. `except pbwire.Error` catches all of them, and also those of pbwire."""

from __future__ import annotations

from pbwire import errors
from pbwire.errors import Hint, about, compose


def with_name(name: str, problem: str | BaseException) -> str:
    """Return the text of an error about a file or a model; without a name, as for a message, only the problem."""
    return about(name, problem)


class Error(errors.Error):
    """The base class of all errors that tfmodel itself raises.

    Its message is made of strings, hints, and messages of other errors: see `tfmodel.hints`.
    """

    def __init__(self, *parts: str | Hint | BaseException) -> None:
        super().__init__(compose(*parts))


class FileFormatError(Error):
    """A file is not a model, or not the requested kind of model."""


class RecordError(FileFormatError):
    """A record of a TFRecord file or an event file is damaged.

    file      the name of the file
    number    the number of the record in the file, from 0
    offset    the place of its first byte, in the unpacked file if it is compressed
    problem   what is wrong
    hint      what the caller can do
    """

    def __init__(
        self, problem: str, *, file: str = "", number: int = 0, offset: int = 0, hint: Hint | None = None
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


class FreezeError(Error):
    """Variables cannot be turned into constants."""


class RunError(Error):
    """A graph cannot be run: an op has no kernel, a feed does not fit, or a value is missing."""


class FeedError(RunError):
    """The caller's feeds or shapes do not fit the model."""
