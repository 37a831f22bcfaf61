"""The uses of constants and variables, and their roles."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.parameters.graphs import const, function, graph, list_all, node, used, variable
from tfmodel.errors import GraphError
from tfmodel.messages import MetaGraphDef, OpDef, OpList

MATRIX = np.ones((2, 3), "f4")
VECTOR = np.ones(3, "f4")


class TestRoles:
    @pytest.mark.parametrize(
        ("line", "role"),
        [
            ("y = Conv2D(x, w)", "filter"),
            ("y = Conv3D(x, w)", "filter"),
            ("y = DepthwiseConv2dNative(x, w)", "depthwise filter"),
            ("y = Conv2DBackpropInput(s, w, x)", "transposed filter"),
            ("y = Conv3DBackpropInputV2(s, w, x)", "transposed filter"),
            ("y = QuantizedConv2D(x, w, a, b, c, d)", "filter"),
            ("y = QuantizedConv2D(x, f, a, b, w, d)", "min filter"),
            ("y = FusedPadConv2D(x, p, w)", "filter"),
            ("y = FusedResizeAndPadConv2D(x, s, p, w)", "filter"),
            ("y = Dilation2D(x, w)", "structuring element"),
            ("y = MatMul(x, w)", "matrix"),
            ("y = BatchMatMulV2(w, x)", "matrix"),
            ("y = Einsum(x, w)", "matrix"),
            ("y = SparseTensorDenseMatMul(a, b, c, w)", "matrix"),
            ("y = BiasAdd(x, w)", "bias"),
            ("y = FusedBatchNormV3(x, w, b, m, v)", "gamma"),
            ("y = FusedBatchNormV3(x, g, w, m, v)", "beta"),
            ("y = FusedBatchNorm(x, g, b, w, v)", "moving mean"),
            ("y = FusedBatchNormV2(x, g, b, m, w)", "moving variance"),
            ("y = BatchNormWithGlobalNormalization(x, w, v, b, g)", "moving mean"),
            ("y = BatchNormWithGlobalNormalization(x, m, v, b, w)", "gamma"),
            ("y = QuantizedBatchNormWithGlobalNormalization(x, a, b, m, c, d, w, e, f)", "moving variance"),
            ("y = LSTMBlockCell(x, c, h, w, a, b, d, e)", "recurrent kernel"),
            ("y = LSTMBlockCell(x, c, h, k, a, w, d, e)", "peephole"),
            ("y = LSTMBlockCell(x, c, h, k, a, b, d, w)", "recurrent bias"),
            ("y = BlockLSTM(n, x, c, h, w, a, b, d, e)", "recurrent kernel"),
            ("y = GRUBlockCell(x, h, k, l, w, c)", "recurrent bias"),
            ("y = CudnnRNNV3(x, h, c, w)", "recurrent kernel"),
            ("y = Reshape(x, w)", "shape"),
            ("y = Transpose(x, w)", "permutation"),
            ("y = ConcatV2(x, z, w)", "axis"),
            ("y = ConcatV2(x, w, a)", "element"),
            ("y = Concat(w, x, z)", "axis"),
            ("y = Mean(x, w)", "axis"),
            ("y = Pad(x, w)", "paddings"),
            ("y = StridedSlice(x, a, b, w)", "strides"),
            ("y = Split(w, x)", "axis"),
            ("y = ResizeBilinear(x, w)", "size"),
            ("y = Fill(s, w)", "value"),
            ("y = FakeQuantWithMinMaxVars(x, a, w)", "max"),
            ("y = NonMaxSuppressionV3(x, y, n, w, s)", "iou threshold"),
            ("y = ResourceApplyAdam(v, a, b, w, d, e, f, g, h, i)", "beta1 power"),
            ("y = ApplyRMSProp(v, a, b, c, w, e, f, g)", "rho"),
            ("y = PlaceholderWithDefault(w)", "default"),
            ("y = ResourceApplyAdam(v, w, b, c, d, e)", "m slot"),
            ("y = SparseApplyMomentum(v, w, b, c, d, e)", "momentum slot"),
            ("y = ApplyRMSProp(v, a, w, c, d, e)", "momentum slot"),
            ("y = ApplyGradientDescent(v, w, c)", "learning rate"),
            ("y = AssignVariableOp(v, w)", "initial value"),
            ("y = SaveV2(p, n, s, a, w)", "saved"),
            ("y = RestoreV2(p, w, s)", "tensor names"),
            ("y = Unheard(x, w)", ""),
            ("y = BiasAdd(x, b, w)", ""),
        ],
    )
    def test_the_role_of_an_input(self, line, role):
        model = graph(const("w", np.ones((2, 3, 4, 5), "f4")), line)
        assert used(model) == (line.split(" = ")[1].split("(")[0], role)

    def test_inputs_of_fused_ops_are_named_by_an_attribute(self):
        fused = node("y = _FusedConv2D(x, f, w)", fused_ops=["BiasAdd", "Relu"])
        assert used(graph(const("w"), fused)) == ("_FusedConv2D", "bias")
        fused = node("y = _FusedConv2D(x, f, g, b, w, v)", fused_ops=["FusedBatchNorm"])
        assert used(graph(const("w"), fused)) == ("_FusedConv2D", "moving mean")
        assert used(graph(const("w"), node("y = _FusedMatMul(x, w)"))) == ("_FusedMatMul", "matrix")

    def test_a_one_dimensional_table_is_not_an_embedding(self):
        assert used(graph(const("w", MATRIX), "y = GatherV2(w, i, a)")) == ("GatherV2", "embedding")
        assert used(graph(const("w", VECTOR), "y = GatherV2(w, i, a)")) == ("GatherV2", "table")

    def test_a_scalar_that_is_added_to_is_a_counter(self):
        assert used(graph(variable("w"), "y = AssignAddVariableOp(w, i)")) == ("AssignAddVariableOp", "counter")
        assert used(graph(variable("w", 3), "y = AssignAddVariableOp(w, i)")) == ("AssignAddVariableOp", "sum")

    def test_an_op_that_the_model_declares_names_its_own_inputs(self):
        declared = OpDef(name="Unheard", input_arg=[OpDef.ArgDef(name="x"), OpDef.ArgDef(name="some_weights")])
        info = MetaGraphDef.MetaInfoDef(stripped_op_list=OpList(op=[declared]))
        meta = MetaGraphDef(meta_info_def=info, graph_def=graph(const("w"), "y = Unheard(x, w)"))
        assert used(meta) == ("Unheard", "some weights")

    def test_inputs_after_a_list_have_no_name(self):
        declared = OpDef(name="Unheard", input_arg=[OpDef.ArgDef(name="xs", number_attr="N"), OpDef.ArgDef(name="y")])
        info = MetaGraphDef.MetaInfoDef(stripped_op_list=OpList(op=[declared]))
        meta = MetaGraphDef(meta_info_def=info, graph_def=graph(const("w"), "y = Unheard(x, w)"))
        assert used(meta) == ("Unheard", "")

    def test_an_unused_weight(self):
        assert used(graph(const("w"))) is None
        assert used(graph(const("w"), "y = NoOp(^w)")) is None


class TestRolesInGeneralOps:
    @pytest.mark.parametrize(
        ("lines", "role"),
        [
            (["c = Conv2D(x, f)", "y = Add(c, w)"], "bias"),
            (["c = MatMul(x, f)", "y = AddV2(w, c)"], "bias"),
            (["c = MatMul(x, f)", "i = Identity(c)", "y = AddV2(w, i)"], "bias"),
            (["c = Conv2D(x, f)", "m = Mul(c, s)", "y = AddV2(m, w)"], "bias"),
            (["c = Conv2D(x, f)", "y = Mul(c, w)"], "scale"),
            (["c = Relu(x)", "y = AddV2(c, w)"], "operand"),
            (["c = Relu(x)", "y = Mul(c, w)"], "operand"),
        ],
    )
    def test_operands_next_to_a_layer(self, lines, role):
        assert used(graph(const("w", VECTOR), *lines))[1] == role
        assert used(graph(const("w", VECTOR.reshape(1, 3, 1)), *lines))[1] == role
        assert used(graph(const("w", MATRIX), *lines))[1] == "operand"

    def test_a_batch_norm_of_single_ops(self):
        model = graph(
            *(const(name, VECTOR) for name in ("gamma", "beta", "mean", "variance")),
            const("epsilon", np.float32(1e-3)),
            "add = AddV2(variance, epsilon)",
            "rsqrt = Rsqrt(add)",
            "scale = Mul(rsqrt, gamma)",
            "scaled = Mul(x, scale)",
            "shift = Mul(mean, scale)",
            "rest = Sub(beta, shift)",
            "y = AddV2(scaled, rest)",
        )
        roles = {weight.name: weight.role for weight in list_all(model)}
        assert roles == {
            "gamma": "gamma",
            "beta": "beta",
            "mean": "moving mean",
            "variance": "moving variance",
            "epsilon": "epsilon",
        }

    def test_a_batch_norm_without_gamma_and_beta(self):
        model = graph(
            const("mean", VECTOR),
            const("variance", VECTOR),
            const("epsilon", np.float32(1e-3)),
            "add = AddV2(variance, epsilon)",
            "rsqrt = Rsqrt(add)",
            "scaled = Mul(x, rsqrt)",
            "shift = Mul(mean, rsqrt)",
            "minus = Neg(shift)",
            "y = AddV2(scaled, minus)",
        )
        assert [used(model, name)[1] for name in ("mean", "variance")] == ["moving mean", "moving variance"]


class TestContradictions:
    @pytest.mark.parametrize(
        ("model", "problem"),
        [
            (graph(const("w"), const("w")), 'the graph has two nodes "w"'),
            (graph(functions=(function("f", "x", {}, const("w"), const("w")),)), 'the function f has two nodes "w"'),
            (graph(const("w"), "y = MatMul(x, w:a:b:c)"), '"w:a:b:c" is not a reference'),
            (graph("w = Const()"), 'Const "w" has no value'),
            (graph("w = VarHandleOp()"), 'VarHandleOp "w" has no type'),
            (graph(variable("w", dtype=99)), 'VarHandleOp "w": there is no type of number 99'),
        ],
    )
    def test_inconsistent_graphs_are_refused(self, model, problem):
        with pytest.raises(GraphError, match=problem):
            list_all(model)
