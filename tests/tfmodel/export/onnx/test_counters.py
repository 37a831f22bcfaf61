"""Variables of a loop that are lists: the item that a round writes, and lists that grow."""

from __future__ import annotations

from tests.tfmodel.export.onnx.test_converters import const, fed
from tfmodel.analysis.shapes import infer_shapes
from tfmodel.export.onnx.control_flow.counters import grows, written_item
from tfmodel.export.onnx.conversion.body import Body
from tfmodel.export.onnx.conversion.report import Notes
from tfmodel.graph import GraphIndex
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, VersionDef

FLOAT = AttrValue(type=DataType.DT_FLOAT)


def body_of(*nodes: NodeDef) -> Body:
    index = GraphIndex(GraphDef(node=list(nodes), versions=VersionDef(producer=1286)))
    return Body(index, infer_shapes(index), 17, Notes())


def node(name: str, op: str, *inputs: str, **attributes: AttrValue) -> NodeDef:
    return NodeDef(name=name, op=op, input=list(inputs), attr={"T": FLOAT, **attributes})


def test_a_list_that_a_round_hands_on_may_be_written_for_something_else() -> None:
    frame = {"frame_name": AttrValue(s=b"loop")}
    body = body_of(
        fed("flow", DataType.DT_FLOAT, []),
        fed("test", DataType.DT_BOOL, []),
        fed("item", DataType.DT_FLOAT, [2]),
        const("place", 0),
        const("handle", [0.0]),
        node("enter", "Enter", "flow", **frame),
        node("merge", "Merge", "enter", "next"),
        node("switch", "Switch", "merge", "test"),
        node("next", "NextIteration", "switch:1"),
        node("write", "TensorArrayWriteV3", "handle", "place", "item", "switch:1"),
    )
    assert written_item(body, "merge:0", "write:0", None) == "item:0"
    assert not grows(body, "write:0")
