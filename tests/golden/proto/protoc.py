"""Record what protoc makes of tests/data/proto/shop, and of tests/data/proto/library, which is of edition 2024.

It needs the package grpcio-tools, for edition 2024 from version 1.76 on.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["DESCRIPTORS", "FILES", "FOLDER", "LIBRARY", "LIBRARY_DESCRIPTORS", "main"]

FOLDER = Path(__file__).parents[2] / "data" / "proto"
FILES = ["shop/money.proto", "shop/order.proto", "shop/stock.proto"]
DESCRIPTORS = Path(__file__).with_name("shop.pb")
LIBRARY = ["library/notes.proto", "library/reader.proto", "library/book.proto"]
LIBRARY_DESCRIPTORS = Path(__file__).with_name("library.pb")


def main() -> None:
    for options, output, files in (
        (["--include_imports"], DESCRIPTORS, FILES),
        ([], LIBRARY_DESCRIPTORS, LIBRARY),  # without descriptor.proto, which differs between versions
    ):
        arguments = [*options, f"--descriptor_set_out={output}", f"-I{FOLDER}"]
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *arguments, *files], check=True, cwd=FOLDER)


if __name__ == "__main__":
    main()
