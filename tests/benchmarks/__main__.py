"""Compare pbwire and tfmodel with protobuf's two backends and TensorFlow, in the same run.

    python -m tests.benchmarks codec [FILE]      parse, serialize, list nodes, change one; ratios
    python -m tests.benchmarks text [FILE]       print it as text, parse texts of three forms
    python -m tests.benchmarks json [FILE]       print it as JSON, parse that
    python -m tests.benchmarks large-bytes       print a graph with 96 MB of weights as text, parse it; protoc too, if
                                                 it is installed
    python -m tests.benchmarks shapes            the same for generated files of other shapes
    python -m tests.benchmarks checkpoint        list and read checkpoints; TensorFlow too, if available
    python -m tests.benchmarks weights           list, describe and export the weights of a large frozen graph
    python -m tests.benchmarks value-diff        compare the values of two checkpoints of 1 GB; NumPy beside it
    python -m tests.benchmarks search            find nodes in a graph of 100,000; a loop with protobuf beside it
    python -m tests.benchmarks transforms        structural transforms; the C++ tool too, if available
    python -m tests.benchmarks kernels           the layers of two models; TensorFlow too, if available
    python -m tests.benchmarks compat-tools [F]  whole tools on protobuf-style messages; --tensorflow adds TensorFlow
    python -m tests.benchmarks peers [FILE]      other protobuf libraries for Python, which it installs in a folder
    python -m tests.benchmarks interpreter       whole models; needs TensorFlow, which makes them
    python -m tests.benchmarks page [FILE]       write the page of draw; open and zoom it, if Chromium is installed
    python -m tests.benchmarks start             how long imports and --help take

FILE is a MetaGraphDef (.meta), a saved_model.pb or a GraphDef. Each contender has its own process; they take turns
for some rounds, and the best time of each counts. Figures are milliseconds; a ratio above 1 means "ours" is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.checkpoints import checkpoint
from tests.benchmarks.compat_tools import compat_tools
from tests.benchmarks.interpreter import interpreter
from tests.benchmarks.kernels import kernels
from tests.benchmarks.large_bytes import large_bytes
from tests.benchmarks.page import page
from tests.benchmarks.peers import default_file, peers
from tests.benchmarks.search import search
from tests.benchmarks.shapes import SHAPES, make, structure
from tests.benchmarks.texts import FORMS
from tests.benchmarks.transforms import transforms
from tests.benchmarks.value_diff import value_diff
from tests.benchmarks.weights import weights
from tests.support.corpus import corpus
from tfmodel.cli.runner import run_quietly

ROUNDS = 3
CONTENDERS = {"ours": "upb", "upb": "upb", "pure Python": "python"}
WHOLE_FILE = {
    "codec": ["parse", "serialize", "deterministic", "list", "change"],
    "text": ["print", *FORMS],
    "json": ["print_json", "parse_json"],
}
ROOT = Path(__file__).parents[2]

Times = dict[str, dict[str, float]]


def measure(file: Path, full_name: str, tasks: list[str], contenders: list[str], rounds: int = ROUNDS) -> Times:
    """Return the best time for each contender and task, and under "peak" the peak memory of the process."""
    results: Times = {name: {} for name in contenders}
    for _ in range(rounds):
        for name in contenders:
            done = subprocess.run(
                [sys.executable, "-m", "tests.benchmarks.contenders", name, full_name, str(file), *tasks],
                stdout=subprocess.PIPE,
                check=True,
                cwd=ROOT,
                env=os.environ | {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": CONTENDERS[name]},
            )
            for task, value in json.loads(done.stdout).items():
                results[name][task] = min(value, results[name].get(task, value))
    return results


def table(results: Times, tasks: list[str]) -> str:
    """Format the times, and the ratios of the other contenders' times to ours."""
    others = [name for name in results if name != "ours"]
    rows = [["", "ours", *others, *(f"{name} / ours" for name in others)]]
    for task in tasks:
        ours = results["ours"][task]
        times = [f"{results[name][task] * 1e3:.1f}" for name in results]
        rows.append([task, *times, *(f"{results[name][task] / ours:.2f}" for name in others)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def type_of(file: Path) -> str:
    name = {".meta": "MetaGraphDef"}.get(file.suffix, "SavedModel" if file.name == "saved_model.pb" else "GraphDef")
    return f"tensorflow.{name}"


def whole_file(file: Path | None, tasks: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if file is None and corpus is not None:
            file = corpus / "generated" / "conv_train.meta"
        if file is None:
            file = Path(folder) / "structure.pb"
            file.write_bytes(structure().to_bytes())
        print(f"{file.name}, {file.stat().st_size:,} bytes; ms")
        print(table(measure(file, type_of(file), tasks, list(CONTENDERS)), tasks))


def shapes() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in SHAPES:
            file, full_name = make(name, Path(folder))
            size = file.stat().st_size
            large = size > 50_000_000
            print(f"\n{name}, {size:,} bytes; ms")
            tasks = ["read and list", "load and save"] if large else ["parse", "serialize"]
            results = measure(file, full_name, tasks, ["ours", "upb"] if large else list(CONTENDERS), rounds=2)
            print(table(results, tasks))
            if large:
                peaks = measure(file, full_name, ["load and save"], ["ours", "upb"], rounds=1)
                for contender, result in peaks.items():
                    print(f"load and save, peak memory of the process: {contender} {result['peak'] / size:.2f} files")


def start() -> None:
    commands = {
        "python -c pass": ["-c", "pass"],
        "import pbwire": ["-c", "import pbwire"],
        "import tfmodel": ["-c", "import tfmodel"],
        "from tfmodel.messages import GraphDef": ["-c", "from tfmodel.messages import GraphDef"],
        "tfmodel --help": ["-m", "tfmodel", "--help"],
        "from google.protobuf import message": ["-c", "from google.protobuf import message"],
    }
    for name, arguments in commands.items():
        times = []
        for _ in range(15):
            begin = time.perf_counter()
            subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - begin)
        print(f"{min(times) * 1e3:7.1f} ms  {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in WHOLE_FILE:
        commands.add_parser(name).add_argument("file", nargs="?", type=Path)
    large = commands.add_parser("large-bytes")
    large.add_argument("--protoc", default="protoc", help="the compiler of protobuf")
    commands.add_parser("shapes")
    commands.add_parser("checkpoint")
    commands.add_parser("weights")
    commands.add_parser("value-diff")
    commands.add_parser("search")
    commands.add_parser("transforms")
    commands.add_parser("kernels")
    commands.add_parser("interpreter")
    compat = commands.add_parser("compat-tools")
    compat.add_argument("file", nargs="?", type=Path, default=ROOT / "tests/data/linear.pb")
    compat.add_argument("--tensorflow", default="", help="a Python that has TensorFlow and protobuf")
    others = commands.add_parser("peers")
    others.add_argument("file", nargs="?", type=Path, default=default_file())
    others.add_argument("--environment", type=Path, help="keep what is installed in this folder, and use it again")
    commands.add_parser("page").add_argument("file", nargs="?", type=Path)
    commands.add_parser("start")
    args = parser.parse_args()
    if args.command in WHOLE_FILE:
        whole_file(args.file, WHOLE_FILE[args.command])
    elif args.command == "peers":
        peers(args.file, type_of(args.file), args.environment)
    elif args.command == "page":
        page(args.file)
    else:
        families = {
            "shapes": shapes,
            "start": start,
            "checkpoint": checkpoint,
            "weights": weights,
            "value-diff": value_diff,
            "search": search,
        }
        families["large-bytes"] = lambda: large_bytes(args.protoc)
        families["compat-tools"] = lambda: compat_tools(args.file, args.tensorflow)
        families |= {"transforms": transforms, "kernels": kernels, "interpreter": interpreter}
        families[args.command]()


if __name__ == "__main__":
    sys.exit(run_quietly(main))
