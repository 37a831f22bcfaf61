"""`tfmodel.find`: the nodes that match, compared with a slow and plain reader on random graphs, and the report."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfmodel
from tests.support.strategies_graphs import graphs
from tests.tfmodel import models
from tests.tfmodel.graph.samples import graph_of
from tests.tfmodel.reports.query_brute_force import BruteForce
from tfmodel.messages import AttrValue, DataType, FunctionDefLibrary, GraphDef, NameAttrList, NodeDef, TensorShapeProto
from tfmodel.reports.query import Chain, parse_query

GRAPH = graph_of(
    """
    x          Placeholder
    w          Const
    conv_1     Conv2D       x w
    conv_2     Conv2D       conv_1 w
    Block/add  AddV2        conv_1 conv_2
    relu       Relu         Block/add
    split      Split        relu
    top        Relu         split:1 ^conv_2
    alone      NoOp
    """
)

FLOAT = {"T": AttrValue(type=DataType.DT_FLOAT)}


def found(query, graph=GRAPH):
    return " ".join(tfmodel.find(graph, query).names)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        # words and fields
        ("conv", "conv_1 conv_2"),
        ("BLOCK", "Block/add"),
        ("conv_?", "conv_1 conv_2"),
        ("*o*", "conv_1 conv_2 Block/add top alone"),
        ("x|top", "x top"),
        ("name=conv_1", "conv_1"),
        ("name=conv", ""),
        ("op=Relu|NoOp", "relu top alone"),
        ("op!=Conv2D op!=Const op!=Relu", "x Block/add split alone"),
        ("input=conv_2", "Block/add top"),
        ("inputs=2", "conv_1 conv_2 Block/add"),
        ("controls>0", "top"),
        ("consumers=0", "top alone"),
        ("consumers>=2 not op=Const", "conv_1 conv_2"),
        ("conv or relu", "conv_1 conv_2 relu"),
        ("not (conv or relu or op=Const)", "x Block/add split top alone"),
        # places
        ("upstream of relu", "x w conv_1 conv_2 Block/add"),
        ("upstream of relu within 1", "Block/add"),
        ("upstream of relu:0 within 2", "conv_1 conv_2 Block/add"),
        ("downstream of conv_2", "Block/add relu split top"),
        ("downstream of (alone or top)", ""),
        ("path conv_1 to relu", "conv_1 conv_2 Block/add relu"),
        ("path relu to conv_1", ""),
        ("path x to x", "x"),
        # patterns
        ("Conv2D -> Conv2D", "conv_1 conv_2"),
        ("Conv2D -> AddV2 -> Relu", "conv_1 conv_2 Block/add relu"),
        ("Conv2D -> Relu", ""),  # a control edge is not part of a pattern
        ("* -> Split -> *", "relu split top"),
        ("(name=conv_1) -> *", "conv_1 conv_2 Block/add"),
        ("Const -> Conv2D conv_2", "conv_2"),
    ],
)
def test_nodes(query, names):
    assert found(query) == names


STRIDES = AttrValue(list=AttrValue.ListValue(i=[1, 2, 2, 1]))
RATE = AttrValue(f=struct.unpack("<f", struct.pack("<f", 0.1))[0])
SHAPE = AttrValue(shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=2), TensorShapeProto.Dim(size=-1)]))
HALF = AttrValue(type=DataType.DT_HALF)
SAME, TRUE, FIVE = AttrValue(s=b"SAME"), AttrValue(b=True), AttrValue(i=5)
FUNCTION = AttrValue(func=NameAttrList(name="body"))


@pytest.mark.parametrize(
    ("attr", "query", "is_found"),
    [
        (STRIDES, "attr.a=2", True),
        (STRIDES, "attr.a=3", False),
        (STRIDES, "attr.a!=3", True),
        (STRIDES, "attr.a=[1,2,2,1]", True),
        (STRIDES, "attr.a=[1,2]", False),
        (STRIDES, "attr.a>1", True),
        (STRIDES, "attr.a>2", False),
        (STRIDES, "attr.a", True),
        (STRIDES, "attr.b", False),
        (STRIDES, "attr.b!=1", False),
        (FIVE, "attr.a=5", True),
        (FIVE, "attr.a<5", False),
        (RATE, "attr.a=0.1", True),
        (RATE, "attr.a=0.10000000149011612", True),
        (RATE, "attr.a>=0.2", False),
        (SAME, "attr.a=SAME|VALID", True),
        (SAME, "attr.a=S*", True),
        (SAME, "attr.a=same", False),
        (TRUE, "attr.a=true", True),
        (TRUE, "attr.a=False", False),
        (HALF, "attr.a=float16", True),
        (HALF, "attr.a=DT_HALF", True),
        (HALF, "attr.a=float*", True),
        (HALF, "attr.a=float", False),
        (SHAPE, "attr.a=2,?", True),
        (SHAPE, "attr.a=?,3", False),
        (FUNCTION, "attr.a=body", True),
    ],
)
def test_attributes(attr, query, is_found):
    graph = GraphDef(node=[NodeDef(name="n", op="Custom", attr={"a": attr})])
    assert bool(tfmodel.find(graph, query)) == is_found


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("shape=?,4", "x weights"),
        ("shape=-1,4", "x"),
        ("shape=[?,1]", "layer/MatMul y"),
        ("shape=1,4", "weights"),
        ("shape=*", "x weights layer/MatMul y"),
        ("shape=*,4", "x weights"),
        ("shape=?,...,1", "layer/MatMul y"),
        ("shape!=?,4", "layer/MatMul y"),
        ("shape=[]", ""),
        ("size=16", "weights"),
        ("size>16", ""),
        ("dtype=float32", "x weights layer/MatMul y sum"),
        ("dtype=float dtype!=DT_HALF", "x weights layer/MatMul y sum"),
        ("dtype=int*", ""),
        ("outputs=1 function=double", "sum"),
        ('outputs=1 function=""', "x weights layer/MatMul y"),
    ],
)
def test_outputs(query, names):
    assert found(query, models.graph()) == names


QUERIES = [
    "op=Relu|Add*",
    "op!=Const inputs>1",
    "consumers=0 or controls>0",
    "not (op=Const or op=Identity)",
    "_1",
    "Const -> *",
    "* -> * -> *",
    "(inputs>=2) -> (inputs=1 or controls=1)",
    "upstream of (op=Add*)",
    "upstream of (consumers=0) within 2",
    "downstream of (op=Const) within 3 not op=Const",
    "path (op=Const) to (inputs>1)",
    "downstream of (* -> Merge) or upstream of (op=Switch)",
    "input=*1 function=*",
]


@given(graphs(), st.sampled_from(QUERIES))
def test_random_graphs_against_brute_force(graph, query):
    report = tfmodel.find(graph, query)
    parsed = parse_query(query)
    functions = graph.library.function if graph.library is not None else []
    bodies = [BruteForce(graph.node), *(BruteForce(f.node_def, f.signature.name) for f in functions)]
    expected = {(body.function, name) for body in bodies for name in body.find(parsed)}
    assert {(row.function, row.name) for row in report} == expected
    if isinstance(parsed, Chain):
        chains = {(body.function, chain) for body in bodies for chain in body.chains(parsed)}
        assert {(chain[0].function, tuple(row.name for row in chain)) for chain in report.chains} == chains


def test_a_function_that_is_called_with_several_shapes():
    """A shape is found if a call has it, and shown as far as all calls agree."""
    graph = models.graph()
    graph.node += [
        NodeDef(name="a", op="double", input=["x"]),
        NodeDef(name="b", op="double", input=["layer/MatMul"]),
    ]
    assert found("shape=?,1 function=double", graph) == found("shape=?,4 function=double", graph) == "sum"
    assert tfmodel.find(graph, "name=sum")[0].shapes == [(None, None)]


# --- the report ------------------------------------------------------------------------------------------------------


def test_the_text():
    assert tfmodel.find(models.graph(), "op=MatMul or function=double").to_text() == (
        "layer/MatMul  MatMul  float32[?,1]  x, weights  transpose_b\n"
        "function double:\n"
        "  sum  AddV2  float32  x, x\n"
        "\n"
        "2 nodes\n"
    )


def test_the_text_of_a_pattern():
    assert tfmodel.find(GRAPH, "Conv2D -> AddV2").to_text() == (
        "conv_1 -> Block/add\nconv_2 -> Block/add\n\n2 matches: 3 nodes\n"
    )


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("op=conv2d", 'there is no op "conv2d"; did you mean "Conv2D"?'),
        ("placeholder", 'no name has the part "placeholder"; to find nodes by op, write op=Placeholder'),
        ("upstream of relo", 'there is no node "relo"; did you mean "relu"?'),
        ("path x to nowhere", 'there is no node "nowhere"'),
    ],
)
def test_an_empty_result_says_why(query, hint):
    assert tfmodel.find(GRAPH, query).to_text() == f"no node matches: {hint}\n"


def test_an_empty_result_without_a_reason():
    assert tfmodel.find(GRAPH, "conv op=Relu").to_text() == "no node matches\n"


def test_the_json():
    document = json.loads(tfmodel.find(models.graph(), "MatMul -> Relu").to_json())
    assert document["query"] == "MatMul -> Relu"
    assert document["chains"] == [{"function": "", "nodes": ["layer/MatMul", "y"]}]
    assert document["nodes"][1] == {
        "name": "y",
        "op": "Relu",
        "function": "",
        "device": "/cpu:0",
        "inputs": ["layer/MatMul", "^x"],
        "outputs": [{"dtype": "float32", "shape": [None, 1]}],
    }


def test_names_are_safe_to_print():
    graph = GraphDef(node=[NodeDef(name="a\x1b[31m", op="NoOp\x1b")])
    assert "\x1b" not in tfmodel.find(graph, "op=*").to_text()
    assert list(tfmodel.find(graph, "op=*").lines(names_only=True)) == ["a\\x1b[31m"]


def test_patterns_with_very_many_matches_are_cut():
    """Sixty layers of three nodes each have 3**60 chains."""
    nodes = [
        NodeDef(name=f"n{i}_{j}", op=f"L{i}", input=[f"n{i - 1}_{k}" for k in range(3)] if i else [])
        for i in range(60)
        for j in range(3)
    ]
    report = tfmodel.find(GraphDef(node=nodes), " -> ".join(f"L{i}" for i in range(60)))
    assert (len(report), len(report.chains)) == (180, 1_000)
    assert report.to_text().endswith("the first 1,000 matches: 180 nodes\n")


def test_a_broken_graph_is_searched():
    graph = GraphDef(
        node=[NodeDef(name="a", op="Relu", input=["missing", "^", "a:x:y"], attr=FLOAT), NodeDef(name="a", op="Relu")]
    )
    assert found("op=Relu", graph) == "a a"
    assert found("upstream of a or downstream of a or * -> * or shape=? or dtype=float32", graph) == "a"


def test_a_library_without_names_is_searched():
    graph = GraphDef(node=[NodeDef(name="a", op="x")], library=FunctionDefLibrary())
    assert found("function=*", graph) == "a"


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("dtype=flot32", 'there is no type "flot32"; did you mean "float32"?'),
        ("dtype=DT_FLOT", 'there is no type "DT_FLOT"'),
        ("dtype=int8", ""),
        ("dtype!=flot32 name=nothing", 'there is no type "flot32"; did you mean "float32"?'),
    ],
)
def test_a_type_that_does_not_exist_is_named(query: str, hint: str) -> None:
    assert hint in tfmodel.find("tests/data/convnet.pb", query).to_text()


@pytest.mark.parametrize("query", ["attr.stides=2", "attr.stides", "op=Conv2D attr.stides=2"])
def test_an_attribute_that_no_node_has_is_named(query: str) -> None:
    report = tfmodel.find("tests/data/convnet.pb", query)
    assert report.to_text().strip() == 'no node matches: no node has an attribute "stides"; did you mean "strides"?'
