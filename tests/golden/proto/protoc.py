"""Record what protoc makes of the files in tests/data/proto. It needs protoc, or the package grpcio-tools.

python -m tests.golden.proto.protoc [PROTOC]

Edition 2024, in `library`, needs protoc 32 or grpcio-tools 1.76.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["DESCRIPTORS", "FILES", "FOLDER", "LIBRARY", "LIBRARY_DESCRIPTORS", "SETS", "main"]

FOLDER = Path(__file__).parents[2] / "data" / "proto"
FILES = ["shop/money.proto", "shop/order.proto", "shop/stock.proto"]
DESCRIPTORS = Path(__file__).with_name("shop.pb")
SETS = {DESCRIPTORS: FILES, Path(__file__).with_name("options.pb"): ["options/uses.proto"]}
"""The files of each set of descriptors with imports."""

LIBRARY = ["library/notes.proto", "library/reader.proto", "library/book.proto"]
LIBRARY_DESCRIPTORS = Path(__file__).with_name("library.pb")


def main(arguments: Sequence[str]) -> None:
    protoc = [*arguments] or [sys.executable, "-m", "grpc_tools.protoc"]
    for target, files in SETS.items():
        _record(protoc, target, ["--include_imports", *files])
    _record(protoc, LIBRARY_DESCRIPTORS, LIBRARY)  # without descriptor.proto, which differs between versions


def _record(protoc: list[str], target: Path, arguments: list[str]) -> None:
    subprocess.run([*protoc, f"--descriptor_set_out={target}", f"-I{FOLDER}", *arguments], check=True, cwd=FOLDER)


if __name__ == "__main__":
    main(sys.argv[1:])
