"""Select the likely inputs and outputs of a graph, which may have no signature that names them.

An input is a node that is fed: a placeholder, or the next element of a queue or a dataset. An output is a node that no
other node uses, apart from auxiliary nodes that save, initialize, train and check the model: see `auxiliary_nodes.py`.
The prediction of a loss may be an output as well.

    outputs    those of a signature; then tensors that depend on an input, first those that are not scalars, then
               scalars; then predictions of losses; then nodes after a loss; then values that are only stored in
               variables, and shapes; then values that depend on no input. Within each of these groups, outputs that
               depend on more nodes come first
    inputs     those of a signature; then those that outputs need, by the number of nodes that depend on them; then
               others

Numbers of nodes are exact for graphs of usual size; with very many candidates, only the first ones are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...dtypes import dtype_name
from ...errors import GraphError
from ...graph import GraphIndex
from ...messages import CollectionDef, DataType, MetaGraphDef, NodeDef, SignatureDef, TensorInfo
from ...names import TensorName
from ...ops import Registry, output_types
from ...ops.traits import (
    ALL_VARIABLES,
    CALLS,
    CHECKS,
    LOOP_COND,
    NEXT_ITERATION,
    PASS_THROUGH,
    PIPELINES,
    SHAPE_OPS,
    SWITCH,
    TABLES,
    VARIABLE_INITIALIZERS,
)
from ...shape import shape_of_proto
from ...shapes import Shapes
from .auxiliary_nodes import (
    CHECKED,
    INIT,
    INITIALIZERS,
    SAVER,
    SOURCES,
    TRAINING,
    classify_nodes,
    find_losses,
    mark_dependents,
)
from .report import AuxiliaryNodes, Endpoint, NamedTensor, SignatureFacts

__all__ = ["Endpoints", "count_collections", "infer_endpoints", "list_signatures"]


# Ops whose outputs, if any, are not outputs of a model.
_WITHOUT_OUTPUTS = """
    CloseSummaryWriter Const ControlTrigger DeleteIterator DestroyResourceOp FlushSummaryWriter Iterator IteratorV2 NoOp
    OneShotIterator QueueClose QueueCloseV2 QueueEnqueue QueueEnqueueMany QueueEnqueueManyV2 QueueEnqueueV2 StackV2
    WriteFile
"""
_NO_OUTPUTS = frozenset(_WITHOUT_OUTPUTS.split()).union(
    SOURCES, ALL_VARIABLES, VARIABLE_INITIALIZERS, TABLES, INITIALIZERS, CHECKS, SWITCH, NEXT_ITERATION, LOOP_COND
)
_SHAPES = SHAPE_OPS | {"BroadcastArgs", "VariableShape"}
_MULTI_OUTPUT_OPS = CALLS | {"IdentityN"}  # ops whose outputs are often all the outputs of a model

_MAX_STEPS = 10_000_000  # edges that are followed to count nodes, for all inputs and for all outputs
_MAX_ENDS = 1000  # candidates for which nodes are counted
_MAX_NAMES = 3
_MAX_PORTS = 20  # of a node that are shown

# The ranks of outputs, the likeliest first.
_FROM_SIGNATURE, _ARRAY, _NUMBER, _PREDICTION, _AFTER_LOSS, _STORED, _UNFED = range(7)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Inputs and outputs, the likeliest first, and the auxiliary nodes.

    needed   for each node, by position, whether the likely outputs need it
    """

    inputs: Sequence[Endpoint]
    outputs: Sequence[Endpoint]
    set_aside: Sequence[AuxiliaryNodes]
    needed: bytearray


@dataclass(slots=True)
class _Candidate:
    """A possible input or output: a tensor of the node at `position`, with its rank (lower is likelier) and reasons.

    weight             the number of nodes that the output needs, or that depend on the input; higher is likelier
    signature_entries  the names of the tensor in signatures, with the names of the signatures
    """

    tensor: TensorName
    position: int
    rank: int
    weight: int = 0
    reasons: list[str] = field(default_factory=list)
    signature_entries: list[tuple[str, str]] = field(default_factory=list)


def infer_endpoints(
    index: GraphIndex, signatures: Sequence[SignatureFacts], shapes: Shapes, ops: Registry
) -> Endpoints:
    """Select the inputs and outputs of a graph. `signatures` are those of its MetaGraph, the main one first."""
    return _Search(index, signatures, shapes, ops).result()


class _Search:
    def __init__(self, index: GraphIndex, signatures: Sequence[SignatureFacts], shapes: Shapes, ops: Registry) -> None:
        self.index = index
        self.shapes = shapes
        self.ops = ops
        self.signatures = signatures
        self.marks = classify_nodes(index)
        self.order = index.forward_order
        self._steps = 0
        inputs = (
            position for position, node in enumerate(index.nodes) if not self.marks[position] and node.op in SOURCES
        )
        self.depends_on_input = mark_dependents(index, self.order, inputs)
        self.losses = find_losses(index, self.marks, self.depends_on_input)
        self.after_loss = mark_dependents(index, self.order, self.losses)

    def result(self) -> Endpoints:
        outputs = self._rank_candidates(self._outputs())
        best = outputs[0].rank if outputs else 0
        needed = self._reachable(
            (candidate.position for candidate in outputs if candidate.rank == best), self.index.sources
        )
        inputs = self._inputs(needed)
        return Endpoints(
            [self._endpoint(candidate, is_likely=candidate.rank == 0) for candidate in inputs],
            [self._endpoint(candidate, is_likely=candidate.rank == best) for candidate in outputs],
            self._set_aside(),
            needed,
        )

    # --- outputs -----------------------------------------------------------------------------------------------------

    def _outputs(self) -> Iterator[_Candidate]:
        declared = dict(self._signature_tensors("output"))
        yield from declared.values()
        declared_positions = {candidate.position for candidate in declared.values()}
        predictions = {prediction: loss for loss, prediction in self.losses.items()}
        for position, node in enumerate(self.index.nodes):
            if (
                position in declared_positions
                or self.marks[position]
                or node.op in _NO_OUTPUTS
                or node.op.startswith("Assign")
            ):
                continue
            if node.op in PASS_THROUGH and self._op(self.index.sources[position][:1]) in ALL_VARIABLES:
                continue  # the value of a variable
            users = [user for user in self.index.targets[position] if not self._is_dead_end(user)]
            if any(not self.marks[user] for user in users):
                if position in predictions:
                    loss = self.index.nodes[predictions[position]].op
                    yield _Candidate(
                        TensorName(node.name), position, _PREDICTION, reasons=[f"{loss} compares it with the truth"]
                    )
                continue
            count = min(len(self.shapes.of(node)), _MAX_PORTS) if node.op in _MULTI_OUTPUT_OPS else 1
            for port in range(max(1, count)):
                yield self._output(TensorName(node.name, port), position, users)

    def _is_dead_end(self, position: int) -> bool:
        """Return whether a node makes no use of the values of its inputs."""
        op = self.index.nodes[position].op
        return op == "NoOp" or (op in _SHAPES and not self.index.targets[position])

    def _output(self, tensor: TensorName, position: int, users: list[int]) -> _Candidate:
        node = self.index.nodes[position]
        marks = {self.marks[user] for user in users}
        reasons = [f"used for {' and '.join(sorted(marks))} only" if marks else "nothing uses it"]
        rank = _NUMBER if self.shapes.get(tensor) == () else _ARRAY
        if self.after_loss[position]:
            rank = _AFTER_LOSS
            reasons.append("follows from a loss")
        elif node.op in _SHAPES:
            rank = _STORED
            reasons.append("is a shape")
        elif not self.depends_on_input[position]:
            rank = _UNFED
            reasons.append("depends on no input")
        elif marks & {TRAINING, INIT}:
            rank = _STORED
        elif rank == _NUMBER:
            reasons.append("a single number")
        return _Candidate(tensor, position, rank, reasons=reasons)

    def _rank_candidates(self, candidates: Iterable[_Candidate]) -> list[_Candidate]:
        ranked = list(candidates)
        self._steps = _MAX_STEPS
        best = sorted(ranked, key=lambda candidate: candidate.rank)[:_MAX_ENDS]
        for candidate in best:
            if candidate.rank != _FROM_SIGNATURE:
                candidate.weight = self._count(candidate.position, self.index.sources)
                candidate.reasons += _node_count("needs", candidate.weight)
        return sorted(ranked, key=lambda candidate: (candidate.rank, -candidate.weight))

    # --- inputs ------------------------------------------------------------------------------------------------------

    def _inputs(self, needed: bytearray) -> list[_Candidate]:
        """Return all inputs. The rank of likely ones is 0."""
        declared = dict(self._signature_tensors("input"))
        declared_positions = {candidate.position for candidate in declared.values()}
        candidates = list(declared.values())
        for position, node in enumerate(self.index.nodes):
            if (
                position not in declared_positions
                and node.op in SOURCES
                and self.marks[position] not in (SAVER, CHECKED)
            ):
                candidates.append(self._input(position, node, bool(needed[position])))
        main = [candidate for candidate in candidates if candidate.rank == _FROM_SIGNATURE]
        placeholders = [candidate for candidate in candidates if not candidate.rank]
        if not main and not placeholders:  # then placeholders with defaults, or otherwise elements of a queue
            best = min((candidate.rank for candidate in candidates if needed[candidate.position]), default=0)
            for candidate in candidates:
                if needed[candidate.position] and candidate.rank == best:
                    candidate.rank = 0
        self._steps = _MAX_STEPS
        for candidate in sorted(candidates, key=lambda candidate: candidate.rank)[:_MAX_ENDS]:
            candidate.weight = self._count(candidate.position, self.index.targets)
            candidate.reasons += self._uses(candidate)
        return sorted(candidates, key=lambda candidate: (candidate.rank, -candidate.weight))

    def _uses(self, candidate: _Candidate) -> list[str]:
        """Describe how many nodes depend on an input."""
        if not self.index.targets[candidate.position]:
            return ["nothing uses it"]
        if not candidate.weight:
            return ["goes into auxiliary nodes only"]
        return _node_count("goes into", candidate.weight)

    def _input(self, position: int, node: NodeDef, is_needed: bool) -> _Candidate:
        reasons = []
        rank = 0
        if node.op in PIPELINES:
            rank, reasons = 2, ["gets data itself"]
        elif node.op == "PlaceholderWithDefault":
            rank, reasons = 1, ["has a default"]
        if not is_needed:
            rank += 3
            reasons += ["no likely output needs it"] if self.index.targets[position] else []
        elif self.signatures:
            rank = max(rank, 1)
            reasons.append("no signature has it")
        return _Candidate(TensorName(node.name), position, rank, reasons=reasons)

    # --- both --------------------------------------------------------------------------------------------------------

    def _signature_tensors(self, side: str) -> Iterator[tuple[TensorName, _Candidate]]:
        """Yield the tensors of signatures; those of the main signature have the best rank."""
        seen: dict[TensorName, _Candidate] = {}
        for number, signature in enumerate(self.signatures):
            for info in signature.inputs if side == "input" else signature.outputs:
                try:
                    name = TensorName.parse(info.tensor)
                    position = self.index.positions.get(name.node, -1)
                except GraphError:
                    continue
                if position < 0 or name.is_control:
                    continue
                candidate = seen.setdefault(name, _Candidate(name, position, _FROM_SIGNATURE if not number else 1))
                candidate.signature_entries.append((info.name, signature.name))
        for candidate in seen.values():
            candidate.reasons.append(_describe_entries(side, candidate.signature_entries))
        yield from seen.items()

    def _count(self, start: int, edges: list[list[int]]) -> int:
        """Count the nodes that can be reached from `start`, without auxiliary nodes; -1 beyond the limit of steps."""
        if self._steps <= 0:
            return -1
        seen = {start}
        stack = [start]
        while stack:
            for target in edges[stack.pop()]:
                self._steps -= 1
                if target >= 0 and target not in seen and not self.marks[target]:
                    seen.add(target)
                    stack.append(target)
        return len(seen) - 1

    def _reachable(self, starts: Iterable[int], edges: list[list[int]]) -> bytearray:
        reached = bytearray(len(self.index))
        stack = list(starts)
        while stack:
            position = stack.pop()
            if not reached[position]:
                reached[position] = True
                stack += [target for target in edges[position] if target >= 0]
        return reached

    def _op(self, positions: Sequence[int]) -> str:
        """Return the op of the node at the first of these positions."""
        return self.index.nodes[positions[0]].op if positions and positions[0] >= 0 else ""

    def _endpoint(self, candidate: _Candidate, *, is_likely: bool) -> Endpoint:
        node = self.index.nodes[candidate.position]
        dtype, shape = self._dtype(node, candidate.tensor.port), self.shapes.get(candidate.tensor)
        return Endpoint(str(candidate.tensor), node.op, dtype, shape, candidate.reasons, is_likely)

    def _dtype(self, node: NodeDef, port: int) -> str:
        op = self.ops.get(node.op)
        try:
            dtype: DataType | None = output_types(node, op)[port] if op is not None else None
        except (GraphError, IndexError):
            dtype = None
        return dtype_name(dtype) if dtype is not None else ""

    def _set_aside(self) -> list[AuxiliaryNodes]:
        """Return the auxiliary nodes by kind, with the first ones that no node uses."""
        counts = Counter(mark for mark in self.marks if mark)
        ends: dict[str, list[str]] = {mark: [] for mark in counts}
        for position, mark in enumerate(self.marks):
            if mark and len(ends[mark]) < _MAX_NAMES and not self.index.targets[position]:
                ends[mark].append(self.index.nodes[position].name)
        return [AuxiliaryNodes(mark, count, tuple(ends[mark])) for mark, count in counts.most_common()]


def _node_count(what: str, count: int) -> list[str]:
    return [] if count < 0 else [f"{what} {count:,} node{'' if count == 1 else 's'}"]


def _describe_entries(side: str, entries: list[tuple[str, str]]) -> str:
    """Return `input x of serving_default`; for several signatures, only their names."""
    if len(entries) == 1:
        return f"{side} {entries[0][0]} of {entries[0][1]}"
    more = f" and {len(entries) - _MAX_NAMES} more" if len(entries) > _MAX_NAMES else ""
    return f"{side} of {', '.join(signature for _, signature in entries[:_MAX_NAMES])}{more}"


_DEFAULT = "serving_default"
_INTERNAL = "__saved_model_"


def list_signatures(meta: MetaGraphDef) -> list[SignatureFacts]:
    """Return the signatures of a MetaGraph, the default one first, without those that only initialize."""
    names = sorted(name for name in meta.signature_def if not name.startswith(_INTERNAL))
    names.sort(key=lambda name: name != _DEFAULT)
    return [_signature(name, meta.signature_def[name]) for name in names]


def _signature(name: str, signature: SignatureDef) -> SignatureFacts:
    return SignatureFacts(
        name, signature.method_name, list(_tensors(signature.inputs)), list(_tensors(signature.outputs))
    )


def _tensors(infos: Mapping[str, TensorInfo]) -> Iterator[NamedTensor]:
    for name in sorted(infos):
        yield from _parts(name, infos[name])


def _parts(name: str, info: TensorInfo) -> Iterator[NamedTensor]:
    """Yield one tensor, or the components of a sparse or composite tensor."""
    shape = shape_of_proto(info.tensor_shape)
    sparse, composite = info.coo_sparse, info.composite_tensor
    if sparse is not None:
        dtype = dtype_name(info.dtype)
        rank = None if shape is None else len(shape)
        yield NamedTensor(f"{name} (values)", sparse.values_tensor_name, dtype, (None,))
        yield NamedTensor(f"{name} (indices)", sparse.indices_tensor_name, "int64", (None, rank))
        yield NamedTensor(f"{name} (shape)", sparse.dense_shape_tensor_name, "int64", (rank,))
    elif composite is not None:
        for number, part in enumerate(composite.components):
            yield from _parts(f"{name} ({number})", part)
    else:
        yield NamedTensor(name, info.name or "", dtype_name(info.dtype), shape)


def count_collections(meta: MetaGraphDef) -> dict[str, int]:
    """Return the collections of a MetaGraph with their numbers of values."""
    return {name: _length(meta.collection_def[name]) for name in sorted(meta.collection_def)}


def _length(collection: CollectionDef) -> int:
    kinds = (
        collection.node_list,
        collection.bytes_list,
        collection.int64_list,
        collection.float_list,
        collection.any_list,
    )
    return sum(len(kind.value) for kind in kinds if kind is not None)
