"""tensorflow/core/framework/function.proto: functions that a graph can call, and their gradients."""

from __future__ import annotations

from pbwire import table as pb

from .attr_value import AttrValue
from .node_def import NodeDef
from .op_def import OpDef

__all__ = ["FunctionDef", "FunctionDefLibrary", "GradientDef", "RegisteredGradient"]


@pb.message("tensorflow.FunctionDefLibrary")
class FunctionDefLibrary(pb.Message):
    """All functions that a graph may call. Their names share one flat namespace with the ops."""

    function: list[FunctionDef] = pb.repeated("FunctionDef", 1)
    gradient: list[GradientDef] = pb.repeated("GradientDef", 2)
    registered_gradients: list[RegisteredGradient] = pb.repeated("RegisteredGradient", 3)


@pb.message("tensorflow.FunctionDef")
class FunctionDef(pb.Message):
    """A function: a signature, a body of nodes, and which of their outputs are returned.

    Inside the body inputs are written differently from a GraphDef: "arg" is an argument of the function, "node:out:0"
    is the first tensor of the output that the OpDef of that node's op calls "out", "node:out" all of its tensors,
    "^node" a control input. A node whose op is the name of a function calls it.
    """

    @pb.message("tensorflow.FunctionDef.ArgAttrs")
    class ArgAttrs(pb.Message):
        """Attributes of one argument, such as "_user_specified_name" or "_output_shapes"."""

        attr: dict[str, AttrValue] = pb.map(pb.string, AttrValue, 1)

    signature: OpDef | None = pb.field(OpDef, 1)  # name, arguments, results and attributes
    # of the function itself, such as "_noinline" or "_XlaMustCompile"
    attr: dict[str, AttrValue] = pb.map(pb.string, AttrValue, 5)
    # by position of the argument: attributes of its _Arg node
    arg_attr: dict[int, ArgAttrs] = pb.map(pb.uint32, ArgAttrs, 7)
    # by position of the argument: arguments with equal ids may be the same resource; empty if all differ
    resource_arg_unique_id: dict[int, int] = pb.map(pb.uint32, pb.uint32, 8)
    node_def: list[NodeDef] = pb.repeated(NodeDef, 3)  # the body, in no particular order
    # from the name of a result (`signature.output_arg`) to the tensor in the body
    ret: dict[str, str] = pb.map(pb.string, pb.string, 4)
    # from the name of a control output (`signature.control_output`) to the node in the body
    control_ret: dict[str, str] = pb.map(pb.string, pb.string, 6)


@pb.message("tensorflow.GradientDef")
class GradientDef(pb.Message):
    """The function that computes the gradient of another.

    For a function of N inputs and M outputs it takes N + M inputs, the original ones followed by the gradients of the
    outputs, and returns N gradients.
    """

    function_name: str = pb.string(1)  # the function
    gradient_func: str = pb.string(2)  # the function that computes its gradient


@pb.message("tensorflow.RegisteredGradient")
class RegisteredGradient(pb.Message):
    """A gradient function that belongs to an op type (a custom gradient) rather than to one function."""

    gradient_func: str = pb.string(1)  # name of a function in the library
    registered_op_type: str = pb.string(2)  # the value of "_gradient_op_type" on the nodes that use it
