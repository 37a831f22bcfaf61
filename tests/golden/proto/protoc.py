"""Record what protoc makes of tests/data/proto/shop. It needs the package grpcio-tools."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["DESCRIPTORS", "FILES", "FOLDER", "main"]

FOLDER = Path(__file__).parents[2] / "data" / "proto"
FILES = ["shop/money.proto", "shop/order.proto", "shop/stock.proto"]
DESCRIPTORS = Path(__file__).with_name("shop.pb")


def main() -> None:
    arguments = ["--include_imports", f"--descriptor_set_out={DESCRIPTORS}", f"-I{FOLDER}"]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *arguments, *FILES], check=True, cwd=FOLDER)


if __name__ == "__main__":
    main()
