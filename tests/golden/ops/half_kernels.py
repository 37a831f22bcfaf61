"""Record the ops that TensorFlow can compute in half precision on a CPU: half_kernels.json.

    python -m tests.golden.ops.half_kernels            # with a Python that has TensorFlow 2.12

For each op, the file has the attributes that may be float16, and those that may be bfloat16, in place of float32: the
op allows it, and wherever there is a CPU kernel for float32, there is one for the other type. A kernel without a
constraint of the attribute counts as one for all types. If all attributes of an op can change together, all are listed,
otherwise those that can change alone. Ops with references, handles or variants among their inputs and outputs are left
out, and so are stateful ops and those whose names begin with "_". Four kernels are registered, but refuse to run, three
of them unless oneDNN replaces them; they count as missing.

The script needs nothing else of this repository.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("half_kernels.json")

FLOAT, RESOURCE, VARIANT = 1, 20, 21
HALVES = {"float16": 19, "bfloat16": 14}

REFUSING = re.compile("does not support bfloat16 inputs|No WhereOp available for float16")

Signature = frozenset[tuple[str, int]]


def signatures() -> dict[str, set[Signature]]:
    """Return the constraints of the CPU kernels by op: pairs of an attribute and a type."""
    from tensorflow.python.framework import kernels

    result: dict[str, set[Signature]] = defaultdict(set)
    for kernel in kernels.get_all_registered_kernels().kernel:
        if kernel.device_type in ("CPU", "DEFAULT") and not kernel.label:
            choices: list[frozenset[tuple[str, int]]] = [frozenset()]
            for constraint in kernel.constraint:
                if types := constraint.allowed_values.list.type:
                    choices = [one | {(constraint.name, dtype)} for one in choices for dtype in types]
            result[kernel.op].update(choices)
    return result


def changeable(op: Any, kernels: set[Signature], half: int) -> list[str]:
    """Return the attributes of an op that may have the type `half` where they have float32."""
    names = [one.name for one in op.attr if one.type == "type" and _allows(one, half)]
    if len(names) > 1 and _all_have_counterpart(names, kernels, half):
        return names
    return [name for name in names if _all_have_counterpart([name], kernels, half)]


def _allows(attribute: Any, half: int) -> bool:
    allowed = attribute.allowed_values.list.type
    return not allowed or {FLOAT, half} <= {*allowed}


def _all_have_counterpart(names: Iterable[str], kernels: set[Signature], half: int) -> bool:
    floats = [kernel for kernel in kernels if all(_type(kernel, name) in (FLOAT, None) for name in names)]
    wanted = dict.fromkeys(names, half)
    return bool(floats) and all(
        any(_serves(other, {**dict(kernel), **wanted}) for other in kernels) for kernel in floats
    )


def _type(kernel: Signature, name: str) -> int | None:
    return dict(kernel).get(name)


def _serves(kernel: Signature, types: dict[str, int]) -> bool:
    return all(types.get(name) == dtype for name, dtype in kernel)


def refusing() -> set[tuple[str, str]]:
    """Return the ops and types whose kernels refuse to run without oneDNN."""
    import tensorflow as tf

    image, row = tf.zeros([1, 2, 2, 1], tf.bfloat16), tf.zeros([1])
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "SAME"}
    calls = {
        ("AvgPool", "bfloat16"): lambda: tf.raw_ops.AvgPool(value=image, **window),
        ("AvgPoolGrad", "bfloat16"): lambda: tf.raw_ops.AvgPoolGrad(
            orig_input_shape=[1, 2, 2, 1], grad=image, **window
        ),
        ("Where", "float16"): lambda: tf.raw_ops.Where(condition=tf.zeros([1], tf.float16)),
        ("FusedBatchNormV3", "bfloat16"): lambda: tf.raw_ops.FusedBatchNormV3(
            x=image, scale=row, offset=row, mean=row, variance=row, is_training=False
        ),
    }
    refused = set()
    for key, call in calls.items():
        try:
            call()
        except tf.errors.OpError as error:
            assert REFUSING.search(str(error)), error
            refused.add(key)
    return refused


def rows() -> Iterator[tuple[str, dict[str, list[str]]]]:
    import tensorflow
    from tensorflow.python.framework import op_def_registry

    assert tensorflow
    refused = refusing()
    for name, kernels in sorted(signatures().items()):
        op = op_def_registry.get(name)
        if op is None or op.is_stateful or name.startswith(("_", "Xla")):
            continue
        arguments = [*chain(op.input_arg, op.output_arg)]
        if any(argument.is_ref or argument.type in (RESOURCE, VARIANT) for argument in arguments):
            continue
        row = {
            dtype: [] if (name, dtype) in refused else changeable(op, kernels, number)
            for dtype, number in HALVES.items()
        }
        if any(row.values()):
            yield name, row


def main() -> None:
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
