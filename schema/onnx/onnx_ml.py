"""onnx/onnx-ml.proto: a model in ONNX, from the file as a whole down to one tensor.

A file with the suffix .onnx holds one ModelProto. Versions in the comments are those of the format: see Version.
"""

from __future__ import annotations

from pbwire import table as pb

__all__ = [
    "AttributeProto",
    "DeviceConfigurationProto",
    "FunctionProto",
    "GraphProto",
    "IntIntListEntryProto",
    "ModelProto",
    "NodeDeviceConfigurationProto",
    "NodeProto",
    "OperatorSetIdProto",
    "OperatorStatus",
    "ShardedDimProto",
    "ShardingSpecProto",
    "SimpleShardedDimProto",
    "SparseTensorProto",
    "StringStringEntryProto",
    "TensorAnnotation",
    "TensorProto",
    "TensorShapeProto",
    "TrainingInfoProto",
    "TypeProto",
    "ValueInfoProto",
    "Version",
]


@pb.enum("onnx.Version", closed=True, names={"START_VERSION_": "_START_VERSION"})
class Version(pb.Enum):
    """The versions of the format: the values of `ModelProto.ir_version`, with what each one added."""

    START_VERSION_ = 0  # never in a file
    IR_VERSION_2017_10_10 = 1
    IR_VERSION_2017_10_30 = 2  # AttributeProto.type
    IR_VERSION_2017_11_3 = 3  # opset_import, NodeProto.domain
    IR_VERSION_2019_1_22 = 4  # initializers that are not inputs; BFLOAT16
    IR_VERSION_2019_3_18 = 5  # TensorAnnotation
    IR_VERSION_2019_9_19 = 6  # SparseTensorProto
    IR_VERSION_2020_5_8 = 7  # TrainingInfoProto
    IR_VERSION_2021_7_30 = 8  # FunctionProto, optional and sparse types
    IR_VERSION_2023_5_5 = 9  # FLOAT8*; default values of a function's attributes
    IR_VERSION_2024_3_25 = 10  # UINT4, INT4; overloads, metadata_props of nodes, graphs, functions, values and tensors
    IR_VERSION_2025_05_12 = 11  # FLOAT4E2M1; several devices
    IR_VERSION_2025_08_26 = 12  # FLOAT8E8M0
    IR_VERSION_2025_11_06 = 13  # UINT2, INT2
    IR_VERSION = 14  # FLOAT6E2M3, FLOAT6E3M2; the newest version always has this name


@pb.enum("onnx.OperatorStatus", closed=True)
class OperatorStatus(pb.Enum):
    """Whether an operator may still change. No message refers to it."""

    EXPERIMENTAL = 0
    STABLE = 1


@pb.message("onnx.AttributeProto", syntax="proto2", reserved=["v"])
class AttributeProto(pb.Message):
    """An attribute of a node: a name, a type, and the one field of values that belongs to the type.

    In the body of a function it can stand for an attribute of the function instead: then it has `ref_attr_name` and no
    value.
    """

    @pb.enum("onnx.AttributeProto.AttributeType", closed=True)
    class AttributeType(pb.Enum):
        """The field that has the value of an attribute."""

        UNDEFINED = 0
        FLOAT = 1
        INT = 2
        STRING = 3
        TENSOR = 4
        GRAPH = 5
        SPARSE_TENSOR = 11
        TYPE_PROTO = 13
        FLOATS = 6
        INTS = 7
        STRINGS = 8
        TENSORS = 9
        GRAPHS = 10
        SPARSE_TENSORS = 12
        TYPE_PROTOS = 14

    name: str | None = pb.string(1)
    ref_attr_name: str | None = pb.string(21)  # in functions only: the attribute of the function that has the value
    doc_string: str | None = pb.string(13)
    type: AttributeType | None = pb.field(AttributeType, 20)  # required since version 2
    f: float | None = pb.float(2)
    i: int | None = pb.int64(3)
    s: bytes | None = pb.bytes(4)  # UTF-8
    t: TensorProto | None = pb.field("TensorProto", 5)
    g: GraphProto | None = pb.field("GraphProto", 6)  # the body of If, Loop, Scan; sees the values around its node
    sparse_tensor: SparseTensorProto | None = pb.field("SparseTensorProto", 22)
    tp: TypeProto | None = pb.field("TypeProto", 14)
    floats: list[float] = pb.repeated(pb.float, 7)
    ints: list[int] = pb.repeated(pb.int64, 8)
    strings: list[bytes] = pb.repeated(pb.bytes, 9)  # UTF-8
    tensors: list[TensorProto] = pb.repeated("TensorProto", 10)
    graphs: list[GraphProto] = pb.repeated("GraphProto", 11)
    sparse_tensors: list[SparseTensorProto] = pb.repeated("SparseTensorProto", 23)
    type_protos: list[TypeProto] = pb.repeated("TypeProto", 15)


@pb.message("onnx.ValueInfoProto", syntax="proto2")
class ValueInfoProto(pb.Message):
    """The type of a value: of an input, of an output, or of the result of a node."""

    name: str | None = pb.string(1)
    type: TypeProto | None = pb.field("TypeProto", 2)  # required for inputs and outputs of the model
    doc_string: str | None = pb.string(3)
    metadata_props: list[StringStringEntryProto] = pb.repeated("StringStringEntryProto", 4)


@pb.message("onnx.NodeProto", syntax="proto2")
class NodeProto(pb.Message):
    """One operation of a graph. Each of its outputs is a value with a name of its own.

    An empty name among the inputs stands for an optional input that is absent, among the outputs for a result that is
    not used.
    """

    input: list[str] = pb.repeated(pb.string, 1)  # names of values, not of nodes
    output: list[str] = pb.repeated(pb.string, 2)
    name: str | None = pb.string(3)  # for people: may be absent, and nothing refers to it
    op_type: str | None = pb.string(4)  # an operator of the domain, or a function of the model
    domain: str | None = pb.string(7)  # absent or "": ai.onnx, the operators of ONNX
    overload: str | None = pb.string(8)  # which of several functions of this domain and name
    attribute: list[AttributeProto] = pb.repeated(AttributeProto, 5)
    doc_string: str | None = pb.string(6)
    metadata_props: list[StringStringEntryProto] = pb.repeated("StringStringEntryProto", 9)
    device_configurations: list[NodeDeviceConfigurationProto] = pb.repeated("NodeDeviceConfigurationProto", 10)


@pb.message("onnx.IntIntListEntryProto", syntax="proto2")
class IntIntListEntryProto(pb.Message):
    """An integer and the integers that belong to it."""

    key: int | None = pb.int64(1)
    value: list[int] = pb.repeated(pb.int64, 2)


@pb.message("onnx.NodeDeviceConfigurationProto", syntax="proto2")
class NodeDeviceConfigurationProto(pb.Message):
    """How a node runs on several devices, for one configuration of the model."""

    configuration_id: str | None = pb.string(1)  # the name of a DeviceConfigurationProto
    sharding_spec: list[ShardingSpecProto] = pb.repeated("ShardingSpecProto", 2)
    pipeline_stage: int | None = pb.int32(3)


@pb.message("onnx.ShardingSpecProto", syntax="proto2")
class ShardingSpecProto(pb.Message):
    """How an input or an output of a node is divided over devices."""

    tensor_name: str | None = pb.string(1)
    device: list[int] = pb.repeated(pb.int64, 2)  # an index of a device, or of a group of `index_to_device_group_map`
    index_to_device_group_map: list[IntIntListEntryProto] = pb.repeated(IntIntListEntryProto, 3)
    sharded_dim: list[ShardedDimProto] = pb.repeated("ShardedDimProto", 4)  # the axes that are divided


@pb.message("onnx.ShardedDimProto", syntax="proto2")
class ShardedDimProto(pb.Message):
    """How one axis is divided. More than one `simple_sharding` describes an axis that was several before a Reshape."""

    axis: int | None = pb.int64(1)  # negative: counted from the end
    simple_sharding: list[SimpleShardedDimProto] = pb.repeated("SimpleShardedDimProto", 2)


@pb.message("onnx.SimpleShardedDimProto", syntax="proto2")
class SimpleShardedDimProto(pb.Message):
    """A size that is divided into parts of equal size."""

    dim_value: int | None = pb.int64(1, oneof="dim")
    dim_param: str | None = pb.string(2, oneof="dim")  # the name of an open size
    num_shards: int | None = pb.int64(3)


@pb.message("onnx.TrainingInfoProto", syntax="proto2")
class TrainingInfoProto(pb.Message):
    """How a model is trained: graphs whose outputs become initializers of the model."""

    initialization: GraphProto | None = pb.field("GraphProto", 1)  # has no inputs
    algorithm: GraphProto | None = pb.field("GraphProto", 2)  # one step
    # pairs of an initializer and the output of the graph that becomes its value
    initialization_binding: list[StringStringEntryProto] = pb.repeated("StringStringEntryProto", 3)
    update_binding: list[StringStringEntryProto] = pb.repeated("StringStringEntryProto", 4)


@pb.message("onnx.ModelProto", syntax="proto2")
class ModelProto(pb.Message):
    """A file: a graph, the operators that it may use, and where it comes from."""

    ir_version: int | None = pb.int64(1)  # of the format: see Version
    opset_import: list[OperatorSetIdProto] = pb.repeated("OperatorSetIdProto", 8)  # one for each domain in use
    producer_name: str | None = pb.string(2)  # of the program that wrote the file
    producer_version: str | None = pb.string(3)
    domain: str | None = pb.string(4)  # of the model, in reverse order, such as "org.example"
    model_version: int | None = pb.int64(5)
    doc_string: str | None = pb.string(6)
    graph: GraphProto | None = pb.field("GraphProto", 7)
    metadata_props: list[StringStringEntryProto] = pb.repeated("StringStringEntryProto", 14)
    training_info: list[TrainingInfoProto] = pb.repeated(TrainingInfoProto, 20)
    functions: list[FunctionProto] = pb.repeated("FunctionProto", 25)  # a node whose op has this name is a call
    configuration: list[DeviceConfigurationProto] = pb.repeated("DeviceConfigurationProto", 26)


@pb.message("onnx.DeviceConfigurationProto", syntax="proto2")
class DeviceConfigurationProto(pb.Message):
    """A set of devices on which a model can run."""

    name: str | None = pb.string(1)
    num_devices: int | None = pb.int32(2)
    device: list[str] = pb.repeated(pb.string, 3)  # empty, or as many names as there are devices


@pb.message("onnx.StringStringEntryProto", syntax="proto2")
class StringStringEntryProto(pb.Message):
    """A key and a value. Lists of them replace maps."""

    key: str | None = pb.string(1)
    value: str | None = pb.string(2)


@pb.message("onnx.TensorAnnotation", syntax="proto2")
class TensorAnnotation(pb.Message):
    """How a value is quantized."""

    tensor_name: str | None = pb.string(1)
    # "SCALE_TENSOR" and "ZERO_POINT_TENSOR", each with the name of an initializer
    quant_parameter_tensor_names: list[StringStringEntryProto] = pb.repeated(StringStringEntryProto, 2)


@pb.message("onnx.GraphProto", syntax="proto2", reserved=["domain", "ir_version", "producer_tag", "producer_version"])
class GraphProto(pb.Message):
    """Nodes and the values between them: the model itself, or the body of a node such as Loop.

    The names of inputs, initializers and outputs of nodes are names of values. Each is defined once, before its uses.
    """

    node: list[NodeProto] = pb.repeated(NodeProto, 1)  # in an order in which they can run
    name: str | None = pb.string(2)
    # constants by name; an input of the same name may replace one, and up to version 3 each one is an input as well
    initializer: list[TensorProto] = pb.repeated("TensorProto", 5)
    sparse_initializer: list[SparseTensorProto] = pb.repeated("SparseTensorProto", 15)  # the name is that of `values`
    doc_string: str | None = pb.string(10)
    input: list[ValueInfoProto] = pb.repeated(ValueInfoProto, 11)
    output: list[ValueInfoProto] = pb.repeated(ValueInfoProto, 12)
    value_info: list[ValueInfoProto] = pb.repeated(ValueInfoProto, 13)  # types of other values, if they are known
    quantization_annotation: list[TensorAnnotation] = pb.repeated(TensorAnnotation, 14)
    metadata_props: list[StringStringEntryProto] = pb.repeated(StringStringEntryProto, 16)


@pb.message("onnx.TensorProto", syntax="proto2")
class TensorProto(pb.Message):
    """A tensor: an initializer or the value of an attribute.

    Values are in `raw_data` as bytes, or in the one `..._data` field that belongs to `data_type`, in row-major order,
    or in another file. Unlike in TensorFlow, all values are there: none is repeated, and none is left out.
    """

    @pb.enum("onnx.TensorProto.DataType", closed=True)
    class DataType(pb.Enum):
        """The type of the elements. The numbers are not those of TensorFlow's DataType."""

        UNDEFINED = 0
        FLOAT = 1  # float32
        UINT8 = 2
        INT8 = 3
        UINT16 = 4
        INT16 = 5
        INT32 = 6
        INT64 = 7
        STRING = 8  # UTF-8
        BOOL = 9
        FLOAT16 = 10
        DOUBLE = 11  # float64
        UINT32 = 12
        UINT64 = 13
        COMPLEX64 = 14
        COMPLEX128 = 15
        BFLOAT16 = 16
        FLOAT8E4M3FN = 17  # FN: finite and NaN, no infinities
        FLOAT8E4M3FNUZ = 18  # UZ: unsigned zero, there is no -0
        FLOAT8E5M2 = 19
        FLOAT8E5M2FNUZ = 20
        UINT4 = 21
        INT4 = 22
        FLOAT4E2M1 = 23
        FLOAT8E8M0 = 24  # a power of two
        UINT2 = 25
        INT2 = 26
        FLOAT6E2M3 = 27
        FLOAT6E3M2 = 28

    @pb.enum("onnx.TensorProto.DataLocation", closed=True)
    class DataLocation(pb.Enum):
        """Where the values are: in this message, or where `external_data` says."""

        DEFAULT = 0
        EXTERNAL = 1

    @pb.message("onnx.TensorProto.Segment", syntax="proto2")
    class Segment(pb.Message):
        """The part of a larger tensor that a message holds. Not in use."""

        begin: int | None = pb.int64(1)
        end: int | None = pb.int64(2)

    dims: list[int] = pb.repeated(pb.int64, 1)  # empty: a scalar
    data_type: int | None = pb.int32(2)  # a DataType
    segment: Segment | None = pb.field(Segment, 3)
    float_data: list[float] = pb.repeated(pb.float, 4, packed=True)  # FLOAT; COMPLEX64, real and imaginary part in turn
    # BOOL, integers of up to 32 bits except UINT32, and the bits of narrow floats. Elements of 4 and 2 bits share bytes
    # as in `raw_data`, and each number is such a byte
    int32_data: list[int] = pb.repeated(pb.int32, 5, packed=True)
    string_data: list[bytes] = pb.repeated(pb.bytes, 6)  # STRING, which is never in `raw_data`
    int64_data: list[int] = pb.repeated(pb.int64, 7, packed=True)  # INT64
    name: str | None = pb.string(8)  # of the value, for an initializer
    doc_string: str | None = pb.string(12)
    # the elements as they lie in memory, little-endian; BOOL one byte each; elements of 4 and 2 bits from the lowest
    # bits of a byte upwards, those of 6 bits four in three bytes
    raw_data: bytes | None = pb.bytes(9)
    # for EXTERNAL: "location", a file relative to the folder of the model; "offset" and "length" in bytes, as decimal
    # numbers; "checksum", the SHA-1 of the file. Only "location" is required
    external_data: list[StringStringEntryProto] = pb.repeated(StringStringEntryProto, 13)
    data_location: DataLocation | None = pb.field(DataLocation, 14)  # absent: DEFAULT
    double_data: list[float] = pb.repeated(pb.double, 10, packed=True)  # DOUBLE; COMPLEX128 as pairs
    uint64_data: list[int] = pb.repeated(pb.uint64, 11, packed=True)  # UINT64, UINT32
    metadata_props: list[StringStringEntryProto] = pb.repeated(StringStringEntryProto, 16)


@pb.message("onnx.SparseTensorProto", syntax="proto2")
class SparseTensorProto(pb.Message):
    """A tensor of which only the elements that are not zero are stored."""

    values: TensorProto | None = pb.field(TensorProto, 1)  # of shape [n]; has the name of the tensor
    indices: TensorProto | None = pb.field(TensorProto, 2)  # INT64, ascending: [n, rank], or [n] into the flat tensor
    dims: list[int] = pb.repeated(pb.int64, 3)


@pb.message("onnx.TensorShapeProto", syntax="proto2")
class TensorShapeProto(pb.Message):
    """The dimensions of a tensor, outermost first. Without dimensions it is the shape of a scalar."""

    @pb.message("onnx.TensorShapeProto.Dimension", syntax="proto2")
    class Dimension(pb.Message):
        """One dimension: a size, the name of an open size, or neither if it is unknown."""

        dim_value: int | None = pb.int64(1, oneof="value")
        dim_param: str | None = pb.string(2, oneof="value")  # sizes of the same name are equal
        denotation: str | None = pb.string(3)  # the meaning, such as "DATA_BATCH"

    dim: list[Dimension] = pb.repeated(Dimension, 1)


@pb.message("onnx.TypeProto", syntax="proto2")
class TypeProto(pb.Message):
    """The type of a value: a tensor, or a container of values."""

    @pb.message("onnx.TypeProto.Tensor", syntax="proto2")
    class Tensor(pb.Message):
        """A tensor. Without `shape` its rank is unknown."""

        elem_type: int | None = pb.int32(1)  # a TensorProto.DataType
        shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)

    @pb.message("onnx.TypeProto.Sequence", syntax="proto2")
    class Sequence(pb.Message):
        """A list of values of one type."""

        elem_type: TypeProto | None = pb.field("TypeProto", 1)

    @pb.message("onnx.TypeProto.Map", syntax="proto2")
    class Map(pb.Message):
        """A map from integers or strings to values of one type."""

        key_type: int | None = pb.int32(1)  # a TensorProto.DataType
        value_type: TypeProto | None = pb.field("TypeProto", 2)

    @pb.message("onnx.TypeProto.Optional", syntax="proto2")
    class Optional(pb.Message):
        """A value that may be absent."""

        elem_type: TypeProto | None = pb.field("TypeProto", 1)

    @pb.message("onnx.TypeProto.SparseTensor", syntax="proto2")
    class SparseTensor(pb.Message):
        """A tensor that is stored as a SparseTensorProto."""

        elem_type: int | None = pb.int32(1)  # a TensorProto.DataType
        shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)

    @pb.message("onnx.TypeProto.Opaque", syntax="proto2", reserved=["parameters"])
    class Opaque(pb.Message):
        """A type that only a runtime knows."""

        domain: str | None = pb.string(1)  # absent: that of the model
        name: str | None = pb.string(2)

    tensor_type: Tensor | None = pb.field(Tensor, 1, oneof="value")
    sequence_type: Sequence | None = pb.field(Sequence, 4, oneof="value")
    map_type: Map | None = pb.field(Map, 5, oneof="value")
    optional_type: Optional | None = pb.field(Optional, 9, oneof="value")
    sparse_tensor_type: SparseTensor | None = pb.field(SparseTensor, 8, oneof="value")
    opaque_type: Opaque | None = pb.field(Opaque, 7, oneof="value")
    denotation: str | None = pb.string(6)  # the meaning of the value, such as "IMAGE"


@pb.message("onnx.OperatorSetIdProto", syntax="proto2")
class OperatorSetIdProto(pb.Message):
    """The operators of a domain as of one version."""

    domain: str | None = pb.string(1)  # absent or "": ai.onnx, the operators of ONNX
    version: int | None = pb.int64(2)


@pb.message("onnx.FunctionProto", syntax="proto2", reserved=["since_version", "status"])
class FunctionProto(pb.Message):
    """An operator that is defined by nodes. Domain, name and overload identify it."""

    name: str | None = pb.string(1)
    input: list[str] = pb.repeated(pb.string, 4)
    output: list[str] = pb.repeated(pb.string, 5)
    attribute: list[str] = pb.repeated(pb.string, 6)  # the names of those without a default value
    attribute_proto: list[AttributeProto] = pb.repeated(AttributeProto, 11)  # those with one
    node: list[NodeProto] = pb.repeated(NodeProto, 7)
    doc_string: str | None = pb.string(8)
    opset_import: list[OperatorSetIdProto] = pb.repeated(OperatorSetIdProto, 9)
    domain: str | None = pb.string(10)
    overload: str | None = pb.string(13)
    value_info: list[ValueInfoProto] = pb.repeated(ValueInfoProto, 12)
    metadata_props: list[StringStringEntryProto] = pb.repeated(StringStringEntryProto, 14)
