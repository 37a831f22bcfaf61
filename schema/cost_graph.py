"""tensorflow/core/framework/cost_graph.proto: the graph that a step ran, with the cost of each node."""

from __future__ import annotations

from pbwire import table as pb

from .tensor_shape import TensorShapeProto
from .types import DataType

__all__ = ["CostGraphDef"]


@pb.message("tensorflow.CostGraphDef")
class CostGraphDef(pb.Message):
    """The cost of the nodes of a graph, or of one partition of it.

    `RunMetadata` returns it when `GraphOptions.build_cost_model` asks for it.
    """

    @pb.message("tensorflow.CostGraphDef.Node")
    class Node(pb.Message):
        """One executed node.

        Nodes refer to each other by `id`, not by name. Sizes are in bytes, costs in microseconds.
        """

        @pb.message("tensorflow.CostGraphDef.Node.InputInfo")
        class InputInfo(pb.Message):
            """The source of an input."""

            preceding_node: int = pb.int32(1)  # id of the producer
            preceding_port: int = pb.int32(2)  # which of its outputs

        @pb.message("tensorflow.CostGraphDef.Node.OutputInfo")
        class OutputInfo(pb.Message):
            """One output and the memory behind it."""

            size: int = pb.int64(1)
            # this output shares the buffer of that input; negative when it has its own
            alias_input_port: int = pb.int64(2)
            shape: TensorShapeProto | None = pb.field(TensorShapeProto, 3)
            dtype: DataType = pb.field(DataType, 4)

        name: str = pb.string(1)
        device: str = pb.string(2)  # empty before placement
        id: int = pb.int32(3)  # unique within its partition only
        input_info: list[InputInfo] = pb.repeated(InputInfo, 4)
        output_info: list[OutputInfo] = pb.repeated(OutputInfo, 5)
        temporary_memory_size: int = pb.int64(6)
        persistent_memory_size: int = pb.int64(12)  # kept after the node has run
        host_temp_memory_size: int = pb.int64(10)  # deprecated
        device_temp_memory_size: int = pb.int64(11)  # deprecated
        device_persistent_memory_size: int = pb.int64(16)  # deprecated
        compute_cost: int = pb.int64(9)  # estimate or measurement of the whole
        compute_time: int = pb.int64(14)  # analytical estimate of the arithmetic alone
        memory_time: int = pb.int64(15)  # analytical estimate of the memory traffic alone
        is_final: bool = pb.bool(7)  # its output is a result of the graph and cannot be discarded
        control_input: list[int] = pb.repeated(pb.int32, 8)  # ids of nodes that must run before
        inaccurate: bool = pb.bool(17)  # the costs are a guess

    @pb.message("tensorflow.CostGraphDef.AggregatedCost")
    class AggregatedCost(pb.Message):
        """The total cost of the graph along one dimension."""

        cost: float = pb.float(1)
        dimension: str = pb.string(2)  # the resource that is counted, such as "memory", "compute" or "network"

    node: list[Node] = pb.repeated(Node, 1)
    cost: list[AggregatedCost] = pb.repeated(AggregatedCost, 2)  # totals, for balancing
