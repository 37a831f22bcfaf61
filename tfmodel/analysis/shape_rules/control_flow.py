"""Shape rules of calls, conditionals and loops, and of ops on files, summaries and messages.

The body of a functional loop is inferred repeatedly until its state no longer changes, like loops of nodes: see
`tfmodel.analysis.shapes.inference`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import GraphError
from ...messages import NameAttrList, TensorShapeProto
from ...values.shape import SCALAR, Shape, merge_shapes, shape_of_proto
from .partial_tensors import UNKNOWN, Repeated, Tensor, join_tensors
from .table import Call, Result, Rule, first_input, scalar, share_rule

_MAX_ITERATIONS = 8
"""The number of inferences of a loop body, after which state that still changes becomes unknown."""


def _switch(call: Call) -> Result:
    return Repeated(call.tensor(0), call.count("num_outs") if call.node.op == "_SwitchN" else 2)


def _merge(call: Call) -> Result:
    """Return the tensor that is common to all inputs, and the shape of the index of the input."""
    tensor = call.tensor(0)
    for candidate in call.inputs[1:]:
        tensor = join_tensors(tensor, candidate)
    return [tensor, SCALAR]


def _loop_cond(call: Call) -> Result:
    return merge_shapes(call.shape(0), SCALAR)


def _ref_select(call: Call) -> Result:
    tensor = call.tensor(1)
    for candidate in call.inputs[2:]:
        tensor = join_tensors(tensor, candidate)
    return tensor


def _name(call: Call, attribute: str) -> str:
    return call.attr(attribute, NameAttrList).name


def _partitioned_call(call: Call) -> Result:
    return list(call.run(_name(call, "f"), call.inputs))


def call_by_op(call: Call) -> Result:
    """Return the outputs of a node whose op is a function of the library."""
    return list(call.run(call.node.op, call.inputs))


def _add_declared_shapes(call: Call, outputs: Sequence[Tensor]) -> Result:
    """Return the outputs, with shapes of the attribute `output_shapes` where these do not contradict them."""
    declared = [shape_of_proto(shape) for shape in call.attr("output_shapes", list[TensorShapeProto], [])]
    tensors = list(outputs) + [UNKNOWN] * (len(declared) - len(outputs))
    for index, shape in enumerate(declared):
        tensors[index] = tensors[index]._replace(shape=_merge_if_possible(tensors[index].shape, shape))
    return list(tensors)


def _merge_if_possible(inferred: Shape | None, declared: Shape | None) -> Shape | None:
    try:
        return merge_shapes(inferred, declared)
    except GraphError:
        return inferred


def _if(call: Call) -> Result:
    call.tensor(0)
    names = [_name(call, "then_branch"), _name(call, "else_branch")]
    return _add_declared_shapes(call, _join_branches(call, names))


def _case(call: Call) -> Result:
    call.tensor(0)
    names = [branch.name for branch in call.attr("branches", list[NameAttrList])]
    return _add_declared_shapes(call, _join_branches(call, names))


def _join_branches(call: Call, names: list[str]) -> list[Tensor]:
    """Return the tensors that the outputs of several functions have in common: only one function runs."""
    results = [call.run(name, call.inputs[1:]) for name in names]
    if not results:
        return []
    count = max(map(len, results))
    common = [_output_at(results[0], index) for index in range(count)]
    for outputs in results[1:]:
        common = [join_tensors(tensor, _output_at(outputs, index)) for index, tensor in enumerate(common)]
    return common


def _output_at(outputs: Sequence[Tensor], index: int) -> Tensor:
    return outputs[index] if index < len(outputs) else UNKNOWN


def _while(call: Call) -> Result:
    state = list(call.inputs)
    body = _name(call, "body")
    for iteration in range(_MAX_ITERATIONS + 1):
        outputs = call.run(body, state)
        next_state = [join_tensors(tensor, _output_at(outputs, index)) for index, tensor in enumerate(state)]
        if next_state == state:
            break
        if iteration == _MAX_ITERATIONS:
            next_state = [tensor if tensor == old else UNKNOWN for tensor, old in zip(next_state, state, strict=True)]
        state = next_state
    else:
        state = [UNKNOWN] * len(state)
        call.run(body, state)
    call.run(_name(call, "cond"), state)
    return _add_declared_shapes(call, state)


def _for(call: Call) -> Result:
    """Return the state. The inputs are start, limit, delta and the state; the body gets the iteration and the state."""
    state = call.inputs[3:]
    for _ in range(_MAX_ITERATIONS):
        outputs = call.run(_name(call, "body"), [Tensor(SCALAR), *state])
        next_state = [join_tensors(tensor, _output_at(outputs, index)) for index, tensor in enumerate(state)]
        if next_state == state:
            return list(state)
        state = next_state
    return [UNKNOWN] * len(state)


ELEMENTWISE: dict[str, Rule] = {
    "Print": first_input,
}

RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "Case": _case,
    "For": _for,
    "If": _if,
    "LoopCond": _loop_cond,
    "MatchingFiles": lambda call: (None,),
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
    **share_rule(
        """
        AudioSummary AudioSummaryV2 HistogramSummary ImageSummary MergeSummary ReadFile ScalarSummary
        ShardedFilename ShardedFilespec TensorSummary TensorSummaryV2 Timestamp
        """,
        scalar,
    ),
}
