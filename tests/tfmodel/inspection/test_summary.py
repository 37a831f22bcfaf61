"""`summarize`: the kind, inputs, outputs and size of a model."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings

import tfmodel
from tests.support.corpus import corpus, needs_corpus
from tests.support.effort import scaled
from tests.support.strategies_graphs import models
from tests.tfmodel.models import meta_graph, saved_model, write_saved_model
from tests.tfmodel.models import shape as shape_of
from tests.tfmodel.parameters.graphs import const, function, graph, node, variable
from tfmodel.errors import FileFormatError, GraphError, ModelError
from tfmodel.inspection.summary import Summary, load_supported_ops, summarize
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpDef,
    OpList,
    SavedModel,
    SignatureDef,
    TensorInfo,
    VersionDef,
)
from tfmodel.transforms.framework.pipeline import transform

FLOAT = AttrValue(type=DataType.DT_FLOAT)


def placeholder(name, *sizes, op="Placeholder"):
    attr = {"dtype": FLOAT, "shape": AttrValue(shape=shape_of(*sizes))}
    return NodeDef(name=name, op=op, attr=attr)


def typed(line):
    """A node of floats: "y = Relu(x)"."""
    node_def = node(line)
    node_def.attr["T"] = FLOAT
    return node_def


def outputs(report):
    return [end.name for end in report.outputs]


def reasons(ends):
    return {end.name: list(end.reasons) for end in ends}


TRAINING = graph(
    placeholder("image", -1, 4),
    NodeDef(name="label", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_INT64)}),
    variable("w", 4, 10, op="VariableV2"),
    const("w/initial"),
    "w/Assign = Assign(w, w/initial)",
    "w/read = Identity(w)",
    typed("logits = MatMul(image, w/read)"),
    typed("probabilities = Softmax(logits)"),
    "loss = SparseSoftmaxCrossEntropyWithLogits(logits, label)",
    "gradients/loss_grad/mul = Mul(loss:1, logits)",
    "gradients/MatMul_1 = MatMul(image, gradients/loss_grad/mul)",
    "clipped = Mul(gradients/MatMul_1, w/read)",
    const("rate"),
    "train = ApplyGradientDescent(w, rate, clipped)",
    "loss_summary = ScalarSummary(rate, loss)",
    "init = NoOp(^w/Assign)",
    const("save/tensor_names"),
    NodeDef(name="save/filename", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_STRING)}),
    "save/SaveV2 = SaveV2(save/filename, save/tensor_names, save/tensor_names, w)",
    "save/control_dependency = Identity(save/filename, ^save/SaveV2)",
    "save/RestoreV2 = RestoreV2(save/filename, save/tensor_names, save/tensor_names)",
    "save/Assign = Assign(w, save/RestoreV2)",
    "save/restore_all = NoOp(^save/Assign)",
)


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


class TestSignatures:
    def test_signatures_come_first(self):
        report = summarize(meta_graph("serve"))
        (signature,) = report.signatures
        assert (signature.name, signature.method) == ("serving_default", "tensorflow/serving/predict")
        assert [(tensor.name, tensor.tensor, tensor.dtype, tensor.shape) for tensor in signature.inputs] == [
            ("x", "x:0", "float32", (None, 4))
        ]
        assert (report.input_names, report.output_names) == (["x"], ["y"])
        assert report.outputs[0].reasons == ["output y of serving_default"]

    def test_the_default_signature_counts(self):
        meta = meta_graph("serve")
        inner = SignatureDef(outputs={"out": TensorInfo(name="layer/MatMul:0", dtype=DataType.DT_FLOAT)})
        meta.signature_def["features"] = inner
        report = summarize(meta)
        assert [signature.name for signature in report.signatures] == ["serving_default", "features"]
        assert report.output_names == ["y"]
        assert reasons(report.outputs)["layer/MatMul"][0] == "output out of features"

    def test_a_sparse_input_is_three_tensors(self):
        sparse = TensorInfo.CooSparse(
            values_tensor_name="v:0", indices_tensor_name="i:0", dense_shape_tensor_name="s:0"
        )
        info = TensorInfo(coo_sparse=sparse, dtype=DataType.DT_FLOAT, tensor_shape=shape_of(-1, 9))
        model = MetaGraphDef(graph_def=GraphDef(), signature_def={"s": SignatureDef(inputs={"x": info})})
        (signature,) = summarize(model).signatures
        assert [(tensor.name, tensor.tensor, tensor.shape) for tensor in signature.inputs] == [
            ("x (values)", "v:0", (None,)),
            ("x (indices)", "i:0", (None, 2)),
            ("x (shape)", "s:0", (2,)),
        ]

    def test_a_signature_of_missing_nodes(self):
        info = TensorInfo(name="gone:0")
        model = MetaGraphDef(graph_def=TRAINING, signature_def={"s": SignatureDef(outputs={"y": info})})
        assert summarize(model).output_names == ["probabilities"]

    def test_other_metagraphs_are_named(self, tmp_path):
        folder = write_saved_model(tmp_path / "model", ("serve",), ("train",), ("serve", "gpu"))
        report = summarize(folder)
        assert (report.tags, report.other_tags) == (["serve"], [["train"], ["gpu", "serve"]])
        assert summarize(folder, tags="train").tags == ["train"]
        assert summarize(saved_model(("serve",), ("train",))).other_tags == [["train"]]


class TestCounts:
    def test_flops_and_parameters_by_op(self):
        model = graph(
            placeholder("x", -1, 3),
            variable("v", 5, 3, op="VariableV2"),
            typed("w = Identity(v)"),
            const("b", np.ones(5, "f4")),
            typed("m = MatMul(x, w)"),
            typed("y = BiasAdd(m, b)"),
        )
        model.node[4].attr["transpose_b"] = AttrValue(b=True)
        report = summarize(model, batch_size=2)
        rows = {row.op: (row.nodes, row.parameters, row.flops, row.unshaped) for row in report.ops}
        assert (rows["MatMul"], rows["BiasAdd"]) == ((1, 15, 2 * 2 * 5 * 3, 0), (1, 5, 10, 0))
        assert (report.flops, report.parameters, report.unshaped) == (70, 20, 0)
        assert report.ops[0].op == "MatMul"

    def test_unknown_shapes(self):
        model = graph(placeholder("x", -1, 3), typed("y = Relu(x)"))
        assert (summarize(model, shapes={"x": None}).flops, summarize(model, shapes={"x": None}).unshaped) == (0, 1)
        assert summarize(model, shapes={"x": (7, 3)}).flops == 21
        assert summarize(model, batch_size=2).flops == 6

    def test_flops_of_an_open_batch_are_those_of_one_example(self):
        model = graph(placeholder("x", -1, 3), typed("y = Relu(x)"))
        assert (summarize(model).flops, summarize(model).flops_batch) == (3, 1)
        assert (summarize(model, batch_size=2).flops, summarize(model, batch_size=2).flops_batch) == (6, None)
        assert "FLOPs at batch 1" in summarize(model).to_text()

    def test_only_what_the_outputs_need_is_counted(self):
        report = summarize(TRAINING, batch_size=2)
        assert report.flops == 2 * (2 * 10) * 4 + 5 * 20
        counts = {row.op: (row.nodes, row.all_nodes) for row in report.ops}
        assert report.needed_nodes < report.nodes == sum(all_nodes for _, all_nodes in counts.values())
        assert all(nodes <= all_nodes for nodes, all_nodes in counts.values())
        assert f"{report.nodes}; {report.needed_nodes} compute the outputs" in report.to_text()

    def test_variables_of_every_kind(self):
        kinds = ["Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable", "TemporaryVariable"]
        model = graph(*(variable(f"v{number}", 2, 3, op=op) for number, op in enumerate(kinds)), variable("open", -1))
        (row,) = summarize(model).values
        assert (row.kind, row.dtype, row.count, row.elements, row.bytes, row.unknown) == (
            "variable",
            "float32",
            6,
            30,
            120,
            1,
        )

    def test_quantized_weights(self):
        model = graph(
            placeholder("x", 2, 40),
            const("w", np.arange(1600, dtype="f4").reshape(40, 40)),
            const("b", np.ones(40, "f4")),
            const("unused", np.arange(2000, dtype="f4")),
            typed("m = MatMul(x, w)"),
            typed("y = BiasAdd(m, b)"),
        )
        before = summarize(model)
        assert before.quantized == []
        for steps in ("quantize_weights", "quantize_weights quantize_nodes"):
            after = summarize(transform(model, "x", "y,unused", steps))
            (row,) = after.quantized
            assert (row.dtype, row.count, row.elements, row.bytes, row.bytes_as_float32) == (
                "quint8",
                2,
                3600,
                3600,
                14400,
            )
            assert (row.parameters, after.parameters, before.parameters) == (1600, 1640, 1640)
            line = "2 weights of quint8, 3,600 bytes instead of 14,400; 1,600 of 1,640 parameters\n"
            assert f"quantized      {line}" in after.to_text()
            assert json.loads(after.to_json())["quantized"] == [asdict(row)]

    @pytest.mark.parametrize("steps", ["quantize_weights", "quantize_weights quantize_nodes"])
    def test_the_suggested_transforms_keep_quantized_weights(self, steps):
        model = graph(
            placeholder("x", 2, 40), const("w", np.arange(1600, dtype="f4").reshape(40, 40)), typed("y = MatMul(x, w)")
        )
        coded = transform(model, "x", "y", steps)
        page = summarize(coded).to_text()
        advised = page.partition("--transforms='")[2].partition("'")[0]
        assert advised == "strip_unused_nodes fold_constants(exclude_op=Dequantize)"
        (row,) = summarize(transform(coded, "x", "y", advised)).quantized
        assert (row.dtype, row.bytes) == ("quint8", 1600)

    def test_quantized_weights_of_several_dtypes(self):
        codes = {"a": ("u1", DataType.DT_QUINT8), "b": ("i2", DataType.DT_QINT16), "c": ("u1", DataType.DT_QUINT8)}
        model = graph(
            *(const(name, np.zeros(3, stored), dtype) for name, (stored, dtype) in codes.items()),
            const("l", np.float32(0)),
            const("h", np.float32(1)),
            "x = Dequantize(a, l, h)",
            "y = Dequantize(b, l, h)",
            "z = Dequantize(c, h, l)",
        )
        rows = [(row.dtype, row.count, row.bytes, row.parameters) for row in summarize(model).quantized]
        assert rows == [("qint16", 1, 6, 0), ("quint8", 1, 3, 0)]

    def test_a_function_that_is_called_counts_once(self):
        body = function("f", "a", {"b": "n:y:0"}, typed("n = Neg(a)"))
        unused = function("unused", "a", {"b": "n:y:0"}, typed("n = Neg(a)"))
        calls = [node(f"c{index} = PartitionedCall(x)", f="f") for index in range(3)]
        for call in calls:
            call.attr |= {"Tin": AttrValue(list=AttrValue.ListValue(type=[DataType.DT_FLOAT]))}
            call.attr |= {"Tout": AttrValue(list=AttrValue.ListValue(type=[DataType.DT_FLOAT]))}
        report = summarize(graph(placeholder("x", 5), *calls, functions=(body, unused)))
        assert {row.op: (row.nodes, row.all_nodes) for row in report.ops}["Neg"] == (1, 2)
        assert [(function.name, function.nodes, function.calls) for function in report.functions] == [
            ("f", 1, 3),
            ("unused", 1, 0),
        ]
        assert report.flops == 5 or report.unshaped == 1  # of one of them

    def test_control_flow(self):
        frame = AttrValue(s=b"loop")
        enter = NodeDef(name="e", op="Enter", input=["x"], attr={"frame_name": frame})
        model = graph(
            placeholder("x", 2),
            enter,
            "m = Merge(e, n)",
            "n = NextIteration(m)",
            "o = Exit(m)",
            "w = While(x)",
            "i = StatelessIf(x)",
            "j = StatelessIf(x)",
        )
        flow = summarize(model).control_flow
        assert (flow.loops, flow.conditionals, flow.functional) == ({"loop": 4}, 0, {"StatelessIf": 2, "While": 1})

    @pytest.mark.parametrize(
        ("device", "custom"),
        [
            ("/job:worker/replica:0/task:1/device:GPU:0", False),
            ("/cpu:0", False),
            ("/device:CPU:*", False),
            ("/job:localhost/replica:0/task:0/device:XLA_GPU:0", False),
            ("/device:MYCHIP:0", True),
            ("/job:a/task:0/device:NPU:3", True),
            ("/job:custom/task:3", False),
        ],
    )
    def test_devices(self, device, custom):
        model = graph(placeholder("x", 2))
        model.node[0].device = device
        (device_row,) = summarize(model).devices
        assert (device_row.name, device_row.nodes, device_row.is_custom) == (device, 1, custom)

    def test_ops_that_tensorflow_does_not_have(self):
        model = graph(placeholder("x", 2), "a = MyOp(x)", "b = MyOp(a)", "c = Other(b)")
        report = summarize(model, op_defs=OpList(op=[OpDef(name="Other")]))
        assert [(use.op, use.nodes, use.first) for use in report.unknown_ops] == [("MyOp", 2, ("a", "b"))]
        assert [use.op for use in report.custom_ops] == ["Other"]


class TestSupportedOps:
    @pytest.mark.parametrize(
        "text",
        [
            "Placeholder\nRelu\n",
            "Placeholder, Relu",
            "# ours\nPlaceholder Relu  # both\n",
            "\ufeffRelu;Placeholder",
        ],
    )
    def test_a_list_of_names(self, text, tmp_path):
        path = tmp_path / "ops.txt"
        path.write_text(text, encoding="utf-8")
        assert load_supported_ops(path) == {"Placeholder", "Relu"}

    def test_an_op_list(self, tmp_path):
        listed = OpList(op=[OpDef(name="Relu"), OpDef(name="NoOp")])
        for name in ("ops.pb", "ops.pbtxt", "ops.json"):
            tfmodel.save(listed, tmp_path / name)
            assert load_supported_ops(tmp_path / name) == {"Relu", "NoOp"}

    def test_a_list_without_names(self, tmp_path):
        path = tmp_path / "ops.txt"
        path.write_text("# none yet\n")
        with pytest.raises(FileFormatError, match="no names of ops"):
            load_supported_ops(path)

    def test_a_list_that_is_too_long_is_refused_not_cut(self, tmp_path):
        path = tmp_path / "ops.txt"
        path.write_text("Relu\n" * (16 << 20 >> 2))
        with pytest.raises(FileFormatError, match="a list of ops has at most 16,777,216 bytes"):
            load_supported_ops(path)

    def test_prose_is_not_a_list_of_ops(self, tmp_path):
        path = tmp_path / "prose.txt"
        path.write_text("This is prose and no list")
        with pytest.raises(FileFormatError, match="none of its 6 words is an op of TensorFlow"):
            load_supported_ops(path)

    def test_missing_ops(self):
        body = function("f", "a", {"b": "n:y:0"}, typed("n = Neg(a)"))
        model = graph(placeholder("x", 2), typed("y = Relu(x)"), "z = f(y)", functions=(body,))
        report = summarize(model, supported_ops=["Placeholder"])
        assert [(use.op, use.nodes, use.first) for use in report.unsupported] == [
            ("Neg", 1, ("f/n",)),
            ("Relu", 1, ("y",)),
        ]
        assert "not in the list of supported ops: 2 ops of 2 nodes" in report.to_text()
        assert summarize(model, supported_ops=["Placeholder", "Relu", "Neg"]).unsupported == []


class TestProblems:
    @pytest.mark.parametrize(
        ("model", "problem"),
        [
            (graph("y = Relu(gone)"), 'there is no node "gone"'),
            (graph("y = Relu(y)"), 'Relu "y" waits for itself'),
            (graph(const("c"), const("c")), "another node has this name"),
            (graph(NodeDef(name="c", op="Const")), 'Const "c" has no attribute "value"'),
            (graph(NodeDef(name="v", op="VariableV2", attr={"dtype": AttrValue(i=3)})), 'attribute "dtype"'),
            (graph(placeholder("x", 2), placeholder("z", 3), typed("y = AddV2(x, z)")), 'AddV2 "y": the shapes [2]'),
        ],
    )
    def test_problems_are_listed(self, model, problem):
        report = summarize(model)
        assert any(problem in text for text in report.problems), report.problems
        assert "problem" in report.to_text()

    def test_problems_are_listed_once(self):
        model = graph("a = Relu(b)", "b = Relu(a)", NodeDef(name="c", op="Const"))
        cycle = 'Relu "a" waits for itself through "b"'
        assert summarize(model).problems == [cycle, 'Const "c" has no attribute "value"']

    def test_an_unknown_input_is_refused(self):
        with pytest.raises(GraphError, match='no node "gone"'):
            summarize(graph(placeholder("x", 2)), shapes={"gone": (2,)})

    def test_an_empty_batch_is_refused(self):
        with pytest.raises(ValueError, match="batch_size must be >= 1"):
            summarize(GraphDef(), batch_size=0)

    def test_an_empty_graph(self):
        assert str(summarize(GraphDef())) == (
            "GraphDef\n\n"
            "inputs: none; nothing is fed, and nothing takes data from a queue\n\n"
            "outputs: none; there are no nodes\n\n"
            "nodes          0\nedges          0\ncontrol flow   none\nruns on NumPy  yes\n"
        )

    def test_ops_without_a_kernel(self):
        report = summarize(graph(placeholder("x", 2), typed("y = Mystery(x)"), typed("z = Mystery(y)")))
        assert "runs on NumPy  no: there is no kernel for Mystery (2: y, z)" in str(report)


PAGE = """\
GraphDef, GraphDef version 1482

inputs, likeliest first:
  x  Placeholder  float32[1,4]  goes into 2 nodes

outputs, likeliest first:
  y  Relu  float32[1,10]  nothing uses it, needs 3 nodes

nodes          4
edges          3
control flow   none
runs on NumPy  yes

op           nodes  parameters  FLOPs
MatMul           1          40     80
Relu             1                 10
Placeholder      1
VariableV2       1
all              4          40     90

                      count  elements  bytes
variables of float32      1        40    160
all                       1        40    160

next steps:
  tfmodel freeze MODEL --checkpoint PREFIX --outputs=y -o frozen.pb
  tfmodel transform frozen.pb -o out.pb --inputs=x --outputs=y --transforms='strip_unused_nodes fold_constants'
"""


class TestForms:
    def test_the_text(self):
        model = graph(
            placeholder("x", -1, 4),
            variable("w", 4, 10, op="VariableV2"),
            typed("m = MatMul(x, w)"),
            typed("y = Relu(m)"),
        )
        model.versions = VersionDef(producer=1482)
        assert summarize(model, batch_size=1).to_text() == PAGE

    def test_json_has_the_same_data(self):
        report = summarize(meta_graph("serve"), batch_size=1, supported_ops=["Relu"])
        document = json.loads(report.to_json())
        assert document["model"] == ""
        assert (document["input_names"], document["output_names"]) == (["x"], ["y"])
        assert document["signatures"][0]["inputs"] == [
            {"name": "x", "tensor": "x:0", "dtype": "float32", "shape": [None, 4]}
        ]
        assert document["flops"] == report.flops
        assert [use["op"] for use in document["unsupported"]] == [use.op for use in report.unsupported]

    def test_names_are_escaped(self):
        name = "\x1b[31mred"
        model = graph(placeholder(name, 2), NodeDef(name="y\r", op="My\aOp", input=[name], device="/device:\x07:0"))
        text = summarize(model, structure=True).to_text()
        assert all(character.isprintable() for character in text.replace("\n", ""))

    def test_structure(self):
        model = graph(typed("y = Neg(x)"), placeholder("x", 2))
        report = summarize(model, structure=True)
        assert report.structure == ["x (Placeholder): []", "y (Neg): [x]"]
        assert "structure:\n  x (Placeholder): []\n  y (Neg): [x]\n" in report.to_text()

    def test_a_file_and_a_message_give_the_same(self, tmp_path):
        tfmodel.save(TRAINING, tmp_path / "graph.pb")
        from_file = summarize(tmp_path / "graph.pb").as_dict()
        from_message = summarize(TRAINING).as_dict()
        assert from_file.pop("model") == str(tmp_path / "graph.pb")
        assert from_message.pop("model") == ""
        assert from_file == from_message


@settings(max_examples=scaled(40))
@given(models())
def test_outputs_of_any_graph_are_unused_nodes_of_it(model):
    before = model.graph.to_bytes()
    report = summarize(model.graph)
    used = {text.lstrip("^").partition(":")[0] for node_def in model.graph.node for text in node_def.input}
    assert {name.partition(":")[0] for name in report.output_names} <= {
        node_def.name for node_def in model.graph.node
    } - used
    assert not report.problems
    assert sum(row.all_nodes for row in report.ops) == report.nodes + report.function_nodes
    assert report.to_text()
    assert json.loads(report.to_json())
    assert model.graph.to_bytes() == before


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@needs_corpus
def test_a_training_graph_of_thousands_of_nodes():
    report = summarize(corpus / "generated" / "conv_train.meta", batch_size=1)
    assert (report.input_names, report.output_names) == (["image"], ["softmax"])
    assert report.nodes == 6594


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


def test_other_messages_are_refused():
    with pytest.raises(TypeError, match="OpList"):
        summarize(OpList())
    with pytest.raises(ModelError, match="no graph"):
        summarize(MetaGraphDef())
    with pytest.raises(FileFormatError, match="no MetaGraph"):
        summarize(SavedModel())


def test_the_report_is_a_summary():
    assert isinstance(summarize(GraphDef()), Summary)
