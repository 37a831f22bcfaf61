"""Lists are checked before anything runs, broken results are refused, and the input graph stays unchanged."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given

from tests.support.strategies_graphs import Model, models
from tfmodel import save
from tfmodel.errors import GraphError, TransformError
from tfmodel.graph import replace_node, with_functions, with_nodes
from tfmodel.messages import (
    DataType,
    FunctionDefLibrary,
    GradientDef,
    GraphDef,
    NodeDef,
    OpDef,
    OpList,
    VersionDef,
)
from tfmodel.transforms.framework.pipeline import TransformGraph, tensor_names, transform
from tfmodel.transforms.framework.report import StepReport, TransformReport
from tfmodel.values.names import TensorName

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


def test_the_input_graph_stays_and_unchanged_nodes_are_shared() -> None:
    before = copy.deepcopy(GRAPH)
    result = transform(GRAPH, "", "", "remove_device")
    assert before == GRAPH
    assert result.node[1] is GRAPH.node[1]


def test_a_list_is_checked_before_anything_runs() -> None:
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


def test_a_misspelt_transform_gets_a_suggestion() -> None:
    with pytest.raises(TransformError, match='there is no transform "remove_devise"; did you mean "remove_device"'):
        transform(GRAPH, "", "", "remove_devise")


def test_a_transform_that_breaks_the_graph_is_refused_with_the_reason() -> None:
    with pytest.raises(TransformError, match=r'^without_y: refused, it would break the graph: .*"z"'):
        transform(GRAPH, "x", "z", without_y)


def test_a_declared_output_must_stay() -> None:
    with pytest.raises(TransformError, match='without_z: refused, it would remove "z", which is declared'):
        transform(GRAPH, "x", ["z:0"], without_z)


def test_an_output_that_a_node_does_not_have() -> None:
    with pytest.raises(GraphError, match='the output "z:1" is not in the graph: Neg "z" has 1 output'):
        transform(GRAPH, "x", ["z:1"], "remove_device")


def test_a_misspelt_op_is_noted() -> None:
    report = TransformReport()
    steps = "remove_nodes(op=Placeholer) rename_op(old_op_name=Neg, new_op_name=Abs)"
    transform(GRAPH, None, None, steps, report=report)
    note = 'no node has the op "Placeholer"; did you mean "Placeholder"?'
    assert [step.notes for step in report.steps] == [[note], []]


@pytest.mark.parametrize(("inputs", "outputs", "what"), [("xx", "", "input"), ("", "xx:1", "output")])
def test_declared_names_must_be_in_the_graph(inputs: str, outputs: str, what: str) -> None:
    graph = GraphDef(node=[NodeDef(name="xxx", op="Placeholder")])
    with pytest.raises(GraphError, match=f'the {what} "xx.*" is not in the graph; did you mean "xxx"'):
        transform(graph, inputs, outputs, "remove_device")


def test_transform_graph_takes_tensorflows_arguments() -> None:
    result = TransformGraph(GRAPH, ["x"], ["y,z"], ["remove_device", "sort_by_execution_order"])
    assert [node.device for node in result.node] == [""] * 3
    for error in (ValueError, TransformError):
        with pytest.raises(error, match="there is no transform"):
            TransformGraph(GRAPH, [], [], ["no_such"])


def test_faults_of_the_input_graph_are_ignored() -> None:
    broken = GraphDef(node=[NodeDef(name="a", op="Relu", input=["missing"], device="/cpu:0")])
    assert transform(broken, "", "", "remove_device").node[0].device == ""


def test_errors_name_the_transform_and_can_be_ignored() -> None:
    cycle = GraphDef(node=[NodeDef(name="a", op="Relu", input=["a"])])
    with pytest.raises(TransformError, match=r"^sort_by_execution_order: "):
        transform(cycle, "", "", "sort_by_execution_order")
    report = TransformReport()
    assert transform(cycle, "", "", "sort_by_execution_order(ignore_errors=True)", report=report) is cycle
    assert report.to_text().startswith("sort_by_execution_order: error ignored: ")


def test_a_report_counts_rewrites_and_gives_reasons_for_refusals() -> None:
    def relu_to_neg(graph: GraphDef, *, outputs: tuple[TensorName, ...], report: StepReport) -> GraphDef:
        nodes = []
        for node in graph.node:
            if node.name in {output.node for output in outputs}:
                report.refuse(node.name, "it is an output")
            elif node.op == "Relu":
                node = replace_node(node, op="Neg")
                report.fire()
            nodes.append(node)
        return with_nodes(graph, nodes)

    report = TransformReport()
    transform(GRAPH, "x", "z", [relu_to_neg, "remove_device"], report=report)
    assert re.sub(r"\d\.\d\d s", "0.00 s", report.to_text()).splitlines() == [
        "relu_to_neg: 3 nodes, 61 -> 60 bytes, 0.00 s; fired 1x",
        "  left 1 alone: it is an output: z",
        "remove_device: 3 nodes, 60 -> 52 bytes, 0.00 s; fired 1x",
    ]
    transform(GRAPH, "", "", without_z, report=report)
    assert "fired" not in report.steps.pop().to_text()  # it does not count
    assert (report.total.fired, report.total.bytes_before, report.total.bytes_after) == (2, 61, 52)
    assert [step.refused for step in report.steps] == [1, 0]
    assert report.to_text(verbose=False).splitlines()[0].startswith("relu_to_neg: 3 nodes, 61 -> 60 bytes")


@given(models())
def test_bytes_are_those_of_the_graphs(model: Model) -> None:
    report = TransformReport()
    steps = ["remove_device", without_versions, "sort_by_execution_order", doubled_library]
    result = transform(model.graph, model.inputs, model.outputs, steps, report=report)
    assert report.steps[0].bytes_before == model.graph.ByteSize()
    assert report.steps[-1].bytes_after == result.ByteSize()
    assert [step.bytes_before for step in report.steps[1:]] == [step.bytes_after for step in report.steps[:-1]]


def without_versions(graph: GraphDef) -> GraphDef:
    changed = with_nodes(graph, graph.node[::-1])
    changed.versions = VersionDef()
    return changed


def doubled_library(graph: GraphDef) -> GraphDef:
    if graph.library is None:
        return graph
    functions = [*graph.library.function]
    for function in graph.library.function:
        functions.append(copy.deepcopy(function))
        functions[-1].signature.name += "_again"
    return with_functions(graph, functions)


def test_a_new_graph_gets_the_fields_that_it_omits() -> None:
    graph = GraphDef(
        node=GRAPH.node,
        versions=VersionDef(producer=27),
        library=FunctionDefLibrary(gradient=[GradientDef(function_name="f")]),
        version=5,
    )
    fresh = GraphDef(node=GRAPH.node)
    result = transform(graph, "", "", lambda _: fresh)
    assert result == graph
    assert fresh.versions is None  # the caller may hold a graph that a transform returns
    emptied = GraphDef(node=GRAPH.node, versions=VersionDef(), library=FunctionDefLibrary())
    result = transform(graph, "", "", lambda _: emptied)
    assert (result.versions, result.library) == (VersionDef(), FunctionDefLibrary())


def test_the_graph_stays_if_a_function_changes_the_list_of_nodes() -> None:
    def drop(graph: GraphDef) -> GraphDef:
        del graph.node[2]
        return graph

    def break_it(graph: GraphDef) -> GraphDef:
        del graph.node[1]
        return graph

    before = copy.deepcopy(GRAPH)
    assert [node.name for node in transform(GRAPH, "", "", drop).node] == ["x", "y"]
    with pytest.raises(TransformError, match="break_it: refused"):
        transform(GRAPH, "", "", break_it)
    assert before == GRAPH


def test_a_refusal_can_be_ignored_too() -> None:
    graph = GraphDef(node=[*GRAPH.node, NodeDef(name="u", op="Unique", input=["x"]), NodeDef(name="i", input=["u:1"])])
    report = TransformReport()
    renaming = "rename_op(old_op_name=Unique, new_op_name=Relu, ignore_errors=true)"
    assert transform(graph, "", "", renaming, report=report) is graph
    assert report.steps[0].error.startswith("refused, it would break the graph")


OWN = OpList(op=[OpDef(name="Mine", output_arg=[OpDef.ArgDef(name="y", type=DataType.DT_FLOAT)])])


def test_ops_that_are_declared_are_known(tmp_path: Path) -> None:
    seen = []

    def look(graph: GraphDef, *, ops: Mapping[str, OpDef]) -> GraphDef:
        seen.append(("Mine" in ops, "Relu" in ops))
        return graph

    path = tmp_path / "ops.pbtxt"
    save(OWN, path)
    for op_defs in (None, OWN, [OWN], path, str(path), [path, OpList()]):
        transform(GRAPH, "", "", look, op_defs=op_defs)
    assert seen == [(False, True)] + [(True, True)] * 5
    with pytest.raises(FileNotFoundError):
        transform(GRAPH, "", "", look, op_defs=tmp_path / "no.pbtxt")


def test_ports_that_an_op_does_not_have_break_a_graph() -> None:
    graph = GraphDef(node=[NodeDef(name="s", op="Unknown"), NodeDef(name="y", op="Relu", input=["s:1"])])
    renaming = "rename_op(old_op_name=Unknown, new_op_name=Mine)"
    assert transform(graph, "", "", renaming).node[0].op == "Mine"
    with pytest.raises(TransformError, match=r"rename_op: refused, it would break the graph: .*Mine"):
        transform(graph, "", "", renaming, op_defs=OWN)


def test_other_messages_are_refused_as_input() -> None:
    with pytest.raises(TypeError, match="expected a GraphDef, MetaGraphDef, SavedModel or a path, not NodeDef"):
        transform(NodeDef(), "", "", "remove_device")


def test_nothing_to_do_gives_the_graph_back() -> None:
    for nothing in ("", [], ["", " "]):
        assert transform(GRAPH, "x", "y", nothing) is GRAPH
    assert TransformGraph(GRAPH, [], [], []) is GRAPH
    assert TransformGraph(GRAPH, "x", "y", "remove_device").node[0].device == ""


def test_a_result_that_cannot_be_encoded_is_refused() -> None:
    with pytest.raises(TransformError, match=r"^wrong: it returned a graph that cannot be encoded"):
        transform(GRAPH, "", "", wrong, report=TransformReport())


def wrong(graph: GraphDef) -> GraphDef:
    return with_nodes(graph, [*graph.node, NodeDef(name="w", op="Relu", device="\ud800")])


def test_other_results_than_graphs_are_refused() -> None:
    with pytest.raises(TransformError, match="it returned a NoneType, not a GraphDef"):
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


def test_an_invalid_name_is_refused() -> None:
    with pytest.raises(GraphError):
        transform(GRAPH, "x:y:z:w", "", "")
