"""The selection of inputs and outputs, as `summarize` reports it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.corpus import corpus, needs_corpus
from tests.tfmodel.parameters.graphs import const, graph, node, variable
from tests.tfmodel.reports.training_graph import FLOAT, TRAINING, placeholder, reasons, typed
from tfmodel.analysis.facts import Facts
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    NodeDef,
    VersionDef,
)
from tfmodel.reports.summary import summarize
from tfmodel.source.model_source import ModelSource


def outputs(report):
    return [end.name for end in report.outputs]


class TestOutputs:
    def test_outputs_are_nodes_that_no_other_node_uses(self):
        report = summarize(graph(placeholder("x", 2), typed("y = Relu(x)"), typed("z = Neg(y)"), typed("s = Abs(y)")))
        assert report.output_names == ["z", "s"]
        assert reasons(report.outputs)["z"] == ["nothing uses it", "needs 2 nodes"]

    def test_outputs_of_a_training_graph_are_those_of_the_model(self):
        report = summarize(TRAINING)
        assert report.output_names == ["probabilities"]
        assert outputs(report) == ["probabilities", "logits", "loss"]
        assert reasons(report.outputs)["probabilities"][0] == "computed from logits: a loss compares it with labels"
        assert reasons(report.outputs)["logits"][0] == "a loss compares it with labels"
        assert reasons(report.outputs)["loss"][:2] == ["used for gradients and summaries only", "follows from a loss"]

    def test_an_input_that_only_auxiliary_nodes_use(self):
        model = graph(
            placeholder("x", 2),
            placeholder("y", 2),
            variable("w", 2, op="VariableV2"),
            typed("z = Relu(x)"),
            typed("add = AssignAdd(w, y)"),
        )
        assert "goes into auxiliary nodes only" in reasons(summarize(model).inputs)["y"]

    def test_the_prediction_in_a_difference_is_an_output(self):
        model = graph(
            placeholder("x", 2),
            placeholder("y", 2),
            variable("w", 2, op="VariableV2"),
            typed("prediction = Mul(x, w)"),
            typed("difference = Sub(prediction, y)"),
            typed("centred = Sub(x, w)"),
            typed("square = Square(difference)"),
            const("axes"),
            typed("loss = Sum(square, axes)"),
            *(f"gradients/{name}_grad/mul = Mul(square, w)" for name in ("loss", "square", "difference", "prediction")),
        )
        report = summarize(model)
        assert outputs(report)[:3] == ["prediction", "centred", "loss"]
        without = [node_def for node_def in model.node if node_def.name != "centred"]
        assert summarize(GraphDef(node=without)).output_names == ["prediction"]
        assert summarize(GraphDef(node=without)).input_names == ["x"]

    def test_a_bound_tensor_is_not_an_input_and_outputs_follow(self):
        model = graph(placeholder("x", 2), placeholder("keep", 2), typed("y = Mul(x, keep)"), typed("z = Neg(keep)"))
        report = summarize(model, bind={"keep": 1})
        assert (report.input_names, report.output_names) == (["x"], ["y"])
        assert [end.name for end in report.outputs] == ["y", "z"]
        assert "depends on no input" in reasons(report.outputs)["z"]

    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            (1, "--bind keep=1"),
            (0.5, "--bind keep=0.5"),
            (np.ones(2, "f4"), "--bind 'keep=[1.0, 1.0]'"),
            ([1] * 2 + [1.0] * 98, "--bind keep=VALUE"),
        ],
    )
    def test_suggested_commands_bind_the_same_tensors(self, value, shown):
        size = 100 if shown.endswith("VALUE") else 2
        model = graph(placeholder("x", size), placeholder("keep", size), typed("y = Mul(x, keep)"))
        assert shown in summarize(model, bind={"keep": value}).to_text()

    @pytest.mark.parametrize("name", ["", ":", "a:1", "a:b:0"])
    def test_a_name_that_no_reference_can_have(self, name):
        report = summarize(graph(NodeDef(name=name, op="Placeholder")))
        assert [(end.tensor, end.name) for end in report.outputs] == []
        report = summarize(graph(NodeDef(name=name, op="Relu")))
        assert [(end.tensor, end.name) for end in report.outputs] == [(f"{name}:0", name)]

    def test_auxiliary_nodes_are_counted(self):
        counts = {group.what: (group.nodes, *group.ends) for group in summarize(TRAINING).set_aside}
        assert counts == {
            "saver": (7, "save/control_dependency", "save/restore_all"),
            "gradients": (3,),
            "init": (3, "init"),
            "training": (1, "train"),
            "summaries": (1, "loss_summary"),
        }

    def test_all_outputs_of_a_gathering_node(self):
        gathered = node("n = IdentityN(a, b)")
        gathered.attr["T"] = AttrValue(list=AttrValue.ListValue(type=[DataType.DT_FLOAT] * 2))
        report = summarize(graph(placeholder("x", 2), typed("a = Relu(x)"), typed("b = Neg(x)"), gathered))
        assert report.output_names == ["n", "n:1"]

    def test_outputs_that_need_more_nodes_come_first(self):
        report = summarize(graph(placeholder("x", 2), typed("a = Relu(x)"), typed("b = Neg(x)"), typed("c = Neg(b)")))
        assert outputs(report) == ["c", "a"]

    def test_scalars_come_after_arrays(self):
        numbers = placeholder("s"), typed("a = Neg(s)"), typed("b = Neg(a)")
        model = graph(*numbers, placeholder("x", 2), typed("y = Neg(x)"))
        model.versions = VersionDef(producer=1482)  # before 24, no dimensions meant that they are not known
        assert outputs(summarize(model)) == ["y", "b"]
        assert summarize(model).output_names == ["y"]

    @pytest.mark.parametrize(
        "nodes",
        [
            ["check = Assert(ok, y)", "ok = All(y)"],
            ["group = NoOp(^y)"],
            ["size = Shape(y)"],
            [const("unused")],
            ["keep = VariableV2()"],
        ],
        ids=["assertion", "group", "shape", "constant", "variable"],
    )
    def test_nodes_that_are_not_outputs(self, nodes):
        report = summarize(graph(placeholder("x", 2), typed("y = Relu(x)"), *nodes))
        assert report.output_names == ["y"]

    def test_a_graph_without_inputs_has_outputs_too(self):
        report = summarize(graph(const("c"), typed("y = Relu(c)")))
        assert report.output_names == ["y"]
        assert "depends on no input" in reasons(report.outputs)["y"]


class TestInputs:
    def test_inputs_that_outputs_do_not_need_are_not_likely(self):
        report = summarize(TRAINING)
        assert report.input_names == ["image"]
        assert reasons(report.inputs) == {
            "image": ["goes into 3 nodes"],
            "label": ["compared with predictions", "goes into 1 node"],
        }

    def test_unused_inputs_say_so(self):
        model = graph(placeholder("x", 2), placeholder("unused"), typed("y = Relu(x)"))
        assert reasons(summarize(model).inputs)["unused"] == ["nothing uses it"]

    def test_an_input_with_a_default_is_likely_only_without_others(self):
        default = NodeDef(name="d", op="PlaceholderWithDefault", input=["c"], attr={"dtype": FLOAT})
        both = graph(placeholder("x", 2), const("c"), default, typed("y = AddV2(x, d)"))
        assert summarize(both).input_names == ["x"]
        assert summarize(graph(const("c"), default, typed("y = Relu(d)"))).input_names == ["d"]

    def test_elements_of_a_queue_are_inputs(self):
        model = graph("q = FIFOQueueV2()", "batch = QueueDequeueManyV2(q)", typed("y = Relu(batch)"))
        report = summarize(model)
        assert (report.input_names, report.output_names) == (["batch"], ["y"])
        assert reasons(report.inputs)["batch"][0] == "gets data itself"


def test_a_node_that_waits_for_a_missing_one_waits_for_no_other():
    """A missing node has a negative position, which counts from the end of a list."""
    waiting = NodeDef(name="y", op="Relu", input=["x", "^gone"], attr={"T": AttrValue(type=DataType.DT_FLOAT)})
    others = graph(placeholder("x", 2), placeholder("other", 2), typed("busy = Relu(other)")).node
    facts = Facts.of(ModelSource.of(GraphDef(node=[*others, waiting])))
    assert [end.name for end in facts.endpoints_for(["y"]).likely_inputs] == ["x"]


def test_a_node_that_only_waits_for_a_missing_one():
    assert summarize(GraphDef(node=[NodeDef(name="y", op="Mine", input=["^gone"])])).output_names == ["y"]


@needs_corpus
@pytest.mark.parametrize(
    ("path", "inputs", "outputs"),
    [
        ("tf2onnx/lstm/frozen.pb", ["X"], ["output"]),
        ("tf2onnx/ae0/frozen.pb", ["X"], ["output"]),
        ("serving/saved_model_half_plus_two_tf2_cpu/00000123", ["serving_default_x"], ["StatefulPartitionedCall_5"]),
        ("serving/session_bundle/half_plus_two/00000123/export.meta", ["tf_example"], ["Identity"]),
        ("serving/bad_half_plus_two/00000123/export.meta", ["Placeholder"], ["Add"]),
        ("tensorboard/graphs_graph_run_run2.pbtxt", [], ["c"]),
    ],
)
def test_inputs_and_outputs_of_real_models(path, inputs, outputs):
    report = summarize(corpus / path)
    assert (report.input_names, report.output_names) == (inputs, outputs)
