"""Compare pbwire with other protobuf libraries, and tfmodel with protobuf and TensorFlow, in the same run.

    python -m tests.benchmarks codec             pbwire beside other libraries, which it installs in a folder, on eight
                                                 kinds of data: binary, text and JSON, cold and warm; the goals
    python -m tests.benchmarks large-bytes       print a graph with 96 MB of weights as text, parse it; protoc too, if
                                                 it is installed
    python -m tests.benchmarks checkpoint        list and read checkpoints; TensorFlow too, if available
    python -m tests.benchmarks weights           list, describe and export the weights of a large frozen graph
    python -m tests.benchmarks value-diff        compare the values of two checkpoints of 1 GB; NumPy beside it
    python -m tests.benchmarks search            find nodes in a graph of 100,000; a loop with protobuf beside it
    python -m tests.benchmarks transforms        structural transforms; the C++ tool too, if available
    python -m tests.benchmarks kernels           the layers of two models; TensorFlow too, if available
    python -m tests.benchmarks compat-tools [F]  whole tools on protobuf-style messages; --tensorflow adds TensorFlow
    python -m tests.benchmarks interpreter       whole models; needs TensorFlow, which makes them
    python -m tests.benchmarks page [FILE]       write the page of draw; open and zoom it, if Chromium is installed
    python -m tests.benchmarks start             how long imports and --help take

Each contender has its own process; they take turns for some rounds, and the best time of each counts. Figures are
milliseconds; but for "codec", a ratio above 1 means "ours" is faster.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.checkpoints import checkpoint
from tests.benchmarks.codec import KINDS, ROUNDS, codec
from tests.benchmarks.compat_tools import compat_tools
from tests.benchmarks.interpreter import interpreter
from tests.benchmarks.kernels import kernels
from tests.benchmarks.large_bytes import large_bytes
from tests.benchmarks.page import page
from tests.benchmarks.search import search
from tests.benchmarks.transforms import transforms
from tests.benchmarks.value_diff import value_diff
from tests.benchmarks.weights import weights
from tfmodel.cli.runner import run_quietly

ROOT = Path(__file__).parents[2]


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
    libraries = commands.add_parser("codec")
    libraries.add_argument("--kinds", nargs="+", choices=list(KINDS), default=[], help="default: all")
    libraries.add_argument("--libraries", nargs="+", metavar="NAME", default=[], help='default: all; "pbwire" is ours')
    libraries.add_argument("--rounds", type=int, default=ROUNDS)
    libraries.add_argument("--scale", type=float, default=1, help="below 1: made data only, of a part of the size")
    libraries.add_argument("--goals", action="store_true", help="compare with the goals of pbwire")
    libraries.add_argument("--environment", type=Path, help="keep what is installed in this folder, and use it again")
    large = commands.add_parser("large-bytes")
    large.add_argument("--protoc", default="protoc", help="the compiler of protobuf")
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
    commands.add_parser("page").add_argument("file", nargs="?", type=Path)
    commands.add_parser("start")
    args = parser.parse_args()
    if args.command == "codec":
        options = {"rounds": args.rounds, "scale": args.scale, "goals": args.goals, "folder": args.environment}
        codec(args.kinds, args.libraries, **options)
    elif args.command == "page":
        page(args.file)
    else:
        families = {
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
