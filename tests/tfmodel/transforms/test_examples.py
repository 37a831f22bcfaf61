"""Every transform has an example in its docstring, and running it gives the shown result."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.tfmodel.transforms.graph_notation import examples_in, graph, nodes, spelled
from tfmodel import to_ndarray
from tfmodel.graph import attr
from tfmodel.messages import DataType, TensorProto, TensorShapeProto
from tfmodel.transforms.framework import registry
from tfmodel.transforms.framework.parameters import parse
from tfmodel.transforms.framework.pipeline import transform

FILES = Path(__file__).resolve().parents[2] / "data"
"""The folder of the files that examples name."""


@pytest.mark.parametrize("name", [name for name in registry.names() if registry.find(name).is_builtin])
def test_the_example_of_each_transform(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FILES)
    examples = examples_in(registry.find(name).docstring)
    assert examples, f"the docstring of {name} has no example"
    for example in examples:
        assert name in [step.name for step in parse(example.transforms)]
        result = transform(example.before, example.inputs, example.outputs, example.transforms)
        assert [spelled(node) for node in result.node] == [spelled(node) for node in example.after]


TEXT = """What it does.

    Example: first(a="b c") second with inputs a, b:1
        and outputs y

        x = Placeholder[dtype=float, shape=(-1, 2), is="a\\"b"]

        c = Const[value=float{1, 2.5}, dtype=float] @ /device:CPU:0
        y = Op(x, c:1, ^x)[a=2, b=1.5, c=true, d=[1, 2], e=[float, int32],
            f=int32{7, 8}(2, 1), g=?, h=[], i=bool{true}(), j=string{"é"}]

    becomes

        y = NoOp

    And that is all.
"""


def test_the_notation() -> None:
    [example] = examples_in(inspect.cleandoc(TEXT))
    assert (example.transforms, example.inputs, example.outputs) == ('first(a="b c") second', "a, b:1", "y")
    x, c, y = example.before.node
    assert attr(x, "dtype", DataType) == DataType.DT_FLOAT
    assert [dim.size for dim in attr(x, "shape", TensorShapeProto).dim] == [-1, 2]
    assert attr(x, "is", str) == 'a"b'
    assert to_ndarray(attr(c, "value", TensorProto)).tolist() == [1, 2.5]
    assert c.device == "/device:CPU:0"
    assert (y.op, y.input) == ("Op", ["x", "c:1", "^x"])
    assert (attr(y, "a", int), attr(y, "b", float), attr(y, "c", bool)) == (2, 1.5, True)
    assert (attr(y, "d", list[int]), attr(y, "h", list[int])) == ([1, 2], [])
    assert attr(y, "e", list[DataType]) == [DataType.DT_FLOAT, DataType.DT_INT32]
    assert to_ndarray(attr(y, "f", TensorProto)).tolist() == [[7], [8]]
    assert attr(y, "g", TensorShapeProto).unknown_rank
    assert to_ndarray(attr(y, "i", TensorProto)).tolist() is True
    assert to_ndarray(attr(y, "j", TensorProto)).tolist() == ["é".encode()]
    assert [spelled(node) for node in example.after] == ["y = NoOp"]


def test_a_function() -> None:
    model = graph("""
        f: (a: float, b: int32) -> (r: float = n:y:0, s: int32 = b)
        f: n = Neg(a)[T=float]
        y = PartitionedCall(x, c)[f=@f,
            Tout=[float, int32]]
    """)
    assert model.library is not None
    [function] = model.library.function
    assert function.signature is not None
    assert [(arg.name, arg.type) for arg in function.signature.input_arg] == [("a", 1), ("b", 3)]
    assert [(arg.name, arg.type) for arg in function.signature.output_arg] == [("r", 1), ("s", 3)]
    assert (function.ret, [node.input for node in function.node_def]) == ({"r": "n:y:0", "s": "b"}, [["a"]])
    assert [spelled(node) for node in model.node] == ["y = PartitionedCall(x, c)[Tout=[float, int32], f=@f]"]


def test_one_value_fills_a_tensor() -> None:
    [node] = nodes("x = Const[value=half{3}(2, 2)]")
    assert to_ndarray(attr(node, "value", TensorProto)).tolist() == [[3, 3], [3, 3]]
    assert spelled(node) == "x = Const[value=half{3.0, 3.0, 3.0, 3.0}(2, 2)]"


def test_printed_graphs_are_read_back_unchanged() -> None:
    for node in examples_in(inspect.cleandoc(TEXT))[0].before.node:
        assert nodes(spelled(node)) == [node]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Example:\n\n    x = A\n\nbecomes\n\n    x = A", "expected .Example: STEPS"),
        ("Example: a\n\n    x = A\n\nbecome\n\n    x = A", "expected indented nodes"),
        ("Example: a\n\n    x = A", "expected indented nodes"),
        ("Example: a\n\n    x A\n\nbecomes\n\n    x = A", 'expected "=" at character 3 of: x A'),
        ("Example: a\n\n    x = A[T=floot]\n\nbecomes\n\n    x = A", "expected a type and not floot"),
        ("Example: a\n\n    x = A(y z)\n\nbecomes\n\n    x = A", 'expected "," at character 9'),
        ("Example: a\n\n    x = A[T=[1, 1.5]]\n\nbecomes\n\n    x = A", "a list of f and i"),
    ],
)
def test_invalid_examples_are_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        examples_in(text)
