"""tensorflow/core/protobuf/saved_object_graph.proto: the objects that a TF2 SavedModel was made from."""

from __future__ import annotations

from pbwire import table as pb
from pbwire.wellknown import Any

from .struct import StructuredValue
from .tensor_shape import TensorShapeProto
from .trackable_object_graph import TrackableObjectGraph
from .types import DataType
from .variable import VariableAggregation, VariableSynchronization
from .versions import VersionDef

__all__ = [
    "CapturedTensor",
    "FunctionSpec",
    "SaveableObject",
    "SavedAsset",
    "SavedBareConcreteFunction",
    "SavedConcreteFunction",
    "SavedConstant",
    "SavedFunction",
    "SavedObject",
    "SavedObjectGraph",
    "SavedResource",
    "SavedUserObject",
    "SavedVariable",
]


@pb.message("tensorflow.SavedObjectGraph")
class SavedObjectGraph(pb.Message):
    """Modules, layers, variables and functions, and the references between them. Node 0 is the root.

    It resembles the TrackableObjectGraph of the checkpoint, which describes saved values only; an object has the same
    path of names from the root in both graphs.
    """

    nodes: list[SavedObject] = pb.repeated("SavedObject", 1)  # the position in this list is the node's id
    # by the name of the function in the graph's library
    concrete_functions: dict[str, SavedConcreteFunction] = pb.map(pb.string, "SavedConcreteFunction", 2)


@pb.message("tensorflow.SavedObject")
class SavedObject(pb.Message):
    """One object, of the kind that is set in `kind`."""

    # named edges to its children
    children: list[TrackableObjectGraph.TrackableObject.ObjectReference] = pb.repeated(
        TrackableObjectGraph.TrackableObject.ObjectReference, 1
    )
    # objects that have to be created before it, in that order
    dependencies: list[TrackableObjectGraph.TrackableObject.ObjectReference] = pb.repeated(
        TrackableObjectGraph.TrackableObject.ObjectReference, 15
    )
    # of an optimizer
    slot_variables: list[TrackableObjectGraph.TrackableObject.SlotVariableReference] = pb.repeated(
        TrackableObjectGraph.TrackableObject.SlotVariableReference, 3
    )
    user_object: SavedUserObject | None = pb.field("SavedUserObject", 4, oneof="kind")
    asset: SavedAsset | None = pb.field("SavedAsset", 5, oneof="kind")
    function: SavedFunction | None = pb.field("SavedFunction", 6, oneof="kind")
    variable: SavedVariable | None = pb.field("SavedVariable", 7, oneof="kind")
    bare_concrete_function: SavedBareConcreteFunction | None = pb.field("SavedBareConcreteFunction", 8, oneof="kind")
    constant: SavedConstant | None = pb.field("SavedConstant", 9, oneof="kind")
    resource: SavedResource | None = pb.field("SavedResource", 10, oneof="kind")
    captured_tensor: CapturedTensor | None = pb.field("CapturedTensor", 12, oneof="kind")
    # by name of the saved attribute: how its value goes to a checkpoint and back
    saveable_objects: dict[str, SaveableObject] = pb.map(pb.string, "SaveableObject", 11)
    registered_name: str = pb.string(13)  # "package.Class" of a class registered for saving
    serialized_user_proto: Any | None = pb.field(Any, 14)  # written by that class about the object
    # name of a saver that writes checkpoint files by itself; excludes saveable_objects
    registered_saver: str = pb.string(16)


@pb.message("tensorflow.SavedUserObject")
class SavedUserObject(pb.Message):
    """An object of a class that the other kinds do not cover."""

    # which class to restore, such as "_generic_user_object", "trackable_list_wrapper" or "_tf_keras_layer"
    identifier: str = pb.string(1)
    version: VersionDef | None = pb.field(VersionDef, 2)  # of the class's own format
    metadata: str = pb.string(3)  # deprecated; Keras wrote JSON here before it had a file for it


@pb.message("tensorflow.SavedAsset")
class SavedAsset(pb.Message):
    """A file of the model. In Python, the value of this object is the path of the file."""

    asset_file_def_index: int = pb.int32(1)  # into `MetaGraphDef.asset_file_def`


@pb.message("tensorflow.SavedFunction")
class SavedFunction(pb.Message):
    """A tf.function: one concrete function for each signature it was called with."""

    concrete_functions: list[str] = pb.repeated(pb.string, 1)  # keys of `SavedObjectGraph.concrete_functions`
    function_spec: FunctionSpec | None = pb.field("FunctionSpec", 2)


@pb.message("tensorflow.CapturedTensor")
class CapturedTensor(pb.Message):
    """A tensor of another function's graph that a function uses."""

    name: str = pb.string(1)
    concrete_function: str = pb.string(2)  # which graph it is in


@pb.message("tensorflow.SavedConcreteFunction")
class SavedConcreteFunction(pb.Message):
    """One function of the graph's library: the facts that its FunctionDef cannot express."""

    # ids of the nodes (variables, tables, constants) that are passed after the caller's own arguments
    bound_inputs: list[int] = pb.repeated(pb.int32, 2)
    # a tuple of positional arguments and a dict of keyword arguments
    canonicalized_input_signature: StructuredValue | None = pb.field(StructuredValue, 3)
    # the returned structure, tensors replaced by their specs
    output_signature: StructuredValue | None = pb.field(StructuredValue, 4)


@pb.message("tensorflow.SavedBareConcreteFunction")
class SavedBareConcreteFunction(pb.Message):
    """A concrete function that does not belong to a tf.function, such as a signature."""

    concrete_function_name: str = pb.string(1)  # key of `SavedObjectGraph.concrete_functions`
    argument_keywords: list[str] = pb.repeated(pb.string, 2)  # a name for each tensor argument
    allowed_positional_arguments: int = pb.int64(3)  # number of leading arguments that may be positional
    function_spec: FunctionSpec | None = pb.field("FunctionSpec", 4)  # absent: it takes flat tensors only


@pb.message("tensorflow.SavedConstant")
class SavedConstant(pb.Message):
    """A tensor that a function captured."""

    operation: str = pb.string(1)  # name of its Const node in the graph


@pb.message("tensorflow.SavedVariable")
class SavedVariable(pb.Message):
    """A variable. Its value is in the checkpoint."""

    dtype: DataType = pb.field(DataType, 1)
    shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)
    trainable: bool = pb.bool(3)
    synchronization: VariableSynchronization = pb.field(VariableSynchronization, 4)
    aggregation: VariableAggregation = pb.field(VariableAggregation, 5)
    name: str = pb.string(6)  # as the user named it
    device: str = pb.string(7)
    # the copies, when it is distributed
    experimental_distributed_variable_components: list[SavedVariable] = pb.repeated("SavedVariable", 8)


@pb.message("tensorflow.FunctionSpec")
class FunctionSpec(pb.Message):
    """The Python side of a tf.function."""

    @pb.enum("tensorflow.FunctionSpec.JitCompile")
    class JitCompile(pb.Enum):
        """The three states of tf.function's jit_compile."""

        DEFAULT = 0  # None
        ON = 1  # True
        OFF = 2  # False

    # the result of inspect.getfullargspec, as a named tuple
    fullargspec: StructuredValue | None = pb.field(StructuredValue, 1)
    is_method: bool = pb.bool(2)  # the first argument is self
    input_signature: StructuredValue | None = pb.field(StructuredValue, 5)  # a tuple of specs, or None
    jit_compile: JitCompile = pb.field(JitCompile, 6)


@pb.message("tensorflow.SavedResource")
class SavedResource(pb.Message):
    """Something that a device keeps, such as a hash table. Its children are the functions that make and fill it."""

    device: str = pb.string(1)  # where; empty for anywhere


@pb.message("tensorflow.SaveableObject")
class SaveableObject(pb.Message):
    """The functions that save and restore one value of an object."""

    save_function: int = pb.int32(2)  # id of the node that is the function
    restore_function: int = pb.int32(3)  # id of the node that is the function
