"""Models that TensorFlow has made: what we freeze them to has no variables, is sound, and is what TensorFlow makes.

That it also computes the same is for TensorFlow to say: `tests/golden/freezing/check.py`.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from tests.golden.freezing.answers import difference
from tfmodel import load, save
from tfmodel.files.checkpoints.checkpoint import Checkpoint
from tfmodel.freezing import freeze
from tfmodel.messages import GraphDef, MetaGraphDef, SavedModel
from tfmodel.values.names import TensorName
from tfmodel.values.tensors import to_ndarray

from .models import CASES, case, faults, graph, nodes_of, op_names

# Why our nodes are not those of TensorFlow's own freezing.
OTHERWISE = {
    "types": "a bfloat16 constant is written as later versions of TensorFlow write it",
    "while_v1_resource": "control inputs of reads are kept, and the axis of a gather is inside of the loop",
    "cond_v2": "functions have other names",
    "while_v2": "functions have other names",
}
WITH_OTHER_NAMES = {name for name in CASES if name.startswith(("keras_", "tf_function_"))}
LOWERED = {"keras_lstm", "tf_function_if_and_case", "tf_function_while"}  # there, If and While become Switch and Merge
FILLED_BY_US = {"tf_function_table"}  # there nothing fills the tables
# Models without variables, or whose variables the checkpoint calls otherwise.
NOT_BY_NAME = {"other_keys", "tf_function_signatures", "tf_function_without_variables"}
PLUMBING = {"Const", "Identity", "IdentityN", "NoOp", "Placeholder", "PlaceholderWithDefault"}


@cache
def frozen_graph(name):
    return case(name).freeze()


def models(but=(), *, having=lambda model: True):
    """Runs a test for models, and for the graphs that they are frozen to."""
    names = [name for name in CASES if name not in but and having(case(name))]
    return pytest.mark.parametrize("name", names)


@models()
def test_no_variable_is_left_and_the_graph_is_sound(name):
    graph = frozen_graph(name)
    assert faults(graph) == []


@models()
def test_inputs_and_outputs_keep_their_names(name):
    model, graph = case(name), frozen_graph(name)
    nodes = nodes_of(graph)
    for run in model.runs:
        for tensor in map(TensorName.parse, run.feeds):
            assert nodes[tensor.node].op in ("Placeholder", "PlaceholderWithDefault")
        for tensor in map(TensorName.parse, run.fetches):
            node = nodes[tensor.node]
            assert node.op != "IdentityN" or tensor.port < len(node.attr["T"].list.type)
    assert set(model.initializers) <= nodes.keys()


@models(but=NOT_BY_NAME)
def test_constants_have_the_values_of_the_checkpoint(name):
    model, graph = case(name), frozen_graph(name)
    with Checkpoint(_prefix(model)) as checkpoint:
        objects = checkpoint.object_graph
        keys = {name: name for name in checkpoint} | (dict(objects.full_names) if objects else {})
        arrays = {}
        for node in graph.node:
            whole, _, part = node.name.partition("/part_")
            if node.op == "Const" and whole in keys:
                arrays.setdefault(whole, {})[part] = to_ndarray(node.attr["value"].tensor)
        assert arrays
        for key, parts in arrays.items():
            axis = 1 if model.name == "partitioned_columns_resource" else 0
            value = parts[""] if "" in parts else np.concatenate([parts[str(i)] for i in range(len(parts))], axis)
            np.testing.assert_array_equal(value, checkpoint[keys[key]])


def _prefix(model):
    return model.model / "variables" if model.model.is_dir() else model.model.with_suffix("")


@models(having=lambda model: model.reference is not None)
def test_the_nodes_are_those_of_the_reference_tool(name):
    model, graph = case(name), frozen_graph(name)
    reference = GraphDef.from_bytes(model.reference)
    if model.name in WITH_OTHER_NAMES:
        if model.name not in LOWERED | FILLED_BY_US:
            assert _operations(graph) == _operations(reference)
        return
    assert bool(difference(graph, reference)) == (model.name in OTHERWISE)


def _operations(graph):
    """Count the nodes of each op that computes something."""
    return Counter(node.op for node in graph.node if node.op not in PLUMBING)


@models()
def test_only_functions_that_are_called_are_kept(name):
    graph = frozen_graph(name)
    called = op_names(graph)
    functions = graph.library.function if graph.library is not None else []
    for nodes in (graph.node, *(function.node_def for function in functions)):
        for node in nodes:
            for value in node.attr.values():
                called |= {value.func.name} if value.func is not None else set()
                called |= {callee.name for callee in value.list.func} if value.list is not None else set()
    assert {function.signature.name for function in functions} <= called


@models()
def test_the_original_model_does_not_change(name):
    model, graph = case(name), frozen_graph(name)
    message = load(model.model)
    before = message.to_bytes(deterministic=True)
    meta = message.meta_graphs[0] if isinstance(message, SavedModel) else message
    checkpoint = _prefix(model) if "without_variables" not in model.name else None
    again = freeze(
        message,
        model.asked.get("outputs"),
        checkpoint=checkpoint,
        signature=model.asked.get("signature"),
        tags=model.asked.get("tags"),
    )
    assert message.to_bytes(deterministic=True) == before
    assert [node.name for node in again.node] == [node.name for node in graph.node]
    theirs = nodes_of(meta.graph_def)
    shared = [node for node in again.node if theirs.get(node.name) is node]
    same = [node for node in again.node if theirs.get(node.name) == node]
    assert shared == same  # what stays as it is, is the very node


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("name", ["while_v2", "cond_v1", "partitioned_rows"])
def test_from_every_form(tmp_path, name, form):
    model = case(name)
    path = tmp_path / f"model.{'pbtxt' if form == 'text' else 'json'}"
    save(load(model.model, MetaGraphDef), path)
    outputs, checkpoint = model.asked["outputs"], model.model.with_suffix("")
    assert freeze(path, outputs, checkpoint=checkpoint) == model.freeze()


@pytest.mark.parametrize("name", ["ref_variables", "resource_variables", "no_saver", "while_v1"])
def test_a_bare_graph_needs_nothing_but_the_names(tmp_path, name):
    model = case(name)
    save(load(model.model, GraphDef), tmp_path / "graph.pb")
    outputs, checkpoint = ",".join(model.asked["outputs"]), model.model.with_suffix("")
    assert freeze(tmp_path / "graph.pb", outputs, checkpoint=checkpoint) == model.freeze()


class TestValues:
    def test_any_mapping_from_names_to_arrays_is_accepted(self):
        model = case("ref_variables")
        graph = freeze(model.model, "y", checkpoint={"w": np.ones((3, 4), "f4"), "b": np.arange(4, dtype="f4")})
        assert to_ndarray(nodes_of(graph)["b"].attr["value"].tensor).tolist() == [0, 1, 2, 3]

    def test_restoring_nodes_come_before_names(self):
        """In this graph the variable "a" is restored from "b"."""
        model = case("other_keys")
        with Checkpoint(model.model.with_suffix("")) as checkpoint:
            constants = nodes_of(model.freeze())
            for variable, key in (("a", "b"), ("b", "nobody/else")):
                np.testing.assert_array_equal(to_ndarray(constants[variable].attr["value"].tensor), checkpoint[key])

    def test_objects_come_before_names(self):
        """Three variables have the same name. Without the function that restores them, the objects tell."""
        model = case("tf_function_signatures")
        message = load(model.model, SavedModel)
        graph = message.meta_graphs[0].graph_def
        graph.library.function = [
            function
            for function in graph.library.function
            if not function.signature.name.startswith("__inference__traced_restore")
        ]
        graph.node = [node for node in graph.node if "restore" not in str(node.attr.get("f"))]
        for signature in ("first", "second"):
            again = freeze(message, signature=signature, checkpoint=model.model / "variables")
            assert again == model.freeze(signature=signature)

    def test_full_names_come_last(self):
        model = case("keras_dense")
        message = load(model.model, SavedModel)
        meta = message.meta_graphs[0]
        meta.object_graph_def = None
        meta.graph_def.library.function = [
            function
            for function in meta.graph_def.library.function
            if not function.signature.name.startswith("__inference__traced_restore")
        ]
        meta.graph_def.node = [node for node in meta.graph_def.node if "restore" not in str(node.attr.get("f"))]
        assert freeze(message, checkpoint=model.model / "variables") == model.freeze()

    def test_shared_constants_are_views(self, tmp_path):
        weights = np.arange(1 << 15, dtype="f4")
        model = graph("v = VariableV2() dtype=float shape=(32768)", "y = Identity(v) T=float")
        shared = freeze(model, "y", checkpoint={"v": weights}, share=True)
        copied = freeze(model, "y", checkpoint={"v": weights})
        assert shared == copied
        assert isinstance(shared.node[0].attr["value"].tensor.tensor_content, memoryview)
        assert isinstance(copied.node[0].attr["value"].tensor.tensor_content, bytes)
        assert np.shares_memory(to_ndarray(shared.node[0].attr["value"].tensor), weights)
        save(shared, tmp_path / "shared.pbtxt")
        assert load(tmp_path / "shared.pbtxt", GraphDef) == copied


class TestChoosing:
    def test_denied_variables_stay(self):
        model = case("ref_variables")
        nodes = nodes_of(model.freeze(denylist=["b"]))
        assert (nodes["w"].op, nodes["b"].op) == ("Const", "VariableV2")

    def test_only_allowed_variables_go(self):
        model = case("resource_variables")
        nodes = nodes_of(model.freeze(allowlist="scope/w, scope/b", denylist="scope/b"))
        assert (nodes["scope/w"].op, nodes["scope/b"].op) == ("Const", "VarHandleOp")
        assert nodes["add/ReadVariableOp"].op == "ReadVariableOp"

    def test_devices(self):
        model = case("ref_variables")
        meta = load(model.model, MetaGraphDef)
        for node in meta.graph_def.node:
            node.device = "/device:GPU:7"
        checkpoint = model.model.with_suffix("")
        kept = nodes_of(freeze(meta, "y", checkpoint=checkpoint))
        assert kept["y"].device == "/device:GPU:7"
        assert kept["w"].device == ""  # a constant is wherever it is needed
        cleared = freeze(meta, "y", checkpoint=checkpoint, clear_devices=True)
        assert {node.device for node in cleared.node} == {""}

    def test_the_default_tag_is_serve(self):
        model = case("saved_model_v1")
        assert freeze(model.model, signature="words") == model.freeze()
        assert "z" in nodes_of(freeze(model.model, tags=["gpu", "serve"], checkpoint=model.model / "variables"))

    def test_asset_files_are_those_of_the_model(self):
        for name, holder in (("saved_model_v1", "asset_path"), ("tf_function_table", "asset_path_initializer")):
            model = case(name)
            path = to_ndarray(nodes_of(model.freeze())[holder].attr["value"].tensor).item()
            assert path.decode() == str(model.model / "assets" / "words.txt")

    def test_tables_that_nothing_needs_are_left_out(self):
        model = case("saved_model_v1")
        assert not {"HashTableV2", "InitializeTableFromTextFileV2"} & op_names(freeze(model.model, signature="scale"))
