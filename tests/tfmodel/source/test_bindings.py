"""Names that callers give: the keys of a signature come before the nodes, for every operation alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import Model
from tfmodel.analysis.choice import choose
from tfmodel.errors import Error, GraphError
from tfmodel.interpreter import Session
from tfmodel.messages import GraphDef
from tfmodel.source.bindings import resolve_bindings
from tfmodel.source.model_source import ModelSource

# The keys x and y of the signature are also the names of other nodes.
GRAPH = graph_of("""
    a = Placeholder[dtype=float, shape=(2)]
    b = Neg(a)[T=float]
    x = Placeholder[dtype=float, shape=(2)]
    y = Exp(x)[T=float]
""")
SIGNATURES = {"serving_default": {"inputs": {"x": "a:0"}, "outputs": {"y": "b:0"}}}
MODEL = Model(tfmodel.make_meta_graph(GRAPH, signatures=SIGNATURES))
SOURCE = ModelSource.of(MODEL)

INPUTS = {"x": "a:0", "x:0": "x:0", "a": "a:0", "a:0": "a:0"}
OUTPUTS = {"y": "b:0", "y:0": "y:0", "b": "b:0", "b:0": "b:0"}

V = np.array([1.0, 2.0], np.float32)


def only(tensors: list[str]) -> str:
    (tensor,) = tensors
    return tensor


def placeholder(graph: GraphDef) -> str:
    """The tensor of the only Placeholder that is left."""
    return only([f"{node.name}:0" for node in graph.node if node.op == "Placeholder"])


def bound(graph: GraphDef) -> str:
    return only([f"{node.name}:0" for node in graph.node if node.op == "Const"])


def end(graph: GraphDef) -> str:
    """The only tensor that is computed."""
    return only([f"{node.name}:0" for node in graph.node if node.op in {"Neg", "Exp"}])


def fed_of(name: str) -> str:
    """The tensor that a run replaces under this name, as its output tells."""
    values = Session(MODEL).run({name: V, **({"x:0": 5 * V} if INPUTS[name] == "a:0" else {"a": 5 * V})}, ["b", "y:0"])
    return {True: "a:0", False: "x:0"}[bool(np.array_equal(values["b"], -V))]


def fetched_of(name: str) -> str:
    value = MODEL.run({"a": V, "x:0": V}, name)[name]
    return "b:0" if np.array_equal(value, -V) else "y:0" if np.allclose(value, np.exp(V)) else ""


INPUT_NAMES: dict[str, Callable[[str], str]] = {
    "choose": lambda name: only(choose(SOURCE, inputs=[name]).inputs),
    "Session.tensor": lambda name: Session(MODEL).tensor(name, Session(MODEL).inputs).numbered,
    "Session.run": fed_of,
    "resolve_bindings": lambda name: only([*resolve_bindings(SOURCE, {name: V})]).partition(":")[0] + ":0",
    "bind": lambda name: bound(MODEL.bind({name: V}).graph),
    "Session(bind=)": lambda name: bound(Session(MODEL, bind={name: V}).graph),
    "transform(bind=)": lambda name: bound(tfmodel.transform(MODEL, "", "b,y", "", bind={name: V})),
    "extract": lambda name: placeholder(MODEL.extract(name, [INPUTS[name].replace("a", "b").replace("x", "y")]).graph),
    "optimize(shapes=)": lambda name: only(
        [
            f"{node.name}:0"
            for node in MODEL.optimize(inputs=["a", "x:0"], outputs=["b", "y:0"], shapes={name: (3,)}).graph.node
            if node.op == "Placeholder" and node.attr["shape"].shape.dim[0].size == 3
        ]
    ),
}

OUTPUT_NAMES: dict[str, Callable[[str], str]] = {
    "choose": lambda name: only(choose(SOURCE, outputs=[name]).outputs),
    "run": fetched_of,
    "freeze": lambda name: end(MODEL.freeze(name).graph),
    "freeze(signature=)": lambda name: end(
        tfmodel.transform(
            MODEL.freeze(name, signature="serving_default").graph, "", OUTPUTS[name], "strip_unused_nodes"
        )
    ),
    "optimize": lambda name: end(MODEL.optimize(outputs=name).graph),
    "extract": lambda name: end(MODEL.extract(outputs=name).graph),
    "verify": lambda name: OUTPUTS[name] if MODEL.verify(MODEL, {"a": V, "x:0": V}, name).same else "",
}


@pytest.mark.parametrize("call", INPUT_NAMES.values(), ids=INPUT_NAMES)
@pytest.mark.parametrize(("name", "tensor"), INPUTS.items())
def test_the_name_of_an_input(call: Callable[[str], str], name: str, tensor: str) -> None:
    assert call(name) == tensor


@pytest.mark.parametrize("call", OUTPUT_NAMES.values(), ids=OUTPUT_NAMES)
@pytest.mark.parametrize(("name", "tensor"), OUTPUTS.items())
def test_the_name_of_an_output(call: Callable[[str], str], name: str, tensor: str) -> None:
    assert call(name) == tensor


@pytest.mark.parametrize("call", [INPUT_NAMES["choose"], INPUT_NAMES["Session.tensor"], OUTPUT_NAMES["freeze"]])
@pytest.mark.parametrize(
    ("name", "problem"),
    [("Y", "there is no tensor"), ("^b", "control"), ("b:out:0", "b:out:0")],
)
def test_a_name_of_nothing(call: Callable[[str], str], name: str, problem: str) -> None:
    with pytest.raises(Error, match=problem):
        call(name)


def test_a_few_keys_are_listed() -> None:
    with pytest.raises(GraphError, match=r'there is no tensor "q"; the keys of the signature are "x"'):
        Session(MODEL).tensor("q", Session(MODEL).inputs)
