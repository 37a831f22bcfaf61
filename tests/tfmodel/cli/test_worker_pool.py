"""`tfmodel.cli.worker_pool`: answers in order, from several processes, of which some end."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tfmodel.cli.messages import RequestError
from tfmodel.cli.worker_pool import WAITING, Lost, WorkerPool

ANSWERER = "tests.tfmodel.cli.pool_answers:answerer"


def answers(*items: Any, jobs: int = 2) -> list[Any]:
    with WorkerPool(ANSWERER, 1, jobs=jobs) as pool:
        return [answer for _, answer in pool.map(items)]


def test_answers_are_in_the_order_of_the_items() -> None:
    assert answers(["sleep", 0.3, "slow"], *range(50)) == ["slow", *range(1, 51)]


@pytest.mark.skipif(os.name != "posix", reason="processes end differently")
def test_a_process_that_is_killed_is_one_lost_answer() -> None:
    lost = Lost("it was ended by SIGKILL")
    assert answers(1, "kill", 2, "kill", *range(20)) == [2, lost, 3, lost, *range(1, 21)]


def test_a_process_that_exits_is_one_lost_answer() -> None:
    assert answers(1, "exit", 2, jobs=1) == [2, Lost("it ended with status 3"), 3]


def test_output_of_the_function_does_not_disturb_the_answers(capfd: pytest.CaptureFixture[str]) -> None:
    assert answers("print", 1) == ["print", 2]
    assert capfd.readouterr() == ("", "printed\n")


def test_a_process_that_does_not_start_ends_the_run(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(RequestError, match="did not start: it ended with status 1"),
        WorkerPool("tests.tfmodel.cli.pool_answers:broken", 1, jobs=2) as pool,
    ):
        list(pool.map([1, 2]))


def test_a_python_without_a_path_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(RequestError, match="the path of this one is not known"):
        answers(1)


def test_only_some_items_are_taken_before_the_first_answer_is() -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in itertools.count():
            taken.append(number)
            yield number

    with WorkerPool(ANSWERER, 1, jobs=2) as pool:
        assert next(pool.map(items())) == (0, 1)
    assert len(taken) <= 2 * WAITING


def test_no_process_is_left_after_an_error() -> None:
    processes = []
    with pytest.raises(ZeroDivisionError), WorkerPool(ANSWERER, 1, jobs=2) as pool:
        for _, process in pool.map(["process", ["sleep", 60, 0], ["sleep", 60, 0]]):
            processes.append(process)
            raise ZeroDivisionError
    assert has_ended(*processes)


def has_ended(process: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


_PROGRAM = """
from tfmodel.cli.worker_pool import WorkerPool
with WorkerPool("tests.tfmodel.cli.pool_answers:answerer", 1, jobs=2) as pool:
    for _, answer in pool.map(["process", "process", *([["sleep", 60, 0]] * 4)]):
        print(answer, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent otherwise")
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_a_signal_ends_all_processes(name: str) -> None:
    """Control-C goes to the whole group; SIGKILL to the first process alone, which closes the pipes of the others."""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    program = _PROGRAM if name == "SIGINT" else _PROGRAM.replace("60", "0.5")
    words = [sys.executable, "-c", program]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, start_new_session=True
    ) as started:
        assert started.stdout is not None
        processes = {int(started.stdout.readline()) for _ in range(2)}
        if name == "SIGINT":
            os.killpg(started.pid, signal.SIGINT)
        else:
            started.kill()
        assert started.wait(20) != 0
    end = time.monotonic() + 20
    while not all(map(has_ended, processes)) and time.monotonic() < end:
        time.sleep(0.05)
    assert all(map(has_ended, processes))
