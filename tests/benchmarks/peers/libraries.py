"""One library in a process of its own: `python libraries.py JOB`, where JOB is a JSON object.

    kind, folder      the library, and the folder of its generated code
    proto, message    the .proto file and the full name of the message
    data, out         the encoded message, and a folder for the results of tasks
    tasks             names of tasks; "memory" measures the peak memory of the process and must be the only one
    pairs             instead of tasks, for protobuf: pairs of files; "same" says which have equal messages

Prints a JSON object: seconds of CPU time for each task, for "import" and for "first decode"; "memory" in bytes; or,
where a task fails, a list with the name of the exception. Each task leaves an encoded message in `out`, which should
equal the original or, after "edit", the original with a node renamed.

This module runs where only the library and Python's own are installed: it imports nothing of this project but pbwire.
"""

from __future__ import annotations

import gc
import json
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ENOUGH = 1.0  # seconds per task
MAX_REPEATS = 15
SLOW = 2.0  # a task that takes more is run once


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


def _betterproto(_: str, message: str) -> Functions:
    cls = _package_class(message)
    return Functions(lambda data: cls().parse(data), bytes, cls.to_json, lambda text: cls().from_json(text))


def _betterproto2(_: str, message: str) -> Functions:
    cls = _package_class(message)
    return Functions(cls.parse, bytes, cls.to_json, cls.from_json)


def _protobug(_: str, message: str) -> Functions:
    cls = getattr(import_module("messages"), "_" + message.replace(".", "_"))
    protobug = import_module("protobug")
    return Functions(lambda data: protobug.loads(data, cls), protobug.dumps)


KINDS: dict[str, Callable[[str, str], Functions]] = {
    "pbwire": _pbwire,
    "lazy": _lazy,
    "protobuf": _protobuf,
    "protobuf_py": _protobuf_py,
    "betterproto": _betterproto,
    "betterproto2": _betterproto2,
    "protobug": _protobug,
}


def _nodes(message: Any) -> Any:
    """Return the nodes of a GraphDef, a MetaGraphDef or the first graph of a SavedModel."""
    if hasattr(message, "meta_graphs"):
        message = message.meta_graphs[0]
    return getattr(message, "graph_def", message).node


def _tasks(functions: Functions, data: bytes) -> Iterator[tuple[str, Callable[[], Any], Any]]:
    """Yield the tasks of a library: name, function, and the function that makes an encoded message of its result."""
    encode = functions.encode

    def edit() -> bytes:
        changed = functions.decode(data)
        nodes = _nodes(changed)
        nodes[len(nodes) // 2].name = "changed"
        return encode(changed)

    kept: list[Any] = []

    def keep(message: Any) -> bytes:
        kept.append(message)
        return encode(message)

    yield "edit", edit, bytes
    yield "decode", lambda: functions.decode(data), keep
    if not kept:
        return
    message = kept[0]
    yield "encode", lambda: encode(message), bytes
    for form, printer, parser in (
        ("text", functions.print_text, functions.parse_text),
        ("JSON", functions.print_json, functions.parse_json),
    ):
        if printer and parser:
            printed: list[str] = []
            yield f"print {form}", lambda printer=printer: printer(message), printed.append
            if printed:
                yield f"parse {form}", lambda parser=parser, text=printed[0]: parser(text), encode


def _best(task: Callable[[], Any]) -> tuple[float, Any]:
    """Return the best time of a task, and its last result. A first run, which may compile functions, is not counted."""
    times: list[float] = []
    result = None
    for _ in range(MAX_REPEATS + 1):
        result = None
        gc.collect()
        start = time.process_time()
        result = task()
        times.append(time.process_time() - start)
        if times[0] > SLOW or (len(times) > 3 and sum(times) > ENOUGH):
            break
    return min(times[1:] or times), result


def peak_memory() -> int:
    """Return the peak memory of this process, without the parent's, which getrusage includes."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _same(protobuf: Functions, first: Path, second: Path) -> bool:
    """Return whether protobuf decodes equal messages from two files. NaNs are equal to themselves here."""
    one, other = (protobuf.decode(path.read_bytes()).SerializeToString(deterministic=True) for path in (first, second))
    return bool(one == other)


def main(job: dict[str, Any]) -> dict[str, Any]:
    sys.path.insert(0, job["folder"])
    start = time.process_time()
    functions = KINDS[job["kind"]](job["proto"], job["message"])
    results: dict[str, Any] = {"import": time.process_time() - start}
    if "pairs" in job:
        return {"same": [_same(functions, Path(first), Path(second)) for first, second in job["pairs"]]}
    if not job["tasks"]:
        return results
    data = Path(job["data"]).read_bytes()
    start = time.process_time()
    message = functions.decode(data)
    results["first decode"] = time.process_time() - start
    if job["tasks"] == ["memory"]:
        functions.encode(message)
        return {"memory": peak_memory()}
    del message  # others that are alive slow down a decoder: Python's garbage collector visits them
    for name, task, encoded in _tasks(functions, data):
        if name in job["tasks"] or name == "decode":
            try:
                results[name], result = _best(task)
                output = encoded(result)
                del result
                if output is not None:
                    (Path(job["out"]) / name).write_bytes(output)
            except Exception as error:  # whatever a library raises is its result
                results[name] = [type(error).__name__]
    return results


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
