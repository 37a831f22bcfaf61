"""tensorflow/core/framework/allocation_description.proto: where the memory behind a tensor came from."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["AllocationDescription"]


@pb.message("tensorflow.AllocationDescription")
class AllocationDescription(pb.Message):
    """The buffer behind one tensor, as an allocator reported it while a step was traced."""

    requested_bytes: int = pb.int64(1)  # requested by the op
    allocated_bytes: int = pb.int64(2)  # reserved by the allocator, where known
    allocator_name: str = pb.string(3)
    allocation_id: int = pb.int64(4)  # differs for buffers that use the same address at different times
    has_single_reference: bool = pb.bool(5)  # this tensor held the only reference to the buffer
    ptr: int = pb.uint64(6)  # address in the traced process
