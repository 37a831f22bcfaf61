"""tensorflow/core/protobuf/meta_graph.proto: a graph with signatures, collections and a saver."""

from __future__ import annotations

from pbwire import table as pb
from pbwire.wellknown import Any

from .graph import GraphDef
from .op_def import OpList
from .saved_object_graph import SavedObjectGraph
from .saver import SaverDef
from .struct import TypeSpecProto
from .tensor import TensorProto
from .tensor_shape import TensorShapeProto
from .types import DataType

__all__ = ["AssetFileDef", "CollectionDef", "MetaGraphDef", "SignatureDef", "TensorInfo"]


@pb.message("tensorflow.MetaGraphDef")
class MetaGraphDef(pb.Message):
    """A graph with signatures, collections and more. A TF1 `.meta` file holds one, a SavedModel one or more."""

    @pb.message("tensorflow.MetaGraphDef.MetaInfoDef")
    class MetaInfoDef(pb.Message):
        """The origin and purpose of a MetaGraphDef."""

        meta_graph_version: str = pb.string(1)  # free text of the user
        # declarations of the ops in use, without documentation, so that readers can find ops that they lack
        stripped_op_list: OpList | None = pb.field(OpList, 2)
        any_info: Any | None = pb.field(Any, 3)  # free for the user
        # such as "serve", "train" or "tpu"; loaders choose a graph by the whole set
        tags: list[str] = pb.repeated(pb.string, 4)
        tensorflow_version: str = pb.string(5)  # of the writer
        tensorflow_git_version: str = pb.string(6)
        stripped_default_attrs: bool = pb.bool(7)  # attributes that equal the default have been left out of the nodes
        # from the name of a function in the graph to the name that the user gave it
        function_aliases: dict[str, str] = pb.map(pb.string, pb.string, 8)

    meta_info_def: MetaInfoDef | None = pb.field(MetaInfoDef, 1)
    graph_def: GraphDef | None = pb.field(GraphDef, 2)
    saver_def: SaverDef | None = pb.field(SaverDef, 3)  # how to save and restore the variables with ops of the graph
    # by collection, such as "variables" or "train_op"
    collection_def: dict[str, CollectionDef] = pb.map(pb.string, "CollectionDef", 4)
    # by signature key, such as "serving_default"
    signature_def: dict[str, SignatureDef] = pb.map(pb.string, "SignatureDef", 5)
    # files that belong to the model, such as vocabularies
    asset_file_def: list[AssetFileDef] = pb.repeated("AssetFileDef", 6)
    # TF2: the objects that the graph was made from
    object_graph_def: SavedObjectGraph | None = pb.field(SavedObjectGraph, 7)


@pb.message("tensorflow.CollectionDef")
class CollectionDef(pb.Message):
    """The content of one TF1 collection: a named list of things that belong to a graph."""

    @pb.message("tensorflow.CollectionDef.NodeList")
    class NodeList(pb.Message):
        """Tensors ("name:0") or ops ("name") of the graph."""

        value: list[str] = pb.repeated(pb.string, 1)

    @pb.message("tensorflow.CollectionDef.BytesList")
    class BytesList(pb.Message):
        """Strings or serialized messages.

        VariableDefs in "variables" and its like, QueueRunnerDefs in "queue_runners", CondContextDefs in "cond_context",
        WhileContextDefs in "while_context".
        """

        value: list[bytes] = pb.repeated(pb.bytes, 1)

    @pb.message("tensorflow.CollectionDef.Int64List")
    class Int64List(pb.Message):
        """Integers."""

        value: list[int] = pb.repeated(pb.int64, 1)

    @pb.message("tensorflow.CollectionDef.FloatList")
    class FloatList(pb.Message):
        """Floats."""

        value: list[float] = pb.repeated(pb.float, 1)

    @pb.message("tensorflow.CollectionDef.AnyList")
    class AnyList(pb.Message):
        """Messages with their type."""

        value: list[Any] = pb.repeated(Any, 1)

    node_list: NodeList | None = pb.field(NodeList, 1, oneof="kind")
    bytes_list: BytesList | None = pb.field(BytesList, 2, oneof="kind")
    int64_list: Int64List | None = pb.field(Int64List, 3, oneof="kind")
    float_list: FloatList | None = pb.field(FloatList, 4, oneof="kind")
    any_list: AnyList | None = pb.field(AnyList, 5, oneof="kind")


@pb.message("tensorflow.TensorInfo")
class TensorInfo(pb.Message):
    """An input or output tensor of a signature."""

    @pb.message("tensorflow.TensorInfo.CooSparse")
    class CooSparse(pb.Message):
        """A sparse tensor as three dense ones; each field is the name of a tensor."""

        values_tensor_name: str = pb.string(1)  # [n]
        indices_tensor_name: str = pb.string(2)  # int64 [n, rank]
        dense_shape_tensor_name: str = pb.string(3)  # int64 [rank]

    @pb.message("tensorflow.TensorInfo.CompositeTensor")
    class CompositeTensor(pb.Message):
        """A value that consists of several tensors, such as a ragged tensor or an extension type."""

        type_spec: TypeSpecProto | None = pb.field(TypeSpecProto, 1)
        # its tensors, flattened in the order that the type defines
        components: list[TensorInfo] = pb.repeated("TensorInfo", 2)

    name: str | None = pb.string(1, oneof="encoding")  # of a dense tensor: "node:0"
    coo_sparse: CooSparse | None = pb.field(CooSparse, 4, oneof="encoding")
    composite_tensor: CompositeTensor | None = pb.field(CompositeTensor, 5, oneof="encoding")
    dtype: DataType = pb.field(DataType, 2)  # of a sparse tensor: the dtype of its values
    # as far as it is known; of a sparse tensor: the dense shape
    tensor_shape: TensorShapeProto | None = pb.field(TensorShapeProto, 3)


@pb.message("tensorflow.SignatureDef")
class SignatureDef(pb.Message):
    """A way to call a graph: named inputs, named outputs.

    Clients of a served model see these names. Keys name the arguments, values are their tensors.
    """

    inputs: dict[str, TensorInfo] = pb.map(pb.string, TensorInfo, 1)
    outputs: dict[str, TensorInfo] = pb.map(pb.string, TensorInfo, 2)
    method_name: str = pb.string(3)  # the purpose of the computation; TF2 always writes "tensorflow/serving/predict"
    # inputs that may be left out, by name, with their values
    defaults: dict[str, TensorProto] = pb.map(pb.string, TensorProto, 4)


@pb.message("tensorflow.AssetFileDef")
class AssetFileDef(pb.Message):
    """A file in a SavedModel's `assets` folder, and the constant that holds its path when loaded."""

    tensor_info: TensorInfo | None = pb.field(TensorInfo, 1)
    filename: str = pb.string(2)  # relative to that folder
