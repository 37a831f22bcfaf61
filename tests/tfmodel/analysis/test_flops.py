"""The work of nodes: TensorFlow's own numbers, and those that it does not give."""

from __future__ import annotations

import pytest

from tests.golden.ops.flops import Answer, answers
from tests.support.case_tables import each_case
from tfmodel.analysis.flops import NodeShapes, UnknownShapeError, flop_rule
from tfmodel.messages import AttrValue, NodeDef
from tfmodel.ops import OPS


def node(op, **attrs):
    return NodeDef(name="n", op=op, attr={name: attribute(value) for name, value in attrs.items()})


def attribute(value):
    match value:
        case bool():
            return AttrValue(b=value)
        case str():
            return AttrValue(s=value.encode())
        case int():
            return AttrValue(i=value)
        case [str(), *_]:
            return AttrValue(list=AttrValue.ListValue(s=[text.encode() for text in value]))
    return AttrValue(list=AttrValue.ListValue(i=value))


def flops(op, inputs, output, **attrs):
    rule = flop_rule(op)
    assert rule is not None, op
    return rule(
        NodeShapes(node(op, **attrs), [None if shape is None else tuple(shape) for shape in inputs], tuple(output))
    )


@each_case("answer", {f"{number}: {answer.op}": answer for number, answer in enumerate(answers())})
def test_flops_are_those_of_tensorflow(answer: Answer):
    assert flops(answer.op, answer.inputs, answer.output, **answer.attrs) == answer.flops


@pytest.mark.parametrize(
    ("op", "inputs", "output", "attrs", "expected"),
    [
        ("AddV2", [[2, 3], [3]], [2, 3], {}, 6),
        ("Relu", [[2, 3]], [2, 3], {}, 6),
        ("Einsum", [[2, 3], [3, 5]], [2, 5], {"equation": "ij,jk->ik"}, 2 * 2 * 3 * 5),
        ("Einsum", [[7, 2, 3], [7, 3, 5]], [7, 2, 5], {"equation": "...ij, ...jk -> ...ik"}, 2 * 7 * 2 * 3 * 5),
        ("Einsum", [[7, 2, 3], [3, 5]], [7, 2, 5], {"equation": "...ij,jk->...ik"}, 2 * 7 * 2 * 3 * 5),
        ("Einsum", [[4, 4]], [4], {"equation": "ij->i"}, 12),
        ("BatchMatMulV2", [[3, 5, 2], [3, 5, 7]], [3, 2, 7], {"adj_x": True}, 2 * 3 * 2 * 7 * 5),
        (
            "_FusedConv2D",
            [[1, 4, 4, 3], [1, 1, 3, 8], [8]],
            [1, 4, 4, 8],
            {"fused_ops": ["BiasAdd", "Relu"]},
            128 * 3 * 2 + 128 + 128,
        ),
        ("_FusedMatMul", [[2, 3], [3, 5], [5]], [2, 5], {"fused_ops": ["BiasAdd"]}, 60 + 10),
        ("QuantizedConv2DWithBiasAndRelu", [[1, 4, 4, 3], [1, 1, 3, 8]], [1, 4, 4, 8], {}, 128 * 3 * 2),
        ("FusedBatchNormV3", [[2, 5, 4], [4], [4], [4], [4]], [2, 5, 4], {"is_training": False}, 40 * 2 + 4 * 6),
        ("FusedBatchNormV3", [[2, 5, 4], [4], [4], [4], [4]], [2, 5, 4], {}, 40 * 6 + 4 * 6),
        ("DepthwiseConv2dNativeBackpropInput", [[4], [3, 3, 4, 2], [1, 5, 5, 8]], [1, 5, 5, 4], {}, 2 * 9 * 200),
        ("DepthwiseConv2dNativeBackpropFilter", [[1, 5, 5, 4], [4], [1, 5, 5, 8]], [3, 3, 4, 2], {}, 2 * 9 * 200),
        ("AssignAddVariableOp", [[], [3, 4]], [], {}, 12),
        ("ResizeBilinear", [[1, 2, 2, 3], [2]], [1, 4, 4, 3], {}, 48 * 9),
        ("Reshape", [None, None], [3], {}, 0),
        ("IteratorGetNext", [None], [3], {}, 0),
    ],
)
def test_flops_of_ops_that_tensorflow_does_not_count(op, inputs, output, attrs, expected):
    assert flops(op, inputs, output, **attrs) == expected


def test_the_gradients_of_a_convolution_take_as_much_as_the_convolution():
    """TensorFlow estimates that by the stride, which a VALID convolution does not fit."""
    image, kernel, result = [1, 9, 9, 4], [3, 3, 4, 6], [1, 4, 4, 6]
    forward = flops("Conv2D", [image, kernel], result)
    assert flops("Conv2DBackpropInput", [[4], kernel, result], image) == forward
    assert flops("Conv2DBackpropFilter", [image, [4], result], kernel) == forward


@pytest.mark.parametrize(
    ("op", "inputs", "attrs"),
    [
        ("MatMul", [(None, 3), (3, 5)], {}),
        ("MatMul", [None, None], {}),
        ("MatMul", [], {}),
        ("MatMul", [(3,), (3,)], {}),
        ("Conv2D", [(1, 4, 4, 3)], {}),
        ("MaxPool", [(1, 4, 4, 3)], {}),
        ("Einsum", [(2,), (3, 5)], {"equation": "ij,jk->ik"}),
    ],
)
def test_flops_of_unknown_shapes_are_an_error(op, inputs, attrs):
    with pytest.raises(UnknownShapeError):
        flop_rule(op)(NodeShapes(node(op, **attrs), inputs, (2, 5)))


def test_every_op_that_has_a_rule_is_one():
    others = {"Conv"}  # of a TensorFlow after 2.12
    from tfmodel.analysis.flops import flop_rules

    assert set(flop_rules()) - set(OPS) == others


def test_an_unknown_op_has_no_rule():
    assert flop_rule("MyOp") is None
