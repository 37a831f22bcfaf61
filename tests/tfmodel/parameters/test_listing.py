"""`weights`: the rows of a model and their values."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.corpus import corpus, corpus_files, needs_corpus
from tests.tfmodel import models
from tests.tfmodel.checkpoints.golden import golden
from tests.tfmodel.freezing.models import CASES, case
from tests.tfmodel.parameters.graphs import const, function, graph, variable
from tfmodel import load
from tfmodel.checkpoints.checkpoint import Checkpoint
from tfmodel.checkpoints.writing import write_checkpoint
from tfmodel.errors import CheckpointError, FileFormatError, GraphError, TensorError
from tfmodel.inspection.summary import summarize
from tfmodel.messages import AttrValue, DataType, GraphDef, MetaGraphDef, NodeDef, SavedModel, TensorProto
from tfmodel.parameters.listing import SORTS, parse_size, weights
from tfmodel.tensors import to_ndarray

ROOT = Path(__file__).resolve().parents[3]
KERNEL = np.arange(6, dtype="f4").reshape(2, 3)


@pytest.fixture
def trained(tmp_path):
    """Return a .meta with its checkpoint."""
    graph_def = graph(
        variable("w", 2, 3),
        variable("w/Adam", 2, 3),
        "r = ReadVariableOp(w)",
        "y = MatMul(x, r)",
        "train = ResourceApplyAdam(w, w/Adam, v, a, b, c)",
        const("axis", np.int32(1)),
        "z = Mean(y, axis)",
    )
    path = tmp_path / "model.meta"
    path.write_bytes(MetaGraphDef(meta_info_def=MetaGraphDef.MetaInfoDef(), graph_def=graph_def).to_bytes())
    tensors = {"w": KERNEL, "w/Adam": KERNEL * 2, "words": [b"a", b"bc"], "extra": KERNEL[0]}
    write_checkpoint(tmp_path / "model", tensors)
    return path


class TestSources:
    def test_a_frozen_graph(self, tmp_path):
        path = tmp_path / "frozen.pb"
        path.write_bytes(models.graph(weights=64).to_bytes())
        (row,) = weights(path)
        assert (row.name, row.kind, row.op, row.role) == ("weights", "constant", "MatMul", "matrix")
        assert (row.dtype, row.shape, row.size) == ("float32", (1, 64), 256)
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
        report = weights(make(trained), sort="order")
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
            report = weights(model)
            assert [row.kind for row in report] == ["tensor"] * 4
            assert np.array_equal(report["w"].array(), KERNEL)
        trained.unlink()
        assert len(weights(trained.with_suffix(""))) == 4

    def test_a_graph_and_a_separate_checkpoint(self, trained, tmp_path):
        path = tmp_path / "graph.pb"
        path.write_bytes(load(trained, GraphDef).to_bytes())
        assert weights(path)["w"].missing == "there is no checkpoint"
        for checkpoint in (trained.with_suffix(""), Checkpoint(tmp_path / "model"), {"w": KERNEL, "w/Adam": KERNEL}):
            row = weights(path, checkpoint=checkpoint)["w"]
            assert np.array_equal(row.array(), KERNEL)

    def test_messages(self, trained):
        meta = load(trained, MetaGraphDef)
        for message in (meta, meta.graph_def, SavedModel(meta_graphs=[meta])):
            row = weights(message, checkpoint={"w": KERNEL, "w/Adam": KERNEL})["w"]
            assert np.array_equal(row.array(), KERNEL)
        assert weights(meta.to_bytes())["w"].shape == (2, 3)

    def test_a_variable_that_the_checkpoint_lacks(self, trained):
        row = weights(load(trained), checkpoint={"w": KERNEL})["w/Adam"]
        assert (row.missing, row.shape, row.size) == ("not in the checkpoint", (2, 3), 24)
        with pytest.raises(TensorError, match="w/Adam has no value: not in the checkpoint"):
            row.array()

    def test_the_shape_of_a_variable_may_be_unknown(self):
        model = graph(variable("w", -1, 3), variable("v", op="Variable"))
        assert [(row.shape, row.size) for row in weights(model, sort="order")] == [((-1, 3), None), (None, None)]
        report = weights(model, checkpoint={"w": KERNEL, "v": KERNEL})
        assert [row.shape for row in report] == [(2, 3), (2, 3)]

    def test_a_meta_graph_is_selected_by_tags(self, tmp_path):
        train = MetaGraphDef(meta_info_def=MetaGraphDef.MetaInfoDef(tags=["train"]), graph_def=graph(const("w")))
        model = SavedModel(meta_graphs=[models.meta_graph("serve"), train])
        (tmp_path / "saved_model.pb").write_bytes(model.to_bytes())
        assert [row.name for row in weights(tmp_path, tags="train")] == ["w"]
        assert [row.name for row in weights(tmp_path)] == ["weights"]
        with pytest.raises(FileFormatError, match="no MetaGraph has the tags 'gpu'"):
            weights(tmp_path, tags="gpu")

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
        report = weights(expected.path)
        by_key = {row.key: row for row in report}
        arrays = {key: array for key, array in expected.tensors.items() if key != "_CHECKPOINTABLE_OBJECT_GRAPH"}
        assert by_key.keys() == arrays.keys()
        for key, array in arrays.items():
            assert by_key[key].shape == array.shape
            assert np.array_equal(by_key[key].array(), array)

    def test_names_of_objects_are_readable(self):
        assert not any(".ATTRIBUTES" in row.name for row in weights(golden("keras_v2").path))


class TestFreezingAgrees:
    """The models of the freezing tests: values equal those of TensorFlow and of `freeze`."""

    @pytest.mark.slow(reason="repeats thousands of cases in another way")
    @pytest.mark.parametrize("name", CASES)
    def test_variables_have_the_values_that_freezing_finds(self, name):
        golden = case(name)
        report = weights(golden.model, tags=golden.asked.get("tags"))
        frozen = {node.name: node for node in golden.freeze().node if node.op == "Const"}
        for row in report:
            if row.kind == "variable" and row.name in frozen:
                assert np.array_equal(row.array(), to_ndarray(frozen[row.name].attr["value"].tensor))

    @pytest.mark.parametrize(
        "name",
        [
            "batch_norm_inference",
            "cond_v1",
            "cond_v2",
            "format_v1",
            "partitioned_columns_resource",
            "ref_variables",
            "resource_variables",
            "tables_v1",
            "while_v1",
            "while_v2",
        ],
    )
    def test_a_constant_that_was_a_variable_has_its_role(self, name):
        """In the graph that TensorFlow froze, and in ours."""
        golden = case(name)
        before = {row.name: row.role for row in weights(golden.model) if row.kind == "variable"}
        after = weights(golden.freeze() if golden.reference is None else golden.reference)
        assert before
        assert {name: after[name].role for name in before if before[name] != "operand"} == {
            name: role for name, role in before.items() if role != "operand"
        }

    @pytest.mark.parametrize(
        ("name", "roles"),
        [
            (
                "batch_norm_in_training",
                {
                    "kernel": "filter",
                    "bn/gamma": "gamma",
                    "bn/beta": "beta",
                    "bn/moving_mean": "moving mean",
                    "bn/moving_variance": "moving variance",
                },
            ),
            ("batch_norm_cond_v2", {"bn/gamma": "gamma", "bn/moving_mean": "moving mean", "bn/gamma/Adam": "m slot"}),
            (
                "keras_dense",
                {
                    "dense/kernel": "matrix",
                    "dense/bias": "bias",
                    "batch_normalization/gamma": "gamma",
                    "batch_normalization/beta": "beta",
                    "batch_normalization/moving_mean": "moving mean",
                    "batch_normalization/moving_variance": "moving variance",
                },
            ),
            (
                "keras_convolutions",
                {
                    "conv2d/kernel": "filter",
                    "depthwise_conv2d/depthwise_kernel": "depthwise filter",
                    "depthwise_conv2d/bias": "bias",
                    "batch_normalization_1/moving_mean": "moving mean",
                    "dense_1/kernel": "matrix",
                },
            ),
            (
                "keras_lstm",
                {
                    "lstm/lstm_cell/kernel": "matrix",
                    "lstm/lstm_cell/recurrent_kernel": "matrix",
                    "lstm/lstm_cell/bias": "bias",
                    "embedding/embeddings": "embedding",
                },
            ),
            ("partitioned_columns_resource", {"table/part_0": "matrix", "table/part_3": "matrix"}),
            ("embeddings", {"table": "embedding"}),
            ("while_v1", {"w": "matrix", "table": "embedding"}),
            ("while_v2", {"w": "matrix", "table": "embedding"}),
            ("slots", {"w": "matrix", "w/Adam": "m slot", "w/Adam_1": "v slot", "beta1_power": "beta1 power"}),
            ("called_functions", {"w": "matrix", "b": "bias"}),
        ],
    )
    def test_roles(self, name, roles):
        report = weights(case(name).model)
        assert {weight: report[weight].role for weight in roles} == roles

    def test_uses_in_loops(self):
        for name in ("while_v1", "while_v1_resource", "while_v2"):
            assert weights(case(name).model)["w"].uses[0].in_loop
        assert not any(use.in_loop for row in weights(case("keras_dense").model) for use in row.uses)

    def test_slots_of_an_optimizer_are_not_parameters(self):
        report = weights(case("keras_dense").model)
        names = {row.name for row in report if row.is_parameter}
        assert "dense/kernel" in names
        assert not any(name.startswith("Adam/") for name in names)
        assert report.parameters == 4 * 3 + 3 + 4 * 3 + 3 * 2 + 2


@needs_corpus
class TestCorpus:
    @pytest.mark.parametrize("path", corpus_files("saved_model.pb", "frozen.pb", ".meta"), ids=str)
    def test_every_model(self, path):
        report = weights(path, statistics=True, histogram=True)
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

    def test_values_of_all_kinds_of_checkpoints(self):
        half = corpus / "serving" / "session_bundle" / "half_plus_two" / "00000123"  # version 1, in shards
        assert [float(weights(half)[name].array()) for name in "ab"] == [0.5, 2.0]
        three = corpus / "serving" / "saved_model_half_plus_three" / "00000123"
        assert [float(weights(three)[name].array()) for name in "abc"] == [0.5, 3.0, 3.0]
        objects = corpus / "serving" / "saved_model_half_plus_two_tf2_cpu" / "00000123"
        assert [float(weights(objects)[name].array()) for name in "abc"] == [0.5, 2.0, 3.0]

    def test_the_training_graph_without_its_checkpoint(self):
        report = weights(corpus / "generated" / "conv_train.meta")
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
        report = weights(self.MADE, **options)
        assert [row.name for row in report] == names
        assert (report.count, report.size) == (3, 4092)

    def test_by_statistics(self):
        model = graph(
            *(
                const(name, np.float32(values))
                for name, values in {"a": [0, 9], "b": [4, 5], "c": [-9, 1], "d": [np.nan]}.items()
            ),
            const("s", [b"x"]),
        )
        for sort, names in {"min": "bac", "max": "abc", "mean": "abc", "std": "cab"}.items():
            assert "".join(row.name for row in weights(model, sort=sort, statistics=True))[:3] == names
        assert set(SORTS) == {"size", "order", "name", "dtype", "use", "min", "max", "mean", "std"}

    @pytest.mark.parametrize(
        ("size", "expected"),
        [
            (0, 0),
            ("0", 0),
            ("123", 123),
            ("10k", 10_000),
            ("10K", 10_000),
            ("1.5M", 1_500_000),
            ("2 Gi", 2 << 30),
            ("1kB", 1000),
            ("1KiB", 1024),
            ("1t", 10**12),
            ("12b", 12),
        ],
    )
    def test_sizes(self, size, expected):
        assert parse_size(size) == expected

    @pytest.mark.parametrize("size", ["", "k", "-1", "1e3", "1x", "1ki b", "i", "1i", "9" * 30, -1])
    def test_invalid_sizes_are_refused(self, size):
        with pytest.raises(ValueError, match=r"not a size|must be >= 0"):
            parse_size(size)


class TestStatistics:
    def test_statistics_of_numbers(self):
        model = graph(const("w", np.float32([1, 3, 0, np.nan, np.inf])))
        statistics = weights(model, statistics=True)["w"].statistics
        assert (statistics.min, statistics.max, statistics.zeros, statistics.nan, statistics.inf) == (0, 3, 1, 1, 1)

    @pytest.mark.parametrize(
        "tensor",
        [
            const("w", np.array([b"a"], object)),
            const("w", np.complex64([1j])),
        ],
    )
    def test_tensors_without_statistics(self, tensor):
        row = weights(graph(tensor), statistics=True, histogram=True)["w"]
        assert row.statistics is row.distribution is None

    def test_statistics_of_small_floats_and_integers(self):
        small = const("b", np.float32([1, 2]), DataType.DT_BFLOAT16), const("i", np.int8([-8, 7]), DataType.DT_INT4)
        report = weights(graph(*small), statistics=True)
        assert [(row.dtype, row.size) for row in report] == [("bfloat16", 4), ("int4", 2)]
        assert (report["b"].statistics.mean, report["i"].statistics.min) == (1.5, -8)

    def test_values_are_read_only_for_statistics(self):
        names = []
        model = graph(const("a"), const("b"))
        weights(model, progress=names.append)
        assert names == []
        weights(model, name="b", histogram=True, progress=names.append)
        assert names == ["b"]


class TestConstants:
    @pytest.mark.parametrize("lazy", [True, False])
    @pytest.mark.parametrize("count", [1, 2, 5000])
    @pytest.mark.parametrize(
        ("dtype", "name", "size"),
        [
            (DataType.DT_FLOAT, "float32", 4),
            (DataType.DT_BFLOAT16, "bfloat16", 2),
            (DataType.DT_BOOL, "bool", 1),
            (DataType.DT_COMPLEX128, "complex128", 16),
        ],
    )
    def test_dtype_shape_and_size_need_no_values(self, dtype, name, size, count, lazy):
        model = graph(const("w", np.arange(count) % 2, dtype))
        (row,) = weights(GraphDef.from_bytes(model.to_bytes(), lazy=lazy))
        assert (row.dtype, row.shape, row.size) == (name, (count,), count * size)
        assert np.array_equal(row.array(), np.arange(count) % 2)

    def test_large_constants_are_not_copied(self):
        data = graph(const("w", np.ones(1 << 18, "f4"))).to_bytes()
        (row,) = weights(GraphDef.from_bytes(data, lazy=True))
        assert np.shares_memory(row.array(), np.frombuffer(data, "u1"))

    def test_the_size_of_strings_is_that_of_their_bytes(self):
        model = graph(const("s", np.array([b"ab", b"", b"cde"], object)), const("n", np.array(b"xy", object)))
        assert {row.name: row.size for row in weights(model)} == {"s": 5, "n": 2}

    def test_one_value_fills_a_tensor(self):
        tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(1000, 1000), float_val=[2.0])
        node = NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)})
        (row,) = weights(graph(node), statistics=True)
        assert (row.size, row.statistics.mean, row.statistics.std) == (4_000_000, 2, 0)

    @pytest.mark.parametrize(
        "tensor",
        [
            TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(1 << 40, 1 << 40), float_val=[2.0]),
            TensorProto(dtype=DataType.DT_STRING, tensor_shape=models.shape(1 << 40), string_val=[b""]),
        ],
    )
    def test_one_value_for_too_many_elements_has_no_array(self, tensor):
        node = NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)})
        row = weights(graph(node), statistics=True)["w"]
        assert row.missing == "its few stored values repeat too many times"
        with pytest.raises(TensorError, match="no value"):
            row.array()

    def test_a_number_of_elements_too_large_to_print(self):
        tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(*[2**62] * 300), float_val=[2.0])
        model = graph(NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)}))
        with pytest.raises(TensorError, match='Const "w": its shape is not known'):
            weights(model)
        assert 'Const "w": its shape is not known' in summarize(model).to_text()

    def test_one_dimension_may_be_inferred(self):
        tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(-1, 3), tensor_content=bytes(24))
        node = NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)})
        (row,) = weights(graph(node))
        assert row.shape == row.array().shape == (2, 3)


def _const_of(**fields):
    return graph(NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=TensorProto(**fields))}))


FLOAT = DataType.DT_FLOAT


class TestBadInput:
    @pytest.mark.parametrize(
        ("model", "options", "error", "problem"),
        [
            (_const_of(), {}, TensorError, 'Const "w": the type is not set'),
            (_const_of(dtype=99), {}, TensorError, 'Const "w": there is no type of number 99'),
            (
                _const_of(dtype=FLOAT, tensor_shape=models.shape(-1, -1)),
                {},
                TensorError,
                'Const "w": its shape is not known',
            ),
            (
                _const_of(dtype=FLOAT, tensor_shape=models.shape(3), tensor_content=bytes(8)),
                {"histogram": True},
                TensorError,
                'Const "w": .*needs 12 bytes in tensor_content, which has 8',
            ),
            (
                _const_of(dtype=FLOAT, tensor_shape=models.shape(1), float_val=[1, 2]),
                {"statistics": True},
                TensorError,
                'Const "w": .*float_val has 2',
            ),
            (
                graph(variable("w", 2)),
                {"checkpoint": {"w": KERNEL}},
                CheckpointError,
                r'VarHandleOp "w" has shape \[2\] in the graph, \[2, 3\] in the checkpoint',
            ),
            (
                graph(variable("w", 2, 3, dtype=DataType.DT_HALF)),
                {"checkpoint": {"w": KERNEL}},
                CheckpointError,
                'VarHandleOp "w" is float16 in the graph, float32 in the checkpoint',
            ),
            (
                graph(variable("w", 2, 3), "r = ReadVariableOp(w:x:y:z)"),
                {"checkpoint": {"w": KERNEL}},
                GraphError,
                "is not a reference",
            ),
            (Checkpoint(golden("shapes_v2").path), {"layout": "OIHW"}, CheckpointError, "a layout needs the graph"),
            (
                graph(variable("axis1/weights/part_7", 2)),
                {"checkpoint": golden("partitioned_v2").path},
                CheckpointError,
                'part 7 of "axis1/weights" does not exist: it has 4 parts',
            ),
        ],
    )
    def test_invalid_models(self, model, options, error, problem):
        with pytest.raises(error, match=problem):
            weights(model, **options)

    @pytest.mark.parametrize(
        ("options", "problem"),
        [
            ({"sort": "colour"}, "sort must be one of size, order"),
            ({"sort": "mean"}, "needs statistics"),
            ({"layout": "ABCD"}, "not a layout"),
            ({"min_size": "lots"}, "not a size"),
        ],
    )
    def test_wrong_arguments(self, options, problem):
        with pytest.raises(ValueError, match=problem):
            weights(graph(const("w")), **options)
        with pytest.raises(TypeError, match="not NodeDef"):
            weights(NodeDef())

    def test_a_checkpoint_for_a_checkpoint_is_refused(self, trained):
        with pytest.raises(CheckpointError, match="it does not go with another one"):
            weights(trained.with_suffix(".index"), checkpoint={})

    def test_errors_name_the_file(self, tmp_path):
        path = tmp_path / "bad.pb"
        path.write_bytes(_const_of(dtype=FLOAT, tensor_shape=models.shape(3), tensor_content=bytes(8)).to_bytes())
        with pytest.raises(TensorError, match=rf'^{path}: Const "w": ') as caught:
            weights(path, statistics=True)
        assert str(caught.value).count(str(path)) == 1
        with pytest.raises(TensorError, match=rf'^{path}: Const "w": '):
            weights(path)["w"].array()

    def test_damage_found_while_decoding_names_the_file(self, tmp_path):
        path = tmp_path / "bad.pb"
        data = graph(const("w", np.ones(2000, "f4")), "y = MatMul(x, w)").to_bytes()
        path.write_bytes(data.replace(b"MatMul", b"Mat\xfful"))
        with pytest.raises(FileFormatError, match=rf"^{path}: not UTF-8 at byte .*: node\[1\]\.op"):
            weights(path)

    def test_damaged_values_are_an_error_when_they_are_read(self, trained):
        shard = trained.with_suffix(".data-00000-of-00001")
        data = bytearray(shard.read_bytes())
        data[-30] ^= 1
        shard.write_bytes(data)
        report = weights(trained)
        with pytest.raises(CheckpointError, match=r"checksum|CRC"):
            [row.array() for row in report]

    def test_a_missing_checkpoint(self, trained, tmp_path):
        with pytest.raises(FileNotFoundError):
            weights(trained, checkpoint=tmp_path / "other")


def test_a_list_of_constants_needs_no_numpy(tmp_path):
    path = tmp_path / "frozen.pb"
    body = function("f", "x", {"y": "m:product:0"}, const("w"), "m = BiasAdd(x, w:output:0)")
    model = graph(const("w", np.ones(5000, "f4")), const("s", [b"a"]), "y = MatMul(x, w)", functions=(body,))
    path.write_bytes(model.to_bytes())
    code = (
        "import sys\nfrom tfmodel.parameters.listing import weights\n"
        f"print(weights({str(path)!r}).to_text())\nassert 'numpy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 weights" in done.stdout
