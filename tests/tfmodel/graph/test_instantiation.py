"""Placeholders in the attributes of functions: filled at every depth, by every reader of a call."""

from __future__ import annotations

import numpy as np
import pytest

from pbwire import text
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import freeze, run
from tfmodel.errors import GraphError
from tfmodel.graph import call_attributes, has_placeholders, instantiate, substitute
from tfmodel.messages import AttrValue, DataType, FunctionDef, GraphDef, NameAttrList, NodeDef, OpDef
from tfmodel.transforms.framework.pipeline import transform

FLOAT, T = AttrValue(type=DataType.DT_FLOAT), AttrValue(placeholder="T")
GIVEN = {"T": FLOAT, "N": AttrValue(i=2)}


def function(value: AttrValue) -> AttrValue:
    return AttrValue(func=NameAttrList(name="g", attr={"T": value, "k": AttrValue(i=1)}))


def functions(*values: AttrValue) -> AttrValue:
    return AttrValue(list=AttrValue.ListValue(func=[function(value).func for value in values]))


PLACES = [
    T,
    AttrValue(placeholder="N"),
    function(T),
    function(function(T)),
    functions(T, FLOAT, AttrValue(placeholder="N")),
    functions(function(functions(T))),
    function(functions(T)),
]


@pytest.mark.parametrize("value", PLACES, ids=range(len(PLACES)))
def test_a_placeholder_is_filled_wherever_it_stands(value: AttrValue) -> None:
    before = text.dumps(value)
    assert has_placeholders([FLOAT, value])
    attributes = substitute({"a": value, "b": FLOAT}, GIVEN)
    assert not has_placeholders(attributes.values())
    filled = before.replace('placeholder: "T"', "type: DT_FLOAT").replace('placeholder: "N"', "i: 2")
    assert text.dumps(attributes["a"]) == filled
    assert attributes["b"] is FLOAT
    assert text.dumps(value) == before
    with pytest.raises(GraphError, match=r"what the attribute \"[TN]\" of its function is"):
        substitute({"a": value}, {})
    assert substitute({"a": value}, {}, partly=True) == {"a": value}


def test_attributes_that_a_call_leaves_out_have_defaults() -> None:
    declared = [OpDef.AttrDef(name="T", default_value=FLOAT), OpDef.AttrDef(name="U")]
    function = FunctionDef(signature=OpDef(name="f", attr=declared))
    assert call_attributes(function, {}) == {"T": FLOAT}
    assert call_attributes(function, {"T": AttrValue(i=1)}) == {"T": AttrValue(i=1)}


# --- through calls ---------------------------------------------------------------------------------------------------

BRANCHES = """
    less: (a: float) -> (r: float = n:y:0)
    less: n = Neg(a)[T=$T]
    same: (a: float) -> (r: float = n:y:0)
    same: n = Square(a)[T=$T]
    p = Placeholder[dtype=bool, shape=()]
    k = Const[dtype=int32, value=int32{0}()]
    x = Placeholder[dtype=float, shape=(2)]
    y = Identity(c)[T=float]
"""
IF = "StatelessIf(p, a)[Tcond=bool, Tin=$L, Tout=$L, then_branch=@less, else_branch=@same]"
CASE = "StatelessCase(k, a)[Tin=$L, Tout=$L, branches=[@less, @same]]"
BODIES = {
    "if": f"f: n = {IF}",
    "case": f"f: n = {CASE}",
    "call": "f: n = PartitionedCall(a)[f=@less, Tin=$L, Tout=$L]",
    "nested": f"f: n = PartitionedCall(p, k, a)[f=@inner, Tin=[bool, int32, float], Tout=$L]\n"
    f"inner: (p: bool, k: int32, a: float) -> (r: float = n:output:0)\ninner: n = {IF}",
}


def opened(nodes: str) -> GraphDef:
    """The graph, with `$T` as placeholders, and functions that are given what they leave open."""
    opened_graph = graph("\n".join(line.strip() for line in nodes.replace("=$", "=@open_").splitlines()))
    assert opened_graph.library is not None
    types = AttrValue(list=AttrValue.ListValue(type=[DataType.DT_FLOAT]))
    for function in opened_graph.library.function:
        assert function.signature is not None
        function.signature.attr = [OpDef.AttrDef(name="T", type="type"), OpDef.AttrDef(name="L", type="list(type)")]
    bodies = [(opened_graph.node, {"T": FLOAT, "L": types})]
    still_open = {"T": T, "L": AttrValue(placeholder="L")}
    bodies += [(function.node_def, still_open) for function in opened_graph.library.function]
    for body, attributes in bodies:
        for node in body:
            for name, value in node.attr.items():
                called = [value.func] if value.func is not None else value.list.func if value.list else []
                if called and called[0].name.startswith("open_"):
                    node.attr[name] = AttrValue(placeholder=called[0].name.removeprefix("open_"))
                elif called:
                    for function in called:
                        function.attr = dict(attributes)
    return opened_graph


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("into", ["freeze", "inline", "run"])
def test_no_placeholder_is_left_outside_of_functions(body: str, into: str) -> None:
    before = opened(f"""{BRANCHES}
        f: (p: bool, k: int32, a: float) -> (r: float = n:output:0)
        {BODIES[body]}
        c = StatefulPartitionedCall(p, k, x)[f=@f, Tin=[bool, int32, float], Tout=[float]]""")
    after = before
    if into == "freeze":
        after = freeze(before, outputs=["y"])
    elif into == "inline":
        after = transform(before, "", "y", "inline_partitionedcall")
    if into != "run":
        assert not [node.op for node in after.node if "PartitionedCall" in node.op]
        assert not has_placeholders(value for node in after.node for value in node.attr.values())
    for holds in (True, False):
        x = np.array([3, -4], np.float32)
        expected = -x if holds or body in ("case", "call") else x * x
        remaining = {node.name for node in after.node}
        feeds = {name: value for name, value in {"p": np.array(holds), "x": x}.items() if name in remaining}
        actual = run(after, feeds, ["y"])["y"]
        np.testing.assert_array_equal(actual, expected)


def test_an_instance_of_a_function_has_the_values_of_the_call() -> None:
    plain = NodeDef(name="plain", op="NoOp")
    nodes = [NodeDef(name="open", op="Neg", attr={"T": T, "N": AttrValue(placeholder="N")}), plain]
    signature = OpDef(name="f", attr=[OpDef.AttrDef(name="T", default_value=FLOAT)])
    function = FunctionDef(signature=signature, node_def=nodes)
    instance = instantiate(function, {"N": AttrValue(i=2)})
    assert instance.signature is signature
    assert dict(instance.node_def[0].attr) == {"T": FLOAT, "N": AttrValue(i=2)}
    assert instance.node_def[1] is plain
    assert dict(nodes[0].attr) == {"T": T, "N": AttrValue(placeholder="N")}
    with pytest.raises(GraphError, match='what the attribute "N" of its function is'):
        instantiate(function, {})
    assert instantiate(function, {}, partly=True).node_def[0].attr["N"].placeholder == "N"
