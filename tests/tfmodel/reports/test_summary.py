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
from tests.tfmodel.reports.training_graph import TRAINING, placeholder, reasons, typed
from tfmodel.errors import FileFormatError, GraphError, ModelError
from tfmodel.graph import GraphIndex
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
from tfmodel.ops.traits import EXIT
from tfmodel.reports.summary import Summary, load_supported_ops, summarize
from tfmodel.transforms.framework.pipeline import transform


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

    @pytest.mark.parametrize(("op", "note"), [("MyOp", "; without MyOp 1"), ("PyFunc", ""), ("While", "")])
    def test_ops_of_unknown_cost_come_before_trivial_ones(self, op, note):
        lines = ["m = MatMul(x, w)", "r = Relu(m)", f"h = {op}(r)", "y = Reshape(h, size)"]
        constants = [const("w", np.ones((100, 100), "f4")), const("size", np.int32([100, 100]))]
        report = summarize(graph(placeholder("x", 100, 100), *constants, *map(typed, lines)))
        assert [row.op for row in report.ops][:3] == ["MatMul", op, "Relu"]
        assert {row.op for row in report.ops if row.is_open} == {op}
        assert f"  FLOPs          {report.flops:,}{note}\n" in report.to_text(brief=True)

    def test_ops_whose_share_is_large_stay_before_those_of_unknown_cost(self):
        lines = ["m = MatMul(x, w)", "h = MyOp(m)", "s = Reshape(h, size)", "y = Softmax(s)"]
        constants = [const("w", np.ones((10, 10), "f4")), const("size", np.int32([10, 10]))]
        report = summarize(graph(placeholder("x", 10, 10), *constants, *map(typed, lines)), shapes={"s": (10, 10)})
        assert [row.op for row in report.ops][:3] == ["MatMul", "Softmax", "MyOp"]

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
            "GraphDef, for TensorFlow 1.0 or later\n\n"
            "inputs: none; nothing is fed, and nothing takes data from a queue\n\n"
            "outputs: none; there are no nodes\n\n"
            "nodes          0\nedges          0\ncontrol flow   none\nruns on NumPy  yes\n"
        )

    def test_ops_without_a_kernel(self):
        report = summarize(graph(placeholder("x", 2), typed("y = Mystery(x)"), typed("z = Mystery(y)")))
        assert "runs on NumPy  no: there is no kernel for Mystery (2: y, z)" in str(report)


PAGE = """\
GraphDef, GraphDef version 1482, for TensorFlow 1.0 or later

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
        assert document["name"] == ""
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
        assert from_file.pop("name") == str(tmp_path / "graph.pb")
        assert from_message.pop("name") == ""
        assert from_file == from_message


@settings(max_examples=scaled(40))
@given(models())
def test_outputs_of_any_graph_are_nodes_of_it_that_can_be_fetched(model):
    before = model.graph.to_bytes()
    report = summarize(model.graph)
    index = GraphIndex(model.graph)
    for name in report.output_names:
        position = index.positions[name.partition(":")[0]]
        assert index.nodes[position].op in EXIT or index.node_frames[position] is None
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


def test_other_messages_are_refused():
    with pytest.raises(TypeError, match="OpList"):
        summarize(OpList())
    with pytest.raises(ModelError, match="no graph"):
        summarize(MetaGraphDef())
    with pytest.raises(FileFormatError, match="no MetaGraph"):
        summarize(SavedModel())


def test_the_report_is_a_summary():
    assert isinstance(summarize(GraphDef()), Summary)


def test_variables_without_a_declared_shape_are_parameters() -> None:
    """As in the MetaGraph of TensorFlow's guide: y = a * x + b with `Variable` ops, which have no shape for scalars."""
    model = graph(
        "x = Placeholder()",
        variable("a", op="Variable"),
        variable("b", op="Variable"),
        const("a/initial", np.float32(0.5)),
        const("b/initial", np.float32(2)),
        "a/Assign = Assign(a, a/initial)",
        "b/Assign = Assign(b, b/initial)",
        "m = Mul(a, x)",
        "y = Add(m, b)",
    )
    assert tfmodel.summarize(model).parameters == 2


@pytest.mark.parametrize("assign", ["Assign(a)", "Assign(a, ^b)", "Assign()"])
def test_an_assignment_without_a_value_does_not_end_a_summary(assign: str) -> None:
    model = graph(variable("a", op="Variable"), const("b", np.float32(2)), f"a/Assign = {assign}", "y = Neg(a)")
    assert tfmodel.summarize(model).parameters == 0
