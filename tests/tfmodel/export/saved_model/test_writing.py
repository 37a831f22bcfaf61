"""The folder of a SavedModel: copies without a loss, and models with signatures, variables and tables."""

from __future__ import annotations

import filecmp
import os

import numpy as np
import pytest

from tests.support.corpus import model_files
from tests.tfmodel import models, trained
from tests.tfmodel.freezing.models import CASES, case
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import Checkpoint, Model, check, load, save, save_saved_model, write_checkpoint
from tfmodel.errors import CheckpointError, GraphError, ModelError
from tfmodel.messages import GraphDef, MetaGraphDef, SavedModel
from tfmodel.source.metagraph import decode_collections, make_meta_graph

WITH_TAGS = [name for name in CASES if case(name).model.name == "saved_model"]
METAS = [name for name in CASES if case(name).model.name == "model.meta"]
IMAGE = {"inputs": {"image": "x"}, "outputs": {"scores": "y"}}

TABLE = """
    x = Placeholder[dtype=string, shape=(-1)]
    words = Const[dtype=string, value=string{"/data/words.txt"}()]
    table = HashTableV2[key_dtype=string, value_dtype=int64, shared_name="t"]
    fill = InitializeTableFromTextFileV2(table, words)[key_index=-2, value_index=-1, vocab_size=-1]
    default = Const[dtype=int64, value=int64{-1}()]
    y = LookupTableFindV2(table, x, default)[Tin=string, Tout=int64]
"""


def files_of(folder) -> dict[str, str]:
    """The paths of all files in a folder, by their names in it."""
    paths = (os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return {os.path.relpath(path, folder): path for path in paths}


def meta_of(folder) -> MetaGraphDef:
    return load(folder, MetaGraphDef)


@pytest.fixture
def trained_model(tmp_path):
    """A .meta without a saver, beside its checkpoint."""
    (tmp_path / "trained").mkdir()
    save(trained.meta_graph(), tmp_path / "trained" / "model.meta")
    write_checkpoint(tmp_path / "trained" / "model", trained.VALUES)
    return str(tmp_path / "trained" / "model.meta")


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"one\ntwo\n")
    return str(path)


# --- copies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_TAGS)
def test_a_saved_model_is_copied_without_a_loss(name, tmp_path):
    """TensorFlow wrote these models."""
    assert save_saved_model(case(name).model, tmp_path / "copy") == []
    old, new = files_of(case(name).model), files_of(tmp_path / "copy")
    assert new.keys() == old.keys()
    assert [file for file in old if not filecmp.cmp(old[file], new[file], shallow=False)] == []


@pytest.mark.parametrize("path", model_files("saved_model.pb"))
def test_saved_models_of_others_are_copied_without_a_loss(path, tmp_path):
    save_saved_model(path.parent, tmp_path / "copy")
    assert load(tmp_path / "copy") == load(path)


def test_unknown_fields_are_copied(tmp_path):
    folder = models.write_saved_model(tmp_path / "model", ("serve",), ("train",))
    data = (folder / "saved_model.pb").read_bytes() + b"\xf8\x07\x05"  # field 127
    (folder / "saved_model.pb").write_bytes(data)
    save_saved_model(folder, tmp_path / "copy")
    assert (tmp_path / "copy" / "saved_model.pb").read_bytes() == data


def test_a_changed_graph_is_written_with_the_other_graphs(tmp_path):
    folder = models.write_saved_model(tmp_path / "model", ("serve",), ("train",))
    model = Model(folder, tags=None)
    model.node("y").op = "Elu"
    model.save(f"{tmp_path}/copy/")
    ops = {
        meta.meta_info_def.tags[0]: [node.op for node in meta.graph_def.node if node.name == "y"]
        for meta in load(tmp_path / "copy", SavedModel).meta_graphs
    }
    assert ops == {"serve": ["Elu"], "train": ["Relu"]}


def test_tags_select_one_graph(tmp_path):
    folder = models.write_saved_model(tmp_path / "model", ("serve",), ("train", "gpu"))
    save_saved_model(folder, tmp_path / "copy", tags="train,gpu")
    (meta,) = load(tmp_path / "copy", SavedModel).meta_graphs
    assert meta.meta_info_def.tags == ["train", "gpu"]


def test_other_files_of_the_folder(tmp_path):
    folder = models.write_saved_model(tmp_path / "model", ("serve",))
    (folder / "assets.extra" / "deep").mkdir(parents=True)
    (folder / "assets.extra" / "deep" / "requests").write_bytes(b"warm up")
    (folder / "fingerprint.pb").write_bytes(b"\x08\x01")
    (folder / "README.md").write_text("about")
    (note,) = save_saved_model(folder, tmp_path / "copy")
    assert note == 'left out what is not known to fit: "README.md"'
    assert files_of(tmp_path / "copy").keys() == {"saved_model.pb", "fingerprint.pb", "assets.extra/deep/requests"}
    first, _ = save_saved_model(folder, tmp_path / "other", signatures={"other": IMAGE})
    assert first == "left out fingerprint.pb: it identifies the old files"


# --- models that were not SavedModels --------------------------------------------------------------------------------


class TestGraphs:
    def test_a_signature_with_types_and_shapes(self, tmp_path):
        save_saved_model(models.graph(), tmp_path / "saved", signatures={"predict": IMAGE})
        meta = meta_of(tmp_path / "saved")
        signature = meta.signature_def["predict"]
        shapes = [
            [dim.size for dim in info.tensor_shape.dim]
            for info in (signature.inputs["image"], signature.outputs["scores"])
        ]
        assert shapes == [[-1, 4], [-1, 1]]
        assert [info.dtype for info in (*signature.inputs.values(), *signature.outputs.values())] == [1, 1]
        assert signature.method_name == "tensorflow/serving/predict"

    def test_the_facts_about_the_model(self, tmp_path):
        save_saved_model(models.graph(), tmp_path / "saved", signatures={"predict": IMAGE})
        message = load(tmp_path / "saved", SavedModel)
        info = message.meta_graphs[0].meta_info_def
        assert message.saved_model_schema_version == 1
        assert info.tags == ["serve"]
        assert info.tensorflow_version == "2.12.1"
        assert [op.name for op in info.stripped_op_list.op] == ["Const", "MatMul", "Placeholder", "Relu"]
        assert files_of(tmp_path / "saved").keys() == {"saved_model.pb"}

    def test_inputs_and_outputs_are_inferred(self, tmp_path):
        notes = save_saved_model(models.graph(), tmp_path / "saved")
        assert notes == [
            "inputs: x:0, guessed: signatures= names others",
            "outputs: y:0, guessed: signatures= names others",
        ]
        assert Model(tmp_path / "saved").run({"x": np.ones((1, 4), np.float32)})["y"].tolist() == [[2.0]]

    def test_several_signatures_and_tags(self, tmp_path):
        signatures = {"a": IMAGE, "b": {"inputs": {}, "outputs": {"w": "weights"}}}
        save_saved_model(models.graph(), tmp_path / "saved", signatures=signatures, tags=["serve", "gpu"])
        meta = meta_of(tmp_path / "saved")
        assert sorted(meta.signature_def) == ["a", "b"]
        assert meta.meta_info_def.tags == ["serve", "gpu"]

    def test_a_graph_in_text(self, tmp_path):
        save(models.graph(), tmp_path / "graph.pbtxt")
        save_saved_model(tmp_path / "graph.pbtxt", tmp_path / "saved")
        assert load(tmp_path / "saved", GraphDef) == models.graph()

    @pytest.mark.parametrize(
        ("form", "error", "words"),
        [
            (None, ModelError, 'there is no signature "s"'),
            ({"inputs": {}, "outputs": {"y": "nope"}}, GraphError, '"nope"'),
            ({"inputs": {}, "outputs": {"y": "y:1"}}, GraphError, "has no output 1"),
            ({"inputs": {"x": "x"}, "outputs": {}}, ModelError, "has no outputs"),
            ({"inputs": {}}, TypeError, "a signature is"),
        ],
    )
    def test_wrong_signatures(self, form, error, words, tmp_path):
        with pytest.raises(error, match=words):
            save_saved_model(models.graph(), tmp_path / "saved", signatures={"s": form})
        assert not (tmp_path / "saved").exists()

    def test_an_existing_folder_stays(self, tmp_path):
        (tmp_path / "file").write_bytes(b"mine")
        with pytest.raises(FileExistsError, match="not empty"):
            save_saved_model(models.graph(), tmp_path)
        assert os.listdir(tmp_path) == ["file"]


class TestTables:
    def test_a_file_is_found_by_its_name(self, words, tmp_path):
        save_saved_model(graph_of(TABLE), tmp_path / "saved", assets=[words])
        (asset,) = meta_of(tmp_path / "saved").asset_file_def
        assert (asset.tensor_info.name, asset.filename) == ("words:0", "words.txt")
        assert decode_collections(meta_of(tmp_path / "saved"))["saved_model_main_op"] == ["fill"]
        found = Model(tmp_path / "saved").run({"x": np.array([b"two", b"three"], object)}, "y")["y"]
        assert found.tolist() == [1, -1]
        assert check(tmp_path / "saved").is_clean

    def test_a_file_by_its_node(self, words, tmp_path):
        os.rename(words, words + ".2")
        save_saved_model(graph_of(TABLE), tmp_path / "saved", assets={"words": words + ".2"})
        assert files_of(tmp_path / "saved").keys() == {"saved_model.pb", "assets/words.txt.2"}

    @pytest.mark.parametrize(
        ("assets", "words"),
        [
            (["other.txt"], 'no node holds the path of a file called "other.txt"'),
            ({"nope": "words.txt"}, 'there is no node "nope"'),
            ({"table": "words.txt"}, "is not a constant string"),
            ({"words": "missing.txt"}, '"missing.txt" is not a file'),
        ],
    )
    def test_wrong_assets(self, assets, words, tmp_path):
        with pytest.raises(ModelError, match=words):
            save_saved_model(graph_of(TABLE), tmp_path / "saved", assets=assets)

    def test_the_collection_of_a_meta_names_files_beside_it(self, words, tmp_path):
        meta = make_meta_graph(graph_of(TABLE), collections={"asset_filepaths": ["words:0"]})
        save(meta, tmp_path / "model.meta")
        save_saved_model(tmp_path / "model.meta", tmp_path / "saved")
        assert files_of(tmp_path / "saved").keys() == {"saved_model.pb", "assets/words.txt"}
        os.remove(words)
        with pytest.raises(ModelError, match=r'"/data/words\.txt" is not beside the model'):
            save_saved_model(tmp_path / "model.meta", tmp_path / "other")

    def test_nodes_that_fill_tables_are_kept_by_transforms(self, words, tmp_path):
        save_saved_model(graph_of(TABLE), tmp_path / "saved", assets=[words])
        Model(tmp_path / "saved").transform("strip_unused_nodes").save(f"{tmp_path}/stripped/")
        assert Model(tmp_path / "stripped").run({"x": np.array([b"two"], object)}, "y")["y"].tolist() == [1]

    def test_a_table_that_nothing_fills_is_refused(self, tmp_path):
        graph = graph_of("\n".join(line for line in TABLE.splitlines() if "fill" not in line))
        with pytest.raises(ModelError, match='nothing initializes the tables "table"'):
            save_saved_model(graph, tmp_path / "saved", signatures={"s": IMAGE})


class TestVariables:
    def test_a_saver_is_added(self, trained_model, tmp_path):
        save_saved_model(trained_model, tmp_path / "saved")
        saver = meta_of(tmp_path / "saved").saver_def
        assert (saver.filename_tensor_name, saver.restore_op_name) == ("save/Const:0", "save/restore_all")
        assert Model(tmp_path / "saved").verify(trained_model, batch_size=2).same
        assert check(tmp_path / "saved").is_clean

    def test_values_of_a_mapping(self, trained_model, tmp_path):
        values = {name: array + 1 for name, array in trained.VALUES.items()}
        save_saved_model(trained_model, tmp_path / "saved", checkpoint=values)
        written = Checkpoint(tmp_path / "saved")
        assert sorted(written) == ["layer/bias", "layer/weights"]
        assert written["layer/bias"].tolist() == [1.5, 1.0, 0.5]

    def test_a_graph_with_a_checkpoint(self, trained_model, tmp_path):
        graph = trained.meta_graph().graph_def
        save_saved_model(graph, tmp_path / "saved", checkpoint=trained_model.removesuffix(".meta"))
        assert Model(tmp_path / "saved").verify(trained_model, batch_size=2).same

    def test_values_are_needed(self, tmp_path):
        with pytest.raises(ModelError, match='no values for the 2 variables "layer/weights", "layer/bias"'):
            save_saved_model(trained.meta_graph(), tmp_path / "saved")

    def test_values_that_do_not_fit(self, tmp_path):
        values = trained.VALUES | {"layer/bias": np.zeros(4, np.float32)}
        with pytest.raises(CheckpointError, match=r'"layer/bias" has shape \[3\] in the graph, \[4\]'):
            save_saved_model(trained.meta_graph(), tmp_path / "saved", checkpoint=values)

    def test_a_data_file_is_missing(self, trained_model, tmp_path):
        os.remove(f"{tmp_path}/trained/model.data-00000-of-00001")
        with pytest.raises(CheckpointError, match="which is missing"):
            save_saved_model(trained_model, tmp_path / "saved")

    def test_the_new_nodes_have_names_of_their_own(self, trained_model, tmp_path):
        meta = load(trained_model, MetaGraphDef)
        node = meta.graph_def.node[0]
        node.name, meta.signature_def["serving_default"].inputs["x"].name = "save/x", "save/x:0"
        next(other for other in meta.graph_def.node if other.op == "MatMul").input[0] = "save/x"
        save(meta, trained_model)
        save_saved_model(trained_model, tmp_path / "saved")
        assert meta_of(tmp_path / "saved").saver_def.restore_op_name == "save_1/restore_all"


# --- models of TensorFlow --------------------------------------------------------------------------------------------


def signatures_of(name: str) -> dict[str, object] | None:
    """A signature with the tensors of a case's runs; None if its model has signatures."""
    model, run = Model(case(name).model, tags=case(name).asked.get("tags")), case(name).runs[0]
    if model.signatures:
        return None
    sides = ({f"k{number}": tensor for number, tensor in enumerate(side)} for side in (run.feeds, run.fetches))
    return {"serving_default": dict(zip(("inputs", "outputs"), sides, strict=True))}


def check_runs(name: str, folder) -> None:
    """Assert that the written model gives the results that TensorFlow recorded for the model."""
    model = Model(folder)
    for run in case(name).runs:
        session = Model(model).session
        results = session.run(run.feeds, [*run.fetches])
        for tensor, expected in run.fetches.items():
            np.testing.assert_allclose(
                results[tensor] if expected.dtype != object else results[tensor] == expected,
                expected if expected.dtype != object else True,
                rtol=1e-4,
                atol=1e-5,
            )


@pytest.mark.parametrize("name", METAS)
def test_graphs_with_checkpoints(name, tmp_path):
    save_saved_model(case(name).model, tmp_path / "saved", signatures=signatures_of(name))
    check_runs(name, tmp_path / "saved")


class TestObjects:
    """A model of TensorFlow 2."""

    @pytest.fixture
    def model(self):
        return case("keras_dense").model

    def test_transforms_keep_them(self, model, tmp_path):
        transformed = Model(model).transform("strip_unused_nodes")
        save_saved_model(transformed, tmp_path / "saved")
        objects = meta_of(tmp_path / "saved").object_graph_def
        assert objects == meta_of(model).object_graph_def
        assert files_of(tmp_path / "saved").keys() >= {"variables/variables.index"}
        assert Model(tmp_path / "saved").verify(model, batch_size=2).same

    def test_they_do_not_describe_a_frozen_graph(self, model, tmp_path):
        notes = save_saved_model(Model(model).freeze(), tmp_path / "saved")
        assert notes[0].startswith("left out the objects of TensorFlow 2, which loads the signatures without them")
        assert meta_of(tmp_path / "saved").object_graph_def is None
        assert Model(tmp_path / "saved").verify(model, batch_size=2).same

    def test_a_signature_that_they_lack(self, model, tmp_path):
        (name,) = Model(model).signatures
        save_saved_model(model, tmp_path / "own", signatures={name: None})
        assert meta_of(tmp_path / "own").object_graph_def is not None
        (endpoint,) = Model(model).outputs
        form = {"inputs": {"x": Model(model).inputs[0].tensor}, "outputs": {"scores": endpoint.tensor}}
        save_saved_model(model, tmp_path / "other", signatures={"other": form})
        assert meta_of(tmp_path / "other").object_graph_def is None
        assert decode_collections(meta_of(tmp_path / "other"))["saved_model_main_op"] == ["NoOp"]

    def test_changed_values(self, model, tmp_path):
        changed = {key: array * 2 if array.dtype == np.float32 else array for key, array in Checkpoint(model).items()}
        save_saved_model(model, tmp_path / "saved", checkpoint=changed)
        written = Checkpoint(tmp_path / "saved")
        assert written.object_graph.message == Checkpoint(model).object_graph.message
        assert all(np.array_equal(written[key], array) for key, array in changed.items())
        without = {key: array for key, array in changed.items() if array.dtype != object}
        save_saved_model(model, tmp_path / "without", checkpoint=without)
        assert (tmp_path / "without/variables/variables.index").read_bytes() == (
            tmp_path / "saved/variables/variables.index"
        ).read_bytes()

    def test_values_under_other_names(self, model, tmp_path):
        with pytest.raises(CheckpointError, match="the given checkpoint has no values for"):
            save_saved_model(model, tmp_path / "saved", checkpoint={"kernel": np.ones(3, np.float32)})


def test_a_saved_model_under_another_name_is_alone(tmp_path):
    (tmp_path / "a.pb").write_bytes(models.saved_model(("serve",)).to_bytes())
    (tmp_path / "other.pb").write_bytes(b"")
    assert save_saved_model(tmp_path / "a.pb", tmp_path / "saved") == []
