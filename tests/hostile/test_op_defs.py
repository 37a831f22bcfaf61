"""Malicious declarations of ops in a model."""

from __future__ import annotations

import pytest

import tfmodel
from tests.hostile.graphs import FLOAT, graph, node, placeholder
from tests.hostile.measure import assert_linear, peak
from tfmodel.messages import AttrValue, DataType, MetaGraphDef, OpDef, OpList
from tfmodel.ops import output_types, registry

Arg, Attr = OpDef.ArgDef, OpDef.AttrDef


def outputs(op: OpDef, **attributes: object) -> object:
    return output_types(node("n", op.name, **attributes), op)


COUNTS = {
    "2**62 outputs": (OpDef(name="Mine", output_arg=[Arg(name="a", type=FLOAT, number_attr="N")]), {"N": 2**62}),
    "less than none": (OpDef(name="Mine", output_arg=[Arg(name="a", type=FLOAT, number_attr="N")]), {"N": -1}),
    "no number": (OpDef(name="Mine", output_arg=[Arg(name="a", type=FLOAT, number_attr="N")]), {"N": b"x"}),
    "no attribute": (OpDef(name="Mine", output_arg=[Arg(name="a", type=FLOAT, number_attr="N")]), {}),
    "twice 2**31": (
        OpDef(name="Mine", output_arg=[Arg(name=name, type=FLOAT, number_attr="N") for name in "ab"]),
        {"N": 2**31 - 1},
    ),
    "a type that is a number": (OpDef(name="Mine", output_arg=[Arg(name="a", type_attr="T")]), {"T": 7}),
}


@pytest.mark.parametrize("kind", COUNTS)
def test_outputs_without_number(kind):
    """Attack: a declared op whose number of outputs is an attribute with the value 2**62.

    Naive: makes a list of their types.
    Stopped by: tfmodel.ops.ports.output_types
    """
    op, attributes = COUNTS[kind]

    def read() -> None:
        with pytest.raises(tfmodel.GraphError):
            outputs(op, **attributes)

    read()
    assert peak(read) < 1 << 18


def test_the_maximum_number_of_outputs():
    """Attack: two billion outputs, which is allowed.

    Naive: makes a list of two billion types.
    Stopped by: tfmodel.ops.ports.output_types
    """
    op = OpDef(name="Mine", output_arg=[Arg(name="a", type=FLOAT, number_attr="N")])
    assert peak(lambda: outputs(op, N=2**31 - 2)) < 1 << 18
    meta = MetaGraphDef(
        meta_info_def=MetaGraphDef.MetaInfoDef(stripped_op_list=OpList(op=[op])),
        graph_def=graph(placeholder(), node("y", "Mine", "x", N=2**31 - 2)),
    )
    assert peak(lambda: tfmodel.summarize(meta).to_text()) < 64 << 20


def test_declarations_that_refer_to_themselves():
    """Attack: defaults that are placeholders for further placeholders, and ops without names.

    Naive: follows them forever.
    Stopped by: tfmodel.ops.definitions.registry
    """
    loops = OpDef(
        name="Mine",
        output_arg=[Arg(name="a", type_attr="T")],
        attr=[
            Attr(name="T", type="type", default_value=AttrValue(placeholder="T")),
            Attr(),
            Attr(name="T", type="func"),
        ],
    )
    ops = registry(op_defs=[OpList(op=[loops, OpDef(), OpDef()])])
    assert ops[""] == OpDef()
    assert list(output_types(node("n", "Mine", T=AttrValue(placeholder="T")), ops["Mine"])) == [None]


def test_many_declarations():
    """Attack: thousands of declarations, and of attributes of one.

    Naive: searches a list for each node.
    Stopped by: tfmodel.ops.definitions.registry
    """

    def make(size: int) -> MetaGraphDef:
        ops = OpList(op=[OpDef(name=f"Op{n}", attr=[Attr(name="N", type="int")]) for n in range(size)])
        nodes = [node(f"n{n}", f"Op{n}", T=DataType.DT_INT32) for n in range(size)]
        return MetaGraphDef(meta_info_def=MetaGraphDef.MetaInfoDef(stripped_op_list=ops), graph_def=graph(*nodes))

    assert_linear(lambda meta: tfmodel.summarize(meta).to_text(), make, 300)
