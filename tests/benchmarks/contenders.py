"""One contender, in a separate process: `python -m tests.benchmarks.contenders NAME TYPE FILE TASK ...`.

Prints a JSON object: for each task the best of its times in seconds and, for a task that is measured so, the peak of
the process's memory in bytes. A contender is "ours" or one of protobuf's backends, which the environment chooses.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from tests.benchmarks.texts import FORMS, spelled

ENOUGH = 1.5  # seconds per task, but at least three runs
MAX_REPEATS = 15


def best(task: Callable[[], Any]) -> float:
    task()  # the first run compiles functions and reads files
    times: list[float] = []
    while len(times) < 3 or (sum(times) < ENOUGH and len(times) < MAX_REPEATS):
        gc.collect()
        start = time.perf_counter()
        result = task()
        times.append(time.perf_counter() - start)
        del result
    return min(times)


def nodes(message: Any) -> Any:
    """Return the nodes of a GraphDef, a MetaGraphDef or the first graph of a SavedModel."""
    if hasattr(message, "meta_graphs"):
        message = message.meta_graphs[0]
    return getattr(message, "graph_def", message).node


def walk(message: Any) -> list[Any]:
    return [(node.name, node.op, list(node.input)) for node in nodes(message)]


def our_tasks(full_name: str, file: Path) -> dict[str, Callable[[], Any]]:
    from tfmodel import load
    from tfmodel.messages import TYPES

    cls = TYPES[full_name]
    data = cache(file.read_bytes)
    message = cache(lambda: cls.from_bytes(data()))

    def print_text() -> str:
        from pbwire import text

        return text.dumps(message())

    text_in = cache(partial(spelled, full_name, file))

    def parse_text(form: str) -> Any:
        from pbwire import text

        return text.loads(text_in(form), cls, types=TYPES)

    def print_json() -> str:
        from pbwire import json

        return json.dumps(message(), types=TYPES)

    def parse_json() -> Any:
        from pbwire import json

        return json.loads(json_text(), cls, types=TYPES)

    json_text = cache(print_json)

    def change() -> bytes:
        changed = cls.from_bytes(data(), lazy=True)
        nodes(changed)[5].name = "changed"
        return changed.to_bytes()

    def save() -> None:
        with open("/dev/null", "wb") as out:
            out.writelines(load(file, cls, lazy=True).to_buffers())

    return {
        "parse": lambda: cls.from_bytes(data()),
        "serialize": lambda: message().to_bytes(),
        "deterministic": lambda: message().to_bytes(deterministic=True),
        "list": lambda: walk(cls.from_bytes(data(), lazy=True)),
        "change": change,
        "read and list": lambda: walk(load(file, cls, lazy=True)),
        "load and save": save,
        "print": print_text,
        **{form: partial(parse_text, form) for form in FORMS},
        "print_json": print_json,
        "parse_json": parse_json,
    }


def google_tasks(full_name: str, file: Path) -> dict[str, Callable[[], Any]]:
    from google.protobuf import json_format, text_format

    from tests.support.protobuf_twin import pool, twin

    cls = twin(full_name)
    data = cache(file.read_bytes)
    message = cache(lambda: cls.FromString(data()))

    def print_json() -> str:
        return json_format.MessageToJson(message(), descriptor_pool=pool())

    json_text = cache(print_json)
    text_in = cache(partial(spelled, full_name, file))

    def parse_text(form: str) -> Any:
        return text_format.Parse(text_in(form), cls(), descriptor_pool=pool())

    def change() -> Any:
        changed = cls.FromString(data())
        nodes(changed)[5].name = "changed"
        return changed.SerializeToString()

    def save() -> None:
        with open("/dev/null", "wb") as out:
            out.write(cls.FromString(file.read_bytes()).SerializeToString())

    return {
        "parse": lambda: cls.FromString(data()),
        "serialize": lambda: message().SerializeToString(),
        "deterministic": lambda: message().SerializeToString(deterministic=True),
        "list": lambda: walk(cls.FromString(data())),
        "change": change,
        "read and list": lambda: walk(cls.FromString(file.read_bytes())),
        "load and save": save,
        "print": lambda: text_format.MessageToString(message()),
        **{form: partial(parse_text, form) for form in FORMS},
        "print_json": print_json,
        "parse_json": lambda: json_format.Parse(json_text(), cls(), descriptor_pool=pool()),
    }


def main(contender: str, full_name: str, file: str, *names: str) -> None:
    tasks = (our_tasks if contender == "ours" else google_tasks)(full_name, Path(file))
    results = {name: best(tasks[name]) for name in names}
    print(json.dumps(results | {"peak": peak_memory()}))


def peak_memory() -> int:
    """Return the peak memory of this process, without the parent's, which getrusage includes."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
