"""Quantized weights: detected, described, and dequantized."""

from __future__ import annotations

import json
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden.weights.dequantization import CODES, recorded
from tests.support.effort import scaled
from tests.support.strategies import mutations
from tests.tfmodel import models
from tests.tfmodel.parameters.graphs import const, function, graph, node
from tfmodel import run
from tfmodel.errors import Error, TensorError
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorProto
from tfmodel.parameters.listing import weights
from tfmodel.transforms.framework.pipeline import transform

list_all = partial(weights, all=True)

QUINT8, QINT8 = DataType.DT_QUINT8, DataType.DT_QINT8
KERNEL = np.arange(6, dtype="u1").reshape(2, 3)


def dequantize(line="w = Dequantize(c, low, high)", codes=QUINT8, **attributes):
    node_def = node(line)
    node_def.attr["T"] = AttrValue(type=codes)
    node_def.attr["mode"] = AttrValue(s=b"MIN_FIRST")
    node_def.attr.update(attributes)
    return node_def


def parts(low=-1.0, high=4.1, codes=KERNEL, dtype=QUINT8):
    """Return the nodes of quantized values and of the ends of their range."""
    return const("c", codes, dtype), const("low", np.float32(low)), const("high", np.float32(high))


def rows(*nodes, **options):
    return {row.name: row for row in list_all(graph(*nodes), **options)}


class TestOneWeight:
    MADE = (*parts(), dequantize(), "y = MatMul(x, w)")

    def test_the_encoding_is_that_of_the_dequantize(self):
        (row,) = list_all(graph(*self.MADE))
        assert (row.name, row.kind, row.op, row.role) == ("w", "constant", "MatMul", "matrix")
        assert (row.dtype, row.shape, row.bytes, row.value_size) == ("quint8", (2, 3), 6, 24)
        encoding = row.quantized
        assert (encoding.constant, encoding.mode, encoding.low[0], encoding.high[0]) == (
            "c",
            "MIN_FIRST",
            -1,
            np.float32(4.1),
        )
        assert math.isclose(encoding.steps[0], 5.1 / 255, rel_tol=1e-6)

    def test_the_array_has_the_dequantized_numbers(self):
        row = rows(*self.MADE)["w"]
        assert row.array().dtype == np.float32
        assert np.allclose(row.array(), KERNEL * 0.02 - 1, atol=1e-6)

    def test_as_stored_lists_the_constants(self):
        weights_by_name = rows(*self.MADE, as_stored=True)
        assert {name: (row.dtype, row.role) for name, row in weights_by_name.items()} == {
            "c": ("quint8", "matrix"),
            "low": ("float32", "min range"),
            "high": ("float32", "max range"),
        }
        assert np.array_equal(weights_by_name["c"].array(), KERNEL)

    def test_statistics_are_those_of_the_dequantized_numbers(self):
        weight = rows(*self.MADE, statistics=True, histogram=True)["w"]
        assert math.isclose(weight.statistics.max, -0.9, rel_tol=1e-6)
        assert (weight.statistics.min, sum(weight.distribution.counts), weight.distinct) == (-1, 6, None)

    def test_a_quantized_filter_in_a_layout(self):
        codes = np.arange(24, dtype="u1").reshape(2, 1, 3, 4)
        row = rows(*parts(codes=codes), dequantize(), "y = Conv2D(x, w)", layout="OIHW")["w"]
        assert (row.axes, row.shape) == ("OIHW", (4, 3, 2, 1))
        assert np.allclose(row.array(), codes.transpose(3, 2, 0, 1) * 0.02 - 1, atol=1e-6)

    def test_nodes_in_between_that_change_nothing(self):
        weights_by_name = rows(
            *parts(),
            "i = Identity(c)",
            "l1 = Enter(low)",
            "l2 = Identity(l1)",
            dequantize("w = Dequantize(i, l2, high)"),
            "r = Identity(w)",
            "y = MatMul(x, r)",
        )
        assert [(row.name, row.role, row.quantized.low) for row in weights_by_name.values()] == [
            ("w", "matrix", (-1.0,))
        ]

    def test_control_inputs(self):
        weights_by_name = rows(*parts(), dequantize("w = Dequantize(c, low, high, ^x)"))
        assert list(weights_by_name) == ["w"]

    def test_a_weight_in_a_function(self):
        body = function(
            "f",
            "x",
            {"y": "y:product:0"},
            *parts(),
            dequantize("w = Dequantize(c:output:0, low:output:0, high:output:0)"),
            "y = MatMul(x, w:output:0)",
        )
        (row,) = list_all(graph(node("z = PartitionedCall(x)", f="f"), functions=(body,)))
        assert (row.name, row.role, row.function) == ("f/w", "matrix", "f")

    def test_a_range_that_a_function_returns_is_listed(self):
        body = function(
            "f",
            "x",
            {"y": "w:output:0", "l": "low:output:0"},
            *parts(),
            dequantize("w = Dequantize(c:output:0, low:output:0, high:output:0)"),
        )
        assert sorted(row.name for row in list_all(graph(functions=(body,)))) == ["f/low", "f/w"]

    def test_two_readers_of_one_weight(self):
        weights_by_name = rows(*parts(), dequantize(), dequantize("v = Dequantize(c, low, high)"), "y = MatMul(w, v)")
        assert list(weights_by_name) == ["w"]

    def test_a_range_shared_by_several_weights_is_not_listed(self):
        weights_by_name = rows(
            *parts(), const("d", KERNEL, QUINT8), dequantize(), dequantize("v = Dequantize(d, low, high)")
        )
        assert sorted(weights_by_name) == ["v", "w"]

    def test_a_range_with_another_use_is_listed(self):
        assert sorted(rows(*parts(), dequantize(), "z = Add(low, x)")) == ["low", "w"]
        through = rows(*parts(), "i = Identity(low)", dequantize("w = Dequantize(c, i, high)"), "z = Add(i, x)")
        assert sorted(through) == ["low", "w"]

    def test_a_range_for_each_slice(self):
        low, high = np.float32([-1, -2, -3]), np.float32([1, 2, 3])
        row = rows(
            const("c", KERNEL, QUINT8),
            const("low", low),
            const("high", high),
            dequantize(axis=AttrValue(i=1), mode=AttrValue(s=b"MIN_COMBINED")),
        )["w"]
        assert (row.quantized.axis, row.quantized.low) == (1, (-1.0, -2.0, -3.0))
        assert np.allclose(row.array(), KERNEL * (high - low) / 255 + low)

    def test_the_default_mode_of_dequantize(self):
        node_def = dequantize()
        del node_def.attr["mode"]
        assert rows(*parts(), node_def)["w"].quantized.mode == "MIN_COMBINED"

    def test_a_filled_constant_gives_a_view_of_one_number(self):
        shape = models.shape(1 << 12, 1 << 12)
        tensor = TensorProto(dtype=QUINT8, tensor_shape=shape, int_val=[255])
        codes = NodeDef(name="c", op="Const", attr={"dtype": AttrValue(type=QUINT8), "value": AttrValue(tensor=tensor)})
        row = rows(codes, *parts()[1:], dequantize(), statistics=True)["w"]
        assert (row.array().strides, row.array().shape) == ((0, 0), (1 << 12, 1 << 12))
        assert math.isclose(row.statistics.min, 4.1, rel_tol=1e-6)

    def test_too_many_filled_elements_have_no_values(self):
        tensor = TensorProto(dtype=QUINT8, tensor_shape=models.shape(1 << 15, 1 << 14), int_val=[255, 1])
        codes = NodeDef(name="c", op="Const", attr={"dtype": AttrValue(type=QUINT8), "value": AttrValue(tensor=tensor)})
        row = rows(codes, *parts()[1:], dequantize(), statistics=True)["w"]
        assert row.missing == "its few stored values repeat too many times"
        with pytest.raises(TensorError, match="no value"):
            row.array()


class TestQuantizedOps:
    def test_the_name_loses_the_suffix_of_quantize_weights(self):
        names = {"w_quantized_const": "w", "w_quint8_const": "w", "codes": "codes"}
        for name, expected in names.items():
            row = rows(
                const(name, KERNEL, QUINT8),
                const("l", np.float32(-1)),
                const("h", np.float32(1)),
                f"y = QuantizedMatMul(x, {name}, xl, xh, l, h)",
            )
            assert [(row.name, row.role, row.quantized.mode) for row in row.values()] == [
                (expected, "matrix", "MIN_FIRST")
            ]

    def test_the_suffix_stays_if_the_name_is_taken(self):
        weights_by_name = rows(
            const("w_quantized_const", KERNEL, QUINT8),
            const("w"),
            const("l", np.float32(-1)),
            const("h", np.float32(1)),
            "y = QuantizedMatMul(x, w_quantized_const, xl, xh, l, h)",
        )
        assert sorted(weights_by_name) == ["w", "w_quantized_const"]

    @pytest.mark.parametrize(
        ("line", "dtype", "role", "mode"),
        [
            ("y = QuantizedConv2D(x, c, xl, xh, low, high)", QUINT8, "filter", "MIN_FIRST"),
            ("y = QuantizedConv2D(x, c, xl, xh, low, high)", QINT8, "filter", "SCALED"),
            ("y = QuantizedDepthwiseConv2D(x, c, xl, xh, low, high)", QINT8, "depthwise filter", "SCALED"),
            ("y = QuantizedConv2DWithBiasAndRequantize(x, c, b, xl, xh, low, high, ol, oh)", QINT8, "filter", "SCALED"),
            ("y = QuantizedMatMul(c, x, low, high, xl, xh)", QUINT8, "matrix", "MIN_FIRST"),
            ("y = QuantizedBiasAdd(x, c, xl, xh, low, high)", QUINT8, "bias", "MIN_FIRST"),
            ("y = QuantizedAdd(x, c, xl, xh, low, high)", QUINT8, "y", "MIN_FIRST"),
            ("y = QuantizedInstanceNorm(c, low, high)", QUINT8, "x", "MIN_FIRST"),
            (
                "y = QuantizedBatchNormWithGlobalNormalization"
                "(t, tl, th, m, ml, mh, v, vl, vh, b, bl, bh, c, low, high)",
                QUINT8,
                "gamma",
                "MIN_FIRST",
            ),
        ],
    )
    def test_every_input_with_a_range(self, line, dtype, role, mode):
        (row,) = rows(*parts(codes=KERNEL.astype(CODES[dtype]), dtype=dtype), line).values()
        assert (row.role, row.quantized.mode, row.quantized.low) == (role, mode, (-1.0,))

    def test_a_range_for_each_channel(self):
        weights_by_name = rows(
            const("c", KERNEL.astype("i1"), QINT8),
            const("low", -np.float32([1, 2, 3])),
            const("high", np.float32([1, 2, 3])),
            "y = QuantizedConv2DPerChannel(x, c, xl, xh, low, high)",
        )
        assert (weights_by_name["c"].quantized.axis, weights_by_name["c"].quantized.mode) == (1, "SCALED")
        assert np.allclose(weights_by_name["c"].array(), KERNEL / 127 * [1, 2, 3])

    def test_a_dequantize_takes_precedence_over_a_quantized_op(self):
        weights_by_name = rows(
            *parts(), "y = QuantizedMatMul(x, c, xl, xh, low, high)", dequantize(mode=AttrValue(s=b"SCALED"))
        )
        assert [(row.name, row.quantized.mode) for row in weights_by_name.values()] == [("w", "SCALED")]

    def test_inputs_without_a_range_are_not_quantized(self):
        weights_by_name = rows(
            const("b", np.int32([1, 2]), DataType.DT_QINT32),
            *parts(),
            "y = QuantizedConv2DWithBias(x, c, b, xl, xh, low, high)",
        )
        assert {name: (row.quantized is None, row.problem) for name, row in weights_by_name.items()} == {
            "b": (True, ""),
            "c": (False, ""),
        }


class TestTensorFlowAgrees:
    def test_tensorflow_dequantizes_to_the_same_values(self):
        model, expected = recorded()
        report = list_all(model)
        assert {row.name for row in report} == set(expected)
        assert len(expected) > 300
        for row in report:
            assert np.array_equal(row.array().view("u4"), expected[row.name].view("u4")), row.name

    def test_a_range_without_extent_has_one_value(self):
        model, expected = recorded()
        assert {float(expected[name].max()) for name in expected if name.endswith("min_first_3")} == {0.5}
        assert all(step >= 0 for row in list_all(model) for step in row.quantized.steps)

    def test_steps_are_the_distances_of_numbers(self):
        for row in list_all(recorded()[0]):
            if row.quantized.axis is None and row.quantized.steps[0] and row.dtype in ("quint8", "qint8"):
                quotients = np.diff(np.unique(row.array().astype("f8"))) / row.quantized.steps[0]
                assert np.allclose(quotients, np.round(quotients), atol=0.02)


class TestQuantizeWeights:
    ARRAYS = {
        "kernel": np.linspace(-1, 3, 2048, dtype="f4").reshape(2, 1024),
        "negative": -np.arange(1, 2000, dtype="f4"),
        "zeros": np.zeros(1025, "f4"),
        "small": np.float32([1, 2]),
    }

    def test_quantize_weights_keeps_names_and_shapes(self):
        model = graph(
            *(const(name, array) for name, array in self.ARRAYS.items()),
            "y = MatMul(kernel, negative)",
            "z = Add(zeros, small)",
            "out = Pack(y, z)",
        )
        before = {row.name: row for row in list_all(model)}
        after = list_all(transform(model, "", "out", "quantize_weights"))
        assert {row.name: (row.shape, row.role) for row in after} == {
            name: (row.shape, row.role) for name, row in before.items()
        }
        assert {row.name for row in after if row.quantized is not None} == {"kernel", "negative", "zeros"}
        for row in after:
            step = row.quantized.steps[0] if row.quantized else 0
            assert np.abs(row.array() - self.ARRAYS[row.name]).max() <= step
        assert after.parameters == sum(row.elements for row in before.values() if row.is_parameter)

    def test_the_numbers_are_those_that_the_model_computes_with(self):
        model = transform(graph(const("w", self.ARRAYS["kernel"])), "", "w", "quantize_weights")
        assert np.array_equal(list_all(model)["w"].array(), run(model, {}, ["w"])["w"])

    def test_quantize_nodes_keeps_the_weights(self):
        model = graph(const("x", np.ones((3, 1024), "f4")), const("w", self.ARRAYS["kernel"].T), "y = MatMul(x, w)")
        model.node[2].attr["T"] = AttrValue(type=DataType.DT_FLOAT)
        after = transform(model, "", "y", "quantize_weights quantize_nodes")
        row = list_all(after)["w"]
        assert (row.op, row.role, row.dtype) == ("QuantizedMatMul", "matrix", "quint8")
        assert np.abs(row.array() - self.ARRAYS["kernel"].T).max() <= row.quantized.steps[0]


MANY = np.float32([1, 2])


class TestInvalidRanges:
    """Quantized values are listed as stored, with the reason."""

    @pytest.mark.parametrize(
        ("nodes", "problem"),
        [
            ((*parts(low=2, high=1), dequantize()), 'the range of Dequantize "w" is 2 to 1'),
            ((*parts(low=math.nan), dequantize()), 'the range of Dequantize "w" is nan to 4.1'),
            ((*parts(high=math.inf), dequantize()), 'the range of Dequantize "w" is -1 to inf'),
            ((*parts(low=MANY), dequantize()), 'Dequantize "w" has 2 minimums and 1 maximums for 1 slices'),
            ((*parts()[:2], const("high", np.float64(1)), dequantize()), 'Const "high": it is float64, not float32'),
            ((*parts()[:2], const("high", [b"a"]), dequantize()), 'Const "high": it is string, not float32'),
            ((*parts()[:2], "high = Placeholder()", dequantize()), 'the range of Dequantize "w" is not constant'),
            ((*parts()[:2], dequantize()), 'the range of Dequantize "w" is not constant'),
            (
                (*parts()[:2], "v = Identity(v)", dequantize("w = Dequantize(c, low, v)")),
                'the range of Dequantize "w" is not constant',
            ),
            ((*parts(), dequantize("w = Dequantize(c, low, high:1)")), 'the range of Dequantize "w" is not constant'),
            ((*parts(), dequantize("w = Dequantize(c, low)")), 'Dequantize "w" has 2 inputs, not 3'),
            ((*parts(), dequantize(codes=QINT8)), 'Dequantize "w" reads qint8, not quint8'),
            (
                (*parts(), dequantize(dtype=AttrValue(type=DataType.DT_BFLOAT16))),
                'Dequantize "w" gives bfloat16, not float32',
            ),
            ((*parts(), dequantize(mode=AttrValue(s=b"OTHER"))), 'Dequantize "w" has an unknown mode'),
            ((*parts(), dequantize(mode=AttrValue(i=1))), 'the attribute "mode" of Dequantize "w" is an integer'),
            ((*parts(), dequantize(axis=AttrValue(i=0))), 'Dequantize "w" cannot have the axis 0'),
            (
                (*parts(), dequantize(axis=AttrValue(i=7), mode=AttrValue(s=b"SCALED"))),
                'Dequantize "w" cannot have the axis 7 for 2 dimensions',
            ),
            (
                (
                    *parts(low=[1, 2, 3, 4], high=[1, 2, 3, 4]),
                    dequantize(axis=AttrValue(i=1), mode=AttrValue(s=b"SCALED")),
                ),
                'Dequantize "w" has 4 minimums and 4 maximums for 3 slices',
            ),
            (
                (*parts(), const("other", np.float32(9)), dequantize(), dequantize("v = Dequantize(c, low, other)")),
                'Dequantize "w" and Dequantize "v" read it differently',
            ),
            (
                (*parts(), dequantize(), dequantize("v = Dequantize(c, low, high)", mode=AttrValue(s=b"SCALED"))),
                'Dequantize "w" and Dequantize "v" read it differently',
            ),
            ((*parts(), "y = QuantizedMatMul(x, c, xl, xh, low)"), 'QuantizedMatMul "y" has 5 inputs, not 6'),
            (
                (*parts(), "y = QuantizedMatMul(x, c, xl, xh, low, xh)"),
                'the range of QuantizedMatMul "y" is not constant',
            ),
        ],
    )
    def test_the_reason_is_reported(self, nodes, problem):
        row = rows(*nodes)["c"]
        assert (row.quantized, row.dtype) == (None, "quint8")
        assert problem in row.problem
        assert np.array_equal(row.array(), KERNEL)

    def test_constants_of_an_invalid_range_are_listed(self):
        assert sorted(rows(*parts(low=2, high=1), dequantize())) == ["c", "high", "low"]

    def test_the_table_shows_the_reason(self):
        report = list_all(graph(*parts(low=2, high=1), dequantize()))
        assert 'quint8   [2,3]      6  42.9%  the range of Dequantize "w" is 2 to 1\n' in report.to_text()
        assert json.loads(report.to_json())["weights"][0]["problem"] == 'the range of Dequantize "w" is 2 to 1'

    def test_shapes_larger_than_the_stored_values(self):
        for dtype, name in ((DataType.DT_FLOAT, "high"), (QUINT8, "c")):
            tensor = TensorProto(dtype=dtype, tensor_shape=models.shape(1 << 40))
            attr = {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=tensor)}
            inputs = [part for part in parts() if part.name != name]
            weight = rows(*inputs, NodeDef(name=name, op="Const", attr=attr), dequantize(axis=AttrValue(i=0)))["c"]
            assert weight.quantized is None
            assert weight.problem

    def test_unread_quantized_values_have_no_problem(self):
        assert [row.problem for row in rows(*parts(), dequantize("w = Dequantize(x, low, high)")).values()] == [""] * 3

    def test_damaged_values_are_an_error_when_they_are_read(self):
        bad = parts()
        bad[0].attr["value"].tensor.tensor_content = bytes(5)
        row = rows(*bad, dequantize())["w"]
        with pytest.raises(TensorError, match=r'Const "c": .*needs 6 bytes in tensor_content, which has 5'):
            row.array()


GOOD = graph(
    *parts(codes=np.zeros((1, 1, 2, 2), "u1")),
    dequantize(),
    "y = Conv2D(x, w)",
    const("d", np.zeros(3, "i1"), QINT8),
    "z = QuantizedConv2DPerChannel(x, d, xl, xh, low, high)",
)
ENCODED = GOOD.to_bytes(deterministic=True)


@settings(max_examples=scaled(60))
@given(mutations(ENCODED, most=4))
def test_damaged_graphs_give_a_report_or_an_error(data):
    try:
        report = list_all(data, statistics=True, layout="torch")
    except Error:
        return
    assert report.to_text()
    assert report.to_json()


@settings(max_examples=scaled(40))
@given(st.sampled_from(list(CODES)), st.sampled_from(["MIN_FIRST", "MIN_COMBINED", "SCALED"]), st.data())
def test_any_finite_range_dequantizes_as_the_kernel_does(dtype, mode, data):
    number = st.floats(width=32, allow_nan=False, allow_infinity=False)
    low, high = sorted([data.draw(number), data.draw(number)])
    info = np.iinfo(CODES[dtype])
    nodes = parts(low, high, np.array([info.min, 0, info.max], info.dtype), dtype)
    (row,) = list_all(graph(*nodes, dequantize(codes=dtype, mode=AttrValue(s=mode.encode()))), statistics=True)
    assert (row.array().dtype, row.array().shape) == (np.float32, (3,))
    assert json.loads(list_all(graph(*nodes, dequantize())).to_json())


@pytest.mark.parametrize("lazy", [True, False])
def test_listing_does_not_change_the_graph(lazy):
    model = GraphDef.from_bytes(ENCODED, lazy=lazy)
    list_all(model, statistics=True)
    assert model.to_bytes(deterministic=True) == ENCODED
