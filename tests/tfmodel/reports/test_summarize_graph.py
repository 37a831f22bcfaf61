"""The lines of `summarize_graph`, written from its description, not from its output: see `compat.py`."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from tests.tfmodel.models import graph as small_graph
from tests.tfmodel.models import shape as shape_of
from tests.tfmodel.parameters.graphs import const, function, graph, node, variable
from tfmodel.errors import GraphError
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorShapeProto
from tfmodel.reports.summary import compat_lines, structure_lines
from tfmodel.reports.summary.summarize_graph import human_readable


def lines(model, path="g.pb", **options):
    return list(compat_lines(model, path, **options))


def placeholder(name, **attrs):
    return NodeDef(name=name, op="Placeholder", attr=attrs)


def test_a_whole_graph():
    assert lines(small_graph(), "dir/model.pb", structure=True) == [
        "Found 1 possible inputs: (name=x, type=float(1), shape=[?,4]) ",
        "No variables spotted.",
        "Found 1 possible outputs: (name=y, op=Relu) ",
        "Found 4 (4) const parameters, 0 (0) variable parameters, and 1 control_edges",
        "1 nodes assigned to device '/cpu:0'",
        "Op types used: 1 AddV2, 1 Const, 1 MatMul, 1 Placeholder, 1 Relu",
        "To use with tensorflow/tools/benchmark:benchmark_model try these arguments:",
        "bazel run tensorflow/tools/benchmark:benchmark_model -- --graph=dir/model.pb --show_flops --input_layer=x "
        "--input_layer_type=float --input_layer_shape=-1,4 --output_layer=y",
        "weights (Const): [], value=Tensor<type: float shape: [1,4] values: 0.5 0.5 0.5...>",
        "x (Placeholder): []",
        "layer/MatMul (MatMul): [x, weights]",
        "y (Relu): [layer/MatMul, ^x]",
    ]


def test_an_empty_graph():
    assert lines(GraphDef()) == [
        "No inputs spotted.",
        "No variables spotted.",
        "No outputs spotted.",
        "Found 0 (0) const parameters, 0 (0) variable parameters, and 0 control_edges",
        "Op types used: ",
        "To use with tensorflow/tools/benchmark:benchmark_model try these arguments:",
        "bazel run tensorflow/tools/benchmark:benchmark_model -- --graph=g.pb --show_flops --input_layer= "
        "--input_layer_type= --input_layer_shape= --output_layer=",
    ]


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({}, "type=INVALID(0), shape=None"),
        ({"dtype": AttrValue(i=3)}, "type=INVALID(0), shape=None"),
        ({"dtype": AttrValue(type=DataType.DT_DOUBLE)}, "type=double(2), shape=None"),
        ({"dtype": AttrValue(type=DataType.DT_HALF)}, "type=half(19), shape=None"),
        ({"dtype": AttrValue(type=DataType.DT_FLOAT_REF)}, "type=float_ref(101), shape=None"),
        (
            {
                "dtype": AttrValue(type=DataType.DT_QUINT8),
                "shape": AttrValue(shape=TensorShapeProto(unknown_rank=True)),
            },
            "type=quint8(12), shape=<unknown>",
        ),
        (
            {"dtype": AttrValue(type=DataType.DT_STRING), "shape": AttrValue(shape=shape_of())},
            "type=string(7), shape=[]",
        ),
        (
            {"dtype": AttrValue(type=DataType.DT_INT32), "shape": AttrValue(shape=shape_of(-1, 299, 3))},
            "type=int32(3), shape=[?,299,3]",
        ),
    ],
)
def test_an_input(attrs, expected):
    assert lines(graph(placeholder("p", **attrs)))[0] == f"Found 1 possible inputs: (name=p, {expected}) "


def test_old_variables_are_listed_with_their_elements():
    model = graph(variable("a", 2, 3, op="Variable"), variable("b", 1000, 1000, op="VariableV2"), variable("c", 7))
    output = lines(model)
    assert output[1] == (
        "Found 2 variables: (name=a, type=float(1), shape=[2,3]) (name=b, type=float(1), shape=[1000,1000]) "
    )
    ends = "(name=a, op=Variable) (name=b, op=VariableV2) (name=c, op=VarHandleOp) "
    assert output[2] == f"Found 3 possible outputs: {ends}"
    assert output[3] == "Found 0 (0) const parameters, 1000006 (1.00M) variable parameters, and 0 control_edges"
    assert "--input_layer=a,b --input_layer_type=float,float --input_layer_shape=2,3:1000,1000 " in output[-1]


def test_outputs_have_no_users_and_no_control_outputs():
    model = graph(placeholder("p"), "a = Relu(p)", "b = Relu(p)", "c = NoOp(^b)", "d = PlaceholderWithDefault(b)")
    assert lines(model)[2] == "Found 2 possible outputs: (name=a, op=Relu) (name=d, op=PlaceholderWithDefault) "


def test_ops_of_functions_count_and_the_most_frequent_come_first():
    body = function("f", "x", {"y": "n:y:0"}, "n = Neg(x)", "m = Neg(x)")
    model = graph(const("c"), "b = Abs(c)", "a = Neg(c)", functions=(body,))
    assert "Op types used: 3 Neg, 1 Abs, 1 Const" in lines(model)


def test_a_line_for_each_device():
    model = graph(*(node(f"n{index} = Abs()") for index in range(3)))
    for node_def, device in zip(model.node, ("/gpu:0", "/cpu:0", "/gpu:0"), strict=True):
        node_def.device = device
    assert lines(model)[4:6] == ["1 nodes assigned to device '/cpu:0'", "2 nodes assigned to device '/gpu:0'"]


def test_missing_inputs_end_the_output():
    output = compat_lines(graph("a = Abs(b:1)", "c = Add(a, ^d)"))
    assert list(islice(output, 4, 6)) == ["Invalid input b:1 for node a", "Invalid input ^d for node c"]
    with pytest.raises(GraphError, match="Invalid graph with inputs referring to nonexistent nodes"):
        next(output)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.00k"),
        (1234, "1.23k"),
        (999_999, "1000.00k"),
        (1_234_567, "1.23M"),
        (23_885_411, "23.89M"),
        (1_999_999_999, "2.00B"),
        (7 * 10**12, "7.00T"),
        (10**15, "1E+15"),
        (1_234 * 10**15, "1.23E+18"),
    ],
)
def test_readable_numbers(count, text):
    assert human_readable(count) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.25), "float shape: [] values: 0.25"),
        (np.int32([1, 2, 3]), "int32 shape: [3] values: 1 2 3"),
        (np.int64([[1, 2], [3, 4]]), "int64 shape: [2,2] values: 1 2 3..."),
        (np.bool_([True, False]), "bool shape: [2] values: 1 0"),
        (np.array([b"a\x1b"], dtype=object), "string shape: [1] values: a\\x1b"),
    ],
)
def test_the_value_of_a_constant(value, expected):
    assert list(structure_lines(graph(const("c", value)))) == [f"c (Const): [], value=Tensor<type: {expected}>"]


def test_a_constant_without_a_value():
    (line,) = structure_lines(graph(NodeDef(name="c", op="Const")))
    assert line == 'c (Const): [], value=<Const "c" has no attribute "value">'


def test_a_cyclic_graph_has_no_structure():
    with pytest.raises(GraphError, match="cycle"):
        list(structure_lines(graph("a = Abs(b)", "b = Abs(a)")))
