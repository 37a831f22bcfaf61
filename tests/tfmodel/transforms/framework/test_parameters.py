"""Reading a transform's parameters from its function, and parsing values as the C++ tool does."""

from __future__ import annotations

import pytest

from tfmodel.errors import TransformError
from tfmodel.messages import DataType, GraphDef
from tfmodel.transforms.framework.parameters import Shape, parse, parse_values, read_parameters


def sample(
    graph: GraphDef,
    *,
    count: int,
    factor: float = 0.5,
    keep: bool = True,
    name: str = "",
    op: tuple[str, ...] = (),
    shape: Shape | None = None,
    type: tuple[DataType, ...],
    outputs: tuple[str, ...] = (),
) -> GraphDef:
    """A transform that takes everything."""
    return graph


PARAMETERS = read_parameters(sample, ("outputs",))


def values(arguments: str) -> dict[str, object]:
    (step,) = parse(f"sample({arguments})")
    return parse_values(step.name, PARAMETERS, step.arguments)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("count=3", {"count": 3}),
        ('count=" -3 "', {"count": -3}),
        ("count=1, factor=2", {"count": 1, "factor": 2.0}),
        ("count=1, factor=1e-3", {"count": 1, "factor": 1e-3}),
        ("count=1, keep=false", {"count": 1, "keep": False}),
        ("count=1, keep=1", {"count": 1, "keep": True}),
        ('count=1, name="a b"', {"count": 1, "name": "a b"}),
        ("count=1, op=A, op=B", {"count": 1, "op": ("A", "B")}),
        ('count=1, shape="1,299, 299,3"', {"count": 1, "shape": (1, 299, 299, 3)}),
        ('count=1, shape="-1,2"', {"count": 1, "shape": (-1, 2)}),
        ("count=1, shape=7", {"count": 1, "shape": (7,)}),
        ("count=1, type=float", {"count": 1, "type": (DataType.DT_FLOAT,)}),
        ("count=1, type=float32", {"count": 1, "type": (DataType.DT_FLOAT,)}),
        ("count=1, type=DT_QUINT8", {"count": 1, "type": (DataType.DT_QUINT8,)}),
        ("count=1, type=float_ref", {"count": 1, "type": (DataType.DT_FLOAT_REF,)}),
        ("count=1, type=float64_ref", {"count": 1, "type": (DataType.DT_DOUBLE_REF,)}),
    ],
)
def test_arguments_become_values_of_their_types(arguments: str, expected: dict[str, object]) -> None:
    assert values(arguments) == {"op": (), "type": ()} | expected


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("", 'sample: the argument "count" is missing: give count=INT'),
        ("count=x", 'the argument "count" takes an integer, not "x"'),
        ("count=1.5", 'takes an integer, not "1.5"'),
        ("count=9223372036854775808", "takes an integer"),
        ("count=1, count=2", 'the argument "count" is given more than once'),
        ("count=1, factor=half", 'takes a number, not "half"'),
        ("count=1, keep=True", 'takes true, false, 1 or 0, not "True"'),
        ('count=1, shape=""', "takes sizes separated by commas"),
        ('count=1, shape="1,,2"', "takes sizes separated by commas"),
        ('count=1, shape="-2"', "takes sizes separated by commas"),
        ("count=1, type=flaot", 'takes a type such as float, int32 or DT_STRING, not "flaot"'),
        ("cuont=1", 'there is no argument "cuont"; did you mean "count"?'),
        (
            "count=1, zzz=1",
            'no argument "zzz"; its arguments: count=INT, factor=0.5, keep=true, name="", [op=STR ...],',
        ),
        ("count=1, outputs=x", 'there is no argument "outputs"'),
    ],
)
def test_wrong_arguments_are_named(arguments: str, problem: str) -> None:
    with pytest.raises(TransformError) as caught:
        values(arguments)
    assert problem in str(caught.value)


def test_help_shows_parameters_as_they_are_written() -> None:
    assert [str(parameter) for parameter in PARAMETERS.values()] == [
        "count=INT",
        "factor=0.5",
        "keep=true",
        'name=""',
        "[op=STR ...]",
        "[shape=SHAPE]",
        "[type=DATATYPE ...]",
    ]


def test_shown_defaults_can_be_parsed() -> None:
    square = Shape((1, -1))

    def defaults(
        graph: GraphDef,
        *,
        op: str = "*",
        ops: tuple[str, ...] = ("A", "B"),
        shape: Shape = square,
        type: DataType = DataType.DT_FLOAT,
    ) -> GraphDef:
        return graph

    parameters = read_parameters(defaults, ())
    shown = ", ".join(map(str, parameters.values()))
    assert shown == 'op="*", ops=A, ops=B, shape="1,-1", type=float'
    (step,) = parse(f"defaults({shown})")
    values = parse_values(step.name, parameters, step.arguments)
    assert values == {name: parameter.default for name, parameter in parameters.items()}


def test_an_unsupported_signature_is_refused() -> None:
    def positional(graph: GraphDef, count: int) -> GraphDef:
        return graph

    def strange(graph: GraphDef, *, count: complex) -> GraphDef:
        return graph

    def pair(graph: GraphDef, *, both: tuple[int, int]) -> GraphDef:
        return graph

    def graphless(*, count: int) -> GraphDef:
        return GraphDef()

    for function in (positional, strange, pair, graphless):
        with pytest.raises(TypeError, match=function.__name__):
            read_parameters(function, ())
