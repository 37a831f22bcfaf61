"""The entrances of models: what a signature computes, with its calls opened; inference and training parts."""

from __future__ import annotations

import pytest

from tests.tfmodel.drawing.test_hierarchy import graph_of
from tests.tfmodel.source import test_function_signatures
from tfmodel.drawing.entrances import Place, entrances
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
)
from tfmodel.source.model_source import ModelSource

FLOAT = DataType.DT_FLOAT


def node(name: str, op: str, *inputs: str, **attrs: AttrValue) -> NodeDef:
    return NodeDef(name=name, op=op, input=list(inputs), attr=attrs)


def call(name: str, function: str, *inputs: str) -> NodeDef:
    return node(name, "StatefulPartitionedCall", *inputs, f=AttrValue(func=NameAttrList(name=function)))


def function(
    name: str, arguments: str, results: dict[str, str], *nodes: NodeDef, controls: dict[str, str] | None = None
) -> FunctionDef:
    return FunctionDef(
        signature=OpDef(
            name=name,
            input_arg=[OpDef.ArgDef(name=argument, type=FLOAT) for argument in arguments.split()],
            output_arg=[OpDef.ArgDef(name=result, type=FLOAT) for result in results],
            control_output=[*(controls or {})],
        ),
        node_def=list(nodes),
        ret=results,
        control_ret=controls or {},
    )


def signature(inputs: dict[str, str], outputs: dict[str, str]) -> SignatureDef:
    def infos(side):
        return {key: TensorInfo(name=tensor, dtype=FLOAT) for key, tensor in side.items()}

    return SignatureDef(inputs=infos(inputs), outputs=infos(outputs))


def saved_model(*metas: MetaGraphDef) -> SavedModel:
    return SavedModel(saved_model_schema_version=1, meta_graphs=list(metas))


def meta(graph: GraphDef, signatures: dict[str, SignatureDef], tag: str = "serve") -> MetaGraphDef:
    return MetaGraphDef(meta_info_def=MetaGraphDef.MetaInfoDef(tags=[tag]), graph_def=graph, signature_def=signatures)


def of(model) -> list:
    return entrances(ModelSource.of(model).keeping_facts())


def shape(entrance) -> dict[str, str]:
    """Return the nodes as "label = Op(labels of inputs)"."""
    label = {each.name: entrance.labels.get(each.name, each.name) for each in entrance.graph.node}
    return {
        label[each.name]: f"{each.op}({', '.join(label.get(text, text) for text in each.input)})"
        for each in entrance.graph.node
    }


def test_a_signature_is_cut_at_its_inputs_and_ends_with_its_outputs_by_their_keys():
    graph = graph_of("raw = Placeholder", "parsed = Relu(raw)", "m = Mul(parsed, parsed)", "other = Neg(m)")
    model = saved_model(meta(graph, {"serving_default": signature({"x": "parsed:0"}, {"y": "m:0"})}))
    [entrance] = of(model)
    assert (entrance.kind, entrance.name) == ("signature", "serving_default")
    assert shape(entrance) == {"x": "Placeholder()", "m": "Mul(x, x)", "y": "Identity(m)"}
    assert [entrance.labels[name] for name in (*entrance.inputs, *entrance.outputs)] == ["x", "y"]


def nested() -> GraphDef:
    inner = function(
        "inner", "a w", {"r": "out:output:0"},
        node("read", "ReadVariableOp", "w"), node("mul", "Mul", "a", "read:value:0"),
        node("out", "Identity", "mul:z:0", "^wait"), node("wait", "NoOp", "^read"),
        controls={"read": "read"},
    )  # fmt: skip
    outer = function("outer", "b v", {"s": "block/call:output:0"}, call("block/call", "inner", "b", "v"))
    return GraphDef(
        node=[node("serving_x", "Placeholder"), node("w", "VarHandleOp"), call("call", "outer", "serving_x", "w")],
        library=FunctionDefLibrary(function=[inner, outer]),
    )


def test_calls_are_opened_in_their_scopes_and_nodes_know_where_they_come_from():
    model = saved_model(meta(nested(), {"serving_default": signature({"x": "serving_x:0"}, {"y": "call:0"})}))
    [entrance] = of(model)
    assert shape(entrance) == {
        "x": "Placeholder()",
        "w": "VarHandleOp()",
        "block/read": "ReadVariableOp(w)",
        "block/mul": "Mul(x, block/read)",
        "block/out": "Identity(block/mul)",
        "y": "Identity(block/out)",
    }
    places = {entrance.labels.get(name, name): place for name, place in entrance.origins.items()}
    assert places == {
        "x": Place("", "serving_x"),
        "w": Place("", "w"),
        **{f"block/{name}": Place("inner", name) for name in ("read", "mul", "out")},
    }


def test_assignments_in_a_call_are_there_although_no_output_needs_it():
    step = function("step", "a v", {"r": "a"}, node("add", "AssignAddVariableOp", "v", "a"), controls={"add": "add"})
    graph = GraphDef(
        node=[node("x", "Placeholder"), node("v", "VarHandleOp"), call("call", "step", "x", "v")],
        library=FunctionDefLibrary(function=[step]),
    )
    [entrance] = of(saved_model(meta(graph, {"train": signature({"x": "x:0"}, {"y": "call:0"})})))
    assert shape(entrance)["add"] == "AssignAddVariableOp(v, x)"


def test_nodes_that_wait_for_an_effect_keep_it_and_those_that_wait_for_reads_do_not():
    graph = graph_of("x = Placeholder", "v = VarHandleOp", "r = ReadVariableOp(v)", "a = AssignVariableOp(v, x)",
                     "w = NoOp(^a)", "n = NoOp(^r)", "p = Print(x)", "m = NoOp(^p)",
                     "y = Add(x, p, ^w, ^n, ^m)")  # fmt: skip
    [entrance] = of(saved_model(meta(graph, {"serve": signature({"x": "x:0"}, {"y": "y:0"})})))
    assert not {"n", "r", "m"} & {*shape(entrance)}
    assert shape(entrance)["w"] == "NoOp(^a)"


def test_recursive_and_damaged_functions_stay_calls():
    loop = function("loop", "a", {"r": "again:output:0"}, call("again", "loop", "a"))
    damaged = function("damaged", "a", {"r": "gone:z:0"})
    graph = GraphDef(
        node=[node("x", "Placeholder"), call("p", "loop", "x"), call("q", "damaged", "p"), call("z", "missing", "q")],
        library=FunctionDefLibrary(function=[loop, damaged]),
    )
    [entrance] = of(saved_model(meta(graph, {"serve": signature({"x": "x:0"}, {"y": "z:0"})})))
    ops = {name: text.partition("(")[0] for name, text in shape(entrance).items()}
    assert {name for name, op in ops.items() if op == "StatefulPartitionedCall"} == {"again", "q", "z"}


@pytest.mark.parametrize("tensor", ["gone:0", "x:0:0:0", ""])
def test_signatures_of_missing_tensors_are_left_out(tensor):
    graph = graph_of("x = Placeholder", "y = Relu(x)")
    signatures = {"good": signature({"x": "x:0"}, {"y": "y:0"}), "bad": signature({"x": "x:0"}, {"y": tensor})}
    assert [entrance.name for entrance in of(saved_model(meta(graph, signatures)))] == ["good"]


def test_an_input_of_one_output_among_several_leaves_the_others():
    graph = graph_of("s = Split", "a = Relu(s:1)", "b = Add(a, s)")
    [entrance] = of(saved_model(meta(graph, {"f": signature({"x": "s:1"}, {"y": "b:0"})})))
    assert shape(entrance)["a"] == "Relu(x)" and shape(entrance)["b"] == "Add(a, s)"


def test_other_meta_graphs_have_their_tags_and_no_origins():
    graph = graph_of("x = Placeholder", "y = Relu(x)")
    one = {"serving_default": signature({"x": "x:0"}, {"y": "y:0"})}
    found = of(saved_model(meta(graph, one), meta(graph, one, "train")))
    assert [(entrance.name, entrance.tags, bool(entrance.origins)) for entrance in found] == [
        ("serving_default", "", True),
        ("serving_default", "train", False),
    ]


def test_a_training_graph_has_an_inference_and_a_training_part():
    graph = graph_of(
        "x = Placeholder", "labels = Placeholder", "w = VariableV2", "r = Identity(w)", "y = MatMul(x, r)",
        "scores = Softmax(y)", "loss = SoftmaxCrossEntropyWithLogits(y, labels)",
        "gradients/g = MatMul(x, loss:1)", "rate = Const", "step = ApplyGradientDescent(w, rate, gradients/g)",
        "train = NoOp(^step)", "save/names = Const", "save/SaveV2 = SaveV2(save/names, r)",
    )  # fmt: skip
    [inference, training] = of(graph)
    assert [part.kind for part in (inference, training)] == ["inference", "training"]
    assert {*shape(inference)} >= {"x", "y", "scores"} and not {*shape(inference)} & {"loss", "step", "gradients/g"}
    assert {*shape(training)} >= {"x", "y", "loss", "gradients/g", "step"} and "save/SaveV2" not in shape(training)


def test_a_graph_of_which_everything_is_needed_has_no_entrance():
    assert of(graph_of("x = Placeholder", "y = Relu(x)")) == []


def test_functions_of_a_model_without_signatures_are_entrances():
    found = of(test_function_signatures.saved_model(__call__=["f"], score=["g"]))
    assert [(entrance.kind, entrance.name) for entrance in found] == [("callable", "__call__"), ("callable", "score")]
    assert shape(found[0])["z"] == "Mul(x, read)"
