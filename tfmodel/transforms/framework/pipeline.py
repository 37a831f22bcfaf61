"""Running transforms one after another.

Nothing is run before all of a list has been understood: names, arguments and their values. After each transform the
graph is looked at: it must have no faults that it had not before, and everything that was declared as input or output.
If not, the transform is refused with the reason, and the caller has the graph that went in, since nothing changes that.
So is one whose result is very much larger than the graph that was given: see `tfmodel.growth`.
Versions and functions of the graph stay, unless a transform gives it others, or makes an op that the producer's version
does not allow: see `versions`.
"""

from __future__ import annotations

import copy
import inspect
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from pbwire import errors as wire_errors
from pbwire.suggestions import suggestion

from ...errors import Error, GraphError, TransformError
from ...graph import check_graph, describe, with_nodes
from ...graph.error_text import no_tensor
from ...growth import growth_limit
from ...messages import GraphDef, OpDef, OpList
from ...names import TensorName
from ...ops import output_types
from ...ops import registry as registry_of_ops
from ...printable import printable
from . import registry
from .list_syntax import Step, parse
from .parameters import values_of
from .plugins import blame
from .report import Report, StepReport
from .result_limits import BESIDE_NODES, Sizes, with_allowed_producer

if TYPE_CHECKING:
    from ...interpreter.verification import Verification

__all__ = ["Names", "OpDefs", "Transforms", "Verify", "tensor_names", "transform"]

Names: TypeAlias = "str | Iterable[str | TensorName] | None"
OpDefs: TypeAlias = "OpList | str | os.PathLike[str] | Iterable[OpList | str | os.PathLike[str]] | None"
Transforms: TypeAlias = "str | Callable[..., GraphDef] | Iterable[str | Callable[..., GraphDef]]"
Verify: TypeAlias = "Verification | Mapping[str, Any] | bool | None"

IGNORE_ERRORS = "ignore_errors"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Stage:
    """A transform that is ready to be run."""

    name: str
    function: Callable[..., GraphDef]
    values: dict[str, Any]
    supplied: frozenset[str]
    ignores_errors: bool = False
    is_ours: bool = False
    is_plugin: bool = False


def transform(
    graph: GraphDef,
    inputs: Names,
    outputs: Names,
    transforms: Transforms,
    *,
    report: Report | None = None,
    op_defs: OpDefs = None,
    verify: Verify = None,
) -> GraphDef:
    """The graph that a list of transforms makes of `graph`, which stays as it is.

    `inputs` and `outputs` are names of nodes or tensors, in a string with commas or one by one: transforms keep them.
    `transforms` is a string as the Graph Transform Tool takes it, "name(argument=value, ...) name ...", or several of
    them, or functions from a graph to a graph. `report` is told what each of them did. `op_defs` declare ops that
    TensorFlow 2.12 does not have, or has otherwise: OpLists, or files of them. With `verify`, the graph is run on NumPy
    after each transform, and one that changes the outputs is refused: with True on made up feeds, with a mapping on
    those, or as a `tfmodel.interpreter.Verification` says. What is fed is what is declared, a Placeholder or not.

    Raises TransformError, which names the transform, and GraphError for an input or output that is not there; and for
    files of `op_defs`, what `load` raises.
    """
    if not isinstance(graph, GraphDef):
        raise TypeError(f"a transform takes a GraphDef, not {wire_errors.class_name(graph, GraphDef)}")
    given, wanted = tensor_names(inputs), tensor_names(outputs)
    op_lists = _op_lists(op_defs)
    _check_declared(graph, given, wanted, registry_of_ops(graph, op_defs=op_lists))
    stages = list(_stages(transforms))
    verification = _verification(verify, graph, given, wanted)
    run = _Run(graph, given, wanted, op_lists, verification, is_measured=report is not None)
    report = Report() if report is None else report
    report.planned = len(stages)
    for stage in stages:
        step = report.begin(stage.name)
        start = time.perf_counter()
        try:
            run.step(stage, step)
        except Error as error:
            if not stage.ignores_errors:
                raise TransformError(f"{stage.name}: {error}") from error
            step.error = str(error)
        finally:
            step.seconds = time.perf_counter() - start
    return run.graph


def tensor_names(names: Names) -> tuple[TensorName, ...]:
    """The names in a string with commas, or of an iterable; blanks and empty pieces are passed over, and so is None."""
    if names is None:
        return ()
    pieces = names.split(",") if isinstance(names, str) else names
    parsed = [
        piece if isinstance(piece, TensorName) else TensorName.parse(piece.strip())
        for piece in pieces
        if isinstance(piece, TensorName) or piece.strip()
    ]
    return tuple(dict.fromkeys(parsed))


def _check_declared(
    graph: GraphDef, inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...], ops: Mapping[str, OpDef]
) -> None:
    names = {node.name: node for node in graph.node} if inputs or outputs else {}
    for what, tensors in (("input", inputs), ("output", outputs)):
        for tensor in tensors:
            if tensor.node not in names:
                hint = suggestion(tensor.node, names)
                raise GraphError(f'the {what} "{printable(str(tensor))}" is not in the graph{printable(hint)}')
            if tensor.output:
                raise GraphError(no_tensor(str(tensor).removesuffix(":0"), tensor))
            op = ops.get(names[tensor.node].op) if tensor.port > 0 else None
            count = len(output_types(names[tensor.node], op)) if op is not None else None
            if count is not None and tensor.port >= count:
                problem = f"{describe(names[tensor.node])} has {count} output{'s' * (count != 1)}"
                raise GraphError(f'the {what} "{printable(str(tensor))}" is not in the graph: {problem}')


def _stages(transforms: Transforms) -> Iterator[_Stage]:
    if isinstance(transforms, str) or callable(transforms):
        transforms = [transforms]
    for item in transforms:
        if isinstance(item, str):
            yield from map(_of_step, parse(item))
        elif callable(item):
            supplied = frozenset(registry.SUPPLIED) & inspect.signature(item).parameters.keys()
            yield _Stage(getattr(item, "__name__", "a function"), item, {}, supplied, is_ours=registry.is_ours(item))
        else:
            raise TypeError(f"a transform is a str or a function, not {type(item).__name__}")


def _of_step(step: Step) -> _Stage:
    found = registry.find(step.name)
    own = [argument for argument in step.arguments if argument.name != IGNORE_ERRORS]
    values = values_of(step.name, found.parameters, own)
    ignoring = [value.lower() for name, value in step.arguments if name == IGNORE_ERRORS]
    if len(ignoring) > 1:
        raise TransformError(f'{step.name}: the argument "{IGNORE_ERRORS}" is given more than once')
    if ignoring and ignoring[0] not in ("true", "false"):
        raise TransformError(f'{step.name}: {IGNORE_ERRORS} is true or false, not "{ignoring[0]}"')
    return _Stage(
        step.name, found.function, values, found.supplied, ignoring[:1] == ["true"], found.is_ours, not found.is_ours
    )


def _verification(
    verify: Verify, graph: GraphDef, inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...]
) -> Verification | None:
    """What was asked for, with the graph that is right."""
    if verify is None or verify is False:
        return None
    from ...interpreter.verification import Verification

    found = verify if isinstance(verify, Verification) else Verification(None if verify is True else verify)
    found.begin(graph, map(str, outputs), map(str, inputs))
    return found


def _op_lists(op_defs: OpDefs) -> list[OpList]:
    """What declares ops, files of it read."""
    if op_defs is None:
        return []
    if isinstance(op_defs, (str, os.PathLike, OpList)):
        op_defs = [op_defs]
    from ...files import load

    return [each if isinstance(each, OpList) else load(each, OpList) for each in op_defs]


# --- step by step ----------------------------------------------------------------------------------------------------


class _Run:
    """The graph as it is at the moment, and what is known of it."""

    def __init__(
        self,
        graph: GraphDef,
        inputs: tuple[TensorName, ...],
        outputs: tuple[TensorName, ...],
        op_defs: list[OpList],
        verification: Verification | None,
        *,
        is_measured: bool,
    ) -> None:
        self.graph = graph
        self._inputs = inputs
        self._outputs = outputs
        self._op_defs = op_defs
        self._verification = verification
        self._sizes = Sizes(graph, is_measured=is_measured)
        self._original = graph

    def step(self, stage: _Stage, step: StepReport) -> None:
        """Run a transform. Raises TransformError for a result that is none, and then the graph is what it was."""
        step.nodes_before = step.nodes_after = len(self.graph.node)
        step.bytes_before = step.bytes_after = self._sizes.present or 0
        step.counts = "report" in stage.supplied
        before = self.graph
        if not stage.is_ours:
            # Who is used to TensorFlow may well add nodes to the graph that is given: then it is one of their own.
            before = with_nodes(self.graph, self.graph.node)
            assert self._old_faults is not None  # as they are before anybody changes a node
        with growth_limit(lambda: self._sizes.original) as limit:
            after = _complete(_called(stage, before, self._supplied(stage, step)), self.graph)
        if stage.is_plugin and step.counts and not step.fired and not step.refusals:  # ours tell themselves
            step.notes += _unknown_ops(stage, self.graph, self._ops(self.graph))
        if after is before and stage.is_ours:
            return
        after, note = with_allowed_producer(after, self.graph, self._ops(after))
        step.notes += [note] * bool(note)
        size = self._sizes.check(after, self.graph, limit)
        self._check(after, self.graph if stage.is_ours else None)
        if self._verification is not None:
            found = self._verification.compare(after)
            if not found.same:
                raise TransformError(f"refused, it would change what the graph computes: {found.summary}")
            step.verdict = found.summary
        self.graph, self._sizes.present = after, size
        step.nodes_after, step.bytes_after = len(after.node), size or 0

    def _supplied(self, stage: _Stage, step: StepReport) -> dict[str, Any]:
        supplied: dict[str, Callable[[], Any]] = {
            "inputs": lambda: self._inputs,
            "outputs": lambda: self._outputs,
            "report": lambda: step,
            "ops": lambda: self._ops(self.graph),
        }
        return {name: supplied[name]() for name in stage.supplied}

    def _ops(self, graph: GraphDef) -> Mapping[str, OpDef]:
        return registry_of_ops(graph, op_defs=self._op_defs)

    def _faults_of(self, graph: GraphDef, since: GraphDef | None) -> list[str]:
        faults = check_graph(graph, registry=self._ops(graph), colocation=False, since=since)
        return list(dict.fromkeys(map(str, faults)))

    @cached_property
    def _old_faults(self) -> frozenset[str]:
        """The faults of the graph that was given."""
        return frozenset(self._faults_of(self._original, since=None))

    def _check(self, after: GraphDef, since: GraphDef | None) -> None:
        """Refuse a result that is broken where the graph was not."""
        found = self._faults_of(after, since)
        new = [fault for fault in found if fault not in self._old_faults]
        if new:
            more = f"; and {len(new) - _SHOWN:,} more" if len(new) > _SHOWN else ""
            raise TransformError(f"refused, it would break the graph: {'; '.join(new[:_SHOWN])}{more}")
        declared = (*self._inputs, *self._outputs)
        has = {node.name for node in after.node} if declared else set()
        had = {node.name for node in self.graph.node} if not has.issuperset(each.node for each in declared) else set()
        for tensor in declared:
            if tensor.node in had and tensor.node not in has:
                raise TransformError(f'refused, it would remove "{printable(str(tensor))}", which is declared')


_OP_ARGUMENTS = ("op", "op_name", "old_op_name")


def _unknown_ops(stage: _Stage, graph: GraphDef, known: Mapping[str, OpDef]) -> Iterator[str]:
    """Why a transform may have found nothing to do: no node has an op that was asked for, and nobody knows it."""
    given = [stage.values[name] for name in _OP_ARGUMENTS if name in stage.values]
    asked = [op for value in given for each in ([value] if isinstance(value, str) else value) for op in each.split("|")]
    if asked:
        functions = graph.library.function if graph.library is not None else []
        there = {node.op for nodes in (graph.node, *(each.node_def for each in functions)) for node in nodes}
        for op in asked:
            if op not in there and op not in known and op != "*":
                yield f'no node has the op "{printable(op)}"{suggestion(op, there)}'


def _called(stage: _Stage, graph: GraphDef, supplied: dict[str, Any]) -> GraphDef:
    try:
        result = stage.function(graph, **supplied, **stage.values)
    except wire_errors.Error:
        raise
    except Exception as error:  # code of others may raise anything
        if not stage.is_plugin:
            raise
        raise TransformError(f"it failed: {blame(error)}") from error
    if not isinstance(result, GraphDef):
        raise TransformError(f"it gave a {wire_errors.class_name(result, GraphDef)}, not a GraphDef")
    return result


def _complete(after: GraphDef, before: GraphDef) -> GraphDef:
    """The result of a transform with what it may have forgotten: `GraphDef(node=...)` has no versions and no library.

    A transform that means to drop them gives empty ones.
    """
    forgotten = [name for name in BESIDE_NODES if not getattr(after, name) and getattr(before, name)]
    if not forgotten:
        return after
    completed = copy.copy(after)
    for name in forgotten:
        setattr(completed, name, getattr(before, name))
    return completed
