"""`tfmodel.GraphEditor`, `extract`, `splice` and `append_preprocessing`: `tfmodel.editing` for models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from . import editing
from .editing.editor import Editor, edited_source
from .model import Model
from .source.model_source import Given, Names


class GraphEditor(Editor):
    __doc__ = Editor.__doc__

    @property
    def model(self) -> Model:
        """The model with the edited graph; signatures, collections, savers and assets name the new nodes."""
        return Model(edited_source(self))


def extract(model: Given, inputs: Names = None, outputs: Names = None) -> Model:
    """Return the part of a model that computes `outputs` from `inputs`; each input becomes a Placeholder.

    Names are the keys of the signature, or those of tensors, "x" or "x:1"; the default are the model's own. Nodes that
    the outputs do not need are removed, functions that no node calls too. Variables and the checkpoint stay. The result
    has one signature, "serving_default", whose keys are those of the old one where the tensors are the same.

    Raises ModelError if there are no outputs, and GraphError or TransformError for a name that does not exist.
    """
    return Model(editing.extract(model, inputs, outputs))


def splice(
    a: Given, b: Given, connect: Mapping[str, str], *, scope: str | None = None, keep_outputs: bool = False
) -> Model:
    """Return one model that runs `a` and feeds its results into `b`.

    connect        maps tensors of `a` to inputs of `b`; both are keys of signatures, or names of tensors
    scope          the scope for the nodes of `b`: "" adds none (default: none, or "b" if a name is taken)
    keep_outputs   whether the outputs of `a` are outputs of the result too, and not only those of `b`

    The inputs of the result are those of `a`, and those of `b` that are not connected. A model with variables is frozen
    first. Types must be equal, and shapes must fit. The graph counts as written by the older of the two writers, since
    loaders refuse ops that were removed before a graph was written.

    Raises GraphError for names that do not exist or are taken, and for tensors that do not fit; ModelError for models
    with files of assets, and for a model without certain outputs.
    """
    return Model(editing.splice(a, b, connect, scope=scope, keep_outputs=keep_outputs))


def append_preprocessing(model: Given, input: str, steps: str | Iterable[str]) -> Model:
    """Return the model with preprocessing in front of an input.

    `input` is the key or the tensor of an input; `steps` are words, in one string or several: see
    `tfmodel.editing.preprocessing`. Raises GraphError for an unknown step, for values that do not fit the input, and
    for an input that is not a Placeholder.
    """
    return Model(editing.append_preprocessing(model, input, steps))
