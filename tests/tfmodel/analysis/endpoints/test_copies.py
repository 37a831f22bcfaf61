"""Networks that a graph has several times: one of them is the model."""

from __future__ import annotations

import tfmodel
from tests.tfmodel.analysis.endpoints.test_losses import NETWORK, trained


def chosen(text: str, scopes: dict[str, str]) -> tuple[list[str], list[str]]:
    model = tfmodel.Model(trained(text, scopes))
    return [end.name for end in model.inputs], [end.name for end in model.outputs]


def worker(number: int, *, is_copied: bool) -> str:
    """A network of a worker with the mean of a batch norm, which is a variable that nothing copies and trains."""
    return f"""
        x{number} = Placeholder[dtype=float, shape=(-1, 4)]
        y{number} = Placeholder[dtype=float, shape=(-1, 3)]
        w{number} = VariableV2[dtype=float, shape=(4, 3)]
        moving{number} = VariableV2[dtype=float, shape=(3)]
        multiplied{number} = MatMul(x{number}, w{number})[T=float]
        logits{number} = Sub(multiplied{number}, moving{number})[T=float]
        error{number} = SquaredDifference(y{number}, logits{number})[T=float]
        loss{number} = Mean(error{number}, axes)[T=float]
        {f"set{number} = Assign(w{number}, w)[T=float]" if is_copied else ""}
    """


def test_statistics_that_nothing_trains_do_not_make_a_copy_another_network():
    scopes = {"gradients_1": "loss1", "gradients_2": "loss2"}
    copies = worker(1, is_copied=True) + worker(2, is_copied=True)
    assert chosen(NETWORK + copies, scopes) == (["x1"], ["logits1"])
    independent = worker(1, is_copied=True) + worker(2, is_copied=False).replace("MatMul(x2, w2)", "MatMul(half, w2)")
    half = "half = Mul(x2, one)[T=float]"
    assert chosen(NETWORK + half + independent, scopes) == (["x2", "x1"], ["logits2", "logits1"])


def test_of_networks_of_one_kind_with_inputs_and_labels_of_their_own_the_first_is_chosen():
    """As of the two networks of Q-learning, where a program outside of the graph copies the variables."""
    scopes = {"gradients_1": "loss1", "gradients_2": "loss2"}
    both = NETWORK + worker(1, is_copied=False) + worker(2, is_copied=False)
    assert chosen(both, scopes) == (["x1"], ["logits1"])
    wider = both.replace("x2 = Placeholder[dtype=float, shape=(-1, 4)]", "x2 = Placeholder[dtype=float, shape=(-1, 5)]")
    wider = wider.replace("w2 = VariableV2[dtype=float, shape=(4, 3)]", "w2 = VariableV2[dtype=float, shape=(5, 3)]")
    assert chosen(wider, scopes) == (["x1", "x2"], ["logits1", "logits2"])


def test_networks_for_the_same_labels_are_chosen_together():
    """As of several views of a thing."""
    scopes = {"gradients_1": "loss1", "gradients_2": "loss2"}
    both = NETWORK + worker(1, is_copied=False) + worker(2, is_copied=False)
    both = both.replace("SquaredDifference(y2,", "SquaredDifference(y1,")
    assert chosen(both, scopes) == (["x1", "x2"], ["logits1", "logits2"])


REPEATED = """
    x_1 = Placeholder[dtype=float, shape=(-1, 4)]
    y_1 = Placeholder[dtype=float, shape=(-1, 3)]
    logits_1 = MatMul(x_1, read)[T=float]
    error = SquaredDifference(y, logits)[T=float]
    loss = Mean(error, axes)[T=float]
    error_1 = SquaredDifference(y_1, logits_1)[T=float]
    loss_1 = Mean(error_1, axes)[T=float]
"""


def test_of_a_network_that_is_built_twice_the_first_one_is_chosen():
    assert chosen(NETWORK + REPEATED, {"gradients": "loss", "gradients_1": "loss_1"}) == (["x"], ["logits"])


def test_both_halves_of_a_network_with_one_loss_are_chosen():
    both = "both = Add(loss, loss_1)[T=float]"
    assert chosen(NETWORK + REPEATED + both, {"gradients": "both"}) == (["x", "x_1"], ["logits", "logits_1"])


def test_a_network_with_another_kind_of_input_is_kept():
    other = REPEATED.replace(
        "x_1 = Placeholder[dtype=float, shape=(-1, 4)]", "x_1 = Placeholder[dtype=half, shape=(4)]"
    )
    assert chosen(NETWORK + other, {"gradients": "loss", "gradients_1": "loss_1"})[1] == ["logits", "logits_1"]


def test_of_many_workers_the_first_one_is_chosen():
    """As of A3C with a worker for each of many processors."""
    numbers = range(1, 41)
    text = NETWORK + "".join(worker(number, is_copied=True) for number in numbers)
    scopes = {f"gradients_{number}": f"loss{number}" for number in numbers}
    assert chosen(text, scopes) == (["x1"], ["logits1"])


TARGETS = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    next = Placeholder[dtype=float, shape=(-1, 4)]
    w = VariableV2[dtype=float, shape=(4, 3)]
    target_w = VariableV2[dtype=float, shape=(4, 3)]
    update = Assign(target_w, w)[T=float]
    scores = MatMul(x, w)[T=float]
    target_scores = MatMul(next, target_w)[T=float]
"""


def test_networks_with_variables_of_their_own_are_outputs():
    both = TARGETS.replace("update = Assign(target_w, w)[T=float]", "")
    assert chosen(both, {}) == (["x", "next"], ["scores", "target_scores"])
