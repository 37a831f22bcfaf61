"""Settings of every test run: the state of the process, hypothesis on a slow or busy machine, and the lanes of tests.

The time that an example takes, or takes to generate, proves nothing.

`python -m pytest -n auto -m "not slow"` is the inner loop: at least one test of every test module of pbwire and
tfmodel, in less than 90 seconds on two cores. Without `-m`, everything runs. A test that is too slow for the inner loop
has `@pytest.mark.slow(reason="...")`. SLOW_FOLDERS marks all tests of a folder; tests of the corpus are slow, too.
"""

import gc
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies

from tests.support.corpus import needs_corpus
from tests.support.effort import EXAMPLES
from tests.support.lanes import LANES, Lane
from tests.support.process_state import differences, normalize_process, state
from tests.support.whole_hints import refuse_lost_hints

normalize_process()

settings.register_profile(
    "unhurried", deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")

SLOW_FOLDERS = {
    "fuzz": "starts processes that run thousands of inputs",
    "hostile": "measures time and memory of attacks, and starts and kills processes",
    "packaging": "builds and installs distributions",
}


RECURSION_LIMIT = sys.getrecursionlimit()


@pytest.fixture(autouse=True)
def recursion_limit() -> None:
    """Restore Python's recursion limit: mypy, which some tests run in their own process, raises it."""
    if sys.getrecursionlimit() != RECURSION_LIMIT:
        sys.setrecursionlimit(RECURSION_LIMIT)


@pytest.fixture(autouse=True)
def unchanged_process(recursion_limit: None) -> Iterator[None]:
    """Refuse tests that leave the process changed, because those after them would depend on the order."""
    before = state()
    yield
    assert differences(before, state()) == []


@pytest.fixture(autouse=True)
def whole_hints() -> Iterator[None]:
    """Refuse f-strings of pbwire and tfmodel that lose the hints of a message."""
    with refuse_lost_hints():
        yield


@cache
def _folder(path: Path) -> str:
    """Return the name of the folder of `tests` that a path is in."""
    return path.relative_to(Path(__file__).parent).parts[0]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out slow folders from the inner loop before their modules are imported."""
    is_inside = collection_path.parent == Path(__file__).parent and collection_path.name in SLOW_FOLDERS
    return True if is_inside and config.option.markexpr == "not slow" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of slow folders, and note the lane of every test before `-m` deselects some."""
    lanes = config.stash.setdefault(LANES, {})
    for item in items:
        if reason := SLOW_FOLDERS.get(_folder(item.path)):
            item.add_marker(pytest.mark.slow(reason=reason))
        if any(mark == needs_corpus.mark for mark in item.iter_markers("skipif")):
            item.add_marker(pytest.mark.slow(reason="reads real model files"))
        marks = [*item.iter_markers("slow")]
        lanes[item.nodeid] = Lane(item.path, bool(marks), all(mark.kwargs.get("reason") for mark in marks))


def pytest_collection_finish() -> None:
    """Exempt all objects of the collected tests, about a million, from garbage collection.

    Otherwise it takes most of the time of tests that collect garbage, or make much. Hypothesis starts before: it would
    not find the references to its random number generator among exempt objects, and warn.
    """
    _start_hypothesis()
    gc.collect()
    gc.freeze()


@settings(max_examples=1, database=None)
@given(strategies.none())
def _start_hypothesis(_: None) -> None:
    """Run a first example."""


def pytest_sessionfinish() -> None:
    """Exempt all objects from the last garbage collection: xdist interrupts a worker that takes five seconds to end."""
    gc.freeze()
