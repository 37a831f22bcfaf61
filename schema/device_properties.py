"""tensorflow/core/protobuf/device_properties.proto: the hardware of devices, for cost models."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["DeviceProperties", "NamedDevice"]


@pb.message("tensorflow.DeviceProperties")
class DeviceProperties(pb.Message):
    """The hardware of a device. Sizes are in bytes."""

    type: str = pb.string(1)  # "CPU"
    vendor: str = pb.string(2)
    model: str = pb.string(3)
    frequency: int = pb.int64(4)  # MHz
    num_cores: int = pb.int64(5)
    environment: dict[str, str] = pb.map(pb.string, pb.string, 6)  # versions of tools and libraries
    num_registers: int = pb.int64(7)
    l1_cache_size: int = pb.int64(8)
    l2_cache_size: int = pb.int64(9)
    l3_cache_size: int = pb.int64(10)
    shared_memory_size_per_multiprocessor: int = pb.int64(11)
    memory_size: int = pb.int64(12)
    bandwidth: int = pb.int64(13)  # KB per second


@pb.message("tensorflow.NamedDevice")
class NamedDevice(pb.Message):
    """A device with its name."""

    name: str = pb.string(1)
    properties: DeviceProperties | None = pb.field(DeviceProperties, 2)
