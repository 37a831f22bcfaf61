"""tensorflow/core/framework/full_type.proto: an experimental type system, for more than tensors."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["FullTypeDef", "FullTypeId"]


@pb.enum("tensorflow.FullTypeId")
class FullTypeId(pb.Enum):
    """The head of a full type.

    Numbers below 200 are symbols that build types out of types; those from 200 are element types, from 1000 types of
    runtime values, and from 10102 types that may move out of the core in the future.

    Square brackets below are `FullTypeDef.args`, braces its literal.
    """

    TFT_UNSET = 0  # not known, or not inferred yet
    TFT_VAR = 1  # VAR{name}: a type variable, bound where the op is used
    TFT_ANY = 2  # anything, or something unknown
    TFT_PRODUCT = 3  # PRODUCT[a, b, ...]: several values side by side, such as the outputs of a node
    TFT_NAMED = 4  # NAMED[type]{name}: a field of a record
    # FOR_EACH[container, template, variable]: the template once for each type that the variable stands for
    TFT_FOR_EACH = 20
    TFT_CALLABLE = 100  # CALLABLE[arguments, results]
    TFT_TENSOR = 1000  # TENSOR[element]: an ordinary tensor
    TFT_ARRAY = 1001  # ARRAY[element]: a TensorList
    TFT_OPTIONAL = 1002  # OPTIONAL[element]: tf.experimental.Optional
    TFT_LITERAL = 1003  # LITERAL[type]{value}: a constant known when the graph is compiled
    TFT_ENCODED = 1004  # ENCODED[content, carrier]: one type stored as another
    TFT_SHAPE_TENSOR = 1005  # SHAPE_TENSOR[integer]: a tensor that holds a shape and stays in host memory
    TFT_BOOL = 200
    TFT_UINT8 = 201
    TFT_UINT16 = 202
    TFT_UINT32 = 203
    TFT_UINT64 = 204
    TFT_INT8 = 205
    TFT_INT16 = 206
    TFT_INT32 = 207
    TFT_INT64 = 208
    TFT_HALF = 209
    TFT_FLOAT = 210
    TFT_DOUBLE = 211
    TFT_BFLOAT16 = 215
    TFT_COMPLEX64 = 212
    TFT_COMPLEX128 = 213
    TFT_STRING = 214
    TFT_DATASET = 10102  # DATASET[element]: a tf.data dataset
    TFT_RAGGED = 10103  # RAGGED[element]
    TFT_ITERATOR = 10104  # ITERATOR[element]: a tf.data iterator
    TFT_MUTEX_LOCK = 10202  # the lock that the MutexLock op hands out
    TFT_LEGACY_VARIANT = 10203  # any DT_VARIANT tensor; type inference replaces it


@pb.message("tensorflow.FullTypeDef")
class FullTypeDef(pb.Message):
    """A type expression: a symbol, its parameters, and a literal where the symbol takes one.

    Written by type inference inside TensorFlow; a node carries the product of its output types. Experimental.
    """

    type_id: FullTypeId = pb.field(FullTypeId, 1)
    args: list[FullTypeDef] = pb.repeated("FullTypeDef", 2)  # the parameters; their order has a meaning
    s: str | None = pb.string(3, oneof="attr")  # name of a variable or a field
    i: int | None = pb.int64(4, oneof="attr")  # value of an integer literal
