"""Models that cannot be frozen, and graphs that occur in no real model."""

from __future__ import annotations

import os

import numpy as np
import pytest

import pbwire
from tests.support.corpus import corpus, needs_corpus
from tests.support.effort import some
from tests.tfmodel.freezing.models import VALUES, R, V, X, frozen, lines
from tfmodel import CheckpointError, FileFormatError, FreezeError, ModelError, load, save
from tfmodel.freezing import freeze
from tfmodel.messages import GraphDef, MetaGraphDef, SavedModel
from tfmodel.values.tensors import to_ndarray

from .models import case, faults, graph, nodes_of, op_names


class TestConversion:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("y = ReadVariableOp(v) dtype=float", "y = Identity(v)"),
            ("y = ReadVariableOp(v, ^x) dtype=float", "y = Identity(v, ^x)"),
            ("y = ResourceGather(v, i) dtype=float Tindices=int32", "y = GatherV2(v, i, y/axis)"),
            ("y = ResourceGatherNd(v, i) dtype=float Tindices=int32", "y = GatherNd(v, i)"),
            ("y = VariableShape(v)", "y = Shape(v)"),
            ("y = Relu(r) T=float", "y = Relu(r)"),
            ("y = RefIdentity(r) T=float", "y = Identity(r)"),
        ],
    )
    def test_an_op_becomes_another(self, before, after):
        nodes = frozen(V, R, X, "i = Const() dtype=int32", before)
        assert after in lines(nodes)

    @pytest.mark.parametrize("source", ["y = VarIsInitializedOp(v)", "y = IsVariableInitialized(r) dtype=float"])
    def test_a_variable_with_a_value_is_initialized(self, source):
        assert to_ndarray(frozen(V, R, source)["y"].attr["value"].tensor).item() is True

    def test_the_first_dimensions_of_a_gather_may_belong_together(self):
        nodes = frozen(V, "i = Const() dtype=int32", "y = ResourceGather(v, i) dtype=float Tindices=int32 batch_dims=1")
        assert nodes["y"].attr["batch_dims"].i == 1
        assert to_ndarray(nodes["y/axis"].attr["value"].tensor).item() == 1

    def test_a_variable_can_be_the_output(self):
        assert frozen(R, outputs="r:0").keys() == {"r"}

    def test_identities_of_several_tensors(self):
        nodes = frozen(V, X, "n = IdentityN(x, v) T=[float,resource]", "y = ReadVariableOp(n:1) dtype=float")
        assert nodes["n"].attr["T"].list.type == [1, 1]

    def test_colocation_with_a_removed_node_is_dropped(self):
        model = graph(V, "gone = NoOp()", "y = ReadVariableOp(v) dtype=float _class=[loc:@v,loc:@gone]")
        places = nodes_of(freeze(model, "y", checkpoint=VALUES))["y"].attr["_class"].list.s
        assert places == [b"loc:@v"]


class TestVersions:
    """A variable that changes while the graph runs."""

    def test_a_read_after_an_assignment_gets_the_assigned_value(self):
        nodes = frozen(V, X, "a = AssignAddVariableOp(v, x) dtype=float", "y = ReadVariableOp(v, ^a) dtype=float")
        assert lines(nodes) == ["a = Add(v, x)", "x = Placeholder()", "y = Identity(a, ^a)"]

    def test_a_new_value_needs_no_old_one(self):
        nodes = [V, X, "a = AssignVariableOp(v, x) dtype=float", "y = ReadVariableOp(v, ^a) dtype=float"]
        nodes = frozen(*nodes, checkpoint={})
        assert lines(nodes) == ["a = Identity(x)", "x = Placeholder()", "y = Identity(a, ^a)"]

    def test_assignments_that_nothing_reads_are_dropped_with_their_inputs(self):
        nodes = frozen(
            R,
            X,
            "big = Relu(x) T=float",
            "a = AssignSub(r, big) T=float",
            "y = Relu(r) T=float",
            "z = NoOp(^a, ^y)",
            outputs="z",
        )
        assert lines(nodes) == ["a = NoOp()", "y = Relu(r)", "z = NoOp(^a, ^y)"]

    def test_a_read_that_may_come_first_does(self):
        nodes = frozen(R, X, "a = AssignSub(r, x) T=float", "y = Relu(r) T=float", "z = Neg(a) T=float", outputs="y,z")
        assert lines(nodes) == ["a = Sub(r, x)", "x = Placeholder()", "y = Relu(r)", "z = Neg(a)"]

    def test_references_lead_to_the_latest_value(self):
        nodes = frozen(
            R,
            X,
            "a = AssignAdd(r, x) T=float",
            "b = AssignSub(a, x) T=float",
            "y = Relu(r, ^b) T=float",
            "z = Neg(a, ^b) T=float",
            outputs="y,z",
        )
        assert {"a = Add(r, x)", "b = Sub(a, x)", "y = Relu(b, ^b)", "z = Neg(b, ^b)"} <= set(lines(nodes))

    def test_branches_of_assignments_meet(self):
        nodes = frozen(
            R,
            X,
            "p = Placeholder() dtype=bool",
            "s = RefSwitch(r, p) T=float",
            "q = Switch(x, p) T=float",
            "a = AssignAdd(s:1, q:1) T=float",
            "b = AssignSub(s, q) T=float",
            "m = RefMerge(b, a) T=float N=2",
            "y = Relu(m) T=float",
            "z = Relu(r, ^m) T=float",
            outputs="y,z",
        )
        assert {"s = Switch(r, p)", "a = Add(s:1, q:1)", "b = Sub(s, q)", "m = Merge(b, a)", "z = Relu(m, ^m)"} <= set(
            lines(nodes)
        )

    @pytest.mark.parametrize(
        ("nodes", "problem"),
        [
            (["a = ScatterAdd(r, x, x)", "y = Relu(r, ^a) T=float"], "this new value cannot be frozen"),
            (["a = ScatterAdd(r, x, x)", "y = Relu(a) T=float"], "this new value cannot be frozen"),
            (
                ["a = AssignAdd(r, x) T=float", "b = AssignSub(r, x) T=float", "y = Relu(r, ^a, ^b) T=float"],
                "no defined order",
            ),
            (
                [
                    "p = Placeholder() dtype=bool",
                    "q = Switch(x, p) T=float",
                    "a = AssignAdd(r, q) T=float",
                    "m = Merge(a, x) T=float N=2",
                    "y = Relu(r, ^m) T=float",
                ],
                "under a condition",
            ),
            (
                [
                    "e = Enter(x) T=float frame_name=f",
                    "m = Merge(e, n) T=float N=2",
                    "n = NextIteration(a) T=float",
                    "f = RefEnter(r) T=float frame_name=f",
                    "a = AssignAdd(f, m) T=float",
                    "y = Exit(a) T=float",
                ],
                "in a loop",
            ),
        ],
    )
    def test_reads_of_an_uncertain_value_are_refused(self, nodes, problem):
        with pytest.raises(FreezeError, match=problem):
            frozen(R, X, *nodes)

    def test_one_variable_may_have_several_handles(self):
        both = ["v = VarHandleOp() dtype=float shape=(2) shared_name=v", "w = VarHandleOp() dtype=float shared_name=v"]
        nodes = frozen(*both, X, "a = AssignVariableOp(w, x) dtype=float", "y = ReadVariableOp(v, ^a) dtype=float")
        assert lines(nodes) == ["a = Identity(x)", "x = Placeholder()", "y = Identity(a, ^a)"]


class TestFunctions:
    CALL = "c = PartitionedCall(x, v) f=@f Tin=[float,resource] Tout=[float]"
    F = """f(x: float, v: resource) -> (y: float = Add:z:0)
        Read = ReadVariableOp(v) dtype=float
        Add = Add(x, Read:value:0) T=float"""

    def test_a_call_is_replaced_by_the_nodes_of_its_function(self):
        nodes = frozen(V, X, self.CALL, "y = Relu(c) T=float", functions=[self.F])
        inside = ["c/Add = Add(x, c/Read)", "c/Read = Identity(v)"]
        assert lines(nodes) == [*inside, "x = Placeholder()", "y = Relu(c/Add)"]

    def test_an_output_keeps_the_name_of_its_call(self):
        nodes = frozen(V, X, self.CALL, functions=[self.F], outputs="c")
        assert "c = Identity(c/Add)" in lines(nodes)
        assert nodes["c"].attr["T"].type == 1

    def test_several_outputs_too(self):
        two = "g(a: float, b: float) -> (first: float = b, second: float = Neg:y:0)\nNeg = Neg(a) T=float"
        nodes = frozen(X, "z = Placeholder() dtype=float", "c = g(x, z)", functions=[two], outputs="c:1,c")
        assert lines(nodes) == ["c = IdentityN(z, c/Neg)", "c/Neg = Neg(x)", "x = Placeholder()", "z = Placeholder()"]

    def test_the_second_output_of_an_op_is_found(self):
        top = """g(x: float, k: int32) -> (first: float = T:indices:0, second: float = T:values:0)
            T = TopKV2(x, k) T=float"""
        nodes = frozen(X, "k = Const() dtype=int32", "c = g(x, k)", "y = Sub(c, c:1) T=float", functions=[top])
        assert nodes["y"].input == ["c/T:1", "c/T"]

    def test_lists_of_outputs_are_counted(self):
        parse = """g(x: float) -> (y: float = P:dense_values:1)
            P = ParseExampleV2(x) num_sparse=2 sparse_types=[float,float] Tdense=[float,float]"""
        nodes = frozen(X, "c = g(x)", "y = Relu(c) T=float", functions=[parse])
        assert nodes["y"].input == ["c/P:7"]

    def test_nodes_that_run_before_and_after_a_call(self):
        printing = """g(x: float) -> (y: float = N:y:0) ^Print
            N = Neg(x) T=float
            Print = PrintV2(s:output:0)
            s = Const() dtype=string"""
        nodes = frozen(X, "first = NoOp()", "c = g(x, ^first)", "y = Relu(c, ^c) T=float", functions=[printing])
        inside = {"c/N = Neg(x)", "c/Print = PrintV2(c/s)"}
        assert inside | {"c = NoOp(^c/Print)", "y = Relu(c/N, ^c)"} <= set(lines(nodes))
        before = frozen(X, "first = Assert(x)", "c = g(x, ^first)", "y = Relu(c, ^c) T=float", functions=[printing])
        assert before["c/N"].input == ["x", "^c/inputs"] and before["c/inputs"].input == ["^first"]

    def test_in_a_branch_nodes_without_inputs_stay_in_the_branch(self):
        one = "g(x: float) -> (y: float = One:output:0)\nOne = Const() dtype=float"
        nodes = frozen(
            X,
            "p = Placeholder() dtype=bool",
            "s = Switch(x, p) T=float",
            "c = g(s:1)",
            "m = Merge(s, c) T=float N=2",
            "y = Relu(m) T=float",
            functions=[one],
        )
        assert nodes["c/One"].input == ["^c/inputs"] and nodes["c/inputs"].input == ["s:1"]

    def test_names_that_are_taken_are_not_taken_again(self):
        nodes = frozen(V, X, self.CALL, "c/Add = Neg(c) T=float", "y = Relu(c/Add) T=float", functions=[self.F])
        assert {"c/Add_1 = Add(x, c/Read)", "c/Add = Neg(c/Add_1)"} <= set(lines(nodes))

    def test_a_call_that_has_the_name_of_its_caller_adds_no_scope(self):
        outer = """g(x: float, v: resource) -> (y: float = c:output:0)
            c = PartitionedCall(x, v) f=@f Tin=[float,resource] Tout=[float]"""
        nodes = frozen(V, X, "c = g(x, v)", "y = Relu(c) T=float", functions=[outer, self.F])
        assert "c/Add = Add(x, c/Read)" in lines(nodes)

    def test_functions_that_stay_take_values(self):
        branch = (
            "{}(x: float, v: resource) -> (y: float = Add:z:0)\nRead = ReadVariableOp(v) dtype=float\n"
            "Add = {}(x, Read:value:0) T=float"
        )
        result = freeze(
            graph(
                V,
                X,
                "p = Placeholder() dtype=bool",
                "y = If(p, x, v) then_branch=@a else_branch=@b Tin=[float,resource] Tout=[float] Tcond=bool",
                functions=[branch.format("a", "Add"), branch.format("b", "Sub")],
            ),
            "y",
            checkpoint=VALUES,
        )
        assert faults(result) == []
        assert nodes_of(result)["y"].attr["Tin"].list.type == [1, 1]
        for function in result.library.function:
            assert [arg.type for arg in function.signature.input_arg] == [1, 1]
            assert function.node_def[0].op == "Identity"
            assert function.node_def[1].input == ["x", "Read:output:0"]

    @pytest.mark.parametrize(
        ("condition", "body", "problem"),
        [
            (
                "R = ReadVariableOp(v) dtype=float",
                "A = AssignAddVariableOp(v, x) dtype=float",
                "in a loop that reads it",
            ),
            ("R = NoOp()", "A = AssignAddVariableOp(v, x) dtype=float", None),
            ("R = ReadVariableOp(v) dtype=float", "A = ReadVariableOp(v) dtype=float", None),
        ],
    )
    def test_a_loop_may_change_a_variable_that_it_does_not_read(self, condition, body, problem):
        functions = [
            f"c(x: float, v: resource) -> (y: bool = T:output:0)\nT = Const() dtype=bool\n{condition}",
            f"b(x: float, v: resource) -> (y: float = x, w: resource = v)\n{body}",
        ]
        model = graph(V, X, "y = While(x, v) cond=@c body=@b T=[float,resource]", functions=functions)
        if problem is not None:
            with pytest.raises(FreezeError, match=problem):
                freeze(model, "y", checkpoint=VALUES)
            return
        result = freeze(model, "y", checkpoint=VALUES)
        assert faults(result) == []
        assert op_names(result) <= {"Placeholder", "Const", "While", "NoOp", "Identity"}
        assert [arg.type for arg in result.library.function[1].signature.output_arg] == [1, 1]

    def test_a_function_without_variables_is_shared(self):
        inner = "a(x: float) -> (y: float = x)"
        model = graph(
            V,
            X,
            "p = Placeholder() dtype=bool",
            "r = ReadVariableOp(v) dtype=float",
            "y = If(p, r) then_branch=@a else_branch=@a Tin=[float] Tout=[float]",
            functions=[inner],
        )
        result = freeze(model, "y", checkpoint=VALUES)
        assert result.library.function[0] is model.library.function[0]

    @pytest.mark.parametrize(
        ("functions", "problem"),
        [
            (["f(x: float, v: resource) -> (y: float = c:y:0)\nc = f(x, v)"], '"f" calls itself'),
            (
                [
                    "f(x: float, v: resource) -> (y: float = c:y:0)\nc = g(x, v)",
                    "g(x: float, v: resource) -> (y: float = c:y:0)\nc = f(x, v)",
                ],
                "calls itself",
            ),
            (["f(x: float) -> (y: float = x)"], "has 2 inputs"),
            (["f(x: float, v: resource) -> (y: float = gone:z:0)"], 'no node "gone"'),
            (["f(x: float, v: resource) -> (y: float = N:y:0)\nN = Neg(gone:z:0) T=float"], 'no node "gone"'),
            (["f(x: float, v: resource) -> (y: float = N:y:0)\nN = Neg(x, ^gone) T=float"], 'no node "gone"'),
            (["f(x: float, v: resource) -> (y: float = T:nonsense:0)\nT = TopKV2(x, x)"], 'no output "nonsense"'),
            (["f(x: float, v: resource) -> (y: float = T:one:0, z: float = T:two:0)\nT = OwnOp(x)"], "not known"),
            (["g(x: float) -> (y: float = x)"], 'no function "f"'),
        ],
    )
    def test_functions_that_contradict_themselves(self, functions, problem):
        with pytest.raises(FreezeError, match=problem):
            frozen(V, X, self.CALL, "y = Relu(c) T=float", functions=functions)

    @pytest.mark.parametrize("op", ["If", "While"])
    def test_branches_that_call_themselves(self, op):
        inputs = {"If": "p, v", "While": "v"}[op]
        branches = "then_branch=@f else_branch=@f Tin=[resource] Tout=[bool]"
        attrs = {"If": branches, "While": "cond=@f body=@f T=[resource]"}[op]
        again = f"""f(v: resource) -> (y: bool = c:output:0)
            p = Const() dtype=bool
            c = {op}({inputs.replace("p", "p:output:0")}) {attrs}"""
        with pytest.raises(FreezeError, match="calls itself"):
            frozen(V, "p = Const() dtype=bool", f"y = {op}({inputs}) {attrs}", functions=[again])

    IF = "c = If(p:output:0, x, v) then_branch=@f{0} else_branch=@f{0} Tin=[float,resource] Tout=[float]"

    @pytest.mark.parametrize("call", ["c = f{}(x, v)", f"p = Const() dtype=bool\n{IF}"])
    def test_functions_that_are_nested_without_end(self, call):
        deep = [f"f{n}(x: float, v: resource) -> (y: float = c:y:0)\n{call.format(n + 1)}" for n in range(300)]
        last = "f300(x: float, v: resource) -> (y: float = R:value:0)\nR = ReadVariableOp(v) dtype=float"
        top = call.format(0).replace(":output:0", "")
        with pytest.raises(FreezeError, match="nested in each other"):
            frozen(V, X, *top.split("\n"), functions=[*deep, last], outputs="c")

    def test_a_call_without_the_types_of_its_results(self):
        with pytest.raises(FreezeError, match='PartitionedCall "y" does not list the types of its 1 results'):
            frozen(X, "y = PartitionedCall(x) f=@f Tin=[float] Tout=[]", functions=["f(x: float) -> (y: float = x)"])

    @pytest.mark.parametrize(
        ("call", "body", "problem"),
        [
            ("f(x)", "f(x: float, x: float) -> (y: float = N:y:0)\nN = Neg(x) T=float", 'two arguments "x"'),
            ("f(x, x)", "f(x: float, x: float) -> (y: float = N:y:0)\nN = Neg(x) T=float", 'two arguments "x"'),
            ("f(x)", "f(x: float) -> (y: float = x)\nx = Neg(x) T=float", 'a node and an argument "x"'),
        ],
    )
    def test_a_name_that_is_given_twice_in_a_function(self, call, body, problem):
        with pytest.raises(FreezeError, match=f'function "f" has {problem}'):
            frozen(X, f"c = {call}", "y = Relu(c) T=float", functions=[body])

    def test_functions_that_grow_without_end(self):
        twice = [f"f{n}(x: float) -> (y: float = b:y:0)\na = f{n + 1}(x)\nb = f{n + 1}(a:y:0)" for n in range(40)]
        last = "f40(x: float) -> (y: float = N:y:0)\nN = Neg(x) T=float"
        with pytest.raises(FreezeError, match="functions would make"):
            frozen(X, "y = f0(x)", functions=[*twice, last])


class TestDamage:
    @pytest.mark.parametrize(
        ("nodes", "problem"),
        [
            ([V, "y = Neg(gone) T=float"], 'Neg "y" needs "gone", which does not exist'),
            ([V, "y = Neg(v, ^gone) T=float"], 'needs "gone"'),
            ([V, V, "y = ReadVariableOp(v) dtype=float"], 'two nodes "v"'),
            ([V, "y = ReadVariableOp(v:x:y) dtype=float"], '"y": its input "v:x:y" is not a reference'),
            ([V, "y = ReadVariableOp(v)"], 'no attribute "dtype"'),
            (
                [V, "y = ReadVariableOp(v) dtype=3"],
                'the attribute "dtype" of ReadVariableOp "y" is an integer, not a type',
            ),
            ([V, "y = ReadVariableOp(v) dtype=int32"], "reads"),
            ([V, "y = Pack(v, v) N=2"], 'Pack "y" cannot take the value of "v" in place of the variable'),
            ([V, "y = ResourceGather(v) dtype=float"], "cannot take"),
            ([V, "y = ResourceCountUpTo(v) T=float", "z = Neg(y) T=float"], "cannot be computed from values"),
            ([R, "y = RefSelect(r, r, r) T=float N=2"], "cannot take"),
            ([V, "y = AssignVariableOp(v)", "z = ReadVariableOp(v, ^y) dtype=float"], "has 1 inputs, not 2"),
            (["v = VarHandleOp()", "y = ReadVariableOp(v) dtype=float"], 'VarHandleOp "v" has no attribute "dtype"'),
            ([V, "y = While(v) body=@f T=[resource]"], 'no attribute "cond"'),
            ([V, "y = If(v, v) then_branch=@f else_branch=@f Tin=[resource]"], 'no function "f"'),
        ],
    )
    def test_graphs_that_contradict_themselves(self, nodes, problem):
        with pytest.raises(FreezeError) as caught:
            frozen(*nodes, outputs="z" if any(node.startswith("z") for node in nodes) else "y")
        assert problem in str(caught.value)

    def test_a_cycle_that_is_not_a_loop(self):
        with pytest.raises(FreezeError, match="cycle"):
            frozen(
                V,
                "a = AssignVariableOp(v, y) dtype=float",
                "y = Neg(z, ^a) T=float",
                "z = Neg(y) T=float",
                "w = ReadVariableOp(v, ^a) dtype=float",
                outputs="w",
            )

    @pytest.mark.parametrize(
        ("value", "problem"),
        [
            (np.zeros(3, "f4"), r'shape \[2\], but "v" of .* has \[3\]'),
            (np.zeros((2, 1), "f4"), r"has \[2, 1\]"),
            (np.zeros(2, "f8"), "is float32, but .* is float64"),
            (np.array([b"a", b"b"], object), "is float32, but .* is object"),
        ],
    )
    def test_values_that_do_not_fit(self, value, problem):
        with pytest.raises(FreezeError, match=problem):
            frozen(V, "y = ReadVariableOp(v) dtype=float", checkpoint={"v": value})

    def test_a_variable_without_a_value_is_named(self):
        names = [f"weights_{n}" for n in range(7)]
        nodes = [
            line
            for name in names
            for line in (f"{name} = VarHandleOp() dtype=float", f"y_{name} = ReadVariableOp({name}) dtype=float")
        ]
        with pytest.raises(FreezeError) as caught:
            freeze(graph(*nodes), [f"y_{name}" for name in names], checkpoint={"weight_0": np.zeros(1, "f4")})
        said = str(caught.value)
        assert '7 variables: "weights_0", ' in said and ', ...; did you mean "weight_0"?' in said

    def test_without_a_checkpoint(self):
        with pytest.raises(FreezeError, match='a checkpoint is needed for the variable "v"'):
            frozen(V, "y = ReadVariableOp(v) dtype=float", checkpoint=None)

    def test_with_a_missing_one(self, tmp_path):
        with pytest.raises((CheckpointError, OSError)):
            frozen(V, "y = ReadVariableOp(v) dtype=float", checkpoint=tmp_path / "gone")

    def test_twice(self, tmp_path):
        once = case("ref_variables").freeze()
        save(once, tmp_path / "frozen.pb")
        assert freeze(tmp_path / "frozen.pb", "y") == once

    @pytest.mark.parametrize(
        ("output", "problem"),
        [
            ("y:3", 'ReadVariableOp "y" has no output 3: it has 1 output, "y:0"'),
            ("y:1", 'ReadVariableOp "y" has no output 1: it has 1 output, "y:0"'),
            ("s:2", 'Split "s" has no output 2: it has 2 outputs'),
            ("^y", '"^y" is a control input, not a tensor; write "y"'),
        ],
    )
    def test_an_output_that_the_node_does_not_have(self, output, problem):
        nodes = [
            V,
            "y = ReadVariableOp(v) dtype=float",
            "a = Const() dtype=int32 value=0",
            "s = Split(a, y) T=float num_split=2",
        ]
        with pytest.raises(FreezeError) as caught:
            frozen(*nodes, outputs=output)
        assert str(caught.value) == problem

    def test_missing_outputs(self):
        with pytest.raises(FreezeError, match='no tensor "logit:0"; did you mean "logits"'):
            frozen(V, "logits = ReadVariableOp(v) dtype=float", outputs="logit:0")

    def test_without_outputs_the_likely_ones_are_frozen(self):
        nodes = [V, R, "y = ReadVariableOp(v) dtype=float", "end = Neg(y) T=float", "init = NoOp(^y)"]
        assert lines(frozen(*nodes, outputs=None)) == ["end = Neg(y)", "y = Identity(v)"]

    def test_without_a_likely_output_the_candidates_are_listed(self):
        nodes = [V, X, "size = Shape(x) T=float", "save = Assign(r, x) T=float", R]
        with pytest.raises(ModelError, match=r'name some in outputs=; candidates, the likeliest first: "size" \(20%'):
            frozen(*nodes, outputs=None)

    @pytest.mark.parametrize("keyword", ["allowlist", "denylist"])
    def test_missing_variables(self, keyword):
        with pytest.raises(FreezeError, match='no variable "vv"'):
            frozen(V, "y = ReadVariableOp(v) dtype=float", **{keyword: "vv"})

    def test_signatures(self):
        model = case("tf_function_signatures").model
        with pytest.raises(ModelError, match=r'several signatures \("first", "second"\): name one of them in'):
            freeze(model)
        with pytest.raises(ModelError, match='no signature "frist"; did you mean "first"'):
            freeze(model, signature="frist")
        with pytest.raises(ModelError, match=str(model)):  # the file first
            freeze(model, signature="frist")

    def test_tags(self):
        with pytest.raises(FileFormatError, match="no MetaGraph has the tags"):
            freeze(case("saved_model_v1").model, "y", tags="train")

    @pytest.mark.parametrize("model", [SavedModel(), MetaGraphDef(), GraphDef()])
    def test_nothing_at_all(self, model):
        with pytest.raises(pbwire.Error):
            freeze(model, "y")

    def test_files_that_are_not_models(self):
        with pytest.raises(TypeError, match="expected a GraphDef"):
            freeze(graph(V).node[0], "y")

    @pytest.mark.slow(reason="damages inputs in thousands of ways")
    def test_every_byte_of_a_model_changed(self):
        """The model is frozen, or an error of tfmodel is raised. By default, one byte of 28 is changed."""
        model = case("while_v2")
        data = (model.folder / "model.meta").read_bytes()
        checkpoint = model.model.with_suffix("")
        for position in some(range(0, len(data), 7), 4):
            changed = bytearray(data)
            changed[position] ^= 1 << position % 8
            try:
                freeze(MetaGraphDef.from_bytes(bytes(changed)), "y", checkpoint=checkpoint)
            except pbwire.Error:
                continue


@needs_corpus
class TestCorpus:
    @pytest.mark.parametrize(
        "name",
        [
            "serving/saved_model_half_plus_three/00000123",
            "serving/saved_model_half_plus_two_cpu/00000123",
            "serving/saved_model_half_plus_two_mkl/00000123",
            "serving/saved_model_half_plus_two_tf2_cpu/00000123",
            "serving/session_bundle/matrix_half_plus_two/1",
            "tf2onnx/regression/saved_model",
            "tf2onnx/saved_model_with_redundant_inputs",
        ],
    )
    def test_saved_models(self, name):
        result = freeze(os.path.join(corpus, name))
        assert faults(result) == []

    def test_a_checkpoint_of_version_1_as_the_first_exports_had_it(self):
        result = freeze(corpus / "serving/session_bundle/half_plus_two/00000123/export.meta", "y")
        values = {node.name: to_ndarray(node.attr["value"].tensor) for node in result.node if node.op == "Const"}
        assert (values["a"].item(), values["b"].item()) == (0.5, 2.0)

    @pytest.mark.parametrize(
        ("signature", "ops"),
        [
            ("get_counter", {"Const"}),
            ("incr_counter", {"Const", "Add"}),
            ("incr_counter_by", {"Const", "Add", "Placeholder"}),
            ("reset_counter", {"Const", "Identity"}),
        ],
    )
    def test_a_model_that_counts(self, signature, ops):
        assert op_names(freeze(corpus / "serving/saved_model_counter/00000123", signature=signature)) == ops

    def test_a_checkpoint_beside_its_graph(self):
        result = freeze(corpus / "tf2onnx/regression/checkpoint", "pred")
        reference = load(corpus / "tf2onnx/regression/graphdef/frozen.pb", GraphDef)
        assert nodes_of(result).keys() == nodes_of(reference).keys()
