"""tensorflow/core/framework/op_def.proto: the inputs, outputs and attributes of an operation."""

from __future__ import annotations

from pbwire import table as pb

from .attr_value import AttrValue
from .full_type import FullTypeDef
from .resource_handle import ResourceHandleProto
from .types import DataType

__all__ = ["OpDef", "OpDeprecation", "OpList"]


@pb.message("tensorflow.OpDef")
class OpDef(pb.Message):
    """The declaration of an op: `NodeDef.op` names it. Also the signature of a function.

    TensorFlow registers one for every op; a MetaGraphDef has those of its graph's ops, without documentation.
    """

    @pb.message("tensorflow.OpDef.ArgDef")
    class ArgDef(pb.Message):
        """One input or output. It stands for one tensor or for a list of them.

        One tensor: `type`, or `type_attr` naming an attribute that holds the type. Several of one type: `number_attr`
        names the attribute with their number as well. Several of various types: `type_list_attr` alone.
        """

        name: str = pb.string(1)
        description: str = pb.string(2)
        type: DataType = pb.field(DataType, 3)  # DT_INVALID when an attribute decides
        type_attr: str = pb.string(4)  # name of an attribute of kind "type"
        number_attr: str = pb.string(5)  # name of an attribute of kind "int"
        type_list_attr: str = pb.string(6)  # name of an attribute of kind "list(type)"
        # for an argument that is a resource: its content
        handle_data: list[ResourceHandleProto.DtypeAndShape] = pb.repeated(ResourceHandleProto.DtypeAndShape, 7)
        is_ref: bool = pb.bool(16)  # an input must be a reference (a TF1 variable, not its value); an output is one
        experimental_full_type: FullTypeDef | None = pb.field(FullTypeDef, 17)  # the same in the new type system

    @pb.message("tensorflow.OpDef.AttrDef")
    class AttrDef(pb.Message):
        """One attribute that nodes of the op can have."""

        name: str = pb.string(1)
        # "int", "float", "bool", "string", "type", "shape", "tensor", "func", or "list(...)" of one
        type: str = pb.string(2)
        # absent: every node has to give one, or it is inferred
        default_value: AttrValue | None = pb.field(AttrValue, 3)
        description: str = pb.string(4)
        has_minimum: bool = pb.bool(5)  # proto3 could not tell an absent minimum from 0
        minimum: int = pb.int64(6)  # smallest "int", or shortest "list(...)"
        allowed_values: AttrValue | None = pb.field(AttrValue, 7)  # a `list` of the types or strings to choose from

    name: str = pb.string(1)  # CamelCase
    input_arg: list[ArgDef] = pb.repeated(ArgDef, 2)  # in the order of `NodeDef.input`
    output_arg: list[ArgDef] = pb.repeated(ArgDef, 3)
    # only in signatures of functions: names for nodes that must run whenever the function does
    control_output: list[str] = pb.repeated(pb.string, 20)
    # not all of them are set by users: types are inferred from the inputs
    attr: list[AttrDef] = pb.repeated(AttrDef, 4)
    deprecation: OpDeprecation | None = pb.field("OpDeprecation", 8)  # absent unless deprecated
    summary: str = pb.string(5)  # one line of documentation
    description: str = pb.string(6)  # the rest of the documentation
    is_commutative: bool = pb.bool(18)  # the order of its two inputs does not matter
    is_aggregate: bool = pb.bool(16)  # any number of inputs of one type can be combined in any order, as AddN does
    # it has state, or reads or changes something outside: such nodes are never merged, folded or repeated
    is_stateful: bool = pb.bool(17)
    allows_uninitialized_input: bool = pb.bool(19)  # takes references to variables without a value, as Assign does
    is_distributed_communication: bool = pb.bool(21)  # talks to other processes; may fail because of the network


@pb.message("tensorflow.OpDeprecation")
class OpDeprecation(pb.Message):
    """The version from which an op may no longer be used."""

    version: int = pb.int32(1)  # first GraphDef version that refuses it
    explanation: str = pb.string(2)  # the reason, and the replacement


@pb.message("tensorflow.OpList")
class OpList(pb.Message):
    """Several op declarations: a MetaGraphDef's `stripped_op_list`, or all of a library's."""

    op: list[OpDef] = pb.repeated(OpDef, 1)
