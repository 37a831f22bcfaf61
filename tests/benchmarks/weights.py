"""Time and memory of `tfmodel weights` on a frozen graph of 100 MB, as a whole process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorProto, TensorShapeProto

__all__ = ["weights"]

ROUNDS = 5
SIZE = 300 * 333_332  # whole numbers of floats in each of 300 constants
ROOT = Path(__file__).parents[2]

# Runs the command that its arguments give, and prints the most memory that it had, in bytes, where the system tells.
CODE = """
import json, os, sys
from tfmodel.cli import runner
sys.stdout = open(os.devnull, "w")
status = runner.run("weights", ".weights", "", sys.argv[1:])
try:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
except ImportError:
    peak = 0
sys.__stdout__.write(json.dumps(peak))
sys.exit(status)
"""


def frozen(size: int, nodes: int = 1_200) -> GraphDef:
    """Return a frozen network: few nodes, and nearly all of its bytes in the weights of every fourth."""
    weights = bytes(size // (nodes // 4))
    tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_content=weights)
    tensor.tensor_shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=len(weights) // 4)])
    attrs = {"dtype": AttrValue(type=DataType.DT_FLOAT), "value": AttrValue(tensor=tensor)}
    node = []
    for n in range(0, nodes, 4):
        node.append(NodeDef(name=f"layer_{n}/weights", op="Const", attr=attrs))
        last = f"layer_{n - 4}/relu" if n else "input"
        for op, inputs in (("Conv2D", [last, f"layer_{n}/weights"]), ("BiasAdd", ["conv", "bias"]), ("Relu", ["add"])):
            attr = {"T": AttrValue(type=DataType.DT_FLOAT), "data_format": AttrValue(s=b"NHWC")}
            node.append(NodeDef(name=f"layer_{n}/{op.lower()}", op=op, input=inputs, attr=attr))
    return GraphDef(node=node)


def weights() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "frozen.pb"
        with file.open("wb") as out:
            out.writelines(frozen(SIZE).to_buffers())
        size = file.stat().st_size
        tasks = {
            "list": [],
            "list as JSON": ["--json"],
            "statistics": ["--statistics"],
            "statistics, histograms": ["--statistics", "--histogram"],
            "export to .npz": ["-o", str(Path(folder) / "weights.npz")],
            "export to .safetensors": ["-o", str(Path(folder) / "weights.safetensors")],
        }
        print(f"{size:,} bytes; whole process, best of {ROUNDS}")
        for name, arguments in tasks.items():
            best, peak = measured([str(file), *arguments])
            print(f"{best * 1e3:9.0f} ms  {peak / size:5.2f} files of memory  {name}")


def measured(arguments: list[str]) -> tuple[float, int]:
    """Return the seconds of the fastest run, and the smallest peak of memory."""
    times, peaks = [], []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", CODE, *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        times.append(time.perf_counter() - begin)
        peaks.append(json.loads(done.stdout))
    return min(times), min(peaks)
