"""Run a list of transforms.

A whole list is parsed and checked before anything runs: names, arguments and their values. After each transform the
result is checked: it must not have faults that the graph did not have before, and it must have all declared inputs and
outputs. Otherwise the transform is refused with the reason; the caller still has the input graph, which is never
changed. A result that is much larger than the input graph is refused too: see `tfmodel.values.output_limit`. Versions
and functions of the graph stay, unless a transform replaces them. The nodes that fill the lookup tables which the
outputs read stay too, as if they were declared as outputs, although no output depends on them; the C++ tool drops them.
The producer version is lowered if a transform makes an op that it does not allow: see `result_limits`.

`TransformGraph` has the name and the argument order of tensorflow.tools.graph_transforms.
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
from pbwire.errors import join, suggestion

from ...errors import Error, GraphError, TransformError, with_name
from ...files.files import load
from ...graph import check_graph, describe, with_nodes
from ...graph.error_text import guess, no_tensor, quote
from ...graph.tables import first_to_run, needed_nodes, table_fillers, table_groups
from ...messages import GraphDef, OpDef, OpList, as_dataclass
from ...ops import output_types
from ...ops import registry as registry_of_ops
from ...source.bindings import resolve_bindings
from ...source.model_source import Given, ModelSource
from ...values.names import CONTROL, TensorName, check_name, check_names, combine_renames
from ...values.output_limit import limit_output
from ...values.terminal import escape
from . import registry
from .in_place import Snapshot
from .parameters import Step, parse, parse_values
from .registry import describe_error
from .report import StepReport, TransformReport
from .result_limits import OTHER_FIELDS, GraphSize, lower_producer

if TYPE_CHECKING:
    from ...compare.verify import Comparison, Verification

Names: TypeAlias = "str | Iterable[str | TensorName] | None"
OpDefs: TypeAlias = "OpList | str | os.PathLike[str] | Iterable[OpList | str | os.PathLike[str]] | None"
Transforms: TypeAlias = "str | Callable[..., GraphDef] | Iterable[str | Callable[..., GraphDef]]"
Verify: TypeAlias = "Verification | Mapping[str, Any] | bool | None"

IGNORE_ERRORS = "ignore_errors"
_MAX_FAULTS = 3  # shown in an error


@dataclass(frozen=True, slots=True)
class _Stage:
    """A transform that is ready to run.

    values      its arguments in the list
    supplied    the names of the arguments that the framework supplies
    is_plugin   whether it is a registered transform that is not built in; False for a function from the caller
    """

    name: str
    function: Callable[..., GraphDef]
    values: dict[str, Any]
    supplied: frozenset[str]
    ignores_errors: bool = False
    is_builtin: bool = False
    is_plugin: bool = False


def transform(
    model: Given,
    inputs: Names,
    outputs: Names,
    transforms: Transforms,
    *,
    bind: Mapping[str, Any] | None = None,
    report: TransformReport | None = None,
    op_defs: OpDefs = None,
    verify: Verify = None,
) -> GraphDef:
    """Apply a list of transforms to the graph of `model`, which stays as it is, and return the result.

    `model` is a GraphDef, or anything else that `tfmodel.Model` takes: a path, another message, a Model.

    `inputs` and `outputs` are names of nodes or tensors, in a string with commas or as an iterable. Transforms keep
    these tensors.

    `transforms` is a string in the Graph Transform Tool's syntax, "name(argument=value, ...) name ...", or a function
    from a graph to a graph, or several of these.

    `bind` has values of tensors that become constants before the first transform, such as {"keep_prob": 1}: see the
    transform `bind_inputs`.

    `report` receives a report of each transform.

    `op_defs` declare ops that TensorFlow 2.12 does not have, or has with another definition: OpLists, or files of them.

    With `verify`, the graph is run on NumPy after each transform, and a transform that changes the outputs is refused.
    True stands for generated feeds, a mapping has the feeds, and a `tfmodel.compare.verify.Verification` has feeds,
    tolerances and more. The declared inputs are fed, whether they are Placeholders or not. Variables have their values
    in the checkpoint of the model. A result that needs a variable which the model does not have, or which a function
    renamed and did not put in `renames` of its report, is not compared: `verdict` of the report says so.

    From a transform on that changes numbers by design, such as `quantize_weights` or `convert_float16`, differences are
    only reported, in `differences` of its report, unless a tolerance is given.

    Raises TransformError, which names the transform; GraphError for an input or output that is not in the graph;
    TypeError if `model` is neither a model nor a path, or if a transform is neither a string nor a function; and for
    files any error that `load` raises.
    """
    source = ModelSource.of(model)
    graph = source.graph
    input_tensors, output_tensors = tensor_names(inputs), tensor_names(outputs)
    op_lists = _op_lists(op_defs)
    ops = registry_of_ops(graph, op_defs=op_lists)
    _check_declared(graph, input_tensors, output_tensors, ops)
    stages = list(_stages(transforms))
    if bind:
        from ...analysis.variables.preparation import bind_tensors  # few calls bind tensors

        values = resolve_bindings(source, bind)
        graph = bind_tensors(graph, values, inputs=input_tensors, outputs=output_tensors, ops=ops)
        source = source.after_step(graph)
    verification = _verification(verify)
    is_measured = report is not None
    report = TransformReport() if report is None else report
    report.planned, report.renames = len(stages), {}
    run = _Run(
        source.without_signature(),
        input_tensors,
        output_tensors,
        op_lists,
        verification,
        report,
        is_measured=is_measured,
    )
    for stage in stages:
        step = report.begin(stage.name)
        start = time.perf_counter()
        try:
            run.step(stage, step)
        except Error as error:
            if not stage.ignores_errors:
                raise TransformError(with_name(stage.name, error)) from error
            step.error = str(error)
        finally:
            step.seconds = time.perf_counter() - start
    return run.graph


def tensor_names(names: Names) -> tuple[TensorName, ...]:
    """Return the names in a string with commas, or in an iterable; blanks, empty pieces and None are ignored."""
    if names is None:
        return ()
    pieces = names.split(",") if isinstance(names, str) else names
    if isinstance(pieces, bytes) or not isinstance(pieces, Iterable):
        check_names(pieces)
    parsed = [
        piece if isinstance(piece, TensorName) else TensorName.parse(piece.strip())
        for piece in pieces
        if isinstance(piece, TensorName) or check_name(piece).strip()
    ]
    return tuple(dict.fromkeys(parsed))


def _check_declared(
    graph: GraphDef, inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...], ops: Mapping[str, OpDef]
) -> None:
    names = {node.name: node for node in graph.node} if inputs or outputs else {}
    for role, tensors in (("input", inputs), ("output", outputs)):
        for tensor in tensors:
            if tensor.node not in names:
                raise GraphError(f'the {role} "{escape(str(tensor))}" is not in the graph{guess(tensor.node, names)}')
            if tensor.output:
                raise GraphError(no_tensor(str(tensor).removesuffix(":0"), tensor))
            op = ops.get(names[tensor.node].op) if tensor.port > 0 else None
            count = len(output_types(names[tensor.node], op)) if op is not None else None
            if count is not None and tensor.port >= count:
                problem = f"{describe(names[tensor.node])} has {count} output{'s' * (count != 1)}"
                raise GraphError(f'the {role} "{escape(str(tensor))}" is not in the graph: {problem}')


def _stages(transforms: Transforms) -> Iterator[_Stage]:
    if isinstance(transforms, str) or callable(transforms):
        transforms = [transforms]
    for item in transforms:
        if isinstance(item, str):
            yield from map(_stage_of_step, parse(item))
        elif callable(item):
            supplied = frozenset(registry.SUPPLIED) & inspect.signature(item).parameters.keys()
            yield _Stage(
                getattr(item, "__name__", "a function"), item, {}, supplied, is_builtin=registry.is_builtin(item)
            )
        else:
            raise TypeError(f"a transform is a str or a function, not {type(item).__name__}")


def _stage_of_step(step: Step) -> _Stage:
    transform = registry.find(step.name)
    own = [argument for argument in step.arguments if argument.name != IGNORE_ERRORS]
    values = parse_values(step.name, transform.parameters, own)
    ignore_values = [value.lower() for name, value in step.arguments if name == IGNORE_ERRORS]
    if len(ignore_values) > 1:
        raise TransformError(f'{step.name}: the argument "{IGNORE_ERRORS}" is given more than once')
    if ignore_values and ignore_values[0] not in ("true", "false"):
        raise TransformError(f'{step.name}: {IGNORE_ERRORS} is true or false, not "{ignore_values[0]}"')
    return _Stage(
        step.name,
        transform.function,
        values,
        transform.supplied,
        ignore_values == ["true"],
        transform.is_builtin,
        not transform.is_builtin,
    )


def _verification(verify: Verify) -> Verification | None:
    """Return the requested verification; None if no verification was requested."""
    if verify is None or verify is False:
        return None
    from ...compare.verify import Verification  # imports numpy

    return verify if isinstance(verify, Verification) else Verification(None if verify is True else verify)


def _op_lists(op_defs: OpDefs) -> list[OpList]:
    """Return the OpLists that declare ops, loading those given as files."""
    if op_defs is None:
        return []
    op_defs = as_dataclass(op_defs)
    if isinstance(op_defs, (str, os.PathLike, OpList)):
        op_defs = [op_defs]
    plain = map(as_dataclass, op_defs)
    return [item if isinstance(item, OpList) else load(item, OpList) for item in plain]


# --- step by step ----------------------------------------------------------------------------------------------------


class _Run:
    """The present graph and the state of a run."""

    def __init__(
        self,
        source: ModelSource,
        inputs: tuple[TensorName, ...],
        outputs: tuple[TensorName, ...],
        op_defs: list[OpList],
        verification: Verification | None,
        report: TransformReport,
        *,
        is_measured: bool,
    ) -> None:
        graph = self.graph = source.graph
        self._inputs = inputs
        self._outputs = outputs
        self._report = report
        self._op_defs = op_defs
        self._verification = verification
        self._comparison = (
            self._begin(source, inputs, outputs) if verification is not None and verification.compares else None
        )
        self._unverified = ""  # the verdict of further steps, if they cannot be compared
        self._compared_renames: dict[TensorName, TensorName] = {}  # since the comparison began
        self._fillers = self._find_fillers(graph, inputs, outputs)
        self._report.initializers = first_to_run(graph, self._fillers)
        self._size = GraphSize(graph, is_measured=is_measured)
        self._original = graph

    def step(self, stage: _Stage, step: StepReport) -> None:
        """Run a transform. Raises TransformError if the result is refused; then `graph` does not change."""
        step.nodes_before = step.nodes_after = len(self.graph.node)
        step.bytes_before = step.bytes_after = self._size.present or 0
        step.counts_rewrites = "report" in stage.supplied
        before = self.graph
        if not stage.is_builtin:
            # Functions written for TensorFlow may add nodes to their input graph: give them a copy.
            before = with_nodes(self.graph, self.graph.node)
            assert self._old_faults is not None  # computed before the plugin can change a node
        with limit_output(lambda: self._size.original) as limit:
            after = _with_omitted_fields(self._call(stage, before, self._supplied_arguments(stage, step)), self.graph)
        if stage.is_plugin and step.counts_rewrites and not step.fired and not step.refusals:
            # Built-in transforms add these notes themselves.
            step.notes += _unknown_ops(stage, self.graph, self._ops(self.graph))
        if after is before and stage.is_builtin:
            return
        after, note = lower_producer(after, self.graph, self._ops(after))
        step.notes += [note] * bool(note)
        size = self._size.check(after, self.graph, limit)
        inputs, outputs = (_rename(tensors, step.renames) for tensors in (self._inputs, self._outputs))
        self._check(after, self.graph if stage.is_builtin else None, (*inputs, *outputs))
        fillers = self._check_tables(after, inputs, outputs)
        self._verify(after, inputs, outputs, step)
        self._report.renames = combine_renames(self._report.renames, step.renames)
        self._inputs, self._outputs = inputs, outputs
        self.graph, self._size.present, self._fillers = after, size, fillers
        self._report.initializers = first_to_run(after, fillers)
        step.nodes_after, step.bytes_after = len(after.node), size or 0

    def _call(self, stage: _Stage, graph: GraphDef, supplied: dict[str, Any]) -> GraphDef:
        """Return the result of a transform. A foreign function must not change the nodes of its argument."""
        if stage.is_builtin:
            return _call(stage, graph, supplied)
        snapshot = Snapshot(self.graph)
        problem = ""
        try:
            return _call(stage, graph, supplied)
        finally:
            if problem := snapshot.restore():
                raise TransformError(f"refused, {problem}: make a new node, as replace_node does")

    # --- tables ------------------------------------------------------------------------------------------------------

    def _find_fillers(
        self, graph: GraphDef, inputs: Iterable[TensorName], outputs: Iterable[TensorName]
    ) -> dict[str, list[str]]:
        return table_fillers(graph, [tensor.node for tensor in outputs], {tensor.node for tensor in inputs})

    @property
    def _kept(self) -> list[str]:
        """The nodes that stay although no output depends on them: those that fill tables, and NoOps that run these."""
        return [*self._fillers, *table_groups(self.graph, self._fillers)]

    def _check_tables(
        self, after: GraphDef, inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...]
    ) -> dict[str, list[str]]:
        """Return the nodes of a result that fill tables. Refuse a result in which a table is not filled any more."""
        fillers = self._find_fillers(after, inputs, outputs)
        if not self._fillers:
            return fillers
        filled = {table for tables in fillers.values() for table in tables}
        names = {node.name for node in after.node}
        needed = needed_nodes(after, [tensor.node for tensor in outputs], {tensor.node for tensor in inputs})
        for filler, tables in self._fillers.items():
            empty = [table for table in tables if table in needed and table not in filled]
            if empty and filler not in names:
                problem = f"{quote(filler)}, which fills the table {quote(empty[0])}"
                raise TransformError(f"refused, it would remove {problem}")
        return fillers

    def _verify(
        self, after: GraphDef, inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...], step: StepReport
    ) -> None:
        """Raise TransformError if verification was requested and the outputs of a result differ."""
        if self._comparison is None:
            step.verdict = self._unverified
            return
        from ...compare.verify import UnknownValueError  # imports numpy

        named = {TensorName(old): TensorName(new) for old, new in step.node_renames.items()}
        renames = combine_renames(self._compared_renames, named | step.renames)
        comparison = self._comparison
        try:
            if step.changes_inputs:
                self._comparison = comparison.begin_again(after, renames, map(str, outputs), map(str, inputs))
                self._compared_renames = {}
                step.verdict = "not compared, since it is fed other values"
                return
            comparison = comparison.accepting_differences() if step.is_approximate else comparison
            report = comparison.compare(after, renames)
        except UnknownValueError as error:
            step.verdict = f"not verified: {error}"
            if step.changes_inputs:
                self._comparison, self._unverified = None, step.verdict
                return
        else:
            if not report.same:
                reasons = join("; ", [report.summary, *step.notes])
                raise TransformError("refused, it would change what the graph computes: ", reasons)
            step.verdict, step.differences = report.summary, report.outputs
        self._comparison, self._compared_renames = comparison, renames

    def _supplied_arguments(self, stage: _Stage, step: StepReport) -> dict[str, Any]:
        supplied: dict[str, Callable[[], Any]] = {
            "inputs": lambda: self._inputs,
            "outputs": lambda: (*self._outputs, *(TensorName(name, CONTROL) for name in self._kept)),
            "report": lambda: step,
            "ops": lambda: self._ops(self.graph),
            "activations": lambda: self._activations if self._verification is not None else None,
        }
        return {name: supplied[name]() for name in stage.supplied}

    def _activations(self, graph: GraphDef) -> Mapping[str, float]:
        comparison = self._comparison or self._begin(graph, self._inputs, self._outputs)
        return comparison.largest_values(graph, self._compared_renames)

    def _begin(self, model: Given, inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...]) -> Comparison:
        """Return a comparison with a model or graph as its reference."""
        assert self._verification is not None
        return self._verification.begin(model, map(str, outputs), map(str, inputs))

    def _ops(self, graph: GraphDef) -> Mapping[str, OpDef]:
        return registry_of_ops(graph, op_defs=self._op_defs)

    def _faults_of(self, graph: GraphDef, since: GraphDef | None) -> list[str]:
        faults = check_graph(graph, registry=self._ops(graph), colocation=False, types=False, since=since)
        return list(dict.fromkeys(map(str, faults)))

    @cached_property
    def _old_faults(self) -> frozenset[str]:
        """The faults of the input graph."""
        return frozenset(self._faults_of(self._original, since=None))

    def _check(self, after: GraphDef, since: GraphDef | None, declared: tuple[TensorName, ...]) -> None:
        """Refuse a result with faults that the graph did not have, or without a declared node.

        `declared` are the inputs and outputs by their names in the result.
        """
        new = [fault for fault in self._faults_of(after, since) if fault not in self._old_faults]
        if new:
            more = f"; and {len(new) - _MAX_FAULTS:,} more" if len(new) > _MAX_FAULTS else ""
            raise TransformError(f"refused, it would break the graph: {'; '.join(new[:_MAX_FAULTS])}{more}")
        names = {node.name for node in after.node} if declared else set()
        is_complete = names.issuperset(tensor.node for tensor in declared)
        old_names = set() if is_complete else {node.name for node in self.graph.node}
        for before, tensor in zip((*self._inputs, *self._outputs), declared, strict=True):
            if tensor.node not in names and (before.node in old_names or before != tensor):
                raise TransformError(f'refused, it would remove "{escape(str(tensor))}", which is declared')


def _rename(tensors: tuple[TensorName, ...], renames: Mapping[TensorName, TensorName]) -> tuple[TensorName, ...]:
    return tuple(renames.get(tensor, tensor) for tensor in tensors) if renames else tensors


_OP_ARGUMENTS = ("op", "op_name", "old_op_name")


def _unknown_ops(stage: _Stage, graph: GraphDef, known: Mapping[str, OpDef]) -> Iterator[str]:
    """Yield notes for a plugin that changed nothing: one for each unknown op in its arguments that no node has."""
    values = [stage.values[name] for name in _OP_ARGUMENTS if name in stage.values]
    texts = [text for value in values for text in ([value] if isinstance(value, str) else value)]
    ops = [op for text in texts for op in text.split("|")]
    if ops:
        functions = graph.library.function if graph.library is not None else []
        present = {node.op for nodes in (graph.node, *(function.node_def for function in functions)) for node in nodes}
        for op in ops:
            if op not in present and op not in known and op != "*":
                yield f'no node has the op "{escape(op)}"{suggestion(op, present)}'


def _call(stage: _Stage, graph: GraphDef, supplied: dict[str, Any]) -> GraphDef:
    try:
        result = stage.function(graph, **supplied, **stage.values)
    except wire_errors.Error:
        raise
    except Exception as error:  # foreign code may raise anything
        if not stage.is_plugin:
            raise
        raise TransformError(f"it failed: {describe_error(error)}") from error
    if not isinstance(result, GraphDef):
        raise TransformError(f"it returned a {wire_errors.class_name(result, GraphDef)}, not a GraphDef")
    return result


def _with_omitted_fields(after: GraphDef, before: GraphDef) -> GraphDef:
    """Return the result of a transform, with the fields of `before` that the transform omitted.

    `GraphDef(node=...)`, for example, omits the versions and the library. To remove such a field on purpose, a
    transform returns an empty message in it.
    """
    omitted = [name for name in OTHER_FIELDS if not getattr(after, name) and getattr(before, name)]
    if not omitted:
        return after
    completed = copy.copy(after)
    for name in omitted:
        setattr(completed, name, getattr(before, name))
    return completed


class _RefusedError(TransformError, ValueError):
    """A TransformError that is a ValueError too, since TensorFlow's function raised ValueError."""


def TransformGraph(  # noqa: N802  TensorFlow's name
    input_graph_def: GraphDef, inputs: Iterable[str], outputs: Iterable[str], transforms: Iterable[str]
) -> GraphDef:
    """Return the graph that a list of transforms makes: see `transform`. With an empty list, return the graph itself.

    `inputs` and `outputs` are lists of names, `transforms` is a list of steps. An item of a list may have several names
    with commas between them, or several steps with blanks between them. A string is the same as a list of this string.
    Raises a TransformError that is a ValueError too.
    """
    try:
        input_names, output_names, steps = (
            [items] if isinstance(items, str) else check_names(items) for items in (inputs, outputs, transforms)
        )
        return transform(input_graph_def, ",".join(input_names), ",".join(output_names), " ".join(steps))
    except wire_errors.Error as error:
        raise _RefusedError(str(error)) from error
