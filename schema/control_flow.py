"""tensorflow/core/protobuf/control_flow.proto: the structure of TF1 loops and conditionals."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["CondContextDef", "ControlFlowContextDef", "ValuesDef", "WhileContextDef"]


@pb.message("tensorflow.ValuesDef")
class ValuesDef(pb.Message):
    """The names of the tensors that a control flow context uses."""

    values: list[str] = pb.repeated(pb.string, 1)  # all tensors that were used or created inside
    # from a tensor outside to the tensor that stands for it inside
    external_values: dict[str, str] = pb.map(pb.string, pb.string, 2)


@pb.message("tensorflow.ControlFlowContextDef")
class ControlFlowContextDef(pb.Message):
    """A loop or a conditional inside another. It is needed to add gradients after import, not for execution."""

    cond_ctxt: CondContextDef | None = pb.field("CondContextDef", 1, oneof="ctxt")
    while_ctxt: WhileContextDef | None = pb.field("WhileContextDef", 2, oneof="ctxt")


@pb.message("tensorflow.CondContextDef")
class CondContextDef(pb.Message):
    """One of the two branches of a tf.cond. The collection "cond_context" holds them."""

    context_name: str = pb.string(1)  # also the name scope of its nodes
    pred_name: str = pb.string(2)  # tensor with the condition
    pivot_name: str = pb.string(3)  # tensor that is alive when this branch runs
    branch: int = pb.int32(4)  # 1 for the branch that runs if the condition is true, 0 for the other one
    values_def: ValuesDef | None = pb.field(ValuesDef, 5)
    nested_contexts: list[ControlFlowContextDef] = pb.repeated(ControlFlowContextDef, 6)


@pb.message("tensorflow.WhileContextDef")
class WhileContextDef(pb.Message):
    """A tf.while_loop.

    The collection "while_context" holds them. Names are those of tensors unless a comment says otherwise.
    """

    context_name: str = pb.string(1)  # also the name scope of its nodes, and the frame of its Enter nodes
    parallel_iterations: int = pb.int32(2)  # how many may run at once
    back_prop: bool = pb.bool(3)  # gradients may be taken through it
    swap_memory: bool = pb.bool(4)  # keep the inputs of gradients in host memory
    pivot_name: str = pb.string(5)  # the loop condition (LoopCond)
    pivot_for_pred_name: str = pb.string(6)  # control input for constants in the condition
    pivot_for_body_name: str = pb.string(7)  # control input for constants in the body
    loop_exit_names: list[str] = pb.repeated(pb.string, 8)  # results, in the order of the loop variables
    loop_enter_names: list[str] = pb.repeated(pb.string, 10)  # initial values, likewise
    values_def: ValuesDef | None = pb.field(ValuesDef, 9)
    maximum_iterations_name: str = pb.string(11)  # empty for no limit
    nested_contexts: list[ControlFlowContextDef] = pb.repeated(ControlFlowContextDef, 12)
