"""tensorflow/core/framework/device_attributes.proto: the devices of a process, as `list_local_devices` returns them."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["DeviceAttributes", "DeviceLocality", "InterconnectLink", "LocalLinks"]


@pb.message("tensorflow.InterconnectLink")
class InterconnectLink(pb.Message):
    """A direct connection to another device."""

    device_id: int = pb.int32(1)
    type: str = pb.string(2)
    strength: int = pb.int32(3)


@pb.message("tensorflow.LocalLinks")
class LocalLinks(pb.Message):
    """The direct connections of a device."""

    link: list[InterconnectLink] = pb.repeated(InterconnectLink, 1)


@pb.message("tensorflow.DeviceLocality")
class DeviceLocality(pb.Message):
    """Where a device is in its machine."""

    bus_id: int = pb.int32(1)  # from 1; 0: not known
    numa_node: int = pb.int32(2)
    links: LocalLinks | None = pb.field(LocalLinks, 3)


@pb.message("tensorflow.DeviceAttributes")
class DeviceAttributes(pb.Message):
    """A device that can run nodes."""

    name: str = pb.string(1)  # "/device:CPU:0"
    device_type: str = pb.string(2)
    memory_limit: int = pb.int64(4)  # bytes
    locality: DeviceLocality | None = pb.field(DeviceLocality, 5)
    incarnation: int = pb.fixed64(6)  # another number each time that the device is initialized
    physical_device_desc: str = pb.string(7)
    xla_global_id: int = pb.int64(8)  # -1: none
