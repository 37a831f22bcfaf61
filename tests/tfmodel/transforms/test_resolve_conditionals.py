"""Conditionals with a constant predicate are replaced by the branch that runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.strategies_graphs import Model, models
from tests.tfmodel.transforms.graph_notation import graph, spelled
from tests.tfmodel.transforms.run_step import after
from tfmodel import transform
from tfmodel.errors import RunError
from tfmodel.interpreter import Session
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.report import TransformReport

CONDITIONAL = """
    x = Placeholder[dtype=float]
    training = Const[dtype=bool, value=bool{false}()]
    pred = Identity(training)[T=bool]
    s = Switch(x, pred)[T=float]
    off = Relu(s)[T=float]
    on = Tanh(s:1)[T=float]
    m = Merge(off, on)[N=2, T=float]
    y = Neg(m)[T=float]
"""


def resolved(text: str, outputs: str = "y", inputs: str = "x") -> dict[str, str]:
    """Return the nodes that the outputs need after the transform, in text form by name."""
    lines = (line.strip() for line in text.splitlines())
    result = transform(graph("\n".join(lines)), inputs, outputs, "resolve_conditionals strip_unused_nodes")
    return {node.name: spelled(node).partition(" = ")[2] for node in result.node}


def reasons(text: str, outputs: str) -> dict[str, list[str]]:
    """Return the refused nodes of the transform by reason."""
    report = TransformReport()
    transform(graph(text), "x", outputs, "resolve_conditionals", report=report)
    return report.steps[0].refusals


class TestSwitchAndMerge:
    @pytest.mark.parametrize(("value", "op"), [("false", "Relu(x)"), ("true", "Tanh(x)")])
    def test_the_branch_that_is_taken_stays(self, value, op):
        nodes = resolved(CONDITIONAL.replace("bool{false}", f"bool{{{value}}}"))
        assert [text.partition("[")[0] for text in nodes.values()] == ["Placeholder", op, "Neg(" + list(nodes)[1] + ")"]

    def test_a_predicate_may_be_computed_from_constants(self):
        text = CONDITIONAL.replace("Identity(training)[T=bool]", "LogicalNot(training)")
        assert "on" in resolved(text)
        assert "off" not in resolved(text)

    def test_a_predicate_that_is_fed_is_not_constant(self):
        text = CONDITIONAL.replace(
            "Const[dtype=bool, value=bool{false}()]", "PlaceholderWithDefault(no)[dtype=bool, shape=()]"
        )
        text += "    no = Const[dtype=bool, value=bool{false}()]\n"
        assert "m" in resolved(text, inputs="x, training")

    def test_the_index_of_the_branch_is_a_constant(self):
        nodes = resolved(CONDITIONAL + "    i = Identity(m:1)[T=int32]\n", outputs="y, i")
        assert nodes["m/value_index"] == "Const(^off)[dtype=int32, value=int32{0}()]"
        assert nodes["i"] == "Identity(m/value_index)[T=int32]"

    def test_a_declared_merge_becomes_an_identity(self):
        assert resolved(CONDITIONAL, outputs="m")["m"] == "Identity(off)[T=float]"

    def test_control_inputs_are_kept(self):
        text = CONDITIONAL.replace("Switch(x, pred)", "Switch(x, pred, ^before)").replace("Neg(m)", "Neg(m, ^m)")
        text += "    before = NoOp\n"
        nodes = resolved(text)
        assert nodes["off"] == "Relu(x, ^before)[T=float]"
        assert nodes["y"] == "Neg(off, ^off)[T=float]"

    def test_constants_do_not_wait_for_the_branch(self):
        text = (
            CONDITIONAL.replace("Relu(s)", "Add(s, two)")
            + """
            pivot = Identity(t)[T=bool]
            t = Switch(pred, pred)[T=bool]
            two = Const(^pivot)[dtype=float, value=float{2}()]
        """
        )
        assert resolved(text)["two"] == "Const[dtype=float, value=float{2.0}()]"

    def test_nested_conditionals_whose_predicate_goes_through_the_outer_one(self):
        nodes = resolved("""
            x = Placeholder[dtype=float]
            p = Const[dtype=bool, value=bool{true}()]
            q = Const[dtype=bool, value=bool{false}()]
            outer = Switch(x, p)[T=float]
            inner_q = Switch(q, p)[T=bool]
            inner = Switch(outer:1, inner_q:1)[T=float]
            a = Neg(inner)[T=float]
            b = Abs(inner:1)[T=float]
            m = Merge(a, b)[N=2, T=float]
            y = Merge(outer, m)[N=2, T=float]
        """)
        assert nodes == {"x": "Placeholder[dtype=float]", "a": "Neg(x)[T=float]", "y": "Identity(a)[T=float]"}

    def test_a_conditional_within_a_loop(self):
        text = """
            x = Placeholder[dtype=float]
            p = Const[dtype=bool, value=bool{false}()]
            limit = Const[dtype=float, value=float{10}()]
            enter = Enter(x)[T=float, frame_name="f"]
            p_in = Enter(p)[T=bool, frame_name="f", is_constant=true]
            end = Enter(limit)[T=float, frame_name="f", is_constant=true]
            v = Merge(enter, next)[N=2, T=float]
            less = Less(v, end)[T=float]
            c = LoopCond(less)
            sw = Switch(v, c)[T=float]
            s = Switch(sw:1, p_in)[T=float]
            a = Add(s, end)[T=float]
            b = Neg(s:1)[T=float]
            m = Merge(a, b)[N=2, T=float]
            next = NextIteration(m)[T=float]
            y = Exit(sw)[T=float]
        """
        nodes = resolved(text)
        assert nodes["a"] == "Add(sw:1, end)[T=float]"
        assert nodes["next"] == "NextIteration(a)[T=float]"
        assert not {"s", "b", "m", "p_in"} & nodes.keys()

    @pytest.mark.parametrize(
        ("outputs", "reason"),
        [
            ("on", "a declared tensor is in the branch that is not taken"),
            ("s:0", "its output is declared"),
            ("m:1", "a declared tensor tells which branch is taken"),
        ],
    )
    def test_a_conditional_stays_if_a_declared_tensor_would_be_lost(self, outputs, reason):
        assert reasons(CONDITIONAL, outputs) == {reason: ["s"]}

    def test_a_loop_keeps_its_next_iteration(self):
        text = """
            x = Placeholder[dtype=float]
            p = Const[dtype=bool, value=bool{false}()]
            enter = Enter(x)[T=float, frame_name="f"]
            p_in = Enter(p)[T=bool, frame_name="f", is_constant=true]
            v = Merge(enter, next)[N=2, T=float]
            s = Switch(v, p_in)[T=float]
            next = NextIteration(s:1)[T=float]
            y = Exit(s)[T=float]
        """
        assert reasons(text, "y") == {"a loop would have no next iteration": ["s"]}


BRANCHES = """
    f: (a: float) -> (r: float = neg:y:0)
    f: neg = Neg(a)[T=float]
    g: (a: float) -> (r: float = abs:y:0)
    g: abs = Abs(a)[T=float]
    x = Placeholder[dtype=float]
"""


class TestFunctions:
    @pytest.mark.parametrize(
        ("predicate", "node"),
        [
            ("Const[dtype=bool, value=bool{true}()]", "c/neg = Neg(x)[T=float]"),
            ("Const[dtype=bool, value=bool{false}()]", "c/abs = Abs(x)[T=float]"),
            ("Const[dtype=int32, value=int32{0}()]", "c/abs = Abs(x)[T=float]"),
            ('Const[dtype=string, value=string{"a"}()]', "c/neg = Neg(x)[T=float]"),
            ("Const[dtype=float, value=float{0, 0}]", "c/neg = Neg(x)[T=float]"),
        ],
    )
    @pytest.mark.parametrize("op", ["If", "StatelessIf"])
    def test_if(self, op, predicate, node):
        text = f"""{BRANCHES}
            p = {predicate}
            c = {op}(p, x)[Tcond=bool, Tin=[float], Tout=[float], then_branch=@f, else_branch=@g]
            y = Relu(c)[T=float]
        """
        nodes = resolved(text)
        name, _, spelled_node = node.partition(" = ")
        assert nodes == {
            "x": "Placeholder[dtype=float]",
            name: spelled_node,
            "y": f"Relu({name}:0)[T=float]",
        }

    @pytest.mark.parametrize(("index", "name"), [(0, "c/neg"), (1, "c/abs"), (2, "c/abs"), (-1, "c/abs")])
    def test_case_takes_the_last_branch_for_an_index_out_of_range(self, index, name):
        text = f"""{BRANCHES}
            i = Const[dtype=int32, value=int32{{{index}}}()]
            c = Case(i, x)[Tin=[float], Tout=[float], branches=[@f, @g]]
            y = Relu(c)[T=float]
        """
        assert name in resolved(text)

    LOOP = """
        less: (i: int32, n: int32, a: float) -> (r: bool = less:z:0)
        less: less = Less(i, n)[T=int32]
        step: (i: int32, n: int32, a: float) -> (i2: int32 = add:z:0, n2: int32 = n, a2: float = neg:y:0)
        step: one = Const[dtype=int32, value=int32{1}()]
        step: add = Add(i, one:output:0)[T=int32]
        step: neg = Neg(a)[T=float]
        x = Placeholder[dtype=float]
        i = Const[dtype=int32, value=int32{0}()]
        n = Const[dtype=int32, value=int32{N}()]
        loop = StatelessWhile(i, n, x)[T=[int32, int32, float], cond=@less, body=@step]
        y = Relu(loop:2)[T=float]
    """

    def test_a_loop_without_steps_passes_its_inputs_on(self):
        nodes = resolved(self.LOOP.replace("{N}", "{0}"))
        assert nodes == {"x": "Placeholder[dtype=float]", "y": "Relu(x)[T=float]"}

    def test_a_loop_with_steps_stays(self):
        assert "loop" in resolved(self.LOOP.replace("{N}", "{1}"))

    def test_conditionals_in_functions(self):
        result = transform(
            graph("""
                h: (a: float) -> (r: float = merge:output:0)
                h: no = Const[dtype=bool, value=bool{false}()]
                h: switch = Switch(a, no:output:0)[T=float]
                h: neg = Neg(switch:output_false:0)[T=float]
                h: abs = Abs(switch:output_true:0)[T=float]
                h: merge = Merge(neg:y:0, abs:y:0)[N=2, T=float]
                x = Placeholder[dtype=float]
                y = PartitionedCall(x)[f=@h, Tin=[float], Tout=[float]]
            """),
            "x",
            "y",
            "resolve_conditionals",
        )
        nodes = [spelled(node) for node in result.library.function[0].node_def]
        assert "neg = Neg(a)[T=float]" in nodes
        assert "merge = Identity(neg:y:0)[T=float]" in nodes
        assert not any("Switch" in text for text in nodes)

    def test_a_function_that_cannot_be_inlined_is_called(self):
        text = """
            f: (a: float) -> (r: float = again:output:0)
            f: again = PartitionedCall(a)[f=@f, Tin=[float], Tout=[float]]
            x = Placeholder[dtype=float]
            p = Const[dtype=bool, value=bool{true}()]
            y = If(p, x)[Tcond=bool, Tin=[float], Tout=[float], then_branch=@f, else_branch=@f]
        """
        assert resolved(text)["y"] == "StatefulPartitionedCall(x)[Tin=[float], Tout=[float], f=@f]"


def test_a_graph_without_constant_predicates_stays_as_it_is():
    text = CONDITIONAL.replace("Const[dtype=bool, value=bool{false}()]", "Placeholder[dtype=bool]")
    nodes, step = after(text, "resolve_conditionals", "x", "y")
    assert "m" in nodes
    assert step.fired == 0


@given(models(), st.booleans())
def test_random_graphs_compute_the_same(model: Model, taken: bool):
    bound = transform(model.graph, (), model.outputs, f"bind_inputs(name=p, value={str(taken).lower()})")
    inputs = [name for name in model.inputs if name != "p"]
    feeds = {name: value for name, value in model.feeds.items() if name != "p"}
    result = transform(bound, inputs, model.outputs, "resolve_conditionals")
    for before, now in zip(run(bound, feeds, model.outputs), run(result, feeds, model.outputs), strict=True):
        np.testing.assert_array_equal(now, before)


def run(graph: GraphDef, feeds: dict[str, object], outputs: tuple[str, ...]) -> list[object]:
    try:
        return [*Session(graph).run(feeds, outputs).values()]
    except RunError:  # an output in the branch that does not run
        return []
