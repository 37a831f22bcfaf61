"""The reasons for which TensorFlow refuses to import a graph, compared with TensorFlow's answers."""

from __future__ import annotations

import pytest

from tests.golden.importing import ops
from tests.golden.importing.answers import BASES, cases, goldens
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import GraphError, Model, load
from tfmodel.analysis.import_check import import_faults
from tfmodel.ops import OPS, registry
from tfmodel.transforms.framework.mending import import_verdict

MISSED = {
    "loop/Enter k: is_constant is a placeholder",
}
REFUSED_HERE_ALONE = {
    "convolution/Conv2D c: data_format is a placeholder",  # a graph in which a caller of a function sets an attribute
    "branches/If y: Tout is a placeholder",
}


@pytest.mark.parametrize("base", BASES)
def test_a_changed_graph_is_refused_where_tensorflow_refuses_it(base):
    answers = goldens()
    for name, changed in cases():
        if name.partition("/")[0] != base:
            continue
        refused = bool(import_faults(changed, registry(changed)))
        if name in MISSED | REFUSED_HERE_ALONE:
            assert refused == (name in REFUSED_HERE_ALONE), f"{name}: the exception is not needed any more"
        else:
            assert refused == bool(answers[name]), f"{name}: {answers[name] or 'TensorFlow imports it'}"


OPS_MISSED = 0.11
"""The part of the changed nodes that TensorFlow refuses and `import_faults` accepts."""


def test_no_changed_node_is_refused_that_tensorflow_imports():
    answers = ops.goldens()
    refused = {name for name, changed in ops.cases() if import_faults(changed, OPS)}
    assert sorted(name for name in refused if not answers[name]) == []
    expected = [name for name, answer in answers.items() if answer]
    assert sum(name not in refused for name in expected) < OPS_MISSED * len(expected)


def test_many_changed_graphs_of_both_kinds_are_compared():
    answers = goldens().values()
    assert len(answers) > 2500
    assert sum(answer == "" for answer in answers) > 500


RUN_TIME_FAULTS = {
    "an attribute that the op does not have": "x = Placeholder[dtype=float, quantization=1]",
    "a frame that nothing enters": "x = Placeholder[dtype=float]\ny = Exit(x)[T=float]",
    "a function that does not exist": """
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
    """,
    "a constant of another type": "w = Const[dtype=int32, value=float{1}(4)]",
    "a branch with an unknown op": """
        f: (a: float) -> (r: float = n:y:0)
        f: n = Nosuch(a)[T=float]
        x = Placeholder[dtype=float]
        p = Placeholder[dtype=bool]
        y = If(p, x)[Tcond=bool, Tin=[float], Tout=[float], then_branch=@f, else_branch=@f]
    """,
}


@pytest.mark.parametrize("text", RUN_TIME_FAULTS.values(), ids=RUN_TIME_FAULTS)
def test_a_fault_that_only_a_run_brings_to_light_is_accepted(text):
    message = graph(text)
    assert import_faults(message, registry(message)) == []


REMEDIES = {
    "repair_frozen": "w = Const[dtype=float, value=float{1}()]\ny = ReadVariableOp(w)[dtype=float]",
    "remove_device": "y = NoOp @ somewhere",
    "remove_attribute(attribute_name=_class)": 'y = NoOp[_class=["loc:@gone"]]',
    "remove_attribute(attribute_name=_output_shapes)": "x = Placeholder[dtype=float, shape=(2), _output_shapes=[(3)]]",
    "": "x = Placeholder[dtype=float]\ny = Relu(x)[T=int32]",
}


@pytest.mark.parametrize(("remedy", "text"), REMEDIES.items())
def test_a_verdict_names_the_transform_that_mends_the_graph(remedy, text):
    message = graph(text)
    verdict = import_verdict(message, registry(message))
    assert verdict.problem and verdict.remedy == remedy


def test_a_verdict_tells_unknown_ops_from_other_faults():
    message = graph("x = Placeholder[dtype=float]\ny = Mine(x)\nz = Relu(x)[T=float]")
    verdict = import_verdict(message, registry(message))
    assert (verdict.problem, verdict.undeclared) == ("", ("Mine",))
    assert verdict.describe_undeclared.startswith('the op "Mine" is unknown to TensorFlow 2.12')


def test_a_model_that_tensorflow_refuses_is_not_saved(tmp_path):
    model = Model(graph(REMEDIES["repair_frozen"]))
    with pytest.raises(GraphError, match=r"TensorFlow refuses this graph: .*; the transform repair_frozen mends it"):
        model.save(tmp_path / "out.pb")
    assert not (tmp_path / "out.pb").exists()
    model.transform("repair_frozen").save(tmp_path / "out.pb")
    model.save(tmp_path / "as_it_is.pb", check=False)
    assert load(tmp_path / "as_it_is.pb") == model.graph
