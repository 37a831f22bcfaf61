"""Shape rules of calls, conditionals, loops and frames.

The body of a functional loop is inferred repeatedly until the shapes that it returns no longer change anything, like
loops of nodes: see `tfmodel.shapes.inference`.

Shape rules of ops on files and summaries, and of messages.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import GraphError
from ...messages import NameAttrList, TensorShapeProto
from ...shape import SCALAR, Shape, merged, of_proto
from ..partial_tensors import UNKNOWN, Repeated, Tensor, join_tensors
from ..shape_rules import Call, Result, Rule, first_input, scalar, share_rule

__all__ = ["ELEMENTWISE", "RULES", "call_by_op"]


_MOST_TURNS = 8  # of a loop, until all that changes is given up


def _switch(call: Call) -> Result:
    return Repeated(call.tensor(0), call.count("num_outs") if call.node.op == "_SwitchN" else 2)


def _merge(call: Call) -> Result:
    """The index of the input comes as well."""
    tensor = call.tensor(0)
    for other in call.inputs[1:]:
        tensor = join_tensors(tensor, other)
    return [tensor, SCALAR]


def _loop_cond(call: Call) -> Result:
    return merged(call.shape(0), SCALAR)


def _ref_select(call: Call) -> Result:
    tensor = call.tensor(1)
    for other in call.inputs[2:]:
        tensor = join_tensors(tensor, other)
    return tensor


def _name(call: Call, attribute: str) -> str:
    return call.attr(attribute, NameAttrList).name


def _partitioned_call(call: Call) -> Result:
    return list(call.run(_name(call, "f"), call.inputs))


def call_by_op(call: Call) -> Result:
    """The rule for nodes whose op is a function of the library."""
    return list(call.run(call.node.op, call.inputs))


def _declared(call: Call, outputs: Sequence[Tensor]) -> Result:
    """The outputs, with what the attribute `output_shapes` says where that fits."""
    declared = [of_proto(shape) for shape in call.attr("output_shapes", list[TensorShapeProto], [])]
    found = list(outputs) + [UNKNOWN] * (len(declared) - len(outputs))
    for place, shape in enumerate(declared):
        found[place] = found[place]._replace(shape=_fitting(found[place].shape, shape))
    return list(found)


def _fitting(found: Shape | None, declared: Shape | None) -> Shape | None:
    try:
        return merged(found, declared)
    except GraphError:
        return found


def _if(call: Call) -> Result:
    call.tensor(0)
    names = [_name(call, "then_branch"), _name(call, "else_branch")]
    return _declared(call, _either(call, names))


def _case(call: Call) -> Result:
    call.tensor(0)
    names = [branch.name for branch in call.attr("branches", list[NameAttrList])]
    return _declared(call, _either(call, names))


def _either(call: Call, names: list[str]) -> list[Tensor]:
    """The outputs of one of some functions."""
    results = [call.run(name, call.inputs[1:]) for name in names]
    if not results:
        return []
    count = max(map(len, results))
    found = [_port(results[0], place) for place in range(count)]
    for other in results[1:]:
        found = [join_tensors(tensor, _port(other, place)) for place, tensor in enumerate(found)]
    return found


def _port(outputs: Sequence[Tensor], place: int) -> Tensor:
    return outputs[place] if place < len(outputs) else UNKNOWN


def _while(call: Call) -> Result:
    state = list(call.inputs)
    body = _name(call, "body")
    for turn in range(_MOST_TURNS + 1):
        outputs = call.run(body, state)
        after = [join_tensors(tensor, _port(outputs, place)) for place, tensor in enumerate(state)]
        if after == state:
            break
        if turn == _MOST_TURNS:
            after = [tensor if tensor == before else UNKNOWN for tensor, before in zip(after, state, strict=True)]
        state = after
    else:
        state = [UNKNOWN] * len(state)
        call.run(body, state)
    call.run(_name(call, "cond"), state)
    return _declared(call, state)


def _for(call: Call) -> Result:
    """Start, limit and delta, and then the state, which the body is given behind the number of the turn."""
    state = call.inputs[3:]
    for _ in range(_MOST_TURNS):
        outputs = call.run(_name(call, "body"), [Tensor(SCALAR), *state])
        after = [join_tensors(tensor, _port(outputs, place)) for place, tensor in enumerate(state)]
        if after == state:
            return list(state)
        state = after
    return [UNKNOWN] * len(state)


ELEMENTWISE: dict[str, Rule] = {
    "Print": first_input,
}


RULES: dict[str, Rule] = {
    "Case": _case,
    "For": _for,
    "If": _if,
    "LoopCond": _loop_cond,
    "Merge": _merge,
    "PartitionedCall": _partitioned_call,
    "RefMerge": _merge,
    "RefSelect": _ref_select,
    "RefSwitch": _switch,
    "StatefulPartitionedCall": _partitioned_call,
    "StatelessCase": _case,
    "StatelessIf": _if,
    "StatelessWhile": _while,
    "Switch": _switch,
    "While": _while,
    "_SwitchN": _switch,
    **share_rule("Enter Exit NextIteration RefEnter RefExit RefNextIteration", first_input),
    **ELEMENTWISE,
    "MatchingFiles": lambda call: (None,),
    **share_rule(
        """
        AudioSummary AudioSummaryV2 HistogramSummary ImageSummary MergeSummary ReadFile ScalarSummary
        ShardedFilename ShardedFilespec TensorSummary TensorSummaryV2 Timestamp
        """,
        scalar,
    ),
}
