"""`GraphEditor`: nodes are added, inserted, replaced, renamed and removed; the graph that was given does not change."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfmodel
from tests.tfmodel import models
from tests.tfmodel.transforms.graph_notation import graph, nodes
from tfmodel import GraphEditor, GraphError
from tfmodel.graph import check_graph
from tfmodel.messages import (
    AttrValue,
    CollectionDef,
    DataType,
    GraphDef,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    SaverDef,
    SignatureDef,
    TensorInfo,
    VariableDef,
)
from tfmodel.ops import OPS

CHAIN = """
    x = Placeholder[dtype=float, shape=(-1, 2)]
    a = Relu(x)[T=float]
    b = Neg(a)[T=float]
    y = Exp(b, ^a)[T=float]
"""
FUNCTION = """
    x = Placeholder[dtype=float, shape=(2)]
    y = f(x)
    f: (v: float) -> (r: float = b:y:0)
    f: a = Relu(v)[T=float]
    f: b = Neg(a:activations:0)[T=float]
"""
X = np.array([[1.0, -2.0], [0.5, 3.0]], np.float32)


def edit(text: str = CHAIN, function: str = "") -> GraphEditor:
    return GraphEditor(graph(text), function)


def run(editor: GraphEditor, fetch: str = "y", x: np.ndarray = X) -> np.ndarray:
    result = editor.model.run({"x": x}, fetch)[fetch]
    assert isinstance(result, np.ndarray)
    return result


# --- adding ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "inputs", "given", "attributes"),
    [
        ("Relu", ["x"], {}, "[T=float]"),
        ("Cast", ["x"], {"DstT": "float16"}, "[SrcT=float, DstT=half, Truncate=false]"),
        ("Pack", ["x", "x"], {}, "[T=float, N=2, axis=0]"),
        ("IdentityN", ["x", "n"], {}, "[T=[float, int32]]"),
        ("ConcatV2", ["x", "x", "n"], {}, "[T=float, N=2, Tidx=int32]"),
        ("Reshape", ["x", "n"], {}, "[T=float, Tshape=int32]"),
        ("ArgMax", ["x", "n"], {"output_type": np.int32}, "[T=float, Tidx=int32, output_type=int32]"),
        ("Squeeze", ["x"], {"squeeze_dims": [1]}, "[T=float, squeeze_dims=[1]]"),
        ("Placeholder", [], {"dtype": "DT_FLOAT", "shape": [None, 3]}, "[dtype=float, shape=(-1, 3)]"),
        ("Placeholder", [], {"dtype": DataType.DT_INT32, "shape": None}, "[dtype=int32, shape=?]"),
        ("Relu", ["x"], {"_note": "mine"}, '[T=float, _note="mine"]'),
    ],
)
def test_attributes_follow_from_inputs_and_defaults(op, inputs, given, attributes):
    editor = edit()
    editor.const("n", [0])
    assert editor.node("new", op, inputs, **given) == "new"
    expected = nodes(f"new = {op}({', '.join(inputs)}){attributes}")[0]
    assert editor["new"] == expected


@pytest.mark.parametrize(
    ("op", "inputs", "given", "problem"),
    [
        ("Rellu", ["x"], {}, 'there is no op "Rellu"; did you mean "Relu"?'),
        ("Relu", ["z"], {}, 'there is no node "z"'),
        ("Relu", ["x:1"], {}, 'Placeholder "x" has no output 1'),
        ("Relu", ["^x"], {}, '"^x" is not a tensor'),
        ("Relu", [], {}, 'Relu "new" has 0 inputs, and the op takes features'),
        ("Relu", ["x", "x"], {}, 'Relu "new" has 2 inputs'),
        ("AddV2", ["x", "n"], {}, 'its input "n" is int32, and y must be float32'),
        ("Cast", ["x"], {}, 'Cast "new" needs the attribute "DstT", type: give it'),
        ("Cast", ["x"], {"DstT": "flaot"}, '"flaot" is not the name of a type'),
        ("MatMul", ["x", "x"], {"transpose_c": True}, 'has no attribute "transpose_c"; did you mean "transpose_b"?'),
        ("MatMul", ["x", "x"], {"transpose_a": 1}, "expected True or False, got 1"),
        ("MaxPool", ["x"], {"ksize": [1], "strides": [1, 1, 1, 1], "padding": "SAME"}, "1 elements, less than 4"),
        ("MaxPool", ["x"], {"ksize": 1, "strides": [1], "padding": "SAME"}, "expected a list, got 1"),
        ("Conv2D", ["x", "x"], {"strides": [1] * 4}, "give one of SAME, VALID, EXPLICIT"),
        ("Conv2D", ["x", "x"], {"strides": [1] * 4, "padding": "SAM"}, '"SAM", not one of "SAME"'),
        ("Placeholder", [], {"dtype": "float", "shape": [-2]}, "a size is -1 or more"),
        ("Const", [], {"dtype": "float", "value": None}, "value"),
        ("Relu", ["x"], {"_note": object()}, '"_note" is not declared'),
    ],
)
def test_nodes_that_no_op_allows(op, inputs, given, problem):
    editor = edit()
    editor.const("n", [0])
    with pytest.raises(GraphError) as caught:
        editor.node("new", op, inputs, **given)
    assert problem in str(caught.value)
    assert "new" not in editor


@pytest.mark.parametrize(("name", "problem"), [("a", "is taken"), ("", "is not the name"), ("_a", "is not the name")])
def test_names_that_no_new_node_can_have(name, problem):
    with pytest.raises(GraphError, match=problem):
        edit().node(name, "NoOp")


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (0.5, None, DataType.DT_FLOAT),
        ([1, 2], None, DataType.DT_INT32),
        (2**40, None, DataType.DT_INT64),
        (np.float64(1), None, DataType.DT_DOUBLE),
        ([1, 2], "int64", DataType.DT_INT64),
        (True, None, DataType.DT_BOOL),
        (["a", b"b"], None, DataType.DT_STRING),
    ],
)
def test_constants_have_the_types_of_tensorflow(value, dtype, expected):
    editor = edit()
    editor.const("c", value, dtype=dtype)
    assert editor.dtype("c") == expected
    assert editor["c"].attr["dtype"].type == expected


def test_new_nodes_stand_behind_their_inputs():
    editor = edit()
    editor.node("late", "Neg", ["y"])
    editor.node("early", "Neg", ["x"])
    editor.node("later", "Neg", ["early"])
    assert [node.name for node in editor.graph.node] == ["x", "early", "later", "a", "b", "y", "late"]


# --- connecting ------------------------------------------------------------------------------------------------------


def test_an_inserted_node_takes_the_consumers():
    editor = edit()
    half = editor.const("half", 0.5)
    assert editor.insert_after("b", "Mul", [half]) == "b/Mul"
    assert editor["y"].input == ["b/Mul", "^a"]
    np.testing.assert_allclose(run(editor), np.exp(-np.maximum(X, 0) / 2), rtol=1e-6)


def test_an_inserted_node_has_the_tensor_at_a_position():
    editor = edit()
    editor.insert_after("b", "Sub", [editor.const("one", 1.0)], position=1, name="minus")
    assert editor["minus"].input == ["one", "b"]


def test_a_node_is_inserted_for_some_consumers():
    editor = edit()
    editor.node("z", "Neg", ["b"])
    editor.insert_after("b", "Abs", consumers=["z"])
    assert editor["z"].input == ["b/Abs"]
    assert editor["y"].input == ["b", "^a"]
    with pytest.raises(GraphError, match='Relu "a" does not take "b"'):
        editor.insert_after("b", "Abs", consumers=["a"])


def test_a_consumer_of_another_type_is_an_error():
    with pytest.raises(GraphError, match='"b/Cast" is int32, and "b" is float32: "y" cannot take it'):
        edit().insert_after("b", "Cast", DstT="int32")


def test_the_output_of_the_model_follows_an_inserted_node():
    model = tfmodel.Model(with_signature(CHAIN))
    editor = model.edit()
    editor.insert_after("y", "Sqrt")
    assert [end.tensor for end in editor.model.outputs] == ["y/Sqrt:0"]
    editor.rename("y/Sqrt", "root")
    assert [end.tensor for end in editor.model.outputs] == ["root:0"]


def test_replaced_tensors_and_inputs():
    editor = edit()
    editor.replace_tensor("a", "x")
    assert editor["b"].input == ["x"]
    editor.set_inputs("y", ["x"], controls=["b"])
    assert editor["y"].input == ["x", "^b"]


# --- changing --------------------------------------------------------------------------------------------------------


def test_another_op_keeps_the_attributes_that_it_has():
    editor = edit()
    editor.set_attribute("a", "_note", 3)
    editor.replace_node("a", "LeakyRelu", alpha=0.25)
    assert editor["a"].attr == {
        "T": AttrValue(type=DataType.DT_FLOAT),
        "_note": AttrValue(i=3),
        "alpha": AttrValue(f=0.25),
    }
    np.testing.assert_allclose(run(editor, "a"), np.where(X < 0, X / 4, X))


def test_attributes_are_set_and_removed():
    editor = edit("    x = Placeholder[dtype=float]\n    y = MatMul(x, x)[T=float]")
    editor.set_attribute("y", "transpose_a", True)
    assert editor["y"].attr["transpose_a"].b is True
    editor.remove_attribute("y", "transpose_a")
    assert "transpose_a" not in editor["y"].attr
    with pytest.raises(GraphError, match='needs the attribute "T": it has no default'):
        editor.remove_attribute("y", "T")


def test_types_that_no_longer_fit_are_found_at_the_end():
    editor = edit()
    editor.set_attribute("b", "T", "int32")
    with pytest.raises(GraphError, match="int32"):
        _ = editor.graph


def test_a_cycle_is_found_at_the_end():
    editor = edit()
    editor.set_inputs("a", ["b"])
    with pytest.raises(GraphError, match="waits for itself"):
        _ = editor.graph


# --- removing --------------------------------------------------------------------------------------------------------


def test_a_node_in_use_is_not_removed():
    editor = edit()
    with pytest.raises(GraphError, match='Neg "b" is used by "y": remove these too, or reconnect them'):
        editor.remove("b")
    editor.remove("b", "y")
    assert [*editor.nodes] == ["x", "a"]


def test_consumers_take_the_input_of_a_removed_node():
    editor = edit()
    editor.remove("b", reconnect=True)
    assert editor["y"].input == ["a", "^a"]
    np.testing.assert_allclose(run(editor), np.exp(np.maximum(X, 0)), rtol=1e-6)


def test_a_chain_of_removed_nodes():
    editor = edit()
    editor.remove("a", "b", reconnect=True)
    assert editor["y"].input == ["x"]


def test_nodes_wait_for_what_a_removed_node_waited_for():
    editor = edit("""
        first = NoOp
        second = NoOp(^first)
        third = NoOp(^second)
    """)
    editor.remove("second")
    assert editor["third"].input == ["^first"]


def test_an_output_of_a_signature_is_not_removed():
    editor = tfmodel.Model(with_signature(CHAIN)).edit()
    with pytest.raises(GraphError, match='is used by the signature "serving_default"'):
        editor.remove("y")
    editor.remove("y", reconnect=True)
    assert [end.tensor for end in editor.model.outputs] == ["b:0"]


def test_colocation_with_a_removed_node_is_removed():
    colocated = graph("""
        x = Placeholder[dtype=float]
        a = Relu(x)[T=float]
        y = Neg(x)[T=float, _class=["loc:@a", "loc:@x"]]
    """)
    editor = GraphEditor(colocated)
    editor.remove("a")
    listed = editor.graph.node[1].attr["_class"].list
    assert listed is not None
    assert listed.s == [b"loc:@x"]


# --- names -----------------------------------------------------------------------------------------------------------


def test_references_follow_new_names():
    editor = edit()
    editor.rename({"a": "b", "b": "a"})
    editor.rename("x", "image")
    assert [(node.name, node.input) for node in editor.graph.node] == [
        ("image", []),
        ("b", ["image"]),
        ("a", ["b"]),
        ("y", ["a", "^b"]),
    ]


def test_a_name_that_is_taken():
    with pytest.raises(GraphError, match='the name "b" is taken'):
        edit().rename("a", "b")
    with pytest.raises(GraphError, match="two nodes would have one name"):
        edit().rename({"a": "c", "b": "c"})


def with_signature(text: str) -> MetaGraphDef:
    inputs = {"image": TensorInfo(name="x:0", dtype=DataType.DT_FLOAT)}
    outputs = {"scores": TensorInfo(name="y:0", dtype=DataType.DT_FLOAT)}
    signature = SignatureDef(inputs=inputs, outputs=outputs, method_name="tensorflow/serving/predict")
    return MetaGraphDef(graph_def=graph(text), signature_def={"serving_default": signature})


def test_the_metagraph_follows_new_names():
    meta = with_signature(CHAIN)
    variable = VariableDef(variable_name="a:0", initializer_name="b", snapshot_name="y:0")
    meta.collection_def = {
        "train_op": CollectionDef(node_list=CollectionDef.NodeList(value=["a", "y:0"])),
        "variables": CollectionDef(bytes_list=CollectionDef.BytesList(value=[variable.to_bytes()])),
        "mine": CollectionDef(bytes_list=CollectionDef.BytesList(value=[b"a"])),
    }
    meta.saver_def = SaverDef(filename_tensor_name="x:0", save_tensor_name="a:0", restore_op_name="b")
    editor = tfmodel.Model(meta).edit()
    editor.rename({"x": "image", "a": "n/a", "y": "out"})
    new = editor.model.meta
    assert new is not None
    assert new.signature_def["serving_default"].inputs["image"].name == "image:0"
    assert new.signature_def["serving_default"].outputs["scores"].name == "out:0"
    collections = tfmodel.source.metagraph.decode_collections(new)
    assert collections["train_op"] == ["n/a", "out:0"]
    assert collections["variables"] == [VariableDef(variable_name="n/a:0", initializer_name="b", snapshot_name="out:0")]
    assert collections["mine"] == [b"a"]
    assert new.saver_def == SaverDef(filename_tensor_name="image:0", save_tensor_name="n/a:0", restore_op_name="b")


@pytest.mark.parametrize("second", [VariableDef(variable_name="y:0"), NodeDef(name="y"), GraphDef()])
def test_an_any_in_a_registered_collection_stays_one(second):
    """TensorFlow writes variables as bytes; other programs may write an Any, of any class."""
    first = VariableDef(variable_name="a:0")
    packed = [models.packed(message) for message in (first, second)]
    meta = with_signature(CHAIN)
    meta.collection_def = {"variables": CollectionDef(any_list=CollectionDef.AnyList(value=packed))}
    editor = tfmodel.Model(meta).edit()
    editor.rename("a", "n/a")
    new = editor.model.meta
    assert new is not None and new.collection_def["variables"].any_list is not None
    collections = tfmodel.source.metagraph.decode_collections(new)
    assert collections["variables"] == [VariableDef(variable_name="n/a:0"), second]


# --- functions -------------------------------------------------------------------------------------------------------


def test_the_body_of_a_function_is_edited_with_the_names_of_graphs():
    editor = edit(FUNCTION, "f")
    editor.insert_after("v", "Abs")
    editor.insert_after("b", "Exp", name="e")
    editor.rename("a", "relu")
    function = editor.graph.library.function[0]  # type: ignore[union-attr]  # the graph has functions
    assert [(node.name, node.input) for node in function.node_def] == [
        ("v/Abs", ["v"]),
        ("relu", ["v/Abs:y:0"]),
        ("b", ["relu:activations:0"]),
        ("e", ["b:y:0"]),
    ]
    assert function.ret == {"r": "e:y:0"}
    np.testing.assert_allclose(
        editor.model.run({"x": np.float32([1, -2])}, "y")["y"], np.exp([-1, -2]).astype(np.float32), rtol=1e-6
    )


def test_a_result_that_no_node_of_the_function_takes_is_replaced():
    editor = edit(FUNCTION, "f")
    editor.replace_tensor("b", "a")
    assert editor.graph.library.function[0].ret == {"r": "a:activations:0"}


def test_a_node_that_runs_with_every_call_of_a_function_is_renamed():
    model = graph(FUNCTION)
    model.library.function[0].control_ret = {"runs": "a"}
    editor = GraphEditor(model, "f")
    editor.rename("a", "first")
    assert editor.graph.library.function[0].control_ret == {"runs": "first"}


def test_a_result_of_a_function_is_not_removed():
    with pytest.raises(GraphError, match='is used by the result "r"'):
        edit(FUNCTION, "f").remove("b")


def test_an_attribute_of_a_function_is_a_function():
    editor = edit(FUNCTION)
    editor.node("call", "PartitionedCall", ["x"], Tout=["float32"], f="f")
    assert editor["call"].attr["f"] == AttrValue(func=NameAttrList(name="f"))


def test_an_unknown_function():
    with pytest.raises(GraphError, match='"g"'):
        edit(FUNCTION, "g")


# --- everything ------------------------------------------------------------------------------------------------------


def test_the_graph_that_is_given_does_not_change():
    given_graph = graph(CHAIN)
    before = given_graph.to_bytes()
    editor = GraphEditor(given_graph)
    editor.insert_after("a", "Abs")
    editor.rename("x", "image")
    editor.set_attribute("b", "_note", 1)
    editor.remove("y")
    assert editor.graph.to_bytes() != before
    assert given_graph.to_bytes() == before


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[str, int, int]]:
    kinds = st.sampled_from(["insert", "rename", "remove", "bypass", "replace", "add", "connect"])
    numbers = st.integers(0, 99)
    return draw(st.lists(st.tuples(kinds, numbers, numbers), max_size=12))


@given(edits())
def test_any_sequence_of_edits_leaves_a_valid_graph(sequence):
    editor = edit()
    for kind, first, second in sequence:
        names = [*editor.nodes]
        one, other = names[first % len(names)], names[second % len(names)]
        try:
            if kind == "insert":
                editor.insert_after(one, "Abs")
            elif kind == "rename":
                editor.rename(one, editor.fresh_name(f"n{second}"))
            elif kind in ("remove", "bypass"):
                editor.remove(one, reconnect=kind == "bypass")
            elif kind == "replace":
                editor.replace_node(one, "Neg")
            elif kind == "add":
                editor.node(editor.fresh_name("sum"), "AddV2", [one, other])
            else:
                editor.replace_tensor(one, other)
        except GraphError:
            continue
        if not editor.nodes:
            break
    try:
        result = editor.graph
    except GraphError as error:
        assert "waits for itself" in str(error)
    else:
        assert check_graph(result, registry=OPS) == []


@given(st.permutations(["x", "a", "b", "y"]))
def test_renaming_forth_and_back_changes_nothing(order):
    editor = edit()
    forth = dict(zip(["x", "a", "b", "y"], order, strict=True))
    editor.rename(forth)
    editor.rename({new: old for old, new in forth.items()})
    assert editor.graph == graph(CHAIN)


@pytest.mark.slow(reason="edits a graph of 50,000 nodes")
def test_a_thousand_edits_of_a_large_graph_take_no_longer_than_reading_it():
    count = 50_000
    attributes = {"T": AttrValue(type=DataType.DT_FLOAT)}
    chain = [NodeDef(name=f"n{i}", op="Neg", input=[f"n{i - 1}"], attr=attributes) for i in range(1, count)]
    start = NodeDef(name="n0", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_FLOAT)})
    large = GraphDef(node=[start, *chain])
    begin = time.process_time()
    check_graph(large, registry=OPS)
    reading = time.process_time() - begin
    begin = time.process_time()
    editor = GraphEditor(large)
    for number in range(1000):
        editor.insert_after(f"n{number * 40}", "Abs")
    assert len(editor.graph.node) == count + 1000
    assert time.process_time() - begin < 10 * reading + 2
