"""`tfmodel optimize`, and recipes of `tfmodel transform`."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest

from tests.kernel_cases import numbers as made_up
from tests.support.corpus import corpus, needs_corpus
from tests.tfmodel.files.bad_files import BAD_FILES, WITH_SOURCE, write_bad_file
from tests.tfmodel.freezing.models import case
from tests.tfmodel.trained import VALUES
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import load, save, summarize
from tfmodel.cli import main
from tfmodel.errors import GraphError, ModelError
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.interpreter import run
from tfmodel.messages import AttrValue, DataType, GraphDef, MetaGraphDef, NodeDef, SavedModel
from tfmodel.optimizer import optimize
from tfmodel.source.metagraph import decode_collections, make_meta_graph
from tfmodel.transforms.framework.recipes import RECIPES, join_recipes
from tfmodel.values.names import TensorName

TRAINED = "tests/data/trained/model.meta"
LINEAR = "tests/data/linear"

GRAPH = """
    x = Placeholder[dtype=float, shape=(-1, 3)]
    w = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6}(3, 2)]
    i = Identity(w)[T=float]
    m = MatMul(x, i)[T=float]
    y = Relu(m)[T=float]
"""
OPEN = GRAPH.replace("(-1, 3)", "(-1, -1)").replace("{1, 2, 3, 4, 5, 6}(3, 2)", "{1}(1000, 2)")
MINE = """
op {
  name: "Mine"
  input_arg { name: "x" type_attr: "T" }
  output_arg { name: "y" type_attr: "T" }
  attr { name: "T" type: "type" }
}
"""
WIDE = GRAPH.replace("{1, 2, 3, 4, 5, 6}(3, 2)", f"{{{', '.join(str(n % 97 / 7) for n in range(1200))}}}(3, 400)")
"""With enough weights for quantization to 8 bits."""
TABLE = """
    keys = Placeholder[dtype=int64, shape=(-1)]
    table = HashTableV2[key_dtype=int64, value_dtype=float, shared_name="t"]
    known = Const[dtype=int64, value=int64{1, 2}]
    values = Const[dtype=float, value=float{10, 20}]
    fill = InitializeTableV2(table, known, values)[Tkey=int64, Tval=float]
    default = Const[dtype=float, value=float{-1}()]
    found = LookupTableFindV2(table, keys, default)[Tin=int64, Tout=float]
    same = Identity(found)[T=float]
    y = Neg(same)[T=float]
"""


@pytest.fixture
def tfmodel(capsys):
    def run(*arguments):
        status = main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        return status, out, re.sub(r"\d+\.\d\d s", "0.00 s", err).splitlines()

    return run


@pytest.fixture
def model(tmp_path):
    def write(text=GRAPH):
        path = tmp_path / "graph.pb"
        path.write_bytes(graph_of(text).to_bytes())
        return path

    return write


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.pb"


class TestDone:
    def test_a_trained_model_becomes_a_small_graph(self, tfmodel, out):
        status, printed, said = tfmodel("optimize", TRAINED, "-o", out)
        assert (status, printed) == (0, "")
        assert said == [
            'inputs: x, of the signature "serving_default"',
            'outputs: y, of the signature "serving_default"',
            "frozen: 8 -> 8 nodes, 2 variables",
            "y: float32[1,3]: equal on random inputs",
            f"{out}: 8 -> 6 nodes, 510 -> {out.stat().st_size} bytes, 0.00 s, {out.stat().st_size} written",
        ]
        x = np.ones((1, 4), np.float32)
        expected = np.maximum(x @ VALUES["layer/weights"] + VALUES["layer/bias"], 0)
        assert run(load(out, GraphDef), {"x": x}, ["y"])["y"] == pytest.approx(expected)

    @pytest.mark.parametrize("suffix", [".pb", ".pbtxt", ".json"])
    def test_the_suffix_chooses_the_format(self, tfmodel, tmp_path, suffix):
        path = tmp_path / f"out{suffix}"
        assert tfmodel("optimize", LINEAR, "-o", path)[0] == 0
        assert path.read_bytes()[:1] == {".pbtxt": b"n", ".json": b"{"}.get(suffix, b"\n")
        assert len(load(path, GraphDef).node) == 4

    def test_likely_inputs_and_outputs_are_reported(self, tfmodel, model, out):
        assert tfmodel("optimize", model(), "-o", out)[2][:2] == [
            "inputs: x, guessed: --inputs and --outputs name others",
            "outputs: y, guessed: --inputs and --outputs name others",
        ]

    def test_named_inputs_become_placeholders_of_their_type_and_shape(self, tfmodel, model, out):
        assert tfmodel("optimize", model(), "-o", out, "--inputs=m", "--outputs=y")[0] == 0
        m, y = load(out, GraphDef).node
        assert (m.name, m.op, list(m.input), m.attr["dtype"].type) == ("m", "Placeholder", [], DataType.DT_FLOAT)
        assert [size.size for size in m.attr["shape"].shape.dim] == [-1, 2]
        assert [TensorName.parse(text).node for text in y.input] == ["m"]

    def test_a_model_of_functions(self, tfmodel, out):
        keras = case("keras_dense").model
        status, _, said = tfmodel("optimize", keras, "-o", out)
        assert status == 0
        within = r"(equal on random inputs|differs by \S+ at most, \S+e-0[678] of the largest.*)"
        assert re.search(rf"float32\[1,\d+\]: {within}$", said[-2])
        left = {node.op for node in load(out, GraphDef).node}
        assert not left & {"StatefulPartitionedCall", "ReadVariableOp", "VarHandleOp"}

    def test_verbose_prints_each_transform(self, tfmodel, out):
        status, _, said = tfmodel("optimize", TRAINED, "-o", out, "--verbose")
        assert (status, said[0]) == (0, f"recipe deploy: {RECIPES['deploy']}")
        steps = [line.partition(": ")[0] for line in said if " bytes, " in line and "written" not in line]
        assert steps == [step.partition("(")[0] for step in RECIPES["deploy"]]

    def test_a_transform_without_effect_is_reported(self, tfmodel, model, out):
        arguments = ["--transforms", "rename_op(old_op_name=Rellu, new_op_name=Elu)"]
        status, _, said = tfmodel("optimize", model(), "-o", out, *arguments)
        assert status == 0
        assert 'no node has the op "Rellu"; did you mean "Relu"?' in "\n".join(said)

    def test_another_recipe_and_more_transforms(self, tfmodel, model, out):
        arguments = ["--recipe=obfuscate", "--transforms", "rename_op(old_op_name=Relu, new_op_name=Elu)"]
        status, _, said = tfmodel("optimize", model(), "-o", out, *arguments)
        assert status == 0
        assert not any("obfuscate" in line for line in said)
        nodes = load(out, GraphDef).node
        assert [node.op for node in nodes if node.name in ("x", "y")] == ["Placeholder", "Elu"]
        assert not {"w", "m"} & {node.name for node in nodes}

    def test_a_graph_from_standard_input(self, model, out, monkeypatch, tfmodel):
        with open(model(), "rb") as file:
            monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": file}))
            assert tfmodel("optimize", "-", "-o", out)[0] == 0
        assert len(load(out, GraphDef).node) == 4


class TestSavedModel:
    @pytest.mark.parametrize("options", [["--saved-model"], []])
    def test_it_keeps_the_signature(self, tfmodel, tmp_path, options):
        folder = tmp_path / "small"
        assert tfmodel("optimize", TRAINED, "-o", folder if options else f"{folder}/", *options)[0] == 0
        assert [path.name for path in folder.iterdir()] == ["saved_model.pb"]
        before, after = (load(path, MetaGraphDef) for path in (TRAINED, folder))
        assert after.signature_def == before.signature_def
        assert after.meta_info_def.tags == ["serve"]
        assert run(folder, {"x": np.ones((1, 4), np.float32)}).keys() == {"y"}

    def test_without_a_signature_the_keys_are_names(self, tmp_path):
        graph = graph_of(GRAPH.replace("x", "in/x").replace("ma", "Ma"))
        signature = optimize(graph, "in/x", ["y", "m"]).meta_graph().signature_def["serving_default"]
        assert {key: info.name for key, info in signature.inputs.items()} == {"in_x": "in/x:0"}
        assert {key: info.name for key, info in signature.outputs.items()} == {"y": "y:0", "m": "m:0"}
        assert signature.inputs["in_x"].dtype == DataType.DT_FLOAT

    def test_tables_are_filled(self, tmp_path):
        optimized = optimize(graph_of(TABLE), "keys", "y")
        assert optimized.verification is not None
        assert "Identity" not in [node.op for node in optimized.graph.node]
        meta = optimized.meta_graph()
        assert decode_collections(meta)["saved_model_main_op"] == ["fill"]
        save(SavedModel(saved_model_schema_version=1, meta_graphs=[meta]), tmp_path / "saved_model.pb")
        assert run(tmp_path, {"keys": np.array([2, 3])})["y"].tolist() == [-20.0, 1.0]

    def test_the_files_that_it_reads_go_with_it(self, tfmodel, tmp_path):
        model = shutil.copytree(case("tf_function_table").model, tmp_path / "model")
        assert tfmodel("optimize", model, "-o", f"{tmp_path}/small/")[0] == 0
        words = np.array([b"dog", b"nowhere"], object)
        before = run(model, {"words": words})
        shutil.rmtree(model)
        assert [path.name for path in (tmp_path / "small" / "assets").iterdir()] == ["words.txt"]
        after = run(tmp_path / "small", {"words": words})
        assert {key: value.tolist() for key, value in after.items()} == {
            key: value.tolist() for key, value in before.items()
        }

    def test_files_of_others_are_not_copied(self, tmp_path):
        model = shutil.copytree(case("tf_function_table").model, tmp_path / "model")
        (tmp_path / "secret").write_text("a\n")
        saved = load(model / "saved_model.pb", SavedModel)
        saved.meta_graphs[0].asset_file_def[0].filename = "../../secret"
        save(saved, model / "saved_model.pb")
        with pytest.raises(GraphError, match="is not in the folder of the model"):
            optimize(str(model), verify=False)

    def test_an_existing_folder_is_not_overwritten(self, tfmodel, tmp_path):
        shutil.copytree(LINEAR, tmp_path / "there")
        assert tfmodel("optimize", TRAINED, "-o", f"{tmp_path}/there/")[0] == 0
        (tmp_path / "there" / "variables").mkdir()
        status, _, said = tfmodel("optimize", TRAINED, "-o", f"{tmp_path}/there/")
        assert (status, said) == (2, [f"{tmp_path}/there/: other files are there already; name a new folder"])


class TestVerified:
    def broken(self, monkeypatch):
        """Let a step change what is computed."""
        from tfmodel.optimizer import chain

        honest = chain.transform

        def transform(graph, *arguments, **keywords):
            return honest(honest(graph, "", "", "rename_op(old_op_name=Relu, new_op_name=Elu)"), *arguments, **keywords)

        monkeypatch.setattr(chain, "transform", transform)

    def test_a_model_with_other_outputs_is_not_written(self, tfmodel, model, out, monkeypatch):
        self.broken(monkeypatch)
        feed = ["--feed", "x=[[-1, -1, -1]]"]
        status, _, said = tfmodel("optimize", model(), "-o", out, *feed)
        assert status == 2
        assert said[-1].startswith(
            f"{model()}: the optimized graph computes other outputs than the model: y: float32[1,2]: differs"
        )
        assert not out.exists()
        assert tfmodel("optimize", model(), "-o", out, *feed, "--rtol=1e9")[0] == 2  # of numbers that are all 0
        assert tfmodel("optimize", model(), "-o", out, "--no-verify")[0] == 0

    def test_a_recipe_that_changes_weights_reports_the_difference(self, tfmodel, model, out, monkeypatch):
        self.broken(monkeypatch)
        status, _, said = tfmodel("optimize", model(), "-o", out, "--feed", "x=[[-1, -1, -1]]", "--recipe=shrink")
        assert status == 0
        assert said[-2].startswith("y: float32[1,2]: differs by 1 at most") and "too much" not in said[-2]

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            (OPEN, 'the shape of "x:0" is only known to be [?,?]: give it with --shape NAME=SIZES'),
            (GRAPH.replace("Relu", "Mine"), 'Mine "y": there is no kernel for this op'),
        ],
    )
    def test_a_model_that_cannot_run_is_written_with_a_warning(self, tfmodel, model, out, tmp_path, text, reason):
        (tmp_path / "ops.pbtxt").write_text(MINE)
        declared = ["--op-defs", tmp_path / "ops.pbtxt"]
        status, _, said = tfmodel("optimize", model(text), "-o", out, "--outputs=y", "--inputs=x", *declared)
        assert status == 0
        assert said[-2].startswith(f"not verified: {reason}")
        assert out.exists()

    def test_with_verify_an_unverifiable_model_is_not_written(self, tfmodel, model, out):
        path = model(OPEN)
        status, _, said = tfmodel("optimize", path, "-o", out, "--verify")
        assert status == 2
        assert said[-1].startswith(f'{path}: it cannot be verified: the shape of "x:0" is only known to be [?,?]: give')
        assert not out.exists()
        assert tfmodel("optimize", path, "-o", out, "--verify", "--shape=x=2,1000")[0] == 0

    @pytest.mark.parametrize("recipe", ["deploy", "shrink"])
    def test_a_result_that_no_longer_runs_is_not_written(self, tfmodel, model, out, monkeypatch, recipe):
        from tfmodel.optimizer import chain

        honest = chain.transform
        monkeypatch.setattr(
            chain,
            "transform",
            lambda graph, *arguments, **keywords: honest(
                honest(graph, *arguments, **keywords), "", "", "rename_op(old_op_name=Relu, new_op_name=Mine)"
            ),
        )
        status, _, said = tfmodel("optimize", model(), "-o", out, f"--recipe={recipe}")
        assert status == 2
        assert said[-1].startswith(
            f'{model()}: the model can be run on NumPy, but the optimized graph cannot: Mine "y"'
        )
        assert not out.exists()

    def test_half_precision_may_be_a_few_steps_off(self, tfmodel, model, out):
        numbers = [", ".join(f"{number:.3f}" for number in made_up((count,))) for count in (30, 10, 10)]
        text = f"""
            x = Placeholder[dtype=half, shape=(5, 3)]
            w = Const[dtype=half, value=half{{{numbers[0]}}}(3, 10)]
            scale = Const[dtype=half, value=half{{{numbers[1]}}}]
            shift = Const[dtype=half, value=half{{{numbers[2]}}}]
            m = MatMul(x, w)[T=half]
            n = Mul(m, scale)[T=half]
            y = AddV2(n, shift)[T=half]
        """
        status, _, said = tfmodel("optimize", model(text), "-o", out)
        assert status == 0
        off = float(re.search(r"differs by \S+ at most, (\S+) of the largest", said[-2])[1])
        assert 1e-4 < off < 1e-3
        assert tfmodel("optimize", model(text), "-o", out, "--rtol=1e-4")[0] == 2

    @pytest.mark.parametrize(
        ("option", "problem"),
        [
            ("--shape=z=1,3", 'there is no tensor "z"'),
            ("--shape=m=1,2", 'a shape is given for "m", which is not an input: the inputs are "x:0"'),
            ("--shape=x=1,4", 'set_input_shape: the new shapes do not fit: MatMul "m": [1,4] and [3,2] cannot be mult'),
            ("--feed=x=[[1, 2]]", 'the feed "x:0" has shape [1, 2], and [?, 3] is expected'),
            ("--feed=x=[[1], [2, 3]]", 'the feed "x:0" is not an array: [0] has 1 element, and [1] has 2 elements'),
            ("--feed=i=[1]", '"i:0" is fed but not in the optimized graph: name it as an input, or do not feed it'),
        ],
    )
    @pytest.mark.parametrize("recipe", ["deploy", "shrink"])
    def test_invalid_options_do_not_skip_verification(self, tfmodel, model, out, option, problem, recipe):
        status, _, said = tfmodel("optimize", model(), "-o", out, f"--recipe={recipe}", option)
        assert status == 2
        assert said[-1].startswith(f"{model()}: {problem}")
        assert not out.exists()
        if recipe == "deploy":
            assert tfmodel("optimize", model(), "-o", out, "--no-verify")[0] == 0

    def test_random_numbers_do_not_count_as_a_difference(self, tfmodel, model, out):
        text = (
            GRAPH
            + """
            size = Const[dtype=int32, value=int32{2}]
            noise = RandomUniform(size)[dtype=float, T=int32]
            z = Add(y, noise)[T=float]
        """
        )
        status, _, said = tfmodel("optimize", model(text), "-o", out, "--outputs=z")
        assert status == 0
        assert said[-2] in (
            "z: float32[1,2]: equal on random inputs",  # of the same seed
            "not verified: the outputs of the model differ from run to run: it uses random numbers",
        )

    def test_a_new_batch_is_verified_in_parts(self, tfmodel, model, out):
        text = """
            x = Placeholder[dtype=float, shape=(2, 1, 3)]
            size = Const[dtype=int32, value=int32{2, 3}]
            y = Reshape(x, size)[T=float]
        """
        status, _, said = tfmodel("optimize", model(text), "-o", out, "--batch-size=6")
        assert (status, said[-2]) == (0, "y: float32[6,3]: equal on random inputs")
        assert run(load(out, GraphDef), {"x": np.ones((6, 1, 3))}, ["y"])["y"].shape == (6, 3)
        said = tfmodel("optimize", model(text), "-o", out, "--batch-size=5")[2]
        assert said[-2] == "not verified: its inputs have shapes that the model does not take"

    def test_a_new_shape_without_verification(self, tfmodel, model, out):
        assert tfmodel("optimize", model(), "-o", out, "--no-verify", "--shape=x=4,3")[0] == 0
        assert [size.size for size in load(out, GraphDef).node[0].attr["shape"].shape.dim] == [4, 3]

    def test_feeds_and_shapes_are_named_by_tensors_or_by_the_signature(self, tfmodel, tmp_path, out):
        graph = graph_of(GRAPH.replace(", shape=(-1, 3)", ""))
        save(
            make_meta_graph(graph, signatures={"s": {"inputs": {"image": "x"}, "outputs": {"scores": "y"}}}),
            tmp_path / "m.meta",
        )
        for option in ("--shape=image=2,3", "--shape=x=2,3", "--feed=image=[[1, 2, 3], [4, 5, 6]]"):
            random = "" if option.startswith("--feed") else " on random inputs"
            said = tfmodel("optimize", tmp_path / "m.meta", "-o", out, option)[2]
            assert said[-2] == f"y: float32[2,2]: equal{random}"
        status, _, said = tfmodel("optimize", tmp_path / "m.meta", "-o", out, "--feed=imag=1")
        assert (status, said[-1]) == (2, f'{tmp_path}/m.meta: there is no tensor "imag"; did you mean "image"?')


class TestVariablesThatAreWritten:
    """A frozen graph forgets what a run writes."""

    COUNTER = """
        x = Placeholder[dtype=float, shape=()]
        v = VariableV2[dtype=float, shape=()]
        a = AssignAdd(v, x)[T=float]
        y = Neg(a)[T=float]
        z = Neg(x, ^a)[T=float]
    """
    SAID = 'each run of the model writes the variable "v"; the frozen graph does not keep the new value, so every run'

    def test_written_variables_are_named_and_cause_no_difference(self):
        optimized = optimize(graph_of(self.COUNTER), "x", "z", checkpoint={"v": np.float32(1)})
        assert optimized.notes[-1].startswith(self.SAID)
        assert optimized.verification is not None

    def test_results_of_a_second_run_are_not_verified(self, tfmodel, model, out, tmp_path):
        optimized = optimize(graph_of(self.COUNTER), "x", "y", checkpoint={"v": np.float32(1)})
        assert optimized.notes[-1].startswith(self.SAID)
        problem = "the outputs of the model differ in its second run: they depend on variables that it wrote"
        assert (optimized.verification, optimized.unverified) == (None, problem)
        write_checkpoint(tmp_path / "v", {"v": np.float32(1)})
        call = ["optimize", model(self.COUNTER), "-o", out, f"--checkpoint={tmp_path}/v", "--inputs=x", "--outputs=y"]
        assert tfmodel(*call, "--verify")[0] == 2
        assert not out.exists()
        status, _, said = tfmodel(*call)
        assert (status, said[-2]) == (0, f"not verified: {problem}")

    def test_those_that_are_only_read_are_not_named(self):
        optimized = optimize(graph_of(self.COUNTER), "x", "v", checkpoint={"v": np.float32(1)})
        assert not any("each run of the model writes" in note for note in optimized.notes)


class TestInputsThatAreNoPlaceholders:
    FLOW = """
        x = Placeholder[dtype=float, shape=(-1, 3)]
        false = Const[dtype=bool, value=bool{0}()]
        training = PlaceholderWithDefault(false)[dtype=bool, shape=()]
        s = Switch(x, training)[T=float]
        noisy = Neg(s:1)[T=float]
        plain = Identity(s)[T=float]
        y = Merge(plain, noisy)[T=float, N=2]
    """
    HALVES = """
        x = Placeholder[dtype=float, shape=(2, 6)]
        axis = Const[dtype=int32, value=int32{1}()]
        s = Split(axis, x)[num_split=2, T=float]
        y = Sub(s, s:1)[T=float]
    """

    @pytest.mark.parametrize("recipe", RECIPES)
    @pytest.mark.parametrize(("command", "more"), [("optimize", []), ("transform", ["--verify"])])
    def test_they_have_the_type_that_they_had(self, tfmodel, model, out, recipe, command, more):
        call = [command, model(self.FLOW), "-o", out, "--inputs=x,training", "--outputs=y", f"--recipe={recipe}", *more]
        assert tfmodel(*call)[0] == 0
        graph = load(out, GraphDef)
        (training,) = [node for node in graph.node if node.name == "training"]
        assert (training.op, training.attr["dtype"].type) == ("Placeholder", DataType.DT_BOOL)
        for flag, sign in ((False, 1), (True, -1)):
            assert run(graph, {"x": np.ones((1, 3)), "training": flag}, ["y"])["y"].tolist() == [[sign] * 3]

    def test_several_outputs_of_a_node_become_placeholders(self, tfmodel, model, out):
        call = ["optimize", model(self.HALVES), "-o", out, "--inputs=s:1,s:0", "--outputs=y", "--verify"]
        status, _, said = tfmodel(*call)
        assert (status, said[0]) == (0, "renamed: s:1 -> s/1")
        graph = load(out, GraphDef)
        assert {node.name: node.op for node in graph.node} == {"s": "Placeholder", "s/1": "Placeholder", "y": "Sub"}
        feeds = {"s": np.full((2, 3), 5), "s/1": np.full((2, 3), 2)}
        assert run(graph, feeds, ["y"])["y"].tolist() == [[3] * 3] * 2

    def test_feeds_have_the_names_of_the_model(self):
        feeds = {"s:1": np.full((2, 3), 5.0), "s:0": np.full((2, 3), 7.0)}
        optimized = optimize(graph_of(self.HALVES), "s:1,s", "y", feeds=feeds)
        assert optimized.inputs == ["s/1", "s"]
        assert optimized.verification.made_up == ()
        assert [row.name for row in optimized.verification.outputs] == ["y"]


class TestRefused:
    @pytest.mark.parametrize(
        ("arguments", "status", "problem"),
        [
            ([TRAINED], 2, "there is nothing to write the graph to: add -o OUT"),
            ([TRAINED, "-o", "-", "--saved-model"], 2, "--saved-model writes a folder"),
            (
                [TRAINED, "-o", "OUT", "--recipe=deplyo"],
                2,
                'tfmodel optimize: unknown recipe "deplyo"; did you mean "deploy"',
            ),
            ([TRAINED, "-o", "OUT", "--outputs=z"], 2, f'{TRAINED}: there is no tensor "z"'),
            ([TRAINED, "-o", "OUT", "--signature=z"], 2, f'{TRAINED}: there is no signature "z"'),
            (
                [TRAINED, "-o", "OUT", "--transforms=remove_devise"],
                2,
                f'{TRAINED}: there is no transform "remove_devise"',
            ),
            (
                [TRAINED, "-o", "OUT", "--checkpoint=gone"],
                2,
                f"{TRAINED}: there is no checkpoint gone; name the right one",
            ),
            (["gone.pb", "-o", "OUT"], 2, "gone.pb: no such file"),
            ([TRAINED, "-o", "tests"], 2, "tests: this is a folder; add / to make a SavedModel of it"),
            ([TRAINED, "-o", "out.meta"], 2, "out.meta: a .meta is a MetaGraph"),
            ([TRAINED, "-o", f"{TRAINED}/"], 2, f"{TRAINED}/: other files are there already; name a new folder"),
        ],
    )
    def test_errors_are_reported_and_nothing_is_written(self, tfmodel, out, arguments, status, problem):
        argv = [str(out) if word == "OUT" else word for word in arguments]
        code, printed, said = tfmodel("optimize", *argv)
        assert (code, printed) == (status, "")
        assert any(problem in line for line in said)
        assert not out.exists()

    @pytest.mark.parametrize("name", BAD_FILES)
    def test_bad_files(self, tfmodel, tmp_path, out, name):
        path = write_bad_file(name, tmp_path)
        status, _, said = tfmodel("optimize", path, "-o", out)
        assert status == 2
        assert said[0].startswith(str(path))
        assert len(said) == (3 if name in WITH_SOURCE else 1)
        assert not out.exists()

    def test_a_graph_without_an_output(self):
        with pytest.raises(ModelError, match="there is nothing that looks like an output: name some in outputs="):
            optimize(GraphDef(node=[NodeDef(name="x", op="Placeholder", attr={"dtype": AttrValue(type=1)})]))

    def test_several_signatures(self, tfmodel, tmp_path, out):
        meta = make_meta_graph(
            graph_of(GRAPH),
            signatures={
                name: {"inputs": {"x": "x"}, "outputs": {"y": tensor}} for name, tensor in (("one", "y"), ("two", "m"))
            },
        )
        save(meta, tmp_path / "m.meta")
        status, _, said = tfmodel("optimize", tmp_path / "m.meta", "-o", out)
        assert (status, said[-1]) == (
            2,
            f'{tmp_path}/m.meta: there are several signatures ("one", "two"): name one of them with --signature',
        )
        assert tfmodel("optimize", tmp_path / "m.meta", "-o", out, "--signature=two")[2][-2].startswith("m: ")
        assert tfmodel("optimize", tmp_path / "m.meta", "-o", out, "--inputs=x", "--outputs=y")[2][-2].startswith("y: ")


class TestSeveralRecipes:
    COMMANDS = pytest.mark.parametrize("command", ["transform", "optimize"])
    ARGUMENTS = ("--inputs=x", "--outputs=y")

    @COMMANDS
    def test_they_are_applied_in_order_and_each_is_reported(self, tfmodel, model, out, command):
        arguments = [*self.ARGUMENTS, "--recipe=obfuscate", "--recipe=deploy", "--transforms=remove_device"]
        status, _, said = tfmodel(command, model(), "-o", out, *arguments, *["--verbose"] * (command == "optimize"))
        assert status == 0
        assert said[:2] == [f"recipe {name}: {RECIPES[name]}" for name in ("obfuscate", "deploy")]
        done = [line.partition(": ")[0] for line in said[2:] if " bytes, " in line and "written" not in line]
        steps = [*RECIPES["obfuscate"], *RECIPES["deploy"], "remove_device"]
        assert done == [step.partition("(")[0] for step in steps] + [str(out)] * (command == "transform")

    @COMMANDS
    def test_they_are_exact_if_all_of_them_are(self, tfmodel, model, out, command):
        verify = ["--verify"] if command == "transform" else []
        call = [command, model(WIDE), "-o", out, *self.ARGUMENTS, *verify, "--recipe=obfuscate", "--recipe"]
        assert tfmodel(*call, "mobile")[0] == 0
        assert not join_recipes([RECIPES["obfuscate"], RECIPES["mobile"]]).is_exact
        assert join_recipes([RECIPES["obfuscate"], RECIPES["deploy"]]).is_exact

    @COMMANDS
    def test_all_of_them_must_be_there(self, tfmodel, model, out, command):
        status, _, said = tfmodel(command, model(), "-o", out, *self.ARGUMENTS, "--recipe=deploy", "--recipe=mobil")
        assert (status, said) == (2, [f'tfmodel {command}: unknown recipe "mobil"; did you mean "mobile"?'])


class TestRecipesOfTransform:
    def test_a_recipe_is_reported_and_further_steps_follow_it(self, tfmodel, model, out):
        arguments = ["--inputs=x", "--outputs=y", "--recipe=deploy", "--transforms=remove_device"]
        status, _, said = tfmodel("transform", model(), "-o", out, *arguments)
        assert (status, said[0]) == (0, f"recipe deploy: {RECIPES['deploy']}")
        assert said[-2].startswith("remove_device: 4 nodes")

    @pytest.mark.parametrize("recipe", RECIPES)
    def test_variables_without_values_are_reported(self, tfmodel, model, out, recipe):
        text = GRAPH.replace(
            "w = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6}(3, 2)]", "w = VariableV2[dtype=float, shape=(3, 2)]"
        )
        call = ["transform", model(text), "-o", out, "--inputs=x", "--outputs=y"]
        hint = "1 variable has no value in this graph: tfmodel optimize and tfmodel freeze take them from the check"
        assert hint in "\n".join(tfmodel(*call, f"--recipe={recipe}")[2])
        assert hint not in "\n".join(tfmodel(*call, "--transforms", "remove_device")[2])

    def test_recipes_are_listed(self, tfmodel):
        _, printed, _ = tfmodel("transform", "--list")
        for name, recipe in RECIPES.items():
            assert f"--recipe {name}\n    {recipe.line}: {recipe}\n" in printed

    def test_one_of_them_is_explained_like_a_transform(self, tfmodel):
        status, printed, _ = tfmodel("transform", "--help-transform=mobile")
        assert (status, printed) == (0, f"--recipe mobile\n    {RECIPES['mobile'].line}: {RECIPES['mobile']}\n")

    def test_the_printed_steps_are_valid_transforms(self, tfmodel, model, out):
        named = ["--inputs=x", "--outputs=y"]
        _, _, said = tfmodel("transform", model(), "-o", out, *named, "--recipe=obfuscate")
        first = out.read_bytes()
        assert tfmodel("transform", model(), "-o", out, *named, "--transforms", said[0].partition(": ")[2])[0] == 0
        assert out.read_bytes() == first

    @pytest.mark.parametrize("recipe", RECIPES)
    def test_it_is_verified_step_by_step(self, tfmodel, model, out, recipe):
        """A recipe that changes weights is not refused for it."""
        arguments = ["--inputs=x", "--outputs=y", f"--recipe={recipe}", "--verify"]
        status, _, said = tfmodel("transform", model(WIDE), "-o", out, *arguments)
        assert status == 0
        steps = [line for line in said[1:-1] if not line.startswith("  ")]
        assert [line.partition(": ")[0] for line in steps] == [step.partition("(")[0] for step in RECIPES[recipe]]
        assert [line for line in said if "; outputs equal" in line]
        assert any("; outputs differ by " in line for line in said) != RECIPES[recipe].is_exact

    @pytest.mark.parametrize(("recipe", "refused"), [("shrink", "round_weights"), ("mobile", "quantize_weights")])
    def test_differences_beyond_an_explicit_tolerance_are_refused(self, tfmodel, model, out, recipe, refused):
        arguments = ["--inputs=x", "--outputs=y", f"--recipe={recipe}", "--verify", "--rtol=1e-5"]
        path = model(WIDE)
        status, _, said = tfmodel("transform", path, "-o", out, *arguments)
        assert (status, said[-1].partition(", it")[0]) == (2, f"{path}: {refused}: refused")
        assert not out.exists()

    def test_a_result_that_became_nan_is_always_refused(self, tfmodel, model, out):
        arguments = ["--inputs=x", "--outputs=y", "--recipe=shrink", "--verify", "--feed=x=[[-1, -1, -1]]"]
        more = "--transforms=rename_op(old_op_name=Relu, new_op_name=Log)"
        status, _, said = tfmodel("transform", model(), "-o", out, *arguments, more)
        assert status == 2
        assert "do not have a finite difference" in said[-1]

    def test_a_missing_one(self, tfmodel, model, out):
        status, _, said = tfmodel("transform", model(), "-o", out, "--recipe=eight_bit")
        assert (status, said[0].partition("; ")[0]) == (2, 'tfmodel transform: unknown recipe "eight_bit"')


@needs_corpus
@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("serving/saved_model_half_plus_two_tf2_cpu/00000123", 6),
        ("serving/saved_model_half_plus_two_mkl/00000123", 6),
        ("serving/session_bundle/matrix_half_plus_two/1", 5),
        ("tf2onnx/ae0/frozen.pb", 22),
    ],
)
def test_real_models_become_small_and_compute_the_same(tfmodel, out, name, nodes):
    status, _, said = tfmodel("optimize", corpus / name, "-o", out)
    assert (status, said[-2].rpartition(": ")[2].removesuffix(" on random inputs")) == (0, "equal")
    assert len(load(out, GraphDef).node) == nodes
    assert [end.name for end in summarize(str(out)).outputs if end.is_likely]


def test_the_report_says_where_the_steps_of_the_caller_begin():
    """Steps for new shapes come before those of the recipe."""
    options = {"inputs": "x", "outputs": "y", "transforms": "rename_op(old_op_name=A, new_op_name=B)"}
    for batch_size in (None, 3):
        optimized = optimize(graph_of(GRAPH), batch_size=batch_size, **options)
        assert optimized.report.steps[optimized.own_steps].name == "rename_op"


def test_a_vector_for_a_scalar_input():
    """Neither graph can be run with this feed, so the results are not compared."""
    graph = graph_of("x = Placeholder[dtype=float, shape=()]\nz = Placeholder[dtype=float]\ny = Mul(x, z)[T=float]")
    optimized = optimize(graph, ["x", "z"], ["y"], shapes={"z": [4]}, feeds={"x": [1.0, 2.0]})
    assert "do not fit; it got float32[2], float32[4]" in optimized.unverified
