"""The errors of tfmodel. `except pbwire.Error` catches all of them, and also those of pbwire."""

from __future__ import annotations

from pbwire import errors

__all__ = [
    "CheckpointError",
    "Error",
    "FeedError",
    "FileFormatError",
    "FreezeError",
    "GraphError",
    "ModelError",
    "QueryError",
    "RecordError",
    "RunError",
    "TensorError",
    "TransformError",
    "with_name",
]


def with_name(name: str, problem: str) -> str:
    """Return the text of an error about a file or a model; without a name, as for a message, only the problem."""
    return f"{name}: {problem}" if name else problem


class Error(errors.Error):
    """The base class of all errors that tfmodel itself raises."""


class FileFormatError(Error):
    """A file is not a model, or not the requested kind of model."""


class RecordError(FileFormatError):
    """A record of a TFRecord file or an event file is damaged.

    number    the number of the record in the file, from 0
    offset    the place of its first byte, in the unpacked file if it is compressed
    problem   what is wrong
    """

    def __init__(self, problem: str, *, file: str = "", number: int = 0, offset: int = 0, hint: str = "") -> None:
        super().__init__(with_name(file, f"record[{number}] at byte {offset:,}: {problem}{hint}"))
        self.number = number
        self.offset = offset
        self.problem = problem


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
