"""Constants of any type, shape and value are transformed, left alone, or refused with an error of this project.

Each constant in the examples of all transforms is replaced by constants of each type, with and without the same
replacement of the types that its consumers declare.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fuzz.example_edits import Example, examples
from pbwire import Error
from tests.support.effort import LONG
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    NodeDef,
    ResourceHandleProto,
    TensorProto,
    TensorShapeProto,
    VariantTensorDataProto,
)
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.values.names import node_name

TYPES = [dtype for dtype in DataType if 0 < dtype < 100]
SHAPES: tuple[tuple[int, ...] | None, ...] = (None, (), (0,), (2,), (2, 2), (1, 1, 1, 1))
"""The shapes of the constants; None stands for the shape of the original."""

FORMS = ((False, False), (False, True), (True, True))
"""Whether the new value is large, and whether the consumers declare its type. Short runs take one, in turn."""


def replaced(dtype: DataType, shape: TensorShapeProto, *, is_large: bool) -> TensorProto:
    """Return a tensor of a type and shape: text, a handle, or a number that is repeated."""
    tensor = TensorProto(dtype=dtype, tensor_shape=shape)
    number = 100 if is_large else 1
    match dtype:
        case DataType.DT_STRING:
            tensor.string_val = [b"2"]
        case DataType.DT_RESOURCE:
            tensor.resource_handle_val = [ResourceHandleProto(name="handle")]
        case DataType.DT_VARIANT:
            tensor.variant_val = [VariantTensorDataProto(type_name="tensorflow::TensorList")]
        case DataType.DT_BOOL:
            tensor.bool_val = [True]
        case DataType.DT_COMPLEX64:
            tensor.scomplex_val = [number, 1]
        case DataType.DT_COMPLEX128:
            tensor.dcomplex_val = [number, 1]
        case DataType.DT_FLOAT:
            tensor.float_val = [3e38 if is_large else 1.0]
        case DataType.DT_DOUBLE:
            tensor.double_val = [1e308 if is_large else 1.0]
        case DataType.DT_HALF:
            tensor.half_val = [0x7BFF if is_large else 0x3C00]
        case DataType.DT_BFLOAT16:
            tensor.half_val = [0x7F7F if is_large else 0x3F80]
        case DataType.DT_INT64:
            tensor.int64_val = [2**63 - 1 if is_large else 1]
        case DataType.DT_UINT64:
            tensor.uint64_val = [2**64 - 1 if is_large else 1]
        case DataType.DT_UINT32:
            tensor.uint32_val = [2**32 - 1 if is_large else 1]
        case _:
            tensor.int_val = [number]
    return tensor


def shapes_of(node: NodeDef) -> Iterator[TensorShapeProto]:
    value = node.attr.get("value")
    original = value.tensor.tensor_shape if value is not None and value.tensor is not None else None
    for sizes in SHAPES:
        if sizes is not None:
            yield TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])
        elif original is not None:
            yield original


def nodes_of(graph: GraphDef) -> list[NodeDef]:
    functions = graph.library.function if graph.library is not None else []
    return [node for nodes in (graph.node, *(function.node_def for function in functions)) for node in nodes]


def variants(example: Example, dtype: DataType) -> Iterator[GraphDef]:
    """Yield the graph of an example once for each constant and replacement."""
    data = example.graph.to_bytes()
    for number, original in enumerate(nodes_of(example.graph)):
        if original.op != "Const":
            continue
        for turn, shape in enumerate(shapes_of(original), start=number + dtype):
            for is_large, is_declared in FORMS if LONG else [FORMS[turn % len(FORMS)]]:
                graph = GraphDef.from_bytes(data)
                node = nodes_of(graph)[number]
                old = node.attr["dtype"].type
                node.attr["dtype"] = AttrValue(type=dtype)
                node.attr["value"] = AttrValue(tensor=replaced(dtype, shape, is_large=is_large))
                if is_declared:
                    declare(graph, node.name, old, dtype)
                yield graph


def declare(graph: GraphDef, name: str, old: DataType | None, new: DataType) -> None:
    """Make the consumers of a node declare its new type, wherever they declare the old one."""
    for node in nodes_of(graph):
        if any(node_name(text) == name for text in node.input):
            for key, value in node.attr.items():
                if value.type == old and value.type:
                    node.attr[key] = AttrValue(type=new)


def attempt(example: Example, dtype: DataType) -> int:
    """Transform all variants of an example, and return how many of them there were."""
    count = 0
    for graph in variants(example, dtype):
        count += 1
        try:
            result = transform(graph, example.inputs, example.outputs, example.transforms)
        except Error:
            continue
        assert result.to_bytes()
    return count


COMPUTING = ["flatten_atrous_conv", "fold_batch_norms", "fold_old_batch_norms", "fuse_convolutions", "simplify"]
"""Transforms that compute with constants, or read the sizes and axes in them; the others mostly move nodes."""


@pytest.mark.slow(reason="replaces every constant of every example in hundreds of ways")
@pytest.mark.parametrize("name", sorted(examples()))
def test_a_constant_of_any_type_is_transformed_or_refused(name: str) -> None:
    for example in examples()[name][:2]:
        for dtype in TYPES:
            attempt(example, dtype)


@pytest.mark.parametrize("dtype", [DataType.DT_STRING, DataType.DT_BOOL, DataType.DT_VARIANT, DataType.DT_QUINT8])
@pytest.mark.parametrize("name", COMPUTING)
def test_computing_with_constants_of_other_types_is_refused(name: str, dtype: DataType) -> None:
    assert attempt(examples()[name][0], dtype) > 0
