"""tensorflow/core/protobuf/struct.proto: nested Python values, as arguments and results of functions."""

from __future__ import annotations

from pbwire import table as pb

from .tensor import TensorProto
from .tensor_shape import TensorShapeProto
from .types import DataType

__all__ = [
    "BoundedTensorSpecProto",
    "DictValue",
    "ListValue",
    "NamedTupleValue",
    "NoneValue",
    "PairValue",
    "StructuredValue",
    "TensorSpecProto",
    "TupleValue",
    "TypeSpecProto",
]


@pb.message("tensorflow.StructuredValue")
class StructuredValue(pb.Message):
    """A Python value: None, a number, a string, a spec, or a container of such values.

    SavedModels describe the arguments and results of functions with it; a leaf is usually a TensorSpec.
    """

    none_value: NoneValue | None = pb.field("NoneValue", 1, oneof="kind")
    float64_value: float | None = pb.double(11, oneof="kind")
    int64_value: int | None = pb.sint64(12, oneof="kind")
    string_value: str | None = pb.string(13, oneof="kind")
    bool_value: bool | None = pb.bool(14, oneof="kind")
    tensor_shape_value: TensorShapeProto | None = pb.field(TensorShapeProto, 31, oneof="kind")
    tensor_dtype_value: DataType | None = pb.field(DataType, 32, oneof="kind")  # a tf.DType
    tensor_spec_value: TensorSpecProto | None = pb.field("TensorSpecProto", 33, oneof="kind")
    type_spec_value: TypeSpecProto | None = pb.field("TypeSpecProto", 34, oneof="kind")
    bounded_tensor_spec_value: BoundedTensorSpecProto | None = pb.field("BoundedTensorSpecProto", 35, oneof="kind")
    list_value: ListValue | None = pb.field("ListValue", 51, oneof="kind")
    tuple_value: TupleValue | None = pb.field("TupleValue", 52, oneof="kind")
    dict_value: DictValue | None = pb.field("DictValue", 53, oneof="kind")
    named_tuple_value: NamedTupleValue | None = pb.field("NamedTupleValue", 54, oneof="kind")
    tensor_value: TensorProto | None = pb.field(TensorProto, 55, oneof="kind")  # a tf.Tensor with its value
    numpy_value: TensorProto | None = pb.field(TensorProto, 56, oneof="kind")  # a NumPy array


@pb.message("tensorflow.NoneValue")
class NoneValue(pb.Message):
    """Python's None."""


@pb.message("tensorflow.ListValue")
class ListValue(pb.Message):
    """A Python list."""

    values: list[StructuredValue] = pb.repeated(StructuredValue, 1)


@pb.message("tensorflow.TupleValue")
class TupleValue(pb.Message):
    """A Python tuple."""

    values: list[StructuredValue] = pb.repeated(StructuredValue, 1)


@pb.message("tensorflow.DictValue")
class DictValue(pb.Message):
    """A Python dict with str keys."""

    fields: dict[str, StructuredValue] = pb.map(pb.string, StructuredValue, 1)


@pb.message("tensorflow.PairValue")
class PairValue(pb.Message):
    """One field of a named tuple."""

    key: str = pb.string(1)
    value: StructuredValue | None = pb.field(StructuredValue, 2)


@pb.message("tensorflow.NamedTupleValue")
class NamedTupleValue(pb.Message):
    """A collections.namedtuple."""

    name: str = pb.string(1)  # of its class
    values: list[PairValue] = pb.repeated(PairValue, 2)  # in the order of its fields


@pb.message("tensorflow.TensorSpecProto")
class TensorSpecProto(pb.Message):
    """A tf.TensorSpec: the required dtype, shape and name of a tensor."""

    name: str = pb.string(1)  # of the argument; may be empty
    shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)
    dtype: DataType = pb.field(DataType, 3)


@pb.message("tensorflow.BoundedTensorSpecProto")
class BoundedTensorSpecProto(pb.Message):
    """A TensorSpec whose values lie between two bounds, both allowed; the bounds broadcast to the shape."""

    name: str = pb.string(1)
    shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)
    dtype: DataType = pb.field(DataType, 3)
    minimum: TensorProto | None = pb.field(TensorProto, 4)
    maximum: TensorProto | None = pb.field(TensorProto, 5)


@pb.message("tensorflow.TypeSpecProto")
class TypeSpecProto(pb.Message):
    """A tf.TypeSpec: the type of a value that consists of several tensors."""

    @pb.enum("tensorflow.TypeSpecProto.TypeSpecClass")
    class TypeSpecClass(pb.Enum):
        """The subclass of tf.TypeSpec."""

        UNKNOWN = 0
        SPARSE_TENSOR_SPEC = 1
        INDEXED_SLICES_SPEC = 2
        RAGGED_TENSOR_SPEC = 3
        TENSOR_ARRAY_SPEC = 4
        DATA_DATASET_SPEC = 5
        DATA_ITERATOR_SPEC = 6
        OPTIONAL_SPEC = 7
        PER_REPLICA_SPEC = 8  # tf.distribute: a value for each replica
        VARIABLE_SPEC = 9
        ROW_PARTITION_SPEC = 10  # inside ragged tensors
        REGISTERED_TYPE_SPEC = 12  # see type_spec_class_name
        EXTENSION_TYPE_SPEC = 13  # subclasses of tf.ExtensionType

    type_spec_class: TypeSpecClass = pb.field(TypeSpecClass, 1)
    # the result of TypeSpec._serialize(), whose form depends on the class
    type_state: StructuredValue | None = pb.field(StructuredValue, 2)
    type_spec_class_name: str = pb.string(3)  # decides when the class is REGISTERED_TYPE_SPEC; else for messages only
    num_flat_components: int = pb.int32(4)  # how many tensors a value consists of
