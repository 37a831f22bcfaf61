"""`reduce`: planted faults are found, candidates are valid, and a search can be continued."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfmodel
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import FileFormatError, Model, ModelError
from tfmodel.graph import check_graph
from tfmodel.messages import GraphDef
from tfmodel.ops import OPS

PYTHON = shlex.quote(sys.executable)
CHAIN = """
    x = Placeholder[dtype=float, shape=(2, 2)]
    w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
    a = MatMul(x, w)[T=float]
    b = Relu(a)[T=float, _note="mine"] @ /cpu:0
    c = Exp(b, ^a)[T=float]
    d = AddV2(c, b)[T=float]
    y = Neg(d)[T=float]
"""
LOOP = """
    x = Placeholder[dtype=float, shape=()]
    start = Exp(x)[T=float]
    enter = Enter(start)[T=float, frame_name="loop"]
    merge = Merge(enter, next)[T=float, N=2]
    limit = Const[dtype=float, value=float{100}()]
    inside = Enter(limit)[T=float, frame_name="loop", is_constant=true]
    less = Less(merge, inside)[T=float]
    cond = LoopCond(less)
    switch = Switch(merge, cond)[T=float]
    double = AddV2(switch:1, switch:1)[T=float]
    next = NextIteration(double)[T=float]
    exit = Exit(switch)[T=float]
    y = Neg(exit)[T=float]
"""
FUNCTION = """
    x = Placeholder[dtype=float, shape=(2)]
    c = PartitionedCall(x)[Tin=[float], Tout=[float], f=@f]
    y = Neg(c)[T=float]
    f: (v: float) -> (r: float = s:y:0)
    f: e = Exp(v)[T=float]
    f: s = Sqrt(e:y:0)[T=float]
"""


def ops(report: tfmodel.ReduceReport) -> list[str]:
    return [node.op for node in report.model.graph.node]


def has(op: str):
    return lambda model: any(node.op == op for node in model.graph.node)


# --- what shows the problem ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["MatMul", "Relu", "Exp", "AddV2", "Neg"])
def test_one_op_and_its_inputs_are_left(op):
    report = tfmodel.reduce(graph(CHAIN), has(op))
    assert [name for name in ops(report) if name != "Const"] == [op]
    assert len(ops(report)) <= 3
    assert report.before == 7
    assert report.feeds == {}


def test_several_ops_that_are_needed_together():
    report = tfmodel.reduce(graph(CHAIN), lambda model: has("Relu")(model) and has("AddV2")(model))
    assert sorted(ops(report)) == ["AddV2", "Const", "Const", "Relu"] or sorted(ops(report)) == [
        "AddV2",
        "Const",
        "Relu",
    ]


def test_an_op_with_another_result_than_in_the_right_model():
    wrong = Model(graph(CHAIN)).edit()
    wrong.replace_node("c", "Square")
    report = tfmodel.reduce(wrong.model, differs_from=graph(CHAIN))
    assert report.ops == ['Square "c"']
    assert ops(report) == ["Const", "Square"]


def test_a_difference_within_the_tolerance_does_not_count():
    wrong = Model(graph(CHAIN)).edit()
    wrong.insert_after("c", "Mul", [wrong.const("k", 1.001)], consumers=["d"])
    assert tfmodel.reduce(wrong.model, differs_from=graph(CHAIN)).nodes <= 3
    with pytest.raises(ModelError, match="the model does not show the problem"):
        tfmodel.reduce(wrong.model, differs_from=graph(CHAIN), rtol=0.01)


def test_a_run_that_fails():
    text = CHAIN.replace("y = Neg(d)[T=float]", "n = Neg(d)[T=float]\n    y = ThreadUnsafeUnigramCandidateSampler(n)")
    broken = graph(
        CHAIN
        + """
    s = Const[dtype=int32, value=int32{3, 5}]
    r = Reshape(d, s)[T=float, Tshape=int32]
    z = Abs(r)[T=float]
"""
    )
    assert text != CHAIN
    report = tfmodel.reduce(broken, fails=True, outputs="z")
    assert report.ops == ['Reshape "r"']
    assert ops(report) == ["Const", "Const", "Reshape"]


def test_a_command(tmp_path):
    script = tmp_path / "check.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(Path(tfmodel.__file__).parents[1])!r})\n"
        "from tfmodel.messages import GraphDef\n"
        "graph = GraphDef.from_bytes(open(sys.argv[1], 'rb').read())\n"
        "if any(node.op == 'Exp' for node in graph.node):\n"
        "    sys.exit('Exp is not supported')\n"
    )
    command = shlex.join([sys.executable, str(script), "{}"])
    report = tfmodel.reduce(graph(CHAIN), command, match="not supported")
    assert ops(report) == ["Const", "Exp"]
    with pytest.raises(ModelError, match="does not show the problem"):
        tfmodel.reduce(graph(CHAIN), command, match="another problem")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("", "the command is empty"),
        ("'", "is not complete"),
        ("/no/such/program", "cannot be started"),
        (f"{PYTHON} -c 'import sys; sys.exit(127)'", "ended with status 127"),
        (f"{PYTHON} -c 'import sys; sys.exit(125)'", "does not show the problem"),
        (f"{PYTHON} -c pass", "does not show the problem"),
    ],
)
def test_commands_that_show_nothing(command, problem):
    with pytest.raises(ModelError, match=problem):
        tfmodel.reduce(graph(CHAIN), command)


def test_a_command_that_does_not_end():
    with pytest.raises(ModelError, match="does not show the problem"):
        tfmodel.reduce(graph(CHAIN), f"{PYTHON} -c 'import time; time.sleep(60)'", timeout=0.2)


# --- structure -------------------------------------------------------------------------------------------------------


def test_a_loop_before_the_fault_becomes_a_constant():
    assert ops(tfmodel.reduce(graph(LOOP), has("Neg"))) == ["Const", "Neg"]


def test_a_loop_with_the_fault_stays_whole():
    report = tfmodel.reduce(graph(LOOP), has("AddV2"))
    assert {"Enter", "Merge", "Switch", "NextIteration", "LoopCond"} <= {*ops(report)}
    assert "Exp" not in ops(report)
    assert check_graph(report.model.graph, registry=OPS) == []


def test_bodies_of_functions_are_reduced_too():
    report = tfmodel.reduce(graph(FUNCTION), has("Sqrt"))
    assert ops(report) == ["Const", "Sqrt"]
    assert report.model.graph.library is None


def test_annotations_are_removed():
    node = tfmodel.reduce(graph(CHAIN), has("Relu")).model.graph.node[-1]
    assert (node.op, node.device, [*node.attr]) == ("Relu", "", ["T"])


def test_constants_become_zeros_where_that_shows_the_problem_too():
    report = tfmodel.reduce(graph(CHAIN), has("MatMul"))
    value = report.model.graph.node[0].attr["value"].tensor
    assert value is not None
    assert not tfmodel.to_ndarray(value).any()


def test_random_numbers_are_the_same_in_both_models():
    text = """
        size = Const[dtype=int32, value=int32{4, 4}]
        r = RandomUniform(size)[T=int32, dtype=float]
        a = Exp(r)[T=float]
        y = OP(a)[T=float]
    """
    report = tfmodel.reduce(graph(text.replace("OP", "Neg")), differs_from=graph(text.replace("OP", "Abs")))
    assert report.ops == ['Neg "y"']


def test_the_values_of_inputs_that_are_left_are_reported():
    def check(model):
        return has("Placeholder")(model) and has("MatMul")(model)

    report = tfmodel.reduce(graph(CHAIN), check, feeds={"x": np.ones((2, 2), np.float32)})
    assert [*report.feeds] == ["x:0"]
    np.testing.assert_array_equal(report.feeds["x:0"], np.ones((2, 2)))


def test_zeros_stand_for_variables_without_values():
    text = """
        v = VariableV2[dtype=float, shape=(2, 3)]
        read = Identity(v)[T=float]
        e = Exp(read)[T=float]
        y = Neg(e)[T=float]
    """
    assert ops(tfmodel.reduce(graph(text), has("Exp"))) == ["Const", "Exp"]


def test_an_op_that_is_not_declared_may_be_the_last_one():
    text = """
        x = Placeholder[dtype=float, shape=(2)]
        a = Mystery(x)[T=float]
        y = Neg(a)[T=float]
    """
    assert ops(tfmodel.reduce(graph(text), has("Mystery"))) == ["Const", "Mystery"]


# --- the search ------------------------------------------------------------------------------------------------------


def test_equal_input_gives_equal_output():
    first, second = (tfmodel.reduce(graph(CHAIN), has("AddV2")) for _ in range(2))
    assert first.model.graph.to_bytes() == second.model.graph.to_bytes()
    assert (first.checks, first.steps) == (second.checks, second.steps)


def test_a_search_goes_on_where_it_ended(tmp_path):
    state = str(tmp_path / "state.json")
    asked = []

    def interrupted(model):
        asked.append(model)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return has("Exp")(model)

    best: list[GraphDef] = []
    with pytest.raises(KeyboardInterrupt):
        tfmodel.reduce(graph(CHAIN), interrupted, state=state, improved=lambda model, _: best.append(model.graph))
    assert len(best[-1].node) <= len(best[0].node)
    report = tfmodel.reduce(graph(CHAIN), has("Exp"), state=state)
    assert report.remembered == 3
    assert ops(report) == ["Const", "Exp"]
    again = tfmodel.reduce(graph(CHAIN), has("Exp"), state=state)
    assert again.checks == 0
    assert again.model.graph == report.model.graph


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"version": 2, "key": "", "answers": {}}', '{"version": 1}'])
def test_a_file_that_is_not_a_state(tmp_path, content):
    path = tmp_path / "state.json"
    path.write_text(content)
    with pytest.raises(FileFormatError, match="not a file with the state of a reduction"):
        tfmodel.reduce(graph(CHAIN), has("Exp"), state=str(path))


def test_the_state_of_another_search(tmp_path):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"version": 1, "key": "other", "answers": {}}))
    with pytest.raises(FileFormatError, match="the state of another reduction"):
        tfmodel.reduce(graph(CHAIN), has("Exp"), state=str(path))


def test_a_check_that_is_asked_several_times():
    answers = []

    def flaky(model):
        answers.append(has("Exp")(model))
        return answers[-1] and len(answers) % 3 == 0

    assert ops(tfmodel.reduce(graph(CHAIN), flaky, repeat=3))[-1] == "Exp"


def test_a_sample_that_shows_the_problem():
    text = """
        x = Placeholder[dtype=float, shape=()]
        y = {op}(x)[T=float]
    """
    wrong, right = graph(text.format(op="Relu")), graph(text.format(op="Identity"))
    with pytest.raises(ModelError):
        tfmodel.reduce(wrong, differs_from=right, seed=0)
    assert tfmodel.reduce(wrong, differs_from=right, seed=0, samples=20).ops == ['Relu "y"']


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "name one check"),
        ({"fails": True, "check": bool}, "name one check"),
        ({"check": bool, "samples": 0}, "at least 1"),
        ({"check": bool, "match": "a"}, "match and timeout are for a command"),
    ],
)
def test_arguments_that_do_not_go_together(options, problem):
    with pytest.raises(ModelError, match=problem):
        tfmodel.reduce(graph(CHAIN), **options)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[GraphDef, str]:
    """A graph of unary and binary ops, of which one is the planted Sqrt."""
    count = draw(st.integers(2, 14))
    planted = draw(st.integers(0, count - 1))
    lines = ["x = Placeholder[dtype=float, shape=(2)]"]
    names = ["x"]
    for number in range(count):
        first, second = (draw(st.sampled_from(names)) for _ in range(2))
        if number == planted:
            lines.append(f"planted = Sqrt({first})[T=float]")
            names.append("planted")
            continue
        op = draw(st.sampled_from(["Neg", "Abs", "AddV2", "Mul"]))
        inputs = f"{first}, {second}" if op in ("AddV2", "Mul") else first
        lines.append(f"n{number} = {op}({inputs})[T=float]")
        names.append(f"n{number}")
    used = [name for name in names[1:] if not any(f"({name}" in line or f", {name})" in line for line in lines)]
    lines.append(f"y = AddN({', '.join(used)})[T=float, N={len(used)}]")
    return graph("".join(f"    {line}\n" for line in lines)), "y"


@given(graphs())
def test_a_planted_op_is_found_in_any_graph(drawn):
    given_graph, output = drawn
    report = tfmodel.reduce(given_graph, has("Sqrt"), outputs=output)
    assert sorted(ops(report)) == ["Const", "Sqrt"]
    assert check_graph(report.model.graph, registry=OPS) == []
    assert report.checks <= 12 + 2 * len(given_graph.node)
