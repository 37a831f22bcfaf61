"""Google's newest json_format, the reference of pbwire's JSON.

    newest([Ask("sample.Leaf", data, "print"), Ask("sample.Leaf", '{"number": 1}', "parse")])

returns one answer each: JSON, deterministic bytes, or Refused. json_format has changed considerably since protobuf
4.25, the reference of `protobuf_twin`. One environment cannot hold both, so the newest is installed once into a folder
of its own (`python -m tests.support.newest_protobuf` does it ahead of time), and runs in a separate process. That
process builds the same pool from the same facts, and adds the samples of `tests.pbwire.json.kinds`.

If it is missing and cannot be installed, `newest` raises Unavailable. An environment with a protobuf newer than 4.25,
as for Python 3.14, uses that one.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, NamedTuple

__all__ = ["VERSION", "Ask", "Conversation", "Refused", "Unavailable", "newest", "printed"]

VERSION = "7.36.2"
ROOT = Path(__file__).parents[2]
IN_ENVIRONMENT = int(version("protobuf").partition(".")[0]) >= int(VERSION.partition(".")[0])
FOLDER = ROOT / ".venv" / f"protobuf-{VERSION}-{sys.implementation.cache_tag}"
INSTALL = ["pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "--retries=1", "--timeout=15"]


class Unavailable(Exception):
    """The newest protobuf is missing and could not be installed."""


class Ask(NamedTuple):
    """Bytes to be printed as JSON, or JSON to be parsed, as the message `full_name`.

    `options` are those of MessageToJson or Parse; the pool is given anyway. "pretty" is the text as it is printed,
    "print" stands for the document that it holds, in one form for equal ones, so that answers are small and comparable.
    "text" and "parse text" are the same for text format, with options of MessageToString; "str" is `str(message)`.
    """

    full_name: str
    content: bytes | str
    want: Literal["print", "pretty", "parse", "text", "parse text", "str"]
    options: Mapping[str, Any] = {}


class Refused(NamedTuple):
    """The answer if an error was raised: its class and its message."""

    error: str


def newest(questions: Iterable[Ask]) -> list[bytes | str | Refused]:
    """Return the newest protobuf's answers, all from one process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.newest_protobuf", "serve"],
        input=pickle.dumps([tuple(ask) for ask in questions]),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=os.environ | _path(),
        check=True,
    )
    return [Refused(*value) if isinstance(value, tuple) else value for value in pickle.loads(done.stdout)]


def printed(module: str, *arguments: str) -> list[str]:
    """Return the lines that a module prints when it runs with the newest protobuf."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ | _path(), check=True)
    return done.stdout.splitlines()


class Conversation:
    """`newest` for repeated questions: the process stays alive."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.newest_protobuf", "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=os.environ | _path(),
        )

    def ask(self, *questions: Ask) -> list[bytes | str | Refused]:
        assert self._process.stdin is not None and self._process.stdout is not None
        pickle.dump([tuple(ask) for ask in questions], self._process.stdin)
        self._process.stdin.flush()
        return [Refused(*value) if isinstance(value, tuple) else value for value in pickle.load(self._process.stdout)]

    def close(self) -> None:
        """End the process, and close its pipes."""
        self._process.kill()
        self._process.communicate()


def _path() -> dict[str, str]:
    """Return the environment of the other process."""
    return {} if IN_ENVIRONMENT else {"PYTHONPATH": str(installed())}


def installed() -> Path:
    """Return the folder of the newest protobuf; install it if it is missing."""
    if problem := _problem():
        raise Unavailable(f"protobuf {VERSION} cannot be installed: {problem}")
    return FOLDER


@cache  # detecting a missing network takes time
def _problem() -> str:
    """Install the newest protobuf if it is missing. Return the reason of a failure."""
    if FOLDER.is_dir():
        return ""
    try:
        FOLDER.parent.mkdir(exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=FOLDER.parent))  # an incomplete folder must not have that name
    except OSError as error:
        return str(error)
    command = [sys.executable, "-m", *INSTALL, f"--target={temporary}", f"protobuf=={VERSION}"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0 and not FOLDER.is_dir():
        temporary.rename(FOLDER)
    shutil.rmtree(temporary, ignore_errors=True)
    return "" if FOLDER.is_dir() else "".join(done.stderr.strip().splitlines()[-1:])


# --- in the other process ----------------------------------------------------------------------------------------


@cache
def _pool() -> Any:
    from tests.pbwire.json.kinds import FACTS
    from tests.support import protobuf_twin, schema_facts

    pool = protobuf_twin.pool()
    for file in protobuf_twin._files(schema_facts.parse(FACTS)).values():
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def _answer(ask: Ask) -> bytes | str | Refused:
    from google.protobuf import json_format, message_factory, text_format

    try:
        cls = message_factory.GetMessageClass(_pool().FindMessageTypeByName(ask.full_name))
        if ask.want == "parse":
            message = json_format.Parse(ask.content, cls(), descriptor_pool=_pool(), **ask.options)
            return message.SerializePartialToString(deterministic=True)
        if ask.want == "parse text":
            message = text_format.Parse(ask.content, cls(), descriptor_pool=_pool(), **ask.options)
            return message.SerializePartialToString(deterministic=True)
        message = cls()
        message.MergeFromString(ask.content)
        if ask.want == "str":
            return str(message)
        if ask.want == "text":
            return text_format.MessageToString(message, descriptor_pool=_pool(), **ask.options)
        text = json_format.MessageToJson(message, descriptor_pool=_pool(), **ask.options)
        return text if ask.want == "pretty" else json.dumps(json.loads(text), sort_keys=True)
    except Exception as error:  # any exception is an answer
        return Refused(f"{type(error).__name__}: {error}")


def _serve() -> None:
    """Answer lists of questions until the input ends."""
    while True:
        try:
            questions = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        answers = [_answer(Ask(*ask)) for ask in questions]
        pickle.dump([tuple(a) if isinstance(a, Refused) else a for a in answers], sys.stdout.buffer)
        sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        _serve()
    else:
        print(installed())
