"""A training graph and the nodes that tests of reports make."""

from __future__ import annotations

from tests.tfmodel.models import shape as shape_of
from tests.tfmodel.parameters.graphs import const, graph, node, variable
from tfmodel.messages import (
    AttrValue,
    DataType,
    NodeDef,
)

__all__ = ["FLOAT", "TRAINING", "placeholder", "reasons", "typed"]

FLOAT = AttrValue(type=DataType.DT_FLOAT)


def placeholder(name, *sizes, op="Placeholder"):
    attr = {"dtype": FLOAT, "shape": AttrValue(shape=shape_of(*sizes))}
    return NodeDef(name=name, op=op, attr=attr)


def typed(line):
    """A node of floats: "y = Relu(x)"."""
    node_def = node(line)
    node_def.attr["T"] = FLOAT
    return node_def


TRAINING = graph(
    placeholder("image", -1, 4),
    NodeDef(name="label", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_INT64)}),
    variable("w", 4, 10, op="VariableV2"),
    const("w/initial"),
    "w/Assign = Assign(w, w/initial)",
    "w/read = Identity(w)",
    typed("logits = MatMul(image, w/read)"),
    typed("probabilities = Softmax(logits)"),
    "loss = SparseSoftmaxCrossEntropyWithLogits(logits, label)",
    "gradients/loss_grad/mul = Mul(loss:1, logits)",
    "gradients/MatMul_1 = MatMul(image, gradients/loss_grad/mul)",
    "clipped = Mul(gradients/MatMul_1, w/read)",
    const("rate"),
    "train = ApplyGradientDescent(w, rate, clipped)",
    "loss_summary = ScalarSummary(rate, loss)",
    "init = NoOp(^w/Assign)",
    const("save/tensor_names"),
    NodeDef(name="save/filename", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_STRING)}),
    "save/SaveV2 = SaveV2(save/filename, save/tensor_names, save/tensor_names, w)",
    "save/control_dependency = Identity(save/filename, ^save/SaveV2)",
    "save/RestoreV2 = RestoreV2(save/filename, save/tensor_names, save/tensor_names)",
    "save/Assign = Assign(w, save/RestoreV2)",
    "save/restore_all = NoOp(^save/Assign)",
)


def reasons(ends):
    return {end.name: list(end.reasons) for end in ends}
