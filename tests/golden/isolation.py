"""Run a function that uses TensorFlow in a process of its own, since it may crash or hang.

apart(lambda: session.run(...).tolist(), seconds=30)     # its result, or {"error": ...}, or {"signal": 6}
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Any

__all__ = ["apart"]


def apart(ask: Callable[[], Any], seconds: int) -> Any:
    """What a function gives, which JSON must know; {"error": its words} if it raises something, {"signal": number} if
    the process dies, of SIGALRM when the seconds are over. What it says on standard error is dropped.

    Nothing of what this process has begun is ended in the other one. One that has had a session cannot be forked.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(seconds)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            said = ask()
        except Exception as error:  # whatever it is, it is the answer
            said = {"error": str(error)}
        try:
            with os.fdopen(writer, "w") as stream:
                json.dump(said, stream)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {"signal": -status} if status else json.loads(said)
