"""Runs of damaged graphs, with limits of steps and bytes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from hypothesis import strategies as st

from fuzz import reference_graphs
from fuzz.golden_models import graph_files
from fuzz.graph_edits import apply_edits, damaged_graphs, sound_graphs
from fuzz.target import Case, Files, Target
from pbwire import Error
from tests.kernel_cases import Case as KernelCase
from tests.kernel_cases import cases_of, families
from tfmodel import from_ndarray
from tfmodel.compare.verify.differences import compare
from tfmodel.interpreter import Session
from tfmodel.interpreter.feeds import feeds_needed, random_feeds
from tfmodel.messages import AttrValue, GraphDef, NodeDef

MAX_STEPS, MAX_BYTES = 2000, 1 << 22
MAX_FETCHED = 6
MAX_SEEDS = 4  # cases of an op


def graph_seeds() -> Iterator[Files]:
    for data in graph_files():
        yield {"graph.pb": data}


def graphs() -> st.SearchStrategy[Files]:
    return st.one_of(damaged_graphs(), sound_graphs()).map(lambda graph: {"graph.pb": graph.to_bytes()})


# --- one node --------------------------------------------------------------------------------------------------------


def _graph_of(case: KernelCase) -> GraphDef:
    """Return a graph of a node and the constants that it consumes."""
    names = [f"i{number}" for number in range(len(case.arrays))]
    constants = []
    for name, array, dtype in zip(names, case.arrays, case.types, strict=True):
        attr = {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=from_ndarray(array, dtype))}
        constants.append(NodeDef(name=name, op="Const", attr=attr))
    return GraphDef(node=[*constants, case.node])


def _kernel_graphs() -> Iterator[GraphDef]:
    counts: dict[str, int] = {}
    for family in families():
        for case in cases_of(family):
            small = sum(array.nbytes for array in case.arrays) < 3000
            if small and counts.setdefault(case.op, 0) < MAX_SEEDS:
                try:
                    graph = _graph_of(case)
                except (TypeError, ValueError):
                    continue  # constants cannot have the dtype of some inputs
                counts[case.op] += 1
                yield graph


def kernel_seeds() -> Iterator[Files]:
    for graph in _kernel_graphs():
        yield {"graph.pb": graph.to_bytes()}


def kernels() -> st.SearchStrategy[Files]:
    numbers = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4)
    edits = st.builds(apply_edits, st.sampled_from(list(_kernel_graphs())), numbers)
    return edits.map(lambda graph: {"graph.pb": graph.to_bytes()})


# --- running ---------------------------------------------------------------------------------------------------------


def check(files: Files, case: Case) -> object:
    """Fetch the last nodes, together and one by one, with generated feeds; simple ops must give NumPy's results."""
    graph = GraphDef.from_bytes(files.get("graph.pb", b""), lazy=True)
    case.allow(MAX_BYTES)
    session = Session(graph, log=lambda text: None)
    names = [node.name for node in graph.node][-MAX_FETCHED:]
    refused, results = None, {}
    for fetches in (names, *([name] for name in names[-2:])):
        if not fetches:
            continue
        try:
            needed = feeds_needed(session, fetches)
            feeds = random_feeds(session, needed, max_bytes=MAX_BYTES)
            results = session.run(feeds, fetches, max_steps=MAX_STEPS, max_bytes=MAX_BYTES)
            for name, result in results.items():
                expected = reference_graphs.value(graph, name, feeds)
                assert expected is None or compare(name, expected, result).within, f"{name} is {result}, not {expected}"
        except Error as error:
            refused = error
    if refused is not None and not results:
        raise refused
    for value in results.values():
        assert not isinstance(value, np.ndarray) or value.nbytes <= MAX_BYTES
    return results


_target = partial(Target, seconds=3.0, seconds_per_byte=400e-6, memory=2000.0, memory_base=256 << 20)

TARGETS = (
    _target("interpreter", "graphs that are run, most of them damaged", graph_seeds, graphs, check),
    _target("kernels", "single ops on arbitrary tensors", kernel_seeds, kernels, check),
)
