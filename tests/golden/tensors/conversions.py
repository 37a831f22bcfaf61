"""Record TensorFlow's conversions of the tensors of tests/tfmodel/values/tensor_cases.py: conversions.jsonl.gz.

    python -m tests.golden.tensors.conversions         # with a Python that has TensorFlow 2.12

Each line is one case, in the order of that module, READ before WRITE, whose literals are the values to write:

    name
    proto    for READ, the input of tf.make_ndarray; for WRITE, the result of tf.make_tensor_proto: deterministic bytes
             in hexadecimal
    array    for READ, the result of tf.make_ndarray: NumPy's name of the dtype, the shape, and the elements as bytes in
             hexadecimal, strings one by one. Types that NumPy lacks are converted to float32.
    error    instead of the result: the class of TensorFlow's exception
"""

from __future__ import annotations

import gzip
import io
import json
import warnings
from pathlib import Path
from typing import Any

from tests.tfmodel.values.tensor_cases import READ, WRITE, Read, Write

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
    except Exception as error:  # any exception is an answer
        return row | {"error": type(error).__name__}


def _write(case: Write) -> dict[str, Any]:
    import tensorflow as tf

    try:
        message = tf.make_tensor_proto(case.values, case.dtype)
        return {"name": case.name, "proto": message.SerializeToString(deterministic=True).hex()}
    except Exception as error:  # any exception is an answer
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
