"""Nesting that would overflow the stack of a recursive function."""

from __future__ import annotations

import pytest

import tfmodel
from pbwire import DecodeError, JsonError, TextFormatError, json, raw, text
from pbwire.wellknown import Any, Value
from tests.hostile.measure import assert_linear
from tests.support.wire_bytes import END, START, group, ld, nested, tag
from tfmodel.messages import TYPES, AttrValue, DataType, GraphDef, NameAttrList, NodeDef, TensorShapeProto
from tfmodel.transforms.framework import registry

DEEP = 100_000


def test_messages():
    """Attack: functions in attributes of functions in attributes, five thousand levels deep.

    Naive: recurses, and fails with RecursionError at best, a crash of the process at worst.
    Stopped by: pbwire.wire.MAX_DEPTH, pbwire.codec.validation
    """
    for levels in (40, 1_000, 5_000):
        with pytest.raises(DecodeError, match="nested"):
            AttrValue.from_bytes(_functions(levels))
    assert AttrValue.from_bytes(_functions(30)).func


def _functions(levels: int) -> bytes:
    """func { attr { value { func ..."""
    data = b""
    for _ in range(levels):
        data = ld(10, ld(2, ld(2, data)))
    return data


def test_messages_that_are_read_lazily():
    """Attack: the same with lazy messages.

    Naive: counts levels from the message that is accessed.
    Stopped by: pbwire.lazy.messages, pbwire.wire.MAX_DEPTH
    """
    value = AttrValue.from_bytes(_functions(150), lazy=True)
    with pytest.raises(DecodeError, match="nested"):
        for _ in range(150):
            value = value.func.attr[""]


def test_groups():
    """Attack: a hundred thousand groups that open and close, in an unknown field.

    Naive: skips a group recursively.
    Stopped by: pbwire.wire.skip_field
    """
    for data in (tag(99, START) * DEEP, tag(99, START) * DEEP + tag(99, END) * DEEP):
        with pytest.raises(DecodeError, match="nested more than 100"):
            NodeDef.from_bytes(data)
        with pytest.raises(DecodeError, match="nested more than 100"):
            list(raw.walk(data))
    assert NodeDef.from_bytes(group(99, group(99))).unknown_fields


def test_bytes_that_look_like_messages():
    """Attack: a raw dump of bytes that look like nested messages, thousands of levels deep.

    Naive: tries to parse each level again from every level above it.
    Stopped by: pbwire.raw.walk
    """
    assert_linear(lambda data: sum(1 for _ in raw.walk(data, guess=True)), lambda size: nested(size, b"\x0a"), 1_000)


def test_text():
    """Attack: a hundred thousand braces.

    Naive: recurses for each of them.
    Stopped by: pbwire.text.parser
    """
    for document in ("node {" * DEEP, "a { " * DEEP, "node { attr { value { func { " * DEEP):
        with pytest.raises(TextFormatError):
            text.loads(document, GraphDef)
    with pytest.raises(TextFormatError):
        text.loads("x {" * DEEP + "}" * DEEP, GraphDef, allow_unknown_field=True)
    deep = "func { attr { value { " * 90 + "}}}" * 90
    with pytest.raises(TextFormatError, match="nested more than 100 levels deep"):
        text.loads(deep, AttrValue)


def test_lists_in_text():
    """Attack: a hundred thousand brackets in an unknown field, which is skipped.

    Naive: recurses for each of them.
    Stopped by: pbwire.text.parser
    """
    with pytest.raises(TextFormatError):
        text.loads("x: " + "[" * DEEP, GraphDef, allow_unknown_field=True)


def test_json():
    """Attack: a hundred thousand brackets, or braces.

    Naive: Python's own parser raises RecursionError.
    Stopped by: pbwire.json.entry_points.Document, pbwire.json.field_lookup.refuse_depth
    """
    for document in ("[" * DEEP, '{"a":' * DEEP, '{"node":[' * DEEP):
        with pytest.raises(JsonError, match="nested more deeply"):
            json.loads(document, GraphDef)
    deep = '{"func":{"attr":{"a":' * 60 + "{}" + "}}}" * 60
    with pytest.raises(JsonError, match="nested too deeply: more than 101"):
        json.loads(deep, AttrValue)


def test_lists_in_json():
    """Attack: a value of google.protobuf.Value, which may be a list of lists of lists.

    Naive: recurses for each of them.
    Stopped by: pbwire.json.field_lookup.refuse_depth
    """
    with pytest.raises(JsonError, match="nested"):
        json.loads("[" * 500 + "]" * 500, Value)


def test_messages_in_any():
    """Attack: nested Any messages, which text and JSON expand.

    Naive: expands each with its own depth count, which begins at zero.
    Stopped by: pbwire.text.any, pbwire.json.output.refuse_depth, pbwire.json.field_lookup.refuse_depth
    """
    url = "type.googleapis.com/google.protobuf.Any"
    inner = Any()
    for _ in range(300):
        inner = Any(type_url=url, value=inner.to_bytes())
    shown = text.dumps(inner, types=TYPES)
    assert shown.count("[type.googleapis.com") <= 100
    with pytest.raises(JsonError, match="nested"):
        json.loads(f'{{"@type":"{url}","value":' * 150 + "{}" + "}" * 150, Any, types=TYPES)


def test_a_file_of_each_format():
    """Attack: the same in files, whose format is detected first.

    Naive: detects the format by parsing, and overflows the stack.
    Stopped by: tfmodel.files.detection.detect
    """
    for data in (b"node {" * DEEP, b'{"node":[' * DEEP, b"[" * DEEP, nested(5_000, b"\x0a"), tag(99, START) * DEEP):
        with pytest.raises(tfmodel.Error):
            tfmodel.load(data)
        with pytest.raises(tfmodel.Error):
            tfmodel.load(data, GraphDef)


# --- graphs ----------------------------------------------------------------------------------------------------------

_FLOAT = AttrValue(type=DataType.DT_FLOAT)
_LENGTH = 5_000


def _chain(op: str) -> GraphDef:
    nodes = [NodeDef(name="n0", op="Placeholder", attr={"dtype": _FLOAT, "shape": AttrValue(shape=TensorShapeProto())})]
    for number in range(1, _LENGTH):
        nodes.append(NodeDef(name=f"n{number}", op=op, input=[f"n{number - 1}"], attr={"T": _FLOAT}))
    return GraphDef(node=nodes)


CHAIN = _chain("Identity")
LAST = f"n{_LENGTH - 1}"
ARGUMENTS = {  # of transforms with required arguments
    "bind_inputs": "(name=n1, value=1)",
    "freeze_requantization_ranges": None,  # which reads a log
    "remove_attribute": "(attribute_name=T)",
    "remove_nodes": "(op=Identity)",
    "rename_attribute": "(old_attribute_name=T, new_attribute_name=S)",
    "rename_node": "(old_node_name=n1, new_node_name=m)",
    "rename_op": "(old_op_name=Identity, new_op_name=Abs)",
    "set_input_shape": '(name=n0, shape="2")',
    "target_tensorflow": '(version="1.12")',
}


def test_the_chain_as_a_whole():
    """Attack: a chain of 5,000 nodes.

    Naive: follows inputs recursively.
    Stopped by: tfmodel.graph.traversal, tfmodel.interpreter.executor.execute, tfmodel.analysis.shapes.infer_shapes
    """
    assert tfmodel.run(CHAIN, {"n0": 1.0}, LAST)[LAST] == 1
    assert tfmodel.summarize(CHAIN).to_text()
    assert len(tfmodel.diff(CHAIN, GraphDef(node=CHAIN.node[:-1])).to_text()) < 10_000
    tfmodel.weights(CHAIN)


@pytest.mark.parametrize("name", registry.names())
def test_the_chain_in_each_transform(name):
    """Attack: the same chain, given to a transform.

    Naive: matches patterns or looks up names recursively.
    Stopped by: tfmodel.transforms.framework.pipeline.transform
    """
    arguments = ARGUMENTS.get(name, "")
    if arguments is None:
        pytest.skip("it reads a log")
    assert tfmodel.transform(CHAIN, "n0", LAST, name + arguments).node


def test_functions_in_attributes():
    """Attack: NameAttrLists whose attributes are NameAttrLists, with the maximum nesting of a file.

    Naive: collects the functions that a node names recursively.
    Stopped by: pbwire.wire.MAX_DEPTH, tfmodel.graph.functions.named_functions
    """
    value = AttrValue(func=NameAttrList(name="f"))
    for _ in range(28):
        value = AttrValue(func=NameAttrList(name="f", attr={"g": value}))
    graph = GraphDef.from_bytes(GraphDef(node=[NodeDef(name="n", op="Foo", attr={"f": value})]).to_bytes())
    tfmodel.summarize(graph).to_text()
    for _ in range(2_000):  # no file has this, but an API call may make it
        value = AttrValue(func=NameAttrList(name="f", attr={"g": value}))
    tfmodel.summarize(GraphDef(node=[NodeDef(name="n", op="Foo", attr={"f": value})])).to_text()
