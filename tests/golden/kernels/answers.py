"""Record TensorFlow's results for the cases of tests/kernel_cases: FAMILY.xz.

    python -m tests.golden.kernels.answers [FAMILY ...]        # with a Python that has TensorFlow 2.12

For each case, the file has the name, the node, the inputs and the outputs, or states that TensorFlow refuses: see
archives.py. Bfloat16 is recorded as float32, quantized types as the integers that represent them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.kernels.archives import Recorded, read, write
from tests.kernel_cases import Case, attribute, families, named_cases
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, VersionDef
from tfmodel.ops import OPS, output_types
from tfmodel.values.tensors import from_ndarray

__all__ = ["FOLDER", "answers", "regenerate"]

FOLDER = Path(__file__).parent

_SHAPED = {  # ops that TensorFlow refuses for inputs of unknown shapes
    "FusedPadConv2D",
    "FusedResizeAndPadConv2D",
    "SpaceToBatchND",
    "BatchToSpaceND",
    "Dequantize",
}
_OLD = {  # ops that are for graphs of old versions only: the last of these
    op: declared.deprecation.version - 1 for op, declared in OPS.items() if declared.deprecation is not None
}

_ONEDNN = "TF_ENABLE_ONEDNN_OPTS"
"""With oneDNN, some quantized values differ from those of TensorFlow's own kernels. Other ops exist only with it."""

_CONSTANT = re.compile(r"Quantized(Depthwise)?Conv2D\w+|QuantizedDepthwiseConv2D")
"""Ops whose filter must be a constant: oneDNN rearranges it once."""
_FILTER = 1
_OVERWRITTEN = {  # ops that write their output over an input, which must not be a tensor that is fed
    "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize": 9,
    "QuantizedConv2DWithBiasSumAndReluAndRequantize": 9,
}

_QUANTIZED = {
    DataType.DT_QINT8: DataType.DT_INT8,
    DataType.DT_QUINT8: DataType.DT_UINT8,
    DataType.DT_QINT16: DataType.DT_INT16,
    DataType.DT_QUINT16: DataType.DT_UINT16,
    DataType.DT_QINT32: DataType.DT_INT32,
}


def answers(family: str) -> dict[str, Recorded]:
    """Return the recorded answers of a family by the names of cases; empty without a file."""
    path = FOLDER / f"{family}.xz"
    return read(path) if path.exists() else {}


def regenerate(family: str) -> str:
    """Return the command that makes the file of a family."""
    return f"python -m tests.golden.kernels.answers {family}"


# --- asking ----------------------------------------------------------------------------------------------------------


def graph_of(case: Case) -> tuple[GraphDef, list[str]]:
    """A graph that feeds and fetches types that NumPy has, and the names of what to fetch."""
    node = case.node
    nodes = []
    for number, dtype in enumerate(case.types):
        name = node.input[number]
        if number == _FILTER and _CONSTANT.fullmatch(case.op):
            value = AttrValue(tensor=from_ndarray(case.arrays[number], dtype))
            nodes.append(NodeDef(name=name, op="Const", attr={"dtype": AttrValue(type=dtype), "value": value}))
            continue
        outside = _outside(dtype)
        feed = name if outside == dtype else f"{name}_fed"
        placeholder = NodeDef(name=feed, op="Placeholder", attr={"dtype": AttrValue(type=outside)})
        if case.op in _SHAPED:
            placeholder.attr["shape"] = attribute(case.arrays[number].shape, "shape")
        nodes.append(placeholder)
        if number == _OVERWRITTEN.get(case.op):
            copied = {"T": AttrValue(type=outside)}
            nodes.append(NodeDef(name=f"{name}_copy", op="Snapshot", input=[feed], attr=copied))
            feed = f"{name}_copy"
        if outside != dtype:
            nodes.append(_converted(name, feed, outside, dtype))
    nodes.append(node)
    fetches = []
    for port, dtype in enumerate(output_types(node, OPS[case.op])):
        assert dtype is not None
        outside = _outside(dtype)
        fetch = f"it:{port}"
        if outside != dtype:
            nodes.append(_converted(f"o{port}", fetch, dtype, outside))
            fetch = f"o{port}"
        fetches.append(fetch)
    return GraphDef(node=nodes, versions=VersionDef(producer=_OLD.get(case.op, 1286))), fetches


def _outside(dtype: DataType) -> DataType:
    if dtype in _QUANTIZED:
        return _QUANTIZED[dtype]
    return DataType.DT_FLOAT if dtype.name.startswith(("DT_BFLOAT", "DT_FLOAT8")) else dtype


def _converted(name: str, source: str, old: DataType, new: DataType) -> NodeDef:
    if old in _QUANTIZED or new in _QUANTIZED:
        attributes = {"T": AttrValue(type=old), "type": AttrValue(type=new)}
        return NodeDef(name=name, op="Bitcast", input=[source], attr=attributes)
    attributes = {"SrcT": AttrValue(type=old), "DstT": AttrValue(type=new)}
    return NodeDef(name=name, op="Cast", input=[source], attr=attributes)


def ask(case: Case) -> list[np.ndarray[Any, Any]] | None:
    """TensorFlow's outputs for a case; None if it refuses."""
    import tensorflow.compat.v1 as tf

    graph, fetches = graph_of(case)
    theirs = tf.GraphDef.FromString(graph.to_bytes())
    with tf.Graph().as_default() as built:
        try:
            tf.import_graph_def(theirs, name="")
            feeds = {}
            for name, array in zip(case.node.input, case.arrays, strict=True):
                if any(node.name == name and node.op == "Const" for node in graph.node):
                    continue
                fed = f"{name}_fed" if any(node.name == f"{name}_fed" for node in graph.node) else name
                feeds[f"{fed}:0"] = np.copy(array)  # InplaceAdd and others change what they are given
            config = tf.ConfigProto(
                graph_options=tf.GraphOptions(
                    rewrite_options=_no_rewrites(), optimizer_options=tf.OptimizerOptions(opt_level=-1)
                )
            )
            with tf.Session(graph=built, config=config) as session:
                tensors = [f"{name}:0" if ":" not in name else name for name in fetches]
                results = session.run(tensors, feeds) if tensors else session.run("it", feeds) or []  # as Assert
        except (tf.errors.OpError, ValueError, TypeError) as error:
            print(f"refused: {case}: {str(error).splitlines()[0][:150]}", file=sys.stderr)
            return None
    return [_bytes(np.asarray(result, object if isinstance(result, (bytes, str)) else None)) for result in results]


def _bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Strings as bytes, in an array of objects."""
    if array.dtype != object:
        return array
    strings = np.empty(array.size, object)
    strings[:] = [element.encode() if isinstance(element, str) else bytes(element) for element in array.ravel()]
    return strings.reshape(array.shape)


def _no_rewrites() -> Any:
    from tensorflow.core.protobuf import rewriter_config_pb2

    return rewriter_config_pb2.RewriterConfig(disable_meta_optimizer=True)


def make(family: str) -> None:
    """Ask about all cases of a family, and write the file."""
    onednn = "1" if "onednn" in family else "0"
    if ("quant" in family or onednn == "1") and os.environ.get(_ONEDNN) != onednn:
        again = [sys.executable, "-m", "tests.golden.kernels.answers", family]
        subprocess.run(again, env={**os.environ, _ONEDNN: onednn}, check=True)
        return
    cases = {name: Recorded(case.node, case.arrays, ask(case)) for name, case in named_cases(family).items()}
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{family}.xz"
    write(path, cases)
    refused = sum(case.outputs is None for case in cases.values())
    print(f"{family}: {len(cases)} cases, {refused} refused, {path.stat().st_size:,} bytes")


def main() -> None:
    for family in sys.argv[1:] or families():
        make(family)


if __name__ == "__main__":
    main()
