"""The errors of tfmodel: all of them, and those of pbwire, are caught with `except pbwire.Error`."""

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
    "RunError",
    "TensorError",
    "TransformError",
]


class Error(errors.Error):
    """The base class of all errors that tfmodel itself raises."""


class FileFormatError(Error):
    """A file is not a model, or not the requested kind of model."""


class GraphError(Error):
    """A graph contradicts itself: a missing node, a duplicate name, an attribute of the wrong kind."""


class ModelError(Error):
    """A model lacks a requested part: a graph, a signature, the variables of a checkpoint."""


class TensorError(Error):
    """A TensorProto cannot become an array: values that do not fit the shape, an unknown type or an unknown size."""


class TransformError(Error):
    """A transform does not exist, was given wrong arguments, or cannot be applied to this graph."""


class CheckpointError(Error):
    """A checkpoint is damaged, incomplete, or lacks a requested tensor."""


class FreezeError(Error):
    """Variables cannot be turned into constants."""


class RunError(Error):
    """A graph cannot be run: an op without a kernel, a feed that does not fit, a value that is missing."""


class FeedError(RunError):
    """The caller's feeds or shapes do not fit the model."""
