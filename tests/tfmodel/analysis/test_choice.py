"""The choice of inputs and outputs, and that all functions that need them make the same choice."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.parameters.graphs import graph
from tests.tfmodel.reports.training_graph import TRAINING, placeholder, typed
from tests.tfmodel.transforms.graph_notation import graph as read_graph
from tfmodel import GraphError, Model, ModelError, optimize, run, summarize
from tfmodel.analysis.choice import choose, choose_if_readable, fitting_signature, tensor_of
from tfmodel.drawing.outlines import ends_of
from tfmodel.messages import MetaGraphDef, SignatureDef, TensorInfo
from tfmodel.source.model_source import ModelSource

DOUBLE = graph(placeholder("x", 2), placeholder("u", 2), typed("y = Neg(x)"), typed("v = Abs(u)"))
"""Two models in one graph: y of x, and v of u."""
DROPOUT = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    keep_prob = Placeholder[dtype=float, shape=()]
    size = Const[dtype=int32, value=int32{1, 4}]
    random = RandomUniform(size)[dtype=float, T=int32]
    sum = Add(random, keep_prob)[T=float]
    mask = Floor(sum)[T=float]
    scaled = RealDiv(x, keep_prob)[T=float]
    out = Mul(scaled, mask)[T=float]
"""
UNCERTAIN = graph(placeholder("x", 2), typed("size = Shape(x)"))


def model(**signatures):
    """DOUBLE with signatures: one=("x", "y") has the input "in" and the output "out"."""

    def infos(key, name):
        return {key: TensorInfo(name=f"{name}:0", dtype=1)} if name else {}

    meta = MetaGraphDef(graph_def=DOUBLE)
    for name, (fed, fetched) in signatures.items():
        meta.signature_def[name] = SignatureDef(inputs=infos("in", fed), outputs=infos("out", fetched))
    return meta


def source(given, **options):
    return ModelSource.of(given, **options)


BOTH = {"one": ("x", "y"), "two": ("u", "v")}


class TestChoice:
    @pytest.mark.parametrize(
        ("given", "options", "asked", "inputs", "outputs"),
        [
            (DOUBLE, {}, {"outputs": ["v"]}, ["u:0"], ["v:0"]),
            (DOUBLE, {}, {}, ["x:0", "u:0"], ["y:0", "v:0"]),
            (DOUBLE, {}, {"inputs": ["y"], "outputs": ["y"]}, ["y:0"], ["y:0"]),
            (DOUBLE, {}, {"inputs": [], "outputs": ["y", "y:0"]}, [], ["y:0"]),
            (TRAINING, {}, {}, ["image:0"], ["probabilities:0"]),
            (model(serving_default=("x", "y")), {}, {}, ["x:0"], ["y:0"]),
            (model(serving_default=("x", "y")), {}, {"outputs": ["v"]}, ["x:0"], ["v:0"]),
            (model(serving_default=("x", "y")), {}, {"inputs": ["in"], "outputs": ["out"]}, ["x:0"], ["y:0"]),
            (model(serving_default=("", "y")), {}, {}, [], ["y:0"]),
            (model(**BOTH), {"signature": "two"}, {}, ["u:0"], ["v:0"]),
            (model(**BOTH), {}, {"outputs": ["v"]}, ["u:0"], ["v:0"]),
        ],
        ids=lambda value: "-" if isinstance(value, (dict, list)) else type(value).__name__,
    )
    def test_named_tensors_else_those_of_the_signature_else_the_likely_ones(
        self, given, options, asked, inputs, outputs
    ):
        choice = choose(source(given, **options), **asked)
        assert (choice.inputs, choice.outputs) == (inputs, outputs)

    @pytest.mark.parametrize(
        ("given", "asked", "inputs_from", "outputs_from"),
        [
            (DOUBLE, {"outputs": ["v"]}, ("likely", "", 0.9), ("asked", "", 1.0)),
            (DOUBLE, {}, ("likely", "", 0.9), ("likely", "", 0.9)),
            (
                model(serving_default=("x", "y")),
                {"inputs": ["x"]},
                ("asked", "", 1),
                ("signature", "serving_default", 1),
            ),
        ],
        ids=["outputs named", "nothing named", "inputs named"],
    )
    def test_it_says_where_they_come_from(self, given, asked, inputs_from, outputs_from):
        choice = choose(source(given), **asked)
        assert (choice.inputs_from, choice.outputs_from) == (inputs_from, outputs_from)

    def test_the_notes_are_about_what_was_not_named(self):
        assert choose(source(DOUBLE), outputs=["v"]).notes("guessed") == ["inputs: u, guessed"]
        assert choose(source(model(serving_default=("", "y")))).notes() == [
            'inputs: none, of the signature "serving_default"',
            'outputs: y, of the signature "serving_default"',
        ]
        assert choose(source(UNCERTAIN), outputs=["x"], inputs=["x"]).notes() == []

    def test_inputs_that_only_training_sets_are_bound_on_request(self):
        given = read_graph(DROPOUT)
        assert choose(source(given), bind=True).bound == {"keep_prob:0": 1}
        assert choose(source(given), bind=True).notes()[-1].startswith("bound: keep_prob=1, ")
        assert choose(source(given)).bound == {}
        assert choose(source(given), inputs=["x", "keep_prob"], bind=True).bound == {}
        values = choose(source(given), inputs=["x", "keep_prob"], bind={"keep_prob": 0.5})
        assert (values.inputs, values.bound, values.training) == (["x:0"], {"keep_prob": 0.5}, [])

    @pytest.mark.parametrize(
        ("given", "asked", "inputs", "outputs"),
        [
            (DOUBLE, {}, [], []),
            (DOUBLE, {"outputs": ["v"]}, [], ["v:0"]),
            (model(serving_default=("x", "y")), {"outputs": ["v"]}, ["x:0"], ["v:0"]),
            (model(serving_default=("x", "")), {}, ["x:0"], []),
        ],
    )
    def test_without_likely_tensors_only_the_requested_and_declared_ones_are_left(self, given, asked, inputs, outputs):
        choice = choose(source(given), likely=False, **asked)
        assert (choice.inputs, choice.outputs) == (inputs, outputs)

    @pytest.mark.parametrize(
        ("name", "side", "tensor"),
        [("in", "inputs", "x:0"), ("out", "outputs", "y:0"), ("v", "outputs", "v:0"), ("v:0", "inputs", "v:0")],
    )
    def test_a_name_is_that_of_a_tensor_or_a_key(self, name, side, tensor):
        assert tensor_of(source(model(serving_default=("x", "y"))), name, side).numbered == tensor

    @pytest.mark.parametrize(
        ("signatures", "signature"),
        [
            ({"one": ("x", "y"), "two": ("u", "other")}, "one"),
            (BOTH, None),
            ({"one": ("x", "x"), "two": ("u", "other")}, None),
            ({"serving_default": ("x", "y"), "two": ("u", "v")}, None),
        ],
        ids=["one fits", "two fit", "none fits", "default"],
    )
    def test_a_signature_fits_a_graph_that_ends_in_its_outputs(self, signatures, signature):
        assert fitting_signature(source(model(**signatures)), DOUBLE) == signature


class TestErrors:
    @pytest.mark.parametrize(
        ("given", "asked", "error", "match"),
        [
            (UNCERTAIN, {}, ModelError, r'no output is certain enough: .*: "size" \(20%'),
            (graph(placeholder("x", 2)), {}, ModelError, "nothing that looks like an output"),
            (model(**BOTH), {}, ModelError, r'several signatures \("one", "two"\): name one of them in'),
            (UNCERTAIN, {"outputs": ["sise"]}, GraphError, 'there is no tensor "sise"; did you mean "size"'),
            (DOUBLE, {"inputs": ["^x"]}, GraphError, "is a control input, not a tensor"),
            (model(serving_default=("x", "y")), {"outputs": ["outt"]}, GraphError, 'did you mean "out"'),
        ],
        ids=["uncertain", "nothing", "several signatures", "unknown node", "control input", "unknown key"],
    )
    def test_they_say_what_was_found(self, given, asked, error, match):
        with pytest.raises(error, match=match):
            choose(source(given), **asked)

    def test_several_signatures_leave_open_what_is_not_named(self):
        with pytest.raises(ModelError, match="several signatures"):
            choose(source(model(**BOTH)), outputs=["v"], likely=False)

    def test_a_signature_without_outputs(self):
        with pytest.raises(ModelError, match="the signature has no outputs: name some in outputs="):
            choose(source(model(serving_default=("x", ""))))

    def test_a_partial_choice_has_the_inputs_and_says_why_there_are_no_outputs(self):
        choice = choose(source(UNCERTAIN), partial=True)
        assert (choice.inputs, choice.outputs) == (["x:0"], [])
        assert choice.problem.startswith("no output is certain enough")

    @pytest.mark.parametrize(
        "given", [model(**BOTH), model(serving_default=("x", "nosuch"))], ids=["several", "damaged"]
    )
    def test_reports_get_an_empty_choice_that_says_why(self, given):
        choice = choose_if_readable(source(given))
        assert (choice.inputs, choice.outputs) == ([], [])
        assert choice.problem


class TestUse:
    def test_a_model_with_several_signatures_runs_if_the_outputs_are_named(self):
        given = model(**BOTH)
        result = optimize(given, outputs=["v"])
        assert (result.inputs, result.outputs) == (["u"], ["v"])
        assert list(run(given, {"u": np.float32([-1, 2])}, ["v"])["v"]) == [1, 2]
        with pytest.raises(ModelError, match="several signatures"):
            run(given, {"u": np.float32([-1, 2])})

    def test_keys_of_the_signature_name_tensors(self):
        result = optimize(model(serving_default=("x", "y"), other=("u", "v")), inputs=["in"], outputs=["out"])
        assert (result.inputs, result.outputs) == (["x"], ["y"])

    def test_model(self):
        assert [end.tensor for end in Model(DOUBLE).outputs] == ["y:0", "v:0"]
        assert [end.tensor for end in Model(model(**BOTH), signature="two").inputs] == ["u:0"]
        with pytest.raises(ModelError, match="several signatures"):
            _ = Model(model(**BOTH)).outputs

    @pytest.mark.parametrize(
        "given",
        [DOUBLE, model(serving_default=("x", "y")), model(serving_default=("", "y")), TRAINING],
        ids=["graph", "one", "unfed", "train"],
    )
    def test_summaries_models_and_pictures_agree_with_optimize(self, given):
        choice = choose(source(given))
        report, pictured = summarize(given), ends_of(source(given))
        nodes = [node.name for node in source(given).graph.node]
        for side in ("inputs", "outputs"):
            chosen = {name.removesuffix(":0") for name in getattr(choice, side)}
            assert {end.name for end in getattr(Model(given), side)} == chosen
            assert {end.name for end in getattr(report, side) if end.is_likely} == chosen
            assert {nodes[position] for position in pictured[side]} == chosen
