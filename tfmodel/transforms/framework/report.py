"""Reports of transforms: the number of rewrites, refused matches with reasons, and notes for the user.

`missing_ops` and `missing_nodes` make notes about arguments that select no node. The C++ tool ignores such arguments
without a message, and transform lists that are used on many graphs rely on that, so unknown names are not errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from pbwire.errors import compose, join

from ...graph.error_text import Guesses, quote
from ...messages import GraphDef
from ...ops import OPS
from ...values.names import Renames, TensorName
from ...values.report import Report

if TYPE_CHECKING:
    from ...compare.verify.differences import OutputDifference

MAX_NAMED = 3  # nodes shown with a refusal reason
_MAX_OUTPUTS = 8  # differences shown without `verbose`


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a match is left alone. A rewrite returns a Refusal instead of nodes."""

    reason: str


@dataclass(slots=True)
class StepReport:
    """The report of one transform in a list.

    fired            the number of rewrites
    refusals         each reason for which nodes were left alone, with the names of these nodes
    bytes_...        the sizes of the graph in binary form
    error            the error if the step failed and its errors are ignored, else ""
    verdict          the result of comparing the outputs, if the step was verified
    differences      the same for each output
    is_approximate   set by a transform that changes numbers by design. If it is verified, differences of the outputs
                     are only reported from then on, unless the user gives a tolerance
    notes            remarks that are shown even without `--verbose`: a misspelt op, for example
    counts_rewrites  False for a transform that takes no report and so cannot count its rewrites
    renames          old and new names of tensors. A transform that renames a declared input or output must put it here,
                     so that the next transforms get the new name
    node_renames     old and new names of nodes that were renamed, with all their tensors. Verification finds the values
                     of variables by these, and the MetaGraph of a model follows them; they are not in JSON
    changes_inputs   set by a transform after which other values must be fed. Its result is not compared with the graph
                     before it, and becomes the reference for the next transforms
    """

    name: str
    fired: int = 0
    refusals: dict[str, list[str]] = field(default_factory=dict)
    nodes_before: int = 0
    nodes_after: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    seconds: float = 0.0
    error: str = ""
    verdict: str = ""
    differences: list[OutputDifference] = field(default_factory=list)
    is_approximate: bool = False
    notes: list[str] = field(default_factory=list)
    counts_rewrites: bool = True
    renames: dict[TensorName, TensorName] = field(default_factory=dict)
    node_renames: dict[str, str] = field(default_factory=dict)
    changes_inputs: bool = False

    def fire(self, times: int = 1) -> None:
        """Add to the number of rewrites."""
        self.fired += times

    def refuse(self, name: str, reason: str) -> None:
        """Record that a node or function was left alone, and why."""
        self.refusals.setdefault(reason, []).append(name)

    @property
    def refused(self) -> int:
        """The number of refusals; a node that was left alone for two reasons counts twice."""
        return sum(map(len, self.refusals.values()))

    def to_text(self) -> str:
        """Return what `--verbose` prints: a line for the step, and one for each refusal reason."""
        fired = f"; fired {self.fired:,}x" if self.counts_rewrites and not self.error else ""
        line = compose(f"{self.name}: ", self.changes(), fired)
        lines = [line, *(f"  {one.to_text()}" for one in self.differences)]
        for reason, names in self.refusals.items():
            text = ", ".join(names[:MAX_NAMED]) + (
                f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
            )
            lines.append(compose(f"  left {len(names):,} alone: ", reason, f": {text}"))
        return join("\n", lines)

    def to_lines(self) -> list[str]:
        """Return what is printed without `--verbose`: a line, and for an approximate step one for each output."""
        lines = [compose(f"{self.name}: ", self.changes())]
        if self.is_approximate and self.differences:
            lines += [f"  {one.to_text()}" for one in self.differences[:_MAX_OUTPUTS]]
            if len(self.differences) > _MAX_OUTPUTS:
                lines.append(f"  and {len(self.differences) - _MAX_OUTPUTS:,} more outputs")
        return lines

    def facts(self) -> dict[str, Any]:
        """Return the data for JSON."""
        facts = asdict(self)
        del facts["node_renames"]
        facts["renames"] = {str(old): str(new) for old, new in self.renames.items()}
        return facts

    def changes(self) -> str:
        """Return a line such as `6 -> 4 nodes, 1,210 -> 980 bytes, 0.01 s`, with verdict and notes, or the error."""
        if self.error:
            return compose("error ignored: ", self.error)
        nodes = _change(self.nodes_before, self.nodes_after)
        bytes_ = _change(self.bytes_before, self.bytes_after)
        sizes = f"{nodes} {'node' if nodes == '1' else 'nodes'}, {bytes_} bytes, {self.seconds:.2f} s"
        return join("; ", [sizes, *(remark for remark in (self.verdict, *self.notes) if remark)])


@dataclass(slots=True, repr=False)
class TransformReport(Report):
    """The report of a list of transforms: a StepReport for each step that was begun.

    planned        the number of steps in the list
    renames        maps renamed tensors of the input graph to their names in the result
    initializers   the nodes of the result that fill the tables which outputs read: they must run first
    """

    steps: list[StepReport] = field(default_factory=list)
    planned: int = 0
    renames: dict[TensorName, TensorName] = field(default_factory=dict)
    initializers: list[str] = field(default_factory=list)

    def begin(self, name: str) -> StepReport:
        """Add and return the report of the next step."""
        self.steps.append(StepReport(name))
        return self.steps[-1]

    @property
    def all_renames(self) -> Renames:
        """The new names of all nodes and tensors of the input graph, not only of declared ones."""
        return Renames((step.node_renames, step.renames) for step in self.steps if not step.error)

    @property
    def total(self) -> StepReport:
        """The totals of all steps, as one step without refusals."""
        total = StepReport("total", sum(step.fired for step in self.steps))
        total.seconds = sum(step.seconds for step in self.steps)
        if self.steps:
            first, last = self.steps[0], self.steps[-1]
            total.nodes_before, total.bytes_before = first.nodes_before, first.bytes_before
            total.nodes_after, total.bytes_after = last.nodes_after, last.bytes_after
        return total

    def to_text(self, *, verbose: bool = True) -> str:
        """Return a line per step, and the differences of each output behind a step that changes numbers by design.

        With `verbose`, also the number of rewrites, a line per refusal reason, and the differences behind all steps.
        The last line names the nodes that must run first, if there are any.
        """
        if verbose:
            lines = [step.to_text() for step in self.steps]
        else:
            lines = [line for step in self.steps for line in step.to_lines()]
        if self.initializers:
            more = f" and {len(self.initializers) - MAX_NAMED:,} more" if len(self.initializers) > MAX_NAMED else ""
            names = ", ".join(map(quote, self.initializers[:MAX_NAMED])) + more
            lines.append(f"run {names} first: the outputs read tables, which {_fill(len(self.initializers))}")
        return join("\n", lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the steps, with the refused nodes by reason and the differences of each output, for JSON."""
        document: dict[str, Any] = {"planned": self.planned, "steps": [step.facts() for step in self.steps]}
        document["initializers"] = self.initializers
        document["renames"] = {str(old): str(new) for old, new in self.renames.items()}
        return document


def _fill(count: int) -> str:
    return "this node fills" if count == 1 else "these nodes fill"


def _change(before: int, after: int) -> str:
    return f"{after:,}" if before == after else f"{before:,} -> {after:,}"


def missing_ops(names: Iterable[str], graph: GraphDef, *, functions: bool = True) -> Iterator[str]:
    """Yield notes about ops that no node has.

    An op that is in neither the op list nor a function always gets a note, with a suggestion if there is a similar
    name. Another op gets a note only if no node has any of the ops: many lists have `op=Identity, op=CheckNumerics`,
    and are used on graphs that have only one of the two. With `functions`, nodes in functions count as nodes.
    Transforms that leave functions alone pass False.
    """
    graph_ops = {node.op for node in graph.node}
    ops = list(dict.fromkeys(names))
    missing = [op for op in ops if op != "*" and op not in graph_ops]
    library = graph.library.function if missing and graph.library is not None else []
    function_ops = {node.op for function in library for node in function.node_def}
    guess = Guesses()
    for op in missing:
        if op not in OPS and op not in function_ops:
            yield f"no node has the op {quote(op)}{guess(op, graph_ops | function_ops)}"
    known = [op for op in missing if op in OPS or op in function_ops]
    if len(missing) == len(ops) and not (functions and function_ops.intersection(known)):
        for op in known:
            yield f"no node{' outside of functions' * (op in function_ops)} has the op {quote(op)}"


def missing_nodes(argument: str, names: Iterable[str], graph: GraphDef, *, functions: bool = False) -> Iterator[str]:
    """Yield a note for each name that is not a node of the graph or, with `functions`, of a function.

    `argument` is the name of the argument that has these names, for the notes.
    """
    node_names = {node.name: None for node in graph.node}
    for function in graph.library.function if functions and names and graph.library is not None else []:
        node_names.update(dict.fromkeys(node.name for node in function.node_def))
    guess = Guesses()
    for name in dict.fromkeys(names):
        if name not in node_names:
            yield f"{argument}: there is no node {quote(name)}{guess(name, node_names)}"
