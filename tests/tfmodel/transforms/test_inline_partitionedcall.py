"""Calls are replaced by the nodes of their functions.

TensorFlow runs random programs, inlined and not, in tests.golden.freezing.inlining_programs.
"""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph, nodes, spelled
from tfmodel.errors import TransformError
from tfmodel.graph import check_graph, colocated_with
from tfmodel.messages import AttrValue, FunctionDef, GraphDef, NameAttrList
from tfmodel.ops import OPS
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import StepReport, TransformReport

# A function of two arguments: what it computes, an argument, and what an op with several outputs calls one of them.
NORM = """
    f: (a: float, b: float) -> (r: float = s:y:0, same: float = b, v: float = n:batch_variance:0)
    f: n = FusedBatchNorm(a, b, b, b, b)[T=float]
    f: s = Square(n:y:0)[T=float]
"""
# A function that changes a variable, and one that only reads it.
ADD = """
    add: (v: resource, a: float) -> (r: float = n:y:0)
    add: n = Neg(a)[T=float]
    add: assign = AssignAddVariableOp(v, a)[dtype=float]
"""
READ = """
    read: (v: resource, a: float) -> (r: float = a)
    read: value = ReadVariableOp(v)[dtype=float]
"""


def inlined(before: GraphDef, outputs: str = "", inputs: str = "") -> tuple[GraphDef, StepReport]:
    """Return the transformed graph and the report of the step, after checking that the graph is valid."""
    report = TransformReport()
    after = transform(before, inputs, outputs, "inline_partitionedcall", report=report)
    assert not check_graph(after, registry=OPS)
    return after, report.steps[0]


def lines(graph: GraphDef) -> list[str]:
    return [spelled(node) for node in graph.node]


def wired(graph: GraphDef) -> dict[str, str]:
    """The op and the inputs of each node."""
    return {node.name: f"{node.op}({', '.join(node.input)})" for node in graph.node}


def with_controls(graph: GraphDef, function: str, *names: str) -> GraphDef:
    """The graph, whose function has to run those nodes."""
    assert graph.library is not None
    for function_def in graph.library.function:
        assert function_def.signature is not None
        if function_def.signature.name == function:
            function_def.control_ret = {name: name for name in names}
            function_def.signature.control_output = list(names)
    return graph


def function(graph: GraphDef, name: str) -> FunctionDef:
    assert graph.library is not None
    return next(
        function_def
        for function_def in graph.library.function
        if function_def.signature is not None and function_def.signature.name == name
    )


def test_results_are_found_by_output_name_and_may_be_arguments() -> None:
    before = graph(
        NORM
        + """
    x = Placeholder[dtype=float]
    c = StatefulPartitionedCall(x, x:0)[f=@f, Tin=[float, float], Tout=[float, float, float]]
    y = AddN(c, c:1, c:2)[N=3, T=float]
    """
    )
    after, report = inlined(before, "y")
    assert wired(after) == {
        "x": "Placeholder()",
        "c/n": "FusedBatchNorm(x, x:0, x:0, x:0, x:0)",
        "c/s": "Square(c/n:0)",
        "y": "AddN(c/s:0, x:0, c/n:2)",
    }
    assert (report.fired, report.refusals) == (1, {})
    assert after.library == before.library


def test_calls_inside_of_functions_are_inlined_too() -> None:
    before = graph("""
        inner: (a: float) -> (r: float = n:y:0)
        inner: n = Neg(a)[T=float]
        outer: (a: float) -> (r: float = two:r:0)
        outer: one = PartitionedCall(a)[f=@inner, Tin=[float], Tout=[float]]
        outer: two = inner(one:output:0)
        x = Placeholder[dtype=float]
        c = PartitionedCall(x)[f=@outer, Tin=[float], Tout=[float]]
        y = Relu(c)[T=float]
    """)
    after, report = inlined(before, "y")
    assert wired(after) == {
        "x": "Placeholder()",
        "c/one/n": "Neg(x)",
        "c/two/n": "Neg(c/one/n:0)",
        "y": "Relu(c/two/n:0)",
    }
    assert report.fired == 3
    outer = function(after, "outer")
    assert [(node.name, node.input) for node in outer.node_def] == [("one/n", ["a"]), ("two/n", ["one/n:y:0"])]
    assert outer.ret == {"r": "two/n:y:0"}


def test_calls_that_lead_to_each_other_are_followed() -> None:
    before = graph("""
        f: (a: float) -> (r: float = a)
        x = Placeholder[dtype=float]
        c = PartitionedCall(d)[f=@f, Tin=[float], Tout=[float]]
        d = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
        y = Relu(c)[T=float]
    """)
    assert wired(inlined(before, "y")[0]) == {"x": "Placeholder()", "y": "Relu(x)"}


def test_a_body_of_a_while_is_inlined_into() -> None:
    before = graph("""
        f: (a: float) -> (r: float = n:y:0)
        f: n = Neg(a)[T=float]
        go: (a: float) -> (r: bool = b:output:0)
        go: b = Const[dtype=bool, value=bool{false}()]
        step: (a: float) -> (r: float = c:output:0)
        step: c = PartitionedCall(a)[f=@f, Tin=[float], Tout=[float]]
        x = Placeholder[dtype=float]
        y = While(x)[cond=@go, body=@step, T=[float]]
    """)
    after, _ = inlined(before, "y")
    assert wired(after) == wired(before)
    assert [node.name for node in function(after, "step").node_def] == ["c/n"]
    assert function(after, "go") is function(before, "go")


# --- what remains of a call ------------------------------------------------------------------------------------------

CALLED = """
    f: (a: float) -> (r: float = n:y:0, s: float = m:y:0)
    f: n = Neg(a)[T=float]
    f: m = Square(a)[T=float]
    x = Placeholder[dtype=float]
    c = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float, float]]
"""


def test_a_node_that_waits_for_a_call_waits_for_all_of_it() -> None:
    after, _ = inlined(graph(CALLED + "    y = Relu(c, ^c)[T=float]"), "y")
    assert wired(after) == {
        "x": "Placeholder()",
        "c/n": "Neg(x)",
        "c/m": "Square(x)",
        "c": "NoOp(^c/n, ^c/m)",
        "y": "Relu(c/n:0, ^c)",
    }


def test_a_call_that_is_an_output_stays() -> None:
    after, _ = inlined(graph(CALLED + "    y = Relu(c:1)[T=float]"), "c:1,y")
    assert lines(after)[3:] == ["c = IdentityN(c/n:0, c/m:0)[T=[float, float]]", "y = Relu(c/m:0)[T=float]"]


def test_consumers_of_a_fed_call_go_on_using_it() -> None:
    after, _ = inlined(graph(CALLED + "    y = Relu(c:1)[T=float]"), "y", inputs="c:1")
    assert wired(after)["y"] == "Relu(c:1)"


def test_a_call_with_one_result_stays_as_an_identity() -> None:
    before = graph("""
        f: (a: float) -> (r: float = n:y:0)
        f: n = Neg(a)[T=float]
        x = Placeholder[dtype=float]
        c = f(x)
    """)
    assert lines(inlined(before, "c")[0])[-1] == "c = Identity(c/n:0)[T=float]"


def test_nodes_colocated_with_a_call_are_with_what_remains_of_it() -> None:
    before = graph(CALLED + '    y = Relu(c)[T=float, _class=["loc:@c"]]')
    after, _ = inlined(before, "y")
    assert wired(after)["c"] == "NoOp(^c/n, ^c/m)"


# --- effects ---------------------------------------------------------------------------------------------------------

VARIABLE = """
    v = VarHandleOp[dtype=float, shape=()]
    x = Placeholder[dtype=float]
"""


def stateful(function: str) -> str:
    return f"""
    c = StatefulPartitionedCall(v, x)[f=@{function}, Tin=[resource, float], Tout=[float]]
    y = Relu(c)[T=float]"""


def test_an_effect_that_a_result_does_not_need_happens_with_it() -> None:
    before = with_controls(graph(ADD + VARIABLE + stateful("add")), "add", "assign")
    after, _ = inlined(before, "y")
    assert wired(after)["c"] == "Identity(c/n:0, ^c/assign)"
    assert wired(after)["y"] == "Relu(c)"


def test_effects_that_a_function_does_not_list_are_dropped() -> None:
    after, _ = inlined(graph(ADD + VARIABLE + stateful("add")), "y")
    assert wired(after)["y"] == "Relu(c/n:0)"
    assert "c" not in wired(after)


def test_a_function_that_is_called_by_its_name_has_to_do_all_that_has_effects() -> None:
    after, _ = inlined(graph(ADD + VARIABLE + "    c = add(v, x)\n    y = Relu(c)[T=float]"), "y")
    assert wired(after)["c"] == "Identity(c/n:0, ^c/assign)"


def test_reading_is_not_an_effect() -> None:
    before = with_controls(graph(READ + VARIABLE + stateful("read")), "read", "value")
    assert wired(inlined(before, "y")[0])["y"] == "Relu(x)"


def test_an_effect_that_every_result_waits_for_anyway_keeps_no_call() -> None:
    add = ADD.replace("Neg(a)", "Neg(a, ^assign)")
    after, _ = inlined(with_controls(graph(add + VARIABLE + stateful("add")), "add", "assign"), "y")
    assert wired(after)["y"] == "Relu(c/n:0)"


def test_an_effect_that_only_one_of_the_results_needs_happens_with_the_others() -> None:
    add = ADD.replace("(r: float = n:y:0)", "(r: float = n:y:0, s: float = a)").replace("Neg(a)", "Neg(a, ^assign)")
    call = """
    c = StatefulPartitionedCall(v, x)[f=@add, Tin=[resource, float], Tout=[float, float]]
    y = Relu(c:1)[T=float]"""
    after, _ = inlined(with_controls(graph(add + VARIABLE + call), "add", "assign"), "y")
    assert wired(after)["c"] == "IdentityN(c/n:0, x, ^c/assign)"
    assert wired(after)["y"] == "Relu(c:1)"


def test_a_node_that_waits_for_a_call_waits_for_its_effects() -> None:
    call = """
    c = StatefulPartitionedCall(v, x)[f=@read, Tin=[resource, float], Tout=[float]]
    y = AssignVariableOp(v, x, ^c)[dtype=float]"""
    after, _ = inlined(with_controls(graph(READ + VARIABLE + call), "read", "value"), "y")
    assert wired(after)["c"] == "NoOp(^c/value)"


# --- what a call waits for -------------------------------------------------------------------------------------------


def test_nothing_runs_before_the_control_inputs_of_a_call() -> None:
    before = graph("""
        f: (a: float) -> (r: float = m:z:0, s: float = a)
        f: two = Const[dtype=float, value=float{2}()]
        f: m = Mul(a, two:output:0, ^a)[T=float]
        x = Placeholder[dtype=float]
        first = NoOp
        c = PartitionedCall(x, ^first)[f=@f, Tin=[float], Tout=[float, float]]
        y = Add(c, c:1)[T=float]
    """)
    after, _ = inlined(before, "y")
    assert wired(after) == {
        "x": "Placeholder()",
        "first": "NoOp()",
        "c/inputs": "Identity(x, ^first)",
        "c/two": "Const(^c/inputs)",
        "c/m": "Mul(c/inputs, c/two:0, ^c/inputs)",
        "y": "Add(c/m:0, c/inputs)",
    }


def test_a_call_in_a_loop_stays_in_it_and_has_loops_of_its_own() -> None:
    before = graph("""
        f: (a: float, b: float) -> (r: float = out:output:0)
        f: one = Const[dtype=float, value=float{1}()]
        f: add = AddN(a, b, one:output:0)[T=float, N=3]
        f: in = Enter(add:sum:0)[T=float, frame_name="while"]
        f: out = Exit(in:output:0)[T=float]
        x = Placeholder[dtype=float]
        enter = Enter(x)[T=float, frame_name="while"]
        merge = Merge(enter, next)[T=float, N=2]
        zero = Const(^merge)[dtype=float, value=float{0}()]
        less = Less(merge, zero)[T=float]
        cond = LoopCond(less)
        switch = Switch(merge, cond)[T=float]
        c = PartitionedCall(switch:1, switch:1)[f=@f, Tin=[float, float], Tout=[float]]
        next = NextIteration(c)[T=float]
        y = Exit(switch)[T=float]
    """)
    after, _ = inlined(before, "y")
    assert wired(after)["c/inputs"] == "IdentityN(switch:1, switch:1)"
    assert wired(after)["c/one"] == "Const(^c/inputs)"
    assert wired(after)["c/add"] == "AddN(c/inputs, c/inputs:1, c/one:0)"
    assert {node.name: node for node in after.node}["c/in"].attr["frame_name"].s == b"c/while"


# --- attributes and names --------------------------------------------------------------------------------------------


def test_placeholders_of_a_function_get_the_values_of_the_call() -> None:
    before = graph("""
        inner: (a: float) -> (r: float = n:y:0)
        inner: n = Neg(a)[T=half]
        f: (a: float) -> (r: float = c:output:0)
        f: c = PartitionedCall(a)[f=@inner, Tin=[float], Tout=[float]]
        x = Placeholder[dtype=float]
        c = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
        y = Relu(c)[T=float]
    """)
    function(before, "inner").node_def[0].attr["T"] = AttrValue(placeholder="U")
    function(before, "f").node_def[0].attr["f"] = AttrValue(
        func=NameAttrList(name="inner", attr={"U": AttrValue(placeholder="T")})
    )
    with pytest.raises(TransformError, match='"c": the call does not say what the attribute "T" of its function is'):
        transform(before, "", "y", "inline_partitionedcall")
    call = {node.name: node for node in before.node}["c"]
    call.attr["f"] = AttrValue(func=NameAttrList(name="f", attr={"T": nodes("n = A[T=float]")[0].attr["T"]}))
    assert lines(inlined(before, "y")[0])[1] == "c/c/n = Neg(x)[T=float]"


def test_colocation_inside_is_colocation_inside() -> None:
    before = graph("""
        f: (a: float) -> (r: float = n:y:0)
        f: n = Neg(a)[T=float, _class=["loc:@m", "loc:@a", "loc:@elsewhere"]]
        f: m = Neg(a)[T=float, _class=["loc:@elsewhere"]]
        x = Placeholder[dtype=float]
        c = PartitionedCall(x:0)[f=@f, Tin=[float], Tout=[float]] @ /device:CPU:0
        y = Relu(c)[T=float]
    """)
    after, _ = inlined(before, "y")
    first, second = after.node[1:3]
    assert (colocated_with(first), colocated_with(second)) == (["c/m", "x"], [])
    assert "_class" not in second.attr
    assert first.device == "/device:CPU:0"


def test_names_that_are_taken_get_a_number() -> None:
    after, _ = inlined(graph(CALLED + "    c/n = Relu(c)[T=float]"), "c/n")
    assert wired(after)["c/n"] == "Relu(c/n_1:0)"


def test_an_unknown_op_has_one_output() -> None:
    before = graph("""
        f: (a: float) -> (r: float = n:mine:1)
        f: n = Mine(a)
        x = Placeholder[dtype=float]
        c = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
        y = Relu(c)[T=float]
    """)
    assert wired(transform(before, "", "y", "inline_partitionedcall"))["y"] == "Relu(c/n:1)"


# --- what cannot be inlined ------------------------------------------------------------------------------------------


def test_a_function_that_calls_itself_is_left_alone() -> None:
    before = graph("""
        f: (a: float) -> (r: float = c:output:0)
        f: c = PartitionedCall(a)[f=@g, Tin=[float], Tout=[float]]
        g: (a: float) -> (r: float = c:output:0)
        g: c = PartitionedCall(a)[f=@f, Tin=[float], Tout=[float]]
        h: (a: float) -> (r: float = c:output:0)
        h: c = PartitionedCall(a)[f=@f, Tin=[float], Tout=[float]]
        x = Placeholder[dtype=float]
        c = PartitionedCall(x)[f=@h, Tin=[float], Tout=[float]]
        y = Relu(c)[T=float]
    """)
    after, report = inlined(before, "y")
    assert wired(after) == {"x": "Placeholder()", "c/c": "PartitionedCall(x)", "y": "Relu(c/c:0)"}
    assert {*report.refusals} == {'the function "f" calls itself', 'the function "g" calls itself'}
    assert report.fired == 1


def test_a_function_with_an_inconsistent_unknown_op_is_left_alone() -> None:
    before = graph("""
        f: (a: float) -> (r: float = n:one:0)
        f: n = Mine(a)
        f: m = Neg(n:other:0)[T=float]
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
    """)
    after, report = inlined(before, "y")
    assert lines(after) == lines(before)
    [reason] = report.refusals
    unknown = 'the op "Mine" is not known, and has outputs "other" and "one"'
    advice = "give the MetaGraphDef or SavedModel, which declare the ops that they use"
    assert reason == f'its function "f": function "f": {unknown}: {advice}'


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("c = PartitionedCall(x)", 'PartitionedCall "c" has no attribute "f"'),
        ("c = PartitionedCall(x)[f=float]", 'the attribute "f" of PartitionedCall "c" is a type, not a function'),
        ("c = PartitionedCall(x)[f=@g]", 'there is no function "g"'),
        ("c = PartitionedCall(x, x)[f=@f]", 'PartitionedCall "c" has 2 inputs, its function "f" takes 1'),
        ("c = PartitionedCall(x)[f=@f]\ny = Neg(c:2)[T=float]", 'there is no "c:2"'),
        ("c = PartitionedCall(c)[f=@id]\ny = Neg(c)[T=float]", 'the result "c" of a call is defined by itself'),
    ],
)
def test_an_invalid_call_is_an_error(call: str, problem: str) -> None:
    text = "id: (a: float) -> (r: float = a)\nf: (a: float) -> (r: float = n:y:0)\nf: n = Neg(a)[T=float]\n"
    with pytest.raises(TransformError) as caught:
        transform(graph(f"{text}x = Placeholder[dtype=float]\n{call}"), "", "", "inline_partitionedcall")
    assert problem in str(caught.value)


def test_functions_that_would_fill_the_memory_are_refused() -> None:
    doubled = "".join(
        f"""
        f{depth}: (a: float) -> (r: float = two:output:0)
        f{depth}: one = PartitionedCall(a)[f=@f{depth - 1}, Tin=[float], Tout=[float]]
        f{depth}: two = PartitionedCall(one:output:0)[f=@f{depth - 1}, Tin=[float], Tout=[float]]"""
        for depth in range(1, 40)
    )
    before = graph(
        f"""
        f0: (a: float) -> (r: float = n:y:0)
        f0: n = Neg(a)[T=float]{doubled}
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[f=@f39, Tin=[float], Tout=[float]]"""
    )
    with pytest.raises(TransformError, match="would make more than 20,250 nodes of 81"):
        transform(before, "", "y", "inline_partitionedcall")


@pytest.mark.slow(reason="reads or transforms inputs that are large")
def test_calls_a_thousand_levels_deep() -> None:
    chain = "".join(
        f"""
        f{depth}: (a: float) -> (r: float = c:output:0)
        f{depth}: c = PartitionedCall(a)[f=@f{depth - 1}, Tin=[float], Tout=[float]]"""
        for depth in range(1, 1000)
    )
    before = graph(
        f"""
        f0: (a: float) -> (r: float = n:y:0)
        f0: n = Neg(a)[T=float]{chain}
        x = Placeholder[dtype=float]
        c = PartitionedCall(x)[f=@f999, Tin=[float], Tout=[float]]
        y = Relu(c)[T=float]"""
    )
    after, report = inlined(before, "y")
    assert [node.op for node in after.node] == ["Placeholder", "Neg", "Relu"]
    assert report.fired == 1000
