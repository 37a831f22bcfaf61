"""tensorflow/core/protobuf/debug.proto: the tensors that the debugger of TF1 watches."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["DebugOptions", "DebugTensorWatch", "DebuggedSourceFile", "DebuggedSourceFiles"]


@pb.message("tensorflow.DebugOptions")
class DebugOptions(pb.Message):
    """The tensors that the debugger watches in one run."""

    debug_tensor_watch_opts: list[DebugTensorWatch] = pb.repeated("DebugTensorWatch", 4)
    global_step: int = pb.int64(10)  # of the run; part of the names of dumps
    reset_disk_byte_usage: bool = pb.bool(11)  # count the bytes that dumps take on the disk from 0


@pb.message("tensorflow.DebugTensorWatch")
class DebugTensorWatch(pb.Message):
    """The output of a node that is watched, and what happens with its values."""

    node_name: str = pb.string(1)  # * watches all nodes
    output_slot: int = pb.int32(2)  # -1 for all outputs
    debug_ops: list[str] = pb.repeated(pb.string, 3)  # such as DebugIdentity and DebugNanCount
    debug_urls: list[str] = pb.repeated(pb.string, 4)  # where the values go: file:///folder or grpc://host:port
    tolerate_debug_op_creation_failures: bool = pb.bool(5)  # leave out debug ops that cannot be made


@pb.message("tensorflow.DebuggedSourceFile")
class DebuggedSourceFile(pb.Message):
    """A source file of the program that is debugged, for its stack traces."""

    host: str = pb.string(1)
    file_path: str = pb.string(2)
    last_modified: int = pb.int64(3)
    bytes: int = pb.int64(4)
    lines: list[str] = pb.repeated(pb.string, 5)


@pb.message("tensorflow.DebuggedSourceFiles")
class DebuggedSourceFiles(pb.Message):
    """The source files of a program."""

    source_files: list[DebuggedSourceFile] = pb.repeated(DebuggedSourceFile, 1)
