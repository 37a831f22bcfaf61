"""tensorflow/core/framework/variable.proto: the variables of a TF1 graph, as its collections list them."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["SaveSliceInfoDef", "VariableAggregation", "VariableDef", "VariableSynchronization"]


@pb.enum("tensorflow.VariableSynchronization")
class VariableSynchronization(pb.Enum):
    """The time at which copies of a distributed variable are synchronized."""

    VARIABLE_SYNCHRONIZATION_AUTO = 0  # chosen by the distribution strategy
    VARIABLE_SYNCHRONIZATION_NONE = 1  # there is one copy
    VARIABLE_SYNCHRONIZATION_ON_WRITE = 2  # every write goes to all copies
    VARIABLE_SYNCHRONIZATION_ON_READ = 3  # copies are combined when read, for instance to save them


@pb.enum("tensorflow.VariableAggregation")
class VariableAggregation(pb.Enum):
    """The way in which writes from several replicas are combined."""

    VARIABLE_AGGREGATION_NONE = 0  # such writes are an error
    VARIABLE_AGGREGATION_SUM = 1
    VARIABLE_AGGREGATION_MEAN = 2
    VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA = 3  # all would write the same, as to a step counter


@pb.message("tensorflow.VariableDef")
class VariableDef(pb.Message):
    """A TF1 variable: the names of the tensors and ops that make it up.

    Collections such as "variables" hold them serialized.
    """

    # tensor of the variable (its handle, if a resource), such as "w:0"; without the port it is the checkpoint key
    variable_name: str = pb.string(1)
    initial_value_name: str = pb.string(6)  # tensor
    initializer_name: str = pb.string(2)  # op that assigns the initial value
    snapshot_name: str = pb.string(3)  # tensor that reads the variable, such as "w/read:0"
    # set when this is one part of a partitioned variable
    save_slice_info_def: SaveSliceInfoDef | None = pb.field("SaveSliceInfoDef", 4)
    is_resource: bool = pb.bool(5)  # VarHandleOp rather than a reference variable
    trainable: bool = pb.bool(7)  # never set in old files; there, see the collection "trainable_variables"
    synchronization: VariableSynchronization = pb.field(VariableSynchronization, 8)
    aggregation: VariableAggregation = pb.field(VariableAggregation, 9)


@pb.message("tensorflow.SaveSliceInfoDef")
class SaveSliceInfoDef(pb.Message):
    """The part of a partitioned variable; all lists have an entry for each dimension."""

    full_name: str = pb.string(1)  # name of the whole, under which it is saved
    full_shape: list[int] = pb.repeated(pb.int64, 2)  # of the whole
    var_offset: list[int] = pb.repeated(pb.int64, 3)  # where this part begins
    var_shape: list[int] = pb.repeated(pb.int64, 4)  # of this part
