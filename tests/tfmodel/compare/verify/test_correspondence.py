"""`verify` matches the inputs and outputs of two models by keys, names, places, types and order."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.messages import GraphDef, MetaGraphDef, SignatureDef, TensorInfo

SAVED_MODEL = str(Path(__file__).resolve().parents[3] / "data" / "linear")
DIFFERENCE = """
    a = Placeholder[dtype=float, shape=(-1, 3)]
    b = Placeholder[dtype=float, shape=(-1, 3)]
    y = Sub(a, b)[T=float]
"""
TWO_OUTPUTS = """
    x = Placeholder[dtype=float, shape=(-1, 3)]
    p = Neg(x)[T=float]
    q = Abs(x)[T=float]
"""


def signed(text: str, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> MetaGraphDef:
    """Return a model with a signature, which maps keys to tensors."""
    signature = SignatureDef(
        inputs={key: TensorInfo(name=name) for key, name in inputs.items()},
        outputs={key: TensorInfo(name=name) for key, name in outputs.items()},
    )
    return MetaGraphDef(graph_def=graph_of(text), signature_def={"serving_default": signature})


def verified(a: Any, b: Any, **options: Any) -> tfmodel.VerifyReport:
    return tfmodel.Model(b).verify(tfmodel.Model(a), **options)


def matches(report: tfmodel.VerifyReport) -> list[tuple[str, str, str]]:
    return [(pair.first, pair.second, pair.reason) for pair in report.pairs]


X = "x = Placeholder[dtype=float, shape=(-1, 3)]"
A_TO_Y = f"""
    {X}
    y = Relu(x)[T=float]
"""


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (A_TO_Y, A_TO_Y, [("x", "x", "same name"), ("y", "y", "same name")]),
        pytest.param(
            signed(A_TO_Y, {"image": "x:0"}, {"score": "y:0"}),
            signed(A_TO_Y.replace("x", "in").replace("y", "out"), {"image": "in:0"}, {"score": "out:0"}),
            [("x", "in", "same signature key"), ("y", "out", "same signature key")],
            id="signatures",
        ),
        pytest.param(
            signed(A_TO_Y, {"image": "x:0"}, {"score": "y:0"}),
            A_TO_Y.replace("x", "image").replace("y", "score"),
            [("x", "image", "related name"), ("y", "score", "related name")],
            id="the graph has the names of the signature",
        ),
        pytest.param(
            A_TO_Y.replace("x", "image").replace("y", "score"),
            signed(A_TO_Y, {"image": "x:0"}, {"score": "y:0"}),
            [("image", "x", "related name"), ("score", "y", "related name")],
            id="the second model has a signature",
        ),
        pytest.param(
            A_TO_Y,
            A_TO_Y.replace("x", "import/x").replace("y =", "import/y ="),
            [("x", "import/x", "related name"), ("y", "import/y", "related name")],
            id="prefix",
        ),
        pytest.param(
            A_TO_Y + "z = Identity(y)[T=float]",
            A_TO_Y,
            [("x", "x", "same name"), ("z", "y", "related name")],
            id="Identity is left out",
        ),
        pytest.param(
            A_TO_Y,
            "0 = Placeholder[dtype=float, shape=(-1, 3)]\n1 = Relu(0)[T=float]",
            [("x", "0", "same place in the graph"), ("y", "1", "the only one of its type and shape")],
            id="obfuscated",
        ),
        pytest.param(
            DIFFERENCE,
            """
                1 = Placeholder[dtype=float, shape=(-1, 3)]
                0 = Placeholder[dtype=float, shape=(-1, 3)]
                2 = Sub(0, 1)[T=float]
            """,
            [
                ("a", "0", "same place in the graph"),
                ("b", "1", "same place in the graph"),
                ("y", "2", "the only one of its type and shape"),
            ],
            id="inputs of one type by their places",
        ),
        pytest.param(
            DIFFERENCE,
            """
                0 = Placeholder[dtype=float, shape=(-1, 3)]
                1 = Placeholder[dtype=float, shape=(-1, 3)]
                2 = Neg(1)[T=float]
                3 = Add(0, 2)[T=float]
            """,
            [
                ("a", "0", "by order"),
                ("b", "1", "by order"),
                ("y", "3", "the only one of its type and shape"),
            ],
            id="inputs of one type by order",
        ),
        pytest.param(
            signed(TWO_OUTPUTS, {"x": "x:0"}, {"p": "p:0", "q": "q:0"}),
            "0 = Placeholder[dtype=float, shape=(-1, 3)]\n1 = Neg(0)[T=float]\n2 = Abs(0)[T=float]",
            [("x", "0", "same place in the graph"), ("p", "1", "by order"), ("q", "2", "by order")],
            id="outputs of one type by order",
        ),
        pytest.param(
            signed(A_TO_Y, {"x": "x:0"}, {"y": "y:0", "same": "y:0"}),
            A_TO_Y,
            [("x", "x", "same name"), ("y", "y", "same name"), ("y", "y", "same name")],
            id="an output with two keys",
        ),
        pytest.param(
            signed(DIFFERENCE + "z = Relu(a)[T=float]", {"a": "a:0", "b": "b:0"}, {"z": "z:0"}),
            "a = Placeholder[dtype=float, shape=(-1, 3)]\nz = Relu(a)[T=float]",
            [("a", "a", "same name"), ("z", "z", "same name")],
            id="an input that no output needs",
        ),
    ],
)
def test_inputs_and_outputs_are_matched(a, b, expected):
    report = verified(*(graph_of(text) if isinstance(text, str) else text for text in (a, b)))
    assert (matches(report), report.same) == (expected, True)


def test_a_name_of_another_tensor_in_an_obfuscated_graph_is_not_a_match():
    a = graph_of(A_TO_Y.replace("y = Relu(x)[T=float]", "m = Elu(x)[T=float]\ny = Relu(m)[T=float]"))
    b = graph_of("0 = Placeholder[dtype=float, shape=(-1, 3)]\nx = Elu(0)[T=float]\ny = Relu(x)[T=float]")
    report = verified(a, b)
    assert (matches(report)[0][:2], report.same) == (("x", "0"), True)


DROPOUT = """
    x = Placeholder[dtype=float, shape=(-1, 3)]
    keep_prob = Placeholder[dtype=float]
    shape = Shape(x)[T=float]
    random = RandomUniform(shape)[T=int32, dtype=float]
    sum = Add(random, keep_prob)[T=float]
    mask = Floor(sum)[T=float]
    scaled = RealDiv(x, keep_prob)[T=float]
    y = Mul(scaled, mask)[T=float]
"""


def test_an_input_of_training_may_be_missing_in_the_second_model():
    plain = "0 = Placeholder[dtype=float, shape=(-1, 3)]\n1 = Identity(0)[T=float]"
    report = verified(graph_of(DROPOUT), graph_of(plain))
    assert report.same
    assert [(pair.first, pair.second, pair.value) for pair in report.pairs] == [
        ("x", "0", None),
        ("keep_prob", "", 1.0),
        ("y", "1", None),
    ]


def test_an_unlikely_output_is_matched_too():
    text = "x = Placeholder[dtype=float, shape=(-1, 3)]\ns = Shape(x)[T=float]\ny = Relu(x)[T=float]"
    b = graph_of(text.replace("s =", "1 =").replace("y =", "2 ="))
    report = verified(signed(text, {"x": "x:0"}, {"s": "s:0", "y": "y:0"}), b)
    assert matches(report)[1:] == [
        ("s", "1", "the only one of its type and shape"),
        ("y", "2", "the only one of its type and shape"),
    ]


def test_swapped_outputs_differ_as_they_are_matched_by_order():
    swapped = "0 = Placeholder[dtype=float, shape=(-1, 3)]\n1 = Abs(0)[T=float]\n2 = Neg(0)[T=float]"
    a = signed(TWO_OUTPUTS, {"x": "x:0"}, {"p": "p:0", "q": "q:0"})
    assert not verified(a, graph_of(swapped)).same
    assert verified(a, graph_of(swapped), outputs={"p": "2", "q": "1"}).same


@pytest.mark.parametrize(
    ("b", "problem"),
    [
        pytest.param(
            "0 = Placeholder[dtype=float, shape=(-1, 3)]\n1 = Cast(0)[SrcT=float, DstT=double]",
            r'outputs of the models do not match: unmatched in the first model: "y" \(float32\[\?,3\]\); '
            r'in the second model: "1" \(float64\[\?,3\]\); name pairs in outputs=',
            id="another type",
        ),
        pytest.param(
            "0 = Placeholder[dtype=double, shape=(-1, 3)]\ny = Cast(0)[SrcT=double, DstT=float]",
            r'inputs of the models do not match: unmatched in the first model: "x" \(float32\[\?,3\]\); '
            r'in the second model: "0" \(float64\[\?,3\]\); name pairs in inputs=',
            id="an input of another type",
        ),
        pytest.param(
            "0 = Placeholder[dtype=float, shape=(-1, 3)]\n1 = Placeholder[dtype=float, shape=(-1, 3)]\n"
            "y = Maximum(0, 1)[T=float]",
            r'unmatched in the first model: "x" .*; in the second model: "0" .*, "1" ',
            id="one input more",
        ),
        pytest.param(
            "y = Const[dtype=float, value=float{1}(1, 3)]",
            r'unmatched in the first model: "x" .*; in the second model: none;',
            id="no input",
        ),
    ],
)
def test_unmatched_tensors_are_named(b, problem):
    with pytest.raises(tfmodel.RunError, match=problem):
        verified(graph_of(A_TO_Y), graph_of(b), outputs="y")


def test_outputs_of_one_name_and_other_types_differ():
    other = f"{X}\nr = Relu(x)[T=float]\ny = Cast(r)[SrcT=float, DstT=double]"
    (output,) = verified(graph_of(A_TO_Y), graph_of(other), outputs="y").outputs
    assert (output.within, output.problem) == (False, "the other one is float64")


def test_inner_tensors_are_matched_by_name_only():
    b = graph_of("0 = Placeholder[dtype=float, shape=(-1, 3)]\n1 = Relu(0)[T=float]")
    inner = graph_of(A_TO_Y.replace("y = Relu(x)", "m = Neg(x)[T=float]\ny = Relu(m)"))
    with pytest.raises(tfmodel.RunError, match='unmatched in the first model: "m"'):
        verified(inner, b, outputs="m")
    assert verified(inner, inner, outputs="m").same


RATED = """
    x = Placeholder[dtype=float, shape=(-1, 3)]
    keep_prob = Placeholder[dtype=float, shape=()]
    y = RealDiv(x, keep_prob)[T=float]
"""
PLAIN = """
    x = Placeholder[dtype=float, shape=(-1, 3)]
    y = Identity(x)[T=float]
"""


@pytest.mark.parametrize(
    ("a", "b", "bind", "same"),
    [
        (RATED, PLAIN, {"keep_prob": 1}, True),
        (PLAIN, RATED, {"keep_prob": 1}, True),
        (RATED, PLAIN, {"keep_prob": 0.5}, False),
        (RATED, RATED, {"keep_prob": 0.5}, True),
        (RATED, RATED.replace("keep_prob", "0"), {"keep_prob": 0.5}, True),
        (RATED, RATED.replace("RealDiv", "Mul"), {"keep_prob": 0.5}, False),
    ],
)
def test_a_binding_is_for_each_model_with_the_tensor(a, b, bind, same):
    assert verified(graph_of(a), graph_of(b), outputs="y", bind=bind).same is same


def test_bindings_of_neither_model_and_of_feeds_are_errors():
    graph = graph_of(RATED)
    with pytest.raises(tfmodel.RunError, match='neither model has a tensor "rate" that could be bound'):
        tfmodel.verify(graph, graph, {}, "y", bind={"rate": 1})
    feeds = {"x": np.ones((1, 3)), "keep_prob": 1}
    with pytest.raises(tfmodel.FeedError, match='"keep_prob" is bound to a constant and cannot be fed'):
        tfmodel.verify(graph, graph, feeds, "y", bind={"keep_prob": 1})


def test_a_tensor_that_is_fed_twice_is_an_error():
    with pytest.raises(tfmodel.FeedError, match="a tensor is fed twice"):
        tfmodel.verify(graph_of(A_TO_Y), graph_of(A_TO_Y), {"x": [[1, 2, 3]], "x:0": [[1, 2, 3]]}, "y")


def test_unknown_dimensions_are_those_of_the_other_model():
    open_shape = graph_of(A_TO_Y.replace("(-1, 3)", "(-1, -1)"))
    report = verified(open_shape, graph_of(A_TO_Y.replace("(-1, 3)", "(4, 3)")), outputs="y")
    assert report.outputs[0].shape == (4, 3)


GIVE = "give it in shapes=, or a value in feeds="
OPEN_SHAPES = {
    "nothing is known": ("x = Placeholder[dtype=float]\ny = Relu(x)[T=float]", (), f"not known: {GIVE}; [] is used"),
    "a matrix": (
        """
        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{1}(6, 4)]
        y = MatMul(x, w)[T=float]
        """,
        (1, 4),
        f"not known: {GIVE}; [1,6] is used",
    ),
    "two dimensions": (
        "x = Placeholder[dtype=float, shape=(-1, -1)]\ny = Relu(x)[T=float]",
        (1, 8),
        f"only known to be [1,?]: {GIVE}; [1,8] is used",
    ),
    "the batch": ("x = Placeholder[dtype=float, shape=(-1, 2)]\ny = Relu(x)[T=float]", (1, 2), ""),
}


@pytest.mark.parametrize(("text", "shape", "note"), OPEN_SHAPES.values(), ids=OPEN_SHAPES)
def test_an_open_shape_is_the_first_that_fits(text, shape, note):
    graph = graph_of(text)
    report = verified(graph, graph)
    assert report.outputs[0].shape == shape
    assert list(report.notes) == ([f'the shape of "x" is {note}'] if note else [])


def test_indices_are_in_their_range():
    graph = graph_of(
        """
        i = Placeholder[dtype=int32, shape=(-1)]
        w = Const[dtype=float, value=float{1}(2, 4)]
        a = Const[dtype=int32, value=int32{0}()]
        y = GatherV2(w, i, a)[Tparams=float, Tindices=int32, Taxis=int32]
        """
    )
    assert verified(graph, graph).same


def graphs_of_a_saved_model() -> dict[str, GraphDef]:
    frozen = tfmodel.freeze(SAVED_MODEL)
    return {
        "frozen": frozen,
        "optimized": tfmodel.optimize(SAVED_MODEL).graph,
        "obfuscated by the recipe": tfmodel.optimize(SAVED_MODEL, recipe="obfuscate").graph,
        "all names replaced": tfmodel.transform(frozen, [], [], "obfuscate_names"),
    }


@pytest.mark.parametrize("kind", ["frozen", "optimized", "obfuscated by the recipe", "all names replaced"])
def test_a_saved_model_is_compared_with_models_made_from_it(kind):
    report = verified(SAVED_MODEL, graphs_of_a_saved_model()[kind])
    assert report.same
    assert {pair.kind for pair in report.pairs} == {"input", "output"}
