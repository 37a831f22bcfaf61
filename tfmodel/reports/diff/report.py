"""`DiffReport`: the differences of two models, as text and as JSON.

A `Change` is one difference; `Rules` decide which differences are reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ...values.report import Report
from ...values.terminal import escape, fit_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from pbwire.message import Message

    from ...messages import NodeDef
    from .values import TensorDifference

MAX_NODES = 20  # of a kind in the short report
MAX_CHANGES = 8  # of one node
MAX_TEXT = 300  # characters of one change


@dataclass(frozen=True, slots=True)
class NodeReport:
    """A common node that changed. `op` is the new op.

    follows    whether it changed only in the names of inputs, because their producers seem to be renamed
    """

    name: str
    op: str
    changes: tuple[Change, ...]
    follows: bool = False


@dataclass(frozen=True, slots=True)
class BodyReport:
    """The nodes of a graph, or of a function.

    nodes_before, nodes_after   the numbers of nodes
    removed, added    the nodes, which may not be decoded yet
    renamed           the new names of removed nodes by their old ones: a guess
    order             how the order of nodes differs, if that counts; otherwise empty
    """

    function: str
    nodes_before: int
    nodes_after: int
    removed: tuple[NodeDef, ...] = ()
    added: tuple[NodeDef, ...] = ()
    changed: tuple[NodeReport, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    order: str = ""

    @property
    def same(self) -> bool:
        return not (self.removed or self.added or self.changed or self.order)

    @property
    def unchanged(self) -> int:
        """The number of unchanged nodes."""
        return self.nodes_before - len(self.removed) - len(self.changed)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {
            "nodes_before": self.nodes_before,
            "nodes_after": self.nodes_after,
            "removed": [{"name": node.name, "op": node.op} for node in self.removed],
            "added": [{"name": node.name, "op": node.op} for node in self.added],
            "changed": [
                {"name": node.name, "op": node.op, "changes": [change.as_dict() for change in node.changes]}
                | ({"follows": True} if node.follows else {})
                for node in self.changed
            ],
            "renamed": dict(self.renamed),
            "order": self.order or None,
        }

    def lines(self, limit: int | None) -> Iterator[str]:
        """Yield the lines about the nodes, at most `limit` of a kind."""
        removed = [node for node in self.removed if node.name not in self.renamed]
        names = set(self.renamed.values())
        added = [node for node in self.added if node.name not in names]
        yield from _list_lines(
            "renamed, it seems", (f"  {old} -> {now}" for old, now in self.renamed.items()), len(self.renamed), limit
        )
        yield from _nodes("removed", "- ", removed, limit)
        yield from _nodes("added", "+ ", added, limit)
        changed = [node for node in self.changed if not node.follows]
        yield from _list_lines("changed", _changes(changed, limit), len(changed), limit, line_per_item=False)
        if follows := len(self.changed) - len(changed):
            yield f"changed only in the names of renamed inputs: {_count(follows, 'node')}"
        if self.order:
            yield f"in another order: {self.order}"


@dataclass(frozen=True, slots=True)
class FunctionReport:
    """A common function that changed. `changes` are the changes outside of its nodes, `body` has those of the nodes."""

    name: str
    changes: tuple[Change, ...]
    body: BodyReport


@dataclass(frozen=True, slots=True)
class LibraryReport:
    """The functions that were removed, added and changed."""

    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[FunctionReport, ...] = ()
    gradients: tuple[Change, ...] = ()

    @property
    def same(self) -> bool:
        return not (self.removed or self.added or self.changed or self.gradients)


@dataclass(frozen=True, slots=True, repr=False)
class DiffReport(Report):
    """The differences between two models.

    before, after    the names of the models
    around           changes outside the graph: signatures, tags, collections
    uncounted        differences that do not count, such as versions
    notes            parts that were not compared
    """

    before: str
    after: str
    graph: BodyReport
    functions: LibraryReport
    around: Sequence[Change] = ()
    uncounted: Sequence[Change] = ()
    notes: Sequence[str] = ()

    @property
    def same(self) -> bool:
        """Return whether the models are the same under the rules."""
        return self.graph.same and self.functions.same and not self.around

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        functions = self.functions
        return {
            "before": self.before,
            "after": self.after,
            "same": self.same,
            "graph": self.graph.as_dict(),
            "functions": {
                "removed": list(functions.removed),
                "added": list(functions.added),
                "changed": [
                    {"name": function.name, "changes": [change.as_dict() for change in function.changes]}
                    | function.body.as_dict()
                    for function in functions.changed
                ],
                "gradients": [change.as_dict() for change in functions.gradients],
            },
            "around": [change.as_dict() for change in self.around],
            "uncounted": [change.as_dict() for change in self.uncounted],
            "notes": list(self.notes),
        }

    def to_text(self, *, full: bool = False) -> str:
        """Return the report as text, safe to show on a terminal; long lists are cut unless `full` is true."""
        return "".join(f"{line}\n" for line in self.lines(full=full))

    def lines(self, *, full: bool = False) -> Iterator[str]:
        limit = None if full else MAX_NODES
        if not self.same:
            yield f"--- {escape(self.before)}: {_count(self.graph.nodes_before, 'node')}"
            yield f"+++ {escape(self.after)}: {_count(self.graph.nodes_after, 'node')}"
            yield ""
        lists = [self.graph.lines(limit), *(_function(function, limit) for function in self.functions.changed[:limit])]
        lists += [
            self._library(limit),
            _list_lines("around the graph", _change_lines(self.around, limit), len(self.around), limit),
        ]
        for lines in lists:
            shown = [escape(line) for line in lines]
            yield from shown if limit is None else map(fit_line, shown)
            if shown:
                yield ""
        yield self._summary()
        for change in self.uncounted:
            yield f"not counted: {escape(_short(str(change), limit))}"
        yield from (f"note: {escape(note)}" for note in self.notes)

    def _library(self, limit: int | None) -> Iterator[str]:
        functions = self.functions
        left = len(functions.changed) - len(functions.changed[:limit])
        if left:
            yield f"... and {_count(left, 'more changed function')}"
        for title, mark, names in (("removed", "-", functions.removed), ("added", "+", functions.added)):
            yield from _list_lines(f"functions {title}", (f"{mark} {name}" for name in names), len(names), limit)
        yield from _list_lines("gradients", _change_lines(functions.gradients, limit), len(functions.gradients), limit)

    def _summary(self) -> str:
        if self.same:
            return f"the same: {_count(self.graph.nodes_after, 'node')}"
        graph, functions = self.graph, self.functions
        parts = [
            f"{len(graph.removed):,} removed",
            f"{len(graph.added):,} added",
            f"{len(graph.changed):,} changed",
            f"{graph.unchanged:,} the same",
        ]
        if graph.order:
            parts.append("in another order")
        text = f"nodes: {', '.join(parts)}"
        if not functions.same:
            counts = [
                (functions.removed, "removed"),
                (functions.added, "added"),
                (functions.changed, "changed"),
                (functions.gradients, "other gradients"),
            ]
            text += f"; functions: {', '.join(f'{len(functions):,} {word}' for functions, word in counts if functions)}"
        return text + (f"; around the graph: {_count(len(self.around), 'change')}" if self.around else "")


# --- lines -----------------------------------------------------------------------------------------------------------


def _nodes(title: str, mark: str, nodes: list[NodeDef], limit: int | None) -> Iterator[str]:
    from ..tree import node_lines  # this import reads the declarations of all ops

    lines = node_lines(nodes[:limit], heading=False, full=limit is None, indent=len(mark))
    yield from _list_lines(title, (mark + line[len(mark) :] for line in lines), len(nodes), limit)


def _changes(nodes: list[NodeReport], limit: int | None) -> Iterator[str]:
    for node in nodes[:limit]:
        yield f"~ {node.name}  {node.op}"
        shown = node.changes if limit is None else node.changes[:MAX_CHANGES]
        yield from (f"    {_short(str(change), limit)}" for change in shown)
        if len(shown) < len(node.changes):
            yield f"    ... and {_count(len(node.changes) - len(shown), 'more change')}"


def _function(function: FunctionReport, limit: int | None) -> Iterator[str]:
    yield f'in the function "{function.name}":'
    yield from (f"  {_short(str(change), limit)}" for change in function.changes[:limit])
    yield from (f"  {line}" for line in function.body.lines(limit))


def _change_lines(changes: Sequence[Change], limit: int | None) -> Iterator[str]:
    return (f"~ {_short(str(change), limit)}" for change in changes)


def _list_lines(
    title: str, lines: Iterable[str], count: int, limit: int | None, *, line_per_item: bool = True
) -> Iterator[str]:
    """Yield a heading with the count of items, the first lines, and the number of items that are left out.

    With `line_per_item`, each line is an item; otherwise the caller passes the lines of at most `limit` items.
    """
    if not count:
        return
    yield f"{title} ({count:,}):"
    for number, line in enumerate(lines):
        if line_per_item and number == limit:
            break
        yield line
    if limit is not None and count > limit:
        yield f"  ... and {count - limit:,} more"


def _short(text: str, limit: int | None) -> str:
    return text if limit is None or len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}... ({len(text):,} characters)"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


V = TypeVar("V")

_CHUNK = 1 << 20  # bytes that are compared at a time


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that decide if two values differ.

    internal      compare attributes whose names begin with `_`, and the type and debug information of nodes
    order         compare the order of nodes
    versions      compare versions
    defaults      a missing attribute differs from one with the default value that the op declares
    atol, rtol    elements of tensors are equal if |a - b| <= atol + rtol * |b|, or if both are NaN. If both tolerances
                  are 0, their bits must be equal
    """

    internal: bool = False
    order: bool = False
    versions: bool = False
    defaults: bool = True
    atol: float = 0.0
    rtol: float = 0.0


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    what            the part that differs: "op", "input 1", "attr strides"
    before, after   the values in short; None for a value that is missing
    note            how two long values differ, if `before` and `after` do not show it
    tensor          the difference of two tensors in numbers
    """

    what: str
    before: str | None
    after: str | None
    note: str = ""
    tensor: TensorDifference | None = None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.what} added: {self.after}"
        if self.after is None:
            return f"{self.what} removed: {self.before}"
        values = f"{self.before} -> {self.after}" if self.before != self.after else self.before
        if not self.note:
            return f"{self.what}: {values}"
        return f"{self.what}: {values}: {self.note}" if values else f"{self.what}: {self.note}"

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        facts: dict[str, Any] = {"what": self.what, "before": self.before, "after": self.after}
        if self.note:
            facts["note"] = self.note
        if self.tensor is not None:
            facts["tensor"] = self.tensor.as_dict()
        return facts


def compare_texts(what: str, before: str, after: str, note: str = "") -> Iterator[Change]:
    """Yield the change from one text to another, if they differ; an empty text counts as missing."""
    if before != after:
        yield Change(what, before or None, after or None, note)


def compare_entries(
    what: str,
    before: Mapping[str, V],
    after: Mapping[str, V],
    compare: Callable[[str, V, V], Change | None],
    text: Callable[[V], str],
) -> Iterator[Change]:
    """Yield the entries that were added, removed, or changed according to `compare`, in the order of names."""
    for name in sorted(before.keys() | after.keys()):
        label = f"{what} {name}"
        if name not in after:
            yield Change(label, text(before[name]), None)
        elif name not in before:
            yield Change(label, None, text(after[name]))
        elif change := compare(label, before[name], after[name]):
            yield change


def same_bytes(one: Message, other: Message) -> bool:
    """Return whether two messages have the same encoding, which proves them equal, without decoding lazy parts.

    Equal messages can have different encodings, for example with the entries of a map in another order.
    """
    if one is other:
        return True
    buffers, others = one.to_buffers(), other.to_buffers()
    if len(buffers) != len(others) or any(len(a) != len(b) for a, b in zip(buffers, others, strict=True)):
        return False
    return all(_equal_buffers(memoryview(a), memoryview(b)) for a, b in zip(buffers, others, strict=True))


def _equal_buffers(one: memoryview, other: memoryview) -> bool:
    """Return whether two buffers are equal. Comparing chunks of bytes is ten times as fast as comparing views."""
    starts = range(0, len(one), _CHUNK)
    return all(bytes(one[start : start + _CHUNK]) == bytes(other[start : start + _CHUNK]) for start in starts)
