"""Write a converted graph as a file of ONNX, with large tensors beside it if the file would be too large.

Protobuf refuses messages of 2 GiB, so larger models have their tensors in a second file, MODEL.data, in the same
folder. The same graph always gives the same bytes.

Format: https://github.com/onnx/onnx/blob/main/docs/IR.md, of version 8 for operators up to opset 18.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import numpy as np

from pbwire.atomic import replacing_together

from ... import __version__
from ...messages import DataType
from ...onnx_messages import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    StringStringEntryProto,
    TensorProto,
    TensorShapeProto,
    TypeProto,
    ValueInfoProto,
)
from ...values.dtypes import dtype_of, natural_dtype
from .conversion.model import Array, Attribute, OnnxGraph, OnnxNode, Value
from .conversion.types import ONNX_TYPES
from .passes.naming import name_nodes, name_values

IR_VERSIONS = {**dict.fromkeys(range(13, 19), 8), 19: 9, 20: 9, 21: 10}
"""The version of the format for each opset: the oldest one that has it, so that old runtimes load the file."""

ML_DOMAIN, ML_VERSION = "ai.onnx.ml", 2
MAX_FILE = (1 << 31) - (1 << 20)
"""Bytes of the largest file without external data."""
_MIN_EXTERNAL = 1 << 10
_PAGE, _LARGE, _LARGE_PAGE = 1 << 12, 1 << 20, 1 << 16

_Type = AttributeProto.AttributeType


@dataclass
class ExternalData:
    """Tensors that go to a second file, at offsets that can be mapped into memory."""

    name: str
    size: int = 0
    parts: list[tuple[int, Array]] = field(default_factory=list)

    def place(self, array: Array) -> list[StringStringEntryProto]:
        """Reserve the place of a tensor, and return how a TensorProto refers to it."""
        page = _LARGE_PAGE if array.nbytes >= _LARGE else _PAGE
        offset = -(-self.size // page) * page
        self.parts.append((offset, array))
        self.size = offset + array.nbytes
        entries = {"location": self.name, "offset": str(offset), "length": str(array.nbytes)}
        return [StringStringEntryProto(key=key, value=value) for key, value in entries.items()]

    def write(self, file: BinaryIO) -> None:
        at = 0
        for offset, array in self.parts:
            file.write(b"\0" * (offset - at))
            file.write(np.ascontiguousarray(array).data)
            at = offset + array.nbytes


def model_proto(
    graph: OnnxGraph, opset: int, metadata: Mapping[str, str], external: ExternalData | None = None
) -> ModelProto:
    """Return the message of a model. With `external`, tensors of 1 KiB and more are left to that file."""
    domains = {node.domain for each in graph.walk() for node in each.nodes if node.domain}
    opsets = [OperatorSetIdProto(domain="", version=opset)]
    opsets += [OperatorSetIdProto(domain=domain, version=ML_VERSION) for domain in sorted(domains)]
    return ModelProto(
        ir_version=IR_VERSIONS[opset],
        producer_name="tfmodel",
        producer_version=__version__,
        graph=_Writer(graph, external).graph_proto(),
        opset_import=opsets,
        metadata_props=[StringStringEntryProto(key=key, value=value) for key, value in metadata.items()],
    )


def write_model(
    path: str,
    graph: OnnxGraph,
    opset: int,
    metadata: Mapping[str, str],
    *,
    external: bool | None,
    check: Callable[[str], None] | None = None,
) -> int:
    """Write a model and return its bytes. `external` is None to write a second file only if the model needs it.

    `check` is called with the path of a complete copy; if it raises, nothing is written.
    """
    size = sum(value.data.nbytes for value in initializers(graph) if value.data is not None)
    is_external = size > MAX_FILE if external is None else external
    data = ExternalData(os.path.basename(path) + ".data") if is_external else None
    content = model_proto(graph, opset, metadata, data).to_bytes()
    with replacing_together() as replace:
        files = {}
        if data is not None and data.parts:
            files[data.name] = replace(path + ".data")
            data.write(files[data.name])
        files[os.path.basename(path)] = replace(path)
        files[os.path.basename(path)].write(content)
        if check is not None:
            _check_copy(files, os.path.basename(path), check)
    return len(content) + (data.size if data is not None else 0)


def _check_copy(files: Mapping[str, BinaryIO], name: str, check: Callable[[str], None]) -> None:
    """Check files under the names that they will have, by links in a folder of their own."""
    for file in files.values():
        file.flush()
    places = {os.path.dirname(os.path.abspath(file.name)) for file in files.values()}
    with TemporaryDirectory(dir=min(places), prefix=f".{name[:40]}.") as folder:
        for own, file in files.items():
            try:
                os.link(file.name, os.path.join(folder, own))
            except OSError:  # a file system without links
                shutil.copyfile(file.name, os.path.join(folder, own))
        check(os.path.join(folder, name))


def initializers(graph: OnnxGraph) -> list[Value]:
    """Return the initializers that nodes and outputs use, in the order of their first use."""
    found: dict[Value, None] = {}
    for each in graph.walk():
        for node in each.nodes:
            found.update(dict.fromkeys(value for value in node.inputs if value is not None and value.data is not None))
        found.update(dict.fromkeys(value for value in each.outputs if value.data is not None))
    return list(found)


class _Writer:
    def __init__(self, graph: OnnxGraph, external: ExternalData | None) -> None:
        self.main = graph
        self.external = external
        self.names = name_values(graph)
        self.node_names = {id(each): names for each, names in name_nodes(graph)}
        self.sizes = _SizeNames(graph)

    def graph_proto(self) -> GraphProto:
        proto = self._graph(self.main, "graph")
        defaults = [value for value in self.main.inputs if value.default is not None]
        proto.initializer = [self._initializer(value) for value in (*defaults, *initializers(self.main))]
        return proto

    def _graph(self, graph: OnnxGraph, name: str) -> GraphProto:
        names = self.node_names[id(graph)]
        is_main = graph is self.main
        return GraphProto(
            name=name,
            node=[self._node(node, name) for node, name in zip(graph.nodes, names, strict=True)],
            input=[self._value_info(value, is_main=is_main) for value in graph.inputs],
            output=[self._value_info(value, is_main=is_main) for value in graph.outputs],
        )

    def _node(self, node: OnnxNode, name: str) -> NodeProto:
        return NodeProto(
            input=["" if value is None else self.names[value] for value in node.inputs],
            output=[self.names[value] for value in node.outputs],
            name=name,
            op_type=node.op,
            domain=node.domain or None,
            attribute=[self._attribute(key, value, name) for key, value in sorted(node.attributes.items())],
        )

    def _attribute(self, name: str, value: Attribute, node: str) -> AttributeProto:
        if isinstance(value, OnnxGraph):
            return AttributeProto(name=name, type=_Type.GRAPH, g=self._graph(value, f"{node}/{name}"))
        if isinstance(value, np.ndarray):
            dtype = natural_dtype(value.dtype)
            assert dtype is not None
            return AttributeProto(name=name, type=_Type.TENSOR, t=tensor_proto(value, dtype.number))
        if isinstance(value, str):
            return AttributeProto(name=name, type=_Type.STRING, s=value.encode())
        if isinstance(value, int):
            return AttributeProto(name=name, type=_Type.INT, i=int(value))
        if isinstance(value, float):
            return AttributeProto(name=name, type=_Type.FLOAT, f=float(value))
        return _list_attribute(name, list(value))

    def _initializer(self, value: Value) -> TensorProto:
        data = value.default if value.data is None else value.data
        assert data is not None
        if self.external is not None and data.nbytes >= _MIN_EXTERNAL and data.dtype != object:
            return TensorProto(
                dims=list(data.shape),
                data_type=ONNX_TYPES[value.dtype],
                name=self.names[value],
                external_data=self.external.place(data),
                data_location=TensorProto.DataLocation.EXTERNAL,
            )
        proto = tensor_proto(data, value.dtype)
        proto.name = self.names[value]
        return proto

    def _value_info(self, value: Value, *, is_main: bool) -> ValueInfoProto:
        shape = None
        if value.shape is not None:
            dims = [self._dim(value, axis, size, is_main) for axis, size in enumerate(value.shape)]
            shape = TensorShapeProto(dim=dims)
        tensor = TypeProto.Tensor(elem_type=ONNX_TYPES[value.dtype], shape=shape)
        return ValueInfoProto(name=self.names[value], type=TypeProto(tensor_type=tensor))

    def _dim(self, value: Value, axis: int, size: int | None, is_main: bool) -> TensorShapeProto.Dimension:
        if size is not None:
            return TensorShapeProto.Dimension(dim_value=size)
        name = self.sizes.name(value, axis) if is_main else ""
        return TensorShapeProto.Dimension(dim_param=name) if name else TensorShapeProto.Dimension()


class _SizeNames:
    """Names of unknown sizes of inputs: the only open first size is "batch", others are INPUT_AXIS.

    Equal names mean equal sizes, so outputs have none: what is known about them is their number of dimensions.
    """

    def __init__(self, graph: OnnxGraph) -> None:
        self.inputs = {value: value.name for value in graph.inputs}
        self.open = [value for value in graph.inputs if value.shape and value.shape[0] is None]

    def name(self, value: Value, axis: int) -> str:
        if value not in self.inputs:
            return ""
        return "batch" if axis == 0 and self.open == [value] else f"{self.inputs[value]}_{axis}"


def _list_attribute(name: str, values: Sequence[Any]) -> AttributeProto:
    if values and isinstance(values[0], str):
        return AttributeProto(name=name, type=_Type.STRINGS, strings=[value.encode() for value in values])
    if values and isinstance(values[0], bytes):
        return AttributeProto(name=name, type=_Type.STRINGS, strings=list(values))
    if values and isinstance(values[0], float):
        return AttributeProto(name=name, type=_Type.FLOATS, floats=list(values))
    return AttributeProto(name=name, type=_Type.INTS, ints=[int(value) for value in values])


def tensor_proto(array: Array, dtype: DataType) -> TensorProto:
    """Return a tensor with its elements as bytes; strings are a list."""
    proto = TensorProto(dims=list(array.shape), data_type=ONNX_TYPES[dtype])
    if dtype == DataType.DT_STRING:
        proto.string_data = [bytes(each) for each in array.ravel().tolist()]
    elif array.size:
        stored = dtype_of(dtype).encode(array) if dtype_of(dtype).codec else array
        proto.raw_data = np.ascontiguousarray(stored).tobytes()
    return proto
