"""Folded graphs are those of the C++ tool, or better in the cases listed here."""

from __future__ import annotations

import pytest

from tests.golden.folding.answers import Folding, agrees, answers, cases, folded
from tests.golden.graph_digests import is_recorded
from tests.support.case_tables import each_case
from tests.support.corpus import corpus, needs_corpus
from tests.tfmodel.transforms.graph_notation import graph as parsed
from tests.tfmodel.transforms.run_step import after
from tfmodel import load
from tfmodel.errors import Error, TransformError
from tfmodel.graph.tables import needed_nodes
from tfmodel.messages import GraphDef
from tfmodel.ops.traits import FILLS_TABLE
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

ANSWERS = answers()
AGAIN = "made anew by `python -m tests.golden.folding.answers`"

BETTER = {
    "a default that is not fed": "a Placeholder that is not declared is not constant",
    "placeholders that are not declared": "a Placeholder that is not declared is not constant",
    "the shape of what is not declared": "a Placeholder that is not declared is not constant",
    "calls of functions": "a call of a function is left",
    "the shape of a Switch alone": "a shape of one side of a conditional stays on that side",
    "nodes that wait for a ControlTrigger": "who waits for a ControlTrigger does not wait for a branch",
    "names that are taken": "a name is not given twice",
    "nodes that have to be together": "nodes do not have to be with others that went",
    "conditionals": "nodes do not have to be with others that went",
    "a declared input waits": "an input does not wait for what went",
    "blanks between names": "blanks are not part of names",
    "an output that gives nothing": "an output may be a node that only has to run",
}
"""Cases that the tool refuses, or in which its result computes something else in TensorFlow."""

DIFFERENT = {
    "waiting for a default that is fed": "what waits for an input keeps waiting, whether it has a default or not",
    "the shape of a Switch": "see above; here another control input makes up for it",
    "shapes in a loop": "shapes in loops are known",
    "shapes at the door of a loop": "shapes in loops are known",
    "tensor_arrays": "shapes of elements of TensorArrays are known",
    "tensor_arrays_short": "shapes of elements of TensorArrays are known",
    "a condition of a loop that is constant": "a loop keeps its LoopCond",
    "a list of tensors": "there are no constants of lists",
}
"""Cases in which both results compute the same as the graph."""

REFUSED = {
    "an attribute is missing": "the node is left, and fails when it is run",
    "ops that nobody knows": "they are left; TensorFlow needs to be told of them",
    "nodes that cannot be computed": "they are left, and fail when they are run",
    "a broken part that is not needed": "it goes",
}
"""Cases in which the tool refuses, and TensorFlow refuses the graph itself."""

UNLIKE = {**BETTER, **DIFFERENT, **REFUSED}

FILLED = ("string_table", "string_table_resource")
"""Cases in which the node that fills a table stays, in addition to the nodes of the tool."""


@each_case("answer", {answer.case.model: answer for answer in ANSWERS if answer.case.model not in (*UNLIKE, *FILLED)})
def test_the_same_nodes_as_the_original(answer: Folding) -> None:
    before = answer.graph.to_bytes(deterministic=True)
    assert agrees(folded(answer.case, answer.graph), answer.case, answer.nodes)
    assert answer.graph.to_bytes(deterministic=True) == before


@pytest.mark.parametrize("answer", [answer for answer in ANSWERS if answer.case.model in FILLED])
def test_the_nodes_that_fill_a_table_stay_too(answer: Folding) -> None:
    ours = folded(answer.case, answer.graph)
    assert isinstance(ours, GraphDef) and answer.nodes is not None
    assert not any(node.op in FILLS_TABLE for node in answer.nodes)
    assert [node.op in FILLS_TABLE for node in ours.node].count(True) == 1
    needed = needed_nodes(ours, [answer.case.outputs])
    others = GraphDef(node=[node for node in ours.node if node.name in needed])
    assert agrees(others, answer.case, answer.nodes)


@pytest.mark.parametrize(
    "answer", [answer for answer in ANSWERS if answer.case.model in UNLIKE], ids=lambda a: a.case.model
)
def test_results_that_differ_from_the_original_compute_the_same_in_tensorflow(answer: Folding) -> None:
    ours = folded(answer.case, answer.graph)
    assert answer.result is not None and is_recorded(ours, answer.graph, answer.result), AGAIN
    if answer.case.model in REFUSED:
        assert answer.nodes is None
        assert not isinstance(ours, Error)
    else:
        assert answer.ours == "same"
        assert (answer.tools == "same") == (answer.case.model in DIFFERENT)


def test_the_answers_are_those_of_the_present_cases() -> None:
    recorded = {answer.case.model: answer.graph for answer in ANSWERS}
    assert recorded == {name: before for name, (_, before) in cases().items()}, AGAIN


def test_there_are_many_cases() -> None:
    same = [answer for answer in ANSWERS if answer.case.model not in UNLIKE]
    assert len([answer for answer in same if answer.nodes is not None]) > 160
    assert len([answer for answer in same if answer.nodes is None]) > 10
    assert {answer.case.model for answer in ANSWERS} >= UNLIKE.keys()


# --- what is left alone, and why -------------------------------------------------------------------------------------

START = """
    x = Placeholder[dtype=float, shape=(2)]
    a = Const[dtype=float, value=float{1, 2}]
    b = Neg(a)[T=float]
"""


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("c = Nobody(b)", "the op Nobody is not known"),
        ("c = MatrixExponential(b)[T=float]", "there is no kernel for MatrixExponential"),
        ("c = PartitionedCall(b)[Tin=[float], Tout=[float], f=@g]", "it calls a function"),
        ("c = g(b)", "it calls a function"),
        ("c = MatMul(b, b)[T=float]", "a must be a matrix, not of shape [2]"),
        (
            "c = Neg(d)[T=float]\nd = Const[dtype=float, value=int32{1}]",
            'Const "d": its value is int32, but its type is float32',
        ),
        ("c = Neg(b)", "the type of its result is not known"),
        (
            "c = Fill(n, one)[T=float]\nn = Const[dtype=int32, value=int32{9999999}]\n"
            "one = Const[dtype=float, value=float{1}()]",
            "its result is larger than 10,485,760 bytes",
        ),
        (
            "c = TensorListFromTensor(b, n)[element_dtype=float, shape_type=int32]\n"
            "n = Const[dtype=int32, value=int32{}]",
            "its output cannot be a constant",
        ),
    ],
)
def test_nodes_that_cannot_be_folded_are_in_the_report(lines: str, reason: str) -> None:
    report = TransformReport()
    text = f"{LEFT}{lines}\ng: (a: float) -> (r: float = a)"
    result = transform(parsed(text), "x", "y", "fold_constants", report=report)
    assert {"c", "y"} <= {node.name for node in result.node}
    assert report.steps[0].refusals == {reason: ["c"]}


LEFT = """x = Placeholder[dtype=float, shape=(2)]
a = Const[dtype=float, value=float{1, 2}]
b = Neg(a)[T=float]
y = Add(x, c)[T=float]
"""


def test_remaining_nodes_take_the_new_constants() -> None:
    text = "x = Placeholder\na = Const[dtype=float, value=float{1, 2}]\nb = Neg(a)[T=float]\ny = Nobody(x, b)"
    nodes, report = after(text, "fold_constants", "x", "y")
    assert nodes["y"] == "Nobody(x:0, b/_0__cf__0)"
    assert report.fired == 1


@pytest.mark.parametrize(
    ("inputs", "outputs", "problem"),
    [
        ("x", "", "the outputs must be declared"),
        ("x", "x", '"x" is both an input and an output'),
        ("y", "z", "strip_unused_nodes"),
    ],
)
def test_invalid_outputs_and_inputs_are_refused(inputs: str, outputs: str, problem: str) -> None:
    text = "x = Placeholder[dtype=float]\ny = Neg(x)[T=float]\nz = Neg(y)[T=float]"
    with pytest.raises(TransformError, match=problem):
        after(text, "fold_constants", inputs, outputs)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("y = Neg(gone)[T=float]", 'no node "gone"'),
        ("y = Neg(z)[T=float]\nz = Neg(y)[T=float]", "waits for itself"),
    ],
)
def test_a_missing_input_of_a_needed_node_is_an_error(text: str, problem: str) -> None:
    with pytest.raises(TransformError, match=problem):
        after(text, "fold_constants", "", "y")


@pytest.mark.slow(reason="reads or transforms inputs that are large")
def test_a_long_chain_of_nodes() -> None:
    lines = ["n0 = Const[dtype=float, value=float{1, 2}]", "x = Placeholder[dtype=float]"]
    lines += [f"n{index} = Neg(n{index - 1})[T=float]" for index in range(1, 5000)]
    nodes, report = after("\n".join([*lines, "y = Add(x, n4999)[T=float]"]), "fold_constants", "x", "y")
    assert nodes["n4999/_0__cf__0"] == "Const[dtype=float, value=float{-1.0, -2.0}]"
    assert [*nodes] == ["y", "n4999/_0__cf__0", "x"]
    assert report.fired == 1


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@needs_corpus
@pytest.mark.parametrize(
    ("inputs", "outputs", "size", "folded"),
    [
        ("", "softmax", 775, 1),
        ("image, label, training", "softmax", 776, 0),
        ("image, label, training", "softmax, loss, Adam", 3781, 126),
    ],
)
def test_a_training_graph(inputs: str, outputs: str, size: int, folded: int) -> None:
    """Only shapes are constant in it. The C++ tool needs all inputs declared: it refuses the first list."""
    assert corpus is not None
    graph = load(corpus / "generated" / "conv_train.meta", GraphDef, lazy=True)
    report = TransformReport()
    result = transform(graph, inputs, outputs, "fold_constants", report=report)
    assert (len(result.node), report.steps[0].fired) == (size, folded)


@pytest.mark.parametrize(("name", "folded_name"), [("sum", False), ('"s*"', False), ('"?um"', False), ('"*x"', True)])
def test_excluded_names_may_have_wildcards(name: str, folded_name: bool) -> None:
    text = """
        x = Placeholder[dtype=float]
        a = Const[dtype=float, value=float{2}]
        sum = Add(a, a)[T=float]
        y = Add(x, sum)[T=float]
    """
    nodes, _ = after(text, f"fold_constants(exclude_node={name})", outputs="y")
    assert ("sum" not in nodes) == folded_name


# --- one copy of each weight -----------------------------------------------------------------------------------------

FROZEN = """
    x = Placeholder[dtype=float]
    w/resource = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
    w = Identity(w/resource)[T=float]
    m = MatMul(x, w)[T=float]
"""


def fold(text: str, outputs: str) -> dict[str, str]:
    """Return the nodes after folding, without their attributes."""
    nodes, _ = after(text, "fold_constants", "x", outputs)
    return {name: node.partition("[")[0] for name, node in nodes.items() if name != "x"}


def test_a_weight_with_a_control_output_is_not_doubled() -> None:
    """TensorFlow 2 freezes models so. In the original, the Identity and the Const stay for the NoOp."""
    text = FROZEN + "    n = NoOp(^w)\n    y = Identity(m, ^n)[T=float]"
    expected = {"m": "MatMul(x:0, w/_0__cf__0)", "y": "Identity(m)", "w/_0__cf__0": "Const"}
    assert fold(text, "y") == expected


def test_a_replaced_control_input_keeps_the_order_of_nodes() -> None:
    text = (
        FROZEN.replace("(w/resource)", "(w/resource, ^first)")
        + """
        first = Placeholder[dtype=float]
        n = NoOp(^w)
        y = Identity(m, ^n)[T=float]
    """
    )
    nodes = fold(text, "y")
    assert nodes["y"] == "Identity(m, ^first)"
    assert nodes["w/_0__cf__0"] == "Const(^first)"
    assert "w/resource" not in nodes


def test_a_weight_that_an_output_needs_is_not_doubled() -> None:
    expected = {"w/resource": "Const", "w": "Identity(w/resource)", "m": "MatMul(x:0, w)"}
    assert fold(FROZEN, "m,w") == expected


def test_a_weight_that_another_node_reads_directly_is_not_doubled() -> None:
    text = FROZEN + "    z = MatMul(x, w/resource)[T=float]\n    y = Add(m, z)[T=float]"
    nodes = fold(text, "y")
    assert nodes == {
        "w/resource": "Const",
        "m": "MatMul(x:0, w/resource)",
        "z": "MatMul(x:0, w/resource)",
        "y": "Add(m, z)",
    }


def test_an_identity_that_waits_stays_if_its_weight_stays() -> None:
    text = (
        FROZEN.replace("(w/resource)", "(w/resource, ^first)")
        + """
        first = Placeholder[dtype=float]
        z = MatMul(x, w/resource)[T=float]
        y = Add(m, z)[T=float]
    """
    )
    nodes = fold(text, "y")
    assert nodes["w"] == "Identity(w/resource, ^first)"
    assert nodes["m"] == "MatMul(x:0, w)"


def test_control_inputs_from_constants_stay_where_nothing_would_be_doubled() -> None:
    """As in the original."""
    text = START + "    c = Neg(b)[T=float]\n    n = NoOp(^b)\n    y = Mul(x, c, ^n)[T=float]"
    assert fold(text, "y")["n"] == "NoOp(^b)"
