"""Malicious lists of transforms, for users who run recipes of others."""

from __future__ import annotations

import pytest

import tfmodel
from tests.hostile.graphs import graph, node, placeholder
from tests.hostile.measure import assert_linear
from tfmodel.transforms.framework.parameters import parse

GRAPH = graph(placeholder(), node("y", "Neg", "x"))

BOMBS = {
    "names": lambda size: "a " * size,
    "a name": lambda size: "a" * size,
    "arguments": lambda size: "a(" + "b=c," * size + "b=c)",
    "a value": lambda size: 'a(b="' + "c" * size + '")',
    "escapes": lambda size: 'a(b="' + "\\\\" * size + '")',
    "a value that does not end": lambda size: 'a(b="' + '\\"' * size,
    "parentheses": lambda size: "a(" * size,
    "parentheses that close": lambda size: "a" + ")" * size,
    "blanks": lambda size: "a" + " " * size,
    "blanks between arguments": lambda size: "a(b=c" + " " * size + "d=e)",
    "commas": lambda size: "a(" + "," * size,
    "quotes": lambda size: 'a(b=""' + '"' * size + ")",
    "lines": lambda size: "\n" * size + "a",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_long_list(bomb):
    """Attack: a list with a hundred thousand repetitions, or without an end.

    Naive: a regular expression backtracks over all positions, or the error shows the whole list.
    Stopped by: tfmodel.transforms.framework.parameters.parse
    """

    def read(transforms: str) -> None:
        try:
            parse(transforms)
        except tfmodel.TransformError as error:
            assert len(str(error)) < 1_000 or bomb == "a name"

    assert_linear(read, BOMBS[bomb], 20_000)


VALUES = ["9" * 5_000, "-" * 5_000, "1e400", "1e99999999999", "nan", "0x10", "1_000", "٣", "2,2", ""]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value[:12])
@pytest.mark.parametrize(
    "argument",
    [
        "round_weights(num_steps={})",
        "remove_nodes(op=Identity, max_inputs={})",
        'strip_unused_nodes(shape_for_name="x", shape="{}")',
        "quantize_weights(minimum_size={})",
        "convert_float16(minimum_size={})",
    ],
)
def test_numbers(argument, value):
    """Attack: numbers of five thousand digits, in other notations, infinities, empty values.

    Naive: calls int(), which raises ValueError above 4,300 digits and accepts other notations.
    Stopped by: tfmodel.transforms.framework.parameters.parse_values
    """
    with pytest.raises(tfmodel.TransformError) as raised:
        tfmodel.transform(GRAPH, "x", "y", argument.format(f'"{value}"' if "shape" not in argument else value))
    assert len(str(raised.value)) < 10_000


@pytest.mark.parametrize("steps", ["os.system(a=b)", "__import__(name=os)", "eval(a=b)", "../../x", "load_plugin(a=b)"])
def test_names(steps):
    """Attack: the name of a Python function or of a file in place of a transform.

    Naive: passes the name to importlib.import_module or getattr.
    Stopped by: tfmodel.transforms.framework.registry.find
    """
    with pytest.raises(tfmodel.TransformError):
        tfmodel.transform(GRAPH, "x", "y", steps)
