"""Functions that a process of a `WorkerPool` runs in tests."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

__all__ = ["answerer", "broken"]


def answerer(setup: Any) -> Callable[[Any], Any]:
    """Return a function that does what an item says: sleep, end the process, or add one to a number."""

    def answer(item: Any) -> Any:
        match item:
            case ["sleep", seconds, value]:
                time.sleep(seconds)
                return value
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "exit":
                os._exit(3)
            case "print":
                print("printed")
            case "process":
                return os.getpid()
            case int():
                return item + setup
        return item

    return answer


def broken(setup: Any) -> Callable[[Any], Any]:
    raise ValueError("this function has a bug")
