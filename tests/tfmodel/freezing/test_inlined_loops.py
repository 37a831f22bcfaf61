"""Loops of TensorFlow 1 in functions that a frozen model calls."""

from __future__ import annotations

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import freeze, run

# f doubles n as often as it takes to pass 10.
CALLED_TWICE = """
a = Placeholder[dtype=int32, shape=()]
b = Placeholder[dtype=int32, shape=()]
one = PartitionedCall(a)[f=@f, Tin=[int32], Tout=[int32]]
other = PartitionedCall(b)[f=@f, Tin=[int32], Tout=[int32]]
y = Sub(one, other)[T=int32]
f: (n: int32) -> (r: int32 = leave:output:0)
f: enter = Enter(n)[T=int32, frame_name="loop"]
f: merge = Merge(enter:output:0, again:output:0)[T=int32, N=2]
f: limit = Const(^merge)[dtype=int32, value=int32{10}()]
f: less = Less(merge:output:0, limit:output:0)[T=int32]
f: cond = LoopCond(less:z:0)
f: switch = Switch(merge:output:0, cond:output:0)[T=int32]
f: double = AddV2(switch:output_true:0, switch:output_true:0)[T=int32]
f: again = NextIteration(double:z:0)[T=int32]
f: leave = Exit(switch:output_false:0)[T=int32]
"""


def test_a_function_that_is_called_twice_has_its_loop_twice() -> None:
    model = graph(CALLED_TWICE)
    frozen = freeze(model, "y")
    assert not frozen.library
    frames = {node.name: node.attr["frame_name"].s for node in frozen.node if node.op == "Enter"}
    assert frames == {"one/enter": b"one/loop", "other/enter": b"other/loop"}
    for a, b in ((3, 5), (1, 40), (12, 2)):
        assert run(frozen, {"a": a, "b": b}, "y") == run(model, {"a": a, "b": b}, "y")
    assert run(frozen, {"a": 3, "b": 5}, "y")["y"] == 12 - 10
