"""The steps between predictions and losses, in small graphs of one kind of model each."""

from __future__ import annotations

import pytest

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


SIAMESE = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    x_1 = Placeholder[dtype=float, shape=(-1, 4)]
    y = Placeholder[dtype=float, shape=(-1)]
    w = VariableV2[dtype=float, shape=(4, 3)]
    axes = Const[dtype=int32, value=int32{{0, 1}}]
    left = MatMul(x, w)[T=float]
    right = MatMul(x_1, w)[T=float]
    {0}/sub = Sub(left, right)[T=float]
    {0}/Square = Square({0}/sub)[T=float]
    {0}/Sum = Sum({0}/Square, axes)[T=float, Tidx=int32]
    {0}/Sqrt = Sqrt({0}/Sum)[T=float]
    {0}/mul = Mul(y, {0}/Sqrt)[T=float]
    loss = Mean({0}/mul, axes)[T=float, Tidx=int32]
"""


@pytest.mark.parametrize(
    ("scope", "outputs"),
    [
        ("contrastive_loss", ["left", "right"]),
        ("train/Loss_1", ["left", "right"]),
        ("cost", ["left", "right"]),
        ("distance", ["distance/Sqrt"]),
        ("lossless", ["lossless/Sqrt"]),
    ],
)
def test_values_in_a_scope_of_losses_are_not_chosen(scope: str, outputs: list[str]) -> None:
    assert endpoints(trained(SIAMESE.format(scope), {"gradients": "loss"})) == (["x", "x_1"], outputs)


def test_a_scope_of_losses_in_which_weights_are_applied_has_the_result() -> None:
    """As of BERT, whose classifier is in the scope of the loss."""
    text = SIAMESE.format("loss").replace("left", "loss/left").replace("right", "loss/right")
    assert endpoints(trained(text, {"gradients": "loss"})) == (["x", "x_1"], ["loss/Sqrt"])


def test_heads_that_the_scope_of_a_loss_joins_are_several_results() -> None:
    """As of SSD, which has a head for each size of boxes."""
    heads = "".join(
        f"w{number} = VariableV2[dtype=float, shape=(4, 6)]\nhead{number} = MatMul(x, w{number})[T=float]\n"
        f"ssd_losses/flat{number} = Reshape(head{number}, flat)[T=float]\n"
        for number in (1, 2)
    )
    text = f"""
        x = Placeholder[dtype=float, shape=(-1, 4)]
        y = Placeholder[dtype=int32, shape=(-1)]
        flat = Const[dtype=int32, value=int32{{-1, 3}}]
        axis = Const[dtype=int32, value=int32{{0}}()]
        axes = Const[dtype=int32, value=int32{{0}}]
        {heads}
        ssd_losses/concat = ConcatV2(ssd_losses/flat1, ssd_losses/flat2, axis)[T=float, N=2, Tidx=int32]
        ssd_losses/entropy = SparseSoftmaxCrossEntropyWithLogits(ssd_losses/concat, y)[T=float, Tlabels=int32]
        loss = Mean(ssd_losses/entropy, axes)[T=float, Tidx=int32]
    """
    assert endpoints(trained(text, {"gradients": "loss"})) == (["x"], ["head1", "head2"])


SAMPLED = """
    word = Placeholder[dtype=int32, shape=(-1)]
    label = Placeholder[dtype=int64, shape=(-1, 1)]
    table = VariableV2[dtype=float, shape=(9, 3)]
    classes = VariableV2[dtype=float, shape=(9, 3)]
    axes = Const[dtype=int32, value=int32{0, 1}]
    flat = Const[dtype=int32, value=int32{-1}]
    axis = Const[dtype=int32, value=int32{0}()]
    features = GatherV2(table, word, axis)[Tparams=float, Tindices=int32, Taxis=int32]
    nce_loss/drawn = LogUniformCandidateSampler(label)[num_true=1, num_sampled=4, unique=true, range_max=9]
    nce_loss/flat = Reshape(label, flat)[T=int64]
    nce_loss/ids = ConcatV2(nce_loss/flat, nce_loss/drawn, axis)[T=int64, N=2, Tidx=int32]
    nce_loss/rows = GatherV2(classes, nce_loss/ids, axis)[Tparams=float, Tindices=int64, Taxis=int32]
    nce_loss/scores = MatMul(features, nce_loss/rows)[T=float, transpose_b=true]
    nce_loss/log = Log(nce_loss/scores)[T=float]
    loss = Mean(nce_loss/log, axes)[T=float, Tidx=int32]
"""


def test_a_loss_that_draws_classes_does_not_apply_weights_of_the_model() -> None:
    """As of word2vec: the label chooses the weights of a class, and the model is the features."""
    graph = trained(SAMPLED, {"gradients": "loss"})
    assert endpoints(graph) == (["word"], ["features"])
    [end] = tfmodel.Model(graph).outputs
    assert "nothing has the scores of all classes" in end.reason and not end.is_certain


def test_scores_of_all_classes_are_wanted_in_place_of_those_of_drawn_ones() -> None:
    text = (
        SAMPLED
        + """
        read = Identity(classes)[T=float]
        every = MatMul(features, read)[T=float, transpose_b=true]
        Softmax = Softmax(every)[T=float]
    """
    )
    graph = trained(text, {"gradients": "loss"})
    assert endpoints(graph) == (["word"], ["Softmax"])
    assert all(end.is_certain for end in tfmodel.Model(graph).outputs)
