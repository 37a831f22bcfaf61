"""The labels and predictions of losses, in the forms that training programs write."""

from __future__ import annotations

import gzip
import json

import pytest

import tfmodel
from tests.support.corpus import corpus, needs_corpus
from tests.support.effort import some
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.messages import GraphDef, NodeDef

NETWORK = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    y = Placeholder[dtype=float, shape=(-1, 3)]
    w = VariableV2[dtype=float, shape=(4, 3)]
    read = Identity(w)[T=float]
    logits = MatMul(x, read)[T=float]
    axes = Const[dtype=int32, value=int32{0, 1}]
    one = Const[dtype=float, value=float{1}()]
"""

LOSSES = {
    "cross entropy of softmax": (
        """
        p = Softmax(logits)[T=float]
        log = Log(p)[T=float]
        product = Mul(y, log)[T=float]
        sum = Sum(product, axes)[T=float]
        loss = Neg(sum)[T=float]
        """,
        ["p"],
    ),
    "negative logarithms of actions that were taken": (
        """
        p = Softmax(logits)[T=float]
        log = Log(p)[T=float]
        negative = Neg(log)[T=float]
        product = Mul(negative, y)[T=float]
        loss = Mean(product, axes)[T=float]
        """,
        ["p"],
    ),
    "limited probabilities": (
        """
        p = Sigmoid(logits)[T=float]
        above = Maximum(p, one)[T=float]
        log = Log(above)[T=float]
        product = Mul(y, log)[T=float]
        loss = Sum(product, axes)[T=float]
        """,
        ["p"],
    ),
    "both sides of a binary cross entropy": (
        """
        p = Sigmoid(logits)[T=float]
        log = Log(p)[T=float]
        left = Mul(y, log)[T=float]
        rest = Sub(one, p)[T=float]
        log_rest = Log(rest)[T=float]
        no = Sub(one, y)[T=float]
        right = Mul(no, log_rest)[T=float]
        both = Add(left, right)[T=float]
        loss = Mean(both, axes)[T=float]
        """,
        ["p"],
    ),
    "a squared error": (
        """
        error = Sub(logits, y)[T=float]
        square = Square(error)[T=float]
        loss = Mean(square, axes)[T=float]
        """,
        ["logits"],
    ),
    "a squared error with a penalty of weights": (
        """
        error = SquaredDifference(y, logits)[T=float]
        mean = Mean(error, axes)[T=float]
        penalty = L2Loss(read)[T=float]
        loss = Add(mean, penalty)[T=float]
        """,
        ["logits"],
    ),
    "softmax beside a loss op": (
        """
        flat = Reshape(logits, axes)[T=float]
        probabilities = Softmax(logits)[T=float]
        entropy = SoftmaxCrossEntropyWithLogits(flat, y)[T=float]
        loss = Mean(entropy, axes)[T=float]
        """,
        ["probabilities"],
    ),
    "an Identity with a name of its own": (
        """
        scores = Identity(logits)[T=float]
        error = SquaredDifference(y, logits)[T=float]
        loss = Mean(error, axes)[T=float]
        """,
        ["scores"],
    ),
    "an accuracy beside the loss": (
        """
        error = SquaredDifference(y, logits)[T=float]
        loss = Mean(error, axes)[T=float]
        class = ArgMax(logits, one)[T=float]
        truth = ArgMax(y, one)[T=float]
        hits = Equal(class, truth)[T=int64]
        accuracy = Cast(hits)[SrcT=bool, DstT=float]
        """,
        ["logits"],
    ),
    "an error of a constant": (
        """
        error = Sub(logits, one)[T=float]
        size = Abs(error)[T=float]
        loss = Mean(size, axes)[T=float]
        """,
        ["logits"],
    ),
    "a reconstruction": (
        """
        back = VariableV2[dtype=float, shape=(3, 4)]
        decoded = MatMul(logits, back)[T=float]
        error = Sub(x, decoded)[T=float]
        square = Square(error)[T=float]
        loss = Mean(square, axes)[T=float]
        """,
        ["decoded"],
    ),
    "logarithms of probabilities beside the probabilities": (
        """
        log = LogSoftmax(logits)[T=float]
        product = Mul(y, log)[T=float]
        loss = Sum(product, axes)[T=float]
        probabilities = Softmax(logits)[T=float]
        """,
        ["probabilities"],
    ),
    "logits that only the loss weighs": (
        """
        weighted = Mul(logits, one)[T=float]
        entropy = SoftmaxCrossEntropyWithLogits(weighted, y)[T=float]
        loss = Mean(entropy, axes)[T=float]
        probabilities = Softmax(logits)[T=float]
        """,
        ["probabilities"],
    ),
    "a squared error of noise": (
        """
        shape = Shape(logits)[T=float]
        noise = RandomStandardNormal(shape)[T=int32, dtype=float]
        error = SquaredDifference(logits, noise)[T=float]
        sum = Sum(error, axes)[T=float]
        loss = DivNoNan(sum, one)[T=float]
        """,
        ["logits"],
    ),
    "terms of a sum, each with a part of the prediction": (
        """
        size = Const[dtype=int32, value=int32{1, 1}]
        part = Slice(logits, axes, size)[T=float, Index=int32]
        other = Slice(logits, size, size)[T=float, Index=int32]
        first = Sum(part, axes)[T=float]
        second = Sum(other, axes)[T=float]
        loss = Add(first, second)[T=float]
        """,
        ["logits"],
    ),
    "scores that the loss normalizes, and a metric does not": (
        """
        square = Square(logits)[T=float]
        norm = Rsqrt(square)[T=float]
        normal = Mul(logits, norm)[T=float]
        product = Mul(y, normal)[T=float]
        loss = Sum(product, axes)[T=float]
        best = ArgMax(logits, one)[T=float]
        """,
        ["logits"],
    ),
    "the distance of two embeddings": (
        """
        other = Placeholder[dtype=float, shape=(-1, 4)]
        logits_1 = MatMul(other, read)[T=float]
        difference = Sub(logits, logits_1)[T=float]
        square = Square(difference)[T=float]
        distance = Sum(square, one)[T=float]
        product = Mul(y, distance)[T=float]
        loss = Mean(product, axes)[T=float]
        """,
        ["logits", "logits_1"],
    ),
}

GENERATOR = """
    z = Placeholder[dtype=float, shape=(-1, 2)]
    x = Placeholder[dtype=float, shape=(-1, 4)]
    g = VariableV2[dtype=float, shape=(2, 4)]
    d = VariableV2[dtype=float, shape=(4, 1)]
    axes = Const[dtype=int32, value=int32{0, 1}]
    made = MatMul(z, g)[T=float]
    picture = Tanh(made)[T=float]
    real = MatMul(x, d)[T=float]
    fake = MatMul(picture, d)[T=float]
    both = Sub(real, fake)[T=float]
    d_loss = Mean(both, axes)[T=float]
    g_loss = Mean(fake, axes)[T=float]
"""


def trained(text: str, scopes: dict[str, str]) -> GraphDef:
    """Return a graph with gradients of all nodes between variables and the loss, in a name scope for each loss."""
    result = graph("\n".join(map(str.strip, text.splitlines())))
    nodes = {node.name: node for node in result.node}
    for scope, loss in scopes.items():
        needed, stack = set(), [loss]
        while stack:
            name = stack.pop()
            if name not in needed:
                needed.add(name)
                stack += [name.partition(":")[0] for name in nodes[name].input]
        names = [name for name in nodes if name in needed and nodes[name].input]
        result.node += [NodeDef(name=f"{scope}/{name}_grad/Mul", op="NoOp", input=[f"^{loss}"]) for name in names]
    return result


@pytest.mark.parametrize("form", LOSSES)
def test_the_prediction_of_a_loss_is_the_output(form: str) -> None:
    text, outputs = LOSSES[form]
    model = tfmodel.Model(trained(NETWORK + text, {"gradients": "loss"}))
    assert [output.name for output in model.outputs] == outputs
    assert "y" not in [tensor.name for tensor in model.inputs]
    assert all(0.5 <= output.confidence <= 1 and output.reason for output in model.outputs)


def test_a_generator_is_the_output_and_not_the_discriminator() -> None:
    model = tfmodel.Model(trained(GENERATOR, {"gradients": "d_loss", "gradients_1": "g_loss"}))
    assert [output.name for output in model.outputs] == ["picture"]
    assert [tensor.name for tensor in model.inputs] == ["z"]


COPIES = {
    "a target network": "set = Assign(w2, w)[T=float]",
    "a target network that follows slowly": """
        share = Const[dtype=float, value=float{0.1}()]
        difference = Sub(w2, w)[T=float]
        step = Mul(share, difference)[T=float]
        set = AssignSub(w2, step)[T=float]
    """,
}


@pytest.mark.parametrize("form", COPIES)
def test_a_copy_of_a_network_is_not_an_output(form: str) -> None:
    two = """
        w2 = VariableV2[dtype=float, shape=(4, 3)]
        x2 = Placeholder[dtype=float, shape=(-1, 4)]
        logits2 = MatMul(x2, w2)[T=float]
        error2 = SquaredDifference(y, logits2)[T=float]
        loss2 = Mean(error2, axes)[T=float]
        error = SquaredDifference(y, logits)[T=float]
        loss = Mean(error, axes)[T=float]
    """
    copied = trained(NETWORK + two + COPIES[form], {"gradients": "loss", "gradients_1": "loss2"})
    assert [output.name for output in tfmodel.Model(copied).outputs] == ["logits"]
    independent = trained(NETWORK + two, {"gradients": "loss", "gradients_1": "loss2"})
    assert {output.name for output in tfmodel.Model(independent).outputs} == {"logits2", "logits"}


def test_of_workers_with_the_same_variables_one_is_chosen() -> None:
    """As in A3C: the network from which all are copied has no loss."""
    workers = "\n".join(
        f"""
        x{n} = Placeholder[dtype=float, shape=(-1, 4)]
        w{n} = VariableV2[dtype=float, shape=(4, 3)]
        set{n} = Assign(w{n}, w)[T=float]
        logits{n} = MatMul(x{n}, w{n})[T=float]
        error{n} = SquaredDifference(y, logits{n})[T=float]
        loss{n} = Mean(error{n}, axes)[T=float]
        """
        for n in (1, 2, 3)
    )
    model = tfmodel.Model(trained(NETWORK + workers, {f"gradients_{n}": f"loss{n}" for n in (1, 2, 3)}))
    assert len(model.outputs) == 1
    assert len(model.inputs) == 1


def test_features_may_be_constants() -> None:
    """As where an Estimator's input function returns arrays."""
    text = NETWORK.replace(
        "Placeholder[dtype=float, shape=(-1, 4)]", "Const[dtype=float, value=float{1, 2, 3, 4, 5, 6, 7, 8}(2, 4)]"
    ).replace("Placeholder[dtype=float, shape=(-1, 3)]", "Const[dtype=float, value=float{1, 0, 0, 0, 1, 0}(2, 3)]")
    entropy = """
        entropy = SoftmaxCrossEntropyWithLogits(logits, y)[T=float]
        loss = Mean(entropy, axes)[T=float]
        probabilities = Softmax(logits)[T=float]
    """
    model = tfmodel.Model(trained(text + entropy, {"gradients": "loss"}))
    assert [output.name for output in model.outputs] == ["probabilities"]
    assert [input.name for input in model.inputs] == ["x"]


def test_a_trained_graph_without_a_loss_that_is_known_has_no_certain_output() -> None:
    unknown = graph(NETWORK)
    unknown.node.append(NodeDef(name="gradients/Fill", op="Fill", input=["axes", "one"]))
    with pytest.raises(tfmodel.ModelError, match=r'no output is certain enough: .*candidates.*"logits" \(45%'):
        tfmodel.optimize(unknown)
    assert [output.name for output in tfmodel.Model(unknown).outputs] == ["logits"]


@pytest.mark.parametrize("name", ["gradients/o_force", "o_force"])
def test_gradients_are_outputs_of_a_graph_without_variables(name: str) -> None:
    potential = graph("x = Placeholder[dtype=float, shape=(-1, 4)]\ne = Square(x)[T=float]")
    potential.node.append(NodeDef(name=name, op="Mul", input=["x", "x"]))
    assert [output.name for output in tfmodel.Model(potential).outputs] == ["e", name]


@needs_corpus
def test_real_graphs_of_the_corpus() -> None:
    """The right inputs and outputs of at least 95 % of the graphs."""
    folder = corpus / "wild"
    truth = json.loads((folder / "truth.json").read_text())
    rows = some(list(truth.values()), 3)
    wrong_inputs = wrong_outputs = 0
    for row in rows:
        model = tfmodel.Model(gzip.decompress((folder / row["file"]).read_bytes()))
        inputs, outputs = ({end.name for end in ends} for ends in (model.inputs, model.outputs))
        if not any(inputs == {*names} for names in (row["inputs"], *row.get("inputs_also", ()))):
            wrong_inputs += 1
        optional, other = {*row.get("outputs_optional", ())}, {*row.get("outputs_any", ())}
        if not any({*names} <= outputs <= {*names} | optional for names in row["outputs"]) and not (
            outputs & other and outputs <= other | optional
        ):
            wrong_outputs += 1
    assert max(wrong_inputs, wrong_outputs) <= len(rows) / 20
