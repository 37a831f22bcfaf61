"""Where data are likely to come in, and results to come out, of a graph that may have no signature to tell.

An input is a node that is fed: a placeholder, or what takes the next element of a queue or a dataset. An output is a
node that nothing uses, once what saves, initialises, trains and checks the model is set aside: see `aside.py`. What a
loss compares with the truth may be meant as well: see `losses.py`.

    outputs    those of a signature; then those that depend on an input and have some shape; then single numbers; then
               what a loss compares with the truth; then what follows from a loss; then what is only stored in
               variables, and shapes; then what depends on no input. Among these, those that more nodes are needed for
               come first
    inputs     those of a signature; then those that outputs need, by how many nodes they go into; then the others

Numbers of nodes are exact for graphs of usual size; where there are very many ends, the first ones are counted.

What stands around a graph: the ways to call it, in the words of the model itself.
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
from ...parameters.roles import PASS_THROUGH
from ...shape import of_proto
from ...shapes import Shapes
from .auxiliary_nodes import CHECKED, INIT, SAVER, TRAINING, aside, fed_by, losses_of
from .op_kinds import GATHERED, NO_OUTPUTS, PIPELINES, SHAPES, SOURCES, VARIABLES
from .report import Endpoint, NamedTensor, SetAside, SignatureFacts

__all__ = ["Endpoints", "collections_of", "endpoints_of", "signatures_of"]


_STEPS = 10_000_000  # edges that are followed to count nodes, of all inputs and of all outputs
_ENDS = 1000  # that are looked at
_NAMED = 3
_PORTS = 20  # of a node that are shown

_FROM_SIGNATURE, _ARRAY, _NUMBER, _JUDGED, _AFTER_LOSS, _BESIDE, _UNFED = range(7)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Inputs and outputs, the likeliest first, and what was set aside.

    needed   for each node, by position, whether the likely outputs need it
    """

    inputs: Sequence[Endpoint]
    outputs: Sequence[Endpoint]
    set_aside: Sequence[SetAside]
    needed: bytearray


@dataclass(slots=True)
class _Found:
    """A candidate: the output of a node at a position, how good it is (small is good), and why.

    named   by which signatures, and as what
    """

    tensor: TensorName
    at: int
    rank: int
    weight: int = 0
    reasons: list[str] = field(default_factory=list)
    named: list[tuple[str, str]] = field(default_factory=list)


def endpoints_of(index: GraphIndex, signatures: Sequence[SignatureFacts], shapes: Shapes, ops: Registry) -> Endpoints:
    """What goes into a graph and what comes out, with the signatures that are around it, the main one first."""
    return _Search(index, signatures, shapes, ops).result()


class _Search:
    def __init__(self, index: GraphIndex, signatures: Sequence[SignatureFacts], shapes: Shapes, ops: Registry) -> None:
        self.index = index
        self.shapes = shapes
        self.ops = ops
        self.signatures = signatures
        self.marks = aside(index)
        self.order = index.forward_order
        self._steps = 0
        fed = (at for at, node in enumerate(index.nodes) if not self.marks[at] and node.op in SOURCES)
        self.fed = fed_by(index, self.order, fed)
        self.losses = losses_of(index, self.marks, self.fed)
        self.after_loss = fed_by(index, self.order, self.losses)

    def result(self) -> Endpoints:
        outputs = self._ranked(self._outputs())
        best = outputs[0].rank if outputs else 0
        needed = self._reached((found.at for found in outputs if found.rank == best), self.index.sources)
        inputs = self._inputs(needed)
        return Endpoints(
            [self._endpoint(found, is_likely=found.rank == 0) for found in inputs],
            [self._endpoint(found, is_likely=found.rank == best) for found in outputs],
            self._set_aside(),
            needed,
        )

    # --- outputs -----------------------------------------------------------------------------------------------------

    def _outputs(self) -> Iterator[_Found]:
        named = dict(self._of_signatures("output"))
        yield from named.values()
        taken = {found.at for found in named.values()}
        judged = {told: loss for loss, told in self.losses.items()}
        for at, node in enumerate(self.index.nodes):
            if at in taken or self.marks[at] or node.op in NO_OUTPUTS or node.op.startswith("Assign"):
                continue
            if node.op in PASS_THROUGH and self._op(self.index.sources[at][:1]) in VARIABLES:
                continue  # the value of a variable
            users = [user for user in self.index.targets[at] if not self._is_dead_end(user)]
            if any(not self.marks[user] for user in users):
                if at in judged:
                    loss = self.index.nodes[judged[at]].op
                    yield _Found(TensorName(node.name), at, _JUDGED, reasons=[f"{loss} compares it with what is true"])
                continue
            count = min(len(self.shapes.of(node)), _PORTS) if node.op in GATHERED else 1
            for port in range(max(1, count)):
                yield self._end(TensorName(node.name, port), at, users)

    def _is_dead_end(self, at: int) -> bool:
        """Whether a node is one that does nothing with what it takes."""
        op = self.index.nodes[at].op
        return op == "NoOp" or (op in SHAPES and not self.index.targets[at])

    def _end(self, tensor: TensorName, at: int, users: list[int]) -> _Found:
        node = self.index.nodes[at]
        marks = {self.marks[user] for user in users}
        reasons = [f"used for {' and '.join(sorted(marks))} only" if marks else "nothing uses it"]
        rank = _NUMBER if self.shapes.get(tensor) == () else _ARRAY
        if self.after_loss[at]:
            rank = _AFTER_LOSS
            reasons.append("follows from a loss")
        elif node.op in SHAPES:
            rank = _BESIDE
            reasons.append("tells a shape")
        elif not self.fed[at]:
            rank = _UNFED
            reasons.append("depends on no input")
        elif marks & {TRAINING, INIT}:
            rank = _BESIDE
        elif rank == _NUMBER:
            reasons.append("a single number")
        return _Found(tensor, at, rank, reasons=reasons)

    def _ranked(self, candidates: Iterable[_Found]) -> list[_Found]:
        found = list(candidates)
        self._steps = _STEPS
        best = sorted(found, key=lambda each: each.rank)[:_ENDS]
        for each in best:
            if each.rank != _FROM_SIGNATURE:
                each.weight = self._count(each.at, self.index.sources)
                each.reasons += _counted("needs", each.weight)
        return sorted(found, key=lambda each: (each.rank, -each.weight))

    # --- inputs ------------------------------------------------------------------------------------------------------

    def _inputs(self, needed: bytearray) -> list[_Found]:
        """All inputs. The rank of those that are likely is 0."""
        named = dict(self._of_signatures("input"))
        taken = {found.at for found in named.values()}
        found = list(named.values())
        for at, node in enumerate(self.index.nodes):
            if at not in taken and node.op in SOURCES and self.marks[at] not in (SAVER, CHECKED):
                found.append(self._input(at, node, bool(needed[at])))
        main = [each for each in found if each.rank == _FROM_SIGNATURE]
        fed = [each for each in found if not each.rank]
        if not main and not fed:  # then those with defaults will do, or else where data are taken from a queue
            best = min((each.rank for each in found if needed[each.at]), default=0)
            for each in found:
                if needed[each.at] and each.rank == best:
                    each.rank = 0
        self._steps = _STEPS
        for each in sorted(found, key=lambda each: each.rank)[:_ENDS]:
            each.weight = self._count(each.at, self.index.targets)
            each.reasons += self._uses(each)
        return sorted(found, key=lambda each: (each.rank, -each.weight))

    def _uses(self, found: _Found) -> list[str]:
        """What an input goes into, in words."""
        if not self.index.targets[found.at]:
            return ["nothing uses it"]
        return _counted("goes into", found.weight) if found.weight else ["goes into what is set aside only"]

    def _input(self, at: int, node: NodeDef, is_needed: bool) -> _Found:
        reasons = []
        rank = 0
        if node.op in PIPELINES:
            rank, reasons = 2, ["gets data itself"]
        elif node.op == "PlaceholderWithDefault":
            rank, reasons = 1, ["has a default"]
        if not is_needed:
            rank += 3
            reasons += ["no likely output needs it"] if self.index.targets[at] else []
        elif self.signatures:
            rank = max(rank, 1)
            reasons.append("no signature has it")
        return _Found(TensorName(node.name), at, rank, reasons=reasons)

    # --- both --------------------------------------------------------------------------------------------------------

    def _of_signatures(self, side: str) -> Iterator[tuple[TensorName, _Found]]:
        """The tensors of signatures: those of the main one are as likely as can be."""
        seen: dict[TensorName, _Found] = {}
        for number, signature in enumerate(self.signatures):
            for each in signature.inputs if side == "input" else signature.outputs:
                try:
                    name = TensorName.parse(each.tensor)
                    at = self.index.positions.get(name.node, -1)
                except GraphError:
                    continue
                if at < 0 or name.is_control:
                    continue
                found = seen.setdefault(name, _Found(name, at, _FROM_SIGNATURE if not number else 1))
                found.named.append((each.name, signature.name))
        for found in seen.values():
            found.reasons.append(_named(side, found.named))
        yield from seen.items()

    def _count(self, start: int, edges: list[list[int]]) -> int:
        """How many nodes can be reached from one, without what is set aside; -1 if too much was counted already."""
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

    def _reached(self, starts: Iterable[int], edges: list[list[int]]) -> bytearray:
        reached = bytearray(len(self.index))
        stack = list(starts)
        while stack:
            at = stack.pop()
            if not reached[at]:
                reached[at] = True
                stack += [target for target in edges[at] if target >= 0]
        return reached

    def _op(self, positions: Sequence[int]) -> str:
        """The op of the node at the first of these positions."""
        return self.index.nodes[positions[0]].op if positions and positions[0] >= 0 else ""

    def _endpoint(self, found: _Found, *, is_likely: bool) -> Endpoint:
        node = self.index.nodes[found.at]
        dtype, shape = self._dtype(node, found.tensor.port), self.shapes.get(found.tensor)
        return Endpoint(str(found.tensor), node.op, dtype, shape, found.reasons, is_likely)

    def _dtype(self, node: NodeDef, port: int) -> str:
        op = self.ops.get(node.op)
        try:
            dtype: DataType | None = output_types(node, op)[port] if op is not None else None
        except (GraphError, IndexError):
            dtype = None
        return dtype_name(dtype) if dtype is not None else ""

    def _set_aside(self) -> list[SetAside]:
        """What was set aside, with the first nodes that nothing uses."""
        counts = Counter(mark for mark in self.marks if mark)
        ends: dict[str, list[str]] = {mark: [] for mark in counts}
        for at, mark in enumerate(self.marks):
            if mark and len(ends[mark]) < _NAMED and not self.index.targets[at]:
                ends[mark].append(self.index.nodes[at].name)
        return [SetAside(mark, count, tuple(ends[mark])) for mark, count in counts.most_common()]


def _counted(what: str, count: int) -> list[str]:
    return [] if count < 0 else [f"{what} {count:,} node{'' if count == 1 else 's'}"]


def _named(side: str, places: list[tuple[str, str]]) -> str:
    """`input x of serving_default`; of several signatures, only those."""
    if len(places) == 1:
        return f"{side} {places[0][0]} of {places[0][1]}"
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return f"{side} of {', '.join(signature for _, signature in places[:_NAMED])}{more}"


_DEFAULT = "serving_default"
_INTERNAL = "__saved_model_"


def signatures_of(meta: MetaGraphDef) -> list[SignatureFacts]:
    """The signatures of a MetaGraph, the one for serving first. Those that only initialise are left out."""
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
    """One tensor, or those that a sparse or another composite tensor consists of."""
    shape = of_proto(info.tensor_shape)
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


def collections_of(meta: MetaGraphDef) -> dict[str, int]:
    """The collections of a MetaGraph, and how many values each has."""
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
