"""Make tfmodel/ops/op_defs.pb.gz: the declarations of all ops of TensorFlow, an OpList.

    python -m tests.data.op_defs         with a Python that has TensorFlow 2.12.1

The descriptions are left out: they are most of the size, and tfmodel does not use them.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "tfmodel" / "ops" / "op_defs.pb.gz"


def op_list() -> Any:
    from tensorflow.core.framework.op_def_pb2 import OpList
    from tensorflow.python.client import pywrap_tf_session

    ops = OpList.FromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    ops.op.sort(key=lambda op: op.name)  # TensorFlow returns them in hash order, which differs from run to run
    for op in ops.op:
        op.ClearField("summary")
        for documented in (op, *op.input_arg, *op.output_arg, *op.attr):
            documented.ClearField("description")
    return ops


def main() -> None:
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file:
        file.write(op_list().SerializeToString(deterministic=True))
    FILE.write_bytes(packed.getvalue())


if __name__ == "__main__":
    main()
