"""tensorflow/core/protobuf/trackable_object_graph.proto: the objects that a checkpoint was saved from."""

from __future__ import annotations

from pbwire import table as pb
from pbwire.wellknown import BoolValue

__all__ = ["RegisteredSaver", "TrackableObjectGraph"]


@pb.message("tensorflow.TrackableObjectGraph")
class TrackableObjectGraph(pb.Message):
    """The objects that were saved and how they refer to each other.

    A TF2 checkpoint keeps it as a string tensor under the key "_CHECKPOINTABLE_OBJECT_GRAPH". Node 0 is the root.

    Restoring walks this graph and the program's own objects side by side, so variables are matched by the path of
    attribute names, not by their own names.
    """

    @pb.message("tensorflow.TrackableObjectGraph.TrackableObject")
    class TrackableObject(pb.Message):
        """One object: its references to others and its saved values."""

        @pb.message("tensorflow.TrackableObjectGraph.TrackableObject.ObjectReference")
        class ObjectReference(pb.Message):
            """A named edge to another object."""

            node_id: int = pb.int32(1)  # into `TrackableObjectGraph.nodes`
            local_name: str = pb.string(2)  # the attribute or key, such as "layers" or "0"

        @pb.message("tensorflow.TrackableObjectGraph.TrackableObject.SerializedTensor")
        class SerializedTensor(pb.Message):
            """A tensor that an object saved."""

            name: str = pb.string(1)  # "VARIABLE_VALUE" for the value of a variable
            full_name: str = pb.string(2)  # the name that a TF1 Saver would have used
            # key of the tensor in the checkpoint, such as "layer/kernel/.ATTRIBUTES/VARIABLE_VALUE"
            checkpoint_key: str = pb.string(3)

        @pb.message("tensorflow.TrackableObjectGraph.TrackableObject.SlotVariableReference")
        class SlotVariableReference(pb.Message):
            """A variable that an optimizer keeps for another variable, such as its momentum."""

            original_variable_node_id: int = pb.int32(1)  # the variable for which it is kept
            slot_name: str = pb.string(2)  # such as "m" or "v"
            slot_variable_node_id: int = pb.int32(3)  # the slot variable

        children: list[ObjectReference] = pb.repeated(ObjectReference, 1)
        # its own saved values; one entry for a variable
        attributes: list[SerializedTensor] = pb.repeated(SerializedTensor, 2)
        slot_variables: list[SlotVariableReference] = pb.repeated(SlotVariableReference, 3)  # of an optimizer
        registered_saver: RegisteredSaver | None = pb.field("RegisteredSaver", 4)
        # False if neither this object nor any object below it has values in the checkpoint; absent in old files
        has_checkpoint_values: BoolValue | None = pb.field(BoolValue, 5)

    nodes: list[TrackableObject] = pb.repeated(TrackableObject, 1)  # the position in this list is the node's id


@pb.message("tensorflow.RegisteredSaver")
class RegisteredSaver(pb.Message):
    """The registered custom saver that saves and restores an object."""

    name: str = pb.string(1)  # under which the saver is registered
    object_name: str = pb.string(2)  # unique name that was generated for the object
