"""tensorflow/core/framework/graph.proto: the graph itself, the message of a frozen .pb file."""

from __future__ import annotations

from pbwire import table as pb

from .function import FunctionDefLibrary
from .graph_debug_info import GraphDebugInfo
from .node_def import NodeDef
from .versions import VersionDef

__all__ = ["GraphDef"]


@pb.message("tensorflow.GraphDef")
class GraphDef(pb.Message):
    """A graph of operations, and the functions that they call.

    Frozen models are files of this message; MetaGraphDef and SavedModel wrap it. Nodes may be in any order.
    Function calls are nodes whose op is the name of a function in `library`.
    """

    node: list[NodeDef] = pb.repeated(NodeDef, 1)
    # the versions here are GraphDef versions (1482 and so on), not TensorFlow's
    versions: VersionDef | None = pb.field(VersionDef, 4)
    version: int = pb.int32(3)  # deprecated: replaced by versions.producer, ignored by readers
    library: FunctionDefLibrary | None = pb.field(FunctionDefLibrary, 2)
    debug_info: GraphDebugInfo | None = pb.field(GraphDebugInfo, 5)  # stack traces of where nodes were made
