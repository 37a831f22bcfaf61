"""`weights`: the rows of a model and their values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.corpus import corpus, model_files, needs_corpus
from tests.tfmodel import models
from tests.tfmodel.files.checkpoints.golden import golden
from tests.tfmodel.freezing.models import case
from tests.tfmodel.parameters.graphs import KERNEL, const, function, graph, list_all, node, variable
from tfmodel import load
from tfmodel.errors import FileFormatError, TensorError
from tfmodel.files.checkpoints.checkpoint import Checkpoint
from tfmodel.messages import (
    DataType,
    GraphDef,
    MetaGraphDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
)
from tfmodel.parameters.listing import SORTS, weights

ROOT = Path(__file__).resolve().parents[3]


class TestSources:
    def test_a_frozen_graph(self, tmp_path):
        path = tmp_path / "frozen.pb"
        path.write_bytes(models.graph(weights=64).to_bytes())
        (row,) = list_all(path)
        assert (row.name, row.kind, row.op, row.role) == ("weights", "constant", "MatMul", "matrix")
        assert (row.dtype, row.shape, row.bytes) == ("float32", (1, 64), 256)
        assert np.array_equal(row.array(), np.full((1, 64), 0.5, "f4"))

    @pytest.mark.parametrize(
        "make",
        [
            lambda path: path,
            lambda path: str(path),
            lambda path: path.with_suffix(""),
            lambda path: path.parent,
        ],
    )
    def test_a_meta_and_its_checkpoint(self, trained, make):
        report = list_all(make(trained), sort="order")
        assert [(row.name, row.kind, row.key) for row in report] == [
            ("w", "variable", "w"),
            ("w/Adam", "variable", "w/Adam"),
            ("axis", "constant", None),
            ("extra", "tensor", "extra"),
            ("words", "tensor", "words"),
        ]
        assert np.array_equal(report["w"].array(), KERNEL)
        assert np.array_equal(report["w/Adam"].array(), KERNEL * 2)
        assert report["words"].array().tolist() == [b"a", b"bc"]
        assert (report.count, report.parameters) == (5, 6 + 3)

    def test_a_checkpoint_alone(self, trained):
        for model in (trained.with_suffix(".index"), Checkpoint(trained.with_suffix(""))):
            report = list_all(model)
            assert [row.kind for row in report] == ["tensor"] * 4
            assert np.array_equal(report["w"].array(), KERNEL)
        trained.unlink()
        assert len(list_all(trained.with_suffix(""))) == 4

    def test_a_graph_and_a_separate_checkpoint(self, trained, tmp_path):
        path = tmp_path / "graph.pb"
        path.write_bytes(load(trained, GraphDef).to_bytes())
        assert list_all(path)["w"].missing == "there is no checkpoint"
        for checkpoint in (trained.with_suffix(""), Checkpoint(tmp_path / "model"), {"w": KERNEL, "w/Adam": KERNEL}):
            row = list_all(path, checkpoint=checkpoint)["w"]
            assert np.array_equal(row.array(), KERNEL)

    def test_messages(self, trained):
        meta = load(trained, MetaGraphDef)
        for message in (meta, meta.graph_def, SavedModel(meta_graphs=[meta])):
            row = list_all(message, checkpoint={"w": KERNEL, "w/Adam": KERNEL})["w"]
            assert np.array_equal(row.array(), KERNEL)
        assert list_all(meta.to_bytes())["w"].shape == (2, 3)

    def test_a_variable_that_the_checkpoint_lacks(self, trained):
        row = list_all(load(trained), checkpoint={"w": KERNEL})["w/Adam"]
        assert (row.missing, row.shape, row.bytes) == ("not in the checkpoint", (2, 3), 24)
        with pytest.raises(TensorError, match="w/Adam has no value: not in the checkpoint"):
            row.array()

    def test_the_shape_of_a_variable_may_be_unknown(self):
        model = graph(variable("w", -1, 3), variable("v", op="Variable"))
        assert [(row.shape, row.bytes) for row in list_all(model, sort="order")] == [((-1, 3), None), (None, None)]
        report = list_all(model, checkpoint={"w": KERNEL, "v": KERNEL})
        assert [row.shape for row in report] == [(2, 3), (2, 3)]

    def test_a_meta_graph_is_selected_by_tags(self, tmp_path):
        train = MetaGraphDef(meta_info_def=MetaGraphDef.MetaInfoDef(tags=["train"]), graph_def=graph(const("w")))
        model = SavedModel(meta_graphs=[models.meta_graph("serve"), train])
        (tmp_path / "saved_model.pb").write_bytes(model.to_bytes())
        assert [row.name for row in list_all(tmp_path, tags="train")] == ["w"]
        assert [row.name for row in list_all(tmp_path)] == ["weights"]
        with pytest.raises(FileFormatError, match='no MetaGraph has the tags "gpu"'):
            list_all(tmp_path, tags="gpu")

    @pytest.mark.parametrize(
        "name",
        [
            "keras_v2",
            "slots_v2",
            "sharded_v1",
            "cut_and_sharded_v1",
            "sliced_v1",
            "partitioned_v2",
            "strings_v2",
        ],
    )
    def test_checkpoints_of_every_kind(self, name):
        expected = golden(name)
        report = list_all(expected.path)
        by_key = {row.key: row for row in report}
        arrays = {key: array for key, array in expected.tensors.items() if key != "_CHECKPOINTABLE_OBJECT_GRAPH"}
        assert by_key.keys() == arrays.keys()
        for key, array in arrays.items():
            assert by_key[key].shape == array.shape
            assert np.array_equal(by_key[key].array(), array)

    def test_names_of_objects_are_readable(self):
        assert not any(".ATTRIBUTES" in row.name for row in list_all(golden("keras_v2").path))


class TestCorpus:
    @pytest.mark.parametrize("path", model_files("saved_model.pb", "frozen.pb", "net.pb", ".meta"))
    def test_every_model(self, path):
        report = list_all(path, statistics=True, histogram=True)
        values = {row.name for row in report if not row.missing}
        for row in report:
            if row.name in values:
                array = row.array()
                assert (array.shape, row.dtype) == (row.shape, row.stored_dtype.name)
                if row.statistics is not None and array.size:
                    assert row.statistics.min == array.min()
                    assert sum(row.distribution.counts) == array.size
            else:
                assert row.kind == "variable"
        assert report.to_text().endswith("\n")

    @needs_corpus
    def test_values_of_all_kinds_of_checkpoints(self):
        half = corpus / "serving" / "session_bundle" / "half_plus_two" / "00000123"  # version 1, in shards
        assert [float(list_all(half)[name].array()) for name in "ab"] == [0.5, 2.0]
        three = corpus / "serving" / "saved_model_half_plus_three" / "00000123"
        assert [float(list_all(three)[name].array()) for name in "abc"] == [0.5, 3.0, 3.0]
        objects = corpus / "serving" / "saved_model_half_plus_two_tf2_cpu" / "00000123"
        assert [float(list_all(objects)[name].array()) for name in "abc"] == [0.5, 2.0, 3.0]

    @needs_corpus
    def test_the_training_graph_without_its_checkpoint(self):
        report = list_all(corpus / "generated" / "conv_train.meta")
        assert sum(row.role == "filter" for row in report) == 24
        assert {row.missing for row in report if row.kind == "variable"} == {"there is no checkpoint"}


class TestSelection:
    MADE = graph(const("b/x", np.zeros(1000, "f4")), const("a", np.zeros(10, "f8")), const("c/x", np.zeros(3, "i4")))

    @pytest.mark.parametrize(
        ("options", "names"),
        [
            ({}, ["b/x", "a", "c/x"]),
            ({"sort": "name"}, ["a", "b/x", "c/x"]),
            ({"sort": "order"}, ["b/x", "a", "c/x"]),
            ({"sort": "dtype"}, ["b/x", "a", "c/x"]),
            ({"name": "*/x"}, ["b/x", "c/x"]),
            ({"name": ["a", "c*"]}, ["a", "c/x"]),
            ({"name": "A"}, []),
            ({"min_size": 80}, ["b/x", "a"]),
            ({"min_size": "4k"}, ["b/x"]),
            ({"min_size": "4ki"}, []),
        ],
    )
    def test_rows(self, options, names):
        report = list_all(self.MADE, **options)
        assert [row.name for row in report] == names
        assert (report.count, report.bytes) == (3, 4092)

    def test_by_statistics(self):
        model = graph(
            *(
                const(name, np.float32(values))
                for name, values in {"a": [0, 9], "b": [4, 5], "c": [-9, 1], "d": [np.nan]}.items()
            ),
            const("s", [b"x"]),
        )
        for sort, names in {"min": "bac", "max": "abc", "mean": "abc", "std": "cab"}.items():
            assert "".join(row.name for row in list_all(model, sort=sort, statistics=True))[:3] == names
        assert set(SORTS) == {"size", "order", "name", "dtype", "use", "min", "max", "mean", "std"}


class TestStatistics:
    def test_statistics_of_numbers(self):
        model = graph(const("w", np.float32([1, 3, 0, np.nan, np.inf])))
        statistics = list_all(model, statistics=True)["w"].statistics
        assert (statistics.min, statistics.max, statistics.zeros, statistics.nan, statistics.inf) == (0, 3, 1, 1, 1)

    @pytest.mark.parametrize(
        "tensor",
        [
            const("w", np.array([b"a"], object)),
            const("w", np.complex64([1j])),
        ],
    )
    def test_tensors_without_statistics(self, tensor):
        row = list_all(graph(tensor), statistics=True, histogram=True)["w"]
        assert row.statistics is row.distribution is None

    def test_statistics_of_small_floats_and_integers(self):
        small = const("b", np.float32([1, 2]), DataType.DT_BFLOAT16), const("i", np.int8([-8, 7]), DataType.DT_INT4)
        report = list_all(graph(*small), statistics=True)
        assert [(row.dtype, row.bytes) for row in report] == [("bfloat16", 4), ("int4", 2)]
        assert (report["b"].statistics.mean, report["i"].statistics.min) == (1.5, -8)

    def test_values_are_read_only_for_statistics(self):
        names = []
        model = graph(const("a"), const("b"))
        list_all(model, progress=names.append)
        assert names == []
        list_all(model, name="b", histogram=True, progress=names.append)
        assert names == ["b"]


def test_a_list_of_constants_needs_no_numpy(tmp_path):
    path = tmp_path / "frozen.pb"
    body = function("f", "x", {"y": "m:product:0"}, const("w"), "m = BiasAdd(x, w:output:0)")
    model = graph(const("w", np.ones(5000, "f4")), const("s", [b"a"]), "y = MatMul(x, w)", functions=(body,))
    path.write_bytes(model.to_bytes())
    code = (
        "import sys\nfrom tfmodel.parameters.listing import weights\n"
        f"print(weights({str(path)!r}, all=True).to_text())\nassert 'numpy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 weights" in done.stdout


def names_by_purpose(report):
    """The names of the entries that are not listed, by purpose."""
    names = {}
    for row in report.not_listed:
        names.setdefault(row.purpose, set()).add(row.name)
    return names


class TestLearnedWeights:
    """Without `all`, the learned weights that the outputs use."""

    GRAPH = graph(
        "x = Placeholder()",
        variable("w", 2, 3),
        variable("w/Adam", 2, 3),
        variable("w/Adam_1", 2, 3),
        variable("w/ExponentialMovingAverage", 2, 3),
        variable("beta1_power"),
        variable("unused/w", 3, 3),
        "r = ReadVariableOp(w)",
        "m = MatMul(x, r)",
        const("axis", np.int32(1)),
        "y = Softmax(m)",
        "other = ReadVariableOp(unused/w)",
        "gradients/g = MatMul(x, other)",
        "train = ResourceApplyAdam(w, w/Adam, w/Adam_1, beta1_power, b, c, d, e, f, gradients/g)",
    )
    SIGNATURE = SignatureDef(inputs={"x": TensorInfo(name="x:0")}, outputs={"y": TensorInfo(name="y:0")})
    TRAINED = MetaGraphDef(graph_def=GRAPH, signature_def={"serving_default": SIGNATURE})

    def test_slots_averages_counters_and_unused_weights_are_not_listed(self):
        report = weights(self.TRAINED)
        assert [(row.name, row.slots) for row in report] == [("w", {"Adam slot": 2, "moving average": 1})]
        assert report.outputs == ["y:0"]
        assert names_by_purpose(report) == {
            "slot": {"w/Adam", "w/Adam_1"},
            "moving average": {"w/ExponentialMovingAverage"},
            "state": {"beta1_power"},
            "unused": {"unused/w"},
            "constant": {"axis"},
        }
        assert len(list_all(self.TRAINED)) == 7

    def test_the_text_counts_what_is_not_listed(self):
        assert weights(self.TRAINED).to_text() == (
            "name  used by  as      dtype    shape  bytes   share\n"
            "w     MatMul   matrix  float32  [2,3]     24  100.0%  + 2 Adam slots, 1 moving average\n"
            "\n"
            "1 weight, 24 bytes, 6 parameters\n"
            "1 without values: there is no checkpoint\n"
            "6 more with --all: 2 Adam slots, 1 moving average, 1 counter or other value, 1 other constant, "
            "1 weight that no output uses\n"
        )
        assert "--all" not in list_all(self.TRAINED).to_text()

    def test_json_counts_what_is_not_listed(self):
        document = json.loads(weights(self.TRAINED).to_json())
        assert document["outputs"] == ["y:0"]
        assert document["weights"][0]["slots"] == {"Adam slot": 2, "moving average": 1}
        counts = {"slot": 2, "moving average": 1, "state": 1, "constant": 1, "unused": 1}
        assert document["not_listed"] == {"count": 6, **counts}
        rows = json.loads(list_all(self.TRAINED).to_json())["weights"]
        assert {row["name"]: row["purpose"] for row in rows if row.get("purpose") == "slot"} == {
            "w/Adam": "slot",
            "w/Adam_1": "slot",
        }

    @pytest.mark.parametrize(
        ("lines", "listed"),
        [
            ([const("w", KERNEL), "y = MatMul(x, w)"], True),
            ([const("w", KERNEL[0]), "y = Mul(x, w)"], True),  # an array of floats in a frozen graph
            ([const("w", np.float32(2)), "y = Mul(x, w)"], False),
            ([const("w", np.float32(2)), "w/read = Identity(w)", "y = Mul(x, w/read)"], True),  # it was a variable
            ([const("w", KERNEL[0]), variable("v", 3), "y = Mul(x, w)"], False),  # the graph is not frozen
            ([const("w", KERNEL), variable("v", 3), "y = MatMul(x, w)"], True),
            ([const("w", np.int32([2, 3])), "y = Reshape(x, w)"], False),
            ([const("w", np.int32([[1, 1]])), "y = Pad(x, w)"], False),
            ([const("w", [b"a", b"b"]), "y = ConcatV2(x, w)"], False),
            ([const("w", np.int8([[1, 2]])), "y = MatMul(x, w)"], True),
            ([const("w", np.arange(9, dtype="i4").reshape(3, 3)), "y = GatherV2(w, x)"], False),
        ],
    )
    def test_constants(self, lines, listed):
        report = weights(graph("x = Placeholder()", *lines))
        assert ("w" in [row.name for row in report]) is listed
        assert ("w" in names_by_purpose(report).get("constant", ())) is not listed

    def test_only_what_outputs_use_of_a_function_counts(self):
        body = function(
            "f",
            "x a b",
            {"y": "m:product:0", "unused": "n:product:0"},
            "m = MatMul(x, a)",
            "n = MatMul(x, b)",
            const("c"),
            "k = MatMul(x, c:output:0)",
        )
        model = graph(
            "x = Placeholder()",
            const("a", KERNEL),
            const("b", KERNEL),
            node("call = PartitionedCall(x, a, b)", f="f"),
            "y = Identity(call)",
            functions=(body,),
        )
        report = weights(model)
        assert [row.name for row in report] == ["a"]
        assert names_by_purpose(report) == {"unused": {"b", "f/c"}}

    def test_the_body_and_condition_of_a_loop_count(self):
        body = function("body", "x w", {"y": "m:product:0", "w2": "w"}, "m = MatMul(x, w)")
        cond = function("cond", "x w", {"go": "g:z:0"}, const("limit"), "g = Less(x, limit:output:0)")
        model = graph(
            "x = Placeholder()",
            const("w", KERNEL),
            node("loop = While(x, w)", body="body", cond="cond"),
            "y = Identity(loop)",
            functions=(body, cond),
        )
        assert {row.name for row in weights(model)} == {"w", "cond/limit"}

    def test_uncertain_outputs_list_all_learned_weights(self):
        model = graph(variable("w", 2, 3), variable("v", 2, 3), variable("step", dtype=DataType.DT_INT64))
        report = weights(model)
        assert {row.name for row in report} == {"w", "v"}
        assert report.outputs is None
        assert report.to_text().endswith(
            "no output is certain enough: weights that outputs do not use are listed too\n"
        )

    def test_tensors_are_listed_if_variables_lack_values(self):
        model = graph("x = Placeholder()", variable("w", 2, 3), "r = ReadVariableOp(w)", "y = MatMul(x, r)")
        report = weights(model, checkpoint={"w": KERNEL, "renamed": KERNEL})
        assert [row.name for row in report] == ["w"]
        report = weights(model, checkpoint={"renamed": KERNEL})
        assert {row.name for row in report} == {"w", "renamed"}


class TestLearnedTensors:
    """In a checkpoint alone, by the names that TensorFlow writes."""

    @pytest.mark.parametrize(
        ("name", "shape", "purpose", "slots"),
        [
            ("w/Adam", (2, 3), "slot", {"Adam slot": 1}),
            ("w/Adam_1", (2, 3), "slot", {"Adam slot": 1}),
            ("train/w/RMSProp_1", (2, 3), "slot", {"RMSProp slot": 1}),
            ("w/adam_m", (2, 3), "slot", {"Adam slot": 1}),
            ("w/ExponentialMovingAverage", (2, 3), "moving average", {"moving average": 1}),
            ("Adam/w/m", (2, 3), "slot", {"Adam slot": 1}),
            ("Adam/v/w", (2, 3), "slot", {"Adam slot": 1}),
            ("training/RMSprop/Variable_2", (2, 3), "slot", {}),
            ("Adam/decay", (), "state", {}),
            ("beta1_power_1", (), "state", {}),
            ("bn/moving_mean", (2, 3), "", {}),
            ("v/Adam", (2, 3), "", {}),  # without a variable v, it is a weight
            ("w/Adam", (3,), "", {}),  # of another shape
            ("scale", (), "", {}),
        ],
    )
    def test_names(self, name, shape, purpose, slots):
        report = weights({"w": KERNEL, name: np.zeros(shape, "f4")})
        rows = {row.name: row for row in (*report, *report.not_listed)}
        assert (rows[name].purpose, rows["w"].slots) == (purpose, slots)
        assert (name in [row.name for row in report]) is (purpose == "")

    def test_two_tensors_of_the_name_of_an_optimizer(self):
        report = weights(dict.fromkeys(("w", "w/MyOpt", "w/MyOpt_1", "v", "v/kernel"), KERNEL))
        assert {row.name: row.slots for row in report} == {"w": {"MyOpt slot": 2}, "v": {}, "v/kernel": {}}

    def test_strings_and_integers_are_not_weights(self):
        report = weights({"w": KERNEL, "step": np.int64(3), "words": [b"a"], "ids": np.int32([1, 2])})
        assert [row.name for row in report] == ["w"]
        assert names_by_purpose(report) == {"state": {"step", "words", "ids"}}

    @pytest.mark.parametrize(
        ("name", "listed", "note"),
        [
            ("slots_v2", {"dense/kernel", "dense/bias"}, "4 Adam slots, 2 Momentum slots, 3 counters and other values"),
            (
                "keras_v2",
                {f"model/layer_with_weights-{number}/{part}" for number in (0, 1) for part in ("kernel", "bias")},
                "8 Adam slots, 6 counters and other values",
            ),
        ],
    )
    def test_checkpoints_of_tensorflow(self, name, listed, note):
        report = weights(golden(name).path)
        assert {row.name for row in report} == listed
        assert report.to_text().splitlines()[-1].endswith(f" more with --all: {note}")

    def test_the_names_of_keras_in_the_object_graph(self):
        """Optimizers of TF 2.11 and later have the key optimizer/_variables/1, and the name Adam/m/dense/kernel."""
        report = weights(os.path.join(case("keras_dense").model, "variables", "variables"))
        trained = {row.name for row in report if row.slots == {"Adam slot": 2}}
        assert trained == {
            "layer_with_weights-0/kernel",
            "layer_with_weights-0/bias",
            "layer_with_weights-1/gamma",
            "layer_with_weights-1/beta",
            "layer_with_weights-2/kernel",
            "layer_with_weights-2/bias",
        }
        assert {row.name for row in report} - trained == {
            "layer_with_weights-1/moving_mean",
            "layer_with_weights-1/moving_variance",
        }
