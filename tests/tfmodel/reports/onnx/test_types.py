"""The types of values in ONNX models, and the facts of tensors."""

from __future__ import annotations

import pytest

from tfmodel.onnx_messages import GraphProto, StringStringEntryProto, TensorProto, TensorShapeProto, TypeProto
from tfmodel.reports.onnx.types import shape_of, tensor_facts, type_text
from tfmodel.values.dtypes import DTYPES
from tfmodel.values.dtypes.onnx import ONNX_DTYPES, onnx_dtype_name

DataType = TensorProto.DataType
Dimension = TensorShapeProto.Dimension


def tensor_type(elem_type: int = DataType.FLOAT, *sizes: int | str | None) -> TypeProto:
    dims = [
        Dimension(dim_value=size) if isinstance(size, int) else Dimension(dim_param=size) if size else Dimension()
        for size in sizes
    ]
    return TypeProto(tensor_type=TypeProto.Tensor(elem_type=elem_type, shape=TensorShapeProto(dim=dims)))


UNKNOWN_RANK = TypeProto(tensor_type=TypeProto.Tensor(elem_type=DataType.INT64))


class TestDtypes:
    def test_every_type_of_the_tables_has_a_row(self):
        assert [*ONNX_DTYPES] == [number for number in map(int, DataType) if number]

    def test_rows_name_a_field_of_a_tensor(self):
        fields = {field.name for field in TensorProto.__table__.fields}
        assert {row.field for row in ONNX_DTYPES.values()} <= fields

    def test_names_that_tensorflow_has_are_those_of_tensorflow(self):
        ours = {row.name for row in ONNX_DTYPES.values()}
        theirs = {row.name for row in DTYPES.values()}
        assert {"float32", "bfloat16", "float8_e5m2", "string", "bool", "uint4", "complex128"} <= ours & theirs
        assert (
            ours - theirs
            == {name for name in ours if name.startswith(("float4", "float6", "float8_e8")) or name.endswith("fnuz")}
            - theirs
        )

    @pytest.mark.parametrize(
        ("number", "name"), [(1, "float32"), (0, "undefined"), (None, "undefined"), (99, "type 99")]
    )
    def test_names(self, number, name):
        assert onnx_dtype_name(number) == name


class TestTypes:
    @pytest.mark.parametrize(
        ("type_", "text"),
        [
            (tensor_type(DataType.FLOAT, "batch", 224, None), "float32[batch,224,?]"),
            (tensor_type(DataType.BOOL), "bool[]"),
            (tensor_type(77, 1), "type 77[1]"),
            (UNKNOWN_RANK, "int64"),
            (None, ""),
            (TypeProto(), ""),
            (TypeProto(sequence_type=TypeProto.Sequence(elem_type=tensor_type())), "sequence(float32[])"),
            (TypeProto(optional_type=TypeProto.Optional(elem_type=UNKNOWN_RANK)), "optional(int64)"),
            (TypeProto(map_type=TypeProto.Map(key_type=8, value_type=UNKNOWN_RANK)), "map(string, int64)"),
            (TypeProto(sparse_tensor_type=TypeProto.SparseTensor(elem_type=1)), "sparse(float32)"),
            (TypeProto(opaque_type=TypeProto.Opaque(domain="a", name="B")), "opaque(a.B)"),
            (TypeProto(opaque_type=TypeProto.Opaque()), "opaque()"),
        ],
    )
    def test_text(self, type_, text):
        assert type_text(type_) == text

    def test_types_in_types_end(self):
        deep = tensor_type()
        for _ in range(60):
            deep = TypeProto(sequence_type=TypeProto.Sequence(elem_type=deep))
        assert type_text(deep) == "sequence(" * 8 + "..." + ")" * 8

    def test_an_unknown_rank_is_not_a_scalar(self):
        assert (shape_of(None), shape_of(TensorShapeProto())) == (None, [])


def entries(**fields: str) -> list[StringStringEntryProto]:
    return [StringStringEntryProto(key=key, value=value) for key, value in fields.items()]


class TestTensors:
    @pytest.mark.parametrize(
        ("tensor", "facts"),
        [
            (TensorProto(data_type=1, dims=[2, 3], raw_data=bytes(24)), (6, 24)),
            (TensorProto(data_type=1, dims=[2], float_data=[1.0, 2.0]), (2, 8)),
            (TensorProto(data_type=1, float_data=[1.0]), (1, 4)),
            (TensorProto(data_type=1, dims=[0, 1 << 62]), (0, 0)),
            (TensorProto(data_type=14, dims=[2], float_data=[1.0] * 4), (2, 16)),
            (TensorProto(data_type=15, dims=[1], double_data=[1.0, 0.0]), (1, 16)),
            (TensorProto(data_type=8, dims=[2], string_data=[b"abc", b""]), (2, 3)),
            (TensorProto(data_type=22, dims=[3], raw_data=bytes(2)), (3, 2)),
            (TensorProto(data_type=22, dims=[3], int32_data=[1, 2]), (3, 2)),
            (TensorProto(data_type=26, dims=[5], int32_data=[1, 2]), (5, 2)),
            (TensorProto(data_type=27, dims=[5], raw_data=bytes(4)), (5, 4)),
            (TensorProto(data_type=12, dims=[2], uint64_data=[1, 2]), (2, 8)),
            (TensorProto(data_type=10, dims=[2], int32_data=[1, 2]), (2, 4)),
        ],
    )
    def test_elements_and_bytes(self, tensor, facts):
        read = tensor_facts(tensor)
        assert (read.elements, read.size, read.problem) == (*facts, "")
        assert tensor_facts(TensorProto.from_bytes(tensor.to_bytes(), lazy=True)) == read

    @pytest.mark.parametrize(
        ("tensor", "problem"),
        [
            (TensorProto(data_type=1, dims=[2], raw_data=bytes(7)), "it needs 8 bytes in raw_data, which has 7"),
            (TensorProto(data_type=1, dims=[2], float_data=[1.0]), "it needs 2 values in float_data, which has 1"),
            (TensorProto(data_type=1, dims=[2]), "it needs 2 values in float_data, which has 0"),
            (TensorProto(dims=[2]), "its type is undefined"),
            (TensorProto(data_type=99), "its type is type 99"),
            (TensorProto(data_type=1, dims=[2, -1]), "its shape is [2,-1]"),
            (TensorProto(data_type=1, dims=[1 << 62] * 1000), f"its shape is [{','.join([str(1 << 62)] * 8)},...]"),
            (TensorProto(data_type=1, dims=[1], data_location=1), "its data are in another file, which has no name"),
            (
                TensorProto(data_type=1, dims=[1], data_location=1, external_data=entries(location="w", offset="x")),
                "the offset of its data is not a number of bytes",
            ),
            (
                TensorProto(
                    data_type=1, dims=[1], data_location=1, external_data=entries(location="w", length="9" * 5000)
                ),
                "the length of its data is not a number of bytes",
            ),
            (
                TensorProto(data_type=1, dims=[1], data_location=1, external_data=entries(location="w", length="8")),
                "it needs 4 bytes, and the length of its data is 8",
            ),
        ],
    )
    def test_problems(self, tensor, problem):
        assert tensor_facts(tensor).problem == problem

    def test_many_dimensions_take_no_time(self):
        tensor = TensorProto(data_type=1, dims=[(1 << 63) - 1] * 100_000)
        assert tensor_facts(tensor).problem.startswith("its shape is [")

    def test_data_in_another_file(self):
        tensor = TensorProto(
            name="w", data_type=1, dims=[3], data_location=1, external_data=entries(location="a/b", offset="4096")
        )
        facts = tensor_facts(tensor)
        assert (facts.location, facts.offset, facts.size, facts.problem) == ("a/b", 4096, 12, "")

    def test_large_data_are_not_decoded(self):
        graph = GraphProto(initializer=[TensorProto(name="w", data_type=1, dims=[2048], raw_data=bytes(8192))])
        lazy = GraphProto.from_bytes(graph.to_bytes(), lazy=True)
        assert tensor_facts(lazy.initializer[0]).size == 8192
        assert type(lazy.initializer[0]) is not TensorProto or lazy.initializer[0].raw_data == bytes(8192)
