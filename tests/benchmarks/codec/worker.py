"""One library in a process of its own: `python worker.py JOB`, where JOB is a JSON object.

    kind, folder      the library, and the folder of its generated code
    proto, message    the .proto file and the full name of the message
    data, small       files of encoded messages: the one to measure, and a small one that uses the same classes
    edited, reader    the string that "edit" changes, and the module that reads all fields
    out               a folder for the results of tasks; without it, no tasks are run
    pairs             instead of all that, for protobuf: pairs of files; "same" says which have equal messages

Prints a JSON object. Without tasks, "cold" has seconds of CPU time for "import", "first decode" and "first encode" of
the process. With tasks, it has the times of the first run for this message, after all tasks have run for the small
one, so that classes are compiled; "warm" has the best times of more runs; "failures" has names of exceptions. Each
task leaves an encoded message in `out`, which should be what other libraries leave there.

This module runs where only the library and Python's own are installed: it imports nothing of this project but pbwire.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ENOUGH = 0.2  # seconds of warm runs for each task
MAX_REPEATS = 5
SMALL_RUNS = 3  # with the small message


class Functions(NamedTuple):
    """A library's functions for one message. Those for text and JSON import what they need when they are called."""

    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]
    print_json: Callable[[Any], str] | None = None
    parse_json: Callable[[str], Any] | None = None
    print_text: Callable[[Any], str] | None = None
    parse_text: Callable[[str], Any] | None = None


def _module_class(proto: str, message: str, suffix: str) -> Any:
    module = import_module(re.sub(r"\.proto$", suffix, proto).replace("/", "."))
    return getattr(module, message.rpartition(".")[2])


def _pbwire(proto: str, message: str) -> Functions:
    cls = _module_class(proto, message, "")

    def print_json(value: Any) -> str:
        from pbwire import json

        return json.dumps(value, indent=None)

    def parse_json(text: str) -> Any:
        from pbwire import json

        return json.loads(text, cls)

    def print_text(value: Any) -> str:
        from pbwire import text

        return text.dumps(value)

    def parse_text(source: str) -> Any:
        from pbwire import text

        return text.loads(source, cls)

    return Functions(cls.from_bytes, cls.to_bytes, print_json, parse_json, print_text, parse_text)


def _lazy(proto: str, message: str) -> Functions:
    cls = _module_class(proto, message, "")
    return Functions(lambda data: cls.from_bytes(data, lazy=True), lambda value: bytes(value.to_bytes()))


def _protobuf(proto: str, message: str) -> Functions:
    cls = _module_class(proto, message, "_pb2")

    def print_json(value: Any) -> str:
        from google.protobuf import json_format

        return json_format.MessageToJson(value, indent=None)

    def parse_json(text: str) -> Any:
        from google.protobuf import json_format

        return json_format.Parse(text, cls())

    def print_text(value: Any) -> str:
        from google.protobuf import text_format

        return text_format.MessageToString(value)

    def parse_text(text: str) -> Any:
        from google.protobuf import text_format

        return text_format.Parse(text, cls())

    return Functions(cls.FromString, cls.SerializeToString, print_json, parse_json, print_text, parse_text)


def _protobuf_py(proto: str, message: str) -> Functions:
    cls = _module_class(proto, message, "_pb")

    def print_text(value: Any) -> str:
        from protobuf.txtpb import message_to_text  # type: ignore[import-not-found]  # installed by the benchmark

        return str(message_to_text(value))

    def parse_text(text: str) -> Any:
        from protobuf.txtpb import message_from_text  # type: ignore[import-not-found]  # installed by the benchmark

        return message_from_text(cls, text)

    return Functions(cls.from_binary, cls.to_binary, cls.to_json, cls.from_json, print_text, parse_text)


def _package_class(message: str) -> Any:
    package, _, name = message.rpartition(".")
    return getattr(import_module(f"generated.{package}"), name)


def _betterproto2(_: str, message: str) -> Functions:
    cls = _package_class(message)
    return Functions(cls.parse, bytes, cls.to_json, cls.from_json)


KINDS: dict[str, Callable[[str, str], Functions]] = {
    "pbwire": _pbwire,
    "lazy": _lazy,
    "protobuf": _protobuf,
    "protobuf_py": _protobuf_py,
    "betterproto2": _betterproto2,
}


def _edit(message: Any, path: list[str]) -> None:
    """Change a string: `path` are names of fields; of a repeated one, the middle element."""
    for name in path[:-1]:
        message = getattr(message, name)
        with contextlib.suppress(TypeError):  # not repeated
            message = message[len(message) // 2]
    setattr(message, path[-1], "changed")


def _tasks(functions: Functions, job: dict[str, Any], data: bytes) -> Iterator[tuple[str, Callable[[], Any], Any]]:
    """Yield the tasks of a library: name, function, and the function that makes an encoded message of its result."""
    decode, encode = functions.decode, functions.encode
    reader: dict[str, Any] = {}
    exec(Path(job["reader"]).read_text(encoding="utf-8"), reader)
    read, path = reader["read"], job["edited"].split(".")

    def edit() -> bytes:
        message = decode(data)
        _edit(message, path)
        return encode(message)

    decoded: list[Any] = []

    def keep(message: Any) -> bytes:
        decoded.append(message)
        return encode(message)

    yield "decode", lambda: decode(data), keep
    if not decoded:
        return
    message = decoded[0]
    yield "decode, read", lambda: read(decode(data)), lambda count: str(count).encode()
    yield "encode", lambda: encode(message), bytes
    yield "edit", edit, bytes
    yield "deepcopy", lambda: copy.deepcopy(message), encode
    for form, printer, parser in (
        ("text", functions.print_text, functions.parse_text),
        ("JSON", functions.print_json, functions.parse_json),
    ):
        if printer and parser:
            printed: list[str] = []
            yield f"print {form}", partial(printer, message), printed.append
            if printed:
                yield f"parse {form}", partial(parser, printed[0]), encode


def _time(task: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    start = time.process_time()
    result = task()
    return time.process_time() - start, result


def _measure(functions: Functions, job: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Run all tasks: for the small message, once for the other one, then repeatedly."""
    cold: dict[str, float] = {}
    warm: dict[str, float] = {}
    failures: dict[str, str] = {}
    small = Path(job["small"]).read_bytes()
    for _ in range(SMALL_RUNS):
        for _, task, encoded in _tasks(functions, job, small):
            with contextlib.suppress(Exception):  # it will fail again
                encoded(task())
    functions_of_tasks = []
    for name, task, encoded in _tasks(functions, job, Path(job["data"]).read_bytes()):
        try:
            cold[name], result = _time(task)
            functions_of_tasks.append((name, task))
            output = encoded(result)
            del result
            if output is not None:
                (Path(job["out"]) / name).write_bytes(output)
        except Exception as error:  # whatever a library raises is its result
            failures[name] = type(error).__name__
    for name, task in functions_of_tasks:
        times: list[float] = []
        while not times or (len(times) < MAX_REPEATS and sum(times) < ENOUGH):
            times.append(_time(task)[0])
        warm[name] = min(times)
    return {"cold": cold, "warm": warm, "failures": failures}


def _same(protobuf: Functions, first: Path, second: Path) -> bool:
    """Return whether two files have the same bytes, or equal messages for protobuf. NaNs are equal to themselves."""
    one, other = first.read_bytes(), second.read_bytes()
    if one == other:
        return True
    try:
        messages = [protobuf.decode(data).SerializeToString(deterministic=True) for data in (one, other)]
    except Exception:  # a count of messages, or damage
        return False
    return bool(messages[0] == messages[1])


def main(job: dict[str, Any]) -> dict[str, Any]:
    sys.path.insert(0, job["folder"])
    start = time.process_time()
    functions = KINDS[job["kind"]](job["proto"], job["message"])
    results: dict[str, Any] = {"import": time.process_time() - start}
    if "pairs" in job:
        return {"same": [_same(functions, Path(first), Path(second)) for first, second in job["pairs"]]}
    if "out" in job:
        return _measure(functions, job)
    data = Path(job["data"]).read_bytes()
    results["first decode"], message = _time(lambda: functions.decode(data))
    results["first encode"], _ = _time(lambda: functions.encode(message))
    return {"cold": results, "warm": {}, "failures": {}}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
