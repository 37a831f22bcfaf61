"""Models as objects: what they tell of themselves, and steps that chain."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import Model, ModelError
from tfmodel.messages import GraphDef, MetaGraphDef, SignatureDef, TensorInfo

TRAINED = Path(__file__).parents[1] / "data" / "trained"

PLAIN = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    h = Relu(x)[T=float]
    y = Neg(h)[T=float]
"""

COUNTER = """
    v = VarHandleOp[dtype=float, shape=()]
    one = Const[dtype=float, value=float{1}()]
    add = AssignAddVariableOp(v, one)[dtype=float]
    read = ReadVariableOp(v, ^add)[dtype=float]
"""

FEEDS = {"x": np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)}


@pytest.fixture
def trained():
    """A graph with variables, a signature, and a checkpoint beside it: y = relu(x @ weights + bias)."""
    return Model(TRAINED / "model.meta")


class TestParts:
    def test_inputs_and_outputs_are_those_of_the_signature(self, trained):
        assert [(each.tensor, each.dtype, each.shape) for each in trained.inputs] == [("x", "float32", (None, 4))]
        assert [(each.tensor, each.dtype, each.shape) for each in trained.outputs] == [("y", "float32", (None, 3))]

    def test_without_a_signature_they_are_the_likely_ones(self):
        model = Model(graph(PLAIN))
        assert [each.tensor for each in model.inputs] == ["x"]
        assert [each.reasons[0] for each in model.outputs] == ["nothing uses it"]

    def test_signatures_by_name(self, trained):
        assert [each.tensor for each in trained.signatures["serving_default"].outputs] == ["y:0"]
        assert Model(graph(PLAIN)).signatures == {}

    def test_the_checkpoint_beside_it(self, trained):
        assert sorted(trained.checkpoint) == ["layer/bias", "layer/weights"]
        assert Model(graph(PLAIN)).checkpoint is None

    def test_a_checkpoint_of_your_own(self):
        model = Model(TRAINED / "model.meta", checkpoint={"layer/weights": np.ones((4, 3), np.float32)})
        assert list(model.checkpoint) == ["layer/weights"]

    def test_a_checkpoint_alone_has_weights_and_no_graph(self):
        model = Model(TRAINED / "model.index")
        assert [weight.name for weight in model.weights()] == ["layer/weights", "layer/bias"]
        with pytest.raises(tfmodel.FileFormatError, match="which holds no graph"):
            _ = model.graph

    def test_nothing_is_read_before_it_is_needed(self, tmp_path):
        model = Model(tmp_path / "later.pb")
        with pytest.raises(FileNotFoundError):
            _ = model.graph
        tfmodel.save(graph(PLAIN), tmp_path / "later.pb")
        assert model.graph == graph(PLAIN)

    def test_the_signature_that_is_named_tells(self):
        outputs = {"a": "x:0", "b": "y:0"}
        signatures = {name: SignatureDef(outputs={"out": TensorInfo(name=each)}) for name, each in outputs.items()}
        meta = MetaGraphDef(graph_def=graph(PLAIN), signature_def=signatures)
        assert [each.tensor for each in Model(meta, signature="a").outputs] == ["x"]
        assert [each.tensor for each in Model(meta, signature="b").outputs] == ["y"]
        with pytest.raises(ModelError, match='no signature "c"'):
            Model(meta, signature="c").run(FEEDS)


class TestSteps:
    def test_they_chain(self, trained, tmp_path):
        trained.freeze().transform("remove_nodes(op=Identity)").optimize().save(tmp_path / "small.pb")
        expected = trained.run(FEEDS)["y"]
        assert np.allclose(Model(tmp_path / "small.pb").run(FEEDS)["y"], expected)

    @pytest.mark.parametrize(
        "step",
        [
            lambda model: model.freeze(),
            lambda model: model.optimize(),
            lambda model: model.transform("sort_by_execution_order"),
            lambda model: model.with_graph(model.graph),
        ],
        ids=["freeze", "optimize", "transform", "with_graph"],
    )
    def test_signatures_stay(self, trained, step):
        made = step(trained)
        assert list(made.signatures) == ["serving_default"]
        assert made.verify(trained, FEEDS).same

    def test_a_model_stays_as_it_was(self, trained):
        before = trained.graph.to_bytes(deterministic=True)
        trained.freeze(), trained.optimize()
        assert trained.graph.to_bytes(deterministic=True) == before

    def test_a_frozen_model_has_no_checkpoint(self, trained):
        assert trained.freeze().checkpoint is None
        assert {weight.kind for weight in trained.freeze().weights()} == {"constant"}

    def test_a_signature_whose_tensors_are_gone_is_gone(self, trained):
        frozen = trained.freeze("layer/MatMul")
        assert frozen.signatures == {}
        assert len(frozen.outputs) == 1

    def test_notes_and_the_report_tell_what_was_done(self, trained):
        small = trained.optimize()
        assert any("frozen" in note for note in small.notes)
        assert small.report is not None and small.report.steps

    def test_a_node_is_edited_in_place(self, tmp_path):
        model = Model(graph(PLAIN))
        for node in model.graph.node:
            if node.op == "Relu":
                node.op = "Relu6"
        model.save(tmp_path / "edited.pb")
        assert "Relu6" in {node.op for node in tfmodel.load(tmp_path / "edited.pb", GraphDef).node}


class TestRunning:
    def test_outputs_without_a_signature_are_the_likely_ones(self):
        assert list(Model(graph(PLAIN)).run(FEEDS)) == ["y"]

    def test_variables_are_kept_between_runs(self):
        model = Model(graph(COUNTER), checkpoint={"v": np.float32(5)})
        assert [float(model.run({}, "read")["read"]) for _ in range(2)] == [6, 7]

    def test_what_was_run_before_does_not_matter_to_verify(self):
        model = Model(graph(COUNTER), checkpoint={"v": np.float32(5)})
        model.run({}, "read")
        again = Model(graph(COUNTER), checkpoint={"v": np.float32(5)})
        assert model.verify(again, {}, "read").same

    def test_feeds_are_made_up(self, trained):
        report = trained.freeze().verify(trained, batch_size=3)
        assert report.same and report.made_up == ("x",)

    def test_feeds_and_how_to_make_them_up_exclude_each_other(self, trained):
        with pytest.raises(ValueError, match="made up"):
            trained.verify(trained, FEEDS, seed=1)


class TestWriting:
    def test_a_meta_graph(self, trained, tmp_path):
        trained.optimize().save(tmp_path / "small.meta")
        assert list(Model(tmp_path / "small.meta").signatures) == ["serving_default"]
        with pytest.raises(ModelError, match="graph alone"):
            Model(graph(PLAIN)).save(tmp_path / "graph.meta")

    def test_a_saved_model(self, trained, tmp_path):
        trained.optimize().save(f"{tmp_path}/saved/")
        assert Model(tmp_path / "saved").verify(trained, FEEDS).same
        with pytest.raises(ModelError, match="optimize"):
            trained.save(f"{tmp_path}/other/")


class TestFunctionsTakeModels:
    """What takes a path or a message takes a model, which is opened once for all of them."""

    @pytest.mark.parametrize(
        "function",
        [
            tfmodel.freeze,
            tfmodel.optimize,
            tfmodel.summarize,
            tfmodel.weights,
            lambda model: tfmodel.run(model, FEEDS),
            lambda model: tfmodel.diff(model, model),
            lambda model: tfmodel.verify(model, model, FEEDS),
        ],
        ids=["freeze", "optimize", "summarize", "weights", "run", "diff", "verify"],
    )
    def test_it_is_read_once(self, function, tmp_path):
        for file in TRAINED.iterdir():
            shutil.copy(file, tmp_path)
        model = Model(tmp_path / "model.meta")
        assert model.graph
        (tmp_path / "model.meta").unlink()
        assert function(model)

    def test_what_else_is_said_counts(self):
        model = Model(TRAINED / "model.meta")
        ones = {"layer/weights": np.ones((4, 3), np.float32), "layer/bias": np.ones(3, np.float32)}
        assert np.allclose(tfmodel.run(model, {"x": np.ones((1, 4), np.float32)}, checkpoint=ones)["y"], 5)
        with pytest.raises(tfmodel.FileFormatError, match="leave the tags out"):
            tfmodel.run(model, FEEDS, tags="serve")
