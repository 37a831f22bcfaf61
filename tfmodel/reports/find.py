"""`find`: the nodes of a model that match a query, as a report with text and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..analysis.facts import Facts
from ..files.decoding import Tags
from ..graph.error_text import guess, quote
from ..messages import DataType
from ..ops.ports import REFERENCE_OFFSET
from ..source.missing_weights import missing_weights
from ..source.model_source import Given, ModelSource
from ..values.dtypes import dtype_name
from ..values.formatting import attributes_text
from ..values.names import node_name
from ..values.report import Report
from ..values.shape import Shape
from ..values.terminal import align_columns, escape
from .query import Both, Chain, Comparison, Either, Near, Not, Path, Query, parse_query
from .query_matching import Body, dtype_equality

if TYPE_CHECKING:
    from ..analysis.shapes import Shapes
    from ..messages import NodeDef

MAX_CHAINS = 1_000
"""The maximum number of matches of a pattern that are listed."""

MAX_SHOWN = 4
"""The maximum number of outputs, and of inputs, that a line shows."""


def find(model: Given, query: str, *, tags: Tags = None) -> FindReport:
    """Return the nodes that match a query, in the graph and in the functions of a model.

    `model` is a path (a graph in any form, a .meta, a SavedModel), "-", bytes, a GraphDef, MetaGraphDef, SavedModel or
    Model; `tags` select a MetaGraph. The language of queries is described in `tfmodel.reports.query`:

        op=Conv2D dtype=float16 shape=?,?,?,3
        dropout or name=block_1/*
        Transpose -> Reshape
        upstream of logits not op=Const

    Raises QueryError, which shows the place, for an invalid query, and the errors of `load` for the model.
    """
    parsed = parse_query(query)
    source = ModelSource.of(model, tags=tags)
    with source.naming():
        return _Search(source, query, parsed).report()


@dataclass(frozen=True)
class FoundNode:
    """A node that matches a query, and where it is.

    node        the node itself
    function    the function whose body has it; "" for the graph
    """

    node: NodeDef
    function: str
    _body: Body
    _position: int

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def op(self) -> str:
        return self.node.op

    @property
    def dtypes(self) -> list[str]:
        """The types of the outputs; "" for an unknown type. Empty for an unknown op."""
        return self._body.dtypes(self._position)

    @property
    def shapes(self) -> list[Shape | None]:
        """The inferred shapes of the outputs, None for an unknown rank.

        In a function that is called with several shapes, dimensions that differ are None.
        """
        return self._body.common_shapes(self._position)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        shapes = self.shapes
        outputs = [
            {"dtype": dtype or None, "shape": None if shape is None else list(shape)}
            for dtype, shape in zip(self.dtypes, [*shapes, *[None] * len(self.dtypes)], strict=False)
        ]
        return {
            "name": self.name,
            "op": self.op,
            "function": self.function,
            "device": self.node.device,
            "inputs": list(self.node.input),
            "outputs": outputs,
        }

    def _cells(self) -> tuple[str, ...]:
        inputs = [*self.node.input]
        if len(inputs) > MAX_SHOWN:
            inputs = [*inputs[:MAX_SHOWN], f"... {len(inputs):,} inputs"]
        row = self.as_dict()["outputs"][: MAX_SHOWN + 1]
        types = [f"{output['dtype'] or '?'}{_shape_text(output['shape'])}" for output in row[:MAX_SHOWN]]
        types += ["..."] * (len(row) > MAX_SHOWN)
        text = types[0] if len(types) == 1 else f"({', '.join(types)})" if types else ""
        attributes = attributes_text(self.node.attr, without=frozenset(["T", "dtype", "value", "shape"]))
        return tuple(map(escape, (self.name, self.op, text, ", ".join(inputs), attributes)))


def _shape_text(shape: list[int | None] | None) -> str:
    return "" if shape is None else f"[{','.join('?' if size is None else str(size) for size in shape)}]"


@dataclass(frozen=True, repr=False)
class FindReport(Report, Sequence[FoundNode]):
    """The nodes that match a query: a sequence of `FoundNode`, those of the graph first, then those of its functions.

    query     the query
    chains    if the whole query is a pattern, its matches: each is a node for each step; at most 1,000
    hint      for an empty result, why nothing may match
    missing_weights
              the files of weights that are missing beside the model, so that values are not known, else empty
    """

    query: str
    rows: tuple[FoundNode, ...]
    chains: tuple[tuple[FoundNode, ...], ...] = ()
    hint: str = ""
    missing_weights: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    @property
    def names(self) -> list[str]:
        return [row.name for row in self.rows]

    @property
    def nodes(self) -> list[NodeDef]:
        return [row.node for row in self.rows]

    def to_text(self) -> str:
        """Return the report as text: a line for each node, or for each match of a pattern."""
        return "".join(f"{line}\n" for line in self.lines())

    def lines(self, *, names_only: bool = False) -> Iterator[str]:
        """Yield the lines of the text; with `names_only`, only the names of nodes, which are safe to print."""
        if names_only:
            yield from (escape(row.name) for row in self.rows)
            return
        if not self.rows:
            yield f"no node matches{self.hint}"
            yield from self._missing()
            return
        for function, rows in groupby(self.rows, key=lambda row: row.function):
            if function:
                yield f"function {escape(function)}:"
            chains = [chain for chain in self.chains if chain[0].function == function]
            if self.chains:
                yield from (" -> ".join(escape(node.name) for node in chain) for chain in chains)
            else:
                yield from align_columns((row._cells() for row in rows), names=(0,), indent=2 if function else 0)
        yield ""
        yield self._count()
        yield from self._missing()

    def _missing(self) -> Iterator[str]:
        if self.missing_weights:
            yield f"weights: {self.missing_weights}"

    def _count(self) -> str:
        """Return the last line: how much was found."""
        nodes = "1 node" if len(self.rows) == 1 else f"{len(self.rows):,} nodes"
        functions = len({row.function for row in self.rows} - {""})
        inside = f", in {functions:,} functions" if functions > 1 else ""
        if not self.chains:
            return nodes + inside
        more = "the first " if len(self.chains) == MAX_CHAINS else ""
        matches = "1 match" if len(self.chains) == 1 else f"{len(self.chains):,} matches"
        return f"{more}{matches}: {nodes}{inside}"

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        data: dict[str, Any] = {"query": self.query, "nodes": [row.as_dict() for row in self.rows]}
        if self.chains:
            data["chains"] = [{"function": c[0].function, "nodes": [node.name for node in c]} for c in self.chains]
        if self.missing_weights:
            data["missing_weights"] = self.missing_weights
        return data


class _Search:
    """The search in all parts of a model."""

    def __init__(self, source: ModelSource, text: str, query: Query) -> None:
        self.text = text
        self.query = query
        self.graph = source.graph
        self._missing_weights = missing_weights(source)
        self._facts = Facts.of(source)
        self.functions = self._facts.functions
        index = self._facts.index
        self.bodies = [Body(index, self._facts.ops, "", self.shapes_of)]
        for name in self.functions:
            self.bodies.append(Body(index.body(name), self._facts.ops, name, self.shapes_of))

    @cached_property
    def _shapes(self) -> dict[str, list[Shapes]]:
        shapes = self._facts.shapes
        return {"": [shapes], **shapes.in_functions()}

    def shapes_of(self, function: str) -> Sequence[Shapes]:
        return self._shapes.get(function, [])

    def report(self) -> FindReport:
        rows: list[FoundNode] = []
        chains: list[tuple[FoundNode, ...]] = []
        for body in self.bodies:
            nodes = {
                place: FoundNode(body.index.nodes[place], body.function, body, place) for place in body.find(self.query)
            }
            rows += nodes.values()
            if isinstance(self.query, Chain) and nodes and len(chains) < MAX_CHAINS:
                matches = body.chains(self.query, MAX_CHAINS - len(chains))
                chains += [tuple(nodes[place] for place in match) for match in matches]
        hint = "" if rows else _empty_result_hint(self.query, self.bodies)
        return FindReport(self.text, tuple(rows), tuple(chains), hint, self._missing_weights)


# --- hints -----------------------------------------------------------------------------------------------------------


def _empty_result_hint(query: Query, bodies: Sequence[Body]) -> str:
    """Return why a query may have found nothing: a word that is an op, or a name or an op that does not exist."""
    for comparison in _comparisons(query):
        text = comparison.value.text
        if comparison.operator == "part":
            same = [op for op in _all(bodies, "op") if op.lower() == text.lower()]
            if same:
                return f": no name has the part {quote(text)}; to find nodes by op, write op={escape(same[0])}"
        elif comparison.field.startswith("attr.") or comparison.field == "dtype":
            of_dtype = comparison.field == "dtype"
            hint = _unknown_dtype_hint(comparison) if of_dtype else _unknown_attribute_hint(comparison, bodies)
            if hint:
                return hint
        elif (
            comparison.field in ("name", "op")
            and comparison.operator == "="
            and not any(mark in text for mark in "*?|")
        ):
            known = _all(bodies, comparison.field)
            if node_name(text) not in known:
                other_case = [name for name in known if name.lower() == text.lower()]
                near = f"; did you mean {quote(other_case[0])}?" if other_case else guess(text, known)
                return f": there is no {'node' if comparison.field == 'name' else 'op'} {quote(text)}{near}"
    return ""


def _unknown_attribute_hint(comparison: Comparison, bodies: Sequence[Body]) -> str:
    name = comparison.field.removeprefix("attr.")
    known = dict.fromkeys(key for body in bodies for node in body.index.nodes for key in node.attr)
    return "" if name in known else f": no node has an attribute {quote(name)}{guess(name, known)}"


def _unknown_dtype_hint(comparison: Comparison) -> str:
    """Return a hint if a pattern matches no type at all."""
    matches = dtype_equality(comparison)
    known = [dtype_name(dtype) for dtype in DataType if dtype < REFERENCE_OFFSET]
    text = comparison.value.text
    return "" if any(map(matches, known)) else f": there is no type {quote(text)}{guess(text.lower(), known)}"


def _all(bodies: Sequence[Body], field: str) -> dict[str, None]:
    return dict.fromkeys(getattr(node, field) for body in bodies for node in body.index.nodes)


def _comparisons(query: Query) -> Iterator[Comparison]:
    match query:
        case Comparison():
            yield query
        case Not():
            pass  # what does not exist is excluded anyway
        case Both() | Either():
            for part in query.queries:
                yield from _comparisons(part)
        case Chain():
            for step in query.steps:
                yield from _comparisons(step)
        case Near():
            yield from _comparisons(query.of)
        case Path():
            yield from _comparisons(query.start)
            yield from _comparisons(query.end)
