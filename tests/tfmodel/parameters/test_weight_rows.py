"""The rows of `weights`: constants and variables, in agreement with freezing, and damaged ones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel import models
from tests.tfmodel.files.checkpoints.golden import golden
from tests.tfmodel.freezing.models import CASES, case
from tests.tfmodel.parameters.graphs import KERNEL, const, graph, list_all, variable
from tfmodel.errors import CheckpointError, FileFormatError, GraphError, TensorError
from tfmodel.files.checkpoints.checkpoint import Checkpoint
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    NodeDef,
    TensorProto,
)
from tfmodel.reports.summary import summarize
from tfmodel.values.tensors import to_ndarray


class TestFreezingAgrees:
    """The models of the freezing tests: values equal those of TensorFlow and of `freeze`."""

    @pytest.mark.slow(reason="repeats thousands of cases in another way")
    @pytest.mark.parametrize("name", CASES)
    def test_variables_have_the_values_that_freezing_finds(self, name):
        golden = case(name)
        report = list_all(golden.model, tags=golden.asked.get("tags"))
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
        before = {row.name: row.role for row in list_all(golden.model) if row.kind == "variable"}
        after = list_all(golden.freeze() if golden.reference is None else golden.reference)
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
        report = list_all(case(name).model)
        assert {weight: report[weight].role for weight in roles} == roles

    def test_uses_in_loops(self):
        for name in ("while_v1", "while_v1_resource", "while_v2"):
            assert list_all(case(name).model)["w"].uses[0].in_loop
        assert not any(use.in_loop for row in list_all(case("keras_dense").model) for use in row.uses)

    def test_slots_of_an_optimizer_are_not_parameters(self):
        report = list_all(case("keras_dense").model)
        names = {row.name for row in report if row.is_parameter}
        assert "dense/kernel" in names
        assert not any(name.startswith("Adam/") for name in names)
        assert report.parameters == 4 * 3 + 3 + 4 * 3 + 3 * 2 + 2


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
        (row,) = list_all(GraphDef.from_bytes(model.to_bytes(), lazy=lazy))
        assert (row.dtype, row.shape, row.bytes) == (name, (count,), count * size)
        assert np.array_equal(row.array(), np.arange(count) % 2)

    def test_large_constants_are_not_copied(self):
        data = graph(const("w", np.ones(1 << 18, "f4"))).to_bytes()
        (row,) = list_all(GraphDef.from_bytes(data, lazy=True))
        assert np.shares_memory(row.array(), np.frombuffer(data, "u1"))

    def test_the_size_of_strings_is_that_of_their_bytes(self):
        model = graph(const("s", np.array([b"ab", b"", b"cde"], object)), const("n", np.array(b"xy", object)))
        assert {row.name: row.bytes for row in list_all(model)} == {"s": 5, "n": 2}

    def test_one_value_fills_a_tensor(self):
        tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(1000, 1000), float_val=[2.0])
        node = NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)})
        (row,) = list_all(graph(node), statistics=True)
        assert (row.bytes, row.statistics.mean, row.statistics.std) == (4_000_000, 2, 0)

    @pytest.mark.parametrize(
        "tensor",
        [
            TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(1 << 40, 1 << 40), float_val=[2.0]),
            TensorProto(dtype=DataType.DT_STRING, tensor_shape=models.shape(1 << 40), string_val=[b""]),
        ],
    )
    def test_one_value_for_too_many_elements_has_no_array(self, tensor):
        node = NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)})
        row = list_all(graph(node), statistics=True)["w"]
        assert row.missing == "its few stored values repeat too many times"
        with pytest.raises(TensorError, match="no value"):
            row.array()

    def test_a_number_of_elements_too_large_to_print(self):
        tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(*[2**62] * 300), float_val=[2.0])
        model = graph(NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)}))
        with pytest.raises(TensorError, match='Const "w": its shape is not known'):
            list_all(model)
        assert 'Const "w": its shape is not known' in summarize(model).to_text()

    def test_one_dimension_may_be_inferred(self):
        tensor = TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=models.shape(-1, 3), tensor_content=bytes(24))
        node = NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=tensor)})
        (row,) = list_all(graph(node))
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
            list_all(model, **options)

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
            list_all(graph(const("w")), **options)
        with pytest.raises(TypeError, match="not NodeDef"):
            list_all(NodeDef())

    def test_a_checkpoint_for_a_checkpoint_is_refused(self, trained):
        with pytest.raises(CheckpointError, match="it does not go with another one"):
            list_all(trained.with_suffix(".index"), checkpoint={})

    def test_errors_name_the_file(self, tmp_path):
        path = tmp_path / "bad.pb"
        path.write_bytes(_const_of(dtype=FLOAT, tensor_shape=models.shape(3), tensor_content=bytes(8)).to_bytes())
        with pytest.raises(TensorError, match=rf'^{path}: Const "w": ') as caught:
            list_all(path, statistics=True)
        assert str(caught.value).count(str(path)) == 1
        with pytest.raises(TensorError, match=rf'^{path}: Const "w": '):
            list_all(path)["w"].array()

    def test_damage_found_while_decoding_names_the_file(self, tmp_path):
        path = tmp_path / "bad.pb"
        data = graph(const("w", np.ones(2000, "f4")), "y = MatMul(x, w)").to_bytes()
        path.write_bytes(data.replace(b"MatMul", b"Mat\xfful"))
        with pytest.raises(FileFormatError, match=rf"^{path}: not UTF-8 at byte .*: node\[1\]\.op"):
            list_all(path)

    def test_damaged_values_are_an_error_when_they_are_read(self, trained):
        shard = trained.with_suffix(".data-00000-of-00001")
        data = bytearray(shard.read_bytes())
        data[-30] ^= 1
        shard.write_bytes(data)
        report = list_all(trained)
        with pytest.raises(CheckpointError, match=r"checksum|CRC"):
            [row.array() for row in report]

    def test_a_missing_checkpoint(self, trained, tmp_path):
        with pytest.raises(FileNotFoundError):
            list_all(trained, checkpoint=tmp_path / "other")
