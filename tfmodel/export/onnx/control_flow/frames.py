"""Loops of TensorFlow 1, which run in frames: see `graph.control_flow`.

Enter -> Merge -> Switch -> Exit
           ^        |
NextIteration <- body
"""

from __future__ import annotations

from ....graph.control_flow import Frame
from ....messages import NodeDef
from ....ops.traits import ENTER, EXIT, LOOP_COND, MERGE, NEXT_ITERATION, SWITCH
from ..conversion.body import Body
from ..conversion.nodes import Conversion, Structure
from ..conversion.registry import Refusal
from ..conversion.scope import Scope
from .loops import Loop, Variable, convert_loop


def _exit(conversion: Conversion, body: Body, scope: Scope, node: NodeDef) -> None:
    """Convert the loop that an Exit leaves."""
    frame = body.index.frame(node.name)
    if frame is None:
        raise Refusal("it leaves no loop")
    tests = frame.of(LOOP_COND)
    if len(tests) != 1:
        raise Refusal(f"its loop has {len(tests)} conditions")
    test = body.inputs(tests[0])[0]
    name = frame.name.rsplit("/while_context", 1)[0]
    convert_loop(conversion, Loop(name, body, scope, body, body, test, _variables(body, frame)))


def _variables(body: Body, frame: Frame) -> list[Variable]:
    """Return the variables of a frame, one for each Merge of an Enter and a NextIteration."""
    found = []
    exits: dict[str, list[str]] = {}
    for node in frame.of(EXIT):
        exits.setdefault(_merge_before(body, node), []).append(body.output(node))
    for merge in frame.of(MERGE):
        sources = [body.producer(key) for key in body.inputs(merge)]
        enter = next((each for each in sources if each is not None and each.op in ENTER), None)
        again = next((each for each in sources if each is not None and each.op in NEXT_ITERATION), None)
        if enter is None or again is None:
            continue  # of a conditional in the loop
        key = body.output(merge)
        found.append(Variable(body.inputs(enter)[0], key, key, body.inputs(again)[0], exits.get(key, [])))
    return found


def _merge_before(body: Body, node: NodeDef) -> str:
    """Return the key of the Merge whose value an Exit passes on."""
    switch = body.producer(body.inputs(node)[0])
    return body.inputs(switch)[0] if switch is not None and switch.op in SWITCH else ""


def _enter(conversion: Conversion, body: Body, scope: Scope, node: NodeDef) -> None:
    """Let a loop see a value of the graph around it, which is computed there."""
    outside = scope.outside
    if outside is None:
        raise Refusal("it enters a loop that is not left")
    source = body.inputs(node)[0]
    conversion.require(body, outside, [source])
    scope.share(body.output(node), source, outside)


STRUCTURES: dict[str, Structure] = {
    **dict.fromkeys(EXIT, _exit),
    **dict.fromkeys(ENTER, _enter),
}
