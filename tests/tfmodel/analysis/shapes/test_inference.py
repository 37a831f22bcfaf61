"""Shape inference over a graph: caller's shapes, assumptions, loops, conditionals, functions, errors."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.effort import scaled
from tests.support.strategies_graphs import models, value_of
from tests.tfmodel.graph.samples import graph_of
from tests.tfmodel.models import shape
from tests.tfmodel.transforms.graph_notation import graph as parsed
from tfmodel import GraphError
from tfmodel.analysis.shapes import infer_shapes
from tfmodel.analysis.shapes.inference import says_more
from tfmodel.graph import GraphIndex
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    TensorProto,
    VersionDef,
)
from tfmodel.values.names import TensorName

FLOAT, INT = DataType.DT_FLOAT, DataType.DT_INT32


def ints(*values):
    tensor = TensorProto(dtype=INT, tensor_shape=shape(len(values)), int_val=list(values))
    return {"dtype": INT, "value": tensor}


def number(value):
    return {"dtype": INT, "value": TensorProto(dtype=INT, tensor_shape=shape(), int_val=[value])}


# --- what one asks ---------------------------------------------------------------------------------------------------

SPLIT = """
    axis  Const
    x     Placeholder
    parts Split   axis x
    sum   AddV2   parts:1 parts:0
    mine  MyOp    sum
    after Neg     mine:3
"""


def split(**options):
    attrs = {"axis": number(1), "x": {"shape": [-1, 6], "dtype": FLOAT}, "parts": {"num_split": 2, "T": FLOAT}}
    attrs |= {"sum": {"T": FLOAT}, "after": {"T": FLOAT}}
    return infer_shapes(graph_of(SPLIT, **attrs), **options)


def test_shapes_are_found_by_the_names_of_tensors():
    shapes = split()
    assert shapes["parts:1"] == shapes["parts"] == shapes[TensorName("parts", 1)] == (None, 3)
    assert shapes.of("parts") == [(None, 3), (None, 3)]
    assert shapes.value("axis") == 1
    assert shapes.value("x") is None
    assert shapes.dtype("parts:1") is FLOAT
    assert shapes.problems == []


def test_an_undeclared_op_and_its_consumers_are_unknown():
    shapes = split()
    assert (shapes["mine:7"], shapes["after"], shapes.of("mine"), shapes.dtype("mine")) == (None, None, [], None)


def test_a_missing_tensor_is_an_error_or_none():
    shapes = split()
    with pytest.raises(GraphError, match='there is no node "part"; did you mean "parts"'):
        shapes["part"]
    with pytest.raises(GraphError, match='"\\^parts" is not a tensor'):
        shapes["^parts"]
    assert shapes.get("part") is None


def test_placeholders_get_the_shapes_of_the_caller():
    shapes = split(inputs={"x": (5, 8)})
    assert (shapes["x"], shapes["sum"]) == ((5, 8), (5, 4))


def test_the_caller_can_set_the_shape_of_any_tensor():
    shapes = split(inputs={"mine:3": (2, -1), TensorName("parts", 1): None})
    assert shapes["after"] == (2, None)
    assert shapes.of("parts") == [(None, 3), None]


def test_a_batch_size_is_the_first_dimension_of_placeholders():
    assert split(batch_size=7)["sum"] == (7, 3)
    assert split(batch_size=2, inputs={"x": (2, 6)})["sum"] == (2, 3)
    with pytest.raises(GraphError, match="batch_size is 7, but no input has a shape whose first dimension is open"):
        split(batch_size=7, inputs={"x": (2, 6)})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"inputs": {"y": (1,)}}, GraphError, 'there is no node "y"'),
        ({"inputs": {"parts:2": (1,)}}, GraphError, 'Split "parts" has no output "parts:2"'),
        ({"inputs": {"^x": (1,)}}, GraphError, 'has no output "\\^x"'),
        ({"inputs": {"x": (-2,)}}, ValueError, "sizes must be >= 0"),
        ({"batch_size": -1}, ValueError, "batch_size must be >= 0, got -1"),
    ],
)
def test_wrong_requests_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        split(**options)


def test_output_shapes_attributes_are_trusted_only_on_request():
    graph = graph_of("x Placeholder\nmine MyOp x\ny Neg x", x={"shape": [2]})
    for name, claimed in (("mine", [4]), ("y", [9])):
        graph.node[{"mine": 1, "y": 2}[name]].attr["_output_shapes"] = AttrValue(
            list=AttrValue.ListValue(shape=[shape(*claimed)])
        )
    assert infer_shapes(graph)["mine"] is None
    trusting = infer_shapes(graph, trust_output_shapes=True)
    assert (trusting["mine"], trusting["y"]) == ((4,), (2,))


def written(*sizes):
    return AttrValue(list=AttrValue.ListValue(shape=[shape(*sizes)]))


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize(
    ("op", "sizes", "expected"),
    [("Relu", (-1, 3), False), ("Relu", (7, 3), True), ("Relu", (8, 8, 8), False), ("Mystery", (5,), True)],
)
def test_output_shapes_that_say_no_more_than_inference_are_known_to_change_nothing(op, sizes, expected, in_function):
    x = NodeDef(name="x", op="Placeholder", attr={"shape": AttrValue(shape=shape(-1, 3)), "dtype": AttrValue(type=1)})
    y = NodeDef(name="y", op=op, input=["x"], attr={"_output_shapes": written(*sizes), "T": AttrValue(type=1)})
    graph = GraphDef(node=[x, y])
    if in_function:
        signature = OpDef(name="f", input_arg=[OpDef.ArgDef(name="x", type=1)])
        body = FunctionDef(signature=signature, node_def=[y])
        call = NodeDef(name="call", op="f", input=["x"])
        graph = GraphDef(node=[x, call], library=FunctionDefLibrary(function=[body]))
    shapes, trusting = infer_shapes(graph), infer_shapes(graph, trust_output_shapes=True)

    def every(result):
        calls = [result, *(body for bodies in result.in_functions().values() for body in bodies)]
        return [[body.inferred_at(position) for position in range(len(body.inference.index))] for body in calls]

    assert says_more(shapes) is expected is (every(shapes) != every(trusting))


def test_a_scalar_placeholder_of_an_old_graph_may_have_any_shape():
    graph = graph_of("x Placeholder", x={"shape": []})
    assert infer_shapes(graph)["x"] is None
    graph.versions = VersionDef(producer=1000)
    assert infer_shapes(graph)["x"] == ()


@pytest.mark.parametrize(
    ("attributes", "producer", "shape"),
    [
        ("_output_shapes=[(-1, 3)]", 9, (None, 3)),
        ("_output_shapes=[(-1, 3)], shape=()", 9, (None, 3)),
        ("_output_shapes=[(-1, 3)], shape=?", 1000, (None, 3)),
        ("_output_shapes=[(-1, 3)], shape=()", 1000, ()),
        ("_output_shapes=[(-1, 3)], shape=(2, 3)", 9, (2, 3)),
        ("_output_shapes=[?]", 9, None),
        ("_output_shapes=[]", 9, None),
        ("_output_shapes=5", 9, None),
    ],
)
def test_a_placeholder_without_a_shape_has_that_of_output_shapes(attributes, producer, shape):
    graph = parsed(f"x = Placeholder[dtype=float, {attributes}]")
    graph.versions = VersionDef(producer=producer)
    assert infer_shapes(graph)["x"] == shape


def test_the_batch_of_output_shapes_is_open():
    graph = parsed("x = Placeholder[dtype=float, _output_shapes=[(-1, 3)]]")
    assert infer_shapes(graph, batch_size=8)["x"] == (8, 3)


def test_shapes_of_placeholders_need_not_be_trusted():
    graph = parsed("x = Placeholder[dtype=float, _output_shapes=[(-1, 3)]]")
    assert infer_shapes(graph, trust_output_shapes=False)["x"] is None


def test_numpy_is_not_needed():
    code = (
        "import sys, tfmodel.analysis.shapes as s; from tfmodel.messages import GraphDef; s.infer_shapes(GraphDef()); "
    )
    subprocess.run([sys.executable, "-c", code + "assert 'numpy' not in sys.modules"], check=True)


# --- numbers that shapes are made of ---------------------------------------------------------------------------------

FLATTEN = """
    x      Placeholder
    shape  Shape        x
    zero   Const
    one    Const
    batch  StridedSlice shape zero one one
    rest   Const
    sizes  Pack         batch rest
    flat   Reshape      x sizes
"""


def test_the_batch_goes_through_a_reshape():
    attrs = {"x": {"shape": [-1, 7, 7, 64]}, "zero": ints(0), "one": ints(1), "rest": number(-1), "sizes": {"N": 2}}
    graph = graph_of(FLATTEN, batch={"shrink_axis_mask": 1}, **attrs)
    assert infer_shapes(graph).value("sizes") == (None, -1)
    assert infer_shapes(graph)["flat"] == (None, None)
    assert infer_shapes(graph, batch_size=2)["flat"] == (2, 3136)


def test_matrices_are_nested():
    value = TensorProto(dtype=INT, tensor_shape=shape(2, 2), tensor_content=bytes([1, 0, 0, 0, 2, 0, 0, 0] * 2))
    shapes = infer_shapes(graph_of("x Placeholder\np Const\ny Pad x p", x={"shape": [4, 5]}, p={"value": value}))
    assert (shapes.value("p"), shapes["y"]) == (((1, 2), (1, 2)), (7, 8))


def test_the_last_of_the_values_of_a_constant_is_repeated():
    value = TensorProto(dtype=INT, tensor_shape=shape(3), int_val=[4, 5])
    assert infer_shapes(graph_of("c Const", c={"value": value})).value("c") == (4, 5, 5)


def test_an_overflow_is_not_followed():
    attrs = {"a": number(2**31 - 1), "b": number(2), "c": {"T": INT}, "d": {"T": INT}}
    shapes = infer_shapes(graph_of("a Const\nb Const\nc Mul a b\nd FloorDiv a b", **attrs))
    assert (shapes.value("c"), shapes.value("d")) == (None, 2**30 - 1)


def test_the_content_of_large_constants_is_not_looked_at():
    value = TensorProto(dtype=INT, tensor_shape=shape(1000), tensor_content=b"wrong")
    shapes = infer_shapes(graph_of("c Const", c={"value": value}))
    assert (shapes["c"], shapes.value("c")) == ((1000,), None)


# --- loops and conditionals of TensorFlow 1 --------------------------------------------------------------------------

LOOP = """
    zero   Const
    one    Const          ^merge
    limit  Const          ^merge
    x      Placeholder
    enter  Enter          zero
    in     Enter          x
    merge  Merge          enter next
    state  Merge          in    again
    less   Less           merge limit
    cond   LoopCond       less
    switch Switch         merge cond
    turn   Switch         state cond
    count  AddV2          switch:1 one
    body   {body}
    next   NextIteration  count
    again  NextIteration  body
    exit   Exit           turn
    after  Neg            exit
"""


def looped(step, **attrs):
    constants = {"zero": number(0), "one": number(1), "limit": number(3), "x": {"shape": [2, 3]}, "count": {"T": INT}}
    return infer_shapes(graph_of(LOOP.format(body=step), **constants, **attrs))


def test_a_shape_that_a_loop_does_not_change_is_known_behind_it():
    shapes = looped("Relu turn:1")
    assert (shapes["after"], shapes["body"], shapes.problems) == ((2, 3), (2, 3), [])


def test_a_shape_that_grows_in_a_loop_is_unknown():
    shapes = looped("ConcatV2 turn:1 turn:1 zero", body={"N": 2})
    assert (shapes["after"], shapes["merge"], shapes.problems) == ((None, 3), (), [])


def test_a_rank_that_grows_in_a_loop_is_not_known():
    assert looped("ExpandDims turn:1 zero")["after"] is None


def test_a_counter_has_no_value_in_a_loop():
    shapes = looped("Relu turn:1")
    assert (shapes.value("enter"), shapes.value("merge"), shapes.value("one")) == (0, None, 1)


def test_a_conditional_has_the_shape_common_to_both_branches():
    graph = graph_of(
        "x Placeholder\np Placeholder\ns Switch x p\na Neg s\nb Pad s:1 c\nc Const\nm Merge a b\ny Neg m",
        x={"shape": [2, 3]},
        p={"shape": []},
        c={"value": TensorProto(dtype=INT, tensor_shape=shape(2, 2), int_val=[1, 0, 0, 0])},
    )
    shapes = infer_shapes(graph)
    assert (shapes.of("m"), shapes["y"]) == ([(None, 3), ()], (None, 3))


def test_nodes_that_wait_for_each_other_are_a_problem():
    shapes = infer_shapes(graph_of("a Neg b\nb Neg a\nc Neg b"))
    assert [(node.name, text) for node, text in shapes.problems] == [
        (name, "it is in a cycle, or behind one") for name in "abc"
    ]


# --- functions -------------------------------------------------------------------------------------------------------


def function(name, arguments, results, *nodes, **ret):
    signature = OpDef(
        name=name,
        input_arg=[OpDef.ArgDef(name=argument, type=FLOAT) for argument in arguments],
        output_arg=[OpDef.ArgDef(name=result, type=FLOAT) for result in results],
    )
    return FunctionDef(signature=signature, node_def=list(nodes), ret=ret)


def node(name, op, *inputs, **attrs):
    return NodeDef(name=name, op=op, input=[*inputs], attr={key: value_of(value) for key, value in attrs.items()})


def calling(op, functions, *shapes, **attrs):
    """A graph in which the node "call" calls functions with placeholders of these shapes."""
    inputs = [node(f"x{place}", "Placeholder", shape=sizes) for place, sizes in enumerate(shapes)]
    attr = {key: value_of(value) for key, value in attrs.items()}
    call = NodeDef(name="call", op=op, input=[node_def.name for node_def in inputs], attr=attr)
    return GraphDef(
        node=[*inputs, call], library=FunctionDefLibrary(function=functions), versions=VersionDef(producer=1482)
    )


ZERO = node("zero", "Const", **number(0))
TWICE = function("twice", "a", "r", node("t", "ConcatV2", "a", "a", "zero:output:0", N=2), ZERO, r="t:output:0")
SAME = function("same", "a", "r", node("n", "Neg", "a"), r="n:y:0")
TEST = function("test", "a", "r", node("n", "Less", "a", "a"), r="n:z:0")
PAIR = {"Tin": [FLOAT], "Tout": [FLOAT]}


def test_functions_are_followed_with_the_shapes_of_their_arguments():
    graph = calling("PartitionedCall", [TWICE], [2, 3], f=NameAttrList(name="twice"), **PAIR)
    shapes = infer_shapes(graph)
    assert shapes["call"] == (4, 3)
    inside = shapes.inside("call")["twice"]
    assert (inside["a"], inside["t:output:0"], inside.of("t"), inside.dtype("a")) == ((2, 3), (4, 3), [(4, 3)], FLOAT)


def test_a_function_can_be_an_op():
    assert infer_shapes(calling("twice", [TWICE], [2, 3]))["call"] == (4, 3)


def test_functional_branches_have_the_shape_common_to_both():
    branches = {"then_branch": NameAttrList(name="same"), "else_branch": NameAttrList(name="twice")}
    graph = calling("If", [TWICE, SAME], [], [2, 3], **branches, **PAIR)
    assert infer_shapes(graph)["call"] == (None, 3)


def test_a_functional_loop_has_the_shape_common_to_all_iterations():
    loop = {"cond": NameAttrList(name="test"), "body": NameAttrList(name="twice"), "T": [FLOAT]}
    graph = calling("While", [TWICE, TEST], [2, 3], **loop)
    shapes = infer_shapes(graph)
    assert shapes["call"] == (None, 3)
    assert shapes.inside("call")["twice"]["a"] == (None, 3)


def test_a_function_that_calls_itself_is_unknown():
    body = NodeDef(
        name="c",
        op="PartitionedCall",
        input=["a"],
        attr={"f": value_of(NameAttrList(name="self")), "Tin": value_of([FLOAT]), "Tout": value_of([FLOAT])},
    )
    graph = calling("self", [function("self", "a", "r", body, r="c:output:0")], [2])
    assert infer_shapes(graph)["call"] is None


def test_a_function_with_a_list_of_results_is_unknown():
    many = function("many", "a", "rs", node("n", "Neg", "a"), r="n:y:0", s="a")
    many.signature.output_arg[0].number_attr = "N"
    shapes = infer_shapes(calling("many", [many], [2, 3]))
    assert (shapes.get("call"), shapes.get("call:2"), shapes.inside("call")["many"]["n"]) == (None, None, (2, 3))


def test_functions_that_call_each_other_twice_do_not_take_forever():
    functions = [SAME]
    for level in range(60):
        callee = f"f{level - 1}" if level else "same"
        nodes = [ZERO, node("b", "ExpandDims", "a", "zero:output:0")]
        nodes += [node("c", callee, "a"), node("d", callee, "b:output:0")]
        functions.append(function(f"f{level}", "a", "r", *nodes, r="c:r:0"))
    shapes = infer_shapes(calling("f59", functions, [2]))
    assert shapes["call"] is None


# --- what is wrong ---------------------------------------------------------------------------------------------------


def test_contradictions_are_problems_and_unknown_shapes():
    graph = graph_of("x Placeholder\ny Placeholder\nz AddV2 x y\nw Neg z", x={"shape": [2, 3]}, y={"shape": [4]})
    shapes = infer_shapes(graph)
    assert (shapes["z"], shapes["w"]) == (None, None)
    assert [(node.name, text) for node, text in shapes.problems] == [("z", "the shapes [2,3] and [4] do not fit")]


def test_problems_in_functions_are_listed():
    wrong = function("wrong", "a", "r", node("m", "MatMul", "a", "a"), r="m:product:0")
    shapes = infer_shapes(calling("wrong", [wrong], [2, 3]))
    assert [(node.name, text) for node, text in shapes.problems] == [("m", "[2,3] and [2,3] cannot be multiplied")]


@pytest.mark.parametrize(
    ("table", "attrs", "problem"),
    [
        ("x Neg", {}, "it has 0 inputs; input 0 is missing"),
        ("c Const", {}, 'Const "c" has no attribute "value"'),
        ("c Const", {"c": {"value": 3}}, 'the attribute "value" of Const "c" is an integer, not a tensor'),
        ("c Const", {"c": {"value": TensorProto(dtype=INT, tensor_shape=shape(-1))}}, "its shape is not known"),
        ("x Placeholder\ns Split x x", {"x": {"shape": []}, "s": {"num_split": -1}}, "it cannot have -1 outputs"),
        ("x Placeholder", {"x": {"shape": [1] * 300}}, "it would have 300 dimensions"),
        (
            "a Const\nb Tile x a\nx Placeholder",
            {"a": ints(2**31 - 1), "x": {"shape": [2**62]}},
            "it would have a dimension that is too large",
        ),
        (
            "x Placeholder\ny Size x",
            {"x": {"shape": [2**62] * 2}},
            f"[{2**62},{2**62}] has 2**63 or more elements",
        ),
    ],
)
def test_graphs_that_are_wrong_have_problems(table, attrs, problem):
    assert problem in [text for _, text in infer_shapes(graph_of(table, **attrs)).problems]


def test_billions_of_outputs_take_no_memory():
    graph = graph_of(
        "a Const\nx Placeholder\ns Split a x\ny Neg s:200000000",
        a=number(0),
        x={"shape": [-1, 3]},
        s={"num_split": 2**31 - 1},
    )
    assert infer_shapes(graph)["y"] == (None, 3)


@settings(max_examples=scaled(40))
@given(models(), st.data())
def test_no_graph_is_an_error(model, data):
    graph = GraphDef.from_bytes(model.graph.to_bytes())
    names = [node.name for node in graph.node]
    for node in data.draw(st.lists(st.sampled_from(graph.node), max_size=4)):
        match data.draw(st.integers(0, 3)):
            case 0 if node.input:
                node.input[0] = data.draw(st.sampled_from(names))
            case 1 if node.input:
                del node.input[-1]
            case 2 if node.attr:
                del node.attr[data.draw(st.sampled_from(sorted(node.attr)))]
            case 3 if node.attr:
                node.attr[data.draw(st.sampled_from(sorted(node.attr)))] = AttrValue(i=data.draw(st.integers(-3, 3)))
    shapes = infer_shapes(graph)
    assert len(list(shapes)) == len(graph.node)
    assert shapes.problems is not None


@settings(max_examples=scaled(40))
@given(models(), st.data())
def test_inferring_only_what_changes_gives_the_same(model, data):
    graph = GraphDef.from_bytes(model.graph.to_bytes())
    for node in graph.node:
        if node.name == "x":
            node.attr["shape"] = value_of([-1])
    wrong = data.draw(st.sampled_from(graph.node))
    if data.draw(st.booleans()) and wrong.input and wrong.op != "NextIteration":
        del wrong.input[-1]
    given_shapes = st.sampled_from([{}, {"batch_size": 3}, {"inputs": {"x": (5,)}}, {"inputs": {"x": (7,)}}])
    options, options_before = data.draw(given_shapes), data.draw(given_shapes)
    index = GraphIndex(graph)
    inferred = infer_shapes(index, **options, like=infer_shapes(index, **options_before))
    assert _everything(inferred) == _everything(infer_shapes(graph, **options))


def _everything(shapes):
    functions = {name: [list(body) for body in bodies] for name, bodies in shapes.in_functions().items()}
    return list(shapes), functions, shapes.problems


@given(models())
def test_sound_graphs_have_no_problems(model):
    shapes = infer_shapes(model.graph)
    assert shapes.problems == []
    assert all(shapes[name] is not None for name in model.outputs)


@settings(max_examples=scaled(20))
@given(models(), st.integers(0, 2**32))
def test_the_order_of_nodes_does_not_matter(model, seed):
    nodes = list(model.graph.node)
    random.Random(seed).shuffle(nodes)
    other = infer_shapes(GraphDef(node=nodes, library=model.graph.library, versions=model.graph.versions))
    first = infer_shapes(model.graph)
    assert all(other.of(node) == first.of(node) for node in nodes)
