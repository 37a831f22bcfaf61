"""tensorflow/core/framework/step_stats.proto: how long each node of a traced step took, and the memory it used."""

from __future__ import annotations

from pbwire import table as pb

from .allocation_description import AllocationDescription
from .tensor_description import TensorDescription

__all__ = [
    "AllocationRecord",
    "AllocatorMemoryUsed",
    "DeviceStepStats",
    "MemoryStats",
    "NodeExecStats",
    "NodeOutput",
    "StepStats",
]


@pb.message("tensorflow.AllocationRecord")
class AllocationRecord(pb.Message):
    """One step on the time line of an allocator."""

    alloc_micros: int = pb.int64(1)  # when, in microseconds
    alloc_bytes: int = pb.int64(2)  # negative when freed


@pb.message("tensorflow.AllocatorMemoryUsed")
class AllocatorMemoryUsed(pb.Message):
    """The memory that one node took from one allocator."""

    allocator_name: str = pb.string(1)
    total_bytes: int = pb.int64(2)  # all that the node allocated
    peak_bytes: int = pb.int64(3)  # maximum at any one time
    live_bytes: int = pb.int64(4)  # not freed when the node was done
    allocation_records: list[AllocationRecord] = pb.repeated(AllocationRecord, 6)
    allocator_bytes_in_use: int = pb.int64(5)  # of the whole allocator, by all nodes, at that moment


@pb.message("tensorflow.NodeOutput")
class NodeOutput(pb.Message):
    """One output of a traced node, and its tensor."""

    slot: int = pb.int32(1)  # number of the output
    tensor_description: TensorDescription | None = pb.field(TensorDescription, 3)


@pb.message("tensorflow.MemoryStats")
class MemoryStats(pb.Message):
    """Memory of a node by how long it lasts, in bytes."""

    temp_memory_size: int = pb.int64(1)  # freed when the node was done
    persistent_memory_size: int = pb.int64(3)  # still allocated after the node was done
    persistent_tensor_alloc_ids: list[int] = pb.repeated(pb.int64, 5)  # ids of the allocations that were kept
    device_temp_memory_size: int = pb.int64(2)  # deprecated
    device_persistent_memory_size: int = pb.int64(4)  # deprecated
    device_persistent_tensor_alloc_ids: list[int] = pb.repeated(pb.int64, 6)  # deprecated


@pb.message("tensorflow.NodeExecStats")
class NodeExecStats(pb.Message):
    """One execution of one node. A node inside a loop has one for each time it ran.

    Times are microseconds, the "rel" ones counted from `all_start_micros`; the fields that end in "nanos" are the same
    times in nanoseconds.
    """

    node_name: str = pb.string(1)
    all_start_micros: int = pb.int64(2)  # since the epoch; when the executor began with the node
    op_start_rel_micros: int = pb.int64(3)  # the kernel itself begins
    op_end_rel_micros: int = pb.int64(4)  # the kernel itself is done
    all_end_rel_micros: int = pb.int64(5)  # outputs are passed on
    memory: list[AllocatorMemoryUsed] = pb.repeated(AllocatorMemoryUsed, 6)
    output: list[NodeOutput] = pb.repeated(NodeOutput, 7)
    timeline_label: str = pb.string(8)  # shown by a trace viewer: node, op and inputs
    scheduled_micros: int = pb.int64(9)  # when the node became ready
    thread_id: int = pb.uint32(10)
    # buffers that existed before and were used
    referenced_tensor: list[AllocationDescription] = pb.repeated(AllocationDescription, 11)
    memory_stats: MemoryStats | None = pb.field(MemoryStats, 12)
    all_start_nanos: int = pb.int64(13)
    op_start_rel_nanos: int = pb.int64(14)
    op_end_rel_nanos: int = pb.int64(15)
    all_end_rel_nanos: int = pb.int64(16)
    scheduled_nanos: int = pb.int64(17)


@pb.message("tensorflow.DeviceStepStats")
class DeviceStepStats(pb.Message):
    """The nodes that ran on one device (or one of its streams) during a step."""

    device: str = pb.string(1)
    node_stats: list[NodeExecStats] = pb.repeated(NodeExecStats, 2)
    thread_names: dict[int, str] = pb.map(pb.uint32, pb.string, 3)  # by thread id


@pb.message("tensorflow.StepStats")
class StepStats(pb.Message):
    """The trace of one step, by device. `RunMetadata` carries it when tracing is on."""

    dev_stats: list[DeviceStepStats] = pb.repeated(DeviceStepStats, 1)
