"""The confidence of outputs falls with what is known about them, and models are only written with enough of it."""

from __future__ import annotations

import pytest

import tfmodel
from tests.tfmodel.analysis.endpoints.test_copies import REPEATED, worker
from tests.tfmodel.analysis.endpoints.test_generators import DENOISER
from tests.tfmodel.analysis.endpoints.test_losses import GENERATOR, LOSSES, NETWORK, trained
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.analysis.endpoints import MIN_CONFIDENCE
from tfmodel.messages import NodeDef

REFUSED = r"no output is certain enough: name some in outputs="


def confidence(data: object) -> float:
    """Return the confidence of all chosen outputs, which have the same."""
    [value] = {end.confidence for end in tfmodel.Model(data).outputs}
    return value


def doubted(data: object) -> str:
    """Return the reasons for the first of the outputs, with which no model is written."""
    model = tfmodel.Model(data)
    assert all(end.confidence < MIN_CONFIDENCE for end in model.outputs)
    for write in (model.optimize, model.freeze):
        with pytest.raises(tfmodel.ModelError, match=REFUSED):
            write()
    [first, *_] = model.outputs
    summary = model.summary()
    assert first.name in summary.output_names
    text = summary.to_text(brief=True)
    assert f"not certain ({first.confidence:.0%}): {first.reason}" in text
    if not summary.problems:  # else `check` comes next
        assert f"--outputs={','.join(summary.output_names)}" in text
    return first.reason


def test_kinds_are_ordered_by_the_share_of_right_choices():
    compared = confidence(trained(NETWORK + LOSSES["a squared error"][0], {"gradients": "loss"}))
    reconstructed = confidence(trained(NETWORK + LOSSES["a reconstruction"][0], {"gradients": "loss"}))
    unused = confidence(graph("x = Placeholder[dtype=float, shape=(-1, 4)]\ny = Square(x)[T=float]"))
    assert unused == compared == reconstructed >= 0.9
    assert compared > MIN_CONFIDENCE


def test_a_generator_is_a_guess_unless_its_inputs_go_nowhere_else():
    """Noise goes into the generator alone, a condition into the discriminator too."""
    scopes = {"gradients": "d_loss", "gradients_1": "g_loss"}
    assert MIN_CONFIDENCE < confidence(trained(GENERATOR, scopes)) < 0.9
    joined = "zero = Const[dtype=int32, value=int32{1}()]\nseen = ConcatV2(picture, z, zero)[T=float, N=2, Tidx=int32]"
    text = GENERATOR.replace("MatMul(picture, d)", "MatMul(seen, d)")
    before, fake, after = text.partition("fake = ")
    reason = doubted(trained(before + joined + "\n" + fake + after, scopes))
    assert "a discriminator takes it in place of an input" in reason


VALUE = """
    error = SquaredDifference(y, logits)[T=float]
    loss = Mean(error, axes)[T=float]
    hidden = Identity(logits)[T=float]
    v = VariableV2[dtype=float, shape=(3, 1)]
    reward = Placeholder[dtype=float, shape=(-1, 1)]
    value = MatMul(hidden, v)[T=float]
    error_1 = SquaredDifference(value, reward)[T=float]
    loss_1 = Mean(error_1, axes)[T=float]
"""


def test_networks_that_several_losses_train_apart_are_guesses():
    both = trained(NETWORK + VALUE, {"gradients": "loss", "gradients_1": "loss_1"})
    assert "several losses train different variables" not in doubted(both)
    for variable, scope in (("w", "gradients"), ("v", "gradients_1")):
        gradient = next(node.name for node in both.node if node.name.startswith(f"{scope}/"))
        both.node.append(NodeDef(name=f"step_{variable}", op="ApplyGradientDescent", input=[variable, "one", gradient]))
    assert "several losses train different variables" in doubted(both)


def test_losses_of_copies_do_not_count():
    """As of a target network with an optimizer of its own."""
    both = NETWORK + worker(1, is_copied=False) + worker(2, is_copied=False)
    data = trained(both, {"gradients_1": "loss1", "gradients_2": "loss2"})
    for number in (1, 2):
        gradient = next(node.name for node in data.node if node.name.startswith(f"gradients_{number}/"))
        step = NodeDef(name=f"step_{number}", op="ApplyGradientDescent", input=[f"w{number}", "one", gradient])
        data.node.append(step)
    assert [end.name for end in tfmodel.Model(data).outputs] == ["logits1"]
    assert confidence(data) >= 0.9


def test_a_result_of_random_numbers_is_a_guess():
    assert "random numbers of the graph go into it" in doubted(trained(DENOISER, {"gradients": "loss"}))


POLICY = """
    advantage = Placeholder[dtype=float, shape=(-1)]
    policy = Softmax(logits)[T=float]
    entropy = SoftmaxCrossEntropyWithLogits(logits, y)[T=float]
    weighed = Mul(entropy, {})[T=float]
    loss = Mean(weighed, axes)[T=float]
"""


def test_a_policy_whose_choices_are_weighed_is_a_guess():
    reason = doubted(trained(NETWORK + POLICY.format("advantage"), {"gradients": "loss"}))
    assert "a loss weighs the logarithm of a choice with an input" in reason


def test_weights_of_examples_make_no_policy():
    named = POLICY.format("advantage").replace("advantage", "dense_sample_weights")
    assert confidence(trained(NETWORK + named, {"gradients": "loss"})) >= 0.9
    assert confidence(trained(NETWORK + POLICY.format("one"), {"gradients": "loss"})) >= 0.9
    scaled = named.replace("weighed = ", "scaled = Mul(dense_sample_weights, one)[T=float]\nweighed = ")
    scaled = scaled.replace("Mul(entropy, dense_sample_weights)", "Mul(entropy, scaled)")
    assert confidence(trained(NETWORK + scaled, {"gradients": "loss"})) >= 0.9


@pytest.mark.parametrize(("dtype", "is_doubted"), [("bool", False), ("int32", True)])
def test_a_mask_of_examples_makes_no_policy(dtype: str, is_doubted: bool):
    """As the words of sequences after their ends."""
    mask = f"""
        lengths = Placeholder[dtype={dtype}, shape=(-1)]
        mask = Cast(lengths)[SrcT={dtype}, DstT=float]
    """
    data = trained(NETWORK + mask + POLICY.format("mask"), {"gradients": "loss"})
    assert ("as for a policy" in doubted(data)) if is_doubted else confidence(data) >= 0.9


@pytest.mark.parametrize(("words", "is_forced"), [("source", False), ("target", True)])
def test_a_decoder_that_takes_its_targets_says_so(words: str, is_forced: bool):
    text = f"""
        source = Placeholder[dtype=int64, shape=(-1)]
        target = Placeholder[dtype=int64, shape=(-1)]
        table = VariableV2[dtype=float, shape=(9, 4)]
        zero = Const[dtype=int32, value=int32{{0}}()]
        embedded = GatherV2(table, source, zero)[Tparams=float, Tindices=int64, Taxis=int32]
        embedded_1 = GatherV2(table, {words}, zero)[Tparams=float, Tindices=int64, Taxis=int32]
        both = Add(embedded, embedded_1)[T=float]
        w = VariableV2[dtype=float, shape=(4, 9)]
        scores = MatMul(both, w)[T=float]
        axes = Const[dtype=int32, value=int32{{0}}]
        flat = Const[dtype=int32, value=int32{{-1, 9}}]
        loss/Reshape = Reshape(scores, flat)[T=float]
        entropy = SparseSoftmaxCrossEntropyWithLogits(loss/Reshape, target)[T=float, Tlabels=int64]
        loss = Mean(entropy, axes)[T=float]
    """
    [end] = tfmodel.Model(trained(text, {"gradients": "loss"})).outputs
    assert end.name == "scores" and end.is_certain
    assert ("as in teacher forcing" in end.reason) == is_forced


@pytest.mark.parametrize(("name", "is_doubted"), [("Exp", True), ("Exp_1", True), ("rate", False)])
def test_arithmetic_without_a_name_of_its_own_may_be_a_step_of_the_loss(name: str, is_doubted: bool):
    text = f"""
        {name} = Exp(logits)[T=float]
        error = SquaredDifference(y, {name})[T=float]
        loss = Mean(error, axes)[T=float]
    """
    data = trained(NETWORK + text, {"gradients": "loss"})
    assert [end.name for end in tfmodel.Model(data).outputs] == [name]
    if is_doubted:
        assert "its last step may be one of the loss" in doubted(data)
    else:
        assert confidence(data) >= 0.9


def test_each_of_several_predictions_is_a_guess():
    both = REPEATED + "both = Add(loss, loss_1)[T=float]"
    assert "it is one of several predictions" in doubted(trained(NETWORK + both, {"gradients": "both"}))


ENDS = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    w = Const[dtype=float, value=float{1}(4, 3)]
    v = Const[dtype=float, value=float{1}(4, 2)]
    axis = Const[dtype=int32, value=int32{1}()]
    scores = MatMul(x, w)[T=float]
    Softmax = Softmax(scores)[T=float]
    Tanh = Tanh(scores)[T=float]
"""


def test_an_end_without_a_layer_of_its_own_beside_others_is_a_guess():
    assert confidence(graph(ENDS)) >= 0.9
    boxes = ENDS + "boxes = MatMul(x, v)[T=float]"
    assert "no layer is for this end alone" in doubted(graph(boxes))
    ends = {"scored": "Softmax", "bent": "Tanh", "found": "boxes"}
    named = "".join(f"\n    {name} = Identity({end})[T=float]" for name, end in ends.items())
    assert confidence(graph(boxes + named)) >= 0.9


ACCURACY = """
    labels = Placeholder[dtype=float, shape=(-1, 3)]
    class = ArgMax(Softmax, axis)[T=float, Tidx=int32]
    truth = ArgMax(labels, axis)[T=float, Tidx=int32]
    hits = Equal(class, truth)[T=int64]
    shares = Cast(hits)[SrcT=bool, DstT=float]
    accuracy = Mean(shares, axis)[T=float, Tidx=int32]
"""


def test_a_metric_of_a_frozen_graph_is_not_chosen():
    model = tfmodel.Model(graph(ENDS.replace("Tanh = Tanh(scores)[T=float]", ACCURACY)))
    assert [end.name for end in model.outputs] == ["class"]
    assert [end.name for end in model.inputs] == ["x"]


FUNCTION = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    w = VarHandleOp[dtype=float, shape=(4)]
    y = PartitionedCall(x, w)[f=@step, Tin=[float, resource], Tout=[float]]
    step: (a: float, b: resource) -> (r: float = scaled:z:0)
    step: scaled = Mul(a, a)[T=float]
"""
UPDATE = "step: update = ResourceApplyGradientDescent(b, scaled:z:0, scaled:z:0)[T=float]"


def test_the_results_of_functions_that_train_are_not_certain_enough():
    assert confidence(graph(FUNCTION)) == 0.9
    assert doubted(graph(FUNCTION + "    " + UPDATE))


def test_a_single_number_computed_with_variables_may_be_a_loss():
    lines = "x = Placeholder[dtype=float, shape=(-1, 4)]\naxes = Const[dtype=int32, value=int32{0, 1}]\n"
    number = "y = Mean({})[T=float, Tidx=int32]"
    product = "w = VariableV2[dtype=float, shape=(4, 3)]\nproduct = MatMul(x, w)[T=float]\n"
    assert "a single number" in doubted(graph(lines + product + number.format("product, axes")))
