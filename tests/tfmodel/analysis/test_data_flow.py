"""The flow of constants and variables through a graph and its functions, seen from their uses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.parameters.graphs import const, function, graph, list_all, node, used, uses, variable

MATRIX = np.ones((2, 3), "f4")


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
