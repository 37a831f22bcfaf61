"""Running transforms one after another.

Nothing is run before all of a list has been understood: names, arguments and their values. After each transform the
graph is looked at: it must have no faults that it had not before, and everything that was declared as input or output.
If not, the transform is refused with the reason, and the caller has the graph that went in, since nothing changes that.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from pbwire.guessing import suggestion

from ...errors import Error, GraphError, TransformError
from ...graph import check_graph
from ...messages import GraphDef
from ...names import TensorName
from ...printable import printable
from . import registry
from .parameters import values_of
from .report import Report, StepReport
from .steps import Step, parse

__all__ = ["Names", "Transforms", "tensor_names", "transform"]

Names: TypeAlias = "str | Iterable[str | TensorName]"
Transforms: TypeAlias = "str | Callable[..., GraphDef] | Iterable[str | Callable[..., GraphDef]]"

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


def transform(
    graph: GraphDef, inputs: Names, outputs: Names, transforms: Transforms, *, report: Report | None = None
) -> GraphDef:
    """The graph that a list of transforms makes of `graph`, which stays as it is.

    `inputs` and `outputs` are names of nodes or tensors, in a string with commas or one by one: transforms keep them.
    `transforms` is a string as the Graph Transform Tool takes it, "name(argument=value, ...) name ...", or several of
    them, or functions from a graph to a graph. `report` is told what each of them did.

    Raises TransformError, which names the transform, and GraphError for an input or output that is not there.
    """
    given, wanted = tensor_names(inputs), tensor_names(outputs)
    _check_declared(graph, given, wanted)
    stages = list(_stages(transforms))
    report = Report() if report is None else report
    faults = {str(fault) for fault in check_graph(graph, colocation=False)} if stages else set()
    for stage in stages:
        step = report.begin(stage.name)
        step.nodes_before = step.nodes_after = len(graph.node)
        start = time.perf_counter()
        try:
            result = _run(stage, graph, given, wanted, step)
        except Error as error:
            step.seconds = time.perf_counter() - start
            if not stage.ignores_errors:
                raise TransformError(f"{stage.name}: {error}") from error
            step.error = str(error)
            continue
        _check(stage.name, graph, result, (*given, *wanted), faults)
        graph = result
        step.nodes_after = len(graph.node)
        step.seconds = time.perf_counter() - start
    return graph


def tensor_names(names: Names) -> tuple[TensorName, ...]:
    """The names in a string with commas, or of an iterable; blanks and empty pieces are passed over."""
    pieces = names.split(",") if isinstance(names, str) else names
    parsed = [
        piece if isinstance(piece, TensorName) else TensorName.parse(piece.strip())
        for piece in pieces
        if isinstance(piece, TensorName) or piece.strip()
    ]
    return tuple(dict.fromkeys(parsed))


def _check_declared(graph: GraphDef, inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...]) -> None:
    names = {node.name for node in graph.node} if inputs or outputs else set()
    for what, tensors in (("input", inputs), ("output", outputs)):
        for tensor in tensors:
            if tensor.node not in names:
                hint = suggestion(tensor.node, names)
                raise GraphError(f'the {what} "{printable(str(tensor))}" is not in the graph{printable(hint)}')


def _stages(transforms: Transforms) -> Iterator[_Stage]:
    if isinstance(transforms, str) or callable(transforms):
        transforms = [transforms]
    for item in transforms:
        if isinstance(item, str):
            yield from map(_of_step, parse(item))
        elif callable(item):
            supplied = frozenset(registry.SUPPLIED) & inspect.signature(item).parameters.keys()
            yield _Stage(getattr(item, "__name__", "a function"), item, {}, supplied)
        else:
            raise TypeError(f"a transform is a str or a function, not {type(item).__name__}")


def _of_step(step: Step) -> _Stage:
    found = registry.find(step.name)
    own = [argument for argument in step.arguments if argument.name != IGNORE_ERRORS]
    values = values_of(step.name, found.parameters, own)
    ignoring = [value.lower() for name, value in step.arguments if name == IGNORE_ERRORS]
    if ignoring and ignoring[0] not in ("true", "false"):
        raise TransformError(f'{step.name}: {IGNORE_ERRORS} is true or false, not "{ignoring[0]}"')
    return _Stage(step.name, found.function, values, found.supplied, ignoring[:1] == ["true"])


def _run(
    stage: _Stage, graph: GraphDef, inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...], step: StepReport
) -> GraphDef:
    supplied = {"inputs": inputs, "outputs": outputs, "report": step}
    result = stage.function(graph, **{name: supplied[name] for name in stage.supplied}, **stage.values)
    if not isinstance(result, GraphDef):
        raise TransformError(f"it gave a {type(result).__name__}, not a GraphDef")
    return result


def _check(
    name: str, before: GraphDef, after: GraphDef, declared: tuple[TensorName, ...], faults: set[str]
) -> None:
    """Refuse a result that is broken where the graph was not."""
    if after is before:
        return
    found = map(str, check_graph(after, colocation=False, library=after.library is not before.library))
    new = [fault for fault in found if fault not in faults]
    if new:
        more = f"; and {len(new) - _SHOWN:,} more" if len(new) > _SHOWN else ""
        raise TransformError(f"{name} was refused, it would break the graph: {'; '.join(new[:_SHOWN])}{more}")
    had, has = {node.name for node in before.node}, {node.name for node in after.node}
    for tensor in declared:
        if tensor.node in had and tensor.node not in has:
            raise TransformError(f'{name} was refused, it would remove "{tensor}", which is declared')
