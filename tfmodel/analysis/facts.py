"""Facts about the graph of a model: its index, shapes, inputs and outputs, uses of weights.

    facts = Facts.of(source)
    facts.index["conv1"], facts.shapes.get("conv1:0"), facts.endpoints.outputs

Everything is computed when it is first needed, and once for each graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from ..errors import GraphError
from ..graph import Fault, Functions, GraphIndex, check_graph
from ..ops import Registry
from ..ops.definitions import Declarations
from ..source.bindings import default_signature
from ..source.model_source import ModelSource
from ..source.signature_defs import list_signatures
from .data_flow import DataFlow, find_needed_nodes
from .shapes import Shapes, infer_shapes
from .uses import UseFinder

if TYPE_CHECKING:
    from .endpoints import Endpoints

InputShapes: TypeAlias = "Mapping[str, Sequence[int | None] | None]"


class Facts:
    """Facts about the graph of a model, which must not change while they are in use.

    shapes       the shapes of tensors by name, as `infer_shapes` takes them
    batch_size   replaces the first dimension of placeholders if that is unknown
    op_defs      declare ops, as OpLists or files of them

    The properties raise GraphError for a damaged graph.
    """

    def __init__(
        self,
        source: ModelSource,
        *,
        shapes: InputShapes | None = None,
        batch_size: int | None = None,
        op_defs: Declarations | Iterable[Declarations] = (),
    ) -> None:
        self._source = source
        self._input_shapes = shapes
        self._batch_size = batch_size
        self._op_defs = op_defs
        self._needed: dict[tuple[tuple[str, ...], tuple[str, ...]], set[tuple[str, str]]] = {}

    @classmethod
    def of(cls, source: ModelSource) -> Facts:
        """Return the facts without options; for a model that keeps its facts, always the same object."""
        return source.kept(cls)

    @cached_property
    def index(self) -> GraphIndex:
        return GraphIndex(self._source.graph)

    @property
    def functions(self) -> Functions:
        return self.index.functions

    @cached_property
    def ops(self) -> Registry:
        """The declarations of ops: those of the options, and those of `ModelSource.ops`."""
        return self._source.ops.with_first(self._op_defs) if self._op_defs else self._source.ops

    @cached_property
    def faults(self) -> list[Fault]:
        """The faults of the graph, without those of colocation, which read an attribute of every node."""
        return check_graph(self._source.graph, registry=self.ops, colocation=False, index=self.index)

    @cached_property
    def shapes(self) -> Shapes:
        return infer_shapes(self.index, inputs=self._input_shapes or {}, batch_size=self._batch_size)

    @cached_property
    def shapes_of_one(self) -> Shapes | None:
        """The shapes for a batch of 1; None if `batch_size` is given, or if no likely input has an open batch."""
        ends = self.endpoints.likely_inputs
        if self._batch_size is not None or not any(end.shape and end.shape[0] is None for end in ends):
            return None
        try:
            return infer_shapes(self.index, inputs=self._input_shapes or {}, batch_size=1, like=self.shapes)
        except GraphError:  # no placeholder has a batch
            return None

    @cached_property
    def marks(self) -> list[str]:
        """The kind of each node, as `classify_nodes` returns it."""
        from .endpoints.auxiliary_nodes import classify_nodes  # `find` does without, and starts sooner

        return classify_nodes(self.index)

    @cached_property
    def endpoints(self) -> Endpoints:
        """The inputs and outputs: those of the signature, or the likely ones."""
        return self._infer_endpoints(())

    def endpoints_for(self, outputs: Sequence[str]) -> Endpoints:
        """Return the inputs and outputs of the model; if `outputs` are given, the inputs are those that they need."""
        return self._infer_endpoints(outputs) if outputs else self.endpoints

    def _infer_endpoints(self, outputs: Sequence[str]) -> Endpoints:
        from .endpoints.selection import infer_endpoints  # as for `marks`

        source = self._source
        signatures = list_signatures(source.meta) if source.meta is not None else []
        main = default_signature(source)
        if main is not None:
            signatures.sort(key=lambda facts: facts.name != main[0])
        elif outputs:  # the inputs of some signature need not be those of these outputs
            signatures = []
        return infer_endpoints(self.index, signatures, self.shapes, self.ops, outputs=outputs, marks=self.marks)

    @cached_property
    def flow(self) -> DataFlow:
        """The flow of values through the graph and its functions."""
        return DataFlow(self._source.graph)

    @cached_property
    def uses(self) -> UseFinder:
        """The search for uses of weights, which keeps what it found."""
        return UseFinder(self.flow, self.ops)

    def needed_nodes(self, outputs: Sequence[str], inputs: Sequence[str]) -> set[tuple[str, str]]:
        """Return the nodes that compute `outputs` from `inputs`: see `find_needed_nodes`."""
        key = (*outputs,), (*inputs,)
        if key not in self._needed:
            self._needed[key] = find_needed_nodes(self.flow, outputs, inputs)
        return self._needed[key]
