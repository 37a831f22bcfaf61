"""Nodes whose inputs or attributes do not fit their op are refused by name, in the words of this project."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.kernel_cases import Case, cases_of, f32, families, i32, strings
from tests.tfmodel.kernels.mutations import WORDS_OF_PYTHON, mutants, retyped
from tfmodel.errors import Error, GraphError, RunError
from tfmodel.kernels.runtime import KERNELS, bind, evaluate
from tfmodel.kernels.runtime.binding import output_dtypes
from tfmodel.kernels.runtime.memory_limit import bytes_needed, limit_memory
from tfmodel.messages import AttrValue, DataType, NodeDef
from tfmodel.ops import OPS

FLOAT = {"T": AttrValue(type=DataType.DT_FLOAT)}
PADDING = Case("Conv2D", [f32(1, 2, 2, 1), f32(1, 1, 1, 1)], strides=[1, 1, 1, 1], padding="SOME").node


@pytest.mark.parametrize(
    ("node", "inputs", "problem"),
    [
        (NodeDef(name="e", op="Relu", attr=FLOAT), [f32(2), f32(2)], 'Relu "e" takes 1 input, and has 2'),
        (NodeDef(name="e", op="Add", attr=FLOAT), [f32(2)], 'Add "e" takes 2 inputs, and has 1'),
        (NodeDef(name="e", op="Where"), [], 'Where "e" takes 1 input, and has 0'),
        (
            NodeDef(name="e", op="AddN", attr={**FLOAT, "N": AttrValue(i=3)}),
            [f32(2), f32(2)],
            'AddN "e" takes 3 inputs, and has 2',
        ),
        (
            NodeDef(
                name="e",
                op="IdentityN",
                attr={"T": AttrValue(list=AttrValue.ListValue(type=[DataType.DT_FLOAT, DataType.DT_INT32]))},
            ),
            [f32(2)],
            'IdentityN "e" takes 2 inputs, and has 1',
        ),
        (
            NodeDef(name="e", op="Add", attr=FLOAT),
            [f32(2), strings(["a"])],
            'Add "e": its input 1 must be float32, and is string[1]',
        ),
        (
            NodeDef(name="e", op="ReadVariableOp", attr={"dtype": AttrValue(type=DataType.DT_FLOAT)}),
            [f32(2)],
            'ReadVariableOp "e": its input 0 must be a handle, and is float32[2]',
        ),
        (
            NodeDef(name="e", op="Relu", attr={"T": AttrValue(i=1)}),
            [f32(2)],
            'Relu "e": its attribute "T" is an int, not a type',
        ),
        (PADDING, [f32(1, 2, 2, 1), f32(1, 1, 1, 1)], 'its attribute "padding" is "SOME", not one of "SAME", "VALID"'),
        (
            NodeDef(name="e", op="Add", attr=FLOAT),
            [f32(2), f32(3)],
            'Add "e": its inputs and attributes do not fit; it got float32[2], float32[3]',
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nodes_that_do_not_fit_their_op_are_refused_by_name(node: NodeDef, inputs: list[Any], problem: str) -> None:
    with pytest.raises((GraphError, RunError)) as refusal:
        evaluate(node, inputs)
    assert problem in str(refusal.value)


def test_a_bug_of_a_kernel_is_reported_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = bind(NodeDef(name="e", op="Relu", attr=FLOAT))
    monkeypatch.setattr(bound, "_call", lambda x: x.no_such_attribute)
    with pytest.raises(RunError) as report:
        bound([f32(2)])
    assert "a bug in tfmodel (AttributeError in test_wrong_nodes.py, line" in str(report.value)
    assert "no_such_attribute" not in str(report.value)


@pytest.mark.parametrize("family", families())
def test_mistakes_at_random_are_never_answered_in_the_words_of_python(family: str) -> None:
    random = Random(family)
    for case in cases_of(family)[::5]:
        for mutant in mutants(case, random, 2):
            problem = _problem_of(mutant.node, mutant.arrays)
            assert not any(word in problem for word in WORDS_OF_PYTHON), f"{problem}\n{mutant}"


@pytest.mark.parametrize("family", families())
def test_every_type_that_an_op_declares_is_computed_or_refused_in_words(family: str) -> None:
    """TensorFlow has no kernel for some of them; random mistakes reach few."""
    cases = {case.op: case for case in reversed(cases_of(family))}
    for case in cases.values():
        for mutant in retyped(case):
            with warnings.catch_warnings():
                warnings.filterwarnings("error", message="Casting complex values to real")  # a wrong result
                problem = _problem_of(mutant.node, mutant.arrays)
            assert not any(word in problem for word in WORDS_OF_PYTHON), f"{problem}\n{mutant}"


def _problem_of(node: NodeDef, inputs: list[Any]) -> str:
    """Return the error that a node is refused with, "" if it is computed. Other exceptions pass through."""
    try:
        if bytes_needed(node, inputs, output_dtypes(node, OPS[node.op])) > _LIMIT:
            return ""
        with limit_memory(_LIMIT):
            evaluate(node, inputs)
    except Error as error:
        return str(error)
    return ""


_LIMIT = 1 << 22


def test_every_kernel_knows_the_number_of_its_inputs() -> None:
    """Kernels of ops that are not declared would get whatever a node has."""
    assert [op for op in KERNELS if op not in OPS] == []


def test_a_reference_is_needed_to_assign() -> None:
    attributes = {"T": AttrValue(type=DataType.DT_FLOAT)}
    with pytest.raises(RunError, match=r'Assign "a": its input 0 must be a handle, and is float32\[2\]'):
        evaluate(NodeDef(name="a", op="Assign", attr=attributes), [f32(2), f32(2)])


def test_no_element_of_the_inputs_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large inputs are checked by their type alone."""
    view = np.broadcast_to(np.int32(1), (1 << 20, 1 << 20))
    with pytest.raises(RunError, match="its input 0 must be float32, and is int32"):
        evaluate(NodeDef(name="e", op="Relu", attr=FLOAT), [view])
    assert evaluate(NodeDef(name="s", op="Shape", attr={"T": AttrValue(type=DataType.DT_INT32)}), [i32([1, 2])])[
        0
    ].tolist() == [2]
