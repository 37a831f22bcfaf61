"""Time and memory of large bytes in text, as whole processes: a graph with 96 MB of random floats; protoc beside it."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path

from tfmodel.messages import AttrValue, GraphDef, NodeDef, TensorProto

__all__ = ["large_bytes"]

ROUNDS = 3
COUNT, FLOATS = 6, 4_000_000
ROOT = Path(__file__).parents[2]

# The fields of a GraphDef that occur in the file.
PROTO = """
syntax = "proto3";
package tensorflow;
message GraphDef { repeated NodeDef node = 1; }
message NodeDef { string name = 1; string op = 2; map<string, AttrValue> attr = 5; }
message AttrValue { oneof value { int32 type = 6; TensorProto tensor = 8; } }
message TensorProto { int32 dtype = 1; bytes tensor_content = 4; }
"""


def graph() -> GraphDef:
    normal = random.Random(1).gauss
    floats = array("f", (normal(0, 0.05) for _ in range(FLOATS // 16)))
    nodes = []
    for number in range(COUNT):
        weights = array("f", (value + number for value in floats)) * 16
        tensor = TensorProto(tensor_content=weights.tobytes())
        nodes.append(NodeDef(name=f"weights_{number}", op="Const", attr={"value": AttrValue(tensor=tensor)}))
    return GraphDef(node=nodes)


def large_bytes(protoc: str) -> None:
    """Print the time and the peak memory of printing and of parsing, for us and for protoc."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binary, printed, parsed = folder / "graph.pb", folder / "graph.pbtxt", folder / "parsed.pb"
        run([sys.executable, "-m", "tests.benchmarks.large_bytes", str(binary)])  # its memory is not part of ours
        (folder / "graph.proto").write_text(PROTO)
        ours = [sys.executable, "-m", "tfmodel"]
        rows = [
            ("print", "dump --full", [*ours, "dump", "--full", str(binary)], binary, printed),
            ("parse", "convert", [*ours, "convert", str(printed), str(parsed)], None, None),
        ]
        if shutil.which(protoc):
            theirs = [protoc, f"-I{folder}", str(folder / "graph.proto")]
            rows += [
                ("print", "protoc --decode", [*theirs, "--decode=tensorflow.GraphDef"], binary, printed),
                ("parse", "protoc --encode", [*theirs, "--encode=tensorflow.GraphDef"], printed, parsed),
            ]
        results: dict[tuple[str, str], tuple[float, int]] = {}
        for _ in range(ROUNDS):
            for task, label, command, source, target in rows:
                seconds, peak = run(command, source, target)
                results[task, label] = min((seconds, peak), results.get((task, label), (seconds, peak)))
        size = printed.stat().st_size
        print(f"{binary.stat().st_size:,} bytes, as text {size:,}; whole process, best of {ROUNDS}")
        for (task, label), (seconds, peak) in sorted(results.items(), reverse=True):
            print(f"{task}  {label:15}  {seconds:5.2f} s  peak memory {peak / size:4.2f} texts")


def run(command: list[str], source: Path | None = None, target: Path | None = None) -> tuple[float, int]:
    """Return the time and the peak memory in bytes of a process with these files as stdin and stdout."""
    with open(source or os.devnull, "rb") as stdin, open(target or os.devnull, "wb") as stdout:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=stdin, stdout=stdout, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(graph().to_bytes())
