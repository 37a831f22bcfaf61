"""The rules that match tensors of two models: tensors of the first one find their counterparts among candidates.

`match` tries the rules in the order in which `correspondence` lists them. `ModelTensors` answers the questions that the
rules ask about a model: types, shapes, positions and related names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...analysis.shapes import Shape, infer_shapes
from ...errors import GraphError, with_name
from ...graph.error_text import quote
from ...graph.traversal import identity_chain
from ...interpreter.session import Session
from ...messages import DataType, NodeDef
from ...ops.ports import value_type
from ...ops.traits import ALL_VARIABLES, CALLS, CONSTS, PLACEHOLDERS
from ...values.dtypes import dtype_name
from ...values.names import TensorName
from ...values.shape import shape_to_text

SAME_KEY = "same signature key"
SAME_NAME = "same name"
RELATED_NAME = "related name"
SAME_PLACE = "same place in the graph"
ONLY_ONE = "the only one of its type and shape"
BY_ORDER = "by order"

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.\\/>-]")


@dataclass(frozen=True, slots=True)
class End:
    """An input or output of a model.

    name      its name in reports and errors
    key       its key in the signature; empty without one
    is_inner  True for a requested output that is not an output of the first model, and does not exist in the second:
              only a related name can match it
    """

    name: str
    tensor: TensorName
    key: str = ""
    is_inner: bool = False


class ModelTensors:
    """One of the two models, with the types, shapes and positions of its tensors."""

    def __init__(self, session: Session, name: str) -> None:
        self.session = session
        self.name = session.file.name if session.file is not None and session.file.name else name
        self.nodes = {node.name: node for node in session.graph.node}
        self._shapes: Any = None
        self._positions: dict[str, int] = {}

    def has(self, tensor: TensorName) -> bool:
        try:
            node = self.node(self.session.tensor(tensor.numbered, {}))
        except GraphError:
            return False
        types = self.session.types_of(node)
        return types is None or tensor.port < len(types)

    def node(self, tensor: TensorName) -> NodeDef:
        return self.session.node(tensor)

    def find(self, name: str, keys: Mapping[str, str]) -> TensorName:
        """Return the tensor of a name or key. Raises GraphError, with the name of the model, if it does not exist."""
        try:
            return self.session.tensor(name, keys)
        except GraphError as error:
            raise GraphError(with_name(self.name, error)) from error

    def dtype(self, tensor: TensorName) -> DataType | None:
        types = self.session.types_of(self.node(tensor)) or ()
        dtype = types[tensor.port] if tensor.port < len(types) else None
        return value_type(dtype) if dtype is not None else None

    def shape(self, tensor: TensorName) -> Shape | None:
        if self._shapes is None:
            self._shapes = infer_shapes(self.session.graph)
        shape: Shape | None = self._shapes.get(tensor)
        return shape

    def position(self, tensor: TensorName) -> tuple[int, int]:
        if not self._positions:
            self._positions = {node.name: number for number, node in enumerate(self.session.graph.node)}
        return self._positions[tensor.node], tensor.port

    def chain(self, tensor: TensorName) -> list[TensorName]:
        """Return the tensor and the tensors that it passes on, through Identity nodes."""
        return identity_chain(tensor, self.nodes)

    def related_names(self, end: End) -> set[str]:
        """Return names that freezing and transforms may give to a tensor."""
        names = {str(tensor) for tensor in self.chain(end.tensor)}
        if end.key:
            names |= {end.key, _NOT_IN_NAMES.sub("_", end.key)}
        node = self.node(end.tensor)
        if node.op in PLACEHOLDERS:
            names.add(node.name.removeprefix("serving_default_"))
        if node.op in CALLS:
            names.add(f"Identity_{end.tensor.port}" if end.tensor.port else "Identity")
        return names

    def describe(self, end: End) -> str:
        dtype = self.dtype(end.tensor)
        name = dtype_name(dtype) if dtype is not None else "of unknown type"
        shape = self.shape(end.tensor)
        return f"{quote(end.name)} ({name}{', ' if shape is None else ''}{shape_to_text(shape)})"

    def spell(self, tensor: TensorName, keys: Mapping[str, str]) -> str:
        """Return the shortest name of a tensor that is not the key of another tensor."""
        name = str(tensor)
        return name if name not in keys or TensorName.parse(keys[name]) == tensor else tensor.numbered


class Candidates:
    """Candidates for matches. They are searched for at the first use, unless some are `known`."""

    def __init__(self, find: Callable[[], list[End]], known: Sequence[End] = ()) -> None:
        self._find = find
        self.known = list(known)

    @cached_property
    def ends(self) -> list[End]:
        return self.known or self._find()


def known_candidates(ends: Sequence[End]) -> Candidates:
    return Candidates(list, ends)


Match = tuple[End, End, str]


def match(
    ends: Sequence[End],
    candidates: Candidates,
    first: ModelTensors,
    second: ModelTensors,
    *,
    only_names: bool = False,
    taken: Iterable[TensorName] = (),
    places: Mapping[TensorName, TensorName] | None = None,
) -> tuple[list[Match], list[End], list[End]]:
    """Return the matches, and the unmatched tensors of both models.

    With `only_names`, only equal keys and names are matched, and the third result is all known candidates. The
    unmatched tensors of the second model are left out if all of the first model are matched.
    """
    rules = _Rules(list(ends), candidates, first, second, {*taken})
    rules.apply(SAME_KEY, rules.same_key())
    rules.apply(SAME_NAME, rules.same_name(is_strict=True))
    if only_names:
        return rules.matched, rules.ends, candidates.known
    for reason, rule in (
        (RELATED_NAME, rules.related_name),
        (SAME_PLACE, lambda: rules.same_place(places or {})),
        (SAME_NAME, lambda: rules.same_name(is_strict=False)),
        (ONLY_ONE, rules.only_one),
        (BY_ORDER, rules.by_order),
    ):
        if not rules.ends:
            break
        while rules.apply(reason, rule()) and reason == ONLY_ONE:
            pass
    return rules.matched, rules.ends, rules.free if rules.ends else []


class _Rules:
    """The rules for matches. Each yields pairs of unmatched tensors of the first and the second model."""

    def __init__(
        self, ends: list[End], candidates: Candidates, first: ModelTensors, second: ModelTensors, taken: set[TensorName]
    ) -> None:
        self.ends = ends
        self.first, self.second = first, second
        self.matched: list[Match] = []
        self._candidates = candidates
        self._taken = taken

    @property
    def free(self) -> list[End]:
        return [end for end in self._candidates.ends if end.tensor not in self._taken]

    def apply(self, reason: str, pairs: Iterable[tuple[End, End]]) -> bool:
        """Record these pairs as matches, and return whether there were any."""
        count = len(self.matched)
        for end, other in list(pairs):
            self._taken.add(other.tensor)
            if reason == RELATED_NAME and end.tensor == other.tensor:
                reason = SAME_NAME
            # a tensor may have several keys in a signature
            self.matched += [(left, other, reason) for left in self.ends if left.tensor == end.tensor]
            self.ends = [left for left in self.ends if left.tensor != end.tensor]
        return len(self.matched) > count

    def same_key(self) -> Iterator[tuple[End, End]]:
        by_key = {end.key: end for end in self._candidates.known if end.key and end.tensor not in self._taken}
        yield from ((end, by_key[end.key]) for end in self.ends if end.key in by_key)

    def same_name(self, *, is_strict: bool) -> Iterator[tuple[End, End]]:
        """Yield tensors with the same name.

        An obfuscated graph has meaningless names, which may be those of unrelated tensors in another graph. A strict
        match therefore requires the same op; or the same type, and that both or neither of the nodes are placeholders,
        and constants or variables. Without `is_strict`, it is also enough that the tensor is an unmatched candidate, or
        that there are no unmatched candidates.
        """
        free = {end.tensor for end in self.free} if not is_strict else set()
        for end in self.ends:
            tensor = end.tensor
            if tensor in self._taken or not self.second.has(tensor):
                continue
            if self._is_alike(tensor) or (not is_strict and (tensor in free or not free)):
                yield end, End(end.name, tensor)

    def _is_alike(self, tensor: TensorName) -> bool:
        one, other = self.first.node(tensor), self.second.node(tensor)
        if any((one.op in ops) != (other.op in ops) for ops in (PLACEHOLDERS, CONSTS | ALL_VARIABLES)):
            return False
        if one.op == other.op:
            return True
        types = self.first.dtype(tensor), self.second.dtype(tensor)
        return None in types or types[0] == types[1]

    def related_name(self) -> Iterator[tuple[End, End]]:
        names = [(end, self.first.related_names(end)) for end in self.ends]
        other_names = [(end, self.second.related_names(end)) for end in self.free]
        yield from _unique(names, other_names, _are_related)

    def same_place(self, places: Mapping[TensorName, TensorName]) -> Iterator[tuple[End, End]]:
        for end in self.ends:
            place = places.get(end.tensor)
            if place is not None and place not in self._taken:
                yield end, End(str(place), place)

    def only_one(self) -> Iterator[tuple[End, End]]:
        ends = [(end, end) for end in self.ends if not end.is_inner]
        yield from _unique(ends, [(end, end) for end in self.free], self._fits)

    def by_order(self) -> Iterator[tuple[End, End]]:
        """Yield tensors of one type in the order of the graphs, if they are equally many and their shapes fit."""
        if any(end.is_inner for end in self.ends):
            return
        groups: dict[Any, tuple[list[End], list[End]]] = {}
        for number, (side, ends) in enumerate(((self.first, self.ends), (self.second, self.free))):
            for end in sorted(ends, key=lambda end: side.position(end.tensor)):
                groups.setdefault(side.dtype(end.tensor), ([], []))[number].append(end)
        for ends, others in groups.values():
            pairs = list(zip(ends, others, strict=False))
            if len(ends) == len(others) and all(self._fits(end, other) for end, other in pairs):
                yield from pairs

    def _fits(self, end: End, other: End) -> bool:
        one_type, other_type = self.first.dtype(end.tensor), self.second.dtype(other.tensor)
        if None not in (one_type, other_type) and one_type != other_type:
            return False
        shape, other_shape = self.first.shape(end.tensor), self.second.shape(other.tensor)
        if shape is None or other_shape is None:
            return True
        return len(shape) == len(other_shape) and all(
            one is None or other is None or one == other for one, other in zip(shape, other_shape, strict=True)
        )


def _unique(
    ends: Sequence[tuple[End, Any]], others: Sequence[tuple[End, Any]], fits: Callable[[Any, Any], bool]
) -> Iterator[tuple[End, End]]:
    """Yield the pairs whose tensors fit each other and no other tensor."""
    rows = [[number for number, (_, other) in enumerate(others) if fits(one, other)] for _, one in ends]
    counts: dict[int, int] = {}
    for row in rows:
        for number in row:
            counts[number] = counts.get(number, 0) + 1
    for (end, _), row in zip(ends, rows, strict=True):
        if len(row) == 1 and counts[row[0]] == 1:
            yield end, others[row[0]][0]


def _are_related(names: set[str], others: set[str]) -> bool:
    return (
        not names.isdisjoint(others)
        or any(other.endswith(f"/{name}") for name in names for other in others)
        or any(name.endswith(f"/{other}") for name in names for other in others)
    )
