"""Write `order_NAME.txt`: see the package."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from pbwire import proto
from pbwire.compat.pools import DescriptorPool
from pbwire.proto.loader import Loader
from pbwire.proto.pool import with_imports
from tfmodel.compat import proto_modules

HERE = Path(__file__).parent
SHAPES = "tensorflow/core/framework/tensor_shape.proto"


def main(protoc: str, name: str, *options: str) -> None:
    assert proto_modules.table_sources
    loader = Loader([])
    loader.pool = DescriptorPool().FindFileByName(SHAPES).pool._loader.pool
    loader.load_text((HERE / "order.proto").read_text(), "order.proto")
    names = with_imports(loader.pool, ["order.proto"])
    descriptors = proto.FileDescriptorSet(file=[loader.pool.files[one].proto for one in names])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "set.pb").write_bytes(descriptors.to_bytes())
        command = [protoc, "--descriptor_set_in=set.pb", "--python_out=.", *options, "order.proto"]
        subprocess.run(command, cwd=folder, check=True)
        (HERE / f"order_{name}.txt").write_text(Path(folder, "order_pb2.py").read_text())


main(*sys.argv[1:])
