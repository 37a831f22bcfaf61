"""tensorflow/core/protobuf/fingerprint.proto: hashes that tell one SavedModel from another."""

from __future__ import annotations

from pbwire import table as pb

from .versions import VersionDef

__all__ = ["FingerprintDef"]


@pb.message("tensorflow.FingerprintDef")
class FingerprintDef(pb.Message):
    """The file `fingerprint.pb` beside a SavedModel's other files. It describes the first MetaGraphDef.

    "Regularized" hashes ignore meaningless differences between exports, such as the order of functions and suffixes of
    names.
    """

    saved_model_checksum: int = pb.uint64(1)  # of the bytes of saved_model.pb
    graph_def_program_hash: int = pb.uint64(2)  # of the regularized graph
    signature_def_hash: int = pb.uint64(3)  # of the regularized, sorted signatures
    saved_object_graph_hash: int = pb.uint64(4)  # of the regularized object graph
    checkpoint_hash: int = pb.uint64(5)  # of the checkpoint's .index file, 0 without one
    uuid: str = pb.string(7)  # random, new for each export
    version: VersionDef | None = pb.field(VersionDef, 6)  # of the way these hashes are computed
