"""`tfmodel.ops.ports`: the inputs and outputs of a node, port by port."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.effort import scaled
from tests.support.strategies import messages
from tfmodel.errors import GraphError
from tfmodel.messages import AttrValue, DataType, NodeDef, OpDef
from tfmodel.ops import OPS, body_name, graph_name, input_types, output_names, output_types
from tfmodel.ops.ports import Ports, PortTypes, value_type
from tfmodel.values.names import TensorName

FLOAT, INT32, INT64 = DataType.DT_FLOAT, DataType.DT_INT32, DataType.DT_INT64
ArgDef, AttrDef = OpDef.ArgDef, OpDef.AttrDef

# Outputs of every kind: one of a fixed type, as many of one type as a number says, as many as a list has types, a
# reference of the type of an attribute, as many of a fixed type as a number says.
MIXED = OpDef(
    name="Mixed",
    output_arg=[
        ArgDef(name="flag", type=DataType.DT_BOOL),
        ArgDef(name="parts", type_attr="T", number_attr="N"),
        ArgDef(name="various", type_list_attr="types"),
        ArgDef(name="variable", type_attr="T", is_ref=True),
        ArgDef(name="sizes", type=INT64, number_attr="N"),
    ],
    attr=[
        AttrDef(name="T", type="type", default_value=AttrValue(type=FLOAT)),
        AttrDef(name="N", type="int"),
        AttrDef(name="types", type="list(type)"),
    ],
)


def types(*listed):
    return AttrValue(list=AttrValue.ListValue(type=list(listed)))


def mixed(**attrs):
    return NodeDef(name="n", op="Mixed", attr={"N": AttrValue(i=2), "types": types(INT32), **attrs})


def test_types():
    ports = output_types(mixed(), MIXED)
    assert list(ports) == [DataType.DT_BOOL, FLOAT, FLOAT, INT32, DataType.DT_FLOAT_REF, INT64, INT64]
    assert [ports[port] for port in range(len(ports))] == list(ports)
    assert ports[-2:] == [INT64, INT64]
    assert list(reversed(ports)) == list(ports)[::-1]
    with pytest.raises(IndexError):
        ports[7]


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({"T": AttrValue(type=INT32)}, [DataType.DT_BOOL, INT32, INT32, INT32, DataType.DT_INT32_REF, INT64, INT64]),
        ({"N": AttrValue(i=0), "types": types()}, [DataType.DT_BOOL, DataType.DT_FLOAT_REF]),
        ({"N": AttrValue(i=0), "types": types(INT64, FLOAT)}, [DataType.DT_BOOL, INT64, FLOAT, DataType.DT_FLOAT_REF]),
        ({"T": AttrValue(placeholder="T"), "types": types()}, [DataType.DT_BOOL, None, None, None, INT64, INT64]),
        ({"T": AttrValue(type=99), "N": AttrValue(i=0)}, [DataType.DT_BOOL, INT32, 199]),
    ],
)
def test_types_follow_the_attributes(attrs, expected):
    assert list(output_types(mixed(**attrs), MIXED)) == expected


@pytest.mark.parametrize(
    ("dtype", "expected"), [(FLOAT, FLOAT), (DataType.DT_FLOAT_REF, FLOAT), (65, 65), (199, 99), (0, 0)]
)
def test_the_value_of_a_reference(dtype, expected):
    assert value_type(dtype) == expected


ATTRIBUTES = {
    "T": [AttrValue(type=INT32), AttrValue(type=99), AttrValue(placeholder="T"), AttrValue(i=3)],
    "N": [AttrValue(i=0), AttrValue(i=3), AttrValue(i=100), AttrValue(i=-1), AttrValue(type=FLOAT)],
    "types": [types(), types(INT64, FLOAT), AttrValue(list=AttrValue.ListValue(i=[1])), AttrValue(b=True)],
}


@given(st.lists(st.fixed_dictionaries({}, optional={name: st.sampled_from(row) for name, row in ATTRIBUTES.items()})))
def test_types_of_many_nodes_are_those_of_each(rows):
    port_types = PortTypes({"Mixed": MIXED}.get)
    for attrs in rows:
        node = NodeDef(name="n", op="Mixed", attr=attrs)
        try:
            expected = list(output_types(node, MIXED))
        except GraphError:  # of one attribute, while another may be wrong too
            with pytest.raises(GraphError, match=r'^Mixed "n" '):
                port_types.of_outputs(node)
        else:
            assert list(port_types.of_outputs(node)) == expected


def test_types_of_inputs_and_of_unknown_ops():
    port_types = PortTypes(OPS.get)
    node = NodeDef(name="n", op="Where", attr={"T": AttrValue(type=INT32)})
    assert (port_types.of_inputs(node), port_types.of_outputs(node)) == ((INT32,), (INT64,))
    assert port_types.of_inputs(NodeDef(op="Unknown")) is None


def test_an_attribute_without_value_or_default_leaves_the_type_open():
    node = NodeDef(name="n", op="MatMul", input=["a", "b"])
    assert list(input_types(node, OPS["MatMul"])) == [None, None]
    assert list(output_types(node, OPS["MatMul"])) == [None]


def test_ranges_ports_and_places():
    ports = output_types(mixed(types=types()), MIXED)
    assert ports.ranges == {
        "flag": range(1),
        "parts": range(1, 3),
        "various": range(3, 3),
        "variable": range(3, 4),
        "sizes": range(4, 6),
    }
    assert [ports.locate(port) for port in range(len(ports))] == [
        ("flag", 0),
        ("parts", 0),
        ("parts", 1),
        ("variable", 0),
        ("sizes", 0),
        ("sizes", 1),
    ]
    assert [ports.port(*ports.locate(port)) for port in range(len(ports))] == list(range(len(ports)))


@pytest.mark.parametrize(
    ("in_body", "in_graph"),
    [
        ("n:flag:0", "n"),
        ("n:parts:1", "n:2"),
        ("n:sizes:0", "n:5"),
        ("^n", "^n"),
    ],
)
def test_references(in_body, in_graph):
    ports = output_types(mixed(), MIXED)
    assert str(graph_name(TensorName.parse(in_body), ports)) == in_graph
    assert str(body_name(TensorName.parse(in_graph), ports)) == in_body


def test_correctly_spelled_names_stay():
    ports = output_types(mixed(), MIXED)
    assert graph_name(TensorName("argument", 1), ports) == TensorName("argument", 1)
    assert body_name(TensorName("n", 1, "parts"), ports) == TensorName("n", 1, "parts")


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda ports: ports.port("part"), 'Mixed "n" has no "part"'),
        (lambda ports: ports.port("parts", 2), 'Mixed "n" has 2 of "parts"; number 2 does not exist'),
        (lambda ports: ports.locate(7), 'Mixed "n" has 7 ports; port 7 does not exist'),
        (lambda ports: ports.locate(-1), 'Mixed "n" has 7 ports; port -1 does not exist'),
    ],
)
def test_missing_ports(ask, problem):
    with pytest.raises(GraphError, match=f"^{re.escape(problem)}$"):
        ask(output_types(mixed(), MIXED))


def test_an_attribute_without_a_value_has_its_default_or_is_an_empty_list():
    ports = output_types(mixed(T=AttrValue(), types=AttrValue()), MIXED)
    assert [*ports] == [DataType.DT_BOOL, FLOAT, FLOAT, DataType.DT_FLOAT_REF, INT64, INT64]


@pytest.mark.parametrize(
    ("attrs", "problem"),
    [
        ({"T": AttrValue(i=1)}, 'has an attribute "T" that holds a number, not a type'),
        ({"N": AttrValue()}, 'has an attribute "N" that holds nothing, not a number'),
        ({"N": AttrValue(s=b"2")}, 'has an attribute "N" that holds a string, not a number'),
        ({"types": AttrValue(type=FLOAT)}, 'has an attribute "types" that holds a type, not a list'),
        (
            {"types": AttrValue(list=AttrValue.ListValue(i=[1]))},
            'has an attribute "types" that is not a list of types',
        ),
        ({"N": AttrValue(i=-1)}, 'cannot have -1 of "parts"'),
        ({"N": AttrValue(i=2**31)}, 'cannot have 2,147,483,648 of "parts"'),
        ({"N": AttrValue(i=2**30)}, 'cannot have 1,073,741,824 of "sizes"'),
        ({"N": AttrValue(placeholder="N")}, 'has an unknown number of ports: its attribute "N" has no value'),
    ],
)
def test_attributes_that_make_no_sense(attrs, problem):
    with pytest.raises(GraphError, match=f'^{re.escape(f"""Mixed "n" {problem}""")}$'):
        output_types(mixed(**attrs), MIXED)


def test_a_number_of_ports_that_is_missing():
    with pytest.raises(GraphError, match='its attribute "N" has no value'):
        input_types(NodeDef(name="n", op="AddN"), OPS["AddN"])


def test_very_many_ports_take_no_room():
    node = NodeDef(name="n", op="Split", attr={"num_split": AttrValue(i=2**31 - 1), "T": AttrValue(type=FLOAT)})
    ports = output_types(node, OPS["Split"])
    assert len(ports) == 2**31 - 1
    assert ports[2**31 - 2] == FLOAT
    assert next(iter(ports)) == FLOAT
    assert ports.locate(2**30) == ("output", 2**30)


def test_inputs_that_must_be_references():
    node = NodeDef(name="n", op="Assign", attr={"T": AttrValue(type=FLOAT)})
    assert list(input_types(node, OPS["Assign"])) == [DataType.DT_FLOAT_REF, FLOAT]


def test_the_names_of_outputs():
    assert output_names(OPS["TopKV2"]) == ["values", "indices"]
    assert output_names(OPS["NoOp"]) == []


def test_names_in_errors_cannot_move_the_cursor():
    with pytest.raises(GraphError) as caught:
        output_types(NodeDef(name="\x1b[2J", op="Mixed"), MIXED)
    assert str(caught.value).isprintable()


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@settings(max_examples=scaled(200))
@given(messages(NodeDef), messages(OpDef))
def test_any_node_of_any_op_has_ports_or_is_an_error(node, op):
    try:
        ports = output_types(node, op)
    except GraphError:
        return
    assert isinstance(ports, Ports)
    for port in range(min(len(ports), 20)):
        assert 0 <= ports.locate(port)[1] <= port
        ports[port]
