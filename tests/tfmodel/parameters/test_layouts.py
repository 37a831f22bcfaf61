"""Layouts of filters, compared with convolutions that are computed here element by element."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest

from tests.tfmodel.parameters.graphs import const, graph, node
from tfmodel.messages import AttrValue
from tfmodel.parameters.listing import weights
from tfmodel.parameters.weight import parse_layout

list_all = partial(weights, all=True)

RNG = np.random.default_rng(4)


def tensorflow_convolution(x, kernel):
    """[H,W,I] with HWIO, no padding."""
    height, width = x.shape[0] - kernel.shape[0] + 1, x.shape[1] - kernel.shape[1] + 1
    y = np.zeros((height, width, kernel.shape[3]))
    for i, j in product(range(height), range(width)):
        y[i, j] = np.einsum("hwi,hwio->o", x[i : i + kernel.shape[0], j : j + kernel.shape[1]], kernel)
    return y


def torch_convolution(x, kernel, groups=1):
    """[I,H,W] with OIHW, where I is that of a group, no padding."""
    height, width = x.shape[1] - kernel.shape[2] + 1, x.shape[2] - kernel.shape[3] + 1
    of_group, out_of_group = x.shape[0] // groups, kernel.shape[0] // groups
    y = np.zeros((kernel.shape[0], height, width))
    for out, i, j in product(range(kernel.shape[0]), range(height), range(width)):
        start = out // out_of_group * of_group
        part = x[start : start + of_group, i : i + kernel.shape[2], j : j + kernel.shape[3]]
        y[out, i, j] = (part * kernel[out]).sum()
    return y


def tensorflow_depthwise(x, kernel):
    """[H,W,I] with HWIM: output channel i*M + m is that of input channel i."""
    height, width = x.shape[0] - kernel.shape[0] + 1, x.shape[1] - kernel.shape[1] + 1
    channels, multiplier = kernel.shape[2:]
    y = np.zeros((height, width, channels * multiplier))
    for i, j, c, m in product(range(height), range(width), range(channels), range(multiplier)):
        part = x[i : i + kernel.shape[0], j : j + kernel.shape[1], c]
        y[i, j, c * multiplier + m] = (part * kernel[:, :, c, m]).sum()
    return y


def tensorflow_transposed(x, kernel):
    """[H,W,I] with HWOI: every input is spread over the outputs."""
    y = np.zeros((x.shape[0] + kernel.shape[0] - 1, x.shape[1] + kernel.shape[1] - 1, kernel.shape[2]))
    for i, j in product(range(x.shape[0]), range(x.shape[1])):
        y[i : i + kernel.shape[0], j : j + kernel.shape[1]] += np.einsum("hwoi,i->hwo", kernel, x[i, j])
    return y


def torch_transposed(x, kernel):
    """[I,H,W] with IOHW."""
    y = np.zeros((kernel.shape[1], x.shape[1] + kernel.shape[2] - 1, x.shape[2] + kernel.shape[3] - 1))
    for i, j in product(range(x.shape[1]), range(x.shape[2])):
        y[:, i : i + kernel.shape[2], j : j + kernel.shape[3]] += np.einsum("iohw,i->ohw", kernel, x[:, i, j])
    return y


def turned(line, kernel, layout):
    (row,) = list_all(graph(const("w", kernel), line), layout=layout)
    assert row.array().shape == row.shape
    assert np.array_equal(row.read(), row.array())
    return row.array()


class TestConvolutionsAreTheSame:
    def test_convolution(self):
        x, kernel = RNG.random((5, 6, 3)), RNG.random((2, 3, 3, 4))
        expected = torch_convolution(x.transpose(2, 0, 1), turned("y = Conv2D(x, w)", kernel, "torch"))
        assert np.allclose(tensorflow_convolution(x, kernel).transpose(2, 0, 1), expected)

    def test_depthwise_convolution_is_grouped(self):
        x, kernel = RNG.random((5, 6, 3)), RNG.random((2, 3, 3, 2))
        grouped = turned("y = DepthwiseConv2dNative(x, w)", kernel, "OIHW")
        assert grouped.shape == (6, 1, 2, 3)
        expected = torch_convolution(x.transpose(2, 0, 1), grouped, groups=3)
        assert np.allclose(tensorflow_depthwise(x, kernel).transpose(2, 0, 1), expected)

    def test_transposed_convolution(self):
        x, kernel = RNG.random((3, 4, 3)), RNG.random((2, 3, 5, 3))
        expected = torch_transposed(x.transpose(2, 0, 1), turned("y = Conv2DBackpropInput(s, w, x)", kernel, "torch"))
        assert np.allclose(tensorflow_transposed(x, kernel).transpose(2, 0, 1), expected)


CONV, DEPTHWISE, TRANSPOSED = "Conv2D(x, w)", "DepthwiseConv2dNative(x, w)", "Conv2DBackpropInput(s, w, x)"
KERNEL = np.arange(2 * 3 * 5 * 7, dtype="f4").reshape(2, 3, 5, 7)


@pytest.mark.parametrize(
    ("use", "layout", "einsum"),
    [
        (CONV, "HWIO", "hwio->hwio"),
        (CONV, "OIHW", "hwio->oihw"),
        (CONV, "oiwh", "hwio->oiwh"),
        (CONV, "OHWI", "hwio->ohwi"),
        (CONV, "IOHW", "hwio->iohw"),
        (CONV, "torch", "hwio->oihw"),
        (CONV, "onnx", "hwio->oihw"),
        (CONV, "tflite", "hwio->ohwi"),
        (CONV, "MIHW", "hwio->hwio"),
        (CONV, "transposed=OIHW", "hwio->hwio"),
        (CONV, "OIHW, convolution = IOHW", "hwio->iohw"),
        (TRANSPOSED, "HWOI", "hwoi->hwoi"),
        (TRANSPOSED, "OIHW", "hwoi->oihw"),
        (TRANSPOSED, "IOHW", "hwoi->iohw"),
        (TRANSPOSED, "Torch", "hwoi->iohw"),
        (TRANSPOSED, "tflite", "hwoi->ohwi"),
        (TRANSPOSED, "OIHW,transposed=IOHW", "hwoi->iohw"),
        (TRANSPOSED, "depthwise=OIHW", "hwoi->hwoi"),
        (DEPTHWISE, "MIHW", "hwim->mihw"),
        (DEPTHWISE, "IMHW", "hwim->imhw"),
        (DEPTHWISE, "OIHW,depthwise=MHWI", "hwim->mhwi"),
        (DEPTHWISE, "convolution=OIHW", "hwim->hwim"),
        ("MatMul(x, w)", "OIHW", "abcd->abcd"),
        ("Dilation2D(x, w)", "OIHW", "abcd->abcd"),
        ("Unheard(x, w)", "OIHW", "abcd->abcd"),
    ],
)
def test_a_layout_is_a_permutation_of_axes(use, layout, einsum):
    assert np.array_equal(turned(f"y = {use}", KERNEL, layout), np.einsum(einsum, KERNEL))


@pytest.mark.parametrize(
    ("layout", "shape", "letters"),
    [
        ("OIHW", (35, 1, 2, 3), "OIHW"),
        ("HWIO", (2, 3, 1, 35), "HWIO"),
        ("OHWI", (35, 2, 3, 1), "OHWI"),
        ("tflite", (1, 2, 3, 35), "IHWO"),
        ("MIHW", (7, 5, 2, 3), "MIHW"),
    ],
)
def test_shapes_and_axes_of_depthwise_filters(layout, shape, letters):
    (row,) = list_all(graph(const("w", KERNEL), f"y = {DEPTHWISE}"), layout=layout)
    assert (row.shape, row.axes) == (shape, letters)
    assert sorted(row.array().ravel()) == sorted(KERNEL.ravel())
    if "M" not in letters:
        out = row.array().transpose([letters.index(axis) for axis in "OIHW"])
        for i, m in product(range(5), range(7)):
            assert np.array_equal(out[i * 7 + m, 0], KERNEL[:, :, i, m])


class TestOtherDimensions:
    def test_three_dimensions(self):
        kernel = np.arange(2 * 3 * 4 * 5 * 6, dtype="f4").reshape(2, 3, 4, 5, 6)
        assert np.array_equal(turned("y = Conv3D(x, w)", kernel, "OIHW"), np.einsum("dhwio->oidhw", kernel))
        assert np.array_equal(
            turned("y = Conv3DBackpropInputV2(s, w, x)", kernel, "torch"), np.einsum("dhwoi->iodhw", kernel)
        )

    def test_one_dimension(self):
        kernel = np.arange(3 * 5 * 7, dtype="f4").reshape(3, 5, 7)
        model = graph(const("w", kernel), const("axis", np.int32(0)), "e = ExpandDims(w, axis)", "y = Conv2D(x, e)")
        row = list_all(model, layout="OIHW")["w"]
        assert (row.shape, row.axes) == ((7, 5, 3), "OIW")
        assert np.array_equal(row.array(), np.einsum("wio->oiw", kernel))


class TestFiltersThatAreNotTransposed:
    @pytest.mark.parametrize(
        "lines",
        [
            ["r = Reshape(w, s)", "y = Conv2D(x, r)"],
            ["t = Transpose(w, p)", "y = Conv2D(x, t)"],
            ["p = Pack(w, w)", "y = Conv2D(x, p)"],
            ["gradients/c_grad/Conv2DBackpropInput = Conv2DBackpropInput(s, w, x)"],
        ],
    )
    def test_reshaped_filters(self, lines):
        (row,) = list_all(graph(const("w", KERNEL), *lines), layout="OIHW", name="w")
        assert (row.shape, row.axes) == (KERNEL.shape, "" if "gradients" in lines[0] else "as in TensorFlow")
        assert np.array_equal(row.array(), KERNEL)

    def test_a_filter_of_another_rank(self):
        (row,) = list_all(graph(const("w", KERNEL[0]), "y = Conv2D(x, w)"), layout="OIHW")
        assert row.shape == KERNEL[0].shape

    def test_parts_of_filters_are_transposed_unless_axes_are_joined(self):
        parts = [const("w", KERNEL), const("v", KERNEL), const("axis", np.int32(3)), "all = ConcatV2(w, v, axis)"]
        row = list_all(graph(*parts, "y = Conv2D(x, all)"), layout="OIHW")["w"]
        assert np.array_equal(row.array(), np.einsum("hwio->oihw", KERNEL))
        depthwise = graph(*parts, "y = DepthwiseConv2dNative(x, all)")
        assert list_all(depthwise, layout="OIHW")["w"].shape == KERNEL.shape
        assert list_all(depthwise, layout="MIHW")["w"].shape == (7, 5, 2, 3)

    def test_parts_of_filters_of_one_dimension_are_treated_alike(self):
        row = KERNEL[0]
        parts = [const("w", row), const("v", row), const("axis", np.int32(2)), const("front", np.int32(0))]
        parts += ["all = ConcatV2(w, v, axis)", "wide = ExpandDims(all, front)", "y = DepthwiseConv2dNative(x, wide)"]
        assert list_all(graph(*parts), layout="OIHW")["w"].shape == row.shape


@pytest.mark.parametrize(
    ("layout", "problem"),
    [
        ("", '"" is not a layout'),
        ("OIH", '"OIH" is not a layout'),
        ("OIHWH", "not a layout"),
        ("OOHW", "not a layout"),
        ("OIHW,", '"" is not a layout'),
        ("NCHW", "not a layout"),
        (
            "keras",
            "not a layout: give an order of H, W, I and O .or M, for depthwise filters., such as",
        ),
        ("dense=OIHW", '"dense" is not a kind of weight: known kinds are convolution, transposed, depthwise, matrix'),
        ("matrix=OIHW", "matrices are OI or IO"),
        ("convolution=OI", '"convolution=OI" is not a layout'),
        ("convolution=HWIM", "only depthwise filters have an axis M"),
        ("\x1b[31m", r'"\\\\x1b\[31m" is not a layout'),
    ],
)
def test_invalid_layouts_are_refused(layout, problem):
    with pytest.raises(ValueError, match=problem):
        parse_layout(layout)


MATRIX = RNG.normal(size=(4, 3)).astype(np.float32)  # 4 inputs, 3 outputs
TWICE = RNG.normal(size=(4, 8)).astype(np.float32)  # 4 inputs, and 4 gates of 2 units


def linear(x, weight):
    """PyTorch's Linear without its bias: x [N,in] with [out,in]."""
    return np.einsum("ni,oi->no", x, weight)


class TestMatrices:
    @pytest.mark.parametrize(
        ("use", "stored"),
        [
            ("MatMul(x, w)", MATRIX),
            ("transpose_b: MatMul(x, w)", MATRIX.T),
            ("MatMul(w, x)", MATRIX.T),  # of a column of inputs
            ("transpose_a: MatMul(w, x)", MATRIX),
            ("BatchMatMulV2(x, w)", MATRIX),
            ("adj_y: BatchMatMulV2(x, w)", MATRIX.T),
        ],
    )
    @pytest.mark.parametrize("layout", ["torch", "pytorch", "tflite", "OI", "matrix=OI", "OIHW,OI"])
    def test_a_matrix_becomes_that_of_linear(self, use, stored, layout):
        flag, _, call = use.rpartition(": ")
        layer = node(f"y = {call}")
        if flag:
            layer.attr[flag] = AttrValue(b=True)
        (row,) = list_all(graph(const("w", np.ascontiguousarray(stored)), layer), layout=layout)
        x = RNG.normal(size=(5, 4)).astype(np.float32)
        assert np.allclose(linear(x, row.array()), x @ MATRIX, atol=1e-6)
        assert (row.shape, row.axes) == ((3, 4), "OI")

    @pytest.mark.parametrize("layout", ["OIHW", "onnx", "MIHW"])
    def test_layouts_of_filters_do_not_change_matrices(self, layout):
        (row,) = list_all(graph(const("w", MATRIX), "y = MatMul(x, w)"), layout=layout)
        assert (row.shape, row.axes) == ((4, 3), "")

    def test_layouts_of_matrices_do_not_change_filters(self):
        assert np.array_equal(turned("y = Conv2D(x, w)", KERNEL, "OI"), KERNEL)

    @pytest.mark.parametrize(
        "lines",
        [
            ["r = Reshape(w, s)", "y = MatMul(x, r)"],
            ["y = Einsum(x, w)"],
            # the gates of TensorFlow 1's LSTM, of Keras's LSTM and GRU, and of TensorFlow 1's GRU
            ["m = MatMul(x, w)", "b = BiasAdd(m, s)", "p = Split(d, b)", "y = Sigmoid(p)"],
            ["m = MatMul(x, w)", "a = AddV2(m, s)", "p = Split(d, a)", "y = Sigmoid(p:1)"],
            ["m = MatMul(x, w)", "p = Split(d, m)", "a = AddV2(p, s)", "y = Sigmoid(a)"],
            ["m = MatMul(x, w)", "b = BiasAdd(m, s)", "g = Sigmoid(b)", "y = Split(d, g)"],
            ["y = LSTMBlockCell(x, s, s, w, s, s, s, s)"],
        ],
    )
    def test_gates_and_unknown_matrices_are_as_in_tensorflow(self, lines):
        (row,) = list_all(graph(const("w", TWICE), *lines), layout="torch", name="w")
        assert (row.shape, row.axes) == (TWICE.shape, "as in TensorFlow")
        assert np.array_equal(row.array(), TWICE)
        assert "[4,8] as in TensorFlow" in list_all(graph(const("w", TWICE), *lines), layout="torch").to_text()

    def test_a_dense_layer_with_a_sigmoid_is_transposed(self):
        lines = ["m = MatMul(x, w)", "b = BiasAdd(m, s)", "y = Sigmoid(b)"]
        (row,) = list_all(graph(const("w", MATRIX), *lines), layout="torch", name="w")
        assert row.axes == "OI"

    def test_exports_are_transposed(self, tmp_path):
        list_all(graph(const("w", MATRIX), "y = MatMul(x, w)"), layout="torch").save(tmp_path / "w.npz")
        with np.load(tmp_path / "w.npz") as arrays:
            assert np.array_equal(arrays["w"], MATRIX.T)
