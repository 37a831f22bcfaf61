"""Run a function that uses TensorFlow in a separate process, since it may crash or hang.

run_isolated(lambda: session.run(...).tolist(), seconds=30)     # its result, or {"error": ...}, or {"signal": 6}
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Any

__all__ = ["run_isolated"]


def run_isolated(ask: Callable[[], Any], seconds: int) -> Any:
    """Run a function in a fork and return its result, which must be JSON.

    Returns {"error": message} if it raises, and {"signal": number} if the process dies, of SIGALRM at a timeout.
    Its standard error is dropped. The fork runs no cleanup of this process. A process that has had a session of
    TensorFlow cannot be forked.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(seconds)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            said = ask()
        except Exception as error:  # any exception is an answer
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
