"""`verify` runs a model and what transforms make of it with the variables of the model's checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.tfmodel import trained
from tfmodel import Model
from tfmodel.errors import TransformError
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.graph import replace_node, with_nodes
from tfmodel.graph.view import rename_nodes
from tfmodel.messages import (
    AssetFileDef,
    AttrValue,
    CollectionDef,
    DataType,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
    TensorShapeProto,
)
from tfmodel.transforms.framework.pipeline import Transforms
from tfmodel.transforms.framework.recipes import RECIPES
from tfmodel.transforms.framework.report import TransformReport
from tfmodel.values.tensors import from_ndarray

FEEDS = {"x": np.array([[1, 2, 3, 4], [-4, 3, -2, 1]], np.float32)}
DATA = Path("tests/data/trained")


def resource_variables(meta: MetaGraphDef) -> MetaGraphDef:
    """The model with variables of TensorFlow 2, which are read by other nodes."""

    def renewed(node: NodeDef) -> NodeDef:
        if node.op == "VariableV2":
            return replace_node(node, op="VarHandleOp")
        if node.name.endswith("/read"):
            return replace_node(node, op="ReadVariableOp", attr={"dtype": AttrValue(type=DataType.DT_FLOAT)})
        return node

    assert meta.graph_def is not None
    meta.graph_def = with_nodes(meta.graph_def, map(renewed, meta.graph_def.node))
    return meta


def saved_model(folder: Path) -> Model:
    message = SavedModel(saved_model_schema_version=1, meta_graphs=[resource_variables(trained.meta_graph())])
    (folder / "variables").mkdir()
    (folder / "saved_model.pb").write_bytes(message.to_bytes())
    for name, data in trained.checkpoint_files("variables").items():
        (folder / "variables" / name).write_bytes(data)
    return Model(folder)


MODELS: dict[str, Callable[[Path], Model]] = {
    "meta": lambda folder: Model(DATA / "model.meta"),
    "graph with a given checkpoint": lambda folder: Model(trained.meta_graph().graph_def, checkpoint=DATA / "model"),
    "graph with given arrays": lambda folder: Model(trained.meta_graph().graph_def, checkpoint=trained.VALUES),
    "SavedModel": saved_model,
}
EQUAL = "outputs equal"
RENAME = "rename_node(old_node_name=layer/{}, new_node_name={})"
STEPS = {
    "set_device(device=gpu) remove_device": [EQUAL, EQUAL],
    "add_default_attributes": [EQUAL],
    "strip_unused_nodes": [EQUAL],
    "merge_duplicate_nodes": [EQUAL],
    "remove_control_dependencies": [EQUAL],
    "sort_by_execution_order": [EQUAL],
    "insert_logging(op=MatMul)": [EQUAL],
    "obfuscate_names": [EQUAL],
    "obfuscate_names obfuscate_names": [EQUAL, EQUAL],
    RENAME.format("weights", "w"): [EQUAL],
    f"{RENAME.format('bias', '0')} obfuscate_names": [EQUAL, EQUAL],
    "obfuscate_names rename_node(old_node_name=0, new_node_name=layer/weights)": [EQUAL, EQUAL],
    'obfuscate_names set_input_shape(name=x, shape="2,4") obfuscate_names': [
        EQUAL,
        "not compared, since it is fed other values",
        EQUAL,
    ],
}


def steps_of(model: Model, transforms: Transforms) -> tuple[GraphDef, list[str]]:
    """The result of transforms that are verified, and the verdicts."""
    report = TransformReport()
    result = model.transform(transforms, verify=FEEDS, report=report, inputs="x", outputs="y").graph
    return result, [step.verdict for step in report.steps]


@pytest.mark.parametrize("transforms", STEPS)
@pytest.mark.parametrize("kind", MODELS)
def test_a_transform_that_keeps_or_renames_variables_is_verified(kind: str, transforms: str, tmp_path: Path) -> None:
    _, verdicts = steps_of(MODELS[kind](tmp_path), transforms)
    assert verdicts == STEPS[transforms]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("kind", MODELS)
def test_recipes_are_verified(kind: str, recipe: str, tmp_path: Path) -> None:
    _, verdicts = steps_of(MODELS[kind](tmp_path), RECIPES[recipe])
    assert EQUAL in verdicts
    assert not [verdict for verdict in verdicts if verdict.startswith("not verified")]


def without_bias(graph: GraphDef) -> GraphDef:
    """A wrong transform: its result differs only where the bias has a value."""
    return changed(graph, "BiasAdd", lambda node: replace_node(node, op="Identity", input=node.input[:1]))


def changed(graph: GraphDef, op: str, change: Callable[[NodeDef], NodeDef]) -> GraphDef:
    return with_nodes(graph, [change(node) if node.op == op else node for node in graph.node])


@pytest.mark.parametrize("before", ["", "obfuscate_names", RENAME.format("bias", "b"), "strip_unused_nodes"])
@pytest.mark.parametrize("kind", MODELS)
def test_a_transform_that_drops_a_variable_is_refused(kind: str, before: str, tmp_path: Path) -> None:
    with pytest.raises(TransformError, match="without_bias: refused, it would change what the graph computes"):
        steps_of(MODELS[kind](tmp_path), [before, without_bias])


def unreported(graph: GraphDef) -> GraphDef:
    return with_nodes(graph, rename_nodes(graph.node, {"layer/bias": "b"}))


def reshaped(graph: GraphDef) -> GraphDef:
    shape = AttrValue(shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)]))

    def reshape(node: NodeDef) -> NodeDef:
        return replace_node(node, attr={**node.attr, "shape": shape}) if node.name == "layer/bias" else node

    return with_nodes(graph, map(reshape, graph.node))


@pytest.mark.parametrize(("change", "name"), [(unreported, "b"), (reshaped, "layer/bias")])
@pytest.mark.parametrize("kind", MODELS)
def test_a_variable_that_the_model_does_not_have_is_not_verified(
    kind: str, change: Callable[[GraphDef], GraphDef], name: str, tmp_path: Path
) -> None:
    reason = f'not verified: the model has no variable "{name}" of this type and shape, so its value is not known'
    result, verdicts = steps_of(MODELS[kind](tmp_path), [change, "sort_by_execution_order"])
    assert verdicts == [reason, reason]
    assert name in [node.name for node in result.node]


def test_after_an_unknown_value_no_step_with_inputs_of_another_shape_is_verified() -> None:
    steps = [unreported, 'set_input_shape(name=x, shape="2,4")', "sort_by_execution_order", "obfuscate_names"]
    _, verdicts = steps_of(Model(DATA / "model.meta"), steps)
    assert [verdict[: len("not verified")] for verdict in verdicts] == ["not verified"] * 4


def test_a_variable_without_a_value_stops_the_verification() -> None:
    def without_value(graph: GraphDef) -> GraphDef:
        return changed(graph, "Relu", lambda node: replace_node(node, input=["layer/other"]))

    meta = trained.meta_graph()
    assert meta.graph_def is not None
    bias = next(node for node in meta.graph_def.node if node.name == "layer/bias")
    meta.graph_def = with_nodes(meta.graph_def, [*meta.graph_def.node, replace_node(bias, name="layer/other")])
    with pytest.raises(TransformError, match="the checkpoint has no value for the variable"):
        steps_of(Model(meta, checkpoint=trained.VALUES), without_value)


def test_new_names_of_nodes_are_not_in_the_report() -> None:
    report = TransformReport()
    Model(DATA / "model.meta").transform("obfuscate_names", report=report)
    assert report.steps[0].node_renames["layer/bias"] == "1"
    assert "layer/bias" not in report.to_json()


def with_a_table(folder: Path) -> Model:
    """A SavedModel whose table is filled from an asset by its init op, and whose variable the init op overwrites."""
    string, int64, float_ = (AttrValue(type=t) for t in (DataType.DT_STRING, DataType.DT_INT64, DataType.DT_FLOAT))
    text = {"key_index": AttrValue(i=-2), "value_index": AttrValue(i=-1), "vocab_size": AttrValue(i=-1)}
    empty = AttrValue(tensor=from_ndarray(np.array(b"", object), DataType.DT_STRING))
    minus_one, two = (AttrValue(tensor=from_ndarray(value)) for value in (np.int64(-1), np.float32(2)))
    scalar = AttrValue(shape=TensorShapeProto())
    graph = GraphDef(
        node=[
            NodeDef(name="x", op="Placeholder", attr={"dtype": string, "shape": AttrValue(shape=TensorShapeProto())}),
            NodeDef(name="path", op="Const", attr={"dtype": string, "value": empty}),
            NodeDef(name="table", op="HashTableV2", attr={"key_dtype": string, "value_dtype": int64}),
            NodeDef(name="fill", op="InitializeTableFromTextFileV2", input=["table", "path"], attr=text),
            NodeDef(name="none", op="Const", attr={"dtype": int64, "value": minus_one}),
            NodeDef(
                name="found", op="LookupTableFindV2", input=["table", "x", "none"], attr={"Tin": string, "Tout": int64}
            ),
            NodeDef(name="cast", op="Cast", input=["found"], attr={"SrcT": int64, "DstT": float_}),
            NodeDef(name="v", op="VariableV2", attr={"dtype": float_, "shape": scalar}),
            NodeDef(name="y", op="Mul", input=["cast", "v"], attr={"T": float_}),
            NodeDef(name="two", op="Const", attr={"dtype": float_, "value": two}),
            NodeDef(name="set", op="Assign", input=["v", "two"], attr={"T": float_}),
            NodeDef(name="init", op="NoOp", input=["^fill", "^set"]),
        ]
    )
    meta = MetaGraphDef(
        meta_info_def=MetaGraphDef.MetaInfoDef(tags=["serve"]),
        graph_def=graph,
        asset_file_def=[AssetFileDef(tensor_info=TensorInfo(name="path:0"), filename="words.txt")],
        collection_def={"saved_model_main_op": CollectionDef(node_list=CollectionDef.NodeList(value=["init"]))},
        signature_def={"serving_default": SignatureDef(inputs={"x": TensorInfo(name="x:0")})},
    )
    for name in ("variables", "assets"):
        (folder / name).mkdir()
    (folder / "saved_model.pb").write_bytes(SavedModel(saved_model_schema_version=1, meta_graphs=[meta]).to_bytes())
    (folder / "assets" / "words.txt").write_bytes(b"a\nb\nc\n")
    write_checkpoint(folder / "variables" / "variables", {"v": np.float32(3)})
    return Model(folder)


@pytest.mark.parametrize("transforms", ["obfuscate_names", "strip_unused_nodes obfuscate_names", RECIPES["obfuscate"]])
def test_tables_are_filled_from_the_assets_of_the_model(tmp_path: Path, transforms: Transforms) -> None:
    report = TransformReport()
    with_a_table(tmp_path).transform(transforms, verify={"x": b"c"}, report=report, inputs="x", outputs="y")
    assert {step.verdict for step in report.steps} - {""} == {EQUAL}
