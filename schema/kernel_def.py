"""tensorflow/core/framework/kernel_def.proto: the implementations of an op that a build of TensorFlow has."""

from __future__ import annotations

from pbwire import table as pb

from .attr_value import AttrValue

__all__ = ["KernelDef", "KernelList"]


@pb.message("tensorflow.KernelDef")
class KernelDef(pb.Message):
    """One kernel: which op it implements, on which kind of device, for which attribute values."""

    @pb.message("tensorflow.KernelDef.AttrConstraint")
    class AttrConstraint(pb.Message):
        """The values of one attribute that a kernel can deal with."""

        name: str = pb.string(1)  # of the attribute
        allowed_values: AttrValue | None = pb.field(AttrValue, 2)  # a `list`

    op: str = pb.string(1)  # name of the OpDef
    device_type: str = pb.string(2)  # "CPU", "GPU", ...
    # all of them have to hold for the kernel to apply
    constraint: list[AttrConstraint] = pb.repeated(AttrConstraint, 3)
    # inputs and outputs that stay in host memory although the device has its own
    host_memory_arg: list[str] = pb.repeated(pb.string, 4)
    label: str = pb.string(5)  # if set, only nodes with an equal "_kernel" attribute use the kernel
    priority: int = pb.int32(6)  # of several kernels that apply, the highest wins; 0 unless set


@pb.message("tensorflow.KernelList")
class KernelList(pb.Message):
    """Several kernels, as TensorFlow's C API returns them."""

    kernel: list[KernelDef] = pb.repeated(KernelDef, 1)
