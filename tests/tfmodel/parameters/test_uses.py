"""The uses of constants and variables, and their roles."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.tfmodel.parameters.graphs import const, function, graph, node, variable
from tfmodel.errors import GraphError
from tfmodel.messages import MetaGraphDef, OpDef, OpList
from tfmodel.parameters.listing import weights

list_all = partial(weights, all=True)

MATRIX = np.ones((2, 3), "f4")
VECTOR = np.ones(3, "f4")


def uses(model, name="w", **more):
    return list_all(model, **more)[name].uses


def used(model, name="w"):
    """Return the op and role of the most relevant use; None if there is none."""
    model_uses = uses(model, name)
    return (model_uses[0].op, model_uses[0].role) if model_uses else None


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


class TestDataFlow:
    @pytest.mark.parametrize(
        "lines",
        [
            ["i = Identity(w)"],
            ["i = ReadVariableOp(w)"],
            ["a = ReadVariableOp(w)", "b = Cast(a)", "i = StopGradient(b:0)"],
            ["a = Enter(w)", "i = Identity(a)"],
            ["i = FakeQuantWithMinMaxVars(w, a, b)"],
            ["i = PlaceholderWithDefault(w)"],
            ["i = Merge(a, w)"],
            ["i = ExpandDims(w, a)"],
            ["i = Reshape(w, s)"],
            ["i = Transpose(w, p)"],
        ],
    )
    def test_nodes_that_pass_a_weight_on(self, lines):
        assert used(graph(const("w", MATRIX), *lines, "y = MatMul(x, i)")) == ("MatMul", "matrix")

    @pytest.mark.parametrize(
        ("line", "reference", "passes"),
        [
            ("i = Switch(w, p)", "i:1", True),
            ("i = Switch(p, w)", "i:1", False),
            ("i = IdentityN(a, w)", "i:1", True),
            ("i = IdentityN(a, w)", "i", False),
            ("i = Merge(a, w)", "i:1", False),
            ("i = Relu(w)", "i", False),
            ("i = Split(a, w)", "i:3", True),
        ],
    )
    def test_outputs_that_are_the_weight(self, line, reference, passes):
        model = graph(const("w", MATRIX), line, f"y = MatMul(x, {reference})")
        assert (used(model) == ("MatMul", "matrix")) is passes

    def test_parts_that_are_joined(self):
        whole = ["all = ConcatV2(w, i, axis)", "y = MatMul(x, all)"]
        model = graph(const("w", MATRIX), const("v", MATRIX), "i = Identity(v)", const("axis", np.int32(0)), *whole)
        assert used(model) == used(model, "v") == ("MatMul", "matrix")
        assert uses(model)[0].through == ("ConcatV2",)
        computed = graph(const("w", MATRIX), "i = Relu(x)", const("axis", np.int32(0)), *whole)
        assert used(computed) == ("ConcatV2", "element")

    def test_a_loop(self):
        use = uses(graph(const("w", MATRIX), "e = Enter(w)", "y = MatMul(x, e)"))[0]
        assert use.in_loop
        assert not uses(graph(const("w", MATRIX), "y = MatMul(x, w)"))[0].in_loop

    def test_a_cycle(self):
        model = graph(
            const("w", MATRIX),
            "m = Merge(w, n)",
            "n = NextIteration(m)",
            "i = Identity(m)",
            "j = Merge(i, j)",
            "y = MatMul(x, j)",
        )
        assert used(model) == ("MatMul", "matrix")

    def test_the_most_relevant_use_comes_first(self):
        model = graph(
            variable("w", 2, 3),
            "init = AssignVariableOp(w, i)",
            "save = SaveV2(p, n, s, w)",
            "train = ResourceApplyAdam(w, a, b, c, d, e)",
            "gradients/MatMul_grad/MatMul = MatMul(g, w)",
            "shape = Prod(w, a)",
            "y = MatMul(x, w)",
        )
        assert [(use.op, use.role) for use in uses(model)] == [
            ("MatMul", "matrix"),
            ("Prod", "input"),
            ("MatMul", "matrix"),
            ("ResourceApplyAdam", "trained variable"),
            ("AssignVariableOp", ""),
            ("SaveV2", "saved"),
        ]

    def test_the_gradient_of_a_convolution_is_not_a_transposed_convolution(self):
        model = graph(
            const("w"), "gradients/c_grad/Conv2DBackpropInput = Conv2DBackpropInput(s, w, g)", "c = Conv2D(x, w)"
        )
        assert used(model) == ("Conv2D", "filter")
        model = graph(const("w"), "gradients/c_grad/Conv2D = Conv2D(g, w)", "c = Conv2DBackpropInput(s, w, x)")
        assert used(model) == ("Conv2DBackpropInput", "transposed filter")


class TestFunctions:
    def test_into_a_function_and_the_next(self):
        inner = function("inner", "v x", {"y": "m:product:0"}, "r = ReadVariableOp(v)", "m = MatMul(x, r:value:0)")
        outer = function("outer", "x v", {"y": "c:output:0"}, node("c = StatefulPartitionedCall(v, x)", f="inner"))
        model = graph(variable("w", 2, 3), node("c = PartitionedCall(x, w)", f="outer"), functions=(outer, inner))
        use = uses(model)[0]
        assert (use.op, use.role, use.node, use.function) == ("MatMul", "matrix", "m", "inner")

    def test_results_of_a_function_continue_at_the_call(self):
        read = function("read", "a v", {"x": "a", "y": "r:value:0"}, "r = ReadVariableOp(v)")
        model = graph(
            variable("w", 2, 3),
            node("c = PartitionedCall(a, w)", f="read"),
            "y = MatMul(x, c:1)",
            "z = BiasAdd(x, c)",
            functions=(read,),
        )
        assert [use.op for use in uses(model)] == ["MatMul"]

    def test_a_function_that_is_the_op_of_a_node(self):
        body = function("Dense", "x w", {"y": "m:product:0"}, "m = MatMul(x, w)")
        assert used(graph(const("w", MATRIX), "c = Dense(x, w)", functions=(body,))) == ("MatMul", "matrix")

    @pytest.mark.parametrize(
        ("call", "in_loop"),
        [
            (node("c = If(p, x, w)", then_branch="used", else_branch="unused"), False),
            (node("c = StatelessCase(p, x, w)", branches=["unused", "used"]), False),
            (node("c = While(x, w)", cond="unused", body="used"), True),
        ],
    )
    def test_branches_and_loops(self, call, in_loop):
        functions = (
            function("used", "x w", {"y": "m:product:0", "z": "w"}, "m = MatMul(x, w)"),
            function("unused", "x w", {"y": "x", "z": "w"}),
        )
        use = uses(graph(const("w", MATRIX), call, functions=functions))[0]
        assert (use.op, use.role, use.in_loop) == ("MatMul", "matrix", in_loop)

    def test_a_function_that_calls_itself(self):
        body = function("f", "w", {"y": "m:product:0"}, node("c = PartitionedCall(w)", f="f"), "m = MatMul(x, w)")
        model = graph(const("w", MATRIX), node("c = PartitionedCall(w)", f="f"), functions=(body,))
        assert used(model) == ("MatMul", "matrix")

    def test_a_missing_function(self):
        model = graph(const("w", MATRIX), node("c = PartitionedCall(w)", f="f"))
        assert used(model) == ("PartitionedCall", "")

    def test_constants_of_functions(self):
        body = function("f", "x", {"y": "m:product:0"}, const("w", MATRIX), "m = MatMul(x, w:output:0)")
        (row,) = list_all(graph(functions=(body,)))
        assert (row.name, row.function, row.op, row.role) == ("f/w", "f", "MatMul", "matrix")
        assert np.array_equal(row.array(), MATRIX)


class TestMany:
    """Time limits: these tests take forever if time grows with a product of sizes."""

    def test_many_users(self):
        model = graph(const("w", MATRIX), *(f"y{n} = MatMul(x, w)" for n in range(3000)))
        assert 1000 <= len(uses(model)) <= 3000

    @pytest.mark.slow(reason="reads or transforms inputs that are large")
    def test_many_ports(self):
        names = [f"w{n}" for n in range(3000)]
        model = graph(
            *(const(name) for name in names),
            f"i = IdentityN({', '.join(names)})",
            *(f"y{n} = BiasAdd(x, i:{n})" for n in range(3000)),
        )
        assert {weight.role for weight in list_all(model)} == {"bias"}

    def test_many_joined_inputs(self):
        names = [f"w{n}" for n in range(3000)]
        joined = f"i = ConcatV2({', '.join(names)}, w0)"
        model = graph(*(const(name, MATRIX) for name in names), joined, "y = MatMul(x, i)")
        assert {weight.role for weight in list_all(model, name="w?*")} == {"matrix"}

    @pytest.mark.slow(reason="reads or transforms inputs that are large")
    def test_a_long_chain(self):
        chain = [f"i{n} = Identity({f'i{n - 1}' if n else 'w'})" for n in range(4000)]
        assert used(graph(const("w", MATRIX), *chain, "y = MatMul(x, i3999)")) == ("MatMul", "matrix")


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
