"""Makes conversions.jsonl.gz: what TensorFlow makes of the tensors of tests/tfmodel/tensor_cases.py.

    python -m tests.golden.tensors.conversions         with a Python that has TensorFlow 2.12

One case a line, in the order of that module, READ before WRITE. What is written are literals of that module:

    name
    proto    of READ, what tf.make_ndarray was given; of WRITE, what tf.make_tensor_proto made: deterministic bytes in
             hexadecimal
    array    of READ, what tf.make_ndarray made: NumPy's name of the type, shape, and the elements as bytes in
             hexadecimal, of strings one by one. Types that NumPy lacks are turned into float32.
    error    instead of the result: the class of what TensorFlow raised
"""

from __future__ import annotations

import gzip
import io
import json
import warnings
from pathlib import Path
from typing import Any

from tests.tfmodel.tensor_cases import READ, WRITE, Read, Write

FILE = Path(__file__).with_name("conversions.jsonl.gz")


def _message(case: Read) -> Any:
    from tensorflow.core.framework import tensor_pb2

    message = tensor_pb2.TensorProto(**case.fields)
    message.dtype = case.dtype
    if case.shape is not None or case.unknown_rank:
        message.tensor_shape.SetInParent()
        message.tensor_shape.unknown_rank = case.unknown_rank
        for size in case.shape or ():
            message.tensor_shape.dim.add(size=size)
    return message


def _described(array: Any) -> list[Any]:
    import numpy as np

    if array.dtype == object:
        elements = [e if isinstance(e, bytes) else str(e).encode() for e in array.ravel()]
        return ["object", list(array.shape), [element.hex() for element in elements]]
    if array.dtype.names:  # the quantized types
        array = array.view(array.dtype[0])
    elif array.dtype.name.startswith(("bfloat", "float8")):
        array = array.astype(np.float32)
    return [array.dtype.name, list(array.shape), array.tobytes().hex()]


def _read(case: Read) -> dict[str, Any]:
    import tensorflow as tf

    message = _message(case)
    row: dict[str, Any] = {"name": case.name, "proto": message.SerializeToString(deterministic=True).hex()}
    try:
        return row | {"array": _described(tf.make_ndarray(message))}
    except Exception as error:  # whatever it is, it is the answer
        return row | {"error": type(error).__name__}


def _write(case: Write) -> dict[str, Any]:
    import tensorflow as tf

    try:
        message = tf.make_tensor_proto(case.values, case.dtype)
        return {"name": case.name, "proto": message.SerializeToString(deterministic=True).hex()}
    except Exception as error:  # whatever it is, it is the answer
        return {"name": case.name, "error": type(error).__name__}


def main() -> None:
    warnings.simplefilter("ignore")
    rows = [*map(_read, READ), *map(_write, WRITE)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file:
        file.write(text.encode())
    FILE.write_bytes(packed.getvalue())


if __name__ == "__main__":
    main()
