"""tensorflow/core/protobuf/saved_model.proto: the outermost message of a SavedModel."""

from __future__ import annotations

from pbwire import table as pb

from .meta_graph import MetaGraphDef

__all__ = ["SavedModel"]


@pb.message("tensorflow.SavedModel")
class SavedModel(pb.Message):
    """The file `saved_model.pb` (or `saved_model.pbtxt`). Variables and assets are files beside it."""

    saved_model_schema_version: int = pb.int64(1)  # 1 in everything written so far
    meta_graphs: list[MetaGraphDef] = pb.repeated(MetaGraphDef, 2)  # chosen by their tags; TF2 writes one
