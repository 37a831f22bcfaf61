"""Let the batch norms of a training graph use their moving averages, if the checkpoint has some."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from ..analysis.batch_statistics import BatchNorm, batch_norms
from ..analysis.deployment import describe_batch_norms
from ..errors import CheckpointError, FreezeError
from ..graph.error_text import list_names
from ..graph.view import GraphView
from ..messages import GraphDef
from ..parameters.variables import CheckpointTensors, VariableValues
from ..source.model_source import ModelSource
from ..transforms.batch_norms_to_inference import use_moving_averages
from ..values.names import Renames, TensorName, node_name
from ..values.terminal import count_of


class Averaged(NamedTuple):
    """A model whose batch norms have moving averages: the model, lines about them, and the names of the other ones."""

    source: ModelSource
    notes: list[str]
    others: list[str]


def with_moving_averages(source: ModelSource, outputs: Iterable[str], *, change: bool) -> Averaged:
    """Return the model with moving averages in the batch norms that `outputs` need.

    A batch norm keeps the statistics of the batch without `change`, if the graph has no moving averages of them, and if
    the checkpoint has none or only those from before the training.
    """
    view = GraphView(source.graph, checked=False)
    found = batch_norms(view)
    if not found:
        return Averaged(source, [], [])
    needed = view.with_ancestors(map(node_name, outputs))
    found = [norm for norm in found if norm.node in needed]
    averages = _Averages(source)
    usable = [norm for norm in found if change and averages.are_trained(view, norm)]
    notes = []
    if usable:
        use_moving_averages(view, usable)
        source = source.with_graph(view.graph())
        names = [norm.node for norm in usable]
        notes.append(
            f"{count_of(len(names), 'batch norm')}, {list_names(names, 3)}, computed with the statistics of the batch: "
            "now with the moving averages of the training"
        )
    return Averaged(source, notes, [norm.node for norm in found if norm not in usable])


def note_on_others(others: Iterable[str], graph: GraphDef, renames: Renames) -> str:
    """Return a line about those of the batch norms that are left in the optimized graph; "" without any."""
    present = {node.name for node in graph.node}
    return describe_batch_norms([name for name in others if renames.tensor(TensorName.parse(name)).node in present])


class _Averages:
    """The moving averages in the checkpoint of a model."""

    def __init__(self, source: ModelSource) -> None:
        self._source = source

    def are_trained(self, view: GraphView, norm: BatchNorm) -> bool:
        """Return whether the checkpoint has moving averages for a batch norm that the training has updated."""
        if norm.moving is None or self._tensors is None:
            return False
        try:
            stored = [self._variables.find(variable.node) for variable in norm.moving]
            mean, variance = (None if each is None else self._tensors.read(each) for each in stored)
        except (CheckpointError, FreezeError):
            return False  # freezing says what is wrong, if it needs the values
        return mean is not None and variance is not None and not ((mean == 0).all() and (variance == 1).all())

    @cached_property
    def _tensors(self) -> CheckpointTensors | None:
        checkpoint = self._source.checkpoint
        return None if checkpoint is None else CheckpointTensors(checkpoint)

    @cached_property
    def _variables(self) -> VariableValues:
        assert self._tensors is not None
        return self._tensors.values_of(self._source)
