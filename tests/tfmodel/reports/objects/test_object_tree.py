from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pbwire import Message
from tests.tfmodel import models
from tests.tfmodel.reports.objects.saved_objects import (
    Trackable,
    a_list,
    a_tuple,
    concrete,
    function,
    meta,
    references,
    spec,
    thing,
    variable,
)
from tfmodel import Checkpoint, Model, ModelError, object_tree, save, write_checkpoint
from tfmodel.messages import (
    AssetFileDef,
    MetaGraphDef,
    SavedAsset,
    SavedModel,
    SavedObject,
    SavedResource,
    TrackableObjectGraph,
)

LAYER = "_tf_keras_layer"


def names(model: MetaGraphDef) -> list[str]:
    """The paths of the tree, in its order."""
    return [item.path for item in object_tree(model)]


class TestPlaces:
    def test_the_tree_has_variables_first_and_functions_last(self) -> None:
        model = meta(
            thing({"f": 1, "layer": 2, "w": 3}),
            function("f"),
            thing({"w": 4}),
            variable(),
            variable(),
            f=concrete(spec()),
        )
        assert names(model) == ["", "w", "layer", "layer/w", "f"]

    def test_a_shared_object_is_shown_once_on_the_shortest_path(self) -> None:
        tree = object_tree(meta(thing({"a": 1, "b": 2}), thing({"inner": 3}), variable(), thing({"w": 2})))
        assert [item.path for item in tree] == ["", "b", "a", "a/inner"]
        assert tree["a/inner/w"] is tree["b"]
        assert tree["a/inner"].edges[0].is_place is False

    def test_lists_add_no_distance(self) -> None:
        assert names(meta(thing({"blocks": 1, "last": 2}), a_list(2), thing({}))) == ["", "blocks", "blocks/0"]

    def test_private_attributes_of_keras_do_not_lead_to_other_objects(self) -> None:
        model = meta(
            thing({"variables": 1, "keras_api": 2, "kernel": 3}, LAYER), a_list(3), thing({"variables": 1}), variable()
        )
        tree = object_tree(model)
        assert [(item.path, item.is_internal) for item in tree] == [
            ("", False), ("kernel", False), ("variables", True), ("keras_api", True)
        ]  # fmt: skip

    def test_a_list_named_variables_of_another_object_is_an_ordinary_list(self) -> None:
        assert [item.is_internal for item in object_tree(meta(thing({"variables": 1}), a_list(2), variable()))] == [
            False
        ] * 3

    def test_cycles(self) -> None:
        tree = object_tree(meta(thing({"me": 0, "child": 1}), thing({"parent": 0, "child": 1})))
        assert [item.path for item in tree] == ["", "child"]
        assert tree["child/child/parent/me"] is tree.root

    def test_children_out_of_range_are_left_out(self) -> None:
        assert names(meta(thing({"a": -1, "b": 2, "c": 2**31 - 1, "d": 1}), thing({}))) == ["", "d"]

    def test_objects_that_the_root_does_not_lead_to_are_listed_at_the_end(self) -> None:
        tree = object_tree(meta(thing({}), thing({"w": 2}), variable(5)))
        assert [(item.number, item.depth, item.is_internal) for item in tree] == [
            (0, 0, False),
            (1, 0, True),
            (2, 1, True),
        ]

    def test_a_chain_of_100_000_objects(self) -> None:
        tree = object_tree(meta(*(thing({"a": number + 1}) for number in range(100_000)), variable(3)))
        assert (tree[-1].depth, tree.root.totals.parameters) == (100_000, 3)
        assert len(tree.to_text()) < 20_000_000
        assert tree[-1].as_dict()["path"] is None


class TestFacts:
    def test_totals_count_each_variable_once(self) -> None:
        tree = object_tree(
            meta(
                thing({"a": 1, "b": 2}),
                thing({"w": 3}),
                thing({"w": 3, "n": 4}),
                variable(2, 3),
                variable(5, trainable=False),
            )
        )
        assert tree.root.totals == (2, 11, 6, 44, 0)
        assert [tree[name].totals.parameters for name in ("a", "b")] == [6, 5]

    def test_a_variable_of_unknown_size(self) -> None:
        assert object_tree(meta(thing({"w": 1}), variable(-1, 3))).root.totals == (1, 0, 0, 0, 1)

    def test_the_class_and_name_of_a_layer_are_in_its_metadata(self, tmp_path: Path) -> None:
        layer = '{"class_name": "Dense", "name": "dense_1"}'
        model = meta(thing({"d": 1}, "_tf_keras_model"), thing({}, LAYER, metadata=layer))
        tree = object_tree(model)
        assert (tree["d"].class_name, tree["d"].label, tree.root.class_name) == ("Dense", "dense_1", "_tf_keras_model")

    def test_metadata_beside_the_model(self, tmp_path: Path) -> None:
        model = meta(thing({"d": 1}), thing({}, LAYER))
        save(SavedModel(meta_graphs=[model]), tmp_path / "saved_model.pb")
        document = b'{"class_name": "Dense"}'
        layer = b"\x10\x01\x1a\x06root.d\x2a" + bytes([len(document)]) + document
        (tmp_path / "keras_metadata.pb").write_bytes(b"\x0a" + bytes([len(layer)]) + layer + b"\x0a\x05damage")
        assert object_tree(tmp_path)["d"].class_name == "Dense"

    @pytest.mark.parametrize("metadata", ["{", "[]", '{"class_name": 5, "name": {}}', "[" * 100_000])
    def test_metadata_that_says_nothing(self, metadata: str) -> None:
        item = object_tree(meta(thing({}, LAYER, metadata=metadata))).root
        assert (item.class_name, item.label) == (LAYER, "")

    def test_assets_resources_and_constants(self) -> None:
        model = meta(
            thing({"file": 1, "table": 2, "lost": 3}),
            SavedObject(asset=SavedAsset(asset_file_def_index=0)),
            SavedObject(resource=SavedResource(device="/cpu:0")),
            SavedObject(asset=SavedAsset(asset_file_def_index=7)),
        )
        model.asset_file_def = [AssetFileDef(filename="words.txt")]
        rows = [(item.kind, item.label) for item in object_tree(model)]
        assert rows == [("object", ""), ("asset", "words.txt"), ("resource", "/cpu:0"), ("asset", "")]

    def test_a_path_to_nothing_gets_a_suggestion(self) -> None:
        with pytest.raises(ModelError, match='the object "layer" has no "kernl"; did you mean "kernel"'):
            object_tree(meta(thing({"layer": 1}), thing({"kernel": 2}), variable()))["layer/kernl"]

    def test_names_may_contain_slashes(self) -> None:
        tree = object_tree(meta(thing({"a/b": 1}), thing({"c": 2}), variable()))
        assert tree["a/b/c"].kind == "variable"

    @pytest.mark.parametrize("model", [models.graph(), models.meta_graph()])
    def test_models_without_objects(self, model: Message) -> None:
        with pytest.raises(ModelError, match="the model has no objects: only SavedModels of TensorFlow 2 do"):
            object_tree(model)


class TestText:
    def test_layers_with_their_variables(self) -> None:
        layer = thing({"kernel": 3, "variables": 4, "keras_api": 5}, LAYER)
        root = thing({"layer-0": 2, "layer_with_weights-0": 2, "tied": 2, "heads": 1})
        model = meta(root, a_list(2, 7), layer, variable(4, 2), a_list(3), thing({"m": 6}), variable(1), thing({}))
        assert object_tree(model).to_text() == (
            "(root)                 object           9 parameters, 36 bytes\n"
            "  tied (also layer-0)  _tf_keras_layer  9 parameters, 36 bytes\n"
            "    kernel             variable         float32[4,2]\n"
            "  heads[0]             see              tied\n"
            "  heads[1]             object\n"
            "\n"
            "8 objects, 9 parameters, 36 bytes\n"
            "not shown: 3 internal or empty objects, with 1 variable (--all)\n"
        )

    def test_depth(self) -> None:
        model = meta(thing({"a": 1}), thing({"b": 2}), thing({"w": 3}), variable(2))
        assert object_tree(model).to_text(depth=1).splitlines()[:2] == [
            "(root)  object  2 parameters, 8 bytes",
            "  a     object  2 parameters, 8 bytes, 2 more below",
        ]
        assert [row["number"] for row in object_tree(model).as_dict(depth=1)["objects"]] == [0, 1]

    def test_control_characters_are_escaped(self) -> None:
        text = object_tree(meta(thing({"a\x1b[31m": 1}), function("f\n"))).to_text(internal=True)
        assert "a\\x1b[31m" in text
        assert "f\\n, which is not declared" in text

    def test_many_functions_with_one_large_concrete_function(self) -> None:
        functions = [function("g") for _ in range(2_000)]
        large = a_tuple(*[spec("x", 3)] * 5_000)
        model = meta(thing({f"f{n}": n + 1 for n in range(2_000)}), *functions, g=concrete(large, output=large))
        assert len(object_tree(model).to_text()) < 1_000_000
        assert len(object_tree(model).to_json()) < 2_000_000

    def test_json_has_a_row_for_each_object(self) -> None:
        tree = object_tree(meta(thing({"w": 1, "f": 2}), variable(2), function("g"), g=concrete(a_tuple(spec("x", 3)))))
        document = json.loads(tree.to_json())
        assert [(row["path"], row["kind"]) for row in document["objects"]] == [
            ("", "object"),
            ("w", "variable"),
            ("f", "function"),
        ]
        assert document["objects"][1]["shape"] == [2]
        assert document["concrete_functions"]["g"]["args"]["items"][0]["dtype"] == "float32"


class TestModel:
    def test_objects_and_functions(self) -> None:
        model = Model(meta(thing({"f": 1}), function("g"), g=concrete(a_tuple(spec("x", 3)))))
        assert model.objects()["f"].kind == "function"
        assert [item.path for item in model.functions] == ["f"]


class TestCheckpoints:
    @pytest.fixture
    def prefix(self, tmp_path: Path) -> str:
        """A checkpoint of model.layers[0].kernel with an optimizer that keeps a slot for it."""
        key = "model/kernel/.ATTRIBUTES/VARIABLE_VALUE"
        slot = "model/kernel/.OPTIMIZER_SLOT/opt/m/.ATTRIBUTES/VARIABLE_VALUE"
        value = Trackable.SerializedTensor(name="VARIABLE_VALUE", full_name="dense/kernel", checkpoint_key=key)
        moment = Trackable.SerializedTensor(name="VARIABLE_VALUE", checkpoint_key=slot)
        lost = Trackable.SerializedTensor(name="VARIABLE_VALUE", checkpoint_key="lost")
        kept = Trackable.SlotVariableReference(original_variable_node_id=3, slot_name="m", slot_variable_node_id=5)
        graph = TrackableObjectGraph(
            nodes=[
                Trackable(children=references({"model": 1, "opt": 4, "lost": 6})),
                Trackable(children=references({"layers": 2})),
                Trackable(children=references({"0": 3})),
                Trackable(attributes=[value]),
                Trackable(slot_variables=[kept]),
                Trackable(attributes=[moment]),
                Trackable(attributes=[lost]),
            ]
        )
        tensors = {key: np.zeros((2, 3), np.float32), slot: np.zeros((2, 3), np.float32)}
        tensors["_CHECKPOINTABLE_OBJECT_GRAPH"] = np.array(graph.to_bytes(), object)
        write_checkpoint(tmp_path / "c", tensors)
        return str(tmp_path / "c")

    def test_text(self, prefix: str) -> None:
        assert object_tree(prefix).to_text() == (
            "(root)         object    12 parameters, 48 bytes and 1 variable of unknown size\n"
            "  lost         variable  not in the checkpoint\n"
            "  model        object    6 parameters, 24 bytes\n"
            "    layers[0]  variable  float32[2,3]\n"
            "  opt          object    6 parameters, 24 bytes\n"
            "    m          variable  float32[2,3], for model/layers/0\n"
            "\n"
            "7 objects, 12 parameters, 48 bytes and 1 variable of unknown size\n"
        )

    def test_values(self, prefix: str) -> None:
        item = object_tree(Checkpoint(prefix))["model/layers/0"]
        assert (item.label, item.trainable, item.values[0].size) == ("dense/kernel", None, 24)

    def test_a_checkpoint_without_objects(self, tmp_path: Path) -> None:
        write_checkpoint(tmp_path / "c", {"a": np.zeros(3)})
        with pytest.raises(ModelError, match="the checkpoint has no objects"):
            object_tree(str(tmp_path / "c"))
