"""`Model`: its properties, and steps that chain."""

from __future__ import annotations

import inspect
import shutil
from functools import wraps
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest

import tfmodel
from tests.tfmodel import models
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import GraphError, Model, ModelError
from tfmodel.messages import GraphDef, MetaGraphDef, NodeDef, SignatureDef, TensorInfo

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
        assert [(end.tensor, end.dtype, end.shape) for end in trained.inputs] == [("x:0", "float32", (None, 4))]
        assert [(end.tensor, end.dtype, end.shape) for end in trained.outputs] == [("y:0", "float32", (None, 3))]

    def test_without_a_signature_they_are_the_likely_ones(self):
        model = Model(graph(PLAIN))
        assert [end.tensor for end in model.inputs] == ["x:0"]
        assert [end.reasons[0] for end in model.outputs] == ["nothing uses it"]

    def test_signatures_by_name(self, trained):
        assert [end.tensor for end in trained.signatures["serving_default"].outputs] == ["y:0"]
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
        tfmodel.save(GraphDef(), tmp_path / "model.pb")
        model = Model(tmp_path / "model.pb")
        tfmodel.save(graph(PLAIN), tmp_path / "model.pb")
        assert model.graph == graph(PLAIN)

    def test_the_requested_signature_is_used(self):
        outputs = {"a": "x:0", "b": "y:0"}
        signatures = {name: SignatureDef(outputs={"out": TensorInfo(name=tensor)}) for name, tensor in outputs.items()}
        meta = MetaGraphDef(graph_def=graph(PLAIN), signature_def=signatures)
        assert [end.tensor for end in Model(meta, signature="a").outputs] == ["x:0"]
        assert [end.tensor for end in Model(meta, signature="b").outputs] == ["y:0"]
        with pytest.raises(ModelError, match='no signature "c"'):
            Model(meta, signature="c").run(FEEDS)


class TestWhatIsNoModelFailsAtOnce:
    @pytest.mark.parametrize("source", [5, None, 1.5, ["model.pb"], {"x"}, object(), NodeDef(), Model, print])
    def test_values_of_other_types(self, source):
        with pytest.raises(TypeError, match="expected a GraphDef, MetaGraphDef, SavedModel or a path, not"):
            Model(source)

    @pytest.mark.parametrize("path", ["nosuch", "", "nosuch/", "nosuch/saved_model.pb", Path("nosuch.meta")])
    def test_paths_that_lead_to_no_file(self, path):
        with pytest.raises(FileNotFoundError):
            Model(path)

    def test_a_folder_without_a_model(self, tmp_path):
        with pytest.raises(tfmodel.FileFormatError, match="this folder is empty"):
            Model(tmp_path)

    @pytest.mark.parametrize(
        ("option", "error"),
        [
            ({"checkpoint": 5}, TypeError),
            ({"checkpoint": ["model"]}, TypeError),
            ({"checkpoint": "nosuch"}, FileNotFoundError),
            ({"checkpoint": Path("nosuch")}, FileNotFoundError),
            ({"signature": 5}, ModelError),
            ({"signature": b"serving_default"}, ModelError),
        ],
    )
    def test_options(self, option, error):
        for source in (TRAINED / "model.meta", graph(PLAIN), Model(graph(PLAIN))):
            with pytest.raises(error):
                Model(source, **option)

    def test_no_content_is_read_for_it(self, tmp_path):
        """Files may be large, and pipes can be read only once."""
        (tmp_path / "notes.txt").write_text("no model")
        model = Model(tmp_path / "notes.txt")
        with pytest.raises(tfmodel.FileFormatError, match="this is a text file"):
            _ = model.graph
        events = tmp_path / "logs"
        events.mkdir()
        for number in (1, 2):
            (events / f"events.out.tfevents.{number}.host").write_bytes(b"damaged")
        assert Model(events)

    def test_a_model_that_is_open_needs_no_file(self, tmp_path):
        tfmodel.save(graph(PLAIN), tmp_path / "model.pb")
        model = Model(tmp_path / "model.pb")
        assert model.graph
        (tmp_path / "model.pb").unlink()
        assert Model(model).graph == graph(PLAIN)
        assert Model(model, signature=None).bind({"x": np.ones((1, 4))}).inputs == []


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
        result = step(trained)
        assert list(result.signatures) == ["serving_default"]
        assert result.verify(trained, FEEDS).same

    def test_a_bound_tensor_is_not_an_input_any_more(self, trained):
        bound = trained.bind({"x": [[1, 2, 3, 4]]})
        assert bound.inputs == []
        assert bound.signatures["serving_default"].inputs == []
        assert np.array_equal(bound.run({})["y"], trained.run({"x": [[1, 2, 3, 4]]})["y"])
        assert [node.op for node in trained.graph.node if node.name == "x"] == ["Placeholder"]

    @pytest.mark.parametrize("step", ["freeze", "transform"])
    def test_a_step_binds_tensors(self, trained, step):
        result = getattr(trained, step)(*["remove_device"] * (step == "transform"), bind={"x": [[1, 2, 3, 4]]})
        assert result.inputs == []
        assert np.array_equal(result.run({}, "y")["y"], trained.run({"x": [[1, 2, 3, 4]]})["y"])

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

    def test_notes_and_the_report_say_what_was_done(self, trained):
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

    def test_verify_does_not_depend_on_earlier_runs(self):
        model = Model(graph(COUNTER), checkpoint={"v": np.float32(5)})
        model.run({}, "read")
        again = Model(graph(COUNTER), checkpoint={"v": np.float32(5)})
        assert model.verify(again, {}, "read").same

    def test_feeds_are_made_up(self, trained):
        report = trained.freeze().verify(trained, batch_size=3)
        assert report.same and report.made_up == ("x",)

    def test_feeds_and_how_to_make_them_up_exclude_each_other(self, trained):
        with pytest.raises(ValueError, match="random inputs"):
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
        trained.save(f"{tmp_path}/with_variables/")
        assert Model(tmp_path / "with_variables").verify(trained, FEEDS).same
        with pytest.raises(ModelError, match="leave the format out"):
            trained.save(f"{tmp_path}/other/", format="text")


class TestLookUps:
    def test_a_node_by_name(self):
        assert Model(models.graph()).node("layer/MatMul").op == "MatMul"

    def test_a_node_of_a_function(self):
        assert Model(models.graph()).node("sum", "double").op == "AddV2"

    def test_its_neighbours(self):
        model = Model(models.graph())
        assert [node.name for node in model.producers("layer/MatMul")] == ["x", "weights"]
        assert [node.name for node in model.consumers("x")] == ["layer/MatMul", "y"]
        assert model.consumers("sum", function="double") == []

    def test_they_see_changes(self):
        model = Model(models.graph())
        model.graph.node[2].input[1] = "x"
        assert [node.name for node in model.producers("layer/MatMul")] == ["x", "x"]
        model.graph.node[2].name = "renamed"
        assert model.node("renamed").op == "MatMul"

    @pytest.mark.parametrize(
        ("name", "function", "problem"),
        [
            ("layer/MatMull", "", 'there is no node "layer/MatMull"; did you mean "layer/MatMul"?'),
            ("sum", "duble", 'there is no function "duble"; did you mean "double"?'),
        ],
    )
    def test_unknown_names(self, name, function, problem):
        for look_up in (Model.node, Model.producers, Model.consumers):
            with pytest.raises(GraphError) as caught:
                look_up(Model(models.graph()), name, function)
            assert str(caught.value) == problem


FUNCTIONS = {
    name: getattr(tfmodel, name) for name, _ in inspect.getmembers(Model, inspect.isfunction) if name in tfmodel.__all__
}
FUNCTIONS |= {"summary": tfmodel.summarize, "objects": tfmodel.object_tree, "draw": tfmodel.page}
FUNCTIONS |= {"run": tfmodel.Session.run}  # a run in the session of the model
"""The public function that does the same as a method."""

CALLED = {
    "freeze": "tfmodel.freezing.pipeline.freeze_model",
    "run": "tfmodel.Session.run",
}
"""The function that a method calls, if it is not the public one at its public name."""

MODELS = {"self", "model", "graph", "message", "a", "b", "other", "reference"}

WRITTEN_OUT = {
    "optimize": {"checkpoint", "signature", "tags"},
    "save": {"check"},
    "transform": set(),
}
"""Methods with a signature of their own, since arguments have another order or form than in the function, and options
that only one of the two has. `save` has a graph, which it checks."""


def options_of(function):
    """Return the types and defaults of options. Methods name types by their public names: `tfmodel.Summary`."""
    return {
        parameter.name: (str(parameter.annotation).replace("tfmodel.", ""), parameter.default)
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name not in MODELS
    }


class Called(Exception):
    """The function was called that a method forwards to."""


@pytest.fixture
def recorded(monkeypatch):
    """A function that replaces the function at a path by one that records its arguments and raises Called."""

    def replace(path):
        passed = {}

        @wraps(resolve_name(path))  # what reads the signature meanwhile may keep it
        def record(*args, **options):
            passed.update(options, args=args)
            raise Called

        monkeypatch.setattr(path, record)
        return passed

    return replace


class TestMethodsHaveTheOptionsOfTheirFunctions:
    @pytest.mark.parametrize("method", sorted(FUNCTIONS.keys() - WRITTEN_OUT.keys()))
    def test_names_types_defaults_and_order(self, method):
        assert list(options_of(getattr(Model, method)).items()) == list(options_of(FUNCTIONS[method]).items())

    @pytest.mark.parametrize("method", WRITTEN_OUT)
    def test_methods_with_their_own_signature(self, method):
        ours, theirs = options_of(getattr(Model, method)), options_of(FUNCTIONS[method])
        assert ours.keys() ^ theirs.keys() == WRITTEN_OUT[method]
        given = {"transform": {"inputs", "outputs"}}.get(method, set())  # a model has them, a graph has not
        for name in (ours.keys() & theirs.keys()) - given:
            assert ours[name] == theirs[name], name

    @pytest.mark.parametrize("method", sorted(FUNCTIONS.keys() - {"save"}))
    def test_every_option_is_passed_on(self, method, recorded):
        passed = recorded(CALLED.get(method, f"tfmodel.{FUNCTIONS[method].__name__}"))
        names = options_of(getattr(Model, method))
        models = {"splice", "verify", "diff", "compare_values"}
        with pytest.raises(Called):
            getattr(Model(graph(PLAIN)), method)(*["y"] * (method in models), **{name: [name] for name in names})
        for name in names:
            assert passed.get(name) == [name] or [name] in passed["args"], name

    def test_options_that_say_which_model_is_meant_override_it(self):
        model = Model(TRAINED / "model.meta")
        ones = {"layer/weights": np.ones((4, 3), np.float32), "layer/bias": np.ones(3, np.float32)}
        assert np.allclose(model.freeze(checkpoint=ones).run({"x": np.ones((1, 4), np.float32)})["y"], 5)
        assert {weight.read().max() for weight in model.weights(checkpoint=ones)} == {1}
        with pytest.raises(ModelError, match='there is no signature "other"'):
            model.freeze(signature="other")


class TestFunctionsTakeModels:
    """Functions that take a path or a message also take a Model, which is opened once."""

    @pytest.mark.parametrize(
        "function",
        [
            tfmodel.freeze,
            tfmodel.optimize,
            tfmodel.summarize,
            tfmodel.weights,
            lambda model: tfmodel.run(model, FEEDS),
            lambda model: tfmodel.transform(model, "x", "y", "sort_by_execution_order"),
            tfmodel.make_meta_graph,
            lambda model: tfmodel.diff(model, model),
            lambda model: tfmodel.compare_values(model, model),
            lambda model: tfmodel.find(model, "op=*"),
            lambda model: tfmodel.verify(model, model, FEEDS),
        ],
        ids=[
            "freeze",
            "optimize",
            "summarize",
            "weights",
            "run",
            "transform",
            "make_meta_graph",
            "diff",
            "compare_values",
            "find",
            "verify",
        ],
    )
    def test_it_is_read_once(self, function, tmp_path):
        for file in TRAINED.iterdir():
            shutil.copy(file, tmp_path)
        model = Model(tmp_path / "model.meta")
        assert model.graph
        (tmp_path / "model.meta").unlink()
        assert function(model)

    def test_other_keywords_override_the_model(self):
        model = Model(TRAINED / "model.meta")
        ones = {"layer/weights": np.ones((4, 3), np.float32), "layer/bias": np.ones(3, np.float32)}
        assert np.allclose(tfmodel.run(model, {"x": np.ones((1, 4), np.float32)}, checkpoint=ones)["y"], 5)
        with pytest.raises(tfmodel.FileFormatError, match="leave the tags out"):
            tfmodel.run(model, FEEDS, tags="serve")


REPRS = {
    "<Model tests/data/trained/model.meta>": lambda model: model,
    "<Model of a message>": lambda model: tfmodel.Model(model.graph),
    "<GraphIndex of 8 nodes>": lambda model: model.index(),
    "<GraphEditor of 8 nodes>": lambda model: model.edit(),
    "<Checkpoint 'tests/data/trained/model' of 2 tensors>": lambda model: model.checkpoint,
    "<Optimized: 6 nodes from ['x'] to ['y'], outputs equal on random inputs>": tfmodel.optimize,
}


@pytest.mark.parametrize(("text", "make"), REPRS.items(), ids=REPRS)
def test_the_repr_is_short(text, make):
    assert repr(make(tfmodel.Model("tests/data/trained/model.meta"))) == text
