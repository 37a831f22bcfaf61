"""Record what protoc makes of the files in tests/data/proto. It needs protoc, or the package grpcio-tools.

python -m tests.golden.proto.protoc [PROTOC]
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["DESCRIPTORS", "FILES", "FOLDER", "SETS", "main"]

FOLDER = Path(__file__).parents[2] / "data" / "proto"
FILES = ["shop/money.proto", "shop/order.proto", "shop/stock.proto"]
DESCRIPTORS = Path(__file__).with_name("shop.pb")
SETS = {DESCRIPTORS: FILES, Path(__file__).with_name("options.pb"): ["options/uses.proto"]}


def main(arguments: Sequence[str]) -> None:
    protoc = [*arguments] or [sys.executable, "-m", "grpc_tools.protoc"]
    for target, files in SETS.items():
        options = ["--include_imports", f"--descriptor_set_out={target}", f"-I{FOLDER}"]
        subprocess.run([*protoc, *options, *files], check=True, cwd=FOLDER)


if __name__ == "__main__":
    main(sys.argv[1:])
