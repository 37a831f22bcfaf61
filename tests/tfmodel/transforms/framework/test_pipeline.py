"""Lists are understood before anything runs; what would break a graph is refused; the graph that goes in stays."""

from __future__ import annotations

import copy

import pytest

from tfmodel.errors import GraphError, TransformError
from tfmodel.graph import changed, with_nodes
from tfmodel.messages import GraphDef, NodeDef, VersionDef
from tfmodel.names import TensorName
from tfmodel.transforms.framework.pipeline import tensor_names, transform
from tfmodel.transforms.framework.report import Report, StepReport
from tfmodel.transforms.framework.spelling import TransformGraph

GRAPH = GraphDef(
    node=[
        NodeDef(name="x", op="Placeholder", device="/cpu:0"),
        NodeDef(name="y", op="Relu", input=["x"]),
        NodeDef(name="z", op="Neg", input=["y", "^x"]),
    ],
    versions=VersionDef(producer=27),
)


def without_y(graph: GraphDef) -> GraphDef:
    return with_nodes(graph, [node for node in graph.node if node.name != "y"])


def without_z(graph: GraphDef) -> GraphDef:
    return with_nodes(graph, [node for node in graph.node if node.name != "z"])


def test_strings_and_functions_in_one_list() -> None:
    result = transform(GRAPH, "x", "y", ["remove_device rename_op(old_op_name=Relu, new_op_name=Relu6)", without_z])
    assert [(node.name, node.op, node.device) for node in result.node] == [
        ("x", "Placeholder", ""),
        ("y", "Relu6", ""),
    ]
    assert result.versions == GRAPH.versions


def test_what_goes_in_is_not_changed_and_what_stays_is_shared() -> None:
    before = copy.deepcopy(GRAPH)
    result = transform(GRAPH, "", "", "remove_device")
    assert before == GRAPH
    assert result.node[1] is GRAPH.node[1]


def test_nothing_runs_before_all_of_the_list_is_understood() -> None:
    ran = []

    def note(graph: GraphDef) -> GraphDef:
        ran.append(1)
        return graph

    for wrong in ("no_such", "remove_device(x=1)", "rename_op", "remove_device("):
        with pytest.raises(TransformError):
            transform(GRAPH, "", "", [note, wrong])
    with pytest.raises(TypeError, match="a str or a function, not int"):
        transform(GRAPH, "", "", [note, 5])
    assert not ran


def test_a_misspelt_transform_is_guessed() -> None:
    with pytest.raises(TransformError, match='there is no transform "remove_devise"; did you mean "remove_device"'):
        transform(GRAPH, "", "", "remove_devise")


def test_a_transform_that_breaks_the_graph_is_refused_with_the_reason() -> None:
    with pytest.raises(TransformError, match=r'^without_y was refused, it would break the graph: .*"z"'):
        transform(GRAPH, "x", "z", without_y)


def test_a_declared_output_must_stay() -> None:
    with pytest.raises(TransformError, match='without_z was refused, it would remove "z:1", which is declared'):
        transform(GRAPH, "x", ["z:1"], without_z)


@pytest.mark.parametrize(("inputs", "outputs", "what"), [("xx", "", "input"), ("", "xx:1", "output")])
def test_what_is_declared_must_be_there(inputs: str, outputs: str, what: str) -> None:
    graph = GraphDef(node=[NodeDef(name="xxx", op="Placeholder")])
    with pytest.raises(GraphError, match=f'the {what} "xx.*" is not in the graph; did you mean "xxx"'):
        transform(graph, inputs, outputs, "remove_device")


def test_tensorflows_spelling() -> None:
    result = TransformGraph(GRAPH, ["x"], ["y,z"], ["remove_device", "sort_by_execution_order"])
    assert [node.device for node in result.node] == [""] * 3
    for error in (ValueError, TransformError):
        with pytest.raises(error, match="there is no transform"):
            TransformGraph(GRAPH, [], [], ["no_such"])


def test_faults_that_were_there_before_are_no_reason() -> None:
    broken = GraphDef(node=[NodeDef(name="a", op="Relu", input=["missing"], device="/cpu:0")])
    assert transform(broken, "", "", "remove_device").node[0].device == ""


def test_errors_name_the_transform_and_can_be_ignored() -> None:
    cycle = GraphDef(node=[NodeDef(name="a", op="Relu", input=["a"])])
    with pytest.raises(TransformError, match=r"^sort_by_execution_order: "):
        transform(cycle, "", "", "sort_by_execution_order")
    report = Report()
    assert transform(cycle, "", "", "sort_by_execution_order(ignore_errors=True)", report=report) is cycle
    assert report.to_text().startswith("sort_by_execution_order: error ignored: ")


def test_a_report_counts_and_tells_why_matches_were_left_alone() -> None:
    def relu_to_neg(graph: GraphDef, *, outputs: tuple[TensorName, ...], report: StepReport) -> GraphDef:
        nodes = []
        for node in graph.node:
            if node.name in {output.node for output in outputs}:
                report.refuse(node.name, "it is an output")
            elif node.op == "Relu":
                node = changed(node, op="Neg")
                report.fire()
            nodes.append(node)
        return with_nodes(graph, nodes)

    report = Report()
    transform(GRAPH, "x", "z", [relu_to_neg, "remove_device"], report=report)
    assert report.to_text().splitlines() == [
        "relu_to_neg: fired 1x, 3 nodes",
        "  left 1 alone: it is an output: z",
        "remove_device: fired 1x, 3 nodes",
    ]


def test_what_is_no_graph_is_no_result() -> None:
    with pytest.raises(TransformError, match="it gave a NoneType, not a GraphDef"):
        transform(GRAPH, "", "", lambda graph: None)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("", ()),
        ("x", (TensorName("x"),)),
        (" x , y:1,, x", (TensorName("x"), TensorName("y", 1))),
        (["x", "", "y:0"], (TensorName("x"), TensorName("y"))),
        ([TensorName("x")], (TensorName("x"),)),
    ],
)
def test_names_of_inputs_and_outputs(names: object, expected: tuple[TensorName, ...]) -> None:
    assert tensor_names(names) == expected


def test_a_name_that_is_none() -> None:
    with pytest.raises(GraphError):
        transform(GRAPH, "x:y:z:w", "", "")
