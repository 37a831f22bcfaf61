"""The steps between predictions and losses, in small graphs of one kind of model each."""

from __future__ import annotations

import tfmodel
from tests.tfmodel.analysis.endpoints.test_losses import trained
from tfmodel.messages import GraphDef


def endpoints(graph: GraphDef) -> tuple[list[str], list[str]]:
    """Return the names of the inputs and outputs of a graph."""
    model = tfmodel.Model(graph)
    return [end.name for end in model.inputs], [end.name for end in model.outputs]


def test_scores_of_a_loss_in_a_conditional_are_followed_out_of_it() -> None:
    """As in PixelLink: without positive examples there is no loss of links. A Softmax of three dimensions has two."""
    text = """
        x = Placeholder[dtype=float, shape=(-1, 4)]
        truth = Placeholder[dtype=int32, shape=(-1)]
        w = VariableV2[dtype=float, shape=(4, 6)]
        links = MatMul(x, w)[T=float]
        three = Const[dtype=int32, value=int32{-1, 2, 3}]
        two = Const[dtype=int32, value=int32{-1, 3}]
        axis = Const[dtype=int32, value=int32{0}]
        none = Const[dtype=int32, value=int32{0}()]
        no_loss = Const[dtype=float, value=float{0}()]
        Reshape = Reshape(links, three)[T=float]
        Shape = Shape(Reshape)[T=float]
        Reshape_1 = Reshape(Reshape, two)[T=float]
        Softmax = Softmax(Reshape_1)[T=float]
        Reshape_2 = Reshape(Softmax, Shape)[T=float]
        positive = Sum(truth, axis)[T=int32, Tidx=int32]
        any = Greater(positive, none)[T=int32]
        cond/Switch = Switch(Reshape, any)[T=float]
        cond/Switch_1 = Switch(truth, any)[T=int32]
        cond/Reshape = Reshape(cond/Switch:1, two)[T=float]
        cond/entropy = SparseSoftmaxCrossEntropyWithLogits(cond/Reshape, cond/Switch_1:1)[T=float, Tlabels=int32]
        cond/Mean = Mean(cond/entropy, axis)[T=float, Tidx=int32]
        cond/Switch_2 = Switch(no_loss, any)[T=float]
        merged = Merge(cond/Switch_2, cond/Mean)[T=float, N=2]
        loss = Mul(merged, no_loss)[T=float]
    """
    graph = trained(text, {"gradients": "loss"})
    assert endpoints(graph) == (["x"], ["Reshape_2"])


SEQUENCE = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    truth = Placeholder[dtype=int32, shape=(-1)]
    w = VariableV2[dtype=float, shape=(4, 3)]
    axis = Const[dtype=int32, value=int32{2}()]
    axes = Const[dtype=int32, value=int32{0}]
    zero = Const[dtype=int32, value=int32{0}()]
    in_time = Const[dtype=int32, value=int32{-1, 5, 3}]
    scores = MatMul(x, w)[T=float]
    Reshape = Reshape(scores, in_time)[T=float]
"""


def test_scores_in_time_keep_their_form_where_the_loss_flattens_them() -> None:
    text = """
        flat = Const[dtype=int32, value=int32{-1, 3}]
        Reshape_1 = Reshape(Reshape, flat)[T=float]
        best = ArgMax(Reshape, axis)[T=float, Tidx=int32]
        entropy = SparseSoftmaxCrossEntropyWithLogits(Reshape_1, truth)[T=float, Tlabels=int32]
        loss = Mean(entropy, axes)[T=float, Tidx=int32]
    """
    lines = "\n".join(line.strip() for line in (SEQUENCE + text).splitlines())
    assert endpoints(trained(lines, {"gradients": "loss"}))[1] == ["Reshape"]
