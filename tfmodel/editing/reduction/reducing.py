"""`reduce`: open and freeze a model, make its sample feeds and the check, search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from pbwire.errors import compose

from ...analysis.choice import choose
from ...errors import Error, ModelError, with_name
from ...freezing.pipeline import freeze_model
from ...graph import GraphIndex
from ...interpreter import Session
from ...interpreter.feeds import random_feeds
from ...messages import GraphDef
from ...ops.traits import PLACEHOLDERS
from ...source.model_source import Given, ModelSource, Names, names_of
from ...transforms.framework.pipeline import transform
from ...values.names import TensorName
from .checks import DifferenceCheck, check_of
from .reducer import Search
from .report import Reduced
from .state import Answers


def reduce(
    model: Given,
    check: str | Callable[[ModelSource], bool] | None,
    *,
    differs_from: Given | None,
    fails: bool,
    outputs: Names,
    feeds: Mapping[str, Any] | None,
    samples: int,
    seed: int,
    shapes: Mapping[str, Sequence[int]] | None,
    match: str,
    timeout: float | None,
    repeat: int,
    rtol: float | None,
    state: str,
    improved: Callable[[ModelSource, Mapping[str, Any]], object] | None,
    progress: Callable[[str], object] | None,
) -> Reduced:
    """Return the smallest part of a model that still shows a problem: see `tfmodel.reduce`."""
    chosen = [given for given in (check, differs_from, fails or None) if given is not None]
    if len(chosen) != 1:
        raise ModelError("name one check: a function or command, differs_from, or fails")
    if samples < 1 or repeat < 1:
        raise ModelError(f"samples and repeat are at least 1, not {samples} and {repeat}")
    start = time.monotonic()
    frozen = _with_constants(ModelSource.of(model).with_functions())
    other = None if differs_from is None else _with_constants(ModelSource.of(differs_from))
    names = [TensorName.parse(name).numbered for name in names_of(outputs)]
    if not names:
        with frozen.naming():
            names = choose(frozen).outputs
    key = repr((check if isinstance(check, str) else "", match, fails, names, seed, samples, sorted(feeds or {})))
    answers = Answers(state, key + (frozen.graph.to_bytes(deterministic=True).hex() if state else ""))
    problem = ""
    for number, graph in product(range(samples), _starts(frozen, names)):
        sample = _sample_feeds(frozen, names, feeds or {}, shapes, seed + number)
        checker = check_of(check, other, sample, match, timeout, rtol)
        search = Search(graph, names, sample, checker, answers, repeat, improved, progress)
        if search.begin(other):
            break
        problem = checker.problem if isinstance(checker, DifferenceCheck) else ""
    else:
        why = compose(": its run fails: ", problem) if problem else ""
        raise ModelError(with_name(frozen.name, compose("the model does not show the problem", why)))
    best = search.run()
    return Reduced(
        source=best.source(),
        before=len(frozen.graph.node),
        feeds=best.feeds,
        checks=search.checks,
        remembered=search.remembered,
        seconds=time.monotonic() - start,
        steps=search.steps,
    )


def _with_constants(model: ModelSource) -> ModelSource:
    """Return a model with constants in place of variables, if it has a checkpoint."""
    has_values = model.takes_checkpoint and model.checkpoint is not None
    return freeze_model(model).frozen_source if has_values else model


def _starts(model: ModelSource, outputs: Sequence[str]) -> list[GraphDef]:
    """Return the graphs to begin with: without calls of functions, if these can be inlined; else the graph itself."""
    graph = model.graph
    if graph.library is None or not graph.library.function:
        return [graph]
    inputs = [f"{node.name}:0" for node in graph.node if node.op in PLACEHOLDERS]
    try:
        inlined = transform(graph, inputs, outputs, "inline_partitionedcall")
    except Error:
        return [graph]
    return [inlined, graph]


def _sample_feeds(
    model: ModelSource,
    outputs: Sequence[str],
    feeds: Mapping[str, Any],
    shapes: Mapping[str, Sequence[int]] | None,
    seed: int,
) -> dict[str, Any]:
    """Return the values of all inputs that the outputs need, by tensor."""
    session = Session(model)
    by_tensor = {session.tensor(name, session.inputs).numbered: value for name, value in feeds.items()}
    given = dict(session.run(by_tensor, list(by_tensor))) if by_tensor else {}  # expressions and files become arrays
    index = GraphIndex(model.graph)
    needed, waiting = set(), [TensorName.parse(name).node for name in outputs]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += (producer.name for producer in index.producers(name))
    inputs = [node.name for node in index.nodes if node.name in needed and node.op in PLACEHOLDERS]
    for end in choose(model, inputs=(), outputs=outputs, bind=True).training:  # the values of a deployed model
        if end.name in inputs and end.tensor not in given:
            given[end.tensor] = np.asarray(end.value, end.dtype)
    missing = [name for name in inputs if f"{name}:0" not in given]
    random = random_feeds(session, missing, shapes=shapes, seed=seed) if missing else {}
    return given | {f"{name}:0": value for name, value in random.items()}
