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


def candidates(graph: GraphDef) -> list[str]:
    """Return the names of the candidates for outputs of a graph, none of which is certain enough."""
    with pytest.raises(tfmodel.ModelError, match=r"no output is certain enough: name some in outputs="):
        print(tfmodel.Model(graph).outputs)
    return [end.name for end in tfmodel.summarize(graph).outputs]


def test_heads_that_a_loss_joins_are_the_outputs() -> None:
    """As in SSD: scores and boxes at several scales, with probabilities that nothing uses and others in the loss."""
    head = """
        cls_w{n} = VariableV2[dtype=float, shape=(3, 3, 4, 6)]
        cls{n} = Conv2D(x{n}, cls_w{n})[T=float, strides=[1, 1, 1, 1], padding="SAME"]
        cls_shape{n} = Const[dtype=int32, value=int32{{2, {size}, {size}, 2, 3}}]
        scores{n} = Reshape(cls{n}, cls_shape{n})[T=float]
        loss/Reshape_1{n} = Reshape(scores{n}, flat)[T=float]
        flat_scores{n} = Reshape(scores{n}, flat)[T=float]
        probability{n} = Softmax(flat_scores{n})[T=float]
        probabilities/Reshape_{n} = Reshape(probability{n}, cls_shape{n})[T=float]
        loc_w{n} = VariableV2[dtype=float, shape=(3, 3, 4, 8)]
        loc{n} = Conv2D(x{n}, loc_w{n})[T=float, strides=[1, 1, 1, 1], padding="SAME"]
        loc_shape{n} = Const[dtype=int32, value=int32{{2, {size}, {size}, 2, 4}}]
        boxes{n} = Reshape(loc{n}, loc_shape{n})[T=float]
        loss/Reshape_{n} = Reshape(boxes{n}, flat_boxes)[T=float]
    """
    text = f"""
        x1 = Placeholder[dtype=float, shape=(2, 8, 8, 4)]
        x2 = Placeholder[dtype=float, shape=(2, 4, 4, 4)]
        classes = Placeholder[dtype=int32, shape=(320)]
        truth = Placeholder[dtype=float, shape=(320, 4)]
        flat = Const[dtype=int32, value=int32{{-1, 3}}]
        flat_boxes = Const[dtype=int32, value=int32{{-1, 4}}]
        zero = Const[dtype=int32, value=int32{{0}}()]
        axes = Const[dtype=int32, value=int32{{0}}]
        {head.format(n=1, size=8)}
        {head.format(n=2, size=4)}
        all_scores = ConcatV2(loss/Reshape_11, loss/Reshape_12, zero)[T=float, Tidx=int32, N=2]
        all_boxes = ConcatV2(loss/Reshape_1, loss/Reshape_2, zero)[T=float, Tidx=int32, N=2]
        entropy = SparseSoftmaxCrossEntropyWithLogits(all_scores, classes)[T=float, Tlabels=int32]
        negatives = Softmax(all_scores)[T=float]
        mined = Max(negatives, axes)[T=float, Tidx=int32]
        hard = Mul(entropy, mined)[T=float]
        loss/sub = Sub(all_boxes, truth)[T=float]
        square = Square(loss/sub)[T=float]
        cls_loss = Mean(hard, axes)[T=float, Tidx=int32]
        loc_loss = Mean(square, axes)[T=float, Tidx=int32]
        loss = Add(cls_loss, loc_loss)[T=float]
    """
    inputs, outputs = endpoints(trained(text, {"gradients": "loss"}))
    assert {*inputs} == {"x1", "x2"}
    assert {*outputs} == {"probabilities/Reshape_1", "probabilities/Reshape_2", "boxes1", "boxes2"}


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


def test_the_second_stage_of_a_detector_has_the_outputs() -> None:
    """As in Faster R-CNN: Python functions choose regions and targets, from labels and from the first stage."""
    text = """
        x = Placeholder[dtype=float, shape=(1, 8, 8, 4)]
        truth = Placeholder[dtype=float, shape=(-1, 5)]
        w0 = VariableV2[dtype=float, shape=(1, 1, 4, 2)]
        w1 = VariableV2[dtype=float, shape=(2, 3)]
        w2 = VariableV2[dtype=float, shape=(2, 12)]
        two = Const[dtype=int32, value=int32{-1, 2}]
        all = Const[dtype=int32, value=int32{-1}]
        axes = Const[dtype=int32, value=int32{0}]
        zero = Const[dtype=int32, value=int32{0}()]
        ignored = Const[dtype=int32, value=int32{-1}()]
        rpn = Conv2D(x, w0)[T=float, strides=[1, 1, 1, 1], padding="SAME"]
        anchors = PyFunc(rpn, truth)[Tin=[float, float], Tout=[int32], token="a"]
        proposals = PyFunc(rpn, truth)[Tin=[float, float], Tout=[float, int32, float, float], token="p"]
        regions = Reshape(proposals, two)[T=float]
        scores = MatMul(regions, w1)[T=float]
        boxes = MatMul(regions, w2)[T=float]
        probabilities = Softmax(scores)[T=float]
        rpn_flat = Reshape(rpn, two)[T=float]
        anchors_flat = Reshape(anchors, all)[T=int32]
        counted = NotEqual(anchors_flat, ignored)[T=int32]
        places = Where(counted)
        rpn_picked = GatherV2(rpn_flat, places, zero)[Tparams=float, Tindices=int64, Taxis=int32]
        anchors_picked = GatherV2(anchors_flat, places, zero)[Tparams=int32, Tindices=int64, Taxis=int32]
        Reshape = Reshape(rpn_picked, two)[T=float]
        Reshape_1 = Reshape(anchors_picked, all)[T=int32]
        rpn_entropy = SparseSoftmaxCrossEntropyWithLogits(Reshape, Reshape_1)[T=float, Tlabels=int32]
        entropy = SparseSoftmaxCrossEntropyWithLogits(scores, proposals:1)[T=float, Tlabels=int32]
        error = Sub(boxes, proposals:2)[T=float]
        inside = Mul(proposals:3, error)[T=float]
        square = Square(inside)[T=float]
        rpn_loss = Mean(rpn_entropy, axes)[T=float, Tidx=int32]
        class_loss = Mean(entropy, axes)[T=float, Tidx=int32]
        box_loss = Mean(square, axes)[T=float, Tidx=int32]
        sum = Add(rpn_loss, class_loss)[T=float]
        loss = Add(sum, box_loss)[T=float]
    """
    _, outputs = endpoints(trained(text, {"gradients": "loss"}))
    assert {*outputs} == {"probabilities", "boxes"}


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

SEQUENCES = {
    "scores that the loss flattens again, of which a user takes the best": """
        flat = Const[dtype=int32, value=int32{-1, 3}]
        Reshape_1 = Reshape(Reshape, flat)[T=float]
        best = ArgMax(Reshape, axis)[T=float, Tidx=int32]
        entropy = SparseSoftmaxCrossEntropyWithLogits(Reshape_1, truth)[T=float, Tlabels=int32]
        loss = Mean(entropy, axes)[T=float, Tidx=int32]
    """,
    "scores to which a random field appends those of a first tag": """
        first = Const[dtype=float, value=float{0}(1, 1, 3)]
        all = Const[dtype=int32, value=int32{-1}]
        padded = ConcatV2(first, Reshape, zero)[T=float, Tidx=int32, N=2]
        Reshape_1 = Reshape(padded, all)[T=float]
        tags = GatherV2(Reshape_1, truth, zero)[Tparams=float, Tindices=int32, Taxis=int32]
        loss = Mean(tags, axes)[T=float, Tidx=int32]
    """,
}


@pytest.mark.parametrize("form", SEQUENCES)
def test_scores_in_time_keep_their_form(form: str) -> None:
    _, outputs = endpoints(trained(SEQUENCE + SEQUENCES[form], {"gradients": "loss"}))
    assert outputs == ["Reshape"]


VALUES = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    truth = Placeholder[dtype=float, shape=(-1)]
    w = VariableV2[dtype=float, shape=(4, 1)]
    all = Const[dtype=int32, value=int32{-1}]
    axes = Const[dtype=int32, value=int32{0}]
    values = MatMul(x, w)[T=float]
"""


@pytest.mark.parametrize("flat", ["Reshape(values, all)[T=float]", "Squeeze(values)[T=float, squeeze_dims=[1]]"])
def test_a_column_that_only_a_difference_takes_as_a_vector_is_the_output(flat: str) -> None:
    name = flat.partition("(")[0]
    text = f"""
        {name} = {flat}
        error = Sub({name}, truth)[T=float]
        square = Square(error)[T=float]
        loss = Mean(square, axes)[T=float, Tidx=int32]
    """
    assert endpoints(trained(VALUES + text, {"gradients": "loss"})) == (["x"], ["values"])


METRICS = {
    "in_top_k": "hits = InTopKV2(lengths, label, axis)[T=int64]",
    "the largest": """
        best = ArgMax(lengths, axis)[T=float, Tidx=int32]
        hits = Equal(best, label)[T=int64]
    """,
}


@pytest.mark.parametrize("metric", METRICS)
def test_a_label_that_masks_capsules_is_a_label(metric: str) -> None:
    """As in a capsule network: the label selects the capsule from which the image is reconstructed."""
    text = f"""
        x = Placeholder[dtype=float, shape=(-1, 4)]
        y = Placeholder[dtype=float, shape=(-1, 3)]
        w = VariableV2[dtype=float, shape=(4, 6)]
        decoder = VariableV2[dtype=float, shape=(6, 4)]
        three = Const[dtype=int32, value=int32{{-1, 3, 2}}]
        two = Const[dtype=int32, value=int32{{-1, 6}}]
        last = Const[dtype=int32, value=int32{{2}}]
        axis = Const[dtype=int32, value=int32{{1}}()]
        axes = Const[dtype=int32, value=int32{{0, 1}}]
        half = Const[dtype=float, value=float{{0.5}}()]
        margin = Const[dtype=float, value=float{{0.9}}()]
        zero = Const[dtype=float, value=float{{0}}()]
        flat = MatMul(x, w)[T=float]
        capsules = Reshape(flat, three)[T=float]
        square = Square(capsules)[T=float]
        sum = Sum(square, last)[T=float, Tidx=int32]
        lengths = Pow(sum, half)[T=float]
        short = Sub(margin, lengths)[T=float]
        limited = Maximum(short, zero)[T=float]
        squared = Pow(limited, half)[T=float]
        margins = Mul(y, squared)[T=float]
        margin_loss = Mean(margins, axes)[T=float, Tidx=int32]
        label = ArgMax(y, axis)[T=float, Tidx=int32]
        {METRICS[metric]}
        mask = ExpandDims(y, axis)[T=float, Tdim=int32]
        masked = Mul(capsules, mask)[T=float]
        code = Reshape(masked, two)[T=float]
        image = MatMul(code, decoder)[T=float]
        error = SquaredDifference(image, x)[T=float]
        image_loss = Mean(error, axes)[T=float, Tidx=int32]
        loss = Add(margin_loss, image_loss)[T=float]
    """
    assert endpoints(trained(text, {"gradients": "loss"})) == (["x"], ["lengths"])


def test_a_loss_without_labels_does_not_come_before_the_results() -> None:
    """Several results of such a loss are not certain enough.

    As where the depth of an image is learned: the loss takes differences of neighbours, and of two views.
    """
    text = """
        x = Placeholder[dtype=float, shape=(-1, 8)]
        left_w = VariableV2[dtype=float, shape=(8, 4)]
        right_w = VariableV2[dtype=float, shape=(8, 4)]
        axes = Const[dtype=int32, value=int32{0, 1}]
        one = Const[dtype=int32, value=int32{0, 1}]
        size = Const[dtype=int32, value=int32{-1, 3}]
        scale = Const[dtype=float, value=float{0.3}()]
        left = MatMul(x, left_w)[T=float]
        right = MatMul(x, right_w)[T=float]
        Sigmoid = Sigmoid(left)[T=float]
        Sigmoid_1 = Sigmoid(right)[T=float]
        scaled_left = Mul(Sigmoid, scale)[T=float]
        scaled_right = Mul(Sigmoid_1, scale)[T=float]
        first = Slice(scaled_left, axes, size)[T=float, Index=int32]
        second = Slice(scaled_left, one, size)[T=float, Index=int32]
        edges = Sub(first, second)[T=float]
        rough = Abs(edges)[T=float]
        difference = Sub(scaled_left, scaled_right)[T=float]
        distance = Square(difference)[T=float]
        roughness = Mean(rough, axes)[T=float, Tidx=int32]
        mismatch = Mean(distance, axes)[T=float, Tidx=int32]
        loss = Add(roughness, mismatch)[T=float]
        CheckNumerics = CheckNumerics(loss)[T=float, message="loss"]
    """
    assert candidates(trained(text, {"gradients": "loss"}))[:2] == ["scaled_left", "scaled_right"]


def test_heads_that_a_loss_combines_in_many_ways_are_the_first_candidates() -> None:
    """They are not certain enough.

    As where a dark image is divided into reflectance and light: their product is the image, their edges agree.
    """
    text = """
        x = Placeholder[dtype=float, shape=(1, 8, 8, 3)]
        w = VariableV2[dtype=float, shape=(1, 1, 3, 3)]
        v = VariableV2[dtype=float, shape=(1, 1, 3, 1)]
        edge = Const[dtype=float, value=float{1}(1, 2, 1, 1)]
        other_edge = Const[dtype=float, value=float{1}(2, 1, 1, 1)]
        axes = Const[dtype=int32, value=int32{0, 1, 2, 3}]
        colors = Conv2D(x, w)[T=float, strides=[1, 1, 1, 1], padding="SAME"]
        light = Conv2D(x, v)[T=float, strides=[1, 1, 1, 1], padding="SAME"]
        Sigmoid = Sigmoid(colors)[T=float]
        Sigmoid_1 = Sigmoid(light)[T=float]
        product = Mul(Sigmoid, Sigmoid_1)[T=float]
        error = Sub(product, x)[T=float]
        size = Abs(error)[T=float]
        gray = Mean(x, axes)[T=float, Tidx=int32, keep_dims=true]
        across = Conv2D(Sigmoid_1, edge)[T=float, strides=[1, 1, 1, 1], padding="SAME"]
        down = Conv2D(Sigmoid_1, other_edge)[T=float, strides=[1, 1, 1, 1], padding="SAME"]
        weighed = RealDiv(across, gray)[T=float]
        weighed_1 = RealDiv(down, gray)[T=float]
        loss_0 = Mean(size, axes)[T=float, Tidx=int32]
        loss_1 = Mean(weighed, axes)[T=float, Tidx=int32]
        loss_2 = Mean(weighed_1, axes)[T=float, Tidx=int32]
        loss = AddN(loss_0, loss_1, loss_2)[T=float, N=3]
    """
    assert {*candidates(trained(text, {"gradients": "loss"}))[:2]} == {"Sigmoid", "Sigmoid_1"}
