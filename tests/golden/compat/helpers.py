"""Record what TensorFlow's Python helpers return: `python -m tests.golden.compat.helpers`.

A case is an expression. It is evaluated with TensorFlow's modules here, and with those of tfmodel.compat in the test.
"""

from __future__ import annotations

import importlib
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_suffix(".jsonl")
MODULES = {
    "dtypes": "tensorflow.python.framework.dtypes",
    "shapes": "tensorflow.python.framework.tensor_shape",
    "util": "tensorflow.python.framework.tensor_util",
    "graphs": "tensorflow.python.framework.graph_util",
    "strip": "tensorflow.python.tools.strip_unused_lib",
    "compat": "tensorflow.python.util.compat",
    "graph_pb2": "tensorflow.core.framework.graph_pb2",
    "tensor_pb2": "tensorflow.core.framework.tensor_pb2",
}

VALUES = [
    "1",
    "1.5",
    "True",
    "'a'",
    "b'\\0a\\0'",
    "[1,2]",
    "[1.5,2]",
    "[[1,2],[3,4]]",
    "[]",
    "[[]]",
    "['a',b'b']",
    "1+2j",
    "[1j,2]",
    "2**40",
    "None",
    "[[1],[1,2]]",
    "[1,'a']",
    "(1,2)",
    "np.float64([1,2])",
    "np.int64(7)",
    "np.array(['a','bc'])",
    "np.array([True,False])",
    "np.float16([1,2])",
    "np.uint16([1,2])",
    "np.int8([-1,2])",
    "np.uint32([1,2])",
    "np.complex64([1j])",
    "np.zeros((0,3),np.float32)",
    "np.float32([[1,2],[3,4]]).T",
    "float('inf')",
    "range(3)",
    "bytearray(b'ab')",
    "''",
]
TYPES = [
    "None",
    "'float32'",
    "'int32'",
    "'uint8'",
    "'int64'",
    "'string'",
    "'bool'",
    "'half'",
    "'complex64'",
    "'uint16'",
]
SHAPED = [
    "(1, 'int32', [2, 3])",
    "([1, 2], 'int32', [4])",
    "([1, 2], 'int32', [1])",
    "([1, 2], 'int32', [1, 2], True)",
    "([1, 2], 'int32', [2], True)",
    "(1, 'float32', [3], False, True)",
    "([1, 2], 'float32', [3], False, True)",
    "('a', None, [2])",
    "([], 'float32', [0, 3])",
    "(1, None, [2], True, True)",
]
STORED = [
    "dtype=1, float_val=[1.5]",
    "dtype=1, float_val=[1, 2, 3]",
    "dtype=1",
    "dtype=7, string_val=[b'a']",
    "dtype=19, half_val=[15360]",
    "dtype=11, int_val=[3]",
    "dtype=4, int_val=[255, 1]",
    "dtype=10, bool_val=[True]",
    "dtype=8, scomplex_val=[1, 2]",
    "dtype=18, dcomplex_val=[1, 2, 3, 4]",
    "dtype=3, tensor_content=b'\\1\\0\\0\\0\\2\\0\\0\\0'",
    "dtype=3, tensor_content=b'\\1\\0\\0\\0'",
    "dtype=0",
]
SHAPES = [
    "None",
    "[]",
    "[1]",
    "[None]",
    "[1,2]",
    "[None,2]",
    "[3,None]",
    "[2,3,4]",
    "5",
    "'12'",
    "[1.5]",
    "[-1]",
    "(1,2)",
]
OF_SHAPE = [
    "repr(s)",
    "str(s)",
    "len(s)",
    "bool(s)",
    "list(s)",
    "s[0]",
    "s[1:]",
    "s[:2]",
    "s[-1]",
    "s.rank",
    "s.dims",
    "s.num_elements()",
    "s.is_fully_defined()",
    "s.as_list()",
    "s.as_proto()",
    "s.with_rank(2)",
    "s.with_rank_at_least(2)",
    "s.with_rank_at_most(1)",
    "s.assert_is_fully_defined()",
]
OF_SHAPES = [
    "a==b",
    "a!=b",
    "a.merge_with(b)",
    "a.concatenate(b)",
    "a+b",
    "a.is_compatible_with(b)",
    "a.most_specific_compatible_shape(b)",
]
OF_DIMENSIONS = ["a+b", "b+a", "a-b", "b-a", "a*b", "a//b", "b//a", "a%b", "b%a", "a<b", "a>=b", "a==b", "a!=b", "a/b"]
TYPE_VALUES = [
    "float",
    "int",
    "bool",
    "object",
    "str",
    "complex",
    "np.float64",
    "np.int8",
    "np.dtype('S3')",
    "'float'",
    "'half'",
    "'double'",
    "3",
    "99",
    "0",
    "None",
    "'nope'",
    "np.bool_",
    "'>f4'",
    "101",
]
OF_TYPE = [
    "name",
    "str(t)",
    "repr(t)",
    "size",
    "is_bool",
    "is_complex",
    "is_floating",
    "is_quantized",
    "is_integer",
    "is_unsigned",
    "is_numpy_compatible",
    "base_dtype",
    "real_dtype",
    "limits",
    "as_datatype_enum",
]
GRAPHS = {
    "chain": "x:Placeholder() i:Identity(x) c:CheckNumerics(i) j:Identity(c) y:Relu(j)",
    "control": "x:Placeholder() n:NoOp() i:Identity(x,^n) j:Identity(i) k:Identity(j) y:Relu(k,^j) z:Relu(y:1)",
    "colocated": "x:Placeholder() v:Identity(x) w:Relu(x)@v y:Relu(w) lonely:Const()",
}
OF_GRAPH = [
    "graphs.extract_sub_graph(g, ['y'])",
    "graphs.extract_sub_graph(g, ['y', 'x'])",
    "graphs.extract_sub_graph(g, ['nope'])",
    "graphs.extract_sub_graph(g, 'y')",
    "graphs.extract_sub_graph(g.node[0], ['y'])",
    "graphs.remove_training_nodes(g)",
    "graphs.remove_training_nodes(g, ['i', 'c', 'j'])",
    "strip.strip_unused(g, ['x'], ['y'], 1)",
    "strip.strip_unused(g, ['x'], ['y'], [3])",
    "strip.strip_unused(g, ['nope'], ['y'], 1)",
    "strip.strip_unused(g, ['x:0'], ['y'], 1)",
    "[graphs.must_run_on_cpu(node) for node in g.node]",
]


def cases() -> Iterator[str]:
    """Yield all expressions."""
    for value, dtype in itertools.product(VALUES, TYPES):
        if (value, dtype) not in {("2**40", "'int32'"), ("2**40", "'uint8'"), ("2**40", "'uint16'")}:  # NumPy 1 wraps
            yield f"util.make_tensor_proto({value}, {dtype})"
    yield from (f"util.make_tensor_proto{arguments}" for arguments in SHAPED)
    yield from (f"util.MakeNdarray(tensor([2], {fields}))" for fields in STORED)
    for shape, expression in itertools.product(SHAPES, OF_SHAPE):
        yield f"(lambda s: {expression})(shapes.TensorShape({shape}))"
    for one, other, expression in itertools.product(SHAPES[:8], SHAPES, OF_SHAPES):
        yield f"(lambda a, b: {expression})(shapes.TensorShape({one}), {other})"
    for one, other, expression in itertools.product(
        ["None", "0", "5", "-1", "'x'"], ["None", "2", "5", "1.5"], OF_DIMENSIONS
    ):
        yield f"(lambda a, b: {expression})(shapes.Dimension({one}), {other})"
    yield from (f"dtypes.as_dtype({value})" for value in TYPE_VALUES)
    for number, attribute in itertools.product([*range(1, 24), *range(101, 124)], OF_TYPE):
        expression = attribute if "(" in attribute else f"t.{attribute}"
        yield f"(lambda t: {expression})(dtypes.as_dtype({number}))"
    for name, value in itertools.product(
        ["as_bytes", "as_text", "as_str_any", "path_to_str"], ["'a'", "b'b'", "1", "None"]
    ):
        yield f"compat.{name}({value})"
    for name, expression in itertools.product(GRAPHS, OF_GRAPH):
        yield f"(lambda g: {expression})(graph({name!r}))"


def namespace(prefix: str = "") -> dict[str, Any]:
    """Return the names that expressions use. `prefix` is "tfmodel.compat." for the modules of the layer."""
    names: dict[str, Any] = {name: importlib.import_module(prefix + path) for name, path in MODULES.items()}

    def tensor(shape: list[int], **fields: Any) -> Any:
        message = names["tensor_pb2"].TensorProto(**fields)
        for size in shape:
            message.tensor_shape.dim.add().size = size
        return message

    def graph(name: str) -> Any:
        made = names["graph_pb2"].GraphDef()
        made.versions.producer = 5
        for word in GRAPHS[name].split():
            node_name, _, rest = word.partition(":")
            op, _, rest = rest.partition("(")
            inputs, _, colocated = rest.partition(")")
            node = made.node.add(name=node_name, op=op, input=inputs.split(",") if inputs else [])
            if colocated:
                node.attr["_class"].list.s.append(f"loc:{colocated}".encode())
            if op == "Const":
                node.attr["dtype"].type = 3
            if op == "Placeholder":
                node.attr["shape"].shape.dim.add().size = 4
        return made

    return names | {"np": np, "tensor": tensor, "graph": graph}


def evaluate(case: str, names: dict[str, Any]) -> Any:
    """Return the value of an expression as JSON has it; for an error, the name of its type."""
    try:
        return _plain(eval(case, names))
    except Exception as error:  # the type of any error is an answer
        return {"error": type(error).__name__}


def _plain(value: Any) -> Any:
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString(deterministic=True).hex()
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()) if value.dtype.names else value.tolist()
        return [value.dtype.name, list(value.shape), repr(content)]
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def main() -> None:
    """Write the answers of TensorFlow."""
    names = namespace()
    unique = dict.fromkeys(cases())
    lines = (json.dumps({"case": case, "value": evaluate(case, names)}) for case in unique)
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
