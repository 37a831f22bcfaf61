"""tensorflow/core/framework/node_def.proto: one operation of a graph and its wiring."""

from __future__ import annotations

from pbwire import table as pb

from .attr_value import AttrValue
from .full_type import FullTypeDef

__all__ = ["NodeDef"]


@pb.message("tensorflow.NodeDef")
class NodeDef(pb.Message):
    """One operation of a graph.

    `input` lists producers as "node" (its output 0), "node:port" or, for an edge that only orders execution, "^node";
    control inputs come last. FunctionDef spells inputs in another way.
    """

    @pb.message("tensorflow.NodeDef.ExperimentalDebugInfo")
    class ExperimentalDebugInfo(pb.Message):
        """The nodes from which an optimizer made this one, so that errors can name the user's own nodes."""

        original_node_names: list[str] = pb.repeated(pb.string, 1)
        # the function of each of those nodes; empty for the top level
        original_func_names: list[str] = pb.repeated(pb.string, 2)

    name: str = pb.string(1)  # unique in the graph; slashes make scopes
    op: str = pb.string(2)  # name of an OpDef or of a function; ops that begin with an underscore are TensorFlow's own
    input: list[str] = pb.repeated(pb.string, 3)
    # such as "/job:worker/task:1/device:GPU:0", in part or empty; the placer chooses the missing parts
    device: str = pb.string(4)
    # by name as the OpDef declares them; absent ones take the default; names that begin with an underscore are
    # annotations
    attr: dict[str, AttrValue] = pb.map(pb.string, AttrValue, 5)
    experimental_debug_info: ExperimentalDebugInfo | None = pb.field(ExperimentalDebugInfo, 6)
    experimental_type: FullTypeDef | None = pb.field(FullTypeDef, 7)  # type of the outputs, a TFT_PRODUCT
